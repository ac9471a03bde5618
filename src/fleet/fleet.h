/*
 * fleet: what is in a commit, and whose it is (docs/spec/output.md 3).
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
 *   flags.c      the settings that there are, of all dialects and of fleet/
 *   reference.c  the JSON Schema and the page of all of that
 *   apply.c      the settings that each cluster sees
 *   contract.c   the output contract that holds
 *   raise.c      osm-gen.yaml with another one
 *   delivery.c   what carries the output to clusters
 *   folder.c     the folder of the output that a cluster's files stand in
 *   scope.c      which cluster a file belongs to
 *   sealed.c     encrypted inputs: which are opened, for whom
 *   kustomize.c  kustomizations that change units or definitions
 *   beside.c     manifests that are no inputs, and that a person may take for some
 *   lookups.c    Secrets, ConfigMaps, ServiceAccounts: whose they are, which are wanted, decrypting
 * them work.c       units, and the definitions they ask for load.c       the whole
 *
 * What counts as a manifest
 *   Documents are maps with apiVersion and kind; anything else is ignored, but in osm-gen.yaml.
 *   `kind: List` and the Lists of the kinds below are opened, in each other too. Kinds that matter
 *   are those of the dialects (dialect.h), and Fleet and Cluster of osm-gen.dev/v1alpha1, which
 *   stand in files named osm-gen.yaml only. Groups of units, of definitions and osm-gen.dev in
 *   another version, and osm-gen.dev in another kind, are errors. The same kind of another group
 *   (Cluster API's MachineDeployment) is another kind.
 *
 * Which files are parsed
 *   A manifest that matters holds the name of one of those kinds, or osm-gen.dev. A file without
 *   any (and not named osm-gen.yaml) holds nothing for us: JSON without them is not parsed at all;
 * YAML without them is, for its syntax alone (a broken manifest may have lost the word), unless it
 * holds "{{", which is somebody's template. In a Helm chart's templates/ folder files with "{{" are
 * never read. Kinds must be spelt in plain letters: "\x53ecret" is not found.
 *
 * Whose an object is
 *   A file belongs to the cluster in whose folder it stands; outside of every such folder it serves
 *   all clusters. Of --secrets DIR, a file belongs to a cluster when its path below DIR begins with
 *   the cluster's name, or lies in the cluster's folder (DIR laid out as the repository is) and
 * that folder has the cluster's name. What stands in DIR itself serves all clusters. Anything else
 * is an error, unless the repository names no cluster.
 */
#ifndef OSM_GEN_FLEET_FLEET_H
#define OSM_GEN_FLEET_FLEET_H

#include "dialect/dialect.h"
#include "kube/kube.h"
#include "seal/seal.h"

#define FLEET_SETTINGS_FILE "osm-gen.yaml"
#define FLEET_IGNORE_FILE   ".osm-gen-ignore"
/* On a Secret: that it stands in the clear is meant, and not warned of. */
#define FLEET_CLEAR_ANNOTATION "osm-gen.dev/clear"
#define FLEET_SOPS_FILE        ".sops.yaml"
#define FLEET_API_GROUP        "osm-gen.dev"
#define FLEET_API_VERSION      "osm-gen.dev/v1alpha1"
#define FLEET_ONLY_CLUSTER     "default" /* the cluster of a repository that names none */

#define FLEET_OWN_MANAGEMENT "self" /* setting managementCluster: applies its own side */

/* ---- settings ---------------------------------------------------------------------------- */

/* All settings: each dialect's, then those of fleet/; in the order of help texts. */
const struct setting *const *fleet_settings(struct arena *arena, size_t *ret_count);
/* Null when there is none. */
const struct setting *fleet_setting_by_flag(sv flag);

/* The JSON Schema (draft 7) of osm-gen.yaml's documents. */
void fleet_add_schema(struct buf *buf);
/* docs/settings.md */
void fleet_add_settings_page(struct buf *buf);

/* ---- 1. paths ---------------------------------------------------------------------------- */

struct fleet_filter;

/*
 * out: the output folder relative to the repository's root, or empty when it lies outside.
 * ignore_text: the root's .osm-gen-ignore, or empty; must outlive the filter.
 */
struct fleet_filter *fleet_filter_new(struct arena *arena, sv out, sv ignore_text);
/* What comparing paths with patterns is charged to, from now on. */
void fleet_filter_limit(struct fleet_filter *filter, struct quota *steps);
/*
 * Whether the file at path (relative to the root, "/" between parts) is to be read. To be called
 * once for every file of the tree, before the first fleet_read_file: Chart.yaml files are noticed.
 */
bool fleet_filter_take(struct fleet_filter *filter, sv path);
/*
 * Whether a file that is not read has a name that people give to manifests: "workers.yaml.txt",
 * "workers.YAML", "workers.yaml.j2", "workers". Documents and programs do not count.
 */
