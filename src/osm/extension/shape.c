/*
 * The members of an OperatingSystemProfileExtension (docs/extensions.md), by which read.c checks a
 * document.
 */
#include "shape/shape.h"
#include "osm/extension/internal.h"

#define TEXT(text, ...)                                                                            \
	{                                                                                          \
		.name = (text), __VA_ARGS__                                                        \
	}
#define TEXTS(text, ...)                                                                           \
	{                                                                                          \
		.name = (text), .form = SHAPE_LIST, __VA_ARGS__                                    \
	}
#define BOOL(text, ...)                                                                            \
	{                                                                                          \
		.name = (text), .type = SHAPE_BOOL, __VA_ARGS__                                    \
	}
#define INT(text, ...)                                                                             \
	{                                                                                          \
		.name = (text), .type = SHAPE_INT, __VA_ARGS__                                     \
	}
#define MAP(text, shape, ...)                                                                      \
	{                                                                                          \
		.name = (text), .type = SHAPE_MAP, .of = (shape), __VA_ARGS__                      \
	}
#define MAPS(text, shape, ...) MAP(text, shape, .form = SHAPE_LIST, __VA_ARGS__)
#define ITEM(text, list, words)                                                                    \
	{                                                                                          \
		.name = (text), .members = (list), .count = COUNT_OF(list), .one = (words)         \
	}

/* ---- files and modules ------------------------------------------------------------------- */

static const struct shape_member inline_members[] = {
    TEXT("encoding", .choices = "|b64",
         .help = "how user-data carries it (default: what the text needs)"),
    TEXT("data", .flags = SHAPE_REQUIRED, .help = "the text, a template"),
};
static const struct shape inline_shape = SHAPE("Inline", inline_members);

static const struct shape_member reference_members[] = {
    TEXT("namespace", .flags = SHAPE_REQUIRED, .pattern = "^[0-9A-Za-z._-]+$",
         .help = "the Secret's"),
    TEXT("name", .flags = SHAPE_REQUIRED, .pattern = "^[0-9A-Za-z._-]+$", .help = "the Secret's"),
    TEXT("key", .flags = SHAPE_REQUIRED, .pattern = "^[0-9A-Za-z._-]+$",
         .help = "the member of its data"),
};
static const struct shape reference_shape = SHAPE("SecretKeyReference", reference_members);

static const struct shape_member content_members[] = {
    MAP("inline", &inline_shape, .help = "the text, a template"),
    MAP("secretKeyRef", &reference_shape, .help = "the key of a Secret; no template"),
};
static const struct shape content_shape = SHAPE("Content", content_members);

static const struct shape_member file_members[] = {
    TEXT("path", .flags = SHAPE_REQUIRED, .pattern = "^/(.*[^/])$",
         .help = "the whole path, from / on"),
    INT("permissions", .most = 7777, .help = "the digits of a mode, as a number: 644"),
    MAP("content", &content_shape, .flags = SHAPE_REQUIRED,
        .help = "either inline or secretKeyRef"),
    BOOL("replace", .help = "takes the place of the profile's file, which must be there"),
};
const struct shape extension_file_shape = ITEM("File", file_members, "a file");

static const struct shape_member modules_members[] = {
    TEXTS("bootcmd", .help = "appended to the profile's"),
    TEXTS("runcmd", .help = "appended to the profile's"),
    TEXT("yum_repos", .form = SHAPE_DICTS, .help = "repositories by name"),
    TEXT("yum_repo_dir", .help = "the folder of the repositories' files"),
};
static const struct shape modules_shape = SHAPE("Modules", modules_members);

static const struct shape_member config_members[] = {
    MAPS("files", &extension_file_shape, .help = "files that are added"),
    MAP("modules", &modules_shape, .help = "cloud-init's modules"),
};
static const struct shape config_shape = SHAPE("Configuration", config_members);

/* ---- units and keys ---------------------------------------------------------------------- */

static const struct shape_member drop_in_members[] = {
    TEXT("name", .flags = SHAPE_REQUIRED, .pattern = "\\.conf$", .help = "10-limits.conf"),
    TEXT("content", .flags = SHAPE_REQUIRED, .help = "a template"),
};
static const struct shape drop_in_shape = ITEM("DropIn", drop_in_members, "a drop-in");

static const struct shape_member unit_members[] = {
    TEXT("name", .flags = SHAPE_REQUIRED,
         .pattern = "^[^-.].*\\.(service|socket|device|mount|swap|automount|target|path|timer"
                    "|slice|scope)$",
         .help = "the whole name: docker.service"),
    BOOL("enable", .help = "true enables and starts it, false disables and stops it"),
    BOOL("mask", .help = "it shall never start"),
    TEXT("content", .help = "the unit's file, a template"),
    MAPS("dropIns", &drop_in_shape, .help = "files NAME.d/*.conf"),
    BOOL("replace", .help = "takes the place of the profile's unit, which must be there"),
};
const struct shape extension_unit_shape = ITEM("Unit", unit_members, "a unit");

