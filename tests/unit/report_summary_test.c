/* The summary of a run: text and Markdown. */
#include "report/render.h"

#include "asserts.h"

static const struct report_style plain = {0};

static struct report_summary sample(struct arena *arena)
{
	struct report_summary summary = {
	    .command = SV("generate"),
	    .version = SV("1.0"),
	    .outcome = REPORT_COMMITTED,
	    .source_commit = SV("1111"),
	    .commit = SV("2222"),
	    .branch = SV("main"),
	    .out = SV("out"),
	    .cluster_count = 1,
	    .profile_count = 1,
	    .unit_kind = SV("MachineDeployment"),
	    .unit_count = 3,
	    .unchanged_file_count = 1234,
	};

	VEC_PUSH(arena, &summary.units,
	         (struct report_unit){
	             .cluster = SV("prod"),
	             .namespace = SV("kube-system"),
	             .name = SV("a"),
	             .provider = SV("aws"),
	             .operating_system = SV("ubuntu"),
	             .profile = SV("osp-ubuntu"),
	             .profile_version = SV("v1.0.0"),
	             .bootstrap_bytes = 4000,
	             .bootstrap_limit = 16384,
	             .change = REPORT_ADDED,
	             .class = REPORT_CLASS_ADD,
	             .replicas = 2,
	         });
	VEC_PUSH(arena, &summary.units,
	         (struct report_unit){
	             .cluster = SV("prod"),
	             .namespace = SV("kube-system"),
	             .name = SV("b|@x<y>"),
	             .provider = SV("hetzner"),
	             .profile = SV("p"),
	             .bootstrap_bytes = 20000,
	             .bootstrap_limit = 32768,
	             .change = REPORT_CHANGED,
	             .class = REPORT_CLASS_ROLL,
	             .replicas = 1200,
	         });
	VEC_PUSH(arena, &summary.units,
	         (struct report_unit){.cluster = SV("prod"),
	                              .name = SV("c"),
	                              .bootstrap_bytes = 900000,
	                              .change = REPORT_UNCHANGED});
	VEC_PUSH(arena, &summary.files,
	         (struct report_file){.path = SV("prod/index.json"), .change = REPORT_CHANGED});
	VEC_PUSH(arena, &summary.files,
	         (struct report_file){.path = SV("prod/x.yaml"), .change = REPORT_UNCHANGED});
	return summary;
}

static void test_text(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = sample(arena);
	struct buf buf = buf_in(arena);

	report_summary_text(&buf, &summary, false, &plain);
	buf_add_char(&buf, '\0');
	assert_string_equal(
	    buf.ptr, "osm-gen: committed 2222 on main\n"
	             "  1 MachineDeployment (2 machines) is new, 1,200 machines in 1 "
	             "MachineDeployment roll\n"
	             "  1 cluster, 3 MachineDeployments, 1 profile\n"
	             "  ADD: 1 MachineDeployment, 2 machines\n"
	             "      prod/kube-system/a, 2 machines: osp-ubuntu v1.0.0, aws\n"
	             "  files: 0 added, 1 changed, 0 removed, 1,235 unchanged\n"
	             "  fullest user-data: prod/kube-system/b|@x<y>, 20,000 of 32,768 bytes\n");
}

static void test_text_of_files(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = sample(arena);
	struct buf every = buf_in(arena);
	struct buf few = buf_in(arena);

	report_summary_text(&every, &summary, true, &plain);
	assert_contains(buf_sv(&every), "    M  prod/index.json\n");
	/* What is gone is not counted, and a change of files alone is shown as that. */
	summary.units.items[0].change = REPORT_UNCHANGED;
	summary.units.items[1].change = REPORT_REMOVED;
	summary.units.items[1].change = REPORT_UNCHANGED;
	report_summary_text(&few, &summary, false, &plain);
	assert_contains(buf_sv(&few), "    M  prod/index.json\n");
}

