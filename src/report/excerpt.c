/*
 * Renders the source line under a diagnostic. Positions are bytes, but the terminal has columns:
 * TABs become spaces, wide characters take two columns, hidden ones are shown as escapes.
 */
#include "report/render.h"

#define TAB_WIDTH 4

/* A string that is shown for some bytes of the line. */
struct cell {
	size_t start; /* bytes of the line: [start, end) */
	size_t end;
	size_t columns;
	sv shown;
};

VEC_TYPE(cells, struct cell);

static void add_cell(struct arena *arena, struct cells *cells, struct cell cell)
{
	VEC_PUSH(arena, cells, cell);
}

static struct cell cell_of_rune(struct arena *arena, sv line, size_t at, size_t column)
{
	size_t width;
	uint32_t rune = utf8_decode(sv_from_offset(line, at), &width);
	sv bytes = sv_slice(line, at, at + width);
	struct buf shown = buf_in(arena);

	if (rune == '\t') {
		buf_add_repeat(&shown, ' ', TAB_WIDTH - column % TAB_WIDTH);
	} else if ((rune == UTF8_REPLACEMENT && width == 1) || render_is_hidden(rune)) {
		report_add_visible(&shown, bytes);
	} else if (at > 0 && render_is_command(line, at - 1)) {
		BUF_ADD_LIT(&shown, "\\x23");
	} else {
		return (struct cell){at, at + width, render_columns(rune), bytes};
	}
	return (struct cell){at, at + width, shown.len, buf_sv(&shown)};
}

/* Returns the line's bytes [from, to) as cells, with secrets masked. */
static struct cells cells_of(struct arena *arena, sv line, size_t from, size_t to,
                             const struct secret_mask *mask)
{
	struct cells cells = {0};
	size_t column = 0;
	size_t longest = secret_mask_longest(mask);
	size_t secret_start = SV_NPOS;
	size_t secret_end = SV_NPOS;
	size_t at = 0;
	/* No secret that begins in the window ends after this. */
	sv near = sv_slice(line, 0, line.len - to > longest ? to + longest : line.len);

	/* Find secrets that begin before the window, too. */
	if (!secret_mask_find(mask, near, from > longest ? from - longest : 0, &secret_start,
	                      &secret_end))
		secret_start = SV_NPOS;
	while (secret_start != SV_NPOS && secret_end <= from)
		if (!secret_mask_find(mask, near, secret_end, &secret_start, &secret_end))
			secret_start = SV_NPOS;
	at = secret_start < from ? secret_start : from;
	while (at < to) {
		struct cell cell;

		if (at == secret_start) {
			cell = (struct cell){at, secret_end, SECRET_MASKED.len, SECRET_MASKED};
			if (!secret_mask_find(mask, near, secret_end, &secret_start, &secret_end))
				secret_start = SV_NPOS;
		} else {
			cell = cell_of_rune(arena, line, at, column);
		}
		add_cell(arena, &cells, cell);
		column += cell.columns;
		at = cell.end;
	}
	return cells;
}

static bool is_marked(const struct cell *cell, size_t start, size_t end)
{
	return cell->start < end && cell->end > start;
}

/* Returns the start of the rune that has the byte at `at`. */
static size_t rune_start(sv line, size_t at)
{
	for (int i = 0; i < 3 && at > 0 && at < line.len; i++, at--)
		if (((unsigned char)line.ptr[at] & 0xC0) != 0x80)
			break;
	return at;
}

/* Chooses the cells [*ret_from, *ret_to) around the mark that fit into `width` columns. */
static void choose_window(const struct cells *cells, size_t mark_start, size_t width,
                          size_t *ret_from, size_t *ret_to)
{
	size_t mark = 0;
	size_t from;
	size_t to;
	size_t columns = 0;

	while (mark < cells->count && cells->items[mark].end <= mark_start)
		mark++;
	/* Use at most a third of the width before the mark, the rest after it. */
	for (from = mark; from > 0; from--) {
		if (columns + cells->items[from - 1].columns > width / 3)
			break;
		columns += cells->items[from - 1].columns;
	}
	for (to = from, columns = 0; to < cells->count; to++) {
		if (columns + cells->items[to].columns > width)
			break;
		columns += cells->items[to].columns;
	}
	/* Room left at the end: show more of what is before. */
	while (from > 0 && columns + cells->items[from - 1].columns <= width)
		columns += cells->items[--from].columns;
	*ret_from = from;
	*ret_to = to > from || to == cells->count ? to : from + 1;
}

