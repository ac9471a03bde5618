/*
 * adopt: reads exports of a live cluster (what kubectl prints). Writes them as files for git,
 * compares them with rendered objects, and observes whether the committed output is live.
 *
 *   export.c         reads exports: Lists and documents
 *   kinds.c          the kinds that are read, and the dialects that know them
 *   lines.c          the report of an adoption
 *   appliers.c       finds the programs that apply live objects
 *   args.c           turns the controller's arguments into settings
 *   clean.c          copies of manifests with the fields, annotations and labels that have a reader
 *   scan.c           finds strings that look like secrets in clear files
 *   credential.c     moves credentials of a unit to a Secret
 *   files.c          moves files of a unit that may hold a secret to one
 *   config_map.c     finds ConfigMaps that hold a credential
 *   choose.c         chooses the objects that are taken
 *   recipients.c     the recipients of the encrypted Secrets
 *   compare.c        compares rendered objects with live ones
 *   differ.c         finds the first difference of two objects, and all of two templates
 *   template.c       finds what applying a unit would do to its machines
 *   show.c           masks secrets in a line that is shown
 *   print.c          prints an adoption and a comparison, for people, the latter as JSON, too
 *   observe.c        looks for the objects of the committed output in exports
 *   machines.c       counts the machines by the revision of their user-data
 *   nodes.c          finds the nodes that have applied a Secret
 *   observe_print.c  prints an observation, for people and as JSON
 *   write.c          writes the cluster's folder, all of it or nothing
 *   adopt.c          the steps of an adoption
 *
 * Exports contain secrets. Their contents, and all values read from them, are in arenas of the
 * secret kind, and their sources are confidential.
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

/* The objects of one or several exports. */
struct adopt_live;
/* secret_arena must be of the secret kind. */
struct adopt_live *adopt_live_new(struct arena *secret_arena);
/*
 * Adds one export: the output of `kubectl get -o yaml` or `-o json`, with nested Lists and several
 * documents. Messages call it `name`. Objects of other kinds (adopt_reads) are only counted. Fails
 * for a file that is cut short or is not an export (DIAG_EXPORT_FORMAT), for an object that occurs
 * twice with different content (DIAG_EXPORT_CLUSTERS), and for errors of the parsers.
 */
MUST_CHECK enum status adopt_live_read(struct sink *sink, struct adopt_live *live, sv name,
                                       sv text);

/* Returns true if the exports have no object of a kind that is read. */
bool adopt_live_is_empty(const struct adopt_live *live);

/* ---- adopting ---------------------------------------------------------------------------- */

enum adopt_fate {
	ADOPT_TAKEN, /* written to the folder */
	ADOPT_LEFT,  /* not written */
	ADOPT_NOTE,  /* for people to know */
};

VEC_TYPE(adopt_names, sv);

struct adopt_line {
	enum adopt_fate fate;
	sv what;                  /* "Secret kube-system/hetzner", "3 Secrets" */
	sv why;                   /* may be empty */
	struct adopt_names names; /* of the objects that `what` only counts */
};
VEC_TYPE(adopt_lines, struct adopt_line);

/* Live units and definitions of one kind that one source applies. Its strings may be shown. */
struct adopt_applier {
	const struct kube_applier *applier;
	sv source;                /* "NAMESPACE/NAME"; may be empty */
	sv trace;                 /* "annotation NAME", "field manager NAME" */
	sv kind;                  /* of the objects */
	struct adopt_names names; /* "NAMESPACE/NAME", in the order of the exports */
};
VEC_TYPE(adopt_appliers, struct adopt_applier);
/* Returns the programs that apply live objects, by the traces on those. */
struct adopt_appliers adopt_find_appliers(struct arena *arena, const struct adopt_live *live);

struct adopt_request {
	const struct adopt_live *live;
	sv cluster;
	sv into;              /* a folder in a work tree that is missing or empty */
	const sv *recipients; /* age recipients; the repository's if empty */
	size_t recipient_count;
	const sv *allowed; /* --allow-clear: fields that only look like secrets */
	size_t allowed_count;
	/*
	 * The root of the keys that encrypt Secrets: the fleet's seed, so that the same export
	 * gives the same files, or random bytes that are used only once.
	 */
	struct seal_root *root;
};

struct adopt_result {
	struct adopt_lines lines;
	struct adopt_appliers appliers;
	sv repository; /* its root */
	sv folder;     /* `into` as it was given, without "/" at its end */
	sv revisions;  /* the file for --revisions; empty if no unit has a revision */
	size_t file_count;
	size_t sealed_count;
	bool recipients_are_given;
};

