/*
 * Private to run/basis/.
 */
#ifndef OSM_GEN_RUN_BASIS_INTERNAL_H
#define OSM_GEN_RUN_BASIS_INTERNAL_H

#include "run/basis/basis.h"

/* find.c: sets basis->commit, or else basis->why_not. */
void run_find_source(const struct run_env *env, const struct run_request *request,
                     struct run_basis *basis);

/* A file whose encrypted values differ between the two commits. */
struct run_sealed_file {
	sv path;
	sv before; /* its text; empty if the commit has no such file */
	sv now;
};
VEC_TYPE(run_sealed_files, struct run_sealed_file);

/* sealed.c: lists them. */
void run_list_sealed_files(const struct run_env *env, const struct run_basis *basis,
                           const struct run_inputs *inputs, struct run_sealed_files *ret_files);

#endif
