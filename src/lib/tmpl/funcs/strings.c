/*
 * sprig's string functions (docs/spec/templates.md 4.4). Where bytes are counted instead of runes,
 * that is sprig's doing. What trim takes away is blank: the rest is as secret as it was.
 */
#include "golang/golang.h"
#include "tmpl/exec.h"
#include "tmpl/func.h"

static enum status fn_hello(struct tmpl_call *call)
{
	return tmpl_return_string(call, SV("Hello!"));
}

/* ---- parts of a string ------------------------------------------------------------------- */

/* The bytes [from, to) of the i-th argument, with their taint. */
static enum status return_part(struct tmpl_call *call, size_t i, size_t from, size_t to)
{
	struct value v = *call->args[i].v;

	v.taint = taint_slice(call->arena, v.taint, from, to);
	v.string = sv_slice(v.string, from, to);
	return tmpl_return(call, v);
}

/* part points into the i-th argument. */
static enum status return_inner(struct tmpl_call *call, size_t i, sv part)
{
	size_t from = part.len > 0 ? (size_t)(part.ptr - arg_string(call, i).ptr) : 0;

	return return_part(call, i, from, from + part.len);
}

static enum status fn_trim(struct tmpl_call *call)
{
	return return_inner(call, 0, go_trim_space(arg_string(call, 0)));
}

static bool rune_in(sv set, uint32_t rune)
{
	size_t width;

	for (; set.len > 0; set = sv_from_offset(set, width))
		if (utf8_decode(set, &width) == rune)
			return true;
	return false;
}

static enum status fn_trim_all(struct tmpl_call *call)
{
	sv set = arg_string(call, 0);
	sv s = arg_string(call, 1);
	size_t width;

	while (s.len > 0 && rune_in(set, utf8_decode(s, &width))) {
		s = sv_from_offset(s, width);
		TRY(exec_charge(call->run, set.len / EXEC_BYTES_PER_STEP));
	}
	while (s.len > 0 && rune_in(set, utf8_decode_last(s, &width))) {
		s.len -= width;
		TRY(exec_charge(call->run, set.len / EXEC_BYTES_PER_STEP));
	}
	return return_inner(call, 1, s);
}

static enum status fn_trim_prefix(struct tmpl_call *call)
{
	sv s = arg_string(call, 1);

	return return_part(
	    call, 1, sv_starts_with(s, arg_string(call, 0)) ? arg_string(call, 0).len : 0, s.len);
}

static enum status fn_trim_suffix(struct tmpl_call *call)
{
	sv s = arg_string(call, 1);

	return return_part(
	    call, 1, 0,
	    s.len - (sv_ends_with(s, arg_string(call, 0)) ? arg_string(call, 0).len : 0));
}

static enum status out_of_range(struct tmpl_call *call, int64_t start, int64_t end, size_t len)
{
	if (end < 0 || (uint64_t)end > len)
		return tmpl_fail(call,
		                 end < 0 ? "runtime error: slice bounds out of range [:%lld]"
		                         : "runtime error: slice bounds out of range [:%lld] "
		                           "with length %zu",
		                 (long long)end, len);
	if (start < 0)
		return tmpl_fail(call, "runtime error: slice bounds out of range [%lld:]",
		                 (long long)start);
	return tmpl_fail(call, "runtime error: slice bounds out of range [%lld:%lld]",
	                 (long long)start, (long long)end);
}

static enum status fn_substr(struct tmpl_call *call)
{
	int64_t start = arg_int(call, 0);
	int64_t end = arg_int(call, 1);
	size_t len = arg_string(call, 2).len;

	if (start < 0)
		start = 0;
	else if (end < 0 || (uint64_t)end > len)
		end = (int64_t)len;
	if (end < 0 || (uint64_t)end > len || start > end)
		return out_of_range(call, start, end, len);
	return return_part(call, 2, (size_t)start, (size_t)end);
}

static enum status fn_trunc(struct tmpl_call *call)
{
	int64_t count = arg_int(call, 0);
	int64_t len = (int64_t)arg_string(call, 1).len;

	if (count < 0 && count + len > 0)
		return return_part(call, 1, (size_t)(len + count), (size_t)len);
	if (count >= 0 && len > count)
		return return_part(call, 1, 0, (size_t)count);
	return return_part(call, 1, 0, (size_t)len);
}

