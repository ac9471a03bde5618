/*
 * Private to osm/: a MachineDeployment, read and checked.
 *
 *   machine.c               the whole
 *   config_json.c           providerSpec.value
 *   system.c                operatingSystemSpec
 *   kubelet.c               annotations and version of the kubelet
 *   annotations.c           the digest of the annotations
 *   machine_credentials.c   credentials of the cloud provider
 */
#ifndef OSM_GEN_OSM_MACHINE_H
#define OSM_GEN_OSM_MACHINE_H

#include "dialect/dialect.h"
#include "golang/golang.h"
#include "osm/osm.h"
#include "shape/shape.h"

/* ---- annotations ------------------------------------------------------------------------ */

/* The annotations by which a MachineDeployment names its profile. */
#define OSM_ANNOTATION_PROFILE           "k8c.io/operating-system-profile"
#define OSM_ANNOTATION_PROFILE_NAMESPACE "k8c.io/operating-system-profile-namespace"
/* The label of a bootstrap token's Secret; its value is osm_machine_key. */
#define OSM_TOKEN_LABEL "machinedeployment.k8s.io/name"

/*
 * Returns the SHA-256 of the annotations as Go's JSON, in lower-case hex (docs/spec/controller.md
 * 3.3).
 */
sv osm_annotations_hash(struct arena *arena, const struct value *annotations);

/* ---- credentials ------------------------------------------------------------------------ */

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

/* ---- providerSpec.value ----------------------------------------------------------------- */

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

extern const struct shape osm_config_shape;
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

/* ---- operatingSystemSpec ---------------------------------------------------------------- */

/* The operating systems of machine-controller for which there are embedded profiles. */
#define OSM_OS_COUNT 5
extern const sv osm_os_names[OSM_OS_COUNT];

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

extern const struct shape osm_system_shape;
/* Returns the flags of its members that an operating system does not have. */
unsigned osm_system_absent(sv os_name);
MUST_CHECK enum status osm_system_read(struct arena *arena, struct sink *sink,
                                       const struct kube_id *machine,
                                       const struct osm_provider_config *config,
                                       struct osm_system *ret_system);
/* Returns "cloud-init" or "ignition"; for flatcar, the MachineDeployment's provisioningUtility. */
sv osm_system_utility(sv os_name, const struct osm_system *system);
/* Returns the setting that a member of rh_subscription has its value from, or an empty string. */
sv osm_system_setting_of(sv member);
/* Warns of a RHEL machine whose rh_subscription will be empty. */
void osm_system_check_subscription(struct sink *sink, const struct osm_provider_config *config,
                                   const struct osm_system *system);
/* Warns (DIAG_SYSTEM_UNSUPPORTED) if the profile is for an operating system out of support. */
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

/* ---- the kubelet ------------------------------------------------------------------------ */

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

/* ---- the whole -------------------------------------------------------------------------- */

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

#endif
