/*
 * The JSON Schema (draft 7) of osm-gen's own documents, made from the tables of settings and
 * members. Editors use it to check and complete osm-gen.yaml.
 */
#include "fleet/internal.h"

#include "json/json.h"

static struct json_t *typed(const char *first, const char *second)
{
	struct json_t *schema = json_doc_map();
	struct json_t *types = json_doc_list();

	json_doc_add_text(types, sv_from_cstr(first));
	if (second)
		json_doc_add_text(types, sv_from_cstr(second));
	json_doc_add_text(types, SV("null"));
	json_doc_set(schema, "type", types);
	return schema;
}

/* {"type": "string"}, {"const": "Fleet"} */
static struct json_t *keyword(const char *name, const char *text)
{
	struct json_t *schema = json_doc_map();

	json_doc_set_text(schema, name, sv_from_cstr(text));
	return schema;
}

static struct json_t *text_type(const char *type)
{
	return keyword("type", type);
}

static struct json_t *reference(const char *name)
{
	struct json_t *schema = json_doc_map();
	struct arena *arena = arena_new(ARENA_PLAIN);

	json_doc_set_text(schema, "$ref", arena_printf(arena, "#/definitions/%s", name));
	arena_free(arena);
	return schema;
}

static struct json_t *choice(sv words)
{
	struct json_t *schema = json_doc_map();
	struct json_t *list = json_doc_list();
	struct sv_splitter it = sv_split(words, '|');
	sv word;

	while (sv_split_next(&it, &word))
		json_doc_add_text(list, word);
	json_doc_set(schema, "enum", list);
	return schema;
}

/* Returns the schema of a map with any keys, whose values have one schema. */
static void set_values(struct json_t *schema, struct json_t *values)
{
	json_doc_set(schema, "additionalProperties", values);
}

static struct json_t *schema_of_member(const struct fleet_member *member)
{
	struct json_t *schema;

	if (member->choices)
		return choice(sv_from_cstr(member->choices));
	switch (member->type) {
	case FLEET_MEMBER_MAP:
		schema = typed("object", NULL);
		set_values(schema, text_type("array"));
		return schema;
	case FLEET_MEMBER_TEXT:
		return typed("string", NULL);
	case FLEET_MEMBER_LIST:
		schema = typed("array", NULL);
		json_doc_set(schema, "items", text_type("string"));
		return schema;
	case FLEET_MEMBER_NUMBER:
		schema = typed("integer", NULL);
		json_doc_set_size(schema, "minimum", 0);
		return schema;
	case FLEET_MEMBER_COUNT:
		schema = typed("integer", NULL);
		json_doc_set_size(schema, "minimum", 1);
		return schema;
	case FLEET_MEMBER_BOOL:
		return typed("boolean", NULL);
	}
	BUG("member type");
}

/* Returns the definition of a member that is a map with known members, else null. */
static const char *definition_of(const struct fleet_member *member, bool of_fleet)
{
	if (strcmp(member->name, "defaults") == 0 || strcmp(member->name, "settings") == 0)
		return "settings";
	if (strcmp(member->name, "sealing") == 0)
		return of_fleet ? "fleetSealing" : "sealing";
	if (strcmp(member->name, "delivery") == 0)
		return of_fleet ? "fleetDelivery" : "delivery";
	if (strcmp(member->name, "source") == 0 || strcmp(member->name, "commit") == 0 ||
	    strcmp(member->name, "limits") == 0 || strcmp(member->name, "removalGuard") == 0)
		return member->name;
	return NULL;
}

/* Returns the schema of a map with the members of one map of the table, or of two. */
static struct json_t *map_of(const char *map, const char *more)
{
	struct json_t *schema = typed("object", NULL);
	struct json_t *properties = json_doc_map();

