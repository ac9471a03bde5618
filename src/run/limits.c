/*
 * The limits of a run: sums over all inputs, units and threads. The limits of one document and of
 * one template are in yaml.h, json.h and tmpl.h; many small documents would get past those.
 *
 * Unless options set them, limits follow from the inputs: a base, an allowance for each unit, and
 * one for each byte of the inputs. So a large fleet fits, and a small repository cannot use as much
 * as a large one.
 */
#include "run/env.h"

/*
 * A MachineDeployment uses a tenth of its allowances, or less: see docs/limits.md. Shown by
 * tests/cli/limits.sh and tests/cli/hostile_size.sh.
 */
enum { BYTES_PER_VALUE = 10, STEPS_PER_UNIT = 40000, STEPS_PER_BYTE = 16 };
enum { OUTPUT_PER_UNIT = 400 * 1000, OUTPUT_PER_BYTE = 16 };
#define BASE_VALUES ((uint64_t)1000 * 1000)
#define BASE_STEPS  ((uint64_t)60 * 1000 * 1000)
#define BASE_OUTPUT ((uint64_t)1 << 30)

struct run_limits run_limits_default(void)
{
	return (struct run_limits){
	    .entries = 2 * 1000 * 1000,
	    .input_bytes = (uint64_t)128 << 20,
	    .values = RUN_BY_SIZE,
	    .steps = RUN_BY_SIZE,
	    .output_bytes = RUN_BY_SIZE,
	};
}

static void set_quota(struct quota *quota, enum diag_code code, const char *option,
                      const char *what, uint64_t max)
{
	*quota = (struct quota){.option = option, .what = what, .code = code, .max = max};
}

static void grow_from(struct quota *quota, uint64_t base)
{
	if (quota->max != RUN_BY_SIZE)
		return;
	quota->max = base;
	quota->grows = true;
}

void run_quotas_set(struct run_quotas *quotas, const struct run_limits *limits)
{
	set_quota(&quotas->entries, DIAG_LIMIT_ENTRIES, "max-entries", "entries of folders above",
	          limits->entries);
	set_quota(&quotas->input_bytes, DIAG_LIMIT_INPUT, "max-input", "bytes of inputs above",
	          limits->input_bytes);
	set_quota(&quotas->values, DIAG_LIMIT_VALUES, "max-values", "values in manifests above",
	          limits->values);
	set_quota(&quotas->steps, DIAG_LIMIT_STEPS, "max-steps", "steps of work above",
	          limits->steps);
	set_quota(&quotas->output_bytes, DIAG_LIMIT_OUTPUT, "max-output", "bytes of output above",
	          limits->output_bytes);
	grow_from(&quotas->values, BASE_VALUES);
	grow_from(&quotas->steps, BASE_STEPS);
	grow_from(&quotas->output_bytes, BASE_OUTPUT);
}

struct quota run_values_of(struct run_quotas *quotas, size_t bytes)
{
	return quota_part(&quotas->values, bytes / BYTES_PER_VALUE);
}

void run_quotas_grow(struct run_quotas *quotas, size_t units)
{
	uint64_t bytes = quotas->input_bytes.used;

	quota_grow(&quotas->steps, bytes * STEPS_PER_BYTE + units * (uint64_t)STEPS_PER_UNIT);
	quota_grow(&quotas->output_bytes,
	           bytes * OUTPUT_PER_BYTE + units * (uint64_t)OUTPUT_PER_UNIT);
}

static void lower(struct quota *quota, const struct value *limits, const char *name)
{
	const struct value *max = value_map_get(limits, sv_from_cstr(name));

	/* The use that allowances cover counts, too. */
	if (value_is_null(max) ||
	    ((uint64_t)max->integer >= quota->max && (uint64_t)max->integer >= quota->all))
		return;
	quota->max = (uint64_t)max->integer;
	quota->grows = false;
	quota->used = quota->all;
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
