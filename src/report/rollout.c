/*
 * The effect of a run on machines, by the class of each unit.
 */
#include "report/render.h"

#include "tmpl/tmpl.h"

struct value render_class_effect(struct arena *arena, const struct report_summary *summary,
                                 enum report_class class)
{
	const struct report_count count = report_count_class(summary, class);
	bool has_machines = count.machines > 0 || !count.unknown;

	return VALUE_MAP(arena, {"class", tmpl_word(report_class_word(class))},
	                 {"units", value_size(count.units)},
	                 {"machines", has_machines ? value_size(count.machines) : VALUE_INVALID},
	                 {"isLeast", value_bool(count.unknown)});
}

struct value render_effects(struct arena *arena, const struct report_summary *summary)
{
	struct value effects = value_list_new(arena);

	for (size_t i = 0; i < RENDER_CLASSES; i++) {
		enum report_class class = render_by_weight[i];

		if (class == REPORT_CLASS_SCALE)
			render_add_scales(arena, summary, &effects);
		else if (class != REPORT_CLASS_NONE && report_count_class(summary, class).units > 0)
			value_list_add(arena, &effects, render_class_effect(arena, summary, class));
	}
	render_add_manifest_scale(arena, summary, &effects);
	render_add_deliveries(arena, summary, &effects);
	return effects;
}
