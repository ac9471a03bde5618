/*
 * Writes strings of the inputs into a commit's message, so that they mention nobody, close no issue
 * and make no trailer.
 */
#include "run/commit/commit.h"

/* Returns true for characters that cannot mention, link, close an issue or end a line. */
static bool is_plain_char(unsigned char c)
{
	return ascii_is_alphanumeric(c) || (c != '\0' && strchr(" ./_+-", c));
}

bool run_is_reference(sv word)
{
	size_t hex = 0;

	if (word.len > 3 && sv_eq_fold_ascii(sv_slice(word, 0, 3), SV("GH-")) &&
	    ascii_is_digit(word.ptr[3]))
		return true;
	while (hex < word.len && ascii_digit_value((uint32_t)(unsigned char)word.ptr[hex]) < 16)
		hex++;
	return hex >= 40;
}

void run_add_name(struct buf *buf, sv name)
{
	enum { NAME_SHOWN_MAX = 300 };
	bool begins = true; /* a word */

	for (size_t i = 0; i < name.len && i < NAME_SHOWN_MAX; i++) {
		unsigned char c = (unsigned char)name.ptr[i];

		if (!is_plain_char(c) || (begins && run_is_reference(sv_from_offset(name, i))))
			buf_printf(buf, "\\x%02x", c);
		else
			buf_add_char(buf, (char)c);
		begins = !ascii_is_alphanumeric(c);
	}
	if (name.len > NAME_SHOWN_MAX)
		BUF_ADD_LIT(buf, "...");
}

/* Returns true for a colon that is part of no URL and of no emoji: "FILE:1:13: its kind", "A: b".
 */
static bool is_plain_colon(sv text, size_t at)
{
	unsigned char next = at + 1 < text.len ? (unsigned char)text.ptr[at + 1] : ' ';

	return text.ptr[at] == ':' && (next == ' ' || ascii_is_digit(next));
}

void run_add_sentence(struct buf *buf, sv text)
{
	bool begins = true; /* a word */

	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		bool is_sign = (c != '\0' && strchr(",;()=>\"'", c)) || is_plain_colon(text, i);

		if ((!is_plain_char(c) && !is_sign) ||
		    (begins && run_is_reference(sv_from_offset(text, i))))
			buf_printf(buf, "\\x%02x", c);
		else
			buf_add_char(buf, (char)c);
		begins = !ascii_is_alphanumeric(c);
	}
}

static void add_rune(struct buf *buf, uint32_t rune)
{
	if (rune >= 0x10000) {
		buf_printf(buf, "\\u%04x", (unsigned)(0xD800 + ((rune - 0x10000) >> 10)));
		rune = 0xDC00 + ((rune - 0x10000) & 0x3FF);
	}
	buf_printf(buf, "\\u%04x", (unsigned)rune);
}

void run_add_plain_json(struct buf *buf, sv text)
{
	bool begins = true; /* a word */

	buf_add_char(buf, '"');
	while (text.len > 0) {
		unsigned char c = (unsigned char)text.ptr[0];
		bool is_sign = c != '\0' && strchr(",;()='", c);
		size_t width = 1;

		if ((is_plain_char(c) || is_sign) && !(begins && run_is_reference(text)))
			buf_add_char(buf, (char)c);
		else
			add_rune(buf, utf8_decode(text, &width));
		begins = !ascii_is_alphanumeric(c);
		text = sv_from_offset(text, width);
	}
	buf_add_char(buf, '"');
}
