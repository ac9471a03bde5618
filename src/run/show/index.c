/*
 * The difference of two versions of index.json in one line: reviewers read the files that it lists.
 */
#include "run/show/show.h"

#include "report/report.h"
#include "tree/tree.h"
#include "json/json.h"

/* The lists of index.json whose items have a path: the files of a cluster. */
static const sv lists[] = {SV_INIT("files"), SV_INIT("delivery")};

struct entries {
	struct map by_path; /* const struct value * */
	struct value root;  /* null if the file is missing or damaged */
};

static struct entries read_entries(struct arena *arena, sv text)
{
	struct entries entries = {.by_path = map_in(arena)};
	sv error;

	if (sv_empty(text) || !json_decode(arena, text, &entries.root, &error))
		entries.root = value_null();
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct value *list = value_map_get(&entries.root, lists[i]);

		for (size_t j = 0; list && value_is_list(list) && j < list->list->count; j++) {
			const struct value *item = &list->list->items[j];

			map_put(&entries.by_path, value_text(value_map_get(item, SV("path"))),
			        (void *)item);
		}
	}
	return entries;
}

static void add_count(struct buf *buf, size_t count, const char *what)
{
	if (count > 0)
		buf_add_item(buf, arena_printf(buf->arena, "%zu %s %s", count,
		                               count == 1 ? "entry" : "entries", what));
}

/*
 * Appends the names of members, but the lists, that `one` has and `other` lacks or has otherwise.
 * Skips the proofs, which change with everything else.
 */
static void add_members(struct buf *buf, const struct value *one, const struct value *other,
                        bool is_missing)
{
	for (size_t i = 0; value_is_map(one) && i < one->map->count; i++) {
		const struct value_entry *entry = &one->map->entries[i];
		const struct value *found = value_map_get(other, entry->key);

		if (sv_is_among(entry->key, lists, COUNT_OF(lists)) ||
		    sv_eq(entry->key, SV("proofs")) ||
		    (is_missing ? found != NULL : found && value_equal(found, &entry->value)))
			continue;
		buf_add_item(buf, SV(""));
		report_add_visible(buf, entry->key);
	}
}

void run_diff_index(struct arena *arena, struct buf *output, sv path, sv before, sv now)
{
	struct entries old = read_entries(arena, before);
	struct entries new = read_entries(arena, now);
	struct buf parts = buf_in(arena);
	struct buf members = buf_in(arena);
	size_t added = 0;
	size_t changed = 0;
	size_t kept = 0;

	for (size_t i = 0; i < new.by_path.count; i++) {
		const struct value *was = map_get(&old.by_path, new.by_path.entries[i].key);

		kept += was != NULL;
		added += !was;
		changed += was && !value_equal(was, new.by_path.entries[i].value);
	}
	add_count(&parts, changed, "changed");
	add_count(&parts, added, "added");
	add_count(&parts, old.by_path.count - kept, "removed");
	if (value_is_map(&old.root) && value_is_map(&new.root)) {
		add_members(&members, &new.root, &old.root, false);
		add_members(&members, &old.root, &new.root, true);
	}
	if (members.len > 0)
		buf_add_item(&parts, ARENA_CONCAT(arena, buf_sv(&members), SV(" changed")));
	report_add_visible(output, path);
	buf_printf(output, ": %.*s (-v shows the lines)\n",
	           SV_ARG(parts.len > 0 ? buf_sv(&parts) : SV("changed")));
}
