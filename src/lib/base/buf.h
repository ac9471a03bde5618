/*
 * buf: a string that grows, in an arena. VEC: an array that grows, in an arena.
 */
#ifndef OSM_GEN_BASE_BUF_H
#define OSM_GEN_BASE_BUF_H

#include "base/arena.h"

struct buf {
	struct arena *arena;
	char *ptr;
	size_t len;
	size_t cap;
};

static inline struct buf buf_in(struct arena *arena)
{
	return (struct buf){.arena = arena};
}

/* Makes the buffer larger; called by buf_reserve. */
char *buf_grow(struct buf *buf, size_t extra);

/* Returns an empty buffer with exactly that room, which takes no more memory up to it. */
struct buf buf_with_room(struct arena *arena, size_t size);

/* Makes room for `extra` more bytes and returns a pointer to the first of them. */
static inline char *buf_reserve(struct buf *buf, size_t extra)
{
	return buf->ptr && extra <= buf->cap - buf->len ? buf->ptr + buf->len
	                                                : buf_grow(buf, extra);
}

static inline void buf_add(struct buf *buf, sv s)
{
	if (s.len > 0) {
		memcpy(buf_reserve(buf, s.len), s.ptr, s.len);
		buf->len += s.len;
	}
}

static inline void buf_add_char(struct buf *buf, char c)
{
	*buf_reserve(buf, 1) = c;
	buf->len++;
}

#define BUF_ADD_LIT(buf, literal) buf_add((buf), SV(literal))

void buf_add_cstr(struct buf *buf, const char *s);
void buf_add_repeat(struct buf *buf, char c, size_t count);
void buf_add_rune(struct buf *buf, uint32_t rune);
/* Appends a string, and U+FFFD for each byte of it that is not UTF-8. */
void buf_add_valid(struct buf *buf, sv s);
/* Appends a number in octal or decimal digits, as printf would, which is slow for many. */
void buf_add_octal(struct buf *buf, uint32_t number);
void buf_add_decimal(struct buf *buf, size_t number);
/* Appends a string after its length, so that no two lists of fields give the same bytes. */
void buf_add_field(struct buf *buf, sv field);
/* Appends an item of a list: ", " comes before it unless the buffer is empty. */
void buf_add_item(struct buf *buf, sv item);
void buf_printf(struct buf *buf, const char *format, ...) PRINTF_LIKE(2, 3);

static inline sv buf_sv(const struct buf *buf)
{
	return (sv){buf->ptr, buf->len};
}

/*
 *   VEC(struct point) points = {0};
 *   VEC_PUSH(arena, &points, ((struct point){1, 2}));
 *   VEC_EACH(p, &points) use(p->x);
 *
 * An arena keeps what a vector outgrows. With a null pointer as arena a vector is in memory of its
 * own, which is given back as it grows, and whose items are released by free().
 */
#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count;                                                                      \
		size_t cap;                                                                        \
	}

/* Declares a named vector type. */
#define VEC_TYPE(name, type)                                                                       \
	struct name {                                                                              \
		type *items;                                                                       \
		size_t count;                                                                      \
		size_t cap;                                                                        \
	}

/* Makes a full vector larger. */
void vec_grow(struct arena *arena, void **items, size_t *cap, size_t item_size);
/* Returns room for `number` items, which is not zeroed: of what is not used no memory is taken. */
void *vec_room(struct arena *arena, size_t number, size_t item_size);
/* Gives a vector of `count` items room for `number`, if it has less. */
void vec_expect(struct arena *arena, void **items, size_t *cap, size_t count, size_t number,
                size_t item_size);

#ifdef __clang_analyzer__
/* The analyzer would else assume vectors with room and without items. */
#define VEC_ROOM(arena, vec)                                                                       \
	vec_grow((arena), (void **)&(vec)->items, &(vec)->cap, sizeof(*(vec)->items))
#else
#define VEC_ROOM(arena, vec)                                                                       \
	((vec)->count < (vec)->cap                                                                 \
	     ? (void)0                                                                             \
	     : vec_grow((arena), (void **)&(vec)->items, &(vec)->cap, sizeof(*(vec)->items)))
#endif
#define VEC_PUSH(arena, vec, ...)                                                                  \
	do {                                                                                       \
		VEC_ROOM((arena), (vec));                                                          \
		(vec)->items[(vec)->count++] = __VA_ARGS__;                                        \
	} while (0)
/* Makes room for exactly `number` items in an empty vector, so that it does not grow up to them. */
#define VEC_RESERVE(arena, vec, number)                                                            \
	((vec)->items = vec_room((arena), (number), sizeof(*(vec)->items)), (vec)->cap = (number))
/* Makes room for `number` items in all, of which a vector may have some already. */
#define VEC_EXPECT(arena, vec, number)                                                             \
	vec_expect((arena), (void **)&(vec)->items, &(vec)->cap, (vec)->count, (number),           \
	           sizeof(*(vec)->items))
#ifdef __cppcheck__
/* The same, in words that cppcheck's parser takes. */
#define VEC_EACH(item, vec)                                                                        \
	for (__typeof__(*(vec)->items) *item = (vec)->items; item != (vec)->items + (vec)->count;  \
	     item++)
#else
#define VEC_EACH(item, vec)                                                                        \
	for (__typeof__((vec)->items + 0) item = (vec)->items,                                     \
	                                  item##_end = item ? item + (vec)->count : item;          \
	     item != item##_end; item++)
#endif

/* Returns the items with ", " between them. */
sv buf_listed(struct arena *arena, const sv *items, size_t count);
/* Returns the text with `by` in the place of each `mark`, which is not empty. */
sv buf_replaced(struct arena *arena, sv text, sv mark, sv by);

#endif
