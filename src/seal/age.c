/*
 * age files (age-encryption.org/v1): header, MAC and payload, with derived coins.
 */
#include "seal/age.h"

#include "codec/codec.h"

#include <sodium.h>

#define VERSION_LINE SV("age-encryption.org/v1\n")

enum {
	TAG_SIZE = crypto_aead_chacha20poly1305_ietf_ABYTES,
	MAC_SIZE = 32,
	CHUNK_SIZE = 64 * 1024,
	BODY_COLUMNS = 64,
};

static void header_mac(const uint8_t file_key[AGE_FILE_KEY_SIZE], sv header, uint8_t out[MAC_SIZE])
{
	uint8_t key[32];

	age_hkdf(sv_from_bytes(file_key, AGE_FILE_KEY_SIZE), (sv){0}, SV("header"), key);
	age_hmac(sv_from_bytes(key, sizeof(key)), header, (sv){0}, out);
	sodium_memzero(key, sizeof(key));
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
	uint8_t mac[MAC_SIZE];
	uint8_t key[32];
	uint8_t nonce[12];

	BUG_ON(plain.len >= AGE_MAX_SINGLE_CHUNK);
	buf_add(buf, VERSION_LINE);
	age_stanza_add(buf, recipient, coins);
	BUF_ADD_LIT(buf, "---");
	header_mac(coins->file_key, sv_from_offset(buf_sv(buf), start), mac);
	buf_add_char(buf, ' ');
	base64_add(buf, BASE64_STD_RAW, sv_from_bytes(mac, sizeof(mac)));
	buf_add_char(buf, '\n');
	buf_add(buf, sv_from_bytes(coins->nonce, AGE_NONCE_SIZE));

	age_hkdf(sv_from_bytes(coins->file_key, AGE_FILE_KEY_SIZE),
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
		result = age_stanza_open(arena, arguments, body, identities, file_key);
		if (result == AGE_FORM)
			return result;
	}
	if (!any_stanza || !sv_starts_with(line, SV("--- ")) ||
	    !age_decode_exactly(arena, sv_from_offset(line, 4), mac, sizeof(mac)))
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
	age_hkdf(sv_from_bytes(file_key, AGE_FILE_KEY_SIZE), sv_slice(payload, 0, AGE_NONCE_SIZE),
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
