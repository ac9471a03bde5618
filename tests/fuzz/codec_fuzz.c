/* Every conversion of codec/ that reads text; a second text may follow a line "--". */
#include "codec/codec.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void fuzz_base(struct arena *arena, sv text)
{
	sv bytes;
	sv again;
	size_t at;

	for (int kind = BASE64_STD; kind <= BASE64_URL_RAW; kind++) {
		if (!base64_decode(arena, (enum base64_kind)kind, text, &bytes, &at))
			check(at <= text.len);
		again = base64_encode(arena, (enum base64_kind)kind, text);
		check(base64_decode_canonical(arena, (enum base64_kind)kind, again, &bytes));
		check(sv_eq(bytes, text));
	}
	if (!base32_decode(arena, text, &bytes, &at))
		check(at <= text.len);
	check(base32_decode(arena, base32_encode(arena, text), &bytes, &at) && sv_eq(bytes, text));
	if (hex_decode(arena, text, &bytes))
		check(hex_encode(arena, bytes).len == text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv text = sv_from((const char *)data, size);
	sv first = text;
	sv second = {0};

	if (size > 4096)
		return 0;
	sv_cut(text, SV("\n--\n"), &first, &second);
	fuzz_base(arena, text);
	uint64_t left = UINT64_MAX;
	(void)gitignore_excludes(gitignore_parse(arena, first), second, false, &left);
	return 0;
}
