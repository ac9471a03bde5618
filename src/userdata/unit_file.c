/*
 * Reads unit files as the lexer of go-systemd (20191104) does, which Ignition uses to check them
 * (docs/spec/userdata.md 3.4).
 *
 * COMPAT: the lexer finds a line too long only if 2048 bytes of it happen to be in its buffer at
 * once. Therefore the fill of its bufio.Reader (4096 bytes) is tracked too.
 */
#include "userdata/ignition.h"

#define BUFFER_BYTES 4096
#define LINE_MAX     2048

struct lexer {
	sv text;
	size_t at;       /* the next byte to read */
	size_t buffered; /* end of the part of the text that is in the buffer */
	struct unit_file file;
	bool in_install;
	const char *problem;
	size_t problem_at;
};

enum step {
	STEP_SECTION,
	STEP_SECTION_NAME,
	STEP_SECTION_END,
	STEP_LINE,
	STEP_NAME,
	STEP_VALUE,
	STEP_COMMENT_OUTSIDE,
	STEP_COMMENT,
	STEP_DONE,
	STEP_FAILED
};

/* Does as bufio.Reader.fill: moves unread bytes to the front of the buffer and fills the rest. */
static void fill(struct lexer *l)
{
	size_t room = BUFFER_BYTES - (l->buffered - l->at);
	size_t left = l->text.len - l->buffered;

	l->buffered += left < room ? left : room;
}

/* Does as bufio.Reader.ReadRune. Returns false at the end. */
static bool read_rune(struct lexer *l, uint32_t *ret_rune)
{
	size_t width;

	if (l->at == l->text.len)
		return false;
	*ret_rune = utf8_decode_at(l->text, l->at, &width);
	while (l->at + width > l->buffered)
		fill(l);
	l->at += width;
	return true;
}

/*
 * Does as bufio.Reader.ReadBytes: returns the bytes up to and including the delimiter. Returns
 * false, with the remaining bytes, if there is no delimiter.
 */
static bool read_through(struct lexer *l, char delimiter, sv *ret_part)
{
	size_t start = l->at;
	size_t found = sv_find_char(sv_from_offset(l->text, start), delimiter);
	size_t end = found == SV_NPOS ? l->text.len : start + found + 1;

	while (l->buffered < end) {
		/* A full buffer without the delimiter is taken out whole. */
		if (l->buffered - l->at >= BUFFER_BYTES)
			l->at = l->buffered;
		fill(l);
	}
	l->at = end;
	*ret_part = sv_slice(l->text, start, end);
	return found != SV_NPOS;
}

/* Returns the rest of the line, without its LF. */
static sv read_line(struct lexer *l)
{
	sv line;

	if (read_through(l, '\n', &line))
		line.len--;
	return line;
}

static bool is_space_only(sv text)
{
	size_t width;

	while (text.len > 0) {
		if (!utf8_is_space(utf8_decode(text, &width)))
			return false;
		text = sv_from_offset(text, width);
	}
	return true;
}

static enum step fail_unit_file(struct lexer *l, const char *problem, size_t at)
{
	l->problem = problem;
	l->problem_at = at;
	return STEP_FAILED;
}

static enum step skip_comment(struct lexer *l, enum step next)
{
	for (;;) {
		sv line = read_line(l);

		if (sv_ends_with(line, SV(" ")))
			line.len--;
		if (!sv_ends_with(line, SV("\\")))
			return next;
	}
}

/* Skips everything before the first section except comments, which have a step of their own. */
static enum step find_section(struct lexer *l)
{
	uint32_t rune;

	if (!read_rune(l, &rune))
		return STEP_DONE;
	if (rune == '[')
		return STEP_SECTION_NAME;
	return rune == '#' || rune == ';' ? STEP_COMMENT_OUTSIDE : STEP_SECTION;
}

static enum step read_section_name(struct lexer *l)
{
	size_t start = l->at;
	sv name;

	if (!read_through(l, ']', &name))
		return fail_unit_file(l, "unable to find end of section", start - 1);
	l->in_install = sv_eq_cstr(sv_slice(name, 0, name.len - 1), "Install");
	return STEP_SECTION_END;
}

static enum step read_section_end(struct lexer *l)
{
	size_t start = l->at;

	if (!is_space_only(read_line(l)))
		return fail_unit_file(l, "found garbage after section name", start);
	return STEP_LINE;
}

static enum step read_line_start(struct lexer *l)
{
	size_t start = l->at;
	uint32_t rune;

	if (!read_rune(l, &rune))
		return STEP_DONE;
	if (utf8_is_space(rune))
		return STEP_LINE;
	if (rune == '[')
		return STEP_SECTION_NAME;
	if (rune == '#' || rune == ';')
		return STEP_COMMENT;
	l->at = start;
	return STEP_NAME;
}

static enum step read_name(struct lexer *l)
{
	size_t start = l->at;
	uint32_t rune;

	for (;;) {
		if (!read_rune(l, &rune))
			return fail_unit_file(l, "the text ends in an option's name", start);
		if (rune == '\n' || rune == '\r')
			return fail_unit_file(
			    l, "unexpected newline encountered while parsing option name", start);
		if (rune == '=')
			return STEP_VALUE;
	}
}

/* Reads one line of a value; a backslash at its end continues the value on the next line. */
static enum step read_value(struct lexer *l)
{
	sv line = read_line(l);

	if (!is_space_only(line) && sv_ends_with(line, SV("\\")))
		return STEP_VALUE;
	l->file.has_options = true;
	l->file.has_install |= l->in_install;
	return STEP_LINE;
}

static bool line_is_too_long(const struct lexer *l)
{
	sv ahead = sv_slice(l->text, l->at, l->at + LINE_MAX);

	return l->buffered - l->at >= LINE_MAX && sv_find_char(ahead, '\n') == SV_NPOS &&
	       sv_find_char(ahead, '\r') == SV_NPOS;
}

static enum step do_step(struct lexer *l, enum step step)
{
	if (line_is_too_long(l))
		return fail_unit_file(l, "line too long (max 2048 bytes)", l->at);
	switch (step) {
	case STEP_SECTION:
		return find_section(l);
	case STEP_SECTION_NAME:
		return read_section_name(l);
	case STEP_SECTION_END:
		return read_section_end(l);
	case STEP_LINE:
		return read_line_start(l);
	case STEP_NAME:
		return read_name(l);
	case STEP_VALUE:
		return read_value(l);
	case STEP_COMMENT_OUTSIDE:
		return skip_comment(l, STEP_SECTION);
	case STEP_COMMENT:
		return skip_comment(l, STEP_LINE);
	case STEP_DONE:
	case STEP_FAILED:
		break;
	}
	return step;
}

bool unit_file_read(sv text, struct unit_file *ret_file, const char **ret_problem, size_t *ret_at)
{
	struct lexer l = {.text = text};
	enum step step = STEP_SECTION;

	while (step != STEP_DONE && step != STEP_FAILED)
		step = do_step(&l, step);
	if (step == STEP_FAILED) {
		*ret_problem = l.problem;
		*ret_at = l.problem_at;
		return false;
	}
	*ret_file = l.file;
	return true;
}
