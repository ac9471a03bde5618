/*
 * Makes the MachineDeployment of a worker set, as `kubeone config machinedeployments` prints it
 * (docs/spec/kubeone.md 5).
 */
#include "osm/kubeone/internal.h"

#define NAMESPACE        "kube-system"
#define KUBELET_PREFIX   "v1.kubelet-config.machine-controller.kubermatic.io/"
#define LOG_SIZE_DEFAULT "100Mi"
enum { LOG_FILES_DEFAULT = 5 };

/* A worker set while its MachineDeployment is made. */
struct maker {
	const struct kubeone *k;
	struct arena *arena;
	const struct kubeone_worker_set *from;
	const struct value *provider_spec; /* decoded; null if the set has none */
};

/* Returns the worker set's position, for messages about members that it lacks. */
static struct origin origin_of(const struct maker *m)
{
	return m->provider_spec ? m->provider_spec->origin : m->from->set.origin;
}

static struct value new_map(const struct maker *m)
{
	struct value map = value_map_new(m->arena);

	map.origin = origin_of(m);
	return map;
}

static void set_member(const struct maker *m, struct value *map, const char *key, struct value v)
{
	value_map_set(m->arena, map, sv_from_cstr(key), v);
}

/* Sets a number of the type that parsers give numbers. */
static void set_number(const struct maker *m, struct value *map, const char *key, int64_t number)
{
	struct value v = value_int(number);

	v.type = &type_int64;
	set_member(m, map, key, v);
}

static void set_text(const struct maker *m, struct value *map, const char *key, const char *text)
{
	set_member(m, map, key, value_string(sv_from_cstr(text)));
}

/* Copies a member of the providerSpec with its key, if it is given. */
static void copy_member(const struct maker *m, struct value *map, const char *key)
{
	const struct value_entry *entry = value_map_find(m->provider_spec, sv_from_cstr(key));

	if (entry)
		value_map_set_at(m->arena, map, entry->key, entry->key_origin, entry->value);
}

/* ---- labels and annotations ------------------------------------------------------------------ */

static struct value labels_of(const struct maker *m)
{
	struct value labels = new_map(m);

	kubeone_add_members(m->arena, &labels, value_map_get(m->provider_spec, SV("labels")));
	set_member(m, &labels, "workerset", m->from->name);
	return labels;
}

/* Adds the annotations with which KubeOne hands loggingConfig to kubelets. */
static void add_logging(const struct maker *m, struct value *annotations)
{
	const struct value *size = kubeone_at(m->k, "loggingConfig.containerLogMaxSize");
	const struct value *files = kubeone_at(m->k, "loggingConfig.containerLogMaxFiles");

	if (!sv_empty(value_text(size)) && !sv_eq(size->string, SV(LOG_SIZE_DEFAULT)))
		set_member(m, annotations, KUBELET_PREFIX "ContainerLogMaxSize", *size);
	if (files && files->integer != 0 && files->integer != LOG_FILES_DEFAULT) {
		struct value text =
		    value_string(arena_printf(m->arena, "%lld", (long long)files->integer));

		text.origin = files->origin;
		set_member(m, annotations, KUBELET_PREFIX "ContainerLogMaxFiles", text);
	}
}

/* Sets the annotations of a member of the providerSpec, and those of loggingConfig. */
static void set_annotations(const struct maker *m, struct value *metadata, const char *member)
{
	struct value annotations = new_map(m);

	kubeone_add_members(m->arena, &annotations,
	                    value_map_get(m->provider_spec, sv_from_cstr(member)));
	add_logging(m, &annotations);
	if (value_count(&annotations) > 0)
		set_member(m, metadata, "annotations", annotations);
}

/* ---- cloudProviderSpec ----------------------------------------------------------------------- */

/*
 * COMPAT: KubeOne reads the numbers of a cloudProviderSpec as doubles.
 * CIRCLE: lists and maps in each other, as deep as YAML may nest.
 */
