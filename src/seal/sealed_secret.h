/*
 * Bitnami's SealedSecrets (docs/spec/sealing.md 7): declarations that certificate.c, the writer
 * and the reader share. Private to seal.
 */
#ifndef OSM_GEN_SEAL_SEALED_SECRET_H
#define OSM_GEN_SEAL_SEALED_SECRET_H

#include "seal/seal.h"

/* The annotations of a SealedSecret's scope; without one it is strict. */
#define SEALED_SECRET_NAMESPACE_WIDE "sealedsecrets.bitnami.com/namespace-wide"
#define SEALED_SECRET_CLUSTER_WIDE   "sealedsecrets.bitnami.com/cluster-wide"

/* The key of a recipient of this format. */
struct certificate {
	sv spki;            /* SubjectPublicKeyInfo, in DER */
	uint8_t digest[32]; /* SHA-256 of it */
	int64_t not_before; /* seconds since 1970 */
	int64_t not_after;
};

extern const struct sealer_format sealed_secret_format;

/* The functions of sealed_secret_format (struct sealer_format). */
enum status certificate_parse(struct arena *arena, struct sink *sink, sv wanted_by,
                              const struct seal_recipient_text *texts, size_t count,
                              struct seal_recipients *ret_recipients);
void certificate_check_time(struct sink *sink, const struct seal_recipients *recipients,
                            struct position at, int64_t now);
void *sealed_secret_writer_new(const struct seal_root *root);
void sealed_secret_writer_free(void *state);
enum status sealed_secret_seal(struct sink *sink, void *state, const struct seal_request *request,
                               struct buf *out);
/* Always fails: a SealedSecret can only hold a Secret. */
enum status sealed_secret_seal_bytes(struct sink *sink, void *state,
                                     const struct seal_request *request, sv text, struct buf *out);

/* Returns the label that binds a value to its scope: NAMESPACE/NAME, NAMESPACE, or nothing. */
sv sealed_secret_label(struct arena *arena, enum seal_scope scope, sv namespace, sv name);

#endif
