/*
 * OperatingSystemConfigs read: fields of both contracts, the documentation's spellings, modes, the
 * bytes of files.
 */
#include "gardener_fixture.h"

/* ---- what is read ------------------------------------------------------------------------ */

static const char everything[] =
    "  class: shoot\n"
    "  providerConfig: {apiVersion: x/v1, kind: Y, any: [thing]}\n"
    "  criConfig:\n"
    "    name: containerd\n"
    "    cgroupDriver: systemd\n"
    "    containerd:\n"
    "      sandboxImage: pause:3\n"
    "      registries:\n"
    "      - upstream: docker.io\n"
    "        server: https://registry-1.docker.io\n"
    "        readinessProbe: true\n"
    "        hosts: [{url: \"http://10.0.0.1:5000\", capabilities: [pull, resolve, push], "
    "caCerts: [/a], overridePath: true}]\n"
    "      - upstream: _default\n"
    "      - upstream: 10.0.0.1:5000\n"
    "      plugins:\n"
    "      - path: [io.containerd.grpc.v1.cri]\n"
    "        values: {a: {b: 1}}\n"
    "      - {op: remove, path: [x]}\n"
    "  units:\n"
    "  - name: a.service\n"
    "    command: restart\n"
    "    enable: false\n"
    "    content: \"\"\n"
    "    dropIns: [{name: 10-a.conf, content: A}, {name: 20-b.conf, content: B}]\n"
    "    filePaths: [/etc/a]\n"
    "  - name: b.service\n"
    "  files:\n"
    "  - path: /etc/a\n"
    "    permissions: 0755\n"
    "    hostName: node-1.example\n"
    "    content: {inline: {encoding: \"\", data: \"{{ .A }} $B\"}}\n"
    "  - path: /etc/a\n"
    "    hostName: node-2\n"
    "    content: {inline: {encoding: b64, data: \"AAH/\"}, transmitUnencoded: false}\n"
    "  - path: /opt/b\n"
    "    content: {imageRef: {image: \"a:b\", filePathInImage: /b}}\n"
    "  - path: /etc/c\n"
    "    content: {secretRef: {name: ca, dataKey: ca.crt}, transmitUnencoded: true}\n"
    "  inPlaceUpdates:\n"
    "    operatingSystemVersion: 1.2.3\n"
    "    kubelet: 1.34.1\n"
    "    credentialsRotation:\n"
    "      certificateAuthorities: {lastInitiationTime: 2026-01-02T03:04:05Z}\n"
    "      serviceAccountKey: {}\n";

static void test_reads_everything(void **state)
{
	(void)state;
	GARDENER_CASE_AUTO c = gardener_case_new();

	gardener_case_run(&c, GARDENER_CURRENT,
	                  gardener_manifest(c.arena, "reconcile", everything));
	assert_diag_count(&c.sink, 0);
	assert_sv(c.osc.type.string, "ubuntu");
	assert_int_equal(c.osc.purpose, GARDENER_RECONCILE);
	assert_sv(c.osc.cri_name, "containerd");
	assert_int_equal(value_count(c.osc.provider_config), 3);
	assert_int_equal(value_count(c.osc.in_place_updates), 3);
	assert_null(c.osc.reload_path.type);

	assert_int_equal(c.osc.unit_count, 2);
	assert_sv(c.osc.units[0].name.string, "a.service");
	assert_sv(c.osc.units[0].command.string, "restart");
	assert_int_equal(c.osc.units[0].enable, NODE_ENABLE_NO);
	assert_non_null(c.osc.units[0].content.type);
	assert_int_equal(c.osc.units[0].drop_in_count, 2);
	assert_sv(c.osc.units[0].drop_ins[1].name.string, "20-b.conf");
	assert_sv(c.osc.units[0].drop_ins[1].content.string, "B");
	assert_int_equal(c.osc.units[0].file_path_count, 1);
	assert_int_equal(c.osc.units[1].enable, NODE_ENABLE_UNSAID);
	assert_null(c.osc.units[1].content.type);
	assert_null(c.osc.units[1].command.type);

	assert_int_equal(c.osc.file_count, 4);
	assert_int_equal(c.osc.files[0].mode, 0755);
	assert_sv(c.osc.files[0].host_name.string, "node-1.example");
	assert_sv(c.osc.files[0].content.string, "{{ .A }} $B");
	assert_false(c.osc.files[0].is_transparent);
	assert_int_equal(c.osc.files[1].mode, NODE_MODE_ABSENT);
	assert_true(sv_eq(c.osc.files[1].content.string, SV("\0\1\377")));
	assert_null(c.osc.files[2].content.type);
	assert_non_null(c.osc.files[2].image);
	assert_true(c.osc.files[3].is_transparent);
}

