/*
 * audit: checks that osm-gen wrote the committed output, and that every sealed value is in its
 * place.
 *
 * It only reads. SOPS binds a sealed value neither to its object nor to its file, and Flux checks
 * no MAC: whoever applies the output trusts the files in its folder. The audit compares them with
 * what is hard to forge: digests that are keyed with the seed, the MAC, and sealing again, which
 * gives the same bytes (docs/spec/proofs.md 2).
 *
 *   trailers.c  the trailers of a commit's message
 *   left_out.c  the trailers with the facts of commits that a branch no longer has
 *   state.c     the files of a commit, and the keyed digest that vouches for them
 *   history.c   which commit vouches for the output, and what has changed since
 *   older.c     who changed a file, and which earlier commit had the same version
 *   squash.c    commits that look like squash merges
 *   index.c     checks of an index.json that tree/index.c has read
 *   listing.c   the files that the index lists against the files that exist
 *   settings.c  the sealing settings of the inputs
 *   content.c   one file: its object, its header, and its clear values
 *   wrapped.c   likewise, of a SealedSecret
 *   sealed.c    one sealed file: opens it, checks its recipients
 *   again.c     one sealed file: seals it again
 *   place.c     a file on the disk against the index of its output folder
 *   findings.c  reports a finding
 *   audit.c     the whole audit
 *   tree.c      its result as a tree of values
 *
 * Findings are reported as warnings 5100 to 5110, which do not change the exit status: the caller
 * decides what they mean.
 */
#ifndef OSM_GEN_AUDIT_AUDIT_H
#define OSM_GEN_AUDIT_AUDIT_H

#include "base/base.h"
#include "diag/diag.h"
#include "git/git.h"
#include "seal/seal.h"

/* osm-gen does not write larger files. */
#define AUDIT_MAX_FILE_BYTES ((size_t)64 * 1024 * 1024)
/* The maximum number of findings: an index may list a million files that do not exist. */
#define AUDIT_MOST_FINDINGS 10000

VEC_TYPE(audit_texts, sv);

/* ---- trailers ---------------------------------------------------------------------------- */

#define AUDIT_SOURCE_TRAILER  "Osm-Gen-Source"
#define AUDIT_OUTPUT_TRAILER  "Osm-Gen-Output"
#define AUDIT_VERSION_TRAILER "Osm-Gen-Version" /* of the program that ran */

/* CLUSTER NAME DIGEST: a file that the run was given and that is not in git; the digest is keyed.
 */
#define AUDIT_MANIFESTS_TRAILER "Osm-Gen-Manifests"
/* NAME VERSION sha256:DIGEST: a program that the run used (--allow-program). */
#define AUDIT_PROGRAM_TRAILER "Osm-Gen-Program"

/* One run, as a commit message names it. */
struct audit_trailer {
	sv source; /* the commit that was read, 40 lower-case hex digits */
	sv output; /* audit_output_digest, 32 lower-case hex digits */
};
VEC_TYPE(audit_trailers, struct audit_trailer);

/*
 * Returns all runs that a message names, in any of its lines, at most 64: forges quote the messages
 * of commits that they squash, indented. White space around a line does not matter, nor does CR. A
 * digest belongs to the nearest source above it. A digest without a source is skipped, and so is a
 * malformed one.
 */
void audit_read_trailers(struct arena *arena, sv message, struct audit_trailers *ret_trailers);

/* Returns true if a line of the message names the source commit of a run. */
bool audit_names_source(sv message);

/* The inputs of a run that are not in git: the values of the two trailers. */
struct audit_outside {
	struct audit_texts manifests;
	struct audit_texts programs;
};
/* Reads them from a message, at most 64 of each. */
void audit_read_outside(struct arena *arena, sv message, struct audit_outside *ret_outside);

/*
 * Reads one line of a message. Returns true if it is "KEY: VALUE", with any white space around
 * either part.
 */
bool audit_read_trailer(sv line, sv key, sv *ret_value);

/* ---- vouching ---------------------------------------------------------------------------- */

/* The files of one commit that matter to the audit. */
struct audit_state {
	struct git_files inputs;  /* files outside of the output folder that may be manifests */
	struct git_files outputs; /* files in the output folder, their paths relative to it */
};

/* Appends path, mode and id of each file, so that no two lists give the same bytes. */
void audit_add_files(struct buf *buf, const struct git_files *files);
/*
 * Returns the digest that vouches for an output, 32 hex digits. It is made of the name of the
 * output folder, the source commit's id, and path, mode and id of all of the state's files, and
 * keyed, so that nobody can make one without the seed.
 */
sv audit_output_digest(struct arena *arena, const struct seal_root *root, sv out, sv source,
                       const struct audit_state *state);

/* ---- commits that a branch no longer has -------------------------------------------------- */

/* The recipients of a cluster by its newest index that the branch no longer has. */
struct audit_left_out_cluster {
	sv cluster;
	sv seed_id;
	sv digest; /* seal_recipients_digest */
	struct audit_texts recipients;
};

/* The short ids of the indexes that a cluster had, newest first. */
struct audit_left_out_indexes {
	sv cluster;
	struct audit_texts ids;
};

/* A revision that a revert took back. */
struct audit_left_out_revision {
	sv unit; /* plan_unit_key */
	sv commit;
	int64_t revision;
};

