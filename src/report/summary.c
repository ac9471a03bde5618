/*
 * The summary of a run as text.
 */
#include "report/render.h"

#define ROWS_SHOWN 20

size_t report_count_files(const struct report_summary *summary, enum report_change change)
{
	size_t count = change == REPORT_UNCHANGED ? summary->unchanged_file_count : 0;

	VEC_EACH (file, &summary->files)
		count += file->change == change;
	return count;
}

sv render_change_word(enum report_change change)
{
	switch (change) {
	case REPORT_UNCHANGED:
		return SV("unchanged");
	case REPORT_ADDED:
		return SV("added");
	case REPORT_CHANGED:
		return SV("changed");
	case REPORT_REMOVED:
		return SV("removed");
	}
	BUG("change");
}

sv render_outcome_title(enum report_outcome outcome)
{
	return outcome == REPORT_DIFFERS ? SV("the output changes") : render_outcome_word(outcome);
}

sv render_outcome_word(enum report_outcome outcome)
{
	switch (outcome) {
	case REPORT_COMMITTED:
		return SV("committed");
	case REPORT_WRITTEN:
		return SV("written");
	case REPORT_NOTHING:
		return SV("unchanged");
	case REPORT_DIFFERS:
		return SV("differs");
	case REPORT_VALID:
		return SV("valid");
	case REPORT_FAILED:
		return SV("failed");
	}
	BUG("outcome");
}

/* Compares bytes/limit of both without division. */
bool render_is_fuller(const struct report_unit *a, const struct report_unit *b)
{
	return (double)a->bootstrap_bytes * (double)b->bootstrap_limit >
	       (double)b->bootstrap_bytes * (double)a->bootstrap_limit;
}

const struct report_unit *render_fullest(const struct report_summary *summary)
{
	const struct report_unit *fullest = NULL;

	VEC_EACH (row, &summary->units) {
		if (row->bootstrap_limit > 0 && (!fullest || render_is_fuller(row, fullest)))
			fullest = row;
	}
	return fullest;
}

/* Appends the outcome of a failed run, and the commit or branch that it leaves changed. */
static void add_failure(struct buf *buf, const struct report_summary *summary)
{
	const struct report_push *push = &summary->push;

	if (report_push_failed(summary)) {
		BUF_ADD_LIT(buf, "failed; commit ");
		report_add_visible(buf, summary->commit);
		BUF_ADD_LIT(buf, " stays on ");
		report_add_visible(buf, push->branch);
	} else if (!sv_empty(push->brought)) {
		BUF_ADD_LIT(buf, "failed, nothing was committed; ");
		report_add_visible(buf, push->branch);
		BUF_ADD_LIT(buf, " is now at ");
		report_add_visible(buf, push->brought);
		BUF_ADD_LIT(buf, ", as on ");
		report_add_visible(buf, push->remote);
	} else if (summary->is_half_done) {
		BUF_ADD_LIT(buf, "failed; some files of ");
		report_add_visible(buf, summary->out);
		BUF_ADD_LIT(buf, " are changed, and the next run restores them");
	} else {
		BUF_ADD_LIT(buf, "failed, nothing was changed");
	}
}

static bool has_files(const struct report_summary *summary)
{
	return summary->files.count > 0 || summary->unchanged_file_count > 0;
}

static void add_outcome(struct buf *buf, const struct report_summary *summary)
{
	switch (summary->outcome) {
	case REPORT_COMMITTED:
		BUF_ADD_LIT(buf, "committed ");
		report_add_visible(buf, summary->commit);
		if (!sv_empty(summary->branch)) {
			BUF_ADD_LIT(buf, " on ");
			report_add_visible(buf, summary->branch);
		}
		break;
	case REPORT_WRITTEN:
		BUF_ADD_LIT(buf, "written to ");
		report_add_visible(buf, summary->out);
		break;
	case REPORT_NOTHING:
		if (summary->unit_count == 0 && !has_files(summary)) {
			BUF_ADD_LIT(buf, "there is nothing to write to ");
			report_add_visible(buf, summary->out);
			break;
		}
		report_add_visible(buf, summary->out);
		BUF_ADD_LIT(buf, " is up to date");
		if (summary->not_compared_count > 0)
			BUF_ADD_LIT(buf, ", as far as it was compared");
		break;
	case REPORT_DIFFERS:
		report_add_visible(buf, summary->out);
		BUF_ADD_LIT(buf, " does not match the inputs");
		break;
	case REPORT_VALID:
		BUF_ADD_LIT(buf, "the inputs are valid");
		break;
	case REPORT_FAILED:
		add_failure(buf, summary);
		break;
	}
}

