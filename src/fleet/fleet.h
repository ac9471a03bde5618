/*
 * fleet: the inputs of a commit, and the cluster that each of them belongs to
 * (docs/spec/inputs.md 1).
 *
 * Three steps, so that the caller can read files on several threads:
 *
 *   1. fleet_filter_take, for every path of the tree: chooses the files worth reading.
 *   2. fleet_read_file, for each of those, on any thread: parses the file into objects.
 *   3. fleet_load, over all results in path order: finds settings, scopes, lookups and units.
 *
 * A *unit* is a MachineDeployment, or whatever else a dialect renders one by one; a *definition*
 * is what units refer to (an OperatingSystemProfile); a *lookup* is a Secret, ConfigMap or
 * ServiceAccount that the controller would have fetched from the cluster (dialect.h).
 *
 *   filter.c           paths: .osm-gen-ignore, the output folder, Helm charts
 *   ciphertext.c       files and values that are encrypted
 *   words.c            heuristics on files that are not parsed yet, or cannot be
 *   parse.c            reads one file: whether to parse it, whether it is confidential
 *   file.c             reads the documents of a file: the kinds that matter, Lists
 *   credential.c       finds a credential in a unit that is in clear text
 *   beside.c           manifests that are not inputs although they look like some
 *   schema.c           checks the members of a settings document: names and types
 *   settings.c         reads osm-gen.yaml: Fleet and Clusters
 *   sealed_settings.c  decrypts it, if SOPS has encrypted values of settings
 *   sealed_expandable.c  the same for KubeOneClusters and Terraform's output
 *   flags.c            the list of all settings, of the dialects and of fleet/
 *   reference.c        the members of osm-gen.yaml with their help, and docs/settings.md
 *   json_schema.c      the JSON Schema of osm-gen.yaml
 *   expand.c           objects from which units and settings are made (KubeOneCluster)
 *   apply.c            merges flags, Cluster and Fleet into each cluster's settings
 *   contract.c         chooses the output contract
 *   raise.c            edits osm-gen.yaml so that it names another one
 *   delivery.c         reads spec.delivery: how appliers bring the output to clusters
 *   folder.c           the output folder of each cluster
 *   scope.c            the cluster that a file belongs to
 *   sealed.c           encrypted inputs: which are decrypted, and for which cluster
 *   kustomize*.c       kustomizations that change units or definitions (kustomize.h)
 *   lookups.c          finds, filters and decrypts each cluster's lookups
 *   work.c             each cluster's units, and the definitions they ask for
 *   load.c             fleet_load
 *
 * Manifests
 *   A manifest is a map with apiVersion and kind. Other documents are ignored, except in
 *   osm-gen.yaml, where they are errors. `kind: List` and typed Lists (SecretList) are opened, and
 *   may be nested. The kinds that matter are those of the dialects (dialect.h), and Fleet and
 *   Cluster of osm-gen.dev/v1alpha1, which are read from files named osm-gen.yaml only. A unit or
 *   a definition with an apiVersion that osm-gen does not read is an error; so is an unknown
 *   version or kind of the group osm-gen.dev. The same kind in a foreign group (Cluster API's
 *   MachineDeployment) is another kind.
 *
 * Files that are parsed
 *   A file that is ciphertext as a whole is an error. A manifest that matters contains the name of
 * one of those kinds, or "osm-gen.dev". A file with none of these words (and not named
 * osm-gen.yaml) has no input: JSON is then not parsed at all; YAML is parsed only to find syntax
 * errors (a broken manifest may have lost the word), unless it contains "{{", which makes it a
 * template. Files with "{{" in a Helm chart's templates/ folder are never parsed. Kinds must be in
 * plain letters: "\x53ecret" is not found.
 *
 * Scopes
 *   A file inside a cluster's folder belongs to that cluster; a file outside of all such folders
 *   serves all clusters. A file of --secrets DIR belongs to a cluster if its path below DIR begins
 *   with the cluster's name, or if it is in the cluster's folder (DIR has the repository's layout)
 *   and that folder has the cluster's name. A file in DIR itself serves all clusters. Any other
 *   place is an error, unless the repository has no Cluster document.
 */
