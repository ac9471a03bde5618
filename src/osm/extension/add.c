/*
 * Adds each member of an extension to the profile that is being made.
 *
 * Files and cloud-init modules can be added to any profile. Other members need a profile whose
 * setup calls the hooks (templates named extension...). They become files below /opt/osm-node, and
 * in the folders that systemd, the kubelet and containerd read.
 */
#include "osm/extension/internal.h"

#define OWN_FOLDER "/opt/osm-node"

static const sv config_keys[] = {SV_INIT("bootstrapConfig"), SV_INIT("provisioningConfig")};

/* ---- modules ----------------------------------------------------------------------------- */

static struct value *modules_of(struct extension_maker *maker, size_t config)
{
	struct value *given = value_map_get_mutable(&maker->spec, config_keys[config]);

	if (!value_is_map(value_map_get(given, SV("modules"))))
		value_map_set(maker->arena, given, SV("modules"), value_map_new(maker->arena));
	return value_map_get_mutable(given, SV("modules"));
}

static void append_list(struct extension_maker *maker, struct value *modules, sv key,
                        const struct value *items)
{
	if (!value_is_list(value_map_get(modules, key)))
		value_map_set(maker->arena, modules, key, value_list_new(maker->arena));
	struct value *list = value_map_get_mutable(modules, key);

	for (size_t i = 0; i < value_count(items); i++)
		value_list_add(maker->arena, list, *value_item(items, i));
}

/* Sets a member that only one extension may set. */
static void set_once(struct extension_maker *maker, struct value *map, const char *sort,
                     const struct value_entry *entry)
{
	const struct value *there = value_map_get(map, entry->key);
	struct position at = origin_position(entry->key_origin);

	if (!extension_claim_place(maker, sort, entry->key, at))
		return;
	if (!there) {
		value_map_set_at(maker->arena, map, entry->key, entry->key_origin, entry->value);
		return;
	}
	struct diag *diag = extension_refuse(maker, DIAG_EXTENSION_CONFLICT, at,
	                                     "the profile has this already:", entry->key);
	diag_add_note(maker->sink, diag, value_position(there),
	              "OperatingSystemProfile \"%.*s\" has it here", SV_ARG(maker->base->name));
	diag_set_help(maker->sink, diag, "give it another name, or remove it");
}

static void warn_module(struct extension_maker *maker, const struct value_entry *entry,
                        const char *why, const char *help)
{
	struct diag *diag =
	    diag_report(maker->sink, DIAG_EXTENSION_MODULE, origin_position(entry->key_origin),
	                "%.*s has no effect: %s", SV_ARG(entry->key), why);

	diag_add_note(maker->sink, diag, kube_object_position(maker->base->object),
	              "OperatingSystemProfile \"%.*s\"", SV_ARG(maker->base->name));
	diag_set_help(maker->sink, diag, "%s", help);
}

static bool is_flatcar(const struct extension_maker *maker)
{
	return sv_eq_cstr(maker->base->os_name.string, "flatcar");
}

/*
 * COMPAT: reports modules on Flatcar: the controller silently leaves them out of Ignition's
 * configuration.
 */
static void check_module(struct extension_maker *maker, size_t config,
                         const struct value_entry *entry)
{
	if (is_flatcar(maker))
		warn_module(maker, entry, "neither Ignition nor coreos-cloudinit runs modules",
		            "use commands or a unit instead, or select other operating systems");
	else if (config == 1 && sv_starts_with(entry->key, SV("yum_")) &&
	         value_map_get(value_path(&maker->spec, "provisioningConfig.templates"),
	                       SV("extensionStart")))
		warn_module(maker, entry,
		            "stage 1 of the profile applies write_files, bootcmd and runcmd alone",
		            "write it below bootstrapConfig, or the repository as a file of "
		            "/etc/yum.repos.d");
}

static void add_modules(struct extension_maker *maker, size_t config, const struct value *given)
{
	for (size_t i = 0; i < value_count(given); i++) {
		const struct value_entry *entry = &given->map->entries[i];
		struct value *modules = modules_of(maker, config);

		check_module(maker, config, entry);
		if (value_is_list(&entry->value)) {
			append_list(maker, modules, entry->key, &entry->value);
		} else if (value_is_map(&entry->value)) {
			if (!value_is_map(value_map_get(modules, entry->key)))
				value_map_set(maker->arena, modules, entry->key,
				              value_map_new(maker->arena));
			for (size_t k = 0; k < value_count(&entry->value); k++)
				set_once(maker, value_map_get_mutable(modules, entry->key),
				         config == 0 ? "bootstrap repository" : "repository",
				         &entry->value.map->entries[k]);
		} else {
			set_once(maker, modules, config == 0 ? "bootstrap module" : "module",
			         entry);
		}
	}
}

/* ---- files of osm-gen's own making ------------------------------------------------------- */

static void add_own(struct extension_maker *maker, const char *before, const char *after,
                    int permissions, const struct extension_text *text, const struct value *given)
{
	struct value data = extension_text_value(text, given);

	extension_add_own(maker, before, after, permissions, &data, given);
}

