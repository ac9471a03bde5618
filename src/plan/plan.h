/*
 * plan: what a run is going to do, before anything is rendered: its clusters and units, what each
 * of them needs, and the previous output. A unit is an object that machines are made from, such as
 * a MachineDeployment.
 *
 *   plan.c              clusters and units: seed, recipients, looked-up objects, derived tokens
 *   keys.h              the keys that a run is given
 *   secrets.c           all secrets of the inputs, for the leak scan and for masking
 *   environment.c       the variables of --allow-env that each cluster sees
 *   previous.c          the previous output, as its indexes describe it
 *   edited.c            finds an index that somebody edited
 *   settings_guard.c    guards encrypted settings against being moved to another cluster
 *   recipients_guard.c  guards against sealing to recipients that nobody allowed
 *   recipients_past.c   earlier recipients, from indexes that the output no longer has
 *   revision.c          the revision of a unit's template
 *   live.h              live revisions: what --revisions gives, and what `revisions` prints
 *   reverted.c          warns of revisions that came back with an earlier output
 *   left_out.c          keeps what is asked of commits that a branch loses (generate --history)
 *   roll.c              machines that roll since their nodes would get something else
 *   class.c             what happens to a unit's machines
 *   removal.c           guards against removing much by mistake
 *   scale.c             guards against deleting machines by a smaller number of replicas
 *   leftover.c          files of the output that no index lists any more
 *
 * A plan is made by one thread and const from then on: jobs on any thread read it.
 */
#ifndef OSM_GEN_PLAN_PLAN_H
#define OSM_GEN_PLAN_PLAN_H

#include "audit/audit.h"
#include "dialect/dialect.h"
#include "fleet/fleet.h"
#include "git/git.h"
#include "plan/keys.h"
#include "report/report.h"
#include "seal/seal.h"
#include "secrecy/secrecy.h"
#include "tree/tree.h"

/* The purpose of a plan, which decides what it must have. */
enum plan_purpose {
	PLAN_OUTPUT,   /* to make output: needs a seed and recipients */
	PLAN_SHOW,     /* to show a unit: needs a seed */
	PLAN_VALIDATE, /* to check the inputs: needs neither; Secrets are stand-ins */
};

struct plan_request {
	struct quota *steps; /* charged for what clusters keep in memory; may be null */
	enum plan_purpose purpose;
	const struct fleet *fleet;
	struct plan_key seed;
	struct plan_key identities;
	const struct dialect_environment *environment; /* the variables of --allow-env */
	sv revisions; /* --revisions, a file or a folder with CLUSTER.json or .yaml; may be empty */
	sv repo;      /* for messages */
	int64_t now;  /* the source commit's date, seconds since 1970; may be 0 */
	sv work_tree; /* files in it are not trusted; empty for a bare repository */
};

/* ---- clusters and units ------------------------------------------------------------------ */

struct plan_cluster {
	const struct fleet_cluster *fleet;
	const struct plan_unit *units; /* of plan->units, from first_unit on */
	size_t unit_count;
	size_t first_unit;
	struct seal_recipients recipients;
	/* One for each dialect; null if the cluster has no units of it, or has mistakes. */
	const void **loaded;
	const struct value *environment;  /* the variables of --allow-env that it sees, tainted */
	const struct map *live_revisions; /* from --revisions; may be null */
	unsigned cut; /* the number of digits by which sides are split (tree_part); see plan_cut */
};

struct plan_unit {
	const struct plan_cluster *cluster;
	const struct dialect_unit *unit;
	const struct dialect_cluster *view; /* the cluster, as the unit's dialect sees it */
	const void *loaded;                 /* likewise; null if the unit cannot be rendered */
	/* The derived token, tainted. Invalid if the unit needs none, or without a seed. */
	struct value token;
	struct value token_before; /* the token of the period before; invalid if it has none */
	struct value join;         /* a second token, for joining alone; invalid if it has none */
	struct value join_before;  /* the one of the period before, likewise */
};

struct plan {
	const struct fleet *fleet;
	struct seal_root *root;        /* owned; null for PLAN_VALIDATE */
	struct known_secrets *secrets; /* the secrets that are known before rendering */
	struct plan_cluster *clusters; /* in the order of the fleet's */
	size_t cluster_count;
	struct plan_unit *units; /* the units of all clusters, one cluster after the other */
	size_t unit_count;
};

