/*
 * Reads a MachineDeployment, and checks whether its profile suits it (docs/spec/controller.md 1,
 * 2.4).
 */
#include "osm/cloud.h"
#include "osm/spelling.h"
#include "osm/unfilled.h"

/* The default for flatcar on anexia with the provisioning utility cloud-init. */
#define ANEXIA_PROFILE "osp-flatcar-cloud-init"

#define OS_NAMES_HELP "set operatingSystem to ubuntu, flatcar, rhel, amzn2 or rockylinux"

/* Returns providerSpec.value. Reports it and returns null if it is missing. */
static const struct value *find_config(struct sink *sink, const struct kube_object *object)
{
	const struct value *config =
	    value_path(object->root, "spec.template.spec.providerSpec.value");

	if (!value_is_null(config))
		return config;
	const struct value *near = value_path(object->root, "spec.template.spec.providerSpec");
	if (!near)
		near = value_path(object->root, "spec.template.spec");
	struct diag *diag = diag_report(
	    sink, DIAG_MD_CONFIG, near ? value_position(near) : kube_object_position(object),
	    "the MachineDeployment has no spec.template.spec.providerSpec.value");
	diag_set_help(sink, diag,
	              "add it, with cloudProvider, cloudProviderSpec and operatingSystem; or, when "
	              "the manifest is a patch for kustomize, commit what `kustomize build` prints "
	              "in its place");
	return NULL;
}

/* Reads the MachineDeployment's annotations, which must all be strings. */
static enum status read_annotations(struct arena *arena, struct sink *sink,
                                    const struct kube_object *object, sv profile_name,
                                    struct value *ret_annotations)
{
	const struct value *given = value_path(object->root, "metadata.annotations");
	struct value annotations = value_map_new(arena);
	enum status status = STATUS_OK;

	if (!value_is_null(given) && !value_is_map(given)) {
		diag_report(sink, DIAG_MD_CONFIG, value_position(given),
		            "metadata.annotations must be a map");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < value_count(given); i++) {
		const struct value_entry *entry = &given->map->entries[i];

		if (!value_is_string(&entry->value)) {
			struct diag *diag =
			    diag_report(sink, DIAG_MD_CONFIG, value_position(&entry->value),
			                "annotation %.*s must be a string", SV_ARG(entry->key));
			diag_set_help(sink, diag, "put it in quotes");
			status = STATUS_FAILED;
			continue;
		}
		value_map_set_at(arena, &annotations, entry->key, entry->key_origin, entry->value);
	}
	/* The controller's webhook would have set it. */
	if (sv_empty(value_text(value_map_get(&annotations, SV(OSM_ANNOTATION_PROFILE)))))
		value_map_set(arena, &annotations, SV(OSM_ANNOTATION_PROFILE),
		              value_string(profile_name));
	*ret_annotations = annotations;
	return status;
}

/* ---- the profile ------------------------------------------------------------------------- */

/* Reports a field that is empty or missing. (Strict reading reports a misspelt one.) */
static enum status report_no(struct sink *sink, enum diag_code code,
                             const struct osm_provider_config *config, const struct value *given,
                             const char *field, const char *help)
{
	bool is_empty = given->origin.source != NULL;

	if (!is_empty && osm_provider_config_misspells(config->root, sv_from_cstr(field)))
		return STATUS_FAILED;
	struct diag *diag =
	    diag_report(sink, code, value_position(is_empty ? given : config->root),
	                is_empty ? "%s is empty" : "providerSpec.value has no %s", field);
	diag_set_help(sink, diag, "%s", help);
	return STATUS_FAILED;
}

static enum status report_no_os(struct sink *sink, const struct osm_provider_config *config)
{
	return report_no(sink, DIAG_MD_OS, config, &config->operating_system, "operatingSystem",
	                 OS_NAMES_HELP);
}

