/*
 * Looks at the previous output for settings that default to what it has.
 */
#include "run/output/output.h"

bool run_was_in_buckets(void *context)
{
	const struct run_former *former = context;
	struct sink unused = sink_in(former->env->arena);
	struct run_env quiet = *former->env;
	struct run_tip tip = {0};
	struct tree_layout layout = {0};
	const struct git_files *files = &tip.relative;

	/* Mistakes in it are reported once the inputs are read. */
	quiet.sink = &unused;
	if (former->writer) {
		if (run_begin_output(&quiet, former->inputs, former->writer) != STATUS_OK)
			return false;
		sink_merge(former->env->sink, &unused);
	}
	if (former->writer && former->writer->output)
		files = git_output_previous(former->writer->output);
	else if (!former->inputs->repo || former->inputs->out_is_outside ||
	         run_list_tip(&unused, &quiet, former->inputs, former->branch, &tip) != STATUS_OK)
		return false;
	VEC_EACH (file, files)
		tree_layout_add(&layout, file->path);
	return tree_layout_in_buckets(&layout);
}
