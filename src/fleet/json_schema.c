/*
 * The JSON Schema (draft 7) of osm-gen's own documents, made from the tables of settings and the
 * shapes of documents. Editors use it to check and complete osm-gen.yaml.
 */
#include "fleet/internal.h"
#include "json/json.h"

static struct value text(const char *cstr)
{
	return value_string(sv_from_cstr(cstr));
}

static struct value texts(struct arena *arena, const char *first, const char *second,
                          const char *third)
{
	struct value list = value_list_new(arena);

	value_list_add(arena, &list, text(first));
	if (second)
		value_list_add(arena, &list, text(second));
	if (third)
		value_list_add(arena, &list, text(third));
	return list;
}

static struct value reference(struct arena *arena, const char *name)
{
	return VALUE_MAP(arena,
	                 {"$ref", value_string(arena_printf(arena, "#/definitions/%s", name))});
}

/* ---- settings ------------------------------------------------------------------------------ */

/* Returns the schema of a setting's value, to which its description is added. */
static struct value schema_of_kind(struct arena *arena, const struct setting *setting)
{
	struct value string = VALUE_MAP(arena, {"type", text("string")});
	struct value list =
	    VALUE_MAP(arena, {"type", texts(arena, "array", "string", "null")}, {"items", string});
	struct value map =
	    VALUE_MAP(arena, {"type", text("object")}, {"additionalProperties", list});
	struct value values = string;

	switch (setting->kind) {
	case SETTING_WORD:
		list = shape_words(arena, sv_from_cstr(setting->words), true);
		value_list_add(arena, &list, value_null());
		return VALUE_MAP(arena, {"enum", list});
	case SETTING_TEXT:
	case SETTING_VERSION:
	case SETTING_NAMESPACE:
	case SETTING_REFERENCE:
	case SETTING_URL:
	case SETTING_IMAGE:
	case SETTING_BUNDLE:
		return VALUE_MAP(arena, {"type", texts(arena, "string", "null", NULL)});
	case SETTING_BOOL:
		return VALUE_MAP(arena, {"type", texts(arena, "boolean", "null", NULL)});
	case SETTING_NUMBER:
		return VALUE_MAP(arena, {"type", texts(arena, "integer", "null", NULL)},
		                 {"minimum", value_int(setting->least)},
		                 {"maximum", setting->most < INT64_MAX ? value_int(setting->most)
		                                                       : VALUE_INVALID});
	case SETTING_LIST:
		return list;
	case SETTING_REPEAT:
		return VALUE_MAP(arena,
		                 {"anyOf", value_list_of(arena, (struct value[]){list, map}, 2)});
	case SETTING_SWITCHES:
		values = VALUE_MAP(arena, {"type", text("boolean")});
		break;
	case SETTING_LIMITS:
		values = VALUE_MAP(arena, {"type", text("integer")}, {"minimum", value_int(0)});
		break;
	case SETTING_MAP:
		break;
	}
	return VALUE_MAP(arena, {"type", texts(arena, "object", "string", "null")},
	                 {"additionalProperties", values});
}

/* Returns a list of the setting's example alone. */
static struct value examples_of(struct arena *arena, const struct setting *setting)
{
	BUG_ON(!setting->example);
	sv example = sv_from_cstr(setting->example);
	struct sink errors = sink_in(arena);
	struct value list;

	if (setting_is_string(setting))
		return texts(arena, setting->example, NULL, NULL);
	BUG_ON(json_parse(arena, &errors,
	                  source_new(arena, setting->name,
	                             ARENA_CONCAT(arena, SV("["), example, SV("]")), false),
	                  &list) != STATUS_OK);
	return list;
}

static struct value schema_of_settings(struct arena *arena)
{
	struct value properties = value_map_new(arena);
	size_t count;
	const struct setting *const *list = fleet_settings(arena, &count);

	for (size_t i = 0; i < count; i++) {
		struct value own = schema_of_kind(arena, list[i]);
		sv help = list[i]->initial ? arena_printf(arena, "%s (default %s)", list[i]->help,
		                                          list[i]->initial)
		                           : sv_from_cstr(list[i]->help);

		value_map_set(arena, &own, SV("description"), value_string(help));
		value_map_set(arena, &own, SV("examples"), examples_of(arena, list[i]));
		value_map_set(arena, &properties, list[i]->name, own);
	}
	return VALUE_MAP(arena, {"type", texts(arena, "object", "null", NULL)},
	                 {"properties", properties}, {"additionalProperties", value_bool(false)});
}

