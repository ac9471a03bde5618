/*
 * Inside git/: a tree with some files changed.
 */
#ifndef OSM_GEN_GIT_TREE_H
#define OSM_GEN_GIT_TREE_H

#include "git/git.h"
#include "git/internal.h"
#include "git/pack.h"

struct git_edit {
	sv path; /* whole, from the root */
	bool remove;
	struct git_id id; /* of the blob put there, mode 100644 */
};
VEC_TYPE(git_edits, struct git_edit);

/*
 * The tree `base` with the edits (sorted by path) made. Folders that become empty go. Only
 * changed folders are read, and put into the pack as worker 0. Everything else keeps its entry
 * byte for byte.
 */
MUST_CHECK enum status git_tree_edit(struct sink *sink, struct git_repo *repo, struct git_id base,
                                     const struct git_edits *edits, struct git_pack *pack,
                                     struct git_id *ret_tree);

#endif
