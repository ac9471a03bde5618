/*
 * The program git: finds it, chooses its environment, runs it, and reports what it prints.
 */
#include "remote/internal.h"

#include "secrecy/secrecy.h"

/* ---- the environment --------------------------------------------------------------------- */

/*
 * Variables that git does not get. They lead to another repository, index or set of objects (git
 * rev-parse --local-env-vars), or change how paths and refs are read, or are set here.
 * GIT_CONFIG_COUNT and GIT_CONFIG_PARAMETERS are kept, since CI configures git with them.
 */
static const char *const removed[] = {
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NOTES_REF",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
    "LANGUAGE",
    "LC_ALL",
    "PATH",
};

static bool is_removed(sv name)
{
	for (size_t i = 0; i < COUNT_OF(removed); i++)
		if (sv_eq_cstr(name, removed[i]))
			return true;
	return false;
}

static sv find_path(const struct remote_surroundings *surroundings)
{
	for (size_t i = 0; i < surroundings->environment_count; i++)
		if (sv_starts_with(surroundings->environment[i], SV("PATH=")))
			return sv_from_offset(surroundings->environment[i], strlen("PATH="));
	return SV(OS_USUAL_PATH);
}

struct remote_git remote_git_of(struct arena *arena, const struct git_repo *repo,
                                const struct remote_surroundings *surroundings)
{
	struct remote_git git = {
	    .arena = arena,
	    .git_dir = arena_dup(arena, git_repo_folder(repo)),
	    .common_dir = arena_dup(arena, git_repo_common_folder(repo)),
	    .work_tree = arena_dup(arena, git_repo_worktree(repo)),
	    .is_interactive = surroundings->is_interactive,
	};

	for (size_t i = 0; i < surroundings->environment_count; i++) {
		sv name;
		sv value;

		if (sv_cut(surroundings->environment[i], SV("="), &name, &value) &&
		    !is_removed(name) &&
		    (git.is_interactive || !sv_eq(name, SV("GIT_TERMINAL_PROMPT"))))
			VEC_PUSH(arena, &git.environment, surroundings->environment[i]);
	}
	sv path = os_trusted_path(arena, find_path(surroundings), git.work_tree);
	VEC_PUSH(arena, &git.environment, ARENA_CONCAT(arena, SV("PATH="), path));
	/* Its messages are compared and quoted in English. */
	VEC_PUSH(arena, &git.environment, SV("LC_ALL=C"));
	/* git/ does not follow replace refs either. */
	VEC_PUSH(arena, &git.environment, SV("GIT_NO_REPLACE_OBJECTS=1"));
	if (!git.is_interactive)
		VEC_PUSH(arena, &git.environment, SV("GIT_TERMINAL_PROMPT=0"));
	return git;
}

bool remote_git_find(struct remote_git *git, const struct remote_surroundings *surroundings)
{
	return os_find_program(git->arena, find_path(surroundings), SV("git"), git->work_tree,
	                       &git->program);
}

static bool is_variable_given(const struct remote_call *call, sv text)
{
	sv name = sv_slice(text, 0, sv_find_char(text, '=') + 1);

	for (size_t i = 0; i < call->environment_count; i++)
		if (sv_starts_with(call->environment[i], name))
			return true;
	return false;
}

/* ---- calls ------------------------------------------------------------------------------- */

enum status remote_run(struct sink *sink, struct remote_git *git, const struct remote_call *call,
                       struct os_ended *ret_ended)
{
	struct remote_texts arguments = {0};
	struct remote_texts environment = {0};
	struct arena *arena = git->arena;
	/* core.fsmonitor runs a program; maintenance would go on after the run. */
	static const sv always[] = {SV_INIT("-c"), SV_INIT("core.fsmonitor=false"),
	                            SV_INIT("-c"), SV_INIT("maintenance.auto=false"),
	                            SV_INIT("-c"), SV_INIT("gc.auto=0")};

	for (size_t i = 0; i < COUNT_OF(always); i++)
		VEC_PUSH(arena, &arguments, always[i]);
	if (git->hides_hooks || !call->runs_hooks) {
		VEC_PUSH(arena, &arguments, SV("-c"));
		VEC_PUSH(arena, &arguments, SV("core.hooksPath=/dev/null"));
	}
	for (size_t i = 0; i < call->argument_count; i++)
		VEC_PUSH(arena, &arguments, call->arguments[i]);
	/* If two variables had one name, the first would count. */
	VEC_EACH (text, &git->environment)
		if (!is_variable_given(call, *text))
			VEC_PUSH(arena, &environment, *text);
	VEC_PUSH(arena, &environment, ARENA_CONCAT(arena, SV("GIT_DIR="), git->git_dir));
	if (call->in_work_tree)
		VEC_PUSH(arena, &environment,
		         ARENA_CONCAT(arena, SV("GIT_WORK_TREE="), git->work_tree));
	for (size_t i = 0; i < call->environment_count; i++)
		VEC_PUSH(arena, &environment, call->environment[i]);
	const struct os_program program = {
	    .path = git->program,
	    .arguments = arguments.items,
	    .argument_count = arguments.count,
	    .environment = environment.items,
	    .environment_count = environment.count,
	    .folder = call->in_work_tree ? git->work_tree : git->git_dir,
	    .input = call->input,
	    .has_terminal = git->is_interactive,
	};
	return os_run_program(arena, sink, &program, ret_ended);
}

