/*
 * The tables of a TOML text: what its keys and headers have defined so far.
 */
#include "toml/tables.h"

#include "toml/toml.h"

const struct type toml_type_tables = {
    .kind = KIND_SLICE,
    .name = SV_INIT("[]map[string]interface {}"),
    .elem = &type_any_map,
};

/* ---- paths ------------------------------------------------------------------------------- */

struct toml_path toml_path_add(struct arena *arena, struct toml_path path, sv part)
{
	sv *parts = ARENA_ARRAY(arena, sv, path.count + 1);

	if (path.count > 0)
		memcpy(parts, path.parts, path.count * sizeof(*parts));
	parts[path.count] = part;
	return (struct toml_path){parts, path.count + 1};
}

sv toml_path_text(struct arena *arena, struct toml_path path)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < path.count; i++) {
		if (i > 0)
			buf_add_char(&buf, '.');
		toml_add_key(&buf, path.parts[i]);
	}
	return buf_sv(&buf);
}

/* ---- tables ------------------------------------------------------------------------------ */

struct toml_key_info *toml_tables_info(struct toml_tables *t, struct toml_path path)
{
	sv text = toml_path_text(t->arena, path);
	struct toml_key_info *info = map_get(&t->infos, text);

	if (!info) {
		info = ARENA_NEW(t->arena, struct toml_key_info);
		map_put(&t->infos, text, info);
	}
	return info;
}

/* The table that a value is, or the last one of an array of tables; false for others. */
static bool as_table(const struct value *v, struct value *ret)
{
	if (v->type == &toml_type_tables)
		v = value_item(v, value_count(v) - 1);
	if (!value_is_map(v))
		return false;
	*ret = *v;
	return true;
}

static bool fail_defined(struct toml_tables *t, struct toml_path path)
{
	return toml_fail_at(t->lx, t->line, "Key '%.*s' has already been defined.",
	                    SV_ARG(toml_path_text(t->arena, path)));
}

/* A table that was only implied may be defined once. */
bool toml_tables_set(struct toml_tables *t, sv key, struct value value)
{
	struct value table = t->root;

	for (size_t i = 0; i < t->context.count; i++) {
		const struct value *next = value_map_get(&table, t->context.parts[i]);

		if (!next)
			BUG("a table that was not opened");
		if (!as_table(next, &table))
			return fail_defined(t, (struct toml_path){t->context.parts, i + 1});
	}
	struct toml_path path = toml_path_add(t->arena, t->context, key);
	if (!value_map_get(&table, key)) {
		value_map_set(t->arena, &table, key, value);
		return true;
	}
	struct toml_key_info *info = toml_tables_info(t, path);
	if (!info->is_implicit)
		return fail_defined(t, path);
	info->is_implicit = false;
	if (info->is_array)
		value_map_set(t->arena, &table, key, value);
	return true;
}

/* Appends a new table to the array of tables under key. */
static bool add_table(struct toml_tables *t, struct value *parent, struct toml_path path)
{
	sv key = path.parts[path.count - 1];
	struct value *tables = value_map_get_mutable(parent, key);

	if (!tables) {
		struct value list = value_list_new(t->arena);

		list.type = &toml_type_tables;
		value_map_set(t->arena, parent, key, list);
		tables = value_map_get_mutable(parent, key);
	}
	if (tables->type != &toml_type_tables)
		return toml_fail_at(
		    t->lx, t->line,
		    "Key '%.*s' was already created and cannot be used as an array.",
		    SV_ARG(toml_path_text(t->arena, path)));
	value_list_add(t->arena, tables, value_map_new(t->arena));
	return true;
}

bool toml_tables_open(struct toml_tables *t, struct toml_path path, bool is_array)
{
	struct value table = t->root;

	BUG_ON(path.count == 0);
	if (path.count > TOML_MAX_DEPTH)
		return toml_fail_depth(t->lx);
	for (size_t i = 0; i + 1 < path.count; i++) {
		struct toml_path parent = {path.parts, i + 1};

		if (!value_map_get(&table, path.parts[i])) {
			toml_tables_info(t, parent)->is_implicit = true;
			value_map_set(t->arena, &table, path.parts[i], value_map_new(t->arena));
		}
		if (!as_table(value_map_get(&table, path.parts[i]), &table))
			return toml_fail_at(t->lx, t->line,
			                    "Key '%.*s' was already created as a hash.",
			                    SV_ARG(toml_path_text(t->arena, parent)));
	}
	t->context = (struct toml_path){path.parts, path.count - 1};
	if (is_array ? !add_table(t, &table, path)
	             : !toml_tables_set(t, path.parts[path.count - 1], value_map_new(t->arena)))
		return false;
	t->context = path;
	return true;
}
