/*
 * A repository opened, with its own configuration alone; ids; errors of libgit2.
 */
#include "git/git.h"
#include "git/internal.h"

#include "codec/codec.h"
#include "os/os.h"

#include <stdio.h>

/*
 * libgit2 1.5 loses some memory of libpcre2 whenever it opens a repository with extensions
 * (format version 1). The leak sanitizer passes over these, so that it keeps watching over ours.
 */
#if defined(__SANITIZE_ADDRESS__)
#define WATCHED_FOR_LEAKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED_FOR_LEAKS 1
#endif
#endif
#ifdef WATCHED_FOR_LEAKS
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpcre2-8\n";
}
const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}
#endif

struct diag *git_report(struct sink *sink, enum diag_code code, const char *format, ...)
{
	const git_error *error = git_error_last();
	va_list args;

	git_check_memory();
	va_start(args, format);
	sv what = arena_vprintf(sink->arena, format, args);
	va_end(args);
	if (error && error->message && error->klass != GIT_ERROR_NONE)
		return diag_report(sink, code, NOWHERE, "%.*s: %s", SV_ARG(what), error->message);
	return diag_report(sink, code, NOWHERE, "%.*s", SV_ARG(what));
}

enum status git_refuse_committed(struct sink *sink, sv path, const char *wanted,
                                 const char *committed)
{
	struct source *source = source_new(sink->arena, path, SV(""), false);
	struct diag *diag = diag_report(
	    sink, DIAG_GIT_COMMITTED_IN_THE_WAY, position_of_source(source),
	    "a %s of the output belongs here, but the commit has %s", wanted, committed);

	diag_set_help(sink, diag,
	              "move or remove it and commit that, or name another folder with --out");
	return STATUS_FAILED;
}

sv git_id_hex(struct arena *arena, struct git_id id)
{
	return hex_encode(arena, git_id_sv(&id));
}

bool git_id_parse(sv hex, struct git_id *ret_id)
{
	struct git_id id;

	/* Ids are also parsed where libgit2, which has such a function, is not set up. */
	if (hex.len != 2 * sizeof(id.bytes))
		return false;
	for (size_t i = 0; i < sizeof(id.bytes); i++) {
		unsigned high = ascii_digit_value(hex.ptr[2 * i]);
		unsigned low = ascii_digit_value(hex.ptr[2 * i + 1]);

		if (high > 15 || low > 15)
			return false;
		id.bytes[i] = (uint8_t)(high << 4 | low);
	}
	*ret_id = id;
	return true;
}

struct git_id git_id_of_object(const char *type, sv bytes)
{
	struct git_id id = {0};
	char header[32];
	int len = snprintf(header, sizeof(header), "%s %zu", type, bytes.len);
	DIGEST_AUTO digest = digest_new(DIGEST_SHA1);

	digest_add(digest, sv_from(header, (size_t)len + 1)); /* with its NUL */
	digest_add(digest, bytes);
	digest_finish(digest, id.bytes);
	return id;
}

struct git_id git_id_of_blob(sv bytes)
{
	return git_id_of_object("blob", bytes);
}

/*
 * True if libgit2's last error is a format that this version does not support. The words differ
 * from 1.7 on.
 */
static bool is_unknown_format(void)
{
	const git_error *last = git_error_last();

	return last && last->message &&
	       (strstr(last->message, "extension") || strstr(last->message, "object format"));
}

/* Returns the help for libgit2's last error in opening a repository. */
static const char *format_help(void)
{
	const char *words = git_error_last()->message;

	if (strstr(words, "refstorage"))
		return "the refs are in reftables: git clone --ref-format=files makes a clone "
		       "with them in files; in a bare repository git refs migrate "
		       "--ref-format=files does that";
	if (strstr(words, "object"))
		return "objects have SHA-256 names: bring the history into a new repository with "
		       "SHA-1 names: git fast-export --all | git -C NEW fast-import";
	return "use a clone in git's ordinary format, without that extension";
}

/* Linked work trees and submodules have a file that leads to git's folder. */
static bool leads_nowhere(struct arena *arena, sv path, sv *ret_target)
{
	struct sink ignored = sink_in(arena);
	sv file = ARENA_CONCAT(arena, path, SV("/.git"));
	sv text;

	if (os_kind(file) != OS_FILE ||
	    os_read_file(arena, &ignored, file, 65536, &text) != STATUS_OK ||
	    !sv_starts_with(text, SV("gitdir: ")))
		return false;
	*ret_target = sv_trim_right(sv_from_offset(text, strlen("gitdir: ")), "\r\n");
	sv full = sv_starts_with(*ret_target, SV("/"))
	              ? *ret_target
	              : ARENA_CONCAT(arena, path, SV("/"), *ret_target);
	return os_kind(full) != OS_FOLDER;
}

