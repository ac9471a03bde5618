/*
 * list: the units of all clusters, as the inputs have them, for people and for programs.
 */
#include "commands.h"
#include "fleet/fleet.h"
#include "request.h"

static int compare_units(const void *a, const void *b, void *context)
{
	const struct report_unit *left = a;
	const struct report_unit *right = b;
	int order = sv_cmp(left->cluster, right->cluster);

	(void)context;
	if (order == 0)
		order = sv_cmp(left->namespace, right->namespace);
	if (order == 0)
		order = sv_cmp(left->name, right->name);
	return order ? order : sv_cmp(left->kind, right->kind);
}

static struct value units_tree(struct arena *arena, const struct report_unit *units, size_t count)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < count; i++) {
		const struct report_unit *unit = &units[i];

		value_list_add(
		    arena, &list,
		    VALUE_MAP(arena, {"cluster", value_string(unit->cluster)},
		              {"kind", value_string(unit->kind)},
		              {"namespace", value_string(unit->namespace)},
		              {"name", value_string(unit->name)},
		              {"provider", value_string_if(unit->provider)},
		              {"operatingSystem", value_string_if(unit->operating_system)},
		              {"profile", value_string_if(unit->profile)},
		              {"profileVersion", value_string_if(unit->profile_version)},
		              {"kubeletVersion", value_string_if(unit->kubelet_version)},
		              {"replicas", unit->replicas == REPORT_REPLICAS_UNKNOWN
		                               ? VALUE_INVALID
		                               : value_int(unit->replicas)}));
	}
	return VALUE_MAP(arena, {"formatVersion", value_string(SV("1.0"))}, {"units", list});
}

/* Prints the names that the inputs have. Renders nothing, since a shell waits for them. */
static int list_names(struct context *context, const struct run_request *request)
{
	sv wanted = request->print.cluster;
	struct buf buf = buf_in(context->arena);
	const struct fleet *fleet = NULL;

	enum status status =
	    run_survey(context->arena, context->sink, request, &fleet, &context->result);
	for (size_t i = 0; fleet && i < fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &fleet->clusters[i];

		for (size_t j = 0; j < cluster->unit_count; j++) {
			const struct kube_id *id = &cluster->units[j].object->id;

			if (sv_empty(wanted) || sv_eq(wanted, cluster->name))
				buf_printf(&buf, "%.*s/%.*s/%.*s\n", SV_ARG(cluster->name),
				           SV_ARG(id->namespace), SV_ARG(id->name));
		}
	}
	report_defuse(&buf, 0);
	if (print_out(context, buf_sv(&buf)) != STATUS_OK)
		return 3;
	return status == STATUS_OK ? 0 : 2;
}

int command_list(struct context *context)
{
	struct buf buf = buf_in(context->arena);
	struct run_request request;

	if (request_reading(context, &request) != STATUS_OK)
		return 3;
	if (context->options->read.manifests.count == 0)
		request.print.cluster = context->options->chosen.cluster;
	if (sv_eq(context->options->print.format, SV("names")))
		return list_names(context, &request);
	if (run(context->arena, context->sink, &request, &context->result) != STATUS_OK)
		return 2;
	struct report_summary *summary = &context->result.summary;
	sort_stable(summary->units.items, summary->units.count, sizeof(*summary->units.items),
	            compare_units, NULL);
	struct value root = units_tree(context->arena, summary->units.items, summary->units.count);
	if (sv_eq(context->options->print.format, SV("json"))) {
		report_add_json(&buf, &root);
	} else {
		value_map_set(context->arena, &root, SV("color"),
		              report_colors(context->arena, &context->out_style));
		report_form(&buf, "list", REPORT_TABLE, &root);
	}
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
