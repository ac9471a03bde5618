/*
 * Terraform's output (`terraform output -json`): reads the four outputs that KubeOne reads, and
 * sets what manifest and output decide together (docs/spec/kubeone.md 3).
 */
#include "osm/kubeone/fields.h"
#include "osm/kubeone/internal.h"

#include "golang/golang.h"
#include "json/json.h"

/* ---- the outputs ----------------------------------------------------------------------------- */

/* clang-format off */
SHAPE_TABLE(tf_kubelet, "TerraformKubelet",
    ROW_TEXT("system_reserved", "resources for the system's daemons, cpu=200m,memory=200Mi"),
    ROW_TEXT("kube_reserved", "resources for Kubernetes' own daemons"),
    ROW_TEXT("eviction_hard", "signals below which pods are evicted"),
    ROW_INT32("max_pods", "how many pods the node runs at most"),
    ROW_INT32("image_gc_high_threshold_percent",
          "unused images are removed when the disk is this full"),
    ROW_INT32("image_gc_low_threshold_percent", "until it is this full"),
    SHAPE_ROW("image_minimum_gc_age", DURATION, ONE, "how long an unused image is kept at least"),
    SHAPE_ROW("image_maximum_gc_age", DURATION, ONE, "how long an unused image is kept at most"),
);
/* Lists with an item for each host, and what all hosts share. */
#define HOSTS \
    ROW_TEXTS("public_address", "that KubeOne connects to"), \
    SHAPE_ROW("ipv6_addresses", TEXT, LISTS, "for clusters with IPv6"), \
    ROW_TEXTS("private_address", "of the nodes in the cluster"), \
    ROW_TEXTS("hostnames", "names of the nodes"), \
    ROW_TEXT("operating_system", "of the hosts"), \
    ROW_TEXT("ssh_user", NULL), \
    ROW_INT("ssh_port", NULL), \
    ROW_TEXT("ssh_private_key_file", "path of the private key"), \
    ROW_TEXT("ssh_cert_file", "path of the certificate of the key"), \
    ROW_TEXT("ssh_agent_socket", "path of the agent's socket, or env:NAME of a variable that has it"), \
    SHAPE_ROW("ssh_hosts_keys", BASE64, LIST, "public keys of the hosts"), \
    ROW_TEXT("bastion", "address of the host through which SSH goes"), \
    ROW_INT("bastion_port", NULL), \
    ROW_TEXT("bastion_user", NULL), \
    SHAPE_ROW("bastion_host_key", BASE64, ONE, "public key of the bastion"), \
    ROW_TEXT("bastion_private_key_file", "path of the private key for the bastion"), \
    ROW_MAP("kubelet", tf_kubelet, "kubelets of the hosts"), \
    ROW_TEXT_DICT("labels", "of the nodes"), \
    ROW_TEXT_DICT("annotations", "of the nodes")
SHAPE_TABLE(tf_control_plane, "TerraformControlPlane",
    ROW_TEXT("cluster_name", "replaces the name of the manifest"),
    ROW_TEXT("cloud_provider", "the cloud, that of the manifest if it names one"),
    ROW_TEXT("leader_ip", "address of the host on which KubeOne runs kubeadm first"),
    ROW_BOOL("untaint", "the hosts run all pods"),
    ROW_TEXT("network_id", "private network, for the cloud controller manager on hetzner"),
    ROW_TEXT("vapp_name", "vApp of the machines on vmwareCloudDirector"),
    ROW_TEXT("storage_profile", "for the CSI driver's volumes on vmwareCloudDirector"),
    HOSTS,
);
SHAPE_TABLE(tf_hosts_value, "TerraformHosts",
    ROW_MAP("control_plane", tf_control_plane, "the cluster and the hosts of its control plane"),
);
SHAPE_TABLE(tf_api_value, "TerraformAPI",
    ROW_TEXT("endpoint", "address of the API servers' load balancer"),
    ROW_TEXTS("apiserver_alternative_names", "further names in the API server's certificate"),
);
SHAPE_TABLE(tf_static_group, "TerraformStaticWorkers", HOSTS);

/* An output as Terraform writes it. */
#define OUTPUT(...) \
    SHAPE_ROW("sensitive", ANY, ONE, "Terraform's, not read"), SHAPE_ROW("type", ANY, ONE, "Terraform's, not read"), __VA_ARGS__
SHAPE_TABLE(tf_api, "kubeone_api", OUTPUT(ROW_MAP("value", tf_api_value, "the API server")));
SHAPE_TABLE(tf_hosts, "kubeone_hosts", OUTPUT(ROW_MAP("value", tf_hosts_value, "the control plane")));
SHAPE_TABLE(tf_workers, "kubeone_workers",
      OUTPUT(ROW_MAP_DICT("value", kubeone_worker_set_shape, "worker sets by their names")));
