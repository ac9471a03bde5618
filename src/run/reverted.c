/*
 * Warns of revisions that live machines no longer have, since source and output were reverted.
 */
#include "run/reverted.h"
#include "run/tip.h"

enum { NAMED = 10 };

static sv revision_of(const struct run_unit *unit)
{
	VEC_EACH (file, &unit->files)
		if (!sv_empty(file->unit->revision))
			return file->unit->revision;
	return SV("");
}

/* Returns the reverted revision, or null if the unit has a higher one by now. */
static const struct plan_reverted *find(const struct run_env *env, const struct map *found,
                                        const struct run_unit *unit)
{
	const struct tree_unit id = plan_tree_unit(unit->unit->unit);
	const struct plan_reverted *reverted =
	    map_get(found, plan_unit_key(env->arena, unit->unit->cluster->fleet->name, &id));
	int64_t revision;

	if (!reverted || !sv_parse_int64(revision_of(unit), &revision) ||
	    revision > reverted->revision)
		return NULL;
	return reverted;
}

static void add_note(const struct run_env *env, struct diag *diag, const struct run_unit *unit,
                     const struct plan_reverted *reverted)
{
	diag_add_note(env->sink, diag, NOWHERE,
	              "%.*s, cluster %.*s, gets revision %.*s; commit %.12s had %lld, behind which "
	              "a cluster that saw it counts on",
	              SV_ARG(kube_object_describe(env->arena, unit->unit->unit->object)),
	              SV_ARG(unit->unit->cluster->fleet->name), SV_ARG(revision_of(unit)),
	              reverted->commit.ptr, (long long)reverted->revision);
}

void run_report_reverted(const struct run_env *env, const struct run_facts *facts, sv branch)
{
	const struct run_inputs *inputs = facts->inputs;
	struct diag *diag = NULL;
	struct run_tip tip = {0};
	struct sink unused = sink_in(env->arena);
	struct map found;
	size_t count = 0;

	if (inputs->out_is_outside || !facts->previous || facts->previous->units.count == 0 ||
	    run_look_at_tip(&unused, env, inputs, branch, &tip) != STATUS_OK)
		return;
	const struct plan_history history = {inputs->repo, tip.source.id, inputs->out};
	plan_find_reverted(env->arena, &history, facts->plan, &found);
	for (size_t i = 0; found.count > 0 && i < facts->plan->unit_count; i++) {
		const struct run_unit *unit = &facts->rendered->units[i];
		const struct plan_reverted *reverted = find(env, &found, unit);

		if (!reverted)
			continue;
		if (!diag)
			diag =
			    diag_report(env->sink, DIAG_REVISION_REVERTED,
			                kube_object_position(unit->unit->unit->object),
			                "the output was reverted, and with it revisions that live "
			                "machines may no longer have");
		if (count++ < NAMED)
			add_note(env, diag, unit, reverted);
	}
	if (!diag)
		return;
	if (count > NAMED)
		diag_add_note(env->sink, diag, NOWHERE, "and %zu more", count - NAMED);
	diag_set_help(env->sink, diag,
	              "kubectl get machinedeployments -A -o json > revisions.json, and run once "
	              "with --revisions revisions.json: machines do not start before");
}
