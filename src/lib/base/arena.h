/*
 * Arenas: memory by lifetime. Nothing is freed by itself; the arena is emptied or freed whole.
 *
 * An arena of kind ARENA_SECRET holds clear text of secrets: its pages are locked where the
 * system allows it, kept out of core dumps, and wiped before they go back.
 *
 * An arena is used by one thread at a time. Running out of memory ends the program
 * (base_out_of_memory), so no caller checks for a null pointer.
 */
#ifndef OSM_GEN_BASE_ARENA_H
#define OSM_GEN_BASE_ARENA_H

#include "base/compiler.h"
#include "base/sv.h"

#include <stdarg.h>

enum arena_kind { ARENA_PLAIN, ARENA_SECRET };

struct arena;

struct arena *arena_new(enum arena_kind kind);
/* Returns an arena of the same kind that is freed when `parent` is reset or freed. */
struct arena *arena_new_within(struct arena *parent);
void arena_free(struct arena *arena);
/*
 * Lets the arena take memory from the system in pieces of `largest` bytes at most. What is free of
 * the last piece is in use, too, where memory is locked: for arenas that stay, or of which there
 * are many.
 */
void arena_limit_chunks(struct arena *arena, size_t largest);
/* Forgets everything, keeps some memory for what comes next. Secret arenas are wiped. */
void arena_reset(struct arena *arena);
/* Resets the arena as arena_reset does, but keeps no memory. */
void arena_empty(struct arena *arena);
/*
 * Returns the number of bytes handed out since the last reset. A block that has grown counts once,
 * with its present size.
 */
size_t arena_used(const struct arena *arena);

static inline void arena_freep(struct arena **arena)
{
	arena_free(*arena);
}
#define ARENA_AUTO CLEANUP(arena_freep) struct arena *

/* Returns zeroed memory, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);
/* Allocates count elements as arena_alloc does; the product is checked. */
void *arena_alloc_array(struct arena *arena, size_t count, size_t size);
/* Returns memory for a string: neither zeroed nor aligned. */
char *arena_alloc_text(struct arena *arena, size_t size);
/*
 * Grows the block at ptr from old_size to new_size, in place when it was the last one handed out,
 * else by copying. ptr may be null.
 */
void *arena_grow(struct arena *arena, void *ptr, size_t old_size, size_t new_size);

#define ARENA_NEW(arena, type)          ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))

sv arena_dup(struct arena *arena, sv s);
/* Returns a copy with ASCII letters in lower case; other bytes are unchanged. */
sv arena_lower_ascii(struct arena *arena, sv s);
/* Returns a NUL-terminated copy, for C interfaces. */
char *arena_cstr(struct arena *arena, sv s);
sv arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
sv arena_vprintf(struct arena *arena, const char *format, va_list args) PRINTF_LIKE(2, 0);
/* Concatenates the parts; called by ARENA_CONCAT. */
sv arena_concat(struct arena *arena, const sv *parts, size_t count);
#define ARENA_CONCAT(arena, ...)                                                                   \
	arena_concat((arena), (const sv[]){__VA_ARGS__}, COUNT_OF(((const sv[]){__VA_ARGS__})))

#endif
