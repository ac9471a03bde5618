/*
 * Private to fleet/: what the steps hand to each other.
 */
#ifndef OSM_GEN_FLEET_INTERNAL_H
#define OSM_GEN_FLEET_INTERNAL_H

#include "fleet/fleet.h"

/* ---- paths ------------------------------------------------------------------------------- */

/* The name that kustomize takes beside kustomization.yaml and kustomization.yml. */
#define FLEET_KUSTOMIZATION "Kustomization"
bool fleet_is_kustomization(sv path);

/* Whether a file is one of a Helm chart's templates. */
bool fleet_filter_is_chart_template(const struct fleet_filter *filter, sv path);

/* ---- words ------------------------------------------------------------------------------- */

/*
 * What is known of a text by its words, where it is not parsed yet or cannot be: rather once too
 * often than once too seldom.
 */

/* A text as it is asked about: in UTF-16 and UTF-32 the letters have NULs beside them. */
sv fleet_words_of(struct arena *arena, sv text);
/* Worth parsing: one of our kinds or groups is named, a misspelt kind's group too. */
bool fleet_words_are_ours(sv text);
/* A kind of that part is named. */
bool fleet_words_name(sv text, enum dialect_part part);
/* The word Secret, with "kind" in the same line or the one before. */
bool fleet_words_may_hold_secret(sv text);
/* Of one of our texts that is no YAML: of settings and profiles only what stands behind a colon. */
bool fleet_words_are_confidential(sv text, bool is_settings);

/* Of a text that is no YAML: a template of Helm, by the data that its actions use. */
bool fleet_words_are_helm(sv text);

/* ---- files ------------------------------------------------------------------------------- */

/* A manifest that matters, other than settings. */
struct fleet_object {
	struct kube_object object;
	const struct fleet_file *file;
	size_t dialect; /* whose kind it is; of lookups any dialect's that has it */
	bool encrypted; /* in any format that seal/ reads */
};

VEC_TYPE(fleet_objects, struct fleet_object);

enum fleet_document_kind { FLEET_DOCUMENT_FLEET, FLEET_DOCUMENT_CLUSTER };

struct fleet_document {
	enum fleet_document_kind kind;
	struct value *root;
};

/* A manifest that is no input, and that a person may take for one (beside.c). */
struct fleet_bystander {
	enum { FLEET_BESIDE_GROUP, FLEET_BESIDE_STRAY, FLEET_BESIDE_MAKER } why;
	const struct value *root;
	const struct dialect_kind *kind;   /* of FLEET_BESIDE_GROUP, _STRAY: the one that is read */
	const struct dialect_maker *maker; /* of FLEET_BESIDE_MAKER */
};

struct fleet_file {
	sv path;
	sv secrets_path; /* not empty: of --secrets */
	struct source *source;
	struct sink sink;
	struct fleet_objects definitions;
	struct fleet_objects units;
	struct fleet_objects lookups;         /* of kind DIALECT_LOOKUP */
	VEC(struct fleet_document) documents; /* of osm-gen.yaml */
	/* All encrypted documents: what belongs together is encrypted by files, not by objects. */
	struct value *sealed;
	size_t sealed_count;
	/* Units of another system (dialect_kind.other_group), and the first of them. */
	size_t foreign_count;
	struct position foreign_at;
	const struct dialect_kind *foreign_kind;
	/* A manifest that is encrypted as a whole: what it is is known once it is decrypted. */
	const struct value *hidden_kind;
	VEC(struct fleet_bystander) bystanders;
	const struct value *kustomization;  /* of a file that kustomize takes for one; or null */
	VEC(const struct value *) appliers; /* Flux's Kustomizations */
};

/* beside.c: whether a text may hold a bystander, or one of Flux's Kustomizations. */
bool fleet_words_are_beside(sv text);
/* Keeps a document that is no input when it is to be told of. */
void fleet_note_beside(struct arena *arena, struct fleet_file *file, const struct value *root);
/* A kind of ours under another group than its own. */
void fleet_note_other_group(struct arena *arena, struct fleet_file *file, const struct value *root,
                            const struct dialect_kind *kind);

/* All files of a fleet, in path order. */
struct fleet_files {
	struct fleet_file *const *items;
	size_t count;
};

/*
 * The Secrets and ConfigMaps of a file's documents once they are decrypted; their values lie in
 * secret_arena. Other kinds that matter are complained of when their documents hid them.
 */
MUST_CHECK enum status fleet_file_open(struct arena *secret_arena, struct sink *sink,
                                       const struct seal_identities *identities,
                                       const struct fleet_file *file,
                                       struct fleet_objects *ret_lookups);

