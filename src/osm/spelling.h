/*
 * Private to osm/: warns of mistakes in a MachineDeployment that the controller silently ignores.
 */
#ifndef OSM_GEN_OSM_SPELLING_H
#define OSM_GEN_OSM_SPELLING_H

#include "osm/osm.h"

/* Prefix of the annotations for the kubelet (docs/spec/controller.md 4.2). */
#define OSM_KUBELET_GROUP "v1.kubelet-config.machine-controller.kubermatic.io"

/* Warns of an annotation that is similar to one the controller reads, and that nothing reads. */
void osm_check_annotation_keys(struct arena *arena, struct sink *sink, const struct value *given);
/*
 * Warns of the controller's annotations in spec.template, where it does not read them
 * (DIAG_MD_TEMPLATE_ANNOTATION). `root` is the MachineDeployment.
 */
void osm_check_template_annotations(struct sink *sink, const struct value *root);
/* Warns of quantities, resources and eviction signals that the kubelet rejects. */
void osm_check_quantities(struct sink *sink, const struct value *annotations);
/* The minor versions for which profiles/fragments/setup/versions.sh has a crictl. */
enum { OSM_OLDEST_KUBELET = 33, OSM_NEWEST_KUBELET = 37 };
/* Warns of a kubelet version for which the embedded profiles were not made. */
void osm_check_kubelet_known(struct arena *arena, struct sink *sink,
                             const struct kube_object *machine_deployment);

#endif
