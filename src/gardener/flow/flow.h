/*
 * gardener/flow: the parts of Gardener v1.24 that gardenlet has, for clusters without one (setting
 * gardenerFlow: downloader; docs/spec/gardener.md 7). Each OperatingSystemConfig of purpose
 * reconcile gives a Secret with an execution script. A node downloads it with a bootstrap token
 * that may read this Secret only, and runs it.
 *
 *   pool.c         which OperatingSystemConfigs are part of it, and their names
 *   given.c        what a repository gives instead: OSCs of purpose provision, tokens
 *   credential.c   the tokens of a pool: derived or given
 *   server.c       the API server that nodes download from
 *   downloader.c   the downloader on the nodes; the scripts that osm-gen carries
 *   provision.c    the OperatingSystemConfig of purpose provision, for a pool that has none
 *   own.c          leaves out what an OSC has of gardenlet's downloader
 *   script.c       the execution script
 *   flow.c         the Secret, the tokens' Secrets, RBAC; checks of settings and of lost tokens
 */
#ifndef OSM_GEN_GARDENER_FLOW_FLOW_H
#define OSM_GEN_GARDENER_FLOW_FLOW_H

#include "gardener/internal.h"

/* ---- pool.c ------------------------------------------------------------------------------ */

/* The prefix of the Secret's name, which names of OSCs may have, too. */
#define GARDENER_FLOW_PREFIX "cloud-config-"
/* The suffix of the names of OSCs of purpose provision, as gardenlet names them. */
#define GARDENER_FLOW_SUFFIX "-downloader"

/* Returns true if the OSC has a Secret of the flow. It need not be valid. */
bool gardener_flow_has(const struct gardener_settings *settings, const struct kube_object *osc);
/* Returns the Secret's name: "cloud-config-POOL". The OSC may be that of purpose provision. */
sv gardener_flow_name(struct arena *arena, const struct kube_object *osc);
/* Returns the name of the OSC of purpose provision that the flow makes for a pool. */
sv gardener_flow_provision_name(struct arena *arena, const struct kube_object *osc);

/* ---- given.c ----------------------------------------------------------------------------- */

/* A Secret of a bootstrap token with this label, whose value is gardener_flow_token_name, is used.
 */
#define GARDENER_FLOW_TOKEN_LABEL "osm-gen.dev/cloud-config"

/* The objects of a cluster that take the place of what the flow makes. */
struct gardener_flow_given {
	struct map provisions; /* OSCs of purpose provision, by namespace and pool */
	struct set gardenlets; /* keys of those that gardener_flow_is_gardenlets */
	struct map tokens;     /* Secrets, by the value of GARDENER_FLOW_TOKEN_LABEL */
};

/* Finds the OSCs of purpose provision alone, before other objects are looked up. */
struct gardener_flow_given gardener_flow_find_provisions(struct arena *arena,
                                                         const struct dialect_cluster *cluster);
/* Finds them, while the values of all units are known. */
struct gardener_flow_given gardener_flow_find_given(struct arena *arena,
                                                    const struct dialect_cluster *cluster);
/*
 * Returns the OSC of purpose provision of the same pool: one of this namespace and name with the
 * suffix -downloader, -provision or -init in the place of -original. Returns null if there is none.
 * Its values may be forgotten.
 */
const struct kube_object *gardener_flow_given_provision(struct arena *arena,
                                                        const struct gardener_flow_given *given,
                                                        const struct kube_object *osc);
/*
 * Returns true if the user-data of the pool's new machines has the flow's downloader: the OSC of
 * purpose provision is made, or has gardenlet's.
 */
bool gardener_flow_has_downloader(struct arena *arena, const struct gardener_flow_given *given,
                                  const struct kube_object *osc);
/* Returns the Secret with a token of that name (gardener_flow_token_name), or null. */
const struct kube_object *gardener_flow_given_token(const struct gardener_flow_given *given,
                                                    sv name);

/* ---- credential.c ------------------------------------------------------------------------ */

/* The group of the tokens that may join, from output contract 2 on. */
#define GARDENER_FLOW_JOINERS KUBE_BOOTSTRAPPERS ":osm-gen:join"

struct gardener_flow_tokens {
	struct value now;    /* "ID.SECRET", tainted */
	struct value before; /* still valid; invalid value if there is none */
	sv groups;           /* of both; may be empty */
	sv expiration;       /* of `now` and `join`; empty if they do not end */
	sv expiration_before;
	bool is_given; /* the Secret of `now` is an input, and not written */
	/* The one that new machines join with, if `now` may not join; else invalid. */
	struct value join;
	struct value join_before; /* still valid; invalid value if there is none */
};

/* Returns the name of a pool's token: gardener_flow_name, or with the flow node-agent the name of
 * the Secret with osc.yaml. */
sv gardener_flow_token_name(struct arena *arena, const struct gardener_settings *settings,
                            const struct kube_object *osc);
/* A member of struct dialect, for units of the flow. */
void gardener_flow_token(struct arena *arena, const struct dialect_cluster *cluster,
                         const struct kube_object *osc, int64_t now,
                         struct dialect_token *ret_token);
/* Sets the tokens of a unit. Fails if they are wrong, or cannot be derived without a seed. */
MUST_CHECK enum status gardener_flow_tokens(struct arena *arena, struct sink *sink,
                                            const struct dialect_job *job,
                                            struct gardener_flow_tokens *ret_tokens);
/* Returns the token of user-data. */
const struct value *gardener_flow_first_token(const struct gardener_flow_tokens *tokens);

/* ---- server.c ---------------------------------------------------------------------------- */

