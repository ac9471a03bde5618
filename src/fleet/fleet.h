/*
 * fleet: what is in a commit, and whose it is (design 3).
 *
 * Three steps, so that the caller can read files on several threads:
 *
 *   1. fleet_filter_take for every path of the tree: which ones are worth reading.
 *   2. fleet_read_file for each of those, on any thread: text to objects.
 *   3. fleet_load over all results in path order: settings, scopes, lookups, the work list.
 *
 *   filter.c     paths: .osm-gen-ignore, the output folder, Helm charts
 *   file.c       one file: documents, Lists, the kinds that matter
 *   schema.c     a settings document's members: known, of their type, nearest names
 *   settings.c   osm-gen.yaml: Fleet and Clusters
 *   apply.c      the settings that each cluster sees
 *   scope.c      which cluster a file belongs to
 *   lookups.c    Secrets and ConfigMaps: whose they are, which are wanted, decrypting them
 *   work.c       profiles and MachineDeployments
 *   load.c       the whole
 *
 * What counts as a manifest
 *   Documents are maps with apiVersion and kind; anything else is ignored, but in osm-gen.yaml.
 *   `kind: List` and the Lists of the kinds below are opened, in each other too. Kinds that matter:
 *     operatingsystemmanager.k8c.io/v1alpha1  OperatingSystemProfile, CustomOperatingSystemProfile
 *     cluster.k8s.io/v1alpha1                 MachineDeployment
 *     v1                                      Secret, ConfigMap
 *     osm-gen.dev/v1alpha1                    Fleet, Cluster: in files named osm-gen.yaml only
 *   The first two groups and osm-gen.dev in another version, and osm-gen.dev in another kind, are
 *   errors. MachineDeployments of other groups (Cluster API's) are other kinds.
 *
 * Which files are parsed
 *   A manifest that matters holds one of the words OperatingSystemProfile, MachineDeployment,
 *   Secret, ConfigMap or osm-gen.dev. A file without any (and not named osm-gen.yaml) holds
 *   nothing for us: JSON without them is not parsed at all; YAML without them is, for its syntax
 *   alone (a broken manifest may have lost the word), unless it holds "{{", which is somebody's
 *   template. In a Helm chart's templates/ folder files with "{{" are never read. Kinds must be
 *   spelt in plain letters: "\x53ecret" is not found.
 *
 * Whose an object is
 *   A file belongs to the cluster in whose folder it stands; outside of every such folder it serves
 *   all clusters. Of --secrets DIR, a file belongs to a cluster when its path below DIR lies in the
 *   cluster's folder (DIR laid out as the repository is) or begins with the cluster's name.
 */
#ifndef OSM_GEN_FLEET_FLEET_H
#define OSM_GEN_FLEET_FLEET_H

#include "kube/kube.h"
#include "osm/osm.h"
#include "seal/seal.h"

#define FLEET_SETTINGS_FILE "osm-gen.yaml"
#define FLEET_IGNORE_FILE   ".osm-gen-ignore"
#define FLEET_API_GROUP     "osm-gen.dev"
#define FLEET_API_VERSION   "osm-gen.dev/v1alpha1"
#define FLEET_ONLY_CLUSTER  "default" /* the cluster of a repository that names none */

/* ---- 1. paths ---------------------------------------------------------------------------- */

struct fleet_filter;

/*
 * out: the output folder relative to the repository's root, or empty when it lies outside.
 * ignore_text: the root's .osm-gen-ignore, or empty; must outlive the filter.
 */
struct fleet_filter *fleet_filter_new(struct arena *arena, sv out, sv ignore_text);
/*
 * Whether the file at path (relative to the root, "/" between parts) is to be read. To be called
 * once for every file of the tree, before the first fleet_read_file: Chart.yaml files are noticed.
 */
bool fleet_filter_take(struct fleet_filter *filter, sv path);

/* ---- 2. files ---------------------------------------------------------------------------- */

struct fleet_blob {
	sv path; /* as people name it; for --secrets files: the folder as given, "/", the path below
	          */
	sv text; /* must outlive the fleet: diagnostics point into it */
	/*
	 * For files of --secrets DIR the path below DIR; else empty. Their text is confidential,
	 * and only Secrets and ConfigMaps may stand in them.
	 */
	sv secrets_path;
};

