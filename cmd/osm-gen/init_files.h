/*
 * The files that init writes, as constants, and the example repository, docs/example, as ci/embed
 * lays it out at build time.
 */
#ifndef OSM_GEN_CMD_INIT_FILES_H
#define OSM_GEN_CMD_INIT_FILES_H

#include "base/base.h"

/* The line of the Fleet after which init writes the fleet's own name. */
#define INIT_SEALING "  sealing:\n"
/* The recipient of the example. init replaces it by that of the new identity. */
#define INIT_RECIPIENT "age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk # TEST ONLY"

/* The folder of the example, which the paths of its files begin with. */
#define INIT_EXAMPLE_FOLDER "docs/example/"

enum init_when {
	INIT_ALWAYS,     /* unless osm-gen.yaml exists: names the new identity's recipient */
	INIT_ALSO_LATER, /* also if it exists */
	INIT_EXAMPLE,    /* unless osm-gen.yaml or manifests exist */
};

struct init_file {
	const char *path;
	enum init_when when;
	const char *text; /* may be null; init then takes the file of the example */
};

struct init_example_file {
	const char *path; /* with INIT_EXAMPLE_FOLDER */
	const char *text;
	size_t len;
};

extern const struct init_file init_files[];
extern const size_t init_file_count;
extern const struct init_example_file init_example_files[];
extern const size_t init_example_file_count;

#endif
