/*
 * The tables of the leak scan: needles, found by any of their windows.
 */
#include "secrecy/leak.h"

enum {
	WINDOWS_PER_WORD = 4, /* of the bitmap: of 400 places one is looked at twice */
	MIN_WINDOWS = 256,
};

static uint64_t bytes_of(const struct leak_table *table, uint32_t window)
{
	return leak_window_at(leak_needle_of(table, window)->text.ptr +
	                      leak_offset_of(table, window));
}

uint32_t *leak_table_slot(const struct leak_table *table, uint64_t bytes)
{
	size_t mask = ((size_t)1 << table->slots_log2) - 1;
	size_t at = (size_t)(leak_hash_of(bytes) >> (64 - table->slots_log2));

	while (table->slots[at] != 0 && bytes_of(table, table->slots[at] - 1) != bytes)
		at = (at + 1) & mask;
	return &table->slots[at];
}

/*
 * Returns true if another needle of that length has these bytes at that place: the window then
 * leads to one lookup for all of them. A fleet's secrets may differ at their ends only.
 */
static bool has_shape(const struct leak_table *table, uint32_t first, uint32_t window)
{
	for (uint32_t n = first; n != 0; n = table->next[n - 1])
		if (leak_needle_of(table, n - 1)->text.len ==
		        leak_needle_of(table, window)->text.len &&
		    leak_offset_of(table, n - 1) == leak_offset_of(table, window))
			return true;
	return false;
}

static void bitmap_add(struct leak_bitmap *bitmap, uint64_t bytes)
{
	uint64_t hash = leak_hash_of(bytes);

	bitmap->words[hash >> (64 - bitmap->words_log2)] |= leak_bits_of(hash);
	bitmap->count++;
}

static void index_needle(struct leak_table *table, uint32_t number)
{
	for (uint32_t i = 0; i < table->stride; i++) {
		uint32_t window = number * (uint32_t)table->stride + i;
		uint64_t bytes = bytes_of(table, window);
		uint32_t *slot = leak_table_slot(table, bytes);

		bitmap_add(&table->bitmaps[leak_kind_of(bytes)], bytes);
		if (has_shape(table, *slot, window))
			continue;
		table->next[window] = *slot;
		*slot = window + 1;
	}
}

static struct leak_bitmap bitmap_new(struct arena *arena, size_t capacity)
{
	struct leak_bitmap bitmap = {.words_log2 = 1, .capacity = capacity};

	while (((size_t)1 << bitmap.words_log2) < capacity / WINDOWS_PER_WORD)
		bitmap.words_log2++;
	bitmap.words = ARENA_ARRAY(arena, uint64_t, (size_t)1 << bitmap.words_log2);
	return bitmap;
}

/* Makes room for that many windows: what is outgrown stays in the arena. */
static void rebuild_index(struct arena *arena, struct leak_table *table, size_t capacity)
{
	static const size_t shares[LEAK_WINDOW_KINDS] = {1, 4,
	                                                 256}; /* one in so many is expected */

	table->capacity = capacity;
	table->slots_log2 = 1;
	while (((size_t)1 << table->slots_log2) < table->capacity + table->capacity / 3)
		table->slots_log2++;
	table->next = ARENA_ARRAY(arena, uint32_t, table->capacity);
	table->slots = ARENA_ARRAY(arena, uint32_t, (size_t)1 << table->slots_log2);
	for (unsigned kind = 0; kind < LEAK_WINDOW_KINDS; kind++) {
		size_t used = table->bitmaps[kind].count;
		size_t expected = capacity / shares[kind];

		table->bitmaps[kind] = bitmap_new(arena, used > expected ? used : expected);
	}
	for (uint32_t i = 0; i < table->needles.count; i++)
		index_needle(table, i);
}

/* Gives twice the room to each bitmap that is full. */
static void grow_bitmaps(struct arena *arena, struct leak_table *table)
{
	size_t count = table->needles.count * table->stride;

	for (unsigned kind = 0; kind < LEAK_WINDOW_KINDS; kind++) {
		struct leak_bitmap *bitmap = &table->bitmaps[kind];

		if (bitmap->count <= bitmap->capacity)
			continue;
		*bitmap = bitmap_new(arena, bitmap->count * 2);
		for (uint32_t window = 0; window < count; window++)
			if (leak_kind_of(bytes_of(table, window)) == kind)
				bitmap_add(bitmap, bytes_of(table, window));
	}
}

const struct leak_needle *leak_table_find(const struct leak_table *table, sv text)
{
	uintptr_t number = (uintptr_t)map_get(&table->numbers, text);

	return number ? &table->needles.items[number - 1] : NULL;
}

void leak_table_add(struct arena *arena, struct leak_table *table, struct leak_needle needle)
{
	size_t last = leak_first_window(table, needle.text) + table->stride - 1;

	VEC_PUSH(arena, &table->needles, needle);
	map_put(&table->numbers, needle.text, (void *)(uintptr_t)table->needles.count); /* NOLINT */
	if (table->last_offset < last)
		table->last_offset = last;
	if (table->needles.count * table->stride > table->capacity)
		rebuild_index(arena, table, table->capacity ? table->capacity * 2 : MIN_WINDOWS);
	else
		index_needle(table, (uint32_t)table->needles.count - 1);
	grow_bitmaps(arena, table);
}

void leak_table_expect(struct arena *arena, struct leak_table *table, size_t more)
{
	size_t needles = table->needles.count + more;

	if (needles * table->stride <= table->capacity)
		return;
	struct leak_needle *items = ARENA_ARRAY(arena, struct leak_needle, needles);
	if (table->needles.count > 0)
		memcpy(items, table->needles.items, table->needles.count * sizeof(*items));
	table->needles.items = items;
	table->needles.cap = needles;
	map_expect(&table->numbers, needles);
	rebuild_index(arena, table, needles * table->stride);
}
