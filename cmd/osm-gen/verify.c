/*
 * verify: reads the keys that are given, audits the output, prints the findings.
 */
#include "audit/audit.h"
#include "commands.h"

/* Reads the seed and identities, each of which may be missing. Fails if one is wrong. */
static enum status read_keys(struct context *context, struct seal_identities *identities,
                             struct seal_root **ret_root)
{
	struct plan_key seed = {0};

	if (read_seed(context, &seed) != STATUS_OK ||
	    gather_identities(context, identities) != STATUS_OK)
		return STATUS_FAILED;
	return seed.text.ptr
	           ? plan_parse_seed(context->secret_arena, context->sink, &seed, ret_root)
	           : STATUS_OK;
}

/* Adds the findings as diagnostics, then notes and checks not made, then a summary line. */
static void add_text(struct context *context, struct buf *buf, const struct audit_result *result,
                     struct value *root)
{
	struct report_style style = context->out_style;

	if (!context->options->print.verbose) {
		style.diags_per_code = REPORT_DIAGS_PER_CODE;
		value_map_set(buf->arena, root, SV("most"), value_int(REPORT_DIAGS_PER_CODE));
	}
	report_diags_text(buf, &result->findings.sink, &style);
	report_form(buf, "verify", REPORT_TERMINAL, root);
}

static int print_result(struct context *context, const struct audit_request *request,
                        const struct audit_result *result)
{
	struct buf buf = buf_in(context->arena);
	struct value root = audit_result_tree(context->arena, request, result);
	bool is_json = sv_eq(context->options->print.format, SV("json"));
	bool has_findings = result->findings.sink.diags.count > 0;

	if (is_json)
		report_add_json(&buf, &root);
	else if (!context->options->print.quiet || has_findings)
		add_text(context, &buf, result, &root);
	if (print_out(context, buf_sv(&buf)) != STATUS_OK)
		return 3;
	return has_findings ? 1 : 0;
}

int command_verify(struct context *context)
{
	const struct options *options = context->options;
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	SEAL_ROOT_AUTO root = NULL;
	struct audit_result result;

	if (read_keys(context, identities, &root) != STATUS_OK)
		return 3;
	const struct audit_request request = {
	    .repo = options->read.repo,
	    .out = options->target.out,
	    .rev = options->read.rev,
	    .inputs_rev = options->read.inputs_rev,
	    .root = root,
	    .identities = identities,
	    .has_private_keys = options->read.key_file.ptr != NULL,
	    .files = options->arguments.items,
	    .file_count = options->arguments.count,
	    .require_history = options->read.require_history,
	};
	if (audit(context->arena, context->sink, &request, &result) != STATUS_OK)
		return 3;
	return print_result(context, &request, &result);
}
