/*
 * dialect: what an input system is, so that nothing above this folder has to know one.
 *
 * A dialect is one constant table. It says which kinds of manifests it reads, which settings it
 * has, which other objects it looks up, and how one of its units becomes artifacts. Kubermatic's
 * dialect (osm/) is the first; its unit is the MachineDeployment. fleet/, run/, tree/ and report/
 * see units and artifacts only. registry.c is the one file that names the dialects.
 *
 * A run asks a dialect in this order; members that may be null say so:
 *
 *   settings_new, settings_set      the settings of each cluster
 *   want, want_listed, wants        which Secrets, ConfigMaps and ServiceAccounts it will look up
 *   begin                           once a run: the definitions that units share, read and checked
 *   resolve                         once a unit: which definition it asks for
 *   load                            once a cluster: looked-up objects, names that collide
 *   artifacts, definition_artifact  once a cluster: what its units share
 *   render or check                 once a unit, on any thread
 *
 * begin to load run on one thread. From then on everything is const: render may run on several
 * threads at a time, each with its own arena and sink. Whatever goes wrong is reported to the sink;
 * a dialect goes on as far as it can, so that one run reports all mistakes.
 */
#ifndef OSM_GEN_DIALECT_DIALECT_H
#define OSM_GEN_DIALECT_DIALECT_H

#include "base/base.h"
#include "diag/diag.h"
#include "dialect/adoption.h"
#include "kube/kube.h"
#include "node/node.h"
#include "secrecy/secrecy.h"
#include "value/value.h"

/* ---- what it reads ----------------------------------------------------------------------- */

enum dialect_part {
	/* Rendered, each by itself. One that stands outside of every cluster's folder is an error.
	 */
	DIALECT_UNIT,
	/* Shared by units. In a cluster's folder it serves that cluster, outside of all it serves
	 * all. */
	DIALECT_DEFINITION,
	/* Looked up by namespace and name; ignored unless something wants it. */
	DIALECT_LOOKUP,
};

struct dialect_kind {
	sv kind;
	sv group; /* empty: the core group */
	sv version;
	enum dialect_part part;
	/* No other system has a kind of that name: one of another group is a mistake. */
	bool is_unique;
	/* A group of another system's that has a kind of that name, and that system; or empty. */
	sv other_group;
	const char *other_system;
	/* The one member it is read for, or empty: a text without it is not read for this kind. */
	sv member;
};

/*
 * A manifest of which another program makes units: no input of osm-gen's, and whoever commits it
 * without the units gets nothing rendered.
 */
struct dialect_maker {
	sv kind;
	sv group;
	const char *path; /* the map that holds `member`: "metadata.annotations"; empty: the root */
	sv member;        /* a list of maps that have a name, or the JSON of one object */
	sv unit;          /* the kind that it makes */
	/* "its dynamicWorkers", and the remedy, around the path of the manifest's file. */
	const char *what;
	const char *how_before;
	const char *how_after;
};

/* A kind that only holds this member (a path) when it is meant for this dialect, whatever its
 * group. */
struct dialect_stray {
	sv kind;
	const char *mark;
};

/* An environment variable that --allow-env may name. */
struct dialect_variable {
	sv name;
	bool is_plain; /* stands in the clear elsewhere: to hide it would hide nothing */
};

/*
 * A variable that --allow-env binds to a cluster: the cluster sees it as `name`, and the
 * environment holds it as `variable`.
 */
struct dialect_binding {
	sv cluster; /* DIALECT_EVERY_CLUSTER: all of them */
	sv name;    /* as a dialect's table has it */
	sv variable;
	struct value text; /* null: the variable is not set, or is not read here */
};
#define DIALECT_EVERY_CLUSTER SV("*")

struct dialect_environment {
	const struct dialect_binding *items;
	size_t count;
};

/* ---- settings ---------------------------------------------------------------------------- */

enum setting_kind {
	SETTING_STRING,
	SETTING_BOOL,
	SETTING_LIST,   /* a list of strings, or one string with commas between */
	SETTING_REPEAT, /* a list of strings; as a flag given once an item, commas belong to it */
	SETTING_MAP,    /* a map, or one string "A=true,B=false" */
	SETTING_FILE,   /* a file's text (see setting_names_file) */
};

struct setter;

/*
 * One setting: a flag (--cluster-dns), its name in osm-gen.yaml (clusterDNS), and its help. The
 * tables serve the command line, osm-gen.yaml and the documentation.
 */
