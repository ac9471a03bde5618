/*
 * Finds an operation that git has begun in a work tree and not finished.
 */
#include "git/internal.h"

#include "os/os.h"

/* A file or folder that git keeps in the work tree's git directory during an operation. */
struct sign {
	const char *path;
	const char *operation; /* with its article */
	const char *remedy;
};

#define FINISH(command)                                                                            \
	"finish it (git " command " --continue) or take it back (git " command " --abort)"

/*
 * The order is that of git's wt_status_get_state: a rebase makes its commits with the files of the
 * others.
 */
static const struct sign signs[] = {
    {"rebase-merge", "a rebase", FINISH("rebase")},
    {"rebase-apply/applying", "an am", FINISH("am")},
    {"rebase-apply", "a rebase", FINISH("rebase")},
    {"MERGE_HEAD", "a merge", FINISH("merge")},
    {"CHERRY_PICK_HEAD", "a cherry-pick", FINISH("cherry-pick")},
    {"REVERT_HEAD", "a revert", FINISH("revert")},
};

/* The commits that are left of a series, between two of its commits. */
#define TODO "sequencer/todo"
static const struct sign pick_series = {TODO, "a cherry-pick", FINISH("cherry-pick")};
static const struct sign revert_series = {TODO, "a revert", FINISH("revert")};

static sv git_dir_path(struct arena *arena, const struct git_repo *repo, const char *path)
{
	return ARENA_CONCAT(arena, repo->git_dir, SV("/"), sv_from_cstr(path));
}

static const struct sign *find_sign(const struct git_repo *repo)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink ignored = sink_in(arena);
	sv todo;

	for (size_t i = 0; i < COUNT_OF(signs); i++)
		if (os_kind(git_dir_path(arena, repo, signs[i].path)) != OS_ABSENT)
			return &signs[i];
	if (os_kind(git_dir_path(arena, repo, TODO)) == OS_ABSENT)
		return NULL;
	bool reverts = os_read_file(arena, &ignored, git_dir_path(arena, repo, TODO), SIZE_MAX / 4,
	                            &todo) == STATUS_OK &&
	               sv_starts_with(todo, SV("revert"));
	return reverts ? &revert_series : &pick_series;
}

/* An index that cannot be read has no conflict here: who needs it reports that. */
static bool has_conflicts(struct git_repo *repo)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink ignored = sink_in(arena);
	struct git_opened_index index;

	if (git_open_index(&ignored, repo, &index) != STATUS_OK)
		return false;
	bool conflicts = git_index_has_conflicts(index.index) == 1;
	git_close_index(&index);
	return conflicts;
}

bool git_find_unfinished(struct git_repo *repo, struct git_unfinished *ret_unfinished)
{
	if (sv_empty(repo->worktree))
		return false;
	const struct sign *sign = find_sign(repo);
	if (!sign && !has_conflicts(repo))
		return false;
	*ret_unfinished = (struct git_unfinished){
	    .operation = sign ? sign->operation : NULL,
	    .has_conflicts = !sign || has_conflicts(repo),
	    .remedy = sign ? sign->remedy
	                   : "resolve them and git add the files, or take them back with git reset "
	                     "--merge; git status lists them",
	};
	return true;
}

sv git_describe_unfinished(struct arena *arena, const struct git_unfinished *unfinished)
{
	if (!unfinished->operation)
		return SV("files have conflicts");
	return arena_printf(arena, "%s is not finished%s", unfinished->operation,
	                    unfinished->has_conflicts ? ", and files have conflicts" : "");
}

enum status git_check_finished(struct sink *sink, struct git_repo *repo)
{
	struct git_unfinished unfinished;

	if (!git_find_unfinished(repo, &unfinished))
		return STATUS_OK;
	struct diag *diag = diag_report(sink, DIAG_GIT_UNFINISHED, NOWHERE,
	                                "%.*s: a commit of osm-gen would become part of that",
	                                SV_ARG(git_describe_unfinished(sink->arena, &unfinished)));
	diag_set_help(sink, diag, "%s, then run again", unfinished.remedy);
	return STATUS_FAILED;
}
