/*
 * Go's unicode and strings packages: classes and cases of runes, and how fmt quotes them.
 */
#include "golang/golang.h"

#include <utf8proc.h>

static utf8proc_category_t category(uint32_t rune)
{
	if (rune > UTF8_MAX_RUNE)
		return UTF8PROC_CATEGORY_CN;
	return utf8proc_category((utf8proc_int32_t)rune);
}

bool go_rune_is_letter(uint32_t rune)
{
	if (rune < 0x80)
		return ascii_is_letter(rune);
	switch (category(rune)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
		return true;
	default: /* the enumeration is utf8proc's; its other members are not letters */
		return false;
	}
}

bool go_rune_is_digit(uint32_t rune)
{
	if (rune < 0x80)
		return ascii_is_digit(rune);
	return category(rune) == UTF8PROC_CATEGORY_ND;
}

bool go_rune_is_number(uint32_t rune)
{
	if (rune < 0x80)
		return ascii_is_digit(rune);
	utf8proc_category_t c = category(rune);
	return c == UTF8PROC_CATEGORY_ND || c == UTF8PROC_CATEGORY_NL || c == UTF8PROC_CATEGORY_NO;
}

bool go_rune_is_punct(uint32_t rune)
{
	utf8proc_category_t c = category(rune);

	return c >= UTF8PROC_CATEGORY_PC && c <= UTF8PROC_CATEGORY_PO;
}

/* The property White_Space. */
bool go_rune_is_space(uint32_t rune)
{
	if (rune <= 0xFF)
		return rune == ' ' || (rune >= 0x09 && rune <= 0x0D) || rune == 0x85 ||
		       rune == 0xA0;
	return rune == 0x1680 || (rune >= 0x2000 && rune <= 0x200A) || rune == 0x2028 ||
	       rune == 0x2029 || rune == 0x202F || rune == 0x205F || rune == 0x3000;
}

bool go_rune_is_upper(uint32_t rune)
{
	return category(rune) == UTF8PROC_CATEGORY_LU;
}

bool go_rune_is_lower(uint32_t rune)
{
	return category(rune) == UTF8PROC_CATEGORY_LL;
}

bool go_rune_is_title(uint32_t rune)
{
	return category(rune) == UTF8PROC_CATEGORY_LT;
}

/* U+00DF is the one place where utf8proc and Go part: Go keeps it. */
#define SHARP_S 0xDFu

uint32_t go_rune_to_upper(uint32_t rune)
{
	if (rune == SHARP_S || rune > UTF8_MAX_RUNE)
		return rune;
	return (uint32_t)utf8proc_toupper((utf8proc_int32_t)rune);
}

uint32_t go_rune_to_lower(uint32_t rune)
{
	if (rune > UTF8_MAX_RUNE)
		return rune;
	return (uint32_t)utf8proc_tolower((utf8proc_int32_t)rune);
}

uint32_t go_rune_to_title(uint32_t rune)
{
	if (rune == SHARP_S || rune > UTF8_MAX_RUNE)
		return rune;
	return (uint32_t)utf8proc_totitle((utf8proc_int32_t)rune);
}

sv go_trim_space(sv s)
{
	size_t width;

	while (s.len > 0 && go_rune_is_space(utf8_decode(s, &width)))
		s = sv_from_offset(s, width);
	while (s.len > 0 && go_rune_is_space(utf8_decode_last(s, &width)))
		s.len -= width;
	return s;
}

static void add_quoted_rune(struct buf *buf, uint32_t rune, char quote, bool ascii)
{
	if (rune == (uint32_t)quote || rune == '\\') {
		buf_add_char(buf, '\\');
		buf_add_char(buf, (char)rune);
		return;
	}
	if ((!ascii || rune < 0x80) && go_strconv_is_print(rune)) {
		buf_add_rune(buf, rune);
		return;
	}
	static const char letters[] = "abtnvfr";
	if (rune >= 7 && rune <= 13) {
		buf_add_char(buf, '\\');
		buf_add_char(buf, letters[rune - 7]);
	} else if (rune < ' ' || rune == 0x7F) {
		buf_printf(buf, "\\x%02x", rune);
	} else if (rune < 0x10000) {
		buf_printf(buf, "\\u%04x", rune);
	} else {
		buf_printf(buf, "\\U%08x", rune);
	}
}

void go_quote_ascii_add(struct buf *buf, sv s)
{
	size_t width;

	buf_add_char(buf, '"');
	for (; s.len > 0; s = sv_from_offset(s, width)) {
		uint32_t rune = utf8_decode(s, &width);
		if (width == 1 && rune == UTF8_REPLACEMENT)
			buf_printf(buf, "\\x%02x", (unsigned char)s.ptr[0]);
		else
			add_quoted_rune(buf, rune, '"', true);
	}
	buf_add_char(buf, '"');
}

void go_quote_rune_add(struct buf *buf, uint32_t rune, bool ascii)
{
	if (rune > UTF8_MAX_RUNE || (rune >= 0xD800 && rune <= 0xDFFF))
		rune = UTF8_REPLACEMENT;
	buf_add_char(buf, '\'');
	add_quoted_rune(buf, rune, '\'', ascii);
	buf_add_char(buf, '\'');
}

void go_unicode_add(struct buf *buf, uint32_t rune)
{
	buf_printf(buf, "U+%04X", rune);
	if (rune <= UTF8_MAX_RUNE && go_strconv_is_print(rune)) {
		BUF_ADD_LIT(buf, " '");
		buf_add_rune(buf, rune);
		buf_add_char(buf, '\'');
	}
}

const char *go_rune_library_version(void)
{
	return utf8proc_version();
}
