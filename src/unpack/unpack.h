/*
 * unpack: takes an opened Secret or OperatingSystemConfig apart for people: its values decoded, and
 * the files and units in its user-data one by one. `unseal --decode` and `diff --reveal` show the
 * parts; nothing reads them back.
 *
 *   unpack.c   objects, and values of Secrets
 *   decode.c   base64, gzip, data URLs and scripts
 *
 * An object may come from anybody, since everybody can seal to a public key. What cannot be decoded
 * is shown as it is, and what is too large in part.
 *
 * CIRCLE: lift: values are nested.
 */
#ifndef OSM_GEN_UNPACK_UNPACK_H
#define OSM_GEN_UNPACK_UNPACK_H

#include "base/base.h"
#include "value/value.h"

struct unpack_part {
	/* "" for the object itself, "cloud-config" for a value, "cloud-config: /etc/motd" for a
	 * file in it. Unique in an object. */
	sv name;
	sv text; /* UTF-8 without NUL; may have other control characters */
};
VEC_TYPE(unpack_parts, struct unpack_part);

/* Adds the parts in the order of the object. It must hold nothing sealed any more. */
void unpack_object(struct arena *arena, const struct value *object, struct unpack_parts *parts);

/*
 * Appends the parts as one document, each after a line "==> NAME <==". Control characters other
 * than TAB are escapes, since terminals show the document.
 */
void unpack_print(struct buf *out, const struct unpack_parts *parts);

#endif
