/*
 * dialect: the interface of an input system, such as Kubermatic's or Gardener's. No folder that
 * serves all of them has to know one.
 *
 * A dialect is one constant table. It lists the kinds of manifests that it reads and its settings,
 * and has functions that look up other objects and render a unit to artifacts. Kubermatic's dialect
 * (osm/) is the first; its unit is the MachineDeployment. fleet/, run/, tree/ and report/ see units
 * and artifacts only. registry.c is the one file that names the dialects.
 *
 * A run calls a dialect in this order. Members may be null where their comments allow it:
 *
 *   expand                          objects from which units are made
 *   settings_new, settings_set      the settings of each cluster
 *   derive                          further units, made of a cluster's own
 *   want, want_listed, wants        the Secrets, ConfigMaps and ServiceAccounts that it looks up
 *   begin                           once a run: reads and checks the definitions that units share
 *   resolve                         once a unit: finds the definition that it asks for
 *   load                            once a cluster: looked-up objects, names that collide
 *   artifacts, definition_artifact  once a cluster: the objects that its units share
 *   render or check                 once a unit, on any thread
 *
 * begin to load run on one thread. After that everything is const: render may run on several
 * threads at a time, each with its own arena and sink. Every mistake is reported to the sink. A
 * dialect continues after a mistake where it can, so that one run reports all of them.
 */
#ifndef OSM_GEN_DIALECT_DIALECT_H
#define OSM_GEN_DIALECT_DIALECT_H

#include "base/base.h"
#include "diag/diag.h"
#include "dialect/adoption.h"
#include "dialect/artifact.h"
#include "dialect/description.h"
#include "dialect/expansion.h"
#include "dialect/pace.h"
#include "dialect/periods.h"
#include "dialect/setter.h"
#include "kube/kube.h"
#include "node/node.h"
#include "secrecy/secrecy.h"
#include "value/value.h"

/* ---- what it reads ----------------------------------------------------------------------- */

enum dialect_part {
	/* Rendered, each by itself. A unit outside every cluster's folder is an error. */
	DIALECT_UNIT,
	/* Shared by units: those of one cluster if it is in that cluster's folder, else those of
	 * all clusters. */
	DIALECT_DEFINITION,
	/* Looked up by namespace and name; ignored unless something wants it. */
	DIALECT_LOOKUP,
	/* Expanded into units and settings of one cluster, which may have one such object (struct
	   dialect, expand). */
	DIALECT_EXPANDED,
};

struct dialect_kind {
	sv kind;
	sv group; /* empty for the core group */
	sv version;
	enum dialect_part part;
	/* No other system has a kind of this name, so the kind in another group is a mistake. */
	bool is_unique;
	/* Another system's group that has a kind of this name, and that system. May be empty. */
	sv other_group;
	const char *other_system;
	/* A group that the kind had in the past. An object of it is a mistake. May be empty. */
	sv former_group;
	/* Another system's group whose objects of this kind `convert` writes anew (struct dialect,
	 * convert). May be empty. */
	sv converted_group;
	/* The one member that is read. A manifest that does not contain the word is not parsed for
	 * this kind. May be empty. */
	sv member;
};

/*
 * A manifest from which another program makes units. osm-gen does not read it: a repository with
 * such a manifest and without its units renders nothing.
 */
struct dialect_maker {
	sv kind;
	sv group;
	const char
	    *path; /* the map that holds `member`: "metadata.annotations"; empty for the root */
	sv member; /* a list of maps that have a name, or the JSON of one object */
	sv unit;   /* the kind that the program makes */
	/* "its dynamicWorkers", and the remedy before and after the path of the manifest's file. */
	const char *what;
	const char *how_before;
	const char *how_after;
};

/* A kind that is meant for this dialect, in any group, if it has this member (a path). */
struct dialect_stray {
	sv kind;
	const char *mark;
};

/* An environment variable that --allow-env may name. */
struct dialect_variable {
	sv name;
	bool is_plain; /* not a secret: the output has it in the clear anyway */
};

/*
 * A variable that --allow-env binds to a cluster: the cluster sees it as `name`, and the
 * environment holds it as `variable`.
 */
