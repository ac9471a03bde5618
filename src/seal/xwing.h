/*
 * X-Wing: the key encapsulation of ML-KEM-768 (FIPS 203) and X25519 (RFC 7748) together, as
 * draft-connolly-cfrg-xwing-kem has it. Private to seal.
 */
#ifndef OSM_GEN_SEAL_XWING_H
#define OSM_GEN_SEAL_XWING_H

#include "base/base.h"

enum {
	XWING_SEED_SIZE = 32, /* a private key */
	XWING_PUBLIC_SIZE = 1184 + 32,
	XWING_COINS_SIZE = 32 + 32,
	XWING_SHARE_SIZE = 1088 + 32,
	XWING_SECRET_SIZE = 32,
};

/*
 * Returns true if the libcrypto that the program runs with has ML-KEM-768 and encapsulates with
 * coins that it is given, as OpenSSL's does from 3.5 on. The other functions here need that.
 */
bool xwing_is_available(void);

/* Writes the public key of a private one. */
void xwing_public(const uint8_t seed[XWING_SEED_SIZE], uint8_t public[XWING_PUBLIC_SIZE]);

/*
 * Returns false for bytes that are not a public key (FIPS 203, 7.2), or one whose X25519 part is a
 * point of low order. xwing_encapsulate takes only those for which this returns true.
 */
bool xwing_is_public(const uint8_t public[XWING_PUBLIC_SIZE]);

/* Makes a shared secret, and the share from which the private key's owner gets the same one. */
void xwing_encapsulate(const uint8_t public[XWING_PUBLIC_SIZE],
                       const uint8_t coins[XWING_COINS_SIZE], uint8_t share[XWING_SHARE_SIZE],
                       uint8_t secret[XWING_SECRET_SIZE]);
/*
 * Returns false if the share has a point of low order. A share for another key, or one that was
 * changed, gives another secret.
 */
MUST_CHECK bool xwing_decapsulate(const uint8_t seed[XWING_SEED_SIZE],
                                  const uint8_t share[XWING_SHARE_SIZE],
                                  uint8_t secret[XWING_SECRET_SIZE]);

#endif
