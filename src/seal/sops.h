/*
 * SOPS YAML files: declarations that sops.c, the writer and the reader share. Private to seal.
 */
#ifndef OSM_GEN_SEAL_SOPS_H
#define OSM_GEN_SEAL_SOPS_H

#include "seal/seal.h"

/* The depth that all decoders allow. */
#define SOPS_MAX_DEPTH 200

/*
 * Returns the path that SOPS binds to a value: each map key from the root, followed by ":", without
 * list positions (docs/spec/sealing.md 1.3).
 */
static inline sv sops_path(struct arena *arena, const struct secrecy_place *place)
{
	struct buf path = buf_in(arena);

	secrecy_add_path(&path, place, ':');
	return buf_sv(&path);
}

extern const struct sealer_format sops_format;

/* The functions of sops_format (struct sealer_format). */
void *sops_writer_new(const struct seal_root *root);
void sops_writer_free(void *state);
/*
 * Writes clear strings double-quoted, sealed ones as ENC[...], and the sops block last, with the
 * MAC over all values. The order of clear keys changes only the MAC.
 */
enum status sops_seal(struct sink *sink, void *state, const struct seal_request *request,
                      struct buf *out);
/* Writes a binary file (struct sealer_format.seal_bytes). */
enum status sops_seal_bytes(struct sink *sink, void *state, const struct seal_request *request,
                            sv text, struct buf *out);
/* Decrypts the ENC[...] strings and leaves out the "sops" key. */
enum status sops_read(struct arena *secret_arena, struct sink *sink, const struct value *documents,
                      size_t count, const struct seal_identities *identities,
                      struct value *ret_documents);

/* ---- sops_keys.c ------------------------------------------------------------------------- */

enum sops_key_type {
	SOPS_AGE,
	SOPS_AWS,
	SOPS_GCP,
	SOPS_AZURE,
	SOPS_VAULT,
	SOPS_HUAWEI,
	SOPS_PGP,
};

struct sops_key_kind {
	const char *list;       /* of the sops block: "hc_vault" */
	const char *what;       /* for messages: "HashiCorp Vault" */
	const char *members[6]; /* of an entry, in sops's order; all are strings */
};

struct sops_key {
	enum sops_key_type type;
	sv name; /* as sops prints it: a recipient, an ARN, a fingerprint, a URL */
	const struct value *entry;
};
VEC_TYPE(sops_keys, struct sops_key);

/* Adds all keys that a sops block names, those of key groups included. */
void sops_list_keys(struct arena *arena, const struct value *metadata, struct sops_keys *keys);
/*
 * Returns a sops block with the known members of another one, and no others: sops compares the
 * names of members without regard to case, so that it could take others for known ones.
 */
struct value sops_copy_metadata(struct arena *arena, const struct value *metadata);

/* ---- sops_program.c ---------------------------------------------------------------------- */

struct rule;

/* The documents of a file, as the program sops decrypts them. */
struct sops_plain {
	const sv *texts; /* one for each leaf, in their order; of clear and null ones empty */
	size_t count;
	sv mac; /* the file's MAC, decrypted: upper-case hex */
};

/*
 * Lets the program sops decrypt documents that have one MAC. Fails with DIAG_SOPS_FORMAT,
 * DIAG_SOPS_MAC, DIAG_SOPS_KEY, DIAG_SOPS_PROGRAM or DIAG_SOPS_PROGRAM_KEY.
 */
MUST_CHECK enum status sops_program_open(struct arena *secret_arena, struct sink *sink,
                                         const struct seal_identities *identities,
                                         const struct rule *rule, const struct value *documents,
                                         size_t count, struct sops_plain *ret_plain);

/* ---- sops_mistake.c ---------------------------------------------------------------------- */

/* Reports DIAG_SOPS_FORMAT at a leaf: "PATH WHAT". */
void sops_leaf_error(struct arena *arena, struct sink *sink, const struct secrecy_place *place,
                     const char *what);
/* Reports DIAG_SOPS_MAC. */
void sops_mac_error(struct sink *sink, const struct value *mac);

/* ---- sops_envelope.c --------------------------------------------------------------------- */

void sops_list_recipients(struct arena *arena, const struct value *document,
                          struct seal_texts *recipients);
void sops_list_marks(struct arena *arena, const struct value *document, struct seal_texts *marks);

#endif
