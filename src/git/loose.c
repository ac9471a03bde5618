/*
 * Reads loose objects instead of libgit2, whose reader waits forever for the rest of most truncated
 * files (measured with 1.5.1; corrected after 1.9, libgit2's pull request 7346), and writes beyond
 * its memory if an object is longer than its header states (libgit2's issue 7177). This one comes
 * before it in the object database and reads every loose object.
 */
#include "git/git.h"
#include "git/internal.h"

#include "os/os.h"

#include <dirent.h>
#include <git2/sys/odb_backend.h>
#include <limits.h>
#include <stdio.h>
#include <zlib.h>

enum {
	HEADER_MAX = 64,      /* "commit 18446744073709551615" and its NUL fit */
	DEFLATE_RATIO = 1032, /* no byte of a zlib stream becomes more */
	ALTERNATES_DEPTH = 5, /* git's own limit */
	ALTERNATES_MAX = 1 << 20,
	/*
	 * The priority of libgit2's pack reader, which is asked first. Libgit2's own reader of
	 * loose objects has priority 1.
	 */
	PRIORITY = 2,
};

VEC_TYPE(folders, sv);

struct loose_reader {
	git_odb_backend backend; /* first: libgit2 knows only this */
	struct folders folders;  /* of objects: the repository's, then its alternates */
};

static int damaged(const char *how)
{
	git_error_set_str(GIT_ERROR_ODB, how);
	return GIT_ERROR;
}

/* ---- the stream -------------------------------------------------------------------------- */

/* "blob 12" */
static bool parse_header(sv header, struct git_loose_object *object)
{
	char type[8];
	size_t space = sv_find_char(header, ' ');
	int64_t size;

	if (space == SV_NPOS || space >= sizeof(type) ||
	    !sv_parse_int64(sv_from_offset(header, space + 1), &size) || size < 0)
		return false;
	snprintf(type, sizeof(type), "%.*s", (int)space, header.ptr);
	object->type = git_object_string2type(type);
	object->size = (size_t)size;
	return git_object_typeisloose(object->type);
}

static int inflate_content(git_odb_backend *backend, z_stream *z, sv begin,
                           struct git_loose_object *object)
{
	if (begin.len > object->size)
		return damaged("loose object is longer than its header states");
	if (object->size >= INT_MAX) /* zlib counts in unsigned int */
		return damaged("loose object is too large");
	char *data = git_odb_backend_data_alloc(backend, object->size + 1);
	if (!data)
		return GIT_ERROR;
	if (begin.len > 0)
		memcpy(data, begin.ptr, begin.len);
	/* With room for a byte too many, so that one is seen. */
	z->next_out = (Bytef *)data + begin.len;
	z->avail_out = (uInt)(object->size - begin.len + 1);
	int state = inflate(z, Z_FINISH);
	if (state != Z_STREAM_END || z->avail_in > 0 || z->avail_out != 1) {
		git_odb_backend_data_free(backend, data);
		return damaged("loose object is damaged or cut off");
	}
	data[object->size] = '\0';
	object->data = data;
	return 0;
}

int git_inflate_loose(git_odb_backend *backend, sv file, bool header_only,
                      struct git_loose_object *object)
{
	char head[HEADER_MAX];
	z_stream z = {.next_in = (Bytef *)file.ptr,
	              .avail_in = (uInt)file.len,
	              .next_out = (Bytef *)head,
	              .avail_out = sizeof(head)};

	int started = inflateInit(&z);

	if (started == Z_MEM_ERROR)
		base_out_of_memory();
	if (started != Z_OK)
		return damaged("zlib cannot start");
	int state = inflate(&z, Z_SYNC_FLUSH);
	if (state == Z_MEM_ERROR)
		base_out_of_memory();
	sv begin = sv_from(head, sizeof(head) - z.avail_out);
	size_t end = sv_find_char(begin, '\0');
	int error = 0;
	if ((state != Z_OK && state != Z_STREAM_END) || end == SV_NPOS ||
	    !parse_header(sv_slice(begin, 0, end), object) ||
	    object->size / DEFLATE_RATIO > file.len)
		error = damaged("loose object is damaged or cut off");
	else if (!header_only)
		error = inflate_content(backend, &z, sv_from_offset(begin, end + 1), object);
	inflateEnd(&z);
	return error;
}

/* ---- the files --------------------------------------------------------------------------- */

static int read_loose_object(git_odb_backend *backend, const git_oid *id, bool header_only,
                             struct git_loose_object *ret_object)
{
	const struct loose_reader *reader = (const struct loose_reader *)backend;
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	char name[GIT_OID_HEXSZ + 2];
	struct git_loose_object object = {0};
	sv file;