struct setting {
	sv flag;
	sv name;
	enum setting_kind kind;
	const char *placeholder; /* "IP,..." in help texts; null for SETTING_BOOL */
	const char *help;
	bool controller;     /* a flag of the system's own controller; else of osm-gen's own */
	const char *initial; /* the default in words, or null */
	/* Checks a value and sets it (setting_set); null if the owner sets it in another way. */
	enum status (*set)(const struct setter *s, const struct value *v);
};

/*
 * SETTING_FILE: true when the value is a path that the caller has to read (from the commit for
 * osm-gen.yaml, from disk for a flag) and replace by the file's text before it is set; false when
 * it holds a line break and is the text itself.
 */
bool setting_names_file(const struct setting *setting, const struct value *value);

/* ---- the output contract (contract.c) ----------------------------------------------------- */

/*
 * Which texts and which choices of osm-gen's own hold for a fleet (docs/spec/output.md 4.1): a
 * number, spec.contract of its Fleet. What a contract gives is the same bytes in every version that
 * carries it. The newest one's texts are profiles/ of this repository, an older one's are kept in
 * profiles/contracts/NUMBER/ as they were. A choice that came with contract 2 asks
 * `contract >= 2`, of struct dialect_cluster.
 */
unsigned dialect_contract_newest(void);
unsigned dialect_contract_oldest(void); /* that this program carries */
/* The last version of osm-gen that carries one that this does no more; else empty. */
sv dialect_contract_last_version(unsigned contract);

/* A text that the program carries, as ci/embed lays it out at build time. */
struct dialect_text {
	const char *path; /* "profiles/ubuntu.yaml", whatever its contract: it stands in the output
	                   */
	const char *text;
	size_t len;
	unsigned contract; /* 0: the newest one's; else an older one's: text is deflated (gzip), */
	size_t size;       /* and has this length when it is not */
};
bool dialect_text_holds(const struct dialect_text *text, unsigned contract);
sv dialect_text_open(struct arena *arena, const struct dialect_text *text);

/* ---- taking a setting's value (setter.c) --------------------------------------------------- */

/* One setting that is being set; its sink gets what is wrong, with the setting's name. */
struct setter {
	struct arena *arena;
	struct sink *sink;
	void *settings; /* the dialect's own */
	const struct setting *setting;
};

struct setter_item {
	struct value text;
	struct position at;
};
VEC_TYPE(setter_items, struct setter_item);

/*
 * Checks a value and sets it, as the setting's `set` does: a settings_set for dialects. The value
 * is from osm-gen.yaml, or a string or list of strings from the command line. Reports an invalid
 * value at its position, down to the item of a comma list.
 */
MUST_CHECK enum status setting_set(struct arena *arena, struct sink *sink, void *settings,
                                   const struct setting *setting, const struct value *value);

/* DIAG_SETTING_VALUE; always STATUS_FAILED. */
enum status setter_report(const struct setter *s, struct position at, const char *problem,
                          const char *help);
/* Where an item of a comma list stands: as precise as its scalar lets it be. */
struct position setter_item_position(const struct value *v, size_t offset, size_t len);

/* Null is the empty text. */
MUST_CHECK enum status setter_take_text(const struct setter *s, const struct value *v,
                                        struct value *ret);
/* A boolean, or a text that Go's strconv.ParseBool takes. */
MUST_CHECK enum status setter_take_bool(const struct setter *s, const struct value *v, bool *ret);
/*
 * A list of texts, or one text: with split, commas part its items, which are trimmed; empty ones
 * are kept.
 */
MUST_CHECK enum status setter_take_list(const struct setter *s, const struct value *v, bool split,
                                        struct setter_items *ret_items);
/* An object that a setting names. All strings are empty if the setting is. */
struct setter_reference {
	sv namespace;
	sv name;
	struct value text; /* as written: "NAMESPACE/NAME" */
};
MUST_CHECK enum status setter_take_reference(const struct setter *s, const struct value *v,
                                             struct setter_reference *ret);
/* A URL's user and password are taken for secret. */
MUST_CHECK enum status setter_take_url(const struct setter *s, const struct value *v,
                                       struct value *ret);
/* PEM certificates, at least one, and no private key; or empty. Else DIAG_CA_BUNDLE. */
MUST_CHECK enum status setter_take_bundle(const struct setter *s, const struct value *v,
                                          struct value *ret);
