/*
 * What templates see (docs/spec/templates.md 2): how each kind of field prints, tests and fails.
 */
#include "osm/cluster.h"
#include "osm/data.h"
#include "osm/machine.h"
#include "osm_fixture.h"
#include "tmpl/tmpl.h"

struct scene {
	struct fixture f;
	struct osm_cluster cluster;
	struct osm_data data;
	struct osm_kubelet kubelet;
	struct osm_network network;
};

static const struct osm_system ubuntu = {.dist_upgrade_on_boot = true};

static struct scene scene_new(void)
{
	struct scene s = {.f = fixture_new()};
	struct value dns = value_list_new(s.f.arena);

	value_list_add(s.f.arena, &dns, value_string(SV("10.0.0.1")));
	value_list_add(s.f.arena, &dns, value_string(SV("fd00::a")));
	s.cluster = (struct osm_cluster){
	    .cluster_dns = osm_data_ips(s.f.arena, &dns),
	    .kubernetes_ca = value_string(SV("CA")),
	    .containerd_config = value_string(SV("TOML\n")),
	    .server_url = value_string(SV("https://api")),
	};
	s.data = (struct osm_data){
	    .kube_version = SV("v1.33.0"),
	    .bootstrap_kubeconfig = value_string(SV("KUBECONFIG")),
	    .cloud_config = value_string(SV("")),
	    .provider_name = value_string(SV("aws")),
	    .os_name = SV("ubuntu"),
	    .system = &ubuntu,
	    .token = value_string(SV("TOKEN")),
	    .secret_name = SV("md-ns-provisioning-config"),
	    .kubeconfig_secret_name = SV("ns-md-kubelet-bootstrap-config"),
	};
	return s;
}

/* What a template gives; "error: TEXT" when it fails. */
static sv run(struct scene *s, const char *template)
{
	struct value text = value_string(sv_from_cstr(template));
	const struct tmpl_source source = {SV("t"), &text};
	const struct tmpl_options options = tmpl_options_default();
	struct text out = text_in(s->f.arena);
	struct tmpl_set *set;
	struct tmpl_error error = {0};
	struct value data;

	s->cluster.settings = &s->f.settings;
	s->data.kubelet = &s->kubelet;
	data = osm_data_value(s->f.arena, &s->cluster, &s->data);
	if (tmpl_parse(s->f.arena, &s->f.sink, &tmpl_funcs_profile, &source, &set, &error) !=
	        STATUS_OK ||
	    tmpl_execute(s->f.arena, &s->f.sink, set, &data, &options, &out, &error) != STATUS_OK)
		return ARENA_CONCAT(s->f.arena, SV("error: "), error.text);
	return text_sv(&out);
}

static void assert_run(struct scene *s, const char *template, const char *want)
{
	assert_sv(run(s, template), want);
}

static void plain_fields(void **state)
{
	struct scene s = scene_new();

	(void)state;
	assert_run(&s, "{{ .KubeVersion }} {{ .KubernetesCACert }}{{ .CNIVersion }}", "v1.33.0 CA");
	assert_run(&s, "{{ .InTreeCCMAvailable }} {{ .ContainerRuntime }}", "false containerd");
	assert_run(&s, "{{ .ClusterDNSIPs }} {{ index .ClusterDNSIPs 0 }}",
	           "[10.0.0.1 fd00::a] 10.0.0.1");
	assert_run(&s, "{{ range .ClusterDNSIPs }}{{ . }};{{ end }}", "10.0.0.1;fd00::a;");
	assert_run(&s,
	           "{{ (index .ClusterDNSIPs 0).IsPrivate }} {{ len (index .ClusterDNSIPs 0) }}",
	           "true 16");
	assert_run(&s, "{{ .KubeletFeatureGates }}", "map[RotateKubeletServerCertificate:true]");
	assert_run(&s, "{{ .RHSubscription }}{{ if .RHSubscription }}yes{{ end }}", "map[]");
	assert_run(&s,
	           "{{ .Token }} {{ .ServerURL }} {{ .SecretName }} "
	           "{{ .BootstrapKubeconfigSecretName }}",
	           "TOKEN https://api md-ns-provisioning-config ns-md-kubelet-bootstrap-config");
	fixture_free(&s.f);
}

static void named_strings(void **state)
{
	struct scene s = scene_new();

	(void)state;
	assert_run(&s, "{{ .CloudProviderName }} {{ eq .CloudProviderName \"aws\" }}", "aws true");
	assert_run(&s, "{{ printf \"%T\" .CloudProviderName }}", "v1alpha1.CloudProvider");
	assert_run(&s, "{{ quote .CloudProviderName }}", "\"aws\"");
	assert_run(&s, "{{ upper .CloudProviderName }}",
	           "error: template: t:1:9: executing \"t\" at <.CloudProviderName>: wrong type "
	           "for value; expected string; got v1alpha1.CloudProvider");
	fixture_free(&s.f);
}