struct dialect_binding {
	sv cluster; /* or DIALECT_EVERY_CLUSTER */
	sv name;    /* of a struct dialect_variable */
	sv variable;
	struct value text; /* null if the variable is not set, or is not read here */
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
	SETTING_LIST,   /* a list of strings, or one string with commas between them */
	SETTING_REPEAT, /* a list of strings; the flag is repeated, and a comma is part of an item
	                 */
	SETTING_MAP,    /* a map, or one string "A=true,B=false" */
	SETTING_FILE,   /* the content of a file (see setting_names_file) */
	SETTING_NUMBER, /* a whole number, not negative */
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
	const char *placeholder; /* "IP,..." in help pages; null for SETTING_BOOL */
	const char *help;
	bool controller;     /* the system's own controller has this flag too */
	const char *initial; /* the default in words; may be null */
	bool may_be_sealed;  /* SOPS may encrypt it: nothing clear in the output depends on it */
	/* Checks a value and sets it (setting_set); null if the owner sets it in another way. */
	enum status (*set)(const struct setter *s, const struct value *v);
};

/*
 * Returns true if the value of a SETTING_FILE is a path. The caller must then replace it with the
 * file's content (from the commit for osm-gen.yaml, from disk for a flag) before it sets it. A
 * value with a line break is the content itself.
 */
bool setting_names_file(const struct setting *setting, const struct value *value);

/* ---- the output contract (contract.c) ----------------------------------------------------- */

/*
 * The output contract is a number, spec.contract of the Fleet (docs/spec/output.md 4.1). It fixes
 * osm-gen's own documents and choices: every version that has a contract gives the same bytes for
 * it. profiles/ has the documents of the newest contract, profiles/contracts/NUMBER/ those of an
 * older one. Code that differs since contract 2 tests `contract >= 2` of struct dialect_cluster.
 */
unsigned dialect_contract_newest(void);
unsigned dialect_contract_oldest(void); /* of those in this program */
/* Returns the last version of osm-gen that has a contract, or "" if this program has it. */
sv dialect_contract_last_version(unsigned contract);

/* A document inside the program, as ci/embed writes it at build time. */
struct dialect_text {
	const char *path; /* "profiles/ubuntu.yaml" under every contract: the output shows it */
	const char *text;
	size_t len;
	unsigned contract; /* 0 for the newest contract; `text` of an older one is gzip */
	size_t size;       /* the length of uncompressed gzip */
};
bool dialect_text_holds(const struct dialect_text *text, unsigned contract);
sv dialect_text_open(struct arena *arena, const struct dialect_text *text);

/* ---- clusters and units ------------------------------------------------------------------ */

/* The view of one cluster that a dialect gets. */
struct dialect;
struct dialect_cluster {
	const struct dialect *dialect;
	sv name;
	struct position at;   /* of the Cluster's name; NOWHERE for the only cluster */
	const void *settings; /* made by settings_new and settings_set */
	unsigned contract;    /* of the fleet; this program has it */
	const struct kube_objects *objects; /* all objects that may be looked up */
	struct kube_object_list
	    definitions;               /* of the cluster's folder, in the order of the files */
	struct kube_object_list units; /* sorted by kind, namespace and name */
	const struct kube_object_list *shared; /* definitions outside of every cluster's folder */
	struct value kubernetes_version;       /* see struct dialect_expanded */
};

/* An object that units share, such as a profile. It may serve many clusters. */
struct dialect_definition {
	const struct kube_object *object;
	sv name;
	struct value version; /* a string; keeps its position */
	bool is_embedded;     /* it is in the program, not in the repository */
};

/* One thing to render, named by the object that asks for it. */
struct dialect_unit {
	const struct dialect *dialect;
	const struct kube_object *object;
	const struct dialect_definition *definition; /* may be null */
	const void *resolved; /* made by resolve for render; null after a mistake */
};

/* The token with which a unit's machines join, if it is derived from the seed. */
struct dialect_token {
	sv key;      /* its name among the secrets */
	sv rotation; /* another string gives another token */
	/* The rotation of the previous token, if that is still valid. May be empty. */
	sv rotation_before;
};

/* The names of the objects to look up. */
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
	const void *shared_settings;    /* for those definitions */
	unsigned contract;              /* the same as in each cluster */
	struct quota *steps;            /* charged by loops over more than one list; may be null */
	/* Returns true if a file that could not be read, which is reported, may define `name`. */
	bool (*may_be_unreadable)(const void *context, sv name);
	const void *context;
};

