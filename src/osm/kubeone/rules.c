/*
 * The rules of KubeOne's validation for the rest of the manifest, which no MachineDeployment is
 * made of. A manifest that KubeOne refuses is most likely not the cluster's (docs/spec/kubeone.md
 * 4).
 */
#include "osm/kubeone/internal.h"

#include "golang/golang.h"

static bool is_one_of(sv word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sv_eq_cstr(word, words[i]))
			return true;
	return false;
}

static bool is_above(const struct value *number, int64_t most)
{
	return number && number->integer > most;
}

static bool is_below(const struct value *number, int64_t least)
{
	return number && number->integer < least;
}

/* ---- hosts --------------------------------------------------------------------------------- */

static void check_kubelet_config(const struct kubeone *k, const struct value *kubelet)
{
	static const sv percents[] = {SV_INIT("imageGCHighThresholdPercent"),
	                              SV_INIT("imageGCLowThresholdPercent")};
	const struct value *pods = value_map_get(kubelet, SV("maxPods"));

	if (is_below(pods, 1))
		kubeone_refuse(k, pods, "maxPods must be positive", "write a number from 1 on");
	for (size_t i = 0; i < COUNT_OF(percents); i++) {
		const struct value *percent = value_map_get(kubelet, percents[i]);

		if (is_below(percent, 0) || is_above(percent, 100))
			kubeone_refuse(k, percent, "a percentage must be from 0 to 100",
			               "correct the number");
	}
}

/* Reports "KEY-: VALUE", with which KubeOne would remove a label and set it. */
static void check_labels(const struct kubeone *k, const struct value *labels)
{
	for (size_t i = 0; i < value_count(labels); i++) {
		const struct value_entry *entry = &labels->map->entries[i];

		if (sv_ends_with(entry->key, SV("-")) && !sv_empty(value_text(&entry->value)))
			kubeone_refuse(k, &entry->value, "a key to remove cannot have a value",
			               "write \"\" as the value, or remove the - from the key");
	}
}

static void check_host(const struct kubeone *k, const struct value *host, bool needs_ipv6)
{
	static const char *const systems[] = {"",     "ubuntu",     "debian", "centos",
	                                      "rhel", "rockylinux", "flatcar"};
	const struct value *system = value_map_get(host, SV("operatingSystem"));
	const struct value *taints = value_map_get(host, SV("taints"));

	if (sv_empty(value_text(value_map_get(host, SV("publicAddress")))))
		kubeone_refuse(k, host, "the host has neither publicAddress nor privateAddress",
		               "add its address");
	if (needs_ipv6 && value_count(value_map_get(host, SV("ipv6Addresses"))) == 0)
		kubeone_refuse(k, host, "the host has no ipv6Addresses, which this ipFamily needs",
		               "add them");
	if (!is_one_of(value_text(system), systems, COUNT_OF(systems)))
		kubeone_refuse(k, system, "KubeOne does not know this operatingSystem",
		               "use ubuntu, debian, centos, rhel, rockylinux or flatcar");
	check_kubelet_config(k, value_map_get(host, SV("kubelet")));
	check_labels(k, value_map_get(host, SV("annotations")));
	check_labels(k, value_map_get(host, SV("labels")));
	for (size_t i = 0; i < value_count(taints); i++) {
		const struct value *key = value_map_get(value_item(taints, i), SV("key"));

		if (sv_eq(value_text(key), SV("node-role.kubernetes.io/master")))
			kubeone_refuse(k, key, "Kubernetes has no taint of this name any more",
			               "write node-role.kubernetes.io/control-plane");
	}
}

static void check_hosts(const struct kubeone *k, const struct value *hosts)
{
	sv family = value_text(kubeone_at(k, "clusterNetwork.ipFamily"));
	bool needs_ipv6 = !sv_empty(family) && !sv_eq(family, SV("IPv4"));
	bool has_leader = false;

	for (size_t i = 0; i < value_count(hosts); i++) {
		const struct value *host = value_item(hosts, i);
		const struct value *leads = value_map_get(host, SV("isLeader"));

		check_host(k, host, needs_ipv6);
		if (has_leader && kubeone_is_true(leads))
			kubeone_refuse(k, leads->origin.source ? leads : host,
			               "two hosts are the leader",
			               "set isLeader for one host only");
		has_leader |= kubeone_is_true(leads);
	}
}

