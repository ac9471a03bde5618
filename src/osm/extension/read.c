/*
 * Reads an OperatingSystemProfileExtension (docs/extensions.md).
 */
#include "osm/extension/internal.h"
#include "shape/shape.h"

static const struct schema_terms terms = {DIAG_EXTENSION, DIAG_EXTENSION_MEMBER, "the extension"};

/* ---- members ----------------------------------------------------------------------------- */

static void read_selector(struct schema *schema, const struct value *spec,
                          struct osm_extension *extension)
{
	const struct value *selector = extension_member(spec, "selector", KIND_MAP);

	extension->profiles = extension_texts(schema, selector, "profiles");
	extension->machine_deployments = extension_texts(schema, selector, "machineDeployments");
	extension->operating_systems = extension_texts(schema, selector, "operatingSystems");
	extension->cloud_providers = extension_texts(schema, selector, "cloudProviders");
	extension->labels = extension_member(selector, "matchLabels", KIND_MAP);
}

/* Checks words that a script uses without quotes. */
static void check_words(struct schema *schema, const struct value *list, const char *key,
                        const char *others)
{
	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);

		if (extension_is_template(item->string)) {
			extension_check_template(schema, sv_from_cstr(key), item);
			continue;
		}
		if (extension_is_word(item->string, others))
			continue;
		struct diag *diag = extension_report(
		    schema, value_position(item),
		    "\"%.*s\" in %s has characters that are not allowed in such a name",
		    SV_ARG(item->string), key);
		diag_set_help(schema->sink, diag, "write one name an item");
	}
}

static bool is_sysctl(sv name)
{
	return extension_is_word(sv_from_offset(name, sv_starts_with(name, SV("-"))), "._-/*:");
}

static void read_sysctls(struct schema *schema, const struct value *spec,
                         struct osm_extension *extension)
{
	extension->sysctls = extension_member(spec, "sysctls", KIND_MAP);
	for (size_t i = 0; i < value_count(extension->sysctls); i++) {
		const struct value_entry *entry = &extension->sysctls->map->entries[i];
		struct diag *diag;

		if (!is_sysctl(entry->key)) {
			diag = extension_report(schema, origin_position(entry->key_origin),
			                        "\"%.*s\" is not the name of a sysctl",
			                        SV_ARG(entry->key));
			diag_set_help(schema->sink, diag,
			              "write it as in sysctl -a: net.core.somaxconn");
		} else if (value_is_string(&entry->value) &&
		           sv_find_char(entry->value.string, '\n') != SV_NPOS) {
			diag = extension_report(schema, value_position(&entry->value),
			                        "sysctl %.*s must be one line", SV_ARG(entry->key));
			diag_set_help(schema->sink, diag, "write each sysctl by its own name");
		} else if (value_is_string(&entry->value)) {
			extension_check_template(schema, entry->key, &entry->value);
		}
	}
}

static void read_commands(struct schema *schema, const struct value *spec,
                          struct osm_extension *extension)
{
	static const char *const keys[MOMENT_COUNT] = {"beforeSetup", "beforeKubelet",
	                                               "afterSetup"};
	const struct value *commands = extension_member(spec, "commands", KIND_MAP);

	for (size_t m = 0; m < MOMENT_COUNT; m++) {
		const struct value *list = extension_texts(schema, commands, keys[m]);

		extension->commands[m] = list;
		for (size_t i = 0; i < value_count(list); i++)
			extension_check_template(schema, sv_from_cstr(keys[m]),
			                         value_item(list, i));
	}
}

/* ---- the kubelet and containerd ---------------------------------------------------------- */

static bool begins_line(sv text, sv word)
{
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line))
		if (sv_starts_with(line, word))
			return true;
	return false;
}

/* Reads a member whose file begins with a head (version, kind) that osm-gen writes. */
static void read_drop_in(struct schema *schema, const struct value *map, const char *key,
                         const char *const *heads, struct value *ret_text)
{
	struct value text = extension_text(map, key);

	for (size_t i = 0; text.type && heads[i]; i++) {
		if (!begins_line(text.string, sv_from_cstr(heads[i])))
			continue;
		struct diag *diag = extension_report(schema, value_position(&text),
		                                     "%s must not contain \"%s\"", key, heads[i]);
		diag_set_help(schema->sink, diag, "remove the line: osm-gen writes it");
	}
	extension_check_template(schema, sv_from_cstr(key), &text);
	*ret_text = text;
}

