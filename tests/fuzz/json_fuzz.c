/* The ways in agree, and what was written reads back the same. */
#include "json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(struct arena *arena, const struct value *value, unsigned flags)
{
	struct sink sink = sink_in(arena);
	struct buf buf = buf_in(arena);
	struct value again;

	json_emit(&buf, value, flags);
	const struct source *source = source_new(arena, SV("out"), buf_sv(&buf), false);
	if (json_parse(arena, &sink, source, &again))
		BUG("what was written does not read");
	BUG_ON(!value_equal(&again, value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink strict_sink = sink_in(arena);
	struct sink lenient_sink = sink_in(arena);
	sv text = sv_from((const char *)data, size);
	const struct source *source = source_new(arena, SV("in"), text, false);
	struct value strict;
	struct value lenient;
	struct value decoded;
	sv error;

	bool is_strict = json_parse(arena, &strict_sink, source, &strict) == STATUS_OK;
	bool is_lenient = json_parse_lenient(arena, &lenient_sink, source, &lenient) == STATUS_OK;
	bool is_decoded = json_decode(arena, text, &decoded, &error);
	BUG_ON(is_strict != (strict_sink.error_count == 0));
	BUG_ON(is_lenient != (lenient_sink.error_count == 0));
	BUG_ON(is_strict && !is_lenient);
	BUG_ON(!is_decoded && error.len == 0);
	/* Only the byte order mark is a manifest's alone. */
	BUG_ON(is_lenient != is_decoded && !sv_starts_with(text, SV("\xEF\xBB\xBF")));
	if (is_strict)
		BUG_ON(!value_equal(&strict, &lenient));
	if (is_lenient) {
		check_round_trip(arena, &lenient, 0);
		check_round_trip(arena, &lenient, JSON_GO);
		check_round_trip(arena, &lenient, JSON_INDENT | JSON_SORT_KEYS);
	}
	return 0;
}
