/*
 * The branch moves: git's lock, its comparison, its reflogs. Source: git's gitrepository-layout(5),
 * git-reflog(1), git-config(1) on core.logAllRefUpdates; libgit2 reads the refs, loose and packed.
 */
#include "git/output.h"

#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#define WHAT "ref"

/* Where the ref is a file: HEAD is this work tree's, branches are all work trees'. */
static sv ref_path(struct git_output *output, const char *before, sv ref)
{
	sv folder = sv_eq(ref, SV("HEAD")) ? output->repo->git_dir : output->repo->common_dir;

	return ARENA_CONCAT(output->arena, folder, SV("/"), sv_from_cstr(before), ref);
}

static bool is_where_it_was(const struct git_output *output)
{
	const struct git_target *target = &output->target;
	git_reference *ref = NULL;
	int error = git_reference_lookup(&ref, output->repo->handle,
	                                 arena_cstr(output->arena, target->ref));
	bool same = error == GIT_ENOTFOUND && !target->has_tip;

	if (error == 0 && target->has_tip && git_reference_type(ref) == GIT_REFERENCE_DIRECT)
		same = git_id_equal(git_id_from(git_reference_target(ref)), target->tip);
	git_reference_free(ref);
	return same;
}

/* True if a branch a/b exists for a, or the reverse. Packed branches have no folder in the way. */
static bool has_rival(const struct git_output *output)
{
	const struct git_target *target = &output->target;
	git_reference_iterator *iterator = NULL;
	const char *name;
	bool found = false;

	for (size_t i = strlen("refs/heads/"); i < target->ref.len && !found; i++) {
		git_reference *ref = NULL;

		if (target->ref.ptr[i] != '/')
			continue;
		found = git_reference_lookup(
		            &ref, output->repo->handle,
		            arena_cstr(output->arena, sv_slice(target->ref, 0, i))) == 0;
		git_reference_free(ref);
	}
	sv glob = ARENA_CONCAT(output->arena, target->ref, SV("/*"));
	if (!found && git_reference_iterator_glob_new(&iterator, output->repo->handle,
	                                              arena_cstr(output->arena, glob)) == 0)
		found = git_reference_next_name(&name, iterator) == 0;
	git_reference_iterator_free(iterator);
	return found;
}

/* ---- reflogs ----------------------------------------------------------------------------- */

/* True if reflogs are made that do not exist: git makes none in a bare repository by itself. */
static bool makes_logs(const struct git_output *output)
{
	git_config *config = NULL;
	git_config_entry *entry = NULL;
	bool makes = output->repo->worktree.len > 0;
	int yes = 0;

	if (git_repository_config_snapshot(&config, output->repo->handle) == 0 &&
	    git_config_get_entry(&entry, config, "core.logallrefupdates") == 0) {
		/* "always" also covers refs that are not branches. */
		if (entry->value && strcmp(entry->value, "always") == 0)
			makes = true;
		else if (git_config_parse_bool(&yes, entry->value) == 0)
			makes = yes;
	}
	git_config_entry_free(entry);
	git_config_free(config);
	return makes;
}

static enum status append_log(struct sink *sink, struct git_output *output, sv ref, sv line)
{
	bool makes = makes_logs(output);
	sv path = ref_path(output, "logs/", ref);
	sv folder = sv_slice(path, 0, sv_rfind_char(path, '/'));

	if (makes && os_make_folders(sink, folder) != STATUS_OK)
		return STATUS_FAILED;
	int fd = open(arena_cstr(output->arena, path),
	              O_WRONLY | O_APPEND | O_CLOEXEC | (makes ? O_CREAT : 0), 0644);
	if (fd < 0 && errno == ENOENT && !makes)
		return STATUS_OK;
	bool done = fd >= 0 && os_write_all(fd, line) && fsync(fd) == 0;
	int error = errno;
	if (fd >= 0)
		close(fd);
	if (done)
		return STATUS_OK;
	os_report_error(sink, error, "write", path);
	return STATUS_FAILED;
}

static bool head_is_on(const struct git_output *output, sv ref)
{
	git_reference *head = NULL;
	bool on = false;

	if (git_reference_lookup(&head, output->repo->handle, "HEAD") == 0) {
		const char *name = git_reference_symbolic_target(head);

		on = name && sv_eq_cstr(ref, name);
	}
	git_reference_free(head);
	return on;
}

