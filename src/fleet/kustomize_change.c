/*
 * Reports each change that a kustomization makes to a unit or definition.
 */
#include "fleet/kustomize.h"

VEC_TYPE(kustomizations, const struct kustomization *);

/* ---- reporting --------------------------------------------------------------------------- */

static void add_author(struct kustomizer *k, struct diag *diag,
                       const struct kustomize_author *author)
{
	if (author->from)
		diag_add_note(k->sink, diag, value_position(author->from->root),
		              "the kustomization %.*s uses this component",
		              SV_ARG(author->from->path));
	if (author->is_applier) {
		diag_set_help(k->sink, diag,
		              "make the change in the manifest itself and remove it here; when "
		              "this Kustomization applies another repository, name its file "
		              "in " FLEET_IGNORE_FILE);
		return;
	}
	sv folder = sv_empty(author->folder) ? SV(".") : author->folder;
	diag_set_help(
	    k->sink, diag,
	    "name the folder in the Cluster, with `kustomize: %.*s` in its spec, and allow "
	    "the program with --allow-program kustomize; or commit what `kustomize build "
	    "%.*s` prints, in a file of the cluster's folder, and name "
	    "in " FLEET_IGNORE_FILE " the kustomization and the manifests that it reads; "
	    "or make the change in the manifest "
	    "itself and remove it here",
	    SV_ARG(folder), SV_ARG(folder));
}

void kustomize_report(struct kustomizer *k, const struct kustomize_author *author,
                      struct position at, const char *how, const struct kustomize_objects *objects)
{
	enum { SHOWN = 4 };

	if (objects->count == 0)
		return;
	const struct kube_object *first = &objects->items[0]->object;
	struct diag *diag = diag_report(
	    k->sink, author->code, at,
	    "%s changes %.*s %s, and osm-gen does not: it renders the manifest as it is in git",
	    author->who, SV_ARG(kube_object_describe(k->arena, first)), how);

	for (size_t i = 0; i < objects->count && i < SHOWN; i++)
		diag_add_note(k->sink, diag, kube_object_position(&objects->items[i]->object),
		              i == 0 ? "the manifest is here" : "this one is changed, too");
	if (objects->count > SHOWN)
		diag_add_note(k->sink, diag, NOWHERE, "and %zu more", objects->count - SHOWN);
	add_author(k, diag, author);
}

/* Reports a patch for a kind that osm-gen reads that matches no object of the repository. */
static void report_absent(struct kustomizer *k, const struct kustomize_author *author,
                          struct position at, bool is_nameless)
{
	struct diag *diag =
	    is_nameless
	        ? diag_report(k->sink, author->code, at,
	                      "%s gets a patch of a kind that osm-gen reads, without a name and "
	                      "without a target: it fits no object",
	                      author->who)
	        : diag_report(k->sink, author->code, at,
	                      "%s patches a kind that osm-gen reads, in a manifest that is not in "
	                      "the repository: nothing is rendered for it",
	                      author->who);

	add_author(k, diag, author);
}

/* ---- patches ----------------------------------------------------------------------------- */

static const struct yml_documents *patch_of(struct kustomizer *k, sv base, const struct value *text,
                                            bool may_be_path)
{
	sv path;

	if (!value_is_string(text))
		return NULL;
	if (!may_be_path)
		return kustomize_patch_text(k, text);
	return fleet_path_resolve(k->scratch, base, text->string, &path)
	           ? kustomize_patch_file(k, path)
	           : NULL;
}

static void check_patch(struct kustomizer *k, const struct kustomize_author *author,
                        const struct value *item, const struct kustomize_reach *reach)
{
	const struct value *target = value_map_get(item, SV("target"));
	const struct value *path = value_map_get(item, SV("path"));
	const struct value *text = value_is_string(item) ? item : value_map_get(item, SV("patch"));
	bool is_file =
	    value_is_string(item) ? !kustomize_is_inline(item->string) : value_is_string(path);
	const struct value *where = is_file && path ? path : text;
	struct position at = value_position(where ? where : item);
	struct kustomize_objects found = {0};
	bool is_ours = false;
	bool is_nameless = false;

	if (!kustomize_charge(k, 1))
		return;
	if (value_is_map(target)) {
		kustomize_select(k, target, &reach->objects, &found);
		is_ours = kustomize_names_our_kind(target);
	} else {
		const struct yml_documents *patch = patch_of(k, author->base, where, is_file);

		if (!patch)
			return;
		kustomize_select_named(k, patch, &reach->objects, &found);
		VEC_EACH (document, patch) {
			bool is_our_kind = kustomize_names_our_kind(&document->root);

			is_ours |= is_our_kind;
			is_nameless |=
			    is_our_kind &&
			    sv_empty(value_text(value_path(&document->root, "metadata.name")));
		}
	}
	if (is_nameless || (found.count == 0 && is_ours && reach->is_remote))
		report_absent(k, author, at, is_nameless);
	kustomize_report(k, author, at, "with this patch", &found);
}

