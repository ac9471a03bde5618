/*
 * osm: Kubermatic's operating-system-manager without its API server. Its inputs are a
 * MachineDeployment, an OperatingSystemProfile, settings, and the Secrets and ConfigMaps that they
 * refer to. It renders the OperatingSystemConfig (OSC), the bootstrap and provisioning user-data
 * and the Secrets that carry them, byte for byte as the controller does (docs/spec/controller.md).
 *
 * Order of calls: set the settings, load the profiles, then osm_cluster_load once for each cluster
 * and osm_render once for each MachineDeployment. All inputs are const while rendering, so several
 * threads may render at a time, each with its own arena and sink.
 */
#ifndef OSM_GEN_OSM_OSM_H
#define OSM_GEN_OSM_OSM_H

#include "base/base.h"
#include "diag/diag.h"
#include "dialect/dialect.h"
#include "kube/kube.h"
#include "secrecy/secrecy.h"
#include "value/value.h"

/* ---- settings ---------------------------------------------------------------------------- */

/* provisioning: where the provisioning configuration is. */
enum osm_provisioning { OSM_PROVISIONING_WHOLE, OSM_PROVISIONING_SPLIT };
enum osm_osc_form { OSM_OSC_REDACTED, OSM_OSC_SEALED, OSM_OSC_PATCH };
enum osm_roll { OSM_ROLL_NEVER, OSM_ROLL_PROFILE, OSM_ROLL_USER_DATA };
/* The setting replicas: is spec.replicas in the output? */
enum osm_replicas { OSM_REPLICAS_KEEP, OSM_REPLICAS_OMIT };

/* One registry mirror, in the order given. */
struct osm_mirror {
	sv registry;
	struct value url; /* tainted where it holds a user or password */
};
VEC_TYPE(osm_mirrors, struct osm_mirror);

/* An item of the setting defaultProfiles: the profile of MachineDeployments that name none. */
struct osm_default_profile {
	sv os_name;
	sv profile;
	struct position at; /* of the item in the setting */
};
VEC_TYPE(osm_default_profiles, struct osm_default_profile);

/*
 * All settings that shape output (docs/spec/controller.md 6), as the controller would have parsed
 * its flags. May be copied by assignment: setting_set replaces a member's value and never
 * changes a value that two copies share.
 */
struct osm_settings {
	sv namespace;         /* of OSCs and profiles; "kube-system" */
	sv container_runtime; /* "containerd" */
	bool external_cloud_provider;
	bool disable_default_osps;
	bool device_ownership;    /* deviceOwnershipFromSecurityContext */
	struct value cluster_dns; /* list of strings: canonical addresses */
	struct value pause_image; /* strings; empty if unset */
	struct value initial_taints;
	struct value http_proxy;
	struct value no_proxy;
	struct value feature_gates;            /* map of bools */
	struct value insecure_registries;      /* list of strings */
	struct osm_mirrors registry_mirrors;   /* nodeRegistryMirrors */
	struct osm_mirrors containerd_mirrors; /* nodeContainerdRegistryMirrors; come first */
	struct setter_reference registry_credentials_secret;
	struct value override_api_server;
	struct setter_reference token_service_account;
	struct value kubernetes_ca; /* PEM; empty to use the one of cluster-info */
	struct value host_ca;
	/* osm-gen's own */
	enum osm_osc_form osc;
	/* Goes into the derivation of bootstrap tokens; "daily" and others rotate
	 * (dialect_periods_of). */
	sv token_rotation;
	bool revision_pins; /* revisionAnnotation: pin */
	bool immutable_secrets;
	bool empty_subscription;       /* write rh_subscription even without user and password */
	struct value user_data_limits; /* map of provider to bytes; 0: unlimited */
	struct osm_default_profiles default_profiles;
	bool writes_machines; /* machineDeployments: output */
	enum osm_replicas replicas;
	struct setting_given replicas_given;
	struct value kubernetes_version; /* of the control plane; empty if unset */
	enum osm_roll roll;              /* what has machines roll when it changes */
	int64_t roll_guard;              /* how many machines may roll so in one run */
	struct setting_given roll_given;
	bool unreadable_warns; /* unreadableUserData: warning */
	enum osm_provisioning provisioning;
	struct setting_given provisioning_given;
};

/* ---- profiles ---------------------------------------------------------------------------- */

/* The members of an OperatingSystemProfile, and of an OperatingSystemProfileExtension. */
struct shape;
extern const struct shape osm_profile_shape;
extern const struct shape osm_extension_shape;

struct osm_additions;
/* The files, units and modules of bootstrapConfig or provisioningConfig. */
struct osm_profile_config;

