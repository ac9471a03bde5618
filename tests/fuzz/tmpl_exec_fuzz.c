/*
 * Any template over typed data ends within its budgets, and whatever it prints of the secret is
 * marked as such: the secret's text never stands in clear bytes.
 */
#include "tmpl/tmpl.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct secret the_secret = {.name = SV_INIT("fuzz"), .text = SV_INIT("Zq7Zq7")};

static struct value make_data(struct arena *arena)
{
	struct value map = value_map_new(arena);
	struct value list = value_list_new(arena);
	struct value pointer = {.type = &type_string_ptr};
	struct value strings = value_list_new(arena);

	value_list_add(arena, &list, value_int(1));
	value_list_add(arena, &list, value_string(SV("two")));
	value_list_add(arena, &list, value_null());
	value_list_add(arena, &strings, value_string(SV("b")));
	value_list_add(arena, &strings, value_string(SV("a")));
	strings.type = &type_string_list;
	pointer.target = ARENA_NEW(arena, struct value);
	*pointer.target = value_string(SV("pointed"));
	value_map_set(arena, &map, SV("s"), value_string(SV("text")));
	value_map_set(arena, &map, SV("x"), value_secret_string(arena, SV("Zq7Zq7"), &the_secret));
	value_map_set(arena, &map, SV("n"), value_float(2.5));
	value_map_set(arena, &map, SV("l"), list);
	value_map_set(arena, &map, SV("S"), strings);
	value_map_set(arena, &map, SV("p"), pointer);
	struct value inner = map;
	inner.map = NULL;
	value_map_set(arena, &map, SV("z"), inner);
	return map;
}

static void check_clear_bytes(struct arena *arena, const struct value *v)
{
	char *text = arena_cstr(arena, v->string);

	for (size_t i = 0; v->taint && i < v->taint->count; i++)
		memset(text + v->taint->spans[i].start, '#',
		       v->taint->spans[i].end - v->taint->spans[i].start);
	if (sv_contains(sv_from(text, v->string.len), the_secret.text))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value text = value_string(sv_from((const char *)data, size));
	struct tmpl_source source = {SV("t"), &text};
	struct sink sink = sink_in(arena);
	struct tmpl_options options = tmpl_options_default();
	struct value values = make_data(arena);
	struct text out = text_in(arena);
	struct tmpl_set *set;

	/* A text that holds the secret by itself proves nothing. */
	if (sv_contains(text.string, SV("Zq7")) || sv_contains(text.string, SV("7Zq")))
		return 0;
	options.limits.steps = 20000;
	options.limits.output_bytes = 1 << 20;
	options.limits.memory_bytes = 16 << 20;
	if (tmpl_parse(arena, &sink, &tmpl_funcs_profile, &source, &set, NULL) != STATUS_OK)
		return 0;
	if (tmpl_execute(arena, &sink, set, &values, &options, &out, NULL) != STATUS_OK &&
	    sink.error_count == 0)
		abort();
	struct value result = text_value(arena, &out);
	check_clear_bytes(arena, &result);
	return 0;
}
