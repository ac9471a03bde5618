/*
 * Private to osm/: OperatingSystemProfiles: their configs, those inside the program, and the choice
 * of one for a MachineDeployment.
 *
 *   profile.c          loads a profile
 *   profile_shape.c    its members
 *   profile_config.c   its bootstrapConfig and provisioningConfig
 *   choose.c           chooses the profile of each MachineDeployment
 */
#ifndef OSM_GEN_OSM_PROFILE_H
#define OSM_GEN_OSM_PROFILE_H

#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/osm.h"
#include "shape/shape.h"

/* ---- configs ---------------------------------------------------------------------------- */

struct osm_profile_file {
	struct value path;
	int32_t permissions; /* decimal digits that are read as octal, as in an OSC; never 0 */
	struct value encoding;
	struct value data;
};

struct osm_profile_config {
	struct osm_profile_file *files; /* the config's, then the runtime's */
	size_t file_count;
	const struct tmpl_profile *templates;
	/* The same for `provisioning: split`; null if no file calls the templates for that. */
	const struct tmpl_profile *split_templates;
	struct value units;          /* list of maps with sorted keys, as in an OSC */
	const struct value *modules; /* map with sorted keys, as in an OSC; or null */
};

/* ---- the schema -------------------------------------------------------------------------- */

/* Marks a pointer of the controller's types: absent and empty differ. */
enum { OSM_PROFILE_POINTER = SHAPE_OWN };

extern const struct shape osm_profile_spec_shape;
extern const struct shape osm_profile_config_shape; /* bootstrapConfig, provisioningConfig */
extern const struct shape osm_profile_provider_shape;
/* Returns "aws|azure|...", the choices of a member. */
sv osm_provider_choices(struct arena *arena);
/* Returns the names of the operating systems in the same way. */
sv osm_os_choices(struct arena *arena);

/* The schema's default for a file without permissions. */
#define OSM_DEFAULT_PERMISSIONS 644

/*
 * Reads the config `key` of a spec. `reader` reports to a struct schema, its context. Fails also
 * if the config is missing, without a report.
 */
MUST_CHECK enum status osm_profile_config_load(struct shape_reader *reader,
                                               const struct value *spec, const char *key,
                                               const struct osm_profile_config **ret_config);

/*
 * Returns a copy of a profile's spec in which the values that osm_profile_config_load treats as
 * secrets are tainted.
 */
struct value osm_profile_tainted_spec(struct arena *arena, const struct value *spec);

/* Returns the inventory annotation, or null. */
const struct value *osm_inventory_of(const struct kube_object *object);

/* Returns a copy of rh_subscription with its password and activation key tainted. */
struct value osm_taint_subscription(struct arena *arena, const struct value *texts);

/* ---- profiles inside the program -------------------------------------------------------- */

/* An embedded profile that is not parsed yet. */
struct osm_embedded_name {
	sv name; /* first: names sort by it */
	const struct dialect_text *file;
};
VEC_TYPE(osm_embedded_names, struct osm_embedded_name);

/*
 * Lists the embedded profiles of an output contract by name. Parsing all of them takes longer than
 * a small fleet.
 */
void osm_profile_list_embedded(struct arena *arena, unsigned contract,
                               struct osm_embedded_names *ret_names);
MUST_CHECK enum status osm_profile_load_embedded(struct arena *arena, struct sink *sink,
                                                 const struct dialect_text *file,
                                                 struct osm_profile **ret_profile);

/* ---- choosing --------------------------------------------------------------------------- */

/* The profiles of each cluster: its own, then shared ones, then the embedded ones. */
struct osm_choice;
struct osm_choice *osm_choice_new(struct arena *arena, struct sink *sink,
                                  const struct dialect_input *input);
/* Finds the unit's profile, with extensions, and sets its definition. Reports a missing one. */
void osm_choose(struct arena *arena, struct sink *sink, struct osm_choice *choice, size_t cluster,
                struct dialect_unit *unit);

/* A loaded profile. Loaded once, however many clusters use it. */
struct osm_definition {
	struct dialect_definition shown;   /* must be first: other folders see only this */
	const struct osm_profile *profile; /* null if it is wrong, which was reported */
	const struct dialect_text
	    *embedded; /* choose.c: where it is parsed from when a unit names it */
};

#endif
