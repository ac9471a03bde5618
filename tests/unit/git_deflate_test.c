/*
 * Entries of a pack, by ISA-L if the program is built with it, and by libdeflate alone. zlib, which
 * git and libgit2 read with, reads both back.
 */
#include "git/compress.h"
#include "git/git.h"

#include "asserts.h"
#include "dice.h"

#include <stdlib.h>
#include <zlib.h>

/* The same file as it is without ISA-L. */
#undef OSM_GEN_ISAL
#define git_deflate_new     plain_new
#define git_deflate_free    plain_free
#define git_deflate_bound   plain_bound
#define git_deflate_write   plain_write
#define git_deflate_version plain_version
#define git_isal_version    plain_isal_version
#define git_deflate         plain
struct plain;
struct plain *plain_new(void);
void plain_free(struct plain *plain);
size_t plain_bound(struct plain *plain, size_t len);
size_t plain_write(struct plain *plain, sv bytes, uint8_t *out);
const char *plain_version(void);
const char *plain_isal_version(void);
#include "git/deflate.c" /* NOLINT(bugprone-suspicious-include) */
#undef git_deflate_new
#undef git_deflate_free
#undef git_deflate_bound
#undef git_deflate_write
#undef git_deflate_version
#undef git_isal_version
#undef git_deflate

/* Fails unless the stream is `bytes` with a zlib header, and a checksum that zlib finds right. */
static void assert_stream(const uint8_t *stream, size_t size, size_t bound, sv bytes)
{
	uLongf got = (uLongf)bytes.len + 1;
	uint8_t *back = memory_take(bytes.len + 1);

	assert_true(size >= 6 && size <= bound);
	assert_int_equal(stream[0] & 0x0f, Z_DEFLATED);
	assert_int_equal((stream[0] << 8 | stream[1]) % 31, 0);
	assert_int_equal(uncompress(back, &got, stream, (uLong)size), Z_OK);
	assert_true(sv_eq(sv_from((const char *)back, got), bytes));
	free(back);
}

static void check(struct git_deflate *fast, struct plain *plain, sv bytes)
{
	size_t bound = git_deflate_bound(fast, bytes.len);
	size_t plain_most = plain_bound(plain, bytes.len);
	uint8_t *out = memory_take(bound > plain_most ? bound : plain_most);

	assert_stream(out, git_deflate_write(fast, bytes, out), bound, bytes);
	assert_stream(out, plain_write(plain, bytes, out), plain_most, bytes);
	free(out);
}

/* SEALED is base64 with some other text around, FRAMED with any bytes, MIXED with more of them. */
enum kind { ZEROS, LETTERS, WORDS, ANYTHING, SEALED, FRAMED, MIXED, KINDS };

/* Returns what SEALED and the like have at that place. */
static enum kind part_of(enum kind kind, size_t place)
{
	enum { PERIOD = 9000, AROUND = 700, MUCH = 1500 };
	bool is_around = place % PERIOD < (kind == MIXED ? MUCH : AROUND);

	return !is_around ? LETTERS : kind == SEALED ? WORDS : ANYTHING;
}

static void fill(struct dice *dice, char *text, size_t len, enum kind kind)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	static const char words[] = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: workers-";

	for (size_t i = 0; i < len; i++) {
		switch (kind < SEALED ? kind : part_of(kind, i)) {
		case ZEROS:
			text[i] = '\0';
			break;
		case LETTERS:
			text[i] = letters[roll(dice, 64)];
			break;
		case WORDS:
			text[i] = roll(dice, 40) ? words[i % (sizeof(words) - 1)] : 'x';
			break;
		case ANYTHING:
			text[i] = (char)roll(dice, 256);
			break;
		default:
			fail();
		}
	}
}

