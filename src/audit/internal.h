/*
 * Inside audit/: what its files share.
 */
#ifndef OSM_GEN_AUDIT_INTERNAL_H
#define OSM_GEN_AUDIT_INTERNAL_H

#include "audit/audit.h"

#include "fleet/fleet.h"
#include "kube/kube.h"
#include "tree/tree.h"

/* findings.c: a finding at a file of the output; path is relative to the output folder, or empty
 * for all. */
struct diag *audit_find(struct audit_findings *findings, enum diag_code code, sv path,
                        const char *format, ...) PRINTF_LIKE(4, 5);
void audit_note(struct arena *arena, struct audit_texts *texts, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* vouch.c: lists the files of a commit that count. */
MUST_CHECK enum status audit_read_state(struct arena *arena, struct sink *sink,
                                        struct git_repo *repo, struct git_id tree, sv out,
                                        struct audit_state *ret_state);
bool audit_files_equal(const struct git_files *a, const struct git_files *b);
static inline bool audit_file_equal(const struct git_file *a, const struct git_file *b)
{
	return a->mode == b->mode && git_id_equal(a->id, b->id);
}

/* ---- history ------------------------------------------------------------------------------ */

/* The commits behind the one that is looked at. */
struct audit_past {
	struct arena *arena;
	struct git_repo *repo;
	sv out;
	struct git_commits commits;
	struct map numbers; /* size_t * by id's bytes */
	bool *is_since;     /* neither a voucher nor behind one */
	bool *is_behind;    /* a voucher, or behind one */
};

/* older.c. Null: the commit is not among them. */
const size_t *audit_number_of(const struct audit_past *past, const struct git_id *id);

/*
 * The commit since the vouchers that brought the file as it is, or removed it (null): its
 * number; SV_NPOS when none is found.
 */
size_t audit_find_author(const struct audit_past *past, sv path, const struct git_file *file);

/* Whether the commit of that number has the file of the output so; file null: does not have it. */
bool audit_has_so(const struct audit_past *past, size_t number, sv path,
                  const struct git_file *file);

/* A file that is looked for among earlier versions. */
struct audit_wanted {
	const struct git_file *file;
	size_t found; /* number of the commit that made it so; SV_NPOS: none */
};
VEC_TYPE(audit_wanted_files, struct audit_wanted);
/* False: there was too much to look through, and only a part of it was. */
bool audit_find_older(const struct audit_past *past, struct audit_wanted_files *wanted);

/* ---- index.json --------------------------------------------------------------------------- */

struct audit_entry {
	sv path;                 /* relative to the output folder */
	struct kube_id object;   /* no kind: the file holds none */
	struct kube_id patch_of; /* of a sealed patch: the object that it changes */
	sv source;
	bool sealed;
	bool is_delivery;             /* outside of the cluster's folder */
	const struct tree_unit *unit; /* its identity; null: of none */
	unsigned cut;                 /* of the index */
};

struct audit_index {
	sv cluster;
	sv folder; /* that it stands in, and all of its entries but those of the delivery */
	sv path;   /* of the index */
	struct audit_entry *entries;
	size_t count;
	sv *recipients; /* sorted */
	size_t recipient_count;
	bool is_foreign; /* some other program's */
};

/* folder: the cluster's. False, with *ret_what: what is wrong with it. */
bool audit_read_index(struct arena *arena, sv folder, const struct source *source,
                      struct audit_index *ret_index, sv *ret_what);

VEC_TYPE(audit_indexes, struct audit_index);

/* The output that is looked at. */
struct audit_tree {
	struct git_repo *repo;
	sv out;
	struct audit_state state;
	struct audit_indexes indexes;
	struct map listed; /* struct audit_entry * by path */
	bool in_buckets;   /* the clusters' folders stand in buckets */
};

/* listing.c: reads the indexes, and reports what they and the files do not agree on. */
MUST_CHECK enum status audit_read_tree(struct arena *arena, struct sink *sink,
                                       struct git_repo *repo, struct git_id tree, sv out,
                                       struct audit_findings *findings,
                                       struct audit_tree *ret_tree);

/* ---- one file ----------------------------------------------------------------------------- */

/* What is wrong with where an object, or a patch, stands; empty: nothing. */
sv audit_place_mistake(struct arena *arena, sv folder, const struct audit_entry *entry,
                       const struct value *document, sv text);
/* Whether it is a Secret in a form of its own, such as a SealedSecret: not SOPS. */
bool audit_is_wrapped(const struct value *document);

struct audit_file {
	struct audit_findings *findings;
	const struct audit_index *index;
	const struct audit_entry *entry;
	/* What the inputs say of the cluster; null: they do not name it. */
	const struct fleet_sealing *sealing;
	/* What those of the runs that vouch said; none of them null. */
	const struct fleet_sealing *const *earlier;
	size_t earlier_count;
	sv text;
	const struct value *document;
};
/* wrapped.c: the scope that annotations of a SealedSecret give it. */
enum seal_scope audit_scope_of(const struct value *annotations);
/* wrapped.c: what stands in the clear in a SealedSecret. */
void audit_check_wrapped(struct arena *arena, const struct audit_file *file);
/* content.c: what can be seen without a key. */
void audit_check_object(struct arena *arena, const struct audit_file *file);
/* content.c: whether a kustomization.yaml is the one that belongs to the indexes. */
void audit_check_kustomization(struct arena *arena, const struct audit_tree *tree,
                               const struct audit_file *file);
/* sealed.c: the rest; counts in the result. */
void audit_check_sealed(struct arena *arena, const struct audit_request *request,
                        const struct audit_file *file, struct sealer *sealer,
                        struct audit_result *result);

/* ---- sealed again ---------------------------------------------------------------------------- */

enum audit_again {
	AUDIT_AGAIN_SAME,
	AUDIT_AGAIN_OTHER,
	AUDIT_AGAIN_UNKNOWN, /* the inputs do not hold the certificate that the index names */
};
/* again.c: whether sealing what the file holds gives its bytes. */
enum audit_again audit_seal_again(struct arena *secret_arena, const struct audit_file *file,
                                  struct sealer *sealer, const struct value *opened);
/*
 * Whether the private keys open what is sealed to the certificate of the file's cluster; false,
 * too, where it is not known (sealer null: there is no seed).
 */
bool audit_has_key_of(struct arena *secret_arena, const struct audit_file *file,
                      struct sealer *sealer, const struct seal_identities *identities);

/* ---- what the inputs say ------------------------------------------------------------------- */

/* The commit whose settings are read, and the output that they are for. */
struct audit_settings_request {
	struct git_repo *repo;
	struct git_id tree;
	sv out;
	bool in_buckets; /* of the output: its clusters stand in buckets */
};
/*
 * settings.c: the clusters and how they are sealed, as osm-gen.yaml of a commit says, without any
 * object. False: something of it is wrong, and ret_fleet is what could be made of the rest.
 */
MUST_CHECK bool audit_read_settings(struct arena *secret_arena,
                                    const struct audit_settings_request *request,
                                    struct fleet *ret_fleet);
/* Null: the inputs do not name the cluster, or say nothing sound. */
const struct fleet_sealing *audit_sealing_of(const struct fleet *fleet, sv cluster);

#endif
