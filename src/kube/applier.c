/*
 * Annotations and labels of the programs that apply objects. One that came with a manifest from
 * another cluster, or from another program's output, makes an applier delete or claim the object.
 */
#include "kube/kube.h"

/*
 * The beginnings of their names, from the sources of each program: gitops-engine's pkg/sync/common
 * and pkg/sync/hook/helm, helm's pkg/release, fluxcd/pkg's ssa, kapp's pkg/kapp/resources,
 * wrangler's pkg/apply, fleet's apis, kpt-config-sync's pkg/metadata, cli-utils' pkg/common and
 * kubectl's applyset.
 */
static const sv beginnings[] = {
    /* Argo CD. It takes objects with Helm's hooks for hooks of its own, too. */
    SV_INIT("argocd.argoproj.io/"),
    /* Helm */
    SV_INIT("helm.sh/"),
    SV_INIT("meta.helm.sh/"),
    /* Flux */
    SV_INIT("kustomize.toolkit.fluxcd.io/"),
    SV_INIT("helm.toolkit.fluxcd.io/"),
    SV_INIT("reconcile.fluxcd.io/"),
    SV_INIT("fluxcd.io/"),
    /* kapp */
    SV_INIT("kapp.k14s.io/"),
    /* Rancher and its Fleet */
    SV_INIT("objectset.rio.cattle.io/"),
    SV_INIT("cattle.io/"),
    SV_INIT("field.cattle.io/"),
    SV_INIT("fleet.cattle.io/"),
    /* Config Sync, and kpt and others with the same library. Kustomize drops local-config. */
    SV_INIT("configmanagement.gke.io/"),
    SV_INIT("configsync.gke.io/"),
    SV_INIT("cli-utils.sigs.k8s.io/"),
    SV_INIT("client.lifecycle.config.k8s.io/"),
    SV_INIT("config.k8s.io/"),
    SV_INIT("config.kubernetes.io/"),
    SV_INIT("internal.config.kubernetes.io/"),
    /* kubectl apply --prune --applyset */
    SV_INIT("applyset.kubernetes.io/"),
};

bool kube_is_of_applier(sv name)
{
	for (size_t i = 0; i < COUNT_OF(beginnings); i++)
		if (sv_starts_with(name, beginnings[i]))
			return true;
	return false;
}
