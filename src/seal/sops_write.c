/*
 * Writes an object as a SOPS YAML file, in two walks: the first collects and hashes the values to
 * seal, and refuses values that SOPS would change; the second writes.
 */
#include "codec/codec.h"
#include "seal/age.h"
#include "seal/derive.h"
#include "seal/gcm.h"
#include "seal/sops.h"
#include "seal/sops_job.h"
#include "seal/sops_rule.h"
#include "yaml/yaml.h"

#include <sodium.h>
#include <stdio.h>

enum { INDENT = 4 };

static const sv secret_keys[] = {SV_INIT("data"), SV_INIT("stringData")};
const struct seal_rule seal_rule_secret = {secret_keys, COUNT_OF(secret_keys)};

void *sops_writer_new(const struct seal_root *root)
{
	struct sops_writer *writer = sodium_malloc(sizeof(*writer));

	if (!writer)
		base_out_of_memory();
	*writer = (struct sops_writer){
	    .root = root,
	    .scratch = arena_new(ARENA_SECRET),
	    .gcm = gcm_new(),
	    .digest = digest_new(DIGEST_SHA512),
	    .kept = arena_new(ARENA_PLAIN),
	};
	return writer;
}

void sops_writer_free(void *state)
{
	struct sops_writer *writer = state;

	arena_free(writer->scratch);
	arena_free(writer->kept);
	gcm_free(writer->gcm);
	digest_free(writer->digest);
	sodium_free(writer);
}

static bool is_sealed_key(const struct seal_rule *rule, sv key)
{
	for (size_t i = 0; i < rule->count; i++)
		if (sv_eq(key, rule->keys[i]))
			return true;
	return false;
}

/* ---- first walk: collect, refuse, hash --------------------------------------------------- */

/* A mistake in a value or a key, and its remedy. */
struct mistake {
	const char *what;
	const char *help;
};

static void refuse_key(struct sops_job *job, const struct secrecy_place *place, struct position at,
                       const struct mistake *mistake)
{
	sv path = secrecy_path(job->writer->scratch, place);
	struct diag *diag = diag_report(job->sink, DIAG_SEAL_VALUE, at, "%.*s cannot be sealed: %s",
	                                SV_ARG(path), mistake->what);

	diag_set_help(job->sink, diag, "%s", mistake->help);
	job->failed = true;
}

/* Nearly all text is; no NUL among it. */
static bool is_plain_ascii(sv text)
{
	bool plain = true;
	size_t i = 0;

	for (; text.len - i >= sizeof(uint64_t) && plain; i += sizeof(uint64_t)) {
		uint64_t bytes = ascii_load8(text.ptr + i);

		plain = (bytes & ASCII_EACH(0x80)) == 0 && !ascii_any_below(bytes, 1);
	}
	for (; i < text.len; i++)
		plain &= (uint8_t)(text.ptr[i] - 1) < 0x7f;
	return plain;
}

/* docs/spec/sealing.md 1.8: what Go's YAML library writes and cannot read back, or no YAML can
 * carry. */
static const struct mistake *text_mistake(sv text)
{
	static const struct mistake nul = {"the value has a NUL byte",
	                                   "leave it out, or write the value as base64"};
	static const struct mistake not_utf8 = {"the text is not UTF-8",
	                                        "save it as UTF-8, or write it as base64"};
	static const struct mistake tab = {
	    "the value has several lines and begins with a TAB, which sops cannot write so that it "
	    "is read back",
	    "begin it with another character, or put spaces in the TAB's place"};

	if (!is_plain_ascii(text)) {
		if (memchr(text.ptr, '\0', text.len))
			return &nul;
		if (!utf8_valid(text))
			return &not_utf8;
	}
	if (text.len > 0 && text.ptr[0] == '\t' && sv_find_char(text, '\n') != SV_NPOS)
		return &tab;
	return NULL;
}

bool seal_takes_text(sv text)
{
	return !sv_starts_with(text, SV("\t")) && !sv_starts_with(text, SV("\n")) &&
	       !text_mistake(text);
}

/* ---- .sops.yaml -------------------------------------------------------------------------- */

