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
 *   settings                        the settings of each cluster (setting.h)
 *   derive                          further units, made of a cluster's own
 *   want, want_listed, wants        the Secrets, ConfigMaps and ServiceAccounts that it looks up
 *   begin                           once a run: reads and checks the definitions that units share
 *   resolve                         once a unit: finds the definition that it asks for
 *   load                            once a cluster: looked-up objects, names that collide
 *   artifacts, definition_artifact  once a cluster: the objects that its units share
 *   render or check                 once a unit, on any thread
 *
 * The parts of its interface, beside this one:
 *
 *   setting.h    the settings and variables that it takes, and how a value is checked
 *   unit.h       clusters, units and definitions; what renders a unit is given, and returns; what
 *                changes do to machines
 *   adoption.h   live objects
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
#include "dialect/setting.h"
#include "dialect/unit.h"
#include "kube/kube.h"
#include "node/node.h"
#include "secrecy/secrecy.h"
#include "value/value.h"

/* ---- the kinds of manifests that a dialect reads, and those that it knows ------------------- */

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

/* ---- the output contract, and documents inside the program (contract.c) --------------------- */

/*
 * The output contract is a number, spec.contract of the Fleet (docs/spec/inputs.md 3). It fixes
 * osm-gen's own documents and choices: every version that has a contract gives the same bytes for
 * it. profiles/ has the documents of the newest contract, profiles/contracts/NUMBER/ those of an
 * older one. Code that differs since contract 2 tests `contract >= 2` of struct dialect_cluster.
 */
unsigned dialect_contract_newest(void);
unsigned dialect_contract_oldest(void); /* the oldest contract in this program */
/* Returns the last version of osm-gen that has a contract, or "" if this program has it. */
sv dialect_contract_last_version(unsigned contract);

/* A document inside the program, as ci/embed writes it at build time. */
struct dialect_text {
	const char *path; /* "profiles/ubuntu.yaml" under every contract: the output shows it */
	const char *text;
	size_t len;
	unsigned contract; /* 0 for the newest contract */
	size_t size;       /* the length of uncompressed gzip; 0 if `text` is not gzip */
};
bool dialect_text_holds(const struct dialect_text *text, unsigned contract);
sv dialect_text_open(struct arena *arena, const struct dialect_text *text);

/* A definition inside the program. */
struct dialect_embedded {
	sv name;
	sv version;
	sv summary; /* one line */
	sv text;    /* the manifest */
	/* The manifest with the comments of its scripts; null if `text` has them. */
	const struct dialect_text *commented;
};
VEC_TYPE(dialect_embedded_list, struct dialect_embedded);

/* ---- osm-gen's own documents, and JSON Schemas ---------------------------------------------- */

struct shape;

/* A document of osm-gen.dev/v1alpha1, other than Fleet and Cluster, that a dialect reads. */
struct dialect_document {
	const char *kind;
	const struct shape *shape; /* of the whole document */
};

/* A kind of document that somebody writes, with its JSON Schema. */
struct dialect_schema {
	const char *group; /* of the API: "cluster.k8s.io"; null for none */
	const char *version;
	const char *kind;
	const char *variant; /* the documents that it is for, if not for all: "aws"; may be null */
	const char *about;   /* what such a document is, in a line */
	struct value schema;
};
VEC_TYPE(dialect_schemas, struct dialect_schema);

/* ---- the table --------------------------------------------------------------------------- */

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
	/* A setting that two dialects have, with the same name and kind, is set in both. */
	const struct setting_table *settings;
	const struct dialect_variable *variables; /* sorted by name */
	size_t variable_count;
	/* The annotation that has the revision of a live unit. May be empty. */
	sv revision_annotation;
	/*
	 * For `render`: the option that names one of its units ("machine-deployment"), and the
	 * names that --print takes, the default first. If they are empty, `render` takes
	 * the option of any dialect and the names of the roles.
	 */
	sv unit_option;
	const sv *prints;
	size_t print_count;
	/*
	 * The file of the output that each of its units has one of; of ARTIFACT_REPORT it may have
	 * several. An index that has no unit for such a file was edited. Has no kind if there is no
	 * such file.
	 */
	struct dialect_unit_file {
		sv kind;
		enum artifact_side side;
		enum artifact_role role;
	} unit_file;

	/* Returns true if user-data of its units is counted under this name (userDataLimits). May
	 * be null, as the next. */
	bool (*has_budget)(sv name);
	/* Returns the valid name that a wrong one probably means, or "". */
	sv (*meant_budget)(struct arena *arena, sv name);
	/* Returns a list of the settings' strings that hold secrets. May be null. */
	struct value (*settings_secrets)(struct arena *arena, const void *settings);
	/* Adds the JSON Schemas of the documents that it reads. May be null. */
	void (*list_schemas)(struct arena *arena, struct dialect_schemas *schemas);

	/*
	 * Expands an object of part DIALECT_EXPANDED (unit.h). Called before the cluster's own
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
	/*
	 * Returns true if a unit of `derive` cannot be made, since an object is not in the cluster;
	 * it is left out. Called when objects have been looked up. May be null.
	 */
	bool (*lacks)(const struct dialect_cluster *cluster, const struct kube_object *unit);
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
	/*
	 * The beginning of names of ConfigMaps that units share ("provisioning"); "-DIGEST" of 32
	 * digits follows, by which reviews do not tell them apart. May be empty.
	 */
	sv config_map_prefix;
	/*
	 * Makes such a ConfigMap anew from its file in the previous output, which anybody may have
	 * edited. Returns false if the digest of its data is not the one in `name`. Null without
	 * such ConfigMaps.
	 */
	bool (*config_map_read)(struct arena *arena, sv name, sv text, struct value *ret_object);
	/*
	 * True if its functions look only at the values of units that they are given, or of the
	 * given cluster, and keep nothing that refers to them: units can then be packed in between
	 * (kube_object_pack).
	 */
	bool lets_units_go;
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
	/*
	 * Adds the members of two units' templates that differ, for people: without values that
	 * may be secret. May be null.
	 */
	void (*template_changes)(struct arena *arena, const struct kube_object *before,
	                         const struct kube_object *now, struct dialect_differences *fields);
	/* Returns true if the revision annotation decides, even if the template has changed. May be
	 * null. */
	bool (*revision_pins)(const void *settings);
	/* Returns true if the output has the units themselves (ARTIFACT_MACHINES). May be null. */
	bool (*writes_unit)(const void *settings);
	/* Returns the settings for machines that roll. May be null, as the next three. */
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
	/* Returns the annotation's value in a unit of the output, or an empty string. */
	sv (*roll_value)(const struct value *unit);
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
/* Returns the public documents of all dialects. */
struct secrecy_public dialect_public_texts(struct arena *arena);

#endif