static void test_reads_the_contract_of_2021(void **state)
{
	(void)state;
	GARDENER_CASE_AUTO c = gardener_case_new();

	gardener_case_run(&c, GARDENER_2021,
	                  gardener_manifest(c.arena, "provision",
	                                    "  reloadConfigFilePath: /var/lib/cloud_config\n"
	                                    "  criConfig: {name: docker}\n"
	                                    "  units: [{name: a.service, command: reload}]\n"
	                                    "  files: []\n"));
	assert_diag_count(&c.sink, 0);
	assert_int_equal(c.osc.purpose, GARDENER_PROVISION);
	assert_sv(c.osc.reload_path.string, "/var/lib/cloud_config");
	assert_sv(c.osc.cri_name, "docker");
}

/* What the other contract has is a warning each, and is not read. */
static void test_leaves_the_other_contracts_fields_out(void **state)
{
	(void)state;
	GARDENER_CASE_AUTO old = gardener_case_new();
	GARDENER_CASE_AUTO current = gardener_case_new();

	gardener_case_run(
	    &old, GARDENER_2021,
	    gardener_manifest(
	        old.arena, "reconcile",
	        "  class: shoot\n"
	        "  criConfig: {name: containerd, cgroupDriver: 7, containerd: {}}\n"
	        "  units: [{name: a.service, filePaths: [/no]}]\n"
	        "  files: [{path: /a, hostName: A_B, content: {inline: {encoding: '', data: a}}}]\n"
	        "  inPlaceUpdates: {}\n"));
	assert_sv(
	    gardener_diags(&old),
	    "7:3 OSG4102 spec.class is not a field of contract 2021: it has no effect\n"
	    "11:3 OSG4102 spec.inPlaceUpdates is not a field of contract 2021: it has no effect\n"
	    "8:33 OSG4102 spec.criConfig.cgroupDriver is not a field of contract 2021: it has no "
	    "effect\n"
	    "8:50 OSG4102 spec.criConfig.containerd is not a field of contract 2021: it has no "
	    "effect\n"
	    "9:29 OSG4102 spec.units[0].filePaths is not a field of contract 2021: it has no "
	    "effect\n"
	    "10:22 OSG4102 spec.files[0].hostName is not a field of contract 2021: it has no "
	    "effect\n");
	assert_int_equal(old.status, STATUS_OK);
	assert_int_equal(old.osc.units[0].file_path_count, 0);
	assert_null(old.osc.files[0].host_name.type);
	assert_null(old.osc.in_place_updates);

	gardener_case_run(&current, GARDENER_CURRENT,
	                  gardener_manifest(current.arena, "reconcile",
	                                    "  reloadConfigFilePath: not/clean/../a\n"));
	assert_one_diag(
	    &current.sink, DIAG_GARDENER_FIELD, "7:3",
	    "spec.reloadConfigFilePath is not a field of contract current: it has no effect");
	assert_sv(current.sink.diags.items[0]->help,
	          "remove it, or set gardenerContract: \"2021\"");
	assert_null(current.osc.reload_path.type);
}

