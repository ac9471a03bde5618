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

static void add_lines(struct buf *buf, const char *word, const struct audit_texts *texts,
                      size_t most)
{
	for (size_t i = 0; i < texts->count && i < most; i++) {
		buf_add_cstr(buf, word);
		report_add_visible(buf, texts->items[i]);
		buf_add_char(buf, '\n');
	}
	if (texts->count > most)
		buf_printf(buf, "%sand %zu more, which -v shows\n", word, texts->count - most);
}

/* Adds the findings as diagnostics, then notes and checks not made, then a summary line. */
static void add_text(struct context *context, struct buf *buf, const struct audit_result *result)
{
	struct report_style style = context->out_style;
	const struct audit_findings *findings = &result->findings;

	size_t most = context->options->verbose ? SIZE_MAX : REPORT_DIAGS_PER_CODE;

	if (!context->options->verbose)
		style.diags_per_code = REPORT_DIAGS_PER_CODE;
	report_diags_text(buf, &findings->sink, &style);
	if (findings->more > 0)
		buf_printf(buf, "and %zu findings more\n", findings->more);
	add_lines(buf, "note: ", &findings->notes, most);
	add_lines(buf, "not checked: ", &findings->undecided, most);
	VEC_EACH (voucher, &findings->vouchers)
		buf_printf(buf, "vouched for by commit %.12s, made from %.12s\n",
		           voucher->commit.ptr, voucher->source.ptr);
	buf_printf(
	    buf, "%s: commit %.12s, %zu files, %zu of them sealed; %zu opened, %zu sealed again\n",
	    findings->sink.diags.count > 0 ? "something is wrong" : "nothing is wrong",
	    result->commit.ptr, result->file_count, result->sealed_count, result->opened_count,
	    result->resealed_count);
}

static int print_result(struct context *context, const struct audit_request *request,
                        const struct audit_result *result)
{
	struct buf buf = buf_in(context->arena);
	bool is_json = sv_eq(context->options->format, SV("json"));
	bool has_findings = result->findings.sink.diags.count > 0;

	if (is_json)
		audit_json(&buf, request, result);
	else if (!context->options->quiet || has_findings)
		add_text(context, &buf, result);
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
	    .repo = options->repo,
	    .out = options->out,
	    .rev = options->rev,
	    .inputs_rev = options->inputs_rev,
	    .root = root,
	    .identities = identities,
	    .has_private_keys = options->key_file.ptr != NULL,
	    .files = options->arguments.items,
	    .file_count = options->arguments.count,
	    .require_history = options->require_history,
	};
	if (audit(context->arena, context->sink, &request, &result) != STATUS_OK)
		return 3;
	return print_result(context, &request, &result);
}
