/*
 * os: files, folders, threads, the terminal, the process. With git/ the only place that makes
 * system calls.
 *
 * Paths are strings without NUL, relative to the working directory or absolute. A failure is
 * reported as DIAG_IO with what was tried, the path and the system's own words; a full disk as
 * DIAG_DISK_FULL with its remedy. Modes never depend on the umask: files are 0644, folders 0755,
 * private files 0600.
 */
#ifndef OSM_GEN_OS_OS_H
#define OSM_GEN_OS_OS_H

#include "base/base.h"
#include "diag/diag.h"

#include <stdio.h>

/* ---- errors ------------------------------------------------------------------------------ */

/* The system's words for an errno value: English, since osm-gen sets no locale. */
const char *os_error_words(int error);

/*
 * Reports errno value `error`: "cannot ACTION PATH: WORDS". action is a verb and what it needs:
 * "read", "make folder".
 */
void os_report_error(struct sink *sink, int error, const char *action, sv path);

/* ---- paths as strings -------------------------------------------------------------------- */

/* Returns a relative path without its empty and "." parts: "out" for "./out//". */
sv os_plain_path(struct arena *arena, sv path);
/* Returns the folder of a path, or an empty string for a name without one. */
sv os_folder_of(sv path);
/* Returns the path of a name in a folder; the empty folder adds nothing. */
sv os_join(struct arena *arena, sv folder, sv name);
/*
 * Turns a path that is relative to `folder` into one without "." and "..", relative to what the
 * folder is relative to. It is empty if that itself is meant. Returns false if the path leads out
 * of it.
 */
bool os_resolve(struct arena *arena, sv folder, sv path, sv *ret_path);
/* True if a relative path has no empty, "." or ".." part, so that it cannot lead out. */
bool os_path_stays_inside(sv path);

/* ---- reading ----------------------------------------------------------------------------- */

/*
 * The whole file. More than max_bytes is an error. "-" has no special meaning. A secret file is
 * read straight into `arena`, with no copy elsewhere.
 */
MUST_CHECK enum status os_read_file(struct arena *arena, struct sink *sink, sv path,
                                    size_t max_bytes, sv *ret_text);

/* Standard input to its end, named "standard input" in what is reported; not closed. */
#define OS_STDIN "standard input"
MUST_CHECK enum status os_read_stdin(struct arena *arena, struct sink *sink, size_t max_bytes,
                                     sv *ret_text);

enum os_kind { OS_ABSENT, OS_FILE, OS_FOLDER, OS_LINK, OS_OTHER };

/* Makes `path` the current folder of the process. */
MUST_CHECK enum status os_change_folder(struct sink *sink, sv path);

/* Returns the kind of file at `path`. Follows no symbolic link. Unreadable counts as absent. */
enum os_kind os_kind(sv path);
/* Returns true for a regular file of more than max_bytes. */
bool os_is_larger(sv path, size_t max_bytes);
/* True if the file or folder at `path` belongs to the user of this process. */
bool os_is_own(sv path);
/* Path without links, "." and ".."; false when it does not exist. */
bool os_real_path(struct arena *arena, sv path, sv *ret_path);

/*
 * Resolves links in a path whose last parts may be missing. Returns false if the missing parts lead
 * out of the folder that exists.
 */
bool os_real_place(struct arena *arena, sv path, sv *ret_path);
/* True for a folder that can be read and that nothing is in. */
bool os_is_empty_folder(sv path);

struct os_entry {
	sv path; /* relative to the folder listed, with '/' */
	uint64_t size_bytes;
};
VEC_TYPE(os_entries, struct os_entry);

/*
 * All regular files below a folder, sorted by the bytes of their paths. Links to files are
 * followed, links to folders are not; names that begin with ".." are left out (a mounted
 * Kubernetes Secret is links into such a folder), and so is ".git".
 */
MUST_CHECK enum status os_list_tree(struct arena *arena, struct sink *sink, sv folder,
                                    struct os_entries *ret_entries);
/* The same of the folder alone, not of those in it. */
MUST_CHECK enum status os_list_folder(struct arena *arena, struct sink *sink, sv folder,
                                      struct os_entries *ret_entries);

/* ---- writing ----------------------------------------------------------------------------- */

enum os_write {
	OS_WRITE_PLAIN = 0,
	OS_WRITE_SYNC = 1,    /* on the disk before the name is there */
	OS_WRITE_PRIVATE = 2, /* 0600 */
};

