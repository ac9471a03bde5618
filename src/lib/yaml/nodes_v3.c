/*
 * yaml.v3's nodes: libyaml's events of the first document, as a tree.
 */
#include "yaml/nodes_v3.h"

#include "yaml/events.h"
#include "yaml/resolve.h"
#include "yaml/yaml.h"

struct reader {
	struct arena *arena;
	struct yml_events events;
	struct map anchors;
	unsigned depth;
	sv problem; /* that stopped it */
};

static bool stop(struct reader *r, sv text)
{
	r->problem = arena_dup(r->arena, text);
	return false;
}

/* COMPAT: the line is the context's when that is not the first; the scanner counts it from 0. */
static bool stop_at_problem(struct reader *r)
{
	const yaml_parser_t *p = &r->events.parser;
	size_t line = p->context_mark.line ? p->context_mark.line : p->problem_mark.line;
	sv problem = sv_from_cstr(p->problem ? p->problem : "unknown problem parsing YAML content");

	if (line == 0)
		return stop(r, problem);
	return stop(r, arena_printf(r->arena, "line %zu: %.*s",
	                            line + (p->error == YAML_SCANNER_ERROR), SV_ARG(problem)));
}

static bool next_event(struct reader *r)
{
	return yml_events_next(&r->events) || stop_at_problem(r);
}

/* "tag:yaml.org,2002:int" is "!!int". */
static sv short_tag(struct arena *arena, const yaml_char_t *tag)
{
	static const sv prefix = SV_INIT("tag:yaml.org,2002:");
	sv text = sv_from_cstr((const char *)tag);

	if (sv_starts_with(text, prefix))
		return ARENA_CONCAT(arena, SV("!!"), sv_from_offset(text, prefix.len));
	return arena_dup(arena, text);
}

static bool is_old_bool(sv text, const struct value *v)
{
	return v->type == &type_bool && !sv_eq_fold_ascii(text, SV("true")) &&
	       !sv_eq_fold_ascii(text, SV("false"));
}

struct value yml_resolve_v3(sv text, sv *ret_tag)
{
	struct value v = yml_resolve(text);

	if (is_old_bool(text, &v))
		v = value_string(text);
	if (v.type == &type_int64)
		v.type = &type_int;
	*ret_tag = v.type == &type_nil       ? SV("!!null")
	           : v.type == &type_bool    ? SV("!!bool")
	           : v.type == &type_int     ? SV("!!int")
	           : v.type == &type_uint64  ? SV("!!int")
	           : v.type == &type_float64 ? SV("!!float")
	           : yml_is_timestamp(text)  ? SV("!!timestamp")
	                                     : SV("!!str");
	return v;
}

static struct yml_node *new_node(struct reader *r, enum yml_node_kind kind, const yaml_char_t *tag,
                                 const yaml_char_t *anchor)
{
	struct yml_node *node = ARENA_NEW(r->arena, struct yml_node);

	node->kind = kind;
	node->line = r->events.current.start_mark.line + 1;
	/* A lone ! has no effect here. */
	if (tag && strcmp((const char *)tag, "!") != 0)
		node->tag = short_tag(r->arena, tag);
	else if (kind == YML_NODE_LIST || kind == YML_NODE_MAP)
		node->tag = kind == YML_NODE_LIST ? SV("!!seq") : SV("!!map");
	if (anchor)
		map_put(&r->anchors, arena_dup(r->arena, sv_from_cstr((const char *)anchor)), node);
	return node;
}

static struct yml_node *build_scalar(struct reader *r)
{
	const yaml_event_t *event = &r->events.current;
	struct yml_node *node =
	    new_node(r, YML_NODE_SCALAR, event->data.scalar.tag, event->data.scalar.anchor);

	node->text = arena_dup(r->arena, yml_scalar_text(event));
	if (node->tag.len > 0)
		return node;
	if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		node->tag = SV("!!str");
	else if (sv_eq(node->text, SV("<<")))
		node->tag = SV("!!merge");
	else
		yml_resolve_v3(node->text, &node->tag);
	return node;
}

static bool build(struct reader *r, struct yml_node **ret);

static bool build_children(struct reader *r, struct yml_node *parent, yaml_event_type_t end)
{
	struct yml_node *child;

	if (++r->depth > YML_MAX_DEPTH)
		return stop(r, arena_printf(r->arena, "exceeded max depth of %d", YML_MAX_DEPTH));
	for (;;) {
		if (!next_event(r))
			return false;
		if (r->events.current.type == end)
			break;
		if (!build(r, &child))
			return false;
		VEC_PUSH(r->arena, &parent->children, child);
	}
	r->depth--;
	return true;
}

/* The node that the current event starts. */
static bool build(struct reader *r, struct yml_node **ret)
{
	const yaml_event_t *event = &r->events.current;
	struct yml_node *node;

	switch ((int)event->type) {
	case YAML_SCALAR_EVENT:
		*ret = build_scalar(r);
		return true;
	case YAML_ALIAS_EVENT:
		*ret = node = new_node(r, YML_NODE_ALIAS, NULL, NULL);
		node->text =
		    arena_dup(r->arena, sv_from_cstr((const char *)event->data.alias.anchor));
		node->target = map_get(&r->anchors, node->text);
		if (!node->target)
			return stop(r, arena_printf(r->arena, "unknown anchor '%.*s' referenced",
			                            SV_ARG(node->text)));
		return true;
	case YAML_SEQUENCE_START_EVENT:
		*ret = node = new_node(r, YML_NODE_LIST, event->data.sequence_start.tag,
		                       event->data.sequence_start.anchor);
		return build_children(r, node, YAML_SEQUENCE_END_EVENT);
	case YAML_MAPPING_START_EVENT:
		*ret = node = new_node(r, YML_NODE_MAP, event->data.mapping_start.tag,
		                       event->data.mapping_start.anchor);
		return build_children(r, node, YAML_MAPPING_END_EVENT);
	default:
		BUG("an event that starts no node");
	}
}

/* YAML 1.1 alone: the library is older than libyaml's support of 1.2. */
static bool check_version(struct reader *r)
{
	const yaml_version_directive_t *version =
	    r->events.current.data.document_start.version_directive;
	size_t line = r->events.current.start_mark.line;
	sv problem = SV("found incompatible YAML document");

	if (!version || version->minor == 1)
		return true;
	return stop(r, line == 0 ? problem
	                         : arena_printf(r->arena, "line %zu: %.*s", line, SV_ARG(problem)));
}

/* The first document's node, or null when there is none. */
static bool build_document(struct reader *r, struct yml_node **ret)
{
	*ret = NULL;
	if (!next_event(r)) /* the stream's start */
		return false;
	if (!next_event(r))
		return false;
	if (r->events.current.type == YAML_STREAM_END_EVENT)
		return true;
	return check_version(r) && next_event(r) && build(r, ret) && next_event(r);
}

bool yml_nodes_read(struct arena *arena, sv text, struct yml_node **ret_root, sv *ret_problem)
{
	struct reader r = {.arena = arena, .anchors = map_in(arena)};
	struct yml_node *root;

	yml_events_open(&r.events, text, YAML_ANY_ENCODING);
	bool ok = build_document(&r, &root);
	yml_events_close(&r.events);
	if (ok)
		*ret_root = root;
	else
		*ret_problem = r.problem;
	return ok;
}