static struct value as_doubles(struct arena *arena, const struct value *v)
{
	const int64_t exact = (int64_t)1 << 53;
	struct value result = *v;

	if (value_is_list(v)) {
		result = value_list_new(arena);
		for (size_t i = 0; i < value_count(v); i++)
			value_list_add(arena, &result, as_doubles(arena, value_item(v, i)));
	} else if (value_is_map(v)) {
		result = value_map_new(arena);
		for (size_t i = 0; i < value_count(v); i++) {
			const struct value_entry *entry = &v->map->entries[i];

			value_map_set_at(arena, &result, entry->key, entry->key_origin,
			                 as_doubles(arena, &entry->value));
		}
	} else if ((value_is(v, KIND_INT64) && (v->integer > exact || v->integer < -exact))) {
		/*
		 * Do not convert back to int64_t: 2^63 - 1 becomes 2^63, which is out of its range.
		 */
		result = value_float((double)v->integer);
	} else if (value_is(v, KIND_UINT64)) {
		result = value_float((double)v->unsigned_integer);
	}
	result.origin = v->origin;
	result.taint = v->taint;
	return result;
}

/* The members that KubeOne writes for aws even if they are missing: strings, and nulls. */
static const char *const aws_texts[] = {"ami",    "availabilityZone", "diskType", "instanceProfile",
                                        "region", "subnetId",         "vpcId"};
static const char *const aws_nulls[] = {"assignPublicIP", "diskSize", "instanceType",
                                        "securityGroupIDs"};

static void set_missing(const struct maker *m, struct value *spec, const char *key, struct value v)
{
	v.origin = spec->origin;
	if (!value_map_find(spec, sv_from_cstr(key)))
		set_member(m, spec, key, v);
}

/* Leaves out members of spotInstanceConfig that are zero, as Go's omitempty does. */
static void drop_zeros(const struct maker *m, struct value *spec)
{
	struct value *spot = value_map_get_mutable(spec, SV("spotInstanceConfig"));
	struct value kept = value_map_new(m->arena);

	if (!spot)
		return;
	kept.origin = spot->origin;
	for (size_t i = 0; i < value_count(spot); i++) {
		const struct value_entry *entry = &spot->map->entries[i];

		if (entry->value.taint || kubeone_is_true(&entry->value) ||
		    !sv_empty(value_text(&entry->value)))
			value_map_set_at(m->arena, &kept, entry->key, entry->key_origin,
			                 entry->value);
	}
	*spot = kept;
}

static enum status aws_spec(const struct maker *m, struct value *ret_spec)
{
	const struct kubeone_decoder decoder = {
	    .arena = m->arena,
	    .sink = m->k->sink,
	    .code = DIAG_KUBEONE_WORKERS,
	    .what = "a worker set on aws",
	    .folds_case = true,
	    .drops_unknown = true,
	    .help = SV("KubeOne takes no secretKeyRef here; credentials of the cloud are variables "
	               "of the controller's environment (--allow-env)"),
	};
	size_t errors = m->k->sink->error_count;
	struct value spec = value_map_new(m->arena);
	struct value tags = value_map_new(m->arena);

	if (value_is_map(&m->from->spec))
		spec = kubeone_decode(&decoder, &kubeone_spec_aws, &m->from->spec,
		                      SV("cloudProviderSpec"));
	spec.origin = m->from->spec.origin;
	if (m->k->sink->error_count > errors)
		return STATUS_FAILED;
	for (size_t i = 0; i < COUNT_OF(aws_texts); i++)
		set_missing(m, &spec, aws_texts[i], value_string(SV("")));
	for (size_t i = 0; i < COUNT_OF(aws_nulls); i++)
		set_missing(m, &spec, aws_nulls[i], value_null());
	set_missing(m, &spec, "ebsVolumeEncrypted", value_bool(false));
	drop_zeros(m, &spec);
	kubeone_add_members(m->arena, &tags, value_map_get(&spec, SV("tags")));
	value_map_set(m->arena, &tags,
	              ARENA_CONCAT(m->arena, SV("kubernetes.io/cluster/"), value_text(&m->k->name)),
	              value_string(SV("shared")));
	set_member(m, &spec, "tags", tags);
	*ret_spec = as_doubles(m->arena, &spec);
	return STATUS_OK;
}

