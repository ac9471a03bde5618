/*
 * Patterns in Go's syntax, brought to RE2's: what the two spell differently, what only RE2 takes,
 * and Go's words for what is wrong.
 */
#include "tmpl/funcs/regex.h"

/* The end of a [class] that starts at i. */
static size_t class_end(sv s, size_t i)
{
	bool may_close = true; /* a ":]" may be ahead */

	i++;
	if (i < s.len && s.ptr[i] == '^')
		i++;
	if (i < s.len && s.ptr[i] == ']')
		i++;
	for (; i < s.len && s.ptr[i] != ']'; i++) {
		if (s.ptr[i] == '\\')
			i++;
		else if (may_close && s.ptr[i] == '[' && i + 1 < s.len && s.ptr[i + 1] == ':') {
			size_t close = sv_find(sv_from_offset(s, i), SV(":]"));
			may_close = close != SV_NPOS;
			i = may_close ? i + close + 1 : i;
		}
	}
	return i < s.len ? i + 1 : s.len;
}

/* The first mistake that Go refuses and RE2 does not, and Go's message. */
struct first_mistake {
	size_t at; /* SV_NPOS if there is none */
	sv words;
};

static void mistake_at(struct first_mistake *first, size_t at, sv words)
{
	if (first->at == SV_NPOS)
		*first = (struct first_mistake){at, words};
}

/* From these offsets on, source and target are the same up to the next shift. */
struct shift {
	size_t source;
	size_t target;
};

/* A pattern on its way into RE2's words. */
struct translation {
	struct arena *arena;
	sv source;
	struct buf target;
	size_t from; /* of the source: what is not copied yet */
	VEC(struct shift) shifts;
	struct first_mistake mistake;
};

/* Copies the source before `at` and replaces the `len` bytes at it by the words. */
static size_t replace(struct translation *t, size_t at, size_t len, sv words)
{
	buf_add(&t->target, sv_slice(t->source, t->from, at));
	buf_add(&t->target, words);
	t->from = at + len;
	VEC_PUSH(t->arena, &t->shifts, (struct shift){t->from, t->target.len});
	return t->from;
}

static bool take_count(sv *rest, bool *ret_too_large)
{
	size_t len = 0;

	while (len < rest->len && ascii_is_digit(rest->ptr[len]))
		len++;
	if (len == 0 || (len > 1 && rest->ptr[0] == '0'))
		return false;
	*ret_too_large |= len > 8;
	*rest = sv_from_offset(*rest, len);
	return true;
}

/* The {9,99} that s starts with, when a number in it has more digits than RE2 reads; else empty. */
static sv endless_repeat(sv s)
{
	sv rest = sv_from_offset(s, 1);
	bool too_large = false;

	if (!take_count(&rest, &too_large))
		return (sv){NULL, 0};
	if (sv_starts_with(rest, SV(","))) {
		rest = sv_from_offset(rest, 1);
		if (!sv_starts_with(rest, SV("}")) && !take_count(&rest, &too_large))
			return (sv){NULL, 0};
	}
	if (!too_large || !sv_starts_with(rest, SV("}")))
		return (sv){NULL, 0};
	return sv_slice(s, 0, s.len - rest.len + 1);
}

/* The "(?P<name>" that s starts with, when the name is one to RE2 alone: it takes any letters. */
static sv foreign_name(sv s)
{
	size_t start = sv_find_char(s, '<') + 1;
	size_t end = sv_find_char(s, '>');
	bool foreign = false;

	for (size_t i = start; end != SV_NPOS && i < end; i++) {
		char c = s.ptr[i];
		bool is_word = ascii_is_alphanumeric(c) || c == '_';
		if (!is_word && (signed char)c >= 0)
			return (sv){NULL, 0};
		foreign |= !is_word;
	}
	return foreign ? sv_slice(s, 0, end + 1) : (sv){NULL, 0};
}

static void check_group_name(struct translation *t, size_t at)
{
	sv name = foreign_name(sv_from_offset(t->source, at));

	if (name.len > 0)
		mistake_at(&t->mistake, at,
		           ARENA_CONCAT(t->arena, SV("invalid named capture: `"), name, SV("`")));
}

/* ---- character classes ------------------------------------------------------------------- */

static void mistake_at_class(struct translation *t, size_t at, size_t len)
{
	mistake_at(&t->mistake, at,
	           ARENA_CONCAT(t->arena, SV("invalid character class range: `"),
	                        sv_slice(t->source, at, at + len), SV("`")));
}

/* Does as translate_class for a name of one letter without braces: \pl is \pL. */
static size_t translate_letter(struct translation *t, size_t i)
{
	char letter = t->source.ptr[i + 2];
	char upper = ascii_upper(letter);

	if (letter == '\\')
		mistake_at_class(t, i, 3);
	if (upper == letter || !regex_class_is_known(t->arena, sv_from(&upper, 1)))
		return 0;
	return replace(t, i + 2, 1, sv_from(&upper, 1));
}

