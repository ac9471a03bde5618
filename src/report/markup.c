/*
 * Strings of the inputs in HTML and XML: without markup and hidden characters.
 */
#include "report/markup.h"

#include "report/render.h"

void markup_escape(struct buf *buf, sv text)
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

void markup_text(struct buf *buf, const struct report_style *style, sv text)
{
	struct buf visible = buf_in(buf->arena);

	render_text(&visible, style, text);
	markup_escape(buf, buf_sv(&visible));
}