/* Adds a file with the items of a list, each on a line. */
static void add_own_list(struct extension_maker *maker, const char *before, const char *after,
                         int permissions, const struct value *list)
{
	struct extension_text lines = extension_text_in(maker->arena);

	extension_text_add_lines(&lines, list);
	add_own(maker, before, after, permissions, &lines, list);
}

/* ---- units ------------------------------------------------------------------------------- */

/* Replaces a unit that is in the profile's list of units (Flatcar), not in its files. */
static bool replace_listed(struct extension_maker *maker, const struct extension_unit *unit)
{
	struct value *config = value_map_get_mutable(&maker->spec, config_keys[1]);
	struct value *units = value_map_get_mutable(config, SV("units"));

	for (size_t i = 0; value_is_list(units) && i < value_count(units); i++) {
		struct value *listed = value_item_mutable(units, i);
		const struct value *name = value_map_get(listed, SV("name"));

		if (!sv_eq(value_text(name), unit->name.string))
			continue;
		if (unit->replaces) {
			value_map_set(maker->arena, listed, SV("content"), unit->content);
			return true;
		}
		struct diag *diag =
		    extension_refuse(maker, DIAG_EXTENSION_CONFLICT, value_position(&unit->name),
		                     "the profile has a unit", unit->name.string);
		diag_add_note(maker->sink, diag, value_position(name),
		              "OperatingSystemProfile \"%.*s\" has it here",
		              SV_ARG(maker->base->name));
		diag_set_help(maker->sink, diag,
		              "write replace: true to put this one in its place");
		return true;
	}
	return false;
}

static void add_unit_file(struct extension_maker *maker, sv path, const struct value *name,
                          const struct value *content, bool replaces)
{
	struct extension_file file = {.path = value_string(path),
	                              .data = *content,
	                              .permissions = extension_number(OSM_DEFAULT_PERMISSIONS),
	                              .replaces = replaces};

	file.path.origin = name->origin;
	extension_add_file(maker, 1, &file);
}

static const char *action_of(const struct extension_unit *unit)
{
	if (unit->mask && unit->mask->boolean)
		return "mask";
	if (unit->enable)
		return unit->enable->boolean ? "enable" : "disable";
	return "restart";
}

static void add_extension_units(struct extension_maker *maker)
{
	const struct osm_extension *extension = maker->extension;
	struct extension_text actions = extension_text_in(maker->arena);

	VEC_EACH (unit, &extension->units) {
		sv path = ARENA_CONCAT(maker->arena, SV("/etc/systemd/system/"), unit->name.string);

		if (!extension_need_hook(maker, "units", value_position(&unit->name),
		                         SV("extensionBeforeKubelet")))
			return;
		if (unit->content.type && !replace_listed(maker, unit))
			add_unit_file(maker, path, &unit->name, &unit->content, unit->replaces);
		VEC_EACH (drop_in, &unit->drop_ins)
			add_unit_file(
			    maker,
			    ARENA_CONCAT(maker->arena, path, SV(".d/"), drop_in->name.string),
			    &drop_in->name, &drop_in->content, false);
		if (extension_claim_place(maker, "unit's state", unit->name.string,
		                          value_position(&unit->name))) {
			extension_text_add(&actions, sv_from_cstr(action_of(unit)));
			extension_text_add(&actions, SV(" "));
			extension_text_add_value(&actions, &unit->name);
			extension_text_end_line(&actions);
		}
	}
	if (actions.buf.len > 0)
		add_own(maker, OWN_FOLDER "/units/", "", 600, &actions,
		        value_path(extension->object->root, "spec.units"));
}

/* ---- lists of lines ---------------------------------------------------------------------- */

static void add_packages(struct extension_maker *maker)
{
	const struct value *packages = maker->extension->packages;

	if (value_count(packages) == 0)
		return;
	if (is_flatcar(maker)) {
		struct diag *diag =
		    extension_refuse(maker, DIAG_EXTENSION_PLACE, value_position(packages),
		                     "packages cannot be installed on", SV("flatcar"));
		diag_set_help(
		    maker->sink, diag,
		    "select other operating systems (selector.operatingSystems), or bring "
		    "what is needed as a file or a system extension image");
		return;
	}
	if (!extension_need_hook(maker, "packages", value_position(packages),
	                         SV("extensionSystem")))
		return;
	add_own_list(maker, OWN_FOLDER "/packages/", "", 600, packages);
}

static void add_kernel_modules(struct extension_maker *maker)
{
	const struct value *modules = maker->extension->kernel_modules;

	if (value_count(modules) > 0 &&
	    extension_need_hook(maker, "kernelModules", value_position(modules),
	                        SV("extensionSystem")))
		add_own_list(maker, "/etc/modules-load.d/osm-node-", ".conf", 644, modules);
}

/*
 * Returns one spelling of a sysctl: its first . or / is the separator (sysctl.d(5)).
 */
