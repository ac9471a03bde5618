/*
 * The commit that the committed output was made from, for a run without the seed.
 *
 * Such a run cannot compare sealed files. But the same inputs give the same output: so it renders
 * the commit that made the output once more, without the seed, and compares what both commits give
 * (struct run_traits). A unit of which nothing differs is unchanged, although nobody opened a file
 * of it; if something differs, the class follows from the difference. A class is unknown
 * (secrets_unknown of struct plan_class_facts) for a unit
 *
 * - that needs an encrypted value which is in a file that differs in its encrypted values, or a
 *   secret that is not in the repository;
 * - of which that commit does not give the clear files and the list of files that the output has:
 *   its run had other options, or somebody changed the output;
 * - if the commit cannot be found or read, or was rendered by another version of the program.
 *
 * Whoever may write commits can write the trailer that names the commit, too. Only a commit that
 * brought the output to the branch is asked for it, and the clear files must be what its source
 * gives; the sealed ones are believed (docs/security.md).
 *
 *   find.c      the commit
 *   basis.c     renders it
 *   sealed.c    files that differ in their encrypted values
 *   compare.c   compares the units of both
 */
#ifndef OSM_GEN_RUN_BASIS_BASIS_H
#define OSM_GEN_RUN_BASIS_BASIS_H

#include "run/env.h"
#include "run/facts.h"
#include "run/output/output.h"

/* A unit as the source commit gives it. */
struct run_basis_unit {
	struct run_traits traits;
	bool is_proven; /* no file of the output contradicts it */
};

struct run_basis {
	sv why_not;       /* why there is nothing to compare with; empty if there is */
	sv commit;        /* the source commit, in hexadecimal */
	struct map units; /* struct run_basis_unit * by plan_unit_key */
	sv program;       /* the kustomize that its run used, as its message has it; or empty */
	struct git_files files; /* the files of the source commit that may be manifests */
};

/* Finds and renders the source commit. All that it fails with is in why_not. */
void run_find_basis(const struct run_env *env, const struct run_request *request,
                    struct run_basis *ret_basis);

/* Sets the facts of all units that were rendered, and why a class is unknown. */
void run_compare_basis(const struct run_env *env, const struct run_basis *basis,
                       const struct run_inputs *inputs, const struct plan *plan,
                       struct run_rendered *rendered);

#endif
