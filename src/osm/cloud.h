/*
 * Private to osm/: cloud providers, and the legacy cloud-configs that templates see as
 * .CloudConfig.
 *
 *   cloud_config.c   the cloud-config of a MachineDeployment
 *   provider/        the table of clouds; the cloud-config of each
 *   config_var.c     values of a cloudProviderSpec, and those that it refers to
 *   environment.c    variables of the controller that may give such values
 */
#ifndef OSM_GEN_OSM_CLOUD_H
#define OSM_GEN_OSM_CLOUD_H

#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/cluster.h"
#include "osm/machine.h"
#include "osm/osm.h"

/* ---- the cloud-config ------------------------------------------------------------------- */

/* Renders the templates' .CloudConfig (docs/spec/cloud-config.md 2), which is often empty. */
MUST_CHECK enum status osm_cloud_config_text(struct arena *arena, struct sink *sink,
                                             const struct osm_cluster *cluster,
                                             const struct osm_machine *machine,
                                             struct value *ret_text);

/* ---- providers -------------------------------------------------------------------------- */

/* The inputs of a legacy cloud-config. */
struct osm_cloud_config_input {
	const struct osm_cluster *cluster;
	const struct value *spec;     /* cloudProviderSpec: a map, tainted */
	const struct value *raw_spec; /* the same, as written */
	sv kubelet_version;           /* as written in the MachineDeployment */
};

/*
 * Renders a cloud-config (docs/spec/cloud-config.md 3). Reports all mistakes in the specification.
 */
typedef enum status osm_cloud_config(struct arena *arena, struct sink *sink,
                                     const struct osm_cloud_config_input *input,
                                     struct value *ret_text);

struct osm_provider {
	sv name;
	const char *others; /* other names that people use, with blanks around each; or null */
	bool in_tree;       /* has an in-tree cloud controller (docs/spec/cloud-config.md 1) */
	bool known;         /* false: its cloud-config fails with "unknown cloud provider" */
	const sv *secrets;  /* members of cloudProviderSpec that hold credentials */
	size_t secret_count;
};

/* Returns true if a cloudProviderSpec member of that name is a credential for any provider. */
bool osm_provider_hides(sv name);
/* Returns the provider, or null if the schema's list does not have it. */
const struct osm_provider *osm_provider_find(sv name);
/* Returns the provider probably meant by an unknown name: its alias, or the most similar one. */
sv osm_provider_meant(struct arena *arena, sv name);
/* Returns "aws, azure, ...". */
sv osm_provider_list(struct arena *arena);
const struct osm_provider *osm_provider_table(size_t *ret_count);

osm_cloud_config osm_cloud_config_aws;
osm_cloud_config osm_cloud_config_azure;
osm_cloud_config osm_cloud_config_gce;
osm_cloud_config osm_cloud_config_kubevirt;
osm_cloud_config osm_cloud_config_openstack;
osm_cloud_config osm_cloud_config_vsphere;

/* ---- values ----------------------------------------------------------------------------- */

enum osm_var_kind { OSM_VAR_STRING, OSM_VAR_BOOL };

/* Refers to a value of a Secret or a ConfigMap. Members that are missing are empty. */
struct osm_reference {
	sv namespace;
	sv name;
	sv key;
};

/* A ConfigVarString or ConfigVarBool (docs/spec/controller.md 2.6), decoded but not looked up. */
struct osm_config_var {
	sv name;
	struct position at; /* of its value, or of the specification if it is absent */
	struct value value; /* string or bool; invalid if absent */
	struct osm_reference secret;
	struct osm_reference config_map;
};

/*
 * Decodes a field from all members that encoding/json assigns to it (names that differ in case),
 * in order. The caller sets the name and position of *var; without any member it stays empty, which
 * is not a mistake.
 */
MUST_CHECK enum status osm_config_var_decode(struct arena *arena, struct sink *sink,
                                             const struct go_json_matches *matches,
                                             enum osm_var_kind kind, struct osm_config_var *var);
/* GetStringValue: returns "" if absent. A value from a Secret is tainted. */
MUST_CHECK enum status osm_config_var_string(struct arena *arena, struct sink *sink,
                                             const struct osm_cluster *cluster,
                                             const struct osm_config_var *var,
                                             struct value *ret_string);
/*
 * GetBoolValue: returns the string "true" or "false", tainted if from a Secret, or the invalid
 * value if absent.
 */
MUST_CHECK enum status osm_config_var_bool(struct arena *arena, struct sink *sink,
                                           const struct osm_cluster *cluster,
                                           const struct osm_config_var *var,
                                           struct value *ret_bool);

/*
 * GetStringValueOrEnv, GetBoolValueOrEnv. An environment variable is used if --allow-env names it
 * and it is set, even to the empty string; the result is then the controller's. Otherwise osm-gen
 * cannot know the controller's environment, and `need` decides about an absent value:
 *
 *   OSM_NEEDED    the cloud-config is useless without it, so the controller must have it from
 *                 somewhere: an error that names the two ways to give it
 *   OSM_OPTIONAL  many clouds work without it: empty, as for a controller without the variable
 *
 * A reference to a missing object is a warning if the variable is used. Otherwise it is an error,
 * although the controller would go on with the empty string.
 */
enum osm_need { OSM_NEEDED, OSM_OPTIONAL };
MUST_CHECK enum status osm_config_var_string_or_env(struct arena *arena, struct sink *sink,
                                                    const struct osm_cluster *cluster,
                                                    const struct osm_config_var *var, sv variable,
                                                    enum osm_need need, struct value *ret_string);
/* The same for a bool, which is always OSM_OPTIONAL. */
MUST_CHECK enum status osm_config_var_bool_or_env(struct arena *arena, struct sink *sink,
                                                  const struct osm_cluster *cluster,
                                                  const struct osm_config_var *var, sv variable,
                                                  struct value *ret_bool);

/* ---- variables -------------------------------------------------------------------------- */

/*
 * The controller takes some values of a legacy cloud-config from its own environment if
 * cloudProviderSpec does not give them. osm-gen does so only with variables that --allow-env names
 * (config_var.c).
 */
#define OSM_VARIABLE_COUNT 22
extern const struct dialect_variable osm_variables[OSM_VARIABLE_COUNT];

/* Returns the variable's value if it is allowed and set, else null. */
const struct value *osm_environment_text(const struct osm_cluster *cluster, sv name);

#endif
