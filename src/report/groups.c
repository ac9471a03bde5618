/*
 * Groups and notes in words, for all reports.
 */
#include "report/render.h"

enum {
	FIELDS_IN_SUMMARY = 8,
	NAMES_IN_LINE = 3,
	FIELD_MAX = 200,
};

bool report_count_machines(const struct report_summary *summary, const size_t *units, size_t count,
                           size_t *ret_machines)
{
	bool is_exact = true;
	size_t machines = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t own = render_row_machines(&summary->units.items[units[i]]);

		is_exact &= own >= 0;
		machines += own > 0 ? (size_t)own : 0;
	}
	*ret_machines = machines;
	return is_exact;
}

/*
 * Appends the unit's name, or "in 214 MachineDeployments" if the note has several. The note must
 * have at least one unit.
 */
static void add_note_units(struct buf *buf, const struct report_summary *summary,
                           const struct report_note *note)
{
	BUG_ON(note->unit_count == 0);
	const struct report_unit *row = &summary->units.items[note->units[0]];

	if (note->unit_count == 1) {
		report_add_visible(buf, report_unit_name(buf->arena, row));
		return;
	}
	BUF_ADD_LIT(buf, "in ");
	report_add_units(buf, summary, note->unit_count);
}

sv render_group_head(struct arena *arena, const struct report_group *group)
{
	if (group->class == REPORT_CLASS_NONE)
		return group->heading;
	return ARENA_CONCAT(arena, report_class_word(group->class), SV(": "), group->heading);
}

sv render_note_line(struct arena *arena, const struct report_summary *summary,
                    const struct report_note *note)
{
	struct buf buf = buf_in(arena);

	buf_add(&buf, note->text);
	if (note->unit_count > 0) {
		BUF_ADD_LIT(&buf, " (");
		add_note_units(&buf, summary, note);
		buf_add_char(&buf, ')');
	}
	return buf_sv(&buf);
}

/* ---- text -------------------------------------------------------------------------------- */

static void add_value(struct buf *buf, const struct report_style *style, sv text)
{
	if (sv_empty(text)) {
		BUF_ADD_LIT(buf, "none");
		return;
	}
	render_text(buf, style, sv_slice(text, 0, text.len < FIELD_MAX ? text.len : FIELD_MAX));
	buf_add(buf, text.len > FIELD_MAX ? SV("...") : SV(""));
}

static void add_field(struct buf *buf, const struct report_style *style,
                      const struct report_field *field)
{
	render_text(buf, style, field->name);
	if (sv_empty(field->before) && sv_empty(field->after)) {
		buf_add_char(buf, '\n');
		return;
	}
	BUF_ADD_LIT(buf, ": ");
	render_color_on(buf, style, RENDER_REMOVED);
	add_value(buf, style, field->before);
	render_color_off(buf, style);
	BUF_ADD_LIT(buf, " -> ");
	render_color_on(buf, style, RENDER_ADDED);
	add_value(buf, style, field->after);
	render_color_off(buf, style);
	buf_add_char(buf, '\n');
}

bool render_heading_has_all(const struct report_group *group)
{
	size_t count = 0;

	for (size_t i = 0; i < group->field_count; i++) {
		const struct report_field *field = &group->fields[i];

		if (field->is_detail)
			continue;
		count++;
		if (field->before.len > HEADING_VALUE_MAX || field->after.len > HEADING_VALUE_MAX)
			return false;
	}
	return count <= HEADING_FIELDS;
}

/* Appends the names of the first units and the number of the others. */
static void add_first_names(struct buf *buf, const struct report_summary *summary,
                            const struct report_group *group, const struct report_style *style)
{
	for (size_t i = 0; i < group->unit_count && i < NAMES_IN_LINE; i++) {
		const struct report_unit *row = &summary->units.items[group->units[i]];

		buf_add(buf, i == 0 ? SV("") : SV(", "));
		render_text(buf, style, report_unit_name(buf->arena, row));
	}
	if (group->unit_count > NAMES_IN_LINE) {
		BUF_ADD_LIT(buf, " and ");
		render_number(buf, group->unit_count - NAMES_IN_LINE);
		BUF_ADD_LIT(buf, " more");
	}
	buf_add_char(buf, '\n');
}

void render_group_lines(struct buf *buf, const struct report_summary *summary,
                        const struct report_group *group, const struct report_style *style)
{
	bool has_all = render_heading_has_all(group);

	for (size_t i = 0; !has_all && i < group->field_count && i < FIELDS_IN_SUMMARY; i++)
		add_field(buf, style, &group->fields[i]);
	if (group->field_count > FIELDS_IN_SUMMARY) {
		render_and_more(buf, group->field_count - FIELDS_IN_SUMMARY, "field", "fields");
		buf_add_char(buf, '\n');
	}
	if (group->unit_count > 1)
		add_first_names(buf, summary, group, style);
}
