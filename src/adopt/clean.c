/*
 * Manifests as people write them: without what the API server, kubectl and the controllers added.
 */
#include "adopt/internal.h"

static const char *const metadata_of_server[] = {
    "managedFields",
    "uid",
    "resourceVersion",
    "generation",
    "selfLink",
    "generateName",
    "creationTimestamp",
    "ownerReferences",
    "finalizers",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
};

/* Whole, or up to their "/". */
static const char *const annotations_of_others[] = {
    "kubectl.kubernetes.io/last-applied-configuration",
    "kubernetes.io/service-account.uid",
    "machinedeployment.clusters.k8s.io/",
    "machineset.clusters.k8s.io/",
    "deployment.kubernetes.io/",
    "k8c.io/machine-deployment-revision",
    "k8c.io/mdannotations-hash",
    "k8c.io/osp-version",
    "cluster.k8s.io/last-applied-configuration",
};

static bool is_listed(sv key, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (sv_eq_cstr(key, list[i]))
			return true;
	return false;
}

static bool is_of_others(sv annotation)
{
	for (size_t i = 0; i < COUNT_OF(annotations_of_others); i++) {
		sv listed = sv_from_cstr(annotations_of_others[i]);

		if (sv_eq(annotation, listed) ||
		    (sv_ends_with(listed, SV("/")) && sv_starts_with(annotation, listed)))
			return true;
	}
	return false;
}

static enum secrecy_step copy_part(void *context, struct secrecy_place *place,
                                   struct value *ret_copy)
{
	const struct secrecy_place *parent = place->parent;
	bool is_root_member = place->depth == 1;

	(void)context;
	(void)ret_copy;
	if (!place->entry)
		return SECRECY_INTO;
	sv key = place->entry->key;
	sv parent_key = parent && parent->entry ? parent->entry->key : SV("");
	bool in_metadata = place->depth == 2 && sv_eq(parent_key, SV("metadata"));
	bool in_annotations = place->depth == 3 && sv_eq(parent_key, SV("annotations"));
	if (is_root_member && sv_eq(key, SV("status")))
		return SECRECY_OMIT;
	if (in_metadata && is_listed(key, metadata_of_server, COUNT_OF(metadata_of_server)))
		return SECRECY_OMIT;
	/* kubectl writes it as null wherever there is metadata inside. */
	if (sv_eq(key, SV("creationTimestamp")) && value_is_null(place->value))
		return SECRECY_OMIT;
	return in_annotations && is_of_others(key) ? SECRECY_OMIT : SECRECY_INTO;
}

/* Kubernetes' own signatures of cluster-info, one a bootstrap token, change all the time. */
static enum secrecy_step copy_unsigned(void *context, struct secrecy_place *place,
                                       struct value *ret_copy)
{
	(void)context;
	(void)ret_copy;
	return place->depth == 2 && place->entry &&
	               sv_starts_with(place->entry->key, SV("jws-kubeconfig-"))
	           ? SECRECY_OMIT
	           : SECRECY_INTO;
}

/* {} left where everything was taken out. */
static enum secrecy_step copy_filled(void *context, struct secrecy_place *place,
                                     struct value *ret_copy)
{
	(void)context;
	(void)ret_copy;
	bool is_metadata = place->entry && (sv_eq(place->entry->key, SV("annotations")) ||
	                                    sv_eq(place->entry->key, SV("metadata")));

	return is_metadata && value_is_map(place->value) && value_count(place->value) == 0
	           ? SECRECY_OMIT
	           : SECRECY_INTO;
}

struct value adopt_clean(struct arena *arena, const struct kube_object *object)
{
	struct value copy = secrecy_copy(arena, object->root, copy_part, NULL);

	if (adopt_is_kind(object, "ConfigMap"))
		copy = secrecy_copy(arena, &copy, copy_unsigned, NULL);
	copy = secrecy_copy(arena, &copy, copy_filled, NULL);
	/* Twice: template.metadata may have held empty annotations only. */
	return secrecy_copy(arena, &copy, copy_filled, NULL);
}
