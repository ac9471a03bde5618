/*
 * Strings of the inputs in the HTML report: without markup and hidden characters.
 */
#include "report/html.h"

void html_escape(struct buf *buf, sv text)
{
	for (size_t i = 0; i < text.len; i++) {
		switch (text.ptr[i]) {
		case '&':
			BUF_ADD_LIT(buf, "&amp;");
			break;
		case '<':
			BUF_ADD_LIT(buf, "&lt;");
			break;
		case '>':
			BUF_ADD_LIT(buf, "&gt;");
			break;
		case '"':
			BUF_ADD_LIT(buf, "&quot;");
			break;
		case '\'':
			BUF_ADD_LIT(buf, "&#39;");
			break;
		default:
			buf_add_char(buf, text.ptr[i]);
		}
	}
}

void html_text(struct buf *buf, const struct report_style *style, sv text)
{
	struct buf visible = buf_in(buf->arena);

	render_text(&visible, style, text);
	html_escape(buf, buf_sv(&visible));
}

void html_class(struct buf *buf, enum report_class class)
{
	sv word = report_class_word(class);

	BUF_ADD_LIT(buf, "<span class=\"badge c-");
	buf_add(buf, arena_lower_ascii(buf->arena, word));
	BUF_ADD_LIT(buf, "\">");
	buf_add(buf, word);
	BUF_ADD_LIT(buf, "</span>");
}
