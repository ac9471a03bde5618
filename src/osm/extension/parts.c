/*
 * Reads an extension's files, units and SSH keys.
 */
#include "osm/extension/internal.h"

/* ---- files ------------------------------------------------------------------------------- */

static void check_path(struct schema *schema, const struct value *path)
{
	sv text = value_text(path);

	if (!path->type)
		return;
	if (sv_starts_with(text, SV("/")) && text.len > 1 && !sv_ends_with(text, SV("/")) &&
	    !sv_has_control(text) && sv_find(text, SV("/../")) == SV_NPOS &&
	    !sv_ends_with(text, SV("/..")) && sv_find(text, SV("/./")) == SV_NPOS &&
	    !sv_ends_with(text, SV("/.")) && sv_find(text, SV("//")) == SV_NPOS)
		return;
	struct diag *diag = extension_report(schema, value_position(path),
	                                     "\"%.*s\" is not the path of a file", SV_ARG(text));
	diag_set_help(schema->sink, diag, "write the whole path, from / on, without . and ..");
}

/* Checks a name of a Secret, which is written to the resulting profile. */
static void check_reference(struct schema *schema, const struct value *name, const char *what)
{
	bool is_right = name->string.len > 0;

	for (size_t i = 0; name->type && i < name->string.len; i++)
		is_right &= ascii_is_alphanumeric((unsigned char)name->string.ptr[i]) ||
		            ascii_is_any(name->string.ptr[i], "-._");
	if (!name->type || is_right)
		return;
	struct diag *diag =
	    extension_report(schema, value_position(name), "\"%.*s\" is not a %s of a Secret",
	                     SV_ARG(name->string), what);
	diag_set_help(schema->sink, diag, "write the key as in the Secret");
}

static void read_secret(struct schema *schema, const struct value *content,
                        struct extension_file *file)
{
	static const sv names[] = {SV_INIT("namespace"), SV_INIT("name"), SV_INIT("key")};
	const struct value *reference = schema_map(schema, content, "secretKeyRef", false);

	if (!reference)
		return;
	schema_known(schema, reference, "secretKeyRef", names, COUNT_OF(names));
	file->secret_namespace = schema_string(schema, reference, "namespace", true);
	file->secret_name = schema_string(schema, reference, "name", true);
	file->secret_key = schema_string(schema, reference, "key", true);
	check_reference(schema, &file->secret_namespace, "namespace");
	check_reference(schema, &file->secret_name, "name");
	check_reference(schema, &file->secret_key, "key");
}

static void read_content(struct schema *schema, const struct value *item,
                         struct extension_file *file)
{
	static const sv content_names[] = {SV_INIT("inline"), SV_INIT("secretKeyRef")};
	static const sv inline_names[] = {SV_INIT("encoding"), SV_INIT("data")};
	static const sv encodings[] = {SV_INIT("b64")};
	const struct value *content = schema_map(schema, item, "content", true);

	if (!content)
		return;
	schema_known(schema, content, "content", content_names, COUNT_OF(content_names));
	const struct value *text = schema_map(schema, content, "inline", false);
	read_secret(schema, content, file);
	bool is_secret = !value_is_null(value_map_get(content, SV("secretKeyRef")));
	bool is_text = !value_is_null(value_map_get(content, SV("inline")));
	if (is_secret == is_text) {
		struct diag *diag = extension_report(
		    schema, value_position(content),
		    is_text ? "the content is given twice: inline, and by secretKeyRef"
		            : "the content of the file is missing");
		diag_set_help(schema->sink, diag, "write either inline or secretKeyRef below it");
	}
	if (!text)
		return;
	schema_known(schema, text, "inline", inline_names, COUNT_OF(inline_names));
	file->encoding = schema_string(schema, text, "encoding", false);
	if (file->encoding.type && !sv_empty(file->encoding.string))
		schema_enum(schema, &file->encoding, "encoding", encodings, COUNT_OF(encodings));
	file->data = schema_string(schema, text, "data", true);
}

static void read_file(struct schema *schema, const struct value *item, size_t config,
                      struct osm_extension *extension)
{
	static const sv names[] = {SV_INIT("path"), SV_INIT("permissions"), SV_INIT("content"),
	                           SV_INIT("replace")};
	struct extension_file file = {0};
	const struct value *permissions = value_map_get(item, SV("permissions"));

