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
	const struct value *reference = extension_member(content, "secretKeyRef", KIND_MAP);

	if (!reference)
		return;
	file->secret_namespace = extension_text(reference, "namespace");
	file->secret_name = extension_text(reference, "name");
	file->secret_key = extension_text(reference, "key");
	check_reference(schema, &file->secret_namespace, "namespace");
	check_reference(schema, &file->secret_name, "name");
	check_reference(schema, &file->secret_key, "key");
}

static void read_content(struct schema *schema, const struct value *item,
                         struct extension_file *file)
{
	const struct value *content = extension_member(item, "content", KIND_MAP);

	if (!content)
		return;
	const struct value *text = extension_member(content, "inline", KIND_MAP);
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
	file->encoding = extension_text(text, "encoding");
	file->data = extension_text(text, "data");
}

static void read_extension_file(struct schema *schema, const struct value *item, size_t config,
                                struct osm_extension *extension)
{
	struct extension_file file = {0};
	const struct value *permissions = extension_member(item, "permissions", KIND_INT64);

	file.path = extension_text(item, "path");
	check_path(schema, &file.path);
	if (permissions)
		file.permissions = *permissions;
	read_content(schema, item, &file);
	file.replaces = extension_is_true(item, "replace");
	if (file.path.type)
		extension_check_template(schema, file.path.string, &file.data);
	VEC_PUSH(schema->arena, &extension->files[config], file);
}

void extension_config_read(struct schema *schema, const struct value *spec, const char *key,
                           size_t config, struct osm_extension *extension)
{
	const struct value *given = extension_member(spec, key, KIND_MAP);

	if (!given)
		return;
	const struct value *files = extension_member(given, "files", KIND_SLICE);
	for (size_t i = 0; i < value_count(files); i++) {
		const struct value *item = value_item(files, i);

		if (value_is_map(item))
			read_extension_file(schema, item, config, extension);
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
	const struct value *list = extension_member(item, "dropIns", KIND_SLICE);

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *given = value_item(list, i);

		if (!value_is_map(given))
			continue;
		struct extension_drop_in drop_in = {
		    .name = extension_text(given, "name"),
		    .content = extension_text(given, "content"),
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
	struct extension_unit unit = {0};

	unit.name = extension_text(item, "name");
	unit.content = extension_text(item, "content");
	unit.enable = extension_member(item, "enable", KIND_BOOL);
	unit.mask = extension_member(item, "mask", KIND_BOOL);
	unit.replaces = extension_is_true(item, "replace");
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
	const struct value *list = extension_member(spec, "units", KIND_SLICE);

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);

		if (value_is_map(item))
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
	const struct value *list = extension_member(spec, "sshKeys", KIND_SLICE);

	for (size_t i = 0; i < value_count(list); i++) {
		const struct value *item = value_item(list, i);
		struct extension_ssh_keys given = {0};

		if (!value_is_map(item))
			continue;
		given.user = extension_text(item, "user");
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
