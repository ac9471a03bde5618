/*
 * Private to fleet/: functions and structs that its files share, one block for each file.
 */
#ifndef OSM_GEN_FLEET_INTERNAL_H
#define OSM_GEN_FLEET_INTERNAL_H

#include "fleet/fleet.h"
#include "kustomize/kustomize.h"
#include "os/os.h"

/* ---- paths ------------------------------------------------------------------------------- */

/* Returns true if the file has one of the names of a kustomization (kustomize_file_names). */
bool fleet_is_kustomization(sv path);

/* Returns true for a file named osm-gen.yaml, in whatever folder. */
bool fleet_is_settings_file(sv path);

/* Returns true if the file is one of a Helm chart's templates. */
bool fleet_filter_is_chart_template(const struct fleet_filter *filter, sv path);

/* ---- words.c ----------------------------------------------------------------------------- */

/*
 * Heuristics on the content of files that are not parsed yet, or cannot be parsed. They search for
 * words, and prefer false positives.
 */

/*
 * Returns the content without its NULs, as the functions below expect it: in UTF-16 and UTF-32
 * every letter has NULs beside it.
 */
sv fleet_words_of(struct arena *arena, sv text);
/* Returns true if the file is worth parsing: it names a kind that matters, or its API group. */
bool fleet_words_are_ours(sv text);
/* Returns true if the content names a kind of that part (unit, definition or lookup). */
bool fleet_words_name(sv text, enum dialect_part part);
/* Returns true if "Secret" is in a line with "kind", or in the line after. */
bool fleet_words_may_hold_secret(sv text);
/*
 * Returns true if an input that cannot be parsed may hold a credential, so that its lines must not
 * be shown. In settings and profiles only what follows a colon counts.
 */
bool fleet_words_are_confidential(sv text, bool is_settings);

/* The program that a file which cannot be parsed is a template of, by the data of its actions. */
enum fleet_template { FLEET_NO_TEMPLATE, FLEET_TEMPLATE_HELM, FLEET_TEMPLATE_KUBEONE };
enum fleet_template fleet_words_template(sv text);

/* ---- ciphertext.c ------------------------------------------------------------------------ */

/* The way in which a file is ciphertext as a whole. */
struct fleet_cipher {
	const char *what;    /* "is encrypted as a whole by age", after the file's name */
	const char *command; /* decrypts such a file; null if no program is known */
};
/* Returns null for content that is text, and not ciphertext as a whole. */
const struct fleet_cipher *fleet_cipher_of(sv text);
struct fleet_file;
/* Reports such a file (DIAG_INPUT_CIPHERTEXT). */
void fleet_report_cipher(struct fleet_file *file, const struct fleet_cipher *cipher);
/* Returns true if fleet_report_encrypted could find a value, judged by the words of the content. */
bool fleet_text_has_encrypted(sv text);
/*
 * Reports encrypted values of a document that is read as it is (DIAG_VALUE_ENCRYPTED). Returns true
 * if it has any.
 */
bool fleet_report_encrypted(struct sink *sink, const struct value *root);
struct fleet_named_file;
/*
 * Reports a file that is ciphertext as a whole, or has an encrypted value. `setting` is where a
 * settings file names it. Returns false for any other file.
 */
bool fleet_report_named_cipher(struct sink *sink, const struct fleet_named_file *named,
                               struct position setting);

/* ---- files ------------------------------------------------------------------------------- */

/* A manifest that matters, other than settings. */
struct fleet_object {
	struct kube_object object;
	const struct fleet_file *file;
	/* The dialect whose kind it is; for a lookup, any that has the kind. */
	const struct dialect *dialect;
	bool encrypted; /* in any format that seal/ reads */
	/* For a unit: its first credential that is in git in clear text; no place if it has none.
	 */
	struct position credential_at;
	sv credential; /* the credential's key, "password" */
	bool is_clear_accepted;
};

VEC_TYPE(fleet_objects, struct fleet_object);

enum fleet_document_kind { FLEET_DOCUMENT_FLEET, FLEET_DOCUMENT_CLUSTER };

