/*
 * Private to osm/: functions and structs that its files share, one block for each file.
 */
#ifndef OSM_GEN_OSM_INTERNAL_H
#define OSM_GEN_OSM_INTERNAL_H

#include "codec/codec.h"
#include "dialect/dialect.h"
#include "golang/golang.h"
#include "node/node.h"
#include "osm/osm.h"
#include "tmpl/tmpl.h"
#include "value/text.h"
#include "json/json.h"

/* ---- machine_credentials.c --------------------------------------------------------------- */

/*
 * Taints a name that is equal to the credential beside it (a user name equal to its password), so
 * that it is sealed, too. It may still be used wherever names are.
 */
void osm_hide_if_same(struct arena *arena, struct value *name, const struct value *credential);
/*
 * Does the same for all strings of a cloudProviderSpec that osm_taint_credentials returned,
 * compared with its own credentials and those in Secrets that it refers to. Returns a copy if it
 * taints one.
 */
struct value osm_hide_names(struct arena *arena, const struct kube_objects *objects,
                            const struct value *spec);
/*
 * Returns cloudProviderSpec with its credentials tainted. `prefix` begins the names of the secrets:
 * "NAMESPACE/NAME:cloudProviderSpec".
 */
struct value osm_taint_credentials(struct arena *arena, sv provider, const struct value *spec,
                                   sv prefix);

/* ---- mirrors.c --------------------------------------------------------------------------- */

/*
 * Parses an item of nodeRegistryMirrors (any form) or nodeContainerdRegistryMirrors (REGISTRY=URL).
 */
MUST_CHECK enum status osm_mirror_parse(struct arena *arena, struct sink *sink, sv setting_name,
                                        const struct value *item, struct position at,
                                        bool containerd, struct osm_mirror *ret_mirror);

/* ---- profile.c, profile_config.c --------------------------------------------------------- */

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
	struct value units;          /* list of maps with sorted keys, as in an OSC */
	const struct value *modules; /* map with sorted keys, as in an OSC; or null */
};

/* The codes for mistakes in profiles: DIAG_OSP_SCHEMA, DIAG_OSP_UNKNOWN_FIELD. */
extern const struct schema_terms osm_profile_terms;

/* The schema's default for a file without permissions. */
#define OSM_DEFAULT_PERMISSIONS 644

