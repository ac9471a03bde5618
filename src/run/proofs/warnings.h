/*
 * Warnings that come from the inputs, in trailers of the commit's message: a run that has nothing
 * to do (nothing_to_do.c) repeats them without reading its inputs. This is the only writer and the
 * only reader of these trailers.
 *
 * A warning is one line of JSON: code, message, object, cluster, help, position and notes. A
 * position is the path of a file of the source commit, and an offset and a length in it; the line
 * that a report shows is read from the file again. Strings are free of mentions, links, commands of
 * CI systems and line breaks: everything but letters, digits and a few signs is an escape of JSON.
 *
 * The text of the trailers Osm-Gen-Warnings, put together, has all lines: of each two numbers and
 * what is between the bytes that it shares with the line before it, at its beginning and at its
 * end. Warnings about many units differ in little. No library compresses them, since its next
 * version may write other bytes, and the commit would get another id. They are not in the output,
 * since their positions change with each comment of the inputs, and their words with the program.
 *
 * These warnings are not written, since any run finds them itself, or since they are about
 * something else than the inputs:
 *
 * - those that exist once the inputs are listed (run_inputs, `warnings_listed`): about the command
 *   line, the work tree, submodules;
 * - those about git's folder, and about a change that the run was allowed to make once.
 *
 * All others must be repeatable, or the commit gets no proof. They are not repeatable if they
 * depend on the previous output, on the history or on the surroundings; if a position is not in a
 * file of the commit; if a secret occurs in a string or in a line that is shown; or if they are too
 * many for a commit's message (RUN_WARNINGS_MAX_TEXT, RUN_WARNINGS_MAX_PACKED).
 */
#ifndef OSM_GEN_RUN_PROOFS_WARNINGS_H
#define OSM_GEN_RUN_PROOFS_WARNINGS_H

#include "run/env.h"
#include "run/facts.h"

enum {
	RUN_WARNINGS_MAX_TEXT = 8 * 1024 * 1024, /* of all lines */
	RUN_WARNINGS_MAX_PACKED = 512 * 1024,    /* of the trailers together */
};

/*
 * Appends the trailers of the warnings of env->sink that have to be repeated. Returns false, with
 * nothing appended, if one is not repeatable.
 */
MUST_CHECK bool run_add_warnings(const struct run_env *env, const struct run_facts *facts,
                                 struct buf *buf);

/* The trailers of a message, which anybody may have written. All members are 0 at first. */
struct run_claimed_warnings {
	struct buf packed;
	bool is_malformed;
};
/* Takes a line of the message if it is such a trailer. */
void run_claim_warnings(struct arena *arena, struct run_claimed_warnings *claim, sv line);
/* Appends the trailers as run_add_warnings wrote them. */
void run_add_claimed_warnings(struct buf *buf, const struct run_claimed_warnings *claim);
/*
 * Adds the warnings to env->sink. The trailers must be proven to be as run_add_warnings wrote them
 * for these inputs. Returns false, and adds nothing, if one is malformed or its file cannot be
 * read.
 */
MUST_CHECK bool run_repeat_warnings(const struct run_env *env, const struct run_inputs *inputs,
                                    const struct run_claimed_warnings *claim);

#endif