/* Translates the \p{name} or \P{name} at i. Returns its end, or 0 if it is left as it is. */
static size_t translate_class(struct translation *t, size_t i, bool in_brackets)
{
	sv s = t->source;
	size_t end = sv_find_char(sv_from_offset(s, i), '}');
	bool negated = s.ptr[i + 1] == 'P';

	if (i + 2 == s.len)
		mistake_at_class(t, i, 2);
	else if (s.ptr[i + 2] != '{')
		return translate_letter(t, i);
	else if (end == SV_NPOS)
		mistake_at_class(t, i, s.len - i);
	if (end == SV_NPOS || end < 4)
		return 0;
	sv name = sv_slice(s, i + 3, i + end);
	if (name.ptr[0] == '^') {
		negated = !negated;
		name = sv_from_offset(name, 1);
	}
	sv class = regex_class_name(t->arena, name);
	if (class.len > 0)
		return replace(t, i, end + 1,
		               regex_class_pattern(t->arena, class, negated, in_brackets));
	mistake_at_class(t, i, end + 1);
	return 0;
}

static size_t translate_brackets(struct translation *t, size_t i)
{
	sv s = t->source;
	size_t end = class_end(s, i);

	while (i + 1 < end) {
		size_t next = 0;
		if (s.ptr[i] == '\\' && (s.ptr[i + 1] == 'p' || s.ptr[i + 1] == 'P'))
			next = translate_class(t, i, true);
		i = next > 0 ? next : i + (s.ptr[i] == '\\' ? 2 : 1);
	}
	return end;
}

/* ---- whole patterns ---------------------------------------------------------------------- */

/* Translates the escape at i, if necessary, and returns its end. */
static size_t translate_escape(struct translation *t, size_t i)
{
	sv s = t->source;
	char letter = s.ptr[i + 1];
	size_t next = letter == 'p' || letter == 'P' ? translate_class(t, i, false) : 0;

	if (next > 0)
		return next;
	if (letter == 'C')
		mistake_at(&t->mistake, i, SV("invalid escape sequence: `\\C`"));
	if (letter != 'Q')
		return i + 2;
	size_t end = sv_find(sv_from_offset(s, i), SV("\\E"));
	return end == SV_NPOS ? s.len : i + end + 2;
}

/* (?<name> to (?P<name>, and names of classes. */
static struct translation translate(struct arena *arena, sv s)
{
	struct translation t = {
	    .arena = arena, .source = s, .target = buf_in(arena), .mistake = {SV_NPOS, {NULL, 0}}};

	for (size_t i = 0; i < s.len;) {
		sv rest = sv_from_offset(s, i);

		if (s.ptr[i] == '\\' && i + 1 < s.len) {
			i = translate_escape(&t, i);
		} else if (s.ptr[i] == '[') {
			i = translate_brackets(&t, i);
		} else if (sv_starts_with(rest, SV("(?P<"))) {
			check_group_name(&t, i);
			i += 4;
		} else if (sv_starts_with(rest, SV("(?<"))) {
			check_group_name(&t, i);
			replace(&t, i + 2, 0, SV("P"));
			i += 3;
		} else {
			sv repeat = s.ptr[i] == '{' ? endless_repeat(rest) : (sv){NULL, 0};
			if (repeat.len > 0)
				mistake_at(&t.mistake, i,
				           ARENA_CONCAT(arena, SV("invalid repeat count: `"),
				                        repeat, SV("`")));
			i++;
		}
	}
	buf_add(&t.target, sv_from_offset(s, t.from));
	return t;
}

static size_t source_offset(const struct translation *t, size_t target)
{
	struct shift last = {0, 0};

	VEC_EACH (shift, &t->shifts) {
		if (shift->target > target)
			break;
		last = *shift;
	}
	return last.source + (target - last.target);
}

/* Returns the source of a part that RE2 quotes in an error. */
static sv source_part(const struct translation *t, sv part)
{
	sv target = buf_sv(&t->target);
	size_t at = sv_ends_with(target, part) ? target.len - part.len : sv_find(target, part);

	if (at == SV_NPOS || sv_contains(t->source, part))
		return part;
	return sv_slice(t->source, source_offset(t, at), source_offset(t, at + part.len));
}

static sv error_words(enum regex_error code)
{
	switch (code) {
	case REGEX_OK:
	case REGEX_INTERNAL:
		return SV("regexp/syntax: internal error");
	case REGEX_BAD_ESCAPE:
		return SV("invalid escape sequence");
	case REGEX_BAD_CLASS:
		return SV("invalid character class");
	case REGEX_BAD_RANGE:
		return SV("invalid character class range");
	case REGEX_MISSING_BRACKET:
		return SV("missing closing ]");
	case REGEX_MISSING_PAREN:
		return SV("missing closing )");
	case REGEX_UNEXPECTED_PAREN:
		return SV("unexpected )");
	case REGEX_TRAILING_BACKSLASH:
		return SV("trailing backslash at end of expression");
	case REGEX_REPEAT_ARGUMENT:
		return SV("missing argument to repetition operator");
	case REGEX_REPEAT_SIZE:
		return SV("invalid repeat count");
	case REGEX_REPEAT_OP:
		return SV("invalid nested repetition operator");
	case REGEX_BAD_PERL_OP:
		return SV("invalid or unsupported Perl syntax");
	case REGEX_BAD_UTF8:
		return SV("invalid UTF-8");
	case REGEX_BAD_NAME:
		return SV("invalid named capture");
	case REGEX_TOO_LARGE:
		return SV("expression too large");
	}
	BUG("regex error");
}

