/*
 * Private to osm/: what its files share. One block a file.
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
 * A name that is the same text as the credential beside it (a user as its password) is as secret:
 * whoever reads the one knows the other. Hidden like it, it may go where names go.
 */
void osm_hide_if_same(struct arena *arena, struct value *name, const struct value *credential);
/*
 * The same for all texts of a specification that osm_taint_credentials made, and for the
 * credentials in Secrets that it refers to: a copy, where there are any.
 */
struct value osm_hide_names(struct arena *arena, const struct kube_objects *objects,
                            const struct value *spec);
/* cloudProviderSpec with its credentials tainted. prefix: "NAMESPACE/NAME:cloudProviderSpec". */
struct value osm_taint_credentials(struct arena *arena, sv provider, const struct value *spec,
                                   sv prefix);

/* ---- mirrors.c --------------------------------------------------------------------------- */

/* One item of nodeRegistryMirrors (any form) or nodeContainerdRegistryMirrors (REGISTRY=URL). */
MUST_CHECK enum status osm_mirror_parse(struct arena *arena, struct sink *sink, sv setting_name,
                                        const struct value *item, struct position at,
                                        bool containerd, struct osm_mirror *ret_mirror);

/* ---- profile.c, profile_config.c --------------------------------------------------------- */

struct osm_profile_file {
	struct value path;
	int32_t permissions; /* as an OSC holds it; never 0 */
	struct value encoding;
	struct value data;
};

struct osm_profile_config {
	struct osm_profile_file *files; /* the config's, then the runtime's */
	size_t file_count;
	const struct tmpl_profile *templates;
	struct value units;          /* list of maps, keys sorted, as an OSC holds them */
	const struct value *modules; /* map, keys sorted, as an OSC holds it; or null */
};

/* Of profiles: DIAG_OSP_SCHEMA, DIAG_OSP_UNKNOWN_FIELD. */
extern const struct schema_terms osm_profile_terms;

/* Of a profile's file that names none; the schema's default. */
#define OSM_DEFAULT_PERMISSIONS 644

MUST_CHECK enum status osm_profile_config_load(struct schema *schema, const struct value *spec,
                                               const char *key, sv os_name,
                                               const struct osm_profile_config **ret_config);

/* A copy of a profile's spec with what osm_profile_config_load takes for secret tainted. */
struct value osm_profile_tainted_spec(struct arena *arena, const struct value *spec);

/* A copy of rh_subscription: its password or key is a secret wherever it stands. */
struct value osm_taint_subscription(struct arena *arena, const struct value *texts);

/* ---- machine.c, config_json.c ------------------------------------------------------------ */

struct osm_network {
	struct value cidr;
	struct value gateway;
	struct value dns_servers; /* list of strings; nil when absent */
	struct value ip_family;
	struct position at;
};

/* providerSpec.value (docs/spec/controller.md 2.5) */
struct osm_provider_config {
	const struct value *root;
	struct value ssh_public_keys; /* list of strings; nil when absent */
	struct value cloud_provider;
	const struct value *cloud_provider_spec; /* null: absent */
	struct value operating_system;
	const struct value *operating_system_spec;  /* null: absent */
	const struct osm_network *network;          /* null: absent */
	const struct value *overwrite_cloud_config; /* null: absent */
};

enum osm_decoding { OSM_LENIENT, OSM_STRICT };
MUST_CHECK enum status osm_provider_config_read(struct arena *arena, struct sink *sink,
                                                const struct value *root,
                                                enum osm_decoding decoding,
                                                struct osm_provider_config *ret_config);
/* An unknown key stands where field, which is not given, was meant: strict reading reports it. */
bool osm_provider_config_misspells(const struct value *root, sv field);

/* ---- system.c ---------------------------------------------------------------------------- */

/* operatingSystemSpec (docs/spec/controller.md 2.7); what the operating system does not know stays
 * zero. */
