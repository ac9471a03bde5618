/* index.json as an audit reads it: its paths lead nowhere else, and each entry can be judged. */
#include "audit/internal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void judge(struct arena *arena, const struct audit_index *index,
                  const struct audit_entry *entry, sv text)
{
	check(sv_starts_with(entry->path, SV("folder/")));
	sv path = ARENA_CONCAT(arena, SV("/"), entry->path, SV("/"));
	check(!sv_contains(path, SV("/../")) && !sv_contains(path, SV("//")));
	/* The object that it lists is the one that is there: only place and source can be wrong. */
	(void)audit_place_mistake(arena, SV("folder"), entry, &entry->object, text);
	check(index->count > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct audit_findings findings = audit_findings_in(arena, SV("out"));
	sv text = sv_from((const char *)data, size);
	struct audit_index index = {0};
	sv what = {0};

	if (!audit_read_index(arena, SV("folder"),
	                      source_new(arena, SV("folder/index.json"), text, false), &index,
	                      &what)) {
		check(!sv_empty(what));
		return 0;
	}
	for (size_t i = 0; i < index.count; i++)
		judge(arena, &index, &index.entries[i], text);
	for (size_t i = 1; i < index.recipient_count; i++)
		check(sv_cmp(index.recipients[i - 1], index.recipients[i]) <= 0);
	index.cluster = SV("folder");
	audit_check_kustomization(arena, &findings, &index, SV("folder/worker/kustomization.yaml"),
	                          text);
	return 0;
}
