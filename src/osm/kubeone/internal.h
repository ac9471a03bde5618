/*
 * Private to osm/kubeone/: structs and functions that its files share, one block for each file.
 */
#ifndef OSM_GEN_OSM_KUBEONE_INTERNAL_H
#define OSM_GEN_OSM_KUBEONE_INTERNAL_H

#include "osm/kubeone/kubeone.h"
#include "osm/osm.h"
#include "shape/shape.h"

/* ---- fields.c, merge.c --------------------------------------------------------------------- */

extern const struct shape kubeone_cluster;
extern const struct shape kubeone_worker_set_shape; /* an item of dynamicWorkers */
extern const struct shape kubeone_spec_aws;         /* cloudProviderSpec on aws */

/* ---- decode.c ---------------------------------------------------------------------------- */

struct kubeone_decoder {
	struct arena *arena;
	struct sink *sink;
	enum diag_code code; /* of mistakes */
	const char *what;    /* for messages: "a KubeOneCluster" */
	/* Letter case of keys does not matter (encoding/json, against Kubernetes' decoder). */
	bool folds_case;
	bool drops_unknown; /* members that are not known are left out, not reported */
	bool is_v1beta3;
	sv help; /* added to each mistake; may be empty */
};

/*
 * Returns the map with the names of its shape. Null members are left out, except those of type
 * SHAPE_ANY; null items of lists and maps are zero values, as in Go. Every mistake is reported at
 * its position, with the path from `path` on ("dynamicWorkers[0].name"). The result is without the
 * members that are wrong. Required members, choices and bounds are checked later.
 */
struct value kubeone_decode(const struct kubeone_decoder *decoder, const struct shape *shape,
                            const struct value *v, sv path);

/* ---- the cluster while it is expanded ------------------------------------------------------- */

struct kubeone_worker_set {
	struct value name;  /* a string; invalid if the manifest has none */
	struct value set;   /* a decoded item of dynamicWorkers */
	struct value spec;  /* cloudProviderSpec as written and merged; invalid if it is missing */
	struct position at; /* of the set in its file */
};

struct kubeone {
	struct arena *arena;
	struct sink *sink;
	const struct dialect_expansion *expansion;
	bool is_v1beta3;
	struct value root;   /* decoded */
	struct origin start; /* of the manifest's kind: the place of what only defaults decide */
	/* After Terraform's output: */
	struct value name; /* a string; invalid if it is missing */
	sv provider;       /* "aws"; empty if none is set */
	struct position provider_at;
	bool has_none_at_first; /* the manifest itself has `none` */
	bool external_at_first; /* and has a provider that lets KubeOne set `external` */
	struct value hosts;     /* list of decoded hosts, with KubeOne's defaults for addresses */
	struct value static_hosts;
	struct value endpoint; /* a string; invalid if it is missing */
	struct value tf;       /* the decoded output, or invalid without one */
	VEC(struct kubeone_worker_set) workers;
	bool deploys_machines; /* machineController.deploy */
	/* versions.kubernetes, without v; and parsed, if it is a version */
	struct value version;
	bool has_version;
	uint64_t minor;
	struct diag *refused; /* of values that cannot be encrypted; null so far */
};

/* Returns the member of the decoded manifest at a path, or null. */
static inline const struct value *kubeone_at(const struct kubeone *k, const char *path)
{
	return value_path(&k->root, path);
}
/* Returns true if the value is a boolean that is true. */
static inline bool kubeone_is_true(const struct value *v)
{
	return value_is(v, KIND_BOOL) && v->boolean;
}

/* ---- report.c ----------------------------------------------------------------------------- */

#define KUBEONE_TERRAFORM_HELP "commit what `terraform output -json > tf.json` writes"
/* Returns the decoder of Terraform's output. */
struct kubeone_decoder kubeone_terraform_decoder(const struct kubeone *k);
/* Returns the position of a member, or of the manifest's kind. */
struct position kubeone_place(const struct kubeone *k, const struct value *v);
/* Adds how to commit Terraform's output to the help of a diagnostic, if the cluster has none. */
void kubeone_help(const struct kubeone *k, struct diag *diag, const char *help);
/* Reports DIAG_KUBEONE_CLUSTER with a help. */
void kubeone_refuse(const struct kubeone *k, const struct value *at, const char *text,
                    const char *help);
/* Adds the members of a map, which may be null, to another one. */
void kubeone_add_members(struct arena *arena, struct value *into, const struct value *from);

/* ---- secrets.c ---------------------------------------------------------------------------- */

/* Reports the encrypted values of a worker set that would be shown. */
void kubeone_check_set_secrets(struct kubeone *k, const struct value *set);
/* Reports those of the manifest, and of the members that replace the manifest's. */
MUST_CHECK enum status kubeone_check_secrets(struct kubeone *k);
/* Returns true if a value was not decrypted: the rules cannot judge it. */
bool kubeone_has_placeholder(const struct kubeone *k);

/* ---- terraform.c ------------------------------------------------------------------------- */

/*
 * Reads Terraform's output and sets k->tf. Fails if it cannot be decoded, which is reported.
 */
MUST_CHECK enum status kubeone_read_terraform(struct kubeone *k);
/*
 * Sets the members of `k` that manifest and Terraform's output decide together: name, provider,
 * hosts, endpoint, and worker sets. Fails if the two do not fit.
 */
MUST_CHECK enum status kubeone_apply_terraform(struct kubeone *k);

/* ---- merge.c ----------------------------------------------------------------------------- */

/* Merges the cloudProviderSpec of Terraform's worker set `from` into that of the manifest's. */
MUST_CHECK enum status kubeone_merge(struct kubeone *k, struct kubeone_worker_set *into,
                                     const struct value *from, sv path);

/* ---- check.c, rules.c ---------------------------------------------------------------------- */

/* Reports what KubeOne's validation refuses, and what belongs to its release only. */
void kubeone_check(struct kubeone *k);
void kubeone_check_rules(const struct kubeone *k);

/* ---- machine.c --------------------------------------------------------------------------- */

/* Returns the MachineDeployment of a worker set. Fails if its cloudProviderSpec is wrong. */
MUST_CHECK enum status kubeone_machine_deployment(const struct kubeone *k,
                                                  const struct kubeone_worker_set *from,
                                                  struct value *ret_root);

/* ---- settings.c -------------------------------------------------------------------------- */

/* Returns the settings that KubeOne gives the controller: a map of names to values. */
struct value kubeone_settings(const struct kubeone *k);
/* Returns the URL of apiEndpoint, as Terraform's output has changed it, or the invalid value. */
struct value kubeone_server(const struct kubeone *k);
/* Reports credentials of registries, which must not be in git in the clear. */
void kubeone_check_credentials(const struct kubeone *k);

#endif
