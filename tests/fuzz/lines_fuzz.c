/*
 * The comparison of two texts by lines, "OLD\n--\nNEW": the hunks turn the old text into the new
 * one, and their line numbers are those of both.
 */
#include "git/git.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Takes the next line, with its line break if it has one. */
static sv take_line(sv *text)
{
	size_t end = sv_find_char(*text, '\n');
	sv line = sv_slice(*text, 0, end == SV_NPOS ? text->len : end + 1);

	*text = sv_from_offset(*text, line.len);
	return line;
}

/* Returns the number of lines before the hunk. An empty range has the number of that line. */
static size_t lines_before(size_t line, size_t count)
{
	return count > 0 ? line - 1 : line;
}

struct patch {
	sv old_rest;
	sv new_rest;
	size_t old_done; /* lines */
	size_t new_done;
	struct buf made;
};

static void copy_line(struct patch *patch)
{
	sv line = take_line(&patch->old_rest);

	check(!sv_empty(line) && sv_eq(line, take_line(&patch->new_rest)));
	buf_add(&patch->made, line);
	patch->old_done++;
	patch->new_done++;
}

static void apply(struct patch *patch, const struct git_hunk *hunk)
{
	size_t old_count = 0;
	size_t new_count = 0;

	while (patch->old_done < lines_before(hunk->old_line, hunk->old_count))
		copy_line(patch);
	check(patch->old_done == lines_before(hunk->old_line, hunk->old_count));
	check(patch->new_done == lines_before(hunk->new_line, hunk->new_count));
	VEC_EACH (line, &hunk->lines) {
		check(line->sign == ' ' || line->sign == '-' || line->sign == '+');
		if (line->sign != '+') {
			check(sv_eq(take_line(&patch->old_rest), line->text));
			old_count++;
		}
		if (line->sign != '-') {
			check(sv_eq(take_line(&patch->new_rest), line->text));
			buf_add(&patch->made, line->text);
			new_count++;
		}
	}
	check(old_count == hunk->old_count && new_count == hunk->new_count);
	patch->old_done += old_count;
	patch->new_done += new_count;
}

static void compare(sv old_text, sv new_text, unsigned context)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct git_hunks hunks = git_compare_lines(arena, old_text, new_text, context);
	struct patch patch = {.old_rest = old_text, .new_rest = new_text, .made = buf_in(arena)};

	check((hunks.count == 0) == sv_eq(old_text, new_text));
	VEC_EACH (hunk, &hunks)
		apply(&patch, hunk);
	while (!sv_empty(patch.old_rest))
		copy_line(&patch);
	check(sv_eq(buf_sv(&patch.made), new_text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sv old_text = sv_from((const char *)data, size);
	sv new_text = SV("");

	if (size > 16384)
		return 0;
	(void)sv_cut(old_text, SV("\n--\n"), &old_text, &new_text);
	compare(old_text, new_text, 0);
	compare(old_text, new_text, 3);
	return 0;
}
