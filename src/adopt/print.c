/*
 * Prints a comparison, for people and as JSON.
 */
#include "adopt/internal.h"

#include "report/report.h"
#include "json/json.h"

#include <inttypes.h>

/* More members of a template that differ are only counted. */
enum { MOST_CHANGES = 10 };

static const char *const words[] = {
    [ADOPT_EQUAL] = "equal",
    [ADOPT_EQUAL_BUT] = "equal except for fields that always differ",
    [ADOPT_DIFFERS] = "differs",
    [ADOPT_ONLY_HERE] = "only here",
    [ADOPT_ONLY_THERE] = "only live",
    [ADOPT_NOT_COMPARED] = "not compared",
};

static const char *const templates[] = {
    [ADOPT_TEMPLATE_SAME] = "same",
    [ADOPT_TEMPLATE_OTHER] = "other",
    [ADOPT_TEMPLATE_UNKNOWN] = "unknown",
};

/* ---- text -------------------------------------------------------------------------------- */

static void add_word(struct buf *buf, const struct adopt_finding *finding)
{
	if (finding->kind == ADOPT_EQUAL_BUT) {
		BUF_ADD_LIT(buf, "equal but for ");
		buf_add(buf, finding->but);
	} else {
		buf_add_cstr(buf, words[finding->kind]);
		if (!sv_empty(finding->but)) {
			BUF_ADD_LIT(buf, " (");
			buf_add(buf, finding->but);
			buf_add_char(buf, ')');
		}
	}
}

static void add_side(struct buf *buf, const char *sign, sv text)
{
	buf_printf(buf, "    %s ", sign);
	report_add_visible(buf, text);
	buf_add_char(buf, '\n');
}

static void add_finding(struct buf *buf, const struct adopt_finding *finding)
{
	add_word(buf, finding);
	BUF_ADD_LIT(buf, ": ");
	report_add_visible(buf, kube_id_describe(buf->arena, &finding->id));
	if (finding->kind == ADOPT_DIFFERS) {
		BUF_ADD_LIT(buf, ", first in ");
		report_add_visible(buf, finding->place);
		if (finding->line > 0)
			buf_printf(buf, ", line %zu", finding->line);
		buf_add_char(buf, '\n');
		add_side(buf, "-", finding->there);
		add_side(buf, "+", finding->here);
		return;
	}
	buf_add_char(buf, '\n');
}

static bool is_news(const struct adopt_finding *finding)
{
	return finding->kind == ADOPT_DIFFERS || finding->kind == ADOPT_ONLY_HERE ||
	       finding->kind == ADOPT_ONLY_THERE;
}

static bool is_behind(const struct adopt_unit *unit)
{
	return !sv_empty(unit->revision_here) && !sv_empty(unit->revision_there) &&
	       !sv_eq(unit->revision_here, unit->revision_there);
}

static void add_template(struct buf *buf, const struct adopt_unit *unit)
{
	int64_t machines = unit->replicas_there;

	switch (unit->template) {
	case ADOPT_TEMPLATE_SAME:
		BUF_ADD_LIT(buf, ": same template, no machine is replaced");
		break;
	case ADOPT_TEMPLATE_OTHER:
		if (unit->is_applied && machines >= 0)
			buf_printf(buf,
			           ": another template than the live one: applying the output "
			           "replaces its %" PRId64 " machine%s",
			           machines, machines == 1 ? "" : "s");
		else
			BUF_ADD_LIT(buf, ": another template than the live one: applying the "
			                 "manifest replaces its machines");
		break;
	case ADOPT_TEMPLATE_UNKNOWN:
		BUF_ADD_LIT(buf, ": not in the export, so that its template is not compared");
		break;
	}
}

static void add_change(struct buf *buf, const struct adopt_change *change)
{
	BUF_ADD_LIT(buf, "    ");
	report_add_visible(buf, change->place);
	BUF_ADD_LIT(buf, ": ");
	report_add_visible(buf, change->there);
	BUF_ADD_LIT(buf, " -> ");
	report_add_visible(buf, change->here);
	buf_add_char(buf, '\n');
}

void adopt_add_unit(struct buf *buf, const struct adopt_unit *unit)
{
	report_add_visible(buf, kube_id_describe(buf->arena, &unit->id));
	add_template(buf, unit);
	if (adopt_is_scaled(unit))
		buf_printf(buf,
		           "; applying the output sets its replicas from %" PRId64 " to %" PRId64,
		           unit->replicas_there, unit->replicas_here);
	if (is_behind(unit)) {
		buf_printf(buf, "; revision %.*s is rendered, ", SV_ARG(unit->revision_here));
		report_add_visible(buf, unit->revision_there);
		BUF_ADD_LIT(buf, " is live: no machine would start (--revisions)");
	}
	buf_add_char(buf, '\n');
	for (size_t i = 0; i < unit->changes.count && i < MOST_CHANGES; i++)
		add_change(buf, &unit->changes.items[i]);
	if (unit->changes.count > MOST_CHANGES)
		buf_printf(buf, "    and %zu more\n", unit->changes.count - MOST_CHANGES);
}