	for (size_t i = 0; i < fleet_member_count; i++) {
		const struct fleet_member *member = &fleet_members[i];
		const char *definition = definition_of(member, strcmp(map, "spec of a Fleet") == 0);

		if (!fleet_map_has((struct fleet_map){map, more}, member))
			continue;
		/* Draft 7 ignores members beside a $ref, so wrap it for the description. */
		struct json_t *of_member = definition ? json_doc_map() : schema_of_member(member);
		if (definition) {
			struct json_t *all = json_doc_list();

			json_doc_add(all, reference(definition));
			json_doc_set(of_member, "allOf", all);
		}
		json_doc_set_text(of_member, "description", sv_from_cstr(member->help));
		json_doc_set(properties, member->name, of_member);
	}
	json_doc_set(schema, "properties", properties);
	json_doc_set_bool(schema, "additionalProperties", false);
	return schema;
}

/* Returns the schema of a list of strings, or, if `also_one`, of a list or one string. */
static struct json_t *texts(bool also_one)
{
	struct json_t *schema = typed("array", also_one ? "string" : NULL);

	json_doc_set(schema, "items", text_type("string"));
	return schema;
}

/* Returns the schema of a list of KEY=VALUE items, one such item, or a map. */
static struct json_t *repeated(void)
{
	struct json_t *schema = json_doc_map();
	struct json_t *any = json_doc_list();
	struct json_t *map = text_type("object");

	set_values(map, texts(true));
	json_doc_add(any, texts(true));
	json_doc_add(any, map);
	json_doc_set(schema, "anyOf", any);
	return schema;
}

static struct json_t *schema_of_kind(const struct setting *setting)
{
	struct json_t *schema;
	struct json_t *values;

	switch (setting->kind) {
	case SETTING_WORD:
		return choice(sv_from_cstr(setting->words));
	case SETTING_TEXT:
	case SETTING_VERSION:
	case SETTING_NAMESPACE:
	case SETTING_REFERENCE:
	case SETTING_URL:
	case SETTING_IMAGE:
	case SETTING_BUNDLE:
		return typed("string", NULL);
	case SETTING_BOOL:
		return typed("boolean", NULL);
	case SETTING_LIST:
		return texts(true);
	case SETTING_NUMBER:
		return typed("integer", NULL);
	case SETTING_REPEAT:
		return repeated();
	case SETTING_MAP:
	case SETTING_SWITCHES:
	case SETTING_LIMITS:
		schema = typed("object", "string");
		values = text_type(setting->kind == SETTING_MAP        ? "string"
		                   : setting->kind == SETTING_SWITCHES ? "boolean"
		                                                       : "integer");
		if (setting->kind == SETTING_LIMITS)
			json_doc_set_size(values, "minimum", 0);
		set_values(schema, values);
		return schema;
	}
	BUG("setting kind");
}

/* Returns a list of the setting's example alone. */
static struct json_t *examples_of(struct arena *arena, const struct setting *setting)
{
	BUG_ON(!setting->example);
	sv text = sv_from_cstr(setting->example);
	struct sink errors = sink_in(arena);
	struct json_t *list = json_doc_list();

	if (setting_is_string(setting)) {
		json_doc_add_text(list, text);
		return list;
	}
	json_doc_free(list);
	const struct source *source =
	    source_new(arena, setting->name, ARENA_CONCAT(arena, SV("["), text, SV("]")), false);
	BUG_ON(json_doc_read(&errors, source, &list) != STATUS_OK);
	return list;
}

static struct json_t *schema_of_settings(struct arena *arena)
{
	struct json_t *schema = typed("object", NULL);
	struct json_t *properties = json_doc_map();
	size_t count;
	const struct setting *const *list = fleet_settings(arena, &count);

	for (size_t i = 0; i < count; i++) {
		struct json_t *own = schema_of_kind(list[i]);
		sv help = list[i]->initial ? arena_printf(arena, "%s (default %s)", list[i]->help,
		                                          list[i]->initial)
		                           : sv_from_cstr(list[i]->help);

		json_doc_set_text(own, "description", help);
		json_doc_set(own, "examples", examples_of(arena, list[i]));
		json_doc_set(properties, arena_cstr(arena, list[i]->name), own);
	}
	json_doc_set(schema, "properties", properties);
	json_doc_set_bool(schema, "additionalProperties", false);
	return schema;
}

/* Returns the schema of metadata. `what` describes the name; null makes the name optional. */
static struct json_t *metadata_schema(const char *what)
{
	bool named = what != NULL;
	struct json_t *schema = named ? text_type("object") : typed("object", NULL);
	struct json_t *properties = json_doc_map();
	struct json_t *name = named ? text_type("string") : typed("string", NULL);

