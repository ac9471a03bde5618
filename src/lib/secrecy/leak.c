/*
 * The leak scan. Each secret gives a set of needles: the strings that encoders make of it. All
 * needles are looked for at once, at every STRIDE-th offset of the input only: STRIDE successive
 * windows of eight bytes of each needle are in a table, and one of them is at such an offset
 * wherever the needle is. The window at an offset is first looked up in a bitmap, which nearly
 * always excludes it, then in a hash table. Windows of letters and digits, windows with other
 * signs, and windows with white space have a bitmap each: most of a manifest's windows have white
 * space and hardly any of a secret's, so that this bitmap stays in the processor's cache. Needles
 * too short for STRIDE windows, which are rare, have a table of their own and are looked for at
 * every offset.
 */
#include "base/ascii.h"
#include "codec/codec.h"
#include "golang/golang.h"
#include "secrecy/internal.h"
#include "value/text.h"
#include "json/json.h"

enum {
	WINDOW = LEAK_MIN_SIZE,
	STRIDE = 8,
	LONG_NEEDLE = WINDOW + STRIDE - 1,
	WINDOWS_PER_WORD = 4, /* of the bitmap: of 400 places one is looked at twice */
	MIN_WINDOWS = 256,
	WINDOWS_AT_ONCE = 64,
	NEEDLES_PER_TOKEN = 13, /* in clear, in base64, in base64 of base64 */
};

struct needle {
	sv text;
	const struct secret *secret;
	const char *form;
	const sv *line; /* the line of the secret that this is, or null for the whole secret */
};

/* The kinds of windows, by their lowest byte: from '0' on, below it, white space. */
enum { KIND_WORD, KIND_SIGN, KIND_SPACE, WINDOW_KINDS };

/* Excludes nearly all windows of the input. */
struct bitmap {
	uint64_t *words; /* four bits of one word for a window */
	unsigned words_log2;
	size_t count;    /* of windows; equal ones may count twice */
	size_t capacity; /* windows that there is room for */
};

/*
 * Needles and their windows. Window w belongs to needle w / stride and is w % stride bytes after
 * its first window. A fleet has a million windows, so only a link is kept for each.
 */
struct table {
	size_t stride;
	VEC(struct needle) needles;
	struct map numbers; /* of needles + 1, by their text */
	uint32_t *next;     /* by window: number + 1 of another with the same bytes; 0: none */
	uint32_t *slots;    /* window number + 1 by hash of its bytes; 0 is free */
	size_t capacity;    /* windows that the two have room for */
	unsigned slots_log2;
	struct bitmap bitmaps[WINDOW_KINDS];
	size_t last_offset; /* of any window in its needle */
};

struct leak_scanner {
	struct arena *arena;
	const struct leak_scanner *parent;
	leak_passes *passes; /* returns true for public strings, which are skipped; may be null */
	const struct secret_lines *lines;
	struct table long_ones;
	struct table short_ones;
};

static uint64_t window_at(const char *at)
{
	uint64_t window;

	memcpy(&window, at, sizeof(window));
	return window;
}

/* Fibonacci hashing: the upper bits are the good ones. */
static uint64_t hash_of(uint64_t window)
{
	return window * 0x9e3779b97f4a7c15u;
}

struct leak_scanner *leak_scanner_new(struct arena *secret_arena, const struct leak_scanner *parent)
{
	struct leak_scanner *scanner = ARENA_NEW(secret_arena, struct leak_scanner);

