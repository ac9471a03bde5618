/*
 * Private to osm/: the objects that the output has of a MachineDeployment.
 *
 *   osc.c              the OperatingSystemConfig, and the node that it describes
 *   names.c            names of Secrets, Roles and others
 *   artifacts.c        all of them
 *   machine_output.c   the MachineDeployment itself
 *   roll.c             what new nodes would get, by which machines roll
 */
#ifndef OSM_GEN_OSM_OBJECTS_H
#define OSM_GEN_OSM_OBJECTS_H

#include "dialect/dialect.h"
#include "node/node.h"
#include "osm/cluster.h"
#include "osm/machine.h"
#include "osm/osm.h"

/* ---- names ------------------------------------------------------------------------------ */

#define OSM_SECRETS_NAMESPACE "cloud-init-settings"
#define OSM_GETTER_TOKEN      "cloud-init-getter-token"
#define OSM_CONFIG_MAP_PREFIX "provisioning" /* -DIGEST follows */

struct osm_names {
	sv osc;
	sv bootstrap_secret;
	sv provisioning_secret;
	sv key;
	sv kubeconfig_secret;
	sv edge_script_secret;
	sv role; /* Role and RoleBinding */
};
struct osm_names osm_names_of(struct arena *arena, sv namespace, sv name);
/* Returns true if it ends as the names of kubelet kubeconfigs do. */
bool osm_is_kubeconfig_name(sv name);

/* ---- the OperatingSystemConfig ---------------------------------------------------------- */

/* A file of bootstrapConfig or provisioningConfig, rendered. */
struct osm_rendered_file {
	struct value path;
	int32_t permissions;
	struct value encoding;
	struct value data;
};

struct osm_rendered_config {
	struct osm_rendered_file *files;
	size_t file_count;
	const struct value *units;   /* as in struct osm_profile_config */
	const struct value *modules; /* the same; or null */
};

/* Returns the OperatingSystemConfig, with its secrets in clear text, tainted. */
struct value osm_osc_new(struct arena *arena, const struct dialect_job *job,
                         const struct osm_machine *machine,
                         const struct osm_rendered_config *bootstrap,
                         const struct osm_rendered_config *provisioning);
/* Sets *node to the configuration as userdata/ reads it. */
void osm_node_config(struct arena *arena, const struct osm_rendered_config *config,
                     const struct osm_machine *machine, struct node_config *node);
/* Returns the three annotations that the controller writes, sorted; more may be added. */
struct value osm_controller_annotations(struct arena *arena, const struct dialect_job *job,
                                        const struct osm_machine *machine);
/* Returns permissions as user-data has them (docs/spec/userdata.md 1.2). */
sv osm_mode_text(struct arena *arena, int32_t permissions);

/* ---- all objects ------------------------------------------------------------------------ */

/* The option of `render` that names a MachineDeployment, and what --print calls it. */
#define OSM_UNIT_OPTION "machine-deployment"

/* The provisioning configuration in two parts (split.h). */
struct osm_split {
	sv name; /* of the ConfigMap; empty if there is none */
	struct value config_map;
	sv text;             /* its data in one string, of which the digest is */
	struct value secret; /* the user-data of the Secret */
};

/* The contents of a MachineDeployment's objects. */
struct osm_contents {
	struct value token; /* the bootstrap token */
	enum osm_token_from token_from;
	struct value kubelet_kubeconfig; /* a string */
	struct value osc;                /* the OSC with its secrets in clear text, tainted */
	struct value bootstrap;          /* user-data, as strings */
	struct value provisioning;
	struct osm_split split; /* of the setting provisioning: split; its name is empty without */
	struct dialect_config_maps config_maps;
	size_t provisioning_bytes;
	size_t bootstrap_bytes; /* counted as the provider's limit does (userdata.h) */
	size_t budget_bytes;    /* the provider's limit, or a Secret's if the provider has none */
};

/* Adds the OSC, the Secrets, and the RBAC with which machines read them. */
void osm_add_artifacts(struct arena *arena, const struct dialect_job *job,
                       const struct osm_machine *machine, const struct osm_names *names,
                       const struct osm_contents *contents, struct artifacts *artifacts);

/* ---- the MachineDeployment -------------------------------------------------------------- */

/* The function of struct dialect: sets the roll annotation, unless `value` is empty. */
struct value osm_with_roll(struct arena *arena, const struct kube_object *machine_deployment,
                           sv value);
/* The function of struct dialect: returns the roll annotation, or an empty string. */
sv osm_roll_value(const struct value *machine_deployment);
/*
 * Returns the annotations that a MachineDeployment has in the output: those of the manifest without
 * what the cluster keeps there, and with those by which appliers leave it alone. May be null.
 */
struct value osm_output_annotations(struct arena *arena, const struct osm_settings *settings,
                                    const struct value *given);
/* Returns the MachineDeployment of the output (docs/spec/output.md 2.4), with secrets tainted. */
struct value osm_output_machine(struct arena *arena, const struct dialect_job *job,
                                const struct osm_machine *machine);
/*
 * Fails (DIAG_MD_REPLICAS) if the output has the MachineDeployment, an autoscaler's annotations are
 * on it, and no setting decides who counts its machines.
 */
MUST_CHECK enum status osm_check_replicas(struct sink *sink, const struct osm_settings *settings,
                                          const struct kube_object *machine_deployment);

/* ---- rolling ---------------------------------------------------------------------------- */

/* The functions of struct dialect. */
struct dialect_roll osm_roll_setting(const void *settings);
enum status osm_roll_text(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                          struct value *ret_text);
/*
 * render.c: renders the spec of the OperatingSystemConfig with stand-ins in place of tokens,
 * kubeconfig and time. It shows if nodes would get something else.
 */
MUST_CHECK enum status osm_render_stand_ins(struct arena *arena, struct sink *sink,
                                            const struct dialect_job *job, struct value *ret_spec);

#endif
