/*
 * Signed commits: the program git signs, with the key and the format of its configuration.
 */
#include "remote/internal.h"

/* The context of sign(). */
struct remote_signer {
	struct arena *arena;
	const struct git_repo *repo;
	const struct remote_surroundings *surroundings;
};

/* Sets *ret_is to true if commit.gpgSign is true. */
static enum status is_wanted(struct sink *sink, struct remote_git *git, bool *ret_is)
{
	struct os_ended ended;

	if (REMOTE_RUN(sink, git, &ended, SV("config"), SV("--type=bool"), SV("--get"),
	               SV("commit.gpgSign")) != STATUS_OK)
		return STATUS_FAILED;
	if (ended.status > 1) {
		struct diag *diag = remote_report(sink, git, DIAG_COMMIT_SIGN, &ended,
		                                  SV("git cannot read its setting commit.gpgSign"));
		diag_set_help(sink, diag, "correct git's configuration: commit.gpgSign");
		return STATUS_FAILED;
	}
	*ret_is = ended.status == 0 && sv_eq(remote_first_line(ended.out), SV("true"));
	return STATUS_OK;
}

static enum status report_unsigned(struct sink *sink, struct remote_git *git,
                                   const struct os_ended *ended)
{
	struct diag *diag =
	    remote_report(sink, git, DIAG_COMMIT_SIGN, ended,
	                  SV("the commit cannot be signed, as commit.gpgSign asks"));

	diag_set_help(sink, diag,
	              "see that `git commit-tree -S -m try HEAD^{tree}` works here "
	              "(user.signingKey, gpg.format), or set commit.gpgSign to false");
	return STATUS_FAILED;
}

static sv identity(struct arena *arena, const char *role, const char *part, sv value)
{
	return arena_printf(arena, "GIT_%s_%s=%.*s", role, part, SV_ARG(value));
}

/* The text->sign of git_commit_text; tree and parent are in the repository by then. */
static enum status sign(struct sink *sink, void *context, const struct git_commit_draft *draft,
                        struct git_id *ret_commit)
{
	const struct remote_signer *signer = context;
	struct arena *arena = signer->arena;
	struct remote_git git = remote_git_of(arena, signer->repo, signer->surroundings);
	const sv arguments[] = {SV("-c"),
	                        SV("i18n.commitEncoding=UTF-8"),
	                        SV("commit-tree"),
	                        SV("-S"),
	                        git_id_hex(arena, draft->tree),
	                        SV("-p"),
	                        git_id_hex(arena, draft->parent)};
	const struct git_commit_text *text = draft->text;
	/* With "@" git reads the number as seconds, however small it is. */
	const sv date = ARENA_CONCAT(arena, SV("@"), draft->date);
	const sv environment[] = {identity(arena, "AUTHOR", "NAME", text->author_name),
	                          identity(arena, "AUTHOR", "EMAIL", text->author_email),
	                          identity(arena, "AUTHOR", "DATE", date),
	                          identity(arena, "COMMITTER", "NAME", text->author_name),
	                          identity(arena, "COMMITTER", "EMAIL", text->author_email),
	                          identity(arena, "COMMITTER", "DATE", date)};
	const struct remote_call call = {
	    .arguments = arguments,
	    .argument_count = COUNT_OF(arguments) - (draft->is_root ? 2 : 0),
	    .input = text->message,
	    .environment = environment,
	    .environment_count = COUNT_OF(environment),
	};
	struct os_ended ended;

	git.only_signs = true;
	BUG_ON(!remote_git_find(&git, signer->surroundings));
	if (remote_git_probe(sink, &git) != STATUS_OK ||
	    remote_check_commands(sink, &git) != STATUS_OK ||
	    remote_run(sink, &git, &call, &ended) != STATUS_OK)
		return STATUS_FAILED;
	if (ended.status != 0 || !git_id_parse(remote_first_line(ended.out), ret_commit))
		return report_unsigned(sink, &git, &ended);
	return STATUS_OK;
}

enum status remote_find_signer(struct arena *arena, struct sink *sink, const struct git_repo *repo,
                               const struct remote_surroundings *surroundings,
                               struct git_commit_text *text)
{
	struct remote_git git = remote_git_of(arena, repo, surroundings);
	bool wanted = false;

	if (!remote_git_find(&git, surroundings)) {
		if (!git_repo_wants_signature(repo))
			return STATUS_OK;
		remote_report_no_git(sink, DIAG_COMMIT_SIGN,
		                     "the commit cannot be signed, as commit.gpgSign asks");
		return STATUS_FAILED;
	}
	if (is_wanted(sink, &git, &wanted) != STATUS_OK)
		return STATUS_FAILED;
	if (!wanted)
		return STATUS_OK;
	struct remote_signer *signer = ARENA_NEW(arena, struct remote_signer);
	*signer = (struct remote_signer){arena, repo, surroundings};
	text->sign = sign;
	text->sign_context = signer;
	return STATUS_OK;
}
