/*
 * How single values become text under flags, width and precision.
 */
#include "golang/fmt.h"

static const char lower_digits[] = "0123456789abcdef";
static const char upper_digits[] = "0123456789ABCDEF";

/* Charges the budget for writing bytes. Returns false, and the printer fails, if it is used up. */
static bool has_room(struct printer *p, size_t bytes)
{
	if (p->budget && !p->budget->room(p->context, bytes))
		p->failed = true;
	return !p->failed;
}

/* Cost of a number, as bytes that are read; a float has up to 309 digits. */
enum { BYTES_PER_INTEGER = 64, BYTES_PER_FLOAT = 512 };

static bool can_afford(struct printer *p, size_t bytes, int64_t digits)
{
	bytes += digits > 0 ? 2 * (size_t)digits : 0;

	if (p->budget && !p->budget->read(p->context, bytes))
		p->failed = true;
	return !p->failed && has_room(p, bytes);
}

static void add_padding(struct printer *p, int64_t count)
{
	if (count <= 0 || p->failed)
		return;
	if (!has_room(p, (size_t)count))
		return;
	buf_add_repeat(&p->out->buf, p->flags.zero && !p->flags.minus ? '0' : ' ', (size_t)count);
}

/* Width counts runes. */
static void pad_tainted(struct printer *p, sv s, const struct taint *taint)
{
	int64_t width = 0;

	if (p->flags.has_width && p->flags.width != 0)
		width = p->flags.width - (int64_t)utf8_count(s);
	if (!p->flags.minus)
		add_padding(p, width);
	text_add_tainted(p->out, s, taint);
	if (p->flags.minus)
		add_padding(p, width);
}

void fmt_pad(struct printer *p, sv s)
{
	pad_tainted(p, s, NULL);
}

/* Zeros were written as digits already. */
static void pad_with_spaces(struct printer *p, sv s)
{
	bool zero = p->flags.zero;

	p->flags.zero = false;
	fmt_pad(p, s);
	p->flags.zero = zero;
}

void fmt_boolean(struct printer *p, bool b)
{
	fmt_pad(p, b ? SV("true") : SV("false"));
}

static void add_base_prefix(struct buf *reversed, const struct fmt_flags *flags, unsigned base,
                            uint32_t verb, bool upper)
{
	if (flags->sharp && base == 2)
		BUF_ADD_LIT(reversed, "b0");
	if (flags->sharp && base == 8 && reversed->ptr[reversed->len - 1] != '0')
		buf_add_char(reversed, '0');
	if (flags->sharp && base == 16) {
		buf_add_char(reversed, upper ? 'X' : 'x');
		buf_add_char(reversed, '0');
	}
	if (verb == 'O')
		BUF_ADD_LIT(reversed, "o0");
}

static void add_decimal(struct buf *buf, uint64_t u, bool negative)
{
	char digits[21];
	size_t at = sizeof(digits);

	do {
		digits[--at] = lower_digits[u % 10];
		u /= 10;
	} while (u > 0);
	if (negative)
		digits[--at] = '-';
	buf_add(buf, sv_from(digits + at, sizeof(digits) - at));
}

void fmt_integer(struct printer *p, uint64_t u, bool negative, unsigned base, uint32_t verb,
                 bool upper)
{
	const struct fmt_flags *flags = &p->flags;
	int64_t precision = 0;

	/* The common case: decimal, nothing asked for. */
	if (base == 10 && !flags->has_width && !flags->has_precision && !flags->plus &&
	    !flags->space) {
		add_decimal(&p->out->buf, u, negative);
		return;
	}
	if (flags->has_precision) {
		precision = flags->precision;
		if (precision == 0 && u == 0) {
			bool zero = flags->zero;
			p->flags.zero = false;
			add_padding(p, flags->has_width ? flags->width : 0);
			p->flags.zero = zero;
			return;
		}
	} else if (flags->zero && !flags->minus && flags->has_width) {
		precision = flags->width - (negative || flags->plus || flags->space ? 1 : 0);
	}
	struct buf reversed = buf_in(p->arena);
	do {
		buf_add_char(&reversed, (upper ? upper_digits : lower_digits)[u % base]);
		u /= base;
	} while (u > 0);
	if (!can_afford(p, BYTES_PER_INTEGER, precision))
		return;
	while ((int64_t)reversed.len < precision)
		buf_add_char(&reversed, '0');
	add_base_prefix(&reversed, flags, base, verb, upper);
	if (negative || flags->plus || flags->space)
		buf_add_char(&reversed, negative ? '-' : flags->plus ? '+' : ' ');
	struct buf text = buf_in(p->arena);
	for (size_t i = reversed.len; i > 0; i--)
		buf_add_char(&text, reversed.ptr[i - 1]);
	pad_with_spaces(p, buf_sv(&text));
}

