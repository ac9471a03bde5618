/*
 * Contents that one run saves in a pack of its own and another one commits.
 */
#include "git/output.h"

#include "os/os.h"

/* ---- the run that makes them ------------------------------------------------------------- */

enum status git_output_save(struct sink *sink, struct git_output *output,
                            struct git_saved *ret_saved)
{
	BUG_ON(sv_empty(output->options.blobs));
	git_output_collect(output);
	if (git_pack_finish(sink, output->pack) != STATUS_OK)
		return STATUS_FAILED;
	uint64_t written = git_pack_size(output->pack);
	*ret_saved = (struct git_saved){
	    .size_bytes = written > 0 ? written + GIT_PACK_TRAILER_SIZE : 0,
	    .digest = git_pack_digest(output->pack),
	};
	return STATUS_OK;
}

static const struct git_put *find_put(const struct git_output *output, sv path)
{
	size_t low = 0;
	size_t high = output->all.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct git_put *put = output->all.items[middle];
		int order = sv_cmp(put->path, path);

		if (order == 0)
			return put;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool git_output_find_blob(const struct git_output *output, sv path, struct git_blob *ret_blob)
{
	const struct git_put *put = find_put(output, path);
	struct git_pack_entry place;

	BUG_ON(!output->collected);
	if (!put || put->remove)
		return false;
	*ret_blob = (struct git_blob){.id = put->id, .size_bytes = (size_t)put->size_bytes};
	if (!git_put_changes(put))
		return true;
	if (!git_pack_find(output->pack, put->id, &place))
		BUG("a changed file is not in the pack");
	ret_blob->is_changed = true;
	ret_blob->offset = (size_t)place.offset;
	ret_blob->entry_bytes = (size_t)place.size;
	ret_blob->crc = place.crc;
	return true;
}

/* ---- the run that commits them ----------------------------------------------------------- */

void git_output_expect_packs(struct git_output *output, size_t count)
{
	BUG_ON(output->taken || output->options.mode != GIT_OUTPUT_COMMIT);
	output->taken = ARENA_ARRAY(output->arena, struct git_taken *, count);
	output->taken_count = count;
	output->taken_stem = ARENA_CONCAT(output->arena, output->repo->objects, SV("/pack/"),
	                                  git_locks_pack(output->locks), SV("-"));
}

enum status git_output_take_pack(struct sink *sink, struct git_output *output, size_t number,
                                 sv path, const struct git_saved *saved,
                                 const struct git_blobs *blobs, bool *ret_is_saved)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	sv temporary = arena_printf(scratch, "%.*s%zu", SV_ARG(output->taken_stem), number + 1);

	BUG_ON(number >= output->taken_count || output->taken[number]);
	if (os_make_folders(sink, sv_slice(temporary, 0, sv_rfind_char(temporary, '/'))) !=
	        STATUS_OK ||
	    git_taken_open(sink, path, temporary, saved, blobs, &output->taken[number]) !=
	        STATUS_OK)
		return STATUS_FAILED;
	*ret_is_saved = output->taken[number] != NULL;
	return STATUS_OK;
}

static enum status report_blob(struct sink *sink, sv path)
{
	diag_report(sink, DIAG_GIT_OBJECT, NOWHERE, "the packed content of %.*s is damaged",
	            SV_ARG(path));
	return STATUS_FAILED;
}

/* Has a changed blob in a pack that git will see and, with a work tree, in the stage. */
static enum status store_blob(struct arena *scratch, struct sink *sink, struct git_output *output,
                              unsigned worker, struct git_put *put, const struct git_blob *blob,
                              const struct git_taken *taken)
{
	struct git_content content = {.is_sealed = blob->is_sealed, .id = &blob->id};
	bool is_seen = taken->temporary != NULL;

	if (is_seen && !output->stage)
		return STATUS_OK;
	if (!git_taken_read(scratch, taken, blob, &content.bytes))
		return report_blob(sink, put->path);
	return is_seen ? git_output_stage_put(sink, output, worker, put, content.bytes)
	               : git_output_store(sink, output, worker, put, &content);
}

enum status git_output_put_blob(struct arena *scratch, struct sink *sink, struct git_output *output,
                                unsigned worker, sv path, const struct git_blob *blob,
                                size_t number)
{
	BUG_ON(worker >= output->options.workers || output->collected ||
	       output->options.mode != GIT_OUTPUT_COMMIT);
	const struct git_taken *taken = number < output->taken_count ? output->taken[number] : NULL;
	struct git_put put = {
	    .path = path,
	    .previous = git_output_find(output, path),
	    .id = blob->id,
	    .size_bytes = blob->size_bytes,
	};

	if (git_output_check_path(sink, path) != STATUS_OK || os_check_signals(sink) != STATUS_OK)
		return STATUS_FAILED;
	if (blob->is_changed != git_put_changes(&put) || (blob->is_changed && !taken))
		return report_blob(sink, path);
	if (blob->is_changed &&
	    store_blob(scratch, sink, output, worker, &put, blob, taken) != STATUS_OK)
		return STATUS_FAILED;
	git_output_note(output, worker, &put);
	return STATUS_OK;
}
