/* osm-gen.yaml: members, precedence, sealing, scopes. */
#include "fleet_fixture.h"

#include "fleet/internal.h"
#include "osm/osm.h"

static void test_precedence(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	struct value flags = value_map_new(f.arena);

	fixture_add(&f, "osm-gen.yaml",
	            FLEET
	            "spec:\n  defaults: {nodeHTTPProxy: 'http://fleet', pauseImage: fleet, "
	            "initialTaints: 'fleet:NoSchedule'}\n"
	            "  commit: {author: Fleet Bot <bot@example.com>, subject: 'x: {changes}', "
	            "trailers: ['Signed-off-by: {author}']}\n");
	fixture_add(
	    &f, "a/osm-gen.yaml",
	    CLUSTER(
	        "a") "spec: {settings: {pauseImage: cluster, initialTaints: 'own:NoSchedule'}}\n");
	fixture_add(&f, "b/osm-gen.yaml", CLUSTER("b"));
	value_map_set(f.arena, &flags, SV("initialTaints"), value_string(SV("flag:NoExecute")));
	f.options.flag_settings = &flags;
	fixture_must_load(&f);
	const struct osm_settings *a = fixture_cluster(&f, "a")->dialects[0].settings;
	const struct osm_settings *b = fixture_cluster(&f, "b")->dialects[0].settings;
	assert_sv(value_text(&a->http_proxy), "http://fleet");
	assert_sv(value_text(&a->pause_image), "cluster");
	assert_sv(value_text(&a->initial_taints), "flag:NoExecute");
	assert_sv(value_text(&b->pause_image), "fleet");
	assert_sv(value_text(&b->initial_taints), "flag:NoExecute");
	assert_sv(b->container_runtime, "containerd");
	assert_sv(f.fleet.commit.author, "Fleet Bot <bot@example.com>");
	assert_sv(f.fleet.commit.subject, "x: {changes}");
	assert_int_equal(f.fleet.commit.trailer_count, 1);
	assert_sv(f.fleet.commit.trailers[0], "Signed-off-by: {author}");
	assert_sv(fixture_cluster(&f, "a")->scope, "a");
}

static void test_unknown_names(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "osm-gen.yaml",
	            FLEET "spec:\n"
	                  "  defaults: {clusterDns: [10.0.0.10]}\n"
	                  "  sealings: {}\n");
	fixture_add(&f, "a/osm-gen.yaml",
	            CLUSTER("a") "spec:\n"
	                         "  settings:\n"
	                         "    clusterDSN: [10.0.0.10]\n"
	                         "    zzzzzz: 1\n");
	fixture_must_fail(&f, "osm-gen.yaml:5:3 OSG2005\n"
	                      "osm-gen.yaml:4:14 OSG2007\n"
	                      "a/osm-gen.yaml:6:5 OSG2007\n"
	                      "a/osm-gen.yaml:7:5 OSG2007\n");
	assert_sv(f.sink.diags.items[0]->help, "did you mean \"sealing\"?");
	assert_sv(f.sink.diags.items[1]->help, "did you mean \"clusterDNS\"?");
	assert_sv(f.sink.diags.items[2]->help, "did you mean \"clusterDNS\"?");
	assert_contains(f.sink.diags.items[3]->help, "osm-gen help");
}

static void test_wrong_values(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "osm-gen.yaml",
	            FLEET "spec:\n"
	                  "  defaults: {clusterDNS: [10.0.0.300]}\n"
	                  "  sealing: {format: sop, recipients: [1, '']}\n"
	                  "  commit: {author: nobody}\n");
	fixture_add(&f, "a/osm-gen.yaml", "apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\n");
	fixture_add(&f, "b/osm-gen.yaml", CLUSTER("B_b") "spec: []\n");
	fixture_add(&f, "c/osm-gen.yaml", CLUSTER("c") "spec: {sealing: {recipients: []}}\n");
	fixture_must_fail(&f, "osm-gen.yaml:6:20 OSG2006\n"
	                      "a/osm-gen.yaml:1:1 OSG2006\n"
	                      "b/osm-gen.yaml:4:7 OSG2006\n"
	                      "b/osm-gen.yaml:3:18 OSG2008\n"
	                      "osm-gen.yaml:4:27 OSG2107\n"
	                      "osm-gen.yaml:5:21 OSG2013\n"
	                      "osm-gen.yaml:5:39 OSG2013\n"
	                      "osm-gen.yaml:5:42 OSG2013\n"
	                      "c/osm-gen.yaml:4:30 OSG2013\n");
}

