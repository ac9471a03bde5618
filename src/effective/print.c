/*
 * The effective settings as text for people, and as JSON for programs.
 */
#include "internal.h"

#include "report/report.h"
#include "json/json.h"

sv effective_place(struct arena *arena, struct position at)
{
	if (!at.source)
		return SV("");
	return arena_printf(arena, "%.*s:%zu", SV_ARG(at.source->path),
	                    position_line_column(at).line);
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

/* Each recipient is a line, as each has a position of its own. */
static void add_recipients(struct buf *buf, const struct effective *found,
                           const struct fleet_sealing *sealing)
{
	for (size_t i = 0; i < sealing->recipient_count; i++)
		add_line(buf, found, sealing->recipients[i].text,
		         effective_place(buf->arena, sealing->recipients[i].at));
	if (sealing->recipient_count == 0)
		add_line(buf, found, SV("-"), SV(""));
}

void effective_add_fleet(struct buf *buf, struct effectives all)
{
	BUF_ADD_LIT(buf, "fleet\n");
	VEC_EACH (found, &all)
		add_text(buf, found);
}

void effective_add_cluster(struct buf *buf, const struct fleet_cluster *cluster,
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

/* Adds a map for each section, in the order given. */
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

struct value effective_cluster_value(struct arena *arena, const struct fleet_cluster *cluster,
                                     struct effectives all)
{
	struct value root = value_map_new(arena);

	set_text(arena, &root, "name", cluster->name);
	set_text(arena, &root, "folder", cluster->scope);
	add_sections(arena, &root, all);
	return root;
}

void effective_add_document(struct buf *buf, struct effectives of_fleet, struct value clusters)
{
	struct arena *arena = buf->arena;
	struct value root = value_map_new(arena);
	struct value fleet = value_map_new(arena);

	add_sections(arena, &fleet, of_fleet);
	set_text(arena, &root, "formatVersion", SV("1.0"));
	value_map_set(arena, &root, SV("fleet"), fleet);
	value_map_set(arena, &root, SV("clusters"), clusters);
	json_emit(buf, &root, JSON_PRETTY);
	buf_add_char(buf, '\n');
}
