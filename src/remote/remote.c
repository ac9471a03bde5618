/*
 * The remote: finds its address and branch, looks at its refs, fetches and pushes.
 */
#include "remote/internal.h"

#define FETCHED "refs/osm-gen/fetched"

/* ---- the remote -------------------------------------------------------------------------- */

/* Sets *ret_ref to the branch of HEAD, "refs/heads/main", or to an empty string if detached. */
static enum status find_head(struct sink *sink, struct remote_git *git, sv *ret_ref)
{
	struct os_ended ended;

	if (REMOTE_RUN(sink, git, &ended, SV("symbolic-ref"), SV("--quiet"), SV("HEAD")) !=
	    STATUS_OK)
		return STATUS_FAILED;
	*ret_ref = ended.status == 0 ? remote_first_line(ended.out) : SV("");
	return STATUS_OK;
}

static enum status find_branch(struct sink *sink, struct remote_git *git, sv wanted,
                               struct remote_branch *branch)
{
	sv head;

	if (find_head(sink, git, &head) != STATUS_OK)
		return STATUS_FAILED;
	branch->name = wanted;
	if (sv_empty(wanted) && sv_starts_with(head, SV("refs/heads/")))
		branch->name = sv_from_offset(head, strlen("refs/heads/"));
	if (sv_empty(branch->name)) {
		struct diag *diag = diag_report(
		    sink, DIAG_PUSH_BRANCH, NOWHERE,
		    "--push does not know the branch, since HEAD is detached, as it is in CI");
		diag_set_help(sink, diag,
		              "name the branch: --branch main, or CI's variable (--branch "
		              "\"$GITHUB_REF_NAME\", --branch \"$CI_COMMIT_BRANCH\")");
		return STATUS_FAILED;
	}
	branch->is_head = sv_eq(head, ARENA_CONCAT(git->arena, SV("refs/heads/"), branch->name));
	return STATUS_OK;
}

/* True for a URL, an absolute path or HOST:PATH, which need not be a configured remote. */
static bool is_address(sv text)
{
	return sv_contains(text, SV("://")) || sv_starts_with(text, SV("/")) ||
	       (sv_contains(text, SV(":")) && !sv_starts_with(text, SV(":")));
}

static enum status no_remote(struct sink *sink, struct remote_git *git, sv name)
{
	struct os_ended ended;
	struct diag *diag =
	    diag_report(sink, DIAG_PUSH_REMOTE, NOWHERE, "there is no remote \"%.*s\" to push to",
	                SV_ARG(remote_masked(git->arena, name)));
	struct sink ignored = sink_in(git->arena);

	if (REMOTE_RUN(&ignored, git, &ended, SV("remote")) == STATUS_OK &&
	    !sv_empty(sv_trim_space(ended.out))) {
		struct buf names = buf_in(git->arena);
		struct sv_splitter it = sv_split(sv_trim_space(ended.out), '\n');
		sv one;

		while (sv_split_next(&it, &one))
			buf_add_item(&names, one);
		diag_set_help(sink, diag, "--push takes one of %.*s", SV_ARG(buf_sv(&names)));
	} else {
		diag_set_help(sink, diag, "git remote add NAME URL, or give --push the URL");
	}
	return STATUS_FAILED;
}

/* Sets *ret_is to true if fetching from the remote, as configured, sets the local branches. */
static enum status find_mirror(struct sink *sink, struct remote_git *git, sv name, bool *ret_is)
{
	sv key = ARENA_CONCAT(git->arena, SV("remote."), name, SV(".fetch"));
	struct os_ended ended;

	if (REMOTE_RUN(sink, git, &ended, SV("config"), SV("--get-all"), key) != STATUS_OK)
		return STATUS_FAILED;
	*ret_is =
	    sv_contains(ended.out, SV(":refs/*")) || sv_contains(ended.out, SV(":refs/heads/"));
	return STATUS_OK;
}

static enum status find_address(struct sink *sink, struct remote_git *git, sv wanted,
                                struct remote_branch *branch)
{
	struct arena *arena = git->arena;
	struct os_ended ended;
	sv name = wanted;

