/*
 * Private to review/.
 */
#ifndef OSM_GEN_REVIEW_INTERNAL_H
#define OSM_GEN_REVIEW_INTERNAL_H

#include "os/os.h"
#include "review/review.h"

/* Bytes that mark places in normal forms. Strings that report/ made visible have none of them. */
enum review_mark {
	REVIEW_MARK_NONE, /* no mark */
	REVIEW_MARK_NAME,
	REVIEW_MARK_CLUSTER,
	REVIEW_MARK_NAMESPACE,
	REVIEW_MARK_FINGERPRINT,
	REVIEW_MARK_OWN,
	REVIEW_MARK_PREFIX, /* of the name, see struct dialect */
};

/* Begins the user that a bootstrap token authenticates as; the token's id follows. */
#define REVIEW_BOOTSTRAP_USER "system:bootstrap:"

/*
 * Appends the unit's normal form. Leaves out hunks of which only marks differ, unless nothing else
 * does: their lines would look equal.
 */
void review_add_normal(struct arena *scratch, struct buf *buf, const struct review_unit *unit);
/* One string of a unit: a value, a note. */
sv review_normal_text(struct arena *arena, sv text, const struct review_unit *unit);
/* The names that marks replaced. An empty one is shown as "<name>" and the like. */
struct review_names {
	sv name;
	sv cluster;
	sv namespace;
};
/* Appends the form for people, with names in place of marks. */
void review_add_shown(struct buf *buf, sv normal, const struct review_names *names);
/* Returns it as a string. */
sv review_shown(struct arena *arena, sv normal, const struct review_names *names);
/* Returns true if the form has "..." in place of revisions, digests, fingerprints, ids of tokens.
 */
bool review_leaves_out(sv normal);

VEC_TYPE(review_fields, struct report_field);
struct review_finding {
	enum report_note_kind kind;
	sv text;
};
VEC_TYPE(review_findings, struct review_finding);

/* Notes, each once. */
struct review_finder {
	struct arena *arena;
	struct set known; /* findings: kind and text */
	struct review_findings findings;
};
static inline struct review_finder review_finder_in(struct arena *arena)
{
	return (struct review_finder){.arena = arena, .known = set_in(arena)};
}

/*
 * Adds the fields that differ between two configs: facts with their values, then files with
 * differences that no fact explains, as fields without values. Adds notes of versions.
 */
void review_compare(struct arena *scratch, const struct review_unit *unit,
                    const struct dialect_description *before,
                    const struct dialect_description *after, struct review_finder *finder,
                    struct review_fields *fields);
/*
 * Makes a field of the first line that differs in a normal form, apart from a unit's own
 * annotations. Returns false if no other line differs.
 */
bool review_first_line(sv form, struct report_field *ret_field);
/*
 * Returns the text with the new values of fields in place of the old ones, so that a line of which
 * a field shows all is equal to the new line. Old values that are too short to be known as such
 * stay.
 */
sv review_explained(struct arena *arena, sv text, const struct review_fields *fields);
/*
 * Returns the lines of a normal form that change, sorted. Leaves out lines that the fields explain,
 * and pairs of lines that differ only in fingerprints, digests and the like.
 */
sv review_rest(struct arena *arena, sv form, const struct review_fields *fields);
/* Returns the lines of a normal form that change, with their signs, in its order. */
sv review_changed_lines(struct arena *arena, sv form);
/* Returns "ssh-ed25519 ...END COMMENT", by which people recognize a key. */
sv review_short_key(struct arena *arena, sv key);

/* whole.c: notes that no single change gives rise to. Each adds those of its kind, or none. */
void review_note_refusals(struct arena *arena, struct report_summary *summary);
void review_note_removals(struct arena *arena, struct report_summary *summary);
void review_note_replicas(struct arena *arena, struct report_summary *summary);
void review_note_deliveries(struct arena *arena, struct report_summary *summary);
void review_note_skews(struct arena *arena, struct report_summary *summary);
void review_note_recipients(struct arena *arena, struct report_summary *summary);
void review_note_budgets(struct arena *arena, struct report_summary *summary);

/* facts.c: makes the summary's facts of its notes, groups and added units. */
void review_list_facts(struct arena *arena, struct report_summary *summary);

/* Adds notes of one config, before and after. */
void review_find(struct review_finder *finder, const struct dialect_description *before,
                 const struct dialect_description *after);
/* Adds a note of a version that goes back, or to another major one. */
void review_note_version(struct review_finder *finder, enum dialect_fact_kind kind, sv name,
                         sv before, sv after);
/* Adds notes of the config of a new unit. */
void review_find_new(struct review_finder *finder, const struct review_hosts *known,
                     const struct dialect_description *config);
/* Adds notes of an RBAC object, before and after; either may be null. Ignores other objects. */
void review_find_rbac(struct review_finder *finder, const struct value *before,
                      const struct value *after);

/* ---- what was collected ------------------------------------------------------------------ */

/* Places of units (see review_finish). */
VEC_TYPE(review_places, size_t);

/* One change, shared by all units with the same normal form. */
struct review_entry {
	sv form;      /* empty if it was dropped, as there are too many */
	size_t first; /* the smallest place; rest, fields and findings are of that unit */
	struct review_rest rest;
	struct review_places places;
	struct review_fields fields;
	bool is_line; /* the field is the first line that differs: nothing better is known */
	struct review_findings findings;
	bool is_new; /* see struct review_change */
};

struct review {
	struct arena *arena;
	struct os_mutex *lock;
	struct map changes; /* by the digest of the form */
	size_t form_bytes;
	size_t forms_end; /* no form of a change that begins after this place is shown */
};

/* Returns all changes, sorted by their first units. */
struct review_entry **review_sorted(struct arena *arena, const struct review *review);

/*
 * Leaves the forms of the first changes, as many as fit: drops one that does not fit, and all after
 * it. If all units are there, a change without a form ends them, too.
 */
void review_drop_forms(struct review *review, bool are_all_there);

/* Returns the names that all of these units have in common. */
struct review_names review_common_names(const struct report_summary *summary,
                                        const struct review_places *units);
void review_sort_places(struct review_places *places);

/*
 * groups.c: fills the summary's groups. `places` are the places of the units in the summary. With
 * `ignores_inputs` they are those that a shallow clone finds, which has no manifests before.
 */
void review_make_groups(struct arena *arena, struct review_entry *const *changes, size_t count,
                        const size_t *places, struct report_summary *summary, bool ignores_inputs);

#endif
