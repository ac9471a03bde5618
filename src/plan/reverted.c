/*
 * Warns of output that was reverted: clusters had its revisions once, and have higher ones by now.
 * If source and output are reverted together they match, so that only the history shows it.
 */
#include "plan/plan.h"

#include "codec/codec.h"

/* Limits for one run: reads of indexes, and look-ups of them. */
enum { MOST_READS = 16, MOST_LOOKUPS = 20000 };
enum { FOLDERS = 2 }; /* a cluster may be in a bucket or outside */

enum { NAMED = 10 }; /* at most so many units are named in the warning */

/* The highest revision that a unit had before the output was reverted. */
struct reverted {
	sv commit; /* the last commit that had the revision, in hex */
	int64_t revision;
};

/*
 * A version of the output, which one commit or several in a row have. Only the index is known of
 * one that the branch no longer has.
 */
struct version {
	sv commit; /* the newest of them; empty if the branch no longer has them */
	struct git_id tree;
	/* The folder and the index (the first digits of its id) of the current cluster. */
	sv folder;
	sv index;
};

struct search {
	struct arena *arena;
	const struct plan_history *history;
	struct version *versions; /* newest first */
	size_t count;
	struct audit_left_out left_out; /* earlier versions, as far as they are searched */
	size_t reads;
	struct map found; /* struct reverted * by plan_unit_key */
};

/* Lists versions along first parents: clusters never had the output of side branches. */
static void list_versions(struct search *s)
{
	struct git_commits commits = {0};
	struct map by_id = map_in(s->arena);
	const struct git_commit_info *commit;

	git_list_commits(s->arena, s->history->repo, s->history->tip, PLAN_COMMITS_SEARCHED,
	                 &commits);
	for (size_t i = 0; i < commits.count; i++)
		map_put(&by_id, git_id_hex(s->arena, commits.items[i].id), &commits.items[i]);
	s->versions = ARENA_ARRAY(s->arena, struct version, commits.count);
	commit = commits.count > 0 ? &commits.items[0] : NULL;
	while (commit) {
		struct git_file folder = {0};
		struct version *last = s->count > 0 ? &s->versions[s->count - 1] : NULL;

		if (git_look_up(s->arena, s->history->repo, commit->tree, s->history->out,
		                &folder) &&
		    (!last || !git_id_equal(last->tree, folder.id)))
			s->versions[s->count++] = (struct version){
			    .commit = git_id_hex(s->arena, commit->id), .tree = folder.id};
		if (commit->parent_count == 0)
			(void)audit_read_left_out(s->arena, commit->message, &s->left_out);
		commit = commit->parent_count > 0
		             ? map_get(&by_id, git_id_hex(s->arena, commit->parents[0]))
		             : NULL;
	}
}

/* Returns the length of a list of earlier versions that PLAN_COMMITS_SEARCHED leaves of it. */
static size_t searched_of(const struct search *s, size_t count)
{
	size_t most = s->count < PLAN_COMMITS_SEARCHED ? PLAN_COMMITS_SEARCHED - s->count : 0;

	return count < most ? count : most;
}

static bool read_version_index(struct search *s, const struct version *version,
                               struct tree_index *index)
{
	return !sv_empty(version->commit) && s->reads++ < MOST_READS &&
	       tree_index_read_below(s->arena, s->history->repo, version->tree, version->folder,
	                             index);
}

static int64_t revision_of(const struct tree_file *file)
{
	int64_t revision = 0;

	if (!file->unit || !sv_parse_int64(file->unit->revision, &revision))
		return 0;
	return revision;
}

/* Adds units of the version that was brought back. */
static void add_back(struct search *s, sv cluster, const struct tree_index *back,
                     struct map *revisions)
{
	for (size_t i = 0; i < back->file_count; i++) {
		int64_t *revision;

		if (revision_of(&back->files[i]) == 0)
			continue;
		revision = ARENA_NEW(s->arena, int64_t);
		*revision = revision_of(&back->files[i]);
		map_put(revisions, plan_unit_key(s->arena, cluster, back->files[i].unit), revision);
	}
}

