/*
 * The commit as an object: its text, or a signed one by another program. Commits of the branch that
 * are made again come before it.
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

static sv parent_line(struct arena *arena, const struct git_id *parent)
{
	return parent ? ARENA_CONCAT(arena, SV("\nparent "), git_id_hex(arena, *parent)) : SV("");
}

static sv commit_text(struct git_output *output, const struct git_commit_text *text,
                      struct git_id tree, const struct git_id *parent)
{
	struct arena *arena = output->arena;
	sv who = arena_printf(arena, "%.*s <%.*s> %.*s", SV_ARG(text->author_name),
	                      SV_ARG(text->author_email), SV_ARG(date_of(output)));

	return ARENA_CONCAT(arena, SV("tree "), git_id_hex(arena, tree), parent_line(arena, parent),
	                    SV("\nauthor "), who, SV("\ncommitter "), who, SV("\n\n"),
	                    text->message);
}

/* ---- commits that are made again ---------------------------------------------------------- */

/* Returns the lines of the header that are kept: everything but tree and parents. */
static sv kept_header(struct arena *arena, git_commit *commit)
{
	struct sv_splitter lines = sv_split(sv_from_cstr(git_commit_raw_header(commit)), '\n');
	struct buf kept = buf_in(arena);
	sv line;

	while (sv_split_next(&lines, &line)) {
		if (sv_empty(line) || sv_starts_with(line, SV("tree ")) ||
		    sv_starts_with(line, SV("parent ")))
			continue;
		buf_add_char(&kept, '\n');
		buf_add(&kept, line);
	}
	return buf_sv(&kept);
}

static enum status make_again(struct sink *sink, struct git_output *output,
                              const struct git_kept_commit *kept, const struct git_id *parent,
                              struct git_id *ret_commit)
{
	struct arena *arena = output->arena;
	git_oid oid = git_id_to_oid(kept->id);
	git_commit *commit = git_take_commit(output->repo, &oid);

	if (!commit) {
		git_report_object(sink, output->repo,
		                  SV("cannot read a commit that the branch is to keep"));
		return STATUS_FAILED;
	}
	sv tree = git_id_hex(arena, git_id_from(git_commit_tree_id(commit)));
	sv bytes = ARENA_CONCAT(arena, SV("tree "), tree, parent_line(arena, parent),
	                        kept_header(arena, commit), SV("\n\n"), kept->message);
	git_commit_free(commit);
	const struct git_pack_object object = {
	    .type = GIT_PACK_COMMIT, .id = git_id_of_object("commit", bytes), .bytes = bytes};
	*ret_commit = object.id;
	return git_pack_add(sink, output->pack, 0, &object);
}

/* Makes what the branch keeps. *ret_parent is the new commit's parent; null if it has none. */
static enum status make_kept(struct sink *sink, struct git_output *output,
                             const struct git_kept *kept, const struct git_id **ret_parent)
{
	const struct git_id *parent = NULL;

	for (size_t i = 0; i < kept->count; i++) {
		struct git_id *id = ARENA_NEW(output->arena, struct git_id);

		if (make_again(sink, output, &kept->items[i], parent, id) != STATUS_OK)
			return STATUS_FAILED;
		parent = id;
	}
	*ret_parent = parent;
	return STATUS_OK;
}

/* ---- the new one -------------------------------------------------------------------------- */

/* Makes git see all new objects. */
static enum status finish_packs(struct sink *sink, struct git_output *output)
{
	/* The run's own pack has the trees: it comes last, and syncs the names. */
	for (size_t i = 0; i < output->taken_count; i++)
		if (output->taken[i] && git_taken_publish(sink, output->taken[i]) != STATUS_OK)
			return STATUS_FAILED;
	return git_pack_finish(sink, output->pack);
}

static enum status make_unsigned(struct sink *sink, struct git_output *output,
                                 const struct git_commit_text *text, struct git_id tree,
                                 struct git_id *ret_commit)
{
	const struct git_id *parent = &output->target.parent;

	if (text->kept && make_kept(sink, output, text->kept, &parent) != STATUS_OK)
		return STATUS_FAILED;
	sv bytes = commit_text(output, text, tree, parent);
	const struct git_pack_object object = {
	    .type = GIT_PACK_COMMIT, .id = git_id_of_object("commit", bytes), .bytes = bytes};

	if (git_pack_add(sink, output->pack, 0, &object) != STATUS_OK ||
	    finish_packs(sink, output) != STATUS_OK)
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
	git_commit *commit = git_take_commit(output->repo, &oid);
	bool same = commit && git_id_equal(git_id_from(git_commit_tree_id(commit)), draft->tree) &&
	            git_commit_parentcount(commit) == (draft->is_root ? 0 : 1) &&
	            (draft->is_root || git_oid_equal(git_commit_parent_id(commit, 0), &parent)) &&
	            sv_eq(sv_from_cstr(git_commit_message_raw(commit)), draft->text->message) &&
	            git_commit_extract_signature(&signature, &content, output->repo->handle, &oid,
	                                         NULL) == 0 &&
	            signature.size > 0;

	git_buf_dispose(&signature);
	git_buf_dispose(&content);
	git_commit_free(commit);
	return same;
}

/* Another program makes the signed commit, and must find the tree. */
static enum status make_signed(struct sink *sink, struct git_output *output,
                               const struct git_commit_text *text, struct git_id tree,
                               struct git_id *ret_commit)
{
	const struct git_commit_draft draft = {
	    .text = text,
	    .tree = tree,
	    .parent = output->target.parent,
	    .is_root = text->kept != NULL,
	    .date = date_of(output),
	};
	struct git_id id;

	/* A signature cannot be made again. */
	BUG_ON(text->kept && text->kept->count > 0);
	if (finish_packs(sink, output) != STATUS_OK ||
	    text->sign(sink, text->sign_context, &draft, &id) != STATUS_OK)
		return STATUS_FAILED;
	(void)git_odb_refresh(output->repo->odb);
	if (!is_as_asked(output, &draft, id)) {
		struct diag *diag = diag_report(
		    sink, DIAG_COMMIT_SIGN, NOWHERE,
		    "git signed another commit than requested, or did not sign: it made %.*s",
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