struct fleet_document {
	enum fleet_document_kind kind;
	/* For an encrypted document: first a copy with placeholders, then the decrypted content. */
	struct value *root;
	bool is_sealed;
	size_t sealed_number; /* if it is encrypted: its index in the file's `sealed` */
};

/* A manifest that is not an input although it looks like one (beside.c). */
struct fleet_bystander {
	enum {
		FLEET_BESIDE_GROUP, /* a kind that osm-gen reads, in a foreign API group */
		FLEET_BESIDE_STRAY, /* a spec that osm-gen reads, in a foreign kind */
		FLEET_BESIDE_MAKER, /* a controller makes units from it (KubeOneCluster) */
	} why;
	const struct value *root;
	const struct dialect_kind *kind;   /* for _GROUP and _STRAY: the kind that osm-gen reads */
	const struct dialect_maker *maker; /* for _MAKER */
};

/* An object of part DIALECT_EXPANDED. */
struct fleet_expandable {
	const struct dialect *dialect;
	/* For an encrypted one: first a copy with placeholders, then the decrypted content. */
	const struct value *root;
	bool is_sealed;
	size_t sealed_number; /* if it is encrypted: its index in the file's `sealed` */
};

struct fleet_file {
	sv path;
	sv secrets_path; /* see struct fleet_blob; empty for a file of the repository */
	bool is_added;   /* see struct fleet_blob */
	bool is_made;
	/* For an encrypted object that was made: its file's documents are in `sealed`. */
	size_t sealed_number;
	const struct source *made_source;
	const struct value *made_metadata;
	sv cluster; /* the cluster that an added or made file belongs to; may be empty */
	struct source *source;
	struct sink sink;
	bool may_have_encrypted; /* see fleet_text_has_encrypted */
	bool has_no_object;      /* its content is neither an object nor a list, nor is it empty */
	struct fleet_objects definitions;
	struct fleet_objects units;
	bool has_inline_secret;       /* a unit has a credential in the clear */
	struct fleet_objects lookups; /* of kind DIALECT_LOOKUP */
	VEC(struct fleet_expandable) expandables;
	bool has_refused_expandable;          /* one was reported, and is not in the list */
	VEC(struct fleet_document) documents; /* of osm-gen.yaml */
	/* All encrypted documents, since SOPS encrypts a file as a whole, with one MAC. */
	struct value *sealed;
	size_t sealed_count;
	/*
	 * Objects of a dialect_kind.other_group: their number and the first of them (struct fleet).
	 */
	size_t foreign_count;
	struct position foreign_at;
	const struct dialect_kind *foreign_kind;
	/* The encrypted `kind` of a manifest that is encrypted as a whole; or null. */
	const struct value *hidden_kind;
	VEC(struct fleet_bystander) bystanders;
	struct kube_makers makers;              /* of Secrets that only the cluster has */
	const struct value *kustomization;      /* the document of a kustomization.yaml; or null */
	VEC(const struct value *) appliers;     /* Flux's Kustomizations */
	VEC(const struct value *) applications; /* Argo CD's Applications and ApplicationSets */
};

/* ---- beside.c ---------------------------------------------------------------------------- */

/* Returns true if a file may hold a bystander, or one of Flux's Kustomizations, by its words. */
bool fleet_words_are_beside(sv text);
/*
 * Returns true if the content may have an Application of Argo CD, and no Kustomization of Flux.
 * Such a file is ignored if it is not YAML, as one with a template.
 */
bool fleet_words_are_application(sv text);
/* Remembers a document if it is a bystander, or an applier of Flux or Argo CD. */
void fleet_note_beside(struct arena *arena, struct fleet_file *file, const struct value *root);
/* Remembers an object whose kind is `kind` by name but has a foreign group. */
void fleet_note_other_group(struct arena *arena, struct fleet_file *file, const struct value *root,
                            const struct dialect_kind *kind);

/* ---- file.c ------------------------------------------------------------------------------ */

struct fleet_terraform;
/* All files of a fleet, in path order. */
struct fleet_files {
	struct fleet_file *const *items;
	size_t count;
	/* The encrypted outputs of Terraform (fleet_find_terraform); null before the draft is read.
	 */
	struct fleet_terraform *terraform;
};