/*
 * Makes a plan, and reports all mistakes. *ret_plan is also set on failure, as far as it could be
 * made, so that units can be rendered to find more mistakes. secret_arena and the request must
 * outlive the plan.
 */
MUST_CHECK enum status plan_make(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                                 const struct plan_request *request, struct plan *ret_plan);
/*
 * Warns of a plan without units (DIAG_NOTHING_FOUND, DIAG_FLEET_OTHER_SYSTEM). Fails
 * (DIAG_NOTHING_HERE) if `must_find` is true and the repository has no osm-gen.yaml either.
 * Messages name `repo`.
 */
MUST_CHECK enum status plan_check_units(struct arena *arena, struct sink *sink,
                                        const struct plan *plan, sv repo, bool must_find);
/*
 * Makes a plan that has only the seed and the recipients of clusters that get encrypted settings
 * (fleet_cluster.gets_sealed_settings): enough for plan_check_recipients, before anything is
 * decrypted. Of the clusters only names, folders and sealing are needed.
 */
MUST_CHECK enum status plan_make_recipients(struct arena *arena, struct arena *secret_arena,
                                            struct sink *sink, const struct plan_request *request,
                                            struct plan *ret_plan);
void plan_free(struct plan *plan);

/* Returns the kind of the units ("MachineDeployment") if all have the same one, or else "unit". */
sv plan_unit_kind(const struct plan *plan);

/* Returns true if the unit can be rendered: it, its cluster and its definition are sound. */
static inline bool plan_unit_is_sound(const struct plan_unit *unit)
{
	return unit->loaded && unit->unit->resolved;
}

/* ---- the previous output ------------------------------------------------------------------ */

/* A unit of the previous output. */
struct previous_unit {
	sv cluster;
	struct tree_unit unit;
};

struct previous {
	struct set paths;   /* the set of paths that indexes list, and of the indexes themselves */
	struct map units;   /* struct previous_unit * by plan_unit_key */
	struct map indexes; /* const struct tree_index * by cluster */
	struct map rolls;   /* const struct tree_roll * by plan_unit_key */
	struct map proofs;  /* const struct tree_proof * by plan_unit_key */
	/* Paths by cluster and object, of indexes of format 1: these do not have units. */
	struct set objects;
	/* The real path (sv *) of each file in a bucket or part, by its plain path. */
	struct map places;
	/* The paths (sv *) of units that the output has themselves, listed or not, by
	 * CLUSTER/NAMESPACE/KIND-NAME.yaml. */
	struct map machines;
	const struct git_output *output; /* null before the first output */
};

struct previous_request {
	const struct git_output *output;
	sv out;                       /* for messages */
	const struct seal_root *root; /* null to accept output of any seed */
	bool rotate_seed;             /* accept output that was sealed with another seed */
	bool is_bound;                /* the root is bound to a fleet's identity */
	unsigned threads;
	struct arena **arenas; /* one for each thread; they outlive the result */
};

/* Reads the index.json of each cluster. Fails (DIAG_SEED_CHANGED) if the seed is another one. */
MUST_CHECK enum status plan_read_previous(struct arena *arena, struct sink *sink,
                                          const struct previous_request *request,
                                          struct previous *ret_previous);
/*
 * Fails (DIAG_TREE_INDEX) if an index does not fit the files that it lists: it has no seed or no
 * recipients for them, or the file of a config or of a unit has another unit, role or part.
 */
MUST_CHECK enum status plan_check_index(struct arena *arena, struct sink *sink,
                                        const struct tree_index *index,
                                        const struct source *source);
/*
 * Decides how the sides of each cluster are split into parts: by the number of units, and by how
 * they were split before. `previous` may be null.
 */
void plan_cut(struct plan *plan, const struct previous *previous);
/*
 * Returns the plain path of a file: CLUSTER/SIDE/REST, where it would be if no side was split and
 * the cluster was in no bucket. `folder` is the cluster's, `cut` how its sides are split. Returns
 * an empty string if the file is on no side, or belongs to a part as a whole.
 */
sv plan_plain_path(struct arena *arena, sv folder, unsigned cut, sv path);
/* Returns where the previous output has the file with the plain path `path`. */
sv plan_previous_path(const struct previous *previous, sv path);
/*
 * Returns where the previous output has the unit itself (ARTIFACT_MACHINES), or an empty string.
 * The files decide, not the index: appliers read those, and anybody can edit the other.
 */
