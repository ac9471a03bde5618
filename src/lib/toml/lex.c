/*
 * TOML's tokens, with the messages of BurntSushi/toml.
 */
#include "toml/lex.h"

#include "golang/golang.h"

/* ---- mistakes ---------------------------------------------------------------------------- */

static bool fail_text(struct toml_lexer *lx, int line, sv message)
{
	if (lx->failed)
		return false;
	lx->failed = true;
	lx->error_line = line;
	lx->message = message;
	return false;
}

static bool PRINTF_LIKE(3, 0)
    fail(struct toml_lexer *lx, int line, const char *format, va_list args)
{
	return fail_text(lx, line, arena_vprintf(lx->arena, format, args));
}

bool toml_fail_at(struct toml_lexer *lx, int line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail(lx, line, format, args);
	va_end(args);
	return false;
}

bool toml_fail(struct toml_lexer *lx, const char *format, ...)
{
	bool after_break = lx->at_eof && lx->pos >= 1 && lx->text.ptr[lx->pos - 1] == '\n';
	va_list args;

	va_start(args, format);
	fail(lx, lx->line - after_break, format, args);
	va_end(args);
	return false;
}

bool toml_fail_before(struct toml_lexer *lx, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail(lx, lx->line - 1, format, args);
	va_end(args);
	return false;
}

bool toml_fail_depth(struct toml_lexer *lx)
{
	return toml_fail(lx, "values are nested too deeply");
}

sv toml_quote_rune(struct arena *arena, uint32_t rune)
{
	char bytes[4];
	sv quoted = go_strconv_quote(arena, sv_from(bytes, utf8_write(rune, bytes)));

	if (rune == '\'')
		return SV("'\\''");
	if (rune == '"')
		return SV("'\"'");
	return ARENA_CONCAT(arena, SV("'"), sv_slice(quoted, 1, quoted.len - 1), SV("'"));
}

/*
 * Reports a message that ends with a rune, as Go's %c prints it, and a quote. At the end of the
 * input the rune is NUL, which printf cannot print.
 */
static bool fail_with_rune(struct toml_lexer *lx, int line, sv text, uint32_t rune)
{
	struct buf buf = buf_in(lx->arena);

	buf_add(&buf, text);
	buf_add_rune(&buf, rune);
	buf_add_char(&buf, '\'');
	return fail_text(lx, line, buf_sv(&buf));
}

/* ---- runes ------------------------------------------------------------------------------- */

static bool is_control(uint32_t rune)
{
	return (rune < 0x20 && rune != '\t' && rune != '\r' && rune != '\n') || rune == 0x7F;
}

uint32_t toml_next(struct toml_lexer *lx)
{
	size_t width;

	if (lx->pos >= lx->text.len) {
		lx->at_eof = true;
		return TOML_EOF;
	}
	sv rest = sv_from_offset(lx->text, lx->pos);
	if (rest.ptr[0] == '\n')
		lx->line++;
	memmove(lx->widths + 1, lx->widths, 3 * sizeof(lx->widths[0]));
	lx->widths[0] = 0;
	uint32_t rune = utf8_decode(rest, &width);
	if (rune == UTF8_REPLACEMENT && width == 1) {
		toml_fail(lx, "invalid UTF-8 byte: 0x%02x", (unsigned)(unsigned char)rest.ptr[0]);
		return UTF8_REPLACEMENT;
	}
	if (is_control(rune) || (rune == '\r' && (rest.len == 1 || rest.ptr[1] != '\n'))) {
		toml_fail_at(lx, lx->line, "TOML files cannot contain control characters: '0x%02x'",
		             (unsigned)rune);
		return UTF8_REPLACEMENT;
	}
	lx->widths[0] = width;
	lx->pos += width;
	return rune;
}

void toml_back(struct toml_lexer *lx)
{
	if (lx->at_eof) {
		lx->at_eof = false;
		return;
	}
	lx->pos -= lx->widths[0];
	memmove(lx->widths, lx->widths + 1, 3 * sizeof(lx->widths[0]));
	lx->widths[3] = 0;
	if (lx->pos < lx->text.len && lx->text.ptr[lx->pos] == '\n')
		lx->line--;
}

uint32_t toml_peek(struct toml_lexer *lx)
{
	uint32_t rune = toml_next(lx);

	toml_back(lx);
	return rune;
}

static bool accept(struct toml_lexer *lx, uint32_t rune)
{
	if (toml_next(lx) == rune)
		return true;
	toml_back(lx);
	return false;
}

