/*
 * Guards encrypted settings against being moved. Their clear members, the cluster's name among
 * them, are not authenticated, and SOPS binds a value to its key in the file only. So whoever opens
 * a pull request could give one cluster's values to another cluster, whose recipients are known and
 * pass the guard of the recipients. An index therefore lists the settings that its cluster had.
 */
#include "plan/plan.h"

#define SETTING_PREFIX "encrypted setting "

static sv digest_of(struct arena *arena, const struct seal_root *root, sv mark)
{
	const struct seal_token_owner owner = {.name = SV("encrypted settings")};

	return seal_change_digest(arena, root, &owner, mark);
}

static const sv *digests_of(struct arena *arena, const struct seal_root *root,
                            const struct seal_texts *marks)
{
	sv *digests = ARENA_ARRAY(arena, sv, marks->count);

	for (size_t i = 0; i < marks->count; i++)
		digests[i] = digest_of(arena, root, marks->items[i]);
	return digests;
}

const sv *plan_list_sealed_settings(struct arena *arena, const struct seal_root *root,
                                    const struct fleet_cluster *cluster, size_t *ret_count)
{
	*ret_count = cluster->sealed_marks.count;
	return digests_of(arena, root, &cluster->sealed_marks);
}

sv plan_recipients_digest(struct arena *arena, const struct seal_root *root, sv cluster,
                          const sv *recipients, size_t recipient_count, const sv *settings,
                          size_t setting_count)
{
	sv *all = ARENA_ARRAY(arena, sv, recipient_count + setting_count);

	for (size_t i = 0; i < recipient_count; i++)
		all[i] = recipients[i];
	/* No recipient begins with the prefix. */
	for (size_t i = 0; i < setting_count; i++)
		all[recipient_count + i] = ARENA_CONCAT(arena, SV(SETTING_PREFIX), settings[i]);
	return seal_recipients_digest(arena, root, cluster, all, recipient_count + setting_count);
}

bool plan_index_is_authentic(struct arena *arena, const struct plan_guard *request, sv cluster,
                             const struct tree_index *index)
{
	const struct seal_root *root = request->plan->root;

	/* Only --rotate-seed lets another seed come this far: its digests cannot be checked. */
	if (!sv_empty(index->seed_id) && !sv_eq(index->seed_id, seal_seed_id(arena, root)))
		return request->rotate_seed;
	return sv_eq(index->recipients_digest,
	             plan_recipients_digest(arena, root, cluster, index->recipients,
	                                    index->recipient_count, index->sealed_settings,
	                                    index->sealed_setting_count));
}

/* ---- the check --------------------------------------------------------------------------- */

/* A cluster that had encrypted settings. */
struct owner {
	sv cluster;
	const struct tree_index *index;
	bool is_doubtful; /* its index was edited: nobody knows which settings it had */
};

struct check {
	struct arena *arena;
	struct sink *sink;
	const struct plan_guard *request;
	struct set seen;          /* clusters whose newest index was found */
	struct map doubtful;      /* const struct tree_index *, newer ones that were edited */
	VEC(struct owner) owners; /* those that list encrypted settings */
	const sv *of_fleet;       /* digests of the Fleet's encrypted settings */
	size_t of_fleet_count;
};

static void add_owner(struct check *c, sv cluster, const struct tree_index *index)
{
	/* COMPAT: an index of format 1 has no digest, and no settings. */
	if (index && index->format > 1 &&
	    !plan_index_is_authentic(c->arena, c->request, cluster, index)) {
		map_put(&c->doubtful, cluster, (void *)(uintptr_t)index);
		return;
	}
	if ((!index && map_get(&c->doubtful, cluster)) || !set_add(&c->seen, cluster) || !index ||
	    index->sealed_setting_count == 0)
		return;
	VEC_PUSH(c->arena, &c->owners, ((struct owner){cluster, index, false}));
}

/* Adds the clusters of which only an edited index was found. */
static void add_doubtful(struct check *c)
{
	for (size_t i = 0; i < c->doubtful.count; i++) {
		const struct map_entry *entry = &c->doubtful.entries[i];

		if (!set_has(&c->seen, entry->key))
			VEC_PUSH(c->arena, &c->owners,
			         ((struct owner){entry->key, entry->value, true}));
	}
}

