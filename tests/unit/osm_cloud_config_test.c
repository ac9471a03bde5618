/*
 * Legacy cloud-configs (osm.md 1.6, 1.8, 8): each format, with the values that the controller's own
 * tests have (18.6), where values come from, what is secret, what is refused.
 */
#include "osm_fixture.h"

#define OBJECTS                                                                                    \
	"apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: ns}\n"                       \
	"stringData: {zone: zzz, nay: 'F', odd: maybe, url: 'https://10.0.0.7:8443/x', empty: "    \
	"''}\n"                                                                                    \
	"---\n"                                                                                    \
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: ns}\n"                    \
	"data: {vpc: vvv, yea: 'T', odd: maybe}\n"
#define SECRET(key)     "{secretKeyRef: {name: s, namespace: ns, key: " key "}}"
#define CONFIG_MAP(key) "{configMapKeyRef: {name: c, namespace: ns, key: " key "}}"

struct machine_case {
	const char *provider;
	const char *spec; /* cloudProviderSpec; null: none */
	const char *environment;
	const char *kubelet; /* null: "1.28.0" */
	bool external;
	bool secrets_may_be_absent;
};

static enum status render(struct fixture *f, const struct machine_case *c, struct value *text)
{
	struct osm_cluster cluster = {.settings = &f->settings, .objects = &f->objects};
	struct kube_object object = {.id = {SV("v1"), SV("M"), SV("ns"), SV("md")}};
	struct osm_machine machine = {.object = &object, .provider_spec = value_null()};
	const char *kubelet = c->kubelet ? c->kubelet : "1.28.0";
	struct value environment;
	sv error;

	fixture_add(f, "a.yaml", OBJECTS);
	f->settings.external_cloud_provider = c->external;
	cluster.secrets_may_be_absent = c->secrets_may_be_absent;
	if (c->environment) {
		environment = osm_environment_taint(f->arena, fixture_yaml(f, c->environment));
		cluster.environment = &environment;
	}
	machine.config.cloud_provider = value_string(sv_from_cstr(c->provider));
	machine.kubelet_text = value_string(sv_from_cstr(kubelet));
	assert_true(
	    semver_parse(f->arena, sv_from_cstr(kubelet), &machine.kubelet_version, &error));
	if (c->spec) {
		machine.config.cloud_provider_spec = fixture_yaml(f, c->spec);
		machine.provider_spec =
		    osm_taint_credentials(f->arena, sv_from_cstr(c->provider),
		                          machine.config.cloud_provider_spec, SV("ns/md:spec"));
	}
	return osm_cloud_config_text(f->arena, &f->sink, &cluster, &machine, text);
}

/* The text with its secrets in [brackets]. */
static void assert_renders(const struct machine_case *c, const char *want)
{
	FIXTURE_AUTO f = fixture_new();
	struct value text = VALUE_INVALID;

	if (render(&f, c, &text) != STATUS_OK)
		fail_msg("%s %s: %.*s", c->provider, c->spec, SV_ARG(f.sink.diags.items[0]->text));
	assert_sv(show_taint(f.arena, &text), want);
	assert_int_equal(f.sink.diags.count, 0);
}

/* Exactly these diagnostics, a line each: code, place, text. */
static void assert_refuses(const struct machine_case *c, const char *want)
{
	FIXTURE_AUTO f = fixture_new();
	struct value text;
	struct buf got;

	if (render(&f, c, &text) == STATUS_OK)
		fail_msg("%s %s: %.*s", c->provider, c->spec, SV_ARG(text.string));
	got = buf_in(f.arena);
	VEC_EACH (diag, &f.sink.diags) {
		struct line_column at = position_line_column((*diag)->at);

		buf_printf(&got, "OSG%04d %zu:%zu %.*s\n", (int)(*diag)->code, at.line, at.column,
		           SV_ARG((*diag)->text));
		assert_true((*diag)->help.len > 0);
	}
	assert_sv(buf_sv(&got), want);
}

/* ---- when ----------------------------------------------------------------------------------- */

static void only_for_old_kubelets(void **state)
{
	static const struct machine_case none[] = {
	    {.provider = "aws", .kubelet = "1.29.0"},
	    {.provider = "aws", .kubelet = "1.28.9", .external = true},
	    {.provider = "fake", .kubelet = "1.30.0"},
	    {.provider = "hetzner", .kubelet = "1.28.9"},
	    {.provider = "edge", .kubelet = "1.28.9"},
	    {.provider = "opennebula", .kubelet = "1.30.0-rc.0"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(none); i++)
		assert_renders(&none[i], "");
	assert_renders(
	    &(struct machine_case){.provider = "aws", .spec = "{}", .kubelet = "1.36.0-rc.0"},
	    "[global]\nZone=\"\"\nVPC=\"\"\nSubnetID=\"\"\n");
}

static void without_specification(void **state)
{
	static const char *const providers[] = {"aws",      "azure",     "gce",
	                                        "kubevirt", "openstack", "vsphere"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(providers); i++) {
		assert_refuses(&(struct machine_case){.provider = providers[i], .spec = "null"},
		               "OSG4016 0:0 failed to fetch cloud-config: failed to parse config: "
		               "CloudProviderSpec in the MachineDeployment cannot be empty\n");
		assert_refuses(&(struct machine_case){.provider = providers[i], .spec = "[]"},
		               "OSG4016 1:1 failed to fetch cloud-config: failed to parse config: "
		               "failed to unmarshal CloudProviderSpec: it must be a map\n");
	}
}

static void unknown_providers(void **state)
{
	static const char *const providers[] = {"fake", "external", "AWS", ""};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(providers); i++) {
		char want[128];

		snprintf(want, sizeof(want),
		         "OSG4016 0:0 failed to fetch cloud-config: unknown cloud provider %s\n",
		         providers[i]);
		assert_refuses(&(struct machine_case){.provider = providers[i], .spec = "{}"},
		               want);
	}
}

