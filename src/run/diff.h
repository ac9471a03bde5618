/*
 * The command `diff`: the files of the output before the run and after it.
 */
#ifndef OSM_GEN_RUN_DIFF_H
#define OSM_GEN_RUN_DIFF_H

#include "run/facts.h"
#include "run/writer.h"

/*
 * Prints the unified diff of the changes, secrets masked. If many units change alike it prints the
 * groups of the summary instead, and the changes of other files once for all clusters.
 */
MUST_CHECK enum status run_diff(const struct run_env *env, const struct run_print *print,
                                const struct run_facts *facts, const struct run_writer *writer,
                                const struct report_summary *summary, struct buf *output);

#endif