static void test_failed(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = {.command = SV("check"), .outcome = REPORT_FAILED};
	struct buf buf = buf_in(arena);

	report_summary_text(&buf, &summary, false, &plain);
	assert_sv(buf_sv(&buf), "osm-gen: failed, nothing was changed\n");
	buf.len = 0;
	summary.out = SV("out");
	summary.is_half_done = true;
	report_summary_text(&buf, &summary, false, &plain);
	assert_sv(buf_sv(&buf), "osm-gen: failed; some files of out are changed, and the next run "
	                        "restores them\n");
}

static void assert_first_lines(const struct report_summary *summary, const char *expected)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);

	report_summary_text(&buf, summary, false, &plain);
	assert_sv(sv_slice(buf_sv(&buf), 0, strlen(expected)), expected);
}

static void test_push(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = sample(arena);

	summary.push = (struct report_push){.remote = SV("origin"), .branch = SV("main")};
	assert_first_lines(&summary,
	                   "osm-gen: committed 2222 on main, nothing to push to main of origin\n"
	                   "  1 MachineDeployment (2 machines) is new");
	summary.push.commit = summary.commit;
	summary.push.brought = summary.source_commit;
	summary.push.notes = SV("refs/notes/x");
	assert_first_lines(&summary,
	                   "osm-gen: committed 2222 on main, pushed to main of origin\n"
	                   "  rendered 1111, to which the branch had moved on the remote\n"
	                   "  noted as processed in refs/notes/x\n");
	/* Where the branch has the output of other inputs it is not what was rendered. */
	summary.push.brought = SV("3333");
	summary.push.retries = 2;
	assert_first_lines(&summary,
	                   "osm-gen: committed 2222 on main, pushed to main of origin\n"
	                   "  rendered afresh 2 times, as the branch had moved on the remote\n"
	                   "  noted as processed in refs/notes/x\n");
}

static void test_push_failed(void **state)
{
	(void)state;
	struct report_summary summary = {
	    .command = SV("generate"),
	    .outcome = REPORT_FAILED,
	    .push = {.remote = SV("origin"), .branch = SV("main")},
	};

	assert_first_lines(&summary, "osm-gen: failed, nothing was changed\n");
	summary.push.brought = SV("3333");
	assert_first_lines(&summary, "osm-gen: failed, nothing was committed; main is now at 3333, "
	                             "as on origin\n");
	summary.commit = SV("2222");
	assert_first_lines(&summary, "osm-gen: failed; commit 2222 stays on main\n");
}

static void test_markdown(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = sample(arena);
	struct sink sink = sink_in(arena);
	struct buf buf = buf_in(arena);

	diag_report(&sink, DIAG_USAGE, NOWHERE, "a `b` <c>");
	report_markdown(&buf, &summary, &sink, &plain);
	buf_add_char(&buf, '\0');
	assert_string_equal(
	    buf.ptr,
	    "<!-- osm-gen -->\n"
	    "### osm-gen generate: committed `2222`\n"
	    "\n"
	    "**1 MachineDeployment (2 machines) is new, 1,200 machines in 1 MachineDeployment "
	    "roll**\n"
	    "\n"
	    "**ADD: 1 MachineDeployment, 2 machines**\n"
	    "\n"
	    "- `prod/kube-system/a`, 2 machines: `osp-ubuntu v1.0.0, aws`\n"
	    "\n"
	    "1 cluster, 3 MachineDeployments; files: 0 added, 1 changed, 0 removed, "
	    "1,235 unchanged; 1 error, 0 warnings.\n"
	    "Fullest user-data: `prod/kube-system/b\\x7c@x<y>`, 20,000 of 32,768 bytes.\n"
	    "\n"
	    "| | Where | What |\n"
	    "|---|---|---|\n"
	    "| error OSG9001 |  | `` a `b` <c> `` |\n"
	    "\n"
	    "| Cluster | MachineDeployment | Provider | OS | Profile | Bootstrap bytes | Change | "
	    "Roll-out | Machines |\n"
	    "|---|---|---|---|---|---:|---|---|---:|\n"
	    "| `prod` | `kube-system/a` | `aws` | `ubuntu` | `osp-ubuntu v1.0.0` | 4,000 / 16,384 "
	    "| added | ADD | 2 |\n"
	    "| `prod` | `kube-system/b\\x7c@x<y>` | `hetzner` |  | `p ` | 20,000 / 32,768 | "
	    "changed | ROLL | 1,200 |\n"
	    "\n"
	    "<details><summary>Files</summary>\n"
	    "\n"
	    "- changed `prod/index.json`\n"
	    "\n"
	    "</details>\n");
}