/* Words that would break a message, or that later runs would take for osm-gen's own. */
static void test_wrong_words(void **state)
{
	(void)state;
	static const char *const wrong[] = {
	    "subject: 'chore: new nodes'",
	    "subject: ''",
	    "subject: '# {changes}'",
	    "subject: ' {changes}'",
	    "subject: \"a\\n{changes}\"",
	    "subject: \"\\u202e{changes}\"",
	    "subject: 'Osm-Gen-Source: {changes}'",
	    "subject: [a]",
	    "trailers: Signed-off-by",
	    "trailers: [Signed-off-by]",
	    "trailers: ['Signed-off-by: ']",
	    "trailers: ['Signed off by: x']",
	    "trailers: [': x']",
	    "trailers: [1]",
	    "trailers: [\"A: b\\nC: d\"]",
	    "trailers: ['osm-gen-output: 00']",
	    "trailers: ['A: b', 'A: b', 'A: b', 'A: b', 'A: b', 'A: b', 'A: b', 'A: b', 'A: b', "
	    "'A: b', 'A: b', 'A: b', 'A: b', 'A: b', 'A: b', 'A: b', 'A: b']",
	};

	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		FIXTURE_AUTO f = fixture_new();

		fixture_add(
		    &f, "osm-gen.yaml",
		    arena_cstr(f.arena,
		               arena_printf(f.arena, FLEET "spec: {commit: {%s}}\n", wrong[i])));
		assert_int_equal(fixture_load(&f), STATUS_FAILED);
		if (f.sink.diags.count != 1 || f.sink.diags.items[0]->code != DIAG_FLEET_TYPE)
			fail_msg("%s: %zu diagnostics", wrong[i], f.sink.diags.count);
	}
}

static void test_sealing(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "osm-gen.yaml",
	            FLEET "spec: {sealing: {format: sops, recipients: [age1fleet, age1other]}}\n");
	fixture_add(&f, "a/osm-gen.yaml", CLUSTER("a"));
	fixture_add(&f, "b/osm-gen.yaml", CLUSTER("b") "spec: {sealing: {recipients: [age1b]}}\n");
	fixture_must_load(&f);
	const struct fleet_sealing *a = &fixture_cluster(&f, "a")->sealing;
	const struct fleet_sealing *b = &fixture_cluster(&f, "b")->sealing;
	assert_int_equal(a->recipient_count, 2);
	assert_sv(a->recipients[1].text, "age1other");
	assert_int_equal(position_line_column(a->recipients[1].at).line, 3);
	assert_int_equal(b->recipient_count, 1);
	assert_sv(b->recipients[0].text, "age1b");
	assert_ptr_equal(b->format, sealer_format_find(SV("sops")));
}

static void test_one_fleet_at_the_root(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "a/osm-gen.yaml", FLEET);
	fixture_add(&f, "osm-gen.yaml", FLEET "---\n" FLEET);
	fixture_must_fail(&f, "a/osm-gen.yaml:1:1 OSG2003\n"
	                      "osm-gen.yaml:4:1 OSG2004\n");
	assert_int_equal(f.sink.diags.items[1]->notes.count, 1);
}

static void test_scopes_do_not_nest(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "a/osm-gen.yaml", CLUSTER("zz"));
	fixture_add(&f, "a/b/c/osm-gen.yaml", CLUSTER("inner"));
	fixture_add(&f, "a-b/osm-gen.yaml", CLUSTER("beside"));
	fixture_add(&f, "x/osm-gen.yaml", CLUSTER("x") "---\n" CLUSTER("why"));
	fixture_add(&f, "y/osm-gen.yaml", CLUSTER("x"));
	fixture_must_fail(&f, "y/osm-gen.yaml:3:18 OSG2004\n"
	                      "x/osm-gen.yaml:3:18 OSG2009\n"
	                      "a/b/c/osm-gen.yaml:3:18 OSG2009\n"
	                      "a-b/osm-gen.yaml:3:18 OSG2096\n"
	                      "a/b/c/osm-gen.yaml:3:18 OSG2096\n"
	                      "x/osm-gen.yaml:7:18 OSG2096\n"
	                      "y/osm-gen.yaml:3:18 OSG2096\n"
	                      "a/osm-gen.yaml:3:18 OSG2096\n");
	assert_contains(f.sink.diags.items[2]->text, "\"zz\"");
	assert_contains(f.sink.diags.items[2]->notes.items[0].text, "\"zz\"");
}

/* Made for this test; its key was thrown away. */
#define CERTIFICATE                                                                                \
	"-----BEGIN CERTIFICATE-----\n"                                                            \
	"MIIBdTCCARugAwIBAgIUdb7UukPt8qWSZZJ4vsee/VvGIXkwCgYIKoZIzj0EAwIw\n"                       \
	"DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjAxNjQzMTZaGA8yMTI2MTAyNzE2NDMx\n"                       \
	"NlowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFQW\n"                       \
	"wyS1dBDDr4oh+DxYyPorTAAIkB+D1csQy8mGAjlHXpH4f1+IKbkWG9L3m7GGkEz1\n"                       \
	"1hxtfcqc/ka5L2mcdNajUzBRMB0GA1UdDgQWBBTdho+Aam9aFlWL8xize5aQz+mH\n"                       \
	"hzAfBgNVHSMEGDAWgBTdho+Aam9aFlWL8xize5aQz+mHhzAPBgNVHRMBAf8EBTAD\n"                       \
	"AQH/MAoGCCqGSM49BAMCA0gAMEUCIQCYzW0HQOHe3LpsNX9jxK1a/NQjXLJSw60P\n"                       \
	"O8cubdaCIgIgYspyzFxxW7d621VWsBxBN1uitiwLTK7EmTs/6UPvXHw=\n"                               \
	"-----END CERTIFICATE-----\n"