/* A host cannot be in the control plane and a static worker. */
static void check_static_workers(const struct kubeone *k)
{
	static const sv members[] = {SV_INIT("hostname"), SV_INIT("privateAddress"),
	                             SV_INIT("publicAddress")};

	check_hosts(k, &k->static_hosts);
	for (size_t i = 0; i < COUNT_OF(members); i++) {
		struct set used = set_in(k->arena);

		for (size_t j = 0; j < value_count(&k->hosts); j++)
			set_add(&used,
			        value_text(value_map_get(value_item(&k->hosts, j), members[i])));
		for (size_t j = 0; j < value_count(&k->static_hosts); j++) {
			const struct value *text =
			    value_map_get(value_item(&k->static_hosts, j), members[i]);

			if (!sv_empty(value_text(text)) && set_has(&used, text->string))
				kubeone_refuse(
				    k, text,
				    "a host of the control plane has this address or name, "
				    "too",
				    "keep the host in one of the two lists");
		}
	}
}

/*
 * Returns true if nothing is made of the manifest, and the members that Terraform's output decides
 * are missing because it is not committed. Warns of that.
 */
static bool lacks_terraform(const struct kubeone *k)
{
	bool has_hosts =
	    value_count(&k->hosts) > 0 || value_count(kubeone_at(k, "controlPlane.nodeSets")) > 0;
	struct diag *diag;

	if (!k->expansion->has_units || k->expansion->terraform || k->workers.count > 0 ||
	    (has_hosts && !sv_empty(value_text(&k->name))))
		return false;
	diag = diag_report(k->sink, DIAG_KUBEONE_STATE, kubeone_place(k, NULL),
	                   "Terraform's output for this KubeOneCluster is not in the repository: "
	                   "the committed MachineDeployments alone are rendered");
	diag_set_help(k->sink, diag,
	              "if Terraform has worker sets (its output kubeone_workers), commit what "
	              "`terraform output -json > tf.json` writes, and set terraformOutput: tf.json "
	              "in the Cluster's spec (osm-gen.yaml), or commit their MachineDeployments");
	return true;
}

static void check_cluster_name(const struct kubeone *k)
{
	bool is_empty = sv_empty(value_text(&k->name));

	if (kube_name_valid(value_text(&k->name)))
		return;
	struct diag *diag = diag_report(k->sink, DIAG_KUBEONE_CLUSTER, kubeone_place(k, &k->name),
	                                is_empty ? "the KubeOneCluster has no name"
	                                         : "the name of the KubeOneCluster is invalid");
	kubeone_help(k, diag, "write name: of a-z, 0-9, - and .");
}

static void check_control_plane(const struct kubeone *k, bool lacks_terraform)
{
	static const char *const managed[] = {"hetzner", "openstack", "kubevirt"};
	const struct value *sets = kubeone_at(k, "controlPlane.nodeSets");
	const struct value *at = kubeone_at(k, "controlPlane");
	const struct value *port = kubeone_at(k, "apiEndpoint.port");
	struct diag *diag;

	if (value_count(&k->hosts) == 0 && value_count(sets) == 0 && !lacks_terraform) {
		diag = diag_report(k->sink, DIAG_KUBEONE_CLUSTER, kubeone_place(k, at),
		                   "the KubeOneCluster has no hosts of a control plane");
		kubeone_help(k, diag, "add controlPlane.hosts");
	} else if (value_count(&k->hosts) == 0 && value_count(sets) > 0 &&
	           value_count(sets) % 2 == 0) {
		kubeone_refuse(k, sets, "the number of nodeSets must be odd", "add or remove one");
	}
	if (sets && !is_one_of(k->provider, managed, COUNT_OF(managed)))
		kubeone_refuse(k, sets, "KubeOne cannot create a control plane on this cloud",
		               "write controlPlane.hosts instead of nodeSets");
	check_hosts(k, &k->hosts);
	if (!k->endpoint.type && value_count(&k->hosts) > 0 && value_count(sets) == 0) {
		diag = diag_report(k->sink, DIAG_KUBEONE_CLUSTER,
		                   kubeone_place(k, kubeone_at(k, "apiEndpoint")),
		                   "the KubeOneCluster has no apiEndpoint.host");
		kubeone_help(k, diag, "add the address of the API server");
	}
	if (is_below(port, 0) || is_above(port, 65535))
		kubeone_refuse(k, port, "apiEndpoint.port must be from 1 to 65535",
		               "correct the port");
}

