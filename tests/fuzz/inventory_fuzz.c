/*
 * The lines of a profile's inventory: "TEXT\n--\nSETTINGS". What is read has a kind, a name and,
 * for downloads, an address and a checksum or where one is published; and the time it takes is
 * bounded.
 */
#include "osm/inventory/inventory.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static sv settings(const void *context, sv path)
{
	(void)path;
	return *(const sv *)context;
}

static void check_fetches(const struct dialect_fetches *fetches)
{
	for (size_t i = 0; i < fetches->count; i++) {
		const struct dialect_fetch *fetch = &fetches->items[i];
		bool is_file =
		    sv_eq_cstr(fetch->kind, "binary") || sv_eq_cstr(fetch->kind, "archive");

		check(!sv_empty(fetch->kind) && !sv_empty(fetch->name));
		check(sv_find_char(fetch->name, '\n') == SV_NPOS);
		check(sv_empty(fetch->sha256) || fetch->sha256.len == 64);
		if (!is_file)
			continue;
		check(!sv_empty(fetch->url));
		check(!sv_empty(fetch->sha256) ||
		      (i + 1 < fetches->count &&
		       sv_eq_cstr(fetches->items[i + 1].kind, "checksum") &&
		       sv_starts_with(fetches->items[i + 1].url, fetch->url)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct dialect_fetches fetches = {0};
	sv given = {0};
	struct osm_inventory_text texts[2] = {{.text = sv_from((const char *)data, size)}};
	struct osm_inventory inventory = {
	    .texts = texts,
	    .text_count = 2,
	    .file = settings,
	    .context = &given,
	};

	if (size > 16384)
		return 0;
	/* The profile's text, the settings' file, an extension's text. */
	sv_cut(texts[0].text, SV("\n--\n"), &texts[0].text, &given);
	sv_cut(given, SV("\n--\n"), &given, &texts[1].text);
	enum status status = osm_inventory_read(arena, &sink, &inventory, &fetches);
	check((status == STATUS_OK) == (sink.error_count == 0));
	check_fetches(&fetches);
	return 0;
}
