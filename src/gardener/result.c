/*
 * Makes the Secret with a machine's user-data (docs/spec/gardener.md 3).
 */
#include "gardener/internal.h"

/* Annotations for consumers that apply user-data again; appliers do not apply the status. */
#define COMMAND    "osm-gen.dev/command"
#define UNITS      "osm-gen.dev/units"
#define SUBSTITUTE "kustomize.toolkit.fluxcd.io/substitute"

sv gardener_result_name(struct arena *arena, const struct gardener_osc *osc)
{
	return ARENA_CONCAT(arena, SV("osc-result-"), osc->object->id.name);
}

void gardener_set(struct arena *arena, struct value *map, const char *key, struct value v)
{
	value_map_set(arena, map, sv_from_cstr(key), v);
}

struct value gardener_applier_annotations(struct arena *arena)
{
	struct value annotations = value_map_new(arena);

	value_map_set(arena, &annotations, SV(SUBSTITUTE), value_string(SV("disabled")));
	return annotations;
}

/* Joins names of units by commas, which no name contains. */
static sv joined(struct arena *arena, const struct value *names)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < value_count(names); i++)
		buf_printf(&buf, "%s%.*s", i > 0 ? "," : "",
		           SV_ARG(value_text(value_item(names, i))));
	return buf_sv(&buf);
}

/* Sets the owner if its uid is known: without a uid Kubernetes would delete the Secret. */
static void set_owner(struct arena *arena, const struct gardener_osc *osc, struct value *secret)
{
	const struct value *uid = value_path(osc->object->root, "metadata.uid");
	struct value *metadata = value_map_get_mutable(secret, SV("metadata"));
	struct value owner = value_map_new(arena);
	struct value owners = value_list_new(arena);

	if (sv_empty(value_text(uid)))
		return;
	value_map_set(arena, &owner, SV("apiVersion"), value_string(SV(GARDENER_API_VERSION)));
	value_map_set(arena, &owner, SV("kind"), value_string(SV(GARDENER_KIND)));
	value_map_set(arena, &owner, SV("name"), value_string(osc->object->id.name));
	value_map_set(arena, &owner, SV("uid"), value_string(uid->string));
	value_map_set(arena, &owner, SV("controller"), value_bool(true));
	value_map_set(arena, &owner, SV("blockOwnerDeletion"), value_bool(true));
	value_list_add(arena, &owners, owner);
	value_map_set(arena, metadata, SV("ownerReferences"), owners);
}

struct artifact gardener_machine_secret(struct arena *arena,
                                        const struct kube_secret_request *request, sv print,
                                        enum artifact_role role,
                                        const struct gardener_machine *machine)
{
	struct artifact artifact = artifact_of(kube_secret_new(arena, request), ARTIFACT_MANAGEMENT,
	                                       role, ARTIFACT_SEAL_DATA);

	artifact.print = print;
	artifact.user_data = machine->user_data;
	artifact.user_data_bytes = machine->user_data_bytes;
	artifact.user_data_limit = machine->user_data_limit;
	return artifact;
}

struct artifact gardener_result_make(struct arena *arena, const struct gardener_osc *osc,
                                     const struct gardener_settings *settings,
                                     const struct gardener_machine *machine,
                                     const struct value *status)
{
	const struct value *command = value_map_get(status, SV("command"));
	const struct value *units = value_map_get(status, SV("units"));
	struct value annotations = gardener_applier_annotations(arena);
	struct value data = value_map_new(arena);

	if (command)
		value_map_set(arena, &annotations, SV(COMMAND), *command);
	if (units)
		value_map_set(arena, &annotations, SV(UNITS), value_string(joined(arena, units)));
	value_map_set(arena, &data, SV("cloud_config"), machine->user_data);
	if (settings->machine_secret)
		value_map_set(arena, &data, SV("userData"), machine->user_data);
	const struct kube_secret_request request = {
	    .namespace = osc->object->id.namespace,
	    .name = gardener_result_name(arena, osc),
	    .type = SV("Opaque"),
	    .annotations = &annotations,
	    .data = &data,
	};
	struct artifact artifact = gardener_machine_secret(
	    arena, &request, SV("user-data"),
	    osc->purpose == GARDENER_PROVISION ? ARTIFACT_BOOTSTRAP : ARTIFACT_PROVISIONING,
	    machine);
	set_owner(arena, osc, &artifact.object);
	return artifact;
}