static void test_a_dumped_manifest_is_read(void **state)
{
	(void)state;
	GARDENER_CASE_AUTO c = gardener_case_new();

	/* Status and metadata of the API server's; an extension's file may be waited for. */
	gardener_case_run(
	    &c, GARDENER_CURRENT,
	    SV("apiVersion: extensions.gardener.cloud/v1alpha1\n"
	       "kind: OperatingSystemConfig\n"
	       "metadata: {name: a, uid: u, generation: 3, managedFields: [{}]}\n"
	       "spec:\n"
	       "  type: ubuntu\n"
	       "  purpose: reconcile\n"
	       "  criConfig: null\n"
	       "  units: [{name: a.service, filePaths: [/ext], content: null, dropIns: null}]\n"
	       "status:\n"
	       "  extensionFiles: [{path: /ext, content: {}}]\n"));
	assert_diag_count(&c.sink, 0);
	assert_int_equal(c.osc.unit_count, 1);
	assert_null(c.osc.cri);
	assert_sv(c.osc.object->id.namespace, "default");
}

/* ---- spellings --------------------------------------------------------------------------- */

#define INLINE "content: {inline: {encoding: '', data: a}}"

static const struct gardener_row spellings[] = {
    {BOTH_CONTRACTS, "reconcile", "  cri: {name: containerd}\n",
     "7:3 OSG4103 spec.cri is read as spec.criConfig\n"},
    {BOTH_CONTRACTS, "reconcile", "  cri: {name: containerd}\n  criConfig: {name: containerd}\n",
     "7:3 OSG4103 spec.cri is read as spec.criConfig\n"},
    {GARDENER_2021, "reconcile", "  criConfig: {name: containerd}\n  cri: {name: docker}\n",
     "8:3 OSG4104 spec.cri and spec.criConfig differ\n"},
    {BOTH_CONTRACTS, "reconcile", "  cri: {name: rkt}\n",
     "7:3 OSG4103 spec.cri is read as spec.criConfig\n"
     "7:15 OSG4101 unknown container runtime\n"},
    {BOTH_CONTRACTS, "reconcile",
     "  files:\n"
     "  - path: /a\n"
     "    content:\n"
     "      inline:\n"
     "        data: a\n",
     "11:9 OSG4103 inline data without encoding is read as plain text\n"},
    {BOTH_CONTRACTS, "reconcile",
     "  files:\n"
     "  - path: /a\n"
     "    encoding: b64\n"
     "    content: {secretRef: {name: ca, dataKey: token}}\n",
     "9:5 OSG4103 encoding beside content has no effect\n"},
    /* unknown fields, at every level */
    {BOTH_CONTRACTS, "reconcile", "  purposes: x\n  unitz: []\n  zzzzzz: 1\n",
     "7:3 OSG4102 unknown field \"purposes\" in spec has no effect\n"
     "8:3 OSG4102 unknown field \"unitz\" in spec has no effect\n"
     "9:3 OSG4102 unknown field \"zzzzzz\" in spec has no effect\n"},
    {BOTH_CONTRACTS, "reconcile", "  units: [{name: a.service, enabled: true}]\n",
     "7:29 OSG4102 unknown field \"enabled\" in spec.units[0] has no effect\n"},
    {BOTH_CONTRACTS, "reconcile",
     "  files: [{path: /a, mode: 0644, content: {inline: {encoding: '', data: a, type: x}}}]\n",
     "7:22 OSG4102 unknown field \"mode\" in spec.files[0] has no effect\n"
     "7:76 OSG4102 unknown field \"type\" in spec.files[0].content.inline has no effect\n"},
};

static void test_spellings(void **state)
{
	(void)state;
	gardener_rows_check(spellings, COUNT_OF(spellings));
}

