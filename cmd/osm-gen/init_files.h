/*
 * The files that init writes, as constants.
 */
#ifndef OSM_GEN_CMD_INIT_FILES_H
#define OSM_GEN_CMD_INIT_FILES_H

#include "base/base.h"

enum init_when {
	INIT_ALWAYS,     /* unless osm-gen.yaml exists: names the new identity's recipient */
	INIT_ALSO_LATER, /* also if it exists */
	INIT_EXAMPLE,    /* unless osm-gen.yaml or manifests exist */
};

struct init_file {
	const char *path;
	enum init_when when;
	const char *text;
};

extern const struct init_file init_files[];
extern const size_t init_file_count;

#endif
