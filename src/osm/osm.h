/*
 * osm: Kubermatic's operating-system-manager without its API server. A MachineDeployment, an
 * OperatingSystemProfile, settings and a few looked-up objects in; the OperatingSystemConfig, the
 * bootstrap and provisioning user-data and the Secrets around them out, byte for byte what the
 * controller makes (docs/spec/controller.md).
 *
 * Order: settings, then profiles, then osm_cluster_load once a cluster, then osm_render once a
 * MachineDeployment. All of the inputs are const while rendering: several threads may render at a
 * time, each with its own arena and sink.
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

enum osm_osc_form { OSM_OSC_REDACTED, OSM_OSC_SEALED, OSM_OSC_PATCH };

/* One registry mirror, in the order given. */
struct osm_mirror {
	sv registry;
	struct value url; /* tainted where it holds a user or password */
};
VEC_TYPE(osm_mirrors, struct osm_mirror);

/* Of MachineDeployments that name no profile. */
struct osm_default_profile {
	sv os_name;
	sv profile;
	struct position at; /* where the setting says so */
};
VEC_TYPE(osm_default_profiles, struct osm_default_profile);

/*
 * Everything but manifests that shapes output (docs/spec/controller.md 6), as the controller would
 * have parsed its flags. Copied by assignment; osm_settings_set replaces, never changes what is
 * shared.
 */
struct osm_settings {
	sv namespace;         /* of OSCs and profiles; "kube-system" */
	sv container_runtime; /* "containerd" */
	bool external_cloud_provider;
	bool disable_default_osps;
	bool device_ownership;    /* deviceOwnershipFromSecurityContext */
	struct value cluster_dns; /* list of strings: canonical addresses */
	struct value pause_image; /* strings; empty: unset */
	struct value initial_taints;
	struct value http_proxy;
	struct value no_proxy;
	struct value feature_gates;               /* map of bools */
	struct value insecure_registries;         /* list of strings */
	struct osm_mirrors registry_mirrors;      /* nodeRegistryMirrors */
	struct osm_mirrors containerd_mirrors;    /* nodeContainerdRegistryMirrors; come first */
	struct value registry_credentials_secret; /* "namespace/name" */
	struct value override_api_server;
	struct value token_service_account; /* "namespace/name" */
	struct value kubernetes_ca;         /* PEM text; empty: that of cluster-info */
	struct value host_ca;
	/* osm-gen's own */
	enum osm_osc_form osc;
	/* Part of what derived tokens are derived from; daily, weekly, monthly: see rotation.c. */
	sv token_rotation;
	bool revision_pins; /* revisionAnnotation: pin */
	bool immutable_secrets;
	bool empty_subscription;       /* rh_subscription without user and password, too */
	struct value user_data_limits; /* map of provider to bytes; 0: no limit */
	struct osm_default_profiles default_profiles;
};

/* The controller's own defaults. */
void osm_settings_init(struct arena *arena, struct osm_settings *settings);
/*
 * Checks a value (from osm-gen.yaml, or a string or list of strings from the command line) and sets
 * it. Wrong values are reported at their position, down to the item of a comma list.
 */
enum status osm_settings_set(struct arena *arena, struct sink *sink, struct osm_settings *settings,
                             const struct setting *setting, const struct value *value) MUST_CHECK;
/* ---- profiles ---------------------------------------------------------------------------- */

struct osm_additions;
/* One rendering recipe: bootstrapConfig or provisioningConfig. */
struct osm_profile_config;

/* Annotations osm-gen.dev/inventory, as they were given. */
VEC_TYPE(osm_inventories, const struct value *);

/* An OperatingSystemProfile, checked against its schema, templates compiled. */
struct osm_profile {
	const struct kube_object *object;
	sv name;
	struct value os_name;
	struct value os_version;
	struct value version;
	struct value provisioning_utility;       /* the schema's default filled in */
	const struct value *supported_providers; /* list of {name, spec} */
	const struct osm_profile_config *bootstrap;
	const struct osm_profile_config *provisioning;
	const struct osm_additions *additions; /* null: it has no extensions */
	/* Its own, then those of its extensions; empty: it has none. */
	struct osm_inventories inventories;
	/* Extensions that have machines run what may fetch something, and do not say what. */
	VEC(const struct kube_object *) not_inventoried;
};

/* osm-gen.dev/v1alpha1 */
#define OSM_EXTENSION_KIND "OperatingSystemProfileExtension"

/* "operatingsystemmanager.k8c.io" */
#define OSM_API_GROUP   "operatingsystemmanager.k8c.io"
#define OSM_API_VERSION OSM_API_GROUP "/v1alpha1"
/* "cluster.k8s.io" */
#define OSM_MACHINE_API_GROUP "cluster.k8s.io"

/*
 * Reads a profile as the API server's schema and webhook would (docs/spec/controller.md 2.2, 7.1),
 * defaults filled in, and compiles its templates. Unknown fields are warnings: the API server drops
 * them.
 */
