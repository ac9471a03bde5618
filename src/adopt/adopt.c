/*
 * The steps of an adoption: finds the place, chooses the objects, writes them.
 */
#include "adopt/internal.h"

/* Domain separator: keys derived from the seed here differ from those of the output. */
#define FLEET_OF_INPUTS SV("osm-gen.dev/adopt")

static enum status check_cluster_name(struct sink *sink, sv cluster)
{
	if (kube_name_valid(cluster))
		return STATUS_OK;
	struct diag *diag =
	    diag_report(sink, DIAG_USAGE, NOWHERE,
	                "--cluster \"%.*s\" is not a valid name of a cluster", SV_ARG(cluster));
	diag_set_help(sink, diag, "use a-z, 0-9, - and ., such as prod-eu-1");
	return STATUS_FAILED;
}

enum status adopt(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                  const struct adopt_request *request, struct adopt_result *ret_result)
{
	struct adopt_result result = {
	    .folder = sv_trim_right(request->into, "/"),
	    .recipients_are_given = request->recipient_count > 0,
	};
	struct adopt_choice choice;
	struct adopt_place place = {0};

	seal_root_bind(request->root, FLEET_OF_INPUTS);
	enum status status = check_cluster_name(sink, request->cluster);
	if (status != STATUS_OK)
		return status;
	status = adopt_find_place(arena, sink, request, &place);
	if (adopt_choose(secret_arena, sink, request, adopt_find_contract(arena, &place),
	                 &result.lines, &choice) != STATUS_OK ||
	    status != STATUS_OK)
		return STATUS_FAILED;
	if (adopt_write(secret_arena, sink, request, &place, &choice, &result) != STATUS_OK)
		return STATUS_FAILED;
	adopt_note_untraced(arena, request->live, &result.lines);
	adopt_mask_lines(arena, &result.lines);
	result.appliers = adopt_find_appliers(arena, request->live);
	result.repository = place.root;
	if (choice.revisions.count > 0)
		result.revisions = adopt_revisions_path(arena, request, result.folder);
	*ret_result = result;
	return STATUS_OK;
}
