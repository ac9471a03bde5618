/*
 * Shared by the writer and the reader of index.json.
 */
#ifndef OSM_GEN_TREE_INDEX_H
#define OSM_GEN_TREE_INDEX_H

#include "tree/tree.h"

#define TREE_INDEX_FORMAT 2
/* The member of an index that a merge made (merge.c); no run writes it. */
#define TREE_INDEX_MERGED "merged"

/*
 * Reads an index of the format above, in the form that tree_add_index gives it. Returns false for
 * any other string, and for one that tree_index_read would refuse.
 */
bool tree_index_read_plain(struct arena *arena, sv folder, sv text, struct tree_index *ret_index);
/* Returns the role of that name, or ARTIFACT_SUPPORT. */
enum artifact_role tree_role_of(sv name);
/* Returns true if a path in a cluster's folder stays there. */
bool tree_path_is_inside(sv path);

#endif
