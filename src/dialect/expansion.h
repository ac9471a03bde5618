/*
 * Objects that expand into units and settings of one cluster (struct dialect, expand).
 */
#ifndef OSM_GEN_DIALECT_EXPANSION_H
#define OSM_GEN_DIALECT_EXPANSION_H

#include "base/base.h"
#include "diag/diag.h"
#include "value/value.h"

/* An object of part DIALECT_EXPANDED (dialect.h), and what its expansion may read. */
struct dialect_expansion {
	const struct value *root;
	const struct source *source;
	/* The output of Terraform that the Cluster names (spec.terraformOutput), or null. */
	const struct source *terraform;
	/* Its values, if it was encrypted: secrets, or placeholders for them. Else null. */
	const struct value *terraform_root;
	/* Returns true if a flag, the Cluster or the Fleet gives the setting. */
	bool (*is_given)(const void *context, sv setting);
	/*
	 * Reads a file of the commit; `path` is relative to the folder of the object's file.
	 * Returns false if the commit lacks the file, or the path leads out of the repository.
	 * Reports an encrypted file; *ret_text is empty then.
	 */
	bool (*read_file)(const void *context, const struct value *path, sv *ret_text);
	const void *context;
};

/* The result of an expansion. Values keep the positions of the files that they come from. */
struct dialect_expanded {
	VEC(struct value *) units; /* manifests of the dialect's unit kind */
	struct value settings;     /* a map of names to values; invalid if the object gives none */
	/* The version of Kubernetes that the object sets for the cluster: a string, or invalid. */
	struct value kubernetes_version;
	/* The URL of the API server that the object names: a string, or invalid. */
	struct value server;
};

#endif
