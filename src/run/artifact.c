/*
 * Writes the output as OCI images, which Flux's source-controller pulls in the place of a branch.
 */
#include "golang/golang.h"
#include "image/image.h"
#include "os/os.h"
#include "run/inputs/inputs.h"
#include "run/output/output.h"
#include "run/run.h"
#include "tree/tree.h"

/* The output that the run left. */
struct left {
	struct arena *arena;
	struct sink *sink;
	const struct run_request *request;
	struct run_inputs inputs; /* repo, out and out_is_outside */
	struct git_source source; /* the commit that has the output, or the inputs */
	struct git_files files;   /* sorted; paths relative to the output folder */
	sv folder;                /* that the files are read from; empty for the commit */
	struct image image;       /* what all images have */
};

/* ---- the place ---------------------------------------------------------------------------- */

static enum status check_place(struct arena *arena, struct sink *sink, const struct git_repo *repo,
                               sv given)
{
	sv real;
	bool is_place = os_real_place(arena, given, &real);
	struct diag *diag;

	if (is_place && !run_is_in_repository(arena, repo, real))
		return image_folder_check(arena, sink, given);
	diag = diag_report(sink, DIAG_ARTIFACT_FOLDER, NOWHERE, "--artifact %.*s %s", SV_ARG(given),
	                   is_place ? "is in the repository" : "is not the path of a folder");
	diag_set_help(sink, diag, "name a folder outside of the repository");
	return STATUS_FAILED;
}

enum status run_check_artifacts(struct arena *arena, struct sink *sink,
                                const struct run_request *request)
{
	struct git_repo *repo = NULL;

	if (git_repo_open(arena, sink, request->reading.repo, &repo) != STATUS_OK)
		return STATUS_FAILED;
	enum status status =
	    check_place(arena, sink, repo, sv_trim_right(request->target.artifact, "/"));
	git_repo_close(repo);
	return status;
}

/* ---- the output --------------------------------------------------------------------------- */

/* Returns the address without a user and a password; a path of this machine is left out. */
static sv public_address(struct arena *arena, sv url)
{
	sv scheme;
	sv rest;

	if (!sv_cut(url, SV("://"), &scheme, &rest))
		return sv_contains(url, SV("@")) && !sv_starts_with(url, SV("/")) ? url : SV("");
	size_t at = sv_rfind_char(sv_slice(rest, 0, sv_find_char(rest, '/')), '@');

	if (sv_eq(scheme, SV("file")))
		return SV("");
	return at == SV_NPOS ? url
	                     : ARENA_CONCAT(arena, scheme, SV("://"), sv_from_offset(rest, at + 1));
}

static enum status list_folder(struct left *l)
{
	struct os_entries entries = {0};

	l->folder = l->inputs.out;
	if (!l->inputs.out_is_outside)
		l->folder = ARENA_CONCAT(l->arena, git_repo_worktree(l->inputs.repo), SV("/"),
		                         l->inputs.out);
	if (git_source_find(l->arena, l->sink, l->inputs.repo, l->request->reading.rev,
	                    &l->source) != STATUS_OK ||
	    os_list_tree(l->arena, l->sink, l->folder, &entries) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (entry, &entries) {
		struct git_file file = {
		    .path = entry->path, .mode = GIT_MODE_FILE, .on_disk = true};

		VEC_PUSH(l->arena, &l->files, file);
	}
	return STATUS_OK;
}

static enum status list_output(struct left *l)
{
	const struct run_env env = {.arena = l->arena, .sink = l->sink};
	const struct run_target *target = &l->request->target;
	struct run_tip tip = {0};

