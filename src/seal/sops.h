/*
 * What the writer and the reader of SOPS files share. Private to seal.
 */
#ifndef OSM_GEN_SEAL_SOPS_H
#define OSM_GEN_SEAL_SOPS_H

#include "value/value.h"

/* As deep as any decoder lets a document be. */
#define SOPS_MAX_DEPTH 200

/*
 * A path from the document's root, as SOPS binds it to a value: each map key and ":", list
 * positions left out (docs/spec/sealing.md 1.3).
 */
static inline size_t sops_path_push(struct buf *path, sv key)
{
	size_t before = path->len;

	buf_add(path, key);
	buf_add_char(path, ':');
	return before;
}
static inline void sops_path_pop(struct buf *path, size_t before)
{
	path->len = before;
}
/* For people: "data.token". */
static inline sv sops_path_dotted(struct arena *arena, sv path)
{
	size_t len = path.len > 0 ? path.len - 1 : 0;
	char *text = arena_alloc_text(arena, len);

	for (size_t i = 0; i < len; i++)
		text[i] = (char)(path.ptr[i] == ':' ? '.' : path.ptr[i]);
	return sv_from(text, len);
}

#endif
