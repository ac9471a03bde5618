/*
 * Private to osm/: warnings of text that somebody meant to be filled in.
 */
#ifndef OSM_GEN_OSM_UNFILLED_H
#define OSM_GEN_OSM_UNFILLED_H

#include "osm/internal.h"

/* How a configuration was rendered, for the places in messages. */
struct osm_unfilled_check {
	struct arena *arena;
	struct sink *sink;
	const struct tmpl_profile *templates;
	const struct value *data;
	const struct tmpl_options *options;
};

/*
 * Actions that rendering left over or that stand where nothing is rendered (DIAG_TEMPLATE_LEFT),
 * and variables in scripts that are escaped for Flux (DIAG_VARIABLE_LEFT). The files are those of
 * the templates, in their order.
 */
void osm_check_unfilled(const struct osm_unfilled_check *check,
                        const struct osm_rendered_config *config);
/* DIAG_VARIABLE_LEFT for strings below v that hold ${NAME}. */
void osm_check_variables(struct sink *sink, const struct value *v);

#endif
