/*
 * The lexer: template text to items. One item at a time; an error is an item too.
 */
#ifndef OSM_GEN_TMPL_LEX_H
#define OSM_GEN_TMPL_LEX_H

#include "base/base.h"
#include "tmpl/advice.h"

enum item_type {
	ITEM_ERROR,
	ITEM_BOOL,
	ITEM_CHAR, /* any printable ASCII character without another meaning */
	ITEM_CHAR_CONSTANT,
	ITEM_COMPLEX,
	ITEM_ASSIGN,
	ITEM_DECLARE,
	ITEM_EOF,
	ITEM_FIELD,
	ITEM_IDENTIFIER,
	ITEM_LEFT_DELIM,
	ITEM_LEFT_PAREN,
	ITEM_NUMBER,
	ITEM_PIPE,
	ITEM_RAW_STRING,
	ITEM_RIGHT_DELIM,
	ITEM_RIGHT_PAREN,
	ITEM_SPACE,
	ITEM_STRING,
	ITEM_TEXT,
	ITEM_VARIABLE,
	/* keywords: all types greater than this one */
	ITEM_KEYWORD,
	ITEM_BLOCK,
	ITEM_BREAK,
	ITEM_CONTINUE,
	ITEM_DOT,
	ITEM_DEFINE,
	ITEM_ELSE,
	ITEM_END,
	ITEM_IF,
	ITEM_NIL,
	ITEM_RANGE,
	ITEM_TEMPLATE,
	ITEM_WITH,
};

struct item {
	enum item_type type;
	uint32_t pos; /* byte offset */
	uint32_t line;
	sv text;                  /* for an error: its message */
	enum parse_advice advice; /* of an error */
};

struct lexer {
	struct arena *arena; /* for error messages */
	sv input;
	size_t pos;
	size_t start;
	size_t error_pos; /* byte offset of the error */
	uint32_t line;
	uint32_t start_line;
	int paren_depth;
	bool at_eof;
	bool inside_action;
	bool failed;
	bool have_item;
	struct item item;
};

struct lexer lexer_on(struct arena *arena, sv input);
struct item lexer_next(struct lexer *lexer);

#endif
