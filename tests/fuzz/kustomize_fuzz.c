/*
 * Kustomizations: whatever the files, those that kustomize would be given are files of the commit,
 * below its root and not behind a link, and every error has a message.
 *
 * A line "== PATH" begins a file, and "=> PATH" is a symbolic link; the kustomization is in `top`.
 */
#include "kustomize/kustomize.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

struct commit {
	struct map files; /* sv by path */
	struct map links;
};

static bool has_below(const struct map *map, sv path)
{
	for (size_t i = 0; i < map->count; i++)
		if (sv_starts_with(map->entries[i].key, path) &&
		    map->entries[i].key.len > path.len && map->entries[i].key.ptr[path.len] == '/')
			return true;
	return false;
}

static enum kustomize_kind kind_of(void *context, sv path)
{
	struct commit *commit = context;

	if (map_get(&commit->links, path))
		return KUSTOMIZE_LINK;
	if (map_get(&commit->files, path))
		return KUSTOMIZE_FILE;
	return has_below(&commit->files, path) ? KUSTOMIZE_OTHER : KUSTOMIZE_ABSENT;
}

static bool read_file(void *context, sv path, sv *ret_text)
{
	struct commit *commit = context;
	const sv *text = map_get(&commit->files, path);

	if (text)
		*ret_text = *text;
	return text != NULL;
}

static void split(struct arena *arena, sv text, struct commit *commit)
{
	sv *now = NULL;
	size_t begin = 0;

	for (size_t at = 0; at < text.len;) {
		sv rest = sv_from_offset(text, at);
		size_t length = sv_find_char(rest, '\n');
		sv line = sv_slice(rest, 0, length);

		if (sv_starts_with(line, SV("== ")) || sv_starts_with(line, SV("=> "))) {
			sv path = sv_from_offset(line, 3);

			if (now)
				*now = sv_slice(text, begin, at);
			now = NULL;
			if (line.ptr[1] == '>') {
				map_put(&commit->links, path, commit);
			} else if (!map_get(&commit->files, path)) {
				now = ARENA_NEW(arena, sv);
				*now = SV("");
				map_put(&commit->files, path, now);
			}
			begin = at + line.len + 1 > text.len ? text.len : at + line.len + 1;
		}
		at += line.len + 1;
	}
	if (now)
		*now = sv_slice(text, begin, text.len);
}

static void check_file(struct commit *commit, const struct kustomize_file *file)
{
	sv path = file->path;

	check(kind_of(commit, path) == KUSTOMIZE_FILE && path.ptr[0] != '/');
	for (size_t end = 0; end <= path.len; end++)
		if (end == path.len || path.ptr[end] == '/')
			check(!map_get(&commit->links, sv_slice(path, 0, end)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink sink = sink_in(arena);
	struct commit commit = {map_in(arena), map_in(arena)};
	const struct kustomize_tree tree = {&commit, kind_of, read_file, NULL};
	struct kustomize_inputs inputs;

	if (size > 16384)
		return 0;
	split(arena, sv_from((const char *)data, size), &commit);
	enum status status =
	    kustomize_read(arena, arena, &sink, &tree, SV("top"), NOWHERE, &inputs);
	check((status == STATUS_OK) == (sink.error_count == 0));
	if (status != STATUS_OK)
		return 0;
	check(inputs.top != NULL);
	for (size_t i = 0; i < inputs.files.count; i++)
		check_file(&commit, inputs.files.entries[i].value);
	return 0;
}
