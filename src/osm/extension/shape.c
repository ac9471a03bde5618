/*
 * The members of an OperatingSystemProfileExtension (docs/extensions.md), by which read.c checks a
 * document.
 */
#include "shape/shape.h"
#include "osm/extension/internal.h"

#define ITEM(text, list, words)                                                                    \
	{                                                                                          \
		.name = (text), .members = (list), .count = COUNT_OF(list), .one = (words)         \
	}

/* ---- files and modules ------------------------------------------------------------------- */

static const struct shape_member inline_members[] = {
    ROW_TEXT("encoding", "how user-data carries it (default: what the text needs)",
             .choices = "|b64"),
    ROW_TEXT("data", "the text, a template", .flags = SHAPE_REQUIRED),
};
static const struct shape inline_shape = SHAPE("Inline", inline_members);

static const struct shape_member reference_members[] = {
    ROW_TEXT("namespace", "the Secret's", .flags = SHAPE_REQUIRED, .pattern = "^[0-9A-Za-z._-]+$"),
    ROW_TEXT("name", "the Secret's", .flags = SHAPE_REQUIRED, .pattern = "^[0-9A-Za-z._-]+$"),
    ROW_TEXT("key", "the member of its data", .flags = SHAPE_REQUIRED,
             .pattern = "^[0-9A-Za-z._-]+$"),
};
static const struct shape reference_shape = SHAPE("SecretKeyReference", reference_members);

static const struct shape_member content_members[] = {
    ROW_MAP("inline", inline_shape, "the text, a template"),
    ROW_MAP("secretKeyRef", reference_shape, "the key of a Secret; no template"),
};
static const struct shape content_shape = SHAPE("Content", content_members);

static const struct shape_member file_members[] = {
    ROW_TEXT("path", "the whole path, from / on", .flags = SHAPE_REQUIRED,
             .pattern = "^/(.*[^/])$"),
    ROW_INT("permissions", "the digits of a mode, as a number: 644", .most = 7777),
    ROW_MAP("content", content_shape, "either inline or secretKeyRef", .flags = SHAPE_REQUIRED),
    ROW_BOOL("replace", "takes the place of the profile's file, which must be there"),
};
const struct shape extension_file_shape = ITEM("File", file_members, "a file");

static const struct shape_member modules_members[] = {
    ROW_TEXTS("bootcmd", "appended to the profile's"),
    ROW_TEXTS("runcmd", "appended to the profile's"),
    SHAPE_ROW("yum_repos", TEXT, DICTS, "repositories by name"),
    ROW_TEXT("yum_repo_dir", "the folder of the repositories' files"),
};
static const struct shape modules_shape = SHAPE("Modules", modules_members);

static const struct shape_member config_members[] = {
    ROW_MAPS("files", extension_file_shape, "files that are added"),
    ROW_MAP("modules", modules_shape, "cloud-init's modules"),
};
static const struct shape config_shape = SHAPE("Configuration", config_members);

/* ---- units and keys ---------------------------------------------------------------------- */

static const struct shape_member drop_in_members[] = {
    ROW_TEXT("name", "10-limits.conf", .flags = SHAPE_REQUIRED, .pattern = "\\.conf$"),
    ROW_TEXT("content", "a template", .flags = SHAPE_REQUIRED),
};
static const struct shape drop_in_shape = ITEM("DropIn", drop_in_members, "a drop-in");

static const struct shape_member unit_members[] = {
    ROW_TEXT("name", "the whole name: docker.service", .flags = SHAPE_REQUIRED,
             .pattern = "^[^-.].*\\.(service|socket|device|mount|swap|automount|target|path|timer"
                        "|slice|scope)$"),
    ROW_BOOL("enable", "true enables and starts it, false disables and stops it"),
    ROW_BOOL("mask", "it shall never start"),
    ROW_TEXT("content", "the unit's file, a template"),
    ROW_MAPS("dropIns", drop_in_shape, "files NAME.d/*.conf"),
    ROW_BOOL("replace", "takes the place of the profile's unit, which must be there"),
};
const struct shape extension_unit_shape = ITEM("Unit", unit_members, "a unit");

static const struct shape_member ssh_members[] = {
    ROW_TEXT("user", "the user that they are for (default: the operating system's own user)",
             .pattern = "^[0-9A-Za-z._][0-9A-Za-z._-]*$"),
    ROW_TEXTS("keys", "as in an authorized_keys file"),
};
static const struct shape ssh_shape = ITEM("SSHKeys", ssh_members, "an item of sshKeys");

/* ---- other members ----------------------------------------------------------------------- */

