/*
 * The parser takes any text; a tree that it gives prints, and an error has a place in the text.
 * What prints parses again: a node's text is what error messages quote.
 */
#include "tmpl/func.h"
#include "tmpl/parse_node.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value text = value_string(sv_from((const char *)data, size));
	struct tmpl_source source = {SV("t"), &text};
	struct parse_job job = {.arena = arena, .funcs = &tmpl_funcs_profile, .source = &source};

	if (!template_parse_text(&job)) {
		if (job.error.len == 0 || job.error_offset > size)
			abort();
		return 0;
	}
	VEC_EACH (tree, &job.trees) {
		VEC_EACH (node, &(*tree)->root->nodes) {
			if ((*node)->kind != PARSE_NODE_ACTION)
				continue;
			struct value again = value_string(parse_node_text(arena, *node));
			struct tmpl_source printed = {SV("t"), &again};
			struct parse_job second = {
			    .arena = arena, .funcs = &tmpl_funcs_profile, .source = &printed};
			/* Only a variable from before may be missing. */
			if (!template_parse_text(&second) &&
			    !sv_contains(second.error, SV("undefined variable")))
				abort();
		}
	}
	return 0;
}
