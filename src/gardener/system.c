/*
 * Reads an OperatingSystemExtension, the document that describes an operating system
 * (docs/gardener.md).
 */
#include "gardener/system.h"

#include "gardener/embedded.h"
#include "golang/golang.h"
#include "yaml/yaml.h"

static const struct schema_terms terms = {DIAG_GARDENER_SYSTEM, DIAG_GARDENER_SYSTEM_UNKNOWN,
                                          "the document"};

/* ---- head -------------------------------------------------------------------------------- */

static void read_version(struct system_reader *r, const struct value *spec,
                         struct gardener_system *system)
{
	struct semver version;
	sv error;

	system->version = schema_string(&r->schema, spec, "version", true);
	if (!system->version.type)
		return;
	sv text = system->version.string;
	if (text.len > 1 && text.ptr[0] == 'v' &&
	    go_semver_parse_strict(r->schema.arena, sv_from_offset(text, 1), &version, &error))
		return;
	struct diag *diag = system_report(
	    r, value_position(&system->version),
	    "version \"%.*s\" is not a semantic version with a leading v", SV_ARG(text));
	diag_set_help(r->schema.sink, diag, "write it as v1.0.0");
}

/* Accepts 2021 without quotes, too, which YAML reads as a number. */
static void read_contract(struct system_reader *r, const struct value *spec)
{
	const struct value *given = value_map_get(spec, SV("contract"));
	struct value text;

	r->contract = GARDENER_CURRENT;
	if (value_is(given, KIND_INT64) && given->integer == 2021) {
		r->contract = GARDENER_2021;
		return;
	}
	text = schema_string(&r->schema, spec, "contract", true);
	static const sv words[] = {SV_INIT("2021"), SV_INIT("current")};
	schema_enum(&r->schema, &text, "contract", words, COUNT_OF(words));
	if (text.type && sv_eq(text.string, words[0]))
		r->contract = GARDENER_2021;
}

static void read_types(struct system_reader *r, const struct value *spec,
                       struct gardener_system *system)
{
	const struct value *list = schema_list(&r->schema, spec, "types", true);
	sv *types = ARENA_ARRAY(r->schema.arena, sv, value_count(list) + 1);
	size_t count = 0;

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);
		bool is_repeated = false;

		for (size_t k = 0; k < count; k++)
			is_repeated |= sv_eq(types[k], value_text(item));
		if (sv_empty(value_text(item)) || is_repeated) {
			struct diag *diag = system_report(r, value_position(item),
			                                  is_repeated ? "the type is listed twice"
			                                              : "a type must be a string");
			diag_set_help(r->schema.sink, diag,
			              is_repeated ? "remove one of them"
			                          : "write the spec.type of the "
			                            "OperatingSystemConfigs that it is for");
			continue;
		}
		types[count++] = item->string;
	}
	if (list && value_count(list) == 0) {
		struct diag *diag = system_report(r, value_position(list), "types is empty");
		diag_set_help(r->schema.sink, diag,
		              "list the spec.type of the OperatingSystemConfigs that it is for");
	}
	system->types = types;
	system->type_count = count;
}

static void read_read_only(struct system_reader *r, const struct value *spec,
                           struct gardener_system *system)
{
	const struct value *list = schema_list(&r->schema, spec, "readOnly", false);

	system->read_only = ARENA_ARRAY(r->schema.arena, struct value, value_count(list) + 1);
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);
		const char *mistake =
		    value_is_string(item) ? system_path_mistake(item->string) : "must be a string";

		if (!mistake) {
			system->read_only[system->read_only_count++] = *item;
			continue;
		}
		struct diag *diag =
		    system_report(r, value_position(item), "the path of a folder %s", mistake);
		diag_set_help(r->schema.sink, diag, "write it as /usr");
	}
}

/* Checks the types of named templates. They are compiled with each template that may use them. */
static void read_templates(struct system_reader *r, const struct value *spec)
{
	r->templates = schema_map(&r->schema, spec, "templates", false);
	for (size_t i = 0; i < value_count(r->templates); i++) {
		const struct value_entry *entry = &r->templates->map->entries[i];

		if (value_is_string(&entry->value))
			continue;
		struct diag *diag =
		    system_report(r, value_position(&entry->value),
		                  "template \"%.*s\" must be a string", SV_ARG(entry->key));
		diag_set_help(r->schema.sink, diag,
		              "put it in quotes, or write it as a block after |");
	}
}

/* ---- forms ------------------------------------------------------------------------------- */

static void report_needless(struct system_reader *r, const struct value *v, const char *what)
{
	struct diag *diag = system_report(r, value_position(v), "contract current has no %s", what);

	diag_set_help(r->schema.sink, diag, "remove it, or write contract: \"2021\"");
}

