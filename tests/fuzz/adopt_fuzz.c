/* Exports of live clusters: what kubectl printed, or what somebody says it did; read, and chosen
 * from. */
#include "adopt/internal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever is in them, files stay in the folder, and clear ones have no status of a live object. */
static void check_files(const struct adopt_choice *choice)
{
	VEC_EACH (file, &choice->files) {
		if (sv_contains(file->path, SV("../")) || sv_starts_with(file->path, SV("/")) ||
		    value_map_find(&file->object, SV("status")) ||
		    (sv_contains(file->path, SV("/secret-")) && !file->sealed))
			abort();
	}
}

/* Each machine is counted once, whoever says that it is whose. */
static void check_machines(struct arena *arena, const struct adopt_live *live)
{
	const struct adopt_live *lives[] = {live, live};
	const struct adopt_observe_request request = {.lives = lives, .live_count = 2};

	VEC_EACH (object, &live->objects) {
		struct adopt_observed_unit unit = {
		    .dialect = adopt_kind_of(&(*object)->id).dialect,
		    .kind = (*object)->id.kind,
		    .namespace = (*object)->id.namespace,
		    .name = (*object)->id.name,
		};
		size_t count = 0;

		if (!adopt_is_part(*object, DIALECT_LIVE_UNIT))
			continue;
		adopt_observe_machines(arena, &request, &unit);
		for (size_t i = 0; i < COUNT_OF(unit.counts); i++)
			count += unit.counts[i];
		if (count != unit.machines.count || count > live->objects.count)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	struct sink sink = sink_in(arena);
	struct adopt_live *live = adopt_live_new(arena);
	sv text = arena_dup(arena, sv_from((const char *)data, size));
	struct adopt_request request = {.live = live, .cluster = SV("fuzz")};
	struct adopt_lines lines = {0};
	struct adopt_choice choice;

	enum status status = adopt_live_read(&sink, live, SV("export.yaml"), text);
	if ((status == STATUS_OK) != (sink.error_count == 0))
		abort();
	if (status != STATUS_OK)
		return 0;
	check_machines(arena, live);
	status = adopt_choose(arena, &sink, &request, dialect_contract_newest(), &lines, &choice);
	if (status == STATUS_OK && choice.files.count == 0)
		abort();
	if (status == STATUS_OK)
		check_files(&choice);
	return 0;
}
