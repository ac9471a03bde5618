/*
 * Reports that a run had no seed, and how much it could not compare.
 */
#include "run/summary/summary.h"

void run_report_stand_ins(const struct run_env *env, const struct run_facts *facts)
{
	size_t count = 0;
	struct diag *diag;

	for (size_t i = 0; facts->rendered && i < facts->plan->unit_count; i++)
		count += facts->rendered->units[i].not_compared;
	if (facts->rendered)
		diag = diag_report(env->sink, DIAG_WITHOUT_SEED, NOWHERE,
		                   "there is no seed: secrets are placeholders; %zu files that "
		                   "contain one are not compared",
		                   count);
	else
		diag = diag_report(env->sink, DIAG_WITHOUT_SEED, NOWHERE,
		                   "there is no seed: secrets are placeholders");
	diag_set_help(env->sink, diag,
	              "without the seed, as in a fork, nothing needs to be done: CI has the seed "
	              "and compares the rest; to compare everything here, give the seed with "
	              "--seal-seed-file or OSM_GEN_SEAL_SEED");
}
