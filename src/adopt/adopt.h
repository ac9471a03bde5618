/*
 * adopt: a live cluster, as kubectl prints it, and what git is to hold of it.
 *
 *   export.c      exports: Lists and documents to objects
 *   kinds.c       the kinds that are read, and the dialects that know them
 *   lines.c       what is said of it
 *   args.c        the controller's arguments to settings
 *   clean.c       manifests with the fields, annotations and labels that somebody reads
 *   scan.c        what looks like a secret in what is to be written in the clear
 *   credential.c  credentials of a MachineDeployment, moved to a Secret
 *   choose.c      what is taken of a cluster, what is left out, and why
 *   recipients.c  whom the Secrets are encrypted to
 *   compare.c     what was rendered beside what is live
 *   differ.c      the first difference of two objects
 *   show.c        a line of a text with its secrets masked
 *   print.c       what a comparison found, as text and as JSON
 *   observe.c     the committed output beside what is live: objects
 *   machines.c    and the machines, by the revision of their user-data
 *   sighted.c     what was observed, as text and as JSON
 *   write.c       the cluster's folder, all of it or nothing
 *   adopt.c       adopting, in order
 *
 * Exports hold secrets: their texts and all that is read from them belong into arenas of the secret
 * kind, and their sources are confidential.
 */
#ifndef OSM_GEN_ADOPT_ADOPT_H
#define OSM_GEN_ADOPT_ADOPT_H

#include "base/base.h"
#include "diag/diag.h"
#include "dialect/dialect.h"
#include "fleet/fleet.h"
#include "kube/kube.h"
#include "seal/seal.h"
#include "secrecy/secrecy.h"

/* ---- exports ----------------------------------------------------------------------------- */

#define ADOPT_MAX_EXPORT_BYTES ((size_t)64 * 1024 * 1024)

/* What the exports hold, of however many files. */
struct adopt_live;
/* secret_arena must be of the secret kind. */
struct adopt_live *adopt_live_new(struct arena *secret_arena);
/*
 * Reads one export: what `kubectl get -o yaml` or `-o json` prints, Lists in each other and several
 * documents included. name is what people call it. Kinds that nobody here reads are counted.
 * Errors, class input: DIAG_EXPORT_FORMAT for what is cut short or no export,
 * DIAG_EXPORT_CLUSTERS for an object that stands there twice and is not the same, what the parsers
 * report.
 */
MUST_CHECK enum status adopt_live_read(struct sink *sink, struct adopt_live *live, sv name,
                                       sv text);

/* Whether they hold an object of a kind that is read. */
bool adopt_live_is_empty(const struct adopt_live *live);

/* ---- adopting ---------------------------------------------------------------------------- */

enum adopt_fate {
	ADOPT_TAKEN, /* written to the folder */
	ADOPT_LEFT,  /* not written */
	ADOPT_NOTE,  /* for people to know */
};

struct adopt_line {
	enum adopt_fate fate;
	sv what; /* "Secret kube-system/hetzner" */
	sv why;  /* or empty */
};
VEC_TYPE(adopt_lines, struct adopt_line);

struct adopt_request {
	const struct adopt_live *live;
	sv cluster;
	sv into;              /* a folder that is not there yet, or empty, in a work tree */
	const sv *recipients; /* age's; none: those of the repository */
	size_t recipient_count;
	const sv *allowed; /* fields that look like secrets and are none: --allow-clear */
	size_t allowed_count;
	/*
	 * What Secrets are encrypted with: of the fleet's seed, so that the same export gives the
	 * same files, or of random bytes that are used this once.
	 */
	struct seal_root *root;
};

struct adopt_result {
	struct adopt_lines lines;
	sv repository; /* its root */
	sv folder;     /* `into` as it was given, without "/" at its end */
	sv revisions;  /* the file for --revisions; empty: no MachineDeployment has a revision */
	size_t file_count;
	size_t sealed_count;
	bool recipients_are_given;
};

