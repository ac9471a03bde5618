/*
 * Unified diffs. Common lines at both ends are skipped; the middle is compared by Myers' greedy
 * forward algorithm (An O(ND) Difference Algorithm, 1986), which keeps its trace.
 */
#include "report/render.h"

#define CONTEXT_LINES 3
/* With more changed lines the middle is shown as replaced: the trace grows by their square. */
#define MAX_EDITS 1500

struct lines {
	sv *items; /* with their line breaks */
	uint32_t *ids;
	size_t count;
};

enum edit { EDIT_KEEP, EDIT_REMOVE, EDIT_ADD };

/* The edits that turn the old text into the new one; EDIT_KEEP is a line of both. */
VEC_TYPE(script, enum edit);

static struct lines split_lines(struct arena *arena, sv text, struct map *known)
{
	VEC(sv) lines = {0};
	struct lines result;

	while (text.len > 0) {
		size_t end = sv_find_char(text, '\n');
		size_t length = end == SV_NPOS ? text.len : end + 1;

		VEC_PUSH(arena, &lines, sv_slice(text, 0, length));
		text = sv_from_offset(text, length);
	}
	result =
	    (struct lines){lines.items, ARENA_ARRAY(arena, uint32_t, lines.count), lines.count};
	for (size_t i = 0; i < lines.count; i++) {
		void *id = map_get(known, lines.items[i]);

		if (!id) {
			id = (void *)(uintptr_t)(known->count + 1);
			map_put(known, lines.items[i], id);
		}
		result.ids[i] = (uint32_t)(uintptr_t)id;
	}
	return result;
}

static void push_many(struct arena *arena, struct script *script, enum edit edit, size_t count)
{
	for (size_t i = 0; i < count; i++)
		VEC_PUSH(arena, script, edit);
}

/*
 * trace[d] holds, for the diagonals -d..d (x - y, in steps of two), how far x got with d edits.
 * Walks it back from (x, y), which yields the script in reverse.
 */
static void walk_back(struct arena *arena, int32_t *const *trace, int32_t edits, int32_t x,
                      int32_t y, struct script *script)
{
	struct script reversed = {0};

	for (int32_t d = edits; d > 0; d--) {
		const int32_t *before = trace[d - 1] + (d - 1);
		int32_t k = x - y;
		bool down = k == -d || (k != d && before[k - 1] < before[k + 1]);
		int32_t from_k = down ? k + 1 : k - 1;
		int32_t from_x = before[from_k];
		int32_t from_y = from_x - from_k;

		while (x > from_x + !down && y > from_y + down) {
			VEC_PUSH(arena, &reversed, EDIT_KEEP);
			x--;
			y--;
		}
		VEC_PUSH(arena, &reversed, down ? EDIT_ADD : EDIT_REMOVE);
		x = from_x;
		y = from_y;
	}
	push_many(arena, &reversed, EDIT_KEEP, (size_t)x);
	for (size_t i = reversed.count; i > 0; i--)
		VEC_PUSH(arena, script, reversed.items[i - 1]);
}

/* Compares the middle parts; returns false if they differ in more than MAX_EDITS lines. */
static bool compare_middle(struct arena *arena, const uint32_t *a, size_t a_count,
                           const uint32_t *b, size_t b_count, struct script *script)
{
	int32_t n = (int32_t)a_count;
	int32_t m = (int32_t)b_count;
	int32_t limit = a_count + b_count < MAX_EDITS ? n + m : MAX_EDITS;
	int32_t **trace = ARENA_ARRAY(arena, int32_t *, (size_t)limit + 1);

	for (int32_t d = 0; d <= limit; d++) {
		int32_t *reach = ARENA_ARRAY(arena, int32_t, (size_t)d * 2 + 1);
		int32_t *here = reach + d;

		trace[d] = reach;
		for (int32_t k = -d; k <= d; k += 2) {
			const int32_t *before = d > 0 ? trace[d - 1] + (d - 1) : NULL;
			int32_t x = 0;

			if (d > 0 && (k == -d || (k != d && before[k - 1] < before[k + 1])))
				x = before[k + 1];
			else if (d > 0)
				x = before[k - 1] + 1;
			int32_t y = x - k;
			while (x < n && y < m && a[x] == b[y]) {
				x++;
				y++;
			}
			here[k] = x;
			if (x >= n && y >= m) {
				walk_back(arena, trace, d, n, m, script);
				return true;
			}
		}
	}
	return false;
}

