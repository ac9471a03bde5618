/*
 * Identities: the keys that open files, as people write them down, and what else may open them.
 */
#include "codec/codec.h"
#include "seal/age.h"
#include "seal/bech32.h"
#include "seal/derive.h"
#include "seal/keyring.h"
#include "seal/xwing.h"

#include <sodium.h>
#include <stdlib.h>

#define IDENTITY_PREFIX SV("AGE-SECRET-KEY-")
#define HYBRID_PREFIX   SV("AGE-SECRET-KEY-PQ-")
#define PEM_BEGIN       SV("-----BEGIN ")

struct seal_identities {
	struct seal_identity *items; /* locked */
	size_t count;
	size_t capacity;
	struct hybrid_private **private_keys;
	size_t private_key_count;
	struct seal_program *program;          /* null if none may be run */
	const struct seal_texts *program_keys; /* see seal_program_keys */
	const char *passed_over;               /* see seal_passed_over */
	const char *command;                   /* see seal_key_command */
};

struct seal_identities *seal_identities_new(void)
{
	struct seal_identities *identities;

	seal_init();
	identities = sodium_malloc(sizeof(*identities));
	if (!identities)
		base_out_of_memory();
	*identities = (struct seal_identities){0};
	return identities;
}

void seal_identities_free(struct seal_identities *identities)
{
	if (!identities)
		return;
	for (size_t i = 0; i < identities->private_key_count; i++)
		hybrid_private_free(identities->private_keys[i]);
	free((void *)identities->private_keys);
	for (size_t i = 0; i < identities->count; i++)
		EVP_PKEY_free(identities->items[i].rsa);
	sodium_free(identities->items);
	sodium_free(identities);
}

size_t seal_identities_count(const struct seal_identities *identities)
{
	return identities ? identities->count : 0;
}

const struct seal_identity *seal_identity_at(const struct seal_identities *identities, size_t i)
{
	return &identities->items[i];
}

size_t seal_private_key_count(const struct seal_identities *identities)
{
	return identities ? identities->private_key_count : 0;
}

const struct hybrid_private *seal_private_key_at(const struct seal_identities *identities, size_t i)
{
	return identities->private_keys[i];
}

void seal_private_key_add(struct seal_identities *identities, struct hybrid_private *key)
{
	size_t size = (identities->private_key_count + 1) * sizeof(struct hybrid_private *);
	struct hybrid_private **grown = realloc((void *)identities->private_keys, size);

	if (!grown)
		base_out_of_memory();
	grown[identities->private_key_count++] = key;
	identities->private_keys = grown;
}

void seal_identities_allow(struct seal_identities *identities, struct seal_program *program)
{
	identities->program = program;
}

struct seal_program *seal_program_of(const struct seal_identities *identities)
{
	return identities ? identities->program : NULL;
}

bool seal_has_program(const struct seal_identities *identities)
{
	return seal_program_of(identities) != NULL;
}

const struct seal_texts *seal_program_keys(const struct seal_identities *identities)
{
	return identities ? identities->program_keys : NULL;
}

/* Adds a copy, which has an RSA key in common with the other one. */
static void add_identity(struct seal_identities *identities, const struct seal_identity *identity)
{
	if (identities->count == identities->capacity) {
		size_t capacity = identities->capacity ? identities->capacity * 2 : 4;
		struct seal_identity *items = sodium_allocarray(capacity, sizeof(*items));

		if (!items)
			base_out_of_memory();
		if (identities->count > 0)
			memcpy(items, identities->items, identities->count * sizeof(*items));
		sodium_free(identities->items);
		identities->items = items;
		identities->capacity = capacity;
	}
	identities->items[identities->count++] = *identity;
	if (identity->rsa)
		EVP_PKEY_up_ref(identity->rsa);
}

