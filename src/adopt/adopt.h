/*
 * adopt: a live cluster, as kubectl prints it, and what git is to hold of it.
 *
 *   export.c      exports: Lists and documents to objects
 *   lines.c       what is said of it
 *   args.c        the controller's arguments to settings
 *   clean.c       manifests without what the API server and the controller added
 *   credential.c  credentials of a MachineDeployment, moved to a Secret
 *   choose.c      what is taken of a cluster, what is left out, and why
 *   recipients.c  whom the Secrets are encrypted to
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
#include "kube/kube.h"
#include "seal/seal.h"

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
 * that no Secret can hold), DIAG_SECRET_LEAK; surroundings: DIAG_ADOPT_FOLDER; usage:
 * DIAG_USAGE for a cluster's name that is none.
 */
MUST_CHECK enum status adopt(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                             const struct adopt_request *request, struct adopt_result *ret_result);

#endif
