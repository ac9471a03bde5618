/*
 * The profiles that the program carries (profiles/ of this repository), as ci/embed lays them out
 * at build time. Private to osm/: others ask osm_profile_embedded.
 */
#ifndef OSM_GEN_OSM_EMBEDDED_H
#define OSM_GEN_OSM_EMBEDDED_H

#include <stddef.h>

struct osm_embedded_file {
	const char *path; /* "profiles/ubuntu.yaml" */
	const char *text;
	size_t len;
};

extern const struct osm_embedded_file osm_embedded_files[];
extern const size_t osm_embedded_file_count;

#endif
