/*
 * The fields of a MachineDeployment, with their types.
 * Made by tests/oracle/machines from machine-controller's SDK v1.66.0 and its help.go.
 */
#include "osm/admission/admission.h"

/* clang-format off */

/* Nothing complains of members that a type does not have. */
#define OPEN_SHAPE(text, list) {.name = (text), .members = (list), .count = COUNT_OF(list), .is_open = true}

static const struct shape_member owner_reference_members[] = {
    SHAPE_ROW("apiVersion", TEXT, ONE, "group and version of the owner's kind"),
    SHAPE_ROW("kind", TEXT, ONE, "the owner's kind"),
    SHAPE_ROW("name", TEXT, ONE, "the owner's name"),
    SHAPE_ROW("uid", TEXT, ONE, "the owner's UID"),
    SHAPE_ROW("controller", BOOL, ONE, "true for the one owner that manages the object"),
    SHAPE_ROW("blockOwnerDeletion", BOOL, ONE, "true to delete this object before its owner"),
};
static const struct shape owner_reference = OPEN_SHAPE("OwnerReference", owner_reference_members);

static const struct shape_member managed_fields_entry_members[] = {
    SHAPE_ROW("manager", TEXT, ONE, "the program that wrote the fields"),
    SHAPE_ROW("operation", TEXT, ONE, "Apply or Update"),
    SHAPE_ROW("apiVersion", TEXT, ONE, "the version of the kind in which the fields are listed"),
    SHAPE_ROW("time", TIME, ONE, "when a field was last changed"),
    SHAPE_ROW("fieldsType", TEXT, ONE, "FieldsV1"),
    SHAPE_ROW("fieldsV1", ANY, ONE, "the fields, as a tree"),
    SHAPE_ROW("subresource", TEXT, ONE, "the subresource through which they were written, such as status"),
};
static const struct shape managed_fields_entry = OPEN_SHAPE("ManagedFieldsEntry", managed_fields_entry_members);

static const struct shape_member object_meta_members[] = {
    SHAPE_ROW("name", TEXT, ONE, "unique among the objects of its kind in the namespace"),
    SHAPE_ROW("generateName", TEXT, ONE, "where a name begins that the API server makes up; not for git"),
    SHAPE_ROW("namespace", TEXT, ONE, "kube-system for MachineDeployments"),
    SHAPE_ROW("selfLink", TEXT, ONE, "unused since Kubernetes 1.20"),
    SHAPE_ROW("uid", TEXT, ONE, "given by the API server; not for git"),
    SHAPE_ROW("resourceVersion", TEXT, ONE, "given by the API server; not for git"),
    SHAPE_ROW("generation", INT, ONE, "counts changes of the spec; not for git"),
    SHAPE_ROW("creationTimestamp", TIME, ONE, "given by the API server; not for git"),
    SHAPE_ROW("deletionTimestamp", TIME, ONE, "set while the object is being deleted; not for git"),
    SHAPE_ROW("deletionGracePeriodSeconds", INT, ONE, "seconds until a deleted object goes; not for git"),
    SHAPE_ROW("labels", TEXT, DICT, "strings by which objects are selected"),
    SHAPE_ROW("annotations", TEXT, DICT, "strings for programs; those of k8c.io choose the operating system profile"),
    SHAPE_ROW("ownerReferences", MAP, LIST, "objects with which this one is deleted; not for git", .of = &owner_reference),
    SHAPE_ROW("finalizers", TEXT, LIST, "what must happen before the object is deleted; not for git"),
    SHAPE_ROW("managedFields", MAP, LIST, "who wrote which field; not for git", .of = &managed_fields_entry),
};
const struct shape osm_meta_shape = OPEN_SHAPE("ObjectMeta", object_meta_members);

static const struct shape_member label_selector_requirement_members[] = {
    SHAPE_ROW("key", TEXT, ONE, "the label's key", .flags = SHAPE_FILLED),
    SHAPE_ROW("operator", TEXT, ONE, "how the label is compared with the values", .choices = "In|NotIn|Exists|DoesNotExist", .flags = SHAPE_REQUIRED),
    SHAPE_ROW("values", TEXT, LIST, "values for In and NotIn; none for Exists and DoesNotExist"),
};
static const struct shape label_selector_requirement = OPEN_SHAPE("LabelSelectorRequirement", label_selector_requirement_members);

static const struct shape_member label_selector_members[] = {
    SHAPE_ROW("matchLabels", TEXT, DICT, "labels with these values; the template's labels must have all of them"),
    SHAPE_ROW("matchExpressions", MAP, LIST, "conditions that the labels must meet, all of them", .of = &label_selector_requirement),
};
static const struct shape label_selector = OPEN_SHAPE("LabelSelector", label_selector_members);

