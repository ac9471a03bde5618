/*
 * Searches the whole history for clusters that the output has no index of: a commit that removes a
 * cluster's output makes it look new, and any number of commits may follow it. The first commit of
 * a branch that was shortened (generate --history) states the recipients of those it lost.
 */
#include "plan/plan.h"

const struct tree_index *plan_read_past_index(struct arena *arena, const struct plan_guard *request,
                                              struct git_id tree, sv folder)
{
	struct tree_index index;
	struct tree_index *kept;

	if (!tree_index_read_below(arena, request->repo, tree, folder, &index) ||
	    index.recipient_count == 0)
		return NULL;
	kept = ARENA_NEW(arena, struct tree_index);
	*kept = index;
	return kept;
}

/* Adds the folders of clusters in those folders that are buckets. */
static void list_buckets(struct arena *arena, const struct plan_guard *request, struct git_id tree,
                         struct git_names *folders)
{
	size_t count = folders->count;

	for (size_t i = 0; i < count; i++) {
		sv bucket = folders->items[i];
		struct git_names inner = {0};

		if (!fleet_is_bucket(bucket))
			continue;
		git_list_folders(arena, request->repo, tree, bucket, &inner);
		VEC_EACH (name, &inner) {
			sv folder = ARENA_CONCAT(arena, bucket, SV("/"), *name);

			if (sv_eq(fleet_folder(arena, *name, true), folder))
				VEC_PUSH(arena, folders, folder);
		}
	}
}

void plan_list_past_folders(struct arena *arena, const struct plan_guard *request,
                            struct git_id tree, struct git_names *ret_folders)
{
	git_list_folders(arena, request->repo, tree, SV(""), ret_folders);
	list_buckets(arena, request, tree, ret_folders);
}

/* ---- the search -------------------------------------------------------------------------- */

enum { SPELLINGS = 2 }; /* a cluster's folder is in a bucket, or it is not */

struct search {
	struct arena *arena;
	const struct plan_guard *request;
	struct plan_past *past;
	size_t wanted_count;
	sv *clusters;       /* wanted_count of them, without an index so far */
	sv *folders;        /* SPELLINGS for each of them */
	const char **paths; /* of their indexes */
	bool *there;
};

/* Removes a wanted cluster; their order does not matter. */
static void forget(struct search *s, size_t i)
{
	size_t last = --s->wanted_count;

	s->clusters[i] = s->clusters[last];
	for (size_t k = 0; k < SPELLINGS; k++) {
		s->folders[i * SPELLINGS + k] = s->folders[last * SPELLINGS + k];
		s->paths[i * SPELLINGS + k] = s->paths[last * SPELLINGS + k];
		s->there[i * SPELLINGS + k] = s->there[last * SPELLINGS + k];
	}
}

static void find_wanted(struct search *s, struct git_id tree)
{
	git_find_below(s->request->repo, tree, s->paths, s->wanted_count * SPELLINGS, s->there);
	for (size_t i = s->wanted_count; i-- > 0;) {
		const struct tree_index *index = NULL;
		bool is_there = false;

		for (size_t k = 0; k < SPELLINGS && !index; k++) {
			if (!s->there[i * SPELLINGS + k])
				continue;
			is_there = true;
			index = plan_read_past_index(s->arena, s->request, tree,
			                             s->folders[i * SPELLINGS + k]);
		}
		if (is_there && git_repo_is_partial(s->request->repo) && !index)
			set_add(&s->past->unread, s->clusters[i]);
		if (!index)
			continue;
		map_put(&s->past->indexes, s->clusters[i], (void *)(uintptr_t)index);
		forget(s, i);
	}
}

static bool names_recipients(struct search *s, struct git_id tree)
{
	struct git_names folders = {0};

	plan_list_past_folders(s->arena, s->request, tree, &folders);
	VEC_EACH (folder, &folders)
		if (plan_read_past_index(s->arena, s->request, tree, *folder))
			return true;
	return false;
}

static bool visit(void *context, struct git_id tree)
{
	struct search *s = context;

	find_wanted(s, tree);
	if (!s->past->has_last && names_recipients(s, tree)) {
		s->past->has_last = true;
		s->past->last = tree;
	}
	return s->wanted_count > 0 || !s->past->has_last;
}

const struct tree_index *plan_left_out_index(struct arena *arena,
                                             const struct audit_left_out_cluster *cluster)
{
	struct tree_index *index = ARENA_NEW(arena, struct tree_index);

	*index = (struct tree_index){
	    .cluster = cluster->cluster,
	    .format = 2,
	    .seed_id = cluster->seed_id,
	    .recipients = cluster->recipients.items,
	    .recipient_count = cluster->recipients.count,
	    .recipients_digest = cluster->digest,
	};
	return index;
}

static void find_left_out(struct search *s)
{
	const struct plan_guard *request = s->request;
	struct plan_past *past = s->past;

	past->is_lost =
	    audit_find_left_out(s->arena, request->repo, request->tip, request->commits_max,
	                        &past->left_out) == AUDIT_LEFT_OUT_LOST;
	for (size_t i = 0; i < s->wanted_count; i++)
		VEC_EACH (cluster, &past->left_out.clusters)
			if (sv_eq(cluster->cluster, s->clusters[i])) {
				const struct tree_index *index =
				    plan_left_out_index(s->arena, cluster);

				map_put(&past->indexes, cluster->cluster, (void *)(uintptr_t)index);
				break;
			}
}

void plan_search_past(struct arena *arena, const struct plan_guard *request, const sv *clusters,
                      size_t count, struct plan_past *ret_past)
{
	bool in_buckets = request->plan->fleet->in_buckets;
	struct search s = {
	    .arena = arena,
	    .request = request,
	    .past = ret_past,
	    .wanted_count = count,
	    .clusters = ARENA_ARRAY(arena, sv, count),
	    .folders = ARENA_ARRAY(arena, sv, count * SPELLINGS),
	    .paths = ARENA_ARRAY(arena, const char *, count *SPELLINGS),
	    .there = ARENA_ARRAY(arena, bool, count *SPELLINGS),
	};

	*ret_past = (struct plan_past){.indexes = map_in(arena), .unread = set_in(arena)};
	for (size_t i = 0; i < count; i++) {
		s.clusters[i] = clusters[i];
		for (size_t k = 0; k < SPELLINGS; k++) {
			sv folder = fleet_folder(arena, clusters[i], (k == 0) == in_buckets);

			s.folders[i * SPELLINGS + k] = folder;
			s.paths[i * SPELLINGS + k] =
			    arena_cstr(arena, tree_index_path(arena, folder));
		}
	}
	ret_past->is_too_long = !git_walk_versions(arena, request->repo, request->tip, request->out,
	                                           request->commits_max, visit, &s);
	find_left_out(&s);
}
