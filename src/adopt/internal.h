/*
 * Private to adopt/: what its files share. One block a file.
 */
#ifndef OSM_GEN_ADOPT_INTERNAL_H
#define OSM_GEN_ADOPT_INTERNAL_H

#include "adopt/adopt.h"
#include "secrecy/secrecy.h"

/* ---- kinds.c ----------------------------------------------------------------------------- */

/* A kind of live objects and its dialect. Both are null for kinds that no dialect lists. */
struct adopt_kind {
	const struct dialect *dialect;
	const struct dialect_live_kind *row;
};
struct adopt_kind adopt_kind_of(const struct kube_id *id);
/* Returns the dialect whose units have this kind, or null if no dialect with an adoption has. */
const struct dialect *adopt_dialect_of_unit(sv kind);
bool adopt_is_part(const struct kube_object *object, enum dialect_live_part part);
/* Returns true if objects of the kind are kept; others are only counted. */
bool adopt_reads(sv kind, sv api_version);
/* Returns the dialect's first kind of that part, or null. The dialect must have an adoption. */
const struct dialect_live_kind *adopt_part(const struct dialect *dialect,
                                           enum dialect_live_part part);
/* Returns the role of a Secret in the first dialect that knows it. */
enum dialect_secret_role adopt_secret_role(const struct kube_object *secret);

/* ---- export.c ---------------------------------------------------------------------------- */

struct adopt_other {
	sv kind;
	size_t count;
};

struct adopt_live {
	struct arena *arena;
	struct kube_object_list objects; /* in the order of the exports */
	struct map by_id;                /* "KIND NAMESPACE/NAME" to const struct kube_object * */
	VEC(struct adopt_other) others;  /* kinds that are not read, sorted by nothing */
	/* "KIND NAMESPACE/OWNER" to struct kube_object_list *: what objects own, in that order. */
	struct map owned;
};

static inline bool adopt_is_kind(const struct kube_object *object, const char *kind)
{
	return sv_eq_cstr(object->id.kind, kind);
}
/* "KIND NAMESPACE/NAME" */
sv adopt_key(struct arena *arena, const struct kube_id *id);
/* Null when there is none. */
const struct kube_object *adopt_live_find(const struct adopt_live *live, sv kind, sv namespace,
                                          sv name);
/* Objects of the kind that one of that namespace and name owns. */
const struct kube_object_list *adopt_live_owned(const struct adopt_live *live, sv kind,
                                                sv namespace, sv owner);
/* The text of an annotation; empty when there is none. */
sv adopt_annotation(const struct kube_object *object, sv name);

/* Returns the newest revision of the unit's sets, else the unit's own; may be empty. */
sv adopt_live_revision(const struct adopt_live *live, const struct dialect *dialect,
                       const struct kube_object *unit);

/* ---- lines.c ----------------------------------------------------------------------------- */

/* Puts a line; what and why are kept as they are. */
void adopt_say(struct arena *arena, struct adopt_lines *lines, enum adopt_fate fate, sv what,
               sv why);

/* Fields, annotations and labels that are left out, each with the number of its objects. */
struct adopt_left {
	sv what; /* "annotation kapp.k14s.io/original" */
	const char *why;
	size_t count;
};
struct adopt_leaving {
	struct arena *arena;
	struct map by_what;
	VEC(struct adopt_left *) items;
};
void adopt_leave(struct adopt_leaving *leaving, sv what, const char *why);
void adopt_say_left(const struct adopt_leaving *leaving, struct adopt_lines *lines);

/* Masks words that look like secrets: an object's name may be one by mistake. */
void adopt_mask_lines(struct arena *arena, struct adopt_lines *lines);

/* ---- args.c ------------------------------------------------------------------------------ */

/* What the controller was told. */
struct adopt_controller {
	const struct kube_object *deployment; /* null: not in the exports */
	struct value settings;                /* map of setting names to values */
};
/* DIAG_EXPORT_CLUSTERS for more than one controller. cluster: what it is called in git. */
MUST_CHECK enum status adopt_find_controller(struct arena *arena, struct sink *sink,
                                             const struct adopt_live *live, sv cluster,
                                             struct adopt_lines *lines,
                                             struct adopt_controller *ret_controller);

/* ---- clean.c ----------------------------------------------------------------------------- */

/*
 * A copy as git is to hold it: the fields, annotations and labels that somebody reads.
 * spec.template of a MachineDeployment keeps all that decides whether machines are replaced.
 * leaving may be null.
 */
struct value adopt_clean(struct arena *arena, struct adopt_leaving *leaving,
                         const struct kube_object *object);

/* ---- scan.c ------------------------------------------------------------------------------ */

struct adopt_scan {
	struct arena *arena; /* of the secret kind */
	struct sink *sink;
	const struct adopt_request *request;
	const struct known_secrets *secrets;
};
/*
 * Reports what is in the clear parts of an object and looks like a secret, packed or not:
 * DIAG_ADOPT_PRIVATE_KEY, DIAG_ADOPT_SECRET. sealed: its data and stringData are encrypted.
 */
MUST_CHECK enum status adopt_scan_clear(const struct adopt_scan *scan, const struct value *object,
                                        struct position at, bool sealed);
