/*
 * Manifests: libyaml's events to values, each with its position in the text, under YAML 1.1's
 * rules.
 */
#include "yaml/yaml.h"

#include "yaml/events.h"
#include "yaml/problem.h"
#include "yaml/resolve.h"

#include <math.h>

/* A node as read: what its parents need to know of it besides the value. */
struct parsed {
	struct value value;
	size_t end;      /* offset after its last byte */
	size_t count;    /* nodes in it, aliases expanded */
	unsigned height; /* 0 for a scalar */
};

struct anchor {
	struct parsed node;
	bool open; /* still being read: an alias to it would hold itself */
};

/* Entries of the mapping under construction at one depth. */
struct bench {
	struct value_entry *entries;
	size_t cap;
};

struct reader {
	struct arena *arena;
	struct arena *scratch; /* of the secret kind: entries may hold numbers that are secret */
	struct bench *benches; /* one for each depth, in scratch */
	struct sink *sink;
	struct yml_text text;
	struct yml_events events;
	struct map anchors; /* of this document: name to struct anchor */
	unsigned depth;
	size_t nodes;
	size_t alias_nodes;
	bool failed;             /* a mistake was reported that reading goes on after */
	size_t cuts_passed;      /* of text.cuts */
	enum yml_cut_result cut; /* of the last scalar */
	bool is_cut_wrongly;     /* the text has to be read whole */
};

/* ---- events ------------------------------------------------------------------------------ */

static bool next_event(struct reader *r)
{
	if (yml_events_next(&r->events))
		return true;
	yml_report_problem(r->sink, &r->text, &r->events.parser);
	return false;
}

static sv tag_text(const yaml_event_t *event)
{
	return sv_from_cstr((const char *)event->data.scalar.tag);
}

static size_t origin_end(struct origin origin)
{
	return (size_t)origin.offset + origin.length;
}

static struct diag *report_node(struct reader *r, enum diag_code code, struct origin origin,
                                const char *text)
{
	struct position at = origin_position(origin);
	struct diag *diag = diag_report(r->sink, code, at, "%s", text);

	r->failed = true;
	return diag;
}

/* ---- scalars ----------------------------------------------------------------------------- */

/* The current scalar event's value, before JSON. */
static struct value read_scalar(struct reader *r, struct origin origin)
{
	const yaml_event_t *event = &r->events.current;
	sv text;
	sv tag = tag_text(event);
	struct value v;
	struct diag *diag;

	r->cut = yml_whole_text(r->scratch, &r->text, event, &r->cuts_passed, &text);
	r->is_cut_wrongly |= r->cut == YML_CUT_UNKNOWN;
	if (r->cut == YML_CUT && origin.style == ORIGIN_PLAIN)
		origin.style = ORIGIN_EXACT;
	if (tag.len == 0) {
		v = event->data.scalar.plain_implicit ? yml_resolve(text) : value_string(text);
	} else if (!yml_apply_tag(r->arena, tag, text, &v)) {
		diag = diag_report(r->sink, DIAG_YAML_VALUE, origin_position(origin),
		                   "the value contradicts its tag !!%.*s",
		                   SV_ARG(sv_from_offset(tag, sizeof(YML_TAG_PREFIX) - 1)));
		diag_set_help(r->sink, diag, "remove the tag, or correct the value");
		r->failed = true;
		v = value_null();
	}
	if (value_is_string(&v))
		v.string = arena_dup(r->arena, v.string);
	v.origin = origin;
	return v;
}

/* The form that the value has after a conversion to JSON. */
static void pass_through_json(struct reader *r, struct value *v)
{
	if (v->type != &type_float64)
		return;
	if (isfinite(v->real)) {
		yml_settle_number(v);
		return;
	}
	struct diag *diag = report_node(r, DIAG_YAML_VALUE, v->origin,
	                                isnan(v->real) ? "JSON has no such number as .nan"
	                                               : "JSON has no infinite numbers");
	diag_set_help(r->sink, diag, "put it in quotes when it is meant as text");
}