static void test_markdown_is_cut(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = sample(arena);
	struct sink sink = sink_in(arena);
	struct buf buf = buf_in(arena);

	for (int i = 0; i < 5000; i++)
		VEC_PUSH(arena, &summary.files,
		         (struct report_file){
		             .path = arena_printf(arena, "prod/worker/%d.yaml", i),
		             .change = REPORT_ADDED,
		         });
	report_markdown(&buf, &summary, &sink, &plain);
	assert_true(buf.len <= REPORT_MARKDOWN_MAX_SIZE);
	assert_contains(buf_sv(&buf), " more files: see the text or JSON report.");
	assert_true(sv_ends_with(buf_sv(&buf), SV("</details>\n")));
}

/* A group is shown as a whole or not at all, and no line of a diff ends its fence. */
static void test_markdown_leaves_out_groups(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = sample(arena);
	struct sink sink = sink_in(arena);
	struct buf diff = buf_in(arena);
	struct buf buf = buf_in(arena);
	static const size_t first;

	buf_add_cstr(&diff, "+a\n````\n@octocat\n");
	buf_add_repeat(&diff, '+', 3000);
	for (int i = 0; i < 30; i++)
		VEC_PUSH(arena, &summary.groups,
		         (struct report_group){
		             .heading = SV("a heading"),
		             .class = REPORT_CLASS_ROLL,
		             .diff = buf_sv(&diff),
		             .units = &first,
		             .unit_count = 1,
		             .cluster_count = 1,
		         });
	report_markdown(&buf, &summary, &sink, &plain);
	assert_true(buf.len <= REPORT_MARKDOWN_MAX_SIZE);
	assert_contains(buf_sv(&buf), "\n#### Change 16\n");
	assert_contains(buf_sv(&buf), "\n`````diff\n+a\n````\n@octocat\n");
	assert_contains(buf_sv(&buf), "\n`````\n\n</details>\n\n... and 14 more changes: see the "
	                              "JSON report.\n");
}

/* A diff that leaves out fingerprints says what its dots are, another does not: dots may be its
 * own. */
static void test_what_a_diff_leaves_out(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	static const size_t first;

	for (int leaves_out = 0; leaves_out < 2; leaves_out++) {
		struct report_summary summary = sample(arena);
		struct sink sink = sink_in(arena);
		struct buf buf = buf_in(arena);

		VEC_PUSH(arena, &summary.groups,
		         (struct report_group){
		             .heading = SV("a heading"),
		             .class = REPORT_CLASS_ROLL,
		             .diff = SV("-a: 1\n+a: ...\n"),
		             .diff_leaves_out = leaves_out,
		             .units = &first,
		             .unit_count = 1,
		             .cluster_count = 1,
		         });
		report_markdown(&buf, &summary, &sink, &plain);
		assert_contains(buf_sv(&buf), "<summary>The difference");
		assert_int_equal(leaves_out, sv_contains(buf_sv(&buf), SV("is a revision, digest, "
		                                                          "fingerprint")));
	}
}

