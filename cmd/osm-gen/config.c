/*
 * config: effective settings and where each comes from; the schema and the reference of them all.
 */
#include "commands.h"
#include "fleet/fleet.h"
#include "secrecy/secrecy.h"
#include "json/json.h"

static bool is_json(const struct context *context)
{
	return sv_eq(context->options->format, SV("json"));
}

/* What a setting is for a cluster, and who says so. */
struct effective {
	const struct setting *setting;
	const struct value *value; /* as written; null: the default */
	const char *from;          /* "flag", "cluster", "fleet", "default" */
	sv at;                     /* file and line, or the flag; empty: the default */
};

static sv place_of(struct arena *arena, const struct value *v)
{
	struct position at = value_position(v);

	if (!at.source)
		return SV("");
	return arena_printf(arena, "%.*s:%zu", SV_ARG(at.source->path),
	                    position_line_column(at).line);
}

static bool take(struct effective *found, const struct value *map, const char *from)
{
	const struct value *v = value_map_get(map, found->setting->name);

	if (value_is_null(v))
		return false;
	found->value = v;
	found->from = from;
	return true;
}

/* "--cluster-dns", or the variable that stands for it. */
static sv place_of_flag(const struct value *value)
{
	struct position at = value_position(value_is_list(value) ? value_item(value, 0) : value);

	return at.source ? at.source->path : SV("");
}

static struct effective find_effective(struct context *context, const struct fleet *fleet,
                                       const struct fleet_cluster *cluster,
                                       const struct setting *setting)
{
	struct effective found = {.setting = setting, .from = "default"};

	if (take(&found, &context->options->settings, "flag"))
		found.at = place_of_flag(found.value);
	else if (take(&found, cluster->settings, "cluster") ||
	         take(&found, fleet->defaults, "fleet"))
		found.at = place_of(context->arena, found.value);
	return found;
}

/* What stands before the "@" of a URL is masked; a file's text is not shown. */
static sv shown_text(struct arena *arena, const struct setting *setting, sv text)
{
	struct value tainted = secrecy_taint_userinfo(arena, value_string(text), setting->name);
	struct buf buf = buf_in(arena);
	size_t at = 0;

	if (setting->kind == SETTING_FILE && sv_find_char(text, '\n') != SV_NPOS)
		return arena_printf(arena, "(a text of %zu bytes)", text.len);
	if (!tainted.taint)
		return text;
	if (tainted.taint->derived)
		return SV("***");
	for (size_t i = 0; i < tainted.taint->count; i++) {
		buf_add(&buf, sv_slice(text, at, tainted.taint->spans[i].start));
		BUF_ADD_LIT(&buf, "***");
		at = tainted.taint->spans[i].end;
	}
	buf_add(&buf, sv_from_offset(text, at));
	return buf_sv(&buf);
}

/* CIRCLE: shown_value, for lists and maps in each other, as deep as YAML may nest. */
static struct value shown_value(struct arena *arena, const struct setting *setting,
                                const struct value *v)
{
	struct value copy = value_map_new(arena);

	if (value_is_string(v))
		return value_string(shown_text(arena, setting, v->string));
	if (value_is_list(v)) {
		copy = value_list_new(arena);
		for (size_t i = 0; i < value_count(v); i++)
			value_list_add(arena, &copy, shown_value(arena, setting, value_item(v, i)));
		return copy;
	}
	if (!value_is_map(v))
		return *v;
	for (size_t i = 0; i < value_count(v); i++) {
		const struct value_entry *entry = &v->map->entries[i];

		value_map_set(arena, &copy, shown_text(arena, setting, entry->key),
		              shown_value(arena, setting, &entry->value));
	}
	return copy;
}

static struct value shown(struct arena *arena, const struct effective *found)
{
	if (found->value)
		return shown_value(arena, found->setting, found->value);
	return found->setting->initial ? value_string(sv_from_cstr(found->setting->initial))
	                               : value_null();
}