static const struct shape_member selector_members[] = {
    ROW_TEXTS("profiles", "names of profiles, before extensions: osp-ubuntu",
              .flags = SHAPE_NOT_EMPTY),
    ROW_TEXTS("machineDeployments", "NAME or NAMESPACE/NAME", .flags = SHAPE_NOT_EMPTY),
    ROW_TEXTS("operatingSystems", "operating systems of MachineDeployments",
              .flags = SHAPE_NOT_EMPTY, .choices_of = osm_os_choices),
    ROW_TEXTS("cloudProviders", "as in cloudProvider: aws", .flags = SHAPE_NOT_EMPTY,
              .choices_of = osm_provider_choices),
    ROW_TEXT_DICT("matchLabels", "labels of the MachineDeployment, all of them"),
};
static const struct shape selector_shape = SHAPE("Selector", selector_members);

static const struct shape_member commands_members[] = {
    ROW_TEXTS("beforeSetup", "before anything is installed"),
    ROW_TEXTS("beforeKubelet", "when all is installed"),
    ROW_TEXTS("afterSetup", "when the kubelet is started"),
};
static const struct shape commands_shape = SHAPE("Commands", commands_members);

static const struct shape_member kubelet_members[] = {
    ROW_TEXT("configuration",
             "members of a KubeletConfiguration, a template; kubelets from 1.30 on"),
};
static const struct shape kubelet_shape = SHAPE("Kubelet", kubelet_members);

static const struct shape_member containerd_members[] = {
    ROW_TEXT("configuration", "TOML in the third version of containerd's format, a template"),
    ROW_TEXT("configurationVersion2",
             "the same in the second version, for Amazon Linux 2, Flatcar and containerd 1.x"),
    ROW_BOOL("nvidia", "the runtime nvidia of NVIDIA's toolkit"),
};
static const struct shape containerd_shape = SHAPE("Containerd", containerd_members);

/* ---- the document ------------------------------------------------------------------------ */

static const struct shape_member spec_members[] = {
    ROW_INT("order", "0 to 999, lower ones first; of one order by name",
            .most = OSM_EXTENSION_ORDER_MAX, .initial = "500"),
    ROW_MAP("selector", selector_shape,
            "selects MachineDeployments: every member must match, and one item of each "
            "list (default: all)"),
    ROW_MAP("bootstrapConfig", config_shape, "files and modules of stage 1"),
    ROW_TEXTS("packages", "installed after the profile's own, with apt, dnf or yum; not on "
                          "Flatcar"),
    ROW_MAP("provisioningConfig", config_shape, "files and modules of stage 2"),
    ROW_MAPS("units", extension_unit_shape, "systemd's units"),
    ROW_TEXTS("kernelModules", "loaded in stage 2 and at every boot"),
    {.name = "sysctls",
     .type = SHAPE_INT64_OR_TEXT,
     .form = SHAPE_DICT,
     .help = "set in stage 2 and at every boot"},
    ROW_TEXTS("caCertificates",
              "PEM certificates that the machine trusts before it downloads anything in "
              "stage 2"),
    ROW_MAPS("sshKeys", ssh_shape, "added to authorized_keys"),
    ROW_MAP("commands", commands_shape, "lines of bash in stage 2"),
    ROW_MAP("kubelet", kubelet_shape, "the kubelet's configuration"),
    ROW_MAP("containerd", containerd_shape, "containerd's configuration"),
};
static const struct shape spec_shape = SHAPE("Spec", spec_members);

static const struct shape_member metadata_members[] = {
    ROW_TEXT("name", "its name: a-z, 0-9 and -", .pattern = "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"),
};
static const struct shape metadata_shape = {.name = "Metadata",
                                            .members = metadata_members,
                                            .count = COUNT_OF(metadata_members),
                                            .is_open = true};

static const struct shape_member extension_members[] = {
    ROW_TEXT("apiVersion", NULL, .flags = SHAPE_REQUIRED, .choices = "osm-gen.dev/v1alpha1"),
    ROW_TEXT("kind", NULL, .flags = SHAPE_REQUIRED, .choices = OSM_EXTENSION_KIND),
    ROW_MAP("metadata", metadata_shape, "the name; labels and annotations",
            .flags = SHAPE_REQUIRED),
    ROW_MAP("spec", spec_shape,
            "what is added, and to which "
            "MachineDeployments",
            .flags = SHAPE_REQUIRED),
};
const struct shape osm_extension_shape = {.name = OSM_EXTENSION_KIND,
                                          .members = extension_members,
                                          .count = COUNT_OF(extension_members),
                                          .is_open = true};