static enum status report_no_profile(struct sink *sink,
                                     const struct osm_profile_reference *reference,
                                     const struct osm_provider_config *config)
{
	sv os_name = config->operating_system.string;
	sv nearest = diag_nearest(os_name, osm_os_names, OSM_OS_COUNT);

	if (sv_empty(os_name))
		return report_no_os(sink, config);
	struct diag *diag =
	    diag_report(sink, DIAG_MD_OS, reference->at,
	                "no profile is named, and operating system \"%.*s\" has no default one",
	                SV_ARG(os_name));
	diag_help_quoted(sink, diag, nearest,
	                 "name a profile with the annotation " OSM_ANNOTATION_PROFILE);
	return STATUS_FAILED;
}

/*
 * Returns the webhook's default for the annotation, or an empty string if the webhook rejects the
 * MachineDeployment.
 */
static sv webhook_profile(struct arena *arena, const struct osm_provider_config *config)
{
	sv os_name = config->operating_system.string;

	if (sv_eq_cstr(config->cloud_provider.string, "anexia") && sv_eq_cstr(os_name, "flatcar") &&
	    sv_eq_cstr(value_text(go_json_member(config->operating_system_spec,
	                                         SV("provisioningUtility"))),
	               "cloud-init"))
		return SV(ANEXIA_PROFILE);
	for (size_t i = 0; i < OSM_OS_COUNT; i++)
		if (sv_eq(os_name, osm_os_names[i]))
			return ARENA_CONCAT(arena, SV("osp-"), os_name);
	return SV("");
}

static enum status default_profile(struct arena *arena, struct sink *sink,
                                   const struct osm_settings *settings,
                                   const struct kube_object *object,
                                   struct osm_profile_reference *reference)
{
	const struct value *root = find_config(sink, object);
	struct osm_provider_config config;

	if (!root || osm_provider_config_read(arena, sink, root, OSM_LENIENT, &config) != STATUS_OK)
		return STATUS_FAILED;
	reference->defaulted = true;
	reference->at = config.operating_system.origin.source
	                    ? value_position(&config.operating_system)
	                    : kube_object_position(object);
	reference->name = webhook_profile(arena, &config);
	if (sv_empty(reference->name))
		return report_no_profile(sink, reference, &config);
	/* Settings do not override it, since its user-data is of another kind than flatcar's. */
	if (sv_eq_cstr(reference->name, ANEXIA_PROFILE))
		return STATUS_OK;
	VEC_EACH (given, &settings->default_profiles) {
		if (!sv_eq(given->os_name, config.operating_system.string))
			continue;
		reference->name = given->profile;
		reference->setting = given;
	}
	return STATUS_OK;
}

enum status osm_profile_wanted(struct arena *arena, struct sink *sink,
                               const struct osm_settings *settings,
                               const struct kube_object *machine_deployment,
                               struct osm_profile_reference *ret_reference)
{
	const struct value *annotations =
	    value_path(machine_deployment->root, "metadata.annotations");
	const struct value *name = value_map_get(annotations, SV(OSM_ANNOTATION_PROFILE));
	struct osm_profile_reference reference = {
	    .name = value_text(name),
	    .namespace =
	        value_text(value_map_get(annotations, SV(OSM_ANNOTATION_PROFILE_NAMESPACE))),
	    .at = value_position(name),
	};
	DIAG_SCOPE(sink, kube_object_describe(arena, machine_deployment), sink->cluster);

	enum status status =
	    sv_empty(reference.name)
	        ? default_profile(arena, sink, settings, machine_deployment, &reference)
	        : STATUS_OK;
	if (status == STATUS_OK)
		*ret_reference = reference;
	return status;
}

void osm_profile_note_setting(struct sink *sink, struct diag *diag,
                              const struct osm_profile_reference *reference)
{
	if (reference->setting)
		diag_add_note(sink, diag, reference->setting->at,
		              "the setting defaultProfiles names it, for %.*s",
		              SV_ARG(reference->setting->os_name));
}

