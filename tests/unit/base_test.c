/*
 * base: texts, buffers, maps, runes, sorting.
 */
#include "base/base.h"

#include "asserts.h"

#include <ctype.h>
#include <stdlib.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

static void sv_compares_and_finds(void **state UNUSED)
{
	assert_true(sv_cmp(SV("a"), SV("ab")) < 0);
	assert_true(sv_cmp(SV("b"), SV("ab")) > 0);
	assert_int_equal(sv_cmp(SV(""), (sv){0}), 0);
	assert_true(sv_cmp(SV("\xff"), SV("a")) > 0);
	assert_int_equal(sv_find(SV("abcabc"), SV("ca")), 2);
	assert_int_equal(sv_find(SV("aab"), SV("ab")), 1);
	assert_int_equal(sv_find(SV("ab"), SV("ab")), 0);
	assert_true(sv_find(SV("aca"), SV("ab")) == SV_NPOS);
	assert_true(sv_find(SV("xa"), SV("ab")) == SV_NPOS);
	assert_true(sv_find(sv_slice(SV("xab"), 0, 2), SV("ab")) == SV_NPOS);
	assert_int_equal(sv_find(SV("abc"), SV("")), 0);
	assert_true(sv_find(SV("abc"), SV("abcd")) == SV_NPOS);
	assert_int_equal(sv_rfind_char(SV("a/b/c"), '/'), 3);
	assert_true(sv_find_char((sv){0}, 'x') == SV_NPOS);
	assert_true(sv_eq_fold_ascii(SV("SubnetID"), SV("subnetId")));
	assert_true(sv_ends_with(SV("x.yaml"), SV(".yaml")));
	assert_false(sv_ends_with(SV("l"), SV(".yaml")));
}

static void sv_cuts_and_trims(void **state UNUSED)
{
	sv head;
	sv tail;

	assert_true(sv_cut(SV("k=v=w"), SV("="), &head, &tail));
	assert_sv(head, "k");
	assert_sv(tail, "v=w");
	assert_false(sv_cut(SV("k"), SV("="), &head, &tail));
	assert_sv(head, "k");
	assert_sv(tail, "");
	assert_sv(sv_trim_space(SV(" \t\r\nx y\n")), "x y");
	assert_sv(sv_slice(SV("hello"), 1, 3), "el");
	assert_sv(sv_slice(SV("hello"), 3, 99), "lo");
	assert_sv(sv_slice(SV("hello"), 7, 9), "");
}

static void sv_splits(void **state UNUSED)
{
	const char *want[] = {"a", "", "b", ""};
	struct sv_splitter it = sv_split(SV("a,,b,"), ',');
	size_t count = 0;
	sv part;

	while (sv_split_next(&it, &part))
		assert_sv(part, want[count++]);
	assert_int_equal(count, 4);
	it = sv_split(SV(""), ',');
	assert_true(sv_split_next(&it, &part));
	assert_int_equal(part.len, 0);
	assert_false(sv_split_next(&it, &part));
}

static void sv_parses_integers(void **state UNUSED)
{
	int64_t n = 7;

	assert_true(sv_parse_int64(SV("-9223372036854775808"), &n));
	assert_true(n == INT64_MIN);
	assert_true(sv_parse_int64(SV("+42"), &n));
	assert_int_equal(n, 42);
	assert_false(sv_parse_int64(SV("9223372036854775808"), &n));
	assert_false(sv_parse_int64(SV(""), &n));
	assert_false(sv_parse_int64(SV("-"), &n));
	assert_false(sv_parse_int64(SV(" 1"), &n));
	assert_int_equal(n, 42);
}

