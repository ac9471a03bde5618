/* What commits say of themselves, and what a folder held in them. */
#include "git/internal.h"

/* The commits behind one, all parents of merges, nearest first. */
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
 * The next commit behind `from`, its parents queued: max of them are looked at. Null: that was the
 * last one. To be freed.
 */
static git_commit *next_commit(struct arena *arena, struct git_repo *repo, struct queue *queue)
{
	git_commit *commit = NULL;

	while (queue->next < queue->ids.count && queue->taken < queue->max) {
		if (git_commit_lookup(&commit, repo->handle, &queue->ids.items[queue->next++]) < 0)
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

	while ((commit = next_commit(arena, repo, &queue))) {
		VEC_PUSH(arena, &messages,
		         arena_dup(arena, sv_from_cstr(git_commit_message_raw(commit))));
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

void git_list_folders(struct arena *arena, struct git_repo *repo, struct git_id tree,
                      struct git_names *ret_names)
{
	const git_oid id = git_id_to_oid(tree);
	git_tree *root = NULL;

	*ret_names = (struct git_names){0};
	if (git_tree_lookup(&root, repo->handle, &id) == 0)
		for (size_t i = 0; i < git_tree_entrycount(root); i++) {
			const git_tree_entry *entry = git_tree_entry_byindex(root, i);

			if (git_tree_entry_type(entry) == GIT_OBJECT_TREE)
				VEC_PUSH(
				    arena, ret_names,
				    arena_dup(arena, sv_from_cstr(git_tree_entry_name(entry))));
		}
	git_tree_free(root);
	git_error_clear();
}

bool git_read_below(struct arena *arena, struct git_repo *repo, struct git_id tree, sv path,
                    size_t max_size, sv *ret_text)
{
	const git_oid id = git_id_to_oid(tree);
	git_tree *root = NULL;
	git_tree_entry *entry = NULL;
	git_blob *blob = NULL;
	bool found = git_tree_lookup(&root, repo->handle, &id) == 0 &&
	             git_tree_entry_bypath(&entry, root, arena_cstr(arena, path)) == 0 &&
	             git_tree_entry_type(entry) == GIT_OBJECT_BLOB &&
	             git_blob_lookup(&blob, repo->handle, git_tree_entry_id(entry)) == 0 &&
	             (size_t)git_blob_rawsize(blob) <= max_size;

	if (found)
		*ret_text = arena_dup(
		    arena, sv_from(git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob)));
	git_blob_free(blob);
	git_tree_entry_free(entry);
	git_tree_free(root);
	git_error_clear();
	return found;
}
