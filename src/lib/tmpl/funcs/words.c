/*
 * Words: wrapping lines (goutils), and the three cases of huandu/xstrings 1.5.
 */
#include "golang/golang.h"
#include "tmpl/exec.h"
#include "tmpl/func.h"

/* ---- wrapping: bytes are columns
 * ----------------------------------------------------------------- */

static size_t last_space(sv s, size_t from, size_t to)
{
	size_t at = sv_rfind_char(sv_slice(s, from, to), ' ');

	return at == SV_NPOS ? SV_NPOS : from + at;
}

static enum status wrap(struct tmpl_call *call, sv s, int64_t width, sv separator, bool break_words)
{
	struct buf buf = buf_in(call->arena);
	size_t columns = width < 1 ? 1 : (size_t)width;
	size_t at = 0;

	if (separator.len == 0)
		separator = SV("\n");
	while (s.len - at > columns) {
		TRY(exec_charge(call->run, 1));
		TRY(exec_room(call->run, separator.len));
		if (s.ptr[at] == ' ') {
			at++;
			continue;
		}
		size_t space = last_space(s, at, at + columns + 1);
		size_t end = space;
		size_t next = space + 1;
		if (space == SV_NPOS && break_words) {
			end = next = at + columns;
		} else if (space == SV_NPOS) {
			size_t found = sv_find_char(sv_from_offset(s, at + columns), ' ');
			if (found == SV_NPOS)
				break;
			end = at + columns + found;
			next = end + 1;
		}
		buf_add(&buf, sv_slice(s, at, end));
		buf_add(&buf, separator);
		at = next;
	}
	buf_add(&buf, sv_from_offset(s, at));
	return tmpl_return_string(call, buf_sv(&buf));
}

static enum status fn_wrap(struct tmpl_call *call)
{
	return wrap(call, arg_string(call, 1), arg_int(call, 0), SV(""), false);
}

static enum status fn_wrap_with(struct tmpl_call *call)
{
	return wrap(call, arg_string(call, 2), arg_int(call, 0), arg_string(call, 1), true);
}

/* ---- words of an identifier
 * ---------------------------------------------------------------------- */

enum word_kind {
	WORD_INVALID,
	WORD_NUMBER,
	WORD_UPPER, /* HTTP, or Http: begins with an upper-case letter */
	WORD_ALPHABET,
	WORD_CONNECTOR,
	WORD_PUNCT,
	WORD_OTHER,
};

static bool is_connector(uint32_t rune)
{
	return rune == '-' || rune == '_' || go_rune_is_space(rune);
}

/* Letters, but for scripts without words of letters. */
static bool is_alphabet(uint32_t rune)
{
	if (!go_rune_is_letter(rune))
		return false;
	return !((rune >= 0x4E00 && rune <= 0x9FCC) || (rune >= 0x3400 && rune <= 0x4D85) ||
	         (rune >= 0x20000 && rune <= 0x2B81D));
}

/* Returns the next rune other than U+FFFD, or `otherwise`, and the number of bytes to its end. */
static uint32_t next_valid(sv s, uint32_t otherwise, size_t *ret_size)
{
	size_t width;

	for (*ret_size = 0; s.len > 0; s = sv_from_offset(s, width)) {
		uint32_t rune = utf8_decode(s, &width);
		*ret_size += width;
		if (rune != UTF8_REPLACEMENT)
			return rune;
	}
	return otherwise;
}

static bool continues(enum word_kind kind, uint32_t rune)
{
	switch (kind) {
	case WORD_CONNECTOR:
		return is_connector(rune);
	case WORD_PUNCT:
		return go_rune_is_punct(rune);
	case WORD_UPPER:
		return go_rune_is_upper(rune);
	case WORD_ALPHABET:
		return is_alphabet(rune) && !go_rune_is_upper(rune);
	case WORD_NUMBER:
		return go_rune_is_number(rune);
	case WORD_OTHER:
		return !is_connector(rune) && !is_alphabet(rune) && !go_rune_is_number(rune) &&
		       !go_rune_is_punct(rune);
	case WORD_INVALID:
		break;
	}
	return false;
}

