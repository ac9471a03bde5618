/*
 * plan: what a run is going to do, before anything is rendered: clusters, units, what each of them
 * needs, what was there before.
 *
 *   plan.c       clusters and units: seed, recipients, looked-up objects, derived tokens
 *   secrets.c    every secret of the inputs, for the leak scan and for masking
 *   previous.c   what an earlier run wrote, as its indexes say
 *   revision.c   the revision of a unit's template
 *
 * A plan is made by one thread and const from then on: jobs on any thread read it.
 */
#ifndef OSM_GEN_PLAN_PLAN_H
#define OSM_GEN_PLAN_PLAN_H

#include "dialect/dialect.h"
#include "fleet/fleet.h"
#include "git/git.h"
#include "seal/seal.h"
#include "secrecy/secrecy.h"
#include "tree/tree.h"

/* A secret text from outside, and what to call it: "OSM_GEN_SEAL_SEED", a file's path. */
struct plan_key {
	sv text; /* null pointer: not given */
	sv name;
};

/* Why a plan is made, which decides what it must have. */
enum plan_purpose {
	PLAN_OUTPUT,   /* output is made: a seed and recipients */
	PLAN_SHOW,     /* a unit is shown: a seed */
	PLAN_VALIDATE, /* the inputs are checked: neither, and stand-ins for Secrets */
};

struct plan_request {
	enum plan_purpose purpose;
	const struct fleet *fleet;
	struct plan_key seed;
	struct plan_key identities;
	/* Variables that --allow-env names: texts, or null for one that is not set. */
	const struct value *environment;
	sv revisions; /* --revisions: a file, or a folder with CLUSTER.json; empty: none */
	sv repo;      /* for messages */
	sv work_tree; /* what stands in it is not trusted; or empty */
};

/* ---- clusters and units ------------------------------------------------------------------ */

struct plan_cluster {
	const struct fleet_cluster *fleet;
	struct seal_recipients recipients;
	const void **loaded;              /* one a dialect; null: wrong, or without units */
	const struct map *live_revisions; /* --revisions; or null */
};

struct plan_unit {
	const struct plan_cluster *cluster;
	const struct dialect_unit *unit;
	const struct dialect_cluster *view; /* the unit's dialect's, of the cluster */
	const void *loaded;                 /* likewise; null: the unit cannot be rendered */
	struct value token; /* derived, tainted; invalid: none is needed, or there is no seed */
};

struct plan {
	const struct fleet *fleet;
	struct seal_root *root;           /* owned; null in validate */
	struct secret_inventory *secrets; /* that the run knows before it renders */
	struct plan_cluster *clusters;    /* in the order of the fleet's */
	size_t cluster_count;
	struct plan_unit *units; /* cluster by cluster */
	size_t unit_count;
};

/*
 * Reports all mistakes; *ret_plan is what could be made, also on failure, so that units can be
 * rendered to find more. secret_arena outlives the plan, as the request does.
 */
MUST_CHECK enum status plan_make(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                                 const struct plan_request *request, struct plan *ret_plan);
void plan_free(struct plan *plan);

/* The seed of a request; a request without one is an error. */
MUST_CHECK enum status plan_parse_seed(struct arena *secret_arena, struct sink *sink,
                                       const struct plan_key *seed, struct seal_root **ret_root);

/* What people call a unit's kind, when all units are of one; else "unit". */
sv plan_unit_kind(const struct plan *plan);

/* Whether the unit can be rendered: neither it nor its cluster or definition is wrong. */
static inline bool plan_unit_is_sound(const struct plan_unit *unit)
{
	return unit->loaded && unit->unit->resolved;
}

/* ---- what was there before --------------------------------------------------------------- */

/* A unit in an earlier output. */
struct previous_unit {
	sv cluster;
	struct tree_unit unit;
};

struct previous {
	struct map paths; /* that the indexes list, and theirs */
	struct map units; /* struct previous_unit * by plan_unit_key */
	/* Of indexes of format 1, which know no units: paths by cluster and object. */
	struct map objects;
	const struct git_output *output; /* for those; null: nothing was there */
};

struct previous_request {
	const struct git_output *output;
	sv out; /* for messages */
	const struct seal_root *root;
	bool rotate_seed; /* another seed than before is meant */
	unsigned threads;
	struct arena **arenas; /* one a thread; they outlive the result */
};

/* Reads CLUSTER/index.json of each cluster. */
MUST_CHECK enum status plan_read_previous(struct arena *arena, struct sink *sink,
                                          const struct previous_request *request,
                                          struct previous *ret_previous);
/* "CLUSTER/KIND/NAMESPACE/NAME" */
sv plan_unit_key(struct arena *arena, sv cluster, const struct tree_unit *unit);
/* Its identity; revision and definition are left empty. */
struct tree_unit plan_tree_unit(const struct dialect_unit *unit);

/* ---- revisions --------------------------------------------------------------------------- */

/* Reads --revisions into the clusters. */
MUST_CHECK enum status plan_read_revisions(struct arena *arena, struct sink *sink,
                                           const struct plan_request *request, struct plan *plan);

struct plan_revision {
	sv revision;        /* a number; empty: units of this dialect have none */
	sv template_digest; /* 32 hex digits, "SEED:DIGEST" when the template holds a secret */
};
/*
 * Taken, in order, from: --revisions; the unit's own annotation; the previous output, kept, or
 * counted on when the template changed; 1. arena is of the secret kind.
 */
MUST_CHECK enum status plan_find_revision(struct arena *arena, struct sink *sink,
                                          const struct plan *plan, const struct previous *previous,
                                          const struct plan_unit *unit,
                                          struct plan_revision *ret_revision);

/* ---- secrets ----------------------------------------------------------------------------- */

/* Every secret of the inputs. environment: tainted. */
void plan_add_secrets(struct arena *secret_arena, const struct plan_request *request,
                      const struct value *environment, struct secret_inventory *secrets);

#endif