static struct script compare(struct arena *arena, const struct lines *a, const struct lines *b)
{
	struct script script = {0};
	size_t shorter = a->count < b->count ? a->count : b->count;
	size_t head = 0;
	size_t tail = 0;

	while (head < shorter && a->ids[head] == b->ids[head])
		head++;
	while (tail < shorter - head && a->ids[a->count - 1 - tail] == b->ids[b->count - 1 - tail])
		tail++;
	size_t a_count = a->count - head - tail;
	size_t b_count = b->count - head - tail;
	push_many(arena, &script, EDIT_KEEP, head);
	if (!compare_middle(arena, a->ids + head, a_count, b->ids + head, b_count, &script)) {
		push_many(arena, &script, EDIT_REMOVE, a_count);
		push_many(arena, &script, EDIT_ADD, b_count);
	}
	push_many(arena, &script, EDIT_KEEP, tail);
	return script;
}

/* ---- printing ---------------------------------------------------------------------------- */

static void add_line(struct buf *buf, char sign, sv line, const struct report_style *style)
{
	bool ended = sv_ends_with(line, SV("\n"));
	sv text = ended ? sv_slice(line, 0, line.len - 1) : line;
	struct sv_splitter parts = sv_split(secret_mask_apply(buf->arena, style->mask, text), '\t');
	bool first = true;
	sv part;

	if (sign != ' ')
		render_color_on(buf, style, sign == '+' ? RENDER_ADDED : RENDER_REMOVED);
	buf_add_char(buf, sign);
	/* Keep TABs: they are harmless, and the diff must show the line as it is. */
	while (sv_split_next(&parts, &part)) {
		buf_add(buf, first ? SV("") : SV("\t"));
		first = false;
		report_add_visible(buf, part);
	}
	if (sign != ' ')
		render_color_off(buf, style);
	buf_add_char(buf, '\n');
	if (!ended)
		BUF_ADD_LIT(buf, "\\ No newline at end of file\n");
}

void render_diff_line(struct buf *buf, sv line, const struct report_style *style)
{
	bool is_place = sv_starts_with(line, SV("@@"));

	if (is_place)
		render_color_on(buf, style, RENDER_NOTE);
	if (sv_empty(line) || is_place || !strchr(" +-", line.ptr[0])) {
		render_text(buf, style, line);
		buf_add_char(buf, '\n');
	} else {
		add_line(buf, line.ptr[0],
		         ARENA_CONCAT(buf->arena, sv_from_offset(line, 1), SV("\n")), style);
	}
	if (is_place)
		render_color_off(buf, style);
}

struct hunk {
	size_t from; /* steps of the script: [from, to) */
	size_t to;
	size_t a_line; /* number of the old text's lines before it */
	size_t b_line;
};

static void add_range(struct buf *buf, char sign, size_t before, size_t count)
{
	/* An empty range has the number of the line before it. */
	buf_printf(buf, "%c%zu", sign, count ? before + 1 : before);
	if (count != 1)
		buf_printf(buf, ",%zu", count);
}

static sv take_line(const struct lines *lines, size_t *at)
{
	BUG_ON(!lines->items || *at >= lines->count);
	return lines->items[(*at)++];
}

