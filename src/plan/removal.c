/*
 * Guards against removing much by mistake. A wrong line in .osm-gen-ignore, a moved folder or a
 * renamed Cluster looks as if many units were deleted, and Flux or Argo CD would remove their
 * machines.
 */
#include "plan/plan.h"

enum { NAMED = 20 };

/* The units of a cluster that would be removed. */
struct cluster_loss {
	sv name;
	size_t before; /* units in the output */
	size_t gone;   /* those of them that the inputs no longer have */
	bool stays;    /* the fleet has the cluster */
	bool is_empty; /* it no longer has units */
	bool is_old;   /* its index knows no units */
};

struct losses {
	struct arena *arena;
	const struct plan_removal *request;
	struct map by_cluster; /* struct cluster_loss * */
	VEC(struct cluster_loss *) clusters;
	VEC(const struct previous_unit *) gone;
	size_t before;
};

static struct cluster_loss *loss_of(struct losses *losses, sv name)
{
	struct cluster_loss *loss = map_get(&losses->by_cluster, name);

	if (loss)
		return loss;
	const struct plan_cluster *cluster = plan_find_cluster(losses->request->plan, name);
	loss = ARENA_NEW(losses->arena, struct cluster_loss);
	*loss = (struct cluster_loss){
	    .name = name,
	    .stays = cluster != NULL,
	    .is_empty = !cluster || cluster->fleet->unit_count == 0,
	};
	map_put(&losses->by_cluster, name, loss);
	VEC_PUSH(losses->arena, &losses->clusters, loss);
	return loss;
}

/* COMPAT: an index of format 1 names objects, not units: where it has any there were units. */
static void add_old(struct losses *losses, sv cluster, const struct tree_index *index)
{
	bool has_objects = false;

	for (size_t i = 0; i < index->file_count; i++)
		has_objects |= !sv_empty(index->files[i].object.kind);
	if (index->format == 1 && has_objects)
		loss_of(losses, cluster)->is_old = true;
}

static struct losses find_losses(struct arena *arena, const struct plan_removal *request)
{
	const struct plan *plan = request->plan;
	struct losses losses = {.arena = arena, .request = request, .by_cluster = map_in(arena)};
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct set there = set_in(scratch);

	for (size_t i = 0; i < plan->unit_count; i++) {
		const struct tree_unit id = plan_tree_unit(plan->units[i].unit);

		set_add(&there, plan_unit_key(scratch, plan->units[i].cluster->fleet->name, &id));
	}
	for (size_t i = 0; i < request->previous->indexes.count; i++)
		add_old(&losses, request->previous->indexes.entries[i].key,
		        request->previous->indexes.entries[i].value);
	for (size_t i = 0; i < request->previous->units.count; i++) {
		const struct map_entry *entry = &request->previous->units.entries[i];
		const struct previous_unit *unit = entry->value;
		struct cluster_loss *loss = loss_of(&losses, unit->cluster);

		loss->before++;
		losses.before++;
		if (set_has(&there, entry->key))
			continue;
		loss->gone++;
		VEC_PUSH(arena, &losses.gone, unit);
	}
	return losses;
}

/* Returns true if a cluster that had units has none left. */
static bool is_whole(const struct cluster_loss *loss)
{
	return loss->is_empty && (loss->before > 0 || loss->is_old);
}

static bool is_much(const struct losses *losses)
{
	const struct fleet_removal_guard *guard = &losses->request->plan->fleet->removal_guard;
	size_t gone = losses->gone.count;

	VEC_EACH (loss, &losses->clusters)
		if (is_whole(*loss))
			return true;
	return gone > 0 && gone >= guard->least &&
	       (double)gone * 100 >= (double)losses->before * (double)guard->percent;
}

static sv count_units(const struct losses *losses, size_t count)
{
	sv kind = plan_unit_kind(losses->request->plan);

	return arena_printf(losses->arena, "%zu %.*s%s", count, SV_ARG(kind),
	                    count == 1 ? "" : "s");
}

static void add_loss_notes(struct sink *sink, const struct losses *losses, struct diag *diag)
{
	size_t left = NAMED;

	VEC_EACH (item, &losses->clusters) {
		const struct cluster_loss *loss = *item;

		if (!is_whole(loss))
			continue;
		sv what = loss->before ? count_units(losses, loss->before) : SV("all that it has");
		diag_add_note(sink, diag, NOWHERE,
		              loss->stays ? "cluster %.*s stays and has nothing left: %.*s"
		                          : "cluster %.*s goes as a whole: %.*s",
		              SV_ARG(loss->name), SV_ARG(what));
	}
	VEC_EACH (item, &losses->gone) {
		const struct previous_unit *unit = *item;

		if (left-- == 0) {
			diag_add_note(sink, diag, NOWHERE, "and %zu more",
			              losses->gone.count - NAMED);
			break;
		}
		diag_add_note(sink, diag, NOWHERE, "%.*s/%.*s/%.*s goes", SV_ARG(unit->cluster),
		              SV_ARG(unit->unit.namespace), SV_ARG(unit->unit.name));
	}
}

