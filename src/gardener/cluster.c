/*
 * Loads a cluster: the objects that its OSCs share. Checks what must hold for all of them.
 */
#include "gardener/cluster.h"
#include "gardener/agent/agent.h"

bool gardener_is_for_node_agent(const struct gardener_settings *settings,
                                const struct kube_object *osc)
{
	sv purpose = value_text(value_path(osc->root, "spec.purpose"));

	if (gardener_agent_has(settings, osc))
		return true;
	return settings->node_agent_secrets && settings->contract == GARDENER_CURRENT &&
	       sv_eq(purpose, gardener_purpose_name(GARDENER_RECONCILE));
}

/* Returns the name of the OSC's Secret for nodes, or "" if it has none. */
static sv node_secret(struct arena *arena, const struct gardener_settings *settings,
                      const struct kube_object *osc)
{
	if (gardener_is_for_node_agent(settings, osc))
		return gardener_node_agent_key(osc);
	return gardener_flow_has(settings, osc) ? gardener_flow_name(arena, osc) : SV("");
}

/* A cluster's Secrets for nodes share one namespace: fails if two have one name. */
static enum status check_keys(struct arena *arena, struct sink *sink,
                              const struct dialect_cluster *cluster)
{
	struct map keys = map_in(arena);
	enum status status = STATUS_OK;

	VEC_EACH (unit, &cluster->units) {
		sv key = node_secret(arena, cluster->settings, *unit);
		const struct kube_object *const *other = map_get(&keys, key);

		if (sv_empty(key))
			continue;
		if (!other) {
			const struct kube_object **kept =
			    ARENA_NEW(arena, const struct kube_object *);

			*kept = *unit;
			map_put(&keys, key, kept);
			continue;
		}
		DIAG_SCOPE(sink, kube_object_describe(arena, *unit), sink->cluster);
		struct diag *diag = diag_report(
		    sink, DIAG_GARDENER_KEY, kube_object_position(*unit),
		    "two OperatingSystemConfigs write Secret kube-system/%.*s", SV_ARG(key));
		diag_add_note(sink, diag, kube_object_position(*other), "the other one");
		diag_set_help(sink, diag,
		              "rename one of them: the Secret's name is theirs without -original; "
		              "or give each its own Cluster");
		status = STATUS_FAILED;
	}
	return status;
}

/* Warns, once for a cluster, if nothing of its reconcile OSCs but a status is written. */
static void check_is_applied(struct arena *arena, struct sink *sink,
                             const struct dialect_cluster *cluster)
{
	const struct gardener_settings *settings = cluster->settings;
	const struct kube_object *first = NULL;
	size_t count = 0;

	if (settings->node_agent_secrets_given.is_given || settings->contract != GARDENER_CURRENT ||
	    settings->flow == GARDENER_FLOW_NODE_AGENT)
		return;
	VEC_EACH (unit, &cluster->units) {
		sv purpose = value_text(value_path((*unit)->root, "spec.purpose"));

		if (!sv_eq(purpose, gardener_purpose_name(GARDENER_RECONCILE)))
			continue;
		first = first ? first : *unit;
		count++;
	}
	if (count == 0)
		return;
	DIAG_SCOPE(sink, kube_object_describe(arena, first), sink->cluster);
	struct diag *diag =
	    diag_report(sink, DIAG_GARDENER_NOT_APPLIED, kube_object_position(first),
	                "the output has only the status of %zu OperatingSystemConfig%s of purpose "
	                "reconcile, so no node gets files and units from it",
	                count, count == 1 ? "" : "s");
	diag_set_help(sink, diag,
	              "set gardenerNodeAgentSecrets: true for nodes with gardener-node-agent, or "
	              "false to state that gardenlet writes their Secrets");
}

