/*
 * Legacy cloud-configs (docs/spec/cloud-config.md): when there is one, and each format, with the
 * values that the controller's own tests have.
 */
#include "osm_cloud_fixture.h"

/* ---- when -------------------------------------------------------------------------------- */

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

/* ---- formats, with the controller's own test values -------------------------------------- */

#define VSPHERE_CONFIG(url_port, host, folder)                                                     \
	"[Global]\nuser              = \"username\"\npassword          = [\"password\"]\n"         \
	"port              = \"" url_port "\"\ninsecure-flag     = true\n\n"                       \
	"[Disk]\nscsicontrollertype = \"pvscsi\"\n\n[Workspace]\nserver            = \"" host      \
	"\"\ndatacenter        = \"datacenter\"\nfolder            = \"" folder "\"\n"             \
	"default-datastore = \"datastore\"\n\n\n[VirtualCenter \"" host "\"]\n"                    \
	"user = \"username\"\npassword = [\"password\"]\nport = " url_port                         \
	"\ndatacenters = \"datacenter\"\n\n"
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
	     "application-credential-id     = [\"redacted\"]\n"
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
		assert_contains(text.string, cases[i].member);
		assert_contains(show_taint(f.arena, &text),
		                "\"aadClientSecret\":[\"x\"],\"resource");
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
	     "global:\n    kubeconfig: [vvv\n]    namespace: kube-system\n"},
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

/* The decoded text is a secret of its own, or the leak scan could not find it. */
static void decoded_secrets_are_secrets(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	struct value text;
	const struct machine_case input = {.provider = "kubevirt",
	                                   .spec = "{auth: {kubeconfig: cmVkYWN0ZWQ=}}"};

	(void)state;
	assert_int_equal(render(&f, &input, &text), STATUS_OK);
	assert_sv(secrecy_find(&text)->text, "redacted");
	assert_sv(secrecy_find(&text)->name, "ns/md:spec.auth.kubeconfig");
}

UNIT_TESTS(osm_cloud_config)
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
	    cmocka_unit_test(decoded_secrets_are_secrets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