sv plan_previous_machines_path(struct arena *arena, const struct previous *previous, sv cluster,
                               const struct kube_id *id);
/*
 * Reads that file. *ret_object is invalid if there is none, or if it is not a file of osm-gen;
 * `previous` may be null.
 */
MUST_CHECK enum status plan_read_previous_machines(struct arena *arena, struct sink *sink,
                                                   const struct previous *previous, sv cluster,
                                                   const struct kube_id *id,
                                                   struct value *ret_object);
/* The previous output of one cluster, which dialects may read (struct dialect_previous). */
struct plan_previous_cluster {
	const struct previous *previous; /* may be null; finds no object then */
	sv cluster;
};
struct dialect_previous plan_previous_objects(const struct plan_previous_cluster *cluster);
/* Returns the cluster of that name, or null. */
const struct plan_cluster *plan_find_cluster(const struct plan *plan, sv name);
/* Returns "CLUSTER/KIND/NAMESPACE/NAME". */
sv plan_unit_key(struct arena *arena, sv cluster, const struct tree_unit *unit);
/* Returns the identity of a unit, without revision and definition. */
struct tree_unit plan_tree_unit(const struct dialect_unit *unit);

/*
 * How many of the newest commits are searched where older ones do not matter: for recipients of
 * removed clusters, for reverted output, for a commit that vouches and for a proof of one's inputs.
 */
#define PLAN_COMMITS_SEARCHED 50

/* ---- recipients -------------------------------------------------------------------------- */

/*
 * Recipients are the public keys that the output is sealed to. Whoever changes them decides who may
 * read its secrets, so that a run is guarded against changes that CI does not allow.
 *
 *   fleet/apply.c      the recipients of each cluster, from osm-gen.yaml or .sops.yaml
 *   seal/seal.h        parses them, and seals
 *   plan/class.c       how the previous run sealed a cluster
 *   run/reseal.c       warns of a certificate that is not the one before
 *   audit/sealed.c     compares sealed files with the recipients in the index
 */
struct plan_guard {
	const struct plan *plan;
	const struct previous *previous;
	/* --allow-recipients: lines of the form "CLUSTER RECIPIENT" or "* RECIPIENT". */
	struct plan_key allowed;
	bool rotate_recipients;
	bool rotate_seed;
	/* Repository whose history is searched for an index the output no longer has; may be null.
	 */
	struct git_repo *repo;
	struct git_id tip;
	sv out;
	size_t commits_max; /* how many commits to search at most */
};
/* The number of folder entries (--max-entries) that searching one commit counts as. */
#define PLAN_ENTRIES_PER_COMMIT 10

/* Returns true if somebody with the seed wrote the recipients and settings that an index lists. */
bool plan_index_is_authentic(struct arena *arena, const struct plan_guard *request, sv cluster,
                             const struct tree_index *index);
/*
 * Returns the index of a cluster's folder in a version of the output, or null if it has none, or
 * one that does not name recipients.
 */
const struct tree_index *plan_read_past_index(struct arena *arena, const struct plan_guard *request,
                                              struct git_id tree, sv folder);

/* The result of searching the history for clusters that the output has no index of. */
struct plan_past {
	struct map indexes; /* the newest index of each cluster, const struct tree_index * */
	struct set unread;  /* clusters with an index that cannot be read */
	struct git_id last; /* the newest version of the output that names recipients */
	bool has_last;
	bool is_too_long; /* there are more commits than may be searched */
	/* The facts of commits that the branch no longer has; is_lost if nothing states them. */
	struct audit_left_out left_out;
	bool is_lost;
};
/* Returns the recipients of a cluster as an index would list them. */
const struct tree_index *plan_left_out_index(struct arena *arena,
                                             const struct audit_left_out_cluster *cluster);
void plan_search_past(struct arena *arena, const struct plan_guard *request, const sv *clusters,
                      size_t count, struct plan_past *ret_past);
/* Lists the folders of a version of the output that may be clusters', with those in buckets. */
void plan_list_past_folders(struct arena *arena, const struct plan_guard *request,
                            struct git_id tree, struct git_names *ret_folders);

/* How the recipients of a cluster change. */
struct plan_recipient_change {
	sv cluster;
	bool is_new; /* the output did not have the cluster */
	VEC(sv) added;
	VEC(sv) removed;
};
VEC_TYPE(plan_recipient_changes, struct plan_recipient_change);

