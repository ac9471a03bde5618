/*
 * Keeps the new contents of changed files.
 */
#include "os/os.h"
#include "run/output/output.h"

/* The bytes that are kept in memory before a temporary file is made. */
#define IN_MEMORY_MAX ((size_t)4 * 1024 * 1024)

/* One content. */
struct place {
	sv text; /* its pointer is null if it is in the file */
	uint64_t offset;
};

struct run_contents {
	struct os_mutex *lock;
	struct map places; /* struct place * by path */
	size_t in_memory;
	struct os_spool *spool;
	bool has_no_spool;
};

struct run_contents *run_contents_new(struct arena *arena)
{
	struct run_contents *contents = ARENA_NEW(arena, struct run_contents);

	*contents = (struct run_contents){.lock = os_mutex_new(), .places = map_in(arena)};
	return contents;
}

void run_contents_free(struct run_contents *contents)
{
	if (!contents)
		return;
	os_spool_free(contents->spool);
	os_mutex_free(contents->lock);
}

/* Decides where a content of that size goes. Returns the file, or null for memory. */
static struct os_spool *choose(struct run_contents *contents, size_t size)
{
	os_mutex_lock(contents->lock);
	bool fits = contents->in_memory + size <= IN_MEMORY_MAX;
	if (fits)
		contents->in_memory += size;
	else if (!contents->spool && !contents->has_no_spool)
		contents->spool = os_spool_new();
	contents->has_no_spool |= !fits && !contents->spool;
	struct os_spool *spool = fits ? NULL : contents->spool;
	os_mutex_unlock(contents->lock);
	return spool;
}

void run_contents_keep(struct arena *arena, struct run_contents *contents, sv path, sv text)
{
	struct place *place = ARENA_NEW(arena, struct place);
	struct os_spool *spool = choose(contents, text.len);

	place->text.len = text.len;
	if (!spool || !os_spool_add(spool, text, &place->offset))
		place->text = arena_dup(arena, text);
	os_mutex_lock(contents->lock);
	map_put(&contents->places, path, place);
	os_mutex_unlock(contents->lock);
}

enum status run_contents_find(struct arena *arena, struct sink *sink,
                              const struct run_contents *contents, sv path, sv *ret_text)
{
	const struct place *place = map_get(&contents->places, path);

	BUG_ON(!place);
	if (!place->text.ptr)
		return os_spool_read(arena, sink, contents->spool, place->offset, place->text.len,
		                     ret_text);
	*ret_text = place->text;
	return STATUS_OK;
}
