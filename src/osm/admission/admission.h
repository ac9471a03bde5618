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

/* ---- fields.c, provider/fields.c: tables of types ---------------------------------------- */

enum osm_field_kind {
	OSM_FIELD_STRING,
	OSM_FIELD_BOOL,
	OSM_FIELD_INT32,
	OSM_FIELD_INT64,
	OSM_FIELD_UINT64,
	OSM_FIELD_FLOAT,
	OSM_FIELD_TIME,          /* a string, RFC 3339 */
	OSM_FIELD_INT_OR_STRING, /* of 32 bits */
	OSM_FIELD_STRING_LIST,
	OSM_FIELD_STRING_MAP,
	OSM_FIELD_STRUCT,
	OSM_FIELD_STRUCT_LIST,
	OSM_FIELD_VAR_STRING, /* ConfigVarString */
	OSM_FIELD_VAR_BOOL,
	OSM_FIELD_VAR_STRING_LIST,
	OSM_FIELD_RAW, /* any value */
};

struct osm_shape;
struct osm_field {
	sv name;
	enum osm_field_kind kind;
	const struct osm_shape *shape; /* for structs and lists of them; else null */
};
struct osm_shape {
	const struct osm_field *fields;
	size_t count;
};

extern const struct osm_shape *const osm_machine_shape;
extern const struct osm_shape *const osm_meta_shape;
extern const struct osm_shape *const osm_var_string_shape;
extern const struct osm_shape *const osm_var_bool_shape;
/* Returns the type of cloudProviderSpec, or null for a provider that does not read it. */
const struct osm_shape *osm_cloud_shape(sv cloud_provider);

/* ---- decode.c: Go's encoding/json with these types --------------------------------------- */

/* The path of a value, for messages: spec.template.spec.taints[0].effect. */
struct osm_place {
	const struct osm_place *outer; /* null for the outermost one */
	sv name;
	size_t number; /* of a list's item, from 1; 0 for a member */
};

struct osm_decoding_rules {
	enum diag_code code; /* for values of a wrong type */
	const char *reader;  /* the program that reads them: "machine-controller's webhook" */
	bool is_exact;       /* names of members are case-sensitive */
	/* For warnings of unknown members (except inside variables); 0 to ignore them. */
	enum diag_code unknown;
	/* Paths of members that other code checks, ending with null. */
	const char *const *elsewhere;
};
/*
 * Reports every value below `given` that encoding/json cannot decode into the type. Names of
 * members are not case-sensitive unless `is_exact` is set. A null is valid everywhere.
 */
MUST_CHECK enum status osm_decode(struct arena *arena, struct sink *sink,
                                  const struct osm_decoding_rules *rules,
                                  const struct osm_shape *shape, const struct osm_place *place,
                                  const struct value *given);

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
