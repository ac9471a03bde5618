/*
 * The objects that a dialect's render makes, and what the rest of the program needs to know of each
 * (struct dialect, render and artifacts).
 */
#ifndef OSM_GEN_DIALECT_ARTIFACT_H
#define OSM_GEN_DIALECT_ARTIFACT_H

#include "base/base.h"
#include "kube/kube.h"
#include "value/value.h"

enum artifact_side {
	ARTIFACT_MANAGEMENT,
	ARTIFACT_WORKER,
	ARTIFACT_STATUS, /* only the status of these objects is written; no applier takes them */
};

enum artifact_role {
	ARTIFACT_CONFIG,       /* the object that reviewers read: an OperatingSystemConfig */
	ARTIFACT_BOOTSTRAP,    /* the first user-data of a machine */
	ARTIFACT_PROVISIONING, /* the second user-data, which the first fetches */
	ARTIFACT_CREDENTIAL,   /* the token with which a machine joins */
	ARTIFACT_REPORT,       /* the status that a controller would report of the unit */
	ARTIFACT_SUPPORT,      /* objects that the others need: profiles, namespaces, RBAC */
	/* The unit itself, from which machines are started. Proofs have these numbers: append. */
	ARTIFACT_MACHINES,
};

enum artifact_sealing {
	ARTIFACT_CLEAR,        /* secrets in it are replaced by <sealed:NAME#FINGERPRINT> */
	ARTIFACT_SEAL_DATA,    /* a Secret: data and stringData are sealed */
	ARTIFACT_SEAL_SECRETS, /* the true content; a key that holds a secret is sealed as a whole
	                        */
	ARTIFACT_SEAL_PATCH,   /* as ARTIFACT_CLEAR, with the replaced values in a sealed patch */
};

/* One object to write. */
struct artifact {
	/* Its name for `render --print`. If empty, the role gives it (artifact_print_name). */
	sv print;
	enum artifact_side side;
	enum artifact_role role;
	enum artifact_sealing sealing;
	struct kube_id id;
	struct value object; /* the true content; strings with secrets are tainted */
	/* ARTIFACT_SEAL_DATA: the Secret has the same keys under all settings, as long as it lives.
	 */
	bool has_fixed_keys;
	/* The string of user-data in it, or the invalid value. */
	struct value user_data;
	size_t user_data_bytes; /* counted as the limit counts them */
	size_t user_data_limit; /* 0 if no limit is known */
};
VEC_TYPE(artifacts, struct artifact);

/* Returns an artifact with the object's id, and without user-data or a name for --print. */
struct artifact artifact_of(struct value object, enum artifact_side side, enum artifact_role role,
                            enum artifact_sealing sealing);

/* "config", "bootstrap", "provisioning", "credential", "report", "support", "machines" */
sv artifact_role_name(enum artifact_role role);
/* Returns its own name, else "osc", "bootstrap" or "provisioning" by its role, else "". */
sv artifact_print_name(const struct artifact *artifact);

#endif