static void sv_measures_distance(void **state UNUSED)
{
	assert_int_equal(sv_distance(SV("clusterDNS"), SV("clusterDSN"), 5), 1);
	assert_int_equal(sv_distance(SV("reprot"), SV("report"), 5), 1);
	assert_int_equal(sv_distance(SV("reprot"), SV("repo"), 5), 2);
	assert_int_equal(sv_distance(SV("abcd"), SV("badc"), 5), 2);
	assert_int_equal(sv_distance(SV("abc"), SV("abc"), 5), 0);
	assert_int_equal(sv_distance(SV("abc"), SV("xyz"), 2), 3);
	assert_int_equal(sv_distance(SV("a"), SV("abcdefgh"), 2), 3);
}

/* A test program runs in the C locale. */
static void ascii_is_the_c_locale(void **state UNUSED)
{
	for (int c = 0; c < 256; c++) {
		assert_int_equal(ascii_is_digit((uint32_t)c), isdigit(c) != 0);
		assert_int_equal(ascii_is_upper((uint32_t)c), isupper(c) != 0);
		assert_int_equal(ascii_is_lower((uint32_t)c), islower(c) != 0);
		assert_int_equal(ascii_is_letter((uint32_t)c), isalpha(c) != 0);
		assert_int_equal(ascii_is_alphanumeric((uint32_t)c), isalnum(c) != 0);
		assert_int_equal(ascii_is_hex((uint32_t)c), isxdigit(c) != 0);
		assert_int_equal(ascii_lower((char)c), (char)tolower(c));
		assert_int_equal(ascii_upper((char)c), (char)toupper(c));
		assert_int_equal(ascii_is_any((char)c, "-.z"), c == '-' || c == '.' || c == 'z');
		assert_int_equal(ascii_is_letter((char)c), isalpha(c) != 0);
		if (isalnum(c)) {
			const char text[] = {(char)c, '\0'};
			assert_int_equal(ascii_digit_value((uint32_t)c), strtol(text, NULL, 36));
		}
	}
	assert_false(ascii_is_letter('a' + 0x100));
	assert_int_equal(ascii_digit_value(0xFF10), 99); /* a digit, elsewhere */
}

static void arena_hands_out_aligned_zeroed_memory(void **state UNUSED)
{
	for (int kind = ARENA_PLAIN; kind <= ARENA_SECRET; kind++) {
		ARENA_AUTO arena = arena_new((enum arena_kind)kind);

		arena_alloc_text(arena, 3);
		for (size_t i = 0; i < 300; i++) {
			unsigned char *p = arena_alloc(arena, 1000 + i);

			assert_int_equal((uintptr_t)p % 16, 0);
			for (size_t j = 0; j < 1000 + i; j++)
				assert_int_equal(p[j], 0);
			memset(p, 0xAA, 1000 + i);
		}
		/* Larger than any chunk. */
		char *large = arena_alloc_text(arena, 10u << 20);
		memset(large, 1, 10u << 20);
		arena_reset(arena);
		assert_int_equal(arena_used(arena), 0);
		unsigned char *again = arena_alloc(arena, 4000);
		for (size_t j = 0; j < 4000; j++)
			assert_int_equal(again[j], 0);
	}
}

/* Whether `ptr` is one of the pieces. */
static bool is_one_of(char *const *pieces, size_t count, const char *ptr)
{
	for (size_t i = 0; i < count; i++)
		if (pieces[i] == ptr)
			return true;
	return false;
}

/* An arena whose chunks are limited uses them again, empty, and takes others for larger pieces. */
static void arena_uses_limited_chunks_again(void **state UNUSED)
{
	enum { CHUNK = 32 * 1024, PIECE = CHUNK - 100, PIECES = 8 };
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	char *pieces[PIECES];

	arena_limit_chunks(arena, CHUNK);
	arena_alloc_text(arena, CHUNK / 2 - 100);
	for (size_t i = 0; i < PIECES; i++) {
		pieces[i] = arena_alloc_text(arena, PIECE);
		memset(pieces[i], 'x', PIECE);
	}
	for (size_t round = 0; round < 3; round++) {
		arena_reset(arena);
		assert_int_equal(arena_used(arena), 0);
		for (size_t i = 0; i < PIECES; i++) {
			char *piece = arena_alloc(arena, PIECE);

			assert_true(is_one_of(pieces, PIECES, piece));
			for (size_t j = 0; j < PIECE; j++)
				assert_int_equal(piece[j], 0);
			memset(piece, 'x', PIECE);
			/* A larger one has a chunk of its own. */
			if (i == 1)
				memset(arena_alloc_text(arena, CHUNK + 1), 'x', CHUNK + 1);
		}
	}
}

