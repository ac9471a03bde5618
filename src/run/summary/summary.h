/*
 * The summary of a run, which reports and the commit message are made of, and warnings about the
 * result.
 *
 *   summary.c     which units and files change
 *   removed.c     why units are gone, and how many machines units had
 *   resealed.c    clusters with another certificate than before
 *   explain.c     who changed output, for `check`
 *   stand_ins.c   what a run without a seed did not compare
 */
#ifndef OSM_GEN_RUN_SUMMARY_SUMMARY_H
#define OSM_GEN_RUN_SUMMARY_SUMMARY_H

#include "run/facts.h"

/* Sets command, version, source commit and output folder. */
void run_describe(const struct run_env *env, const struct run_request *request,
                  const struct run_inputs *inputs, struct report_summary *summary);
/* Adds the units and files that change; the summary is described already. */
void run_summarize(const struct run_env *env, const struct run_facts *facts,
                   struct report_summary *summary);

/* Returns struct git_change * by path below the output folder. */
struct map run_changes_by_path(struct arena *arena, const struct git_changes *changes);

/*
 * Warns (DIAG_CERTIFICATE_CHANGED) of each cluster whose SealedSecrets controller has another
 * certificate than before, and names the Secrets that are sealed again.
 */
void run_report_resealed(const struct run_env *env, const struct run_facts *facts);

/*
 * Warns about the committed output: files that no index lists, files that are missing, and who
 * changed the files that differ from what the inputs make.
 */
MUST_CHECK enum status run_explain_output(const struct run_env *env, const struct run_facts *facts,
                                          sv branch);

/* Reports (DIAG_WITHOUT_SEED) that secrets are stand-ins, and how many files are not compared. */
void run_report_stand_ins(const struct run_env *env, const struct run_facts *facts);

#endif
