/*
 * Checks the definitions (OperatingSystemProfiles) of the output.
 *
 * They are immutable: a changed one needs a new version. The controller's webhook compares with the
 * object in the cluster; osm-gen compares with the file in the output instead.
 */
#include "golang/golang.h"
#include "run/guards/guards.h"
#include "run/output/output.h"
#include "yaml/yaml.h"

/* A definition that a cluster uses. */
struct use {
	const struct fleet_cluster *cluster;
	const struct dialect_cluster *view;
	const struct dialect *dialect;
	const struct dialect_definition *definition;
};

/* ---- the previous output ------------------------------------------------------------------ */

struct comparison {
	const struct run_env *env;
	const struct run_allowed *allowed;
	const struct run_inputs *inputs;
	const struct plan *plan;
	const struct git_output *output; /* null if files are read from the commit */
	const struct previous *previous; /* may be null */
	struct map files;                /* used without `output`: struct git_file * by path */
	struct map verdicts;             /* struct verdict * by definition and file */
	struct map reported;             /* struct verdict * by definition */
	struct map replaced;             /* likewise, for definitions whose file is gone */
};

/* The result of comparing a definition with one previous file; clusters may share both. */
struct verdict {
	bool changed;
	struct diag *diag; /* only the first one of a definition is reported */
	size_t more;       /* clusters with the same mistake */
};

/*
 * Finds the previous files. With --worktree, --no-commit and in validate these are the committed
 * ones, since each attempt at a profile changes the files on the disk.
 */
static enum status find_files_before(struct comparison *c, const struct run_writer *writer)
{
	bool tries = writer->mode == GIT_OUTPUT_FOLDER;
	struct run_tip *tip = ARENA_NEW(c->env->arena, struct run_tip);
	struct sink unused = sink_in(c->env->arena);

	if (writer->output && (c->inputs->out_is_outside || !tries)) {
		c->output = writer->output;
	} else if (!c->inputs->out_is_outside &&
	           run_list_tip(&unused, c->env, c->inputs, writer->branch, tip) == STATUS_OK) {
		if (git_check_files(c->env->sink, c->inputs->repo, SV(""), &tip->files) !=
		    STATUS_OK)
			return STATUS_FAILED;
		VEC_EACH (file, &tip->relative)
			map_put(&c->files, file->path, file);
	}
	return STATUS_OK;
}

static enum status read_before(const struct comparison *c, const struct git_file *file,
                               sv *ret_text)
{
	const struct run_env *env = c->env;

	if (c->output)
		return git_output_read(env->scratch, env->sink, c->output, file,
		                       RUN_MAX_OUTPUT_BYTES, ret_text);
	return git_read(env->scratch, env->sink, c->inputs->repo, file, RUN_MAX_OUTPUT_BYTES,
	                ret_text);
}

/* ---- the comparison ---------------------------------------------------------------------- */

/*
 * Compares a definition with a previous file. A file that osm-gen did not write (reported
 * elsewhere) or a damaged one (overwritten) does not count as a change.
 */
static bool is_changed(const struct comparison *c, const struct use *use,
                       const struct value *object, sv path, sv text,
                       struct dialect_change *ret_change)
{
	struct arena *scratch = c->env->scratch;
	struct source *source = source_new(scratch, path, text, false);
	struct sink unused = sink_in(scratch);
	struct yml_documents documents = {0};
	bool one_seed = c->plan->root && !c->allowed->rotate_seed;

	if (!sv_starts_with(text, SV(TREE_HEADER)) ||
	    yml_parse(scratch, &unused, source, &documents) != STATUS_OK || documents.count == 0)
		return false;
	const struct seal_fingerprint_key key = {c->plan->root, use->cluster->name};
	struct redaction redaction = seal_redaction(&key);
	struct value now = secrecy_redact_all(scratch, &redaction, object);
	return use->dialect->definition_changed(c->env->arena, &documents.items[0].root, &now,
	                                        one_seed, ret_change);
}

/* Returns v1.0.1 for v1.0.0, v1.0.0-rc.1 and v1.0.0+k3s1. */
static sv next_version(struct arena *arena, sv version)
{
	struct semver parsed;
	sv error;

	if (!go_semver_parse(arena, version, &parsed, &error) || parsed.patch == UINT64_MAX)
		return SV("another one");
	return arena_printf(arena, "v%llu.%llu.%llu", (unsigned long long)parsed.major,
	                    (unsigned long long)parsed.minor, (unsigned long long)parsed.patch + 1);
}

