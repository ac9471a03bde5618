/*
 * Merges a file of the output that two branches changed, for `osm-gen merge-driver`.
 *
 * Only a run finds out what the merged inputs make, and it needs the seed. So no content is merged:
 * a file is that of our side. The two lists are merged entry by entry, since the next run and
 * appliers go by them: index.json, with which the run knows the files of both sides as its own, and
 * the resources of a kustomization.yaml. A merged index has the member `merged`, which no run
 * writes: as long as it is there, `check` and `verify` report the index, and each run writes it
 * anew.
 */
#include "tree/index.h"

#include "json/json.h"

struct merging {
	struct arena *arena;
	struct value base;
	struct value ours;
	struct value theirs;
};

/* ---- values ------------------------------------------------------------------------------ */

/* Compares values that may be missing (null). */
static bool is_same(const struct value *a, const struct value *b)
{
	return a && b ? value_equal(a, b) : a == b;
}

/* Returns theirs if only their side changed it, else ours. Each may be null. */
static const struct value *choose_side(const struct value *base, const struct value *ours,
                                       const struct value *theirs)
{
	return is_same(base, ours) ? theirs : ours;
}

/* ---- lists of index.json ----------------------------------------------------------------- */

/* Returns a string that names an entry: its path, or the unit that it belongs to. */
static sv entry_key(struct arena *arena, const struct value *entry)
{
	const struct value *path = value_map_get(entry, SV("path"));

	if (path)
		return value_text(path);
	return ARENA_CONCAT(arena, value_text(value_map_get(entry, SV("kind"))), SV("/"),
	                    value_text(value_map_get(entry, SV("namespace"))), SV("/"),
	                    value_text(value_map_get(entry, SV("name"))));
}

static struct map entries_by_key(struct arena *arena, const struct value *list)
{
	struct map by_key = map_in(arena);

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *entry = value_item(list, i);

		map_put(&by_key, entry_key(arena, entry), (void *)(uintptr_t)entry); /* NOLINT */
	}
	return by_key;
}

/* Returns the revision of an entry's unit, or 0 if it has none. */
static int64_t entry_revision(const struct value *entry)
{
	int64_t revision = 0;

	return sv_parse_int64(value_text(value_map_get(entry, SV("revision"))), &revision)
	           ? revision
	           : 0;
}

/*
 * Returns the merged entry, or null if the result has no such entry. If both sides changed it, the
 * higher revision wins: a revision must never fall below one that a cluster has seen.
 */
static const struct value *merge_entry(const struct value *base, const struct value *ours,
                                       const struct value *theirs)
{
	if (is_same(base, ours))
		return theirs;
	if (is_same(base, theirs))
		return ours;
	if (!ours || !theirs)
		return ours ? ours : theirs;
	return entry_revision(theirs) > entry_revision(ours) ? theirs : ours;
}

struct keyed_entry {
	sv key;
	const struct value *entry;
};
VEC_TYPE(keyed_entries, struct keyed_entry);

static struct value merge_entries(struct arena *arena, const struct value *base,
                                  const struct value *ours, const struct value *theirs)
{
	struct map before = entries_by_key(arena, base);
	struct map here = entries_by_key(arena, ours);
	struct map there = entries_by_key(arena, theirs);
	struct value merged = value_list_new(arena);
	struct keyed_entries all = {0};

	for (size_t i = 0; i < here.count; i++)
		VEC_PUSH(arena, &all,
		         ((struct keyed_entry){here.entries[i].key, here.entries[i].value}));
	for (size_t i = 0; i < there.count; i++)
		if (!map_get(&here, there.entries[i].key))
			VEC_PUSH(arena, &all, ((struct keyed_entry){there.entries[i].key, NULL}));
	SORT_BY(all.items, all.count, key);
	VEC_EACH (one, &all) {
		const struct value *entry =
		    merge_entry(map_get(&before, one->key), one->entry, map_get(&there, one->key));

		if (entry)
			value_list_add(arena, &merged, *entry);
	}
	return merged;
}

/* ---- index.json -------------------------------------------------------------------------- */

/* Members that a digest keeps together: they are taken from one side. */
static const sv recipient_keys[] = {SV_INIT("seedId"), SV_INIT("recipients"),
                                    SV_INIT("recipientsDigest"), SV_INIT("encryptedSettings")};
static const sv list_keys[] = {SV_INIT("delivery"), SV_INIT("files"), SV_INIT("rolls")};
/* Members that only a run can make. Proofs are of a whole output, and this is another one. */
static const sv dropped_keys[] = {SV_INIT("proofs"), SV_INIT(TREE_INDEX_MERGED)};

static bool is_among(sv key, const sv *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sv_eq(key, keys[i]))
			return true;
	return false;
}

static const struct value *choose_recipients(const struct merging *m)
{
	for (size_t i = 0; i < COUNT_OF(recipient_keys); i++)
		if (!is_same(value_map_get(&m->base, recipient_keys[i]),
		             value_map_get(&m->ours, recipient_keys[i])))
			return &m->ours;
	return &m->theirs;
}

static void merge_member(const struct merging *m, sv key, struct value *merged)
{
	const struct value *base = value_map_get(&m->base, key);
	const struct value *ours = value_map_get(&m->ours, key);
	const struct value *theirs = value_map_get(&m->theirs, key);
	const struct value *chosen;

	if (value_map_get(merged, key) || is_among(key, dropped_keys, COUNT_OF(dropped_keys)))
		return;
	if (is_among(key, list_keys, COUNT_OF(list_keys))) {
		value_map_set(m->arena, merged, key, merge_entries(m->arena, base, ours, theirs));
		return;
	}
	chosen = is_among(key, recipient_keys, COUNT_OF(recipient_keys))
	             ? value_map_get(choose_recipients(m), key)
	             : choose_side(base, ours, theirs);
	if (chosen)
		value_map_set(m->arena, merged, key, *chosen);
}