/*
 * Decrypts a file and returns its Secrets and ConfigMaps, whose values are in `secret_arena`.
 * Reports units and definitions if their kind was encrypted; the others were reported when the
 * file was read.
 */
MUST_CHECK enum status fleet_file_open(struct arena *secret_arena, struct sink *sink,
                                       const struct seal_identities *identities,
                                       const struct fleet_file *file,
                                       struct fleet_objects *ret_lookups);

/* The clear-text secrets of a file's documents. */
struct fleet_clear_secrets {
	bool found;     /* a Secret, or a credential in a unit, is in clear text */
	bool suspected; /* a ConfigMap, or a unit that cannot be read, may hold a credential */
};
struct yml_documents;
/*
 * Adds the objects of the documents to the file, with values in `arena`. Reports their mistakes in
 * the file's sink. `is_whole` is that of struct fleet_blob.
 */
void fleet_read_documents(struct arena *arena, struct fleet_file *file, bool is_whole,
                          const struct yml_documents *documents,
                          struct fleet_clear_secrets *ret_secrets);

/* Sets the file's encrypted documents. */
void fleet_keep_sealed(struct arena *arena, struct fleet_file *file,
                       const struct yml_documents *documents);

/* Returns true for a file of --secrets. */
static inline bool fleet_file_is_external(const struct fleet_file *file)
{
	return !sv_empty(file->secrets_path);
}

/* Returns true for a file that is not in the commit: of --secrets or --manifests. */
static inline bool fleet_file_is_outside(const struct fleet_file *file)
{
	return fleet_file_is_external(file) || file->is_added;
}

/* ---- documents and settings (settings.c, schema.c, apply.c, flags.c) ----------------------- */

/* `sealing` of one settings document, as written; members that are unset are null. */
struct fleet_sealing_draft {
	const struct value *format;
	const struct value *recipients;
	sv identity;                /* sealing.fleet; only in a Fleet */
	const struct value *inputs; /* a map; only in a Fleet */
	const struct value *certificate;
	const struct value *scope;
	const struct value *round_lengths;
	struct position at;
	bool is_wrong; /* a mistake was reported; a missing member may be a misspelt one */
};

struct fleet_cluster_draft {
	sv name;
	sv scope;
	struct position at;
	const struct value *spec;     /* map, or null */
	const struct value *settings; /* map, or null */
	struct fleet_sealing_draft sealing;
	const struct value *delivery; /* the Cluster's own, members of their types; or null */
	const struct fleet_file *file;
	/* The document is encrypted, or a manifest or Terraform's output that it takes. */
	bool is_sealed;
	struct seal_texts sealed_marks;
	/* Settings that an object of its folder gives to the units of a dialect; or null. */
	const struct value *made_settings;
	const struct dialect *made_for;
};

VEC_TYPE(fleet_cluster_drafts, struct fleet_cluster_draft);

struct fleet_draft {
	const struct fleet_file *fleet_file; /* null if the repository has no Fleet */
	const struct value *spec;            /* map, or null */
	const struct value *defaults;        /* map, or null */
	struct fleet_sealing_draft sealing;
	const struct value *contract; /* a number from 1 on, or null */
	const struct value *limits;   /* see struct fleet */
	struct fleet_removal_guard removal_guard;
	const struct value *delivery; /* a map whose members have the right types; or null */
	struct fleet_commit commit;
	struct fleet_cluster_drafts clusters; /* sorted by name; at least one */
	bool is_sealed;                       /* the Fleet's document is encrypted */
	struct seal_texts sealed_marks;
	bool has_copies;   /* copied sealed values were reported already */
	bool has_clusters; /* false: no Cluster document, `clusters` has FLEET_ONLY_CLUSTER alone */
};

/* schema.c: a document without the members that are wrong. */
struct fleet_taken {
	const struct value *spec; /* a map */
	bool is_wrong; /* something of the root, metadata, spec or spec.sealing is wrong */
};
/*
 * Reads a document by the shape of its kind, and reports members that are unknown, missing or of
 * another type. Choices, and what is in lists, are left to those who read them.
 */
struct fleet_taken fleet_take_document(struct arena *arena, struct sink *sink,
                                       enum fleet_document_kind kind, const struct value *root);