void kustomize_check_patches(struct kustomizer *k, const struct kustomize_author *author,
                             const struct value *spec, const struct kustomize_reach *reach)
{
	struct kustomize_walk walk = {.root = spec, .of = KUSTOMIZE_PATCH_ENTRIES};
	const struct value *entry;

	while ((entry = kustomize_next_entry(&walk)))
		check_patch(k, author, entry, reach);
}

/* ---- changes of all objects -------------------------------------------------------------- */

void kustomize_check_names(struct kustomizer *k, const struct kustomize_author *author,
                           const struct value *spec, const struct kustomize_objects *objects)
{
	const struct value *prefix = value_map_get(spec, SV("namePrefix"));
	const struct value *suffix = value_map_get(spec, SV("nameSuffix"));

	if (!sv_empty(value_text(prefix)))
		kustomize_report(k, author, value_position(prefix), "with this prefix of names",
		                 objects);
	if (!sv_empty(value_text(suffix)))
		kustomize_report(k, author, value_position(suffix), "with this suffix of names",
		                 objects);
}

void kustomize_check_namespace(struct kustomizer *k, const struct kustomize_author *author,
                               const struct value *namespace,
                               const struct kustomize_objects *objects)
{
	struct kustomize_objects found = {0};

	if (sv_empty(value_text(namespace)) || !kustomize_charge(k, objects->count))
		return;
	/* A definition without a namespace is used in all namespaces. */
	VEC_EACH (object, objects)
		if (!sv_empty((*object)->object.id.namespace) &&
		    !sv_eq((*object)->object.id.namespace, namespace->string))
			VEC_PUSH(k->scratch, &found, *object);
	kustomize_report(k, author, value_position(namespace), "with this namespace", &found);
}

static bool has_all(const struct value *metadata, const struct value *pairs)
{
	for (size_t i = 0; i < value_count(pairs); i++) {
		const struct value_entry *pair = &pairs->map->entries[i];
		const struct value *there = value_map_get(metadata, pair->key);

		if (!there || !value_equal(there, &pair->value))
			return false;
	}
	return true;
}

void kustomize_check_metadata(struct kustomizer *k, const struct kustomize_author *author,
                              const struct value *pairs, const char *member,
                              const struct kustomize_objects *objects)
{
	struct kustomize_objects found = {0};
	bool is_labels = strcmp(member, "labels") == 0;

	if (!value_is_map(pairs) || value_count(pairs) == 0 ||
	    !kustomize_charge(k, objects->count * value_count(pairs)))
		return;
	VEC_EACH (object, objects) {
		const struct value *metadata =
		    value_map_get((*object)->object.root, SV("metadata"));

		if (!has_all(value_map_get(metadata, sv_from_cstr(member)), pairs))
			VEC_PUSH(k->scratch, &found, *object);
	}
	kustomize_report(k, author, value_position(pairs),
	                 is_labels ? "with these labels" : "with these annotations", &found);
}

static void check_all_metadata(struct kustomizer *k, const struct kustomize_author *author,
                               const struct value *root, const struct kustomize_objects *objects)
{
	const struct value *labels = value_map_get(root, SV("labels"));

	kustomize_check_metadata(k, author, value_map_get(root, SV("commonLabels")), "labels",
	                         objects);
	kustomize_check_metadata(k, author, value_map_get(root, SV("commonAnnotations")),
	                         "annotations", objects);
	for (size_t i = 0; value_is_list(labels) && i < value_count(labels); i++)
		kustomize_check_metadata(k, author,
		                         value_map_get(value_item(labels, i), SV("pairs")),
		                         "labels", objects);
}

/* ---- replacements ------------------------------------------------------------------------ */

/* `at` is the replacement, or the entry that names its file. */
static void check_replacement(struct kustomizer *k, const struct kustomize_author *author,
                              const struct value *replacement, struct position at,
                              const struct kustomize_objects *objects)
{
	const struct value *targets = value_map_get(replacement, SV("targets"));

	for (size_t i = 0; value_is_list(targets) && i < value_count(targets); i++) {
		const struct value *select = value_map_get(value_item(targets, i), SV("select"));
		const struct value *reject = value_map_get(value_item(targets, i), SV("reject"));
		struct kustomize_objects found = {0};
		struct kustomize_objects kept = {0};
		struct kustomize_objects refused = {0};

		if (!kustomize_charge(k, 1) || !value_is_map(select))
			continue;
		kustomize_select(k, select, objects, &found);
		for (size_t j = 0; value_is_list(reject) && j < value_count(reject); j++)
			kustomize_select(k, value_item(reject, j), &found, &refused);
		if (!kustomize_charge(k, found.count * (1 + refused.count)))
			return;
		VEC_EACH (object, &found) {
			bool is_refused = false;

			VEC_EACH (other, &refused)
				is_refused |= *other == *object;
			if (!is_refused)
				VEC_PUSH(k->scratch, &kept, *object);
		}
		kustomize_report(k, author, at.source ? at : value_position(select),
		                 "with this replacement", &kept);
	}
}

