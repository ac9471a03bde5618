/*
 * The encryption of SealedSecrets: a session key under RSA-OAEP, the text under AES-256-GCM with
 * that key (docs/spec/sealing.md 7.2). Private to seal.
 */
#ifndef OSM_GEN_SEAL_HYBRID_H
#define OSM_GEN_SEAL_HYBRID_H

#include "seal/rsa.h"

enum { HYBRID_SESSION_SIZE = 32 };
/* The nonce of AES is constant: the session key must depend on all that it ever encrypts. */
struct hybrid_coins {
	uint8_t session_key[HYBRID_SESSION_SIZE];
	uint8_t oaep_seed[RSA_OAEP_SEED_SIZE];
};

/* A public RSA key, from a SubjectPublicKeyInfo (RFC 5280, 4.1) that x509_read let through. */
struct hybrid_public;
struct hybrid_public *hybrid_public_new(sv spki);
void hybrid_public_free(struct hybrid_public *key);

/* Appends the encrypted bytes. plain.len is below 2^31. */
void hybrid_encrypt(struct buf *buf, const struct hybrid_public *key,
                    const struct hybrid_coins *coins, sv label, sv plain);

/* A private RSA key, from PKCS #8 or PKCS #1. hybrid_private_new returns null for other bytes. */
struct hybrid_private;
struct hybrid_private *hybrid_private_new(sv der);
void hybrid_private_free(struct hybrid_private *key);

enum hybrid_result {
	HYBRID_FINE,
	HYBRID_FORM,     /* too short for the length it begins with */
	HYBRID_NO_MATCH, /* another key, another label, or damaged */
};

enum hybrid_result hybrid_decrypt(struct arena *secret_arena, const struct hybrid_private *key,
                                  sv label, sv bytes, sv *ret_plain);

#endif
