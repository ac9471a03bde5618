/*
 * The seed, its text form, and what is derived from it.
 */
#include "seal/seal.h"

#include "codec/codec.h"
#include "seal/bech32.h"
#include "seal/derive.h"

#define SEED_PREFIX SV("OSMGEN-SEED-")

struct seal_root {
	uint8_t key[32];
	/* The key before seal_root_bind, for proofs of a run that does not know the fleet yet. */
	uint8_t unbound[32];
};

/* Purposes of keys, padded with NUL to the 16 bytes of BLAKE2b's personalisation. */
enum { PURPOSE_SIZE = crypto_generichash_blake2b_PERSONALBYTES };
static const char purposes[][PURPOSE_SIZE + 1] = {
    [DERIVE_SOPS_DATA_KEY] = "sops.datakey",
    [DERIVE_SOPS_IV] = "sops.iv",
    [DERIVE_SOPS_MAC_IV] = "sops.mac.iv",
    [DERIVE_AGE_FILE_KEY] = "age.filekey",
    [DERIVE_AGE_EPHEMERAL] = "age.ephemeral",
    [DERIVE_AGE_NONCE] = "age.nonce",
    [DERIVE_FINGERPRINT] = "fingerprint",
    [DERIVE_SEED_ID] = "seed.id",
    [DERIVE_TOKEN_ID] = "token.id",
    [DERIVE_TOKEN_SECRET] = "token.secret",
    [DERIVE_TEMPLATE_DIGEST] = "template.digest",
    [DERIVE_INPUTS_DIGEST] = "inputs.digest",
    [DERIVE_RECIPIENTS_DIGEST] = "recipients",
    [DERIVE_FLEET] = "fleet",
    [DERIVE_SEALED_SECRET_SESSION] = "ss.session",
    [DERIVE_SEALED_SECRET_OAEP] = "ss.oaepseed",
    [DERIVE_STATEMENT] = "statement",
    [DERIVE_SHARD] = "shard",
    [DERIVE_RENDERED] = "rendered",
    [DERIVE_UNIT_CONTEXT] = "unit.context",
    [DERIVE_UNIT_PROOF] = "unit.proof",
    [DERIVE_ROLL] = "roll",
    [DERIVE_AGE_ENCAPSULATION] = "age.encaps",
    [DERIVE_AGE_PADDING] = "age.oaepseed",
};

void seal_init(void)
{
	if (sodium_init() < 0)
		BUG("libsodium cannot start");
}

/* The hash itself cannot fail; its return values only report wrong sizes. */
#define HASHED(call) ((call) == 0 ? (void)0 : BUG("libsodium refused " #call))

static void hash(struct derivation *derivation, const void *bytes, size_t size)
{
	HASHED(crypto_generichash_blake2b_update(&derivation->state, bytes, size));
}

static void hash_number(struct derivation *derivation, uint64_t number)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> (8 * i));
	hash(derivation, bytes, sizeof(bytes));
}

/* libsodium's BLAKE2b takes 0.9 of the time of libcrypto's for a long text, 0.5 for a short one. */
static void begin_derivation(struct derivation *derivation, const uint8_t key[32],
                             enum derive_purpose purpose, size_t size, uint64_t field_count)
{
	static const uint8_t no_salt[crypto_generichash_blake2b_SALTBYTES] = {0};

	derivation->size = size;
	derivation->fields_left = field_count;
	HASHED(crypto_generichash_blake2b_init_salt_personal(
	    &derivation->state, key, 32, size, no_salt, (const uint8_t *)purposes[purpose]));
	hash_number(derivation, size);
	hash_number(derivation, field_count);
}

void derive_begin(struct derivation *derivation, const struct seal_root *root,
                  enum derive_purpose purpose, size_t size, uint64_t field_count)
{
	begin_derivation(derivation, root->key, purpose, size, field_count);
}

void derive_field(struct derivation *derivation, sv field)
{
	BUG_ON(derivation->fields_left == 0);
	derivation->fields_left--;
	hash_number(derivation, field.len);
	if (field.len > 0)
		hash(derivation, field.ptr, field.len);
}