static void add_amount(struct buf *buf, size_t count, const char *noun)
{
	buf_printf(buf, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

void adopt_add_machines(struct buf *buf, const struct adopt_units *units)
{
	sv kind = {0};
	size_t applied = 0;
	size_t rolling = 0;
	size_t unknown = 0;
	size_t machines = 0;

	VEC_EACH (unit, units) {
		if (!unit->is_applied)
			continue;
		kind = unit->id.kind;
		applied++;
		unknown += unit->template == ADOPT_TEMPLATE_UNKNOWN;
		if (unit->template != ADOPT_TEMPLATE_OTHER)
			continue;
		rolling++;
		machines += unit->replicas_there > 0 ? (size_t)unit->replicas_there : 0;
	}
	if (applied == 0)
		return;
	const char *noun = arena_cstr(buf->arena, kind);
	if (rolling > 0) {
		BUF_ADD_LIT(buf, "applying the output replaces ");
		add_amount(buf, machines, "machine");
		BUF_ADD_LIT(buf, " of ");
		add_amount(buf, rolling, noun);
	} else {
		BUF_ADD_LIT(buf, "applying the output replaces no machine: ");
		add_amount(buf, applied - unknown, noun);
		buf_printf(buf, " %s the live template", applied - unknown == 1 ? "has" : "have");
	}
	if (unknown > 0)
		buf_printf(buf, "; %zu not in the export", unknown);
	buf_add_char(buf, '\n');
}

static void add_counts(struct buf *buf, const struct adopt_comparison *comparison)
{
	bool is_first = true;

	buf_printf(buf, "%s: cluster ", comparison->differs ? "different" : "equal");
	report_add_visible(buf, comparison->cluster);
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (comparison->counts[i] == 0)
			continue;
		buf_printf(buf, "%s %zu %s", is_first ? "," : ";", comparison->counts[i], words[i]);
		is_first = false;
	}
	buf_add_char(buf, '\n');
}

void adopt_comparison_text(struct buf *buf, const struct adopt_comparison *comparison, bool all)
{
	VEC_EACH (finding, &comparison->findings)
		if (all || is_news(finding))
			add_finding(buf, finding);
	VEC_EACH (unit, &comparison->units)
		if (all || unit->template != ADOPT_TEMPLATE_SAME || is_behind(unit) ||
		    adopt_is_scaled(unit))
			adopt_add_unit(buf, unit);
	adopt_add_machines(buf, &comparison->units);
	if (all) {
		BUF_ADD_LIT(buf, "not compared, since these fields always differ\n");
		const struct adopt_sentences ignored = adopt_ignored(buf->arena);

		VEC_EACH (sentence, &ignored)
			buf_printf(buf, "  %s\n", *sentence);
	}
	add_counts(buf, comparison);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static const char *const json_words[] = {
    [ADOPT_EQUAL] = "equal",         [ADOPT_EQUAL_BUT] = "equalBut",
    [ADOPT_DIFFERS] = "differs",     [ADOPT_ONLY_HERE] = "onlyHere",
    [ADOPT_ONLY_THERE] = "onlyLive", [ADOPT_NOT_COMPARED] = "notCompared",
};

static struct json_t *finding_json(const struct adopt_finding *finding)
{
	struct json_t *item = json_doc_map();

	json_doc_set_text(item, "result", sv_from_cstr(json_words[finding->kind]));
	json_doc_set_text(item, "kind", finding->id.kind);
	json_doc_set_text(item, "namespace", finding->id.namespace);
	json_doc_set_text(item, "name", finding->id.name);
	json_doc_set_text_if(item, "but", finding->but);
	if (finding->kind == ADOPT_DIFFERS) {
		json_doc_set_text(item, "place", finding->place);
		if (finding->line > 0)
			json_doc_set_size(item, "line", finding->line);
		json_doc_set_text(item, "here", finding->here);
		json_doc_set_text(item, "live", finding->there);
	}
	return item;
}

static struct json_t *changes_json(const struct adopt_changes *changes)
{
	struct json_t *list = json_doc_list();

	VEC_EACH (change, changes) {
		struct json_t *item = json_doc_map();

		json_doc_set_text(item, "place", change->place);
		json_doc_set_text(item, "here", change->here);
		json_doc_set_text(item, "live", change->there);
		json_doc_add(list, item);
	}
	return list;
}

static struct json_t *unit_json(const struct adopt_unit *unit)
{
	struct json_t *item = json_doc_map();

	json_doc_set_text(item, "namespace", unit->id.namespace);
	json_doc_set_text(item, "name", unit->id.name);
	json_doc_set_text(item, "template", sv_from_cstr(templates[unit->template]));
	json_doc_set_text_if(item, "revision", unit->revision_here);
	json_doc_set_text_if(item, "liveRevision", unit->revision_there);
	if (unit->template == ADOPT_TEMPLATE_OTHER)
		json_doc_set(item, "changes", changes_json(&unit->changes));
	json_doc_set_bool(item, "applied", unit->is_applied);
	if (unit->replicas_here >= 0)
		json_doc_set_size(item, "replicas", (size_t)unit->replicas_here);
	if (unit->replicas_there >= 0)
		json_doc_set_size(item, "liveReplicas", (size_t)unit->replicas_there);
	return item;
}

void adopt_comparison_json(struct buf *buf, const struct adopt_comparison *comparison)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *objects = json_doc_list();
	struct json_t *units = json_doc_list();
	struct json_t *ignored = json_doc_list();
	const struct adopt_sentences sentences = adopt_ignored(buf->arena);

	json_doc_set_text(root, "formatVersion", SV("1.0"));
	json_doc_set_text(root, "cluster", comparison->cluster);
	json_doc_set_bool(root, "equal", !comparison->differs);
	VEC_EACH (finding, &comparison->findings)
		json_doc_add(objects, finding_json(finding));
	VEC_EACH (unit, &comparison->units)
		json_doc_add(units, unit_json(unit));
	VEC_EACH (sentence, &sentences)
		json_doc_add_text(ignored, sv_from_cstr(*sentence));
	json_doc_set(root, "objects", objects);
	json_doc_set(root, "machineDeployments", units);
	json_doc_set(root, "differsByNature", ignored);
	json_doc_write(buf, root);
}
