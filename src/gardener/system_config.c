/*
 * Checks spec.providerConfig of an OSC, the object that its operating system reads, against the
 * form that the system declares. If the system declares none, providerConfig is not checked.
 */
#include "gardener/system.h"

static const sv type_words[] = {
    [MEMBER_STRING] = SV_INIT("string"),
    [MEMBER_BOOL] = SV_INIT("bool"),
    [MEMBER_LIST] = SV_INIT("list"),
    [MEMBER_MAP] = SV_INIT("map"),
};

static void read_members(struct system_reader *r, const struct value *map,
                         struct system_config *config)
{
	config->members =
	    ARENA_ARRAY(r->schema.arena, struct system_config_member, value_count(map) + 1);
	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];
		struct value word =
		    schema_string(&r->schema, map, arena_cstr(r->schema.arena, entry->key), true);
		struct system_config_member *member = &config->members[config->member_count];

		schema_enum(&r->schema, &word, "type of a member", type_words,
		            COUNT_OF(type_words));
		for (size_t k = 0; k < COUNT_OF(type_words); k++) {
			if (!sv_eq(value_text(&word), type_words[k]))
				continue;
			*member =
			    (struct system_config_member){entry->key, (enum system_member_type)k};
			config->member_count++;
		}
	}
}

static void read_types(struct system_reader *r, const struct value *list,
                       const struct gardener_system *system, struct system_config *config)
{
	sv *types = ARENA_ARRAY(r->schema.arena, sv, value_count(list) + 1);

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);
		struct value text = value_is_string(item) ? *item : value_string(SV(""));

		text.origin = item->origin;
		schema_enum(&r->schema, &text, "type", system->types, system->type_count);
		types[config->type_count++] = text.string;
	}
	config->types = types;
}

void system_configs_read(struct system_reader *r, const struct value *list,
                         struct gardener_system *system)
{
	static const sv names[] = {SV_INIT("types"), SV_INIT("apiVersion"), SV_INIT("kind"),
	                           SV_INIT("members")};

	system->configs = ARENA_ARRAY(r->schema.arena, struct system_config, value_count(list) + 1);
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *map =
		    schema_item_map(&r->schema, list, i, "a provider's configuration");
		struct system_config *config = &system->configs[system->config_count];

		if (!map)
			continue;
		*config = (struct system_config){0};
		schema_known(&r->schema, map, "providerConfig", names, COUNT_OF(names));
		read_types(r, schema_list(&r->schema, map, "types", true), system, config);
		struct value version = schema_string(&r->schema, map, "apiVersion", true);
		struct value kind = schema_string(&r->schema, map, "kind", true);
		config->api_version = value_text(&version);
		config->kind = value_text(&kind);
		read_members(r, schema_map(&r->schema, map, "members", true), config);
		system->config_count++;
	}
}

/* ---- an OSC's ---------------------------------------------------------------------------- */

static const struct system_config *config_of(const struct gardener_system *system, sv type)
{
	for (size_t i = 0; i < system->config_count; i++)
		for (size_t k = 0; k < system->configs[i].type_count; k++)
			if (sv_eq(system->configs[i].types[k], type))
				return &system->configs[i];
	return NULL;
}

static enum status check_identity(struct sink *sink, const struct system_config *config,
                                  const struct value *given, const char *key, sv wanted)
{
	const struct value *v = value_map_get(given, sv_from_cstr(key));

	if (sv_eq(value_text(v), wanted))
		return STATUS_OK;
	struct diag *diag =
	    diag_report(sink, DIAG_GARDENER_PROVIDER_CONFIG, value_position(v ? v : given),
	                "%s of providerConfig must be %.*s", key, SV_ARG(wanted));
	diag_set_help(sink, diag, "write %.*s, kind: %.*s", SV_ARG(config->api_version),
	              SV_ARG(config->kind));
	return STATUS_FAILED;
}

static bool has_type(const struct value *v, enum system_member_type type)
{
	switch (type) {
	case MEMBER_STRING:
		return value_is_string(v);
	case MEMBER_BOOL:
		return value_is(v, KIND_BOOL);
	case MEMBER_LIST:
		return value_is_list(v);
	case MEMBER_MAP:
		return value_is_map(v);
	}
	return false;
}

static enum status check_members(struct arena *arena, struct sink *sink,
                                 const struct system_config *config, const struct value *given)
{
	enum status status = STATUS_OK;
	sv *names = ARENA_ARRAY(arena, sv, config->member_count + 2);
	static const struct schema_terms terms = {DIAG_GARDENER_PROVIDER_CONFIG,
	                                          DIAG_GARDENER_SYSTEM_UNKNOWN, "providerConfig"};
	struct schema schema = {arena, sink, &terms, false};

	names[0] = SV("apiVersion");
	names[1] = SV("kind");
	for (size_t i = 0; i < config->member_count; i++) {
		const struct system_config_member *member = &config->members[i];
		const struct value *v = value_map_get(given, member->name);

		names[i + 2] = member->name;
		if (value_is_null(v) || has_type(v, member->type))
			continue;
		struct diag *diag =
		    diag_report(sink, DIAG_GARDENER_PROVIDER_CONFIG, value_position(v),
		                "%.*s of providerConfig must be a %.*s", SV_ARG(member->name),
		                SV_ARG(type_words[member->type]));
		diag_set_help(sink, diag, "%s",
		              member->type == MEMBER_STRING ? "put it in quotes" : "correct it");
		status = STATUS_FAILED;
	}
	schema_known(&schema, given, "providerConfig", names, config->member_count + 2);
	return status;
}

enum status system_config_check(struct arena *arena, struct sink *sink,
                                const struct gardener_system *system,
                                const struct gardener_osc *osc)
{
	const struct system_config *config = config_of(system, value_text(&osc->type));
	const struct value *given = osc->provider_config;

	if (!config || !given)
		return STATUS_OK;
	enum status status = check_identity(sink, config, given, "apiVersion", config->api_version);
	status |= check_identity(sink, config, given, "kind", config->kind);
	status |= check_members(arena, sink, config, given);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}
