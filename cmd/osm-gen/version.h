/*
 * The version of the program.
 */
#ifndef OSM_GEN_CMD_VERSION_H
#define OSM_GEN_CMD_VERSION_H

/* Semantic version. It is in commits, as the trailer Osm-Gen-Version, and never in files. */
#define OSM_GEN_VERSION "0.1.0"

/* The day of its release, as docs/changelog.md has it: the date of manual pages. */
#define OSM_GEN_VERSION_DATE "2026-11-22"

#endif
