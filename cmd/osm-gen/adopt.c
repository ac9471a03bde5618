/*
 * adopt: writes exports as a cluster's folder; prints what was taken and left out, and what to do
 * next.
 */
#include "adopt/adopt.h"
#include "commands.h"
#include "os/os.h"
#include "request.h"
#include "seal/seal.h"

#include <errno.h>
#include <sys/random.h>

/* Derives from the seed, else from random bytes: an input may get new ciphertext, as with sops. */
static enum status make_root(struct context *context, struct seal_root **ret_root)
{
	struct arena *arena = context->secret_arena;
	struct plan_key seed = {0};

	if (read_seed(context, &seed) != STATUS_OK)
		return STATUS_FAILED;
	if (!seed.text.ptr) {
		uint8_t *random = (uint8_t *)arena_alloc_text(arena, SEAL_SEED_SIZE);

		if (getrandom(random, SEAL_SEED_SIZE, 0) != SEAL_SEED_SIZE) {
			os_report_error(context->sink, errno, "read randomness from",
			                SV("the system"));
			return STATUS_FAILED;
		}
		seed = (struct plan_key){.text = seal_seed_format(arena, random),
		                         .name = SV("random bytes")};
	}
	return plan_parse_seed(arena, context->sink, &seed, ret_root);
}

enum status read_export(struct context *context, sv path, struct adopt_live *live)
{
	bool is_stdin = sv_eq(path, SV("-"));
	sv text;

	if ((is_stdin ? os_read_stdin(context->secret_arena, context->sink, ADOPT_MAX_EXPORT_BYTES,
	                              &text)
	              : os_read_file(context->secret_arena, context->sink, path,
	                             ADOPT_MAX_EXPORT_BYTES, &text)) != STATUS_OK)
		return STATUS_FAILED;
	return adopt_live_read(context->sink, live, is_stdin ? SV(OS_STDIN) : path, text);
}

/*
 * Warns if Flux or Argo CD applies the folder that was written. Other mistakes of the repository
 * are for `validate`.
 */
static enum status warn_applied(struct context *context, const struct adopt_result *result)
{
	struct sink found = sink_in(context->arena);
	struct sink applied = sink_in(context->arena);
	struct run_request request;
	const struct fleet *fleet;

	if (request_reading(context, &request) != STATUS_OK)
		return STATUS_FAILED;
	request.reading.repo = result->repository;
	request.reading.worktree = true;
	if (run_survey(context->arena, &found, &request, &fleet, &context->result) != STATUS_OK)
		fleet = NULL;
	VEC_EACH (diag, &found.diags)
		if ((*diag)->code == DIAG_INPUTS_APPLIED)
			VEC_PUSH(context->arena, &applied.diags, *diag);
	sink_merge(context->sink, &applied);
	return STATUS_OK;
}

int command_adopt(struct context *context)
{
	const struct options *options = context->options;
	SEAL_ROOT_AUTO root = NULL;
	struct adopt_live *live = adopt_live_new(context->secret_arena);
	struct adopt_result result;
	struct buf text = buf_in(context->arena);
	bool failed = false;

	if (make_root(context, &root) != STATUS_OK)
		return 3;
	for (size_t i = 0; i < options->arguments.count; i++)
		failed |= read_export(context, options->arguments.items[i], live) != STATUS_OK;
	if (failed) {
		adopt_mask_messages(context->sink->arena, context->sink);
		return 2;
	}
	const struct adopt_request request = {
	    .live = live,
	    .cluster = options->chosen.cluster,
	    .into = options->target.into,
	    .recipients = options->target.recipients.items,
	    .recipient_count = options->target.recipients.count,
	    .allowed = options->allowed.clear.items,
	    .allowed_count = options->allowed.clear.count,
	    .root = root,
	};
	enum status status =
	    adopt(context->arena, context->secret_arena, context->sink, &request, &result);
	adopt_mask_messages(context->sink->arena, context->sink);
	if (status != STATUS_OK)
		return 2;
	if (warn_applied(context, &result) != STATUS_OK)
		return 3;
	if (!options->print.quiet)
		adopt_result_text(&text, &request, &result, options->print.verbose);
	context->last_words = buf_sv(&text);
	return 0;
}
