/*
 * The format language of Printf: flags, width, precision, argument indexes, verbs.
 */
#include "golang/fmt.h"

/* Go refuses larger widths and precisions. */
#define MAX_NUMBER 1000000

struct format_scan {
	struct printer *p;
	sv format;
	const struct secret *secret; /* that the format, or a width in it, came from; or null */
	const struct ref *args;
	size_t count;
	size_t at;
	size_t arg;
	bool reordered;
	bool good_index;
	bool after_index;
	bool no_bracket; /* no ']' is ahead */
};

static bool at_char(const struct format_scan *s, char c)
{
	return s->at < s->format.len && s->format.ptr[s->at] == c;
}

/* Decimal digits; false when there are none or the number is too large (then all is skipped). */
static bool scan_number(struct format_scan *s, int *ret_number)
{
	bool found = false;

	*ret_number = 0;
	for (; s->at < s->format.len; s->at++) {
		char c = s->format.ptr[s->at];
		if (!ascii_is_digit(c))
			break;
		if (*ret_number > MAX_NUMBER) {
			*ret_number = 0;
			s->at = s->format.len;
			return false;
		}
		*ret_number = *ret_number * 10 + (c - '0');
		found = true;
	}
	return found;
}

/* "[n]": the next argument's number. */
static void scan_arg_index(struct format_scan *s)
{
	s->after_index = false;
	if (!at_char(s, '['))
		return;
	s->reordered = true;
	size_t close = s->format.len - s->at < 3 || s->no_bracket
	                   ? SV_NPOS
	                   : sv_find_char(sv_from_offset(s->format, s->at + 1), ']');
	s->no_bracket = close == SV_NPOS;
	if (close == SV_NPOS) {
		s->good_index = false;
		s->at++;
		return;
	}
	size_t end = s->at + 1 + close;
	int number;
	s->at++;
	bool ok = scan_number(s, &number) && s->at == end;
	s->at = end + 1;
	s->after_index = ok;
	if (ok && number >= 1 && (size_t)number <= s->count)
		s->arg = (size_t)number - 1;
	else
		s->good_index = false;
}

/* '*': width or precision from the next argument. */
static bool int_from_arg(struct format_scan *s, int *ret_number)
{
	*ret_number = 0;
	if (s->arg >= s->count)
		return false;
	struct ref ref = go_ref_unboxed(s->args[s->arg++]);
	enum type_kind kind = go_ref_kind(ref);
	int64_t n;
	if (go_ref_valid(ref) && taint_secret(ref.v->taint))
		s->secret = taint_secret(ref.v->taint);
	if (go_kind_is_int(kind))
		n = ref.v->integer;
	else if (go_kind_is_uint(kind) && ref.v->unsigned_integer <= INT64_MAX)
		n = (int64_t)ref.v->unsigned_integer;
	else
		return false;
	if (n > MAX_NUMBER || n < -MAX_NUMBER)
		return false;
	*ret_number = (int)n;
	return true;
}

static void scan_flags(struct format_scan *s)
{
	struct fmt_flags *flags = &s->p->flags;

	*flags = (struct fmt_flags){0};
	for (; s->at < s->format.len; s->at++) {
		switch (s->format.ptr[s->at]) {
		case '#':
			flags->sharp = true;
			break;
		case '0':
			flags->zero = true;
			break;
		case '+':
			flags->plus = true;
			break;
		case '-':
			flags->minus = true;
			break;
		case ' ':
			flags->space = true;
			break;
		default: /* no flag */
			return;
		}
	}
}

static void scan_width(struct format_scan *s)
{
	struct fmt_flags *flags = &s->p->flags;

	scan_arg_index(s);
	if (at_char(s, '*')) {
		s->at++;
		flags->has_width = int_from_arg(s, &flags->width);
		if (!flags->has_width)
			fmt_add(s->p, SV("%!(BADWIDTH)"));
		if (flags->width < 0) {
			flags->width = -flags->width;
			flags->minus = true;
			flags->zero = false;
		}
		s->after_index = false;
		return;
	}
	flags->has_width = scan_number(s, &flags->width);
	if (s->after_index && flags->has_width)
		s->good_index = false;
}