void derive_number(struct derivation *derivation, uint64_t number)
{
	BUG_ON(derivation->fields_left == 0);
	derivation->fields_left--;
	hash_number(derivation, 8);
	hash_number(derivation, number);
}

void derive_end(struct derivation *derivation, uint8_t *out)
{
	BUG_ON(derivation->fields_left != 0);
	HASHED(crypto_generichash_blake2b_final(&derivation->state, out, derivation->size));
	sodium_memzero(&derivation->state, sizeof(derivation->state));
	digest_wipe_stack();
}

static struct seal_root *root_of_seed(const uint8_t seed[SEAL_SEED_SIZE])
{
	static const uint8_t label[crypto_generichash_blake2b_PERSONALBYTES + 1] =
	    "osm-gen-seal-v1";
	static const uint8_t no_salt[crypto_generichash_blake2b_SALTBYTES] = {0};
	struct seal_root *root = sodium_malloc(sizeof(*root));

	if (!root)
		base_out_of_memory();
	if (crypto_generichash_blake2b_salt_personal(root->key, sizeof(root->key), NULL, 0, seed,
	                                             SEAL_SEED_SIZE, no_salt, label) != 0)
		BUG("libsodium refused the seed");
	memcpy(root->unbound, root->key, sizeof(root->unbound));
	sodium_mprotect_readonly(root);
	return root;
}

void seal_root_bind(struct seal_root *root, sv fleet)
{
	struct derivation derivation;

	if (sv_empty(fleet))
		return;
	begin_derivation(&derivation, root->unbound, DERIVE_FLEET, sizeof(root->key), 1);
	derive_field(&derivation, fleet);
	sodium_mprotect_readwrite(root);
	derive_end(&derivation, root->key);
	sodium_mprotect_readonly(root);
}

static enum status seed_error(struct sink *sink, struct position at, const char *what)
{
	struct diag *diag = diag_report(sink, DIAG_SEED_INVALID, at, "sealing seed: %s", what);

	diag_set_help(sink, diag,
	              "a seed is one line, OSMGEN-SEED-1..., as `osm-gen keygen seed` prints it");
	return STATUS_FAILED;
}

static const char *seed_mistake(enum bech32_result result)
{
	switch (result) {
	case BECH32_FINE:
		return NULL;
	case BECH32_FORM:
		return "not of the form OSMGEN-SEED-1...";
	case BECH32_CHECKSUM:
		return "wrong checksum: mistyped, or cut off";
	case BECH32_PREFIX:
		return "another kind of key: it does not begin with OSMGEN-SEED-1";
	case BECH32_LENGTH:
		return "not 32 bytes long";
	}
	BUG("unknown result");
}

enum status seal_root_parse(struct sink *sink, struct position at, sv text,
                            struct seal_root **ret_root)
{
	uint8_t seed[SEAL_SEED_SIZE];
	bool all_equal = true;

	seal_init();
	text = sv_trim_space(text);
	if (text.len == 0)
		return seed_error(sink, at, "empty");
	const char *mistake = seed_mistake(bech32_decode(text, SEED_PREFIX, seed, sizeof(seed)));

	if (mistake)
		return seed_error(sink, at, mistake);
	for (size_t i = 1; i < sizeof(seed); i++)
		all_equal = all_equal && seed[i] == seed[0];
	if (!all_equal)
		*ret_root = root_of_seed(seed);
	sodium_memzero(seed, sizeof(seed));
	if (all_equal)
		return seed_error(sink, at, "all bytes are equal: that is not a random seed");
	return STATUS_OK;
}

void seal_root_free(struct seal_root *root)
{
	sodium_free(root); /* wipes */
}

void seal_report_seed_missing(struct sink *sink, sv empty_variable)
{
	struct diag *diag = diag_report(
	    sink, DIAG_SEED_MISSING, NOWHERE,
	    "no sealing seed: without one osm-gen cannot seal secrets, so nothing is written");

	if (!sv_empty(empty_variable))
		diag_add_note(
		    sink, diag, NOWHERE,
		    "%.*s is set, but empty: CI sets it so if a job may not have the secret, as in "
		    "a fork, on another branch or outside of the secret's environment",
		    SV_ARG(empty_variable));
	diag_set_help(sink, diag,
	              "give --seal-seed-file FILE, OSM_GEN_SEAL_SEED_FILE or OSM_GEN_SEAL_SEED; "
	              "`osm-gen keygen seed -o FILE` makes a seed");
}