static bool rule_fits(struct sops_writer *writer, const struct seal_creation_rule *rule, sv key)
{
	static char yes;
	static char no;

	if (writer->of != rule) {
		arena_reset(writer->kept);
		writer->fits = map_in(writer->kept);
		writer->of = rule;
	}
	const char *known = map_get(&writer->fits, key);
	if (!known) {
		known = seal_creation_rule_names(rule, key) ? &yes : &no;
		map_put(&writer->fits, arena_dup(writer->kept, key), (void *)(uintptr_t)known);
	}
	return known == &yes;
}

/* True if the rule of .sops.yaml seals the leaf, which any key above it decides. */
static bool rule_seals_place(struct sops_writer *writer, const struct seal_creation_rule *rule,
                             const struct secrecy_place *place)
{
	bool fits = false;

	for (; place; place = place->parent)
		fits = fits || (place->entry && rule_fits(writer, rule, place->entry->key));
	return rule->selection == SEAL_ENCRYPTED_REGEX || rule->selection == SEAL_ENCRYPTED_SUFFIX
	           ? fits
	           : !fits;
}

/* Reports a rule of .sops.yaml that would not seal exactly the values that osm-gen seals. */
static void check_creation_rule(struct sops_job *job, const struct secrecy_place *place)
{
	const struct seal_creation_rule *rule = job->request->recipients->rule;

	if (!rule || rule->selection == SEAL_SELECTION_NONE || job->rule_is_reported ||
	    rule_seals_place(job->writer, rule, place) == place->marked)
		return;
	sv path = secrecy_path(job->writer->scratch, place);
	struct diag *diag =
	    diag_report(job->sink, DIAG_SOPS_CONFIG, rule->at, "the rule would %s %.*s",
	                place->marked ? "leave in clear" : "encrypt", SV_ARG(path));
	diag_set_help(
	    job->sink, diag,
	    "write encrypted_regex: ^(data|stringData)$ in the rule for the output, which "
	    "is what Flux can read");
	job->rule_is_reported = true;
	job->failed = true;
}

/* Hashes the leaf as sops does, and collects it if the rule seals it (its place is marked). */
static void add_leaf(struct sops_job *job, const struct secrecy_place *place, sv type, sv text)
{
	const struct seal_creation_rule *rule = job->request->recipients->rule;

	if (place->marked || !rule || !rule->mac_only_encrypted)
		digest_add(job->writer->digest, text);
	if (text.len > 0)
		check_creation_rule(job, place);
	if (place->marked && text.len > 0)
		VEC_PUSH(job->writer->scratch, &job->leaves,
		         ((struct sops_leaf){.path = sops_path(job->writer->scratch, place),
		                             .type = type,
		                             .text = text}));
}

/*
 * Refuses a string that a template made from a secret and that cannot be sealed, or would be
 * written in the clear since it is empty. The message does not name it, since that would reveal
 * something about the secret.
 */
static void refuse_derived(struct sops_job *job)
{
	if (!job->failed_by_secret)
		diag_report(job->sink, DIAG_TEMPLATE_SECRET, NOWHERE,
		            "an object cannot be sealed because of a secret's value");
	job->failed_by_secret = true;
	job->failed = true;
}

static void collect_string(struct sops_job *job, const struct secrecy_place *place)
{
	const struct value *v = place->value;
	const struct mistake *mistake = text_mistake(v->string);

	if (taint_derived_from(v->taint) && (mistake || v->string.len == 0))
		refuse_derived(job);
	else if (mistake)
		refuse_key(job, place, secrecy_position(place, job->request->at), mistake);
	if (!place->marked && taint_secret(v->taint)) {
		sv path = secrecy_path(job->writer->scratch, place);
		struct diag *diag = diag_report(job->sink, DIAG_SEAL_CLEAR_SECRET,
		                                secrecy_position(place, job->request->at),
		                                "%.*s would be public and holds the secret %.*s",
		                                SV_ARG(path), SV_ARG(taint_secret(v->taint)->name));

		diag_set_help(job->sink, diag, "use the secret in file contents only");
		job->failed = true;
	}
	if (v->type == &type_boolean_string)
		add_leaf(job, place, SV("bool"),
		         sv_eq(v->string, SV("true")) ? SV("True") : SV("False"));
	else
		add_leaf(job, place, v->type == &type_integer_string ? SV("int") : SV("str"),
		         v->string);
}

