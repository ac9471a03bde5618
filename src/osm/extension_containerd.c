/*
 * What an extension adds to containerd's configuration.
 *
 * Profiles have it in the format's third version, which containerd 2 reads, in its second one, for
 * containerd 1, or both. The third imports the extensions' files. containerd 1 replaces whole
 * sections by what it imports (the registries and the network's folders among them), so there the
 * text is appended to the file itself.
 */
#include "osm/extension.h"

#define FOLDER     "/etc/containerd/conf.d"
#define CONFIG     "/etc/containerd/config.toml"
#define OLD_CONFIG "/etc/containerd/config-1.x.toml"

/* An action, whose text no trim marker of what follows takes away. */
#define IMPORTS "{{ \"imports = [\\\"" FOLDER "/*.toml\\\"]\\n\" }}"

/* As nvidia-ctk configures it; the kubelet's cgroup driver is systemd's. */
#define NVIDIA(plugin)                                                                             \
	"[plugins.\"" plugin "\".containerd.runtimes.nvidia]\n"                                    \
	"runtime_type = \"io.containerd.runc.v2\"\n"                                               \
	"\n"                                                                                       \
	"[plugins.\"" plugin "\".containerd.runtimes.nvidia.options]\n"                            \
	"BinaryName = \"/usr/bin/nvidia-container-runtime\"\n"                                     \
	"SystemdCgroup = true\n"

/* The first extension's is that of all: a table can be there once. */
static bool adds_nvidia(const struct extension_maker *maker)
{
	return maker->extension->nvidia && !map_get(&maker->claims, SV("nvidia"));
}

/* The extension's text in a version of the format, NVIDIA's included; empty: it has none. */
static sv text_of(struct extension_maker *maker, bool is_old)
{
	const struct osm_extension *extension = maker->extension;
	struct buf text = buf_in(maker->arena);

	buf_add(&text, value_text(is_old ? &extension->containerd_v2 : &extension->containerd));
	if (text.len > 0 && !sv_ends_with(buf_sv(&text), SV("\n")))
		BUF_ADD_LIT(&text, "\n");
	if (adds_nvidia(maker))
		buf_printf(&text, "%s%s", text.len > 0 ? "\n" : "",
		           is_old ? NVIDIA("io.containerd.grpc.v1.cri")
		                  : NVIDIA("io.containerd.cri.v1.runtime"));
	return buf_sv(&text);
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

static bool is_old(const struct value *data)
{
	return sv_find(value_text(data), SV("version = 2")) != SV_NPOS;
}

static void add_new(struct extension_maker *maker, struct value *data)
{
	sv text = text_of(maker, false);

	if (sv_empty(text)) {
		if (maker->extension->nvidia)
			return;
		report_place(maker,
		             "the profile's containerd reads the third version of its format, and "
		             "containerd.configuration is not given",
		             "add configuration, in the third version, or select other profiles");
		return;
	}
	if (!map_get(&maker->claims, SV("imports"))) {
		map_put(&maker->claims, SV("imports"), maker);
		*data = extension_made(ARENA_CONCAT(maker->arena, SV(IMPORTS), data->string), data);
	}
	extension_add_own(maker, FOLDER "/", ".toml", 600,
	                  ARENA_CONCAT(maker->arena, SV("version = 3\n\n"), text),
	                  value_path(maker->extension->object->root, "spec.containerd"));
}

static void add_old(struct extension_maker *maker, struct value *data, bool is_needed)
{
	sv text = text_of(maker, true);

	if (!sv_empty(text))
		*data = extension_made(
		    ARENA_CONCAT(maker->arena, sv_trim_right(data->string, "\n"), SV("\n\n"), text),
		    data);
	else if (is_needed && !maker->extension->nvidia)
		report_place(maker,
		             "the profile's containerd reads the second version of its format, and "
		             "containerd.configurationVersion2 is not given",
		             "add configurationVersion2, in the second version, or select other "
		             "profiles");
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
	if (is_old(data_of(file)))
		add_old(maker, data_of(file), true);
	else
		add_new(maker, data_of(file));
	if (old && value_is_string(data_of(old)))
		add_old(maker, data_of(old), false);
	if (extension->nvidia)
		map_put(&maker->claims, SV("nvidia"), maker);
}
