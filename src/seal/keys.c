/*
 * Recipients and identities: age's two kinds of keys, as people write them down.
 */
#include "seal/age.h"
#include "seal/bech32.h"
#include "seal/derive.h"
#include "seal/keyring.h"

#include <sodium.h>
#include <stdlib.h>

#define RECIPIENT_PREFIX SV("age")
#define IDENTITY_PREFIX  SV("AGE-SECRET-KEY-")
#define SEED_PREFIX      SV("OSMGEN-SEED-")

/* ---- recipients -------------------------------------------------------------------------- */

/* Returns the kind of a recipient that age knows and osm-gen does not implement, or null. */
static const char *foreign_recipient(sv text)
{
	if (sv_starts_with(text, SV("age1pq1")))
		return "a post-quantum (ML-KEM) recipient";
	if (sv_starts_with(text, SV("age1tag1")) || sv_starts_with(text, SV("age1tagpq1")))
		return "a hardware tag recipient";
	if (sv_starts_with(text, SV("age1")) &&
	    sv_find_char(sv_from_offset(text, 4), '1') != SV_NPOS)
		return "a plugin's recipient";
	if (sv_starts_with(text, SV("ssh-rsa")))
		return "an RSA key of SSH";
	if (sv_starts_with(text, SV("ssh-")) || sv_starts_with(text, SV("ecdsa-")) ||
	    sv_starts_with(text, SV("sk-")))
		return "an SSH key of another type than ssh-ed25519";
	return NULL;
}

bool age_recipient_is_spoken(sv text)
{
	return sv_starts_with(text, SV("ssh-ed25519")) || !foreign_recipient(text);
}

static enum status recipient_error(struct sink *sink, const struct seal_recipient_text *text,
                                   enum diag_code code, const char *what)
{
	struct diag *diag = diag_report(sink, code, text->at, "recipient %.*s%s is %s",
	                                SV_ARG(sv_slice(text->text, 0, 24)),
	                                text->text.len > 24 ? "..." : "", what);

	diag_set_help(sink, diag,
	              "use an X25519 recipient, age1 and 58 more characters: `osm-gen keygen "
	              "identity` and `age-keygen` print one as the public key; or an ssh-ed25519 "
	              "key");
	return STATUS_FAILED;
}

/* Returns the kind of a private key given in place of a recipient, or null. Files would show it. */
static const char *secret_recipient(sv text)
{
	if (sv_starts_with(text, IDENTITY_PREFIX))
		return "a secret key, not its recipient";
	if (sv_starts_with(text, SEED_PREFIX))
		return "a sealing seed, which is secret";
	return NULL;
}

static const char *recipient_mistake(sv text, uint8_t key[AGE_KEY_SIZE])
{
	static const uint8_t any_scalar[32] = {1};
	uint8_t shared[32];

	switch (bech32_decode(text, RECIPIENT_PREFIX, key, AGE_KEY_SIZE)) {
	case BECH32_FINE:
		break;
	case BECH32_CHECKSUM:
		return "mistyped or cut off: its checksum is wrong";
	case BECH32_FORM:
	case BECH32_PREFIX:
	case BECH32_LENGTH:
		return "not an age recipient";
	}
	if (crypto_scalarmult(shared, any_scalar, key) != 0)
		return "a point of low order: everybody could decrypt";
	return NULL;
}

static bool is_ssh_ed25519(sv text)
{
	return sv_starts_with(text, SV("ssh-ed25519"));
}

/* *ret_text is the recipient as files have it: without an SSH key's comment. */
static enum status parse_recipient(struct arena *arena, struct sink *sink,
                                   const struct seal_recipient_text *text,
                                   struct age_recipient *key, sv *ret_text)
{
	const char *secret = secret_recipient(text->text);
	bool is_ssh = is_ssh_ed25519(text->text);
	const char *foreign = is_ssh ? NULL : foreign_recipient(text->text);
	const char *mistake = NULL;

	*ret_text = arena_dup(arena, text->text);
	if (is_ssh)
		mistake = age_ssh_parse(arena, text->text, key, ret_text);
	else if (!foreign && !secret)
		mistake = recipient_mistake(text->text, key->point);

	if (secret) {
		/* Its text must not be shown; a file that holds one is confidential. */
		struct diag *diag = diag_report(sink, DIAG_RECIPIENT_INVALID, text->at,
		                                "a recipient is %s", secret);
		diag_set_help(sink, diag,
		              "name the public key, age1..., of an identity instead, and treat the "
		              "key that was here as known to others");
		return STATUS_FAILED;
	}
	if (foreign)
		return recipient_error(sink, text, DIAG_RECIPIENT_TYPE, foreign);
	if (mistake)
		return recipient_error(sink, text, DIAG_RECIPIENT_INVALID, mistake);
	return STATUS_OK;
}

enum status age_recipients_parse(struct arena *arena, struct sink *sink, sv wanted_by,
                                 const struct seal_recipient_text *texts, size_t count,
                                 struct seal_recipients *ret_recipients)
{
	struct seal_recipient *items = ARENA_ARRAY(arena, struct seal_recipient, count);
	enum status status = STATUS_OK;
	size_t kept = 0;

