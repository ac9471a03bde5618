/* The lexer ends, its items lie inside the text, and text items lose nothing but what is trimmed.
 */
#include "tmpl/lex.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv text = sv_from((const char *)data, size);
	struct lexer lexer = lexer_on(arena, text);
	size_t items = 0;

	for (;;) {
		struct item item = lexer_next(&lexer);
		if (item.type == ITEM_EOF || item.type == ITEM_ERROR)
			return 0;
		/* Each item takes at least one byte. */
		if (++items > size + 1)
			abort();
		if (item.pos + item.text.len > size || item.line == 0 ||
		    !sv_eq(item.text, sv_slice(text, item.pos, item.pos + item.text.len)))
			abort();
	}
}
