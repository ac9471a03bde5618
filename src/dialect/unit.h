/*
 * unit: clusters, units, and the definitions that units share. Part of dialect.h, which other
 * folders include.
 */
#ifndef OSM_GEN_DIALECT_UNIT_H
#define OSM_GEN_DIALECT_UNIT_H

#include "diag/diag.h"
#include "kube/kube.h"
#include "value/value.h"

/* The view of one cluster that a dialect gets. */
struct dialect;
struct dialect_cluster {
	const struct dialect *dialect;
	sv name;
	struct position at;   /* of the Cluster's name; NOWHERE for the only cluster */
	const void *settings; /* of the dialect's own struct (settings_new) */
	unsigned contract;    /* the fleet's output contract, which this program has */
	const struct kube_objects *objects; /* all objects that may be looked up */
	struct kube_object_list
	    definitions;               /* of the cluster's folder, in the order of the files */
	struct kube_object_list units; /* sorted by kind, namespace and name */
	const struct kube_object_list *shared; /* definitions outside of every cluster's folder */
	struct value kubernetes_version;       /* see struct dialect_expanded */
};

/* An object that units share, such as a profile. It may serve many clusters. */
struct dialect_definition {
	const struct kube_object *object;
	sv name;
	struct value version; /* a string; keeps its position */
	bool is_embedded;     /* it is in the program, not in the repository */
};

/* One thing to render, named by the object that asks for it. */
struct dialect_unit {
	const struct dialect *dialect;
	const struct kube_object *object;
	const struct dialect_definition *definition; /* may be null */
	const void *resolved; /* made by resolve for render; null after a mistake */
};

/* The token with which a unit's machines join, if it is derived from the seed. */
struct dialect_token {
	sv key;      /* its name among the secrets */
	sv rotation; /* another string gives another token */
	/* The rotation of the previous token, if that is still valid. May be empty. */
	sv rotation_before;
};

/* The names of the objects to look up. */
struct dialect_wants {
	struct arena *arena;
	struct map names; /* "KIND NAMESPACE/NAME" */
};
void dialect_want(struct dialect_wants *wants, sv kind, sv namespace, sv name);
bool dialect_is_wanted(const struct dialect_wants *wants, const struct kube_id *id);

struct dialect_input {
	const struct dialect_cluster *clusters;
	size_t cluster_count;
	struct kube_object_list shared; /* definitions outside of every cluster's folder */
	const void *shared_settings;    /* for those definitions */
	unsigned contract;              /* the same as in each cluster */
	struct quota *steps;            /* charged by loops over more than one list; may be null */
	/* Returns true if a file that could not be read, which is reported, may define `name`. */
	bool (*may_be_unreadable)(const void *context, sv name);
	const void *context;
};

#endif
