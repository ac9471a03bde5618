/*
 * Compares two strings by lines, as git diff does. Its time grows by the power of 1.5 of the lines
 * if they are very different, so that strings with too many of them are not compared in the middle.
 */
#include "git/internal.h"

#include <string.h>

struct comparison {
	struct arena *arena;
	struct git_hunks hunks;
	/* Above what libgit2 compares. */
	size_t old_lines_before;
	size_t new_lines_before;
};

static int add_hunk(const git_diff_delta *delta UNUSED, const git_diff_hunk *hunk, void *context)
{
	struct comparison *c = context;

	VEC_PUSH(c->arena, &c->hunks,
	         (struct git_hunk){
	             .old_line = c->old_lines_before + (size_t)hunk->old_start,
	             .old_count = (size_t)hunk->old_lines,
	             .new_line = c->new_lines_before + (size_t)hunk->new_start,
	             .new_count = (size_t)hunk->new_lines,
	         });
	return 0;
}

static int add_diff_line(const git_diff_delta *delta UNUSED, const git_diff_hunk *hunk UNUSED,
                         const git_diff_line *line, void *context)
{
	struct comparison *c = context;

	/* Skip libgit2's markers for a missing final newline; the line already shows it. */
	if (line->origin == GIT_DIFF_LINE_CONTEXT || line->origin == GIT_DIFF_LINE_ADDITION ||
	    line->origin == GIT_DIFF_LINE_DELETION)
		VEC_PUSH(
		    c->arena, &c->hunks.items[c->hunks.count - 1].lines,
		    ((struct git_hunk_line){line->origin, {line->content, line->content_len}}));
	return 0;
}

/* ---- common ends --------------------------------------------------------------------------- */

enum { STRIDE = 64 }; /* bytes that are compared at once */

static size_t count_lines(sv text)
{
	const char *end = text.ptr + text.len;
	size_t count = 0;

	for (const char *at = text.ptr; at < end; at++) {
		at = memchr(at, '\n', (size_t)(end - at));
		count++;
		if (!at)
			break;
	}
	return count;
}

/* Returns the length of the lines that both strings begin with. */
static size_t common_head(sv a, sv b)
{
	size_t most = a.len < b.len ? a.len : b.len;
	size_t same = 0;

	while (most - same >= STRIDE && memcmp(a.ptr + same, b.ptr + same, STRIDE) == 0)
		same += STRIDE;
	while (same < most && a.ptr[same] == b.ptr[same])
		same++;
	while (same > 0 && a.ptr[same - 1] != '\n')
		same--;
	return same;
}

/* Returns the length of lines that both strings end with, less the first one. */
static size_t common_tail(sv a, sv b)
{
	size_t most = a.len < b.len ? a.len : b.len;
	const char *a_end = a.ptr + a.len;
	const char *b_end = b.ptr + b.len;
	size_t same = 0;

	while (most - same >= STRIDE &&
	       memcmp(a_end - same - STRIDE, b_end - same - STRIDE, STRIDE) == 0)
		same += STRIDE;
	while (same < most && a_end[-1 - (ptrdiff_t)same] == b_end[-1 - (ptrdiff_t)same])
		same++;
	if (same == 0)
		return 0;
	const char *line_end = memchr(a_end - same, '\n', same);
	return line_end ? (size_t)(a_end - line_end) - 1 : 0;
}

/* Returns where the last `count` lines of the text begin. */
static size_t last_lines(sv text, size_t count)
{
	size_t at = text.len;

	for (; at > 0; at--)
		if (text.ptr[at - 1] == '\n' && at < text.len && count-- == 1)
			return at;
	return 0;
}

/* Returns where the first `count` lines of the text end. */
static size_t first_lines(sv text, size_t count)
{
	size_t at = 0;

	for (; at < text.len && count > 0; count--) {
		size_t end = sv_find_char(sv_from_offset(text, at), '\n');

		at = end == SV_NPOS ? text.len : at + end + 1;
	}
	return at;
}

/* ---- equal lines between changes ----------------------------------------------------------- */

enum { SKIPPED_MAX = 8 }; /* lines of a change that equal lines are looked for after */

/* Sets where lines begin, the first at 0, and returns their number. */
static size_t list_lines(sv text, size_t starts[SKIPPED_MAX + 1])
{
	size_t count = 0;

	for (size_t at = 0; count <= SKIPPED_MAX && at < text.len; count++) {
		starts[count] = at;
		at += first_lines(sv_from_offset(text, at), 1);
	}
	return count;
}

/*
 * The strings begin with lines that differ. Finds where more than twice `margin` equal lines follow
 * after a few, and returns the lengths up to the `margin`th of them. Returns false if none do.
 */