	schema_known(schema, item, "a file", names, COUNT_OF(names));
	file.path = schema_string(schema, item, "path", true);
	check_path(schema, &file.path);
	if (value_is(permissions, KIND_INT64) && permissions->integer >= 0 &&
	    permissions->integer <= 7777) {
		file.permissions = *permissions;
	} else if (!value_is_null(permissions)) {
		struct diag *diag =
		    extension_report(schema, value_position(permissions),
		                     "permissions must be the digits of a mode, as a number");
		diag_set_help(schema->sink, diag, "write 644, without quotes and leading zero");
	}
	read_content(schema, item, &file);
	const struct value *replace = schema_bool(schema, item, "replace");
	file.replaces = replace && replace->boolean;
	if (file.path.type)
		extension_check_template(schema, file.path.string, &file.data);
	VEC_PUSH(schema->arena, &extension->files[config], file);
}

void extension_config_read(struct schema *schema, const struct value *spec, const char *key,
                           size_t config, struct osm_extension *extension)
{
	static const sv names[] = {SV_INIT("files"), SV_INIT("modules")};
	const struct value *given = schema_map(schema, spec, key, false);

	if (!given)
		return;
	schema_known(schema, given, key, names, COUNT_OF(names));
	const struct value *files = schema_list(schema, given, "files", false);
	for (size_t i = 0; i < value_count(files); i++) {
		const struct value *item = schema_item_map(schema, files, i, "a file");

		if (item)
			read_file(schema, item, config, extension);
	}
	extension->modules[config] = extension_modules_read(schema, given);
}

/* ---- units ------------------------------------------------------------------------------- */

/* Returns true for a unit's name (systemd.unit(5)) that is also safe in a shell and as a file. */
static bool is_unit_name(sv name)
{
	return extension_is_word(name, ":-_.\\@") && name.len <= 255 && name.ptr[0] != '.' &&
	       sv_find_char(name, '.') != SV_NPOS;
}

/* Returns true if the name ends with a unit type; systemd ignores other files. */
static bool has_unit_type(sv name)
{
	static const sv types[] = {SV_INIT(".service"), SV_INIT(".socket"), SV_INIT(".device"),
	                           SV_INIT(".mount"),   SV_INIT(".swap"),   SV_INIT(".automount"),
	                           SV_INIT(".target"),  SV_INIT(".path"),   SV_INIT(".timer"),
	                           SV_INIT(".slice"),   SV_INIT(".scope")};

	for (size_t i = 0; i < COUNT_OF(types); i++)
		if (sv_ends_with(name, types[i]))
			return true;
	return false;
}

static void read_drop_ins(struct schema *schema, const struct value *item,
                          struct extension_unit *unit)
{
	static const sv names[] = {SV_INIT("name"), SV_INIT("content")};
	const struct value *list = schema_list(schema, item, "dropIns", false);

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *given = schema_item_map(schema, list, i, "a drop-in");

		if (!given)
			continue;
		schema_known(schema, given, "a drop-in", names, COUNT_OF(names));
		struct extension_drop_in drop_in = {
		    .name = schema_string(schema, given, "name", true),
		    .content = schema_string(schema, given, "content", true),
		};
		if (drop_in.name.type && !(is_unit_name(drop_in.name.string) &&
		                           sv_ends_with(drop_in.name.string, SV(".conf")))) {
			struct diag *diag = extension_report(
			    schema, value_position(&drop_in.name),
			    "\"%.*s\" is not the name of a drop-in", SV_ARG(drop_in.name.string));
			diag_set_help(schema->sink, diag, "write it as 10-limits.conf");
		}
		extension_check_template(schema, value_text(&drop_in.name), &drop_in.content);
		VEC_PUSH(schema->arena, &unit->drop_ins, drop_in);
	}
}

/* Reports replace without content, and a unit with a name alone, which would only restart it. */
static void check_unit_whole(struct schema *schema, const struct value *item,
                             const struct extension_unit *unit)
{
	struct diag *diag;

	if (unit->replaces && !unit->content.type) {
		diag = extension_report(schema, value_position(value_map_get(item, SV("replace"))),
		                        "replace is for a unit's content, which is not given");
		diag_set_help(schema->sink, diag,
		              "remove replace, or write content: drop-ins are added to the "
		              "profile's unit");
	} else if (!unit->content.type && unit->drop_ins.count == 0 && !unit->enable &&
	           !(unit->mask && unit->mask->boolean)) {
		diag = extension_report(schema, value_position(&unit->name),
		                        "the unit has no content, dropIns, enable or mask");
		diag_set_help(schema->sink, diag, "write content, dropIns, enable or mask");
	}
}