#ifndef OSM_GEN_FLEET_FLEET_H
#define OSM_GEN_FLEET_FLEET_H

#include "dialect/dialect.h"
#include "kube/kube.h"
#include "seal/seal.h"
#include "shape/shape.h"

#define FLEET_SETTINGS_FILE "osm-gen.yaml"
#define FLEET_IGNORE_FILE   ".osm-gen-ignore"
/* On a Secret: it is in clear text on purpose, so do not warn of it. */
#define FLEET_CLEAR_ANNOTATION "osm-gen.dev/clear"
#define FLEET_SOPS_FILE        ".sops.yaml"
#define FLEET_API_GROUP        "osm-gen.dev"
/*
 * The documents of osm-gen.yaml (members.c). A Cluster lacks the members with FLEET_ONLY that maps
 * of both have.
 */
extern const struct shape fleet_shape;
extern const struct shape fleet_cluster_shape;
enum { FLEET_ONLY = SHAPE_OWN };

#define FLEET_API_VERSION  "osm-gen.dev/v1alpha1"
#define FLEET_ONLY_CLUSTER "default" /* the cluster's name in a repository without Cluster */

/* Setting managementCluster: the cluster is its own management cluster. */
#define FLEET_OWN_MANAGEMENT "self"

/* ---- settings ---------------------------------------------------------------------------- */

/* Returns all settings: each dialect's, then those of fleet/, in the order of --help. */
const struct setting *const *fleet_settings(struct arena *arena, size_t *ret_count);
/* Returns the setting with that flag, or null. */
const struct setting *fleet_setting_by_flag(sv flag);

/* Adds the JSON Schemas of Fleet and Cluster. */
void fleet_list_schemas(struct arena *arena, struct dialect_schemas *schemas);
/* Adds the JSON Schema (draft 7) of osm-gen.yaml's documents, one for all. */
void fleet_add_schema(struct buf *buf);
/* Adds the page docs/settings.md. */
void fleet_add_settings_page(struct buf *buf);

/* ---- 1. paths ---------------------------------------------------------------------------- */

struct fleet_filter;

/*
 * `out` is the output folder relative to the repository's root, or empty if it is outside of the
 * repository. `ignore_text` is the content of the root's .osm-gen-ignore, or empty; it must outlive
 * the filter.
 */
struct fleet_filter *fleet_filter_new(struct arena *arena, sv out, sv ignore_text);
/* From now on charges `steps` for comparing paths with patterns. */
void fleet_filter_limit(struct fleet_filter *filter, struct quota *steps);
/*
 * Returns true if the file at `path` (relative to the root, "/" between parts) is to be read. Call
 * it once for every file of the tree before the first fleet_read_file: the filter remembers the
 * Chart.yaml files it sees.
 */
bool fleet_filter_take(struct fleet_filter *filter, sv path);
/*
 * Returns true for a file that is not read although it is named like a manifest:
 * "workers.yaml.txt", "workers.YAML", "workers.yaml.j2", "workers". Names of documents and programs
 * (README.md, run.sh) do not count.
 */
bool fleet_filter_nearly_takes(struct fleet_filter *filter, sv path);
/* Returns true if .osm-gen-ignore excludes the file, or the folder. */
bool fleet_filter_ignores(struct fleet_filter *filter, sv path);
bool fleet_filter_ignores_folder(struct fleet_filter *filter, sv path);

/*
 * Turns a path as a file in `folder` writes it into a path from the root. "../ca.pem" is relative
 * to the folder, "/ca.pem" to the root. Returns false if it leads out of the repository.
 */
bool fleet_path_resolve(struct arena *arena, sv folder, sv reference, sv *ret_path);

/* A manifest found in a file that is not an input. */
struct fleet_glimpse {
	sv kind;
	size_t offset;    /* offset of the kind in the file's content */
	bool is_template; /* looks like a template from which units are made */
};
/*
 * Searches a file's content line by line, without parsing it, for the first unit or definition.
 * Returns false without one. A file whose name has no extension must begin like a manifest.
 */
bool fleet_glimpse(sv path, sv text, struct fleet_glimpse *ret_glimpse);

/* ---- 2. files ---------------------------------------------------------------------------- */

