/*
 * The pseudo-random function that all coins come from (docs/spec/sealing.md 3). Private to seal.
 */
#ifndef OSM_GEN_SEAL_DERIVE_H
#define OSM_GEN_SEAL_DERIVE_H

#include "seal/seal.h"

#include <sodium.h>

/* The purposes of a derivation. Their numbers are hashed, so the order never changes. */
enum derive_purpose {
	DERIVE_SOPS_DATA_KEY,
	DERIVE_SOPS_IV,
	DERIVE_SOPS_MAC_IV,
	DERIVE_AGE_FILE_KEY,
	DERIVE_AGE_EPHEMERAL,
	DERIVE_AGE_NONCE,
	DERIVE_FINGERPRINT,
	DERIVE_SEED_ID,
	DERIVE_TOKEN_ID,
	DERIVE_TOKEN_SECRET,
	DERIVE_TEMPLATE_DIGEST,
	DERIVE_INPUTS_DIGEST,
	DERIVE_RECIPIENTS_DIGEST,
	DERIVE_FLEET,
	DERIVE_SEALED_SECRET_SESSION,
	DERIVE_SEALED_SECRET_OAEP,
	DERIVE_STATEMENT,
	DERIVE_SHARD,
	DERIVE_RENDERED,
	DERIVE_UNIT_CONTEXT,
	DERIVE_UNIT_PROOF,
	DERIVE_ROLL,
	DERIVE_AGE_ENCAPSULATION,
	DERIVE_AGE_PADDING,
};

/* PRF_size(purpose; f1..fk): the fields are added one by one, field_count of them. */
struct derivation {
	crypto_generichash_blake2b_state state;
	size_t size;
	uint64_t fields_left;
};

void derive_begin(struct derivation *derivation, const struct seal_root *root,
                  enum derive_purpose purpose, size_t size, uint64_t field_count);
void derive_field(struct derivation *derivation, sv field);
void derive_number(struct derivation *derivation, uint64_t number);
/* Writes size bytes and wipes the state. Each derivation that is begun is ended. */
void derive_end(struct derivation *derivation, uint8_t *out);

/* Calls sodium_init. Each function of seal that may be called first calls this. */
void seal_init(void);

#endif