static void test_cri_counts_as_cri_config(void **state)
{
	(void)state;
	GARDENER_CASE_AUTO c = gardener_case_new();

	gardener_case_run(&c, GARDENER_2021,
	                  gardener_manifest(c.arena, "reconcile", "  cri: {name: containerd}\n"));
	assert_sv(c.osc.cri_name, "containerd");
	assert_ptr_equal(c.osc.cri, value_path(c.object.root, "spec.cri"));
	assert_sv(c.sink.diags.items[0]->help, "rename it to criConfig");
}

static void test_the_nearest_name_helps(void **state)
{
	(void)state;
	GARDENER_CASE_AUTO c = gardener_case_new();

	gardener_case_run(
	    &c, GARDENER_CURRENT,
	    gardener_manifest(c.arena, "reconsile",
	                      "  unitz: []\n"
	                      "  zzzzzz: 1\n"
	                      "  files:\n"
	                      "  - path: /a\n"
	                      "    content: {secretRef: {name: cb, dataKey: a}}\n"
	                      "  - path: /b\n"
	                      "    content: {secretRef: {name: ca, dataKey: tokn}}\n"
	                      "  - path: /c\n"
	                      "    content: {secretRef: {name: ca, dataKey: zzz}}\n"));
	assert_sv(gardener_diags(&c), "7:3 OSG4102 unknown field \"unitz\" in spec has no effect\n"
	                              "8:3 OSG4102 unknown field \"zzzzzz\" in spec has no effect\n"
	                              "6:12 OSG4101 spec.purpose cannot be \"reconsile\"\n"
	                              "11:33 OSG2105 Secret ns/cb is not among the manifests\n"
	                              "13:46 OSG2103 Secret ns/ca has no key \"tokn\"\n"
	                              "15:46 OSG2103 Secret ns/ca has no key \"zzz\"\n");
	assert_sv(c.sink.diags.items[0]->help, "did you mean \"units\"?");
	assert_sv(
	    c.sink.diags.items[1]->help,
	    "remove it, or use one of type, class, providerConfig, purpose, criConfig, units, "
	    "files, inPlaceUpdates");
	assert_sv(c.sink.diags.items[2]->help, "did you mean \"reconcile\"?");
	assert_sv(c.sink.diags.items[3]->help,
	          "did you mean ns/ca? Otherwise commit it sealed with sops, or put it into the "
	          "--secrets folder");
	assert_sv(c.sink.diags.items[4]->help,
	          "did you mean \"token\"? Otherwise add it to its data, and keep the Secret "
	          "encrypted or in the --secrets folder");
	assert_sv(c.sink.diags.items[5]->help,
	          "add the key \"zzz\" to its data, and keep the Secret encrypted or in the "
	          "--secrets folder");
}

/* ---- modes ------------------------------------------------------------------------------- */

