/*
 * The files that init writes, as constant texts.
 */
#ifndef OSM_GEN_CMD_INIT_FILES_H
#define OSM_GEN_CMD_INIT_FILES_H

#include "base/base.h"

enum init_when {
	INIT_ALWAYS,     /* with the first settings: names the new identity's recipient */
	INIT_ALSO_LATER, /* whatever is there */
	INIT_EXAMPLE,    /* where there are no manifests */
};

struct init_file {
	const char *path;
	enum init_when when;
	const char *text;
};

extern const struct init_file init_files[];
extern const size_t init_file_count;

#endif
