/*
 * Marks in manifests: whatever the text, the result is refused, or is read with the annotation and
 * holds every line of before that the annotation did not replace.
 */
#include "roll/roll.h"
#include "yaml/yaml.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Returns the number of MachineDeployments of that name which have the annotation. */
static size_t count_marked(struct arena *arena, sv text, sv number)
{
	struct sink sink = sink_in(arena);
	const struct source *source = source_new(arena, SV("marked"), text, false);
	struct yml_documents documents;
	size_t count = 0;

	check(yml_parse(arena, &sink, source, &documents) == STATUS_OK);
	VEC_EACH (document, &documents) {
		const struct value *items = value_map_get(&document->root, SV("items"));
		const struct value *at =
		    value_path(&document->root, "spec.template.metadata.annotations");

		count += sv_eq(value_text(value_map_get(at, SV(ROLL_ANNOTATION))), number);
		for (size_t i = 0; value_is_list(items) && i < value_count(items); i++) {
			at = value_path(value_item(items, i), "spec.template.metadata.annotations");
			count += sv_eq(value_text(value_map_get(at, SV(ROLL_ANNOTATION))), number);
		}
	}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	sv text = sv_from((const char *)data, size);
	struct roll_target target = {
	    .cluster = SV("prod"), .namespace = SV("kube-system"), .name = SV("workers")};
	sv marked;

	if (size > 16384 || roll_mark(arena, &sink, text, &target, 1, &marked) != STATUS_OK)
		return 0;
	sv number = arena_printf(arena, "%llu", (unsigned long long)target.count);
	check(marked.len > text.len || target.count > 1);
	check(count_marked(arena, marked, number) > 0);
	return 0;
}