static void pointers_to_strings(void **state)
{
	struct scene s = scene_new();
	struct value empty = value_string(SV(""));

	(void)state;
	assert_run(&s, "{{ .HTTPProxy }} {{ .NoProxy }}",
	           "<nil> .svc,.cluster.local,localhost,127.0.0.1");
	assert_run(&s, "{{ if .HTTPProxy }}yes{{ else }}no{{ end }}", "no");
	assert_run(&s, "{{ upper .NoProxy }}", ".SVC,.CLUSTER.LOCAL,LOCALHOST,127.0.0.1");
	/* Present and empty is true. */
	s.kubelet.container_log_max_size = &empty;
	assert_run(&s, "[{{ .ContainerLogMaxSize }}]{{ if .ContainerLogMaxSize }}yes{{ end }}",
	           "[]yes");
	fixture_free(&s.f);
}

static void kubelet_pointers(void **state)
{
	struct scene s = scene_new();
	const int32_t none = 0;
	const int64_t hour = 3600LL * 1000000000LL;
	struct value empty = value_map_new(s.f.arena);
	struct value some = value_map_new(s.f.arena);

	(void)state;
	assert_run(&s, "{{ .MaxPods }} {{ .KubeReserved }}", "<nil> <nil>");
	empty.type = &type_string_map;
	some.type = &type_string_map;
	value_map_set(s.f.arena, &some, SV("cpu"), value_string(SV("1")));
	value_map_set(s.f.arena, &some, SV("a"), value_string(SV("b")));
	s.kubelet = (struct osm_kubelet){
	    .kube_reserved = &some,
	    .eviction_hard = &empty,
	    .max_pods = &none,
	    .image_minimum_gc_age = &hour,
	};
	assert_run(&s, "{{ .MaxPods }}{{ if .MaxPods }} yes{{ end }}", "0 yes");
	assert_run(&s, "{{ .KubeReserved }} {{ .KubeReserved.cpu }}", "map[a:b cpu:1] 1");
	assert_run(&s, "{{ range $k, $v := .KubeReserved }}{{ $k }}={{ $v }};{{ end }}",
	           "a=b;cpu=1;");
	assert_run(&s, "{{ if .EvictionHard }}yes{{ end }}{{ range .EvictionHard }}x{{ end }}",
	           "yes");
	assert_run(&s, "{{ .ImageMinimumGCAge }}", "&Duration{Duration:1h0m0s,}");
	assert_run(&s, "{{ .ImageMinimumGCAge.Duration }} {{ .ImageMinimumGCAge.Hours }}",
	           "1h0m0s 1");
	assert_run(&s, "{{ .ImageMinimumGCAge.String }} {{ .ImageMinimumGCAge.Duration.String }}",
	           "&Duration{Duration:1h0m0s,} 1h0m0s");
	fixture_free(&s.f);
}

static void networks(void **state)
{
	struct scene s = scene_new();
	struct value servers = value_list_new(s.f.arena);

	(void)state;
	assert_run(&s, "{{ .NetworkConfig }} [{{ .NetworkIPFamily }}]", "<nil> []");
	assert_run(&s, "{{ .NetworkConfig.IsStaticIPConfig }}{{ .NetworkConfig.GetIPFamily }}",
	           "false");
	assert_run(&s, "{{ .NetworkConfig.CIDR }}",
	           "error: template: t:1:17: executing \"t\" at <.NetworkConfig.CIDR>: nil pointer "
	           "evaluating *providerconfig.NetworkConfig.CIDR");
	servers.type = &type_string_list;
	value_list_add(s.f.arena, &servers, value_string(SV("s1")));
	value_list_add(s.f.arena, &servers, value_string(SV("s2")));
	s.network = (struct osm_network){
	    .cidr = value_string(SV("CIDR")),
	    .gateway = value_string(SV("GATEWAY")),
	    .dns_servers = servers,
	    .ip_family = value_string(SV("IPv4+IPv6")),
	};
	s.data.network = &s.network;
	assert_run(&s, "{{ .NetworkConfig }} {{ .NetworkIPFamily }}",
	           "{CIDR GATEWAY {[s1 s2]} IPv4+IPv6} IPv4+IPv6");
	assert_run(&s, "{{ .NetworkConfig.IsStaticIPConfig }} {{ .NetworkConfig.GetIPFamily }}",
	           "true IPv4+IPv6");
	assert_run(&s, "{{ eq .NetworkIPFamily \"IPv4+IPv6\" }} {{ upper .NetworkIPFamily }}",
	           "true IPV4+IPV6");
	fixture_free(&s.f);
}

static void systems(void **state)
{
	struct scene s = scene_new();

	(void)state;
	assert_run(
	    &s,
	    "{{ .UbuntuConfig }} {{ .AmazonLinuxConfig }} {{ .UbuntuConfig.DistUpgradeOnBoot }}",
	    "{true} {false} true");
	assert_run(&s, "{{ .FlatcarConfig }}|{{ .RhelConfig }}",
	           "{false false false }|{false    false false   }");
	assert_run(&s, "{{ if .RockyLinuxConfig }}yes{{ end }}", "yes");
	fixture_free(&s.f);
}