/* ---- anchors ----------------------------------------------------------------------------- */

static struct anchor *open_anchor(struct reader *r, const yaml_char_t *name)
{
	if (!name)
		return NULL;
	struct anchor *anchor = ARENA_NEW(r->arena, struct anchor);
	anchor->open = true;
	map_put(&r->anchors, arena_dup(r->arena, sv_from_cstr((const char *)name)), anchor);
	return anchor;
}

static void close_anchor(struct anchor *anchor, const struct parsed *node)
{
	if (anchor)
		*anchor = (struct anchor){.node = *node};
}

/* ---- keys -------------------------------------------------------------------------------- */

enum key_kind { KEY_TEXT, KEY_MERGE, KEY_REFUSED };

struct key {
	enum key_kind kind;
	sv text;
	struct origin origin;
};

static bool read_node(struct reader *r, struct parsed *ret);

static void refuse_key(struct reader *r, const struct value *v)
{
	const char *what = value_is_map(v)    ? "a mapping cannot be a key"
	                   : value_is_list(v) ? "a list cannot be a key"
	                   : value_is_null(v) ? "null cannot be a key"
	                                      : "a number above 2^63-1 cannot be a key";
	struct diag *diag = report_node(r, DIAG_YAML_VALUE, v->origin, what);

	diag_set_help(r->sink, diag, "%s",
	              yml_line_has_action(origin_position(v->origin)) ? YML_HELP_ACTION
	                                                              : "put the key in quotes");
}

static bool read_key(struct reader *r, struct key *ret)
{
	const yaml_event_t *event = &r->events.current;
	struct parsed node;

	if (event->type == YAML_SCALAR_EVENT) {
		struct anchor *anchor = open_anchor(r, event->data.scalar.anchor);

		node = (struct parsed){
		    .value = read_scalar(r, yml_event_origin(&r->text, &r->events.current)),
		    .count = 1};
		close_anchor(anchor, &node);
		ret->origin = node.value.origin;
		/* libyaml refuses a long key. */
		r->is_cut_wrongly |= r->cut != YML_NOT_CUT;
		if (sv_eq(yml_scalar_text(event), SV("<<")) &&
		    (event->data.scalar.plain_implicit ||
		     sv_eq(tag_text(event), SV(YML_TAG_PREFIX "merge")))) {
			ret->kind = KEY_MERGE;
			return true;
		}
	} else {
		ret->origin = yml_event_origin(&r->text, &r->events.current);
		if (!read_node(r, &node))
			return false;
	}
	ret->kind = KEY_TEXT;
	if (!yml_key_text(r->arena, &node.value, &ret->text)) {
		ret->kind = KEY_REFUSED;
		refuse_key(r, &node.value);
	}
	return true;
}

/* ---- mappings ---------------------------------------------------------------------------- */

/* A mapping under construction. */
struct mapping {
	struct value value;
	/* Keys written in it, once a merge has added others: values are origins. */
	struct map written;
	bool has_merge;
};

static void record_written(struct reader *r, struct mapping *m, sv key, struct origin origin)
{
	struct origin *copy = ARENA_NEW(r->arena, struct origin);

	*copy = origin;
	map_put(&m->written, key, copy);
}

static const struct origin *find_written(const struct mapping *m, sv key)
{
	if (m->has_merge)
		return map_get(&m->written, key);
	const struct value_entry *entry = value_map_find(&m->value, key);
	return entry ? &entry->key_origin : NULL;
}

static void add_entry(struct reader *r, struct mapping *m, const struct key *key,
                      struct value value)
{
	const struct origin *first = find_written(m, key->text);

	if (first) {
		struct diag *diag =
		    diag_report(r->sink, DIAG_YAML_DUPLICATE_KEY, origin_position(key->origin),
		                "key \"%.*s\" is given twice", SV_ARG(key->text));
		diag_add_note(r->sink, diag, origin_position(*first), "first given here");
		diag_set_help(r->sink, diag, "remove one of the two");
		r->failed = true;
		return;
	}
	if (m->has_merge)
		record_written(r, m, key->text, key->origin);
	value_map_set_at(r->scratch, &m->value, key->text, key->origin, value);
}