static const struct shape_member ssh_members[] = {
    TEXT("user", .pattern = "^[0-9A-Za-z._][0-9A-Za-z._-]*$",
         .help = "the user that they are for (default: the operating system's own user)"),
    TEXTS("keys", .help = "as in an authorized_keys file"),
};
static const struct shape ssh_shape = ITEM("SSHKeys", ssh_members, "an item of sshKeys");

/* ---- other members ----------------------------------------------------------------------- */

static const struct shape_member selector_members[] = {
    TEXTS("profiles", .flags = SHAPE_NOT_EMPTY,
          .help = "names of profiles, before extensions: osp-ubuntu"),
    TEXTS("machineDeployments", .flags = SHAPE_NOT_EMPTY, .help = "NAME or NAMESPACE/NAME"),
    TEXTS("operatingSystems", .flags = SHAPE_NOT_EMPTY,
          .choices = "amzn2|flatcar|rhel|rockylinux|ubuntu",
          .help = "operating systems of MachineDeployments"),
    TEXTS("cloudProviders", .flags = SHAPE_NOT_EMPTY, .choices_of = osm_provider_choices,
          .help = "as in cloudProvider: aws"),
    TEXT("matchLabels", .form = SHAPE_DICT, .help = "labels of the MachineDeployment, all of them"),
};
static const struct shape selector_shape = SHAPE("Selector", selector_members);

static const struct shape_member commands_members[] = {
    TEXTS("beforeSetup", .help = "before anything is installed"),
    TEXTS("beforeKubelet", .help = "when all is installed"),
    TEXTS("afterSetup", .help = "when the kubelet is started"),
};
static const struct shape commands_shape = SHAPE("Commands", commands_members);

static const struct shape_member kubelet_members[] = {
    TEXT("configuration",
         .help = "members of a KubeletConfiguration, a template; kubelets from 1.30 on"),
};
static const struct shape kubelet_shape = SHAPE("Kubelet", kubelet_members);

static const struct shape_member containerd_members[] = {
    TEXT("configuration", .help = "TOML in the third version of containerd's format, a template"),
    TEXT("configurationVersion2",
         .help = "the same in the second version, for Amazon Linux 2, Flatcar and containerd 1.x"),
    BOOL("nvidia", .help = "the runtime nvidia of NVIDIA's toolkit"),
};
static const struct shape containerd_shape = SHAPE("Containerd", containerd_members);

/* ---- the document ------------------------------------------------------------------------ */

static const struct shape_member spec_members[] = {
    INT("order", .most = OSM_EXTENSION_ORDER_MAX, .initial = "500",
        .help = "0 to 999, lower ones first; of one order by name"),
    MAP("selector", &selector_shape,
        .help = "selects MachineDeployments: every member must match, and one item of each "
                "list (default: all)"),
    MAP("bootstrapConfig", &config_shape, .help = "files and modules of stage 1"),
    TEXTS("packages", .help = "installed after the profile's own, with apt, dnf or yum; not on "
                              "Flatcar"),
    MAP("provisioningConfig", &config_shape, .help = "files and modules of stage 2"),
    MAPS("units", &extension_unit_shape, .help = "systemd's units"),
    TEXTS("kernelModules", .help = "loaded in stage 2 and at every boot"),
    {.name = "sysctls",
     .type = SHAPE_INT64_OR_TEXT,
     .form = SHAPE_DICT,
     .help = "set in stage 2 and at every boot"},
    TEXTS("caCertificates",
          .help = "PEM certificates that the machine trusts before it downloads anything in "
                  "stage 2"),
    MAPS("sshKeys", &ssh_shape, .help = "added to authorized_keys"),
    MAP("commands", &commands_shape, .help = "lines of bash in stage 2"),
    MAP("kubelet", &kubelet_shape, .help = "the kubelet's configuration"),
    MAP("containerd", &containerd_shape, .help = "containerd's configuration"),
};
static const struct shape spec_shape = SHAPE("Spec", spec_members);

static const struct shape_member metadata_members[] = {
    TEXT("name", .pattern = "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
         .help = "its name: a-z, 0-9 and -"),
};
static const struct shape metadata_shape = {.name = "Metadata",
                                            .members = metadata_members,
                                            .count = COUNT_OF(metadata_members),
                                            .is_open = true};

static const struct shape_member extension_members[] = {
    TEXT("apiVersion", .flags = SHAPE_REQUIRED, .choices = "osm-gen.dev/v1alpha1"),
    TEXT("kind", .flags = SHAPE_REQUIRED, .choices = OSM_EXTENSION_KIND),
    MAP("metadata", &metadata_shape, .flags = SHAPE_REQUIRED,
        .help = "the name; labels and annotations"),
    MAP("spec", &spec_shape, .flags = SHAPE_REQUIRED,
        .help = "what is added, and to which "
                "MachineDeployments"),
};
const struct shape osm_extension_shape = {.name = OSM_EXTENSION_KIND,
                                          .members = extension_members,
                                          .count = COUNT_OF(extension_members),
                                          .is_open = true};
