/*
 * Annotations of a GitHub workflow: commands that the runner executes when a job prints them
 * (docs.github.com, "Workflow commands for GitHub Actions"). Each is one line. Strings of the
 * inputs are escaped in them, so that they cannot add a command.
 */
#include "report/render.h"

/*
 * GitHub shows the first ten annotations of each level and step; the others are only in the log.
 * Therefore the most important come first, and similar ones are combined.
 */
enum {
	SHOWN_MAX = 10,
	TITLE_MAX = 200,  /* GitHub takes 255 characters */
	TEXT_MAX = 60000, /* GitHub takes 64 KB */
};

void render_add_escaped(struct buf *buf, sv text, bool is_property)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ',')))
			buf_printf(buf, "%%%02X", (unsigned)c);
		else if (render_is_command(text, i))
			BUF_ADD_LIT(buf, "%23");
		else
			buf_add_char(buf, c);
	}
}

/* Appends a string, made visible line by line, then escaped. */
static void add_data(struct buf *buf, const struct report_style *style, sv text, bool is_property)
{
	struct sv_splitter lines = sv_split(text, '\n');
	struct buf visible = buf_in(buf->arena);
	bool first = true;
	sv line;

	while (sv_split_next(&lines, &line)) {
		buf_add(&visible, first ? SV("") : SV("\n"));
		first = false;
		render_text(&visible, style, line);
	}
	render_add_escaped(buf, buf_sv(&visible), is_property);
}

static void add_place(struct buf *buf, const struct report_style *style, struct position at)
{
	if (!at.source || !render_has_file(at) || sv_starts_with(at.source->path, SV("/")))
		return;
	BUF_ADD_LIT(buf, "file=");
	add_data(buf, style, at.source->path, true);
	if (at.offset != SV_NPOS) {
		struct line_column place = position_line_column(at);

		buf_printf(buf, ",line=%zu,col=%zu", place.line, place.column);
	}
	buf_add_char(buf, ',');
}

static void add_line(struct buf *buf, const struct report_style *style, const char *word, sv text)
{
	if (sv_empty(text))
		return;
	buf_printf(buf, "%%0A%s", word);
	add_data(buf, style, text, false);
}

static void add_diag(struct buf *buf, const struct render_copies *copies,
                     const struct report_style *style)
{
	const struct diag *diag = copies->diag;
	const struct diag_code_info *info = diag_code_find((unsigned)diag->code);

	buf_add(buf, diag->severity == DIAG_ERROR ? SV("::error ") : SV("::warning "));
	add_place(buf, style, diag->at);
	BUF_ADD_LIT(buf, "title=");
	add_data(buf, style,
	         arena_printf(buf->arena, "OSG%04u: %s", (unsigned)diag->code, info->title), true);
	BUF_ADD_LIT(buf, "::");
	add_data(buf, style, diag->text, false);
	add_line(buf, style, "in ", diag->object);
	add_line(buf, style, "cluster ", diag->cluster);
	add_line(buf, style, "", render_other_places(buf->arena, copies));
	VEC_EACH (note, &diag->notes)
		add_line(buf, style, "note: ", note->text);
	add_line(buf, style, "help: ", diag->help);
	buf_add_char(buf, '\n');
}

/* Cuts a title to the length that GitHub takes, between two characters. */
static sv shortened(struct arena *arena, sv title)
{
	size_t end = TITLE_MAX;

	if (title.len <= TITLE_MAX)
		return title;
	while (end > 0 && ((unsigned char)title.ptr[end] & 0xC0) == 0x80)
		end--;
	return ARENA_CONCAT(arena, sv_slice(title, 0, end), SV("..."));
}

static void add_notice(struct buf *buf, const struct report_style *style, const char *level,
                       struct position at, sv title, sv text)
{
	buf_printf(buf, "::%s ", level);
	add_place(buf, style, at);
	BUF_ADD_LIT(buf, "title=");
	add_data(buf, style, shortened(buf->arena, title), true);
	BUF_ADD_LIT(buf, "::");
	add_data(buf, style, sv_trim_right(text, "\n"), false);
	buf_add_char(buf, '\n');
}

/* ---- notes and groups -------------------------------------------------------------------- */

