/*
 * The effect of a run on machines, by the class of each unit: in one sentence, as text, as JSON.
 */
#include "json/json.h"

#include "report/render.h"

#define UNITS_SHOWN 20

/* The classes in the order in which they are shown, the worst first. */
static const enum report_class by_weight[] = {
    REPORT_CLASS_REMOVE,    REPORT_CLASS_ROLL,     REPORT_CLASS_ADD,
    REPORT_CLASS_NEW_NODES, REPORT_CLASS_METADATA, REPORT_CLASS_NONE,
};

/* Returns the class as a verb, to follow "1 MachineDeployment" or "3 MachineDeployments". */
static const char *class_verb(enum report_class class, bool one)
{
	switch (class) {
	case REPORT_CLASS_NONE:
		return one ? "stays as it is" : "stay as they are";
	case REPORT_CLASS_METADATA:
		return one ? "changes in what no machine reads" : "change in what no machine reads";
	case REPORT_CLASS_NEW_NODES:
		return one ? "changes for new nodes only" : "change for new nodes only";
	case REPORT_CLASS_ADD:
		return one ? "is new" : "are new";
	case REPORT_CLASS_ROLL:
		return one ? "rolls" : "roll";
	case REPORT_CLASS_REMOVE:
		return one ? "goes" : "go";
	}
	BUG("class");
}

struct class_count {
	size_t units;
	size_t machines; /* of units whose number of machines is known */
	bool unknown;    /* true if the number is unknown for a unit */
};

static struct class_count count_class(const struct report_summary *summary, enum report_class class)
{
	struct class_count count = {0};

	VEC_EACH (row, &summary->units) {
		if (row->class != class)
			continue;
		count.units++;
		if (row->replicas == REPORT_REPLICAS_UNKNOWN)
			count.unknown = true;
		else
			count.machines += (size_t)row->replicas;
	}
	return count;
}

/* "6 machines in 3 MachineDeployments roll" */
static void add_class(struct buf *buf, const struct report_summary *summary,
                      enum report_class class, const struct class_count *count)
{
	bool has_machines = class == REPORT_CLASS_ROLL && (count->machines > 0 || !count->unknown);

	if (has_machines) {
		if (count->unknown)
			BUF_ADD_LIT(buf, "at least ");
		render_count(buf, count->machines, "machine", "machines");
		BUF_ADD_LIT(buf, " in ");
	}
	render_units(buf, summary, count->units);
	buf_printf(buf, " %s",
	           class_verb(class, has_machines ? count->machines == 1 : count->units == 1));
}

bool report_add_rollout(struct buf *buf, const struct report_summary *summary)
{
	bool any = false;

	for (size_t i = 0; i < COUNT_OF(by_weight); i++) {
		struct class_count count = count_class(summary, by_weight[i]);

		if (count.units == 0 || by_weight[i] == REPORT_CLASS_NONE)
			continue;
		if (any)
			BUF_ADD_LIT(buf, ", ");
		any = true;
		add_class(buf, summary, by_weight[i], &count);
	}
	return any;
}

bool render_has_classes(const struct report_summary *summary)
{
	switch (summary->outcome) {
	case REPORT_VALID:
	case REPORT_FAILED:
		return false;
	case REPORT_COMMITTED:
	case REPORT_WRITTEN:
	case REPORT_NOTHING:
	case REPORT_DIFFERS:
		return true;
	}
	BUG("outcome");
}

/* ---- sealed files ------------------------------------------------------------------------ */

void report_add_sealed(struct buf *buf, unsigned sealed)
{
	static const struct {
		unsigned bit;
		sv words;
	} parts[] = {
	    {REPORT_SEALED_VALUE, SV_INIT("value changed")},
	    {REPORT_SEALED_RECIPIENTS, SV_INIT("recipients changed")},
	    {REPORT_SEALED_SEED, SV_INIT("re-sealed by another seed")},
	    {REPORT_SEALED_UNKNOWN, SV_INIT("it is unknown whether a value changed")},
	};
	bool any = false;

	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (!(sealed & parts[i].bit))
			continue;
		buf_add(buf, any ? SV(", ") : SV(""));
		buf_add(buf, parts[i].words);
		any = true;
	}
}

/* ---- the plan ---------------------------------------------------------------------------- */

static void add_unit(struct buf *buf, const struct report_unit *row)
{
	BUF_ADD_LIT(buf, "    ");
	report_add_visible(buf, row->cluster);
	buf_add_char(buf, '/');
	report_add_visible(buf, row->namespace);
	buf_add_char(buf, '/');
	report_add_visible(buf, row->name);
	if (row->replicas != REPORT_REPLICAS_UNKNOWN) {
		BUF_ADD_LIT(buf, ", ");
		render_count(buf, (size_t)row->replicas, "machine", "machines");
	}
	if (row->template_unknown && row->class != REPORT_CLASS_REMOVE)
		BUF_ADD_LIT(buf, "; it is unknown whether its template changed");
	buf_add_char(buf, '\n');
}

