/*
 * The manifests of Clusters with `kustomize: DIR`: what the program kustomize makes of the commit's
 * files (kustomize/kustomize.h), read as if each object were a file of its own, of its cluster. The
 * files that a kustomization uses are not manifests by themselves then.
 */
#ifndef OSM_GEN_RUN_INPUTS_KUSTOMIZED_H
#define OSM_GEN_RUN_INPUTS_KUSTOMIZED_H

#include "run/inputs/inputs.h"

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

#endif
