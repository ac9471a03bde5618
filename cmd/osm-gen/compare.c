/*
 * compare: reads the exports of a live cluster and runs the comparison with its rendering.
 */
#include "adopt/adopt.h"
#include "commands.h"

int command_compare(struct context *context)
{
	const struct options *options = context->options;
	struct adopt_live *live = adopt_live_new(context->secret_arena);
	bool failed = false;

	for (size_t i = 0; i < options->read.live.count; i++)
		failed |= read_export(context, options->read.live.items[i], live) != STATUS_OK;
	if (failed)
		return 2;
	if (adopt_live_is_empty(live)) {
		struct diag *diag = diag_report(context->sink, DIAG_ADOPT_NOTHING, NOWHERE,
		                                "the exports hold nothing that could be compared");

		diag_set_help(context->sink, diag,
		              "kubectl get operatingsystemconfigs,machinedeployments,secrets -A -o "
		              "yaml > FILE");
		return 2;
	}
	context->live = live;
	return command_run(context);
}
