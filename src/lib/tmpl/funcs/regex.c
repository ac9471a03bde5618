/*
 * sprig's regular expressions over RE2, with Go's rules of searching, replacing and splitting.
 */
#include "tmpl/funcs/regex.h"

#include "golang/golang.h"
#include "tmpl/exec.h"
#include "tmpl/func.h"
#include "tmpl/funcs/convert.h"

/* ---- patterns ---------------------------------------------------------------------------- */

static bool can_backquote(sv s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		if ((c < ' ' && c != '\t') || c == '`' || c == 0x7F)
			return false;
	}
	return utf8_valid(s) && !sv_contains(s, SV("\xEF\xBB\xBF"));
}

/*
 * A step is about 50 ns of work. RE2 parses a byte of a pattern in up to 3 us, compiles an
 * instruction in 0.4 us, and where its automaton outgrows its memory, it tries every instruction on
 * every byte, at 5 ns each.
 */
#define STEPS_PER_PATTERN_BYTE 64
#define STEPS_PER_INSTRUCTION  8
#define TRIES_PER_STEP         256
#define GROUPS_PER_TRY         4
/* A class such as \pL has hundreds of ranges, each with its other cases, and is made anew. */
#define STEPS_PER_CLASS 8000
#define BYTES_PER_CLASS ((size_t)64 * 1024)

static size_t count_of(sv s, sv part)
{
	size_t count = 0;
	size_t at;

	for (; (at = sv_find(s, part)) != SV_NPOS; s = sv_from_offset(s, at + part.len))
		count++;
	return count;
}

static enum status charge_pattern(struct tmpl_call *call, sv text)
{
	size_t classes = count_of(text, SV("\\p")) + count_of(text, SV("\\P"));

	TRY(exec_charge(call->run, (1 + text.len) * STEPS_PER_PATTERN_BYTE));
	TRY(exec_charge(call->run, classes * STEPS_PER_CLASS));
	/* From each [: RE2 looks for its end through all that follows. */
	TRY(exec_charge(call->run, count_of(text, SV("[:")) * text.len / EXEC_BYTES_PER_STEP));
	return exec_room(call->run, classes * BYTES_PER_CLASS);
}

/* Null and the error that Go has, or a failure when the pattern is beyond the budget. */
static enum status compile_within_budget(struct tmpl_call *call, struct regex_pattern **ret_re,
                                         sv *ret_error)
{
	sv text = arg_string(call, 0);
	bool too_large;

	*ret_error = (sv){NULL, 0};
	TRY(charge_pattern(call, text));
	*ret_re = regex_compile_go(call->arena, text, ret_error, &too_large);
	if (*ret_re)
		return exec_charge(call->run, regex_program_size(*ret_re) * STEPS_PER_INSTRUCTION);
	/* Go's own limit is another one. */
	if (too_large)
		return exec_pend(call->run, TMPL_LIMIT,
		                 SV("a regular expression that takes more than 8 MiB"));
	return STATUS_OK;
}

/* MustCompile's panic; the must* functions return the error as it is. */
static enum status compile_arg(struct tmpl_call *call, bool must, struct regex_pattern **ret_re)
{
	sv text = arg_string(call, 0);
	sv error;

	TRY(compile_within_budget(call, ret_re, &error));
	if (*ret_re)
		return STATUS_OK;
	/* Concatenate without printf: patterns may hold NULs. */
	if (must)
		return exec_pend(call->run, TMPL_EXEC, error);
	sv quoted = can_backquote(text) ? ARENA_CONCAT(call->arena, SV("`"), text, SV("`"))
	                                : go_strconv_quote(call->arena, text);
	return exec_pend(
	    call->run, TMPL_EXEC,
	    ARENA_CONCAT(call->arena, SV("regexp: Compile("), quoted, SV("): "), error));
}

/* ---- searching --------------------------------------------------------------------------- */

/*
 * A string to search in. RE2 needs valid UTF-8. If the string is not valid, a copy is searched that
 * has U+FFFD for each wrong byte, as Go reads it, and offsets are converted.
 */
struct subject {
	sv text;       /* as it is */
	sv valid;      /* what is searched */
	size_t *forth; /* offset in text to offset in valid; null when they are the same */
	size_t *back;  /* and the other way */
};

static enum status subject_of(struct tmpl_call *call, sv s, struct subject *ret_subject)
{
	struct buf buf = buf_in(call->arena);
	size_t width;