/*
 * commit.c: reads `commit` of the Fleet's spec, and reports wrong values. `given` may be null.
 */
void fleet_read_commit(struct arena *arena, struct sink *sink, const struct value *given,
                       struct fleet_commit *commit);

/* delivery.c: sets and checks each cluster's delivery. Call it after fleet_apply_settings. */
void fleet_apply_delivery(struct arena *arena, struct sink *sink, const struct fleet_draft *draft,
                          struct fleet *fleet);
/*
 * folder.c: sets each cluster's output folder. Call it before fleet_apply_settings, which matches
 * the rules of .sops.yaml against it.
 */
void fleet_place_clusters(struct arena *arena, const struct fleet_draft *draft,
                          const struct fleet_options *options, struct fleet *fleet);

/*
 * Reads all settings documents, and checks names, places and nesting. Reports mistakes; the draft
 * has whatever could be read, so that later steps can find more of them.
 */
void fleet_read_settings(struct arena *arena, struct sink *sink, const struct fleet_files *files,
                         struct fleet_draft *ret_draft);
/*
 * Sets each cluster's settings and sealing, and the settings of each of the fleet's dialects. The
 * fleet has one cluster for each of the draft's.
 */
void fleet_apply_settings(struct arena *arena, struct sink *sink, const struct fleet_draft *draft,
                          const struct fleet_options *options, struct fleet *fleet);

/* apply.c: a committed file that a settings file names. */
struct fleet_named_file {
	sv path; /* from the root */
	sv text;
};
/*
 * Reads the file that `given`, a string of the settings file `file`, names. Reports a missing one,
 * with `help`, and an encrypted one.
 */
MUST_CHECK enum status fleet_read_named(struct arena *arena, struct sink *sink,
                                        const struct fleet_options *options,
                                        const struct fleet_file *file, const struct value *given,
                                        const char *help, struct fleet_named_file *ret_named);

/* contract.c: returns the output contract to use. Reports one that this program does not have. */
unsigned fleet_choose_contract(struct sink *sink, const struct fleet_draft *draft,
                               const struct fleet_options *options);

/* flags.c: the settings of fleet/ itself, which no dialect has. */
struct fleet_own_settings {
	sv management_cluster; /* see struct fleet_cluster */
	bool shares_api_server;
};
extern const struct setting_table fleet_own_table;
/* flags.c: return the dialect's setting, or fleet's own, of that name, or null. */
const struct setting *fleet_setting_of(const struct dialect *dialect, sv name);
const struct setting *fleet_own_setting(sv name);
/* Returns the setting whose name or flag is most like `name`, or an empty string. */
sv fleet_setting_nearest(struct arena *arena, sv name);

/* ---- scope.c ----------------------------------------------------------------------------- */

#define FLEET_NO_CLUSTER SIZE_MAX

struct fleet_scopes {
	const struct fleet_draft *draft;
	struct map by_folder; /* folder to cluster number + 1 */
	struct map by_name;   /* name to cluster number + 1 */
};

struct fleet_scopes fleet_scopes_of(struct arena *arena, const struct fleet_draft *draft);
/* Reports a file of --secrets that cannot be assigned to one cluster (fleet.h, "Scopes"). */
void fleet_check_secrets_place(struct arena *arena, struct sink *sink,
                               const struct fleet_scopes *scopes, const struct fleet_file *file);
/*
 * Reports an added file whose cluster the commit does not have, or that names none of several, and
 * removes its objects.
 */
void fleet_check_added_place(struct arena *arena, struct sink *sink,
                             const struct fleet_scopes *scopes, struct fleet_file *file);
/* Returns the number of the cluster that a file belongs to, or FLEET_NO_CLUSTER if it is shared. */
size_t fleet_scope_of(const struct fleet_scopes *scopes, const struct fleet_file *file);

/*
 * Returns the cluster that an encrypted file was encrypted for. An object that kustomize made of a
 * file outside of all clusters' folders is shared, as that file is.
 */
