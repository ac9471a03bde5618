/*
 * Diagnostics as text.
 */
#include "report/render.h"

static void add_place(struct buf *buf, struct position at, const struct report_style *style)
{
	sv place = report_place(buf->arena, at);

	if (sv_empty(place))
		return;
	render_color_on(buf, style, RENDER_BOLD);
	buf_add(buf, place);
	buf_add_char(buf, ':');
	render_color_off(buf, style);
	buf_add_char(buf, ' ');
}

static void add_head(struct buf *buf, const struct diag *diag, const struct report_style *style)
{
	bool error = diag->severity == DIAG_ERROR;

	add_place(buf, diag->at, style);
	render_color_on(buf, style, error ? RENDER_ERROR : RENDER_WARNING);
	buf_printf(buf, "%s[OSG%04u]:", error ? "error" : "warning", (unsigned)diag->code);
	render_color_off(buf, style);
	buf_add_char(buf, ' ');
	render_text(buf, style, diag->text);
	buf_add_char(buf, '\n');
}

static void add_object(struct buf *buf, const struct diag *diag, const struct report_style *style)
{
	if (sv_empty(diag->object) && sv_empty(diag->cluster))
		return;
	BUF_ADD_LIT(buf, "  in ");
	render_text(buf, style, diag->object);
	if (!sv_empty(diag->object) && !sv_empty(diag->cluster))
		BUF_ADD_LIT(buf, ", ");
	if (!sv_empty(diag->cluster)) {
		BUF_ADD_LIT(buf, "cluster ");
		render_text(buf, style, diag->cluster);
	}
	buf_add_char(buf, '\n');
}

/* Appends "note: ..." or "help: ..."; further lines of the text are aligned with its first. */
static void add_remark(struct buf *buf, sv word, sv text, const struct report_style *style)
{
	struct sv_splitter lines = sv_split(text, '\n');
	bool first = true;
	sv line;

	render_color_on(buf, style, RENDER_NOTE);
	buf_add(buf, word);
	render_color_off(buf, style);
	while (sv_split_next(&lines, &line)) {
		if (!first)
			buf_add_repeat(buf, ' ', word.len + 2);
		first = false;
		buf_add_char(buf, ' ');
		render_text(buf, style, line);
		buf_add_char(buf, '\n');
	}
}

/* Returns true if render_excerpt does not show the line, since its source is confidential. */
static bool is_hidden(struct position at)
{
	return at.source && at.source->confidential && at.offset != SV_NPOS;
}

static void add_diag(struct buf *buf, const struct diag *diag, const struct report_style *style)
{
	add_head(buf, diag, style);
	add_object(buf, diag, style);
	render_excerpt(buf, diag->at, style);
	bool is_said = is_hidden(diag->at); /* mention hidden lines once */
	size_t shown = diag->notes.count;
	if (style->diags_per_code > 0 && shown > style->diags_per_code)
		shown = style->diags_per_code;
	for (size_t i = 0; i < shown; i++) {
		const struct diag_note *note = &diag->notes.items[i];
		/* A note about the same place needs no second excerpt. */
		bool elsewhere =
		    note->at.source != diag->at.source || note->at.offset != diag->at.offset;

		BUF_ADD_LIT(buf, "  ");
		if (elsewhere)
			add_place(buf, note->at, style);
		add_remark(buf, SV("note:"), note->text, style);
		if (elsewhere && !(is_said && is_hidden(note->at)))
			render_excerpt(buf, note->at, style);
		is_said |= elsewhere && is_hidden(note->at);
	}
	if (shown < diag->notes.count) {
		BUF_ADD_LIT(buf, "  ");
		add_remark(buf, SV("note:"),
		           arena_printf(buf->arena, "and %zu more", diag->notes.count - shown),
		           style);
	}
	if (!sv_empty(diag->help)) {
		BUF_ADD_LIT(buf, "  ");
		add_remark(buf, SV("help:"), diag->help, style);
	}
}

void report_diag_text(struct buf *buf, const struct diag *diag, const struct report_style *style)
{
	size_t start = buf->len;

	add_diag(buf, diag, style);
	report_defuse(buf, start);
}

size_t render_count_severity(const struct sink *sink, enum diag_severity severity)
{
	size_t count = 0;

	VEC_EACH (diag, &sink->diags)
		count += (*diag)->severity == severity;
	return count;
}

/* Diagnostics that are not shown. */
struct hidden {
	size_t count;
	VEC(struct position) places; /* of the first ones, each once */
	bool has_more_places;
};

/* A diagnostic that was shown, and those of its code, text and help. */
struct group {
	const struct diag *diag;
	size_t shown;
	struct hidden hidden;
};

/* The number of diagnostics of each code, in the order of the table of codes. */
struct tally {
	struct arena *arena;
	const struct diag_code_info *codes;
	size_t code_count;
	size_t *shown;
	struct hidden *hidden; /* those that are copies of nothing that was shown */
	size_t all_hidden;
	VEC(struct group) groups;
};

static struct tally tally_new(struct arena *arena)
{
	struct tally tally = {.arena = arena};

	tally.codes = diag_codes(&tally.code_count);
	tally.shown = ARENA_ARRAY(arena, size_t, tally.code_count);
	tally.hidden = ARENA_ARRAY(arena, struct hidden, tally.code_count);
	return tally;
}

/* Returns what was shown with the code, text and help of a diagnostic, or null. */
static struct group *find_group(const struct tally *tally, const struct diag *diag)
{
	VEC_EACH (group, &tally->groups)
		if (group->diag->code == diag->code && sv_eq(group->diag->text, diag->text) &&
		    sv_eq(group->diag->help, diag->help))
			return group;
	return NULL;
}

