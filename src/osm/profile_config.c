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

struct loader {
	struct schema *schema;
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

static int32_t read_permissions(struct schema *schema, const struct value *file,
                                const struct value *path)
{
	const struct value *v = value_map_get(file, SV("permissions"));

	if (value_is_null(v))
		return OSM_DEFAULT_PERMISSIONS;
	if (!value_is(v, KIND_INT64) || v->integer < INT32_MIN || v->integer > INT32_MAX) {
		struct diag *diag = diag_report(schema->sink, DIAG_OSP_SCHEMA, value_position(v),
		                                "permissions must be a number of 32 bits");
		diag_set_help(schema->sink, diag, "write 644, without quotes and leading zero");
		schema->failed = true;
		return OSM_DEFAULT_PERMISSIONS;
	}
	check_octal(schema, v, path);
	return v->integer == 0 ? OSM_DEFAULT_PERMISSIONS : (int32_t)v->integer;
}

static void read_file(struct loader *l, const struct value *item)
{
	static const sv file_names[] = {SV_INIT("path"), SV_INIT("permissions"),
	                                SV_INIT("content")};
	static const sv content_names[] = {SV_INIT("inline")};
	static const sv inline_names[] = {SV_INIT("encoding"), SV_INIT("data")};
	struct schema *schema = l->schema;
	struct osm_profile_file file = {0};

	schema_known(schema, item, "a file", file_names, COUNT_OF(file_names));
	file.path = schema_string(schema, item, "path", true);
	file.permissions = read_permissions(schema, item, &file.path);
	const struct value *content = schema_map(schema, item, "content", true);
	if (!content)
		return;
	schema_known(schema, content, "content", content_names, COUNT_OF(content_names));
	const struct value *text = schema_map(schema, content, "inline", true);
	if (!text)
		return;
	schema_known(schema, text, "inline", inline_names, COUNT_OF(inline_names));
	file.encoding = schema_string(schema, text, "encoding", false);
	file.data = schema_string(schema, text, "data", true);
	if (file.path.type && file.data.type)
		VEC_PUSH(schema->arena, &l->files, file);
}

static void read_files(struct loader *l, const struct value *list)
{
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = schema_item_map(l->schema, list, i, "a file");

		if (item)
			read_file(l, item);
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

/*
 * Returns the map without the members that are null, which the API server removes (apiextensions,
 * PruneNonNullableNullsWithoutDefaults).
 */
static const struct value *without_nulls(struct arena *arena, const struct value *map)
{
	struct value *kept = ARENA_NEW(arena, struct value);

	*kept = value_map_new(arena);
	kept->origin = map->origin;
	for (size_t i = 0; i < value_count(map); i++) {
		const struct value_entry *entry = &map->map->entries[i];

		if (!value_is_null(&entry->value))
			value_map_set_at(arena, kept, entry->key, entry->key_origin, entry->value);
	}
	return value_count(kept) == value_count(map) ? map : kept;
}

/* Reads a map of strings, which is checked even if unused. */
static const struct value *read_texts(struct schema *schema, const struct value *map,
                                      const char *key)
{
	const struct value *texts = schema_map(schema, map, key, false);

	if (value_is_map(texts))
		texts = without_nulls(schema->arena, texts);

	for (size_t i = 0; i < value_count(texts); i++) {
		const struct value *v = &texts->map->entries[i].value;

		if (!value_is_string(v)) {
			struct diag *diag =
			    diag_report(schema->sink, DIAG_OSP_SCHEMA, value_position(v),
			                "\"%.*s\" in %s must be a string",
			                SV_ARG(texts->map->entries[i].key), key);

			diag_set_help(schema->sink, diag, "put it in quotes");
			schema->failed = true;
		}
	}
	return texts;
}

static void read_runtimes(struct loader *l, const struct value *spec)
{
	static const sv names[] = {SV_INIT("name"), SV_INIT("files"), SV_INIT("templates")};
	static const sv runtimes[] = {SV_INIT("docker"), SV_INIT(RUNTIME)};
	struct schema *schema = l->schema;
	const struct value *list = schema_list(schema, spec, "supportedContainerRuntimes", false);
	bool chosen = false;

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = schema_item_map(schema, list, i, "a container runtime");

		if (!item)
			continue;
		schema_known(schema, item, "a container runtime", names, COUNT_OF(names));
		struct value name = schema_string(schema, item, "name", true);
		schema_enum(schema, &name, "name of a container runtime", runtimes,
		            COUNT_OF(runtimes));
		const struct value *files = schema_list(schema, item, "files", true);
		const struct value *templates = read_texts(schema, item, "templates");
		size_t kept = l->files.count;

		/*
		 * Only the first entry of the runtime is used; the others are checked, too.
		 */
		read_files(l, files);
		if (chosen || !sv_eq_cstr(value_text(&name), RUNTIME)) {
			l->files.count = kept;
			continue;
		}
		chosen = true;
		l->runtime_templates = templates;
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
	return STATUS_OK;
}

/* ---- units ------------------------------------------------------------------------------- */

static void set_if(struct arena *arena, struct value *map, sv key, const struct value *v)
{
	if (v && v->type)
		value_map_set(arena, map, key, *v);
}

static struct value read_drop_ins(struct schema *schema, const struct value *list)
{
	static const sv names[] = {SV_INIT("name"), SV_INIT("content")};
	struct value drop_ins = value_list_new(schema->arena);

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = schema_item_map(schema, list, i, "a drop-in");
		struct value drop_in = value_map_new(schema->arena);

		if (!item)
			continue;
		schema_known(schema, item, "a drop-in", names, COUNT_OF(names));
		struct value content = schema_string(schema, item, "content", true);
		struct value name = schema_string(schema, item, "name", true);
		set_if(schema->arena, &drop_in, SV("content"), &content);
		set_if(schema->arena, &drop_in, SV("name"), &name);
		value_list_add(schema->arena, &drop_ins, drop_in);
	}
	return drop_ins;
}

static void read_units(struct loader *l, const struct value *spec, sv os_name)
{
	static const sv names[] = {SV_INIT("name"), SV_INIT("enable"), SV_INIT("mask"),
	                           SV_INIT("content"), SV_INIT("dropIns")};
	struct schema *schema = l->schema;
	const struct value *list = schema_list(schema, spec, "units", false);

	l->config->units = value_list_new(schema->arena);
	if (value_count(list) > 0 && !sv_eq_cstr(os_name, "flatcar")) {
		struct diag *diag =
		    diag_report(schema->sink, DIAG_OSP_UNITS, value_position(list),
		                "a profile for %.*s must not have units", SV_ARG(os_name));
		diag_set_help(schema->sink, diag,
		              "write the unit with a file below /etc/systemd/system and start it "
		              "from a script or from modules.runcmd");
		schema->failed = true;
	}
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = schema_item_map(schema, list, i, "a unit");
		struct value unit = value_map_new(schema->arena);

		if (!item)
			continue;
		schema_known(schema, item, "a unit", names, COUNT_OF(names));
		struct value name = schema_string(schema, item, "name", true);
		struct value content = schema_string(schema, item, "content", false);
		const struct value *drop_ins = schema_list(schema, item, "dropIns", false);
		set_if(schema->arena, &unit, SV("content"), &content);
		if (value_count(drop_ins) > 0)
			value_map_set(schema->arena, &unit, SV("dropIns"),
			              read_drop_ins(schema, drop_ins));
		set_if(schema->arena, &unit, SV("enable"), schema_bool(schema, item, "enable"));
		set_if(schema->arena, &unit, SV("mask"), schema_bool(schema, item, "mask"));
		set_if(schema->arena, &unit, SV("name"), &name);
		value_list_add(schema->arena, &l->config->units, unit);
	}
}

