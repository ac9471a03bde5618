/*
 * Distinguishes units that somebody removed from units whose file changed its nature: it is a link,
 * empty or a template, or the object has another kind or no name. The latter look like removals,
 * too, and appliers would delete their machines.
 */
#include "run/guards/guards.h"
#include "secrecy/secrecy.h"
#include "yaml/yaml.h"

enum { NAMED = 10 };

VEC_TYPE(documents, const struct value *);

/* A file from which the previous output has units that the inputs no longer have. */
struct source_file {
	sv path;
	const struct git_file *file; /* null if the commit does not have it, or ignores it */
	struct documents documents;  /* those with a value; of a List its items */
	const char *why;             /* what became of the file as a whole; null for nothing */
	struct diag *diag;           /* of `why` */
	size_t count;                /* units that `diag` is about */
};

struct guard {
	const struct run_env *env;
	const struct run_inputs *inputs;
	const struct git_output *output;
	bool has_errors;    /* of other stages: units may be missing because of them */
	struct map files;   /* struct git_file, by path */
	struct set taken;   /* the set of the paths that were read */
	struct map sources; /* struct source_file, by path */
};

/* A unit that the inputs no longer have. */
struct gone_unit {
	const struct tree_unit *unit;
	const struct tree_index *index;
	sv what; /* "MachineDeployment kube-system/workers" */
};

/* ---- files --------------------------------------------------------------------------------- */

struct document_reader {
	struct arena *arena;
	struct documents *documents;
};

static void take_document(void *context, struct value *object, unsigned depth)
{
	struct document_reader *r = context;

	(void)depth;
	if (!value_is_null(object))
		VEC_PUSH(r->arena, r->documents, object);
}

/* Reads the documents of the file, and sets `why`. */
static void read_source(const struct guard *g, struct source_file *from)
{
	struct arena *arena = g->env->secret_arena;
	struct document_reader reader = {arena, &from->documents};
	const struct kube_list_reader lists = {arena, &reader, NULL, take_document, NULL};
	struct sink unused = sink_in(arena);
	struct yml_documents parsed;
	bool has_object = false;
	sv text;

	if (from->file->mode == GIT_MODE_LINK)
		from->why = "is a symbolic link";
	else if (from->file->mode == GIT_MODE_SUBMODULE)
		from->why = "is a submodule";
	else if (git_read(arena, &unused, g->inputs->repo, from->file, RUN_MAX_INPUT_BYTES,
	                  &text) != STATUS_OK)
		from->why = "cannot be read";
	else if (sv_starts_with(text, SV(TREE_HEADER)))
		from->why = "begins as a file of the output does, and such files are not inputs,";
	if (from->why)
		return;
	struct source *source =
	    source_new(arena, from->path, text, secrecy_manifest_mentions_credential(text));
	source->suspected = source->confidential;
	if (yml_parse(arena, &unused, source, &parsed) != STATUS_OK) {
		from->why = "cannot be parsed";
		return;
	}
	VEC_EACH (document, &parsed)
		kube_list_read(&lists, &document->root);
	VEC_EACH (document, &from->documents)
		has_object |= value_is_map(*document);
	if (from->documents.count == 0)
		from->why = "is empty";
	else if (!has_object)
		from->why = "has no object";
}

/* Returns the source, which has no file if the commit lacks it or it is ignored. */
static struct source_file *source_of(struct guard *g, sv path)
{
	struct source_file *from = map_get(&g->sources, path);

	if (from)
		return from;
	from = ARENA_NEW(g->env->arena, struct source_file);
	*from = (struct source_file){.path = path, .file = map_get(&g->files, path)};
	map_put(&g->sources, path, from);
	if (!from->file)
		return from;
	bool is_file = from->file->mode == GIT_MODE_FILE || from->file->mode == GIT_MODE_EXECUTABLE;
	if (is_file ? !set_has(&g->taken, path) : fleet_filter_ignores(g->inputs->filter, path))
		from->file = NULL;
	else
		read_source(g, from);
	return from;
}

/* ---- objects ------------------------------------------------------------------------------- */

static sv api_group_of(sv api_version)
{
	sv group;
	sv version;

	return sv_cut(api_version, SV("/"), &group, &version) ? group : SV("");
}

/* Returns the dialects' kind of that name and group, or null. */
static const struct dialect_kind *find_kind(sv kind, sv group)
{
	struct dialect_kind_walk walk = {0};
	const struct dialect_kind *known;

	while ((known = dialect_next_kind(&walk)))
		if (sv_eq(kind, known->kind) && sv_eq(group, known->group))
			break;
	return known;
}

