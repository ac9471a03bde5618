/*
 * Compares the inputs of units that stay with those of the commit that the output was made from:
 * what no file of the output has, or has sealed.
 */
#include "run/clusters/clusters.h"
#include "run/summary/manifests.h"

VEC_TYPE(fields, struct report_field);

struct looking {
	const struct run_env *env;
	const struct run_facts *facts;
	struct run_manifests *manifests;
	struct dialect_differences defaults; /* settings of the Fleet that differ */
	struct map settings;                 /* struct settings by cluster */
};

/* The settings of a cluster that differ; all its rows have the same fields. */
struct settings {
	struct fields fields;
	/* The two values of managementCluster; empty if it does not differ. */
	sv management_before;
	sv management_after;
};

/* ---- replicas ---------------------------------------------------------------------------- */

/* Compares the number of machines in the manifest with that of the earlier commit. */
static void compare_replicas(const struct dialect *dialect, const struct kube_object *object,
                             struct report_unit *row)
{
	if (!dialect->replicas)
		return;
	int64_t before = dialect->replicas(object);
	int64_t after = row->replicas;
	if (before < 0 || after < 0 || before == after)
		return;
	row->in_manifest = (struct report_scale){
	    .changes = true,
	    .before = before,
	    .after = after,
	    .fewer = after < before ? before - after : 0,
	    .more = after > before ? after - before : 0,
	};
}

/* ---- settings ---------------------------------------------------------------------------- */

/* One setting has the name of a unit's field. */
static sv name_of_setting(struct arena *arena UNUSED, sv path)
{
	return sv_eq(path, SV("replicas")) ? SV("setting replicas") : path;
}

/* Returns the document of that kind and name in a manifest, or null. A Fleet may have any name. */
static const struct value *find_document(struct arena *arena, const struct run_manifest *manifest,
                                         sv kind, sv name)
{
	const struct kube_object *found =
	    map_get(&manifest->objects, run_object_key(arena, kind, SV("default"), name));

	for (size_t i = 0; sv_empty(name) && !found && i < manifest->objects.count; i++) {
		const struct kube_object *object = manifest->objects.entries[i].value;

		if (sv_eq(object->id.kind, kind))
			found = object;
	}
	return found ? found->root : NULL;
}

/* Adds the settings at a path of a document that differ. `at` is in its file. */
static void compare_settings(struct looking *l, struct position at, sv kind, sv name,
                             const char *path, struct dialect_differences *fields)
{
	struct arena *arena = l->manifests->arena;
	const struct dialect_comparison c = {.arena = arena, .name = name_of_setting, .to = fields};
	sv file = at.source ? at.source->path : SV("");

	if (sv_empty(file) || run_manifest_is_same(l->manifests, file))
		return;
	const struct value *before =
	    find_document(arena, run_manifest_before(l->manifests, file), kind, name);
	const struct value *now =
	    find_document(arena, run_manifest_now(l->manifests, file), kind, name);
	if (before && now)
		dialect_compare(&c, value_path(before, path), value_path(now, path));
}

/* A person does not read more of one unit. */
enum { FIELDS_MAX = 50 };

/* Adds a field, the first ones only. Its strings are copied out of the secret arena. */
static void keep(struct looking *l, struct fields *fields, const struct dialect_difference *from)
{
	struct arena *arena = l->env->arena;

	if (fields->count < FIELDS_MAX)
		VEC_PUSH(arena, fields,
		         (struct report_field){
		             .name = arena_dup(arena, from->name),
		             .before = arena_dup(arena, from->before),
		             .after = arena_dup(arena, from->after),
		             .refusal = from->refusal,
		         });
	else if (fields->count == FIELDS_MAX)
		VEC_PUSH(arena, fields, (struct report_field){.name = SV("more members changed")});
}

static void keep_setting(struct looking *l, struct settings *settings,
                         const struct dialect_difference *from)
{
	keep(l, &settings->fields, from);
	if (sv_eq(from->path, SV("managementCluster"))) {
		settings->management_before = from->before;
		settings->management_after = from->after;
	}
}