/* ---- rendering --------------------------------------------------------------------------- */

struct dialect_load {
	/* A missing Secret gives a placeholder, not an error (`validate`). */
	bool secrets_may_be_absent;
	/* A map of the allowed variables: tainted strings, or null for one that is not set. */
	const struct value *environment;
};

/* The output before this run. */
struct dialect_previous {
	/*
	 * Finds the object in a clear file of an earlier run. *ret_object is invalid if there is no
	 * such file, or it is not one of osm-gen's YAML files. Fails if it cannot be read.
	 */
	enum status (*find)(struct arena *arena, struct sink *sink, const void *context,
	                    enum artifact_side side, const struct kube_id *id,
	                    struct value *ret_object);
	const void *context;
};

/*
 * One thing that a unit's machines fetch over the network, according to its definition
 * (docs/profiles.md, "The inventory"). Strings that do not apply are empty. Passwords in addresses
 * are masked.
 */
struct dialect_fetch {
	sv kind; /* "binary", "archive", "checksum", "package", "image", "key", "repository", "api"
	          */
	sv name;
	sv version;
	sv architecture; /* "amd64", "arm64"; empty if it is the same for all */
	sv url;
	sv sha256;      /* if the definition pins it */
	sv fingerprint; /* of a key */
	sv from;        /* the repository of a package; "image" if the machine's image names that */
	sv setting;     /* the setting that moves it to a mirror */
	sv upstream;    /* its address without the mirror, if that setting is used */
};
VEC_TYPE(dialect_fetches, struct dialect_fetch);
/* Returns the address with user and password as "***". */
sv dialect_fetch_masked(struct arena *arena, sv url);
/* Returns true for 64 hexadecimal digits in lower case. */
bool dialect_fetch_is_sha256(sv text);
/* Splits the name of an image, "NAME:TAG@sha256:DIGEST". The tag becomes the version. */
void dialect_fetch_image(struct dialect_fetch *fetch);

/* The settings of a cluster for machines that roll because of what their nodes get. */
struct dialect_roll {
	bool is_possible; /* the output has the units, so that it can change their templates */
	sv by;            /* "profile", "user-data"; empty if nothing rolls */
	int64_t guard;    /* how many machines may roll in one run */
};

struct dialect_job {
	const struct dialect_cluster *cluster;
	const void *loaded; /* made by load */
	const struct dialect_unit *unit;
	sv revision;               /* of the unit's template, a number; see template_text */
	sv template_digest;        /* of template_text */
	sv roll;                   /* the value of the roll annotation; empty for none */
	struct value token;        /* of dialect_token, tainted; invalid without a seed */
	struct value token_before; /* of rotation_before, tainted; invalid if that is empty */
	int64_t now; /* the source commit's committer date, seconds since 1970: the only clock */
	/* Set to true if what is rendered, or a warning, depends on `now`; may be null. A token's
	 * rotation and the time of a report's last change do not count. */
	bool *asks_now;
	struct dialect_previous previous;
	const struct redaction *redaction; /* of the cluster; without a seed it has no key */
	struct quota *steps;  /* charged by all templates of the run together; may be null */
	size_t round_lengths; /* sizes in messages are multiples of it; 0 or 1 for exact ones */
	bool wants_fetches;   /* fill `fetches` of struct dialect_rendered */
};

/* The effect of a run on machines that are started by objects of the output other than the unit. */
enum dialect_replacement {
	DIALECT_REPLACES_NONE,
	DIALECT_REPLACES_MACHINES,
	DIALECT_REPLACES_UNKNOWN, /* to compare it takes the seed */
};