/* LeakSanitizer reports arenas that are not freed with their parents. */
static void arena_ends_with_its_parent(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);

	for (int i = 0; i < 3; i++) {
		struct arena *inner = arena_new_within(arena);
		struct arena *innermost = arena_new_within(inner);

		memset(arena_alloc_text(inner, 100000), 'x', 100000);
		memset(arena_alloc_text(innermost, 100), 'x', 100);
		assert_int_equal(arena_used(inner), 100000);
		assert_int_equal(arena_used(arena), 0);
		arena_reset(inner);
		assert_int_equal(arena_used(inner), 0);
		arena_alloc(arena_new_within(inner), 10);
		if (i == 1)
			arena_reset(arena);
	}
}

/* AddressSanitizer then reports whoever still uses what an arena gave back. */
static void arena_poisons_what_it_gave_back(void **state UNUSED)
{
#ifdef __SANITIZE_ADDRESS__
	for (int kind = ARENA_PLAIN; kind <= ARENA_SECRET; kind++) {
		ARENA_AUTO arena = arena_new((enum arena_kind)kind);
		char *first = arena_alloc_text(arena, 24);

		assert_false(__asan_address_is_poisoned(first + 23));
		assert_true(__asan_address_is_poisoned(first + 24));
		assert_ptr_equal(arena_grow(arena, first, 24, 40), first);
		assert_false(__asan_address_is_poisoned(first + 39));
		arena_reset(arena);
		assert_true(__asan_address_is_poisoned(first));
		assert_ptr_equal(arena_alloc_text(arena, 8), first);
		assert_false(__asan_address_is_poisoned(first + 7));
		assert_true(__asan_address_is_poisoned(first + 8));
		arena_empty(arena);
		assert_true(__asan_address_is_poisoned(first));
		memset(arena_alloc_text(arena, 100), 'x', 100);
	}
#else
	skip();
#endif
}

static void arena_grows_in_place(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	char *p = arena_alloc_text(arena, 10);

	memcpy(p, "0123456789", 10);
	char *q = arena_grow(arena, p, 10, 20);
	assert_ptr_equal(p, q);
	arena_alloc_text(arena, 1);
	char *r = arena_grow(arena, q, 20, 40);
	assert_ptr_not_equal(q, r);
	assert_memory_equal(r, "0123456789", 10);
	assert_sv(arena_printf(arena, "%d-%s", 5, "x"), "5-x");
	assert_sv(ARENA_CONCAT(arena, SV("a"), (sv){0}, SV("b")), "ab");
}

static void buf_and_vec_grow(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);
	VEC(int) numbers = {0};
	int sum = 0;

	for (int i = 0; i < 1000; i++) {
		buf_printf(&buf, "%d,", i);
		VEC_PUSH(arena, &numbers, i);
	}
	buf_add_repeat(&buf, '=', 3);
	buf_add_rune(&buf, 0x1F600);
	assert_true(sv_ends_with(buf_sv(&buf), SV("998,999,===\xF0\x9F\x98\x80")));
	VEC_EACH (n, &numbers)
		sum += *n;
	assert_int_equal(sum, 499500);
	struct buf nothing = buf_in(arena);
	assert_null(buf_reserve(&nothing, 0));
	buf_add_repeat(&nothing, 'x', 0);
	assert_int_equal(nothing.len, 0);
	VEC(int) none = {0};
	VEC_EACH (n, &none)
		fail();
	const sv items[] = {SV_INIT("a"), SV_INIT("b"), SV_INIT("c")};
	assert_sv(buf_listed(arena, items, 3), "a, b, c");
	assert_sv(buf_listed(arena, items, 1), "a");
	assert_sv(buf_listed(arena, items, 0), "");
}