void toml_drop(struct toml_lexer *lx)
{
	lx->start = lx->pos;
}

bool toml_is_blank(uint32_t rune)
{
	return rune == '\t' || rune == ' ';
}

bool toml_is_break(uint32_t rune)
{
	return rune == '\n' || rune == '\r';
}

void toml_skip_blanks(struct toml_lexer *lx)
{
	while (toml_is_blank(toml_next(lx)))
		;
	toml_back(lx);
	toml_drop(lx);
}

void toml_skip_comment(struct toml_lexer *lx)
{
	uint32_t rune;

	do
		rune = toml_next(lx);
	while (!lx->failed && rune != TOML_EOF && !toml_is_break(rune));
	toml_back(lx);
	toml_drop(lx);
}

static sv current(const struct toml_lexer *lx)
{
	return sv_slice(lx->text, lx->start, lx->pos);
}

/* Makes the current word an item and starts the next one after it. */
static bool emit(struct toml_lexer *lx, enum toml_kind kind, struct toml_item *ret)
{
	if (lx->failed)
		return false;
	*ret = (struct toml_item){kind, current(lx), lx->line};
	toml_drop(lx);
	return true;
}

/* ---- letters and digits ------------------------------------------------------------------ */

static bool is_bare(uint32_t rune)
{
	return ascii_is_alphanumeric(rune) || rune == '_' || rune == '-';
}

/* COMPAT: unicode.IsLetter there; what is beyond ASCII only shapes an error's text. */
static bool is_letter(uint32_t rune)
{
	return ascii_is_letter(rune) ||
	       (rune >= 0xC0 && rune != UTF8_REPLACEMENT && rune != 0xFEFF);
}

/* Everything made of digits and the runes in also. */
static void skip_word(struct toml_lexer *lx, bool (*is_part)(uint32_t), const char *also)
{
	uint32_t rune;

	do
		rune = toml_next(lx);
	while (!lx->failed && rune != TOML_EOF &&
	       (is_part(rune) || (rune < 0x80 && strchr(also, (int)rune))));
	toml_back(lx);
}

/* ---- strings ----------------------------------------------------------------------------- */

static bool lex_hex_escape(struct toml_lexer *lx, int count, const char *name, char letter)
{
	for (int i = 0; i < count; i++) {
		if (!ascii_is_hex(toml_next(lx)))
			return toml_fail(
			    lx, "expected %s hexadecimal digits after '\\%c', but got %.*s instead",
			    name, letter, SV_ARG(go_strconv_quote(lx->arena, current(lx))));
	}
	return true;
}

/* Reads an escape after its backslash. */
static bool lex_escape(struct toml_lexer *lx)
{
	uint32_t rune = toml_next(lx);

	if (rune == 'x')
		return lex_hex_escape(lx, 2, "two", 'x');
	if (rune == 'u')
		return lex_hex_escape(lx, 4, "four", 'u');
	if (rune == 'U')
		return lex_hex_escape(lx, 8, "eight", 'U');
	/* A blank: at the end of a line of a multi-line string. */
	if (rune != TOML_EOF && rune < 0x80 && strchr("ebtnfr\" \t\\", (int)rune))
		return true;
	return fail_with_rune(lx, lx->line - lx->at_eof, SV("invalid escape in string '\\"), rune);
}

/* Reads a string of one line after its opening quote. */
static bool lex_string(struct toml_lexer *lx, uint32_t quote, struct toml_item *ret)
{
	bool has_escape = false;

	for (;;) {
		uint32_t rune = toml_next(lx);

		if (lx->failed)
			return false;
		if (rune == TOML_EOF)
			return toml_fail(lx, "unexpected EOF; expected %s",
			                 quote == '"' ? "'\"'" : "\"'\"");
		if (toml_is_break(rune))
			return toml_fail_before(lx, "strings cannot contain newlines");
		if (rune == quote)
			break;
		if (rune == '\\' && quote == '"') {
			has_escape = true;
			if (!lex_escape(lx))
				return false;
		}
	}
	toml_back(lx);
	if (!emit(lx, has_escape ? TOML_STRING_ESCAPED : TOML_STRING, ret))
		return false;
	toml_next(lx);
	toml_drop(lx);
	return true;
}

/*
 * Handles the third quote in a row inside a multi-line string. *ret_ends is true if the string ends
 * there: if more quotes follow, up to two of them belong to the string.
 */
