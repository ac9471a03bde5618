/*
 * RSA keys, and RSAES-OAEP (RFC 8017, 7.1) with SHA-256 for hash and mask. Private to seal.
 *
 * libcrypto has no way to give the padding a seed of one's own, so EME-OAEP (7.1.1) is put together
 * here: the XORs of the padding over libcrypto's digests, then libcrypto's RSA without padding. It
 * decrypts as a whole.
 */
#ifndef OSM_GEN_SEAL_RSA_H
#define OSM_GEN_SEAL_RSA_H

#include "base/base.h"

#include <openssl/evp.h>

/* Limits of the modulus, in bits. */
enum { RSA_LEAST_BITS = 2048, RSA_MOST_BITS = 16384 };
enum { RSA_OAEP_SEED_SIZE = 32 };

/* Returns true for an RSA key within the limits. */
bool rsa_is_within_limits(const EVP_PKEY *key);
/*
 * Makes a key of its modulus, its public exponent and, unless that is empty, its private exponent,
 * big-endian without leading zeros. Returns null for numbers that give no key within the limits,
 * and if the two exponents do not belong together.
 */
EVP_PKEY *rsa_key_new(sv modulus, sv exponent, sv private_exponent);
/* Returns true if the exponents of a private key belong together. */
bool rsa_is_pair(EVP_PKEY *key);
/* Reads a SubjectPublicKeyInfo (RFC 5280, 4.1) that x509_read let through, within the limits. */
EVP_PKEY *rsa_public_read(sv spki);
/* Reads PKCS #8 or PKCS #1. Returns null for other bytes and for keys beyond the limits. */
EVP_PKEY *rsa_private_read(sv der);

/* Appends the message, of at most 32 bytes, encrypted: as many bytes as the modulus has. */
void rsa_oaep_encrypt(struct buf *buf, EVP_PKEY *key, const uint8_t seed[RSA_OAEP_SEED_SIZE],
                      sv label, sv message);
/* Returns false for another key, another label, another size of the message, and damaged bytes. */
MUST_CHECK bool rsa_oaep_decrypt(EVP_PKEY *key, sv label, sv sealed, uint8_t *message, size_t size);

#endif
