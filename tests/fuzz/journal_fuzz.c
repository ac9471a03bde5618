/*
 * The two journals that a run reads of one that was stopped: whatever they hold, they name nothing
 * outside of the folders that they are about.
 */
#include "git/internal.h"
#include "git/locks.h"
#include "git/stage.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_path(sv path)
{
	struct sv_splitter parts = sv_split(path, '/');
	sv part;

	while (sv_split_next(&parts, &part))
		if (sv_empty(part) || sv_eq(part, SV(".")) || sv_eq(part, SV("..")) ||
		    sv_eq_fold_ascii(part, SV(".git")))
			abort();
}

static void check_run(struct arena *arena, sv text)
{
	const sv run = SV("run-12-345");
	struct git_run_records records;
	sv boot;

	if (!git_run_parse(arena, run, text, &boot, &records))
		return;
	VEC_EACH (record, &records) {
		check_path(record->name);
		if (sv_find_char(record->name, '/') != SV_NPOS)
			abort();
		if (record->is_pack) {
			if (!sv_eq(record->name, SV("tmp_pack_osm-gen-12-345")))
				abort();
			continue;
		}
		check_path(record->path);
		if (!sv_ends_with(record->path, SV(".lock")) || !sv_starts_with(record->name, run))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct git_stage stage = {.arena = arena};
	sv text = sv_from((const char *)data, size);

	check_run(arena, text);
	if (!git_stage_parse_journal(&stage, text))
		return 0;
	VEC_EACH (operation, &stage.operations) {
		check_path(operation->path);
		check_path(operation->name);
		if (sv_find_char(operation->name, '/') != SV_NPOS)
			abort();
	}
	return 0;
}
