/*
 * age files for X25519 and ssh-ed25519 recipients (age-encryption.org/v1), with derived coins.
 */
#include "seal/age.h"

#include "codec/codec.h"

#include <sodium.h>

#define VERSION_LINE  SV("age-encryption.org/v1\n")
#define X25519_LABEL  SV("age-encryption.org/v1/X25519")
#define SSH_LABEL     SV("age-encryption.org/v1/ssh-ed25519")
#define KEY_LABEL     SV("X25519")
#define SSH_KEY_LABEL SV("ssh-ed25519")

enum {
	TAG_SIZE = crypto_aead_chacha20poly1305_ietf_ABYTES,
	MAC_SIZE = 32,
	BODY_SIZE = AGE_FILE_KEY_SIZE + TAG_SIZE,
	CHUNK_SIZE = 64 * 1024,
	BODY_COLUMNS = 64,
	SSH_TAG_SIZE = 4,
};

/* HMAC-SHA256 over up to two strings; libsodium's takes keys of any length. */
static void hmac(const uint8_t *key, size_t key_size, sv first, sv second, uint8_t out[32])
{
	crypto_auth_hmacsha256_state state;

	crypto_auth_hmacsha256_init(&state, key, key_size);
	crypto_auth_hmacsha256_update(&state, (const uint8_t *)first.ptr, first.len);
	crypto_auth_hmacsha256_update(&state, (const uint8_t *)second.ptr, second.len);
	crypto_auth_hmacsha256_final(&state, out);
	sodium_memzero(&state, sizeof(state));
}

/* HKDF-SHA256 (RFC 5869) with 32 bytes of output: one block. */
static void hkdf(sv secret, sv salt, sv info, uint8_t out[32])
{
	static const uint8_t no_salt[32] = {0};
	uint8_t extracted[32];

	if (salt.len > 0)
		hmac((const uint8_t *)salt.ptr, salt.len, secret, (sv){0}, extracted);
	else
		hmac(no_salt, sizeof(no_salt), secret, (sv){0}, extracted);
	hmac(extracted, sizeof(extracted), info, SV("\x01"), out);
	sodium_memzero(extracted, sizeof(extracted));
}

/* The key that wraps the file key. */
static void wrap_key_of(const uint8_t shared[32], const uint8_t share[32],
                        const uint8_t recipient[32], sv label, uint8_t out[32])
{
	uint8_t salt[64];

	memcpy(salt, share, 32);
	memcpy(salt + 32, recipient, 32);
	hkdf(sv_from_bytes(shared, 32), sv_from_bytes(salt, sizeof(salt)), label, out);
}

/* False when the shared secret is zero (a low-order point). */
static bool wrap_key(const uint8_t scalar[32], const uint8_t point[32], const uint8_t share[32],
                     const uint8_t recipient[32], uint8_t out[32])
{
	uint8_t shared[32];

	if (crypto_scalarmult(shared, scalar, point) != 0)
		return false;
	wrap_key_of(shared, share, recipient, X25519_LABEL, out);
	sodium_memzero(shared, sizeof(shared));
	return true;
}

/* Does the same for an SSH key: multiplies the shared secret with a scalar made of the key. */
static bool ssh_wrap_key(const uint8_t scalar[32], const uint8_t point[32], const uint8_t share[32],
                         const uint8_t recipient[32], sv ssh, uint8_t out[32])
{
	uint8_t shared[32];
	uint8_t tweaked[32];
	uint8_t tweak[32];

	hkdf((sv){0}, ssh, SSH_LABEL, tweak);
	if (crypto_scalarmult(shared, scalar, point) != 0 ||
	    crypto_scalarmult(tweaked, tweak, shared) != 0)
		return false;
	wrap_key_of(tweaked, share, recipient, SSH_LABEL, out);
	sodium_memzero(shared, sizeof(shared));
	sodium_memzero(tweaked, sizeof(tweaked));
	return true;
}

static void header_mac(const uint8_t file_key[AGE_FILE_KEY_SIZE], sv header, uint8_t out[MAC_SIZE])
{
	uint8_t key[32];

	hkdf(sv_from_bytes(file_key, AGE_FILE_KEY_SIZE), (sv){0}, SV("header"), key);
	hmac(key, sizeof(key), header, (sv){0}, out);
	sodium_memzero(key, sizeof(key));
}

