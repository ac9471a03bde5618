/*
 * When a legacy cloud-config is rendered, and by whom (osm.md 8.2).
 */
#include "osm/internal.h"

/* COMPAT: pre-releases never satisfy ">= 1.29", not even those of 1.36. */
static bool has_left_cloud_configs(const struct semver *version)
{
	return sv_empty(version->prerelease) &&
	       (version->major > 1 || (version->major == 1 && version->minor >= 29));
}

static enum status refuse(struct sink *sink, struct position at, const char *problem, sv provider)
{
	struct diag *diag =
	    diag_report(sink, DIAG_CLOUD_CONFIG, at, "failed to fetch cloud-config: %s %.*s",
	                problem, SV_ARG(provider));

	diag_set_help(
	    sink, diag,
	    "set externalCloudProvider: true, use a released kubelet of at least 1.29, or "
	    "give the text as overwriteCloudConfig");
	return STATUS_FAILED;
}

enum status osm_cloud_config_text(struct arena *arena, struct sink *sink,
                                  const struct osm_cluster *cluster,
                                  const struct osm_machine *machine, struct value *ret_text)
{
	const struct osm_provider_config *config = &machine->config;
	sv name = config->cloud_provider.string;
	const struct osm_provider *provider = osm_provider_find(name);
	struct position at = value_position(&config->cloud_provider);

	if (config->overwrite_cloud_config) {
		const struct kube_id *id = &machine->object->id;

		/* Such a text is where cloud credentials are. */
		*ret_text = osm_taint_string(
		    arena, *config->overwrite_cloud_config,
		    kube_secret_name(arena, id->namespace, id->name, SV("overwriteCloudConfig")));
		return STATUS_OK;
	}
	if (cluster->settings->external_cloud_provider ||
	    has_left_cloud_configs(&machine->kubelet_version) ||
	    (provider && provider->known && !provider->legacy)) {
		*ret_text = value_string(SV(""));
		return STATUS_OK;
	}
	if (!provider || !provider->known)
		return refuse(sink, at, "unknown cloud provider", name);
	if (!provider->render)
		return refuse(sink, at, "osm-gen does not render one yet for", name);
	if (value_is_null(&machine->provider_spec))
		return refuse(sink, value_position(config->root),
		              "cloudProviderSpec cannot be empty for", name);
	if (!value_is_map(&machine->provider_spec))
		return refuse(sink, value_position(&machine->provider_spec),
		              "cloudProviderSpec must be a map for", name);
	const struct osm_cloud_config_input input = {
	    .cluster = cluster,
	    .config = config,
	    .spec = &machine->provider_spec,
	    .kubelet_version = machine->kubelet_text.string,
	    .at = at,
	};
	return provider->render(arena, sink, &input, ret_text);
}
