/*
 * One execution of a template. A failure is recorded once, with its position. A function that fails
 * leaves only its message in the run (the pending failure); the call that ran the function turns it
 * into the recorded failure and adds the position.
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

/* Finds the part of a template that wrote one byte of the output. */
struct exec_trace {
	size_t offset; /* input: of the byte in the output */
	const struct value *source;
	size_t at; /* byte offset in `source`, which is null if nothing wrote the byte */
};

/* The lists and maps that a search for secrets has visited (secret.c), by their storage. */
struct exec_seen_entry {
	const void *store;
	size_t count;
	uint64_t search; /* number of the search that visited it; the slot is free in later ones */
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
	/* `steps` may not exceed it: the limit, or less during a call that works on secrets. */
	uint64_t step_end;
	uint64_t charged_steps; /* the part of `steps` that options.total_steps was charged for */
	struct stack_guard guard;
	const struct parse_tree *tree; /* being executed */
	const struct parse_node *node; /* the position of an error that is recorded now */
	/*
	 * The position of the name that failed in a chain like .A.B.C. It is more exact than the
	 * position in Go's message, which is that of the chain.
	 */
	bool blamed;
	uint32_t blame_pos;
	struct {
		sv name; /* of the field that does not exist; empty if that is not the failure */
		const struct type *type;
	} unknown;
	const struct type *data;  /* type of the data that the run was given; may be null */
	struct exec_trace *trace; /* may be null */
	VEC(struct exec_variable) vars;
	size_t depth;
	/*
	 * The secret whose value decides whether the current operation fails, or null. A failure is
	 * then recorded as TMPL_SECRET, whose message gives neither position nor reason.
	 */
	const struct secret *about;
	struct exec_seen seen;
	/* The steps charged depend on the bytes of secrets, and so does a TMPL_LIMIT failure. */
	bool secret_cost;
	uint64_t secret_steps; /* the part of `steps` that depends on secrets */
	uint64_t fixed_steps;  /* the part of `steps` that does not depend on the arguments */
	bool failed;
	enum tmpl_failure failure;
	sv error;
	enum run_advice advice; /* which help the failure gets */
	sv refused_function;    /* its name, if calling it is what was refused */
	bool is_pending;
	enum tmpl_failure pending_failure;
	enum run_advice pending_advice;
	sv pending;
	bool pending_by_type; /* it depends on the argument's type alone, and its message shows that
	                       */
};

#define TRY(expression)                                                                            \
	do {                                                                                       \
		if ((expression) != STATUS_OK)                                                     \
			return STATUS_FAILED;                                                      \
	} while (0)

/*
 * Executes the root template of run->set with `data`, which may be null (nil). The caller has set
 * arena, set, overlay, options, out, memory_start and steps (exec.c).
 */
enum status exec_whole(struct tmpl_run *run, const struct value *data);

#define TMPL_SECRET_TEXT "a template fails, and whether it fails depends on a secret"

/* ---- failing (failure.c) ----------------------------------------------------------------- */

/*
 * Records the failure, unless one is recorded already, at run->node. The format is Go's (%s %q %v
 * %d). All functions here that return a status return STATUS_FAILED.
 */
enum status exec_error(struct tmpl_run *run, enum tmpl_failure failure, enum run_advice advice,
                       const char *format, const struct value *args, size_t count);
#define EXEC_ERROR(run, format, ...)                                                               \
	EXEC_ERROR_ADVISED((run), RUN_ADVICE_NONE, (format), __VA_ARGS__)
#define EXEC_ERROR_ADVISED(run, advice, format, ...)                                               \
	exec_error((run), TMPL_EXEC, (advice), (format), (const struct value[]){__VA_ARGS__},      \
	           COUNT_OF(((const struct value[]){__VA_ARGS__})))
/*
 * Records the pending failure. Its message begins with `prefix`, `name` and ": ", as in "error
 * calling NAME: "; both may be empty.
 */
enum status exec_error_pending(struct tmpl_run *run, const char *prefix, sv name);
/* Fails because the value of `node`, by which the template decides, reveals a secret. */
enum status exec_error_decides(struct tmpl_run *run, const struct parse_node *node,
                               const struct secret *secret);
