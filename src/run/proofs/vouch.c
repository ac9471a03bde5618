/*
 * Vouches for the output in the commit's message, and finds out if unchanged output has been
 * vouched for.
 */
#include "audit/audit.h"
#include "run/output/output.h"
#include "run/proofs/proofs.h"

sv run_voucher(const struct run_env *env, const struct run_facts *facts,
               const struct run_writer *writer)
{
	const struct run_inputs *inputs = facts->inputs;

	if (!run_makes_commit(writer, inputs))
		return SV("");
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	const struct audit_state state = {
	    .inputs = inputs->taken,
	    .outputs =
	        run_files_after(scratch, git_output_previous(writer->output), facts->changes),
	};
	return audit_output_digest(env->arena, facts->plan->root, inputs->out, inputs->source.hex,
	                           &state);
}

/* ---- output that nobody vouches for ------------------------------------------------------ */

/* Returns true if the newest messages name any run; `verify` finds out if it fits. */
static bool is_run_near(const struct run_env *env, struct git_repo *repo, struct git_id from)
{
	struct git_messages messages;

	git_list_messages(env->arena, repo, from, PLAN_COMMITS_SEARCHED, &messages);
	VEC_EACH (message, &messages) {
		struct audit_trailers trailers;

		audit_read_trailers(env->arena, *message, &trailers);
		if (trailers.count > 0)
			return true;
	}
	return false;
}

static enum status find_voucher(const struct run_env *env, bool vouch,
                                const struct run_facts *facts, const struct git_source *tip,
                                bool *ret_lacks)
{
	const struct run_inputs *inputs = facts->inputs;
	struct audit_findings past = audit_findings_in(env->arena, inputs->out);
	struct audit_history_request request = {
	    .repo = inputs->repo,
	    .source = *tip,
	    .out = inputs->out,
	    .root = facts->plan->root,
	};

	if (!git_id_equal(inputs->source.id, tip->id))
		request.inputs = inputs->source.id;
	if (audit_history(env->arena, env->sink, &request, &past) != STATUS_OK)
		return STATUS_FAILED;
	/*
	 * A shallow clone may lack the voucher; one more does no harm. An older voucher does not
	 * count if the output has changed since, as by a squash that kept no message.
	 */
	*ret_lacks = past.sink.diags.count > 0 || (vouch && past.vouchers.count == 0);
	return STATUS_OK;
}

enum status run_lacks_voucher(const struct run_env *env, bool vouch, const struct run_facts *facts,
                              const struct run_writer *writer, bool *ret_lacks)
{
	const struct run_inputs *inputs = facts->inputs;
	struct sink unused = sink_in(env->arena);
	struct run_tip tip = {0};

	*ret_lacks = false;
	if (!run_makes_commit(writer, inputs) || facts->changes->count > 0 ||
	    git_output_previous(writer->output)->count == 0 ||
	    run_list_tip(&unused, env, inputs, writer->branch, &tip) != STATUS_OK ||
	    (!vouch && is_run_near(env, inputs->repo, tip.source.id)))
		return STATUS_OK;
	if (find_voucher(env, vouch, facts, &tip.source, ret_lacks) != STATUS_OK)
		return STATUS_FAILED;
	if (!*ret_lacks || vouch)
		return STATUS_OK;
	struct diag *diag = diag_report(env->sink, DIAG_AUDIT_NOBODY, NOWHERE,
	                                "the output is up to date, and no commit vouches for it");
	diag_set_help(env->sink, diag,
	              "osm-gen generate --vouch makes such a commit, which changes no file");
	return STATUS_OK;
}
