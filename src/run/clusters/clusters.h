/*
 * Completes the output of each cluster: the files that belong to no unit, and checks over the files
 * of all units.
 *
 *   clusters.c         all these files, in order
 *   completion.c       adds one of them
 *   kustomizations.c   kustomizations
 *   delivery.c         the objects of Flux and Argo CD (tree/tree.h)
 *   delivery_change.c  fields of these that differ from the previous output
 *   index.c            index.json
 *   prune.c            removes old files
 *   clashes.c          clusters that write the same object
 *   creation_rules.c   sealed files under several rules of .sops.yaml
 */
#ifndef OSM_GEN_RUN_CLUSTERS_CLUSTERS_H
#define OSM_GEN_RUN_CLUSTERS_CLUSTERS_H

#include "run/inputs/inputs.h"
#include "run/job.h"
#include "run/output/output.h"
#include "run/rendered.h"

/* Fails (DIAG_DELIVERY_...) if a cluster cannot be delivered as its settings ask. */
MUST_CHECK enum status run_check_delivery(const struct run_env *env, const struct plan *plan,
                                          const struct run_rendered *rendered);
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

/*
 * Fails (DIAG_LEFTOVER) if the output has files of osm-gen that no run would remove
 * (plan_check_leftovers). run_complete_tree does the same.
 */
MUST_CHECK enum status run_check_leftovers(const struct run_env *env,
                                           const struct run_inputs *inputs,
                                           const struct run_job *job,
                                           const struct run_rendered *rendered);

/*
 * Sets the applier, "flux" or "argocd", and the cluster that has its objects; both are empty for a
 * cluster without delivery.
 */
void run_find_delivery(const struct fleet_cluster *cluster, sv *ret_applier, sv *ret_management);

#endif