	git_oid_pathfmt(name, id);
	VEC_EACH (folder, &reader->folders) {
		sv path = ARENA_CONCAT(arena, *folder, SV("/"), sv_from(name, sizeof(name) - 1));

		if (os_kind(path) == OS_ABSENT)
			continue;
		if (os_read_file(arena, &sink, path, INT_MAX, &file) != STATUS_OK)
			return damaged(arena_cstr(arena, sink.diags.items[0]->text));
		int error = git_inflate_loose(backend, file, header_only, &object);
		if (error == 0)
			*ret_object = object;
		return error;
	}
	return GIT_ENOTFOUND;
}

static int read_header(size_t *ret_size, git_object_t *ret_type, git_odb_backend *backend,
                       const git_oid *id)
{
	struct git_loose_object object;
	int error = read_loose_object(backend, id, true, &object);

	if (error < 0)
		return error;
	*ret_size = object.size;
	*ret_type = object.type;
	return 0;
}

static int read_whole(void **ret_data, size_t *ret_size, git_object_t *ret_type,
                      git_odb_backend *backend, const git_oid *id)
{
	struct git_loose_object object;
	int error = read_loose_object(backend, id, false, &object);

	if (error < 0)
		return error;
	*ret_data = object.data;
	*ret_size = object.size;
	*ret_type = object.type;
	return 0;
}

/* ---- abbreviated names ------------------------------------------------------------------- */

/* Looks in one folder, FOLDER/xx; *found counts the different objects so far. */
static void find_prefix(sv path, const char *prefix, size_t len, git_oid *id, size_t *found)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	DIR *dir = opendir(arena_cstr(arena, path));
	char hex[GIT_OID_HEXSZ + 1];
	git_oid other;

	if (!dir)
		return;
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
		int size = snprintf(hex, sizeof(hex), "%.2s%s", prefix, entry->d_name);

		if (size != GIT_OID_HEXSZ || memcmp(hex, prefix, len) != 0 ||
		    git_oid_fromstr(&other, hex) < 0 || (*found > 0 && git_oid_equal(id, &other)))
			continue;
		*id = other;
		(*found)++;
	}
	closedir(dir);
}

static int read_prefix(git_oid *ret_id, void **ret_data, size_t *ret_size, git_object_t *ret_type,
                       git_odb_backend *backend, const git_oid *prefix, size_t len)
{
	const struct loose_reader *reader = (const struct loose_reader *)backend;
	char hex[GIT_OID_HEXSZ + 1];
	git_oid id = {0};
	size_t found = 0;

	git_oid_tostr(hex, sizeof(hex), prefix);
	VEC_EACH (folder, &reader->folders) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);

		find_prefix(ARENA_CONCAT(arena, *folder, SV("/"), sv_from(hex, 2)), hex, len, &id,
		            &found);
	}
	if (found == 0)
		return GIT_ENOTFOUND;
	if (found > 1)
		return GIT_EAMBIGUOUS;
	int error = read_whole(ret_data, ret_size, ret_type, backend, &id);
	if (error == 0)
		*ret_id = id;
	return error;
}

/* ---- setting up -------------------------------------------------------------------------- */

/* FOLDER and what its info/alternates names, a folder a line. */
static void add_folders(struct arena *arena, struct loose_reader *reader, sv folder, unsigned depth)
{
	struct sink sink = sink_in(arena);
	sv path = ARENA_CONCAT(arena, folder, SV("/info/alternates"));
	sv text;

	VEC_PUSH(arena, &reader->folders, folder);
	if (depth == ALTERNATES_DEPTH || os_kind(path) == OS_ABSENT ||
	    os_read_file(arena, &sink, path, ALTERNATES_MAX, &text) != STATUS_OK)
		return;
	while (text.len > 0) {
		size_t end = sv_find_char(text, '\n');
		sv line = sv_slice(text, 0, end == SV_NPOS ? text.len : end);

		text = sv_from_offset(text, end == SV_NPOS ? text.len : end + 1);
		if (sv_empty(line) || line.ptr[0] == '#')
			continue;
		if (line.ptr[0] != '/')
			line = ARENA_CONCAT(arena, folder, SV("/"), line);
		add_folders(arena, reader, line, depth + 1);
	}
}

/* It lives in the repository's arena. */
static void free_nothing(git_odb_backend *backend)
{
	(void)backend;
}

int git_add_loose_reader(struct git_repo *repo)
{
	struct loose_reader *reader = ARENA_NEW(repo->arena, struct loose_reader);

	*reader = (struct loose_reader){0};
	if (git_odb_init_backend(&reader->backend, GIT_ODB_BACKEND_VERSION) < 0)
		return GIT_ERROR;
	reader->backend.read = read_whole;
	reader->backend.read_header = read_header;
	reader->backend.read_prefix = read_prefix;
	reader->backend.free = free_nothing;
	add_folders(repo->arena, reader, repo->objects, 0);
	return git_odb_add_backend(repo->odb, &reader->backend, PRIORITY);
}
