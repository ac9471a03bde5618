/*
 * The private RSA keys of sealed-secrets controllers that struct seal_identities holds besides
 * age's identities. Private to seal.
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

#endif
