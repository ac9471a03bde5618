/*
 * The program sops, for files whose keys osm-gen does not use itself (docs/howto/kms.md).
 *
 * sops never sees the file: it gets a document that is written anew, so that both programs read the
 * same. Its keys are those that were checked here, and each of its clear values is a string of the
 * bytes that osm-gen adds to the MAC. So sops accepts the document only if osm-gen reads the values
 * as sops meant them. A second call, with a document without values, must fail with the MAC that
 * the file holds; sops_read.c compares that with a MAC of its own. A program that does not check
 * MACs fails there.
 *
 * The document goes through standard input, and the values come through standard output. Of what
 * sops prints on standard error only failures to reach a key are shown, since others may quote a
 * value.
 */
#include "os/os.h"
#include "seal/gcm.h"
#include "seal/keyring.h"
#include "seal/sops.h"
#include "seal/sops_rule.h"
#include "yaml/yaml.h"
#include "json/json.h"

/* Exit statuses of sops (cmd/sops/codes). */
enum { EXIT_NO_KEY = 128, EXIT_MAC = 51 };
enum { MAC_HEX_SIZE = 128 };

/* ---- the environment --------------------------------------------------------------------- */

/* Variables that sops gets. */
static const char *const variables[] = {
    "GCE_METADATA_HOST", "GNUPGHOME",         "HOME",
    "HTTPS_PROXY",       "HTTP_PROXY",        "IDENTITY_ENDPOINT",
    "IDENTITY_HEADER",   "MSI_ENDPOINT",      "MSI_SECRET",
    "NO_PROXY",          "SOPS_AGE_KEY_FILE", "SOPS_AGE_SSH_PRIVATE_KEY_FILE",
    "SSL_CERT_DIR",      "SSL_CERT_FILE",     "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",   "http_proxy",        "https_proxy",
    "no_proxy",
};

/* Beginnings of the names of other variables that it gets. */
static const char *const variable_prefixes[] = {
    "AWS_", "AZURE_", "CLOUDSDK_", "GOOGLE_", "HUAWEICLOUD_SDK_", "VAULT_",
};

struct seal_program {
	struct arena *arena;
	VEC(sv) environment; /* for sops */
	sv search_path;
	sv untrusted;
	sv vault; /* VAULT_ADDR, or empty */
	sv path;  /* of the program, once it was found */
	sv version;
	size_t file_count; /* that were decrypted */
};

static bool is_variable(sv name)
{
	for (size_t i = 0; i < COUNT_OF(variables); i++)
		if (sv_eq_cstr(name, variables[i]))
			return true;
	for (size_t i = 0; i < COUNT_OF(variable_prefixes); i++)
		if (sv_starts_with(name, sv_from_cstr(variable_prefixes[i])))
			return true;
	return false;
}

struct seal_program *seal_program_new(struct arena *arena, const sv *environment, size_t count,
                                      sv untrusted)
{
	struct seal_program *program = ARENA_NEW(arena, struct seal_program);

	*program = (struct seal_program){
	    .arena = arena, .untrusted = untrusted, .search_path = SV(OS_USUAL_PATH)};
	for (size_t i = 0; i < count; i++) {
		sv name;
		sv value;

		if (!sv_cut(environment[i], SV("="), &name, &value))
			continue;
		if (sv_eq(name, SV("PATH")))
			program->search_path = value;
		if (sv_eq(name, SV("VAULT_ADDR")))
			program->vault = value;
		if (is_variable(name))
			VEC_PUSH(arena, &program->environment, environment[i]);
	}
	/* gpg and plugins of age are found there. */
	sv path = os_trusted_path(arena, program->search_path, untrusted);
	VEC_PUSH(arena, &program->environment, ARENA_CONCAT(arena, SV("PATH="), path));
	VEC_PUSH(arena, &program->environment, SV("LC_ALL=C"));
	return program;
}

sv seal_program_used(struct arena *arena, const struct seal_program *program)
{
	if (!program || program->file_count == 0)
		return SV("");
	return arena_printf(arena, "sops %.*s (%.*s) decrypted %zu file%s",
	                    SV_ARG(program->version), SV_ARG(program->path), program->file_count,
	                    program->file_count == 1 ? "" : "s");
}