/* Appends an annotation for each kind of note, its notes as lines. Notes are sorted by kind. */
static void add_notes(struct buf *buf, const struct report_summary *summary,
                      const struct report_style *style)
{
	for (size_t i = 0; i < summary->notes.count;) {
		enum report_note_kind kind = summary->notes.items[i].kind;
		sv title = report_note_title(buf->arena, summary, &summary->notes.items[i]);
		struct buf text = buf_in(buf->arena);

		for (; i < summary->notes.count && summary->notes.items[i].kind == kind; i++) {
			buf_add(&text,
			        render_note_line(buf->arena, summary, &summary->notes.items[i]));
			buf_add_char(&text, '\n');
		}
		add_notice(buf, style, "warning", NOWHERE,
		           ARENA_CONCAT(buf->arena, SV("Worth a second look: "), title),
		           buf_sv(&text));
	}
}

/*
 * Appends one annotation that names all units of the class. Returns true if it is a notice, false
 * if it is a warning or there are no such units.
 */
static bool add_leaving(struct buf *buf, const struct report_summary *summary,
                        enum report_class class, const struct report_style *style)
{
	struct buf title = buf_in(buf->arena);
	struct buf text = buf_in(buf->arena);
	struct position at = NOWHERE;
	size_t left = render_count_listed(summary, class);
	bool is_loss = false;

	if (left == 0 || !render_has_classes(summary) || !render_names_each(summary, class))
		return false;
	buf_add(&title, report_class_word(class));
	BUF_ADD_LIT(&title, ": ");
	render_class_total(&title, summary, class);
	VEC_EACH (row, &summary->units) {
		if (!render_is_listed(row, class))
			continue;
		is_loss |= report_loses_machines(row, class);
		if (text.len > TEXT_MAX) {
			buf_printf(&text, "and %zu more: the other reports name them", left);
			break;
		}
		left--;
		at = render_has_file(at) ? at : row->at;
		buf_add(&text, render_leaving_line(buf->arena, row, class));
		buf_add_char(&text, '\n');
	}
	add_notice(buf, style, is_loss ? "warning" : "notice", at, buf_sv(&title), buf_sv(&text));
	return !is_loss;
}

static bool add_summary(struct buf *buf, const struct report_summary *summary,
                        const struct report_style *style)
{
	struct buf text = buf_in(buf->arena);

	if (!report_add_rollout(&text, summary))
		return false;
	buf_add_char(&text, '\n');
	render_matrix_text(&text, summary);
	add_notice(buf, style, "notice", NOWHERE,
	           ARENA_CONCAT(buf->arena, SV("osm-gen "), summary->command, SV(": "),
	                        render_outcome_word(summary->outcome)),
	           buf_sv(&text));
	return true;
}

/* Appends an annotation for each of the first groups, as many as GitHub still shows. */
static void add_groups(struct buf *buf, size_t room, const struct report_summary *summary,
                       const struct report_style *style)
{
	size_t count = summary->groups.count <= room ? summary->groups.count : room - 1;

	for (size_t i = 0; i < count; i++) {
		const struct report_group *group = &summary->groups.items[i];
		struct buf text = buf_in(buf->arena);

		render_group_lines(&text, summary, group, &(struct report_style){0});
		if (text.len == 0)
			BUF_ADD_LIT(&text, "`osm-gen diff` shows what changes");
		add_notice(buf, style, "notice", summary->units.items[group->units[0]].at,
		           render_group_head(buf->arena, group), buf_sv(&text));
	}
	if (count < summary->groups.count) {
		struct buf title = buf_in(buf->arena);

		render_count(&title, summary->groups.count - count, "more change", "more changes");
		add_notice(buf, style, "notice", NOWHERE, buf_sv(&title),
		           SV("the other reports have them, and `osm-gen diff`"));
	}
}

static void add_diags(struct buf *buf, const struct sink *sink, enum diag_severity severity,
                      const struct report_style *style)
{
	struct render_copies_list list = render_join_copies(buf->arena, sink);

	VEC_EACH (copies, &list)
		if ((*copies)->diag->severity == severity)
			add_diag(buf, *copies, style);
}

void report_github(struct buf *buf, const struct report_summary *summary, const struct sink *sink,
                   const struct report_style *style)
{
	size_t room = SHOWN_MAX;

	add_diags(buf, sink, DIAG_ERROR, style);
	for (size_t i = 0; i < RENDER_LISTED; i++)
		room -= add_leaving(buf, summary, render_listed[i], style);
	add_notes(buf, summary, style);
	room -= add_summary(buf, summary, style);
	add_groups(buf, room, summary, style);
	add_diags(buf, sink, DIAG_WARNING, style);
}