	if (named)
		json_doc_set_text(name, "description", sv_from_cstr(what));
	json_doc_set(properties, "name", name);
	json_doc_set(properties, "labels", typed("object", NULL));
	json_doc_set(properties, "annotations", typed("object", NULL));
	json_doc_set(schema, "properties", properties);
	json_doc_set_bool(schema, "additionalProperties", false);
	if (named) {
		struct json_t *required = json_doc_list();

		json_doc_add_text(required, SV("name"));
		json_doc_set(schema, "required", required);
	}
	return schema;
}

/* Returns the schema of the block that sops adds to an encrypted document. */
static struct json_t *sops_schema(void)
{
	struct json_t *schema = text_type("object");

	json_doc_set_text(schema, "description",
	                  SV("written by the program sops, which encrypted values of settings"));
	return schema;
}

/* `is_settings` is true for documents that sops may encrypt. */
static struct json_t *document_schema(const char *kind, struct json_t *spec, const char *named,
                                      bool is_settings)
{
	struct json_t *schema = text_type("object");
	struct json_t *properties = json_doc_map();
	struct json_t *required = json_doc_list();

	json_doc_set(properties, "apiVersion", keyword("const", FLEET_API_VERSION));
	json_doc_set(properties, "kind", keyword("const", kind));
	json_doc_set(properties, "metadata", metadata_schema(named));
	json_doc_set(properties, "spec", spec);
	if (is_settings)
		json_doc_set(properties, "sops", sops_schema());
	json_doc_add_text(required, SV("apiVersion"));
	json_doc_add_text(required, SV("kind"));
	if (named)
		json_doc_add_text(required, SV("metadata"));
	json_doc_set(schema, "properties", properties);
	json_doc_set(schema, "required", required);
	json_doc_set_bool(schema, "additionalProperties", false);
	return schema;
}

/* ---- documents of the dialects ------------------------------------------------------------ */

/* Returns the name of a definition, "KIND.MAP". */
static struct json_t *dialect_reference(const struct dialect_document *document, const char *map)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	return reference(arena_cstr(arena, arena_printf(arena, "%s.%s", document->kind, map)));
}

static struct json_t *schema_of_dialect_member(const struct dialect_document *document,
                                               const struct dialect_member *member)
{
	struct json_t *one = member->of        ? dialect_reference(document, member->of)
	                     : member->choices ? choice(sv_from_cstr(member->choices))
	                                       : NULL;
	struct json_t *schema;

	switch (member->type) {
	case DIALECT_MEMBER_TEXT:
		return one ? one : typed("string", NULL);
	case DIALECT_MEMBER_BOOL:
		return typed("boolean", NULL);
	case DIALECT_MEMBER_NUMBER:
		schema = typed("integer", NULL);
		json_doc_set_size(schema, "minimum", 0);
		return schema;
	case DIALECT_MEMBER_MAP:
		return one ? one : typed("object", NULL);
	case DIALECT_MEMBER_LIST:
		schema = typed("array", NULL);
		json_doc_set(schema, "items", one ? one : text_type("string"));
		return schema;
	}
	BUG("member type");
}

static struct json_t *dialect_map(const struct dialect_document *document, const char *map)
{
	struct json_t *schema = typed("object", NULL);
	struct json_t *properties = json_doc_map();

	for (size_t i = 0; i < *document->member_count; i++) {
		const struct dialect_member *member = &document->members[i];

		if (strcmp(member->map, map) != 0)
			continue;
		/* Draft 7 ignores members beside a $ref, see above. */
		struct json_t *of_member = json_doc_map();
		struct json_t *all = json_doc_list();
		json_doc_add(all, schema_of_dialect_member(document, member));
		json_doc_set(of_member, "allOf", all);
		json_doc_set_text(of_member, "description", sv_from_cstr(member->help));
		json_doc_set(properties, member->name, of_member);
	}
	json_doc_set(schema, "properties", properties);
	json_doc_set_bool(schema, "additionalProperties", false);
	return schema;
}

