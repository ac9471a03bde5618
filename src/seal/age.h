/*
 * age v1 files (https://c2sp.org/age) with X25519 and ssh-ed25519 recipients, armoured. Private to
 * seal.
 */
#ifndef OSM_GEN_SEAL_AGE_H
#define OSM_GEN_SEAL_AGE_H

#include "seal/seal.h"

enum { AGE_FILE_KEY_SIZE = 16, AGE_NONCE_SIZE = 16, AGE_KEY_SIZE = 32 };
/* A public key of ssh-ed25519 on the wire (RFC 8709, 4): its type and the key, each after its
 * length. */
enum { AGE_SSH_SIZE = 4 + 11 + 4 + AGE_KEY_SIZE };

struct age_coins {
	uint8_t file_key[AGE_FILE_KEY_SIZE];
	uint8_t ephemeral[AGE_KEY_SIZE];
	uint8_t nonce[AGE_NONCE_SIZE];
};

/* A payload of at most one chunk: SOPS data keys are 32 bytes. */
#define AGE_MAX_SINGLE_CHUNK 65536

/* The key of a recipient. */
struct age_recipient {
	/* The X25519 public key; for an Ed25519 key the one converted from it. */
	uint8_t point[AGE_KEY_SIZE];
	sv ssh; /* the SSH key as on the wire (RFC 8709, 4); empty for an X25519 recipient */
};

/* Returns true for a recipient of a kind whose identities osm-gen uses, valid or not. */
bool age_recipient_is_spoken(sv text);

/* Appends a binary age file for one recipient. plain.len is below AGE_MAX_SINGLE_CHUNK. */
void age_encrypt(struct buf *buf, const struct age_recipient *recipient,
                 const struct age_coins *coins, sv plain);

/*
 * Parses "ssh-ed25519 BASE64 COMMENT", a line of authorized_keys without options. Returns null and
 * sets *key and *ret_text (the line without the comment), or returns what is wrong with it.
 */
const char *age_ssh_parse(struct arena *arena, sv text, struct age_recipient *key, sv *ret_text);

struct seal_identity {
	uint8_t secret[AGE_KEY_SIZE];    /* X25519's; for an Ed25519 key the one made of it */
	uint8_t recipient[AGE_KEY_SIZE]; /* its public key */
	bool is_ssh;
	uint8_t ssh[AGE_SSH_SIZE]; /* the SSH key on the wire, if it is one */
};

/* Returns the line of a key on the wire, without a comment. */
sv age_ssh_text(struct arena *arena, sv wire);
/*
 * Reads a private key in OpenSSH's form (PROTOCOL.key of OpenSSH), from the bytes of its PEM block.
 * Returns null and sets *identity for an Ed25519 key without a passphrase, or returns what is wrong
 * with it. *ret_is_foreign is set if it is a sound key of another kind.
 */
const char *age_ssh_identity(sv bytes, struct seal_identity *identity, bool *ret_is_foreign);

enum age_result {
	AGE_FINE,
	AGE_FORM,         /* not an age file */
	AGE_NO_MATCH,     /* made for others */
	AGE_AUTHENTICITY, /* damaged */
};

/* Decrypts a binary age file with the first identity that fits. */
enum age_result age_decrypt(struct arena *secret_arena, sv file,
                            const struct seal_identities *identities, sv *ret_plain);

/* Appends the file armoured: lines of 64 characters between markers, each indented. */
void age_armor_add(struct buf *buf, sv file, size_t indent);
/* Decodes strict armour (RFC 7468, figure 3); white space around it is allowed. */
MUST_CHECK bool age_armor_decode(struct arena *arena, sv text, sv *ret_file);

const struct seal_identity *seal_identity_at(const struct seal_identities *identities, size_t i);

/* The parse_recipients of formats that seal to age recipients (struct sealer_format). */
enum status age_recipients_parse(struct arena *arena, struct sink *sink, sv wanted_by,
                                 const struct seal_recipient_text *texts, size_t count,
                                 struct seal_recipients *ret_recipients);

#endif