bool fleet_filter_nearly_takes(struct fleet_filter *filter, sv path);
/* Whether .osm-gen-ignore names the file. */
bool fleet_filter_ignores(struct fleet_filter *filter, sv path);
/* Whether .osm-gen-ignore names the folder. */
bool fleet_filter_ignores_folder(struct fleet_filter *filter, sv path);

sv fleet_path_folder(sv path); /* "" at the root */
/*
 * reference, as written in a file of folder, as a path from the root: "../ca.pem", "/ca.pem" (from
 * the root). False when it leads out of the repository.
 */
bool fleet_path_resolve(struct arena *arena, sv folder, sv reference, sv *ret_path);

/* A manifest that is noticed in a text that is no input. */
struct fleet_glimpse {
	sv kind;
	size_t offset;    /* of the kind */
	bool is_template; /* a unit's, by its text */
};
/*
 * The first unit or definition that a file's text holds by its lines, without parsing it; false:
 * none. Of a file whose name has no ending the text must begin as a manifest does.
 */
bool fleet_glimpse(sv path, sv text, struct fleet_glimpse *ret_glimpse);

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
	/* All there is, of one cluster: its settings may stand among the other documents. */
	bool is_whole;
	struct quota *values; /* of the run; or null */
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

/* Whether one of these objects is a unit, a definition, or settings. */
bool fleet_file_holds_work(const struct fleet_file *file);

/* ---- 3. the fleet ------------------------------------------------------------------------ */

struct fleet_recipient {
	sv text;
	struct position at;
};

struct fleet_sealing {
	const struct sealer_format *format; /* never null */
	struct position at;                 /* of the `sealing` that holds, or of the cluster */
	/* In the order given; of a format that takes a certificate that one, its text. */
	const struct fleet_recipient *recipients;
	size_t recipient_count;
	enum seal_scope scope;
	size_t round_lengths; /* sizes are rounded up to a multiple of it; 1: they are not */
	/* The rule of .sops.yaml that the recipients come from; null: they are osm-gen.yaml's. */
	const struct seal_creation_rule *rule;
	bool is_wrong; /* reported already: recipients may be missing because of that */
};

/* ---- delivery ---------------------------------------------------------------------------- */

enum fleet_applier { FLEET_APPLIER_NONE, FLEET_APPLIER_FLUX, FLEET_APPLIER_ARGOCD };

/* Of spec.delivery, where they are not given. */
#define FLEET_MAX_UNITS    200
#define FLEET_MAX_CLUSTERS 1000

/* spec.delivery as one cluster sees it; {cluster} is replaced by its name. */
struct fleet_delivery {
	enum fleet_applier applier;
	struct position at; /* of the Fleet's `delivery` */
	/* Units from which on a side is cut into several kustomizations; 0: never. */
	size_t max_units;
	/* Empty where the applier has none. */
	sv namespace; /* of the applier's objects */
	sv source_kind;
	sv source_name;
	sv source_namespace;
	sv source_url;
	sv source_revision;
	const struct value *path; /* of the output folder in the source; null: as --out says */
	sv interval;
	sv decryption_secret; /* of what is sealed with SOPS */
	sv kubeconfig_secret; /* of a cluster that is managed from another one */
	sv kubeconfig_key;
	sv project;
	sv destination; /* likewise, by its name */
	const sv *depends_on;
	size_t depends_on_count;
	const struct value *wait; /* a boolean, or null */
	sv management_namespace;  /* "exists", "create"; empty: nobody says */
};

/* A definition that units of a cluster ask for. */
struct fleet_definition {
	const struct dialect *dialect;
	const struct dialect_definition *definition;
};
VEC_TYPE(fleet_definitions, struct fleet_definition);

struct fleet_cluster {
	sv name;
	sv scope;                 /* folder, without "/" at its end; empty: the whole repository */
	sv folder;                /* of its output, from the output folder: fleet_folder */
	struct position at;       /* the Cluster's name; NOWHERE for the only cluster */
	const struct value *spec; /* as written: a map, or null */
	const struct value *settings; /* spec.settings as written: a map, or null */
	/*
	 * Which cluster its management side is applied to: a name, FLEET_OWN_MANAGEMENT for itself;
	 * empty when nothing says so.
	 */
	sv management_cluster;
	struct fleet_sealing sealing;
	struct fleet_delivery delivery;
	/* Everything to be looked up: --secrets DIR, then the scope, then what is shared. */
	const struct kube_objects *objects;
	struct dialect_cluster *dialects; /* one a dialect, in the registry's order */
	/* Of all dialects, sorted by kind, namespace and name. */
	struct dialect_unit *units;
	size_t unit_count;
	/* The sound ones that units ask for, sorted by name. */
	struct fleet_definitions definitions;
};

