/*
 * Private to osm/: warns of placeholders that were never filled in.
 */
#ifndef OSM_GEN_OSM_UNFILLED_H
#define OSM_GEN_OSM_UNFILLED_H

#include "osm/objects.h"
#include "tmpl/tmpl.h"

/* The inputs with which a configuration was rendered, for positions in messages. */
struct osm_unfilled_check {
	struct arena *arena;
	struct sink *sink;
	const struct tmpl_profile *templates;
	const struct value *data;
	const struct tmpl_options *options;
};

/*
 * Warns of template actions that are still in the rendered files, or in members that are not
 * templates (DIAG_TEMPLATE_LEFT), and of variables in scripts that are escaped for Flux
 * (DIAG_VARIABLE_LEFT). The files of `config` are those of the templates, in their order.
 */
void osm_check_unfilled(const struct osm_unfilled_check *check,
                        const struct osm_rendered_config *config);
/* Warns of ${NAME} in the strings below `v` (DIAG_VARIABLE_LEFT). */
void osm_check_variables(struct sink *sink, const struct value *v);

#endif