struct fleet_blob {
	/* The name in messages. For a file of --secrets: DIR as given, "/", and the path below. */
	sv path;
	sv text; /* its content; must outlive the fleet, since diagnostics point into it */
	/*
	 * The path below DIR for a file of --secrets DIR, else empty. Such a file is confidential,
	 * and may hold only Secrets and ConfigMaps.
	 */
	sv secrets_path;
	/*
	 * The file is the whole input, of one cluster: settings may be among its other documents.
	 */
	bool is_whole;
	/*
	 * The file is not in the commit but is read as if it were, wherever `path` leads
	 * (--manifests). Like those of --secrets, its Secrets are confidential and win over the
	 * commit's. It belongs to `cluster`, or to the only one if that is empty.
	 */
	bool is_added;
	/*
	 * The file is an object that kustomize made of the commit's file `path`, for `cluster`
	 * (kustomize/kustomize.h). If it is encrypted, `sealed_text` is that file's content and
	 * `sealed_number` the number of its document among the encrypted ones there: it is opened
	 * in the object's place, and gets the object's metadata.
	 */
	bool is_made;
	sv sealed_text;
	size_t sealed_number;
	sv cluster;
	sv listed_as;         /* see struct source; may be empty */
	struct quota *values; /* the run's; may be null */
	/*
	 * A secret arena for the values of this file, if it holds units and nothing else: they can
	 * be forgotten (kube_object_forget). May be null.
	 */
	struct arena *unit_arena;
	/*
	 * A secret arena to pack these values into, so that nothing is left in unit_arena; readers
	 * of a unit open it first (kube_object_open). Null if the units stay open.
	 */
	struct arena *pack_arena;
};

/* One file's objects and diagnostics. Belongs to the arenas it was read into. */
struct fleet_file;

/*
 * Reads one file. Never fails: diagnostics are kept in the result, for fleet_load. The values of
 * files that contain units or the word Secret go to `secret_arena`, all others to `arena`.
 * `filter` may be null for files of --secrets.
 */
struct fleet_file *fleet_read_file(struct arena *arena, struct arena *secret_arena,
                                   const struct fleet_filter *filter,
                                   const struct fleet_blob *blob);

/* A Cluster whose manifests are made by kustomize. */
struct fleet_kustomization {
	sv cluster;
	sv folder;
	struct position at; /* of the folder's name */
};
VEC_TYPE(fleet_kustomizations, struct fleet_kustomization);
/* Lists the Clusters with `kustomize: DIR`, before the fleet is loaded. */
void fleet_list_kustomizations(struct arena *arena, struct fleet_file *const *files, size_t count,
                               struct fleet_kustomizations *ret_list);
/* Returns the path of the file, as it was given. */
sv fleet_file_path(const struct fleet_file *file);

/*
 * Returns true if the content is neither an object nor a list, and not blank. If git filters the
 * file, the committed content may be ciphertext of any form.
 */
bool fleet_file_has_no_object(const struct fleet_file *file);
/*
 * Reports a file without an object that git filters (DIAG_INPUT_CIPHERTEXT), or adds the filter to
 * that error. Call it before fleet_load.
 */
void fleet_report_filtered(struct fleet_file *file, sv filter);

/* Returns true if the file holds an object that matters. */
bool fleet_file_matters(const struct fleet_file *file);

/* Returns true if the file holds a unit, a definition, or settings. */
bool fleet_file_holds_work(const struct fleet_file *file);

/* ---- 3. the fleet ------------------------------------------------------------------------ */

struct fleet_recipient {
	sv text;
	struct position at;
};

struct fleet_sealing {
	const struct sealer_format *format; /* never null */
	struct position at;                 /* the `sealing` member that applies, or the cluster */
	/* In the order given. For a format with a certificate: that one, as PEM. */
	const struct fleet_recipient *recipients;
	size_t recipient_count;
	enum seal_scope scope;
	size_t round_lengths; /* sealed sizes are rounded up to a multiple of this; 1 means exact */
	/* The rule of .sops.yaml that gives the recipients, or null if osm-gen.yaml does. */
	const struct seal_creation_rule *rule;
	bool is_wrong; /* a mistake was reported, which may be why recipients are missing */
};

