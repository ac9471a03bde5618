/* Checks one file of the output, as far as that needs no key. */
#include "audit/internal.h"
#include "golang/golang.h"
#include "secrecy/secrecy.h"

bool audit_is_wrapped(const struct value *document)
{
	const struct sealer_format *format = sealer_format_of(document);

	return format && format->takes_certificate;
}

/* Returns the identity of the object; for a SealedSecret, of the Secret in it. */
static struct kube_id object_id(const struct value *document)
{
	if (audit_is_wrapped(document))
		return (struct kube_id){SV("v1"), SV("Secret"),
		                        value_text(value_path(document, "metadata.namespace")),
		                        value_text(value_path(document, "metadata.name"))};
	return (struct kube_id){
	    .api_version = value_text(value_map_get(document, SV("apiVersion"))),
	    .kind = value_text(value_map_get(document, SV("kind"))),
	    .namespace = value_text(value_path(document, "metadata.namespace")),
	    .name = value_text(value_path(document, "metadata.name")),
	};
}

/* ---- the place of a file ------------------------------------------------------------------ */

/*
 * Returns true if the first line names the source as the index does, quoted if it has unusual
 * bytes. JSON has U+FFFD for bytes that are not UTF-8: such a name cannot be compared.
 */
static bool header_fits(struct arena *arena, sv text, sv source)
{
	sv line = sv_slice(text, 0, sv_find_char(text, '\n'));
	sv end = SV("; do not edit.");
	sv begin = SV(TREE_HEADER " from ");

	return sv_contains(source, SV("\xEF\xBF\xBD")) ||
	       sv_eq(line, ARENA_CONCAT(arena, begin, source, end)) ||
	       sv_eq(line, ARENA_CONCAT(arena, begin, go_strconv_quote(arena, source), end));
}

/* Returns the path of an object on the entry's side, or an empty string for other files. */
static sv wanted_path(struct arena *arena, const struct tree_index *index,
                      const struct tree_file *entry, const struct kube_id *id)
{
	sv rest = sv_from_offset(entry->path, index->folder.len + 1);
	sv side = sv_slice(rest, 0, sv_find_char(rest, '/'));

	for (int i = ARTIFACT_MANAGEMENT; i <= ARTIFACT_STATUS; i++) {
		enum artifact_side of = (enum artifact_side)i;

		if (!sv_eq(side, tree_side_name(of)))
			continue;
		sv part = tree_part(arena, index->cut, of, entry->unit);
		return tree_object_path_in(arena, tree_part_path(arena, index->folder, of, part),
		                           id);
	}
	return SV("");
}

/* A patch must be beside its object, and hold bytes only. */
static sv patch_mistake(struct arena *arena, const struct tree_index *index,
                        const struct tree_file *entry, const struct value *document)
{
	sv beside = wanted_path(arena, index, entry, entry->patch_of);

	if (!seal_is_binary(document))
		return arena_printf(
		    arena,
		    "this file is not a sealed patch, but the index lists the patch of %.*s here",
		    SV_ARG(kube_id_describe(arena, entry->patch_of)));
	if (sv_ends_with(beside, SV(".yaml")) &&
	    !sv_eq(tree_patch_path(arena, beside), entry->path))
		return arena_printf(
		    arena, "the index lists this file as the patch of %.*s, whose file is %.*s",
		    SV_ARG(kube_id_describe(arena, entry->patch_of)),
		    SV_ARG(tree_patch_path(arena, beside)));
	return SV("");
}

sv audit_place_mistake(struct arena *arena, const struct tree_index *index,
                       const struct tree_file *entry, const struct value *document, sv text)
{
	struct kube_id own = object_id(document);
	const struct kube_id *id = &own;
	sv wanted = entry->is_delivery ? SV("") : wanted_path(arena, index, entry, id);

	if (entry->patch_of)
		return patch_mistake(arena, index, entry, document);
	if (kube_id_compare(id, &entry->object) != 0)
		return arena_printf(arena, "the file holds %.*s, but the index lists %.*s here",
		                    SV_ARG(kube_id_describe(arena, id)),
		                    SV_ARG(kube_id_describe(arena, &entry->object)));
	if (!sv_empty(wanted) && !sv_eq(wanted, entry->path))
		return arena_printf(arena, "the file holds %.*s, which belongs into %.*s",
		                    SV_ARG(kube_id_describe(arena, id)), SV_ARG(wanted));
	if (!sv_empty(entry->source) && !header_fits(arena, text, entry->source))
		return arena_printf(
		    arena, "the first line does not name the source that the index lists, %.*s",
		    SV_ARG(entry->source));
	return SV("");
}

/* ---- clear values -------------------------------------------------------------------------- */

