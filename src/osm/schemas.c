/*
 * The JSON Schemas of the documents of this dialect.
 */
#include "osm/cloud.h"
#include "osm/osm.h"
#include "shape/shape.h"

static struct value schema_of(struct arena *arena, const struct shape *shape, unsigned options)
{
	return shape_json_schema(arena, shape,
	                         &(struct shape_schema){.title = shape->name, .options = options});
}

void osm_list_schemas(struct arena *arena, struct dialect_schemas *schemas)
{
	size_t count;
	const struct osm_provider *providers = osm_provider_table(&count);

	VEC_PUSH(arena, schemas,
	         ((struct dialect_schema){
	             .group = "cluster.k8s.io",
	             .version = "v1alpha1",
	             .kind = "MachineDeployment",
	             .about = "machines that machine-controller makes",
	             .schema = osm_machine_schema(arena, SV("")),
	         }));
	for (size_t i = 0; i < count; i++)
		VEC_PUSH(arena, schemas,
		         ((struct dialect_schema){
		             .group = "cluster.k8s.io",
		             .version = "v1alpha1",
		             .kind = "MachineDeployment",
		             .variant = arena_cstr(arena, providers[i].name),
		             .about = arena_cstr(
		                 arena, arena_printf(arena, "machines of the provider %.*s",
		                                     SV_ARG(providers[i].name))),
		             .schema = osm_machine_schema(arena, providers[i].name),
		         }));
	VEC_PUSH(arena, schemas,
	         ((struct dialect_schema){
	             .group = "operatingsystemmanager.k8c.io",
	             .version = "v1alpha1",
	             .kind = "OperatingSystemProfile",
	             .about = "what machines of an operating system get, as a template",
	             .schema = schema_of(arena, &osm_profile_shape, SHAPE_PRUNES_NULLS),
	         }));
	VEC_PUSH(arena, schemas,
	         ((struct dialect_schema){
	             .group = "osm-gen.dev",
	             .version = "v1alpha1",
	             .kind = "OperatingSystemProfileExtension",
	             .about = "what is added to profiles",
	             .schema = schema_of(arena, &osm_extension_shape, SHAPE_REFUSES_NULLS),
	         }));
	for (int i = 0; i < 2; i++)
		VEC_PUSH(arena, schemas,
		         ((struct dialect_schema){
		             .group = "kubeone.k8c.io",
		             .version = i == 0 ? "v1beta3" : "v1beta2",
		             .kind = "KubeOneCluster",
		             .variant = i == 0 ? NULL : "v1beta2",
		             .about = "a cluster of KubeOne",
		             .schema = osm_kubeone_schema(arena, i == 0),
		         }));
}
