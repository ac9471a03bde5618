/*
 * The fields of a MachineDeployment, with their types.
 * Made by tests/oracle/machines from machine-controller's SDK v1.66.0 and its help.go.
 */
#include "osm/admission/admission.h"

#define CELLS(key, kind, how, shape, words)                                                        \
	.name = (key), .type = SHAPE_##kind, .form = SHAPE_##how, .of = (shape), .help = (words)
#define ROW(...)                                                                                   \
	{                                                                                          \
		CELLS(__VA_ARGS__)                                                                 \
	}
/* Nothing complains of members that a type does not have. */
#define OPEN_SHAPE(text, list)                                                                     \
	{                                                                                          \
		.name = (text), .members = (list), .count = COUNT_OF(list), .is_open = true        \
	}

static const struct shape_member owner_reference_members[] = {
    ROW("apiVersion", TEXT, ONE, NULL, "group and version of the owner's kind"),
    ROW("kind", TEXT, ONE, NULL, "the owner's kind"),
    ROW("name", TEXT, ONE, NULL, "the owner's name"),
    ROW("uid", TEXT, ONE, NULL, "the owner's UID"),
    ROW("controller", BOOL, ONE, NULL, "true for the one owner that manages the object"),
    ROW("blockOwnerDeletion", BOOL, ONE, NULL, "true to delete this object before its owner"),
};
static const struct shape owner_reference = OPEN_SHAPE("OwnerReference", owner_reference_members);

static const struct shape_member managed_fields_entry_members[] = {
    ROW("manager", TEXT, ONE, NULL, "the program that wrote the fields"),
    ROW("operation", TEXT, ONE, NULL, "Apply or Update"),
    ROW("apiVersion", TEXT, ONE, NULL, "the version of the kind in which the fields are listed"),
    ROW("time", TIME, ONE, NULL, "when a field was last changed"),
    ROW("fieldsType", TEXT, ONE, NULL, "FieldsV1"),
    ROW("fieldsV1", ANY, ONE, NULL, "the fields, as a tree"),
    ROW("subresource", TEXT, ONE, NULL,
        "the subresource through which they were written, such as status"),
};
static const struct shape managed_fields_entry =
    OPEN_SHAPE("ManagedFieldsEntry", managed_fields_entry_members);

static const struct shape_member object_meta_members[] = {
    ROW("name", TEXT, ONE, NULL, "unique among the objects of its kind in the namespace"),
    ROW("generateName", TEXT, ONE, NULL,
        "where a name begins that the API server makes up; not for git"),
    ROW("namespace", TEXT, ONE, NULL, "kube-system for MachineDeployments"),
    ROW("selfLink", TEXT, ONE, NULL, "unused since Kubernetes 1.20"),
    ROW("uid", TEXT, ONE, NULL, "given by the API server; not for git"),
    ROW("resourceVersion", TEXT, ONE, NULL, "given by the API server; not for git"),
    ROW("generation", INT, ONE, NULL, "counts changes of the spec; not for git"),
    ROW("creationTimestamp", TIME, ONE, NULL, "given by the API server; not for git"),
    ROW("deletionTimestamp", TIME, ONE, NULL, "set while the object is being deleted; not for git"),
    ROW("deletionGracePeriodSeconds", INT, ONE, NULL,
        "seconds until a deleted object goes; not for git"),
    ROW("labels", TEXT, DICT, NULL, "strings by which objects are selected"),
    ROW("annotations", TEXT, DICT, NULL,
        "strings for programs; those of k8c.io choose the operating system profile"),
    ROW("ownerReferences", MAP, LIST, &owner_reference,
        "objects with which this one is deleted; not for git"),
    ROW("finalizers", TEXT, LIST, NULL,
        "what must happen before the object is deleted; not for git"),
    ROW("managedFields", MAP, LIST, &managed_fields_entry, "who wrote which field; not for git"),
};
const struct shape osm_meta_shape = OPEN_SHAPE("ObjectMeta", object_meta_members);

static const struct shape_member label_selector_requirement_members[] = {
    {CELLS("key", TEXT, ONE, NULL, "the label's key"), .flags = SHAPE_FILLED},
    {CELLS("operator", TEXT, ONE, NULL, "how the label is compared with the values"),
     .choices = "In|NotIn|Exists|DoesNotExist", .flags = SHAPE_REQUIRED},
    ROW("values", TEXT, LIST, NULL, "values for In and NotIn; none for Exists and DoesNotExist"),
};
static const struct shape label_selector_requirement =
    OPEN_SHAPE("LabelSelectorRequirement", label_selector_requirement_members);

