#include "run/stages.h"

/*
 * A link on the way to the output folder, committed by somebody, would let a run write wherever it
 * leads.
 */
static bool leads_through_link(struct run *run, sv root, sv out)
{
	for (size_t end = 0; end <= out.len; end++) {
		if (end < out.len && out.ptr[end] != '/')
			continue;
		sv path = ARENA_CONCAT(run->arena, root, SV("/"), sv_slice(out, 0, end));

		if (os_kind(path) == OS_LINK) {
			struct diag *diag =
			    diag_report(run->sink, DIAG_OUTPUT_FOLDER, NOWHERE,
			                "--out \"%.*s\" leads through a symbolic link, %.*s",
			                SV_ARG(run->request->out), SV_ARG(path));
			diag_set_help(run->sink, diag,
			              "remove the link, or name where it leads to as an absolute "
			              "path");
			return true;
		}
	}
	return false;
}

/* A relative path without empty parts and ".": "./out//" is out. */
static sv plain_path(struct arena *arena, sv path)
{
	struct sv_splitter parts = sv_split(path, '/');
	struct buf plain = buf_in(arena);
	sv part;

	while (sv_split_next(&parts, &part)) {
		if (sv_empty(part) || sv_eq(part, SV(".")))
			continue;
		if (plain.len > 0)
			buf_add_char(&plain, '/');
		buf_add(&plain, part);
	}
	return buf_sv(&plain);
}

/*
 * `out` as people give it, made relative to the repository's root, or left absolute when it lies
 * outside. "", "." and the root itself are refused: the tree below is pruned.
 */
static enum status place_output(struct run *run)
{
	sv out = sv_trim_right(run->request->out, "/");
	sv root = git_repo_worktree(run->repo);
	struct diag *diag;

	run->out_is_outside = false;
	if (sv_starts_with(out, SV("/"))) {
		sv parent = out;
		sv real;

		/* The folder may not be there yet: the nearest one above it that is decides. */
		while (!os_real_path(run->arena, parent, &real)) {
			size_t slash = sv_rfind_char(parent, '/');

			if (slash == SV_NPOS || slash == 0) {
				real = SV("/");
				parent = SV("");
				break;
			}
			parent = sv_slice(parent, 0, slash);
		}
		out = ARENA_CONCAT(run->arena, real, sv_from_offset(out, parent.len));
		if (sv_empty(root) || !sv_starts_with(out, root) ||
		    (out.len > root.len && out.ptr[root.len] != '/')) {
			run->out = out;
			run->out_is_outside = true;
			return STATUS_OK;
		}
		out = sv_from_offset(out, root.len);
	}
	out = plain_path(run->arena, out);
	if (sv_empty(out) ||
	    sv_contains(ARENA_CONCAT(run->arena, SV("/"), out, SV("/")), SV("/../")) ||
	    sv_starts_with(ARENA_CONCAT(run->arena, out, SV("/")), SV(".git/"))) {
		diag = diag_report(run->sink, DIAG_OUTPUT_FOLDER, NOWHERE,
		                   "--out \"%.*s\" is no folder of its own",
		                   SV_ARG(run->request->out));
		diag_set_help(run->sink, diag,
		              "name a folder below the repository's root, such as out, or an "
		              "absolute path outside: "
		              "files in it are replaced and removed");
		return STATUS_FAILED;
	}
	if (!sv_empty(root) && leads_through_link(run, root, out))
		return STATUS_FAILED;
	run->out = out;
	return STATUS_OK;
}

struct reading {
	struct run *run;
	const struct fleet_filter *filter;
	const struct git_file *files;
	struct fleet_file **results;
	struct sink *sinks; /* one a file, in its worker's arena */
	struct arena **clear;
	struct arena **secret;
};

static void read_one(void *context, size_t index, unsigned worker)
{
	struct reading *reading = context;
	const struct git_file *file = &reading->files[index];
	struct sink *sink = &reading->sinks[index];
	sv text;

	*sink = sink_in(reading->clear[worker]);
	/* Texts go to secret memory as a whole: what a file holds is known only once it is read. */
	if (git_read(reading->secret[worker], sink, reading->run->repo, file, RUN_MAX_INPUT_BYTES,
	             &text) != STATUS_OK)
		return;
	/* Another output folder of ours, in or out of use, is no input. */
	if (sv_starts_with(text, SV(TREE_HEADER)))
		return;
	if (git_is_lfs_pointer(text)) {
		struct source *source = source_new(reading->clear[worker], file->path, text, false);
		struct diag *diag = diag_report(sink, DIAG_INPUT_LFS, position_of_source(source),
		                                "this is a Git LFS pointer, not the file itself");
		diag_set_help(sink, diag,
		              "keep manifests out of LFS, or name the file in " FLEET_IGNORE_FILE);
		return;
	}
	struct fleet_blob blob = {.path = file->path, .text = text};
	reading->results[index] = fleet_read_file(reading->clear[worker], reading->secret[worker],
	                                          reading->filter, &blob);
}

