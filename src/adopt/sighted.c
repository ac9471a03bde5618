/*
 * What was observed of a cluster, as text and as JSON.
 */
#include "adopt/internal.h"

#include "report/report.h"
#include "json/json.h"

#include <inttypes.h>

static const char *const sights[] = {
    [ADOPT_SEEN] = "as committed",
    [ADOPT_SEEN_UNOPENED] = "of the committed revision, sealed content not compared",
    [ADOPT_SEEN_REVISION] = "of another revision",
    [ADOPT_SEEN_OTHER] = "with another content",
    [ADOPT_MISSING] = "missing",
    [ADOPT_STRANGER] = "only live",
};

static const char *const states[] = {
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

static void add_sighting(struct buf *buf, const struct adopt_sighting *sighting)
{
	buf_add_cstr(buf, sights[sighting->sight]);
	BUF_ADD_LIT(buf, ": ");
	report_add_visible(buf, kube_id_describe(buf->arena, &sighting->id));
	if (sighting->sight == ADOPT_SEEN_OTHER) {
		BUF_ADD_LIT(buf, ", first in ");
		report_add_visible(buf, sighting->place);
		if (sighting->line > 0)
			buf_printf(buf, ", line %zu", sighting->line);
	} else if (sighting->sight == ADOPT_SEEN_REVISION) {
		BUF_ADD_LIT(buf, ": ");
		add_revision(buf, sighting->revision);
		BUF_ADD_LIT(buf, " is committed, ");
		add_revision(buf, sighting->live_revision);
		BUF_ADD_LIT(buf, " is live");
	}
	buf_add_char(buf, '\n');
}

static bool is_as_wanted(const struct adopt_sighting *sighting)
{
	return sighting->sight == ADOPT_SEEN || sighting->sight == ADOPT_SEEN_UNOPENED;
}

static void add_machine_counts(struct buf *buf, const struct adopt_observed_unit *unit)
{
	const char *separator = ": ";

	buf_printf(buf, "; %zu of %" PRId64 " machines", unit->machines.count,
	           unit->replicas < 0 ? 0 : unit->replicas);
	for (size_t i = 0; i < COUNT_OF(states); i++) {
		if (unit->counts[i] == 0)
			continue;
		buf_printf(buf, "%s%zu %s", separator, unit->counts[i], states[i]);
		separator = ", ";
	}
}

static void add_machine(struct buf *buf, const struct adopt_machine *machine)
{
	BUF_ADD_LIT(buf, "  ");
	report_add_visible(buf, machine->name);
	buf_printf(buf, ": %s, revision ", states[machine->state]);
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
	for (size_t i = 0; i < COUNT_OF(sights); i++) {
		if (observation->counts[i] == 0)
			continue;
		buf_printf(buf, "%s %zu %s", is_first ? "," : ";", observation->counts[i],
		           sights[i]);
		is_first = false;
	}
	buf_add_char(buf, '\n');
}

void adopt_observation_text(struct buf *buf, const struct adopt_observation *observation, bool all)
{
	VEC_EACH (sighting, &observation->sightings)
		if (all || !is_as_wanted(sighting))
			add_sighting(buf, sighting);
	VEC_EACH (unit, &observation->units)
		add_unit(buf, observation, unit, all);
	if (all && observation->unread > 0)
		buf_printf(buf, "not looked for: %zu objects of kinds that no export is read for\n",
		           observation->unread);
	add_sum(buf, observation);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static const char *const json_sights[] = {
    [ADOPT_SEEN] = "asCommitted",
    [ADOPT_SEEN_UNOPENED] = "sameRevision",
    [ADOPT_SEEN_REVISION] = "otherRevision",
    [ADOPT_SEEN_OTHER] = "otherContent",
    [ADOPT_MISSING] = "missing",
    [ADOPT_STRANGER] = "onlyLive",
};

static const char *const json_states[] = {
    [ADOPT_MACHINE_CURRENT] = "current",
    [ADOPT_MACHINE_OTHER] = "otherRevision",
    [ADOPT_MACHINE_JOINING] = "noNode",
    [ADOPT_MACHINE_LEAVING] = "deleting",
};

static struct json_t *sighting_json(const struct adopt_sighting *sighting)
{
	struct json_t *item = json_doc_map();

	json_doc_set_text(item, "result", sv_from_cstr(json_sights[sighting->sight]));
	json_doc_set_text(item, "kind", sighting->id.kind);
	json_doc_set_text(item, "namespace", sighting->id.namespace);
	json_doc_set_text(item, "name", sighting->id.name);
	json_doc_set_text_if(item, "place", sighting->place);
	if (sighting->line > 0)
		json_doc_set_size(item, "line", sighting->line);
	json_doc_set_text_if(item, "revision", sighting->revision);
	json_doc_set_text_if(item, "liveRevision", sighting->live_revision);
	return item;
}

static struct json_t *machine_json(const struct adopt_machine *machine)
{
	struct json_t *item = json_doc_map();

	json_doc_set_text(item, "name", machine->name);
	json_doc_set_text(item, "machineSet", machine->machine_set);
	json_doc_set_text(item, "state", sv_from_cstr(json_states[machine->state]));
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
	VEC_EACH (sighting, &observation->sightings)
		json_doc_add(objects, sighting_json(sighting));
	VEC_EACH (unit, &observation->units)
		json_doc_add(units, unit_json(unit, observation->no_machines));
	json_doc_set(root, "objects", objects);
	json_doc_set(root, "machineDeployments", units);
	json_doc_write(buf, root);
}
