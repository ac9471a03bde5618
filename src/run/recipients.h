/*
 * Guards the recipients of the output (plan_check_recipients), and the encrypted settings of the
 * inputs, which are decrypted only for recipients that pass.
 */
#ifndef OSM_GEN_RUN_RECIPIENTS_H
#define OSM_GEN_RUN_RECIPIENTS_H

#include "plan/plan.h"
#include "run/inputs.h"
#include "run/run.h"
#include "run/writer.h"

/* Reads the indexes of the previous output. Fails as plan_read_previous does. */
MUST_CHECK enum status run_read_previous(const struct run_env *env,
                                         const struct run_request *request,
                                         const struct run_inputs *inputs, const struct plan *plan,
                                         const struct run_writer *writer,
                                         struct previous *ret_previous);
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

#endif