static size_t recipient_count(const struct fleet_cluster *cluster)
{
	return cluster->sealing.format->takes_certificate ? 0 : cluster->sealing.recipient_count;
}

/* ---- as text ----------------------------------------------------------------------------- */

static void add_line(struct buf *buf, const char *name, sv text, const struct effective *found)
{
	buf_printf(buf, "  %-34s ", name);
	report_add_visible(buf, text);
	if (found) {
		buf_printf(buf, "  (%s%s", found->from, sv_empty(found->at) ? "" : ", ");
		report_add_visible(buf, found->at);
		buf_add_char(buf, ')');
	}
	buf_add_char(buf, '\n');
}

static void add_cluster_text(struct context *context, struct buf *buf, const struct fleet *fleet,
                             const struct fleet_cluster *cluster)
{
	struct arena *arena = context->arena;
	size_t count;
	const struct setting *const *settings = fleet_settings(arena, &count);

	if (buf->len > 0)
		buf_add_char(buf, '\n');
	buf_printf(buf, "cluster %.*s\n", SV_ARG(cluster->name));
	for (size_t i = 0; i < count; i++) {
		struct effective found = find_effective(context, fleet, cluster, settings[i]);
		struct value value = shown(arena, &found);
		struct buf text = buf_in(arena);

		if (value_is_null(&value))
			BUF_ADD_LIT(&text, "-");
		else if (value_is_string(&value))
			buf_add(&text, value.string);
		else
			json_emit(&text, &value, 0);
		add_line(buf, arena_cstr(arena, settings[i]->name), buf_sv(&text), &found);
	}
	add_line(buf, "sealing.format", cluster->sealing.format->name, NULL);
	for (size_t i = 0; i < recipient_count(cluster); i++)
		add_line(buf, "sealing.recipients", cluster->sealing.recipients[i].text, NULL);
}

/* ---- as JSON ----------------------------------------------------------------------------- */

static void set_text(struct arena *arena, struct value *map, const char *key, sv text)
{
	value_map_set(arena, map, sv_from_cstr(key), value_string(text));
}

static struct value cluster_value(struct context *context, const struct fleet *fleet,
                                  const struct fleet_cluster *cluster)
{
	struct arena *arena = context->arena;
	struct value root = value_map_new(arena);
	struct value rows = value_map_new(arena);
	struct value recipients = value_list_new(arena);
	size_t count;
	const struct setting *const *settings = fleet_settings(arena, &count);

	for (size_t i = 0; i < count; i++) {
		struct effective found = find_effective(context, fleet, cluster, settings[i]);
		struct value row = value_map_new(arena);

		value_map_set(arena, &row, SV("value"), shown(arena, &found));
		set_text(arena, &row, "from", sv_from_cstr(found.from));
		if (!sv_empty(found.at))
			set_text(arena, &row, "at", found.at);
		value_map_set(arena, &rows, settings[i]->name, row);
	}
	for (size_t i = 0; i < recipient_count(cluster); i++)
		value_list_add(arena, &recipients,
		               value_string(cluster->sealing.recipients[i].text));
	set_text(arena, &root, "name", cluster->name);
	set_text(arena, &root, "folder", cluster->scope);
	value_map_set(arena, &root, SV("settings"), rows);
	set_text(arena, &root, "sealingFormat", cluster->sealing.format->name);
	value_map_set(arena, &root, SV("recipients"), recipients);
	return root;
}

static void add_document(struct arena *arena, struct buf *buf, struct value clusters)
{
	struct value root = value_map_new(arena);

	set_text(arena, &root, "formatVersion", SV("1.0"));
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
	for (size_t i = 0; i < fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &fleet->clusters[i];

		if (!all && !sv_eq(cluster->name, wanted))
			continue;
		found = true;
		if (is_json(context))
			value_list_add(context->arena, &clusters,
			               cluster_value(context, fleet, cluster));
		else
			add_cluster_text(context, &buf, fleet, cluster);
	}
	if (!found)
		return no_such_cluster(context, fleet, wanted);
	if (is_json(context))
		add_document(context->arena, &buf, clusters);
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
