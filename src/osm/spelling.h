/*
 * Private to osm/: warnings of what the controller passes over without a word.
 */
#ifndef OSM_GEN_OSM_SPELLING_H
#define OSM_GEN_OSM_SPELLING_H

#include "osm/internal.h"

/* Where the annotations for the kubelet stand (docs/spec/controller.md 4.2). */
#define OSM_KUBELET_GROUP "v1.kubelet-config.machine-controller.kubermatic.io"

/* Annotations of a MachineDeployment that nothing reads: nearly one that is read. */
void osm_check_annotation_keys(struct arena *arena, struct sink *sink, const struct value *given);
/*
 * The controller's annotations below spec.template, where it does not read them
 * (DIAG_MD_TEMPLATE_ANNOTATION). root: the MachineDeployment.
 */
void osm_check_template_annotations(struct sink *sink, const struct value *root);
/* Amounts, resources and signals that the kubelet refuses. */
void osm_check_quantities(struct sink *sink, const struct value *annotations);
/* The minor versions that profiles/fragments/setup/versions.sh has a crictl for. */
enum { OSM_OLDEST_KUBELET = 33, OSM_NEWEST_KUBELET = 37 };
/* A kubelet of another Kubernetes than the profiles inside the program were made for. */
void osm_check_kubelet_known(struct arena *arena, struct sink *sink,
                             const struct kube_object *machine_deployment);

#endif
