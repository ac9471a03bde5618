/*
 * OperatingSystemConfigs judged: every rule of Gardener's own validation, and of osm-gen's
 * (docs/spec/gardener.md 1.4), each with the place of the mistake.
 */
#include "gardener_fixture.h"

#define FILE_A  "  - path: /a\n"
#define DATA_A  "    content: {inline: {encoding: '', data: a}}\n"
#define B64(d)  "    content: {inline: {encoding: b64, data: " d "}}\n"
#define PATH(p) "  files: [{path: " p ", content: {inline: {encoding: '', data: a}}}]\n"
#define CRI(c)  "  criConfig: {name: containerd, containerd: {sandboxImage: p, " c "}}\n"

enum { CURRENT = GARDENER_CURRENT, OLD = GARDENER_2021 };

/* ---- type and purpose -------------------------------------------------------------------- */

static sv diags_of(struct gardener_case *c, enum gardener_contract contract, const char *name,
                   const char *spec)
{
	gardener_case_run(c, contract,
	                  arena_printf(c->arena,
	                               "apiVersion: extensions.gardener.cloud/v1alpha1\n"
	                               "kind: OperatingSystemConfig\n"
	                               "metadata: {name: %s, namespace: ns}\nspec: {%s}\n",
	                               name, spec));
	return gardener_diags(c);
}

