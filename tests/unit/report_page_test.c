/* The HTML page, GitHub's annotations, GitLab's Code Quality; groups in JUnit XML. */
#include "codec/codec.h"
#include "report/report.h"
#include "json/json.h"

#include "report_fixture.h"
#include "texts.h"

typedef void emitter(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                     const struct report_style *style);

static sv render(struct arena *arena, emitter *emit, const struct report_style *style)
{
	struct report_summary summary = sample_run(arena);
	struct sink sink = sink_in(arena);
	struct buf buf = buf_in(arena);

	add_sample_diags(arena, &sink);
	emit(&buf, &summary, &sink, style);
	return buf_sv(&buf);
}

static sv between(sv text, const char *before, const char *after)
{
	size_t start = sv_find(text, sv_from_cstr(before));

	assert_true(start != SV_NPOS);
	sv rest = sv_from_offset(text, start + strlen(before));
	size_t end = sv_find(rest, sv_from_cstr(after));
	assert_true(end != SV_NPOS);
	return sv_slice(rest, 0, end);
}

static void assert_holds(sv text, const char *part)
{
	if (!sv_contains(text, sv_from_cstr(part)))
		fail_msg("lacks: %s", part);
}

/* ---- the page ---------------------------------------------------------------------------- */

static sv policy_source(struct arena *arena, sv text)
{
	uint8_t digest[DIGEST_MAX_SIZE];

	digest_of(DIGEST_SHA256, text, digest);
	return ARENA_CONCAT(arena, SV("'sha256-"),
	                    base64_encode(arena, BASE64_STD, sv_from((const char *)digest, 32)),
	                    SV("'"));
}

/* What the browser computes of the elements as they stand is what the policy names. */
static void test_policy(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv page = render(arena, report_html, &(struct report_style){0});
	sv policy = between(page, "\"Content-Security-Policy\" content=\"", "\"");
	sv wanted = ARENA_CONCAT(
	    arena, SV("default-src 'none'; style-src "),
	    policy_source(arena, between(page, "<style>", "</style>")), SV("; script-src "),
	    policy_source(arena, between(page, "</script>\n<script>", "</script>")),
	    SV("; base-uri 'none'; form-action 'none'"));

	assert_true(sv_eq(policy, wanted));
	assert_false(sv_contains(page, SV("http-equiv=\"refresh\"")));
	assert_false(sv_contains(page, SV(" src=")));
	assert_false(sv_contains(page, SV(" href=")));
	assert_false(sv_contains(page, SV("innerHTML")));
}

static void test_page(void **state)
{
	static const char *const parts[] = {
	    "<h1>osm-gen check: the output changes</h1>",
	    "2 clusters, 6 MachineDeployments, 3 profiles",
	    "error OSG9001</span> 100% is too much",
	    "<code>clusters/prod, eu/md.yaml:2:6</code>",
	    "<p>help: take less</p><p>or nothing</p>",
	    "<h3>A new host that nodes download from</h3>"
	    "<p>mirror.example.net, of /opt/bin/setup.sh "
	    "<span class=\"soft\">(in 2 MachineDeployments)</span></p>",
	    "<span class=\"badge c-roll\">ROLL</span><p class=\"big\">2</p>"
	    "<p>MachineDeployments, 6 machines</p>",
	    "<span class=\"badge c-new-nodes-only\">NEW-NODES-ONLY</span>",
	    "<section class=\"look lost-units\">\n<h2><span class=\"badge "
	    "c-remove\">REMOVE</span> 1 MachineDeployment</h2>",
	    "<li><strong>prod-us-1/kube-system/old</strong>, number of machines unknown: "
	    "clusters/prod/old.yaml was deleted</li>",
	    "<li><strong>prod-us-1/kube-system/gpu</strong>, number of machines unknown: "
	    "osp-ubuntu v1.8.0, hetzner, from clusters/prod/gpu.yaml</li>",
	    "profile version v1.7.0 -&gt; v1.8.0, node HTTP proxy set to http://p:3128 in 2 "
	    "MachineDeployments of edge-eu-1, prod-us-1 (profile osp-ubuntu, 6 machines)",
	    "<tr><td>prod-us-1</td><td class=\"number\">1</td>"
	    "<td class=\"number\">1</td><td class=\"number\">1 (3)</td>",
	    "<span class=\"plus\">+    path: /opt/bin/&lt;supervise&gt;.sh</span>",
	    "can read from now on:</span> <code>age1new</code>",
	    "<td>edge-eu-1/kube-system/workers-a</td><td>hetzner</td>",
	    "value=\"91\"></meter> 91 %",
	};

	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv page = render(arena, report_html, &(struct report_style){0});

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		assert_holds(page, parts[i]);
}

