/*
 * Reads an OperatingSystemExtension, the document that describes an operating system
 * (docs/gardener.md).
 */
#include "gardener/system.h"

#include "golang/golang.h"
#include "yaml/yaml.h"

static const struct schema_terms terms = {DIAG_GARDENER_SYSTEM, DIAG_GARDENER_SYSTEM_UNKNOWN,
                                          "the document"};

/* ---- head -------------------------------------------------------------------------------- */

static void check_version(struct system_reader *r, const struct gardener_system *system)
{
	sv text = value_text(&system->version);
	struct semver version;
	sv error;

	if (!system->version.type ||
	    (text.len > 1 && text.ptr[0] == 'v' &&
	     go_semver_parse_strict(r->schema.arena, sv_from_offset(text, 1), &version, &error)))
		return;
	struct diag *diag = system_report(
	    r, value_position(&system->version),
	    "version \"%.*s\" is not a semantic version with a leading v", SV_ARG(text));
	diag_set_help(r->schema.sink, diag, "write it as v1.0.0");
}

/* Accepts 2021 without quotes, too, which YAML reads as a number. */
static enum gardener_contract contract_of(const struct value *root)
{
	const struct value *given = value_path(root, "spec.contract");
	bool is_2021 = (value_is(given, KIND_INT64) && given->integer == 2021) ||
	               sv_eq(value_text(given), SV("2021"));

	return is_2021 ? GARDENER_2021 : GARDENER_CURRENT;
}

static void read_types(struct system_reader *r, const struct value *list,
                       struct gardener_system *system)
{
	sv *types = ARENA_ARRAY(r->schema.arena, sv, value_count(list) + 1);
	size_t count = 0;

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);
		bool is_repeated = false;

		for (size_t k = 0; k < count; k++)
			is_repeated |= sv_eq(types[k], item->string);
		if (sv_empty(item->string) || is_repeated) {
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
	system->types = types;
	system->type_count = count;
}

static void read_read_only(struct system_reader *r, const struct value *list,
                           struct gardener_system *system)
{
	system->read_only = ARENA_ARRAY(r->schema.arena, struct value, value_count(list) + 1);
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);
		const char *mistake = system_path_mistake(item->string);

		if (!mistake) {
			system->read_only[system->read_only_count++] = *item;
			continue;
		}
		struct diag *diag =
		    system_report(r, value_position(item), "the path of a folder %s", mistake);
		diag_set_help(r->schema.sink, diag, "write it as /usr");
	}
}

/* ---- forms ------------------------------------------------------------------------------- */

/* Reports a member that only contract 2021 requires. `map` is the map as it was written. */
static void require_2021(struct system_reader *r, const struct value *map,
                         const struct shape *shape, sv key)
{
	if (r->contract == GARDENER_2021 && value_is_map(map) &&
	    value_is_null(value_map_get(map, key)))
		(void)schema_report(&r->schema,
		                    &(struct shape_problem){.kind = SHAPE_MISSING,
		                                            .shape = shape,
		                                            .member = shape_find(shape, key, 0),
		                                            .value = map},
		                    SV(""), 0);
}

/* Reads the document's own stages, or those of its cloudConfig; `given` is the map as written. */
static void read_form(struct system_reader *r, const struct value *given, const struct value *map,
                      sv format, struct system_form *form)
{
	form->command = system_text_read(r, value_map_get(map, SV("command")), "command");
	system_stage_read(r, value_map_get(map, SV("provision")), format,
	                  &form->stages[GARDENER_PROVISION]);
	/* Under contract current, reconcile may be left out: it only adds to the status. */
	require_2021(r, given, &system_form_shape, SV("reconcile"));
	require_2021(r, value_map_get(given, SV("reconcile")), &system_reconcile_shape,
	             SV("format"));
	system_stage_read(r, value_map_get(map, SV("reconcile")), format,
	                  &form->stages[GARDENER_RECONCILE]);
}

enum status gardener_system_read(struct arena *arena, struct sink *sink,
                                 const struct kube_object *object,
                                 const struct gardener_system **ret_system)
{
	struct system_reader r = {.schema = {arena, sink, &terms, false},
	                          .contract = contract_of(object->root)};
	struct gardener_system *system = ARENA_NEW(arena, struct gardener_system);
	const struct value *given = value_map_get(object->root, SV("spec"));
	const struct value taken = system_take(&r, object->root);
	const struct value *spec = value_map_get(&taken, SV("spec"));
	const struct value *cloud_config = value_map_get(spec, SV("cloudConfig"));
	const struct value *version = value_map_get(spec, SV("version"));

	if (!spec)
		return STATUS_FAILED;
	*system = (struct gardener_system){.object = object,
	                                   .contract = r.contract,
	                                   .version = version ? *version : VALUE_INVALID};
	r.templates = value_map_get(spec, SV("templates"));
	check_version(&r, system);
	read_types(&r, value_map_get(spec, SV("types")), system);
	read_read_only(&r, value_map_get(spec, SV("readOnly")), system);
	system_configs_read(&r, value_map_get(spec, SV("providerConfig")), system);
	read_form(&r, given, spec, SV(""), &system->own);
	if (cloud_config) {
		struct system_form *form = ARENA_NEW(arena, struct system_form);

		read_form(&r, value_map_get(given, SV("cloudConfig")), cloud_config,
		          SV("cloud-config"), form);
		system->cloud_config = form;
	}
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
