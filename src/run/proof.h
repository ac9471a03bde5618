/*
 * The proof that there is nothing to do.
 *
 * A commit of osm-gen has the trailer Osm-Gen-Inputs: a digest, keyed with the seed, of everything
 * that decides the output (the program's version and source, the settings given as flags, the
 * variables of --allow-env, --secrets, --manifests, --revisions, --out, and path, mode and id of
 * every file of the source commit outside the output folder), of the output (path, mode and id of
 * every file in the output folder), and of what a run with nothing to do prints: the trailer
 * Osm-Gen-Counts with the numbers of the summary, and a trailer Osm-Gen-Warning for each warning
 * (warnings.h). Whoever has the seed can see from it that a run with these inputs made this output
 * and gave these warnings. So a run has nothing to do if a message in the branch's newest history
 * has the digest of the run's own inputs, the tip's output and the trailers below the digest. Why
 * this is never wrong:
 *
 * - Another input, another output, a warning that somebody edited, added or removed gives another
 *   digest, whoever committed, amended, merged or picked it. Nobody without the seed can make one,
 *   so it does not matter whose commit has it, nor where in the history it is.
 * - A run whose output exists already changes nothing. The output is itself an input in one
 *   respect, revisions that are counted on, and these are kept while the templates are the same.
 * - A Secret decrypts to one value only, so it does not matter which age identities are given. They
 *   must be sound, as must the seed: a whole run reports broken ones.
 * - A run with a warning that cannot be repeated leaves no trailer, so that the next run is a whole
 *   one. Neither does a run whose output folder has files that osm-gen did not write, of which
 *   `check` warns.
 * - Output that was reverted together with its inputs is looked at by a whole run: the clusters may
 *   have other revisions by now.
 * - If the work tree shows the branch, it must show the tip's output without changes, and what an
 *   interrupted run left is repaired before it is looked at.
 */
#ifndef OSM_GEN_RUN_PROOF_H
#define OSM_GEN_RUN_PROOF_H

#include "run/facts.h"
#include "run/writer.h"

/* These functions take the whole request, since all of it decides the output. */

/*
 * Looks for the proof. *ret_unchanged is true if there is nothing to do; `summary` is set then, and
 * the warnings of the proof are in env->sink.
 */
MUST_CHECK enum status run_find_unchanged(const struct run_env *env,
                                          const struct run_request *request,
                                          const struct run_inputs *inputs,
                                          struct run_writer *writer, struct report_summary *summary,
                                          bool *ret_unchanged);
/*
 * Returns the trailers of the proof for the commit's message, each a line, or an empty string if
 * the next run has to be a whole one.
 */
sv run_proof(const struct run_env *env, const struct run_request *request,
             const struct run_facts *facts, const struct run_writer *writer,
             const struct report_summary *summary);
/*
 * Returns 32 hex digits, keyed with the seed, that are the same for two runs if all that decides
 * the output is: the inputs above, and the output before.
 */
MUST_CHECK enum status run_inputs_digest(const struct run_env *env,
                                         const struct run_request *request,
                                         const struct run_facts *facts,
                                         const struct run_writer *writer, sv *ret_digest);

#endif
