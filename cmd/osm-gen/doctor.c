/*
 * doctor: keys and variables of the environment for the checks; their findings to stdout.
 */
#include "doctor/doctor.h"
#include "adopt/adopt.h"
#include "commands.h"
#include "request.h"

static void check_inputs(struct context *context, struct doctor *doctor,
                         const struct plan_key *identities)
{
	struct run_request request;

	if (request_reading(context, &request) != STATUS_OK)
		return;
	if (identities->text.ptr) {
		request.mode = RUN_CHECK;
		request.reading.identities = *identities;
	}
	doctor_check_inputs(doctor, &request, &context->result);
}

/* The variables that --allow-env can name and that are set. */
static void check_variables(struct context *context, struct doctor *doctor)
{
	size_t count;
	const sv *names = dialect_variable_names(context->arena, &count);
	VEC(sv) set = {0};

	for (size_t i = 0; i < count; i++)
		if (environment(arena_cstr(context->arena, names[i])).ptr)
			VEC_PUSH(context->arena, &set, names[i]);
	doctor_check_variables(doctor, set.items, set.count);
}

/* Reads the exports of --live. Returns null if none is given, or if one cannot be read. */
static const struct adopt_live *read_live(struct context *context)
{
	const struct options *options = context->options;
	struct adopt_live *live = adopt_live_new(context->secret_arena);
	bool failed = false;

	for (size_t i = 0; i < options->read.live.count; i++)
		failed |= read_export(context, options->read.live.items[i], live) != STATUS_OK;
	return options->read.live.count > 0 && !failed ? live : NULL;
}

int command_doctor(struct context *context)
{
	const struct options *options = context->options;
	const struct doctor_place place = {
	    .repo = options->read.repo,
	    .out = options->target.out,
	    .rev = options->read.rev,
	    .branch = options->target.branch,
	    .author = options->target.author,
	};
	struct doctor *doctor =
	    doctor_new(context->arena, context->secret_arena, context->sink, &place);
	struct buf buf = buf_in(context->arena);
	struct plan_key seed = {0};
	struct plan_key identities = {0};

	bool is_open = doctor_check_repository(doctor);
	bool has_seed = read_seed(context, &seed) == STATUS_OK;
	doctor_check_seed(doctor, has_seed ? &seed : NULL);
	bool has_identities = read_identities(context, &identities) == STATUS_OK;
	if (!doctor_check_identities(doctor, has_identities ? &identities : NULL))
		identities = (struct plan_key){0};
	if (is_open)
		check_inputs(context, doctor, &identities);
	doctor_check_api_servers(doctor);
	doctor_check_output(doctor);
	doctor_check_machines(doctor, read_live(context), options->chosen.cluster);
	check_variables(context, doctor);
	if (sv_eq(options->print.format, SV("json")))
		doctor_add_json(&buf, doctor);
	else
		doctor_add_text(&buf, doctor, &context->out_style);
	int status = doctor_found_something(doctor) ? 1 : 0;
	doctor_free(doctor);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? status : 3;
}