/* ---- delivery ---------------------------------------------------------------------------- */

enum fleet_applier { FLEET_APPLIER_NONE, FLEET_APPLIER_FLUX, FLEET_APPLIER_ARGOCD };

/* Defaults of spec.delivery. */
#define FLEET_MAX_UNITS    200
#define FLEET_MAX_CLUSTERS 1000

/* The member that text is in, of Secrets whose keys never change (docs/spec/output.md 4.2). */
enum fleet_secret_text {
	FLEET_SECRET_TEXT_DATA, /* stringData only in Secrets that ask for it by themselves */
	FLEET_SECRET_TEXT_STRING_DATA,
	FLEET_SECRET_TEXT_ONLY_DATA,
};

/* spec.delivery for one cluster, with {cluster} replaced by its name. */
struct fleet_delivery {
	enum fleet_applier applier;
	struct position at; /* of the Fleet's `delivery` */
	/* A side with more units is split into several kustomizations; 0: never. */
	size_t max_units;
	/* The following are empty for an applier that does not have them. */
	sv namespace; /* of the applier's objects */
	sv source_kind;
	sv source_name;
	sv source_namespace;
	sv source_url;
	sv source_revision;
	const struct value
	    *path; /* of the output folder in the source; null for the one of --out */
	sv interval;
	sv decryption_secret; /* the Secret with the age key */
	sv kubeconfig_secret; /* the Secret to reach a cluster that another one manages */
	sv kubeconfig_key;
	sv project;
	sv destination; /* name of the cluster in Argo CD */
	const sv *depends_on;
	size_t depends_on_count;
	const struct value *wait; /* a boolean, or null */
	enum fleet_secret_text secret_text;
	sv management_namespace; /* "exists", "create", or empty if unset */
};

/* A definition that units of a cluster refer to. */
struct fleet_definition {
	const struct dialect *dialect;
	const struct dialect_definition *definition;
};
VEC_TYPE(fleet_definitions, struct fleet_definition);

struct fleet_cluster {
	sv name;
	sv scope;                     /* input folder, without "/" at its end; empty for the root */
	sv folder;                    /* output folder, relative to --out (fleet_folder) */
	struct position at;           /* the Cluster's name; NOWHERE without Cluster documents */
	const struct value *spec;     /* as written: a map, or null */
	const struct value *settings; /* spec.settings as written: a map, or null */
	/* Settings that a manifest in its folder gives, below `settings`: a map, or null. */
	const struct value *made_settings;
	/* The URL of the API server that such a manifest names: a string, or invalid. */
	struct value made_server;
	/*
	 * All settings that are given for the cluster, as a map: flags before the Cluster before
	 * the Fleet, with the content of a file in place of its path. The rest has its default.
	 */
	struct value given;
	/*
	 * The cluster that its management side is applied to: a name, or FLEET_OWN_MANAGEMENT for
	 * itself, or empty if the setting is not given.
	 */
	sv management_cluster;
	/* The setting sharedAPIServer: another cluster has the same API server on purpose. */
	bool shares_api_server;
	/* It gets encrypted settings: its own, or those of the Fleet. */
	bool gets_sealed_settings;
	/* Bytes of its own encrypted document that only a copy of it has (seal_list_marks). */
	struct seal_texts sealed_marks;
	struct fleet_sealing sealing;
	struct fleet_delivery delivery;
	/* All lookups: --secrets DIR first, then the cluster's scope, then shared files. */
	const struct kube_objects *objects;
	struct dialect_cluster *dialects; /* one for each dialect, in the registry's order */
	size_t dialect_count;
	/* The units of all dialects, sorted by kind, namespace and name. */
	struct dialect_unit *units;
	size_t unit_count;
	/* The valid ones that units refer to, sorted by name. */
	struct fleet_definitions definitions;
};

/* Returns the cluster as a dialect sees it. */
static inline const struct dialect_cluster *fleet_view(const struct fleet_cluster *cluster,
                                                       const struct dialect *dialect)
{
	for (size_t i = 0; i < cluster->dialect_count; i++)
		if (cluster->dialects[i].dialect == dialect)
			return &cluster->dialects[i];
	BUG("a dialect that is not in the registry");
}

