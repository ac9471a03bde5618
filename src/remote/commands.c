/*
 * Checks the programs that git's configuration and the environment name. Whoever may propose a
 * change decides which files are in the work tree, so no program may come from there: not by a
 * relative path, not by a link, and not as a word of a command line.
 */
#include "remote/internal.h"

/* ---- settings that name programs ---------------------------------------------------------- */

enum role {
	ROLE_RUN,     /* a program that pushing, fetching or checking out runs */
	ROLE_SIGN,    /* a program that signing runs */
	ROLE_ADDRESS, /* an address: "ext::COMMAND" is run, and so are the hooks of a local one */
	ROLE_REWRITE, /* url.ADDRESS.insteadOf */
};

/* git prints the first and the last part of a key in lower case. */
static const struct command_key {
	const char *first;
	const char *last; /* after any middle part; null if `first` is the whole key */
	enum role role;
} command_keys[] = {
    {"core.alternaterefscommand", NULL, ROLE_RUN},
    {"core.askpass", NULL, ROLE_RUN},
    {"core.gitproxy", NULL, ROLE_RUN},
    {"core.sshcommand", NULL, ROLE_RUN},
    {"credential.helper", NULL, ROLE_RUN},
    {"credential.", ".helper", ROLE_RUN},
    {"filter.", ".clean", ROLE_RUN},
    {"filter.", ".process", ROLE_RUN},
    {"filter.", ".smudge", ROLE_RUN},
    {"gpg.program", NULL, ROLE_SIGN},
    {"gpg.", ".program", ROLE_SIGN},
    {"gpg.ssh.defaultkeycommand", NULL, ROLE_SIGN},
    {"remote.", ".pushurl", ROLE_ADDRESS},
    {"remote.", ".receivepack", ROLE_RUN},
    {"remote.", ".uploadpack", ROLE_RUN},
    {"remote.", ".url", ROLE_ADDRESS},
    {"remote.", ".vcs", ROLE_RUN},
    {"uploadpack.packobjectshook", NULL, ROLE_RUN},
    {"url.", ".insteadof", ROLE_REWRITE},
    {"url.", ".pushinsteadof", ROLE_REWRITE},
};

static const struct command_variable {
	const char *name;
} command_variables[] = {
    {"GIT_ASKPASS"}, {"GIT_EXEC_PATH"},   {"GIT_PROXY_COMMAND"},
    {"GIT_SSH"},     {"GIT_SSH_COMMAND"}, {"SSH_ASKPASS"},
};

static const struct command_key *find_key(sv key)
{
	for (size_t i = 0; i < COUNT_OF(command_keys); i++) {
		const struct command_key *known = &command_keys[i];

		if (!known->last ? sv_eq_cstr(key, known->first)
		                 : sv_starts_with(key, sv_from_cstr(known->first)) &&
		                       sv_ends_with(key, sv_from_cstr(known->last)))
			return known;
	}
	return NULL;
}

/* ---- where a word leads ------------------------------------------------------------------- */

/* Returns an absolute path without "." and "..", whether it is there or not. */
static sv normalized(struct arena *arena, sv path)
{
	struct sv_splitter it = sv_split(path, '/');
	struct remote_texts parts = {0};
	struct buf buf = buf_in(arena);
	sv part;

	while (sv_split_next(&it, &part)) {
		if (sv_eq(part, SV("..")))
			parts.count -= parts.count > 0;
		else if (!sv_empty(part) && !sv_eq(part, SV(".")))
			VEC_PUSH(arena, &parts, part);
	}
	VEC_EACH (kept, &parts)
		buf_printf(&buf, "/%.*s", SV_ARG(*kept));
	return buf_sv(&buf);
}

static bool is_path_below(sv path, sv folder)
{
	folder = sv_trim_right(folder, "/");
	if (sv_empty(folder) || !sv_starts_with(path, folder))
		return false;
	path = sv_from_offset(path, folder.len);
	return sv_empty(path) || sv_starts_with(path, SV("/"));
}

/* True if the path, or the file that its links lead to, is in the work tree but not in .git. */
static bool leads_to_work_tree(struct remote_git *git, sv path)
{
	sv plain = normalized(git->arena, path);

	return (is_path_below(plain, git->work_tree) && !is_path_below(plain, git->common_dir)) ||
	       (os_is_inside(git->arena, path, git->work_tree) &&
	        !os_is_inside(git->arena, path, git->common_dir));
}