/* A reader of files: "ca.pem" in any folder. */
static bool read_named(void *context, sv path, sv *ret_text)
{
	struct buf *asked = context;

	buf_add(asked, path);
	buf_add_char(asked, '\n');
	if (!sv_ends_with(path, SV("ca.pem")))
		return false;
	*ret_text = SV(CERTIFICATE);
	return true;
}

static void test_files_named_by_settings(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	struct buf asked = buf_in(f.arena);

	f.options.read_file = read_named;
	f.options.read_file_context = &asked;
	fixture_add(&f, "x/a/osm-gen.yaml",
	            CLUSTER("a") "spec: {settings: {hostCABundle: ../tls/ca.pem}}\n");
	fixture_add(&f, "x/b/osm-gen.yaml",
	            CLUSTER("b") "spec: {settings: {hostCABundle: /ca.pem}}\n");
	fixture_add(&f, "x/c/osm-gen.yaml",
	            CLUSTER("c") "spec: {settings: {hostCABundle: ./missing.pem}}\n");
	fixture_add(&f, "x/d/osm-gen.yaml",
	            CLUSTER("d") "spec: {settings: {hostCABundle: ../../../ca.pem}}\n");
	fixture_must_fail(&f, "x/c/osm-gen.yaml:4:33 OSG2014\n"
	                      "x/d/osm-gen.yaml:4:33 OSG2014\n");
	/* .sops.yaml once, since no cluster has recipients. */
	assert_sv(buf_sv(&asked), "x/tls/ca.pem\nca.pem\nx/c/missing.pem\n.sops.yaml\n");
	const struct osm_settings *b = fixture_cluster(&f, "b")->dialects[0].settings;
	assert_true(sv_starts_with(value_text(&b->host_ca), SV("-----BEGIN")));
}

/* What lies in the folder of a Cluster that cannot be read is not called homeless. */
static void test_broken_cluster_keeps_its_folder(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "a/osm-gen.yaml", "kind: [\n");
	fixture_add(&f, "a/md.yaml", PROFILE("p") "---\n" MACHINES("m", "p"));
	fixture_add(&f, "b/osm-gen.yaml", CLUSTER("b"));
	assert_int_equal(fixture_load(&f), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 1);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_YAML_SYNTAX);
}

static void test_settings_are_found(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();
	size_t count;
	const struct setting *const *all = fleet_settings(f.arena, &count);

	assert_true(count > 20);
	for (size_t i = 0; i < count; i++) {
		/* Each name and each flag is there once, however many dialects have it. */
		for (size_t j = 0; j < i; j++)
			assert_false(sv_eq(all[j]->name, all[i]->name));
		assert_ptr_equal(fleet_setting_by_flag(all[i]->flag), all[i]);
	}
	assert_true(sv_eq(fleet_setting_nearest(f.arena, SV("clusterDns")), SV("clusterDNS")));
	assert_true(sv_eq(fleet_setting_nearest(f.arena, SV("cluster-dns")), SV("clusterDNS")));
	assert_true(sv_eq(fleet_setting_nearest(f.arena, SV("managementcluster")),
	                  SV("managementCluster")));
	assert_true(sv_empty(fleet_setting_nearest(f.arena, SV("somethingElse"))));
}

static void test_management_cluster(void **state)
{
	(void)state;
	FIXTURE_AUTO f = fixture_new();

	fixture_add(&f, "a/osm-gen.yaml",
	            CLUSTER("a") "spec: {settings: {managementCluster: m}}\n");
	fixture_add(&f, "b/osm-gen.yaml", CLUSTER("b"));
	fixture_add(&f, "osm-gen.yaml", FLEET "spec: {defaults: {managementCluster: self}}\n");
	fixture_must_load(&f);
	assert_true(sv_eq(fixture_cluster(&f, "a")->management_cluster, SV("m")));
	assert_true(sv_eq(fixture_cluster(&f, "b")->management_cluster, SV(FLEET_OWN_MANAGEMENT)));

	FIXTURE_AUTO wrong = fixture_new();
	fixture_add(&wrong, "a/osm-gen.yaml",
	            CLUSTER("a") "spec: {settings: {managementCluster: A B}}\n");
	fixture_must_fail(&wrong, "a/osm-gen.yaml:4:38 OSG2107\n");
}

UNIT_TESTS(fleet_settings)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_precedence),
	    cmocka_unit_test(test_unknown_names),
	    cmocka_unit_test(test_wrong_values),
	    cmocka_unit_test(test_wrong_words),
	    cmocka_unit_test(test_sealing),
	    cmocka_unit_test(test_one_fleet_at_the_root),
	    cmocka_unit_test(test_scopes_do_not_nest),
	    cmocka_unit_test(test_files_named_by_settings),
	    cmocka_unit_test(test_settings_are_found),
	    cmocka_unit_test(test_management_cluster),
	    cmocka_unit_test(test_broken_cluster_keeps_its_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
