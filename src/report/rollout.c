/*
 * What becomes of machines: the class of each unit, for people first in one sentence.
 */
#include "report/render.h"

/* The worst first: what a person has to see. */
static const enum report_class by_weight[] = {
    REPORT_CLASS_REMOVE,    REPORT_CLASS_ROLL,     REPORT_CLASS_ADD,
    REPORT_CLASS_NEW_NODES, REPORT_CLASS_METADATA, REPORT_CLASS_NONE,
};

sv report_class_word(enum report_class class)
{
	switch (class) {
	case REPORT_CLASS_NONE:
		return SV("NONE");
	case REPORT_CLASS_METADATA:
		return SV("METADATA");
	case REPORT_CLASS_NEW_NODES:
		return SV("NEW-NODES-ONLY");
	case REPORT_CLASS_ADD:
		return SV("ADD");
	case REPORT_CLASS_ROLL:
		return SV("ROLL");
	case REPORT_CLASS_REMOVE:
		return SV("REMOVE");
	}
	BUG("class");
}

/* What it means, behind "3 MachineDeployments". */
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
	size_t machines; /* of those units whose number is known */
	bool unknown;    /* there are others */
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

static void add_units(struct buf *buf, const struct report_summary *summary, size_t count)
{
	render_number(buf, count);
	buf_add_char(buf, ' ');
	report_add_visible(buf, summary->unit_kind);
	if (count != 1)
		buf_add_char(buf, 's');
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
	add_units(buf, summary, count->units);
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
