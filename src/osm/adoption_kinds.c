/*
 * The kinds of Kubermatic's clusters that are read from exports: their members that adopt copies,
 * and the annotations and labels that it keeps. Nobody reads the other members, and they may
 * contain anything.
 */
#include "osm/adoption.h"
#include "osm/osm.h"

static const struct dialect_field metadata[] = {DIALECT_FIELD("name"), DIALECT_FIELD("namespace"),
                                                DIALECT_FIELD("labels"),
                                                DIALECT_FIELD("annotations")};

/* machine-controller compares all of these to decide whether it replaces machines. */
static const struct dialect_field template_metadata[] = {
    DIALECT_FIELD("name"),          DIALECT_FIELD("generateName"),
    DIALECT_FIELD("namespace"),     DIALECT_FIELD("selfLink"),
    DIALECT_FIELD("uid"),           DIALECT_FIELD("resourceVersion"),
    DIALECT_FIELD("generation"),    DIALECT_FIELD("creationTimestamp"),
    DIALECT_FIELD("labels"),        DIALECT_FIELD("deletionTimestamp"),
    DIALECT_FIELD("annotations"),   DIALECT_FIELD("deletionGracePeriodSeconds"),
    DIALECT_FIELD("finalizers"),    DIALECT_FIELD("ownerReferences"),
    DIALECT_FIELD("managedFields"),
};
static const struct dialect_field taint[] = {DIALECT_FIELD("key"), DIALECT_FIELD("value"),
                                             DIALECT_FIELD("effect"), DIALECT_FIELD("timeAdded")};
static const struct dialect_field provider_spec[] = {DIALECT_FIELD("value"),
                                                     DIALECT_FIELD("valueFrom")};
static const struct dialect_field versions[] = {DIALECT_FIELD("kubelet"),
                                                DIALECT_FIELD("controlPlane")};
static const struct dialect_field machine_spec[] = {
    DIALECT_FIELD_OF("metadata", template_metadata),
    DIALECT_FIELD_OF("taints", taint),
    DIALECT_FIELD_OF("providerSpec", provider_spec),
    DIALECT_FIELD_OF("versions", versions),
    DIALECT_FIELD("configSource"),
    DIALECT_FIELD("providerID"),
};
static const struct dialect_field template[] = {DIALECT_FIELD_OF("metadata", template_metadata),
                                                DIALECT_FIELD_OF("spec", machine_spec)};
static const struct dialect_field expression[] = {DIALECT_FIELD("key"), DIALECT_FIELD("operator"),
                                                  DIALECT_FIELD("values")};
static const struct dialect_field selector[] = {DIALECT_FIELD("matchLabels"),
                                                DIALECT_FIELD_OF("matchExpressions", expression)};
static const struct dialect_field rolling_update[] = {DIALECT_FIELD("maxSurge"),
                                                      DIALECT_FIELD("maxUnavailable")};
static const struct dialect_field strategy[] = {DIALECT_FIELD("type"),
                                                DIALECT_FIELD_OF("rollingUpdate", rolling_update)};
static const struct dialect_field deployment_spec[] = {
    DIALECT_FIELD("replicas"),
    DIALECT_FIELD_OF("selector", selector),
    DIALECT_FIELD_OF("template", template),
    DIALECT_FIELD_OF("strategy", strategy),
    DIALECT_FIELD("minReadySeconds"),
    DIALECT_FIELD("revisionHistoryLimit"),
    DIALECT_FIELD("paused"),
    DIALECT_FIELD("progressDeadlineSeconds"),
};
static const struct dialect_field unit_fields[] = {
    DIALECT_FIELD("apiVersion"), DIALECT_FIELD("kind"), DIALECT_FIELD_OF("metadata", metadata),
    DIALECT_FIELD_OF("spec", deployment_spec)};

static const struct dialect_field inline_content[] = {DIALECT_FIELD("encoding"),
                                                      DIALECT_FIELD("data")};
static const struct dialect_field content[] = {DIALECT_FIELD_OF("inline", inline_content)};
static const struct dialect_field file[] = {DIALECT_FIELD("path"), DIALECT_FIELD("permissions"),
                                            DIALECT_FIELD_OF("content", content)};
