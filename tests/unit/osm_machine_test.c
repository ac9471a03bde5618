/*
 * providerSpec.value and credentials in it (docs/spec/controller.md 2.5).
 */
#include "golang/golang.h"
#include "osm/admission/admission.h"
#include "osm/cloud.h"
#include "osm/machine.h"
#include "osm/objects.h"
#include "osm_fixture.h"

static enum status decode(struct fixture *f, const char *yaml, enum osm_decoding decoding,
                          struct osm_provider_config *config)
{
	return osm_provider_config_read(f->arena, &f->sink, fixture_yaml(f, yaml), decoding,
	                                config);
}

static void keys_match_without_case(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_provider_config config;

	(void)state;
	assert_int_equal(decode(&f,
	                        "CLOUDPROVIDER: aws\noperatingsystem: ubuntu\n"
	                        "network: {IPFamily: IPv6, DNS: {Servers: [a, null]}}\n"
	                        "sshPublicKeys: [' k ']\noverwriteCloudConfig: ''\n",
	                        OSM_STRICT, &config),
	                 STATUS_OK);
	assert_sv(config.cloud_provider.string, "aws");
	assert_sv(config.operating_system.string, "ubuntu");
	assert_sv(config.network->ip_family.string, "IPv6");
	assert_int_equal(value_count(&config.network->dns_servers), 2);
	assert_sv(value_text(value_item(&config.ssh_public_keys, 0)), " k ");
	assert_non_null(config.overwrite_cloud_config);
	assert_null(config.cloud_provider_spec);
}

static void of_several_keys_the_last_wins_and_null_changes_nothing(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_provider_config config;

	(void)state;
	/* Keys reach the decoder sorted: upper case first. */
	assert_int_equal(decode(&f,
	                        "{cloudprovider: b, cloudProvider: a, operatingSystem: null, "
	                        "overwriteCloudConfig: null}",
	                        OSM_STRICT, &config),
	                 STATUS_OK);
	assert_sv(config.cloud_provider.string, "b");
	assert_sv(config.operating_system.string, "");
	assert_null(config.overwrite_cloud_config);
}

static sv keys_of(struct fixture *f, const char *yaml)
{
	struct osm_provider_config config;
	struct buf keys = buf_in(f->arena);

	assert_int_equal(decode(f, yaml, OSM_STRICT, &config), STATUS_OK);
	for (size_t i = 0; i < value_count(&config.ssh_public_keys); i++)
		buf_printf(&keys, "%.*s,",
		           SV_ARG(value_text(value_item(&config.ssh_public_keys, i))));
	return buf_sv(&keys);
}

/* As Go's slices: a null item leaves what an earlier list put there, even behind a shorter one. */
static void lists_of_several_keys_share_their_items(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_sv(keys_of(&f, "{SSHPublicKeys: [a, b, c], SshPublicKeys: [d], "
	                      "sshPublicKeys: [null, null, e, null]}"),
	          "d,b,e,,");
	assert_sv(keys_of(&f, "{SSHPublicKeys: [a, b], SshPublicKeys: [], "
	                      "sshPublicKeys: [null]}"),
	          ",");
	assert_sv(keys_of(&f, "{SSHPublicKeys: [a, b], sshPublicKeys: null}"), "");
	assert_sv(keys_of(&f, "{sshPublicKeys: [a], \"\\u017fshPublic\\u212Aeys\": [b]}"), "b,");
}

static void structs_of_several_keys_are_one(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_provider_config config;

	(void)state;
	assert_int_equal(decode(&f,
	                        "{NETWORK: {ipFamily: IPv6}, Network: null, "
	                        "network: {DNS: {servers: [a]}, cidr: c, dns: {SERVERS: [b]}}, "
	                        "networK: {CIDR: d}, OverwriteCloudConfig: x, "
	                        "overwriteCloudConfig: null}",
	                        OSM_STRICT, &config),
	                 STATUS_OK);
	assert_sv(config.network->cidr.string, "c");
	assert_sv(config.network->ip_family.string, "");
	assert_int_equal(value_count(&config.network->dns_servers), 1);
	assert_sv(value_text(value_item(&config.network->dns_servers, 0)), "b");
	assert_null(config.overwrite_cloud_config);
}