size_t fleet_sealed_scope(const struct fleet_scopes *scopes, const struct fleet_file *file);
/* Reports an encrypted object that kustomize made of another cluster's file; returns false then. */
bool fleet_check_sealed_place(struct sink *sink, const struct fleet_scopes *scopes,
                              const struct fleet_file *file);

/* ---- credential.c ------------------------------------------------------------------------ */

/*
 * Finds the first credential that a unit has in clear text (credential_at), and returns
 * true if it has any, an encrypted one too.
 */
bool fleet_find_credential(struct arena *arena, struct arena *scratch, struct fleet_object *unit);
/*
 * Returns true if the object's annotation accepts clear text: a test, or a protected repository.
 */
bool fleet_is_clear_accepted(const struct kube_object *object);

/* ---- expand.c ---------------------------------------------------------------------------- */

/*
 * Expands the objects of part DIALECT_EXPANDED: adds their units to their files, and their settings
 * to the clusters' drafts. `arena` must be a secret arena. Call it before fleet_apply_settings.
 */
void fleet_expand(struct arena *arena, struct sink *sink, const struct fleet_files *files,
                  const struct fleet_scopes *scopes, const struct fleet_options *options,
                  struct fleet_draft *draft, struct fleet *fleet);

/* beside.c: reports the bystanders. Call it when the clusters have their units. */
void fleet_report_beside(struct arena *arena, struct sink *sink, const struct fleet_files *files,
                         const struct fleet_scopes *scopes, const struct fleet *fleet);

/*
 * servers.c: warns of clusters with one API server, which are copies of each other, and of a folder
 * with a Cluster of another name. Call it when the clusters have their objects.
 */
void fleet_check_servers(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                         const struct fleet *fleet);

/*
 * kustomize.c: removes from the inputs the units and definitions of files that kustomizations use
 * as patches, since they are only parts of objects. Call it before the files' diagnostics are
 * merged, because such parts cause errors.
 */
void fleet_set_patches_aside(struct arena *arena, const struct fleet_files *files,
                             const struct fleet_options *options);
/*
 * kustomize_inputs.c: warns if .sourceignore hides the output folder from Flux
 * (DIAG_OUTPUT_HIDDEN).
 */
void fleet_check_hidden_output(struct arena *arena, struct sink *sink,
                               const struct fleet_options *options, const struct fleet *fleet);
/*
 * kustomize.c: reports kustomizations that change units or definitions, and appliers of manifests
 * whose units the output has.
 */
void fleet_check_kustomize(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                           const struct fleet_files *files, const struct fleet_options *options,
                           const struct fleet *fleet);

/* ---- lookups.c --------------------------------------------------------------------------- */

/*
 * Fills each cluster's `objects`. Encrypted ones are decrypted if a unit, definition or setting
 * refers to them, and left out otherwise.
 */
void fleet_fill_lookups(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                        const struct fleet_files *files, const struct fleet_scopes *scopes,
                        const struct fleet_options *options, struct fleet *fleet);

/* ---- sealed.c ---------------------------------------------------------------------------- */

/*
 * Returns a placeholder for an encrypted value, of the type that it has, as a secret `name` of the
 * member.
 */
struct value fleet_placeholder(struct arena *arena, const struct value *sealed, sv name, sv member);

/*
 * Reports encrypted values that are copied into two scopes, if something refers to one of the two.
 * wanted[i] is true if something refers to an object of file i. Returns false if it reported any.
 */
bool fleet_check_copies(struct arena *arena, struct sink *sink, const struct fleet_files *files,
                        const struct fleet_scopes *scopes, const bool *wanted);

/* sealing.inputs: which recipients' inputs may be decrypted for which cluster. */
struct fleet_inputs;
/*
 * Returns null if the Fleet does not set it: each cluster may then have all that is in its folder.
 */
const struct fleet_inputs *fleet_inputs_new(struct arena *arena, struct sink *sink,
                                            const struct fleet_draft *draft);
/*
 * Returns true if the file may be decrypted for the cluster, judged by the recipients that the file
 * names, without a key. Reports the file otherwise. `scope` is fleet_scope_of's result.
 */
bool fleet_input_is_allowed(struct arena *arena, struct sink *sink,
                            const struct fleet_inputs *inputs, const struct fleet_file *file,
                            size_t scope);
