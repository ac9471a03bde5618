/*
 * The OperatingSystemExtensions that the program carries (profiles/gardener/ of this repository),
 * as ci/embed lays them out at build time. Private to gardener/: others ask
 * gardener_system_embedded.
 */
#ifndef OSM_GEN_GARDENER_EMBEDDED_H
#define OSM_GEN_GARDENER_EMBEDDED_H

#include "dialect/dialect.h"

extern const struct dialect_text gardener_embedded_files[];
extern const size_t gardener_embedded_file_count;

/* The scripts of profiles/gardener/flow/. */
extern const struct dialect_text gardener_flow_files[];
extern const size_t gardener_flow_file_count;

#endif