/* A dialect, with the settings and definitions that are outside of all clusters' folders. */
struct fleet_dialect {
	const struct dialect *dialect;
	const void *settings;                /* as settings_new made them, then set */
	struct kube_object_list definitions; /* shared by all clusters */
};

/* How the commits of the output are worded (spec.commit). */
struct fleet_commit {
	sv author; /* "Name <mail>", checked for that form; empty when not set */
	/*
	 * One line with FLEET_COMMIT_CHANGES in it, and perhaps FLEET_COMMIT_SOURCE; empty when not
	 * set.
	 */
	sv subject;
	/* "Token: value" each, perhaps with FLEET_COMMIT_AUTHOR or FLEET_COMMIT_SOURCE in it. */
	const sv *trailers;
	size_t trailer_count;
};
#define FLEET_COMMIT_CHANGES "{changes}" /* what changed, in a few words */
#define FLEET_COMMIT_SOURCE  "{source}"  /* the commit of the inputs, 12 digits */
#define FLEET_COMMIT_AUTHOR  "{author}"  /* the author of the commit, "Name <mail>" */

/* spec.removalGuard: larger removals need --allow-removal. */
struct fleet_removal_guard {
	size_t percent; /* percentage of the units in the previous output */
	size_t least;   /* fewer removals than this are always allowed */
};

struct fleet {
	struct fleet_cluster *clusters; /* sorted by name */
	size_t cluster_count;
	struct fleet_dialect *dialects; /* in the registry's order, as those of each cluster */
	size_t dialect_count;
	bool in_buckets;              /* the clusters' output folders are in buckets (folder.c) */
	const struct value *spec;     /* as written: a map, or null */
	const struct value *defaults; /* spec.defaults as written: a map, or null */
	/* spec.contract, or the newest if unset (dialect.h, "The output contract"). */
	unsigned contract;
	bool names_contract;            /* spec.contract is set */
	struct seal_texts sealed_marks; /* marks of the Fleet's encrypted document */
	sv identity; /* sealing.fleet: part of all derivations from the seed; may be empty */
	/*
	 * spec.limits: a map of the numbers maxEntries, maxInput, maxValues, maxSteps, maxOutput,
	 * with which a repository lowers the limits of a run; or null.
	 */
	const struct value *limits;
	struct fleet_commit commit;
	struct fleet_removal_guard removal_guard;
	size_t unit_count;
	/*
	 * Objects whose kind has the name of a unit but belongs to another system, such as Cluster
	 * API's MachineDeployments: how many, where the first is, and the kind that was meant.
	 */
	size_t foreign_count;
	struct position foreign_at;
	const struct dialect_kind *foreign_kind;
	const struct seal_sops_config *sops_config; /* .sops.yaml; null if it was not needed */
};

/* cluster.c: returns the names of all clusters, in their order. */
struct diag_names fleet_cluster_names(struct arena *arena, const struct fleet *fleet);
/*
 * cluster.c: reports a name that no cluster has (DIAG_USAGE). The help has the nearest name, or is
 * `help`.
 */
void fleet_report_no_cluster(struct sink *sink, sv name, struct diag_names names, const char *help);

struct fleet_options {
	/*
	 * Settings given as flags: a map of setting names to values, or null. A setting that names
	 * a file has the file's content here.
	 */
	const struct value *flag_settings;
	/*
	 * Reads a file that a setting of osm-gen.yaml names, from the commit or folder that the
	 * manifests come from. `path` is relative to the root. Returns false if the file is
	 * missing.
	 */
	bool (*read_file)(void *context, sv path, sv *ret_text);
	void *read_file_context;
	/* The run's quota for work that one input causes on others; may be null. */
	struct quota *values;
	/* The output contract, overriding the Fleet's; 0: the Fleet's. */
	unsigned contract;
	/* The output folder, relative to the root, or empty if it is outside of the repository. */
	sv out;
	/*
	 * Returns true if the previous output has its clusters in buckets. Called only if the
	 * number of clusters does not decide. Null means that it has not.
	 */
	bool (*was_in_buckets)(void *context);
	void *was_in_buckets_context;
	/* Charged by nested loops over inputs; may be null. */
	struct quota *steps;
	/* To decrypt inputs; null if the run has no age identity. */
	const struct seal_identities *identities;
	/*
	 * Decrypt nothing: the names of keys can be read, values are replaced by placeholders.
	 * A value that is needed and cannot be decrypted is a warning, unless `keep_encrypted`
	 * is set.
	 */
	bool skip_secrets;
	/* The manifests have all Secrets that there are: --secrets was given. */
	bool has_secrets_folder;
	/* For runs without the seed: what cannot be decrypted is not even a warning. */
	bool keep_encrypted;
	/*
	 * Returns true if encrypted settings may be decrypted, judged by the recipients of the
	 * clusters that get them (fleet_cluster.gets_sealed_settings). Reports why not. Of the
	 * clusters only names, folders and sealing are set. Null means that they may not: the
	 * values stay stand-ins, with a warning, as with skip_secrets.
	 */
	bool (*may_open)(void *context, const struct fleet *fleet);
	void *may_open_context;
};