/*
 * Writes the folder, or nothing. Errors, class input: DIAG_ADOPT_NOTHING (no MachineDeployment),
 * DIAG_EXPORT_CLUSTERS (several controllers), DIAG_ADOPT_RECIPIENTS, DIAG_ADOPT_CREDENTIAL (one
 * that no Secret can hold), DIAG_ADOPT_PRIVATE_KEY, DIAG_ADOPT_SECRET, DIAG_SECRET_LEAK;
 * surroundings: DIAG_ADOPT_FOLDER; usage: DIAG_USAGE for a cluster's name that is none.
 */
MUST_CHECK enum status adopt(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                             const struct adopt_request *request, struct adopt_result *ret_result);

/*
 * Masks words that look like secrets in all that was reported: messages name what the exports hold,
 * and a secret may be in any place of them.
 */
void adopt_mask_messages(struct arena *arena, struct sink *sink);

/* ---- comparing --------------------------------------------------------------------------- */

enum adopt_finding_kind {
	ADOPT_EQUAL,
	ADOPT_EQUAL_BUT, /* for what differs by nature */
	ADOPT_DIFFERS,
	ADOPT_ONLY_HERE,
	ADOPT_ONLY_THERE,
	ADOPT_NOT_COMPARED,
};

/* One object. Texts are safe to show: secrets in them are masked. */
struct adopt_finding {
	enum adopt_finding_kind kind;
	struct kube_id id;
	sv but;      /* ADOPT_EQUAL_BUT, ADOPT_NOT_COMPARED: for what, or why not */
	sv place;    /* ADOPT_DIFFERS: the first member that differs, "data.cloud-config" */
	size_t line; /* of a text of several lines, from 1; else 0 */
	sv here;
	sv there;
};

enum adopt_template {
	ADOPT_TEMPLATE_SAME,
	ADOPT_TEMPLATE_OTHER,   /* to apply it replaces machines */
	ADOPT_TEMPLATE_UNKNOWN, /* the live object is not in the exports */
};

struct adopt_unit {
	struct kube_id id;
	enum adopt_template template;
	sv revision_here;
	sv revision_there; /* empty: not known */
};

struct adopt_comparison {
	sv cluster;
	VEC(struct adopt_finding) findings; /* sorted by object */
	VEC(struct adopt_unit)
	units; /* those whose template decides whether machines are replaced */
	size_t counts[ADOPT_NOT_COMPARED + 1];
	bool differs;
};

struct adopt_comparing;
/*
 * Begins the comparison of one cluster. `known` has every secret of the run, for masks. The arena
 * must be of the secret kind; `live` and `cluster` must outlive the comparison.
 */
struct adopt_comparing *adopt_comparing_new(struct arena *secret_arena,
                                            const struct adopt_live *live,
                                            const struct dialect_cluster *cluster,
                                            const struct known_secrets *known);
/* Returns true if the unit's dialect can compare it with live objects. */
bool adopt_can_compare(const struct dialect_unit *unit);
/* Lists a unit as not compared, because its dialect cannot compare it. */
void adopt_pass_over(struct adopt_comparing *comparing, const struct dialect_unit *unit);
/*
 * Returns the bootstrap token that the live controller gave a unit, or the invalid value if the
 * exports have none. The unit's dialect must be able to compare.
 */
struct value adopt_live_token(struct adopt_comparing *comparing, const struct dialect_unit *unit);

struct adopt_rendering {
	const struct dialect_unit *unit;
	sv revision;
	const struct artifacts *artifacts;
	/* The same with the live token in place of the derived one; null: there is none. */
	const struct artifacts *with_live_token;
	const struct redaction *redaction; /* of clear objects in the output */
};
/* Compares one unit's objects, by the unit's own dialect, which must be able to. */
void adopt_compare(struct adopt_comparing *comparing, const struct adopt_rendering *rendering);
/* What is live and was not rendered comes last. */
void adopt_comparing_end(struct adopt_comparing *comparing,
                         struct adopt_comparison *ret_comparison);

