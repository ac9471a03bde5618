/*
 * Compares the local branch with the remote's: who made the commits that one of them lacks, and
 * whether the local branch can be moved.
 */
#include "remote/internal.h"

/*
 * Finds a commit of `to`, and of none of the known commits, that osm-gen did not make: one without
 * its trailer, a merge, or one that changes a file outside of the output folder. The first commit
 * of a branch that was replaced (generate --history) has all files of its tree, and a trailer of
 * its own. *ret_hex is empty if all of them are osm-gen's.
 */
static enum status find_foreign(struct sink *sink, struct remote_git *git,
                                const struct remote_branch *branch, const sv known[2], sv to,
                                sv *ret_hex)
{
	struct arena *arena = git->arena;
	const sv without[] = {ARENA_CONCAT(arena, SV("^"), known[0]),
	                      ARENA_CONCAT(arena, SV("^"), known[1])};
	const sv unsigned_by_trailer[] = {
	    SV("rev-list"), SV("-n1"), SV("--invert-grep"), SV("--grep=^Osm-Gen-Source: "), to,
	    without[0],     without[1]};
	const sv merges[] = {SV("rev-list"), SV("-n1"), SV("--merges"), to, without[0], without[1]};
	const sv roots[] = {SV("rev-list"),
	                    SV("-n1"),
	                    SV("--max-parents=0"),
	                    SV("--invert-grep"),
	                    SV("--grep=^Osm-Gen-Left-Out: "),
	                    to,
	                    without[0],
	                    without[1]};
	const sv elsewhere[] = {SV("rev-list"),
	                        SV("-n1"),
	                        SV("--min-parents=1"),
	                        to,
	                        without[0],
	                        without[1],
	                        SV("--"),
	                        SV(":(top)"),
	                        ARENA_CONCAT(arena, SV(":(top,exclude,literal)"), branch->out)};
	const struct remote_call calls[] = {
	    {.arguments = unsigned_by_trailer, .argument_count = COUNT_OF(unsigned_by_trailer)},
	    {.arguments = merges, .argument_count = COUNT_OF(merges)},
	    {.arguments = roots, .argument_count = COUNT_OF(roots)},
	    {.arguments = elsewhere, .argument_count = COUNT_OF(elsewhere)},
	};

	*ret_hex = SV("");
	for (size_t i = 0; i < COUNT_OF(calls) && sv_empty(*ret_hex); i++) {
		struct os_ended ended;

		if (remote_run(sink, git, &calls[i], &ended) != STATUS_OK)
			return STATUS_FAILED;
		if (ended.status != 0) {
			(void)remote_report(sink, git, DIAG_PUSH_PROGRAM, &ended,
			                    SV("git cannot list commits"));
			return STATUS_FAILED;
		}
		*ret_hex = remote_first_line(ended.out);
	}
	return STATUS_OK;
}

/* ---- refusals ---------------------------------------------------------------------------- */

static enum status is_not_there(struct sink *sink, const struct remote_branch *branch, sv commit,
                                const char *would)
{
	struct diag *diag = diag_report(
	    sink, DIAG_PUSH_FOREIGN, NOWHERE,
	    "commit %.12s is not on branch %.*s of %.*s, and pushing would put %s there",
	    commit.ptr, SV_ARG(branch->name), SV_ARG(branch->remote), would);

	diag_set_help(sink, diag,
	              "on a pull request leave --push out; run it on a commit of the branch, or, "
	              "where the branch has the output of another one's inputs, add --rev HEAD");
	return STATUS_FAILED;
}

static enum status has_diverged(struct sink *sink, const struct remote_branch *branch, sv commit)
{
	struct diag *diag = diag_report(
	    sink, DIAG_PUSH_DIVERGED, NOWHERE,
	    "branch %.*s here and that of %.*s have diverged: commit %.12s is only here",
	    SV_ARG(branch->name), SV_ARG(branch->remote), commit.ptr);

	diag_set_help(sink, diag,
	              "run git pull --rebase %.*s %.*s (or reset the branch if you do not want the "
	              "commit), then run again",
	              SV_ARG(branch->remote), SV_ARG(branch->name));
	return STATUS_FAILED;
}

/* ---- moving the branch here -------------------------------------------------------------- */