/* A heading has three fields with their values; the page lists the others below it. */
static void test_fields_below_the_heading(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	const struct report_field fields[] = {
	    {SV_INIT("kubelet"), SV_INIT("1.31.4"), SV_INIT("1.32.1"), false, {0}},
	    {SV_INIT("a long one"),
	     SV_INIT("0123456789 0123456789 0123456789 0123456789"),
	     SV_INIT("short"),
	     false,
	     {0}},
	    {SV_INIT("a detail"), SV_INIT("1"), SV_INIT("2"), true, {0}},
	    {SV_INIT("third"), SV_INIT("3"), SV_INIT("4"), false, {0}},
	    {SV_INIT("fourth"), {0}, SV_INIT("6"), false, {0}},
	};
	struct report_summary summary = sample_run(arena);
	struct sink sink = sink_in(arena);
	struct buf buf = buf_in(arena);

	summary.groups.items[0].fields = fields;
	summary.groups.items[0].field_count = COUNT_OF(fields);
	report_name_groups(arena, &summary);
	report_html(&buf, &summary, &sink, &(struct report_style){0});
	sv list = between(buf_sv(&buf), "<dl>", "</dl>");
	assert_holds(list, "<dt>a long one</dt>");
	assert_holds(list, "<dt>a detail</dt><dd><code class=\"before\">1</code> → "
	                   "<code class=\"after\">2</code></dd>");
	assert_holds(list, "<dt>fourth</dt><dd><span class=\"soft\">none</span> → ");
	assert_false(sv_contains(list, SV("kubelet")) || sv_contains(list, SV("third")));
	/* The heading of the other group has all of its fields. */
	sv rest = sv_from_offset(buf_sv(&buf), sv_find(buf_sv(&buf), SV("</dl>")) + 5);
	assert_false(sv_contains(rest, SV("<dt>cluster DNS")));
}

/* What the script reads, whole: of each unit its texts' places and its numbers. */
static void test_data(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv page = render(arena, report_html, &(struct report_style){0});

	assert_sv(between(page, "id=\"data\">", "</script>"),
	          "{\"kind\":\"MachineDeployment\","
	          "\"classes\":[\"NONE\",\"METADATA\",\"NEW-NODES-ONLY\",\"UNKNOWN\",\"ADD\",\"IN-"
	          "PLACE\",\"ROLL\",\"SCALE\",\"REMOVE\"],"
	          "\"changes\":[\"unchanged\",\"added\",\"changed\",\"removed\"],"
	          "\"units\":["
	          "[0,1,2,3,4,5,6,30100,32768,2,6,3],"
	          "[0,1,7,3,4,5,6,30100,32768,2,2,2],"
	          "[8,1,9,3,4,5,6,30100,32768,2,6,3],"
	          "[8,1,10,3,4,5,6,30100,32768,1,4,-1],"
	          "[8,1,11,3,4,5,6,30100,32768,2,1,1],"
	          "[8,1,12,3,4,5,6,30100,32768,0,0,5],"
	          "[8,1,13,14,14,14,14,0,0,3,8,-1]],"
	          "\"groups\":[[0,2],[1]],"
	          "\"texts\":[\"edge-eu-1\",\"kube-system\",\"workers-a\",\"hetzner\","
	          "\"ubuntu\",\"osp-ubuntu\",\"v1.8.0\",\"workers-b\",\"prod-us-1\","
	          "\"workers\",\"gpu\",\"labels\",\"quiet\",\"old\",\"\"]}");
}

static void test_masked(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct secret secret = {
	    .name = SV_INIT("n/s:k"), .text = SV_INIT("edge-eu-1"), .high_entropy = false};
	const struct secret *secrets[] = {&secret};
	struct report_style style = {.mask = secret_mask_new(arena, secrets, 1)};
	static emitter *const emitters[] = {report_html, report_github, report_gitlab};

	for (size_t i = 0; i < COUNT_OF(emitters); i++)
		assert_false(sv_contains(render(arena, emitters[i], &style), SV("edge-eu-1")));
	assert_holds(render(arena, report_html, &style), "\"***\"");
}

