/*
 * Prints an observation, for people and as JSON.
 */
#include "adopt/internal.h"

#include "report/report.h"
#include "json/json.h"

#include <inttypes.h>

static const char *const object_states[] = {
    [ADOPT_OBJECT_SAME] = "as committed",
    [ADOPT_OBJECT_UNOPENED] = "of the committed revision, sealed content not compared",
    [ADOPT_OBJECT_REVISION] = "of another revision",
    [ADOPT_OBJECT_DIFFERS] = "with another content",
    [ADOPT_OBJECT_MISSING] = "missing",
    [ADOPT_OBJECT_ONLY_LIVE] = "only live",
};

static const char *const machine_states[] = {
    [ADOPT_MACHINE_CURRENT] = "current",
    [ADOPT_MACHINE_OTHER] = "of another revision",
    [ADOPT_MACHINE_JOINING] = "without a node yet",
    [ADOPT_MACHINE_LEAVING] = "being deleted",
};

/* ---- text -------------------------------------------------------------------------------- */

static void add_revision(struct buf *buf, sv revision)
{
	if (sv_empty(revision)) {
		BUF_ADD_LIT(buf, "none");
		return;
	}
	report_add_visible(buf, revision);
}

static void add_object(struct buf *buf, const struct adopt_observed_object *observed)
{
	buf_add_cstr(buf, object_states[observed->state]);
	BUF_ADD_LIT(buf, ": ");
	report_add_visible(buf, kube_id_describe(buf->arena, &observed->id));
	if (observed->state == ADOPT_OBJECT_DIFFERS) {
		BUF_ADD_LIT(buf, ", first in ");
		report_add_visible(buf, observed->place);
		if (observed->line > 0)
			buf_printf(buf, ", line %zu", observed->line);
	} else if (observed->state == ADOPT_OBJECT_REVISION) {
		BUF_ADD_LIT(buf, ": ");
		add_revision(buf, observed->revision);
		BUF_ADD_LIT(buf, " is committed, ");
		add_revision(buf, observed->live_revision);
		BUF_ADD_LIT(buf, " is live");
	}
	buf_add_char(buf, '\n');
}

static bool is_as_wanted(const struct adopt_observed_object *observed)
{
	return observed->state == ADOPT_OBJECT_SAME || observed->state == ADOPT_OBJECT_UNOPENED;
}

static void add_machine_counts(struct buf *buf, const struct adopt_observed_unit *unit)
{
	const char *separator = ": ";

	buf_printf(buf, "; %zu of %" PRId64 " machines", unit->machines.count,
	           unit->replicas < 0 ? 0 : unit->replicas);
	for (size_t i = 0; i < COUNT_OF(machine_states); i++) {
		if (unit->counts[i] == 0)
			continue;
		buf_printf(buf, "%s%zu %s", separator, unit->counts[i], machine_states[i]);
		separator = ", ";
	}
}

static void add_machine(struct buf *buf, const struct adopt_machine *machine)
{
	BUF_ADD_LIT(buf, "  ");
	report_add_visible(buf, machine->name);
	buf_printf(buf, ": %s, revision ", machine_states[machine->state]);
	add_revision(buf, machine->revision);
	if (!sv_empty(machine->node)) {
		BUF_ADD_LIT(buf, ", node ");
		report_add_visible(buf, machine->node);
	}
	buf_add_char(buf, '\n');
}

static void add_unit(struct buf *buf, const struct adopt_observation *observation,
                     const struct adopt_observed_unit *unit, bool all)
{
	if (adopt_unit_is_settled(observation, unit) && !all)
		return;
	const struct kube_id id = {
	    .kind = unit->kind, .namespace = unit->namespace, .name = unit->name};

	report_add_visible(buf, kube_id_describe(buf->arena, &id));
	if (!unit->is_live) {
		BUF_ADD_LIT(buf, ": not in the exports\n");
		return;
	}
	if (sv_empty(unit->dialect->revision_annotation)) {
		BUF_ADD_LIT(buf, ": live\n");
		return;
	}
	BUF_ADD_LIT(buf, ": revision ");
	add_revision(buf, unit->live_revision);
	BUF_ADD_LIT(buf, " is live");
	if (!sv_eq(unit->revision, unit->live_revision)) {
		BUF_ADD_LIT(buf, ", user-data is committed for ");
		add_revision(buf, unit->revision);
		BUF_ADD_LIT(buf, ": no machine would start (--revisions)");
	}
	if (!observation->no_machines && adopt_has_machines(unit->dialect))
		add_machine_counts(buf, unit);
	buf_add_char(buf, '\n');
	VEC_EACH (machine, &unit->machines)
		if (all || machine->state != ADOPT_MACHINE_CURRENT)
			add_machine(buf, machine);
}

