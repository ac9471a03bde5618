/*
 * The new contents of changed files, for `diff`. Small ones are in memory; once these are many, the
 * others are in a temporary file. All of them are output: sealed, or scanned for secrets.
 */
#ifndef OSM_GEN_RUN_CONTENTS_H
#define OSM_GEN_RUN_CONTENTS_H

#include "base/base.h"
#include "diag/diag.h"

struct run_contents;

struct run_contents *run_contents_new(struct arena *arena);
void run_contents_free(struct run_contents *contents);
/*
 * Keeps the content of a path, which must outlive it here, on any thread. `arena` is the thread's.
 * Without a place for a temporary file all contents are in memory.
 */
void run_contents_keep(struct arena *arena, struct run_contents *contents, sv path, sv text);
/* Returns the content of a path that was kept. Fails if the temporary file cannot be read. */
MUST_CHECK enum status run_contents_find(struct arena *arena, struct sink *sink,
                                         const struct run_contents *contents, sv path,
                                         sv *ret_text);

#endif
