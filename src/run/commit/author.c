/*
 * Parses and chooses the author of commits.
 */
#include "run/commit/commit.h"
#include "run/run.h"

bool run_parse_author(sv author, sv *ret_name, sv *ret_mail)
{
	size_t open = sv_find_char(author, '<');

	if (open == SV_NPOS || !sv_ends_with(author, SV(">")))
		return false;
	sv name = sv_trim_space(sv_slice(author, 0, open));
	sv mail = sv_slice(author, open + 1, author.len - 1);
	if (sv_empty(name) || sv_empty(mail) || !utf8_is_shown_as_written(author))
		return false;
	for (size_t i = 0; i < author.len; i++) {
		char c = author.ptr[i];

		if ((c == '<' || c == '>') && i != open && i != author.len - 1)
			return false;
	}
	*ret_name = name;
	*ret_mail = mail;
	return true;
}

enum status run_choose_author(struct sink *sink, sv author, const struct fleet *fleet,
                              struct git_commit_text *text)
{
	if (sv_empty(author))
		author = fleet->commit.author;
	if (sv_empty(author))
		author = SV(RUN_AUTHOR);
	if (run_parse_author(author, &text->author_name, &text->author_email))
		return STATUS_OK;
	struct diag *diag = diag_report(sink, DIAG_COMMIT_AUTHOR, NOWHERE,
	                                "\"%.*s\" is not an author", SV_ARG(author));
	diag_set_help(sink, diag,
	              "write it as --author \"Fleet Bot <bot@example.com>\", without "
	              "control characters and marks of direction");
	return STATUS_FAILED;
}