/*
 * userDataLimits: {PROVIDER: BYTES}, or "PROVIDER=BYTES,...": a map of numbers, 0 for any amount.
 * Every name is one under which some dialect's user-data is counted.
 */
MUST_CHECK enum status setter_take_limits(const struct setter *s, const struct value *v,
                                          struct value *ret_limits);

/* ---- clusters and units ------------------------------------------------------------------ */

/* One cluster, as a dialect sees it. */
struct dialect;
struct dialect_cluster {
	const struct dialect *dialect;
	sv name;
	struct position at;   /* of the Cluster's name; NOWHERE for the only cluster */
	const void *settings; /* as settings_new and settings_set made them */
	unsigned contract;    /* the fleet's: one that this program carries */
	const struct kube_objects *objects; /* everything to be looked up */
	struct kube_object_list
	    definitions;               /* of the cluster's folder, in the order of the files */
	struct kube_object_list units; /* sorted by kind, namespace and name */
	const struct kube_object_list *shared; /* definitions outside of every cluster's folder */
};

/* What units share: a profile. One object, however many clusters it serves. */
struct dialect_definition {
	const struct kube_object *object;
	sv name;
	struct value version; /* a string; keeps its position */
	bool is_embedded;     /* stands in the program, not in the repository */
};

/* One thing to render, named by the object that asks for it. */
struct dialect_unit {
	const struct dialect *dialect;
	const struct kube_object *object;
	const struct dialect_definition *definition; /* or null */
	const void *resolved; /* of resolve, for render; null: something is wrong with it */
};

/* The token that a unit's machines start with, where it is derived from the seed. */
struct dialect_token {
	sv key;      /* names it among the secrets */
	sv rotation; /* a text that is changed to get another one */
	/* That of a token which is good beside it for a while; empty: there is none. */
	sv rotation_before;
};

/* What is to be looked up by name. */
struct dialect_wants {
	struct arena *arena;
	struct map names; /* "KIND NAMESPACE/NAME" */
};
void dialect_want(struct dialect_wants *wants, sv kind, sv namespace, sv name);
bool dialect_is_wanted(const struct dialect_wants *wants, const struct kube_id *id);

struct dialect_input {
	const struct dialect_cluster *clusters;
	size_t cluster_count;
	struct kube_object_list shared; /* definitions outside of every cluster's folder */
	const void *shared_settings;    /* those that hold there */
	unsigned contract;              /* as of each cluster */
	struct quota *steps;            /* that loops over more than one list charge; or null */
	/* Whether a file that could not be read may define `name`: its mistake is reported. */
	bool (*may_be_unreadable)(const void *context, sv name);
	const void *context;
};

/* ---- artifacts --------------------------------------------------------------------------- */

enum artifact_side {
	ARTIFACT_MANAGEMENT,
	ARTIFACT_WORKER,
	ARTIFACT_STATUS, /* of no applier: objects of which only the status is written */
};

enum artifact_role {
	ARTIFACT_CONFIG,       /* what a reviewer reads: an OperatingSystemConfig */
	ARTIFACT_BOOTSTRAP,    /* holds the first user-data of a machine */
	ARTIFACT_PROVISIONING, /* holds the second one, which the first fetches */
	ARTIFACT_CREDENTIAL,   /* holds what a machine proves itself with */
	ARTIFACT_REPORT,       /* what a controller would report of the unit: its status */
	ARTIFACT_SUPPORT,      /* what the others need: profiles, namespaces, RBAC */
};

enum artifact_sealing {
	ARTIFACT_CLEAR,        /* secrets in it are replaced by <sealed:NAME#FINGERPRINT> */
	ARTIFACT_SEAL_DATA,    /* a Secret: data and stringData are sealed */
	ARTIFACT_SEAL_SECRETS, /* the true text; keys that hold a secret are sealed as a whole */
	ARTIFACT_SEAL_PATCH,   /* as ARTIFACT_CLEAR; what is replaced stands in a sealed patch */
};

/* One object to write. */
struct artifact {
	/* What `render --print` calls it; empty: by its role (artifact_print_name). */
	sv print;
	enum artifact_side side;
	enum artifact_role role;
	enum artifact_sealing sealing;
	struct kube_id id;
	struct value object; /* the true text; strings are tainted where they hold secrets */
	/* The user-data in it, a string; invalid: none. */
	struct value user_data;
	size_t user_data_bytes; /* as the limit counts them */
	size_t user_data_limit; /* 0: none is known */
};
VEC_TYPE(artifacts, struct artifact);

