/*
 * Finds the cluster that a file belongs to.
 */
#include "fleet/internal.h"

/* A number as a map's value, which is a pointer: number + 1, so that null means "not found". */
static void *as_pointer(size_t number)
{
	return (void *)(uintptr_t)(number + 1);
}

static size_t as_number(const void *pointer)
{
	return pointer ? (size_t)(uintptr_t)pointer - 1 : FLEET_NO_CLUSTER;
}

struct fleet_scopes fleet_scopes_of(struct arena *arena, const struct fleet_draft *draft)
{
	struct fleet_scopes scopes = {draft, map_in(arena), map_in(arena)};

	for (size_t i = 0; i < draft->clusters.count; i++) {
		const struct fleet_cluster_draft *cluster = &draft->clusters.items[i];

		if (!map_get(&scopes.by_folder, cluster->scope))
			map_put(&scopes.by_folder, cluster->scope, as_pointer(i));
		if (!sv_empty(cluster->name) && !map_get(&scopes.by_name, cluster->name))
			map_put(&scopes.by_name, cluster->name, as_pointer(i));
	}
	return scopes;
}

static size_t scope_of_path(const struct fleet_scopes *scopes, sv path)
{
	sv folder = path;

	while (!sv_empty(folder)) {
		folder = os_folder_of(folder);
		size_t cluster = as_number(map_get(&scopes->by_folder, folder));
		if (cluster != FLEET_NO_CLUSTER)
			return cluster;
	}
	return FLEET_NO_CLUSTER;
}

/* Returns the cluster that is named by the first folder below --secrets. */
static size_t cluster_of_name(const struct fleet_scopes *scopes, sv path)
{
	sv first;
	sv rest;

	return sv_cut(path, SV("/"), &first, &rest) ? as_number(map_get(&scopes->by_name, first))
	                                            : FLEET_NO_CLUSTER;
}

size_t fleet_scope_of(const struct fleet_scopes *scopes, const struct fleet_file *file)
{
	if (file->is_added && sv_empty(file->cluster))
		return scopes->draft->clusters.count == 1 ? 0 : FLEET_NO_CLUSTER;
	if (file->is_added || file->is_made)
		return as_number(map_get(&scopes->by_name, file->cluster));
	if (!fleet_file_is_external(file))
		return scope_of_path(scopes, file->path);
	/*
	 * The --secrets folder has the layout of the repository, or a folder for each cluster's
	 * name.
	 */
	size_t cluster = scope_of_path(scopes, file->secrets_path);
	return cluster == FLEET_NO_CLUSTER ? cluster_of_name(scopes, file->secrets_path) : cluster;
}

size_t fleet_sealed_scope(const struct fleet_scopes *scopes, const struct fleet_file *file)
{
	return file->is_made ? scope_of_path(scopes, file->path) : fleet_scope_of(scopes, file);
}

/*
 * SAFETY: whoever may write to one cluster's folder can name another cluster's folder as a base,
 * and would have CI decrypt that cluster's Secrets there.
 */
bool fleet_check_sealed_place(struct sink *sink, const struct fleet_scopes *scopes,
                              const struct fleet_file *file)
{
	size_t from = fleet_sealed_scope(scopes, file);

	if (from == FLEET_NO_CLUSTER || from == fleet_scope_of(scopes, file))
		return true;
	struct diag *diag =
	    diag_report(sink, DIAG_FLEET_SEALED_COPY, position_of_source(file->made_source),
	                "the kustomization of cluster %.*s uses an encrypted file of cluster %.*s",
	                SV_ARG(file->cluster), SV_ARG(scopes->draft->clusters.items[from].name));
	diag_set_help(sink, diag,
	              "encrypt the file anew for each cluster, or keep it outside of all clusters' "
	              "folders; if nobody meant to use it, treat the commit as an attack");
	return false;
}

/* ---- --secrets --------------------------------------------------------------------------- */

/* Returns true if a Cluster has no name, which was reported: its folder cannot be judged then. */
static bool has_nameless(const struct fleet_draft *draft)
{
	VEC_EACH (cluster, &draft->clusters)
		if (sv_empty(cluster->name))
			return true;
	return false;
}