/* docs/spec/sealing.md 1.3: a number that sops reads back as it was written. */
static bool integer_text(struct arena *arena, const struct value *v, sv *ret_text)
{
	if (type_is_signed(v->type))
		*ret_text = arena_printf(arena, "%lld", (long long)v->integer);
	else if (type_is_unsigned(v->type) && v->unsigned_integer <= INT64_MAX)
		*ret_text = arena_printf(arena, "%llu", (unsigned long long)v->unsigned_integer);
	else
		return false;
	return true;
}

static void collect_scalar(struct sops_job *job, const struct secrecy_place *place)
{
	static const struct mistake number = {
	    "sops has no safe form for such a number",
	    "write it in quotes where a string will do, or leave the setting osc at redacted"};
	const struct value *v = place->value;
	sv decimal;

	if (value_is_null(v))
		return;
	if (value_is_string(v))
		collect_string(job, place);
	else if (value_is(v, KIND_BOOL))
		add_leaf(job, place, SV("bool"), v->boolean ? SV("True") : SV("False"));
	else if (integer_text(job->writer->scratch, v, &decimal))
		add_leaf(job, place, SV("int"), decimal);
	else
		refuse_key(job, place, secrecy_position(place, job->request->at), &number);
}

static void check_key(struct sops_job *job, const struct secrecy_place *place)
{
	static const struct mistake of_sops = {"sops uses this key itself", "choose another name"};
	static const struct mistake not_plain = {
	    "the key has a NUL byte, is not UTF-8, or has several lines and begins with a TAB",
	    "choose another name, or leave the setting osc at redacted"};
	const struct mistake *mistake = NULL;

	if (place->depth == 1 && sv_eq(place->entry->key, SV("sops")))
		mistake = &of_sops;
	else if (text_mistake(place->entry->key))
		mistake = &not_plain;
	if (mistake)
		refuse_key(job, place, secrecy_key_position(place, job->request->at), mistake);
}

static enum secrecy_step collect_place(void *context, struct secrecy_place *place)
{
	struct sops_job *job = context;
	const struct value_entry *entry = place->entry;

	BUG_ON(place->depth > SOPS_MAX_DEPTH);
	if (entry) {
		check_key(job, place);
		place->marked |= is_sealed_key(&job->request->rule, entry->key);
	}
	if (value_is_map(place->value) || value_is_list(place->value))
		return SECRECY_INTO;
	collect_scalar(job, place);
	return SECRECY_OVER;
}

/* ---- second walk: write ------------------------------------------------------------------- */

static void write_node(struct sops_job *job, struct buf *out, const struct value *v, bool sealed,
                       size_t indent);

/*
 * A clear scalar, in double quotes when it is text of one line (docs/spec/sealing.md 1.5). The
 * lines of a literal block are written for the outermost level: each moves in by what the parent
 * is.
 */
static void write_clear(struct sops_job *job, struct buf *out, const struct value *v, size_t indent)
{
	struct buf text = buf_in(job->writer->scratch);
	sv line;
	sv rest;

	yml_emit(&text, v, (struct yml_format){.quote_all_strings = true});
	rest = buf_sv(&text);
	for (bool first = true; rest.len > 0; first = false) {
		sv_cut(rest, SV("\n"), &line, &rest);
		if (!first && line.len > 0)
			buf_add_repeat(out, ' ', indent);
		buf_add(out, line);
		buf_add_char(out, '\n');
	}
}

/* Entries, the first of them where the cursor is (after "- "). */
static void write_entries(struct sops_job *job, struct buf *out, const struct value *map,
                          bool sealed, size_t indent, bool inline_first)
{
	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];

		if (i > 0 || !inline_first)
			buf_add_repeat(out, ' ', indent);
		yml_emit_key(out, entry->key, indent);
		write_node(job, out, &entry->value,
		           sealed || is_sealed_key(&job->request->rule, entry->key), indent);
	}
}

