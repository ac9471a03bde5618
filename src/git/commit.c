/*
 * The commit: branch and parent, the steps in their order, and what an interrupted run left.
 */
#include "git/output.h"
#include "git/tree.h"

#include "os/os.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- where the commit goes --------------------------------------------------------------- */

/* Sets *ret_ref to the branch that HEAD names, which may not exist yet, or to "HEAD" if detached.
 */
static enum status find_head(struct sink *sink, struct git_output *output, sv *ret_ref)
{
	git_reference *head = NULL;

	if (git_reference_lookup(&head, output->repo->handle, "HEAD") < 0) {
		git_report(sink, DIAG_GIT_REPOSITORY, "cannot read HEAD of %.*s",
		           SV_ARG(output->repo->path));
		return STATUS_FAILED;
	}
	const char *name = git_reference_symbolic_target(head);
	*ret_ref = name ? arena_dup(output->arena, sv_from_cstr(name)) : SV("HEAD");
	git_reference_free(head);
	return STATUS_OK;
}

static enum status bad_branch(struct sink *sink, struct git_output *output, const char *why)
{
	diag_report(sink, DIAG_GIT_BRANCH, NOWHERE, "cannot commit on branch '%.*s': %s",
	            SV_ARG(output->options.branch), why);
	return STATUS_FAILED;
}

static enum status find_branch(struct sink *sink, struct git_output *output, sv head, sv *ret_ref)
{
	sv name = output->options.branch;
	int valid = 0;
	git_reference *ref = NULL;

	if (git_branch_name_is_valid(&valid, arena_cstr(output->arena, name)) < 0 || !valid)
		return bad_branch(sink, output, "git does not allow that name");
	*ret_ref = ARENA_CONCAT(output->arena, SV("refs/heads/"), name);
	if (sv_eq(*ret_ref, head))
		return STATUS_OK;
	if (git_reference_lookup(&ref, output->repo->handle, arena_cstr(output->arena, *ret_ref)) <
	    0)
		return STATUS_OK; /* to be made */
	bool elsewhere = git_branch_is_checked_out(ref) == 1;
	git_reference_free(ref);
	if (elsewhere)
		return bad_branch(sink, output, "it is checked out in another work tree");
	return STATUS_OK;
}

static enum status find_parent(struct sink *sink, struct git_output *output)
{
	struct git_target *target = &output->target;
	git_oid oid;
	git_commit *commit;

	target->parent = target->has_tip ? target->tip : output->options.source->id;
	oid = git_id_to_oid(target->parent);
	commit = git_take_commit(output->repo, &oid);
	if (!commit) {
		git_report(sink, DIAG_GIT_COMMIT, "cannot read the tip of %.*s",
		           SV_ARG(target->ref));
		return STATUS_FAILED;
	}
	target->tree = git_id_from(git_commit_tree_id(commit));
	git_commit_free(commit);
	return STATUS_OK;
}

enum status git_target_find(struct sink *sink, struct git_output *output)
{
	struct git_target *target = &output->target;
	sv head;
	git_oid tip;

	if (find_head(sink, output, &head) != STATUS_OK)
		return STATUS_FAILED;
	target->ref = head;
	if (output->options.branch.len > 0 &&
	    find_branch(sink, output, head, &target->ref) != STATUS_OK)
		return STATUS_FAILED;
	target->is_head = sv_eq(target->ref, head) && output->repo->worktree.len > 0;
	int error = git_reference_name_to_id(&tip, output->repo->handle,
	                                     arena_cstr(output->arena, target->ref));
	if (error < 0 && error != GIT_ENOTFOUND) {
		git_report(sink, DIAG_GIT_REPOSITORY, "cannot read %.*s", SV_ARG(target->ref));
		return STATUS_FAILED;
	}
	target->has_tip = error == 0;
	if (target->has_tip)
		target->tip = git_id_from(&tip);
	return find_parent(sink, output);
}

/* ---- interrupted runs -------------------------------------------------------------------- */