/* Text of at most width bytes around offset, with "..." where something was left out. */
static sv abbreviate(struct arena *arena, sv s, int64_t offset, int64_t width)
{
	int64_t len = (int64_t)s.len;

	if (len == 0 || width < 4)
		return (sv){NULL, 0};
	if (len <= width)
		return s;
	if (offset > len)
		offset = len;
	/* An offset near the least number wraps, as Go's subtraction does. */
	if ((int64_t)((uint64_t)len - (uint64_t)offset) < width - 3)
		offset = len - (width - 3);
	if (offset <= 4)
		return ARENA_CONCAT(arena, sv_slice(s, 0, (size_t)width - 3), SV("..."));
	if (width < 7)
		return (sv){NULL, 0};
	if (offset + width - 3 < len)
		return ARENA_CONCAT(
		    arena, SV("..."),
		    abbreviate(arena, sv_from_offset(s, (size_t)offset), 0, width - 3));
	return ARENA_CONCAT(arena, SV("..."), sv_from_offset(s, (size_t)(len - (width - 3))));
}

static enum status fn_abbrev(struct tmpl_call *call)
{
	sv s = arg_string(call, 1);

	if (arg_int(call, 0) < 4)
		return tmpl_return_string(call, s);
	return tmpl_return_string(call, abbreviate(call->arena, s, 0, arg_int(call, 0)));
}

static enum status fn_abbrevboth(struct tmpl_call *call)
{
	int64_t left = arg_int(call, 0);
	int64_t right = arg_int(call, 1);
	sv s = arg_string(call, 2);

	if (right < 4 || (left > 0 && right < 7))
		return tmpl_return_string(call, s);
	return tmpl_return_string(call, abbreviate(call->arena, s, left, right));
}

/* ---- case -------------------------------------------------------------------------------- */

static enum status charge_characters(struct tmpl_call *call, sv s)
{
	return exec_charge(call->run, s.len / EXEC_CHARACTERS_PER_STEP);
}

/* strings.Map: an invalid byte becomes U+FFFD. */
static enum status map_runes(struct tmpl_call *call, uint32_t (*map)(uint32_t rune))
{
	struct buf buf = buf_in(call->arena);
	sv s = arg_string(call, 0);
	size_t width;

	TRY(charge_characters(call, s));
	for (; s.len > 0; s = sv_from_offset(s, width))
		buf_add_rune(&buf, map(utf8_decode(s, &width)));
	return tmpl_return_string(call, buf_sv(&buf));
}

static enum status fn_upper(struct tmpl_call *call)
{
	return map_runes(call, go_rune_to_upper);
}

static enum status fn_lower(struct tmpl_call *call)
{
	return map_runes(call, go_rune_to_lower);
}

/* Go's idea of what ends a word for strings.Title. */
static bool is_title_separator(uint32_t rune)
{
	if (rune < 0x80)
		return !(go_rune_is_letter(rune) || go_rune_is_digit(rune) || rune == '_');
	return !go_rune_is_letter(rune) && !go_rune_is_digit(rune) && go_rune_is_space(rune);
}

static enum status fn_title(struct tmpl_call *call)
{
	struct buf buf = buf_in(call->arena);
	sv s = arg_string(call, 0);
	bool start = true;
	size_t width;

	TRY(charge_characters(call, s));
	for (; s.len > 0; s = sv_from_offset(s, width)) {
		uint32_t rune = utf8_decode(s, &width);
		buf_add_rune(&buf, start ? go_rune_to_title(rune) : rune);
		start = is_title_separator(rune);
	}
	return tmpl_return_string(call, buf_sv(&buf));
}

static enum status fn_untitle(struct tmpl_call *call)
{
	struct buf buf = buf_in(call->arena);
	sv s = arg_string(call, 0);
	bool start = true;
	size_t width;

	TRY(charge_characters(call, s));
	for (; s.len > 0; s = sv_from_offset(s, width)) {
		uint32_t rune = utf8_decode(s, &width);
		if (go_rune_is_space(rune)) {
			start = true;
		} else if (start) {
			rune = go_rune_to_lower(rune);
			start = false;
		}
		buf_add_rune(&buf, rune);
	}
	return tmpl_return_string(call, buf_sv(&buf));
}

static enum status fn_swapcase(struct tmpl_call *call)
{
	struct buf buf = buf_in(call->arena);
	sv s = arg_string(call, 0);
	bool after_space = true;
	size_t width;

