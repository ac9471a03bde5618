/*
 * Adds files of extensions to the profile that is being made, and reports conflicts.
 */
#include "osm/extension/internal.h"

static const sv config_keys[] = {SV_INIT("bootstrapConfig"), SV_INIT("provisioningConfig")};

/* ---- conflicts --------------------------------------------------------------------------- */

struct diag *extension_refuse(struct extension_maker *maker, enum diag_code code,
                              struct position at, const char *text, sv what)
{
	maker->failed = true;
	return diag_report(maker->sink, code, at, "%s%s%.*s", text, sv_empty(what) ? "" : " ",
	                   SV_ARG(what));
}

bool extension_claim_place(struct extension_maker *maker, const char *sort, sv what,
                           struct position at)
{
	sv key = ARENA_CONCAT(maker->arena, sv_from_cstr(sort), SV(" "), what);
	struct extension_claim *claim = map_get(&maker->claims, key);

	if (!claim) {
		claim = ARENA_NEW(maker->arena, struct extension_claim);
		*claim = (struct extension_claim){maker->extension, at};
		map_put(&maker->claims, key, claim);
		return true;
	}
	struct diag *diag = extension_refuse(maker, DIAG_EXTENSION_CONFLICT, at,
	                                     claim->extension == maker->extension
	                                         ? "the extension gives twice:"
	                                         : "two extensions of one profile give",
	                                     what);
	diag_add_note(maker->sink, diag, claim->at, "%.*s gives it here",
	              SV_ARG(kube_object_describe(maker->arena, claim->extension->object)));
	diag_set_help(maker->sink, diag,
	              "remove one of them, or have their selectors choose different "
	              "MachineDeployments");
	return false;
}

/* Returns true if the profile calls the hook. */
bool extension_need_hook(struct extension_maker *maker, const char *member, struct position at,
                         sv hook)
{
	const struct value *templates = value_path(&maker->spec, "provisioningConfig.templates");

	maker->uses_hooks = true;
	if (value_map_get(templates, hook))
		return true;
	struct diag *diag = extension_refuse(maker, DIAG_EXTENSION_PLACE, at,
	                                     "the profile does not support", sv_from_cstr(member));
	diag_add_note(maker->sink, diag, kube_object_position(maker->base->object),
	              "OperatingSystemProfile \"%.*s\" has no template %.*s",
	              SV_ARG(maker->base->name), SV_ARG(hook));
	diag_set_help(maker->sink, diag,
	              "select other profiles, or have this one's setup call the templates that "
	              "docs/extensions.md names");
	return false;
}

/* ---- files ------------------------------------------------------------------------------- */

static struct value *find_in(struct value *list, sv path)
{
	for (size_t i = 0; value_is_list(list) && i < value_count(list); i++) {
		struct value *item = value_item_mutable(list, i);

		if (sv_eq(value_text(value_map_get(item, SV("path"))), path))
			return item;
	}
	return NULL;
}

/* Searches the configuration's files, then those of the container runtime. */
struct value *extension_find_file(struct extension_maker *maker, size_t config, sv path)
{
	struct value *given = value_map_get_mutable(&maker->spec, config_keys[config]);
	struct value *found = find_in(value_map_get_mutable(given, SV("files")), path);
	struct value *runtimes = value_map_get_mutable(given, SV("supportedContainerRuntimes"));

	for (size_t i = 0; !found && value_is_list(runtimes) && i < value_count(runtimes); i++) {
		struct value *runtime = value_item_mutable(runtimes, i);

		found = find_in(value_map_get_mutable(runtime, SV("files")), path);
	}
	return found;
}

static struct value content_of(struct extension_maker *maker, struct value encoding,
                               struct value data)
{
	struct value text = value_map_new(maker->arena);
	struct value content = value_map_new(maker->arena);

	if (encoding.type)
		value_map_set(maker->arena, &text, SV("encoding"), encoding);
	value_map_set(maker->arena, &text, SV("data"), data);
	value_map_set(maker->arena, &content, SV("inline"), text);
	return content;
}

/* Returns the number with the type that the YAML decoder gives it. */
struct value extension_number(int number)
{
	struct value v = value_int(number);

	v.type = &type_int64;
	return v;
}