/* Ten thousand units: rows for the script, a bounded table without one. */
static void test_large(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = sample_run(arena);
	struct sink sink = sink_in(arena);
	struct buf buf = buf_in(arena);
	struct report_style plain = {0};

	for (int i = 0; i < 10000; i++)
		add_sample_unit(arena, &summary, arena_printf(arena, "c%d", i / 20),
		                arena_printf(arena, "workers-%d", i), REPORT_CLASS_ROLL, 3);
	report_html(&buf, &summary, &sink, &plain);
	assert_true(buf.len < 1200000);
	sv fallback = between(buf_sv(&buf), "<th>Profile</th></tr></thead>", "</noscript>");
	assert_true(fallback.len < 40000);
	assert_holds(fallback, "and 9806 more: a browser that runs scripts shows them");
}

/* ---- GitHub ------------------------------------------------------------------------------ */

static size_t count_lines(sv text, const char *start)
{
	struct sv_splitter lines = sv_split(text, '\n');
	size_t count = 0;
	sv line;

	while (sv_split_next(&lines, &line))
		count += sv_starts_with(line, sv_from_cstr(start));
	return count;
}

static void test_github(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	sv text = render(arena, report_github, &(struct report_style){0});
	/* Errors, facts that stop, the effect, the other facts, warnings. */
	static const char *const lines[] = {
	    "::error file=clusters/prod%2C eu/md.yaml,line=2,col=6,title=OSG9001%3A wrong "
	    "usage::100%25 is too much%0Ain MachineDeployment kube-system/workers%0Ahelp: take "
	    "less%0Aor nothing",
	    "::warning title=MachineDeployment removed::an applier that prunes deletes it and its "
	    "machines%0Aprod-us-1/kube-system/old, number of machines unknown: "
	    "clusters/prod/old.yaml was deleted",
	    "::warning title=A new host that nodes download from::mirror.example.net, of "
	    "/opt/bin/setup.sh (in 2 MachineDeployments)",
	    "::warning title=Recipients changed::cluster prod-us-1 is sealed to others than before",
	    "::notice title=osm-gen check%3A differs::1 MachineDeployment is removed, 1 "
	    "MachineDeployment is new, 6 machines in 2 MachineDeployments roll, 1 "
	    "MachineDeployment changes for new nodes only, 1 MachineDeployment changes without "
	    "effect on nodes%0AMachineDeployments (machines) by cluster:%0A    cluster       "
	    "REMOVE  ADD  ROLL   NEW-NODES-ONLY  METADATA%0A    prod-us-1     1       1    1 (3)  "
	    "-               1 (1)%0A    edge-eu-1     -       -    1 (3)  1 (2)           -%0A    "
	    "all clusters  1       1    2 (6)  1 (2)           1 (1)",
	    "::notice title=ROLL%3A kubelet 1.31.4 -> 1.32.1%2C profile version v1.7.0 -> "
	    "v1.8.0%2C node HTTP proxy set to http%3A//p%3A3128 in 2 MachineDeployments of "
	    "edge-eu-1%2C prod-us-1 (profile osp-ubuntu%2C 6 "
	    "machines)::edge-eu-1/kube-system/workers-a, prod-us-1/kube-system/workers",
	    "::notice file=clusters/prod/gpu.yaml,title=ADD%3A 1 MachineDeployment is "
	    "new::prod-us-1/kube-system/gpu, number of machines unknown: osp-ubuntu v1.8.0, "
	    "hetzner, from clusters/prod/gpu.yaml",
	    "::notice title=NEW-NODES-ONLY%3A cluster DNS 10.96.0.10 -> 10.10.10.10 in "
	    "edge-eu-1/kube-system/workers-b (profile osp-ubuntu%2C 2 machines)::`osm-gen diff` "
	    "shows what changes",
	    "::warning title=OSG6102%3A uncommitted inputs are not read::something is not "
	    "committed",
	};
	struct sv_splitter split = sv_split(sv_trim_right(text, "\n"), '\n');
	size_t count = 0;

	for (sv line; sv_split_next(&split, &line); count++)
		assert_sv(line, count < COUNT_OF(lines) ? lines[count] : "no further line");
	assert_int_equal(count, COUNT_OF(lines));
}