	seal_init();
	if (count == 0) {
		struct diag *diag =
		    diag_report(sink, DIAG_RECIPIENTS_MISSING, NOWHERE,
		                "no recipients to seal to for %.*s", SV_ARG(wanted_by));

		diag_set_help(sink, diag,
		              "name some in osm-gen.yaml at the repository's root; `osm-gen keygen "
		              "identity` makes one\n"
		              "  apiVersion: osm-gen.dev/v1alpha1\n"
		              "  kind: Fleet\n"
		              "  spec: {sealing: {recipients: [age1...]}}");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < count; i++) {
		struct age_recipient *key = ARENA_NEW(arena, struct age_recipient);

		items[i].key = key;
		if (parse_recipient(arena, sink, &texts[i], key, &items[i].text) != STATUS_OK)
			status = STATUS_FAILED;
	}
	if (status != STATUS_OK)
		return status;
	sort_stable(items, count, sizeof(*items), sort_compare_sv, NULL);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || !sv_eq(items[i].text, items[kept - 1].text))
			items[kept++] = items[i];
	*ret_recipients = (struct seal_recipients){.items = items, .count = kept};
	return STATUS_OK;
}

/* ---- identities -------------------------------------------------------------------------- */

struct seal_identities {
	struct seal_identity *items; /* locked */
	size_t count;
	size_t capacity;
	struct hybrid_private **private_keys;
	size_t private_key_count;
	struct seal_program *program;          /* null if none may be run */
	const struct seal_texts *program_keys; /* see seal_program_keys */
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

static void add_identity(struct seal_identities *identities, const uint8_t secret[AGE_KEY_SIZE])
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
	struct seal_identity *identity = &identities->items[identities->count++];

	memcpy(identity->secret, secret, AGE_KEY_SIZE);
	crypto_scalarmult_base(identity->recipient, identity->secret);
}

struct seal_identities *seal_identities_of(struct arena *arena,
                                           const struct seal_identities *identities,
                                           const struct seal_texts *recipients)
{
	struct seal_identities *some = seal_identities_new();

	some->program = seal_program_of(identities);
	some->program_keys = recipients;
	for (size_t i = 0; i < seal_identities_count(identities); i++) {
		const struct seal_identity *identity = &identities->items[i];
		struct buf text = buf_in(arena);
		bool is_named = false;

		bech32_add(&text, RECIPIENT_PREFIX, identity->recipient, AGE_KEY_SIZE);
		VEC_EACH (recipient, recipients)
			is_named |= sv_eq(*recipient, buf_sv(&text));
		if (is_named)
			add_identity(some, identity->secret);
	}
	return some;
}

/* Returns true for an identity that only the program sops uses. */
static bool is_of_program(sv line)
{
	return sv_starts_with(line, SV("AGE-PLUGIN-")) ||
	       sv_starts_with(line, SV("AGE-SECRET-KEY-PQ-"));
}

static const char *identity_mistake(sv line, uint8_t secret[AGE_KEY_SIZE])
{
	if (sv_starts_with(line, SV("AGE-PLUGIN-")))
		return "an identity of a plugin, which osm-gen does not run";
	if (sv_starts_with(line, SV("AGE-SECRET-KEY-PQ-")))
		return "a post-quantum identity, which is not supported";
	switch (bech32_decode(line, IDENTITY_PREFIX, secret, AGE_KEY_SIZE)) {
	case BECH32_FINE:
		return NULL;
	case BECH32_CHECKSUM:
		return "mistyped or cut off: its checksum is wrong";
	case BECH32_FORM:
	case BECH32_PREFIX:
	case BECH32_LENGTH:
		return "not an age identity";
	}
	BUG("unknown result");
}

enum status seal_identities_add(struct sink *sink, struct seal_identities *identities,
                                const struct source *source)
{
	struct sv_splitter lines = sv_split(source->text, '\n');
	enum status status = STATUS_OK;
	uint8_t secret[AGE_KEY_SIZE];
	sv line;

	while (sv_split_next(&lines, &line)) {
		struct position at = {source, (size_t)(line.ptr - source->text.ptr), line.len};
		const char *mistake;

		line = sv_trim_space(line);
		if (line.len == 0 || line.ptr[0] == '#' ||
		    (identities->program && is_of_program(line)))
			continue;
		mistake = identity_mistake(line, secret);
		if (mistake) {
			struct diag *diag = diag_report(sink, DIAG_IDENTITY_INVALID, at,
			                                "this line is %s", mistake);

			diag_set_help(sink, diag,
			              "give AGE-SECRET-KEY-1... lines, as age-keygen writes them");
			status = STATUS_FAILED;
		} else {
			add_identity(identities, secret);
		}
	}
	sodium_memzero(secret, sizeof(secret));
	return status;
}

sv seal_identities_recipient(struct arena *arena, const struct seal_identities *identities)
{
	struct buf text = buf_in(arena);

	if (seal_identities_count(identities) > 0)
		bech32_add(&text, RECIPIENT_PREFIX, identities->items[0].recipient, AGE_KEY_SIZE);
	return buf_sv(&text);
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
	bech32_add(&buf, RECIPIENT_PREFIX, recipient, sizeof(recipient));
	buf_add_char(&buf, '\n');
	bech32_add(&buf, IDENTITY_PREFIX, random, AGE_KEY_SIZE);
	buf_add_char(&buf, '\n');
	return buf_sv(&buf);
}