static void start_merging(struct reader *r, struct mapping *m)
{
	if (m->has_merge)
		return;
	m->has_merge = true;
	m->written = map_in(r->arena);
	for (size_t i = 0; i < value_count(&m->value); i++) {
		const struct value_entry *entry = &m->value.map->entries[i];

		record_written(r, m, entry->key, entry->key_origin);
	}
}

/* COMPAT: yaml.v2 merges in the order written, so that `<<` also overrides keys before it. */
static void merge_one(struct reader *r, struct mapping *m, const struct value *from)
{
	for (size_t i = 0; i < value_count(from); i++) {
		const struct value_entry *entry = &from->map->entries[i];

		value_map_set_at(r->scratch, &m->value, entry->key, entry->key_origin,
		                 entry->value);
	}
}

static void merge_mapping(struct reader *r, struct mapping *m, const struct value *from,
                          bool is_alias)
{
	bool ok = value_is_map(from);

	start_merging(r, m);
	if (ok)
		merge_one(r, m, from);
	if (value_is_list(from) && !is_alias) {
		ok = true;
		for (size_t i = 0; i < value_count(from); i++)
			ok = ok && value_is_map(value_item(from, i));
		/* Earlier ones win. */
		for (size_t i = value_count(from); ok && i-- > 0;)
			merge_one(r, m, value_item(from, i));
	}
	if (!ok) {
		struct diag *diag = report_node(r, DIAG_YAML_VALUE, from->origin,
		                                "`<<` takes a mapping, or a list of mappings");
		diag_set_help(r->sink, diag, "name the anchor of a mapping: `<<: *name`");
	}
}

/* ---- nodes ------------------------------------------------------------------------------- */

static bool check_limits(struct reader *r)
{
	const char *text = NULL;

	if (quota_is_exceeded(r->text.source->values)) {
		quota_report(r->sink, r->text.source->values);
		r->failed = true;
		return false;
	}
	if (r->depth > YML_MAX_DEPTH)
		text = "lists and mappings are nested too deeply";
	else if (r->nodes > YML_MAX_NODES)
		text = "the file has too many values";
	else if (r->alias_nodes > YML_MAX_ALIAS)
		text = "aliases repeat too much";
	if (!text)
		return true;
	struct diag *diag =
	    report_node(r, DIAG_YAML_LIMIT, yml_event_origin(&r->text, &r->events.current), text);
	diag_set_help(r->sink, diag,
	              "at most %d levels, %zu values, and %zu values by aliases are read",
	              YML_MAX_DEPTH, YML_MAX_NODES, YML_MAX_ALIAS);
	return false;
}

static bool read_alias(struct reader *r, struct parsed *ret)
{
	sv name = sv_from_cstr((const char *)r->events.current.data.alias.anchor);
	const struct anchor *anchor = map_get(&r->anchors, name);
	struct origin origin = yml_event_origin(&r->text, &r->events.current);

	*ret = (struct parsed){.value = value_null(), .end = origin_end(origin), .count = 1};
	ret->value.origin = origin;
	if (!anchor || anchor->open) {
		struct diag *diag =
		    diag_report(r->sink, DIAG_YAML_VALUE, origin_position(origin),
		                /* Perhaps it is a password that begins with "*": no name. */
		                anchor ? "the anchor of this alias would hold itself"
		                       : "there is no anchor for this alias before it");
		diag_set_help(r->sink, diag, "put a value that starts with * in quotes");
		r->failed = true;
		return true;
	}
	r->alias_nodes += anchor->node.count;
	(void)quota_take(r->text.source->values, anchor->node.count);
	r->depth += anchor->node.height;
	bool ok = check_limits(r);
	r->depth -= anchor->node.height;
	if (!ok)
		return false;
	ret->value = value_copy(r->arena, &anchor->node.value);
	ret->count = anchor->node.count;
	ret->height = anchor->node.height;
	return true;
}

