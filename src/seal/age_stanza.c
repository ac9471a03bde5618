/*
 * The stanzas of age's header: a file key, wrapped for a recipient of each kind.
 */
#include "seal/age.h"

#include "codec/codec.h"
#include "seal/rsa.h"
#include "seal/xwing.h"

#include <sodium.h>

#define X25519_LABEL SV("age-encryption.org/v1/X25519")
#define HYBRID_LABEL SV("age-encryption.org/mlkem768x25519")
#define SSH_LABEL    SV("age-encryption.org/v1/ssh-ed25519")
#define RSA_LABEL    SV("age-encryption.org/v1/ssh-rsa")

enum {
	KEY_SIZE = 32,
	TAG_SIZE = crypto_aead_chacha20poly1305_ietf_ABYTES,
	WRAP_NONCE_SIZE = crypto_aead_chacha20poly1305_ietf_NPUBBYTES,
	BODY_SIZE = AGE_FILE_KEY_SIZE + TAG_SIZE,
	BODY_COLUMNS = 64,
	SSH_TAG_SIZE = 4,
};

/* A stanza's arguments are its name, the tag of an SSH key, and a share. */
static const struct stanza_form {
	sv name;
	bool has_tag;
	size_t share_size;
} forms[] = {
    [AGE_X25519] = {SV_INIT("X25519"), false, 32},
    [AGE_HYBRID] = {SV_INIT("mlkem768x25519"), false, XWING_SHARE_SIZE},
    [AGE_SSH_ED25519] = {SV_INIT("ssh-ed25519"), true, 32},
    [AGE_SSH_RSA] = {SV_INIT("ssh-rsa"), true, 0},
};

/* ---- derivation of keys ------------------------------------------------------------------ */

void age_hmac(sv key, sv first, sv second, uint8_t out[32])
{
	crypto_auth_hmacsha256_state state;

	crypto_auth_hmacsha256_init(&state, (const uint8_t *)key.ptr, key.len);
	crypto_auth_hmacsha256_update(&state, (const uint8_t *)first.ptr, first.len);
	crypto_auth_hmacsha256_update(&state, (const uint8_t *)second.ptr, second.len);
	crypto_auth_hmacsha256_final(&state, out);
	sodium_memzero(&state, sizeof(state));
}

/* Returns the salt, or the one that RFC 5869 has in the place of an empty one. */
static sv salt_or_zeros(sv salt)
{
	static const uint8_t zeros[32] = {0};

	return salt.len > 0 ? salt : sv_from_bytes(zeros, sizeof(zeros));
}

void age_hkdf(sv secret, sv salt, sv info, uint8_t out[32])
{
	uint8_t extracted[32];

	age_hmac(salt_or_zeros(salt), secret, (sv){0}, extracted);
	age_hmac(sv_from_bytes(extracted, sizeof(extracted)), info, SV("\x01"), out);
	sodium_memzero(extracted, sizeof(extracted));
}

/* A key that wraps a file key, and its nonce. */
struct wrap_key {
	uint8_t key[KEY_SIZE];
	uint8_t nonce[WRAP_NONCE_SIZE];
};

/* The suite of HPKE (RFC 9180, 5.1): X-Wing, HKDF-SHA256, ChaCha20Poly1305. */
#define HPKE_SUITE "HPKE-v1HPKE\x64\x7a\x00\x01\x00\x03"

/* LabeledExtract (RFC 9180, 4); the material may be empty. */
static void hpke_extract(sv salt, sv label, sv material, uint8_t out[32])
{
	char begin[64];
	size_t size = sizeof(HPKE_SUITE) - 1;

	memcpy(begin, HPKE_SUITE, size);
	memcpy(begin + size, label.ptr, label.len);
	age_hmac(salt_or_zeros(salt), sv_from(begin, size + label.len), material, out);
}

/* LabeledExpand (RFC 9180, 4) to at most 32 bytes: one block. */
static void hpke_expand(const uint8_t secret[32], sv label, sv context, uint8_t *out, size_t size)
{
	char info[160] = {(char)(size >> 8), (char)size};
	size_t len = 2;
	uint8_t block[32];

	memcpy(info + len, HPKE_SUITE, sizeof(HPKE_SUITE) - 1);
	len += sizeof(HPKE_SUITE) - 1;
	memcpy(info + len, label.ptr, label.len);
	len += label.len;
	memcpy(info + len, context.ptr, context.len);
	len += context.len;
	age_hmac(sv_from_bytes(secret, 32), sv_from(info, len), SV("\x01"), block);
	memcpy(out, block, size);
	sodium_memzero(block, sizeof(block));
}