/* results gets one entry a file; null where it could not be read. */
static void read_repository(struct run *run, const struct fleet_filter *filter,
                            const struct git_files *taken, struct fleet_file **results)
{
	struct reading reading = {
	    .run = run, .filter = filter, .files = taken->items, .results = results};

	reading.sinks = ARENA_ARRAY(run->arena, struct sink, taken->count);
	reading.clear = ARENA_ARRAY(run->arena, struct arena *, run->threads);
	reading.secret = ARENA_ARRAY(run->arena, struct arena *, run->threads);
	for (unsigned i = 0; i < run->threads; i++) {
		reading.clear[i] = run_new_arena(run, ARENA_PLAIN);
		reading.secret[i] = run_new_arena(run, ARENA_SECRET);
	}
	os_parallel(taken->count, run->threads, read_one, &reading);
	for (size_t i = 0; i < taken->count; i++)
		sink_merge(run->sink, &reading.sinks[i]);
}

/* ---- --secrets --------------------------------------------------------------------------- */

static bool is_manifest_path(sv path)
{
	return sv_ends_with(path, SV(".yaml")) || sv_ends_with(path, SV(".yml")) ||
	       sv_ends_with(path, SV(".json"));
}

static enum status list_secrets(struct run *run)
{
	struct os_entries all = {0};
	struct diag *diag;

	if (sv_empty(run->request->secrets_folder))
		return STATUS_OK;
	if (os_kind(run->request->secrets_folder) == OS_ABSENT) {
		diag = diag_report(run->sink, DIAG_SECRETS_FOLDER, NOWHERE,
		                   "--secrets %.*s: there is no such folder",
		                   SV_ARG(run->request->secrets_folder));
		diag_set_help(run->sink, diag,
		              "name a folder of Secret manifests, or leave --secrets out");
		return STATUS_FAILED;
	}
	if (os_list_tree(run->arena, run->sink, run->request->secrets_folder, &all) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (entry, &all) {
		if (is_manifest_path(entry->path))
			VEC_PUSH(run->arena, &run->secret_entries, *entry);
	}
	return STATUS_OK;
}

/* Appends to results; returns how many were read. */
static size_t read_secrets(struct run *run, struct fleet_file **results)
{
	struct arena *clear = run_new_arena(run, ARENA_PLAIN);
	sv folder = sv_trim_right(run->request->secrets_folder, "/");
	size_t count = 0;

	VEC_EACH (entry, &run->secret_entries) {
		sv path = ARENA_CONCAT(clear, folder, SV("/"), entry->path);
		sv text;

		if (os_read_file(run->secret_arena, run->sink, path, RUN_MAX_INPUT_BYTES, &text) !=
		    STATUS_OK)
			continue;
		struct fleet_blob blob = {.path = path, .text = text, .secrets_path = entry->path};
		results[count++] = fleet_read_file(clear, run->secret_arena, NULL, &blob);
	}
	return count;
}

/* ---- files that settings name ------------------------------------------------------------ */

struct commit_files {
	struct run *run;
	struct map by_path; /* to struct git_file */
};

static bool read_commit_file(void *context, sv path, sv *ret_text)
{
	struct commit_files *commit = context;
	const struct git_file *file = map_get(&commit->by_path, path);
	struct sink unused = sink_in(commit->run->arena);

	/* fleet/ reports what cannot be read, at the setting. */
	return file && git_read(commit->run->arena, &unused, commit->run->repo, file,
	                        RUN_MAX_INPUT_BYTES, ret_text) == STATUS_OK;
}

/* ---- the whole --------------------------------------------------------------------------- */

static enum status list_files(struct run *run)
{
	sv skip = run->out_is_outside ? SV("") : run->out;

	/* What is written without a commit needs none to begin with. */
	if ((!run->request->worktree || run->request->mode != RUN_GENERATE) &&
	    git_source_find(run->arena, run->sink, run->repo, run->request->rev, &run->source) !=
	        STATUS_OK)
		return STATUS_FAILED;
	if (run->request->worktree)
		return git_list_worktree(run->arena, run->sink, run->repo, skip, &run->files);
	return git_list(run->arena, run->sink, run->repo, &run->source, skip, &run->files);
}

/* The file is given on the command line, and read from where it lies. */
static bool is_given(const struct run *run, sv path, sv given)
{
	sv real;

	if (sv_empty(given) || !os_real_path(run->scratch, given, &real))
		return false;
	return sv_eq(path, real) || sv_starts_with(path, ARENA_CONCAT(run->scratch, real, SV("/")));
}

/* A manifest that somebody wrote and did not commit: reads it, since most files are none. */
static bool is_forgotten(struct run *run, const struct git_file *file)
{
	ARENA_AUTO clear = arena_new(ARENA_PLAIN);
	ARENA_AUTO secret = arena_new(ARENA_SECRET);
	struct sink unheard = sink_in(clear);
	sv path = ARENA_CONCAT(clear, git_repo_worktree(run->repo), SV("/"), file->path);
	sv text;

	if (!fleet_filter_take(run->filter, file->path) ||
	    is_given(run, path, run->request->secrets_folder) ||
	    is_given(run, path, run->request->revisions_file) ||
	    git_read(secret, &unheard, run->repo, file, RUN_MAX_INPUT_BYTES, &text) != STATUS_OK ||
	    sv_starts_with(text, SV(TREE_HEADER)))
		return false;
	struct fleet_blob blob = {.path = file->path, .text = text};
	return fleet_file_matters(fleet_read_file(clear, secret, run->filter, &blob));
}

static void add_forgotten(struct run *run, struct git_files *dirty)
{
	struct git_files untracked;

	git_list_untracked(run->arena, run->repo, &run->files,
	                   run->out_is_outside ? SV("") : run->out, &untracked);
	VEC_EACH (file, &untracked) {
		if (is_forgotten(run, file))
			VEC_PUSH(run->arena, dirty, *file);
	}
	sort_stable(dirty->items, dirty->count, sizeof(*dirty->items), sort_compare_sv, NULL);
}

/* A change that is not committed is not read: say so once, naming a few. */
static enum status warn_dirty(struct run *run, const struct git_files *taken)
{
	enum { NAMED = 5 };
	struct git_files dirty = {0};

