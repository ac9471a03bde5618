/*
 * Guards the recipients of sealed files (docs/howto/recipients.md). They are in
 * osm-gen.yaml and in index.json, and whoever opens a pull request can change both. So recipients
 * change only if CI allows it, by a list of its own or by --rotate-recipients. The scope is part of
 * a recipient, and guarded with it.
 */
#include "os/os.h"
#include "plan/plan.h"

VEC_TYPE(recipients, sv);

struct guard {
	struct arena *arena;
	struct sink *sink;
	const struct plan_guard *request;
	struct set allowed;      /* "CLUSTER RECIPIENT" */
	struct git_ids versions; /* of the output folder, newest first */
	bool versions_known;
	struct plan_past past; /* of clusters that the output has no index of */
	bool past_known;
	struct recipients common; /* who reads every other cluster */
	bool has_others;
	bool common_known;
	bool is_first_reported;
	struct plan_recipient_changes *changes;
};

/* ---- the list of CI ---------------------------------------------------------------------- */

static sv allowed_key(struct arena *arena, sv cluster, sv recipient)
{
	return ARENA_CONCAT(arena, cluster, SV(" "), recipient);
}

static enum status read_allowed_line(struct guard *g, const struct source *source, sv line)
{
	const struct position at = {source, (size_t)(line.ptr - source->text.ptr), line.len};
	sv cluster = sv_slice(line, 0, sv_find_char(line, ' '));
	sv recipient = sv_trim_space(sv_from_offset(line, cluster.len));

	if (!sv_empty(recipient) && (sv_eq(cluster, SV("*")) || kube_name_valid(cluster))) {
		set_add(&g->allowed, allowed_key(g->arena, cluster, recipient));
		return STATUS_OK;
	}
	struct diag *diag = diag_report(g->sink, DIAG_ALLOW_RECIPIENTS, at,
	                                "this line is not a cluster and a recipient");
	diag_set_help(g->sink, diag,
	              "write CLUSTER RECIPIENT, one a line, or * RECIPIENT for every cluster; a "
	              "line that begins with # is a comment");
	return STATUS_FAILED;
}

static enum status read_allowed(struct guard *g)
{
	const struct plan_key *list = &g->request->allowed;
	enum status status = STATUS_OK;
	sv line;

	if (!list->text.ptr)
		return STATUS_OK;
	/* Confidential: it may be a key that was given by mistake. */
	const struct source *source = source_new(g->arena, list->name, list->text, true);
	struct sv_splitter lines = sv_split(list->text, '\n');
	while (sv_split_next(&lines, &line)) {
		line = sv_trim_space(line);
		if (!sv_empty(line) && line.ptr[0] != '#')
			status |= read_allowed_line(g, source, line);
	}
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/*
 * Returns the position of a recipient in the settings; `recipient` is in the form that indexes
 * have.
 */
static struct position recipient_position(const struct plan_cluster *cluster, sv recipient)
{
	const struct fleet_sealing *sealing = &cluster->fleet->sealing;

	for (size_t i = 0; i < sealing->recipient_count; i++)
		if (sv_starts_with(recipient, sealing->recipients[i].text))
			return sealing->recipients[i].at;
	return sealing->at;
}

static enum status check_allowed(struct guard *g, const struct plan_cluster *cluster)
{
	enum status status = STATUS_OK;
	sv name = cluster->fleet->name;

