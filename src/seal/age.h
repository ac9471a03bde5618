/*
 * age v1 files (https://c2sp.org/age), armoured, for recipients of these kinds. Private to seal.
 */
#ifndef OSM_GEN_SEAL_AGE_H
#define OSM_GEN_SEAL_AGE_H

#include "seal/seal.h"

#include <openssl/evp.h>

enum { AGE_FILE_KEY_SIZE = 16, AGE_NONCE_SIZE = 16, AGE_KEY_SIZE = 32 };

/* The kinds of keys: stanzas X25519, mlkem768x25519, ssh-ed25519 and ssh-rsa. */
enum age_kind { AGE_X25519, AGE_HYBRID, AGE_SSH_ED25519, AGE_SSH_RSA };

/* A kind needs the file key, the nonce, and those that it names. */
struct age_coins {
	uint8_t file_key[AGE_FILE_KEY_SIZE];
	uint8_t ephemeral[AGE_KEY_SIZE]; /* all but AGE_SSH_RSA */
	uint8_t encapsulation[32];       /* AGE_HYBRID: ML-KEM's */
	uint8_t padding[32];             /* AGE_SSH_RSA: OAEP's seed */
	uint8_t nonce[AGE_NONCE_SIZE];
};

/* A payload of at most one chunk: SOPS data keys are 32 bytes. */
#define AGE_MAX_SINGLE_CHUNK 65536

/* The key of a recipient. */
struct age_recipient {
	enum age_kind kind;
	/* X25519's public key; AGE_SSH_ED25519: the one converted from it; else unused. */
	uint8_t point[AGE_KEY_SIZE];
	/* AGE_HYBRID: X-Wing's public key. SSH's keys: as on the wire (RFC 8709, 4; RFC 4253, 6.6).
	 */
	sv key;
};

/* Returns true for a recipient of a kind whose identities osm-gen uses, valid or not. */
bool age_recipient_is_spoken(sv text);

/* Appends a binary age file for one recipient. plain.len is below AGE_MAX_SINGLE_CHUNK. */
void age_encrypt(struct buf *buf, const struct age_recipient *recipient,
                 const struct age_coins *coins, sv plain);

/*
 * Parses "ssh-ed25519 BASE64 COMMENT" or "ssh-rsa BASE64 COMMENT", a line of authorized_keys
 * without options. Returns null and sets *key and *ret_text (the line without the comment), or
 * returns what is wrong with it.
 */
const char *age_ssh_parse(struct arena *arena, sv text, struct age_recipient *key, sv *ret_text);

/* Enough for a public key of any kind: RSA's are the largest. */
enum { AGE_LARGEST_KEY = 2080 };

struct seal_identity {
	enum age_kind kind;
	/* X25519's; AGE_SSH_ED25519: the one made of it; AGE_HYBRID: X-Wing's. */
	uint8_t secret[AGE_KEY_SIZE];
	uint8_t point[AGE_KEY_SIZE]; /* the public key of an X25519 secret */
	EVP_PKEY *rsa;               /* AGE_SSH_RSA: owned by the identities; else null */
	/* The same as in struct age_recipient. */
	uint8_t key[AGE_LARGEST_KEY];
	size_t key_size;
};

/* Returns the public RSA key of its form on the wire, which the caller frees, or null. */
EVP_PKEY *age_ssh_rsa(sv wire);
/* Returns the line of a key on the wire, without a comment. */
sv age_ssh_text(struct arena *arena, sv wire);
/*
 * Reads a private key from the bytes of its PEM block: OpenSSH's form (PROTOCOL.key of OpenSSH),
 * and for other labels PKCS #8 or PKCS #1. Returns null and sets *identity for an Ed25519 or RSA
 * key without a passphrase, or returns what is wrong with it. *ret_is_foreign is set if it is a
 * sound key that is not used.
 */
const char *age_ssh_identity(sv label, sv bytes, struct seal_identity *identity,
                             bool *ret_is_foreign);

enum age_result {
	AGE_FINE,
	AGE_FORM,         /* not an age file */
	AGE_NO_MATCH,     /* made for others */
	AGE_AUTHENTICITY, /* damaged */
};

/* HMAC-SHA256 over two strings. */
void age_hmac(sv key, sv first, sv second, uint8_t out[32]);
/* HKDF-SHA256 (RFC 5869) with 32 bytes of output: one block. */
void age_hkdf(sv secret, sv salt, sv info, uint8_t out[32]);
/* Decodes canonical base64 without padding of exactly size bytes. */
MUST_CHECK bool age_decode_exactly(struct arena *arena, sv text, uint8_t *out, size_t size);
/* Appends the lines of the stanza that wraps the file key for the recipient. */
void age_stanza_add(struct buf *buf, const struct age_recipient *recipient,
                    const struct age_coins *coins);
/* Unwraps the file key of a stanza with the first identity that fits. */
enum age_result age_stanza_open(struct arena *arena, sv arguments, sv body,
                                const struct seal_identities *identities,
                                uint8_t file_key[AGE_FILE_KEY_SIZE]);

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
