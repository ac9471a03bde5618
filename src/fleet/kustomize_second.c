/*
 * Appliers of the folders of manifests whose units the output has (the setting machineDeployments):
 * two appliers would write one object. These are warnings, since osm-gen cannot know for sure that
 * an applier's source is this repository.
 */
#include "fleet/kustomize.h"

struct second {
	struct kustomizer *k;
	struct map written; /* const struct fleet_cluster * by the unit's object (key_of) */
};

struct applier {
	sv name; /* "Flux's Kustomization apps" */
	const struct value *path;
	sv source;
	bool is_flat;    /* only the files in the folder itself, if that has no kustomization */
	const char *how; /* what to do first, so that it deletes nothing */
};

/* Returns a key that no other object has. */
static sv key_of(struct arena *arena, const struct kube_object *object)
{
	return arena_printf(arena, "%p", (const void *)object);
}

static void add_written(struct second *s, const struct fleet_cluster *cluster)
{
	for (size_t i = 0; i < cluster->unit_count; i++) {
		const struct dialect_unit *unit = &cluster->units[i];
		const struct dialect *dialect = unit->dialect;

		if (dialect->roll &&
		    dialect->roll(fleet_view(cluster, dialect)->settings).is_possible)
			map_put(&s->written, key_of(s->k->arena, unit->object), (void *)cluster);
	}
}

/* Returns the cluster that has the object in its output, or null. */
static const struct fleet_cluster *cluster_of(const struct second *s,
                                              const struct fleet_object *object)
{
	return map_get(&s->written, key_of(s->k->scratch, &object->object));
}

static void report(const struct second *s, const struct applier *applier,
                   const struct kustomize_objects *objects)
{
	enum { SHOWN = 4 };
	const struct fleet_object *first = objects->items[0];
	struct sink *sink = s->k->sink;
	struct diag *diag = diag_report(sink, DIAG_MACHINES_APPLIER, value_position(applier->path),
	                                "%.*s applies %.*s, which is also in the output of cluster "
	                                "%.*s (machineDeployments: output)",
	                                SV_ARG(applier->name),
	                                SV_ARG(kube_object_describe(s->k->arena, &first->object)),
	                                SV_ARG(cluster_of(s, first)->name));

	for (size_t i = 0; i < objects->count && i < SHOWN; i++)
		diag_add_note(sink, diag, kube_object_position(&objects->items[i]->object),
		              i == 0 ? "the manifest is here" : "this one is applied, too");
	if (objects->count > SHOWN)
		diag_add_note(sink, diag, NOWHERE, "and %zu more", objects->count - SHOWN);
	diag_set_help(sink, diag,
	              "%s, then take the manifests out of it "
	              "(docs/howto/machine-deployments.md); if it applies another repository, name "
	              "its file in " FLEET_IGNORE_FILE,
	              applier->how);
}

static void check(const struct second *s, const struct applier *applier)
{
	struct kustomizer *k = s->k;
	struct kustomize_reach reach = {.seen = map_in(k->scratch)};
	struct kustomize_objects found = {0};
	sv path = value_text(applier->path);
	sv folder;

	if (!kustomize_charge(k, 1) || !kustomize_find_folder(k, path, applier->source, &folder))
		return;
	kustomize_collect_applied(k, folder, &reach);
	bool is_flat = applier->is_flat && !kustomize_find(k, folder);
	VEC_EACH (object, &reach.objects) {
		if (cluster_of(s, *object) &&
		    (!is_flat || sv_eq(os_folder_of((*object)->file->path), folder)))
			VEC_PUSH(k->scratch, &found, *object);
	}
	if (found.count > 0)
		report(s, applier, &found);
}

static bool is_true(const struct value *v)
{
	return v && v->type->kind == KIND_BOOL && v->boolean;
}

static sv named(const struct second *s, const char *what, const struct value *root)
{
	return ARENA_CONCAT(s->k->arena, sv_from_cstr(what), SV(" "),
	                    value_text(value_path(root, "metadata.name")));
}

static void check_flux(const struct second *s, const struct value *root)
{
	const struct value *spec = value_map_get(root, SV("spec"));
	const struct value *suspend = value_map_get(spec, SV("suspend"));
	sv kind = value_text(value_path(spec, "sourceRef.kind"));

	/*
	 * Skip other kinds of sources, which have no repository, and suspended objects, which apply
	 * nothing.
	 */
	if ((!sv_empty(kind) && !sv_eq(kind, SV("GitRepository"))) || is_true(suspend))
		return;
	check(s, &(struct applier){
	             .name = named(s, "Flux's Kustomization", root),
	             .path = value_map_get(spec, SV("path")),
	             .source = value_text(value_path(spec, "sourceRef.name")),
	             .how = "set prune: false there, or it deletes them with their machines",
	         });
}

static void check_source(const struct second *s, const struct value *root,
                         const struct value *source)
{
	const struct value *recurse = value_path(source, "directory.recurse");

	check(s,
	      &(struct applier){
	          .name = ARENA_CONCAT(
	              s->k->arena, SV("Argo CD's "),
	              named(s, arena_cstr(s->k->arena, value_text(value_map_get(root, SV("kind")))),
	                    root)),
	          .path = value_map_get(source, SV("path")),
	          .is_flat = !is_true(recurse),
	          .how = "switch automated pruning off there",
	      });
}

static void check_argocd(const struct second *s, const struct value *root)
{
	bool is_set = sv_eq(value_text(value_map_get(root, SV("kind"))), SV("ApplicationSet"));
	const struct value *spec = value_path(root, is_set ? "spec.template.spec" : "spec");
	const struct value *sources = value_map_get(spec, SV("sources"));

	check_source(s, root, value_map_get(spec, SV("source")));
	for (size_t i = 0; value_is_list(sources) && i < value_count(sources); i++)
		check_source(s, root, value_item(sources, i));
}

void kustomize_check_second_appliers(struct kustomizer *k, const struct fleet *fleet)
{
	struct second s = {k, map_in(k->arena)};

	for (size_t i = 0; i < fleet->cluster_count; i++)
		add_written(&s, &fleet->clusters[i]);
	for (size_t i = 0; s.written.count > 0 && i < k->files->count; i++) {
		VEC_EACH (root, &k->files->items[i]->appliers)
			check_flux(&s, *root);
		VEC_EACH (root, &k->files->items[i]->applications)
			check_argocd(&s, *root);
		kustomize_end(k);
	}
}