	for (size_t i = 0; i < cluster->recipients.count; i++) {
		sv recipient = seal_recipient_listed(g->arena, &cluster->recipients, i);

		if (set_has(&g->allowed, allowed_key(g->arena, name, recipient)) ||
		    set_has(&g->allowed, allowed_key(g->arena, SV("*"), recipient)))
			continue;
		struct diag *diag = diag_report(g->sink, DIAG_RECIPIENT_NOT_ALLOWED,
		                                recipient_position(cluster, recipient),
		                                "recipient %.*s is not allowed for cluster %.*s",
		                                SV_ARG(recipient), SV_ARG(name));
		diag_set_help(
		    g->sink, diag,
		    "to allow it, the owner of %.*s adds the line %.*s %.*s; if nobody meant to "
		    "change who reads the cluster's secrets, the commit is an attack",
		    SV_ARG(g->request->allowed.name), SV_ARG(name), SV_ARG(recipient));
		status = STATUS_FAILED;
	}
	return status;
}

/* ---- the previous output ----------------------------------------------------------------- */

static bool is_authentic(const struct guard *g, sv cluster, const struct tree_index *index)
{
	return plan_index_is_authentic(g->arena, g->request, cluster, index);
}

/* Lists the contents that the output folder had in the newest commits. */
static const struct git_ids *versions_of_output(struct guard *g)
{
	const struct plan_guard *request = g->request;

	if (request->repo && !g->versions_known)
		git_list_versions(g->arena, request->repo, request->tip, request->out,
		                  PLAN_COMMITS_SEARCHED, &g->versions);
	g->versions_known = true;
	return &g->versions;
}

/* Returns the newest index in the recent history that lists recipients; may be null. */
static const struct tree_index *find_in_history(struct guard *g, sv cluster)
{
	const struct plan_guard *request = g->request;
	sv folders[] = {fleet_folder(g->arena, cluster, request->plan->fleet->in_buckets),
	                fleet_folder(g->arena, cluster, !request->plan->fleet->in_buckets)};

	VEC_EACH (tree, versions_of_output(g)) {
		for (size_t i = 0; i < COUNT_OF(folders); i++) {
			const struct tree_index *index =
			    plan_read_past_index(g->arena, request, *tree, folders[i]);

			if (index)
				return index;
		}
	}
	return NULL;
}

/* Returns true if the output's index lists the cluster's recipients. */
static bool is_in_output(const struct guard *g, sv cluster)
{
	const struct tree_index *index = map_get(&g->request->previous->indexes, cluster);

	/*
	 * An index of format 1 has no recipients. An attacker who changes recipients could write
	 * one, or take the recipients out.
	 */
	return index && (index->recipient_count > 0 || index->format == 1 ||
	                 !is_authentic(g, cluster, index));
}

/* Searches the whole history, once a run, for all clusters that the output does not have. */
static const struct plan_past *past_of_clusters(struct guard *g)
{
	const struct plan *plan = g->request->plan;
	VEC(sv) wanted = {0};

	if (g->past_known)
		return &g->past;
	g->past_known = true;
	g->past = (struct plan_past){.indexes = map_in(g->arena), .unread = set_in(g->arena)};
	for (size_t i = 0; i < plan->cluster_count; i++)
		if (plan->clusters[i].recipients.count > 0 &&
		    !is_in_output(g, plan->clusters[i].fleet->name))
			VEC_PUSH(g->arena, &wanted, plan->clusters[i].fleet->name);
	/* If CI allows recipients, the history does not matter. */
	if (g->request->repo && !g->request->allowed.text.ptr && !g->request->rotate_recipients)
		plan_search_past(g->arena, g->request, wanted.items, wanted.count, &g->past);
	return &g->past;
}

/*
 * Returns the index that lists the previous recipients. The index of a cluster without units lists
 * none, and the output's index may be missing; then the history may have one.
 */
static const struct tree_index *find_index_before(struct guard *g, sv cluster)
{
	if (is_in_output(g, cluster))
		return map_get(&g->request->previous->indexes, cluster);
	const struct tree_index *index = map_get(&past_of_clusters(g)->indexes, cluster);
	return index ? index : find_in_history(g, cluster);
}

static bool lists(const sv *recipients, size_t count, sv recipient)
{
	for (size_t i = 0; i < count; i++)
		if (sv_eq(recipients[i], recipient))
			return true;
	return false;
}

static bool seals_to(struct arena *arena, const struct plan_cluster *cluster, sv recipient)
{
	for (size_t i = 0; i < cluster->recipients.count; i++)
		if (sv_eq(seal_recipient_listed(arena, &cluster->recipients, i), recipient))
			return true;
	return false;
}

/* Compares the recipients with those of an index; `before` may be null. */
static struct plan_recipient_change
change_between(struct guard *g, const struct plan_cluster *cluster, const struct tree_index *before)
{
	struct plan_recipient_change change = {.cluster = cluster->fleet->name, .is_new = !before};

	for (size_t i = 0; i < cluster->recipients.count; i++) {
		sv recipient = seal_recipient_listed(g->arena, &cluster->recipients, i);

		if (!before || !lists(before->recipients, before->recipient_count, recipient))
			VEC_PUSH(g->arena, &change.added, recipient);
	}
	for (size_t i = 0; before && i < before->recipient_count; i++)
		if (!seals_to(g->arena, cluster, before->recipients[i]))
			VEC_PUSH(g->arena, &change.removed, before->recipients[i]);
	return change;
}

/* Adds a cluster of the output or of its history: `common` keeps those that read it, too. */
static void add_other(struct guard *g, sv cluster, const struct tree_index *index)
{
	struct recipients kept = {0};
	bool is_believed = is_authentic(g, cluster, index);

	for (size_t i = 0; is_believed && i < index->recipient_count; i++)
		if (!g->has_others || lists(g->common.items, g->common.count, index->recipients[i]))
			VEC_PUSH(g->arena, &kept, index->recipients[i]);
	g->common = kept;
	g->has_others = true;
}

/*
 * Finds out who reads every cluster of the output, every one that was removed recently, and every
 * one that only commits had which the branch no longer has.
 */
static void find_common(struct guard *g)
{
	const struct plan_past *past = past_of_clusters(g);
	const struct map *indexes = &g->request->previous->indexes;
	struct set seen = set_in(g->arena);

	for (size_t i = 0; i < indexes->count; i++) {
		const struct tree_index *index = indexes->entries[i].value;

		if (!is_in_output(g, indexes->entries[i].key))
			continue;
		set_add(&seen, indexes->entries[i].key);
		add_other(g, indexes->entries[i].key, index);
	}
	VEC_EACH (tree, versions_of_output(g)) {
		struct git_names folders = {0};

		plan_list_past_folders(g->arena, g->request, *tree, &folders);
		VEC_EACH (folder, &folders) {
			sv cluster = fleet_folder_cluster(*folder);
			const struct tree_index *index =
			    set_add(&seen, cluster) ? find_in_history(g, cluster) : NULL;

			if (index)
				add_other(g, cluster, index);
		}
	}
	VEC_EACH (left, &past->left_out.clusters)
		if (set_add(&seen, left->cluster))
			add_other(g, left->cluster, plan_left_out_index(g->arena, left));
}

/*
 * Does the same for the newest version of the output that names recipients, however old it is: the
 * whole output was removed after it.
 */
static void find_last_common(struct guard *g)
{
	const struct plan_past *past = past_of_clusters(g);
	struct git_names folders = {0};

	if (!past->has_last)
		return;
	plan_list_past_folders(g->arena, g->request, past->last, &folders);
	VEC_EACH (folder, &folders) {
		const struct tree_index *index =
		    plan_read_past_index(g->arena, g->request, past->last, *folder);

		if (index)
			add_other(g, fleet_folder_cluster(*folder), index);
	}
}

/*
 * Returns true if each recipient of a new cluster can read all other clusters already. Also true in
 * the first run of a fleet.
 */
static bool gives_nothing(struct guard *g, const struct plan_cluster *cluster)
{
	if (!g->common_known)
		find_common(g);
	if (!g->common_known && !g->has_others)
		find_last_common(g);
	g->common_known = true;
	for (size_t i = 0; g->has_others && i < cluster->recipients.count; i++)
		if (!lists(g->common.items, g->common.count,
		           seal_recipient_listed(g->arena, &cluster->recipients, i)))
			return false;
	return true;
}

/* ---- judgement --------------------------------------------------------------------------- */

static void add_recipient_notes(struct guard *g, struct diag *diag,
                                const struct plan_cluster *cluster,
                                const struct plan_recipient_change *change)
{
	VEC_EACH (recipient, &change->added)
		diag_add_note(g->sink, diag, recipient_position(cluster, *recipient),
		              "added recipient %.*s", SV_ARG(*recipient));
	VEC_EACH (recipient, &change->removed)
		diag_add_note(g->sink, diag, NOWHERE, "removed recipient %.*s", SV_ARG(*recipient));
}

static enum status refuse_recipients(struct guard *g, const struct plan_cluster *cluster,
                                     const struct plan_recipient_change *change, bool is_changed)
{
	struct position at = cluster->fleet->sealing.at;
	sv name = cluster->fleet->name;
	struct diag *diag;

	if (change->is_new)
		diag = diag_report(g->sink, DIAG_RECIPIENTS_UNKNOWN, at,
		                   "cluster %.*s is new in the output, and not all of its "
		                   "recipients read every other cluster",
		                   SV_ARG(name));
	else if (is_changed)
		diag = diag_report(g->sink, DIAG_RECIPIENTS_CHANGED, at,
		                   "the recipients of cluster %.*s have changed", SV_ARG(name));
	else
		diag =
		    diag_report(g->sink, DIAG_RECIPIENTS_CHANGED, at,
		                "the recipients of cluster %.*s are confirmed by no earlier run: "
		                "recipientsDigest of its index.json is missing or wrong",
		                SV_ARG(name));
	add_recipient_notes(g, diag, cluster, change);
	diag_set_help(g->sink, diag,
	              "if that is meant, run with --rotate-recipients once, or with "
	              "--allow-recipients FILE, a list that CI holds; if not, treat the commit as "
	              "an attack");
	return STATUS_FAILED;
}

static void warn(struct guard *g, const struct plan_cluster *cluster,
                 const struct plan_recipient_change *change)
{
	struct diag *diag =
	    diag_report(g->sink, DIAG_RECIPIENTS_ROTATED, cluster->fleet->sealing.at,
	                change->is_new ? "cluster %.*s is new, with recipients of its own"
	                               : "the recipients of cluster %.*s change",
	                SV_ARG(change->cluster));

	add_recipient_notes(g, diag, cluster, change);
	diag_set_help(g->sink, diag,
	              "anybody who could read earlier commits still can: if somebody must lose "
	              "access, rotate "
	              "the secrets, too");
	VEC_PUSH(g->arena, g->changes, *change);
}

/*
 * Warns of the first run in an incomplete clone: a fleet whose output was removed looks new there.
 */
static void warn_first(struct guard *g)
{
	bool is_shallow = g->request->repo && git_repo_is_shallow(g->request->repo);

	if (g->has_others || g->is_first_reported || !g->request->repo ||
	    !(is_shallow || git_repo_is_partial(g->request->repo)))
		return;
	g->is_first_reported = true;
	struct diag *diag =
	    diag_report(g->sink, DIAG_RECIPIENTS_FIRST, NOWHERE,
	                "there is no output yet, and the clone is %s, so osm-gen cannot see "
	                "whether this is the first run, and trusts the recipients",
	                is_shallow ? "shallow" : "partial");
	diag_set_help(
	    g->sink, diag,
	    "if this is the first run, do nothing; else %s, or a list with --allow-recipients",
	    is_shallow ? "give CI's clone more commits (git fetch --deepen 50)"
	               : "give CI a clone without --filter");
}

/*
 * Returns false, and reports it, if the history is too incomplete to find out if a cluster is new.
 */
static bool is_history_seen(struct guard *g, const struct plan_cluster *cluster)
{
	const struct plan_past *past = past_of_clusters(g);
	struct position at = cluster->fleet->sealing.at;
	sv name = cluster->fleet->name;
	struct diag *diag;

	if (past->is_lost) {
		diag = diag_report(g->sink, DIAG_HISTORY_LACKS, at,
		                   "cluster %.*s has no output, and osm-gen cannot see whether it "
		                   "had recipients before: a run made the first commit of the "
		                   "branch, which does not name the commits before it",
		                   SV_ARG(name));
		diag_set_help(g->sink, diag,
		              "run with --rotate-recipients once if the cluster is new, or with "
		              "--allow-recipients FILE, a list that CI holds; find out who "
		              "replaced the branch");
		return false;
	}
	if (past->is_too_long) {
		diag = diag_report(g->sink, DIAG_RECIPIENTS_HISTORY, at,
		                   "cluster %.*s has no output, and osm-gen cannot see whether it "
		                   "had recipients before: the history has more than %zu commits",
		                   SV_ARG(name), g->request->commits_max);
		diag_set_help(g->sink, diag,
		              "run with --rotate-recipients once if the cluster is new, or with "
		              "--allow-recipients FILE, a list that CI holds; or raise "
		              "--max-entries, of which a commit takes %d",
		              PLAN_ENTRIES_PER_COMMIT);
		return false;
	}
	if (!set_has(&past->unread, name))
		return true;
	diag = diag_report(g->sink, DIAG_RECIPIENTS_HISTORY, at,
	                   "cluster %.*s has no output, and had some once: the index.json of then "
	                   "is not in this partial clone",
	                   SV_ARG(name));
	diag_set_help(g->sink, diag,
	              "give CI a clone without --filter, or a list with --allow-recipients; if a "
	              "change of recipients is meant, run with --rotate-recipients once");
	return false;
}

static enum status check_cluster_recipients(struct guard *g, const struct plan_cluster *cluster)
{
	const struct plan_guard *request = g->request;
	const struct tree_index *before = find_index_before(g, cluster->fleet->name);
	struct plan_recipient_change change = change_between(g, cluster, before);
	bool is_changed = change.added.count + change.removed.count > 0;
	bool is_known = before ? !is_changed && is_authentic(g, change.cluster, before)
	                       : gives_nothing(g, cluster);

