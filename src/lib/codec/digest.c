/*
 * Digests, HMAC, scrypt and AES, by libcrypto.
 */
#include "codec/codec.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>

/*
 * libcrypto fails here only when a call is wrong: memory is never out for it (codec_start), and
 * that it has these algorithms is asked there.
 */
#define CHECKED(call) ((call) == 1 ? (void)0 : BUG("libcrypto refused " #call))

static void *take_memory(size_t size, const char *file UNUSED, int line UNUSED)
{
	return memory_take(size);
}

static void *resize(void *ptr, size_t size, const char *file UNUSED, int line UNUSED)
{
	return memory_resize(ptr, size);
}

static void give_back(void *ptr, const char *file UNUSED, int line UNUSED)
{
	free(ptr);
}

bool codec_start(void)
{
	static const char *const digests[] = {"SHA1", "SHA256", "SHA512"};
	static const char *const ciphers[] = {"AES-256-CBC", "AES-256-GCM"};
	bool fine =
	    CRYPTO_set_mem_functions(take_memory, resize, give_back) == 1 &&
	    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS |
	                            OPENSSL_INIT_NO_ATEXIT,
	                        NULL) == 1;

	for (size_t i = 0; i < COUNT_OF(digests) && fine; i++) {
		EVP_MD *digest = EVP_MD_fetch(NULL, digests[i], NULL);

		fine = digest != NULL;
		EVP_MD_free(digest);
	}
	for (size_t i = 0; i < COUNT_OF(ciphers) && fine; i++) {
		EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, ciphers[i], NULL);

		fine = cipher != NULL;
		EVP_CIPHER_free(cipher);
	}
	return fine;
}

enum { MAX_BLOCK_SIZE = 128 }; /* SHA-512's */

struct digest {
	EVP_MD_CTX *context;
};

static const EVP_MD *algorithm(enum digest_kind kind)
{
	switch (kind) {
	case DIGEST_SHA1:
		return EVP_sha1();
	case DIGEST_SHA256:
		return EVP_sha256();
	case DIGEST_SHA512:
		return EVP_sha512();
	}
	BUG("unknown digest");
}

void digest_of(enum digest_kind kind, sv bytes, uint8_t *out)
{
	CHECKED(EVP_Digest(bytes.ptr, bytes.len, out, NULL, algorithm(kind), NULL));
	digest_wipe_stack();
}

sv digest_hex(struct arena *arena, enum digest_kind kind, sv bytes)
{
	uint8_t digest[DIGEST_MAX_SIZE];

	digest_of(kind, bytes, digest);
	return hex_encode(arena, sv_from_bytes(digest, (size_t)EVP_MD_get_size(algorithm(kind))));
}

struct digest *digest_new(enum digest_kind kind)
{
	struct digest *digest = malloc(sizeof(*digest));

	if (!digest)
		base_out_of_memory();
	*digest = (struct digest){.context = EVP_MD_CTX_new()};
	if (!digest->context)
		base_out_of_memory();
	CHECKED(EVP_DigestInit_ex(digest->context, algorithm(kind), NULL));
	return digest;
}

void digest_free(struct digest *digest)
{
	if (!digest)
		return;
	EVP_MD_CTX_free(digest->context); /* wipes the state */
	free(digest);
}

void digest_restart(struct digest *digest)
{
	/* The context keeps its algorithm, whose look-up takes as long as a short string. */
	CHECKED(EVP_DigestInit_ex(digest->context, NULL, NULL));
}

void digest_add(struct digest *digest, sv bytes)
{
	CHECKED(EVP_DigestUpdate(digest->context, bytes.ptr, bytes.len));
}

/* Overwrites the block of the message that SHA-512 keeps in its context: a block less one byte. */
static void forget_last_block(struct digest *digest)
{
	static const uint8_t zeros[MAX_BLOCK_SIZE];

	digest_restart(digest);
	CHECKED(EVP_DigestUpdate(digest->context, zeros,
	                         (size_t)EVP_MD_CTX_get_block_size(digest->context) - 1));
}

void digest_finish(struct digest *digest, uint8_t *out)
{
	CHECKED(EVP_DigestFinal_ex(digest->context, out, NULL));
	forget_last_block(digest);
	digest_wipe_stack();
}

void hmac_sha256(sv key, sv message, uint8_t out[32])
{
	BUG_ON(key.len > INT32_MAX);
	const unsigned char *text = (const unsigned char *)(message.ptr ? message.ptr : "");

	if (!HMAC(EVP_sha256(), key.ptr ? key.ptr : "", (int)key.len, text, message.len, out, NULL))
		BUG("libcrypto refused HMAC");
	digest_wipe_stack();
}

bool scrypt_derive(sv password, sv salt, uint64_t n, uint32_t r, uint32_t p, uint8_t *out,
                   size_t out_size)
{
	const unsigned char *salt_bytes = (const unsigned char *)(salt.ptr ? salt.ptr : "");

	return EVP_PBE_scrypt(password.ptr ? password.ptr : "", password.len, salt_bytes, salt.len,
	                      n, r, p, (uint64_t)64 << 20, out, out_size) == 1;
}

static void free_cipher_context(EVP_CIPHER_CTX **context)
{
	EVP_CIPHER_CTX_free(*context);
}

bool aes256_cbc_decrypt(struct arena *arena, const uint8_t key[32], const uint8_t iv[16], sv bytes,
                        sv *ret_bytes)
{
	CLEANUP(free_cipher_context) EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	unsigned char *out = (unsigned char *)arena_alloc_text(arena, bytes.len + 16);
	int len = 0;

	if (bytes.len % 16 != 0 || bytes.len > INT32_MAX)
		return false;
	if (!context)
		base_out_of_memory();
	CHECKED(EVP_DecryptInit_ex(context, EVP_aes_256_cbc(), NULL, key, iv));
	CHECKED(EVP_CIPHER_CTX_set_padding(context, 0));
	CHECKED(EVP_DecryptUpdate(context, out, &len, (const unsigned char *)bytes.ptr,
	                          (int)bytes.len));
	*ret_bytes = sv_from_bytes(out, (size_t)len);
	return true;
}

const char *codec_crypto_version(void)
{
	return OpenSSL_version(OPENSSL_VERSION_STRING);
}
