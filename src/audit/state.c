/*
 * The state that a run vouches for, which is all files of its inputs and of its output, and the
 * keyed digest of it. run/vouch.h describes vouching.
 */
#include "audit/internal.h"
#include "fleet/fleet.h"

/* The beginning of the digested string. No other digest of osm-gen has it. */
#define LABEL "osm-gen output 1\n"

static size_t files_size(const struct git_files *files)
{
	enum { BESIDE_PATH = 48 };
	size_t size = files->count * BESIDE_PATH;

	VEC_EACH (file, files)
		size += file->path.len;
	return size;
}

void audit_add_files(struct buf *buf, const struct git_files *files)
{
	buf_reserve(buf, files_size(files));
	VEC_EACH (file, files) {
		buf_add_field(buf, file->path);
		buf_add_octal(buf, file->mode);
		buf_add_char(buf, ' ');
		buf_add(buf, git_id_sv(&file->id));
	}
}

static void add_counted_files(struct buf *buf, const struct git_files *files)
{
	buf_printf(buf, "files %zu\n", files->count);
	audit_add_files(buf, files);
}

sv audit_output_digest(struct arena *arena, const struct seal_root *root, sv out, sv source,
                       const struct audit_state *state)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct buf inputs = buf_in(scratch);
	struct buf outputs = buf_in(scratch);

	BUF_ADD_LIT(&inputs, LABEL);
	buf_add_field(&inputs, out);
	buf_add_field(&inputs, source);
	add_counted_files(&inputs, &state->inputs);
	add_counted_files(&outputs, &state->outputs);
	return seal_inputs_digest(arena, root, buf_sv(&inputs), buf_sv(&outputs));
}

bool audit_files_equal(const struct git_files *a, const struct git_files *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!sv_eq(a->items[i].path, b->items[i].path) ||
		    !audit_file_equal(&a->items[i], &b->items[i]))
			return false;
	return true;
}

static enum status read_ignore_file(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                    const struct git_files *all, sv *ret_text)
{
	*ret_text = (sv){0};
	VEC_EACH (file, all) {
		if (sv_eq(file->path, SV(FLEET_IGNORE_FILE)) && file->mode != GIT_MODE_SUBMODULE)
			return git_read(arena, sink, repo, file, AUDIT_MAX_FILE_BYTES, ret_text);
	}
	return STATUS_OK;
}

enum status audit_read_state(struct arena *arena, struct sink *sink, struct git_repo *repo,
                             struct git_id tree, sv out, struct audit_state *ret_state)
{
	const struct git_source source = {.tree = tree};
	sv folder = ARENA_CONCAT(arena, out, SV("/"));
	struct audit_state state = {0};
	struct git_files all = {0};
	sv ignore;

	if (git_list(arena, sink, repo, &source, (sv){0}, &all) != STATUS_OK ||
	    read_ignore_file(arena, sink, repo, &all, &ignore) != STATUS_OK)
		return STATUS_FAILED;
	struct fleet_filter *filter = fleet_filter_new(arena, out, ignore);
	VEC_EACH (file, &all) {
		struct git_file relative = *file;
		bool is_regular = file->mode == GIT_MODE_FILE || file->mode == GIT_MODE_EXECUTABLE;

		if (sv_starts_with(file->path, folder)) {
			relative.path = sv_from_offset(file->path, folder.len);
			VEC_PUSH(arena, &state.outputs, relative);
		} else if (fleet_filter_take(filter, file->path) && is_regular) {
			VEC_PUSH(arena, &state.inputs, *file);
		}
	}
	*ret_state = state;
	return STATUS_OK;
}