/* Values of the annotation osm-gen.dev/inventory, as written. */
VEC_TYPE(osm_inventories, const struct value *);

/* An OperatingSystemProfile, checked against its schema, with its templates compiled. */
struct osm_profile {
	const struct kube_object *object;
	sv name;
	struct value os_name;
	struct value os_version;
	struct value version;
	struct value provisioning_utility;       /* the schema's default if unset */
	const struct value *supported_providers; /* list of {name, spec} */
	const struct osm_profile_config *bootstrap;
	const struct osm_profile_config *provisioning;
	const struct osm_additions *additions; /* null if it has no extensions */
	/* The profile's own inventory, then those of its extensions; may be empty. */
	struct osm_inventories inventories;
	/* Extensions with commands that may download something, but without an inventory. */
	VEC(const struct kube_object *) not_inventoried;
};

/* A kind of osm-gen.dev/v1alpha1. */
#define OSM_EXTENSION_KIND "OperatingSystemProfileExtension"

#define OSM_API_GROUP         "operatingsystemmanager.k8c.io"
#define OSM_API_VERSION       OSM_API_GROUP "/v1alpha1"
#define OSM_MACHINE_API_GROUP "cluster.k8s.io"

/*
 * Reads a profile as the API server's schema and the webhook would (docs/spec/controller.md 2.2,
 * 7.1), fills in defaults, and compiles its templates. Warns of unknown fields, which the API
 * server drops.
 */
enum status osm_profile_load(struct arena *arena, struct sink *sink,
                             const struct kube_object *object,
                             struct osm_profile **ret_profile) MUST_CHECK;
/*
 * Returns the profile as an object of the management side: an OperatingSystemProfile in
 * `namespace` with the input's labels and annotations, and the annotations that appliers need.
 */
struct value osm_profile_object(struct arena *arena, const struct osm_profile *profile,
                                sv namespace);

/*
 * Returns true if two specs differ in the sense of the controller's webhook
 * (docs/spec/controller.md 7.1): with defaults filled in, without unknown fields, with lists in
 * order. In both, secrets are replaced by <sealed:NAME#FINGERPRINT>; `one_seed` means that both
 * fingerprints are made with the same seed, so that they are compared, too. *ret_change names the
 * first difference ("spec.bootstrapConfig.files[0].path") and its position in `now`, or, if the
 * member is gone, the position of its parent.
 */
bool osm_profile_spec_changed(struct arena *arena, const struct value *before,
                              const struct value *now, bool one_seed,
                              struct dialect_change *ret_change);

/*
 * Removes clouds that the schema no longer has from a profile's supportedCloudProviders. Profiles
 * created earlier still list them in their clusters, and no machine can use them. Sets
 * *ret_dropped to their names. Returns false if it removed nothing.
 */
bool osm_profile_drop_gone(struct arena *arena, struct value *profile, sv *ret_dropped);

VEC_TYPE(osm_profiles, struct osm_profile *);
/*
 * Loads the embedded profiles (profiles/ of this repository) of an output contract, sorted by name.
 */
enum status osm_profile_embedded(struct arena *arena, struct sink *sink, unsigned contract,
                                 struct osm_profiles *ret_profiles) MUST_CHECK;

/*
 * The profile that a MachineDeployment refers to: by its annotation
 * k8c.io/operating-system-profile (and -namespace), else by the setting defaultProfiles, else by
 * its operating system, as the controller's webhook defaults it (docs/spec/controller.md 7.3).
 * osm_profile_wanted fails without an annotation if providerSpec.value has no operating system
 * with a default.
 */
struct osm_profile_reference {
	sv name;
	sv namespace;       /* empty for settings.namespace */
	struct position at; /* of the annotation, or of the operating system */
	bool defaulted;     /* the annotation is missing */
	const struct osm_default_profile *setting; /* the setting that chose it; may be null */
};
enum status osm_profile_wanted(struct arena *arena, struct sink *sink,
                               const struct osm_settings *settings,
                               const struct kube_object *machine_deployment,
                               struct osm_profile_reference *ret_reference) MUST_CHECK;
/* Reports a missing profile at the reference, with the most similar of the existing names. */
void osm_profile_report_unknown(struct sink *sink, const struct osm_profile_reference *reference,
                                const sv *names, size_t count);
/* Adds a note with the position of the setting, if a setting chose the profile. */
void osm_profile_note_setting(struct sink *sink, struct diag *diag,
                              const struct osm_profile_reference *reference);
