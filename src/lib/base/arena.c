/*
 * Arenas: chunks that double in size, of plain or of secret memory. AddressSanitizer reports every
 * access to memory that an arena has not handed out, or has handed out before it was emptied.
 */
#include "base/arena.h"

#include "base/ascii.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(ptr, size)   ASAN_POISON_MEMORY_REGION((ptr), (size))
#define UNPOISON(ptr, size) ASAN_UNPOISON_MEMORY_REGION((ptr), (size))
#else
#define POISON(ptr, size)   ((void)(ptr), (void)(size))
#define UNPOISON(ptr, size) ((void)(ptr), (void)(size))
#endif

/*
 * Chunks double up to LARGEST, so that a small job stays small and a large one makes few calls.
 * Secret chunks come from mmap: locking and wiping work on whole pages. So do plain chunks from
 * MAPPED_CHUNK on, since malloc keeps much of what it is given back.
 */
enum {
	FIRST_CHUNK = 16 * 1024,
	LARGEST_CHUNK = 4 * 1024 * 1024,
	MAPPED_CHUNK = 1024 * 1024,
	KEPT_BYTES = 1024 * 1024, /* of chunks that wait for their next use, at most, */
	KEPT_CHUNKS = 4,          /* or this number of them */
	SPARE_CHUNKS = 32,        /* secret ones of FIRST_CHUNK bytes that wait for any arena */
	ALIGNMENT = 16,
};

struct chunk {
	struct chunk *previous;
	size_t size; /* of the payload */
	size_t used;
	_Alignas(ALIGNMENT) char payload[];
};

struct arena {
	enum arena_kind kind;
	struct chunk *top;
	struct chunk *kept; /* empty ones of largest_chunk bytes */
	size_t kept_bytes;
	size_t next_size;
	size_t largest_chunk;
	size_t used;
	struct arena *inner; /* the newest of those that end with it */
	struct arena *next;  /* another one of the same parent */
};

