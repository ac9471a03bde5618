/*
 * The tree of a template text. Nodes know their byte offset in the text; lines and columns are
 * counted when an error needs them.
 */
#ifndef OSM_GEN_TMPL_NODE_H
#define OSM_GEN_TMPL_NODE_H

#include "tmpl/tmpl.h"

struct tmpl_func;

enum node_kind {
	NODE_LIST,
	NODE_TEXT,
	NODE_ACTION,
	NODE_IF,
	NODE_RANGE,
	NODE_WITH,
	NODE_TEMPLATE,
	NODE_BREAK,
	NODE_CONTINUE,
	NODE_END,  /* the parser's own */
	NODE_ELSE, /* the parser's own */
	NODE_PIPE,
	NODE_COMMAND,
	NODE_IDENTIFIER,
	NODE_VARIABLE,
	NODE_FIELD,
	NODE_CHAIN,
	NODE_DOT,
	NODE_NIL,
	NODE_BOOL,
	NODE_NUMBER,
	NODE_STRING,
};

struct node {
	enum node_kind kind;
	uint32_t pos;
};

VEC_TYPE(node_vec, struct node *);

struct list_node {
	struct node node;
	struct node_vec nodes;
};

struct text_node {
	struct node node;
	sv text;
	const struct taint *taint;
};

struct variable_node {
	struct node node;
	VEC(sv) idents; /* "$x" and the fields behind it */
};

struct field_node {
	struct node node;
	VEC(sv) idents;
};

struct chain_node {
	struct node node;
	struct node *of;
	VEC(sv) fields;
};

struct identifier_node {
	struct node node;
	sv name;
	const struct tmpl_func *func;
};

struct bool_node {
	struct node node;
	struct value value;
};

struct number_node {
	struct node node;
	sv text;
	bool is_int;
	bool is_uint;
	bool is_float;
	bool is_complex;
	int64_t integer;
	uint64_t unsigned_integer;
	double real;
	double re;
	double im;
	struct value
	    ideal; /* the constant without a type from its context; invalid: overflows int */
};

struct string_node {
	struct node node;
	sv quoted;
	struct value value;
};

struct command_node {
	struct node node;
	struct node_vec args;
};

struct pipe_node {
	struct node node;
	bool is_assign;
	struct variable_node *decls[2];
	size_t decl_count;
	VEC(struct command_node *) commands;
};

struct action_node {
	struct node node;
	struct pipe_node *pipe;
};

/* if, range, with */
struct branch_node {
	struct node node;
	struct pipe_node *pipe;
	struct list_node *list;
	struct list_node *else_list; /* or null */
};

struct template_node {
	struct node node;
	sv name;
	struct pipe_node *pipe; /* or null */
};

struct tree {
	sv name;       /* of the template this is the body of */
	sv parse_name; /* of the template that Parse was called on */
	const struct value *source;
	struct list_node *root;
	bool is_empty;        /* nothing but comments and white space: does not replace another */
	bool has_secret_name; /* it stands in a part of the source that came from a secret */
};

/* Trees in the order in which they came; a text may define thousands. */
struct tree_vec {
	struct tree **items;
	size_t count;
	size_t cap;
	struct map index; /* name to number + 1, once there are more than a few */
};

/* The place of the tree of that name; null when there is none. */
struct tree **tree_vec_find(const struct tree_vec *trees, sv name);
/* There is none of its name yet. */
void tree_vec_add(struct arena *arena, struct tree_vec *trees, struct tree *tree);

/* The canonical text of a node, as error messages quote it. */
sv node_text(struct arena *arena, const struct node *node);

/* ---- parser (parse.c) -------------------------------------------------------------------- */

struct parse_job {
	struct arena *arena;
	const struct tmpl_funcs *funcs;
	const struct tmpl_source *source;
	struct tree_vec trees; /* result: the root and what the text defines */
	sv error;              /* on failure: Go's text */
	size_t error_offset;   /* where in the text */
	sv unknown_function;   /* set when that is what went wrong */
	bool refused;          /* the function exists but is not pure */
	size_t memory_end;     /* what the arena may hold */
	bool over_limit;       /* it did not suffice */
	bool at_end;           /* what went wrong is that the text ends */
	bool open_action;      /* what is open there was opened at open_offset */
	size_t open_offset;
};

/* False on failure. */
MUST_CHECK bool template_parse_text(struct parse_job *job);

/* ---- literals (literal.c) ---------------------------------------------------------------- */

/* Fills the number from its text; false with *ret_error. char_constant: 'a'; complex: 1+2i. */
enum literal_kind { LITERAL_NUMBER, LITERAL_CHAR, LITERAL_COMPLEX };
MUST_CHECK bool number_parse(struct arena *arena, struct number_node *number,
                             enum literal_kind kind, sv *ret_error);

#endif