/* ---- modules ----------------------------------------------------------------------------- */

static void copy_commands(struct schema *schema, struct value *modules, const struct value *spec,
                          const char *key)
{
	const struct value *list = schema_list(schema, spec, key, false);

	for (size_t i = 0; i < value_count(list); i++) {
		if (value_is_string(value_item(list, i)))
			continue;
		struct diag *diag =
		    diag_report(schema->sink, DIAG_OSP_SCHEMA, value_position(value_item(list, i)),
		                "a command of %s must be a string", key);
		diag_set_help(schema->sink, diag,
		              "write the command as one line; the list form of cloud-init is not "
		              "in the profile's schema");
		schema->failed = true;
	}
	if (value_count(list) > 0)
		value_map_set(schema->arena, modules, sv_from_cstr(key), *list);
}

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

static void copy_repositories(struct schema *schema, struct value *modules,
                              const struct value *spec)
{
	const struct value *repositories = schema_map(schema, spec, "yum_repos", false);

	for (size_t i = 0; i < value_count(repositories); i++) {
		const struct value_entry *entry = &repositories->map->entries[i];
		const struct value *v = &entry->value;

		read_texts(schema, repositories, arena_cstr(schema->arena, entry->key));
		if (!value_is_map(v))
			continue;
	}
	if (value_count(repositories) > 0)
		value_map_set(schema->arena, modules, SV("yum_repos"), *repositories);
}

