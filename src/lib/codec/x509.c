/*
 * PEM blocks; what bytes are as a certificate or a private key. libcrypto parses; nothing is kept.
 */
#include "codec/codec.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

bool pem_next(struct arena *arena, sv *text, sv *ret_label, sv *ret_der)
{
	sv rest;
	sv body;
	size_t at;

	while (sv_cut(*text, SV("-----BEGIN "), &rest, text)) {
		if (!sv_cut(*text, SV("\n"), ret_label, &body))
			return false;
		*ret_label = sv_trim_space(*ret_label);
		if (!sv_ends_with(*ret_label, SV("-----")))
			continue;
		ret_label->len -= SV("-----").len;
		if (!sv_cut(body, ARENA_CONCAT(arena, SV("-----END "), *ret_label, SV("-----")),
		            &body, &rest))
			continue;
		if (base64_decode(arena, BASE64_STD, sv_trim_space(body), ret_der, &at)) {
			*text = rest;
			return true;
		}
	}
	return false;
}

bool pem_find(struct arena *arena, sv text, sv *ret_label, sv *ret_der)
{
	return pem_next(arena, &text, ret_label, ret_der);
}

/* Converts to seconds since 1970. Returns false if the time is invalid. */
static bool read_time(const ASN1_TIME *time, int64_t *ret_seconds)
{
	ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
	int days = 0;
	int seconds = 0;
	bool fine = epoch && ASN1_TIME_diff(&days, &seconds, epoch, time) == 1;

	ASN1_TIME_free(epoch);
	if (fine)
		*ret_seconds = (int64_t)days * 86400 + seconds;
	return fine;
}

static bool read_certificate(struct arena *arena, X509 *certificate, struct x509_certificate *out)
{
	EVP_PKEY *key = X509_get0_pubkey(certificate);
	unsigned char *spki = NULL;
	int size;

	if (!key || !read_time(X509_get0_notBefore(certificate), &out->not_before) ||
	    !read_time(X509_get0_notAfter(certificate), &out->not_after))
		return false;
	size = i2d_PUBKEY(key, &spki);
	if (size <= 0)
		return false;
	out->spki = arena_dup(arena, sv_from_bytes(spki, (size_t)size));
	OPENSSL_free(spki);
	out->rsa_bits = EVP_PKEY_is_a(key, "RSA") ? (unsigned)EVP_PKEY_get_bits(key) : 0;
	return true;
}

bool x509_read(struct arena *arena, sv der, struct x509_certificate *ret_certificate)
{
	const unsigned char *at = (const unsigned char *)der.ptr;
	X509 *certificate = d2i_X509(NULL, &at, (long)der.len);
	struct x509_certificate read = {0};
	bool fine = certificate && at == (const unsigned char *)der.ptr + der.len &&
	            read_certificate(arena, certificate, &read);

	X509_free(certificate);
	if (fine)
		*ret_certificate = read;
	return fine;
}

bool x509_is_certificate(sv der)
{
	const unsigned char *at = (const unsigned char *)der.ptr;
	X509 *certificate = d2i_X509(NULL, &at, (long)der.len);
	bool whole = certificate && at == (const unsigned char *)der.ptr + der.len;

	X509_free(certificate);
	return whole;
}

static bool parses(EVP_PKEY *key)
{
	EVP_PKEY_free(key);
	return key != NULL;
}

bool x509_is_private_key(enum private_key_form form, sv der)
{
	const unsigned char *at = (const unsigned char *)der.ptr;
	long len = (long)der.len;

	switch (form) {
	case PRIVATE_KEY_PKCS8: {
		PKCS8_PRIV_KEY_INFO *info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, len);
		bool ok = info && parses(EVP_PKCS82PKEY(info));

		PKCS8_PRIV_KEY_INFO_free(info);
		return ok;
	}
	case PRIVATE_KEY_RSA:
		return parses(d2i_PrivateKey(EVP_PKEY_RSA, NULL, &at, len));
	case PRIVATE_KEY_EC:
		return parses(d2i_PrivateKey(EVP_PKEY_EC, NULL, &at, len));
	case PRIVATE_KEY_DSA:
		return parses(d2i_PrivateKey(EVP_PKEY_DSA, NULL, &at, len));
	}
	return false;
}
