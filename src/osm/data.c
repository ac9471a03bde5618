/*
 * Builds the data that a profile's templates get as dot (docs/spec/templates.md 2).
 */
#include "osm/data.h"
#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/cluster.h"
#include "osm/data_types.h"
#include "osm/machine.h"
#include "osm/osm.h"
#include "tmpl/tmpl.h"

/* Returns the zero value of a type: an empty string, false, nil, a struct of zeros. */
static struct value zero_value(struct arena *arena, const struct type *type)
{
	struct value v = {.type = type};

	if (type->kind == KIND_STRUCT) {
		v.fields = ARENA_ARRAY(arena, struct value, type->field_count);
		for (size_t i = 0; i < type->field_count; i++)
			v.fields[i] = zero_value(arena, type->fields[i].type);
	}
	return v;
}

/* Returns a string of the given type. Shares its bytes and taint. */
static struct value typed_text(const struct type *type, const struct value *string)
{
	struct value v = *string;

	v.type = type;
	return v;
}

static struct value pointer_to(struct arena *arena, const struct type *type, struct value target)
{
	struct value v = {.type = type, .target = ARENA_NEW(arena, struct value)};

	*v.target = target;
	return v;
}

/* Returns a *string, which is nil without a string. */
static struct value optional_text(struct arena *arena, const struct value *string)
{
	if (!string || !string->type)
		return (struct value){.type = &type_string_ptr};
	return pointer_to(arena, &type_string_ptr, *string);
}

static struct value optional_int(struct arena *arena, const int32_t *number)
{
	if (!number)
		return (struct value){.type = &type_int32_ptr};
	return pointer_to(arena, &type_int32_ptr,
	                  (struct value){.type = &type_int32, .integer = *number});
}

static struct value optional_map(struct arena *arena, const struct value *map)
{
	if (!map)
		return (struct value){.type = &type_string_map_ptr};
	return pointer_to(arena, &type_string_map_ptr, *map);
}

static struct value optional_age(struct arena *arena, const int64_t *nanoseconds)
{
	if (!nanoseconds)
		return (struct value){.type = &osm_type_duration_ptr};
	struct value duration = zero_value(arena, &osm_type_duration);
	duration.fields[0].integer = *nanoseconds;
	return pointer_to(arena, &osm_type_duration_ptr, duration);
}

struct value osm_data_ips(struct arena *arena, const struct value *texts)
{
	struct value ips = value_list_new(arena);

	ips.type = &osm_type_ips;
	for (size_t i = 0; i < value_count(texts); i++) {
		struct value item = {.type = &type_ip};
		struct ip ip;

		if (!go_ip_parse(value_text(value_item(texts, i)), &ip))
			BUG("an address that the settings let through");
		item.string = arena_dup(arena, sv_from((const char *)ip.bytes, sizeof(ip.bytes)));
		value_list_add(arena, &ips, item);
	}
	return ips;
}

static struct value network_value(struct arena *arena, const struct osm_network *network)
{
	if (!network)
		return (struct value){.type = &osm_type_network_ptr};
	struct value v = zero_value(arena, &osm_type_network);
	v.fields[NETWORK_CIDR] = network->cidr;
	v.fields[NETWORK_GATEWAY] = network->gateway;
	v.fields[NETWORK_DNS].fields[0] = network->dns_servers;
	v.fields[NETWORK_IP_FAMILY] = typed_text(&osm_type_ip_family, &network->ip_family);
	return pointer_to(arena, &osm_type_network_ptr, v);
}

static void set_kubelet(struct arena *arena, struct value *fields, const struct osm_kubelet *k)
{
	fields[KUBELET_KUBE_RESERVED] = optional_map(arena, k->kube_reserved);
	fields[KUBELET_SYSTEM_RESERVED] = optional_map(arena, k->system_reserved);
	fields[KUBELET_EVICTION_HARD] = optional_map(arena, k->eviction_hard);
	fields[KUBELET_MAX_PODS] = optional_int(arena, k->max_pods);
	fields[KUBELET_CONTAINER_LOG_MAX_SIZE] = optional_text(arena, k->container_log_max_size);
	fields[KUBELET_CONTAINER_LOG_MAX_FILES] = optional_text(arena, k->container_log_max_files);
	fields[KUBELET_IMAGE_GC_HIGH] = optional_int(arena, k->image_gc_high);
	fields[KUBELET_IMAGE_GC_LOW] = optional_int(arena, k->image_gc_low);
	fields[KUBELET_IMAGE_MINIMUM_GC_AGE] = optional_age(arena, k->image_minimum_gc_age);
	fields[KUBELET_IMAGE_MAXIMUM_GC_AGE] = optional_age(arena, k->image_maximum_gc_age);
}