static void a_missing_purpose_is_suggested_by_the_name(void **state)
{
	static const struct {
		const char *name;
		const char *want; /* in the help */
	} rows[] = {
	    {"gardener-node-agent-a-0123456789abcdef-init", "has purpose provision"},
	    {"cloud-config-a-01234-downloader", "has purpose provision"},
	    {"cloud-config-a-01234-original", "has purpose reconcile"},
	    {"a", "purpose: reconcile for running ones"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		GARDENER_CASE_AUTO c = gardener_case_new();

		assert_sv(diags_of(&c, GARDENER_CURRENT, rows[i].name, "type: ubuntu"),
		          "4:7 OSG4101 spec.purpose is missing\n");
		sv help = c.sink.diags.items[0]->help;
		assert_true(sv_contains(help, sv_from_cstr(rows[i].want)));
		assert_true(sv_contains(help, SV("provision")));
		assert_true(sv_contains(help, SV("reconcile")));
	}
}

static void only_running_nodes_lack_a_type(void **state)
{
	GARDENER_CASE_AUTO self_hosted = gardener_case_new();
	GARDENER_CASE_AUTO new_node = gardener_case_new();
	GARDENER_CASE_AUTO old = gardener_case_new();
	GARDENER_CASE_AUTO missing = gardener_case_new();

	(void)state;
	assert_sv(diags_of(&self_hosted, GARDENER_CURRENT, "a", "type: '', purpose: reconcile"),
	          "");
	assert_sv(diags_of(&new_node, GARDENER_CURRENT, "a", "type: '', purpose: provision"),
	          "4:14 OSG4101 spec.type must not be empty\n");
	assert_sv(diags_of(&old, GARDENER_2021, "a", "type: '', purpose: reconcile"),
	          "4:14 OSG4101 spec.type must not be empty\n");
	assert_sv(diags_of(&missing, GARDENER_CURRENT, "a", "purpose: reconcile"),
	          "4:7 OSG4101 spec.type is missing\n");
}

/* ---- structure --------------------------------------------------------------------------- */

static const struct gardener_row structure[] = {
    {BOTH_CONTRACTS, "\"\"", "", "6:12 OSG4101 spec.purpose must not be empty\n"},
    {BOTH_CONTRACTS, "null", "", "6:12 OSG4101 spec.purpose is missing\n"},
    {BOTH_CONTRACTS, "bootstrap", "", "6:12 OSG4101 spec.purpose cannot be \"bootstrap\"\n"},
    {BOTH_CONTRACTS, "true", "", "6:12 OSG4101 spec.purpose must be a string\n"},
    {BOTH_CONTRACTS, "reconcile", "  providerConfig: text\n  criConfig: []\n",
     "7:19 OSG4101 spec.providerConfig must be a map\n"
     "8:14 OSG4101 spec.criConfig must be a map\n"},
    {BOTH_CONTRACTS, "reconcile", "  criConfig: {}\n",
     "7:14 OSG4101 spec.criConfig.name is missing\n"},
    {BOTH_CONTRACTS, "reconcile", "  criConfig: {name: cri-o}\n",
     "7:21 OSG4101 unknown container runtime\n"},
    {CURRENT, "reconcile", "  criConfig: {name: docker}\n",
     "7:21 OSG4102 contract current has no container runtime docker\n"},
    {BOTH_CONTRACTS, "reconcile", "  units: {}\n  files: 7\n",
     "7:10 OSG4101 spec.units must be a list\n"
     "8:10 OSG4101 spec.files must be a list\n"},
    {BOTH_CONTRACTS, "reconcile",
     "  units:\n"
     "  - command: start\n"
     "  - name: \"\"\n"
     "  - null\n"
     "  - {name: a.service, enable: 'true', content: 1, command: {}}\n"
     "  - name: b.service\n"
     "    dropIns:\n"
     "    - {name: a.conf}\n"
     "    - {name: '', content: ''}\n",
     "8:5 OSG4101 spec.units[0].name is missing\n"
     "9:11 OSG4101 spec.units[1].name must not be empty\n"
     "10:5 OSG4101 spec.units[2] must be a map\n"
     "11:60 OSG4101 spec.units[3].command must be a string\n"
     "11:31 OSG4101 spec.units[3].enable must be true or false\n"
     "11:48 OSG4101 spec.units[3].content must be a string\n"
     "14:7 OSG4101 spec.units[4].dropIns[0].content is missing\n"
     "15:14 OSG4101 spec.units[4].dropIns[1].name must not be empty\n"
     "15:27 OSG4101 spec.units[4].dropIns[1].content must not be empty\n"},
    {BOTH_CONTRACTS, "reconcile",
     "  files:\n"
     "  - permissions: 0644\n" DATA_A "  - path: ''\n" DATA_A FILE_A "  - path: 7\n" DATA_A,
     "8:5 OSG4101 spec.files[0].path is missing\n"
     "10:11 OSG4101 spec.files[1].path must not be empty\n"
     "12:5 OSG4101 spec.files[2].content is missing\n"
     "13:11 OSG4101 spec.files[3].path must be a string\n"},
    /* enabled without [Install] */
    {BOTH_CONTRACTS, "reconcile",
     "  units:\n"
     "  - {name: a.service, enable: true, content: \"[Service]\\n\"}\n"
     "  - {name: b.service, enable: true, content: \"[Service]\\n[Install]\\n\"}\n"
     "  - {name: c.service, content: \"[Service]\\n\"}\n"
     "  - {name: d.service, enable: true}\n"
     "  - name: e.service\n"
     "    enable: true\n"
     "    content: \"[Service]\\n\"\n"
     "    dropIns: [{name: a.conf, content: \"[Install]\\n\"}]\n"
     "  - {name: f.service, enable: true, content: \"# [Install]\\n\"}\n",
     "8:31 OSG4122 unit \"a.service\" has no section [Install]: enable: true has no effect\n"
     "16:31 OSG4122 unit \"f.service\" has no section [Install]: enable: true has no effect\n"},
    /* an empty file */
    {BOTH_CONTRACTS, "reconcile",
     "  files:\n" FILE_A "    content: {inline: {encoding: '', data: ''}}\n"
     "  - path: /b\n    content: {inline: {encoding: b64}}\n"
     "  - path: /c\n    content: {inline: {encoding: 1, data: 12345}}\n",
     "9:44 OSG4101 spec.files[0].content.inline.data must not be empty\n"
     "11:23 OSG4101 spec.files[1].content.inline.data is missing\n"
     "13:34 OSG4101 spec.files[2].content.inline.encoding must be a string\n"
     "13:43 OSG4101 spec.files[2].content.inline.data must be a string\n"},
    {BOTH_CONTRACTS, "reconcile", "  files:\n" FILE_A "    content: {secretRef: {name: ''}}\n",
     "9:33 OSG4101 spec.files[0].content.secretRef.name must not be empty\n"
     "9:26 OSG4101 spec.files[0].content.secretRef.dataKey is missing\n"},
    {CURRENT, "reconcile",
     "  files:\n" FILE_A "    content: {imageRef: {image: ''}, transmitUnencoded: 1}\n",
     "9:57 OSG4101 spec.files[0].content.transmitUnencoded must be true or false\n"
     "9:33 OSG4101 spec.files[0].content.imageRef.image must not be empty\n"
     "9:25 OSG4101 spec.files[0].content.imageRef.filePathInImage is missing\n"},
    {CURRENT, "reconcile",
     "  inPlaceUpdates:\n"
     "    kubelet: 1.34\n"
     "    credentialsRotation: {serviceAccountKey: {lastInitiationTime: yesterday}}\n",
     "8:5 OSG4101 spec.inPlaceUpdates.operatingSystemVersion is missing\n"
     "8:14 OSG4101 spec.inPlaceUpdates.kubelet must be a string\n"
     "9:67 OSG4101 "
     "spec.inPlaceUpdates.credentialsRotation.serviceAccountKey.lastInitiationTime must be a "
     "time\n"},
};

static void test_structure(void **state)
{
	(void)state;
	gardener_rows_check(structure, COUNT_OF(structure));
}

static void test_no_spec(void **state)
{
	(void)state;
	GARDENER_CASE_AUTO c = gardener_case_new();

	gardener_case_run(&c, GARDENER_CURRENT,
	                  SV("apiVersion: extensions.gardener.cloud/v1alpha1\n"
	                     "kind: OperatingSystemConfig\n"
	                     "metadata: {name: a}\n"
	                     "specs: {}\n"));
	assert_sv(gardener_diags(&c), "4:1 OSG4102 unknown field \"specs\" in the "
	                              "OperatingSystemConfig has no effect\n"
	                              "1:1 OSG4101 spec is missing\n");
}

/* ---- paths and names --------------------------------------------------------------------- */

static const struct gardener_row paths[] = {
    {BOTH_CONTRACTS, "reconcile", PATH("etc/a"), "7:18 OSG4107 the path is not absolute\n"},
    {BOTH_CONTRACTS, "reconcile", PATH("/etc//a"), "7:18 OSG4107 the path is not clean\n"},
    {BOTH_CONTRACTS, "reconcile", PATH("/etc/./a"), "7:18 OSG4107 the path is not clean\n"},
    {BOTH_CONTRACTS, "reconcile", PATH("/etc/../../a"), "7:18 OSG4107 the path is not clean\n"},
    {BOTH_CONTRACTS, "reconcile", PATH("/etc/a/"), "7:18 OSG4107 the path is not clean\n"},
    {BOTH_CONTRACTS, "reconcile", PATH("/"), "7:18 OSG4107 the path is the root folder\n"},
    {BOTH_CONTRACTS, "reconcile", PATH("/.."), "7:18 OSG4107 the path is the root folder\n"},
    {BOTH_CONTRACTS, "reconcile", PATH("\"/a\\0b\""), "7:21 OSG4107 a path cannot hold a NUL\n"},
    {BOTH_CONTRACTS, "reconcile", PATH("\"/a'b\\nc $(d) é/..e\""), ""},
    {OLD, "reconcile", "  reloadConfigFilePath: a/../b\n",
     "7:25 OSG4107 the path is not absolute\n"},
    {BOTH_CONTRACTS, "reconcile",
     "  units:\n"
     "  - name: a/b.service\n"
     "  - name: ..\n"
     "  - name: \"a\\0\"\n"
     "  - {name: c.service, dropIns: [{name: ../a.conf, content: a}, {name: ., content: a}]}\n",
     "8:12 OSG4108 a name cannot hold a /\n"
     "9:11 OSG4108 the name is . or .., a folder\n"
     "10:13 OSG4108 a name cannot hold a NUL\n"
     "11:42 OSG4108 a name cannot hold a /\n"
     "11:71 OSG4108 the name is . or .., a folder\n"},
    {BOTH_CONTRACTS, "reconcile",
     "  units:\n"
     "  - {name: a@b.service, dropIns: [{name: a.conf, content: a}, {name: a.conf, content: b}]}\n"
     "  - {name: a@b.service}\n",
     "8:70 OSG4117 drop-in \"a.conf\" is given twice: on the node they are one file\n"
     "9:12 OSG4117 unit \"a@b.service\" is given twice: on the node they are one file\n"},
    {CURRENT, "reconcile", "  units: [{name: a.service, command: reload}]\n",
     "7:38 OSG4118 nothing runs the command \"reload\"\n"},
    {OLD, "reconcile", "  units: [{name: a.service, command: strat}]\n",
     "7:38 OSG4118 nothing runs the command \"strat\"\n"},
    {CURRENT, "reconcile", "  units: [{name: a.service, filePaths: [/a, /b]}]\n" PATH("/a"),
     "7:45 OSG4114 no file of spec.files has this path\n"},
    {CURRENT, "reconcile",
     "  units: [{name: a.service, filePaths: [7]}, {name: b, filePaths: a}]\n",
     "7:41 OSG4101 spec.units[0].filePaths[0] must be a string\n"
     "7:67 OSG4101 spec.units[1].filePaths must be a list\n"},
};

static void test_paths_and_names(void **state)
{
	(void)state;
	gardener_rows_check(paths, COUNT_OF(paths));
}

static void test_the_clean_path_helps(void **state)
{
	static const char *const cases[][2] = {
	    {PATH("etc/a"), "did you mean /etc/a?"},
	    {PATH("/a/../../b/./c//"), "write /b/c"},
	    {PATH("/a/b/../c"), "write /a/c"},
	};
	(void)state;

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		GARDENER_CASE_AUTO c = gardener_case_new();

		gardener_case_run(&c, GARDENER_2021,
		                  gardener_manifest(c.arena, "provision", cases[i][0]));
		assert_diag_count(&c.sink, 1);
		assert_sv(c.sink.diags.items[0]->help, cases[i][1]);
	}
}

