/*
 * INI files as gcfg reads them.
 */
#include "osm/provider/provider.h"

void ini_add_quoted(struct text *text, const struct value *string)
{
	struct buf quoted = buf_in(text->buf.arena);
	sv s = value_text(string);

	buf_add_char(&quoted, '"');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\\' || s.ptr[i] == '"')
			buf_add_char(&quoted, '\\');
		buf_add_char(&quoted, s.ptr[i]);
	}
	buf_add_char(&quoted, '"');
	text_add_secret(text, buf_sv(&quoted), secrecy_find(string));
}

void ini_add(struct text *text, const char *head, const struct value *string)
{
	text_add(text, sv_from_cstr(head));
	ini_add_quoted(text, string);
	TEXT_ADD_LIT(text, "\n");
}

void ini_add_bare(struct text *text, const char *head, const struct value *string)
{
	text_add(text, sv_from_cstr(head));
	text_add_value(text, string);
	TEXT_ADD_LIT(text, "\n");
}