MUST_CHECK enum status osm_profile_config_load(struct schema *schema, const struct value *spec,
                                               const char *key, sv os_name,
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

/* ---- machine.c, config_json.c ------------------------------------------------------------ */

struct osm_network {
	struct value cidr;
	struct value gateway;
	struct value dns_servers; /* list of strings; nil if absent */
	struct value ip_family;
	struct position at;
};

/* providerSpec.value (docs/spec/controller.md 2.5) */
struct osm_provider_config {
	const struct value *root;
	struct value ssh_public_keys; /* list of strings; nil if absent */
	struct value cloud_provider;
	struct value operating_system;
	/* Each of these is null if absent. */
	const struct value *cloud_provider_spec;
	const struct value *operating_system_spec;
	const struct osm_network *network;
	const struct value *overwrite_cloud_config;
};

enum osm_decoding { OSM_LENIENT, OSM_STRICT };
MUST_CHECK enum status osm_provider_config_read(struct arena *arena, struct sink *sink,
                                                const struct value *root,
                                                enum osm_decoding decoding,
                                                struct osm_provider_config *ret_config);
/*
 * Returns true if `field` is missing and an unknown key is a misspelling of it, which strict
 * reading reports.
 */
bool osm_provider_config_misspells(const struct value *root, sv field);

/* ---- system.c ---------------------------------------------------------------------------- */

/*
 * operatingSystemSpec (docs/spec/controller.md 2.7). Members that the operating system does not
 * have are zero.
 */
struct osm_system {
	bool dist_upgrade_on_boot;
	/* flatcar */
	bool disable_auto_update;
	bool disable_locksmithd;
	bool disable_update_engine;
	struct value provisioning_utility; /* strings; empty if absent */
	/* rhel */
	struct value subscription_user;
	struct value subscription_password; /* tainted, as are offline_token and activation_key */
	struct value offline_token;
	bool attach_subscription;
	bool use_satellite;
	struct value satellite_server;
	struct value organization;
	struct value activation_key;
};

MUST_CHECK enum status osm_system_read(struct arena *arena, struct sink *sink,
                                       const struct kube_id *machine,
                                       const struct osm_provider_config *config,
                                       struct osm_system *ret_system);
/* Returns "cloud-init" or "ignition"; for flatcar, the MachineDeployment's provisioningUtility. */
sv osm_system_utility(sv os_name, const struct osm_system *system);
/* Warns of a RHEL machine whose rh_subscription will be empty. */
void osm_system_check_subscription(struct sink *sink, const struct osm_provider_config *config,
                                   const struct osm_system *system);
/* Warns of a profile for an operating system that is no longer maintained. */
void osm_system_check_support(struct sink *sink, const struct osm_provider_config *config,
                              const struct osm_profile *profile);
/*
 * Returns a profile's cloud-init modules (may be null) for this machine. On RHEL, rh_subscription
 * is always replaced by the machine's own (docs/spec/userdata.md 1.4), even by an empty one if
 * `keep_empty`.
 */
const struct value *osm_system_modules(struct arena *arena, sv os_name,
                                       const struct osm_system *system, bool keep_empty,
                                       const struct value *modules);

/* ---- kubelet.c --------------------------------------------------------------------------- */

struct osm_kubelet {
	/* Maps of strings. All members are null if their annotation is absent. */
	const struct value *kube_reserved;
	const struct value *system_reserved;
	const struct value *eviction_hard;
	const struct value *container_log_max_size; /* strings */
	const struct value *container_log_max_files;
	const int32_t *max_pods;
	const int32_t *image_gc_high;
	const int32_t *image_gc_low;
	const int64_t *image_minimum_gc_age; /* nanoseconds */
	const int64_t *image_maximum_gc_age;
};

MUST_CHECK enum status osm_kubelet_read(struct arena *arena, struct sink *sink,
                                        const struct value *annotations,
                                        struct osm_kubelet *ret_kubelet);
/* Normalises the MachineDeployment's version to "v1.34.1" (docs/spec/controller.md 4.1). */
MUST_CHECK enum status osm_kubelet_version(struct arena *arena, struct sink *sink,
                                           const struct value *text, struct semver *ret_version,
                                           sv *ret_normalised);

/* ---- annotations.c ----------------------------------------------------------------------- */

/*
 * Returns the SHA-256 of the annotations as Go's JSON, in lower-case hex (docs/spec/controller.md
 * 3.3).
 */
sv osm_annotations_hash(struct arena *arena, const struct value *annotations);

/* ---- provider/ --------------------------------------------------------------------------- */

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

/* ---- config_var.c ------------------------------------------------------------------------ */

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

/* ---- environment.c ----------------------------------------------------------------------- */

/*
 * The controller takes some values of a legacy cloud-config from its own environment if
 * cloudProviderSpec does not give them. osm-gen does so only with variables that --allow-env names
 * (config_var.c).
 */
#define OSM_VARIABLE_COUNT 22
extern const struct dialect_variable osm_variables[OSM_VARIABLE_COUNT];

/* Returns the variable's value if it is allowed and set, else null. */
const struct value *osm_environment_text(const struct osm_cluster *cluster, sv name);

/* ---- machine.c --------------------------------------------------------------------------- */

/* The operating systems of machine-controller for which there are embedded profiles. */
#define OSM_OS_COUNT 5
extern const sv osm_os_names[OSM_OS_COUNT];

/* ---- settings_set.c ---------------------------------------------------------------------- */

#define OSM_SETTING_COUNT 31
/* The default of rollGuard. */
#define OSM_ROLL_GUARD 10
extern const struct setting osm_settings_table[OSM_SETTING_COUNT];

/* ---- containerd.c, hosts.c, credentials.c ------------------------------------------------ */

struct osm_registry_credential {
	sv host;
	struct value username; /* strings, tainted; empty if absent */
	struct value password;
	struct value auth;
	struct value identity_token;
};

struct osm_registry_credentials {
	struct osm_registry_credential *items; /* sorted by host */
	size_t count;
};

MUST_CHECK enum status
osm_registry_credentials_read(struct arena *arena, struct sink *sink,
                              const struct kube_object *secret, struct position wanted,
                              struct osm_registry_credentials *ret_credentials);

struct value osm_containerd_config(struct arena *arena, const struct osm_settings *settings,
                                   const struct osm_registry_credentials *credentials);

struct osm_hosts_file {
	sv path;
	struct value text;
};
VEC_TYPE(osm_hosts_files, struct osm_hosts_file);
/* Returns containerd's hosts.toml files, sorted by path. */
struct osm_hosts_files osm_containerd_hosts(struct arena *arena,
                                            const struct osm_settings *settings);
/* Adds a TOML key, bare if possible, else as a basic string. */
void osm_toml_add_key(struct text *text, sv key);
void osm_toml_add_string(struct text *text, const struct value *string);

/* The option of `render` that names a MachineDeployment, and what --print calls it. */
#define OSM_UNIT_OPTION "machine-deployment"

/* ---- a job of this dialect --------------------------------------------------------------- */

static inline const struct osm_cluster *osm_job_cluster(const struct dialect_job *job)
{
	return job->loaded;
}

static inline const struct osm_profile *osm_job_profile(const struct dialect_job *job)
{
	return job->unit->resolved;
}

/* ---- cluster.c, bootstrap.c -------------------------------------------------------------- */

struct osm_cluster {
	sv name;
	const struct osm_settings *settings;
	const struct kube_objects *objects;
	bool secrets_may_be_absent;
	const struct value *environment; /* as osm_cluster_input's */
	struct kube_config cluster_info;
	struct value server_url;
	struct value kubernetes_ca;
	struct value getter_token;  /* invalid if absent; .Token is then the bootstrap token */
	struct value account_token; /* of bootstrapTokenServiceAccountName; invalid if unset */
	struct map given_tokens;    /* KEY to struct osm_given_token */
	struct value containerd_config;
	struct osm_hosts_files hosts_files;
	struct value cluster_dns; /* list of net.IP, as templates see it */
};

/* A labelled bootstrap token Secret. */
struct osm_given_token {
	const struct kube_object *secret;
	const struct kube_object *second; /* another one with the same label; or null */
};

/* Returns true if the value is empty because `validate` does without the Secret. */
bool osm_is_absent_secret(const struct osm_cluster *cluster, const struct value *string);
/*
 * Returns false if the Secret is null, lacks the key, or is still encrypted (`validate` decrypts
 * nothing).
 */
bool osm_secret_is_usable(const struct kube_object *secret, sv key);
/*
 * Returns false if a Secret surely lacks the key, which a run with all secrets would report: the
 * names of keys are clear in an encrypted Secret, too. `secret` may be null.
 */
bool osm_secret_may_have(const struct kube_object *secret, sv key);
/*
 * Returns true if the Secret is in clear text and lacks the key because a controller in the
 * cluster fills it, as with a ServiceAccount's token. `secret` may be null.
 */
bool osm_secret_is_unfilled(const struct kube_object *secret, sv key);
/* Warns of a token's Secret that is unfilled. `instead` is what osm-gen does instead. */
void osm_warn_unfilled(struct arena *arena, struct sink *sink, const struct kube_object *secret,
                       const char *instead);
/* A reference to a value of a Secret or ConfigMap. */
struct osm_lookup {
	bool is_secret; /* else a ConfigMap */
	sv namespace;
	sv name;
	sv key;
	struct position wanted; /* of the reference; a missing object is reported there */
};
MUST_CHECK enum status osm_lookup_value(struct arena *arena, struct sink *sink,
                                        const struct osm_cluster *cluster,
                                        const struct osm_lookup *lookup, struct value *ret_string);

/* Returns true for the token Secret of a ServiceAccount, whose name may be empty. */
bool osm_is_account_secret_of(const struct kube_object *object,
                              const struct setter_reference *account);
/* Finds a ServiceAccount's token. */
MUST_CHECK enum status osm_account_token(struct arena *arena, struct sink *sink,
                                         const struct kube_objects *objects,
                                         const struct setter_reference *reference,
                                         bool may_be_absent, struct value *ret_token);
/*
 * Collects the bootstrap token Secrets labelled machinedeployment.k8s.io/name: maps the label's
 * value (osm_machine_key) to struct osm_given_token. Leaves out, with a warning, those that have no
 * token because a controller fills them.
 */
void osm_collect_given_tokens(struct arena *arena, struct sink *sink,
                              const struct kube_objects *objects, struct map *tokens);

enum osm_token_from { OSM_TOKEN_DERIVED, OSM_TOKEN_GIVEN, OSM_TOKEN_ACCOUNT };
MUST_CHECK enum status osm_bootstrap_token(struct arena *arena, struct sink *sink,
                                           const struct dialect_job *job, sv key,
                                           struct value *ret_token, enum osm_token_from *ret_from);

/* ---- data.c, data_types.c ---------------------------------------------------------------- */

/*
 * The data of templates (docs/spec/templates.md 2), as far as it depends on the MachineDeployment.
 */
struct osm_data {
	sv kube_version;
	struct value bootstrap_kubeconfig;
	bool in_tree_ccm;
	struct value cloud_config;
	struct value provider_name;
	const struct osm_network *network;
	bool external_cloud_provider;
	const struct osm_kubelet *kubelet;
	const struct osm_system *system;
	sv os_name;
	struct value token;
	sv secret_name;
	sv kubeconfig_secret_name;
};
/* Returns the data of templates, a pointer to the Go type resources.filesData. */
struct value osm_data_value(struct arena *arena, const struct osm_cluster *cluster,
                            const struct osm_data *data);
/* Returns addresses as a list of the Go type net.IP. */
struct value osm_data_ips(struct arena *arena, const struct value *texts);

/* ---- machine.c, cloud_config.c ----------------------------------------------------------- */

/* A MachineDeployment, read and checked. */
struct osm_machine {
	const struct kube_object *object;
	struct value annotations; /* map of strings; the profile's name is always among them */
	struct osm_provider_config config;
	struct value provider_spec; /* cloudProviderSpec with credentials tainted; null if absent */
	struct value kubelet_text;  /* versions.kubelet as written */
	sv kube_version;            /* normalised */
	struct semver kubelet_version;
	struct osm_kubelet kubelet;
	struct osm_system system;
};

/*
 * Reads and checks a MachineDeployment, also against its profile. `profile` may be null, to check
 * the MachineDeployment by itself.
 */
MUST_CHECK enum status osm_machine_read(struct arena *arena, struct sink *sink,
                                        const struct kube_object *object,
                                        const struct osm_profile *profile,
                                        struct osm_machine *ret_machine);

/* Renders the templates' .CloudConfig (docs/spec/cloud-config.md 2), which is often empty. */
MUST_CHECK enum status osm_cloud_config_text(struct arena *arena, struct sink *sink,
                                             const struct osm_cluster *cluster,
                                             const struct osm_machine *machine,
                                             struct value *ret_text);

/* ---- osc.c ------------------------------------------------------------------------------- */

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

/* ---- names.c ----------------------------------------------------------------------------- */

#define OSM_SECRETS_NAMESPACE "cloud-init-settings"
#define OSM_GETTER_TOKEN      "cloud-init-getter-token"

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

/* ---- artifacts.c ------------------------------------------------------------------------- */

/* The contents of a MachineDeployment's objects. */
struct osm_contents {
	struct value token; /* the bootstrap token */
	enum osm_token_from token_from;
	struct value kubelet_kubeconfig; /* a string */
	struct value osc;                /* the OSC with its secrets in clear text, tainted */
	struct value bootstrap;          /* user-data, as strings */
	struct value provisioning;
	size_t provisioning_bytes;
	size_t bootstrap_bytes; /* counted as the provider's limit does (userdata.h) */
	size_t budget_bytes;    /* the provider's limit, or a Secret's if the provider has none */
};

/* Adds the OSC, the Secrets, and the RBAC with which machines read them. */
void osm_add_artifacts(struct arena *arena, const struct dialect_job *job,
                       const struct osm_machine *machine, const struct osm_names *names,
                       const struct osm_contents *contents, struct artifacts *artifacts);

/* ---- roll.c, render.c -------------------------------------------------------------------- */

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

/* ---- machine_output.c -------------------------------------------------------------------- */

/* The function of struct dialect: sets the roll annotation, unless `value` is empty. */
struct value osm_with_roll(struct arena *arena, const struct kube_object *machine_deployment,
                           sv value);
/*
 * Returns the annotations that a MachineDeployment has in the output: those of the manifest without
 * what the cluster keeps there, and with those by which appliers leave it alone. May be null.
 */
struct value osm_output_annotations(struct arena *arena, const struct osm_settings *settings,
                                    const struct value *given);
/* Returns the MachineDeployment of the output (docs/spec/output.md 5.11), with secrets tainted. */
struct value osm_output_machine(struct arena *arena, const struct dialect_job *job,
                                const struct osm_machine *machine);
/*
 * Fails (DIAG_MD_REPLICAS) if the output has the MachineDeployment, an autoscaler's annotations are
 * on it, and no setting decides who counts its machines.
 */
MUST_CHECK enum status osm_check_replicas(struct sink *sink, const struct osm_settings *settings,
                                          const struct kube_object *machine_deployment);

/* ---- sorted.c ---------------------------------------------------------------------------- */

/* Returns a deep copy with sorted keys, which is the order of sigs.k8s.io/yaml. */
struct value osm_sorted(struct arena *arena, const struct value *v);

/* ---- profile.c --------------------------------------------------------------------------- */

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

/* ---- choose.c ---------------------------------------------------------------------------- */

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

/* ---- adoption.c, adoption_kinds.c -------------------------------------------------------- */

/* The annotations by which a MachineDeployment names its profile. */
#define OSM_ANNOTATION_PROFILE           "k8c.io/operating-system-profile"
#define OSM_ANNOTATION_PROFILE_NAMESPACE "k8c.io/operating-system-profile-namespace"
/* The label of a bootstrap token's Secret; its value is osm_machine_key. */
#define OSM_TOKEN_LABEL "machinedeployment.k8s.io/name"

#define OSM_LIVE_KIND_COUNT       5
#define OSM_LIVE_ANNOTATION_COUNT 7
extern const struct dialect_live_kind osm_live_kinds[OSM_LIVE_KIND_COUNT];
extern const struct dialect_mark osm_live_annotations[OSM_LIVE_ANNOTATION_COUNT];
extern const struct dialect_adoption osm_adoption;

#endif
