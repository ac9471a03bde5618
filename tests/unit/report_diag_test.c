/* Diagnostics as text: places, excerpts, underlines, what must not be shown. */
#include "report/report.h"

#include "asserts.h"

static const struct report_style plain = {.width = 60};

/* The diagnostic at the first occurrence of mark in text, rendered. */
static struct buf render(struct arena *arena, const char *text, const char *mark, bool confidential,
                         const struct report_style *style)
{
	struct sink sink = sink_in(arena);
	sv source_text = sv_from_cstr(text);
	struct source *source = source_new(arena, SV("a/b.yaml"), source_text, confidential);
	size_t at = sv_find(source_text, sv_from_cstr(mark));
	struct buf buf = buf_in(arena);

	assert_true(at != SV_NPOS);
	struct diag *diag =
	    diag_report(&sink, DIAG_USAGE, (struct position){source, at, strlen(mark)}, "wrong");
	report_diag_text(&buf, diag, style);
	return buf;
}

static void test_place_and_underline(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = render(arena, "one: 1\ntwo: {bad}\n", "bad", false, &plain);

	assert_sv(buf_sv(&buf), "a/b.yaml:2:7: error[OSG9001]: wrong\n"
	                        "    |\n"
	                        "  2 | two: {bad}\n"
	                        "    |       ^~~\n");
}

static void test_object_notes_help(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct source *source = source_new(arena, SV("x.yaml"), SV("a: 1\nb: 2\n"), false);
	struct buf buf = buf_in(arena);

	sink.object = SV("MachineDeployment kube-system/workers");
	sink.cluster = SV("prod");
	struct diag *diag =
	    diag_report(&sink, DIAG_USAGE, position_of_source(source), "whole file");
	diag_add_note(&sink, diag, (struct position){source, 5, 1}, "see here");
	diag_add_note(&sink, diag, NOWHERE, "and %s", "mind");
	diag_set_help(&sink, diag, "do this\nthen that");
	report_diags_text(&buf, &sink, &plain);
	assert_sv(buf_sv(&buf), "x.yaml: error[OSG9001]: whole file\n"
	                        "  in MachineDeployment kube-system/workers, cluster prod\n"
	                        "  x.yaml:2:1: note: see here\n"
	                        "    |\n"
	                        "  2 | b: 2\n"
	                        "    | ^\n"
	                        "  note: and mind\n"
	                        "  help: do this\n"
	                        "        then that\n"
	                        "\n"
	                        "1 error\n");
}

static void test_note_at_the_same_place(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct source *source = source_new(arena, SV("x"), SV("a: 1\n"), false);
	struct buf buf = buf_in(arena);
	struct position at = {source, 3, 1};
	struct diag *diag = diag_report(&sink, DIAG_USAGE, at, "wrong");

	diag_add_note(&sink, diag, at, "because");
	report_diag_text(&buf, diag, &plain);
	assert_sv(buf_sv(&buf), "x:1:4: error[OSG9001]: wrong\n    |\n  1 | a: 1\n    |    ^\n"
	                        "  note: because\n");
}

static void test_tabs_and_wide_runes(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	/* TAB to column 4, two columns for each of the two characters. */
	struct buf buf = render(arena, "\t\xe6\x97\xa5\xe6\x9c\xac: bad", "bad", false, &plain);

	assert_sv(buf_sv(&buf), "a/b.yaml:1:10: error[OSG9001]: wrong\n"
	                        "    |\n"
	                        "  1 |     \xe6\x97\xa5\xe6\x9c\xac: bad\n"
	                        "    |           ^~~\n");
	/* A letter with a combining mark takes one column. */
	buf = render(arena, "e\xcc\x81 bad", "bad", false, &plain);
	assert_sv(buf_sv(&buf), "a/b.yaml:1:5: error[OSG9001]: wrong\n"
	                        "    |\n"
	                        "  1 | e\xcc\x81 bad\n"
	                        "    |   ^~~\n");
}