/*
 * Fails if a cluster is sealed to other recipients than before and CI does not allow it. It is
 * allowed if every recipient is in CI's list or, without a list, with --rotate-recipients. Without
 * either, an index that a run with this seed wrote must list the same recipients; a new cluster
 * may have recipients that can read all other clusters already.
 *
 * Input errors: DIAG_RECIPIENT_NOT_ALLOWED, DIAG_RECIPIENTS_CHANGED, DIAG_RECIPIENTS_UNKNOWN. Error
 * of the surroundings: DIAG_ALLOW_RECIPIENTS. Changes that are allowed are in *ret_changes, with a
 * warning, DIAG_RECIPIENTS_ROTATED. The first run in a shallow clone without a list gets the
 * warning DIAG_RECIPIENTS_FIRST. Without the seed only the recipients that the output's indexes
 * list are compared, and a change that nothing allows is a warning, DIAG_RECIPIENTS_AHEAD.
 */
MUST_CHECK enum status plan_check_recipients(struct arena *arena, struct sink *sink,
                                             const struct plan_guard *request,
                                             struct plan_recipient_changes *ret_changes);

/* ---- encrypted settings (settings_guard.c) ------------------------------------------------- */

/*
 * Returns *ret_count digests, 32 hex digits each, of the marks of a cluster's own encrypted
 * settings, as its index lists them: keyed, so that they show nothing of the values.
 */
const sv *plan_list_sealed_settings(struct arena *arena, const struct seal_root *root,
                                    const struct fleet_cluster *cluster, size_t *ret_count);
/*
 * Returns the digest by which an index proves its recipients and its encrypted settings: for an
 * index without the latter it is seal_recipients_digest.
 */
sv plan_recipients_digest(struct arena *arena, const struct seal_root *root, sv cluster,
                          const sv *recipients, size_t recipient_count, const sv *settings,
                          size_t setting_count);
/*
 * Fails (DIAG_FLEET_SETTINGS_MOVED) if encrypted settings were another cluster's in the output, or
 * in its recent history, and the cluster that gets them now has a recipient that the other one did
 * not have. --rotate-recipients allows it.
 */
MUST_CHECK enum status plan_check_settings(struct arena *arena, struct sink *sink,
                                           const struct plan_guard *request);

/* ---- what happens to machines ------------------------------------------------------------- */

enum plan_template {
	PLAN_TEMPLATE_UNKNOWN, /* the unit is new, or the digest is keyed with another seed */
	PLAN_TEMPLATE_SAME,
	PLAN_TEMPLATE_CHANGED,
};

/* Compares two digests of templates, in the form that indexes have. */
enum plan_template plan_compare_templates(sv before, sv now);

/* The facts that decide the class of a unit (docs/spec/output.md 3.2). */
struct plan_class_facts {
	bool was_there; /* in the previous output */
	bool is_there;
	enum plan_template template;
	/* The user-data that a machine reads as it starts: bootstrap or provisioning. */
	bool user_data_changed;
	bool user_data_unknown;     /* it is sealed and cannot be compared with the previous one */
	bool new_user_data_changed; /* likewise, but of new machines alone */
	bool config_changed;        /* the spec of the config, apart from fingerprints */
	bool is_applied;            /* running machines apply what changes */
	/* The run has no seed: a class is not guessed, and what cannot be compared is UNKNOWN. */
	bool lacks_seed;
	/* Without the seed: files of the unit that cannot be compared may have changed. */
	bool secrets_unknown;
	/* Without the seed: the roll annotation may change. */
	bool roll_unknown;
	bool file_changed; /* any file of the unit, in any way */
	/* The effect on machines that objects other than the unit start. */
	enum dialect_replacement replacement;
	/* The template changes only by the roll annotation. */
	bool is_rolled;
	/* Its roll digest is the first one, with which later ones are compared. */
	bool is_first_roll;
	/* The output had the unit with a number of replicas, and now has it without one. */
	bool replicas_left;
	/* The unit's MachineDeployment is new in the output, and has no spec.replicas. */
	bool replicas_unset;
	/* The unit's MachineDeployment in the output has no spec.replicas. */
	bool lacks_replicas;
	/* The change of spec.replicas of the MachineDeployments in the output, together. */
	struct report_scale scale;
};
enum report_class plan_class(const struct plan_class_facts *facts);

