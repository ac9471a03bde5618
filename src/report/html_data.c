/*
 * The units of the HTML report, for its script: a table of strings, and for each unit a list of
 * indexes into it. Ten thousand units take half a megabyte.
 */
#include "json/json.h"

#include "report/tree.h"

/* The strings that units have, each of them once. */
struct texts {
	struct arena *arena;
	const struct secret_mask *mask;
	struct map places; /* string to its index, from 1 */
	struct value list;
};

static struct value data_string(struct texts *texts, sv text)
{
	struct buf visible = buf_in(texts->arena);

	report_add_visible(&visible, secret_mask_apply(texts->arena, texts->mask, text));
	return value_string(buf_sv(&visible));
}

static struct value place_of_text(struct texts *texts, sv text)
{
	uintptr_t place = (uintptr_t)map_get(&texts->places, text);

	if (place == 0) {
		value_list_add(texts->arena, &texts->list, data_string(texts, text));
		place = value_count(&texts->list);
		map_put(&texts->places, text, (void *)place);
	}
	return value_size(place - 1);
}

static struct value data_row(struct texts *texts, const struct report_unit *row)
{
	const sv strings[] = {row->cluster,        row->namespace,        row->name,
	                      row->provider,       row->operating_system, row->profile,
	                      row->profile_version};
	const int64_t numbers[] = {(int64_t)row->bootstrap_bytes, (int64_t)row->bootstrap_limit,
	                           row->change, row->class, row->replicas};
	struct value items[COUNT_OF(strings) + COUNT_OF(numbers)];

	for (size_t i = 0; i < COUNT_OF(strings); i++)
		items[i] = place_of_text(texts, strings[i]);
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		items[COUNT_OF(strings) + i] = value_int(numbers[i]);
	return value_list_of(texts->arena, items, COUNT_OF(items));
}

sv html_data(struct tree *t)
{
	/* The tree takes more memory than the document, and ends before the page is made. */
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const struct report_summary *summary = t->summary;
	struct texts texts = {arena, t->mask, map_in(arena), value_list_new(arena)};
	struct value classes = value_list_new(arena);
	struct value changes = value_list_new(arena);
	struct value units = value_list_new(arena);
	struct value groups = value_list_new(arena);
	struct buf json = buf_in(arena);

	for (int i = REPORT_CLASS_NONE; i <= REPORT_CLASS_REMOVE; i++)
		value_list_add(arena, &classes,
		               value_string(report_class_word((enum report_class)i)));
	for (int i = REPORT_UNCHANGED; i <= REPORT_REMOVED; i++)
		value_list_add(arena, &changes,
		               value_string(render_change_word((enum report_change)i)));
	VEC_EACH (row, &summary->units)
		value_list_add(arena, &units, data_row(&texts, row));
	VEC_EACH (group, &summary->groups) {
		struct value members = value_list_new(arena);

		for (size_t i = 0; i < group->unit_count; i++)
			value_list_add(arena, &members, value_size(group->units[i]));
		value_list_add(arena, &groups, members);
	}
	struct value root = VALUE_MAP(arena, {"kind", data_string(&texts, summary->unit_kind)},
	                              {"classes", classes}, {"changes", changes}, {"units", units},
	                              {"groups", groups}, {"texts", texts.list});
	render_value_json(&json, &root, JSON_ESCAPE_HTML);
	return arena_dup(t->arena, buf_sv(&json));
}