static void map_keeps_insertion_order(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct map map = map_in(arena);
	static int values[2000];

	assert_null(map_get(&map, SV("x")));
	for (int i = 0; i < 2000; i++)
		assert_true(map_put(&map, arena_printf(arena, "key%d", i), &values[i]));
	assert_false(map_put(&map, SV("key7"), &values[0]));
	assert_ptr_equal(map_get(&map, SV("key7")), &values[0]);
	assert_ptr_equal(map_get(&map, SV("key1999")), &values[1999]);
	assert_null(map_get(&map, SV("key2000")));
	assert_int_equal(map.count, 2000);
	assert_sv(map.entries[7].key, "key7");
}

/* Keys that all fall into the first slot of a table of 4,096. */
static void map_parts_keys_that_meet(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct map map = map_in(arena);
	int values[3000];

	for (size_t i = 0, found = 0; found < COUNT_OF(values); i++) {
		char bytes[sizeof(i)];

		memcpy(bytes, &i, sizeof(i));
		sv key = sv_from(bytes, sizeof(bytes));
		if (sv_hash(key, 0) % 4096 == 0)
			assert_true(map_put(&map, arena_dup(arena, key), &values[found++]));
	}
	assert_int_equal(map.seed, 1);
	assert_int_equal(map.count, COUNT_OF(values));
	for (size_t i = 0; i < map.count; i++)
		assert_ptr_equal(map_get(&map, map.entries[i].key), &values[i]);
	assert_null(map_get(&map, SV("absent")));
}

static void a_set_has_each_string_once(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct set set = set_in(arena);

	assert_false(set_has(&set, SV("b")));
	assert_true(set_add(&set, SV("b")));
	assert_true(set_add(&set, SV("a")));
	assert_true(set_add(&set, SV("")));
	assert_false(set_add(&set, SV("b")));
	assert_true(set_has(&set, SV("b")) && set_has(&set, SV("")));
	assert_false(set_has(&set, SV("c")));
	assert_int_equal(set_count(&set), 3);
	assert_sv(set_item(&set, 0), "b");
	assert_sv(set_item(&set, 1), "a");
}

static void utf8_reads_as_go_does(void **state UNUSED)
{
	static const struct {
		const char *bytes;
		uint32_t rune;
		size_t width;
	} cases[] = {
	    {"a", 'a', 1},
	    {"\xC3\xA9", 0xE9, 2},
	    {"\xE2\x82\xAC", 0x20AC, 3},
	    {"\xF0\x9F\x98\x80", 0x1F600, 4},
	    {"\xEF\xBF\xBD", 0xFFFD, 3},
	    {"\xC0\xAF", 0xFFFD, 1},         /* overlong */
	    {"\xE0\x80\x80", 0xFFFD, 1},     /* overlong */
	    {"\xED\xA0\x80", 0xFFFD, 1},     /* surrogate */
	    {"\xF4\x90\x80\x80", 0xFFFD, 1}, /* above U+10FFFF */
	    {"\x80", 0xFFFD, 1},
	    {"\xE2\x82", 0xFFFD, 1},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		size_t width;
		char out[4];

		assert_int_equal(utf8_decode(sv_from_cstr(cases[i].bytes), &width), cases[i].rune);
		assert_int_equal(width, cases[i].width);
		if (cases[i].rune != 0xFFFD || width == 3) {
			assert_int_equal(utf8_write(cases[i].rune, out), cases[i].width);
			assert_memory_equal(out, cases[i].bytes, cases[i].width);
			assert_int_equal(utf8_decode_last(sv_from_cstr(cases[i].bytes), &width),
			                 cases[i].rune);
			assert_int_equal(width, cases[i].width);
		}
	}
	assert_int_equal(utf8_count(SV("a\xC3\xA9\xFF")), 3);
	assert_false(utf8_valid(SV("a\xFF")));
	assert_true(utf8_valid(SV("\xEF\xBF\xBD")));
	for (size_t before = 0; before < 20; before++) {
		char text[24] = "aaaaaaaaaaaaaaaaaaaaaaa";

		text[before] = '\xC3';
		assert_false(utf8_valid(sv_from(text, before + 1)));
		assert_false(utf8_valid(sv_from(text, sizeof(text) - 1)));
		text[before + 1] = '\xB6';
		assert_true(utf8_valid(sv_from(text, sizeof(text) - 1)));
	}
}

