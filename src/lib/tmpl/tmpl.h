/*
 * tmpl: Go templates (text/template of Go 1.26) with sprig's functions and the controller's.
 *
 * A template text is parsed once into an immutable tree; a set is a group of trees that can call
 * each other by name. Sets may be shared by threads. Execution keeps everything of its own in an
 * arena and writes into a `struct text`, so that the taint of secret values survives: what is
 * printed keeps its spans, and the result of a function is secret as a whole when one of its
 * arguments is (functions that hand an argument on unchanged keep its own spans).
 *
 * Semantics, error texts and their positions are Go's (docs/spec/templates.md 3); a reason that
 * could quote a secret is left out. Where this departs: `now` is given, functions that read the
 * environment or randomness are refused (TMPL_REFUSED), as is printing the address of a pointer;
 * and an execution has budgets (TMPL_LIMIT).
 *
 *   lex.c literal.c parser.c pipeline.c parse.c parse_node.c
 *                                               text to tree, tree to text
 *   set.c two_pass.c                            templates that know each other; the procedure
 *   exec.c eval.c fit.c call.c                  running
 *   failure.c budget.c                          failing, and what a run may take
 *   equal.c                                     reflect.DeepEqual
 *   measure.c secret.c                          values as a whole: what encoders and decoders will
 *                                               take; a secret in them
 *   help.c                                      what to do about a template that fails
 *   builtins.c funcs.c funcs/                   functions, one file a family
 *   result.c                                    what they answer with
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
	TMPL_PARSE,   /* the text is no template */
	TMPL_EXEC,    /* Go's execution fails too */
	TMPL_REFUSED, /* Go would go on, but the result would not be the same twice */
	TMPL_LIMIT,   /* a budget is used up */
	TMPL_DECIDES, /* what is written would be chosen by what a secret is */
	/*
	 * It fails or not by what a secret is: one text for all, without a place, and one
	 * diagnostic for all that fails with it, so that no more than this can be learned.
	 */
	TMPL_SECRET,
};

/* Go's own words, in the arena of the call that failed. */
struct tmpl_error {
	enum tmpl_failure failure;
	sv text;
	size_t prefix_len; /* bytes of text that are the controller's words before Go's */
	/* Which byte of which text it is about; or null. */
	const struct value *in;
	size_t offset;
	bool lacks_template; /* it calls a template that is not defined */
};

/* ---- functions --------------------------------------------------------------------------- */

struct tmpl_funcs;

extern const struct tmpl_funcs tmpl_funcs_builtin; /* Go's own */
extern const struct tmpl_funcs tmpl_funcs_profile; /* OSP files: sprig and the controller's */

/* The names of all functions of the set, sorted: for documentation and "did you mean". */
const sv *tmpl_funcs_names(struct arena *arena, const struct tmpl_funcs *funcs, size_t *ret_count);

/* ---- parsing ----------------------------------------------------------------------------- */

/* A text under the name that errors give it. The value's origin places diagnostics, its taint
 * (a text that was itself rendered) goes on into what is rendered from it. */
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

/* Of one call of tmpl_execute or tmpl_profile_render; output: of one text. */
struct tmpl_limits {
	uint64_t
	    steps; /* nodes walked, items and texts handled by functions: 50 ns each, at most 100 */
	/*
	 * Of them, those of calls whose work depends on what a secret is: together they take so
	 * little time that it tells next to nothing.
	 */
	uint64_t secret_steps;
	size_t output_bytes;
	size_t memory_bytes;
	size_t stack_bytes; /* C stack: nested templates, nested values */
};

struct tmpl_options {
	struct tmpl_limits limits;
	/* What `now` is: the source commit's committer date, seconds since 1970, UTC. */
	int64_t now;
	struct quota *total_steps; /* of all executions of a run; null: no limit */
};

/* 10 million steps (20,000 on secrets), 8 MiB of output, 64 MiB, 2 MiB of stack: far above any
 * real profile. */
struct tmpl_options tmpl_options_default(void);

/*
 * Executes the root template of a set with data as dot (null: nil) and appends to out. On failure
 * out holds what was written before. The arena takes everything the execution makes.
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
 * On failure error texts carry the controller's prefixes ("failed to add OSP templates: ..."); the
 * first error is returned, the sink gets one for each template and file that fails by itself.
 */
MUST_CHECK enum status
tmpl_profile_render(struct arena *arena, struct sink *sink, const struct tmpl_profile *profile,
                    const struct value *data, const struct tmpl_options *options,
                    struct tmpl_rendered **ret_files, struct tmpl_error *ret_error);

/* Whether `templates` has a text of this name. */
bool tmpl_profile_has_template(const struct tmpl_profile *profile, sv name);
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
/* type: []byte, or a named type of it */
enum status tmpl_return_bytes(struct tmpl_call *call, const struct type *type, sv bytes);
/* The String method of types with a to_string. */
enum status tmpl_method_string(struct tmpl_call *call);
/* The error text that Go puts behind "error calling NAME: "; always STATUS_FAILED. */
enum status tmpl_fail(struct tmpl_call *call, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
