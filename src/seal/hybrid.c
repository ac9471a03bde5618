/*
 * RSA-OAEP with a seed that is given, and AES-256-GCM with a session key.
 */
#include "seal/hybrid.h"

#include "codec/codec.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdlib.h>

/* libcrypto fails here only when a call is wrong (codec_start). */
#define CHECKED(call) ((call) == 1 ? (void)0 : BUG("libcrypto refused " #call))

enum { HASH_SIZE = 32, NONCE_SIZE = 12, TAG_SIZE = 16, LENGTH_SIZE = 2 };
enum { MAX_MODULUS_SIZE = HYBRID_MAX_BITS / 8 };

static const uint8_t zero_nonce[NONCE_SIZE] = {0};

struct hybrid_public {
	EVP_PKEY *pkey;
	size_t size; /* of the modulus, in bytes */
};

struct hybrid_private {
	EVP_PKEY *pkey;
};

struct hybrid_public *hybrid_public_new(sv spki)
{
	const unsigned char *at = (const unsigned char *)spki.ptr;
	struct hybrid_public *key = malloc(sizeof(*key));

	if (!key)
		base_out_of_memory();
	key->pkey = d2i_PUBKEY(NULL, &at, (long)spki.len);
	if (!key->pkey)
		BUG("x509_read lets only public keys through");
	key->size = (size_t)EVP_PKEY_get_size(key->pkey);
	BUG_ON(key->size > MAX_MODULUS_SIZE);
	return key;
}

void hybrid_public_free(struct hybrid_public *key)
{
	if (!key)
		return;
	EVP_PKEY_free(key->pkey);
	free(key);
}

/* ---- EME-OAEP ---------------------------------------------------------------------------- */

/* XORs MGF1 with SHA-256 of `from` onto `onto` (RFC 8017, B.2.1). */
static void mask(const uint8_t *from, size_t from_size, uint8_t *onto, size_t onto_size)
{
	DIGEST_AUTO digest = digest_new(DIGEST_SHA256);
	uint8_t block[DIGEST_MAX_SIZE];

	for (size_t done = 0; done < onto_size; done += HASH_SIZE) {
		uint32_t number = (uint32_t)(done / HASH_SIZE);
		const uint8_t counter[4] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16),
		                            (uint8_t)(number >> 8), (uint8_t)number};

		digest_restart(digest);
		digest_add(digest, sv_from_bytes(from, from_size));
		digest_add(digest, sv_from_bytes(counter, sizeof(counter)));
		digest_finish(digest, block);
		for (size_t i = 0; i < HASH_SIZE && done + i < onto_size; i++)
			onto[done + i] ^= block[i];
	}
	OPENSSL_cleanse(block, sizeof(block));
}

/* 00, masked seed, masked block of label's hash, zeros, 01 and message: `size` bytes. */
static void pad(uint8_t *padded, size_t size, const struct hybrid_coins *coins, sv label)
{
	uint8_t *seed = padded + 1;
	uint8_t *block = seed + HYBRID_SEED_SIZE;
	size_t block_size = size - 1 - HYBRID_SEED_SIZE;

	memset(padded, 0, size);
	memcpy(seed, coins->oaep_seed, HYBRID_SEED_SIZE);
	digest_of(DIGEST_SHA256, label, block);
	block[block_size - HYBRID_SESSION_SIZE - 1] = 1;
	memcpy(block + block_size - HYBRID_SESSION_SIZE, coins->session_key, HYBRID_SESSION_SIZE);
	mask(seed, HYBRID_SEED_SIZE, block, block_size);
	mask(block, block_size, seed, HYBRID_SEED_SIZE);
}

static void add_session_key(struct buf *buf, const struct hybrid_public *key,
                            const struct hybrid_coins *coins, sv label)
{
	uint8_t padded[MAX_MODULUS_SIZE];
	size_t size = key->size;
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key->pkey, NULL);

	if (!context)
		base_out_of_memory();
	pad(padded, size, coins, label);
	CHECKED(EVP_PKEY_encrypt_init(context));
	CHECKED(EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING));
	CHECKED(EVP_PKEY_encrypt(context, (unsigned char *)buf_reserve(buf, size), &size, padded,
	                         key->size));
	BUG_ON(size != key->size);
	buf->len += size;
	EVP_PKEY_CTX_free(context);
	OPENSSL_cleanse(padded, sizeof(padded));
}

/* ---- AES --------------------------------------------------------------------------------- */

static EVP_CIPHER_CTX *cipher_new(const uint8_t key[HYBRID_SESSION_SIZE], int encrypt)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();

	if (!context)
		base_out_of_memory();
	CHECKED(EVP_CipherInit_ex(context, EVP_aes_256_gcm(), NULL, key, zero_nonce, encrypt));
	return context;
}

