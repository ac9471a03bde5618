/*
 * Finds why units of the previous output are gone, and how many machines they had. Both are in the
 * manifests: of the source commit, and of the commit that the output was made from. The machines of
 * an OperatingSystemConfig are in MachineDeployments of the previous output.
 */
#include "fleet/fleet.h"
#include "run/summary/manifests.h"

/* The MachineDeployments that the previous output had of one unit. */
VEC_TYPE(written, const struct tree_file *);

struct finder {
	const struct run_env *env;
	const struct run_facts *facts;
	struct report_summary *summary;
	struct arena *arena;
	struct run_manifests *manifests;
	struct map sources; /* sv * by plan_unit_key: the manifest of each unit of the output */
	struct map written; /* struct written * by the same key */
	struct map added;   /* const struct report_unit * by source, of added units */
	struct map moved;   /* the same by run_object_key */
};

/* ---- why a unit is gone ------------------------------------------------------------------ */

/* Returns the kind of that name which osm-gen reads, or null. */
static const struct dialect_kind *known_kind(sv name)
{
	struct dialect_kind_walk walk = {0};
	const struct dialect_kind *kind;

	while ((kind = dialect_next_kind(&walk)))
		if (sv_eq(kind->kind, name))
			return kind;
	return NULL;
}

static sv describe_object(struct finder *f, const struct report_unit *row,
                          const struct kube_object *object, struct position *ret_at)
{
	const struct dialect_kind *kind = known_kind(row->kind);
	const struct value *deleted = value_path(object->root, "metadata.deletionTimestamp");
	const struct value *kind_at = value_map_get(object->root, SV("kind"));
	const struct value *version_at = value_map_get(object->root, SV("apiVersion"));
	sv wanted = kind ? ARENA_CONCAT(f->arena, kind->group, SV("/"), kind->version) : (sv){0};

	if (!sv_eq(object->id.kind, row->kind)) {
		*ret_at = value_position(kind_at ? kind_at : object->root);
		return arena_printf(f->env->arena, "its kind is \"%.*s\" now, not %.*s",
		                    SV_ARG(object->id.kind), SV_ARG(row->kind));
	}
	if (kind && !sv_eq(object->id.api_version, wanted)) {
		*ret_at = value_position(version_at ? version_at : object->root);
		return arena_printf(f->env->arena, "its apiVersion is \"%.*s\" now, not %.*s",
		                    SV_ARG(object->id.api_version), SV_ARG(wanted));
	}
	if (!value_is_null(deleted)) {
		*ret_at = value_position(deleted);
		return SV("it has a metadata.deletionTimestamp");
	}
	return (sv){0};
}

/* Returns the other cluster that has the unit now, or an empty string. */
static sv new_cluster(const struct finder *f, const struct report_unit *row)
{
	const struct report_unit *found =
	    map_get(&f->moved, run_object_key(f->arena, row->kind, row->namespace, row->name));

	return found ? found->cluster : (sv){0};
}

/* Returns the reason without the unit's next place; sets where it is. */
static sv find_reason(struct finder *f, const struct report_unit *row, struct position *ret_at)
{
	struct arena *arena = f->env->arena;
	struct fleet_filter *filter = f->facts->inputs->filter;
	const struct run_manifest *manifest = run_manifest_now(f->manifests, row->source);
	const struct kube_object *object = run_find_object(f->arena, manifest, row);

	if (!manifest->exists)
		return ARENA_CONCAT(arena, row->source, SV(" was deleted"));
	if (filter && (fleet_filter_ignores(filter, row->source) ||
	               fleet_filter_ignores_folder(filter, row->source)))
		return ARENA_CONCAT(arena, SV(FLEET_IGNORE_FILE), SV(" excludes "), row->source);
	if (!object)
		return ARENA_CONCAT(arena, row->source, SV(" no longer has it"));
	sv what = describe_object(f, row, object, ret_at);
	if (sv_empty(what))
		return what;
	return ARENA_CONCAT(arena, report_place(arena, *ret_at), SV(": "), what);
}

static void explain(struct finder *f, struct report_unit *row)
{
	struct arena *arena = f->env->arena;
	sv cluster = new_cluster(f, row);
	struct position at = NOWHERE;
	sv reason = find_reason(f, row, &at);
	const struct report_unit *added = map_get(&f->added, row->source);

	/* The text of a manifest is not shown in reports. */
	if (at.source)
		row->at = (struct position){source_new(arena, row->source, at.source->text, true),
		                            at.offset, at.length};
	if (!sv_empty(cluster))
		reason = ARENA_CONCAT(arena, reason, sv_empty(reason) ? SV("") : SV("; "),
		                      SV("cluster "), cluster, SV(" has it now"));
	else if (added && sv_eq(added->cluster, row->cluster))
		reason = ARENA_CONCAT(arena, reason, sv_empty(reason) ? SV("") : SV("; "),
		                      added->namespace, SV("/"), added->name,
		                      SV(" is new in that file"));
	row->reason = reason;
}

