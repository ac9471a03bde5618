/*
 * adoption: what a dialect knows about the objects of a live cluster. The commands adopt, compare
 * and observe read exports (what kubectl prints) and ask the dialect of each object through this
 * table; src/adopt/ knows no dialect. A dialect without a table has units that are neither
 * adopted, compared nor observed, and none of its kinds is read from exports.
 *
 * Secrets, ConfigMaps, ServiceAccounts and Deployments are read from exports for every dialect.
 */
#ifndef OSM_GEN_DIALECT_ADOPTION_H
#define OSM_GEN_DIALECT_ADOPTION_H

#include "base/base.h"
#include "diag/diag.h"
#include "kube/kube.h"
#include "secrecy/secrecy.h"
#include "value/value.h"

struct dialect_cluster;

/* ---- kinds ------------------------------------------------------------------------------- */

/*
 * A member of a manifest that adopt copies. All members below it are copied, too, unless it lists
 * its own. The members of a list are those of its items.
 */
struct dialect_field {
	const char *name;
	const struct dialect_field *fields; /* may be null */
	size_t count;
};
#define DIALECT_FIELD(name)                                                                        \
	{                                                                                          \
		(name), NULL, 0                                                                    \
	}
#define DIALECT_FIELD_OF(name, array)                                                              \
	{                                                                                          \
		(name), (array), COUNT_OF(array)                                                   \
	}

enum dialect_live_part {
	DIALECT_LIVE_UNIT,       /* adopted and compared: a MachineDeployment */
	DIALECT_LIVE_DEFINITION, /* adopted if the dialect decides so: an OperatingSystemProfile */
	DIALECT_LIVE_CONFIG,     /* made for each unit and compared: an OperatingSystemConfig */
	DIALECT_LIVE_SET,     /* owned by a unit, has the revision of its machines: a MachineSet */
	DIALECT_LIVE_MACHINE, /* owned by a set: a Machine */
	DIALECT_LIVE_NODE,    /* applies Secrets by itself: a Node */
};

/* A kind of the dialect that is read from exports. */
struct dialect_live_kind {
	sv kind;
	sv group; /* empty for the core group */
	enum dialect_live_part part;
	/* The members that adopt copies, for units and definitions. */
	const struct dialect_field *fields;
	size_t field_count;
	/* The members below which strings are scripts or files, where digests are public. */
	const sv *programs;
	size_t program_count;
	const char *remedy; /* the help if a clear member looks like a secret; may be null */
};

/* An annotation or label of objects of one kind. A name that ends with "*" is a prefix. */
struct dialect_mark {
	const char *kind;
	sv name;
};

/* ---- decisions --------------------------------------------------------------------------- */

enum dialect_secret_role {
	DIALECT_SECRET_INPUT,     /* adopted if something refers to it */
	DIALECT_SECRET_GENERATED, /* made for a unit: osm-gen renders it */
	DIALECT_SECRET_TOKEN,   /* the bootstrap token of a unit; an input if it does not expire */
	DIALECT_SECRET_FOREIGN, /* a bootstrap token of another program; never adopted */
};

/* The decision about a definition, or about a unit, in the exports. */
struct dialect_decision {
	bool is_taken;  /* not for units, which are always taken */
	sv why;         /* may be empty if it is taken */
	sv dropped;     /* the members that were removed from its manifest, or empty */
	sv dropped_why; /* the reason for that */
};

/* A line of the report, for people: what it is about, and the advice. */
struct dialect_note {
	sv what;
	sv why;
};
VEC_TYPE(dialect_notes, struct dialect_note);

/* A file of a unit's manifest. */
struct dialect_file {
	sv path;
	int64_t mode;             /* -1 if it has none */
	const struct value *data; /* a string: the content as the manifest has it */
	sv content;               /* as nodes get it */
};
/* Collects the contents of a unit's files that must not be in the clear. */
struct dialect_file_mover {
	/* Returns true if a file may hold a secret. */
	bool (*is_secret)(void *context, const struct dialect_file *file);
	void *context;
	sv secret;         /* the name of the Secret that gets them */
	struct value data; /* a map of strings by key: what the Secret gets */
};

/* The relation of two members that differ. */
enum dialect_likeness {
	DIALECT_UNLIKE,
	DIALECT_ALIKE, /* the same in another form */
	DIALECT_MOVED, /* git has in a Secret what the live object has in itself */
};

/* The state of a live Node and a committed Secret. */
enum dialect_node_state {
	DIALECT_NODE_OTHER, /* the Secret is not for this Node */
	DIALECT_NODE_APPLIED,
	DIALECT_NODE_WAITING,
};

enum dialect_match {
	DIALECT_MATCH_MEMBERS, /* the caller compares the specs member by member */
	DIALECT_MATCH_EQUAL,
	DIALECT_MATCH_DIFFERS,
};

/* ---- the table --------------------------------------------------------------------------- */

struct dialect_adoption {
	const struct dialect_live_kind *kinds;
	size_t kind_count;

	/* ---- adopt: units and their manifests */