/* "config", "bootstrap", "provisioning", "credential", "report", "support" */
sv artifact_role_name(enum artifact_role role);
/* Its own, else "osc", "bootstrap", "provisioning" by its role; or empty. */
sv artifact_print_name(const struct artifact *artifact);

/* ---- rendering --------------------------------------------------------------------------- */

struct dialect_load {
	/* Secrets need not be there (`validate`): a missing one gives a stand-in, not an error. */
	bool secrets_may_be_absent;
	/* Variables that may be used, by name: tainted texts, or null for one that is not set. */
	const struct value *environment;
};

/* What the output before this run holds. */
struct dialect_previous {
	/*
	 * The object of a clear file that an earlier run wrote, without what is not UTF-8 YAML of
	 * ours: *ret_object is invalid where there is none. Fails when it cannot be read.
	 */
	enum status (*find)(struct arena *arena, struct sink *sink, const void *context,
	                    enum artifact_side side, const struct kube_id *id,
	                    struct value *ret_object);
	const void *context;
};

/*
 * One thing that a unit's machines fetch over the network, as its definition says
 * (docs/profiles.md, "The inventory"). Texts that do not apply are empty; passwords in addresses
 * are masked.
 */
struct dialect_fetch {
	sv kind; /* "binary", "archive", "checksum", "package", "image", "key", "repository", "api"
	          */
	sv name;
	sv version;
	sv architecture; /* "amd64", "arm64"; empty: of no architecture */
	sv url;
	sv sha256;      /* where the definition pins it */
	sv fingerprint; /* of a key */
	sv from;        /* the repository of a package; "image": what the machine's image names */
	sv setting;     /* that moves it to a mirror */
	sv upstream;    /* where it is moved: its address otherwise */
};
VEC_TYPE(dialect_fetches, struct dialect_fetch);
/* An address with user and password as "***": they are none to print, wherever they come from. */
sv dialect_fetch_masked(struct arena *arena, sv url);
/* 64 digits, letters among them small. */
bool dialect_fetch_is_sha256(sv text);
/* An image whose name is a reference, "NAME:TAG@sha256:DIGEST": its tag becomes the version. */
void dialect_fetch_image(struct dialect_fetch *fetch);

struct dialect_job {
	const struct dialect_cluster *cluster;
	const void *loaded; /* of load */
	const struct dialect_unit *unit;
	sv revision;               /* of the unit's template, a number; see template_text */
	sv template_digest;        /* of template_text */
	struct value token;        /* of dialect_token, tainted; invalid where there is no seed */
	struct value token_before; /* likewise, of its rotation_before; invalid: there is none */
	int64_t now; /* the source commit's committer date, seconds since 1970: no other clock */
	struct dialect_previous previous;
	struct quota *steps;  /* that all templates of the run take together; or null */
	size_t round_lengths; /* sizes in messages are multiples of it; 0 and 1: exact */
	bool wants_fetches;   /* of struct dialect_rendered */
};

struct dialect_rendered {
	struct artifacts artifacts;
	/* Where they were asked for: what machines fetch; false: the definition does not say. */
	struct dialect_fetches fetches;
	bool is_inventoried;
	/* For people: "aws", "ubuntu". Empty where the system has no such thing. */
	sv provider;
	sv operating_system;
	sv kubelet_version;
	/* The node that its user-data makes, for `render --print effect`. Null: it is not shown. */
	const struct node_config *node;
};

/* A value that people know: {"kubelet", "v1.34.1"}. */
struct dialect_fact {
	sv name;
	sv value;
};

struct dialect_node_file {
	sv path;
	sv text;
	unsigned mode; /* 0: it does not say */
};

struct dialect_node_unit {
	sv name;
	bool is_disabled; /* it says so, or masks it */
};

/* What of a config a reviewer of its change wants to know. Texts are those of its file. */
struct dialect_description {
	VEC(struct dialect_fact) facts; /* each name once */
	VEC(struct dialect_node_file) files;
	VEC(struct dialect_node_unit) units;
	VEC(sv) users;
	VEC(sv) ssh_keys;
};

/* Where a definition differs from what was written of it before. */
struct dialect_change {
	sv path; /* "spec.bootstrapConfig.files[0].path" */
	struct position at;
};

/* A definition inside the program. */
struct dialect_embedded {
	sv name;
	sv version;
	sv summary; /* one line */
	sv text;    /* the manifest */
};
VEC_TYPE(dialect_embedded_list, struct dialect_embedded);

