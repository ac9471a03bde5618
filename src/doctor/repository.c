/*
 * The shape of the repository: work tree, history, branch, owner, ignored output.
 */
#include "internal.h"
#include "os/os.h"

static void check_ignored(struct doctor *doctor)
{
	sv out = doctor->place->out;
	struct arena *arena = doctor->arena;
	sv root = git_repo_worktree(doctor->repo);
	sv above;

	if (sv_starts_with(out, SV("/")))
		return;
	sv index = ARENA_CONCAT(arena, root, SV("/"), os_plain_path(arena, out),
	                        SV("/CLUSTER/index.json"));
	if (!git_would_add(arena, root, index, &above))
		doctor_add(
		    doctor, "ignored", DOCTOR_LOOK,
		    "take the output folder out of .gitignore: osm-gen commits it all the same, "
		    "but `git status` and `git add` do not show what people change in it",
		    "the output folder %.*s is ignored by git", SV_ARG(out));
}

static void check_shape(struct doctor *doctor)
{
	sv root = git_repo_worktree(doctor->repo);

	if (sv_empty(root))
		doctor_add(doctor, "work-tree", DOCTOR_NOTE, NULL,
		           "the repository is bare: only commits are made");
	else
		doctor_add(doctor, "work-tree", DOCTOR_OK, NULL, "%s",
		           git_repo_is_linked(doctor->repo) ? "a linked work tree" : "a work tree");
	if (git_repo_is_shallow(doctor->repo))
		doctor_add(
		    doctor, "history", DOCTOR_NOTE,
		    "a run needs no more; the whole history (fetch-depth: 0, GIT_DEPTH: 0, git "
		    "fetch --unshallow) lets it notice when an output was removed, and `verify` "
		    "needs it for all of its checks",
		    "the clone is shallow");
	else if (git_repo_is_partial(doctor->repo))
		doctor_add(
		    doctor, "history", DOCTOR_NOTE,
		    "a run needs only the files that are checked out; if it lacks another one, "
		    "that is an error (OSG6051), and a removed output may not be noticed: clone "
		    "without --filter",
		    "the clone is partial");
	else
		doctor_add(doctor, "history", DOCTOR_OK, NULL, "the history is complete");
	if (git_repo_is_detached(doctor->repo) && !doctor->place->branch.ptr)
		doctor_add(doctor, "branch", DOCTOR_NOTE,
		           "`generate --branch NAME` commits to a branch, and --push pushes that; "
		           "or push the commit after `generate`: git push origin HEAD:NAME",
		           "HEAD is detached, as in checkouts of CI: no branch gets the commit of "
		           "`generate`, and the next checkout drops it");
	else
		doctor_add(doctor, "branch", DOCTOR_OK, NULL, "commits go to a branch");
	if (!sv_empty(root) && !os_is_own(root))
		doctor_add(doctor, "owner", DOCTOR_NOTE,
		           "osm-gen runs no hook or filter and does not mind; git does: git config "
		           "--global --add safe.directory DIR",
		           "the work tree belongs to another user");
	if (!sv_empty(root))
		check_ignored(doctor);
}

/* Notes a commit without the attributes by which forges fold generated files. */
static void check_attributes(struct doctor *doctor)
{
	enum { MAX_BYTES = 1024 * 1024 };
	struct sink ignored = sink_in(doctor->arena);
	struct git_file file;
	sv text;

	if (git_look_up(doctor->arena, doctor->repo, doctor->tip.tree, SV(".gitattributes"),
	                &file) &&
	    git_read(doctor->arena, &ignored, doctor->repo, &file, MAX_BYTES, &text) == STATUS_OK &&
	    sv_contains(text, SV("linguist-generated")))
		return;
	doctor_add(
	    doctor, "attributes", DOCTOR_NOTE,
	    "`osm-gen init .` writes .gitattributes if the repository has none; its lines are "
	    "in docs/howto/review.md, \"In git and on a forge\"",
	    "no .gitattributes marks sealed files as generated: forges show them whole in "
	    "pull requests");
}

static void check_unfinished(struct doctor *doctor)
{
	struct git_unfinished unfinished;

	if (git_find_unfinished(doctor->repo, &unfinished))
		doctor_add(doctor, "unfinished", DOCTOR_LOOK, unfinished.remedy,
		           "%.*s: `generate` refuses to run (OSG6021)",
		           SV_ARG(git_describe_unfinished(doctor->arena, &unfinished)));
}

bool doctor_check_repository(struct doctor *doctor)
{
	const struct doctor_place *place = doctor->place;
	struct sink ignored = sink_in(doctor->arena);
	struct git_source source;
	sv tip = sv_empty(place->branch) ? SV("HEAD") : place->branch;

	if (git_repo_open(doctor->arena, doctor->sink, place->repo, &doctor->repo) != STATUS_OK) {
		doctor_add(doctor, "repository", DOCTOR_WRONG, NULL,
		           "the repository cannot be opened");
		return false;
	}
	check_shape(doctor);
	check_unfinished(doctor);
	if (git_source_find(doctor->arena, &ignored, doctor->repo, tip, &doctor->tip) != STATUS_OK)
		doctor->tip.hex = SV("");
	else if (git_source_find(doctor->arena, &ignored, doctor->repo, place->rev, &source) ==
	             STATUS_OK &&
	         !git_id_equal(source.id, doctor->tip.id))
		doctor_add(doctor, "tip", DOCTOR_NOTE, NULL,
		           "the branch's tip is %.12s, the inputs are read from %.12s",
		           doctor->tip.hex.ptr, source.hex.ptr);
	if (!sv_empty(doctor->tip.hex))
		check_attributes(doctor);
	return true;
}