struct dialect_rendered {
	struct artifacts artifacts;
	/* The things that machines fetch, if job->wants_fetches and is_inventoried: the definition
	 * lists them. */
	struct dialect_fetches fetches;
	bool is_inventoried;
	/* For people: "aws", "ubuntu". May be empty. */
	sv provider;
	sv operating_system;
	sv kubelet_version;
	/* The node that its user-data makes, for `render --print effect`. May be null. */
	const struct node_config *node;
	/* Running machines apply what changes, not only new ones. */
	bool is_applied;
	/* The user-data has secrets of the inputs, which a run without the seed cannot compare. */
	bool has_given_secrets;
	/* Compared with the previous output, beside the change of template_text. */
	enum dialect_replacement replacement;
	/* Why machines are replaced, for people: "another MachineClass: ..." Else empty. */
	sv reason;
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

/* A member of one of osm-gen's own documents that a dialect reads. The JSON Schema has it. */
enum dialect_member_type {
	DIALECT_MEMBER_TEXT,
	DIALECT_MEMBER_BOOL,
	DIALECT_MEMBER_NUMBER, /* a whole number, not negative */
	DIALECT_MEMBER_MAP,    /* of any values without `of` */
	DIALECT_MEMBER_LIST,   /* of strings without `of` */
};
struct dialect_member {
	const char *map; /* the map that has it: "spec of a KIND", or the `of` of another member */
	const char *name;
	enum dialect_member_type type;
	const char *of;      /* the name of its map, or of its items' map; may be null */
	const char *choices; /* the allowed strings, "a|b"; may be null */
	const char *help;
};
struct dialect_document {
	const char *kind; /* of osm-gen.dev/v1alpha1 */
	const struct dialect_member *members;
	const size_t *member_count;
};

struct dialect {
	sv name;
	/* The program whose results it reproduces, and the version of that. May be empty. */
	sv program;
	sv program_version;
	const struct dialect_kind *kinds;
	size_t kind_count;
	/* Kinds of its groups that it does not read. They are not misspellings of one that it
	 * reads. */
	const sv *other_kinds;
	size_t other_kind_count;
	const struct dialect_maker *makers; /* may be null */
	size_t maker_count;
	const struct dialect_stray *strays; /* may be null */
	size_t stray_count;
	/* For the JSON Schema. Some of `kinds` may be missing. */
	const struct dialect_document *documents;
	size_t document_count;
	const struct setting *settings;
	size_t setting_count;
	const struct dialect_variable *variables; /* sorted by name */
	size_t variable_count;
	/* The annotation that has the revision of a live unit. May be empty. */
	sv revision_annotation;
	/*
	 * For `render`: the option that names one of its units ("machine-deployment"), and the
	 * names that --print takes, the default first. If empty, any option, and the names of the
	 * roles.
	 */
	sv unit_option;
	const sv *prints;
	size_t print_count;

	/* Returns a copy of `from`, or the defaults if it is null. A setting that two dialects
	 * have, with the same name and kind, is set in both. */
	void *(*settings_new)(struct arena *arena, const void *from);
	/* Checks a value and sets it. Reports an invalid value at its position. */
	enum status (*settings_set)(struct arena *arena, struct sink *sink, void *settings,
	                            const struct setting *setting, const struct value *value);
	/* Returns true if user-data of its units is counted under this name (userDataLimits). May
	 * be null, as the next. */
	bool (*has_budget)(sv name);
	/* Returns the valid name that a wrong one probably means, or "". */
	sv (*meant_budget)(struct arena *arena, sv name);
	/* Returns a list of the settings' strings that hold secrets. May be null. */
	struct value (*settings_secrets)(struct arena *arena, const void *settings);

	/*
	 * Expands an object of part DIALECT_EXPANDED (expansion.h). Called before the cluster's own
	 * settings are set, which take precedence over those that the object gives; these do over
	 * the Fleet's. After a mistake *ret_expanded has what can be made nevertheless. May be
	 * null.
	 */
	void (*expand)(struct arena *arena, struct sink *sink,
	               const struct dialect_expansion *expansion,
	               struct dialect_expanded *ret_expanded);
	/*
	 * Adds units that are made of the cluster's own (made_of of struct kube_object), but none
	 * of a name that a manifest has. May be null.
	 */
	void (*derive)(struct arena *arena, const struct dialect_cluster *cluster,
	               struct kube_object_list *ret_units);
	/* Calls dialect_want for every object that the cluster's units and settings name. */
	void (*want)(const struct dialect_cluster *cluster, struct dialect_wants *wants);
	/*
	 * Calls dialect_want for the objects that a DIALECT_LOOKUP object lists, if the cluster
	 * looks that object up. Called for each one of the input, also if encrypted. May be null.
	 */
	void (*want_listed)(const struct dialect_cluster *cluster, const struct kube_object *object,
	                    struct dialect_wants *wants);
	/* Returns true for objects that are looked up by something else than a name. May be null.
	 */
	bool (*wants)(const struct dialect_cluster *cluster, const struct kube_object *object);