	if (run->request->worktree || !sv_eq(run->request->rev, SV("HEAD")) ||
	    sv_empty(git_repo_worktree(run->repo)))
		return STATUS_OK;
	if (git_list_dirty(run->arena, run->sink, run->repo, taken, &dirty) != STATUS_OK)
		return STATUS_FAILED;
	add_forgotten(run, &dirty);
	if (dirty.count == 0)
		return STATUS_OK;
	struct buf names = buf_in(run->arena);
	for (size_t i = 0; i < dirty.count && i < NAMED; i++)
		buf_printf(&names, "%s%.*s", i ? ", " : "", SV_ARG(dirty.items[i].path));
	if (dirty.count > NAMED)
		buf_printf(&names, " and %zu more", dirty.count - NAMED);
	struct diag *diag = diag_report(run->sink, DIAG_INPUT_DIRTY, NOWHERE,
	                                "changes that are not committed are not read: %.*s",
	                                SV_ARG(buf_sv(&names)));
	diag_set_help(run->sink, diag,
	              "commit them first, or use --worktree to try them without a commit");
	return STATUS_OK;
}

static enum status read_ignore_file(struct run *run, const struct git_files *files, sv *ret_text)
{
	*ret_text = (sv){0};
	VEC_EACH (file, files) {
		if (sv_eq(file->path, SV(FLEET_IGNORE_FILE)))
			return git_read(run->arena, run->sink, run->repo, file, RUN_MAX_INPUT_BYTES,
			                ret_text);
	}
	return STATUS_OK;
}

enum status run_list_inputs(struct run *run)
{
	sv ignore;

	if (git_repo_open(run->arena, run->sink, run->request->repo, &run->repo) != STATUS_OK ||
	    place_output(run) != STATUS_OK || list_files(run) != STATUS_OK ||
	    read_ignore_file(run, &run->files, &ignore) != STATUS_OK ||
	    list_secrets(run) != STATUS_OK)
		return STATUS_FAILED;
	run->filter = fleet_filter_new(run->arena, run->out_is_outside ? SV("") : run->out, ignore);
	VEC_EACH (file, &run->files) {
		bool readable = file->mode == GIT_MODE_FILE || file->mode == GIT_MODE_EXECUTABLE;

		if (fleet_filter_take(run->filter, file->path) && readable)
			VEC_PUSH(run->arena, &run->taken, *file);
	}
	return warn_dirty(run, &run->taken);
}

enum status run_parse_identities(struct run *run, struct seal_identities *identities,
                                 struct sink *sink)
{
	const struct run_key *given = &run->request->identities;

	if (!given->text.ptr)
		return STATUS_OK;
	return seal_identities_add(identities, sink,
	                           source_new(run->secret_arena, given->name, given->text, true));
}

enum status run_read_inputs(struct run *run)
{
	size_t errors = run->sink->error_count;
	const struct git_files *taken = &run->taken;
	struct fleet_file **results =
	    ARENA_ARRAY(run->arena, struct fleet_file *, taken->count + run->secret_entries.count);

	read_repository(run, run->filter, taken, results);
	size_t count = 0;
	for (size_t i = 0; i < taken->count; i++)
		if (results[i])
			results[count++] = results[i];
	count += read_secrets(run, results + count);

	run->identities = seal_identities_new();
	if (run_parse_identities(run, run->identities, run->sink) != STATUS_OK)
		return STATUS_FAILED;
	struct commit_files commit = {run, map_in(run->arena)};
	VEC_EACH (file, &run->files)
		map_put(&commit.by_path, file->path, file);
	struct fleet_options options = {
	    .flag_settings = run->request->settings,
	    .identities = run->identities,
	    .skip_secrets = run->request->mode == RUN_VALIDATE,
	    .read_file = read_commit_file,
	    .read_file_context = &commit,
	};
	/* What could be read goes on to the next stages, so that their mistakes are told as well.
	 */
	run->inputs_read = true;
	if (fleet_load(run->arena, run->secret_arena, run->sink, results, count, &options,
	               &run->fleet) != STATUS_OK)
		return STATUS_FAILED;
	return run->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}
