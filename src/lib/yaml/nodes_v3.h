/*
 * A document as yaml.v3 v3.0.1 sees it before it makes values (private to yaml/).
 */
#ifndef OSM_GEN_YAML_NODES_V3_H
#define OSM_GEN_YAML_NODES_V3_H

#include "value/value.h"

enum yml_node_kind { YML_NODE_SCALAR, YML_NODE_LIST, YML_NODE_MAP, YML_NODE_ALIAS };

struct yml_node {
	enum yml_node_kind kind;
	sv tag;  /* "!!str"; of an alias: empty */
	sv text; /* of a scalar; an alias' name */
	size_t line;
	const struct yml_node *target;   /* of an alias */
	bool is_open;                    /* an alias that is being followed */
	VEC(struct yml_node *) children; /* keys and values in turn */
};

/*
 * The first document's tree, at most YML_MAX_DEPTH deep; null when there is none. False: the
 * library's words for what stopped it, without "yaml: ".
 */
MUST_CHECK bool yml_nodes_read(struct arena *arena, sv text, struct yml_node **ret_root,
                               sv *ret_problem);

/* A plain scalar, and the tag that goes with it. Times are left as texts. */
struct value yml_resolve_v3(sv text, sv *ret_tag);

#endif
