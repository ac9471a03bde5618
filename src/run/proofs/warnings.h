/*
 * Warnings that come from the inputs, as trailers of the commit's message: a run that has nothing
 * to do (nothing_to_do.c) repeats them without reading its inputs. This is the only writer and the
 * only reader of the trailer Osm-Gen-Warning.
 *
 * A trailer is one line of JSON: code, message, object, cluster, help, position and notes. A
 * position is the path of a file of the source commit, and an offset and a length in it; the line
 * that a report shows is read from the file again. Strings are free of mentions, links, commands of
 * CI systems and line breaks: everything but letters, digits and a few signs is an escape of JSON.
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
 * file of the commit; if a secret occurs in a string or in a line that is shown; if there are more
 * than RUN_WARNINGS_MAX of them, or if they take more than RUN_WARNINGS_MAX_BYTES.
 */
#ifndef OSM_GEN_RUN_PROOFS_WARNINGS_H
#define OSM_GEN_RUN_PROOFS_WARNINGS_H

#include "run/env.h"
#include "run/facts.h"

#define RUN_WARNING_TRAILER "Osm-Gen-Warning"

enum { RUN_WARNINGS_MAX = 20, RUN_WARNINGS_MAX_BYTES = 8 * 1024 };

/*
 * Appends a trailer for each warning of env->sink that has to be repeated. Returns false, with part
 * of them appended, if one is not repeatable.
 */
MUST_CHECK bool run_add_warnings(const struct run_env *env, const struct run_facts *facts,
                                 struct buf *buf);
/*
 * Adds the warnings to env->sink. `texts` are the values of the trailers, which must be proven to
 * be as run_add_warnings wrote them for these inputs. Returns false, and adds nothing, if one is
 * malformed or its file cannot be read.
 */
MUST_CHECK bool run_repeat_warnings(const struct run_env *env, const struct run_inputs *inputs,
                                    const sv *texts, size_t count);

#endif