static void add_hunk(struct buf *buf, const struct script *script, const struct hunk *hunk,
                     const struct lines *a, const struct lines *b, const struct report_style *style)
{
	size_t a_count = 0;
	size_t b_count = 0;
	size_t a_at = hunk->a_line;
	size_t b_at = hunk->b_line;

	for (size_t i = hunk->from; i < hunk->to; i++) {
		a_count += script->items[i] != EDIT_ADD;
		b_count += script->items[i] != EDIT_REMOVE;
	}
	render_color_on(buf, style, RENDER_NOTE);
	BUF_ADD_LIT(buf, "@@ ");
	add_range(buf, '-', a_at, a_count);
	buf_add_char(buf, ' ');
	add_range(buf, '+', b_at, b_count);
	BUF_ADD_LIT(buf, " @@");
	render_color_off(buf, style);
	buf_add_char(buf, '\n');
	for (size_t i = hunk->from; i < hunk->to; i++) {
		switch (script->items[i]) {
		case EDIT_KEEP:
			add_line(buf, ' ', take_line(a, &a_at), style);
			b_at++;
			break;
		case EDIT_REMOVE:
			add_line(buf, '-', take_line(a, &a_at), style);
			break;
		case EDIT_ADD:
			add_line(buf, '+', take_line(b, &b_at), style);
			break;
		}
	}
}

static void add_hunks(struct buf *buf, const struct script *script, const struct lines *a,
                      const struct lines *b, const struct report_style *style)
{
	size_t a_line = 0; /* number of the old text's lines before step i */
	size_t b_line = 0;
	size_t i = 0;

	while (i < script->count) {
		size_t kept = 0;

		while (i < script->count && script->items[i] == EDIT_KEEP)
			i++, kept++;
		if (i == script->count)
			return;
		size_t context = kept < CONTEXT_LINES ? kept : CONTEXT_LINES;
		a_line += kept;
		b_line += kept;
		struct hunk hunk = {i - context, i, a_line - context, b_line - context};
		/* Changes closer than twice the context are in one hunk. */
		for (kept = 0; i < script->count && kept <= 2 * CONTEXT_LINES; i++) {
			kept = script->items[i] == EDIT_KEEP ? kept + 1 : 0;
			a_line += script->items[i] != EDIT_ADD;
			b_line += script->items[i] != EDIT_REMOVE;
		}
		/* The kept lines at the end are context of this hunk, or of the next one. */
		i -= kept;
		a_line -= kept;
		b_line -= kept;
		hunk.to = i + (kept < CONTEXT_LINES ? kept : CONTEXT_LINES);
		add_hunk(buf, script, &hunk, a, b, style);
	}
}

static void add_path(struct buf *buf, const char *sign, sv path, const struct report_style *style)
{
	render_color_on(buf, style, RENDER_BOLD);
	buf_add_cstr(buf, sign);
	if (sv_empty(path))
		BUF_ADD_LIT(buf, "/dev/null");
	else
		report_add_visible(buf, path);
	render_color_off(buf, style);
	buf_add_char(buf, '\n');
}

void report_diff_sealed(struct buf *buf, sv old_path, sv new_path, const struct report_style *style)
{
	size_t start = buf->len;

	add_path(buf, "--- ", old_path, style);
	add_path(buf, "+++ ", new_path, style);
	BUF_ADD_LIT(buf, "@@ sealed values differ @@\n");
	report_defuse(buf, start);
}

void report_diff_text(struct arena *arena, struct buf *buf, sv old_path, sv old_text, sv new_path,
                      sv new_text, const struct report_style *style)
{
	struct map known = map_in(arena);
	size_t start = buf->len;

	if (sv_eq(old_text, new_text) && sv_empty(old_path) == sv_empty(new_path))
		return;
	struct lines a = split_lines(arena, old_text, &known);
	struct lines b = split_lines(arena, new_text, &known);
	struct script script = compare(arena, &a, &b);
	add_path(buf, "--- ", old_path, style);
	add_path(buf, "+++ ", new_path, style);
	add_hunks(buf, &script, &a, &b, style);
	report_defuse(buf, start);
}