/* ---- running ----------------------------------------------------------------------------- */

/* A decryption of documents that have one MAC. */
struct asking {
	struct arena *arena; /* secret */
	struct sink *sink;
	struct seal_program *program;
	const struct seal_texts *allowed; /* the only keys, or null */
	const struct rule *rule;
	const struct value *documents;
	size_t count;
	const struct value *metadata;
	struct value clean; /* a copy of it, of known members */
	bool failed;        /* a leaf was reported */
};

static struct diag *report_sops(const struct asking *a, enum diag_code code, const char *what)
{
	return diag_report(a->sink, code, value_position(a->metadata), "%s", what);
}

static enum status program_error(const struct asking *a, const char *what)
{
	diag_set_help(a->sink, report_sops(a, DIAG_SOPS_PROGRAM, what),
	              "run `sops decrypt` on the file with the same program; osm-gen needs sops "
	              "3.9 or newer");
	return STATUS_FAILED;
}

static enum status run(const struct asking *a, const sv *arguments, size_t count, sv input,
                       struct os_ended *ret_ended)
{
	VEC(sv) environment = {0};

	/* With sealing.inputs sops gets no identities of age, whose use could not be limited. */
	VEC_EACH (variable, &a->program->environment)
		if (!a->allowed || !sv_starts_with(*variable, SV("SOPS_AGE_")))
			VEC_PUSH(a->arena, &environment, *variable);
	const struct os_program program = {
	    .path = a->program->path,
	    .arguments = arguments,
	    .argument_count = count,
	    .environment = environment.items,
	    .environment_count = environment.count,
	    .folder = SV("/"), /* sops looks for .sops.yaml in its folder and those above it */
	    .input = input,
	};
	return os_run_program(a->arena, a->sink, &program, ret_ended);
}

static enum status find_program(const struct asking *a)
{
	static const sv arguments[] = {SV_INIT("--disable-version-check"), SV_INIT("--version")};
	struct seal_program *program = a->program;
	struct os_ended ended;
	sv name;
	sv version;

	if (!sv_empty(program->path))
		return STATUS_OK;
	if (!os_find_program(program->arena, program->search_path, SV("sops"), program->untrusted,
	                     &program->path)) {
		struct diag *diag = report_sops(a, DIAG_SOPS_PROGRAM, "sops not found in PATH");

		diag_set_help(a->sink, diag,
		              "install sops; relative folders of PATH and those in the work tree "
		              "do not count");
		return STATUS_FAILED;
	}
	if (run(a, arguments, COUNT_OF(arguments), SV(""), &ended) != STATUS_OK)
		return STATUS_FAILED;
	/* "sops 3.13.3 (latest)" */
	if (ended.status != 0 || !sv_cut(ended.out, SV(" "), &name, &version) ||
	    !sv_eq(name, SV("sops")))
		return program_error(a, "the program sops does not print its version");
	version = sv_trim_space(version);
	size_t length = 0;
	while (length < version.len && (unsigned char)version.ptr[length] > ' ')
		length++;
	program->version = arena_dup(program->arena, sv_slice(version, 0, length));
	return STATUS_OK;
}

/* Adds the last lines that sops printed when it could not reach a key. */
static void add_reasons(const struct asking *a, struct diag *diag, sv text)
{
	enum { LINES_MAX = 8, LINE_MAX_BYTES = 300 };
	struct sv_splitter it = sv_split(secrecy_mask_userinfo(a->arena, text), '\n');
	VEC(sv) lines = {0};
	sv line;

	while (sv_split_next(&it, &line)) {
		/* sops draws a tree of keys and their errors. */
		line = sv_trim(line, " \t\r-|");
		if (!sv_empty(line))
			VEC_PUSH(a->arena, &lines, sv_slice(line, 0, LINE_MAX_BYTES));
	}
	for (size_t i = lines.count > LINES_MAX ? lines.count - LINES_MAX : 0; i < lines.count; i++)
		diag_add_note(a->sink, diag, NOWHERE, "sops: %.*s", SV_ARG(lines.items[i]));
}

