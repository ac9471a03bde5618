/*
 * Runs without a seed: compares the files that reviewers read, in which secrets are marks, and
 * leaves sealed files as they are.
 */
#ifndef OSM_GEN_RUN_WITHOUT_SEED_H
#define OSM_GEN_RUN_WITHOUT_SEED_H

#include "run/facts.h"
#include "run/writer.h"

/* Returns true if the file of an artifact can be made without a seed: secrets in it are marks. */
bool run_needs_no_seed(const struct artifact *artifact);
/*
 * Replaces marks in *text by those of the previous file, where only their fingerprints differ or
 * they belong to another token.
 */
MUST_CHECK enum status run_take_fingerprints(struct arena *arena, struct sink *sink,
                                             const struct run_writer *writer, sv path, sv *text);
/* Removes files of earlier runs whose unit or cluster is gone. */
void run_prune_without_seed(const struct run_env *env, const struct plan *plan,
                            const struct previous *previous, struct run_writer *writer,
                            const struct run_rendered *rendered);
/* Reports (DIAG_WITHOUT_SEED) that secrets are stand-ins, and how many files are not compared. */
void run_report_stand_ins(const struct run_env *env, const struct run_facts *facts);

#endif
