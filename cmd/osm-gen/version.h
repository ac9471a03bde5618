/*
 * The version of the program.
 */
#ifndef OSM_GEN_CMD_VERSION_H
#define OSM_GEN_CMD_VERSION_H

/*
 * OSM_GEN_VERSION: the semantic version, a string, made from the file VERSION. It is in commits, as
 * the trailer Osm-Gen-Version, and never in files.
 */
#include "version_number.h"

/* The day of its release, as docs/changelog.md has it: the date of manual pages. */
#define OSM_GEN_VERSION_DATE "2026-11-27"

#endif
