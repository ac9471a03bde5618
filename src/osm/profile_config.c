/*
 * Reads bootstrapConfig and provisioningConfig of a profile (docs/spec/controller.md 2.2,
 * docs/spec/userdata.md 1): files, units and modules, and the templates, which it compiles.
 */
#include "dialect/dialect.h"
#include "osm/machine.h"
#include "osm/profile.h"
#include "osm/sorted.h"
#include "tmpl/tmpl.h"

#define RUNTIME "containerd"

/* Templates of a bootstrapConfig: what stage 1 calls, and what it then does with a ConfigMap. */
#define SPLIT_HOOK SV("provisioningSplit")
#define SPLIT_TEXT SV("joinConfigMap")

struct loader {
	struct schema *schema;
	struct value taken; /* the config's members that are right */
	struct osm_profile_config *config;
	VEC(struct osm_profile_file) files;
	const struct value *templates; /* of the config; override the runtime's */
	const struct value *runtime_templates;
};

/* ---- files ------------------------------------------------------------------------------- */

/* Reports permissions like 0644, which YAML reads as 420. */
static void check_octal(struct schema *schema, const struct value *v, const struct value *path)
{
	static const struct {
		int64_t number;
		const char *octal;
	} slips[] = {{420, "644"}, {384, "600"}, {493, "755"}, {448, "700"}, {416, "640"},
	             {292, "444"}, {256, "400"}, {365, "555"}, {320, "500"}, {488, "750"}};

	for (size_t i = 0; i < COUNT_OF(slips); i++) {
		if (v->integer != slips[i].number)
			continue;
		struct diag *diag = diag_report(
		    schema->sink, DIAG_OSP_PERMISSIONS, value_position(v),
		    "permissions of %.*s are %lld, which the controller reads as digits of a "
		    "mode: 0%lld",
		    SV_ARG(value_text(path)), (long long)v->integer, (long long)v->integer);
		diag_set_help(schema->sink, diag, "write %s, without a leading zero",
		              slips[i].octal);
	}
}

static struct value copy_if(const struct value *v)
{
	return v ? *v : VALUE_INVALID;
}

static void read_files(struct loader *l, const struct value *list)
{
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);
		const struct value *permissions = value_map_get(item, SV("permissions"));
		struct osm_profile_file file = {
		    .path = copy_if(value_map_get(item, SV("path"))),
		    .permissions = OSM_DEFAULT_PERMISSIONS,
		    .encoding = copy_if(value_path(item, "content.inline.encoding")),
		    .data = copy_if(value_path(item, "content.inline.data")),
		};

		if (permissions)
			check_octal(l->schema, permissions, &file.path);
		if (permissions && permissions->integer != 0)
			file.permissions = (int32_t)permissions->integer;
		if (file.path.type && file.data.type)
			VEC_PUSH(l->schema->arena, &l->files, file);
	}
}

/*
 * Reports two rendered files with the same path. The controller keeps both, and with cloud-init the
 * last one wins. Ignition rejects them, which its writer reports (DIAG_IGNITION_PATH_TWICE).
 */
static void check_paths(struct loader *l, const struct value *spec)
{
	struct schema *schema = l->schema;
	struct map seen = map_in(schema->arena);

	if (sv_eq_cstr(value_text(value_map_get(spec, SV("provisioningUtility"))), "ignition"))
		return;
	for (size_t i = 0; i < l->files.count; i++) {
		const struct value *path = &l->files.items[i].path;
		const struct value *first = map_get(&seen, path->string);

		if (!first) {
			map_put(&seen, path->string, (void *)path);
			continue;
		}
		struct diag *diag =
		    diag_report(schema->sink, DIAG_OSP_FILE_TWICE, value_position(path),
		                "file %.*s is given twice: this one is written over the other",
		                SV_ARG(path->string));
		diag_add_note(schema->sink, diag, value_position(first), "the other one is here");
		diag_set_help(schema->sink, diag, "remove one of them");
	}
}

/* ---- templates --------------------------------------------------------------------------- */

static void read_runtimes(struct loader *l)
{
	const struct value *list = value_map_get(&l->taken, SV("supportedContainerRuntimes"));
	bool chosen = false;

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);
		size_t kept = l->files.count;

		/*
		 * Only the first entry of the runtime is used; the others are checked, too.
		 */
		read_files(l, value_map_get(item, SV("files")));
		if (chosen || !sv_eq_cstr(value_text(value_map_get(item, SV("name"))), RUNTIME)) {
			l->files.count = kept;
			continue;
		}
		chosen = true;
		l->runtime_templates = value_map_get(item, SV("templates"));
	}
}

static void add_sources(const struct value *map, const struct value *unless,
                        struct tmpl_source *sources, size_t *count)
{
	for (size_t i = 0; value_is_map(map) && i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];

		if (!value_map_get(unless, entry->key))
			sources[(*count)++] = (struct tmpl_source){entry->key, &entry->value};
	}
}

static enum status compile(struct loader *l)
{
	struct arena *arena = l->schema->arena;
	struct tmpl_source *templates =
	    ARENA_ARRAY(arena, struct tmpl_source,
	                value_count(l->templates) + value_count(l->runtime_templates) + 1);
	struct tmpl_source *files = ARENA_ARRAY(arena, struct tmpl_source, l->files.count + 1);
	struct tmpl_profile *compiled;
	struct tmpl_error error;
	size_t count = 0;

