/*
 * yaml.v3 v3.0.1 Unmarshal, for templates: where a mistake is data, and its text the library's.
 *
 * As there, the first document becomes a tree of nodes, and that becomes values.
 */
#include "codec/codec.h"
#include "golang/golang.h"
#include "yaml/nodes_v3.h"
#include "yaml/yaml.h"

struct decoder {
	struct arena *arena;
	unsigned depth;
	size_t decode_count;
	size_t alias_count;
	unsigned alias_depth;
	sv fatal;           /* the mistake that stopped it */
	VEC(sv) complaints; /* those that it went on after */
};

static bool stop(struct decoder *d, sv text)
{
	if (d->fatal.len == 0)
		d->fatal = ARENA_CONCAT(d->arena, SV("yaml: "), text);
	return false;
}

/* ---- times ------------------------------------------------------------------------------- */

const struct type yml_type_time = {.kind = KIND_STRING, .name = SV_INIT("time.Time")};

/* Two digits of the number at *i, or one. */
static int take_time_number(sv s, size_t *i)
{
	int n = 0;

	for (int k = 0; k < 2 && *i < s.len && ascii_is_digit(s.ptr[*i]); k++, ++*i)
		n = n * 10 + s.ptr[*i] - '0';
	return n;
}

/* Formats a string that yml_is_timestamp accepts as Go's Time.String does. */
static sv time_text(struct arena *arena, sv s)
{
	struct buf buf = buf_in(arena);
	int clock[3] = {0};
	size_t i = 5;
	int month = take_time_number(s, &i);

	i++;
	int day = take_time_number(s, &i);
	while (i < s.len && (s.ptr[i] == ' ' || s.ptr[i] == 'T' || s.ptr[i] == 't'))
		i++;
	for (size_t k = 0; i < s.len && k < 3; k++) {
		clock[k] = take_time_number(s, &i);
		i += k < 2;
	}
	buf_printf(&buf, "%.4s-%02d-%02d %02d:%02d:%02d", s.ptr, month, day, clock[0], clock[1],
	           clock[2]);
	if (i < s.len && (s.ptr[i] == '.' || s.ptr[i] == ',')) {
		size_t from = ++i;

		while (i < s.len && ascii_is_digit(s.ptr[i]))
			i++;
		sv digits = sv_trim_right(sv_slice(s, from, i < from + 9 ? i : from + 9), "0");
		if (digits.len > 0)
			buf_printf(&buf, ".%.*s", SV_ARG(digits));
	}
	sv zone = sv_from_offset(s, i);
	if (zone.len == 0 || zone.ptr[0] == 'Z' || sv_ends_with(zone, SV("00:00")))
		BUF_ADD_LIT(&buf, " +0000 UTC");
	else
		buf_printf(&buf, " %.3s%.2s %.3s%.2s", zone.ptr, zone.ptr + 4, zone.ptr,
		           zone.ptr + 4);
	return buf_sv(&buf);
}

/* ---- nodes to values --------------------------------------------------------------------- */

static void complain(struct decoder *d, sv text)
{
	VEC_PUSH(d->arena, &d->complaints, text);
}

static void complain_type(struct decoder *d, const struct yml_node *node, const char *into)
{
	bool is_plain_collection = sv_eq(node->tag, SV("!!seq")) || sv_eq(node->tag, SV("!!map"));
	sv value = SV("");

	if (!is_plain_collection && node->text.len > 10)
		value = ARENA_CONCAT(d->arena, SV(" `"), sv_slice(node->text, 0, 7), SV("...`"));
	else if (!is_plain_collection)
		value = ARENA_CONCAT(d->arena, SV(" `"), node->text, SV("`"));
	complain(d, ARENA_CONCAT(d->arena,
	                         arena_printf(d->arena, "line %zu: cannot unmarshal %.*s",
	                                      node->line, SV_ARG(node->tag)),
	                         value, SV(" into "), sv_from_cstr(into)));
}

static bool is_tag(const struct yml_node *node, const char *tag)
{
	return sv_eq_cstr(node->tag, tag);
}

/* Follows an alias. */
static const struct yml_node *real_node(const struct yml_node *node)
{
	return node->kind == YML_NODE_ALIAS ? node->target : node;
}