void base_bug(const char *file, int line, const char *what)
{
	char text[512];
	int len = snprintf(text, sizeof(text), "osm-gen: BUG at %s:%d: %s\n", file, line, what);

	if (len > 0 && write(STDERR_FILENO, text,
	                     (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1) < 0)
		abort();
	abort();
}

void base_out_of_memory(void)
{
	/* DIAG_OUT_OF_MEMORY, which is above this module, and whose making would take memory. */
	static const char text[] = "error[OSG9004]: osm-gen ran out of memory and stopped\n"
	                           "  help: give it more memory, or let it run in one thread (-j "
	                           "1); the next run finishes or "
	                           "removes what this one may have begun to write\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(3);
	_exit(3);
}

/* A plain memset before freeing is a dead store to the compiler; this one is not. */
static void wipe(void *ptr, size_t size)
{
	UNPOISON(ptr, size);
	memset(ptr, 0, size);
	__asm__ __volatile__("" : : "r"(ptr) : "memory");
}

/*
 * Pages for a chunk. With AddressSanitizer they come from its heap, which reports accesses
 * to them after they are given back.
 */
static struct chunk *pages_new(size_t size)
{
#ifdef HAS_ASAN
	void *pages = NULL;

	return posix_memalign(&pages, (size_t)sysconf(_SC_PAGESIZE), size) == 0 ? pages : NULL;
#else
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
#endif
}

static void pages_free(struct chunk *pages, size_t size)
{
#ifdef HAS_ASAN
	(void)size;
	free(pages);
#else
	munmap(pages, size);
#endif
}

static bool is_mapped(enum arena_kind kind, size_t size)
{
	return kind == ARENA_SECRET || size >= MAPPED_CHUNK;
}

/* ---- spare chunks ------------------------------------------------------------------------ */

/* Mapping and locking pages takes longer than most of what small secret arenas are for. */
static struct {
	pthread_mutex_t mutex;
	struct chunk *first;
	size_t count;
} spare = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static bool can_be_spare(enum arena_kind kind, size_t size)
{
	return kind == ARENA_SECRET && size == FIRST_CHUNK;
}

static struct chunk *take_spare(void)
{
	pthread_mutex_lock(&spare.mutex);
	struct chunk *chunk = spare.first;

	if (chunk) {
		spare.first = chunk->previous;
		spare.count--;
		chunk->previous = NULL;
	}
	pthread_mutex_unlock(&spare.mutex);
	return chunk;
}

/* Keeps a chunk that has been cleared, if there are few. */
static bool keep_spare(struct chunk *chunk)
{
	pthread_mutex_lock(&spare.mutex);
	bool is_kept = spare.count < SPARE_CHUNKS;

	if (is_kept) {
		chunk->previous = spare.first;
		spare.first = chunk;
		spare.count++;
	}
	pthread_mutex_unlock(&spare.mutex);
	return is_kept;
}

/* ---- chunks ------------------------------------------------------------------------------ */

static void chunk_clear(enum arena_kind kind, struct chunk *chunk)
{
	if (kind == ARENA_SECRET)
		wipe(chunk->payload, chunk->used);
	POISON(chunk->payload, chunk->size);
	chunk->used = 0;
}

static struct chunk *chunk_new(enum arena_kind kind, size_t payload)
{
	size_t size;
	struct chunk *chunk;

	if (__builtin_add_overflow(payload, sizeof(struct chunk), &size))
		base_out_of_memory();
	chunk = can_be_spare(kind, size) ? take_spare() : NULL;
	if (chunk)
		return chunk;
	chunk = is_mapped(kind, size) ? pages_new(size) : malloc(size);
	if (!chunk)
		base_out_of_memory();
	if (kind == ARENA_SECRET) {
		/* Best effort: containers often allow no locked memory at all. */
		(void)mlock(chunk, size);
		(void)madvise(chunk, size, MADV_DONTDUMP);
	}
	chunk->previous = NULL;
	chunk->size = payload;
	chunk->used = 0;
	POISON(chunk->payload, payload);
	return chunk;
}

static void chunk_free(enum arena_kind kind, struct chunk *chunk)
{
	size_t size = chunk->size + sizeof(*chunk);

	chunk_clear(kind, chunk);
	if (can_be_spare(kind, size) && keep_spare(chunk))
		return;
	UNPOISON(chunk->payload, chunk->size);
	if (is_mapped(kind, size))
		pages_free(chunk, size);
	else
		free(chunk);
}

struct arena *arena_new(enum arena_kind kind)
{
	struct arena *arena = malloc(sizeof(*arena));

	if (!arena)
		base_out_of_memory();
	*arena =
	    (struct arena){.kind = kind, .next_size = FIRST_CHUNK, .largest_chunk = LARGEST_CHUNK};
	return arena;
}

struct arena *arena_new_within(struct arena *parent)
{
	struct arena *arena = arena_new(parent->kind);

	arena->next = parent->inner;
	parent->inner = arena;
	return arena;
}

void arena_limit_chunks(struct arena *arena, size_t largest)
{
	arena->largest_chunk = largest;
}

/*
 * Keeps the chunk if it is as large as any that the arena is going to ask for. A unit with much
 * text fills several chunks, and the next one does, too.
 */
static bool keep(struct arena *arena, struct chunk *chunk)
{
	size_t size = chunk->size + sizeof(*chunk);

	if (size != arena->largest_chunk ||
	    (arena->kept_bytes + size > KEPT_BYTES && arena->kept_bytes >= KEPT_CHUNKS * size))
		return false;
	chunk_clear(arena->kind, chunk);
	chunk->previous = arena->kept;
	arena->kept = chunk;
	arena->kept_bytes += size;
	return true;
}

static struct chunk *take_kept(struct arena *arena, size_t payload)
{
	struct chunk *chunk = arena->kept;

	if (!chunk || chunk->size < payload)
		return NULL;
	arena->kept = chunk->previous;
	arena->kept_bytes -= chunk->size + sizeof(*chunk);
	return chunk;
}

/*
 * Keeps the newest chunk, which is the largest that the work so far asked for, and more of those
 * whose size is limited: an arena that is used over and over soon neither maps nor locks memory.
 */
void arena_reset(struct arena *arena)
{
	while (arena->inner) {
		struct arena *inner = arena->inner;

		arena->inner = inner->next;
		arena_free(inner);
	}
	while (arena->top && arena->top->previous) {
		struct chunk *older = arena->top->previous;

		arena->top->previous = older->previous;
		if (!keep(arena, older))
			chunk_free(arena->kind, older);
	}
	if (arena->top)
		chunk_clear(arena->kind, arena->top);
	arena->used = 0;
}

void arena_empty(struct arena *arena)
{
	arena_reset(arena);
	if (arena->top)
		chunk_free(arena->kind, arena->top);
	while (arena->kept)
		chunk_free(arena->kind, take_kept(arena, 0));
	arena->top = NULL;
	arena->next_size = FIRST_CHUNK;
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	arena_empty(arena);
	free(arena);
}

size_t arena_used(const struct arena *arena)
{
	return arena->used;
}

static void *take_block(struct arena *arena, size_t size, size_t alignment)
{
	struct chunk *top = arena->top;
	size_t start = top ? (top->used + alignment - 1) & ~(alignment - 1) : 0;

	if (!top || start > top->size || top->size - start < size) {
		size_t payload = arena->next_size - sizeof(struct chunk);

		if (payload < size)
			payload = size;
		else if (arena->next_size < arena->largest_chunk)
			arena->next_size *= 2;
		top = take_kept(arena, payload);
		if (!top)
			top = chunk_new(arena->kind, payload);
		top->previous = arena->top;
		arena->top = top;
		start = 0;
	}
	top->used = start + size;
	arena->used += size;
	UNPOISON(top->payload + start, size);
	return top->payload + start;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	void *ptr = take_block(arena, size, ALIGNMENT);

	memset(ptr, 0, size);
	return ptr;
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total))
		base_out_of_memory();
	return arena_alloc(arena, total);
}

