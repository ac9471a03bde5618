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

/* sops_envelope.c */
void sops_list_recipients(struct arena *arena, const struct value *document,
                          struct seal_texts *recipients);
void sops_list_marks(struct arena *arena, const struct value *document, struct seal_texts *marks);

#endif
