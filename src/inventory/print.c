/*
 * The inventory as a table for people, and as JSON for programs.
 */
#include "inventory/inventory.h"

#include "report/report.h"
#include "json/json.h"

/* ---- as a table --------------------------------------------------------------------------- */

enum { COLUMNS = 8 };

static void fill_row(struct arena *arena, sv *cells, const struct inventory_item *item)
{
	const struct dialect_fetch *fetch = &item->fetch;
	const sv texts[COLUMNS] = {
	    fetch->kind,
	    fetch->name,
	    fetch->version,
	    fetch->architecture,
	    arena_printf(arena, "%zu", item->units.count),
	    arena_printf(arena, "%zu", item->cluster_count),
	    fetch->setting,
	    sv_empty(fetch->url) ? fetch->from : fetch->url,
	};

	memcpy(cells, texts, sizeof(texts));
}

void inventory_add_table(struct buf *buf, const struct inventory *inventory)
{
	static const struct report_style plain;
	static const char *const titles[COLUMNS] = {"KIND",  "NAME",     "VERSION", "ARCH",
	                                            "UNITS", "CLUSTERS", "SETTING", "FROM"};
	size_t count = inventory->items.count;
	sv *cells = ARENA_ARRAY(buf->arena, sv, count * COLUMNS + 1);

	for (size_t i = 0; i < count; i++)
		fill_row(buf->arena, &cells[i * COLUMNS], inventory->items.items[i]);
	report_add_table(buf, titles, COLUMNS, cells, count, &plain);
	VEC_EACH (unit, &inventory->unknown)
		buf_printf(buf, "not inventoried: %.*s\n", SV_ARG(*unit));
}

/* ---- as JSON ------------------------------------------------------------------------------ */

void inventory_add_json(struct buf *buf, const struct inventory *inventory)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *list = json_doc_list();
	struct json_t *unknown = json_doc_list();

	json_doc_set_text(root, "formatVersion", SV("1.0"));
	VEC_EACH (item, &inventory->items) {
		const struct dialect_fetch *fetch = &(*item)->fetch;
		struct json_t *row = json_doc_map();
		struct json_t *units = json_doc_list();

		json_doc_set_text(row, "kind", fetch->kind);
		json_doc_set_text(row, "name", fetch->name);
		json_doc_set_text_if(row, "version", fetch->version);
		json_doc_set_text_if(row, "architecture", fetch->architecture);
		json_doc_set_text_if(row, "url", fetch->url);
		json_doc_set_text_if(row, "upstream", fetch->upstream);
		json_doc_set_text_if(row, "sha256", fetch->sha256);
		json_doc_set_text_if(row, "fingerprint", fetch->fingerprint);
		json_doc_set_text_if(row, "from", fetch->from);
		json_doc_set_text_if(row, "setting", fetch->setting);
		VEC_EACH (unit, &(*item)->units)
			json_doc_add_text(units, *unit);
		json_doc_set(row, "units", units);
		json_doc_add(list, row);
	}
	json_doc_set(root, "items", list);
	VEC_EACH (unit, &inventory->unknown)
		json_doc_add_text(unknown, *unit);
	json_doc_set(root, "notInventoried", unknown);
	json_doc_write(buf, root);
}
