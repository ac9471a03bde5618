/* The work tree and the index of the branch that is checked out. */
#include "git/output.h"

#include "os/os.h"

VEC_TYPE(git_paths, sv);

/* Sparse checkouts track files that are not to be in the work tree. */
static bool is_sparse(const struct git_place *place)
{
	return place->has_entry && (place->entry.flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) &&
	       place->disk == GIT_DISK_ABSENT;
}

/*
 * A file and its index entry may be overwritten if each has either the committed or the new
 * content: nobody's work is lost then.
 */
static void judge(struct git_place *place)
{
	const struct git_put *put = place->put;
	const struct git_file *old = put->previous;
	bool tracked = place->has_entry || old;

	if (place->disk == GIT_DISK_ALIEN) {
		place->conflict = !put->remove;
		place->kind = old && old->mode == GIT_MODE_LINK ? GIT_CONFLICT_MODIFIED
		                                                : GIT_CONFLICT_STRANGER;
		return;
	}
	if (place->disk == GIT_DISK_FILE &&
	    (put->remove || !git_id_equal(place->disk_id, put->id)) &&
	    !(old && git_id_equal(place->disk_id, old->id))) {
		place->conflict = true;
		place->kind = tracked ? GIT_CONFLICT_MODIFIED : GIT_CONFLICT_STRANGER;
		return;
	}
	struct git_id staged = git_id_from(&place->entry.id);
	if (place->has_entry && (put->remove || !git_id_equal(staged, put->id)) &&
	    !(old && git_id_equal(staged, old->id))) {
		place->conflict = true;
		place->kind = GIT_CONFLICT_MODIFIED;
	}
}

void git_places_look(struct arena *arena, struct git_output *output, struct git_opened_index *index,
                     struct git_places *ret_places)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct git_places places = {0};

	VEC_RESERVE(arena, &places, output->all.count);
	VEC_EACH (each, &output->all) {
		struct git_put *put = *each;
		/* It ends with NUL for libgit2. */
		sv path = sv_from_cstr(
		    arena_cstr(arena, git_output_full_path(scratch, output, put->path)));
		const git_index_entry *entry = git_find_index_entry(index, path);
		struct git_place place = {.put = put, .path = path, .has_entry = entry != NULL};

		if (entry)
			place.entry = *entry;
		place.disk = git_disk_look(output->repo, index, entry, path, &place.disk_id);
		judge(&place);
		VEC_PUSH(arena, &places, place);
		arena_reset(scratch);
	}
	*ret_places = places;
}

/* The content of a file that is unchanged in the commit but not in the work tree. */
static enum status stage_from_commit(struct sink *sink, struct git_output *output,
                                     struct git_put *put, size_t number)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv bytes;

	put->name = arena_printf(output->arena, "again-%zu", number);
	put->staged = true;
	if (git_read(arena, sink, output->repo, put->previous, SIZE_MAX / 4, &bytes) != STATUS_OK)
		return STATUS_FAILED;
	return git_stage_write(sink, output->stage, put->name, bytes);
}

/* True for a file with the new content, unless git checked it out as an executable one. */
static bool is_on_disk(const struct git_place *place)
{
	return place->disk == GIT_DISK_FILE && git_id_equal(place->disk_id, place->put->id) &&
	       !(place->has_entry && place->entry.mode == GIT_MODE_EXECUTABLE);
}

/* Removals before puts: a folder may become a file. */
enum status git_places_plan(struct sink *sink, struct git_output *output,
                            const struct git_places *places)
{
	VEC_EACH (place, places) {
		if (place->put->remove && place->disk == GIT_DISK_FILE)
			git_stage_plan_remove(output->stage, place->path);
	}
	for (size_t i = 0; i < places->count; i++) {
		const struct git_place *place = &places->items[i];

		if (place->put->remove || is_on_disk(place) || is_sparse(place))
			continue;
		if (!place->put->staged &&
		    stage_from_commit(sink, output, place->put, i) != STATUS_OK)
			return STATUS_FAILED;
		git_stage_plan_put(output->stage, place->put->name, place->path);
	}
	return STATUS_OK;
}

/* ---- the index --------------------------------------------------------------------------- */

static git_index_time time_of(struct timespec time)
{
	return (git_index_time){(int32_t)time.tv_sec, (uint32_t)time.tv_nsec};
}

