/*
 * Stops a run that looks like a mistake, or like somebody's attempt to read secrets. Options allow
 * what is meant. The files look for:
 *
 *   recipients.c    output that is sealed to other recipients than before
 *   removal.c       many files that would be removed, and an output folder with manifests in it
 *   sources.c       a unit that was removed from a file, which exists
 *   definitions.c   a profile that changes without a new version
 */
#ifndef OSM_GEN_RUN_GUARDS_GUARDS_H
#define OSM_GEN_RUN_GUARDS_GUARDS_H

#include "plan/plan.h"
#include "run/inputs/inputs.h"
#include "run/output/output.h"
#include "run/rendered.h"

/* ---- recipients ------------------------------------------------------------------------------ */

/*
 * Checks the recipients before anything is rendered for them. Fails as plan_check_recipients does,
 * and (DIAG_ALLOW_RECIPIENTS_PLACE) if the list of CI is a file of the repository.
 */
MUST_CHECK enum status
run_check_recipients(const struct run_env *env, const struct run_request *request,
                     const struct run_inputs *inputs, const struct plan *plan,
                     const struct previous *previous, struct plan_recipient_changes *ret_changes);

/* The context of run_may_open_settings. */
struct run_opening {
	const struct run_env *env;
	const struct run_request *request;
	const struct run_inputs *inputs;
	struct run_writer *writer;
};
/*
 * The guard of encrypted settings (fleet_options.may_open). Their clear members are not
 * authenticated: whoever opens a pull request chooses the recipients of the clusters that get the
 * decrypted values. So these must pass the guard first.
 */
bool run_may_open_settings(void *context, const struct fleet *fleet);

/* ---- removal --------------------------------------------------------------------------------- */

/*
 * Fails if the output folder holds manifests that somebody wrote (DIAG_OUTPUT_HOLDS_INPUTS), or if
 * more goes than may go without --allow-removal (plan_check_removal). `previous` may be null:
 * nothing is checked then.
 */
MUST_CHECK enum status run_guard_removal(const struct run_env *env, enum run_mode mode,
                                         const struct run_allowed *allowed,
                                         const struct run_inputs *inputs, const struct plan *plan,
                                         const struct previous *previous,
                                         const struct run_writer *writer);
/*
 * Fails if more machines roll than may without --allow-roll (plan_check_rolls), or if more are
 * deleted than may without --allow-removal (plan_check_scale).
 */
MUST_CHECK enum status run_guard_rolls(const struct run_env *env, enum run_mode mode,
                                       const struct run_allowed *allowed, const struct plan *plan,
                                       const struct run_rendered *rendered);

/* ---- sources --------------------------------------------------------------------------------- */

/*
 * Fails (DIAG_SOURCE_CHANGED) if a unit of the previous output is gone although its file is still
 * among the inputs: the file is a link, empty or a template, or an object in it has another kind or
 * no name. A document that was deleted from a file with others is an ordinary removal. If other
 * errors were reported, adds to those of ciphertext and LFS pointers which unit each file has.
 */
MUST_CHECK enum status run_check_sources(const struct run_env *env, const struct run_inputs *inputs,
                                         const struct plan *plan, const struct previous *previous);

/* ---- definitions ----------------------------------------------------------------------------- */

/*
 * Fails (DIAG_OSP_IMMUTABLE) if a profile that the output holds was changed under the same version.
 * Compares with the branch's tip, or with the disk when the output is outside of the repository.
 * Warns (DIAG_OSP_REPLACED) of a profile whose file is gone while index.json lists it. `previous`
 * may be null.
 */
MUST_CHECK enum status
run_check_definitions(const struct run_env *env, const struct run_allowed *allowed,
                      const struct run_inputs *inputs, const struct plan *plan,
                      const struct previous *previous, const struct run_writer *writer);

#endif