/* What one file holds. Belongs to the arenas it was read into. */
struct fleet_file;

/*
 * Reads one file. Never fails: its diagnostics are kept in the result, for fleet_load. Values of
 * Secrets (and files that speak of Secrets at all) go to secret_arena, everything else to arena.
 * The filter may be null for --secrets files.
 */
struct fleet_file *fleet_read_file(struct arena *arena, struct arena *secret_arena,
                                   const struct fleet_filter *filter,
                                   const struct fleet_blob *blob);

/* Whether the file holds an object that matters; read it with fleet_read_file. */
bool fleet_file_matters(const struct fleet_file *file);

/* ---- 3. the fleet ------------------------------------------------------------------------ */

struct fleet_recipient {
	sv text;
	struct position at;
};

struct fleet_sealing {
	const struct sealer_format *format; /* never null; perhaps not there yet */
	struct position at;                 /* of the `sealing` that holds, or of the cluster */
	const struct fleet_recipient *recipients; /* in the order given */
	size_t recipient_count;
	bool is_wrong; /* reported already: recipients may be missing because of that */
};

enum fleet_layer { FLEET_LAYER_CLUSTER, FLEET_LAYER_SHARED, FLEET_LAYER_EMBEDDED };

/* An OSP; compiled once, however many clusters it serves. */
struct fleet_profile {
	const struct kube_object *object;
	const struct osm_profile *profile;
	enum fleet_layer layer;
};

/* An OSP as one cluster sees it. */
struct fleet_profile_use {
	const struct fleet_profile *profile;
	size_t machine_deployment_count; /* that name it */
};

struct fleet_machine_deployment {
	const struct kube_object *object; /* the OSP annotation is there, given or defaulted */
	/* Null, or with a null osm_profile: reported, not to be rendered. */
	const struct fleet_profile *profile;
};

struct fleet_cluster {
	sv name;
	sv scope;           /* folder, without "/" at its end; empty: the whole repository */
	struct position at; /* the Cluster's name; NOWHERE for the only cluster */
	struct osm_settings settings;
	struct fleet_sealing sealing;
	/* Everything to be looked up: --secrets DIR, then the scope, then what is shared. */
	const struct kube_objects *objects;
	/* The OSPs in reach, nearest first resolved, sorted by namespace and name. */
	struct fleet_profile_use *profiles;
	size_t profile_count;
	/* Sorted by namespace and name. */
	struct fleet_machine_deployment *machine_deployments;
	size_t machine_deployment_count;
};

struct fleet {
	struct fleet_cluster *clusters; /* sorted by name */
	size_t cluster_count;
	sv commit_author; /* "Name <mail>", checked for that form; empty when not set */
	struct position commit_author_at;
	size_t machine_deployment_count;
};

struct fleet_options {
	/*
	 * Settings given as flags: a map of setting names to values; or null. Those that name files
	 * hold the files' texts.
	 */
	const struct value *flag_settings;
	/*
	 * For settings of osm-gen.yaml that name a file: its text, from where the manifests come.
	 * False when there is none. path is relative to the root.
	 */
	bool (*read_file)(void *context, sv path, sv *ret_text);
	void *read_file_context;
	/* For encrypted Secrets; null: none. */
	const struct seal_identities *identities;
	/* For `validate`: encrypted Secrets stay encrypted and are left out. */
	bool skip_secrets;
};

/*
 * Puts the files together, in the order given, which must be path order. Reports all it finds:
 * the files' own diagnostics, settings, scopes, profiles, names given twice, MachineDeployments
 * without profile. The result refers to the files; secret_arena takes what is decrypted.
 *
 * Also when it fails *ret_fleet is set, to what could be made of the rest (a MachineDeployment's
 * profile is then perhaps null), so that the caller can go on and find more mistakes.
 */
MUST_CHECK enum status fleet_load(struct arena *arena, struct arena *secret_arena,
                                  struct sink *sink, struct fleet_file *const *files,
                                  size_t file_count, const struct fleet_options *options,
                                  struct fleet *ret_fleet);

#endif
