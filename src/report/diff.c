/*
 * Prints unified diffs; git/ compares the lines.
 */
#include "report/render.h"

#include "git/git.h"

void report_diff_line(struct buf *buf, char sign, sv line, const struct report_style *style)
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

static void add_range(struct buf *buf, char sign, size_t line, size_t count)
{
	buf_printf(buf, "%c%zu", sign, line);
	if (count != 1)
		buf_printf(buf, ",%zu", count);
}

static void add_hunk(struct buf *buf, const struct git_hunk *hunk, const struct report_style *style)
{
	render_color_on(buf, style, RENDER_NOTE);
	BUF_ADD_LIT(buf, "@@ ");
	add_range(buf, '-', hunk->old_line, hunk->old_count);
	buf_add_char(buf, ' ');
	add_range(buf, '+', hunk->new_line, hunk->new_count);
	BUF_ADD_LIT(buf, " @@");
	render_color_off(buf, style);
	buf_add_char(buf, '\n');
	VEC_EACH (line, &hunk->lines)
		report_diff_line(buf, line->sign, line->text, style);
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

/* Appends the lines with the paths; returns where the hunks begin. */
static size_t add_paths(struct buf *buf, sv old_path, sv new_path, const struct report_style *style)
{
	size_t start = buf->len;

	add_path(buf, "--- ", old_path, style);
	add_path(buf, "+++ ", new_path, style);
	report_defuse(buf, start);
	return buf->len;
}

size_t report_diff_sealed(struct buf *buf, sv old_path, sv new_path, bool same_clear_text,
                          const struct report_style *style)
{
	size_t hunks = add_paths(buf, old_path, new_path, style);

	buf_add(buf, same_clear_text ? SV("@@ sealed anew, with the same clear text @@\n")
	                             : SV("@@ sealed values differ @@\n"));
	return hunks;
}

size_t report_diff_text(struct arena *arena, struct buf *buf, sv old_path, sv old_text, sv new_path,
                        sv new_text, const struct report_style *style)
{
	if (sv_eq(old_text, new_text) && sv_empty(old_path) == sv_empty(new_path))
		return buf->len;
	struct git_hunks hunks = git_compare_lines(arena, old_text, new_text, REPORT_DIFF_CONTEXT);
	size_t start = add_paths(buf, old_path, new_path, style);
	VEC_EACH (hunk, &hunks)
		add_hunk(buf, hunk, style);
	report_defuse(buf, start);
	return start;
}
