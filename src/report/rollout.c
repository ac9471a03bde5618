/*
 * The effect of a run on machines, by the class of each unit: in one sentence, and as the text of
 * `plan` (forms/plan.tmpl).
 */
#include "report/render.h"

/* Returns the class as a verb, to follow "1 MachineDeployment" or "3 MachineDeployments". */
static const char *class_verb(enum report_class class, bool one)
{
	switch (class) {
	case REPORT_CLASS_NONE:
		return one ? "stays as it is" : "stay as they are";
	case REPORT_CLASS_METADATA:
		return one ? "changes without effect on nodes" : "change without effect on nodes";
	case REPORT_CLASS_NEW_NODES:
		return one ? "changes for new nodes only" : "change for new nodes only";
	case REPORT_CLASS_UNKNOWN:
		return "may change (secrets are not compared without the seed)";
	case REPORT_CLASS_IN_PLACE:
		return one ? "changes on running nodes" : "change on running nodes";
	case REPORT_CLASS_ADD:
		return one ? "is new" : "are new";
	case REPORT_CLASS_ROLL:
		return one ? "rolls" : "roll";
	case REPORT_CLASS_SCALE:
		return one ? "has another number of machines" : "have another number of machines";
	case REPORT_CLASS_REMOVE:
		return one ? "is removed" : "are removed";
	}
	BUG("class");
}

void report_add_class(struct buf *buf, const struct report_summary *summary,
                      enum report_class class)
{
	const struct report_count found = report_count_class(summary, class);
	const struct report_count *count = &found;
	bool has_machines = count->machines > 0 || !count->unknown;
	bool machines_first = class == REPORT_CLASS_ROLL && has_machines;

	if (machines_first) {
		if (count->unknown)
			BUF_ADD_LIT(buf, "at least ");
		render_count(buf, count->machines, "machine", "machines");
		BUF_ADD_LIT(buf, " in ");
	}
	report_add_units(buf, summary, count->units);
	if ((class == REPORT_CLASS_REMOVE || class == REPORT_CLASS_ADD) && has_machines) {
		buf_add(buf, count->unknown ? SV(" (at least ") : SV(" ("));
		render_count(buf, count->machines, "machine", "machines");
		BUF_ADD_LIT(buf, ")");
	}
	buf_printf(buf, " %s",
	           class_verb(class, machines_first ? count->machines == 1 : count->units == 1));
}

bool report_add_rollout(struct buf *buf, const struct report_summary *summary)
{
	bool any = false;

	for (size_t i = 0; i < RENDER_CLASSES; i++) {
		struct report_count count = report_count_class(summary, render_by_weight[i]);

		if (render_by_weight[i] == REPORT_CLASS_SCALE) {
			any |= render_scale(buf, summary, any ? SV(", ") : SV(""));
			continue;
		}
		if (count.units == 0 || render_by_weight[i] == REPORT_CLASS_NONE)
			continue;
		if (any)
			BUF_ADD_LIT(buf, ", ");
		any = true;
		report_add_class(buf, summary, render_by_weight[i]);
	}
	any |= render_manifest_scale(buf, summary, any ? SV(", ") : SV(""));
	return render_deliveries(buf, summary, any ? SV(", ") : SV("")) || any;
}

sv render_class_meaning(enum report_class class)
{
	switch (class) {
	case REPORT_CLASS_NONE:
		return SV("nothing changes");
	case REPORT_CLASS_METADATA:
		return SV("metadata only: nodes are not affected");
	case REPORT_CLASS_NEW_NODES:
		return SV("running nodes keep their user-data");
	case REPORT_CLASS_UNKNOWN:
		return SV("without the seed osm-gen cannot see whether a secret changed");
	case REPORT_CLASS_IN_PLACE:
		return SV("running nodes apply it");
	case REPORT_CLASS_ADD:
		return SV("new");
	case REPORT_CLASS_ROLL:
		return SV("machines are replaced");
	case REPORT_CLASS_SCALE:
		return SV("the applier deletes or adds machines");
	case REPORT_CLASS_REMOVE:
		return SV("gone");
	}
	BUG("class");
}