static void check_alternative_names(const struct kubeone *k)
{
	const struct value *names =
	    value_path(&k->tf, "kubeone_api.value.apiserver_alternative_names");
	struct set seen = set_in(k->arena);

	if (value_count(names) == 0)
		names = kubeone_at(k, "apiEndpoint.alternativeNames");
	for (size_t i = 0; i < value_count(names); i++)
		if (!set_add(&seen, value_text(value_item(names, i)))) {
			kubeone_refuse(k, value_item(names, i),
			               "this alternative name is there twice",
			               "remove one of them");
			return;
		}
}

/* ---- network ------------------------------------------------------------------------------- */

/* Reads "ADDRESS/BITS". Returns false if it is not a network of that family. */
static bool read_network(sv text, bool is_ipv6, int64_t *ret_bits)
{
	sv address;
	sv bits;
	struct ip ip;

	return sv_cut(text, SV("/"), &address, &bits) && go_ip_parse(address, &ip) &&
	       (sv_find_char(address, ':') != SV_NPOS) == is_ipv6 &&
	       sv_parse_int64(bits, ret_bits) && *ret_bits >= 0 &&
	       *ret_bits <= (is_ipv6 ? 128 : 32);
}

static void check_subnets(const struct kubeone *k, bool is_ipv6)
{
	static const char *const members[][2] = {
	    {"clusterNetwork.podSubnet", "clusterNetwork.podSubnetIPv6"},
	    {"clusterNetwork.serviceSubnet", "clusterNetwork.serviceSubnetIPv6"},
	};
	const struct value *mask = kubeone_at(k, is_ipv6 ? "clusterNetwork.nodeCIDRMaskSizeIPv6"
	                                                 : "clusterNetwork.nodeCIDRMaskSizeIPv4");
	int64_t pod_bits = is_ipv6 ? 48 : 16;
	bool is_sound = true;

	for (size_t i = 0; i < COUNT_OF(members); i++) {
		const struct value *subnet = kubeone_at(k, members[i][is_ipv6]);
		int64_t bits = 0;

		if (sv_empty(value_text(subnet)))
			continue;
		if (!read_network(subnet->string, is_ipv6, &bits)) {
			kubeone_refuse(
			    k, subnet, "this is not a network in the form ADDRESS/BITS",
			    "write one of the cluster's ipFamily, such as 10.244.0.0/16");
			is_sound = false;
		} else if (i == 0) {
			pod_bits = bits;
		}
	}
	int64_t mask_bits = mask ? mask->integer : is_ipv6 ? 64 : 24;
	if (is_sound && pod_bits >= mask_bits)
		kubeone_refuse(k, mask ? mask : kubeone_at(k, members[0][is_ipv6]),
		               "the network of a node's pods must be smaller than that of all pods",
		               "use a larger nodeCIDRMaskSize, or a larger podSubnet");
}

static void check_ip_family(const struct kubeone *k)
{
	static const char *const dual[] = {"aws", "none", "vsphere"};
	const struct value *family = kubeone_at(k, "clusterNetwork.ipFamily");
	sv text = value_text(family);

	if (sv_empty(text) || sv_eq(text, SV("IPv4"))) {
		check_subnets(k, false);
	} else if (!sv_eq(text, SV("IPv4+IPv6"))) {
		kubeone_refuse(k, family, "KubeOne does not support this ipFamily",
		               "write IPv4, or IPv4+IPv6 on aws, vsphere and none");
	} else {
		if (!is_one_of(k->provider, dual, COUNT_OF(dual)))
			kubeone_refuse(
			    k, family,
			    "KubeOne supports this ipFamily on aws, vsphere and none only",
			    "write IPv4");
		check_subnets(k, false);
		check_subnets(k, true);
	}
}