/* Replaces a member that is a map of settings, which has no shape. */
static void refer_to_settings(struct arena *arena, struct value *definitions, const char *spec,
                              const char *name)
{
	struct value *map = value_map_get_mutable(definitions, sv_from_cstr(spec));
	struct value *properties = value_map_get_mutable(map, SV("properties"));
	struct value *member = value_map_get_mutable(properties, sv_from_cstr(name));
	struct value settings = reference(arena, "settings");

	*member = VALUE_MAP(arena, {"allOf", value_list_of(arena, &settings, 1)},
	                    {"description", *value_map_get(member, SV("description"))});
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* The schema while its kinds of documents are added. */
struct documents {
	struct arena *arena;
	struct value kinds;
	struct value
	    rules; /* choose by `kind`, so that editors report mistakes of that kind only */
	struct value definitions;
};

static void add_document(struct documents *d, const struct shape *shape, unsigned absent)
{
	struct arena *arena = d->arena;
	const char *prefix = arena_cstr(arena, arena_printf(arena, "%s.", shape->name));
	const struct shape_schema schema = {.absent = absent, .prefix = prefix};
	struct value kind = VALUE_MAP(arena, {"const", text(shape->name)});
	struct value whole = shape_map_schema(arena, shape, &schema, &d->definitions);

	value_map_set(arena, &d->definitions, sv_from_cstr(shape->name), whole);
	value_list_add(arena, &d->kinds, text(shape->name));
	value_list_add(
	    arena, &d->rules,
	    VALUE_MAP(arena,
	              {"if", VALUE_MAP(arena, {"properties", VALUE_MAP(arena, {"kind", kind})})},
	              {"then", reference(arena, shape->name)}));
}

/* Returns the schema of a Fleet or a Cluster, whose spec has settings in the member `settings`. */
static struct value document_schema(struct arena *arena, const struct shape *shape, unsigned absent,
                                    const char *settings)
{
	const struct shape_schema how = {.title = shape->name, .absent = absent, .prefix = ""};
	struct value root = shape_json_schema(arena, shape, &how);
	struct value *definitions = value_map_get_mutable(&root, SV("definitions"));

	refer_to_settings(arena, definitions, "spec", settings);
	value_map_set(arena, definitions, SV("settings"), schema_of_settings(arena));
	return root;
}

void fleet_list_schemas(struct arena *arena, struct dialect_schemas *schemas)
{
	const struct dialect_schema fleet = {
	    .group = "osm-gen.dev",
	    .version = "v1alpha1",
	    .kind = "Fleet",
	    .about = "settings of the whole repository: osm-gen.yaml in its root",
	    .schema = document_schema(arena, &fleet_shape, 0, "defaults")};
	const struct dialect_schema cluster = {
	    .group = "osm-gen.dev",
	    .version = "v1alpha1",
	    .kind = "Cluster",
	    .about = "settings of one cluster: osm-gen.yaml in its folder",
	    .schema = document_schema(arena, &fleet_cluster_shape, FLEET_ONLY, "settings")};

	VEC_PUSH(arena, schemas, fleet);
	VEC_PUSH(arena, schemas, cluster);
}

void fleet_add_schema(struct buf *buf)
{
	struct arena *arena = buf->arena;
	struct documents d = {arena, value_list_new(arena), value_list_new(arena),
	                      value_map_new(arena)};
	size_t count;
	const struct dialect *const *list = dialects(&count);

	add_document(&d, &fleet_shape, 0);
	add_document(&d, &fleet_cluster_shape, FLEET_ONLY);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < list[i]->document_count; k++)
			add_document(&d, list[i]->documents[k].shape, 0);
	refer_to_settings(arena, &d.definitions, "Fleet.spec", "defaults");
	refer_to_settings(arena, &d.definitions, "Cluster.spec", "settings");
	value_map_set(arena, &d.definitions, SV("settings"), schema_of_settings(arena));
	struct value kind = VALUE_MAP(arena, {"enum", d.kinds});
	struct value root = VALUE_MAP(
	    arena, {"$schema", text("http://json-schema.org/draft-07/schema#")},
	    {"title", text("osm-gen")},
	    {"description",
	     text("A document of osm-gen.dev/v1alpha1. Made by `osm-gen config schema`.")},
	    {"type", text("object")}, {"properties", VALUE_MAP(arena, {"kind", kind})},
	    {"required", texts(arena, "kind", NULL, NULL)}, {"allOf", d.rules},
	    {"definitions", d.definitions});

	json_emit(buf, &root, JSON_PRETTY);
	buf_add_char(buf, '\n');
}