static bool has_no_worktree(struct arena *arena, sv path, sv *ret_target)
{
	static const char *const files[] = {"/.git/config", "/config"};
	bool found = false;

	for (size_t i = 0; i < COUNT_OF(files) && !found; i++) {
		git_config *config = NULL;
		git_buf worktree = {0};

		found = git_config_open_ondisk(
		            &config,
		            arena_cstr(arena, ARENA_CONCAT(arena, path, sv_from_cstr(files[i])))) ==
		            0 &&
		        git_config_get_string_buf(&worktree, config, "core.worktree") == 0;
		if (found)
			*ret_target = arena_dup(arena, sv_from(worktree.ptr, worktree.size));
		git_buf_dispose(&worktree);
		git_config_free(config);
	}
	return found;
}

/* There is something of a repository, and the rest of it is not. */
static bool report_half(struct arena *arena, struct sink *sink, sv path)
{
	sv target;
	struct diag *diag;

	if (leads_nowhere(arena, path, &target)) {
		diag = diag_report(
		    sink, DIAG_GIT_REPOSITORY, NOWHERE,
		    "cannot open repository %.*s: its .git leads to %.*s, which is not a folder",
		    SV_ARG(path), SV_ARG(target));
		diag_set_help(sink, diag,
		              "a linked work tree or a submodule needs its main repository under "
		              "the same path: provide it, or use a clone");
		return true;
	}
	if (!has_no_worktree(arena, path, &target))
		return false;
	diag = diag_report(sink, DIAG_GIT_REPOSITORY, NOWHERE,
	                   "cannot open repository %.*s: its work tree, core.worktree %.*s, cannot "
	                   "be opened",
	                   SV_ARG(path), SV_ARG(target));
	diag_set_help(
	    sink, diag,
	    "provide that folder, or remove the setting: git config --unset core.worktree");
	return true;
}

static void report_open(struct arena *arena, struct sink *sink, sv path, int error)
{
	git_buf above = {0};
	struct diag *diag;

	if (is_unknown_format()) {
		const char *help = format_help();

		diag =
		    git_report(sink, DIAG_GIT_FORMAT, "cannot open repository %.*s", SV_ARG(path));
		diag_set_help(sink, diag, "%s", help);
		return;
	}
	if (error == GIT_ENOTFOUND && report_half(arena, sink, path))
		return;
	if (error == GIT_ENOTFOUND)
		diag =
		    diag_report(sink, DIAG_GIT_REPOSITORY, NOWHERE,
		                "cannot open repository %.*s: not a git repository", SV_ARG(path));
	else
		diag = git_report(sink, DIAG_GIT_REPOSITORY, "cannot open repository %.*s",
		                  SV_ARG(path));
	if (error == GIT_ENOTFOUND &&
	    git_repository_discover(&above, arena_cstr(arena, path), 0, NULL) == 0) {
		sv root = sv_from(above.ptr, above.size);

		if (sv_ends_with(root, SV("/.git/")))
			root.len -= 5;
		diag_set_help(sink, diag, "give the repository's root: the one above is %.*s",
		              SV_ARG(root));
	} else {
		diag_set_help(sink, diag,
		              "give the root of a work tree or a bare repository; `osm-gen init "
		              "DIR` starts one");
	}
	git_buf_dispose(&above);
}

static sv without_slash(struct arena *arena, const char *path)
{
	sv s = sv_from_cstr(path);

	while (s.len > 1 && s.ptr[s.len - 1] == '/')
		s.len--;
	return arena_dup(arena, s);
}

/* Returns true for what a repository's root has; libgit2, which starts slowly, is not asked. */
static bool looks_like_root(void)
{
	return os_kind(SV(".git")) != OS_ABSENT ||
	       (os_kind(SV("HEAD")) == OS_FILE && os_kind(SV("objects")) == OS_FOLDER);
}

sv git_repo_find(struct arena *arena)
{
	git_repository *repo = NULL;
	sv root = SV(".");

	if (looks_like_root() || !git_library_open())
		return root;
	if (git_repository_open_ext(&repo, ".", 0, NULL) == 0) {
		const char *worktree = git_repository_workdir(repo);

		root = without_slash(arena, worktree ? worktree : git_repository_path(repo));
	}
	git_repository_free(repo);
	git_libgit2_shutdown();
	return root;
}