/* ---- formats, with the controller's own test values ------------------------------------------ */

#define VSPHERE_CONFIG(url_port, host, folder)                                                     \
	"[Global]\nuser              = \"username\"\npassword          = [\"password\"]\n"         \
	"port              = \"" url_port "\"\ninsecure-flag     = true\n\n"                       \
	"[Disk]\nscsicontrollertype = \"pvscsi\"\n\n[Workspace]\nserver            = \"" host      \
	"\"\ndatacenter        = \"datacenter\"\nfolder            = \"" folder "\"\n"             \
	"default-datastore = \"datastore\"\n\n\n[VirtualCenter \"" host "\"]\n"                    \
	"user = \"username\"\npassword = [\"password\"]\nport = " url_port                         \
	"\ndatacenters = \"datacenter\"\n\n"
#define VSPHERE(more)                                                                              \
	"{username: username, password: password, allowInsecure: true, datacenter: datacenter, "   \
	"datastore: datastore, datastoreCluster: other, cluster: test, " more "}"

static void values_of_the_controllers_own_tests(void **state)
{
	static const struct {
		struct machine_case input;
		const char *text;
	} cases[] = {
	    {{.provider = "aws",
	      .spec = "{availabilityZone: zone, vpcId: vpc-id, subnetId: subnet-id}"},
	     "[global]\nZone=\"zone\"\nVPC=\"vpc-id\"\nSubnetID=\"subnet-id\"\n"},
	    {{.provider = "azure",
	      .spec =
	          "{resourceGroup: rg-name, location: unknown, vnetName: vnet-name, subnetName: "
	          "subnet-name, routeTableName: route-table-name, securityGroupName: sg-name, "
	          "vnetResourceGroup: vnet-rg-name, loadBalancerSku: sku}",
	      .environment =
	          "{AZURE_TENANT_ID: '', AZURE_SUBSCRIPTION_ID: '', AZURE_CLIENT_ID: '', "
	          "AZURE_CLIENT_SECRET: ''}"},
	     "{\"cloud\":\"AZUREPUBLICCLOUD\",\"tenantId\":\"\",\"subscriptionId\":\"\","
	     "\"aadClientId\":\"\",\"aadClientSecret\":\"\",\"resourceGroup\":\"rg-name\","
	     "\"location\":\"unknown\",\"vnetName\":\"vnet-name\",\"subnetName\":\"subnet-name\","
	     "\"routeTableName\":\"route-table-name\",\"securityGroupName\":\"sg-name\","
	     "\"primaryAvailabilitySetName\":\"\",\"vnetResourceGroup\":\"vnet-rg-name\","
	     "\"useInstanceMetadata\":true,\"loadBalancerSku\":\"sku\"}"},
	    /* {"project_id":"project-id"} */
	    {{.provider = "gce",
	      .spec = "{serviceAccount: eyJwcm9qZWN0X2lkIjoicHJvamVjdC1pZCJ9, zone: zone, network: "
	              "network, subnetwork: subnetwork, multizone: true, regional: true, tags: "
	              "[tag1, tag2]}"},
	     "[global]\nproject-id = [\"project-id\"]\nlocal-zone = \"zone\"\n"
	     "network-name = \"network\"\nsubnetwork-name = \"subnetwork\"\nmultizone = true\n"
	     "regional = true\nnode-tags = \"tag1\"\nnode-tags = \"tag2\"\n"},
	    {{.provider = "kubevirt", .spec = "{auth: {kubeconfig: cmVkYWN0ZWQ=}}"},
	     "global:\n    kubeconfig: [redacted\n]    namespace: kube-system\n"},
	    {{.provider = "openstack",
	      .spec = "{identityEndpoint: 'https://test', username: username, password: password, "
	              "applicationCredentialID: redacted, applicationCredentialSecret: redacted, "
	              "projectName: test-project, projectID: test-id, domainName: domain, region: "
	              "unknown, trustDevicePath: true}",
	      .kubelet = "v0.0.1"},
	     "[Global]\nauth-url    = \"https://test\"\n"
	     "application-credential-id     = \"redacted\"\n"
	     "application-credential-secret = [\"redacted\"]\nregion      = \"unknown\"\n\n"
	     "[LoadBalancer]\n\n[BlockStorage]\ntrust-device-path = true\n"
	     "bs-version        = \"auto\"\n"},
	    {{.provider = "vsphere",
	      .spec = VSPHERE("vsphereURL: 'https://hostname:9090', folder: workingDir")},
	     VSPHERE_CONFIG("9090", "hostname", "workingDir")},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_renders(&cases[i].input, cases[i].text);
}

#define AZURE_ALL "tenantID: t, subscriptionID: s, clientID: c, clientSecret: x"

static void azure_availability_sets(void **state)
{
	static const struct {
		const char *spec;
		const char *member;
	} cases[] = {
	    {"{" AZURE_ALL ", availabilitySet: as}", "\"primaryAvailabilitySetName\":\"as\""},
	    {"{" AZURE_ALL ", availabilitySet: as, assignAvailabilitySet: true}",
	     "\"primaryAvailabilitySetName\":\"as\""},
	    {"{" AZURE_ALL ", availabilitySet: as, assignAvailabilitySet: null}",
	     "\"primaryAvailabilitySetName\":\"as\""},
	    {"{" AZURE_ALL ", availabilitySet: as, assignAvailabilitySet: false}",
	     "\"primaryAvailabilitySetName\":\"\""},
	    /* Of keys for one field the last in sorted order counts: small letters, and their null.
	     */
	    {"{" AZURE_ALL ", availabilitySet: as, assignavailabilityset: null, "
	     "ASSIGNAVAILABILITYSET: false}",
	     "\"primaryAvailabilitySetName\":\"as\""},
	    {"{" AZURE_ALL ", assignAvailabilitySet: true}", "\"primaryAvailabilitySetName\":\"\""},
	    {"{" AZURE_ALL ", vnetName: '<\"&\\'}", "\"vnetName\":\"\\u003c\\\"\\u0026\\\\\""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct value text;
		const struct machine_case input = {.provider = "azure", .spec = cases[i].spec};

		assert_int_equal(render(&f, &input, &text), STATUS_OK);
		assert_true(sv_contains(text.string, sv_from_cstr(cases[i].member)));
		assert_true(sv_contains(show_taint(f.arena, &text),
		                        SV("\"aadClientSecret\":[\"x\"],\"resource")));
	}
}

static void gce_service_accounts(void **state)
{
	static const struct {
		const char *account;
		const char *text; /* null: refused, with error */
		const char *error;
	} cases[] = {
	    /* {"project_id":"p","project_id":"q"}, {}, null */
	    {"eyJwcm9qZWN0X2lkIjoicCIsInByb2plY3RfaWQiOiJxIn0=", "[\"q\"]", NULL},
	    {"e30=", "\"\"", NULL},
	    {"bnVsbA==", "\"\"", NULL},
	    {"e30", NULL,
	     "failed to decode base64 service account: illegal base64 data at input byte 0"},
	    {"'*'", NULL,
	     "failed to decode base64 service account: illegal base64 data at input byte 0"},
	    /* {, x, [], "a", {"a":1}, {"a":{}}, {"a":true} */
	    {"ew==", NULL, "failed unmarshalling service account: unexpected end of JSON input"},
	    {"eA==", NULL, "failed unmarshalling service account: it is not JSON"},
	    {"W10=", NULL,
	     "failed unmarshalling service account: json: cannot unmarshal array into Go value of "
	     "type map[string]string"},
	    {"ImEi", NULL,
	     "failed unmarshalling service account: json: cannot unmarshal string into Go value of "
	     "type map[string]string"},
	    {"eyJhIjoxfQ==", NULL,
	     "failed unmarshalling service account: json: cannot unmarshal number into Go value of "
	     "type string"},
	    {"eyJhIjp7fX0=", NULL,
	     "failed unmarshalling service account: json: cannot unmarshal object into Go value of "
	     "type string"},
	    {"eyJhIjp0cnVlfQ==", NULL,
	     "failed unmarshalling service account: json: cannot unmarshal bool into Go value of "
	     "type string"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char spec[128];
		char want[256];

		snprintf(spec, sizeof(spec), "serviceAccount: %s\n", cases[i].account);
		const struct machine_case input = {.provider = "gce", .spec = spec};
		if (cases[i].text) {
			snprintf(
			    want, sizeof(want),
			    "[global]\nproject-id = %s\nlocal-zone = \"\"\nnetwork-name = \"\"\n"
			    "subnetwork-name = \"\"\nmultizone = false\nregional = false\n",
			    cases[i].text);
			assert_renders(&input, want);
		} else {
			snprintf(want, sizeof(want),
			         "OSG4016 1:17 failed to fetch cloud-config: failed to parse "
			         "config: %s\n",
			         cases[i].error);
			assert_refuses(&input, want);
		}
	}
}

static void kubevirt_kubeconfigs(void **state)
{
	static const struct {
		struct machine_case input;
		const char *text;
	} cases[] = {
	    /* "a\nb\n", "", "a: b" */
	    {{.provider = "kubevirt", .spec = "{auth: {kubeconfig: {value: YQpiCg==}}}"},
	     "global:\n    kubeconfig: [|\n        a\n        b\n]    namespace: kube-system\n"},
	    {{.provider = "kubevirt", .spec = "{auth: {kubeconfig: YTogYg==}}"},
	     "global:\n    kubeconfig: ['a: b'\n]    namespace: kube-system\n"},
	    /* A value in place wins over references. */
	    {{.provider = "kubevirt",
	      .spec = "{auth: {kubeconfig: {value: YQ==, secretKeyRef: {name: s, namespace: ns, "
	              "key: zone}}}}"},
	     "global:\n    kubeconfig: [a\n]    namespace: kube-system\n"},
	    /* What is no base64 is taken as it is when it does not stand in place. */
	    {{.provider = "kubevirt", .spec = "{auth: {kubeconfig: " SECRET("zone") "}}"},
	     "global:\n    kubeconfig: [zzz\n]    namespace: kube-system\n"},
	    {{.provider = "kubevirt",
	      .spec = "{AUTH: null, Auth: {KubeConfig: " CONFIG_MAP("vpc") "}}"},
	     "global:\n    kubeconfig: vvv\n    namespace: kube-system\n"},
	    {{.provider = "kubevirt",
	      .spec = "{}",
	      .environment = "{KUBEVIRT_KUBECONFIG: 'YQ==', POD_NAMESPACE: cluster-x}"},
	     "global:\n    kubeconfig: [a\n]    namespace: cluster-x\n"},
	    {{.provider = "kubevirt",
	      .spec = "{auth: null}",
	      .environment = "{KUBEVIRT_KUBECONFIG: '', POD_NAMESPACE: ''}"},
	     "global:\n    kubeconfig: \"\"\n    namespace: kube-system\n"},
	    {{.provider = "kubevirt",
	      .spec = "{auth: {}}",
	      .environment = "{KUBEVIRT_KUBECONFIG: 'a: b', POD_NAMESPACE: null}"},
	     "global:\n    kubeconfig: ['a: b'\n]    namespace: kube-system\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_renders(&cases[i].input, cases[i].text);
	assert_refuses(
	    &(struct machine_case){.provider = "kubevirt",
	                           .spec = "auth: {kubeconfig: 'no base64'}"},
	    "OSG4016 1:20 failed to fetch cloud-config: failed to parse config: failed to "
	    "decode base64 encoded kubeconfig. Expected value is a base64 encoded "
	    "Kubeconfig in JSON or YAML format: illegal base64 data at input byte 2\n");
	assert_refuses(
	    &(struct machine_case){.provider = "kubevirt", .spec = "auth: x"},
	    "OSG4016 1:7 failed to fetch cloud-config: failed to parse config: failed to "
	    "unmarshal CloudProviderSpec: auth must be a map\n");
}

#define OPENSTACK(head, rest)                                                                      \
	"[Global]\nauth-url    = \"u\"\n" head "region      = \"\"\n\n[LoadBalancer]\n" rest
#define OPENSTACK_REST                                                                             \
	"manage-security-groups = true\n\n[BlockStorage]\nignore-volume-az  = true\n"              \
	"trust-device-path = false\nbs-version        = \"auto\"\n"
#define OPENSTACK_USER(name, id)                                                                   \
	"username    = \"me\"\npassword    = [\"pw\"]\ntenant-name = \"" name "\"\n"               \
	"tenant-id   = \"" id "\"\ndomain-name = \"d\"\n"
#define USER "identityEndpoint: u, username: me, password: pw, domainName: d"

static void openstack_sections(void **state)
{
	static const struct {
		struct machine_case input;
		const char *text;
	} cases[] = {
	    {{.provider = "openstack",
	      .spec = "{" USER ", projectName: p, tenantName: t, tenantID: i}"},
	     OPENSTACK(OPENSTACK_USER("p", "i"), OPENSTACK_REST)},
	    {{.provider = "openstack",
	      .spec = "{" USER ", projectID: p, tenantID: i}",
	      .kubelet = "1.30.0-rc.0"},
	     OPENSTACK(
	         OPENSTACK_USER("", "p"),
	         "\n[BlockStorage]\ntrust-device-path = false\nbs-version        = \"auto\"\n")},
	    {{.provider = "openstack",
	      .spec = "{" USER ", tenantName: t, nodeVolumeAttachLimit: 18446744073709551615}",
	      .kubelet = "v1.11.0"},
	     OPENSTACK(OPENSTACK_USER("t", ""),
	               "\n[BlockStorage]\nignore-volume-az  = true\ntrust-device-path = false\n"
	               "bs-version        = \"auto\"\n"
	               "node-volume-attach-limit = 18446744073709551615\n")},
	    {{.provider = "openstack",
	      .spec = "{" USER ", tenantName: t, nodeVolumeAttachLimit: 0}",
	      .kubelet = "v1.11.1"},
	     OPENSTACK(OPENSTACK_USER("t", ""), OPENSTACK_REST)},
	    {{.provider = "openstack",
	      .spec = "{" USER ", tenantName: t, trustDevicePath: " SECRET("nay") "}"},
	     OPENSTACK(OPENSTACK_USER("t", ""),
	               "manage-security-groups = true\n\n[BlockStorage]\nignore-volume-az  = true\n"
	               "trust-device-path = [false]\nbs-version        = \"auto\"\n")},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_renders(&cases[i].input, cases[i].text);
}

static void vsphere_addresses(void **state)
{
	static const struct {
		struct machine_case input;
		const char *text;
	} cases[] = {
	    {{.provider = "vsphere", .spec = VSPHERE("vsphereURL: hostname")},
	     VSPHERE_CONFIG("", "hostname", "/datacenter/vm")},
	    {{.provider = "vsphere", .spec = VSPHERE("vsphereURL: 'https://[fd00::7]:443/sdk'")},
	     VSPHERE_CONFIG("443", "fd00::7", "/datacenter/vm")},
	    {{.provider = "vsphere", .spec = VSPHERE("vsphereURL: 'http://hostname:8080'")},
	     VSPHERE_CONFIG("", "http", "/datacenter/vm")},
	    /* Who logs in is hidden, whom at is not. */
	    {{.provider = "vsphere", .spec = VSPHERE("vsphereURL: 'https://u:p@hostname:1'")},
	     VSPHERE_CONFIG("1", "hostname", "/datacenter/vm")},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_renders(&cases[i].input, cases[i].text);
	assert_refuses(
	    &(struct machine_case){.provider = "vsphere", .spec = VSPHERE("vsphereURL: 'a b'")},
	    "OSG4016 1:161 failed to fetch cloud-config: failed to parse config: failed to "
	    "parse 'https://a b' as url: parse \"https://a b\": invalid character "
	    "\" \" in host name\n");
	assert_refuses(
	    &(struct machine_case){.provider = "vsphere",
	                           .spec = VSPHERE("vsphereURL: 'https://u:p@a b'")},
	    "OSG4016 1:161 failed to fetch cloud-config: failed to parse config: failed to "
	    "parse vsphereURL as url\n");
}

static void vsphere_secrets(void **state)
{
	assert_renders(
	    &(struct machine_case){
	        .provider = "vsphere",
	        .spec = "username: " SECRET("zone") "\npassword: p\nvsphereURL: " SECRET(
	            "url") "\n"
	                   "datacenter: " SECRET("zone") "\nallowInsecure: " SECRET("nay") "\n"},
	    "[Global]\nuser              = [\"zzz\"]\npassword          = [\"p\"]\n"
	    "port              = [\"8443\"]\ninsecure-flag     = [false]\n\n"
	    "[Disk]\nscsicontrollertype = \"pvscsi\"\n\n[Workspace]\n"
	    "server            = [\"10.0.0.7\"]\ndatacenter        = [\"zzz\"]\n"
	    "folder            = [\"/zzz/vm\"]\ndefault-datastore = \"\"\n\n\n"
	    "[VirtualCenter [\"10.0.0.7\"]]\nuser = [\"zzz\"]\npassword = [\"p\"]\nport = [8443]\n"
	    "datacenters = [\"zzz\"]\n\n");
	(void)state;
}

/* ---- where values come from -------------------------------------------------------------------
 */

static void forms_of_values(void **state)
{
	static const struct {
		const char *spec;
		const char *zone; /* as it is shown */
	} cases[] = {
	    {"{availabilityZone: 'a\"\\'}", "\"a\\\"\\\\\""},
	    {"{availabilityzone: a}", "\"a\""},
	    {"{availabilityZone: 5}", "\"5\""},
	    {"{availabilityZone: 1.5}", "\"1.5\""},
	    {"{availabilityZone: false}", "\"false\""},
	    {"{availabilityZone: null}", "\"null\""},
	    {"{availabilityZone: []}", "\"[]\""},
	    {"{availabilityZone: [1, [null]]}", "\"[1,[null]]\""},
	    {"{availabilityZone: {}}", "\"\""},
	    {"{availabilityZone: {value: v}}", "\"v\""},
	    {"{availabilityZone: {Value: null}}", "\"\""},
	    {"{availabilityZone: {value: v, unknown: 1}}", "\"v\""},
	    {"{availabilityZone: " SECRET("zone") "}", "[\"zzz\"]"},
	    {"{availabilityZone: " SECRET("empty") "}", "\"\""},
	    {"{availabilityZone: " CONFIG_MAP("vpc") "}", "\"vvv\""},
	    /* A reference with a part missing is none. */
	    {"{availabilityZone: {value: v, secretKeyRef: {name: s, namespace: ns}, "
	     "configMapKeyRef: null}}",
	     "\"v\""},
	    /* Later keys replace earlier ones, but a bare text leaves an earlier reference alone.
	     */
	    {"{AVAILABILITYZONE: a, availabilityZone: b}", "\"b\""},
	    {"{availabilityZone: b, AVAILABILITYZONE: a}", "\"b\""},
	    {"{AVAILABILITYZONE: " CONFIG_MAP("vpc") ", availabilityZone: b}", "\"vvv\""},
	    {"{AVAILABILITYZONE: b, availabilityZone: null}", "\"null\""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char want[128];

		snprintf(want, sizeof(want), "[global]\nZone=%s\nVPC=\"\"\nSubnetID=\"\"\n",
		         cases[i].zone);
		assert_renders(&(struct machine_case){.provider = "aws", .spec = cases[i].spec},
		               want);
	}
}

static void wrong_values(void **state)
{
	static const struct {
		struct machine_case input;
		const char *text;
	} cases[] = {
	    {{.provider = "aws", .spec = "vpcId: {value: 5}"},
	     "OSG4017 1:16 value of vpcId must be a text\n"},
	    {{.provider = "aws", .spec = "vpcId: ['a']"}, "OSG4017 1:8 vpcId must be a text\n"},
	    {{.provider = "aws", .spec = "vpcId: {secretKeyRef: x}"},
	     "OSG4017 1:23 a reference of vpcId must be a map\n"},
	    {{.provider = "aws", .spec = "vpcId: {secretKeyRef: {uid: 1}}"},
	     "OSG4017 1:29 each member of a reference of vpcId must be a text\n"},
	    {{.provider = "aws", .spec = "vpcId: " CONFIG_MAP("gone")},
	     "OSG2103 1:8 ConfigMap ns/c has no key \"gone\"\n"},
	    {{.provider = "aws",
	      .spec = "vpcId: {configMapKeyRef: {name: d, namespace: ns, key: k}}\n"
	              "subnetId: {secretKeyRef: {name: d, namespace: ns, key: k}}"},
	     "OSG2105 1:8 ConfigMap ns/d is not among the manifests\n"
	     "OSG2105 2:11 Secret ns/d is not among the manifests\n"},
	    /* Fields that nobody prints must decode as well. */
	    {{.provider = "vsphere", .spec = VSPHERE("vsphereURL: h, vmNetName: {value: 1}")},
	     "OSG4017 1:183 value of vmNetName must be a text\n"},
	    {{.provider = "openstack", .spec = "{" USER ", projectID: p, tokenId: {value: 1}}"},
	     "OSG4017 1:97 value of tokenId must be a text\n"},
	    {{.provider = "azure", .spec = "{" AZURE_ALL ", assignAvailabilitySet: 'yes'}"},
	     "OSG4016 1:82 failed to fetch cloud-config: failed to parse config: failed to "
	     "unmarshal "
	     "CloudProviderSpec: assignAvailabilitySet must be true or false\n"},
	    {{.provider = "openstack",
	      .spec = "{" USER ", projectID: p, nodeVolumeAttachLimit: -1}"},
	     "OSG4016 1:103 failed to fetch cloud-config: failed to parse config: failed to "
	     "unmarshal "
	     "CloudProviderSpec: nodeVolumeAttachLimit must be a number from 0 on\n"},
	    {{.provider = "gce", .spec = "{serviceAccount: e30=, tags: t, multizone: 1}"},
	     "OSG4017 1:44 multizone must be true or false\n"
	     "OSG4016 1:30 failed to fetch cloud-config: failed to parse config: failed to "
	     "unmarshal "
	     "CloudProviderSpec: tags must be a list of texts\n"},
	    {{.provider = "gce", .spec = "{serviceAccount: e30=, tags: [t, 1]}"},
	     "OSG4016 1:34 failed to fetch cloud-config: failed to parse config: failed to "
	     "unmarshal "
	     "CloudProviderSpec: tags must be a list of texts\n"},
	    {{.provider = "gce", .spec = "{serviceAccount: e30=, regional: {value: 'true'}}"},
	     "OSG4017 1:42 value of regional must be true or false\n"},
	    {{.provider = "gce",
	      .spec = "{serviceAccount: e30=, regional: " SECRET("odd") ", multizone: " CONFIG_MAP(
	          "odd") "}"},
	     "OSG4017 1:100 multizone: strconv.ParseBool: parsing \"maybe\": invalid syntax\n"
	     "OSG4017 1:34 what is given for regional is neither true nor false\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_refuses(&cases[i].input, cases[i].text);
}

static void bools(void **state)
{
	static const struct {
		const char *regional;
		const char *shown;
	} cases[] = {
	    {"true", "true"},
	    {"null", "false"},
	    {"{}", "false"},
	    {"{value: true}", "true"},
	    {"{value: null}", "false"},
	    {"{value: true, secretKeyRef: {name: s, namespace: ns, key: nay}}", "[false]"},
	    {CONFIG_MAP("yea"), "true"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char spec[256];
		char want[256];

		snprintf(spec, sizeof(spec), "{serviceAccount: e30=, regional: %s}",
		         cases[i].regional);
		snprintf(want, sizeof(want),
		         "[global]\nproject-id = \"\"\nlocal-zone = \"\"\nnetwork-name = \"\"\n"
		         "subnetwork-name = \"\"\nmultizone = false\nregional = %s\n",
		         cases[i].shown);
		assert_renders(&(struct machine_case){.provider = "gce", .spec = spec}, want);
	}
}

/* ---- environment ------------------------------------------------------------------------------
 */

static void allowed_variables_stand_in(void **state)
{
	assert_renders(
	    &(struct machine_case){
	        "openstack", "{identityEndpoint: '', tenantID: i}",
	        .environment =
	            "{OS_AUTH_URL: 'https://auth', OS_USER_NAME: user, OS_PASSWORD: 'p\"w', "
	            "OS_DOMAIN_NAME: domain, OS_REGION_NAME: region, OS_PROJECT_NAME: project, "
	            "OS_TENANT_NAME: tenant, OS_APPLICATION_CREDENTIAL_ID: ''}"},
	    "[Global]\nauth-url    = [\"https://auth\"]\nusername    = [\"user\"]\n"
	    "password    = [\"p\\\"w\"]\ntenant-name = [\"project\"]\ntenant-id   = \"i\"\n"
	    "domain-name = [\"domain\"]\nregion      = "
	    "[\"region\"]\n\n[LoadBalancer]\n" OPENSTACK_REST);
	assert_renders(
	    &(struct machine_case){
	        "openstack", "{identityEndpoint: u}",
	        .environment =
	            "{OS_APPLICATION_CREDENTIAL_ID: id, OS_APPLICATION_CREDENTIAL_SECRET: pw}"},
	    OPENSTACK("application-credential-id     = [\"id\"]\n"
	              "application-credential-secret = [\"pw\"]\n",
	              OPENSTACK_REST));
	assert_renders(
	    &(struct machine_case){.provider = "vsphere",
	                           .spec = "{datacenter: datacenter, datastoreCluster: datastore}",
	                           .environment =
	                               "{VSPHERE_ADDRESS: 'https://h:1', VSPHERE_USERNAME: u, "
	                               "VSPHERE_PASSWORD: p, VSPHERE_ALLOW_INSECURE: 'T'}"},
	    "[Global]\nuser              = [\"u\"]\npassword          = [\"p\"]\n"
	    "port              = [\"1\"]\ninsecure-flag     = true\n\n"
	    "[Disk]\nscsicontrollertype = \"pvscsi\"\n\n[Workspace]\nserver            = [\"h\"]\n"
	    "datacenter        = \"datacenter\"\nfolder            = \"/datacenter/vm\"\n"
	    "default-datastore = \"datastore\"\n\n\n[VirtualCenter [\"h\"]]\nuser = [\"u\"]\n"
	    "password = [\"p\"]\nport = [1]\ndatacenters = \"datacenter\"\n\n");
	(void)state;
}

static void silent_variables_are_told(void **state)
{
	/* A needed value from nowhere: each is told, and why its variable is silent. */
	assert_refuses(
	    &(struct machine_case){.provider = "azure",
	                           .spec = "tenantID: t\nsubscriptionID: ''\n",
	                           .environment = "{AZURE_CLIENT_ID: null}"},
	    "OSG4030 2:17 there is no subscriptionID: the controller takes it from its environment "
	    "variable AZURE_SUBSCRIPTION_ID, which is not allowed here\n"
	    "OSG4030 1:1 there is no clientID: the controller takes it from its environment "
	    "variable "
	    "AZURE_CLIENT_ID, which is not set here\n"
	    "OSG4030 1:1 there is no clientSecret: the controller takes it from its environment "
	    "variable AZURE_CLIENT_SECRET, which is not allowed here\n");
	assert_refuses(&(struct machine_case){.provider = "gce", .spec = "zone: z"},
	               "OSG4030 1:1 there is no serviceAccount: the controller takes it from its "
	               "environment variable GOOGLE_SERVICE_ACCOUNT, which is not allowed here\n");
	assert_refuses(&(struct machine_case){.provider = "kubevirt", .spec = "zone: z"},
	               "OSG4030 1:1 there is no kubeconfig: the controller takes it from its "
	               "environment variable KUBEVIRT_KUBECONFIG, which is not allowed here\n");
	assert_refuses(
	    &(struct machine_case){.provider = "openstack",
	                           .spec = "{identityEndpoint: u, applicationCredentialID: i}"},
	    "OSG4030 1:1 there is no applicationCredentialSecret: the controller takes it "
	    "from its environment variable OS_APPLICATION_CREDENTIAL_SECRET, which is "
	    "not allowed here\n");
	assert_refuses(&(struct machine_case){.provider = "openstack", .spec = "{" USER "}"},
	               "OSG4030 1:1 there is no projectName: the controller takes it from its "
	               "environment variable OS_PROJECT_NAME, which is not allowed here\n");
	assert_refuses(&(struct machine_case){.provider = "vsphere",
	                                      .spec = "{username: u, password: p}",
	                                      .environment = "{VSPHERE_ALLOW_INSECURE: maybe}"},
	               "OSG4030 1:1 there is no vsphereURL: the controller takes it from its "
	               "environment variable VSPHERE_ADDRESS, which is not allowed here\n"
	               "OSG4017 1:1 VSPHERE_ALLOW_INSECURE: strconv.ParseBool: parsing \"maybe\": "
	               "invalid syntax\n");
	(void)state;
}

static void broken_references_are_no_silent_fallback(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct value text;
	const char *spec = "tenantID: {secretKeyRef: {name: gone, namespace: ns, key: k}}\n"
	                   "subscriptionID: s\nclientID: c\nclientSecret: x\n";
	const struct machine_case spoken = {
	    .provider = "azure", .spec = spec, .environment = "{AZURE_TENANT_ID: from-env}"};

	(void)state;
	assert_refuses(&(struct machine_case){.provider = "azure",
	                                      .spec = spec,
	                                      .environment = "{AZURE_TENANT_ID: null}"},
	               "OSG2105 1:11 Secret ns/gone is not among the manifests\n");
	assert_int_equal(render(&f, &spoken, &text), STATUS_OK);
	assert_true(sv_contains(show_taint(f.arena, &text), SV("\"tenantId\":[\"from-env\"]")));
	assert_int_equal(f.sink.error_count, 0);
	assert_one_diag(&f, DIAG_ENVIRONMENT_INSTEAD, "1:11",
	                "tenantID cannot be read, so the environment variable AZURE_TENANT_ID is "
	                "used instead");
	assert_sv(f.sink.diags.items[0]->notes.items[0].text,
	          "Secret ns/gone is not among the manifests");
}

static void validation_does_without_secrets(void **state)
{
	static const struct machine_case cases[] = {
	    {.provider = "gce",
	     .spec = "{serviceAccount: {secretKeyRef: {name: x, namespace: ns, key: k}}, regional: "
	             "{secretKeyRef: {name: x, namespace: ns, key: k}}}",
	     .secrets_may_be_absent = true},
	    {.provider = "kubevirt",
	     .spec = "{auth: {kubeconfig: {secretKeyRef: {name: x, namespace: ns, key: k}}}}",
	     .secrets_may_be_absent = true},
	    {.provider = "azure",
	     .spec = "{}",
	     .environment = "{AZURE_TENANT_ID: null, AZURE_SUBSCRIPTION_ID: null, AZURE_CLIENT_ID: "
	                    "null, AZURE_CLIENT_SECRET: null}",
	     .secrets_may_be_absent = true},
	    {.provider = "vsphere",
	     .spec = "{allowInsecure: {secretKeyRef: {name: x, namespace: ns, key: k}}}",
	     .environment = "{VSPHERE_ADDRESS: null, VSPHERE_USERNAME: null, VSPHERE_PASSWORD: "
	                    "null}",
	     .secrets_may_be_absent = true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		FIXTURE_AUTO f = fixture_new();
		struct value text;

		assert_int_equal(render(&f, &cases[i], &text), STATUS_OK);
		assert_int_equal(f.sink.diags.count, 0);
	}
	assert_refuses(
	    &(struct machine_case){.provider = "gce", .spec = "{}", .secrets_may_be_absent = true},
	    "OSG4030 1:1 there is no serviceAccount: the controller takes it from its "
	    "environment variable GOOGLE_SERVICE_ACCOUNT, which is not allowed here\n");
}

static void names_of_variables_are_sorted(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	size_t count;
	const sv *names = osm_environment_names(f.arena, &count);

	(void)state;
	assert_int_equal(count, 22);
	for (size_t i = 1; i < count; i++)
		assert_true(sv_cmp(names[i - 1], names[i]) < 0);
}

/* The decoded text is a secret of its own, or the leak scan could not find it. */
static void decoded_secrets_are_secrets(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct value text;
	const struct machine_case input = {.provider = "kubevirt",
	                                   .spec = "{auth: {kubeconfig: cmVkYWN0ZWQ=}}"};

	(void)state;
	assert_int_equal(render(&f, &input, &text), STATUS_OK);
	assert_sv(value_secret(&text)->text, "redacted");
	assert_sv(value_secret(&text)->name, "ns/md:spec.auth.kubeconfig");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(only_for_old_kubelets),
	    cmocka_unit_test(without_specification),
	    cmocka_unit_test(unknown_providers),
	    cmocka_unit_test(values_of_the_controllers_own_tests),
	    cmocka_unit_test(azure_availability_sets),
	    cmocka_unit_test(gce_service_accounts),
	    cmocka_unit_test(kubevirt_kubeconfigs),
	    cmocka_unit_test(openstack_sections),
	    cmocka_unit_test(vsphere_addresses),
	    cmocka_unit_test(vsphere_secrets),
	    cmocka_unit_test(forms_of_values),
	    cmocka_unit_test(wrong_values),
	    cmocka_unit_test(bools),
	    cmocka_unit_test(allowed_variables_stand_in),
	    cmocka_unit_test(silent_variables_are_told),
	    cmocka_unit_test(broken_references_are_no_silent_fallback),
	    cmocka_unit_test(validation_does_without_secrets),
	    cmocka_unit_test(names_of_variables_are_sorted),
	    cmocka_unit_test(decoded_secrets_are_secrets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