static void unknown_keys_are_errors_only_when_strict(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct osm_provider_config config;
	const char *yaml = "cloudProvider: aws\ncloudProvidrSpec: {}\nnetwork: {cdr: x}\n";

	(void)state;
	assert_int_equal(decode(&f, yaml, OSM_LENIENT, &config), STATUS_OK);
	assert_int_equal(f.sink.error_count, 0);
	assert_int_equal(decode(&f, yaml, OSM_STRICT, &config), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 2);
	assert_sv(f.sink.diags.items[0]->text,
	          "unknown key \"cloudProvidrSpec\" in providerSpec.value");
	assert_sv(f.sink.diags.items[0]->help, "did you mean \"cloudProviderSpec\"?");
	assert_int_equal(position_line_column(f.sink.diags.items[0]->at).line, 2);
	assert_int_equal(position_line_column(f.sink.diags.items[1]->at).column, 11);
}

static void wrong_types(void **state)
{
	static const char *const cases[] = {
	    "cloudProvider: 5",
	    "sshPublicKeys: k",
	    "sshPublicKeys: [5]",
	    "network: x",
	    "network: {dns: [a]}",
	    "network: {dns: {servers: a}}",
	    "[]",
	    "overwriteCloudConfig: {}",
	    "caPublicKey: []",
	    "{CloudProvider: 5, cloudProvider: aws}",
	    "{SSHPublicKeys: [5], sshPublicKeys: [k]}",
	    "{Network: {cidr: 5}, network: null}",
	    "{OverwriteCloudConfig: 5, overwriteCloudConfig: null}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct osm_provider_config config;

		assert_int_equal(decode(&f, cases[i], OSM_LENIENT, &config), STATUS_FAILED);
		assert_int_equal(f.sink.error_count, 1);
		assert_int_equal(f.sink.diags.items[0]->code, DIAG_MD_CONFIG);
	}
}

static sv taint_of(struct fixture *f, const struct value *spec, const char *path)
{
	return show_taint(f->arena, value_path(spec, path));
}

static void credentials_are_found_by_name(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct value *spec =
	    fixture_yaml(&f, "accessKeyId: AKIA\nsecretAccessKey: sss\nregion: eu\n"
	                     "auth: {kubeconfig: {value: kkk}, token: ttt}\n"
	                     "password: {secretKeyRef: {name: n, namespace: ns, key: password}}\n"
	                     "api-key: aaa\nPIN_secret: 1234\nsshPublicKey: ppp\n"
	                     "proxyURL: http://u:p@proxy\ntags: [x]\nenabledToken: true\n"
	                     "\"pa\\u017f\\u017fword\": lll\n");
	struct value tainted =
	    osm_taint_credentials(f.arena, SV("aws"), spec, SV("ns/md:cloudProviderSpec"));

	(void)state;
	assert_sv(taint_of(&f, &tainted, "accessKeyId"), "[AKIA]");
	assert_sv(taint_of(&f, &tainted, "secretAccessKey"), "[sss]");
	assert_sv(taint_of(&f, &tainted, "region"), "eu");
	assert_sv(taint_of(&f, &tainted, "auth.kubeconfig.value"), "[kkk]");
	assert_sv(taint_of(&f, &tainted, "auth.token"), "[ttt]");
	assert_sv(taint_of(&f, &tainted, "password.secretKeyRef.key"), "password");
	assert_sv(taint_of(&f, &tainted, "pa\xC5\xBF\xC5\xBFword"), "[lll]");
	assert_sv(taint_of(&f, &tainted, "api-key"), "[aaa]");
	assert_sv(taint_of(&f, &tainted, "PIN_secret"), "[1234]");
	assert_sv(taint_of(&f, &tainted, "sshPublicKey"), "ppp");
	assert_sv(taint_of(&f, &tainted, "proxyURL"), "http://[u:p]@proxy");
	assert_sv(secrecy_find(value_path(&tainted, "auth.token"))->name,
	          "ns/md:cloudProviderSpec.auth.token");
	/* The input itself stays as it was. */
	assert_null(secrecy_find(spec));
}

