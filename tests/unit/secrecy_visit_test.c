/* The one walk over values. */
#include "secrecy_fixture.h"
#include "yaml/yaml.h"

#include "asserts.h"

static const struct secret token = {.name = SV_INIT("token"), .text = SV_INIT("s3cr3t-s3cr3t")};

static struct value parse(const char *yaml)
{
	struct sink sink = sink_in(arena);
	struct source *source = source_new(arena, SV("x.yaml"), sv_from_cstr(yaml), true);
	struct yml_documents documents;

	assert_int_equal(yml_parse(arena, &sink, source, &documents), STATUS_OK);
	return documents.items[0].root;
}

/* What happens at the key "stop", and what was seen: "depth path=text" a line. */
struct trace {
	enum secrecy_step step;
	struct buf seen;
};

static enum secrecy_step look(void *context, struct secrecy_place *place)
{
	struct trace *trace = context;

	if (place->entry && sv_eq(place->entry->key, SV("marked")))
		place->marked = true;
	buf_printf(&trace->seen, "%u %.*s(%.*s)%s=%.*s\n", place->depth,
	           SV_ARG(secrecy_path(arena, place)), SV_ARG(secrecy_key(place)),
	           place->marked ? "!" : "", SV_ARG(value_text(place->value)));
	return sv_eq(secrecy_key(place), SV("stop")) ? trace->step : SECRECY_INTO;
}

static const char tree[] = "a: {marked: {b: [x, [u]]}, c: z}\nstop: {d: w}\ne: v\n";

#define BEFORE_STOP                                                                                \
	"0 ()=\n"                                                                                  \
	"1 a(a)=\n"                                                                                \
	"2 a.marked(marked)!=\n"                                                                   \
	"3 a.marked.b(b)!=\n"                                                                      \
	"4 a.marked.b(b)!=x\n"                                                                     \
	"4 a.marked.b(b)!=\n"                                                                      \
	"5 a.marked.b(b)!=u\n"                                                                     \
	"2 a.c(c)=z\n"                                                                             \
	"1 stop(stop)=\n"

static void everything_is_visited_once(void **state UNUSED)
{
	static const struct {
		enum secrecy_step step;
		bool whole;
		const char *seen;
	} cases[] = {
	    {SECRECY_INTO, true, BEFORE_STOP "2 stop.d(d)=w\n1 e(e)=v\n"},
	    {SECRECY_OVER, true, BEFORE_STOP "1 e(e)=v\n"},
	    {SECRECY_END, false, BEFORE_STOP},
	};
	struct value v = parse(tree);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct trace trace = {cases[i].step, buf_in(arena)};

		assert_int_equal(secrecy_visit(&v, look, &trace), cases[i].whole);
		assert_string_equal(arena_cstr(arena, buf_sv(&trace.seen)), cases[i].seen);
	}
	assert_true(secrecy_visit(NULL, look, NULL));
	assert_true(secrecy_visit(&VALUE_INVALID, look, NULL));
}

static void a_value_in_itself_ends(void **state UNUSED)
{
	struct trace trace = {SECRECY_INTO, buf_in(arena)};
	struct value map = value_map_new(arena);

	value_map_set(arena, &map, SV("again"), map);
	assert_true(secrecy_visit(&map, look, &trace));
	assert_null(secrecy_find(&map));
}

static bool count(void *context, const struct secrecy_place *place UNUSED,
                  const struct secret *secret)
{
	size_t *found = context;

	assert_ptr_equal(secret, &token);
	(*found)++;
	return *found < 3;
}

static void each_secret_is_found(void **state UNUSED)
{
	const struct taint_span spans[] = {{0, 1, &token}, {2, 3, &token}};
	const struct taint taint = {.spans = spans, .count = COUNT_OF(spans)};
	struct value text = value_string(SV("abc"));
	struct value map = value_map_new(arena);
	struct value list = value_list_new(arena);
	size_t found = 0;

	text.taint = &taint;
	value_list_add(arena, &list, text);
	secrecy_each(&list, count, &found);
	assert_int_equal(found, 2);
	/* A map's keys are found before its values; the third ends the walk. */
	map.map->key_secret = &token;
	value_map_set(arena, &map, SV("k"), list);
	value_map_set(arena, &map, SV("l"), text);
	found = 0;
	secrecy_each(&map, count, &found);
	assert_int_equal(found, 3);
}

static enum secrecy_step change(void *context UNUSED, struct secrecy_place *place,
                                struct value *ret_copy)
{
	if (sv_eq(value_text(place->value), SV("x")))
		return SECRECY_OMIT;
	if (place->entry && sv_eq(place->entry->key, SV("stop")))
		return SECRECY_OMIT;
	if (place->entry && sv_eq(place->entry->key, SV("e")))
		*ret_copy = value_string(SV("changed"));
	return SECRECY_INTO;
}

static void copies_change_what_they_are_told(void **state UNUSED)
{
	struct value v = parse(tree);
	struct value before = value_copy(arena, &v);
	struct value copy = secrecy_copy(arena, &v, change, NULL);
	struct value want = parse("a: {marked: {b: [[u]]}, c: z}\ne: v\n");

	/* SECRECY_INTO of what has nothing inside keeps it as it is. */
	assert_true(value_equal(&copy, &want));
	assert_true(value_equal(&v, &before));
	assert_ptr_equal(copy.origin.source, v.origin.source);
}

/* "KEY=OFFSET KEY-OFFSET" for each map entry; the offsets of what is written nowhere are 99. */
static enum secrecy_step note_positions(void *context, struct secrecy_place *place)
{
	struct buf *seen = context;
	struct position otherwise = {.offset = 99};

	if (place->entry)
		buf_printf(seen, "%.*s=%zu %zu\n", SV_ARG(place->entry->key),
		           secrecy_position(place, otherwise).offset,
		           secrecy_key_position(place, otherwise).offset);
	return SECRECY_INTO;
}

/* What is beside it in its item of a list stands for what the program made. */
static void what_was_made_has_a_place(void **state UNUSED)
{
	struct value written = parse("path: /etc/x\nmode: 1\n");
	struct value object = value_map_new(arena);
	struct value files = value_list_new(arena);
	struct value file = value_map_new(arena);
	struct value content = value_map_new(arena);
	struct buf seen = buf_in(arena);

	value_map_set(arena, &content, SV("data"), value_string(SV("made")));
	value_map_set(arena, &file, SV("content"), content);
	value_map_set(arena, &file, SV("path"), *value_map_get(&written, SV("path")));
	value_list_add(arena, &files, file);
	value_map_set(arena, &object, SV("files"), files);
	value_map_set(arena, &object, SV("written"), written);
	assert_true(secrecy_visit(&object, note_positions, &seen));
	assert_string_equal(arena_cstr(arena, buf_sv(&seen)),
	                    "files=99 99\ncontent=6 6\ndata=6 6\npath=6 6\n"
	                    "written=0 0\npath=6 0\nmode=19 13\n");
}

UNIT_TESTS(secrecy_visit)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(everything_is_visited_once, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_value_in_itself_ends, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(each_secret_is_found, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(copies_change_what_they_are_told, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(what_was_made_has_a_place, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