static void read_kubelet(struct schema *schema, const struct value *spec,
                         struct osm_extension *extension)
{
	static const char *const heads[] = {"apiVersion:", "kind:", NULL};
	const struct value *kubelet = extension_member(spec, "kubelet", KIND_MAP);

	read_drop_in(schema, kubelet, "configuration", heads, &extension->kubelet);
}

/*
 * Reports keys before the first table: the content is appended to a file that ends inside a table.
 */
static void check_appended(struct schema *schema, const struct value *text)
{
	struct sv_splitter lines = sv_split(value_text(text), '\n');
	sv line = SV("");

	while (sv_split_next(&lines, &line)) {
		line = sv_trim(line, " \t\r");
		if (!sv_empty(line) && line.ptr[0] != '#')
			break;
	}
	if (sv_empty(line) || strchr("#[{", line.ptr[0]))
		return;
	struct diag *diag = extension_report(schema, value_position(text),
	                                     "configurationVersion2 must begin with a table");
	diag_set_help(schema->sink, diag,
	              "write the [name] of a table first: the text is appended to the profile's, "
	              "so its first keys would otherwise be in the profile's last table");
}

static void read_containerd(struct schema *schema, const struct value *spec,
                            struct osm_extension *extension)
{
	static const char *const heads[] = {"version =", "version=", "imports", NULL};
	const struct value *containerd = extension_member(spec, "containerd", KIND_MAP);

	read_drop_in(schema, containerd, "configuration", heads, &extension->containerd);
	read_drop_in(schema, containerd, "configurationVersion2", heads, &extension->containerd_v2);
	check_appended(schema, &extension->containerd_v2);
	extension->nvidia = extension_is_true(containerd, "nvidia");
}

/* ---- the whole --------------------------------------------------------------------------- */

/* Profiles check repositories: the resulting one has these, too. */
static bool is_repository(struct shape_reader *reader UNUSED, const struct shape_place *place,
                          const struct value *value UNUSED)
{
	return place && place->outer && sv_eq_cstr(place->outer->name, "yum_repos");
}

static void report_extension_problem(struct shape_reader *reader,
                                     const struct shape_problem *problem)
{
	struct schema *schema = reader->context;
	const struct shape_member *member = problem->member;
	const struct shape_place *place = problem->place;
	struct position at = value_position(problem->value);
	struct diag *diag;

	if (problem->kind == SHAPE_MISSING || !member) {
		schema_report_named(schema, problem);
	} else if (problem->kind == SHAPE_EMPTY) {
		diag = extension_report(schema, at, "%s of the selector is empty", member->name);
		diag_set_help(schema->sink, diag, "remove it if the extension is for all of them");
	} else if (member->type == SHAPE_INT && strcmp(member->name, "order") == 0) {
		diag = extension_report(schema, at, "order must be a number from 0 to 999");
		diag_set_help(schema->sink, diag, "lower ones come first; without one it is 500");
	} else if (member->type == SHAPE_INT) {
		diag = extension_report(schema, at,
		                        "permissions must be the digits of a mode, as a number");
		diag_set_help(schema->sink, diag, "write 644, without quotes and leading zero");
	} else if (!problem->is_item || member->of || member->form == SHAPE_DICTS) {
		schema_report_named(schema, problem);
	} else if (member->type == SHAPE_INT64_OR_TEXT) {
		if (!is_sysctl(place->name))
			return; /* reported below */
		diag = extension_report(schema, at, "sysctl %.*s must be a number or a string",
		                        SV_ARG(place->name));
		diag_set_help(schema->sink, diag, "put it in quotes");
	} else if (member->form == SHAPE_DICT) {
		diag = extension_report(schema, at, "the value of a label must be a string");
		diag_set_help(schema->sink, diag, "put it in quotes");
	} else if (problem->kind != SHAPE_NO_CHOICE) {
		extension_report_text(schema, problem->value, member->name);
	} else if (!sv_empty(sv_trim_space(problem->value->string))) {
		struct shape_member item = *member;
		struct shape_problem shown = *problem;

		item.name =
		    item.choices_of == osm_os_choices ? "an operating system" : "a cloud provider";
		shown.member = &item;
		schema_report_named(schema, &shown);
	}
}