	TRY(charge_characters(call, s));
	for (; s.len > 0; s = sv_from_offset(s, width)) {
		uint32_t rune = utf8_decode(s, &width);
		if (go_rune_is_upper(rune) || go_rune_is_title(rune)) {
			rune = go_rune_to_lower(rune);
			after_space = false;
		} else if (go_rune_is_lower(rune)) {
			rune = after_space ? go_rune_to_title(rune) : go_rune_to_upper(rune);
			after_space = false;
		} else {
			after_space = go_rune_is_space(rune);
		}
		buf_add_rune(&buf, rune);
	}
	return tmpl_return_string(call, buf_sv(&buf));
}

/* Byte by byte, each taken for a Latin-1 character. */
static enum status fn_nospace(struct tmpl_call *call)
{
	struct buf buf = buf_in(call->arena);
	sv s = arg_string(call, 0);
	bool dropped = false;

	TRY(charge_characters(call, s));
	for (size_t i = 0; i < s.len; i++) {
		uint32_t rune = (unsigned char)s.ptr[i];
		if (go_rune_is_space(rune))
			dropped = true;
		else
			buf_add_rune(&buf, rune);
	}
	return tmpl_return_string(call, dropped ? buf_sv(&buf) : s);
}

static enum status fn_initials(struct tmpl_call *call)
{
	struct buf buf = buf_in(call->arena);
	sv s = arg_string(call, 0);
	bool start = true;

	TRY(charge_characters(call, s));
	for (size_t i = 0; i < s.len; i++) {
		uint32_t rune = (unsigned char)s.ptr[i];
		if (go_rune_is_space(rune)) {
			start = true;
		} else if (start) {
			buf_add_rune(&buf, rune);
			start = false;
		}
	}
	return tmpl_return_string(call, buf_sv(&buf));
}

/* ---- building ---------------------------------------------------------------------------- */

static enum status fn_repeat(struct tmpl_call *call)
{
	int64_t count = arg_int(call, 0);
	sv s = arg_string(call, 1);
	struct buf buf = buf_in(call->arena);
	size_t size;

	if (count < 0)
		return tmpl_fail(call, "strings: negative Repeat count");
	if (s.len == 0 || count == 0)
		return tmpl_return_string(call, SV(""));
	if (__builtin_mul_overflow(s.len, (size_t)count, &size))
		return tmpl_fail(call, "strings: Repeat output length overflow");
	TRY(exec_room(call->run, size));
	buf_reserve(&buf, size);
	for (int64_t i = 0; i < count; i++)
		buf_add(&buf, s);
	return tmpl_return_string(call, buf_sv(&buf));
}

#define LINES_PER_STEP 2

static enum status add_indented(struct tmpl_call *call, struct text *out)
{
	int64_t count = arg_int(call, 0);
	const struct value *v = call->args[1].v;
	sv s = v->string;
	size_t lines = 1;
	size_t size;

	if (count < 0)
		return tmpl_fail(call, "strings: negative Repeat count");
	for (size_t i = 0; i < s.len; i++)
		lines += s.ptr[i] == '\n';
	if (__builtin_mul_overflow(lines, (size_t)count, &size))
		size = SIZE_MAX;
	TRY(exec_charge(call->run, lines / LINES_PER_STEP));
	TRY(exec_room(call->run, size));
	text_add_indented(out, v, (size_t)count);
	return STATUS_OK;
}

static enum status fn_indent(struct tmpl_call *call)
{
	struct text out = text_in(call->arena);

	TRY(add_indented(call, &out));
	return tmpl_return(call, text_value(call->arena, &out));
}

static enum status fn_nindent(struct tmpl_call *call)
{
	struct text out = text_in(call->arena);

	TEXT_ADD_LIT(&out, "\n");
	TRY(add_indented(call, &out));
	return tmpl_return(call, text_value(call->arena, &out));
}

/* Between all runes and at both ends: what replacing nothing means. */
static enum status replace_nothing(struct tmpl_call *call, struct text *out, sv new, sv s)
{
	size_t width;

	text_add(out, new);
	for (; s.len > 0; s = sv_from_offset(s, width)) {
		TRY(exec_charge(call->run, 1));
		TRY(exec_room(call->run, new.len));
		utf8_decode(s, &width);
		text_add(out, sv_slice(s, 0, width));
		text_add(out, new);
	}
	return STATUS_OK;
}

