/*
 * Private to osm/: checks a MachineDeployment as the API server and machine-controller's webhook do
 * (docs/spec/controller.md 2.9): osm_machine_admit of osm.h.
 *
 *   admit.c     the order of the checks
 *   fields.c    the fields of a MachineDeployment with their types; of clouds: provider/fields.c
 *   decode.c    reports values that do not have the type of their field
 *   metadata.c  checks names, labels and annotations
 *   selector.c  checks the selector and whether it matches the template's labels
 *   later.c     warns of members that Kubernetes rejects later
 */
#ifndef OSM_GEN_OSM_ADMISSION_ADMISSION_H
#define OSM_GEN_OSM_ADMISSION_ADMISSION_H

#include "osm/osm.h"
#include "shape/shape.h"

/* ---- fields.c, provider/fields.c: tables of types ---------------------------------------- */

extern const struct shape osm_machine_shape;
extern const struct shape osm_meta_shape;
/* Returns the type of cloudProviderSpec, or null for a provider that does not read it. */
const struct shape *osm_cloud_shape(sv cloud_provider);

/* ---- decode.c: Go's encoding/json with these types --------------------------------------- */

struct osm_decoding_rules {
	enum diag_code code; /* for values of a wrong type */
	const char *reader;  /* the program that reads them: "machine-controller's webhook" */
	bool is_exact;       /* names of members are case-sensitive */
	/* For warnings of members that a type without is_open lacks; 0 to ignore them. */
	enum diag_code unknown;
	/* Paths of members that other code checks, ending with null. */
	const char *const *elsewhere;
};
/*
 * Reports every value below `given` that encoding/json cannot decode into the type. Names of
 * members are not case-sensitive unless `is_exact` is set. A null is valid everywhere.
 */
MUST_CHECK enum status osm_decode(struct arena *arena, struct sink *sink,
                                  const struct osm_decoding_rules *rules, const struct shape *shape,
                                  const struct shape_place *place, const struct value *given);

/* ---- metadata.c -------------------------------------------------------------------------- */

/* Returns true for a label's key: a name of at most 63 characters, perhaps after DOMAIN/. */
bool osm_label_key_valid(sv key);
/* Returns true for a label's value: empty, or like the name in a key. */
bool osm_label_value_valid(sv value);
/* Returns true for an annotation's key: like a label's, but its domain may have upper case. */
bool osm_annotation_key_valid(struct arena *arena, sv key);

/* Reports metadata that the API server rejects in validation (DIAG_MD_METADATA). */
MUST_CHECK enum status osm_check_metadata(struct arena *arena, struct sink *sink,
                                          const struct value *metadata);

/* ---- selector.c -------------------------------------------------------------------------- */

/*
 * Reports a selector that is invalid or does not match the labels (DIAG_MD_SELECTOR). Both may be
 * null, which is reported at `at`.
 */
MUST_CHECK enum status osm_check_selector(struct arena *arena, struct sink *sink,
                                          const struct value *selector, const struct value *labels,
                                          struct position at);

/* ---- later.c ----------------------------------------------------------------------------- */

/* Warns of values that pass the webhook and that Kubernetes rejects once there are machines. */
void osm_check_later(struct arena *arena, struct sink *sink, const struct value *spec);

#endif
