/*
 * Collects what later runs ask of commits that a branch is about to lose: recipients of clusters
 * that the output no longer has, revisions that a revert took back, earlier versions of the output,
 * and the runs that vouched. Each of them has its reader: recipients_past.c, reverted.c and
 * audit/history.c.
 */
#include "plan/plan.h"

struct leaving {
	struct arena *arena;
	struct sink *sink;
	const struct plan_leaving *request;
	struct plan_guard guard; /* names the repository to those that read indexes */
	struct set known;        /* the set of clusters that are listed, or need not be */
	struct audit_left_out *left;
	bool is_unread;
};

static void push_all(struct arena *arena, struct audit_texts *to, const struct audit_texts *from,
                     size_t max)
{
	VEC_EACH (text, from)
		if (to->count < max)
			VEC_PUSH(arena, to, *text);
}

/* ---- runs that vouched -------------------------------------------------------------------- */

static void add_runs_of(struct leaving *l, sv message)
{
	struct audit_trailers trailers;

	audit_read_trailers(l->arena, message, &trailers);
	VEC_EACH (trailer, &trailers)
		VEC_PUSH(l->arena, &l->left->runs, sv_slice(trailer->output, 0, AUDIT_SHORT_ID));
}

static void add_runs(struct leaving *l, const struct audit_left_out *before)
{
	const struct plan_leaving *request = l->request;
	struct git_messages below = {0};

	for (size_t i = 0; i < request->left_count; i++)
		add_runs_of(l, request->left[i].message);
	if (request->has_below)
		git_list_messages(l->arena, request->reverted.history.repo, request->below,
		                  request->commits_max, &below);
	VEC_EACH (message, &below)
		add_runs_of(l, *message);
	push_all(l->arena, &l->left->runs, &before->runs, SIZE_MAX);
}

/* ---- versions of the output ---------------------------------------------------------------- */

static bool find_output(const struct leaving *l, const struct git_commit_info *commit,
                        struct git_file *ret_folder)
{
	const struct plan_history *history = &l->request->reverted.history;

	return git_look_up(l->arena, history->repo, commit->tree, history->out, ret_folder);
}

static void push_changed(struct arena *arena, struct audit_texts *ids, sv id)
{
	if (ids->count == 0 || !sv_eq(ids->items[ids->count - 1], id))
		VEC_PUSH(arena, ids, id);
}

static void add_outputs(struct leaving *l, const struct audit_left_out *before)
{
	const struct plan_leaving *request = l->request;
	struct git_file folder;

	for (size_t i = 0; i < request->left_count && i < PLAN_COMMITS_SEARCHED; i++)
		if (find_output(l, &request->left[i], &folder))
			push_changed(l->arena, &l->left->outputs,
			             audit_short_id(l->arena, folder.id));
	push_all(l->arena, &l->left->outputs, &before->outputs, PLAN_COMMITS_SEARCHED);
}

static void add_indexes_of(struct leaving *l, sv cluster, const struct audit_left_out *before)
{
	const struct plan_leaving *request = l->request;
	bool in_buckets = request->reverted.plan->fleet->in_buckets;
	struct audit_left_out_indexes indexes = {.cluster = cluster};
	const sv folders[] = {fleet_folder(l->arena, cluster, in_buckets),
	                      fleet_folder(l->arena, cluster, !in_buckets)};

	for (size_t i = 0; i < request->left_count && i < PLAN_COMMITS_SEARCHED; i++) {
		struct git_file output;
		struct git_file index;

		for (size_t k = 0; k < COUNT_OF(folders); k++) {
			if (!find_output(l, &request->left[i], &output) ||
			    !git_look_up(l->arena, request->reverted.history.repo, output.id,
			                 tree_index_path(l->arena, folders[k]), &index))
				continue;
			push_changed(l->arena, &indexes.ids, audit_short_id(l->arena, index.id));
			break;
		}
	}
	VEC_EACH (earlier, &before->indexes)
		if (sv_eq(earlier->cluster, cluster))
			push_all(l->arena, &indexes.ids, &earlier->ids, PLAN_COMMITS_SEARCHED);
	if (indexes.ids.count > 0)
		VEC_PUSH(l->arena, &l->left->indexes, indexes);
}

/* ---- recipients --------------------------------------------------------------------------- */

static void add_cluster(struct leaving *l, sv cluster, const struct tree_index *index)
{
	struct audit_left_out_cluster entry = {
	    .cluster = cluster, .seed_id = index->seed_id, .digest = index->recipients_digest};

	for (size_t i = 0; i < index->recipient_count; i++)
		VEC_PUSH(l->arena, &entry.recipients, index->recipients[i]);
	VEC_PUSH(l->arena, &l->left->clusters, entry);
}