/* An alias must not lead to itself; other nodes may be entered always. */
static bool enter_alias(struct decoder *d, struct yml_node *node)
{
	if (node->kind != YML_NODE_ALIAS)
		return true;
	if (node->is_open)
		return stop(d, ARENA_CONCAT(d->arena, SV("anchor '"), node->text,
		                            SV("' value contains itself")));
	node->is_open = true;
	d->alias_depth++;
	return true;
}

static void leave_alias(struct decoder *d, struct yml_node *node)
{
	if (node->kind != YML_NODE_ALIAS)
		return;
	node->is_open = false;
	d->alias_depth--;
}

static bool decode_node(struct decoder *d, struct yml_node *node, struct value *ret);

/* False: reading has to stop. */
static bool decode_scalar(struct decoder *d, const struct yml_node *node, struct value *ret)
{
	struct value v;
	size_t error_at;
	sv bytes;
	sv is;

	*ret = value_string(node->text);
	if (is_tag(node, "!!binary")) {
		if (!base64_decode(d->arena, BASE64_STD, node->text, &bytes, &error_at))
			return stop(d, SV("!!binary value contains invalid base64 data"));
		*ret = value_string(bytes);
		return true;
	}
	bool is_ours = is_tag(node, "!!bool") || is_tag(node, "!!int") || is_tag(node, "!!float") ||
	               is_tag(node, "!!null") || is_tag(node, "!!timestamp");
	if (!is_ours)
		return true;
	v = yml_resolve_v3(node->text, &is);
	if (is_tag(node, "!!float") && v.type == &type_int) {
		v = value_float((double)v.integer);
		is = node->tag;
	}
	/* Times are looked for only where none or just that tag is. */
	if (!sv_eq(is, node->tag))
		return stop(d, ARENA_CONCAT(d->arena, SV("cannot decode "),
		                            sv_eq(is, SV("!!timestamp")) ? SV("!!str") : is,
		                            SV(" `"), node->text, SV("` as a "), node->tag));
	*ret = v;
	if (is_tag(node, "!!timestamp"))
		*ret = (struct value){.type = &yml_type_time,
		                      .string = time_text(d->arena, node->text)};
	return true;
}

/* ---- mappings ---------------------------------------------------------------------------- */

static bool is_merge(const struct yml_node *key)
{
	return key->kind == YML_NODE_SCALAR && sv_eq(key->text, SV("<<")) && is_tag(key, "!!merge");
}

static bool has_string_keys(const struct yml_node *map)
{
	for (size_t i = 0; i < map->children.count; i += 2) {
		const struct yml_node *key = real_node(map->children.items[i]);

		if (!is_tag(key, "!!str") && !is_tag(key, "!!merge"))
			return false;
	}
	return true;
}

/* Equal keys, all pairs of them, as the library lists them. */
static bool complain_duplicates(struct decoder *d, const struct yml_node *map)
{
	struct set seen = set_in(d->arena);
	size_t count = map->children.count;
	bool found = false;

	for (size_t i = 0; i < count; i += 2) {
		const struct yml_node *key = map->children.items[i];
		char kind[] = {(char)('0' + key->kind)};
		sv id = ARENA_CONCAT(d->arena, sv_from(kind, 1), key->text);

		found = !set_add(&seen, id) || found;
	}
	for (size_t i = 0; found && i < count; i += 2) {
		const struct yml_node *first = map->children.items[i];

		for (size_t k = i + 2; k < count && d->complaints.count < 1000; k += 2) {
			const struct yml_node *second = map->children.items[k];

			if (first->kind == second->kind && sv_eq(first->text, second->text))
				complain(d, arena_printf(
				                d->arena,
				                "line %zu: mapping key %.*s already defined at "
				                "line %zu",
				                second->line,
				                SV_ARG(go_strconv_quote(d->arena, second->text)),
				                first->line));
		}
	}
	return found;
}

/* A key of map[string]interface{}. False: the entry is left out. */
static bool decode_string_key(struct decoder *d, const struct yml_node *node, sv *ret)
{
	struct value v;

	node = real_node(node);
	if (node->kind != YML_NODE_SCALAR) {
		complain_type(d, node, "string");
		return false;
	}
	if (!decode_scalar(d, node, &v) || value_is_null(&v))
		return false;
	*ret = is_tag(node, "!!binary") ? v.string : node->text;
	return true;
}

