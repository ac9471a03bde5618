/*
 * The folder that holds all images of a run. Its list names them, and so which ones a later run may
 * remove.
 */
#include "image/layout.h"

#include "os/os.h"
#include "json/json.h"

#define STAGE ".osm-gen-stage"

enum { LIST_MAX_BYTES = 64 * 1024 * 1024 };

struct written {
	sv path;
	sv digest;
};

struct image_folder {
	struct arena *arena;
	sv path;
	VEC(sv) before; /* the layouts that the earlier list names */
	struct set put; /* the set of paths put */
	VEC(struct written) images;
};

static sv layout_path(struct arena *arena, sv folder, const char *name)
{
	return ARENA_CONCAT(arena, folder, SV("/"), sv_from_cstr(name));
}

static enum status refuse_folder(struct sink *sink, sv path, const char *problem, const char *help)
{
	struct diag *diag = diag_report(sink, DIAG_ARTIFACT_FOLDER, NOWHERE, "--artifact %.*s %s",
	                                SV_ARG(path), problem);

	diag_set_help(sink, diag, "%s", help);
	return STATUS_FAILED;
}

/* ---- before ------------------------------------------------------------------------------- */

enum status image_folder_check(struct arena *arena, struct sink *sink, sv folder)
{
	if (os_kind(folder) == OS_ABSENT || os_is_empty_folder(folder) ||
	    os_kind(layout_path(arena, folder, IMAGE_LIST)) == OS_FILE)
		return STATUS_OK;
	return refuse_folder(sink, folder, "has files that osm-gen did not write",
	                     "name a new or empty folder: images in it are replaced and removed");
}

/* Reads the earlier list. A damaged one names nothing, so that nothing is removed. */
static void read_earlier_list(struct image_folder *folder)
{
	struct sink unused = sink_in(folder->arena);
	sv path = layout_path(folder->arena, folder->path, IMAGE_LIST);
	JSON_DOC_AUTO root = NULL;
	sv text;

	if (os_kind(path) != OS_FILE ||
	    os_read_file(folder->arena, &unused, path, LIST_MAX_BYTES, &text) != STATUS_OK ||
	    json_doc_read(&unused, source_new(folder->arena, path, text, false), &root) !=
	        STATUS_OK)
		return;
	const struct json_t *list = json_doc_get(root, "artifacts");
	for (size_t i = 0; i < json_doc_count(list); i++) {
		sv name = json_doc_text(json_doc_get(json_doc_item(list, i), "path"));

		if (os_path_stays_inside(name))
			VEC_PUSH(folder->arena, &folder->before, arena_dup(folder->arena, name));
	}
}

static enum status write_list(struct sink *sink, const struct image_folder *folder)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *list = json_doc_list();
	struct buf buf = buf_in(folder->arena);

	json_doc_set_text(root, "formatVersion", SV("1.0"));
	json_doc_set(root, "artifacts", list);
	VEC_EACH (image, &folder->images) {
		struct json_t *item = json_doc_map();

		json_doc_set_text(item, "path", image->path);
		json_doc_set_text(item, "name", SV(IMAGE_NAME));
		json_doc_set_text(item, "digest", image->digest);
		json_doc_add(list, item);
	}
	json_doc_write(&buf, root);
	return os_write_file(sink, layout_path(folder->arena, folder->path, IMAGE_LIST),
	                     buf_sv(&buf), OS_WRITE_PLAIN);
}

enum status image_folder_open(struct arena *arena, struct sink *sink, sv path,
                              struct image_folder **ret_folder)
{
	struct image_folder *folder = ARENA_NEW(arena, struct image_folder);

	*folder = (struct image_folder){.arena = arena, .path = path, .put = set_in(arena)};
	if (image_folder_check(arena, sink, path) != STATUS_OK ||
	    os_make_folders(sink, path) != STATUS_OK)
		return STATUS_FAILED;
	os_remove_tree(layout_path(arena, path, STAGE));
	read_earlier_list(folder);
	/* A run that is stopped leaves a list, by which the next one knows the folder. */
	if (os_kind(layout_path(arena, path, IMAGE_LIST)) == OS_ABSENT &&
	    write_list(sink, folder) != STATUS_OK)
		return STATUS_FAILED;
	*ret_folder = folder;
	return STATUS_OK;
}

/* ---- images ------------------------------------------------------------------------------- */

/* Moves the complete layout to its place, and removes the one that was there. */
static enum status move_in(struct arena *arena, struct sink *sink, sv stage, sv place)
{
	sv above = sv_slice(place, 0, sv_rfind_char(place, '/'));

	switch (os_kind(place)) {
	case OS_ABSENT:
		if (os_make_folders(sink, above) != STATUS_OK)
			return STATUS_FAILED;
		return os_move_folder(sink, stage, place);
	case OS_FOLDER:
		if (layout_is_there(arena, place))
			return os_exchange_folders(sink, stage, place);
		break;
	case OS_FILE:
	case OS_LINK:
	case OS_OTHER:
		break;
	}
	return refuse_folder(sink, place, "is not an image that osm-gen wrote",
	                     "remove it, or name another folder, and run again");
}

enum status image_put(struct sink *sink, struct image_folder *folder, const struct image *image)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	sv stage = layout_path(scratch, folder->path, STAGE);
	sv place = ARENA_CONCAT(scratch, folder->path, SV("/"), image->path);
	sv digest;

	enum status status = layout_write(scratch, sink, image, stage, &digest);
	if (status == STATUS_OK)
		status = move_in(scratch, sink, stage, place);
	os_remove_tree(stage);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	struct written written = {arena_dup(folder->arena, image->path),
	                          arena_dup(folder->arena, digest)};
	VEC_PUSH(folder->arena, &folder->images, written);
	set_add(&folder->put, written.path);
	return STATUS_OK;
}

enum status image_folder_finish(struct sink *sink, struct image_folder *folder)
{
	VEC_EACH (path, &folder->before) {
		sv place = ARENA_CONCAT(folder->arena, folder->path, SV("/"), *path);

		if (set_has(&folder->put, *path) || !layout_is_there(folder->arena, place))
			continue;
		os_remove_tree(place);
		/* The folder above it may be empty now. */
		if (os_remove_file(sink, folder->path, *path) != STATUS_OK)
			return STATUS_FAILED;
	}
	return write_list(sink, folder);
}
