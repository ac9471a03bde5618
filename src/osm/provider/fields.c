/*
 * The fields of each cloud's cloudProviderSpec, with their types.
 * Made by tests/oracle/machines from machine-controller's SDK v1.66.0.
 */
#include "osm/admission/admission.h"

#define SHAPE(list)                                                                                \
	{                                                                                          \
		.fields = (list), .count = COUNT_OF(list)                                          \
	}

static const struct osm_field alibaba_raw_config_fields[] = {
    {SV_INIT("accessKeyID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("accessKeySecret"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("regionID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("instanceName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("instanceType"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("vSwitchID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("internetMaxBandwidthOut"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("labels"), OSM_FIELD_STRING_MAP, NULL},
    {SV_INIT("zoneID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("diskType"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("diskSize"), OSM_FIELD_VAR_STRING, NULL},
};
static const struct osm_shape alibaba_raw_config = SHAPE(alibaba_raw_config_fields);

static const struct osm_field anexia_raw_disk_fields[] = {
    {SV_INIT("size"), OSM_FIELD_INT64, NULL},
    {SV_INIT("performanceType"), OSM_FIELD_VAR_STRING, NULL},
};
static const struct osm_shape anexia_raw_disk = SHAPE(anexia_raw_disk_fields);

static const struct osm_field anexia_raw_network_fields[] = {
    {SV_INIT("vlan"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("prefixes"), OSM_FIELD_VAR_STRING_LIST, NULL},
};
static const struct osm_shape anexia_raw_network = SHAPE(anexia_raw_network_fields);

static const struct osm_field anexia_raw_config_fields[] = {
    {SV_INIT("token"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("locationID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("templateID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("template"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("templateBuild"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("cpus"), OSM_FIELD_INT64, NULL},
    {SV_INIT("cpuPerformanceType"), OSM_FIELD_STRING, NULL},
    {SV_INIT("memory"), OSM_FIELD_INT64, NULL},
    {SV_INIT("diskSize"), OSM_FIELD_INT64, NULL},
    {SV_INIT("disks"), OSM_FIELD_STRUCT_LIST, &anexia_raw_disk},
    {SV_INIT("vlanID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("networks"), OSM_FIELD_STRUCT_LIST, &anexia_raw_network},
};
static const struct osm_shape anexia_raw_config = SHAPE(anexia_raw_config_fields);

static const struct osm_field aws_spot_instance_config_fields[] = {
    {SV_INIT("maxPrice"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("persistentRequest"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("interruptionBehavior"), OSM_FIELD_VAR_STRING, NULL},
};
static const struct osm_shape aws_spot_instance_config = SHAPE(aws_spot_instance_config_fields);

static const struct osm_field aws_raw_config_fields[] = {
    {SV_INIT("accessKeyId"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("secretAccessKey"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("assumeRoleARN"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("assumeRoleExternalID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("region"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("availabilityZone"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("vpcId"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("subnetId"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("securityGroupIDs"), OSM_FIELD_VAR_STRING_LIST, NULL},
    {SV_INIT("instanceProfile"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("instanceType"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("ami"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("diskSize"), OSM_FIELD_INT32, NULL},
    {SV_INIT("diskType"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("diskIops"), OSM_FIELD_INT32, NULL},
    {SV_INIT("ebsVolumeEncrypted"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("tags"), OSM_FIELD_STRING_MAP, NULL},
    {SV_INIT("assignPublicIP"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("isSpotInstance"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("spotInstanceConfig"), OSM_FIELD_STRUCT, &aws_spot_instance_config},
};
static const struct osm_shape aws_raw_config = SHAPE(aws_raw_config_fields);

static const struct osm_field azure_image_plan_fields[] = {
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("publisher"), OSM_FIELD_STRING, NULL},
    {SV_INIT("product"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape azure_image_plan = SHAPE(azure_image_plan_fields);

static const struct osm_field azure_image_reference_fields[] = {
    {SV_INIT("publisher"), OSM_FIELD_STRING, NULL},
    {SV_INIT("offer"), OSM_FIELD_STRING, NULL},
    {SV_INIT("sku"), OSM_FIELD_STRING, NULL},
    {SV_INIT("version"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape azure_image_reference = SHAPE(azure_image_reference_fields);

static const struct osm_field azure_security_profile_fields[] = {
    {SV_INIT("securityType"), OSM_FIELD_STRING, NULL},
    {SV_INIT("secureBootEnabled"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("vTpmEnabled"), OSM_FIELD_BOOL, NULL},
};
static const struct osm_shape azure_security_profile = SHAPE(azure_security_profile_fields);

static const struct osm_field azure_raw_config_fields[] = {
    {SV_INIT("subscriptionID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("tenantID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("clientID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("clientSecret"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("location"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("resourceGroup"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("vnetResourceGroup"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("vmSize"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("vnetName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("subnetName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("loadBalancerSku"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("routeTableName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("availabilitySet"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("assignAvailabilitySet"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("securityGroupName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("zones"), OSM_FIELD_STRING_LIST, NULL},
    {SV_INIT("imagePlan"), OSM_FIELD_STRUCT, &azure_image_plan},
    {SV_INIT("imageReference"), OSM_FIELD_STRUCT, &azure_image_reference},
    {SV_INIT("enableAcceleratedNetworking"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("enableBootDiagnostics"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("imageID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("osDiskSize"), OSM_FIELD_INT32, NULL},
    {SV_INIT("osDiskSKU"), OSM_FIELD_STRING, NULL},
    {SV_INIT("dataDiskSize"), OSM_FIELD_INT32, NULL},
    {SV_INIT("dataDiskSKU"), OSM_FIELD_STRING, NULL},
    {SV_INIT("assignPublicIP"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("publicIPSKU"), OSM_FIELD_STRING, NULL},
    {SV_INIT("tags"), OSM_FIELD_STRING_MAP, NULL},
    {SV_INIT("securityProfile"), OSM_FIELD_STRUCT, &azure_security_profile},
};
static const struct osm_shape azure_raw_config = SHAPE(azure_raw_config_fields);

static const struct osm_field baremetal_raw_config_fields[] = {
    {SV_INIT("driver"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("driverSpec"), OSM_FIELD_RAW, NULL},
};
static const struct osm_shape baremetal_raw_config = SHAPE(baremetal_raw_config_fields);

static const struct osm_field digitalocean_raw_config_fields[] = {
    {SV_INIT("token"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("region"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("size"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("backups"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("ipv6"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("private_networking"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("monitoring"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("tags"), OSM_FIELD_VAR_STRING_LIST, NULL},
};
static const struct osm_shape digitalocean_raw_config = SHAPE(digitalocean_raw_config_fields);

static const struct osm_field equinixmetal_raw_config_fields[] = {
    {SV_INIT("token"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("projectID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("billingCycle"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("instanceType"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("metro"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("facilities"), OSM_FIELD_VAR_STRING_LIST, NULL},
    {SV_INIT("tags"), OSM_FIELD_VAR_STRING_LIST, NULL},
};
static const struct osm_shape equinixmetal_raw_config = SHAPE(equinixmetal_raw_config_fields);

static const struct osm_field gce_cloud_provider_spec_fields[] = {
    {SV_INIT("serviceAccount"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("zone"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("machineType"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("diskSize"), OSM_FIELD_INT64, NULL},
    {SV_INIT("diskType"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("network"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("subnetwork"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("preemptible"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("automaticRestart"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("provisioningModel"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("labels"), OSM_FIELD_STRING_MAP, NULL},
    {SV_INIT("tags"), OSM_FIELD_STRING_LIST, NULL},
    {SV_INIT("assignPublicIPAddress"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("multizone"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("regional"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("customImage"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("disableMachineServiceAccount"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("enableNestedVirtualization"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("minCPUPlatform"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("guestOSFeatures"), OSM_FIELD_STRING_LIST, NULL},
    {SV_INIT("projectID"), OSM_FIELD_VAR_STRING, NULL},
};
static const struct osm_shape gce_cloud_provider_spec = SHAPE(gce_cloud_provider_spec_fields);

static const struct osm_field hetzner_raw_config_fields[] = {
    {SV_INIT("token"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("serverType"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("datacenter"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("image"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("location"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("placementGroupPrefix"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("networks"), OSM_FIELD_VAR_STRING_LIST, NULL},
    {SV_INIT("firewalls"), OSM_FIELD_VAR_STRING_LIST, NULL},
    {SV_INIT("labels"), OSM_FIELD_STRING_MAP, NULL},
    {SV_INIT("assignPublicIPv4"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("assignPublicIPv6"), OSM_FIELD_VAR_BOOL, NULL},
};
static const struct osm_shape hetzner_raw_config = SHAPE(hetzner_raw_config_fields);

static const struct osm_field kubevirt_auth_fields[] = {
    {SV_INIT("kubeconfig"), OSM_FIELD_VAR_STRING, NULL},
};
static const struct osm_shape kubevirt_auth = SHAPE(kubevirt_auth_fields);

static const struct osm_field kubevirt_flavor_fields[] = {
    {SV_INIT("name"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("profile"), OSM_FIELD_VAR_STRING, NULL},
};
static const struct osm_shape kubevirt_flavor = SHAPE(kubevirt_flavor_fields);

static const struct osm_field instancetype_matcher_fields[] = {
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("kind"), OSM_FIELD_STRING, NULL},
    {SV_INIT("revisionName"), OSM_FIELD_STRING, NULL},
    {SV_INIT("inferFromVolume"), OSM_FIELD_STRING, NULL},
    {SV_INIT("inferFromVolumeFailurePolicy"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape instancetype_matcher = SHAPE(instancetype_matcher_fields);

static const struct osm_field preference_matcher_fields[] = {
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("kind"), OSM_FIELD_STRING, NULL},
    {SV_INIT("revisionName"), OSM_FIELD_STRING, NULL},
    {SV_INIT("inferFromVolume"), OSM_FIELD_STRING, NULL},
    {SV_INIT("inferFromVolumeFailurePolicy"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape preference_matcher = SHAPE(preference_matcher_fields);

static const struct osm_field kubevirt_vcpus_fields[] = {
    {SV_INIT("cores"), OSM_FIELD_INT64, NULL},
};
static const struct osm_shape kubevirt_vcpus = SHAPE(kubevirt_vcpus_fields);

static const struct osm_field kubevirt_primary_disk_fields[] = {
    {SV_INIT("size"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("storageClassName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("storageAccessType"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("dataVolumeSecretRef"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("extraHeaders"), OSM_FIELD_STRING_LIST, NULL},
    {SV_INIT("extraHeadersSecretRef"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("storageTarget"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("osImage"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("source"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("pullMethod"), OSM_FIELD_VAR_STRING, NULL},
};
static const struct osm_shape kubevirt_primary_disk = SHAPE(kubevirt_primary_disk_fields);

static const struct osm_field kubevirt_secondary_disks_fields[] = {
    {SV_INIT("size"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("storageClassName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("storageAccessType"), OSM_FIELD_VAR_STRING, NULL},
};
static const struct osm_shape kubevirt_secondary_disks = SHAPE(kubevirt_secondary_disks_fields);

static const struct osm_field kubevirt_template_fields[] = {
    {SV_INIT("vcpus"), OSM_FIELD_STRUCT, &kubevirt_vcpus},
    {SV_INIT("cpus"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("memory"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("primaryDisk"), OSM_FIELD_STRUCT, &kubevirt_primary_disk},
    {SV_INIT("secondaryDisks"), OSM_FIELD_STRUCT_LIST, &kubevirt_secondary_disks},
};
static const struct osm_shape kubevirt_template = SHAPE(kubevirt_template_fields);

static const struct osm_field pod_dnsconfig_option_fields[] = {
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("value"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape pod_dnsconfig_option = SHAPE(pod_dnsconfig_option_fields);

static const struct osm_field pod_dnsconfig_fields[] = {
    {SV_INIT("nameservers"), OSM_FIELD_STRING_LIST, NULL},
    {SV_INIT("searches"), OSM_FIELD_STRING_LIST, NULL},
    {SV_INIT("options"), OSM_FIELD_STRUCT_LIST, &pod_dnsconfig_option},
};
static const struct osm_shape pod_dnsconfig = SHAPE(pod_dnsconfig_fields);

static const struct osm_field kubevirt_location_fields[] = {
    {SV_INIT("region"), OSM_FIELD_STRING, NULL},
    {SV_INIT("zone"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape kubevirt_location = SHAPE(kubevirt_location_fields);

static const struct osm_field kubevirt_subnet_fields[] = {
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape kubevirt_subnet = SHAPE(kubevirt_subnet_fields);

static const struct osm_field kubevirt_vpc_fields[] = {
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("subnet"), OSM_FIELD_STRUCT, &kubevirt_subnet},
};
static const struct osm_shape kubevirt_vpc = SHAPE(kubevirt_vpc_fields);

static const struct osm_field kubevirt_provider_network_fields[] = {
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("vpc"), OSM_FIELD_STRUCT, &kubevirt_vpc},
};
static const struct osm_shape kubevirt_provider_network = SHAPE(kubevirt_provider_network_fields);

static const struct osm_field kubevirt_virtual_machine_fields[] = {
    {SV_INIT("flavor"), OSM_FIELD_STRUCT, &kubevirt_flavor},
    {SV_INIT("instancetype"), OSM_FIELD_STRUCT, &instancetype_matcher},
    {SV_INIT("preference"), OSM_FIELD_STRUCT, &preference_matcher},
    {SV_INIT("template"), OSM_FIELD_STRUCT, &kubevirt_template},
    {SV_INIT("dnsPolicy"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("dnsConfig"), OSM_FIELD_STRUCT, &pod_dnsconfig},
    {SV_INIT("location"), OSM_FIELD_STRUCT, &kubevirt_location},
    {SV_INIT("providerNetwork"), OSM_FIELD_STRUCT, &kubevirt_provider_network},
    {SV_INIT("enableNetworkMultiQueue"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("evictionStrategy"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape kubevirt_virtual_machine = SHAPE(kubevirt_virtual_machine_fields);

static const struct osm_field kubevirt_node_affinity_preset_fields[] = {
    {SV_INIT("type"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("key"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("values"), OSM_FIELD_VAR_STRING_LIST, NULL},
};
static const struct osm_shape kubevirt_node_affinity_preset =
    SHAPE(kubevirt_node_affinity_preset_fields);

static const struct osm_field kubevirt_affinity_fields[] = {
    {SV_INIT("podAffinityPreset"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("podAntiAffinityPreset"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("nodeAffinityPreset"), OSM_FIELD_STRUCT, &kubevirt_node_affinity_preset},
};
static const struct osm_shape kubevirt_affinity = SHAPE(kubevirt_affinity_fields);

static const struct osm_field kubevirt_topology_spread_constraint_fields[] = {
    {SV_INIT("maxSkew"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("topologyKey"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("whenUnsatisfiable"), OSM_FIELD_VAR_STRING, NULL},
};
static const struct osm_shape kubevirt_topology_spread_constraint =
    SHAPE(kubevirt_topology_spread_constraint_fields);

static const struct osm_field kubevirt_raw_config_fields[] = {
    {SV_INIT("clusterName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("projectID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("auth"), OSM_FIELD_STRUCT, &kubevirt_auth},
    {SV_INIT("virtualMachine"), OSM_FIELD_STRUCT, &kubevirt_virtual_machine},
    {SV_INIT("affinity"), OSM_FIELD_STRUCT, &kubevirt_affinity},
    {SV_INIT("topologySpreadConstraints"), OSM_FIELD_STRUCT_LIST,
     &kubevirt_topology_spread_constraint},
};
static const struct osm_shape kubevirt_raw_config = SHAPE(kubevirt_raw_config_fields);

static const struct osm_field linode_raw_config_fields[] = {
    {SV_INIT("token"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("region"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("type"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("backups"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("private_networking"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("tags"), OSM_FIELD_VAR_STRING_LIST, NULL},
};
static const struct osm_shape linode_raw_config = SHAPE(linode_raw_config_fields);

static const struct osm_field nutanix_raw_config_fields[] = {
    {SV_INIT("endpoint"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("port"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("username"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("password"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("allowInsecure"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("proxyURL"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("clusterName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("projectName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("subnetName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("additionalSubnetNames"), OSM_FIELD_STRING_LIST, NULL},
    {SV_INIT("imageName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("cpus"), OSM_FIELD_INT64, NULL},
    {SV_INIT("cpuCores"), OSM_FIELD_INT64, NULL},
    {SV_INIT("cpuPassthrough"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("memoryMB"), OSM_FIELD_INT64, NULL},
    {SV_INIT("diskSize"), OSM_FIELD_INT64, NULL},
    {SV_INIT("categories"), OSM_FIELD_STRING_MAP, NULL},
};
static const struct osm_shape nutanix_raw_config = SHAPE(nutanix_raw_config_fields);

static const struct osm_field opennebula_raw_config_fields[] = {
    {SV_INIT("username"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("password"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("endpoint"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("cpu"), OSM_FIELD_FLOAT, NULL},
    {SV_INIT("vcpu"), OSM_FIELD_INT64, NULL},
    {SV_INIT("memory"), OSM_FIELD_INT64, NULL},
    {SV_INIT("image"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("datastore"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("diskSize"), OSM_FIELD_INT64, NULL},
    {SV_INIT("network"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("enableVNC"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("vmTemplateExtra"), OSM_FIELD_STRING_MAP, NULL},
};
static const struct osm_shape opennebula_raw_config = SHAPE(opennebula_raw_config_fields);

static const struct osm_field openstack_raw_config_fields[] = {
    {SV_INIT("identityEndpoint"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("username"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("password"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("applicationCredentialID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("applicationCredentialSecret"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("domainName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("projectName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("projectID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("tenantName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("tenantID"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("tokenId"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("region"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("instanceReadyCheckPeriod"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("instanceReadyCheckTimeout"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("computeAPIVersion"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("image"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("flavor"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("securityGroups"), OSM_FIELD_VAR_STRING_LIST, NULL},
    {SV_INIT("network"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("networks"), OSM_FIELD_VAR_STRING_LIST, NULL},
    {SV_INIT("subnet"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("floatingIpPool"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("availabilityZone"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("trustDevicePath"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("rootDiskSizeGB"), OSM_FIELD_INT64, NULL},
    {SV_INIT("rootDiskVolumeType"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("nodeVolumeAttachLimit"), OSM_FIELD_UINT64, NULL},
    {SV_INIT("serverGroup"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("configDrive"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("disablePortSecurity"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("tags"), OSM_FIELD_STRING_MAP, NULL},
};
static const struct osm_shape openstack_raw_config = SHAPE(openstack_raw_config_fields);

static const struct osm_field scaleway_raw_config_fields[] = {
    {SV_INIT("accessKey"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("secretKey"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("projectId"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("zone"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("commercialType"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("ipv6"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("tags"), OSM_FIELD_STRING_LIST, NULL},
};
static const struct osm_shape scaleway_raw_config = SHAPE(scaleway_raw_config_fields);

static const struct osm_field vmwareclouddirector_raw_config_fields[] = {
    {SV_INIT("username"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("password"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("apiToken"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("organization"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("url"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("vdc"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("allowInsecure"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("vapp"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("template"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("catalog"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("placementPolicy"), OSM_FIELD_STRING, NULL},
    {SV_INIT("network"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("networks"), OSM_FIELD_VAR_STRING_LIST, NULL},
    {SV_INIT("ipAllocationMode"), OSM_FIELD_STRING, NULL},
    {SV_INIT("cpus"), OSM_FIELD_INT64, NULL},
    {SV_INIT("cpuCores"), OSM_FIELD_INT64, NULL},
    {SV_INIT("memoryMB"), OSM_FIELD_INT64, NULL},
    {SV_INIT("sizingPolicy"), OSM_FIELD_STRING, NULL},
    {SV_INIT("diskSizeGB"), OSM_FIELD_INT64, NULL},
    {SV_INIT("diskBusType"), OSM_FIELD_STRING, NULL},
    {SV_INIT("diskIOPS"), OSM_FIELD_INT64, NULL},
    {SV_INIT("storageProfile"), OSM_FIELD_STRING, NULL},
    {SV_INIT("metadata"), OSM_FIELD_STRING_MAP, NULL},
};
static const struct osm_shape vmwareclouddirector_raw_config =
    SHAPE(vmwareclouddirector_raw_config_fields);

static const struct osm_field vsphere_tag_fields[] = {
    {SV_INIT("description"), OSM_FIELD_STRING, NULL},
    {SV_INIT("id"), OSM_FIELD_STRING, NULL},
    {SV_INIT("name"), OSM_FIELD_STRING, NULL},
    {SV_INIT("categoryID"), OSM_FIELD_STRING, NULL},
};
static const struct osm_shape vsphere_tag = SHAPE(vsphere_tag_fields);

static const struct osm_field vsphere_raw_config_fields[] = {
    {SV_INIT("templateVMName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("vmNetName"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("networks"), OSM_FIELD_VAR_STRING_LIST, NULL},
    {SV_INIT("username"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("password"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("vsphereURL"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("datacenter"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("cluster"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("folder"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("resourcePool"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("datastoreCluster"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("datastore"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("cpus"), OSM_FIELD_INT32, NULL},
    {SV_INIT("memoryMB"), OSM_FIELD_INT64, NULL},
    {SV_INIT("diskSizeGB"), OSM_FIELD_INT64, NULL},
    {SV_INIT("tags"), OSM_FIELD_STRUCT_LIST, &vsphere_tag},
    {SV_INIT("allowInsecure"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("vmAntiAffinity"), OSM_FIELD_VAR_BOOL, NULL},
    {SV_INIT("vmGroup"), OSM_FIELD_VAR_STRING, NULL},
};
static const struct osm_shape vsphere_raw_config = SHAPE(vsphere_raw_config_fields);

static const struct osm_field vultr_raw_config_fields[] = {
    {SV_INIT("physicalMachine"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("apiKey"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("region"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("plan"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("osId"), OSM_FIELD_VAR_STRING, NULL},
    {SV_INIT("tags"), OSM_FIELD_STRING_LIST, NULL},
    {SV_INIT("vpcId"), OSM_FIELD_STRING_LIST, NULL},
    {SV_INIT("vpc2Id"), OSM_FIELD_STRING_LIST, NULL},
    {SV_INIT("enableVPC"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("enableVPC2"), OSM_FIELD_BOOL, NULL},
    {SV_INIT("enableIPv6"), OSM_FIELD_BOOL, NULL},
};
static const struct osm_shape vultr_raw_config = SHAPE(vultr_raw_config_fields);

static const struct cloud {
	sv name;
	const struct osm_shape *shape;
} clouds[] = {
    {SV_INIT("alibaba"), &alibaba_raw_config},
    {SV_INIT("anexia"), &anexia_raw_config},
    {SV_INIT("aws"), &aws_raw_config},
    {SV_INIT("azure"), &azure_raw_config},
    {SV_INIT("baremetal"), &baremetal_raw_config},
    {SV_INIT("digitalocean"), &digitalocean_raw_config},
    {SV_INIT("equinixmetal"), &equinixmetal_raw_config},
    {SV_INIT("gce"), &gce_cloud_provider_spec},
    {SV_INIT("hetzner"), &hetzner_raw_config},
    {SV_INIT("kubevirt"), &kubevirt_raw_config},
    {SV_INIT("linode"), &linode_raw_config},
    {SV_INIT("nutanix"), &nutanix_raw_config},
    {SV_INIT("opennebula"), &opennebula_raw_config},
    {SV_INIT("openstack"), &openstack_raw_config},
    {SV_INIT("scaleway"), &scaleway_raw_config},
    {SV_INIT("vmware-cloud-director"), &vmwareclouddirector_raw_config},
    {SV_INIT("vsphere"), &vsphere_raw_config},
    {SV_INIT("vultr"), &vultr_raw_config},
};

const struct osm_shape *osm_cloud_shape(sv cloud_provider)
{
	for (size_t i = 0; i < COUNT_OF(clouds); i++)
		if (sv_eq(cloud_provider, clouds[i].name))
			return clouds[i].shape;
	return NULL;
}
