/*
 * Files of profiles/ in this repository, which ci/embed compiles into the program. Private to osm/:
 * other folders call osm_profile_embedded.
 */
#ifndef OSM_GEN_OSM_EMBEDDED_H
#define OSM_GEN_OSM_EMBEDDED_H

#include "dialect/dialect.h"

/* Profiles: profiles/NAME.yaml */
extern const struct dialect_text osm_embedded_files[];
extern const size_t osm_embedded_file_count;

/* The same with the comments of their scripts: profiles/commented/NAME.yaml */
extern const struct dialect_text osm_commented_files[];
extern const size_t osm_commented_file_count;

/* Scripts that extensions add to profiles (profiles/extension/). Private to extension/make.c. */
extern const struct dialect_text osm_extension_scripts[];
extern const size_t osm_extension_script_count;

#endif
