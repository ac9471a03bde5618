/* report, and the commit's message: names that speak to CI systems, terminals and people. */
#include "hostile_reports.h"

#include "asserts.h"
#include "git_open.h"

#include <stdio.h>
#include <stdlib.h>

/* The first three are harmless: what the others are compared with. */
static const sv names[] = {
    SV_INIT("plain"),
    SV_INIT("clusters/prod/workers.yaml"),
    SV_INIT("a name that is longer than what a heading shows of a value"),
    SV_INIT("::error file=x::y"),
    SV_INIT("::add-mask::a"),
    SV_INIT("  \t::stop-commands::x"),
    SV_INIT("\xc2\xa0\xe3\x80\x80::warning::x"),
    SV_INIT("a\n::set-output name=x::y"),
    SV_INIT("a\r\n::debug::y"),
    SV_INIT("##[error]x"),
    SV_INIT("a ##[group]b"),
    SV_INIT("###[add-mask]"),
    SV_INIT("##vso[task.setvariable variable=x]y"),
    SV_INIT("##teamcity[buildStatus text='x']"),
    SV_INIT("section_start:1560896352:x\r\x1b[0K"),
    SV_INIT("\x1b[2J\x1b]0;title\x07"),
    SV_INIT("\xc2\x9b"
            "31m"),
    SV_INIT("\xe2\x80\xae"
            "txt.exe"),
    SV_INIT("\xff\xfe\x80"),
    SV_INIT("@octocat @org/team"),
    SV_INIT("#1 GH-1 gh-12 owner/repo#1 !1 &1 %1 $1 ~bug ^alert#1"),
    SV_INIT("0123456789abcdef0123456789abcdef01234567"),
    SV_INIT("owner/repo@0123456789abcdef0123456789abcdef01234567"),
    SV_INIT("https://example.com/ www.example.com mail@example.com"),
    SV_INIT("[click](https://example.com) ![x](y) <a href=x> <!-- -->"),
    SV_INIT("`` ` @octocat"),
    SV_INIT("@a`@b``@c```@d"),
    SV_INIT("`"),
    SV_INIT("a\\"),
    SV_INIT("a | @b \\| @c \\\\| @d"),
    SV_INIT("v1\n\nOsm-Gen-Inputs: forged\nOsm-Gen-Source: forged"),
    SV_INIT("v1\n\nCo-authored-by: A <a@example.com>\nCloses #1"),
    SV_INIT("/close\n/assign me"),
    SV_INIT("]]><x>&\"'"),
    SV_INIT(""),
};

static void shows_hostile_names_as_text(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		check_hostile_reports(names[i]);
		check_hostile_reports(ARENA_CONCAT(arena, SV("clusters/"), names[i], SV(".yaml")));
		check_hostile_reports(ARENA_CONCAT(arena, SV("#"), names[i], SV("#")));
	}
}

static void write_report(struct arena *arena, sv folder, size_t number, const char *form,
                         const struct buf *text)
{
	FILE *file = fopen(
	    arena_cstr(arena, arena_printf(arena, "%.*s/%02zu.%s", SV_ARG(folder), number, form)),
	    "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(text->ptr, 1, text->len, file), text->len);
	assert_int_equal(fclose(file), 0);
}

/* Writes each report of each name into a folder, for tests/cli/report_parsers.sh. */
static void writes_reports_for_parsers(void **state)
{
	typedef void report(struct buf * buf, const struct report_summary *summary,
	                    const struct sink *sink, const struct report_style *style);
	static const struct {
		const char *form;
		report *write;
	} reports[] = {
	    {"json", report_json},     {"sarif", report_sarif},       {"junit", report_junit},
	    {"html", report_html},     {"markdown", report_markdown}, {"github", report_github},
	    {"gitlab", report_gitlab},
	};
	const char *folder = getenv("OSM_GEN_REPORTS");

	(void)state;
	if (!folder)
		return;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);
		struct report_summary summary = hostile_summary(arena, names[i]);
		struct sink sink = sink_in(arena);
		struct report_style plain = {0};
		struct report_style colored = {.color = true};
		struct buf text = buf_in(arena);

		hostile_diag(arena, &sink, names[i], 0);
		hostile_diag(arena, &sink, names[i], 1);
		for (size_t j = 0; j < COUNT_OF(reports); j++) {
			struct buf buf = buf_in(arena);

			/* SARIF has the changes of commands that compare. */
			summary.outcome =
			    reports[j].write == report_sarif ? REPORT_DIFFERS : REPORT_COMMITTED;
			reports[j].write(&buf, &summary, &sink, &plain);
			write_report(arena, sv_from_cstr(folder), i, reports[j].form, &buf);
		}
		report_diags_text(&text, &sink, &colored);
		report_summary_text(&text, &summary, true, &colored);
		report_plan_text(&text, &summary, true, &colored);
		report_groups_text(&text, &summary, &colored);
		write_report(arena, sv_from_cstr(folder), i, "terminal", &text);
	}
}

/* A variation selector, one of the supplement, a filler, a tag: scripts have been hidden in them.
 */
static void shows_what_is_invisible(void **state)
{
	static const char *const texts[][2] = {
	    {"a\xef\xb8\x80z", "a\\ufe00z"},
	    {"a\xf3\xa0\x84\x80z", "a\\U000e0100z"},
	    {"a\xe3\x85\xa4z", "a\\u3164z"},
	    {"a\xf3\xa0\x81\x81z", "a\\U000e0041z"},
	    {"a\xe2\x80\x8bz", "a\\u200bz"},
	    {"a\xcd\x8fz", "a\\u034fz"},
	    {"\xc3\xbc \xe4\xb8\xad", "\xc3\xbc \xe4\xb8\xad"},
	};
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct buf shown = buf_in(arena);

		report_add_visible(&shown, sv_from_cstr(texts[i][0]));
		assert_sv(buf_sv(&shown), texts[i][1]);
	}
}

static void long_names_fill_no_comment(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf name = buf_in(arena);
	struct buf markdown = buf_in(arena);
	struct sink sink = sink_in(arena);
	struct report_style plain = {0};

	(void)state;
	buf_add_repeat(&name, '`', 20000);
	buf_add_repeat(&name, '@', 20000);
	struct report_summary summary = hostile_summary(arena, buf_sv(&name));
	check_hostile_reports(buf_sv(&name));
	for (int i = 0; i < 10; i++)
		diag_report(&sink, DIAG_USAGE, NOWHERE, "%.*s %d", SV_ARG(buf_sv(&name)), i);
	report_markdown(&markdown, &summary, &sink, &plain);
	assert_true(markdown.len <= REPORT_MARKDOWN_MAX_SIZE);
	assert_markdown_safe(arena, buf_sv(&markdown));
}

static void names_in_messages(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);

	(void)state;
	run_add_name(&buf, SV("osp-ubuntu v1.2.0+x_y/z"));
	assert_sv(buf_sv(&buf), "osp-ubuntu v1.2.0+x_y/z");
	buf.len = 0;
	run_add_name(&buf, SV("@a #1 GH-1 a\nb: c"));
	assert_sv(buf_sv(&buf), "\\x40a \\x231 \\x47H-1 a\\x0ab\\x3a c");
}

UNIT_TESTS(report_hostile)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(shows_hostile_names_as_text),
	    cmocka_unit_test(writes_reports_for_parsers),
	    cmocka_unit_test(shows_what_is_invisible),
	    cmocka_unit_test(long_names_fill_no_comment),
	    cmocka_unit_test(names_in_messages),
	};

	return cmocka_run_group_tests(tests, git_open, git_close);
}
