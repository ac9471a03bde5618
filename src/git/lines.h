/*
 * Compares two strings by lines, as git diff does.
 */
#ifndef OSM_GEN_GIT_LINES_H
#define OSM_GEN_GIT_LINES_H

#include "base/base.h"

/* A line of a hunk. */
struct git_hunk_line {
	char sign; /* ' ' for a line of both strings, '-' of the old one, '+' of the new one */
	sv text;   /* in the string that was compared, with its line break if it has one */
};

/* A group of changes with the lines around it. An empty range has the number of the line before. */
struct git_hunk {
	size_t old_line;
	size_t old_count;
	size_t new_line;
	size_t new_count;
	VEC(struct git_hunk_line) lines;
};
VEC_TYPE(git_hunks, struct git_hunk);

/* With more lines in both strings together, all between the equal lines at their ends is a hunk. */
#define GIT_COMPARED_LINES 262144

/*
 * Compares two strings by lines and returns the hunks, each with `context` lines of both around its
 * changes. Very different strings may have larger hunks than needed. Any thread may call it.
 */
struct git_hunks git_compare_lines(struct arena *arena, sv old_text, sv new_text, unsigned context);

#endif
