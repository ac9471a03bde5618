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

/*
 * Returns why a removed unit is gone, what happens to machines of a scaled one, or profile,
 * provider and manifest of an added one.
 */
static sv why_of(struct arena *arena, const struct report_unit *row, enum report_class class)
{
	struct buf buf = buf_in(arena);

	if (class == REPORT_CLASS_REMOVE)
		return row->reason;
	if (class == REPORT_CLASS_SCALE)
		return render_scale_effect(arena, &row->scale);
	if (!sv_empty(row->profile)) {
		buf_add(&buf, row->profile);
		buf_add_char(&buf, ' ');
		buf_add(&buf, row->profile_version);
		BUF_ADD_LIT(&buf, ", ");
		buf_add(&buf, row->provider);
	}
	if (!sv_empty(row->source)) {
		buf_add(&buf, buf.len > 0 ? SV(", from ") : SV("from "));
		buf_add(&buf, row->source);
	}
	return buf_sv(&buf);
}

/* Appends "4 machines" of the unit, or "replicas 10 -> 0" of a scaled one. */
static void add_machine_count(struct buf *buf, const struct report_unit *row,
                              enum report_class class)
{
	if (class == REPORT_CLASS_SCALE)
		render_scale_numbers(buf, &row->scale);
	else if (row->replicas == REPORT_REPLICAS_UNKNOWN)
		BUF_ADD_LIT(buf, "number of machines unknown");
	else
		render_count(buf, (size_t)row->replicas, "machine", "machines");
}

sv render_leaving_line(struct arena *arena, const struct report_unit *row, enum report_class class)
{
	struct buf buf = buf_in(arena);
	sv why = why_of(arena, row, class);

	buf_add(&buf, report_unit_name(arena, row));
	BUF_ADD_LIT(&buf, ", ");
	add_machine_count(&buf, row, class);
	if (!sv_empty(why)) {
		BUF_ADD_LIT(&buf, ": ");
		buf_add(&buf, why);
	}
	return buf_sv(&buf);
}

void render_class_total(struct buf *buf, const struct report_summary *summary,
                        enum report_class class)
{
	struct report_count count = report_count_class(summary, class);

	report_add_units(buf, summary, render_count_listed(summary, class));
	if (class == REPORT_CLASS_SCALE) {
		render_scale_total(buf, summary);
		return;
	}
	if (count.machines == 0 && count.unknown)
		return;
	buf_add(buf, count.unknown ? SV(", at least ") : SV(", "));
	render_count(buf, count.machines, "machine", "machines");
}