static void check_cilium(const struct kubeone *k, const struct value *cilium)
{
	const struct value *replacement = value_map_get(cilium, SV("kubeProxyReplacement"));
	const struct value *gateway = value_map_get(cilium, SV("enableGatewayAPI"));
	const struct value *redirect = value_map_get(cilium, SV("enableLocalRedirectPolicy"));
	const struct value *dns = kubeone_at(k, "features.nodeLocalDNS");
	bool replaces =
	    sv_eq(value_text(replacement), SV("strict")) || kubeone_is_true(replacement);

	if (kubeone_is_true(redirect) &&
	    (!dns || kubeone_is_true(value_map_get(dns, SV("deploy")))))
		kubeone_refuse(k, redirect,
		               "enableLocalRedirectPolicy cannot be used with nodeLocalDNS",
		               "set features.nodeLocalDNS: {deploy: false}");
	if (replaces &&
	    !kubeone_is_true(kubeone_at(k, "clusterNetwork.kubeProxy.skipInstallation")))
		kubeone_refuse(k, replacement,
		               "kubeProxyReplacement cannot be used with kube-proxy",
		               "set clusterNetwork.kubeProxy: {skipInstallation: true}");
	if (kubeone_is_true(gateway) && !replaces)
		kubeone_refuse(k, gateway, "enableGatewayAPI needs kubeProxyReplacement",
		               "set kubeProxyReplacement");
	if (kubeone_is_true(redirect) && !replaces)
		kubeone_refuse(k, redirect, "enableLocalRedirectPolicy needs kubeProxyReplacement",
		               "set kubeProxyReplacement");
}

static void check_cluster_network(const struct kubeone *k)
{
	const struct value *cni = kubeone_at(k, "clusterNetwork.cni");
	const struct value *proxy = kubeone_at(k, "clusterNetwork.kubeProxy");

	check_ip_family(k);
	if (cni && value_count(cni) != 1)
		kubeone_refuse(k, cni, "cni must name exactly one plugin",
		               "keep one of canal, cilium, weaveNet and external");
	if (value_map_get(cni, SV("cilium")))
		check_cilium(k, value_map_get(cni, SV("cilium")));
	if (value_map_get(proxy, SV("iptables")) && value_map_get(proxy, SV("ipvs")))
		kubeone_refuse(k, proxy, "kubeProxy must have one of ipvs and iptables",
		               "remove one of them");
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void check_registries(const struct kubeone *k)
{
	const struct value *registries = kubeone_at(k, "containerRuntime.containerd.registries");
	const struct value *insecure = kubeone_at(k, "registryConfiguration.insecureRegistry");
	struct set hosts = set_in(k->arena);

	for (size_t i = 0; i < value_count(registries); i++) {
		const struct value_entry *entry = &registries->map->entries[i];
		sv host;
		sv path;

		(void)sv_cut(entry->key, SV("/"), &host, &path);
		if (sv_eq(entry->key, SV("_default")))
			kubeone_refuse(k, &entry->value, "_default is not the name of a registry",
			               "write \"*\" for all registries");
		else if (!set_add(&hosts, host))
			kubeone_refuse(k, &entry->value,
			               "another registry has the same host, and containerd has one "
			               "configuration for each host",
			               "keep one of them");
	}
	if (kubeone_is_true(insecure) &&
	    sv_empty(value_text(kubeone_at(k, "registryConfiguration.overwriteRegistry"))))
		kubeone_refuse(
		    k, insecure, "insecureRegistry needs overwriteRegistry",
		    "name the registry in overwriteRegistry, or remove insecureRegistry");
}

static void require_in(const struct kubeone *k, const struct value *feature, sv member)
{
	const struct value *config = value_map_get(feature, SV("config"));
	const struct value *given = value_map_get(config, member);

	if (kubeone_is_true(value_map_get(feature, SV("enable"))) && sv_empty(value_text(given))) {
		struct diag *diag = diag_report(k->sink, DIAG_KUBEONE_CLUSTER,
		                                kubeone_place(k, config ? config : feature),
		                                "this feature needs config.%.*s", SV_ARG(member));
		diag_set_help(k->sink, diag, "add it, or turn the feature off");
	}
}

static void check_features(const struct kubeone *k)
{
	const struct value *features = kubeone_at(k, "features");
	const struct value *log = value_map_get(features, SV("staticAuditLog"));
	const struct value *replicas = kubeone_at(k, "features.coreDNS.replicas");
	static const char *const numbers[] = {"logMaxAge", "logMaxBackup", "logMaxSize"};

	if (is_below(replicas, 0))
		kubeone_refuse(k, replicas, "coreDNS.replicas must not be negative",
		               "correct the number");
	require_in(k, value_map_get(features, SV("eventRateLimit")), SV("configFilePath"));
	require_in(k, value_map_get(features, SV("podNodeSelector")), SV("configFilePath"));
	require_in(k, log, SV("policyFilePath"));
	require_in(k, value_map_get(features, SV("webhookAuditLog")), SV("policyFilePath"));
	require_in(k, value_map_get(features, SV("webhookAuditLog")), SV("configFilePath"));
	require_in(k, value_map_get(features, SV("openidConnect")), SV("issuerUrl"));
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		const struct value *number =
		    value_map_get(value_map_get(log, SV("config")), sv_from_cstr(numbers[i]));

		if (kubeone_is_true(value_map_get(log, SV("enable"))) && is_below(number, 0))
			kubeone_refuse(k, number, "this number of staticAuditLog must be positive",
			               "correct the number, or leave it out");
	}
}