/* ---- the table --------------------------------------------------------------------------- */

/* A member of a document of osm-gen's own that a dialect reads, as editors are told of it. */
enum dialect_member_type {
	DIALECT_MEMBER_TEXT,
	DIALECT_MEMBER_BOOL,
	DIALECT_MEMBER_NUMBER, /* a whole one, from 0 on */
	DIALECT_MEMBER_MAP,    /* without `of`: of anything */
	DIALECT_MEMBER_LIST,   /* without `of`: of texts */
};
struct dialect_member {
	const char *map; /* the map that it stands in: "spec of a KIND", or one that is an `of` */
	const char *name;
	enum dialect_member_type type;
	const char *of;      /* the map that it is, or is a list of; or null */
	const char *choices; /* "a|b": texts that it may be, or hold; or null */
	const char *help;
};
struct dialect_document {
	const char *kind; /* of osm-gen.dev/v1alpha1 */
	const struct dialect_member *members;
	const size_t *member_count;
};

struct dialect {
	sv name;
	/* Whose results it gives: the system's own program, and its version. Empty: nobody's. */
	sv program;
	sv program_version;
	const struct dialect_kind *kinds;
	size_t kind_count;
	/* Kinds of its groups that it does not read and that are no misspelling of one it does. */
	const sv *other_kinds;
	size_t other_kind_count;
	const struct dialect_maker *makers; /* or null */
	size_t maker_count;
	const struct dialect_stray *strays; /* or null */
	size_t stray_count;
	/* For the JSON Schema; all of `kinds` need not be there. */
	const struct dialect_document *documents;
	size_t document_count;
	const struct setting *settings;
	size_t setting_count;
	const struct dialect_variable *variables; /* sorted by name */
	size_t variable_count;
	/* Of units: the annotation in which a live one has its revision. Empty: has none. */
	sv revision_annotation;
	/*
	 * `render`: the option that names one of its units ("machine-deployment"), and what can be
	 * printed of it. Empty: any option, and the names that roles have.
	 */
	sv unit_option;
	const sv *prints;
	size_t print_count;

	/* A copy of `from`, or, when that is null, the defaults. Two dialects may have a setting of
	 * one name and kind: it is set in both. */
	void *(*settings_new)(struct arena *arena, const void *from);
	/* Checks a value and sets it; wrong ones are reported at their position. */
	enum status (*settings_set)(struct arena *arena, struct sink *sink, void *settings,
	                            const struct setting *setting, const struct value *value);
	/* Whether user-data of its units is counted under this name (setting userDataLimits), and
	 * the name that was meant by another one, or empty. May be null. */
	bool (*has_budget)(sv name);
	sv (*meant_budget)(struct arena *arena, sv name);
	/* A list of the strings among the settings that hold secrets. May be null. */
	struct value (*settings_secrets)(struct arena *arena, const void *settings);

	/* Calls dialect_want for every object that the cluster's units and settings name. */
	void (*want)(const struct dialect_cluster *cluster, struct dialect_wants *wants);
	/*
	 * Calls dialect_want for what a DIALECT_LOOKUP object lists, when the cluster looks that
	 * object up. Called for each one of the input, encrypted ones too. May be null.
	 */
	void (*want_listed)(const struct dialect_cluster *cluster, const struct kube_object *object,
	                    struct dialect_wants *wants);
	/* Objects that are looked up by other marks than their name. May be null. */
	bool (*wants)(const struct dialect_cluster *cluster, const struct kube_object *object);

	/* The dialect's own state of this run, for resolve. May be null, as resolve. */
	void *(*begin)(struct arena *arena, struct sink *sink, const struct dialect_input *input);
	/* Sets definition and resolved. */
	void (*resolve)(struct arena *arena, struct sink *sink, void *state, size_t cluster,
	                struct dialect_unit *unit);
	/*
	 * For a cluster with units. secret_arena outlives the jobs. *ret_loaded is for render.
	 */
	enum status (*load)(struct arena *secret_arena, struct sink *sink,
	                    const struct dialect_cluster *cluster,
	                    const struct dialect_load *options, const void **ret_loaded);

