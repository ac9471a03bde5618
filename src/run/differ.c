#include "run/stages.h"

/*
 * What `diff` prints. Clear files differ line by line. Of sealed files every sealed value is one
 * word, so that only whether it differs is shown, not forty lines of ciphertext.
 */

void run_keep_text(struct run *run, struct arena *arena, sv path, sv text)
{
	sv *kept;

	if (run->request->mode != RUN_DIFF)
		return;
	kept = ARENA_NEW(arena, sv);
	*kept = arena_dup(arena, text);
	os_mutex_lock(run->lock);
	map_put(&run->texts, path, kept);
	os_mutex_unlock(run->lock);
}

static enum status differ(struct run *run, struct arena *arena, const struct git_change *change,
                          struct buf *output)
{
	struct report_style plain = {0};
	sv shown = run->out_is_outside ? change->path
	                               : ARENA_CONCAT(arena, run->out, SV("/"), change->path);
	sv old_path = ARENA_CONCAT(arena, SV("a/"), shown);
	sv new_path = ARENA_CONCAT(arena, SV("b/"), shown);
	sv old_text = {0};
	sv new_text = {0};

	if (change->kind != GIT_ADDED) {
		const struct git_file *file = git_output_find(run->output, change->path);

		if (file && git_output_read(run->output, file, RUN_MAX_OUTPUT_BYTES, arena,
		                            &old_text, run->sink) != STATUS_OK)
			return STATUS_FAILED;
	}
	if (change->kind != GIT_REMOVED) {
		const sv *text = map_get(&run->texts, change->path);

		BUG_ON(!text);
		new_text = *text;
	}
	sv old_masked = seal_mask(arena, old_text);
	sv new_masked = seal_mask(arena, new_text);
	if (change->kind == GIT_CHANGED && sv_eq(old_masked, new_masked)) {
		buf_printf(output, "--- %.*s\n+++ %.*s\n@@ sealed values differ @@\n",
		           SV_ARG(old_path), SV_ARG(new_path));
		return STATUS_OK;
	}
	report_diff_text(output, arena, change->kind == GIT_ADDED ? SV("") : old_path, old_masked,
	                 change->kind == GIT_REMOVED ? SV("") : new_path, new_masked,
	                 run->request->diff_style ? run->request->diff_style : &plain);
	return STATUS_OK;
}

enum status run_differ(struct run *run, const struct git_changes *changes, struct buf *output)
{
	struct arena *scratch = arena_new(ARENA_PLAIN);
	enum status status = STATUS_OK;

	VEC_EACH (change, changes) {
		if (differ(run, scratch, change, output) != STATUS_OK)
			status = STATUS_FAILED;
		arena_reset(scratch);
	}
	arena_free(scratch);
	return status;
}
