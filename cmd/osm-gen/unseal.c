/*
 * unseal opens sealed files, for people and for git.
 */
#include "audit/audit.h"
#include "codec/codec.h"
#include "commands.h"
#include "os/os.h"
#include "seal/seal.h"
#include "unpack/unpack.h"
#include "yaml/yaml.h"

enum { SEALED_MAX_BYTES = 64 * 1024 * 1024 };

struct unsealing {
	struct context *context;
	struct sink *sink;
	const struct seal_identities *identities;
	struct buf *output;
};

static enum status unseal_lines(const struct unsealing *u, const struct source *source)
{
	struct arena *arena = u->context->secret_arena;
	struct value sealed;
	struct value opened;

	if (seal_dotenv_parse(arena, u->sink, source, &sealed) != STATUS_OK ||
	    seal_open(arena, u->sink, &sealed, 1, u->identities, &opened) != STATUS_OK)
		return STATUS_FAILED;
	seal_dotenv_add(u->output, &opened);
	return STATUS_OK;
}

static enum status report_not_sealed(const struct unsealing *u, const struct source *source)
{
	struct diag *diag = diag_report(u->sink, DIAG_SOPS_FORMAT, position_of_source(source),
	                                "this file is not sealed");

	diag_set_help(u->sink, diag,
	              "unseal takes SOPS files and SealedSecrets such as "
	              "out/CLUSTER/worker/NAMESPACE/secret-NAME.yaml");
	return STATUS_FAILED;
}

static void add_document(const struct unsealing *u, const struct value *opened)
{
	struct unpack_parts parts = {0};

	if (!u->context->options->shown.decode && !u->context->options->shown.textconv) {
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

	if (yml_parse(arena, u->sink, source, &documents) != STATUS_OK)
		return STATUS_FAILED;
	if (documents.count == 0 || !seal_is_sealed(&documents.items[0].root))
		return report_not_sealed(u, source);
	if (has_place && !u->context->options->allowed.force &&
	    audit_check_place(arena, u->sink, source, &documents.items[0].root) != STATUS_OK)
		return STATUS_FAILED;
	struct value *sealed = ARENA_ARRAY(arena, struct value, documents.count);
	struct value *opened = ARENA_ARRAY(arena, struct value, documents.count);
	for (size_t i = 0; i < documents.count; i++)
		sealed[i] = documents.items[i].root;
	if (seal_open(arena, u->sink, sealed, documents.count, u->identities, opened) != STATUS_OK)
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

static enum status unseal_text(const struct unsealing *u, const struct source *source,
                               bool has_place)
{
	return seal_is_dotenv(source->text) ? unseal_lines(u, source)
	                                    : unseal_documents(u, source, has_place);
}

/* ---- textconv ---------------------------------------------------------------------------- */

/* Adds whom a sealed document is for. */
static void add_readers(struct buf *buf, const struct value *document)
{
	struct seal_texts recipients = {0};

	seal_list_recipients(buf->arena, document, &recipients);
	BUF_ADD_LIT(buf, "sealed to ");
	buf_add(buf, buf_listed(buf->arena, recipients.items, recipients.count));
	if (recipients.count == 0)
		buf_add(buf, seal_is_input(document) ? SV("nobody")
		                                     : SV("a controller of sealed-secrets"));
}

/*
 * Describes a file that cannot be opened here. The digest makes git show that another version
 * differs, though nobody sees in what.
 */
static void describe_sealed(const struct unsealing *u, const struct source *source)
{
	enum { DIGITS = 12 };
	struct arena *arena = u->context->secret_arena;
	struct sink unused = sink_in(arena);
	struct yml_documents documents = {0};
	sv digest = digest_hex(arena, DIGEST_SHA256, source->text);

	if (yml_parse(arena, &unused, source, &documents) != STATUS_OK || documents.count == 0 ||
	    !seal_is_sealed(&documents.items[0].root)) {
		/* A file that is not sealed, or is broken, is in git as it is. */
		buf_add(u->output, source->text);
		return;
	}
	VEC_EACH (document, &documents) {
		const struct value *root = &document->root;

		buf_printf(u->output, "%.*s %.*s/%.*s, ",
		           SV_ARG(value_text(value_map_get(root, SV("kind")))),
		           SV_ARG(value_text(value_path(root, "metadata.namespace"))),
		           SV_ARG(value_text(value_path(root, "metadata.name"))));
		add_readers(u->output, root);
		buf_add_char(u->output, '\n');
	}
	buf_printf(u->output, "not opened here; content %.*s\n",
	           SV_ARG(sv_slice(digest, 0, DIGITS)));
}

/* Opens the file, or else describes it: git ends when a textconv fails. */
static void convert(const struct unsealing *u, const struct source *source)
{
	struct sink unused = sink_in(u->context->secret_arena);
	struct unsealing silent = *u;
	size_t start = u->output->len;

	silent.sink = &unused;
	if (unseal_text(&silent, source, false) == STATUS_OK)
		return;
	u->output->len = start;
	describe_sealed(u, source);
}

/* ---- files ------------------------------------------------------------------------------- */

static enum status unseal_file(const struct unsealing *u, sv path)
{
	struct arena *arena = u->context->secret_arena;
	sv text;

	/* The content of a pipe has no path that could be checked. */
	bool is_stdin = sv_eq(path, SV("-"));

	if (is_stdin) {
		path = SV(OS_STDIN);
		if (os_read_stdin(arena, u->sink, SEALED_MAX_BYTES, &text) != STATUS_OK)
			return STATUS_FAILED;
	} else if (os_read_file(arena, u->sink, path, SEALED_MAX_BYTES, &text) != STATUS_OK) {
		return STATUS_FAILED;
	}
	struct source *source = source_new(arena, path, text, false);
	if (!u->context->options->shown.textconv)
		return unseal_text(u, source, !is_stdin);
	convert(u, source);
	return STATUS_OK;
}

/* Reads the keys. For git a key that cannot be read counts as none. */
static enum status read_keys(struct context *context, struct seal_identities *identities)
{
	struct sink unused = sink_in(context->secret_arena);
	struct context silent = *context;

	if (!context->options->shown.textconv)
		return gather_identities(context, identities);
	silent.sink = &unused;
	(void)!gather_identities(&silent, identities);
	return STATUS_OK;
}

int command_unseal(struct context *context)
{
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct buf output = buf_in(context->secret_arena);

	if (read_keys(context, identities) != STATUS_OK)
		return 3;
	const struct unsealing u = {context, context->sink, identities, &output};
	for (size_t i = 0; i < context->options->arguments.count; i++)
		if (unseal_file(&u, context->options->arguments.items[i]) != STATUS_OK)
			return 3;
	return print_out(context, buf_sv(&output)) == STATUS_OK ? 0 : 3;
}