static void test_controls_are_escaped(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = render(arena, "\x1b[31m\xff\xe2\x80\xae bad", "bad", false, &plain);

	assert_sv(buf_sv(&buf), "a/b.yaml:1:11: error[OSG9001]: wrong\n"
	                        "    |\n"
	                        "  1 | \\x1b[31m\\xff\\u202e bad\n"
	                        "    |                    ^~~\n");
	struct buf text = buf_in(arena);
	report_add_visible(&text, SV("a\nb\t\xc2\x9b"));
	assert_sv(buf_sv(&text), "a\\nb\\t\\u009b");
}

static void test_end_of_line_and_of_text(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct source *source = source_new(arena, SV("x"), SV("ab\r\n"), false);
	struct buf buf = buf_in(arena);

	/* A range that goes on in the next line ends with its first one. */
	report_diag_text(
	    &buf, diag_report(&sink, DIAG_USAGE, (struct position){source, 1, 3}, "one"), &plain);
	report_diag_text(
	    &buf, diag_report(&sink, DIAG_USAGE, (struct position){source, 4, 0}, "two"), &plain);
	assert_sv(buf_sv(&buf), "x:1:2: error[OSG9001]: one\n    |\n  1 | ab\n    |  ^\n"
	                        "x:2:1: error[OSG9001]: two\n    |\n  2 |\n    | ^\n");
}

static void test_long_lines_are_cut(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf line = buf_in(arena);

	buf_add_repeat(&line, 'a', 100000);
	buf_add_cstr(&line, "BAD");
	buf_add_repeat(&line, 'z', 100000);
	buf_add_char(&line, '\0');
	struct buf buf = render(arena, line.ptr, "BAD", false, &plain);
	struct sv_splitter lines = sv_split(buf_sv(&buf), '\n');
	sv head;
	sv gutter;
	sv shown;
	sv underline = {0};
	assert_true(sv_split_next(&lines, &head) && sv_split_next(&lines, &gutter) &&
	            sv_split_next(&lines, &shown) && sv_split_next(&lines, &underline));
	assert_true(sv_starts_with(head, SV("a/b.yaml:1:100001:")));
	assert_true(shown.len <= 60);
	assert_contains(shown, "| ...aaa");
	assert_true(sv_ends_with(shown, SV("zzz...")));
	assert_int_equal(sv_find(shown, SV("BAD")), sv_find(underline, SV("^~~")));
}