/* Decodes a key of map[interface{}]interface{}; *ret_text is a string that no other key has. */
static bool decode_any_key(struct decoder *d, struct yml_node *node, struct value **ret_key,
                           sv *ret_text)
{
	struct value *key = ARENA_NEW(d->arena, struct value);

	if (!decode_node(d, node, key))
		return false;
	if (value_is_map(key) || value_is_list(key)) {
		/* COMPAT: the library shows the key in Go syntax here. */
		return stop(d, value_is_map(key) ? SV("invalid map key: a map")
		                                 : SV("invalid map key: a list"));
	}
	*ret_key = key;
	*ret_text = value_is_string(key) ? key->string : real_node(node)->text;
	return true;
}

struct filling {
	struct value *map;
	/* Keys that a merge must not set again, or null if this is not a merge. */
	struct set *taken;
	bool has_duplicates; /* nothing was filled in, then */
};

static bool fill(struct decoder *d, const struct yml_node *node, struct filling *into);

static bool merge_one(struct decoder *d, struct yml_node *from, struct filling *into)
{
	const struct yml_node *map = real_node(from);

	if (map->kind != YML_NODE_MAP)
		return stop(d, SV("map merge requires map or sequence of maps as the value"));
	if (!enter_alias(d, from))
		return false;
	bool ok = fill(d, map, into);
	leave_alias(d, from);
	return ok;
}

/* Keys written in the mapping win over merged ones, earlier merged ones over later. */
static bool merge_into(struct decoder *d, const struct yml_node *parent, struct yml_node *from,
                       struct filling *into)
{
	struct set taken = set_in(d->arena);
	struct filling merging = {into->map, into->taken ? into->taken : &taken, false};
	bool ok = true;

	for (size_t i = 0; !into->taken && i < parent->children.count; i += 2) {
		const struct yml_node *key = real_node(parent->children.items[i]);

		/* COMPAT: if keys become strings, one that was a number does not win. */
		if (is_tag(key, "!!str") || into->map->type == &type_any_key_map)
			set_add(&taken, key->text);
	}
	if (from->kind != YML_NODE_LIST)
		return merge_one(d, from, &merging);
	for (size_t i = 0; ok && i < from->children.count; i++)
		ok = merge_one(d, from->children.items[i], &merging);
	return ok;
}

static bool fill_entry(struct decoder *d, struct yml_node *key_node, struct yml_node *value_node,
                       struct filling *into)
{
	bool is_any = into->map->type == &type_any_key_map;
	struct value *typed_key = NULL;
	struct value value;
	sv key = {0};

	if (!(is_any ? decode_any_key(d, key_node, &typed_key, &key)
	             : decode_string_key(d, key_node, &key)))
		return d->fatal.len == 0;
	if (into->taken && !set_add(into->taken, key))
		return true;
	if (!decode_node(d, value_node, &value))
		return d->fatal.len == 0;
	value_map_set(d->arena, into->map, key, value);
	if (is_any)
		value_map_find_mutable(into->map, key)->typed_key = typed_key;
	return true;
}

/* The mapping's entries into a map. False: reading has to stop. */
static bool fill(struct decoder *d, const struct yml_node *node, struct filling *into)
{
	struct yml_node *merged = NULL;

	into->has_duplicates = complain_duplicates(d, node);
	if (into->has_duplicates)
		return true;
	if (++d->depth > YML_MAX_DEPTH)
		return stop(d, arena_printf(d->arena, "exceeded max depth of %d", YML_MAX_DEPTH));
	for (size_t i = 0; i + 1 < node->children.count; i += 2) {
		if (is_merge(node->children.items[i]))
			merged = node->children.items[i + 1];
		else if (!fill_entry(d, node->children.items[i], node->children.items[i + 1], into))
			return false;
	}
	bool ok = !merged || merge_into(d, node, merged, into);
	d->depth--;
	return ok;
}

/* ---- values ------------------------------------------------------------------------------ */

