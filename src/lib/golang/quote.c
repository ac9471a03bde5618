/*
 * strconv.Quote and Unquote, and which runes they print.
 */
#include "golang/golang.h"

struct rune_range {
	uint32_t first;
	uint32_t last;
};

static const struct rune_range printable[] = {
#include "golang/printable.def"
};

bool go_strconv_is_print(uint32_t rune)
{
	size_t low = 0;
	size_t high = COUNT_OF(printable);

	if (rune < 0x80)
		return rune >= ' ' && rune < 0x7f;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rune < printable[middle].first)
			high = middle;
		else if (rune > printable[middle].last)
			low = middle + 1;
		else
			return true;
	}
	return false;
}

/* A backslash, the letter, and so many hexadecimal digits. */
static void add_hex_escape(struct buf *buf, char letter, uint32_t number, int digits)
{
	buf_add_char(buf, '\\');
	buf_add_char(buf, letter);
	while (digits-- > 0)
		buf_add_char(buf, "0123456789abcdef"[number >> 4 * digits & 15]);
}

static void quote_control(struct buf *buf, uint32_t rune)
{
	static const char letters[] = "abtnvfr"; /* U+0007 to U+000D */

	if (rune >= 7 && rune <= 13)
		add_hex_escape(buf, letters[rune - 7], 0, 0);
	else if (rune < ' ' || rune == 0x7f)
		add_hex_escape(buf, 'x', rune, 2);
	else if (rune < 0x10000)
		add_hex_escape(buf, 'u', rune, 4);
	else
		add_hex_escape(buf, 'U', rune, 8);
}

void go_strconv_quote_add(struct buf *buf, sv s)
{
	buf_add_char(buf, '"');
	while (s.len > 0) {
		size_t width;
		uint32_t rune = utf8_decode(s, &width);

		if (rune == UTF8_REPLACEMENT && width == 1) {
			add_hex_escape(buf, 'x', (uint8_t)s.ptr[0], 2);
		} else if (rune == '"' || rune == '\\') {
			buf_add_char(buf, '\\');
			buf_add_char(buf, (char)rune);
		} else if (go_strconv_is_print(rune)) {
			buf_add(buf, sv_slice(s, 0, width));
		} else {
			quote_control(buf, rune);
		}
		s = sv_from_offset(s, width);
	}
	buf_add_char(buf, '"');
}

sv go_strconv_quote(struct arena *arena, sv s)
{
	struct buf buf = buf_in(arena);

	go_strconv_quote_add(&buf, s);
	return buf_sv(&buf);
}

/* Takes count digits of the base (8 or 16) off *s. */
static bool take_code_point(sv *s, size_t count, unsigned base, uint32_t *ret_number)
{
	uint32_t number = 0;

	if (s->len < count)
		return false;
	for (size_t i = 0; i < count; i++) {
		char c = s->ptr[i];
		unsigned digit = ascii_digit_value(c);

		if (digit >= base)
			return false;
		number = number * base + digit;
	}
	*s = sv_from_offset(*s, count);
	*ret_number = number;
	return true;
}

/* Decodes an escape after its backslash: adds one byte (\x, octal) or one rune to buf. */
static bool unquote_escape(struct buf *buf, sv *s, char quote)
{
	static const char letters[] = "abtnvfr";
	uint32_t number = 0;

	if (s->len == 0)
		return false;
	char c = s->ptr[0];
	const char *letter = c ? strchr(letters, c) : NULL;

	if (c >= '0' && c <= '7') {
		if (!take_code_point(s, 3, 8, &number) || number > 255)
			return false;
		buf_add_char(buf, (char)number);
		return true;
	}
	*s = sv_from_offset(*s, 1);
	if (letter) {
		buf_add_char(buf, (char)(7 + (letter - letters)));
	} else if (c == 'x') {
		if (!take_code_point(s, 2, 16, &number))
			return false;
		buf_add_char(buf, (char)number);
	} else if (c == 'u' || c == 'U') {
		if (!take_code_point(s, c == 'u' ? 4 : 8, 16, &number) || number > UTF8_MAX_RUNE ||
		    (number >= 0xd800 && number <= 0xdfff))
			return false;
		buf_add_rune(buf, number);
	} else if (c == '\\' || c == quote) {
		buf_add_char(buf, c);
	} else {
		return false;
	}
	return true;
}

/* One character or escape of *s, as its bytes. */
static bool unquote_one(struct buf *buf, sv *s, char quote)
{
	size_t width;

	if (s->len == 0 || s->ptr[0] == quote)
		return false;
	if (s->ptr[0] == '\\') {
		*s = sv_from_offset(*s, 1);
		return unquote_escape(buf, s, quote);
	}
	/* COMPAT: an invalid byte becomes U+FFFD. */
	buf_add_rune(buf, utf8_decode(*s, &width));
	*s = sv_from_offset(*s, width);
	return true;
}

bool go_strconv_unquote_char(struct arena *arena, sv *rest, char quote, uint32_t *ret_rune)
{
	struct buf buf = buf_in(arena);
	size_t width;

	if (!unquote_one(&buf, rest, quote))
		return false;
	/* '\xff' is the byte, not U+FFFD. */
	*ret_rune = buf.len == 1 ? (unsigned char)buf.ptr[0] : utf8_decode(buf_sv(&buf), &width);
	return true;
}

static bool unquote_interpreted(struct buf *buf, sv s, char quote)
{
	size_t count = 0;

	for (; s.len > 0; count++)
		if (s.ptr[0] == '\n' || !unquote_one(buf, &s, quote))
			return false;
	/* COMPAT: an empty rune literal is the empty text. */
	return quote == '"' || count <= 1;
}

static bool unquote_raw(struct buf *buf, sv s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '`')
			return false;
		if (s.ptr[i] != '\r')
			buf_add_char(buf, s.ptr[i]);
	}
	return true;
}

bool go_strconv_unquote(struct arena *arena, sv quoted, sv *ret_text)
{
	struct buf buf = buf_in(arena);

	if (quoted.len < 2 || quoted.ptr[0] != quoted.ptr[quoted.len - 1])
		return false;
	char quote = quoted.ptr[0];
	sv inside = sv_slice(quoted, 1, quoted.len - 1);

	if (quote == '`'
	        ? !unquote_raw(&buf, inside)
	        : (quote != '"' && quote != '\'') || !unquote_interpreted(&buf, inside, quote))
		return false;
	*ret_text = buf_sv(&buf);
	return true;
}