static bool branch_has(struct git_output *output, sv note)
{
	sv ref;
	sv hex;
	git_oid tip;

	return sv_cut(note, SV(" "), &ref, &hex) &&
	       git_reference_name_to_id(&tip, output->repo->handle,
	                                arena_cstr(output->arena, ref)) == 0 &&
	       sv_eq(git_id_hex(output->arena, git_id_from(&tip)), hex);
}

static enum status mend(struct sink *sink, struct git_output *output)
{
	struct git_stage *stage = output->stage;

	if (branch_has(output, stage->note)) {
		diag_report(sink, DIAG_GIT_REPAIRED, NOWHERE,
		            "an earlier run was stopped after its commit: kept");
		return git_stage_clear(sink, stage);
	}
	diag_report(sink, DIAG_GIT_REPAIRED, NOWHERE,
	            "an earlier run was stopped before its commit: its files were restored");
	if (git_stage_undo(sink, stage) != STATUS_OK ||
	    git_stage_restore(sink, output) != STATUS_OK)
		return STATUS_FAILED;
	return git_stage_clear(sink, stage);
}

enum status git_output_open_stage(struct sink *sink, struct git_output *output)
{
	struct git_repo *repo = output->repo;
	struct stat git_dir;
	struct stat worktree;
	sv folder = ARENA_CONCAT(output->arena, repo->git_dir, SV("/osm-gen-stage"));
	struct git_opened_index index;

	/* A rename does not reach another disk. */
	if (stat(arena_cstr(output->arena, repo->git_dir), &git_dir) == 0 &&
	    stat(arena_cstr(output->arena, repo->worktree), &worktree) == 0 &&
	    git_dir.st_dev != worktree.st_dev)
		folder = ARENA_CONCAT(output->arena, repo->worktree, SV("/.osm-gen-stage"));
	sv root = repo->worktree;
	if (git_stage_open(output->arena, sink, root, repo->git_dir, folder, GIT_STAGE_PATIENCE_MS,
	                   &output->stage) != STATUS_OK)
		return STATUS_FAILED;
	if (output->stage->interrupted && mend(sink, output) != STATUS_OK)
		return STATUS_FAILED;
	/* Report an index that cannot be read now, not after the work. */
	if (git_open_index(sink, repo, &index) != STATUS_OK)
		return STATUS_FAILED;
	git_close_index(&index);
	return STATUS_OK;
}

/* ---- objects ----------------------------------------------------------------------------- */

/* The new tree; that of the parent when nothing changed. */
static enum status make_tree(struct sink *sink, struct git_output *output, struct git_id *ret_tree)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct git_edits edits = {0};

	VEC_RESERVE(scratch, &edits, output->all.count);
	VEC_EACH (each, &output->all) {
		const struct git_put *put = *each;

		if (git_put_changes(put))
			VEC_PUSH(scratch, &edits,
			         ((struct git_edit){put->path, put->remove, put->id}));
	}
	if (edits.count == 0) {
		*ret_tree = output->target.tree;
		return STATUS_OK;
	}
	return git_tree_edit(sink, output->repo, output->target.tree, output->options.folder,
	                     &edits, output->pack, ret_tree);
}

/* ---- conflicts --------------------------------------------------------------------------- */

static enum status judge_conflicts(struct sink *sink, const struct git_places *places,
                                   bool overwrite)
{
	enum status status = STATUS_OK;

	VEC_EACH (place, places) {
		if (!place->conflict)
			continue;
		bool stranger = place->kind == GIT_CONFLICT_STRANGER;
		if (!stranger && overwrite) {
			diag_report(sink, DIAG_GIT_OVERWRITTEN, NOWHERE,
			            "%.*s had changes that were not committed: overwritten",
			            SV_ARG(place->path));
			continue;
		}
		struct diag *diag = diag_report(
		    sink, DIAG_GIT_IN_THE_WAY, NOWHERE,
		    stranger ? "cannot write %.*s: an untracked file or folder is in the way"
		             : "cannot write %.*s: it has changes that are not committed",
		    SV_ARG(place->path));
		diag_set_help(sink, diag, "commit, move or remove it, then run again");
		status = STATUS_FAILED;
	}
	return status;
}