/* Returns true if it was reported for another MachineDeployment with the same setting. */
static bool is_reported(const struct sink *sink, enum diag_code code, struct position at)
{
	enum { LAST = 4096 };
	size_t count = sink->diags.count;

	for (size_t i = count > LAST ? count - LAST : 0; i < count; i++)
		if (sink->diags.items[i]->code == code &&
		    sink->diags.items[i]->at.source == at.source &&
		    sink->diags.items[i]->at.offset == at.offset)
			return true;
	return false;
}

bool osm_profile_fits_setting(struct sink *sink, const struct osm_profile_reference *reference,
                              const struct osm_profile *profile)
{
	const struct osm_default_profile *given = reference->setting;

	if (!given || sv_eq(profile->os_name.string, given->os_name))
		return true;
	if (is_reported(sink, DIAG_OSP_OS, given->at))
		return false;
	struct diag *diag = diag_report(
	    sink, DIAG_OSP_OS, given->at,
	    "defaultProfiles: OperatingSystemProfile \"%.*s\" is for %.*s, not for %.*s",
	    SV_ARG(given->profile), SV_ARG(profile->os_name.string), SV_ARG(given->os_name));
	diag_add_note(sink, diag, value_position(&profile->os_name), "the profile's osName");
	diag_add_note(sink, diag, reference->at, "this MachineDeployment names no profile");
	diag_set_help(sink, diag, "name a profile for %.*s", SV_ARG(given->os_name));
	return false;
}

void osm_profile_report_unknown(struct sink *sink, const struct osm_profile_reference *reference,
                                const sv *names, size_t count)
{
	sv nearest = diag_nearest(reference->name, names, count);
	struct diag *diag =
	    diag_report(sink, DIAG_OSP_NOT_FOUND, reference->at,
	                "OperatingSystemProfile \"%.*s\" not found", SV_ARG(reference->name));

	if (reference->defaulted)
		diag_add_note(sink, diag, reference->at,
		              "the MachineDeployment names none, so its operating system decides");
	osm_profile_note_setting(sink, diag, reference);
	diag_help_quoted(sink, diag, nearest,
	                 "commit the profile, or name another one in the "
	                 "annotation " OSM_ANNOTATION_PROFILE);
}

/* ---- do the two fit together ------------------------------------------------------------- */