/* Returns the identity's recipient as files name it. */
static sv recipient_of(struct arena *arena, const struct seal_identity *identity)
{
	struct buf text = buf_in(arena);

	switch (identity->kind) {
	case AGE_X25519:
		bech32_add(&text, AGE_RECIPIENT_PREFIX, identity->point, AGE_KEY_SIZE);
		return buf_sv(&text);
	case AGE_HYBRID:
		bech32_add(&text, AGE_HYBRID_PREFIX, identity->key, identity->key_size);
		return buf_sv(&text);
	case AGE_SSH_ED25519:
	case AGE_SSH_RSA:
		return age_ssh_text(arena, sv_from_bytes(identity->key, identity->key_size));
	}
	BUG("unknown kind");
}

struct seal_identities *seal_identities_of(struct arena *arena,
                                           const struct seal_identities *identities,
                                           const struct seal_texts *recipients)
{
	struct seal_identities *some = seal_identities_new();

	some->program = seal_program_of(identities);
	some->program_keys = recipients;
	some->passed_over = seal_passed_over(identities);
	some->command = seal_key_command(identities);
	for (size_t i = 0; i < seal_identities_count(identities); i++) {
		sv text = recipient_of(arena, &identities->items[i]);
		bool is_named = false;

		VEC_EACH (recipient, recipients)
			is_named |= sv_eq(*recipient, text);
		if (is_named)
			add_identity(some, &identities->items[i]);
	}
	return some;
}

const char *seal_passed_over(const struct seal_identities *identities)
{
	return identities ? identities->passed_over : NULL;
}

void seal_identities_name_command(struct seal_identities *identities, const char *variable)
{
	identities->command = variable;
}

const char *seal_key_command(const struct seal_identities *identities)
{
	return identities ? identities->command : NULL;
}

/* ---- key files --------------------------------------------------------------------------- */

/* A key of a key file that is not added. */
struct unused_key {
	struct position at;
	const char *what;
	bool is_foreign; /* sound, of a kind that osm-gen does not use */
};

struct key_file {
	struct seal_identities *identities;
	const struct source *source;
	sv rest;
	VEC(struct unused_key) unused;
};

/* Returns the kind of an identity that osm-gen cannot use, or null. */
static const char *foreign_identity(sv line)
{
	if (sv_starts_with(line, SV("AGE-PLUGIN-")))
		return "an identity of a plugin, which osm-gen does not run";
	if (sv_starts_with(line, HYBRID_PREFIX) && !xwing_is_available())
		return "a post-quantum identity, for which this system's libcrypto lacks "
		       "ML-KEM-768; the static program has it";
	return NULL;
}

static const char *read_identity(sv line, struct seal_identity *identity)
{
	bool is_hybrid = sv_starts_with(line, HYBRID_PREFIX);

	switch (bech32_decode(line, is_hybrid ? HYBRID_PREFIX : IDENTITY_PREFIX, identity->secret,
	                      AGE_KEY_SIZE)) {
	case BECH32_FINE:
		break;
	case BECH32_CHECKSUM:
		return "mistyped or cut off: its checksum is wrong";
	case BECH32_FORM:
	case BECH32_PREFIX:
	case BECH32_LENGTH:
		return "not an age identity";
	}
	if (is_hybrid) {
		identity->kind = AGE_HYBRID;
		identity->key_size = XWING_PUBLIC_SIZE;
		xwing_public(identity->secret, identity->key);
	} else {
		crypto_scalarmult_base(identity->point, identity->secret);
	}
	return NULL;
}

/* Takes the block of PEM that file->rest begins with. */
static const char *take_pem(struct arena *scratch, struct key_file *file,
                            struct seal_identity *identity, bool *ret_is_foreign)
{
	size_t end = sv_find(file->rest, SV("\n-----END "));
	sv block = end == SV_NPOS ? file->rest : sv_slice(file->rest, 0, end + 1);
	sv after = sv_from_offset(file->rest, block.len);
	sv text = file->rest;
	sv label;
	sv bytes;
	sv line;

	(void)sv_cut(after, SV("\n"), &line, &after);
	file->rest = after;
	if (sv_contains(block, SV("\nProc-Type: 4,ENCRYPTED"))) {
		*ret_is_foreign = true;
		return "an SSH key with a passphrase";
	}
	if (!pem_next(scratch, &text, &label, &bytes) || text.len < after.len)
		return "the beginning of a private key that is damaged or cut off";
	return age_ssh_identity(label, bytes, identity, ret_is_foreign);
}

