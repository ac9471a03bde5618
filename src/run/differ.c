/*
 * What `diff` prints. Clear files differ line by line. Of sealed files every sealed value is one
 * word, so that only whether it differs is shown, not forty lines of ciphertext.
 */
#include "run/stages.h"

struct difference {
	const struct run_env *env;
	const struct run_inputs *inputs;
	const struct run_writer *writer;
	struct arena *arena; /* reset after each file */
};

static enum status add_file(const struct difference *d, const struct git_change *change,
                            struct buf *output)
{
	struct arena *arena = d->arena;
	struct report_style plain = {0};
	sv shown = d->inputs->out_is_outside
	               ? change->path
	               : ARENA_CONCAT(arena, d->inputs->out, SV("/"), change->path);
	sv old_path = ARENA_CONCAT(arena, SV("a/"), shown);
	sv new_path = ARENA_CONCAT(arena, SV("b/"), shown);
	sv old_text = {0};
	sv new_text = {0};

	if (change->kind != GIT_ADDED) {
		const struct git_file *file = git_output_find(d->writer->output, change->path);

		if (file && git_output_read(arena, d->env->sink, d->writer->output, file,
		                            RUN_MAX_OUTPUT_BYTES, &old_text) != STATUS_OK)
			return STATUS_FAILED;
	}
	if (change->kind != GIT_REMOVED) {
		const sv *text = map_get(&d->writer->texts, change->path);

		BUG_ON(!text);
		new_text = *text;
	}
	if (d->env->request->without_seed) {
		old_text = secrecy_without_fingerprints(arena, old_text);
		new_text = secrecy_without_fingerprints(arena, new_text);
	}
	sv old_masked = seal_mask(arena, old_text);
	sv new_masked = seal_mask(arena, new_text);
	if (change->kind == GIT_CHANGED && sv_eq(old_masked, new_masked)) {
		report_diff_sealed(output, old_path, new_path, &plain);
		return STATUS_OK;
	}
	report_diff_text(arena, output, change->kind == GIT_ADDED ? SV("") : old_path, old_masked,
	                 change->kind == GIT_REMOVED ? SV("") : new_path, new_masked,
	                 d->env->request->diff_style ? d->env->request->diff_style : &plain);
	return STATUS_OK;
}

enum status run_differ(const struct run_env *env, const struct run_inputs *inputs,
                       const struct run_writer *writer, const struct git_changes *changes,
                       struct buf *output)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	const struct difference d = {env, inputs, writer, scratch};
	enum status status = STATUS_OK;

	VEC_EACH (change, changes) {
		if (add_file(&d, change, output) != STATUS_OK)
			status = STATUS_FAILED;
		arena_reset(scratch);
	}
	return status;
}
