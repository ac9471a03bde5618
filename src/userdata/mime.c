/*
 * Writes MIME multipart documents (RFC 2046), for systems where several programs read the
 * user-data.
 *
 * A part of ASCII is written unchanged, including its last line break, which the line break of the
 * boundary follows. A part with other bytes is quoted-printable (RFC 2045), since cloud-init reads
 * a part without an encoding as ASCII. Placeholders such as <MACHINE_NAME> must stay readable in
 * it, therefore its lines are not folded.
 */
#include "userdata/userdata.h"
#include "value/text.h"

#define BOUNDARY SV("==BOUNDARY==")

/* ---- quoted-printable ---------------------------------------------------------------------- */

static bool is_plain_mime(sv text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c >= 0x80 || c == 0 || c == '\r')
			return false;
	}
	return true;
}

/* White space at the end of a line is encoded too; `next` is the rest of the text after `c`. */
static bool is_literal(unsigned char c, sv next)
{
	if (c == ' ' || c == '\t')
		return !sv_empty(next) && next.ptr[0] != '\n';
	return c == '\n' || (c > ' ' && c < 0x7F && c != '=');
}

static void add_quoted_printable(struct buf *out, sv text, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (is_literal(c, sv_from_offset(text, i + 1)))
			buf_add_char(out, (char)c);
		else
			buf_printf(out, "=%02X", c);
	}
}

/*
 * Returns a secret that is not plain ASCII, or null. Such a secret decides the part's encoding,
 * which would reveal something about it.
 */
static const struct secret *secret_that_is_not_plain(const struct value *text)
{
	sv s = value_text(text);

	for (size_t i = 0; text->taint && i < text->taint->count; i++)
		if (!is_plain_mime(
		        sv_slice(s, text->taint->spans[i].start, text->taint->spans[i].end)))
			return text->taint->spans[i].secret;
	return NULL;
}

static struct value quoted_printable(struct arena *arena, const struct value *text)
{
	sv s = value_text(text);
	struct text out = text_in(arena);
	size_t at = 0;

	for (size_t i = 0; text->taint && i < text->taint->count; i++) {
		const struct taint_span *span = &text->taint->spans[i];

		add_quoted_printable(&out.buf, s, at, span->start);
		size_t from = out.buf.len;
		add_quoted_printable(&out.buf, s, span->start, span->end);
		text_mark_secret(&out, from, span->secret);
		at = span->end;
	}
	if (taint_derived_from(text->taint))
		text_mark_taint(&out, out.buf.len, text->taint);
	add_quoted_printable(&out.buf, s, at, s.len);
	text_mark_derived(&out, out.buf.len, secret_that_is_not_plain(text));
	return text_value(arena, &out);
}

/* ---- the document -------------------------------------------------------------------------- */

static bool stands_in(const struct value *texts, size_t count, sv boundary)
{
	for (size_t i = 0; i < count; i++)
		if (sv_contains(value_text(&texts[i]), boundary))
			return true;
	return false;
}

struct value userdata_multipart(struct arena *arena, const struct userdata_part *parts,
                                size_t count)
{
	struct text out = text_in(arena);
	struct value *texts = ARENA_ARRAY(arena, struct value, count);
	sv boundary = BOUNDARY;

	for (size_t i = 0; i < count; i++)
		texts[i] = is_plain_mime(value_text(&parts[i].text))
		               ? parts[i].text
		               : quoted_printable(arena, &parts[i].text);
	for (unsigned n = 2; stands_in(texts, count, boundary); n++)
		boundary = arena_printf(arena, "==BOUNDARY-%u==", n);
	/*
	 * The use of a second boundary may reveal that a secret contains the first: mark the whole
	 * document.
	 */
	for (size_t i = 0; i < count && !sv_eq(boundary, BOUNDARY); i++)
		text_mark_derived(&out, 0, taint_secret(texts[i].taint));
	TEXT_ADD_LIT(&out, "Content-Type: multipart/mixed; boundary=\"");
	text_add(&out, boundary);
	TEXT_ADD_LIT(&out, "\"\nMIME-Version: 1.0\n");
	for (size_t i = 0; i < count; i++) {
		TEXT_ADD_LIT(&out, "\n--");
		text_add(&out, boundary);
		TEXT_ADD_LIT(&out, "\nContent-Type: ");
		text_add(&out, parts[i].content_type);
		if (!is_plain_mime(value_text(&parts[i].text)))
			TEXT_ADD_LIT(&out, "\nContent-Transfer-Encoding: quoted-printable");
		TEXT_ADD_LIT(&out, "\n\n");
		text_add_value(&out, &texts[i]);
	}
	TEXT_ADD_LIT(&out, "\n--");
	text_add(&out, boundary);
	TEXT_ADD_LIT(&out, "--\n");
	return text_value(arena, &out);
}