enum { COPIES_SHOWN = 3, PLACES_SHOWN = 20 };

/* Many clusters may have the same mistake from one file that they share. */
static bool has_place(const struct hidden *hidden, struct position at)
{
	VEC_EACH (known, &hidden->places)
		if (known->offset == at.offset &&
		    (known->source == at.source ||
		     (known->source && at.source && sv_eq(known->source->path, at.source->path))))
			return true;
	return false;
}

static void hide_one(struct tally *tally, const struct diag *diag, struct hidden *hidden)
{
	hidden->count++;
	tally->all_hidden++;
	if (has_place(hidden, diag->at))
		return;
	if (hidden->places.count < PLACES_SHOWN)
		VEC_PUSH(tally->arena, &hidden->places, diag->at);
	else
		hidden->has_more_places = true;
}

static void hide(struct tally *tally, const struct render_copies *cause, struct hidden *hidden)
{
	hide_one(tally, cause->diag, hidden);
	VEC_EACH (other, &cause->others)
		hide_one(tally, *other, hidden);
}

/*
 * Counts a diagnostic; returns false if `limit` of its code, or three of its kind, were shown. Of
 * warnings of one code three are shown, since nothing has to be done before a run can go on.
 */
static bool is_shown(struct tally *tally, const struct render_copies *cause, size_t limit)
{
	const struct diag *diag = cause->diag;
	size_t most = diag->severity != DIAG_ERROR && limit > COPIES_SHOWN ? COPIES_SHOWN : limit;
	size_t i = 0;

	while (i < tally->code_count && tally->codes[i].code != diag->code)
		i++;
	BUG_ON(i == tally->code_count);
	struct group *group = find_group(tally, diag);
	if (group && group->shown == COPIES_SHOWN) {
		hide(tally, cause, &group->hidden);
		return false;
	}
	if (tally->shown[i] == most) {
		hide(tally, cause, &tally->hidden[i]);
		return false;
	}
	tally->shown[i]++;
	if (group)
		group->shown++;
	else
		VEC_PUSH(tally->arena, &tally->groups, ((struct group){.diag = diag, .shown = 1}));
	return true;
}

static void add_more(struct buf *buf, size_t count, const struct diag_code_info *code)
{
	BUF_ADD_LIT(buf, "and ");
	render_number(buf, count);
	buf_printf(buf, " more %s[OSG%04u]: ", code->severity == DIAG_ERROR ? "error" : "warning",
	           (unsigned)code->code);
}

static void add_places(struct buf *buf, const struct hidden *hidden)
{
	struct buf places = buf_in(buf->arena);

	VEC_EACH (at, &hidden->places) {
		sv place = report_place(buf->arena, *at);

		if (!sv_empty(place))
			buf_add_item(&places, place);
	}
	if (places.len > 0 && hidden->has_more_places)
		buf_add_item(&places, SV("..."));
	if (places.len > 0)
		buf_printf(buf, "\n  at %.*s", SV_ARG(buf_sv(&places)));
	buf_add_char(buf, '\n');
}

/* Adds how often a mistake was made that is shown three times, and where. */
static void add_copies(struct buf *buf, const struct group *group, const struct report_style *style)
{
	if (group->hidden.count == 0)
		return;
	add_more(buf, group->hidden.count, diag_code_find((unsigned)group->diag->code));
	render_text(buf, style, group->diag->text);
	add_places(buf, &group->hidden);
}

static void add_hidden(struct buf *buf, const struct tally *tally, const struct report_style *style)
{
	size_t start = buf->len;

	if (tally->all_hidden == 0)
		return;
	VEC_EACH (group, &tally->groups)
		add_copies(buf, group, style);
	for (size_t i = 0; i < tally->code_count; i++) {
		if (tally->hidden[i].count == 0)
			continue;
		add_more(buf, tally->hidden[i].count, &tally->codes[i]);
		buf_add(buf, sv_from_cstr(tally->codes[i].title));
		add_places(buf, &tally->hidden[i]);
	}
	BUF_ADD_LIT(buf,
	            "  help: -v shows all of them, --report json=FILE writes them to a file\n\n");
	report_defuse(buf, start);
}

/* Adds a diagnostic, and the places of others of its cause in one line. */
static void add_cause(struct buf *buf, const struct render_copies *cause,
                      const struct report_style *style)
{
	size_t start = buf->len;

	add_diag(buf, cause->diag, style);
	if (cause->others.count > 0) {
		buf_add_repeat(buf, ' ', 2);
		render_text(buf, style, render_other_places(buf->arena, cause));
		buf_add_char(buf, '\n');
	}
	report_defuse(buf, start);
	buf_add_char(buf, '\n');
}

void report_diags_text(struct buf *buf, const struct sink *sink, const struct report_style *style)
{
	size_t errors = render_count_severity(sink, DIAG_ERROR);
	size_t warnings = render_count_severity(sink, DIAG_WARNING);

	if (sink->diags.count == 0)
		return;
	struct tally tally = tally_new(buf->arena);
	const struct render_copies_list causes = render_join_copies(buf->arena, sink);
	if (style->diags_per_code == 0)
		VEC_EACH (diag, &sink->diags)
			add_cause(buf, &(struct render_copies){.diag = *diag}, style);
	else
		VEC_EACH (cause, &causes)
			if (is_shown(&tally, *cause, style->diags_per_code))
				add_cause(buf, *cause, style);
	add_hidden(buf, &tally, style);
	if (errors > 0)
		render_count(buf, errors, "error", "errors");
	if (errors > 0 && warnings > 0)
		BUF_ADD_LIT(buf, ", ");
	if (warnings > 0)
		render_count(buf, warnings, "warning", "warnings");
	buf_add_char(buf, '\n');
}
