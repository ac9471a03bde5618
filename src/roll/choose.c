/*
 * Chooses MachineDeployments of a fleet, and marks those of each file together.
 */
#include "roll/roll.h"

#include "os/os.h"

enum { FILE_MAX_BYTES = 64 * 1024 * 1024 };

struct chooser {
	struct arena *arena;
	struct sink *sink;
	const struct fleet *fleet;
	const struct roll_choice *choice;
	bool *is_met; /* for each name of the choice */
	struct roll_targets *targets;
};

/* ---- the choice ---------------------------------------------------------------------------- */

static sv target_name(struct arena *arena, const struct kube_id *id)
{
	return ARENA_CONCAT(arena, id->namespace, SV("/"), id->name);
}

static bool is_named(struct chooser *c, const struct fleet_cluster *cluster,
                     const struct kube_id *id)
{
	sv name = target_name(c->arena, id);
	sv full = ARENA_CONCAT(c->arena, cluster->name, SV("/"), name);
	bool found = c->choice->name_count == 0;

	for (size_t i = 0; i < c->choice->name_count; i++) {
		sv given = c->choice->names[i];

		if (sv_eq(given, name) || sv_eq(given, full))
			found = c->is_met[i] = true;
	}
	return found;
}

static void choose_unit(struct chooser *c, const struct fleet_cluster *cluster,
                        const struct dialect_unit *unit)
{
	const struct kube_object *object = unit->object;
	const struct dialect *dialect = unit->dialect;
	sv profile = unit->definition ? unit->definition->name : SV("");

	if (!sv_eq(object->id.kind, SV("MachineDeployment")) ||
	    (!sv_empty(c->choice->profile) && !sv_eq(c->choice->profile, profile)) ||
	    !is_named(c, cluster, &object->id))
		return;
	struct roll_target target = {
	    .cluster = cluster->name,
	    .namespace = object->id.namespace,
	    .name = object->id.name,
	    .path = object->source->path,
	    .at = kube_object_position(object),
	    .replicas = dialect->replicas ? dialect->replicas(object) : -1,
	    .made_by = value_text(value_map_get(cluster->spec, SV("kustomize"))),
	};
	VEC_PUSH(c->arena, c->targets, target);
}

/* Returns the names of all MachineDeployments, as NAMESPACE/NAME and CLUSTER/NAMESPACE/NAME. */
static struct diag_names all_names(const struct chooser *c)
{
	VEC(sv) names = {0};

	for (size_t i = 0; i < c->fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &c->fleet->clusters[i];

		for (size_t j = 0; j < cluster->unit_count; j++) {
			sv name = target_name(c->arena, &cluster->units[j].object->id);

			VEC_PUSH(c->arena, &names, name);
			VEC_PUSH(c->arena, &names,
			         ARENA_CONCAT(c->arena, cluster->name, SV("/"), name));
		}
	}
	return (struct diag_names){names.items, names.count};
}

static struct diag_names all_profiles(const struct chooser *c)
{
	VEC(sv) names = {0};

	for (size_t i = 0; i < c->fleet->cluster_count; i++)
		for (size_t j = 0; j < c->fleet->clusters[i].unit_count; j++) {
			const struct dialect_unit *unit = &c->fleet->clusters[i].units[j];

			if (unit->definition)
				VEC_PUSH(c->arena, &names, unit->definition->name);
		}
	return (struct diag_names){names.items, names.count};
}

#define LIST_HELP "`osm-gen list` shows them, with their profiles"

static void report_no_unit(struct chooser *c, sv given)
{
	struct diag_names names = all_names(c);
	struct diag *diag = diag_report(c->sink, DIAG_USAGE, NOWHERE,
	                                "no MachineDeployment \"%.*s\" is chosen", SV_ARG(given));

	if (sv_eq(diag_nearest(given, names.items, names.count), given))
		diag_set_help(c->sink, diag, "--cluster or --profile leaves it out");
	else
		diag_help_meant(c->sink, diag, diag_nearest_path(given, names.items, names.count),
		                LIST_HELP);
}

static void report_nothing(struct chooser *c)
{
	sv profile = c->choice->profile;
	struct diag *diag;

	if (sv_empty(profile)) {
		diag_report(c->sink, DIAG_USAGE, NOWHERE, "cluster %.*s has no MachineDeployment",
		            SV_ARG(c->choice->cluster));
		return;
	}
	diag = diag_report(c->sink, DIAG_USAGE, NOWHERE,
	                   "no MachineDeployment has profile \"%.*s\"", SV_ARG(profile));
	diag_help_nearest(c->sink, diag, profile, all_profiles(c), LIST_HELP);
}

static enum status choose(struct chooser *c)
{
	bool is_known = sv_empty(c->choice->cluster);
	enum status status = STATUS_OK;

	for (size_t i = 0; i < c->fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &c->fleet->clusters[i];

		if (!sv_empty(c->choice->cluster) && !sv_eq(c->choice->cluster, cluster->name))
			continue;
		is_known = true;
		for (size_t j = 0; j < cluster->unit_count; j++)
			choose_unit(c, cluster, &cluster->units[j]);
	}
	if (!is_known) {
		fleet_report_no_cluster(c->sink, c->choice->cluster,
		                        fleet_cluster_names(c->arena, c->fleet),
		                        "`osm-gen list` shows the clusters");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < c->choice->name_count; i++) {
		if (c->is_met[i])
			continue;
		report_no_unit(c, c->choice->names[i]);
		status = STATUS_FAILED;
	}
	if (status == STATUS_OK && c->targets->count == 0) {
		report_nothing(c);
		status = STATUS_FAILED;
	}
	return status;
}

static int compare_paths(const void *a, const void *b, void *context UNUSED)
{
	return sv_cmp(((const struct roll_target *)a)->path, ((const struct roll_target *)b)->path);
}

enum status roll_choose(struct arena *arena, struct sink *sink, const struct fleet *fleet,
                        const struct roll_choice *choice, struct roll_targets *ret_targets)
{
	struct roll_targets targets = {0};
	struct chooser c = {
	    .arena = arena,
	    .sink = sink,
	    .fleet = fleet,
	    .choice = choice,
	    .is_met = ARENA_ARRAY(arena, bool, choice->name_count),
	    .targets = &targets,
	};

	if (choose(&c) != STATUS_OK)
		return STATUS_FAILED;
	sort_stable(targets.items, targets.count, sizeof(*targets.items), compare_paths, NULL);
	*ret_targets = targets;
	return STATUS_OK;
}

/* ---- the files ----------------------------------------------------------------------------- */

enum status roll_mark_files(struct arena *arena, struct sink *sink, sv work_tree,
                            struct roll_targets *targets, struct roll_files *ret_files)
{
	struct roll_files files = {0};
	enum status status = STATUS_OK;

	for (size_t i = 0, end; i < targets->count; i = end) {
		struct roll_target *first = &targets->items[i];
		struct roll_file file = {.path = os_join(arena, work_tree, first->path)};
		sv text;

		for (end = i + 1; end < targets->count; end++)
			if (!sv_eq(targets->items[end].path, first->path))
				break;
		if (os_read_named(arena, sink, work_tree, file.path, FILE_MAX_BYTES, &text) !=
		        STATUS_OK ||
		    roll_mark(arena, sink, text, first, end - i, &file.text) != STATUS_OK)
			status = STATUS_FAILED;
		else
			VEC_PUSH(arena, &files, file);
	}
	*ret_files = files;
	return status;
}
