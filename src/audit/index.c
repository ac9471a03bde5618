/*
 * The checks of an index.json that only `verify` makes; tree/index.c reads it.
 */
#include "audit/internal.h"

static void sort_recipients(struct arena *arena, struct tree_index *index)
{
	sv *sorted = ARENA_ARRAY(arena, sv, index->recipient_count);

	for (size_t i = 0; i < index->recipient_count; i++)
		sorted[i] = index->recipients[i];
	sort_stable(sorted, index->recipient_count, sizeof(sv), sort_compare_sv, NULL);
	index->recipients = sorted;
}

bool audit_read_index(struct arena *arena, sv folder, const struct source *source,
                      struct tree_index *ret_index, sv *ret_what)
{
	struct sink sink = sink_in(arena);
	struct tree_index index;

	if (tree_index_read_any(arena, &sink, folder, source, &index) != STATUS_OK) {
		*ret_what = sink.diags.items[0]->text;
		return false;
	}
	for (size_t i = 0; i < index.file_count; i++) {
		if (sv_empty(index.files[i].object.kind) || !index.files[i].patch_of)
			continue;
		*ret_what = arena_printf(arena, "files[%zu] is both an object and a patch", i);
		return false;
	}
	sort_recipients(arena, &index);
	*ret_index = index;
	return true;
}
