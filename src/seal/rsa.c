/*
 * RSA-OAEP with a seed that is given, and the reading of RSA keys.
 */
#include "seal/rsa.h"

#include "codec/codec.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
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

bool rsa_is_within_limits(const EVP_PKEY *key)
{
	return EVP_PKEY_is_a(key, "RSA") && EVP_PKEY_get_bits(key) >= RSA_LEAST_BITS &&
	       EVP_PKEY_get_bits(key) <= RSA_MOST_BITS;
}

EVP_PKEY *rsa_private_read(sv der)
{
	const unsigned char *at = (const unsigned char *)der.ptr;
	EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &at, (long)der.len);

	if (key && rsa_is_within_limits(key))
		return key;
	EVP_PKEY_free(key);
	return NULL;
}

/* Raises a number to the public exponent or, to decrypt, to the private one. */
static bool raise(EVP_PKEY *key, bool is_private, const uint8_t *from, size_t size, uint8_t *to)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
	size_t raised = size;

	if (!context)
		base_out_of_memory();
	bool fine =
	    (is_private ? EVP_PKEY_decrypt_init(context) : EVP_PKEY_encrypt_init(context)) == 1 &&
	    EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1 &&
	    (is_private ? EVP_PKEY_decrypt(context, to, &raised, from, size)
	                : EVP_PKEY_encrypt(context, to, &raised, from, size)) == 1 &&
	    raised == size;
	EVP_PKEY_CTX_free(context);
	return fine;
}

bool rsa_is_pair(EVP_PKEY *key)
{
	uint8_t number[MAX_MODULUS_SIZE] = {0};
	uint8_t raised[MAX_MODULUS_SIZE];
	uint8_t back[MAX_MODULUS_SIZE];
	size_t size = (size_t)EVP_PKEY_get_size(key);

	memset(number + 1, 0x5a, size - 1);
	return raise(key, false, number, size, raised) && raise(key, true, raised, size, back) &&
	       memcmp(number, back, size) == 0;
}

/* A number of a key in the machine's byte order, as OSSL_PARAM has them. */
struct native {
	uint8_t bytes[MAX_MODULUS_SIZE];
};

static OSSL_PARAM number_parameter(const char *name, sv number, struct native *native)
{
	BIGNUM *big = BN_bin2bn((const unsigned char *)number.ptr, (int)number.len, NULL);

	if (!big)
		base_out_of_memory();
	if (BN_bn2nativepad(big, native->bytes, (int)number.len) != (int)number.len)
		BUG("the number has as many bytes");
	BN_clear_free(big);
	return OSSL_PARAM_construct_BN(name, native->bytes, number.len);
}

EVP_PKEY *rsa_key_new(sv modulus, sv exponent, sv private_exponent)
{
	/* Go's library of SSH, which age reads keys with, refuses larger exponents. */
	enum { MAX_EXPONENT_SIZE = 3 };
	struct native native[3];
	OSSL_PARAM parameters[4] = {OSSL_PARAM_END};
	bool is_private = !sv_empty(private_exponent);
	EVP_PKEY *key = NULL;

	if (modulus.len > MAX_MODULUS_SIZE || private_exponent.len > MAX_MODULUS_SIZE ||
	    sv_empty(modulus) || sv_empty(exponent) || exponent.len > MAX_EXPONENT_SIZE)
		return NULL;
	parameters[0] = number_parameter(OSSL_PKEY_PARAM_RSA_N, modulus, &native[0]);
	parameters[1] = number_parameter(OSSL_PKEY_PARAM_RSA_E, exponent, &native[1]);
	if (is_private)
		parameters[2] =
		    number_parameter(OSSL_PKEY_PARAM_RSA_D, private_exponent, &native[2]);
	parameters[is_private ? 3 : 2] = OSSL_PARAM_construct_end();
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	if (!context)
		base_out_of_memory();
	CHECKED(EVP_PKEY_fromdata_init(context));
	if (EVP_PKEY_fromdata(context, &key, is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY,
	                      parameters) != 1)
		key = NULL;
	EVP_PKEY_CTX_free(context);
	OPENSSL_cleanse(native, sizeof(native));
	if (key && rsa_is_within_limits(key) && (!is_private || rsa_is_pair(key)))
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

	BUG_ON(message.len > HASH_SIZE);
	pad(padded, padded_size, seed, label, message);
	if (!raise(key, false, padded, padded_size, (uint8_t *)buf_reserve(buf, padded_size)))
		BUG("libcrypto refused a public key");
	buf->len += padded_size;
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
