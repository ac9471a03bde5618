/*
 * Private to osm/: a cluster: what its MachineDeployments share.
 *
 *   cluster.c                cluster-info, tokens, containerd's files; looks up Secrets
 *   bootstrap.c              the tokens with which machines join
 *   containerd.c hosts.c     containerd's config.toml and hosts.toml
 *   credentials.c            the credentials of registries
 */
#ifndef OSM_GEN_OSM_CLUSTER_H
#define OSM_GEN_OSM_CLUSTER_H

#include "dialect/dialect.h"
#include "osm/osm.h"
#include "value/text.h"

/* ---- containerd ------------------------------------------------------------------------- */

struct osm_registry_credential {
	sv host;
	struct value username; /* strings, tainted; empty if absent */
	struct value password;
	struct value auth;
	struct value identity_token;
};

struct osm_registry_credentials {
	struct osm_registry_credential *items; /* sorted by host */
	size_t count;
};

MUST_CHECK enum status
osm_registry_credentials_read(struct arena *arena, struct sink *sink,
                              const struct kube_object *secret, struct position wanted,
                              struct osm_registry_credentials *ret_credentials);

struct value osm_containerd_config(struct arena *arena, const struct osm_settings *settings,
                                   const struct osm_registry_credentials *credentials);

struct osm_hosts_file {
	sv path;
	struct value text;
};
VEC_TYPE(osm_hosts_files, struct osm_hosts_file);
/* Returns containerd's hosts.toml files, sorted by path. */
struct osm_hosts_files osm_containerd_hosts(struct arena *arena,
                                            const struct osm_settings *settings);
/* Adds a TOML key, bare if possible, else as a basic string. */
void osm_toml_add_key(struct text *text, sv key);
void osm_toml_add_string(struct text *text, const struct value *string);

/* ---- the cluster ------------------------------------------------------------------------ */

struct osm_cluster {
	sv name;
	const struct osm_settings *settings;
	const struct kube_objects *objects;
	bool secrets_may_be_absent;
	const struct value *environment; /* see struct osm_cluster_input */
	struct kube_config cluster_info;
	struct value server_url;
	struct value kubernetes_ca;
	struct value getter_token;  /* invalid if absent; .Token is then the bootstrap token */
	struct value account_token; /* of bootstrapTokenServiceAccountName; invalid if unset */
	struct map given_tokens;    /* KEY to struct osm_given_token */
	struct value containerd_config;
	struct osm_hosts_files hosts_files;
	struct value cluster_dns; /* list of net.IP, as templates see it */
	struct userdata_read_texts *read_texts;
};

/* A labelled bootstrap token Secret. */
struct osm_given_token {
	const struct kube_object *secret;
	const struct kube_object *second; /* another one with the same label; or null */
};

/* Returns true if the value is empty because `validate` does without the Secret. */
bool osm_is_absent_secret(const struct osm_cluster *cluster, const struct value *string);
/*
 * Returns false if the Secret is null, lacks the key, or is still encrypted (`validate` decrypts
 * nothing).
 */
bool osm_secret_is_usable(const struct kube_object *secret, sv key);
/*
 * Returns false if a Secret surely lacks the key, which a run with all secrets would report: the
 * names of keys are clear in an encrypted Secret, too. `secret` may be null.
 */
bool osm_secret_may_have(const struct kube_object *secret, sv key);
/*
 * Returns true if the Secret is in clear text and lacks the key because a controller in the
 * cluster fills it, as with a ServiceAccount's token. `secret` may be null.
 */
bool osm_secret_is_unfilled(const struct kube_object *secret, sv key);
/* Warns of a token's Secret that is unfilled. `instead` is what osm-gen does instead. */
void osm_warn_unfilled(struct arena *arena, struct sink *sink, const struct kube_object *secret,
                       const char *instead);
/* A reference to a value of a Secret or ConfigMap. */
struct osm_lookup {
	bool is_secret; /* else a ConfigMap */
	sv namespace;
	sv name;
	sv key;
	struct position wanted; /* of the reference; a missing object is reported there */
};
MUST_CHECK enum status osm_lookup_value(struct arena *arena, struct sink *sink,
                                        const struct osm_cluster *cluster,
                                        const struct osm_lookup *lookup, struct value *ret_string);

/* Returns true for the token Secret of a ServiceAccount, whose name may be empty. */
bool osm_is_account_secret_of(const struct kube_object *object,
                              const struct setter_reference *account);
/* Finds a ServiceAccount's token. */
MUST_CHECK enum status osm_account_token(struct arena *arena, struct sink *sink,
                                         const struct kube_objects *objects,
                                         const struct setter_reference *reference,
                                         bool may_be_absent, struct value *ret_token);
/*
 * Collects the bootstrap token Secrets labelled machinedeployment.k8s.io/name: maps the label's
 * value (osm_machine_key) to struct osm_given_token. Leaves out, with a warning, those that have no
 * token because a controller fills them.
 */
void osm_collect_given_tokens(struct arena *arena, struct sink *sink,
                              const struct kube_objects *objects, struct map *tokens);

enum osm_token_from { OSM_TOKEN_DERIVED, OSM_TOKEN_GIVEN, OSM_TOKEN_ACCOUNT };
MUST_CHECK enum status osm_bootstrap_token(struct arena *arena, struct sink *sink,
                                           const struct dialect_job *job, sv key,
                                           struct value *ret_token, enum osm_token_from *ret_from);

/* ---- a job of this dialect -------------------------------------------------------------- */

static inline const struct osm_cluster *osm_job_cluster(const struct dialect_job *job)
{
	return job->loaded;
}

static inline const struct osm_profile *osm_job_profile(const struct dialect_job *job)
{
	return job->unit->resolved;
}

#endif