/* Adds how many units use the definition. */
static void add_users(const struct comparison *c, struct diag *diag,
                      const struct dialect_definition *definition)
{
	struct set clusters = set_in(c->env->arena);
	size_t count = 0;

	for (size_t i = 0; i < c->plan->unit_count; i++) {
		const struct plan_unit *unit = &c->plan->units[i];

		if (unit->unit->definition != definition)
			continue;
		count++;
		set_add(&clusters, unit->cluster->fleet->name);
	}
	diag_add_note(c->env->sink, diag, NOWHERE, "%zu %.*s%s of %zu cluster%s use%s it", count,
	              SV_ARG(plan_unit_kind(c->plan)), count == 1 ? "" : "s", set_count(&clusters),
	              set_count(&clusters) == 1 ? "" : "s", count == 1 ? "s" : "");
}

static struct diag *report_change(const struct comparison *c,
                                  const struct dialect_definition *definition,
                                  const struct dialect_change *change, sv path)
{
	struct arena *arena = c->env->arena;
	struct sink *sink = c->env->sink;
	const struct value *version = &definition->version;
	sv next = next_version(arena, version->string);
	DIAG_SCOPE(sink, kube_object_describe(arena, definition->object), sink->cluster);
	struct diag *diag = diag_report(
	    sink, DIAG_OSP_IMMUTABLE, value_position(version),
	    "the profile was changed, but its version is %.*s as before", SV_ARG(version->string));
	diag_add_note(sink, diag, change->at, "%.*s differs from %.*s/%.*s", SV_ARG(change->path),
	              SV_ARG(c->inputs->out), SV_ARG(path));
	add_users(c, diag, definition);
	if (definition->is_embedded)
		diag_set_help(sink, diag,
		              "this osm-gen embeds another profile of the same version than the "
		              "osm-gen that wrote the output: commit the output of `osm-gen "
		              "profiles show %.*s`, with version: %.*s",
		              SV_ARG(definition->name), SV_ARG(next));
	else
		diag_set_help(sink, diag, "set version: %.*s", SV_ARG(next));
	return diag;
}

/* Returns a new verdict for the first cluster, or null for the others, which are counted. */
static struct verdict *first_of(const struct comparison *c, struct map *map,
                                const struct dialect_definition *definition)
{
	sv key = arena_printf(c->env->arena, "%p", (const void *)definition);
	struct verdict *first = map_get(map, key);

	if (first) {
		first->more++;
		return NULL;
	}
	first = ARENA_NEW(c->env->arena, struct verdict);
	map_put(map, key, first);
	return first;
}

static void judge(struct comparison *c, const struct dialect_definition *definition, sv path,
                  const struct dialect_change *change)
{
	struct verdict *first = first_of(c, &c->reported, definition);

	if (first)
		first->diag = report_change(c, definition, change, path);
}

/* Returns true if units of the previous output used a definition of that name and version. */
static bool was_used(const struct tree_index *index, const struct dialect_definition *definition)
{
	for (size_t i = 0; i < index->file_count; i++) {
		const struct tree_unit *unit = index->files[i].unit;

		if (unit && sv_eq(unit->profile, definition->name) &&
		    sv_eq(unit->profile_version, value_text(&definition->version)))
			return true;
	}
	return false;
}

/* Lists where the file of a definition may be: its side may be split, the cluster in a bucket. */
enum { PLACES = 4 };
static void list_places(const struct comparison *c, const struct use *use,
                        const struct artifact *artifact, sv places[PLACES])
{
	struct arena *arena = c->env->scratch;

	for (size_t i = 0; i < PLACES; i++) {
		bool in_bucket = c->plan->fleet->in_buckets == (i < PLACES / 2);
		sv part = i % 2 == 0 ? SV("") : SV(TREE_PART_SHARED);
		sv folder = fleet_folder(arena, use->cluster->name, in_bucket);

		places[i] = tree_object_path_in(
		    arena, tree_part_path(arena, folder, artifact->side, part), &artifact->id);
	}
}

static const struct git_file *find_definition_file(const struct comparison *c,
                                                   const sv places[PLACES])
{
	const struct git_file *file = NULL;

	for (size_t i = 0; i < PLACES && !file; i++)
		file = c->output ? git_output_find(c->output, places[i])
		                 : map_get(&c->files, places[i]);
	return file;
}

/*
 * Warns if the index lists the definition's file and the file is gone: somebody may have removed it
 * to replace the definition under its version. Without the file this cannot be found out.
 */