/* Returns the settings of a cluster that differ, those of the Fleet unless it has its own. */
static const struct settings *settings_of(struct looking *l, const struct fleet_cluster *cluster)
{
	struct settings *settings = map_get(&l->settings, cluster->name);
	struct dialect_differences own = {0};

	if (settings)
		return settings;
	settings = ARENA_NEW(l->manifests->arena, struct settings);
	*settings = (struct settings){0};
	map_put(&l->settings, cluster->name, settings);
	compare_settings(l, cluster->at, SV("Cluster"), cluster->name, "spec.settings", &own);
	VEC_EACH (field, &own)
		keep_setting(l, settings, field);
	VEC_EACH (field, &l->defaults) {
		sv setting = sv_slice(field->path, 0, sv_find_char(field->path, '.'));

		if (!value_map_get(cluster->settings, setting))
			keep_setting(l, settings, field);
	}
	return settings;
}

static sv management_name(sv setting)
{
	return sv_eq(setting, SV(FLEET_OWN_MANAGEMENT)) ? SV("itself") : setting;
}

/*
 * Notes another management cluster. With an applier the output itself has it; a setting that is
 * given for the first time moves nothing.
 */
static void note_management(struct looking *l, const struct fleet_cluster *cluster,
                            struct report_summary *summary)
{
	struct arena *arena = l->env->arena;
	const struct settings *settings = settings_of(l, cluster);
	sv applier;
	sv ignored;

	run_find_delivery(cluster, &applier, &ignored);
	if (!sv_empty(applier) || sv_empty(settings->management_before) ||
	    sv_empty(settings->management_after))
		return;
	VEC_PUSH(arena, &summary->deliveries,
	         ((struct report_delivery){
	             .cluster = cluster->name,
	             .kind = REPORT_DELIVERY_MOVED,
	             .before = arena_dup(arena, management_name(settings->management_before)),
	             .after = arena_dup(arena, management_name(settings->management_after)),
	             .is_of_history = true,
	         }));
}

/* ---- units ------------------------------------------------------------------------------- */

/* Appends the members of the template that differ to the row's fields. */
static void compare_templates(struct looking *l, const struct dialect *dialect,
                              const struct kube_object *before, const struct kube_object *now,
                              struct report_unit *row)
{
	struct dialect_differences differences = {0};
	struct fields fields = {0};

	dialect->template_changes(l->manifests->arena, before, now, &differences);
	if (differences.count == 0)
		return;
	for (size_t i = 0; i < row->setting_count; i++)
		VEC_PUSH(l->env->arena, &fields, row->input_fields[i]);
	VEC_EACH (field, &differences)
		keep(l, &fields, field);
	row->input_fields = fields.items;
	row->input_field_count = fields.count;
}

static void compare_unit(struct looking *l, const struct run_unit *unit, struct report_unit *row)
{
	struct arena *arena = l->manifests->arena;
	const struct dialect *dialect = unit->unit->unit->dialect;
	const struct kube_object *before =
	    run_find_object(arena, run_manifest_before(l->manifests, row->source), row);
	const struct kube_object *now =
	    run_find_object(arena, run_manifest_now(l->manifests, row->source), row);

	if (!before || !sv_eq(before->id.kind, row->kind))
		return;
	if (!run_has_machines(unit))
		compare_replicas(dialect, before, row);
	if (dialect->template_changes && now && sv_eq(now->id.kind, row->kind))
		compare_templates(l, dialect, before, now, row);
}

/* Looks only at files that differ: a large fleet has many manifests. */
void run_compare_inputs(const struct run_env *env, const struct run_facts *facts,
                        struct run_manifests *manifests, const size_t *places,
                        struct report_summary *summary)
{
	const struct fleet *fleet = &facts->inputs->fleet;
	struct looking l = {.env = env,
	                    .facts = facts,
	                    .manifests = manifests,
	                    .settings = map_in(manifests->arena)};

	if (!manifests->has_base)
		return;
	if (fleet->spec)
		compare_settings(&l, value_position(fleet->spec), SV("Fleet"), SV(""),
		                 "spec.defaults", &l.defaults);
	for (size_t i = 0; i < facts->plan->cluster_count; i++)
		if (run_is_reported(facts, facts->plan->clusters[i].fleet->name))
			note_management(&l, facts->plan->clusters[i].fleet, summary);
	for (size_t i = 0; i < facts->plan->unit_count; i++) {
		if (places[i] == SIZE_MAX)
			continue;
		struct report_unit *row = &summary->units.items[places[i]];
		if (row->class == REPORT_CLASS_ADD)
			continue;
		const struct settings *settings =
		    settings_of(&l, facts->plan->units[i].cluster->fleet);
		row->input_fields = settings->fields.items;
		row->input_field_count = row->setting_count = settings->fields.count;
		if (!sv_empty(row->source) && !run_manifest_is_same(manifests, row->source))
			compare_unit(&l, &facts->rendered->units[i], row);
	}
}