static inline bool fleet_file_is_external(const struct fleet_file *file)
{
	return !sv_empty(file->secrets_path);
}

/* ---- settings ---------------------------------------------------------------------------- */

/* What a settings document may say about sealing; null members: not said. */
struct fleet_sealing_draft {
	const struct value *format;
	const struct value *recipients;
	sv identity;                /* sealing.fleet: of a Fleet only, as the next one */
	const struct value *inputs; /* map */
	const struct value *certificate;
	const struct value *scope;
	const struct value *round_lengths;
	struct position at;
	bool is_wrong; /* reported: what is missing may be what was misspelt */
};

struct fleet_cluster_draft {
	sv name;
	sv scope;
	struct position at;
	const struct value *spec;     /* map, or null */
	const struct value *settings; /* map, or null */
	struct fleet_sealing_draft sealing;
	const struct value *delivery; /* of its own, members of their types; or null */
	const struct fleet_file *file;
};

VEC_TYPE(fleet_cluster_drafts, struct fleet_cluster_draft);

struct fleet_draft {
	const struct fleet_file *fleet_file; /* null: there is no Fleet */
	const struct value *spec;            /* map, or null */
	const struct value *defaults;        /* map, or null */
	struct fleet_sealing_draft sealing;
	const struct value *contract; /* a number from 1 on, or null */
	const struct value *limits;   /* see struct fleet */
	struct fleet_removal_guard removal_guard;
	const struct value *delivery; /* members of their types; or null */
	sv commit_author;
	struct position commit_author_at;
	struct fleet_cluster_drafts clusters; /* sorted by name; at least one */
	bool has_clusters;                    /* false: the one cluster is FLEET_ONLY_CLUSTER */
};

/* What a document may hold at one place. */
enum fleet_member_type {
	FLEET_MEMBER_MAP,
	FLEET_MEMBER_TEXT,
	FLEET_MEMBER_LIST,
	FLEET_MEMBER_NUMBER, /* a whole one, from 0 on */
	FLEET_MEMBER_COUNT,  /* from 1 on */
	FLEET_MEMBER_BOOL,
};

/* reference.c: a member of a settings document, as people are told of it. */
struct fleet_member_text {
	const char *map; /* the map that it stands in, as the page and the schema call it */
	const char *name;
	enum fleet_member_type type;
	const char *choices; /* "a|b", or null */
	const char *help;
};
extern const struct fleet_member_text fleet_members[];
extern const size_t fleet_member_count;

struct fleet_member {
	sv name;
	enum fleet_member_type type;
	bool required;
};

/*
 * Checks that v is a map with these members and no others, each of its type (null counts as not
 * there). what names the map in messages: "spec.sealing". v may be null: nothing to check.
 */
MUST_CHECK enum status fleet_check_members(struct sink *sink, const struct value *v,
                                           const char *what, const struct fleet_member *members,
                                           size_t count);
/*
 * delivery.c: what a spec says below `delivery`, its mistakes reported; null: nothing. of_fleet: a
 * Cluster has fewer members.
 */
const struct value *fleet_read_delivery(struct sink *sink, const struct value *spec, bool of_fleet);
/* delivery.c: of each cluster, its values checked. After fleet_apply_settings. */
void fleet_apply_delivery(struct arena *arena, struct sink *sink, const struct fleet_draft *draft,
                          struct fleet *fleet);
/*
 * folder.c: where the clusters' output stands. Before fleet_apply_settings, which reads .sops.yaml
 * for it.
 */
void fleet_place_clusters(struct arena *arena, const struct fleet_draft *draft,
                          const struct fleet_options *options, struct fleet *fleet);

/* The members that are among these and of their type, when fleet_check_members found mistakes. */
struct value fleet_sound_members(struct arena *arena, const struct value *v,
                                 const struct fleet_member *members, size_t count);

/*
 * Reads all settings documents, checks names, places and nesting. What is wrong is reported; the
 * draft holds what could be read all the same, so that more mistakes can be found.
 */
void fleet_read_settings(struct arena *arena, struct sink *sink, const struct fleet_files *files,
                         struct fleet_draft *ret_draft);
/*
 * Settings and sealing as each cluster sees them. The fleet has one cluster a draft; base, one a
 * dialect, gets the settings that hold outside every cluster.
 */
void fleet_apply_settings(struct arena *arena, struct sink *sink, const struct fleet_draft *draft,
                          const struct fleet_options *options, const void **base,
                          struct fleet *fleet);