static void add_group(struct buf *buf, const struct report_summary *summary,
                      enum report_class class, bool every_unit)
{
	struct class_count count = count_class(summary, class);
	size_t shown = 0;

	if (count.units == 0)
		return;
	buf_add(buf, report_class_word(class));
	BUF_ADD_LIT(buf, ": ");
	add_class(buf, summary, class, &count);
	buf_add_char(buf, '\n');
	/* Most units of a fleet are unchanged: do not list them. */
	if (class == REPORT_CLASS_NONE && !every_unit)
		return;
	VEC_EACH (row, &summary->units) {
		if (row->class != class)
			continue;
		if (shown++ == UNITS_SHOWN && !every_unit) {
			BUF_ADD_LIT(buf, "    and ");
			render_number(buf, count.units - UNITS_SHOWN);
			BUF_ADD_LIT(buf, " more (-v lists them all)\n");
			break;
		}
		add_unit(buf, row);
	}
}

void report_plan_text(struct buf *buf, const struct report_summary *summary, bool every_unit,
                      const struct report_style *style)
{
	size_t start = buf->len;

	if (!report_add_rollout(buf, summary))
		BUF_ADD_LIT(buf, "no machine is concerned");
	buf_add_char(buf, '\n');
	for (size_t i = 0; i < COUNT_OF(by_weight); i++)
		add_group(buf, summary, by_weight[i], every_unit);
	if (render_count_groups(summary, false) > 0) {
		BUF_ADD_LIT(buf, "  what changes:\n");
		render_groups(buf, summary, false, style);
	}
	render_notes(buf, summary, every_unit, style);
	report_defuse(buf, start);
}

/* ---- as JSON ----------------------------------------------------------------------------- */

void render_set_class(struct json_t *map, const struct report_unit *row)
{
	json_doc_set_text(map, "class", report_class_word(row->class));
	if (row->replicas == REPORT_REPLICAS_UNKNOWN)
		json_doc_set_null(map, "replicas");
	else
		json_doc_set_size(map, "replicas", (size_t)row->replicas);
	if (row->template_unknown)
		json_doc_set_bool(map, "templateUnknown", true);
}

static struct json_t *unit_value(const struct report_unit *row)
{
	struct json_t *map = json_doc_map();

	json_doc_set_text(map, "cluster", row->cluster);
	json_doc_set_text(map, "kind", row->kind);
	json_doc_set_text(map, "namespace", row->namespace);
	json_doc_set_text(map, "name", row->name);
	render_set_class(map, row);
	return map;
}

struct json_t *render_sealed(unsigned sealed)
{
	struct json_t *list = json_doc_list();

	if (sealed & REPORT_SEALED_VALUE)
		json_doc_add_text(list, SV("value"));
	if (sealed & REPORT_SEALED_RECIPIENTS)
		json_doc_add_text(list, SV("recipients"));
	if (sealed & REPORT_SEALED_SEED)
		json_doc_add_text(list, SV("seed"));
	if (sealed & REPORT_SEALED_UNKNOWN)
		json_doc_add_text(list, SV("unknown"));
	return list;
}

static struct json_t *classes_value(const struct report_summary *summary)
{
	struct json_t *map = json_doc_map();

	for (size_t i = 0; i < COUNT_OF(by_weight); i++) {
		struct class_count count = count_class(summary, by_weight[i]);
		struct json_t *entry = json_doc_map();
		sv word = report_class_word(by_weight[i]);

		json_doc_set_size(entry, "units", count.units);
		json_doc_set_size(entry, "replicas", count.machines);
		json_doc_set(map, word.ptr, entry);
	}
	return map;
}

void report_plan_json(struct buf *buf, const struct report_summary *summary,
                      const struct report_style *style)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *units = json_doc_list();
	struct json_t *sealed = json_doc_list();

	VEC_EACH (row, &summary->units)
		json_doc_add(units, unit_value(row));
	VEC_EACH (file, &summary->files) {
		struct json_t *map;

		if (file->sealed == 0)
			continue;
		map = json_doc_map();
		json_doc_set_text(map, "path", file->path);
		json_doc_set(map, "sealed", render_sealed(file->sealed));
		json_doc_add(sealed, map);
	}
	json_doc_set_text(root, "formatVersion", SV(REPORT_PLAN_VERSION));
	json_doc_set(root, "units", units);
	json_doc_set(root, "classes", classes_value(summary));
	json_doc_set(root, "groups", render_groups_value(buf->arena, summary, style));
	json_doc_set(root, "notes", render_notes_value(buf->arena, summary, style));
	json_doc_set(root, "sealed", sealed);
	json_doc_set_bool(root, "withoutSeed", summary->without_seed);
	json_doc_set_size(root, "notCompared", summary->not_compared_count);
	render_json(buf, root);
}
