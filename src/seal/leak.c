/*
 * The leak scan. Each secret gives a set of needles, the texts it would have if some encoder wrote
 * it. All needles are looked for at once: the eight bytes at each place go through a bitmap that
 * says "surely none" nearly always, then through a hash table of the needles' first eight bytes.
 */
#include "seal/seal.h"

#include "codec/codec.h"
#include "json/json.h"

enum {
	WINDOW = LEAK_MIN_SIZE,
	MIN_LINE = 16,        /* shorter lines of a secret text are likely to be anybody's */
	BITS_PER_NEEDLE = 64, /* of the bitmap: one place in 64 is looked at twice */
	MIN_BITS_LOG2 = 14,
	MIN_SLOTS_LOG2 = 8,
};

struct needle {
	sv text;
	const struct secret *secret;
	const char *form;
	uint32_t next; /* number + 1 of another needle with the same first bytes, 0 for none */
};

struct leak_scanner {
	struct arena *arena;
	const struct leak_scanner *parent;
	VEC(struct needle) needles;
	uint64_t *bitmap;
	unsigned bits_log2;
	uint32_t *slots; /* needle number + 1 by hash of the window; 0 is free */
	unsigned slots_log2;
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
	return scanner;
}

/* The slot of the window: of its needles, or the free one where they belong. */
static uint32_t *find_slot(const struct leak_scanner *scanner, uint64_t window)
{
	size_t mask = ((size_t)1 << scanner->slots_log2) - 1;
	size_t at = (size_t)(hash_of(window) >> (64 - scanner->slots_log2));

	while (scanner->slots[at] != 0) {
		const struct needle *needle = &scanner->needles.items[scanner->slots[at] - 1];

		if (window_at(needle->text.ptr) == window)
			break;
		at = (at + 1) & mask;
	}
	return &scanner->slots[at];
}

static void index_needle(struct leak_scanner *scanner, uint32_t number)
{
	struct needle *needle = &scanner->needles.items[number];
	uint64_t window = window_at(needle->text.ptr);
	uint64_t bit = hash_of(window) >> (64 - scanner->bits_log2);
	uint32_t *slot = find_slot(scanner, window);

	scanner->bitmap[bit >> 6] |= (uint64_t)1 << (bit & 63);
	needle->next = *slot;
	*slot = number + 1;
}

/* Makes bitmap and table large enough for as many needles again. */
static void rebuild_index(struct leak_scanner *scanner)
{
	size_t wanted = scanner->needles.count * 2;

	scanner->bits_log2 = MIN_BITS_LOG2;
	while (((size_t)1 << scanner->bits_log2) < wanted * BITS_PER_NEEDLE)
		scanner->bits_log2++;
	scanner->slots_log2 = MIN_SLOTS_LOG2;
	while (((size_t)1 << scanner->slots_log2) < wanted * 2)
		scanner->slots_log2++;
	scanner->bitmap =
	    ARENA_ARRAY(scanner->arena, uint64_t, (size_t)1 << (scanner->bits_log2 - 6));
	scanner->slots = ARENA_ARRAY(scanner->arena, uint32_t, (size_t)1 << scanner->slots_log2);
	for (uint32_t i = 0; i < scanner->needles.count; i++)
		index_needle(scanner, i);
}

static bool is_known(const struct leak_scanner *scanner, sv text)
{
	if (scanner->needles.count == 0)
		return false;
	for (uint32_t n = *find_slot(scanner, window_at(text.ptr)); n != 0;
	     n = scanner->needles.items[n - 1].next)
		if (sv_eq(scanner->needles.items[n - 1].text, text))
			return true;
	return false;
}

/* text must live in the scanner's arena, or as long as the secret. */
static void add_needle(struct leak_scanner *scanner, const struct secret *secret, sv text,
                       const char *form)
{
	if (text.len < WINDOW || is_known(scanner, text))
		return;
	VEC_PUSH(scanner->arena, &scanner->needles,
	         ((struct needle){.text = text, .secret = secret, .form = form}));
	/* Never more than half full. */
	if (!scanner->slots || scanner->needles.count * 2 > (size_t)1 << scanner->slots_log2)
		rebuild_index(scanner);
	else
		index_needle(scanner, (uint32_t)scanner->needles.count - 1);
}

/*
 * The characters of base64 that text alone decides when `before` bytes precede it in its group of
 * three, whatever stands around it.
 */
static sv base64_inside(struct arena *arena, enum base64_kind kind, sv text, size_t before)
{
	static const size_t undecided[] = {0, 2, 3};
	sv padded = ARENA_CONCAT(arena, sv_slice(SV("\0\0"), 0, before), text);
	sv encoded = base64_encode(arena, kind, padded);

	return sv_slice(encoded, undecided[before], padded.len * 8 / 6);
}