/* The entry as git add would make it: without fitting stat data git reads the file again. */
static git_index_entry entry_for(struct git_folders *folders, sv worktree,
                                 const struct git_place *place)
{
	git_index_entry entry = {.mode = GIT_MODE_FILE, .path = place->path.ptr};
	struct stat info;

	entry.id = git_id_to_oid(place->put->id);
	if (is_sparse(place)) {
		entry.flags_extended = GIT_INDEX_ENTRY_SKIP_WORKTREE;
		return entry;
	}
	if (git_folders_look(folders, worktree, place->path, &info) == GIT_DISK_FILE) {
		entry.ctime = time_of(info.st_ctim);
		entry.mtime = time_of(info.st_mtim);
		entry.dev = (uint32_t)info.st_dev;
		entry.ino = (uint32_t)info.st_ino;
		entry.uid = info.st_uid;
		entry.gid = info.st_gid;
		entry.file_size = (uint32_t)info.st_size;
	}
	return entry;
}

static bool is_in_step(const struct git_place *place)
{
	return place->has_entry && is_on_disk(place) &&
	       git_id_equal(git_id_from(&place->entry.id), place->put->id) &&
	       place->entry.mode == GIT_MODE_FILE;
}

static bool needs_entry(const struct git_place *place)
{
	return place->put->remove ? place->has_entry : !is_in_step(place);
}

enum status git_places_index(struct sink *sink, struct git_output *output,
                             const struct git_places *places)
{
	struct git_folders folders = {0};
	struct git_index_edit edit;
	bool changed = false;
	int error = 0;

	VEC_EACH (place, places)
		changed |= needs_entry(place);
	if (!changed)
		return STATUS_OK;
	if (git_index_edit_begin(sink, output, &edit) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < places->count && error == 0; i++) {
		const struct git_place *place = &places->items[i];

		if (!needs_entry(place))
			continue;
		if (place->put->remove) {
			error = git_index_remove(edit.index, place->path.ptr, 0);
		} else {
			git_index_entry entry = entry_for(&folders, output->repo->worktree, place);

			error = git_index_add(edit.index, &entry);
		}
	}
	git_folders_close(&folders);
	if (error < 0)
		git_report_index(sink, output->repo, NULL);
	enum status status = git_index_edit_end(sink, output, &edit, error == 0);
	return error < 0 ? STATUS_FAILED : status;
}

/* ---- going back -------------------------------------------------------------------------- */

/* The entry is not that of the tree. ret_old: the tree's, or null. */
static bool differs(git_index *index, const git_tree *tree, const char *path,
                    git_tree_entry **ret_old)
{
	const git_index_entry *now = git_index_get_bypath(index, path, 0);

	*ret_old = NULL;
	if (!tree || git_tree_entry_bypath(ret_old, tree, path) < 0)
		return now != NULL;
	return !now || !git_oid_equal(&now->id, git_tree_entry_id(*ret_old));
}

static bool restore_entry(git_index *index, const git_tree *tree, const char *path)
{
	git_tree_entry *old = NULL;
	int error = 0;

	if (differs(index, tree, path, &old) && !old) {
		error = git_index_remove(index, path, 0);
	} else if (old) {
		git_index_entry entry = {.path = path};

		entry.id = *git_tree_entry_id(old);
		entry.mode = git_tree_entry_filemode(old);
		error = git_index_add(index, &entry);
	}
	git_tree_entry_free(old);
	return error == 0;
}

/* The paths of the stage whose entries have to go back. */
static enum status list_changed(struct sink *sink, struct git_output *output, const git_tree *tree,
                                struct git_paths *ret_paths)
{
	const struct git_stage *stage = output->stage;
	struct git_opened_index index;

	if (git_open_index(sink, output->repo, &index) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (operation, &stage->operations) {
		git_tree_entry *old;

		if (differs(index.index, tree, arena_cstr(stage->arena, operation->path), &old))
			VEC_PUSH(output->arena, ret_paths, operation->path);
		git_tree_entry_free(old);
	}
	git_close_index(&index);
	return STATUS_OK;
}

enum status git_stage_restore(struct sink *sink, struct git_output *output)
{
	struct git_index_edit edit;
	struct git_paths paths = {0};
	git_object *tree = NULL;
	bool good = true;

	(void)git_revparse_single(&tree, output->repo->handle, "HEAD^{tree}");
	enum status status = list_changed(sink, output, (git_tree *)tree, &paths);
	/* Most often none: the disk may be full. */
	if (status == STATUS_OK && paths.count > 0) {
		status = git_index_edit_begin(sink, output, &edit);
		if (status == STATUS_OK) {
			VEC_EACH (path, &paths)
				good = good && restore_entry(edit.index, (git_tree *)tree,
				                             arena_cstr(output->arena, *path));
			if (!good)
				git_report_index(sink, output->repo, NULL);
			status = git_index_edit_end(sink, output, &edit, good);
		}
	}
	git_object_free(tree);
	return good ? status : STATUS_FAILED;
}
