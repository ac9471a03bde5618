/*
 * Delivery: the objects that have Flux or Argo CD deploy the output (docs/spec/delivery.md 1). Part
 * of tree.h, which other modules include.
 *
 *   delivery.c         their paths and names
 *   delivery_flux.c    Flux's Kustomizations
 *   delivery_argocd.c  Argo CD's ApplicationSets
 *
 * The settings of spec.delivery are read in fleet/delivery.c (struct fleet_delivery);
 * run/delivery.c checks them against the output and writes these objects.
 */
#ifndef OSM_GEN_TREE_DELIVERY_H
#define OSM_GEN_TREE_DELIVERY_H

#include "fleet/fleet.h"

/*
 * The objects that have Flux or Argo CD deploy a cluster's folder are in
 * APPLIER/MANAGEMENT/FOLDER/, one a file, with a kustomization.yaml. The file
 * APPLIER/MANAGEMENT/kustomization.yaml lists all clusters that this management cluster manages.
 * APPLIER is "flux" or "argocd". Returns APPLIER/MANAGEMENT/FOLDER.
 */
sv tree_delivery_path(struct arena *arena, sv applier, sv management, sv folder);
/* Returns APPLIER/MANAGEMENT of such a path. */
sv tree_delivery_root(sv delivery_path, sv folder);
/*
 * True if the index of the cluster in `folder` may list this path as one of its delivery: a file of
 * its own, or the list of clusters.
 */
bool tree_is_delivery_path(sv path, sv folder);
/*
 * Returns the folder of the cluster whose delivery the path belongs to, and in *ret_delivery the
 * folder that it is in. Returns an empty string for any other path, the list of clusters among
 * them.
 */
sv tree_delivered_folder(sv path, sv *ret_delivery);
/* True for APPLIER/MANAGEMENT/kustomization.yaml, which several clusters share. */
bool tree_is_delivery_list(sv path);
/*
 * Returns the name of a delivery object: CLUSTER-PART, or CLUSTER if `part` is empty. A name of
 * more than 63 bytes, the limit of a label, is shortened to its beginning and a digest.
 */
sv tree_delivery_name(struct arena *arena, sv cluster, sv part);

/* A Kustomization of kustomize.toolkit.fluxcd.io/v1. */
struct tree_flux {
	const struct fleet_delivery *delivery;
	sv name;
	sv path;            /* of the folder, from the source's root: "./out/prod/worker" */
	bool is_decrypted;  /* the folder has files sealed with SOPS */
	bool is_waited_for; /* spec.wait, unless the delivery's settings have one */
	bool is_remote;     /* applied to another cluster than Flux's own */
	bool is_part;       /* part of a cut side: removed with its last unit */
	const sv *depends_on;
	size_t depends_on_count;
};
struct value tree_flux_object(struct arena *arena, const struct tree_flux *flux);

/* An ApplicationSet of argoproj.io/v1alpha1, with an Application for each folder of a cluster. */
#define TREE_ARGOCD_WAVES 5
struct tree_argocd_folder {
	sv name;        /* of its Application */
	sv path;        /* of the folder, from the source's root: "out/prod/worker" */
	unsigned wave;  /* below TREE_ARGOCD_WAVES; lower ones are synced first */
	bool is_remote; /* applied to another cluster than Argo CD's own */
	bool is_part;   /* as in struct tree_flux */
};
struct tree_argocd {
	const struct fleet_delivery *delivery;
	sv name;
	const struct tree_argocd_folder *folders;
	size_t folder_count;
};
struct value tree_argocd_object(struct arena *arena, const struct tree_argocd *argocd);
/*
 * Adds Argo CD's annotations where the object has Flux's and no sync options yet: one for an object
 * that is replaced, one for an object that is not removed. If `comes_first`, other objects need
 * this one, and it is synced in a wave before them: in Argo CD's own order of kinds an
 * OperatingSystemConfig would come before its profile. Leaves an object without annotations as it
 * is.
 */
void tree_annotate_for_argocd(struct arena *arena, bool comes_first, struct value *object);

#endif
