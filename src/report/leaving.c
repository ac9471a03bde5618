/*
 * Removed, scaled and added units. They are named one by one and are never left out, because a
 * removed unit loses all its machines, and nobody looks for it in a list of files.
 */
#include "report/render.h"

const enum report_class render_listed[RENDER_LISTED] = {
    REPORT_CLASS_REMOVE,
    REPORT_CLASS_SCALE,
    REPORT_CLASS_ADD,
};

bool render_is_listed(const struct report_unit *row, enum report_class class)
{
	return class == REPORT_CLASS_SCALE ? row->scale.changes : row->class == class;
}

size_t render_count_listed(const struct report_summary *summary, enum report_class class)
{
	size_t count = 0;

	VEC_EACH (row, &summary->units)
		count += render_is_listed(row, class);
	return count;
}

bool report_loses_machines(const struct report_unit *row, enum report_class class)
{
	const struct report_scale *scale = &row->scale;

	return class == REPORT_CLASS_REMOVE ||
	       (class == REPORT_CLASS_SCALE &&
	        (scale->fewer > 0 || scale->before < 0 || scale->after < 0));
}

bool render_names_each(const struct report_summary *summary, enum report_class class)
{
	return class != REPORT_CLASS_ADD || !summary->is_first;
}
