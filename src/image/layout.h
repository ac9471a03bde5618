/*
 * Private to image/: an image as an OCI image layout.
 */
#ifndef OSM_GEN_IMAGE_LAYOUT_H
#define OSM_GEN_IMAGE_LAYOUT_H

#include "image/image.h"

/* True if the folder has the files of an OCI image layout. */
bool layout_is_there(struct arena *arena, sv folder);
/* Writes the layout into a new folder. *ret_digest is the manifest's: "sha256:...". */
MUST_CHECK enum status layout_write(struct arena *arena, struct sink *sink,
                                    const struct image *image, sv folder, sv *ret_digest);

#endif