	if (sv_empty(name)) {
		sv key = ARENA_CONCAT(arena, SV("branch."), branch->name, SV(".remote"));

		if (REMOTE_RUN(sink, git, &ended, SV("config"), SV("--get"), key) != STATUS_OK)
			return STATUS_FAILED;
		name = remote_first_line(ended.out);
		/* "." is this repository itself. */
		if (ended.status != 0 || sv_empty(name) || sv_eq(name, SV(".")))
			name = SV("origin");
	}
	if (sv_starts_with(name, SV("-")))
		return no_remote(sink, git, name);
	branch->remote = remote_masked(arena, name);
	branch->address = name;
	if (is_address(name))
		return STATUS_OK;
	if (REMOTE_RUN(sink, git, &ended, SV("remote"), SV("get-url"), SV("--push"), name) !=
	    STATUS_OK)
		return STATUS_FAILED;
	if (ended.status != 0)
		return no_remote(sink, git, name);
	sv url = remote_first_line(ended.out);
	/* The URL is relative to the work tree, but git is run in the git directory. */
	if ((sv_starts_with(url, SV("./")) || sv_starts_with(url, SV("../"))) &&
	    !sv_empty(git->work_tree)) {
		branch->address = ARENA_CONCAT(arena, git->work_tree, SV("/"), url);
		return STATUS_OK;
	}
	return find_mirror(sink, git, name, &branch->is_mirror);
}

enum status remote_find(struct arena *arena, struct sink *sink, struct remote_git *git,
                        const struct remote_request *request, struct remote_branch *ret_branch)
{
	struct remote_branch branch = {
	    .is_fixed = request->is_fixed,
	    .replaces = request->replaces,
	    .out = request->out,
	};

	if (remote_check_commands(sink, git) != STATUS_OK ||
	    find_branch(sink, git, arena_dup(arena, request->branch), &branch) != STATUS_OK ||
	    find_address(sink, git, arena_dup(arena, request->remote), &branch) != STATUS_OK ||
	    remote_check_address(sink, git, branch.address) != STATUS_OK ||
	    remote_check_hooks(sink, git) != STATUS_OK ||
	    remote_resolve(sink, git, request->source, &branch.source) != STATUS_OK)
		return STATUS_FAILED;
	*ret_branch = branch;
	return STATUS_OK;
}

/* ---- looking and fetching ---------------------------------------------------------------- */

static enum status cannot(struct sink *sink, struct remote_git *git,
                          const struct remote_branch *branch, const struct os_ended *ended,
                          const char *what)
{
	struct diag *diag =
	    remote_report(sink, git, DIAG_PUSH_REMOTE, ended,
	                  arena_printf(git->arena, "cannot %s %.*s", what, SV_ARG(branch->remote)));

	diag_set_help(sink, diag,
	              "see that `git fetch %.*s` works here, with the credentials of this job",
	              SV_ARG(branch->remote));
	return STATUS_FAILED;
}

enum status remote_tip(struct sink *sink, struct remote_git *git,
                       const struct remote_branch *branch, sv ref, sv *ret_hex)
{
	struct os_ended ended;
	sv line;

	if (REMOTE_RUN(sink, git, &ended, SV("ls-remote"), SV("--quiet"), SV("--"), branch->address,
	               ref) != STATUS_OK)
		return STATUS_FAILED;
	if (ended.status != 0)
		return cannot(sink, git, branch, &ended, "read");
	struct sv_splitter it = sv_split(ended.out, '\n');
	*ret_hex = SV("");
	while (sv_split_next(&it, &line)) {
		sv hex;
		sv name;

		/* ls-remote matches endings: for refs/heads/main it prints x/refs/heads/main as
		 * well. */
		if (sv_cut(line, SV("\t"), &hex, &name) && sv_eq(name, ref))
			*ret_hex = hex;
	}
	return STATUS_OK;
}

