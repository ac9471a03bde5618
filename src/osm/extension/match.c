/*
 * Decides which MachineDeployments an extension applies to, and sorts extensions.
 */
#include "osm/extension/internal.h"

static bool names(const struct value *list, sv word)
{
	for (size_t i = 0; i < value_count(list); i++)
		if (sv_eq(value_text(value_item(list, i)), word))
			return true;
	return value_count(list) == 0;
}

static bool has_labels(const struct value *wanted, const struct value *labels)
{
	for (size_t i = 0; i < value_count(wanted); i++) {
		const struct value_entry *entry = &wanted->map->entries[i];
		const struct value *label = value_map_get(labels, entry->key);

		if (!label || !sv_eq(value_text(label), value_text(&entry->value)))
			return false;
	}
	return true;
}

/* A step of the quota is worth about four comparisons. */
size_t extension_weight(const struct osm_extension *extension)
{
	return 1 + (value_count(extension->profiles) + value_count(extension->machine_deployments) +
	            value_count(extension->operating_systems) +
	            value_count(extension->cloud_providers) + value_count(extension->labels)) /
	               4;
}

struct extension_target extension_target_of(struct arena *arena, sv profile,
                                            const struct kube_object *machine_deployment)
{
	const struct value *root = machine_deployment->root;
	const struct kube_id *id = &machine_deployment->id;
	const struct value *config = value_path(root, "spec.template.spec.providerSpec.value");

	return (struct extension_target){
	    .profile = profile,
	    .name = id->name,
	    .whole_name = ARENA_CONCAT(arena, id->namespace, SV("/"), id->name),
	    .operating_system = value_text(go_json_member(config, SV("operatingSystem"))),
	    .cloud_provider = value_text(go_json_member(config, SV("cloudProvider"))),
	    .labels = value_path(root, "metadata.labels"),
	};
}

bool extension_matches(const struct osm_extension *extension, const struct extension_target *target)
{
	return names(extension->profiles, target->profile) &&
	       (names(extension->machine_deployments, target->name) ||
	        names(extension->machine_deployments, target->whole_name)) &&
	       names(extension->operating_systems, target->operating_system) &&
	       names(extension->cloud_providers, target->cloud_provider) &&
	       has_labels(extension->labels, target->labels);
}

static int compare(const void *a, const void *b, void *context)
{
	const struct osm_extension *left = *(struct osm_extension *const *)a;
	const struct osm_extension *right = *(struct osm_extension *const *)b;

	(void)context;
	if (left->order != right->order)
		return left->order < right->order ? -1 : 1;
	return sv_cmp(left->name, right->name);
}

void extension_sort(struct osm_extensions *extensions)
{
	sort_stable(extensions->items, extensions->count, sizeof(*extensions->items), compare,
	            NULL);
}
