#include "tmpl/set.h"

#include "tmpl/rune.h"

/* ---- diagnostics -------------------------------------------------------------------------- */

static enum diag_code code_of(enum tmpl_failure failure)
{
	switch (failure) {
	case TMPL_PARSE:
		return DIAG_TEMPLATE_SYNTAX;
	case TMPL_EXEC:
		return DIAG_TEMPLATE_RUNTIME;
	case TMPL_REFUSED:
		return DIAG_TEMPLATE_REFUSED;
	case TMPL_LIMIT:
		return DIAG_TEMPLATE_LIMIT;
	}
	BUG("template failure");
}

static struct diag *report(struct sink *sink, enum tmpl_failure failure, const struct value *text,
                           size_t offset, sv message)
{
	enum { LONGEST = 4000 };
	size_t len = message.len;

	/* Values that it quotes may have any length; who reads it has seen enough. */
	while (len > LONGEST || (len < message.len && (message.ptr[len] & 0xC0) == 0x80))
		len = len > LONGEST ? LONGEST : len - 1;
	return diag_report(sink, code_of(failure), value_text_position(text, offset), "%.*s%s",
	                   (int)len, message.ptr, len < message.len ? "..." : "");
}

static void help_unknown_function(struct arena *arena, struct sink *sink, struct diag *diag,
                                  const struct tmpl_funcs *funcs, sv name)
{
	size_t count;
	const sv *names = tmpl_funcs_names(arena, funcs, &count);
	sv near = diag_nearest(name, names, count);

	if (near.len > 0)
		diag_set_help(sink, diag, "did you mean %.*s?", SV_ARG(near));
	else
		diag_set_help(
		    sink, diag,
		    "profiles have Go's own functions, those of sprig, and toYaml fromYaml "
		    "fromYamlArray toJson fromJson fromJsonArray toToml fromToml; Helm's are "
		    "not among them");
}

/* What to write instead of a function that is refused; name is where the function's begins. */
static const struct {
	sv name;
	const char *instead;
} instead_of[] = {
    {SV_INIT("env"),
     "write the value into the template; where clusters differ, into a profile in the "
     "cluster's own folder"},
    {SV_INIT("expandenv"),
     "write the value into the template; where clusters differ, into a profile "
     "in the cluster's own folder"},
    {SV_INIT("getHostByName"),
     "write the address into the template, or have the node ask: getent hosts NAME"},
    {SV_INIT("rand"), "derive a text from what is there, {{ .KubeVersion | toString | sha256sum | "
                      "trunc 8 }}, or have the node draw it: od -An -N8 -tx1 /dev/urandom"},
    {SV_INIT("uuidv4"), "have the node make it: cat /proc/sys/kernel/random/uuid"},
    {SV_INIT("shuffle"), "write the text as it shall be, or have the node shuffle: shuf"},
    {SV_INIT("bcrypt"), "hash once, with htpasswd -nB, and write the hash into the template"},
    {SV_INIT("htpasswd"), "hash once, with htpasswd -nB, and write the line into the template"},
    {SV_INIT("encryptAES"), "encrypt once and write the result into the template"},
    {SV_INIT("gen"), "make key and certificate once and write them into the template, or have the "
                     "node make them: openssl req -x509"},
};

static void help_refused_function(struct sink *sink, struct diag *diag)
{
	const sv mark = SV("function \"");
	size_t at = sv_find(diag->text, mark);
	sv name = at == SV_NPOS ? SV("") : sv_from_offset(diag->text, at + mark.len);

	for (size_t i = 0; i < COUNT_OF(instead_of); i++) {
		if (!sv_starts_with(name, instead_of[i].name))
			continue;
		diag_set_help(sink, diag, "the same commit must give the same bytes: %s",
		              instead_of[i].instead);
		return;
	}
	diag_set_help(sink, diag,
	              "the same commit must give the same bytes: write what it shall give into the "
	              "template");
}

static void help_refused(struct sink *sink, struct diag *diag)
{
	if (sv_contains(diag->text, SV("is a pointer of type")))
		diag_set_help(
		    sink, diag,
		    "pass it through a function that takes the value itself, such as trim "
		    "for text or int for numbers: {{ .HTTPProxy | trim | quote }}");
	else
		help_refused_function(sink, diag);
}

static void help_runtime(struct sink *sink, struct diag *diag)
{
	if (sv_contains(diag->text, SV("v1alpha1.CloudProvider")))
		diag_set_help(
		    sink, diag,
		    "CloudProviderName is a type of its own: compare it with eq, or make it "
		    "a string with toString");
	else if (sv_contains(diag->text, SV("*string and string")))
		diag_set_help(sink, diag,
		              "the left side is a pointer to a string: pass it through trim before "
		              "comparing");
}

/* ---- sets --------------------------------------------------------------------------------- */

void set_install(struct arena *arena, struct tree_vec *trees, const struct tree_vec *base,
                 const struct tree_vec *parsed)
{
	VEC_EACH (tree, parsed) {
		struct tree **old = tree_vec_find(trees, (*tree)->name);
		if ((*tree)->is_empty && (old || (base && tree_vec_find(base, (*tree)->name))))
			continue;
		if (old)
			*old = *tree;
		else
			tree_vec_add(arena, trees, *tree);
	}
}

