/*
 * The files of the output that belong to no unit, and what must hold for all files.
 */
#ifndef OSM_GEN_RUN_OUTPUT_H
#define OSM_GEN_RUN_OUTPUT_H

#include "run/inputs.h"
#include "run/render.h"

/*
 * Fails (DIAG_MANAGEMENT_CLASH) if two clusters write the same object into one management cluster.
 */
MUST_CHECK enum status run_check_clashes(const struct run_env *env, const struct plan *plan,
                                         const struct run_rendered *rendered);
/*
 * Fails (DIAG_SOPS_CONFIG) if sealed files of a cluster fall under different rules of .sops.yaml
 * although a rule names the recipients: a cluster has one list of recipients.
 */
MUST_CHECK enum status run_check_creation_rules(const struct run_env *env,
                                                const struct run_job *job,
                                                const struct run_rendered *rendered);
/*
 * Puts the objects of each cluster, its profiles, kustomizations and index, then removes what an
 * earlier run wrote and this one did not. Fails (DIAG_OUTPUT_STRANGER) if a file that osm-gen did
 * not write has the path of one that it writes.
 */
MUST_CHECK enum status run_complete_tree(const struct run_env *env, const struct run_inputs *inputs,
                                         const struct run_job *job, struct run_writer *writer,
                                         struct run_rendered *rendered);

#endif