static void check_replacements(struct kustomizer *k, const struct kustomize_author *author,
                               const struct value *root, const struct kustomize_objects *objects)
{
	struct kustomize_walk walk = {.root = root, .of = KUSTOMIZE_REPLACEMENT_ENTRIES};
	const struct value *item;

	while ((item = kustomize_next_entry(&walk))) {
		const struct value *path = value_map_get(item, SV("path"));
		const struct yml_documents *file = patch_of(k, author->base, path, true);

		check_replacement(k, author, item, NOWHERE, objects);
		/* A file holds one replacement, or a list of them. */
		for (size_t j = 0; file && j < file->count; j++) {
			const struct value *given = &file->items[j].root;

			check_replacement(k, author, given, value_position(path), objects);
			for (size_t n = 0; value_is_list(given) && n < value_count(given); n++)
				check_replacement(k, author, value_item(given, n),
				                  value_position(path), objects);
		}
	}
}

/* ---- transformers ------------------------------------------------------------------------ */

/* Only warns of a transformer: its changes are unknown, and it may apply to other kinds only. */
static void check_transformers(struct kustomizer *k, const struct kustomize_author *author,
                               const struct value *root, const struct kustomize_objects *objects)
{
	const struct value *list = value_map_get(root, SV("transformers"));

	if (!value_is_list(list) || value_count(list) == 0 || objects->count == 0)
		return;
	struct diag *diag =
	    diag_report(k->sink, DIAG_KUSTOMIZE_PERHAPS, value_position(value_item(list, 0)),
	                "this transformer may change %.*s, and osm-gen does not run it",
	                SV_ARG(kube_object_describe(k->arena, &objects->items[0]->object)));
	diag_add_note(k->sink, diag, kube_object_position(&objects->items[0]->object),
	              "the manifest is here");
	add_author(k, diag, author);
}

/* ---- one kustomization ------------------------------------------------------------------- */

static void check_changes(struct kustomizer *k, const struct kustomization *by,
                          const struct kustomization *from, const struct kustomize_reach *reach)
{
	const struct kustomize_author author = {
	    .code = DIAG_KUSTOMIZE,
	    .who = "kustomize",
	    .folder = from ? from->folder : by->folder,
	    .base = by->folder,
	    .from = from,
	};

	kustomize_check_patches(k, &author, by->root, reach);
	kustomize_check_namespace(k, &author, value_map_get(by->root, SV("namespace")),
	                          &reach->objects);
	kustomize_check_names(k, &author, by->root, &reach->objects);
	check_all_metadata(k, &author, by->root, &reach->objects);
	check_replacements(k, &author, by->root, &reach->objects);
	check_transformers(k, &author, by->root, &reach->objects);
}

/* Checks components, recursively: they change the objects of the kustomization that uses them. */
static void check_components(struct kustomizer *k, const struct kustomization *from,
                             const struct kustomize_reach *reach)
{
	struct kustomizations pending = {0};
	struct set seen = set_in(k->scratch);

	VEC_PUSH(k->scratch, &pending, from);
	for (size_t next = 0; next < pending.count; next++) {
		const struct kustomization *user = pending.items[next];
		struct kustomize_walk walk = {.root = user->root,
		                              .of = KUSTOMIZE_COMPONENT_ENTRIES};
		const struct value *entry;

		while ((entry = kustomize_next_entry(&walk))) {
			sv path;

			if (!kustomize_charge(k, 1) || !value_is_string(entry) ||
			    !fleet_path_resolve(k->scratch, user->folder, entry->string, &path))
				continue;
			const struct kustomization *component = kustomize_find(k, path);
			if (!component || !set_add(&seen, component->folder))
				continue;
			VEC_PUSH(k->scratch, &pending, component);
			check_changes(k, component, from, reach);
		}
	}
}

void kustomize_check(struct kustomizer *k, const struct kustomization *from)
{
	struct kustomize_reach reach = {.seen = set_in(k->scratch)};

	kustomize_collect(k, from->folder, &reach);
	check_changes(k, from, NULL, &reach);
	check_components(k, from, &reach);
}
