/*
 * A document as yaml.v3 v3.0.1 parses it, before it makes values (private to yaml/).
 */
#ifndef OSM_GEN_YAML_NODES_V3_H
#define OSM_GEN_YAML_NODES_V3_H

#include "value/value.h"

enum yml_node_kind { YML_NODE_SCALAR, YML_NODE_LIST, YML_NODE_MAP, YML_NODE_ALIAS };

struct yml_node {
	enum yml_node_kind kind;
	sv tag;  /* "!!str"; empty for an alias */
	sv text; /* content of a scalar, or name of an alias */
	size_t line;
	const struct yml_node *target;   /* of an alias */
	bool is_open;                    /* an alias that is being followed */
	VEC(struct yml_node *) children; /* keys and values in turn */
};

/*
 * Reads the first document as a tree, at most YML_MAX_DEPTH deep; *ret_root is null if there is no
 * document. Returns false and the library's message without "yaml: " if it is not YAML.
 */
MUST_CHECK bool yml_nodes_read(struct arena *arena, sv text, struct yml_node **ret_root,
                               sv *ret_problem);

/* Resolves a plain scalar and sets its tag. Times stay strings. */
struct value yml_resolve_v3(sv text, sv *ret_tag);

#endif