/* Adds units of a version that was given up. */
static void add_left(struct search *s, sv cluster, const struct version *version,
                     const struct tree_index *left, const struct map *revisions)
{
	for (size_t i = 0; i < left->file_count; i++) {
		int64_t revision = revision_of(&left->files[i]);
		struct reverted *found;

		if (revision == 0)
			continue;
		sv key = plan_unit_key(s->arena, cluster, left->files[i].unit);
		const int64_t *back = map_get(revisions, key);
		const struct reverted *known = map_get(&s->found, key);
		if (!back || *back >= revision || (known && known->revision >= revision))
			continue;
		found = ARENA_NEW(s->arena, struct reverted);
		*found = (struct reverted){version->commit, revision};
		map_put(&s->found, key, found);
	}
}

/*
 * Compares versions 0 to `to`. The first and the last have the same index; those between were
 * given up.
 */
static void compare_versions(struct search *s, sv cluster, const struct version *versions,
                             size_t to)
{
	struct map revisions = map_in(s->arena);
	struct tree_index index;

	if (!read_version_index(s, &versions[0], &index))
		return;
	add_back(s, cluster, &index, &revisions);
	for (size_t i = 1; i < to; i++)
		if (read_version_index(s, &versions[i], &index))
			add_left(s, cluster, &versions[i], &index, &revisions);
}

/* Finds the index of the cluster in a version, in a bucket or outside. */
static bool find_index(struct search *s, const sv *folders, struct version *version)
{
	for (size_t i = 0; i < FOLDERS; i++) {
		struct git_file file;
		sv path = tree_index_path(s->arena, folders[i]);

		if (!git_look_up(s->arena, s->history->repo, version->tree, path, &file))
			continue;
		version->folder = folders[i];
		version->index = audit_short_id(s->arena, file.id);
		return true;
	}
	return false;
}

/* Adds versions that the branch no longer has to the `count` ones of a cluster. */
static size_t add_left_out(const struct search *s, sv cluster, struct version *own, size_t count)
{
	VEC_EACH (left, &s->left_out.indexes) {
		if (!sv_eq(left->cluster, cluster))
			continue;
		for (size_t i = 0; i < searched_of(s, left->ids.count); i++)
			if (count == 0 || !sv_eq(own[count - 1].index, left->ids.items[i]))
				own[count++] = (struct version){.index = left->ids.items[i]};
		break;
	}
	return count;
}

static void search_cluster(struct search *s, const struct fleet *fleet, sv cluster)
{
	struct version *own =
	    ARENA_ARRAY(s->arena, struct version, s->count + PLAN_COMMITS_SEARCHED);
	const sv folders[FOLDERS] = {fleet_folder(s->arena, cluster, fleet->in_buckets),
	                             fleet_folder(s->arena, cluster, !fleet->in_buckets)};
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct version version = s->versions[i];

		/* The index has the same content in either place. */
		if (find_index(s, folders, &version) &&
		    (count == 0 || !sv_eq(own[count - 1].index, version.index)))
			own[count++] = version;
	}
	count = add_left_out(s, cluster, own, count);
	for (size_t i = 0; i + 2 < count; i++) {
		for (size_t k = count - 1; k >= i + 2; k--) {
			if (!sv_eq(own[i].index, own[k].index))
				continue;
			compare_versions(s, cluster, &own[i], k - i);
			i = k - 1;
			break;
		}
	}
}

/* Adds the revisions that were reverted in commits which the branch no longer has. */
static void add_known(struct search *s)
{
	VEC_EACH (known, &s->left_out.revisions) {
		struct reverted *found = ARENA_NEW(s->arena, struct reverted);

		*found = (struct reverted){known->commit, known->revision};
		map_put(&s->found, known->unit, found);
	}
}

/* Finds the reverted revisions of all units. */
static struct map search(struct arena *arena, const struct plan_reverted_request *request)
{
	const struct plan *plan = request->plan;
	struct search s = {.arena = arena, .history = &request->history, .found = map_in(arena)};

