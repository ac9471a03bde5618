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
#ifndef OSM_GEN_RUN_VOUCH_H
#define OSM_GEN_RUN_VOUCH_H

#include "run/facts.h"
#include "run/writer.h"

/* Returns the files of the output after `changes` to `previous`; both are sorted by path. */
struct git_files run_files_after(struct arena *arena, const struct git_files *previous,
                                 const struct git_changes *changes);
/* Returns audit_output_digest of what the commit will hold, or "" if the run makes no commit. */
sv run_vouch(const struct run_env *env, const struct run_facts *facts,
             const struct run_writer *writer);
/*
 * Finds out if the run changes nothing and no commit vouches for the output, as after a squash or
 * an osm-gen that wrote no trailers. Warns of it (DIAG_AUDIT_NOBODY) unless --vouch commits anyway.
 */
MUST_CHECK enum status run_lacks_voucher(const struct run_env *env, bool vouch,
                                         const struct run_facts *facts,
                                         const struct run_writer *writer, bool *ret_lacks);
/*
 * Warns about the committed output: files that no index lists, files that are missing, and who
 * changed the files that differ from what the inputs make.
 */
MUST_CHECK enum status run_explain_output(const struct run_env *env, const struct run_facts *facts,
                                          sv branch);

#endif
