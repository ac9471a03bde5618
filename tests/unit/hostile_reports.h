/*
 * Every report of a run whose names, texts and files are one hostile text, checked: for the table
 * of such texts in report_hostile_test.c, and for the harness that searches for others.
 */
#ifndef OSM_GEN_TESTS_HOSTILE_REPORTS_H
#define OSM_GEN_TESTS_HOSTILE_REPORTS_H

#include "report/report.h"
#include "review/internal.h"
#include "run/commit/commit.h"
#include "json/json.h"

#include "log_safe.h"

static inline struct report_summary hostile_summary(struct arena *arena, sv name)
{
	struct report_summary summary = {
	    .command = SV("generate"),
	    .version = SV("1.0"),
	    .outcome = REPORT_COMMITTED,
	    .source_commit = SV("1111"),
	    .commit = SV("2222"),
	    .branch = name,
	    .push = {name, name, name, name, name, 1},
	    .out = name,
	    .unit_kind = SV("MachineDeployment"),
	    .cluster_count = 1,
	    .unit_count = 1,
	};
	struct report_unit unit = {
	    .cluster = name,
	    .kind = SV("MachineDeployment"),
	    .namespace = name,
	    .name = name,
	    .provider = name,
	    .operating_system = name,
	    .profile = name,
	    .profile_version = name,
	    .bootstrap_bytes = 1,
	    .bootstrap_limit = 2,
	    .change = REPORT_ADDED,
	    .class = REPORT_CLASS_ADD,
	    .source = name,
	    .at = NOWHERE,
	};

	VEC_PUSH(arena, &summary.units, unit);
	unit.change = REPORT_REMOVED;
	unit.class = REPORT_CLASS_REMOVE;
	unit.reason = name;
	VEC_PUSH(arena, &summary.units, unit);
	VEC_PUSH(arena, &summary.files,
	         ((struct report_file){.path = name, .change = REPORT_ADDED}));
	size_t *both = ARENA_ARRAY(arena, size_t, 2);
	struct report_field *field = ARENA_NEW(arena, struct report_field);
	both[0] = 0;
	both[1] = 1;
	*field = (struct report_field){.name = name, .before = name, .after = name};
	VEC_PUSH(arena, &summary.groups,
	         ((struct report_group){.fields = field,
	                                .field_count = 1,
	                                .diff = name,
	                                .units = both,
	                                .unit_count = 2,
	                                .cluster_count = 1}));
	VEC_PUSH(arena, &summary.groups,
	         ((struct report_group){.diff = name, .units = both, .unit_count = 1}));
	VEC_PUSH(arena, &summary.notes,
	         ((struct report_note){REPORT_NOTE_REMOVED, name, both + 1, 1, false}));
	VEC_PUSH(arena, &summary.notes,
	         ((struct report_note){REPORT_NOTE_HOST, name, both, 1, false}));
	report_name_groups(arena, &summary);
	review_list_facts(arena, &summary);
	return summary;
}

static inline void hostile_diag(struct arena *arena, struct sink *sink, sv name, size_t at)
{
	struct source *source = source_new(arena, name, name, false);
	struct position place = {source, at < name.len ? at : name.len, 3};
	enum diag_code code = at % 2 ? DIAG_USAGE : DIAG_INPUT_DIRTY;

	sink->object = name;
	sink->cluster = name;
	struct diag *diag = diag_report(sink, code, place, "%.*s", SV_ARG(name));
	diag_add_note(sink, diag, place, "%.*s", SV_ARG(name));
	diag_add_note(sink, diag, position_of_source(source), "%.*s", SV_ARG(name));
	diag_set_help(sink, diag, "%.*s\n%.*s", SV_ARG(name), SV_ARG(name));
}

static inline void check_json(struct arena *arena, const struct buf *buf)
{
	struct sink sink = sink_in(arena);
	JSON_DOC_AUTO root = NULL;

	assert_log_safe(buf_sv(buf), false);
	if (json_doc_read(&sink, source_new(arena, SV("report"), buf_sv(buf), false), &root) !=
	    STATUS_OK)
		log_unsafe("no JSON", buf_sv(buf));
}

