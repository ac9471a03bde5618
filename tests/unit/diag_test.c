/*
 * diag: positions, sinks, notes, codes.
 */
#include "diag/diag.h"

#include "asserts.h"

static void positions_are_found(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct source *source = source_new(arena, SV("a.yaml"), SV("one\r\ntwo\n\nfour"), false);
	static const struct {
		size_t offset;
		const char *place;
	} cases[] = {{0, "1:1"}, {4, "1:5"},  {5, "2:1"}, {8, "2:4"},
	             {9, "3:1"}, {10, "4:1"}, {14, "4:5"}};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_place(((struct position){source, cases[i].offset, 0}), cases[i].place);
	assert_sv(position_line((struct position){source, 1, 0}), "one");
	assert_sv(position_line((struct position){source, 9, 0}), "");
	assert_sv(position_line((struct position){source, 12, 0}), "four");
	assert_place(position_of_source(source), "0:0");
	assert_place(NOWHERE, "0:0");
}

static void one_mistake_gives_one_message(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	ARENA_AUTO other_arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct sink other = sink_in(other_arena);

	struct diag *first = diag_report(&sink, DIAG_IO, NOWHERE, "cannot read %s", "x");
	assert_ptr_equal(diag_report(&sink, DIAG_IO, NOWHERE, "cannot read %s", "x"), first);
	diag_add_note(&sink, first, NOWHERE, "seen here");
	diag_add_note(&sink, first, NOWHERE, "seen here");
	diag_set_help(&sink, first, "try %d", 2);
	assert_int_equal(sink.error_count, 1);
	assert_int_equal(first->notes.count, 1);
	sink_merge(&other, &sink);
	sink_merge(&other, &sink);
	assert_diag_count(&other, 1);
	assert_sv(other.diags.items[0]->help, "try 2");
	sink.cluster = SV("prod");
	assert_ptr_not_equal(diag_report(&sink, DIAG_IO, NOWHERE, "cannot read %s", "x"), first);
}

static void notes_on_two_files_are_two(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct source *one = source_new(arena, SV("one.yaml"), SV("kind: Secret"), false);
	struct source *two = source_new(arena, SV("two.yaml"), SV("kind: Secret"), false);
	struct sink sink = sink_in(arena);

	struct diag *diag = diag_report(&sink, DIAG_IO, NOWHERE, "encrypted");
	diag_add_note(&sink, diag, (struct position){one, 0, 4}, "so is this");
	diag_add_note(&sink, diag, (struct position){two, 0, 4}, "so is this");
	diag_add_note(&sink, diag, (struct position){two, 0, 4}, "so is this");
	assert_int_equal(diag->notes.count, 2);
	assert_ptr_equal(diag->notes.items[1].at.source, two);
}

static void exit_status_follows_the_class(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);

	assert_int_equal(sink_exit_status(&sink), 0);
	diag_report(&sink, DIAG_INPUT_DIRTY, NOWHERE, "only a warning");
	assert_int_equal(sink.error_count, 0);
	assert_int_equal(sink_exit_status(&sink), 0);
	diag_report(&sink, DIAG_TREE_INDEX, NOWHERE, "inputs");
	assert_int_equal(sink_exit_status(&sink), 2);
	diag_report(&sink, DIAG_IO, NOWHERE, "surroundings");
	assert_int_equal(sink_exit_status(&sink), 3);
	diag_report(&sink, DIAG_USAGE, NOWHERE, "usage");
	assert_int_equal(sink_exit_status(&sink), 64);
}

static void settings_are_usage_when_they_were_flags(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct source *file = source_new(arena, SV("osm-gen.yaml"), SV("x"), false);
	struct source *flag = source_new(arena, SV("--cluster-dns"), SV("x"), false);
	struct sink in_file = sink_in(arena);
	struct sink in_flag = sink_in(arena);
	struct sink other = sink_in(arena);

	diag_report(&in_file, DIAG_SETTING_VALUE, position_of_source(file), "wrong");
	assert_int_equal(sink_exit_status(&in_file), 2);
	diag_report(&in_flag, DIAG_SETTING_VALUE, position_of_source(flag), "wrong");
	assert_int_equal(sink_exit_status(&in_flag), 64);
	/* What a right flag names, and the inputs lack. */
	diag_report(&other, DIAG_TREE_INDEX, position_of_source(flag), "lacks");
	assert_int_equal(sink_exit_status(&other), 2);
}

static void codes_are_documented(void **state UNUSED)
{
	size_t count;
	const struct diag_code_info *codes = diag_codes(&count);

	assert_true(count > 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(strlen(codes[i].title) > 3);
		assert_true(strlen(codes[i].explanation) > 60);
		assert_in_range(codes[i].code, 1000, 9999);
		assert_ptr_equal(diag_code_find((unsigned)codes[i].code), &codes[i]);
		if (i > 0)
			assert_true(codes[i - 1].code < codes[i].code);
	}
	assert_null(diag_code_find(1));
}

