/*
 * The scanner that versions and constraints share. Private to golang.
 */
#ifndef OSM_GEN_GOLANG_SCAN_H
#define OSM_GEN_GOLANG_SCAN_H

#include "base/base.h"

struct scan_version {
	sv text;        /* the whole version */
	sv segments[3]; /* major, minor, patch without dots; empty if missing */
	sv prerelease;
	sv metadata;
};

/*
 * Takes v?SEGMENT(.SEGMENT)?(.SEGMENT)?(-PRERELEASE)?(+METADATA)? at text[from], as much as fits.
 * in_segment decides which characters a segment may have. Returns the offset after it, or SV_NPOS
 * if there is no first segment.
 */
size_t scan_version(sv text, size_t from, bool (*in_segment)(uint32_t),
                    struct scan_version *ret_parts);
size_t scan_while(sv text, size_t from, bool (*accept)(uint32_t));

bool scan_is_identifier(uint32_t c); /* [0-9A-Za-z-] */
bool scan_is_space(uint32_t c);      /* RE2's \s */

/* Compares as semver_compare, but only prerelease parts; an empty one comes first. */
int scan_compare_prerelease(sv a, sv b);

#endif
