/*
 * --allow-env [CLUSTER:]NAME[=VARIABLE]: the environment variables that a cluster may see. Somebody
 * may have given the value of a variable by mistake: it must not be shown.
 */
#include "option_table.h"

#include "base/ascii.h"
#include "kube/kube.h"

struct parsing {
	struct arena *arena;
	struct sink *sink;
	struct options *options;
	const sv *names; /* variables that cloud-configs can read */
	size_t name_count;
};

static bool is_known(const struct parsing *p, sv name)
{
	for (size_t i = 0; i < p->name_count; i++)
		if (sv_eq(p->names[i], name))
			return true;
	return false;
}

/* Returns true for a name in capital letters. Anything else may be a secret. */
static bool is_variable(sv text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '_' && !ascii_is_upper(text.ptr[i]) &&
		    (i == 0 || !ascii_is_digit(text.ptr[i])))
			return false;
	return text.len > 0;
}

static void report_unknown_variable(const struct parsing *p, sv name)
{
	struct diag *diag = REPORT_USAGE(
	    p->sink, "no cloud-config takes a value from the environment variable \"%.*s\"",
	    SV_ARG(name));

	diag_help_nearest(p->sink, diag, name, (struct diag_names){p->names, p->name_count},
	                  "see `osm-gen explain OSG4030` for the purpose of --allow-env");
}

/* Checks the two sides of "=". The right one may be a secret. */
static bool check_variable(const struct parsing *p, bool is_bound, sv name, sv variable)
{
	if (!is_bound) {
		struct diag *diag = REPORT_USAGE(
		    p->sink, "--allow-env takes names: set %.*s in the environment", SV_ARG(name));
		diag_set_help(p->sink, diag,
		              "if the environment has it under another name, bind it to a cluster: "
		              "--allow-env CLUSTER:%.*s=VARIABLE",
		              SV_ARG(name));
		return false;
	}
	if (is_variable(variable) && !sv_starts_with(variable, SV("OSM_GEN_")) &&
	    !sv_starts_with(variable, SV("SOPS_")))
		return true;
	struct diag *diag = REPORT_USAGE(
	    p->sink, "--allow-env CLUSTER:%.*s=VARIABLE takes the name of a variable, not a value",
	    SV_ARG(name));
	diag_set_help(p->sink, diag,
	              "set the variable in the environment and give its name here, in capital "
	              "letters; the variables of osm-gen and SOPS themselves do not count");
	return false;
}

static bool check_cluster(const struct parsing *p, sv cluster, sv name)
{
	if (sv_eq(cluster, DIALECT_EVERY_CLUSTER) || kube_name_valid(cluster))
		return true;
	struct diag *diag = REPORT_USAGE(
	    p->sink, "--allow-env CLUSTER:%.*s needs the name of a cluster before the colon",
	    SV_ARG(name));
	diag_set_help(p->sink, diag,
	              "`osm-gen list` shows the clusters; one that has no name is called default, "
	              "and * is every cluster");
	return false;
}

static void add_binding(const struct parsing *p, const struct dialect_binding *binding)
{
	VEC_EACH (known, &p->options->allowed.variables) {
		if (!sv_eq(known->cluster, binding->cluster) || !sv_eq(known->name, binding->name))
			continue;
		if (sv_eq(known->variable, binding->variable))
			return;
		struct diag *diag =
		    REPORT_USAGE(p->sink, "--allow-env binds %.*s of cluster %.*s to two variables",
		                 SV_ARG(binding->name), SV_ARG(binding->cluster));
		diag_set_help(p->sink, diag, "keep one of %.*s and %.*s", SV_ARG(known->variable),
		              SV_ARG(binding->variable));
		return;
	}
	VEC_PUSH(p->arena, &p->options->allowed.variables, *binding);
}

/* Returns false if a value was given: the words after the comma may be the rest of it. */
static bool read_binding(const struct parsing *p, sv word)
{
	struct dialect_binding binding = {.cluster = DIALECT_EVERY_CLUSTER, .name = word};
	sv cluster;
	sv rest;
	bool has_variable = sv_cut(word, SV("="), &binding.name, &binding.variable);
	bool is_bound = sv_cut(binding.name, SV(":"), &cluster, &rest);

	if (is_bound) {
		binding.cluster = cluster;
		binding.name = rest;
	}
	if (!is_known(p, binding.name)) {
		report_unknown_variable(p, binding.name);
		return !has_variable;
	}
	if (!has_variable)
		binding.variable = binding.name;
	else if (!check_variable(p, is_bound, binding.name, binding.variable))
		return false;
	if (!is_bound || check_cluster(p, binding.cluster, binding.name))
		add_binding(p, &binding);
	return true;
}

void option_allow_env(struct arena *arena, struct sink *sink, sv text, struct options *options)
{
	struct parsing p = {.arena = arena, .sink = sink, .options = options};
	struct sv_splitter it = sv_split(text, ',');
	sv word;

	p.names = dialect_variable_names(arena, &p.name_count);
	while (sv_split_next(&it, &word))
		if (!read_binding(&p, sv_trim_space(word)))
			return;
}