void hybrid_encrypt(struct buf *buf, const struct hybrid_public *key,
                    const struct hybrid_coins *coins, sv label, sv plain)
{
	EVP_CIPHER_CTX *context = cipher_new(coins->session_key, 1);
	unsigned char *out;
	int len = 0;
	int more = 0;

	BUG_ON(plain.len > INT32_MAX - TAG_SIZE);
	buf_add_char(buf, (char)(key->size >> 8));
	buf_add_char(buf, (char)(key->size & 0xff));
	add_session_key(buf, key, coins, label);
	out = (unsigned char *)buf_reserve(buf, plain.len + TAG_SIZE);
	if (plain.len > 0)
		CHECKED(EVP_EncryptUpdate(context, out, &len, (const unsigned char *)plain.ptr,
		                          (int)plain.len));
	CHECKED(EVP_EncryptFinal_ex(context, out + len, &more));
	CHECKED(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG_SIZE, out + plain.len));
	buf->len += plain.len + TAG_SIZE;
	EVP_CIPHER_CTX_free(context);
}

/* ---- decryption -------------------------------------------------------------------------- */

struct hybrid_private *hybrid_private_new(sv der)
{
	const unsigned char *at = (const unsigned char *)der.ptr;
	EVP_PKEY *pkey = d2i_AutoPrivateKey(NULL, &at, (long)der.len);
	struct hybrid_private *key;

	if (!pkey || !EVP_PKEY_is_a(pkey, "RSA") || EVP_PKEY_get_bits(pkey) < HYBRID_MIN_BITS ||
	    EVP_PKEY_get_bits(pkey) > HYBRID_MAX_BITS) {
		EVP_PKEY_free(pkey);
		return NULL;
	}
	key = malloc(sizeof(*key));
	if (!key)
		base_out_of_memory();
	key->pkey = pkey;
	return key;
}

void hybrid_private_free(struct hybrid_private *key)
{
	if (!key)
		return;
	EVP_PKEY_free(key->pkey);
	free(key);
}

/* libcrypto takes the label over, in memory of its own. */
static void set_label(EVP_PKEY_CTX *context, sv label)
{
	if (label.len == 0)
		return;
	void *copy = OPENSSL_memdup(label.ptr, label.len);

	if (!copy)
		base_out_of_memory();
	CHECKED(EVP_PKEY_CTX_set0_rsa_oaep_label(context, copy, (int)label.len));
}

static bool open_session_key(const struct hybrid_private *key, sv label, sv sealed,
                             uint8_t session_key[HYBRID_SESSION_SIZE])
{
	uint8_t opened[MAX_MODULUS_SIZE];
	size_t size = sizeof(opened);
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key->pkey, NULL);

	if (!context)
		base_out_of_memory();
	CHECKED(EVP_PKEY_decrypt_init(context));
	CHECKED(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING));
	CHECKED(EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()));
	CHECKED(EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()));
	set_label(context, label);
	bool fine = EVP_PKEY_decrypt(context, opened, &size, (const unsigned char *)sealed.ptr,
	                             sealed.len) == 1 &&
	            size == HYBRID_SESSION_SIZE;
	if (fine)
		memcpy(session_key, opened, HYBRID_SESSION_SIZE);
	EVP_PKEY_CTX_free(context);
	OPENSSL_cleanse(opened, sizeof(opened));
	return fine;
}

static bool open_text(const uint8_t session_key[HYBRID_SESSION_SIZE], sv sealed,
                      unsigned char *plain)
{
	EVP_CIPHER_CTX *context = cipher_new(session_key, 0);
	size_t size = sealed.len - TAG_SIZE;
	unsigned char tag[TAG_SIZE];
	int len = 0;
	int more = 0;

	memcpy(tag, sealed.ptr + size, TAG_SIZE);
	if (size > 0)
		CHECKED(EVP_DecryptUpdate(context, plain, &len, (const unsigned char *)sealed.ptr,
		                          (int)size));
	CHECKED(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG_SIZE, tag));
	bool fine = EVP_DecryptFinal_ex(context, plain + len, &more) == 1;

	EVP_CIPHER_CTX_free(context);
	return fine;
}

enum hybrid_result hybrid_decrypt(struct arena *secret_arena, const struct hybrid_private *key,
                                  sv label, sv bytes, sv *ret_plain)
{
	uint8_t session_key[HYBRID_SESSION_SIZE];
	size_t size;

	if (bytes.len < LENGTH_SIZE || bytes.len > INT32_MAX)
		return HYBRID_FORM;
	size = (size_t)(uint8_t)bytes.ptr[0] << 8 | (uint8_t)bytes.ptr[1];
	bytes = sv_from_offset(bytes, LENGTH_SIZE);
	if (bytes.len < size + TAG_SIZE)
		return HYBRID_FORM;
	if (size != (size_t)EVP_PKEY_get_size(key->pkey) ||
	    !open_session_key(key, label, sv_slice(bytes, 0, size), session_key))
		return HYBRID_NO_MATCH;
	bytes = sv_from_offset(bytes, size);
	char *plain = arena_alloc_text(secret_arena, bytes.len - TAG_SIZE + 1);
	bool fine = open_text(session_key, bytes, (unsigned char *)plain);

	OPENSSL_cleanse(session_key, sizeof(session_key));
	if (!fine) {
		OPENSSL_cleanse(plain, bytes.len - TAG_SIZE);
		return HYBRID_NO_MATCH;
	}
	*ret_plain = sv_from(plain, bytes.len - TAG_SIZE);
	return HYBRID_FINE;
}
