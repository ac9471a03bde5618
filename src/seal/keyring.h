/*
 * The members of struct seal_identities besides age's identities: the private RSA keys of
 * sealed-secrets controllers, and the program sops. Private to seal.
 */
#ifndef OSM_GEN_SEAL_KEYRING_H
#define OSM_GEN_SEAL_KEYRING_H

#include "seal/hybrid.h"
#include "seal/seal.h"

size_t seal_private_key_count(const struct seal_identities *identities);
const struct hybrid_private *seal_private_key_at(const struct seal_identities *identities,
                                                 size_t i);
/* Adds a key, which the identities then own. */
void seal_private_key_add(struct seal_identities *identities, struct hybrid_private *key);

/* Returns the program that may be asked, or null. `identities` may be null. */
struct seal_program *seal_program_of(const struct seal_identities *identities);
/* Returns the only keys that it may be asked for, or null if it may be asked for all. */
const struct seal_texts *seal_program_keys(const struct seal_identities *identities);

#endif