static void append_file(struct extension_maker *maker, size_t config, struct value path,
                        struct value permissions, struct value content)
{
	struct value *given = value_map_get_mutable(&maker->spec, config_keys[config]);
	struct value *files = value_map_get_mutable(given, SV("files"));
	struct value item = value_map_new(maker->arena);

	value_map_set(maker->arena, &item, SV("path"), path);
	if (permissions.type)
		value_map_set(maker->arena, &item, SV("permissions"), permissions);
	value_map_set(maker->arena, &item, SV("content"), content);
	if (!value_is_list(files)) {
		value_map_set(maker->arena, given, SV("files"), value_list_new(maker->arena));
		files = value_map_get_mutable(given, SV("files"));
	}
	value_list_add(maker->arena, files, item);
}

static void report_taken(struct extension_maker *maker, const struct extension_file *file,
                         const struct value *there)
{
	struct diag *diag =
	    extension_refuse(maker, DIAG_EXTENSION_CONFLICT, value_position(&file->path),
	                     "the profile has a file", file->path.string);

	diag_add_note(maker->sink, diag, value_position(value_map_get(there, SV("path"))),
	              "OperatingSystemProfile \"%.*s\" has it here", SV_ARG(maker->base->name));
	diag_set_help(maker->sink, diag, "write replace: true to put this one in its place");
}

static void report_absent(struct extension_maker *maker, const struct extension_file *file)
{
	struct diag *diag =
	    extension_refuse(maker, DIAG_EXTENSION_CONFLICT, value_position(&file->path),
	                     "the profile has no file to be replaced:", file->path.string);

	diag_add_note(maker->sink, diag, kube_object_position(maker->base->object),
	              "OperatingSystemProfile \"%.*s\"", SV_ARG(maker->base->name));
	diag_set_help(
	    maker->sink, diag,
	    "correct the path (`osm-gen profiles show %.*s` prints the profile), or remove "
	    "replace",
	    SV_ARG(maker->base->name));
}

/* Returns a placeholder for the value of a Secret, which differs between clusters. */
static struct value secret_mark(struct extension_maker *maker, size_t config,
                                const struct extension_file *file)
{
	const struct osm_secret_file secret = {
	    .config = config,
	    .path = file->path.string,
	    .namespace = file->secret_namespace.string,
	    .name = file->secret_name.string,
	    .key = file->secret_key.string,
	    .at = value_position(&file->secret_key),
	};
	sv name = kube_secret_name(maker->arena, secret.namespace, secret.name, secret.key);

	VEC_PUSH(maker->arena, &maker->additions.secrets, secret);
	return value_string(secrecy_mark(maker->arena, name));
}

void extension_add_file(struct extension_maker *maker, size_t config,
                        const struct extension_file *file)
{
	struct value *there = extension_find_file(maker, config, file->path.string);
	struct value data = file->data;
	struct value encoding = file->encoding;

	if (!extension_claim_place(maker, config == 0 ? "bootstrap file" : "file",
	                           file->path.string, value_position(&file->path)))
		return;
	if (there && !file->replaces)
		report_taken(maker, file, there);
	else if (!there && file->replaces)
		report_absent(maker, file);
	if (maker->failed)
		return;
	if (!data.type)
		data = secret_mark(maker, config, file);
	/* Base64 carries any bytes; Ignition encodes by itself. */
	if (!encoding.type &&
	    !sv_eq_cstr(value_text(&maker->base->provisioning_utility), "ignition"))
		encoding = value_string(SV("b64"));
	struct value content = content_of(maker, encoding, data);
	if (!there) {
		append_file(maker, config, file->path, file->permissions, content);
		return;
	}
	value_map_set(maker->arena, there, SV("content"), content);
	if (file->permissions.type)
		value_map_set(maker->arena, there, SV("permissions"), file->permissions);
}

sv extension_add_own(struct extension_maker *maker, const char *before, const char *after,
                     int permissions, const struct value *data, const struct value *given)
{
	sv path = arena_printf(maker->arena, "%s%03d-%.*s%s", before, maker->extension->order,
	                       SV_ARG(maker->extension->name), after);
	struct extension_file file = {
	    .path = value_joined(maker->arena, path, NULL, 0, given->origin),
	    .data = *data,
	    .permissions = extension_number(permissions),
	};

	extension_add_file(maker, 1, &file);
	return path;
}