static void test_modes(void **state)
{
	static const struct {
		const char *written;
		int mode;
		unsigned code; /* 0: without a word */
		const char *help;
	} modes[] = {
	    {"0644", 0644, 0, NULL},
	    {"0o644", 0644, 0, NULL},
	    {"0x1a4", 0644, 0, NULL},
	    {"0b110100100", 0644, 0, NULL},
	    {"420", 0644, 0, NULL},
	    {"0", 0, 0, NULL},
	    {"04755", 04755, 0, NULL},
	    {"07777", 07777, 0, NULL},
	    {"4095", 07777, 0, NULL},
	    {"null", NODE_MODE_ABSENT, 0, NULL},
	    {"~", NODE_MODE_ABSENT, 0, NULL},
	    {"493", 0755, 0, NULL},
	    {"256", 0400, 0, NULL},
	    {"511", 0777, 0, NULL},
	    {"432", 0660, 0, NULL},
	    {"01204", 01204, 0, NULL},
	    {"644", 01204, 4106, "write 0644, or 420 in JSON"},
	    {"744", 01350, 4106, "write 0744, or 484 in JSON"},
	    {"755", 01363, 4106, "write 0755, or 493 in JSON"},
	    {"600", 01130, 4106, "write 0600, or 384 in JSON"},
	    {"400", 0620, 4106, "write 0400, or 256 in JSON"},
	    {"777", 01411, 4106, "write 0777, or 511 in JSON"},
	    {"1777", 03361, 4106, "write 01777, or 1023 in JSON"},
	    {"010000", NODE_MODE_ABSENT, 4105,
	     "write it as chmod takes it, with a leading 0: 0644"},
	    {"4755", NODE_MODE_ABSENT, 4105, "did you mean 04755, with a leading 0?"},
	    {"99999", NODE_MODE_ABSENT, 4105, "write it as chmod takes it, with a leading 0: 0644"},
	    {"-1", NODE_MODE_ABSENT, 4105, "write it as chmod takes it, with a leading 0: 0644"},
	    {"18446744073709551615", NODE_MODE_ABSENT, 4105,
	     "write it as chmod takes it, with a leading 0: 0644"},
	    {"6.5", NODE_MODE_ABSENT, 4105, "write it as chmod takes it, with a leading 0: 0644"},
	    {"yes", NODE_MODE_ABSENT, 4105, "write it as chmod takes it, with a leading 0: 0644"},
	    {"\"0644\"", NODE_MODE_ABSENT, 4105, "write it without quotes: 0644"},
	    {"rw-r--r--", NODE_MODE_ABSENT, 4105, "write it without quotes: 0644"},
	    {"[0644]", NODE_MODE_ABSENT, 4105,
	     "write it as chmod takes it, with a leading 0: 0644"},
	};
	(void)state;

	for (size_t i = 0; i < COUNT_OF(modes); i++) {
		GARDENER_CASE_AUTO c = gardener_case_new();
		sv lines =
		    arena_printf(c.arena, "  files: [{path: /a, permissions: %s, " INLINE "}]\n",
		                 modes[i].written);

		gardener_case_run(
		    &c, GARDENER_CURRENT,
		    gardener_manifest(c.arena, "reconcile", arena_cstr(c.arena, lines)));
		assert_int_equal(c.osc.files[0].mode, modes[i].mode);
		assert_diag_count(&c.sink, modes[i].code ? 1 : 0);
		if (!modes[i].code)
			continue;
		assert_int_equal(c.sink.diags.items[0]->code, modes[i].code);
		assert_sv(c.sink.diags.items[0]->help, modes[i].help);
		assert_place(c.sink.diags.items[0]->at, "7:35");
	}
}

/* In JSON there are decimal numbers alone: 420 is a mode, 644 is none that anybody means. */
static void test_modes_of_json(void **state)
{
	(void)state;
	GARDENER_CASE_AUTO c = gardener_case_new();
	struct value root = json_value_of(
	    c.arena, SV("{\"apiVersion\": \"extensions.gardener.cloud/v1alpha1\", \"kind\": "
	                "\"OperatingSystemConfig\", \"metadata\": {\"name\": \"a\"}, \"spec\": "
	                "{\"type\": \"x\", "
	                "\"purpose\": \"provision\", \"files\": [\n"
	                "{\"path\": \"/a\", \"permissions\": 420, \"content\": {\"inline\": "
	                "{\"encoding\": \"\", "
	                "\"data\": \"a\"}}},\n"
	                "{\"path\": \"/b\", \"permissions\": 644, \"content\": {\"inline\": "
	                "{\"encoding\": \"\", "
	                "\"data\": \"a\"}}}]}}"));

	assert_int_equal(kube_object_read(c.arena, &c.sink, root.origin.source, &root, &c.object),
	                 STATUS_OK);
	assert_int_equal(gardener_osc_read(c.arena, &c.sink, &c.object, GARDENER_CURRENT, &c.osc),
	                 STATUS_OK);
	assert_int_equal(c.osc.files[0].mode, 0644);
	assert_int_equal(c.osc.files[1].mode, 01204);
	assert_one_diag(&c.sink, DIAG_GARDENER_MODE_DECIMAL, "3:31",
	                "permissions 644 is the mode 01204: the leading 0 may be missing");
}

