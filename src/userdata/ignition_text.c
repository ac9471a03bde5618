/*
 * Determines what YAML reads back from a string that is written as a literal block scalar
 * (docs/spec/userdata.md 3.3; YAML 1.1 as yaml.v3's scanner reads it).
 *
 * The controller indents each line, and the scanner takes the indentation of the first line that is
 * not blank for that of the block. A string with indentation of its own loses it, and can break.
 */
#include "codec/codec.h"
#include "userdata/ignition.h"
#include "value/text.h"

/* One line as the scanner sees it: spaces that the controller put there, then the text's own. */
struct line {
	size_t start;   /* offset in the text */
	size_t end;     /* offset of its line break */
	size_t spaces;  /* leading ones, including the controller's */
	size_t content; /* offset of the first other byte, or end */
	sv line_break;  /* as a block scalar keeps it */
};

struct scanner {
	sv text;
	struct ignition_place place;
	size_t at;     /* where the next line starts */
	bool indented; /* the controller's spaces are before the next line */
	bool done;
};

/*
 * Returns the length of the line break at `at`, or 0 if there is none; *ret_kept is the line break
 * that the scanner makes of it.
 */
static size_t break_at(sv text, size_t at, sv *ret_kept)
{
	const char *p = text.ptr + at;
	size_t left = text.len - at;

	*ret_kept = SV("\n");
	if (*p == '\n')
		return 1;
	if (*p == '\r')
		return left > 1 && p[1] == '\n' ? 2 : 1;
	if (left >= 2 && memcmp(p, "\xC2\x85", 2) == 0)
		return 2;
	if (left >= 3 && (memcmp(p, "\xE2\x80\xA8", 3) == 0 || memcmp(p, "\xE2\x80\xA9", 3) == 0)) {
		*ret_kept = sv_from(p, 3);
		return 3;
	}
	return 0;
}

static bool next_line(struct scanner *s, struct line *ret_line)
{
	if (s->done)
		return false;
	struct line line = {.start = s->at, .line_break = SV("\n")};
	size_t at = s->at;
	size_t width = 0;

	line.spaces = s->indented ? s->place.indent : 0;
	while (at < s->text.len && s->text.ptr[at] == ' ')
		at++;
	line.spaces += at - s->at;
	line.content = at;
	while (at < s->text.len) {
		unsigned char c = (unsigned char)s->text.ptr[at];

		/* Only these bytes begin a break. */
		if (c == '\n' || c == '\r' || c == 0xC2 || c == 0xE2) {
			width = break_at(s->text, at, &line.line_break);
			if (width > 0)
				break;
		}
		at++;
	}
	line.end = at;
	s->done = at == s->text.len;
	if (!s->done) {
		/* The controller puts its spaces after every LF, and after nothing else. */
		s->indented = s->text.ptr[at + width - 1] == '\n';
		s->at = at + width;
	}
	*ret_line = line;
	return true;
}

static bool is_blank_line(const struct line *line)
{
	return line->content == line->end;
}

static bool starts_with(const struct scanner *s, const struct line *line, char c)
{
	return !is_blank_line(line) && s->text.ptr[line->content] == c;
}

/* ---- bytes that no YAML may hold --------------------------------------------------------- */

static bool is_allowed(uint32_t rune, size_t width)
{
	if (rune == UTF8_REPLACEMENT)
		return width == 3;
	return rune == '\t' || rune == '\n' || rune == '\r' || (rune >= 0x20 && rune <= 0x7E) ||
	       rune == 0x85 || (rune >= 0xA0 && rune <= 0xD7FF) ||
	       (rune >= 0xE000 && rune <= 0xFFFD) || rune >= 0x10000;
}

size_t ignition_find_forbidden(sv text)
{
	size_t at = 0;

	while (at < text.len) {
		unsigned char c = (unsigned char)text.ptr[at];
		size_t width;

		if (c >= 0x20 && c < 0x7F) {
			at++;
			continue;
		}
		uint32_t rune = utf8_decode_at(text, at, &width);
		if (!is_allowed(rune, width))
			return at;
		at += width;
	}
	return SV_NPOS;
}

/* ---- the block --------------------------------------------------------------------------- */

#define PROBLEM_TAB    "there is a TAB where the indentation of the text is expected"
#define PROBLEM_INDENT "this line has less indentation than the text's first line"
#define PROBLEM_BREAK  "a line break that is neither LF nor CRLF"