/* Fails because a match contains a byte of a secret (exec_searches_around). */
static enum status fail_by_find(struct tmpl_call *call)
{
	return exec_pend(call->run, TMPL_EXEC, SV("the search depends on a secret"));
}

/* Between secrets: what is found has no byte of one. */
static enum status replace_around(struct tmpl_call *call)
{
	sv old = arg_string(call, 0);
	sv new = arg_string(call, 1);
	sv s = arg_string(call, 2);
	const struct taint *taint = call->args[2].v->taint;
	struct text out = text_in(call->arena);
	size_t done = 0;
	size_t span = 0;
	size_t at;

	while ((at = sv_find(sv_from_offset(s, done), old)) != SV_NPOS) {
		at += done;
		while (span < taint->count && taint->spans[span].end <= at)
			span++;
		if (span < taint->count && taint->spans[span].start < at + old.len)
			return fail_by_find(call);
		TRY(exec_room(call->run, new.len));
		text_add_tainted(&out, sv_slice(s, done, at),
		                 taint_slice(call->arena, taint, done, at));
		text_add(&out, new);
		done = at + old.len;
	}
	text_add_tainted(&out, sv_from_offset(s, done),
	                 taint_slice(call->arena, taint, done, s.len));
	return tmpl_return(call, text_value(call->arena, &out));
}

static enum status fn_replace(struct tmpl_call *call)
{
	sv old = arg_string(call, 0);
	sv new = arg_string(call, 1);
	sv s = arg_string(call, 2);
	struct text out = text_in(call->arena);
	size_t at;

	if (exec_searches_around(call))
		return replace_around(call);
	if (old.len == 0) {
		TRY(replace_nothing(call, &out, new, s));
		return tmpl_return(call, text_value(call->arena, &out));
	}
	while ((at = sv_find(s, old)) != SV_NPOS) {
		TRY(exec_charge(call->run, 1));
		TRY(exec_room(call->run, new.len));
		text_add(&out, sv_slice(s, 0, at));
		text_add(&out, new);
		s = sv_from_offset(s, at + old.len);
	}
	text_add(&out, s);
	return tmpl_return(call, text_value(call->arena, &out));
}

static enum status fn_plural(struct tmpl_call *call)
{
	return tmpl_return_ref(call, call->args[arg_int(call, 2) == 1 ? 0 : 1]);
}

/* Values that are not nil, as %v, with a space between. */
static enum status fn_cat(struct tmpl_call *call)
{
	struct text out = text_in(call->arena);
	struct printer p = exec_printer(call->run, &out);
	bool first = true;

	for (size_t i = 0; i < call->arg_count; i++) {
		struct ref arg = go_ref_unboxed(call->args[i]);
		if (!go_ref_valid(arg))
			continue;
		if (!first)
			TEXT_ADD_LIT(&out, " ");
		first = false;
		if (!go_fmt_print(&p, &arg, 1))
			return STATUS_FAILED;
	}
	return tmpl_return(call, text_value(call->arena, &out));
}

static enum status quote_all(struct tmpl_call *call, bool go_quotes)
{
	struct buf buf = buf_in(call->arena);
	bool first = true;
	sv s;

	for (size_t i = 0; i < call->arg_count; i++) {
		const struct value *v = arg_value(call, i);
		if (!v)
			continue;
		if (!first)
			buf_add_char(&buf, ' ');
		first = false;
		if (go_quotes) {
			TRY(arg_strval(call, v, &s));
			TRY(exec_charge(call->run, s.len / EXEC_CHARACTERS_PER_STEP));
			TRY(exec_room(call->run, s.len * FMT_BYTES_PER_ESCAPE));
			go_strconv_quote_add(&buf, s);
			continue;
		}
		struct text out = text_in(call->arena);
		struct printer p = exec_printer(call->run, &out);
		struct ref ref = go_ref_of(v);
		if (!go_fmt_print(&p, &ref, 1))
			return STATUS_FAILED;
		buf_add_char(&buf, '\'');
		buf_add(&buf, text_sv(&out));
		buf_add_char(&buf, '\'');
	}
	return tmpl_return_string(call, buf_sv(&buf));
}

static enum status fn_quote(struct tmpl_call *call)
{
	return quote_all(call, true);
}