static enum word_kind kind_of_rune(uint32_t rune)
{
	if (rune == UTF8_REPLACEMENT)
		return WORD_INVALID;
	if (is_connector(rune))
		return WORD_CONNECTOR;
	if (go_rune_is_punct(rune))
		return WORD_PUNCT;
	if (go_rune_is_upper(rune))
		return WORD_UPPER;
	if (is_alphabet(rune))
		return WORD_ALPHABET;
	return go_rune_is_number(rune) ? WORD_NUMBER : WORD_OTHER;
}

/* Returns the end of the run of `kind` that continues at `at`; *ret_stop is the rune after it. */
static size_t exec_end(sv s, size_t at, enum word_kind kind, uint32_t *ret_stop, size_t *ret_last)
{
	size_t size;

	*ret_last = 0;
	while (at < s.len) {
		*ret_stop = next_valid(sv_from_offset(s, at), *ret_stop, &size);
		if (size == 0 || !continues(kind, *ret_stop))
			return at;
		*ret_last = size;
		at += size;
	}
	return at;
}

static enum word_kind next_word(sv s, sv *ret_word, sv *ret_rest)
{
	size_t size;
	size_t last;

	*ret_word = *ret_rest = (sv){NULL, 0};
	if (s.len == 0)
		return WORD_INVALID;
	uint32_t rune = next_valid(s, UTF8_REPLACEMENT, &size);
	enum word_kind kind = kind_of_rune(rune);
	size_t end = size;
	if (kind == WORD_UPPER && end < s.len) {
		uint32_t second = next_valid(sv_from_offset(s, end), rune, &size);
		if (go_rune_is_upper(second)) {
			last = size;
			size_t stop = exec_end(s, end, WORD_UPPER, &second, &last);
			/* HTTPStatus is HTTP and Status: the last capital begins a word. */
			end = stop < s.len && is_alphabet(second) ? stop - last : stop;
		} else if (is_alphabet(second)) {
			end = exec_end(s, end, WORD_ALPHABET, &second, &last);
		}
	} else if (kind != WORD_INVALID && kind != WORD_UPPER) {
		end = exec_end(s, end, kind, &rune, &last);
	}
	*ret_word = sv_slice(s, 0, end);
	*ret_rest = sv_from_offset(s, end);
	return kind;
}

static void add_lower(struct buf *buf, enum word_kind kind, sv word, char connector)
{
	size_t width;

	if (kind != WORD_UPPER && kind != WORD_CONNECTOR) {
		buf_add(buf, word);
		return;
	}
	for (; word.len > 0; word = sv_from_offset(word, width)) {
		uint32_t rune = utf8_decode(word, &width);
		if (is_connector(rune))
			buf_add_char(buf, connector);
		else
			buf_add_rune(buf, go_rune_is_upper(rune) ? go_rune_to_lower(rune) : rune);
	}
}

struct word_walk {
	struct buf buf;
	char connector;
	enum word_kind kind;
	sv word;
	sv rest;
};

static void advance(struct word_walk *w)
{
	w->kind = next_word(w->rest, &w->word, &w->rest);
}

/* Letters and digits that go on belong to the word before. */
static void take_letters_and_digits(struct word_walk *w)
{
	while (w->kind == WORD_ALPHABET || w->kind == WORD_NUMBER) {
		add_lower(&w->buf, w->kind, w->word, w->connector);
		advance(w);
	}
}

static bool parts(enum word_kind kind)
{
	return kind != WORD_CONNECTOR && kind != WORD_PUNCT;
}

