/* Decoding, for the files of unpack/. */
#ifndef OSM_GEN_UNPACK_INTERNAL_H
#define OSM_GEN_UNPACK_INTERNAL_H

#include "unpack/unpack.h"

/* Returns the text as it is, or a line with size and digest for other bytes. */
sv unpack_readable(struct arena *arena, sv bytes);
/* Decompresses gzip, at most *left bytes, which it lowers; returns other bytes unchanged. */
sv unpack_expand(struct arena *arena, sv bytes, size_t *left);
/* Decodes standard base64. Returns false for anything else. */
MUST_CHECK bool unpack_base64(struct arena *arena, sv text, sv *ret_bytes);
/* Decodes a file's content as cloud-init's and Gardener's `encoding` name it. */
sv unpack_encoded(struct arena *arena, sv text, sv encoding, size_t *left);
/* Decodes a data URL (RFC 2397). Returns false for other URLs. */
MUST_CHECK bool unpack_data_url(struct arena *arena, sv url, sv *ret_bytes);
/* Returns a script in which the lines of a decoded word follow the line that has it in base64. */
sv unpack_script(struct arena *arena, sv script, size_t *left);

#endif
