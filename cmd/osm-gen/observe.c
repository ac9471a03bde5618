/*
 * observe: compares the committed output with exports of live clusters, for people and for a CI job
 * that runs after Flux.
 */
#include "adopt/adopt.h"
#include "commands.h"
#include "seal/seal.h"

static enum status read_lives(struct context *context, const struct adopt_live **lives)
{
	const struct options *options = context->options;
	bool is_empty = true;
	bool failed = false;

	for (size_t i = 0; i < options->arguments.count; i++) {
		struct adopt_live *live = adopt_live_new(context->secret_arena);

		failed |= read_export(context, options->arguments.items[i], live) != STATUS_OK;
		is_empty = is_empty && adopt_live_is_empty(live);
		lives[i] = live;
	}
	if (failed || !is_empty)
		return failed ? STATUS_FAILED : STATUS_OK;
	struct diag *diag = diag_report(context->sink, DIAG_ADOPT_NOTHING, NOWHERE,
	                                "the exports hold nothing that could be observed");
	diag_set_help(
	    context->sink, diag,
	    "kubectl get machinedeployments,machinesets,machines,"
	    "operatingsystemprofiles,operatingsystemconfigs,secrets,configmaps -A -o yaml > FILE");
	return STATUS_FAILED;
}

static int print_observation(struct context *context, const struct adopt_observation *observation)
{
	const struct options *options = context->options;
	struct buf buf = buf_in(context->arena);

	if (sv_eq(options->print.format, SV("json")))
		adopt_observation_json(&buf, observation);
	else if (!options->print.quiet || !observation->is_settled)
		adopt_observation_text(&buf, observation, options->print.verbose);
	if (print_out(context, buf_sv(&buf)) != STATUS_OK)
		return 3;
	return observation->is_settled ? 0 : 1;
}

int command_observe(struct context *context)
{
	const struct options *options = context->options;
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct adopt_observation observation;
	const struct adopt_live **lives =
	    ARENA_ARRAY(context->secret_arena, const struct adopt_live *, options->arguments.count);

	if (gather_identities(context, identities) != STATUS_OK)
		return 3;
	if (read_lives(context, lives) != STATUS_OK)
		return 2;
	const struct adopt_observe_request request = {
	    .repo = options->read.repo,
	    .out = options->target.out,
	    .rev = options->read.rev,
	    .cluster = options->chosen.cluster,
	    .lives = lives,
	    .live_count = options->arguments.count,
	    .identities = identities,
	    .no_machines = options->chosen.no_machines,
	};
	if (adopt_observe(context->secret_arena, context->sink, &request, &observation) !=
	    STATUS_OK)
		return 2;
	return print_observation(context, &observation);
}
