/* What commits say of themselves. */
#include "git/internal.h"

static bool is_queued(const git_oid *queue, size_t count, const git_oid *id)
{
	for (size_t i = 0; i < count; i++)
		if (git_oid_equal(&queue[i], id))
			return true;
	return false;
}

void git_list_messages(struct arena *arena, struct git_repo *repo, struct git_id from, size_t max,
                       struct git_messages *ret_messages)
{
	struct git_messages messages = {0};
	VEC(git_oid) queue = {0};

	VEC_PUSH(arena, &queue, git_id_to_oid(from));
	for (size_t next = 0; next < queue.count && messages.count < max; next++) {
		git_commit *commit = NULL;

		if (git_commit_lookup(&commit, repo->handle, &queue.items[next]) < 0)
			continue; /* where a shallow clone was cut */
		VEC_PUSH(arena, &messages,
		         arena_dup(arena, sv_from_cstr(git_commit_message_raw(commit))));
		for (unsigned i = 0; i < git_commit_parentcount(commit) && queue.count < max; i++) {
			const git_oid *parent = git_commit_parent_id(commit, i);

			if (!is_queued(queue.items, queue.count, parent))
				VEC_PUSH(arena, &queue, *parent);
		}
		git_commit_free(commit);
	}
	*ret_messages = messages;
}