static void add_base64(struct leak_scanner *scanner, const struct secret *secret, sv text)
{
	for (size_t before = 0; before < 3; before++) {
		sv inner = base64_inside(scanner->arena, BASE64_STD, text, before);

		add_needle(scanner, secret, inner, "in base64");
		add_needle(scanner, secret, base64_inside(scanner->arena, BASE64_URL, text, before),
		           "in URL-safe base64");
		for (size_t outer = 0; outer < 3; outer++)
			add_needle(scanner, secret,
			           base64_inside(scanner->arena, BASE64_STD, inner, outer),
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

static sv json_inside(struct arena *arena, sv text, unsigned flags)
{
	struct buf buf = buf_in(arena);

	json_emit_string(&buf, text, flags);
	return sv_slice(buf_sv(&buf), 1, buf.len - 1);
}

static void add_escaped(struct leak_scanner *scanner, const struct secret *secret, sv text)
{
	struct arena *arena = scanner->arena;
	sv quoted = strconv_quote(arena, text);
	struct buf data_url = buf_in(arena);

	data_url_add(&data_url, text);
	add_needle(scanner, secret, url_query_escape(arena, text), "percent-encoded");
	add_needle(scanner, secret, url_path_escape(arena, text), "percent-encoded");
	add_needle(scanner, secret, sv_from_offset(buf_sv(&data_url), sizeof("data:,") - 1),
	           "percent-encoded");
	add_needle(scanner, secret, json_inside(arena, text, 0), "with JSON escapes");
	add_needle(scanner, secret, json_inside(arena, text, JSON_ESCAPE_HTML),
	           "with JSON escapes");
	add_needle(scanner, secret, sv_slice(quoted, 1, quoted.len - 1), "quoted");
	add_needle(scanner, secret, shell_quoted(arena, text), "quoted for a shell");
}

static void add_lines(struct leak_scanner *scanner, const struct secret *secret, sv text)
{
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		line = sv_trim_space(line);
		/* The marks of a PEM block are public words. */
		if (line.len >= MIN_LINE && !sv_starts_with(line, SV("-----")))
			add_needle(scanner, secret, line, "line by line");
	}
}

bool leak_scanner_add(struct leak_scanner *scanner, const struct secret *secret)
{
	/* White space around a secret comes and goes on its way. */
	sv text = sv_trim_space(secret->text);

	if (text.len < LEAK_MIN_SIZE)
		return false;
	add_needle(scanner, secret, text, "in clear");
	add_base64(scanner, secret, text);
	add_escaped(scanner, secret, text);
	if (sv_find_char(text, '\n') != SV_NPOS)
		add_lines(scanner, secret, text);
	return true;
}

/* The longest needle of the window's that stands there. */
static const struct needle *needle_at(const struct leak_scanner *scanner, sv text, size_t at,
                                      uint64_t window)
{
	const struct needle *found = NULL;

	for (uint32_t n = *find_slot(scanner, window); n != 0;
	     n = scanner->needles.items[n - 1].next) {
		const struct needle *needle = &scanner->needles.items[n - 1];

		if (sv_eq(sv_slice(text, at, at + needle->text.len), needle->text) &&
		    (!found || needle->text.len > found->text.len))
			found = needle;
	}
	return found;
}

static bool find_own(const struct leak_scanner *scanner, sv text, size_t from,
                     struct leak *ret_leak)
{
	const uint64_t *bitmap = scanner->bitmap;
	unsigned shift = 64 - scanner->bits_log2;

	if (scanner->needles.count == 0)
		return false;
	for (size_t i = from; i + WINDOW <= text.len; i++) {
		uint64_t window = window_at(text.ptr + i);
		uint64_t bit = hash_of(window) >> shift;

		if (!(bitmap[bit >> 6] >> (bit & 63) & 1))
			continue;
		const struct needle *needle = needle_at(scanner, text, i, window);

		if (needle) {
			*ret_leak = (struct leak){needle->secret, needle->form, i};
			return true;
		}
	}
	return false;
}

bool leak_scanner_find(const struct leak_scanner *scanner, sv text, size_t from,
                       struct leak *ret_leak)
{
	struct leak leak;
	bool found = false;

	for (; scanner; scanner = scanner->parent) {
		if (find_own(scanner, text, from, &leak) &&
		    (!found || leak.offset < ret_leak->offset)) {
			*ret_leak = leak;
			found = true;
		}
	}
	return found;
}

enum status leak_scanner_check(const struct leak_scanner *scanner, struct sink *sink, sv file,
                               sv text)
{
	VEC(const struct secret *) reported = {0};
	enum status status = STATUS_OK;
	struct leak leak;

	for (size_t from = 0; leak_scanner_find(scanner, text, from, &leak);
	     from = leak.offset + 1) {
		bool again = false;

		status = STATUS_FAILED;
		VEC_EACH (secret, &reported)
			again = again || *secret == leak.secret;
		if (again)
			continue;
		VEC_PUSH(sink->arena, &reported, leak.secret);
		struct diag *diag =
		    diag_report(sink, DIAG_SECRET_LEAK, NOWHERE,
		                "%.*s would hold the secret %.*s %s, at byte %zu", SV_ARG(file),
		                SV_ARG(leak.secret->name), leak.form, leak.offset);

		diag_set_help(
		    sink, diag,
		    "find the template or field that writes it there; nothing was written");
	}
	return status;
}
