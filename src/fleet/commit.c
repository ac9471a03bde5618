/*
 * Reads spec.commit of the Fleet: who commits the output, and in which words. Servers may ask for a
 * subject of a certain form, or for a trailer.
 */
#include "fleet/internal.h"

/* Trailers of osm-gen itself, by which later runs know its commits. */
#define OWN_TRAILER SV("osm-gen-")

enum { SUBJECT_MAX_BYTES = 200, TRAILER_MAX_BYTES = 500, TRAILERS_MAX = 16 };

static void report_commit(struct sink *sink, const struct value *given, const char *what,
                          const char *help)
{
	struct diag *diag = diag_report(sink, DIAG_FLEET_TYPE, value_position(given), "%s", what);

	diag_set_help(sink, diag, "%s", help);
}

/* Returns true for "Name <mail>", with both parts, valid in a commit's header. */
static bool is_author(sv text)
{
	sv name;
	sv mail;

	if (!sv_cut(text, SV(" <"), &name, &mail) || !sv_ends_with(mail, SV(">")))
		return false;
	mail = sv_slice(mail, 0, mail.len - 1);
	if (sv_empty(sv_trim_space(name)) || sv_empty(mail))
		return false;
	return sv_find_char(name, '<') == SV_NPOS && sv_find_char(name, '>') == SV_NPOS &&
	       sv_find_char(mail, '<') == SV_NPOS && sv_find_char(mail, '>') == SV_NPOS;
}

static void read_author(struct sink *sink, const struct value *author, struct fleet_commit *commit)
{
	if (!utf8_is_shown_as_written(author->string)) {
		report_commit(sink, author,
		              "the commit author holds a control character or a mark of direction",
		              "who made a commit must be seen in `git log`: write it as "
		              "\"Name <mail@example.com>\", without invisible characters");
		return;
	}
	if (!is_author(author->string)) {
		struct diag *diag =
		    diag_report(sink, DIAG_FLEET_TYPE, value_position(author),
		                "\"%.*s\" is not a commit author", SV_ARG(author->string));
		diag_set_help(sink, diag, "write it as \"Name <mail@example.com>\"");
		return;
	}
	commit->author = author->string;
}

/* Returns true for one line without blanks around it, shown as it is written. */
static bool is_line(sv text, size_t max)
{
	return text.len > 0 && text.len <= max && sv_eq(sv_trim_space(text), text) &&
	       utf8_is_shown_as_written(text);
}

static bool has_own_trailer(struct arena *arena, sv text)
{
	return sv_contains(arena_lower_ascii(arena, text), OWN_TRAILER);
}

static void read_subject(struct arena *arena, struct sink *sink, const struct value *subject,
                         struct fleet_commit *commit)
{
	sv text = subject->string;

	if (!is_line(text, SUBJECT_MAX_BYTES) || text.ptr[0] == '#' ||
	    !sv_contains(text, SV(FLEET_COMMIT_CHANGES)) || has_own_trailer(arena, text))
		report_commit(
		    sink, subject,
		    "commit.subject must be a line of at most 200 bytes with {changes} in it, "
		    "without osm-gen's own trailers, and not begin with #",
		    "write it as \"chore(nodes): {changes}\"; {changes} is replaced by what "
		    "changed, {source} by the commit of the inputs");
	else
		commit->subject = text;
}

/* Returns true for "Token: value", as git knows trailers. */
static bool is_trailer(sv text)
{
	sv token;
	sv value;

	if (!sv_cut(text, SV(": "), &token, &value) || sv_empty(sv_trim_space(value)) ||
	    sv_empty(token))
		return false;
	for (size_t i = 0; i < token.len; i++)
		if (!ascii_is_alphanumeric((unsigned char)token.ptr[i]) && token.ptr[i] != '-')
			return false;
	return true;
}

static void read_trailers(struct arena *arena, struct sink *sink, const struct value *trailers,
                          struct fleet_commit *commit)
{
	size_t count = value_count(trailers);
	sv *texts = ARENA_ARRAY(arena, sv, count + 1);

	if (count > TRAILERS_MAX) {
		report_commit(sink, trailers, "commit.trailers has more than 16 trailers",
		              "leave some of them out");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const struct value *trailer = value_item(trailers, i);
		sv text = value_text(trailer);

		if (!is_line(text, TRAILER_MAX_BYTES) || !is_trailer(text) ||
		    has_own_trailer(arena, text)) {
			report_commit(
			    sink, trailer,
			    "a trailer must be a line of at most 500 bytes like \"Token: value\", "
			    "and not one of osm-gen's own",
			    "write it as \"Signed-off-by: {author}\"; {author} is replaced by the "
			    "author of the commit, {source} by the commit of the inputs");
			return;
		}
		texts[i] = text;
	}
	commit->trailers = texts;
	commit->trailer_count = count;
}

void fleet_read_commit(struct arena *arena, struct sink *sink, const struct value *given,
                       struct fleet_commit *commit)
{
	const struct value *author = value_map_get(given, SV("author"));
	const struct value *subject = value_map_get(given, SV("subject"));
	const struct value *trailers = value_map_get(given, SV("trailers"));

	if (!value_is_null(author))
		read_author(sink, author, commit);
	if (!value_is_null(subject))
		read_subject(arena, sink, subject, commit);
	if (!value_is_null(trailers))
		read_trailers(arena, sink, trailers, commit);
}