/* Every tag is one of ours, without an attribute of theirs; the script's data is JSON. */
static inline void check_page(struct arena *arena, sv page)
{
	static const char *const ours[] = {
	    "!DOCTYPE", "html",   "head",   "meta",   "title",    "style", "body",    "header",
	    "h1",       "h2",     "h3",     "p",      "code",     "main",  "section", "div",
	    "span",     "ul",     "li",     "dl",     "dt",       "dd",    "details", "summary",
	    "pre",      "table",  "thead",  "tbody",  "tr",       "th",    "td",      "button",
	    "input",    "select", "option", "script", "noscript", "meter", "figure",  "figcaption",
	    "svg",      "rect",   "strong",
	};
	sv data_mark = SV("<script type=\"application/json\" id=\"data\">");
	size_t style_end = sv_find(page, SV("</style>"));
	size_t data = sv_find(page, data_mark);
	struct buf json = buf_in(arena);

	if (style_end == SV_NPOS || data == SV_NPOS)
		log_unsafe("a page without style or data", page);
	assert_log_safe(page, false);
	for (size_t at = style_end; at < data; at++) {
		if (page.ptr[at] != '<')
			continue;
		sv tag = sv_from_offset(page, at + 1 + (page.ptr[at + 1] == '/'));
		bool known = false;
		size_t end = sv_find_char(tag, '>');

		tag = sv_slice(tag, 0, end);
		for (size_t i = 0; i < COUNT_OF(ours); i++) {
			sv name = sv_from_cstr(ours[i]);

			known |= sv_starts_with(tag, name) &&
			         (tag.len == name.len || tag.ptr[name.len] == ' ');
		}
		if (!known || sv_contains(tag, SV(" on")) || sv_contains(tag, SV(" style")))
			log_unsafe("a tag that is not ours", tag);
	}
	sv rest = sv_from_offset(page, data + data_mark.len);
	size_t end = sv_find(rest, SV("</script>"));
	buf_add(&json, sv_slice(rest, 0, end));
	check_json(arena, &json);
	/* Our script is whole: nothing of theirs ended the element before it. */
	if (!sv_starts_with(sv_from_offset(rest, end), SV("</script>\n<script>/*")))
		log_unsafe("a page whose data ends early", page);
}

/* Each line is one command of ours, with its properties, and no other one in it. */
static inline void check_annotations(sv text)
{
	static const char *const ours[] = {"::error ", "::warning ", "::notice "};
	struct sv_splitter lines = sv_split(sv_trim_right(text, "\n"), '\n');
	sv line;

	while (sv_split_next(&lines, &line)) {
		sv properties = {0};
		sv message;

		for (size_t i = 0; i < COUNT_OF(ours); i++)
			if (sv_starts_with(line, sv_from_cstr(ours[i])))
				properties = sv_from_offset(line, strlen(ours[i]));
		if (sv_empty(properties) || !sv_cut(properties, SV("::"), &properties, &message))
			log_unsafe("no command of ours", line);
		struct sv_splitter parts = sv_split(properties, ',');
		sv part;

		while (sv_split_next(&parts, &part))
			if (!sv_starts_with(part, SV("file=")) &&
			    !sv_starts_with(part, SV("line=")) &&
			    !sv_starts_with(part, SV("col=")) &&
			    !sv_starts_with(part, SV("title=")))
				log_unsafe("a property of theirs", line);
		if (sv_contains(line, SV("##[")) || sv_find_char(properties, ':') != SV_NPOS)
			log_unsafe("a command in a command", line);
		for (size_t i = 0; i < line.len; i++)
			if ((unsigned char)line.ptr[i] < 0x20 || line.ptr[i] == 0x7F)
				log_unsafe("a control character", line);
	}
}

/* Returns the message with the lines joined that go on with the one before. */
static inline sv join_lines(struct arena *arena, sv message)
{
	struct buf joined = buf_in(arena);
	size_t at;

	while ((at = sv_find(message, SV("\n  "))) != SV_NPOS) {
		buf_add(&joined, sv_slice(message, 0, at));
		buf_add_char(&joined, ' ');
		message = sv_from_offset(message, at + 3);
	}
	buf_add(&joined, message);
	return buf_sv(&joined);
}

/* The rows name the text on one line each, if it is not too long, and no line of it is a trailer.
 */