static bool lex_closing(struct toml_lexer *lx, uint32_t quote, bool *ret_ends)
{
	const char *five = quote == '"' ? "\"\"\"\"\"" : "'''''";

	*ret_ends = toml_peek(lx) != quote;
	if (*ret_ends)
		return true;
	sv text = current(lx);
	bool is_escaped = quote == '"' && sv_ends_with(text, SV("\\\"\"\"\"\""));
	if (sv_ends_with(text, sv_from_cstr(five)) && !is_escaped)
		return toml_fail(lx, quote == '"' ? "unexpected '\"\"\"\"\"\"'"
		                                  : "unexpected \"''''''\"");
	toml_back(lx);
	toml_back(lx);
	return true;
}

/* Reads a multi-line string after its three opening quotes. */
static bool lex_multiline(struct toml_lexer *lx, uint32_t quote, struct toml_item *ret)
{
	bool ends = false;

	while (!ends) {
		uint32_t rune = toml_next(lx);

		if (lx->failed)
			return false;
		if (rune == TOML_EOF)
			return toml_fail(lx, "unexpected EOF; expected %s",
			                 quote == '"' ? "'\"\"\"'" : "\"'''\"");
		if (rune == '\\' && quote == '"') {
			if (toml_is_break(toml_next(lx)))
				continue;
			toml_back(lx);
			if (!lex_escape(lx))
				return false;
		}
		if (rune != quote || !accept(lx, quote))
			continue;
		if (!accept(lx, quote))
			toml_back(lx);
		else if (!lex_closing(lx, quote, &ends))
			return false;
	}
	for (int i = 0; i < 3; i++)
		toml_back(lx);
	if (!emit(lx, quote == '"' ? TOML_STRING_MULTILINE : TOML_STRING_LITERAL_MULTILINE, ret))
		return false;
	for (int i = 0; i < 3; i++)
		toml_next(lx);
	toml_drop(lx);
	return true;
}

/* Reads a string of any kind after its first quote. */
static bool lex_any_string(struct toml_lexer *lx, uint32_t quote, struct toml_item *ret)
{
	if (accept(lx, quote)) {
		if (accept(lx, quote)) {
			toml_drop(lx);
			return lex_multiline(lx, quote, ret);
		}
		toml_back(lx);
	}
	toml_drop(lx);
	return lex_string(lx, quote, ret);
}

/* ---- numbers and times ------------------------------------------------------------------- */

static bool lex_float(struct toml_lexer *lx, struct toml_item *ret)
{
	skip_word(lx, ascii_is_digit, "_.-+eE");
	return emit(lx, TOML_FLOAT, ret);
}

static bool lex_decimal(struct toml_lexer *lx, struct toml_item *ret)
{
	skip_word(lx, ascii_is_digit, "_");
	uint32_t rune = toml_peek(lx);
	if (rune == '.' || rune == 'e' || rune == 'E')
		return lex_float(lx, ret);
	return emit(lx, TOML_INTEGER, ret);
}

static bool lex_datetime(struct toml_lexer *lx, struct toml_item *ret)
{
	skip_word(lx, ascii_is_digit, "-:Tt .Zz+");
	if (!emit(lx, TOML_DATETIME, ret))
		return false;
	ret->text = sv_trim_space(ret->text);
	return true;
}

static bool lex_number_or_date(struct toml_lexer *lx, struct toml_item *ret)
{
	skip_word(lx, ascii_is_digit, "");
	switch (toml_peek(lx)) {
	case '-':
	case ':':
		return lex_datetime(lx, ret);
	case '_':
		return lex_decimal(lx, ret);
	case '.':
	case 'e':
	case 'E':
		return lex_float(lx, ret);
	default:
		return emit(lx, TOML_INTEGER, ret);
	}
}

static bool is_binary(uint32_t rune)
{
	return rune == '0' || rune == '1';
}

static bool is_octal(uint32_t rune)
{
	return rune >= '0' && rune <= '7';
}

static bool lex_based(struct toml_lexer *lx, bool (*is_part)(uint32_t), const char *name,
                      struct toml_item *ret)
{
	uint32_t rune = toml_peek(lx);

	if (!is_part(rune))
		return fail_with_rune(
		    lx, lx->line,
		    arena_printf(lx->arena, "not %s number: '%.*s", name, SV_ARG(current(lx))),
		    rune);
	skip_word(lx, is_part, "_");
	return emit(lx, TOML_INTEGER, ret);
}

