/*
 * Checks spec.providerConfig of an OSC, the object that its operating system reads, against the
 * form that the system declares. If the system declares none, providerConfig is not checked.
 */
#include "gardener/system.h"

/* The types of a member, by the words of the document. */
static const struct {
	const char *word;
	enum shape_type type;
	enum shape_form form;
} types[] = {
    {"string", SHAPE_TEXT, SHAPE_ONE},
    {"bool", SHAPE_BOOL, SHAPE_ONE},
    {"list", SHAPE_ANY, SHAPE_LIST},
    {"map", SHAPE_MAP, SHAPE_ONE},
};

/* Makes the shape of an object with these members. */
static struct shape shape_of(struct arena *arena, const struct value *map)
{
	size_t count = value_count(map);
	struct shape_member *members = ARENA_ARRAY(arena, struct shape_member, count + 2);

	members[0] = (struct shape_member){.name = "apiVersion", .type = SHAPE_ANY};
	members[1] = (struct shape_member){.name = "kind", .type = SHAPE_ANY};
	for (size_t i = 0; i < count; i++) {
		const struct value_entry *entry = &map->map->entries[i];

		for (size_t k = 0; k < COUNT_OF(types); k++)
			if (sv_eq_cstr(entry->value.string, types[k].word))
				members[i + 2] =
				    (struct shape_member){.name = arena_cstr(arena, entry->key),
				                          .type = types[k].type,
				                          .form = types[k].form};
	}
	return (struct shape){.name = "providerConfig", .members = members, .count = count + 2};
}

static bool has_type(const struct gardener_system *system, sv type)
{
	for (size_t i = 0; i < system->type_count; i++)
		if (sv_eq(system->types[i], type))
			return true;
	return false;
}

/* Reports a type that is not one of the document's. */
static void report_type(struct system_reader *r, const struct value *type,
                        const struct gardener_system *system)
{
	struct buf choices = buf_in(r->schema.arena);

	for (size_t i = 0; i < system->type_count; i++)
		shape_add_choice(&choices, system->types[i]);
	const struct shape_member member = {
	    .name = "types", .choices = arena_cstr(r->schema.arena, buf_sv(&choices))};
	(void)schema_report(
	    &r->schema,
	    &(struct shape_problem){.kind = SHAPE_NO_CHOICE, .member = &member, .value = type},
	    SV("type"), 0);
}

static void read_config_types(struct system_reader *r, const struct value *list,
                              const struct gardener_system *system, struct system_config *config)
{
	sv *names = ARENA_ARRAY(r->schema.arena, sv, value_count(list) + 1);

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);

		if (!has_type(system, item->string))
			report_type(r, item, system);
		names[config->type_count++] = item->string;
	}
	config->types = names;
}

void system_configs_read(struct system_reader *r, const struct value *list,
                         struct gardener_system *system)
{
	system->configs = ARENA_ARRAY(r->schema.arena, struct system_config, value_count(list) + 1);
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *map = value_item(list, i);
		struct system_config *config = &system->configs[system->config_count++];

		*config = (struct system_config){
		    .api_version = value_text(value_map_get(map, SV("apiVersion"))),
		    .kind = value_text(value_map_get(map, SV("kind"))),
		    .shape = shape_of(r->schema.arena, value_map_get(map, SV("members"))),
		};
		read_config_types(r, value_map_get(map, SV("types")), system, config);
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

static const struct schema_terms config_terms = {DIAG_GARDENER_PROVIDER_CONFIG,
                                                 DIAG_GARDENER_SYSTEM_UNKNOWN, "providerConfig"};

static void report_config_problem(struct shape_reader *reader, const struct shape_problem *problem)
{
	struct schema *schema = reader->context;
	const struct shape_member *member = problem->member;
	struct diag *diag;

	if (problem->kind == SHAPE_UNKNOWN) {
		(void)schema_report(schema, problem, SV("providerConfig"), 0);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		if (types[i].type != member->type)
			continue;
		diag =
		    diag_report(schema->sink, schema->terms->wrong, value_position(problem->value),
		                "%s of providerConfig must be a %s", member->name, types[i].word);
		diag_set_help(schema->sink, diag, "%s",
		              member->type == SHAPE_TEXT ? "put it in quotes" : "correct it");
		schema->failed = true;
	}
}

enum status system_config_check(struct arena *arena, struct sink *sink,
                                const struct gardener_system *system,
                                const struct gardener_osc *osc)
{
	const struct system_config *config = config_of(system, value_text(&osc->type));
	const struct value *given = osc->provider_config;

	if (!config || !given)
		return STATUS_OK;
	struct schema schema = {arena, sink, &config_terms, false};
	struct shape_reader reader = {
	    .arena = arena, .report = report_config_problem, .context = &schema};
	enum status status = check_identity(sink, config, given, "apiVersion", config->api_version);
	status |= check_identity(sink, config, given, "kind", config->kind);
	(void)shape_check(&reader, &config->shape, NULL, given);
	return status == STATUS_OK && !schema.failed ? STATUS_OK : STATUS_FAILED;
}