/* How a text is looked at that has this key. */
enum secrecy_text_kind adopt_text_kind(sv key);
/* "KIND/NAMESPACE/NAME:PATH", as --allow-clear has it. */
sv adopt_field_name(struct arena *arena, const struct kube_id *id, sv path);
bool adopt_is_allowed(const struct adopt_request *request, sv field);

/* ---- credential.c ------------------------------------------------------------------------ */

/*
 * Moves the credentials that stand in a cleaned MachineDeployment, and what looks like one, to a
 * Secret beside it. *ret_secret is that Secret; invalid: there are none. Reports
 * DIAG_ADOPT_CREDENTIAL for credentials that machine-controller takes from no Secret.
 */
MUST_CHECK enum status adopt_move_credentials(const struct adopt_scan *scan,
                                              const struct dialect *dialect,
                                              const struct kube_object *object,
                                              struct value *manifest, struct value *ret_secret);

/* ---- choose.c ---------------------------------------------------------------------------- */

struct adopt_file {
	sv path;             /* below the folder */
	struct value object; /* as it is written */
	struct position at;
	bool sealed;
};

struct adopt_revision {
	sv namespace;
	sv name;
	sv annotation; /* that has it */
	sv revision;
};

struct adopt_choice {
	VEC(struct adopt_file) files;
	VEC(struct adopt_revision) revisions;
	struct known_secrets *secrets; /* that may stand in no clear file */
	struct value settings;
};

MUST_CHECK enum status adopt_choose(struct arena *secret_arena, struct sink *sink,
                                    const struct adopt_request *request, unsigned contract,
                                    struct adopt_lines *lines, struct adopt_choice *ret_choice);

/* ---- recipients.c ------------------------------------------------------------------------ */

struct adopt_place {
	sv root;     /* of the work tree */
	sv relative; /* the folder, from there */
};
/* path is of a file in the folder, for the rules of .sops.yaml. */
MUST_CHECK enum status adopt_find_recipients(struct arena *arena, struct sink *sink,
                                             const struct adopt_request *request,
                                             const struct adopt_place *place, sv path,
                                             struct seal_recipients *ret_recipients);

/* That of the repository's osm-gen.yaml, where it names one that is carried; else the newest. */
unsigned adopt_find_contract(struct arena *arena, const struct adopt_place *place);

/* ---- show.c ------------------------------------------------------------------------------ */

/* What is known of secrets on both sides. */
struct adopt_masks {
	struct arena *arena;
	const struct secret_mask *mask;
};
/*
 * One line for people, at most some 160 bytes: what is tainted in it, known as a secret, or looks
 * like one, is "***". other: the text that stands in its place on the other side; where that one is
 * tainted, this one is hidden from there on.
 */
sv adopt_show_line(const struct adopt_masks *masks, const struct value *line,
                   const struct value *other);

/* All that is called a secret: by the exports, and by known (or null). */
const struct secret_mask *adopt_mask_new(struct arena *arena, const struct adopt_live *live,
                                         const struct known_secrets *known);

/* ---- differ.c ---------------------------------------------------------------------------- */

VEC_TYPE(adopt_sentences, const char *);

struct adopt_difference {
	sv place;
	size_t line;
	sv here;
	sv there;
	bool moved; /* they are equal but for credentials that git holds in a Secret */
};

struct adopt_sides {
	const struct adopt_masks *masks;
	const struct dialect *dialect;      /* of the unit; null: that of the object's kind */
	const struct kube_objects *objects; /* what references lead to */
	bool live_is_ours;                  /* written by osm-gen: nothing differs by nature */
};
/* Whether an object that osm-gen wrote is live, as its annotations say. */
bool adopt_is_ours(const struct kube_object *live);
/* Returns the differences that are never reported, one sentence each, for people. */
struct adopt_sentences adopt_ignored(struct arena *arena);
/* False: they are the same. Texts of ours are tainted. */
bool adopt_differ(const struct adopt_sides *sides, const struct artifact *ours,
                  const struct kube_object *live, struct adopt_difference *ret_difference);

/* ---- machines.c -------------------------------------------------------------------------- */

/* Returns true if the unit's dialect lists machines among its live kinds. */
bool adopt_has_machines(const struct dialect *dialect);
/* The unit's live object, and its machines, of one of the exports. */
void adopt_observe_machines(struct arena *arena, const struct adopt_observe_request *request,
                            struct adopt_observed_unit *unit);
/* It is live, of the committed revision, and so are its machines, which all have a node. */
bool adopt_unit_is_settled(const struct adopt_observation *observation,
                           const struct adopt_observed_unit *unit);

/* ---- write.c ----------------------------------------------------------------------------- */

/* Where `into` leads; DIAG_ADOPT_FOLDER when nothing may be written there. */
MUST_CHECK enum status adopt_find_place(struct arena *arena, struct sink *sink,
                                        const struct adopt_request *request,
                                        struct adopt_place *ret_place);
/* revisions/CLUSTER.json beside the folder. */
sv adopt_revisions_path(struct arena *arena, const struct adopt_request *request, sv folder);
MUST_CHECK enum status adopt_write(struct arena *secret_arena, struct sink *sink,
                                   const struct adopt_request *request,
                                   const struct adopt_place *place,
                                   const struct adopt_choice *choice, struct adopt_result *result);

#endif