/* A warning at a unit of a fact is in the text of the fact, and no annotation of its own. */
static void test_github_one_cause(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = sample_run(arena);
	struct source *sources[] = {
	    source_new(arena, SV("a.yaml"), SV("kubelet: 1.36.0\n"), false),
	    source_new(arena, SV("b.yaml"), SV("kubelet: 1.36.0\n"), false),
	    source_new(arena, SV("c.yaml"), SV("kubelet: 1.36.0\n"), false),
	};
	struct sink sink = sink_in(arena);
	struct buf buf = buf_in(arena);

	summary.units.items[0].at = (struct position){sources[0], 9, 6};
	summary.units.items[2].at = (struct position){sources[1], 9, 6};
	summary.units.items[0].source = SV("a.yaml");
	for (size_t i = 0; i < 3; i++) {
		struct diag *diag =
		    diag_report(&sink, DIAG_MD_SKEW, (struct position){sources[i], 9, 6}, "%s",
		                i < 2 ? "too new" : "too old");

		diag_set_help(&sink, diag, "take another one");
	}
	summary.facts.count = 0;
	VEC_PUSH(arena, &summary.notes,
	         ((struct report_note){REPORT_NOTE_KUBELET_NEWER, SV("1.36.0 with 1.35.3"),
	                               SAMPLE_LIST(arena, size_t, 0, 2), 2, false}));
	review_list_facts(arena, &summary);
	report_github(&buf, &summary, &sink, &(struct report_style){0});
	assert_holds(buf_sv(&buf),
	             "::warning file=a.yaml,line=1,col=10,title=A kubelet newer than its control "
	             "plane::1.36.0 with 1.35.3 (in 2 MachineDeployments)%0Atoo new, also at "
	             "b.yaml:1:10%0Ahelp: take another one\n");
	assert_holds(buf_sv(&buf), "\n::warning file=c.yaml,line=1,col=10,title=OSG4200%3A ");
	assert_int_equal(count_lines(buf_sv(&buf), "::warning file="), 2);
}

/* count groups of two units each, all of them other changes; names as long as they may be. */
static void add_many_groups(struct arena *arena, struct report_summary *summary, size_t count)
{
	sv cluster = arena_printf(arena, "%0253d", 1);
	sv name = arena_printf(arena, "%0253d", 2);

	for (size_t i = 0; i < count; i++) {
		size_t *units = ARENA_ARRAY(arena, size_t, 2);
		struct report_field *field = ARENA_NEW(arena, struct report_field);

		for (size_t j = 0; j < 2; j++) {
			units[j] = summary->units.count;
			add_sample_unit(arena, summary, cluster, name, REPORT_CLASS_ROLL, 3);
		}
		*field = (struct report_field){
		    .name = SV("kubelet"),
		    .before = SV("1.31.4"),
		    .after = arena_printf(arena, "1.32.%zu", i),
		};
		VEC_PUSH(arena, &summary->groups,
		         ((struct report_group){
		             .class = REPORT_CLASS_ROLL,
		             .fields = field,
		             .field_count = 1,
		             .units = units,
		             .unit_count = i % 2 ? 1 : 2,
		             .cluster_count = 1,
		         }));
	}
	report_name_groups(arena, summary);
	summary->facts.count = 0;
	review_list_facts(arena, summary);
}

/* GitHub shows ten of a level: the last one of each names others. Titles are cut. */
static void test_github_many(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = sample_run(arena);
	struct sink sink = sink_in(arena);
	struct buf buf = buf_in(arena);

	for (int i = 0; i < 50; i++)
		VEC_PUSH(arena, &summary.notes,
		         ((struct report_note){.kind = REPORT_NOTE_HOST,
		                               .text = arena_printf(arena, "host%d", i)}));
	add_many_groups(arena, &summary, 5000);
	report_github(&buf, &summary, &sink, &(struct report_style){0});
	sv text = buf_sv(&buf);
	assert_int_equal(count_lines(text, "::notice "), 10);
	assert_int_equal(count_lines(text, "::warning "), 10);
	assert_holds(text, "::notice title=4%2C995 more changes::ROLL: kubelet");
	assert_holds(text, "::warning title=44 more changes::A new host that nodes download from: "
	                   "host6%0AA new host that nodes download from: host7%0A");
	struct sv_splitter lines = sv_split(text, '\n');
	for (sv line; sv_split_next(&lines, &line);)
		assert_true(sv_empty(line) ||
		            between(line, "title=", "::").len < 255 + 2 * COUNT_OF("%3A"));
	assert_true(text.len < 32000);
}

static void test_github_nothing(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = {.command = SV("check"), .unit_kind = SV("x")};
	struct sink sink = sink_in(arena);
	struct buf buf = buf_in(arena);

	report_github(&buf, &summary, &sink, &(struct report_style){0});
	assert_int_equal(buf.len, 0);
}

