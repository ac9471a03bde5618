/*
 * value: maps, origins, taints, texts.
 */
#include "value/text.h"
#include "value/value.h"

#include "asserts.h"

static const struct secret token = {
    .name = SV_INIT("ns/token:token"), .text = SV_INIT("s3cr3t-s3cr3t"), .high_entropy = true};
static const struct secret password = {
    .name = SV_INIT("ns/login:password"), .text = SV_INIT("hunter2hunter2"), .high_entropy = false};

static void maps_keep_order_and_find(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value map = value_map_new(arena);

	for (int i = 0; i < 100; i++)
		value_map_set(arena, &map, arena_printf(arena, "k%d", i), value_int(i));
	value_map_set(arena, &map, SV("k3"), value_int(-3));
	assert_int_equal(value_count(&map), 100);
	assert_int_equal(value_map_get(&map, SV("k3"))->integer, -3);
	assert_int_equal(value_map_get(&map, SV("k99"))->integer, 99);
	assert_sv(map.map->entries[3].key, "k3");
	assert_null(value_map_get(&map, SV("k100")));
	assert_null(value_map_get(NULL, SV("k")));
	struct value inner = value_map_new(arena);
	value_map_set(arena, &inner, SV("b"), map);
	value_map_set(arena, &map, SV("a"), inner);
	assert_int_equal(value_path(&map, "a.b.k7")->integer, 7);
	assert_null(value_path(&map, "a.x.k7"));
	assert_null(value_path(&map, "k1.b"));
}

static void copies_are_deep_and_equal(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value list = value_list_new(arena);
	struct value map = value_map_new(arena);

	value_list_add(arena, &list, value_null());
	value_list_add(arena, &list, value_secret_string(arena, SV("abc"), &token));
	value_list_add(arena, &list, value_float(1.5));
	value_map_set(arena, &map, SV("list"), list);
	value_map_set(arena, &map, SV("no"), value_bool(false));
	struct value copy = value_copy(arena, &map);
	assert_true(value_equal(&map, &copy));
	assert_ptr_not_equal(map.map, copy.map);
	const struct taint *taint = value_item(value_map_get(&copy, SV("list")), 1)->taint;
	assert_ptr_equal(taint->spans[0].secret, &token);
	value_list_add(arena, value_map_get_mutable(&copy, SV("list")), value_int(1));
	assert_false(value_equal(&map, &copy));
	assert_int_equal(value_count(value_map_get(&map, SV("list"))), 3);
	struct value one = value_int(1);
	struct value wide = {.type = &type_uint64, .unsigned_integer = 1};
	struct value real = value_float(1);
	assert_true(value_equal(&one, &wide));
	assert_false(value_equal(&one, &real));
}

static void texts_keep_what_is_secret(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct text text = text_in(arena);
	struct text outer = text_in(arena);

	TEXT_ADD_LIT(&text, "Bearer ");
	text_add_secret(&text, SV("s3cr"), &token);
	text_add_secret(&text, SV("3t"), &token);
	text_add_secret(&text, SV("pw"), &password);
	TEXT_ADD_LIT(&text, "!");
	struct value v = text_value(arena, &text);
	assert_sv(v.string, "Bearer s3cr3tpw!");
	assert_int_equal(v.taint->count, 2);
	assert_int_equal(v.taint->spans[0].start, 7);
	assert_int_equal(v.taint->spans[0].end, 13);
	assert_int_equal(v.taint->spans[1].end, 15);
	TEXT_ADD_LIT(&outer, "xx");
	text_add_value(&outer, &v);
	v = text_value(arena, &outer);
	assert_int_equal(v.taint->spans[0].start, 9);
	const struct taint *slice = taint_slice(arena, v.taint, 10, 16);
	assert_int_equal(slice->count, 2);
	assert_int_equal(slice->spans[0].start, 0);
	assert_int_equal(slice->spans[0].end, 5);
	assert_int_equal(slice->spans[1].end, 6);
	assert_null(taint_slice(arena, v.taint, 0, 9));
	struct text clear = text_in(arena);
	text_add_secret(&clear, SV("abc"), NULL);
	assert_null(text_taint(arena, &clear));
}

static void marking_reaches_no_further_back(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct text text = text_in(arena);

	text_add_secret(&text, SV("abcd"), &token);
	TEXT_ADD_LIT(&text, "ef");
	/* A function of both is secret: what was marked before stays with its own secret. */
	text_mark_secret(&text, 2, &password);
	const struct taint *taint = text_taint(arena, &text);
	assert_int_equal(taint->count, 2);
	assert_int_equal(taint->spans[0].end, 4);
	assert_int_equal(taint->spans[1].start, 4);
	assert_int_equal(taint->spans[1].end, 6);
}

/* As Go's encoding/json: U+FFFD for each bad byte, not for each run of them. */
static void stored_texts_are_utf8(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct text text = text_in(arena);

	TEXT_ADD_LIT(&text, "a\xE2\x82");
	text_add_secret(&text, SV("p\xFC\xC3"), &token);
	text_add_secret(&text, SV("\xB6"), &password); /* the other half of a rune */
	TEXT_ADD_LIT(&text, "\xEF\xBF\xBDz");
	struct value v = text_value(arena, &text);
	struct value stored = text_valid_utf8(arena, &v);
	assert_true(sv_eq(stored.string, SV("a\xEF\xBF\xBD\xEF\xBF\xBDp\xEF\xBF\xBD\xC3\xB6"
	                                    "\xEF\xBF\xBDz")));
	assert_int_equal(stored.taint->count, 2);
	assert_int_equal(stored.taint->spans[0].start, 7);
	assert_int_equal(stored.taint->spans[0].end, 12);
	assert_ptr_equal(stored.taint->spans[0].secret, &token);
	assert_int_equal(stored.taint->spans[1].end, 13);
	assert_ptr_equal(stored.taint->spans[1].secret, &password);
	v = value_string(SV("\xC3\xB6"));
	assert_ptr_equal(text_valid_utf8(arena, &v).string.ptr, v.string.ptr);
}

static void no_text_has_no_taint(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value empty = value_secret_string(arena, SV(""), &token);

	assert_null(empty.taint);
}

UNIT_TESTS(value)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(maps_keep_order_and_find),
	    cmocka_unit_test(copies_are_deep_and_equal),
	    cmocka_unit_test(texts_keep_what_is_secret),
	    cmocka_unit_test(marking_reaches_no_further_back),
	    cmocka_unit_test(stored_texts_are_utf8),
	    cmocka_unit_test(no_text_has_no_taint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
