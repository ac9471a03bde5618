/* Warnings in commit messages: whoever may commit can write any trailer, and none of it may crash.
 */
#include "run/proofs/warnings.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	const struct run_env env = {.arena = arena, .secret_arena = arena, .sink = &sink};
	const struct run_inputs inputs = {0};
	struct sv_splitter lines = sv_split(sv_from((const char *)data, size), '\n');
	struct run_claimed_warnings claim = {0};
	size_t lines_left = 100;
	sv line;

	while (lines_left-- > 0 && sv_split_next(&lines, &line))
		run_claim_warnings(arena, &claim, line);
	if (claim.is_malformed)
		return 0;
	bool is_read = run_repeat_warnings(&env, &inputs, &claim);
	check(sink.error_count == 0);
	check(is_read || sink.diags.count == 0);
	VEC_EACH (diag, &sink.diags) {
		check((*diag)->severity == DIAG_WARNING);
		/* No file is there, so that no line of one is shown. */
		check(!(*diag)->at.source || (*diag)->at.offset == SV_NPOS);
	}
	return 0;
}
