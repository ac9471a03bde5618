/* Commits of a history: their messages, their order, and the versions of a folder in them. */
#include "git/internal.h"

/* The most bytes of all messages that are kept at a time. */
enum { MESSAGES_MAX_BYTES = 64 * 1024 * 1024 };

/* A commit and its ancestors, nearest first, with all parents of merges. */
struct queue {
	VEC(git_oid) ids;
	size_t next;
	size_t taken;
	size_t max;
};

static bool is_queued(const git_oid *queue, size_t count, const git_oid *id)
{
	for (size_t i = 0; i < count; i++)
		if (git_oid_equal(&queue[i], id))
			return true;
	return false;
}

/*
 * Returns the next commit and queues its parents, or returns null after the last one or after
 * queue->max commits. The caller frees it.
 */
static git_commit *next_commit(struct arena *arena, struct git_repo *repo, struct queue *queue)
{
	while (queue->next < queue->ids.count && queue->taken < queue->max) {
		git_commit *commit = git_take_commit(repo, &queue->ids.items[queue->next++]);

		if (!commit)
			continue; /* where a shallow clone was cut */
		for (unsigned i = 0;
		     i < git_commit_parentcount(commit) && queue->ids.count < queue->max; i++) {
			const git_oid *parent = git_commit_parent_id(commit, i);

			if (!is_queued(queue->ids.items, queue->ids.count, parent))
				VEC_PUSH(arena, &queue->ids, *parent);
		}
		queue->taken++;
		return commit;
	}
	return NULL;
}

static struct queue queue_from(struct arena *arena, struct git_id from, size_t max)
{
	struct queue queue = {.max = max};

	VEC_PUSH(arena, &queue.ids, git_id_to_oid(from));
	return queue;
}

void git_list_messages(struct arena *arena, struct git_repo *repo, struct git_id from, size_t max,
                       struct git_messages *ret_messages)
{
	struct git_messages messages = {0};
	struct queue queue = queue_from(arena, from, max);
	git_commit *commit;
	size_t bytes = 0;

	while (bytes < MESSAGES_MAX_BYTES && (commit = next_commit(arena, repo, &queue))) {
		sv message = sv_from_cstr(git_commit_message_raw(commit));

		VEC_PUSH(arena, &messages, arena_dup(arena, message));
		bytes += message.len;
		git_commit_free(commit);
	}
	*ret_messages = messages;
}

/* ---- a folder ---------------------------------------------------------------------------- */

static bool find_folder(git_commit *commit, const char *folder, git_oid *ret_tree)
{
	git_tree *root = NULL;
	git_tree_entry *entry = NULL;
	bool found = git_commit_tree(&root, commit) == 0 &&
	             git_tree_entry_bypath(&entry, root, folder) == 0 &&
	             git_tree_entry_type(entry) == GIT_OBJECT_TREE;

	if (found)
		git_oid_cpy(ret_tree, git_tree_entry_id(entry));
	git_tree_entry_free(entry);
	git_tree_free(root);
	git_error_clear();
	return found;
}

void git_list_versions(struct arena *arena, struct git_repo *repo, struct git_id from, sv folder,
                       size_t max, struct git_ids *ret_trees)
{
	struct queue queue = queue_from(arena, from, max);
	const char *path = arena_cstr(arena, folder);
	git_commit *commit;

	*ret_trees = (struct git_ids){0};
	while ((commit = next_commit(arena, repo, &queue))) {
		git_oid tree;
		bool is_known = !find_folder(commit, path, &tree);

		git_commit_free(commit);
		for (size_t i = 0; !is_known && i < ret_trees->count; i++)
			is_known = git_id_equal(ret_trees->items[i], git_id_from(&tree));
		if (!is_known)
			VEC_PUSH(arena, ret_trees, git_id_from(&tree));
	}
}

static sv oid_text(struct arena *arena, const git_oid *oid)
{
	return arena_dup(arena, sv_from_bytes(oid->id, sizeof(oid->id)));
}

