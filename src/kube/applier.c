/*
 * Annotations and labels of the programs that apply objects. One that came with a manifest from
 * another cluster, or from another program's output, makes an applier delete or claim the object.
 * On a live object they show which program applies it.
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

/* ---- traces on live objects -------------------------------------------------------------- */

#define HAND_OVER_ARGOCD                                                                           \
	"turn off prune and selfHeal of the Application, set the annotation "                      \
	"argocd.argoproj.io/sync-options: Prune=false on the live objects, then remove their "     \
	"manifests from its source; or delete the Application with --cascade=false"

/*
 * The more telling traces come first: Fleet and Flux's HelmReleases install with Helm, and most
 * programs leave kubectl's annotation, too.
 */
static const struct kube_applier appliers[] = {
    {
        .name = "Flux's HelmRelease",
        .mark = SV_INIT("label helm.toolkit.fluxcd.io/name"),
        .namespace_mark = SV_INIT("label helm.toolkit.fluxcd.io/namespace"),
        .managers = {"helm-controller"},
        .hand_over =
            "suspend the HelmRelease and delete it: helm-controller does not uninstall the release "
            "of a suspended one; then delete the Secrets sh.helm.release.v1.NAME.v* of the release",
    },
    {
        .name = "Rancher",
        .mark = SV_INIT("annotation objectset.rio.cattle.io/id"),
        .managers = {"fleetagent"},
        .hand_over =
            "with Fleet set keepResources: true in the GitRepo or fleet.yaml, wait until the "
            "bundle is ready, then remove the path from the GitRepo",
    },
    {
        .name = "Argo CD's Application",
        .mark = SV_INIT("annotation argocd.argoproj.io/tracking-id"),
        .has_object_in_name = true,
        .managers = {"argocd-controller"},
        .hand_over = HAND_OVER_ARGOCD,
    },
    {
        .name = "Argo CD's Application",
        .mark = SV_INIT("label argocd.argoproj.io/instance"),
        .hand_over = HAND_OVER_ARGOCD,
    },
    {
        .name = "Flux's Kustomization",
        .mark = SV_INIT("label kustomize.toolkit.fluxcd.io/name"),
        .namespace_mark = SV_INIT("label kustomize.toolkit.fluxcd.io/namespace"),
        .managers = {"kustomize-controller"},
        .hand_over =
            "set the annotation kustomize.toolkit.fluxcd.io/prune: disabled on the live objects, "
            "then remove their manifests from its path",
    },
    {
        .name = "kapp's app",
        .mark = SV_INIT("label kapp.k14s.io/app"),
        .managers = {"kapp"},
        .hand_over =
            "set the annotation kapp.k14s.io/delete-strategy: orphan on the live objects, then "
            "remove their manifests and deploy the app once more",
    },
    {
        .name = "Config Sync",
        .mark = SV_INIT("annotation configsync.gke.io/resource-id"),
        .managers = {"configsync"},
        .hand_over =
            "set the annotation configmanagement.gke.io/managed: disabled in their manifests, "
            "wait until it is synced, then remove the manifests",
    },
    {
        .name = "kpt",
        .mark = SV_INIT("annotation config.k8s.io/owning-inventory"),
        .managers = {"kpt"},
        .hand_over =
            "set the annotation client.lifecycle.config.k8s.io/deletion: detach on the live "
            "objects, then remove their manifests and apply once more",
    },
    {
        .name = "kubectl's applyset",
        .mark = SV_INIT("label applyset.kubernetes.io/part-of"),
        .hand_over =
            "remove the label applyset.kubernetes.io/part-of from the live objects, then their "
            "manifests: kubectl apply --prune deletes what has the label and is not applied",
    },
    {
        .name = "Helm release",
        .mark = SV_INIT("annotation meta.helm.sh/release-name"),
        .namespace_mark = SV_INIT("annotation meta.helm.sh/release-namespace"),
        .managers = {"helm"},
        .hand_over =
            "set the annotation helm.sh/resource-policy: keep in the chart's templates and run "
            "helm upgrade, then remove the templates, or uninstall the release; Helm reads the "
            "annotation in the release, not on the live objects",
    },
    {
        .name = "Terraform",
        .managers = {"Terraform", "terraform"},
        .hand_over = "run terraform state rm with their addresses, then remove them from the "
                     "configuration",
    },
    {
        .name = "kubectl apply",
        .mark = SV_INIT("annotation kubectl.kubernetes.io/last-applied-configuration"),
        .has_no_name = true,
        .managers = {"kubectl-client-side-apply", "kubectl"},
        .hand_over = "find the script or person that runs it, and stop; nothing is deleted then, "
                     "except by --prune",
    },
};

