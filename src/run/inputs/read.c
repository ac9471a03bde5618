/*
 * Reads the listed files, and the fleet that they describe.
 */
#include "run/inputs/inputs.h"
#include "run/inputs/internal.h"

/* The largest piece of memory for the units of one file. */
enum { UNIT_CHUNK = 32 * 1024 };

struct reading {
	const struct run_inputs *inputs;
	struct quota *input_bytes;
	struct run_quotas *quotas;
	const struct git_file *files;
	struct fleet_file **results;
	struct sink *sinks; /* one for each file, in the arena of its worker */
	struct arena **clear;
	struct arena **secret;
	struct arena **units;  /* as many as files, for values that can be forgotten */
	struct arena **empty;  /* for each worker one of units that no file has, or null */
	struct arena **packed; /* one for each worker; null if units stay open */
};

/* Reports a file that is too large in the place of the error that reading it gave. */
static void report_size(struct arena *arena, struct sink *sink, sv path)
{
	bool is_json = sv_ends_with(path, SV(".json"));

	sink_forget(sink, 0);
	struct diag *diag = diag_report(sink, is_json ? DIAG_JSON_LIMIT : DIAG_YAML_LIMIT,
	                                position_of_source(source_new(arena, path, SV(""), true)),
	                                "the file is larger than the %zu MiB that are read of one",
	                                RUN_MAX_INPUT_BYTES >> 20);
	diag_set_help(sink, diag,
	              "if it is not a manifest, name it in " FLEET_IGNORE_FILE "; else split it");
}

static void read_one(void *context, size_t index, unsigned worker)
{
	struct reading *reading = context;
	const struct git_file *file = &reading->files[index];
	struct sink *sink = &reading->sinks[index];
	sv text;

	*sink = sink_in(reading->clear[worker]);
	if (quota_is_exceeded(reading->input_bytes) || quota_is_exceeded(&reading->quotas->values))
		return;
	/* Any file may hold secrets: read all into secret memory. */
	if (git_read(reading->secret[worker], sink, reading->inputs->repo, file,
	             RUN_MAX_INPUT_BYTES, &text) != STATUS_OK) {
		if (git_is_larger(reading->clear[worker], reading->inputs->repo, file,
		                  RUN_MAX_INPUT_BYTES))
			report_size(reading->clear[worker], sink, file->path);
		return;
	}
	if (!quota_take(reading->input_bytes, text.len))
		return;
	/* Files of another output folder are not inputs. */
	if (sv_starts_with(text, SV(TREE_HEADER)))
		return;
	if (git_is_lfs_pointer(text)) {
		struct source *source = source_new(reading->clear[worker], file->path, text, false);
		struct diag *diag = diag_report(sink, DIAG_INPUT_LFS, position_of_source(source),
		                                "this is a Git LFS pointer, not the file itself");
		diag_set_help(
		    sink, diag,
		    "keep manifests out of LFS (git lfs untrack, then git add --renormalize .), or "
		    "name the file in " FLEET_IGNORE_FILE);
		return;
	}
	struct quota *values = ARENA_NEW(reading->clear[worker], struct quota);
	*values = run_values_of(reading->quotas, text.len);
	/* A file whose units are packed leaves its memory to the next file. */
	struct arena **units = &reading->empty[worker];
	if (!*units)
		*units = reading->units[index];
	struct fleet_blob blob = {
	    .path = file->path,
	    .text = text,
	    .values = values,
	    .unit_arena = *units,
	    .pack_arena = reading->packed ? reading->packed[worker] : NULL,
	};
	reading->results[index] = fleet_read_file(reading->clear[worker], reading->secret[worker],
	                                          reading->inputs->filter, &blob);
	if (arena_used(*units) > 0)
		*units = NULL;
}

/* Reports files that git filters and whose committed content has no object. */
static void report_filtered(const struct run_env *env, const struct run_inputs *inputs,
                            struct fleet_file *const *results)
{
	for (size_t i = 0; i < inputs->taken.count; i++) {
		if (!results[i] || !fleet_file_has_no_object(results[i]))
			continue;
		const struct git_file *file = &inputs->taken.items[i];
		sv filter = git_filter_of(env->arena, inputs->repo,
		                          file->on_disk ? NULL : &inputs->source, file->path);
		if (!sv_empty(filter))
			fleet_report_filtered(results[i], filter);
	}
}

/* Sets one element of results for each file; null for a file that could not be read. */
static enum status read_repository(const struct run_env *env, const struct run_inputs *inputs,
                                   struct fleet_file **results)
{
	const struct git_files *taken = &inputs->taken;
	struct reading reading = {.inputs = inputs,
	                          .files = taken->items,
	                          .results = results,
	                          .input_bytes = &env->quotas->input_bytes,
	                          .quotas = env->quotas};

