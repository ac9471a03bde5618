/*
 * Extensions of KKP's draft: whatever the text, the result is written, and read again it is what
 * was written; without an error it is an extension that osm-gen takes.
 */
#include "osm/extension/extension.h"
#include "osm/extension/internal.h"
#include "yaml/yaml.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void convert(struct arena *arena, const struct source *source, struct value *root)
{
	struct sink sink = sink_in(arena);
	struct kube_object object;
	struct yml_documents again;
	struct buf text = buf_in(arena);

	if (kube_object_read(arena, &sink, source, root, &object) != STATUS_OK)
		return;
	struct value result = osm_extension_convert(arena, &sink, &object);
	size_t errors = sink.error_count;
	yml_emit(&text, &result, (struct yml_format){0});
	const struct source *written = source_new(arena, SV("written"), buf_sv(&text), false);
	check(yml_parse(arena, &sink, written, &again) == STATUS_OK && again.count == 1);
	check(value_equal(&again.items[0].root, &result));
	if (errors > 0)
		return;
	check(kube_object_read(arena, &sink, written, &again.items[0].root, &object) == STATUS_OK);
	check(!osm_extension_read(arena, &sink, &object)->is_wrong);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct yml_documents documents;

	if (size > 16384)
		return 0;
	const struct source *source =
	    source_new(arena, SV("draft"), sv_from((const char *)data, size), false);
	if (yml_parse(arena, &sink, source, &documents) != STATUS_OK)
		return 0;
	VEC_EACH (document, &documents)
		convert(arena, source, &document->root);
	return 0;
}
