/*
 * inventory: what machines fetch, as a table, JSON, a bill of materials, a script or a check.
 */
#include "inventory/inventory.h"
#include "commands.h"
#include "request.h"
#include "version.h"

static int no_such_cluster(struct context *context, sv wanted)
{
	const struct run_result *result = &context->result;
	sv *names = ARENA_ARRAY(context->arena, sv, result->fetched.count);

	for (size_t i = 0; i < result->fetched.count; i++)
		names[i] = result->fetched.items[i].cluster;
	fleet_report_no_cluster(context->sink, wanted,
	                        (struct diag_names){names, result->fetched.count},
	                        "`osm-gen list` shows the clusters with MachineDeployments");
	return 64;
}

int command_inventory(struct context *context)
{
	const struct options *options = context->options;
	sv wanted = options->arguments.count > 0 ? options->arguments.items[0] : SV("");
	struct buf buf = buf_in(context->arena);
	struct inventory inventory;
	struct run_request request;
	bool lacks = false;

	if (options->inventory.mirror_script + !sv_empty(options->inventory.check_mirror) +
	        !sv_empty(options->print.format) >
	    1) {
		diag_report(context->sink, DIAG_USAGE, NOWHERE,
		            "--output, --check-mirror and --mirror-script exclude each other");
		return 64;
	}
	if (request_reading(context, &request) != STATUS_OK)
		return 3;
	request.print.wants_fetches = true;
	if (run(context->arena, context->sink, &request, &context->result) != STATUS_OK)
		return 2;
	if (!inventory_collect(context->arena, &context->result, wanted, &inventory))
		return no_such_cluster(context, wanted);
	if (options->inventory.mirror_script)
		inventory_add_script(&buf, &inventory);
	else if (!sv_empty(options->inventory.check_mirror)) {
		if (inventory_check_mirror(context->arena, context->sink, &inventory,
		                           options->inventory.check_mirror, &buf,
		                           &lacks) != STATUS_OK)
			return 3;
	} else if (sv_eq(options->print.format, SV("json")))
		inventory_add_json(&buf, &inventory);
	else if (sv_eq(options->print.format, SV("cyclonedx")))
		inventory_add_bom(&buf, &inventory, SV(OSM_GEN_VERSION));
	else
		inventory_add_table(&buf, &inventory);
	report_defuse(&buf, 0);
	if (print_out(context, buf_sv(&buf)) != STATUS_OK)
		return 3;
	return lacks ? 1 : 0;
}