static void add_gutter(struct buf *buf, const struct report_style *style, size_t digits,
                       size_t number)
{
	render_color_on(buf, style, RENDER_GUTTER);
	if (number)
		buf_printf(buf, "  %*zu |", (int)digits, number);
	else
		buf_printf(buf, "  %*s |", (int)digits, "");
	render_color_off(buf, style);
}

struct mark {
	size_t start; /* bytes of the line */
	size_t end;
};

static void add_line(struct buf *buf, const struct cells *cells, size_t from, size_t to,
                     bool cut_left, bool cut_right)
{
	struct buf line = buf_in(buf->arena);

	buf_add(&line, cut_left ? SV("...") : SV(""));
	for (size_t i = from; i < to; i++)
		buf_add(&line, cells->items[i].shown);
	buf_add(&line, cut_right ? SV("...") : SV(""));
	sv text = sv_trim_right(buf_sv(&line), " ");
	if (text.len > 0) {
		buf_add_char(buf, ' ');
		buf_add(buf, text);
	}
	buf_add_char(buf, '\n');
}

static void add_underline(struct buf *buf, const struct cells *cells, size_t from, size_t to,
                          bool cut_left, struct mark mark, const struct report_style *style)
{
	size_t before = cut_left ? 4 : 1;
	size_t marked = 0;

	for (size_t i = from; i < to; i++) {
		const struct cell *cell = &cells->items[i];

		if (is_marked(cell, mark.start, mark.end))
			marked += cell->columns;
		else if (cell->end <= mark.start)
			before += cell->columns;
	}
	buf_add_repeat(buf, ' ', before);
	render_color_on(buf, style, RENDER_ERROR);
	buf_add_char(buf, '^');
	buf_add_repeat(buf, '~', marked > 1 ? marked - 1 : 0);
	render_color_off(buf, style);
	buf_add_char(buf, '\n');
}

static size_t digits_of(size_t number)
{
	size_t digits = 1;

	for (; number >= 10; number /= 10)
		digits++;
	return digits;
}

void render_excerpt(struct buf *buf, struct position at, const struct report_style *style)
{
	struct line_column place = position_line_column(at);
	size_t width = style->width ? style->width : REPORT_DEFAULT_WIDTH;
	size_t digits = digits_of(place.line);

	if (place.line == 0)
		return;
	if (at.source->confidential) {
		buf_printf(buf, "  (the line is not shown: %s)\n",
		           at.source->suspected ? "it could hold a secret"
		                                : "this file holds secrets");
		return;
	}
	sv line = position_line(at);
	struct mark mark = {.start = place.column - 1};
	if (mark.start > line.len)
		mark.start = line.len;
	mark.end = at.length < line.len - mark.start ? mark.start + at.length : line.len;
	if (mark.end == mark.start)
		mark.end = mark.start + 1;

	/* A line may have megabytes (JSON in one line): read only the part around the mark. */
	size_t reach = width * 4;
	size_t from = rune_start(line, mark.start > reach ? mark.start - reach : 0);
	size_t to = line.len - mark.start > reach ? rune_start(line, mark.start + reach) : line.len;
	struct cells cells = cells_of(buf->arena, line, from, to, style->mask);
	size_t room = width > digits + 12 ? width - digits - 12 : 1; /* gutter and two "..." */
	size_t first;
	size_t end;
	choose_window(&cells, mark.start, room, &first, &end);
	bool cut_left = first > 0 || from > 0;
	bool cut_right = end < cells.count || to < line.len;

	add_gutter(buf, style, digits, 0);
	buf_add_char(buf, '\n');
	add_gutter(buf, style, digits, place.line);
	add_line(buf, &cells, first, end, cut_left, cut_right);
	add_gutter(buf, style, digits, 0);
	add_underline(buf, &cells, first, end, cut_left, mark, style);
}