	if (!before && !is_history_seen(g, cluster))
		return STATUS_FAILED;
	if (request->allowed.text.ptr) {
		if (check_allowed(g, cluster) != STATUS_OK)
			return STATUS_FAILED;
	} else if (!is_known && !request->rotate_recipients) {
		return refuse_recipients(g, cluster, &change, is_changed);
	} else if (!before && !request->rotate_recipients)
		warn_first(g);
	if (!is_known && is_changed)
		warn(g, cluster, &change);
	return STATUS_OK;
}

/*
 * Compares the recipients with those that the index lists. Without the seed osm-gen cannot see who
 * wrote the index, and does not look for a new cluster in the history.
 */
static enum status check_without_seed(struct guard *g, const struct plan_cluster *cluster)
{
	const struct tree_index *before =
	    map_get(&g->request->previous->indexes, cluster->fleet->name);
	struct diag *diag;

	if (!before || before->recipient_count == 0)
		return STATUS_OK;
	struct plan_recipient_change change = change_between(g, cluster, before);
	if (g->request->allowed.text.ptr && check_allowed(g, cluster) != STATUS_OK)
		return STATUS_FAILED;
	if (change.added.count + change.removed.count == 0)
		return STATUS_OK;
	if (g->request->allowed.text.ptr || g->request->rotate_recipients) {
		warn(g, cluster, &change);
		return STATUS_OK;
	}
	diag = diag_report(g->sink, DIAG_RECIPIENTS_AHEAD, cluster->fleet->sealing.at,
	                   "the recipients of cluster %.*s have changed", SV_ARG(change.cluster));
	add_recipient_notes(g, diag, cluster, &change);
	diag_set_help(g->sink, diag,
	              "generate refuses it unless --rotate-recipients or --allow-recipients allows "
	              "it; if nobody means to change who reads the cluster's secrets, treat the "
	              "commit as an attack");
	VEC_PUSH(g->arena, g->changes, change);
	return STATUS_OK;
}

enum status plan_check_recipients(struct arena *arena, struct sink *sink,
                                  const struct plan_guard *request,
                                  struct plan_recipient_changes *ret_changes)
{
	struct guard g = {arena, sink, request, .allowed = set_in(arena), .changes = ret_changes};
	enum status status = STATUS_OK;

	*ret_changes = (struct plan_recipient_changes){0};
	if (read_allowed(&g) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < request->plan->cluster_count; i++)
		if (request->plan->clusters[i].recipients.count > 0)
			status |= request->plan->root
			              ? check_cluster_recipients(&g, &request->plan->clusters[i])
			              : check_without_seed(&g, &request->plan->clusters[i]);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}