/*
 * Replaces the file as a whole: written beside it under a temporary name, then renamed. When it
 * fails, the file is as it was. flags: `enum os_write`, or-ed.
 */
MUST_CHECK enum status os_write_file(struct sink *sink, sv path, sv bytes, unsigned flags);

/* Creates a file that does not exist yet. Leaves no file when it fails. */
MUST_CHECK enum status os_write_new(struct sink *sink, sv path, sv bytes, unsigned flags);

/*
 * Writes all bytes to an open file, also after signals. Returns false on failure, with errno set; a
 * part may be written then.
 */
bool os_write_all(int fd, sv bytes);

/* Creates the folder and its missing parents. A folder that exists is fine. */
MUST_CHECK enum status os_make_folders(struct sink *sink, sv path);

/*
 * Removes root/relative and then each folder above it, below root, that is empty now. A file that
 * is gone already is fine.
 */
MUST_CHECK enum status os_remove_file(struct sink *sink, sv root, sv relative);

/* Gives a folder the name `to`, which is not there yet or is an empty folder. */
MUST_CHECK enum status os_move_folder(struct sink *sink, sv from, sv to);

/*
 * Exchanges the names of two folders of one file system, in one step where the system can. If it is
 * stopped between the steps, no folder has the name `b`.
 */
MUST_CHECK enum status os_exchange_folders(struct sink *sink, sv a, sv b);

/*
 * Makes a new folder below `parent` that only this user can read (0700), with a random name.
 */
MUST_CHECK enum status os_make_private_folder(struct arena *arena, struct sink *sink, sv parent,
                                              sv *ret_folder);

/* Removes a folder and all below it, as far as that goes; for cleaning up. Follows no link. */
void os_remove_tree(sv folder);

/* ---- a temporary file --------------------------------------------------------------------- */

/*
 * A file for strings that would take much memory. It has no name, only this process can open it,
 * and the system removes it with the process, however that ends. For strings that may be on a disk:
 * not for secrets in the clear.
 */
struct os_spool;
/* Returns null if neither /var/tmp nor /tmp takes a file. */
struct os_spool *os_spool_new(void);
void os_spool_free(struct os_spool *spool);
/* Appends a string, on any thread. Returns false if it could not be written; then none can be. */
bool os_spool_add(struct os_spool *spool, sv text, uint64_t *ret_offset);
/* Reads a string back. */
MUST_CHECK enum status os_spool_read(struct arena *arena, struct sink *sink,
                                     const struct os_spool *spool, uint64_t offset, size_t size,
                                     sv *ret_text);

/* ---- files that a person named ------------------------------------------------------------ */

/*
 * `tree` is the repository's work tree, or empty. Authors of changes choose its files, so no
 * symbolic link in it is followed, neither at the file nor in its path, and only regular files are
 * touched; else DIAG_NAMED_LINK. Links outside of the tree are followed.
 */

/* Reads as os_read_file does. */
MUST_CHECK enum status os_read_named(struct arena *arena, struct sink *sink, sv tree, sv path,
                                     size_t max_bytes, sv *ret_text);
/*
 * Writes as os_write_file does, but replaces a link's target instead of the link, and writes into a
 * pipe or device.
 */
MUST_CHECK enum status os_write_named(struct sink *sink, sv tree, sv path, sv bytes);
/* Fails if os_write_named could not write: no such folder, or no permission. Changes nothing. */
MUST_CHECK enum status os_check_writable(struct sink *sink, sv tree, sv path);

/* ---- threads ----------------------------------------------------------------------------- */

/* index is the job's, worker (from 0) that of the thread it runs on. */
typedef void (*os_job)(void *context, size_t index, unsigned worker);

/*
 * Runs jobs 0 to count - 1 and returns when all are done. Indexes are handed out in rising order
 * to `workers` threads, the calling one among them as worker 0; workers 0 counts as 1. When the
 * system refuses a thread, fewer do the work.
 */
void os_parallel(size_t count, unsigned workers, os_job job, void *context);

/* Cores this process may run on, at least 1. */
unsigned os_core_count(void);

struct os_mutex;
struct os_mutex *os_mutex_new(void);
void os_mutex_free(struct os_mutex *mutex);
void os_mutex_lock(struct os_mutex *mutex);
void os_mutex_unlock(struct os_mutex *mutex);

