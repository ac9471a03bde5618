/*
 * gardener/flow: the parts of Gardener v1.24 that gardenlet has, for clusters without one (setting
 * gardenerFlow: downloader; docs/spec/gardener.md 7). Each OperatingSystemConfig of purpose
 * reconcile gives a Secret with an execution script. A node downloads it with a bootstrap token
 * that may read this Secret only, and runs it.
 *
 *   pool.c         which OperatingSystemConfigs are part of it, and their names
 *   credential.c   the token of a pool: derived or given
 *   script.c       the execution script
 *   flow.c         the Secret, the tokens' Secrets, RBAC; settings that do not fit together
 */
#ifndef OSM_GEN_GARDENER_FLOW_FLOW_H
#define OSM_GEN_GARDENER_FLOW_FLOW_H

#include "gardener/internal.h"

/* ---- pool.c ------------------------------------------------------------------------------ */

/* Returns true if the OSC has a Secret of the flow. It need not be valid. */
bool gardener_flow_has(const struct gardener_settings *settings, const struct kube_object *osc);
/* Returns the Secret's name: "cloud-config-POOL". */
sv gardener_flow_name(struct arena *arena, const struct kube_object *osc);

/* ---- credential.c ------------------------------------------------------------------------ */

/* A Secret of a bootstrap token with this label, whose value is gardener_flow_name, is used. */
#define GARDENER_FLOW_TOKEN_LABEL "osm-gen.dev/cloud-config"

struct gardener_flow_tokens {
	struct value now;    /* "ID.SECRET", tainted */
	struct value before; /* still valid; invalid value if there is none */
	sv expiration;       /* of `now`; empty if it does not end */
	sv expiration_before;
	bool is_given; /* its Secret is an input, and not written */
};

/* Returns true for Secrets that may be a bootstrap token. */
bool gardener_flow_is_token(const struct kube_object *object);
/* A member of struct dialect, for units of the flow. */
void gardener_flow_token(struct arena *arena, const struct dialect_cluster *cluster,
                         const struct kube_object *osc, int64_t now,
                         struct dialect_token *ret_token);
/* Sets the tokens of a unit. Fails if they are wrong, or cannot be derived without a seed. */
MUST_CHECK enum status gardener_flow_tokens(struct arena *arena, struct sink *sink,
                                            const struct dialect_job *job,
                                            bool secrets_may_be_absent,
                                            struct gardener_flow_tokens *ret_tokens);

/* ---- script.c ---------------------------------------------------------------------------- */

/* Everything that one OSC of the flow needs. */
struct gardener_flow_request {
	const struct gardener_osc *osc;
	const struct gardener_stage *stage;
	const struct gardener_machine *machine;
	const struct gardener_settings *settings;
	const struct dialect_job *job;
	const struct value *status; /* as gardener_status_make has it */
	bool secrets_may_be_absent;
};

/* Returns the script with the token and the user-data in it, which are tainted. */
struct value gardener_flow_script(struct arena *arena, const struct gardener_flow_request *request,
                                  const struct value *token);

/* ---- flow.c ------------------------------------------------------------------------------ */

/* Fails if the settings do not fit together. */
MUST_CHECK enum status gardener_flow_check(struct sink *sink,
                                           const struct dialect_cluster *cluster);
/* Adds the bindings that let nodes join, once for each cluster. */
void gardener_flow_cluster_artifacts(struct arena *arena, struct artifacts *artifacts);
/* Adds the Secret, the Secrets of its tokens, and their RBAC. */
MUST_CHECK enum status gardener_flow_add(struct arena *arena, struct sink *sink,
                                         const struct gardener_flow_request *request,
                                         struct artifacts *artifacts);

#endif