static void read_form(struct system_reader *r, const struct value *map, sv format,
                      struct system_form *form)
{
	form->command = system_text_read(r, map, "command", false, "command");
	if (form->command.source.type && r->contract == GARDENER_CURRENT)
		report_needless(r, &form->command.source, "status.command");
	system_stage_read(r, schema_map(&r->schema, map, "provision", true), GARDENER_PROVISION,
	                  format, &form->stages[GARDENER_PROVISION]);
	/* Under contract current, reconcile may be left out: it only adds to the status. */
	system_stage_read(r, schema_map(&r->schema, map, "reconcile", r->contract == GARDENER_2021),
	                  GARDENER_RECONCILE, format, &form->stages[GARDENER_RECONCILE]);
}

static void read_cloud_config(struct system_reader *r, const struct value *spec,
                              struct gardener_system *system)
{
	static const sv names[] = {SV_INIT("command"), SV_INIT("provision"), SV_INIT("reconcile")};
	const struct value *map = schema_map(&r->schema, spec, "cloudConfig", false);

	if (!map)
		return;
	struct system_form *form = ARENA_NEW(r->schema.arena, struct system_form);
	schema_known(&r->schema, map, "cloudConfig", names, COUNT_OF(names));
	read_form(r, map, SV("cloud-config"), form);
	system->cloud_config = form;
}

enum status gardener_system_read(struct arena *arena, struct sink *sink,
                                 const struct kube_object *object,
                                 const struct gardener_system **ret_system)
{
	static const sv names[] = {
	    SV_INIT("version"),     SV_INIT("types"),          SV_INIT("contract"),
	    SV_INIT("command"),     SV_INIT("provision"),      SV_INIT("reconcile"),
	    SV_INIT("cloudConfig"), SV_INIT("providerConfig"), SV_INIT("templates"),
	    SV_INIT("readOnly"),
	};
	struct system_reader r = {.schema = {arena, sink, &terms, false}};
	struct gardener_system *system = ARENA_NEW(arena, struct gardener_system);
	const struct value *spec = schema_map(&r.schema, object->root, "spec", true);

	if (!spec)
		return STATUS_FAILED;
	system->object = object;
	schema_known(&r.schema, spec, "spec", names, COUNT_OF(names));
	read_version(&r, spec, system);
	read_contract(&r, spec);
	system->contract = r.contract;
	read_types(&r, spec, system);
	read_templates(&r, spec);
	read_read_only(&r, spec, system);
	system_configs_read(&r, schema_list(&r.schema, spec, "providerConfig", false), system);
	read_form(&r, spec, SV(""), &system->own);
	read_cloud_config(&r, spec, system);
	if (r.schema.failed)
		return STATUS_FAILED;
	*ret_system = system;
	return STATUS_OK;
}

/* ---- members of a system ----------------------------------------------------------------- */

sv gardener_system_name(const struct gardener_system *system)
{
	return system->object->id.name;
}

struct value gardener_system_version(const struct gardener_system *system)
{
	return system->version;
}

enum gardener_contract gardener_system_contract(const struct gardener_system *system)
{
	return system->contract;
}

const sv *gardener_system_types(const struct gardener_system *system, size_t *ret_count)
{
	*ret_count = system->type_count;
	return system->types;
}

const struct kube_object *gardener_system_object(const struct gardener_system *system)
{
	return system->object;
}

/* ---- those inside the program ------------------------------------------------------------ */

static int compare_systems(const void *a, const void *b, void *context)
{
	(void)context;
	return sv_cmp(gardener_system_name(*(const struct gardener_system *const *)a),
	              gardener_system_name(*(const struct gardener_system *const *)b));
}

static enum status load_embedded(struct arena *arena, struct sink *sink,
                                 const struct dialect_text *file, struct gardener_systems *systems)
{
	struct source *source =
	    source_new(arena, sv_from_cstr(file->path), dialect_text_open(arena, file), false);
	struct yml_documents documents = {0};
	enum status status = yml_parse(arena, sink, source, &documents);

	VEC_EACH (document, &documents) {
		struct kube_object *object = ARENA_NEW(arena, struct kube_object);
		const struct gardener_system *system;

		if (value_is_null(&document->root))
			continue;
		if (kube_object_read(arena, sink, source, &document->root, object) != STATUS_OK ||
		    gardener_system_read(arena, sink, object, &system) != STATUS_OK)
			status = STATUS_FAILED;
		else
			VEC_PUSH(arena, systems, system);
	}
	return status;
}

enum status gardener_system_embedded(struct arena *arena, struct sink *sink, unsigned contract,
                                     struct gardener_systems *ret_systems)
{
	struct gardener_systems systems = {0};
	enum status status = STATUS_OK;

	for (size_t i = 0; i < gardener_embedded_file_count; i++)
		if (dialect_text_holds(&gardener_embedded_files[i], contract))
			status |= load_embedded(arena, sink, &gardener_embedded_files[i], &systems);
	if (status != STATUS_OK)
		return STATUS_FAILED;
	sort_stable(systems.items, systems.count, sizeof(*systems.items), compare_systems, NULL);
	*ret_systems = systems;
	return STATUS_OK;
}