/* Finds the indexes of the output, and in the recent history those of clusters that are gone. */
static void find_owners(struct check *c)
{
	const struct plan_guard *request = c->request;
	const struct map *indexes = &request->previous->indexes;
	struct git_ids versions = {0};

	for (size_t i = 0; i < indexes->count; i++)
		add_owner(c, indexes->entries[i].key, indexes->entries[i].value);
	if (request->repo)
		git_list_versions(c->arena, request->repo, request->tip, request->out,
		                  PLAN_COMMITS_SEARCHED, &versions);
	VEC_EACH (tree, &versions) {
		struct git_names folders = {0};

		plan_list_past_folders(c->arena, request, *tree, &folders);
		VEC_EACH (folder, &folders) {
			sv cluster = fleet_folder_cluster(*folder);

			if (!set_has(&c->seen, cluster))
				add_owner(c, cluster,
				          plan_read_past_index(c->arena, request, *tree, *folder));
		}
	}
	add_doubtful(c);
}

static bool has(const sv *texts, size_t count, sv text)
{
	for (size_t i = 0; i < count; i++)
		if (sv_eq(texts[i], text))
			return true;
	return false;
}

/* Returns true if the owner had one of these settings. */
static bool had(const struct owner *owner, const sv *digests, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (has(owner->index->sealed_settings, owner->index->sealed_setting_count,
		        digests[i]))
			return true;
	return false;
}

/* Returns true if each recipient of the cluster could read what the owner had. */
static bool gives_nothing(struct check *c, const struct plan_cluster *cluster,
                          const struct owner *owner)
{
	for (size_t i = 0; i < cluster->recipients.count; i++)
		if (!has(owner->index->recipients, owner->index->recipient_count,
		         seal_recipient_listed(c->arena, &cluster->recipients, i)))
			return false;
	return true;
}

static enum status refuse_settings(struct check *c, const struct plan_cluster *cluster,
                                   const struct owner *owner)
{
	struct diag *diag = diag_report(
	    c->sink, DIAG_FLEET_SETTINGS_MOVED, cluster->fleet->at,
	    "cluster %.*s would get encrypted settings that were those of cluster %.*s, which has "
	    "other recipients",
	    SV_ARG(cluster->fleet->name), SV_ARG(owner->cluster));

	diag_set_help(c->sink, diag,
	              "encrypt them anew for each cluster, from the clear text; if the move is "
	              "meant, run with --rotate-recipients once; if not, treat the commit as an "
	              "attack");
	return STATUS_FAILED;
}

static enum status refuse_doubtful(struct check *c, const struct plan_cluster *cluster,
                                   const struct owner *owner)
{
	sv path = ARENA_CONCAT(c->arena, c->request->out, SV("/"),
	                       tree_index_path(c->arena, owner->index->folder));
	struct diag *diag = diag_report(
	    c->sink, DIAG_FLEET_SETTINGS_MOVED, cluster->fleet->at,
	    "cluster %.*s would get encrypted settings, and osm-gen cannot see whether they were "
	    "those of cluster %.*s: recipientsDigest of its index.json is missing or wrong",
	    SV_ARG(cluster->fleet->name), SV_ARG(owner->cluster));

	diag_set_help(c->sink, diag,
	              "restore %.*s from git; if the move is meant, run with --rotate-recipients "
	              "once; if not, treat the commit as an attack",
	              SV_ARG(path));
	return STATUS_FAILED;
}

static enum status check_cluster_settings(struct check *c, const struct plan_cluster *cluster)
{
	size_t count;
	const sv *own =
	    plan_list_sealed_settings(c->arena, c->request->plan->root, cluster->fleet, &count);

	VEC_EACH (owner, &c->owners)
		if (owner->is_doubtful && !sv_eq(owner->cluster, cluster->fleet->name))
			return refuse_doubtful(c, cluster, owner);
	VEC_EACH (owner, &c->owners)
		if (!sv_eq(owner->cluster, cluster->fleet->name) &&
		    (had(owner, own, count) || had(owner, c->of_fleet, c->of_fleet_count)) &&
		    !gives_nothing(c, cluster, owner))
			return refuse_settings(c, cluster, owner);
	return STATUS_OK;
}

enum status plan_check_settings(struct arena *arena, struct sink *sink,
                                const struct plan_guard *request)
{
	const struct plan *plan = request->plan;
	struct check c = {
	    .arena = arena,
	    .sink = sink,
	    .request = request,
	    .seen = set_in(arena),
	    .doubtful = map_in(arena),
	};
	enum status status = STATUS_OK;

	if (request->rotate_recipients)
		return STATUS_OK;
	c.of_fleet = digests_of(arena, plan->root, &plan->fleet->sealed_marks);
	c.of_fleet_count = plan->fleet->sealed_marks.count;
	find_owners(&c);
	for (size_t i = 0; i < plan->cluster_count; i++)
		if (plan->clusters[i].fleet->gets_sealed_settings)
			status |= check_cluster_settings(&c, &plan->clusters[i]);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}
