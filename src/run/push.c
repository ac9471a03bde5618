/*
 * Runs until the remote has the result: if others push first, the inputs are rendered again.
 */
#include "os/os.h"
#include "remote/remote.h"
#include "run/commit/commit.h"
#include "run/inputs/inputs.h"
#include "run/run.h"

struct pushing {
	struct arena *arena;
	struct sink *sink;
	struct run_request request;
	const struct run_push *push;
	struct remote_git *git;
	struct remote_branch branch;
	sv start; /* the commit that the run was started for, in hex */
};

/* ---- before ------------------------------------------------------------------------------ */

static enum status place_output(struct pushing *p, struct git_repo *repo, sv *ret_out)
{
	const struct run_env env = {.arena = p->arena, .sink = p->sink};
	struct run_inputs inputs = {.repo = repo};

	if (run_place_output(&env, p->request.target.out, &inputs) != STATUS_OK)
		return STATUS_FAILED;
	if (!inputs.out_is_outside) {
		*ret_out = inputs.out;
		return STATUS_OK;
	}
	struct diag *diag =
	    diag_report(p->sink, DIAG_USAGE, NOWHERE,
	                "--push does not go with an --out outside of the repository");
	diag_set_help(p->sink, diag, "osm-gen does not commit an output outside of the repository");
	return STATUS_FAILED;
}

static enum status look_around(struct pushing *p, struct git_repo *repo)
{
	struct git_source source;
	struct remote_request request = {
	    .remote = p->push->remote,
	    .branch = p->request.target.branch,
	    .is_fixed = p->push->is_fixed,
	    .replaces = p->request.target.history > 0,
	};

	if (git_source_find(p->arena, p->sink, repo, p->request.reading.rev, &source) !=
	        STATUS_OK ||
	    place_output(p, repo, &request.out) != STATUS_OK ||
	    remote_git_open(p->arena, p->sink, repo, p->request.commit.surroundings, &p->git) !=
	        STATUS_OK)
		return STATUS_FAILED;
	request.source = source.hex;
	p->start = source.hex;
	return remote_find(p->arena, p->sink, p->git, &request, &p->branch);
}

static enum status begin_push(struct pushing *p)
{
	struct git_repo *repo = NULL;

	os_hold_signals();
	if (git_repo_open(p->arena, p->sink, p->request.reading.repo, &repo) != STATUS_OK)
		return STATUS_FAILED;
	enum status status = look_around(p, repo);
	git_repo_close(repo);
	return status;
}

/* ---- one try ----------------------------------------------------------------------------- */

/* Runs once. It reports into a sink of its own, which is dropped if the run is repeated. */
static enum status render_once(struct sink *attempt, struct pushing *p,
                               struct run_result *ret_result)
{
	if (remote_catch_up(p->arena, attempt, p->git, &p->branch) != STATUS_OK)
		return STATUS_FAILED;
	/* A branch that is checked out brings HEAD with it. */
	if (p->branch.is_fixed || !p->branch.is_head)
		p->request.reading.rev = p->branch.source;
	return run(p->arena, attempt, &p->request, ret_result);
}

static struct report_summary failed_summary(const struct pushing *p)
{
	return (struct report_summary){
	    .command = SV("generate"),
	    .version = p->request.version,
	    .outcome = REPORT_FAILED,
	    .unit_kind = dialect_unit_kind(),
	};
}

static struct report_push push_of(const struct pushing *p, unsigned retries)
{
	return (struct report_push){
	    .remote = p->branch.remote,
	    .branch = p->branch.name,
	    .brought = p->branch.brought,
	    .retries = retries,
	};
}

/* Describes the commit: it stays in this repository, even if it could not be pushed. */
static void describe(sv commit, enum remote_pushed pushed, struct report_summary *summary)
{
	if (pushed == REMOTE_PUSHED)
		summary->push.commit = commit;
	if (pushed == REMOTE_PUSHED || pushed == REMOTE_HAS_IT)
		return;
	summary->commit = commit;
	summary->outcome = REPORT_FAILED;
}

static void report_race(struct pushing *p)
{
	struct diag *diag =
	    diag_report(p->sink, DIAG_PUSH_RACE, NOWHERE,
	                "others pushed to %.*s of %.*s first, %u times in a row",
	                SV_ARG(p->branch.name), SV_ARG(p->branch.remote), p->push->retries + 1);

	diag_set_help(p->sink, diag,
	              "run again, or raise --push-retries; let CI run the jobs of one branch one "
	              "after the other");
}

/* ---- after it ----------------------------------------------------------------------------- */

static enum status add_note(struct pushing *p, sv tip)
{
	sv commits[] = {p->start, p->branch.source};
	struct remote_note note = {
	    .commits = commits,
	    .commit_count = sv_eq(p->start, p->branch.source) ? 1 : 2,
	    .retries = p->push->retries,
	};
	sv author = sv_empty(p->request.commit.author) ? SV(RUN_AUTHOR) : p->request.commit.author;

	/* The run has checked the author. */
	BUG_ON(!run_parse_author(author, &note.author_name, &note.author_mail));
	note.text =
	    arena_printf(p->arena,
	                 "Osm-Gen-Processed: %.*s\nOsm-Gen-Commit: %.*s\n"
	                 "Osm-Gen-Version: %.*s\n",
	                 SV_ARG(p->branch.source), SV_ARG(sv_empty(tip) ? p->branch.source : tip),
	                 SV_ARG(p->request.version));
	return remote_add_note(p->sink, p->git, &p->branch, &note);
}

enum status run_and_push(struct arena *arena, struct sink *sink, const struct run_request *request,
                         const struct run_push *push, struct run_result *ret_result)
{
	struct pushing p = {.arena = arena, .sink = sink, .request = *request, .push = push};
	enum remote_pushed pushed = REMOTE_REFUSED;
	unsigned lost = 0;

	*ret_result = (struct run_result){.summary = failed_summary(&p)};
	if (begin_push(&p) != STATUS_OK)
		return STATUS_FAILED;
	for (;; lost++) {
		struct sink attempt = sink_in(arena);
		struct run_result result = {.summary = failed_summary(&p)};
		sv commit = {0};
		enum status status = render_once(&attempt, &p, &result);

		if (status == STATUS_OK)
			pushed = remote_push(arena, &attempt, p.git, &p.branch, &commit);
		if (status == STATUS_OK && pushed == REMOTE_MOVED && lost < push->retries) {
			run_release(&result);
			os_sleep_ms(100 * lost); /* somebody may still be pushing */
			continue;
		}
		sink_merge(sink, &attempt);
		*ret_result = result;
		ret_result->summary.push = push_of(&p, lost);
		if (status != STATUS_OK)
			return STATUS_FAILED;
		describe(commit, pushed, &ret_result->summary);
		if (pushed == REMOTE_MOVED)
			report_race(&p);
		if (pushed != REMOTE_PUSHED && pushed != REMOTE_HAS_IT)
			return STATUS_FAILED;
		if (push->notes && add_note(&p, commit) != STATUS_OK)
			return STATUS_FAILED;
		if (push->notes)
			ret_result->summary.push.notes = SV(REMOTE_NOTES_REF);
		return STATUS_OK;
	}
}
