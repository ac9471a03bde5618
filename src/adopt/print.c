/*
 * Prints a comparison, for people and as JSON.
 */
#include "adopt/internal.h"

#include "report/report.h"
#include "json/json.h"

static const char *const words[] = {
    [ADOPT_EQUAL] = "equal",          [ADOPT_EQUAL_BUT] = "equal but for what differs by nature",
    [ADOPT_DIFFERS] = "differs",      [ADOPT_ONLY_HERE] = "only here",
    [ADOPT_ONLY_THERE] = "only live", [ADOPT_NOT_COMPARED] = "not compared",
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

static void add_unit(struct buf *buf, const struct adopt_unit *unit, bool all)
{
	bool is_behind = !sv_empty(unit->revision_here) && !sv_empty(unit->revision_there) &&
	                 !sv_eq(unit->revision_here, unit->revision_there);

	if (!is_behind && unit->template == ADOPT_TEMPLATE_SAME && !all)
		return;
	report_add_visible(buf, kube_id_describe(buf->arena, &unit->id));
	switch (unit->template) {
	case ADOPT_TEMPLATE_SAME:
		BUF_ADD_LIT(buf, ": same template, no machine is replaced");
		break;
	case ADOPT_TEMPLATE_OTHER:
		BUF_ADD_LIT(buf, ": another template than the live one: to apply it replaces "
		                 "its machines");
		break;
	case ADOPT_TEMPLATE_UNKNOWN:
		BUF_ADD_LIT(buf, ": not in the export, so that its template is not compared");
		break;
	}
	if (is_behind) {
		buf_printf(buf, "; revision %.*s is rendered, ", SV_ARG(unit->revision_here));
		report_add_visible(buf, unit->revision_there);
		BUF_ADD_LIT(buf, " is live: no machine would start (--revisions)");
	}
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
		add_unit(buf, unit, all);
	if (all) {
		BUF_ADD_LIT(buf, "not compared, since it differs by nature\n");
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

static struct json_t *unit_json(const struct adopt_unit *unit)
{
	struct json_t *item = json_doc_map();

	json_doc_set_text(item, "namespace", unit->id.namespace);
	json_doc_set_text(item, "name", unit->id.name);
	json_doc_set_text(item, "template", sv_from_cstr(templates[unit->template]));
	json_doc_set_text_if(item, "revision", unit->revision_here);
	json_doc_set_text_if(item, "liveRevision", unit->revision_there);
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