static void take_file_key(struct arena *scratch, struct key_file *file)
{
	sv whole = file->rest;
	sv line;
	struct seal_identity identity = {0};
	bool is_foreign = false;
	const char *what;

	(void)sv_cut(whole, SV("\n"), &line, &file->rest);
	struct position at = {file->source, (size_t)(line.ptr - file->source->text.ptr), line.len};
	line = sv_trim_space(line);
	if (line.len == 0 || line.ptr[0] == '#')
		return;
	if (sv_starts_with(line, PEM_BEGIN)) {
		file->rest = whole;
		what = take_pem(scratch, file, &identity, &is_foreign);
	} else {
		what = foreign_identity(line);
		is_foreign = what != NULL;
		if (!what)
			what = read_identity(line, &identity);
	}
	if (what)
		VEC_PUSH(scratch, &file->unused, ((struct unused_key){at, what, is_foreign}));
	else
		add_identity(file->identities, &identity);
	EVP_PKEY_free(identity.rsa);
	sodium_memzero(&identity, sizeof(identity));
}

static void report_unused(struct sink *sink, const struct unused_key *key)
{
	struct diag *diag =
	    diag_report(sink, DIAG_IDENTITY_INVALID, key->at, "this line is %s", key->what);

	diag_set_help(
	    sink, diag,
	    "give AGE-SECRET-KEY-1... lines, as age-keygen writes them, or an Ed25519 or RSA key "
	    "of SSH without a passphrase%s",
	    key->is_foreign ? "; or let the program sops use this key: --allow-program sops" : "");
}

enum status seal_identities_add(struct sink *sink, struct seal_identities *identities,
                                const struct source *source)
{
	ARENA_AUTO scratch = arena_new(ARENA_SECRET);
	struct key_file file = {identities, source, source->text, {0}};
	size_t before = identities->count;
	enum status status = STATUS_OK;

	while (file.rest.len > 0)
		take_file_key(scratch, &file);
	VEC_EACH (key, &file.unused) {
		if (key->is_foreign && (identities->program || identities->count > before)) {
			identities->passed_over = key->what;
			continue;
		}
		report_unused(sink, key);
		status = STATUS_FAILED;
	}
	return status;
}

sv seal_identities_recipient(struct arena *arena, const struct seal_identities *identities)
{
	return seal_identities_count(identities) > 0 ? recipient_of(arena, &identities->items[0])
	                                             : SV("");
}

sv seal_identities_listed(struct arena *arena, const struct seal_identities *identities)
{
	struct seal_texts texts = {0};

	for (size_t i = 0; i < seal_identities_count(identities); i++)
		VEC_PUSH(arena, &texts,
		         seal_recipient_shown(arena, recipient_of(arena, &identities->items[i])));
	return buf_listed(arena, texts.items, texts.count);
}

sv seal_identity_format(struct arena *secret_arena, const uint8_t random[32], sv created)
{
	struct buf buf = buf_in(secret_arena);
	uint8_t recipient[AGE_KEY_SIZE];

	seal_init();
	/* Reserved once, so that growing leaves no copy of the secret in memory. */
	buf_reserve(&buf, 256 + created.len);
	if (crypto_scalarmult_base(recipient, random) != 0)
		BUG("a clamped scalar has a public key");
	if (created.len > 0) {
		BUF_ADD_LIT(&buf, "# created: ");
		buf_add(&buf, created);
		buf_add_char(&buf, '\n');
	}
	BUF_ADD_LIT(&buf, "# public key: ");
	bech32_add(&buf, AGE_RECIPIENT_PREFIX, recipient, sizeof(recipient));
	buf_add_char(&buf, '\n');
	bech32_add(&buf, IDENTITY_PREFIX, random, AGE_KEY_SIZE);
	buf_add_char(&buf, '\n');
	return buf_sv(&buf);
}
