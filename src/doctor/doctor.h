/*
 * doctor: checks of a repository, its keys and inputs, for trouble that a run will meet here or in
 * CI. It only reads. The checks are called in the order of this header; each adds findings.
 *
 *   doctor.c      findings, keys, variables
 *   repository.c  the shape of the repository
 *   fleet.c       the inputs, and the output of the last commit
 *   machines.c    MachineDeployments of the output, and those that are live
 *   print.c       findings as text and as JSON
 */
#ifndef OSM_GEN_DOCTOR_DOCTOR_H
#define OSM_GEN_DOCTOR_DOCTOR_H

#include "adopt/adopt.h"
#include "base/base.h"
#include "diag/diag.h"
#include "report/report.h"
#include "run/run.h"

struct doctor;

/* The options of a run that decide where it reads and commits. */
struct doctor_place {
	sv repo;
	sv out;
	sv rev;
	sv branch; /* null pointer: HEAD's branch */
	sv author; /* null pointer: the fleet's, else osm-gen's own */
};

/* secret_arena takes the seed. `place` must live as long as the doctor. */
struct doctor *doctor_new(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                          const struct doctor_place *place);
void doctor_free(struct doctor *doctor);

/* Returns false if the repository cannot be opened: its inputs cannot be checked then. */
bool doctor_check_repository(struct doctor *doctor);
/* `seed` is null if it cannot be read; its text is a null pointer if none is given. */
void doctor_check_seed(struct doctor *doctor, const struct plan_key *seed);
/* The same for identities. Returns false if they cannot be used. */
bool doctor_check_identities(struct doctor *doctor, const struct plan_key *identities);
/*
 * Reads the fleet, which belongs to ret_result afterwards (run_survey). Encrypted inputs are opened
 * if the request has identities.
 */
void doctor_check_inputs(struct doctor *doctor, const struct run_request *request,
                         struct run_result *ret_result);
/* Finds API servers that were never replaced. Does nothing if the inputs were not read. */
void doctor_check_api_servers(struct doctor *doctor);
/* Compares the output with the inputs. Does nothing if these were not read. */
void doctor_check_output(struct doctor *doctor);
/*
 * Compares a cluster's MachineDeployments with its live ones: what applying them does to machines.
 * `live` is null if no export is given; then MachineDeployments that are new in the output are
 * noted. An empty name is that of the only cluster. Does nothing if the inputs were not read.
 */
void doctor_check_machines(struct doctor *doctor, const struct adopt_live *live, sv name);
/* `set` has the variables of the environment that could change the output, if --allow-env is given.
 */
void doctor_check_variables(struct doctor *doctor, const sv *set, size_t count);

/* Returns true if people should look at a finding that is not an error. */
bool doctor_found_something(const struct doctor *doctor);
void doctor_add_text(struct buf *buf, const struct doctor *doctor,
                     const struct report_style *style);
void doctor_add_json(struct buf *buf, const struct doctor *doctor);

#endif
