/*
 * Reads index.json, which lists the files that osm-gen wrote for a cluster, and so may remove, with
 * the facts that a later run needs.
 */
#include "tree/index.h"

#include "json/json.h"

sv tree_index_path(struct arena *arena, sv folder)
{
	return ARENA_CONCAT(arena, folder, SV("/index.json"));
}

bool tree_is_index_path(sv path, sv *ret_folder)
{
	sv folder;

	if (!sv_ends_with(path, SV("/index.json")))
		return false;
	folder = fleet_folder_of(path);
	if (!sv_eq(sv_from_offset(path, folder.len), SV("/index.json")))
		return false;
	*ret_folder = folder;
	return true;
}

void tree_layout_add(struct tree_layout *layout, sv path)
{
	sv folder;

	if (!tree_is_index_path(path, &folder))
		return;
	layout->count++;
	layout->in_buckets += fleet_folder_is_in_bucket(folder);
}

bool tree_layout_in_buckets(const struct tree_layout *layout)
{
	return layout->in_buckets > layout->count - layout->in_buckets;
}

/* ---- reading ----------------------------------------------------------------------------- */

static sv member(struct arena *arena, const struct json_t *map, const char *key)
{
	return arena_dup(arena, json_doc_text(json_doc_get(map, key)));
}

/* Returns null if the entry names no unit. */
static const struct tree_unit *read_unit_of_entry(struct arena *arena, const struct json_t *entry)
{
	const struct json_t *unit = json_doc_get(entry, "unit");
	const struct json_t *profile = json_doc_get(entry, "profile");
	struct tree_unit *read;

	if (sv_empty(json_doc_text(json_doc_get(unit, "kind"))))
		return NULL;
	read = ARENA_NEW(arena, struct tree_unit);
	*read = (struct tree_unit){
	    .kind = member(arena, unit, "kind"),
	    .namespace = member(arena, unit, "namespace"),
	    .name = member(arena, unit, "name"),
	    .revision = member(arena, entry, "revision"),
	    .template_digest = member(arena, entry, "templateDigest"),
	    .profile = member(arena, profile, "name"),
	    .profile_version = member(arena, profile, "version"),
	    .config_maps = {member(arena, entry, "configMap"),
	                    member(arena, entry, "configMapBefore")},
	};
	return read;
}

/* Returns an id with an empty kind if the entry does not have `key`. */
static struct kube_id read_object_id(struct arena *arena, const struct json_t *entry,
                                     const char *key)
{
	const struct json_t *object = json_doc_get(entry, key);

	return (struct kube_id){member(arena, object, "apiVersion"), member(arena, object, "kind"),
	                        member(arena, object, "namespace"), member(arena, object, "name")};
}

/* Returns 0 for a number that osm-gen does not write. */
static size_t read_size(const struct json_t *v)
{
	int64_t size = json_doc_integer(v);

	return size < 0 ? 0 : (size_t)size;
}

static struct tree_file read_file_entry(struct arena *arena, sv folder, const struct json_t *entry)
{
	const struct json_t *user_data = json_doc_get(entry, "userData");
	const struct kube_id patched = read_object_id(arena, entry, "patchOf");

	return (struct tree_file){
	    .path =
	        ARENA_CONCAT(arena, folder, SV("/"), json_doc_text(json_doc_get(entry, "path"))),
	    .object = read_object_id(arena, entry, "object"),
	    .patch_of = tree_patch_of(arena, &patched),
	    .role = tree_role_of(json_doc_text(json_doc_get(entry, "role"))),
	    .source = member(arena, entry, "source"),
	    .sealed = json_doc_is_true(json_doc_get(entry, "sealed")),
	    .unit = read_unit_of_entry(arena, entry),
	    .user_data_bytes = read_size(json_doc_get(user_data, "bytes")),
	    .user_data_limit = read_size(json_doc_get(user_data, "budget")),
	};
}

/* Returns the unit that an entry names by its own members. */
static const struct tree_unit *read_owner(struct arena *arena, const struct json_t *entry)
{
	struct tree_unit *unit = ARENA_NEW(arena, struct tree_unit);

	*unit = (struct tree_unit){
	    .kind = member(arena, entry, "kind"),
	    .namespace = member(arena, entry, "namespace"),
	    .name = member(arena, entry, "name"),
	};
	return unit;
}

