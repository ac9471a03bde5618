/*
 * States and their order follow the language (docs/spec/templates.md 3.1): text up to a delimiter,
 * comments, items inside an action. Offsets and line numbers are those that Go's errors show.
 */
#include "tmpl/lex.h"

#include "golang/golang.h"

#define END_OF_TEXT UINT32_MAX

static const struct keyword {
	sv word;
	enum item_type type;
} keywords[] = {
    {SV_INIT("block"), ITEM_BLOCK},
    {SV_INIT("break"), ITEM_BREAK},
    {SV_INIT("continue"), ITEM_CONTINUE},
    {SV_INIT("define"), ITEM_DEFINE},
    {SV_INIT("else"), ITEM_ELSE},
    {SV_INIT("end"), ITEM_END},
    {SV_INIT("if"), ITEM_IF},
    {SV_INIT("nil"), ITEM_NIL},
    {SV_INIT("range"), ITEM_RANGE},
    {SV_INIT("template"), ITEM_TEMPLATE},
    {SV_INIT("with"), ITEM_WITH},
};

struct lexer lexer_on(struct arena *arena, sv input)
{
	return (struct lexer){.arena = arena, .input = input, .line = 1, .start_line = 1};
}

/* ---- moving ------------------------------------------------------------------------------ */

static sv rest(const struct lexer *l)
{
	return sv_from_offset(l->input, l->pos);
}

static uint32_t next(struct lexer *l)
{
	size_t width;

	if (l->pos >= l->input.len) {
		l->at_eof = true;
		return END_OF_TEXT;
	}
	uint32_t rune = utf8_decode(rest(l), &width);
	l->pos += width;
	if (rune == '\n')
		l->line++;
	return rune;
}

/* Nothing to step back over once the end was met: as in Go, the end stays the end. */
static void backup(struct lexer *l)
{
	size_t width;

	if (l->at_eof || l->pos == 0)
		return;
	uint32_t rune = utf8_decode_last(sv_slice(l->input, 0, l->pos), &width);
	l->pos -= width;
	if (rune == '\n')
		l->line--;
}

static uint32_t peek(struct lexer *l)
{
	uint32_t rune = next(l);

	backup(l);
	return rune;
}

static uint32_t count_lines(sv s)
{
	uint32_t lines = 0;

	for (const char *p = s.ptr, *end = s.ptr + s.len; s.len > 0 && p < end; p++) {
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			break;
		lines++;
	}
	return lines;
}

static void count_item_lines(struct lexer *l)
{
	l->line += count_lines(sv_slice(l->input, l->start, l->pos));
}

static struct item take_item(struct lexer *l, enum item_type type)
{
	struct item item = {.type = type,
	                    .pos = (uint32_t)l->start,
	                    .line = l->start_line,
	                    .text = sv_slice(l->input, l->start, l->pos)};

	l->start = l->pos;
	l->start_line = l->line;
	return item;
}

static void emit_item(struct lexer *l, struct item item)
{
	l->item = item;
	l->have_item = true;
}

static void emit(struct lexer *l, enum item_type type)
{
	emit_item(l, take_item(l, type));
}

static void ignore(struct lexer *l)
{
	count_item_lines(l);
	l->start = l->pos;
	l->start_line = l->line;
}

/* The message becomes the item; what follows is the end of the text. */
static void fail_at(struct lexer *l, size_t at, enum parse_advice advice, sv message)
{
	emit_item(l, (struct item){.type = ITEM_ERROR,
	                           .pos = (uint32_t)l->start,
	                           .line = l->start_line,
	                           .text = message,
	                           .advice = advice});
	l->error_pos = at;
	l->failed = true;
	l->start = 0;
	l->pos = 0;
	l->input.len = 0;
}

static void fail_lex(struct lexer *l, enum parse_advice advice, sv message)
{
	fail_at(l, l->start, advice, message);
}

static void fail_number(struct lexer *l)
{
	struct buf buf = buf_in(l->arena);
	sv number = sv_slice(l->input, l->start, l->pos);

	BUF_ADD_LIT(&buf, "bad number syntax: ");
	go_strconv_quote_add(&buf, number);
	fail_lex(l,
	         sv_starts_with(number, SV("-")) ? PARSE_ADVICE_TRIM_MARKER : PARSE_ADVICE_QUOTES,
	         buf_sv(&buf));
}