/* Returns the struct of all operating systems, in which only the machine's own is filled. */
static void set_system(struct value *fields, const struct osm_data *data)
{
	static const struct {
		sv name;
		enum osm_systems_field field;
	} plain[] = {
	    {SV_INIT("ubuntu"), SYSTEMS_UBUNTU},
	    {SV_INIT("amzn2"), SYSTEMS_AMZN2},
	    {SV_INIT("rockylinux"), SYSTEMS_ROCKY_LINUX},
	};
	const struct osm_system *system = data->system;
	struct value *flatcar = fields[SYSTEMS_FLATCAR].fields;
	struct value *rhel = fields[SYSTEMS_RHEL].fields;

	for (size_t i = 0; i < COUNT_OF(plain); i++) {
		if (sv_eq(data->os_name, plain[i].name))
			fields[plain[i].field].fields[0] = value_bool(system->dist_upgrade_on_boot);
	}
	if (sv_eq_cstr(data->os_name, "flatcar")) {
		flatcar[FLATCAR_DISABLE_AUTO_UPDATE] = value_bool(system->disable_auto_update);
		flatcar[FLATCAR_DISABLE_LOCKSMITHD] = value_bool(system->disable_locksmithd);
		flatcar[FLATCAR_DISABLE_UPDATE_ENGINE] = value_bool(system->disable_update_engine);
		flatcar[FLATCAR_PROVISIONING_UTILITY] = system->provisioning_utility;
		flatcar[FLATCAR_PROVISIONING_UTILITY].type = &osm_type_utility;
	}
	if (sv_eq_cstr(data->os_name, "rhel")) {
		rhel[RHEL_DIST_UPGRADE_ON_BOOT] = value_bool(system->dist_upgrade_on_boot);
		rhel[RHEL_SUBSCRIPTION_USER] = system->subscription_user;
		rhel[RHEL_SUBSCRIPTION_PASSWORD] = system->subscription_password;
		rhel[RHEL_OFFLINE_TOKEN] = system->offline_token;
		rhel[RHEL_ATTACH_SUBSCRIPTION] = value_bool(system->attach_subscription);
		rhel[RHEL_USE_SATELLITE] = value_bool(system->use_satellite);
		rhel[RHEL_SATELLITE_SERVER] = system->satellite_server;
		rhel[RHEL_ORGANIZATION] = system->organization;
		rhel[RHEL_ACTIVATION_KEY] = system->activation_key;
	}
}

/* Returns a flag's value as *string, which is nil if the flag is empty. */
static struct value flag_text(struct arena *arena, const struct value *string)
{
	return optional_text(arena, sv_empty(value_text(string)) ? NULL : string);
}

struct value osm_data_value(struct arena *arena, const struct osm_cluster *cluster,
                            const struct osm_data *data)
{
	const struct osm_settings *settings = cluster->settings;
	struct value v = zero_value(arena, &osm_type_files_data);
	struct value *f = v.fields;
	struct value *bootstrap = f[DATA_BOOTSTRAP_CONFIG].fields;

	f[DATA_KUBE_VERSION] = value_string(data->kube_version);
	f[DATA_BOOTSTRAP_KUBECONFIG] = data->bootstrap_kubeconfig;
	f[DATA_IN_TREE_CCM_AVAILABLE] = value_bool(data->in_tree_ccm);
	f[DATA_CLUSTER_DNS_IPS] = cluster->cluster_dns;
	f[DATA_KUBERNETES_CA_CERT] = cluster->kubernetes_ca;
	f[DATA_HOST_CA_CERT] = settings->host_ca;
	f[DATA_CLOUD_CONFIG] = data->cloud_config;
	f[DATA_CONTAINER_RUNTIME] = value_string(settings->container_runtime);
	f[DATA_CLOUD_PROVIDER_NAME] = typed_text(&osm_type_provider_name, &data->provider_name);
	f[DATA_NETWORK_CONFIG] = network_value(arena, data->network);
	f[DATA_EXTERNAL_CLOUD_PROVIDER] = value_bool(data->external_cloud_provider);
	f[DATA_INITIAL_TAINTS] = settings->initial_taints;
	f[DATA_HTTP_PROXY] = flag_text(arena, &settings->http_proxy);
	f[DATA_NO_PROXY] = flag_text(arena, &settings->no_proxy);
	f[DATA_CONTAINER_RUNTIME_CONFIG] = cluster->containerd_config;
	f[DATA_KUBELET_FEATURE_GATES] = settings->feature_gates;
	if (data->network)
		f[DATA_NETWORK_IP_FAMILY] = typed_text(&type_string, &data->network->ip_family);
	f[DATA_PAUSE_IMAGE] = settings->pause_image;
	set_kubelet(arena, f[DATA_KUBELET_CONFIG].fields, data->kubelet);
	set_system(f[DATA_OPERATING_SYSTEM_CONFIG].fields, data);
	bootstrap[BOOTSTRAP_TOKEN] = data->token;
	bootstrap[BOOTSTRAP_SERVER_URL] = cluster->server_url;
	bootstrap[BOOTSTRAP_SECRET_NAME] = value_string(data->secret_name);
	bootstrap[BOOTSTRAP_KUBECONFIG_SECRET_NAME] = value_string(data->kubeconfig_secret_name);
	return pointer_to(arena, &osm_type_files_data_ptr, v);
}