	*ret_subject = (struct subject){.text = s, .valid = s};
	if (utf8_valid(s))
		return STATUS_OK;
	TRY(exec_charge(call->run, s.len));
	TRY(exec_room(call->run, s.len * 5 * sizeof(size_t)));
	ret_subject->forth = ARENA_ARRAY(call->arena, size_t, s.len + 1);
	ret_subject->back = ARENA_ARRAY(call->arena, size_t, 3 * s.len + 1);
	for (size_t at = 0; at < s.len; at += width) {
		uint32_t rune = utf8_decode_at(s, at, &width);
		size_t to = buf_sv(&buf).len;
		buf_add_rune(&buf, rune);
		for (size_t i = 0; i < width; i++)
			ret_subject->forth[at + i] = to;
		for (size_t i = to; i < buf_sv(&buf).len; i++)
			ret_subject->back[i] = at;
	}
	ret_subject->valid = buf_sv(&buf);
	ret_subject->forth[s.len] = ret_subject->valid.len;
	ret_subject->back[ret_subject->valid.len] = s.len;
	return STATUS_OK;
}

static bool is_inside_rune(sv s, size_t at)
{
	return at < s.len && ((unsigned char)s.ptr[at] & 0xC0) == 0x80;
}

static size_t rune_end(sv s, size_t at)
{
	while (is_inside_rune(s, at))
		at++;
	return at;
}

/* Finds the first match from `at` on. Leaves a pending failure if the budget is used up. */
static enum status subject_match(struct tmpl_call *call, const struct subject *subject,
                                 const struct regex_pattern *re, size_t at,
                                 struct regex_span *spans, size_t count, bool *ret_found)
{
	sv text = subject->valid;
	size_t from = subject->forth ? subject->forth[at] : at;
	bool again;

	do {
		size_t tries = (text.len - from) * regex_program_size(re);

		/* Where groups are asked for, each try carries theirs along. */
		TRY(exec_charge(call->run,
		                1 + tries / TRIES_PER_STEP * (1 + count / GROUPS_PER_TRY)));
		*ret_found = regex_match(re, text.ptr, text.len, from, spans, count);
		/* RE2 finds \B between the bytes of a character, too. */
		again = *ret_found && is_inside_rune(text, (size_t)spans[0].start);
		from = again ? rune_end(text, (size_t)spans[0].start) : from;
	} while (again);
	if (!*ret_found)
		return STATUS_OK;
	for (size_t i = 0; subject->back && i < count; i++) {
		if (spans[i].start < 0)
			continue;
		spans[i].start = (ptrdiff_t)subject->back[spans[i].start];
		spans[i].end = (ptrdiff_t)subject->back[spans[i].end];
	}
	return STATUS_OK;
}

static size_t rune_width(sv s, size_t at)
{
	size_t width = 0;

	if (at < s.len)
		utf8_decode_at(s, at, &width);
	return width;
}

VEC_TYPE(span_vec, struct regex_span);

/* Finds at most `limit` matches, or all if it is negative; skips an empty one right after another.
 */
static enum status find_all(struct tmpl_call *call, const struct regex_pattern *re, sv s,
                            int64_t limit, struct span_vec *ret_spans)
{
	ptrdiff_t previous_end = -1;
	size_t at = 0;
	struct subject subject;

	TRY(subject_of(call, s, &subject));
	while (at <= s.len && (limit < 0 || (int64_t)ret_spans->count < limit)) {
		struct regex_span span;
		bool found;
		TRY(subject_match(call, &subject, re, at, &span, 1, &found));
		if (!found)
			break;
		bool counts = true;
		if ((size_t)span.end == at) {
			counts = span.start != previous_end;
			size_t width = rune_width(s, at);
			at = width > 0 ? at + width : s.len + 1;
		} else {
			at = (size_t)span.end;
		}
		previous_end = span.end;
		if (counts)
			VEC_PUSH(call->arena, ret_spans, span);
	}
	return STATUS_OK;
}

static sv part_of(sv s, struct regex_span span)
{
	return sv_slice(s, (size_t)span.start, (size_t)span.end);
}

static enum status regex_matches(struct tmpl_call *call, bool must)
{
	struct regex_span span;
	struct subject subject;
	bool found;
	sv error;
	REGEX_AUTO re = NULL;

	TRY(compile_within_budget(call, &re, &error));
	if (!re)
		return must ? exec_pend(call->run, TMPL_EXEC, error)
		            : tmpl_return_bool(call, false);
	TRY(subject_of(call, arg_string(call, 1), &subject));
	TRY(subject_match(call, &subject, re, 0, &span, 1, &found));
	return tmpl_return_bool(call, found);
}

