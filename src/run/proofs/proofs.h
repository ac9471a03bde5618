/*
 * Keyed digests in commits of osm-gen, which nobody can make without the seed:
 *
 *   nothing_to_do.c   the run has nothing to do: its inputs made this output
 *   warnings.c        the warnings that a run with nothing to do repeats
 *   unit_proof.c      a unit keeps its files: its inputs have not changed
 *   unit_inputs.c     the inputs that decide the files of a unit
 *   vouch.c           osm-gen made this output
 */
#ifndef OSM_GEN_RUN_PROOFS_PROOFS_H
#define OSM_GEN_RUN_PROOFS_PROOFS_H

#include "run/env.h"
#include "run/facts.h"
#include "run/job.h"
#include "run/output/output.h"

/* ---- nothing to do --------------------------------------------------------------------------- */

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
/* The warnings of a run, as trailers for the commit's message. */
struct run_listed_warnings {
	sv trailers;
	bool are_repeatable; /* false if a later run could not repeat each of them */
};
/* Lists them, for run_proof_trailers, and scans them for secrets. */
struct run_listed_warnings run_list_warnings(const struct run_env *env,
                                             const struct run_facts *facts);
/*
 * Returns the trailers of the proof for the commit's message, each a line, or an empty string if
 * the next run has to be a whole one.
 */
sv run_proof_trailers(const struct run_env *env, const struct run_request *request,
                      const struct run_facts *facts, const struct run_writer *writer,
                      const struct report_summary *summary,
                      const struct run_listed_warnings *warnings);
/*
 * Returns 32 hex digits, keyed with the seed, that are the same for two runs if all that decides
 * the output is: the inputs above, and the output before.
 */
MUST_CHECK enum status run_inputs_digest(const struct run_env *env,
                                         const struct run_request *request,
                                         const struct run_facts *facts,
                                         const struct run_writer *writer, sv *ret_digest);

/* ---- units ----------------------------------------------------------------------------------- */

/*
 * Proofs of units: a unit whose inputs have not changed keeps its files without being rendered.
 *
 * index.json has a proof for each unit: a digest, keyed with the seed, of all inputs that decide
 * its files (unit_inputs.h), of what index.json has of it and its files, and of their blob ids. It
 * does not depend on the program. Therefore a commit of osm-gen also has the trailer
 *
 *   Osm-Gen-Rendered: PROGRAM SECRETS
 *
 * PROGRAM is a keyed digest of the program's version and source and of the whole output (path, mode
 * and id of every file in the output folder): this program made this output, or made the same
 * before. SECRETS is the same with all secrets of the inputs that files are scanned for. Age
 * identities are not among them: the commit is the same whichever are given.
 *
 * A run that finds such a trailer for its own program and the tip's output, in a message of the
 * newest history, keeps each unit whose proof is that of its inputs and files: the unit is not
 * rendered, sealed, scanned or hashed. Its files stay, and its row and its entries are those of
 * index.json. Why this gives the same output as a run without proofs:
 *
 * - Whoever changes, adds or removes a file of the output, an index.json among them, makes the
 *   trailers useless, as does another program. A run then renders everything. A merge of two
 *   outputs has no trailer either.
 * - Nobody without the seed can make a trailer or a proof, and a run without a seed uses none.
 * - What a unit does not have among its inputs cannot change its files: see unit_inputs.h.
 * - What depends on several units is not kept: clashes, cluster-wide objects, kustomizations,
 *   index.json, guards and the leak scan of these files are done by every run.
 * - If SECRETS is another one, the files of kept units are scanned again. A unit with a leak is
 *   rendered, and reports it.
 * - A unit that had a diagnostic, or that depends on the time, has no proof, so that it is rendered
 *   each time.
 *
 * --no-proofs uses none of these, nor the proof that there is nothing to do (nothing_to_do.c).
 * `verify` trusts neither.
 */

/* The proofs of a run, shared by all threads; null if the run neither makes nor uses any. */
struct run_proofs;

/*
 * Prepares proofs for the units of the job's plan, and looks for a trailer by which those of the
 * previous output can be used, unless the request forbids that. Returns null without a seed.
 */
struct run_proofs *run_proofs_new(const struct run_env *env, const struct run_request *request,
                                  const struct run_inputs *inputs, const struct run_job *job,
                                  const struct run_writer *writer);
/*
 * Keeps a unit, whose result has begun: sets its files, row, facts and proof, and puts the files if
 * `puts`. Returns false, with the result as it was, if it has to be rendered. `proofs` may be null.
 */
bool run_keep_unit(struct arena *results, struct arena *scratch, const struct run_proofs *proofs,
                   const struct plan_unit *unit, unsigned worker, bool puts,
                   struct run_unit *result);
/* Sets the proof of a unit that was rendered, once its files are put. `proofs` may be null. */
void run_prove_unit(struct arena *results, struct arena *scratch, const struct run_proofs *proofs,
                    struct run_unit *result);

/* Returns the trailer for the commit's message, as a line. */
sv run_rendered_trailer(const struct run_env *env, const struct run_request *request,
                        const struct run_facts *facts, const struct run_writer *writer);

/* ---- vouching -------------------------------------------------------------------------------- */

/*
 * Vouching: a commit of osm-gen has a keyed digest of its inputs and its output, which nobody can
 * make without the seed. `verify` trusts output that such a commit has. This is what a run does:
 * it puts the digest into its commit, warns if no commit has it, and explains output that changed
 * since.
 *
 *   audit/state.c     the digest
 *   audit/trailers.c  reads it from a commit's message; message.c writes it
 *   audit/history.c   which commit vouches for an output
 */

/* Returns audit_output_digest of what the commit will hold, or "" if the run makes no commit. */
sv run_voucher(const struct run_env *env, const struct run_facts *facts,
               const struct run_writer *writer);
/*
 * Finds out if the run changes nothing and no commit vouches for the output, as after a squash or
 * an osm-gen that wrote no trailers. Warns of it (DIAG_AUDIT_NOBODY) unless --vouch commits anyway.
 */
MUST_CHECK enum status run_lacks_voucher(const struct run_env *env, bool vouch,
                                         const struct run_facts *facts,
                                         const struct run_writer *writer, bool *ret_lacks);

#endif
