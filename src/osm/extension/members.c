/*
 * The members of an OperatingSystemProfileExtension with their help, for the JSON Schema that
 * editors use. read.c and parts.c read them; docs/extensions.md explains them.
 */
#include "osm/extension/internal.h"
#include "shape/shape.h"

static const struct shape_member selector_members[] = {
    {.name = "profiles",
     .form = SHAPE_LIST,
     .help = "names of profiles, before extensions: osp-ubuntu"},
    {.name = "machineDeployments", .form = SHAPE_LIST, .help = "NAME or NAMESPACE/NAME"},
    {.name = "operatingSystems",
     .form = SHAPE_LIST,
     .choices = "amzn2|flatcar|rhel|rockylinux|ubuntu",
     .help = "operating systems of MachineDeployments"},
    {.name = "cloudProviders", .form = SHAPE_LIST, .help = "as in cloudProvider: aws"},
    {.name = "matchLabels",
     .type = SHAPE_MAP,
     .help = "labels of the MachineDeployment, all of them"},
};
static const struct shape selector_shape = SHAPE("selector", selector_members);

static const struct shape_member modules_members[] = {
    {.name = "bootcmd", .form = SHAPE_LIST, .help = "appended to the profile's"},
    {.name = "runcmd", .form = SHAPE_LIST, .help = "appended to the profile's"},
    {.name = "yum_repos", .type = SHAPE_MAP, .help = "repositories by name"},
    {.name = "yum_repo_dir", .help = "the folder of repositories"},
};
static const struct shape modules_shape = SHAPE("modules", modules_members);

static const struct shape_member inline_members[] = {
    {.name = "encoding", .choices = "|b64", .help = "how user-data carries it"},
    {.name = "data", .help = "the text, a template"},
};
static const struct shape inline_shape = SHAPE("inline", inline_members);

static const struct shape_member secret_key_ref_members[] = {
    {.name = "namespace", .help = "the Secret's"},
    {.name = "name", .help = "the Secret's"},
    {.name = "key", .help = "the Secret's"},
};
static const struct shape secret_key_ref_shape = SHAPE("secretKeyRef", secret_key_ref_members);

static const struct shape_member content_members[] = {
    {.name = "inline", .type = SHAPE_MAP, .of = &inline_shape, .help = "the text, a template"},
    {.name = "secretKeyRef",
     .type = SHAPE_MAP,
     .of = &secret_key_ref_shape,
     .help = "the key of a Secret; no template"},
};
static const struct shape content_shape = SHAPE("content", content_members);

static const struct shape_member osm_extension_file_members[] = {
    {.name = "path", .help = "the whole path, from / on"},
    {.name = "permissions",
     .type = SHAPE_INT,
     .most = INT64_MAX,
     .help = "the digits of a mode, as a number: 644"},
    {.name = "content",
     .type = SHAPE_MAP,
     .of = &content_shape,
     .help = "either inline or secretKeyRef"},
    {.name = "replace",
     .type = SHAPE_BOOL,
     .help = "takes the place of the profile's file, which must be there"},
};
const struct shape osm_extension_file_shape = SHAPE("file", osm_extension_file_members);

static const struct shape_member configuration_members[] = {
    {.name = "files",
     .type = SHAPE_MAP,
     .of = &osm_extension_file_shape,
     .form = SHAPE_LIST,
     .help = "files that are added"},
    {.name = "modules", .type = SHAPE_MAP, .of = &modules_shape, .help = "cloud-init's modules"},
};
static const struct shape configuration_shape = SHAPE("configuration", configuration_members);

static const struct shape_member drop_in_members[] = {
    {.name = "name", .help = "10-limits.conf"},
    {.name = "content", .help = "a template"},
};
static const struct shape drop_in_shape = SHAPE("dropIn", drop_in_members);

static const struct shape_member osm_extension_unit_members[] = {
    {.name = "name", .help = "the whole name: docker.service"},
    {.name = "content", .help = "the unit's file, a template"},
    {.name = "dropIns",
     .type = SHAPE_MAP,
     .of = &drop_in_shape,
     .form = SHAPE_LIST,
     .help = "files NAME.d/*.conf"},
    {.name = "enable",
     .type = SHAPE_BOOL,
     .help = "true enables and starts it, false disables and stops it"},
    {.name = "mask", .type = SHAPE_BOOL, .help = "it shall never start"},
    {.name = "replace",
     .type = SHAPE_BOOL,
     .help = "takes the place of the profile's unit, which must be there"},
};
const struct shape osm_extension_unit_shape = SHAPE("unit", osm_extension_unit_members);