static void test_secrets_are_not_shown(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct secret password = {
	    .name = SV_INIT("a/b:password"), .text = SV_INIT("hunter22"), .high_entropy = false};
	struct secret key = {.name = SV_INIT("a/b:key"),
	                     .text = SV_INIT("-----\nfirst line\nsecond line\n"),
	                     .high_entropy = true};
	struct secret tiny = {
	    .name = SV_INIT("a/b:tiny"), .text = SV_INIT("bad"), .high_entropy = false};
	const struct secret *secrets[] = {&password, &key, &tiny};
	struct report_style style = plain;

	style.mask = secret_mask_new(arena, secrets, COUNT_OF(secrets));
	struct buf buf =
	    render(arena, "x: hunter22 first line bad ----- second line", "bad", false, &style);
	assert_sv(buf_sv(&buf), "a/b.yaml:1:24: error[OSG9001]: wrong\n"
	                        "    |\n"
	                        "  1 | x: *** *** bad ----- ***\n"
	                        "    |            ^~~\n");
	/* The mark inside the secret, and a window that begins inside it. */
	buf = render(arena, "x: hunter22", "ter", false, &style);
	assert_sv(buf_sv(&buf), "a/b.yaml:1:7: error[OSG9001]: wrong\n"
	                        "    |\n"
	                        "  1 | x: ***\n"
	                        "    |    ^~~\n");
	buf = render(arena, "password: hunter22", "hunter22", true, &style);
	assert_sv(buf_sv(&buf), "a/b.yaml:1:11: error[OSG9001]: wrong\n"
	                        "  (the line is not shown: this file holds secrets)\n");
	struct source *guessed = source_new(arena, SV("b.yaml"), SV("password: hunter22"), true);
	guessed->suspected = true;
	struct sink guesses = sink_in(arena);
	struct diag *guess = diag_report(&guesses, DIAG_IO, (struct position){guessed, 10, 8}, "x");
	diag_set_help(&guesses, guess, "y");
	buf = buf_in(arena);
	report_diags_text(&buf, &guesses, &style);
	assert_true(
	    sv_contains(buf_sv(&buf), SV("  (the line is not shown: it could hold a secret)\n")));
	/* Once, whatever the number of notes. */
	diag_add_note(&guesses, guess, (struct position){guessed, 0, 8}, "y");
	diag_add_note(&guesses, guess, (struct position){guessed, 1, 8}, "z");
	buf = buf_in(arena);
	report_diags_text(&buf, &guesses, &style);
	assert_sv(buf_sv(&buf), "b.yaml:1:11: error[OSG9002]: x\n"
	                        "  (the line is not shown: it could hold a secret)\n"
	                        "  b.yaml:1:1: note: y\n"
	                        "  b.yaml:1:2: note: z\n"
	                        "  help: y\n"
	                        "\n"
	                        "1 error\n");
	struct sink sink = sink_in(arena);
	struct buf message = buf_in(arena);
	struct diag *diag = diag_report(&sink, DIAG_USAGE, NOWHERE, "got hunter22!");
	diag_set_help(&sink, diag, "not hunter22hunter22");
	report_diag_text(&message, diag, &style);
	assert_sv(buf_sv(&message), "error[OSG9001]: got ***!\n  help: not ******\n");
}

static void test_color(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_style style = {.color = true};
	struct buf buf = render(arena, "bad", "bad", false, &style);

	assert_sv(buf_sv(&buf),
	          "\x1b[1ma/b.yaml:1:1:\x1b[0m \x1b[1;31merror[OSG9001]:\x1b[0m wrong\n"
	          "\x1b[34m    |\x1b[0m\n"
	          "\x1b[34m  1 |\x1b[0m bad\n"
	          "\x1b[34m    |\x1b[0m \x1b[1;31m^~~\x1b[0m\n");
}

static void test_explain(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);

	assert_null(report_find_code(SV("OSG")));
	assert_null(report_find_code(SV("OSG0000")));
	assert_null(report_find_code(SV("OSG90010")));
	assert_ptr_equal(report_find_code(SV("9001")), report_find_code(SV("osg9001")));
	report_explain_text(&buf, report_find_code(SV("OSG9001")), &plain);
	assert_sv(buf_sv(&buf), "OSG9001: wrong usage\n"
	                        "an error on the command line: exit status 64, nothing is done\n"
	                        "\n"
	                        "The command line has an option or an argument that osm-gen\n"
	                        "does not know, or lacks one it needs.\n"
	                        "\n"
	                        "`osm-gen help` lists the commands, `osm-gen help COMMAND`\n"
	                        "the options of one.\n");
}

