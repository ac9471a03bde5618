/* The output being made: its previous files, the files put and removed, and the differences. */
#include "git/output.h"

#include "os/os.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- beginning --------------------------------------------------------------------------- */

enum status git_output_check_path(struct sink *sink, sv path)
{
	if (git_path_is_good(path))
		return STATUS_OK;
	diag_report(sink, DIAG_GIT_PATH, NOWHERE, "cannot write to path '%.*s'", SV_ARG(path));
	return STATUS_FAILED;
}

/* The files below the folder in the parent's tree, paths relative to the folder. */
static enum status list_previous_commit(struct sink *sink, struct git_output *output)
{
	sv folder = output->options.folder;
	git_oid oid = git_id_to_oid(output->target.tree);
	git_tree *tree = NULL;
	git_tree_entry *entry = NULL;
	enum status status = STATUS_OK;

	if (output->options.listed && output->options.listed->count > 0 &&
	    git_id_equal(output->options.listed_tree, output->target.tree)) {
		output->previous = *output->options.listed;
		return STATUS_OK;
	}
	if (folder.len == 0)
		return git_list_tree(output->arena, sink, output->repo, output->target.tree,
		                     (sv){0}, (sv){0}, &output->previous);
	if (git_tree_lookup(&tree, output->repo->handle, &oid) < 0) {
		git_report_object(sink, output->repo,
		                  SV("cannot read the tree of the branch's tip"));
		return STATUS_FAILED;
	}
	if (git_tree_entry_bypath(&entry, tree, arena_cstr(output->arena, folder)) == 0) {
		if (git_tree_entry_type(entry) == GIT_OBJECT_TREE) {
			status = git_list_tree(output->arena, sink, output->repo,
			                       git_id_from(git_tree_entry_id(entry)), (sv){0},
			                       (sv){0}, &output->previous);
		} else {
			status = git_refuse_committed(sink, folder, "folder", "a file");
		}
	}
	git_tree_entry_free(entry);
	git_tree_free(tree);
	return status;
}

static enum status begin_commit(struct sink *sink, struct git_output *output)
{
	bool commits = output->options.mode == GIT_OUTPUT_COMMIT;

	if ((output->options.folder.len > 0 &&
	     git_output_check_path(sink, output->options.folder) != STATUS_OK) ||
	    git_target_find(sink, output) != STATUS_OK)
		return STATUS_FAILED;
	if (commits &&
	    git_locks_open(output->arena, sink, output->repo, &output->locks) != STATUS_OK)
		return STATUS_FAILED;
	if (commits && output->target.is_head && git_output_open_stage(sink, output) != STATUS_OK)
		return STATUS_FAILED;
	if (list_previous_commit(sink, output) != STATUS_OK ||
	    git_check_files(sink, output->repo, output->options.folder, &output->previous) !=
	        STATUS_OK)
		return STATUS_FAILED;
	if (commits)
		output->pack = git_pack_new(output->repo->objects, git_locks_pack(output->locks),
		                            output->options.workers);
	else if (output->options.blobs.len > 0)
		output->pack = git_pack_new_file(output->options.blobs, output->options.workers);
	return STATUS_OK;
}

static enum status begin_folder(struct sink *sink, struct git_output *output)
{
	struct arena *arena = output->arena;
	struct os_entries entries;
	sv root;

