/*
 * The summary of a run, which reports and the commit message are made of.
 */
#ifndef OSM_GEN_RUN_SUMMARY_H
#define OSM_GEN_RUN_SUMMARY_H

#include "run/facts.h"

/* Sets command, version, source commit and output folder. */
void run_describe(const struct run_env *env, const struct run_request *request,
                  const struct run_inputs *inputs, struct report_summary *summary);
/* Adds the units and files that change; the summary is described already. */
void run_summarize(const struct run_env *env, const struct run_facts *facts,
                   struct report_summary *summary);

#endif