static enum status open_handle(struct sink *sink, struct git_repo *repo)
{
	git_buf objects = {0};
	int error = git_repository_open_ext(&repo->handle, arena_cstr(repo->arena, repo->path),
	                                    GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);

	if (error < 0) {
		report_open(repo->arena, sink, repo->path, error);
		return STATUS_FAILED;
	}
	if (git_repository_odb(&repo->odb, repo->handle) < 0 ||
	    git_repository_item_path(&objects, repo->handle, GIT_REPOSITORY_ITEM_OBJECTS) < 0) {
		git_report(sink, DIAG_GIT_REPOSITORY, "cannot open repository %.*s",
		           SV_ARG(repo->path));
		return STATUS_FAILED;
	}
	repo->objects = without_slash(repo->arena, objects.ptr);
	git_buf_dispose(&objects);
	if (git_add_loose_reader(repo) < 0) {
		git_report(sink, DIAG_GIT_REPOSITORY, "cannot open repository %.*s",
		           SV_ARG(repo->path));
		return STATUS_FAILED;
	}
	repo->git_dir = without_slash(repo->arena, git_repository_path(repo->handle));
	repo->common_dir = without_slash(repo->arena, git_repository_commondir(repo->handle));
	const char *worktree = git_repository_workdir(repo->handle);
	if (worktree && !git_repository_is_bare(repo->handle))
		repo->worktree = without_slash(repo->arena, worktree);
	return STATUS_OK;
}

enum status git_repo_open(struct arena *arena, struct sink *sink, sv path,
                          struct git_repo **ret_repo)
{
	struct git_repo *repo = ARENA_NEW(arena, struct git_repo);

	*repo = (struct git_repo){.arena = arena, .path = arena_dup(arena, path)};
	if (!git_library_open()) {
		git_report(sink, DIAG_GIT_REPOSITORY, "cannot start libgit2");
		return STATUS_FAILED;
	}
	if (open_handle(sink, repo) != STATUS_OK) {
		git_repo_close(repo);
		return STATUS_FAILED;
	}
	*ret_repo = repo;
	return STATUS_OK;
}

void git_repo_close(struct git_repo *repo)
{
	if (!repo)
		return;
	git_odb_free(repo->odb);
	git_repository_free(repo->handle);
	git_libgit2_shutdown();
}

void git_repo_limit(struct git_repo *repo, struct quota *entries)
{
	repo->entries = entries;
}

sv git_repo_worktree(const struct git_repo *repo)
{
	return repo ? repo->worktree : SV("");
}

sv git_repo_folder(const struct git_repo *repo)
{
	return repo->git_dir;
}

sv git_repo_common_folder(const struct git_repo *repo)
{
	return repo->common_dir;
}

bool git_repo_wants_signature(const struct git_repo *repo)
{
	git_config *config = NULL;
	git_config_entry *entry = NULL;
	int yes = 0;

	if (git_repository_config_snapshot(&config, repo->handle) == 0 &&
	    git_config_get_entry(&entry, config, "commit.gpgsign") == 0 &&
	    git_config_parse_bool(&yes, entry->value) < 0)
		yes = 1;
	git_config_entry_free(entry);
	git_config_free(config);
	return yes != 0;
}

sv git_repo_origin(struct arena *arena, const struct git_repo *repo)
{
	git_config *config = NULL;
	git_config_entry *entry = NULL;
	sv url = SV("");

	if (git_repository_config_snapshot(&config, repo->handle) == 0 &&
	    git_config_get_entry(&entry, config, "remote.origin.url") == 0)
		url = arena_dup(arena, sv_from_cstr(entry->value));
	git_config_entry_free(entry);
	git_config_free(config);
	return url;
}

bool git_repo_is_shallow(const struct git_repo *repo)
{
	return git_repository_is_shallow(repo->handle) == 1;
}

bool git_repo_is_unborn(const struct git_repo *repo)
{
	return git_repository_head_unborn(repo->handle) == 1;
}

bool git_repo_is_detached(const struct git_repo *repo)
{
	return git_repository_head_detached(repo->handle) == 1;
}

bool git_repo_is_linked(const struct git_repo *repo)
{
	return git_repository_is_worktree(repo->handle) == 1;
}

sv git_library_version(struct arena *arena)
{
	int major;
	int minor;
	int revision;

	git_libgit2_version(&major, &minor, &revision);
	return arena_printf(arena, "%d.%d.%d", major, minor, revision);
}
