/*
 * The members of an OperatingSystemProfile (docs/spec/controller.md 2.2). profile.c checks a
 * document by these tables, and profile_change.c compares two by them.
 */
#include "osm/cloud.h"
#include "osm/machine.h"
#include "osm/profile.h"

/* ---- files ------------------------------------------------------------------------------- */

static const struct shape_member inline_members[] = {
    ROW_TEXT("encoding", "how user-data carries the text: b64, or as it is"),
    ROW_TEXT("data", "the text, a template", .flags = SHAPE_REQUIRED),
};
static const struct shape inline_shape = SHAPE("Inline", inline_members);

static const struct shape_member content_members[] = {
    ROW_MAP("inline", inline_shape, "the text itself",
            .flags = SHAPE_REQUIRED | OSM_PROFILE_POINTER),
};
static const struct shape content_shape = SHAPE("Content", content_members);

static const struct shape_member file_members[] = {
    ROW_TEXT("path", "the whole path, from / on", .flags = SHAPE_REQUIRED),
    ROW_INT32("permissions", "the digits of a mode, as a number without a leading zero",
              .initial = "644"),
    ROW_MAP("content", content_shape, "the file's content", .flags = SHAPE_REQUIRED),
};
static const struct shape file_shape = {"File", file_members, COUNT_OF(file_members),
                                        .one = "a file"};

/* ---- configs ----------------------------------------------------------------------------- */

static const struct shape_member runtime_members[] = {
    ROW_TEXT("name", "the runtime; machines run containerd alone", .flags = SHAPE_REQUIRED,
             .choices = "docker|containerd"),
    ROW_MAPS("files", file_shape, "files that machines with this runtime get",
             .flags = SHAPE_REQUIRED),
    ROW_TEXT_DICT("templates", "templates by name, for files and other templates"),
};
static const struct shape runtime_shape = {"ContainerRuntime", runtime_members,
                                           COUNT_OF(runtime_members), .one = "a container runtime"};

static const struct shape_member drop_in_members[] = {
    ROW_TEXT("name", "the file's name: 10-limits.conf", .flags = SHAPE_REQUIRED),
    ROW_TEXT("content", "the file's text", .flags = SHAPE_REQUIRED),
};
static const struct shape drop_in_shape = {"DropIn", drop_in_members, COUNT_OF(drop_in_members),
                                           .one = "a drop-in"};

static const struct shape_member unit_members[] = {
    ROW_TEXT("name", "the whole name: docker.service", .flags = SHAPE_REQUIRED),
    ROW_BOOL("enable", "starts the unit at every boot", .flags = OSM_PROFILE_POINTER),
    ROW_BOOL("mask", "the unit shall never start", .flags = OSM_PROFILE_POINTER),
    ROW_TEXT("content", "the unit's file", .flags = OSM_PROFILE_POINTER),
    ROW_MAPS("dropIns", drop_in_shape, "files that change parts of the unit"),
};
static const struct shape unit_shape = {"Unit", unit_members, COUNT_OF(unit_members),
                                        .one = "a unit"};

static const struct shape_member module_members[] = {
    ROW_TEXTS("bootcmd", "commands early in each boot, one line each"),
    ROW_TEXT_DICT("rh_subscription", "the account that registers a machine with Red Hat",
                  .flags = SHAPE_SECRET),
    ROW_TEXTS("runcmd", "commands of the first boot, one line each"),
    SHAPE_ROW("yum_repos", TEXT, DICTS, "repositories of packages by name"),
    ROW_TEXT("yum_repo_dir", "the folder of the repositories' files"),
};
static const struct shape modules_shape = SHAPE("Modules", module_members);

static const struct shape_member config_members[] = {
    ROW_MAPS("supportedContainerRuntimes", runtime_shape,
             "files and templates that a container runtime needs"),
    ROW_TEXT_DICT("templates", "templates by name, in place of the runtime's of the same name"),
    ROW_MAPS("units", unit_shape, "systemd's units; for Flatcar only"),
    ROW_MAPS("files", file_shape, "files that machines get"),
    ROW_MAP("modules", modules_shape, "cloud-init's modules", .flags = OSM_PROFILE_POINTER),
};
const struct shape osm_profile_config_shape = SHAPE("Configuration", config_members);

/* ---- the document ------------------------------------------------------------------------ */

const sv osm_os_names[OSM_OS_COUNT] = {
    SV_INIT("ubuntu"), SV_INIT("flatcar"), SV_INIT("rhel"), SV_INIT("amzn2"), SV_INIT("rockylinux"),
};

sv osm_os_choices(struct arena *arena)
{
	struct buf choices = buf_in(arena);

	for (size_t i = 0; i < OSM_OS_COUNT; i++)
		shape_add_choice(&choices, osm_os_names[i]);
	return buf_sv(&choices);
}

sv osm_provider_choices(struct arena *arena)
{
	struct buf buf = buf_in(arena);
	size_t count;
	const struct osm_provider *table = osm_provider_table(&count);

	for (size_t i = 0; i < count; i++)
		shape_add_choice(&buf, table[i].name);
	return buf_sv(&buf);
}

static const struct shape_member provider_members[] = {
    ROW_TEXT("name", "as in cloudProvider of a MachineDeployment", .flags = SHAPE_REQUIRED,
             .choices_of = osm_provider_choices),
    SHAPE_ROW("spec", MAP, ONE, "the provider's own settings, which are kept"),
};
const struct shape osm_profile_provider_shape = {"CloudProvider", provider_members,
                                                 COUNT_OF(provider_members), .one = "a provider"};

static const struct shape_member spec_members[] = {
    ROW_TEXT("osName", "the operating system of the machines", .flags = SHAPE_REQUIRED,
             .choices_of = osm_os_choices),
    ROW_TEXT("osVersion", "its version, for people", .flags = SHAPE_REQUIRED),
    ROW_TEXT("version", "of the profile, v1.0.0; every change of the spec raises it",
             .flags = SHAPE_REQUIRED,
             .pattern = "v[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$"),
    ROW_TEXT("provisioningUtility", "the program on the machine that reads user-data",
             .choices = "cloud-init|ignition", .initial = "cloud-init"),
    ROW_MAPS("supportedCloudProviders", osm_profile_provider_shape,
             "providers whose machines the profile is for", .flags = SHAPE_REQUIRED),
    ROW_MAP("bootstrapConfig", osm_profile_config_shape,
            "stage 1: fetches the configuration of stage 2", .flags = SHAPE_REQUIRED),
    ROW_MAP("provisioningConfig", osm_profile_config_shape,
            "stage 2: installs what a node needs, and joins it", .flags = SHAPE_REQUIRED),
};
const struct shape osm_profile_spec_shape = SHAPE("Spec", spec_members);

static const struct shape_member profile_members[] = {
    ROW_TEXT("apiVersion", NULL, .flags = SHAPE_REQUIRED, .choices = OSM_API_VERSION),
    ROW_TEXT("kind", NULL, .flags = SHAPE_REQUIRED,
             .choices = "OperatingSystemProfile|CustomOperatingSystemProfile"),
    SHAPE_ROW("metadata", MAP, ONE, "name, namespace, labels and annotations",
              .flags = SHAPE_REQUIRED),
    ROW_MAP("spec", osm_profile_spec_shape, "what its machines get", .flags = SHAPE_REQUIRED),
};
const struct shape osm_profile_shape = {"OperatingSystemProfile", profile_members,
                                        COUNT_OF(profile_members), .is_open = true};
