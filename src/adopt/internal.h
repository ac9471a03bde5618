/*
 * Declarations that the files of adopt/ share, one block for each file.
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
/* Returns the kinds of units that adopt takes: "MachineDeployment or OperatingSystemConfig". */
sv adopt_unit_kinds(struct arena *arena);
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
	VEC(struct adopt_other) others;  /* kinds that are not read, in the order of the exports */
	/* "KIND NAMESPACE/OWNER" to struct kube_object_list *: the owned objects of that kind. */
	struct map owned;
};

static inline bool adopt_is_kind(const struct kube_object *object, const char *kind)
{
	return sv_eq_cstr(object->id.kind, kind);
}
/* "KIND NAMESPACE/NAME" */
sv adopt_key(struct arena *arena, const struct kube_id *id);
/* Returns the object, or null if the exports do not have it. */
const struct kube_object *adopt_live_find(const struct adopt_live *live, sv kind, sv namespace,
                                          sv name);
/* Returns the objects of a kind whose owner has this namespace and name. */
const struct kube_object_list *adopt_live_owned(const struct adopt_live *live, sv kind,
                                                sv namespace, sv owner);
/* Returns the value of an annotation, or an empty string if it is missing. */
sv adopt_annotation(const struct kube_object *object, sv name);

/* Returns the newest revision of the unit's sets, else the unit's own; may be empty. */
sv adopt_live_revision(const struct adopt_live *live, const struct dialect *dialect,
                       const struct kube_object *unit);

/* ---- lines.c ----------------------------------------------------------------------------- */

/* Adds a line to the report. `what` and `why` are not copied. */
void adopt_add_line(struct arena *arena, struct adopt_lines *lines, enum adopt_fate fate, sv what,
                    sv why);
/* Adds the line "N WHAT", with the names of the objects; nothing if there are none. */
void adopt_add_names(struct arena *arena, struct adopt_lines *lines, sv what,
                     const struct adopt_names *names, const char *why);

/* A field, annotation, label or finalizer that is left out, with the objects that had it. */
struct adopt_left {
	sv what; /* "annotation kapp.k14s.io/original" */
	const char *why;
	struct adopt_names names;
};
struct adopt_leaving {
	struct arena *arena;
	struct map by_what;
	VEC(struct adopt_left *) items;
};
void adopt_leave(struct adopt_leaving *leaving, const struct kube_object *object, sv what,
                 const char *why);
void adopt_add_left_out(const struct adopt_leaving *leaving, struct adopt_lines *lines);

/* Masks words that look like secrets: the name of an object may be one by mistake. */
void adopt_mask_lines(struct arena *arena, struct adopt_lines *lines);

/* ---- appliers.c -------------------------------------------------------------------------- */

/*
 * Adds a note about units without a trace, if the exports lack the fields that may have one:
 * kubectl leaves those out by default.
 */
void adopt_note_untraced(struct arena *arena, const struct adopt_live *live,
                         struct adopt_lines *lines);
/* Returns them as a list: for a form, or for JSON. */
struct value adopt_appliers_value(struct arena *arena, const struct adopt_appliers *appliers);

/* ---- args.c ------------------------------------------------------------------------------ */

/* The arguments of the controller, as settings, with what other live objects show of them. */
struct adopt_controller {
	const struct kube_object *deployment; /* null if it is not in the exports */
	struct value settings;                /* map of setting names to values */
};
/* Fails for more than one controller. `cluster` is its name in git. */
MUST_CHECK enum status adopt_find_controller(struct arena *arena, struct sink *sink,
                                             const struct adopt_live *live, sv cluster,
                                             struct adopt_lines *lines,
                                             struct adopt_controller *ret_controller);

/* ---- clean.c ----------------------------------------------------------------------------- */

/*
 * Returns a copy for git: the fields, annotations and labels that osm-gen or a controller reads.
 * The template of a unit keeps all members that decide whether machines are replaced. Counts the
 * others in `leaving`, which may be null.
 */
struct value adopt_clean(struct arena *arena, struct adopt_leaving *leaving,
                         const struct kube_object *object);

/* ---- scan.c ------------------------------------------------------------------------------ */

