/*
 * The leak scan: the scanner, and the search for all its needles at once (secrecy/leak.h).
 */
#include "secrecy/leak.h"

enum {
	WINDOWS_AT_ONCE = 64,
	NEEDLES_PER_TOKEN = 13, /* in clear, in base64, in base64 of base64 */
};

struct leak_scanner *leak_scanner_new(struct arena *secret_arena, const struct leak_scanner *parent)
{
	struct leak_scanner *scanner = ARENA_NEW(secret_arena, struct leak_scanner);

	scanner->arena = secret_arena;
	scanner->parent = parent;
	if (parent)
		leak_scanner_pass_over(scanner, parent->passes, parent->lines);
	scanner->long_ones.stride = LEAK_STRIDE;
	scanner->short_ones.stride = 1;
	return scanner;
}

void leak_scanner_pass_over(struct leak_scanner *scanner, leak_passes *passes,
                            const struct secret_lines *lines)
{
	scanner->passes = passes;
	scanner->lines = lines;
}

const struct secret_lines *leak_scanner_lines(const struct leak_scanner *scanner)
{
	return scanner->lines;
}

void leak_scanner_expect(struct leak_scanner *scanner, size_t tokens)
{
	leak_table_expect(scanner->arena, &scanner->long_ones, tokens * NEEDLES_PER_TOKEN);
}

const struct leak_origin *leak_find_needle(const struct leak_scanner *scanner, sv text)
{
	const struct leak_table *table =
	    text.len >= LEAK_LONG_NEEDLE ? &scanner->long_ones : &scanner->short_ones;
	const struct leak_needle *needle = leak_table_find(table, text);

	return needle ? &table->origins.items[needle->origin] : NULL;
}

void leak_add_needle(struct leak_scanner *scanner, const struct secret *secret, sv text,
                     const char *form, const sv *line)
{
	if (text.len < LEAK_WINDOW || leak_find_needle(scanner, text))
		return;
	leak_table_add(scanner->arena,
	               text.len >= LEAK_LONG_NEEDLE ? &scanner->long_ones : &scanner->short_ones,
	               arena_dup(scanner->arena, text), (struct leak_origin){secret, form, line});
}

/* The leak that begins first, of those the longest. */
struct best {
	const struct leak_origin *origin; /* null until one is found */
	size_t length;
	size_t offset;
};

static bool spend(struct leak_effort *effort, uint64_t amount)
{
	if (!effort)
		return true;
	if (amount > effort->left)
		effort->is_over = true;
	effort->left -= amount > effort->left ? effort->left : amount;
	return !effort->is_over;
}

static bool is_public(const struct leak_scanner *scanner, const struct leak_origin *origin)
{
	return scanner->passes &&
	       scanner->passes(scanner->lines,
	                       origin->line ? *origin->line : sv_trim_space(origin->secret->text));
}

/* An input that is scanned from an offset on. */
struct look {
	const struct leak_scanner *scanner; /* whose secrets, and its parents', are looked for */
	sv text;
	size_t from;
	struct leak_effort *effort;
};

/* Tries the needles that have the window at `at` and are complete around it, from `from` on. */
static void try_needles(const struct leak_table *table, const struct look *look, size_t at,
                        struct best *best)
{
	sv text = look->text;

	for (uint32_t n = *leak_table_slot(table, leak_window_at(text.ptr + at)); n != 0;
	     n = leak_table_next(table, n)) {
		size_t length = leak_needle_of(table, n - 1)->length;
		size_t offset = leak_offset_of(table, n - 1);

		if (at - look->from < offset || text.len - (at - offset) < length)
			continue;
		if (!spend(look->effort, 1 + length / LEAK_WINDOW))
			return;
		size_t start = at - offset;
		const struct leak_needle *needle =
		    leak_table_find(table, sv_slice(text, start, start + length));
		const struct leak_origin *origin =
		    needle ? &table->origins.items[needle->origin] : NULL;
		if (!origin || is_public(look->scanner, origin))
			continue;
		if (!best->origin || start < best->offset ||
		    (start == best->offset && needle->length > best->length))
			*best = (struct best){origin, needle->length, start};
	}
}

/* A window of the input that is to be looked up. */
struct probe {
	const uint64_t *word; /* of a bitmap */
	uint64_t bits;
};

/*
 * Fetches the words of `count` windows from `at` on into the processor's cache, all at once: one
 * after the other, they would take most of the scan's time.
 */
static void fetch_words(const struct leak_table *table, const char *at, size_t count,
                        struct probe probes[static WINDOWS_AT_ONCE])
{
	for (size_t i = 0; i < count; i++) {
		uint64_t window = leak_window_at(at + i * table->stride);
		uint64_t hash = leak_hash_of(window);
		const struct leak_bitmap *bitmap = &table->bitmaps[leak_kind_of(window)];

		probes[i].word = &bitmap->words[hash >> (64 - bitmap->words_log2)];
		probes[i].bits = leak_bits_of(hash);
		__builtin_prefetch(probes[i].word);
	}
}

/*
 * Looks at `count` windows from `at` on, at most WINDOWS_AT_ONCE. Returns how many of them it has
 * looked at: less than `count` if nothing better can follow, or if the effort is over.
 */
static size_t find_in_windows(const struct leak_table *table, const struct look *look, size_t at,
                              size_t count, struct best *best)
{
	struct probe probes[WINDOWS_AT_ONCE];

	fetch_words(table, look->text.ptr + at, count, probes);
	for (size_t i = 0; i < count; i++, at += table->stride) {
		if (~*probes[i].word & probes[i].bits)
			continue;
		/* A needle that begins earlier may have its windows later. */
		if (best->origin && at > best->offset + table->last_offset)
			return i;
		try_needles(table, look, at, best);
		if (look->effort && look->effort->is_over)
			return i;
	}
	return count;
}

static void find_in_table(const struct leak_table *table, const struct look *look,
                          struct best *best)
{
	size_t size = look->from < look->text.len ? look->text.len - look->from : 0;
	size_t count = size < LEAK_WINDOW ? 0 : (size - LEAK_WINDOW) / table->stride + 1;
	size_t done = 0;

	if (table->needles.count == 0)
		return;
	while (done < count) {
		size_t some = count - done < WINDOWS_AT_ONCE ? count - done : WINDOWS_AT_ONCE;
		size_t seen =
		    find_in_windows(table, look, look->from + done * table->stride, some, best);

		done += seen;
		if (seen < some)
			break;
	}
	(void)spend(look->effort, done);
}

bool leak_scanner_find(const struct leak_scanner *scanner, sv text, size_t from,
                       struct leak_effort *effort, struct leak *ret_leak)
{
	const struct look look = {scanner, text, from, effort};
	struct best best = {0};

	for (; scanner; scanner = scanner->parent) {
		find_in_table(&scanner->long_ones, &look, &best);
		find_in_table(&scanner->short_ones, &look, &best);
	}
	if (best.origin)
		*ret_leak = (struct leak){
		    .secret = best.origin->secret,
		    .form = best.origin->form,
		    .offset = best.offset,
		    .line = best.origin->line ? *best.origin->line : SV(""),
		};
	return best.origin != NULL;
}