bool git_walk_versions(struct arena *arena, struct git_repo *repo, struct git_id from, sv folder,
                       size_t max, git_visit_version *visit, void *context)
{
	const char *path = arena_cstr(arena, folder);
	struct set queued = set_in(arena);
	struct set visited = set_in(arena);
	VEC(git_oid) queue = {0};

	VEC_PUSH(arena, &queue, git_id_to_oid(from));
	for (size_t next = 0; next < queue.count; next++) {
		git_commit *commit;
		git_oid tree;

		if (next == max)
			return false;
		commit = git_take_commit(repo, &queue.items[next]);
		if (!commit)
			continue; /* where a shallow clone was cut */
		for (unsigned i = 0; i < git_commit_parentcount(commit); i++) {
			const git_oid *parent = git_commit_parent_id(commit, i);

			if (set_add(&queued, oid_text(arena, parent)))
				VEC_PUSH(arena, &queue, *parent);
		}
		bool is_new =
		    find_folder(commit, path, &tree) && set_add(&visited, oid_text(arena, &tree));
		git_commit_free(commit);
		if (is_new && !visit(context, git_id_from(&tree)))
			return true;
	}
	return true;
}

void git_find_below(struct git_repo *repo, struct git_id tree, const char *const *paths,
                    size_t count, bool *there)
{
	const git_oid id = git_id_to_oid(tree);
	git_tree *root = NULL;

	(void)!git_tree_lookup(&root, repo->handle, &id);
	for (size_t i = 0; i < count; i++) {
		git_tree_entry *entry = NULL;

		there[i] = root && git_tree_entry_bypath(&entry, root, paths[i]) == 0 &&
		           git_tree_entry_type(entry) == GIT_OBJECT_BLOB;
		git_tree_entry_free(entry);
	}
	git_tree_free(root);
	git_error_clear();
}

/* Null: there is no such folder. */
static git_tree *tree_below(struct arena *arena, struct git_repo *repo, struct git_id tree, sv path)
{
	const git_oid id = git_id_to_oid(tree);
	git_tree_entry *entry = NULL;
	git_tree *root = NULL;
	git_tree *found = NULL;

	if (git_tree_lookup(&root, repo->handle, &id) != 0 || sv_empty(path))
		return root;
	if (git_tree_entry_bypath(&entry, root, arena_cstr(arena, path)) == 0 &&
	    git_tree_entry_type(entry) == GIT_OBJECT_TREE)
		(void)!git_tree_lookup(&found, repo->handle, git_tree_entry_id(entry));
	git_tree_entry_free(entry);
	git_tree_free(root);
	return found;
}

void git_list_folders(struct arena *arena, struct git_repo *repo, struct git_id tree, sv path,
                      struct git_names *ret_names)
{
	git_tree *folder = tree_below(arena, repo, tree, path);

	*ret_names = (struct git_names){0};
	if (folder)
		for (size_t i = 0; i < git_tree_entrycount(folder); i++) {
			const git_tree_entry *entry = git_tree_entry_byindex(folder, i);

			if (git_tree_entry_type(entry) == GIT_OBJECT_TREE)
				VEC_PUSH(
				    arena, ret_names,
				    arena_dup(arena, sv_from_cstr(git_tree_entry_name(entry))));
		}
	git_tree_free(folder);
	git_error_clear();
}

bool git_read_below(struct arena *arena, struct git_repo *repo, struct git_id tree, sv path,
                    size_t max_size, sv *ret_text)
{
	const git_oid id = git_id_to_oid(tree);
	git_tree *root = NULL;
	git_tree_entry *entry = NULL;
	git_blob *blob = NULL;
	git_object_t type;
	size_t size;
	bool found = git_tree_lookup(&root, repo->handle, &id) == 0 &&
	             git_tree_entry_bypath(&entry, root, arena_cstr(arena, path)) == 0 &&
	             git_odb_read_header(&size, &type, repo->odb, git_tree_entry_id(entry)) == 0 &&
	             type == GIT_OBJECT_BLOB && size <= max_size &&
	             git_blob_lookup(&blob, repo->handle, git_tree_entry_id(entry)) == 0;

	if (found)
		*ret_text = arena_dup(
		    arena, sv_from(git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob)));
	git_blob_free(blob);
	git_tree_entry_free(entry);
	git_tree_free(root);
	git_error_clear();
	return found;
}