static void read_proofs(struct arena *arena, const struct json_t *list, struct tree_index *index)
{
	size_t count = json_doc_is_list(list) ? json_doc_count(list) : 0;

	index->proofs = ARENA_ARRAY(arena, struct tree_proof, count);
	index->proof_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct json_t *entry = json_doc_item(list, i);

		index->proofs[i] = (struct tree_proof){
		    .unit = read_owner(arena, entry),
		    .proof = member(arena, entry, "proof"),
		    .provider = member(arena, entry, "provider"),
		    .operating_system = member(arena, entry, "operatingSystem"),
		    .kubelet_version = member(arena, entry, "kubelet"),
		};
	}
}

static void read_rolls(struct arena *arena, const struct json_t *list, struct tree_index *index)
{
	size_t count = json_doc_is_list(list) ? json_doc_count(list) : 0;

	index->rolls = ARENA_ARRAY(arena, struct tree_roll, count);
	index->roll_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct json_t *entry = json_doc_item(list, i);

		index->rolls[i] = (struct tree_roll){
		    .unit = read_owner(arena, entry),
		    .by = member(arena, entry, "by"),
		    .contract = member(arena, entry, "contract"),
		    .seed = member(arena, entry, "seedId"),
		    .digest = member(arena, entry, "digest"),
		    .value = member(arena, entry, "value"),
		};
	}
}

static struct tree_file read_delivery(struct arena *arena, const struct json_t *entry)
{
	return (struct tree_file){
	    .path = member(arena, entry, "path"),
	    .is_delivery = true,
	    .object = read_object_id(arena, entry, "object"),
	    .source = member(arena, entry, "source"),
	};
}

/* Returns a list of strings, *ret_count of them; of anything else none. */
static const sv *read_texts(struct arena *arena, const struct json_t *list, size_t *ret_count)
{
	size_t count = json_doc_is_list(list) ? json_doc_count(list) : 0;
	sv *texts = ARENA_ARRAY(arena, sv, count);

	for (size_t i = 0; i < count; i++)
		texts[i] = arena_dup(arena, json_doc_text(json_doc_item(list, i)));
	*ret_count = count;
	return texts;
}

static unsigned read_cut(const struct json_t *root)
{
	int64_t cut = json_doc_integer(json_doc_get(root, "cut"));

	return cut < 1 || cut > TREE_CUT_MAX ? 0 : (unsigned)cut;
}

/* Returns 0 for a format that this osm-gen does not know. */
static int read_format(const struct json_t *root)
{
	int64_t version = json_doc_integer(json_doc_get(root, "formatVersion"));

	return version < 1 || version > TREE_INDEX_FORMAT ? 0 : (int)version;
}

static void set_damage_help(struct sink *sink, struct diag *diag)
{
	diag_set_help(sink, diag,
	              "restore the file from git, or remove the cluster's folder and commit that");
}

static enum status report_path(struct sink *sink, const struct source *source, const char *list,
                               size_t i)
{
	struct diag *diag = diag_report(sink, DIAG_TREE_INDEX, position_of_source(source),
	                                "the path of %s[%zu] is missing or leads out of the "
	                                "cluster's folder",
	                                list, i);

	set_damage_help(sink, diag);
	return STATUS_FAILED;
}

static enum status read_files(struct arena *arena, struct sink *sink, const struct json_t *root,
                              const struct source *source, struct tree_index *index)
{
	const struct json_t *list = json_doc_get(root, "files");
	const struct json_t *delivery = json_doc_get(root, "delivery");
	size_t count = json_doc_count(list);

	index->file_count = count + json_doc_count(delivery);
	index->files = ARENA_ARRAY(arena, struct tree_file, index->file_count);
	for (size_t i = 0; i < count; i++) {
		const struct json_t *entry = json_doc_item(list, i);

		if (!tree_path_is_inside(json_doc_text(json_doc_get(entry, "path"))))
			return report_path(sink, source, "files", i);
		index->files[i] = read_file_entry(arena, index->folder, entry);
	}
	for (size_t i = count; i < index->file_count; i++) {
		index->files[i] = read_delivery(arena, json_doc_item(delivery, i - count));
		if (!tree_is_delivery_path(index->files[i].path, index->folder))
			return report_path(sink, source, "delivery", i - count);
	}
	return STATUS_OK;
}