/* Fails (DIAG_PROVISIONING_SPLIT): programs of Gardener read the configuration of these nodes. */
static enum status check_whole(struct sink *sink, const struct dialect_cluster *cluster)
{
	const struct gardener_settings *settings = cluster->settings;
	struct diag *diag;

	if (!settings->splits_provisioning)
		return STATUS_OK;
	diag = diag_report(sink, DIAG_PROVISIONING_SPLIT, settings->provisioning_given.at,
	                   "provisioning: split of cluster %.*s is for MachineDeployments, and it "
	                   "has Gardener's OperatingSystemConfigs",
	                   SV_ARG(cluster->name));
	diag_set_help(sink, diag, "set provisioning: whole in this Cluster");
	return STATUS_FAILED;
}

enum status gardener_cluster_load(struct arena *secret_arena, struct sink *sink,
                                  const struct dialect_cluster *cluster,
                                  const struct dialect_load *options, const void **ret_loaded)
{
	struct gardener_cluster *loaded = ARENA_NEW(secret_arena, struct gardener_cluster);

	*loaded = (struct gardener_cluster){
	    .settings = cluster->settings,
	    .objects = cluster->objects,
	    .agent_keys = gardener_agent_keys(secret_arena, cluster),
	    .given = gardener_flow_find_given(secret_arena, cluster),
	    .machines = gardener_find_machines(secret_arena, cluster),
	    .contract = cluster->contract,
	    .secrets_may_be_absent = options->secrets_may_be_absent,
	    .makes_provisions = gardener_makes_provisions(cluster),
	};
	*ret_loaded = loaded;
	check_is_applied(secret_arena, sink, cluster);
	enum status status = gardener_flow_check(sink, cluster);
	status |= check_whole(sink, cluster);
	if (loaded->settings->flow == GARDENER_FLOW_DOWNLOADER &&
	    gardener_flow_server_read(secret_arena, sink, cluster, options->secrets_may_be_absent,
	                              &loaded->server) != STATUS_OK) {
		loaded->has_wrong_server = true;
		status = STATUS_FAILED;
	}
	status |= gardener_agent_check(sink, cluster);
	if (status == STATUS_OK && loaded->settings->flow == GARDENER_FLOW_NODE_AGENT)
		status |= gardener_agent_server_read(
		    secret_arena, sink, cluster, options->secrets_may_be_absent, &loaded->server);
	status |= check_keys(secret_arena, sink, cluster);
	status |= gardener_machine_classes_check(secret_arena, sink, cluster, &loaded->machines);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

int64_t gardener_cluster_machines(struct arena *arena, const void *loaded,
                                  const struct kube_object *unit)
{
	const struct gardener_cluster *cluster = loaded;
	sv purpose = value_text(value_path(unit->root, "spec.purpose"));
	sv osc = unit->id.name;

	if (!sv_eq(purpose, gardener_purpose_name(GARDENER_PROVISION))) {
		if (!gardener_flow_has(cluster->settings, unit) ||
		    gardener_flow_given_provision(arena, &cluster->given, unit))
			return -1;
		osc = gardener_flow_provision_name(arena, unit);
	}
	return gardener_machine_replicas(arena, &cluster->machines, unit->id.namespace, osc);
}

void gardener_cluster_artifacts(struct arena *arena, const void *loaded,
                                struct artifacts *artifacts)
{
	const struct gardener_cluster *cluster = loaded;

	switch (cluster->settings->flow) {
	case GARDENER_FLOW_NONE:
		break;
	case GARDENER_FLOW_DOWNLOADER:
		gardener_flow_cluster_artifacts(arena,
		                                cluster->contract >= 2 ? SV(GARDENER_FLOW_JOINERS)
		                                                       : SV(KUBE_BOOTSTRAPPERS),
		                                artifacts);
		break;
	case GARDENER_FLOW_NODE_AGENT:
		gardener_agent_cluster_artifacts(arena, cluster->settings, cluster->agent_keys,
		                                 artifacts);
		break;
	}
}