static void scan_precision(struct format_scan *s)
{
	struct fmt_flags *flags = &s->p->flags;

	if (s->at + 1 >= s->format.len || !at_char(s, '.'))
		return;
	s->at++;
	if (s->after_index)
		s->good_index = false;
	scan_arg_index(s);
	if (at_char(s, '*')) {
		s->at++;
		flags->has_precision = int_from_arg(s, &flags->precision);
		if (flags->precision < 0) {
			flags->precision = 0;
			flags->has_precision = false;
		}
		if (!flags->has_precision)
			fmt_add(s->p, SV("%!(BADPREC)"));
		s->after_index = false;
		return;
	}
	if (!scan_number(s, &flags->precision))
		flags->precision = 0;
	flags->has_precision = true;
}

static void print_verb(struct format_scan *s)
{
	struct printer *p = s->p;
	size_t width;

	if (s->at >= s->format.len) {
		fmt_add(p, SV("%!(NOVERB)"));
		return;
	}
	uint32_t verb = utf8_decode_at(s->format, s->at, &width);
	s->at += width;
	if (verb == '%') {
		fmt_add(p, SV("%"));
	} else if (!s->good_index) {
		fmt_add_verb(p, verb);
		fmt_add(p, SV("(BADINDEX)"));
	} else if (s->arg >= s->count) {
		fmt_add_verb(p, verb);
		fmt_add(p, SV("(MISSING)"));
	} else {
		if (verb == 'v' || verb == 'w') {
			p->flags.sharp_v = p->flags.sharp;
			p->flags.sharp = false;
			p->flags.plus_v = p->flags.plus;
			p->flags.plus = false;
		}
		struct ref arg = go_ref_unboxed(s->args[s->arg++]);
		/* COMPAT: only Errorf accepts %w; for a []byte Go reports each byte. */
		if (verb == 'w' && !(go_ref_valid(arg) && arg.v->type == &type_bytes))
			fmt_bad_verb(p, arg, verb, true);
		else
			fmt_arg(p, arg, verb);
	}
}

static void print_extra(struct format_scan *s)
{
	struct printer *p = s->p;

	p->flags = (struct fmt_flags){0};
	fmt_add(p, SV("%!(EXTRA "));
	for (size_t i = s->arg; i < s->count && !p->failed; i++) {
		struct ref ref = go_ref_unboxed(s->args[i]);
		if (i > s->arg)
			fmt_add(p, SV(", "));
		if (!go_ref_valid(ref)) {
			fmt_add(p, SV("<nil>"));
			continue;
		}
		fmt_add(p, ref.v->type->name);
		fmt_add(p, SV("="));
		fmt_arg(p, ref, 'v');
	}
	fmt_add(p, SV(")"));
}

static void exec_format(struct format_scan *s)
{
	size_t start = s->p->out->buf.len;

	while (s->at < s->format.len && !s->p->failed) {
		size_t percent = sv_find_char(sv_from_offset(s->format, s->at), '%');
		size_t end = percent == SV_NPOS ? s->format.len : s->at + percent;
		fmt_add(s->p, sv_slice(s->format, s->at, end));
		s->at = end + 1;
		if (percent == SV_NPOS)
			break;
		s->good_index = true;
		s->after_index = false;
		scan_flags(s);
		scan_width(s);
		scan_precision(s);
		if (!s->after_index)
			scan_arg_index(s);
		print_verb(s);
	}
	if (!s->reordered && s->arg < s->count && !s->p->failed)
		print_extra(s);
	/* A secret format, or a width, chooses what becomes of every argument. */
	text_mark_derived(s->p->out, start, s->secret);
}

bool go_fmt_printf(struct printer *p, const struct value *format, const struct ref *args,
                   size_t count)
{
	struct format_scan scan = {.p = p, .format = format->string, .args = args, .count = count};

	scan.secret = taint_secret(format->taint);
	exec_format(&scan);
	return !p->failed;
}

sv go_fmt_sprintf(struct arena *arena, sv format, const struct value *args, size_t count)
{
	struct text out = text_in(arena);
	struct printer p = {.out = &out, .arena = arena};
	struct ref *refs = ARENA_ARRAY(arena, struct ref, count);
	struct value text = value_string(format);

	for (size_t i = 0; i < count; i++)
		refs[i] = go_ref_of(&args[i]);
	return go_fmt_printf(&p, &text, refs, count) ? text_sv(&out) : format;
}