void fmt_unicode(struct printer *p, uint64_t u)
{
	struct buf buf = buf_in(p->arena);
	int precision = p->flags.has_precision && p->flags.precision > 4 ? p->flags.precision : 4;

	if (!can_afford(p, BYTES_PER_INTEGER, precision))
		return;
	buf_printf(&buf, "U+%0*llX", precision, (unsigned long long)u);
	if (p->flags.sharp && u <= UTF8_MAX_RUNE && go_strconv_is_print((uint32_t)u)) {
		BUF_ADD_LIT(&buf, " '");
		buf_add_rune(&buf, (uint32_t)u);
		buf_add_char(&buf, '\'');
	}
	pad_with_spaces(p, buf_sv(&buf));
}

void fmt_char(struct printer *p, uint64_t c)
{
	struct buf buf = buf_in(p->arena);

	buf_add_rune(&buf, c > UTF8_MAX_RUNE ? UTF8_REPLACEMENT : (uint32_t)c);
	fmt_pad(p, buf_sv(&buf));
}

void fmt_quoted_char(struct printer *p, uint64_t c)
{
	struct buf buf = buf_in(p->arena);

	go_quote_rune_add(&buf, c > UTF8_MAX_RUNE ? UTF8_REPLACEMENT : (uint32_t)c, p->flags.plus);
	fmt_pad(p, buf_sv(&buf));
}

/* Precision cuts runes. */
static sv truncated(const struct printer *p, sv s)
{
	size_t at = 0;
	size_t width;

	if (!p->flags.has_precision)
		return s;
	for (int n = p->flags.precision; n > 0 && at < s.len; n--, at += width)
		utf8_decode_at(s, at, &width);
	return sv_slice(s, 0, at);
}

static bool can_backquote(sv s)
{
	size_t width;

	for (; s.len > 0; s = sv_from_offset(s, width)) {
		uint32_t rune = utf8_decode(s, &width);
		if (width > 1) {
			if (rune == 0xFEFF)
				return false;
			continue;
		}
		if (rune == UTF8_REPLACEMENT || (rune < ' ' && rune != '\t') || rune == '`' ||
		    rune == 0x7F)
			return false;
	}
	return true;
}

static void add_quoted(struct printer *p, sv s)
{
	struct buf buf = buf_in(p->arena);

	s = truncated(p, s);
	if (p->flags.sharp && can_backquote(s)) {
		buf_add_char(&buf, '`');
		buf_add(&buf, s);
		buf_add_char(&buf, '`');
	} else if (p->flags.plus) {
		go_quote_ascii_add(&buf, s);
	} else {
		go_strconv_quote_add(&buf, s);
	}
	fmt_pad(p, buf_sv(&buf));
}

static void add_hex(struct printer *p, sv s, bool upper)
{
	const char *digits = upper ? upper_digits : lower_digits;
	const struct fmt_flags *flags = &p->flags;
	sv prefix = upper ? SV("0X") : SV("0x");

	if (flags->has_precision && (size_t)flags->precision < s.len)
		s.len = (size_t)flags->precision;
	if (s.len == 0) {
		add_padding(p, flags->has_width ? flags->width : 0);
		return;
	}
	struct buf buf = buf_in(p->arena);
	if (flags->sharp)
		buf_add(&buf, prefix);
	for (size_t i = 0; i < s.len; i++) {
		if (flags->space && i > 0) {
			buf_add_char(&buf, ' ');
			if (flags->sharp)
				buf_add(&buf, prefix);
		}
		buf_add_char(&buf, digits[(unsigned char)s.ptr[i] >> 4]);
		buf_add_char(&buf, digits[(unsigned char)s.ptr[i] & 15]);
	}
	fmt_pad(p, buf_sv(&buf));
}