static const struct shape_member taint_members[] = {
    SHAPE_ROW("key", TEXT, ONE, "the taint's key, such as dedicated", .flags = SHAPE_FILLED),
    SHAPE_ROW("value", TEXT, ONE, "the taint's value; may be left out"),
    SHAPE_ROW("effect", TEXT, ONE, "what happens to pods that do not tolerate the taint", .choices = "NoSchedule|PreferNoSchedule|NoExecute", .flags = SHAPE_REQUIRED),
    SHAPE_ROW("timeAdded", TIME, ONE, "when a NoExecute taint was added; not for git"),
};
static const struct shape taint = OPEN_SHAPE("Taint", taint_members);

static const struct shape_member machine_class_ref_members[] = {
    SHAPE_ROW("kind", TEXT, ONE, "kind of the machine class"),
    SHAPE_ROW("namespace", TEXT, ONE, "namespace of the machine class"),
    SHAPE_ROW("name", TEXT, ONE, "name of the machine class"),
    SHAPE_ROW("uid", TEXT, ONE, "UID of the machine class"),
    SHAPE_ROW("apiVersion", TEXT, ONE, "group and version of the machine class"),
    SHAPE_ROW("resourceVersion", TEXT, ONE, "version of the object"),
    SHAPE_ROW("fieldPath", TEXT, ONE, "a field inside the machine class"),
    SHAPE_ROW("provider", TEXT, ONE, "the program that the class is for"),
};
static const struct shape machine_class_ref = OPEN_SHAPE("MachineClassRef", machine_class_ref_members);

static const struct shape_member provider_spec_source_members[] = {
    SHAPE_ROW("machineClass", MAP, ONE, "a machine class; machine-controller does not read it", .of = &machine_class_ref),
};
static const struct shape provider_spec_source = OPEN_SHAPE("ProviderSpecSource", provider_spec_source_members);

static const struct shape_member provider_spec_members[] = {
    SHAPE_ROW("value", ANY, ONE, "cloud, operating system, network and SSH keys of the machines", .flags = SHAPE_REQUIRED),
    SHAPE_ROW("valueFrom", MAP, ONE, "another object with these settings; machine-controller does not read it", .of = &provider_spec_source),
};
static const struct shape provider_spec = OPEN_SHAPE("ProviderSpec", provider_spec_members);

static const struct shape_member machine_version_info_members[] = {
    SHAPE_ROW("kubelet", TEXT, ONE, "version of the kubelet, such as 1.34.1; at most the control plane's", .flags = SHAPE_FILLED),
    SHAPE_ROW("controlPlane", TEXT, ONE, "unused: the machines are workers"),
};
static const struct shape machine_version_info = OPEN_SHAPE("MachineVersionInfo", machine_version_info_members);

static const struct shape_member config_map_node_config_source_members[] = {
    SHAPE_ROW("namespace", TEXT, ONE, "namespace of the ConfigMap"),
    SHAPE_ROW("name", TEXT, ONE, "name of the ConfigMap"),
    SHAPE_ROW("uid", TEXT, ONE, "UID of the ConfigMap"),
    SHAPE_ROW("resourceVersion", TEXT, ONE, "version of the ConfigMap"),
    SHAPE_ROW("kubeletConfigKey", TEXT, ONE, "key with the kubelet's configuration"),
};
static const struct shape config_map_node_config_source = OPEN_SHAPE("ConfigMapNodeConfigSource", config_map_node_config_source_members);

static const struct shape_member node_config_source_members[] = {
    SHAPE_ROW("configMap", MAP, ONE, "a ConfigMap with the kubelet's configuration", .of = &config_map_node_config_source),
};
static const struct shape node_config_source = OPEN_SHAPE("NodeConfigSource", node_config_source_members);

static const struct shape_member machine_spec_members[] = {
    SHAPE_ROW("metadata", MAP, ONE, "labels and annotations of the nodes", .of = &osm_meta_shape),
    SHAPE_ROW("taints", MAP, LIST, "taints of the nodes", .of = &taint),
    SHAPE_ROW("providerSpec", MAP, ONE, "how the cloud makes the machines", .of = &provider_spec, .flags = SHAPE_REQUIRED),
    SHAPE_ROW("versions", MAP, ONE, "versions of the programs on the machines", .of = &machine_version_info, .flags = SHAPE_REQUIRED),
    SHAPE_ROW("configSource", MAP, ONE, "refused: Kubernetes no longer reads the kubelet's configuration from objects", .of = &node_config_source),
    SHAPE_ROW("providerID", TEXT, ONE, "a machine's ID in the cloud; machine-controller writes it"),
};
static const struct shape machine_spec = OPEN_SHAPE("MachineSpec", machine_spec_members);

