/*
 * What the writer and the reader of SOPS files share. Private to seal.
 */
#ifndef OSM_GEN_SEAL_SOPS_H
#define OSM_GEN_SEAL_SOPS_H

#include "secrecy/secrecy.h"

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

#endif
