/*
 * keygen makes keys, unseal opens sealed files with them.
 */
#include "audit/audit.h"
#include "commands.h"
#include "os/os.h"
#include "seal/seal.h"
#include "unpack/unpack.h"
#include "yaml/yaml.h"

int command_keygen(struct context *context)
{
	sv what = context->options->arguments.items[0];
	sv path = context->options->format;
	bool is_seed = sv_eq(what, SV("seed"));
	sv recipient;
	sv text;

	if (!is_seed && !sv_eq(what, SV("identity"))) {
		struct diag *diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                                "keygen does not make \"%.*s\"", SV_ARG(what));
		diag_set_help(context->sink, diag,
		              "osm-gen keygen seed -o FILE; osm-gen keygen identity -o FILE");
		return 64;
	}
	if (key_new(context, is_seed ? KEY_SEED : KEY_IDENTITY, &text) != STATUS_OK)
		return 3;
	if (sv_empty(path))
		return print_out(context, text) == STATUS_OK ? 0 : 3;
	if (key_write(context, path, text) != STATUS_OK)
		return 3;
	if (!is_seed && key_recipient(context, path, text, &recipient) != STATUS_OK)
		return 3;
	if (!is_seed && !context->options->quiet)
		context->last_words =
		    ARENA_CONCAT(context->arena, SV("public key: "), recipient, SV("\n"));
	return 0;
}

/* ---- unseal ------------------------------------------------------------------------------ */

enum { SEALED_MAX_BYTES = 64 * 1024 * 1024 };

struct unsealing {
	struct context *context;
	const struct seal_identities *identities;
	struct buf *output;
};

static enum status unseal_lines(const struct unsealing *u, const struct source *source)
{
	struct arena *arena = u->context->secret_arena;
	struct value sealed;
	struct value opened;

	if (seal_dotenv_parse(arena, u->context->sink, source, &sealed) != STATUS_OK ||
	    seal_open(arena, u->context->sink, &sealed, 1, u->identities, &opened) != STATUS_OK)
		return STATUS_FAILED;
	seal_dotenv_add(u->output, &opened);
	return STATUS_OK;
}

static enum status report_not_sealed(const struct unsealing *u, const struct source *source)
{
	struct diag *diag = diag_report(u->context->sink, DIAG_SOPS_FORMAT,
	                                position_of_source(source), "this file is not sealed");

	diag_set_help(u->context->sink, diag,
	              "unseal takes SOPS files and SealedSecrets such as "
	              "out/CLUSTER/worker/NAMESPACE/secret-NAME.yaml");
	return STATUS_FAILED;
}

static void add_document(const struct unsealing *u, const struct value *opened)
{
	struct unpack_parts parts = {0};

	if (!u->context->options->decode) {
		yml_emit(u->output, opened, (struct yml_format){0});
		return;
	}
	unpack_object(u->context->secret_arena, opened, &parts);
	unpack_print(u->output, &parts);
}

static enum status unseal_documents(const struct unsealing *u, const struct source *source,
                                    bool has_place)
{
	struct arena *arena = u->context->secret_arena;
	struct yml_documents documents = {0};

	if (yml_parse(arena, u->context->sink, source, &documents) != STATUS_OK)
		return STATUS_FAILED;
	if (documents.count == 0 || !seal_is_sealed(&documents.items[0].root))
		return report_not_sealed(u, source);
	if (has_place && !u->context->options->force &&
	    audit_check_place(arena, u->context->sink, source, &documents.items[0].root) !=
	        STATUS_OK)
		return STATUS_FAILED;
	struct value *sealed = ARENA_ARRAY(arena, struct value, documents.count);
	struct value *opened = ARENA_ARRAY(arena, struct value, documents.count);
	for (size_t i = 0; i < documents.count; i++)
		sealed[i] = documents.items[i].root;
	if (seal_open(arena, u->context->sink, sealed, documents.count, u->identities, opened) !=
	    STATUS_OK)
		return STATUS_FAILED;
	if (documents.count == 1 && seal_is_binary(&sealed[0])) {
		buf_add(u->output, value_text(value_map_get(&opened[0], SV("data"))));
		return STATUS_OK;
	}
	for (size_t i = 0; i < documents.count; i++) {
		if (u->output->len > 0)
			BUF_ADD_LIT(u->output, "---\n");
		add_document(u, &opened[i]);
	}
	return STATUS_OK;
}

static enum status unseal_file(const struct unsealing *u, sv path)
{
	struct arena *arena = u->context->secret_arena;
	sv text;

	/* The content of a pipe has no path that could be checked. */
	bool is_stdin = sv_eq(path, SV("-"));

	if (is_stdin) {
		path = SV(OS_STDIN);
		if (os_read_stdin(arena, u->context->sink, SEALED_MAX_BYTES, &text) != STATUS_OK)
			return STATUS_FAILED;
	} else if (os_read_file(arena, u->context->sink, path, SEALED_MAX_BYTES, &text) !=
	           STATUS_OK) {
		return STATUS_FAILED;
	}
	struct source *source = source_new(arena, path, text, false);
	return seal_is_dotenv(text) ? unseal_lines(u, source)
	                            : unseal_documents(u, source, !is_stdin);
}

int command_unseal(struct context *context)
{
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct buf output = buf_in(context->secret_arena);

	if (gather_identities(context, identities) != STATUS_OK)
		return 3;
	const struct unsealing u = {context, identities, &output};
	for (size_t i = 0; i < context->options->arguments.count; i++)
		if (unseal_file(&u, context->options->arguments.items[i]) != STATUS_OK)
			return 3;
	return print_out(context, buf_sv(&output)) == STATUS_OK ? 0 : 3;
}