static void test_the_secrets_name_may_be_too_long(void **state)
{
	(void)state;

	for (size_t len = 242; len <= 243; len++) {
		GARDENER_CASE_AUTO c = gardener_case_new();
		char name[256];

		memset(name, 'a', len);
		gardener_case_run(&c, GARDENER_CURRENT,
		                  arena_printf(c.arena,
		                               "apiVersion: extensions.gardener.cloud/v1alpha1\n"
		                               "kind: OperatingSystemConfig\n"
		                               "metadata: {name: %.*s}\n"
		                               "spec: {type: x, purpose: provision}\n",
		                               (int)len, name));
		assert_diag_count(&c.sink, len - 242);
		if (len == 243)
			assert_one_diag(&c.sink, DIAG_NAME_TOO_LONG, "3:18",
			                "the name of its Secret, osc-result-NAME, has 254 bytes, "
			                "253 are allowed");
	}
}

/* ---- content ----------------------------------------------------------------------------- */

static const struct gardener_row contents[] = {
    {BOTH_CONTRACTS, "reconcile", "  files:\n" FILE_A "    content: {}\n",
     "9:14 OSG4110 the content has no source\n"},
    {BOTH_CONTRACTS, "reconcile",
     "  files:\n" FILE_A "    content: {inline: null, transmitUnencoded: true}\n",
     "9:14 OSG4110 the content has no source\n"},
    {BOTH_CONTRACTS, "reconcile",
     "  files:\n" FILE_A "    content:\n"
     "      inline: {encoding: '', data: a}\n"
     "      secretRef: {name: ca, dataKey: token}\n",
     "11:7 OSG4110 the content has more than one source\n"},
    {CURRENT, "reconcile",
     "  files:\n" FILE_A "    content:\n"
     "      imageRef: {image: a, filePathInImage: b}\n"
     "      secretRef: {name: ca, dataKey: token}\n",
     "11:7 OSG4110 the content has more than one source\n"},
    {BOTH_CONTRACTS, "provision",
     "  files:\n" FILE_A "    content: {imageRef: {image: a, filePathInImage: b}}\n",
     "9:15 OSG4110 user-data cannot carry a file of an image\n"},
    {OLD, "reconcile",
     "  files:\n" FILE_A "    content: {imageRef: {image: a, filePathInImage: b}}\n",
     "9:15 OSG4110 user-data cannot carry a file of an image\n"},
    /* encodings */
    {BOTH_CONTRACTS, "reconcile",
     "  files:\n" FILE_A "    content: {inline: {encoding: gzip, data: a}}\n"
     "  - path: /b\n    content: {inline: {encoding: gzip+b64, data: a}}\n"
     "  - path: /c\n    content: {inline: {encoding: base64, data: a}}\n"
     "  - path: /d\n    content: {inline: {encoding: B64, data: a}}\n",
     "9:34 OSG4111 unknown encoding \"gzip\"\n"
     "11:34 OSG4111 unknown encoding \"gzip+b64\"\n"
     "13:34 OSG4111 unknown encoding \"base64\"\n"
     "15:34 OSG4111 unknown encoding \"B64\"\n"},
    {BOTH_CONTRACTS, "reconcile", "  files:\n" FILE_A B64("Y*Q="),
     "9:46 OSG4112 the data of /a is not base64: this does not belong to it\n"},
    {BOTH_CONTRACTS, "reconcile", "  files:\n" FILE_A B64("YWJj_-8="),
     "9:49 OSG4112 the data of /a is not base64: this does not belong to it\n"},
    {BOTH_CONTRACTS, "reconcile", "  files:\n" FILE_A B64("YWI"),
     "9:45 OSG4112 the data of /a is not base64: its end is missing\n"},
    {BOTH_CONTRACTS, "reconcile", "  files:\n" FILE_A B64("\"YW\\r\\nI=\\n\""), ""},
    {BOTH_CONTRACTS, "reconcile",
     "  files:\n" FILE_A "    content:\n"
     "      inline:\n"
     "        encoding: b64\n"
     "        data: |\n"
     "          YWJj\n"
     "          Y?==\n",
     "14:12 OSG4112 the data of /a is not base64: this does not belong to it\n"},
    /* NUL where text is sent as it is; elsewhere bytes are bytes */
    {BOTH_CONTRACTS, "provision",
     "  files:\n" FILE_A
     "    content: {inline: {encoding: '', data: \"ab\\0\"}, transmitUnencoded: true}\n"
     "  - path: /b\n"
     "    content: {inline: {encoding: b64, data: AAEC}, transmitUnencoded: true}\n"
     "  - path: /c\n"
     "    content: {inline: {encoding: '', data: \"ab\\0\"}}\n"
     "  - path: /d\n"
     "    content: {secretRef: {name: ca, dataKey: tls.key}, transmitUnencoded: true}\n",
     "9:47 OSG4113 /a: a file with transmitUnencoded cannot hold a NUL byte\n"
     "11:23 OSG4113 /b: a file with transmitUnencoded cannot hold a NUL byte\n"
     "15:26 OSG4113 /d: a file with transmitUnencoded cannot hold a NUL byte\n"},
    /* Secrets */
    {BOTH_CONTRACTS, "provision",
     "  files:\n" FILE_A "    content: {secretRef: {name: zzz, dataKey: token}}\n"
     "  - path: /b\n    content: {secretRef: {name: ca, dataKey: nope}}\n",
     "9:33 OSG2105 Secret ns/zzz is not among the manifests\n"
     "11:46 OSG2103 Secret ns/ca has no key \"nope\"\n"},
};

