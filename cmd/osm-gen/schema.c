/*
 * schema: JSON Schemas of the documents that osm-gen reads, for editors and kubeconform, and of
 * what it prints with -o json.
 */
#include "schema.h"
#include "base/ascii.h"
#include "commands.h"
#include "dialect/dialect.h"
#include "fleet/fleet.h"
#include "os/os.h"
#include "json/json.h"

/* The words for the schema of what commands print, and for that of all documents. */
#define OUTPUT "output"
#define ALL    "all"

static void list_documents(struct arena *arena, struct dialect_schemas *schemas)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	fleet_list_schemas(arena, schemas);
	for (size_t i = 0; i < count; i++)
		if (all[i]->list_schemas)
			all[i]->list_schemas(arena, schemas);
}

/* Returns the apiVersion of the documents; empty for what commands print. */
static sv api_version(struct arena *arena, const struct dialect_schema *schema)
{
	return schema->group ? arena_printf(arena, "%s/%s", schema->group, schema->version)
	                     : SV("");
}

/* Returns true if there is another schema of the same apiVersion and kind, for all documents. */
static bool is_for_some(const struct dialect_schema *schema)
{
	return schema->variant && strcmp(schema->variant, schema->version) != 0;
}

/* ---- one schema for all documents ---------------------------------------------------------- */

/* Copies a schema, whose references then lead to definitions with a prefix. */
static struct value prefixed(struct arena *arena, const struct value *schema, sv prefix)
{
	static const sv root = SV_INIT("#/definitions/");
	struct value copy = *schema;

	if (value_is_list(schema)) {
		copy = value_list_new(arena);
		for (size_t i = 0; i < value_count(schema); i++)
			value_list_add(arena, &copy,
			               prefixed(arena, value_item(schema, i), prefix));
	}
	if (!value_is_map(schema))
		return copy;
	copy = value_map_new(arena);
	for (size_t i = 0; i < value_count(schema); i++) {
		const struct value_entry *entry = &schema->map->entries[i];
		sv text = value_text(&entry->value);
		struct value member = prefixed(arena, &entry->value, prefix);

		if (sv_eq(entry->key, SV("$ref")) && sv_starts_with(text, root))
			member = value_string(
			    ARENA_CONCAT(arena, root, prefix, sv_from_offset(text, root.len)));
		value_map_set(arena, &copy, entry->key, member);
	}
	return copy;
}

/* Adds a document's schema as definitions, and the rule that chooses it by apiVersion and kind. */
static void add_rule(struct arena *arena, const struct dialect_schema *document,
                     struct value *rules, struct value *definitions)
{
	sv name = arena_printf(arena, "%s.%s", document->kind, document->version);
	sv prefix = ARENA_CONCAT(arena, name, SV("."));
	struct value schema = prefixed(arena, &document->schema, prefix);
	const struct value *inner = value_map_get(&schema, SV("definitions"));
	struct value whole = value_map_new(arena);

	for (size_t i = 0; i < value_count(inner); i++)
		value_map_set(arena, definitions,
		              ARENA_CONCAT(arena, prefix, inner->map->entries[i].key),
		              inner->map->entries[i].value);
	for (size_t i = 0; i < value_count(&schema); i++) {
		sv key = schema.map->entries[i].key;

		if (!sv_eq(key, SV("definitions")) && !sv_eq(key, SV("$schema")))
			value_map_set(arena, &whole, key, schema.map->entries[i].value);
	}
	value_map_set(arena, definitions, name, whole);
	struct value kind = VALUE_MAP(arena, {"const", value_string(sv_from_cstr(document->kind))});
	struct value version =
	    VALUE_MAP(arena, {"const", value_string(api_version(arena, document))});
	struct value members = VALUE_MAP(arena, {"apiVersion", version}, {"kind", kind});
	const sv both[] = {SV("apiVersion"), SV("kind")};
	value_list_add(
	    arena, rules,
	    VALUE_MAP(
	        arena,
	        {"if", VALUE_MAP(arena, {"properties", members},
	                         {"required", value_strings(arena, both, COUNT_OF(both))})},
	        {"then", VALUE_MAP(arena, {"$ref", value_string(ARENA_CONCAT(
	                                               arena, SV("#/definitions/"), name))})}));
}

/* Returns a schema that takes documents of other kinds as they are. */
static struct value all_documents(struct arena *arena, const struct dialect_schemas *schemas)
{
	struct value rules = value_list_new(arena);
	struct value definitions = value_map_new(arena);

	VEC_EACH (document, schemas)
		if (document->group && !is_for_some(document))
			add_rule(arena, document, &rules, &definitions);
	return VALUE_MAP(arena,
	                 {"$schema", value_string(SV("http://json-schema.org/draft-07/schema#"))},
	                 {"title", value_string(SV("Documents of osm-gen"))},
	                 {"description", value_string(SV("Made by `osm-gen schema all`."))},
	                 {"allOf", rules}, {"definitions", definitions});
}

