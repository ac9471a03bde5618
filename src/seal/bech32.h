/*
 * Bech32 (BIP 173, constant 1) of byte strings. Private to seal.
 */
#ifndef OSM_GEN_SEAL_BECH32_H
#define OSM_GEN_SEAL_BECH32_H

#include "base/base.h"

/* The prefixes of age's recipients: X25519's, and post-quantum ones. */
#define AGE_RECIPIENT_PREFIX SV("age")
#define AGE_HYBRID_PREFIX    SV("age1pq")

enum bech32_result {
	BECH32_FINE,
	BECH32_FORM,     /* characters, case, no separator */
	BECH32_CHECKSUM, /* a typing mistake, or cut off */
	BECH32_PREFIX,   /* well-formed, another prefix */
	BECH32_LENGTH,   /* not size bytes, or padding bits set */
};

/*
 * Decodes text of the prefix ("age", "AGE-SECRET-KEY-"; its case is the one required) to exactly
 * size bytes. out is untouched on failure.
 */
enum bech32_result bech32_decode(sv text, sv prefix, uint8_t *out, size_t size);
/* Appends the bytes in Bech32, in the prefix's case. */
void bech32_add(struct buf *buf, sv prefix, const uint8_t *bytes, size_t size);

#endif