	scanner->arena = secret_arena;
	scanner->parent = parent;
	if (parent)
		leak_scanner_pass_over(scanner, parent->passes, parent->lines);
	scanner->long_ones.stride = STRIDE;
	scanner->long_ones.numbers = map_in(secret_arena);
	scanner->short_ones.stride = 1;
	scanner->short_ones.numbers = map_in(secret_arena);
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

/* Its four bits: from parts of the hash that choose neither word nor slot. */
static uint64_t bits_of(uint64_t hash)
{
	return (uint64_t)1 << (hash >> 8 & 63) | (uint64_t)1 << (hash >> 14 & 63) |
	       (uint64_t)1 << (hash >> 20 & 63) | (uint64_t)1 << (hash >> 26 & 63);
}

static unsigned kind_of(uint64_t window)
{
	return ascii_any_below(window, '0') + ascii_any_below(window, ' ' + 1);
}

/* ---- the tables -------------------------------------------------------------------------- */

/*
 * Where a needle's windows begin: in its middle, since beginnings are often shared ("eyJhbGci",
 * "apiVersion: v1").
 */
static size_t first_window(const struct table *table, sv text)
{
	return (text.len - (WINDOW + table->stride - 1)) / 2;
}

static const struct needle *needle_of(const struct table *table, uint32_t window)
{
	return &table->needles.items[window / table->stride];
}

static size_t offset_of(const struct table *table, uint32_t window)
{
	return first_window(table, needle_of(table, window)->text) + window % table->stride;
}

static uint64_t bytes_of(const struct table *table, uint32_t window)
{
	return window_at(needle_of(table, window)->text.ptr + offset_of(table, window));
}

/* The slot of these bytes: taken, or the free one where they belong. */
static uint32_t *find_slot(const struct table *table, uint64_t bytes)
{
	size_t mask = ((size_t)1 << table->slots_log2) - 1;
	size_t at = (size_t)(hash_of(bytes) >> (64 - table->slots_log2));

	while (table->slots[at] != 0 && bytes_of(table, table->slots[at] - 1) != bytes)
		at = (at + 1) & mask;
	return &table->slots[at];
}

/*
 * Returns true if another needle of that length has these bytes at that place: the window then
 * leads to one lookup for all of them. A fleet's secrets may differ at their ends only.
 */
static bool has_shape(const struct table *table, uint32_t first, uint32_t window)
{
	for (uint32_t n = first; n != 0; n = table->next[n - 1])
		if (needle_of(table, n - 1)->text.len == needle_of(table, window)->text.len &&
		    offset_of(table, n - 1) == offset_of(table, window))
			return true;
	return false;
}

static void bitmap_add(struct bitmap *bitmap, uint64_t bytes)
{
	uint64_t hash = hash_of(bytes);

	bitmap->words[hash >> (64 - bitmap->words_log2)] |= bits_of(hash);
	bitmap->count++;
}

static void index_needle(struct table *table, uint32_t number)
{
	for (uint32_t i = 0; i < table->stride; i++) {
		uint32_t window = number * (uint32_t)table->stride + i;
		uint64_t bytes = bytes_of(table, window);
		uint32_t *slot = find_slot(table, bytes);

		bitmap_add(&table->bitmaps[kind_of(bytes)], bytes);
		if (has_shape(table, *slot, window))
			continue;
		table->next[window] = *slot;
		*slot = window + 1;
	}
}

static struct bitmap bitmap_new(struct arena *arena, size_t capacity)
{
	struct bitmap bitmap = {.words_log2 = 1, .capacity = capacity};

