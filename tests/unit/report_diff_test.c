/* Unified differences: form, and that applying one gives the new text. */
#include "report/report.h"

#include "asserts.h"
#include "dice.h"
#include "git_open.h"

#include <stdio.h>
#include <stdlib.h>

static const struct report_style plain = {0};

static const char *diff(struct arena *arena, const char *old_text, const char *new_text)
{
	struct buf buf = buf_in(arena);

	report_diff_text(arena, &buf, SV("a/x"), sv_from_cstr(old_text), SV("b/x"),
	                 sv_from_cstr(new_text), &plain);
	buf_add_char(&buf, '\0');
	return buf.ptr;
}

static void test_form(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	assert_string_equal(diff(arena, "a\nb\n", "a\nb\n"), "");
	assert_string_equal(
	    diff(arena, "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nFIVE\n6\n7\n8\n9\n"),
	    "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+FIVE\n 6\n 7\n 8\n");
	assert_string_equal(
	    diff(arena, "a", "a\n"),
	    "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
	assert_string_equal(diff(arena, "a\tb\x1b\n", ""),
	                    "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\tb\\x1b\n");
}

static void test_two_hunks(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	/* Six lines between two changes: one hunk. Seven: two. */
	assert_string_equal(
	    diff(arena, "a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n"),
	    "--- a/x\n+++ b/x\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
	assert_string_equal(
	    diff(arena, "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n"),
	    "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n"
	    "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

static void test_new_and_gone_files(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);

	report_diff_text(arena, &buf, (sv){0}, (sv){0}, SV("n"), SV("1\n"), &plain);
	report_diff_text(arena, &buf, SV("o"), SV("1\n"), (sv){0}, (sv){0}, &plain);
	assert_sv(buf_sv(&buf), "--- /dev/null\n+++ n\n@@ -0,0 +1 @@\n+1\n"
	                        "--- o\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n");
}

/* Applies a unified diff as patch(1) does, but strictly. */
static sv apply(struct arena *arena, sv old_text, sv patch)
{
	struct buf out = buf_in(arena);
	struct sv_splitter lines = sv_split(patch, '\n');
	size_t at = 0;
	size_t line_number = 1;
	sv line;

	while (sv_split_next(&lines, &line)) {
		size_t from;

		if (sv_empty(line) || sv_starts_with(line, SV("--- ")) ||
		    sv_starts_with(line, SV("+++ ")))
			continue;
		if (line.ptr[0] == '@') {
			from = strtoul(line.ptr + 4, NULL, 10);
			if (sv_starts_with(
			        sv_from_offset(line, 4 + (size_t)snprintf(NULL, 0, "%zu", from)),
			        SV(",0")))
				from++;
			for (; line_number < from; line_number++) {
				sv rest = sv_from_offset(old_text, at);
				size_t end = sv_find_char(rest, '\n') + 1;

				buf_add(&out, sv_slice(rest, 0, end));
				at += end;
			}
			continue;
		}
		sv text = arena_concat(arena, (sv[]){sv_from_offset(line, 1), SV("\n")}, 2);
		if (line.ptr[0] != '+') {
			assert_true(sv_starts_with(sv_from_offset(old_text, at), text));
			at += text.len;
			line_number++;
		}
		if (line.ptr[0] != '-')
			buf_add(&out, text);
	}
	buf_add(&out, sv_from_offset(old_text, at));
	return buf_sv(&out);
}

static void test_applies(void **state)
{
	(void)state;
	struct dice dice = {7};

	for (int round = 0; round < 400; round++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct buf a = buf_in(arena);
		struct buf b = buf_in(arena);
		struct buf patch = buf_in(arena);
		unsigned lines = roll(&dice, 60);

		for (unsigned i = 0; i < lines; i++) {
			unsigned word = roll(&dice, 9);

			if (roll(&dice, 5))
				buf_printf(&a, "line %u\n", word);
			if (roll(&dice, 5))
				buf_printf(&b, "line %u\n", word);
		}
		report_diff_text(arena, &patch, SV("x"), buf_sv(&a), SV("x"), buf_sv(&b), &plain);
		assert_true(sv_eq(apply(arena, buf_sv(&a), buf_sv(&patch)), buf_sv(&b)));
	}
}

static void test_large_and_different(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf a = buf_in(arena);
	struct buf b = buf_in(arena);
	struct buf patch = buf_in(arena);

	buf_add_cstr(&a, "same\n");
	buf_add_cstr(&b, "same\n");
	for (int i = 0; i < 3000; i++) {
		buf_printf(&a, "old %d\n", i);
		buf_printf(&b, "new %d\n", i);
	}
	report_diff_text(arena, &patch, SV("x"), buf_sv(&a), SV("x"), buf_sv(&b), &plain);
	assert_true(sv_eq(apply(arena, buf_sv(&a), buf_sv(&patch)), buf_sv(&b)));
}

/* Above 262,144 lines all between the first and the last change is one hunk. */
static void test_too_many_lines(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf a = buf_in(arena);
	struct buf b = buf_in(arena);
	struct buf patch = buf_in(arena);
	struct dice dice = {11};

	for (int i = 0; i < 140000; i++) {
		bool is_middle = i >= 1000 && i < 139000;

		buf_printf(&a, "%u\n", is_middle ? roll(&dice, 2) : 2);
		buf_printf(&b, "%u\n", is_middle ? roll(&dice, 2) : 2);
	}
	report_diff_text(arena, &patch, SV("x"), buf_sv(&a), SV("x"), buf_sv(&b), &plain);
	assert_true(sv_eq(apply(arena, buf_sv(&a), buf_sv(&patch)), buf_sv(&b)));
	assert_contains(buf_sv(&patch), "@@ -100");
	assert_int_equal(sv_rfind_char(buf_sv(&patch), '@'),
	                 sv_find(buf_sv(&patch), SV(" @@")) + 2);
}

static void test_secrets_are_masked(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct secret token = {
	    .name = SV_INIT("a/b:token"), .text = SV_INIT("s3cr3t-token"), .high_entropy = true};
	const struct secret *secrets[] = {&token};
	struct report_style style = {.mask = secret_mask_new(arena, secrets, 1)};
	struct buf buf = buf_in(arena);

	report_diff_text(arena, &buf, SV("x"), SV("token: s3cr3t-token\n"), SV("x"), SV("token:\n"),
	                 &style);
	assert_contains(buf_sv(&buf), "-token: ***\n");
	assert_lacks(buf_sv(&buf), "s3cr3t");
}

UNIT_TESTS(report_diff)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_form),
	    cmocka_unit_test(test_two_hunks),
	    cmocka_unit_test(test_new_and_gone_files),
	    cmocka_unit_test(test_applies),
	    cmocka_unit_test(test_large_and_different),
	    cmocka_unit_test(test_too_many_lines),
	    cmocka_unit_test(test_secrets_are_masked),
	};

	return cmocka_run_group_tests(tests, git_open, git_close);
}