SHAPE_TABLE(tf_static_workers, "kubeone_static_workers",
      OUTPUT(ROW_MAP_DICT("value", tf_static_group, "groups of hosts by any name")));
/* clang-format on */

static const struct shape *const outputs[] = {&tf_api, &tf_hosts, &tf_workers, &tf_static_workers};

/* ---- clouds --------------------------------------------------------------------------------- */

/* The clouds that kubeone_hosts may name, and their members of cloudProvider. */
static const struct kubeone_cloud {
	const char *name;
	const char *member;
} clouds[] = {
    {"aws", "aws"},
    {"azure", "azure"},
    {"digitalocean", "digitalocean"},
    {"gce", "gce"},
    {"hetzner", "hetzner"},
    {"kubevirt", "kubevirt"},
    {"nutanix", "nutanix"},
    {"openstack", "openstack"},
    {"equinixmetal", "equinixmetal"},
    {"packet", "equinixmetal"},
    {"vmwareCloudDirector", "vmwareCloudDirector"},
    {"vsphere", "vsphere"},
    {"none", "none"},
};

static void refuse_output(const struct kubeone *k, struct position at, const char *text)
{
	struct diag *diag = diag_report(k->sink, DIAG_KUBEONE_TERRAFORM, at, "%s", text);

	diag_set_help(k->sink, diag, KUBEONE_TERRAFORM_HELP);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Returns the output of that name in any letter case; of several the last one, as Go does. */
static const struct value_entry *find_output(const struct value *root, const char *name)
{
	const struct value_entry *found = NULL;

	for (size_t i = 0; i < value_count(root); i++)
		if (go_json_key_is(root->map->entries[i].key, sv_from_cstr(name)))
			found = &root->map->entries[i];
	return found;
}

static void read_output(struct kubeone *k, const struct value *root, const struct shape *output)
{
	const struct kubeone_decoder decoder = kubeone_terraform_decoder(k);
	const struct value_entry *entry = find_output(root, output->name);

	if (!entry || value_is_null(&entry->value))
		return;
	if (!value_is_map(&entry->value)) {
		refuse_output(
		    k, value_position(&entry->value),
		    "an output of Terraform is a map with sensitive, type and value; this is "
		    "not what `terraform output -json` writes");
		return;
	}
	value_map_set_at(
	    k->arena, &k->tf, sv_from_cstr(output->name), entry->key_origin,
	    kubeone_decode(&decoder, output, &entry->value, sv_from_cstr(output->name)));
}

enum status kubeone_read_terraform(struct kubeone *k)
{
	const struct source *source = k->expansion->terraform;
	size_t errors = k->sink->error_count;
	struct value root;

	if (!source)
		return STATUS_OK;
	if (!k->expansion->terraform_root && sv_empty(sv_trim_space(source->text))) {
		refuse_output(k, position_of_source(source), "Terraform's output is an empty file");
		return STATUS_FAILED;
	}
	if (k->expansion->terraform_root)
		root = *k->expansion->terraform_root;
	else if (json_parse(k->arena, k->sink, source, &root) != STATUS_OK)
		return STATUS_FAILED;
	k->tf = value_map_new(k->arena);
	/* COMPAT: Go decodes null into a struct without a mistake. */
	if (value_is_null(&root))
		return STATUS_OK;
	if (!value_is_map(&root)) {
		refuse_output(k, value_position(&root),
		              "Terraform's output must be a map of outputs");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < COUNT_OF(outputs); i++)
		read_output(k, &root, outputs[i]);
	return k->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}

/* ---- provider and name ---------------------------------------------------------------------- */

static void take_providers(struct kubeone *k)
{
	const struct value *given = kubeone_at(k, "cloudProvider");

	k->external_at_first = true;
	for (size_t i = 0; i < COUNT_OF(clouds); i++) {
		const struct value *cloud = value_map_get(given, sv_from_cstr(clouds[i].member));

		if (!cloud || strcmp(clouds[i].name, clouds[i].member) != 0)
			continue;
		if (sv_empty(k->provider)) {
			k->provider = sv_from_cstr(clouds[i].member);
			k->provider_at = value_position(cloud);
		} else {
			kubeone_refuse(k, cloud, "cloudProvider has two clouds",
			               "keep the one that the cluster runs on");
		}
		k->has_none_at_first |= strcmp(clouds[i].name, "none") == 0;
		if (strcmp(clouds[i].name, "none") == 0 ||
		    strcmp(clouds[i].name, "vmwareCloudDirector") == 0)
			k->external_at_first =
			    kubeone_is_true(value_map_get(given, SV("external")));
	}
}

static void add_provider(struct kubeone *k, const struct value *cloud)
{
	struct diag *diag;
	sv member = SV("");

	if (!cloud)
		return;
	for (size_t i = 0; i < COUNT_OF(clouds); i++)
		if (sv_eq_cstr(cloud->string, clouds[i].name))
			member = sv_from_cstr(clouds[i].member);
	if (sv_empty(member)) {
		diag = diag_report(k->sink, DIAG_KUBEONE_TERRAFORM, value_position(cloud),
		                   "KubeOne has no cloud \"%.*s\"", SV_ARG(cloud->string));
		diag_set_help(k->sink, diag,
		              "correct cloud_provider in Terraform's output kubeone_hosts");
	} else if (sv_empty(k->provider)) {
		k->provider = member;
		k->provider_at = value_position(cloud);
	} else if (!sv_eq(k->provider, member)) {
		diag = diag_report(k->sink, DIAG_KUBEONE_CLUSTER, value_position(cloud),
		                   "Terraform's output is for %.*s, the manifest for %.*s",
		                   SV_ARG(member), SV_ARG(k->provider));
		diag_add_note(k->sink, diag, k->provider_at, "the manifest's cloud is here");
		diag_set_help(k->sink, diag, "keep the one that the cluster runs on");
	}
}

static void take_name(struct kubeone *k, const struct value *control_plane)
{
	const struct value *given = value_map_get(control_plane, SV("cluster_name"));
	const struct value *written = value_map_get(&k->root, SV("name"));

	k->name = written ? *written : VALUE_INVALID;
	if (!sv_empty(value_text(given)))
		k->name = *given;
	/* COMPAT: the code for v1beta3 takes an empty name, too. */
	else if (k->is_v1beta3 && k->tf.type)
		k->name = VALUE_INVALID;
}

/* ---- hosts --------------------------------------------------------------------------------- */

/* Sets an address that is missing to the other one, as KubeOne's defaults do. */
static struct value with_addresses(struct arena *arena, const struct value *host)
{
	static const sv names[] = {SV_INIT("publicAddress"), SV_INIT("privateAddress")};
	struct value copy = value_map_new(arena);

	copy.origin = host->origin;
	kubeone_add_members(arena, &copy, host);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const struct value *other = value_map_get(&copy, names[1 - i]);

		if (sv_empty(value_text(value_map_get(&copy, names[i]))) &&
		    !sv_empty(value_text(other)))
			value_map_set(arena, &copy, names[i], *other);
	}
	return copy;
}