static void what_is_not_there(void **state)
{
	struct scene s = scene_new();

	(void)state;
	assert_run(&s, "{{ .kubeletConfig }}",
	           "error: template: t:1:3: executing \"t\" at <.kubeletConfig>: kubeletConfig is "
	           "an unexported field of struct type *resources.filesData");
	assert_run(&s, "{{ .Nope }}",
	           "error: template: t:1:3: executing \"t\" at <.Nope>: can't evaluate field Nope "
	           "in type *resources.filesData");
	fixture_free(&s.f);
}

/* Names, in Go's order of declaration. */
static void as_json(void **state)
{
	struct scene s = scene_new();

	(void)state;
	s.f.settings.no_proxy = value_string(SV(""));
	assert_run(
	    &s, "{{ toJson . }}",
	    "{\"KubeVersion\":\"v1.33.0\",\"KubeletConfiguration\":\"\",\"KubeletSystemdUnit\":"
	    "\"\","
	    "\"BootstrapKubeconfig\":\"KUBECONFIG\",\"InTreeCCMAvailable\":false,\"CNIVersion\":"
	    "\"\","
	    "\"ClusterDNSIPs\":[\"10.0.0.1\",\"fd00::a\"],\"KubernetesCACert\":\"CA\","
	    "\"HostCACert\":\"\",\"ServerAddress\":\"\",\"CloudConfig\":\"\","
	    "\"ContainerRuntime\":\"containerd\",\"CloudProviderName\":\"aws\","
	    "\"NetworkConfig\":null,\"ExternalCloudProvider\":false,\"InitialTaints\":\"\","
	    "\"HTTPProxy\":null,\"NoProxy\":null,\"ContainerRuntimeConfig\":\"TOML\\n\","
	    "\"ContainerRuntimeAuthConfig\":\"\","
	    "\"KubeletFeatureGates\":{\"RotateKubeletServerCertificate\":true},"
	    "\"RHSubscription\":null,\"NetworkIPFamily\":\"\",\"PauseImage\":\"\","
	    "\"KubeReserved\":null,\"SystemReserved\":null,\"EvictionHard\":null,\"MaxPods\":null,"
	    "\"ContainerLogMaxSize\":null,\"ContainerLogMaxFiles\":null,"
	    "\"ImageGCHighThresholdPercent\":null,\"ImageGCLowThresholdPercent\":null,"
	    "\"ImageMinimumGCAge\":null,\"ImageMaximumGCAge\":null,"
	    "\"AmazonLinuxConfig\":{\"distUpgradeOnBoot\":false},"
	    "\"FlatcarConfig\":{\"disableAutoUpdate\":false,\"disableLocksmithD\":false,"
	    "\"disableUpdateEngine\":false},"
	    "\"RhelConfig\":{\"distUpgradeOnBoot\":false,\"attachSubscription\":false,"
	    "\"rhelUseSatelliteServer\":false,\"rhelSatelliteServer\":\"\","
	    "\"rhelOrganizationName\":\"\",\"rhelActivationKey\":\"\"},"
	    "\"UbuntuConfig\":{\"distUpgradeOnBoot\":true},"
	    "\"RockyLinuxConfig\":{\"distUpgradeOnBoot\":false},\"Token\":\"TOKEN\","
	    "\"ServerURL\":\"https://api\",\"SecretName\":\"md-ns-provisioning-config\","
	    "\"BootstrapKubeconfigSecretName\":\"ns-md-kubelet-bootstrap-config\"}");
	const int64_t age = 90LL * 1000000000LL;
	s.kubelet.image_maximum_gc_age = &age;
	assert_run(&s, "{{ toJson .ImageMaximumGCAge }}", "\"1m30s\"");
	fixture_free(&s.f);
}

/* OSG3002 lists the data for those who look for a field's name. */
static void assert_explained(const struct type *type, const char *explanation)
{
	for (size_t i = 0; i < type->field_count; i++) {
		const struct type_field *field = &type->fields[i];
		char name[64];
		bool found = false;

		if (field->embedded) {
			assert_explained(field->type, explanation);
			continue;
		}
		int length = snprintf(name, sizeof(name), ".%.*s", SV_ARG(field->name));
		for (const char *at = explanation; (at = strstr(at, name)) != NULL; at += length)
			found |= strchr(" ,.", at[length]) != NULL;
		if (!found)
			fail_msg("%s is not in the explanation of OSG3002", name);
	}
}

static void all_is_explained(void **state UNUSED)
{
	struct scene s = scene_new();

	s.cluster.settings = &s.f.settings;
	s.data.kubelet = &s.kubelet;
	struct value data = osm_data_value(s.f.arena, &s.cluster, &s.data);
	assert_explained(data.type->elem, diag_code_find(DIAG_TEMPLATE_RUNTIME)->explanation);
	fixture_free(&s.f);
}

UNIT_TESTS(osm_data)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(plain_fields),
	    cmocka_unit_test(named_strings),
	    cmocka_unit_test(pointers_to_strings),
	    cmocka_unit_test(kubelet_pointers),
	    cmocka_unit_test(networks),
	    cmocka_unit_test(systems),
	    cmocka_unit_test(what_is_not_there),
	    cmocka_unit_test(as_json),
	    cmocka_unit_test(all_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
