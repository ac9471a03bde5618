/*
 * Finds clusters that write the same object into one management cluster.
 */
#include "run/clusters/clusters.h"
#include "run/clusters/completion.h"

/* A cluster that writes an object of its management side. */
struct claim {
	const struct fleet_cluster *cluster;
	const struct kube_object *from; /* that it is made from; null for the cluster's profiles */
};

static struct position claim_position(const struct claim *claim)
{
	return claim->from ? kube_object_position(claim->from) : claim->cluster->at;
}

static void report_clash(const struct run_env *env, const struct kube_id *id,
                         const struct claim *claim, const struct claim *other)
{
	bool is_known = !sv_empty(claim->cluster->management_cluster);
	sv object = kube_id_describe(env->arena, id);
	DIAG_SCOPE(env->sink,
	           claim->from ? kube_object_describe(env->arena, claim->from) : env->sink->object,
	           env->sink->cluster);
	struct diag *diag = diag_report(
	    env->sink, DIAG_MANAGEMENT_CLASH, claim_position(claim),
	    is_known ? "clusters %.*s and %.*s are managed from one cluster, and "
	               "both write %.*s there"
	             : "clusters %.*s and %.*s both write %.*s, maybe into one management cluster",
	    SV_ARG(other->cluster->name), SV_ARG(claim->cluster->name), SV_ARG(object));
	diag_add_note(env->sink, diag, claim_position(other), "the other one is here");
	diag_set_help(env->sink, diag,
	              sv_eq(id->kind, SV("Namespace"))
	                  ? "write managementNamespace: exists into delivery of all but one"
	              : is_known
	                  ? "give each of the clusters another namespace (setting namespace), "
	                    "or rename one of the objects"
	                  : "set managementCluster: self in each cluster that applies its own "
	                    "management side, and one name in all that share a management cluster");
}

/* Adds a claim; it and its key are in the memory of `claims`. */
static void claim(const struct run_env *env, struct map *claims,
                  const struct fleet_cluster *cluster, const struct kube_id *id,
                  const struct kube_object *from)
{
	struct claim *entry = ARENA_NEW(claims->arena, struct claim);
	sv key = ARENA_CONCAT(claims->arena, cluster->management_cluster, SV(" "), id->kind,
	                      SV(" "), id->namespace, SV("/"), id->name);
	const struct claim *other = map_get(claims, key);

	*entry = (struct claim){cluster, from};
	if (!other)
		map_put(claims, key, entry);
	else if (other->cluster != cluster)
		report_clash(env, id, entry, other);
}

/*
 * Claims the profiles of a cluster, but only if its settings name a management cluster: most
 * clusters have the same profiles in the default namespace.
 */
static void claim_definitions(const struct run_env *env, struct map *claims,
                              const struct fleet_cluster *cluster)
{
	if (sv_empty(cluster->management_cluster) || run_is_self_managed(cluster))
		return;
	VEC_EACH (used, &cluster->definitions) {
		if (!used->dialect->definition_artifact)
			continue;
		struct artifact artifact = used->dialect->definition_artifact(
		    claims->arena, fleet_view(cluster, used->dialect), used->definition);

		claim(env, claims, cluster, &artifact.id, NULL);
	}
}

static void claim_namespace(const struct run_env *env, struct map *claims,
                            const struct fleet_cluster *cluster, sv namespace)
{
	const struct kube_id id = {
	    .api_version = SV("v1"), .kind = SV("Namespace"), .name = namespace};

	if (run_makes_namespace(cluster, namespace))
		claim(env, claims, cluster, &id, NULL);
}

enum status run_check_clashes(const struct run_env *env, const struct plan *plan,
                              const struct run_rendered *rendered)
{
	size_t errors = env->sink->error_count;
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct map claims = map_in(scratch);

	if (plan->cluster_count < 2)
		return STATUS_OK;
	for (size_t i = 0; i < plan->unit_count; i++) {
		const struct fleet_cluster *cluster = plan->units[i].cluster->fleet;

		VEC_EACH (file, &rendered->units[i].files)
			if (file->side == ARTIFACT_MANAGEMENT && !run_is_self_managed(cluster)) {
				claim(env, &claims, cluster, &file->object,
				      plan->units[i].unit->object);
				claim_namespace(env, &claims, cluster, file->object.namespace);
			}
	}
	for (size_t i = 0; i < plan->cluster_count; i++)
		claim_definitions(env, &claims, plan->clusters[i].fleet);
	return env->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}