static void add_hosts(struct kubeone *k, struct value *into, const struct value *hosts)
{
	for (size_t i = 0; i < value_count(hosts); i++)
		value_list_add(k->arena, into, with_addresses(k->arena, value_item(hosts, i)));
}

static void set_if_given(struct arena *arena, struct value *into, const char *name,
                         const struct value *from)
{
	if (from)
		value_map_set(arena, into, sv_from_cstr(name), *from);
}

/* Makes the hosts of kubeone_hosts, or of one group of kubeone_static_workers. */
static struct value hosts_of(struct kubeone *k, const struct value *group)
{
	const struct value *public = value_map_get(group, SV("public_address"));
	const struct value *private = value_map_get(group, SV("private_address"));
	const struct value *ipv6 = value_map_get(group, SV("ipv6_addresses"));
	const struct value *names = value_map_get(group, SV("hostnames"));
	const struct value *leader = value_map_get(group, SV("leader_ip"));
	const struct value *addresses = value_count(public) > 0 ? public : private;
	struct value hosts = value_list_new(k->arena);

	for (size_t i = 0; i < value_count(addresses); i++) {
		struct value host = value_map_new(k->arena);
		const struct value *address = value_item(addresses, i);
		bool leads;

		host.origin = address->origin;
		value_map_set(k->arena, &host, SV("publicAddress"), *address);
		value_map_set(k->arena, &host, SV("privateAddress"),
		              i < value_count(private) ? *value_item(private, i) : *address);
		if (i < value_count(ipv6))
			value_map_set(k->arena, &host, SV("ipv6Addresses"), *value_item(ipv6, i));
		if (i < value_count(names))
			value_map_set(k->arena, &host, SV("hostname"), *value_item(names, i));
		set_if_given(k->arena, &host, "operatingSystem",
		             value_map_get(group, SV("operating_system")));
		set_if_given(k->arena, &host, "labels", value_map_get(group, SV("labels")));
		set_if_given(k->arena, &host, "annotations",
		             value_map_get(group, SV("annotations")));
		leads =
		    !sv_empty(value_text(leader)) &&
		    (sv_eq(leader->string, address->string) ||
		     sv_eq(leader->string, value_text(value_map_get(&host, SV("privateAddress")))));
		value_map_set(k->arena, &host, SV("isLeader"), value_bool(leads));
		value_list_add(k->arena, &hosts, with_addresses(k->arena, &host));
	}
	return hosts;
}