/* Returns the dialect that reads the kind, or null. */
static const struct dialect *dialect_of(sv kind)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < all[i]->kind_count; j++)
			if (sv_eq(all[i]->kinds[j].kind, kind))
				return all[i];
	return NULL;
}

/* Returns the machines of a unit's MachineDeployments in the previous output. */
static int64_t count_written(struct finder *f, const struct report_unit *row)
{
	const struct plan_previous_cluster of = {f->facts->previous, row->cluster};
	const struct dialect_previous previous = plan_previous_objects(&of);
	const struct tree_unit unit = {
	    .kind = row->kind, .namespace = row->namespace, .name = row->name};
	const struct written *written =
	    map_get(&f->written, plan_unit_key(f->arena, row->cluster, &unit));
	struct sink ignored = sink_in(f->arena);
	int64_t machines = 0;

	if (!written)
		return REPORT_REPLICAS_UNKNOWN;
	VEC_EACH (file, written) {
		struct value object;

		if (previous.find(f->arena, &ignored, previous.context, ARTIFACT_MANAGEMENT,
		                  &(*file)->object, &object) != STATUS_OK)
			return REPORT_REPLICAS_UNKNOWN;
		int64_t replicas = kube_replicas(&object);
		if (replicas < 0)
			return REPORT_REPLICAS_UNKNOWN;
		machines += replicas;
	}
	return machines;
}

static void count_machines(struct finder *f, struct report_unit *row)
{
	const struct kube_object *object =
	    run_find_object(f->arena, run_manifest_before(f->manifests, row->source), row);
	const struct dialect *dialect = dialect_of(row->kind);

	if (dialect && dialect->replicas && object) {
		int64_t replicas = dialect->replicas(object);
		row->replicas = replicas < 0 ? REPORT_REPLICAS_UNKNOWN : replicas;
	} else if (dialect && !dialect->replicas) {
		row->replicas = count_written(f, row);
		if (row->departure != REPORT_STAYS)
			row->departure = REPORT_CONFIG;
	}
}

/* ---- the whole --------------------------------------------------------------------------- */

static void add_written(struct finder *f, sv key, const struct tree_file *file)
{
	struct written *written = map_get(&f->written, key);

	if (!written) {
		written = ARENA_NEW(f->arena, struct written);
		*written = (struct written){0};
		map_put(&f->written, key, written);
	}
	VEC_PUSH(f->arena, written, file);
}

static void list_sources(struct finder *f)
{
	const struct map *indexes = &f->facts->previous->indexes;

	for (size_t i = 0; i < indexes->count; i++) {
		const struct tree_index *index = indexes->entries[i].value;

		for (size_t j = 0; j < index->file_count; j++) {
			const struct tree_file *file = &index->files[j];

			if (!file->unit)
				continue;
			sv key = plan_unit_key(f->arena, indexes->entries[i].key, file->unit);
			if (!sv_empty(file->source))
				map_put(&f->sources, key, (void *)file);
			if (sv_eq(file->object.kind, SV("MachineDeployment")) && !file->patch_of)
				add_written(f, key, file);
		}
	}
}

/* Sets what the previous index states of a unit. */
static void set_from_index(const struct finder *f, struct report_unit *row)
{
	const struct tree_unit unit = {
	    .kind = row->kind, .namespace = row->namespace, .name = row->name};
	sv key = plan_unit_key(f->arena, row->cluster, &unit);
	const struct tree_file *file = map_get(&f->sources, key);

	row->source = file ? file->source : (sv){0};
	if (map_get(&f->written, key))
		row->departure = REPORT_STAYS;
}

static void note_added(struct finder *f, struct report_unit *row)
{
	sv key = run_object_key(f->arena, row->kind, row->namespace, row->name);

	if (!sv_empty(row->source))
		map_put(&f->added, row->source, row);
	if (!map_get(&f->moved, key))
		map_put(&f->moved, key, row);
}

void run_explain_removed(const struct run_env *env, const struct run_facts *facts,
                         struct run_manifests *manifests, struct report_summary *summary)
{
	struct arena *secret = env->secret_arena;
	struct finder f = {
	    .env = env,
	    .facts = facts,
	    .summary = summary,
	    .arena = secret,
	    .manifests = manifests,
	    .sources = map_in(secret),
	    .written = map_in(secret),
	    .added = map_in(secret),
	    .moved = map_in(secret),
	};

	if (report_count_class(summary, REPORT_CLASS_REMOVE).units == 0)
		return;
	list_sources(&f);
	VEC_EACH (row, &summary->units)
		if (row->class == REPORT_CLASS_ADD)
			note_added(&f, row);
	VEC_EACH (row, &summary->units) {
		if (row->class != REPORT_CLASS_REMOVE)
			continue;
		set_from_index(&f, row);
		if (sv_empty(row->source))
			continue;
		explain(&f, row);
		count_machines(&f, row);
	}
}