static enum status cloud_spec(const struct maker *m, struct value *ret_spec)
{
	const struct value *spec = &m->from->spec;

	if (!value_is_map(spec) && !value_is_null(spec)) {
		struct diag *diag =
		    diag_report(m->k->sink, DIAG_KUBEONE_WORKERS, kubeone_place(m->k, spec),
		                "the cloudProviderSpec of the worker set %.*s must be "
		                "a map",
		                SV_ARG(value_text(&m->from->name)));
		diag_set_help(m->k->sink, diag, "write its members as KEY: VALUE");
		return STATUS_FAILED;
	}
	if (sv_eq(m->k->provider, SV("aws")))
		return aws_spec(m, ret_spec);
	*ret_spec = as_doubles(m->arena, spec);
	return STATUS_OK;
}

/* ---- providerSpec.value ---------------------------------------------------------------------- */

static struct value or_empty(const struct maker *m, const struct value *v)
{
	struct value empty = value_string(SV(""));

	empty.origin = origin_of(m);
	return v ? *v : empty;
}

static struct value network_of(const struct maker *m, const struct value *given)
{
	const struct value *servers = value_path(given, "dns.servers");
	struct value network = new_map(m);
	struct value dns = new_map(m);

	set_member(m, &network, "cidr", or_empty(m, value_map_get(given, SV("cidr"))));
	set_member(m, &network, "gateway", or_empty(m, value_map_get(given, SV("gateway"))));
	set_member(m, &dns, "servers", servers ? *servers : value_null());
	set_member(m, &network, "dns", dns);
	set_member(m, &network, "ipFamily", or_empty(m, value_map_get(given, SV("ipFamily"))));
	network.origin = given->origin;
	return network;
}

static enum status provider_value(const struct maker *m, struct value *ret_value)
{
	const struct value *network = value_map_get(m->provider_spec, SV("network"));
	const struct value *keys = value_map_get(m->provider_spec, SV("sshPublicKeys"));
	bool is_director = sv_eq(m->k->provider, SV("vmwareCloudDirector"));
	struct value cloud =
	    value_string(is_director ? SV("vmware-cloud-director") : m->k->provider);
	struct value value = new_map(m);
	struct value spec;

	if (cloud_spec(m, &spec) != STATUS_OK)
		return STATUS_FAILED;
	if (m->k->provider_at.source)
		cloud.origin =
		    (struct origin){m->k->provider_at.source, (uint32_t)m->k->provider_at.offset,
		                    (uint32_t)m->k->provider_at.length, ORIGIN_EXACT};
	set_member(m, &value, "cloudProvider", cloud);
	set_member(m, &value, "cloudProviderSpec", spec);
	set_member(m, &value, "operatingSystem",
	           or_empty(m, value_map_get(m->provider_spec, SV("operatingSystem"))));
	copy_member(m, &value, "operatingSystemSpec");
	if (value_count(keys) > 0)
		copy_member(m, &value, "sshPublicKeys");
	if (network)
		set_member(m, &value, "network", network_of(m, network));
	copy_member(m, &value, "overwriteCloudConfig");
	*ret_value = value;
	return STATUS_OK;
}

/* ---- the object ------------------------------------------------------------------------------ */

/* Returns the taints as Kubernetes writes them: key and effect always. */
static struct value taints_of(const struct maker *m, const struct value *given)
{
	struct value taints = value_list_new(m->arena);

