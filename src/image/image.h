/*
 * image: files as OCI images, which Flux's source-controller pulls from a registry as it pulls
 * commits from git (docs/spec/delivery.md 4).
 *
 *   folder.c  the folder that holds all images of a run, and the list of them
 *   layout.c  one image as an OCI image layout
 *   tar.c     the archive that is an image's only layer
 *
 * Specifications: OCI image-spec 1.1 (image layout, manifest, annotations); POSIX.1-2001,
 * pax. Media types are those of `flux push artifact`. Nothing depends on a clock, a user or a host:
 * the same files and the same version of libdeflate give the same bytes.
 */
#ifndef OSM_GEN_IMAGE_IMAGE_H
#define OSM_GEN_IMAGE_IMAGE_H

#include "base/base.h"
#include "diag/diag.h"

/* ---- the archive ------------------------------------------------------------------------- */

/*
 * Appends a file of mode 0644, owned by user and group 0. `time` is in seconds since 1970; times
 * before that count as 0. A path of more than 100 bytes gets a pax header.
 */
void image_tar_add(struct buf *tar, sv path, sv bytes, int64_t time);
/* Appends the end of the archive. */
void image_tar_end(struct buf *tar);

/* ---- images ------------------------------------------------------------------------------ */

/* One image. */
struct image {
	sv path; /* of its layout, relative to the folder: "prod", "flux/hub" */
	sv tar;  /* the archive, as the functions above made it */
	/* Annotations; an empty one is left out. */
	sv source;   /* the address of the repository that the files are from */
	sv revision; /* of that repository, as Flux writes it: "sha1:COMMIT" */
	sv created;  /* RFC 3339 */
};

/* The name of the image in its layout, as `oras cp --from-oci-layout DIR:NAME` wants it. */
#define IMAGE_NAME "latest"
/* The list of the images, in the folder. */
#define IMAGE_LIST "artifacts.json"

/*
 * Fails (DIAG_ARTIFACT_FOLDER) unless the folder is absent, empty, or one that an earlier run wrote
 * images into. Changes nothing.
 */
MUST_CHECK enum status image_folder_check(struct arena *arena, struct sink *sink, sv folder);

/* A folder that images are put into. */
struct image_folder;
/*
 * Makes the folder, if it is missing, and marks it with a list. First image_folder_check. The
 * result is in the arena, which must outlive it.
 */
MUST_CHECK enum status image_folder_open(struct arena *arena, struct sink *sink, sv folder,
                                         struct image_folder **ret_folder);
/*
 * Writes an image's layout: complete and beside its place, then in the place of an earlier one.
 * Fails (DIAG_ARTIFACT_FOLDER) if something that is not a layout is there.
 */
MUST_CHECK enum status image_put(struct sink *sink, struct image_folder *folder,
                                 const struct image *image);
/* Removes the layouts that the earlier list names and that were not put; writes the new list. */
MUST_CHECK enum status image_folder_finish(struct sink *sink, struct image_folder *folder);

#endif
