/*
 * Adds an extension's settings to containerd's configuration.
 *
 * A profile has it in version 3 of the format (containerd 2), in version 2 (containerd 1), or both.
 * The file of version 3 imports the extensions' files. In containerd 1 an import replaces whole
 * sections (such as the registries), so there the content is appended to the file itself.
 */
#include "osm/extension/internal.h"

#include "toml/toml.h"

#define FOLDER     "/etc/containerd/conf.d"
#define CONFIG     "/etc/containerd/config.toml"
#define OLD_CONFIG "/etc/containerd/config-1.x.toml"

/* Write the line break as an action: a trim marker after it then does not remove it. */
#define IMPORTS "{{ \"imports = [\\\"" FOLDER "/*.toml\\\"]\\n\" }}"

/* The configuration that nvidia-ctk makes, for a kubelet with the cgroup driver systemd. */
#define NVIDIA(plugin)                                                                             \
	"[plugins.\"" plugin "\".containerd.runtimes.nvidia]\n"                                    \
	"runtime_type = \"io.containerd.runc.v2\"\n"                                               \
	"\n"                                                                                       \
	"[plugins.\"" plugin "\".containerd.runtimes.nvidia.options]\n"                            \
	"BinaryName = \"/usr/bin/nvidia-container-runtime\"\n"                                     \
	"SystemdCgroup = true\n"

/* Adds the extension's content for a version of the format. Returns false if it has none. */
static bool add_text(struct extension_maker *maker, bool is_old, struct extension_text *text)
{
	const struct osm_extension *extension = maker->extension;
	const struct value *given = is_old ? &extension->containerd_v2 : &extension->containerd;
	const struct value *nvidia = value_path(extension->object->root, "spec.containerd.nvidia");
	bool is_given = given->type && !sv_empty(given->string);

	if (is_given) {
		extension_text_add_value(text, given);
		extension_text_end_line(text);
	}
	/* The table of the runtime may be there only once. */
	if (!extension->nvidia || maker->has_nvidia)
		return is_given;
	if (is_given)
		extension_text_add(text, SV("\n"));
	extension_text_add_for(text,
	                       is_old ? SV(NVIDIA("io.containerd.grpc.v1.cri"))
	                              : SV(NVIDIA("io.containerd.cri.v1.runtime")),
	                       nvidia);
	return true;
}

static struct value *data_of(struct value *file)
{
	struct value *content = value_map_get_mutable(file, SV("content"));

	return value_map_get_mutable(value_map_get_mutable(content, SV("inline")), SV("data"));
}

static void report_place(struct extension_maker *maker, const char *text, const char *help)
{
	const struct osm_extension *extension = maker->extension;
	const struct value *given = value_path(extension->object->root, "spec.containerd");
	struct diag *diag =
	    extension_refuse(maker, DIAG_EXTENSION_PLACE, value_position(given), text, SV(""));

	diag_add_note(maker->sink, diag, kube_object_position(maker->base->object),
	              "OperatingSystemProfile \"%.*s\"", SV_ARG(maker->base->name));
	diag_set_help(maker->sink, diag, "%s", help);
}

/* Returns true if the content comes from a Secret: nothing can be appended to it here. */
static bool is_secret(const struct extension_maker *maker, sv path)
{
	VEC_EACH (secret, &maker->additions.secrets)
		if (secret->config == 1 && sv_eq(secret->path, path))
			return true;
	return false;
}

static bool is_old(const struct value *data)
{
	return sv_find(value_text(data), SV("version = 2")) != SV_NPOS;
}

/* Remembers the file for a check after rendering: a duplicate table is not found before. */
static void note_toml(struct extension_maker *maker, sv path, const struct value *text)
{
	const struct kube_object *object = maker->extension->object;
	const struct value *given =
	    text->type ? text : value_path(object->root, "spec.containerd"); /* nvidia */
	struct osm_extension_file file = {path, object, value_position(given)};

	VEC_PUSH(maker->arena, &maker->additions.tomls, file);
}

static void add_new(struct extension_maker *maker, struct value *data)
{
	struct extension_text text = extension_text_in(maker->arena);
	const struct value *given = value_path(maker->extension->object->root, "spec.containerd");

	extension_text_add(&text, SV("version = 3\n\n"));
	if (!add_text(maker, false, &text)) {
		if (maker->extension->nvidia)
			return;
		report_place(maker,
		             "the profile's containerd reads the third version of its format, and "
		             "containerd.configuration is not given",
		             "add configuration, in the third version, or select other profiles");
		return;
	}
	if (!maker->has_imports) {
		maker->has_imports = true;
		struct extension_text whole = extension_text_in(maker->arena);
		extension_text_add(&whole, SV(IMPORTS));
		extension_text_add_value(&whole, data);
		*data = extension_text_value(&whole, data);
		note_toml(maker, SV(CONFIG), given);
	}
	struct value own = extension_text_value(&text, given);
	sv path = extension_add_own(maker, FOLDER "/", ".toml", 600, &own, given);
	note_toml(maker, path, &maker->extension->containerd);
}