static void test_mistake_made_often(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct report_style few = {.width = 60, .diags_per_code = 3};
	struct buf buf = buf_in(arena);
	struct diag *diag = NULL;

	for (int i = 0; i < 1234; i++)
		diag = diag_report(&sink, DIAG_USAGE, NOWHERE, "wrong %d", i);
	diag = diag_report(&sink, DIAG_INPUT_DIRTY, NOWHERE, "another");
	for (int i = 0; i < 5; i++)
		diag_add_note(&sink, diag, NOWHERE, "note %d", i);
	report_diags_text(&buf, &sink, &few);
	assert_sv(buf_sv(&buf), "error[OSG9001]: wrong 0\n\nerror[OSG9001]: wrong 1\n\n"
	                        "error[OSG9001]: wrong 2\n\nwarning[OSG6102]: another\n"
	                        "  note: note 0\n  note: note 1\n  note: note 2\n"
	                        "  note: and 2 more\n\n"
	                        "and 1,231 more error[OSG9001]: wrong usage\n"
	                        "  help: -v shows all of them, --report json=FILE writes them to a "
	                        "file\n\n"
	                        "1,234 errors, 1 warning\n");
	/* Of warnings three are enough, whatever the number is. */
	buf = buf_in(arena);
	struct sink warned = sink_in(arena);
	struct report_style usual = {.width = 60, .diags_per_code = REPORT_DIAGS_PER_CODE};
	for (int i = 0; i < 5; i++)
		diag_report(&warned, DIAG_INPUT_DIRTY, NOWHERE, "dirty %d", i);
	report_diags_text(&buf, &warned, &usual);
	assert_contains(buf_sv(&buf), "warning[OSG6102]: dirty 2\n");
	assert_lacks(buf_sv(&buf), "dirty 3");
	assert_contains(buf_sv(&buf), "and 2 more warning[OSG6102]: ");
	/* A warning that is made at several places is shown once, with the others. */
	buf = buf_in(arena);
	struct sink repeated = sink_in(arena);
	for (int i = 0; i < 3; i++)
		diag_report(&repeated, DIAG_INPUT_DIRTY,
		            position_of_source(source_new(arena, arena_printf(arena, "%d.yaml", i),
		                                          SV(""), false)),
		            "the same");
	report_diags_text(&buf, &repeated, &usual);
	assert_sv(buf_sv(&buf), "0.yaml: warning[OSG6102]: the same\n"
	                        "  also at 1.yaml, 2.yaml\n\n"
	                        "3 warnings\n");
	buf = buf_in(arena);
	report_diags_text(&buf, &repeated, &plain);
	assert_contains(buf_sv(&buf), "2.yaml: warning[OSG6102]: the same\n");
	/* All of them when no number is set. */
	buf = buf_in(arena);
	report_diags_text(&buf, &sink, &plain);
	assert_contains(buf_sv(&buf), "error[OSG9001]: wrong 1233\n");
	assert_contains(buf_sv(&buf), "note: note 4\n");
	assert_lacks(buf_sv(&buf), "more");
}

/* Each cluster is told of a mistake in a file that they share: its place is listed once. */
static void test_place_of_many_clusters(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct sink repeated = sink_in(arena);
	struct report_style usual = {.width = 60, .diags_per_code = REPORT_DIAGS_PER_CODE};
	struct buf buf = buf_in(arena);

	for (int i = 0; i < 40; i++) {
		/* Each is read anew where kustomize builds it. */
		const struct position at =
		    position_of_source(source_new(arena, SV("shared.yaml"), SV(""), false));

		diag_report(&sink, DIAG_USAGE, at, "wrong in cluster %d", i);
		diag_report(&repeated, DIAG_INPUT_DIRTY, at, "the same");
	}
	report_diags_text(&buf, &sink, &usual);
	assert_contains(buf_sv(&buf), " more error[OSG9001]: wrong usage\n  at shared.yaml\n");
	buf = buf_in(arena);
	report_diags_text(&buf, &repeated, &usual);
	assert_sv(buf_sv(&buf), "shared.yaml: warning[OSG6102]: the same\n"
	                        "  also at shared.yaml, 39 in all\n\n"
	                        "40 warnings\n");
}

UNIT_TESTS(report_diag)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mistake_made_often),
	    cmocka_unit_test(test_place_of_many_clusters),
	    cmocka_unit_test(test_place_and_underline),
	    cmocka_unit_test(test_object_notes_help),
	    cmocka_unit_test(test_note_at_the_same_place),
	    cmocka_unit_test(test_tabs_and_wide_runes),
	    cmocka_unit_test(test_controls_are_escaped),
	    cmocka_unit_test(test_end_of_line_and_of_text),
	    cmocka_unit_test(test_long_lines_are_cut),
	    cmocka_unit_test(test_secrets_are_not_shown),
	    cmocka_unit_test(test_color),
	    cmocka_unit_test(test_explain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
