/*
 * gardener/agent: nodes that run gardener-node-agent, in clusters without gardenlet and
 * gardener-resource-manager (setting gardenerFlow: node-agent; docs/spec/gardener.md 11).
 *
 * Each OperatingSystemConfig of purpose reconcile has one of purpose provision: a manifest's, or
 * one that is made of it. The made one installs the agent on new machines and gives it a bootstrap
 * token. The agent then reads the Secret with osc.yaml, which holds the agent's own unit and
 * configuration, too.
 *
 *   derive.c    makes the provision OperatingSystemConfigs; which ones are part of the flow
 *   server.c    the API server's address and CA
 *   version.c   what each version of the agent reads
 *   node.c      the agent's files and unit
 *   access.c    the token's Secrets, RBAC, the admission policy
 *   policy.c    that policy
 */
#ifndef OSM_GEN_GARDENER_AGENT_AGENT_H
#define OSM_GEN_GARDENER_AGENT_AGENT_H

#include "gardener/flow/flow.h"
#include "gardener/internal.h"

/* Names that the agent has in itself. */
#define GARDENER_AGENT_UNIT   "gardener-node-agent.service"
#define GARDENER_AGENT_FOLDER "/var/lib/gardener-node-agent"
#define GARDENER_AGENT_CONFIG GARDENER_AGENT_FOLDER "/config-" /* and the version, and ".yaml" */
#define GARDENER_AGENT_CA     GARDENER_AGENT_FOLDER "/cluster-ca.crt"

/* ---- version.c --------------------------------------------------------------------------- */

/* A version of the agent, and the members that it reads. */
struct gardener_agent_form {
	unsigned since; /* the first minor version of Gardener 1 */
	/* apiServer.caFile in its configuration, and the file GARDENER_AGENT_CA; else
	 * apiServer.caBundle. */
	bool has_ca_file;
};

/* Returns the form of the version; of one that is not known, that of the nearest one. */
const struct gardener_agent_form *gardener_agent_form(sv version);

/* ---- ../derive.c ------------------------------------------------------------------------- */

/* Returns true if the OSC has a Secret with osc.yaml because of the flow. It need not be valid. */
bool gardener_agent_has(const struct gardener_settings *settings, const struct kube_object *osc);

/* ---- server.c ---------------------------------------------------------------------------- */

/*
 * Reads the address and the CA of a cluster's API server from the settings, or from ConfigMap
 * kube-public/cluster-info. Fails if one of them is missing.
 */
MUST_CHECK enum status gardener_agent_server_read(struct arena *arena, struct sink *sink,
                                                  const struct dialect_cluster *cluster,
                                                  bool secrets_may_be_absent,
                                                  const struct gardener_flow_server **ret_server);

/* ---- node.c ------------------------------------------------------------------------------ */

struct gardener_agent_request {
	const struct dialect_job *job;
	const struct gardener_settings *settings;
	const struct gardener_flow_server *server;
	const struct value
	    *token; /* "ID.SECRET"; null if machines have their own, or without one */
};

/*
 * Adds the agent's files and unit to an OSC of the flow whose contents are known. One of purpose
 * reconcile that has the agent's unit stays as it is; the made one then has its configuration.
 * Fails if that is one for another version of the agent.
 */
MUST_CHECK enum status gardener_agent_extend(struct arena *arena, struct sink *sink,
                                             const struct gardener_agent_request *request,
                                             struct gardener_osc *osc);
/* Adds the program that new machines fetch. */
void gardener_agent_fetches(struct arena *arena, const struct gardener_settings *settings,
                            struct dialect_fetches *fetches);

/* ---- access.c ---------------------------------------------------------------------------- */

/* Fails if the settings do not fit together. */
MUST_CHECK enum status gardener_agent_check(struct sink *sink,
                                            const struct dialect_cluster *cluster);
/* Returns the names of the Secrets with osc.yaml, sorted as their OSCs, joined by blanks. */
sv gardener_agent_keys(struct arena *arena, const struct dialect_cluster *cluster);
/* Adds what all agents of a cluster need, once. `keys` is of gardener_agent_keys. */
void gardener_agent_cluster_artifacts(struct arena *arena, const struct gardener_settings *settings,
                                      sv keys, struct artifacts *artifacts);
/* Adds the Role with which agents read the Secret of a reconcile OSC. */
void gardener_agent_add_role(struct arena *arena, const struct kube_object *osc,
                             struct artifacts *artifacts);

/* ---- policy.c ---------------------------------------------------------------------------- */

/*
 * Adds the ValidatingAdmissionPolicy, and its binding, that let an agent change its own Node, pods
 * and Lease only: RBAC cannot distinguish the agents of a cluster.
 */
void gardener_agent_add_policy(struct arena *arena, const struct gardener_settings *settings,
                               sv keys, struct artifacts *artifacts);

#endif