/*
 * Writes the folder, or nothing. Fails with DIAG_ADOPT_NOTHING (no units), DIAG_EXPORT_CLUSTERS
 * (several controllers), DIAG_ADOPT_RECIPIENTS, DIAG_ADOPT_CREDENTIAL (a credential that cannot
 * move to a Secret), DIAG_ADOPT_PRIVATE_KEY, DIAG_ADOPT_SECRET, DIAG_SECRET_LEAK,
 * DIAG_ADOPT_FOLDER, or DIAG_USAGE (an invalid name of the cluster).
 */
MUST_CHECK enum status adopt(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                             const struct adopt_request *request, struct adopt_result *ret_result);

/*
 * Prints what was taken and left out, who applies it, and what to do next; `all` adds the names of
 * objects that are only counted.
 */
void adopt_result_text(struct buf *buf, const struct adopt_request *request,
                       const struct adopt_result *result, bool all);

/*
 * Masks words that look like secrets in all diagnostics: messages contain names from the exports,
 * and a secret may be anywhere in those.
 */
void adopt_mask_messages(struct arena *arena, struct sink *sink);

/* ---- comparing --------------------------------------------------------------------------- */

enum adopt_finding_kind {
	ADOPT_EQUAL,
	ADOPT_EQUAL_BUT, /* equal, but for a difference that is expected */
	ADOPT_DIFFERS,
	ADOPT_ONLY_HERE,
	ADOPT_ONLY_THERE,
	ADOPT_NOT_COMPARED,
};

/* The comparison of one object. Its strings may be shown: secrets in them are masked. */
struct adopt_finding {
	enum adopt_finding_kind kind;
	struct kube_id id;
	sv but;      /* ADOPT_EQUAL_BUT: the difference; ADOPT_NOT_COMPARED: the reason */
	sv place;    /* ADOPT_DIFFERS: the first member that differs, "data.cloud-config" */
	size_t line; /* in a string of several lines, from 1; else 0 */
	sv here;
	sv there;
};

enum adopt_template {
	ADOPT_TEMPLATE_SAME,
	ADOPT_TEMPLATE_OTHER,   /* applying it replaces machines */
	ADOPT_TEMPLATE_UNKNOWN, /* the live object is not in the exports */
};

/* A member of the template that differs. Its strings may be shown: secrets in them are masked. */
struct adopt_change {
	sv place; /* "spec.template.spec.versions.kubelet" */
	sv here;
	sv there;
	/* Only the live template has the member, and in a map: an applier leaves it to others. */
	bool is_extra;
	bool is_empty; /* is_extra, and the live value is null, an empty string, list or map */
};
VEC_TYPE(adopt_changes, struct adopt_change);

struct adopt_unit {
	struct kube_id id;
	enum adopt_template template;
	struct adopt_changes changes; /* of ADOPT_TEMPLATE_OTHER, in the order of the manifest */
	sv revision_here;
	sv revision_there; /* empty if it is not known */
	/* The output has the unit, so applying the output applies its template, too. */
	bool is_applied;
	int64_t replicas_here;  /* -1 if the applied unit has no number, or there is none */
	int64_t replicas_there; /* -1 if it is not live, or has no number */
};
VEC_TYPE(adopt_units, struct adopt_unit);