#define AUDIT_SHORT_ID 12
/* Returns the first AUDIT_SHORT_ID hex digits of an id. */
sv audit_short_id(struct arena *arena, struct git_id id);

/* The facts of earlier commits that later runs ask for. */
struct audit_left_out {
	uint64_t commits;        /* the number of commits */
	struct audit_texts runs; /* short ids (audit_short_id) of the runs that vouched in them */
	struct audit_texts outputs; /* short ids of the output folder's trees, newest first */
	VEC(struct audit_left_out_cluster) clusters;
	VEC(struct audit_left_out_indexes) indexes;
	VEC(struct audit_left_out_revision) revisions;
};

/* Adds the trailers, one a line. */
void audit_add_left_out(struct buf *buf, const struct audit_left_out *left);
/* Reads them. Returns false if the message has none. */
bool audit_read_left_out(struct arena *arena, sv message, struct audit_left_out *ret_left);

enum audit_left_out_place {
	AUDIT_LEFT_OUT_NOTHING, /* no commits were left out, or the clone is incomplete */
	AUDIT_LEFT_OUT_KNOWN,
	AUDIT_LEFT_OUT_LOST, /* a run made the first commit, and nothing states the earlier ones */
};
/*
 * Reads the trailers of the first commit of a branch, along first parents, as far as `max` commits.
 * Sets *ret_left in any case.
 */
enum audit_left_out_place audit_find_left_out(struct arena *arena, struct git_repo *repo,
                                              struct git_id tip, size_t max,
                                              struct audit_left_out *ret_left);

/* ---- the audit --------------------------------------------------------------------------- */

/* A commit that the output was found to come from. */
struct audit_voucher {
	sv commit;
	sv source;
};
VEC_TYPE(audit_vouchers, struct audit_voucher);

struct audit_findings {
	struct sink sink; /* one warning each, at the path of its file */
	sv out;           /* the output folder: paths of findings begin with it */
	/* Worth knowing but no findings: a rebased run, inputs that changed since. */
	struct audit_texts notes;
	/* Checks that could not be made, and why. */
	struct audit_texts undecided;
	struct audit_vouchers vouchers;
	struct map merged; /* of indexes that a merge made: their diagnostics, by path */
	size_t more;       /* findings above AUDIT_MOST_FINDINGS, which are only counted */
};

/* Returns empty findings. Everything that is added to them is allocated in the arena. */
struct audit_findings audit_findings_in(struct arena *arena, sv out);

struct audit_history_request {
	struct git_repo *repo;
	struct git_source source; /* the commit whose output is audited */
	/*
	 * If the output has a branch of its own: a commit whose history has the sources of runs.
	 * All zero otherwise: the inputs of a run are those of the commit that it made.
	 */
	struct git_id inputs;
	sv out; /* relative to the repository's root */
	const struct seal_root *root;
};

/*
 * Finds the files of the output that the last run did not write, who changed them, and which are an
 * earlier version. Fails only if the repository cannot be read.
 */
MUST_CHECK enum status audit_history(struct arena *arena, struct sink *sink,
                                     const struct audit_history_request *request,
                                     struct audit_findings *findings);

/*
 * Compares the files of the output with its indexes. Finds files that are not listed or missing,
 * links, wrong modes and damaged indexes.
 */
MUST_CHECK enum status audit_listing(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                     const struct git_source *source, sv out,
                                     struct audit_findings *findings);

struct audit_request {
	sv repo;
	sv out;
	sv rev;
	sv inputs_rev;          /* empty for rev */
	struct seal_root *root; /* bound to the fleet of the inputs; null without a seed */
	const struct seal_identities *identities; /* may be empty */
	bool has_private_keys; /* private keys of sealed-secrets controllers are among them */
	const sv *files;       /* audit only these, relative to the repository's root or to `out` */
	size_t file_count;
	bool require_history; /* an incomplete history is a finding (OSG5086) */
};

/*
 * Returns the output folder as a path from the repository's root. Fails (DIAG_OUTPUT_FOLDER) if it
 * is outside or the root itself.
 */
MUST_CHECK enum status audit_place_output(struct arena *arena, struct sink *sink,
                                          const struct git_repo *repo, sv out, sv *ret_out);

struct audit_result {
	struct audit_findings findings;
	sv commit; /* the commit that was audited */
	size_t file_count;
	size_t sealed_count;   /* sealed files */
	size_t wrapped_count;  /* SealedSecrets among the sealed files */
	size_t opened_count;   /* sealed files that were opened */
	size_t resealed_count; /* opened files that sealing again gave the same bytes of */
	size_t stale_count; /* resealed files that match older inputs, and not the present ones */
};

/*
 * Makes the whole audit. Fails if the repository cannot be read or the request is wrong; findings
 * are not a failure.
 */
MUST_CHECK enum status audit(struct arena *arena, struct sink *sink,
                             const struct audit_request *request, struct audit_result *ret_result);

/* Returns the result as `-o json` has it (docs/spec/reports.md 3). */
struct value audit_result_tree(struct arena *arena, const struct audit_request *request,
                               const struct audit_result *result);

/* ---- a file on the disk ------------------------------------------------------------------ */

/*
 * Fails (DIAG_SEALED_ELSEWHERE) if a sealed file is not where its object belongs, according to the
 * index.json of the output folder that it is in. Without an index every place is right.
 */
MUST_CHECK enum status audit_check_place(struct arena *arena, struct sink *sink,
                                         const struct source *source, const struct value *document);

#endif