static void warn_if_lost(struct comparison *c, const struct use *use, const sv places[PLACES])
{
	const struct dialect_definition *definition = use->definition;
	struct sink *sink = c->env->sink;
	sv path = SV("");

	for (size_t i = 0; c->previous && i < PLACES && sv_empty(path); i++)
		if (set_has(&c->previous->paths, places[i]))
			path = places[i];
	if (sv_empty(path) ||
	    !was_used(map_get(&c->previous->indexes, use->cluster->name), definition))
		return;
	struct verdict *first = first_of(c, &c->replaced, definition);
	if (!first)
		return;
	DIAG_SCOPE(sink, kube_object_describe(c->env->arena, definition->object), sink->cluster);
	first->diag = diag_report(sink, DIAG_OSP_REPLACED, value_position(&definition->version),
	                          "the profile may have changed under the same version, %.*s: its "
	                          "file is missing in the output, so osm-gen cannot compare it",
	                          SV_ARG(value_text(&definition->version)));
	diag_add_note(sink, first->diag, NOWHERE, "index.json lists %.*s/%.*s",
	              SV_ARG(c->inputs->out), SV_ARG(path));
	add_users(c, first->diag, definition);
	diag_set_help(sink, first->diag,
	              "restore the file with git restore; or, to replace the profile, set version: "
	              "%.*s, or delete it in the clusters before you apply the output",
	              SV_ARG(next_version(c->env->arena, value_text(&definition->version))));
}

static void count_clusters(const struct comparison *c, const struct map *reported)
{
	for (size_t i = 0; i < reported->count; i++) {
		const struct verdict *first = reported->entries[i].value;

		if (first->more > 0)
			diag_add_note(c->env->sink, first->diag, NOWHERE,
			              "the same in %zu more cluster%s", first->more,
			              first->more == 1 ? "" : "s");
	}
}

static enum status compare_definition(struct comparison *c, const struct use *use)
{
	const struct run_env *env = c->env;
	struct artifact artifact =
	    use->dialect->definition_artifact(env->scratch, use->view, use->definition);
	struct dialect_change change = {0};
	sv places[PLACES];
	sv text;

	list_places(c, use, &artifact, places);
	const struct git_file *file = find_definition_file(c, places);
	if (run_check_file_name(env->sink, places[0], use->definition->object) != STATUS_OK)
		return STATUS_FAILED;
	if (!file) {
		warn_if_lost(c, use, places);
		return STATUS_OK;
	}
	sv path = file->path;
	sv key = arena_printf(env->arena, "%p %.*s", (const void *)use->definition,
	                      SV_ARG(file->on_disk ? path : git_id_hex(env->scratch, file->id)));
	struct verdict *verdict = map_get(&c->verdicts, key);
	if (!verdict) {
		if (read_before(c, file, &text) != STATUS_OK)
			return STATUS_FAILED;
		verdict = ARENA_NEW(env->arena, struct verdict);
		verdict->changed = is_changed(c, use, &artifact.object, path, text, &change);
		map_put(&c->verdicts, key, verdict);
	}
	if (verdict->changed)
		judge(c, use->definition, path, &change);
	return STATUS_OK;
}

static enum status compare_cluster(struct comparison *c, const struct fleet_cluster *cluster)
{
	enum status status = STATUS_OK;

	VEC_EACH (used, &cluster->definitions) {
		const struct use use = {cluster, fleet_view(cluster, used->dialect), used->dialect,
		                        used->definition};

		if (used->dialect->definition_artifact)
			status |= compare_definition(c, &use);
		arena_reset(c->env->scratch);
	}
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

enum status run_check_definitions(const struct run_env *env, const struct run_allowed *allowed,
                                  const struct run_inputs *inputs, const struct plan *plan,
                                  const struct previous *previous, const struct run_writer *writer)
{
	size_t errors = env->sink->error_count;
	enum status status = STATUS_OK;
	struct comparison c = {
	    .env = env,
	    .allowed = allowed,
	    .inputs = inputs,
	    .plan = plan,
	    .previous = previous,
	    .files = map_in(env->arena),
	    .verdicts = map_in(env->arena),
	    .reported = map_in(env->arena),
	    .replaced = map_in(env->arena),
	};

	if (!inputs->repo)
		return STATUS_OK;
	if (find_files_before(&c, writer) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < plan->cluster_count; i++)
		status |= compare_cluster(&c, plan->clusters[i].fleet);
	count_clusters(&c, &c.reported);
	count_clusters(&c, &c.replaced);
	return status != STATUS_OK || env->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}
