/*
 * Files that wait in the git directory, and the journal by which a later run ends what this one
 * began.
 */
#include "git/stage.h"

#include "git/internal.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define JOURNAL_HEAD "osm-gen journal 1"

enum { LOCK_PAUSE_MS = 20, JOURNAL_MAX = 1 << 30 };

struct full_path {
	char text[PATH_MAX];
};

static bool join(struct full_path *full, sv folder, sv name, const char *suffix)
{
	int len = snprintf(full->text, sizeof(full->text), "%.*s/%.*s%s", SV_ARG(folder),
	                   SV_ARG(name), suffix);

	if (len < 0 || (size_t)len >= sizeof(full->text)) {
		errno = ENAMETOOLONG;
		return false;
	}
	return true;
}

static bool exists(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0;
}

/* ---- opening ----------------------------------------------------------------------------- */

/* flock ends with the process, however that ends, so that no lock is left. */
static enum status take_lock(struct sink *sink, struct git_stage *stage, sv locked,
                             unsigned patience_ms)
{
	const struct timespec pause = {0, LOCK_PAUSE_MS * 1000000L};

	stage->lock = open(arena_cstr(stage->arena, locked), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (stage->lock < 0) {
		os_report_error(sink, errno, "open", locked);
		return STATUS_FAILED;
	}
	for (unsigned waited_ms = 0;; waited_ms += LOCK_PAUSE_MS) {
		if (flock(stage->lock, LOCK_EX | LOCK_NB) == 0)
			return STATUS_OK;
		if (errno != EWOULDBLOCK && errno != EINTR) {
			os_report_error(sink, errno, "lock", locked);
			return STATUS_FAILED;
		}
		if (os_check_signals(sink) != STATUS_OK)
			return STATUS_FAILED;
		if (waited_ms >= patience_ms)
			break;
		nanosleep(&pause, NULL);
	}
	diag_report(sink, DIAG_GIT_BUSY, NOWHERE, "another osm-gen is running on %.*s",
	            SV_ARG(stage->root));
	return STATUS_FAILED;
}

/* The next text before a NUL; false when there is none. */
static bool take_field(sv *text, sv *ret_field)
{
	size_t end = sv_find_char(*text, '\0');

	if (end == SV_NPOS)
		return false;
	*ret_field = sv_slice(*text, 0, end);
	*text = sv_from_offset(*text, end + 1);
	return true;
}

/*
 * Fields end in NUL: head, note, then three for each operation. Where the hidden folder lies in a
 * work tree, somebody may have committed the journal: it names nothing outside of the two folders.
 */
bool git_stage_parse_journal(struct git_stage *stage, sv text)
{
	sv head;

	if (!take_field(&text, &head) || !sv_eq(head, SV(JOURNAL_HEAD)) ||
	    !take_field(&text, &stage->note))
		return false;
	while (text.len > 0) {
		sv kind;
		struct git_stage_operation operation = {0};

		if (!take_field(&text, &kind) || !take_field(&text, &operation.name) ||
		    !take_field(&text, &operation.path))
			return false;
		operation.remove = sv_eq(kind, SV("remove"));
		if ((!operation.remove && !sv_eq(kind, SV("put"))) ||
		    !git_part_is_good(operation.name) || !git_path_is_good(operation.path))
			return false;
		VEC_PUSH(stage->arena, &stage->operations, operation);
	}
	return true;
}

/* The journal is written as a whole before anything moves, so one that is there is complete. */
static enum status read_journal(struct sink *sink, struct git_stage *stage, sv path)
{
	sv text;

	if (os_read_file(stage->arena, sink, path, JOURNAL_MAX, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (!git_stage_parse_journal(stage, text)) {
		struct diag *diag = diag_report(sink, DIAG_GIT_WRITE, NOWHERE,
		                                "cannot read the journal %.*s", SV_ARG(path));
		diag_set_help(sink, diag,
		              "another version wrote the journal, or somebody committed it: look "
		              "at git status, then remove the journal's folder");
		return STATUS_FAILED;
	}
	stage->interrupted = true;
	return STATUS_OK;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Returns false, with errno, if a link on the path could lead out of the root. */
static bool is_within(const struct git_stage *stage, sv path)
{
	if (git_above_are_folders(stage->root, path))
		return true;
	errno = ENOTDIR;
	return false;
}

enum status git_stage_clear(struct sink *sink, struct git_stage *stage)
{
	close_fd(&stage->hidden);
	os_remove_tree(stage->folder);
	stage->operations.count = 0;
	stage->interrupted = false;
	if (os_make_folders(sink, stage->folder) != STATUS_OK)
		return STATUS_FAILED;
	stage->hidden = open(arena_cstr(stage->arena, stage->folder),
	                     O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (stage->hidden >= 0)
		return STATUS_OK;
	os_report_error(sink, errno, "open", stage->folder);
	return STATUS_FAILED;
}

enum status git_stage_open(struct arena *arena, struct sink *sink, sv root, sv locked, sv folder,
                           unsigned patience_ms, struct git_stage **ret_stage)
{
	struct git_stage *stage = ARENA_NEW(arena, struct git_stage);
	sv journal = ARENA_CONCAT(arena, folder, SV("/journal"));
	enum status status;

	*stage = (struct git_stage){
	    .arena = arena,
	    .root = arena_dup(arena, root),
	    .folder = arena_dup(arena, folder),
	    .lock = -1,
	    .hidden = -1,
	    .place = -1,
	};
	status = take_lock(sink, stage, locked, patience_ms);
	if (status == STATUS_OK && os_kind(folder) != OS_ABSENT && os_kind(folder) != OS_FOLDER) {
		diag_report(sink, DIAG_GIT_IN_THE_WAY, NOWHERE,
		            "cannot write in %.*s: a link or a file is in the way", SV_ARG(folder));
		status = STATUS_FAILED;
	}
	if (status == STATUS_OK && os_kind(journal) == OS_FILE)
		status = read_journal(sink, stage, journal);
	else if (status == STATUS_OK)
		status = git_stage_clear(sink, stage);
	if (status != STATUS_OK) {
		close_fd(&stage->hidden);
		close_fd(&stage->lock);
		return STATUS_FAILED;
	}
	*ret_stage = stage;
	return STATUS_OK;
}

void git_stage_close(struct git_stage *stage)
{
	if (!stage)
		return;
	/* Remove the journal first: without it the other files are only leftovers. */
	if (!stage->interrupted) {
		struct full_path journal;

		if (join(&journal, stage->folder, SV("journal"), ""))
			unlink(journal.text);
		os_remove_tree(stage->folder);
	}
	close_fd(&stage->place);
	close_fd(&stage->hidden);
	close_fd(&stage->lock);
}

/* ---- planning ---------------------------------------------------------------------------- */

/* Gives a new file its mode, which the umask may have cut. */
static bool set_mode(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && ((info.st_mode & 07777) == 0644 || fchmod(fd, 0644) == 0);
}

enum status git_stage_write(struct sink *sink, const struct git_stage *stage, sv name, sv bytes)
{
	char file[NAME_MAX + 1];

	BUG_ON(name.len > NAME_MAX || stage->hidden < 0);
	memcpy(file, name.ptr, name.len);
	file[name.len] = '\0';
	int fd = openat(stage->hidden, file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	bool done = fd >= 0 && set_mode(fd) && os_write_all(fd, bytes);
	int error = errno;
	if (fd >= 0 && close(fd) < 0 && done) {
		done = false;
		error = errno;
	}
	if (!done) {
		struct full_path path = {""};

		(void)join(&path, stage->folder, name, "");
		os_report_error(sink, error, "write", sv_from_cstr(path.text));
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

void git_stage_plan_put(struct git_stage *stage, sv name, sv path)
{
	VEC_PUSH(stage->arena, &stage->operations,
	         ((struct git_stage_operation){false, name, path}));
}

void git_stage_plan_remove(struct git_stage *stage, sv path)
{
	sv name = arena_printf(stage->arena, "gone-%zu", stage->operations.count);

	VEC_PUSH(stage->arena, &stage->operations,
	         ((struct git_stage_operation){true, name, path}));
}

/* ---- doing ------------------------------------------------------------------------------- */

static enum status write_journal(struct sink *sink, struct git_stage *stage, sv note)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct buf buf = buf_in(arena);
	sv path = ARENA_CONCAT(arena, stage->folder, SV("/journal"));

	buf_add(&buf, sv_from(JOURNAL_HEAD, sizeof(JOURNAL_HEAD)));
	buf_add(&buf, note);
	buf_add_char(&buf, '\0');
	VEC_EACH (operation, &stage->operations) {
		buf_add_cstr(&buf, operation->remove ? "remove" : "put");
		buf_add_char(&buf, '\0');
		buf_add(&buf, operation->name);
		buf_add_char(&buf, '\0');
		buf_add(&buf, operation->path);
		buf_add_char(&buf, '\0');
	}
	return os_write_file(sink, path, buf_sv(&buf), OS_WRITE_SYNC);
}

/*
 * A second name for the old file, so that its place is never empty. File systems without hard
 * links get a rename: then it is, for a moment.
 */
static bool keep_old(int place, const char *path, int hidden, const char *old)
{
	if (linkat(place, path, hidden, old, 0) == 0 || errno == ENOENT || errno == ENOTDIR)
		return true;
	return renameat(place, path, hidden, old) == 0;
}

/* Enters a folder, which it makes if it is missing. mkdir's mode is cut by the umask. */
static int enter(int above, const char *name)
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(above, name, flags);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (mkdirat(above, name, 0755) == 0 ? fchmodat(above, name, 0755, 0) < 0 : errno != EEXIST)
		return -1;
	return openat(above, name, flags);
}

/*
 * Opens the folder of a path, and makes it if it is missing. It stays open for the files that
 * follow. A link is not followed: it could lead out of the root.
 */
static bool open_place(struct git_stage *stage, sv path)
{
	sv folder = sv_slice(path, 0, path.len - sv_after_last(path, '/').len);
	struct sv_splitter parts = sv_split(sv_trim_right(folder, "/"), '/');
	struct full_path root;
	sv part;

	if (stage->place >= 0 && sv_eq(folder, stage->placed))
		return true;
	close_fd(&stage->place);
	if (!join(&root, stage->root, SV(""), ""))
		return false;
	stage->place = open(root.text, O_PATH | O_DIRECTORY | O_CLOEXEC);
	while (stage->place >= 0 && folder.len > 0 && sv_split_next(&parts, &part)) {
		struct full_path name;
		int above = stage->place;

		stage->place = join(&name, SV("."), part, "") ? enter(above, name.text) : -1;
		int error = errno;
		close(above);
		errno = error;
	}
	stage->placed = folder;
	return stage->place >= 0;
}

static enum status put(struct sink *sink, struct git_stage *stage,
                       const struct git_stage_operation *operation)
{
	struct full_path name;
	struct full_path old;
	struct full_path file;
	sv file_name = sv_after_last(operation->path, '/');

	if (!open_place(stage, operation->path) || !join(&file, SV("."), file_name, "") ||
	    !join(&name, SV("."), operation->name, "") ||
	    !join(&old, SV("."), operation->name, ".old") ||
	    !keep_old(stage->place, file.text, stage->hidden, old.text) ||
	    renameat(stage->hidden, name.text, stage->place, file.text) < 0) {
		os_report_error(sink, errno, "replace", operation->path);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static enum status take_out(struct sink *sink, struct git_stage *stage,
                            const struct git_stage_operation *operation)
{
	struct full_path path;
	struct full_path old;

	if (!is_within(stage, operation->path) || !join(&path, stage->root, operation->path, "") ||
	    !join(&old, stage->folder, operation->name, ".old") ||
	    (rename(path.text, old.text) < 0 && errno != ENOENT && errno != ENOTDIR)) {
		os_report_error(sink, errno, "remove", operation->path);
		return STATUS_FAILED;
	}
	close_fd(&stage->place);
	/* The file is gone already: this only removes folders that are empty now. */
	return os_remove_file(sink, stage->root, operation->path);
}

enum status git_stage_apply(struct sink *sink, struct git_stage *stage, sv note)
{
	enum status status = STATUS_OK;

	if (stage->operations.count == 0)
		return STATUS_OK;
	if (write_journal(sink, stage, note) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (operation, &stage->operations) {
		if (stage->before_step)
			stage->before_step(stage->step_context);
		status = operation->remove ? take_out(sink, stage, operation)
		                           : put(sink, stage, operation);
		if (status != STATUS_OK)
			break;
	}
	if (status != STATUS_OK)
		git_stage_undo(sink, stage);
	return status;
}

/* Makes the folder that a file is moved back to. */
static enum status make_folder_of(struct sink *sink, struct git_stage *stage, sv path)
{
	sv folder = sv_slice(path, 0, sv_rfind_char(path, '/'));
	struct full_path full;

	if (folder.len == path.len || !is_within(stage, path))
		return STATUS_OK;
	if (!join(&full, stage->root, folder, "")) {
		os_report_error(sink, errno, "make folder", folder);
		return STATUS_FAILED;
	}
	return os_make_folders(sink, sv_from_cstr(full.text));
}

/*
 * NAME is restored before NAME.old is moved back, so that an interrupted undo can be repeated: as
 * long as NAME is missing, PATH has the new content.
 */
static enum status undo_one(struct sink *sink, struct git_stage *stage,
                            const struct git_stage_operation *operation)
{
	struct full_path path;
	struct full_path name;
	struct full_path old;

	if (!join(&path, stage->root, operation->path, "") ||
	    !join(&name, stage->folder, operation->name, "") ||
	    !join(&old, stage->folder, operation->name, ".old"))
		return STATUS_OK; /* too long: it was never done */
	if (!is_within(stage, operation->path)) {
		os_report_error(sink, errno, "put back", operation->path);
		return STATUS_FAILED;
	}
	if (exists(old.text)) {
		if (make_folder_of(sink, stage, operation->path) != STATUS_OK)
			return STATUS_FAILED;
		bool kept = operation->remove || exists(name.text) ||
		            keep_old(AT_FDCWD, path.text, AT_FDCWD, name.text);

		if (kept && rename(old.text, path.text) == 0)
			return STATUS_OK;
		os_report_error(sink, errno, "put back", operation->path);
		return STATUS_FAILED;
	}
	if (operation->remove || exists(name.text))
		return STATUS_OK;
	if (rename(path.text, name.text) < 0 && errno != ENOENT) {
		os_report_error(sink, errno, "take back", operation->path);
		return STATUS_FAILED;
	}
	return os_remove_file(sink, stage->root, operation->path);
}

enum status git_stage_undo(struct sink *sink, struct git_stage *stage)
{
	enum status status = STATUS_OK;

	close_fd(&stage->place);
	for (size_t i = stage->operations.count; i-- > 0;)
		if (undo_one(sink, stage, &stage->operations.items[i]) != STATUS_OK)
			status = STATUS_FAILED;
	/* Files that are not moved back yet must not be removed with the hidden folder. */
	stage->interrupted |= status != STATUS_OK;
	return status;
}