/* As text; all: with what is equal, and with what is not compared. */
void adopt_comparison_text(struct buf *buf, const struct adopt_comparison *comparison, bool all);
void adopt_comparison_json(struct buf *buf, const struct adopt_comparison *comparison);

/* ---- observing --------------------------------------------------------------------------- */

enum adopt_sight {
	ADOPT_SEEN,          /* live, as it is committed */
	ADOPT_SEEN_UNOPENED, /* live, of the committed revision; its content is sealed to us */
	ADOPT_SEEN_REVISION, /* live, of another revision */
	ADOPT_SEEN_OTHER,    /* live, with another content */
	ADOPT_MISSING,       /* committed, not live */
	ADOPT_STRANGER,      /* live, not committed */
};

struct adopt_sighting {
	enum adopt_sight sight;
	struct kube_id id;
	sv place;         /* ADOPT_SEEN_OTHER: the first member that differs */
	size_t line;      /* of a text of several lines, from 1; else 0 */
	sv revision;      /* ADOPT_SEEN_REVISION */
	sv live_revision; /* likewise; empty: none */
};

enum adopt_machine_state {
	ADOPT_MACHINE_CURRENT, /* started with the user-data of the live revision, and a node */
	ADOPT_MACHINE_OTHER,   /* with that of another one */
	ADOPT_MACHINE_JOINING, /* has no node yet */
	ADOPT_MACHINE_LEAVING, /* is being deleted */
};

struct adopt_machine {
	sv name;
	sv machine_set;
	sv revision; /* of the MachineSet; empty: that is not in the exports */
	sv node;     /* or empty */
	enum adopt_machine_state state;
};

struct adopt_observed_unit {
	const struct dialect *dialect;
	sv kind;
	sv namespace;
	sv name;
	sv revision;      /* that the committed Secrets are for */
	sv live_revision; /* of the newest MachineSet; empty: not known */
	bool is_live;     /* its MachineDeployment is in the exports */
	int64_t replicas; /* that the live one wants; -1: it does not say a number */
	VEC(struct adopt_machine) machines; /* sorted by name */
	size_t counts[ADOPT_MACHINE_LEAVING + 1];
};

struct adopt_observation {
	sv cluster;
	sv commit;
	VEC(struct adopt_sighting) sightings; /* sorted by object */
	VEC(struct adopt_observed_unit) units;
	size_t counts[ADOPT_STRANGER + 1];
	size_t unread;    /* committed objects of kinds that are not read of exports */
	bool no_machines; /* were looked at */
	/* Everything is live as committed, and every machine that is wanted is current, or was not
	 * looked at. */
	bool is_settled;
};

struct adopt_observe_request {
	sv repo;
	sv out;
	sv rev;
	sv cluster; /* empty: the only one */
	/*
	 * One for each export: those of the management side and of the worker side may hold objects
	 * of the same name that are two.
	 */
	const struct adopt_live *const *lives;
	size_t live_count;
	const struct seal_identities *identities; /* none of them: sealed content is not compared */
	bool no_machines;                         /* are not looked at */
};
/*
 * The committed output of a cluster beside what is live of it; nothing is rendered, and no seed is
 * needed. What is observed lives in secret_arena. Errors, class input: DIAG_COMPARE_CLUSTER,
 * DIAG_OUTPUT_FOLDER, DIAG_TREE_INDEX; those of the repository.
 */
MUST_CHECK enum status adopt_observe(struct arena *secret_arena, struct sink *sink,
                                     const struct adopt_observe_request *request,
                                     struct adopt_observation *ret_observation);
/* As text; all: what is as it should be, too. */
void adopt_observation_text(struct buf *buf, const struct adopt_observation *observation, bool all);
void adopt_observation_json(struct buf *buf, const struct adopt_observation *observation);

#endif