/* Fetches into a ref of its own, since another fetch could overwrite FETCH_HEAD meanwhile. */
enum status remote_fetch(struct sink *sink, struct remote_git *git,
                         const struct remote_branch *branch, sv ref, unsigned depth, sv *ret_hex)
{
	const sv fixed[] = {
	    SV("fetch"), SV("--quiet"), SV("--no-tags"), SV("--no-recurse-submodules"),
	    SV("--no-write-fetch-head"), SV("--no-filter"),
	    /* A mirror's configuration would have the fetch set local branches. */
	    branch->is_mirror ? SV("--refmap=") : SV("--no-tags"),
	    depth > 0 ? arena_printf(git->arena, "--depth=%u", depth) : SV("--"), SV("--")};
	struct remote_texts arguments = {0};
	struct sink ignored = sink_in(git->arena);
	struct os_ended ended;
	struct os_ended gone;

	for (size_t i = 0; i < COUNT_OF(fixed) - (depth > 0 ? 0 : 1); i++)
		VEC_PUSH(git->arena, &arguments, fixed[i]);
	VEC_PUSH(git->arena, &arguments, branch->address);
	VEC_PUSH(git->arena, &arguments, ARENA_CONCAT(git->arena, SV("+"), ref, SV(":" FETCHED)));
	const struct remote_call call = {.arguments = arguments.items,
	                                 .argument_count = arguments.count};
	if (remote_run(sink, git, &call, &ended) != STATUS_OK)
		return STATUS_FAILED;
	if (ended.status != 0)
		return cannot(sink, git, branch, &ended, "fetch from");
	if (remote_resolve(sink, git, SV(FETCHED), ret_hex) != STATUS_OK)
		return STATUS_FAILED;
	(void)!REMOTE_RUN(&ignored, git, &gone, SV("update-ref"), SV("-d"), SV(FETCHED));
	return STATUS_OK;
}

/* ---- pushing ----------------------------------------------------------------------------- */

/*
 * Returns the reason of the first refused ref in git's porcelain output, or an empty string. Its
 * line is "!\tFROM:TO\t[rejected] (fetch first)", with the reason after the last tabulator.
 */
static sv rejection(sv porcelain)
{
	struct sv_splitter it = sv_split(porcelain, '\n');
	sv line;

	while (sv_split_next(&it, &line))
		if (sv_starts_with(line, SV("!\t")))
			return sv_trim_space(sv_after_last(line, '\t'));
	return SV("");
}

/* True for the reasons with which git's send-pack and receive-pack report a lost race. */
static bool is_race(sv reason)
{
	static const char *const words[] = {"cannot lock ref",      "failed to lock",
	                                    "failed to update ref", "incorrect old value",
	                                    "already exists",       "fetch first"};

	if (sv_starts_with(reason, SV("[rejected]")))
		return true;
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (sv_starts_with(reason, SV("[remote rejected]")) &&
		    sv_contains(reason, sv_from_cstr(words[i])))
			return true;
	return false;
}

static enum remote_pushed refused(struct sink *sink, struct remote_git *git,
                                  const struct remote_branch *branch, enum diag_code code,
                                  const struct os_ended *ended)
{
	sv reason = rejection(ended->out);
	struct diag *diag = remote_report(
	    sink, git, code, ended,
	    sv_empty(reason)
	        ? arena_printf(git->arena, "the push to %.*s failed", SV_ARG(branch->remote))
	        : arena_printf(git->arena, "%.*s refused the push: %.*s", SV_ARG(branch->remote),
	                       SV_ARG(remote_masked(git->arena, reason))));

	if (code == DIAG_PUSH_NOTE)
		diag_set_help(sink, diag,
		              "give this job's user the right to push " REMOTE_NOTES_REF
		              "; the output itself is pushed");
	else if (sv_empty(reason)) /* a pre-push hook, or the connection */
		diag_set_help(sink, diag,
		              "see that `git push %.*s %.*s` works here, with the hooks and "
		              "credentials of this job; the commit stays here, and the next run "
		              "pushes it",
		              SV_ARG(branch->remote), SV_ARG(branch->name));
	else
		diag_set_help(sink, diag,
		              branch->replaces
		                  ? "give this job's user the right to push to the branch, by "
		                    "force, too, as --history replaces it; the commit stays here, "
		                    "and the next run makes it again"
		                  : "give this job's user the right to push to the branch, also "
		                    "where it is protected; the commit stays here, and the next "
		                    "run pushes it");
	return REMOTE_REFUSED;
}

