/*
 * Declarations that the files of audit/ share.
 */
#ifndef OSM_GEN_AUDIT_INTERNAL_H
#define OSM_GEN_AUDIT_INTERNAL_H

#include "audit/audit.h"

#include "fleet/fleet.h"
#include "kube/kube.h"
#include "tree/tree.h"

/*
 * findings.c: adds a finding at a file of the output. `path` is relative to the output folder, and
 * empty for a finding about the whole output.
 */
struct diag *audit_find(struct audit_findings *findings, enum diag_code code, sv path,
                        const char *format, ...) PRINTF_LIKE(4, 5);
void audit_note(struct arena *arena, struct audit_texts *texts, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* state.c: lists the files of a commit that vouching is about. */
MUST_CHECK enum status audit_read_state(struct arena *arena, struct sink *sink,
                                        struct git_repo *repo, struct git_id tree, sv out,
                                        struct audit_state *ret_state);
bool audit_files_equal(const struct git_files *a, const struct git_files *b);
static inline bool audit_file_equal(const struct git_file *a, const struct git_file *b)
{
	return a->mode == b->mode && git_id_equal(a->id, b->id);
}

/* ---- history ------------------------------------------------------------------------------ */

/* The commit that is audited, and its ancestors. */
struct audit_past {
	struct arena *arena;
	struct git_repo *repo;
	sv out;
	struct git_commits commits;
	struct map numbers; /* size_t * by id's bytes */
	bool *is_since;     /* neither a voucher nor an ancestor of one */
	bool *is_older;     /* a voucher, or an ancestor of one */
};

/* older.c: returns the number of a commit, or null if it is not among them. */
const size_t *audit_number_of(const struct audit_past *past, const struct git_id *id);

/*
 * Returns the number of the commit since the vouchers that made this version of the file, or that
 * removed it if `file` is null. Returns SV_NPOS if none is found.
 */
size_t audit_find_author(const struct audit_past *past, sv path, const struct git_file *file);

/* Returns true if commit `number` has this version of the file, or no such file if it is null. */
bool audit_has_version(const struct audit_past *past, size_t number, sv path,
                       const struct git_file *file);

/* A file to search for in earlier commits. */
struct audit_wanted {
	const struct git_file *file;
	size_t found; /* number of the commit that made this version, or SV_NPOS */
};
VEC_TYPE(audit_wanted_files, struct audit_wanted);
/* Searches earlier commits. Returns false if there were too many, so that some were not searched.
 */
bool audit_find_older(const struct audit_past *past, struct audit_wanted_files *wanted);

/* ---- squash.c ----------------------------------------------------------------------------- */

/* The commits that look like squash merges, with the changes of the output that they made. */
struct audit_squashes {
	const struct audit_past *past;
	struct audit_findings *findings;
	struct map by_commit; /* by number of the commit */
};
struct audit_squashes audit_squashes_of(const struct audit_past *past,
                                        struct audit_findings *findings);
/*
 * Adds the change, such as "removed", to the commit that made it, and returns true, if that looks
 * like a squash merge that kept no message of the runs in it.
 */
bool audit_add_squashed(struct audit_squashes *squashes, const char *change, sv path,
                        size_t author);
/* Reports each of them, with its first changes. `voucher` is the number of a voucher. */
void audit_report_squashes(const struct audit_squashes *squashes, size_t voucher);

/* ---- index.json --------------------------------------------------------------------------- */

/*
 * Reads the index of a cluster's folder, of any format (tree_index_read_any), and sorts its
 * recipients. Returns false if it is wrong, or if a file is both an object and a patch; *ret_what
 * is the reason.
 */
bool audit_read_index(struct arena *arena, sv folder, const struct source *source,
                      struct tree_index *ret_index, sv *ret_what);

VEC_TYPE(audit_indexes, struct tree_index);

/* The output that is audited. */
struct audit_tree {
	struct git_repo *repo;
	sv out;
	struct audit_state state;
	struct audit_indexes indexes;
	struct map listed; /* struct tree_file * by path */
	struct set paths;  /* of the listed files, and of the indexes themselves */
	bool in_buckets;   /* the clusters' folders are in buckets */
};

/* listing.c: reads the indexes, and reports where they and the files disagree. */
MUST_CHECK enum status audit_read_tree(struct arena *arena, struct sink *sink,
                                       struct git_repo *repo, struct git_id tree, sv out,
                                       struct audit_findings *findings,
                                       struct audit_tree *ret_tree);

/* ---- one file ----------------------------------------------------------------------------- */

/*
 * Returns what is wrong with the place of an object or patch, or an empty string if it is right.
 */
sv audit_place_mistake(struct arena *arena, const struct tree_index *index,
                       const struct tree_file *entry, const struct value *document, sv text);
/* Returns true if the document is sealed as an object of another kind (SealedSecret), not SOPS. */
bool audit_is_wrapped(const struct value *document);

struct audit_file {
	struct audit_findings *findings;
	const struct tree_index *index;
	const struct tree_file *entry;
	/* The sealing settings of the cluster; null if the inputs do not name it. */
	const struct fleet_sealing *sealing;
	/* The sealing settings at each vouching run; no element is null. */
	const struct fleet_sealing *const *earlier;
	size_t earlier_count;
	sv text;
	const struct value *document;
};
/* wrapped.c: returns the scope that the annotations of a SealedSecret give it. */
enum seal_scope audit_scope_of(const struct value *annotations);
/* wrapped.c: checks the clear values of a SealedSecret. */
void audit_check_wrapped(struct arena *arena, const struct audit_file *file);
/* content.c: checks all that can be checked without a key. */
void audit_check_object(struct arena *arena, const struct audit_file *file);
/* content.c: checks that a kustomization.yaml is the one that follows from the indexes. */
void audit_check_kustomization(struct arena *arena, const struct audit_tree *tree,
                               const struct audit_file *file);
/* sealed.c: makes the other checks of a sealed file, and counts it in the result. */
void audit_check_sealed(struct arena *arena, const struct audit_request *request,
                        const struct audit_file *file, struct sealer *sealer,
                        struct audit_result *result);

/* ---- sealed again ---------------------------------------------------------------------------- */

enum audit_again {
	AUDIT_AGAIN_SAME,
	AUDIT_AGAIN_OTHER,
	AUDIT_AGAIN_UNKNOWN, /* the inputs do not have the certificate that the index names */
};
/* again.c: seals the opened content of a file again, and compares the result with the file. */
enum audit_again audit_seal_again(struct arena *secret_arena, const struct audit_file *file,
                                  struct sealer *sealer, const struct value *opened);
/*
 * Returns true if the private keys open values that are sealed to the certificate of the file's
 * cluster. Returns false if that certificate is not known. `sealer` is null without a seed; the
 * result is false then.
 */
bool audit_has_key_of(struct arena *secret_arena, const struct audit_file *file,
                      struct sealer *sealer, const struct seal_identities *identities);

/* ---- the settings of the inputs -------------------------------------------------------------- */

/* The commit whose settings are read, and the output that they are for. */
struct audit_settings_request {
	struct git_repo *repo;
	struct git_id tree;
	sv out;
	bool in_buckets; /* the clusters of the output are in buckets */
};
/*
 * settings.c: reads the clusters and their sealing settings from osm-gen.yaml of a commit, without
 * any objects. Returns false if something is wrong; *ret_fleet then has what could be read.
 */
MUST_CHECK bool audit_read_settings(struct arena *secret_arena,
                                    const struct audit_settings_request *request,
                                    struct fleet *ret_fleet);
/* Returns the sealing settings of a cluster, or null if the inputs have none that are sound. */
const struct fleet_sealing *audit_sealing_of(const struct fleet *fleet, sv cluster);

#endif