enum status osm_profile_load(struct arena *arena, struct sink *sink,
                             const struct kube_object *object,
                             struct osm_profile **ret_profile) MUST_CHECK;
/*
 * The profile as an object for the management tree: OperatingSystemProfile in `namespace`, the
 * input's own labels and annotations, plus what appliers need.
 */
struct value osm_profile_object(struct arena *arena, const struct osm_profile *profile,
                                sv namespace);

/*
 * Whether two specs differ as the controller's webhook compares them (docs/spec/controller.md 7.1):
 * defaults filled in, unknown fields dropped, the order of lists kept. Secrets stand in both as
 * <sealed:NAME#FINGERPRINT>; one_seed: fingerprints are of the same seed, and count. Says what
 * differs first: "spec.bootstrapConfig.files[0].path", and where that, or what it is gone from,
 * stands in `now`.
 */
bool osm_profile_spec_changed(struct arena *arena, const struct value *before,
                              const struct value *now, bool one_seed,
                              struct dialect_change *ret_change);

/*
 * Takes out of a profile's supportedCloudProviders the clouds that the schema has dropped: a
 * profile that was created before stays in its cluster as it is, and no machine can be of such a
 * cloud. *ret_dropped are their names. Returns false if there are none.
 */
bool osm_profile_drop_gone(struct arena *arena, struct value *profile, sv *ret_dropped);

VEC_TYPE(osm_profiles, struct osm_profile *);
/* The profiles inside the program (profiles/ of this repository) under a contract, by name. */
enum status osm_profile_embedded(struct arena *arena, struct sink *sink, unsigned contract,
                                 struct osm_profiles *ret_profiles) MUST_CHECK;

/*
 * Which profile a MachineDeployment asks for: its annotation k8c.io/operating-system-profile (and
 * -namespace), else the one of the setting defaultProfiles, else what the controller's webhook
 * would have set from its operating system (docs/spec/controller.md 7.3). Fails when
 * providerSpec.value names no operating system that has a default.
 */
struct osm_profile_reference {
	sv name;
	sv namespace;       /* empty: settings.namespace */
	struct position at; /* where the MachineDeployment says so */
	bool defaulted;
	const struct osm_default_profile *setting; /* that chose it; null: none did */
};
enum status osm_profile_wanted(struct arena *arena, struct sink *sink,
                               const struct osm_settings *settings,
                               const struct kube_object *machine_deployment,
                               struct osm_profile_reference *ret_reference) MUST_CHECK;
/* Reports an unknown profile where it is asked for, with the nearest of the names there are. */
void osm_profile_report_unknown(struct sink *sink, const struct osm_profile_reference *reference,
                                const sv *names, size_t count);
/* Adds a note of the setting that chose the profile, if one did. */
void osm_profile_note_setting(struct sink *sink, struct diag *diag,
                              const struct osm_profile_reference *reference);
/*
 * Whether the profile is for the operating system that the setting chose it for, if one did. False:
 * reported at the setting, once for all MachineDeployments.
 */
bool osm_profile_fits_setting(struct sink *sink, const struct osm_profile_reference *reference,
                              const struct osm_profile *profile) MUST_CHECK;

/* ---- clusters ---------------------------------------------------------------------------- */

struct osm_cluster_input {
	sv name;
	const struct osm_settings *settings;
	const struct kube_objects *objects;
	/* What a missing object is reported at: the Cluster document, or the first
	 * MachineDeployment. */
	struct position at;
	/*
	 * `validate`: Secrets need not be there. A missing one gives a text that stands in
	 * for it instead of an error; so does a missing bootstrap token.
	 */
	bool secrets_may_be_absent;
	/*
	 * Variables of the environment that may be used, by name: a tainted text, or null for one
	 * that is not set. Null pointer: none may be.
	 */
	const struct value *environment;
};

/* What all MachineDeployments of a cluster share, looked up and rendered once. */
struct osm_cluster;

/*
 * arena must be of the secret kind and outlive the jobs. Reports everything missing or unreadable:
 * cluster-info, CA, getter token, registry credentials, ServiceAccount token.
 */
enum status osm_cluster_load(struct arena *arena, struct sink *sink,
                             const struct osm_cluster_input *input,
                             const struct osm_cluster **ret_cluster) MUST_CHECK;
/*
 * Reports names that collide or are too long among a cluster's MachineDeployments
 * (docs/spec/controller.md 3.1): two of them would overwrite each other's Secrets.
 */
enum status osm_check_names(struct arena *arena, struct sink *sink,
                            const struct kube_object *const *machine_deployments,
                            size_t count) MUST_CHECK;

/* ---- rendering --------------------------------------------------------------------------- */

/*
 * Objects that the cluster needs once: the namespace of the Secrets, when no getter token was given
 * (docs/spec/output.md 6.3: a cluster can then be bootstrapped from git alone).
 */