	while (((size_t)1 << bitmap.words_log2) < capacity / WINDOWS_PER_WORD)
		bitmap.words_log2++;
	bitmap.words = ARENA_ARRAY(arena, uint64_t, (size_t)1 << bitmap.words_log2);
	return bitmap;
}

/* Makes room for that many windows: what is outgrown stays in the arena. */
static void rebuild_index(struct arena *arena, struct table *table, size_t capacity)
{
	static const size_t shares[WINDOW_KINDS] = {1, 4, 256}; /* one in so many is expected */

	table->capacity = capacity;
	table->slots_log2 = 1;
	while (((size_t)1 << table->slots_log2) < table->capacity + table->capacity / 3)
		table->slots_log2++;
	table->next = ARENA_ARRAY(arena, uint32_t, table->capacity);
	table->slots = ARENA_ARRAY(arena, uint32_t, (size_t)1 << table->slots_log2);
	for (unsigned kind = 0; kind < WINDOW_KINDS; kind++) {
		size_t used = table->bitmaps[kind].count;
		size_t expected = capacity / shares[kind];

		table->bitmaps[kind] = bitmap_new(arena, used > expected ? used : expected);
	}
	for (uint32_t i = 0; i < table->needles.count; i++)
		index_needle(table, i);
}

/* Gives twice the room to each bitmap that is full. */
static void grow_bitmaps(struct arena *arena, struct table *table)
{
	size_t count = table->needles.count * table->stride;

	for (unsigned kind = 0; kind < WINDOW_KINDS; kind++) {
		struct bitmap *bitmap = &table->bitmaps[kind];

		if (bitmap->count <= bitmap->capacity)
			continue;
		*bitmap = bitmap_new(arena, bitmap->count * 2);
		for (uint32_t window = 0; window < count; window++)
			if (kind_of(bytes_of(table, window)) == kind)
				bitmap_add(bitmap, bytes_of(table, window));
	}
}

/* The needle of this very text, or null. */
static const struct needle *look_up(const struct table *table, sv text)
{
	uintptr_t number = (uintptr_t)map_get(&table->numbers, text);

	return number ? &table->needles.items[number - 1] : NULL;
}

static const struct needle *find_needle(const struct leak_scanner *scanner, sv text)
{
	return look_up(text.len >= LONG_NEEDLE ? &scanner->long_ones : &scanner->short_ones, text);
}

/* text is copied. */
static void add_part(struct leak_scanner *scanner, const struct secret *secret, sv text,
                     const char *form, const sv *line)
{
	struct table *table = text.len >= LONG_NEEDLE ? &scanner->long_ones : &scanner->short_ones;

	if (text.len < WINDOW || find_needle(scanner, text))
		return;
	text = arena_dup(scanner->arena, text);
	VEC_PUSH(scanner->arena, &table->needles,
	         ((struct needle){.text = text, .secret = secret, .form = form, .line = line}));
	map_put(&table->numbers, text, (void *)(uintptr_t)table->needles.count); /* NOLINT */
	size_t last = first_window(table, text) + table->stride - 1;
	if (table->last_offset < last)
		table->last_offset = last;
	if (table->needles.count * table->stride > table->capacity)
		rebuild_index(scanner->arena, table,
		              table->capacity ? table->capacity * 2 : MIN_WINDOWS);
	else
		index_needle(table, (uint32_t)table->needles.count - 1);
	grow_bitmaps(scanner->arena, table);
}

void leak_scanner_expect(struct leak_scanner *scanner, size_t tokens)
{
	struct table *table = &scanner->long_ones;
	size_t needles = table->needles.count + tokens * NEEDLES_PER_TOKEN;

	if (needles * table->stride <= table->capacity)
		return;
	struct needle *items = ARENA_ARRAY(scanner->arena, struct needle, needles);
	if (table->needles.count > 0)
		memcpy(items, table->needles.items, table->needles.count * sizeof(*items));
	table->needles.items = items;
	table->needles.cap = needles;
	map_expect(&table->numbers, needles);
	rebuild_index(scanner->arena, table, needles * table->stride);
}

static void add_needle(struct leak_scanner *scanner, const struct secret *secret, sv text,
                       const char *form)
{
	add_part(scanner, secret, text, form, NULL);
}

/* ---- needles ----------------------------------------------------------------------------- */

/*
 * Returns the characters of base64 that depend on text alone, if `before` bytes precede it in its
 * group of three.
 */
static sv base64_inside(struct arena *arena, enum base64_kind kind, sv text, size_t before)
{
	static const size_t undecided[] = {0, 2, 3};
	sv padded = ARENA_CONCAT(arena, sv_slice(SV("\0\0"), 0, before), text);
	sv encoded = base64_encode(arena, kind, padded);

	return sv_slice(encoded, undecided[before], padded.len * 8 / 6);
}

static void add_base64(struct arena *scratch, struct leak_scanner *scanner,
                       const struct secret *secret, sv text)
{
	for (size_t before = 0; before < 3; before++) {
		sv inner = base64_inside(scratch, BASE64_STD, text, before);

		add_needle(scanner, secret, inner, "in base64");
		add_needle(scanner, secret, base64_inside(scratch, BASE64_URL, text, before),
		           "in URL-safe base64");
		for (size_t outer = 0; outer < 3; outer++)
			add_needle(scanner, secret,
			           base64_inside(scratch, BASE64_STD, inner, outer),
			           "in base64 of base64");
	}
}

/* As between single quotes of a shell: each quote leaves them. */
static sv shell_quoted(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'')
			BUF_ADD_LIT(&buf, "'\\''");
		else
			buf_add_char(&buf, text.ptr[i]);
	}
	return buf_sv(&buf);
}

/* As between single quotes of YAML: each quote twice. */
static sv yaml_single_quoted(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < text.len; i++) {
		buf_add_char(&buf, text.ptr[i]);
		if (text.ptr[i] == '\'')
			buf_add_char(&buf, '\'');
	}
	return buf_sv(&buf);
}