static enum status fn_squote(struct tmpl_call *call)
{
	return quote_all(call, false);
}

static enum status fn_to_string(struct tmpl_call *call)
{
	const struct value *v = arg_value(call, 0);
	sv s;

	if (v && v->type == &type_string)
		return tmpl_return(call, *v);
	TRY(arg_strval(call, v, &s));
	return tmpl_return_string(call, s);
}

/* ---- tests ------------------------------------------------------------------------------- */

/* A match between secrets does not depend on them; one that includes a byte of a secret fails. */
static enum status contains_around(struct tmpl_call *call)
{
	sv wanted = arg_string(call, 0);
	sv s = arg_string(call, 1);
	const struct taint *taint = call->args[1].v->taint;
	size_t from = 0;

	for (size_t i = 0; i < taint->count; i++) {
		if (sv_contains(sv_slice(s, from, taint->spans[i].start), wanted))
			return tmpl_return_bool(call, true);
		from = taint->spans[i].end;
	}
	if (sv_contains(sv_from_offset(s, from), wanted))
		return tmpl_return_bool(call, true);
	return sv_contains(s, wanted) ? fail_by_find(call) : tmpl_return_bool(call, false);
}

static enum status fn_contains(struct tmpl_call *call)
{
	if (exec_searches_around(call))
		return contains_around(call);
	return tmpl_return_bool(call, sv_contains(arg_string(call, 1), arg_string(call, 0)));
}

static enum status fn_has_prefix(struct tmpl_call *call)
{
	return tmpl_return_bool(call, sv_starts_with(arg_string(call, 1), arg_string(call, 0)));
}

static enum status fn_has_suffix(struct tmpl_call *call)
{
	return tmpl_return_bool(call, sv_ends_with(arg_string(call, 1), arg_string(call, 0)));
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("abbrev", "is>s", fn_abbrev),
    TMPL_FUNC("abbrevboth", "iis>s", fn_abbrevboth),
    TMPL_FUNC_KEEPS("cat", "*a>s", fn_cat),
    TMPL_FUNC_FLAGS("contains", "ss>b", fn_contains, FUNC_SEARCHES),
    TMPL_FUNC("hasPrefix", "ss>b", fn_has_prefix),
    TMPL_FUNC("hasSuffix", "ss>b", fn_has_suffix),
    TMPL_FUNC("hello", ">s", fn_hello),
    TMPL_FUNC_CHOOSES("indent", "is>s", fn_indent, FUNC_CHOOSES_FIRST),
    TMPL_FUNC("initials", "s>s", fn_initials),
    TMPL_FUNC("lower", "s>s", fn_lower),
    TMPL_FUNC_CHOOSES("nindent", "is>s", fn_nindent, FUNC_CHOOSES_FIRST),
    TMPL_FUNC("nospace", "s>s", fn_nospace),
    TMPL_FUNC_CHOOSES("plural", "ssi>s", fn_plural, FUNC_CHOOSES_THIRD),
    TMPL_FUNC_IMAGE("quote", "*a>s", fn_quote),
    TMPL_FUNC("repeat", "is>s", fn_repeat),
    TMPL_FUNC_FLAGS("replace", "sss>s", fn_replace, FUNC_SEARCHES),
    TMPL_FUNC_IMAGE("squote", "*a>s", fn_squote),
    TMPL_FUNC("substr", "iis>s", fn_substr),
    TMPL_FUNC("swapcase", "s>s", fn_swapcase),
    TMPL_FUNC("title", "s>s", fn_title),
    TMPL_FUNC_IMAGE("toString", "a>s", fn_to_string),
    TMPL_FUNC_KEEPS("trim", "s>s", fn_trim),
    TMPL_FUNC("trimAll", "ss>s", fn_trim_all),
    TMPL_FUNC("trimPrefix", "ss>s", fn_trim_prefix),
    TMPL_FUNC("trimSuffix", "ss>s", fn_trim_suffix),
    TMPL_FUNC("trimall", "ss>s", fn_trim_all),
    TMPL_FUNC("trunc", "is>s", fn_trunc),
    TMPL_FUNC("untitle", "s>s", fn_untitle),
    TMPL_FUNC("upper", "s>s", fn_upper),
};

const struct tmpl_func_table tmpl_funcs_strings = TMPL_TABLE(funcs);
