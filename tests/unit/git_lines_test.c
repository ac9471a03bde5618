/*
 * git: strings that are compared by lines. tests/shapes has further ones.
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

/* ---- what is equal at both ends ------------------------------------------------------------ */

/* A small generator: the same numbers each time. */
static unsigned next_number(unsigned *state, unsigned below)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 16) % below;
}

/* Applies hunks to a text as patch(1) does, by their line numbers. */
static sv apply(struct arena *arena, sv old_text, const struct git_hunks *hunks)
{
	struct buf result = buf_in(arena);
	size_t line = 1;

	VEC_EACH (hunk, hunks) {
		size_t begin = hunk->old_line + (hunk->old_count == 0);

		for (; line < begin; line++) {
			size_t end = sv_find_char(old_text, '\n') + 1;

			buf_add(&result, sv_slice(old_text, 0, end));
			old_text = sv_from_offset(old_text, end);
		}
		VEC_EACH (one, &hunk->lines) {
			if (one->sign != '-')
				buf_add(&result, one->text);
			if (one->sign == '+')
				continue;
			assert_true(sv_starts_with(old_text, one->text));
			old_text = sv_from_offset(old_text, one->text.len);
			line++;
		}
	}
	buf_add(&result, old_text);
	return buf_sv(&result);
}

/* Returns where the last line of the text begins. */
static size_t last_line(const struct buf *text)
{
	size_t at = text->len - 1;

	while (at > 0 && text->ptr[at - 1] != '\n')
		at--;
	return at;
}

/* Hunks lead from one text to the other, wherever it differs and however often lines repeat. */
static void hunks_apply(void **state UNUSED)
{
	unsigned random = 1;

	for (unsigned round = 0; round < 2000; round++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct buf old_text = buf_in(arena);
		struct buf new_text = buf_in(arena);
		unsigned lines = next_number(&random, 400);
		unsigned words = 1 + next_number(&random, 300);
		unsigned rare = 1 + next_number(&random, 200);

		for (unsigned i = 0; i < lines; i++) {
			unsigned kind =
			    next_number(&random, rare) > 0 ? 3 : next_number(&random, 3);

			if (kind != 0)
				buf_printf(&old_text, "%u\n", next_number(&random, words));
			else
				buf_printf(&new_text, "%u\n", next_number(&random, words));
			if (kind == 3)
				buf_printf(&new_text, "%s",
				           arena_cstr(arena, sv_from_offset(buf_sv(&old_text),
				                                            last_line(&old_text))));
		}
		unsigned context = next_number(&random, 5);
		struct git_hunks hunks =
		    git_compare_lines(arena, buf_sv(&old_text), buf_sv(&new_text), context);

		assert_true(sv_eq(apply(arena, buf_sv(&old_text), &hunks), buf_sv(&new_text)));
	}
}

/* Numbers count from the first line, and lines around a change are there as often as asked for. */
static void numbers_in_the_middle(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf old_text = buf_in(arena);
	struct buf new_text = buf_in(arena);

	for (unsigned i = 1; i <= 1000; i++) {
		if (i != 500)
			buf_printf(&old_text, "line %u\n", i);
		buf_printf(&new_text, i == 600 ? "other %u\n" : "line %u\n", i);
	}
	struct git_hunks hunks = git_compare_lines(arena, buf_sv(&old_text), buf_sv(&new_text), 3);
	assert_int_equal(hunks.count, 2);
	assert_int_equal(hunks.items[0].old_line, 497);
	assert_int_equal(hunks.items[0].old_count, 6);
	assert_int_equal(hunks.items[0].new_line, 497);
	assert_int_equal(hunks.items[0].new_count, 7);
	assert_sv(hunks.items[0].lines.items[3].text, "line 500\n");
	assert_int_equal(hunks.items[1].old_line, 596);
	assert_int_equal(hunks.items[1].new_line, 597);
	/* More lines than are kept for changes that move. */
	hunks = git_compare_lines(arena, buf_sv(&old_text), buf_sv(&new_text), 300);
	assert_int_equal(hunks.count, 1);
	assert_int_equal(hunks.items[0].old_line, 200);
	assert_int_equal(hunks.items[0].old_count, 700);
}

UNIT_TESTS(git_lines)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_of_long_strings),
	    cmocka_unit_test(numbers_in_the_middle),
	    cmocka_unit_test(hunks_apply),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