/* Returns the value of "label NAME" or "annotation NAME", or an empty string. */
static sv mark_value(const struct kube_object *object, sv mark)
{
	sv where;
	sv name;

	if (sv_empty(mark) || !sv_cut(mark, SV(" "), &where, &name))
		return SV("");
	const struct value *marks = value_path(
	    object->root, sv_eq(where, SV("label")) ? "metadata.labels" : "metadata.annotations");
	return value_text(value_map_get(marks, name));
}

/*
 * Returns the Application in "APPLICATION:GROUP/KIND:NAMESPACE/NAME", or an empty string for the ID
 * of another object: Argo CD does not manage a copy that has it.
 */
static sv name_in_tracking_id(const struct kube_object *object, sv id)
{
	sv application;
	sv rest;
	sv kind;
	sv path;
	sv namespace;
	sv name;

	return sv_cut(id, SV(":"), &application, &rest) && sv_cut(rest, SV(":"), &kind, &path) &&
	               sv_cut(path, SV("/"), &namespace, &name) &&
	               sv_eq(namespace, object->id.namespace) && sv_eq(name, object->id.name)
	           ? application
	           : SV("");
}

static bool has_mark(const struct kube_object *object, const struct kube_applier *applier,
                     struct kube_trace *ret_trace)
{
	sv value = mark_value(object, applier->mark);

	if (applier->has_object_in_name)
		value = name_in_tracking_id(object, value);
	if (sv_empty(value))
		return false;
	*ret_trace = (struct kube_trace){
	    .applier = applier,
	    .mark = applier->mark,
	    .source_namespace = mark_value(object, applier->namespace_mark),
	    .source_name = applier->has_no_name ? SV("") : value,
	};
	return true;
}

static const struct kube_applier *applier_of_manager(sv manager)
{
	for (size_t i = 0; i < COUNT_OF(appliers); i++)
		for (size_t k = 0; k < COUNT_OF(appliers[i].managers); k++)
			if (appliers[i].managers[k] && sv_eq_cstr(manager, appliers[i].managers[k]))
				return &appliers[i];
	return NULL;
}

/* Finds the manager of fields that wrote last, of those that apply objects. */
static bool has_manager(const struct kube_object *object, struct kube_trace *ret_trace)
{
	const struct value *managers = value_path(object->root, "metadata.managedFields");
	sv latest = SV("");
	bool found = false;

	for (size_t i = 0; value_is_list(managers) && i < value_count(managers); i++) {
		const struct value *entry = value_item(managers, i);
		sv manager = value_text(value_map_get(entry, SV("manager")));
		sv time = value_text(value_map_get(entry, SV("time")));
		const struct kube_applier *applier = applier_of_manager(manager);

		/* A status is written by controllers; kubectl create has kubectl's name, too. */
		if (!applier || value_map_get(entry, SV("subresource")) ||
		    (sv_eq(manager, SV("kubectl")) &&
		     !sv_eq(value_text(value_map_get(entry, SV("operation"))), SV("Apply"))) ||
		    (found && sv_cmp(time, latest) < 0))
			continue;
		*ret_trace = (struct kube_trace){.applier = applier, .manager = manager};
		latest = time;
		found = true;
	}
	return found;
}

bool kube_find_trace(const struct kube_object *object, struct kube_trace *ret_trace)
{
	for (size_t i = 0; i < COUNT_OF(appliers); i++)
		if (!appliers[i].has_no_name && has_mark(object, &appliers[i], ret_trace))
			return true;
	/* Others than kubectl leave its annotation, too. */
	if (has_manager(object, ret_trace))
		return true;
	for (size_t i = 0; i < COUNT_OF(appliers); i++)
		if (appliers[i].has_no_name && has_mark(object, &appliers[i], ret_trace))
			return true;
	return false;
}