/* Go's bound on what aliases add: 99 % of small documents, 10 % of large ones. */
static bool check_aliases(struct decoder *d)
{
	double low = 400000;
	double high = 4000000;
	double count = (double)d->decode_count;
	double allowed = count <= low    ? 0.99
	                 : count >= high ? 0.10
	                                 : 0.99 - 0.89 * ((count - low) / (high - low));

	d->decode_count++;
	d->alias_count += d->alias_depth > 0;
	if (d->alias_count > 100 && d->decode_count > 1000 &&
	    (double)d->alias_count / (double)d->decode_count > allowed)
		return stop(d, SV("document contains excessive aliasing"));
	return true;
}

static bool decode_list(struct decoder *d, const struct yml_node *node, struct value *ret)
{
	struct value item;

	*ret = value_list_new(d->arena);
	if (++d->depth > YML_MAX_DEPTH)
		return stop(d, arena_printf(d->arena, "exceeded max depth of %d", YML_MAX_DEPTH));
	for (size_t i = 0; i < node->children.count; i++) {
		if (decode_node(d, node->children.items[i], &item))
			value_list_add(d->arena, ret, item);
		else if (d->fatal.len > 0)
			return false;
	}
	d->depth--;
	return true;
}

static bool decode_map(struct decoder *d, const struct yml_node *node, struct value *ret)
{
	struct value map = value_map_new(d->arena);
	struct filling filling = {.map = &map};

	if (!has_string_keys(node))
		map.type = &type_any_key_map;
	if (!fill(d, node, &filling))
		return false;
	*ret = map;
	return !filling.has_duplicates;
}

/* Decodes a node as interface{}. Returns false if a recorded mistake left no value. */
static bool decode_node(struct decoder *d, struct yml_node *node, struct value *ret)
{
	bool ok = false;

	if (!check_aliases(d))
		return false;
	switch (node->kind) {
	case YML_NODE_SCALAR:
		return decode_scalar(d, node, ret);
	case YML_NODE_LIST:
		return decode_list(d, node, ret);
	case YML_NODE_MAP:
		return decode_map(d, node, ret);
	case YML_NODE_ALIAS:
		if (!enter_alias(d, node))
			return false;
		ok = decode_node(d, (struct yml_node *)node->target, ret);
		leave_alias(d, node);
		return ok;
	}
	BUG("a kind out of range");
}

static void decode_root(struct decoder *d, struct yml_node *root, bool wants_list,
                        struct value *ret)
{
	const char *into = wants_list ? "[]interface {}" : "map[string]interface {}";

	if (is_tag(root, "!!null") && root->kind == YML_NODE_SCALAR) {
		struct value ignored;

		if (!decode_scalar(d, root, &ignored))
			return;
		*ret = (struct value){.type = wants_list ? &type_any_list : &type_any_map};
		return;
	}
	if (root->kind == (wants_list ? YML_NODE_LIST : YML_NODE_MAP)) {
		if (wants_list)
			(void)decode_list(d, root, ret);
		else
			(void)fill(d, root, &(struct filling){.map = ret});
		return;
	}
	if (root->kind == YML_NODE_MAP && complain_duplicates(d, root))
		return;
	complain_type(d, root, into);
}

bool yml_decode_v3(struct arena *arena, sv text, bool wants_list, struct value *ret_value,
                   sv *ret_error)
{
	struct decoder d = {.arena = arena};
	struct yml_node *root;
	sv problem;

	*ret_value = wants_list ? value_list_new(arena) : value_map_new(arena);
	if (text.len > YML_MAX_SIZE) {
		*ret_error = SV("yaml: the text is too long");
		return false;
	}
	if (!yml_nodes_read(arena, text, &root, &problem))
		stop(&d, problem);
	else if (root)
		decode_root(&d, root, wants_list, ret_value);
	if (d.fatal.len == 0 && d.complaints.count == 0)
		return true;
	struct buf error = buf_in(arena);
	if (d.fatal.len > 0)
		buf_add(&error, d.fatal);
	else
		BUF_ADD_LIT(&error, "yaml: unmarshal errors:");
	for (size_t i = 0; d.fatal.len == 0 && i < d.complaints.count; i++) {
		BUF_ADD_LIT(&error, "\n  ");
		buf_add(&error, d.complaints.items[i]);
	}
	*ret_error = buf_sv(&error);
	return false;
}
