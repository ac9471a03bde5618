/*
 * Reports that a run had no seed, and how much it could not compare.
 */
#include "run/summary/summary.h"

void run_report_stand_ins(const struct run_env *env, const struct run_facts *facts)
{
	size_t count = 0;
	size_t units = 0;
	struct diag *diag;

	for (size_t i = 0; facts->rendered && i < facts->plan->unit_count; i++) {
		const struct run_unit *unit = &facts->rendered->units[i];

		count += unit->not_compared;
		units += unit->facts.was_there && plan_class(&unit->facts) == REPORT_CLASS_UNKNOWN;
	}
	if (facts->rendered && units > 0) {
		sv kind = plan_unit_kind(facts->plan);
		diag = diag_report(env->sink, DIAG_WITHOUT_SEED, NOWHERE,
		                   "there is no seed: secrets are placeholders; it is unknown what "
		                   "happens to %zu %.*s%s, and %zu files are not compared",
		                   units, SV_ARG(kind), units == 1 ? "" : "s", count);
	} else if (facts->rendered && count > 0)
		diag = diag_report(env->sink, DIAG_WITHOUT_SEED, NOWHERE,
		                   "there is no seed: secrets are placeholders, and %zu files are "
		                   "not compared",
		                   count);
	else
		diag = diag_report(env->sink, DIAG_WITHOUT_SEED, NOWHERE,
		                   "there is no seed: secrets are placeholders");
	diag_set_help(env->sink, diag,
	              "without the seed, as in a fork, nothing needs to be done: CI has the seed "
	              "and compares the rest; to compare everything here, give the seed with "
	              "--seal-seed-file or OSM_GEN_SEAL_SEED");
}
