/*
 * inventory: collected of all units, and printed as a table or as JSON.
 */
#include "inventory.h"

#include "json/json.h"

/* ---- collecting --------------------------------------------------------------------------- */

static int compare_items(const void *a, const void *b, void *context)
{
	const struct dialect_fetch *left = &(*(struct inventory_item *const *)a)->fetch;
	const struct dialect_fetch *right = &(*(struct inventory_item *const *)b)->fetch;
	const sv pairs[][2] = {
	    {left->kind, right->kind},       {left->name, right->name},
	    {left->version, right->version}, {left->architecture, right->architecture},
	    {left->url, right->url},
	};
	int order = 0;

	(void)context;
	for (size_t i = 0; order == 0 && i < COUNT_OF(pairs); i++)
		order = sv_cmp(pairs[i][0], pairs[i][1]);
	return order;
}

static sv key_of(struct arena *arena, const struct dialect_fetch *fetch)
{
	const sv parts[] = {fetch->kind,    fetch->name,    fetch->version,     fetch->architecture,
	                    fetch->url,     fetch->sha256,  fetch->fingerprint, fetch->from,
	                    fetch->setting, fetch->upstream};
	struct buf key = buf_in(arena);

	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		buf_add(&key, parts[i]);
		buf_add_char(&key, '\n');
	}
	return buf_sv(&key);
}

static void add_unit(struct arena *arena, struct map *known, struct inventory *inventory,
                     const struct run_fetched *unit)
{
	sv name = ARENA_CONCAT(arena, unit->cluster, SV("/"), unit->namespace, SV("/"), unit->name);

	if (!unit->is_inventoried)
		VEC_PUSH(arena, &inventory->unknown, name);
	VEC_EACH (fetch, &unit->fetches) {
		sv key = key_of(arena, fetch);
		struct inventory_item *item = map_get(known, key);

		if (!item) {
			item = ARENA_NEW(arena, struct inventory_item);
			item->fetch = *fetch;
			map_put(known, key, item);
			VEC_PUSH(arena, &inventory->items, item);
		}
		if (item->units.count > 0 && sv_eq(item->units.items[item->units.count - 1], name))
			continue;
		VEC_PUSH(arena, &item->units, name);
		if (item->cluster_count == 0 || !sv_eq(item->last_cluster, unit->cluster))
			item->cluster_count++;
		item->last_cluster = unit->cluster;
	}
}

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

static void add_table(struct buf *buf, const struct inventory *inventory)
{
	static const char *const titles[COLUMNS] = {"KIND",  "NAME",     "VERSION", "ARCH",
	                                            "UNITS", "CLUSTERS", "SETTING", "FROM"};
	size_t count = inventory->items.count;
	sv *cells = ARENA_ARRAY(buf->arena, sv, count * COLUMNS + 1);

	for (size_t i = 0; i < count; i++)
		fill_row(buf->arena, &cells[i * COLUMNS], inventory->items.items[i]);
	report_add_table(buf, titles, COLUMNS, cells, count);
	VEC_EACH (unit, &inventory->unknown)
		buf_printf(buf, "not inventoried: %.*s\n", SV_ARG(*unit));
}

/* ---- as JSON ------------------------------------------------------------------------------ */

static void add_json(struct buf *buf, const struct inventory *inventory)
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

/* ---- the command -------------------------------------------------------------------------- */

static int no_such_cluster(struct context *context, sv wanted)
{
	const struct run_result *result = &context->result;
	sv *names = ARENA_ARRAY(context->arena, sv, result->fetched.count);
	struct diag *diag =
	    diag_report(context->sink, DIAG_USAGE, NOWHERE,
	                "there is no cluster \"%.*s\" with MachineDeployments", SV_ARG(wanted));

	for (size_t i = 0; i < result->fetched.count; i++)
		names[i] = result->fetched.items[i].cluster;
	sv nearest = diag_nearest(wanted, names, result->fetched.count);
	if (sv_empty(nearest))
		diag_set_help(context->sink, diag, "`osm-gen list` shows them all");
	else
		diag_set_help(context->sink, diag, "did you mean %.*s?", SV_ARG(nearest));
	return 64;
}

/* Of the wanted cluster, or of all; false: there is none of that name. */
static bool collect(struct context *context, sv wanted, struct inventory *inventory)
{
	struct map known = map_in(context->arena);
	bool found = sv_empty(wanted);

	VEC_EACH (unit, &context->result.fetched) {
		if (!sv_empty(wanted) && !sv_eq(unit->cluster, wanted))
			continue;
		found = true;
		if (!sv_empty(unit->name))
			add_unit(context->arena, &known, inventory, unit);
	}
	if (inventory->items.count > 0)
		sort_stable(inventory->items.items, inventory->items.count,
		            sizeof(*inventory->items.items), compare_items, NULL);
	return found;
}

int command_inventory(struct context *context)
{
	const struct options *options = context->options;
	sv wanted = options->arguments.count > 0 ? options->arguments.items[0] : SV("");
	struct buf buf = buf_in(context->arena);
	struct inventory inventory = {0};
	struct run_request request;
	bool lacks = false;

	if (options->mirror_script + !sv_empty(options->check_mirror) + !sv_empty(options->format) >
	    1) {
		diag_report(context->sink, DIAG_USAGE, NOWHERE,
		            "--output, --check-mirror and --mirror-script exclude each other");
		return 64;
	}
	if (asking_request(context, &request) != STATUS_OK)
		return 3;
	request.print.wants_fetches = true;
	if (run(context->arena, context->sink, &request, &context->result) != STATUS_OK)
		return 2;
	if (!collect(context, wanted, &inventory))
		return no_such_cluster(context, wanted);
	if (options->mirror_script)
		inventory_script(&buf, &inventory);
	else if (!sv_empty(options->check_mirror)) {
		if (inventory_check_mirror(context, &buf, &inventory, &lacks) != STATUS_OK)
			return 3;
	} else if (sv_eq(options->format, SV("json")))
		add_json(&buf, &inventory);
	else if (sv_eq(options->format, SV("cyclonedx")))
		inventory_bom(context->arena, &buf, &inventory);
	else
		add_table(&buf, &inventory);
	report_defuse(&buf, 0);
	if (print_out(context, buf_sv(&buf)) != STATUS_OK)
		return 3;
	return lacks ? 1 : 0;
}
