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
 * --no-proofs uses none of these, nor the proof that there is nothing to do (proof.h). `verify`
 * trusts neither.
 */
#ifndef OSM_GEN_RUN_UNIT_PROOF_H
#define OSM_GEN_RUN_UNIT_PROOF_H

#include "run/facts.h"
#include "run/render.h"

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

#endif
