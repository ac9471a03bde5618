/*
 * age v1 files (https://c2sp.org/age) with X25519 and ssh-ed25519 recipients, armoured. Private to
 * seal.
 */
#ifndef OSM_GEN_SEAL_AGE_H
#define OSM_GEN_SEAL_AGE_H

#include "seal/seal.h"

enum { AGE_FILE_KEY_SIZE = 16, AGE_NONCE_SIZE = 16, AGE_KEY_SIZE = 32 };

struct age_coins {
	uint8_t file_key[AGE_FILE_KEY_SIZE];
	uint8_t ephemeral[AGE_KEY_SIZE];
	uint8_t nonce[AGE_NONCE_SIZE];
};

/* A payload of at most one chunk: SOPS data keys are 32 bytes. */
#define AGE_MAX_SINGLE_CHUNK 65536

/* The key of a recipient. */
struct age_recipient {
	uint8_t
	    point[AGE_KEY_SIZE]; /* X25519's public key; of an Ed25519 key, the one made of it */
	sv ssh;                  /* the SSH key as on the wire (RFC 8709, 4); empty: X25519 */
};

/* Adds the binary file for one recipient. plain.len is below AGE_MAX_SINGLE_CHUNK. */
void age_encrypt(struct buf *buf, const struct age_recipient *recipient,
                 const struct age_coins *coins, sv plain);

/*
 * "ssh-ed25519 BASE64 COMMENT", a line of authorized_keys without options. Null, with key and
 * *ret_text (the same without the comment) set, or what is wrong with it.
 */
const char *age_ssh_parse(struct arena *arena, sv text, struct age_recipient *key, sv *ret_text);

enum age_result {
	AGE_FINE,
	AGE_FORM,         /* not an age file */
	AGE_NO_MATCH,     /* made for others */
	AGE_AUTHENTICITY, /* damaged */
};

/* Opens a binary file with the first identity that fits. */
enum age_result age_decrypt(struct arena *secret_arena, sv file,
                            const struct seal_identities *identities, sv *ret_plain);

/* Lines of 64 characters between the markers, LF; each line is preceded by `indent` spaces. */
void age_armor_add(struct buf *buf, sv file, size_t indent);
/* Strict (RFC 7468 fig. 3), but for white space around it. */
MUST_CHECK bool age_armor_decode(struct arena *arena, sv text, sv *ret_file);

struct seal_identity {
	uint8_t secret[AGE_KEY_SIZE];
	uint8_t recipient[AGE_KEY_SIZE];
};

const struct seal_identity *seal_identity_at(const struct seal_identities *identities, size_t i);

/* For formats that seal to age recipients (struct sealer_format). */
enum status age_recipients_parse(struct arena *arena, struct sink *sink, sv wanted_by,
                                 const struct seal_recipient_text *texts, size_t count,
                                 struct seal_recipients *ret_recipients);

#endif