static const struct shape_member commands_members[] = {
    {.name = "beforeSetup", .form = SHAPE_LIST, .help = "before anything is installed"},
    {.name = "beforeKubelet", .form = SHAPE_LIST, .help = "when all is installed"},
    {.name = "afterSetup", .form = SHAPE_LIST, .help = "when the kubelet is started"},
};
static const struct shape commands_shape = SHAPE("commands", commands_members);

static const struct shape_member ssh_keys_members[] = {
    {.name = "user",
     .help = "the user that they are for (default: the operating system's own user)"},
    {.name = "keys", .form = SHAPE_LIST, .help = "as in an authorized_keys file"},
};
static const struct shape ssh_keys_shape = SHAPE("sshKeys", ssh_keys_members);

static const struct shape_member kubelet_members[] = {
    {.name = "configuration",
     .help = "members of a KubeletConfiguration, a template; kubelets from 1.30 on"},
};
static const struct shape kubelet_shape = SHAPE("kubelet", kubelet_members);

static const struct shape_member containerd_members[] = {
    {.name = "configuration",
     .help = "TOML in the third version of containerd's format, a template"},
    {.name = "configurationVersion2",
     .help = "the same in the second version, for Amazon Linux 2, Flatcar and containerd 1.x"},
    {.name = "nvidia", .type = SHAPE_BOOL, .help = "the runtime nvidia of NVIDIA's toolkit"},
};
static const struct shape containerd_shape = SHAPE("containerd", containerd_members);

static const struct shape_member spec_members[] = {
    {.name = "order",
     .type = SHAPE_INT,
     .most = INT64_MAX,
     .help = "0 to 999, lower ones first (default 500); of one order by name"},
    {.name = "selector",
     .type = SHAPE_MAP,
     .of = &selector_shape,
     .help = "selects MachineDeployments: every member must match, and one item of each list "
             "(default: all)"},
    {.name = "bootstrapConfig",
     .type = SHAPE_MAP,
     .of = &configuration_shape,
     .help = "files and modules of stage 1"},
    {.name = "provisioningConfig",
     .type = SHAPE_MAP,
     .of = &configuration_shape,
     .help = "files and modules of stage 2"},
    {.name = "units",
     .type = SHAPE_MAP,
     .of = &osm_extension_unit_shape,
     .form = SHAPE_LIST,
     .help = "systemd's units"},
    {.name = "packages",
     .form = SHAPE_LIST,
     .help = "installed after the profile's own, with apt, dnf or yum; not on Flatcar"},
    {.name = "commands",
     .type = SHAPE_MAP,
     .of = &commands_shape,
     .help = "lines of bash in stage 2"},
    {.name = "kernelModules", .form = SHAPE_LIST, .help = "loaded in stage 2 and at every boot"},
    {.name = "sysctls", .type = SHAPE_MAP, .help = "set in stage 2 and at every boot"},
    {.name = "caCertificates",
     .form = SHAPE_LIST,
     .help = "PEM certificates that the machine trusts before it downloads anything in stage 2"},
    {.name = "sshKeys",
     .type = SHAPE_MAP,
     .of = &ssh_keys_shape,
     .form = SHAPE_LIST,
     .help = "added to authorized_keys"},
    {.name = "kubelet",
     .type = SHAPE_MAP,
     .of = &kubelet_shape,
     .help = "the kubelet's configuration"},
    {.name = "containerd",
     .type = SHAPE_MAP,
     .of = &containerd_shape,
     .help = "containerd's configuration"},
};
static const struct shape spec_shape = SHAPE("spec", spec_members);

static const struct shape_member metadata_members[] = {
    {.name = "name", .flags = SHAPE_REQUIRED, .help = "its name: a-z, 0-9 and -"},
    {.name = "labels", .type = SHAPE_MAP, .help = "labels, which osm-gen ignores"},
    {.name = "annotations", .type = SHAPE_MAP, .help = "annotations of the extension"},
};
static const struct shape metadata_shape = SHAPE("metadata", metadata_members);

static const struct shape_member extension_members[] = {
    {.name = "apiVersion",
     .flags = SHAPE_REQUIRED,
     .choices = "osm-gen.dev/v1alpha1",
     .help = "the version of this form"},
    {.name = "kind",
     .flags = SHAPE_REQUIRED,
     .choices = OSM_EXTENSION_KIND,
     .help = "an extension of profiles"},
    {.name = "metadata",
     .type = SHAPE_MAP,
     .of = &metadata_shape,
     .flags = SHAPE_REQUIRED,
     .help = "its name and labels"},
    {.name = "spec",
     .type = SHAPE_MAP,
     .of = &spec_shape,
     .help = "what it adds, and to which MachineDeployments"},
};
const struct shape osm_extension_shape = SHAPE(OSM_EXTENSION_KIND, extension_members);
