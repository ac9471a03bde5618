/*
 * Inside git/: git's own locks, taken so that a run that was killed leaves none.
 *
 * Git locks a file by making FILE.lock, which fails where it is there already. A run makes the new
 * content under a name of its own first, in the folder `osm-gen` of the git directory, says in its
 * journal there what it is going to lock, and gives the file the lock's name as a second one
 * (link(2)). So a lock that a dead run left is known for sure: it is the very file that the folder
 * holds, and never another git's. The next run removes it.
 *
 * The journal, one a run, is named after process and its start, and locked with flock(2) for as
 * long as the run lives. A line each:
 *
 *   osm-gen run 1
 *   boot BOOT-ID
 *   pack NAME            that file of objects/pack, and NAME.idx, are this run's
 *   lock FILE INODE PATH PATH, relative to the git directory, is this run's where it is the file
 *                        FILE of the folder
 *
 * Nothing outside of the git directory is ever removed, whatever a journal says.
 */
#ifndef OSM_GEN_GIT_LOCKS_H
#define OSM_GEN_GIT_LOCKS_H

#include "git/git.h"

struct git_locks;

/* One line of a journal that says what the run made. */
struct git_run_record {
	bool is_pack;
	sv name; /* of the pack, or of the file in the folder */
	uint64_t inode;
	sv path; /* of a lock */
};
VEC_TYPE(git_run_records, struct git_run_record);

/*
 * The journal of the run `name` ("run-PID-START"). A last line without its end is left out: the run
 * died over it. False: it is none, and nothing in it counts.
 */
bool git_run_parse(struct arena *arena, sv name, sv text, sv *ret_boot,
                   struct git_run_records *ret_records);

/* Removes what dead runs left, with a warning, and begins a journal. */
MUST_CHECK enum status git_locks_open(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                      struct git_locks **ret_locks);
void git_locks_close(struct git_locks *locks);

/* The name of this run's pack, as long as it is none: "tmp_pack_...". */
sv git_locks_pack(const struct git_locks *locks);
/* The path of a new file of this run: "index", "ref". */
sv git_locks_file(const struct git_locks *locks, const char *what);

/*
 * Locks TARGET (absolute, in the git directory) with the file of that name, which is its new
 * content. *ret_is_busy: somebody else holds the lock; nothing is reported then.
 */
MUST_CHECK enum status git_lock_take(struct sink *sink, struct git_locks *locks, const char *what,
                                     sv target, bool *ret_is_busy);
/* The new content takes the target's place. False: errno, and the lock is still held. */
bool git_lock_commit(struct git_locks *locks, const char *what, sv target);
void git_lock_release(struct git_locks *locks, const char *what, sv target);

#endif
