/*
 * What reviewers are told of a change: one or two OperatingSystemConfigs as they may be committed,
 * before and after.
 */
#include "osm/osm.h"
#include "review/internal.h"
#include "yaml/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct arena *arena, const struct dialect_description *description)
{
	struct map names = map_in(arena);

	VEC_EACH (fact, &description->facts) {
		BUG_ON(sv_empty(fact->name));
		BUG_ON(!map_put(&names, fact->name, fact));
	}
}

/* Every note is a kind and a text, and none is there twice. */
static void check_findings(struct arena *arena, const struct review_findings *findings)
{
	struct map known = map_in(arena);

	VEC_EACH (finding, findings) {
		BUG_ON(finding->kind >= REPORT_NOTE_KINDS);
		BUG_ON(!map_put(
		    &known,
		    arena_printf(arena, "%d %.*s", (int)finding->kind, SV_ARG(finding->text)),
		    finding));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	sv text = arena_dup(arena, sv_from((const char *)data, size));
	struct source *source = source_new(arena, SV("config.yaml"), text, false);
	struct yml_documents documents;
	struct dialect_description before = {0};
	struct dialect_description after = {0};

	if (yml_parse(arena, &sink, source, &documents) != STATUS_OK || documents.count == 0)
		return 0;
	const struct value *first = &documents.items[0].root;
	const struct value *last = &documents.items[documents.count - 1].root;
	osm_describe(arena, first, &before);
	osm_describe(arena, last, &after);
	check(arena, &before);
	check(arena, &after);
	struct review_finder finder = review_finder_in(arena);
	review_find(&finder, &before, &after);
	review_find_rbac(&finder, first, last);
	check_findings(arena, &finder.findings);
	/* What stays as it is, is nothing to look at. */
	struct review_finder none = review_finder_in(arena);
	review_find(&none, &after, &after);
	review_find_rbac(&none, last, last);
	BUG_ON(none.findings.count > 0);
	return 0;
}