static void nearest_words_are_suggested(void **state UNUSED)
{
	const sv words[] = {SV_INIT("clusterDNS"), SV_INIT("pauseImage"), SV_INIT("nodeHTTPProxy")};

	assert_sv(diag_nearest(SV("clusterDns"), words, 3), "clusterDNS");
	assert_sv(diag_nearest(SV("pauseImag"), words, 3), "pauseImage");
	assert_sv(diag_nearest(SV("nodeHTPPProxy"), words, 3), "nodeHTTPProxy");
	assert_true(sv_empty(diag_nearest(SV("something"), words, 3)));

	const sv paths[] = {SV("team-a/pool"), SV("team-b/gpu")};

	assert_sv(diag_nearest_path(SV("kube-system/gpu"), paths, 2), "team-b/gpu");
	assert_sv(diag_nearest_path(SV("team-a/pol"), paths, 2), "team-a/pool");
	assert_true(sv_empty(diag_nearest_path(SV("kube-system/other"), paths, 2)));

	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct diag *diag = diag_report(&sink, DIAG_IO, NOWHERE, "cannot read");
	const struct diag_names names = {words, 3};

	diag_help_nearest(&sink, diag, SV("pauseImag"), names, "100% another");
	assert_sv(diag->help, "did you mean pauseImage?");
	diag_help_nearest(&sink, diag, SV("something"), names, "100% another");
	assert_sv(diag->help, "100% another");
	diag_help_meant(&sink, diag, SV("pool"), "name one of %d", 3);
	assert_sv(diag->help, "did you mean pool?");
	diag_help_meant(&sink, diag, SV(""), "name one of %d", 3);
	assert_sv(diag->help, "name one of 3");
	diag_help_quoted(&sink, diag, SV("pool"), "name one of %d", 3);
	assert_sv(diag->help, "did you mean \"pool\"?");
	diag_help_quoted(&sink, diag, SV(""), "name one of %d", 3);
	assert_sv(diag->help, "name one of 3");
}

static void a_scope_ends_with_its_block(void **state UNUSED)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct diag *diag;

	for (int i = 0; i < 2; i++) {
		DIAG_SCOPE(&sink, SV("Secret a/b"), SV("prod"));

		{
			DIAG_SCOPE(&sink, SV("Secret c/d"), sink.cluster);
			diag = diag_report(&sink, DIAG_IO, NOWHERE, "inner");
			assert_sv(diag->object, "Secret c/d");
			assert_sv(diag->cluster, "prod");
		}
		diag = diag_report(&sink, DIAG_IO, NOWHERE, "outer");
		assert_sv(diag->object, "Secret a/b");
		if (i == 0)
			continue;
	}
	diag = diag_report(&sink, DIAG_IO, NOWHERE, "none");
	assert_true(sv_empty(diag->object) && sv_empty(diag->cluster));
}

static void of_many_the_equal_one_is_found(void **state UNUSED)
{
	enum { MANY = 100, KEPT = 40 };
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct diag *first[MANY];

	for (int i = 0; i < MANY; i++)
		first[i] = diag_report(&sink, DIAG_IO, NOWHERE, "cannot read %d", i);
	for (int i = 0; i < MANY; i++)
		assert_ptr_equal(diag_report(&sink, DIAG_IO, NOWHERE, "cannot read %d", i),
		                 first[i]);
	assert_diag_count(&sink, MANY);
	/* What was taken back is new when it is said again, and then known. */
	sink_forget(&sink, KEPT);
	diag_report(&sink, DIAG_IO, NOWHERE, "another");
	struct diag *again = diag_report(&sink, DIAG_IO, NOWHERE, "cannot read %d", KEPT);
	assert_ptr_not_equal(again, first[KEPT]);
	assert_ptr_equal(diag_report(&sink, DIAG_IO, NOWHERE, "cannot read %d", KEPT), again);
	assert_ptr_equal(diag_report(&sink, DIAG_IO, NOWHERE, "cannot read %d", 3), first[3]);
	assert_diag_count(&sink, KEPT + 2);
	assert_int_equal(sink.error_count, KEPT + 2);
}

static void a_quota_grows_by_its_parts(void **state UNUSED)
{
	struct quota whole = {.max = 10, .grows = true};
	struct quota one = quota_part(&whole, 100);
	struct quota two = quota_part(&whole, 5);

	assert_true(quota_take(&one, 100));
	assert_int_equal(whole.used, 0);
	assert_true(quota_take(&two, 15));
	assert_int_equal(whole.used, 10);
	/* What one leaves of its allowance is none of another's. */
	assert_false(quota_take(&two, 1));
	assert_true(quota_is_exceeded(&one));
	assert_int_equal(whole.all, 116);
	quota_grow(&whole, 1);
	assert_false(quota_is_exceeded(&two));
	/* A limit that somebody gave stays as it is, and has no allowances. */
	struct quota given = {.max = 10};
	struct quota part = quota_part(&given, 100);
	quota_grow(&given, 100);
	assert_true(quota_take(&part, 10));
	assert_false(quota_take(&part, 1));
}

UNIT_TESTS(diag)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(positions_are_found),
	    cmocka_unit_test(one_mistake_gives_one_message),
	    cmocka_unit_test(notes_on_two_files_are_two),
	    cmocka_unit_test(exit_status_follows_the_class),
	    cmocka_unit_test(settings_are_usage_when_they_were_flags),
	    cmocka_unit_test(codes_are_documented),
	    cmocka_unit_test(nearest_words_are_suggested),
	    cmocka_unit_test(a_scope_ends_with_its_block),
	    cmocka_unit_test(of_many_the_equal_one_is_found),
	    cmocka_unit_test(a_quota_grows_by_its_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