static enum status check_elsewhere(struct sink *sink, struct remote_git *git,
                                   const struct remote_branch *branch, sv ref)
{
	struct os_ended ended;

	if (REMOTE_RUN(sink, git, &ended, SV("for-each-ref"), SV("--format=%(worktreepath)"),
	               ref) != STATUS_OK)
		return STATUS_FAILED;
	sv place = remote_first_line(ended.out);
	if (ended.status != 0 || sv_empty(place))
		return STATUS_OK;
	struct diag *diag =
	    diag_report(sink, DIAG_GIT_BRANCH, NOWHERE,
	                "cannot commit on branch '%.*s': it is checked out in another work tree",
	                SV_ARG(branch->name));
	diag_set_help(sink, diag, "run there: %.*s", SV_ARG(place));
	return STATUS_FAILED;
}

/* Moves the local branch to a commit. `local` is its commit, or empty if it is new. */
static enum status move(struct sink *sink, struct remote_git *git,
                        const struct remote_branch *branch, sv ref, sv local, sv to)
{
	bool in_work_tree = branch->is_head && !sv_empty(git->work_tree);
	const sv reset[] = {SV("reset"), SV("--quiet"), SV("--keep"), SV("--no-recurse-submodules"),
	                    to};
	const sv update[] = {SV("update-ref"), SV("-m"), SV("osm-gen: fetched"), ref, to,
	                     /* Zeros have git check that the ref does not exist. */
	                     sv_empty(local) ? SV("0000000000000000000000000000000000000000")
	                                     : local};
	const struct remote_call call = {
	    .arguments = in_work_tree ? reset : update,
	    .argument_count = in_work_tree ? COUNT_OF(reset) : COUNT_OF(update),
	    .in_work_tree = in_work_tree,
	};
	struct os_ended ended;

	if (!branch->is_head && check_elsewhere(sink, git, branch, ref) != STATUS_OK)
		return STATUS_FAILED;
	if (remote_run(sink, git, &call, &ended) != STATUS_OK)
		return STATUS_FAILED;
	if (ended.status == 0)
		return STATUS_OK;
	bool is_locked = sv_contains(ended.err, SV("Unable to create '")) ||
	                 sv_contains(ended.err, SV("cannot lock ref"));
	enum diag_code locked = in_work_tree ? DIAG_GIT_INDEX : DIAG_GIT_WRITE;
	struct diag *diag =
	    remote_report(sink, git, is_locked ? locked : DIAG_PUSH_DIVERGED, &ended,
	                  arena_printf(git->arena, "cannot move branch %.*s to commit %.12s",
	                               SV_ARG(branch->name), to.ptr));
	diag_set_help(sink, diag, "%s",
	              is_locked ? "run again when no other git is running there; if a git was "
	                          "killed, remove its lock"
	                        : "commit or undo the changes in the work tree, then run again");
	return STATUS_FAILED;
}

/* ---- catching up ------------------------------------------------------------------------- */

/*
 * The branch that is pushed also holds the inputs, and the run reads those at `tip`. The commit
 * that the run was started for must be on the branch, or its inputs would be published unasked.
 */
static enum status check_source(struct sink *sink, struct remote_git *git,
                                const struct remote_branch *branch, sv tip)
{
	bool is_there;

	if (branch->is_fixed || branch->is_head)
		return STATUS_OK;
	if (remote_is_behind(sink, git, branch->source, tip, &is_there) != STATUS_OK)
		return STATUS_FAILED;
	return is_there ? STATUS_OK : is_not_there(sink, branch, branch->source, "its output");
}

/* The local branch has all commits of the remote's; its further ones must be osm-gen's. */
static enum status go_ahead(struct sink *sink, struct remote_git *git,
                            const struct remote_branch *branch, sv here)
{
	const sv known[] = {branch->tip, branch->tip};
	sv foreign;

	/* A branch that is checked out is pushed with all its commits, as `git push` does. */
	if (branch->is_head)
		return STATUS_OK;
	if (find_foreign(sink, git, branch, known, here, &foreign) != STATUS_OK)
		return STATUS_FAILED;
	return sv_empty(foreign) ? STATUS_OK : is_not_there(sink, branch, foreign, "it");
}

static enum status follow_branch(struct sink *sink, struct remote_git *git,
                                 struct remote_branch *branch, sv ref, sv local)
{
	sv foreign = SV("");

	if (remote_fetch(sink, git, branch, ref, 0, &branch->tip) != STATUS_OK)
		return STATUS_FAILED;
	/* If the branch was replaced there, inputs that it began with here are in their own branch.
	 */
	const sv known[] = {branch->tip, branch->is_fixed ? branch->source : branch->tip};
	if (!sv_empty(local) &&
	    find_foreign(sink, git, branch, known, local, &foreign) != STATUS_OK)
		return STATUS_FAILED;
	if (!sv_empty(foreign))
		return has_diverged(sink, branch, foreign);
	if (check_source(sink, git, branch, branch->tip) != STATUS_OK)
		return STATUS_FAILED;
	if (move(sink, git, branch, ref, local, branch->tip) != STATUS_OK)
		return STATUS_FAILED;
	branch->brought = branch->tip;
	/* The work tree has other files now. */
	return remote_check_configuration(sink, git);
}

