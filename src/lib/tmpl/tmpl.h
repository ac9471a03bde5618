/*
 * tmpl: Go templates (text/template of Go 1.26) with sprig's functions and the controller's.
 *
 * A template's source is parsed once into an immutable tree; a set is a group of trees that can
 * call each other by name. Threads may share sets. An execution allocates its values in an arena
 * and writes into a `struct text`, which keeps the taint of secret values: a printed value keeps
 * the spans of its secrets. The whole result of a function is secret if one of its arguments is,
 * unless the function returns an argument unchanged; its spans are then kept.
 *
 * Semantics, error messages and their positions are Go's (docs/spec/templates.md 3); a reason that
 * could quote a secret is left out. Where this departs: `now` is given, functions that read the
 * environment or randomness are refused (TMPL_REFUSED), as is printing the address of a pointer;
 * and an execution has budgets (TMPL_LIMIT).
 *
 *   lex.c literal.c parser.c pipeline.c parse.c parse_node.c
 *                                               source to tree, tree to source
 *   set.c two_pass.c                            templates that call each other; profiles
 *   exec.c eval.c fit.c call.c                  running
 *   failure.c budget.c                          failures, and the limits of a run
 *   equal.c                                     reflect.DeepEqual
 *   measure.c secret.c                          values as a whole: the cost of encoding and
 *                                               decoding them; the secrets in them
 *   help.c advice.h                             remedies for a template that fails
 *   builtins.c funcs.c funcs/                   functions, one file a family
 *   escape.c                                    what forms print, escaped
 *   result.c                                    results of functions
 *
 * CIRCLE: call.c eval.c: an argument of a call is an expression again, which may be a call.
 */
#ifndef OSM_GEN_TMPL_TMPL_H
#define OSM_GEN_TMPL_TMPL_H

#include "diag/diag.h"
#include "golang/golang.h"
#include "value/text.h"
#include "value/value.h"

/* ---- what went wrong --------------------------------------------------------------------- */

enum tmpl_failure {
	TMPL_PARSE,   /* it cannot be parsed */
	TMPL_EXEC,    /* Go's execution fails too */
	TMPL_REFUSED, /* Go would go on, but the result would not be the same twice */
	TMPL_LIMIT,   /* a budget is used up */
	TMPL_DECIDES, /* the template decides by the value of a secret */
	/*
	 * The failure depends on the value of a secret. There is a single message for it, without
	 * a position, and a single diagnostic for everything that fails with it, so that a reader
	 * learns nothing more.
	 */
	TMPL_SECRET,
};

/* Go's error message. It lives in the arena of the call that failed. */
struct tmpl_error {
	enum tmpl_failure failure;
	sv text;
	size_t prefix_len; /* bytes of text that are the controller's words before Go's */
	/* The position: byte `offset` of the source `in`, which may be null. */
	const struct value *in;
	size_t offset;
	bool lacks_template; /* it calls a template that is not defined */
};

/* ---- functions --------------------------------------------------------------------------- */

struct tmpl_funcs;

extern const struct tmpl_funcs tmpl_funcs_builtin; /* Go's own */
extern const struct tmpl_funcs tmpl_funcs_profile; /* OSP files: sprig and the controller's */
extern const struct tmpl_funcs tmpl_funcs_form;    /* the program's own forms: funcs/form.c */

/* The names of all functions of the set, sorted: for documentation and "did you mean". */
const sv *tmpl_funcs_names(struct arena *arena, const struct tmpl_funcs *funcs, size_t *ret_count);

/* ---- parsing ----------------------------------------------------------------------------- */

/*
 * A template's source and its name in error messages. Diagnostics get their positions from the
 * origin of the value. Its taint, if it was itself rendered from secrets, goes on to the output.
 */
struct tmpl_source {
	sv name;
	const struct value *text;
};

struct tmpl_set;

enum tmpl_missing_key { TMPL_MISSING_DEFAULT, TMPL_MISSING_ZERO, TMPL_MISSING_ERROR };

/*
 * Parses a root template and what it defines. Source text and name must live as long as the arena.
 * ret_error may be null; the diagnostic in the sink has the same text and the real position.
 */
MUST_CHECK enum status tmpl_parse(struct arena *arena, struct sink *sink,
                                  const struct tmpl_funcs *funcs, const struct tmpl_source *source,
                                  struct tmpl_set **ret_set, struct tmpl_error *ret_error);

/*
 * Parses a further text into the set, as Template.Parse on template `source->name` of the same set
 * does: a definition that is not blank replaces an earlier one of its name. Before sharing only.
 */
MUST_CHECK enum status tmpl_set_add(struct arena *arena, struct sink *sink, struct tmpl_set *set,
                                    const struct tmpl_source *source, struct tmpl_error *ret_error);

void tmpl_set_missing_key(struct tmpl_set *set, enum tmpl_missing_key option);

/* ---- running ----------------------------------------------------------------------------- */

/*
 * Limits of one call of tmpl_execute or tmpl_profile_render; output_bytes limits one template or
 * file of it.
 */
struct tmpl_limits {
	uint64_t steps; /* one is 50 to 100 ns of work: a node, an item, some bytes of a string */
	/*
	 * The steps of calls whose duration depends on the value of a secret. They are so few that
	 * measuring their time reveals next to nothing.
	 */
	uint64_t secret_steps;
	size_t output_bytes;
	size_t memory_bytes;
	size_t stack_bytes; /* C stack: nested templates, nested values */
};