/* The key schedule of HPKE's base mode (RFC 9180, 5.1), for its first message. */
static void hpke_wrap_key(const uint8_t shared[XWING_SECRET_SIZE], struct wrap_key *wrap)
{
	uint8_t context[1 + 32 + 32] = {0};
	uint8_t secret[32];
	sv bytes = sv_from_bytes(context, sizeof(context));

	hpke_extract((sv){0}, SV("psk_id_hash"), (sv){0}, context + 1);
	hpke_extract((sv){0}, SV("info_hash"), HYBRID_LABEL, context + 1 + 32);
	hpke_extract(sv_from_bytes(shared, XWING_SECRET_SIZE), SV("secret"), (sv){0}, secret);
	hpke_expand(secret, SV("key"), bytes, wrap->key, KEY_SIZE);
	hpke_expand(secret, SV("base_nonce"), bytes, wrap->nonce, WRAP_NONCE_SIZE);
	sodium_memzero(secret, sizeof(secret));
}

/* Sets the key; the nonce is zeros. */
static void set_wrap_key(const uint8_t shared[32], const uint8_t share[32],
                         const uint8_t recipient[32], sv label, struct wrap_key *wrap)
{
	uint8_t salt[64];

	memcpy(salt, share, 32);
	memcpy(salt + 32, recipient, 32);
	memset(wrap->nonce, 0, sizeof(wrap->nonce));
	age_hkdf(sv_from_bytes(shared, 32), sv_from_bytes(salt, sizeof(salt)), label, wrap->key);
}

/* Returns false if the shared secret is zero (a point of low order). */
static bool x25519_wrap_key(const uint8_t scalar[32], const uint8_t point[32],
                            const uint8_t share[32], const uint8_t recipient[32],
                            struct wrap_key *wrap)
{
	uint8_t shared[32];

	if (crypto_scalarmult(shared, scalar, point) != 0)
		return false;
	set_wrap_key(shared, share, recipient, X25519_LABEL, wrap);
	sodium_memzero(shared, sizeof(shared));
	return true;
}

/* Does the same for an SSH key: multiplies the shared secret with a scalar made of the key. */
static bool ssh_wrap_key(const uint8_t scalar[32], const uint8_t point[32], const uint8_t share[32],
                         const uint8_t recipient[32], sv ssh, struct wrap_key *wrap)
{
	uint8_t shared[32];
	uint8_t tweaked[32];
	uint8_t tweak[32];

	age_hkdf((sv){0}, ssh, SSH_LABEL, tweak);
	if (crypto_scalarmult(shared, scalar, point) != 0 ||
	    crypto_scalarmult(tweaked, tweak, shared) != 0)
		return false;
	set_wrap_key(tweaked, share, recipient, SSH_LABEL, wrap);
	sodium_memzero(shared, sizeof(shared));
	sodium_memzero(tweaked, sizeof(tweaked));
	return true;
}

/* ---- writing ----------------------------------------------------------------------------- */

/* Sets the share, and the key that wraps the file key. */
static void make_wrap_key(const struct age_recipient *recipient, const struct age_coins *coins,
                          uint8_t share[XWING_SHARE_SIZE], struct wrap_key *wrap)
{
	uint8_t both[XWING_COINS_SIZE];
	uint8_t shared[XWING_SECRET_SIZE];
	bool fine = true;

	if (recipient->kind == AGE_HYBRID) {
		memcpy(both, coins->encapsulation, sizeof(coins->encapsulation));
		memcpy(both + sizeof(coins->encapsulation), coins->ephemeral,
		       sizeof(coins->ephemeral));
		xwing_encapsulate((const uint8_t *)recipient->key.ptr, both, share, shared);
		hpke_wrap_key(shared, wrap);
		sodium_memzero(both, sizeof(both));
		sodium_memzero(shared, sizeof(shared));
		return;
	}
	fine = crypto_scalarmult_base(share, coins->ephemeral) == 0;
	if (recipient->kind == AGE_X25519)
		fine = fine && x25519_wrap_key(coins->ephemeral, recipient->point, share,
		                               recipient->point, wrap);
	else
		fine = fine && ssh_wrap_key(coins->ephemeral, recipient->point, share,
		                            recipient->point, recipient->key, wrap);
	if (!fine)
		BUG("recipients of low order are refused when they are read");
}

