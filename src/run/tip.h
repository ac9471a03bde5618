/*
 * The committed output: the files below the output folder at the tip of a branch.
 */
#ifndef OSM_GEN_RUN_TIP_H
#define OSM_GEN_RUN_TIP_H

#include "git/git.h"
#include "run/inputs.h"

struct run_tip {
	struct git_source source;
	struct git_files files;    /* paths from the repository's root */
	struct git_files relative; /* the same files, paths from the output folder */
};

/* Returns the revision of `branch`: its ref, or HEAD if it is empty. */
sv run_branch_rev(struct arena *arena, sv branch);
/* Lists the committed output. Fails if the branch has no commit. */
MUST_CHECK enum status run_look_at_tip(struct sink *sink, const struct run_env *env,
                                       const struct run_inputs *inputs, sv branch,
                                       struct run_tip *tip);

#endif
