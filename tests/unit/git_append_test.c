/* git: strings that are appended to a file, small ones in chunks. */
#include "git/append.h"

#include "asserts.h"
#include "dice.h"

#include <stdlib.h>
#include <unistd.h>

enum { CHUNK = GIT_APPEND_CHUNK_BYTES };

/* Appends strings of these sizes behind `before` bytes of the file, and reads all of it again. */
static void assert_appended(const size_t *sizes, size_t count, size_t before)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	char path[] = "/tmp/git_append_XXXXXX";
	struct buf want = buf_in(arena);
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	buf_add_repeat(&want, '-', before);
	assert_true(git_write_at(fd, (const uint8_t *)want.ptr, before, 0));
	struct git_append *append = git_append_new(fd, before);
	for (size_t i = 0; i < count; i++) {
		char *text = arena_alloc_text(arena, sizes[i] + 1);

		for (size_t k = 0; k < sizes[i]; k++)
			text[k] = (char)('a' + (i * 7 + k) % 26);
		struct git_appended appended = git_append_take(append, sv_from(text, sizes[i]));
		assert_int_equal(appended.offset, want.len);
		buf_add(&want, sv_from(text, sizes[i]));
		assert_int_equal(git_append_size(append), want.len);
		assert_true(git_append_write(append, &appended));
	}
	assert_true(git_append_finish(append));
	git_append_free(append);
	assert_int_equal(lseek(fd, 0, SEEK_END), want.len);
	char *got = arena_alloc_text(arena, want.len + 1);
	assert_int_equal(pread(fd, got, want.len, 0), want.len);
	assert_memory_equal(got, want.ptr, want.len);
	close(fd);
}

/* Chunks that become exactly full, or would by one byte more, and strings as large as one. */
static void appends_strings_of_all_sizes(void **state UNUSED)
{
	static const size_t small[] = {1, 0, 30, 2000};
	static const size_t full[] = {CHUNK / 2, CHUNK / 2, 1, CHUNK / 2, CHUNK / 2 - 1, 5};
	static const size_t over[] = {CHUNK / 2, CHUNK / 2 + 1, 3, CHUNK - 4, 1, 1};
	static const size_t large[] = {5, CHUNK, 5, CHUNK - 1, CHUNK + 1, 3 * CHUNK, 7};

	assert_appended(small, COUNT_OF(small), 12);
	assert_appended(full, COUNT_OF(full), 12);
	assert_appended(over, COUNT_OF(over), 0);
	assert_appended(large, COUNT_OF(large), 12);
}

static void appends_random_strings(void **state UNUSED)
{
	struct dice dice = {12};

	for (size_t round = 0; round < 20; round++) {
		size_t sizes[40];

		for (size_t i = 0; i < COUNT_OF(sizes); i++)
			sizes[i] =
			    roll(&dice, 8) == 0 ? roll(&dice, 2 * CHUNK) : roll(&dice, CHUNK / 8);
		assert_appended(sizes, COUNT_OF(sizes), round);
	}
}

UNIT_TESTS(git_append)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(appends_strings_of_all_sizes),
	    cmocka_unit_test(appends_random_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
