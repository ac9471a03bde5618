/*
 * Private to osm/: the settings of this dialect (struct osm_settings is in osm.h).
 *
 *   settings.c       defaults
 *   settings_set.c   the table of settings
 *   mirrors.c        registry mirrors
 */
#ifndef OSM_GEN_OSM_SETTINGS_H
#define OSM_GEN_OSM_SETTINGS_H

#include "dialect/dialect.h"
#include "osm/osm.h"

#define OSM_SETTING_COUNT 31
/* The default of rollGuard. */
#define OSM_ROLL_GUARD 10
extern const struct setting osm_settings_table[OSM_SETTING_COUNT];

/*
 * Reports an item of either setting whose URL has "@" and is not one that user and password can be
 * read from (setter_check_url).
 */
MUST_CHECK enum status osm_mirror_check(const struct setter *s, const struct value *item,
                                        struct position at);
/*
 * Parses an item of nodeRegistryMirrors (any form) or nodeContainerdRegistryMirrors (REGISTRY=URL).
 */
MUST_CHECK enum status osm_mirror_parse(struct arena *arena, struct sink *sink, sv setting_name,
                                        const struct value *item, struct position at,
                                        bool containerd, struct osm_mirror *ret_mirror);

#endif
