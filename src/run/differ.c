#include "run/stages.h"

/*
 * What `diff` prints. Clear files differ line by line. Of sealed files every sealed value is one
 * word, so that only whether it differs is shown, not forty lines of ciphertext.
 */

static bool is_armour(sv line, bool *inside)
{
	sv text = sv_trim_space(line);

	if (sv_eq(text, SV("-----BEGIN AGE ENCRYPTED FILE-----"))) {
		*inside = true;
		return true;
	}
	if (sv_eq(text, SV("-----END AGE ENCRYPTED FILE-----"))) {
		*inside = false;
		return true;
	}
	return *inside;
}

/* Sealed values as <sealed>; the sops block is left out: its lines follow from the rest. */
static sv mask(struct arena *arena, sv text)
{
	struct buf masked = buf_in(arena);
	struct sv_splitter it = sv_split(text, '\n');
	bool inside = false;
	sv line;

	if (!sv_contains(text, SV("\nsops:\n")))
		return text;
	while (sv_split_next(&it, &line)) {
		size_t at = sv_find(line, SV("ENC["));

		if (sv_eq(line, SV("sops:")))
			break;
		if (is_armour(line, &inside))
			continue;
		if (at == SV_NPOS) {
			buf_add(&masked, line);
		} else {
			buf_add(&masked, sv_slice(line, 0, at));
			BUF_ADD_LIT(&masked, "<sealed>");
		}
		buf_add_char(&masked, '\n');
	}
	return buf_sv(&masked);
}

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

		if (file && git_output_read(arena, run->sink, run->output, file,
		                            RUN_MAX_OUTPUT_BYTES, &old_text) != STATUS_OK)
			return STATUS_FAILED;
	}
	if (change->kind != GIT_REMOVED) {
		const sv *text = map_get(&run->texts, change->path);

		BUG_ON(!text);
		new_text = *text;
	}
	sv old_masked = mask(arena, old_text);
	sv new_masked = mask(arena, new_text);
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
