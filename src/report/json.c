/*
 * Results as JSON: the trees of tree.c, printed.
 */
#include "json/json.h"

#include "report/render.h"

/* Appends the UTF-16 code unit as a JSON escape. */
static void add_unit(struct buf *buf, uint32_t unit)
{
	buf_printf(buf, "\\u%04x", (unsigned)unit);
}

void render_value_json(struct buf *buf, const struct value *root, unsigned flags)
{
	struct buf plain = buf_in(buf->arena);

	json_emit(&plain, root, flags);
	for (sv text = buf_sv(&plain); text.len > 0;) {
		size_t width;
		uint32_t rune = utf8_decode(text, &width);

		/* In JSON only strings can contain these, so that escapes are valid. */
		if (sv_starts_with(text, SV("##"))) {
			BUF_ADD_LIT(buf, "#\\u0023");
			width = 2;
		} else if (rune >= 0x10000 && render_is_hidden(rune)) {
			add_unit(buf, 0xD800 + ((rune - 0x10000) >> 10));
			add_unit(buf, 0xDC00 + ((rune - 0x10000) & 0x3FF));
		} else if (rune >= 0x7F && render_is_hidden(rune)) {
			add_unit(buf, rune);
		} else {
			buf_add(buf, sv_slice(text, 0, width));
		}
		text = sv_from_offset(text, width);
	}
}

void report_add_json(struct buf *buf, const struct value *root)
{
	render_value_json(buf, root, JSON_PRETTY);
	buf_add_char(buf, '\n');
}

void report_json(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                 const struct report_style *style)
{
	struct value root = render_tree(buf->arena, summary, sink, style);

	report_add_json(buf, &root);
}

void report_plan_json(struct buf *buf, const struct report_summary *summary,
                      const struct report_style *style)
{
	struct value root = render_plan_tree(buf->arena, summary, style);

	report_add_json(buf, &root);
}

void report_codes_json(struct buf *buf, const struct diag_code_info *only)
{
	struct value root = report_codes_tree(buf->arena, only);

	report_add_json(buf, &root);
}
