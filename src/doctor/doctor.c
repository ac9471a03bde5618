/*
 * Findings, keys, variables of the environment.
 */
#include "internal.h"

void doctor_add(struct doctor *doctor, const char *check, enum doctor_level level, const char *help,
                const char *format, ...)
{
	va_list args;

	va_start(args, format);
	sv text = arena_vprintf(doctor->arena, format, args);
	va_end(args);
	VEC_PUSH(doctor->arena, &doctor->findings,
	         (struct doctor_finding){check, level, text, help});
}

struct doctor *doctor_new(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                          const struct doctor_place *place)
{
	struct doctor *doctor = ARENA_NEW(arena, struct doctor);

	*doctor = (struct doctor){
	    .arena = arena,
	    .secret_arena = secret_arena,
	    .sink = sink,
	    .place = place,
	    .identities = seal_identities_new(),
	};
	return doctor;
}

void doctor_free(struct doctor *doctor)
{
	seal_root_free(doctor->root);
	seal_identities_free(doctor->identities);
	git_repo_close(doctor->repo);
}

/* ---- keys ---------------------------------------------------------------------------------- */

void doctor_check_seed(struct doctor *doctor, const struct plan_key *seed)
{
	if (!seed || (seed->text.ptr && plan_parse_seed(doctor->secret_arena, doctor->sink, seed,
	                                                &doctor->root) != STATUS_OK)) {
		doctor_add(doctor, "seed", DOCTOR_WRONG, NULL, "the seed cannot be read");
		return;
	}
	if (!doctor->root)
		doctor_add(doctor, "seed", DOCTOR_LOOK,
		           "`generate` and `check` need OSM_GEN_SEAL_SEED, OSM_GEN_SEAL_SEED_FILE "
		           "or --seal-seed-file; `osm-gen keygen seed -o FILE` makes one",
		           "no seed is given");
	else
		doctor_add(doctor, "seed", DOCTOR_OK, NULL, "the seed is sound");
}

static bool add_identities(struct doctor *doctor, const struct plan_key *given)
{
	return given && plan_add_identities(doctor->secret_arena, doctor->sink, given,
	                                    doctor->identities) == STATUS_OK;
}

bool doctor_check_identities(struct doctor *doctor, const struct plan_key *identities)
{
	size_t count;

	if (!add_identities(doctor, identities)) {
		doctor_add(doctor, "identities", DOCTOR_WRONG, NULL,
		           "the identities cannot be read");
		return false;
	}
	count = seal_identities_count(doctor->identities);
	if (!identities->text.ptr)
		doctor_add(doctor, "identities", DOCTOR_NOTE,
		           "encrypted inputs need SOPS_AGE_KEY or SOPS_AGE_KEY_FILE; without such "
		           "inputs no identity is needed",
		           "no identity is given: encrypted inputs were not opened");
	else
		doctor_add(doctor, "identities", DOCTOR_OK, NULL, "%zu age identit%s", count,
		           count == 1 ? "y" : "ies");
	if (seal_key_command(doctor->identities))
		doctor_add(doctor, "identities", DOCTOR_NOTE,
		           "run the command before, and give what it prints as SOPS_AGE_KEY",
		           "%s is set: osm-gen does not run its command",
		           seal_key_command(doctor->identities));
	if (seal_passed_over(doctor->identities))
		doctor_add(doctor, "identities", DOCTOR_NOTE, NULL,
		           "a key of the file is passed over: %s",
		           seal_passed_over(doctor->identities));
	return true;
}

/* ---- the environment, and CI's ------------------------------------------------------------- */

void doctor_check_variables(struct doctor *doctor, const sv *set, size_t count)
{
	if (count > 0)
		doctor_add(doctor, "variables", DOCTOR_NOTE,
		           "cloud-configs take values from them only with --allow-env "
		           "CLUSTER:NAME, in CI as here",
		           "set in the environment: %.*s",
		           SV_ARG(buf_listed(doctor->arena, set, count)));
	else
		doctor_add(doctor, "variables", DOCTOR_OK, NULL,
		           "no variable is set that could change the output");
	doctor_add(doctor, "ci", DOCTOR_NOTE, NULL,
	           "CI needs the seed (OSM_GEN_SEAL_SEED) on protected branches alone, %sthe whole "
	           "history (fetch-depth: 0), and the right to push to the branch",
	           seal_identities_count(doctor->identities) > 0
	               ? "an identity (SOPS_AGE_KEY) where inputs are encrypted, "
	               : "");
}

bool doctor_found_something(const struct doctor *doctor)
{
	VEC_EACH (finding, &doctor->findings)
		if (finding->level == DOCTOR_LOOK)
			return true;
	return false;
}
