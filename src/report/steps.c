/*
 * The roll-out over time: in each step every unit that rolls replaces as many machines as its
 * maxSurge and maxUnavailable allow. A step takes as long as a new machine needs to become ready.
 */
#include "report/render.h"

/* The most columns: in a longer roll-out several steps are one column. */
enum { COLUMNS_MAX = 12 };

static bool is_paced(const struct report_unit *row)
{
	return row->class == REPORT_CLASS_ROLL && !sv_empty(row->max_surge) && row->replicas > 0 &&
	       row->surge + row->unavailable > 0;
}

/* Returns how many machines of the unit are replaced after so many steps. */
static size_t replaced_after(const struct report_unit *row, size_t steps)
{
	size_t at_once = row->surge + row->unavailable;
	size_t machines = (size_t)row->replicas;

	/* The division cannot overflow. */
	return steps > machines / at_once ? machines : steps * at_once;
}

struct value render_steps_value(struct arena *arena, const struct report_summary *summary)
{
	struct value list = value_list_new(arena);
	size_t machines[COLUMNS_MAX] = {0};
	size_t steps = 0;

	VEC_EACH (row, &summary->units) {
		if (!is_paced(row))
			continue;
		size_t at_once = row->surge + row->unavailable;
		size_t own = ((size_t)row->replicas - 1) / at_once + 1;

		steps = own > steps ? own : steps;
	}
	size_t width = (steps + COLUMNS_MAX - 1) / COLUMNS_MAX;
	VEC_EACH (row, &summary->units)
		for (size_t i = 0; is_paced(row) && i < COLUMNS_MAX; i++)
			machines[i] +=
			    replaced_after(row, (i + 1) * width) - replaced_after(row, i * width);
	for (size_t i = 0; i * width < steps; i++) {
		size_t to = (i + 1) * width;

		value_list_add(arena, &list,
		               VALUE_MAP(arena, {"from", value_size((i * width + 1))},
		                         {"to", value_size((to < steps ? to : steps))},
		                         {"machines", value_size(machines[i])}));
	}
	return list;
}
