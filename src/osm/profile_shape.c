/*
 * The members of an OperatingSystemProfile (docs/spec/controller.md 2.2). profile.c checks a
 * document by these tables, and profile_change.c compares two by them.
 */
#include "osm/cloud.h"
#include "osm/profile.h"

#define TEXT(text, ...)                                                                            \
	{                                                                                          \
		.name = (text), __VA_ARGS__                                                        \
	}
#define BOOL(text, ...)                                                                            \
	{                                                                                          \
		.name = (text), .type = SHAPE_BOOL, __VA_ARGS__                                    \
	}
#define MAP(text, shape, ...)                                                                      \
	{                                                                                          \
		.name = (text), .type = SHAPE_MAP, .of = (shape), __VA_ARGS__                      \
	}
#define MAPS(text, shape, ...) MAP(text, shape, .form = SHAPE_LIST, __VA_ARGS__)

/* ---- files ------------------------------------------------------------------------------- */

static const struct shape_member inline_members[] = {
    TEXT("encoding", .help = "how user-data carries the text: b64, or as it is"),
    TEXT("data", .flags = SHAPE_REQUIRED, .help = "the text, a template"),
};
static const struct shape inline_shape = SHAPE("Inline", inline_members);

static const struct shape_member content_members[] = {
    MAP("inline", &inline_shape, .flags = SHAPE_REQUIRED | OSM_PROFILE_POINTER,
        .help = "the text itself"),
};
static const struct shape content_shape = SHAPE("Content", content_members);

static const struct shape_member file_members[] = {
    TEXT("path", .flags = SHAPE_REQUIRED, .help = "the whole path, from / on"),
    TEXT("permissions", .type = SHAPE_INT32, .initial = "644",
         .help = "the digits of a mode, as a number without a leading zero"),
    MAP("content", &content_shape, .flags = SHAPE_REQUIRED, .help = "the file's content"),
};
static const struct shape file_shape = {"File", file_members, COUNT_OF(file_members),
                                        .one = "a file"};

/* ---- configs ----------------------------------------------------------------------------- */

static const struct shape_member runtime_members[] = {
    TEXT("name", .flags = SHAPE_REQUIRED, .choices = "docker|containerd",
         .help = "the runtime; machines run containerd alone"),
    MAPS("files", &file_shape, .flags = SHAPE_REQUIRED,
         .help = "files that machines with this runtime get"),
    TEXT("templates", .form = SHAPE_DICT,
         .help = "templates by name, for files and other templates"),
};
static const struct shape runtime_shape = {"ContainerRuntime", runtime_members,
                                           COUNT_OF(runtime_members), .one = "a container runtime"};

static const struct shape_member drop_in_members[] = {
    TEXT("name", .flags = SHAPE_REQUIRED, .help = "the file's name: 10-limits.conf"),
    TEXT("content", .flags = SHAPE_REQUIRED, .help = "the file's text"),
};
static const struct shape drop_in_shape = {"DropIn", drop_in_members, COUNT_OF(drop_in_members),
                                           .one = "a drop-in"};

static const struct shape_member unit_members[] = {
    TEXT("name", .flags = SHAPE_REQUIRED, .help = "the whole name: docker.service"),
    BOOL("enable", .flags = OSM_PROFILE_POINTER, .help = "starts the unit at every boot"),
    BOOL("mask", .flags = OSM_PROFILE_POINTER, .help = "the unit shall never start"),
    TEXT("content", .flags = OSM_PROFILE_POINTER, .help = "the unit's file"),
    MAPS("dropIns", &drop_in_shape, .help = "files that change parts of the unit"),
};
static const struct shape unit_shape = {"Unit", unit_members, COUNT_OF(unit_members),
                                        .one = "a unit"};

