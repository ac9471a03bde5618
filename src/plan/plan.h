/*
 * plan: what a run is going to do, before anything is rendered: clusters, units, what each of them
 * needs, what was there before.
 *
 *   plan.c       clusters and units: seed, recipients, looked-up objects, derived tokens
 *   secrets.c    every secret of the inputs, for the leak scan and for masking
 *   previous.c   what an earlier run wrote, as its indexes say
 *   recipients.c whether a change of who may read is meant
 *   revision.c   the revision of a unit's template
 *   class.c      what becomes of a unit's machines
 *   removal.c    whether it is meant that much goes
 *   live.c       --revisions: what the clusters have
 *   reverted.c   revisions that came back with an earlier output
 *
 * A plan is made by one thread and const from then on: jobs on any thread read it.
 */
#ifndef OSM_GEN_PLAN_PLAN_H
#define OSM_GEN_PLAN_PLAN_H

#include "dialect/dialect.h"
#include "fleet/fleet.h"
#include "git/git.h"
#include "report/report.h"
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
	const struct dialect_environment *environment; /* the variables of --allow-env */
	sv revisions; /* --revisions: a file, or a folder with CLUSTER.json or .yaml; or empty */
	sv repo;      /* for messages */
	int64_t now;  /* the source commit's date, seconds since 1970; 0: there is none */
	sv work_tree; /* what stands in it is not trusted; or empty */
};

/* ---- clusters and units ------------------------------------------------------------------ */

struct plan_cluster {
	const struct fleet_cluster *fleet;
	struct seal_recipients recipients;
	const void **loaded;              /* one a dialect; null: wrong, or without units */
	const struct map *live_revisions; /* --revisions; or null */
	unsigned cut;                     /* of its sides (tree_part); plan_cut */
};

struct plan_unit {
	const struct plan_cluster *cluster;
	const struct dialect_unit *unit;
	const struct dialect_cluster *view; /* the unit's dialect's, of the cluster */
	const void *loaded;                 /* likewise; null: the unit cannot be rendered */
	struct value token; /* derived, tainted; invalid: none is needed, or there is no seed */
	struct value token_before; /* that of the period before; invalid: there is none */
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
	struct map paths;   /* that the indexes list, and theirs */
	struct map units;   /* struct previous_unit * by plan_unit_key */
	struct map indexes; /* const struct tree_index * by cluster */
	/* Of indexes of format 1, which know no units: paths by cluster and object. */
	struct map objects;
	/* Of what stands in a bucket or in a part: sv *, by the path without them. */
	struct map places;
	const struct git_output *output; /* for those; null: nothing was there */
};

struct previous_request {
	const struct git_output *output;
	sv out;                       /* for messages */
	const struct seal_root *root; /* null: with which seed it was sealed is not asked */
	bool rotate_seed;             /* another seed than before is meant */
	bool is_bound;                /* the root is bound to a fleet's identity */
	unsigned threads;
	struct arena **arenas; /* one a thread; they outlive the result */
};

/* Reads the index.json of each cluster. */
MUST_CHECK enum status plan_read_previous(struct arena *arena, struct sink *sink,
                                          const struct previous_request *request,
                                          struct previous *ret_previous);
/*
 * Decides how the sides of the clusters are cut: by their units, and by how they were before.
 * previous may be null.
 */
void plan_cut(struct plan *plan, const struct previous *previous);
/*
 * CLUSTER/SIDE/REST, of a file of a cluster that stands in that folder, its sides cut so: where it
 * stands when nothing is cut and the cluster in no bucket. Empty: it is on no side, or a part's.
 */
sv plan_plain_path(struct arena *arena, sv folder, unsigned cut, sv path);
/*
 * Where a file stands in the earlier output that stands at `path` when nothing is cut and the
 * cluster in no bucket: there, in a part, in a bucket.
 */
sv plan_previous_path(const struct previous *previous, sv path);
/* One cluster's of it, as a dialect may ask for it (struct dialect_previous). */
struct plan_previous_cluster {
	const struct previous *previous; /* null: nothing is known of it */
	sv cluster;
};
struct dialect_previous plan_previous_objects(const struct plan_previous_cluster *cluster);
/* "CLUSTER/KIND/NAMESPACE/NAME" */
sv plan_unit_key(struct arena *arena, sv cluster, const struct tree_unit *unit);
/* Its identity; revision and definition are left empty. */
struct tree_unit plan_tree_unit(const struct dialect_unit *unit);

