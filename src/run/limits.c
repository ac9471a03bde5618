/*
 * What a run may take: amounts over all inputs, units and threads. The limits of one text and of
 * one template are in yaml.h, json.h and tmpl.h; without a sum many small texts would get past
 * them.
 */
#include "run/stages.h"

#include <stdatomic.h>

/*
 * A fleet of 10,000 MachineDeployments takes a quarter of each, or less: see
 * tests/cli/hostile_size.sh. What one takes is in docs/operations.md (tests/cli/limits.sh).
 */
struct run_limits run_limits_default(void)
{
	return (struct run_limits){
	    .entries = 2 * 1000 * 1000,
	    .input_bytes = (uint64_t)128 << 20,
	    .values = 4 * 1000 * 1000,
	    .steps = 60 * 1000 * 1000,
	    .output_bytes = (uint64_t)16 << 30,
	};
}

static void set(struct quota *quota, enum diag_code code, const char *option, const char *what,
                uint64_t max)
{
	*quota = (struct quota){.option = option, .what = what, .code = code, .max = max};
}

void run_quotas_set(struct run_quotas *quotas, const struct run_limits *limits)
{
	set(&quotas->entries, DIAG_LIMIT_ENTRIES, "max-entries", "entries of folders above",
	    limits->entries);
	set(&quotas->input_bytes, DIAG_LIMIT_INPUT, "max-input", "bytes of inputs above",
	    limits->input_bytes);
	set(&quotas->values, DIAG_LIMIT_VALUES, "max-values", "values in manifests above",
	    limits->values);
	set(&quotas->steps, DIAG_LIMIT_STEPS, "max-steps", "steps of templates above",
	    limits->steps);
	set(&quotas->output_bytes, DIAG_LIMIT_OUTPUT, "max-output", "bytes of output above",
	    limits->output_bytes);
}

static void lower(struct quota *quota, const struct value *limits, const char *name)
{
	const struct value *max = value_map_get(limits, sv_from_cstr(name));

	if (value_is_null(max) || (uint64_t)max->integer >= quota->max)
		return;
	quota->max = (uint64_t)max->integer;
	quota->setting = name;
}

void run_quotas_lower(struct run_quotas *quotas, const struct value *limits)
{
	if (!limits)
		return;
	lower(&quotas->entries, limits, "maxEntries");
	lower(&quotas->input_bytes, limits, "maxInput");
	lower(&quotas->values, limits, "maxValues");
	lower(&quotas->steps, limits, "maxSteps");
	lower(&quotas->output_bytes, limits, "maxOutput");
}

/* Ten times what one takes with the profiles of this repository, and some for long texts. */
#define STEPS_PER_UNIT       20000
#define STEPS_PER_INPUT_BYTE 4

void run_quotas_grow(struct run_quotas *quotas, const struct run_limits *given,
                     const struct value *limits, size_t units)
{
	struct quota *steps = &quotas->steps;

	if (given->steps != run_limits_default().steps || steps->setting)
		return;
	steps->max += STEPS_PER_UNIT * (uint64_t)units +
	              STEPS_PER_INPUT_BYTE * atomic_load(&quotas->input_bytes.used);
	if (limits)
		lower(steps, limits, "maxSteps");
}

enum status run_check_quotas(struct sink *sink, const struct run_quotas *quotas)
{
	const struct quota *const all[] = {&quotas->entries, &quotas->input_bytes, &quotas->values,
	                                   &quotas->steps, &quotas->output_bytes};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < COUNT_OF(all); i++) {
		if (!quota_is_exceeded(all[i]))
			continue;
		quota_report(sink, all[i]);
		status = STATUS_FAILED;
	}
	return status;
}
