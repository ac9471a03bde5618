/*
 * An object as a SOPS YAML file. Two walks: the first collects what is to be sealed, refuses what
 * would not survive, and hashes; the second writes.
 */
#include "codec/codec.h"
#include "seal/age.h"
#include "seal/derive.h"
#include "seal/gcm.h"
#include "seal/sops.h"
#include "yaml/yaml.h"

#include <stdio.h>

/* Never a clock and never our own version: a change would rewrite every file
 * (docs/spec/sealing.md 1.1). */
#define LAST_MODIFIED SV("1970-01-01T00:00:00Z")
#define SOPS_VERSION  SV("3.9.4")

enum { INDENT = 4, MAC_HEX_SIZE = 128, ID_FIELDS = 5 };

static const sv secret_keys[] = {SV_INIT("data"), SV_INIT("stringData")};
const struct seal_rule seal_rule_secret = {secret_keys, COUNT_OF(secret_keys)};

struct sops_writer {
	const struct seal_root *root;
	struct arena *scratch; /* secret; emptied for each object */
	struct gcm *gcm;
	struct digest *digest;
};

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
	};
	return writer;
}

void sops_writer_free(void *state)
{
	struct sops_writer *writer = state;

	arena_free(writer->scratch);
	gcm_free(writer->gcm);
	digest_free(writer->digest);
	sodium_free(writer);
}

/* A leaf that is sealed, in document order. */
struct leaf {
	sv path;
	sv type; /* docs/spec/sealing.md 1.3 */
	sv text;
	uint64_t occurrence; /* among leaves of equal path, type and text */
};

struct job {
	struct sops_writer *writer;
	struct sink *sink;
	const struct seal_request *request;
	sv identity[ID_FIELDS];
	VEC(struct leaf) leaves;
	const struct leaf *
	    *sorted;    /* by path, type and text: the order of clear parts must not count */
	size_t written; /* leaves written so far */
	uint8_t *data_key;
	bool failed;
};

static bool is_sealed_key(const struct seal_rule *rule, sv key)
{
	for (size_t i = 0; i < rule->count; i++)
		if (sv_eq(key, rule->keys[i]))
			return true;
	return false;
}

/* ---- first walk: collect, refuse, hash --------------------------------------------------- */

/* What is not right about a value or a key, and the remedy. */
struct mistake {
	const char *what;
	const char *help;
};

static void refuse(struct job *job, const struct secrecy_place *place, struct position at,
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

	for (size_t i = 0; i < text.len; i++)
		plain &= (uint8_t)(text.ptr[i] - 1) < 0x7f;
	return plain;
}

/* docs/spec/sealing.md 1.7: what Go's YAML library writes and cannot read back, or no YAML can
 * carry. */