/* The blank lines before the first line with content, which determine the block's indentation. */
struct head {
	size_t indent;
	struct text breaks;
	struct line first; /* the first line with content */
	bool empty;        /* there is no line with content */
};

static bool read_head(struct arena *arena, struct scanner *s, struct head *head,
                      const char **ret_problem, size_t *ret_at)
{
	struct line line;

	*head = (struct head){.indent = s->place.parent + 1, .breaks = text_in(arena)};
	while (next_line(s, &line)) {
		if (line.spaces > head->indent)
			head->indent = line.spaces;
		if (is_blank_line(&line)) {
			text_add(&head->breaks, line.line_break);
			continue;
		}
		if (starts_with(s, &line, '\t')) {
			*ret_problem = PROBLEM_TAB;
			*ret_at = line.content;
			return false;
		}
		head->first = line;
		return true;
	}
	head->empty = true;
	return true;
}

/* Checks the lines after the block's end: only comments (lost) and blank lines are valid. */
static bool check_rest(struct scanner *s, struct line line, size_t *ret_lost,
                       const char **ret_problem, size_t *ret_at)
{
	do {
		if (is_blank_line(&line))
			continue;
		if (!starts_with(s, &line, '#')) {
			*ret_problem = starts_with(s, &line, '\t') ? PROBLEM_TAB : PROBLEM_INDENT;
			/*
			 * The controller indents lines after LF only: a line after another line
			 * break is never indented.
			 */
			if (line.start > 0 && s->text.ptr[line.start - 1] != '\n')
				*ret_problem = PROBLEM_BREAK;
			*ret_at = line.content;
			return false;
		}
		if (*ret_lost == SV_NPOS)
			*ret_lost = line.content;
	} while (next_line(s, &line));
	return true;
}

bool ignition_text_normalise(struct arena *arena, const struct value *text,
                             struct ignition_place place, struct ignition_text *ret_text,
                             const char **ret_problem, size_t *ret_at)
{
	struct scanner s = {.text = value_text(text), .place = place, .indented = true};
	struct text out = text_in(arena);
	struct text breaks;
	struct head head;
	size_t lost = SV_NPOS;
	size_t forbidden = ignition_find_forbidden(s.text);

	if (forbidden != SV_NPOS) {
		*ret_problem = (unsigned char)s.text.ptr[forbidden] < 0x80
		                   ? "a control character"
		                   : "a control character or invalid UTF-8";
		*ret_at = forbidden;
		return false;
	}
	if (!read_head(arena, &s, &head, ret_problem, ret_at))
		return false;
	struct line line = head.first;
	sv last_break = {0};
	bool more = !head.empty;
	breaks = head.breaks;
	while (more) {
		if (is_blank_line(&line) && line.spaces <= head.indent) {
			text_add(&breaks, line.line_break);
		} else if (line.spaces < head.indent) {
			if (!check_rest(&s, line, &lost, ret_problem, ret_at))
				return false;
			break;
		} else {
			text_add(&out, last_break);
			text_add(&out, text_sv(&breaks));
			breaks.buf.len = 0;
			size_t from = line.content - (line.spaces - head.indent);
			text_add_tainted(&out, sv_slice(s.text, from, line.end),
			                 taint_slice(arena, text->taint, from, line.end));
			last_break = line.line_break;
		}
		more = next_line(&s, &line);
	}
	text_add(&out, last_break);
	*ret_text = (struct ignition_text){.value = text_value(arena, &out), .lost_from = lost};
	ret_text->value.origin = text->origin;
	return true;
}

void ignition_add_data_url(struct text *out, const struct value *content)
{
	sv text = value_text(content);
	size_t at = 0;

	TEXT_ADD_LIT(out, "data:,");
	for (size_t i = 0; content->taint && i < content->taint->count; i++) {
		const struct taint_span *span = &content->taint->spans[i];

		data_url_add_bytes(&out->buf, sv_slice(text, at, span->start));
		size_t from = out->buf.len;
		data_url_add_bytes(&out->buf, sv_slice(text, span->start, span->end));
		text_mark_secret(out, from, span->secret);
		at = span->end;
	}
	if (taint_derived_from(content->taint))
		text_mark_taint(out, out->buf.len, content->taint);
	data_url_add_bytes(&out->buf, sv_from_offset(text, at));
}
