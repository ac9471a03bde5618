/*
 * A session key under RSA-OAEP with a seed that is given, and AES-256-GCM with that key.
 */
#include "seal/hybrid.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>

/* libcrypto fails here only when a call is wrong (codec_start). */
#define CHECKED(call) ((call) == 1 ? (void)0 : BUG("libcrypto refused " #call))

enum { NONCE_SIZE = 12, TAG_SIZE = 16, LENGTH_SIZE = 2 };

static const uint8_t zero_nonce[NONCE_SIZE] = {0};

struct hybrid_public {
	EVP_PKEY *pkey;
};

struct hybrid_private {
	EVP_PKEY *pkey;
};

struct hybrid_public *hybrid_public_new(sv spki)
{
	struct hybrid_public *key = malloc(sizeof(*key));

	if (!key)
		base_out_of_memory();
	key->pkey = rsa_public_read(spki);
	return key;
}

void hybrid_public_free(struct hybrid_public *key)
{
	if (!key)
		return;
	EVP_PKEY_free(key->pkey);
	free(key);
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
	size_t size = (size_t)EVP_PKEY_get_size(key->pkey);
	buf_add_char(buf, (char)(size >> 8));
	buf_add_char(buf, (char)(size & 0xff));
	rsa_oaep_encrypt(buf, key->pkey, coins->oaep_seed, label,
	                 sv_from_bytes(coins->session_key, HYBRID_SESSION_SIZE));
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
	EVP_PKEY *pkey = rsa_private_read(der);
	struct hybrid_private *key;

	if (!pkey)
		return NULL;
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
	    !rsa_oaep_decrypt(key->pkey, label, sv_slice(bytes, 0, size), session_key,
	                      sizeof(session_key)))
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