static sv cluster_names(struct arena *arena, const struct fleet_draft *draft)
{
	enum { NAMED = 5 };
	struct buf names = buf_in(arena);

	for (size_t i = 0; i < draft->clusters.count && i < NAMED; i++)
		buf_add_item(&names, draft->clusters.items[i].name);
	if (draft->clusters.count > NAMED)
		BUF_ADD_LIT(&names, ", ...");
	return buf_sv(&names);
}

/*
 * SAFETY: the commit decides where a Cluster's folder is, CI decides what is below --secrets.
 * Secrets in a folder go only to the cluster that the folder names, to which output, tokens and
 * index.json are bound, too. They never go to another cluster that was moved to a folder of that
 * name, nor to all clusters because the one they were meant for was removed.
 */
void fleet_check_secrets_place(struct arena *arena, struct sink *sink,
                               const struct fleet_scopes *scopes, const struct fleet_file *file)
{
	const struct fleet_draft *draft = scopes->draft;
	sv folder = os_folder_of(file->secrets_path);
	size_t here = scope_of_path(scopes, file->secrets_path);
	size_t named = cluster_of_name(scopes, file->secrets_path);
	const struct fleet_cluster_draft *cluster;
	struct diag *diag;

	if (!draft->has_clusters || sv_empty(folder) || has_nameless(draft))
		return;
	/* A cluster whose scope is the whole repository has no folder of its own. */
	if (here != FLEET_NO_CLUSTER && sv_empty(draft->clusters.items[here].scope))
		here = FLEET_NO_CLUSTER;
	if (here == FLEET_NO_CLUSTER && named != FLEET_NO_CLUSTER)
		return;
	if (here == FLEET_NO_CLUSTER) {
		diag = diag_report(sink, DIAG_FLEET_SECRETS_STRAY, position_of_source(file->source),
		                   "the folder %.*s of --secrets does not belong to a cluster",
		                   SV_ARG(folder));
		diag_set_help(sink, diag,
		              "rename the folder after a cluster of the commit (%.*s), or move "
		              "Secrets for all clusters to the --secrets folder itself",
		              SV_ARG(cluster_names(arena, draft)));
		return;
	}
	cluster = &draft->clusters.items[here];
	if (sv_eq(sv_after_last(cluster->scope, '/'), cluster->name) &&
	    (named == here || named == FLEET_NO_CLUSTER))
		return;
	sv other = named == FLEET_NO_CLUSTER ? cluster->scope : draft->clusters.items[named].name;
	diag =
	    diag_report(sink, DIAG_FLEET_SECRETS_NAME, position_of_source(file->source),
	                "the folder %.*s of --secrets names %.*s, but in the repository it is "
	                "cluster %.*s's",
	                SV_ARG(folder), SV_ARG(sv_after_last(other, '/')), SV_ARG(cluster->name));
	diag_add_note(sink, diag, cluster->at, "cluster %.*s is this one", SV_ARG(cluster->name));
	diag_set_help(
	    sink, diag,
	    "rename the folder to %.*s below --secrets if you mean that cluster; if nobody meant "
	    "to give the cluster these Secrets, treat the commit as an attack",
	    SV_ARG(cluster->name));
}

/* ---- --manifests ------------------------------------------------------------------------- */

void fleet_check_added_place(struct arena *arena, struct sink *sink,
                             const struct fleet_scopes *scopes, struct fleet_file *file)
{
	const struct fleet_draft *draft = scopes->draft;
	struct diag *diag;

	if (!file->is_added || fleet_scope_of(scopes, file) != FLEET_NO_CLUSTER)
		return;
	if (!has_nameless(draft)) {
		diag = sv_empty(file->cluster)
		           ? diag_report(sink, DIAG_MANIFESTS_CLUSTER,
		                         position_of_source(file->source),
		                         "--manifests does not name the cluster of this file, and "
		                         "the commit has several")
		           : diag_report(sink, DIAG_MANIFESTS_CLUSTER,
		                         position_of_source(file->source),
		                         "--manifests gives this file to cluster %.*s, which the "
		                         "commit does not have",
		                         SV_ARG(file->cluster));
		diag_set_help(sink, diag,
		              "name one of its clusters (%.*s): --cluster NAME, or "
		              "--manifests NAME=FILE",
		              SV_ARG(cluster_names(arena, draft)));
	}
	file->units.count = 0;
	file->definitions.count = 0;
	file->lookups.count = 0;
	file->expandables.count = 0;
	file->hidden_kind = NULL;
}