static void write_items(struct sops_job *job, struct buf *out, const struct value *list,
                        bool sealed, size_t indent, bool inline_first)
{
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);

		if (i > 0 || !inline_first)
			buf_add_repeat(out, ' ', indent);
		buf_add_char(out, '-');
		if (value_is_map(item) && value_count(item) > 0) {
			buf_add_char(out, ' ');
			write_entries(job, out, item, sealed, indent + 2, true);
		} else if (value_is_list(item) && value_count(item) > 0) {
			buf_add_char(out, ' ');
			write_items(job, out, item, sealed, indent + 2, true);
		} else {
			write_node(job, out, item, sealed, indent);
		}
	}
}

/* SOPS does not seal null, an empty string, or an empty map or list. */
static bool is_leaf(const struct value *v)
{
	if (value_is_string(v))
		return v->string.len > 0;
	return !value_is_null(v) && !value_is_map(v) && !value_is_list(v);
}

/* Writes the value after a key or "-": a scalar on the same line, or the lines below. */
static void write_node(struct sops_job *job, struct buf *out, const struct value *v, bool sealed,
                       size_t indent)
{
	if (value_is_map(v) && value_count(v) > 0) {
		buf_add_char(out, '\n');
		write_entries(job, out, v, sealed, indent + INDENT, false);
	} else if (value_is_list(v) && value_count(v) > 0) {
		buf_add_char(out, '\n');
		write_items(job, out, v, sealed, indent + INDENT, false);
	} else if (sealed && is_leaf(v)) {
		const struct sops_leaf *leaf = &job->leaves.items[job->written++];
		uint8_t iv[GCM_IV_SIZE];

		sops_derive_value_iv(job, leaf, iv);
		buf_add_char(out, ' ');
		struct ciphertext written =
		    gcm_add_sealed(job->writer->scratch, out, job->writer->gcm, iv, leaf->path,
		                   leaf->type, leaf->text);
		if (job->request->ret_ciphertexts)
			VEC_PUSH(out->arena, job->request->ret_ciphertexts, written);
		buf_add_char(out, '\n');
	} else {
		buf_add_char(out, ' ');
		write_clear(job, out, v, indent);
	}
}

static void write_age_entries(struct sops_job *job, struct buf *out)
{
	const struct seal_recipients *recipients = job->request->recipients;
	struct buf file = buf_in(job->writer->scratch);

	for (size_t i = 0; i < recipients->count; i++) {
		const struct seal_recipient *recipient = &recipients->items[i];

		file.len = 0;
		sops_add_age_file(job, recipient, &file);
		BUF_ADD_LIT(out, "        - enc: |\n");
		age_armor_add(out, buf_sv(&file), 12);
		BUF_ADD_LIT(out, "          recipient: ");
		buf_add(out, recipient->text);
		buf_add_char(out, '\n');
	}
}

/* A key that stands for itself in a regular expression. */
static void add_expression(struct buf *out, sv key)
{
	for (size_t i = 0; i < key.len; i++) {
		if (key.ptr[i] && strchr("\\.+*?()|[]{}^$", key.ptr[i]))
			buf_add_char(out, '\\');
		buf_add_char(out, key.ptr[i]);
	}
}

/* Writes the selection of the rule of .sops.yaml; returns false if it has none. */
static bool write_creation_rule(struct buf *out, const struct seal_creation_rule *rule)
{
	static const char *const names[] = {
	    [SEAL_ENCRYPTED_REGEX] = "encrypted_regex",
	    [SEAL_ENCRYPTED_SUFFIX] = "encrypted_suffix",
	    [SEAL_UNENCRYPTED_REGEX] = "unencrypted_regex",
	    [SEAL_UNENCRYPTED_SUFFIX] = "unencrypted_suffix",
	};

	if (!rule || rule->selection == SEAL_SELECTION_NONE)
		return false;
	buf_printf(out, "    %s: ", names[rule->selection]);
	yml_emit_text(out, rule->selected);
	buf_add_char(out, '\n');
	return true;
}

struct seal_rule seal_written_rule(struct arena *arena, const struct value *document)
{
	sv text = value_text(value_path(document, "sops.encrypted_regex"));
	VEC(sv) keys = {0};
	struct buf key = buf_in(arena);

