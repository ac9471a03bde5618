/*
 * The inventory as a table for people, and as JSON for programs.
 */
#include "internal.h"

#include "report/report.h"

/* Returns the inventory as JSON has it, and with numbers of clusters for the table. */
static struct value tree_of(struct arena *arena, const struct inventory *inventory, bool for_table)
{
	struct value items = value_list_new(arena);

	VEC_EACH (item, &inventory->items) {
		const struct dialect_fetch *fetch = &(*item)->fetch;
		int64_t clusters = (int64_t)(*item)->cluster_count;

		value_list_add(
		    arena, &items,
		    VALUE_MAP(
		        arena, {"kind", value_string(fetch->kind)},
		        {"name", value_string(fetch->name)},
		        {"version", value_string_if(fetch->version)},
		        {"architecture", value_string_if(fetch->architecture)},
		        {"url", value_string_if(fetch->url)},
		        {"upstream", value_string_if(fetch->upstream)},
		        {"sha256", value_string_if(fetch->sha256)},
		        {"fingerprint", value_string_if(fetch->fingerprint)},
		        {"from", value_string_if(fetch->from)},
		        {"setting", value_string_if(fetch->setting)},
		        {"units", value_strings(arena, (*item)->units.items, (*item)->units.count)},
		        {"clusters", for_table ? value_int(clusters) : VALUE_INVALID}));
	}
	return VALUE_MAP(arena, {"formatVersion", value_string(SV("1.0"))}, {"items", items},
	                 {"notInventoried", value_strings(arena, inventory->unknown.items,
	                                                  inventory->unknown.count)});
}

void inventory_add_table(struct buf *buf, const struct inventory *inventory)
{
	const struct value root = tree_of(buf->arena, inventory, true);

	report_form(buf, "inventory", REPORT_TABLE, &root);
}

void inventory_add_json(struct buf *buf, const struct inventory *inventory)
{
	const struct value root = tree_of(buf->arena, inventory, false);

	report_add_json(buf, &root);
}
