/*
 * Private to the files leak*.c: the scanner and the tables of what it looks for.
 *
 * Each secret gives a set of needles: the strings that encoders make of it. All needles are looked
 * for at once, at every LEAK_STRIDE-th offset of the input only: LEAK_STRIDE successive windows of
 * eight bytes of each needle are in a table, and one of them is at such an offset wherever the
 * needle is. The window at an offset is first looked up in a bitmap, which nearly always excludes
 * it, then in a hash table. Windows of letters and digits, windows with other signs, and windows
 * with white space have a bitmap each: most of a manifest's windows have white space and hardly any
 * of a secret's, so that this bitmap stays in the processor's cache. Needles too short for
 * LEAK_STRIDE windows, which are rare, have a table of their own and are looked for at every
 * offset.
 */
#ifndef OSM_GEN_SECRECY_LEAK_H
#define OSM_GEN_SECRECY_LEAK_H

#include "base/ascii.h"
#include "secrecy/internal.h"

enum {
	LEAK_WINDOW = LEAK_MIN_SIZE, /* bytes */
	LEAK_STRIDE = 8,
	LEAK_LONG_NEEDLE = LEAK_WINDOW + LEAK_STRIDE - 1,
};

/* Describes needles: the secret, or a line of it, in one encoding. Many needles share it. */
struct leak_origin {
	const struct secret *secret;
	const char *form;
	const sv *line; /* the line of the secret that this is, or null for the whole secret */
};

/* A fleet has a million of them. */
struct leak_needle {
	const char *text;
	uint32_t length;
	uint32_t origin; /* number in the table */
};

/* The kinds of windows, by their lowest byte: from '0' on, below it, white space. */
enum { LEAK_KIND_WORD, LEAK_KIND_SIGN, LEAK_KIND_SPACE, LEAK_WINDOW_KINDS };

/* Excludes nearly all windows of the input. */
struct leak_bitmap {
	uint64_t *words; /* four bits of one word for a window */
	unsigned words_log2;
	size_t count;    /* number of windows; equal ones may count twice */
	size_t capacity; /* windows that there is room for */
};

/* Leads from a window to another one with the same bytes. Both are numbers + 1. */
struct leak_link {
	uint32_t window; /* 0 is a free place */
	uint32_t next;
};

/*
 * Needles and their windows. Window w belongs to needle w / stride and is w % stride bytes after
 * its first window. A fleet has ten million windows: each has a slot, and hardly any a link.
 */
struct leak_table {
	size_t stride;
	VEC(struct leak_needle) needles;
	VEC(struct leak_origin) origins;
	uint32_t *numbers; /* needle numbers + 1, by hash of the needle's text; 0 is free */
	unsigned numbers_log2;
	uint64_t seed;   /* seed of that hash; replaced when too many needles collide */
	uint32_t *slots; /* window number + 1 by hash of its bytes; 0 is free */
	size_t capacity; /* windows that there are slots for */
	unsigned slots_log2;
	struct leak_link *links; /* by hash of their window */
	unsigned links_log2;     /* 0 if there are none */
	size_t link_count;
	struct leak_bitmap bitmaps[LEAK_WINDOW_KINDS];
	size_t last_offset; /* of any window in its needle */
};

struct leak_scanner {
	struct arena *arena;
	const struct leak_scanner *parent;
	leak_passes *passes; /* returns true for public strings, which are skipped; may be null */
	const struct secret_lines *lines;
	struct leak_table long_ones;
	struct leak_table short_ones;
};

/* ---- windows ------------------------------------------------------------------------------ */

static inline uint64_t leak_window_at(const char *at)
{
	uint64_t window;

	memcpy(&window, at, sizeof(window));
	return window;
}

/* Fibonacci hashing: the upper bits are the good ones. */
static inline uint64_t leak_hash_of(uint64_t window)
{
	return window * 0x9e3779b97f4a7c15u;
}

/* Its four bits: from parts of the hash that choose neither word nor slot. */
static inline uint64_t leak_bits_of(uint64_t hash)
{
	return (uint64_t)1 << (hash >> 8 & 63) | (uint64_t)1 << (hash >> 14 & 63) |
	       (uint64_t)1 << (hash >> 20 & 63) | (uint64_t)1 << (hash >> 26 & 63);
}

static inline unsigned leak_kind_of(uint64_t window)
{
	return ascii_any_below(window, '0') + ascii_any_below(window, ' ' + 1);
}

/*
 * Returns the offset of the first window of a needle. The windows are in the middle of the text,
 * since many secrets begin with the same characters ("eyJhbGci", "apiVersion: v1").
 */
static inline size_t leak_first_window(const struct leak_table *table, sv text)
{
	return (text.len - (LEAK_WINDOW + table->stride - 1)) / 2;
}

static inline const struct leak_needle *leak_needle_of(const struct leak_table *table,
                                                       uint32_t window)
{
	return &table->needles.items[window / table->stride];
}

static inline sv leak_text_of(const struct leak_needle *needle)
{
	return sv_from(needle->text, needle->length);
}

static inline size_t leak_offset_of(const struct leak_table *table, uint32_t window)
{
	return leak_first_window(table, leak_text_of(leak_needle_of(table, window))) +
	       window % table->stride;
}

/* ---- leak_table.c ------------------------------------------------------------------------- */

/* Returns the slot of these bytes: taken, or the free one where they belong. */
uint32_t *leak_table_slot(const struct leak_table *table, uint64_t bytes);
/* Returns the number + 1 of another window with the bytes of this one (number + 1), or 0. */
uint32_t leak_table_next(const struct leak_table *table, uint32_t window);
/* Returns the needle of this very text, or null. */
const struct leak_needle *leak_table_find(const struct leak_table *table, sv text);
/*
 * Adds a needle, whose text has the table's size and is not in it. The text is kept, and so is what
 * the origin refers to.
 */
void leak_table_add(struct arena *arena, struct leak_table *table, sv text,
                    struct leak_origin origin);
/* Makes room for that many more needles. */
void leak_table_expect(struct arena *arena, struct leak_table *table, size_t needles);

/* ---- leak.c ------------------------------------------------------------------------------- */

/* Returns the origin of the scanner's own needle of this very text, or null without one. */
const struct leak_origin *leak_find_needle(const struct leak_scanner *scanner, sv text);
/*
 * Adds a form of a secret. `line` is the line of the secret that it is a form of, or null for the
 * whole secret. The text is copied; one that is too short, or there already, is left out.
 */
void leak_add_needle(struct leak_scanner *scanner, const struct secret *secret, sv text,
                     const char *form, const sv *line);

#endif
