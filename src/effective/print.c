/*
 * The effective settings as a tree of values: in rows for people, in sections for programs.
 */
#include "internal.h"

#include "json/json.h"

sv effective_place(struct arena *arena, struct position at)
{
	if (!at.source)
		return SV("");
	return arena_printf(arena, "%.*s:%zu", SV_ARG(at.source->path),
	                    position_line_column(at).line);
}

/* ---- as text ----------------------------------------------------------------------------- */

static void add_row(struct arena *arena, struct value *rows, const struct effective *found, sv text,
                    sv at)
{
	bool is_alone =
	    strcmp(found->section, "settings") == 0 || strcmp(found->section, "spec") == 0;
	sv name = is_alone
	              ? found->name
	              : ARENA_CONCAT(arena, sv_from_cstr(found->section), SV("."), found->name);

	value_list_add(arena, rows,
	               VALUE_MAP(arena, {"name", value_string(name)}, {"value", value_string(text)},
	                         {"from", value_string(sv_from_cstr(found->from))},
	                         {"at", value_string_if(at)}));
}

/* Returns a row for each setting, and one for each recipient, which has a place of its own. */
static struct value rows_of(struct arena *arena, const struct fleet_cluster *cluster,
                            struct effectives all)
{
	struct value rows = value_list_new(arena);

	VEC_EACH (found, &all) {
		struct buf text = buf_in(arena);

		if (cluster && sv_eq(found->name, SV("recipients"))) {
			const struct fleet_sealing *sealing = &cluster->sealing;

			for (size_t i = 0; i < sealing->recipient_count; i++)
				add_row(arena, &rows, found, sealing->recipients[i].text,
				        effective_place(arena, sealing->recipients[i].at));
			if (sealing->recipient_count == 0)
				add_row(arena, &rows, found, SV("-"), SV(""));
			continue;
		}
		if (value_is_null(&found->value))
			buf_add(&text, SV("-"));
		else if (value_is_string(&found->value))
			buf_add(&text, found->value.string);
		else
			json_emit(&text, &found->value, 0);
		add_row(arena, &rows, found, buf_sv(&text), found->at);
	}
	return rows;
}

/* ---- as JSON ----------------------------------------------------------------------------- */

/* Adds a map for each section, in the order given. */
static void add_sections(struct arena *arena, struct value *root, struct effectives all)
{
	struct value section = value_map_new(arena);

	for (size_t i = 0; i < all.count; i++) {
		const struct effective *found = &all.items[i];

		value_map_set(
		    arena, &section, found->name,
		    VALUE_MAP(arena,
		              {"value", value_is_null(&found->value) ? value_null() : found->value},
		              {"from", value_string(sv_from_cstr(found->from))},
		              {"at", value_string_if(found->at)}));
		if (i + 1 < all.count && strcmp(all.items[i + 1].section, found->section) == 0)
			continue;
		value_map_set(arena, root, sv_from_cstr(found->section), section);
		section = value_map_new(arena);
	}
}

struct value effective_tree(struct arena *arena, const struct fleet_cluster *cluster,
                            struct effectives all, bool has_rows)
{
	struct value root =
	    VALUE_MAP(arena, {"name", cluster ? value_string(cluster->name) : VALUE_INVALID},
	              {"folder", cluster ? value_string(cluster->scope) : VALUE_INVALID},
	              {"rows", has_rows ? rows_of(arena, cluster, all) : VALUE_INVALID});

	if (!has_rows)
		add_sections(arena, &root, all);
	return root;
}
