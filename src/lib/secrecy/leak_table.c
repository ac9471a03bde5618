/*
 * The tables of the leak scan: needles, found by any of their windows.
 */
#include "secrecy/leak.h"

enum {
	WINDOWS_PER_WORD = 4, /* of the bitmap: of 400 places one is looked at twice */
	MIN_WINDOWS = 256,
	FIRST_LINKS_LOG2 = 4,
	FIRST_NUMBERS_LOG2 = 4,
	NEEDLES_PER_ORIGIN = 4, /* of a token */
	ORIGINS_SEARCHED = 4,   /* the forms of base64 alternate */
};

static uint64_t bytes_of(const struct leak_table *table, uint32_t window)
{
	return leak_window_at(leak_needle_of(table, window)->text + leak_offset_of(table, window));
}

uint32_t *leak_table_slot(const struct leak_table *table, uint64_t bytes)
{
	size_t mask = ((size_t)1 << table->slots_log2) - 1;
	size_t at = (size_t)(leak_hash_of(bytes) >> (64 - table->slots_log2));

	while (table->slots[at] != 0 && bytes_of(table, table->slots[at] - 1) != bytes)
		at = (at + 1) & mask;
	return &table->slots[at];
}

/* ---- links -------------------------------------------------------------------------------- */

static struct leak_link *link_of(const struct leak_table *table, uint32_t window)
{
	size_t mask = ((size_t)1 << table->links_log2) - 1;
	size_t at = (size_t)(leak_hash_of(window) >> (64 - table->links_log2));

	while (table->links[at].window != 0 && table->links[at].window != window)
		at = (at + 1) & mask;
	return &table->links[at];
}

uint32_t leak_table_next(const struct leak_table *table, uint32_t window)
{
	return table->links_log2 == 0 ? 0 : link_of(table, window)->next;
}

static void add_link(struct arena *arena, struct leak_table *table, struct leak_link link)
{
	const struct leak_link *old = table->links;
	size_t size = table->links_log2 == 0 ? 0 : (size_t)1 << table->links_log2;

	/* At most three quarters full. */
	if ((table->link_count + 1) * 4 > size * 3) {
		table->links_log2 = size == 0 ? FIRST_LINKS_LOG2 : table->links_log2 + 1;
		table->links = ARENA_ARRAY(arena, struct leak_link, (size_t)1 << table->links_log2);
		for (size_t i = 0; i < size; i++)
			if (old[i].window != 0)
				*link_of(table, old[i].window) = old[i];
	}
	*link_of(table, link.window) = link;
	table->link_count++;
}

/* ---- windows ------------------------------------------------------------------------------ */

/*
 * Returns true if another needle of that length has these bytes at that place: the window then
 * leads to one lookup for all of them. A fleet's secrets may differ at their ends only.
 */
