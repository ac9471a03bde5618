/*
 * Inside git/: many files of a folder changed as one.
 *
 * New contents wait in a hidden folder on the same disk. git_stage_apply writes a journal, then
 * moves old files out into the hidden folder and new ones in; git_stage_undo moves them back, in
 * the same run or, led by the journal, in the next. What was done shows in which files are
 * there, so that it does not matter where a run was stopped:
 *
 *   put NAME PATH      link PATH to NAME.old (when it is there), rename NAME to PATH
 *                      undone by: NAME is there: nothing; else rename NAME.old to PATH, or
 *                      remove PATH when there is no NAME.old
 *   remove NAME PATH   rename PATH to NAME.old
 *                      undone by: rename NAME.old to PATH when it is there
 *
 * The files are not synced: they are copies of what the repository holds, and after a power
 * failure git restores them.
 */
#ifndef OSM_GEN_GIT_STAGE_H
#define OSM_GEN_GIT_STAGE_H

#include "git/git.h"

struct git_stage_operation {
	bool remove;
	sv name; /* in the hidden folder */
	sv path; /* relative to the root */
};
VEC_TYPE(git_stage_operations, struct git_stage_operation);

struct git_stage {
	struct arena *arena;
	sv root;   /* the folder whose files change */
	sv folder; /* the hidden one */
	int lock;
	/* Called before each step of git_stage_apply, for tests that stop there. */
	void (*before_step)(void *context);
	void *step_context;
	struct git_stage_operations operations;
	/* Left by an interrupted run: its operations are above, its note (see apply) here. */
	bool interrupted;
	sv note;
};

#define GIT_STAGE_PATIENCE_MS 30000u

/*
 * Takes the lock on folder `locked` (waits up to patience_ms), reads the journal of an
 * interrupted run if there is one, else empties the hidden folder.
 */
MUST_CHECK enum status git_stage_open(struct arena *arena, struct sink *sink, sv root, sv locked,
                                      sv folder, unsigned patience_ms,
                                      struct git_stage **ret_stage);
/* The journal's text into note and operations; false: it is none. */
bool git_stage_parse_journal(struct git_stage *stage, sv text);
/* Ends an interrupted run's matter: empties the hidden folder and forgets its operations. */
MUST_CHECK enum status git_stage_clear(struct sink *sink, struct git_stage *stage);
/* Removes the hidden folder, gives up the lock. */
void git_stage_close(struct git_stage *stage);

/* A new content under a name of one path part. Any thread. */
MUST_CHECK enum status git_stage_write(struct sink *sink, const struct git_stage *stage, sv name,
                                       sv bytes);
void git_stage_plan_put(struct git_stage *stage, sv name, sv path);
void git_stage_plan_remove(struct git_stage *stage, sv path);

/*
 * Carries out what is planned. note is kept in the journal, for the run that finds it. When it
 * fails, everything is undone.
 */
MUST_CHECK enum status git_stage_apply(struct sink *sink, struct git_stage *stage, sv note);
/* As far as it goes; what cannot be moved back is reported. */
enum status git_stage_undo(struct sink *sink, struct git_stage *stage);

#endif