/* Returns true for a group in which units are, were, or have a namesake. */
static bool is_group_of_units(sv group)
{
	struct dialect_kind_walk walk = {0};
	const struct dialect_kind *known;

	while ((known = dialect_next_kind(&walk)))
		if (known->part == DIALECT_UNIT && !sv_empty(group) &&
		    (sv_eq(group, known->group) || sv_eq(group, known->other_group) ||
		     sv_eq(group, known->former_group)))
			return true;
	return false;
}

/* The part of an object that shows that it was the unit. */
struct trace {
	const struct value *at;
	sv now; /* "has the kind MachineSet of cluster.k8s.io/v1alpha1" */
};

/* Finds what an object lacks to be a Kubernetes object. */
static bool lacks_identity(const struct value *object, struct trace *ret_trace)
{
	static const struct {
		const char *path;
		const char *now;
	} members[] = {
	    {"kind", "is an object without a kind"},
	    {"apiVersion", "is an object without an apiVersion"},
	    {"metadata.name", "is an object without a name"},
	};

	if (!value_is_null(value_path(object, "metadata.generateName")))
		return false;
	for (size_t i = 0; i < COUNT_OF(members); i++)
		if (sv_empty(value_text(value_path(object, members[i].path)))) {
			*ret_trace = (struct trace){object, sv_from_cstr(members[i].now)};
			return true;
		}
	return false;
}

/*
 * Returns true if the object has the unit's name and is not of its kind, but still has something of
 * the unit: its group, the name of its kind, or a template. A Secret or a PodDisruptionBudget of
 * the same name beside a unit that was removed has none of these.
 */
static bool was_unit(struct arena *arena, const struct value *object, const struct tree_unit *unit,
                     struct trace *ret_trace)
{
	const struct value *kind = value_map_get(object, SV("kind"));
	const struct value *spec = value_map_get(object, SV("spec"));
	sv api_version = value_text(value_map_get(object, SV("apiVersion")));
	sv namespace = value_text(value_path(object, "metadata.namespace"));
	sv group = api_group_of(api_version);
	const struct dialect_kind *known = find_kind(value_text(kind), group);

	if (seal_is_sealed(object)) {
		*ret_trace = (struct trace){kind, SV("is encrypted")};
		return known == NULL;
	}
	if (known && known->part != DIALECT_LOOKUP)
		return false;
	if (!sv_eq(value_text(value_path(object, "metadata.name")), unit->name) ||
	    (!sv_empty(namespace) && !sv_eq(namespace, unit->namespace)))
		return false;
	*ret_trace = (struct trace){kind, ARENA_CONCAT(arena, SV("has the kind "), value_text(kind),
	                                               SV(" of "), api_version)};
	return (known && value_is_map(spec)) || is_group_of_units(group) ||
	       sv_eq(value_text(kind), unit->kind) ||
	       value_is_map(value_map_get(spec, SV("template")));
}

static bool find_trace(struct arena *arena, const struct source_file *from,
                       const struct tree_unit *unit, struct trace *ret_trace)
{
	VEC_EACH (document, &from->documents)
		if (value_is_map(*document) && (lacks_identity(*document, ret_trace) ||
		                                was_unit(arena, *document, unit, ret_trace)))
			return true;
	return false;
}

/* ---- reporting ----------------------------------------------------------------------------- */

static sv index_path(const struct guard *g, const struct gone_unit *gone)
{
	struct arena *arena = g->env->arena;

	return ARENA_CONCAT(arena, g->inputs->out, SV("/"),
	                    tree_index_path(arena, gone->index->folder));
}

static struct diag *report_gone(const struct guard *g, const struct gone_unit *gone,
                                struct position at, sv now)
{
	struct sink *sink = g->env->sink;
	struct diag *diag =
	    diag_report(sink, DIAG_SOURCE_CHANGED, at,
	                "%.*s was made from this file, which %.*s now: osm-gen does not take that "
	                "for a removal",
	                SV_ARG(gone->what), SV_ARG(now));
	sv index = index_path(g, gone);

	diag_add_note(sink, diag, NOWHERE, "%.*s lists the file", SV_ARG(index));
	diag_set_help(sink, diag,
	              "restore it; if the %.*s is meant to go, delete its file or document in a "
	              "commit of its own, or run once with --allow-removal",
	              SV_ARG(gone->unit->kind));
	return diag;
}

static void check_gone_unit(const struct guard *g, struct source_file *from,
                            const struct gone_unit *gone)
{
	struct trace trace;

	if (!from->file)
		return;
	if (!from->why) {
		if (find_trace(g->env->arena, from, gone->unit, &trace))
			(void)report_gone(g, gone, value_position(trace.at), trace.now);
		return;
	}
	if (!from->diag)
		from->diag = report_gone(
		    g, gone,
		    position_of_source(source_new(g->env->arena, from->path, SV(""), false)),
		    sv_from_cstr(from->why));
	else if (from->count < NAMED)
		diag_add_note(g->env->sink, from->diag, NOWHERE, "so was %.*s", SV_ARG(gone->what));
	from->count++;
}

