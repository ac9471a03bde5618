/*
 * The journal of a run's locks: written, and read by the next run.
 */
#include "git/locks.h"

#include "git/internal.h"
#include "os/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD        "osm-gen run 1"
#define RUN_PREFIX  "run-"
#define PACK_PREFIX "tmp_pack_osm-gen-"
#define FOLDER      "osm-gen"
#define LOCK_SUFFIX ".lock"

enum { RUN_JOURNAL_MAX = 64 * 1024, RUN_RECORDS_MAX = 64 };

struct git_locks {
	struct arena *arena;
	sv git_dir; /* the one that work trees share */
	sv objects;
	sv folder;
	sv name; /* of this run */
	int journal;
};

static sv lock_path(struct git_locks *locks, sv folder, sv name)
{
	return ARENA_CONCAT(locks->arena, folder, SV("/"), name);
}

/* ---- reading a journal ------------------------------------------------------------------- */

/* True for the lock of an index, a HEAD or a branch, which is all that a run locks. */
static bool is_lock_path(sv path)
{
	sv last = sv_after_last(path, '/');

	return git_path_is_good(path) && sv_ends_with(path, SV(LOCK_SUFFIX)) &&
	       (sv_starts_with(path, SV("refs/heads/")) || sv_eq(last, SV("index" LOCK_SUFFIX)) ||
	        sv_eq(last, SV("HEAD" LOCK_SUFFIX)));
}

/* "run-12-345.index": a file of that run. */
static bool is_file_of(sv run, sv file)
{
	return git_part_is_good(file) && file.len > run.len + 1 && sv_starts_with(file, run) &&
	       file.ptr[run.len] == '.';
}

static bool parse_record(sv run, sv line, struct git_run_record *ret_record)
{
	struct git_run_record record = {0};
	sv kind;
	sv inode;
	sv rest;
	int64_t number;

	if (!sv_cut(line, SV(" "), &kind, &rest))
		return false;
	if (sv_eq(kind, SV("pack"))) {
		record = (struct git_run_record){.is_pack = true, .name = rest};
		*ret_record = record;
		return sv_starts_with(rest, SV(PACK_PREFIX)) &&
		       sv_eq(sv_from_offset(rest, strlen(PACK_PREFIX)),
		             sv_from_offset(run, strlen(RUN_PREFIX)));
	}
	if (!sv_eq(kind, SV("lock")) || !sv_cut(rest, SV(" "), &record.name, &rest) ||
	    !sv_cut(rest, SV(" "), &inode, &record.path) || !sv_parse_int64(inode, &number) ||
	    number <= 0 || !is_file_of(run, record.name) || !is_lock_path(record.path))
		return false;
	record.inode = (uint64_t)number;
	*ret_record = record;
	return true;
}

/* "run-PID-START" */
static bool parse_name(sv name, int64_t *ret_pid, int64_t *ret_start)
{
	sv pid;
	sv start;

	return sv_starts_with(name, SV(RUN_PREFIX)) &&
	       sv_cut(sv_from_offset(name, strlen(RUN_PREFIX)), SV("-"), &pid, &start) &&
	       sv_parse_int64(pid, ret_pid) && sv_parse_int64(start, ret_start) && *ret_pid > 0 &&
	       *ret_start >= 0;
}

bool git_run_parse(struct arena *arena, sv name, sv text, sv *ret_boot,
                   struct git_run_records *ret_records)
{
	struct git_run_records records = {0};
	size_t end = sv_rfind_char(text, '\n');
	struct sv_splitter lines = sv_split(sv_slice(text, 0, end == SV_NPOS ? 0 : end), '\n');
	int64_t pid;
	int64_t start;
	sv line;

	*ret_boot = (sv){0};
	if (end == SV_NPOS) { /* it died over the first line */
		*ret_records = records;
		return parse_name(name, &pid, &start);
	}
	if (!parse_name(name, &pid, &start) || text.len > RUN_JOURNAL_MAX ||
	    !sv_split_next(&lines, &line) || !sv_eq(line, SV(HEAD)))
		return false;
	if (sv_split_next(&lines, &line)) {
		if (!sv_starts_with(line, SV("boot ")))
			return false;
		*ret_boot = sv_from_offset(line, strlen("boot "));
	}
	while (sv_split_next(&lines, &line)) {
		struct git_run_record record;

		if (!parse_record(name, line, &record) || records.count == RUN_RECORDS_MAX)
			return false;
		VEC_PUSH(arena, &records, record);
	}
	*ret_records = records;
	return true;
}

