/*
 * Private to git/: takes git's own locks so that the locks of a killed run can be removed.
 *
 * git locks a file by making FILE.lock, which fails if that exists already. A run first writes the
 * new content into a file of its own, in the folder `osm-gen` of the git directory, records in its
 * journal there which file it is going to lock, and then makes FILE.lock a second name of its file
 * (link(2)). The next run recognises the lock of a dead run, since it is the same file as the one
 * in the folder, and removes it. It can never be the lock of another git.
 *
 * Each run has a journal, named after its process and start time, which it locks with flock(2) as
 * long as it lives. Its lines:
 *
 *   osm-gen run 1
 *   boot BOOT-ID
 *   pack NAME            that file of objects/pack is this run's, and so are NAME.idx and
 *                        NAME-N, NAME-N.idx: copies of packs that other runs saved
 *   lock FILE INODE PATH PATH, relative to the git directory, is this run's lock if it is the
 *                        same file as FILE in the folder
 *
 * Nothing outside of the git directory is ever removed, even if a journal names it.
 */
#ifndef OSM_GEN_GIT_LOCKS_H
#define OSM_GEN_GIT_LOCKS_H

#include "git/git.h"

struct git_locks;

/* One line of a journal: a pack or a lock that the run made. */
struct git_run_record {
	bool is_pack;
	sv name; /* of the pack, or of the file in the folder */
	uint64_t inode;
	sv path; /* of a lock */
};
VEC_TYPE(git_run_records, struct git_run_record);

/*
 * Parses the journal of the run `name` ("run-PID-START"). An incomplete last line is left out: the
 * run died while writing it. Returns false if it is not a journal; nothing may be removed then.
 */
bool git_run_parse(struct arena *arena, sv name, sv text, sv *ret_boot,
                   struct git_run_records *ret_records);

/* Removes locks and packs of dead runs, with a warning for each lock, and begins a journal. */
MUST_CHECK enum status git_locks_open(struct arena *arena, struct sink *sink, struct git_repo *repo,
                                      struct git_locks **ret_locks);
void git_locks_close(struct git_locks *locks);

/* Returns the temporary name of this run's pack until it is renamed: "tmp_pack_...". */
sv git_locks_pack(const struct git_locks *locks);
/* Returns the path of this run's file for `what` ("index", "ref") in the folder. */
sv git_locks_file(const struct git_locks *locks, const char *what);

/*
 * Locks `target`, which is absolute and in the git directory, with this run's file for `what`,
 * which has the new content. If another process holds the lock, fails without a report and sets
 * *ret_is_busy.
 */
MUST_CHECK enum status git_lock_take(struct sink *sink, struct git_locks *locks, const char *what,
                                     sv target, bool *ret_is_busy);
/* Renames the lock to the target. Returns false with errno set, and keeps the lock, if that fails.
 */
bool git_lock_commit(struct git_locks *locks, const char *what, sv target);
void git_lock_release(struct git_locks *locks, const char *what, sv target);

#endif
