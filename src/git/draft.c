/*
 * The commit as an object: its text, or a signed one by another program.
 */
#include "git/output.h"

#include <stdlib.h>

static bool is_clean_text(sv s, const char *set)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] == '\0' || strchr(set, s.ptr[i]))
			return false;
	return true;
}

/* The source commit's, as a commit has it: "1772593568 +0200". */
static sv date_of(struct git_output *output)
{
	const struct git_source *source = output->options.source;
	int offset = source->time_offset_minutes;
	unsigned minutes = (unsigned)abs(offset);

	return arena_printf(output->arena, "%lld %c%02u%02u", (long long)source->time,
	                    offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

static sv commit_text(struct git_output *output, const struct git_commit_text *text,
                      struct git_id tree)
{
	struct arena *arena = output->arena;
	sv who = arena_printf(arena, "%.*s <%.*s> %.*s", SV_ARG(text->author_name),
	                      SV_ARG(text->author_email), SV_ARG(date_of(output)));

	return ARENA_CONCAT(arena, SV("tree "), git_id_hex(arena, tree), SV("\nparent "),
	                    git_id_hex(arena, output->target.parent), SV("\nauthor "), who,
	                    SV("\ncommitter "), who, SV("\n\n"), text->message);
}

static enum status make_unsigned(struct sink *sink, struct git_output *output,
                                 const struct git_commit_text *text, struct git_id tree,
                                 struct git_id *ret_commit)
{
	sv bytes = commit_text(output, text, tree);
	const struct git_pack_object object = {
	    .type = GIT_PACK_COMMIT, .id = git_id_of_object("commit", bytes), .bytes = bytes};

	if (git_pack_add(sink, output->pack, 0, &object) != STATUS_OK ||
	    git_pack_finish(sink, output->pack) != STATUS_OK)
		return STATUS_FAILED;
	(void)git_odb_refresh(output->repo->odb);
	*ret_commit = object.id;
	return STATUS_OK;
}

/* True if the commit has a signature and the tree, parent and message of the draft. */
static bool is_as_asked(struct git_output *output, const struct git_commit_draft *draft,
                        struct git_id id)
{
	git_oid oid = git_id_to_oid(id);
	git_oid parent = git_id_to_oid(draft->parent);
	git_buf signature = {0};
	git_buf content = {0};
	git_commit *commit = NULL;
	bool same = git_commit_lookup(&commit, output->repo->handle, &oid) == 0 &&
	            git_id_equal(git_id_from(git_commit_tree_id(commit)), draft->tree) &&
	            git_commit_parentcount(commit) == 1 &&
	            git_oid_equal(git_commit_parent_id(commit, 0), &parent) &&
	            sv_eq(sv_from_cstr(git_commit_message_raw(commit)), draft->text->message) &&
	            git_commit_extract_signature(&signature, &content, output->repo->handle, &oid,
	                                         NULL) == 0 &&
	            signature.size > 0;

	git_buf_dispose(&signature);
	git_buf_dispose(&content);
	git_commit_free(commit);
	return same;
}

/* Another program makes it, which has to find its tree. */
static enum status make_signed(struct sink *sink, struct git_output *output,
                               const struct git_commit_text *text, struct git_id tree,
                               struct git_id *ret_commit)
{
	const struct git_commit_draft draft = {
	    .text = text,
	    .tree = tree,
	    .parent = output->target.parent,
	    .date = date_of(output),
	};
	struct git_id id;

	if (git_pack_finish(sink, output->pack) != STATUS_OK ||
	    text->sign(sink, text->sign_context, &draft, &id) != STATUS_OK)
		return STATUS_FAILED;
	(void)git_odb_refresh(output->repo->odb);
	if (!is_as_asked(output, &draft, id)) {
		struct diag *diag = diag_report(
		    sink, DIAG_COMMIT_SIGN, NOWHERE,
		    "commit %.*s came back without a signature, or is not the one asked for",
		    SV_ARG(git_id_hex(output->arena, id)));
		diag_set_help(sink, diag,
		              "check the program that git signs with (gpg.program, "
		              "gpg.ssh.program)");
		return STATUS_FAILED;
	}
	*ret_commit = id;
	return STATUS_OK;
}

enum status git_make_commit(struct sink *sink, struct git_output *output,
                            const struct git_commit_text *text, struct git_id tree,
                            struct git_id *ret_commit)
{
	if (text->author_name.len == 0 || !is_clean_text(text->author_name, "<>\n") ||
	    !is_clean_text(text->author_email, "<>\n") || !is_clean_text(text->message, "")) {
		diag_report(
		    sink, DIAG_GIT_WRITE, NOWHERE,
		    "cannot make a commit by '%.*s': git does not allow that author or message",
		    SV_ARG(text->author_name));
		return STATUS_FAILED;
	}
	return text->sign ? make_signed(sink, output, text, tree, ret_commit)
	                  : make_unsigned(sink, output, text, tree, ret_commit);
}