	taints.origin = given->origin;
	for (size_t i = 0; i < value_count(given); i++) {
		const struct value *from = value_item(given, i);
		const struct value *text = value_map_get(from, SV("value"));
		const struct value *time = value_map_get(from, SV("timeAdded"));
		struct value taint = new_map(m);

		taint.origin = from->origin;
		set_member(m, &taint, "key", or_empty(m, value_map_get(from, SV("key"))));
		if (!sv_empty(value_text(text)))
			set_member(m, &taint, "value", *text);
		set_member(m, &taint, "effect", or_empty(m, value_map_get(from, SV("effect"))));
		if (time)
			set_member(m, &taint, "timeAdded", *time);
		value_list_add(m->arena, &taints, taint);
	}
	return taints;
}

static struct value strategy_of(const struct maker *m)
{
	bool is_static = value_map_get(m->provider_spec, SV("network")) != NULL;
	struct value strategy = new_map(m);
	struct value update = new_map(m);

	set_number(m, &update, "maxSurge", is_static ? 0 : 1);
	set_number(m, &update, "maxUnavailable", is_static ? 1 : 0);
	set_text(m, &strategy, "type", "RollingUpdate");
	set_member(m, &strategy, "rollingUpdate", update);
	return strategy;
}

static struct value template_of(const struct maker *m, struct value provider)
{
	const struct value *annotations = value_map_get(m->provider_spec, SV("nodeAnnotations"));
	const struct value *taints = value_map_get(m->provider_spec, SV("taints"));
	struct value template = new_map(m);
	struct value metadata = new_map(m);
	struct value spec = new_map(m);
	struct value node = new_map(m);
	struct value versions = new_map(m);
	struct value provider_spec = new_map(m);

	set_text(m, &metadata, "namespace", NAMESPACE);
	set_member(m, &metadata, "labels", labels_of(m));
	set_annotations(m, &metadata, "machineObjectAnnotations");
	set_member(m, &node, "labels", labels_of(m));
	if (value_count(annotations) > 0)
		set_member(m, &node, "annotations", *annotations);
	set_member(m, &versions, "kubelet", m->k->version);
	set_member(m, &provider_spec, "value", provider);
	set_member(m, &spec, "metadata", node);
	set_member(m, &spec, "versions", versions);
	if (value_count(taints) > 0)
		set_member(m, &spec, "taints", taints_of(m, taints));
	set_member(m, &spec, "providerSpec", provider_spec);
	set_member(m, &template, "metadata", metadata);
	set_member(m, &template, "spec", spec);
	return template;
}

enum status kubeone_machine_deployment(const struct kubeone *k,
                                       const struct kubeone_worker_set *from,
                                       struct value *ret_root)
{
	const struct maker maker = {k, k->arena, from,
	                            value_map_get(&from->set, SV("providerSpec"))};
	const struct maker *m = &maker;
	struct value root = new_map(m);
	struct value metadata = new_map(m);
	struct value spec = new_map(m);
	struct value selector = new_map(m);
	struct value labels = new_map(m);
	struct value provider;

	if (provider_value(m, &provider) != STATUS_OK)
		return STATUS_FAILED;
	root.origin = from->set.origin;
	set_text(m, &root, "apiVersion", "cluster.k8s.io/v1alpha1");
	set_text(m, &root, "kind", "MachineDeployment");
	set_member(m, &metadata, "name", from->name);
	set_text(m, &metadata, "namespace", NAMESPACE);
	set_annotations(m, &metadata, "annotations");
	set_member(m, &root, "metadata", metadata);
	set_member(m, &labels, "workerset", from->name);
	set_member(m, &selector, "matchLabels", labels);
	set_number(m, &spec, "minReadySeconds", 0);
	set_member(m, &spec, "replicas", *value_map_get(&from->set, SV("replicas")));
	set_member(m, &spec, "selector", selector);
	set_member(m, &spec, "strategy", strategy_of(m));
	set_member(m, &spec, "template", template_of(m, provider));
	set_member(m, &root, "spec", spec);
	*ret_root = root;
	return STATUS_OK;
}
