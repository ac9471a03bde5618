/*
 * Tables of aligned columns, for people.
 */
#include "report/render.h"

enum { GAP = 2 }; /* blanks between two columns */

static sv shown(struct arena *arena, sv text)
{
	struct buf cell = buf_in(arena);

	report_add_visible(&cell, text);
	return cell.len > 0 ? buf_sv(&cell) : SV("-");
}

static void add_row(struct buf *buf, const sv *cells, const size_t *widths, size_t columns)
{
	for (size_t column = 0; column < columns; column++) {
		buf_add(buf, cells[column]);
		if (column + 1 < columns)
			buf_add_repeat(buf, ' ', widths[column] - cells[column].len + GAP);
	}
}

struct render_lines render_table_lines(struct arena *arena, const char *const *titles,
                                       size_t columns, const sv *texts, size_t rows)
{
	sv *cells = ARENA_ARRAY(arena, sv, (rows + 1) * columns);
	size_t *widths = ARENA_ARRAY(arena, size_t, columns);
	struct render_lines lines = {0};

	for (size_t row = 0; row <= rows; row++) {
		for (size_t column = 0; column < columns; column++) {
			sv *cell = &cells[row * columns + column];

			*cell = row == 0 ? sv_from_cstr(titles[column])
			                 : shown(arena, texts[(row - 1) * columns + column]);
			if (cell->len > widths[column])
				widths[column] = cell->len;
		}
	}
	for (size_t row = 0; row <= rows; row++) {
		struct buf line = buf_in(arena);

		add_row(&line, &cells[row * columns], widths, columns);
		VEC_PUSH(arena, &lines, buf_sv(&line));
	}
	return lines;
}

void report_add_table(struct buf *buf, const char *const *titles, size_t columns, const sv *texts,
                      size_t rows, const struct report_style *style)
{
	struct render_lines lines = render_table_lines(buf->arena, titles, columns, texts, rows);

	render_color_on(buf, style, RENDER_BOLD);
	buf_add(buf, lines.items[0]);
	render_color_off(buf, style);
	buf_add_char(buf, '\n');
	for (size_t row = 1; row <= rows; row++) {
		buf_add(buf, lines.items[row]);
		buf_add_char(buf, '\n');
	}
}
