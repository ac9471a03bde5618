/*
 * config: effective settings and where each comes from; the schema and the reference of them all.
 */
#include "effective.h"
#include "json/json.h"

static bool is_json(const struct context *context)
{
	return sv_eq(context->options->format, SV("json"));
}

/* ---- as text ----------------------------------------------------------------------------- */

static void add_line(struct buf *buf, const struct effective *found, sv text, sv at)
{
	bool is_alone =
	    strcmp(found->section, "settings") == 0 || strcmp(found->section, "spec") == 0;
	sv name =
	    is_alone ? found->name
	             : ARENA_CONCAT(buf->arena, sv_from_cstr(found->section), SV("."), found->name);

	buf_printf(buf, "  %-34.*s ", SV_ARG(name));
	report_add_visible(buf, text);
	buf_printf(buf, "  (%s%s", found->from, sv_empty(at) ? "" : ", ");
	report_add_visible(buf, at);
	BUF_ADD_LIT(buf, ")\n");
}

static void add_text(struct buf *buf, const struct effective *found)
{
	struct buf text = buf_in(buf->arena);

	if (value_is_null(&found->value))
		BUF_ADD_LIT(&text, "-");
	else if (value_is_string(&found->value))
		buf_add(&text, found->value.string);
	else
		json_emit(&text, &found->value, 0);
	add_line(buf, found, buf_sv(&text), found->at);
}

/* A line each, since each has a place of its own. */
static void add_recipients(struct buf *buf, const struct effective *found,
                           const struct fleet_sealing *sealing)
{
	for (size_t i = 0; i < sealing->recipient_count; i++)
		add_line(buf, found, sealing->recipients[i].text,
		         effective_place(buf->arena, sealing->recipients[i].at));
	if (sealing->recipient_count == 0)
		add_line(buf, found, SV("-"), SV(""));
}

static void add_fleet_text(struct buf *buf, struct effectives all)
{
	BUF_ADD_LIT(buf, "fleet\n");
	VEC_EACH (found, &all)
		add_text(buf, found);
}

static void add_cluster_text(struct buf *buf, const struct fleet_cluster *cluster,
                             struct effectives all)
{
	buf_printf(buf, "\ncluster %.*s\n", SV_ARG(cluster->name));
	VEC_EACH (found, &all) {
		if (sv_eq(found->name, SV("recipients")))
			add_recipients(buf, found, &cluster->sealing);
		else
			add_text(buf, found);
	}
}

/* ---- as JSON ----------------------------------------------------------------------------- */

static void set_text(struct arena *arena, struct value *map, const char *key, sv text)
{
	value_map_set(arena, map, sv_from_cstr(key), value_string(text));
}

static struct value row_value(struct arena *arena, const struct effective *found)
{
	struct value row = value_map_new(arena);

	value_map_set(arena, &row, SV("value"), found->value);
	set_text(arena, &row, "from", sv_from_cstr(found->from));
	if (!sv_empty(found->at))
		set_text(arena, &row, "at", found->at);
	return row;
}

/* A map a section, in the order given. */
static void add_sections(struct arena *arena, struct value *root, struct effectives all)
{
	struct value section = value_map_new(arena);

	for (size_t i = 0; i < all.count; i++) {
		const struct effective *found = &all.items[i];

		value_map_set(arena, &section, found->name, row_value(arena, found));
		if (i + 1 < all.count && strcmp(all.items[i + 1].section, found->section) == 0)
			continue;
		value_map_set(arena, root, sv_from_cstr(found->section), section);
		section = value_map_new(arena);
	}
}

static struct value cluster_value(struct arena *arena, const struct fleet_cluster *cluster,
                                  struct effectives all)
{
	struct value root = value_map_new(arena);

	set_text(arena, &root, "name", cluster->name);
	set_text(arena, &root, "folder", cluster->scope);
	add_sections(arena, &root, all);
	return root;
}

static void add_document(struct arena *arena, struct buf *buf, struct effectives of_fleet,
                         struct value clusters)
{
	struct value root = value_map_new(arena);
	struct value fleet = value_map_new(arena);

	add_sections(arena, &fleet, of_fleet);
	set_text(arena, &root, "formatVersion", SV("1.0"));
	value_map_set(arena, &root, SV("fleet"), fleet);
	value_map_set(arena, &root, SV("clusters"), clusters);
	json_emit(buf, &root, JSON_PRETTY);
	buf_add_char(buf, '\n');
}

/* ---- the command ------------------------------------------------------------------------- */

static int no_such_cluster(struct context *context, const struct fleet *fleet, sv name)
{
	sv *names = ARENA_ARRAY(context->arena, sv, fleet->cluster_count);
	struct diag *diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
	                                "there is no cluster \"%.*s\"", SV_ARG(name));

	for (size_t i = 0; i < fleet->cluster_count; i++)
		names[i] = fleet->clusters[i].name;
	sv nearest = diag_nearest(name, names, fleet->cluster_count);
	if (sv_empty(nearest))
		diag_set_help(context->sink, diag, "`osm-gen config show` shows them all");
	else
		diag_set_help(context->sink, diag, "did you mean %.*s?", SV_ARG(nearest));
	return 64;
}

static int show_config(struct context *context)
{
	struct buf buf = buf_in(context->arena);
	struct value clusters = value_list_new(context->arena);
	bool all = context->options->arguments.count < 2;
	sv wanted = all ? SV("") : context->options->arguments.items[1];
	struct run_request request;
	const struct fleet *fleet;
	bool found = false;

	if (asking_request(context, &request) != STATUS_OK)
		return 3;
	if (run_survey(context->arena, context->sink, &request, &fleet, &context->result) !=
	    STATUS_OK)
		return 2;
	struct effectives of_fleet = effective_of_fleet(context, fleet);
	if (!is_json(context))
		add_fleet_text(&buf, of_fleet);
	for (size_t i = 0; i < fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &fleet->clusters[i];

		if (!all && !sv_eq(cluster->name, wanted))
			continue;
		found = true;
		struct effectives rows = effective_of_cluster(context, fleet, cluster);
		if (is_json(context))
			value_list_add(context->arena, &clusters,
			               cluster_value(context->arena, cluster, rows));
		else
			add_cluster_text(&buf, cluster, rows);
	}
	if (!found)
		return no_such_cluster(context, fleet, wanted);
	if (is_json(context))
		add_document(context->arena, &buf, of_fleet, clusters);
	report_defuse(&buf, 0);
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