static void take_hosts(struct kubeone *k, const struct value *control_plane)
{
	const struct value *groups = value_path(&k->tf, "kubeone_static_workers.value");
	struct value given = hosts_of(k, control_plane);

	k->hosts = value_list_new(k->arena);
	add_hosts(k, &k->hosts,
	          value_count(&given) > 0 ? &given : kubeone_at(k, "controlPlane.hosts"));
	k->static_hosts = value_list_new(k->arena);
	add_hosts(k, &k->static_hosts, kubeone_at(k, "staticWorkers.hosts"));
	for (size_t i = 0; i < value_count(groups); i++) {
		struct value group = hosts_of(k, &groups->map->entries[i].value);

		add_hosts(k, &k->static_hosts, &group);
	}
}

static void take_endpoint(struct kubeone *k)
{
	const struct value *given = value_path(&k->tf, "kubeone_api.value.endpoint");
	const struct value *written = kubeone_at(k, "apiEndpoint.host");
	const struct value *first = value_count(&k->hosts) > 0 ? value_item(&k->hosts, 0) : NULL;

	if (!sv_empty(value_text(given)))
		k->endpoint = *given;
	else if (!sv_empty(value_text(written)))
		k->endpoint = *written;
	else if (!k->is_v1beta3 && !sv_empty(value_text(value_map_get(first, SV("publicAddress")))))
		k->endpoint = *value_map_get(first, SV("publicAddress"));
}

/* ---- worker sets --------------------------------------------------------------------------- */

static void add_worker_set(struct kubeone *k, const struct value *set, const struct value *name,
                           struct position at)
{
	const struct value *spec = value_path(set, "providerSpec.cloudProviderSpec");

	VEC_PUSH(k->arena, &k->workers,
	         (struct kubeone_worker_set){
	             .name = name ? *name : VALUE_INVALID,
	             .set = *set,
	             .spec = spec ? *spec : VALUE_INVALID,
	             .at = at,
	         });
}

static struct kubeone_worker_set *find_worker_set(struct kubeone *k, sv name)
{
	VEC_EACH (worker, &k->workers)
		if (sv_eq(value_text(&worker->name), name))
			return worker;
	return NULL;
}

static enum status take_worker_sets(struct kubeone *k)
{
	const struct value *written = kubeone_at(k, "dynamicWorkers");
	const struct value *given = value_path(&k->tf, "kubeone_workers.value");
	const struct value_entry **entries =
	    ARENA_ARRAY(k->arena, const struct value_entry *, value_count(given));
	enum status status = STATUS_OK;

	for (size_t i = 0; i < value_count(written); i++) {
		const struct value *set = value_item(written, i);
		const struct value *name = value_map_get(set, SV("name"));

		add_worker_set(k, set, name, kubeone_place(k, set));
	}
	for (size_t i = 0; i < value_count(given); i++)
		entries[i] = &given->map->entries[i];
	SORT_POINTERS_BY(entries, value_count(given), key);
	for (size_t i = 0; i < value_count(given); i++) {
		struct kubeone_worker_set *existing = find_worker_set(k, entries[i]->key);
		struct value name = value_string(entries[i]->key);

		name.origin = entries[i]->key_origin;
		if (!existing) {
			kubeone_check_set_secrets(k, &entries[i]->value);
			add_worker_set(k, &entries[i]->value, &name, value_position(&name));
			continue;
		}
		status |= kubeone_merge(k, existing, &entries[i]->value,
		                        ARENA_CONCAT(k->arena, SV("kubeone_workers.value."),
		                                     entries[i]->key,
		                                     SV(".providerSpec.cloudProviderSpec")));
	}
	return status == STATUS_OK && !k->refused ? STATUS_OK : STATUS_FAILED;
}

enum status kubeone_apply_terraform(struct kubeone *k)
{
	const struct value *control_plane = value_path(&k->tf, "kubeone_hosts.value.control_plane");
	size_t errors = k->sink->error_count;

	take_providers(k);
	add_provider(k, value_map_get(control_plane, SV("cloud_provider")));
	take_name(k, control_plane);
	take_hosts(k, control_plane);
	take_endpoint(k);
	if (k->sink->error_count > errors)
		return STATUS_FAILED;
	return take_worker_sets(k);
}