	/* Returns the dialect's own state of this run, for resolve. May be null, as resolve. */
	void *(*begin)(struct arena *arena, struct sink *sink, const struct dialect_input *input);
	/* Sets definition and resolved. */
	void (*resolve)(struct arena *arena, struct sink *sink, void *state, size_t cluster,
	                struct dialect_unit *unit);
	/*
	 * Loads a cluster that has units. secret_arena outlives the jobs. *ret_loaded is for
	 * render.
	 */
	enum status (*load)(struct arena *secret_arena, struct sink *sink,
	                    const struct dialect_cluster *cluster,
	                    const struct dialect_load *options, const void **ret_loaded);

	/* Adds the objects that all units of a loaded cluster share. May be null. */
	void (*artifacts)(struct arena *arena, const void *loaded, struct artifacts *artifacts);
	/* Returns a definition as an object of the management side. May be null, if the output has
	 * no definitions. */
	struct artifact (*definition_artifact)(struct arena *arena,
	                                       const struct dialect_cluster *cluster,
	                                       const struct dialect_definition *definition);
	/*
	 * Returns true if a definition's object has changed and its version has not. Secrets are
	 * marks in both objects; one_seed is true if marks are of the same seed and can be
	 * compared.
	 */
	bool (*definition_changed)(struct arena *arena, const struct value *before,
	                           const struct value *now, bool one_seed,
	                           struct dialect_change *ret_change);
	/*
	 * Describes a config of the output, for reviews of its change. May be null.
	 */
	void (*describe)(struct arena *arena, const struct value *config,
	                 struct dialect_description *description);
	/*
	 * Finds the units that running machines restart or stop as they apply a change. `before`
	 * and `now` are configs of the output; they are the same if only user-data changed. May be
	 * null if no unit is_applied.
	 */
	void (*applied)(struct arena *arena, const struct value *before, const struct value *now,
	                struct dialect_applied *applied);
	/*
	 * Annotations of its config that differ between all units, such as digests and counters.
	 * They change only because something else does.
	 */
	const sv *own_annotations;
	size_t own_annotation_count;
	/*
	 * True if objects of a unit may be named after the unit without its last "-WORD", and
	 * after that a "-DIGEST" of their content: reviews take such names as equal.
	 */
	bool names_by_prefix;
	/* Lists the definitions inside the program under a contract, sorted by name. May be null.
	 */
	enum status (*embedded)(struct arena *arena, struct sink *sink, unsigned contract,
	                        struct dialect_embedded_list *ret_list);

