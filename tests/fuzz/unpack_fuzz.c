/*
 * Objects that are taken apart, which anybody may have sealed: whatever they hold, the parts are
 * text with names of their own, and what is printed has no control characters.
 */
#include "unpack/unpack.h"
#include "yaml/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	const struct source *source =
	    source_new(arena, SV("object"), sv_from((const char *)data, size), false);
	struct yml_documents documents = {0};
	struct map names = map_in(arena);
	struct unpack_parts parts = {0};
	struct buf out = buf_in(arena);

	if (size > 16384 || yml_parse(arena, &sink, source, &documents) != STATUS_OK ||
	    documents.count == 0)
		return 0;
	unpack_object(arena, &documents.items[0].root, &parts);
	BUG_ON(parts.count == 0 || !sv_empty(parts.items[0].name));
	VEC_EACH (part, &parts)
		BUG_ON(!utf8_valid(part->text) || !map_put(&names, part->name, part));
	unpack_print(&out, &parts);
	for (size_t i = 0; i < out.len; i++)
		BUG_ON((unsigned char)out.ptr[i] < ' ' && out.ptr[i] != '\n' && out.ptr[i] != '\t');
	return 0;
}