static void add_child(struct parsed *parent, const struct parsed *child)
{
	parent->count += child->count;
	if (parent->height <= child->height)
		parent->height = child->height + 1;
	if (parent->end < child->end)
		parent->end = child->end;
}

/* Ends a list or mapping: flow ones with their bracket, block ones with their last child. */
static void close_collection(struct reader *r, struct parsed *node, struct origin origin,
                             bool is_flow)
{
	if (is_flow)
		node->end = yml_text_offset(&r->text, r->events.current.end_mark.index);
	origin.length = (uint32_t)(node->end - origin.offset);
	node->value.origin = origin;
}

static bool read_sequence(struct reader *r, struct parsed *ret)
{
	bool is_flow = r->events.current.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	struct origin origin = yml_event_origin(&r->text, &r->events.current);
	struct parsed list = {
	    .value = value_list_new(r->arena), .end = origin.offset, .count = 1, .height = 1};
	struct parsed item;

	for (;;) {
		if (!next_event(r))
			return false;
		if (r->events.current.type == YAML_SEQUENCE_END_EVENT)
			break;
		if (!read_node(r, &item))
			return false;
		add_child(&list, &item);
		value_list_add(r->arena, &list.value, item.value);
	}
	close_collection(r, &list, origin, is_flow);
	*ret = list;
	return true;
}

/*
 * Begins a mapping in the memory that other mappings of its depth have used. Most mappings of a
 * manifest have one or two entries, and a large fleet has many of them: they are kept at their
 * exact size.
 */
static struct mapping begin_mapping(struct reader *r)
{
	struct mapping m = {.value = value_map_new(r->arena)};
	struct bench *bench = &r->benches[r->depth];

	m.value.map->entries = bench->entries;
	m.value.map->cap = bench->cap;
	return m;
}

static struct value end_mapping(struct reader *r, const struct mapping *m)
{
	struct value_map *map = m->value.map;
	struct value_entry *entries = ARENA_ARRAY(r->arena, struct value_entry, map->count);

	r->benches[r->depth] = (struct bench){map->entries, map->cap};
	if (map->count > 0)
		memcpy(entries, map->entries, map->count * sizeof(*entries));
	map->entries = entries;
	map->cap = map->count;
	return m->value;
}

static bool read_mapping(struct reader *r, struct parsed *ret)
{
	bool is_flow = r->events.current.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
	struct origin origin = yml_event_origin(&r->text, &r->events.current);
	struct mapping m = begin_mapping(r);
	struct parsed map = {.end = origin.offset, .count = 1, .height = 1};
	struct parsed item;
	struct key key;

	for (;;) {
		if (!next_event(r))
			return false;
		if (r->events.current.type == YAML_MAPPING_END_EVENT)
			break;
		if (!read_key(r, &key) || !next_event(r))
			return false;
		bool is_alias = r->events.current.type == YAML_ALIAS_EVENT;
		if (!read_node(r, &item))
			return false;
		map.end = origin_end(key.origin);
		add_child(&map, &item);
		if (key.kind == KEY_MERGE)
			merge_mapping(r, &m, &item.value, is_alias);
		else if (key.kind == KEY_TEXT)
			add_entry(r, &m, &key, item.value);
	}
	map.value = end_mapping(r, &m);
	close_collection(r, &map, origin, is_flow);
	*ret = map;
	return true;
}

