/*
 * The templates of completion/, as ci/embed lays them out at build time.
 */
#ifndef OSM_GEN_CMD_COMPLETION_H
#define OSM_GEN_CMD_COMPLETION_H

#include <stddef.h>

struct completion_template {
	const char *path;
	const char *text;
	size_t len;
};

extern const struct completion_template completion_templates[];
extern const size_t completion_template_count;

#endif
