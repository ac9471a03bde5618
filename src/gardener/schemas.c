/*
 * The JSON Schemas of the documents of this dialect.
 */
#include "gardener/gardener.h"
#include "gardener/internal.h"

void gardener_list_schemas(struct arena *arena, struct dialect_schemas *schemas)
{
	static const struct {
		struct dialect_schema document;
		const struct shape *shape;
		unsigned absent;
	} documents[] = {
	    {{"extensions.gardener.cloud",
	      "v1alpha1",
	      "OperatingSystemConfig",
	      NULL,
	      "what machines of a worker pool get (contract current)",
	      {0}},
	     &gardener_osc_shape,
	     GARDENER_ONLY_2021},
	    {{"extensions.gardener.cloud",
	      "v1alpha1",
	      "OperatingSystemConfig",
	      "2021",
	      "the same, as Gardener v1.24 writes it (contract 2021)",
	      {0}},
	     &gardener_osc_shape,
	     GARDENER_ONLY_CURRENT},
	    {{"osm-gen.dev",
	      "v1alpha1",
	      "OperatingSystemExtension",
	      NULL,
	      "an operating system of Gardener, and the user-data that it reads",
	      {0}},
	     &gardener_system_shape,
	     GARDENER_MISPLACED},
	};

	for (size_t i = 0; i < COUNT_OF(documents); i++) {
		struct dialect_schema document = documents[i].document;

		document.schema =
		    shape_json_schema(arena, documents[i].shape,
		                      &(struct shape_schema){.title = document.kind,
		                                             .absent = documents[i].absent,
		                                             .options = SHAPE_REFUSES_NULLS});
		VEC_PUSH(arena, schemas, document);
	}
}