	/* What all units of a loaded cluster share. May be null. */
	void (*artifacts)(struct arena *arena, const void *loaded, struct artifacts *artifacts);
	/* A definition as an object of the management side. Null: no applier is given them. */
	struct artifact (*definition_artifact)(struct arena *arena,
	                                       const struct dialect_cluster *cluster,
	                                       const struct dialect_definition *definition);
	/*
	 * Whether a definition's object is another one than before, though the version is the same.
	 * Secrets are marks in both; one_seed: of the same seed, so that marks can be compared.
	 */
	bool (*definition_changed)(struct arena *arena, const struct value *before,
	                           const struct value *now, bool one_seed,
	                           struct dialect_change *ret_change);
	/*
	 * What a config says, as it stands in the output: for reviews of the change of one. May be
	 * null.
	 */
	void (*describe)(struct arena *arena, const struct value *config,
	                 struct dialect_description *description);
	/*
	 * Annotations of its config that are another one for every unit: digests and counters,
	 * which change because something else does.
	 */
	const sv *own_annotations;
	size_t own_annotation_count;
	/* The definitions inside the program under a contract, sorted by name. May be null. */
	enum status (*embedded)(struct arena *arena, struct sink *sink, unsigned contract,
	                        struct dialect_embedded_list *ret_list);

	/*
	 * The text whose change means new machines, tainted where it holds secrets: a digest of it
	 * decides when the revision counts on. Null: units have no revision.
	 */
	struct value (*template_text)(struct arena *arena, const struct kube_object *unit);
	/* What earlier versions took the digest of. Null: the same. */
	struct value (*template_text_before)(struct arena *arena, const struct kube_object *unit);
	/* Whether the revision annotation counts whatever became of the template. May be null. */
	bool (*revision_pins)(const void *settings);
	/*
	 * How many machines the unit asks for, as its API server defaults it; negative: its
	 * manifest does not say. Null: that is not known of these units.
	 */
	int64_t (*replicas)(const struct kube_object *unit);
	/*
	 * Where the unit's artifact of role config stands, for outputs whose index does not say
	 * (format 1). Null: a dialect that came later.
	 */
	struct kube_id (*config_id)(struct arena *arena, const struct dialect_cluster *cluster,
	                            const struct kube_object *unit);
	/* False: the unit needs no derived token. now: as in dialect_job. May be null. */
	bool (*token)(struct arena *arena, const struct dialect_cluster *cluster,
	              const struct kube_object *unit, int64_t now, struct dialect_token *ret_token);
	/*
	 * A copy of the unit's manifest, or of the part of it that may hold credentials, with them
	 * tainted. Null: units hold none.
	 */
	struct value (*credentials)(struct arena *arena, const struct kube_object *unit);
	/* Texts whose words its output holds in the clear anyway. May be null. */
	struct secrecy_public (*public_texts)(struct arena *arena);

	/* arena is of the secret kind. What it makes is good only when it returns STATUS_OK. */
	enum status (*render)(struct arena *arena, struct sink *sink, const struct dialect_job *job,
	                      struct dialect_rendered *ret_rendered);
	/*
	 * Reports what is wrong with a unit that cannot be rendered. secrets_may_be_absent: as in
	 * dialect_load. May be null.
	 */
	void (*check)(struct arena *arena, struct sink *sink, const struct dialect_cluster *cluster,
	              const struct kube_object *unit, bool secrets_may_be_absent);

	/* Live objects, for adopt, compare and observe (adoption.h). May be null. */
	const struct dialect_adoption *adoption;
};

/* ---- the registry ------------------------------------------------------------------------ */

/* All dialects, in the order of help texts. */
const struct dialect *const *dialects(size_t *ret_count);

/* Goes through the kinds of all dialects, in their order. Begin with {0}. */
struct dialect_kind_walk {
	size_t dialect;
	size_t kind;
};
/* Returns the next kind, or null after the last one. */
const struct dialect_kind *dialect_next_kind(struct dialect_kind_walk *walk);

/* What `render` prints of the units that this option names (struct dialect). */
const sv *dialect_prints(sv unit_option, size_t *ret_count);
/* The kind of the first dialect's units: what people call a unit while there is none. */
sv dialect_unit_kind(void);
/* All variables that --allow-env may name, sorted. */
const sv *dialect_variable_names(struct arena *arena, size_t *ret_count);
/* The bindings, with the texts that are not plain tainted as "env:NAME". */
struct dialect_environment dialect_taint_environment(struct arena *secret_arena,
                                                     const struct dialect_environment *environment);
/* The public texts of all dialects. */
struct secrecy_public dialect_public_texts(struct arena *arena);

#endif