/* Leaves a pending failure, unless there is one already; exec_error_pending records it. */
enum status exec_pend(struct tmpl_run *run, enum tmpl_failure failure, sv text);
enum status exec_pend_advised(struct tmpl_run *run, enum tmpl_failure failure,
                              enum run_advice advice, sv text);
/* The same, for a failure that depends on the type of an argument alone, not on its value. */
enum status exec_pend_by_type(struct tmpl_run *run, enum run_advice advice, sv text);
/* Returns the advice for an error that names these types, or `other` if they have none. */
enum run_advice exec_advice_on_type(const struct type *type, enum run_advice other);
enum run_advice exec_advice_on_types(const struct type *left, const struct type *right,
                                     enum run_advice other);

/* ---- budgets (budget.c) ------------------------------------------------------------------ */

/* Charges steps. Leaves a pending failure if the budget is used up; so do all the following. */
enum status exec_charge(struct tmpl_run *run, uint64_t steps);
/* Charges steps for work whose duration does not depend on the arguments. */
enum status exec_charge_fixed(struct tmpl_run *run, uint64_t steps);
/* Records that so many of the charged steps depend on a secret. Fails if those are too many. */
enum status exec_note_secret(struct tmpl_run *run, uint64_t steps);
/* Counts a little work where the caller cannot fail; the next charge checks the budget. */
static inline void exec_count(struct tmpl_run *run, uint64_t steps)
{
	run->steps += steps;
}
/* A step is about 50 ns: comparing so many names, or decoding so many bytes of a string. */
#define EXEC_NAMES_PER_STEP 16
#define EXEC_BYTES_PER_STEP 16
/* The same for characters that are decoded and looked up in Unicode's tables. */
#define EXEC_CHARACTERS_PER_STEP 4
/* The same for bytes of memory that are allocated, zeroed and wiped. */
#define EXEC_MEMORY_PER_STEP 64
/* Charges for copying the entries of a map into another one. */
enum status exec_charge_entries(struct tmpl_run *run, const struct value *map);
/* Charges for sorting the entries of a map, in the worst case. */
enum status exec_charge_sorting(struct tmpl_run *run, const struct value *map);
/* Is called before recursion. Fails if the C stack is nearly used up. */
enum status exec_descend(struct tmpl_run *run);
/* Fails if so many more bytes of memory would exceed the budget, or if the output has. */
enum status exec_room(struct tmpl_run *run, size_t bytes);
/* Returns a printer into `out` that keeps to the budgets of the run. Fails like exec_charge. */
struct printer exec_printer(struct tmpl_run *run, struct text *out);

/* ---- forms (escape.c, exec.c) -------------------------------------------------------------- */

/* Returns true for a value whose printed form may hold markup. */
bool exec_needs_escape(struct ref value);
/* Executes another template of the set and appends to `out`, escaped as it is where it is called.
 */
enum status exec_include(struct tmpl_run *run, sv name, struct ref dot, struct text *out);

/* ---- evaluating (eval.c, fit.c, call.c) -------------------------------------------------- */

enum status exec_pipeline(struct tmpl_run *run, struct ref dot, const struct pipe_node *pipe,
                          struct ref *ret_value);
/* Evaluates one argument for a parameter of the type; a null type accepts every value. */
enum status exec_arg(struct tmpl_run *run, struct ref dot, const struct type *type,
                     const struct parse_node *node, struct ref *ret_value);
/*
 * Converts the value to a parameter's type as Go does: unwraps an interface and dereferences a
 * pointer once. Fails if the types do not match.
 */
enum status exec_fit_type(struct tmpl_run *run, struct ref value, const struct type *type,
                          struct ref *ret_value);
/* Evaluates a constant for a parameter of the type; with type_any it has its default type. */
enum status exec_literal(struct tmpl_run *run, const struct type *type,
                         const struct parse_node *node, struct ref *ret_value);
/* Evaluates nil for a parameter of the type. */
enum status exec_nil(struct tmpl_run *run, const struct type *type, struct ref *ret_value);
enum status exec_set_variable(struct tmpl_run *run, sv name, struct ref value);