/* Each class, none left out, the worst first; unknown numbers are not guessed. */
static void test_plan(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = {.outcome = REPORT_DIFFERS,
	                                 .unit_kind = SV("MachineDeployment")};
	struct buf text = buf_in(arena);
	struct buf json = buf_in(arena);

	for (int class = REPORT_CLASS_NONE; class <= REPORT_CLASS_REMOVE; class ++)
		VEC_PUSH(arena, &summary.units,
		         (struct report_unit){
		             .cluster = SV("c"),
		             .namespace = SV("n"),
		             .name = arena_printf(arena, "u%d\x1b", class),
		             .class = (enum report_class) class,
		             .replicas = class == REPORT_CLASS_REMOVE ? REPORT_REPLICAS_UNKNOWN : 1,
		             .template_unknown = class == REPORT_CLASS_METADATA,
		         });
	summary.units.items[REPORT_CLASS_SCALE].scale =
	    (struct report_scale){.changes = true, .before = 3, .after = 1, .fewer = 2};
	summary.units.items[REPORT_CLASS_IN_PLACE].restarts =
	    (struct report_names){(sv[]){SV("a.service"), SV("b.service")}, 2};
	VEC_PUSH(arena, &summary.units,
	         (struct report_unit){.cluster = SV("c"),
	                              .namespace = SV("n"),
	                              .name = SV("v"),
	                              .class = REPORT_CLASS_ROLL,
	                              .replicas = REPORT_REPLICAS_UNKNOWN});
	VEC_PUSH(arena, &summary.files,
	         (struct report_file){.path = SV("x"),
	                              .change = REPORT_CHANGED,
	                              .sealed = REPORT_SEALED_RECIPIENTS | REPORT_SEALED_UNKNOWN});
	report_plan_text(&text, &summary, false, &(struct report_style){0});
	assert_sv(buf_sv(&text),
	          "1 MachineDeployment is removed, 2 machines of 1 MachineDeployment are deleted "
	          "(replicas 3 -> 1), 1 MachineDeployment (1 machine) is new, at "
	          "least 1 machine in 2 MachineDeployments rolls, 1 MachineDeployment changes on "
	          "running nodes, 1 MachineDeployment may change (secrets are not compared without "
	          "the seed), 1 MachineDeployment changes for new nodes only, 1 MachineDeployment "
	          "changes without effect on nodes\nREMOVE: 1 MachineDeployment\n    c/n/u8\\x1b, "
	          "number of machines unknown\nSCALE: 1 MachineDeployment, 2 machines deleted\n   "
	          " c/n/u7\\x1b, replicas 3 -> 1: 2 machines are deleted\nADD: 1 "
	          "MachineDeployment, 1 machine\n    "
	          "c/n/u4\\x1b, 1 machine\nNONE: 1 MachineDeployment stays as it is\nit is unknown "
	          "whether the template of 1 MachineDeployment changed\n");
	report_plan_json(&json, &summary, &(struct report_style){0});
	assert_contains(buf_sv(&json), "\"class\": \"NEW-NODES-ONLY\"");
	assert_contains(buf_sv(&json), "\"class\": \"UNKNOWN\"");
	assert_contains(buf_sv(&json),
	                "\"restarts\": [\n        \"a.service\",\n        \"b.service\"");
	assert_contains(buf_sv(&json), "\"stops\": []");
	assert_contains(buf_sv(&json),
	                "\"scale\": {\n        \"before\": 3,\n        \"after\": 1");
	assert_contains(buf_sv(&json), "\"replicas\": null");
	assert_contains(buf_sv(&json), "\"unknown\"");
	assert_contains(buf_sv(&json), "\"recipients\"");
}

/* Cells are padded by columns of the terminal: accents take none, wide letters two. */
static void test_table(void **state)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);

	(void)state;
	render_table(&buf, SV("\x1b[1mNAME\tOS\x1b[0m\n"
	                      "z\xc3\xbcrich\tubuntu\n"
	                      "zu\xcc\x88rich\tubuntu\n"
	                      "\xe6\x9d\xb1\xe4\xba\xac\tflatcar\n"));
	assert_sv(buf_sv(&buf), "\x1b[1mNAME    OS\x1b[0m\n"
	                        "z\xc3\xbcrich  ubuntu\n"
	                        "zu\xcc\x88rich  ubuntu\n"
	                        "\xe6\x9d\xb1\xe4\xba\xac    flatcar\n");
}

UNIT_TESTS(report_summary)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_text_of_files),
	    cmocka_unit_test(test_failed),
	    cmocka_unit_test(test_push),
	    cmocka_unit_test(test_push_failed),
	    cmocka_unit_test(test_markdown),
	    cmocka_unit_test(test_markdown_is_cut),
	    cmocka_unit_test(test_markdown_leaves_out_groups),
	    cmocka_unit_test(test_what_a_diff_leaves_out),
	    cmocka_unit_test(test_table),
	    cmocka_unit_test(test_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