	output->made_folder = os_kind(output->options.folder) == OS_ABSENT;
	if (os_make_folders(sink, output->options.folder) != STATUS_OK)
		return STATUS_FAILED;
	if (!os_real_path(arena, output->options.folder, &root))
		root = output->options.folder;
	output->folder_path = root;
	sv hidden = ARENA_CONCAT(arena, root, SV("/.osm-gen-stage"));
	if (git_stage_open(arena, sink, root, root, hidden, GIT_STAGE_PATIENCE_MS,
	                   &output->stage) != STATUS_OK)
		return STATUS_FAILED;
	if (output->stage->interrupted) {
		diag_report(sink, DIAG_GIT_REPAIRED, NOWHERE,
		            "an earlier run was stopped while it wrote %.*s: restored",
		            SV_ARG(root));
		if (git_stage_undo(sink, output->stage) != STATUS_OK ||
		    git_stage_clear(sink, output->stage) != STATUS_OK)
			return STATUS_FAILED;
	}
	if (os_list_tree(arena, sink, root, &entries) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (entry, &entries) {
		if (!sv_starts_with(entry->path, SV(".osm-gen-stage/")))
			VEC_PUSH(arena, &output->previous,
			         ((struct git_file){
			             .path = entry->path, .mode = GIT_MODE_FILE, .on_disk = true}));
	}
	return STATUS_OK;
}

static sv trim_folder(struct arena *arena, sv folder, bool inside)
{
	while (folder.len > 1 && folder.ptr[folder.len - 1] == '/')
		folder.len--;
	if (inside && sv_starts_with(folder, SV("./")))
		folder = sv_from_offset(folder, 2);
	if (inside && sv_eq(folder, SV(".")))
		folder = (sv){0};
	return arena_dup(arena, folder);
}

enum status git_output_begin(struct arena *arena, struct sink *sink, struct git_repo *repo,
                             const struct git_output_options *options,
                             struct git_output **ret_output)
{
	struct git_output *output = ARENA_NEW(arena, struct git_output);
	bool folder = options->mode == GIT_OUTPUT_FOLDER;

	BUG_ON(!folder && (!repo || !options->source));
	*output = (struct git_output){.repo = repo, .arena = arena, .options = *options};
	output->options.folder = trim_folder(arena, options->folder, !folder);
	output->options.branch = arena_dup(arena, options->branch);
	if (options->workers < 1)
		output->options.workers = 1;
	output->workers = ARENA_ARRAY(arena, struct git_output_worker, output->options.workers);
	for (unsigned i = 0; i < output->options.workers; i++)
		output->workers[i].arena = arena_new(ARENA_PLAIN);
	if (options->mode != GIT_OUTPUT_COMPARE)
		os_hold_signals();
	if ((folder ? begin_folder(sink, output) : begin_commit(sink, output)) != STATUS_OK) {
		git_output_free(output);
		return STATUS_FAILED;
	}
	*ret_output = output;
	return STATUS_OK;
}

void git_output_free(struct git_output *output)
{
	if (!output)
		return;
	git_pack_free(output->pack);
	for (size_t i = 0; i < output->taken_count; i++)
		git_taken_free(output->taken[i]);
	git_stage_close(output->stage);
	git_locks_close(output->locks);
	if (output->made_folder)
		(void)rmdir(arena_cstr(output->arena, output->folder_path)); /* when still empty */
	for (unsigned i = 0; i < output->options.workers; i++) {
		free(output->workers[i].puts.items);
		arena_free(output->workers[i].arena);
	}
}

/* ---- previous files ---------------------------------------------------------------------- */

const struct git_files *git_output_previous(const struct git_output *output)
{
	return &output->previous;
}

bool git_output_is_half_done(const struct git_output *output)
{
	return output && output->stage && output->stage->interrupted;
}

bool git_output_is_checked_out(const struct git_output *output)
{
	return output->options.mode == GIT_OUTPUT_COMMIT && output->target.is_head;
}

const struct git_file *git_output_find(const struct git_output *output, sv path)
{
	return git_files_find(&output->previous, path);
}

enum status git_output_read(struct arena *arena, struct sink *sink, const struct git_output *output,
                            const struct git_file *file, size_t max_bytes, sv *ret_bytes)
{
	if (file->on_disk)
		return os_read_file(arena, sink,
		                    ARENA_CONCAT(arena, output->folder_path, SV("/"), file->path),
		                    max_bytes, ret_bytes);
	return git_read_within(arena, sink, output->repo, output->options.folder, file, max_bytes,
	                       ret_bytes);
}

/* ---- putting ----------------------------------------------------------------------------- */

void git_output_note(struct git_output *output, unsigned worker, const struct git_put *put)
{
	VEC_PUSH(NULL, &output->workers[worker].puts, *put);
}

/* In mode FOLDER a present file's id is computed from its content when it is put again. */
static enum status same_on_disk(struct sink *sink, struct git_output *output,
                                const struct git_file *file, sv bytes, bool *ret_same)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv old;