/* Reads a number or date after a leading 0. */
static bool lex_zero(struct toml_lexer *lx, struct toml_item *ret)
{
	uint32_t rune = toml_next(lx);

	switch (rune) {
	case '_':
		return lex_decimal(lx, ret);
	case '.':
	case 'e':
	case 'E':
		return lex_float(lx, ret);
	case 'b':
		return lex_based(lx, is_binary, "a binary", ret);
	case 'o':
		return lex_based(lx, is_octal, "an octal", ret);
	case 'x':
		return lex_based(lx, ascii_is_hex, "a hexadecimal", ret);
	default:
		if (ascii_is_digit(rune))
			return lex_number_or_date(lx, ret);
		toml_back(lx);
		return emit(lx, TOML_INTEGER, ret);
	}
}

/* Reads a number after its sign. */
static bool lex_signed(struct toml_lexer *lx, struct toml_item *ret)
{
	uint32_t rune = toml_next(lx);

	if (rune == 'i' || rune == 'n') {
		if (!accept(lx, rune == 'i' ? 'n' : 'a') || !accept(lx, rune == 'i' ? 'f' : 'n'))
			return toml_fail(lx, "invalid float: '%.*s'", SV_ARG(current(lx)));
		return emit(lx, TOML_FLOAT, ret);
	}
	if (rune == '.')
		return toml_fail(lx, "floats must start with a digit, not '.'");
	if (rune == '0') {
		uint32_t base = toml_peek(lx);

		if (base == 'b' || base == 'o' || base == 'x')
			return toml_fail(lx, "cannot use sign with non-decimal numbers: '%.*s%c'",
			                 SV_ARG(current(lx)), (int)base);
	}
	if (!ascii_is_digit(rune))
		return toml_fail(lx, "expected a digit but got %.*s",
		                 SV_ARG(toml_quote_rune(lx->arena, rune)));
	return lex_decimal(lx, ret);
}

/* ---- values ------------------------------------------------------------------------------ */

static bool lex_word(struct toml_lexer *lx, struct toml_item *ret)
{
	size_t from = lx->pos;

	skip_word(lx, is_letter, "");
	sv word = sv_slice(lx->text, from, lx->pos);
	if (sv_eq(word, SV("true")) || sv_eq(word, SV("false"))) {
		if (!emit(lx, TOML_BOOL, ret))
			return false;
		ret->text = word;
		return true;
	}
	return toml_fail(lx, "expected value but found %.*s instead",
	                 SV_ARG(go_strconv_quote(lx->arena, word)));
}

bool toml_lex_bare(struct toml_lexer *lx, struct toml_item *ret)
{
	skip_word(lx, is_bare, "");
	return emit(lx, TOML_STRING, ret);
}

bool toml_lex_quoted(struct toml_lexer *lx, struct toml_item *ret)
{
	toml_drop(lx);
	uint32_t quote = toml_next(lx);
	toml_drop(lx);
	return lex_string(lx, quote, ret);
}

bool toml_lex_value(struct toml_lexer *lx, struct toml_item *ret)
{
	uint32_t rune;

	toml_skip_blanks(lx);
	rune = toml_next(lx);
	if (lx->failed)
		return false;
	switch (rune) {
	case '[':
	case '{':
		toml_drop(lx);
		return emit(lx, rune == '[' ? TOML_ARRAY : TOML_INLINE_TABLE, ret);
	case '"':
	case '\'':
		return lex_any_string(lx, rune, ret);
	case '.':
		return toml_fail(lx, "floats must start with a digit, not '.'");
	case '-':
	case '+':
		return lex_signed(lx, ret);
	case '0':
		return lex_zero(lx, ret);
	case 'i':
	case 'n':
		/* COMPAT: it takes "ian" for a number too, at first. */
		if ((accept(lx, 'n') && accept(lx, 'f')) || (accept(lx, 'a') && accept(lx, 'n')))
			return emit(lx, TOML_FLOAT, ret);
		break;
	default:
		break;
	}
	if (ascii_is_digit(rune))
		return lex_number_or_date(lx, ret);
	if (is_letter(rune)) {
		toml_back(lx);
		return lex_word(lx, ret);
	}
	if (rune == TOML_EOF)
		return toml_fail(lx, "unexpected EOF; expected value");
	sv found = toml_quote_rune(lx->arena, rune);
	if (rune == '\n')
		return toml_fail_before(lx, "expected value but found %.*s instead", SV_ARG(found));
	return toml_fail(lx, "expected value but found %.*s instead", SV_ARG(found));
}
