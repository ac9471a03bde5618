/* What is read can be written, and what was written reads back the same. */
#include "yaml/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every byte of every string has a place in the source, inside its own scalar. */
static void check_positions(const struct value *v, unsigned depth)
{
	BUG_ON(depth > YML_MAX_DEPTH);
	for (size_t i = 0; value_is_list(v) && i < value_count(v); i++)
		check_positions(value_item(v, i), depth + 1);
	for (size_t i = 0; value_is_map(v) && i < value_count(v); i++)
		check_positions(&v->map->entries[i].value, depth + 1);
	if (!value_is_string(v) || v->origin.length == 0)
		return;
	for (size_t i = 0; i < v->string.len; i += 1 + v->string.len / 64) {
		struct position at = value_text_position(v, i);

		BUG_ON(at.offset < v->origin.offset);
		BUG_ON(at.offset >= (size_t)v->origin.offset + v->origin.length);
	}
}

static void check_round_trip(struct arena *arena, const struct value *value,
                             struct yml_format format)
{
	struct sink sink = sink_in(arena);
	struct yml_documents again = {0};
	struct buf buf = buf_in(arena);

	yml_emit(&buf, value, format);
	const struct source *source = source_new(arena, SV("out"), buf_sv(&buf), false);
	if (yml_parse(arena, &sink, source, &again))
		BUG("what was written does not read");
	BUG_ON(again.count != 1);
	BUG_ON(!value_equal(&again.items[0].root, value));
}

/* What templates read as yaml.v3 does; it need not read back, but it must be written. */
static void check_v3(sv text)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);
	struct value value;
	sv error = {0};

	for (int wants_list = 0; wants_list < 2; wants_list++) {
		bool ok = yml_decode_v3(arena, text, wants_list, &value, &error);

		BUG_ON(!ok && error.len == 0);
		BUG_ON(!yml_emit_v3(&buf, &value, &error));
	}
}

/* A long text reads the same, cut or not; a letter that is not ASCII keeps it from being cut. */
static void check_cut(struct arena *arena, sv text)
{
	enum { LONG = 16 << 10 };
	static const char *const begins[] = {"# e", "#\xC3\xA9"};
	struct yml_documents documents[2] = {{0}};
	enum status statuses[2];

	for (unsigned i = 0; i < 2; i++) {
		struct sink sink = sink_in(arena);
		struct buf buf = buf_in(arena);

		buf_printf(&buf, "%s", begins[i]);
		buf_add_repeat(&buf, ' ', LONG);
		buf_add_char(&buf, '\n');
		buf_add(&buf, text);
		statuses[i] = yml_parse(
		    arena, &sink, source_new(arena, SV("in"), buf_sv(&buf), false), &documents[i]);
	}
	BUG_ON(statuses[0] != statuses[1] || documents[0].count != documents[1].count);
	for (size_t i = 0; i < documents[0].count; i++)
		BUG_ON(!value_equal(&documents[0].items[i].root, &documents[1].items[i].root));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct yml_documents documents = {0};
	const struct source *source =
	    source_new(arena, SV("in"), sv_from((const char *)data, size), false);

	check_v3(source->text);
	check_cut(arena, source->text);
	if (yml_parse(arena, &sink, source, &documents)) {
		BUG_ON(sink.error_count == 0);
		return 0;
	}
	BUG_ON(sink.error_count != 0);
	for (size_t i = 0; i < documents.count; i++) {
		const struct value *root = &documents.items[i].root;
		struct buf buf = buf_in(arena);

		check_positions(root, 0);
		check_round_trip(arena, root, (struct yml_format){0});
		check_round_trip(arena, root, (struct yml_format){.quote_all_strings = true});
		yml_emit_sigs(&buf, root);
	}
	return 0;
}
