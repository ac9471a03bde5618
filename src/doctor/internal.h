/*
 * Shared by the files of doctor/.
 */
#ifndef OSM_GEN_DOCTOR_INTERNAL_H
#define OSM_GEN_DOCTOR_INTERNAL_H

#include "doctor/doctor.h"
#include "fleet/fleet.h"
#include "git/git.h"
#include "seal/seal.h"
#include "tree/tree.h"

enum doctor_level {
	DOCTOR_OK,
	DOCTOR_NOTE, /* worth knowing, nothing to do */
	DOCTOR_LOOK, /* somebody should look: exit status 1 */
	DOCTOR_WRONG /* an error; its diagnostic has the reason and decides the exit status */
};

struct doctor_finding {
	const char *check;
	enum doctor_level level;
	sv text;
	const char *help; /* may be null */
};

struct doctor {
	struct arena *arena;
	struct arena *secret_arena;
	struct sink *sink;
	const struct doctor_place *place;
	struct git_repo *repo;
	struct git_source
	    tip; /* of the branch that is committed on; hex is empty if it has no commit */
	const struct fleet *fleet; /* null if it was not read */
	struct seal_root *root;    /* null if no seed is given */
	struct seal_identities *identities;
	VEC(struct doctor_finding) findings;
};

/* Adds a finding. `help` may be null. */
void doctor_add(struct doctor *doctor, const char *check, enum doctor_level level, const char *help,
                const char *format, ...) PRINTF_LIKE(5, 6);

/* fleet.c: reads the index that the last commit has for a cluster. Returns false without one. */
bool doctor_find_index(struct doctor *doctor, const struct fleet_cluster *cluster,
                       struct tree_index *ret_index);

#endif
