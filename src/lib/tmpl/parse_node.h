/*
 * The tree of a template text. Nodes know their byte offset in the text; lines and columns are
 * counted when an error needs them.
 */
#ifndef OSM_GEN_TMPL_PARSE_NODE_H
#define OSM_GEN_TMPL_PARSE_NODE_H

#include "tmpl/advice.h"
#include "tmpl/tmpl.h"

struct tmpl_func;

enum parse_node_kind {
	PARSE_NODE_LIST,
	PARSE_NODE_TEXT,
	PARSE_NODE_ACTION,
	PARSE_NODE_IF,
	PARSE_NODE_RANGE,
	PARSE_NODE_WITH,
	PARSE_NODE_TEMPLATE,
	PARSE_NODE_BREAK,
	PARSE_NODE_CONTINUE,
	PARSE_NODE_END,  /* the parser's own */
	PARSE_NODE_ELSE, /* the parser's own */
	PARSE_NODE_PIPE,
	PARSE_NODE_COMMAND,
	PARSE_NODE_IDENTIFIER,
	PARSE_NODE_VARIABLE,
	PARSE_NODE_FIELD,
	PARSE_NODE_CHAIN,
	PARSE_NODE_DOT,
	PARSE_NODE_NIL,
	PARSE_NODE_BOOL,
	PARSE_NODE_NUMBER,
	PARSE_NODE_STRING,
};

struct parse_node {
	enum parse_node_kind kind;
	uint32_t pos;
};

VEC_TYPE(parse_node_vec, struct parse_node *);

struct list_node {
	struct parse_node node;
	struct parse_node_vec nodes;
};

struct text_node {
	struct parse_node node;
	sv text;
	const struct taint *taint;
};

struct variable_node {
	struct parse_node node;
	VEC(sv) idents; /* "$x" and the names of the fields after it */
};

struct field_node {
	struct parse_node node;
	VEC(sv) idents;
};

struct chain_node {
	struct parse_node node;
	struct parse_node *of;
	VEC(sv) fields;
};

struct identifier_node {
	struct parse_node node;
	sv name;
	const struct tmpl_func *func;
};

struct bool_node {
	struct parse_node node;
	struct value value;
};

struct number_node {
	struct parse_node node;
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
	struct parse_node node;
	sv quoted;
	struct value value;
};

struct command_node {
	struct parse_node node;
	struct parse_node_vec args;
};

struct pipe_node {
	struct parse_node node;
	bool is_assign;
	struct variable_node *decls[2];
	size_t decl_count;
	VEC(struct command_node *) commands;
};

struct action_node {
	struct parse_node node;
	struct pipe_node *pipe;
};

/* if, range, with */
struct branch_node {
	struct parse_node node;
	struct pipe_node *pipe;
	struct list_node *list;
	struct list_node *else_list; /* or null */
};

struct template_node {
	struct parse_node node;
	sv name;
	struct pipe_node *pipe; /* or null */
};

struct parse_tree {
	sv name;       /* of the template this is the body of */
	sv parse_name; /* of the template that Parse was called on */
	const struct value *source;
	struct list_node *root;
	bool is_empty;        /* nothing but comments and white space: does not replace another */
	bool has_secret_name; /* its name comes from a part of the source that holds a secret */
};

/* Trees in the order of their definition. */
struct parse_tree_vec {
	struct parse_tree **items;
	size_t count;
	size_t cap;
	struct map index; /* name to number + 1, once there are more than a few */
};

/* Returns the slot of the tree of that name, or null if there is none. */
struct parse_tree **parse_tree_vec_find(const struct parse_tree_vec *trees, sv name);
/* Adds a tree. The vector must not have one of its name. */
void parse_tree_vec_add(struct arena *arena, struct parse_tree_vec *trees, struct parse_tree *tree);

/* Returns the source of a node in canonical form, as error messages quote it. */
sv parse_node_text(struct arena *arena, const struct parse_node *node);

/* ---- parser (parse.c) -------------------------------------------------------------------- */

struct parse_job {
	struct arena *arena;
	const struct tmpl_funcs *funcs;
	const struct tmpl_source *source;
	struct parse_tree_vec trees; /* result: the root and what the text defines */
	sv error;                    /* on failure: Go's text */
	size_t error_offset;         /* where in the text */
	enum parse_advice advice;    /* on failure: which help it gets */
	sv unknown_function;         /* set when that is what went wrong */
	bool refused;                /* the function exists but is not pure */
	size_t memory_end;           /* what the arena may hold */
	bool over_limit;             /* it did not suffice */
	bool at_end;                 /* what went wrong is that the text ends */
	bool open_action;            /* what is open there was opened at open_offset */
	size_t open_offset;
};

/* Fills job->trees, or returns false with the error in the job. */
MUST_CHECK bool template_parse_text(struct parse_job *job);

/* ---- literals (literal.c) ---------------------------------------------------------------- */

/* Fills the number from its text; false with *ret_error, and with
 * *ret_advice if there is one. char_constant: 'a'; complex: 1+2i. */
enum literal_kind { LITERAL_NUMBER, LITERAL_CHAR, LITERAL_COMPLEX };
MUST_CHECK bool number_parse(struct arena *arena, struct number_node *number,
                             enum literal_kind kind, enum parse_advice *ret_advice, sv *ret_error);

#endif