static void merge_members_of(const struct merging *m, const struct value *side,
                             struct value *merged)
{
	for (size_t i = 0; i < value_count(side); i++)
		merge_member(m, side->map->entries[i].key, merged);
}

static bool is_index(const struct value *root)
{
	return sv_eq(value_text(value_map_get(root, SV("generator"))), SV("osm-gen")) &&
	       value_is_list(value_map_get(root, SV("files")));
}

static enum status read_side(struct arena *arena, struct sink *sink, const struct source *source,
                             struct value *ret_side)
{
	if (sv_empty(source->text)) {
		*ret_side = value_map_new(arena);
		return STATUS_OK;
	}
	return json_parse(arena, sink, source, ret_side);
}

static enum tree_merged merge_index(struct arena *arena, struct sink *sink,
                                    const struct tree_merge *merge, struct buf *buf)
{
	struct merging m = {.arena = arena};
	struct value merged = value_map_new(arena);

	if (read_side(arena, sink, merge->ours, &m.ours) != STATUS_OK ||
	    read_side(arena, sink, merge->theirs, &m.theirs) != STATUS_OK ||
	    read_side(arena, sink, merge->base, &m.base) != STATUS_OK)
		return TREE_MERGE_FAILED;
	if (!is_index(&m.ours) || !is_index(&m.theirs) ||
	    !is_same(value_map_get(&m.ours, SV("formatVersion")),
	             value_map_get(&m.theirs, SV("formatVersion"))))
		return TREE_MERGE_FOREIGN;
	merge_members_of(&m, &m.ours, &merged);
	merge_members_of(&m, &m.theirs, &merged);
	value_map_set(arena, &merged, SV(TREE_INDEX_MERGED), value_bool(true));
	json_emit(buf, &merged, JSON_PRETTY);
	buf_add_char(buf, '\n');
	return TREE_MERGED_INDEX;
}

/* ---- kustomization.yaml ------------------------------------------------------------------ */

#define RESOURCES "\nresources:\n"

/* A kustomization.yaml in three parts: the text to the list of resources, the list, the rest. */
struct resources {
	sv before;
	sv list;
	sv after;
};

/* Returns false for a file without such a list. */
static bool find_resources(sv text, struct resources *ret_resources)
{
	sv rest;
	size_t end = 0;

	if (!sv_cut(text, SV(RESOURCES), &ret_resources->before, &rest))
		return false;
	while (end < rest.len && sv_starts_with(sv_from_offset(rest, end), SV("- "))) {
		size_t line = sv_find(sv_from_offset(rest, end), SV("\n"));

		end = line == SV_NPOS ? rest.len : end + line + 1;
	}
	ret_resources->list = sv_slice(rest, 0, end);
	ret_resources->after = sv_from_offset(rest, end);
	return true;
}

static struct set lines_of(struct arena *arena, sv text)
{
	struct set lines = set_in(arena);
	struct sv_splitter it = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&it, &line))
		if (!sv_empty(line))
			set_add(&lines, line);
	return lines;
}

static enum tree_merged merge_kustomization(struct arena *arena, const struct tree_merge *merge,
                                            struct buf *buf)
{
	struct resources base = {0};
	struct resources ours;
	struct resources theirs;
	VEC(sv) merged = {0};

	if (!find_resources(merge->ours->text, &ours) ||
	    !find_resources(merge->theirs->text, &theirs) || !sv_eq(ours.before, theirs.before))
		return TREE_MERGED_OURS;
	(void)!find_resources(merge->base->text, &base);
	struct set before = lines_of(arena, base.list);
	struct set here = lines_of(arena, ours.list);
	struct set there = lines_of(arena, theirs.list);
	for (size_t i = 0; i < set_count(&here); i++)
		if (!set_has(&before, set_item(&here, i)) || set_has(&there, set_item(&here, i)))
			VEC_PUSH(arena, &merged, set_item(&here, i));
	for (size_t i = 0; i < set_count(&there); i++)
		if (!set_has(&before, set_item(&there, i)) && !set_has(&here, set_item(&there, i)))
			VEC_PUSH(arena, &merged, set_item(&there, i));
	sort_stable(merged.items, merged.count, sizeof(sv), sort_compare_sv, NULL);
	buf_add(buf, ours.before);
	BUF_ADD_LIT(buf, RESOURCES);
	VEC_EACH (line, &merged) {
		buf_add(buf, *line);
		buf_add_char(buf, '\n');
	}
	buf_add(buf, sv_eq(base.after, ours.after) ? theirs.after : ours.after);
	return TREE_MERGED_LIST;
}

/* ---- any file ---------------------------------------------------------------------------- */

static bool is_generated(const struct tree_merge *merge, sv text)
{
	return sv_starts_with(text, SV(TREE_HEADER)) || tree_is_patch_path(merge->path);
}

enum tree_merged tree_merge(struct arena *arena, struct sink *sink, const struct tree_merge *merge,
                            struct buf *buf)
{
	sv name = sv_after_last(merge->path, '/');

	if (sv_eq(name, SV("index.json")))
		return merge_index(arena, sink, merge, buf);
	if (!is_generated(merge, merge->ours->text) || !is_generated(merge, merge->theirs->text))
		return TREE_MERGE_FOREIGN;
	return sv_eq(name, SV("kustomization.yaml")) ? merge_kustomization(arena, merge, buf)
	                                             : TREE_MERGED_OURS;
}