/* ---- ignored folders ---------------------------------------------------------------------- */

static void warn_ignored(struct sink *sink, struct git_output *output)
{
	sv folder = output->options.folder;
	sv name = ARENA_CONCAT(output->arena, folder, SV("/"));

	if (!output->stage || folder.len == 0 ||
	    !git_path_is_ignored(output->repo->handle, output->repo->worktree, name))
		return;
	struct diag *diag =
	    diag_report(sink, DIAG_GIT_IGNORED, NOWHERE,
	                "folder %.*s is ignored by a .gitignore file", SV_ARG(folder));
	diag_set_help(sink, diag,
	              "osm-gen commits the folder nevertheless; remove the line from .gitignore");
}

/* ---- moving the branch ------------------------------------------------------------------- */

static enum status lost_race(struct sink *sink, struct git_output *output)
{
	struct diag *diag =
	    diag_report(sink, DIAG_GIT_RACE, NOWHERE, "somebody else moved %.*s during the run",
	                SV_ARG(output->target.ref));

	diag_set_help(sink, diag, "run again, to make the output from the new commit");
	return STATUS_FAILED;
}

/* Before anything shows: most lost races end here, with nothing to undo. */
static enum status still_there(struct sink *sink, struct git_output *output)
{
	struct git_target *target = &output->target;
	git_oid tip;
	sv head;
	bool found = git_reference_name_to_id(&tip, output->repo->handle,
	                                      arena_cstr(output->arena, target->ref)) == 0;

	if (found != target->has_tip || (found && !git_id_equal(git_id_from(&tip), target->tip)))
		return lost_race(sink, output);
	if (find_head(sink, output, &head) != STATUS_OK)
		return STATUS_FAILED;
	if (target->is_head && !sv_eq(head, target->ref))
		return lost_race(sink, output);
	return STATUS_OK;
}

/* The branch has the commit: who won the race has made the same one. */
static bool stands(const struct git_output *output, struct git_id commit)
{
	git_oid tip;

	return git_reference_name_to_id(&tip, output->repo->handle,
	                                arena_cstr(output->arena, output->target.ref)) == 0 &&
	       git_id_equal(git_id_from(&tip), commit);
}

/* Reports an error after the branch has moved: nothing is undone any more. */
static void report_standing(struct sink *sink, struct git_output *output, struct git_id commit,
                            int error)
{
	sv ref = output->target.ref;
	sv branch = sv_starts_with(ref, SV("refs/heads/"))
	                ? ARENA_CONCAT(output->arena, SV("on branch "),
	                               sv_from_offset(ref, strlen("refs/heads/")))
	                : SV("the detached HEAD");
	struct diag *diag = diag_report(sink, DIAG_GIT_STANDS, NOWHERE,
	                                "commit %.*s is %.*s, but the system reported an error: %s",
	                                SV_ARG(git_id_hex(output->arena, commit)), SV_ARG(branch),
	                                os_error_words(error));

	diag_set_help(
	    sink, diag,
	    "nothing was undone%s; the disk may lack parts of the commit: check disk and file "
	    "system, run git fsck, then run osm-gen again, which writes missing parts",
	    output->stage ? ", work tree and index are in step with the commit" : "");
}

static enum status move_branch(struct sink *sink, struct git_output *output,
                               const struct git_commit_text *text, struct git_id commit)
{
	int error = 0;

	switch (git_target_move(sink, output, text, commit, &error)) {
	case GIT_MOVED:
		return STATUS_OK;
	case GIT_MOVED_WITH_ERROR:
		report_standing(sink, output, commit, error);
		return STATUS_OK;
	case GIT_RACE:
		return stands(output, commit) ? STATUS_OK : lost_race(sink, output);
	case GIT_NOT_MOVED:
		return STATUS_FAILED;
	}
	BUG("moved");
}

