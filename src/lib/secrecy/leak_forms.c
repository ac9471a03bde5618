/*
 * The needles of the leak scan: a secret in clear, line by line, and as encoders write it.
 */
#include "codec/codec.h"
#include "golang/golang.h"
#include "secrecy/leak.h"
#include "value/text.h"
#include "json/json.h"

static void add_needle(struct leak_scanner *scanner, const struct secret *secret, sv text,
                       const char *form)
{
	leak_add_needle(scanner, secret, text, form, NULL);
}

/*
 * Returns the characters of base64 that depend on text alone, if `before` bytes precede it in its
 * group of three.
 */
static sv base64_inside(struct arena *arena, enum base64_kind kind, sv text, size_t before)
{
	static const size_t undecided[] = {0, 2, 3};
	sv padded = ARENA_CONCAT(arena, sv_slice(SV("\0\0"), 0, before), text);
	sv encoded = base64_encode(arena, kind, padded);

	return sv_slice(encoded, undecided[before], padded.len * 8 / 6);
}

static void add_base64(struct arena *scratch, struct leak_scanner *scanner,
                       const struct secret *secret, sv text)
{
	for (size_t before = 0; before < 3; before++) {
		sv inner = base64_inside(scratch, BASE64_STD, text, before);

		add_needle(scanner, secret, inner, "in base64");
		add_needle(scanner, secret, base64_inside(scratch, BASE64_URL, text, before),
		           "in URL-safe base64");
		for (size_t outer = 0; outer < 3; outer++)
			add_needle(scanner, secret,
			           base64_inside(scratch, BASE64_STD, inner, outer),
			           "in base64 of base64");
	}
}

/* Writes the string for single quotes of a shell: each quote leaves them. */
static sv shell_quoted(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'')
			BUF_ADD_LIT(&buf, "'\\''");
		else
			buf_add_char(&buf, text.ptr[i]);
	}
	return buf_sv(&buf);
}

/* Writes the string for single quotes of YAML: each quote twice. */
static sv yaml_single_quoted(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < text.len; i++) {
		buf_add_char(&buf, text.ptr[i]);
		if (text.ptr[i] == '\'')
			buf_add_char(&buf, '\'');
	}
	return buf_sv(&buf);
}

/* Writes the string for double quotes of YAML (YAML 1.2 section 5.7), with the short escapes. */
static sv yaml_double_quoted(struct arena *arena, sv text)
{
	static const char bytes[] = "\a\b\t\n\v\f\r\x1b\"\\";
	static const char letters[] = "abtnvfre\"\\";
	struct buf buf = buf_in(arena);
	size_t width;

	for (; text.len > 0; text = sv_from_offset(text, width)) {
		uint32_t rune = utf8_decode(text, &width);
		const char *known =
		    width == 1 && *text.ptr != '\0' ? strchr(bytes, *text.ptr) : NULL;

		if (known)
			buf_printf(&buf, "\\%c", letters[known - bytes]);
		else if (rune == 0x85 || rune == 0xA0)
			buf_add(&buf, rune == 0x85 ? SV("\\N") : SV("\\_"));
		else if (rune == 0x2028 || rune == 0x2029)
			buf_add(&buf, rune == 0x2028 ? SV("\\L") : SV("\\P"));
		else if (rune == 0)
			BUF_ADD_LIT(&buf, "\\0");
		else if (rune < 0x20 || rune == 0x7F)
			buf_printf(&buf, "\\x%02X", rune);
		else
			buf_add(&buf, sv_slice(text, 0, width));
	}
	return buf_sv(&buf);
}

static sv json_inside(struct arena *arena, sv text, unsigned flags)
{
	struct buf buf = buf_in(arena);

	json_emit_string(&buf, text, flags);
	return sv_slice(buf_sv(&buf), 1, buf.len - 1);
}

static void add_escaped_forms(struct arena *arena, struct leak_scanner *scanner,
                              const struct secret *secret, sv text)
{
	sv quoted = go_strconv_quote(arena, text);
	struct buf data_url = buf_in(arena);

	data_url_add(&data_url, text);
	add_needle(scanner, secret, go_url_query_escape(arena, text), "percent-encoded");
	add_needle(scanner, secret, go_url_path_escape(arena, text), "percent-encoded");
	add_needle(scanner, secret, sv_from_offset(buf_sv(&data_url), sizeof("data:,") - 1),
	           "percent-encoded");
	add_needle(scanner, secret, json_inside(arena, text, 0), "with JSON escapes");
	add_needle(scanner, secret, json_inside(arena, text, JSON_ESCAPE_HTML),
	           "with JSON escapes");
	add_needle(scanner, secret, sv_slice(quoted, 1, quoted.len - 1), "quoted");
	add_needle(scanner, secret, shell_quoted(arena, text), "quoted for a shell");
	add_needle(scanner, secret, yaml_single_quoted(arena, text), "in YAML's quotes");
	add_needle(scanner, secret, yaml_double_quoted(arena, text), "in YAML's quotes");
}

/* A line that is a file's only one is written as a scalar: in quotes where it needs them. */
static void add_lines(struct arena *scratch, struct leak_scanner *scanner,
                      const struct secret *secret, sv text)
{
	static const char form[] = "line by line";
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		line = sv_trim_space(line);
		if (!secrecy_is_long_line(line) || leak_find_needle(scanner, line))
			continue;
		sv *kept = ARENA_NEW(scanner->arena, sv);
		*kept = arena_dup(scanner->arena, line);
		leak_add_needle(scanner, secret, line, form, kept);
		if (sv_find_char(line, '"') == SV_NPOS && sv_find_char(line, '\\') == SV_NPOS &&
		    sv_find_char(line, '\'') == SV_NPOS)
			continue;
		leak_add_needle(scanner, secret, json_inside(scratch, line, 0), form, kept);
		leak_add_needle(scanner, secret, yaml_double_quoted(scratch, line), form, kept);
		leak_add_needle(scanner, secret, yaml_single_quoted(scratch, line), form, kept);
	}
}

/* The form of the secret's own text. If that is a needle, its other forms are needles, too. */
static const char in_clear[] = "in clear";

static bool is_looked_for(const struct leak_scanner *scanner, sv text)
{
	for (; scanner; scanner = scanner->parent) {
		const struct leak_origin *found = leak_find_needle(scanner, text);

		if (found && found->form == in_clear)
			return true;
	}
	return false;
}

static void add_forms(struct arena *scratch, struct leak_scanner *scanner,
                      const struct secret *secret, sv text)
{
	add_needle(scanner, secret, text, in_clear);
	add_base64(scratch, scanner, secret, text);
	add_escaped_forms(scratch, scanner, secret, text);
	if (sv_find_char(text, '\n') != SV_NPOS)
		add_lines(scratch, scanner, secret, text);
}

void leak_scanner_add_text(struct leak_scanner *scanner, const struct secret *secret)
{
	add_needle(scanner, secret, secret->text, in_clear);
}

bool leak_scanner_add(struct arena *scratch, struct leak_scanner *scanner,
                      const struct secret *secret)
{
	/* White space around a secret may be added or removed on its way. */
	sv text = sv_trim_space(secret->text);

	if (text.len < LEAK_MIN_SIZE)
		return false;
	if (is_looked_for(scanner, text))
		return true;
	struct value stored = value_string(text);

	add_forms(scratch, scanner, secret, text);
	/* JSON stores U+FFFD for each byte that is not UTF-8. */
	stored = text_valid_utf8(scratch, &stored);
	if (!sv_eq(stored.string, text))
		add_forms(scratch, scanner, secret, stored.string);
	return true;
}
