/*
 * One execution. A failure is recorded once, complete with its place; functions leave only their
 * message behind (pending), and the call that ran them adds where it was.
 */
#ifndef OSM_GEN_TMPL_EXEC_H
#define OSM_GEN_TMPL_EXEC_H

#include "golang/golang.h"
#include "tmpl/advice.h"
#include "tmpl/func.h"
#include "tmpl/parse_node.h"
#include "tmpl/stack.h"
#include "tmpl/tmpl.h"

struct exec_variable {
	sv name;
	struct ref value;
};

struct tmpl_set {
	sv name; /* of the root template */
	const struct tmpl_funcs *funcs;
	struct parse_tree_vec trees;
	enum tmpl_missing_key missing_key;
};

/* What a byte of the output was written by. */
struct exec_trace {
	size_t offset; /* of the byte in out */
	const struct value *source;
	size_t at; /* byte of source; null: nothing wrote it */
};

/* What a search for secrets has looked into (secret.c): stores of lists and maps. */
struct exec_seen_entry {
	const void *store;
	size_t count;
	uint64_t search; /* another than the present one: free */
};
struct exec_seen {
	struct exec_seen_entry *entries;
	size_t capacity; /* a power of two, or 0 */
	size_t count;    /* of the present search */
	uint64_t search;
};

struct tmpl_run {
	struct arena *arena;
	const struct tmpl_set *set;
	const struct parse_tree_vec *overlay; /* looked at before the set; or null */
	struct tmpl_options options;
	struct text *out;
	size_t out_start;
	size_t memory_start;
	uint64_t steps;
	uint64_t
	    step_end; /* how many they may be: the limit; fewer in a call that works on secrets */
	uint64_t charged_steps; /* of them, to options.total_steps */
	struct stack_guard guard;
	const struct parse_tree *tree; /* being executed */
	const struct parse_node *node; /* last marked: errors are there */
	/* The one name of several, .A.B.C, that failed: nearer than Go's position, which the
	 * error's text has. */
	bool blamed;
	uint32_t blame_pos;
	struct {
		sv name; /* of a field that is not there; or empty */
		const struct type *type;
	} unknown;
	const struct type *data;  /* of the whole execution; or null */
	struct exec_trace *trace; /* or null */
	VEC(struct exec_variable) vars;
	size_t depth;
	/*
	 * The secret that decides whether what is being done fails (null: none). Failing is then a
	 * TMPL_SECRET failure, which says neither where nor why.
	 */
	const struct secret *about;
	struct exec_seen seen;
	bool secret_cost; /* what was charged depends on the bytes of secrets: so does TMPL_LIMIT */
	uint64_t secret_steps; /* of `steps`, those that do */
	uint64_t fixed_steps;  /* of `steps`, those that are the same whatever is worked on */
	bool failed;
	enum tmpl_failure failure;
	sv error;
	enum run_advice advice; /* which help the failure gets */
	sv refused_function;    /* its name, if calling it is what was refused */
	bool is_pending;
	enum tmpl_failure pending_failure;
	enum run_advice pending_advice;
	sv pending;
};

#define TRY(expression)                                                                            \
	do {                                                                                       \
		if ((expression) != STATUS_OK)                                                     \
			return STATUS_FAILED;                                                      \
	} while (0)

/*
 * Walks the root template; the fields arena, set, overlay, options, out, memory_start and steps are
 * set (exec.c).
 */
enum status exec_whole(struct tmpl_run *run, const struct value *data);

#define TMPL_SECRET_TEXT "a template fails, and whether it does depends on what a secret is"

/* ---- failing (failure.c) ----------------------------------------------------------------- */

/* Records the failure with its place; the format is Go's (%s %q %v %d). */
enum status exec_error(struct tmpl_run *run, enum tmpl_failure failure, enum run_advice advice,
                       const char *format, const struct value *args, size_t count);
#define EXEC_ERROR(run, format, ...)                                                               \
	EXEC_ERROR_ADVISED((run), RUN_ADVICE_NONE, (format), __VA_ARGS__)
#define EXEC_ERROR_ADVISED(run, advice, format, ...)                                               \
	exec_error((run), TMPL_EXEC, (advice), (format), (const struct value[]){__VA_ARGS__},      \
	           COUNT_OF(((const struct value[]){__VA_ARGS__})))
