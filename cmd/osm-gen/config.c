/*
 * config: the effective settings and where each comes from; the schema and the reference of them
 * all.
 */
#include "commands.h"
#include "effective/effective.h"
#include "request.h"

static int show_config(struct context *context)
{
	struct buf buf = buf_in(context->arena);
	struct value clusters = value_list_new(context->arena);
	bool all = context->options->arguments.count < 2;
	sv wanted = all ? SV("") : context->options->arguments.items[1];
	struct run_request request;
	const struct fleet *fleet;
	bool is_json = sv_eq(context->options->print.format, SV("json"));
	bool found = false;

	if (request_reading(context, &request) != STATUS_OK)
		return 3;
	if (run_survey(context->arena, context->sink, &request, &fleet, &context->result) !=
	    STATUS_OK)
		return 2;
	for (size_t i = 0; i < fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &fleet->clusters[i];

		if (!all && !sv_eq(cluster->name, wanted))
			continue;
		found = true;
		struct effectives of_cluster = effective_of_cluster(context->arena, fleet, cluster,
		                                                    &context->options->settings);
		value_list_add(context->arena, &clusters,
		               effective_tree(context->arena, cluster, of_cluster, !is_json));
	}
	if (!found) {
		fleet_report_no_cluster(context->sink, wanted,
		                        fleet_cluster_names(context->arena, fleet),
		                        "`osm-gen config show` shows them all");
		return 64;
	}
	struct effectives of_fleet = effective_of_fleet(context->arena, fleet);
	const struct value root =
	    VALUE_MAP(context->arena, {"formatVersion", value_string(SV("1.0"))},
	              {"fleet", effective_tree(context->arena, NULL, of_fleet, !is_json)},
	              {"clusters", clusters});
	if (is_json)
		report_add_json(&buf, &root);
	else
		report_form(&buf, "config", REPORT_TERMINAL, &root);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}

int command_config(struct context *context)
{
	sv what = context->options->arguments.items[0];
	bool is_alone = context->options->arguments.count == 1;
	struct buf buf = buf_in(context->arena);

	if (sv_eq(what, SV("show")))
		return show_config(context);
	if (sv_eq(what, SV("schema")) && is_alone) {
		fleet_add_schema(&buf);
	} else if (sv_eq(what, SV("settings")) && is_alone) {
		fleet_add_settings_page(&buf);
	} else {
		struct diag *diag =
		    diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                "\"config\" takes show [CLUSTER], schema, or settings");
		diag_set_help(context->sink, diag, "osm-gen config show; osm-gen config show prod");
		return 64;
	}
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