/* ---- proposals --------------------------------------------------------------------------- */

static enum status is_not_ours(struct sink *sink, const struct remote_branch *branch, sv commit)
{
	struct diag *diag = diag_report(
	    sink, DIAG_PUSH_DIVERGED, NOWHERE,
	    "branch %.*s has commit %.12s, which osm-gen did not make, and would lose it",
	    SV_ARG(branch->name), commit.ptr);

	diag_set_help(
	    sink, diag,
	    "a branch " REMOTE_PROPOSALS
	    "... holds what osm-gen proposes, and is made anew when its inputs "
	    "have moved on: bring the commit to another branch, delete this one here and on "
	    "%.*s, then run again; in a shallow clone, fetch the whole history first",
	    SV_ARG(branch->remote));
	return STATUS_FAILED;
}

/*
 * Makes the branch of a proposal anew at the source, and sets *ret_done, unless there is no such
 * branch yet or it has the source: it is then brought up to date as any other branch.
 */
static enum status renew_proposal(struct sink *sink, struct remote_git *git,
                                  struct remote_branch *branch, sv ref, sv local, bool *ret_done)
{
	const sv source = branch->source;
	const sv known[] = {source, source};
	const sv all[] = {branch->tip, local};
	bool has_source = false;

	if (remote_is_behind(sink, git, source, sv_empty(branch->tip) ? local : branch->tip,
	                     &has_source) != STATUS_OK)
		return STATUS_FAILED;
	if (has_source)
		return STATUS_OK;
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		sv foreign = SV("");

		if (!sv_empty(all[i]) &&
		    find_foreign(sink, git, branch, known, all[i], &foreign) != STATUS_OK)
			return STATUS_FAILED;
		if (!sv_empty(foreign))
			return is_not_ours(sink, branch, foreign);
	}
	if (!sv_eq(local, source) && move(sink, git, branch, ref, local, source) != STATUS_OK)
		return STATUS_FAILED;
	branch->replaces = true;
	*ret_done = true;
	return STATUS_OK;
}

/* ------------------------------------------------------------------------------------------ */

enum status remote_catch_up(struct arena *arena, struct sink *sink, struct remote_git *git,
                            struct remote_branch *branch)
{
	sv ref = ARENA_CONCAT(arena, SV("refs/heads/"), branch->name);
	bool is_proposal = !branch->is_fixed && !branch->is_head &&
	                   sv_starts_with(branch->name, SV(REMOTE_PROPOSALS));
	bool is_renewed = false;
	bool has_all = true;
	sv local;

	if (remote_tip(sink, git, branch, ref, &branch->tip) != STATUS_OK ||
	    remote_resolve(sink, git, ref, &local) != STATUS_OK)
		return STATUS_FAILED;
	if (is_proposal && !sv_empty(branch->tip) &&
	    remote_fetch(sink, git, branch, ref, 0, &branch->tip) != STATUS_OK)
		return STATUS_FAILED;
	if (is_proposal && !(sv_empty(branch->tip) && sv_empty(local)) &&
	    renew_proposal(sink, git, branch, ref, local, &is_renewed) != STATUS_OK)
		return STATUS_FAILED;
	if (is_renewed)
		return STATUS_OK;
	/* A branch that does not exist locally begins at the source, unless that is another
	 * branch's. */
	bool begins = sv_empty(local) && !branch->is_fixed;
	sv here = begins ? branch->source : local;
	if (!sv_empty(branch->tip)) {
		has_all = sv_eq(branch->tip, here);
		if (!has_all && !sv_empty(here) &&
		    remote_is_behind(sink, git, branch->tip, here, &has_all) != STATUS_OK)
			return STATUS_FAILED;
		enum status status = has_all ? go_ahead(sink, git, branch, here)
		                             : follow_branch(sink, git, branch, ref, local);
		if (status != STATUS_OK)
			return STATUS_FAILED;
	}
	if (!has_all)
		here = branch->tip;
	if (branch->is_fixed || sv_empty(here))
		return STATUS_OK;
	if (check_source(sink, git, branch, here) != STATUS_OK)
		return STATUS_FAILED;
	branch->source = here;
	return STATUS_OK;
}