void schema_add_all(struct buf *buf)
{
	struct dialect_schemas schemas = {0};
	list_documents(buf->arena, &schemas);
	struct value all = all_documents(buf->arena, &schemas);

	json_emit(buf, &all, 0);
	buf_add_char(buf, '\n');
}

/* ---- the command --------------------------------------------------------------------------- */

static struct dialect_schemas all_schemas(struct arena *arena)
{
	struct dialect_schemas schemas = {0};

	list_documents(arena, &schemas);
	const struct dialect_schema all = {.kind = ALL,
	                                   .about = "all of the above in one, for editors",
	                                   .schema = all_documents(arena, &schemas)};
	const struct dialect_schema output = {.kind = OUTPUT,
	                                      .about = "what commands print with -o json",
	                                      .schema = output_schema(arena)};
	VEC_PUSH(arena, &schemas, all);
	VEC_PUSH(arena, &schemas, output);
	return schemas;
}

/* Returns the word that names a schema: "MachineDeployment/aws". */
static sv schema_name(struct arena *arena, const struct dialect_schema *schema)
{
	return schema->variant ? arena_printf(arena, "%s/%s", schema->kind, schema->variant)
	                       : sv_from_cstr(schema->kind);
}

/*
 * Returns the path of a schema below a folder, as kubeconform finds it with
 * {{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json.
 */
static sv schema_path(struct arena *arena, const struct dialect_schema *schema)
{
	struct buf path = buf_in(arena);

	if (!schema->group)
		return arena_printf(arena, "%s.json", schema->kind);
	buf_printf(&path, "%s/", schema->group);
	for (const char *c = schema->kind; *c; c++)
		buf_add_char(&path, ascii_lower(*c));
	buf_printf(&path, "_%s", schema->version);
	if (is_for_some(schema))
		buf_printf(&path, "-%s", schema->variant);
	BUF_ADD_LIT(&path, ".json");
	return buf_sv(&path);
}

static int list_schemas(struct context *context, const struct dialect_schemas *schemas)
{
	struct arena *arena = context->arena;
	struct value list = value_list_new(arena);
	struct buf buf = buf_in(arena);

	VEC_EACH (schema, schemas)
		value_list_add(arena, &list,
		               VALUE_MAP(arena, {"name", value_string(schema_name(arena, schema))},
		                         {"apiVersion", value_string(api_version(arena, schema))},
		                         {"about", value_string(sv_from_cstr(schema->about))}));
	struct value root =
	    VALUE_MAP(arena, {"formatVersion", value_string(SV("1.0"))}, {"schemas", list});
	if (sv_eq(context->options->print.format, SV("json"))) {
		report_add_json(&buf, &root);
	} else {
		value_map_set(arena, &root, SV("color"), report_colors(arena, &context->out_style));
		report_form(&buf, "schemas", REPORT_TABLE, &root);
	}
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}

/* Writes each schema to its file below a folder, which is made if it is not there. */
static int write_schemas(struct context *context, const struct dialect_schemas *schemas)
{
	struct arena *arena = context->arena;
	sv folder = context->options->target.into;
	enum status status = STATUS_OK;

	VEC_EACH (schema, schemas) {
		struct buf text = buf_in(arena);
		sv path = ARENA_CONCAT(arena, folder, SV("/"), schema_path(arena, schema));

		report_add_json(&text, &schema->schema);
		status |=
		    os_make_folders(context->sink, sv_slice(path, 0, sv_rfind_char(path, '/')));
		if (status == STATUS_OK)
			status |= os_write_file(context->sink, path, buf_sv(&text), 0);
	}
	return status == STATUS_OK ? 0 : 3;
}

static int refuse_kind(struct context *context, const struct dialect_schemas *schemas, sv word)
{
	struct arena *arena = context->arena;
	sv *names = ARENA_ARRAY(arena, sv, schemas->count);

	for (size_t i = 0; i < schemas->count; i++)
		names[i] = schema_name(arena, &schemas->items[i]);
	struct diag *diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
	                                "no document has the kind \"%.*s\"", SV_ARG(word));
	diag_help_nearest(context->sink, diag, word, (struct diag_names){names, schemas->count},
	                  "osm-gen schema lists them");
	return 64;
}

int command_schema(struct context *context)
{
	struct arena *arena = context->arena;
	const struct options *options = context->options;
	const struct dialect_schemas schemas = all_schemas(arena);
	struct buf buf = buf_in(arena);

	if (!sv_empty(options->target.into))
		return write_schemas(context, &schemas);
	if (options->arguments.count == 0)
		return list_schemas(context, &schemas);
	VEC_EACH (schema, &schemas) {
		if (!sv_eq_fold_ascii(schema_name(arena, schema), options->arguments.items[0]))
			continue;
		report_add_json(&buf, &schema->schema);
		return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
	}
	return refuse_kind(context, &schemas, options->arguments.items[0]);
}
