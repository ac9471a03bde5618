/*
 * unit: what units are made of and become: clusters, units and definitions, the job of render and
 * its artifacts, and what changes of them do to machines. Part of dialect.h, which other folders
 * include.
 */
#ifndef OSM_GEN_DIALECT_UNIT_H
#define OSM_GEN_DIALECT_UNIT_H

#include "base/base.h"
#include "diag/diag.h"
#include "kube/kube.h"
#include "node/node.h"
#include "secrecy/secrecy.h"
#include "value/value.h"

/* ---- clusters, units, and the definitions that units share ---------------------------------- */

struct dialect;

/* The view of one cluster that a dialect gets. */
struct dialect_cluster {
	const struct dialect *dialect;
	sv name;
	struct position at;   /* of the Cluster's name; NOWHERE for the only cluster */
	const void *settings; /* of the dialect's own struct (settings_new) */
	unsigned contract;    /* the fleet's output contract, which this program has */
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
	/* The rotations of a second token, if machines join with another one than the one they
	 * keep. May be empty. */
	sv join;
	sv join_before;
	/* The name of the unit, of the same namespace, whose token it is. Empty: the unit's own. */
	sv owner;
};

/* The names of the objects to look up. */
struct dialect_wants {
	struct arena *arena;
	struct set names; /* "KIND NAMESPACE/NAME" */
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

/* ---- objects that expand into units and settings of one cluster (expand) -------------------- */

/* An object of part DIALECT_EXPANDED (dialect.h), and what its expansion may read. */
struct dialect_expansion {
	const struct value *root;
	const struct source *source;
	/* The output of Terraform that the Cluster names (spec.terraformOutput), or null. */
	const struct source *terraform;
	/* Its values, if it was encrypted: secrets, or placeholders for them. Else null. */
	const struct value *terraform_root;
	bool has_units; /* the cluster has committed units of the dialect */
	/* Returns true if a flag, the Cluster or the Fleet gives the setting. */
	bool (*is_given)(const void *context, sv setting);
	/*
	 * Reads a file of the commit; `path` is relative to the folder of the object's file.
	 * Returns false if the commit lacks the file, or the path leads out of the repository.
	 * Reports an encrypted file; *ret_text is empty then.
	 */
	bool (*read_file)(const void *context, const struct value *path, sv *ret_text);
	const void *context;
};

/* The result of an expansion. Values keep the positions of the files that they come from. */
struct dialect_expanded {
	VEC(struct value *) units; /* manifests of the dialect's unit kind */
	struct value settings;     /* a map of names to values; invalid if the object gives none */
	/* The version of Kubernetes that the object sets for the cluster: a string, or invalid. */
	struct value kubernetes_version;
	/* The URL of the API server that the object names: a string, or invalid. */
	struct value server;
};

/* ---- artifacts: the objects that render makes ----------------------------------------------- */

enum artifact_side {
	ARTIFACT_MANAGEMENT,
	ARTIFACT_WORKER,
	ARTIFACT_STATUS, /* only the status of these objects is written; no applier takes them */
};

enum artifact_role {
	ARTIFACT_CONFIG,       /* the object that reviewers read: an OperatingSystemConfig */
	ARTIFACT_BOOTSTRAP,    /* the first user-data of a machine */
	ARTIFACT_PROVISIONING, /* the second user-data, which the first fetches */
	ARTIFACT_CREDENTIAL,   /* the token with which a machine joins */
	ARTIFACT_REPORT,       /* the status that a controller would report of the unit */
	ARTIFACT_SUPPORT,      /* objects that the others need: profiles, namespaces, RBAC */
	/* The unit itself, from which machines are started. Proofs have these numbers: append. */
	ARTIFACT_MACHINES,
	/* An object that several units share, in the clear: its name is a digest of its content. */
	ARTIFACT_CONFIG_MAP,
};

enum artifact_sealing {
	ARTIFACT_CLEAR,        /* secrets in it are replaced by <sealed:NAME#FINGERPRINT> */
	ARTIFACT_SEAL_DATA,    /* a Secret: data and stringData are sealed */
	ARTIFACT_SEAL_SECRETS, /* the true content; a key that holds a secret is sealed as a whole
	                        */
	ARTIFACT_SEAL_PATCH,   /* as ARTIFACT_CLEAR, with the replaced values in a sealed patch */
};

/* One object to write. */
struct artifact {
	/* Its name for `render --print`. If empty, the role gives it (artifact_print_name). */
	sv print;
	enum artifact_side side;
	enum artifact_role role;
	enum artifact_sealing sealing;
	struct kube_id id;
	struct value object; /* the true content; strings with secrets are tainted */
	/* ARTIFACT_SEAL_DATA: the Secret has the same keys under all settings, as long as it lives.
	 */
	bool has_fixed_keys;
	/* With has_fixed_keys: its text is in stringData with every applier. */
	bool wants_string_data;
	/* The string of user-data in it, or the invalid value. */
	struct value user_data;
	size_t user_data_bytes; /* counted as the limit counts them */
	size_t user_data_limit; /* 0 if no limit is known */
	bool for_new_machines; /* running ones do not apply it, whatever else of the unit they do */
};
VEC_TYPE(artifacts, struct artifact);

/* Returns an artifact with the object's id, and without user-data or a name for --print. */
struct artifact artifact_of(struct value object, enum artifact_side side, enum artifact_role role,
                            enum artifact_sealing sealing);

/*
 * "config", "bootstrap", "provisioning", "credential", "report", "support", "machines", "configmap"
 */
sv artifact_role_name(enum artifact_role role);
/*
 * Returns its own name, else "osc", "bootstrap", "provisioning" or "configmap" by its role, else
 * "".
 */
sv artifact_print_name(const struct artifact *artifact);

/* ---- things that machines download ---------------------------------------------------------- */

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

/* ---- jobs: what renders a unit is given, and what it returns -------------------------------- */

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

/* The settings of a cluster for machines that roll because of what their nodes get. */
struct dialect_roll {
	bool is_possible; /* the output has the units, so that it can change their templates */
	sv by;            /* "profile", "user-data"; empty if nothing rolls */
	int64_t guard;    /* how many machines may roll in one run */
};

/*
 * The names of a unit's ConfigMap (ARTIFACT_CONFIG_MAP), and of the one before, with which machines
 * may still start. Both may be empty.
 */
struct dialect_config_maps {
	sv now;
	sv before;
};

struct dialect_job {
	const struct dialect_cluster *cluster;
	const void *loaded; /* made by load */
	const struct dialect_unit *unit;
	sv revision;        /* the revision of the unit's template, a number; see template_text */
	sv template_digest; /* of template_text */
	sv roll;            /* the value of the roll annotation; empty for none */
	struct dialect_config_maps config_maps; /* those of the previous output */
	struct value token;        /* from dialect_token, tainted; invalid without a seed */
	struct value token_before; /* for rotation_before, tainted; invalid if that is empty */
	struct value join;         /* for join and join_before, likewise */
	struct value join_before;
	int64_t now; /* the source commit's committer date, seconds since 1970: the only clock */
	/* Set to true if what is rendered, or a warning, depends on `now`; may be null. A token's
	 * rotation and the time of a report's last change do not count. */
	bool *asks_now;
	struct dialect_previous previous;
	const struct redaction *redaction; /* masks secrets; without a seed it has no key */
	struct quota *steps;  /* charged by all templates of the run together; may be null */
	size_t round_lengths; /* sizes in messages are multiples of it; 0 or 1 for exact ones */
	bool wants_fetches;   /* fill `fetches` of struct dialect_rendered */
};

/* The effect of a run on machines that are started by objects of the output other than the unit. */
enum dialect_replacement {
	DIALECT_REPLACES_NONE,
	DIALECT_REPLACES_MACHINES,
	DIALECT_REPLACES_UNKNOWN, /* a secret may have changed: comparing needs the seed */
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
	struct dialect_config_maps config_maps;
	/* Running machines apply what changes, not only new ones. */
	bool is_applied;
	/* Compared with the previous output, beside the change of template_text. */
	enum dialect_replacement replacement;
	/* Why machines are replaced, for people: "another MachineClass: ..." Else empty. */
	sv reason;
};

/* ---- what reviewers of a change see (describe, applied) ------------------------------------- */

enum dialect_fact_kind {
	DIALECT_FACT_VALUE,
	DIALECT_FACT_VERSION, /* of a program that nodes run */
	DIALECT_FACT_KUBELET, /* its version */
	DIALECT_FACT_PROFILE, /* the version of the profile, which decides all files */
};

/* A named value for people: {"kubelet", "v1.34.1"}. */
struct dialect_fact {
	enum dialect_fact_kind kind;
	sv name;
	sv value;
};

struct dialect_node_file {
	sv path;
	sv text;
	sv rest;       /* the lines of the text that no fact shows */
	unsigned mode; /* 0 if the config gives none */
	/* Running nodes restart no unit when it changes: none of the config names its path. */
	bool is_unnamed;
};
VEC_TYPE(dialect_node_files, struct dialect_node_file);

struct dialect_node_unit {
	sv name;
	bool is_disabled; /* disabled or masked */
};

/* The parts of a config that reviewers of a change look at. Strings are those of its file. */
struct dialect_description {
	VEC(struct dialect_fact) facts; /* each name once */
	struct dialect_node_files files;
	VEC(struct dialect_node_unit) units;
	VEC(sv) users;
	VEC(sv) ssh_keys;
	bool keeps_removed; /* running nodes keep files that the config has no longer */
	VEC(sv) kept;       /* paths of files that they may have from earlier configs */
};

/*
 * description.c: returns the text of a unit {name, content, dropIns: [{name, content}]} and of its
 * drop-ins as files. They have no rest.
 */
struct dialect_node_files dialect_unit_files(struct arena *arena, const struct value *unit);

/* The names of systemd units that running machines restart and stop as they apply a change. */
struct dialect_applied {
	VEC(sv) restarts;
	VEC(sv) stops;
};

/* The first difference of a definition from its object in the previous output. */
struct dialect_change {
	sv path; /* "spec.bootstrapConfig.files[0].path" */
	struct position at;
};

/* ---- the members of two values that differ, for people (difference.c) ----------------------- */

/* A member that differs, with its old and new value; without values the name describes the change.
 */
struct dialect_difference {
	sv path; /* "spec.versions.kubelet" */
	sv name;
	sv before;  /* empty if it had no value */
	sv after;   /* likewise */
	sv refusal; /* why a live object must not change in it; empty if it may */
};
VEC_TYPE(dialect_differences, struct dialect_difference);

struct dialect_comparison {
	struct arena *arena;
	/* Returns a member's name for people. `path` is as "spec.versions.kubelet". */
	sv (*name)(struct arena *arena, sv path);
	/* Returns true if a member of that name has a credential. If it is null, names mean
	 * nothing, and values decide. */
	bool (*hides)(sv member);
	/* Adds the differences of a member that needs more than its value, and returns true, or
	 * returns false. Either value may be null. May be null itself. */
	bool (*compare)(const struct dialect_comparison *c, sv path, const struct value *before,
	                const struct value *now);
	struct dialect_differences *to;
};
/*
 * Adds the members that differ, those of maps one by one. A value that is tainted, encrypted, very
 * long, or looks like a secret is not given.
 */
void dialect_compare(const struct dialect_comparison *c, const struct value *before,
                     const struct value *now);

/* ---- the pace at which the machines of a unit are replaced ---------------------------------- */

/* How many machines of a unit are replaced at once. */
struct dialect_pace {
	sv max_surge; /* as written, "1" or "25%", or the default */
	sv max_unavailable;
	size_t surge;       /* machines that are there besides the unit's while they are replaced */
	size_t unavailable; /* machines that may be missing then */
};

/* ---- the periods of a derived token (rotation.c) -------------------------------------------- */

/* A time in which derived bootstrap tokens stay the same. */
struct dialect_period {
	sv rotation;   /* goes into the derivation of its token; empty without a period before */
	sv expiration; /* RFC 3339, UTC: when the token expires; empty if it does not */
};
struct dialect_periods {
	struct dialect_period now;
	struct dialect_period before; /* its token is valid for one more period */
};
/*
 * Returns the periods of a tokenRotation at a time (seconds since 1970). Daily, weekly and monthly
 * have periods; any other string is one period without an end.
 */
struct dialect_periods dialect_periods_of(struct arena *arena, sv rotation, int64_t now);

#endif
