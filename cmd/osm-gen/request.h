/*
 * The request of a run, from what the caller gives.
 */
#ifndef OSM_GEN_CMD_REQUEST_H
#define OSM_GEN_CMD_REQUEST_H

#include "commands.h"
#include "remote/remote.h"

/* Returns true for `plan`, and for `upgrade`, which begins with a plan. */
bool command_is_plan(enum command command);
/*
 * Reads the variables that --allow-env names. An unset one has a null value, and so have all of
 * them in validate, which reads no secrets.
 */
struct dialect_environment request_variables(struct context *context);
/*
 * Makes the request of the command: reads the keys, and the files that options name. Fails if one
 * cannot be read. `variables` must outlive the request.
 */
MUST_CHECK enum status request_make(struct context *context,
                                    const struct dialect_environment *variables,
                                    struct run_request *ret_request);
/*
 * Makes a request for commands that only read the inputs. It has no key, as their mode is
 * RUN_VALIDATE.
 */
MUST_CHECK enum status request_reading(struct context *context, struct run_request *ret_request);
/*
 * Returns the environment for other programs: without variables of osm-gen and keys of SOPS. Those
 * that --allow-env names were moved out of it before (environment_take).
 */
struct remote_surroundings request_surroundings(struct context *context);

#endif