static enum status write_logs(struct sink *sink, struct git_output *output,
                              const struct git_commit_text *text, struct git_id commit)
{
	const struct git_target *target = &output->target;
	struct arena *arena = output->arena;
	git_signature *now = NULL;
	sv subject = sv_slice(text->message, 0, sv_find_char(text->message, '\n'));
	struct git_id old = target->has_tip ? target->tip : (struct git_id){0};

	/* When it moved, by the clock: git's reflog expires by that. */
	if (git_signature_now(&now, arena_cstr(arena, text->author_name),
	                      arena_cstr(arena, text->author_email)) < 0) {
		git_report(sink, DIAG_GIT_WRITE, "cannot write the reflog of %.*s",
		           SV_ARG(target->ref));
		return STATUS_FAILED;
	}
	int offset = now->when.offset;
	unsigned minutes = (unsigned)(offset < 0 ? -offset : offset);
	sv line =
	    arena_printf(arena, "%.*s %.*s %.*s <%.*s> %" PRId64 " %c%02u%02u\t%s: %.*s\n",
	                 SV_ARG(git_id_hex(arena, old)), SV_ARG(git_id_hex(arena, commit)),
	                 SV_ARG(text->author_name), SV_ARG(text->author_email),
	                 (int64_t)now->when.time, offset < 0 ? '-' : '+', minutes / 60,
	                 minutes % 60, text->kept ? "commit (history)" : "commit", SV_ARG(subject));
	git_signature_free(now);
	if (append_log(sink, output, target->ref, line) != STATUS_OK)
		return STATUS_FAILED;
	return head_is_on(output, target->ref) ? append_log(sink, output, SV("HEAD"), line)
	                                       : STATUS_OK;
}

/* ---- the move ---------------------------------------------------------------------------- */

static bool sync_folder_of(struct git_output *output, sv path)
{
	sv folder = sv_slice(path, 0, sv_rfind_char(path, '/'));
	int fd = open(arena_cstr(output->arena, folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Some file systems refuse to sync a folder; they order it themselves. */
	bool done = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return done;
}

static enum git_moved move_locked(struct sink *sink, struct git_output *output,
                                  const struct git_commit_text *text, struct git_id commit,
                                  int *ret_error)
{
	sv path = ref_path(output, "", output->target.ref);

	if (!is_where_it_was(output))
		return GIT_RACE;
	if (!output->target.has_tip && has_rival(output)) {
		diag_report(sink, DIAG_GIT_WRITE, NOWHERE,
		            "cannot make %.*s: a branch of that name, or with that name as a "
		            "folder, exists",
		            SV_ARG(output->target.ref));
		return GIT_NOT_MOVED;
	}
	if (write_logs(sink, output, text, commit) != STATUS_OK)
		return GIT_NOT_MOVED;
	/* An empty folder, where branches below it were. */
	(void)rmdir(arena_cstr(output->arena, path));
	if (!git_lock_commit(output->locks, WHAT, path)) {
		os_report_error(sink, errno, "move", path);
		return GIT_NOT_MOVED;
	}
	*ret_error = 0;
	if (sync_folder_of(output, path))
		return GIT_MOVED;
	*ret_error = errno;
	return GIT_MOVED_WITH_ERROR;
}

static void report_busy(struct sink *sink, const struct git_output *output, sv path)
{
	struct diag *diag =
	    diag_report(sink, DIAG_GIT_WRITE, NOWHERE,
	                "cannot move %.*s: another git has locked it", SV_ARG(output->target.ref));

	diag_set_help(sink, diag,
	              "run again when no other git is running there; if a git was killed, remove "
	              "its lock %.*s.lock",
	              SV_ARG(path));
}

enum git_moved git_target_move(struct sink *sink, struct git_output *output,
                               const struct git_commit_text *text, struct git_id commit,
                               int *ret_error)
{
	struct arena *arena = output->arena;
	sv path = ref_path(output, "", output->target.ref);
	sv folder = sv_slice(path, 0, sv_rfind_char(path, '/'));
	sv file = git_locks_file(output->locks, WHAT);
	bool busy = false;

	if (os_make_folders(sink, folder) != STATUS_OK ||
	    os_write_new(sink, file, ARENA_CONCAT(arena, git_id_hex(arena, commit), SV("\n")),
	                 OS_WRITE_SYNC) != STATUS_OK)
		return GIT_NOT_MOVED;
	if (git_lock_take(sink, output->locks, WHAT, path, &busy) != STATUS_OK) {
		if (busy)
			report_busy(sink, output, path);
		(void)unlink(arena_cstr(arena, file));
		return GIT_NOT_MOVED;
	}
	enum git_moved moved = move_locked(sink, output, text, commit, ret_error);
	if (moved == GIT_NOT_MOVED || moved == GIT_RACE)
		git_lock_release(output->locks, WHAT, path);
	return moved;
}