/*
 * Returns false if a setting chose the profile for another operating system than the profile has.
 * Reports that at the setting, once for all MachineDeployments.
 */
bool osm_profile_fits_setting(struct sink *sink, const struct osm_profile_reference *reference,
                              const struct osm_profile *profile) MUST_CHECK;

/* ---- clusters ---------------------------------------------------------------------------- */

struct osm_cluster_input {
	sv name;
	const struct osm_settings *settings;
	const struct kube_objects *objects;
	/*
	 * Where a missing object is reported: the Cluster document, or the first MachineDeployment.
	 */
	struct position at;
	/*
	 * For `validate`: a missing Secret, or bootstrap token, is replaced by a placeholder
	 * instead of causing an error.
	 */
	bool secrets_may_be_absent;
	/*
	 * The environment variables that may be used, by name: a tainted string, or a null value
	 * for one that is not set. The pointer is null if no variable may be used.
	 */
	const struct value *environment;
};

/* Objects and files that all MachineDeployments of a cluster share, looked up and rendered once. */
struct osm_cluster;

/*
 * Looks up and renders what a cluster's MachineDeployments share. `arena` must be a secret arena
 * and outlive the jobs. Fails if cluster-info, the CA, the getter token, registry credentials or
 * the ServiceAccount token are needed and missing or invalid.
 */
enum status osm_cluster_load(struct arena *arena, struct sink *sink,
                             const struct osm_cluster_input *input,
                             const struct osm_cluster **ret_cluster) MUST_CHECK;
/*
 * Reports MachineDeployments of a cluster whose names are too long, or lead to the same Secret
 * names, so that one would overwrite the other's Secrets (docs/spec/controller.md 3.1).
 */
enum status osm_check_names(struct sink *sink, const struct kube_object *const *machine_deployments,
                            size_t count) MUST_CHECK;
/* Returns the version that the settings or a KubeOneCluster name, or a value of another type. */
const struct value *osm_control_plane(const struct dialect_cluster *cluster);
/*
 * Warns of MachineDeployments whose kubelet cannot work with the cluster's version of Kubernetes,
 * if a KubeOneCluster sets that (DIAG_MD_SKEW).
 */
void osm_check_skew(struct arena *arena, struct sink *sink, const struct dialect_cluster *cluster);
/* Warns of feature gates with which the kubelet of a MachineDeployment does not start. */
void osm_check_feature_gates(struct arena *arena, struct sink *sink,
                             const struct dialect_cluster *cluster);
/*
 * Returns true if a list of hosts, domains, addresses and networks, separated by commas, has the
 * host: golang.org/x/net/http/httpproxy. `port` is in digits.
 */
bool osm_is_without_proxy(sv no_proxy, sv host, sv port);
/* Warns if nodes have a proxy and would use it for the API server (DIAG_PROXY_API_SERVER). */
void osm_check_proxy(struct arena *arena, struct sink *sink, const struct osm_cluster *cluster);

/* ---- rendering --------------------------------------------------------------------------- */

/*
 * Adds the objects that the cluster needs once: the namespace of the Secrets, if no getter token is
 * given (docs/spec/output.md 4.3: a cluster can then be bootstrapped from git alone).
 */
void osm_cluster_artifacts(struct arena *arena, const struct osm_cluster *cluster,
                           struct artifacts *artifacts);

/*
 * Renders one MachineDeployment: the job's `loaded` is its struct osm_cluster, `unit->object` the
 * MachineDeployment, `unit->resolved` its struct osm_profile. `arena` must be a secret arena.
 * Reports as many mistakes as it can find. *ret_rendered is valid only if it returns STATUS_OK.
 */
enum status osm_render(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                       struct dialect_rendered *ret_rendered) MUST_CHECK;

/*
 * Reports the own mistakes of a MachineDeployment that cannot be rendered because its profile or
 * its cluster is wrong.
 */
void osm_check_machine(struct arena *arena, struct sink *sink,
                       const struct kube_object *machine_deployment);

/*
 * Reports members of a MachineDeployment that the API server or machine-controller's webhook would
 * reject, as far as that can be known without asking the cloud, and warns of those that Kubernetes
 * rejects later (docs/spec/controller.md 2.9). Leaves to osm_render what that reports anyway.
 */
MUST_CHECK enum status osm_machine_admit(struct arena *arena, struct sink *sink,
                                         const struct kube_object *machine_deployment);
/*
 * Returns a JSON Schema (draft 7) of the MachineDeployments of a cloud provider; for an empty name,
 * of all of them. It takes what osm_machine_admit and osm_render take without a message about types
 * and names, with two exceptions: the case of members that must be there matters, and a list in the
 * place of a string is wrong even if it is COMPAT.
 */
