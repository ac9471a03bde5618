/*
 * A document as yaml.v3 v3.0.1 sees it before it makes values (private to yaml/).
 */
#ifndef OSM_GEN_YAML_NODES_V3_H
#define OSM_GEN_YAML_NODES_V3_H

#include "value/value.h"

enum yaml_node_kind { YAML_NODE_SCALAR, YAML_NODE_LIST, YAML_NODE_MAP, YAML_NODE_ALIAS };

struct yaml_node {
	enum yaml_node_kind kind;
	sv tag;  /* "!!str"; of an alias: empty */
	sv text; /* of a scalar; an alias' name */
	size_t line;
	const struct yaml_node *target;   /* of an alias */
	bool is_open;                     /* an alias that is being followed */
	VEC(struct yaml_node *) children; /* keys and values in turn */
};

/*
 * The first document's tree, at most YAML_MAX_DEPTH deep; null when there is none. False: the
 * library's words for what stopped it, without "yaml: ".
 */
MUST_CHECK bool yaml_nodes_read(struct arena *arena, sv text, struct yaml_node **ret_root,
                                sv *ret_problem);

/* A plain scalar, and the tag that goes with it. Times are left as texts. */
struct value yaml_resolve_v3(sv text, sv *ret_tag);

#endif