/* Sets the first four bytes of an SSH key's SHA-256, by which its stanza names it. */
static void ssh_tag(sv ssh, uint8_t tag[SSH_TAG_SIZE])
{
	uint8_t digest[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(digest, (const uint8_t *)ssh.ptr, ssh.len);
	memcpy(tag, digest, SSH_TAG_SIZE);
}

static void add_argument(struct buf *buf, const uint8_t *bytes, size_t size)
{
	buf_add_char(buf, ' ');
	base64_add(buf, BASE64_STD_RAW, sv_from_bytes(bytes, size));
}

/* Adds the lines of a body: full ones, then a short one, which may be empty. */
static void add_body(struct buf *buf, sv bytes)
{
	enum { LINE_BYTES = BODY_COLUMNS / 4 * 3 };

	for (size_t i = 0; i <= bytes.len; i += LINE_BYTES) {
		base64_add(buf, BASE64_STD_RAW, sv_slice(bytes, i, i + LINE_BYTES));
		buf_add_char(buf, '\n');
	}
}

void age_stanza_add(struct buf *buf, const struct age_recipient *recipient,
                    const struct age_coins *coins)
{
	const struct stanza_form *form = &forms[recipient->kind];
	sv file_key = sv_from_bytes(coins->file_key, AGE_FILE_KEY_SIZE);
	uint8_t share[XWING_SHARE_SIZE];
	uint8_t body[BODY_SIZE];
	uint8_t tag[SSH_TAG_SIZE];
	struct wrap_key wrap;

	BUF_ADD_LIT(buf, "-> ");
	buf_add(buf, form->name);
	if (form->has_tag) {
		ssh_tag(recipient->key, tag);
		add_argument(buf, tag, sizeof(tag));
	}
	if (recipient->kind == AGE_SSH_RSA) {
		struct buf sealed = buf_in(buf->arena);
		EVP_PKEY *key = age_ssh_rsa(recipient->key);

		rsa_oaep_encrypt(&sealed, key, coins->padding, RSA_LABEL, file_key);
		buf_add_char(buf, '\n');
		add_body(buf, buf_sv(&sealed));
		EVP_PKEY_free(key);
		return;
	}
	make_wrap_key(recipient, coins, share, &wrap);
	add_argument(buf, share, form->share_size);
	buf_add_char(buf, '\n');
	crypto_aead_chacha20poly1305_ietf_encrypt(body, NULL, coins->file_key, AGE_FILE_KEY_SIZE,
	                                          NULL, 0, NULL, wrap.nonce, wrap.key);
	add_body(buf, sv_from_bytes(body, sizeof(body)));
	sodium_memzero(&wrap, sizeof(wrap));
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Canonical base64 without padding of exactly size bytes. */
bool age_decode_exactly(struct arena *arena, sv text, uint8_t *out, size_t size)
{
	sv bytes;

	if (!base64_decode_canonical(arena, BASE64_STD_RAW, text, &bytes) || bytes.len != size)
		return false;
	memcpy(out, bytes.ptr, size);
	return true;
}

/* A stanza that wraps the file key for one recipient. */
struct stanza {
	enum age_kind kind;
	uint8_t tag[SSH_TAG_SIZE]; /* of the SSH key */
	uint8_t share[XWING_SHARE_SIZE];
	sv body;
};

/* Reads what follows the name. */
static bool read_stanza(struct arena *arena, sv arguments, struct stanza *stanza)
{
	const struct stanza_form *form = &forms[stanza->kind];
	sv tag = arguments;
	sv share = arguments;

	if (form->has_tag) {
		bool has_share = sv_cut(arguments, SV(" "), &tag, &share);

		if (has_share != (form->share_size > 0) ||
		    !age_decode_exactly(arena, tag, stanza->tag, sizeof(stanza->tag)))
			return false;
	}
	return (form->share_size == 0 ||
	        age_decode_exactly(arena, share, stanza->share, form->share_size)) &&
	       (stanza->kind == AGE_SSH_RSA || stanza->body.len == BODY_SIZE);
}

/* Returns AGE_NO_MATCH for another identity's stanza, and AGE_FORM for a point of low order. */
static enum age_result find_wrap_key(const struct stanza *stanza,
                                     const struct seal_identity *identity, struct wrap_key *wrap)
{
	uint8_t shared[XWING_SECRET_SIZE];

	if (stanza->kind == AGE_X25519)
		return x25519_wrap_key(identity->secret, stanza->share, stanza->share,
		                       identity->point, wrap)
		           ? AGE_FINE
		           : AGE_FORM;
	if (stanza->kind == AGE_SSH_ED25519)
		return ssh_wrap_key(identity->secret, stanza->share, stanza->share, identity->point,
		                    sv_from_bytes(identity->key, identity->key_size), wrap)
		           ? AGE_FINE
		           : AGE_NO_MATCH;
	if (!xwing_decapsulate(identity->secret, stanza->share, shared))
		return AGE_FORM;
	hpke_wrap_key(shared, wrap);
	sodium_memzero(shared, sizeof(shared));
	return AGE_FINE;
}

static enum age_result unwrap_file_key(const struct stanza *stanza,
                                       const struct seal_identity *identity,
                                       uint8_t file_key[AGE_FILE_KEY_SIZE])
{
	uint8_t tag[SSH_TAG_SIZE];
	struct wrap_key wrap;
	enum age_result result;

	if (identity->kind != stanza->kind)
		return AGE_NO_MATCH;
	if (forms[stanza->kind].has_tag) {
		ssh_tag(sv_from_bytes(identity->key, identity->key_size), tag);
		if (memcmp(tag, stanza->tag, sizeof(tag)) != 0)
			return AGE_NO_MATCH;
	}
	if (stanza->kind == AGE_SSH_RSA)
		return rsa_oaep_decrypt(identity->rsa, RSA_LABEL, stanza->body, file_key,
		                        AGE_FILE_KEY_SIZE)
		           ? AGE_FINE
		           : AGE_NO_MATCH;
	result = find_wrap_key(stanza, identity, &wrap);
	if (result != AGE_FINE)
		return result;
	bool found = crypto_aead_chacha20poly1305_ietf_decrypt(
	                 file_key, NULL, NULL, (const uint8_t *)stanza->body.ptr, stanza->body.len,
	                 NULL, 0, wrap.nonce, wrap.key) == 0;

	sodium_memzero(&wrap, sizeof(wrap));
	return found ? AGE_FINE : AGE_NO_MATCH;
}

/*
 * Returns true if age calls a malformed stanza of this kind an error, and not another's: it looks
 * at stanzas only with identities of their kind, and people always have an X25519 identity.
 */
static bool is_form_checked(enum age_kind kind, const struct seal_identities *identities)
{
	if (kind == AGE_X25519)
		return true;
	for (size_t i = 0; kind == AGE_HYBRID && i < seal_identities_count(identities); i++)
		if (seal_identity_at(identities, i)->kind == kind)
			return true;
	return false;
}

enum age_result age_stanza_open(struct arena *arena, sv arguments, sv body,
                                const struct seal_identities *identities,
                                uint8_t file_key[AGE_FILE_KEY_SIZE])
{
	static const uint8_t any_scalar[32];
	enum age_result result = AGE_NO_MATCH;
	struct stanza stanza = {.body = body};
	uint8_t shared[32];
	size_t kind = 0;
	sv name;
	sv rest = {0};

	sv_cut(arguments, SV(" "), &name, &rest);
	while (kind < COUNT_OF(forms) && !sv_eq(name, forms[kind].name))
		kind++;
	if (kind == COUNT_OF(forms))
		return AGE_NO_MATCH;
	stanza.kind = (enum age_kind)kind;
	if (!read_stanza(arena, rest, &stanza))
		return is_form_checked(stanza.kind, identities) ? AGE_FORM : AGE_NO_MATCH;
	/* age calls a share of low order malformed, even in another recipient's stanza. */
	if (stanza.kind == AGE_X25519 && crypto_scalarmult(shared, any_scalar, stanza.share) != 0)
		return AGE_FORM;
	for (size_t i = 0; i < seal_identities_count(identities) && result == AGE_NO_MATCH; i++)
		result = unwrap_file_key(&stanza, seal_identity_at(identities, i), file_key);
	return result;
}