static void test_contents(void **state)
{
	(void)state;
	gardener_rows_check(contents, COUNT_OF(contents));
}

/* ---- files of one path ------------------------------------------------------------------- */

#define HOST(h) "  - {path: /a, hostName: " h ", content: {inline: {encoding: '', data: a}}}\n"
#define ALL     "  - {path: /a, content: {inline: {encoding: '', data: a}}}\n"

static const struct gardener_row twice[] = {
    {BOTH_CONTRACTS, "reconcile", "  files:\n" ALL ALL ALL,
     "9:12 OSG4109 two files have this path\n10:12 OSG4109 two files have this path\n"},
    {CURRENT, "reconcile", "  files:\n" HOST("a") HOST("b") HOST("c"), ""},
    {CURRENT, "reconcile", "  files:\n" HOST("a") HOST("b") HOST("a"),
     "10:12 OSG4109 two files have this path and this hostName\n"},
    /* Gardener compares with the first one's host alone. */
    {CURRENT, "reconcile", "  files:\n" HOST("a") HOST("b") HOST("b"),
     "10:12 OSG4109 two files have this path and this hostName\n"},
    {CURRENT, "reconcile", "  files:\n" HOST("a") ALL HOST("c"),
     "9:12 OSG4109 two files have this path\n10:12 OSG4109 two files have this path\n"},
    {CURRENT, "reconcile", "  files:\n" HOST("A_b") HOST("''"),
     "8:26 OSG4116 hostName is not a valid host name\n"
     "9:12 OSG4109 two files have this path\n"
     "9:26 OSG4116 hostName is not a valid host name\n"},
    {CURRENT, "provision", "  files:\n" HOST("a"),
     "8:26 OSG4102 hostName has no effect in user-data, which is the same for all hosts\n"},
    {CURRENT, "provision", "  files:\n" HOST("a") HOST("b"),
     "8:26 OSG4102 hostName has no effect in user-data, which is the same for all hosts\n"
     "9:12 OSG4109 two files have this path\n"
     "9:26 OSG4102 hostName has no effect in user-data, which is the same for all hosts\n"},
};

