/*
 * All inputs that decide the files of a unit, as bytes: two units with the same bytes get the same
 * files from the same program, with the same seed. This is what a unit's proof covers
 * (unit_proof.h). A run derives everything else from these inputs:
 *
 * Inputs of the unit's cluster:
 *
 * - name, number of parts, output contract;
 * - settings as given, with their files' content (a setting that is not given has the contract's
 *   default), those that a manifest of its folder gives, and variables of --allow-env;
 * - format, recipients, scope, rounding and rule of sealing;
 * - the applier, and if Secrets carry text as stringData;
 * - all objects that its units, extensions and settings refer to, in full. A dialect's `want` and
 *   `wants` name them (dialect.h); no other object is read;
 * - all extensions: definitions of another kind than the one that units refer to.
 *
 * Inputs of the unit itself:
 *
 * - dialect, manifest, and the path of the manifest's file, which the output names;
 * - definition (for a profile with extensions: the result), its file, and if the program carries
 *   it;
 * - tokens and their rotations;
 * - the live revision of --revisions.
 *
 * The revision and the digest of its template are covered with its output (unit_proof.h): with the
 * same manifest and live revision, a run keeps both.
 *
 * Positions are not covered, since no file has one; a unit with a diagnostic, which has, gets no
 * proof. Nor does a unit that depends on the time (dialect_job, asks_now). Gardener's status keeps
 * the time of its last change while nothing else of it changes, so it needs no other proof than
 * that its file is the same. The seed keys the proofs, and so does the fleet's identity. The
 * program itself, and the secrets that files are scanned for, are in a trailer of the commit.
 *
 * Objects and settings are whole: another order of keys, or a member that nothing reads, counts as
 * a change. Comments and positions do not.
 */
#ifndef OSM_GEN_RUN_PROOFS_UNIT_INPUTS_H
#define OSM_GEN_RUN_PROOFS_UNIT_INPUTS_H

#include "plan/plan.h"

/*
 * Digests of the objects and extensions outside of every cluster's folder. Each is read once,
 * however many clusters there are, and each cluster's inputs have its digest in its place.
 */
struct run_shared_inputs {
	struct arena *arena;        /* of the digests */
	struct arena *secret_arena; /* reset after each object */
	const struct seal_root *root;
	struct map objects; /* sv * by the object's address */
	struct map lists;   /* the digests of a list of definitions, one a kind, by its address */
};

/* Adds the part of the inputs that all units of the cluster share. The bytes are secret. */
void run_add_cluster_inputs(struct buf *secret_buf, struct run_shared_inputs *shared,
                            const struct plan *plan, const struct plan_cluster *cluster);
/* Adds a definition, which units may share. The bytes are secret. */
void run_add_definition_inputs(struct buf *secret_buf, const struct dialect_definition *definition);
/* Adds the rest, which belongs to one unit, without its revision. The bytes are secret. */
void run_add_unit_inputs(struct buf *secret_buf, const struct plan_unit *unit, int64_t now);
/* Adds the length first, so that no two lists of fields give the same bytes. */
void run_add_field(struct buf *buf, sv field);
/* Adds eight bytes. */
void run_add_number(struct buf *buf, uint64_t number);
/* Adds the four parts of an object's identity. */
void run_add_id(struct buf *buf, const struct kube_id *id);

#endif
