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

/* The word for the schema of what commands print. */
#define OUTPUT "output"

static struct dialect_schemas all_schemas(struct arena *arena)
{
	struct dialect_schemas schemas = {0};
	size_t count;
	const struct dialect *const *all = dialects(&count);

	fleet_list_schemas(arena, &schemas);
	for (size_t i = 0; i < count; i++)
		if (all[i]->list_schemas)
			all[i]->list_schemas(arena, &schemas);
	const struct dialect_schema output = {.kind = OUTPUT,
	                                      .about = "what commands print with -o json",
	                                      .schema = output_schema(arena)};
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
	if (schema->variant && strcmp(schema->variant, schema->version) != 0)
		buf_printf(&path, "-%s", schema->variant);
	BUF_ADD_LIT(&path, ".json");
	return buf_sv(&path);
}

static int list_schemas(struct context *context, const struct dialect_schemas *schemas)
{
	struct arena *arena = context->arena;
	struct value list = value_list_new(arena);
	struct buf buf = buf_in(arena);

	VEC_EACH (schema, schemas) {
		sv api = schema->group
		             ? arena_printf(arena, "%s/%s", schema->group, schema->version)
		             : SV("");

		value_list_add(arena, &list,
		               VALUE_MAP(arena, {"name", value_string(schema_name(arena, schema))},
		                         {"apiVersion", value_string(api)},
		                         {"about", value_string(sv_from_cstr(schema->about))}));
	}
	const struct value root = VALUE_MAP(
	    arena, {"color", report_colors(arena, &context->out_style)}, {"schemas", list});
	report_form(&buf, "schemas", REPORT_TABLE, &root);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}

/* Writes each schema to its file below a folder, which is made if it is not there. */
static int write_schemas(struct context *context, const struct dialect_schemas *schemas)
{
	struct arena *arena = context->arena;
	sv folder = context->options->into;
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
	                                "there is no schema \"%.*s\"", SV_ARG(word));
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

	if (!sv_empty(options->into))
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
