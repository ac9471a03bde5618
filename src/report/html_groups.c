/*
 * The groups of the HTML report: a change that many units have is shown once.
 */
#include "report/html.h"

enum {
	GROUPS_SHOWN = 200,
	DIFFS_SHOWN = 50, /* groups with a diff; the others have only their fields */
	NAMES_SHOWN = 20, /* without a script */
	FIELD_MAX = 300,
};

void html_class(struct buf *buf, enum report_class class)
{
	sv word = report_class_word(class);

	BUF_ADD_LIT(buf, "<span class=\"badge c-");
	buf_add(buf, arena_lower_ascii(buf->arena, word));
	BUF_ADD_LIT(buf, "\">");
	buf_add(buf, word);
	BUF_ADD_LIT(buf, "</span>");
}

static void add_value(struct buf *buf, const struct report_style *style, const char *class, sv text)
{
	if (sv_empty(text)) {
		BUF_ADD_LIT(buf, "<span class=\"soft\">none</span>");
		return;
	}
	buf_printf(buf, "<code class=\"%s\">", class);
	if (text.len > FIELD_MAX) {
		markup_text(buf, style, sv_slice(text, 0, FIELD_MAX));
		BUF_ADD_LIT(buf, "...");
	} else {
		markup_text(buf, style, text);
	}
	BUF_ADD_LIT(buf, "</code>");
}

/* Adds the fields that the heading has not. */
static void add_fields(struct buf *buf, const struct report_group *group,
                       const struct report_style *style)
{
	bool is_open = false;

	for (size_t i = 0; i < group->field_count; i++) {
		const struct report_field *field = &group->fields[i];

		if (render_is_in_heading(group, i))
			continue;
		buf_add(buf, is_open ? SV("") : SV("<dl>"));
		is_open = true;
		BUF_ADD_LIT(buf, "<dt>");
		markup_text(buf, style, field->name);
		BUF_ADD_LIT(buf, "</dt><dd>");
		if (sv_empty(field->before) && sv_empty(field->after)) {
			BUF_ADD_LIT(buf, "</dd>\n");
			continue;
		}
		add_value(buf, style, "before", field->before);
		BUF_ADD_LIT(buf, " → ");
		add_value(buf, style, "after", field->after);
		BUF_ADD_LIT(buf, "</dd>\n");
	}
	buf_add(buf, is_open ? SV("</dl>\n") : SV(""));
}

static const char *line_class(sv line)
{
	if (sv_starts_with(line, SV("+")))
		return " class=\"plus\"";
	if (sv_starts_with(line, SV("-")))
		return " class=\"minus\"";
	return sv_starts_with(line, SV("@@")) ? " class=\"at\"" : "";
}

static void add_diff(struct buf *buf, sv diff, const struct report_style *style)
{
	struct sv_splitter lines = sv_split(sv_trim_right(diff, "\n"), '\n');
	const struct report_style of_diff = render_style_of_diff(style);
	sv line;

	if (sv_empty(diff))
		return;
	BUF_ADD_LIT(buf, "<details><summary>The difference</summary><pre>");
	while (sv_split_next(&lines, &line)) {
		struct sv_splitter parts = sv_split(line, '\t');
		bool first = true;
		sv part;

		buf_printf(buf, "<span%s>", line_class(line));
		while (sv_split_next(&parts, &part)) {
			buf_add(buf, first ? SV("") : SV("    "));
			first = false;
			markup_text(buf, &of_diff, part);
		}
		buf_add(buf, sv_empty(line) ? SV(" </span>") : SV("</span>"));
	}
	BUF_ADD_LIT(buf, "</pre></details>\n");
}

static void add_names(struct buf *buf, const struct report_summary *summary,
                      const struct report_group *group, const struct report_style *style)
{
	BUF_ADD_LIT(buf, "<noscript><p class=\"soft\">");
	for (size_t i = 0; i < group->unit_count && i < NAMES_SHOWN; i++) {
		const struct report_unit *row = &summary->units.items[group->units[i]];

		buf_add(buf, i ? SV(", ") : SV(""));
		markup_text(buf, style, report_unit_name(buf->arena, row));
	}
	if (group->unit_count > NAMES_SHOWN)
		buf_printf(buf, " and %zu more", group->unit_count - NAMES_SHOWN);
	BUF_ADD_LIT(buf, "</p></noscript>\n");
}

void html_groups(struct buf *buf, const struct report_summary *summary,
                 const struct report_style *style)
{
	size_t shown = 0;

	if (summary->groups.count == 0)
		return;
	BUF_ADD_LIT(buf, "<section>\n<h2>Changes</h2>\n");
	VEC_EACH (group, &summary->groups) {
		if (shown == GROUPS_SHOWN) {
			buf_printf(buf, "<p>and %zu more: see the JSON report</p>\n",
			           summary->groups.count - shown);
			break;
		}
		BUF_ADD_LIT(buf, "<div class=\"group\"><h3>");
		html_class(buf, group->class);
		buf_add_char(buf, ' ');
		markup_text(buf, style, group->heading);
		buf_printf(buf,
		           "</h3> <button type=\"button\" class=\"link needs-script\" "
		           "data-group=\"%zu\">show them</button>\n",
		           shown);
		add_fields(buf, group, style);
		if (shown < DIFFS_SHOWN)
			add_diff(buf, group->diff, style);
		add_names(buf, summary, group, style);
		BUF_ADD_LIT(buf, "</div>\n");
		shown++;
	}
	BUF_ADD_LIT(buf, "</section>\n");
}
