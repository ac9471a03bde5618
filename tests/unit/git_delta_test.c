/*
 * Objects as differences from others, put together again by a reader of its own, after git's
 * gitformat-pack(5). tests/cli/packs.sh has git read them.
 */
#include "git/compress.h"

#include "asserts.h"
#include "dice.h"

#include <stdlib.h>

enum { MOST = GIT_DELTA_MAX_SIZE };

struct fixture {
	struct git_delta_base *base;
	char *base_text;
	char *target;
	uint8_t *delta;
	char *result;
};

static int set_up(void **state)
{
	struct fixture *f = memory_take(sizeof(*f));

	*f = (struct fixture){
	    .base = git_delta_base_new(),
	    .base_text = memory_take_zeroed(1, MOST),
	    .target = memory_take_zeroed(1, MOST),
	    .delta = memory_take(2 * MOST),
	    .result = memory_take(MOST),
	};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	git_delta_base_free(f->base);
	free(f->base_text);
	free(f->target);
	free(f->delta);
	free(f->result);
	free(f);
	return 0;
}

static size_t read_size(const uint8_t *delta, size_t size, size_t *at)
{
	size_t number = 0;

	for (unsigned shift = 0;; shift += 7) {
		assert_true(*at < size && shift < 32);
		number |= (size_t)(delta[*at] & 0x7f) << shift;
		if (!(delta[(*at)++] & 0x80))
			return number;
	}
}

/* Applies the delta; each copy lies within the base, each byte within the result. */
static size_t apply(struct fixture *f, sv base, size_t size)
{
	size_t at = 0, done = 0;

	assert_int_equal(read_size(f->delta, size, &at), base.len);
	size_t wanted = read_size(f->delta, size, &at);
	assert_true(wanted <= MOST);
	while (at < size) {
		uint8_t operation = f->delta[at++];
		size_t offset = 0, len = 0;

		assert_true(operation != 0);
		if (!(operation & 0x80)) {
			assert_true(size - at >= operation && wanted - done >= operation);
			memcpy(f->result + done, f->delta + at, operation);
			at += operation;
			done += operation;
			continue;
		}
		for (unsigned i = 0; i < 7; i++) {
			if (!(operation & 1u << i))
				continue;
			assert_true(at < size);
			if (i < 4)
				offset |= (size_t)f->delta[at++] << (8 * i);
			else
				len |= (size_t)f->delta[at++] << (8 * (i - 4));
		}
		len = len ? len : 0x10000;
		assert_true(offset <= base.len && base.len - offset >= len);
		assert_true(wanted - done >= len);
		memcpy(f->result + done, base.ptr + offset, len);
		done += len;
	}
	assert_int_equal(done, wanted);
	return done;
}

/* Writes the delta into `most` bytes; what comes is right, and 0 is what does not fit. */
static size_t check(struct fixture *f, sv base, sv target, size_t most)
{
	memset(f->delta, 0xA5, 2 * MOST);
	git_delta_base_set(f->base, base);
	size_t size = git_delta_write(f->base, target, f->delta, most);

	assert_true(size <= most);
	for (size_t i = most; i < 2 * MOST && i < most + 64; i++)
		assert_int_equal(f->delta[i], 0xA5);
	if (size > 0) {
		size_t len = apply(f, base, size);
		assert_true(sv_eq(sv_from(f->result, len), target));
	}
	return size;
}

static size_t fill_yaml(char *text, size_t lines, const char *version)
{
	size_t len = 0;

	for (size_t i = 0; i < lines; i++)
		len += (size_t)snprintf(text + len, MOST - len,
		                        "  - path: /etc/file-%zu\n    content: line %zu of %s\n", i,
		                        i * i, i % 50 ? "all" : version);
	return len;
}

static void test_alike(void **state)
{
	struct fixture *f = *state;
	sv base = {f->base_text, fill_yaml(f->base_text, 1000, "1.33.4")};
	/* The same length, and another one. */
	sv same = {f->target, fill_yaml(f->target, 1000, "1.34.1")};
	assert_in_range(check(f, base, same, same.len / 4), 1, 600);
	sv longer = {f->target, fill_yaml(f->target, 1000, "1.35.0-rc.1 of all")};
	assert_in_range(check(f, base, longer, longer.len / 4), 1, 3000);
	sv itself = base;
	assert_in_range(check(f, base, itself, itself.len / 4), 1, 16);
	/* A copy of more than 64 KiB, and of exactly that. */
	memset(f->target, 'x', MOST);
	for (size_t len = 0xfffe; len < 0x10003; len++)
		assert_true(check(f, sv_from(f->target, len), sv_from(f->target, len), 64) > 0);
	assert_true(check(f, sv_from(f->target, MOST), sv_from(f->target, MOST), 64) > 0);
}

static void test_unlike(void **state)
{
	struct fixture *f = *state;
	struct dice dice = {3};

	for (size_t i = 0; i < 100000; i++) {
		f->base_text[i] = (char)roll(&dice, 256);
		f->target[i] = (char)roll(&dice, 256);
	}
	sv base = {f->base_text, 100000}, target = {f->target, 100000};
	assert_int_equal(check(f, base, target, target.len / 4), 0);
	/* What fits is written even so. */
	assert_true(check(f, base, target, target.len * 2) > target.len);
	assert_int_equal(check(f, base, sv_slice(target, 0, 100), 3), 0);
	assert_int_equal(check(f, base, sv_slice(target, 0, 100), 0), 0);
}

static void test_small(void **state)
{
	struct fixture *f = *state;

	for (size_t a = 0; a < 40; a++) {
		for (size_t b = 0; b < 40; b++) {
			memset(f->base_text, 'a', a);
			memset(f->target, b % 2 ? 'a' : 'b', b);
			assert_true(check(f, sv_from(f->base_text, a), sv_from(f->target, b), 100) >
			            0);
		}
	}
	assert_true(check(f, (sv){0}, (sv){0}, 100) > 0);
}

/* Parts that are cut, doubled, moved and changed; rooms that are just enough, and one byte less. */
static void test_random(void **state)
{
	struct fixture *f = *state;
	struct dice dice = {11};
	unsigned given_up = 0;

	for (unsigned round = 0; round < 3000; round++) {
		size_t base_len = roll(&dice, 3000), len = 0;
		unsigned letters = 1 + roll(&dice, round % 3 ? 255 : 2);

		for (size_t i = 0; i < base_len; i++)
			f->base_text[i] = (char)roll(&dice, letters);
		while (len < 4000 && roll(&dice, 12)) {
			size_t part = roll(&dice, 400);
			size_t from = base_len > 0 ? roll(&dice, (unsigned)base_len) : 0;

			part = part < base_len - from ? part : base_len - from;
			memcpy(f->target + len, f->base_text + from, part);
			len += part;
			f->target[len++] = (char)roll(&dice, 256);
		}
		sv base = {f->base_text, base_len}, target = {f->target, len};
		size_t size = check(f, base, target, 2 * MOST - 64);
		assert_true(size > 0);
		size_t again = check(f, base, target, size);
		assert_true(again == size || again == 0);
		given_up += again == 0;
		assert_int_equal(check(f, base, target, size - 1), 0);
	}
	assert_true(given_up < 30);
}

UNIT_TESTS(git_delta)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_alike, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_unlike, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_small, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_random, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