	text = sv_starts_with(text, SV("^")) ? sv_from_offset(text, 1) : text;
	text = sv_ends_with(text, SV("$")) ? sv_slice(text, 0, text.len - 1) : text;
	if (sv_starts_with(text, SV("(")) && sv_ends_with(text, SV(")")))
		text = sv_slice(text, 1, text.len - 1);
	for (size_t i = 0; i <= text.len; i++) {
		if (i == text.len || text.ptr[i] == '|') {
			VEC_PUSH(arena, &keys, buf_sv(&key));
			key = buf_in(arena);
			continue;
		}
		if (text.ptr[i] == '\\' && i + 1 < text.len)
			i++;
		buf_add_char(&key, text.ptr[i]);
	}
	return (struct seal_rule){keys.items, keys.count};
}

/* ^data$ or ^(a|b)$ */
static void write_rule(struct sops_job *job, struct buf *out, const struct seal_rule *rule)
{
	struct buf expression = buf_in(job->writer->scratch);

	BUF_ADD_LIT(&expression, "^");
	if (rule->count > 1)
		buf_add_char(&expression, '(');
	for (size_t i = 0; i < rule->count; i++) {
		if (i > 0)
			buf_add_char(&expression, '|');
		add_expression(&expression, rule->keys[i]);
	}
	if (rule->count > 1)
		buf_add_char(&expression, ')');
	BUF_ADD_LIT(&expression, "$");
	BUF_ADD_LIT(out, "    encrypted_regex: ");
	yml_emit_text(out, buf_sv(&expression));
	buf_add_char(out, '\n');
}

static void write_metadata(struct sops_job *job, struct buf *out, sv mac)
{
	uint8_t iv[GCM_IV_SIZE];

	const struct seal_creation_rule *rule = job->request->recipients->rule;
	bool is_unencrypted = rule && (rule->selection == SEAL_UNENCRYPTED_REGEX ||
	                               rule->selection == SEAL_UNENCRYPTED_SUFFIX);

	BUF_ADD_LIT(out, "sops:\n    age:\n");
	write_age_entries(job, out);
	if (!is_unencrypted && !write_creation_rule(out, rule))
		write_rule(job, out, &job->request->rule);
	BUF_ADD_LIT(out, "    lastmodified: \"");
	buf_add(out, SOPS_LAST_MODIFIED);
	BUF_ADD_LIT(out, "\"\n    mac: ");
	sops_derive_mac_iv(job, mac, iv);
	gcm_add_sealed(job->writer->scratch, out, job->writer->gcm, iv, SOPS_LAST_MODIFIED,
	               SV("str"), mac);
	if (rule && rule->mac_only_encrypted)
		BUF_ADD_LIT(out, "\n    mac_only_encrypted: true");
	buf_add_char(out, '\n');
	if (is_unencrypted)
		write_creation_rule(out, rule);
	BUF_ADD_LIT(out, "    version: ");
	buf_add(out, SOPS_VERSION);
	buf_add_char(out, '\n');
}

enum status sops_seal(struct sink *sink, void *state, const struct seal_request *request,
                      struct buf *out)
{
	struct sops_writer *writer = state;
	const struct value *object = request->object;
	struct sops_job job = {
	    .writer = writer,
	    .sink = sink,
	    .request = request,
	};
	char mac[SOPS_MAC_HEX_SIZE];

	BUG_ON(!value_is_map(object) || request->recipients->count == 0 ||
	       request->rule.count == 0);
	arena_reset(writer->scratch);
	sops_set_identity(&job);
	sops_digest_start(writer->digest, request->recipients->rule &&
	                                      request->recipients->rule->mac_only_encrypted);
	secrecy_visit(object, collect_place, &job);
	if (job.failed)
		return STATUS_FAILED;
	sops_sort_leaves(&job);
	sops_derive_data_key(&job);
	sops_finish_mac(&job, mac);
	if (request->first_line.len > 0) {
		buf_add(out, request->first_line);
		buf_add_char(out, '\n');
	}
	write_entries(&job, out, object, false, 0, false);
	BUG_ON(job.written != job.leaves.count);
	write_metadata(&job, out, sv_from(mac, sizeof(mac)));
	sodium_memzero(mac, sizeof(mac)); /* a digest of secrets is nobody's business either */
	return STATUS_OK;
}