/* ---- who may read ------------------------------------------------------------------------ */

struct plan_guard {
	const struct plan *plan;
	const struct previous *previous;
	struct plan_key
	    allowed; /* --allow-recipients: "CLUSTER RECIPIENT" or "* RECIPIENT" a line */
	bool rotate_recipients;
	bool rotate_seed;
	/* Where an index is looked for that the output lacks; null: nowhere. */
	struct git_repo *repo;
	struct git_id tip;
	sv out;
	size_t commits_max; /* that are looked at for a cluster without an index */
};
/* A commit that is looked at counts as so many entries of folders (--max-entries). */
#define PLAN_ENTRIES_PER_COMMIT 10

/* Returns the index of a cluster's folder in a version of the output, if it names recipients. */
const struct tree_index *plan_read_past_index(struct arena *arena, const struct plan_guard *request,
                                              struct git_id tree, sv folder);

/* What the history knows of clusters that the output has no index of. */
struct plan_past {
	struct map indexes; /* const struct tree_index *, by cluster: the newest one */
	struct map unread;  /* clusters whose index was there and cannot be read */
	struct git_id last; /* the newest version of the output that names recipients */
	bool has_last;
	bool is_too_long; /* there are more commits than may be looked at */
};
void plan_search_past(struct arena *arena, const struct plan_guard *request, const sv *clusters,
                      size_t count, struct plan_past *ret_past);
/* The folders of a version of the output that clusters may have, those in buckets among them. */
void plan_list_past_folders(struct arena *arena, const struct plan_guard *request,
                            struct git_id tree, struct git_names *ret_folders);

/* Of a cluster that is sealed to others than before. */
struct plan_recipient_change {
	sv cluster;
	bool is_new; /* the output did not have it */
	VEC(sv) added;
	VEC(sv) removed;
};
VEC_TYPE(plan_recipient_changes, struct plan_recipient_change);

/*
 * No cluster is sealed to others than before unless CI says so: every recipient is on its list, or,
 * without one, an index that a run with this seed wrote lists the same ones, or --rotate-recipients
 * is given. A new cluster passes when its recipients read every other one already. Errors, class
 * input: DIAG_RECIPIENT_NOT_ALLOWED, DIAG_RECIPIENTS_CHANGED, DIAG_RECIPIENTS_UNKNOWN;
 * surroundings: DIAG_ALLOW_RECIPIENTS. What changes and may is a warning, DIAG_RECIPIENTS_ROTATED,
 * and in *ret_changes; so is, without a list, the first run
 * in a shallow clone, DIAG_RECIPIENTS_FIRST.
 */
MUST_CHECK enum status plan_check_recipients(struct arena *arena, struct sink *sink,
                                             const struct plan_guard *request,
                                             struct plan_recipient_changes *ret_changes);

/* ---- what becomes of machines ------------------------------------------------------------ */

enum plan_template {
	PLAN_TEMPLATE_UNKNOWN, /* there was none, or its digest is keyed with another seed */
	PLAN_TEMPLATE_SAME,
	PLAN_TEMPLATE_CHANGED,
};

/* Two digests of templates, as indexes have them. */
enum plan_template plan_compare_templates(sv before, sv now);

/* What decides the class of a unit (docs/spec/output.md 5.5). */
struct plan_class_facts {
	bool was_there; /* in the output before */
	bool is_there;
	enum plan_template template;
	/* What a machine reads as it starts: the texts of bootstrap and provisioning. */
	bool user_data_changed;
	bool user_data_unknown; /* sealed in a way that cannot be compared with the one before */
	bool config_changed;    /* the spec of the config, but for fingerprints */
	bool file_changed;      /* any file of the unit, in any way */
};
enum report_class plan_class(const struct plan_class_facts *facts);

/* How a cluster was sealed by the run before. */
struct plan_sealed_before {
	bool other_seed;
	bool other_recipients;
	/* What is rendered now can be sealed as it would have been then, to be compared. */
	bool can_seal_again;
	struct seal_recipients recipients;
};
struct plan_sealed_before plan_find_sealed_before(struct arena *arena, const struct plan *plan,
                                                  const struct previous *previous,
                                                  const struct plan_cluster *cluster);

/* ---- removal ----------------------------------------------------------------------------- */