/* How the previous run sealed a cluster. */
struct plan_sealed_before {
	bool other_seed;
	bool other_recipients;
	/* True if today's objects can be sealed with the old recipients, for comparison. */
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
	bool is_shown;   /* the run only shows what would change: warn instead of failing */
};
/*
 * Fails (DIAG_REMOVAL, an input error) if all units of a cluster would be removed, or a larger part
 * of the fleet than removal_guard of struct fleet permits, or (DIAG_REMOVAL_MACHINES) if a unit
 * that is itself in the output would leave it, however few they are. Warns (DIAG_REMOVAL_AHEAD,
 * DIAG_REMOVAL_MACHINES_AHEAD) if is_shown.
 */
MUST_CHECK enum status plan_check_removal(struct arena *arena, struct sink *sink,
                                          const struct plan_removal *request);

/* ---- leftovers ---------------------------------------------------------------------------- */

struct plan_leftovers {
	const struct plan *plan;
	const struct previous *previous; /* may be null */
	const struct set *written;       /* the set of paths that this run writes */
	bool without_seed;               /* without files that only a run with the seed writes */
	sv out;                          /* for messages */
};
/*
 * Fails (DIAG_LEFTOVER) if the output has files that osm-gen wrote for a cluster, that no
 * index.json lists, and that this run does not write: appliers would go on with them, and no run
 * would remove them.
 */
MUST_CHECK enum status plan_check_leftovers(struct arena *arena, struct sink *sink,
                                            const struct plan_leftovers *request);

/* ---- machines that roll -------------------------------------------------------------------- */

struct plan_roll_request {
	const struct plan *plan;
	const struct previous *previous; /* may be null */
	const struct plan_unit *unit;
	const struct dialect_job *job; /* without revision and roll */
	bool is_allowed;               /* --allow-roll */
};
struct plan_roll {
	struct tree_roll record; /* for index.json, without unit; all empty if there is none */
	sv value_before;         /* of the annotation in the previous output */
	/* The unit was there, and its previous digest, if any, cannot be compared. */
	bool is_first;
	/* Without the seed no digest can be made that could be compared with the previous one. */
	bool is_unknown;
	/* Without the seed: a digest without a key, which must not be printed; and if what it is of
	 * has secrets. Empty if the setting roll is not set. */
	sv plain_digest;
	bool has_secrets;
};
/*
 * Finds the value of a unit's roll annotation. It changes if the digest does, or with --allow-roll
 * if the digest is the first one. `arena` must be a secret one.
 */
MUST_CHECK enum status plan_find_roll(struct arena *arena, struct sink *sink,
                                      const struct plan_roll_request *request,
                                      struct plan_roll *ret_roll);

/* A unit after rendering, which forgets its manifest. */
struct plan_rolled {
	const struct plan_class_facts *facts;
	int64_t replicas; /* number of machines; negative if not known */
	bool is_written;  /* the output has its MachineDeployments */
};
/* Returns the number of its machines in the previous output; negative if it is not known. */
int64_t plan_machines_before(const struct plan_rolled *unit);
/* For plan_check_rolls, plan_check_replicas and plan_check_scale. */
struct plan_machine_guard {
	const struct plan *plan;
	const struct plan_rolled *units; /* those of the plan */
	bool is_allowed;                 /* --allow-roll, or --allow-removal for plan_check_scale */
	bool is_shown; /* the run only shows what would change: warn instead of failing */
};
/*
 * Fails (DIAG_ROLL_GUARD) if more machines would roll by the annotation than the smallest rollGuard
 * of their clusters allows (of a unit whose number changes the larger number counts), or if what
 * nodes get changes in the run that takes the first digests, and so would roll nothing. Warns
 * (DIAG_ROLL_AHEAD) if is_shown.
 */
MUST_CHECK enum status plan_check_rolls(struct arena *arena, struct sink *sink,
                                        const struct plan_machine_guard *request);
/*
 * Warns of units whose number of replicas leaves the output, or that come into it without the
 * number of their manifest (DIAG_REPLICAS_LEFT), and of new ones that ask for no machine and start
 * with one, since the output has no number (DIAG_MD_STARTS).
 */
void plan_check_replicas(struct sink *sink, const struct plan_machine_guard *request);

