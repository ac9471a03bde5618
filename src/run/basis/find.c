/*
 * Finds the commit that the output was made from.
 */
#include "audit/audit.h"
#include "run/basis/internal.h"

/* A run as the message of its commit names it. */
struct named {
	sv source;
	sv version;
};
VEC_TYPE(named_runs, struct named);

static void list_runs(struct arena *arena, sv message, struct named_runs *ret_runs)
{
	struct sv_splitter lines = sv_split(message, '\n');
	sv line;
	sv value;

	while (sv_split_next(&lines, &line)) {
		if (audit_read_trailer(line, SV(AUDIT_SOURCE_TRAILER), &value))
			VEC_PUSH(arena, ret_runs, ((struct named){.source = value}));
		else if (audit_read_trailer(line, SV(AUDIT_VERSION_TRAILER), &value) &&
		         ret_runs->count > 0)
			ret_runs->items[ret_runs->count - 1].version = value;
	}
}

/* Returns the newest run that the message names: a squashed commit quotes several. Or null. */
static const struct named *newest_run(struct git_repo *repo, const struct named_runs *runs)
{
	const struct named *newest = NULL;
	struct git_id newest_id = {0};
	struct git_id base;

	VEC_EACH (run, runs) {
		struct git_id id;

		if (!git_id_parse(run->source, &id))
			continue;
		if (newest &&
		    (!git_find_base(repo, newest_id, id, &base) || !git_id_equal(base, newest_id)))
			continue;
		newest = run;
		newest_id = id;
	}
	return newest;
}

/* Returns the output folder's tree in a commit; all zero if it has none. */
static struct git_id output_of(struct arena *arena, struct git_repo *repo, sv out,
                               const struct git_commit_info *commit)
{
	struct git_file found;

	return git_look_up(arena, repo, commit->tree, out, &found) ? found.id : (struct git_id){0};
}

/* The commits that are looked at, the newest ones. */
enum { COMMITS_MAX = 500 };

/*
 * Returns true if the commit brought the output to the branch: no parent of it has the same one.
 * *ret_is_known is false if the clone lacks a parent.
 */
static bool is_bringer(struct arena *arena, struct git_repo *repo, sv out, struct git_id output,
                       const struct git_commit_info *commit, bool *ret_is_known)
{
	struct git_commit_info parent;

	*ret_is_known = true;
	if (!git_id_equal(output_of(arena, repo, out, commit), output))
		return false;
	for (size_t i = 0; i < commit->parent_count; i++) {
		if (!git_read_commit(arena, repo, commit->parents[i], &parent))
			*ret_is_known = false;
		else if (git_id_equal(output_of(arena, repo, out, &parent), output))
			return false;
	}
	return true;
}

/*
 * Finds the first commit that brought the output to the branch. A later one is not believed: who
 * may push a commit could take the output away and bring it again, and name another source. Returns
 * why it is not found, or an empty string.
 */
static sv find_bringer(struct arena *arena, struct git_repo *repo, sv out, struct git_id tip,
                       struct git_commit_info *ret_commit)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	const struct git_commit_info *first = NULL;
	struct git_commits commits = {0};
	struct git_id output = {0};
	struct git_id base;
	bool is_known;

	git_list_commits(scratch, repo, tip, COMMITS_MAX, &commits);
	for (size_t i = 0; i < commits.count; i++) {
		const struct git_commit_info *commit = &commits.items[i];

		if (i == 0)
			output = output_of(scratch, repo, out, commit);
		if (!is_bringer(scratch, repo, out, output, commit, &is_known))
			continue;
		if (!is_known)
			return SV("this clone lacks the commit that brought the output: fetch more "
			          "of the history");
		if (first && (!git_find_base(repo, commit->id, first->id, &base) ||
		              !git_id_equal(base, commit->id)))
			return SV("several branches brought the same output");
		first = commit;
	}
	if (first)
		return git_read_commit(arena, repo, first->id, ret_commit)
		           ? SV("")
		           : SV("the commit that brought the output cannot be read");
	return commits.is_cut ? SV("this clone lacks the commit that brought the output, or it is "
	                           "too far back: fetch more of the history")
	                      : SV("no commit brought the output");
}

/* Returns why the run had more inputs than a commit, or other ones than this run has. */
static sv name_outside(const struct run_env *env, const struct run_request *request, sv message,
                       struct run_basis *basis)
{
	const struct run_reading *reading = &request->reading;
	struct audit_outside outside;

	audit_read_outside(env->arena, message, &outside);
	if (outside.programs.count > 0)
		basis->program = outside.programs.items[0];
	if (outside.manifests.count > 0)
		return SV("the output was made with manifests that are not in the repository");
	if (reading->added_count > 0)
		return SV("--manifests gives manifests that are not in the repository");
	if (!sv_empty(reading->secrets_folder))
		return SV("what --secrets gave to the run that made the output is not known");
	if (reading->environment && reading->environment->count > 0)
		return SV("what --allow-env gave to the run that made the output is not known");
	return SV("");
}

static sv find_basis(const struct run_env *env, const struct run_request *request,
                     const struct run_inputs *inputs, struct run_basis *basis)
{
	struct sink unused = sink_in(env->arena);
	struct named_runs runs = {0};
	struct git_commit_info commit;
	struct git_file folder;
	struct git_source tip;
	sv rev = run_branch_rev(env->arena, request->target.branch);

	if (inputs->out_is_outside)
		return SV("the output is not in the repository");
	if (git_source_find(env->arena, &unused, inputs->repo, rev, &tip) != STATUS_OK ||
	    !git_look_up(env->arena, inputs->repo, tip.tree, inputs->out, &folder))
		return SV("the branch has no output yet");
	sv why = find_bringer(env->arena, inputs->repo, inputs->out, tip.id, &commit);
	if (!sv_empty(why))
		return why;
	list_runs(env->arena, commit.message, &runs);
	const struct named *run = newest_run(inputs->repo, &runs);
	if (!run)
		return arena_printf(
		    env->arena,
		    "commit %.*s brought the output, and does not name the commit "
		    "that it was made from",
		    SV_ARG(sv_slice(git_id_hex(env->arena, commit.id), 0, AUDIT_SHORT_ID)));
	if (!sv_eq(run->version, request->version))
		return arena_printf(
		    env->arena, "the output was made by osm-gen %.*s, and this is osm-gen %.*s",
		    SV_ARG(sv_empty(run->version) ? SV("of an unknown version") : run->version),
		    SV_ARG(request->version));
	struct git_source source;
	if (git_source_find(env->arena, &unused, inputs->repo, run->source, &source) != STATUS_OK)
		return arena_printf(env->arena,
		                    "this clone lacks commit %.*s, which the output was made from: "
		                    "fetch more of the history",
		                    SV_ARG(sv_slice(run->source, 0, AUDIT_SHORT_ID)));
	basis->commit = source.hex;
	return name_outside(env, request, commit.message, basis);
}

void run_find_source(const struct run_env *env, const struct run_request *request,
                     struct run_basis *basis)
{
	struct sink unused = sink_in(env->arena);
	struct run_inputs inputs = {0};

	if (git_repo_open(env->arena, &unused, request->reading.repo, &inputs.repo) != STATUS_OK) {
		basis->why_not = SV("the repository cannot be read");
		return;
	}
	struct run_env quiet = *env;
	quiet.sink = &unused;
	basis->why_not = run_place_output(&quiet, request->target.out, &inputs) == STATUS_OK
	                     ? find_basis(&quiet, request, &inputs, basis)
	                     : SV("the output folder cannot be read");
	git_repo_close(inputs.repo);
}
