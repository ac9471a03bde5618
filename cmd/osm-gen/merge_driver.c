/*
 * merge-driver: what git runs for a file of the output that two branches changed (gitattributes(5),
 * "Defining a custom merge driver").
 */
#include "commands.h"
#include "os/os.h"
#include "tree/tree.h"

/* Reads a version. git gives relative paths of temporary files, none of which is a link. */
static enum status read_version(struct context *context, sv file, sv path,
                                const struct source **ret_source)
{
	sv text;

	if (os_read_named(context->arena, context->sink, work_tree(context), file,
	                  TREE_INDEX_MAX_BYTES, &text) != STATUS_OK)
		return STATUS_FAILED;
	*ret_source = source_new(context->arena, path, text, false);
	return STATUS_OK;
}

static void report_foreign(struct context *context, const struct tree_merge *merge)
{
	struct diag *diag =
	    diag_report(context->sink, DIAG_MERGE_BY_HAND, position_of_source(merge->ours),
	                "both branches changed this file, and osm-gen did not write "
	                "both versions in one format");

	diag_set_help(context->sink, diag, "merge it by hand, then git add %.*s",
	              SV_ARG(merge->path));
}

int command_merge_driver(struct context *context)
{
	const sv *words = context->options->arguments.items;
	sv ours = words[1];
	struct tree_merge merge = {.path = words[3]};
	struct buf merged = buf_in(context->arena);

	if (read_version(context, words[0], merge.path, &merge.base) != STATUS_OK ||
	    read_version(context, ours, merge.path, &merge.ours) != STATUS_OK ||
	    read_version(context, words[2], merge.path, &merge.theirs) != STATUS_OK)
		return 3;
	switch (tree_merge(context->arena, context->sink, &merge, &merged)) {
	case TREE_MERGED_OURS:
		return 0;
	case TREE_MERGED_INDEX:
		if (!context->options->print.quiet)
			context->last_words = ARENA_CONCAT(
			    context->arena, SV("osm-gen: merged the lists of "), merge.path,
			    SV("; run `osm-gen generate` when the merge is done\n"));
		break;
	case TREE_MERGED_LIST:
		break;
	case TREE_MERGE_FOREIGN:
		report_foreign(context, &merge);
		return 2;
	case TREE_MERGE_FAILED:
		return 2;
	}
	return os_write_named(context->sink, work_tree(context), ours, buf_sv(&merged)) == STATUS_OK
	           ? 0
	           : 3;
}