	if (os_read_file(arena, sink, ARENA_CONCAT(arena, output->folder_path, SV("/"), file->path),
	                 SIZE_MAX / 4, &old) != STATUS_OK)
		return STATUS_FAILED;
	*ret_same = sv_eq(old, bytes);
	return STATUS_OK;
}

enum status git_output_stage_put(struct sink *sink, struct git_output *output, unsigned number,
                                 struct git_put *put, sv bytes)
{
	struct git_output_worker *worker = &output->workers[number];

	if (!output->stage)
		return STATUS_OK;
	put->name = arena_printf(worker->arena, "%u-%zu", number, worker->staged_count++);
	put->staged = true;
	return git_stage_write(sink, output->stage, put->name, bytes);
}

enum status git_output_store(struct sink *sink, struct git_output *output, unsigned number,
                             struct git_put *put, const struct git_content *content)
{
	const struct git_pack_object object = {
	    .type = GIT_PACK_BLOB,
	    .id = put->id,
	    .bytes = content->bytes,
	    .has_likes = !content->is_sealed,
	};

	if (output->pack && git_pack_add(sink, output->pack, number, &object) != STATUS_OK)
		return STATUS_FAILED;
	return git_output_stage_put(sink, output, number, put, content->bytes);
}

enum status git_output_put(struct sink *sink, struct git_output *output, unsigned worker, sv path,
                           const struct git_content *content)
{
	BUG_ON(worker >= output->options.workers || output->collected);
	struct git_output_worker *mine = &output->workers[worker];
	struct git_put put = {
	    .path = path,
	    .previous = git_output_find(output, path),
	    .id = content->id ? *content->id : git_id_of_blob(content->bytes),
	    .size_bytes = content->bytes.len,
	};
	bool same = false;

	if (git_output_check_path(sink, path) != STATUS_OK || os_check_signals(sink) != STATUS_OK)
		return STATUS_FAILED;
	mine->last_id = put.id;
	if (put.previous && put.previous->on_disk) {
		if (same_on_disk(sink, output, put.previous, content->bytes, &same) != STATUS_OK)
			return STATUS_FAILED;
		if (same)
			return STATUS_OK;
	}
	if (git_put_changes(&put) &&
	    git_output_store(sink, output, worker, &put, content) != STATUS_OK)
		return STATUS_FAILED;
	git_output_note(output, worker, &put);
	return STATUS_OK;
}

bool git_output_keep(struct git_output *output, unsigned worker, sv path)
{
	BUG_ON(worker >= output->options.workers || output->collected);
	struct git_output_worker *mine = &output->workers[worker];
	const struct git_file *previous = git_output_find(output, path);

	if (!previous || previous->on_disk || previous->mode != GIT_MODE_FILE)
		return false;
	mine->last_id = previous->id;
	git_output_note(
	    output, worker,
	    &(struct git_put){.path = previous->path, .previous = previous, .id = previous->id});
	return true;
}

struct git_id git_output_last_id(const struct git_output *output, unsigned worker)
{
	return output->workers[worker].last_id;
}

bool git_output_has_changed(const struct git_output *output, unsigned worker, sv path)
{
	const struct git_output_worker *mine = &output->workers[worker];
	const struct git_put *last =
	    mine->puts.count > 0 ? &mine->puts.items[mine->puts.count - 1] : NULL;

	return last && sv_eq(last->path, path) && git_put_changes(last);
}

void git_output_remove(struct git_output *output, unsigned worker, sv path)
{
	BUG_ON(worker >= output->options.workers || output->collected);
	const struct git_file *previous = git_output_find(output, path);

	if (!previous)
		return;
	git_output_note(
	    output, worker,
	    &(struct git_put){.path = previous->path, .remove = true, .previous = previous});
}