/* Reads the node that the current event starts. False: reading has to stop. */
static bool read_node(struct reader *r, struct parsed *ret)
{
	struct anchor *anchor;
	bool ok = true;

	r->nodes++;
	r->depth++;
	(void)quota_take(r->text.source->values,
	                 r->events.current.type == YAML_MAPPING_START_EVENT    ? QUOTA_MAP
	                 : r->events.current.type == YAML_SEQUENCE_START_EVENT ? QUOTA_LIST
	                                                                       : 1);
	if (!check_limits(r))
		return false;
	switch ((int)r->events.current.type) {
	case YAML_SCALAR_EVENT:
		anchor = open_anchor(r, r->events.current.data.scalar.anchor);
		*ret = (struct parsed){
		    .value = read_scalar(r, yml_event_origin(&r->text, &r->events.current)),
		    .count = 1};
		pass_through_json(r, &ret->value);
		ret->end = origin_end(ret->value.origin);
		close_anchor(anchor, ret);
		break;
	case YAML_ALIAS_EVENT:
		ok = read_alias(r, ret);
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = open_anchor(r, r->events.current.data.sequence_start.anchor);
		ok = read_sequence(r, ret);
		if (ok)
			close_anchor(anchor, ret);
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = open_anchor(r, r->events.current.data.mapping_start.anchor);
		ok = read_mapping(r, ret);
		if (ok)
			close_anchor(anchor, ret);
		break;
	default:
		BUG("an event that starts no node");
	}
	r->depth--;
	return ok;
}

/* ---- documents --------------------------------------------------------------------------- */

static bool read_documents(struct reader *r, struct yml_documents *documents)
{
	struct parsed node;

	if (!next_event(r)) /* the stream's start */
		return false;
	for (;;) {
		if (!next_event(r))
			return false;
		if (r->events.current.type == YAML_STREAM_END_EVENT)
			return true;
		r->anchors = map_in(r->arena);
		if (!next_event(r) || !read_node(r, &node) || !next_event(r))
			return false;
		VEC_PUSH(
		    r->arena, documents,
		    (struct yml_document){.root = node.value, .at = value_position(&node.value)});
	}
}

/* Reads the text, and returns false if it cannot. */
static bool read_text(struct reader *r, struct yml_documents *ret_documents)
{
	struct yml_documents documents = {0};

	yml_events_open(&r->events, r->text.read, YAML_UTF8_ENCODING);
	bool ok = read_documents(r, &documents);
	yml_events_close(&r->events);
	*ret_documents = documents;
	return ok && !r->failed && !r->is_cut_wrongly && yml_cuts_end(&r->text, r->cuts_passed);
}

/*
 * Reads the text without its long ciphertexts and literals. A document with a mistake is read whole
 * after that, and charged again.
 */
static bool read_cut_text(const struct reader *r, struct yml_documents *ret_documents)
{
	struct sink unused = sink_in(r->scratch);
	struct reader cut = *r;

	cut.sink = &unused;
	return yml_text_cut(r->scratch, &cut.text) && read_text(&cut, ret_documents);
}

enum status yml_parse(struct arena *arena, struct sink *sink, const struct source *source,
                      struct yml_documents *ret_documents)
{
	ARENA_AUTO scratch = arena_new(ARENA_SECRET);
	struct reader r = {.arena = arena, .scratch = scratch, .sink = sink};
	struct yml_documents documents = {0};

	if (yml_text_open(arena, sink, source, &r.text))
		return STATUS_FAILED;
	if (r.text.body.len == 0) {
		*ret_documents = documents;
		return STATUS_OK;
	}
	r.benches = ARENA_ARRAY(scratch, struct bench, YML_MAX_DEPTH + 1);
	if (!read_cut_text(&r, &documents) && !read_text(&r, &documents))
		return STATUS_FAILED;
	*ret_documents = documents;
	return STATUS_OK;
}

const char *yml_library_version(void)
{
	return yaml_get_version_string();
}

struct value *yml_parse_one(struct arena *arena, sv name, sv text, bool is_confidential)
{
	struct sink unused = sink_in(arena);
	struct yml_documents documents = {0};
	const struct source *source = source_new(arena, name, text, is_confidential);

	if (yml_parse(arena, &unused, source, &documents) != STATUS_OK || documents.count != 1)
		return NULL;
	return &documents.items[0].root;
}
