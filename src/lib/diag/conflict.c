/*
 * Conflict markers that git leaves in a file it cannot merge (git-merge, "How conflicts are
 * presented"): lines that begin with the same sign seven times, then a space and a label.
 */
#include "diag/diag.h"

enum { MARKER_LENGTH = 7 };

static bool is_marker(sv line, char sign)
{
	size_t count = 0;

	while (count < line.len && line.ptr[count] == sign)
		count++;
	return count == MARKER_LENGTH &&
	       (line.len == MARKER_LENGTH || line.ptr[MARKER_LENGTH] == ' ');
}

/* Returns the line index of the first marker, or SIZE_MAX if there is none. */
static size_t find_marker(struct position mistake)
{
	const struct source *source = mistake.source;

	for (size_t i = 0; i < source->line_count; i++) {
		sv line = position_line((struct position){source, source->line_starts[i], 0});

		if (is_marker(line, '<') || is_marker(line, '>'))
			return i;
	}
	/* The lines between the two sides may be other things, a heading's underline for one. */
	sv line = position_line(mistake);
	if (is_marker(line, '=') || is_marker(line, '|'))
		return position_line_column(mistake).line - 1;
	return SIZE_MAX;
}

struct diag *diag_report_conflict(struct sink *sink, struct position mistake)
{
	size_t index = find_marker(mistake);

	if (index == SIZE_MAX)
		return NULL;
	struct position at = {mistake.source, mistake.source->line_starts[index], 0};
	at.length = position_line(at).len;
	struct diag *diag = diag_report(sink, DIAG_CONFLICT_MARKER, at,
	                                "a conflict marker: this file's merge is not finished");
	diag_set_help(sink, diag,
	              "keep the right lines of both sides, remove the lines that begin with "
	              "<<<<<<<, ======= and >>>>>>>, and commit the file");
	return diag;
}
