/*
 * Strings in double quotes, for YAML and for JSON; base64.
 */
#include "codec/codec.h"
#include "userdata/writer.h"

/* Returns true if the text begins with a variable that coreos-cloudinit replaces, quoted or not. */
static bool is_replaced(sv text)
{
	return sv_starts_with(text, SV("$public_ipv")) || sv_starts_with(text, SV("$private_ipv"));
}

/* Returns true for runes that YAML 1.1 forbids or reads as line breaks, and for controls. */
static bool is_special(uint32_t rune)
{
	return rune < 0x20 || (rune >= 0x7F && rune <= 0x9F) || rune == 0x2028 || rune == 0x2029 ||
	       rune == 0xFEFF || rune == 0xFFFE || rune == 0xFFFF;
}

static void add_yaml_escaped(struct buf *out, sv text)
{
	size_t width;

	for (size_t at = 0; at < text.len; at += width) {
		sv rest = sv_from_offset(text, at);
		uint32_t rune = utf8_decode(rest, &width);

		if (rune == '"' || rune == '\\')
			buf_printf(out, "\\%c", (int)rune);
		else if (rune == '\n')
			BUF_ADD_LIT(out, "\\n");
		else if (rune == '\t')
			BUF_ADD_LIT(out, "\\t");
		else if (is_special(rune) || is_replaced(rest))
			buf_printf(out, "\\u%04x", (unsigned)rune);
		else
			buf_add(out, sv_slice(rest, 0, width));
	}
}

void quoted_add(struct userdata_writer *w, const struct value *text)
{
	sv s = value_text(text);
	struct buf escaped = buf_in(w->arena);

	add_yaml_escaped(&escaped, s);
	TEXT_ADD_LIT(&w->out, "\"");
	size_t from = w->out.buf.len;
	if (sv_eq(buf_sv(&escaped), s)) {
		text_add_value(&w->out, text);
	} else {
		/* Escapes shift the offsets of secrets: mark the whole string as secret. */
		text_add(&w->out, buf_sv(&escaped));
		text_mark_taint(&w->out, from, text->taint);
	}
	TEXT_ADD_LIT(&w->out, "\"");
}

void base64_add_value(struct userdata_writer *w, const struct value *bytes)
{
	size_t from = w->out.buf.len;

	base64_add(&w->out.buf, BASE64_STD, value_text(bytes));
	text_mark_taint(&w->out, from, bytes->taint);
}