static bool find_equal(sv old_text, sv new_text, size_t margin, size_t *ret_old, size_t *ret_new)
{
	size_t old_starts[SKIPPED_MAX + 1];
	size_t new_starts[SKIPPED_MAX + 1];
	size_t old_count = list_lines(old_text, old_starts);
	size_t new_count = list_lines(new_text, new_starts);

	for (size_t skipped = 1; skipped <= 2 * SKIPPED_MAX; skipped++) {
		for (size_t i = 0; i <= skipped; i++) {
			if (i >= old_count || skipped - i >= new_count)
				continue;
			sv old_rest = sv_from_offset(old_text, old_starts[i]);
			sv new_rest = sv_from_offset(new_text, new_starts[skipped - i]);
			sv equal = sv_slice(old_rest, 0, common_head(old_rest, new_rest));
			if (count_lines(equal) <= 2 * margin)
				continue;
			size_t end = first_lines(equal, margin);
			*ret_old = old_starts[i] + end;
			*ret_new = new_starts[skipped - i] + end;
			return true;
		}
	}
	return false;
}

/* ---- strings with too many lines ----------------------------------------------------------- */

/* Adds the lines to the hunk and returns their number. */
static size_t push_lines(struct arena *arena, struct git_hunk *hunk, char sign, sv text)
{
	size_t before = hunk->lines.count;

	while (text.len > 0) {
		size_t end = sv_find_char(text, '\n');
		size_t length = end == SV_NPOS ? text.len : end + 1;

		VEC_PUSH(arena, &hunk->lines,
		         ((struct git_hunk_line){sign, sv_slice(text, 0, length)}));
		text = sv_from_offset(text, length);
	}
	return hunk->lines.count - before;
}

/* Adds all between the common lines at both ends as one hunk. */
static void replace_middle(struct comparison *c, sv old_text, sv new_text)
{
	struct git_hunk hunk = {0};
	size_t head = common_head(old_text, new_text);
	size_t before = count_lines(sv_slice(old_text, 0, head));

	old_text = sv_from_offset(old_text, head);
	new_text = sv_from_offset(new_text, head);
	size_t tail = common_tail(old_text, new_text);
	old_text.len -= tail;
	new_text.len -= tail;
	hunk.old_count = push_lines(c->arena, &hunk, '-', old_text);
	hunk.new_count = push_lines(c->arena, &hunk, '+', new_text);
	hunk.old_line = before + (hunk.old_count > 0);
	hunk.new_line = before + (hunk.new_count > 0);
	VEC_PUSH(c->arena, &c->hunks, hunk);
}

/* ---- the comparison ------------------------------------------------------------------------ */

static void compare_part(struct comparison *c, sv old_text, sv new_text, unsigned context)
{
	git_diff_options options;

	BUG_ON(git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION) < 0);
	options.flags = GIT_DIFF_FORCE_TEXT;
	options.context_lines = context;
	options.max_size = -1;
	int result = git_diff_buffers(old_text.ptr, old_text.len, NULL, new_text.ptr, new_text.len,
	                              NULL, &options, NULL, NULL, add_hunk, add_diff_line, c);
	git_check_memory();
	BUG_ON(result < 0);
}

struct git_hunks git_compare_lines(struct arena *arena, sv old_text, sv new_text, unsigned context)
{
	/* Where lines are repeated, libgit2 chooses which of them changed: it sees these many. */
	enum { MARGIN = 16 };
	struct comparison c = {.arena = arena};
	size_t margin = context > MARGIN ? context : MARGIN;

	if (sv_eq(old_text, new_text))
		return c.hunks;
	if (count_lines(old_text) + count_lines(new_text) > GIT_COMPARED_LINES) {
		replace_middle(&c, old_text, new_text);
		return c.hunks;
	}
	/* Other threads may use libgit2, whose options git_library_open would set again. */
	BUG_ON(git_libgit2_init() < 0);
	/* libgit2 gets each change with `margin` equal lines around it. */
	while (!sv_eq(old_text, new_text)) {
		size_t head = common_head(old_text, new_text);
		size_t start = last_lines(sv_slice(old_text, 0, head), margin);
		size_t lines = start > 0 ? count_lines(sv_slice(old_text, 0, start)) : 0;
		size_t old_end;
		size_t new_end;

		c.old_lines_before += lines;
		c.new_lines_before += lines;
		old_text = sv_from_offset(old_text, start);
		new_text = sv_from_offset(new_text, start);
		head -= start;
		if (find_equal(sv_from_offset(old_text, head), sv_from_offset(new_text, head),
		               margin, &old_end, &new_end)) {
			old_end += head;
			new_end += head;
		} else {
			size_t tail = common_tail(old_text, new_text);

			tail -= first_lines(sv_from_offset(old_text, old_text.len - tail), margin);
			old_end = old_text.len - tail;
			new_end = new_text.len - tail;
		}
		sv old_part = sv_slice(old_text, 0, old_end);
		sv new_part = sv_slice(new_text, 0, new_end);
		compare_part(&c, old_part, new_part, context);
		c.old_lines_before += count_lines(old_part);
		c.new_lines_before += count_lines(new_part);
		old_text = sv_from_offset(old_text, old_end);
		new_text = sv_from_offset(new_text, new_end);
	}
	git_libgit2_shutdown();
	return c.hunks;
}