/* ---- bytes ------------------------------------------------------------------------------- */

static void test_secrets_stay_tainted(void **state)
{
	(void)state;
	GARDENER_CASE_AUTO c = gardener_case_new();

	gardener_case_run(
	    &c, GARDENER_CURRENT,
	    gardener_manifest(c.arena, "provision",
	                      "  files:\n"
	                      "  - path: /a\n"
	                      "    content: {secretRef: {name: ca, dataKey: tls.key}}\n"
	                      "  - path: /b\n"
	                      "    content: {secretRef: {name: ca, dataKey: token}}\n"
	                      "  - path: /c\n"
	                      "    content:\n"
	                      "      inline:\n"
	                      "        encoding: b64\n"
	                      "        data: |\n"
	                      "          QUJD\n"
	                      "          REVG\n"));
	assert_diag_count(&c.sink, 0);
	assert_true(sv_eq(c.osc.files[0].content.string, SV("\0\1\2")));
	assert_sv(secrecy_find(&c.osc.files[0].content)->name, "ns/ca:tls.key");
	assert_int_equal(c.osc.files[0].content.taint->spans[0].end, 3);
	assert_sv(c.osc.files[1].content.string, "a-token");
	assert_sv(secrecy_find(&c.osc.files[1].content)->name, "ns/ca:token");
	assert_sv(c.osc.files[2].content.string, "ABCDEF");
	assert_null(c.osc.files[2].content.taint);
}

static void test_a_secret_may_be_absent(void **state)
{
	(void)state;
	GARDENER_CASE_AUTO c = gardener_case_new();

	c.secrets_may_be_absent = true;
	gardener_case_run(
	    &c, GARDENER_CURRENT,
	    gardener_manifest(c.arena, "provision",
	                      "  files:\n"
	                      "  - path: /a\n"
	                      "    content: {secretRef: {name: nope, dataKey: k}}\n"
	                      "  - path: /b\n"
	                      "    content: {secretRef: {name: ca, dataKey: ca.crt}}\n"));
	assert_diags(&c.sink, "a.yaml:9:33 OSG2108\n");
	assert_true(secrecy_is_absent(&c.osc.files[0].content));
	assert_sv(secrecy_find(&c.osc.files[0].content)->name, "ns/nope:k");
	assert_sv(c.osc.files[1].content.string, "CA\n");
}

static void test_wants_the_secrets_of_its_namespace(void **state)
{
	(void)state;
	GARDENER_CASE_AUTO c = gardener_case_new();
	struct dialect_wants wants = {.arena = c.arena, .names = set_in(c.arena)};

	gardener_case_run(&c, GARDENER_CURRENT,
	                  gardener_manifest(c.arena, "provision",
	                                    "  files:\n"
	                                    "  - 7\n"
	                                    "  - {path: /a, content: {secretRef: 8}}\n"
	                                    "  - {path: /a, content: {secretRef: {name: ca}}}\n"));
	gardener_osc_want(&c.object, &wants);
	assert_int_equal(set_count(&wants.names), 1);
	assert_true(dialect_is_wanted(
	    &wants, &(struct kube_id){SV("v1"), SV("Secret"), SV("ns"), SV("ca")}));
}

UNIT_TESTS(gardener_osc)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_everything),
	    cmocka_unit_test(test_reads_the_contract_of_2021),
	    cmocka_unit_test(test_leaves_the_other_contracts_fields_out),
	    cmocka_unit_test(test_a_dumped_manifest_is_read),
	    cmocka_unit_test(test_spellings),
	    cmocka_unit_test(test_cri_counts_as_cri_config),
	    cmocka_unit_test(test_the_nearest_name_helps),
	    cmocka_unit_test(test_modes),
	    cmocka_unit_test(test_modes_of_json),
	    cmocka_unit_test(test_secrets_stay_tainted),
	    cmocka_unit_test(test_a_secret_may_be_absent),
	    cmocka_unit_test(test_wants_the_secrets_of_its_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