/* Returns the number of units in the files, of all dialects, before fleet_load. */
size_t fleet_count_units(struct fleet_file *const *files, size_t count);

/*
 * Puts the files, which must be in path order, together. Reports the files' own diagnostics, and
 * mistakes in settings, scopes and definitions, duplicate names, and units whose definition is
 * missing. The result refers to the files. Decrypted values go to `secret_arena`.
 *
 * Sets *ret_fleet even when it fails, to whatever could be read (units may lack their definition),
 * so that the caller can go on and find more mistakes.
 */
MUST_CHECK enum status fleet_load(struct arena *arena, struct arena *secret_arena,
                                  struct sink *sink, struct fleet_file *const *files,
                                  size_t file_count, const struct fleet_options *options,
                                  struct fleet *ret_fleet);

/* ---- osm-gen.yaml with another contract (raise.c) ------------------------------------------ */

/*
 * Reads spec.contract of the Fleet from the content of the root's osm-gen.yaml, which is empty if
 * the file is missing. Sets 0 if the contract is unset. Returns false if the file cannot be parsed
 * or the contract is not a number.
 */
bool fleet_named_contract(struct arena *arena, sv text, int64_t *ret_contract);
/* Returns true if an edit of the file's clear values needs the key that it is encrypted with. */
bool fleet_edit_needs_key(struct arena *arena, sv text);
/*
 * Sets spec.contract in the content of osm-gen.yaml, and adds a Fleet if it has none. Every other
 * byte stays. Returns false if that is not possible without changing anything else.
 */
bool fleet_raise_contract(struct arena *arena, sv text, unsigned contract, sv *ret_text);

/* ---- the clusters' folders, and paths for .sops.yaml (folder.c, apply.c) ------------------- */

/*
 * A fleet with many clusters distributes their output folders over buckets, so that no folder of
 * the output has thousands of entries. A bucket's name is two hex digits of a digest of the
 * cluster's name.
 */

/* Returns a cluster's folder relative to --out: CLUSTER, or BUCKET/CLUSTER. */
sv fleet_folder(struct arena *arena, sv cluster, bool in_bucket);
/*
 * Returns the cluster folder that a path relative to --out begins with, or an empty string if
 * it begins with another folder. A folder below the bucket of another name is not a cluster's
 * folder in a bucket.
 */
sv fleet_folder_of(sv path);
static inline bool fleet_folder_is_in_bucket(sv folder)
{
	return sv_find_char(folder, '/') != SV_NPOS;
}
/* Returns true if a folder of that name may be a bucket. */
bool fleet_is_bucket(sv name);
/* Returns the name of the cluster whose folder it is. */
static inline sv fleet_folder_cluster(sv folder)
{
	return sv_after_last(folder, '/');
}
/*
 * Returns true if the output of so many clusters belongs in buckets: if there are more than
 * `bound`, or, if they were in buckets `before`, at least half of it, so that one cluster more or
 * less does not move all files each time. A bound of 0 means never.
 */
bool fleet_takes_buckets(size_t clusters, size_t bound, bool before);

/*
 * Returns the path that rules of .sops.yaml are matched against: from the repository's root, or
 * from the output folder if that is outside of the repository.
 */
sv fleet_sops_path(struct arena *arena, sv out, sv path);

#endif