static void test_reads_back(void **state)
{
	(void)state;
	static const size_t lengths[] = {0,     1,     2,      3,      15,     64,     255,
	                                 256,   1000,  4096,   32767,  32768,  65534,  65535,
	                                 65536, 65537, 131070, 131072, 200001, 1 << 20};
	struct git_deflate *fast = git_deflate_new();
	struct plain *plain = plain_new();
	struct dice dice = {7};

	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		char *text = memory_take(lengths[i]);

		for (enum kind kind = ZEROS; kind < KINDS; kind++) {
			fill(&dice, text, lengths[i], kind);
			check(fast, plain, sv_from(text, lengths[i]));
		}
		free(text);
	}
	check(fast, plain, (sv){0});
	git_deflate_free(fast);
	plain_free(plain);
	git_deflate_free(NULL);
}

/* Base64, which sealed files are, becomes three quarters; ordinary text less than a third. */
static void test_is_worth_it(void **state)
{
	(void)state;
	enum { SIZE = 60000 };
	struct git_deflate *fast = git_deflate_new();
	uint8_t *out = memory_take(git_deflate_bound(fast, SIZE));
	char *text = memory_take(SIZE);
	struct dice dice = {8};

	fill(&dice, text, SIZE, LETTERS);
	assert_true(git_deflate_write(fast, sv_from(text, SIZE), out) < SIZE * 77 / 100);
	fill(&dice, text, SIZE, SEALED);
	assert_true(git_deflate_write(fast, sv_from(text, SIZE), out) < SIZE * 77 / 100);
	fill(&dice, text, SIZE, WORDS);
	assert_true(git_deflate_write(fast, sv_from(text, SIZE), out) < SIZE * 33 / 100);
	free(text);
	free(out);
	git_deflate_free(fast);
}

static void test_versions(void **state)
{
	(void)state;
	assert_null(plain_isal_version());
	assert_string_equal(plain_version(), git_deflate_version());
	if (git_isal_version())
		assert_non_null(strchr(git_isal_version(), '.'));
}

/* The codes for base64 are taken if an eighth at most is something else. */
static void test_literals_are_chosen(void **state)
{
	(void)state;
	enum { SIZE = 90000, SHORT = GIT_LITERALS_LEAST - 1 };
	struct git_literals *literals = git_literals_new();
	uint8_t *out = memory_take(git_literals_bound(SIZE));
	char *text = memory_take(SIZE);
	struct dice dice = {9};

	for (enum kind kind = ZEROS; kind < KINDS; kind++) {
		fill(&dice, text, SIZE, kind);
		size_t size = git_literals_write(literals, sv_from(text, SIZE), out);
		bool is_expected = kind == LETTERS || kind == SEALED || kind == FRAMED;

		assert_int_equal(size > 0, is_expected);
		if (size > 0)
			assert_stream(out, size, git_literals_bound(SIZE), sv_from(text, SIZE));
		assert_int_equal(git_literals_write(literals, sv_from(text, SHORT), out), 0);
	}
	free(text);
	free(out);
	git_literals_free(literals);
}

/* Runs of base64 at, below and above the length of a block of their own, and every byte between. */
static void test_literals_at_the_borders(void **state)
{
	(void)state;
	enum { SIZE = GIT_LITERALS_LEAST + 4 * GIT_LITERALS_RUN };
	struct git_literals *literals = git_literals_new();
	uint8_t *out = memory_take(git_literals_bound(SIZE));
	char *text = memory_take(SIZE);
	struct dice dice = {10};

	for (unsigned byte = 0; byte < 256; byte++) {
		for (int away = -9; away <= 9; away++) {
			fill(&dice, text, SIZE, LETTERS);
			text[SIZE - 2 * GIT_LITERALS_RUN] = (char)byte;
			text[SIZE - GIT_LITERALS_RUN + away] = (char)byte;
			text[(size_t)(away + 9)] = (char)byte;
			sv bytes = sv_from(text, SIZE);
			size_t size = git_literals_write(literals, bytes, out);

			assert_stream(out, size, git_literals_bound(SIZE), bytes);
		}
	}
	free(text);
	free(out);
	git_literals_free(literals);
}

UNIT_TESTS(git_deflate)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_back),
	    cmocka_unit_test(test_is_worth_it),
	    cmocka_unit_test(test_literals_are_chosen),
	    cmocka_unit_test(test_literals_at_the_borders),
	    cmocka_unit_test(test_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