static enum status report_status(const struct asking *a, const struct os_ended *ended)
{
	if (ended->status == EXIT_MAC) {
		sops_mac_error(a->sink, value_map_get(a->metadata, SV("mac")));
		return STATUS_FAILED;
	}
	if (ended->status == EXIT_NO_KEY) {
		struct diag *diag =
		    report_sops(a, DIAG_SOPS_KEY, "sops cannot decrypt the file's data key");

		add_reasons(a, diag, ended->err);
		diag_set_help(a->sink, diag,
		              "give the credentials of one of the file's keys in the environment; "
		              "docs/howto/kms.md lists the variables that sops gets");
		return STATUS_FAILED;
	}
	sv what =
	    arena_printf(a->arena, "sops cannot decrypt the file: exit status %d", ended->status);
	return program_error(a, arena_cstr(a->arena, what));
}

/* ---- allowed keys ------------------------------------------------------------------------ */

static enum status key_error(const struct asking *a, const struct sops_key *key, const char *why,
                             const char *help)
{
	struct diag *diag =
	    diag_report(a->sink, DIAG_SOPS_PROGRAM_KEY, value_position(key->entry),
	                "sops may not be asked for the key %.*s: %s", SV_ARG(key->name), why);

	diag_set_help(a->sink, diag, "%s", help);
	return STATUS_FAILED;
}

static bool is_allowed(const struct asking *a, const struct sops_key *key)
{
	if (!a->allowed)
		return true;
	VEC_EACH (name, a->allowed)
		if (sv_eq(*name, key->name))
			return true;
	return false;
}

/* The host of an Azure vault; sops sends it a token. */
static bool is_azure(sv url)
{
	static const char *const domains[] = {".vault.azure.net",
	                                      ".vault.azure.cn",
	                                      ".vault.usgovcloudapi.net",
	                                      ".vault.microsoftazure.de",
	                                      ".managedhsm.azure.net",
	                                      ".managedhsm.azure.cn",
	                                      ".managedhsm.usgovcloudapi.net"};
	sv host;

	if (!sv_starts_with(url, SV("https://")))
		return false;
	host = sv_trim_right(sv_from_offset(url, strlen("https://")), "/");
	for (size_t i = 0; i < host.len; i++)
		if (!ascii_is_lower((char)(host.ptr[i] | 0x20)) && !ascii_is_digit(host.ptr[i]) &&
		    !ascii_is_any(host.ptr[i], "-."))
			return false;
	for (size_t i = 0; i < COUNT_OF(domains); i++)
		if (sv_ends_with(host, sv_from_cstr(domains[i])))
			return true;
	return false;
}

/*
 * Refuses keys that the author of the file may not choose: sops sends a token to the server that a
 * key names.
 */
static enum status check_key(const struct asking *a, const struct sops_key *key)
{
	sv address = value_text(value_map_get(key->entry, SV("vault_address")));
	sv url = value_text(value_map_get(key->entry, SV("vault_url")));

	if (key->type == SOPS_VAULT &&
	    (sv_empty(a->program->vault) || !sv_eq(sv_trim_right(sv_trim_space(address), "/"),
	                                           sv_trim_right(a->program->vault, "/"))))
		return key_error(a, key, "its server is not the one of VAULT_ADDR",
		                 "set VAULT_ADDR to the server that CI's token is for; if the file "
		                 "names another one, the commit is an attack");
	if (key->type == SOPS_AZURE && !is_azure(sv_trim_space(url)))
		return key_error(a, key, "its server is not one of Azure Key Vault",
		                 "name a vault of Azure, https://NAME.vault.azure.net; if nobody "
		                 "meant to name another server, the commit is an attack");
	if (a->allowed && key->type == SOPS_PGP)
		return key_error(
		    a, key,
		    "sealing.inputs cannot limit PGP, which tries all secret keys that it has",
		    "encrypt the file to other keys, or remove sealing.inputs");
	if (!is_allowed(a, key))
		return key_error(a, key, "sealing.inputs does not list it for the cluster",
		                 "list all keys of the file in sealing.inputs, or remove the key "
		                 "with `sops updatekeys`");
	return STATUS_OK;
}