	list_versions(&s);
	add_known(&s);
	if (plan->cluster_count > 0 && s.count > MOST_LOOKUPS / plan->cluster_count)
		s.count = MOST_LOOKUPS / plan->cluster_count;
	size_t count = s.count + s.left_out.outputs.count;
	for (size_t i = 0; count > 2 && i < plan->cluster_count; i++)
		search_cluster(&s, plan->fleet, plan->clusters[i].fleet->name);
	return s.found;
}

/* ---- the warning ------------------------------------------------------------------------- */

/* Returns the reverted revision, or null if the unit has a higher one by now. */
static const struct reverted *find_reverted(struct arena *arena, const struct map *found,
                                            const struct plan_unit *unit, sv now)
{
	const struct tree_unit id = plan_tree_unit(unit->unit);
	const struct reverted *reverted =
	    map_get(found, plan_unit_key(arena, unit->cluster->fleet->name, &id));
	int64_t revision;

	if (!reverted || !sv_parse_int64(now, &revision) || revision > reverted->revision)
		return NULL;
	return reverted;
}

void plan_report_reverted(struct arena *arena, struct sink *sink,
                          const struct plan_reverted_request *request)
{
	const struct map found = search(arena, request);
	struct diag *diag = NULL;
	size_t count = 0;

	for (size_t i = 0; found.count > 0 && i < request->plan->unit_count; i++) {
		const struct plan_unit *unit = &request->plan->units[i];
		const struct kube_object *object = unit->unit->object;
		sv now = request->revisions[i];
		const struct reverted *reverted = find_reverted(arena, &found, unit, now);

		if (!reverted)
			continue;
		if (!diag)
			diag =
			    diag_report(sink, DIAG_REVISION_REVERTED, kube_object_position(object),
			                "the output was reverted to older revisions, which live "
			                "machines may no longer have");
		if (count++ >= NAMED)
			continue;
		diag_add_note(sink, diag, NOWHERE,
		              "%.*s, cluster %.*s, gets revision %.*s; commit %.*s had %lld, and "
		              "clusters that already applied it keep counting from there",
		              SV_ARG(kube_object_describe(arena, object)),
		              SV_ARG(unit->cluster->fleet->name), SV_ARG(now),
		              SV_ARG(sv_slice(reverted->commit, 0, AUDIT_SHORT_ID)),
		              (long long)reverted->revision);
	}
	if (!diag)
		return;
	if (count > NAMED)
		diag_add_note(sink, diag, NOWHERE, "and %zu more", count - NAMED);
	diag_set_help(
	    sink, diag,
	    "run kubectl get machinedeployments -A -o json > revisions.json, then osm-gen once "
	    "with --revisions revisions.json; until then new machines do not start");
}

void plan_list_reverted(struct arena *arena, const struct plan_reverted_request *request,
                        struct audit_left_out *left)
{
	const struct map found = search(arena, request);

	for (size_t i = 0; found.count > 0 && i < request->plan->unit_count; i++) {
		const struct plan_unit *unit = &request->plan->units[i];
		const struct tree_unit id = plan_tree_unit(unit->unit);
		const struct reverted *reverted =
		    find_reverted(arena, &found, unit, request->revisions[i]);

		if (!reverted)
			continue;
		struct audit_left_out_revision kept = {
		    .unit = plan_unit_key(arena, unit->cluster->fleet->name, &id),
		    .commit = sv_slice(reverted->commit, 0, AUDIT_SHORT_ID),
		    .revision = reverted->revision,
		};
		VEC_PUSH(arena, &left->revisions, kept);
	}
}

bool plan_output_came_back(struct arena *arena, const struct plan_history *history)
{
	struct search s = {.arena = arena, .history = history};

	list_versions(&s);
	for (size_t i = 2; i < s.count; i++)
		if (git_id_equal(s.versions[0].tree, s.versions[i].tree))
			return true;
	bool is_between = s.count > 1;
	for (size_t i = 0; s.count > 0 && i < searched_of(&s, s.left_out.outputs.count); i++) {
		bool is_same =
		    sv_eq(s.left_out.outputs.items[i], audit_short_id(arena, s.versions[0].tree));

		if (is_same && is_between)
			return true;
		is_between |= !is_same;
	}
	return false;
}