static const struct shape_member label_selector_members[] = {
    ROW("matchLabels", TEXT, DICT, NULL,
        "labels with these values; the template's labels must have all of them"),
    ROW("matchExpressions", MAP, LIST, &label_selector_requirement,
        "conditions that the labels must meet, all of them"),
};
static const struct shape label_selector = OPEN_SHAPE("LabelSelector", label_selector_members);

static const struct shape_member taint_members[] = {
    {CELLS("key", TEXT, ONE, NULL, "the taint's key, such as dedicated"), .flags = SHAPE_FILLED},
    ROW("value", TEXT, ONE, NULL, "the taint's value; may be left out"),
    {CELLS("effect", TEXT, ONE, NULL, "what happens to pods that do not tolerate the taint"),
     .choices = "NoSchedule|PreferNoSchedule|NoExecute", .flags = SHAPE_REQUIRED},
    ROW("timeAdded", TIME, ONE, NULL, "when a NoExecute taint was added; not for git"),
};
static const struct shape taint = OPEN_SHAPE("Taint", taint_members);

static const struct shape_member machine_class_ref_members[] = {
    ROW("kind", TEXT, ONE, NULL, "kind of the machine class"),
    ROW("namespace", TEXT, ONE, NULL, "namespace of the machine class"),
    ROW("name", TEXT, ONE, NULL, "name of the machine class"),
    ROW("uid", TEXT, ONE, NULL, "UID of the machine class"),
    ROW("apiVersion", TEXT, ONE, NULL, "group and version of the machine class"),
    ROW("resourceVersion", TEXT, ONE, NULL, "version of the object"),
    ROW("fieldPath", TEXT, ONE, NULL, "a field inside the machine class"),
    ROW("provider", TEXT, ONE, NULL, "the program that the class is for"),
};
static const struct shape machine_class_ref =
    OPEN_SHAPE("MachineClassRef", machine_class_ref_members);

static const struct shape_member provider_spec_source_members[] = {
    ROW("machineClass", MAP, ONE, &machine_class_ref,
        "a machine class; machine-controller does not read it"),
};
static const struct shape provider_spec_source =
    OPEN_SHAPE("ProviderSpecSource", provider_spec_source_members);

static const struct shape_member provider_spec_members[] = {
    {CELLS("value", ANY, ONE, NULL,
           "cloud, operating system, network and SSH keys of the machines"),
     .flags = SHAPE_REQUIRED},
    ROW("valueFrom", MAP, ONE, &provider_spec_source,
        "another object with these settings; machine-controller does not read it"),
};
static const struct shape provider_spec = OPEN_SHAPE("ProviderSpec", provider_spec_members);

static const struct shape_member machine_version_info_members[] = {
    {CELLS("kubelet", TEXT, ONE, NULL,
           "version of the kubelet, such as 1.34.1; at most the control plane's"),
     .flags = SHAPE_FILLED},
    ROW("controlPlane", TEXT, ONE, NULL, "unused: the machines are workers"),
};
static const struct shape machine_version_info =
    OPEN_SHAPE("MachineVersionInfo", machine_version_info_members);

static const struct shape_member config_map_node_config_source_members[] = {
    ROW("namespace", TEXT, ONE, NULL, "namespace of the ConfigMap"),
    ROW("name", TEXT, ONE, NULL, "name of the ConfigMap"),
    ROW("uid", TEXT, ONE, NULL, "UID of the ConfigMap"),
    ROW("resourceVersion", TEXT, ONE, NULL, "version of the ConfigMap"),
    ROW("kubeletConfigKey", TEXT, ONE, NULL, "key with the kubelet's configuration"),
};
static const struct shape config_map_node_config_source =
    OPEN_SHAPE("ConfigMapNodeConfigSource", config_map_node_config_source_members);

static const struct shape_member node_config_source_members[] = {
    ROW("configMap", MAP, ONE, &config_map_node_config_source,
        "a ConfigMap with the kubelet's configuration"),
};
static const struct shape node_config_source =
    OPEN_SHAPE("NodeConfigSource", node_config_source_members);

static const struct shape_member machine_spec_members[] = {
    ROW("metadata", MAP, ONE, &osm_meta_shape, "labels and annotations of the nodes"),
    ROW("taints", MAP, LIST, &taint, "taints of the nodes"),
    {CELLS("providerSpec", MAP, ONE, &provider_spec, "how the cloud makes the machines"),
     .flags = SHAPE_REQUIRED},
    {CELLS("versions", MAP, ONE, &machine_version_info, "versions of the programs on the machines"),
     .flags = SHAPE_REQUIRED},
    ROW("configSource", MAP, ONE, &node_config_source,
        "refused: Kubernetes no longer reads the kubelet's configuration from objects"),
    ROW("providerID", TEXT, ONE, NULL, "a machine's ID in the cloud; machine-controller writes it"),
};
static const struct shape machine_spec = OPEN_SHAPE("MachineSpec", machine_spec_members);