static void fail_at_rune(struct lexer *l, size_t at, const char *message, uint32_t rune)
{
	enum parse_advice advice = rune == '-' ? PARSE_ADVICE_KEY_WITH_DASH : PARSE_ADVICE_NONE;
	struct buf buf = buf_in(l->arena);

	buf_add_cstr(&buf, message);
	if (rune == END_OF_TEXT)
		BUF_ADD_LIT(&buf, "U+FFFFFFFFFFFFFFFF");
	else
		go_unicode_add(&buf, rune);
	fail_at(l, at, advice, buf_sv(&buf));
}

static bool is_space(uint32_t rune)
{
	return rune == ' ' || rune == '\t' || rune == '\r' || rune == '\n';
}

static bool is_alphanumeric(uint32_t rune)
{
	if (rune == END_OF_TEXT)
		return false;
	return rune == '_' || go_rune_is_letter(rune) || go_rune_is_digit(rune);
}

static bool accept(struct lexer *l, const char *valid)
{
	uint32_t rune = next(l);

	if (rune != END_OF_TEXT && rune != 0 && rune < 0x80 && strchr(valid, (int)rune))
		return true;
	backup(l);
	return false;
}

static void accept_run(struct lexer *l, const char *valid)
{
	while (accept(l, valid))
		;
}

/* ---- delimiters -------------------------------------------------------------------------- */

static bool has_left_trim_marker(sv s)
{
	return s.len >= 2 && s.ptr[0] == '-' && is_space((unsigned char)s.ptr[1]);
}

static bool has_right_trim_marker(sv s)
{
	return s.len >= 2 && is_space((unsigned char)s.ptr[0]) && s.ptr[1] == '-';
}

#define TRIM_MARKER_LEN 2

static bool at_right_delim(const struct lexer *l, bool *ret_trim)
{
	sv s = rest(l);

	*ret_trim = false;
	if (has_right_trim_marker(s) &&
	    sv_starts_with(sv_from_offset(s, TRIM_MARKER_LEN), SV("}}"))) {
		*ret_trim = true;
		return true;
	}
	return sv_starts_with(s, SV("}}"));
}

static size_t leading_space(sv s)
{
	size_t n = 0;

	while (n < s.len && is_space((unsigned char)s.ptr[n]))
		n++;
	return n;
}

static void lex_text(struct lexer *l);

static void lex_comment(struct lexer *l)
{
	bool trim;

	l->pos += 2;
	size_t end = sv_find(rest(l), SV("*/"));
	if (end == SV_NPOS) {
		fail_lex(l, PARSE_ADVICE_UNCLOSED_COMMENT, SV("unclosed comment"));
		return;
	}
	l->pos += end + 2;
	if (!at_right_delim(l, &trim)) {
		fail_lex(l, PARSE_ADVICE_COMMENT_END, SV("comment ends before closing delimiter"));
		return;
	}
	count_item_lines(l);
	take_item(l, ITEM_TEXT);
	l->pos += 2 + (trim ? TRIM_MARKER_LEN : 0);
	if (trim)
		l->pos += leading_space(rest(l));
	ignore(l);
}

static void lex_left_delim(struct lexer *l)
{
	l->pos += 2;
	size_t marker = has_left_trim_marker(rest(l)) ? TRIM_MARKER_LEN : 0;
	if (sv_starts_with(sv_from_offset(rest(l), marker), SV("/*"))) {
		l->pos += marker;
		ignore(l);
		lex_comment(l);
		return;
	}
	struct item item = take_item(l, ITEM_LEFT_DELIM);
	l->inside_action = true;
	l->pos += marker;
	ignore(l);
	l->paren_depth = 0;
	emit_item(l, item);
}

static void lex_text(struct lexer *l)
{
	size_t at = sv_find(rest(l), SV("{{"));

	if (at == SV_NPOS) {
		l->pos = l->input.len;
		if (l->pos > l->start) {
			count_item_lines(l);
			emit(l, ITEM_TEXT);
		} else {
			emit(l, ITEM_EOF);
		}
		return;
	}
	if (at > 0) {
		size_t trim = 0;
		l->pos += at;
		if (has_left_trim_marker(sv_from_offset(rest(l), 2))) {
			sv before = sv_slice(l->input, l->start, l->pos);
			trim = before.len - sv_trim_right(before, " \t\r\n").len;
		}
		l->pos -= trim;
		count_item_lines(l);
		struct item item = take_item(l, ITEM_TEXT);
		l->pos += trim;
		ignore(l);
		if (item.text.len > 0) {
			emit_item(l, item);
			return;
		}
	}
	lex_left_delim(l);
}