/* contract.c: which one holds; one that this program does not carry is reported. */
unsigned fleet_choose_contract(struct sink *sink, const struct fleet_draft *draft,
                               const struct fleet_options *options);

/* Null when there is none of that name: of a dialect, of fleet/ itself. */
const struct setting *fleet_setting_of(const struct dialect *dialect, sv name);
const struct setting *fleet_own_setting(sv name);
/* The name in osm-gen.yaml most like this one, also its spelling as a flag; or empty. */
sv fleet_setting_nearest(struct arena *arena, sv name);

/* ---- scopes ------------------------------------------------------------------------------ */

#define FLEET_NO_CLUSTER SIZE_MAX

struct fleet_scopes {
	const struct fleet_draft *draft;
	struct map by_folder; /* to cluster number + 1 */
	struct map by_name;
};

struct fleet_scopes fleet_scopes_of(struct arena *arena, const struct fleet_draft *draft);
/* Reports a file of --secrets whose folder is not plainly one cluster's: see fleet.h. */
void fleet_check_secrets_place(struct arena *arena, struct sink *sink,
                               const struct fleet_scopes *scopes, const struct fleet_file *file);
/* The number of the cluster that a file belongs to; FLEET_NO_CLUSTER when it is shared. */
size_t fleet_scope_of(const struct fleet_scopes *scopes, const struct fleet_file *file);

/* beside.c: reports the bystanders, after the units were sorted into the fleet's clusters. */
void fleet_report_beside(struct arena *arena, struct sink *sink, const struct fleet_files *files,
                         const struct fleet_scopes *scopes, const struct fleet *fleet);

/*
 * kustomize.c: takes the units and definitions of files that kustomizations name as patches for
 * what they are, parts of objects. Before the files' diagnostics are merged.
 */
void fleet_set_patches_aside(struct arena *arena, const struct fleet_files *files,
                             const struct fleet_options *options);
/* Reports kustomizations that change units or definitions. */
void fleet_check_kustomize(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                           const struct fleet_files *files, const struct fleet_options *options);

/* sealed_settings.c: a settings document without what SOPS added to it and encrypted in it. */
struct value fleet_clear_settings(struct arena *arena, const struct value *v);
void fleet_report_sealed_settings(struct sink *sink, const struct fleet_file *file,
                                  const struct value *root);

/* ---- lookups ----------------------------------------------------------------------------- */

/*
 * Fills each cluster's objects. Encrypted ones are left out unless something asks for them, and
 * decrypted then.
 */
void fleet_fill_lookups(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                        const struct fleet_files *files, const struct fleet_scopes *scopes,
                        const struct fleet_options *options, struct fleet *fleet);

/* ---- encrypted inputs -------------------------------------------------------------------- */

/*
 * Reports what is encrypted and stands in two scopes, when something asks for one of the two.
 * wanted: one a file, whether something asks for what it holds.
 */
void fleet_check_copies(struct arena *arena, struct sink *sink, const struct fleet_files *files,
                        const struct fleet_scopes *scopes, const bool *wanted);

/* sealing.inputs. */
struct fleet_inputs;
/* Null when nothing is set: everything is opened for whoever has it in its folder. */
const struct fleet_inputs *fleet_inputs_new(struct arena *arena, struct sink *sink,
                                            const struct fleet_draft *draft);
/* By what the file says, without any key; reported when it may not. scope: as fleet_scope_of. */
bool fleet_input_is_allowed(struct arena *arena, struct sink *sink,
                            const struct fleet_inputs *inputs, const struct fleet_file *file,
                            size_t scope);
/* fleet_file_open with the identities that may open it for its cluster, or for every one. */
MUST_CHECK enum status fleet_input_open(struct arena *secret_arena, struct sink *sink,
                                        const struct fleet_inputs *inputs,
                                        const struct seal_identities *identities,
                                        const struct fleet_file *file, size_t scope,
                                        struct fleet_objects *ret_objects);

/* ---- the work list ----------------------------------------------------------------------- */

struct fleet_work;
/*
 * Sorts units and definitions into the clusters' dialects, without a word; for lookups. base: the
 * settings outside of every cluster, one a dialect.
 */
struct fleet_work *fleet_collect_work(struct arena *arena, const struct fleet_files *files,
                                      const struct fleet_scopes *scopes, const void *const *base,
                                      struct quota *steps, struct fleet *fleet);
/* Fills each cluster's units and definitions, and reports what is wrong with them. */
void fleet_finish_work(struct sink *sink, struct fleet_work *work);

#endif