void osm_cluster_artifacts(struct arena *arena, const struct osm_cluster *cluster,
                           struct artifacts *artifacts);

struct osm_job {
	const struct osm_cluster *cluster;
	const struct kube_object *machine_deployment;
	const struct osm_profile *profile;
	sv revision; /* value of k8c.io/machine-deployment-revision */
	/* Value of the OSC's annotation osm-gen.dev/template-digest; empty: none. */
	sv template_digest;
	/*
	 * "ID.SECRET", derived from the seed by the caller; used when neither a bootstrap token
	 * Secret nor a ServiceAccount gives one. Invalid value: not known, which is then an error.
	 */
	struct value bootstrap_token;
	/* The one of the period before, which machines that were just started hold; or invalid. */
	struct value token_before;
	/* What templates' `now` is: the source commit's committer date, seconds since 1970. */
	int64_t now;
	struct quota *steps;  /* of all templates of the run; or null */
	size_t round_lengths; /* sizes in messages are multiples of it; 0 and 1: exact */
	bool wants_fetches;   /* of struct osm_rendered */
};

struct osm_rendered {
	struct dialect_fetches
	    fetches; /* where the profile has an inventory and it was asked for */
	bool is_inventoried;
	struct value osc;       /* object, true text, tainted */
	struct value bootstrap; /* user-data texts */
	struct value provisioning;
	struct value kubelet_kubeconfig; /* text */
	struct artifacts artifacts; /* all objects of this MachineDeployment, the OSC among them */
	sv os_name;
	sv provider;
	size_t provisioning_bytes;
	size_t bootstrap_bytes; /* as the provider's limit counts them (userdata.h) */
	size_t budget_bytes;    /* the limit; a Secret's where the provider has none */
};

/*
 * Renders one MachineDeployment. arena must be of the secret kind. Reports all it can find; what it
 * makes is good only when it returns STATUS_OK.
 */
enum status osm_render(struct arena *arena, struct sink *sink, const struct osm_job *job,
                       struct osm_rendered *ret_rendered) MUST_CHECK;

/*
 * For a MachineDeployment that cannot be rendered because its profile or its cluster is wrong:
 * reports what is wrong with itself.
 */
void osm_check_machine(struct arena *arena, struct sink *sink,
                       const struct kube_object *machine_deployment);

/*
 * Reports what the API server or machine-controller's webhook refuses in a MachineDeployment as far
 * as that can be told without a cloud, and warns of what Kubernetes refuses later
 * (docs/spec/controller.md 2.9). What osm_render reports anyway is left to it.
 */
MUST_CHECK enum status osm_machine_admit(struct arena *arena, struct sink *sink,
                                         const struct kube_object *machine_deployment);

/*
 * The MachineDeployment's spec.template as canonical JSON (keys sorted), without what
 * machine-controller does not compare, tainted where it holds secrets: a digest of it shows that
 * the template changed.
 */
struct value osm_template_text(struct arena *arena, const struct kube_object *machine_deployment);
/* The same with all that is written: whose digest earlier versions took. */
struct value osm_template_text_as_written(struct arena *arena,
                                          const struct kube_object *machine_deployment);
/* spec.replicas, 1 where it is absent, as the API server defaults it; -1: it is no number. */
int64_t osm_machine_replicas(const struct kube_object *machine_deployment);

/*
 * A MachineDeployment's providerSpec.value with its credentials tainted, those included that only
 * its cloud calls so (secrecy_taint_credentials); null when it has none.
 */
struct value osm_machine_credentials(struct arena *arena,
                                     const struct kube_object *machine_deployment);
/* The texts whose words stand in the clear in the output: no secret, whoever took one for it. */
struct secrecy_public osm_public_texts(struct arena *arena);

/* What an OperatingSystemConfig says, for reviews of the change of one. */
void osm_describe(struct arena *arena, const struct value *config,
                  struct dialect_description *description);

/* "MDNS-MD", or "MD" alone from 63 bytes on (docs/spec/controller.md 3.1): names tokens and kubelet
 * kubeconfigs. */
sv osm_machine_key(struct arena *arena, sv namespace, sv name);

/* Annotations of osm-gen's own and of appliers, as written to every object. */
#define OSM_ANNOTATION_REVISION        "k8c.io/machine-deployment-revision"
#define OSM_ANNOTATION_HASH            "k8c.io/mdannotations-hash"
#define OSM_ANNOTATION_OSP_VERSION     "k8c.io/osp-version"
#define OSM_ANNOTATION_TEMPLATE_DIGEST "osm-gen.dev/template-digest"
/* Of a profile: what its machines fetch (fetches.c). It does not get into the output. */
#define OSM_ANNOTATION_INVENTORY       "osm-gen.dev/inventory"
#define OSM_ANNOTATION_FLUX_SUBSTITUTE "kustomize.toolkit.fluxcd.io/substitute"
#define OSM_ANNOTATION_FLUX_FORCE      "kustomize.toolkit.fluxcd.io/force"

#endif