static const struct dialect_field runtime[] = {
    DIALECT_FIELD("name"), DIALECT_FIELD_OF("files", file), DIALECT_FIELD("templates")};
static const struct dialect_field drop_in[] = {DIALECT_FIELD("name"), DIALECT_FIELD("content")};
static const struct dialect_field unit[] = {DIALECT_FIELD("name"), DIALECT_FIELD("enable"),
                                            DIALECT_FIELD("mask"), DIALECT_FIELD("content"),
                                            DIALECT_FIELD_OF("dropIns", drop_in)};
static const struct dialect_field modules[] = {
    DIALECT_FIELD("bootcmd"), DIALECT_FIELD("rh_subscription"), DIALECT_FIELD("runcmd"),
    DIALECT_FIELD("yum_repos"), DIALECT_FIELD("yum_repo_dir")};
static const struct dialect_field config[] = {
    DIALECT_FIELD_OF("supportedContainerRuntimes", runtime),
    DIALECT_FIELD("templates"),
    DIALECT_FIELD_OF("units", unit),
    DIALECT_FIELD_OF("files", file),
    DIALECT_FIELD_OF("modules", modules),
};
static const struct dialect_field provider[] = {DIALECT_FIELD("name"), DIALECT_FIELD("spec")};
static const struct dialect_field profile_spec[] = {
    DIALECT_FIELD("osName"),
    DIALECT_FIELD("osVersion"),
    DIALECT_FIELD("version"),
    DIALECT_FIELD("provisioningUtility"),
    DIALECT_FIELD_OF("supportedCloudProviders", provider),
    DIALECT_FIELD_OF("bootstrapConfig", config),
    DIALECT_FIELD_OF("provisioningConfig", config),
};
static const struct dialect_field profile_fields[] = {
    DIALECT_FIELD("apiVersion"), DIALECT_FIELD("kind"), DIALECT_FIELD_OF("metadata", metadata),
    DIALECT_FIELD_OF("spec", profile_spec)};

static const sv programs[] = {SV_INIT("bootstrapConfig"), SV_INIT("provisioningConfig")};

const struct dialect_live_kind osm_live_kinds[OSM_LIVE_KIND_COUNT] = {
    {SV_INIT("OperatingSystemProfile"), SV_INIT(OSM_API_GROUP), DIALECT_LIVE_DEFINITION,
     profile_fields, COUNT_OF(profile_fields), programs, COUNT_OF(programs),
     "remove it from the profile: machines can fetch secrets with .Token, or have them in their "
     "image"},
    {SV_INIT("OperatingSystemConfig"), SV_INIT(OSM_API_GROUP), .part = DIALECT_LIVE_CONFIG},
    {SV_INIT("MachineDeployment"), SV_INIT(OSM_MACHINE_API_GROUP), DIALECT_LIVE_UNIT, unit_fields,
     COUNT_OF(unit_fields),
     .remedy = "remove it from the MachineDeployment in the cluster (a change of spec.template "
               "replaces its machines), or from a copy of the export, and adopt that"},
    {SV_INIT("MachineSet"), SV_INIT(OSM_MACHINE_API_GROUP), .part = DIALECT_LIVE_SET},
    {SV_INIT("Machine"), SV_INIT(OSM_MACHINE_API_GROUP), .part = DIALECT_LIVE_MACHINE},
};

/* Read by osm-gen, the controller, machine-controller or the autoscaler. */
const struct dialect_mark osm_live_annotations[OSM_LIVE_ANNOTATION_COUNT] = {
    {"MachineDeployment", SV_INIT("k8c.io/operating-system-profile")},
    {"MachineDeployment", SV_INIT("k8c.io/operating-system-profile-namespace")},
    {"MachineDeployment", SV_INIT("v1.kubelet-config.machine-controller.kubermatic.io*")},
    {"MachineDeployment", SV_INIT("machine-controller.kubermatic.io/*")},
    {"MachineDeployment", SV_INIT("cluster.k8s.io/cluster-api-autoscaler-node-group-*")},
    {"MachineDeployment", SV_INIT("cluster.x-k8s.io/cluster-api-autoscaler-node-group-*")},
    {"MachineDeployment", SV_INIT("capacity.cluster-autoscaler.kubernetes.io/*")},
};