static enum status regex_find(struct tmpl_call *call, bool must)
{
	struct regex_span span;
	struct subject subject;
	bool found;
	sv s = arg_string(call, 1);
	REGEX_AUTO re = NULL;

	TRY(compile_arg(call, must, &re));
	TRY(subject_of(call, s, &subject));
	TRY(subject_match(call, &subject, re, 0, &span, 1, &found));
	if (!found)
		return tmpl_return_string(call, SV(""));
	return tmpl_return_string(call, part_of(s, span));
}

static enum status regex_find_all(struct tmpl_call *call, bool must)
{
	struct span_vec spans = {0};
	sv s = arg_string(call, 1);
	REGEX_AUTO re = NULL;

	TRY(compile_arg(call, must, &re));
	TRY(find_all(call, re, s, arg_int(call, 2), &spans));
	if (spans.count == 0)
		return tmpl_return(call, (struct value){.type = &type_string_list});
	struct value list = string_list_new(call->arena);
	VEC_EACH (span, &spans)
		list_add_string(call->arena, &list, part_of(s, *span));
	return tmpl_return(call, list);
}

static enum status regex_split(struct tmpl_call *call, bool must)
{
	struct span_vec spans = {0};
	sv s = arg_string(call, 1);
	int64_t limit = arg_int(call, 2);
	struct value list = string_list_new(call->arena);
	size_t from = 0;
	size_t end = 0;
	REGEX_AUTO re = NULL;

	TRY(compile_arg(call, must, &re));
	if (limit == 0)
		return tmpl_return(call, (struct value){.type = &type_string_list});
	if (arg_string(call, 0).len > 0 && s.len == 0) {
		list_add_string(call->arena, &list, SV(""));
		return tmpl_return(call, list);
	}
	TRY(find_all(call, re, s, limit, &spans));
	VEC_EACH (span, &spans) {
		if (limit > 0 && (int64_t)value_count(&list) == limit - 1)
			break;
		end = (size_t)span->start;
		if (span->end != 0)
			list_add_string(call->arena, &list, sv_slice(s, from, end));
		from = (size_t)span->end;
	}
	if (end != s.len)
		list_add_string(call->arena, &list, sv_from_offset(s, from));
	return tmpl_return(call, list);
}

/* ---- replacing --------------------------------------------------------------------------- */

/* Takes the name after a '$', with or without braces; returns false if it is malformed. */
static bool take_name(sv *rest, sv *ret_name)
{
	bool braces = rest->len > 0 && rest->ptr[0] == '{';
	sv s = sv_from_offset(*rest, braces ? 1 : 0);
	size_t len = 0;
	size_t width;

	while (len < s.len) {
		uint32_t rune = utf8_decode_at(s, len, &width);
		if (rune != '_' && !go_rune_is_letter(rune) && !go_rune_is_digit(rune))
			break;
		len += width;
	}
	if (len == 0 || (braces && (len >= s.len || s.ptr[len] != '}')))
		return false;
	*ret_name = sv_slice(s, 0, len);
	*rest = sv_from_offset(s, len + (braces ? 1 : 0));
	return true;
}

/* The group that a name or number stands for; SV_NPOS for none. */
static size_t find_group(const struct regex_pattern *re, sv name)
{
	size_t number = 0;

	for (size_t i = 0; i < name.len; i++) {
		if (!ascii_is_digit(name.ptr[i]) || number >= 100000000 ||
		    (i == 1 && name.ptr[0] == '0')) {
			size_t named = regex_group_named(re, name.ptr, name.len);
			return named > 0 ? named : SV_NPOS;
		}
		number = number * 10 + (size_t)(name.ptr[i] - '0');
	}
	return number;
}

static enum status add_expanded(struct tmpl_call *call, struct buf *buf,
                                const struct regex_pattern *re, sv s, sv template,
                                const struct regex_span *spans, size_t span_count)
{
	sv name;

	for (;;) {
		TRY(exec_charge(call->run, 1));
		size_t dollar = sv_find_char(template, '$');
		if (dollar == SV_NPOS)
			break;
		buf_add(buf, sv_slice(template, 0, dollar));
		template = sv_from_offset(template, dollar + 1);
		if (template.len > 0 && template.ptr[0] == '$') {
			buf_add_char(buf, '$');
			template = sv_from_offset(template, 1);
		} else if (take_name(&template, &name)) {
			size_t group = find_group(re, name);
			if (group < span_count && spans[group].start >= 0) {
				sv part = part_of(s, spans[group]);
				TRY(exec_room(call->run, part.len));
				buf_add(buf, part);
			}
		} else {
			buf_add_char(buf, '$');
		}
	}
	buf_add(buf, template);
	return STATUS_OK;
}