static enum status check_os(struct sink *sink, const struct osm_profile *profile,
                            const struct osm_provider_config *config, struct position fallback)
{
	const struct value *os = &config->operating_system;
	struct position at = os->origin.source ? value_position(os) : fallback;
	bool known = false;

	for (size_t i = 0; i < OSM_OS_COUNT; i++)
		known |= sv_eq(os->string, osm_os_names[i]);
	if (sv_empty(os->string))
		return report_no_os(sink, config);
	if (!known) {
		sv nearest = diag_nearest(os->string, osm_os_names, OSM_OS_COUNT);
		struct diag *diag = diag_report(
		    sink, DIAG_MD_OS, at, "unknown operating system \"%.*s\"", SV_ARG(os->string));
		diag_help_quoted(sink, diag, nearest, OS_NAMES_HELP);
		return STATUS_FAILED;
	}
	if (!sv_eq(os->string, profile->os_name.string)) {
		struct diag *diag = diag_report(
		    sink, DIAG_OSP_OS, at,
		    "OperatingSystemProfile \"%.*s\" is for %.*s, not for %.*s",
		    SV_ARG(profile->name), SV_ARG(profile->os_name.string), SV_ARG(os->string));
		diag_add_note(sink, diag, value_position(&profile->os_name),
		              "the profile's osName");
		diag_set_help(sink, diag,
		              "name another profile in " OSM_ANNOTATION_PROFILE
		              ", or correct operatingSystem");
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* Reports a cloud provider that no profile can support, since the schema does not have it. */
static enum status report_no_provider(struct arena *arena, struct sink *sink,
                                      const struct value *name, struct position at)
{
	struct diag *diag =
	    diag_report(sink, DIAG_OSP_PROVIDER, at, "the cloud provider \"%.*s\" does not exist",
	                SV_ARG(name->string));
	sv meant = osm_provider_meant(arena, name->string);

	diag_add_note(sink, diag, NOWHERE, "the providers are %.*s",
	              SV_ARG(osm_provider_list(arena)));
	diag_help_quoted(sink, diag, meant, "use one of them");
	return STATUS_FAILED;
}

static enum status check_provider(struct arena *arena, struct sink *sink,
                                  const struct osm_profile *profile,
                                  const struct osm_provider_config *config,
                                  struct position fallback)
{
	const struct value *name = &config->cloud_provider;
	struct position at = name->origin.source ? value_position(name) : fallback;
	size_t count = value_count(profile->supported_providers);
	sv *names = ARENA_ARRAY(arena, sv, count + 1);

	for (size_t i = 0; i < count; i++) {
		names[i] = value_text(
		    value_map_get(value_item(profile->supported_providers, i), SV("name")));
		if (sv_eq(names[i], name->string))
			return STATUS_OK;
	}
	if (sv_empty(name->string))
		return report_no(sink, DIAG_MD_CONFIG, config, name, "cloudProvider",
		                 "set cloudProvider to one that the profile supports");
	if (!osm_provider_find(name->string))
		return report_no_provider(arena, sink, name, at);
	sv nearest = diag_nearest(name->string, names, count);
	struct diag *diag = diag_report(sink, DIAG_OSP_PROVIDER, at,
	                                "OperatingSystemProfile \"%.*s\" does not support the "
	                                "cloud provider \"%.*s\", only %.*s",
	                                SV_ARG(profile->name), SV_ARG(name->string),
	                                SV_ARG(buf_listed(arena, names, count)));
	diag_add_note(sink, diag, value_position(profile->supported_providers),
	              "the providers it supports");
	diag_help_quoted(sink, diag, nearest,
	                 "name another profile in " OSM_ANNOTATION_PROFILE
	                 ", or add the provider to this one");
	return STATUS_FAILED;
}

/* Checks the provisioning utility. Called if the operating systems are equal. */
static enum status check_utility(struct sink *sink, const struct osm_profile *profile,
                                 const struct osm_machine *machine)
{
	const struct value *utility = &profile->provisioning_utility;
	const struct value *asked = &machine->system.provisioning_utility;
	sv expected = osm_system_utility(profile->os_name.string, &machine->system);
	struct position at =
	    utility->origin.source ? value_position(utility) : value_position(&profile->os_name);

	if (sv_eq(value_text(utility), expected))
		return STATUS_OK;
	/* Report it at the MachineDeployment if that sets it, which is easier to change. */
	bool is_asked = asked->string.len > 0;
	struct diag *diag = diag_report(
	    sink, DIAG_OSP_UTILITY, is_asked ? value_position(asked) : at,
	    "provisioning utility \"%.*s\" is not supported: OperatingSystemProfile \"%.*s\" "
	    "is for \"%.*s\"",
	    SV_ARG(expected), SV_ARG(profile->name), SV_ARG(value_text(utility)));
	if (is_asked)
		diag_add_note(sink, diag, at, "the profile's provisioningUtility");
	if (sv_eq_cstr(profile->os_name.string, "flatcar"))
		diag_set_help(sink, diag,
		              "set provisioningUtility: %.*s in operatingSystemSpec, or name "
		              "another profile in " OSM_ANNOTATION_PROFILE,
		              SV_ARG(value_text(utility)));
	else
		diag_set_help(sink, diag, "set provisioningUtility: cloud-init in the profile");
	return STATUS_FAILED;
}

static enum status check_network(struct sink *sink, const struct osm_provider_config *config)
{
	const struct osm_network *network = config->network;

	if (sv_eq_cstr(config->operating_system.string, "flatcar"))
		return STATUS_OK;
	if (!network || (sv_empty(network->cidr.string) && sv_empty(network->gateway.string) &&
	                 value_count(&network->dns_servers) == 0))
		return STATUS_OK;
	struct diag *diag = diag_report(sink, DIAG_STATIC_IP, network->at,
	                                "static IP config is not supported with: %.*s",
	                                SV_ARG(config->operating_system.string));
	diag_set_help(sink, diag, "remove cidr, gateway and dns.servers, or use flatcar");
	return STATUS_FAILED;
}

/*
 * Reports an unknown address family. The controller accepts any string, and profiles treat an
 * unknown one as IPv4. machine-controller rejects it later, for most clouds.
 */
static void check_ip_family(struct sink *sink, const struct osm_provider_config *config)
{
	static const sv families[] = {SV_INIT("IPv4"), SV_INIT("IPv6"), SV_INIT("IPv4+IPv6"),
	                              SV_INIT("IPv6+IPv4")};
	const struct value *family = config->network ? &config->network->ip_family : NULL;

	if (!family || sv_empty(family->string))
		return;
	for (size_t i = 0; i < COUNT_OF(families); i++) {
		if (sv_eq(family->string, families[i]))
			return;
	}
	struct diag *diag =
	    diag_report(sink, DIAG_IP_FAMILY, value_position(family),
	                "\"%.*s\" is not an address family", SV_ARG(family->string));
	diag_set_help(sink, diag, "use IPv4, IPv6, IPv4+IPv6 or IPv6+IPv4");
}

/* ---- single fields ----------------------------------------------------------------------- */

static enum status read_kubelet_text(struct sink *sink, const struct kube_object *object,
                                     struct value *ret_text)
{
	const struct value *v = value_path(object->root, "spec.template.spec.versions.kubelet");
	const struct value *near = v;

	if (value_is_string(v)) {
		*ret_text = *v;
		return STATUS_OK;
	}
	if (!near)
		near = value_path(object->root, "spec.template.spec.versions");
	if (!near)
		near = value_path(object->root, "spec.template.spec");
	struct diag *diag = diag_report(
	    sink, DIAG_KUBELET_VERSION, near ? value_position(near) : kube_object_position(object),
	    value_is_null(v) ? "the MachineDeployment has no versions.kubelet"
	                     : "versions.kubelet must be a string");
	diag_set_help(sink, diag, "write kubelet: \"1.34.1\" under spec.template.spec.versions");
	return STATUS_FAILED;
}

/* ---- the whole --------------------------------------------------------------------------- */

/*
 * Decodes strictly, as the controller does when it renders. After errors about unknown keys alone,
 * the rest is read all the same, so that one run reports all mistakes.
 */
static enum status read_config(struct arena *arena, struct sink *sink,
                               const struct kube_object *object,
                               struct osm_provider_config *ret_config, bool *ret_readable)
{
	const struct value *root = find_config(sink, object);
	struct sink scratch = sink_in(arena);

	*ret_readable = false;
	if (!root)
		return STATUS_FAILED;
	if (osm_provider_config_read(arena, sink, root, OSM_STRICT, ret_config) == STATUS_OK) {
		*ret_readable = true;
		return STATUS_OK;
	}
	*ret_readable =
	    osm_provider_config_read(arena, &scratch, root, OSM_LENIENT, ret_config) == STATUS_OK;
	return STATUS_FAILED;
}

static enum status check_config(struct arena *arena, struct sink *sink,
                                const struct osm_profile *profile, struct osm_machine *machine)
{
	const struct osm_provider_config *config = &machine->config;
	struct position at = value_position(config->root);
	enum status os_status = check_os(sink, profile, config, at);
	enum status status = os_status;

	if (os_status == STATUS_OK)
		status |= check_network(sink, config);
	check_ip_family(sink, config);
	status |= check_provider(arena, sink, profile, config, at);
	if (osm_system_read(arena, sink, &machine->object->id, config, &machine->system) !=
	    STATUS_OK)
		return STATUS_FAILED;
	if (os_status == STATUS_OK)
		status |= check_utility(sink, profile, machine);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* Warns of ${NAME} in the configuration, versions and taints, which reach the machines. */
static void check_variables(struct sink *sink, const struct osm_machine *machine)
{
	const struct value *root = machine->object->root;
	const struct value *config = machine->config.root;
	const struct value *annotations = value_path(root, "metadata.annotations");

	for (size_t i = 0; value_is_map(annotations) && i < value_count(annotations); i++) {
		const struct value_entry *entry = &annotations->map->entries[i];

		if (sv_starts_with(entry->key, SV("k8c.io/")) ||
		    sv_starts_with(entry->key, SV(OSM_KUBELET_GROUP)))
			osm_check_variables(sink, &entry->value);
	}
	osm_check_variables(sink, value_path(root, "spec.template.spec.versions"));
	osm_check_variables(sink, value_path(root, "spec.template.spec.taints"));
	osm_check_variables(sink, value_path(root, "spec.template.spec.metadata"));
	for (size_t i = 0; value_is_map(config) && i < value_count(config); i++)
		if (&config->map->entries[i].value != machine->config.cloud_provider_spec)
			osm_check_variables(sink, &config->map->entries[i].value);
	osm_check_variables(sink, &machine->provider_spec);
}

enum status osm_machine_read(struct arena *arena, struct sink *sink,
                             const struct kube_object *object, const struct osm_profile *profile,
                             struct osm_machine *ret_machine)
{
	struct osm_machine machine = {.object = object, .provider_spec = value_null()};
	bool readable;
	enum status status = read_config(arena, sink, object, &machine.config, &readable);

	if (readable && profile)
		status |= check_config(arena, sink, profile, &machine);
	if (read_kubelet_text(sink, object, &machine.kubelet_text) != STATUS_OK)
		status = STATUS_FAILED;
	else
		status |= osm_kubelet_version(arena, sink, &machine.kubelet_text,
		                              &machine.kubelet_version, &machine.kube_version);
	/* COMPAT: a live MachineDeployment has the webhook's default, not that of a setting. */
	sv webhook = readable && profile ? webhook_profile(arena, &machine.config) : SV("");
	if (read_annotations(arena, sink, object, webhook, &machine.annotations) == STATUS_OK)
		status |= osm_kubelet_read(arena, sink, &machine.annotations, &machine.kubelet);
	else
		status = STATUS_FAILED;
	osm_check_annotation_keys(arena, sink, value_path(object->root, "metadata.annotations"));
	osm_check_quantities(sink, value_path(object->root, "metadata.annotations"));
	if (machine.config.cloud_provider_spec)
		machine.provider_spec = osm_taint_credentials(
		    arena, machine.config.cloud_provider.string, machine.config.cloud_provider_spec,
		    kube_secret_name(arena, object->id.namespace, object->id.name,
		                     SV("cloudProviderSpec")));
	check_variables(sink, &machine);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	*ret_machine = machine;
	return STATUS_OK;
}

int64_t osm_machine_replicas(const struct kube_object *machine_deployment)
{
	const struct value *replicas = value_path(machine_deployment->root, "spec.replicas");

	return value_is_null(replicas) ? 1 : kube_replicas(machine_deployment->root);
}

void osm_check_machine(struct arena *arena, struct sink *sink, const struct kube_object *object)
{
	struct osm_machine machine;

	/* Called for its diagnostics only. */
	(void)!osm_machine_read(arena, sink, object, NULL, &machine);
}

struct position osm_machine_version_at(const struct kube_object *machine_deployment)
{
	const struct value *version =
	    value_path(machine_deployment->root, "spec.template.spec.versions.kubelet");

	return version ? value_position(version) : NOWHERE;
}