/* The API server, from the ConfigMap kube-public/cluster-info. */
struct gardener_flow_server {
	struct value url; /* user and password in it are tainted */
	struct value ca;  /* PEM */
};
/* Calls dialect_want for the ConfigMap. */
void gardener_flow_want(struct dialect_wants *wants);
/* Returns true if the cluster has the ConfigMap. It need not be valid. */
bool gardener_flow_has_server(const struct dialect_cluster *cluster);
/*
 * Reads the ConfigMap. Sets *ret_server to null if the cluster has none. Fails if it is not one of
 * a server with a CA, or asks for more than the downloader can do.
 */
MUST_CHECK enum status gardener_flow_server_read(struct arena *arena, struct sink *sink,
                                                 const struct dialect_cluster *cluster,
                                                 bool secrets_may_be_absent,
                                                 const struct gardener_flow_server **ret_server);

/* ---- downloader.c ------------------------------------------------------------------------ */

/* Files of the downloader on a node. */
#define GARDENER_FLOW_FOLDER      "/var/lib/cloud-config-downloader"
#define GARDENER_FLOW_PROGRAM     GARDENER_FLOW_FOLDER "/download-cloud-config.sh"
#define GARDENER_FLOW_UNIT        "cloud-config-downloader.service"
#define GARDENER_FLOW_CREDENTIALS GARDENER_FLOW_FOLDER "/credentials"
/* machine-controller-manager replaces it by a machine's token. */
#define GARDENER_FLOW_PLACEHOLDER "<<BOOTSTRAP_TOKEN>>"

/* Returns the downloader's script for a pool. */
struct value gardener_flow_downloader(struct arena *arena, const struct dialect_cluster *cluster,
                                      const struct kube_object *osc);
/* Returns the downloader's unit. `cri_name` is that of struct gardener_osc. */
sv gardener_flow_unit(struct arena *arena, sv cri_name);
/* Returns a script of profiles/gardener/flow as the cluster's contract has it. */
sv gardener_flow_steps(struct arena *arena, const struct dialect_cluster *cluster, sv name);
/* Adds NAME=WORD and a line break. */
void gardener_flow_set(struct arena *arena, struct text *text, sv name, const struct value *v);

/* ---- provision.c ------------------------------------------------------------------------- */

/*
 * Makes an OSC of purpose provision for the pool of an OSC of purpose reconcile. It has no files
 * and units yet.
 */
const struct kube_object *gardener_flow_provision(struct arena *arena,
                                                  const struct gardener_osc *osc);
/*
 * Adds the downloader, the API server and the first token to an OSC of purpose provision, before
 * its own files and units.
 */
void gardener_flow_extend(struct arena *arena, const struct dialect_cluster *cluster,
                          const struct gardener_flow_server *server, const struct value *token,
                          struct gardener_osc *osc);

/* ---- own.c ------------------------------------------------------------------------------- */

/* Returns true for the path of a file of the downloader, whoever wrote it. */
bool gardener_flow_owns(sv path);
/*
 * Returns true if the OSC has the downloader that gardenlet v1.24 writes. It need not be valid. Its
 * values must be known.
 */
bool gardener_flow_is_gardenlets(struct arena *arena, const struct kube_object *osc);
/*
 * Removes gardenlet's downloader from an OSC of the flow whose contents are not yet known, and
 * warns. Those of purpose provision that have another downloader stay as they are. Fails if one of
 * purpose reconcile has other files at the paths of the flow.
 */
MUST_CHECK enum status gardener_flow_leave_out(struct arena *arena, struct sink *sink,
                                               const struct gardener_settings *settings,
                                               struct gardener_osc *osc);

/* ---- script.c ---------------------------------------------------------------------------- */

/* Everything that one OSC of the flow needs. */
struct gardener_flow_request {
	const struct gardener_osc *osc;
	const struct gardener_stage *stage;
	const struct gardener_machine *machine;
	const struct gardener_settings *settings;
	const struct dialect_job *job;
	const struct value *status; /* as gardener_status_make has it */
	const struct gardener_flow_tokens *tokens;
	/* For a pool whose OSC of purpose provision is made; else null. */
	const struct gardener_flow_server *server;
};

/* Returns the script with the token and the user-data in it, which are tainted. */
struct value gardener_flow_script(struct arena *arena, const struct gardener_flow_request *request);

/* ---- flow.c ------------------------------------------------------------------------------ */

/* Fails if the settings do not fit together. */
MUST_CHECK enum status gardener_flow_check(struct sink *sink,
                                           const struct dialect_cluster *cluster);
/* Adds the bindings that let nodes of the group `joiners` join, once for each cluster. */
void gardener_flow_cluster_artifacts(struct arena *arena, sv joiners, struct artifacts *artifacts);
/* Fails if the OSC lacks what the flow needs. */
MUST_CHECK enum status gardener_flow_check_osc(struct sink *sink, const struct gardener_osc *osc,
                                               const struct gardener_stage *stage);
/* Warns of a pool without user-data for new nodes. */
void gardener_flow_warn_no_provision(struct sink *sink, const struct gardener_osc *osc);
/* Adds the Secrets of the tokens that are not given, the one before, too. */
void gardener_flow_add_tokens(struct arena *arena, sv name,
                              const struct gardener_flow_tokens *tokens,
                              struct artifacts *artifacts);
/* Adds the Secret, the Secrets of its tokens, and their RBAC. */
MUST_CHECK enum status gardener_flow_add(struct arena *arena, struct sink *sink,
                                         const struct gardener_flow_request *request,
                                         struct artifacts *artifacts);

#endif
