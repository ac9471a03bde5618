/*
 * Private to osm/: a MachineDeployment as the API server and machine-controller's webhook take it
 * (docs/spec/controller.md 2.9).
 */
#ifndef OSM_GEN_OSM_ADMISSION_H
#define OSM_GEN_OSM_ADMISSION_H

#include "osm/internal.h"

/* ---- machine_fields.c, provider/fields.c: tables of types -------------------------------- */

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
	OSM_FIELD_RAW, /* whatever it is */
};

struct osm_shape;
struct osm_field {
	sv name;
	enum osm_field_kind kind;
	const struct osm_shape *shape; /* of structs and lists of them; else null */
};
struct osm_shape {
	const struct osm_field *fields;
	size_t count;
};

extern const struct osm_shape *const osm_machine_shape;
extern const struct osm_shape *const osm_meta_shape;
extern const struct osm_shape *const osm_var_string_shape;
extern const struct osm_shape *const osm_var_bool_shape;
/* The type of cloudProviderSpec; null for a cloud that does not read it. */
const struct osm_shape *osm_cloud_shape(sv cloud_provider);

/* ---- decode.c: Go's encoding/json with these types --------------------------------------- */

/* The place of a value, for messages: spec.template.spec.taints[0].effect. */
struct osm_place {
	const struct osm_place *outer; /* null: the outermost one */
	sv name;
	size_t number; /* of an item, from 1; 0: a member */
};

struct osm_decoding_rules {
	enum diag_code code; /* of what is wrong */
	const char *reader;  /* who cannot read it: "machine-controller's webhook" */
	bool is_exact;       /* members are found with regard to case */
	/* Warns of unknown members, except inside variables; 0: they are passed over. */
	enum diag_code unknown;
	/* Members that other code checks, as paths; the last one is null. */
	const char *const *elsewhere;
};
/*
 * Reports every value below `given` that encoding/json does not decode into the type. Members are
 * found without regard to case unless the rules say otherwise; null is fine everywhere.
 */
MUST_CHECK enum status osm_decode(struct arena *arena, struct sink *sink,
                                  const struct osm_decoding_rules *rules,
                                  const struct osm_shape *shape, const struct osm_place *place,
                                  const struct value *given);

/* ---- labels.c: the names that Kubernetes takes ------------------------------------------- */

/* A label's key: a name of at most 63 characters, perhaps with a domain and a slash before it. */
bool osm_label_key_valid(sv key);
/* A label's value: empty, or as the name of a key. */
bool osm_label_value_valid(sv value);
/* As a label's key, but upper case is fine in its domain. */
bool osm_annotation_key_valid(struct arena *arena, sv key);

/* ---- object_meta.c ------------------------------------------------------------------------ */

/* What the API server refuses in an object's metadata after it has read it (DIAG_MD_METADATA). */
MUST_CHECK enum status osm_check_metadata(struct arena *arena, struct sink *sink,
                                          const struct value *metadata);

/* ---- selector.c -------------------------------------------------------------------------- */

/* DIAG_MD_SELECTOR. Both may be null; `at` is for what is missing. */
MUST_CHECK enum status osm_check_selector(struct arena *arena, struct sink *sink,
                                          const struct value *selector, const struct value *labels,
                                          struct position at);

/* ---- later.c ----------------------------------------------------------------------------- */

/* Warns of what the webhook takes and Kubernetes refuses, once there are machines. */
void osm_check_later(struct arena *arena, struct sink *sink, const struct value *spec);

#endif