struct adopt_scan {
	struct arena *arena; /* of the secret kind */
	struct sink *sink;
	const struct adopt_request *request;
	struct known_secrets *secrets;
};
/*
 * Reports strings in the clear parts of an object that look like secrets, packed or not
 * (DIAG_ADOPT_PRIVATE_KEY, DIAG_ADOPT_SECRET). If `sealed`, its data and stringData are encrypted.
 */
MUST_CHECK enum status adopt_scan_clear(const struct adopt_scan *scan, const struct value *object,
                                        struct position at, bool sealed);
/* Returns the kind of a string that has this key. */
enum secrecy_text_kind adopt_text_kind(sv key);
/* Returns "KIND/NAMESPACE/NAME:PATH", the notation of --allow-clear. */
sv adopt_field_name(struct arena *arena, const struct kube_id *id, sv path);
bool adopt_is_allowed(const struct adopt_request *request, sv field);

/* ---- credential.c ------------------------------------------------------------------------ */

/*
 * Moves the credentials in the manifest of a unit, and strings that look like one, to a new
 * Secret, *ret_secret, or the invalid value if there are none. Fails with DIAG_ADOPT_CREDENTIAL
 * for credentials in a place that cannot name a Secret.
 */
MUST_CHECK enum status adopt_move_credentials(const struct adopt_scan *scan,
                                              const struct dialect *dialect,
                                              const struct kube_object *object,
                                              struct value *manifest, struct value *ret_secret);

/* Returns the name of a new Secret for a unit, which no Secret of the exports has. */
sv adopt_new_secret_name(const struct adopt_scan *scan, const struct kube_object *object);

/* ---- files.c ----------------------------------------------------------------------------- */

/* Contents of files of units that stay in the clear. */
VEC_TYPE(adopt_clear_files, struct value);
/*
 * Moves the files in the manifest of a unit that may hold a secret to a new Secret, and returns it,
 * or the invalid value if there are none. Adds its contents to the scan's secrets, and the contents
 * of the other files to `clear`. The unit's dialect must have move_files.
 */
struct value adopt_move_files(const struct adopt_scan *scan, const struct dialect *dialect,
                              const struct kube_object *object, struct value *manifest,
                              struct adopt_clear_files *clear);

/* ---- config_map.c ------------------------------------------------------------------------ */

/* Returns true if a ConfigMap seems to hold a credential, by itself or for a unit of the clusters.
 */
bool adopt_map_holds_credential(struct arena *arena, const struct kube_object *map,
                                const struct dialect_cluster *clusters, size_t cluster_count);

/* ---- choose.c ---------------------------------------------------------------------------- */

struct adopt_file {
	sv path;             /* below the folder */
	struct value object; /* in clear text */
	struct position at;
	bool sealed;
};

struct adopt_revision {
	sv namespace;
	sv name;
	sv annotation; /* the name of the annotation that has it */
	sv revision;
};

