/*
 * SOPS YAML files: what sops.c, the writer and the reader share. Private to seal.
 */
#ifndef OSM_GEN_SEAL_SOPS_H
#define OSM_GEN_SEAL_SOPS_H

#include "seal/seal.h"

/* As deep as any decoder lets a document be. */
#define SOPS_MAX_DEPTH 200

/*
 * The path of a value from the document's root as SOPS binds it to the value: each map key and ":",
 * list positions left out (docs/spec/sealing.md 1.3).
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
 * Clear strings double-quoted, sealed ones as ENC[...], the sops block last, the MAC over all of
 * it. The order of clear keys changes only the MAC.
 */
enum status sops_seal(struct sink *sink, void *state, const struct seal_request *request,
                      struct buf *out);
/* Bytes that belong to the request's object, as a binary file: struct sealer_format.seal_bytes. */
enum status sops_seal_bytes(struct sink *sink, void *state, const struct seal_request *request,
                            sv text, struct buf *out);
/* In place of the ENC[...] strings; the "sops" key is left out. */
enum status sops_read(struct arena *secret_arena, struct sink *sink, const struct value *documents,
                      size_t count, const struct seal_identities *identities,
                      struct value *ret_documents);

/* sops_envelope.c */
void sops_list_recipients(struct arena *arena, const struct value *document,
                          struct seal_texts *recipients);
void sops_list_marks(struct arena *arena, const struct value *document, struct seal_texts *marks);

#endif
