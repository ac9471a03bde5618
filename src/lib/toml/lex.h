/*
 * Characters and words of TOML (private to toml/). The lexer works rune by rune with a few steps
 * back, as the library's does: its messages and line numbers depend on that.
 */
#ifndef OSM_GEN_TOML_LEX_H
#define OSM_GEN_TOML_LEX_H

#include "base/base.h"
#include "value/value.h"

enum toml_kind {
	TOML_STRING, /* without escapes; keys and literal strings too */
	TOML_STRING_ESCAPED,
	TOML_STRING_MULTILINE,
	TOML_STRING_LITERAL_MULTILINE,
	TOML_BOOL,
	TOML_INTEGER,
	TOML_FLOAT,
	TOML_DATETIME,
	TOML_ARRAY,        /* its [ */
	TOML_INLINE_TABLE, /* its { */
};

struct toml_item {
	enum toml_kind kind;
	sv text;  /* as written, without quotes */
	int line; /* where it ends */
};

struct toml_lexer {
	struct arena *arena;
	sv text;
	size_t start; /* of the current word */
	size_t pos;
	int line;
	bool at_eof;
	size_t widths[4]; /* of the last runes, newest first */
	/* The first mistake. */
	bool failed;
	sv message;
	int error_line;
};

#define TOML_EOF 0u

/*
 * Returns the next rune, or TOML_EOF at the end. A byte that is not UTF-8 or a control character is
 * a mistake, and gives U+FFFD.
 */
uint32_t toml_next(struct toml_lexer *lx);
void toml_back(struct toml_lexer *lx); /* one rune; up to four times after another */
uint32_t toml_peek(struct toml_lexer *lx);
void toml_drop(struct toml_lexer *lx); /* the current word starts here */
void toml_skip_blanks(struct toml_lexer *lx);
bool toml_is_blank(uint32_t rune);
bool toml_is_break(uint32_t rune);
void toml_skip_comment(struct toml_lexer *lx); /* up to the line break */

/* Records the first mistake. Always returns false. */
bool toml_fail(struct toml_lexer *lx, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same, on the previous line: for an unexpected line break. */
bool toml_fail_before(struct toml_lexer *lx, const char *format, ...) PRINTF_LIKE(2, 3);
bool toml_fail_at(struct toml_lexer *lx, int line, const char *format, ...) PRINTF_LIKE(3, 4);
bool toml_fail_depth(struct toml_lexer *lx);
/* Quotes a rune as Go's %q does. */
sv toml_quote_rune(struct arena *arena, uint32_t rune);

/* Reads a bare part of a key, which may be empty. */
bool toml_lex_bare(struct toml_lexer *lx, struct toml_item *ret);
/* Reads a quoted part of a key, from its quote on. */
bool toml_lex_quoted(struct toml_lexer *lx, struct toml_item *ret);
/* Reads a value, or the bracket that starts one. */
bool toml_lex_value(struct toml_lexer *lx, struct toml_item *ret);

/* ---- scalar.c ------------------------------------------------------------------------------ */

/*
 * Reads a scalar; `item` must not be an array or inline table. Returns false and the library's
 * message in *ret_error.
 */
bool toml_scalar(struct arena *arena, const struct toml_item *item, struct value *ret,
                 sv *ret_error);

#endif