/* A partial clone may lack an index that a folder has. */
static bool lacks_index(const struct leaving *l, struct git_id tree, sv folder)
{
	const struct git_repo *repo = l->request->reverted.history.repo;
	struct git_file index;
	struct git_files one = {.items = &index, .count = 1};
	struct sink unused = sink_in(l->arena);

	return git_look_up(l->arena, l->request->reverted.history.repo, tree,
	                   tree_index_path(l->arena, folder), &index) &&
	       git_check_files(&unused, repo, SV(""), &one) != STATUS_OK;
}

/* Adds the clusters of a version that no newer one has. */
static bool visit(void *context, struct git_id tree)
{
	struct leaving *l = context;
	struct git_names folders = {0};

	plan_list_past_folders(l->arena, &l->guard, tree, &folders);
	VEC_EACH (folder, &folders) {
		sv cluster = fleet_folder_cluster(*folder);

		if (set_has(&l->known, cluster))
			continue;
		const struct tree_index *index =
		    plan_read_past_index(l->arena, &l->guard, tree, *folder);
		if (!index) {
			l->is_unread |= lacks_index(l, tree, *folder);
			continue;
		}
		set_add(&l->known, cluster);
		add_cluster(l, cluster, index);
	}
	return true;
}

static void add_staying(struct leaving *l)
{
	const struct plan_leaving *request = l->request;
	const struct plan *plan = request->reverted.plan;
	struct git_names folders = {0};
	struct git_file output;

	if (!request->first) {
		/* The first commit will be the new one, whose indexes are those of the plan. */
		for (size_t i = 0; i < plan->cluster_count; i++)
			if (plan->clusters[i].recipients.count > 0)
				set_add(&l->known, plan->clusters[i].fleet->name);
		return;
	}
	if (!find_output(l, request->first, &output))
		return;
	plan_list_past_folders(l->arena, &l->guard, output.id, &folders);
	VEC_EACH (folder, &folders)
		if (plan_read_past_index(l->arena, &l->guard, output.id, *folder))
			set_add(&l->known, fleet_folder_cluster(*folder));
}

static enum status add_left_recipients(struct leaving *l, const struct audit_left_out *before)
{
	const struct plan_leaving *request = l->request;
	const struct plan_history *history = &request->reverted.history;
	bool is_whole = true;

	add_staying(l);
	if (request->left_count > 0)
		is_whole = git_walk_versions(l->arena, history->repo, request->left[0].id,
		                             history->out, request->commits_max, visit, l);
	VEC_EACH (cluster, &before->clusters)
		if (set_add(&l->known, cluster->cluster))
			VEC_PUSH(l->arena, &l->left->clusters, *cluster);
	if (is_whole && !l->is_unread)
		return STATUS_OK;
	struct diag *diag = diag_report(
	    l->sink, DIAG_HISTORY_LACKS, NOWHERE,
	    is_whole ? "--history would lose who could read clusters that are gone: this partial "
	               "clone lacks an index.json of an earlier commit"
	             : "--history would lose who could read clusters that are gone: the branch "
	               "has more than %zu commits",
	    request->commits_max);
	diag_set_help(l->sink, diag,
	              is_whole ? "run in a clone without --filter"
	                       : "raise --max-entries, of which a commit takes %d",
	              PLAN_ENTRIES_PER_COMMIT);
	return STATUS_FAILED;
}

/* ---- the whole ---------------------------------------------------------------------------- */

enum status plan_leave_out(struct arena *arena, struct sink *sink,
                           const struct plan_leaving *request, struct audit_left_out *ret_left)
{
	const struct plan_history *history = &request->reverted.history;
	const struct plan *plan = request->reverted.plan;
	struct audit_left_out before;
	struct leaving l = {
	    .arena = arena,
	    .sink = sink,
	    .request = request,
	    .guard = {.plan = plan,
	              .repo = history->repo,
	              .tip = history->tip,
	              .out = history->out},
	    .known = set_in(arena),
	    .left = ret_left,
	};

	*ret_left = (struct audit_left_out){0};
	(void)audit_find_left_out(arena, history->repo, history->tip, request->commits_max,
	                          &before);
	ret_left->commits = before.commits + request->left_count;
	add_runs(&l, &before);
	add_outputs(&l, &before);
	for (size_t i = 0; i < plan->cluster_count; i++)
		add_indexes_of(&l, plan->clusters[i].fleet->name, &before);
	plan_list_reverted(arena, &request->reverted, ret_left);
	return add_left_recipients(&l, &before);
}