/*
 * Merging an index by hand is not worth it: either side's will do, since the next run writes a new
 * one.
 */
static void set_conflict_help(struct sink *sink, struct diag *diag)
{
	sv path = diag->at.source->path;
	sv folder = sv_slice(path, 0, sv_rfind_char(path, '/'));

	if (sv_starts_with(path, SV("/"))) {
		diag_set_help(sink, diag, "remove %.*s, and run `osm-gen generate` again",
		              SV_ARG(folder));
		return;
	}
	diag_set_help(
	    sink, diag,
	    "take one side of the folder, as it is generated: git rm -r -q -f %.*s && git "
	    "checkout HEAD -- %.*s while the merge is open, git checkout COMMIT -- %.*s with a "
	    "commit from before it later on; commit that, and run `osm-gen generate` again",
	    SV_ARG(folder), SV_ARG(folder), SV_ARG(folder));
}

static enum status report_format(struct sink *sink, const struct source *source)
{
	struct diag *diag = diag_report(sink, DIAG_TREE_INDEX, position_of_source(source),
	                                "this is not an index that osm-gen wrote");

	set_damage_help(sink, diag);
	return STATUS_FAILED;
}

/* `is_any`: the format may be unknown, and the list of files missing. */
static enum status read_index_document(struct arena *arena, struct sink *sink, bool is_any,
                                       sv folder, const struct source *source,
                                       struct tree_index *ret_index)
{
	size_t before = sink->diags.count;
	JSON_DOC_AUTO root = NULL;

	if (tree_index_read_plain(arena, folder, source->text, ret_index))
		return STATUS_OK;

	if (json_doc_read(sink, source, &root) != STATUS_OK) {
		for (size_t i = before; i < sink->diags.count; i++)
			if (sink->diags.items[i]->code == DIAG_CONFLICT_MARKER)
				set_conflict_help(sink, sink->diags.items[i]);
		return STATUS_FAILED;
	}
	if (!sv_eq(json_doc_text(json_doc_get(root, "generator")), SV("osm-gen"))) {
		*ret_index = (struct tree_index){.is_foreign = true};
		return STATUS_OK;
	}
	const struct json_t *files = json_doc_get(root, "files");
	struct tree_index index = {
	    .cluster = member(arena, root, "cluster"),
	    .folder = folder,
	    .format = read_format(root),
	    .seed_id = member(arena, root, "seedId"),
	    .recipients_digest = member(arena, root, "recipientsDigest"),
	    .cut = read_cut(root),
	    .is_merged = json_doc_is_true(json_doc_get(root, TREE_INDEX_MERGED)),
	};
	if (!is_any && (!json_doc_is_list(files) || index.format == 0))
		return report_format(sink, source);
	if (read_files(arena, sink, root, source, &index) != STATUS_OK)
		return STATUS_FAILED;
	index.recipients =
	    read_texts(arena, json_doc_get(root, "recipients"), &index.recipient_count);
	index.sealed_settings =
	    read_texts(arena, json_doc_get(root, "encryptedSettings"), &index.sealed_setting_count);
	read_proofs(arena, json_doc_get(root, "proofs"), &index);
	read_rolls(arena, json_doc_get(root, "rolls"), &index);
	*ret_index = index;
	return STATUS_OK;
}

enum status tree_index_read(struct arena *arena, struct sink *sink, sv folder,
                            const struct source *source, struct tree_index *ret_index)
{
	return read_index_document(arena, sink, false, folder, source, ret_index);
}

enum status tree_index_read_any(struct arena *arena, struct sink *sink, sv folder,
                                const struct source *source, struct tree_index *ret_index)
{
	return read_index_document(arena, sink, true, folder, source, ret_index);
}

bool tree_index_read_below(struct arena *arena, struct git_repo *repo, struct git_id out, sv folder,
                           struct tree_index *ret_index)
{
	struct sink unused = sink_in(arena);
	sv path = tree_index_path(arena, folder);
	struct tree_index index;
	sv text;

	if (!git_read_below(arena, repo, out, path, TREE_INDEX_MAX_BYTES, &text) ||
	    tree_index_read(arena, &unused, folder, source_new(arena, path, text, false), &index) !=
	        STATUS_OK ||
	    index.is_foreign)
		return false;
	*ret_index = index;
	return true;
}