/* Appends ", pushed to origin" after the outcome. */
static void add_push(struct buf *buf, const struct report_summary *summary)
{
	const struct report_push *push = &summary->push;

	if (sv_empty(push->remote) || summary->outcome == REPORT_FAILED)
		return;
	if (sv_empty(push->commit)) {
		BUF_ADD_LIT(buf, ", nothing to push to ");
	} else {
		BUF_ADD_LIT(buf, ", pushed to ");
	}
	report_add_visible(buf, push->branch);
	BUF_ADD_LIT(buf, " of ");
	report_add_visible(buf, push->remote);
}

/* Appends lines about the branch's moves on the remote, and about the ref of notes. */
static void add_push_rows(struct buf *buf, const struct report_summary *summary)
{
	const struct report_push *push = &summary->push;

	if (push->retries > 0) {
		BUF_ADD_LIT(buf, "  rendered afresh ");
		render_count(buf, push->retries, "time", "times");
		BUF_ADD_LIT(buf, ", as the branch had moved on the remote\n");
	}
	if (summary->outcome == REPORT_FAILED)
		return;
	if (push->retries == 0 && !sv_empty(push->brought) &&
	    sv_eq(push->brought, summary->source_commit)) {
		BUF_ADD_LIT(buf, "  rendered ");
		report_add_visible(buf, sv_slice(push->brought, 0, 12));
		BUF_ADD_LIT(buf, ", to which the branch had moved on the remote\n");
	}
	if (!sv_empty(push->notes)) {
		BUF_ADD_LIT(buf, "  noted as processed in ");
		report_add_visible(buf, push->notes);
		buf_add_char(buf, '\n');
	}
}

/* Appends the commit that a replaced branch had, by which its earlier commits can be found. */
static void add_replaced(struct buf *buf, const struct report_summary *summary)
{
	if (sv_empty(summary->replaced))
		return;
	BUF_ADD_LIT(buf, "  ");
	report_add_visible(buf, summary->branch);
	BUF_ADD_LIT(buf, " was replaced and keeps ");
	render_count(buf, summary->commit_count, "commit", "commits");
	BUF_ADD_LIT(buf, "; it was at ");
	report_add_visible(buf, summary->replaced);
	buf_add_char(buf, '\n');
}

static void add_inputs(struct buf *buf, const struct report_summary *summary)
{
	BUF_ADD_LIT(buf, "  ");
	render_count(buf, summary->cluster_count, "cluster", "clusters");
	BUF_ADD_LIT(buf, ", ");
	report_add_units(buf, summary, summary->unit_count);
	report_add_kinds(buf, summary);
	BUF_ADD_LIT(buf, ", ");
	render_count(buf, summary->profile_count, "profile", "profiles");
	buf_add_char(buf, '\n');
}

/* Appends "A  ", "M  " or "D  ". */
static void add_letter(struct buf *buf, enum report_change change, const struct report_style *style)
{
	static const struct {
		char letter;
		enum render_color color;
	} letters[] = {
	    [REPORT_ADDED] = {'A', RENDER_ADDED},
	    [REPORT_CHANGED] = {'M', RENDER_WARNING},
	    [REPORT_REMOVED] = {'D', RENDER_REMOVED},
	};

	render_color_on(buf, style, letters[change].color);
	buf_add_char(buf, letters[change].letter);
	render_color_off(buf, style);
	BUF_ADD_LIT(buf, "  ");
}

static size_t count_changed_rows(const struct report_summary *summary)
{
	size_t count = 0;

	VEC_EACH (row, &summary->units)
		count += row->change != REPORT_UNCHANGED;
	return count;
}

static void add_name(struct buf *buf, const struct report_unit *row)
{
	report_add_visible(buf, row->cluster);
	buf_add_char(buf, '/');
	report_add_visible(buf, row->namespace);
	buf_add_char(buf, '/');
	report_add_visible(buf, row->name);
}

