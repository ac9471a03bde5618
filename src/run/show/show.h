/*
 * The commands that show: `diff`, `render` and `compare`.
 *
 *   diff.c      the files of the output before the run and after it
 *   index.c     index.json in one line, for `diff`
 *   reveal.c    opens sealed files, for `diff --reveal`
 *   inspect.c   `render`: one unit
 *   compare.c   `compare`: rendered objects and those that are live
 */
#ifndef OSM_GEN_RUN_SHOW_SHOW_H
#define OSM_GEN_RUN_SHOW_SHOW_H

#include "run/facts.h"
#include "run/job.h"
#include "run/output/output.h"

/*
 * Prints the unified diff of the changes, secrets masked. If many units change alike it prints the
 * groups of the summary instead, and the changes of other files once for all clusters. The
 * clusters' index.json come last, each in one line unless the output is verbose.
 */
MUST_CHECK enum status run_diff(const struct run_env *env, const struct run_print *print,
                                const struct run_facts *facts, const struct run_writer *writer,
                                const struct report_summary *summary, struct buf *output);

/*
 * Appends a line with what changes in an index.json: the number of entries, and the names of other
 * members. An empty string is a missing file. The arena is for scratch memory.
 */
void run_diff_index(struct arena *arena, struct buf *output, sv path, sv before, sv now);

/* Renders one unit and prints the part that is asked for. */
MUST_CHECK enum status run_inspect(const struct run_env *env, const struct run_inspected *inspected,
                                   const struct run_job *job, struct buf *output);

/* Renders one cluster and compares it with its live objects (adopt/adopt.h). */
MUST_CHECK enum status run_compare(const struct run_env *env, const struct run_compared *compared,
                                   const struct run_job *job, bool *ret_differs,
                                   struct buf *output);

#endif