/* ---- machines that are deleted (scale.c) ---------------------------------------------------- */

/*
 * Fails (DIAG_SCALE, an input error) if spec.replicas of units in the output become so much smaller
 * that as large a part of the output's machines is deleted as removal_guard of struct fleet does
 * not permit, or if a unit loses all of its machines, however few. Warns (DIAG_SCALE_AHEAD) if
 * is_shown.
 */
MUST_CHECK enum status plan_check_scale(struct arena *arena, struct sink *sink,
                                        const struct plan_machine_guard *request);

/* ---- revisions --------------------------------------------------------------------------- */

/* A live revision annotation; `text` is empty if its value is not a string. */
struct plan_live_revision {
	struct position at;
	sv text;
};

/* Returns the live revision of a unit, or null if --revisions does not have it. */
const struct plan_live_revision *plan_live_find(struct arena *arena, const struct plan_unit *unit);

struct plan_revision {
	sv revision;        /* a number; empty if units of this dialect have none */
	sv template_digest; /* 32 hex digits, "SEED:DIGEST" when the template holds a secret */
	bool was_there;     /* the previous output has the unit */
	enum plan_template template; /* compared with the previous output */
	bool is_rolled;              /* see struct plan_class_facts */
	struct plan_roll roll;
};
/*
 * Finds the revision of a unit. The first of these that exists counts: --revisions; the unit's own
 * annotation, unless the template changed and the annotation did not (DIAG_REVISION_STALE, a
 * warning); the revision of the previous output, plus one if the template changed; 1. `arena` must
 * be a secret one. The template is that with the roll annotation.
 */
MUST_CHECK enum status plan_find_revision(struct arena *arena, struct sink *sink,
                                          const struct plan *plan, const struct previous *previous,
                                          const struct plan_unit *unit,
                                          const struct plan_roll *roll,
                                          struct plan_revision *ret_revision);

/* Returns the revision that the file of a unit's config has, or 0 if it has none. */
int64_t plan_written_revision(sv config);

/* The commits that made the output. */
struct plan_history {
	struct git_repo *repo;
	struct git_id tip;
	sv out;
};
struct plan_reverted_request {
	struct plan_history history;
	const struct plan *plan;
	const sv *revisions; /* of the plan's units, as rendered; an empty one is never reported */
};
/*
 * Warns (DIAG_REVISION_REVERTED) of units whose output is again that of an earlier commit, with a
 * revision that commits in between had exceeded: live machines may count on the higher one. Looks
 * at the newest PLAN_COMMITS_SEARCHED commits, along first parents, as far as the clone has them.
 */
void plan_report_reverted(struct arena *arena, struct sink *sink,
                          const struct plan_reverted_request *request);

/* Returns true if the whole output is again that of an earlier commit, with others in between. */
bool plan_output_came_back(struct arena *arena, const struct plan_history *history);
/* Adds the revisions that plan_report_reverted warns of to those that a branch keeps. */
void plan_list_reverted(struct arena *arena, const struct plan_reverted_request *request,
                        struct audit_left_out *left);

/* Commits that a branch loses as it is replaced by a shorter one. */
struct plan_leaving {
	struct plan_reverted_request reverted; /* its history is the branch as it was */
	const struct git_commit_info *left;    /* newest first */
	size_t left_count;
	/* The commit where the branch left another one, which goes with all of its ancestors. */
	struct git_id below;
	bool has_below;
	const struct git_commit_info *first; /* the oldest that stays; null for the new commit */
	size_t commits_max;                  /* how many commits to search at most */
};
/*
 * Collects the facts of these commits that later runs ask for. Fails (DIAG_HISTORY_LACKS) if an
 * index cannot be read, or if there are more than commits_max.
 */
MUST_CHECK enum status plan_leave_out(struct arena *arena, struct sink *sink,
                                      const struct plan_leaving *request,
                                      struct audit_left_out *ret_left);

/* ---- secrets and the environment --------------------------------------------------------- */

/* Adds all secrets of the inputs. `environment` is tainted. */
void plan_add_secrets(struct arena *secret_arena, const struct plan_request *request,
                      const struct dialect_environment *environment, struct known_secrets *secrets);

/*
 * Returns the variables that a cluster sees: a map of names to strings, or to null for a variable
 * that is not set. A variable bound to the cluster comes before one bound to all clusters.
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
