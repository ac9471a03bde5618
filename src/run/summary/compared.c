/*
 * Compares the inputs of units that stay with those of the commit that the output was made from:
 * what no file of the output has, or has sealed.
 */
#include "run/summary/compared.h"
#include "run/clusters/clusters.h"

struct looking {
	const struct run_env *env;
	const struct run_facts *facts;
	struct run_manifests *manifests;
	struct map settings; /* struct dialect_differences by cluster */
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

/* Returns true if the output has the unit's MachineDeployments. */
static bool is_written(const struct run_unit *unit)
{
	VEC_EACH (file, &unit->files)
		if (sv_eq(file->object.kind, SV("MachineDeployment")) && !file->patch_of)
			return true;
	return false;
}

/* ---- settings ---------------------------------------------------------------------------- */

/* One setting has the name of a unit's field. */
static sv name_of_setting(struct arena *arena UNUSED, sv path)
{
	return sv_eq(path, SV("replicas")) ? SV("setting replicas") : path;
}

/* Returns the document of that kind in a manifest, or null. */
static const struct value *find_document(const struct run_manifest *manifest, sv kind, sv name)
{
	for (size_t i = 0; i < manifest->objects.count; i++) {
		const struct kube_object *object = manifest->objects.entries[i].value;

		if (sv_eq(object->id.kind, kind) &&
		    (sv_empty(name) || sv_eq(object->id.name, name)))
			return object->root;
	}
	return NULL;
}

/* Adds the settings at a path of a document that differ. `at` is in its file. */
static void compare_settings(struct looking *l, struct position at, const char *kind, sv name,
                             const char *path, struct dialect_differences *fields)
{
	const struct dialect_comparison c = {
	    .arena = l->manifests->arena, .name = name_of_setting, .to = fields};
	sv file = at.source ? at.source->path : SV("");

	if (sv_empty(file) || run_manifest_is_same(l->manifests, file))
		return;
	const struct value *before =
	    find_document(run_manifest_before(l->manifests, file), sv_from_cstr(kind), name);
	const struct value *now =
	    find_document(run_manifest_now(l->manifests, file), sv_from_cstr(kind), name);
	if (before && now)
		dialect_compare(&c, value_path(before, path), value_path(now, path));
}

/* Returns the settings of a cluster that differ, those of the Fleet unless it has its own. */
static const struct dialect_differences *settings_of(struct looking *l,
                                                     const struct fleet_cluster *cluster)
{
	const struct fleet *fleet = &l->facts->inputs->fleet;
	struct dialect_differences *settings = map_get(&l->settings, cluster->name);
	struct dialect_differences shared = {0};

	if (settings)
		return settings;
	settings = ARENA_NEW(l->manifests->arena, struct dialect_differences);
	*settings = (struct dialect_differences){0};
	map_put(&l->settings, cluster->name, settings);
	compare_settings(l, cluster->at, "Cluster", cluster->name, "spec.settings", settings);
	compare_settings(l, fleet->spec ? value_position(fleet->spec) : NOWHERE, "Fleet", SV(""),
	                 "spec.defaults", &shared);
	VEC_EACH (field, &shared) {
		sv setting = sv_slice(field->path, 0, sv_find_char(field->path, '.'));

		if (!value_map_get(cluster->settings, setting))
			VEC_PUSH(l->manifests->arena, settings, *field);
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
	sv applier;
	sv ignored;

	run_find_delivery(cluster, &applier, &ignored);
	if (!sv_empty(applier))
		return;
	VEC_EACH (field, settings_of(l, cluster)) {
		if (!sv_eq(field->path, SV("managementCluster")) || sv_empty(field->before) ||
		    sv_empty(field->after))
			continue;
		const struct report_delivery moved = {
		    .cluster = cluster->name,
		    .kind = REPORT_DELIVERY_MOVED,
		    .before = arena_dup(l->env->arena, management_name(field->before)),
		    .after = arena_dup(l->env->arena, management_name(field->after)),
		    .is_of_history = true,
		};
		VEC_PUSH(l->env->arena, &summary->deliveries, moved);
	}
}

/* ---- units ------------------------------------------------------------------------------- */

/* A person does not read more of one unit. */
enum { FIELDS_MAX = 50 };

/* Adds fields to the row's, the first ones only. */
static void keep(struct looking *l, const struct dialect_differences *fields,
                 struct report_unit *row)
{
	struct arena *arena = l->env->arena;
	size_t count = row->input_field_count;

	if (fields->count == 0 || count > FIELDS_MAX)
		return;
	struct report_field *kept = ARENA_ARRAY(arena, struct report_field, count + fields->count);
	for (size_t i = 0; i < count; i++)
		kept[i] = row->input_fields[i];
	for (size_t i = 0; i < fields->count && count <= FIELDS_MAX; i++) {
		const struct dialect_difference *field = &fields->items[i];

		kept[count++] = (struct report_field){
		    .name = arena_dup(arena, field->name),
		    .before = arena_dup(arena, field->before),
		    .after = arena_dup(arena, field->after),
		};
	}
	if (count > FIELDS_MAX)
		kept[FIELDS_MAX] = (struct report_field){.name = SV("more members changed")};
	row->input_fields = kept;
	row->input_field_count = count;
}

static void compare_unit(struct looking *l, const struct run_unit *unit, struct report_unit *row)
{
	struct arena *arena = l->manifests->arena;
	const struct dialect *dialect = run_dialect_of(row->kind);
	const struct kube_object *before =
	    run_find_object(arena, run_manifest_before(l->manifests, row->source), row);
	const struct kube_object *now =
	    run_find_object(arena, run_manifest_now(l->manifests, row->source), row);
	struct dialect_differences fields = {0};

	if (!dialect || !before || !sv_eq(before->id.kind, row->kind))
		return;
	if (!is_written(unit))
		compare_replicas(dialect, before, row);
	if (!dialect->template_changes || !now || !sv_eq(now->id.kind, row->kind))
		return;
	dialect->template_changes(arena, before, now, &fields);
	keep(l, &fields, row);
}

/* Looks only at files that differ: a large fleet has many manifests. */
void run_compare_inputs(const struct run_env *env, const struct run_facts *facts,
                        struct run_manifests *manifests, const size_t *places,
                        struct report_summary *summary)
{
	struct looking looking = {env, facts, manifests, map_in(manifests->arena)};
	struct looking *l = &looking;

	if (!manifests->has_base)
		return;
	for (size_t i = 0; i < facts->plan->cluster_count; i++)
		if (run_is_reported(facts, facts->plan->clusters[i].fleet->name))
			note_management(l, facts->plan->clusters[i].fleet, summary);
	for (size_t i = 0; i < facts->plan->unit_count; i++) {
		if (places[i] == SIZE_MAX)
			continue;
		struct report_unit *row = &summary->units.items[places[i]];
		if (row->class == REPORT_CLASS_ADD)
			continue;
		keep(l, settings_of(l, facts->plan->units[i].cluster->fleet), row);
		row->setting_count = row->input_field_count;
		if (!sv_empty(row->source) && !run_manifest_is_same(manifests, row->source))
			compare_unit(l, &facts->rendered->units[i], row);
	}
}
