/* The JSON report: read back with the program's own decoder, and its exact form. */
#include "report/report.h"
#include "json/json.h"

#include "texts.h"

static struct value render(struct arena *arena, const struct report_summary *summary,
                           const struct sink *sink, const struct report_style *style)
{
	struct buf buf = buf_in(arena);

	report_json(&buf, summary, sink, style);
	assert_true(sv_ends_with(buf_sv(&buf), SV("}\n")));
	return json_value_of(arena, buf_sv(&buf));
}

static void assert_path(const struct value *root, const char *path, const char *expected)
{
	const struct value *v = value_path(root, path);

	assert_non_null(v);
	assert_sv(value_text(v), expected);
}

static int64_t number(const struct value *root, const char *path)
{
	const struct value *v = value_path(root, path);

	assert_non_null(v);
	return v->integer;
}

static void test_members(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct source *source = source_new(arena, SV("a.yaml"), SV("one\ntwo: hunter22\n"), false);
	struct secret secret = {
	    .name = SV_INIT("n/s:k"), .text = SV_INIT("hunter22"), .high_entropy = false};
	const struct secret *secrets[] = {&secret};
	struct report_style style = {.mask = secret_mask_new(arena, secrets, 1)};
	struct report_summary summary = {
	    .command = SV("check"),
	    .version = SV("1.2.3"),
	    .outcome = REPORT_DIFFERS,
	    .source_commit = SV("abc"),
	    .cluster_count = 2,
	    .unit_kind = SV("MachineDeployment"),
	    .unit_count = 1,
	};

	VEC_PUSH(arena, &summary.units,
	         (struct report_unit){.cluster = SV("c"),
	                              .kind = SV("MachineDeployment"),
	                              .name = SV("m"),
	                              .profile = SV("p"),
	                              .bootstrap_bytes = 10,
	                              .bootstrap_limit = 20,
	                              .change = REPORT_CHANGED,
	                              .class = REPORT_CLASS_NEW_NODES,
	                              .replicas = 4});
	VEC_PUSH(arena, &summary.files,
	         (struct report_file){.path = SV("x"), .change = REPORT_REMOVED});
	sink.object = SV("Secret n/s");
	struct diag *diag =
	    diag_report(&sink, DIAG_IO, (struct position){source, 4, 3}, "bad \"hunter22\"\x1b");
	diag_add_note(&sink, diag, position_of_source(source), "not hunter22");
	diag_set_help(&sink, diag, "mend it");
	struct value root = render(arena, &summary, &sink, &style);

	assert_path(&root, "formatVersion", "1.6");
	assert_path(&root, "tool.version", "1.2.3");
	assert_path(&root, "outcome", "differs");
	assert_path(&root, "sourceCommit", "abc");
	assert_null(value_path(&root, "commit"));
	assert_int_equal(number(&root, "counts.clusters"), 2);
	assert_int_equal(number(&root, "counts.files.removed"), 1);
	assert_int_equal(number(&root, "counts.errors"), 1);
	const struct value *row = value_item(value_path(&root, "machineDeployments"), 0);
	assert_path(value_item(value_path(&root, "units"), 0), "kind", "MachineDeployment");
	assert_int_equal(number(&root, "counts.machineDeployments"), 1);
	assert_path(row, "profile.name", "p");
	assert_path(row, "change", "changed");
	assert_path(row, "class", "NEW-NODES-ONLY");
	assert_int_equal(number(row, "replicas"), 4);
	assert_int_equal(number(row, "bootstrap.limit"), 20);
	const struct value *shown = value_item(value_path(&root, "diagnostics"), 0);
	assert_path(shown, "code", "OSG9002");
	assert_path(shown, "class", "surroundings");
	assert_path(shown, "message", "bad \"***\"\x1b");
	assert_path(shown, "path", "a.yaml");
	assert_path(shown, "object", "Secret n/s");
	assert_int_equal(number(shown, "line"), 2);
	assert_int_equal(number(shown, "column"), 1);
	const struct value *note = value_item(value_path(shown, "notes"), 0);
	assert_path(note, "message", "not ***");
	assert_null(value_path(note, "line"));
}

static void test_nothing_at_all(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct report_style style = {0};
	struct report_summary summary = {.command = SV("validate"), .outcome = REPORT_VALID};
	struct value root = render(arena, &summary, &sink, &style);

	assert_true(value_is_list(value_path(&root, "diagnostics")));
	assert_int_equal(value_count(value_path(&root, "files")), 0);
}

/* Three machines one at a time beside ten of which five are replaced at once; then one of 100. */
static void test_steps(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct report_style style = {0};
	struct report_summary summary = {.command = SV("diff"), .outcome = REPORT_DIFFERS};
	struct report_unit unit = {.class = REPORT_CLASS_ROLL,
	                           .max_surge = SV("1"),
	                           .max_unavailable = SV("0"),
	                           .replicas = 3,
	                           .surge = 1};
	int64_t all = 0;

	VEC_PUSH(arena, &summary.units, unit);
	unit.replicas = 10;
	unit.unavailable = 4;
	VEC_PUSH(arena, &summary.units, unit);
	unit.replicas = REPORT_REPLICAS_UNKNOWN;
	VEC_PUSH(arena, &summary.units, unit);
	struct value root = render(arena, &summary, &sink, &style);
	const struct value *steps = value_path(&root, "rollout.steps");
	assert_int_equal(value_count(steps), 3);
	assert_int_equal(number(value_item(steps, 0), "machines"), 6);
	assert_int_equal(number(value_item(steps, 1), "machines"), 6);
	assert_int_equal(number(value_item(steps, 2), "machines"), 1);
	unit.replicas = 100;
	unit.unavailable = 0;
	VEC_PUSH(arena, &summary.units, unit);
	root = render(arena, &summary, &sink, &style);
	steps = value_path(&root, "rollout.steps");
	assert_int_equal(value_count(steps), 12);
	assert_int_equal(number(value_item(steps, 1), "from"), 10);
	assert_int_equal(number(value_item(steps, 11), "to"), 100);
	for (size_t i = 0; i < 12; i++)
		all += number(value_item(steps, i), "machines");
	assert_int_equal(all, 113);
}

/* The schema of facts lists the words of all kinds of notes. */
static void test_fact_kinds(void **state UNUSED)
{
	for (size_t i = 0; i < REPORT_NOTE_KINDS; i++) {
		struct sv_splitter it = sv_split(SV(REPORT_FACT_KINDS), '|');
		size_t found = 0;
		sv word;

		while (sv_split_next(&it, &word))
			found += sv_eq_cstr(word, report_note_info((enum report_note_kind)i)->word);
		assert_int_equal(found, 1);
	}
}

UNIT_TESTS(report_json)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_members),
	    cmocka_unit_test(test_nothing_at_all),
	    cmocka_unit_test(test_steps),
	    cmocka_unit_test(test_fact_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
