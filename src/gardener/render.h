/*
 * Renders an OSC. These are functions of struct dialect.
 */
#ifndef OSM_GEN_GARDENER_RENDER_H
#define OSM_GEN_GARDENER_RENDER_H

#include "gardener/internal.h"

enum status gardener_render(struct arena *arena, struct sink *sink, const struct dialect_job *job,
                            struct dialect_rendered *ret_rendered);
/* Reports the mistakes of an OSC that cannot be rendered. */
void gardener_check(struct arena *arena, struct sink *sink, const struct dialect_cluster *cluster,
                    const struct kube_object *unit, bool secrets_may_be_absent);

#endif
