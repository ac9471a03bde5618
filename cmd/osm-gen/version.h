/*
 * The version of the program.
 */
#ifndef OSM_GEN_CMD_VERSION_H
#define OSM_GEN_CMD_VERSION_H

/* Semantic version; stands in commits as the trailer Osm-Gen-Version, never in files. */
#define OSM_GEN_VERSION "0.1.0"

/* The day of its release, as docs/changelog.md has it: the date of manual pages. */
#define OSM_GEN_VERSION_DATE "2026-11-22"

#endif
