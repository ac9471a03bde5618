/*
 * Private to inputs/. kustomized.c reads the manifests of Clusters with `kustomize: DIR`: what the
 * program kustomize makes of the commit's files (kustomize/kustomize.h) is read as if each object
 * were a file of its own, of its cluster. The files that a kustomization uses are not manifests by
 * themselves then.
 */
#ifndef OSM_GEN_RUN_INPUTS_INTERNAL_H
#define OSM_GEN_RUN_INPUTS_INTERNAL_H

#include "run/inputs/inputs.h"

/* ---- kustomized.c -------------------------------------------------------------------------- */

VEC_TYPE(run_files, struct fleet_file *);

/* Finds the program if it is allowed. Its digest is one of the inputs of the run. */
void run_find_kustomize(const struct run_env *env, const struct run_reading *reading,
                        struct run_inputs *inputs);
/*
 * Builds the kustomizations that the Clusters among `files` name. Removes the files that they use,
 * and adds the objects that were made. Fails if the program is needed and not allowed or not found
 * (DIAG_PROGRAM_NEEDED), or if a kustomization is refused or does not build.
 */
MUST_CHECK enum status run_build_kustomizations(const struct run_env *env,
                                                const struct run_reading *reading,
                                                struct run_inputs *inputs, struct run_files *files);

/* ---- uncommitted.c ------------------------------------------------------------------------- */

/*
 * Warns once (DIAG_INPUT_DIRTY) of files that differ from the commit, and of manifests that git
 * does not track, and names a few. Does nothing if the work tree is read, or another commit than
 * HEAD.
 */
MUST_CHECK enum status run_warn_uncommitted(const struct run_env *env,
                                            const struct run_reading *reading,
                                            const struct run_inputs *inputs);

/* ---- passed_over.c ------------------------------------------------------------------------- */

/*
 * Warns of symbolic links, and of manifests whose names do not end in .yaml, .yml or .json.
 * `results` has one element for each of inputs->taken.
 */
void run_warn_passed_over(const struct run_env *env, const struct run_inputs *inputs,
                          struct fleet_file *const *results);
/*
 * Warns (DIAG_OUTPUT_SECOND) if the repository has output of osm-gen in another folder than this
 * run's, which must be in the repository. Folders that the ignore file excludes do not count.
 */
void run_warn_second_output(const struct run_env *env, const struct run_inputs *inputs);

#endif
