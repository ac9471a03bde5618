/*
 * roll: marks MachineDeployments in the text of their manifests, so that machine-controller
 * replaces their machines: a change of spec.template makes a new MachineSet.
 *
 * The mark is an annotation of the template, a counter: "1", then "2". No other byte of the file
 * changes.
 */
#ifndef OSM_GEN_ROLL_ROLL_H
#define OSM_GEN_ROLL_ROLL_H

#include "base/base.h"
#include "diag/diag.h"
#include "fleet/fleet.h"

#define ROLL_ANNOTATION "osm-gen.dev/roll"

/* A MachineDeployment to mark. */
struct roll_target {
	sv cluster;
	sv namespace;
	sv name;
	sv path;            /* of the manifest, relative to the work tree */
	struct position at; /* where the manifest begins, for messages */
	int64_t replicas; /* the manifest's replicas, 1 if it has none; -1 if it is not a number */
	sv made_by;       /* the folder of the kustomization it comes from, or empty */
	uint64_t count;   /* set by roll_mark: the counter that it gets */
};
VEC_TYPE(roll_targets, struct roll_target);

/* The choice of the command line. Empty strings, and no names, leave nothing out. */
struct roll_choice {
	sv cluster;
	sv profile;
	const sv *names; /* NAMESPACE/NAME or CLUSTER/NAMESPACE/NAME */
	size_t name_count;
};

/* choose.c: returns the chosen ones by path. Reports a choice that chooses nothing (DIAG_USAGE). */
MUST_CHECK enum status roll_choose(struct arena *arena, struct sink *sink,
                                   const struct fleet *fleet, const struct roll_choice *choice,
                                   struct roll_targets *ret_targets);

/* A file that changes. */
struct roll_file {
	sv path;
	sv text; /* its new content */
};
VEC_TYPE(roll_files, struct roll_file);

/* choose.c: marks targets, sorted by path, in memory. Writes nothing. */
MUST_CHECK enum status roll_mark_files(struct arena *arena, struct sink *sink, sv work_tree,
                                       struct roll_targets *targets, struct roll_files *ret_files);

/*
 * roll.c: marks MachineDeployments in a file of the work tree; `text` is its content.
 * Reports (DIAG_ROLL) and fails for those whose manifest is not there as such, or cannot be edited
 * without other effects: one that a kustomization patches, an alias, an encrypted file.
 */
MUST_CHECK enum status roll_mark(struct arena *arena, struct sink *sink, sv text,
                                 struct roll_target *targets, size_t count, sv *ret_text);

#endif