static const struct mistake *text_mistake(sv text)
{
	static const struct mistake nul = {"the text has a NUL byte",
	                                   "leave it out, or write the text as base64"};
	static const struct mistake not_utf8 = {"the text is not UTF-8",
	                                        "save it as UTF-8, or write it as base64"};
	static const struct mistake tab = {
	    "the text has several lines and begins with a TAB, which sops cannot write so that it "
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

/* What sops hashes of a leaf, and, where the rule covers it (marks its place), the leaf to seal. */
static void add_leaf(struct job *job, const struct secrecy_place *place, sv type, sv text)
{
	digest_add(job->writer->digest, text);
	if (place->marked && text.len > 0)
		VEC_PUSH(job->writer->scratch, &job->leaves,
		         ((struct leaf){.path = sops_path(job->writer->scratch, place),
		                        .type = type,
		                        .text = text}));
}

static void collect_string(struct job *job, const struct secrecy_place *place)
{
	const struct value *v = place->value;
	const struct mistake *mistake = text_mistake(v->string);

	if (mistake)
		refuse(job, place, secrecy_position(place, job->request->at), mistake);
	if (!place->marked && taint_secret(v->taint)) {
		sv path = secrecy_path(job->writer->scratch, place);
		struct diag *diag = diag_report(job->sink, DIAG_SEAL_CLEAR_SECRET,
		                                secrecy_position(place, job->request->at),
		                                "%.*s would be public and holds the secret %.*s",
		                                SV_ARG(path), SV_ARG(taint_secret(v->taint)->name));

		diag_set_help(job->sink, diag, "use the secret in file contents only");
		job->failed = true;
	}
	add_leaf(job, place, SV("str"), v->string);
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

static void collect_scalar(struct job *job, const struct secrecy_place *place)
{
	static const struct mistake number = {
	    "sops has no safe form for such a number",
	    "write it in quotes where a text will do, or leave the setting osc at redacted"};
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
		refuse(job, place, secrecy_position(place, job->request->at), &number);
}

static void check_key(struct job *job, const struct secrecy_place *place)
{
	static const struct mistake of_sops = {"the key belongs to sops", "name it otherwise"};
	static const struct mistake not_plain = {
	    "the key has a NUL byte, is not UTF-8, or has several lines and begins with a TAB",
	    "name it otherwise, or leave the setting osc at redacted"};
	const struct mistake *mistake = NULL;

	if (place->depth == 1 && sv_eq(place->entry->key, SV("sops")))
		mistake = &of_sops;
	else if (text_mistake(place->entry->key))
		mistake = &not_plain;
	if (mistake)
		refuse(job, place, secrecy_key_position(place, job->request->at), mistake);
}

static enum secrecy_step collect(void *context, struct secrecy_place *place)
{
	struct job *job = context;
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

/* ---- coins ------------------------------------------------------------------------------- */

static int compare_leaves(const void *a, const void *b, void *context)
{
	const struct leaf *left = *(const struct leaf *const *)a;
	const struct leaf *right = *(const struct leaf *const *)b;
	int order = sv_cmp(left->path, right->path);

	(void)context;
	if (order == 0)
		order = sv_cmp(left->type, right->type);
	return order ? order : sv_cmp(left->text, right->text);
}

/* Sorts the leaves and numbers equal ones, which keep their order. */
static void sort_leaves(struct job *job)
{
	size_t count = job->leaves.count;

	job->sorted = ARENA_ARRAY(job->writer->scratch, const struct leaf *, count);
	for (size_t i = 0; i < count; i++)
		job->sorted[i] = &job->leaves.items[i];
	sort_stable(job->sorted, count, sizeof(*job->sorted), compare_leaves, NULL);
	for (size_t i = 1; i < count; i++) {
		const struct leaf *leaf = job->sorted[i];
		size_t index = (size_t)(leaf - job->leaves.items);

		if (compare_leaves(&job->sorted[i - 1], &leaf, NULL) == 0)
			job->leaves.items[index].occurrence = job->sorted[i - 1]->occurrence + 1;
	}
}

static void add_identity(struct derivation *derivation, const struct job *job)
{
	for (size_t i = 0; i < ID_FIELDS; i++)
		derive_field(derivation, job->identity[i]);
}

static void add_recipients(struct derivation *derivation, const struct seal_recipients *recipients)
{
	derive_number(derivation, recipients->count);
	for (size_t i = 0; i < recipients->count; i++)
		derive_field(derivation, recipients->items[i].text);
}

static void derive_data_key(struct job *job)
{
	const struct seal_recipients *recipients = job->request->recipients;
	struct derivation derivation;
	size_t count = job->leaves.count;

	job->data_key = (uint8_t *)arena_alloc(job->writer->scratch, GCM_KEY_SIZE);
	derive_begin(&derivation, job->writer->root, DERIVE_SOPS_DATA_KEY, GCM_KEY_SIZE,
	             1 + ID_FIELDS + 1 + recipients->count + 1 + 3 * (uint64_t)count);
	derive_field(&derivation, SV("sops"));
	add_identity(&derivation, job);
	add_recipients(&derivation, recipients);
	derive_number(&derivation, count);
	for (size_t i = 0; i < count; i++) {
		derive_field(&derivation, job->sorted[i]->path);
		derive_field(&derivation, job->sorted[i]->type);
		derive_field(&derivation, job->sorted[i]->text);
	}
	derive_end(&derivation, job->data_key);
	gcm_set_key(job->writer->gcm, job->data_key);
}

static sv data_key_sv(const struct job *job)
{
	return sv_from((const char *)job->data_key, GCM_KEY_SIZE);
}

static void derive_value_iv(const struct job *job, const struct leaf *leaf, uint8_t iv[GCM_IV_SIZE])
{
	struct derivation derivation;

	derive_begin(&derivation, job->writer->root, DERIVE_SOPS_IV, GCM_IV_SIZE, ID_FIELDS + 5);
	add_identity(&derivation, job);
	derive_field(&derivation, data_key_sv(job));
	derive_number(&derivation, leaf->occurrence);
	derive_field(&derivation, leaf->path);
	derive_field(&derivation, leaf->type);
	derive_field(&derivation, leaf->text);
	derive_end(&derivation, iv);
}

static void derive_mac_iv(const struct job *job, sv mac, uint8_t iv[GCM_IV_SIZE])
{
	struct derivation derivation;

	derive_begin(&derivation, job->writer->root, DERIVE_SOPS_MAC_IV, GCM_IV_SIZE,
	             ID_FIELDS + 3);
	add_identity(&derivation, job);
	derive_field(&derivation, data_key_sv(job));
	derive_field(&derivation, LAST_MODIFIED);
	derive_field(&derivation, mac);
	derive_end(&derivation, iv);
}

static void derive_age_coin(const struct job *job, enum derive_purpose purpose,
                            const struct seal_recipient *recipient, uint8_t *out, size_t size)
{
	const struct seal_recipients *recipients = job->request->recipients;
	struct derivation derivation;

	derive_begin(&derivation, job->writer->root, purpose, size,
	             1 + ID_FIELDS + 1 + recipients->count + 2);
	derive_field(&derivation, SV("sops"));
	add_identity(&derivation, job);
	add_recipients(&derivation, recipients);
	derive_field(&derivation, recipient->text);
	derive_field(&derivation, data_key_sv(job));
	derive_end(&derivation, out);
}

/* ---- second walk: write ------------------------------------------------------------------- */

static void write_node(struct job *job, struct buf *out, const struct value *v, bool sealed,
                       size_t indent);

/*
 * A clear scalar, in double quotes when it is text of one line (docs/spec/sealing.md 1.5). The
 * lines of a literal block are written for the outermost level: each moves in by what the parent
 * is.
 */
static void write_clear(struct job *job, struct buf *out, const struct value *v, size_t indent)
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
static void write_entries(struct job *job, struct buf *out, const struct value *map, bool sealed,
                          size_t indent, bool inline_first)
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

static void write_items(struct job *job, struct buf *out, const struct value *list, bool sealed,
                        size_t indent, bool inline_first)
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

/* Neither null, nor empty text, nor an empty map or list is ever sealed. */
static bool is_leaf(const struct value *v)
{
	if (value_is_string(v))
		return v->string.len > 0;
	return !value_is_null(v) && !value_is_map(v) && !value_is_list(v);
}

/* What follows a key or "-": a scalar on the same line, or the lines below. */
static void write_node(struct job *job, struct buf *out, const struct value *v, bool sealed,
                       size_t indent)
{
	if (value_is_map(v) && value_count(v) > 0) {
		buf_add_char(out, '\n');
		write_entries(job, out, v, sealed, indent + INDENT, false);
	} else if (value_is_list(v) && value_count(v) > 0) {
		buf_add_char(out, '\n');
		write_items(job, out, v, sealed, indent + INDENT, false);
	} else if (sealed && is_leaf(v)) {
		const struct leaf *leaf = &job->leaves.items[job->written++];
		uint8_t iv[GCM_IV_SIZE];

		derive_value_iv(job, leaf, iv);
		buf_add_char(out, ' ');
		gcm_add_sealed(job->writer->scratch, out, job->writer->gcm, iv, leaf->path,
		               leaf->type, leaf->text);
		buf_add_char(out, '\n');
	} else {
		buf_add_char(out, ' ');
		write_clear(job, out, v, indent);
	}
}

static void write_age_entries(struct job *job, struct buf *out)
{
	const struct seal_recipients *recipients = job->request->recipients;
	struct buf file = buf_in(job->writer->scratch);

	for (size_t i = 0; i < recipients->count; i++) {
		const struct seal_recipient *recipient = &recipients->items[i];
		struct age_coins *coins = ARENA_NEW(job->writer->scratch, struct age_coins);

		derive_age_coin(job, DERIVE_AGE_FILE_KEY, recipient, coins->file_key,
		                sizeof(coins->file_key));
		derive_age_coin(job, DERIVE_AGE_EPHEMERAL, recipient, coins->ephemeral,
		                sizeof(coins->ephemeral));
		derive_age_coin(job, DERIVE_AGE_NONCE, recipient, coins->nonce,
		                sizeof(coins->nonce));
		file.len = 0;
		age_encrypt(&file, recipient->key, coins, data_key_sv(job));
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

/* ^data$ or ^(a|b)$ */
static void write_rule(struct job *job, struct buf *out, const struct seal_rule *rule)
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

static void write_metadata(struct job *job, struct buf *out, sv mac)
{
	uint8_t iv[GCM_IV_SIZE];

	BUF_ADD_LIT(out, "sops:\n    age:\n");
	write_age_entries(job, out);
	write_rule(job, out, &job->request->rule);
	BUF_ADD_LIT(out, "    lastmodified: \"");
	buf_add(out, LAST_MODIFIED);
	BUF_ADD_LIT(out, "\"\n    mac: ");
	derive_mac_iv(job, mac, iv);
	gcm_add_sealed(job->writer->scratch, out, job->writer->gcm, iv, LAST_MODIFIED, SV("str"),
	               mac);
	BUF_ADD_LIT(out, "\n    version: ");
	buf_add(out, SOPS_VERSION);
	buf_add_char(out, '\n');
}

static sv finish_mac(struct job *job, char mac[MAC_HEX_SIZE])
{
	static const char hex[] = "0123456789ABCDEF";
	uint8_t digest[MAC_HEX_SIZE / 2];

	digest_finish(job->writer->digest, digest);
	for (size_t i = 0; i < sizeof(digest); i++) {
		mac[2 * i] = hex[digest[i] >> 4];
		mac[2 * i + 1] = hex[digest[i] & 15];
	}
	return sv_from(mac, MAC_HEX_SIZE);
}

enum status sops_seal(struct sink *sink, void *state, const struct seal_request *request,
                      struct buf *out)
{
	struct sops_writer *writer = state;
	const struct value *object = request->object;
	struct job job = {
	    .writer = writer,
	    .sink = sink,
	    .request = request,
	    .identity = {request->cluster, value_text(value_map_get(object, SV("apiVersion"))),
	                 value_text(value_map_get(object, SV("kind"))),
	                 value_text(value_path(object, "metadata.namespace")),
	                 value_text(value_path(object, "metadata.name"))},
	};
	char mac[MAC_HEX_SIZE];

	BUG_ON(!value_is_map(object) || request->recipients->count == 0 ||
	       request->rule.count == 0);
	arena_reset(writer->scratch);
	digest_restart(writer->digest);
	secrecy_visit(object, collect, &job);
	if (job.failed)
		return STATUS_FAILED;
	sort_leaves(&job);
	derive_data_key(&job);
	finish_mac(&job, mac);
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