static void check_release(const struct kubeone *k, const struct value *release)
{
	const struct value *auth = value_map_get(release, SV("auth"));
	bool has_user = !sv_empty(value_text(value_map_get(auth, SV("username"))));
	bool has_password = !sv_empty(value_text(value_map_get(auth, SV("password"))));
	bool has_url = !sv_empty(value_text(value_map_get(release, SV("chartURL"))));

	if (!has_url && sv_empty(value_text(value_map_get(release, SV("chart")))))
		kubeone_refuse(k, release, "a Helm release needs chart or chartURL",
		               "add one of them");
	if (has_user != has_password)
		kubeone_refuse(k, auth, "auth of a Helm release needs username and password",
		               "add the missing one");
	if (sv_empty(value_text(value_map_get(release, SV("namespace")))))
		kubeone_refuse(k, release, "a Helm release needs a namespace", "add namespace");
	if (has_url && sv_empty(value_text(value_map_get(release, SV("releaseName")))) &&
	    sv_empty(value_text(value_map_get(release, SV("chart")))))
		kubeone_refuse(k, release, "a Helm release with chartURL needs releaseName",
		               "add releaseName");
}

static void check_releases(const struct kubeone *k)
{
	const struct value *releases = kubeone_at(k, "helmReleases");
	const struct value *addons = kubeone_at(k, "addons.addons");

	for (size_t i = 0; i < value_count(releases); i++)
		check_release(k, value_item(releases, i));
	for (size_t i = 0; i < value_count(addons); i++) {
		const struct value *release =
		    value_map_get(value_item(addons, i), SV("helmRelease"));

		if (release)
			check_release(k, release);
	}
}

static void check_components(const struct kubeone *k)
{
	static const char *const flags[] = {"controlPlaneComponents.controllerManager.flags",
	                                    "controlPlaneComponents.scheduler.flags",
	                                    "controlPlaneComponents.apiServer.flags"};
	static const char *const modes[] = {"", "periodic", "revision"};
	const int64_t least_quota = (int64_t)2 * 1024 * 1024 * 1024;
	const struct value *quota = kubeone_at(k, "controlPlaneComponents.etcd.quotaBackendBytes");
	const struct value *mode = kubeone_at(k, "controlPlaneComponents.etcd.autoCompactionMode");

	for (size_t i = 0; i < COUNT_OF(flags); i++) {
		const struct value *gates =
		    value_map_get(kubeone_at(k, flags[i]), SV("feature-gates"));

		if (gates)
			kubeone_refuse(k, gates, "feature-gates is not allowed among the flags",
			               "use featureGates");
	}
	if (quota && quota->integer != 0 && quota->integer < least_quota)
		kubeone_refuse(k, quota, "quotaBackendBytes must be at least 2 GiB",
		               "correct the number, or leave it out");
	if (!is_one_of(value_text(mode), modes, COUNT_OF(modes)))
		kubeone_refuse(k, mode, "autoCompactionMode must be periodic or revision",
		               "correct it, or leave it out");
}

static void check_system_manager(const struct kubeone *k)
{
	const struct value *manager = kubeone_at(k, "operatingSystemManager");
	const struct value *deploy = value_map_get(manager, SV("deploy"));

	if (kubeone_is_true(deploy) && !k->deploys_machines)
		kubeone_refuse(k, deploy, "operatingSystemManager needs machineController",
		               "set operatingSystemManager.deploy: false");
}

void kubeone_check_rules(const struct kubeone *k)
{
	bool lacks = lacks_terraform(k);

	if (!lacks || !sv_empty(value_text(&k->name)))
		check_cluster_name(k);
	check_control_plane(k, lacks);
	check_alternative_names(k);
	check_kubelet_config(k, kubeone_at(k, "kubeletConfig"));
	check_static_workers(k);
	check_cluster_network(k);
	check_registries(k);
	check_system_manager(k);
	check_features(k);
	check_releases(k);
	check_components(k);
}