struct sealing_walk {
	const struct audit_file *file;
	struct arena *arena;
	bool is_secret; /* a sealed Secret: data and stringData are sealed, nothing else is */
};

static enum secrecy_step look_at(void *context, struct secrecy_place *place)
{
	const struct sealing_walk *walk = context;
	const struct audit_file *file = walk->file;

	if (place->depth == 1 && place->entry && sv_eq(place->entry->key, SV("sops")))
		return SECRECY_OVER;
	if (place->depth == 1 && place->entry &&
	    (sv_eq(place->entry->key, SV("data")) || sv_eq(place->entry->key, SV("stringData"))))
		place->marked = walk->is_secret;
	if (!value_is_string(place->value))
		return SECRECY_INTO;
	bool is_sealed = seal_is_sealed_text(place->value->string);
	sv path = secrecy_path(walk->arena, place);
	if (place->marked && !is_sealed && place->value->string.len > 0)
		audit_find(file->findings, DIAG_AUDIT_SEALING, file->entry->path,
		           "%.*s is in the clear and should be sealed", SV_ARG(path));
	if (!place->marked && is_sealed)
		audit_find(file->findings, DIAG_AUDIT_SEALING, file->entry->path,
		           "%.*s is sealed and should be in the clear", SV_ARG(path));
	return SECRECY_OVER;
}

void audit_check_object(struct arena *arena, const struct audit_file *file)
{
	const struct tree_file *entry = file->entry;
	sv mistake = audit_place_mistake(arena, file->index, entry, file->document, file->text);
	bool is_sealed = seal_is_sealed(file->document);
	bool is_secret = sv_eq(value_text(value_map_get(file->document, SV("kind"))), SV("Secret"));
	struct sealing_walk walk = {
	    .file = file, .arena = arena, .is_secret = is_secret && is_sealed};

	if (!sv_empty(mistake)) {
		struct diag *diag = audit_find(file->findings, DIAG_AUDIT_OBJECT, entry->path,
		                               "%.*s", SV_ARG(mistake));
		diag_set_help(
		    &file->findings->sink, diag,
		    "somebody moved or copied a file here: restore the file that osm-gen wrote");
	}
	if (is_sealed != entry->sealed)
		audit_find(file->findings, DIAG_AUDIT_SEALING, entry->path,
		           is_sealed ? "the file is sealed, but the index lists it as clear"
		                     : "the file is not sealed, but the index lists it as sealed");
	if (audit_is_wrapped(file->document))
		audit_check_wrapped(arena, file);
	/* For other kinds only the MAC shows which values were sealed. */
	else if (!is_sealed || walk.is_secret)
		secrecy_visit(file->document, look_at, &walk);
}

/* ---- kustomizations ----------------------------------------------------------------------- */

/* The content of a kustomization.yaml that follows from the indexes. */
struct listed {
	VEC(sv) paths;
	VEC(sv) sealed; /* where KSOPS opens them */
	bool has_ksops;
	VEC(struct tree_kustomized_patch) patches;
	/* The set of folders of MachineDeployments that have a kustomization of their own. */
	struct set last;
	bool is_last;  /* this is the kustomization of such a folder */
	bool is_whole; /* it lists all folders of a side that is split */
};

static sv folder_of(sv path)
{
	return sv_slice(path, 0, sv_rfind_char(path, '/'));
}

/* Lists an entry in the folder, or the folder below it that has the entry and a kustomization. */
static void list_entry(struct arena *arena, struct listed *listed, struct set *folders, sv folder,
                       const struct tree_file *entry)
{
	sv inner;

	/* MachineDeployments are applied after the folder that theirs is in. */
	if (entry->role == ARTIFACT_MACHINES && !listed->is_last &&
	    set_has(&listed->last, folder_of(entry->path)))
		return;
	if (listed->is_last && entry->role != ARTIFACT_MACHINES)
		return;
	if (sv_eq(sv_slice(entry->path, 0, folder.len + 1), ARENA_CONCAT(arena, folder, SV("/"))))
		inner = sv_from_offset(entry->path, folder.len + 1);
	else
		return;
	/* For a cluster in a bucket: BUCKET/CLUSTER. */
	size_t slash = sv_rfind_char(inner, '/');
	if (slash != SV_NPOS && sv_eq(sv_from_offset(inner, slash), SV("/kustomization.yaml"))) {
		sv path = sv_slice(entry->path, 0, folder.len + 1 + slash);
		bool is_last = set_has(&listed->last, path);

		if (is_last && listed->is_whole)
			VEC_PUSH(arena, &listed->paths, path);
		if (is_last)
			return;
		if (set_add(folders, path))
			VEC_PUSH(arena, &listed->paths, path);
	} else if (entry->patch_of) {
		VEC_PUSH(arena, &listed->patches,
		         ((struct tree_kustomized_patch){entry->path, *entry->patch_of}));
	} else if (!sv_empty(entry->object.kind) && entry->sealed && listed->has_ksops) {
		VEC_PUSH(arena, &listed->sealed, entry->path);
	} else if (!sv_empty(entry->object.kind)) {
		VEC_PUSH(arena, &listed->paths, entry->path);
	}
}

