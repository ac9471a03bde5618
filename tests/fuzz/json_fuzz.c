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

static bool check_values(struct arena *arena, const struct source *source)
{
	struct sink sink = sink_in(arena);
	struct value strict;
	struct value decoded;
	sv error;

	bool is_strict = json_parse(arena, &sink, source, &strict) == STATUS_OK;
	bool is_decoded = json_decode(arena, source->text, &decoded, &error);
	BUG_ON(is_strict != (sink.error_count == 0));
	BUG_ON(!is_decoded && error.len == 0);
	/* Only the byte order mark is a manifest's alone. */
	BUG_ON(is_strict && !is_decoded && !sv_starts_with(source->text, SV("\xEF\xBB\xBF")));
	BUG_ON(!is_strict && is_decoded && sink.diags.items[0]->code != DIAG_JSON_DUPLICATE_KEY);
	if (is_strict) {
		check_round_trip(arena, &strict, 0);
		check_round_trip(arena, &strict, JSON_GO);
		check_round_trip(arena, &strict, JSON_PRETTY | JSON_SORTED);
	}
	return is_strict;
}

static void check_places(const struct sink *sink, const struct source *source)
{
	VEC_EACH (diag, &sink->diags)
		BUG_ON((*diag)->at.offset > source->text.len ||
		       (*diag)->at.length > source->text.len - (*diag)->at.offset);
}

/* Read as a document, and written; what was written gives the same text again. */
static bool check_document(struct arena *arena, const struct source *source)
{
	JSON_DOC_AUTO strict = NULL;
	JSON_DOC_AUTO again = NULL;
	struct sink strict_sink = sink_in(arena);
	struct buf first = buf_in(arena);
	struct buf second = buf_in(arena);

	bool is_strict = json_doc_read(&strict_sink, source, &strict) == STATUS_OK;
	BUG_ON(is_strict != (strict_sink.error_count == 0));
	check_places(&strict_sink, source);
	if (!is_strict)
		return false;
	json_doc_write(&first, strict);
	source = source_new(arena, SV("out"), buf_sv(&first), false);
	if (json_doc_read(&strict_sink, source, &again))
		BUG("what was written does not read");
	json_doc_write(&second, again);
	BUG_ON(!sv_eq(buf_sv(&first), buf_sv(&second)));
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv text = sv_from((const char *)data, size);
	const struct source *source = source_new(arena, SV("in"), text, false);
	struct sink sink = sink_in(arena);
	struct value value;

	bool is_value = check_values(arena, source);
	/* jansson reads deeper ones, and passes over some bytes of zero. */
	if (check_document(arena, source) && !is_value && sv_find_char(text, '\0') == SV_NPOS &&
	    json_parse(arena, &sink, source, &value) != STATUS_OK)
		BUG_ON(sink.diags.items[0]->code != DIAG_JSON_LIMIT);
	return 0;
}