sv seal_seed_format(struct arena *secret_arena, const uint8_t seed[SEAL_SEED_SIZE])
{
	struct buf buf = buf_in(secret_arena);

	/* Reserved once, so that growing leaves no copy of the secret in memory. */
	buf_reserve(&buf, 96);
	bech32_add(&buf, SEED_PREFIX, seed, SEAL_SEED_SIZE);
	return buf_sv(&buf);
}

sv seal_seed_id(struct arena *arena, const struct seal_root *root)
{
	struct derivation derivation;
	uint8_t id[8];

	derive_begin(&derivation, root, DERIVE_SEED_ID, sizeof(id), 0);
	derive_end(&derivation, id);
	return hex_encode(arena, sv_from_bytes(id, sizeof(id)));
}

/* Writes count characters; bytes that would favour some of them are thrown away. */
static void derive_word(const struct seal_root *root, enum derive_purpose purpose,
                        const struct seal_token_owner *owner, char *out, size_t count)
{
	static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
	const unsigned letters = sizeof(alphabet) - 1;
	const unsigned limit = 256 / letters * letters;
	size_t made = 0;

	for (uint64_t block = 0; made < count; block++) {
		struct derivation derivation;
		uint8_t bytes[64];

		derive_begin(&derivation, root, purpose, sizeof(bytes), 5);
		derive_field(&derivation, owner->cluster);
		derive_field(&derivation, owner->namespace);
		derive_field(&derivation, owner->name);
		derive_field(&derivation, owner->rotation);
		derive_number(&derivation, block);
		derive_end(&derivation, bytes);
		for (size_t i = 0; i < sizeof(bytes) && made < count; i++)
			if (bytes[i] < limit)
				out[made++] = alphabet[bytes[i] % letters];
		sodium_memzero(bytes, sizeof(bytes));
	}
}

sv seal_bootstrap_token(struct arena *secret_arena, const struct seal_root *root,
                        const struct seal_token_owner *owner)
{
	enum { ID_SIZE = 6, SECRET_SIZE = 16, TOKEN_SIZE = ID_SIZE + 1 + SECRET_SIZE };
	char *token = arena_alloc_text(secret_arena, TOKEN_SIZE);

	derive_word(root, DERIVE_TOKEN_ID, owner, token, ID_SIZE);
	token[ID_SIZE] = '.';
	derive_word(root, DERIVE_TOKEN_SECRET, owner, token + ID_SIZE + 1, SECRET_SIZE);
	return sv_from(token, TOKEN_SIZE);
}

static sv digest_of_owner(struct arena *arena, const struct seal_root *root,
                          enum derive_purpose purpose, const struct seal_token_owner *owner,
                          sv text)
{
	struct derivation derivation;
	uint8_t digest[16];

	derive_begin(&derivation, root, purpose, sizeof(digest), 4);
	derive_field(&derivation, owner->cluster);
	derive_field(&derivation, owner->namespace);
	derive_field(&derivation, owner->name);
	derive_field(&derivation, text);
	derive_end(&derivation, digest);
	return hex_encode(arena, sv_from_bytes(digest, sizeof(digest)));
}

sv seal_change_digest(struct arena *arena, const struct seal_root *root,
                      const struct seal_token_owner *owner, sv text)
{
	return digest_of_owner(arena, root, DERIVE_TEMPLATE_DIGEST, owner, text);
}

sv seal_roll_digest(struct arena *arena, const struct seal_root *root,
                    const struct seal_token_owner *owner, sv text)
{
	return digest_of_owner(arena, root, DERIVE_ROLL, owner, text);
}

