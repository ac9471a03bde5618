/*
 * Removed and added units. They are named one by one and are never left out, because a removed
 * unit loses all its machines, and nobody looks for it in a list of files.
 */
#include "report/render.h"

/* The units of a first output that are named: all of them are new. */
enum { NAMED_AT_FIRST = 20 };

bool render_names_each(const struct report_summary *summary, enum report_class class)
{
	return class == REPORT_CLASS_REMOVE || !summary->is_first;
}

sv render_why(struct arena *arena, const struct report_unit *row)
{
	struct buf buf = buf_in(arena);

	if (row->class == REPORT_CLASS_REMOVE)
		return row->reason;
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

void render_machines(struct buf *buf, const struct report_unit *row)
{
	if (row->replicas == REPORT_REPLICAS_UNKNOWN)
		BUF_ADD_LIT(buf, "number of machines unknown");
	else
		render_count(buf, (size_t)row->replicas, "machine", "machines");
}

sv render_leaving_line(struct arena *arena, const struct report_unit *row)
{
	struct buf buf = buf_in(arena);
	sv why = render_why(arena, row);

	buf_add(&buf, render_unit_name(arena, row));
	BUF_ADD_LIT(&buf, ", ");
	render_machines(&buf, row);
	if (!sv_empty(why)) {
		BUF_ADD_LIT(&buf, ": ");
		buf_add(&buf, why);
	}
	return buf_sv(&buf);
}

/* Appends "1 MachineDeployment, 4 machines". */
void render_class_total(struct buf *buf, const struct report_summary *summary,
                        const struct report_count *count)
{
	render_units(buf, summary, count->units);
	if (count->machines == 0 && count->unknown)
		return;
	buf_add(buf, count->unknown ? SV(", at least ") : SV(", "));
	render_count(buf, count->machines, "machine", "machines");
}

static void add_class(struct buf *buf, const struct report_summary *summary,
                      enum report_class class, bool every_unit, const struct report_style *style)
{
	struct report_count count = report_count_class(summary, class);
	size_t shown = 0;

	if (count.units == 0)
		return;
	render_color_on(buf, style, class == REPORT_CLASS_REMOVE ? RENDER_REMOVED : RENDER_ADDED);
	buf_add(buf, report_class_word(class));
	render_color_off(buf, style);
	BUF_ADD_LIT(buf, ": ");
	render_class_total(buf, summary, &count);
	buf_add_char(buf, '\n');
	VEC_EACH (row, &summary->units) {
		if (row->class != class)
			continue;
		BUF_ADD_LIT(buf, "    ");
		if (shown++ == NAMED_AT_FIRST && !every_unit &&
		    !render_names_each(summary, class)) {
			BUF_ADD_LIT(buf, "and ");
			render_number(buf, count.units - NAMED_AT_FIRST);
			BUF_ADD_LIT(buf, " more (-v lists them all)\n");
			return;
		}
		render_text(buf, style, render_leaving_line(buf->arena, row));
		buf_add_char(buf, '\n');
	}
}

void render_leaving(struct buf *buf, const struct report_summary *summary, bool every_unit,
                    const struct report_style *style)
{
	if (!render_has_classes(summary))
		return;
	add_class(buf, summary, REPORT_CLASS_REMOVE, every_unit, style);
	add_class(buf, summary, REPORT_CLASS_ADD, every_unit, style);
}