/* The "{1001}" at the end of a part when it asks for more than both libraries allow; else empty. */
static sv oversized_repeat(sv part)
{
	size_t brace = sv_rfind_char(part, '{');
	int64_t count = 0;

	if (brace == SV_NPOS)
		return (sv){NULL, 0};
	sv repeat = sv_from_offset(part, brace);
	for (size_t i = 1; i < repeat.len && count <= 1000; i++) {
		if (ascii_is_digit(repeat.ptr[i]))
			count = count * 10 + repeat.ptr[i] - '0';
		else
			count = 0;
		if (count > 1000)
			return repeat;
	}
	return (sv){NULL, 0};
}

static sv from_invalid_byte(sv s)
{
	size_t width;

	while (s.len > 0 && !(utf8_decode(s, &width) == UTF8_REPLACEMENT && width == 1))
		s = sv_from_offset(s, width);
	return s;
}

/* "(?<name>" from where the part begins; all that follows when no > does. */
static sv group_head(sv pattern, sv part)
{
	sv rest = sv_from_offset(pattern, sv_find(pattern, part));
	size_t end = sv_find_char(rest, '>');

	return end == SV_NPOS ? rest : sv_slice(rest, 0, end + 1);
}

/* Returns the part that Go names in an error; RE2 may name another. */
static sv error_part(enum regex_error *code, sv part, sv pattern)
{
	sv repeat;

	switch (*code) {
	case REGEX_MISSING_PAREN:
	case REGEX_UNEXPECTED_PAREN:
		return pattern;
	case REGEX_TRAILING_BACKSLASH:
		return SV("");
	case REGEX_REPEAT_SIZE:
		return sv_ends_with(part, SV("?")) ? sv_slice(part, 0, part.len - 1) : part;
	case REGEX_REPEAT_OP:
		/* Go looks at the count first. */
		repeat = oversized_repeat(part);
		if (repeat.len > 0) {
			*code = REGEX_REPEAT_SIZE;
			return repeat;
		}
		return part;
	case REGEX_BAD_UTF8:
		return from_invalid_byte(pattern);
	case REGEX_BAD_NAME:
		/* The rest of the pattern may have been kept from RE2. */
		return sv_ends_with(part, SV(">")) ? part : group_head(pattern, part);
	case REGEX_OK:
	case REGEX_INTERNAL:
	case REGEX_BAD_ESCAPE:
	case REGEX_BAD_CLASS:
	case REGEX_BAD_RANGE:
	case REGEX_MISSING_BRACKET:
	case REGEX_REPEAT_ARGUMENT:
	case REGEX_BAD_PERL_OP:
	case REGEX_TOO_LARGE:
		break;
	}
	return part;
}

static sv error_text(const struct translation *t, const struct regex_pattern *re, sv text)
{
	enum regex_error code = regex_error_code(re);
	size_t len;
	const char *start = regex_error_part(re, &len);
	sv part = source_part(t, arena_dup(t->arena, sv_from(start, len)));

	part = error_part(&code, part, text);
	return ARENA_CONCAT(t->arena, SV("error parsing regexp: "), error_words(code), SV(": `"),
	                    part, SV("`"));
}

static struct regex_pattern *compile(const struct translation *t)
{
	sv pattern = buf_sv(&t->target);

	return regex_compile(pattern.ptr ? pattern.ptr : "", pattern.len);
}

/* Returns Go's message on the first mistake: one that RE2 finds before t->mistake, or that. */
static sv error_before(const struct translation *t)
{
	struct translation before = translate(t->arena, sv_slice(t->source, 0, t->mistake.at));
	REGEX_AUTO re = compile(&before);
	enum regex_error code = regex_error_code(re);

	if (code == REGEX_OK || code == REGEX_MISSING_PAREN || code == REGEX_MISSING_BRACKET)
		return ARENA_CONCAT(t->arena, SV("error parsing regexp: "), t->mistake.words);
	return error_text(&before, re, t->source);
}

struct regex_pattern *regex_compile_go(struct arena *arena, sv text, sv *ret_error,
                                       bool *ret_too_large)
{
	const struct translation t = translate(arena, text);

	*ret_too_large = false;
	if (t.mistake.at != SV_NPOS) {
		*ret_error = error_before(&t);
		return NULL;
	}
	struct regex_pattern *re = compile(&t);
	if (regex_error_code(re) == REGEX_OK)
		return re;
	*ret_too_large = regex_error_code(re) == REGEX_TOO_LARGE;
	*ret_error = error_text(&t, re, text);
	regex_free(re);
	return NULL;
}