/* Returns the value of a variable, or an empty string. */
static sv variable_of(const struct remote_git *git, const char *name)
{
	size_t length = strlen(name);

	VEC_EACH (text, &git->environment)
		if (sv_starts_with(*text, sv_from_cstr(name)) && text->len > length &&
		    text->ptr[length] == '=')
			return sv_from_offset(*text, length + 1);
	return SV("");
}

struct word {
	sv text;
	bool
	    is_program; /* the first word of a command: refused even if the file is not committed */
};

/*
 * Sets *ret_path to the path that the word names in the work tree, or to an empty string. A
 * relative path is tried in the git directory, where git works, and in the work tree, where it
 * checks files out. An argument counts only if its file is committed; an untracked one is this
 * clone's own.
 */
static enum status check_word(struct sink *sink, struct remote_git *git, struct word word,
                              sv *ret_path)
{
	const sv bases[] = {git->git_dir, git->work_tree};
	sv paths[COUNT_OF(bases)];
	size_t count = COUNT_OF(bases);

	*ret_path = SV("");
	if (sv_find_char(word.text, '/') == SV_NPOS && !sv_eq(word.text, SV("..")))
		return STATUS_OK;
	if (sv_starts_with(word.text, SV("~/")))
		word.text = ARENA_CONCAT(git->arena, variable_of(git, "HOME"), SV("/"),
		                         sv_from_offset(word.text, 2));
	for (size_t i = 0; i < count; i++)
		paths[i] = ARENA_CONCAT(git->arena, bases[i], SV("/"), word.text);
	if (sv_starts_with(word.text, SV("/"))) {
		paths[0] = word.text;
		count = 1;
	}
	for (size_t i = 0; i < count && sv_empty(*ret_path); i++) {
		bool is_taken = leads_to_work_tree(git, paths[i]);
		sv real = paths[i];

		(void)os_real_path(git->arena, paths[i], &real);
		if (is_taken && !word.is_program &&
		    remote_is_committed(sink, git, real, &is_taken) != STATUS_OK)
			return STATUS_FAILED;
		if (is_taken)
			*ret_path = paths[i];
	}
	return STATUS_OK;
}

/*
 * Returns the part of a word that may be a path: in an option ("-F/etc/x") from the slash on (with
 * dots before it), in a word with a variable ("$HOME/x") after the slash, since the variable's
 * value is not known here.
 */
static sv path_in(sv word, bool *ret_is_expanded)
{
	size_t slash = sv_find_char(word, '/');

	*ret_is_expanded = sv_starts_with(word, SV("$"));
	if (slash == SV_NPOS)
		return word;
	if (*ret_is_expanded)
		return sv_from_offset(word, slash + 1);
	if (!sv_starts_with(word, SV("-")))
		return word;
	while (slash > 0 && word.ptr[slash - 1] == '.')
		slash--;
	return sv_from_offset(word, slash);
}

/* Checks the command both as one path, which may have blanks, and as a line of words. */
static enum status find_in_command(struct sink *sink, struct remote_git *git, sv command,
                                   sv *ret_path)
{
	static const char separators[] = " \t\r\n'\"`;|&()<>=,{}";
	size_t end = 0;
	bool is_first = true;

	command = sv_trim_space(command);
	if (sv_starts_with(command, SV("!")))
		command = sv_trim_space(sv_from_offset(command, 1));
	*ret_path = SV("");
	if ((sv_starts_with(command, SV("/")) || sv_find_char(command, ' ') == SV_NPOS) &&
	    check_word(sink, git, (struct word){command, true}, ret_path) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t begin = 0; begin < command.len && sv_empty(*ret_path); begin = end + 1) {
		bool is_expanded;

		for (end = begin; end < command.len && !strchr(separators, command.ptr[end]);)
			end++;
		if (end == begin)
			continue;
		sv word = path_in(sv_slice(command, begin, end), &is_expanded);
		if (check_word(sink, git, (struct word){word, is_first && !is_expanded},
		               ret_path) != STATUS_OK)
			return STATUS_FAILED;
		is_first = false;
	}
	return STATUS_OK;
}

static enum status find_in_address(struct sink *sink, struct remote_git *git, sv address,
                                   sv *ret_path)
{
	if (sv_starts_with(address, SV("ext::")))
		return find_in_command(sink, git, sv_from_offset(address, strlen("ext::")),
		                       ret_path);
	if (sv_starts_with(address, SV("file://")))
		address = sv_from_offset(address, strlen("file://"));
	sv whole = normalized(git->arena, address);
	*ret_path = SV("");
	/* A push to this repository itself runs no file of the work tree. */
	if (sv_contains(address, SV("://")) || sv_eq(whole, normalized(git->arena, git->work_tree)))
		return STATUS_OK;
	return check_word(sink, git, (struct word){address, false}, ret_path);
}

