/*
 * The limits of an execution: steps, memory, output, C stack.
 */
#include "tmpl/exec.h"

/* Threads share the sum: it is touched now and then only. */
enum { CHARGED_AT_ONCE = 4096 };

enum status exec_charge(struct tmpl_run *run, uint64_t steps)
{
	if (__builtin_add_overflow(run->steps, steps, &run->steps) || run->steps > run->step_end) {
		/* The work that was refused must not count for the whole program run. */
		run->steps = run->step_end + 1;
		return exec_pend(run, TMPL_LIMIT,
		                 arena_printf(run->arena, "more than %llu steps",
		                              (unsigned long long)run->options.limits.steps));
	}
	if (run->steps - run->charged_steps < CHARGED_AT_ONCE)
		return STATUS_OK;
	uint64_t fresh = run->steps - run->charged_steps;
	run->charged_steps = run->steps;
	if (!quota_take(run->options.total_steps, fresh))
		return exec_pend(run, TMPL_LIMIT, SV("more steps than the whole run may take"));
	return STATUS_OK;
}

enum status exec_charge_fixed(struct tmpl_run *run, uint64_t steps)
{
	uint64_t end = run->step_end + steps;

	run->fixed_steps += steps;
	run->step_end = end < run->options.limits.steps ? end : run->options.limits.steps;
	return exec_charge(run, steps);
}

enum status exec_note_secret(struct tmpl_run *run, uint64_t steps)
{
	run->secret_cost = true;
	run->secret_steps += steps;
	if (run->secret_steps <= run->options.limits.secret_steps)
		return STATUS_OK;
	return exec_pend(run, TMPL_LIMIT, SV("too many steps that depend on a secret"));
}

/* A slot is found for each entry, or a few when the map grows. */
#define STEPS_PER_ENTRY 2

enum status exec_charge_entries(struct tmpl_run *run, const struct value *map)
{
	uint64_t steps = STEPS_PER_ENTRY * value_count(map);

	for (size_t i = 0; i < value_count(map); i++)
		steps += map->map->entries[i].key.len / EXEC_BYTES_PER_STEP;
	return exec_charge(run, steps);
}

enum status exec_charge_sorting(struct tmpl_run *run, const struct value *map)
{
	return exec_charge(run, go_value_sorting_bytes(map) / EXEC_BYTES_PER_STEP);
}

enum status exec_room(struct tmpl_run *run, size_t bytes)
{
	const struct tmpl_limits *limits = &run->options.limits;

	/*
	 * Memory is charged once allocated. Work on secrets stops earlier, so that its length
	 * reveals nothing.
	 */
	if (run->step_end < limits->steps && run->steps <= run->step_end &&
	    bytes / EXEC_MEMORY_PER_STEP > run->step_end - run->steps)
		return exec_pend(run, TMPL_LIMIT, SV("too much output is made of a secret"));
	if (bytes > limits->memory_bytes ||
	    arena_used(run->arena) - run->memory_start + bytes > limits->memory_bytes)
		return exec_pend(run, TMPL_LIMIT,
		                 arena_printf(run->arena, "more than %zu bytes of memory",
		                              limits->memory_bytes));
	if (run->out->buf.len - run->out_start > limits->output_bytes)
		return exec_pend(run, TMPL_LIMIT,
		                 arena_printf(run->arena, "more than %zu bytes of output",
		                              limits->output_bytes));
	return STATUS_OK;
}

enum status exec_descend(struct tmpl_run *run)
{
	if (!stack_guard_ok(&run->guard))
		return exec_pend(run, TMPL_LIMIT, SV("nested too deeply"));
	return STATUS_OK;
}

static bool budget_descend(void *context)
{
	return exec_descend(context) == STATUS_OK && exec_charge(context, 1) == STATUS_OK &&
	       exec_room(context, 0) == STATUS_OK;
}

static bool budget_read(void *context, size_t bytes)
{
	return exec_charge(context, bytes / EXEC_BYTES_PER_STEP) == STATUS_OK;
}

static bool budget_room(void *context, size_t bytes)
{
	return exec_room(context, bytes) == STATUS_OK;
}

static void budget_refuse(void *context, sv reason, const struct type *type)
{
	enum run_advice advice = sv_eq(type->name, SV("*int32")) ? RUN_ADVICE_PRINTS_NUMBER_POINTER
	                         : sv_eq(type->name, SV("*string"))
	                             ? RUN_ADVICE_PRINTS_STRING_POINTER
	                             : RUN_ADVICE_PRINTS_POINTER;

	exec_pend_advised(context, TMPL_REFUSED, advice, reason);
}

struct printer exec_printer(struct tmpl_run *run, struct text *out)
{
	static const struct fmt_budget budget = {.descend = budget_descend,
	                                         .read = budget_read,
	                                         .room = budget_room,
	                                         .refuse = budget_refuse};

	return (struct printer){.out = out, .arena = run->arena, .budget = &budget, .context = run};
}