static const struct shape_member machine_template_spec_members[] = {
    ROW("metadata", MAP, ONE, &osm_meta_shape,
        "labels and annotations of the Machine objects; the selector must match the labels"),
    {CELLS("spec", MAP, ONE, &machine_spec, "what each machine is"), .flags = SHAPE_REQUIRED},
};
static const struct shape machine_template_spec =
    OPEN_SHAPE("MachineTemplateSpec", machine_template_spec_members);

static const struct shape_member machine_rolling_update_deployment_members[] = {
    {CELLS("maxUnavailable", INT_OR_TEXT, ONE, NULL,
           "machines that may be missing during an update, or a percentage (default 0)"),
     .pattern = "^[+%]*[0-9][0-9%]*$"},
    {CELLS("maxSurge", INT_OR_TEXT, ONE, NULL,
           "machines that may be there in addition during an update, or a percentage (default 1)"),
     .pattern = "^[+%]*[0-9][0-9%]*$"},
};
static const struct shape machine_rolling_update_deployment =
    OPEN_SHAPE("MachineRollingUpdateDeployment", machine_rolling_update_deployment_members);

static const struct shape_member machine_deployment_strategy_members[] = {
    {CELLS("type", TEXT, ONE, NULL, "the one strategy that there is"), .choices = "RollingUpdate|"},
    ROW("rollingUpdate", MAP, ONE, &machine_rolling_update_deployment,
        "how many machines are replaced at once"),
};
static const struct shape machine_deployment_strategy =
    OPEN_SHAPE("MachineDeploymentStrategy", machine_deployment_strategy_members);

static const struct shape_member machine_deployment_spec_members[] = {
    {CELLS("replicas", INT32, ONE, NULL, "how many machines there are (default 1)"),
     .most = INT32_MAX},
    {CELLS("selector", MAP, ONE, &label_selector,
           "finds the machines that belong to the MachineDeployment; cannot be changed later"),
     .flags = SHAPE_REQUIRED},
    {CELLS("template", MAP, ONE, &machine_template_spec,
           "what each machine is; a change replaces all machines"),
     .flags = SHAPE_REQUIRED},
    ROW("strategy", MAP, ONE, &machine_deployment_strategy, "how machines are replaced"),
    {CELLS("minReadySeconds", INT32, ONE, NULL,
           "seconds for which a node must be ready to count as available (default 0)"),
     .most = INT32_MAX},
    {CELLS("revisionHistoryLimit", INT32, ONE, NULL,
           "how many old MachineSets are kept (default 1)"),
     .most = INT32_MAX},
    ROW("paused", BOOL, ONE, NULL, "true to leave machines alone until it is false again"),
    {CELLS("progressDeadlineSeconds", INT32, ONE, NULL,
           "seconds after which an update without progress counts as failed (default 600)"),
     .most = INT32_MAX},
};
static const struct shape machine_deployment_spec =
    OPEN_SHAPE("MachineDeploymentSpec", machine_deployment_spec_members);

static const struct shape_member machine_deployment_status_members[] = {
    ROW("observedGeneration", INT, ONE, NULL, "the generation that machine-controller has seen"),
    ROW("replicas", INT32, ONE, NULL, "machines that there are"),
    ROW("updatedReplicas", INT32, ONE, NULL, "machines of the newest template"),
    ROW("readyReplicas", INT32, ONE, NULL, "machines whose node is ready"),
    ROW("availableReplicas", INT32, ONE, NULL,
        "machines whose node has been ready for minReadySeconds"),
    ROW("unavailableReplicas", INT32, ONE, NULL, "machines that are still missing"),
};
static const struct shape machine_deployment_status =
    OPEN_SHAPE("MachineDeploymentStatus", machine_deployment_status_members);

static const struct shape_member machine_deployment_members[] = {
    {CELLS("kind", TEXT, ONE, NULL, "MachineDeployment"), .choices = "MachineDeployment",
     .flags = SHAPE_REQUIRED},
    {CELLS("apiVersion", TEXT, ONE, NULL, "cluster.k8s.io/v1alpha1"),
     .choices = "cluster.k8s.io/v1alpha1", .flags = SHAPE_REQUIRED},
    {CELLS("metadata", MAP, ONE, &osm_meta_shape,
           "name, namespace, labels and annotations; annotations choose the profile and set up the "
           "kubelet"),
     .flags = SHAPE_REQUIRED},
    {CELLS("spec", MAP, ONE, &machine_deployment_spec, "the machines that are wanted"),
     .flags = SHAPE_REQUIRED},
    ROW("status", MAP, ONE, &machine_deployment_status,
        "the state in the cluster, which machine-controller writes; not for git"),
};
const struct shape osm_machine_shape = OPEN_SHAPE("MachineDeployment", machine_deployment_members);