static const struct shape_member machine_template_spec_members[] = {
    SHAPE_ROW("metadata", MAP, ONE, "labels and annotations of the Machine objects; the selector must match the labels", .of = &osm_meta_shape),
    SHAPE_ROW("spec", MAP, ONE, "what each machine is", .of = &machine_spec, .flags = SHAPE_REQUIRED),
};
static const struct shape machine_template_spec = OPEN_SHAPE("MachineTemplateSpec", machine_template_spec_members);

static const struct shape_member machine_rolling_update_deployment_members[] = {
    SHAPE_ROW("maxUnavailable", INT_OR_TEXT, ONE, "machines that may be missing during an update, or a percentage (default 0)", .pattern = "^[+%]*[0-9][0-9%]*$"),
    SHAPE_ROW("maxSurge", INT_OR_TEXT, ONE, "machines that may be there in addition during an update, or a percentage (default 1)", .pattern = "^[+%]*[0-9][0-9%]*$"),
};
static const struct shape machine_rolling_update_deployment = OPEN_SHAPE("MachineRollingUpdateDeployment", machine_rolling_update_deployment_members);

static const struct shape_member machine_deployment_strategy_members[] = {
    SHAPE_ROW("type", TEXT, ONE, "the one strategy that there is", .choices = "RollingUpdate|"),
    SHAPE_ROW("rollingUpdate", MAP, ONE, "how many machines are replaced at once", .of = &machine_rolling_update_deployment),
};
static const struct shape machine_deployment_strategy = OPEN_SHAPE("MachineDeploymentStrategy", machine_deployment_strategy_members);

static const struct shape_member machine_deployment_spec_members[] = {
    SHAPE_ROW("replicas", INT32, ONE, "how many machines there are (default 1)", .most = INT32_MAX),
    SHAPE_ROW("selector", MAP, ONE, "finds the machines that belong to the MachineDeployment; cannot be changed later", .of = &label_selector, .flags = SHAPE_REQUIRED),
    SHAPE_ROW("template", MAP, ONE, "what each machine is; a change replaces all machines", .of = &machine_template_spec, .flags = SHAPE_REQUIRED),
    SHAPE_ROW("strategy", MAP, ONE, "how machines are replaced", .of = &machine_deployment_strategy),
    SHAPE_ROW("minReadySeconds", INT32, ONE, "seconds for which a node must be ready to count as available (default 0)", .most = INT32_MAX),
    SHAPE_ROW("revisionHistoryLimit", INT32, ONE, "how many old MachineSets are kept (default 1)", .most = INT32_MAX),
    SHAPE_ROW("paused", BOOL, ONE, "true to leave machines alone until it is false again"),
    SHAPE_ROW("progressDeadlineSeconds", INT32, ONE, "seconds after which an update without progress counts as failed (default 600)", .most = INT32_MAX),
};
static const struct shape machine_deployment_spec = OPEN_SHAPE("MachineDeploymentSpec", machine_deployment_spec_members);

static const struct shape_member machine_deployment_status_members[] = {
    SHAPE_ROW("observedGeneration", INT, ONE, "the generation that machine-controller has seen"),
    SHAPE_ROW("replicas", INT32, ONE, "machines that there are"),
    SHAPE_ROW("updatedReplicas", INT32, ONE, "machines of the newest template"),
    SHAPE_ROW("readyReplicas", INT32, ONE, "machines whose node is ready"),
    SHAPE_ROW("availableReplicas", INT32, ONE, "machines whose node has been ready for minReadySeconds"),
    SHAPE_ROW("unavailableReplicas", INT32, ONE, "machines that are still missing"),
};
static const struct shape machine_deployment_status = OPEN_SHAPE("MachineDeploymentStatus", machine_deployment_status_members);

static const struct shape_member machine_deployment_members[] = {
    SHAPE_ROW("kind", TEXT, ONE, "MachineDeployment", .choices = "MachineDeployment", .flags = SHAPE_REQUIRED),
    SHAPE_ROW("apiVersion", TEXT, ONE, "cluster.k8s.io/v1alpha1", .choices = "cluster.k8s.io/v1alpha1", .flags = SHAPE_REQUIRED),
    SHAPE_ROW("metadata", MAP, ONE, "name, namespace, labels and annotations; annotations choose the profile and set up the kubelet", .of = &osm_meta_shape, .flags = SHAPE_REQUIRED),
    SHAPE_ROW("spec", MAP, ONE, "the machines that are wanted", .of = &machine_deployment_spec, .flags = SHAPE_REQUIRED),
    SHAPE_ROW("status", MAP, ONE, "the state in the cluster, which machine-controller writes; not for git", .of = &machine_deployment_status),
};
const struct shape osm_machine_shape = OPEN_SHAPE("MachineDeployment", machine_deployment_members);