static void lex_right_delim(struct lexer *l)
{
	bool trim;

	(void)at_right_delim(l, &trim);
	if (trim) {
		l->pos += TRIM_MARKER_LEN;
		ignore(l);
	}
	l->pos += 2;
	struct item item = take_item(l, ITEM_RIGHT_DELIM);
	if (trim) {
		l->pos += leading_space(rest(l));
		ignore(l);
	}
	l->inside_action = false;
	emit_item(l, item);
}

/* ---- inside an action -------------------------------------------------------------------- */

static bool at_terminator(struct lexer *l)
{
	uint32_t rune = peek(l);

	if (is_space(rune) || rune == END_OF_TEXT)
		return true;
	if (rune < 0x80 && rune != 0 && strchr(".,|:)(", (int)rune))
		return true;
	return sv_starts_with(rest(l), SV("}}"));
}

/* Called with at least one space ahead. */
static void lex_space(struct lexer *l)
{
	size_t spaces = 0;

	while (is_space(peek(l))) {
		next(l);
		spaces++;
	}
	/* The last space may belong to " -}}". */
	sv s = sv_from_offset(l->input, l->pos - 1);
	if (has_right_trim_marker(s) &&
	    sv_starts_with(sv_from_offset(s, TRIM_MARKER_LEN), SV("}}"))) {
		backup(l);
		if (spaces == 1) {
			lex_right_delim(l);
			return;
		}
	}
	emit(l, ITEM_SPACE);
}

static void lex_identifier(struct lexer *l)
{
	uint32_t rune;

	do {
		rune = next(l);
	} while (is_alphanumeric(rune));
	backup(l);
	sv word = sv_slice(l->input, l->start, l->pos);
	if (!at_terminator(l)) {
		fail_at_rune(l, l->pos, "bad character ", rune);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(keywords); i++) {
		if (sv_eq(word, keywords[i].word)) {
			emit(l, keywords[i].type);
			return;
		}
	}
	emit(l,
	     sv_eq_cstr(word, "true") || sv_eq_cstr(word, "false") ? ITEM_BOOL : ITEM_IDENTIFIER);
}

/* Lexes the name after "." or "$". */
static void lex_field_or_variable(struct lexer *l, enum item_type type)
{
	uint32_t rune;

	if (at_terminator(l)) {
		emit(l, type == ITEM_VARIABLE ? ITEM_VARIABLE : ITEM_DOT);
		return;
	}
	do {
		rune = next(l);
	} while (is_alphanumeric(rune));
	backup(l);
	if (!at_terminator(l)) {
		fail_at_rune(l, l->pos, "bad character ", rune);
		return;
	}
	emit(l, type);
}

/* Up to the closing quote; a backslash hides any character but a line break. */
static void lex_quoted(struct lexer *l, uint32_t quote, enum item_type type, sv message)
{
	for (;;) {
		uint32_t rune = next(l);
		if (rune == '\\') {
			rune = next(l);
			if (rune != END_OF_TEXT && rune != '\n')
				continue;
		}
		if (rune == END_OF_TEXT || rune == '\n') {
			fail_lex(l, PARSE_ADVICE_UNTERMINATED_QUOTE, message);
			return;
		}
		if (rune == quote) {
			emit(l, type);
			return;
		}
	}
}

static void lex_raw_quoted(struct lexer *l)
{
	for (;;) {
		uint32_t rune = next(l);
		if (rune == END_OF_TEXT) {
			fail_lex(l, PARSE_ADVICE_UNTERMINATED_QUOTE,
			         SV("unterminated raw quoted string"));
			return;
		}
		if (rune == '`') {
			emit(l, ITEM_RAW_STRING);
			return;
		}
	}
}

/* Accepts more than numbers; the conversion finds the mistakes. */
static bool scan_number(struct lexer *l)
{
	static const char decimal[] = "0123456789_";
	static const char hexadecimal[] = "0123456789abcdefABCDEF_";
	const char *digits = decimal;

	accept(l, "+-");
	if (accept(l, "0")) {
		if (accept(l, "xX"))
			digits = hexadecimal;
		else if (accept(l, "oO"))
			digits = "01234567_";
		else if (accept(l, "bB"))
			digits = "01_";
	}
	accept_run(l, digits);
	if (accept(l, "."))
		accept_run(l, digits);
	if ((digits == decimal && accept(l, "eE")) || (digits == hexadecimal && accept(l, "pP"))) {
		accept(l, "+-");
		accept_run(l, decimal);
	}
	accept(l, "i");
	if (is_alphanumeric(peek(l))) {
		next(l);
		return false;
	}
	return true;
}