struct budget budget_of(const struct arena *arena, const struct tmpl_options *options)
{
	return (struct budget){.limits = options->limits, .memory_start = arena_used(arena)};
}

/* Texts with little but actions take the longest. */
#define PARSED_BYTES_PER_STEP 4

enum status set_parse(struct arena *arena, struct sink *sink, const struct tmpl_funcs *funcs,
                      const struct tmpl_source *source, sv prefix, struct budget *budget,
                      struct tree_vec *ret_trees, struct tmpl_error *ret_error)
{
	struct parse_job job = {.arena = arena, .funcs = funcs, .source = source};

	job.memory_end = budget->memory_start + budget->limits.memory_bytes;
	budget->steps += value_text(source->text).len / PARSED_BYTES_PER_STEP;

	if (template_parse_text(&job)) {
		*ret_trees = job.trees;
		return STATUS_OK;
	}
	sv reason = source->text->taint
	                ? ARENA_CONCAT(arena, SV("template: "), source->name,
	                               SV(": (the reason is not shown: the text holds a secret)"))
	                : job.error;
	sv text = ARENA_CONCAT(arena, prefix, reason);
	enum tmpl_failure failure = job.over_limit ? TMPL_LIMIT : TMPL_PARSE;
	if (ret_error)
		*ret_error = (struct tmpl_error){failure, text, prefix.len};
	struct diag *diag = report(sink, failure, source->text, job.error_offset, text);
	if (failure == TMPL_LIMIT)
		return STATUS_FAILED;
	if (job.unknown_function.len > 0 && !source->text->taint)
		help_unknown_function(arena, sink, diag, funcs, job.unknown_function);
	else
		diag_set_help(
		    sink, diag,
		    "actions stand between {{ and }}; if, range, with, define and block "
		    "end with {{ end }}; braces of another language are written {{`{{`}}");
	return STATUS_FAILED;
}

enum status set_execute(struct arena *arena, struct sink *sink, const struct tmpl_set *set,
                        const struct tree_vec *overlay, const struct value *data,
                        const struct tmpl_options *options, struct budget *budget, sv prefix,
                        struct text *out, struct tmpl_error *ret_error)
{
	struct tmpl_run run = {.arena = arena, .set = set, .overlay = overlay, .out = out};

	run.options = *options;
	run.options.limits = budget->limits;
	run.memory_start = budget->memory_start;
	run.steps = budget->steps;
	enum status status = run_whole(&run, data);
	budget->steps = run.steps;
	if (status == STATUS_OK)
		return STATUS_OK;
	BUG_ON(!run.failed);
	sv text = ARENA_CONCAT(arena, prefix, run.error);
	if (ret_error)
		*ret_error = (struct tmpl_error){run.failure, text, prefix.len};
	const struct value none = {0};
	struct diag *diag = report(sink, run.failure, run.tree ? run.tree->source : &none,
	                           run.node ? run.node->pos : 0, text);
	if (run.failure == TMPL_REFUSED)
		help_refused(sink, diag);
	else if (run.failure == TMPL_EXEC)
		help_runtime(sink, diag);
	return STATUS_FAILED;
}

/* ---- the public calls --------------------------------------------------------------------- */

struct tmpl_options tmpl_options_default(void)
{
	return (struct tmpl_options){.limits = {.steps = 20000000,
	                                        .output_bytes = (size_t)32 << 20,
	                                        .memory_bytes = (size_t)256 << 20,
	                                        .stack_bytes = STACK_BYTES_RUN}};
}

enum status tmpl_parse(struct arena *arena, struct sink *sink, const struct tmpl_funcs *funcs,
                       const struct tmpl_source *source, struct tmpl_set **ret_set,
                       struct tmpl_error *ret_error)
{
	struct tmpl_set *set = ARENA_NEW(arena, struct tmpl_set);

	set->name = source->name;
	set->funcs = funcs;
	if (tmpl_set_add(arena, sink, set, source, ret_error) != STATUS_OK)
		return STATUS_FAILED;
	*ret_set = set;
	return STATUS_OK;
}

enum status tmpl_set_add(struct arena *arena, struct sink *sink, struct tmpl_set *set,
                         const struct tmpl_source *source, struct tmpl_error *ret_error)
{
	struct tree_vec parsed;

	const struct tmpl_options options = tmpl_options_default();
	struct budget budget = budget_of(arena, &options);

	TRY(set_parse(arena, sink, set->funcs, source, (sv){NULL, 0}, &budget, &parsed, ret_error));
	set_install(arena, &set->trees, NULL, &parsed);
	return STATUS_OK;
}

void tmpl_set_missing_key(struct tmpl_set *set, enum tmpl_missing_key option)
{
	set->missing_key = option;
}

enum status tmpl_execute(struct arena *arena, struct sink *sink, const struct tmpl_set *set,
                         const struct value *data, const struct tmpl_options *options,
                         struct text *out, struct tmpl_error *ret_error)
{
	const struct tmpl_options defaults = tmpl_options_default();
	struct budget budget;

	if (!options)
		options = &defaults;
	budget = budget_of(arena, options);
	return set_execute(arena, sink, set, NULL, data, options, &budget, (sv){NULL, 0}, out,
	                   ret_error);
}