static bool adds_nothing(const struct osm_extension *extension)
{
	size_t count = extension->units.count + extension->ssh_keys.count;

	for (size_t config = 0; config < COUNT_OF(extension->files); config++)
		count += extension->files[config].count + value_count(extension->modules[config]);
	for (size_t m = 0; m < MOMENT_COUNT; m++)
		count += value_count(extension->commands[m]);
	count += value_count(extension->packages) + value_count(extension->kernel_modules) +
	         value_count(extension->certificates) + value_count(extension->sysctls);
	return count == 0 && !extension->kubelet.type && !extension->containerd.type &&
	       !extension->containerd_v2.type && !extension->nvidia;
}

static void read_spec(struct schema *schema, const struct value *spec,
                      struct osm_extension *extension)
{
	const struct value *order = extension_member(spec, "order", KIND_INT64);

	extension->order = OSM_EXTENSION_ORDER_DEFAULT;
	if (order && order->integer >= 0 && order->integer <= OSM_EXTENSION_ORDER_MAX)
		extension->order = (int)order->integer;
	read_selector(schema, spec, extension);
	extension_config_read(schema, spec, "bootstrapConfig", 0, extension);
	extension_config_read(schema, spec, "provisioningConfig", 1, extension);
	extension_units_read(schema, spec, extension);
	extension_ssh_keys_read(schema, spec, extension);
	extension->packages = extension_texts(schema, spec, "packages");
	check_words(schema, extension->packages, "packages", "+-._:~=*/@");
	extension->kernel_modules = extension_texts(schema, spec, "kernelModules");
	check_words(schema, extension->kernel_modules, "kernelModules", "-_");
	extension->certificates = extension_texts(schema, spec, "caCertificates");
	extension_check_certificates(schema, extension->certificates);
	read_sysctls(schema, spec, extension);
	read_commands(schema, spec, extension);
	read_kubelet(schema, spec, extension);
	read_containerd(schema, spec, extension);
	extension->adds_nothing = adds_nothing(extension);
}

/* Checks the extension's name, which becomes part of file names. */
static void check_name(struct schema *schema, const struct kube_object *object)
{
	sv name = object->id.name;

	if (kube_name_valid(name) && name.len <= 63 && sv_find_char(name, '.') == SV_NPOS)
		return;
	struct diag *diag =
	    extension_report(schema, kube_object_position(object),
	                     "\"%.*s\" is not a valid name of an extension", SV_ARG(name));
	diag_set_help(schema->sink, diag,
	              "use at most 63 of a-z, 0-9 and -, beginning and ending with a letter or "
	              "digit");
}

struct osm_extension *osm_extension_read(struct arena *arena, struct sink *sink,
                                         const struct kube_object *object)
{
	struct osm_extension *extension = ARENA_NEW(arena, struct osm_extension);
	struct schema schema = {arena, sink, &terms, false};
	size_t errors = sink->error_count;
	DIAG_SCOPE(sink, kube_object_describe(arena, object), sink->cluster);

	*extension = (struct osm_extension){.object = object, .name = object->id.name};
	check_name(&schema, object);
	struct shape_reader reader = {.arena = arena,
	                              .options = SHAPE_REFUSES_NULLS,
	                              .report = report_extension_problem,
	                              .skips = is_repository,
	                              .context = &schema};
	(void)shape_check(&reader, &osm_extension_shape, NULL, object->root);
	const struct value *spec = extension_member(object->root, "spec", KIND_MAP);
	if (spec)
		read_spec(&schema, spec, extension);
	extension->is_wrong = schema.failed || sink->error_count > errors;
	return extension;
}

/* Permissions are octal digits in a decimal number, as profiles have them. */
static bool is_program(const struct extension_file *file)
{
	if (file->replaces)
		return true;
	for (int64_t rest = file->permissions.type ? file->permissions.integer : 0; rest > 0;
	     rest /= 10)
		if (rest % 10 % 2 == 1)
			return true;
	return false;
}

bool osm_extension_runs(const struct osm_extension *extension)
{
	for (size_t i = 0; i < MOMENT_COUNT; i++)
		if (value_count(extension->commands[i]) > 0)
			return true;
	for (size_t i = 0; i < COUNT_OF(extension->modules); i++)
		if (value_count(extension->modules[i]) > 0)
			return true;
	for (size_t i = 0; i < COUNT_OF(extension->files); i++)
		VEC_EACH (file, &extension->files[i])
			if (is_program(file))
				return true;
	VEC_EACH (unit, &extension->units)
		if (unit->content.type || unit->drop_ins.count > 0)
			return true;
	return false;
}