	/* Annotations and labels that adopt keeps. Labels of people on units and definitions are
	 * kept anyway. */
	const struct dialect_mark *annotations;
	size_t annotation_count;
	const struct dialect_mark *labels;
	size_t label_count;
	/* Beginnings of annotations that controllers keep for themselves; left out silently. */
	const sv *bookkeeping;
	size_t bookkeeping_count;
	/* Maps of units and definitions whose keys people choose: a key may mean a credential. */
	const sv *free_maps;
	size_t free_map_count;
	/*
	 * The path of the map that dialect.credentials taints. Credentials in it move to a Secret,
	 * and {secretKeyRef: {namespace, name, key}} takes their place, wherever may_refer allows
	 * it; elsewhere they are errors. Null if units hold no credentials.
	 */
	const char *credentials_path;
	/* The start of a credential's path that its key in the Secret leaves out. */
	sv credentials_prefix;
	/* Returns true if a value below credentials_path may name a Secret. */
	bool (*may_refer)(const struct secrecy_place *place);
	/*
	 * Returns a copy of a unit's manifest in which files that may hold a secret refer to the
	 * mover's Secret. Adds their contents to it. May be null if units have no such files.
	 */
	struct value (*move_files)(struct arena *arena, const struct value *manifest,
	                           struct dialect_file_mover *mover);

	/* ---- adopt: settings */

	/*
	 * Returns the container of a Deployment that runs the system's controller, whose arguments
	 * are the cluster's settings; or null if it runs something else. May be null.
	 */
	const struct value *(*controller)(const struct kube_object *deployment);
	/* Flags of the controller that are not settings and take no value. */
	const sv *switches;
	size_t switch_count;

	/* Adds settings that live objects show, and notes for people. May be null. */
	void (*find_settings)(struct arena *arena, const struct kube_object_list *live,
	                      struct value *settings, struct dialect_notes *notes);

	/* ---- adopt: decisions */

	/*
	 * Called when the cluster's units are known. *ret_state is always set. Fails if the
	 * dialect's own definitions cannot be read. May be null; the three functions below are
	 * null then, too.
	 */
	enum status (*begin)(struct arena *arena, struct sink *sink,
	                     const struct dialect_cluster *cluster, const void **ret_state);
	/* Removes members of a unit's manifest that git has no use for. May be null. */
	void (*decide_unit)(struct arena *arena, const void *state, struct value *manifest,
	                    struct dialect_decision *ret_decision);
	/*
	 * Returns the reason why a definition is of no use to the cluster, or an empty string. Null
	 * without definitions in exports, as the next.
	 */
	sv (*passes_over)(struct arena *arena, const void *state,
	                  const struct kube_object *definition);
	/* Decides about a definition, and removes members of its manifest that nobody reads. */
	void (*decide)(struct arena *arena, const void *state, const struct kube_object *definition,
	               struct value *manifest, struct dialect_decision *ret_decision);

	/* ---- Secrets */

	enum dialect_secret_role (*secret_role)(const struct kube_object *secret);
	/* Returns true for the Secret of a unit's bootstrap token. May be null. */
	bool (*is_token_of)(struct arena *arena, const struct kube_object *unit,
	                    const struct kube_object *secret);
	/*
	 * Returns the Secret whose key `kubeconfig` holds the unit's bootstrap token, too. Null if
	 * is_token_of is.
	 */
	struct kube_id (*kubeconfig)(struct arena *arena, const struct kube_object *unit);
	/* Returns true if the system's controller made the object for this unit. */
	bool (*is_made_for)(struct arena *arena, const struct kube_object *unit,
	                    const struct kube_object *object);

	/* ---- compare, observe */

	/*
	 * Compares the content of an object that is not a Secret with the live one. *ret_place is
	 * the path of the first difference. If it is null, members are compared.
	 */
	enum dialect_match (*compare)(struct arena *arena, const struct value *ours,
	                              const struct kube_object *live, sv *ret_place);
	/*
	 * Compares two members that differ, in objects of one namespace. `objects` has the Secrets
	 * of git. May be null.
	 */
	enum dialect_likeness (*likeness)(struct arena *arena, const struct kube_objects *objects,
	                                  sv namespace, const struct value *ours,
	                                  const struct value *live);
	/* Members of the status that are compared, if the live unit has a status. */
	const sv *compared_status;
	size_t compared_status_count;
	/* Annotations of rendered objects that are compared. */
	const sv *compared_annotations;
	size_t compared_annotation_count;
	/* Further ones, which are only compared if osm-gen wrote the live object. */
	const sv *own_annotations;
	size_t own_annotation_count;
	/* The annotation of rendered objects that has the unit's revision; may be empty. */
	sv object_revision;
	/*
	 * Returns whether a Node has applied the committed Secret, by its annotations. `metadata`
	 * is the Secret's. Null if nodes apply no Secrets.
	 */
	enum dialect_node_state (*applied)(const struct kube_id *secret,
	                                   const struct value *metadata,
	                                   const struct kube_object *node);
	/*
	 * True if lines of Secrets, and of files inside units, are not shown where they differ,
	 * only their places. A live secret in base64 could not be recognised.
	 */
	bool hides_lines;
	sv hidden_member; /* the member that has a file's content; empty for none */
	/* The differences that compare ignores, as sentences for people. */
	const char *const *ignored;
	size_t ignored_count;
};

#endif
