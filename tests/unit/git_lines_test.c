/*
 * git: strings that are compared by lines, with so many of them that all between their common ends
 * is one hunk. tests/shapes has shorter ones.
 */
#include "git/git.h"

#include "asserts.h"

/* `count` lines, all alike. */
static void add_lines(struct buf *buf, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_add(buf, SV("x\n"));
}

/* Compares two strings of a first and a last part with another middle. */
static struct git_hunk compare(struct arena *arena, const char *first, const char *old_middle,
                               const char *new_middle)
{
	struct buf old_text = buf_in(arena);
	struct buf new_text = buf_in(arena);

	buf_add_cstr(&old_text, first);
	buf_add_cstr(&new_text, first);
	buf_add_cstr(&old_text, old_middle);
	buf_add_cstr(&new_text, new_middle);
	add_lines(&old_text, GIT_COMPARED_LINES / 2);
	add_lines(&new_text, GIT_COMPARED_LINES / 2);
	struct git_hunks hunks = git_compare_lines(arena, buf_sv(&old_text), buf_sv(&new_text), 3);
	assert_int_equal(hunks.count, 1);
	return hunks.items[0];
}

static void numbers_of_long_strings(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct git_hunk hunk = compare(arena, "\n\na\n", "b\nc\n", "d\n");

	assert_int_equal(hunk.old_line, 4);
	assert_int_equal(hunk.old_count, 2);
	assert_int_equal(hunk.new_line, 4);
	assert_int_equal(hunk.new_count, 1);
	assert_int_equal(hunk.lines.count, 3);
	assert_int_equal(hunk.lines.items[0].sign, '-');
	assert_sv(hunk.lines.items[0].text, "b\n");
	assert_int_equal(hunk.lines.items[2].sign, '+');
	assert_sv(hunk.lines.items[2].text, "d\n");
	/* The line after lines that were added or removed may be in the hunk, too. */
	hunk = compare(arena, "\n", "", "d\ne\nf\n");
	assert_int_equal(hunk.old_line, 2);
	assert_int_equal(hunk.old_count, 1);
	assert_int_equal(hunk.new_line, 2);
	assert_int_equal(hunk.new_count, 4);
	hunk = compare(arena, "", "b\n", "");
	assert_int_equal(hunk.old_line, 1);
	assert_int_equal(hunk.old_count, 2);
	assert_int_equal(hunk.new_line, 1);
	assert_int_equal(hunk.new_count, 1);
}

UNIT_TESTS(git_lines)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_of_long_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
