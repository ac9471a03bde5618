/*
 * Private to git/: an output that is being made.
 */
#ifndef OSM_GEN_GIT_OUTPUT_H
#define OSM_GEN_GIT_OUTPUT_H

#include "git/git.h"
#include "git/internal.h"
#include "git/locks.h"
#include "git/pack.h"
#include "git/stage.h"
#include "git/taken.h"

#include <sys/stat.h>

/* One file put or removed. */
struct git_put {
	sv path;                         /* relative to the folder */
	const struct git_file *previous; /* or null */
	struct git_id id;
	bool remove;
	bool staged; /* its content waits in the stage under `name` */
	uint64_t size_bytes;
	sv name;
};

struct git_output_worker {
	struct arena *arena;
	/* In memory of their own: an arena would keep what they outgrow. */
	VEC(struct git_put) puts;
	size_t staged_count;
	struct git_id last_id; /* of the bytes that were put last */
};

/* Where the commit goes. */
struct git_target {
	sv ref;       /* "refs/heads/main", or "HEAD" when detached */
	bool has_tip; /* false if the branch does not exist yet */
	bool is_head; /* moving it moves what is checked out here */
	struct git_id tip;
	struct git_id parent;
	struct git_id tree; /* the parent's */
};

struct git_output {
	struct git_repo *repo;
	struct arena *arena;
	struct git_output_options options; /* its strings are copies */
	struct git_target target;
	struct git_files previous;
	sv folder_path;   /* mode FOLDER: absolute */
	bool made_folder; /* mode FOLDER: the run created it */
	struct git_output_worker *workers;
	struct git_locks *locks;  /* mode COMMIT */
	struct git_pack *pack;    /* mode COMMIT, and COMPARE with options.blobs */
	struct git_taken **taken; /* by number; null if not taken yet */
	size_t taken_count;
	sv taken_stem;             /* prefix of the copied packs' paths; a number follows */
	struct git_stage *stage;   /* mode FOLDER, and COMMIT with the branch checked out */
	VEC(struct git_put *) all; /* of all workers, sorted by path, once collected */
	bool collected;
	bool finished;
	/* For tests: called before each step of finish that a crash could come before. */
	void (*before_step)(void *context);
	void *step_context;
};

/* True if the put differs from the previous file. */
static inline bool git_put_changes(const struct git_put *put)
{
	if (put->remove || !put->previous || put->previous->on_disk)
		return true;
	return put->previous->mode != GIT_MODE_FILE || !git_id_equal(put->previous->id, put->id);
}

/* Whole path in the repository. */
static inline sv git_output_full_path(struct arena *arena, const struct git_output *output, sv path)
{
	if (output->options.folder.len == 0)
		return path;
	return ARENA_CONCAT(arena, output->options.folder, SV("/"), path);
}

/* Fails (DIAG_GIT_PATH) if nothing can be written to the path. */
MUST_CHECK enum status git_output_check_path(struct sink *sink, sv path);
/* Adds a put or a removal to those of the worker. */
void git_output_note(struct git_output *output, unsigned worker, const struct git_put *put);
/* Sorts all puts and removals of all workers into output->all, once. */
void git_output_collect(struct git_output *output);

/* Sets output->target. */
MUST_CHECK enum status git_target_find(struct sink *sink, struct git_output *output);
/* Opens the stage in the git directory and mends what an interrupted run left. */
MUST_CHECK enum status git_output_open_stage(struct sink *sink, struct git_output *output);

/* attributes.c: fails if git would filter a path that the output puts. */
MUST_CHECK enum status git_check_attributes(struct sink *sink, struct git_output *output);

/* output.c: puts the bytes of a changed file into the stage, if there is one. */
MUST_CHECK enum status git_output_stage_put(struct sink *sink, struct git_output *output,
                                            unsigned worker, struct git_put *put, sv bytes);
/* Puts them into the pack, too. */
MUST_CHECK enum status git_output_store(struct sink *sink, struct git_output *output,
                                        unsigned worker, struct git_put *put,
                                        const struct git_content *content);

/* draft.c: makes the commit, signed if text->sign is set, and finishes the pack. */
MUST_CHECK enum status git_make_commit(struct sink *sink, struct git_output *output,
                                       const struct git_commit_text *text, struct git_id tree,
                                       struct git_id *ret_commit);

MUST_CHECK enum status git_finish_commit(struct sink *sink, struct git_output *output,
                                         const struct git_commit_text *text,
                                         struct git_output_result *result);

/* ---- sync.c: the work tree and the index ------------------------------------------------- */

enum git_conflict_kind {
	/* A tracked file has uncommitted changes, staged or not, that differ from the put. */
	GIT_CONFLICT_MODIFIED,
	/* An untracked file, a link or a folder is in the place of a put. */
	GIT_CONFLICT_STRANGER,
};

/* The place of a put in the work tree and the index. */
struct git_place {
	struct git_put *put;
	sv path; /* whole; a NUL follows */
	enum git_disk_kind disk;
	struct git_id disk_id;
	bool has_entry;
	git_index_entry entry; /* of the index; path borrowed from it */
	bool conflict;
	enum git_conflict_kind kind;
};
VEC_TYPE(git_places, struct git_place);

void git_places_look(struct arena *arena, struct git_output *output, struct git_opened_index *index,
                     struct git_places *ret_places);
/* Plans in the stage what brings the places in step; contents that are not staged are read. */
MUST_CHECK enum status git_places_plan(struct sink *sink, struct git_output *output,
                                       const struct git_places *places);
/* Adds the files that are now in place to the index, and writes it. */
MUST_CHECK enum status git_places_index(struct sink *sink, struct git_output *output,
                                        const struct git_places *places);
/* Sets the index's entries of the stage's paths to those of the tip's tree, after an undo. */
MUST_CHECK enum status git_stage_restore(struct sink *sink, struct git_output *output);

/* ---- edit.c: the index as a whole -------------------------------------------------------- */

/* A copy of the index, which is edited and then replaces the index. */
struct git_index_edit {
	git_index *index;
	sv path;            /* of the index */
	struct stat before; /* of the index; st_ino is 0 if there was none */
};

MUST_CHECK enum status git_index_edit_begin(struct sink *sink, struct git_output *output,
                                            struct git_index_edit *edit);
/* Ends the edit. If `write` is true, replaces the index by the copy under git's own lock. */
MUST_CHECK enum status git_index_edit_end(struct sink *sink, struct git_output *output,
                                          struct git_index_edit *edit, bool write);
void git_report_index(struct sink *sink, const struct git_repo *repo, const char *why);

/* ---- ref.c: the branch ------------------------------------------------------------------- */

enum git_moved { GIT_MOVED, GIT_MOVED_WITH_ERROR, GIT_NOT_MOVED, GIT_RACE };

/*
 * Compare-and-swap: takes git's own lock on the target, compares, writes the reflogs, moves it.
 * Reports errors of the system, except for GIT_MOVED_WITH_ERROR, whose errno is in *ret_error.
 */
enum git_moved git_target_move(struct sink *sink, struct git_output *output,
                               const struct git_commit_text *text, struct git_id commit,
                               int *ret_error);

#endif