static enum status check_keys(const struct asking *a)
{
	struct sops_keys keys = {0};
	enum status status = STATUS_OK;

	sops_list_keys(a->arena, &a->clean, &keys);
	VEC_EACH (key, &keys)
		status |= check_key(a, key);
	if (!value_is_null(value_map_get(a->metadata, SV("encrypted_comment_regex"))) ||
	    !value_is_null(value_map_get(a->metadata, SV("unencrypted_comment_regex")))) {
		struct diag *diag =
		    report_sops(a, DIAG_SOPS_FORMAT,
		                "comments select the values that are encrypted, and "
		                "osm-gen does not pass comments to sops");

		diag_set_help(a->sink, diag, "encrypt the file with --encrypted-regex");
		return STATUS_FAILED;
	}
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* ---- the document ------------------------------------------------------------------------ */

/* Returns a sealed value with type str: sops then prints the bytes that were encrypted. */
static sv as_text(struct arena *arena, sv sealed)
{
	size_t at = sv_find(sealed, SV(",type:"));

	return ARENA_CONCAT(arena, sv_slice(sealed, 0, at), SV(",type:str]"));
}

static enum secrecy_step copy_place(void *context, struct secrecy_place *place,
                                    struct value *ret_copy)
{
	struct asking *a = context;
	const struct value *v = place->value;

	BUG_ON(place->depth > SOPS_MAX_DEPTH);
	if (!rule_enter(a->rule, place))
		return SECRECY_OMIT;
	if (value_is_map(v) || value_is_list(v))
		return SECRECY_INTO;
	if (value_is_null(v)) {
		*ret_copy = value_null();
	} else if (!rule_seals(a->rule, place->marked, v)) {
		*ret_copy = value_string(mac_bytes(a->arena, v));
	} else if (value_is_string(v) && sv_empty(v->string)) {
		*ret_copy = *v;
	} else if (!gcm_is_sealed(value_text(v)) || !sv_contains(v->string, SV(",type:"))) {
		sops_leaf_error(a->arena, a->sink, place,
		                "should be encrypted but is in the clear");
		a->failed = true;
	} else {
		*ret_copy = value_string(as_text(a->arena, v->string));
	}
	return SECRECY_OVER;
}

/* Writes JSON, which is YAML without anything that two readers could take differently. */
static sv write_documents(struct asking *a)
{
	struct buf buf = buf_in(a->arena);

	for (size_t i = 0; i < a->count; i++) {
		struct value copy = secrecy_copy(a->arena, &a->documents[i], copy_place, a);

		value_map_set(a->arena, &copy, SV("sops"), a->clean);
		if (i > 0)
			BUF_ADD_LIT(&buf, "---\n");
		json_emit(&buf, &copy, 0);
		buf_add_char(&buf, '\n');
	}
	return buf_sv(&buf);
}

/* ---- the answer -------------------------------------------------------------------------- */

VEC_TYPE(leaves, const struct value *);

struct collecting {
	struct arena *arena;
	struct leaves *leaves;
};

static enum secrecy_step take_leaf(void *context, struct secrecy_place *place)
{
	struct collecting *c = context;

	if (place->depth == 1 && place->entry && sv_eq(place->entry->key, SV("sops")))
		return SECRECY_OVER;
	if (!value_is_map(place->value) && !value_is_list(place->value))
		VEC_PUSH(c->arena, c->leaves, place->value);
	return SECRECY_INTO;
}

static void collect_leaves(struct arena *arena, const struct value *document, struct leaves *leaves)
{
	struct collecting c = {arena, leaves};

	secrecy_visit(document, take_leaf, &c);
}

/* Parses one document as JSON, several as YAML, since JSON could hold only one. */
static bool parse_answer(const struct asking *a, sv text, struct yml_documents *documents)
{
	struct sink unused = sink_in(a->arena);
	struct source *source = source_new(a->arena, SV("sops"), text, true);
	struct value root;
	sv error;

	if (a->count > 1)
		return yml_parse(a->arena, &unused, source, documents) == STATUS_OK &&
		       documents->count == a->count;
	if (!json_decode(a->arena, text, &root, &error))
		return false;
	VEC_PUSH(a->arena, documents, (struct yml_document){.root = root});
	return true;
}

static enum status read_answer(const struct asking *a, sv text, struct sops_plain *ret_plain)
{
	struct yml_documents documents = {0};
	struct leaves asked = {0};
	struct leaves got = {0};
	VEC(sv) texts = {0};

