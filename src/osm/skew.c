/*
 * Compares kubelets with the version of Kubernetes that a setting or a KubeOneCluster names
 * (https://kubernetes.io/releases/version-skew-policy/).
 */
#include "golang/golang.h"
#include "osm/osm.h"

/* A kubelet may be older than the API server by this number of minor versions. */
enum { MINORS_BEHIND = 3 };

/* Returns why a kubelet of that version does not work, or null if it does. */
static const char *mistake(const struct semver *kubelet, const struct semver *cluster)
{
	if (kubelet->major != cluster->major)
		return NULL;
	if (kubelet->minor > cluster->minor)
		return "newer than";
	if (kubelet->minor + MINORS_BEHIND < cluster->minor)
		return "more than three minor versions older than";
	return NULL;
}

const struct value *osm_control_plane(const struct dialect_cluster *cluster)
{
	const struct osm_settings *settings = cluster->settings;

	return sv_empty(value_text(&settings->kubernetes_version)) ? &cluster->kubernetes_version
	                                                           : &settings->kubernetes_version;
}

void osm_check_skew(struct arena *arena, struct sink *sink, const struct dialect_cluster *cluster)
{
	const struct value *set = osm_control_plane(cluster);
	struct semver version;
	struct semver kubelet;
	sv ignored;

	if (!value_is_string(set) || !go_semver_parse(arena, set->string, &version, &ignored))
		return;
	for (size_t i = 0; i < cluster->units.count; i++) {
		const struct kube_object *object = cluster->units.items[i];
		const struct value *v =
		    value_path(object->root, "spec.template.spec.versions.kubelet");
		const char *why = NULL;

		/* Rendering reports what is not a version. */
		if (value_is_string(v) && go_semver_parse(arena, v->string, &kubelet, &ignored))
			why = mistake(&kubelet, &version);
		if (!why)
			continue;
		DIAG_SCOPE(sink, kube_object_describe(arena, object), sink->cluster);
		struct diag *diag = diag_report(sink, DIAG_MD_SKEW, value_position(v),
		                                "kubelet %.*s is %s the cluster's %.*s",
		                                SV_ARG(v->string), why, SV_ARG(set->string));
		diag_add_note(sink, diag, value_position(set), "the version of the control plane");
		diag_set_help(sink, diag,
		              "a kubelet may be up to three minor versions older than the API "
		              "server, and never newer: change versions.kubelet");
	}
}