static void test_files_of_one_path(void **state)
{
	(void)state;
	gardener_rows_check(twice, COUNT_OF(twice));
}

/* ---- containerd -------------------------------------------------------------------------- */

static const struct gardener_row containerd[] = {
    {CURRENT, "reconcile", "  criConfig: {name: containerd, cgroupDriver: systmd}\n",
     "7:47 OSG4101 cgroupDriver cannot be \"systmd\"\n"},
    {CURRENT, "reconcile", "  criConfig: {name: containerd, containerd: {}}\n",
     "7:45 OSG4101 spec.criConfig.containerd.sandboxImage is missing\n"},
    {CURRENT, "reconcile", "  criConfig: {name: containerd, containerd: {sandboxImage: ''}}\n",
     "7:60 OSG4101 spec.criConfig.containerd.sandboxImage must not be empty\n"},
    {CURRENT, "provision", CRI("registries: [{upstream: 'a b'}]"),
     "7:33 OSG4115 containerd's settings are not for purpose provision\n"},
    {CURRENT, "reconcile",
     "  criConfig:\n"
     "    name: containerd\n"
     "    containerd:\n"
     "      sandboxImage: p\n"
     "      registries:\n"
     "      - upstream: docker.io\n"
     "      - upstream: docker.io\n"
     "      - upstream: https://docker.io\n"
     "      - upstream: a:0\n"
     "      - upstream: a:65536\n"
     "      - upstream: a:x\n"
     "      - upstream: a:65535\n"
     "      - {}\n",
     "19:9 OSG4101 spec.criConfig.containerd.registries[7].upstream is missing\n"
     "13:19 OSG4109 two registries have the upstream \"docker.io\"\n"
     "14:19 OSG4115 the upstream is not a host\n"
     "15:19 OSG4115 the upstream is not a host\n"
     "16:19 OSG4115 the upstream is not a host\n"
     "17:19 OSG4115 the upstream is not a host\n"},
    {CURRENT, "reconcile",
     CRI("registries: [{upstream: a, server: 'ftp://b'}, {upstream: b, server: c.io}, "
         "{upstream: c, server: 'https://'}, {upstream: d, server: 'http://[::1'}]"),
     "7:98 OSG4115 the server is not an http or https URL\n"
     "7:132 OSG4115 the server is not an http or https URL\n"
     "7:161 OSG4115 the server's URL names no host\n"
     "7:196 OSG4115 the server is not a URL\n"},
    {CURRENT, "reconcile",
     CRI("registries: [{upstream: a, hosts: [{url: b, capabilities: [pul]}, {}]}]"),
     "7:122 OSG4101 a capability cannot be \"pul\"\n"
     "7:129 OSG4101 spec.criConfig.containerd.registries[0].hosts[1].url is missing\n"
     "7:104 OSG4115 the url names no host\n"},
    {CURRENT, "reconcile",
     CRI("plugins: [{op: ad, path: [a]}, {path: []}, {op: remove, path: [a], values: {}}, {path: "
         "[a], values: 1}]"),
     "7:78 OSG4101 op cannot be \"ad\"\n"
     "7:101 OSG4101 spec.criConfig.containerd.plugins[1].path must not be empty\n"
     "7:163 OSG4101 spec.criConfig.containerd.plugins[3].values must be a map\n"
     "7:130 OSG4115 a plugin that is removed has no values\n"},
};

static void test_containerd(void **state)
{
	(void)state;
	gardener_rows_check(containerd, COUNT_OF(containerd));
}

UNIT_TESTS(gardener_rules)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_missing_purpose_is_suggested_by_the_name),
	    cmocka_unit_test(only_running_nodes_lack_a_type),
	    cmocka_unit_test(test_structure),
	    cmocka_unit_test(test_no_spec),
	    cmocka_unit_test(test_paths_and_names),
	    cmocka_unit_test(test_the_clean_path_helps),
	    cmocka_unit_test(test_the_secrets_name_may_be_too_long),
	    cmocka_unit_test(test_contents),
	    cmocka_unit_test(test_files_of_one_path),
	    cmocka_unit_test(test_containerd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