	reading.sinks = ARENA_ARRAY(env->arena, struct sink, taken->count);
	reading.clear = ARENA_ARRAY(env->arena, struct arena *, env->threads);
	reading.secret = ARENA_ARRAY(env->arena, struct arena *, env->threads);
	reading.packed = inputs->packed;
	for (unsigned i = 0; i < env->threads; i++) {
		reading.clear[i] = run_new_arena(env, ARENA_PLAIN);
		reading.secret[i] = run_new_arena(env, ARENA_SECRET);
		arena_limit_chunks(reading.secret[i], RUN_SECRET_CHUNK);
	}
	reading.units = ARENA_ARRAY(env->arena, struct arena *, taken->count);
	for (size_t i = 0; i < taken->count; i++) {
		reading.units[i] = run_new_arena(env, ARENA_SECRET);
		arena_limit_chunks(reading.units[i], UNIT_CHUNK);
	}
	reading.empty = ARENA_ARRAY(env->arena, struct arena *, env->threads);
	os_parallel(taken->count, env->threads, read_one, &reading);
	for (unsigned i = 0; i < env->threads; i++)
		if (reading.empty[i])
			arena_empty(reading.empty[i]);
	/* With an exceeded quota, which files have diagnostics depends on the threads. */
	if (run_check_quotas(env->sink, env->quotas) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < taken->count; i++)
		sink_merge(env->sink, &reading.sinks[i]);
	report_filtered(env, inputs, results);
	return STATUS_OK;
}

/* ---- --secrets --------------------------------------------------------------------------- */

static size_t read_secrets(const struct run_env *env, const struct run_inputs *inputs, sv folder,
                           struct fleet_file **results)
{
	struct arena *clear = run_new_arena(env, ARENA_PLAIN);
	size_t count = 0;

	folder = sv_trim_right(folder, "/");
	VEC_EACH (entry, &inputs->secret_entries) {
		sv path = ARENA_CONCAT(clear, folder, SV("/"), entry->path);
		sv text;

		if (os_read_named(env->secret_arena, env->sink, git_repo_worktree(inputs->repo),
		                  path, RUN_MAX_INPUT_BYTES, &text) != STATUS_OK)
			continue;
		if (!quota_take(&env->quotas->input_bytes, text.len))
			continue;
		struct quota *values = ARENA_NEW(clear, struct quota);
		*values = run_values_of(env->quotas, text.len);
		struct fleet_blob blob = {
		    .path = path, .text = text, .secrets_path = entry->path, .values = values};
		results[count++] = fleet_read_file(clear, env->secret_arena, NULL, &blob);
	}
	return count;
}

/* ---- standard input ---------------------------------------------------------------------- */

/* Sets one element of results, unless the limit is exceeded. Returns how many were set. */
static size_t read_manifests(const struct run_env *env, sv manifests, struct fleet_file **results)
{
	struct quota *values = ARENA_NEW(env->arena, struct quota);
	struct fleet_blob blob = {
	    .path = SV(OS_STDIN),
	    .text = manifests,
	    .is_whole = true,
	    .values = values,
	};

	*values = run_values_of(env->quotas, blob.text.len);
	if (!blob.text.ptr || !quota_take(&env->quotas->input_bytes, blob.text.len))
		return 0;
	results[0] =
	    fleet_read_file(run_new_arena(env, ARENA_PLAIN), env->secret_arena, NULL, &blob);
	return 1;
}

/* ---- --manifests ------------------------------------------------------------------------- */

/* Appends to results; returns how many were read. */
static size_t read_added(const struct run_env *env, const struct run_reading *reading,
                         struct fleet_file **results)
{
	size_t count = 0;

	for (size_t i = 0; i < reading->added_count; i++) {
		const struct run_added *added = &reading->added[i];
		struct quota *values = ARENA_NEW(env->arena, struct quota);
		struct fleet_blob blob = {
		    .path = added->path,
		    .text = added->text,
		    .is_added = true,
		    .cluster = added->cluster,
		    .listed_as = run_added_name(added),
		    .values = values,
		};

		if (!quota_take(&env->quotas->input_bytes, added->text.len))
			continue;
		*values = run_values_of(env->quotas, added->text.len);
		results[count++] = fleet_read_file(env->arena, env->secret_arena, NULL, &blob);
	}
	return count;
}

/* ---- files that settings name ------------------------------------------------------------ */

struct commit_files {
	const struct run_env *env;
	const struct run_inputs *inputs;
	struct map by_path; /* to struct git_file */
};

