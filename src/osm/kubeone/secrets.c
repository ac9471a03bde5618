/*
 * Values that SOPS has encrypted (docs/spec/kubeone.md 1): reports those that osm-gen would show in
 * the clear, or whose value decides what it shows.
 */
#include "osm/kubeone/internal.h"

#include "secrecy/secrecy.h"

/* Members of the manifest that settings and MachineDeployments show, or follow from. */
static const char *const clear_members[] = {
    "versions",
    "caBundle",
    "certificateAuthority",
    "clusterNetwork.ipFamily",
    "features.nodeLocalDNS",
    "loggingConfig",
    "machineController",
    "operatingSystemManager",
    "registryConfiguration",
};

/* Reports a value once for all of them. */
static void refuse_secret(struct kubeone *k, const struct value *at, const struct secret *secret)
{
	struct position position = kubeone_place(k, at);

	if (k->refused) {
		diag_add_note(k->sink, k->refused, position, "nor can %.*s", SV_ARG(secret->name));
		return;
	}
	k->refused = diag_report(k->sink, DIAG_FLEET_SETTINGS_ENCRYPTED, position,
	                         "%.*s cannot be encrypted", SV_ARG(secret->name));
	diag_set_help(k->sink, k->refused,
	              "what follows from it is in clear output; encrypt cloudProviderSpec, "
	              "sshPublicKeys, operatingSystemSpec, proxies, mirrors, and what only the "
	              "control plane reads (sops encrypt --encrypted-regex)");
}

static bool refuse_found(void *context, const struct secrecy_place *place,
                         const struct secret *secret)
{
	refuse_secret(context, place->value, secret);
	return true;
}

static void refuse_in(struct kubeone *k, const struct value *v)
{
	if (v)
		secrecy_each(v, refuse_found, k);
}

/* ---- worker sets --------------------------------------------------------------------------- */

/* Returns true if the place is the member of a worker set's providerSpec, or below it. */
static bool is_in(const struct secrecy_place *place, sv member)
{
	while (place->parent && place->depth != 2)
		place = place->parent;
	return place->depth == 2 && place->entry && sv_eq(place->entry->key, member);
}

/* Returns true if the place is below a reference to a Secret or ConfigMap. */
static bool is_in_reference(const struct secrecy_place *place)
{
	while (place->parent && !(place->entry && secrecy_names_reference(place->entry->key)))
		place = place->parent;
	return place->entry && secrecy_names_reference(place->entry->key);
}

/* Returns true if the value may be secret: it gets to places that hide it. */
static bool may_be_secret(const struct secrecy_place *place)
{
	/* SOPS has no safe form for a number with a fraction. */
	if (is_in(place, SV("cloudProviderSpec")))
		return !is_in_reference(place) && !value_is(place->value, KIND_FLOAT64);
	if (is_in(place, SV("operatingSystemSpec")))
		return value_is_string(place->value) && place->entry &&
		       !sv_eq(place->entry->key, SV("provisioningUtility"));
	return is_in(place, SV("sshPublicKeys")) || is_in(place, SV("overwriteCloudConfig"));
}

static bool look_at_set(void *context, const struct secrecy_place *place,
                        const struct secret *secret)
{
	if (!may_be_secret(place))
		refuse_secret(context, place->value, secret);
	return true;
}

void kubeone_check_set_secrets(struct kubeone *k, const struct value *set)
{
	secrecy_each(set, look_at_set, k);
}

/* ---- all ----------------------------------------------------------------------------------- */

enum status kubeone_check_secrets(struct kubeone *k)
{
	const struct value *registries = kubeone_at(k, "containerRuntime.containerd.registries");
	const struct value *control_plane = value_path(&k->tf, "kubeone_hosts.value.control_plane");
	const struct value *sets = kubeone_at(k, "dynamicWorkers");

	refuse_in(k, value_map_get(&k->root, SV("name")));
	for (size_t i = 0; i < COUNT_OF(clear_members); i++)
		refuse_in(k, kubeone_at(k, clear_members[i]));
	for (size_t i = 0; i < value_count(registries); i++) {
		const struct value *registry = &registries->map->entries[i].value;

		refuse_in(k, value_map_get(registry, SV("overridePath")));
		refuse_in(k, value_map_get(registry, SV("tlsConfig")));
	}
	for (size_t i = 0; i < value_count(sets); i++)
		kubeone_check_set_secrets(k, value_item(sets, i));
	refuse_in(k, value_map_get(control_plane, SV("cluster_name")));
	refuse_in(k, value_map_get(control_plane, SV("cloud_provider")));
	return k->refused ? STATUS_FAILED : STATUS_OK;
}

static bool find_placeholder(void *context, const struct secrecy_place *place UNUSED,
                             const struct secret *secret)
{
	bool *found = context;

	*found |= secrecy_stands_in(secret);
	return !*found;
}

bool kubeone_has_placeholder(const struct kubeone *k)
{
	bool found = false;

	secrecy_each(&k->root, find_placeholder, &found);
	secrecy_each(&k->tf, find_placeholder, &found);
	return found;
}
