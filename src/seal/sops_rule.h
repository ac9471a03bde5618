/*
 * Which leaves a SOPS file says are sealed (docs/spec/sealing.md 1.4), and what they hash to.
 * Private to seal.
 */
#ifndef OSM_GEN_SEAL_SOPS_RULE_H
#define OSM_GEN_SEAL_SOPS_RULE_H

#include "value/value.h"

enum rule_kind {
	RULE_ENCRYPTED_SUFFIX,
	RULE_UNENCRYPTED_SUFFIX,
	RULE_ENCRYPTED_NAMES,   /* encrypted_regex of the form ^(a|b)$ */
	RULE_UNENCRYPTED_NAMES, /* unencrypted_regex likewise */
	RULE_BY_LOOKS, /* any other expression, comment rules: sealed is what is ENC[...] */
};

struct rule {
	enum rule_kind kind;
	sv text; /* the suffix, or the names joined by "|" */
};

/* Reads it from the sops block; false when there are two rules. */
MUST_CHECK bool rule_read(const struct value *metadata, struct rule *ret_rule);
/* Whether a key decides for its subtree. */
bool rule_key_matches(const struct rule *rule, sv key);
/* Whether a leaf is sealed, given whether any key above it matched, and its text. */
bool rule_seals(const struct rule *rule, bool key_matched, const struct value *leaf);

/*
 * The bytes that a clear leaf adds to the MAC: its value as Go's yaml.v3 reads the scalar, which
 * differs from what Kubernetes reads (`yes` is text there). Null adds none.
 */
sv mac_bytes(struct arena *arena, const struct value *leaf);

struct digest;
/* Begins the MAC's digest; sealed_only: mac_only_encrypted, so that clear leaves add nothing. */
void sops_digest_start(struct digest *digest, bool sealed_only);

#endif