/* ---- the check ---------------------------------------------------------------------------- */

static enum status refuse_program(struct sink *sink, sv path, sv name, bool is_variable)
{
	struct diag *diag = diag_report(
	    sink, DIAG_PUSH_COMMAND, NOWHERE,
	    "git would run a program of the work tree, %.*s: %s%.*s names it", SV_ARG(path),
	    is_variable ? "the environment variable " : "its setting ", SV_ARG(name));

	diag_set_help(sink, diag,
	              "anybody who proposes a change can choose that program: have %.*s name one "
	              "outside of the work tree, or %s %.*s",
	              SV_ARG(name), is_variable ? "unset" : "git config --unset", SV_ARG(name));
	return STATUS_FAILED;
}

static enum status check_setting(struct sink *sink, struct remote_git *git, sv key, sv value)
{
	const struct command_key *known = find_key(key);
	sv path = {0};
	enum status status = STATUS_OK;

	if (!known || (git->only_signs ? known->role != ROLE_SIGN
	                               : known->role == ROLE_SIGN && !git->signs_pushes))
		return STATUS_OK;
	switch (known->role) {
	case ROLE_RUN:
	case ROLE_SIGN:
		status = find_in_command(sink, git, value, &path);
		break;
	case ROLE_REWRITE:
		value = sv_slice(key, strlen(known->first), key.len - strlen(known->last));
		status = find_in_address(sink, git, value, &path);
		break;
	case ROLE_ADDRESS:
		status = find_in_address(sink, git, value, &path);
		break;
	}
	if (status == STATUS_OK && !sv_empty(path))
		return refuse_program(sink, path, key, false);
	return status;
}

static enum status check_variables(struct sink *sink, struct remote_git *git)
{
	for (size_t i = 0; i < COUNT_OF(command_variables); i++) {
		const char *name = command_variables[i].name;
		sv value = variable_of(git, name);
		sv path = {0};

		if (sv_empty(value))
			continue;
		if (find_in_command(sink, git, value, &path) != STATUS_OK)
			return STATUS_FAILED;
		if (!sv_empty(path))
			return refuse_program(sink, path, sv_from_cstr(name), true);
	}
	return STATUS_OK;
}

/* Splits "KEY\nVALUE", or "KEY" for a setting without a value. */
static void split_setting(sv text, sv *ret_key, sv *ret_value)
{
	if (!sv_cut(text, SV("\n"), ret_key, ret_value)) {
		*ret_key = text;
		*ret_value = SV("");
	}
}

enum status remote_check_commands(struct sink *sink, struct remote_git *git)
{
	struct os_ended ended;
	struct sv_splitter it;
	sv text;
	sv key;
	sv value;

	if (sv_empty(git->work_tree))
		return STATUS_OK;
	if (!git->only_signs && check_variables(sink, git) != STATUS_OK)
		return STATUS_FAILED;
	if (REMOTE_RUN(sink, git, &ended, SV("config"), SV("--list"), SV("-z")) != STATUS_OK)
		return STATUS_FAILED;
	it = sv_split(ended.out, '\0');
	while (sv_split_next(&it, &text)) {
		split_setting(text, &key, &value);
		if (sv_eq(key, SV("push.gpgsign")))
			git->signs_pushes = !sv_eq(value, SV("false"));
	}
	it = sv_split(ended.out, '\0');
	while (sv_split_next(&it, &text)) {
		split_setting(text, &key, &value);
		if (check_setting(sink, git, key, value) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

enum status remote_check_address(struct sink *sink, struct remote_git *git, sv address)
{
	sv path = {0};

	if (sv_empty(git->work_tree))
		return STATUS_OK;
	if (find_in_address(sink, git, address, &path) != STATUS_OK)
		return STATUS_FAILED;
	if (sv_empty(path))
		return STATUS_OK;
	struct diag *diag =
	    diag_report(sink, DIAG_PUSH_COMMAND, NOWHERE,
	                "the remote to push to is in the work tree, %.*s", SV_ARG(path));
	diag_set_help(sink, diag,
	              "anybody who proposes a change can choose its hooks: give --push a "
	              "repository outside of the work tree");
	return STATUS_FAILED;
}