/* With remote.NAME.mirror git would push all refs, and refuse to push a single one. */
static enum status run_push(struct sink *sink, struct remote_git *git,
                            const struct remote_branch *branch, const struct remote_update *update,
                            struct os_ended *ret_ended)
{
	sv refspec = ARENA_CONCAT(git->arena, update->from, SV(":"), update->ref);
	static const sv push[] = {SV_INIT("push"), SV_INIT("--porcelain"),
	                          SV_INIT("--no-follow-tags"), SV_INIT("--recurse-submodules=no")};
	struct remote_texts arguments = {0};

	if (branch->is_mirror) {
		VEC_PUSH(git->arena, &arguments, SV("-c"));
		VEC_PUSH(
		    git->arena, &arguments,
		    ARENA_CONCAT(git->arena, SV("remote."), branch->address, SV(".mirror=false")));
	}
	for (size_t i = 0; i < COUNT_OF(push); i++)
		VEC_PUSH(git->arena, &arguments, push[i]);
	if (update->forces)
		VEC_PUSH(git->arena, &arguments,
		         ARENA_CONCAT(git->arena, SV("--force-with-lease="), update->ref, SV(":"),
		                      update->known));
	VEC_PUSH(git->arena, &arguments, SV("--"));
	VEC_PUSH(git->arena, &arguments, branch->address);
	VEC_PUSH(git->arena, &arguments, refspec);
	const struct remote_call call = {
	    .arguments = arguments.items, .argument_count = arguments.count, .runs_hooks = true};
	return remote_run(sink, git, &call, ret_ended);
}

enum remote_pushed remote_push_ref(struct sink *sink, struct remote_git *git,
                                   const struct remote_branch *branch, enum diag_code code,
                                   const struct remote_update *update)
{
	bool hid_hooks = git->hides_hooks;
	struct os_ended ended;
	sv now;

	/* A fetched commit may have brought hooks or changed links since the last check. */
	if (remote_check_hooks(sink, git) != STATUS_OK ||
	    remote_check_commands(sink, git) != STATUS_OK ||
	    run_push(sink, git, branch, update, &ended) != STATUS_OK)
		return REMOTE_REFUSED;
	if (ended.status == 0)
		return REMOTE_PUSHED;
	sv reason = rejection(ended.out);
	bool is_lost = is_race(reason);
	/* A server may report a lost race in words of its own. */
	if (!is_lost && !sv_empty(reason)) {
		if (remote_tip(sink, git, branch, update->ref, &now) != STATUS_OK)
			return REMOTE_REFUSED;
		is_lost = !sv_eq(now, update->known);
	}
	if (!is_lost)
		return refused(sink, git, branch, code, &ended);
	/* The caller drops this attempt's diagnostics; the next one is to warn of hooks again. */
	git->hides_hooks = hid_hooks;
	return REMOTE_MOVED;
}

enum remote_pushed remote_push(struct arena *arena, struct sink *sink, struct remote_git *git,
                               const struct remote_branch *branch, sv *ret_commit)
{
	struct remote_update update = {
	    .ref = ARENA_CONCAT(arena, SV("refs/heads/"), branch->name),
	    .known = branch->tip,
	};

	*ret_commit = SV("");
	if (remote_resolve(sink, git, update.ref, ret_commit) != STATUS_OK)
		return REMOTE_REFUSED;
	if (sv_empty(*ret_commit) || sv_eq(*ret_commit, branch->tip))
		return REMOTE_HAS_IT;
	if (branch->replaces && !sv_empty(branch->tip)) {
		bool is_behind;

		if (remote_is_behind(sink, git, branch->tip, *ret_commit, &is_behind) != STATUS_OK)
			return REMOTE_REFUSED;
		update.forces = !is_behind;
	}
	update.from = *ret_commit;
	return remote_push_ref(sink, git, branch, DIAG_PUSH_REFUSED, &update);
}
