/*
 * AES-256-GCM as SOPS uses it: one value, sealed or opened.
 */
#include "seal/gcm.h"

#include "codec/codec.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>

/* libcrypto fails here only on a wrong call: the caller's mistake, never the input's. */
#define CHECKED(call) ((call) == 1 ? (void)0 : BUG("libcrypto refused " #call))

#define SEALED_BEGIN SV(GCM_SEALED_BEGIN "data:")

struct gcm {
	EVP_CIPHER *cipher; /* fetched once: looking it up costs more than a short text */
	EVP_CIPHER_CTX *seal;
	EVP_CIPHER_CTX *open;
};

static EVP_CIPHER_CTX *context_new(const EVP_CIPHER *cipher, int encrypt)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();

	if (!context)
		base_out_of_memory();
	CHECKED(EVP_CipherInit_ex(context, cipher, NULL, NULL, NULL, encrypt));
	/* Before key and IV: the other order keeps 12 bytes. */
	CHECKED(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, GCM_IV_SIZE, NULL));
	return context;
}

struct gcm *gcm_new(void)
{
	struct gcm *gcm = malloc(sizeof(*gcm));

	if (!gcm)
		base_out_of_memory();
	gcm->cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
	if (!gcm->cipher)
		BUG("libcrypto has no AES-256-GCM");
	gcm->seal = context_new(gcm->cipher, 1);
	gcm->open = context_new(gcm->cipher, 0);
	return gcm;
}

void gcm_free(struct gcm *gcm)
{
	if (!gcm)
		return;
	EVP_CIPHER_CTX_free(gcm->seal); /* wipes the key schedule */
	EVP_CIPHER_CTX_free(gcm->open);
	EVP_CIPHER_free(gcm->cipher);
	free(gcm);
}

void gcm_set_key(struct gcm *gcm, const uint8_t key[GCM_KEY_SIZE])
{
	CHECKED(EVP_CipherInit_ex(gcm->seal, NULL, NULL, key, NULL, 1));
	CHECKED(EVP_CipherInit_ex(gcm->open, NULL, NULL, key, NULL, 0));
}

static void add_base64(struct buf *buf, const uint8_t *bytes, size_t size)
{
	base64_add(buf, BASE64_STD, sv_from_bytes(bytes, size));
}

struct ciphertext gcm_add_sealed(struct arena *scratch, struct buf *buf, struct gcm *gcm,
                                 const uint8_t iv[GCM_IV_SIZE], sv path, sv type, sv plain)
{
	uint8_t *cipher = (uint8_t *)arena_alloc_text(scratch, plain.len + 1);
	uint8_t tag[GCM_TAG_SIZE];
	int len;

	BUG_ON(plain.len > INT32_MAX || path.len > INT32_MAX);
	CHECKED(EVP_EncryptInit_ex(gcm->seal, NULL, NULL, NULL, iv));
	CHECKED(EVP_EncryptUpdate(gcm->seal, NULL, &len, (const uint8_t *)path.ptr, (int)path.len));
	CHECKED(
	    EVP_EncryptUpdate(gcm->seal, cipher, &len, (const uint8_t *)plain.ptr, (int)plain.len));
	CHECKED(EVP_EncryptFinal_ex(gcm->seal, cipher + len, &len));
	CHECKED(EVP_CIPHER_CTX_ctrl(gcm->seal, EVP_CTRL_AEAD_GET_TAG, GCM_TAG_SIZE, tag));

	struct ciphertext written;

	buf_add(buf, SEALED_BEGIN);
	written.start = buf->len;
	add_base64(buf, cipher, plain.len);
	written.end = buf->len;
	BUF_ADD_LIT(buf, ",iv:");
	add_base64(buf, iv, GCM_IV_SIZE);
	BUF_ADD_LIT(buf, ",tag:");
	add_base64(buf, tag, sizeof(tag));
	BUF_ADD_LIT(buf, ",type:");
	buf_add(buf, type);
	buf_add_char(buf, ']');
	return written;
}

bool gcm_is_sealed(sv text)
{
	return sv_starts_with(text, SEALED_BEGIN) && sv_ends_with(text, SV("]"));
}

/* "label:BASE64" up to the next comma off *rest. */
static bool take_field(struct arena *arena, sv *rest, sv label, sv *ret_bytes)
{
	size_t error_at;
	sv field;

	if (!sv_starts_with(*rest, label) ||
	    !sv_cut(sv_from_offset(*rest, label.len), SV(","), &field, rest))
		return false;
	return base64_decode(arena, BASE64_STD, field, ret_bytes, &error_at);
}

enum gcm_result gcm_open_sealed(struct arena *secret_arena, struct gcm *gcm, sv path, sv text,
                                sv *ret_plain, sv *ret_type)
{
	sv rest;
	sv cipher;
	sv iv;
	sv tag;
	int len;

	if (!gcm_is_sealed(text))
		return GCM_FORM;
	rest = sv_slice(text, sizeof(GCM_SEALED_BEGIN) - 1, text.len - 1);
	if (!take_field(secret_arena, &rest, SV("data:"), &cipher) ||
	    !take_field(secret_arena, &rest, SV("iv:"), &iv) ||
	    !take_field(secret_arena, &rest, SV("tag:"), &tag) ||
	    !sv_starts_with(rest, SV("type:")) || iv.len == 0 || iv.len > 128 ||
	    tag.len != GCM_TAG_SIZE || cipher.len > INT32_MAX)
		return GCM_FORM;
	uint8_t *plain = (uint8_t *)arena_alloc_text(secret_arena, cipher.len + 1);
	EVP_CIPHER_CTX *context = gcm->open;

	if (iv.len != GCM_IV_SIZE)
		CHECKED(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)iv.len, NULL));
	CHECKED(EVP_DecryptInit_ex(context, NULL, NULL, NULL, (const uint8_t *)iv.ptr));
	CHECKED(EVP_DecryptUpdate(context, NULL, &len, (const uint8_t *)path.ptr, (int)path.len));
	CHECKED(
	    EVP_DecryptUpdate(context, plain, &len, (const uint8_t *)cipher.ptr, (int)cipher.len));
	CHECKED(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, GCM_TAG_SIZE,
	                            (void *)(uintptr_t)tag.ptr));
	bool authentic = EVP_DecryptFinal_ex(context, plain + len, &len) == 1;

	if (iv.len != GCM_IV_SIZE)
		CHECKED(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, GCM_IV_SIZE, NULL));
	if (!authentic) {
		OPENSSL_cleanse(plain, cipher.len);
		return GCM_AUTHENTICITY;
	}
	*ret_plain = sv_from_bytes(plain, cipher.len);
	*ret_type = sv_from_offset(rest, sizeof("type:") - 1);
	return GCM_FINE;
}