static void read_unit(struct schema *schema, const struct value *item,
                      struct osm_extension *extension)
{
	static const sv names[] = {SV_INIT("name"),    SV_INIT("enable"),  SV_INIT("mask"),
	                           SV_INIT("content"), SV_INIT("dropIns"), SV_INIT("replace")};
	struct extension_unit unit = {0};

	schema_known(schema, item, "a unit", names, COUNT_OF(names));
	unit.name = schema_string(schema, item, "name", true);
	unit.content = schema_string(schema, item, "content", false);
	unit.enable = schema_bool(schema, item, "enable");
	unit.mask = schema_bool(schema, item, "mask");
	const struct value *replace = schema_bool(schema, item, "replace");
	unit.replaces = replace && replace->boolean;
	read_drop_ins(schema, item, &unit);
	if (unit.name.type &&
	    (!is_unit_name(unit.name.string) || !has_unit_type(unit.name.string))) {
		struct diag *diag = extension_report(schema, value_position(&unit.name),
		                                     "\"%.*s\" is not the name of a unit",
		                                     SV_ARG(unit.name.string));
		diag_set_help(schema->sink, diag, "write the whole name, such as docker.service");
	}
	check_unit_whole(schema, item, &unit);
	if (unit.mask && unit.mask->boolean && (unit.content.type || unit.enable)) {
		struct diag *diag =
		    extension_report(schema, value_position(unit.mask),
		                     "a unit that is masked cannot have content, or be enabled");
		diag_set_help(schema->sink, diag, "write mask, or content and enable");
	}
	extension_check_template(schema, value_text(&unit.name), &unit.content);
	VEC_PUSH(schema->arena, &extension->units, unit);
}

void extension_units_read(struct schema *schema, const struct value *spec,
                          struct osm_extension *extension)
{
	const struct value *list = schema_list(schema, spec, "units", false);

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = schema_item_map(schema, list, i, "a unit");

		if (item)
			read_unit(schema, item, extension);
	}
}

/* ---- SSH keys ---------------------------------------------------------------------------- */

/* Returns true if the line has a type of key, perhaps after options (sshd(8), authorized_keys). */
static bool has_key_type(sv key)
{
	static const sv types[] = {SV_INIT("ssh-"), SV_INIT("ecdsa-"), SV_INIT("sk-")};

	for (size_t i = 0; i < COUNT_OF(types); i++)
		for (sv rest = key, head; !sv_empty(rest);) {
			if (sv_starts_with(rest, types[i]) && sv_find_char(rest, ' ') < rest.len)
				return true;
			if (!sv_cut(rest, SV(" "), &head, &rest))
				break;
		}
	return false;
}

static void check_keys(struct schema *schema, const struct value *keys)
{
	for (size_t i = 0; i < value_count(keys); i++) {
		const struct value *key = value_item(keys, i);
		const char *mistake = NULL;

		if (sv_has_control(key->string))
			mistake = "an SSH key must be one line";
		else if (extension_is_template(key->string))
			extension_check_template(schema, SV("sshKeys"), key);
		else if (!has_key_type(key->string))
			mistake = "this is not a public key of SSH";
		if (!mistake)
			continue;
		struct diag *diag = extension_report(schema, value_position(key), "%s", mistake);
		diag_set_help(schema->sink, diag,
		              "write it as in an authorized_keys file: ssh-ed25519 AAAA...");
	}
}

void extension_ssh_keys_read(struct schema *schema, const struct value *spec,
                             struct osm_extension *extension)
{
	static const sv names[] = {SV_INIT("user"), SV_INIT("keys")};
	const struct value *list = schema_list(schema, spec, "sshKeys", false);

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = schema_item_map(schema, list, i, "an item of sshKeys");
		struct extension_ssh_keys given = {0};

		if (!item)
			continue;
		schema_known(schema, item, "an item of sshKeys", names, COUNT_OF(names));
		given.user = schema_string(schema, item, "user", false);
		given.keys = extension_texts(schema, item, "keys");
		if (given.user.type && !extension_is_word(given.user.string, "._-")) {
			struct diag *diag = extension_report(schema, value_position(&given.user),
			                                     "\"%.*s\" is not the name of a user",
			                                     SV_ARG(given.user.string));
			diag_set_help(schema->sink, diag,
			              "leave it out for the operating system's own user");
		}
		check_keys(schema, given.keys);
		VEC_PUSH(schema->arena, &extension->ssh_keys, given);
	}
}
