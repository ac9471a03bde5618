/*
 * The parser's state and the steps that its files share (parser.c).
 */
#ifndef OSM_GEN_TMPL_PARSE_H
#define OSM_GEN_TMPL_PARSE_H

#include "tmpl/lex.h"
#include "tmpl/parse_node.h"
#include "tmpl/stack.h"

/* Shared by all templates of one text. */
struct parse_text {
	struct parse_job *job;
	struct arena *arena;
	struct lexer lexer;
	struct stack_guard guard;
};

struct parser {
	struct parse_text *text;
	struct parse_tree *tree;
	struct item items[3]; /* look-ahead; items[0] is the last one read */
	int peeked;
	uint32_t action_line; /* 0 outside of actions */
	uint32_t action_pos;  /* of the delimiter that opened the last action */
	int range_depth;
	VEC(sv) vars;
	/*
	 * For each name 1 + its lowest index in vars. An entry is stale if vars does not have the
	 * name at that index.
	 */
	struct map var_index;
};

#define NEW_NODE(p, type, node_kind, at)                                                           \
	((type *)parse_new_node((p), sizeof(type), (node_kind), (at)))

bool parse_is_declared(const struct parser *p, sv name);
void parse_declare(struct parser *p, sv name);

void *parse_new_node(struct parser *p, size_t size, enum parse_node_kind kind, uint32_t pos);

/* Record the error in the job and return false: an error ends the parse. */
bool parse_error(struct parser *p, uint32_t at, enum parse_advice advice, const char *format,
                 const struct value *args, size_t count);
bool parse_unexpected(struct parser *p, struct item item, sv context);
#define PARSE_ERROR(p, at, advice, format, ...)                                                    \
	((void)parse_error((p), (at), (advice), (format), (const struct value[]){__VA_ARGS__},     \
	                   COUNT_OF(((const struct value[]){__VA_ARGS__}))),                       \
	 false)
#define PARSE_ERROR_PLAIN(p, at, advice, format)                                                   \
	((void)parse_error((p), (at), (advice), (format), NULL, 0), false)
/* The position of the last item read, for mistakes that only the next item reveals. */
#define LAST_POS(p) ((p)->items[0].pos)

/* ---- items: up to three are looked at before they are taken ------------------------------ */

struct item parse_next(struct parser *p);
struct item parse_peek(struct parser *p);
struct item parse_next_non_space(struct parser *p);
struct item parse_peek_non_space(struct parser *p);
void parse_backup(struct parser *p);
/* The item before the last one is next again. */
void parse_backup2(struct parser *p, struct item first);
void parse_backup3(struct parser *p, struct item first, struct item second);

/* ---- pipelines (pipeline.c) -------------------------------------------------------------- */

/* Parses commands up to and including `end`. `context` names the construct in messages. */
bool parse_pipeline(struct parser *p, sv context, enum item_type end, struct pipe_node **ret_pipe);

#endif
