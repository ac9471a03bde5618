/*
 * Whether bytes are a certificate or a private key. libcrypto parses; nothing is kept.
 */
#include "codec/codec.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

bool pem_find(struct arena *arena, sv text, sv *ret_label, sv *ret_der)
{
	sv rest;
	sv body;
	size_t at;

	while (sv_cut(text, SV("-----BEGIN "), &rest, &text)) {
		if (!sv_cut(text, SV("\n"), ret_label, &body))
			return false;
		*ret_label = sv_trim_space(*ret_label);
		if (!sv_ends_with(*ret_label, SV("-----")))
			continue;
		ret_label->len -= SV("-----").len;
		if (!sv_cut(body, ARENA_CONCAT(arena, SV("-----END "), *ret_label, SV("-----")),
		            &body, &rest))
			continue;
		if (base64_decode(arena, BASE64_STD, sv_trim_space(body), ret_der, &at))
			return true;
	}
	return false;
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
