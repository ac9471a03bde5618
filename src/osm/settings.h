/*
 * Private to osm/: the settings of this dialect (struct osm_settings is in osm.h).
 *
 *   settings.c       the table of settings
 *   mirrors.c        registry mirrors
 *   proxy.c          hosts without a proxy
 *   taints.c         taints of new nodes
 *   feature_gates.c  feature gates, and which kubelets have them
 */
#ifndef OSM_GEN_OSM_SETTINGS_H
#define OSM_GEN_OSM_SETTINGS_H

#include "dialect/dialect.h"
#include "osm/osm.h"

extern const struct setting_table osm_settings_table;
/* feature_gates.c: the versions of Kubernetes whose feature gates are known. */
extern const struct setting_known osm_kubernetes_known;

/*
 * Reports an item of either setting whose URL has "@" and is not one that user and password can be
 * read from (setter_check_url).
 */
MUST_CHECK enum status osm_mirror_check(const struct setter *s, const struct value *item,
                                        struct position at);
/* Reports a mirror's URL that containerd does not take. It may lack the scheme. */
MUST_CHECK enum status osm_mirror_check_url(const struct setter *s, const struct value *url,
                                            struct position at);
/*
 * Parses an item of nodeRegistryMirrors (any form) or nodeContainerdRegistryMirrors (REGISTRY=URL).
 */
MUST_CHECK enum status osm_mirror_parse(const struct setter *s, const struct value *item,
                                        struct position at, bool containerd,
                                        struct osm_mirror *ret_mirror);

/* Warns of the first entries of nodeNoProxy that no program matches with a host. Never fails. */
MUST_CHECK enum status osm_check_no_proxy(const struct setter *s, const struct value *text,
                                          struct position at);

/*
 * Checks initialTaints as `kubelet --register-with-taints` does: KEY[=VALUE]:EFFECT, with commas
 * between them. Blank space around an item is trimmed by the profiles.
 */
MUST_CHECK enum status osm_check_taints(const struct setter *s, const struct value *text,
                                        struct position at);

/*
 * Takes nodeKubeletFeatureGates into a struct value, with the gate that the controller always
 * adds. Warns of gates that no version of Kubernetes in the table has.
 */
MUST_CHECK enum status osm_take_feature_gates(const struct setter *s, const struct value *v,
                                              void *ret_gates);

#endif
