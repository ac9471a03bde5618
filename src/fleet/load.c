#include "fleet/internal.h"

enum status fleet_load(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                       struct fleet_file *const *files, size_t file_count,
                       const struct fleet_options *options, struct fleet *ret_fleet)
{
	size_t errors = sink->error_count;
	struct fleet_draft draft;
	struct osm_settings base;
	struct fleet fleet;

	for (size_t i = 0; i < file_count; i++)
		sink_merge(sink, &files[i]->sink);
	fleet_read_settings(arena, sink, files, file_count, &draft);
	fleet = (struct fleet){
	    .clusters = ARENA_ARRAY(arena, struct fleet_cluster, draft.clusters.count),
	    .cluster_count = draft.clusters.count,
	    .commit_author = draft.commit_author,
	    .commit_author_at = draft.commit_author_at,
	};
	for (size_t i = 0; i < fleet.cluster_count; i++) {
		fleet.clusters[i].name = draft.clusters.items[i].name;
		fleet.clusters[i].scope = draft.clusters.items[i].scope;
		fleet.clusters[i].at = draft.clusters.items[i].at;
	}
	fleet_apply_settings(arena, sink, &draft, options, &base, fleet.clusters);

	struct fleet_scopes scopes = fleet_scopes_of(arena, &draft);
	fleet_fill_lookups(arena, secret_arena, sink, files, file_count, &scopes, options,
	                   fleet.clusters, fleet.cluster_count);
	fleet_fill_work(arena, sink, files, file_count, &scopes, &base, fleet.clusters,
	                fleet.cluster_count);
	for (size_t i = 0; i < fleet.cluster_count; i++)
		fleet.machine_deployment_count += fleet.clusters[i].machine_deployment_count;
	*ret_fleet = fleet;
	return sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}