/* ---- commits in order -------------------------------------------------------------------- */

struct loader {
	struct arena *arena;
	struct git_repo *repo;
	struct git_commits *commits;
	struct map by_id; /* number + 1 of the commit among those met */
};

/* Breadth first; what is not there, or too much, is left out. */
static void load_all(struct loader *l, struct git_id from, size_t max)
{
	VEC(struct git_id) queue = {0};
	struct set queued = set_in(l->arena);
	size_t bytes = 0;

	VEC_PUSH(l->arena, &queue, from);
	for (size_t next = 0; next < queue.count; next++) {
		git_oid oid = git_id_to_oid(queue.items[next]);
		git_commit *commit = NULL;

		if (l->commits->count < max && bytes < MESSAGES_MAX_BYTES)
			commit = git_take_commit(l->repo, &oid);
		if (!commit) {
			l->commits->is_cut = true;
			continue;
		}
		VEC_PUSH(l->arena, l->commits, git_commit_info_of(l->arena, commit));
		git_commit_free(commit);
		const struct git_commit_info *info = &l->commits->items[l->commits->count - 1];
		bytes += info->message.len;
		for (size_t i = 0; i < info->parent_count; i++)
			if (set_add(&queued, git_id_sv(&info->parents[i])))
				VEC_PUSH(l->arena, &queue, info->parents[i]);
	}
}

static size_t *commit_number(const struct loader *l, const struct git_id *id)
{
	return map_get(&l->by_id, git_id_sv(id));
}

/* A commit comes when all its children have come; of several that may the last one freed. */
static void put_in_order(struct loader *l)
{
	size_t count = l->commits->count;
	struct git_commit_info *items = l->commits->items;
	struct git_commit_info *sorted = ARENA_ARRAY(l->arena, struct git_commit_info, count);
	size_t *children = ARENA_ARRAY(l->arena, size_t, count);
	size_t *ready = ARENA_ARRAY(l->arena, size_t, count);
	size_t *numbers = ARENA_ARRAY(l->arena, size_t, count);
	size_t ready_count = 0;
	size_t done = 0;

	if (count == 0)
		return;
	for (size_t i = 0; i < count; i++) {
		numbers[i] = i;
		map_put(&l->by_id, git_id_sv(&items[i].id), &numbers[i]);
	}
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < items[i].parent_count; p++)
			if (commit_number(l, &items[i].parents[p]))
				children[*commit_number(l, &items[i].parents[p])]++;
	for (size_t i = 0; i < count; i++)
		if (children[i] == 0)
			ready[ready_count++] = i;
	while (ready_count > 0) {
		const struct git_commit_info *next = &items[ready[--ready_count]];

		sorted[done++] = *next;
		for (size_t p = next->parent_count; p-- > 0;) {
			size_t *parent = commit_number(l, &next->parents[p]);

			if (parent && --children[*parent] == 0)
				ready[ready_count++] = *parent;
		}
	}
	memcpy(items, sorted, done * sizeof(*items));
}

void git_list_commits(struct arena *arena, struct git_repo *repo, struct git_id from, size_t max,
                      struct git_commits *ret_commits)
{
	struct git_commits commits = {0};
	struct loader l = {
	    .arena = arena, .repo = repo, .commits = &commits, .by_id = map_in(arena)};

	load_all(&l, from, max);
	put_in_order(&l);
	*ret_commits = commits;
}

bool git_look_up(struct arena *arena, struct git_repo *repo, struct git_id tree, sv path,
                 struct git_file *ret_file)
{
	git_oid oid = git_id_to_oid(tree);
	git_tree *root = NULL;
	git_tree_entry *entry = NULL;

	if (git_tree_lookup(&root, repo->handle, &oid) < 0)
		return false;
	bool found = git_tree_entry_bypath(&entry, root, arena_cstr(arena, path)) == 0;
	if (found)
		*ret_file = (struct git_file){.path = path,
		                              .mode = (enum git_mode)git_tree_entry_filemode(entry),
		                              .id = git_id_from(git_tree_entry_id(entry))};
	git_tree_entry_free(entry);
	git_tree_free(root);
	return found;
}