struct item {
	sv key;
	int number;
};

static void sort_is_stable(void **state UNUSED)
{
	struct item items[200];

	for (int i = 0; i < 200; i++)
		items[i] = (struct item){i % 3 == 0 ? SV("b") : i % 3 == 1 ? SV("a") : SV(""), i};
	sort_stable(items, 200, sizeof(items[0]), sort_compare_sv, NULL);
	for (int i = 1; i < 200; i++) {
		int order = sv_cmp(items[i - 1].key, items[i].key);

		assert_true(order <= 0);
		if (order == 0)
			assert_true(items[i - 1].number < items[i].number);
	}
	sort_stable(items, 0, sizeof(items[0]), sort_compare_sv, NULL);
}

static void sorts_by_a_member(void **state)
{
	struct item {
		int number;
		sv name;
	} items[] = {{1, SV_INIT("b")}, {2, SV_INIT("c")}, {3, SV_INIT("a")}, {4, SV_INIT("b")}};
	struct item *pointers[COUNT_OF(items)];
	const int expected[] = {3, 1, 4, 2};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(items); i++)
		pointers[i] = &items[i];
	SORT_POINTERS_BY(pointers, COUNT_OF(pointers), name);
	for (size_t i = 0; i < COUNT_OF(items); i++)
		assert_int_equal(pointers[i]->number, expected[i]);
	SORT_BY(items, COUNT_OF(items), name);
	for (size_t i = 0; i < COUNT_OF(items); i++)
		assert_int_equal(items[i].number, expected[i]);
}

/* Each byte at each of the eight places, among bytes at the edges. */
static void test_eight_bytes(void **state)
{
	(void)state;
	static const char around[] = {' ', '~', 'x'};

	for (size_t other = 0; other < sizeof(around); other++) {
		for (size_t place = 0; place < 8; place++) {
			for (unsigned byte = 0; byte < 256; byte++) {
				char text[8];

				memset(text, around[other], sizeof(text));
				text[place] = (char)byte;
				uint64_t bytes = ascii_load8(text);
				assert_int_equal(ascii_all_printable(bytes),
				                 byte >= 0x20 && byte < 0x7F);
				if (byte < 0x80)
					assert_int_equal(ascii_any_below(bytes, 1), byte == 0);
			}
		}
	}
}

UNIT_TESTS(base)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_eight_bytes),
	    cmocka_unit_test(sv_compares_and_finds),
	    cmocka_unit_test(sv_cuts_and_trims),
	    cmocka_unit_test(sv_splits),
	    cmocka_unit_test(sv_parses_integers),
	    cmocka_unit_test(sv_measures_distance),
	    cmocka_unit_test(ascii_is_the_c_locale),
	    cmocka_unit_test(arena_hands_out_aligned_zeroed_memory),
	    cmocka_unit_test(arena_uses_limited_chunks_again),
	    cmocka_unit_test(arena_ends_with_its_parent),
	    cmocka_unit_test(arena_poisons_what_it_gave_back),
	    cmocka_unit_test(arena_grows_in_place),
	    cmocka_unit_test(buf_and_vec_grow),
	    cmocka_unit_test(map_keeps_insertion_order),
	    cmocka_unit_test(map_parts_keys_that_meet),
	    cmocka_unit_test(a_set_has_each_string_once),
	    cmocka_unit_test(utf8_reads_as_go_does),
	    cmocka_unit_test(sort_is_stable),
	    cmocka_unit_test(sorts_by_a_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
