/*
 * Trees edited: puts and removals sorted by path, each folder written once.
 */
#include "git/tree.h"

enum { MODE_FOLDER = 040000 };

struct item {
	sv name;
	uint32_t mode;
	struct git_id id;
	bool gone;
};

struct editor {
	struct git_repo *repo;
	struct git_pack *pack;
	struct sink *sink;
	sv folder; /* that the edits lie below; empty for the root */
};

/* A folder being edited. Its memory ends with it: a tree has many more items than a folder. */
struct folder {
	struct arena *arena;
	struct map items; /* struct item * by name */
};

/* Edits below one folder; the first `skip` bytes of their paths are the folder's, with '/'. */
struct range {
	const struct git_edit *edits;
	size_t count;
	size_t skip;
};

/* `way` is what is left of editor->folder to get to the edits: empty below that. */
static enum status edit_folder(struct editor *editor, const struct git_id *base, sv way,
                               struct range range, struct git_id *ret_id, bool *ret_empty);

static sv rest_of(const struct git_edit *edit, size_t skip)
{
	return sv_from_offset(edit->path, skip);
}

static bool is_leaf(const struct git_edit *edit, size_t skip)
{
	return sv_find_char(rest_of(edit, skip), '/') == SV_NPOS;
}

/* Returns the path from the root of a path below the edits' folder. */
static sv whole_path(struct arena *arena, const struct editor *editor, sv path)
{
	return sv_empty(editor->folder) ? path : ARENA_CONCAT(arena, editor->folder, SV("/"), path);
}

static enum status load(const struct editor *editor, const struct git_id *base,
                        struct folder *folder)
{
	git_oid oid;
	git_tree *tree = NULL;

	if (!base)
		return STATUS_OK;
	oid = git_id_to_oid(*base);
	if (git_tree_lookup(&tree, editor->repo->handle, &oid) < 0) {
		git_report_object(editor->sink, editor->repo,
		                  SV("cannot read a folder of the commit"));
		return STATUS_FAILED;
	}
	size_t count = git_tree_entrycount(tree);
	for (size_t i = 0; i < count; i++) {
		const git_tree_entry *entry = git_tree_entry_byindex(tree, i);
		struct item *item = ARENA_NEW(folder->arena, struct item);

		*item = (struct item){
		    .name = arena_dup(folder->arena, sv_from_cstr(git_tree_entry_name(entry))),
		    .mode = (uint32_t)git_tree_entry_filemode_raw(entry),
		    .id = git_id_from(git_tree_entry_id(entry)),
		};
		map_put(&folder->items, item->name, item);
	}
	git_tree_free(tree);
	return STATUS_OK;
}

static struct item *item_at(struct folder *folder, sv name)
{
	struct item *item = map_get(&folder->items, name);

	if (!item) {
		item = ARENA_NEW(folder->arena, struct item);
		*item = (struct item){.name = name, .gone = true};
		map_put(&folder->items, name, item);
	}
	return item;
}

/* The edits from `first` on that lie below one folder of the range: "a/" sorts together. */
static size_t group_end(struct range range, size_t first, sv name)
{
	size_t end = first + 1;

	while (end < range.count) {
		sv rest = rest_of(&range.edits[end], range.skip);

		if (rest.len <= name.len || rest.ptr[name.len] != '/' ||
		    !sv_starts_with(rest, name))
			break;
		end++;
	}
	return end;
}

/* Returns the whole path of the folder of a group. */
static sv group_path(struct arena *arena, const struct editor *editor, struct range group, sv way)
{
	if (group.skip == 0)
		return sv_slice(editor->folder, 0,
		                editor->folder.len - way.len - (sv_empty(way) ? 0 : 1));
	return whole_path(arena, editor, sv_slice(group.edits[0].path, 0, group.skip - 1));
}

/* Edits what lies below the item `name` of a folder. */
static enum status edit_group(struct editor *editor, struct folder *folder, sv name, sv way,
                              struct range group)
{
	struct item *item = item_at(folder, name);
	bool is_folder = !item->gone && item->mode == MODE_FOLDER;
	bool empty = false;
	struct git_id id;

	if (!item->gone && !is_folder) {
		bool puts = false;

		for (size_t i = 0; i < group.count; i++)
			puts |= !group.edits[i].remove;
		return puts ? git_refuse_committed(
		                  editor->sink, group_path(folder->arena, editor, group, way),
		                  "folder",
		                  item->mode == GIT_MODE_SUBMODULE ? "a submodule" : "a file")
		            : STATUS_OK;
	}
	if (edit_folder(editor, is_folder ? &item->id : NULL, way, group, &id, &empty) != STATUS_OK)
		return STATUS_FAILED;
	item->gone = empty;
	item->mode = MODE_FOLDER;
	item->id = id;
	return STATUS_OK;
}