/* ---- the whole commit -------------------------------------------------------------------- */

static void step(struct git_output *output)
{
	if (output->before_step)
		output->before_step(output->step_context);
}

/* Work tree and index in step, then the branch; everything back when one of them fails. */
static enum status show(struct sink *sink, struct git_output *output,
                        const struct git_places *places, const struct git_commit_text *text,
                        const struct git_id *commit)
{
	struct git_id after = commit ? *commit : output->target.parent;

	if (git_places_plan(sink, output, places) != STATUS_OK ||
	    still_there(sink, output) != STATUS_OK ||
	    git_check_finished(sink, output->repo) != STATUS_OK ||
	    os_check_signals(sink) != STATUS_OK)
		return STATUS_FAILED;
	/* From here on a signal does not stop the run: it is finished, or taken back. */
	step(output);
	/* The journal's note is the branch, and the commit that it is to get. */
	sv note = ARENA_CONCAT(output->arena, output->target.ref, SV(" "),
	                       git_id_hex(output->arena, after));
	if (git_stage_apply(sink, output->stage, note) != STATUS_OK)
		return STATUS_FAILED;
	step(output);
	enum status status = git_places_index(sink, output, places);
	step(output);
	if (status == STATUS_OK && commit)
		status = move_branch(sink, output, text, *commit);
	step(output);
	if (status != STATUS_OK && git_stage_undo(sink, output->stage) == STATUS_OK &&
	    git_stage_restore(sink, output) != STATUS_OK)
		output->stage->interrupted = true; /* the next run tries again */
	return status;
}

static enum status show_all(struct sink *sink, struct git_output *output,
                            const struct git_commit_text *text, const struct git_id *commit,
                            struct git_output_result *result)
{
	struct git_opened_index index;
	struct git_places places;

	if (!output->stage) {
		if (!commit)
			return STATUS_OK;
		step(output);
		return still_there(sink, output) == STATUS_OK && os_check_signals(sink) == STATUS_OK
		           ? move_branch(sink, output, text, *commit)
		           : STATUS_FAILED;
	}
	if (git_open_index(sink, output->repo, &index) != STATUS_OK)
		return STATUS_FAILED;
	git_places_look(output->arena, output, &index, &places);
	enum status status = judge_conflicts(sink, &places, text->overwrite_modified);
	if (status == STATUS_OK)
		status = show(sink, output, &places, text, commit);
	result->changed |= output->stage->operations.count > 0;
	git_close_index(&index);
	return status;
}

/* Returns the bytes of all new packs. */
static uint64_t packed_bytes(const struct git_output *output)
{
	uint64_t bytes = git_pack_size(output->pack);

	for (size_t i = 0; i < output->taken_count; i++)
		if (output->taken[i] && output->taken[i]->fd >= 0)
			bytes += output->taken[i]->size;
	return bytes;
}

enum status git_finish_commit(struct sink *sink, struct git_output *output,
                              const struct git_commit_text *text, struct git_output_result *result)
{
	struct git_id tree;
	struct git_id commit;

	warn_ignored(sink, output);
	if (text->kept &&
	    !(output->target.has_tip && git_id_equal(output->target.tip, text->kept->tip)))
		return lost_race(sink, output);
	if (git_check_attributes(sink, output) != STATUS_OK ||
	    make_tree(sink, output, &tree) != STATUS_OK)
		return STATUS_FAILED;
	bool commits = text->allow_empty || !git_id_equal(tree, output->target.tree);
	if (commits && git_make_commit(sink, output, text, tree, &commit) != STATUS_OK)
		return STATUS_FAILED;
	if (show_all(sink, output, text, commits ? &commit : NULL, result) != STATUS_OK)
		return STATUS_FAILED;
	result->committed = commits;
	result->changed |= commits;
	result->commit = commits ? commit : output->target.parent;
	result->written_bytes = packed_bytes(output);
	return STATUS_OK;
}
