/*
 * job: what renders a unit is given, and what it returns. Part of dialect.h, which other folders
 * include.
 */
#ifndef OSM_GEN_DIALECT_JOB_H
#define OSM_GEN_DIALECT_JOB_H

#include "dialect/artifact.h"
#include "dialect/fetch.h"
#include "dialect/unit.h"
#include "kube/kube.h"
#include "node/node.h"
#include "secrecy/secrecy.h"
#include "value/value.h"

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

struct dialect_job {
	const struct dialect_cluster *cluster;
	const void *loaded; /* made by load */
	const struct dialect_unit *unit;
	sv revision;        /* the revision of the unit's template, a number; see template_text */
	sv template_digest; /* of template_text */
	sv roll;            /* the value of the roll annotation; empty for none */
	struct value token; /* from dialect_token, tainted; invalid without a seed */
	struct value token_before; /* for rotation_before, tainted; invalid if that is empty */
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
	/* Running machines apply what changes, not only new ones. */
	bool is_applied;
	/* Compared with the previous output, beside the change of template_text. */
	enum dialect_replacement replacement;
	/* Why machines are replaced, for people: "another MachineClass: ..." Else empty. */
	sv reason;
};

#endif
