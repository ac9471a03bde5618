/* Messages of commits, which anybody may write: what an audit reads of them. */
#include "audit/audit.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_hex(sv message, sv text, size_t size)
{
	check(text.len == size);
	check(sv_contains(message, text));
	for (size_t i = 0; i < size; i++)
		check(ascii_is_digit((uint8_t)text.ptr[i]) ||
		      (text.ptr[i] >= 'a' && text.ptr[i] <= 'f'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv message = sv_from((const char *)data, size);
	struct audit_trailers trailers;
	struct audit_trailers again;
	struct buf quoted = buf_in(arena);

	audit_read_trailers(arena, message, &trailers);
	VEC_EACH (trailer, &trailers) {
		check_hex(message, trailer->source, 40);
		check_hex(message, trailer->output, 32);
		/* As a forge quotes it, and with the line breaks of another system. */
		buf_printf(&quoted, "    %s: %.*s\r\n\r\n    %s: %.*s\r\n", AUDIT_SOURCE_TRAILER,
		           SV_ARG(trailer->source), AUDIT_OUTPUT_TRAILER, SV_ARG(trailer->output));
	}
	audit_read_trailers(arena, buf_sv(&quoted), &again);
	check(again.count == trailers.count);
	for (size_t i = 0; i < again.count; i++)
		check(sv_eq(again.items[i].source, trailers.items[i].source) &&
		      sv_eq(again.items[i].output, trailers.items[i].output));
	return 0;
}