/* ---- GitLab ------------------------------------------------------------------------------ */

/* As docs.gitlab.com has the format: each member, of its type, with a value that it may have. */
static void assert_code_quality(struct arena *arena, sv text, size_t count)
{
	struct value root = json_value_of(arena, text);
	struct map fingerprints = map_in(arena);

	assert_int_equal(value_count(&root), count);
	for (size_t i = 0; i < count; i++) {
		const struct value *item = &root.list->items[i];
		const struct value *line = value_path(item, "location.lines.begin");
		sv severity = value_text(value_path(item, "severity"));
		sv fingerprint = value_text(value_path(item, "fingerprint"));
		sv path = value_text(value_path(item, "location.path"));

		assert_false(sv_empty(value_text(value_path(item, "description"))));
		assert_false(sv_empty(value_text(value_path(item, "check_name"))));
		assert_true(sv_eq(severity, SV("info")) || sv_eq(severity, SV("minor")) ||
		            sv_eq(severity, SV("major")) || sv_eq(severity, SV("critical")) ||
		            sv_eq(severity, SV("blocker")));
		assert_int_equal(fingerprint.len, 64);
		assert_null(map_get(&fingerprints, fingerprint));
		map_put(&fingerprints, fingerprint, &fingerprints);
		assert_false(sv_empty(path) || sv_starts_with(path, SV("/")) ||
		             sv_starts_with(path, SV("./")));
		assert_true(line->integer >= 1);
	}
}

static void test_gitlab(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv text = render(arena, report_gitlab, &(struct report_style){0});
	struct value root = json_value_of(arena, text);
	const struct value *items = root.list->items;

	static const char *const findings[][4] = {
	    {"OSG9001", "critical", "clusters/prod, eu/md.yaml",
	     "100% is too much, in MachineDeployment kube-system/workers. Help: take less or "
	     "nothing"},
	    {"removed", "major", "osm-gen.yaml",
	     "MachineDeployment removed: an applier that prunes deletes it and its machines; "
	     "prod-us-1/kube-system/old, number of machines unknown: clusters/prod/old.yaml was "
	     "deleted"},
	    {"new-host", "major", "osm-gen.yaml",
	     "A new host that nodes download from: mirror.example.net, of /opt/bin/setup.sh (in 2 "
	     "MachineDeployments)"},
	    {"recipients", "major", "osm-gen.yaml",
	     "Recipients changed: cluster prod-us-1 is sealed to others than before"},
	    {"rollout", "info", "osm-gen.yaml", NULL},
	    {"roll", "info", "osm-gen.yaml",
	     "ROLL: kubelet 1.31.4 -> 1.32.1, profile version v1.7.0 -> v1.8.0, node HTTP proxy "
	     "set to http://p:3128 in 2 MachineDeployments of edge-eu-1, prod-us-1 (profile "
	     "osp-ubuntu, 6 machines): edge-eu-1/kube-system/workers-a, "
	     "prod-us-1/kube-system/workers"},
	    {"added", "info", "clusters/prod/gpu.yaml",
	     "ADD: 1 MachineDeployment is new: prod-us-1/kube-system/gpu, number of machines "
	     "unknown: osp-ubuntu v1.8.0, hetzner, from clusters/prod/gpu.yaml"},
	    {"new-nodes-only", "info", "osm-gen.yaml", NULL},
	    {"OSG6102", "minor", "osm-gen.yaml", NULL},
	};

	assert_code_quality(arena, text, COUNT_OF(findings));
	for (size_t i = 0; i < COUNT_OF(findings); i++) {
		assert_sv(value_text(value_path(&items[i], "check_name")), findings[i][0]);
		assert_sv(value_text(value_path(&items[i], "severity")), findings[i][1]);
		assert_sv(value_text(value_path(&items[i], "location.path")), findings[i][2]);
		if (findings[i][3])
			assert_sv(value_text(value_path(&items[i], "description")), findings[i][3]);
	}
	assert_int_equal(value_path(&items[0], "location.lines.begin")->integer, 2);
}