static void add_sum(struct buf *buf, const struct adopt_observation *observation)
{
	bool is_first = true;

	buf_printf(buf, "%s: cluster ", observation->is_settled ? "settled" : "not settled");
	report_add_visible(buf, observation->cluster);
	buf_printf(buf, ", commit %.12s", observation->commit.ptr);
	for (size_t i = 0; i < COUNT_OF(object_states); i++) {
		if (observation->counts[i] == 0)
			continue;
		buf_printf(buf, "%s %zu %s", is_first ? "," : ";", observation->counts[i],
		           object_states[i]);
		is_first = false;
	}
	buf_add_char(buf, '\n');
}

void adopt_observation_text(struct buf *buf, const struct adopt_observation *observation, bool all)
{
	VEC_EACH (observed, &observation->objects)
		if (all || !is_as_wanted(observed))
			add_object(buf, observed);
	VEC_EACH (unit, &observation->units)
		add_unit(buf, observation, unit, all);
	if (all && observation->unread > 0)
		buf_printf(
		    buf,
		    "not compared: %zu objects of kinds that osm-gen does not read from exports\n",
		    observation->unread);
	add_sum(buf, observation);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static const char *const json_object_states[] = {
    [ADOPT_OBJECT_SAME] = "asCommitted",       [ADOPT_OBJECT_UNOPENED] = "sameRevision",
    [ADOPT_OBJECT_REVISION] = "otherRevision", [ADOPT_OBJECT_DIFFERS] = "otherContent",
    [ADOPT_OBJECT_MISSING] = "missing",        [ADOPT_OBJECT_ONLY_LIVE] = "onlyLive",
};

static const char *const json_machine_states[] = {
    [ADOPT_MACHINE_CURRENT] = "current",
    [ADOPT_MACHINE_OTHER] = "otherRevision",
    [ADOPT_MACHINE_JOINING] = "noNode",
    [ADOPT_MACHINE_LEAVING] = "deleting",
};

static struct json_t *object_json(const struct adopt_observed_object *observed)
{
	struct json_t *item = json_doc_map();

	json_doc_set_text(item, "result", sv_from_cstr(json_object_states[observed->state]));
	json_doc_set_text(item, "kind", observed->id.kind);
	json_doc_set_text(item, "namespace", observed->id.namespace);
	json_doc_set_text(item, "name", observed->id.name);
	json_doc_set_text_if(item, "place", observed->place);
	if (observed->line > 0)
		json_doc_set_size(item, "line", observed->line);
	json_doc_set_text_if(item, "revision", observed->revision);
	json_doc_set_text_if(item, "liveRevision", observed->live_revision);
	return item;
}

static struct json_t *machine_json(const struct adopt_machine *machine)
{
	struct json_t *item = json_doc_map();

	json_doc_set_text(item, "name", machine->name);
	json_doc_set_text(item, "machineSet", machine->machine_set);
	json_doc_set_text(item, "state", sv_from_cstr(json_machine_states[machine->state]));
	json_doc_set_text_if(item, "revision", machine->revision);
	json_doc_set_text_if(item, "node", machine->node);
	return item;
}

static struct json_t *unit_json(const struct adopt_observed_unit *unit, bool no_machines)
{
	struct json_t *item = json_doc_map();
	struct json_t *machines;

	if (!sv_eq(unit->kind, dialect_unit_kind()))
		json_doc_set_text(item, "kind", unit->kind);
	json_doc_set_text(item, "namespace", unit->namespace);
	json_doc_set_text(item, "name", unit->name);
	json_doc_set_bool(item, "live", unit->is_live);
	json_doc_set_text_if(item, "revision", unit->revision);
	json_doc_set_text_if(item, "liveRevision", unit->live_revision);
	if (unit->replicas >= 0 && unit->is_live)
		json_doc_set_size(item, "replicas", (size_t)unit->replicas);
	if (no_machines || !adopt_has_machines(unit->dialect))
		return item;
	machines = json_doc_list();
	VEC_EACH (machine, &unit->machines)
		json_doc_add(machines, machine_json(machine));
	json_doc_set(item, "machines", machines);
	return item;
}

void adopt_observation_json(struct buf *buf, const struct adopt_observation *observation)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *objects = json_doc_list();
	struct json_t *units = json_doc_list();

	json_doc_set_text(root, "formatVersion", SV("1.0"));
	json_doc_set_text(root, "cluster", observation->cluster);
	json_doc_set_text(root, "commit", observation->commit);
	json_doc_set_bool(root, "settled", observation->is_settled);
	VEC_EACH (observed, &observation->objects)
		json_doc_add(objects, object_json(observed));
	VEC_EACH (unit, &observation->units)
		json_doc_add(units, unit_json(unit, observation->no_machines));
	json_doc_set(root, "objects", objects);
	json_doc_set(root, "machineDeployments", units);
	json_doc_write(buf, root);
}