static const struct shape_member module_members[] = {
    TEXT("bootcmd", .form = SHAPE_LIST, .help = "commands early in each boot, one line each"),
    TEXT("rh_subscription", .form = SHAPE_DICT, .flags = SHAPE_SECRET,
         .help = "the account that registers a machine with Red Hat"),
    TEXT("runcmd", .form = SHAPE_LIST, .help = "commands of the first boot, one line each"),
    TEXT("yum_repos", .form = SHAPE_DICTS, .help = "repositories of packages by name"),
    TEXT("yum_repo_dir", .help = "the folder of the repositories' files"),
};
static const struct shape modules_shape = SHAPE("Modules", module_members);

static const struct shape_member config_members[] = {
    MAPS("supportedContainerRuntimes", &runtime_shape,
         .help = "files and templates that a container runtime needs"),
    TEXT("templates", .form = SHAPE_DICT,
         .help = "templates by name, in place of the runtime's of the same name"),
    MAPS("units", &unit_shape, .help = "systemd's units; for Flatcar only"),
    MAPS("files", &file_shape, .help = "files that machines get"),
    MAP("modules", &modules_shape, .flags = OSM_PROFILE_POINTER, .help = "cloud-init's modules"),
};
const struct shape osm_profile_config_shape = SHAPE("Configuration", config_members);

/* ---- the document ------------------------------------------------------------------------ */

sv osm_provider_choices(struct arena *arena)
{
	struct buf buf = buf_in(arena);
	size_t count;
	const struct osm_provider *table = osm_provider_table(&count);

	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buf_add_char(&buf, '|');
		buf_add(&buf, table[i].name);
	}
	return buf_sv(&buf);
}

static const struct shape_member provider_members[] = {
    TEXT("name", .flags = SHAPE_REQUIRED, .choices_of = osm_provider_choices,
         .help = "as in cloudProvider of a MachineDeployment"),
    MAP("spec", NULL, .help = "the provider's own settings, which are kept"),
};
const struct shape osm_profile_provider_shape = {"CloudProvider", provider_members,
                                                 COUNT_OF(provider_members), .one = "a provider"};

static const struct shape_member spec_members[] = {
    TEXT("osName", .flags = SHAPE_REQUIRED, .choices = "flatcar|rhel|ubuntu|amzn2|rockylinux",
         .help = "the operating system of the machines"),
    TEXT("osVersion", .flags = SHAPE_REQUIRED, .help = "its version, for people"),
    TEXT("version", .flags = SHAPE_REQUIRED,
         .pattern = "v[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$",
         .help = "of the profile, v1.0.0; every change of the spec raises it"),
    TEXT("provisioningUtility", .choices = "cloud-init|ignition", .initial = "cloud-init",
         .help = "the program on the machine that reads user-data"),
    MAPS("supportedCloudProviders", &osm_profile_provider_shape, .flags = SHAPE_REQUIRED,
         .help = "providers whose machines the profile is for"),
    MAP("bootstrapConfig", &osm_profile_config_shape, .flags = SHAPE_REQUIRED,
        .help = "stage 1: fetches the configuration of stage 2"),
    MAP("provisioningConfig", &osm_profile_config_shape, .flags = SHAPE_REQUIRED,
        .help = "stage 2: installs what a node needs, and joins it"),
};
const struct shape osm_profile_spec_shape = SHAPE("Spec", spec_members);

static const struct shape_member profile_members[] = {
    TEXT("apiVersion", .flags = SHAPE_REQUIRED, .choices = OSM_API_VERSION),
    TEXT("kind", .flags = SHAPE_REQUIRED,
         .choices = "OperatingSystemProfile|CustomOperatingSystemProfile"),
    MAP("metadata", NULL, .flags = SHAPE_REQUIRED,
        .help = "name, namespace, labels and annotations"),
    MAP("spec", &osm_profile_spec_shape, .flags = SHAPE_REQUIRED, .help = "what its machines get"),
};
const struct shape osm_profile_shape = {"OperatingSystemProfile", profile_members,
                                        COUNT_OF(profile_members), .is_open = true};