	if (!parse_answer(a, text, &documents))
		return program_error(a, "osm-gen cannot read what sops prints");
	for (size_t i = 0; i < a->count; i++) {
		collect_leaves(a->arena, &a->documents[i], &asked);
		collect_leaves(a->arena, &documents.items[i].root, &got);
	}
	if (asked.count != got.count)
		return program_error(a, "sops prints other values than the file has");
	VEC_EACH (leaf, &got)
		VEC_PUSH(a->arena, &texts, value_text(*leaf));
	ret_plain->texts = texts.items;
	ret_plain->count = texts.count;
	return STATUS_OK;
}

/* ---- the MAC ----------------------------------------------------------------------------- */

/* A document without values, whose MAC is not that of the file. */
static sv write_probe(const struct asking *a)
{
	struct buf buf = buf_in(a->arena);
	struct value probe = value_map_new(a->arena);

	value_map_set(a->arena, &probe, SV("osm-gen"), value_map_new(a->arena));
	value_map_set(a->arena, &probe, SV("sops"), a->clean);
	json_emit(&buf, &probe, 0);
	buf_add_char(&buf, '\n');
	return buf_sv(&buf);
}

static enum status read_mac(const struct asking *a, const struct os_ended *ended, sv *ret_mac)
{
	static const sv before = SV_INIT("MAC mismatch. File has ");
	size_t at = sv_find(ended->err, before);

	if (ended->status == EXIT_MAC && at != SV_NPOS) {
		*ret_mac = sv_slice(ended->err, at + before.len, at + before.len + MAC_HEX_SIZE);
		if (ret_mac->len == MAC_HEX_SIZE)
			return STATUS_OK;
	}
	return program_error(
	    a, "the program sops accepts a file that was changed: it does not check the MAC");
}

enum status sops_program_open(struct arena *secret_arena, struct sink *sink,
                              const struct seal_identities *identities, const struct rule *rule,
                              const struct value *documents, size_t count,
                              struct sops_plain *ret_plain)
{
	const struct value *metadata = value_map_get(&documents[0], SV("sops"));
	struct asking a = {
	    .arena = secret_arena,
	    .sink = sink,
	    .program = seal_program_of(identities),
	    .allowed = seal_program_keys(identities),
	    .rule = rule,
	    .documents = documents,
	    .count = count,
	    .metadata = metadata,
	    .clean = sops_copy_metadata(secret_arena, metadata),
	};
	const sv arguments[] = {SV("--decrypt"),
	                        SV("--input-type"),
	                        SV("yaml"),
	                        SV("--output-type"),
	                        count > 1 ? SV("yaml") : SV("json"),
	                        SV("/dev/stdin")};
	struct sops_plain plain = {0};
	struct os_ended ended;

	if (check_keys(&a) != STATUS_OK || find_program(&a) != STATUS_OK)
		return STATUS_FAILED;
	sv text = write_documents(&a);
	if (a.failed || run(&a, arguments, COUNT_OF(arguments), text, &ended) != STATUS_OK)
		return STATUS_FAILED;
	if (ended.status != 0)
		return report_status(&a, &ended);
	if (read_answer(&a, ended.out, &plain) != STATUS_OK ||
	    run(&a, arguments, COUNT_OF(arguments), write_probe(&a), &ended) != STATUS_OK ||
	    read_mac(&a, &ended, &plain.mac) != STATUS_OK)
		return STATUS_FAILED;
	a.program->file_count++;
	*ret_plain = plain;
	return STATUS_OK;
}