/* Adds the unit to errors that explain why its file could not be read. */
static void name_unit(const struct guard *g, sv path, const struct gone_unit *gone)
{
	struct sink *sink = g->env->sink;

	VEC_EACH (diag, &sink->diags) {
		const struct source *source = (*diag)->at.source;

		if (((*diag)->code != DIAG_INPUT_CIPHERTEXT && (*diag)->code != DIAG_INPUT_LFS) ||
		    !source || !sv_eq(source->path, path))
			continue;
		sv index = index_path(g, gone);
		diag_add_note(sink, *diag, NOWHERE,
		              "%.*s was made from this file, as %.*s lists, and stays",
		              SV_ARG(gone->what), SV_ARG(index));
	}
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Returns the set of the previous output's units that the plan does not have, by plan_unit_key. */
static struct set find_gone(struct arena *arena, const struct plan *plan,
                            const struct previous *previous)
{
	struct set planned = set_in(arena);
	struct set gone = set_in(arena);

	for (size_t i = 0; i < plan->unit_count; i++) {
		const struct tree_unit id = plan_tree_unit(plan->units[i].unit);

		set_add(&planned, plan_unit_key(arena, plan->units[i].cluster->fleet->name, &id));
	}
	for (size_t i = 0; i < previous->units.count; i++)
		if (!set_has(&planned, previous->units.entries[i].key))
			set_add(&gone, previous->units.entries[i].key);
	return gone;
}

/*
 * Fails (DIAG_TREE_INDEX) if the file that the unit's entry lists was made from another source than
 * the entry has: it would hide what became of the right one.
 */
static enum status check_entry(const struct guard *g, const struct gone_unit *gone,
                               const struct tree_file *file)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct sink *sink = g->env->sink;
	struct sink unused = sink_in(scratch);
	const struct git_file *there = git_output_find(g->output, file->path);
	sv text;

	if (!there ||
	    git_output_read(scratch, &unused, g->output, there, RUN_MAX_OUTPUT_BYTES, &text) !=
	        STATUS_OK ||
	    !sv_starts_with(text, SV(TREE_HEADER " from ")) ||
	    sv_starts_with(text, tree_first_line(scratch, file->source)))
		return STATUS_OK;
	sv index = index_path(g, gone);
	const struct source *source = source_new(g->env->arena, index, SV(""), false);
	struct diag *diag = diag_report(
	    sink, DIAG_TREE_INDEX, position_of_source(source),
	    "this index was edited, since it has another source for %.*s", SV_ARG(file->path));
	diag_set_help(sink, diag,
	              "restore it from the commit before (git log -- %.*s, git checkout COMMIT -- "
	              "%.*s), and commit that",
	              SV_ARG(index), SV_ARG(index));
	return STATUS_FAILED;
}

/* Checks each unit of an index that is gone, once. */
static void check_index(struct guard *g, sv cluster, const struct tree_index *index,
                        const struct set *gone_units)
{
	struct arena *arena = g->env->arena;
	struct set seen = set_in(arena);

	for (size_t i = 0; i < index->file_count; i++) {
		const struct tree_file *file = &index->files[i];

		if (!file->unit)
			continue;
		sv key = plan_unit_key(arena, cluster, file->unit);
		if (!set_has(gone_units, key) || !set_add(&seen, key))
			continue;
		const struct gone_unit gone = {
		    .unit = file->unit,
		    .index = index,
		    .what = ARENA_CONCAT(arena, file->unit->kind, SV(" "), file->unit->namespace,
		                         SV("/"), file->unit->name),
		};
		if (index->format > 1 && check_entry(g, &gone, file) != STATUS_OK)
			return;
		if (g->has_errors)
			name_unit(g, file->source, &gone);
		else
			check_gone_unit(g, source_of(g, file->source), &gone);
	}
}

enum status run_check_sources(const struct run_env *env, const struct run_inputs *inputs,
                              const struct plan *plan, const struct previous *previous)
{
	size_t errors = env->sink->error_count;
	const struct set gone = find_gone(env->arena, plan, previous);
	struct guard g = {
	    .env = env,
	    .inputs = inputs,
	    .output = previous->output,
	    .has_errors = errors > 0,
	    .files = map_in(env->arena),
	    .taken = set_in(env->arena),
	    .sources = map_in(env->arena),
	};

	if (set_count(&gone) == 0)
		return STATUS_OK;
	VEC_EACH (file, &inputs->files)
		map_put(&g.files, file->path, file);
	VEC_EACH (file, &inputs->taken)
		set_add(&g.taken, file->path);
	for (size_t i = 0; i < previous->indexes.count; i++)
		check_index(&g, previous->indexes.entries[i].key,
		            previous->indexes.entries[i].value, &gone);
	return env->sink->error_count == errors ? STATUS_OK : STATUS_FAILED;
}
