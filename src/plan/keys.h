/* Keys that a run is given: the seed and identities. */
#ifndef OSM_GEN_PLAN_KEYS_H
#define OSM_GEN_PLAN_KEYS_H

#include "seal/seal.h"

/* A secret from outside, and its name for messages: "OSM_GEN_SEAL_SEED", or a file's path. */
struct plan_key {
	sv text; /* a null pointer if it is not given */
	sv name;
	/* The option or variable with the path of its file. Without a key: a variable that is set
	 * but empty; else empty. */
	sv named_by;
	const char *command; /* a variable with a command that would print the key, or null */
};

/* Parses the seed of a request. Fails if it has none. */
MUST_CHECK enum status plan_parse_seed(struct arena *secret_arena, struct sink *sink,
                                       const struct plan_key *seed, struct seal_root **ret_root);
/*
 * Returns the seed without comments and empty lines. Several lines remain several: parsing fails
 * then.
 */
sv plan_seed_line(struct arena *secret_arena, sv text);
/* Adds the given identities. Adds none, and succeeds, if none are given. */
MUST_CHECK enum status plan_add_identities(struct arena *secret_arena, struct sink *sink,
                                           const struct plan_key *given,
                                           struct seal_identities *identities);
/* Adds these, and the private keys of a sealed-secrets controller, which may be missing, too. */
MUST_CHECK enum status plan_add_keys(struct arena *secret_arena, struct sink *sink,
                                     const struct plan_key *given,
                                     const struct plan_key *private_keys,
                                     struct seal_identities *identities);

#endif