/* Wraps the file key for the recipient: the stanza's share and body. */
static void wrap_file_key(const struct age_coins *coins, const struct age_recipient *recipient,
                          uint8_t share[32], uint8_t body[BODY_SIZE])
{
	static const uint8_t zero_nonce[12] = {0};
	uint8_t key[32];
	bool fine = crypto_scalarmult_base(share, coins->ephemeral) == 0;

	if (sv_empty(recipient->ssh))
		fine = fine &&
		       wrap_key(coins->ephemeral, recipient->point, share, recipient->point, key);
	else
		fine = fine && ssh_wrap_key(coins->ephemeral, recipient->point, share,
		                            recipient->point, recipient->ssh, key);
	if (!fine)
		BUG("recipients of low order are refused when they are read");
	crypto_aead_chacha20poly1305_ietf_encrypt(body, NULL, coins->file_key, AGE_FILE_KEY_SIZE,
	                                          NULL, 0, NULL, zero_nonce, key);
	sodium_memzero(key, sizeof(key));
}

/* The first four bytes of an SSH key's SHA-256, by which its stanza names it. */
static void ssh_tag(sv ssh, uint8_t tag[SSH_TAG_SIZE])
{
	uint8_t digest[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(digest, (const uint8_t *)ssh.ptr, ssh.len);
	memcpy(tag, digest, SSH_TAG_SIZE);
}

/* "X25519", or "ssh-ed25519" and the tag. */
static void add_stanza_name(struct buf *buf, const struct age_recipient *recipient)
{
	uint8_t tag[SSH_TAG_SIZE];

	if (sv_empty(recipient->ssh)) {
		buf_add(buf, KEY_LABEL);
		return;
	}
	ssh_tag(recipient->ssh, tag);
	buf_add(buf, SSH_KEY_LABEL);
	buf_add_char(buf, ' ');
	base64_add(buf, BASE64_STD_RAW, sv_from_bytes(tag, sizeof(tag)));
}

static void chunk_nonce(uint64_t number, bool last, uint8_t nonce[12])
{
	memset(nonce, 0, 12);
	for (int i = 0; i < 8; i++)
		nonce[10 - i] = (uint8_t)(number >> (8 * i));
	nonce[11] = last;
}

void age_encrypt(struct buf *buf, const struct age_recipient *recipient,
                 const struct age_coins *coins, sv plain)
{
	size_t start = buf->len;
	uint8_t share[32];
	uint8_t body[BODY_SIZE];
	uint8_t mac[MAC_SIZE];
	uint8_t key[32];
	uint8_t nonce[12];

	BUG_ON(plain.len >= AGE_MAX_SINGLE_CHUNK);
	wrap_file_key(coins, recipient, share, body);
	buf_add(buf, VERSION_LINE);
	BUF_ADD_LIT(buf, "-> ");
	add_stanza_name(buf, recipient);
	buf_add_char(buf, ' ');
	base64_add(buf, BASE64_STD_RAW, sv_from_bytes(share, sizeof(share)));
	buf_add_char(buf, '\n');
	base64_add(buf, BASE64_STD_RAW, sv_from_bytes(body, sizeof(body)));
	BUF_ADD_LIT(buf, "\n---");
	header_mac(coins->file_key, sv_from_offset(buf_sv(buf), start), mac);
	buf_add_char(buf, ' ');
	base64_add(buf, BASE64_STD_RAW, sv_from_bytes(mac, sizeof(mac)));
	buf_add_char(buf, '\n');
	buf_add(buf, sv_from_bytes(coins->nonce, AGE_NONCE_SIZE));

	hkdf(sv_from_bytes(coins->file_key, AGE_FILE_KEY_SIZE),
	     sv_from_bytes(coins->nonce, AGE_NONCE_SIZE), SV("payload"), key);
	chunk_nonce(0, true, nonce);
	crypto_aead_chacha20poly1305_ietf_encrypt((uint8_t *)buf_reserve(buf, plain.len + TAG_SIZE),
	                                          NULL, (const uint8_t *)plain.ptr, plain.len, NULL,
	                                          0, NULL, nonce, key);
	buf->len += plain.len + TAG_SIZE;
	sodium_memzero(key, sizeof(key));
}

/* ---- decryption -------------------------------------------------------------------------- */

/* A line up to LF off *rest; false without LF. */
static bool take_line(sv *rest, sv *ret_line)
{
	size_t end = sv_find_char(*rest, '\n');

	if (end == SV_NPOS)
		return false;
	*ret_line = sv_slice(*rest, 0, end);
	*rest = sv_from_offset(*rest, end + 1);
	return true;
}

/* Canonical base64 without padding of exactly size bytes. */
static bool decode_exactly(struct arena *arena, sv text, uint8_t *out, size_t size)
{
	sv bytes;

	if (!base64_decode_canonical(arena, BASE64_STD_RAW, text, &bytes) || bytes.len != size)
		return false;
	memcpy(out, bytes.ptr, size);
	return true;
}

/* Arguments are one or more visible characters, separated by single spaces. */
static bool are_arguments(sv line)
{
	struct sv_splitter it = sv_split(line, ' ');
	sv argument;

	while (sv_split_next(&it, &argument)) {
		if (argument.len == 0)
			return false;
		for (size_t i = 0; i < argument.len; i++)
			if (argument.ptr[i] < 33 || argument.ptr[i] > 126)
				return false;
	}
	return true;
}

/* The lines of a stanza's body: full ones, then a short one, which may be empty. */
static bool take_body(struct arena *arena, sv *rest, sv *ret_body)
{
	struct buf body = buf_in(arena);
	sv line;

	do {
		if (!take_line(rest, &line) || line.len > BODY_COLUMNS)
			return false;
		buf_add(&body, line);
	} while (line.len == BODY_COLUMNS);
	return base64_decode_canonical(arena, BASE64_STD_RAW, buf_sv(&body), ret_body);
}

/* A stanza that wraps the file key for one recipient. */
struct stanza {
	bool is_ssh;
	uint8_t tag[SSH_TAG_SIZE]; /* of the SSH key */
	uint8_t share[32];
	sv body;
};

/* Returns false if the stanza is for another identity. */
static bool find_wrap_key(const struct stanza *stanza, const struct seal_identity *identity,
                          uint8_t key[32])
{
	uint8_t tag[SSH_TAG_SIZE];
	sv ssh = sv_from_bytes(identity->ssh, AGE_SSH_SIZE);

	if (stanza->is_ssh != identity->is_ssh)
		return false;
	if (!stanza->is_ssh)
		return wrap_key(identity->secret, stanza->share, stanza->share, identity->recipient,
		                key);
	ssh_tag(ssh, tag);
	return memcmp(tag, stanza->tag, sizeof(tag)) == 0 &&
	       ssh_wrap_key(identity->secret, stanza->share, stanza->share, identity->recipient,
	                    ssh, key);
}

static bool unwrap_file_key(const struct seal_identities *identities, const struct stanza *stanza,
                            uint8_t file_key[AGE_FILE_KEY_SIZE])
{
	static const uint8_t zero_nonce[12] = {0};
	bool found = false;

	for (size_t i = 0; i < seal_identities_count(identities) && !found; i++) {
		uint8_t key[32];

		if (!find_wrap_key(stanza, seal_identity_at(identities, i), key))
			continue;
		found = crypto_aead_chacha20poly1305_ietf_decrypt(
		            file_key, NULL, NULL, (const uint8_t *)stanza->body.ptr,
		            stanza->body.len, NULL, 0, zero_nonce, key) == 0;
		sodium_memzero(key, sizeof(key));
	}
	return found;
}

/* A stanza of a kind that is used either opens, or is another's, or is malformed. */
static enum age_result try_stanza(struct arena *arena, sv arguments, sv body,
                                  const struct seal_identities *identities,
                                  uint8_t file_key[AGE_FILE_KEY_SIZE])
{
	struct stanza stanza = {.body = body};
	sv kind;
	sv share;
	sv tag;

	sv_cut(arguments, SV(" "), &kind, &share);
	stanza.is_ssh = sv_eq(kind, SSH_KEY_LABEL);
	if (!stanza.is_ssh && !sv_eq(kind, KEY_LABEL))
		return AGE_NO_MATCH;
	/* age looks at stanzas of SSH keys only with an identity of SSH. */
	if (stanza.is_ssh && (!sv_cut(share, SV(" "), &tag, &share) ||
	                      !decode_exactly(arena, tag, stanza.tag, sizeof(stanza.tag))))
		return AGE_NO_MATCH;
	if (body.len != BODY_SIZE ||
	    !decode_exactly(arena, share, stanza.share, sizeof(stanza.share)))
		return stanza.is_ssh ? AGE_NO_MATCH : AGE_FORM;
	/* age calls a share of low order malformed, even in another recipient's stanza. */
	static const uint8_t any_scalar[32];
	uint8_t shared[32];
	if (!stanza.is_ssh && crypto_scalarmult(shared, any_scalar, stanza.share) != 0)
		return AGE_FORM;
	return unwrap_file_key(identities, &stanza, file_key) ? AGE_FINE : AGE_NO_MATCH;
}

/* Reads the header off *rest and finds the file key in it. */
static enum age_result open_header(struct arena *arena, sv *rest,
                                   const struct seal_identities *identities,
                                   uint8_t file_key[AGE_FILE_KEY_SIZE])
{
	sv file = *rest;
	enum age_result result = AGE_NO_MATCH;
	bool any_stanza = false;
	uint8_t want[MAC_SIZE];
	uint8_t mac[MAC_SIZE];
	sv line = {0};

	if (!sv_starts_with(file, VERSION_LINE))
		return AGE_FORM;
	*rest = sv_from_offset(file, VERSION_LINE.len);
	while (take_line(rest, &line) && sv_starts_with(line, SV("-> "))) {
		sv arguments = sv_from_offset(line, 3);
		sv body;

		if (!are_arguments(arguments) || !take_body(arena, rest, &body))
			return AGE_FORM;
		any_stanza = true;
		if (result == AGE_FINE)
			continue;
		result = try_stanza(arena, arguments, body, identities, file_key);
		if (result == AGE_FORM)
			return result;
	}
	if (!any_stanza || !sv_starts_with(line, SV("--- ")) ||
	    !decode_exactly(arena, sv_from_offset(line, 4), mac, sizeof(mac)))
		return AGE_FORM;
	if (result != AGE_FINE)
		return result;
	header_mac(file_key, sv_from(file.ptr, (size_t)(line.ptr - file.ptr) + 3), want);
	return sodium_memcmp(mac, want, sizeof(mac)) == 0 ? AGE_FINE : AGE_AUTHENTICITY;
}

static enum age_result open_payload(struct arena *secret_arena, sv payload,
                                    const uint8_t file_key[AGE_FILE_KEY_SIZE], sv *ret_plain)
{
	uint8_t key[32];
	char *plain;
	size_t len = 0;
	bool fine = true;

	if (payload.len < AGE_NONCE_SIZE + TAG_SIZE)
		return AGE_FORM;
	hkdf(sv_from_bytes(file_key, AGE_FILE_KEY_SIZE), sv_slice(payload, 0, AGE_NONCE_SIZE),
	     SV("payload"), key);
	payload = sv_from_offset(payload, AGE_NONCE_SIZE);
	plain = arena_alloc_text(secret_arena, payload.len);
	for (uint64_t number = 0; fine && payload.len > 0; number++) {
		sv chunk = sv_slice(payload, 0, CHUNK_SIZE + TAG_SIZE);
		bool last = chunk.len == payload.len;
		uint8_t nonce[12];

		chunk_nonce(number, last, nonce);
		/* Only a payload that is empty as a whole has an empty chunk. */
		fine = chunk.len >= TAG_SIZE && (chunk.len > TAG_SIZE || number == 0) &&
		       crypto_aead_chacha20poly1305_ietf_decrypt(
		           (uint8_t *)plain + len, NULL, NULL, (const uint8_t *)chunk.ptr,
		           chunk.len, NULL, 0, nonce, key) == 0;
		if (fine)
			len += chunk.len - TAG_SIZE;
		payload = sv_from_offset(payload, chunk.len);
	}
	sodium_memzero(key, sizeof(key));
	if (!fine)
		return AGE_AUTHENTICITY;
	*ret_plain = sv_from(plain, len);
	return AGE_FINE;
}

enum age_result age_decrypt(struct arena *secret_arena, sv file,
                            const struct seal_identities *identities, sv *ret_plain)
{
	uint8_t file_key[AGE_FILE_KEY_SIZE];
	sv rest = file;
	enum age_result result = open_header(secret_arena, &rest, identities, file_key);

	if (result == AGE_FINE)
		result = open_payload(secret_arena, rest, file_key, ret_plain);
	sodium_memzero(file_key, sizeof(file_key));
	return result;
}

const char *seal_library_version(void)
{
	return sodium_version_string();
}
