/*
 * Private to git/: changes many files of a folder as one, or none of them.
 *
 * New contents are written to a hidden folder on the same disk. git_stage_apply writes a journal,
 * then moves old files into the hidden folder and new ones out of it. git_stage_undo moves them
 * back, in the same run or, with the journal, in the next. The files that exist show which
 * operations were done, so that a run may be interrupted anywhere:
 *
 *   put NAME PATH      link PATH to NAME.old (if PATH exists), rename NAME to PATH
 *                      undone by: nothing if NAME exists; else rename NAME.old to PATH, or
 *                      remove PATH if there is no NAME.old
 *   remove NAME PATH   rename PATH to NAME.old
 *                      undone by: rename NAME.old to PATH if it exists
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
	int hidden; /* the hidden folder, opened when it is empty; -1 before */
	int place;  /* the folder of the last put; -1 for none */
	sv placed;  /* its path, relative to the root */
	/* Called before each step of git_stage_apply, for tests that stop there. */
	void (*before_step)(void *context);
	void *step_context;
	struct git_stage_operations operations;
	/* True if an interrupted run left `operations` and the note of its git_stage_apply. */
	bool interrupted;
	sv note;
};

#define GIT_STAGE_PATIENCE_MS 30000u

/*
 * Takes the lock on the folder `locked`, for which it waits up to patience_ms. Reads the journal of
 * an interrupted run if there is one, else empties the hidden folder.
 */
MUST_CHECK enum status git_stage_open(struct arena *arena, struct sink *sink, sv root, sv locked,
                                      sv folder, unsigned patience_ms,
                                      struct git_stage **ret_stage);
/* Parses a journal into note and operations; returns false if it is not a journal. */
bool git_stage_parse_journal(struct git_stage *stage, sv text);
/* Empties the hidden folder and forgets the operations of an interrupted run. */
MUST_CHECK enum status git_stage_clear(struct sink *sink, struct git_stage *stage);
/* Removes the hidden folder, gives up the lock. */
void git_stage_close(struct git_stage *stage);

/* Writes a new content to the hidden folder, as `name`, one part of a path. Any thread. */
MUST_CHECK enum status git_stage_write(struct sink *sink, const struct git_stage *stage, sv name,
                                       sv bytes);
void git_stage_plan_put(struct git_stage *stage, sv name, sv path);
void git_stage_plan_remove(struct git_stage *stage, sv path);

/*
 * Carries out the planned operations. The note is kept in the journal for a run that finds it. If
 * it fails, everything is undone.
 */
MUST_CHECK enum status git_stage_apply(struct sink *sink, struct git_stage *stage, sv note);
/* Moves back as many files as it can; reports the others and fails. */
enum status git_stage_undo(struct sink *sink, struct git_stage *stage);

#endif