/* Removals come first and puts last, so that a folder can become a file and the reverse. */
static enum status apply(struct editor *editor, struct folder *folder, struct range range)
{
	for (size_t i = 0; i < range.count; i++) {
		if (!is_leaf(&range.edits[i], range.skip) || !range.edits[i].remove)
			continue;
		struct item *item = item_at(folder, rest_of(&range.edits[i], range.skip));
		item->gone |= item->mode != MODE_FOLDER;
	}
	for (size_t i = 0; i < range.count;) {
		sv rest = rest_of(&range.edits[i], range.skip);
		sv name = sv_slice(rest, 0, sv_find_char(rest, '/'));

		if (name.len == rest.len) {
			i++;
			continue;
		}
		size_t end = group_end(range, i, name);
		struct range group = {range.edits + i, end - i, range.skip + name.len + 1};
		if (edit_group(editor, folder, name, SV(""), group) != STATUS_OK)
			return STATUS_FAILED;
		i = end;
	}
	for (size_t i = 0; i < range.count; i++) {
		const struct git_edit *edit = &range.edits[i];

		if (!is_leaf(edit, range.skip) || edit->remove)
			continue;
		struct item *item = item_at(folder, rest_of(edit, range.skip));
		if (!item->gone && item->mode == MODE_FOLDER)
			return git_refuse_committed(editor->sink,
			                            whole_path(folder->arena, editor, edit->path),
			                            "file", "a folder");
		if (!item->gone && item->mode == GIT_MODE_SUBMODULE)
			return git_refuse_committed(editor->sink,
			                            whole_path(folder->arena, editor, edit->path),
			                            "file", "a submodule");
		*item = (struct item){.name = item->name, .mode = GIT_MODE_FILE, .id = edit->id};
	}
	return STATUS_OK;
}

/* Goes one folder down on the way to the edits' folder. */
static enum status descend(struct editor *editor, struct folder *folder, sv way, struct range range)
{
	sv name = sv_slice(way, 0, sv_find_char(way, '/'));

	return edit_group(editor, folder, name, sv_from_offset(way, name.len + 1), range);
}

/* Git's order of a tree: by bytes, a folder as if its name ended in '/'. */
static int compare_items(const void *a, const void *b, void *context)
{
	const struct item *x = *(struct item *const *)a;
	const struct item *y = *(struct item *const *)b;
	size_t common = x->name.len < y->name.len ? x->name.len : y->name.len;
	int order = memcmp(x->name.ptr, y->name.ptr, common);

	(void)context;
	if (order != 0)
		return order;
	unsigned char end_x = x->name.len > common     ? (unsigned char)x->name.ptr[common]
	                      : x->mode == MODE_FOLDER ? '/'
	                                               : 0;
	unsigned char end_y = y->name.len > common     ? (unsigned char)y->name.ptr[common]
	                      : y->mode == MODE_FOLDER ? '/'
	                                               : 0;
	return (int)end_x - (int)end_y;
}

static sv tree_text(const struct folder *folder, bool *ret_empty)
{
	struct buf buf = buf_in(folder->arena);
	VEC(struct item *) sorted = {0};

	for (size_t i = 0; i < folder->items.count; i++) {
		struct item *item = folder->items.entries[i].value;

		if (!item->gone)
			VEC_PUSH(folder->arena, &sorted, item);
	}
	sort_stable(sorted.items, sorted.count, sizeof(*sorted.items), compare_items, NULL);
	VEC_EACH (item, &sorted) {
		buf_add_octal(&buf, (*item)->mode);
		buf_add_char(&buf, ' ');
		buf_add(&buf, (*item)->name);
		buf_add_char(&buf, '\0');
		buf_add(&buf, sv_from((const char *)(*item)->id.bytes, sizeof((*item)->id.bytes)));
	}
	*ret_empty = sorted.count == 0;
	return buf_sv(&buf);
}

static enum status edit_folder(struct editor *editor, const struct git_id *base, sv way,
                               struct range range, struct git_id *ret_id, bool *ret_empty)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct folder folder = {arena, map_in(arena)};
	bool is_root = range.skip == 0 && way.len == editor->folder.len;
	bool empty = false;

	if (load(editor, base, &folder) != STATUS_OK ||
	    (sv_empty(way) ? apply(editor, &folder, range)
	                   : descend(editor, &folder, way, range)) != STATUS_OK)
		return STATUS_FAILED;
	sv text = tree_text(&folder, &empty);
	const struct git_pack_object object = {
	    .type = GIT_PACK_TREE, .id = git_id_of_object("tree", text), .bytes = text};
	if ((!empty || is_root) && !(base && git_id_equal(object.id, *base)) &&
	    git_pack_add(editor->sink, editor->pack, 0, &object) != STATUS_OK)
		return STATUS_FAILED;
	*ret_id = object.id;
	*ret_empty = empty;
	return STATUS_OK;
}

enum status git_tree_edit(struct sink *sink, struct git_repo *repo, struct git_id base, sv folder,
                          const struct git_edits *edits, struct git_pack *pack,
                          struct git_id *ret_tree)
{
	struct editor editor = {.repo = repo, .pack = pack, .sink = sink, .folder = folder};
	struct range all = {edits->items, edits->count, 0};
	bool empty = false;

	return edit_folder(&editor, &base, folder, all, ret_tree, &empty);
}
