/*
 * Checks encoding and size of a source before libyaml reads it, and finds the offset of each
 * character.
 */
#include "yaml/problem.h"

#include "yaml/yaml.h"

enum { MARK_STEP = 128 };

/* YAML 1.1 section 4.1.1, as libyaml and yaml.v2 hold it: TAB, LF, CR and the printable ones. */
static bool is_allowed(uint32_t rune)
{
	if (rune < 0x20)
		return rune == '\t' || rune == '\n' || rune == '\r';
	return rune < 0x7F || rune == 0x85 || (rune >= 0xA0 && rune < 0xFFFE) || rune > 0xFFFF;
}

static bool is_utf16_or_32(sv text)
{
	if (sv_starts_with(text, SV("\xFE\xFF")) || sv_starts_with(text, SV("\xFF\xFE")))
		return true;
	/* Without a mark: ASCII characters with a NUL beside them. */
	return text.len >= 2 && (text.ptr[0] == 0) != (text.ptr[1] == 0);
}

static enum status report_character(struct sink *sink, struct position at, uint32_t rune,
                                    bool is_valid)
{
	struct diag *diag;

	if (!is_valid) {
		diag = diag_report(sink, DIAG_YAML_ENCODING, at, "byte 0x%02X is not UTF-8",
		                   (unsigned)(unsigned char)at.source->text.ptr[at.offset]);
		diag_set_help(sink, diag, "save the file as UTF-8");
		return STATUS_FAILED;
	}
	diag = diag_report(sink, DIAG_YAML_ENCODING, at,
	                   "the character U+%04X is not allowed in YAML", (unsigned)rune);
	diag_set_help(sink, diag,
	              "remove it, or write it as an escape in double quotes: \"\\%c%0*X\"",
	              rune <= 0xFF ? 'x' : 'u', rune <= 0xFF ? 2 : 4, (unsigned)rune);
	return STATUS_FAILED;
}

/* Checks every character, and counts them. */
static enum status check_characters(struct sink *sink, const struct yml_text *text,
                                    size_t *ret_count)
{
	sv body = text->body;
	size_t count = 0;

	for (size_t i = 0; i < body.len; count++) {
		size_t width = 1;

		while (body.len - i >= sizeof(uint64_t) &&
		       ascii_all_text(ascii_load8(body.ptr + i))) {
			i += sizeof(uint64_t);
			count += sizeof(uint64_t);
		}
		if (i == body.len)
			break;
		uint32_t rune = (unsigned char)body.ptr[i];

		if (rune >= 0x80)
			rune = utf8_decode_at(body, i, &width);
		bool is_valid = rune != UTF8_REPLACEMENT || width == 3;
		if (!is_valid || !is_allowed(rune))
			return report_character(
			    sink, (struct position){text->source, text->base + i, width}, rune,
			    is_valid);
		i += width;
	}
	*ret_count = count;
	return STATUS_OK;
}

static const uint32_t *mark_characters(struct arena *arena, sv body, size_t count)
{
	uint32_t *marks = ARENA_ARRAY(arena, uint32_t, count / MARK_STEP + 1);
	size_t index = 0;

	for (size_t i = 0; i < body.len; i++) {
		if (((unsigned char)body.ptr[i] & 0xC0) == 0x80)
			continue;
		if (index % MARK_STEP == 0)
			marks[index / MARK_STEP] = (uint32_t)i;
		index++;
	}
	return marks;
}

enum status yml_text_open(struct arena *arena, struct sink *sink, const struct source *source,
                          struct yml_text *ret_text)
{
	struct yml_text text = {.source = source, .body = source->text};
	struct diag *diag;

	if (text.body.len > YML_MAX_SIZE) {
		diag = diag_report(sink, DIAG_YAML_LIMIT, position_of_source(source),
		                   "the file has %zu bytes, more than the %zu that are read",
		                   text.body.len, YML_MAX_SIZE);
		diag_set_help(sink, diag,
		              "split it, or list it in .osm-gen-ignore if it is not a manifest");
		return STATUS_FAILED;
	}
	if (is_utf16_or_32(text.body)) {
		diag = diag_report(sink, DIAG_YAML_ENCODING, position_of_source(source),
		                   "the file is UTF-16 or UTF-32, not UTF-8");
		diag_set_help(sink, diag, "save it as UTF-8: `iconv -f UTF-16 -t UTF-8`");
		return STATUS_FAILED;
	}
	if (sv_starts_with(text.body, SV("\xEF\xBB\xBF"))) {
		text.base = 3;
		text.body = sv_from_offset(text.body, 3);
	}
	if (check_characters(sink, &text, &text.count))
		return STATUS_FAILED;
	if (text.count != text.body.len)
		text.marks = mark_characters(arena, text.body, text.count);
	text.read = text.body;
	*ret_text = text;
	return STATUS_OK;
}

size_t yml_text_offset(const struct yml_text *text, size_t index)
{
	sv body = text->body;

	index += yml_cut_before(text, index);
	if (index >= text->count)
		return text->base + body.len;
	if (!text->marks)
		return text->base + index;
	size_t step = index / MARK_STEP;
	size_t i = text->marks[step];
	for (size_t left = index - step * MARK_STEP; left > 0 && i < body.len; left--)
		do
			i++;
		while (i < body.len && ((unsigned char)body.ptr[i] & 0xC0) == 0x80);
	return text->base + i;
}