void fmt_string(struct printer *p, sv s, const struct taint *taint, uint32_t verb)
{
	/* Each character is looked up, and may become an escape. */
	size_t bytes = verb == 's' ? s.len : s.len * FMT_BYTES_PER_ESCAPE;

	if (p->budget && !p->budget->read(p->context, bytes))
		p->failed = true;
	if (p->failed || !has_room(p, bytes))
		return;
	if (verb == 's') {
		size_t start = p->out->buf.len;

		s = truncated(p, s);
		if (taint)
			pad_tainted(p, s, taint_slice(p->arena, taint, 0, s.len));
		else
			fmt_pad(p, s);
		/* Cutting and padding reveal the length. */
		if (taint && (p->flags.has_width || p->flags.has_precision))
			text_mark_derived(p->out, start, taint_secret(taint));
		return;
	}
	size_t from = p->out->buf.len;
	if (verb == 'q')
		add_quoted(p, s);
	else
		add_hex(p, s, verb == 'X');
	if (taint && (p->flags.has_width || p->flags.has_precision))
		text_mark_derived(p->out, from, taint_secret(taint));
	else
		text_mark_taint(p->out, from, taint);
}

/* ---- floats ------------------------------------------------------------------------------ */

/* '#': a decimal point always, and trailing zeros for %g. num starts with its sign. */
static sv with_sharp(struct printer *p, sv num, char verb, int precision)
{
	struct buf buf = buf_in(p->arena);
	bool has_point = false;
	bool seen_nonzero = false;
	bool hex = verb == 'x' || verb == 'X';
	int digits = 0;
	size_t end = num.len;

	if (verb == 'g' || verb == 'G' || verb == 'x')
		digits = precision == -1 ? 6 : precision;
	for (size_t i = 1; i < num.len; i++) {
		char c = num.ptr[i];
		if (c == '.') {
			has_point = true;
		} else if (c == 'p' || c == 'P' || (!hex && (c == 'e' || c == 'E'))) {
			end = i;
			break;
		} else {
			seen_nonzero |= c != '0';
			digits -= seen_nonzero;
		}
	}
	buf_add(&buf, sv_slice(num, 0, end));
	if (!has_point) {
		if (end == 2 && num.ptr[1] == '0')
			digits--;
		buf_add_char(&buf, '.');
	}
	for (; digits > 0; digits--)
		buf_add_char(&buf, '0');
	buf_add(&buf, sv_from_offset(num, end));
	return buf_sv(&buf);
}

void fmt_float(struct printer *p, double value, int bits, char verb, int precision)
{
	struct buf buf = buf_in(p->arena);
	const struct fmt_flags *flags = &p->flags;

	if (flags->has_precision)
		precision = flags->precision;
	if (!can_afford(p, BYTES_PER_FLOAT, precision))
		return;
	buf_add_char(&buf, '+');
	go_format_float(&buf, value, verb, precision, bits);
	sv num = buf_sv(&buf);
	if (num.ptr[1] == '-' || num.ptr[1] == '+')
		num = sv_from_offset(num, 1);
	char *text = buf.ptr + (num.ptr - buf.ptr);
	if (flags->space && text[0] == '+' && !flags->plus)
		text[0] = ' ';
	if (text[1] == 'I' || text[1] == 'N') {
		if (text[1] == 'N' && !flags->space && !flags->plus)
			num = sv_from_offset(num, 1);
		pad_with_spaces(p, num);
		return;
	}
	if (flags->sharp && verb != 'b')
		num = with_sharp(p, num, verb, precision);
	if (!flags->plus && num.ptr[0] == '+') {
		fmt_pad(p, sv_from_offset(num, 1));
		return;
	}
	if (flags->zero && !flags->minus && flags->has_width && flags->width > (int)num.len) {
		buf_add_char(&p->out->buf, num.ptr[0]);
		add_padding(p, flags->width - (int)num.len);
		buf_add(&p->out->buf, sv_from_offset(num, 1));
		return;
	}
	fmt_pad(p, num);
}