/* spec.removalGuard: what a run removes only when that is said to be meant. */
struct fleet_removal_guard {
	size_t percent; /* of the units that were there */
	size_t least;   /* fewer are never much */
};

struct fleet {
	struct fleet_cluster *clusters; /* sorted by name */
	size_t cluster_count;
	bool in_buckets;              /* the clusters' folders stand in buckets */
	const struct value *spec;     /* as written: a map, or null */
	const struct value *defaults; /* spec.defaults as written: a map, or null */
	/* spec.contract; where there is none, the newest (dialect.h, "The output contract"). */
	unsigned contract;
	bool names_contract; /* spec.contract is there */
	sv identity;         /* sealing.fleet: goes into everything that is derived; empty: none */
	/*
	 * spec.limits: numbers maxEntries, maxInput, maxValues, maxSteps, maxOutput, by which a
	 * repository lowers what a run may take; map, or null.
	 */
	const struct value *limits;
	sv commit_author; /* "Name <mail>", checked for that form; empty when not set */
	struct position commit_author_at;
	struct fleet_removal_guard removal_guard;
	size_t unit_count;
	/* Units of another system that has a kind of the same name; the first of them. */
	size_t foreign_count;
	struct position foreign_at;
	const struct dialect_kind *foreign_kind;
	const struct seal_sops_config *sops_config; /* of FLEET_SOPS_FILE; null: not asked */
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
	struct quota
	    *values; /* of the run: charged where inputs make inputs be looked at; or null */
	/* The output contract, whatever the Fleet says; 0: the Fleet's. */
	unsigned contract;
	/* The output folder, relative to the root; empty: it lies outside. */
	sv out;
	/*
	 * Whether the output before this run has its clusters in buckets. Asked only where the
	 * number of clusters does not decide it. Null: it has not.
	 */
	bool (*was_in_buckets)(void *context);
	void *was_in_buckets_context;
	/* That loops over more than one list charge; or null. */
	struct quota *steps;
	/* For encrypted Secrets; null: none. */
	const struct seal_identities *identities;
	/* For `validate`: encrypted Secrets stay encrypted and are left out, */
	bool skip_secrets;
	/* or are kept as they are: their keys can be read, their values have stand-ins. */
	bool keep_encrypted;
};

/* MachineDeployments, and units of other dialects, that the files hold. */
size_t fleet_count_units(struct fleet_file *const *files, size_t count);

/*
 * Puts the files together, in the order given, which must be path order. Reports all it finds:
 * the files' own diagnostics, settings, scopes, definitions, names given twice, units without
 * their definition. The result refers to the files; secret_arena takes what is decrypted.
 *
 * Also when it fails *ret_fleet is set, to what could be made of the rest (a unit is then perhaps
 * not resolved), so that the caller can go on and find more mistakes.
 */
MUST_CHECK enum status fleet_load(struct arena *arena, struct arena *secret_arena,
                                  struct sink *sink, struct fleet_file *const *files,
                                  size_t file_count, const struct fleet_options *options,
                                  struct fleet *ret_fleet);

/* ---- osm-gen.yaml with another contract (raise.c) ------------------------------------------ */

/*
 * spec.contract of the Fleet in the text of the root's osm-gen.yaml (empty: there is none); 0 where
 * it is not said. False when the text cannot be read, or the contract is no number.
 */
bool fleet_named_contract(struct arena *arena, sv text, int64_t *ret_contract);
/*
 * The text with that contract in its Fleet, which is added where there is none; every other byte
 * stays. False when that cannot be had without a change of what else it says.
 */
bool fleet_raise_contract(struct arena *arena, sv text, unsigned contract, sv *ret_text);

/* ---- the clusters' folders (folder.c) ------------------------------------------------------- */

/* CLUSTER, or BUCKET/CLUSTER: two hex digits of a digest of the name. From the output folder. */
sv fleet_folder(struct arena *arena, sv cluster, bool in_bucket);
/*
 * The cluster's folder that a path of the output begins with; empty: the file stands in none. What
 * stands in a bucket of another name stands in no bucket.
 */
sv fleet_folder_of(sv path);
static inline bool fleet_folder_is_in_bucket(sv folder)
{
	return sv_find_char(folder, '/') != SV_NPOS;
}
/* Whether a folder of the output may be a bucket, by its name. */
bool fleet_is_bucket(sv name);
/* The name of the cluster whose folder it is. */
static inline sv fleet_folder_cluster(sv folder)
{
	return sv_after_last(folder, '/');
}
/*
 * Whether so many clusters stand in buckets: more than `bound`; or no fewer than a half of it,
 * where they did before, so that a cluster more or less does not move all of them every time. 0:
 * never.
 */
bool fleet_takes_buckets(size_t clusters, size_t bound, bool before);

/* A path of the output as .sops.yaml's rules see it: from the root, or, outside, from the folder.
 */
sv fleet_sops_path(struct arena *arena, sv out, sv path);

#endif