static sv sysctl_name(struct arena *arena, sv key)
{
	size_t from = sv_starts_with(key, SV("-")) ? 1 : 0; /* failures are ignored */
	bool has_slashes = sv_find_char(key, '/') < sv_find_char(key, '.');
	char *name = ARENA_ARRAY(arena, char, key.len + 1);

	for (size_t i = from; i < key.len; i++) {
		char c = key.ptr[i];

		name[i - from] = (char)(!has_slashes ? c : c == '.' ? '/' : c == '/' ? '.' : c);
	}
	return (sv){name, key.len - from};
}

static void add_sysctls(struct extension_maker *maker)
{
	const struct value *sysctls = maker->extension->sysctls;
	struct extension_text lines = extension_text_in(maker->arena);

	if (value_count(sysctls) == 0 ||
	    !extension_need_hook(maker, "sysctls", value_position(sysctls), SV("extensionSystem")))
		return;
	for (size_t i = 0; i < value_count(sysctls); i++) {
		const struct value_entry *entry = &sysctls->map->entries[i];

		extension_claim_place(maker, "sysctl", sysctl_name(maker->arena, entry->key),
		                      origin_position(entry->key_origin));
		extension_text_add_key(&lines, entry);
		extension_text_add(&lines, SV(" = "));
		if (value_is_string(&entry->value))
			extension_text_add_value(&lines, &entry->value);
		else
			extension_text_add_for(
			    &lines,
			    arena_printf(maker->arena, "%lld", (long long)entry->value.integer),
			    &entry->value);
		extension_text_end_line(&lines);
	}
	add_own(maker, "/etc/sysctl.d/osm-node-", ".conf", 644, &lines, sysctls);
}

static void add_certificates(struct extension_maker *maker)
{
	const struct value *certificates = maker->extension->certificates;

	if (value_count(certificates) > 0 &&
	    extension_need_hook(maker, "caCertificates", value_position(certificates),
	                        SV("extensionStart")))
		add_own_list(maker, OWN_FOLDER "/certificates/", "", 644, certificates);
}

static sv user_of(const struct extension_maker *maker)
{
	static const struct {
		sv system;
		sv user;
	} users[] = {{SV_INIT("ubuntu"), SV_INIT("ubuntu")},
	             {SV_INIT("rockylinux"), SV_INIT("rocky")},
	             {SV_INIT("rhel"), SV_INIT("cloud-user")},
	             {SV_INIT("amzn2"), SV_INIT("ec2-user")},
	             {SV_INIT("flatcar"), SV_INIT("core")}};

	for (size_t i = 0; i < COUNT_OF(users); i++)
		if (sv_eq(maker->base->os_name.string, users[i].system))
			return users[i].user;
	return SV("root");
}

static void add_ssh_keys(struct extension_maker *maker)
{
	struct extension_text lines = extension_text_in(maker->arena);

	VEC_EACH (given, &maker->extension->ssh_keys) {
		if (value_count(given->keys) > 0 &&
		    !extension_need_hook(maker, "sshKeys", value_position(given->keys),
		                         SV("extensionStart")))
			return;
		for (size_t i = 0; i < value_count(given->keys); i++) {
			if (given->user.type)
				extension_text_add_value(&lines, &given->user);
			else
				extension_text_add(&lines, user_of(maker));
			extension_text_add(&lines, SV(" "));
			extension_text_add_value(&lines, value_item(given->keys, i));
			extension_text_add(&lines, SV("\n"));
		}
	}
	if (lines.buf.len > 0)
		add_own(maker, OWN_FOLDER "/ssh-keys/", "", 600, &lines,
		        value_path(maker->extension->object->root, "spec.sshKeys"));
}

static void add_commands(struct extension_maker *maker)
{
	static const char *const folders[MOMENT_COUNT] = {
	    OWN_FOLDER "/before-setup/", OWN_FOLDER "/before-kubelet/", OWN_FOLDER "/after-setup/"};
	static const sv hooks[MOMENT_COUNT] = {
	    SV_INIT("extensionStart"), SV_INIT("extensionBeforeKubelet"), SV_INIT("extensionEnd")};

	for (size_t m = 0; m < MOMENT_COUNT; m++) {
		const struct value *commands = maker->extension->commands[m];
		struct extension_text lines = extension_text_in(maker->arena);

		if (value_count(commands) == 0 ||
		    !extension_need_hook(maker, "commands", value_position(commands), hooks[m]))
			continue;
		extension_text_add(&lines, SV("#!/usr/bin/env bash\nset -euo pipefail\n"));
		extension_text_add_lines(&lines, commands);
		add_own(maker, folders[m], ".sh", 700, &lines, commands);
	}
}

/* ---- all ---------------------------------------------------------------------------------- */

void extension_add(struct extension_maker *maker, const struct osm_extension *extension)
{
	maker->extension = extension;
	for (size_t config = 0; config < COUNT_OF(config_keys); config++) {
		VEC_EACH (file, &extension->files[config])
			extension_add_file(maker, config, file);
		add_modules(maker, config, extension->modules[config]);
	}
	add_extension_units(maker);
	add_packages(maker);
	add_kernel_modules(maker);
	add_sysctls(maker);
	add_certificates(maker);
	add_ssh_keys(maker);
	add_commands(maker);
	extension_add_kubelet(maker);
	extension_add_containerd(maker);
}