struct plan_removal {
	const struct plan *plan;
	const struct previous *previous;
	bool is_allowed; /* --allow-removal */
	bool is_shown;   /* the run changes nothing: it warns */
};
/*
 * Much goes only when that is meant: all units of a cluster, or a part of the fleet
 * (removal_guard of struct fleet). DIAG_REMOVAL, class input; or, as a warning, DIAG_REMOVAL_AHEAD.
 */
MUST_CHECK enum status plan_check_removal(struct arena *arena, struct sink *sink,
                                          const struct plan_removal *request);

/* ---- leftovers ---------------------------------------------------------------------------- */

/*
 * Fails (DIAG_LEFTOVER) if the output holds a kustomization that osm-gen wrote for a cluster that
 * is gone with its index.json: appliers go on with its objects, and no run would remove them. out:
 * for messages.
 */
MUST_CHECK enum status plan_check_leftovers(struct arena *arena, struct sink *sink,
                                            const struct plan *plan,
                                            const struct previous *previous, sv out);

/* ---- revisions --------------------------------------------------------------------------- */

/* What a cluster has; text is empty when it is no text. */
struct plan_live_revision {
	struct position at;
	sv text;
};

/*
 * Reads --revisions into the clusters. Errors: DIAG_REVISIONS, and DIAG_REVISIONS_OWNER where one
 * file could be of several clusters.
 */
MUST_CHECK enum status plan_read_revisions(struct arena *arena, struct sink *sink,
                                           const struct plan_request *request, struct plan *plan);

/* Null when it is not known. */
const struct plan_live_revision *plan_live_revision(struct arena *arena,
                                                    const struct plan_unit *unit);

struct plan_revision {
	sv revision;        /* a number; empty: units of this dialect have none */
	sv template_digest; /* 32 hex digits, "SEED:DIGEST" when the template holds a secret */
	bool was_there;     /* the previous output has the unit */
	enum plan_template template; /* compared with it */
};
/*
 * Taken, in order, from: --revisions; the unit's own annotation, unless it stood still while the
 * template changed (DIAG_REVISION_STALE, a warning); the previous output, kept, or counted on when
 * the template changed; 1. arena is of the secret kind.
 */
MUST_CHECK enum status plan_find_revision(struct arena *arena, struct sink *sink,
                                          const struct plan *plan, const struct previous *previous,
                                          const struct plan_unit *unit,
                                          struct plan_revision *ret_revision);

/* The commits behind the output. */
struct plan_history {
	struct git_repo *repo;
	struct git_id tip;
	sv out;
};
struct plan_reverted {
	sv commit; /* the last one with it, in hex */
	int64_t revision;
};
/*
 * Units whose output is that of an earlier commit again, with a lower revision than in between:
 * struct plan_reverted * by plan_unit_key, the highest one. Looks at the newest 50 commits, along
 * first parents; what is not there, as in a shallow clone, is not seen.
 */
void plan_find_reverted(struct arena *arena, const struct plan_history *history,
                        const struct plan *plan, struct map *ret_found);

/* Whether the whole output is that of an earlier commit, with another one in between. */
bool plan_output_came_back(struct arena *arena, const struct plan_history *history);

/* What one file of --revisions says: NAMESPACE/NAME and the number, in its order. */
struct plan_live_entry {
	sv unit;
	sv revision;
};
VEC_TYPE(plan_live_entries, struct plan_live_entry);
MUST_CHECK enum status plan_list_revisions(struct arena *arena, struct sink *sink, sv work_tree,
                                           sv path, struct plan_live_entries *ret_entries);

/* ---- secrets ----------------------------------------------------------------------------- */

/* Every secret of the inputs. environment: tainted. */
void plan_add_secrets(struct arena *secret_arena, const struct plan_request *request,
                      const struct dialect_environment *environment,
                      struct secret_inventory *secrets);

/* ---- the environment --------------------------------------------------------------------- */

/*
 * Returns the variables that a cluster sees, a map of names to texts (null: not set). A variable
 * that is bound to the cluster counts before one that is bound to every cluster.
 */
const struct value *plan_environment_of(struct arena *secret_arena,
                                        const struct dialect_environment *environment, sv cluster);
/*
 * Fails (DIAG_ENVIRONMENT_SHARED) if a variable is bound to every cluster and the clusters have
 * different recipients: whoever owns one cluster's folder could have it sealed to himself. Warns
 * (DIAG_ENVIRONMENT_CLUSTER) of a variable that is bound to a cluster that does not exist.
 */
MUST_CHECK enum status plan_check_environment(struct arena *arena, struct sink *sink,
                                              const struct plan_request *request);

#endif