static void read_modules(struct loader *l, const struct value *spec)
{
	static const sv names[] = {SV_INIT("bootcmd"), SV_INIT("rh_subscription"),
	                           SV_INIT("runcmd"), SV_INIT("yum_repos"),
	                           SV_INIT("yum_repo_dir")};
	struct schema *schema = l->schema;
	const struct value *given = schema_map(schema, spec, "modules", false);

	if (!given)
		return;
	struct value *modules = ARENA_NEW(schema->arena, struct value);
	*modules = value_map_new(schema->arena);
	schema_known(schema, given, "modules", names, COUNT_OF(names));
	copy_commands(schema, modules, given, "bootcmd");
	const struct value *subscription = read_texts(schema, given, "rh_subscription");
	if (value_count(subscription) > 0)
		value_map_set(schema->arena, modules, SV("rh_subscription"),
		              osm_taint_subscription(schema->arena, subscription));
	copy_commands(schema, modules, given, "runcmd");
	struct value folder = schema_string(schema, given, "yum_repo_dir", false);
	if (!sv_empty(value_text(&folder)))
		value_map_set(schema->arena, modules, SV("yum_repo_dir"), folder);
	copy_repositories(schema, modules, given);
	struct value sorted = osm_sorted(schema->arena, modules);
	*modules = sorted;
	l->config->modules = modules;
}

/* ---- the whole --------------------------------------------------------------------------- */

enum status osm_profile_config_load(struct schema *schema, const struct value *spec,
                                    const char *key, sv os_name,
                                    const struct osm_profile_config **ret_config)
{
	static const sv names[] = {
	    SV_INIT("supportedContainerRuntimes"),
	    SV_INIT("templates"),
	    SV_INIT("units"),
	    SV_INIT("files"),
	    SV_INIT("modules"),
	};
	const struct value *given = schema_map(schema, spec, key, true);
	struct loader l = {
	    .schema = schema,
	    .config = ARENA_NEW(schema->arena, struct osm_profile_config),
	};

	/* Find mistakes in these templates even after mistakes in other members. */
	bool failed_before = schema->failed;
	schema->failed = false;
	schema_known(schema, given, key, names, COUNT_OF(names));
	l.templates = read_texts(schema, given, "templates");
	read_files(&l, schema_list(schema, given, "files", false));
	read_runtimes(&l, given);
	check_paths(&l, spec);
	read_units(&l, given, os_name);
	read_modules(&l, given);
	l.config->files = l.files.items;
	l.config->file_count = l.files.count;
	bool failed = schema->failed || compile(&l) != STATUS_OK;
	schema->failed = failed_before || failed;
	if (failed)
		return STATUS_FAILED;
	*ret_config = l.config;
	return STATUS_OK;
}
