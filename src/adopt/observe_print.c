/*
 * An observation as a tree, which JSON prints and the form observe shows.
 */
#include "adopt/internal.h"

#include "report/report.h"

static const char *const results[] = {
    [ADOPT_OBJECT_SAME] = "asCommitted",       [ADOPT_OBJECT_UNOPENED] = "sameRevision",
    [ADOPT_OBJECT_REVISION] = "otherRevision", [ADOPT_OBJECT_DIFFERS] = "otherContent",
    [ADOPT_OBJECT_MISSING] = "missing",        [ADOPT_OBJECT_ONLY_LIVE] = "onlyLive",
};

static const char *const states[] = {
    [ADOPT_MACHINE_CURRENT] = "current",
    [ADOPT_MACHINE_OTHER] = "otherRevision",
    [ADOPT_MACHINE_JOINING] = "noNode",
    [ADOPT_MACHINE_LEAVING] = "deleting",
};

/* An observation as it is shown. */
struct showing {
	struct arena *arena;
	const struct adopt_observation *observation;
	bool all;      /* also objects, units and machines that are as committed */
	bool for_form; /* with members that only the form needs */
};

static struct value object_value(struct arena *arena, const struct adopt_observed_object *observed)
{
	return VALUE_MAP(arena, {"result", value_string(sv_from_cstr(results[observed->state]))},
	                 {"kind", value_string(observed->id.kind)},
	                 {"namespace", value_string(observed->id.namespace)},
	                 {"name", value_string(observed->id.name)},
	                 {"place", value_string_if(observed->place)},
	                 {"line", observed->line > 0 ? value_size(observed->line) : VALUE_INVALID},
	                 {"revision", value_string_if(observed->revision)},
	                 {"liveRevision", value_string_if(observed->live_revision)});
}

static struct value machines_value(const struct showing *s, const struct adopt_observed_unit *unit)
{
	struct value list = value_list_new(s->arena);

	VEC_EACH (machine, &unit->machines)
		if (s->all || machine->state != ADOPT_MACHINE_CURRENT)
			value_list_add(
			    s->arena, &list,
			    VALUE_MAP(s->arena, {"name", value_string(machine->name)},
			              {"machineSet", value_string(machine->machine_set)},
			              {"state", value_string(sv_from_cstr(states[machine->state]))},
			              {"revision", value_string_if(machine->revision)},
			              {"node", value_string_if(machine->node)}));
	return list;
}

static struct value unit_value(const struct showing *s, const struct adopt_observed_unit *unit)
{
	bool has_machines = !s->observation->no_machines && adopt_has_machines(unit->dialect);
	bool has_replicas = unit->replicas >= 0 && unit->is_live;
	bool has_kind = s->for_form || !sv_eq(unit->kind, dialect_unit_kind());
	struct value none = VALUE_INVALID;
	struct value value = VALUE_MAP(
	    s->arena, {"kind", has_kind ? value_string(unit->kind) : none},
	    {"namespace", value_string(unit->namespace)}, {"name", value_string(unit->name)},
	    {"live", value_bool(unit->is_live)}, {"revision", value_string_if(unit->revision)},
	    {"liveRevision", value_string_if(unit->live_revision)},
	    {"replicas", has_replicas ? value_int(unit->replicas) : none},
	    {"machines", has_machines ? machines_value(s, unit) : none});

	if (!s->for_form)
		return value;
	value_map_set(s->arena, &value, SV("hasRevisions"),
	              value_bool(!sv_empty(unit->dialect->revision_annotation)));
	value_map_set(s->arena, &value, SV("isBehind"),
	              value_bool(!sv_eq(unit->revision, unit->live_revision)));
	value_map_set(s->arena, &value, SV("machineCount"), value_size(unit->machines.count));
	value_map_set(s->arena, &value, SV("counts"),
	              adopt_counts_value(s->arena, states, unit->counts, COUNT_OF(states)));
	return value;
}

static struct value nodes_value(const struct showing *s)
{
	struct value list = value_list_new(s->arena);

	VEC_EACH (node, &s->observation->nodes)
		if (s->all || !node->has_applied)
			value_list_add(
			    s->arena, &list,
			    VALUE_MAP(s->arena, {"name", value_string(node->name)},
			              {"namespace", value_string(node->secret.namespace)},
			              {"secret", value_string(node->secret.name)},
			              {"applied", value_bool(node->has_applied)}));
	return list;
}

static bool is_as_wanted(const struct adopt_observed_object *observed)
{
	return observed->state == ADOPT_OBJECT_SAME || observed->state == ADOPT_OBJECT_UNOPENED;
}

static struct value observation_tree(const struct showing *s)
{
	const struct adopt_observation *seen = s->observation;
	struct value objects = value_list_new(s->arena);
	struct value units = value_list_new(s->arena);
	struct value none = VALUE_INVALID;

	VEC_EACH (observed, &seen->objects)
		if (s->all || !is_as_wanted(observed))
			value_list_add(s->arena, &objects, object_value(s->arena, observed));
	VEC_EACH (unit, &seen->units)
		if (s->all || !adopt_unit_is_settled(seen, unit))
			value_list_add(s->arena, &units, unit_value(s, unit));
	return VALUE_MAP(
	    s->arena, {"formatVersion", value_string(SV("1.0"))},
	    {"cluster", value_string(seen->cluster)}, {"commit", value_string(seen->commit)},
	    {"settled", value_bool(seen->is_settled)}, {"objects", objects},
	    {"machineDeployments", units}, {"nodes", nodes_value(s)},
	    {"nodeCount", s->for_form ? value_size(seen->nodes.count) : none},
	    {"waitingNodes", s->for_form ? value_size(seen->waiting_nodes) : none},
	    {"unread", s->for_form && s->all ? value_size(seen->unread) : none},
	    {"counts", s->for_form
	                   ? adopt_counts_value(s->arena, results, seen->counts, COUNT_OF(results))
	                   : none});
}

void adopt_observation_text(struct buf *buf, const struct adopt_observation *observation, bool all)
{
	const struct value root =
	    observation_tree(&(struct showing){buf->arena, observation, all, .for_form = true});

	report_form(buf, "observe", REPORT_TERMINAL, &root);
}

void adopt_observation_json(struct buf *buf, const struct adopt_observation *observation)
{
	const struct value root =
	    observation_tree(&(struct showing){buf->arena, observation, .all = true});

	report_add_json(buf, &root);
}