/* As between double quotes of YAML (YAML 1.2 section 5.7), with the short escapes. */
static sv yaml_double_quoted(struct arena *arena, sv text)
{
	static const char bytes[] = "\a\b\t\n\v\f\r\x1b\"\\";
	static const char letters[] = "abtnvfre\"\\";
	struct buf buf = buf_in(arena);
	size_t width;

	for (; text.len > 0; text = sv_from_offset(text, width)) {
		uint32_t rune = utf8_decode(text, &width);
		const char *known =
		    width == 1 && *text.ptr != '\0' ? strchr(bytes, *text.ptr) : NULL;

		if (known)
			buf_printf(&buf, "\\%c", letters[known - bytes]);
		else if (rune == 0x85 || rune == 0xA0)
			buf_add(&buf, rune == 0x85 ? SV("\\N") : SV("\\_"));
		else if (rune == 0x2028 || rune == 0x2029)
			buf_add(&buf, rune == 0x2028 ? SV("\\L") : SV("\\P"));
		else if (rune == 0)
			BUF_ADD_LIT(&buf, "\\0");
		else if (rune < 0x20 || rune == 0x7F)
			buf_printf(&buf, "\\x%02X", rune);
		else
			buf_add(&buf, sv_slice(text, 0, width));
	}
	return buf_sv(&buf);
}

static sv json_inside(struct arena *arena, sv text, unsigned flags)
{
	struct buf buf = buf_in(arena);

	json_emit_string(&buf, text, flags);
	return sv_slice(buf_sv(&buf), 1, buf.len - 1);
}

static void add_escaped(struct arena *arena, struct leak_scanner *scanner,
                        const struct secret *secret, sv text)
{
	sv quoted = go_strconv_quote(arena, text);
	struct buf data_url = buf_in(arena);

	data_url_add(&data_url, text);
	add_needle(scanner, secret, go_url_query_escape(arena, text), "percent-encoded");
	add_needle(scanner, secret, go_url_path_escape(arena, text), "percent-encoded");
	add_needle(scanner, secret, sv_from_offset(buf_sv(&data_url), sizeof("data:,") - 1),
	           "percent-encoded");
	add_needle(scanner, secret, json_inside(arena, text, 0), "with JSON escapes");
	add_needle(scanner, secret, json_inside(arena, text, JSON_ESCAPE_HTML),
	           "with JSON escapes");
	add_needle(scanner, secret, sv_slice(quoted, 1, quoted.len - 1), "quoted");
	add_needle(scanner, secret, shell_quoted(arena, text), "quoted for a shell");
	add_needle(scanner, secret, yaml_single_quoted(arena, text), "in YAML's quotes");
	add_needle(scanner, secret, yaml_double_quoted(arena, text), "in YAML's quotes");
}

/* A line that is a file's only one is written as a scalar: in quotes where it needs them. */
static void add_lines(struct arena *scratch, struct leak_scanner *scanner,
                      const struct secret *secret, sv text)
{
	static const char form[] = "line by line";
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		line = sv_trim_space(line);
		if (!secrecy_is_long_line(line) || find_needle(scanner, line))
			continue;
		sv *kept = ARENA_NEW(scanner->arena, sv);
		*kept = arena_dup(scanner->arena, line);
		add_part(scanner, secret, line, form, kept);
		if (sv_find_char(line, '"') == SV_NPOS && sv_find_char(line, '\\') == SV_NPOS &&
		    sv_find_char(line, '\'') == SV_NPOS)
			continue;
		add_part(scanner, secret, json_inside(scratch, line, 0), form, kept);
		add_part(scanner, secret, yaml_double_quoted(scratch, line), form, kept);
		add_part(scanner, secret, yaml_single_quoted(scratch, line), form, kept);
	}
}

/* The secret's own text: where it is a needle so are its other forms. */
static const char in_clear[] = "in clear";

static bool is_looked_for(const struct leak_scanner *scanner, sv text)
{
	for (; scanner; scanner = scanner->parent) {
		const struct needle *needle = find_needle(scanner, text);

		if (needle && needle->form == in_clear)
			return true;
	}
	return false;
}

static void add_forms(struct arena *scratch, struct leak_scanner *scanner,
                      const struct secret *secret, sv text)
{
	add_needle(scanner, secret, text, in_clear);
	add_base64(scratch, scanner, secret, text);
	add_escaped(scratch, scanner, secret, text);
	if (sv_find_char(text, '\n') != SV_NPOS)
		add_lines(scratch, scanner, secret, text);
}