	if (run_place_output(&env, target->out, &l->inputs) != STATUS_OK)
		return STATUS_FAILED;
	if (target->no_commit || l->inputs.out_is_outside)
		return list_folder(l);
	if (run_list_tip(l->sink, &env, &l->inputs, target->branch, &tip) != STATUS_OK)
		return STATUS_FAILED;
	l->source = tip.source;
	l->files = tip.relative;
	return STATUS_OK;
}

static enum status read_left_file(struct arena *arena, const struct left *l,
                                  const struct git_file *file, sv *ret_text)
{
	if (file->on_disk)
		return os_read_file(arena, l->sink,
		                    ARENA_CONCAT(arena, l->folder, SV("/"), file->path),
		                    RUN_MAX_OUTPUT_BYTES, ret_text);
	struct git_file whole = *file;
	whole.path = ARENA_CONCAT(arena, l->inputs.out, SV("/"), file->path);
	return git_read(arena, l->sink, l->inputs.repo, &whole, RUN_MAX_OUTPUT_BYTES, ret_text);
}

/* ---- images ------------------------------------------------------------------------------- */

/* Writes the image of a folder of the output. Paths are those of the Kustomizations in the output.
 */
static enum status put_folder(struct left *l, struct image_folder *images, sv folder, sv name)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	ARENA_AUTO one = arena_new(ARENA_PLAIN);
	sv above =
	    l->inputs.out_is_outside ? SV("") : ARENA_CONCAT(scratch, l->inputs.out, SV("/"));
	sv prefix = ARENA_CONCAT(scratch, folder, SV("/"));
	struct image image = l->image;
	struct buf tar = buf_in(scratch);

	VEC_EACH (file, &l->files) {
		sv text;

		if (file->mode != GIT_MODE_FILE || !sv_starts_with(file->path, prefix))
			continue;
		if (read_left_file(one, l, file, &text) != STATUS_OK)
			return STATUS_FAILED;
		image_tar_add(&tar, ARENA_CONCAT(scratch, above, file->path), text, l->source.time);
		arena_reset(one);
	}
	image_tar_end(&tar);
	image.path = name;
	image.tar = buf_sv(&tar);
	return image_put(l->sink, images, &image);
}

/* Returns true for the index of a cluster that osm-gen wrote. */
static bool is_cluster(const struct left *l, const struct git_file *file, sv *ret_folder)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct sink unused = sink_in(scratch);
	struct tree_index index;
	sv folder;
	sv text;

	if (!tree_is_index_path(file->path, &folder))
		return false;
	if (read_left_file(scratch, l, file, &text) != STATUS_OK ||
	    tree_index_read(scratch, &unused, folder, source_new(scratch, file->path, text, false),
	                    &index) != STATUS_OK ||
	    index.is_foreign)
		return false;
	*ret_folder = folder;
	return true;
}

static enum status put_images(struct left *l, struct image_folder *images, size_t *ret_count)
{
	*ret_count = 0;
	VEC_EACH (file, &l->files) {
		sv folder;
		sv name;

		if (tree_is_delivery_list(file->path)) {
			folder = sv_slice(file->path, 0, sv_rfind_char(file->path, '/'));
			name = folder;
		} else if (is_cluster(l, file, &folder)) {
			name = fleet_folder_cluster(folder);
		} else {
			continue;
		}
		if (os_check_signals(l->sink) != STATUS_OK ||
		    put_folder(l, images, folder, name) != STATUS_OK)
			return STATUS_FAILED;
		++*ret_count;
	}
	return STATUS_OK;
}

static enum status write_images(struct left *l, size_t *ret_count)
{
	sv place = sv_trim_right(l->request->target.artifact, "/");
	struct image_folder *images;

	if (list_output(l) != STATUS_OK ||
	    check_place(l->arena, l->sink, l->inputs.repo, place) != STATUS_OK)
		return STATUS_FAILED;
	const struct go_time time = {.seconds = l->source.time};
	l->image = (struct image){
	    .source = public_address(l->arena, git_repo_origin(l->arena, l->inputs.repo)),
	    .revision = ARENA_CONCAT(l->arena, SV("sha1:"), l->source.hex),
	    .created = go_time_format(l->arena, &time, SV("2006-01-02T15:04:05Z")),
	};
	if (image_folder_open(l->arena, l->sink, place, &images) != STATUS_OK ||
	    put_images(l, images, ret_count) != STATUS_OK)
		return STATUS_FAILED;
	return image_folder_finish(l->sink, images);
}

enum status run_write_artifacts(struct arena *arena, struct sink *sink,
                                const struct run_request *request, size_t *ret_count)
{
	struct left l = {.arena = arena, .sink = sink, .request = request};

	if (git_repo_open(arena, sink, request->reading.repo, &l.inputs.repo) != STATUS_OK)
		return STATUS_FAILED;
	enum status status = write_images(&l, ret_count);
	git_repo_close(l.inputs.repo);
	return status;
}
