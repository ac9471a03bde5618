/*
 * The inputs of a run that are not in git: manifests (--manifests), and programs that made
 * manifests
 * (--allow-program). The commit names them in trailers (audit/audit.h), so that people see that
 * nobody can make this commit from git alone, and so that a later run finds out that it was not
 * given the same.
 */
#ifndef OSM_GEN_RUN_OUTSIDE_H
#define OSM_GEN_RUN_OUTSIDE_H

#include "run/facts.h"
#include "run/run.h"

/* Returns the trailers for the commit's message, each a line, or an empty string. */
sv run_outside_trailers(const struct run_env *env, const struct run_request *request,
                        const struct run_facts *facts);
/*
 * Compares them with those of the newest commit of osm-gen on the branch: warns of manifests that
 * this run was not given (DIAG_MANIFESTS_LACKING), and of another version of a program
 * (DIAG_PROGRAM_CHANGED).
 */
void run_compare_outside(const struct run_env *env, const struct run_request *request,
                         const struct run_inputs *inputs);

#endif
