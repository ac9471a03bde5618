/*
 * refs/notes/osm-gen: notes on the source commits that were processed.
 */
#include "remote/internal.h"

static enum status failed(struct sink *sink, struct remote_git *git, const struct os_ended *ended,
                          const char *what)
{
	struct diag *diag = remote_report(
	    sink, git, DIAG_PUSH_NOTE, ended,
	    arena_printf(git->arena, "cannot %s the notes in " REMOTE_NOTES_REF, what));

	diag_set_help(sink, diag, "the output itself is pushed; run again to note it");
	return STATUS_FAILED;
}

static enum status call(struct sink *sink, struct remote_git *git, const struct remote_note *note,
                        const sv *arguments, size_t count, const char *what)
{
	struct arena *arena = git->arena;
	const sv name = note->author_name;
	const sv mail = note->author_mail;
	const sv environment[] = {
	    ARENA_CONCAT(arena, SV("GIT_AUTHOR_NAME="), name),
	    ARENA_CONCAT(arena, SV("GIT_AUTHOR_EMAIL="), mail),
	    ARENA_CONCAT(arena, SV("GIT_COMMITTER_NAME="), name),
	    ARENA_CONCAT(arena, SV("GIT_COMMITTER_EMAIL="), mail),
	};
	const struct remote_call one = {
	    .arguments = arguments,
	    .argument_count = count,
	    .environment = environment,
	    .environment_count = COUNT_OF(environment),
	};
	struct os_ended ended;

	if (remote_run(sink, git, &one, &ended) != STATUS_OK)
		return STATUS_FAILED;
	return ended.status == 0 ? STATUS_OK : failed(sink, git, &ended, what);
}
#define CALL(sink, git, note, what, ...)                                                           \
	call((sink), (git), (note), (const sv[]){__VA_ARGS__},                                     \
	     COUNT_OF(((const sv[]){__VA_ARGS__})), (what))

/* Takes over the remote's notes, or merges them into the local ones. */
static enum status take_theirs(struct sink *sink, struct remote_git *git,
                               const struct remote_branch *branch, const struct remote_note *note,
                               sv *tip)
{
	bool is_behind = true;
	struct os_ended ended;
	sv local;

	if (remote_tip(sink, git, branch, SV(REMOTE_NOTES_REF), tip) != STATUS_OK ||
	    remote_resolve(sink, git, SV(REMOTE_NOTES_REF), &local) != STATUS_OK)
		return STATUS_FAILED;
	if (sv_empty(*tip) || sv_eq(*tip, local))
		return STATUS_OK;
	/* A shallow clone needs no history of notes either. */
	if (REMOTE_RUN(sink, git, &ended, SV("rev-parse"), SV("--is-shallow-repository")) !=
	    STATUS_OK)
		return STATUS_FAILED;
	bool is_shallow = sv_eq(remote_first_line(ended.out), SV("true"));
	if (remote_fetch(sink, git, branch, SV(REMOTE_NOTES_REF), is_shallow ? 1 : 0, tip) !=
	    STATUS_OK)
		return STATUS_FAILED;
	if (!sv_empty(local) && remote_is_behind(sink, git, local, *tip, &is_behind) != STATUS_OK)
		return STATUS_FAILED;
	if (is_behind)
		return CALL(sink, git, note, "take over", SV("update-ref"), SV(REMOTE_NOTES_REF),
		            *tip);
	return CALL(sink, git, note, "merge", SV("notes"), SV("--ref=" REMOTE_NOTES_REF),
	            SV("merge"), SV("--quiet"), SV("--strategy=cat_sort_uniq"), *tip);
}

static enum status add_to_notes(struct sink *sink, struct remote_git *git,
                                const struct remote_note *note, sv commit)
{
	struct os_ended ended;

	if (REMOTE_RUN(sink, git, &ended, SV("notes"), SV("--ref=" REMOTE_NOTES_REF), SV("list"),
	               commit) != STATUS_OK)
		return STATUS_FAILED;
	if (ended.status == 0)
		return STATUS_OK;
	return CALL(sink, git, note, "add to", SV("notes"), SV("--ref=" REMOTE_NOTES_REF),
	            SV("add"), SV("-m"), note->text, commit);
}

enum status remote_add_note(struct sink *sink, struct remote_git *git,
                            const struct remote_branch *branch, const struct remote_note *note)
{
	sv ref = SV(REMOTE_NOTES_REF);

	for (unsigned lost = 0; lost <= note->retries; lost++) {
		sv tip;
		sv here;

		if (take_theirs(sink, git, branch, note, &tip) != STATUS_OK)
			return STATUS_FAILED;
		for (size_t i = 0; i < note->commit_count; i++)
			if (add_to_notes(sink, git, note, note->commits[i]) != STATUS_OK)
				return STATUS_FAILED;
		if (remote_resolve(sink, git, ref, &here) != STATUS_OK)
			return STATUS_FAILED;
		if (sv_eq(here, tip))
			return STATUS_OK;
		const struct remote_update update = {.from = ref, .ref = ref, .known = tip};
		switch (remote_push_ref(sink, git, branch, DIAG_PUSH_NOTE, &update)) {
		case REMOTE_PUSHED:
		case REMOTE_HAS_IT:
			return STATUS_OK;
		case REMOTE_REFUSED:
			return STATUS_FAILED;
		case REMOTE_MOVED:
			os_sleep_ms(100 * (lost + 1));
		}
	}
	struct diag *diag =
	    diag_report(sink, DIAG_PUSH_NOTE, NOWHERE,
	                REMOTE_NOTES_REF " of %.*s was moved by others during each of %u attempts",
	                SV_ARG(branch->remote), note->retries + 1);
	diag_set_help(sink, diag,
	              "the output itself is pushed; run again to note it, or raise --push-retries");
	return STATUS_FAILED;
}