static bool has_shape(const struct leak_table *table, uint32_t first, uint32_t window)
{
	for (uint32_t n = first; n != 0; n = leak_table_next(table, n))
		if (leak_needle_of(table, n - 1)->length == leak_needle_of(table, window)->length &&
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

static void index_needle(struct arena *arena, struct leak_table *table, uint32_t number)
{
	for (uint32_t i = 0; i < table->stride; i++) {
		uint32_t window = number * (uint32_t)table->stride + i;
		uint64_t bytes = bytes_of(table, window);
		uint32_t *slot = leak_table_slot(table, bytes);

		bitmap_add(&table->bitmaps[leak_kind_of(bytes)], bytes);
		if (has_shape(table, *slot, window))
			continue;
		if (*slot != 0)
			add_link(arena, table, (struct leak_link){window + 1, *slot});
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
	table->links = NULL;
	table->links_log2 = 0;
	table->link_count = 0;
	table->slots = ARENA_ARRAY(arena, uint32_t, (size_t)1 << table->slots_log2);
	for (unsigned kind = 0; kind < LEAK_WINDOW_KINDS; kind++) {
		size_t used = table->bitmaps[kind].count;
		size_t expected = capacity / shares[kind];

		table->bitmaps[kind] = bitmap_new(arena, used > expected ? used : expected);
	}
	for (uint32_t i = 0; i < table->needles.count; i++)
		index_needle(arena, table, i);
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

/* ---- needles ------------------------------------------------------------------------------ */

/*
 * Returns the slot that holds the text's number, or the free slot where it belongs. Sets *ret_row
 * to the number of slots in use that the search passed.
 */
static uint32_t *find_number(const struct leak_table *table, sv text, size_t *ret_row)
{
	size_t mask = ((size_t)1 << table->numbers_log2) - 1;
	size_t at = (size_t)sv_hash(text, table->seed) & mask;

	*ret_row = 0;
	while (table->numbers[at] != 0 &&
	       !sv_eq(leak_text_of(&table->needles.items[table->numbers[at] - 1]), text)) {
		at = (at + 1) & mask;
		++*ret_row;
	}
	return &table->numbers[at];
}

/* Fills in the numbers of `count` needles. */
static void fill_numbers(struct leak_table *table, size_t count)
{
	size_t row;

	for (uint32_t i = 0; i < count; i++)
		*find_number(table, leak_text_of(&table->needles.items[i]), &row) = i + 1;
}

/* Makes room for the numbers of so many needles, at most three quarters full. */
static void expect_numbers(struct arena *arena, struct leak_table *table, size_t needles,
                           size_t count)
{
	unsigned log2 = table->numbers_log2 == 0 ? FIRST_NUMBERS_LOG2 : table->numbers_log2;

	while (((size_t)1 << log2) * 3 < needles * 4)
		log2++;
	if (log2 == table->numbers_log2)
		return;
	table->numbers_log2 = log2;
	table->numbers = ARENA_ARRAY(arena, uint32_t, (size_t)1 << log2);
	fill_numbers(table, count);
}

static void add_table_number(struct arena *arena, struct leak_table *table, uint32_t number)
{
	size_t row;

	expect_numbers(arena, table, number, number - 1);
	*find_number(table, leak_text_of(&table->needles.items[number - 1]), &row) = number;
	/* An attacker may choose secrets whose hashes collide: change the seed. */
	if (row <= MAP_LONGEST_ROW || table->seed == MAP_LAST_SEED)
		return;
	table->seed++;
	memset(table->numbers, 0, sizeof(*table->numbers) << table->numbers_log2);
	fill_numbers(table, number);
}

const struct leak_needle *leak_table_find(const struct leak_table *table, sv text)
{
	size_t row;
	uint32_t number = table->numbers_log2 == 0 ? 0 : *find_number(table, text, &row);

	return number ? &table->needles.items[number - 1] : NULL;
}

/* Returns the number of the origin, which one of the needles before may have, too. */
static uint32_t add_origin(struct arena *arena, struct leak_table *table, struct leak_origin origin)
{
	size_t count = table->origins.count;

	for (size_t i = count; i > 0 && i + ORIGINS_SEARCHED > count; i--) {
		const struct leak_origin *known = &table->origins.items[i - 1];

		if (known->secret == origin.secret && known->form == origin.form &&
		    known->line == origin.line)
			return (uint32_t)i - 1;
	}
	VEC_PUSH(arena, &table->origins, origin);
	return (uint32_t)count;
}

void leak_table_add(struct arena *arena, struct leak_table *table, sv text,
                    struct leak_origin origin)
{
	size_t last = leak_first_window(table, text) + table->stride - 1;
	const struct leak_needle needle = {text.ptr, (uint32_t)text.len,
	                                   add_origin(arena, table, origin)};

	VEC_PUSH(arena, &table->needles, needle);
	add_table_number(arena, table, (uint32_t)table->needles.count);
	if (table->last_offset < last)
		table->last_offset = last;
	if (table->needles.count * table->stride > table->capacity)
		rebuild_index(arena, table, table->capacity ? table->capacity * 2 : MIN_WINDOWS);
	else
		index_needle(arena, table, (uint32_t)table->needles.count - 1);
	grow_bitmaps(arena, table);
}

void leak_table_expect(struct arena *arena, struct leak_table *table, size_t more)
{
	size_t needles = table->needles.count + more;

	if (needles * table->stride <= table->capacity)
		return;
	VEC_EXPECT(arena, &table->needles, needles);
	VEC_EXPECT(arena, &table->origins, table->origins.count + more / NEEDLES_PER_ORIGIN);
	expect_numbers(arena, table, needles, table->needles.count);
	rebuild_index(arena, table, needles * table->stride);
}
