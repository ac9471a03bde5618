/*
 * `diff --reveal`: opens sealed files before and after the run, and compares what is in them part
 * by part (unpack/unpack.h). Nothing of it is written anywhere but to the output.
 */
#ifndef OSM_GEN_RUN_SHOW_REVEAL_H
#define OSM_GEN_RUN_SHOW_REVEAL_H

#include "git/git.h"
#include "report/report.h"
#include "run/env.h"

struct run_reveal;

/* Reads the keys of the request. Fails if they are not keys. */
MUST_CHECK enum status run_reveal_open(const struct run_env *env, const struct run_print *print,
                                       struct run_reveal **ret_reveal);
void run_reveal_close(struct run_reveal *reveal);
static inline void run_reveal_closep(struct run_reveal **reveal)
{
	run_reveal_close(*reveal);
}
#define RUN_REVEAL_AUTO CLEANUP(run_reveal_closep) struct run_reveal *

/* One file of the output, with the text that it has before and after the run. */
struct run_revealed {
	sv path; /* as people see it */
	enum git_change_kind kind;
	sv before; /* empty if the file is added */
	sv now;    /* empty if it is removed */
	const struct report_style *style;
};

/* Returns true if one of the versions is sealed. */
bool run_reveal_is_for(struct arena *arena, sv before, sv now);
/*
 * Prints how the file differs in the clear. Fails, with what seal_open reports, if no key opens it.
 * The arena must be one for secrets, and the output's too.
 */
MUST_CHECK enum status run_reveal_file(struct arena *arena, struct sink *sink,
                                       const struct run_reveal *reveal,
                                       const struct run_revealed *file, struct buf *output);
/*
 * Does the same, but prints only parts that differ in another way than all parts before, which
 * `known` holds, and adds the number of the others to *alike.
 */
MUST_CHECK enum status run_reveal_new(struct arena *arena, struct sink *sink,
                                      const struct run_reveal *reveal,
                                      const struct run_revealed *file, struct set *known,
                                      size_t *alike, struct buf *output);

#endif