void leak_scanner_add_text(struct leak_scanner *scanner, const struct secret *secret)
{
	add_needle(scanner, secret, secret->text, in_clear);
}

bool leak_scanner_add(struct arena *scratch, struct leak_scanner *scanner,
                      const struct secret *secret)
{
	/* White space around a secret comes and goes on its way. */
	sv text = sv_trim_space(secret->text);

	if (text.len < LEAK_MIN_SIZE)
		return false;
	if (is_looked_for(scanner, text))
		return true;
	struct value stored = value_string(text);

	add_forms(scratch, scanner, secret, text);
	/* JSON stores U+FFFD for each byte that is not UTF-8. */
	stored = text_valid_utf8(scratch, &stored);
	if (!sv_eq(stored.string, text))
		add_forms(scratch, scanner, secret, stored.string);
	return true;
}

/* ---- looking ----------------------------------------------------------------------------- */

/* The leak that begins first, of those the longest. */
struct best {
	const struct needle *needle; /* null until one is found */
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

static bool is_public(const struct leak_scanner *scanner, const struct needle *needle)
{
	return scanner->passes &&
	       scanner->passes(scanner->lines,
	                       needle->line ? *needle->line : sv_trim_space(needle->secret->text));
}

/* An input that is scanned from an offset on. */
struct look {
	const struct leak_scanner *scanner; /* whose secrets, and its parents', are looked for */
	sv text;
	size_t from;
	struct leak_effort *effort;
};

/* Tries the needles that have the window at `at` and are complete around it, from `from` on. */
static void try_needles(const struct table *table, const struct look *look, size_t at,
                        struct best *best)
{
	sv text = look->text;

	for (uint32_t n = *find_slot(table, window_at(text.ptr + at)); n != 0;
	     n = table->next[n - 1]) {
		size_t length = needle_of(table, n - 1)->text.len;
		size_t offset = offset_of(table, n - 1);

		if (at - look->from < offset || text.len - (at - offset) < length)
			continue;
		if (!spend(look->effort, 1 + length / WINDOW))
			return;
		size_t start = at - offset;
		const struct needle *needle = look_up(table, sv_slice(text, start, start + length));
		if (!needle || is_public(look->scanner, needle))
			continue;
		if (!best->needle || start < best->offset ||
		    (start == best->offset && needle->text.len > best->needle->text.len))
			*best = (struct best){needle, start};
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
static void fetch_words(const struct table *table, const char *at, size_t count,
                        struct probe probes[static WINDOWS_AT_ONCE])
{
	for (size_t i = 0; i < count; i++) {
		uint64_t window = window_at(at + i * table->stride);
		uint64_t hash = hash_of(window);
		const struct bitmap *bitmap = &table->bitmaps[kind_of(window)];

		probes[i].word = &bitmap->words[hash >> (64 - bitmap->words_log2)];
		probes[i].bits = bits_of(hash);
		__builtin_prefetch(probes[i].word);
	}
}

/*
 * Looks at `count` windows from `at` on, at most WINDOWS_AT_ONCE. Returns how many of them it has
 * looked at: less than `count` if nothing better can follow, or if the effort is over.
 */
static size_t find_in_windows(const struct table *table, const struct look *look, size_t at,
                              size_t count, struct best *best)
{
	struct probe probes[WINDOWS_AT_ONCE];

	fetch_words(table, look->text.ptr + at, count, probes);
	for (size_t i = 0; i < count; i++, at += table->stride) {
		if (~*probes[i].word & probes[i].bits)
			continue;
		/* A needle that begins earlier may have its windows later. */
		if (best->needle && at > best->offset + table->last_offset)
			return i;
		try_needles(table, look, at, best);
		if (look->effort && look->effort->is_over)
			return i;
	}
	return count;
}

static void find_in_table(const struct table *table, const struct look *look, struct best *best)
{
	size_t size = look->from < look->text.len ? look->text.len - look->from : 0;
	size_t count = size < WINDOW ? 0 : (size - WINDOW) / table->stride + 1;
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
	if (best.needle)
		*ret_leak = (struct leak){
		    .secret = best.needle->secret,
		    .form = best.needle->form,
		    .offset = best.offset,
		    .line = best.needle->line ? *best.needle->line : SV(""),
		};
	return best.needle != NULL;
}
