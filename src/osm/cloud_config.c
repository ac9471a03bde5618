/*
 * Decides whether a legacy cloud-config is rendered, and calls the provider's function
 * (docs/spec/cloud-config.md 2).
 */
#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/cloud.h"
#include "osm/cluster.h"
#include "osm/machine.h"

/* COMPAT: pre-releases never satisfy ">= 1.29", not even those of 1.36. */
static bool has_left_cloud_configs(const struct semver *version)
{
	return sv_empty(version->prerelease) &&
	       (version->major > 1 || (version->major == 1 && version->minor >= 29));
}

static enum status refuse_cloud_config(struct sink *sink, struct position at, sv problem)
{
	struct diag *diag = diag_report(sink, DIAG_CLOUD_CONFIG, at,
	                                "failed to fetch cloud-config: %.*s", SV_ARG(problem));

	diag_set_help(
	    sink, diag,
	    "set externalCloudProvider: true, use a released kubelet of at least 1.29, or "
	    "give the text as overwriteCloudConfig");
	return STATUS_FAILED;
}

/* Returns the provider's function, or null if the provider has no legacy cloud-config. */
static osm_cloud_config *find_renderer(sv provider)
{
	static const struct {
		sv name;
		osm_cloud_config *render;
	} renderers[] = {
	    {SV_INIT("aws"), osm_cloud_config_aws},
	    {SV_INIT("azure"), osm_cloud_config_azure},
	    {SV_INIT("gce"), osm_cloud_config_gce},
	    {SV_INIT("kubevirt"), osm_cloud_config_kubevirt},
	    {SV_INIT("openstack"), osm_cloud_config_openstack},
	    {SV_INIT("vsphere"), osm_cloud_config_vsphere},
	};

	for (size_t i = 0; i < COUNT_OF(renderers); i++)
		if (sv_eq(renderers[i].name, provider))
			return renderers[i].render;
	return NULL;
}

static enum status render(struct arena *arena, struct sink *sink, const struct osm_cluster *cluster,
                          const struct osm_machine *machine, osm_cloud_config *renderer,
                          struct value *ret_text)
{
	const struct value *spec = &machine->provider_spec;
	const struct osm_cloud_config_input input = {
	    .cluster = cluster,
	    .spec = spec,
	    .raw_spec = machine->config.cloud_provider_spec,
	    .kubelet_version = machine->kubelet_text.string,
	};

	if (value_is_null(spec))
		return refuse_cloud_config(sink, value_position(&machine->config.cloud_provider),
		                           SV("failed to parse config: CloudProviderSpec in the "
		                              "MachineDeployment cannot be empty"));
	if (!value_is_map(spec))
		return refuse_cloud_config(
		    sink, value_position(spec),
		    SV("failed to parse config: failed to unmarshal CloudProviderSpec: "
		       "it must be a map"));
	return renderer(arena, sink, &input, ret_text);
}

enum status osm_cloud_config_text(struct arena *arena, struct sink *sink,
                                  const struct osm_cluster *cluster,
                                  const struct osm_machine *machine, struct value *ret_text)
{
	const struct osm_provider_config *config = &machine->config;
	sv name = config->cloud_provider.string;
	const struct osm_provider *provider = osm_provider_find(name);

	if (config->overwrite_cloud_config) {
		const struct kube_id *id = &machine->object->id;

		/* A cloud-config contains the credentials of the cloud. */
		*ret_text = secrecy_taint_string(
		    arena, *config->overwrite_cloud_config,
		    kube_secret_name(arena, id->namespace, id->name, SV("overwriteCloudConfig")));
		return STATUS_OK;
	}
	if (cluster->settings->external_cloud_provider ||
	    has_left_cloud_configs(&machine->kubelet_version)) {
		*ret_text = value_string(SV(""));
		return STATUS_OK;
	}
	if (!provider || !provider->known)
		return refuse_cloud_config(
		    sink, value_position(&config->cloud_provider),
		    ARENA_CONCAT(arena, SV("unknown cloud provider "), name));
	osm_cloud_config *renderer = find_renderer(name);
	if (renderer)
		return render(arena, sink, cluster, machine, renderer, ret_text);
	*ret_text = value_string(SV(""));
	return STATUS_OK;
}