static inline void check_message(struct arena *arena, const struct report_summary *summary)
{
	sv proofs = SV("Osm-Gen-Inputs: PROOF\nOsm-Gen-Counts: COUNTS\n");
	static const struct fleet_commit words = {0};
	const struct run_wording wording = {&words, SV_INIT("a <a@example.com>"), false};
	sv message = run_commit_message(arena, summary, &wording, proofs, SV("VOUCHER"));
	struct sv_splitter lines = sv_split(join_lines(arena, message), '\n');
	size_t trailers = 0;
	size_t count = 0;
	sv line;

	assert_log_safe(message, false);
	while (sv_split_next(&lines, &line)) {
		count++;
		trailers += sv_starts_with(line, SV("Osm-Gen-"));
		bool is_sentence = sv_starts_with(line, SV("! "));

		if (!sv_starts_with(line, SV("+ ")) && !sv_starts_with(line, SV("- ")) &&
		    !is_sentence)
			continue;
		/* A note, and the reason after a name, may have colons, and arrows ("->"). */
		for (size_t i = 1; i < line.len; i++) {
			is_sentence |= sv_starts_with(sv_from_offset(line, i), SV(": "));
			if (strchr(is_sentence ? "@#!&$%^~*`<[]|" : "@#!&$%^~:*`<>[]|",
			           line.ptr[i]) ||
			    (unsigned char)line.ptr[i] > 126)
				log_unsafe("a message that mentions", line);
		}
		for (size_t i = 0; i + 3 < line.len; i++)
			if (sv_eq_fold_ascii(sv_slice(line, i, i + 3), SV("GH-")) &&
			    ascii_is_digit((unsigned char)line.ptr[i + 3]) &&
			    !ascii_is_alphanumeric((unsigned char)line.ptr[i - 1]))
				log_unsafe("a message that links", line);
	}
	if (trailers != 5 || count != 21)
		log_unsafe("a message with other lines", message);
}

static inline void check_hostile_reports(sv name)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct report_style plain = {0};
	struct report_style colour = {.color = true, .width = 40};
	struct report_summary summary = hostile_summary(arena, name);
	struct sink sink = sink_in(arena);
	struct buf text = buf_in(arena);
	struct buf bright = buf_in(arena);
	struct buf diff = buf_in(arena);
	struct buf json = buf_in(arena);
	struct buf plan = buf_in(arena);
	struct buf sarif = buf_in(arena);
	struct buf junit = buf_in(arena);
	struct buf markdown = buf_in(arena);
	struct buf html = buf_in(arena);
	struct buf github = buf_in(arena);
	struct buf gitlab = buf_in(arena);

	hostile_diag(arena, &sink, name, 0);
	hostile_diag(arena, &sink, name, name.len / 2 | 1);
	report_diags_text(&text, &sink, &plain);
	report_summary_text(&text, &summary, true, &plain);
	report_plan_text(&text, &summary, true, &plain);
	assert_log_safe(buf_sv(&text), false);
	report_diags_text(&bright, &sink, &colour);
	report_diff_text(arena, &diff, name, ARENA_CONCAT(arena, name, SV("\nx\n")), name,
	                 ARENA_CONCAT(arena, name, SV("\ny\n")), &plain);
	report_diff_sealed(&diff, name, name, false, &plain);
	assert_log_safe(buf_sv(&diff), true);
	report_json(&json, &summary, &sink, &plain);
	check_json(arena, &json);
	report_plan_json(&plan, &summary, &plain);
	check_json(arena, &plan);
	struct report_summary compared = summary;
	compared.outcome = REPORT_DIFFERS; /* SARIF has the changes of commands that compare */
	report_sarif(&sarif, &compared, &sink, &plain);
	check_json(arena, &sarif);
	report_junit(&junit, &summary, &sink, &plain);
	assert_log_safe(buf_sv(&junit), false);
	report_markdown(&markdown, &summary, &sink, &plain);
	assert_markdown_safe(arena, buf_sv(&markdown));
	report_html(&html, &summary, &sink, &plain);
	check_page(arena, buf_sv(&html));
	report_github(&github, &summary, &sink, &plain);
	check_annotations(buf_sv(&github));
	report_gitlab(&gitlab, &summary, &sink, &plain);
	check_json(arena, &gitlab);
	check_message(arena, &summary);
}

#endif
