/*
 * The fields of a MachineDeployment, with their types.
 * Made by tests/oracle/machines from machine-controller's SDK v1.66.0.
 */
#include "osm/admission/admission.h"

#define SHAPE(list)                                                                                \
	{                                                                                          \
		.fields = (list), .count = COUNT_OF(list)                                          \
	}

static const struct osm_field owner_reference_fields[] = {
    {SV_INIT("apiVersion"), OSM_FIELD_STRING, NULL},
    {SV_INIT("kind"), OSM_FIELD_STRING, NULL},
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("uid"), OSM_FIELD_STRING, NULL},
    {SV_INIT("controller"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("blockOwnerDeletion"), OSM_FIELD_BOOL, NULL},
};
static const struct osm_shape owner_reference = SHAPE(owner_reference_fields);

static const struct osm_field managed_fields_entry_fields[] = {
    {SV_INIT("manager"), OSM_FIELD_STRING, NULL},
    {SV_INIT("operation"), OSM_FIELD_STRING, NULL},
    {SV_INIT("apiVersion"), OSM_FIELD_STRING, NULL},
    {SV_INIT("time"), OSM_FIELD_TIME, NULL},
    {SV_INIT("fieldsType"), OSM_FIELD_STRING, NULL},
    {SV_INIT("fieldsV1"), OSM_FIELD_RAW, NULL},
    {SV_INIT("subresource"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape managed_fields_entry = SHAPE(managed_fields_entry_fields);

static const struct osm_field object_meta_fields[] = {
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("generateName"), OSM_FIELD_STRING, NULL},
    {SV_INIT("namespace"), OSM_FIELD_STRING, NULL},
    {SV_INIT("selfLink"), OSM_FIELD_STRING, NULL},
    {SV_INIT("uid"), OSM_FIELD_STRING, NULL},
    {SV_INIT("resourceVersion"), OSM_FIELD_STRING, NULL},
    {SV_INIT("generation"), OSM_FIELD_INT64, NULL},
    {SV_INIT("creationTimestamp"), OSM_FIELD_TIME, NULL},
    {SV_INIT("deletionTimestamp"), OSM_FIELD_TIME, NULL},
    {SV_INIT("deletionGracePeriodSeconds"), OSM_FIELD_INT64, NULL},
    {SV_INIT("labels"), OSM_FIELD_STRING_MAP, NULL},
    {SV_INIT("annotations"), OSM_FIELD_STRING_MAP, NULL},
    {SV_INIT("ownerReferences"), OSM_FIELD_STRUCT_LIST, &owner_reference},
    {SV_INIT("finalizers"), OSM_FIELD_STRING_LIST, NULL},
    {SV_INIT("managedFields"), OSM_FIELD_STRUCT_LIST, &managed_fields_entry},
};
static const struct osm_shape object_meta = SHAPE(object_meta_fields);

static const struct osm_field label_selector_requirement_fields[] = {
    {SV_INIT("key"), OSM_FIELD_STRING, NULL},
    {SV_INIT("operator"), OSM_FIELD_STRING, NULL},
    {SV_INIT("values"), OSM_FIELD_STRING_LIST, NULL},
};
static const struct osm_shape label_selector_requirement = SHAPE(label_selector_requirement_fields);

static const struct osm_field label_selector_fields[] = {
    {SV_INIT("matchLabels"), OSM_FIELD_STRING_MAP, NULL},
    {SV_INIT("matchExpressions"), OSM_FIELD_STRUCT_LIST, &label_selector_requirement},
};
static const struct osm_shape label_selector = SHAPE(label_selector_fields);

static const struct osm_field taint_fields[] = {
    {SV_INIT("key"), OSM_FIELD_STRING, NULL},
    {SV_INIT("value"), OSM_FIELD_STRING, NULL},
    {SV_INIT("effect"), OSM_FIELD_STRING, NULL},
    {SV_INIT("timeAdded"), OSM_FIELD_TIME, NULL},
};
static const struct osm_shape taint = SHAPE(taint_fields);

static const struct osm_field machine_class_ref_fields[] = {
    {SV_INIT("kind"), OSM_FIELD_STRING, NULL},
    {SV_INIT("namespace"), OSM_FIELD_STRING, NULL},
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("uid"), OSM_FIELD_STRING, NULL},
    {SV_INIT("apiVersion"), OSM_FIELD_STRING, NULL},
    {SV_INIT("resourceVersion"), OSM_FIELD_STRING, NULL},
    {SV_INIT("fieldPath"), OSM_FIELD_STRING, NULL},
    {SV_INIT("provider"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape machine_class_ref = SHAPE(machine_class_ref_fields);

static const struct osm_field provider_spec_source_fields[] = {
    {SV_INIT("machineClass"), OSM_FIELD_STRUCT, &machine_class_ref},
};
static const struct osm_shape provider_spec_source = SHAPE(provider_spec_source_fields);

static const struct osm_field provider_spec_fields[] = {
    {SV_INIT("value"), OSM_FIELD_RAW, NULL},
    {SV_INIT("valueFrom"), OSM_FIELD_STRUCT, &provider_spec_source},
};
static const struct osm_shape provider_spec = SHAPE(provider_spec_fields);

static const struct osm_field machine_version_info_fields[] = {
    {SV_INIT("kubelet"), OSM_FIELD_STRING, NULL},
    {SV_INIT("controlPlane"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape machine_version_info = SHAPE(machine_version_info_fields);

static const struct osm_field config_map_node_config_source_fields[] = {
    {SV_INIT("namespace"), OSM_FIELD_STRING, NULL},
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("uid"), OSM_FIELD_STRING, NULL},
    {SV_INIT("resourceVersion"), OSM_FIELD_STRING, NULL},
    {SV_INIT("kubeletConfigKey"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape config_map_node_config_source =
    SHAPE(config_map_node_config_source_fields);

static const struct osm_field node_config_source_fields[] = {
    {SV_INIT("configMap"), OSM_FIELD_STRUCT, &config_map_node_config_source},
};
static const struct osm_shape node_config_source = SHAPE(node_config_source_fields);

static const struct osm_field machine_spec_fields[] = {
    {SV_INIT("metadata"), OSM_FIELD_STRUCT, &object_meta},
    {SV_INIT("taints"), OSM_FIELD_STRUCT_LIST, &taint},
    {SV_INIT("providerSpec"), OSM_FIELD_STRUCT, &provider_spec},
    {SV_INIT("versions"), OSM_FIELD_STRUCT, &machine_version_info},
    {SV_INIT("configSource"), OSM_FIELD_STRUCT, &node_config_source},
    {SV_INIT("providerID"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape machine_spec = SHAPE(machine_spec_fields);

static const struct osm_field machine_template_spec_fields[] = {
    {SV_INIT("metadata"), OSM_FIELD_STRUCT, &object_meta},
    {SV_INIT("spec"), OSM_FIELD_STRUCT, &machine_spec},
};
static const struct osm_shape machine_template_spec = SHAPE(machine_template_spec_fields);

static const struct osm_field machine_rolling_update_deployment_fields[] = {
    {SV_INIT("maxUnavailable"), OSM_FIELD_INT_OR_STRING, NULL},
    {SV_INIT("maxSurge"), OSM_FIELD_INT_OR_STRING, NULL},
};
static const struct osm_shape machine_rolling_update_deployment =
    SHAPE(machine_rolling_update_deployment_fields);

static const struct osm_field machine_deployment_strategy_fields[] = {
    {SV_INIT("type"), OSM_FIELD_STRING, NULL},
    {SV_INIT("rollingUpdate"), OSM_FIELD_STRUCT, &machine_rolling_update_deployment},
};
static const struct osm_shape machine_deployment_strategy =
    SHAPE(machine_deployment_strategy_fields);

static const struct osm_field machine_deployment_spec_fields[] = {
    {SV_INIT("replicas"), OSM_FIELD_INT32, NULL},
    {SV_INIT("selector"), OSM_FIELD_STRUCT, &label_selector},
    {SV_INIT("template"), OSM_FIELD_STRUCT, &machine_template_spec},
    {SV_INIT("strategy"), OSM_FIELD_STRUCT, &machine_deployment_strategy},
    {SV_INIT("minReadySeconds"), OSM_FIELD_INT32, NULL},
    {SV_INIT("revisionHistoryLimit"), OSM_FIELD_INT32, NULL},
    {SV_INIT("paused"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("progressDeadlineSeconds"), OSM_FIELD_INT32, NULL},
};
static const struct osm_shape machine_deployment_spec = SHAPE(machine_deployment_spec_fields);

static const struct osm_field machine_deployment_status_fields[] = {
    {SV_INIT("observedGeneration"), OSM_FIELD_INT64, NULL},
    {SV_INIT("replicas"), OSM_FIELD_INT32, NULL},
    {SV_INIT("updatedReplicas"), OSM_FIELD_INT32, NULL},
    {SV_INIT("readyReplicas"), OSM_FIELD_INT32, NULL},
    {SV_INIT("availableReplicas"), OSM_FIELD_INT32, NULL},
    {SV_INIT("unavailableReplicas"), OSM_FIELD_INT32, NULL},
};
static const struct osm_shape machine_deployment_status = SHAPE(machine_deployment_status_fields);

static const struct osm_field machine_deployment_fields[] = {
    {SV_INIT("kind"), OSM_FIELD_STRING, NULL},
    {SV_INIT("apiVersion"), OSM_FIELD_STRING, NULL},
    {SV_INIT("metadata"), OSM_FIELD_STRUCT, &object_meta},
    {SV_INIT("spec"), OSM_FIELD_STRUCT, &machine_deployment_spec},
    {SV_INIT("status"), OSM_FIELD_STRUCT, &machine_deployment_status},
};
static const struct osm_shape machine_deployment = SHAPE(machine_deployment_fields);

static const struct osm_field global_secret_key_selector_fields[] = {
    {SV_INIT("kind"), OSM_FIELD_STRING, NULL},
    {SV_INIT("namespace"), OSM_FIELD_STRING, NULL},
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("uid"), OSM_FIELD_STRING, NULL},
    {SV_INIT("apiVersion"), OSM_FIELD_STRING, NULL},
    {SV_INIT("resourceVersion"), OSM_FIELD_STRING, NULL},
    {SV_INIT("fieldPath"), OSM_FIELD_STRING, NULL},
    {SV_INIT("key"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape global_secret_key_selector = SHAPE(global_secret_key_selector_fields);

static const struct osm_field global_config_map_key_selector_fields[] = {
    {SV_INIT("kind"), OSM_FIELD_STRING, NULL},
    {SV_INIT("namespace"), OSM_FIELD_STRING, NULL},
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("uid"), OSM_FIELD_STRING, NULL},
    {SV_INIT("apiVersion"), OSM_FIELD_STRING, NULL},
    {SV_INIT("resourceVersion"), OSM_FIELD_STRING, NULL},
    {SV_INIT("fieldPath"), OSM_FIELD_STRING, NULL},
    {SV_INIT("key"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape global_config_map_key_selector =
    SHAPE(global_config_map_key_selector_fields);

static const struct osm_field config_var_string_fields[] = {
    {SV_INIT("value"), OSM_FIELD_STRING, NULL},
    {SV_INIT("secretKeyRef"), OSM_FIELD_STRUCT, &global_secret_key_selector},
    {SV_INIT("configMapKeyRef"), OSM_FIELD_STRUCT, &global_config_map_key_selector},
};
static const struct osm_shape config_var_string = SHAPE(config_var_string_fields);

static const struct osm_field config_var_bool_fields[] = {
    {SV_INIT("value"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("secretKeyRef"), OSM_FIELD_STRUCT, &global_secret_key_selector},
    {SV_INIT("configMapKeyRef"), OSM_FIELD_STRUCT, &global_config_map_key_selector},
};
static const struct osm_shape config_var_bool = SHAPE(config_var_bool_fields);

const struct osm_shape *const osm_machine_shape = &machine_deployment;
const struct osm_shape *const osm_meta_shape = &object_meta;
const struct osm_shape *const osm_var_string_shape = &config_var_string;
const struct osm_shape *const osm_var_bool_shape = &config_var_bool;