char *arena_alloc_text(struct arena *arena, size_t size)
{
	return take_block(arena, size, 1);
}

void *arena_grow(struct arena *arena, void *ptr, size_t old_size, size_t new_size)
{
	struct chunk *top = arena->top;

	if (ptr && top && (char *)ptr + old_size == top->payload + top->used &&
	    new_size >= old_size && top->size - top->used >= new_size - old_size) {
		UNPOISON(top->payload + top->used, new_size - old_size);
		top->used += new_size - old_size;
		arena->used += new_size - old_size;
		return ptr;
	}
	void *grown = take_block(arena, new_size, ALIGNMENT);
	/* Count the block once, wherever it is: the old bytes are not handed out any more. */
	arena->used -= ptr ? old_size : 0;
	if (ptr)
		memcpy(grown, ptr, old_size);
	return grown;
}

sv arena_dup(struct arena *arena, sv s)
{
	if (s.len == 0)
		return (sv){"", 0};
	char *copy = arena_alloc_text(arena, s.len);

	memcpy(copy, s.ptr, s.len);
	return (sv){copy, s.len};
}

sv arena_lower_ascii(struct arena *arena, sv s)
{
	char *text = arena_alloc_text(arena, s.len);

	for (size_t i = 0; i < s.len; i++)
		text[i] = ascii_lower(s.ptr[i]);
	return sv_from(text, s.len);
}

char *arena_cstr(struct arena *arena, sv s)
{
	char *copy = arena_alloc_text(arena, s.len + 1);

	if (s.len > 0)
		memcpy(copy, s.ptr, s.len);
	copy[s.len] = '\0';
	return copy;
}

sv arena_vprintf(struct arena *arena, const char *format, va_list args)
{
	va_list again;

	va_copy(again, args);
	int len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	BUG_ON(len < 0);
	char *text = arena_alloc_text(arena, (size_t)len + 1);
	vsnprintf(text, (size_t)len + 1, format, args);
	return (sv){text, (size_t)len};
}

sv arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(arena, format, args);
	va_end(args);
	return text;
}

sv arena_concat(struct arena *arena, const sv *parts, size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		if (__builtin_add_overflow(total, parts[i].len, &total))
			base_out_of_memory();
	char *text = arena_alloc_text(arena, total);
	size_t at = 0;
	for (size_t i = 0; i < count; i++) {
		if (parts[i].len > 0)
			memcpy(text + at, parts[i].ptr, parts[i].len);
		at += parts[i].len;
	}
	return (sv){text, total};
}
