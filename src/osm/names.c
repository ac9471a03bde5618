/*
 * Names of generated objects (docs/spec/controller.md 3.1).
 */
#include "osm/objects.h"
#include "osm/osm.h"

#define NAME_MAX_BYTES    253
#define KUBECONFIG_ENDING SV("-kubelet-bootstrap-config")

struct osm_names osm_names_of(struct arena *arena, sv namespace, sv name)
{
	sv both = arena_printf(arena, "%.*s-%.*s", SV_ARG(name), SV_ARG(namespace));
	sv key = osm_machine_key(arena, namespace, name);

	return (struct osm_names){
	    .osc = ARENA_CONCAT(arena, both, SV("-config")),
	    .bootstrap_secret = ARENA_CONCAT(arena, both, SV("-bootstrap-config")),
	    .provisioning_secret = ARENA_CONCAT(arena, both, SV("-provisioning-config")),
	    .key = key,
	    .kubeconfig_secret = ARENA_CONCAT(arena, key, KUBECONFIG_ENDING),
	    .edge_script_secret = ARENA_CONCAT(arena, SV("edge-provider-script-"), both),
	    .role = ARENA_CONCAT(arena, both, SV("-bootstrap-reader")),
	};
}

bool osm_is_kubeconfig_name(sv name)
{
	return sv_ends_with(name, KUBECONFIG_ENDING);
}

static enum status check_length(struct sink *sink, const struct kube_object *object, sv name)
{
	if (name.len <= NAME_MAX_BYTES)
		return STATUS_OK;
	struct diag *diag = diag_report(sink, DIAG_NAME_TOO_LONG, kube_object_position(object),
	                                "the generated name \"%.*s\" has %zu bytes, %d are allowed",
	                                SV_ARG(name), name.len, NAME_MAX_BYTES);
	diag_set_help(sink, diag, "use a name shorter by %zu bytes", name.len - NAME_MAX_BYTES);
	return STATUS_FAILED;
}

static enum status check_unique(struct sink *sink, struct map *taken,
                                const struct kube_object *object, sv name)
{
	const struct kube_object *other = map_get(taken, name);

	if (!other) {
		map_put(taken, name, (void *)object);
		return STATUS_OK;
	}
	/* A duplicate MachineDeployment was reported by fleet/. */
	if (sv_eq(other->id.namespace, object->id.namespace) &&
	    sv_eq(other->id.name, object->id.name))
		return STATUS_FAILED;
	sv what = kube_object_describe(sink->arena, other);
	struct diag *diag =
	    diag_report(sink, DIAG_NAME_COLLISION, kube_object_position(object),
	                "\"%.*s\" is generated for %.*s too", SV_ARG(name), SV_ARG(what));
	diag_add_note(sink, diag, kube_object_position(other), "the other one is here");
	diag_set_help(sink, diag, "rename one of the two");
	return STATUS_FAILED;
}

/* Returns the longest generated name; the others have the same parts and shorter affixes. */
static sv longest_name(const struct kube_object *object, const struct osm_names *names)
{
	const struct value *provider =
	    value_path(object->root, "spec.template.spec.providerSpec.value.cloudProvider");
	sv longest = names->provisioning_secret;

	if (names->kubeconfig_secret.len > longest.len)
		longest = names->kubeconfig_secret;
	if (sv_eq_cstr(value_text(provider), "edge") && names->edge_script_secret.len > longest.len)
		longest = names->edge_script_secret;
	return longest;
}

enum status osm_check_names(struct sink *sink, const struct kube_object *const *machine_deployments,
                            size_t count)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct map oscs = map_in(scratch);
	struct map keys = map_in(scratch);
	enum status status = STATUS_OK;

	for (size_t i = 0; i < count; i++) {
		const struct kube_object *object = machine_deployments[i];
		struct osm_names names =
		    osm_names_of(scratch, object->id.namespace, object->id.name);

		DIAG_SCOPE(sink, kube_object_describe(scratch, object), sink->cluster);
		status |= check_length(sink, object, longest_name(object, &names));
		/* One collision is enough to report: the other names are made of the same parts. */
		if (check_unique(sink, &oscs, object, names.osc) != STATUS_OK ||
		    check_unique(sink, &keys, object, names.kubeconfig_secret) != STATUS_OK)
			status = STATUS_FAILED;
	}
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}
