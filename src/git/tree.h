/*
 * Private to git/: a tree with some files changed.
 */
#ifndef OSM_GEN_GIT_TREE_H
#define OSM_GEN_GIT_TREE_H

#include "git/git.h"
#include "git/internal.h"
#include "git/pack.h"

struct git_edit {
	sv path; /* below the edits' folder */
	bool remove;
	struct git_id id; /* of the blob put there, mode 100644 */
};
VEC_TYPE(git_edits, struct git_edit);

/*
 * Sets *ret_tree to the tree `base` with the edits below `folder`, which are sorted by path. An
 * empty `folder` is the root, which `base` is the tree of. Folders that become empty are removed.
 * Only changed folders are read; they are added to the pack as worker 0. All other entries stay as
 * they are, byte for byte.
 */
MUST_CHECK enum status git_tree_edit(struct sink *sink, struct git_repo *repo, struct git_id base,
                                     sv folder, const struct git_edits *edits,
                                     struct git_pack *pack, struct git_id *ret_tree);

#endif