/* The pending failure becomes the recorded one; prefix as in "error calling NAME: ". */
enum status exec_error_pending(struct tmpl_run *run, const char *prefix, sv name);
/* Fails because a decision would tell of a secret; node: what is decided by. */
enum status exec_error_decides(struct tmpl_run *run, const struct parse_node *node,
                               const struct secret *secret);
/* Leaves a message for the caller. */
enum status exec_pend(struct tmpl_run *run, enum tmpl_failure failure, sv text);
enum status exec_pend_advised(struct tmpl_run *run, enum tmpl_failure failure,
                              enum run_advice advice, sv text);
/* Returns the advice for an error that names these types, or `other` if they have none. */
enum run_advice exec_advice_on_type(const struct type *type, enum run_advice other);
enum run_advice exec_advice_on_types(const struct type *left, const struct type *right,
                                     enum run_advice other);

/* ---- budgets (budget.c) ------------------------------------------------------------------ */

/* Charges steps; pends when the budget is used up. */
enum status exec_charge(struct tmpl_run *run, uint64_t steps);
/* The same, for work that takes as long whatever the arguments are. */
enum status exec_charge_fixed(struct tmpl_run *run, uint64_t steps);
/* Notes that so many of the steps depend on a secret: pends when there are too many of them. */
enum status exec_note_secret(struct tmpl_run *run, uint64_t steps);
/* Counts work that is small and cannot be refused at its place: the next charge reports it. */
static inline void exec_count(struct tmpl_run *run, uint64_t steps)
{
	run->steps += steps;
}
/* A step is about 50 ns of work: a walk along so many names, or through so much text by runes. */
#define EXEC_NAMES_PER_STEP 16
#define EXEC_BYTES_PER_STEP 16
/* Each character of a text is decoded and looked up in Unicode's tables. */
#define EXEC_CHARACTERS_PER_STEP 4
/* Memory that is made, zeroed and wiped, in the same measure. */
#define EXEC_MEMORY_PER_STEP 64
/* Charges for making another map of the entries: each key is read, looked up and put there. */
enum status exec_charge_entries(struct tmpl_run *run, const struct value *map);
/* Charges for sorting the entries, whatever their order is. */
enum status exec_charge_sorting(struct tmpl_run *run, const struct value *map);
/* Before recursing: pends when the C stack runs low. */
enum status exec_descend(struct tmpl_run *run);
/* Whether n more bytes may be made. */
enum status exec_room(struct tmpl_run *run, size_t bytes);
/* Prints into out within the run's budgets; printing that fails leaves its reason pending. */
struct printer exec_printer(struct tmpl_run *run, struct text *out);

/* ---- evaluating (eval.c, fit.c, call.c) -------------------------------------------------- */

enum status exec_pipeline(struct tmpl_run *run, struct ref dot, const struct pipe_node *pipe,
                          struct ref *ret_value);
/* type null: whatever comes. */
enum status exec_arg(struct tmpl_run *run, struct ref dot, const struct type *type,
                     const struct parse_node *node, struct ref *ret_value);
/* Whether the value may stand for a parameter of the type: unwraps, dereferences once. */
enum status exec_fit_type(struct tmpl_run *run, struct ref value, const struct type *type,
                          struct ref *ret_value);
/* A constant where a type is asked for; type_any: as it is by itself. */
enum status exec_literal(struct tmpl_run *run, const struct type *type,
                         const struct parse_node *node, struct ref *ret_value);
/* nil where a type is asked for. */
enum status exec_nil(struct tmpl_run *run, const struct type *type, struct ref *ret_value);
enum status exec_set_variable(struct tmpl_run *run, sv name, struct ref value);

/* What stands behind a word in a command, and what is piped into it. */
struct call_args {
	const struct parse_node_vec *nodes; /* the first is the word itself; or null */
	const struct ref *final;            /* the piped value; or null */
};

/* What is called, and with what. */
struct call_site {
	sv name;
	const char *signature;
	tmpl_impl *impl;
	const struct tmpl_func *func; /* null for methods */
	const struct value *receiver;
	const struct parse_node *node; /* where a failure of the function is */
	struct call_args args;
};
enum status exec_call(struct tmpl_run *run, struct ref dot, const struct call_site *site,
                      struct ref *ret_value);

