/*
 * The shape of a branch: its commits one by one, where it left another line of commits, and the
 * remote-tracking refs of the same branch.
 */
#include "git/internal.h"

/*
 * SAFETY: the parents are those that the commit itself names. From 1.7 on libgit2 has none for the
 * last commits of a shallow clone, which would make a history that is cut off look complete.
 */
static void read_header(struct arena *arena, git_commit *commit, struct git_commit_info *info)
{
	struct sv_splitter lines = sv_split(sv_from_cstr(git_commit_raw_header(commit)), '\n');
	VEC(struct git_id) parents = {0};
	git_oid oid;
	sv line;

	while (sv_split_next(&lines, &line)) {
		if (sv_starts_with(line, SV("parent ")) &&
		    git_oid_fromstrp(&oid, arena_cstr(arena, sv_from_offset(line, 7))) == 0)
			VEC_PUSH(arena, &parents, git_id_from(&oid));
		info->is_signed |= sv_starts_with(line, SV("gpgsig"));
	}
	info->parents = parents.items;
	info->parent_count = parents.count;
}

struct git_commit_info git_commit_info_of(struct arena *arena, git_commit *commit)
{
	struct git_commit_info info = {
	    .id = git_id_from(git_commit_id(commit)),
	    .tree = git_id_from(git_commit_tree_id(commit)),
	    .message = arena_dup(arena, sv_from_cstr(git_commit_message_raw(commit))),
	};

	read_header(arena, commit, &info);
	return info;
}

bool git_read_commit(struct arena *arena, struct git_repo *repo, struct git_id id,
                     struct git_commit_info *ret_commit)
{
	git_oid oid = git_id_to_oid(id);
	git_commit *commit = git_take_commit(repo, &oid);

	if (!commit)
		return false;
	*ret_commit = git_commit_info_of(arena, commit);
	git_commit_free(commit);
	return true;
}

bool git_find_root(struct arena *arena, struct git_repo *repo, struct git_id from, size_t max,
                   struct git_commit_info *ret_root)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct git_id id = from;

	for (size_t i = 0; i < max; i++) {
		struct git_commit_info info;

		if (!git_read_commit(scratch, repo, id, &info))
			return false;
		if (info.parent_count == 0)
			return git_read_commit(arena, repo, id, ret_root);
		id = info.parents[0];
		arena_reset(scratch);
	}
	return false;
}

bool git_find_base(struct git_repo *repo, struct git_id one, struct git_id other,
                   struct git_id *ret_base)
{
	git_oid first = git_id_to_oid(one);
	git_oid second = git_id_to_oid(other);
	git_oid base;

	if (git_merge_base(&base, repo->handle, &first, &second) < 0)
		return false;
	*ret_base = git_id_from(&base);
	return true;
}

/* ---- trees apart from a folder ------------------------------------------------------------ */

/* Compares the entries of two trees, either of which may be null, except those of that name. */
static bool differ_but(git_tree *one, git_tree *other, sv name)
{
	size_t counts[] = {one ? git_tree_entrycount(one) : 0,
	                   other ? git_tree_entrycount(other) : 0};
	size_t first = 0;
	size_t second = 0;

	for (;;) {
		const git_tree_entry *a =
		    first < counts[0] ? git_tree_entry_byindex(one, first) : NULL;
		const git_tree_entry *b =
		    second < counts[1] ? git_tree_entry_byindex(other, second) : NULL;

		if (a && sv_eq_cstr(name, git_tree_entry_name(a))) {
			first++;
			continue;
		}
		if (b && sv_eq_cstr(name, git_tree_entry_name(b))) {
			second++;
			continue;
		}
		if (!a || !b)
			return a || b;
		if (strcmp(git_tree_entry_name(a), git_tree_entry_name(b)) != 0 ||
		    git_tree_entry_filemode_raw(a) != git_tree_entry_filemode_raw(b) ||
		    !git_oid_equal(git_tree_entry_id(a), git_tree_entry_id(b)))
			return true;
		first++;
		second++;
	}
}

/* Returns the folder of that name in the tree, or null. Frees the tree. */
static git_tree *go_down(git_repository *handle, git_tree *tree, const char *name)
{
	const git_tree_entry *entry = tree ? git_tree_entry_byname(tree, name) : NULL;
	git_tree *below = NULL;

	if (entry && git_tree_entry_type(entry) == GIT_OBJECT_TREE)
		(void)!git_tree_lookup(&below, handle, git_tree_entry_id(entry));
	git_tree_free(tree);
	return below;
}

bool git_differ_outside(struct arena *arena, struct git_repo *repo, struct git_id one,
                        struct git_id other, sv folder)
{
	const git_oid ids[] = {git_id_to_oid(one), git_id_to_oid(other)};
	git_tree *trees[COUNT_OF(ids)] = {NULL};
	struct sv_splitter parts = sv_split(folder, '/');
	bool differ = git_tree_lookup(&trees[0], repo->handle, &ids[0]) < 0 ||
	              git_tree_lookup(&trees[1], repo->handle, &ids[1]) < 0;
	sv part;

	while (!differ && sv_split_next(&parts, &part)) {
		const char *name = arena_cstr(arena, part);

		differ = differ_but(trees[0], trees[1], part);
		trees[0] = go_down(repo->handle, trees[0], name);
		trees[1] = go_down(repo->handle, trees[1], name);
	}
	git_tree_free(trees[0]);
	git_tree_free(trees[1]);
	git_error_clear();
	return differ;
}

/* ---- refs --------------------------------------------------------------------------------- */

/* True if the ref is symbolic and names `target`. */
static bool names(struct git_repo *repo, const char *ref, sv target)
{
	git_reference *found = NULL;
	bool does = false;

	if (git_reference_lookup(&found, repo->handle, ref) == 0) {
		const char *name = git_reference_symbolic_target(found);

		does = name && sv_eq_cstr(target, name);
	}
	git_reference_free(found);
	git_error_clear();
	return does;
}

void git_look_at_branch(struct arena *arena, struct git_repo *repo, sv branch,
                        struct git_branch_look *ret_look)
{
	struct git_branch_look look = {0};
	git_reference_iterator *refs = NULL;
	sv end = ARENA_CONCAT(arena, SV("/"), branch);
	const char *text;

	look.is_default = names(repo, "HEAD", ARENA_CONCAT(arena, SV("refs/heads/"), branch));
	if (git_reference_iterator_glob_new(&refs, repo->handle, "refs/remotes/*") == 0)
		while (git_reference_next_name(&text, refs) == 0) {
			sv name = sv_from_cstr(text);
			sv of_remote = sv_from_offset(name, strlen("refs/remotes/"));
			size_t slash = sv_find_char(of_remote, '/');

			if (slash == SV_NPOS)
				continue;
			sv rest = sv_from_offset(of_remote, slash);
			if (sv_eq(rest, SV("/HEAD")))
				look.is_default |= names(
				    repo, text,
				    ARENA_CONCAT(arena, sv_slice(name, 0, name.len - 5), end));
			if (sv_eq(rest, end))
				look.remote = arena_dup(arena, of_remote);
		}
	git_reference_iterator_free(refs);
	git_error_clear();
	*ret_look = look;
}