/* The same mistake further down, and twice in one file. */
static void test_gitlab_fingerprints(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = {.command = SV("check"), .unit_kind = SV("x")};
	struct source *source = source_new(arena, SV("a.yaml"), SV("x\nx\nx\n"), false);
	sv prints[2];

	for (size_t i = 0; i < 2; i++) {
		struct sink sink = sink_in(arena);
		struct buf buf = buf_in(arena);

		diag_report(&sink, DIAG_USAGE, (struct position){source, i * 2, 1}, "the same");
		diag_report(&sink, DIAG_USAGE, (struct position){source, 4, 1}, "the same");
		report_gitlab(&buf, &summary, &sink, &(struct report_style){0});
		assert_code_quality(arena, buf_sv(&buf), 2);
		struct value root = json_value_of(arena, buf_sv(&buf));
		prints[i] = value_text(value_path(&root.list->items[0], "fingerprint"));
	}
	assert_true(sv_eq(prints[0], prints[1]));
}

/* A group is the same finding when another unit changes alike; of very many only the first. */
static void test_gitlab_groups(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = sample_run(arena);
	struct sink sink = sink_in(arena);
	sv prints[2];

	for (size_t i = 0; i < 2; i++) {
		struct buf buf = buf_in(arena);

		report_gitlab(&buf, &summary, &sink, &(struct report_style){0});
		struct value root = json_value_of(arena, buf_sv(&buf));
		assert_sv(value_text(value_path(&root.list->items[4], "check_name")), "roll");
		prints[i] = value_text(value_path(&root.list->items[4], "fingerprint"));
		summary.groups.items[0].unit_count = 1;
		summary.facts.count = 0;
		review_list_facts(arena, &summary);
	}
	assert_sv(prints[0], arena_cstr(arena, prints[1]));
	struct buf buf = buf_in(arena);
	add_many_groups(arena, &summary, 5000);
	report_gitlab(&buf, &summary, &sink, &(struct report_style){0});
	assert_code_quality(arena, buf_sv(&buf), 1 + 100 + 1);
	assert_holds(buf_sv(&buf), "\"4,906 more changes: `osm-gen diff` shows them\"");
	assert_true(buf.len < 500000);
}

/* ---- JUnit ------------------------------------------------------------------------------- */

static void test_junit(void **state)
{
	(void)state;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_summary summary = sample_run(arena);
	struct sink sink = sink_in(arena);
	struct buf buf = buf_in(arena);
	struct buf committed = buf_in(arena);

	add_many_groups(arena, &summary, 5000);
	for (int i = 0; i < 5000; i++)
		VEC_PUSH(arena, &summary.files,
		         ((struct report_file){.path = arena_printf(arena, "prod/%d.yaml", i),
		                               .change = REPORT_CHANGED}));
	report_junit(&buf, &summary, &sink, &(struct report_style){0});
	sv failure = between(buf_sv(&buf), "<failure type=\"difference\"", "</failure>");
	assert_holds(failure, "REMOVE: 1 MachineDeployment\n"
	                      "    prod-us-1/kube-system/old, number of machines unknown: "
	                      "clusters/prod/old.yaml was deleted\n");
	assert_holds(failure, "ROLL: kubelet 1.31.4 -&gt; 1.32.1, profile version");
	assert_holds(failure, "and 4,992 more changes (-v lists them all)\n");
	assert_holds(failure, "A new host that nodes download from: mirror.example.net");
	assert_holds(failure, "changed prod/index.json\n");
	assert_holds(failure, "and 4,901 more files\n");
	assert_true(failure.len < 20000);
	assert_false(sv_contains(buf_sv(&buf), SV("<system-out>")));
	summary.outcome = REPORT_COMMITTED;
	summary.command = SV("generate");
	report_junit(&committed, &summary, &sink, &(struct report_style){0});
	assert_holds(between(buf_sv(&committed), "<system-out>", "</system-out>"),
	             "ROLL: kubelet 1.31.4 -&gt; 1.32.1, profile version v1.7.0 -&gt; v1.8.0");
}

UNIT_TESTS(report_page)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fields_below_the_heading),
	    cmocka_unit_test(test_policy),
	    cmocka_unit_test(test_page),
	    cmocka_unit_test(test_data),
	    cmocka_unit_test(test_masked),
	    cmocka_unit_test(test_large),
	    cmocka_unit_test(test_github),
	    cmocka_unit_test(test_github_nothing),
	    cmocka_unit_test(test_github_one_cause),
	    cmocka_unit_test(test_gitlab),
	    cmocka_unit_test(test_github_many),
	    cmocka_unit_test(test_gitlab_fingerprints),
	    cmocka_unit_test(test_gitlab_groups),
	    cmocka_unit_test(test_junit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