sv seal_inputs_digest(struct arena *arena, const struct seal_root *root, sv inputs, sv outputs)
{
	struct derivation derivation;
	uint8_t digest[16];

	begin_derivation(&derivation, root->unbound, DERIVE_INPUTS_DIGEST, sizeof(digest), 2);
	derive_field(&derivation, inputs);
	derive_field(&derivation, outputs);
	derive_end(&derivation, digest);
	return hex_encode(arena, sv_from_bytes(digest, sizeof(digest)));
}

sv seal_statement_digest(struct arena *arena, const struct seal_root *root, sv inputs_digest,
                         sv statement)
{
	struct derivation derivation;
	uint8_t digest[16];

	begin_derivation(&derivation, root->unbound, DERIVE_STATEMENT, sizeof(digest), 2);
	derive_field(&derivation, inputs_digest);
	derive_field(&derivation, statement);
	derive_end(&derivation, digest);
	return hex_encode(arena, sv_from_bytes(digest, sizeof(digest)));
}

/* Returns 32 hex digits. */
static sv derive_hex(struct arena *arena, const struct seal_root *root, enum derive_purpose purpose,
                     const sv *fields, size_t count)
{
	struct derivation derivation;
	uint8_t digest[16];

	derive_begin(&derivation, root, purpose, sizeof(digest), count);
	for (size_t i = 0; i < count; i++)
		derive_field(&derivation, fields[i]);
	derive_end(&derivation, digest);
	return hex_encode(arena, sv_from_bytes(digest, sizeof(digest)));
}

sv seal_rendered_digest(struct arena *arena, const struct seal_root *root, sv program, sv outputs,
                        sv secrets)
{
	const sv fields[] = {program, outputs, secrets};

	return derive_hex(arena, root, DERIVE_RENDERED, fields, COUNT_OF(fields));
}

sv seal_unit_context(struct arena *arena, const struct seal_root *root, sv text)
{
	return derive_hex(arena, root, DERIVE_UNIT_CONTEXT, &text, 1);
}

sv seal_unit_proof(struct arena *arena, const struct seal_root *root, sv context, sv inputs,
                   sv outputs)
{
	const sv fields[] = {context, inputs, outputs};

	return derive_hex(arena, root, DERIVE_UNIT_PROOF, fields, COUNT_OF(fields));
}

sv seal_recipients_digest(struct arena *arena, const struct seal_root *root, sv cluster,
                          const sv *recipients, size_t count)
{
	struct derivation derivation;
	uint8_t digest[16];

	derive_begin(&derivation, root, DERIVE_RECIPIENTS_DIGEST, sizeof(digest), 2 + count);
	derive_field(&derivation, cluster);
	derive_number(&derivation, count);
	for (size_t i = 0; i < count; i++)
		derive_field(&derivation, recipients[i]);
	derive_end(&derivation, digest);
	return hex_encode(arena, sv_from_bytes(digest, sizeof(digest)));
}

void seal_shard_mac(const struct seal_root *root, sv text, uint8_t ret_mac[SEAL_MAC_SIZE])
{
	struct derivation derivation;

	derive_begin(&derivation, root, DERIVE_SHARD, SEAL_MAC_SIZE, 1);
	derive_field(&derivation, text);
	derive_end(&derivation, ret_mac);
}

bool seal_shard_mac_holds(const struct seal_root *root, sv text, sv mac)
{
	uint8_t own[SEAL_MAC_SIZE];

	seal_shard_mac(root, text, own);
	return mac.len == sizeof(own) && sodium_memcmp(own, mac.ptr, sizeof(own)) == 0;
}

static void fingerprint(const void *context, const struct secret *secret,
                        uint8_t ret_fingerprint[SECRECY_FINGERPRINT_SIZE])
{
	const struct seal_fingerprint_key *key = context;
	struct derivation derivation;

	derive_begin(&derivation, key->root, DERIVE_FINGERPRINT, SECRECY_FINGERPRINT_SIZE, 3);
	derive_field(&derivation, key->cluster);
	derive_field(&derivation, secret->name);
	derive_field(&derivation, secret->text);
	derive_end(&derivation, ret_fingerprint);
}

struct redaction seal_redaction(const struct seal_fingerprint_key *key)
{
	return (struct redaction){key->root ? fingerprint : NULL, key};
}
