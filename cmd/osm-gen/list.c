/*
 * list: the units of all clusters, as the inputs have them, for people and for programs.
 */
#include "commands.h"
#include "fleet/fleet.h"
#include "request.h"
#include "json/json.h"

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

enum { COLUMNS = 7 };

static void fill_row(struct arena *arena, sv *cells, const struct report_unit *unit)
{
	sv replicas = unit->replicas == REPORT_REPLICAS_UNKNOWN
	                  ? SV("?")
	                  : arena_printf(arena, "%lld", (long long)unit->replicas);
	const sv texts[COLUMNS] = {
	    unit->cluster,
	    ARENA_CONCAT(arena, unit->namespace, SV("/"), unit->name),
	    unit->provider,
	    unit->operating_system,
	    ARENA_CONCAT(arena, unit->profile, SV(" "), unit->profile_version),
	    unit->kubelet_version,
	    replicas,
	};

	memcpy(cells, texts, sizeof(texts));
}

static void add_table(struct buf *buf, const struct report_unit *units, size_t count,
                      const struct report_style *style)
{
	static const char *const titles[COLUMNS] = {"CLUSTER", "NAMESPACE/NAME", "PROVIDER", "OS",
	                                            "PROFILE", "KUBELET",        "REPLICAS"};
	sv *cells = ARENA_ARRAY(buf->arena, sv, count * COLUMNS + 1);

	for (size_t i = 0; i < count; i++)
		fill_row(buf->arena, &cells[i * COLUMNS], &units[i]);
	report_add_table(buf, titles, COLUMNS, cells, count, style);
}

static void add_json(struct buf *buf, const struct report_unit *units, size_t count)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *list = json_doc_list();

	json_doc_set_text(root, "formatVersion", SV("1.0"));
	for (size_t i = 0; i < count; i++) {
		const struct report_unit *unit = &units[i];
		struct json_t *row = json_doc_map();

		json_doc_set_text(row, "cluster", unit->cluster);
		json_doc_set_text(row, "kind", unit->kind);
		json_doc_set_text(row, "namespace", unit->namespace);
		json_doc_set_text(row, "name", unit->name);
		json_doc_set_text_if(row, "provider", unit->provider);
		json_doc_set_text_if(row, "operatingSystem", unit->operating_system);
		json_doc_set_text_if(row, "profile", unit->profile);
		json_doc_set_text_if(row, "profileVersion", unit->profile_version);
		json_doc_set_text_if(row, "kubeletVersion", unit->kubelet_version);
		if (unit->replicas != REPORT_REPLICAS_UNKNOWN)
			json_doc_set_size(row, "replicas", (size_t)unit->replicas);
		json_doc_add(list, row);
	}
	json_doc_set(root, "units", list);
	json_doc_write(buf, root);
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
	if (context->options->manifests.count == 0)
		request.print.cluster = context->options->cluster;
	if (sv_eq(context->options->format, SV("names")))
		return list_names(context, &request);
	if (run(context->arena, context->sink, &request, &context->result) != STATUS_OK)
		return 2;
	struct report_summary *summary = &context->result.summary;
	sort_stable(summary->units.items, summary->units.count, sizeof(*summary->units.items),
	            compare_units, NULL);
	if (sv_eq(context->options->format, SV("json")))
		add_json(&buf, summary->units.items, summary->units.count);
	else
		add_table(&buf, summary->units.items, summary->units.count, &context->out_style);
	report_defuse(&buf, 0);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