extern const struct type type_reflect_value;         /* the parameter type of 'v' */
extern const struct type type_time;                  /* time.Time (funcs/time.c) */
extern const struct type type_location_pointer;      /* *time.Location (funcs/time.c) */
extern const struct type type_ip_mask;               /* net.IPMask (funcs/ip.c) */
extern const struct type *const type_semver_pointer; /* *semver.Version (funcs/version.c) */

/* ---- values as a whole ------------------------------------------------------------------- */

/* Secrets in a value: the first one, and the first that something in it is derived from. */
struct exec_secrets {
	const struct secret *any;     /* null: it is clear */
	const struct secret *derived; /* null: whole secrets only */
};

/*
 * Adds to *found what is in a value, however deep: pends when the budget is used up, and for what
 * nests deeper than is looked (secret.c).
 */
enum status exec_find_secrets(struct tmpl_run *run, struct ref ref, struct exec_secrets *found);
/*
 * The secret that would be told of by a decision on the value itself: whether it is empty, what it
 * is, which members it has. Null: there is none, or it is a whole secret, of which no more shows
 * than that it is not empty.
 */
const struct secret *exec_deciding_secret(struct ref ref);
/*
 * Makes *ref, and all that it holds, derived. Marked are copies, but for dicts, which templates
 * share with themselves by name; in_place: the items of lists too.
 */
enum status exec_mark_derived(struct tmpl_run *run, struct ref *ref, const struct secret *secret,
                              bool in_place);
/*
 * Makes the dicts in a value derived, all of them: which one a function gave, or changed, is what
 * must not show.
 */
enum status exec_mark_dicts(struct tmpl_run *run, struct ref ref, const struct secret *secret);

/*
 * Charges for a value as a whole, as often as its parts are reached, and sees that there is room
 * for its text with so many columns more a level: before it goes to an encoder, which knows no
 * budgets. Pends for one that contains itself (measure.c).
 */
enum status exec_measure(struct tmpl_run *run, const struct value *v, size_t indent);

/*
 * Charges for reading a document in which each of these characters may begin a part, and sees that
 * there is room for the parts: before it goes to a decoder, which knows no budgets (measure.c).
 */
enum status exec_measure_document(struct tmpl_run *run, sv text, const char *beginnings);

/* reflect.DeepEqual; pends for values that contain themselves (equal.c). */
enum status exec_deep_equal(struct tmpl_run *run, const struct value *a, const struct value *b,
                            bool *ret_equal);

/* ---- for functions (result.c) ------------------------------------------------------------ */

static inline sv arg_string(const struct tmpl_call *call, size_t i)
{
	return call->args[i].v ? call->args[i].v->string : (sv){NULL, 0};
}
static inline int64_t arg_int(const struct tmpl_call *call, size_t i)
{
	return call->args[i].v->integer;
}
/* What so many items take in a list, with what its growing leaves behind. */
#define EXEC_BYTES_OF_ITEMS(count) ((count)*3 * sizeof(struct value))

/* For parameters of interface type: null when nil. */
static inline const struct value *arg_value(const struct tmpl_call *call, size_t i)
{
	return go_ref_unboxed(call->args[i]).v;
}
/*
 * Whether a long clear text is looked for in a text that secrets stand in, as in a configuration
 * with passwords. The function then fails where one of its finds has a byte of a secret, which is a
 * failure by what a secret is; all else that it finds is clear, whatever the secrets are. This
 * depends on the secrets' places and lengths alone. All arguments are strings.
 */
bool exec_searches_around(const struct tmpl_call *call);
/* Does what tmpl_fail does, with advice for the help. */
enum status tmpl_fail_advised(struct tmpl_call *call, enum run_advice advice, const char *format,
                              ...) PRINTF_LIKE(3, 4);
/* strval: what sprig's string functions make of any value. */
enum status arg_strval(struct tmpl_call *call, const struct value *v, sv *ret_text);
/* A value as interface {} holds it: nil for null. */
struct value value_or_null(const struct value *v);

#endif