/* The arguments of one command: those written after its first word, and the piped one. */
struct call_args {
	const struct parse_node_vec *nodes; /* the first is the word itself; may be null */
	const struct ref *final;            /* the piped value; may be null */
};

/* One call of a function or a method. */
struct call_site {
	sv name;
	const char *signature;
	tmpl_impl *impl;
	const struct tmpl_func *func; /* null if it is a method */
	const struct value *receiver;
	const struct parse_node *node; /* the position of its failure */
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
	const struct secret *any;     /* null if the value holds no secret */
	const struct secret *derived; /* null if all its secrets are unchanged and whole */
};

/*
 * Adds the secrets in a value, at any depth, to *found. Leaves a pending failure if the budget is
 * used up or the value nests too deeply (secret.c).
 */
enum status exec_find_secrets(struct tmpl_run *run, struct ref ref, struct exec_secrets *found);
/*
 * Returns the secret that a decision on the value would reveal: on its emptiness, its content or
 * its members. Returns null if the value has no secret, or is a whole, unchanged secret: a decision
 * shows only that it is not empty.
 */
const struct secret *exec_deciding_secret(struct ref ref);
/*
 * Marks *ref, and everything in it, as derived from the secret. Marks a copy, except for dicts,
 * which a template can reach by other variables too. With in_place it also marks the items of lists
 * without copying them.
 */
enum status exec_mark_derived(struct tmpl_run *run, struct ref *ref, const struct secret *secret,
                              bool in_place);
/*
 * Marks all dicts in a value as derived from the secret: the output must not show which of them a
 * function returned or changed.
 */
enum status exec_mark_dicts(struct tmpl_run *run, struct ref ref, const struct secret *secret);

/*
 * Charges for encoding a value and checks that its encoded text fits the budget; each level is
 * indented by `indent` columns. Is called before an encoder, which checks no budgets. A part that
 * is reached twice counts twice. Leaves a pending failure if the value contains itself (measure.c).
 */
enum status exec_measure(struct tmpl_run *run, const struct value *v, size_t indent);

/*
 * Charges for decoding a document and checks that its values fit the budget: each of the characters
 * in `beginnings` may begin a value. Is called before a decoder, which checks no budgets
 * (measure.c).
 */
enum status exec_measure_document(struct tmpl_run *run, sv text, const char *beginnings);

/* Compares as reflect.DeepEqual. Leaves a pending failure for values that contain themselves. */
enum status exec_deep_equal(struct tmpl_run *run, const struct value *a, const struct value *b,
                            bool *ret_equal);

/* ---- for functions (result.c, call.c) ------------------------------------------------------ */

static inline sv arg_string(const struct tmpl_call *call, size_t i)
{
	return call->args[i].v ? call->args[i].v->string : (sv){NULL, 0};
}
static inline int64_t arg_int(const struct tmpl_call *call, size_t i)
{
	return call->args[i].v->integer;
}
/* The memory that a list of so many items takes, with the arrays left over from its growth. */
#define EXEC_BYTES_OF_ITEMS(count) ((count)*3 * sizeof(struct value))

/* Returns argument i of interface type, or null if it is nil. */
static inline const struct value *arg_value(const struct tmpl_call *call, size_t i)
{
	return go_ref_unboxed(call->args[i]).v;
}
/*
 * Returns true if a function with FUNC_SEARCHES looks for a long clear string in a string that
 * contains secrets, such as a configuration with passwords. The function then fails if a match
 * contains a byte of a secret (a failure that depends on the secret); every other match is clear,
 * whatever the secrets are. The answer depends only on the positions and lengths of the secrets.
 * All arguments must be strings.
 */
bool exec_searches_around(const struct tmpl_call *call);
/* Does what tmpl_fail does for an argument of the wrong type, with advice for the help. */
enum status tmpl_fail_advised(struct tmpl_call *call, enum run_advice advice, const char *format,
                              ...) PRINTF_LIKE(3, 4);
/* Converts any value to a string as sprig's strval, which its string functions use. */
enum status arg_strval(struct tmpl_call *call, const struct value *v, sv *ret_text);
/* Returns the value, or a nil value if `v` is null. */
struct value value_or_null(const struct value *v);

#endif