struct value osm_machine_schema(struct arena *arena, sv provider);

/*
 * Returns the MachineDeployment's spec.template as canonical JSON (keys sorted), without the
 * members that machine-controller does not compare, tainted where it holds secrets. If its digest
 * changes, machine-controller replaces the machines.
 */
struct value osm_template_text(struct arena *arena, const struct kube_object *machine_deployment);
/* The same with all members, as earlier versions digested it. */
struct value osm_template_text_as_written(struct arena *arena,
                                          const struct kube_object *machine_deployment);
/* Adds the members of their templates that differ, for people (template_change.c). */
void osm_template_changes(struct arena *arena, const struct kube_object *before,
                          const struct kube_object *now, struct dialect_differences *fields);
/*
 * Returns spec.replicas, or 1 if it is unset, as the API server defaults it, or -1 if it is not an
 * integer.
 */
int64_t osm_machine_replicas(const struct kube_object *machine_deployment);
/* Sets how its machines are replaced when its template changes (pace.c). */
void osm_machine_pace(struct arena *arena, const struct kube_object *machine_deployment,
                      struct dialect_pace *ret_pace);
/* Returns the position of spec.template.spec.versions.kubelet, or NOWHERE if it is unset. */
struct position osm_machine_version_at(const struct kube_object *machine_deployment);

/*
 * Returns a MachineDeployment's providerSpec.value with all credentials tainted, also those that
 * only its cloud names so (secrecy_taint_credentials); or the null value if it has none.
 */
struct value osm_machine_credentials(struct arena *arena,
                                     const struct kube_object *machine_deployment);
/* Returns a copy of a MachineDeployment whose providerSpec.value has its credentials tainted. */
struct value osm_machine_manifest(struct arena *arena,
                                  const struct kube_object *machine_deployment);
/*
 * Returns the embedded profiles and scripts, which are in the output in the clear: words that they
 * contain are not secrets, even if a secret's value is one.
 */
struct secrecy_public osm_public_texts(struct arena *arena);
/* The same without the files of older contracts, which are compressed: for one word of a unit. */
struct secrecy_public osm_newest_public_texts(struct arena *arena);

/* Describes an OperatingSystemConfig (files, units, users), for reviews of its changes. */
void osm_describe(struct arena *arena, const struct value *config,
                  struct dialect_description *description);

/*
 * Returns the key that names tokens and kubelet kubeconfigs: "NAMESPACE-NAME", or NAME alone from
 * 63 bytes on (docs/spec/controller.md 3.1).
 */
sv osm_machine_key(struct arena *arena, sv namespace, sv name);

/* Returns the JSON Schema of a KubeOneCluster of v1beta2 or of v1beta3 (docs/spec/kubeone.md). */
struct value osm_kubeone_schema(struct arena *arena, bool is_v1beta3);

/* schemas.c: adds the JSON Schemas of all documents that this dialect reads. */
void osm_list_schemas(struct arena *arena, struct dialect_schemas *schemas);

/* Annotations of the controller, of osm-gen and of appliers. */
#define OSM_ANNOTATION_REVISION "k8c.io/machine-deployment-revision"
#define OSM_ANNOTATION_HASH     "k8c.io/mdannotations-hash"
/* machine-controller counts it up in the cluster, on the MachineDeployment itself. */
#define OSM_ANNOTATION_MACHINES_REVISION "machinedeployment.clusters.k8s.io/revision"
/* In a template: another value replaces the machines. */
#define OSM_ANNOTATION_ROLL_DIGEST     "osm-gen.dev/roll-digest"
#define OSM_ANNOTATION_OSP_VERSION     "k8c.io/osp-version"
#define OSM_ANNOTATION_TEMPLATE_DIGEST "osm-gen.dev/template-digest"
/* On a profile: lists what its machines download (inventory/). It is not written to the output. */
#define OSM_ANNOTATION_INVENTORY       "osm-gen.dev/inventory"
#define OSM_ANNOTATION_FLUX_SUBSTITUTE "kustomize.toolkit.fluxcd.io/substitute"
#define OSM_ANNOTATION_FLUX_PRUNE      "kustomize.toolkit.fluxcd.io/prune"
#define OSM_ANNOTATION_FLUX_FORCE      "kustomize.toolkit.fluxcd.io/force"
#define OSM_ANNOTATION_FLUX_POLICY     "kustomize.toolkit.fluxcd.io/ssa"
#define OSM_ANNOTATION_ARGOCD_OPTIONS  "argocd.argoproj.io/sync-options"

#endif
