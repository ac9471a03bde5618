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

#define ROLL_ANNOTATION "osm-gen.dev/roll"

/* A MachineDeployment to mark. */
struct roll_target {
	sv cluster;
	sv namespace;
	sv name;
	struct position at; /* where the manifest begins, for messages */
	sv made_by;         /* the folder of the kustomization it comes from, or empty */
	uint64_t count;     /* set by roll_mark: the counter that it gets */
};

/*
 * Marks MachineDeployments in a file of the work tree: `path` for messages, `text` its content.
 * Reports (DIAG_ROLL) and fails for those whose manifest is not there as such, or cannot be edited
 * without other effects: one that a kustomization patches, an alias, an encrypted file.
 */
MUST_CHECK enum status roll_mark(struct arena *arena, struct sink *sink, sv text,
                                 struct roll_target *targets, size_t count, sv *ret_text);

#endif
