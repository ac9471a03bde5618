/*
 * RSA-OAEP with a seed that is given, and the reading of RSA keys.
 */
#include "seal/rsa.h"

#include "codec/codec.h"

#include <openssl/crypto.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

/* libcrypto fails here only when a call is wrong (codec_start). */
#define CHECKED(call) ((call) == 1 ? (void)0 : BUG("libcrypto refused " #call))

enum { HASH_SIZE = 32, MAX_MODULUS_SIZE = RSA_MOST_BITS / 8 };

/* ---- keys -------------------------------------------------------------------------------- */

EVP_PKEY *rsa_public_read(sv spki)
{
	const unsigned char *at = (const unsigned char *)spki.ptr;
	EVP_PKEY *key = d2i_PUBKEY(NULL, &at, (long)spki.len);

	if (!key)
		BUG("x509_read lets only public keys through");
	BUG_ON(EVP_PKEY_get_size(key) > MAX_MODULUS_SIZE);
	return key;
}

EVP_PKEY *rsa_private_read(sv der)
{
	const unsigned char *at = (const unsigned char *)der.ptr;
	EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &at, (long)der.len);

	if (key && EVP_PKEY_is_a(key, "RSA") && EVP_PKEY_get_bits(key) >= RSA_LEAST_BITS &&
	    EVP_PKEY_get_bits(key) <= RSA_MOST_BITS)
		return key;
	EVP_PKEY_free(key);
	return NULL;
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
static void pad(uint8_t *padded, size_t size, const uint8_t seed[RSA_OAEP_SEED_SIZE], sv label,
                sv message)
{
	uint8_t *masked_seed = padded + 1;
	uint8_t *block = masked_seed + RSA_OAEP_SEED_SIZE;
	size_t block_size = size - 1 - RSA_OAEP_SEED_SIZE;

	memset(padded, 0, size);
	memcpy(masked_seed, seed, RSA_OAEP_SEED_SIZE);
	digest_of(DIGEST_SHA256, label, block);
	block[block_size - message.len - 1] = 1;
	memcpy(block + block_size - message.len, message.ptr, message.len);
	mask(masked_seed, RSA_OAEP_SEED_SIZE, block, block_size);
	mask(block, block_size, masked_seed, RSA_OAEP_SEED_SIZE);
}

void rsa_oaep_encrypt(struct buf *buf, EVP_PKEY *key, const uint8_t seed[RSA_OAEP_SEED_SIZE],
                      sv label, sv message)
{
	uint8_t padded[MAX_MODULUS_SIZE];
	size_t padded_size = (size_t)EVP_PKEY_get_size(key);
	size_t size = padded_size;
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);

	if (!context)
		base_out_of_memory();
	BUG_ON(message.len > HASH_SIZE);
	pad(padded, padded_size, seed, label, message);
	CHECKED(EVP_PKEY_encrypt_init(context));
	CHECKED(EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING));
	CHECKED(EVP_PKEY_encrypt(context, (unsigned char *)buf_reserve(buf, size), &size, padded,
	                         padded_size));
	BUG_ON(size != padded_size);
	buf->len += size;
	EVP_PKEY_CTX_free(context);
	OPENSSL_cleanse(padded, sizeof(padded));
}

/* ---- decryption -------------------------------------------------------------------------- */

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

bool rsa_oaep_decrypt(EVP_PKEY *key, sv label, sv sealed, uint8_t *message, size_t size)
{
	uint8_t opened[MAX_MODULUS_SIZE];
	size_t opened_size = sizeof(opened);
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);

	if (!context)
		base_out_of_memory();
	CHECKED(EVP_PKEY_decrypt_init(context));
	CHECKED(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING));
	CHECKED(EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()));
	CHECKED(EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()));
	set_label(context, label);
	bool fine = EVP_PKEY_decrypt(context, opened, &opened_size,
	                             (const unsigned char *)sealed.ptr, sealed.len) == 1 &&
	            opened_size == size;
	if (fine)
		memcpy(message, opened, size);
	EVP_PKEY_CTX_free(context);
	OPENSSL_cleanse(opened, sizeof(opened));
	return fine;
}