/* Appends the line of report_add_rollout, indented. */
static void add_rollout(struct buf *buf, const struct report_summary *summary)
{
	size_t start = buf->len;

	BUF_ADD_LIT(buf, "  ");
	if (!render_has_classes(summary) || !report_add_rollout(buf, summary))
		buf->len = start;
	else
		buf_add_char(buf, '\n');
}

/* Appends the changes, indented as the other lines are. */
static void add_changes(struct buf *buf, const struct report_summary *summary, bool every,
                        const struct report_style *style)
{
	struct buf lines = buf_in(buf->arena);

	render_changes(&lines, summary, every, style);
	struct sv_splitter split = sv_split(sv_trim_right(buf_sv(&lines), "\n"), '\n');
	sv line;
	while (lines.len > 0 && sv_split_next(&split, &line)) {
		BUF_ADD_LIT(buf, "  ");
		buf_add(buf, line);
		buf_add_char(buf, '\n');
	}
}

static void add_files(struct buf *buf, const struct report_summary *summary, bool every_file,
                      const struct report_style *style)
{
	static const enum report_change changes[] = {REPORT_ADDED, REPORT_CHANGED, REPORT_REMOVED,
	                                             REPORT_UNCHANGED};
	size_t shown = 0;

	BUF_ADD_LIT(buf, "  files: ");
	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		buf_add(buf, i ? SV(", ") : SV(""));
		render_number(buf, report_count_files(summary, changes[i]));
		buf_add_char(buf, ' ');
		buf_add(buf, render_change_word(changes[i]));
	}
	if (summary->not_compared_count > 0) {
		BUF_ADD_LIT(buf, ", ");
		render_number(buf, summary->not_compared_count);
		BUF_ADD_LIT(buf, " not compared");
	}
	buf_add_char(buf, '\n');
	/* If units change, their lines imply the files. */
	if (!every_file && count_changed_rows(summary) > 0)
		return;
	VEC_EACH (file, &summary->files) {
		if (file->change == REPORT_UNCHANGED)
			continue;
		if (shown == ROWS_SHOWN && !every_file) {
			BUF_ADD_LIT(buf, "    ... (-v lists them all)\n");
			break;
		}
		shown++;
		BUF_ADD_LIT(buf, "    ");
		add_letter(buf, file->change, style);
		report_add_visible(buf, file->path);
		buf_add_char(buf, '\n');
	}
}

/* Appends "  1 rendered, 999 kept". */
static void add_kept(struct buf *buf, const struct report_summary *summary)
{
	BUF_ADD_LIT(buf, "  ");
	render_number(buf, summary->rendered_count);
	BUF_ADD_LIT(buf, " rendered, ");
	render_number(buf, summary->kept_count);
	BUF_ADD_LIT(buf, " kept\n");
}

static void add_fullest(struct buf *buf, const struct report_summary *summary)
{
	const struct report_unit *row = render_fullest(summary);

	if (!row)
		return;
	BUF_ADD_LIT(buf, "  fullest user-data: ");
	add_name(buf, row);
	BUF_ADD_LIT(buf, ", ");
	render_number(buf, row->bootstrap_bytes);
	BUF_ADD_LIT(buf, " of ");
	render_number(buf, row->bootstrap_limit);
	BUF_ADD_LIT(buf, " bytes\n");
}

void report_summary_text(struct buf *buf, const struct report_summary *summary, bool every_file,
                         const struct report_style *style)
{
	bool good = summary->outcome != REPORT_FAILED;
	size_t start = buf->len;

	render_color_on(buf, style, good ? RENDER_BOLD : RENDER_ERROR);
	BUF_ADD_LIT(buf, "osm-gen: ");
	add_outcome(buf, summary);
	add_push(buf, summary);
	render_color_off(buf, style);
	buf_add_char(buf, '\n');
	add_push_rows(buf, summary);
	add_replaced(buf, summary);
	if (good) {
		add_rollout(buf, summary);
		add_inputs(buf, summary);
		add_changes(buf, summary, every_file, style);
		if (has_files(summary))
			add_files(buf, summary, every_file, style);
		if (every_file && summary->rendered_count + summary->kept_count > 0)
			add_kept(buf, summary);
		add_fullest(buf, summary);
	}
	VEC_EACH (program, &summary->programs) {
		BUF_ADD_LIT(buf, "  ");
		report_add_visible(buf, *program);
		buf_add_char(buf, '\n');
	}
	report_defuse(buf, start);
}