/* Returns true if the index lists the path as a file without an object. */
static bool lists_plain(const struct tree_index *index, sv path)
{
	for (size_t i = 0; i < index->file_count; i++)
		if (sv_empty(index->files[i].object.kind) && !index->files[i].patch_of &&
		    sv_eq(index->files[i].path, path))
			return true;
	return false;
}

/* Removes files in folders with a kustomization of their own, which lists them. */
static void leave_inner(struct listed *listed, const struct set *folders)
{
	size_t kept = 0;

	for (size_t i = 0; i < listed->paths.count; i++) {
		sv path = listed->paths.items[i];
		bool is_inner = false;

		for (size_t at = 0; at < path.len && !set_has(&listed->last, path); at++)
			is_inner |= path.ptr[at] == '/' && set_has(folders, sv_slice(path, 0, at));
		if (!is_inner)
			listed->paths.items[kept++] = path;
	}
	listed->paths.count = kept;
}

/* Finds the folders of MachineDeployments that have a kustomization. */
static void find_last(const struct tree_index *index, struct set *last)
{
	struct set plain = set_in(last->map.arena);
	bool has_machines = false;

	for (size_t i = 0; i < index->file_count; i++)
		has_machines |= index->files[i].role == ARTIFACT_MACHINES;
	if (!has_machines)
		return;
	for (size_t i = 0; i < index->file_count; i++)
		if (sv_empty(index->files[i].object.kind))
			set_add(&plain, index->files[i].path);
	for (size_t i = 0; i < index->file_count; i++) {
		sv folder = folder_of(index->files[i].path);

		if (index->files[i].role == ARTIFACT_MACHINES &&
		    set_has(&plain, tree_kustomization_path(last->map.arena, folder)) &&
		    !sv_eq(folder, tree_side_path(last->map.arena, index->folder, ARTIFACT_WORKER)))
			set_add(last, folder);
	}
}

void audit_check_kustomization(struct arena *arena, const struct audit_tree *tree,
                               const struct audit_file *file)
{
	sv path = file->entry->path;
	sv folder = folder_of(path);
	struct set folders = set_in(arena);
	struct listed listed = {.last = set_in(arena)};
	struct buf wanted = buf_in(arena);

	bool is_ksops = sv_eq(path, tree_ksops_path(arena, folder));
	if (!sv_eq(path, tree_kustomization_path(arena, folder)) && !is_ksops)
		return;
	listed.has_ksops = lists_plain(file->index, tree_ksops_path(arena, folder));
	find_last(file->index, &listed.last);
	listed.is_last = set_has(&listed.last, folder);
	listed.is_whole =
	    file->index->cut > 0 &&
	    sv_eq(folder, tree_side_path(arena, file->index->folder, ARTIFACT_WORKER));
	/* The list of a management cluster's clusters follows from all of their indexes. */
	if (file->entry->is_delivery && tree_is_delivery_list(path)) {
		VEC_EACH (index, &tree->indexes)
			for (size_t i = 0; i < index->file_count; i++)
				list_entry(arena, &listed, &folders, folder, &index->files[i]);
	} else {
		for (size_t i = 0; i < file->index->file_count; i++)
			list_entry(arena, &listed, &folders, folder, &file->index->files[i]);
	}
	leave_inner(&listed, &folders);
	const struct tree_kustomization kustomization = {
	    .folder = folder,
	    .paths = listed.paths.items,
	    .count = listed.paths.count,
	    .patches = listed.patches.items,
	    .patch_count = listed.patches.count,
	    .sealed = listed.sealed.items,
	    .sealed_count = listed.sealed.count,
	};
	if (is_ksops)
		tree_add_ksops(arena, &wanted, &kustomization);
	else
		tree_add_kustomization(arena, &wanted, &kustomization);
	if (sv_eq(buf_sv(&wanted), file->text))
		return;
	struct diag *diag =
	    audit_find(file->findings, DIAG_AUDIT_OBJECT, path,
	               "the kustomization does not name exactly the files that the index lists");
	diag_set_help(&file->findings->sink, diag,
	              "appliers also apply an added resource, patch, component or generator: "
	              "restore the kustomization that osm-gen wrote");
}
