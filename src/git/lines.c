/*
 * Compares two strings by lines, as git diff does. Its time grows by the power of 1.5 of the lines
 * if they are very different, so that strings with too many of them are not compared in the middle.
 */
#include "git/internal.h"

#include <string.h>

struct comparison {
	struct arena *arena;
	struct git_hunks hunks;
	size_t lines_before; /* of both strings, above what libgit2 compares */
};

static int add_hunk(const git_diff_delta *delta UNUSED, const git_diff_hunk *hunk, void *context)
{
	struct comparison *c = context;

	VEC_PUSH(c->arena, &c->hunks,
	         (struct git_hunk){
	             .old_line = c->lines_before + (size_t)hunk->old_start,
	             .old_count = (size_t)hunk->old_lines,
	             .new_line = c->lines_before + (size_t)hunk->new_start,
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

/*
 * Leaves of both strings what differs, with `margin` equal lines around it. Returns the number of
 * lines that were before.
 */
static size_t trim_ends(sv *old_text, sv *new_text, size_t margin)
{
	size_t head = common_head(*old_text, *new_text);

	head = last_lines(sv_slice(*old_text, 0, head), margin);
	size_t lines = head > 0 ? count_lines(sv_slice(*old_text, 0, head)) : 0;
	*old_text = sv_from_offset(*old_text, head);
	*new_text = sv_from_offset(*new_text, head);
	size_t tail = common_tail(*old_text, *new_text);
	tail -= first_lines(sv_from_offset(*old_text, old_text->len - tail), margin);
	old_text->len -= tail;
	new_text->len -= tail;
	return lines;
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

struct git_hunks git_compare_lines(struct arena *arena, sv old_text, sv new_text, unsigned context)
{
	struct comparison comparison = {.arena = arena};
	git_diff_options options;

	if (sv_eq(old_text, new_text))
		return comparison.hunks;
	if (count_lines(old_text) + count_lines(new_text) > GIT_COMPARED_LINES) {
		replace_middle(&comparison, old_text, new_text);
		return comparison.hunks;
	}
	BUG_ON(git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION) < 0);
	/* The more equal lines, the more a change moves among lines that are repeated. */
	enum { MARGIN = 64 };
	comparison.lines_before =
	    trim_ends(&old_text, &new_text, context > MARGIN ? context : MARGIN);
	options.flags = GIT_DIFF_FORCE_TEXT;
	options.context_lines = context;
	options.max_size = -1;
	/* Other threads may use libgit2, whose options git_library_open would set again. */
	BUG_ON(git_libgit2_init() < 0);
	int result =
	    git_diff_buffers(old_text.ptr, old_text.len, NULL, new_text.ptr, new_text.len, NULL,
	                     &options, NULL, NULL, add_hunk, add_diff_line, &comparison);
	git_check_memory();
	BUG_ON(result < 0);
	git_libgit2_shutdown();
	return comparison.hunks;
}
