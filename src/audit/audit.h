/*
 * audit: is the committed output what osm-gen wrote, and is every sealed value where it belongs?
 *
 * Reads only. SOPS binds a sealed value neither to its object nor to its file, and Flux checks no
 * MAC: what lies in the output folder is believed by whoever applies it. Here it is compared with
 * what is hard to forge: digests that are keyed with the seed, the MAC, and sealing again, which
 * gives the same bytes (docs/spec/output.md 7.1).
 *
 *   trailers.c  what a commit's message says of an output
 *   vouch.c     the keyed digest of an output, and of what it was made from
 *   history.c   which commit vouches for the output, and what has changed since
 *   older.c     who changed a file, and in which earlier commit it was the same
 *   index.c     index.json, as far as the audit reads it
 *   listing.c   what the index lists against what is there
 *   settings.c  how the inputs say that clusters are sealed
 *   content.c   one file: object, header, what stands in the clear; wrapped.c: of a SealedSecret
 *   sealed.c    one sealed file: opened, its recipients; again.c: sealed again
 *   place.c     a file on the disk, against the index of its output folder
 *   findings.c  how something that is found is reported
 *   audit.c     all of it; json.c: its result for programs
 *
 * What is found is reported as warnings 5100 to 5109, so that a sink of them changes no exit
 * status: the caller decides what findings mean.
 */
#ifndef OSM_GEN_AUDIT_AUDIT_H
#define OSM_GEN_AUDIT_AUDIT_H

#include "base/base.h"
#include "diag/diag.h"
#include "git/git.h"
#include "seal/seal.h"

/* Larger files are none of ours. */
#define AUDIT_MAX_FILE_BYTES  ((size_t)64 * 1024 * 1024)
#define AUDIT_MAX_INDEX_BYTES ((size_t)256 * 1024 * 1024)
/* Nobody reads more, and an index may list a million files that are not there. */
#define AUDIT_MOST_FINDINGS 10000

/* ---- trailers ---------------------------------------------------------------------------- */

#define AUDIT_SOURCE_TRAILER "Osm-Gen-Source"
#define AUDIT_OUTPUT_TRAILER "Osm-Gen-Output"

/* One run, as a message names it: 40 and 32 small hex digits. */
struct audit_trailer {
	sv source; /* the commit that was read */
	sv output; /* audit_output_digest */
};
VEC_TYPE(audit_trailers, struct audit_trailer);

/*
 * Every run that the message names, in any of its lines: forges quote the messages of commits that
 * they squash, indented. White space around a line does not count, CR neither. A digest belongs to
 * the nearest source above it; without one, or malformed, it is passed over. At most 64.
 */
void audit_read_trailers(struct arena *arena, sv message, struct audit_trailers *ret_trailers);

/*
 * Reads one line of a message. Returns true if it is "KEY: VALUE", with any white space around
 * either part.
 */
bool audit_read_trailer(sv line, sv key, sv *ret_value);

/* ---- vouching ---------------------------------------------------------------------------- */

/* The files of one commit that count. */
struct audit_state {
	struct git_files inputs;  /* that may be manifests, outside of the output folder */
	struct git_files outputs; /* below the output folder, paths relative to it */
};

/*
 * 32 hex digits that vouch for an output: keyed, so that nobody without the seed can make one, over
 * the name of the output folder, the source commit's id, and path, mode and id of all of the
 * state's files.
 */
sv audit_output_digest(struct arena *arena, const struct seal_root *root, sv out, sv source,
                       const struct audit_state *state);

/* ---- the audit --------------------------------------------------------------------------- */

VEC_TYPE(audit_texts, sv);

/* A commit that the output was found to come from. */
struct audit_voucher {
	sv commit;
	sv source;
};
VEC_TYPE(audit_vouchers, struct audit_voucher);

struct audit_findings {
	struct sink sink; /* one warning each, at the path of its file */
	sv out;           /* the output folder: paths of findings begin with it */
	/* What is no finding, and should be known: a rebased run, inputs that changed since. */
	struct audit_texts notes;
	/* What could not be checked, and why. */
	struct audit_texts undecided;
	struct audit_vouchers vouchers;
	size_t more; /* findings above AUDIT_MOST_FINDINGS: only counted */
};

/* None yet. All that is found lives in the arena. */
struct audit_findings audit_findings_in(struct arena *arena, sv out);

struct audit_history_request {
	struct git_repo *repo;
	struct git_source source; /* the commit whose output is looked at */
	/* Where the output has a branch of its own: a commit whose history holds the sources of
	 * runs. All zero: none, and a run's inputs are those of the commit that it made. */
	struct git_id inputs;
	sv out; /* relative to the repository's root */
	const struct seal_root *root;
};

/*
 * Which files of the output are not what the last run wrote, who changed them, and which are an
 * earlier version. STATUS_FAILED only for a repository that cannot be read.
 */
MUST_CHECK enum status audit_history(struct arena *arena, struct sink *sink,
                                     const struct audit_history_request *request,
                                     struct audit_findings *findings);

/* The files of the output against its indexes: unlisted, missing, links, modes, damaged indexes. */
MUST_CHECK enum status audit_listing(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                     const struct git_source *source, sv out,
                                     struct audit_findings *findings);

struct audit_request {
	sv repo;
	sv out;
	sv rev;
	sv inputs_rev;          /* empty: that of rev */
	struct seal_root *root; /* null: there is no seed; bound to the fleet of the inputs */
	const struct seal_identities *identities; /* none of them: there is no identity */
	bool has_private_keys;                    /* of sealed-secrets controllers, among them */
	const sv *files; /* only these, relative to the repository's root or to `out` */
	size_t file_count;
	bool require_history; /* an incomplete history is a finding (OSG5086) */
};

/* The output folder as a path from the repository's root; DIAG_OUTPUT_FOLDER where it is none. */
MUST_CHECK enum status audit_place_output(struct arena *arena, struct sink *sink,
                                          const struct git_repo *repo, sv out, sv *ret_out);

struct audit_result {
	struct audit_findings findings;
	sv commit; /* that was looked at */
	size_t file_count;
	size_t sealed_count;   /* of them */
	size_t wrapped_count;  /* of those: SealedSecrets */
	size_t opened_count;   /* of those */
	size_t resealed_count; /* of those */
	size_t stale_count;    /* of those: as the inputs of the last run said, and not as now */
};

/*
 * All of it. Fails, with errors in the sink, when the repository cannot be read or the request is
 * wrong; findings are no failure.
 */
MUST_CHECK enum status audit(struct arena *arena, struct sink *sink,
                             const struct audit_request *request, struct audit_result *ret_result);

/* One JSON document, ending with LF (docs/spec/output.md 7.2). */
void audit_json(struct buf *buf, const struct audit_request *request,
                const struct audit_result *result);

/* ---- a file on the disk ------------------------------------------------------------------ */

/*
 * Whether a sealed file lies where its object belongs. Looks for the index.json of an output folder
 * above it; where there is none, every place is right. Errors: DIAG_SEALED_ELSEWHERE.
 */
MUST_CHECK enum status audit_check_place(struct arena *arena, struct sink *sink,
                                         const struct source *source, const struct value *document);

#endif
