/* What is read can be written, and what was written reads back to the same text. */
#include "toml/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value value;
	struct value again;
	struct buf first = buf_in(arena);
	struct buf second = buf_in(arena);
	sv error = {0};

	if (!toml_decode(arena, sv_from((const char *)data, size), &value, &error)) {
		BUG_ON(error.len == 0);
		return 0;
	}
	if (!toml_encode(&first, &value, &error))
		return 0; /* too deep */
	if (!toml_decode(arena, buf_sv(&first), &again, &error))
		BUG("what was written does not read");
	BUG_ON(!toml_encode(&second, &again, &error));
	BUG_ON(!sv_eq(buf_sv(&first), buf_sv(&second)));
	return 0;
}