/* ---- dead runs --------------------------------------------------------------------------- */

/* Returns when the process began, in ticks since the boot, or 0 if there is no such process. */
static int64_t start_of(int64_t pid)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct sink ignored = sink_in(arena);
	sv text;
	sv field = {0};
	int64_t start = 0;

	if (os_read_file(arena, &ignored, arena_printf(arena, "/proc/%" PRId64 "/stat", pid), 4096,
	                 &text) != STATUS_OK)
		return 0;
	/* The name, in parentheses, may hold any bytes; fields 3 to 22 follow it. */
	size_t close = sv_rfind_char(text, ')');
	struct sv_splitter fields =
	    sv_split(sv_from_offset(text, close == SV_NPOS ? 0 : close), ' ');
	for (int i = 2; i <= 22 && sv_split_next(&fields, &field); i++)
		;
	return sv_parse_int64(field, &start) ? start : 0;
}

static sv boot_id(struct arena *arena)
{
	struct sink ignored = sink_in(arena);
	sv text;

	if (os_read_file(arena, &ignored, SV("/proc/sys/kernel/random/boot_id"), 256, &text) !=
	    STATUS_OK)
		return SV("unknown");
	return sv_trim_space(text);
}

/* Opens the folder of `path` below `root` without following links; negative if it is missing. */
static int open_folder_of(sv root, sv path)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	int at = open(arena_cstr(arena, root), O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t slash = sv_rfind_char(path, '/');
	struct sv_splitter parts = sv_split(sv_slice(path, 0, slash == SV_NPOS ? 0 : slash), '/');
	sv part;

	while (slash != SV_NPOS && at >= 0 && sv_split_next(&parts, &part)) {
		int next = openat(at, arena_cstr(arena, part),
		                  O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		close(at);
		at = next;
	}
	return at;
}

/* Removes the lock if it is the file of the run; returns true if it did. */
static bool remove_lock(struct git_locks *locks, const struct git_run_record *record)
{
	struct stat own;
	struct stat lock;
	bool removed = false;
	const char *name = arena_cstr(locks->arena, sv_after_last(record->path, '/'));
	int folder = open_folder_of(locks->git_dir, record->path);

	if (folder < 0)
		return false;
	if (lstat(arena_cstr(locks->arena, lock_path(locks, locks->folder, record->name)), &own) ==
	        0 &&
	    fstatat(folder, name, &lock, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(lock.st_mode) &&
	    own.st_dev == lock.st_dev && own.st_ino == lock.st_ino && own.st_ino == record->inode)
		removed = unlinkat(folder, name, 0) == 0;
	close(folder);
	return removed;
}

/* Returns true for the run's pack, its index, and copies of other runs' packs: NAME-1. */
static bool is_part_of_pack(sv name, sv file)
{
	return sv_starts_with(file, name) &&
	       (file.len == name.len || file.ptr[name.len] == '.' || file.ptr[name.len] == '-');
}

static void remove_pack(struct git_locks *locks, sv name)
{
	DIR *folder =
	    opendir(arena_cstr(locks->arena, lock_path(locks, locks->objects, SV("pack"))));
	const struct dirent *item;

	while (folder && (item = readdir(folder)) != NULL)
		if (is_part_of_pack(name, sv_from_cstr(item->d_name)))
			(void)unlinkat(dirfd(folder), item->d_name, 0);
	if (folder)
		closedir(folder);
}

/* The files of that run in the folder, its journal last. */
static void remove_files(struct git_locks *locks, sv run)
{
	DIR *folder = opendir(arena_cstr(locks->arena, locks->folder));
	const struct dirent *item;

	while (folder && (item = readdir(folder)) != NULL)
		if (is_file_of(run, sv_from_cstr(item->d_name)))
			(void)unlinkat(dirfd(folder), item->d_name, 0);
	if (folder)
		closedir(folder);
	unlink(arena_cstr(locks->arena, lock_path(locks, locks->folder, run)));
}

static void clear_run(struct sink *sink, struct git_locks *locks, sv run)
{
	struct git_run_records records;
	sv path = lock_path(locks, locks->folder, run);
	int64_t pid = 0;
	int64_t start = 0;
	sv boot;
	sv text;

	if (os_read_file(locks->arena, sink, path, RUN_JOURNAL_MAX, &text) != STATUS_OK)
		return;
	if (!git_run_parse(locks->arena, run, text, &boot, &records)) {
		struct diag *diag = diag_report(sink, DIAG_GIT_JOURNAL, NOWHERE,
		                                "cannot read the journal %.*s", SV_ARG(path));
		diag_set_help(sink, diag,
		              "if no other osm-gen is running there, remove the journal, and the "
		              "lock if one is left");
		return;
	}
	/* On file systems whose flock other hosts or containers do not see: the run may be alive.
	 */
	if (parse_name(run, &pid, &start) && sv_eq(boot, boot_id(locks->arena)) &&
	    start_of(pid) == start)
		return;
	VEC_EACH (record, &records) {
		if (record->is_pack)
			remove_pack(locks, record->name);
		else if (remove_lock(locks, record))
			diag_report(sink, DIAG_GIT_CLEARED, NOWHERE,
			            "an earlier run was stopped and left %.*s locked: removed",
			            SV_ARG(record->path));
	}
	remove_files(locks, run);
}

/* Takes each journal that no process holds. */
static void clear_dead_runs(struct sink *sink, struct git_locks *locks)
{
	DIR *folder = opendir(arena_cstr(locks->arena, locks->folder));
	const struct dirent *item;
	struct stat info;

	while (folder && (item = readdir(folder)) != NULL) {
		sv name = arena_dup(locks->arena, sv_from_cstr(item->d_name));

		if (!sv_starts_with(name, SV(RUN_PREFIX)) || sv_find_char(name, '.') != SV_NPOS)
			continue;
		int fd = openat(dirfd(folder), item->d_name,
		                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		/* A journal is a regular file. A pipe of that name would make the run wait. */
		if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
		    flock(fd, LOCK_EX | LOCK_NB) == 0)
			clear_run(sink, locks, name);
		close(fd);
	}
	if (folder)
		closedir(folder);
}

/* ---- this run's -------------------------------------------------------------------------- */

/*
 * Appends a line to the journal. If that fails, removes the part that was written: a line that
 * follows would otherwise continue it, and the next run could not read the journal.
 */
static bool append(struct git_locks *locks, sv line)
{
	off_t begin = lseek(locks->journal, 0, SEEK_CUR);

	if (os_write_all(locks->journal, line) && fsync(locks->journal) == 0)
		return true;
	int error = errno;
	if (begin >= 0 && ftruncate(locks->journal, begin) == 0)
		(void)lseek(locks->journal, begin, SEEK_SET);
	errno = error;
	return false;
}

static bool begin_journal(struct git_locks *locks, const char *path)
{
	struct stat info;
	sv pack = git_locks_pack(locks);

	locks->journal = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (locks->journal < 0 || flock(locks->journal, LOCK_EX) < 0 ||
	    fstat(locks->journal, &info) < 0)
		return false;
	if (info.st_nlink == 0) { /* another run took it for a dead one's, before it was locked */
		errno = EAGAIN;
		return false;
	}
	return append(locks, ARENA_CONCAT(locks->arena, SV(HEAD "\nboot "), boot_id(locks->arena),
	                                  SV("\npack "), pack, SV("\n")));
}

/* Removes the folder if no other run is at work. */
static void remove_folder(const struct git_locks *locks)
{
	(void)rmdir(arena_cstr(locks->arena, locks->folder));
}

enum status git_locks_open(struct arena *arena, struct sink *sink, struct git_repo *repo,
                           struct git_locks **ret_locks)
{
	enum { TRIES = 10 };
	struct git_locks *locks = ARENA_NEW(arena, struct git_locks);
	sv path = {0};
	int error = 0;

	*locks = (struct git_locks){
	    .arena = arena, .git_dir = repo->common_dir, .objects = repo->objects, .journal = -1};
	locks->folder = lock_path(locks, repo->common_dir, SV(FOLDER));
	enum os_kind kind = os_kind(locks->folder);
	if (kind != OS_ABSENT && kind != OS_FOLDER) {
		os_report_error(sink, ENOTDIR, "write in", locks->folder);
		return STATUS_FAILED;
	}
	clear_dead_runs(sink, locks);
	for (int i = 0; i < TRIES; i++) {
		if (os_make_folders(sink, locks->folder) != STATUS_OK)
			return STATUS_FAILED;
		locks->name = arena_printf(arena, RUN_PREFIX "%ld-%" PRId64, (long)getpid(),
		                           start_of((int64_t)getpid()) + i);
		path = lock_path(locks, locks->folder, locks->name);
		if (begin_journal(locks, arena_cstr(arena, path))) {
			*ret_locks = locks;
			return STATUS_OK;
		}
		error = errno;
		if (locks->journal >= 0) {
			unlink(arena_cstr(arena, path));
			close(locks->journal);
			locks->journal = -1;
		}
		/* The name is taken, the folder was removed, the journal was: by other runs. */
		if (error != EEXIST && error != ENOENT && error != EAGAIN)
			break;
	}
	os_report_error(sink, error, "write", path);
	remove_folder(locks);
	return STATUS_FAILED;
}

void git_locks_close(struct git_locks *locks)
{
	if (!locks)
		return;
	remove_files(locks, locks->name);
	close(locks->journal);
	remove_folder(locks);
}

sv git_locks_pack(const struct git_locks *locks)
{
	return ARENA_CONCAT(locks->arena, SV(PACK_PREFIX),
	                    sv_from_offset(locks->name, strlen(RUN_PREFIX)));
}

static sv file_name(const struct git_locks *locks, const char *what)
{
	return ARENA_CONCAT(locks->arena, locks->name, SV("."), sv_from_cstr(what));
}

sv git_locks_file(const struct git_locks *locks, const char *what)
{
	return ARENA_CONCAT(locks->arena, locks->folder, SV("/"), file_name(locks, what));
}

static sv lock_of(const struct git_locks *locks, sv target)
{
	return ARENA_CONCAT(locks->arena, target, SV(LOCK_SUFFIX));
}

/* File systems without hard links: the lock is a copy, which a kill leaves for a person. */
static bool copy_to_lock(struct sink *sink, sv file, sv lock)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	sv text;

	return os_read_file(arena, sink, file, SIZE_MAX / 4, &text) == STATUS_OK &&
	       os_write_new(sink, lock, text, OS_WRITE_SYNC) == STATUS_OK;
}

enum status git_lock_take(struct sink *sink, struct git_locks *locks, const char *what, sv target,
                          bool *ret_is_busy)
{
	sv file = git_locks_file(locks, what);
	sv lock = lock_of(locks, target);
	struct stat info;

	*ret_is_busy = false;
	BUG_ON(!sv_starts_with(lock, locks->git_dir));
	sv path = sv_from_offset(lock, locks->git_dir.len + 1);
	if (stat(arena_cstr(locks->arena, file), &info) < 0 ||
	    !append(locks, arena_printf(locks->arena, "lock %.*s %" PRIu64 " %.*s\n",
	                                SV_ARG(file_name(locks, what)), (uint64_t)info.st_ino,
	                                SV_ARG(path)))) {
		os_report_error(sink, errno, "write", locks->folder);
		return STATUS_FAILED;
	}
	if (link(arena_cstr(locks->arena, file), arena_cstr(locks->arena, lock)) == 0)
		return STATUS_OK;
	*ret_is_busy = errno == EEXIST;
	if (*ret_is_busy)
		return STATUS_FAILED;
	if (errno == EPERM || errno == EOPNOTSUPP || errno == EXDEV || errno == EMLINK ||
	    errno == ENOSYS) {
		*ret_is_busy = os_kind(lock) != OS_ABSENT;
		return !*ret_is_busy && copy_to_lock(sink, file, lock) ? STATUS_OK : STATUS_FAILED;
	}
	os_report_error(sink, errno, "lock", target);
	return STATUS_FAILED;
}

bool git_lock_commit(struct git_locks *locks, const char *what, sv target)
{
	if (rename(arena_cstr(locks->arena, lock_of(locks, target)),
	           arena_cstr(locks->arena, target)) < 0)
		return false;
	unlink(arena_cstr(locks->arena, git_locks_file(locks, what)));
	return true;
}

void git_lock_release(struct git_locks *locks, const char *what, sv target)
{
	unlink(arena_cstr(locks->arena, lock_of(locks, target)));
	unlink(arena_cstr(locks->arena, git_locks_file(locks, what)));
}