/* An encrypted file that is opened. */
struct fleet_input {
	const struct fleet_inputs *inputs; /* may be null */
	const struct seal_identities *identities;
	const struct fleet_file *file;
	size_t scope; /* fleet_scope_of's result */
};
/* Decrypts a file into whatever `context` is. */
typedef enum status fleet_opener(struct arena *secret_arena, struct sink *sink,
                                 const struct seal_identities *identities,
                                 const struct fleet_file *file, void *context);
/*
 * Calls the opener with only those identities that sealing.inputs allows for the cluster, or, for a
 * shared file, for all clusters.
 */
MUST_CHECK enum status fleet_input_open(struct arena *secret_arena, struct sink *sink,
                                        const struct fleet_input *input, fleet_opener *opener,
                                        void *context);

/* ---- sealed_settings.c ------------------------------------------------------------------- */

/*
 * Returns an encrypted settings document without its sops block and with placeholders for its
 * sealed values. Reports members that may not be sealed, which the copy lacks. Returns false if the
 * name of the Cluster is one of them: it cannot be read then.
 */
bool fleet_close_settings(struct arena *arena, struct sink *sink, const struct value *root,
                          struct value *ret_closed);
/* Reports a settings document whose kind is encrypted, too; `at` is its root. */
void fleet_report_hidden_settings(struct sink *sink, const struct value *at);

/* Reports settings in an encrypted List. */
void fleet_report_sealed_list(struct sink *sink, const struct value *at);

struct fleet_opening {
	struct arena *arena;
	struct arena *secret_arena;
	struct sink *sink;
	const struct fleet_files *files;
	const struct fleet_scopes *scopes; /* scopes of the draft with placeholders */
	const struct fleet_options *options;
	const struct fleet *fleet; /* names, folders and sealing of the clusters */
};
/*
 * Decrypts the encrypted settings of all files, the objects that are expanded and Terraform's
 * output, after all checks that need no key have passed and options->may_open has agreed. Returns
 * true if all were decrypted and must be read again.
 */
bool fleet_open_settings(const struct fleet_opening *request);
/* Returns true if there is anything that fleet_open_settings decrypts. */
bool fleet_has_sealed_settings(const struct fleet_files *files, const struct fleet_draft *draft);

/* ---- sealed_expandable.c ----------------------------------------------------------------- */

/* The member of a Cluster's spec that names Terraform's output. */
#define FLEET_TERRAFORM_MEMBER "terraformOutput"

/* The encrypted output of Terraform that a cluster names. */
struct fleet_terraform {
	struct fleet_file *file;  /* null if the cluster names none, or a clear one */
	const struct value *root; /* first a copy with placeholders, then the decrypted content */
};

/* Returns an encrypted document without its sops block and with placeholders for its sealed values.
 */
struct value fleet_close_expandable(struct arena *arena, const struct value *root);
/*
 * Finds the encrypted outputs, one element for each cluster of the draft. Mistakes in other files
 * are reported by fleet_expand.
 */
struct fleet_terraform *fleet_find_terraform(struct arena *secret_arena,
                                             const struct fleet_draft *draft,
                                             const struct fleet_options *options);
/* Reports an encrypted output that is in another cluster's folder; returns false then. */
bool fleet_check_terraform_place(struct sink *sink, const struct fleet_scopes *scopes,
                                 const struct fleet_terraform *terraform);
/* Notes which clusters get encrypted values, and the marks of these (struct fleet_cluster). */
void fleet_mark_expandables(struct arena *arena, const struct fleet_files *files,
                            struct fleet_draft *draft);

/* ---- work.c ------------------------------------------------------------------------------ */

struct fleet_work;
/*
 * Assigns units and definitions to the clusters and their dialects, as lookups need them, without
 * reporting anything.
 */
struct fleet_work *fleet_collect_work(struct arena *arena, const struct fleet_files *files,
                                      const struct fleet_scopes *scopes, struct quota *steps,
                                      struct fleet *fleet);
/* Fills each cluster's units and definitions, and reports their mistakes. */
void fleet_finish_work(struct sink *sink, struct fleet_work *work);

#endif
