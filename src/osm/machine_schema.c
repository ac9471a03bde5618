/*
 * JSON Schemas of MachineDeployments, of the tables that their readers use.
 */
#include "osm/admission/admission.h"
#include "osm/cloud.h"
#include "osm/machine.h"

/* The decoders of clouds and operating systems ignore the case of names. */
static const struct shape_schema options = {
    .title = "MachineDeployment",
    .description = "machines of one kind, as machine-controller and operating-system-manager have "
                   "them",
    .options = SHAPE_FOLDS_CASE,
};

/* Returns the member of maps in maps, "a.b.c", which must be there. */
static struct value *schema_part(struct value *map, const char *path)
{
	struct sv_splitter it = sv_split(sv_from_cstr(path), '.');
	sv name;

	while (sv_split_next(&it, &name))
		map = value_map_get_mutable(map, name);
	return map;
}

/* Returns {"if": the member has one of these strings, "then": {"properties": {NAME: made}}}. */
static struct value condition(struct arena *arena, const char *member, struct value choices,
                              const char *name, struct value made, bool is_required)
{
	struct value given = value_string(sv_from_cstr(member));
	struct value wanted = value_string(sv_from_cstr(name));
	struct value choice = VALUE_MAP(arena, {"enum", choices});

	return VALUE_MAP(
	    arena,
	    {"if", VALUE_MAP(arena, {"properties", VALUE_MAP(arena, {member, choice})},
	                     {"required", value_list_of(arena, &given, 1)})},
	    {"then", VALUE_MAP(arena, {"properties", VALUE_MAP(arena, {name, made})},
	                       {"required",
	                        is_required ? value_list_of(arena, &wanted, 1) : VALUE_INVALID})});
}

static struct value cloud_condition(struct arena *arena, sv provider, const struct shape *shape,
                                    struct value *definitions)
{
	const struct shape_member spec = {
	    .type = SHAPE_MAP,
	    .of = shape,
	    .flags = SHAPE_REQUIRED,
	    .help = shape_find(&osm_config_shape, SV("cloudProviderSpec"), 0)->help,
	};
	struct value made = shape_member_schema(arena, &spec, &options, definitions);

	return condition(arena, "cloudProvider", value_strings(arena, &provider, 1),
	                 "cloudProviderSpec", made, true);
}

/* Members that only other operating systems have may be there, with any value. */
static struct value system_condition(struct arena *arena, const struct value *systems,
                                     unsigned absent, struct value *definitions)
{
	struct value map = shape_map_schema(arena, &osm_system_shape, &options, definitions);
	struct value *properties = value_map_get_mutable(&map, SV("properties"));
	const sv types[] = {SV("object"), SV("null")};

	for (size_t i = 0; i < osm_system_shape.count; i++)
		if (osm_system_shape.members[i].flags & absent)
			value_map_set(
			    arena, properties, sv_from_cstr(osm_system_shape.members[i].name),
			    VALUE_MAP(arena,
			              {"description",
			               value_string(SV("ignored: it is for another operating "
			                               "system"))}));
	value_map_set(arena, &map, SV("type"), value_strings(arena, types, COUNT_OF(types)));
	return condition(arena, "operatingSystem", *systems, "operatingSystemSpec", map, false);
}

/* Returns the parts of providerSpec.value that depend on the cloud and the operating system. */
static struct value conditions(struct arena *arena, sv provider, struct value *definitions)
{
	struct value list = value_list_new(arena);
	size_t count;
	const struct osm_provider *providers = osm_provider_table(&count);

	for (size_t i = 0; i < OSM_OS_COUNT; i++) {
		unsigned absent = osm_system_absent(osm_os_names[i]);
		struct value systems = value_list_new(arena);
		bool is_first = true;

		for (size_t k = 0; k < OSM_OS_COUNT; k++) {
			bool is_same = osm_system_absent(osm_os_names[k]) == absent;

			is_first = is_first && !(is_same && k < i);
			if (is_same)
				value_list_add(arena, &systems, value_string(osm_os_names[k]));
		}
		if (is_first)
			value_list_add(arena, &list,
			               system_condition(arena, &systems, absent, definitions));
	}
	for (size_t i = 0; i < count; i++) {
		const struct shape *shape = osm_cloud_shape(providers[i].name);

		if (shape && (sv_empty(provider) || sv_eq(provider, providers[i].name)))
			value_list_add(
			    arena, &list,
			    cloud_condition(arena, providers[i].name, shape, definitions));
	}
	return list;
}

struct value osm_machine_schema(struct arena *arena, sv provider)
{
	struct value root = shape_json_schema(arena, &osm_machine_shape, &options);
	struct value definitions = *value_map_get(&root, SV("definitions"));
	const struct shape_member config = {
	    .type = SHAPE_MAP,
	    .of = &osm_config_shape,
	    .flags = SHAPE_REQUIRED,
	    .help =
	        value_path(&definitions, "ProviderSpec.properties.value.description")->string.ptr,
	};
	const struct shape_member name = {.name = "name", .flags = SHAPE_FILLED};
	const struct shape named = {.members = &name, .count = 1, .is_open = true};
	struct value made = shape_member_schema(arena, &config, &options, &definitions);
	struct value list = conditions(arena, provider, &definitions);
	struct value clouds = value_list_new(arena);
	size_t count;
	const struct osm_provider *providers = osm_provider_table(&count);

	for (size_t i = 0; i < count; i++)
		if (sv_empty(provider) || sv_eq(provider, providers[i].name))
			value_list_add(arena, &clouds, value_string(providers[i].name));
	value_map_set(arena, schema_part(&definitions, "Config.properties.cloudProvider"),
	              SV("enum"), clouds);
	value_map_set(arena, schema_part(&definitions, "Config"), SV("allOf"), list);
	value_map_set(arena, schema_part(&definitions, "ProviderSpec.properties"), SV("value"),
	              made);
	/* Metadata of the template needs no name. */
	struct value *metadata = schema_part(&root, "properties.metadata");
	value_list_add(arena, value_map_get_mutable(metadata, SV("allOf")),
	               shape_map_schema(arena, &named, &options, &definitions));
	value_map_set(arena, &root, SV("definitions"), definitions);
	return root;
}