void git_output_collect(struct git_output *output)
{
	if (output->collected)
		return;
	size_t count = 0;
	for (unsigned i = 0; i < output->options.workers; i++)
		count += output->workers[i].puts.count;
	VEC_RESERVE(output->arena, &output->all, count);
	for (unsigned i = 0; i < output->options.workers; i++)
		VEC_EACH (put, &output->workers[i].puts)
			VEC_PUSH(output->arena, &output->all, put);
	SORT_POINTERS_BY(output->all.items, output->all.count, path);
	for (size_t i = 1; i < output->all.count; i++)
		if (sv_eq(output->all.items[i - 1]->path, output->all.items[i]->path))
			BUG("one path put twice");
	output->collected = true;
}

void git_output_changes(struct arena *arena, struct git_output *output,
                        struct git_changes *ret_changes)
{
	struct git_changes changes = {0};

	git_output_collect(output);
	size_t count = 0;
	VEC_EACH (put, &output->all)
		count += git_put_changes(*put);
	VEC_RESERVE(arena, &changes, count);
	VEC_EACH (each, &output->all) {
		const struct git_put *put = *each;

		if (!git_put_changes(put))
			continue;
		VEC_PUSH(arena, &changes,
		         ((struct git_change){
		             .path = put->path,
		             .kind = put->remove     ? GIT_REMOVED
		                     : put->previous ? GIT_CHANGED
		                                     : GIT_ADDED,
		             .new_id = put->id,
		         }));
	}
	*ret_changes = changes;
}

/* ---- finishing --------------------------------------------------------------------------- */

static void count_changes(const struct git_output *output, struct git_output_result *result)
{
	VEC_EACH (each, &output->all) {
		const struct git_put *put = *each;

		if (!git_put_changes(put))
			continue;
		if (put->remove)
			result->removed_count++;
		else if (put->previous)
			result->changed_count++;
		else
			result->added_count++;
	}
}

/* Mode FOLDER: all contents wait in the stage; links in the way are not followed. */
static enum status finish_folder(struct sink *sink, struct git_output *output,
                                 struct git_output_result *result)
{
	struct git_folders folders = {0};
	enum status status = STATUS_OK;
	struct stat info;

	VEC_EACH (each, &output->all) {
		const struct git_put *put = *each;

		if (put->remove) {
			git_stage_plan_remove(output->stage, put->path);
			continue;
		}
		if (git_folders_look(&folders, output->folder_path, put->path, &info) ==
		    GIT_DISK_ALIEN) {
			diag_report(sink, DIAG_GIT_IN_THE_WAY, NOWHERE,
			            "cannot write %.*s/%.*s: a link or a folder is in the way",
			            SV_ARG(output->folder_path), SV_ARG(put->path));
			status = STATUS_FAILED;
		}
		result->written_bytes += put->size_bytes;
		git_stage_plan_put(output->stage, put->name, put->path);
	}
	git_folders_close(&folders);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	if (os_check_signals(sink) != STATUS_OK)
		return STATUS_FAILED;
	result->changed = output->all.count > 0;
	return git_stage_apply(sink, output->stage, SV("folder"));
}

enum status git_output_finish(struct sink *sink, struct git_output *output,
                              const struct git_commit_text *text,
                              struct git_output_result *ret_result)
{
	struct git_output_result result = {0};

	BUG_ON(output->finished || output->options.mode == GIT_OUTPUT_COMPARE);
	output->finished = true;
	git_output_collect(output);
	count_changes(output, &result);
	if (os_check_signals(sink) != STATUS_OK)
		return STATUS_FAILED;
	if (output->stage) {
		output->stage->before_step = output->before_step;
		output->stage->step_context = output->step_context;
	}
	enum status status = output->options.mode == GIT_OUTPUT_FOLDER
	                         ? finish_folder(sink, output, &result)
	                         : git_finish_commit(sink, output, text, &result);
	if (status == STATUS_OK)
		*ret_result = result;
	return status;
}
