/*
 * The names of clusters, as people give them.
 */
#include "fleet/internal.h"

struct diag_names fleet_cluster_names(struct arena *arena, const struct fleet *fleet)
{
	sv *names = ARENA_ARRAY(arena, sv, fleet->cluster_count);

	for (size_t i = 0; i < fleet->cluster_count; i++)
		names[i] = fleet->clusters[i].name;
	return (struct diag_names){names, fleet->cluster_count};
}

void fleet_report_no_cluster(struct sink *sink, sv name, struct diag_names names, const char *help)
{
	struct diag *diag =
	    diag_report(sink, DIAG_USAGE, NOWHERE, "there is no cluster \"%.*s\"", SV_ARG(name));

	diag_help_nearest(sink, diag, name, names, help);
}