static bool read_commit_file(void *context, sv path, sv *ret_text)
{
	struct commit_files *commit = context;
	const struct git_file *file = map_get(&commit->by_path, path);
	struct sink unused = sink_in(commit->env->arena);

	/* fleet/ reports what cannot be read, at the setting. */
	return file &&
	       git_read(commit->env->arena, &unused, commit->inputs->repo, file,
	                RUN_MAX_INPUT_BYTES, ret_text) == STATUS_OK &&
	       quota_take(&commit->env->quotas->input_bytes, ret_text->len);
}

/* ---- the whole --------------------------------------------------------------------------- */

static void allow_programs(const struct run_env *env, const struct run_programs *programs,
                           struct run_inputs *inputs)
{
	if (!programs->sops)
		return;
	os_hold_signals();
	inputs->sops =
	    seal_program_new(env->secret_arena, programs->environment, programs->environment_count,
	                     git_repo_worktree(inputs->repo));
	seal_identities_allow(inputs->identities, inputs->sops);
}

enum status run_read_inputs(const struct run_env *env, enum run_mode mode,
                            const struct run_reading *reading, struct run_inputs *inputs)
{
	size_t errors = env->sink->error_count;
	const struct git_files *taken = &inputs->taken;
	struct run_files files = {0};
	size_t most = 1 + taken->count + reading->added_count + inputs->secret_entries.count;
	struct fleet_file **results = ARENA_ARRAY(env->arena, struct fleet_file *, most);

	if (!inputs->keeps_units_open) {
		inputs->packed = ARENA_ARRAY(env->arena, struct arena *, env->threads);
		for (unsigned i = 0; i < env->threads; i++) {
			inputs->packed[i] = run_new_arena(env, ARENA_SECRET);
			arena_limit_chunks(inputs->packed[i], RUN_SECRET_CHUNK);
		}
	}
	if (read_repository(env, inputs, results) != STATUS_OK)
		return STATUS_FAILED;
	run_warn_passed_over(env, inputs, results);
	for (size_t i = 0; i < taken->count; i++)
		if (results[i])
			results[files.count++] = results[i];
	files.count += read_manifests(env, reading->manifests, results + files.count);
	files.count += read_added(env, reading, results + files.count);
	files.count += read_secrets(env, inputs, reading->secrets_folder, results + files.count);
	files.items = results;
	files.cap = most;
	bool is_built = run_build_kustomizations(env, reading, inputs, &files) == STATUS_OK;
	if (run_check_quotas(env->sink, env->quotas) != STATUS_OK)
		return STATUS_FAILED;

	inputs->identities = seal_identities_new();
	allow_programs(env, &reading->programs, inputs);
	if (plan_add_identities(env->secret_arena, env->sink, &reading->identities,
	                        inputs->identities) != STATUS_OK)
		return STATUS_FAILED;
	struct commit_files commit = {env, inputs, map_in(env->arena)};
	VEC_EACH (file, &inputs->files)
		map_put(&commit.by_path, file->path, file);
	struct fleet_options options = {
	    .was_in_buckets = inputs->was_in_buckets,
	    .was_in_buckets_context = inputs->was_in_buckets_context,
	    .flag_settings = reading->settings,
	    .contract = reading->contract,
	    .identities = inputs->identities,
	    .skip_secrets = mode == RUN_VALIDATE || reading->without_seed,
	    .keep_encrypted = reading->without_seed,
	    .has_secrets_folder = !sv_empty(reading->secrets_folder),
	    .may_open = inputs->may_open,
	    .may_open_context = inputs->may_open_context,
	    .read_file = read_commit_file,
	    .read_file_context = &commit,
	    .values = &env->quotas->values,
	    .out = inputs->out_is_outside ? SV("") : inputs->out,
	    .steps = &env->quotas->steps,
	};
	run_quotas_grow(env->quotas, fleet_count_units(files.items, files.count));
	/* Later stages get what could be read, so that they report their mistakes as well. */
	inputs->is_loaded = true;
	bool loaded = fleet_load(env->arena, env->secret_arena, env->sink, files.items, files.count,
	                         &options, &inputs->fleet) == STATUS_OK;
	/* The fleet is incomplete if the steps were used up. */
	if (quota_is_exceeded(&env->quotas->steps) || !is_built)
		inputs->is_loaded = false;
	if (!is_built)
		return STATUS_FAILED;
	if (!loaded && !quota_is_exceeded(&env->quotas->steps))
		return STATUS_FAILED;
	run_quotas_lower(env->quotas, inputs->fleet.limits);
	if (run_check_quotas(env->sink, env->quotas) != STATUS_OK)
		return STATUS_FAILED;
	return env->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}

void run_end_units(const struct run_env *env, struct run_inputs *inputs)
{
	for (unsigned i = 0; inputs->packed && i < env->threads; i++)
		arena_empty(inputs->packed[i]);
}

void run_close_inputs(struct run_inputs *inputs)
{
	git_repo_close(inputs->repo);
	seal_identities_free(inputs->identities);
}
