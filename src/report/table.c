/*
 * Tables of aligned columns, for people.
 */
#include "report/render.h"

enum { GAP = 2 }; /* blanks between two columns */
enum { MOST_COLUMNS = 32 };

static sv shown(struct arena *arena, sv text)
{
	struct buf cell = buf_in(arena);

	report_add_visible(&cell, text);
	return cell.len > 0 ? buf_sv(&cell) : SV("-");
}

/* Returns the columns that a cell takes on a terminal, without the codes of colours. */
static size_t width_of(sv cell)
{
	size_t width = 0;

	while (!sv_empty(cell)) {
		size_t bytes = 1;

		if (cell.ptr[0] == '\x1b')
			bytes += sv_find_char(cell, 'm');
		else
			width += render_columns(utf8_decode(cell, &bytes));
		cell = sv_from_offset(cell, bytes);
	}
	return width;
}

/* Appends the lines if `buf` is not null. Else sets the widths of columns that others follow. */
static void lay_out(struct buf *buf, sv text, size_t widths[MOST_COLUMNS])
{
	struct sv_splitter lines = sv_split(text, '\n');
	bool is_first = true;
	sv rest;
	sv cell = {0};

	while (sv_split_next(&lines, &rest)) {
		if (buf && !is_first)
			buf_add_char(buf, '\n');
		is_first = false;
		for (size_t column = 0; sv_cut(rest, SV("\t"), &cell, &rest); column++) {
			size_t width = width_of(cell);

			if (column == MOST_COLUMNS)
				BUG("a table has too many columns");
			if (!buf) {
				widths[column] = width > widths[column] ? width : widths[column];
				continue;
			}
			buf_add(buf, cell);
			buf_add_repeat(buf, ' ', widths[column] - width + GAP);
		}
		if (buf)
			buf_add(buf, cell);
	}
}

void render_table(struct buf *buf, sv text)
{
	size_t widths[MOST_COLUMNS] = {0};

	lay_out(NULL, text, widths);
	lay_out(buf, text, widths);
}

struct render_lines render_table_lines(struct arena *arena, const char *const *titles,
                                       size_t columns, const sv *texts, size_t rows)
{
	struct render_lines lines = {0};
	struct buf text = buf_in(arena);
	struct buf table = buf_in(arena);
	sv line;

	for (size_t column = 0; column < columns; column++)
		buf_printf(&text, "%s%s", column ? "\t" : "", titles[column]);
	for (size_t i = 0; i < rows * columns; i++) {
		buf_add_char(&text, i % columns ? '\t' : '\n');
		buf_add(&text, shown(arena, texts[i]));
	}
	render_table(&table, buf_sv(&text));
	struct sv_splitter split = sv_split(buf_sv(&table), '\n');
	while (sv_split_next(&split, &line))
		VEC_PUSH(arena, &lines, line);
	return lines;
}