struct osm_system {
	bool dist_upgrade_on_boot;
	/* flatcar */
	bool disable_auto_update;
	bool disable_locksmithd;
	bool disable_update_engine;
	struct value provisioning_utility; /* strings; empty: absent */
	/* rhel */
	struct value subscription_user;
	struct value subscription_password; /* tainted, as offline_token and activation_key */
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
/* "cloud-init" or "ignition"; for flatcar whatever the MachineDeployment asks for. */
sv osm_system_utility(sv os_name, const struct osm_system *system);
/* Warns of a RHEL machine whose rh_subscription will be empty. */
void osm_system_check_subscription(struct sink *sink, const struct osm_provider_config *config,
                                   const struct osm_system *system);
/* Warns of a profile for a system that its maker has given up. */
void osm_system_check_support(struct sink *sink, const struct osm_provider_config *config,
                              const struct osm_profile *profile);
/*
 * A profile's modules (null: none) as they are for this machine: RHEL's subscription is always the
 * machine's own (docs/spec/userdata.md 1.4), even an empty one unless keep_empty is false.
 */
const struct value *osm_system_modules(struct arena *arena, sv os_name,
                                       const struct osm_system *system, bool keep_empty,
                                       const struct value *modules);

/* ---- kubelet.c --------------------------------------------------------------------------- */

struct osm_kubelet {
	/* Maps of strings; null when the annotation is absent. */
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
/* "v1.34.1" from the MachineDeployment's text (docs/spec/controller.md 4.1). */
MUST_CHECK enum status osm_kubelet_version(struct arena *arena, struct sink *sink,
                                           const struct value *text, struct semver *ret_version,
                                           sv *ret_normalised);

/* ---- fetches.c, fetches_read.c ----------------------------------------------------------- */

struct osm_rendered_config;
struct osm_fetches_request {
	const struct osm_inventories *annotations;
	const struct value *data;                    /* what the profile's files are given */
	const struct osm_rendered_config *bootstrap; /* both may hold settings */
	const struct osm_rendered_config *provisioning;
	const struct osm_settings *settings;
	int64_t now;
	struct quota *steps;
};
/* Renders the annotations and reads them. DIAG_INVENTORY. */
MUST_CHECK enum status osm_fetches(struct arena *arena, struct sink *sink,
                                   const struct osm_fetches_request *request,
                                   struct dialect_fetches *ret_fetches);
/* The annotation, or null. */
const struct value *osm_inventory_of(const struct kube_object *object);
/* DIAG_NOT_INVENTORIED */
void osm_report_not_inventoried(struct sink *sink, const struct osm_profile *profile);
void osm_report_extension_not_inventoried(struct sink *sink, const struct kube_object *extension);

/* ---- annotations.c ----------------------------------------------------------------------- */

/* Lower-case hex SHA-256 of the annotations' Go JSON (docs/spec/controller.md 3.3). */
sv osm_annotations_hash(struct arena *arena, const struct value *annotations);

/* ---- provider/ --------------------------------------------------------------------------- */

/* What a legacy cloud-config is made of. */
struct osm_cloud_config_input {
	const struct osm_cluster *cluster;
	const struct value *spec;     /* cloudProviderSpec: a map, tainted */
	const struct value *raw_spec; /* the same as it was written */
	sv kubelet_version;           /* as the MachineDeployment says it */
};

/* The text (docs/spec/cloud-config.md 3). Reports every mistake in the specification. */
typedef enum status osm_cloud_config(struct arena *arena, struct sink *sink,
                                     const struct osm_cloud_config_input *input,
                                     struct value *ret_text);

struct osm_provider {
	sv name;
	const char *others; /* what people call it besides, with blanks around each; or null */
	bool in_tree;       /* has an in-tree cloud controller (docs/spec/cloud-config.md 1) */
	bool known;         /* cloud-config step knows it; else "unknown cloud provider" */
	const sv *secrets;  /* names in cloudProviderSpec that hold credentials */
	size_t secret_count;
};

/* Whether a field of that name holds a credential, with one of the clouds. */
bool osm_provider_hides(sv name);
/* Null for names outside of the schema's list. */
const struct osm_provider *osm_provider_find(sv name);
/* The name that was meant by one outside of the list: another one for it, or the nearest. */
sv osm_provider_meant(struct arena *arena, sv name);
/* "aws, azure, ..." */
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

/* Names a value of a Secret or a ConfigMap; empty texts where it is not complete. */
struct osm_reference {
	sv namespace;
	sv name;
	sv key;
};

/* ConfigVarString or ConfigVarBool (docs/spec/controller.md 2.6), decoded, nothing looked up yet.
 */
struct osm_config_var {
	sv name;
	struct position at; /* of its value; of the specification when it is absent */
	struct value value; /* string or bool; invalid: none */
	struct osm_reference secret;
	struct osm_reference config_map;
};

/*
 * Of all the values that are given for the field; none is no mistake, and leaves *var, which has
 * its name and where it should be, empty.
 */
MUST_CHECK enum status osm_config_var_decode(struct arena *arena, struct sink *sink,
                                             const struct go_json_matches *matches,
                                             enum osm_var_kind kind, struct osm_config_var *var);
/* GetStringValue: absent gives "". What comes from a Secret is tainted. */
MUST_CHECK enum status osm_config_var_string(struct arena *arena, struct sink *sink,
                                             const struct osm_cluster *cluster,
                                             const struct osm_config_var *var,
                                             struct value *ret_string);
/* GetBoolValue: "true" or "false" as strings, tainted likewise; absent gives the invalid value. */
MUST_CHECK enum status osm_config_var_bool(struct arena *arena, struct sink *sink,
                                           const struct osm_cluster *cluster,
                                           const struct osm_config_var *var,
                                           struct value *ret_bool);

/*
 * GetStringValueOrEnv, GetBoolValueOrEnv. A variable of the environment speaks when --allow-env
 * names it and it is set, be it to the empty text: then the result is the controller's. It is
 * silent otherwise, and nobody knows what the controller's own environment holds:
 *
 *   OSM_NEEDED    without the value the cloud-config is of no use, so the controller must have it
 *                 from somewhere: an error that names the two ways to give it
 *   OSM_OPTIONAL  many clouds do without: taken for empty, as by a controller without the variable
 *
 * A reference that leads nowhere is an error when the variable is silent, though the controller
 * would go on with the empty text; when it speaks, a warning.
 */
enum osm_need { OSM_NEEDED, OSM_OPTIONAL };
MUST_CHECK enum status osm_config_var_string_or_env(struct arena *arena, struct sink *sink,
                                                    const struct osm_cluster *cluster,
                                                    const struct osm_config_var *var, sv variable,
                                                    enum osm_need need, struct value *ret_string);
/* Always optional. */
MUST_CHECK enum status osm_config_var_bool_or_env(struct arena *arena, struct sink *sink,
                                                  const struct osm_cluster *cluster,
                                                  const struct osm_config_var *var, sv variable,
                                                  struct value *ret_bool);

/* ---- environment.c ----------------------------------------------------------------------- */

/*
 * The controller takes some values of a legacy cloud-config from its own environment when
 * cloudProviderSpec does not give them. osm-gen does so only with variables that the caller allows;
 * a value that is needed and comes from nowhere is an error (config_var.c).
 */
#define OSM_VARIABLE_COUNT 22
extern const struct dialect_variable osm_variables[OSM_VARIABLE_COUNT];

/* The variable's text when it speaks (see above); else null. */
const struct value *osm_environment_text(const struct osm_cluster *cluster, sv name);

/* ---- machine.c --------------------------------------------------------------------------- */

/* The operating systems of machine-controller that have profiles. */
#define OSM_OS_COUNT 5
extern const sv osm_os_names[OSM_OS_COUNT];

/* ---- settings.c -------------------------------------------------------------------------- */

#define OSM_SETTING_COUNT 26
extern const struct setting osm_settings_table[OSM_SETTING_COUNT];

/* ---- containerd.c, hosts.c, credentials.c ------------------------------------------------ */

struct osm_registry_credential {
	sv host;
	struct value username; /* strings, tainted; empty: absent */
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
/* The hosts.toml files, sorted by path. */
struct osm_hosts_files osm_containerd_hosts(struct arena *arena,
                                            const struct osm_settings *settings);
/* TOML: bare where it can be, else a basic string. */
void osm_toml_add_key(struct text *text, sv key);
void osm_toml_add_string(struct text *text, const struct value *string);

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
	struct value getter_token;  /* invalid: absent, .Token is the bootstrap token */
	struct value account_token; /* of bootstrapTokenServiceAccountName; invalid: not used */
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

/* A Secret's value that validation does without. */
bool osm_is_absent_secret(const struct osm_cluster *cluster, const struct value *string);
/* False: not there, without the key, or still encrypted (`validate` decrypts nothing). */
bool osm_secret_is_usable(const struct kube_object *secret, sv key);
/* True for a Secret that is there, in the clear, and that the cluster fills; `secret` may be null.
 */
bool osm_secret_is_unfilled(const struct kube_object *secret, sv key);
/* Warns of one that would hold a token; `instead` says what osm-gen does. */
void osm_warn_unfilled(struct arena *arena, struct sink *sink, const struct kube_object *secret,
                       const char *instead);
/* A Secret's or ConfigMap's value that something asks for. */
struct osm_lookup {
	bool is_secret; /* else a ConfigMap */
	sv namespace;
	sv name;
	sv key;
	struct position wanted; /* where it is asked for: what is missing is reported there */
};
MUST_CHECK enum status osm_lookup_value(struct arena *arena, struct sink *sink,
                                        const struct osm_cluster *cluster,
                                        const struct osm_lookup *lookup, struct value *ret_string);

/* A bootstrap token's Secret, by namespace and name. */
bool osm_is_token_secret(const struct kube_object *object);
/* The token Secret of a ServiceAccount; account: "NAMESPACE/NAME", or empty. */
bool osm_is_account_secret_of(const struct kube_object *object, sv account);
/* The ServiceAccount's token; reference: "NAMESPACE/NAME". */
MUST_CHECK enum status osm_account_token(struct arena *arena, struct sink *sink,
                                         const struct kube_objects *objects,
                                         const struct value *reference, bool may_be_absent,
                                         struct value *ret_token);
/*
 * Labelled bootstrap token Secrets by their label: KEY to struct osm_given_token. Those that the
 * cluster fills are left out, with a warning.
 */
void osm_collect_given_tokens(struct arena *arena, struct sink *sink,
                              const struct kube_objects *objects, struct map *tokens);

enum osm_token_from { OSM_TOKEN_DERIVED, OSM_TOKEN_GIVEN, OSM_TOKEN_ACCOUNT };
MUST_CHECK enum status osm_bootstrap_token(struct arena *arena, struct sink *sink,
                                           const struct osm_job *job, sv key,
                                           struct value *ret_token, enum osm_token_from *ret_from);

/* ---- data.c, data_types.c ---------------------------------------------------------------- */

/* What the templates see (docs/spec/templates.md 2). */
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
/* A pointer to resources.filesData. */
struct value osm_data_value(struct arena *arena, const struct osm_cluster *cluster,
                            const struct osm_data *data);
/* A list of net.IP. */
struct value osm_data_ips(struct arena *arena, const struct value *texts);

/* ---- machine.c, cloud_config.c ----------------------------------------------------------- */

/* A MachineDeployment, read and checked against its profile (null: only by itself). */
struct osm_machine {
	const struct kube_object *object;
	struct value annotations; /* map of strings; the profile's name is always among them */
	struct osm_provider_config config;
	struct value provider_spec; /* cloudProviderSpec with credentials tainted; null: absent */
	struct value kubelet_text;  /* as the manifest says it */
	sv kube_version;            /* normalised */
	struct semver kubelet_version;
	struct osm_kubelet kubelet;
	struct osm_system system;
};

MUST_CHECK enum status osm_machine_read(struct arena *arena, struct sink *sink,
                                        const struct kube_object *object,
                                        const struct osm_profile *profile,
                                        struct osm_machine *ret_machine);

/* The text for .CloudConfig (docs/spec/cloud-config.md 2); often empty. */
MUST_CHECK enum status osm_cloud_config_text(struct arena *arena, struct sink *sink,
                                             const struct osm_cluster *cluster,
                                             const struct osm_machine *machine,
                                             struct value *ret_text);

/* ---- osc.c ------------------------------------------------------------------------------- */

/* One rendered config: bootstrapConfig or provisioningConfig. */
struct osm_rendered_file {
	struct value path;
	int32_t permissions;
	struct value encoding;
	struct value data;
};

struct osm_rendered_config {
	struct osm_rendered_file *files;
	size_t file_count;
	const struct value *units;   /* as osm_profile_config's */
	const struct value *modules; /* or null */
};

struct value osm_osc_new(struct arena *arena, const struct osm_job *job,
                         const struct osm_machine *machine,
                         const struct osm_rendered_config *bootstrap,
                         const struct osm_rendered_config *provisioning);
void osm_node_config(struct arena *arena, const struct osm_rendered_config *config,
                     const struct osm_machine *machine, struct node_config *node);
/* The three annotations that the controller writes, sorted; more may be added. */
struct value osm_controller_annotations(struct arena *arena, const struct osm_job *job,
                                        const struct osm_machine *machine);
/* Decimal digits as user-data shows them (docs/spec/userdata.md 1.2). */
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

/* ---- artifacts.c ------------------------------------------------------------------------- */

/* Adds the OSC, the Secrets, and what lets machines read them, to rendered->artifacts. */
void osm_add_artifacts(struct arena *arena, const struct osm_job *job,
                       const struct osm_machine *machine, const struct osm_names *names,
                       const struct value *token, enum osm_token_from token_from,
                       struct osm_rendered *rendered);

/* ---- rotation.c -------------------------------------------------------------------------- */

struct osm_period {
	sv rotation;   /* what a token of it is derived from; empty: there is no such period */
	sv expiration; /* RFC 3339, UTC: when the token ends; empty: it does not */
};
struct osm_periods {
	struct osm_period now;
	struct osm_period before; /* its token is good for one more period */
};
/*
 * Of a tokenRotation at a time (seconds since 1970): daily, weekly and monthly have periods, any
 * other text is a period without end.
 */
struct osm_periods osm_periods_of(struct arena *arena, sv rotation, int64_t now);

/* ---- sorted.c ---------------------------------------------------------------------------- */

/* A map with sorted keys, deeply: the order of sigs.k8s.io/yaml. */
struct value osm_sorted(struct arena *arena, const struct value *v);

/* ---- choose.c ---------------------------------------------------------------------------- */

/* Which profiles each cluster sees, and which of them a MachineDeployment asks for. */
struct osm_choice;
struct osm_choice *osm_choice_new(struct arena *arena, struct sink *sink,
                                  const struct dialect_input *input);
void osm_choose(struct arena *arena, struct sink *sink, struct osm_choice *choice, size_t cluster,
                struct dialect_unit *unit);

/* ---- extended.c -------------------------------------------------------------------------- */

struct osm_definition;
struct osm_extended;
/* Reads all extensions of the input. */
struct osm_extended *osm_extended_new(struct arena *arena, struct sink *sink,
                                      const struct dialect_input *input);
/* Reports those that are for nobody, and what they select and is not there. */
void osm_extended_check(struct arena *arena, struct sink *sink, struct osm_extended *extended,
                        const struct map *known_profiles);
/*
 * The profile with the extensions that are for this MachineDeployment; base where there are none.
 * One whose profile is null is wrong, which is reported.
 */
const struct osm_definition *osm_extended_find(struct arena *arena, struct sink *sink,
                                               struct osm_extended *extended, size_t cluster,
                                               const struct osm_definition *base,
                                               const struct kube_object *machine_deployment);
/* "osp-ubuntu" of "osp-ubuntu-x1a2b3c4d", the name of one that was made; else the name itself. */
sv osm_extended_base_name(sv name);

/* A profile in one of the layers; compiled once, however many clusters it serves. */
struct osm_definition {
	struct dialect_definition shown;   /* first: what others see */
	const struct osm_profile *profile; /* null: it is wrong, which is reported */
};

/* extension_members.c */
extern const struct dialect_member osm_extension_members[];
extern const size_t osm_extension_member_count;

#endif