static void add_old(struct extension_maker *maker, struct value *data, sv path, bool is_needed)
{
	struct extension_text text = extension_text_in(maker->arena);

	extension_text_add_value(&text, data);
	extension_text_trim(&text);
	extension_text_add(&text, SV("\n\n"));
	if (add_text(maker, true, &text)) {
		note_toml(maker, path, &maker->extension->containerd_v2);
		*data = extension_text_value(&text, data);
	} else if (is_needed && !maker->extension->nvidia) {
		report_place(maker,
		             "the profile's containerd reads the second version of its format, and "
		             "containerd.configurationVersion2 is not given",
		             "add configurationVersion2, in the second version, or select other "
		             "profiles");
	}
}

void extension_add_containerd(struct extension_maker *maker)
{
	const struct osm_extension *extension = maker->extension;
	struct value *file = extension_find_file(maker, 1, SV(CONFIG));
	struct value *old = extension_find_file(maker, 1, SV(OLD_CONFIG));

	if (!extension->containerd.type && !extension->containerd_v2.type && !extension->nvidia)
		return;
	if (!file || !value_is_string(data_of(file))) {
		report_place(maker, "the profile does not write " CONFIG,
		             "select other profiles, or replace the files that this one configures "
		             "containerd with");
		return;
	}
	if (is_secret(maker, SV(CONFIG)) || is_secret(maker, SV(OLD_CONFIG))) {
		report_place(maker,
		             "the file that configures containerd has its content in a Secret",
		             "put what is to be added into that Secret");
		return;
	}
	if (is_old(data_of(file)))
		add_old(maker, data_of(file), SV(CONFIG), true);
	else
		add_new(maker, data_of(file));
	if (old && value_is_string(data_of(old)))
		add_old(maker, data_of(old), SV(OLD_CONFIG), false);
	maker->has_nvidia |= extension->nvidia;
}

/* ---- the rendered file ------------------------------------------------------------------- */

/* Adds notes with the other extensions that changed the file, which may have caused the mistake. */
static void note_others(struct arena *arena, struct sink *sink, struct diag *diag,
                        const struct osm_extension_files *tomls, size_t index)
{
	const struct osm_extension_file *file = &tomls->items[index];

	for (size_t i = 0; i < index; i++)
		if (sv_eq(tomls->items[i].path, file->path))
			diag_add_note(
			    sink, diag, tomls->items[i].at, "%.*s adds to it, too",
			    SV_ARG(kube_object_describe(arena, tomls->items[i].extension)));
}

static enum status check_toml(struct arena *arena, struct sink *sink,
                              const struct osm_extension_files *tomls, size_t index, sv text)
{
	const struct osm_extension_file *file = &tomls->items[index];
	struct value unused;
	sv error;

	if (toml_decode(arena, text, &unused, &error))
		return STATUS_OK;
	struct diag *diag =
	    diag_report(sink, DIAG_EXTENSION_TOML, file->at, "containerd could not read %.*s: %.*s",
	                SV_ARG(file->path), SV_ARG(error));
	diag_add_note(sink, diag, NOWHERE, "the line is that of the rendered file");
	note_others(arena, sink, diag, tomls, index);
	diag_set_help(
	    sink, diag,
	    "correct the TOML, or remove the part that occurs twice: `osm-gen explain OSG4077`");
	return STATUS_FAILED;
}

/* Reports a mistake at the last extension that changed the file, with the others as notes. */
enum status osm_extension_check_tomls(struct arena *arena, struct sink *sink,
                                      const struct osm_extension_files *tomls,
                                      const struct osm_rendered_config *config)
{
	enum status status = STATUS_OK;

	for (size_t i = tomls->count; i-- > 0;) {
		bool is_last = true;

		for (size_t k = i + 1; k < tomls->count; k++)
			is_last &= !sv_eq(tomls->items[k].path, tomls->items[i].path);
		for (size_t k = 0; is_last && k < config->file_count; k++) {
			const struct value *data = &config->files[k].data;

			/* Skip files with secrets, which a message would show. */
			if (sv_eq(config->files[k].path.string, tomls->items[i].path) &&
			    !data->taint)
				status |= check_toml(arena, sink, tomls, i, data->string);
		}
	}
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}