struct adopt_comparison {
	sv cluster;
	VEC(struct adopt_finding) findings; /* sorted by object */
	struct adopt_units units; /* units whose template decides whether machines are replaced */
	struct adopt_appliers appliers;
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
                                            const struct fleet_cluster *cluster,
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

/*
 * Returns a live Secret with user-data that the controller made, if `artifacts`, those of a unit,
 * have a ConfigMap with a part of their user-data. The controller makes no such ConfigMap, so the
 * Secrets cannot be compared. Returns null for other units.
 */
const struct kube_object *adopt_live_whole(const struct adopt_comparing *comparing,
                                           const struct artifacts *artifacts);

struct adopt_rendering {
	const struct dialect_unit *unit;
	sv revision;
	const struct artifacts *artifacts;
	/* The same with the live token in place of the derived one; may be null. */
	const struct artifacts *with_live_token;
	const struct redaction *redaction; /* of clear objects in the output */
};
/* Compares one unit's objects, by the unit's own dialect, which must be able to. */
void adopt_compare(struct adopt_comparing *comparing, const struct adopt_rendering *rendering);
/*
 * Compares only the template of a unit with the live one. `is_applied` is true if the output has
 * the unit, or will have it. Nothing is rendered: the template has the value of the roll annotation
 * that is given. The unit's dialect must have an adoption and template_text.
 */
struct adopt_unit adopt_compare_template(struct adopt_comparing *comparing,
                                         const struct dialect_unit *unit, bool is_applied, sv roll);
/* Returns true if applying the output would replace, add or delete machines of the unit. */
bool adopt_moves_machines(const struct adopt_unit *unit);
/* Adds the live objects that were not rendered, and ends the comparison. */
void adopt_comparing_end(struct adopt_comparing *comparing,
                         struct adopt_comparison *ret_comparison);

/* Prints it for people; `all` adds equal objects, and the differences that are ignored. */
void adopt_comparison_text(struct buf *buf, const struct adopt_comparison *comparison, bool all);
void adopt_comparison_json(struct buf *buf, const struct adopt_comparison *comparison);
struct report_form;
/*
 * Adds what becomes of the machines of a unit, as a sentence that begins with its kind and name,
 * and a line for each member of its template that differs. `form` is the form compare.
 */
void adopt_add_unit(struct buf *buf, const struct report_form *form, const struct adopt_unit *unit);
/* Adds what becomes of the machines of all units that the output has, as one sentence. */
void adopt_add_machines(struct buf *buf, const struct report_form *form,
                        const struct adopt_units *units);

/* ---- observing --------------------------------------------------------------------------- */

enum adopt_object_state {
	ADOPT_OBJECT_SAME,      /* live, as it is committed */
	ADOPT_OBJECT_UNOPENED,  /* live, of the committed revision; content that no key opens */
	ADOPT_OBJECT_REVISION,  /* live, of another revision */
	ADOPT_OBJECT_DIFFERS,   /* live, with another content */
	ADOPT_OBJECT_MISSING,   /* committed, not live */
	ADOPT_OBJECT_ONLY_LIVE, /* live, not committed */
};

struct adopt_observed_object {
	enum adopt_object_state state;
	struct kube_id id;
	sv place;         /* ADOPT_OBJECT_DIFFERS: the first member that differs */
	size_t line;      /* in a string of several lines, from 1; else 0 */
	sv revision;      /* ADOPT_OBJECT_REVISION */
	sv live_revision; /* likewise; may be empty */
};

enum adopt_machine_state {
	ADOPT_MACHINE_CURRENT, /* started with the user-data of the live revision, and a node */
	ADOPT_MACHINE_OTHER,   /* started with the user-data of another revision */
	ADOPT_MACHINE_JOINING, /* has no node yet */
	ADOPT_MACHINE_LEAVING, /* is being deleted */
};

struct adopt_machine {
	sv name;
	sv machine_set;
	sv revision; /* of the MachineSet; empty if that is not in the exports */
	sv node;     /* may be empty */
	enum adopt_machine_state state;
};

struct adopt_observed_unit {
	const struct dialect *dialect;
	sv kind;
	sv namespace;
	sv name;
	sv revision;      /* of the committed Secrets */
	sv live_revision; /* of the newest MachineSet; empty if it is not known */
	bool is_live;     /* it is in the exports */
	int64_t replicas; /* replicas of the live MachineDeployment; -1 if it is not a number */
	VEC(struct adopt_machine) machines; /* sorted by name */
	size_t counts[ADOPT_MACHINE_LEAVING + 1];
};

/* A Node that applies a committed Secret by itself. */
struct adopt_node {
	sv name;
	struct kube_id secret;
	bool has_applied;
};

struct adopt_observation {
	sv cluster;
	sv commit;
	VEC(struct adopt_observed_object) objects; /* sorted by object */
	VEC(struct adopt_observed_unit) units;
	size_t counts[ADOPT_OBJECT_ONLY_LIVE + 1];
	size_t unread;    /* committed objects of kinds that are not read from exports */
	bool no_machines; /* machines and nodes were not looked at */
	VEC(struct adopt_node) nodes; /* sorted by Secret and name */
	size_t waiting_nodes;         /* those that have not applied their Secret */
	/* Every object is live as committed; every machine is current, and no node waits, if they
	 * were looked at. */
	bool is_settled;
};

struct adopt_observe_request {
	sv repo;
	sv out;
	sv rev;
	sv cluster; /* may be empty if there is only one */
	/*
	 * One for each export: the management cluster and the worker cluster may have different
	 * objects of the same name.
	 */
	const struct adopt_live *const *lives;
	size_t live_count;
	const struct seal_identities *identities; /* without any, sealed content is not compared */
	bool no_machines;                         /* machines are not looked at */
};
/*
 * Compares the committed output of a cluster with its live objects. Renders nothing and needs no
 * seed. *ret_observation is in secret_arena. Fails with DIAG_COMPARE_CLUSTER, DIAG_OUTPUT_FOLDER,
 * DIAG_TREE_INDEX, or errors of the repository.
 */
MUST_CHECK enum status adopt_observe(struct arena *secret_arena, struct sink *sink,
                                     const struct adopt_observe_request *request,
                                     struct adopt_observation *ret_observation);
/* Prints it for people; `all` adds objects, units and machines that are as committed. */
void adopt_observation_text(struct buf *buf, const struct adopt_observation *observation, bool all);
void adopt_observation_json(struct buf *buf, const struct adopt_observation *observation);

#endif