/* ---- other programs ---------------------------------------------------------------------- */

/*
 * The bounds of a program. With any, it may write no file, and has no network, where the system
 * allows to take it away.
 */
struct os_bounds {
	unsigned milliseconds; /* from its start */
	size_t memory_bytes;   /* of address space */
	size_t out_bytes;      /* on its standard output */
};

struct os_program {
	sv path;             /* absolute */
	const sv *arguments; /* without the program's own name */
	size_t argument_count;
	const sv *environment; /* NAME=VALUE: all of it, nothing of this process's is added */
	size_t environment_count;
	sv folder; /* that it works in */
	sv input;  /* on its standard input */
	/* It may ask people at the terminal; else it has a session of its own, without one. */
	bool has_terminal;
	/* Null: 64 MiB of output, and nothing else is bounded. */
	const struct os_bounds *bounds;
};

enum os_exceeded { OS_WITHIN_BOUNDS, OS_EXCEEDED_TIME, OS_EXCEEDED_OUTPUT };

struct os_ended {
	enum os_exceeded exceeded; /* the bound for which the program was ended */
	int status; /* its exit status; 128 and the signal's number when one ended it */
	sv out;     /* all of standard output */
	sv err;     /* the last 64 KiB of standard error */
};

/*
 * Runs another program to its end. Its standard input, output and error are pipes; no other
 * descriptor that this process opened is passed on, nor are ignored and waiting signals. What it
 * leaves running is left alone. SIGHUP, SIGINT and SIGTERM have to be held
 * (os_hold_signals), and SIGPIPE ignored (os_ignore_signals): one of the former that comes ends the
 * program, and the call fails with DIAG_STOPPED. A program that cannot be started is DIAG_IO.
 * An exit status other than 0 is not a failure of the call.
 */
MUST_CHECK enum status os_run_program(struct arena *arena, struct sink *sink,
                                      const struct os_program *program, struct os_ended *ret_ended);

/*
 * The folders of PATH that programs may be taken from: absolute ones that do not lie in the folder
 * `untrusted` (or empty), whatever links they are reached by. As PATH has them, ':' in between.
 */
sv os_trusted_path(struct arena *arena, sv path, sv untrusted);
/* The folders of programs where the environment has no PATH. */
#define OS_USUAL_PATH "/usr/local/bin:/usr/bin:/bin"
/* The first program of that name in such folders, which does not lie in `untrusted` itself. */
bool os_find_program(struct arena *arena, sv path, sv name, sv untrusted, sv *ret_program);
/* True if `path`, with its links resolved, is in `folder`. False if `path` does not exist. */
bool os_is_inside(struct arena *arena, sv path, sv folder);

void os_sleep_ms(unsigned milliseconds);

/* ---- process and terminal ---------------------------------------------------------------- */

/* Nanoseconds of a clock that never jumps; only for progress and timing, never for output. */
uint64_t os_monotonic_ns(void);

/* fd is 0, 1 or 2. */
bool os_is_terminal(int fd);
/* Columns, or 80 when that is not known. */
unsigned os_terminal_width(int fd);

/*
 * No core dumps and no tracing by other processes of the same user, so that secrets in memory
 * stay there. Best effort.
 */
void os_protect_memory(void);

/*
 * Overwrites all that calls that have returned left on the calling thread's stack
 * (memory_wipe_stack, base/memory.h, for as far down as the stack was used). os_parallel wipes the
 * stacks of its threads; the first thread's is wiped at the end of the program.
 */
void os_wipe_stack(void);

/*
 * A closed pipe and the limit on file size become errors of the call (and a diagnostic), not the
 * end of the process half-way.
 */
void os_ignore_signals(void);

/*
 * From here on SIGHUP, SIGINT and SIGTERM wait, so that what is begun is either finished or taken
 * back: to be called on the first thread, before others are made. Before it they end the process.
 */
void os_hold_signals(void);
/* Fails when one waits: reported (DIAG_STOPPED), once. Any thread. */
MUST_CHECK enum status os_check_signals(struct sink *sink);
/* Delivers a signal that waited: it ends the process, which shells show as 128 + its number. */
void os_release_signals(void);

/* Ends the process by SIGPIPE, as if it had never been ignored. */
_Noreturn void os_end_by_closed_pipe(void);

#endif