struct adopt_choice {
	VEC(struct adopt_file) files;
	VEC(struct adopt_revision) revisions;
	struct known_secrets *secrets; /* must not be in a clear file */
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
/* `path` is that of a file in the folder, for the rules of .sops.yaml. */
MUST_CHECK enum status adopt_find_recipients(struct arena *arena, struct sink *sink,
                                             const struct adopt_request *request,
                                             const struct adopt_place *place, sv path,
                                             struct seal_recipients *ret_recipients);

/* Returns the contract of the repository's osm-gen.yaml if this program has it, else the newest. */
unsigned adopt_find_contract(struct arena *arena, const struct adopt_place *place);

/* ---- show.c ------------------------------------------------------------------------------ */

/* The known secrets of both sides. */
struct adopt_masks {
	struct arena *arena;
	const struct secret_mask *mask;
};
/*
 * Returns a line for people, at most some 160 bytes long. Strings in it that are tainted, are known
 * as secrets, or look like secrets become "***". `other` is the line on the other side, or null:
 * from its first tainted byte on, this line is hidden, too.
 */
sv adopt_show_line(const struct adopt_masks *masks, const struct value *line,
                   const struct value *other);

/* Returns a mask of all secrets in the exports and in `known`, which may be null. */
const struct secret_mask *adopt_mask_new(struct arena *arena, const struct adopt_live *live,
                                         const struct known_secrets *known);

/* ---- differ.c ---------------------------------------------------------------------------- */

VEC_TYPE(adopt_sentences, const char *);

struct adopt_difference {
	sv place;
	size_t line;
	sv here;
	sv there;
	bool moved; /* they differ in credentials that git has in a Secret, with equal values */
};

struct adopt_sides {
	const struct adopt_masks *masks;
	const struct dialect *dialect;      /* of the unit; null for objects without one */
	const struct kube_objects *objects; /* the Secrets of references */
	bool live_is_ours;                  /* written by osm-gen: no difference is expected */
};
/* Returns true if osm-gen wrote the live object, by its annotations. */
bool adopt_is_ours(const struct kube_object *live);
/* Returns the differences that are never reported, one sentence each, for people. */
struct adopt_sentences adopt_ignored(struct arena *arena);
/* Returns false if they are equal. Strings of `ours` are tainted. */
bool adopt_differ(const struct adopt_sides *sides, const struct artifact *ours,
                  const struct kube_object *live, struct adopt_difference *ret_difference);

/* The same for the members of a unit's status that its dialect compares. */
bool adopt_differ_in_status(const struct adopt_sides *sides, const struct value *ours,
                            const struct kube_object *live,
                            struct adopt_difference *ret_difference);

/*
 * Returns the members of a template that differ from the live one's, credentials that were moved to
 * a Secret among them. Strings of `ours` are tainted.
 */
struct adopt_changes adopt_template_changes(const struct adopt_sides *sides,
                                            const struct value *ours, const struct value *live);

/* ---- template.c -------------------------------------------------------------------------- */

/* Returns a copy of a unit's manifest with its credentials tainted. */
struct value adopt_tainted_manifest(struct arena *arena, const struct kube_object *unit);
/*
 * Compares the template of a unit with the live one, which may be null. `here` is the unit as it is
 * applied, with tainted strings. Leaves the revisions out.
 */
struct adopt_unit adopt_unit_of(const struct adopt_sides *sides, const struct kube_object *here,
                                const struct kube_object *live, bool is_applied);

/* Returns true if the number of replicas is known on both sides, and differs. */
bool adopt_is_scaled(const struct adopt_unit *unit);

/* ---- print.c ----------------------------------------------------------------------------- */

/* Returns a list of names and counts, for a form: those that are not 0. */
struct value adopt_counts_value(struct arena *arena, const char *const *names, const size_t *counts,
                                size_t count);

/* ---- machines.c -------------------------------------------------------------------------- */

/* Returns true if the unit's dialect lists machines among its live kinds. */
bool adopt_has_machines(const struct dialect *dialect);
/* Finds the unit and its machines in the exports, and sets the other members of `unit`. */
void adopt_observe_machines(struct arena *arena, const struct adopt_observe_request *request,
                            struct adopt_observed_unit *unit);
/* Returns true if it is live in the committed revision, and all its machines are current. */
bool adopt_unit_is_settled(const struct adopt_observation *observation,
                           const struct adopt_observed_unit *unit);

/* ---- nodes.c ----------------------------------------------------------------------------- */

/* Adds the Nodes of the exports that apply this committed Secret. `dialect` may be null. */
void adopt_observe_nodes(struct arena *arena, const struct adopt_observe_request *request,
                         const struct dialect *dialect, const struct kube_id *id,
                         const struct value *document, struct adopt_observation *observation);
void adopt_sort_nodes(struct adopt_observation *observation);

/* ---- write.c ----------------------------------------------------------------------------- */

/* Finds the folder of `into`. Fails with DIAG_ADOPT_FOLDER if it must not be written. */
MUST_CHECK enum status adopt_find_place(struct arena *arena, struct sink *sink,
                                        const struct adopt_request *request,
                                        struct adopt_place *ret_place);
/* Returns the path of revisions/CLUSTER.json beside the folder. */
sv adopt_revisions_path(struct arena *arena, const struct adopt_request *request, sv folder);
MUST_CHECK enum status adopt_write(struct arena *secret_arena, struct sink *sink,
                                   const struct adopt_request *request,
                                   const struct adopt_place *place,
                                   const struct adopt_choice *choice, struct adopt_result *result);

#endif