struct tmpl_options {
	struct tmpl_limits limits;
	/* The result of `now`: the source commit's committer date in seconds since 1970, UTC. */
	int64_t now;
	bool *asks_now;            /* set to true if a function looks at `now`; may be null */
	struct quota *total_steps; /* shared by all executions of a program run; may be null */
	/*
	 * Adds a string that an action prints to the output, as the syntax around it wants it; null
	 * adds it as it is. Numbers, booleans and strings of tmpl_type_word are added as they are.
	 */
	void (*escape)(struct text *out, sv printed, const void *context);
	const void *escape_context;
};

/* A string without markup of any syntax, which the program itself made: "ROLL", "3 machines". */
extern const struct type tmpl_type_word;
struct value tmpl_word(sv word);

/* 10 million steps (20,000 on secrets), 8 MiB of output, 64 MiB, 2 MiB of stack: far above any
 * real profile. */
struct tmpl_options tmpl_options_default(void);

/*
 * Executes the root template of a set with `data` as dot and appends to `out`. `data` may be null
 * (nil). If it fails, `out` holds what was written until then. The values that the execution makes
 * are allocated in the arena.
 */
MUST_CHECK enum status tmpl_execute(struct arena *arena, struct sink *sink,
                                    const struct tmpl_set *set, const struct value *data,
                                    const struct tmpl_options *options, struct text *out,
                                    struct tmpl_error *ret_error);

/* ---- the controller's procedure (docs/spec/templates.md 1) -------------------------------- */

/*
 * The templates and files of one OSPConfig (bootstrap or provisioning), parsed once. Every render
 * executes each template with the data, wraps its result into a define, and executes the files
 * with these definitions in reach; a result that holds "{{" is parsed again, as upstream does.
 */
struct tmpl_profile;

struct tmpl_sources {
	const struct tmpl_source *items;
	size_t count;
};

struct tmpl_profile_texts {
	struct tmpl_sources templates; /* executed in the order of their names */
	struct tmpl_sources files;     /* in the order given */
};

struct tmpl_rendered {
	sv path;
	struct value content; /* string with taint */
};

MUST_CHECK enum status tmpl_profile_parse(struct arena *arena, struct sink *sink,
                                          const struct tmpl_funcs *funcs,
                                          const struct tmpl_profile_texts *texts,
                                          struct tmpl_profile **ret_profile,
                                          struct tmpl_error *ret_error);

/*
 * Renders all files with data (a pointer to the data struct) into *ret_files, one for each file.
 * On failure error messages carry the controller's prefixes ("failed to add OSP templates: ...");
 * the first error is returned, the sink gets one for each template and file that fails by itself.
 */
MUST_CHECK enum status
tmpl_profile_render(struct arena *arena, struct sink *sink, const struct tmpl_profile *profile,
                    const struct value *data, const struct tmpl_options *options,
                    struct tmpl_rendered **ret_files, struct tmpl_error *ret_error);

/* Returns true if the profile has a template of this name under `templates`. */
bool tmpl_profile_has_template(const struct tmpl_profile *profile, sv name);
/* Returns true if a file has an action that calls the template of this name. */
bool tmpl_profile_calls(const struct tmpl_profile *profile, sv name);
/*
 * Returns where byte `offset` of the file's content was written in the profile, or NOWHERE. Renders
 * again what has been rendered before: for messages.
 */
struct position tmpl_profile_trace(struct arena *arena, const struct tmpl_profile *profile,
                                   const struct value *data, const struct tmpl_options *options,
                                   size_t file, size_t offset);

/* ---- methods of data types --------------------------------------------------------------- */

struct tmpl_run;

struct tmpl_call {
	struct tmpl_run *run;
	struct arena *arena;
	const struct value *receiver; /* methods: the value the method was found on */
	const struct ref *args;
	size_t arg_count;
	struct ref result; /* set by one of tmpl_return_* */
};

typedef enum status tmpl_impl(struct tmpl_call *call);

/*
 * A method. The signature lists parameters and result in letters, "is>s" (func.h), '*' before the
 * last parameter when it repeats.
 */
struct type_method {
	const char *name;
	const char *signature;
	tmpl_impl *impl;
};

/* Types of Go's library, with their methods, that data may hold. */
extern const struct type type_duration; /* time.Duration: nanoseconds in integer */
extern const struct type type_ip;       /* net.IP: its bytes in string */

enum status tmpl_return(struct tmpl_call *call, struct value v);
enum status tmpl_return_ref(struct tmpl_call *call, struct ref ref);
enum status tmpl_return_nil(struct tmpl_call *call);
enum status tmpl_return_string(struct tmpl_call *call, sv s);
enum status tmpl_return_bool(struct tmpl_call *call, bool b);
enum status tmpl_return_int(struct tmpl_call *call, int64_t i);
enum status tmpl_return_typed_int(struct tmpl_call *call, const struct type *type, int64_t i);
enum status tmpl_return_float(struct tmpl_call *call, double f);
/* Returns bytes of the type []byte, or of a named type of it. */
enum status tmpl_return_bytes(struct tmpl_call *call, const struct type *type, sv bytes);
/* Implements the String method of types that have a to_string. */
enum status tmpl_method_string(struct tmpl_call *call);
/* Fails with the message that Go puts after "error calling NAME: ". Returns STATUS_FAILED. */
enum status tmpl_fail(struct tmpl_call *call, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