	add_sources(l->runtime_templates, l->templates, templates, &count);
	add_sources(l->templates, NULL, templates, &count);
	SORT_BY(templates, count, name);
	for (size_t i = 0; i < l->files.count; i++)
		files[i] = (struct tmpl_source){l->config->files[i].path.string,
		                                &l->config->files[i].data};
	const struct tmpl_profile_texts texts = {.templates = {templates, count},
	                                         .files = {files, l->files.count}};
	if (tmpl_profile_parse(arena, l->schema->sink, &tmpl_funcs_profile, &texts, &compiled,
	                       &error) != STATUS_OK)
		return STATUS_FAILED;
	l->config->templates = compiled;
	const struct value *split = value_map_get(l->templates, SPLIT_TEXT);
	if (!split || !value_map_get(l->templates, SPLIT_HOOK) ||
	    !tmpl_profile_calls(compiled, SPLIT_HOOK))
		return STATUS_OK;
	for (size_t i = 0; i < count; i++)
		if (sv_eq(templates[i].name, SPLIT_HOOK))
			templates[i].text = split;
	if (tmpl_profile_parse(arena, l->schema->sink, &tmpl_funcs_profile, &texts, &compiled,
	                       &error) != STATUS_OK)
		return STATUS_FAILED;
	l->config->split_templates = compiled;
	return STATUS_OK;
}

/* ---- units ------------------------------------------------------------------------------- */

/* Reads units, which are in an OSC without empty lists of drop-ins. `given` has wrong ones, too. */
static void read_units(struct loader *l, const struct value *given, sv os_name)
{
	struct schema *schema = l->schema;
	const struct value *list = value_map_get(&l->taken, SV("units"));

	l->config->units = value_list_new(schema->arena);
	if (value_is_list(given) && value_count(given) > 0 && !sv_eq_cstr(os_name, "flatcar")) {
		struct diag *diag =
		    diag_report(schema->sink, DIAG_OSP_UNITS, value_position(given),
		                "a profile for %.*s must not have units", SV_ARG(os_name));
		diag_set_help(schema->sink, diag,
		              "write the unit with a file below /etc/systemd/system and start it "
		              "from a script or from modules.runcmd");
		schema->failed = true;
	}
	for (size_t i = 0; i < value_count(list); i++) {
		struct value sorted = osm_sorted(schema->arena, value_item(list, i));
		struct value unit = value_map_new(schema->arena);

		for (size_t k = 0; k < value_count(&sorted); k++) {
			const struct value_entry *entry = &sorted.map->entries[k];

			if (!value_is_list(&entry->value) || value_count(&entry->value) > 0)
				value_map_set(schema->arena, &unit, entry->key, entry->value);
		}
		value_list_add(schema->arena, &l->config->units, unit);
	}
}

/* ---- modules ----------------------------------------------------------------------------- */

struct value osm_taint_subscription(struct arena *arena, const struct value *texts)
{
	struct value copy = value_map_new(arena);

	for (size_t i = 0; i < value_count(texts); i++) {
		const struct value_entry *entry = &texts->map->entries[i];
		struct value text = entry->value;

		if (sv_eq_cstr(entry->key, "password") || sv_eq_cstr(entry->key, "activation-key"))
			text = secrecy_taint_string(
			    arena, text, ARENA_CONCAT(arena, SV("rh_subscription:"), entry->key));
		value_map_set(arena, &copy, entry->key, text);
	}
	for (size_t i = 0; i < value_count(&copy); i++) {
		for (size_t k = 0; k < value_count(&copy); k++)
			osm_hide_if_same(arena, &copy.map->entries[i].value,
			                 &copy.map->entries[k].value);
	}
	return copy;
}

/* Reads modules, which are in an OSC without empty members. */
static void read_modules(struct loader *l, const struct value *given)
{
	struct arena *arena = l->schema->arena;
	const struct value *list = value_map_get(&l->taken, SV("modules"));
	struct value modules = value_map_new(arena);

	if (!list)
		return;
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value_entry *entry = &list->map->entries[i];
		struct value v = entry->value;

		if (sv_eq_cstr(entry->key, "rh_subscription"))
			v = osm_taint_subscription(arena, &v);
		if (sv_eq_cstr(entry->key, "yum_repos"))
			v = *value_map_get(given, entry->key); /* with nulls */
		if (value_is_string(&v) ? !sv_empty(v.string) : value_count(&v) > 0)
			value_map_set(arena, &modules, entry->key, v);
	}
	struct value *sorted = ARENA_NEW(arena, struct value);
	*sorted = osm_sorted(arena, &modules);
	l->config->modules = sorted;
}

/* ---- the whole --------------------------------------------------------------------------- */

enum status osm_profile_config_load(struct shape_reader *reader, const struct value *spec,
                                    const char *key, const struct osm_profile_config **ret_config)
{
	const struct shape_place outer = {.name = SV("spec")};
	const struct shape_place place = {.outer = &outer, .name = sv_from_cstr(key)};
	const struct value *given = value_map_get(spec, place.name);
	struct schema *schema = reader->context;
	bool failed_before = schema->failed;

	if (value_is_null(given))
		return STATUS_FAILED;
	/* Find mistakes in these templates even after mistakes in other members. */
	schema->failed = false;
	struct loader l = {
	    .schema = schema,
	    .taken = shape_take(reader, &osm_profile_config_shape, &place, given),
	    .config = ARENA_NEW(schema->arena, struct osm_profile_config),
	};
	l.templates = value_map_get(&l.taken, SV("templates"));
	read_files(&l, value_map_get(&l.taken, SV("files")));
	read_runtimes(&l);
	check_paths(&l, spec);
	read_units(&l, value_map_get(given, SV("units")),
	           value_text(value_map_get(spec, SV("osName"))));
	read_modules(&l, value_map_get(given, SV("modules")));
	l.config->files = l.files.items;
	l.config->file_count = l.files.count;
	bool failed = schema->failed || compile(&l) != STATUS_OK;
	schema->failed = failed_before || failed;
	if (failed)
		return STATUS_FAILED;
	*ret_config = l.config;
	return STATUS_OK;
}