/* Adds a definition for the document, and one for each map below it. */
static void add_dialect_document(struct arena *arena, const struct dialect_document *document,
                                 struct json_t *definitions)
{
	sv spec = arena_printf(arena, "spec of an %s", document->kind);

	json_doc_set(definitions, document->kind,
	             document_schema(document->kind, dialect_map(document, arena_cstr(arena, spec)),
	                             "its name: a-z, 0-9 and -", false));
	for (size_t i = 0; i < *document->member_count; i++) {
		const char *map = document->members[i].map;

		if (sv_eq_cstr(spec, map) || (i > 0 && !strcmp(map, document->members[i - 1].map)))
			continue;
		json_doc_set(definitions,
		             arena_cstr(arena, arena_printf(arena, "%s.%s", document->kind, map)),
		             dialect_map(document, map));
	}
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* {"if": {"properties": {"kind": {"const": KIND}}}, "then": {"$ref": ...}} */
static struct json_t *if_kind(const char *kind)
{
	struct json_t *rule = json_doc_map();
	struct json_t *condition = json_doc_map();
	struct json_t *properties = json_doc_map();

	json_doc_set(properties, "kind", keyword("const", kind));
	json_doc_set(condition, "properties", properties);
	json_doc_set(rule, "if", condition);
	json_doc_set(rule, "then", reference(kind));
	return rule;
}

static void add_kind(struct json_t *kinds, struct json_t *rules, const char *kind)
{
	json_doc_add_text(kinds, sv_from_cstr(kind));
	json_doc_add(rules, if_kind(kind));
}

/* Chooses the schema by `kind`, so that editors report mistakes of that kind only. */
static void add_documents(struct arena *arena, struct json_t *root, struct json_t *definitions)
{
	struct json_t *properties = json_doc_map();
	struct json_t *kind = json_doc_map();
	struct json_t *kinds = json_doc_list();
	struct json_t *required = json_doc_list();
	struct json_t *rules = json_doc_list();
	size_t count;
	const struct dialect *const *list = dialects(&count);

	json_doc_set(definitions, "Fleet",
	             document_schema("Fleet", map_of("spec of a Fleet", NULL), NULL, true));
	json_doc_set(
	    definitions, "Cluster",
	    document_schema("Cluster", map_of("spec of a Cluster", NULL),
	                    "names the cluster and its folder of the output: a-z, 0-9, - and .",
	                    true));
	add_kind(kinds, rules, "Fleet");
	add_kind(kinds, rules, "Cluster");
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < list[i]->document_count; k++) {
			const struct dialect_document *document = &list[i]->documents[k];

			add_dialect_document(arena, document, definitions);
			add_kind(kinds, rules, document->kind);
		}
	json_doc_set(kind, "enum", kinds);
	json_doc_set(properties, "kind", kind);
	json_doc_add_text(required, SV("kind"));
	json_doc_set_text(root, "type", SV("object"));
	json_doc_set(root, "properties", properties);
	json_doc_set(root, "required", required);
	json_doc_set(root, "allOf", rules);
}

void fleet_add_schema(struct buf *buf)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *definitions = json_doc_map();

	json_doc_set_text(root, "$schema", SV("http://json-schema.org/draft-07/schema#"));
	json_doc_set_text(root, "title", SV("osm-gen"));
	json_doc_set_text(
	    root, "description",
	    SV("A document of osm-gen.dev/v1alpha1. Made by `osm-gen config schema`."));
	add_documents(buf->arena, root, definitions);
	json_doc_set(definitions, "sealing", map_of("sealing", NULL));
	json_doc_set(definitions, "fleetSealing", map_of("sealing", "sealing of a Fleet"));
	json_doc_set(definitions, "commit", map_of("commit", NULL));
	json_doc_set(definitions, "limits", map_of("limits", NULL));
	json_doc_set(definitions, "removalGuard", map_of("removalGuard", NULL));
	json_doc_set(definitions, "delivery", map_of("delivery", NULL));
	json_doc_set(definitions, "fleetDelivery", map_of("delivery", "delivery of a Fleet"));
	json_doc_set(definitions, "source", map_of("source", NULL));
	json_doc_set(definitions, "settings", schema_of_settings(buf->arena));
	json_doc_set(root, "definitions", definitions);
	json_doc_write(buf, root);
}