/* ---- names, addresses, modes ------------------------------------------------------------- */

static void keys_of_machine_deployments(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const sv long_name = SV("0123456789012345678901234567890123456789012345678901");

	(void)state;
	assert_sv(osm_machine_key(f.arena, SV("ns"), SV("md")), "ns-md");
	assert_sv(osm_machine_key(f.arena, SV("012345678"), long_name),
	          "012345678-0123456789012345678901234567890123456789012345678901");
	assert_sv(osm_machine_key(f.arena, SV("0123456789"), long_name),
	          "0123456789012345678901234567890123456789012345678901");
}

static void colliding_names_are_refused(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	const struct kube_object a = {.id = {SV("v1"), SV("M"), SV("b-c"), SV("a")}};
	const struct kube_object b = {.id = {SV("v1"), SV("M"), SV("c"), SV("a-b")}};
	const struct kube_object *const two[] = {&a, &b};

	(void)state;
	assert_int_equal(osm_check_names(&f.sink, two, 1), STATUS_OK);
	assert_int_equal(osm_check_names(&f.sink, two, 2), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 1);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_NAME_COLLISION);
	assert_sv(f.sink.diags.items[0]->text, "\"a-b-c-config\" is generated for M b-c/a too");
}

static void long_names_are_refused(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	char name[231];

	(void)state;
	memset(name, 'a', sizeof(name));
	/* NAME-kubelet-bootstrap-config is the longest */
	const struct kube_object fits = {.id = {SV("v1"), SV("M"), SV("ns"), sv_from(name, 228)}};
	const struct kube_object *const one[] = {&fits};
	assert_int_equal(osm_check_names(&f.sink, one, 1), STATUS_OK);
	const struct kube_object over = {.id = {SV("v1"), SV("M"), SV("ns"), sv_from(name, 231)}};
	const struct kube_object *const two[] = {&over};
	assert_int_equal(osm_check_names(&f.sink, two, 1), STATUS_FAILED);
	assert_int_equal(f.sink.error_count, 1);
	assert_int_equal(f.sink.diags.items[0]->code, DIAG_NAME_TOO_LONG);
}

