/*
 * The units of the HTML report, for its script: a table of strings, and for each unit a list of
 * indexes into it. Ten thousand units take half a megabyte.
 */
#include "report/html.h"

struct data {
	struct arena *arena;
	const struct report_style *style;
	struct map places; /* string to its index, from 1 */
	VEC(sv) texts;
};

static void add_unit(struct buf *buf, uint32_t unit)
{
	buf_printf(buf, "\\u%04x", (unsigned)unit);
}

/* Appends a JSON string without markup, commands and hidden characters. */
static void add_string(struct buf *buf, const struct report_style *style, sv text)
{
	struct buf visible = buf_in(buf->arena);

	render_text(&visible, style, text);
	buf_add_char(buf, '"');
	for (sv rest = buf_sv(&visible); rest.len > 0;) {
		size_t width;
		uint32_t rune = utf8_decode(rest, &width);

		if (rune < 0x20 || (rune < 0x80 && strchr("\"\\<>&'#", (int)rune)))
			add_unit(buf, rune);
		else
			buf_add(buf, sv_slice(rest, 0, width));
		rest = sv_from_offset(rest, width);
	}
	buf_add_char(buf, '"');
}

static void add_text(struct buf *buf, struct data *data, sv text, const char *behind)
{
	uintptr_t place = (uintptr_t)map_get(&data->places, text);

	if (place == 0) {
		VEC_PUSH(data->arena, &data->texts, text);
		place = data->texts.count;
		map_put(&data->places, text, (void *)place);
	}
	buf_printf(buf, "%zu%s", (size_t)place - 1, behind);
}

static void add_row(struct buf *buf, struct data *data, const struct report_unit *row)
{
	buf_add_char(buf, '[');
	add_text(buf, data, row->cluster, ",");
	add_text(buf, data, row->namespace, ",");
	add_text(buf, data, row->name, ",");
	add_text(buf, data, row->provider, ",");
	add_text(buf, data, row->operating_system, ",");
	add_text(buf, data, row->profile, ",");
	add_text(buf, data, row->profile_version, ",");
	buf_printf(buf, "%zu,%zu,%d,%d,%lld]", row->bootstrap_bytes, row->bootstrap_limit,
	           (int)row->change, (int)row->class, (long long)row->replicas);
}

static void add_words(struct buf *buf, const struct report_style *style)
{
	BUF_ADD_LIT(buf, ",\n\"classes\":[");
	for (int i = REPORT_CLASS_NONE; i <= REPORT_CLASS_REMOVE; i++) {
		buf_add(buf, i ? SV(",") : SV(""));
		add_string(buf, style, report_class_word((enum report_class)i));
	}
	BUF_ADD_LIT(buf, "],\n\"changes\":[");
	for (int i = REPORT_UNCHANGED; i <= REPORT_REMOVED; i++) {
		buf_add(buf, i ? SV(",") : SV(""));
		add_string(buf, style, render_change_word((enum report_change)i));
	}
	BUF_ADD_LIT(buf, "]");
}

void html_data(struct buf *buf, const struct report_summary *summary,
               const struct report_style *style)
{
	struct data data = {.arena = buf->arena, .style = style, .places = map_in(buf->arena)};

	BUF_ADD_LIT(buf, "{\"kind\":");
	add_string(buf, style, summary->unit_kind);
	add_words(buf, style);
	BUF_ADD_LIT(buf, ",\n\"units\":[");
	VEC_EACH (row, &summary->units) {
		buf_add(buf, row == summary->units.items ? SV("\n") : SV(",\n"));
		add_row(buf, &data, row);
	}
	BUF_ADD_LIT(buf, "],\n\"groups\":[");
	VEC_EACH (group, &summary->groups) {
		buf_add(buf, group == summary->groups.items ? SV("\n[") : SV(",\n["));
		for (size_t i = 0; i < group->unit_count; i++)
			buf_printf(buf, "%s%zu", i ? "," : "", group->units[i]);
		buf_add_char(buf, ']');
	}
	BUF_ADD_LIT(buf, "],\n\"texts\":[");
	VEC_EACH (text, &data.texts) {
		buf_add(buf, text == data.texts.items ? SV("\n") : SV(",\n"));
		add_string(buf, style, *text);
	}
	BUF_ADD_LIT(buf, "]}");
}
