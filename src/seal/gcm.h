/*
 * AES-256-GCM with the 32-byte IVs of SOPS, and its ENC[...] strings. Private to seal.
 */
#ifndef OSM_GEN_SEAL_GCM_H
#define OSM_GEN_SEAL_GCM_H

#include "secrecy/secrecy.h"

enum { GCM_KEY_SIZE = 32, GCM_IV_SIZE = 32, GCM_TAG_SIZE = 16 };

/* A cipher context: made once, given a key for each object. */
struct gcm;
struct gcm *gcm_new(void);
void gcm_free(struct gcm *gcm);
static inline void gcm_freep(struct gcm **gcm)
{
	gcm_free(*gcm);
}
#define GCM_AUTO CLEANUP(gcm_freep) struct gcm *

void gcm_set_key(struct gcm *gcm, const uint8_t key[GCM_KEY_SIZE]);

/*
 * Appends ENC[AES256_GCM,data:...,iv:...,tag:...,type:TYPE]. `scratch` holds the ciphertext.
 * Returns where `buf` then has it.
 */
struct ciphertext gcm_add_sealed(struct arena *scratch, struct buf *buf, struct gcm *gcm,
                                 const uint8_t iv[GCM_IV_SIZE], sv path, sv type, sv plain);

enum gcm_result {
	GCM_FINE,
	GCM_FORM,         /* not an ENC[...] text */
	GCM_AUTHENTICITY, /* another key, another path, or damaged */
};

#define GCM_SEALED_BEGIN "ENC[AES256_GCM,"
/* True if the string begins and ends like ENC[...], be it valid or not. */
bool gcm_is_sealed(sv text);
/* Decrypts an ENC[...] string; *ret_type is its type ("str", "bytes"). */
enum gcm_result gcm_open_sealed(struct arena *secret_arena, struct gcm *gcm, sv path, sv text,
                                sv *ret_plain, sv *ret_type);

#endif