static void addresses(void **state)
{
	static const struct {
		const char *text;
		const char *canonical; /* null: refused */
	} cases[] = {
	    {"10.0.0.1", "10.0.0.1"},
	    {"::ffff:1.2.3.4", "1.2.3.4"},
	    {"::", "::"},
	    {"::1", "::1"},
	    {"1::", "1::"},
	    {"FD00:0:0:1:0:0:0:A", "fd00:0:0:1::a"},
	    {"1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0"},
	    {"1:0:0:2:0:0:3:4", "1::2:0:0:3:4"},
	    {"::1.2.3.4", "::102:304"},
	    {"01.2.3.4", NULL},
	    {"1.2.3", NULL},
	    {"1.2.3.4/8", NULL},
	    {"fe80::1%eth0", NULL},
	    {"", NULL},
	    {" 1.2.3.4", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct ip ip;
		bool parsed = go_ip_parse(sv_from_cstr(cases[i].text), &ip);

		assert_int_equal(parsed, cases[i].canonical != NULL);
		if (parsed)
			assert_sv(go_ip_format(f.arena, &ip), cases[i].canonical);
	}
}

static void modes_are_decimal_digits(void **state)
{
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	assert_sv(osm_mode_text(f.arena, 644), "0644");
	assert_sv(osm_mode_text(f.arena, 44), "44");
	assert_sv(osm_mode_text(f.arena, 1777), "1777");
	assert_sv(osm_mode_text(f.arena, -50), "0-50");
	assert_sv(osm_mode_text(f.arena, 420), "0420");
}

static sv template_of(struct fixture *f, const char *template)
{
	struct value *root = ARENA_NEW(f->arena, struct value);
	struct kube_object object = {.id = {.namespace = SV("n"), .name = SV("m")}, .root = root};
	sv yaml = arena_printf(f->arena, "spec: {template: %s}", template);

	*root = *fixture_yaml(f, arena_cstr(f->arena, yaml));
	return osm_template_text(f->arena, &object).string;
}

static void what_is_empty_does_not_roll(void **state)
{
	static const struct {
		const char *template;
		const char *text;
	} cases[] = {
	    {"{metadata: {creationTimestamp: null, labels: {}, annotations: null, name: ''}}",
	     "{}"},
	    {"{spec: {taints: [], versions: {kubelet: v1, controlPlane: ''}, providerID: null}}",
	     "{\"spec\":{\"versions\":{\"kubelet\":\"v1\"}}}"},
	    {"{Spec: {providerspec: {value: {b: '', a: null, c: 1.0}}, nobodyKnows: 1}}",
	     "{\"spec\":{\"providerSpec\":{\"value\":{\"a\":null,\"b\":\"\",\"c\":1}}}}"},
	    /* Empty texts of labels count, and so does a pointer to one. */
	    {"{metadata: {labels: {a: ''}}, spec: {providerID: ''}}",
	     "{\"metadata\":{\"labels\":{\"a\":\"\"}},\"spec\":{\"providerID\":\"\"}}"},
	    {"{spec: {taints: [{key: k, value: '', timeAdded: null}]}}",
	     "{\"spec\":{\"taints\":[{\"key\":\"k\"}]}}"},
	    {"{metadata: {labels: {machine-template-hash: '1'}}}", "{}"},
	    {"{metadata: {labels: {machine-template-hash: '1', b: c}}}",
	     "{\"metadata\":{\"labels\":{\"b\":\"c\"}}}"},
	    {"null", "null"},
	    {"[1]", "[1]"},
	};
	FIXTURE_AUTO f = fixture_new();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_string_equal(arena_cstr(f.arena, template_of(&f, cases[i].template)),
		                    cases[i].text);
}

/* Counts the members of a cloud's shape that are secrets there, and checks the provider's table. */
static size_t count_secrets(const struct shape *shape, const struct osm_provider *provider)
{
	size_t count = 0;

	for (size_t i = 0; i < shape->count; i++) {
		const struct shape_member *member = &shape->members[i];
		bool is_listed = false;

		for (size_t k = 0; k < provider->secret_count; k++)
			is_listed |= sv_eq_cstr(provider->secrets[k], member->name);
		assert_int_equal(is_listed, (member->flags & SHAPE_SECRET) != 0);
		count += is_listed;
		if (member->type == SHAPE_MAP)
			count += count_secrets(member->of, provider);
	}
	return count;
}

static void shapes_of_clouds_have_the_secrets_of_the_table(void **state UNUSED)
{
	size_t count;
	const struct osm_provider *providers = osm_provider_table(&count);
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		const struct shape *shape = osm_cloud_shape(providers[i].name);

		if (shape)
			found += count_secrets(shape, &providers[i]);
	}
	assert_true(found >= 20);
}

UNIT_TESTS(osm_machine)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keys_match_without_case),
	    cmocka_unit_test(of_several_keys_the_last_wins_and_null_changes_nothing),
	    cmocka_unit_test(lists_of_several_keys_share_their_items),
	    cmocka_unit_test(structs_of_several_keys_are_one),
	    cmocka_unit_test(unknown_keys_are_errors_only_when_strict),
	    cmocka_unit_test(wrong_types),
	    cmocka_unit_test(credentials_are_found_by_name),
	    cmocka_unit_test(long_names_are_refused),
	    cmocka_unit_test(keys_of_machine_deployments),
	    cmocka_unit_test(colliding_names_are_refused),
	    cmocka_unit_test(what_is_empty_does_not_roll),
	    cmocka_unit_test(addresses),
	    cmocka_unit_test(modes_are_decimal_digits),
	    cmocka_unit_test(shapes_of_clouds_have_the_secrets_of_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