/* Masks the query strings of URLs: some servers take a token there. */
static sv mask_queries(struct arena *arena, sv text)
{
	struct buf buf = buf_in(arena);
	size_t begin;

	while ((begin = sv_find(text, SV("://"))) != SV_NPOS) {
		size_t query;
		size_t end = begin;

		while (end < text.len && !strchr(" \t\r\n'\"`", text.ptr[end]))
			end++;
		query = sv_find_char(sv_slice(text, begin, end), '?');
		if (query == SV_NPOS) {
			buf_add(&buf, sv_slice(text, 0, end));
		} else {
			buf_add(&buf, sv_slice(text, 0, begin + query + 1));
			BUF_ADD_LIT(&buf, "***");
		}
		text = sv_from_offset(text, end);
	}
	buf_add(&buf, text);
	return buf_sv(&buf);
}

sv remote_masked(struct arena *arena, sv text)
{
	return mask_queries(arena, secrecy_mask_userinfo(arena, text));
}

sv remote_first_line(sv text)
{
	return sv_trim_space(sv_slice(text, 0, sv_find_char(text, '\n')));
}

struct diag *remote_report(struct sink *sink, struct remote_git *git, enum diag_code code,
                           const struct os_ended *ended, sv text)
{
	enum { LINES_MAX = 8, LINE_MAX_BYTES = 300 };
	struct diag *diag = diag_report(sink, code, NOWHERE, "%.*s", SV_ARG(text));
	struct sv_splitter it = sv_split(remote_masked(git->arena, ended->err), '\n');
	struct remote_texts lines = {0};
	sv line;

	while (sv_split_next(&it, &line)) {
		/* The server overwrites its progress with carriage returns, and pads its lines. */
		line = sv_trim_space(sv_after_last(sv_trim_space(line), '\r'));
		if (!sv_empty(line) && !sv_starts_with(line, SV("hint:")) &&
		    !sv_eq(line, SV("remote:")))
			VEC_PUSH(git->arena, &lines, sv_slice(line, 0, LINE_MAX_BYTES));
	}
	size_t first = lines.count > LINES_MAX ? lines.count - LINES_MAX : 0;
	for (size_t i = first; i < lines.count; i++)
		diag_add_note(sink, diag, NOWHERE, "git: %.*s", SV_ARG(lines.items[i]));
	if (lines.count == 0)
		diag_add_note(sink, diag, NOWHERE, "git: exit status %d", ended->status);
	return diag;
}

/* ---- opening ----------------------------------------------------------------------------- */

void remote_report_no_git(struct sink *sink, enum diag_code code, const char *wanted)
{
	struct diag *diag = diag_report(sink, code, NOWHERE, "%s: git not found in PATH", wanted);

	diag_set_help(sink, diag,
	              "install git; relative folders of PATH and those in the work tree do not "
	              "count");
}

/* ---- small questions --------------------------------------------------------------------- */

enum status remote_resolve(struct sink *sink, struct remote_git *git, sv revision, sv *ret_hex)
{
	struct os_ended ended;
	sv commit = ARENA_CONCAT(git->arena, revision, SV("^{commit}"));

	if (REMOTE_RUN(sink, git, &ended, SV("rev-parse"), SV("--verify"), SV("--quiet"),
	               SV("--end-of-options"), commit) != STATUS_OK)
		return STATUS_FAILED;
	*ret_hex = ended.status == 0 ? remote_first_line(ended.out) : SV("");
	return STATUS_OK;
}

/* In a partial clone git would fetch missing commits, and without the filter. */
enum status remote_is_behind(struct sink *sink, struct remote_git *git, sv old, sv new,
                             bool *ret_is)
{
	const sv arguments[] = {SV("merge-base"), SV("--is-ancestor"), old, new};
	static const sv environment[] = {SV_INIT("GIT_NO_LAZY_FETCH=1"),
	                                 SV_INIT("GIT_ALLOW_PROTOCOL=none")};
	const struct remote_call call = {.arguments = arguments,
	                                 .argument_count = COUNT_OF(arguments),
	                                 .environment = environment,
	                                 .environment_count = COUNT_OF(environment)};
	struct os_ended ended;

	if (remote_run(sink, git, &call, &ended) != STATUS_OK)
		return STATUS_FAILED;
	*ret_is = ended.status == 0;
	return STATUS_OK;
}
