/*
 * Where the values of a cloud-config come from (docs/spec/controller.md 2.6, 2.8): in place,
 * references, the environment; what is secret, what is refused.
 */
#include "osm_cloud_fixture.h"

/* ---- where values come from -------------------------------------------------------------- */

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
	     "OSG4017 1:16 value of vpcId must be a string\n"},
	    {{.provider = "aws", .spec = "vpcId: ['a']"}, "OSG4017 1:8 vpcId must be a string\n"},
	    {{.provider = "aws", .spec = "vpcId: {secretKeyRef: x}"},
	     "OSG4017 1:23 a reference of vpcId must be a map\n"},
	    {{.provider = "aws", .spec = "vpcId: {secretKeyRef: {uid: 1}}"},
	     "OSG4017 1:29 each member of a reference of vpcId must be a string\n"},
	    {{.provider = "aws", .spec = "vpcId: " CONFIG_MAP("gone")},
	     "OSG2103 1:8 ConfigMap ns/c has no key \"gone\"\n"},
	    {{.provider = "aws",
	      .spec = "vpcId: {configMapKeyRef: {name: d, namespace: ns, key: k}}\n"
	              "subnetId: {secretKeyRef: {name: d, namespace: ns, key: k}}"},
	     "OSG2105 1:8 ConfigMap ns/d is not among the manifests\n"
	     "OSG2105 2:11 Secret ns/d is not among the manifests\n"},
	    /* Fields that nobody prints must decode as well. */
	    {{.provider = "vsphere", .spec = VSPHERE("vsphereURL: h, vmNetName: {value: 1}")},
	     "OSG4017 1:183 value of vmNetName must be a string\n"},
	    {{.provider = "openstack", .spec = "{" USER ", projectID: p, tokenId: {value: 1}}"},
	     "OSG4017 1:97 value of tokenId must be a string\n"},
	    {{.provider = "azure", .spec = "{" AZURE_ALL ", assignAvailabilitySet: 'yes'}"},
	     "OSG4016 1:87 failed to fetch cloud-config: failed to parse config: failed to "
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
	     "CloudProviderSpec: tags must be a list of strings\n"},
	    {{.provider = "gce", .spec = "{serviceAccount: e30=, tags: [t, 1]}"},
	     "OSG4016 1:34 failed to fetch cloud-config: failed to parse config: failed to "
	     "unmarshal "
	     "CloudProviderSpec: tags must be a list of strings\n"},
	    {{.provider = "gce", .spec = "{serviceAccount: e30=, regional: {value: 'true'}}"},
	     "OSG4017 1:42 value of regional must be true or false\n"},
	    {{.provider = "gce",
	      .spec = "{serviceAccount: e30=, regional: " SECRET("odd") ", multizone: " CONFIG_MAP(
	          "odd") "}"},
	     "OSG4017 1:97 multizone: strconv.ParseBool: parsing \"maybe\": invalid syntax\n"
	     "OSG4017 1:34 the value of regional is neither true nor false\n"},
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

/* ---- environment ------------------------------------------------------------------------- */

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

static void silent_variables_are_reported(void **state)
{
	/* A needed value from nowhere: each is reported, and why its variable is silent. */
	assert_refuses(
	    &(struct machine_case){.provider = "azure",
	                           .spec = "tenantID: t\nsubscriptionID: ''\n",
	                           .environment = "{AZURE_CLIENT_ID: null}"},
	    "OSG4030 2:17 subscriptionID is missing: the controller takes it from its environment "
	    "variable AZURE_SUBSCRIPTION_ID, which is not allowed here\n"
	    "OSG4030 1:1 clientID is missing: the controller takes it from its environment "
	    "variable "
	    "AZURE_CLIENT_ID, which is not set here\n"
	    "OSG4030 1:1 clientSecret is missing: the controller takes it from its environment "
	    "variable AZURE_CLIENT_SECRET, which is not allowed here\n");
	assert_refuses(&(struct machine_case){.provider = "gce", .spec = "zone: z"},
	               "OSG4030 1:1 serviceAccount is missing: the controller takes it from its "
	               "environment variable GOOGLE_SERVICE_ACCOUNT, which is not allowed here\n");
	assert_refuses(&(struct machine_case){.provider = "kubevirt", .spec = "zone: z"},
	               "OSG4030 1:1 kubeconfig is missing: the controller takes it from its "
	               "environment variable KUBEVIRT_KUBECONFIG, which is not allowed here\n");
	assert_refuses(
	    &(struct machine_case){.provider = "openstack",
	                           .spec = "{identityEndpoint: u, applicationCredentialID: i}"},
	    "OSG4030 1:1 applicationCredentialSecret is missing: the controller takes it "
	    "from its environment variable OS_APPLICATION_CREDENTIAL_SECRET, which is "
	    "not allowed here\n");
	assert_refuses(&(struct machine_case){.provider = "openstack", .spec = "{" USER "}"},
	               "OSG4030 1:1 projectName is missing: the controller takes it from its "
	               "environment variable OS_PROJECT_NAME, which is not allowed here\n");
	assert_refuses(&(struct machine_case){.provider = "vsphere",
	                                      .spec = "{username: u, password: p}",
	                                      .environment = "{VSPHERE_ALLOW_INSECURE: maybe}"},
	               "OSG4030 1:1 vsphereURL is missing: the controller takes it from its "
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
	assert_contains(show_taint(f.arena, &text), "\"tenantId\":[\"from-env\"]");
	assert_int_equal(f.sink.error_count, 0);
	assert_one_diag(&f.sink, DIAG_ENVIRONMENT_INSTEAD, "1:11",
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
		/* A warning, for each reference to a Secret that is not among the manifests. */
		VEC_EACH (diag, &f.sink.diags) {
			assert_int_equal((*diag)->code, DIAG_SECRET_OUTSIDE);
		}
	}
	assert_refuses(
	    &(struct machine_case){.provider = "gce", .spec = "{}", .secrets_may_be_absent = true},
	    "OSG4030 1:1 serviceAccount is missing: the controller takes it from its "
	    "environment variable GOOGLE_SERVICE_ACCOUNT, which is not allowed here\n");
}

static void names_of_variables_are_sorted(void **state)
{
	FIXTURE_AUTO f = fixture_new();
	size_t count;
	const sv *names = dialect_variable_names(f.arena, &count);

	(void)state;
	assert_int_equal(count, 22);
	for (size_t i = 1; i < count; i++)
		assert_true(sv_cmp(names[i - 1], names[i]) < 0);
}

UNIT_TESTS(osm_config_var)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(forms_of_values),
	    cmocka_unit_test(wrong_values),
	    cmocka_unit_test(bools),
	    cmocka_unit_test(allowed_variables_stand_in),
	    cmocka_unit_test(silent_variables_are_reported),
	    cmocka_unit_test(broken_references_are_no_silent_fallback),
	    cmocka_unit_test(validation_does_without_secrets),
	    cmocka_unit_test(names_of_variables_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
