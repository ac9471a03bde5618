/*
 * The rule of a SOPS file that selects sealed values (docs/spec/sealing.md 1.4), and the MAC's
 * input. A leaf is a value that is neither a map nor a list. Private to seal.
 */
#ifndef OSM_GEN_SEAL_SOPS_RULE_H
#define OSM_GEN_SEAL_SOPS_RULE_H

#include "value/value.h"

enum rule_kind {
	RULE_ENCRYPTED_SUFFIX,
	RULE_UNENCRYPTED_SUFFIX,
	RULE_ENCRYPTED_NAMES,   /* encrypted_regex of the form ^(a|b)$ */
	RULE_UNENCRYPTED_NAMES, /* unencrypted_regex likewise */
	RULE_BY_LOOKS, /* any other expression or comment rules: ENC[...] strings are sealed */
};

struct rule {
	enum rule_kind kind;
	sv text; /* the suffix, or the names joined by "|" */
};

/* Reads the rule from the sops block; returns false if the block has two. */
MUST_CHECK bool rule_read(const struct value *metadata, struct rule *ret_rule);
struct secrecy_place;
/*
 * Visits a place of a document: marks it if the rule matches its key, which decides for all values
 * below it. Returns false for the sops block itself.
 */
bool rule_enter(const struct rule *rule, struct secrecy_place *place);
/* True if the leaf is sealed. `key_matched` is true if the rule matches any key above it. */
bool rule_seals(const struct rule *rule, bool key_matched, const struct value *leaf);

/*
 * Returns the bytes that a clear leaf adds to the MAC: its value as Go's yaml.v3 reads the scalar,
 * which is not always as Kubernetes reads it (`yes` is a string there). Null adds none.
 */
sv mac_bytes(struct arena *arena, const struct value *leaf);

struct digest;
/* Begins the MAC's digest. With `sealed_only` (mac_only_encrypted) clear leaves add nothing. */
void sops_digest_start(struct digest *digest, bool sealed_only);

#endif