/* A number after letters: part of their word, unless lower-case letters follow it. */
static void after_letters(struct word_walk *w)
{
	if (w->kind != WORD_NUMBER) {
		if (parts(w->kind))
			buf_add_char(&w->buf, w->connector);
		return;
	}
	if (w->rest.len == 0)
		return;
	sv number = w->word;
	advance(w);
	if (w->kind != WORD_ALPHABET) {
		add_lower(&w->buf, WORD_NUMBER, number, w->connector);
		if (parts(w->kind))
			buf_add_char(&w->buf, w->connector);
		return;
	}
	buf_add_char(&w->buf, w->connector);
	add_lower(&w->buf, WORD_NUMBER, number, w->connector);
	take_letters_and_digits(w);
	if (w->kind != WORD_INVALID && parts(w->kind))
		buf_add_char(&w->buf, w->connector);
}

/* Each character is asked for its kind a few times. */
static enum status charge_characters(struct tmpl_call *call)
{
	return exec_charge(call->run, arg_string(call, 0).len);
}

static enum status lower_words(struct tmpl_call *call, char connector)
{
	struct word_walk w = {
	    .buf = buf_in(call->arena), .connector = connector, .rest = arg_string(call, 0)};

	TRY(charge_characters(call));
	advance(&w);
	while (w.rest.len > 0) {
		enum word_kind previous = w.kind;
		sv last = w.word;
		if (w.kind != WORD_CONNECTOR)
			add_lower(&w.buf, w.kind, w.word, connector);
		advance(&w);
		if (previous == WORD_NUMBER) {
			take_letters_and_digits(&w);
			if (w.kind != WORD_INVALID && parts(w.kind))
				buf_add_char(&w.buf, connector);
		} else if (previous == WORD_CONNECTOR) {
			add_lower(&w.buf, previous, last, connector);
		} else if (previous != WORD_PUNCT) {
			after_letters(&w);
		}
	}
	add_lower(&w.buf, w.kind, w.word, connector);
	return tmpl_return_string(call, buf_sv(&w.buf));
}

static enum status fn_snakecase(struct tmpl_call *call)
{
	return lower_words(call, '_');
}

static enum status fn_kebabcase(struct tmpl_call *call)
{
	return lower_words(call, '-');
}

/* Upper case after a connector, and lower for the rest of a word that was all upper case. */
static enum status fn_camelcase(struct tmpl_call *call)
{
	struct buf buf = buf_in(call->arena);
	sv s = arg_string(call, 0);
	uint32_t rune = 0;
	bool first_upper = false;
	size_t width = 0;

	TRY(charge_characters(call));
	for (; s.len > 0; buf_add_rune(&buf, rune)) {
		rune = utf8_decode(s, &width);
		s = sv_from_offset(s, width);
		if (!is_connector(rune)) {
			first_upper = go_rune_is_upper(rune);
			rune = go_rune_to_upper(rune);
			break;
		}
	}
	/* COMPAT: if a string has only connectors, the last one is written twice. */
	for (; s.len > 0; s = sv_from_offset(s, width)) {
		uint32_t before = rune;
		rune = utf8_decode(s, &width);
		if (is_connector(rune) && is_connector(before)) {
			buf_add_rune(&buf, before);
			continue;
		}
		if (is_connector(before)) {
			first_upper = go_rune_is_upper(rune);
			rune = go_rune_to_upper(rune);
			continue;
		}
		if (first_upper && go_rune_is_upper(rune))
			rune = go_rune_to_lower(rune);
		else if (first_upper)
			first_upper = false;
		buf_add_rune(&buf, before);
	}
	if (width > 0)
		buf_add_rune(&buf, rune);
	return tmpl_return_string(call, buf_sv(&buf));
}

static const struct tmpl_func funcs[] = {
    TMPL_FUNC("camelcase", "s>s", fn_camelcase),  TMPL_FUNC("kebabcase", "s>s", fn_kebabcase),
    TMPL_FUNC("snakecase", "s>s", fn_snakecase),  TMPL_FUNC("wrap", "is>s", fn_wrap),
    TMPL_FUNC("wrapWith", "iss>s", fn_wrap_with),
};

const struct tmpl_func_table tmpl_funcs_words = TMPL_TABLE(funcs);
