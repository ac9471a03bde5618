/*
 * Appliers of the folders of manifests whose units the output has (the setting machineDeployments):
 * two appliers would write one object. These are warnings, since osm-gen cannot know for sure that
 * an applier's source is this repository.
 */
#include "fleet/kustomize.h"

struct second {
	struct kustomizer *k;
	struct map written; /* const struct fleet_cluster * by the unit's object (object_key) */
};

/* Returns a key that no other object has. */
static sv object_key(struct arena *arena, const struct kube_object *object)
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
			map_put(&s->written, object_key(s->k->arena, unit->object),
			        (void *)cluster);
	}
}

/* Returns the cluster that has the object in its output, or null. */
static const struct fleet_cluster *cluster_of(const struct second *s,
                                              const struct fleet_object *object)
{
	return map_get(&s->written, object_key(s->k->scratch, &object->object));
}

static void report_second(const struct second *s, const struct kustomize_applier *applier,
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

static void check(void *context, const struct kustomize_applier *applier)
{
	const struct second *s = context;
	struct kustomizer *k = s->k;
	struct kustomize_reach reach = {.seen = set_in(k->scratch)};
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
		report_second(s, applier, &found);
}

/* ---- appliers ---------------------------------------------------------------------------- */

struct visitor {
	struct kustomizer *k;
	kustomize_visit_applier *visit;
	void *context;
};

static bool is_true(const struct value *v)
{
	return v && v->type->kind == KIND_BOOL && v->boolean;
}

static sv named(const struct visitor *v, const char *what, const struct value *root)
{
	return ARENA_CONCAT(v->k->arena, sv_from_cstr(what), SV(" "),
	                    value_text(value_path(root, "metadata.name")));
}

static void visit_flux(const struct visitor *v, const struct value *root)
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
	v->visit(v->context,
	         &(struct kustomize_applier){
	             .name = named(v, "Flux's Kustomization", root),
	             .path = value_map_get(spec, SV("path")),
	             .source = value_text(value_path(spec, "sourceRef.name")),
	             .decrypts = !value_is_null(value_map_get(spec, SV("decryption"))),
	             .is_flux = true,
	             .how = "set prune: false there, or it deletes them with their machines",
	         });
}

static void visit_source(const struct visitor *v, const struct value *root,
                         const struct value *source)
{
	const struct value *folder = value_map_get(source, SV("directory"));
	sv kind = value_text(value_map_get(root, SV("kind")));

	v->visit(v->context,
	         &(struct kustomize_applier){
	             .name = ARENA_CONCAT(v->k->arena, SV("Argo CD's "),
	                                  named(v, arena_cstr(v->k->arena, kind), root)),
	             .path = value_map_get(source, SV("path")),
	             .is_flat = !is_true(value_map_get(folder, SV("recurse"))),
	             .is_selected = !sv_empty(value_text(value_map_get(folder, SV("include")))) ||
	                            !sv_empty(value_text(value_map_get(folder, SV("exclude")))),
	             .how = "switch automated pruning off there",
	         });
}

static void visit_argocd(const struct visitor *v, const struct value *root)
{
	bool is_set = sv_eq(value_text(value_map_get(root, SV("kind"))), SV("ApplicationSet"));
	const struct value *spec = value_path(root, is_set ? "spec.template.spec" : "spec");
	const struct value *sources = value_map_get(spec, SV("sources"));

	visit_source(v, root, value_map_get(spec, SV("source")));
	for (size_t i = 0; value_is_list(sources) && i < value_count(sources); i++)
		visit_source(v, root, value_item(sources, i));
}

void kustomize_each_applier(struct kustomizer *k, kustomize_visit_applier *visit, void *context)
{
	const struct visitor v = {k, visit, context};

	for (size_t i = 0; i < k->files->count; i++) {
		VEC_EACH (root, &k->files->items[i]->appliers)
			visit_flux(&v, *root);
		VEC_EACH (root, &k->files->items[i]->applications)
			visit_argocd(&v, *root);
		kustomize_end(k);
	}
}

void kustomize_check_second_appliers(struct kustomizer *k, const struct fleet *fleet)
{
	struct second s = {k, map_in(k->arena)};

	for (size_t i = 0; i < fleet->cluster_count; i++)
		add_written(&s, &fleet->clusters[i]);
	if (s.written.count > 0)
		kustomize_each_applier(k, check, &s);
}