static enum status regex_replace(struct tmpl_call *call, bool must, bool literal)
{
	sv s = arg_string(call, 1);
	sv replacement = arg_string(call, 2);
	struct buf buf = buf_in(call->arena);
	size_t last = 0;
	size_t at = 0;
	struct subject subject;
	REGEX_AUTO re = NULL;

	TRY(compile_arg(call, must, &re));
	TRY(subject_of(call, s, &subject));
	size_t count = literal ? 1 : regex_group_count(re) + 1;
	struct regex_span *spans = ARENA_ARRAY(call->arena, struct regex_span, count);
	while (at <= s.len) {
		bool found;
		TRY(subject_match(call, &subject, re, at, spans, count, &found));
		if (!found)
			break;
		size_t start = (size_t)spans[0].start;
		size_t end = (size_t)spans[0].end;
		TRY(exec_room(call->run, replacement.len));
		buf_add(&buf, sv_slice(s, last, start));
		if (end > last || start == 0) {
			if (literal)
				buf_add(&buf, replacement);
			else
				TRY(add_expanded(call, &buf, re, s, replacement, spans, count));
		}
		last = end;
		size_t width = rune_width(s, at);
		if (at + width > end)
			at += width;
		else
			at = at + 1 > end ? at + 1 : end;
	}
	buf_add(&buf, sv_from_offset(s, last));
	return tmpl_return_string(call, buf_sv(&buf));
}

/* ---- the functions ----------------------------------------------------------------------- */

static enum status fn_match(struct tmpl_call *call)
{
	return regex_matches(call, false);
}

static enum status fn_must_match(struct tmpl_call *call)
{
	return regex_matches(call, true);
}

static enum status fn_find(struct tmpl_call *call)
{
	return regex_find(call, false);
}

static enum status fn_must_find(struct tmpl_call *call)
{
	return regex_find(call, true);
}

static enum status fn_find_all(struct tmpl_call *call)
{
	return regex_find_all(call, false);
}

static enum status fn_must_find_all(struct tmpl_call *call)
{
	return regex_find_all(call, true);
}

static enum status fn_split(struct tmpl_call *call)
{
	return regex_split(call, false);
}

static enum status fn_must_split(struct tmpl_call *call)
{
	return regex_split(call, true);
}

static enum status fn_replace(struct tmpl_call *call)
{
	return regex_replace(call, false, false);
}

static enum status fn_must_replace(struct tmpl_call *call)
{
	return regex_replace(call, true, false);
}

static enum status fn_replace_literal(struct tmpl_call *call)
{
	return regex_replace(call, false, true);
}

static enum status fn_must_replace_literal(struct tmpl_call *call)
{
	return regex_replace(call, true, true);
}

static enum status fn_quote_meta(struct tmpl_call *call)
{
	struct buf buf = buf_in(call->arena);
	sv s = arg_string(call, 0);

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] != '\0' && strchr("\\.+*?()|[]{}^$", s.ptr[i]))
			buf_add_char(&buf, '\\');
		buf_add_char(&buf, s.ptr[i]);
	}
	return tmpl_return_string(call, buf_sv(&buf));
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("mustRegexFind", "ss>s", fn_must_find),
    TMPL_FUNC("mustRegexFindAll", "ssi>S", fn_must_find_all),
    TMPL_FUNC("mustRegexMatch", "ss>b", fn_must_match),
    TMPL_FUNC("mustRegexReplaceAll", "sss>s", fn_must_replace),
    TMPL_FUNC("mustRegexReplaceAllLiteral", "sss>s", fn_must_replace_literal),
    TMPL_FUNC("mustRegexSplit", "ssi>S", fn_must_split),
    TMPL_FUNC("regexFind", "ss>s", fn_find),
    TMPL_FUNC("regexFindAll", "ssi>S", fn_find_all),
    TMPL_FUNC("regexMatch", "ss>b", fn_match),
    TMPL_FUNC("regexQuoteMeta", "s>s", fn_quote_meta),
    TMPL_FUNC("regexReplaceAll", "sss>s", fn_replace),
    TMPL_FUNC("regexReplaceAllLiteral", "sss>s", fn_replace_literal),
    TMPL_FUNC("regexSplit", "ssi>S", fn_split),
};

const struct tmpl_func_table tmpl_funcs_regex = TMPL_TABLE(funcs);