static void lex_number(struct lexer *l)
{
	if (!scan_number(l)) {
		fail_number(l);
		return;
	}
	uint32_t sign = peek(l);
	if (sign == '+' || sign == '-') {
		if (!scan_number(l) || l->input.ptr[l->pos - 1] != 'i') {
			fail_number(l);
			return;
		}
		emit(l, ITEM_COMPLEX);
		return;
	}
	emit(l, ITEM_NUMBER);
}

static bool dot_starts_number(const struct lexer *l)
{
	return l->pos >= l->input.len || ascii_is_digit(l->input.ptr[l->pos]);
}

static void lex_paren(struct lexer *l, uint32_t rune)
{
	if (rune == '(') {
		l->paren_depth++;
		emit(l, ITEM_LEFT_PAREN);
		return;
	}
	l->paren_depth--;
	if (l->paren_depth < 0)
		fail_lex(l, PARSE_ADVICE_SURPLUS_PAREN, SV("unexpected right paren"));
	else
		emit(l, ITEM_RIGHT_PAREN);
}

static void lex_punctuation(struct lexer *l, uint32_t rune)
{
	if (rune == '=') {
		emit(l, ITEM_ASSIGN);
	} else if (rune == ':') {
		if (next(l) != '=')
			fail_lex(l, PARSE_ADVICE_NONE, SV("expected :="));
		else
			emit(l, ITEM_DECLARE);
	} else if (rune == '|') {
		emit(l, ITEM_PIPE);
	} else if (rune == '(' || rune == ')') {
		lex_paren(l, rune);
	} else if (rune < 0x80 && rune >= 0x20 && rune < 0x7F) {
		emit(l, ITEM_CHAR);
	} else {
		fail_at_rune(l, l->start, "unrecognized character in action: ", rune);
	}
}

static void lex_inside_action(struct lexer *l)
{
	bool trim;

	if (at_right_delim(l, &trim)) {
		if (l->paren_depth == 0)
			lex_right_delim(l);
		else
			fail_lex(l, PARSE_ADVICE_UNCLOSED_PAREN, SV("unclosed left paren"));
		return;
	}
	uint32_t rune = next(l);
	if (rune == END_OF_TEXT) {
		fail_lex(l, PARSE_ADVICE_UNCLOSED_ACTION, SV("unclosed action"));
	} else if (is_space(rune)) {
		backup(l);
		lex_space(l);
	} else if (rune == '"') {
		lex_quoted(l, '"', ITEM_STRING, SV("unterminated quoted string"));
	} else if (rune == '`') {
		lex_raw_quoted(l);
	} else if (rune == '\'') {
		lex_quoted(l, '\'', ITEM_CHAR_CONSTANT, SV("unterminated character constant"));
	} else if (rune == '$') {
		lex_field_or_variable(l, ITEM_VARIABLE);
	} else if (rune == '.' && !dot_starts_number(l)) {
		lex_field_or_variable(l, ITEM_FIELD);
	} else if (rune == '.' || rune == '+' || rune == '-' || ascii_is_digit(rune)) {
		backup(l);
		lex_number(l);
	} else if (is_alphanumeric(rune)) {
		backup(l);
		lex_identifier(l);
	} else {
		lex_punctuation(l, rune);
	}
}

struct item lexer_next(struct lexer *l)
{
	l->have_item = false;
	if (l->failed) {
		/*
		 * COMPAT: in Go, too, the emptied input inside an action is an unclosed action
		 * again.
		 */
		if (l->inside_action)
			fail_at(l, l->error_pos, PARSE_ADVICE_UNCLOSED_ACTION,
			        SV("unclosed action"));
		else
			emit_item(l, (struct item){.type = ITEM_EOF,
			                           .line = l->start_line,
			                           .text = SV("EOF")});
		return l->item;
	}
	while (!l->have_item) {
		if (l->inside_action)
			lex_inside_action(l);
		else
			lex_text(l);
	}
	return l->item;
}