/* ---- MachineDeployments of the output ------------------------------------------------------ */

/* Returns the set of the units, by plan_unit_key, that are themselves in the output. */
static struct set find_written(struct arena *arena, const struct plan *plan)
{
	struct set written = set_in(arena);

	for (size_t i = 0; i < plan->unit_count; i++) {
		const struct plan_unit *unit = &plan->units[i];
		const struct dialect *dialect = unit->unit->dialect;
		const struct tree_unit id = plan_tree_unit(unit->unit);

		if (dialect->writes_unit && dialect->writes_unit(unit->view->settings))
			set_add(&written, plan_unit_key(arena, unit->cluster->fleet->name, &id));
	}
	return written;
}

/* A unit that leaves the output. */
struct leaving {
	sv cluster;
	const struct tree_file *file;
};
VEC_TYPE(leavings, struct leaving);

static struct leavings find_leaving(struct arena *arena, const struct plan_removal *request)
{
	const struct map *indexes = &request->previous->indexes;
	struct set written = find_written(arena, request->plan);
	struct leavings leaving = {0};

	for (size_t i = 0; i < indexes->count; i++) {
		const struct tree_index *index = indexes->entries[i].value;

		for (size_t j = 0; j < index->file_count; j++) {
			const struct tree_file *file = &index->files[j];
			const struct leaving one = {indexes->entries[i].key, file};

			if (file->role == ARTIFACT_MACHINES && file->unit &&
			    !set_has(&written, plan_unit_key(arena, one.cluster, file->unit)))
				VEC_PUSH(arena, &leaving, one);
		}
	}
	return leaving;
}

/* Fails if the output loses a unit itself, however few there are. */
static enum status check_machines(struct arena *arena, struct sink *sink,
                                  const struct plan_removal *request, const struct losses *losses)
{
	const struct leavings leaving = find_leaving(arena, request);
	size_t left = NAMED;

	if (leaving.count == 0)
		return STATUS_OK;
	sv what = count_units(losses, leaving.count);
	struct diag *diag = diag_report(
	    sink, request->is_shown ? DIAG_REMOVAL_MACHINES_AHEAD : DIAG_REMOVAL_MACHINES, NOWHERE,
	    "%.*s would leave the output", SV_ARG(what));
	VEC_EACH (one, &leaving) {
		if (left-- == 0) {
			diag_add_note(sink, diag, NOWHERE, "and %zu more", leaving.count - NAMED);
			break;
		}
		diag_add_note(sink, diag, NOWHERE, "%.*s/%.*s/%.*s leaves it", SV_ARG(one->cluster),
		              SV_ARG(one->file->unit->namespace), SV_ARG(one->file->unit->name));
	}
	diag_set_help(sink, diag,
	              "if that is meant, run with --allow-removal once: the appliers keep the "
	              "objects, so delete them in the cluster, or apply them in another way");
	return request->is_shown ? STATUS_OK : STATUS_FAILED;
}

enum status plan_check_removal(struct arena *arena, struct sink *sink,
                               const struct plan_removal *request)
{
	struct losses losses = find_losses(arena, request);
	struct diag *diag;

	if (request->is_allowed)
		return STATUS_OK;
	if (!is_much(&losses))
		return check_machines(arena, sink, request, &losses);
	sv of = count_units(&losses, losses.before);
	if (losses.gone.count == 0)
		diag =
		    diag_report(sink, request->is_shown ? DIAG_REMOVAL_AHEAD : DIAG_REMOVAL,
		                NOWHERE, "all that the output has of a cluster would be removed");
	else
		diag = diag_report(sink, request->is_shown ? DIAG_REMOVAL_AHEAD : DIAG_REMOVAL,
		                   NOWHERE, "%zu of the output's %.*s would be removed%s",
		                   losses.gone.count, SV_ARG(of),
		                   request->plan->unit_count == 0 ? ": nothing asks for any" : "");
	add_loss_notes(sink, &losses, diag);
	diag_set_help(sink, diag,
	              "if that is meant, run with --allow-removal once; if not, look at "
	              "what was moved, renamed, or listed in " FLEET_IGNORE_FILE);
	return request->is_shown ? STATUS_OK : STATUS_FAILED;
}