	/*
	 * Returns the string whose change replaces machines, tainted if it holds secrets. The
	 * revision is counted up when its digest changes. May be null if units have no revision.
	 */
	struct value (*template_text)(struct arena *arena, const struct kube_object *unit);
	/* Returns the string whose digest earlier versions used. May be null if it is the same. */
	struct value (*template_text_before)(struct arena *arena, const struct kube_object *unit);
	/* Returns true if the revision annotation decides, even if the template has changed. May be
	 * null. */
	bool (*revision_pins)(const void *settings);
	/* Returns true if the output has the units themselves (ARTIFACT_MACHINES). May be null. */
	bool (*writes_unit)(const void *settings);
	/* Returns the settings for machines that roll. May be null, as the next two. */
	struct dialect_roll (*roll)(const void *settings);
	/*
	 * Returns what a new node of the unit would get, as far as the setting asks for it, without
	 * tokens, kubeconfigs and the time. May hold secrets. Called before `render`, with a job
	 * without revision. Returns an empty string if it cannot be rendered, which `render`
	 * reports.
	 */
	enum status (*roll_text)(struct arena *arena, struct sink *sink,
	                         const struct dialect_job *job, struct value *ret_text);
	/* Returns the unit's manifest with the annotation of that value in its template. */
	struct value (*with_roll)(struct arena *arena, const struct kube_object *unit, sv value);
	/*
	 * Returns the number of machines that the unit asks for, with the API server's default, or
	 * a negative number if the manifest does not determine it. May be null.
	 */
	int64_t (*replicas)(const struct kube_object *unit);
	/*
	 * Returns the number of machines that other objects of the cluster start with the unit's
	 * user-data, or a negative number if they do not determine it. `loaded` is of load. May
	 * be null.
	 */
	int64_t (*machines)(struct arena *arena, const void *loaded,
	                    const struct kube_object *unit);
	/* Sets how the unit's machines are replaced. May be null if it does not decide that. */
	void (*pace)(struct arena *arena, const struct kube_object *unit,
	             struct dialect_pace *ret_pace);
	/* Returns the version of the control plane, empty if it is unknown. May be null. */
	sv (*control_plane)(const struct dialect_cluster *cluster);
	/* Returns the position of the version that people raise, or NOWHERE. May be null. */
	struct position (*version_at)(const struct kube_object *unit);
	/*
	 * Returns the id of the unit's artifact of role config, for outputs whose index lacks it
	 * (format 1). May be null for dialects that are newer than that format.
	 */
	struct kube_id (*config_id)(struct arena *arena, const struct dialect_cluster *cluster,
	                            const struct kube_object *unit);
	/* Returns false if the unit needs no derived token. `now` is as in dialect_job. May be
	 * null. */
	bool (*token)(struct arena *arena, const struct dialect_cluster *cluster,
	              const struct kube_object *unit, int64_t now, struct dialect_token *ret_token);
	/*
	 * Returns a copy of the unit's manifest, or of the part that may have credentials, with the
	 * credentials tainted. May be null if units never have any.
	 */
	struct value (*credentials)(struct arena *arena, const struct kube_object *unit);
	/*
	 * Returns a copy of the unit's whole manifest with the credentials tainted, which `render`
	 * prints if --print has the name of unit_option and the output does not have the unit. May
	 * be null if it cannot print that.
	 */
	struct value (*manifest)(struct arena *arena, const struct kube_object *unit);
	/* Returns documents whose words its output has in the clear anyway. May be null. */
	struct secrecy_public (*public_texts)(struct arena *arena);

	/* Renders a unit. `arena` is of the secret kind. *ret_rendered is valid with STATUS_OK
	 * only. */
	enum status (*render)(struct arena *arena, struct sink *sink, const struct dialect_job *job,
	                      struct dialect_rendered *ret_rendered);
	/*
	 * Reports the mistakes of a unit that cannot be rendered. secrets_may_be_absent is as in
	 * dialect_load. May be null.
	 */
	void (*check)(struct arena *arena, struct sink *sink, const struct dialect_cluster *cluster,
	              const struct kube_object *unit, bool secrets_may_be_absent);

	/*
	 * Returns an object of a kind's converted_group as one of that kind. Reports what would be
	 * lost, and what is wrong with the result. May be null if no kind has such a group.
	 */
	struct value (*convert)(struct arena *arena, struct sink *sink,
	                        const struct kube_object *object);

	/* Live objects, for adopt, compare and observe (adoption.h). May be null. */
	const struct dialect_adoption *adoption;
};

/* ---- the registry ------------------------------------------------------------------------ */

/* Returns all dialects, in the order of the help pages. */
const struct dialect *const *dialects(size_t *ret_count);

/* A walk through the kinds of all dialects, in their order. Begins with {0}. */
struct dialect_kind_walk {
	size_t dialect;
	size_t kind;
};
/* Returns the next kind, or null after the last one. */
const struct dialect_kind *dialect_next_kind(struct dialect_kind_walk *walk);

VEC_TYPE(dialect_prints, sv);
/*
 * Adds the names that `render --print` takes for units of this option (struct dialect), or for
 * units of any dialect if it is empty.
 */
void dialect_add_prints(struct arena *arena, sv unit_option, struct dialect_prints *prints);
/* Returns the kind of the first dialect's units, for messages of a fleet without units. */
sv dialect_unit_kind(void);
/* Returns all variables that --allow-env may name, sorted. */
const sv *dialect_variable_names(struct arena *arena, size_t *ret_count);
/* Returns the bindings with their strings tainted as "env:NAME", except plain ones. */
struct dialect_environment dialect_taint_environment(struct arena *secret_arena,
                                                     const struct dialect_environment *environment);
/* Returns the public documents of all dialects. */
struct secrecy_public dialect_public_texts(struct arena *arena);

#endif
