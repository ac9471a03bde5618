/*
 * The fields of each cloud's cloudProviderSpec, with their types.
 * Made by tests/oracle/machines from machine-controller's SDK v1.66.0 and its help.go.
 */
#include "osm/admission/admission.h"

/* clang-format off */

/* Nothing complains of members that a type does not have. */
#define OPEN_SHAPE(text, list) {.name = (text), .members = (list), .count = COUNT_OF(list), .is_open = true}

/* A ConfigVarString. */
#define VAR(key, words)    SHAPE_ROW(key, SCALAR, ONE, words, .of = &config_var_string)
#define SECRET(key, words) SHAPE_ROW(key, SCALAR, ONE, words, .of = &config_var_string, .flags = SHAPE_SECRET)

static const struct shape_member global_secret_key_selector_members[] = {
    SHAPE_ROW("kind", TEXT, ONE, "unused"),
    SHAPE_ROW("namespace", TEXT, ONE, "namespace of the Secret, mostly kube-system"),
    SHAPE_ROW("name", TEXT, ONE, "name of the Secret"),
    SHAPE_ROW("uid", TEXT, ONE, "unused"),
    SHAPE_ROW("apiVersion", TEXT, ONE, "unused"),
    SHAPE_ROW("resourceVersion", TEXT, ONE, "unused"),
    SHAPE_ROW("fieldPath", TEXT, ONE, "unused"),
    SHAPE_ROW("key", TEXT, ONE, "key in the Secret's data"),
};
static const struct shape global_secret_key_selector = OPEN_SHAPE("GlobalSecretKeySelector", global_secret_key_selector_members);

static const struct shape_member global_config_map_key_selector_members[] = {
    SHAPE_ROW("kind", TEXT, ONE, "unused"),
    SHAPE_ROW("namespace", TEXT, ONE, "namespace of the ConfigMap, mostly kube-system"),
    SHAPE_ROW("name", TEXT, ONE, "name of the ConfigMap"),
    SHAPE_ROW("uid", TEXT, ONE, "unused"),
    SHAPE_ROW("apiVersion", TEXT, ONE, "unused"),
    SHAPE_ROW("resourceVersion", TEXT, ONE, "unused"),
    SHAPE_ROW("fieldPath", TEXT, ONE, "unused"),
    SHAPE_ROW("key", TEXT, ONE, "key in the ConfigMap's data"),
};
static const struct shape global_config_map_key_selector = OPEN_SHAPE("GlobalConfigMapKeySelector", global_config_map_key_selector_members);

static const struct shape_member config_var_string_members[] = {
    SHAPE_ROW("value", TEXT, ONE, "the value itself"),
    SHAPE_ROW("secretKeyRef", MAP, ONE, "a key of a Secret that holds the value", .of = &global_secret_key_selector),
    SHAPE_ROW("configMapKeyRef", MAP, ONE, "a key of a ConfigMap that holds the value", .of = &global_config_map_key_selector),
};
static const struct shape config_var_string = OPEN_SHAPE("ConfigVarString", config_var_string_members);

static const struct shape_member config_var_bool_members[] = {
    SHAPE_ROW("value", BOOL, ONE, "true or false"),
    SHAPE_ROW("secretKeyRef", MAP, ONE, "a key of a Secret that holds true or false", .of = &global_secret_key_selector),
    SHAPE_ROW("configMapKeyRef", MAP, ONE, "a key of a ConfigMap that holds true or false", .of = &global_config_map_key_selector),
};
static const struct shape config_var_bool = OPEN_SHAPE("ConfigVarBool", config_var_bool_members);

static const struct shape_member alibaba_members[] = {
    SECRET("accessKeyID", "ID of the API key"),
    SECRET("accessKeySecret", "secret of the API key"),
    VAR("regionID", "region, such as eu-central-1"),
    VAR("instanceName", "name of the instances"),
    VAR("instanceType", "size of the machines, such as ecs.t1.xsmall"),
    VAR("vSwitchID", "ID of the vSwitch that machines are attached to"),
    VAR("internetMaxBandwidthOut", "outgoing bandwidth in Mbit/s"),
    SHAPE_ROW("labels", TEXT, DICT, "tags of the instances"),
    VAR("zoneID", "zone in the region, such as eu-central-1a"),
    VAR("diskType", "category of the system disk, such as cloud_efficiency"),
    VAR("diskSize", "size of the system disk in GiB"),
};
static const struct shape alibaba = SHAPE("alibaba", alibaba_members);

static const struct shape_member anexia_raw_disk_members[] = {
    SHAPE_ROW("size", INT, ONE, "size in GiB"),
    VAR("performanceType", "kind of disk, such as ENT6"),
};
static const struct shape anexia_raw_disk = SHAPE("anexia.RawDisk", anexia_raw_disk_members);

static const struct shape_member anexia_raw_network_members[] = {
    VAR("vlan", "ID of the VLAN of the interface"),
    SHAPE_ROW("prefixes", SCALAR, LIST, "IDs of prefixes; each machine gets an address of each", .of = &config_var_string),
};
static const struct shape anexia_raw_network = SHAPE("anexia.RawNetwork", anexia_raw_network_members);

static const struct shape_member anexia_members[] = {
    SECRET("token", "token of the Anexia Engine"),
    VAR("locationID", "ID of the location where machines are made"),
    VAR("templateID", "ID of the template; template names the newest of a system"),
    VAR("template", "name of the template, such as Flatcar Linux Stable"),
    VAR("templateBuild", "build of the named template, such as b73 (default the newest)"),
    SHAPE_ROW("cpus", INT, ONE, "number of virtual CPUs"),
    SHAPE_ROW("cpuPerformanceType", TEXT, ONE, "kind of CPU, such as performance"),
    SHAPE_ROW("memory", INT, ONE, "memory in MiB"),
    SHAPE_ROW("diskSize", INT, ONE, "size of the disk in GiB; disks replaces it"),
    SHAPE_ROW("disks", MAP, LIST, "disks of a machine, the system's first", .of = &anexia_raw_disk),
    VAR("vlanID", "ID of the VLAN; networks replaces it"),
    SHAPE_ROW("networks", MAP, LIST, "network interfaces of a machine", .of = &anexia_raw_network),
};
static const struct shape anexia = SHAPE("anexia", anexia_members);

static const struct shape_member aws_spot_instance_config_members[] = {
    VAR("maxPrice", "most that an hour may cost, in US dollars"),
    SHAPE_ROW("persistentRequest", BOOL, ONE, "true to ask again after AWS took the instance back", .of = &config_var_bool),
    VAR("interruptionBehavior", "terminate, stop or hibernate; the last two need a persistent request"),
};
static const struct shape aws_spot_instance_config = SHAPE("aws.SpotInstanceConfig", aws_spot_instance_config_members);

static const struct shape_member aws_members[] = {
    SECRET("accessKeyId", "ID of the API key"),
    SECRET("secretAccessKey", "secret of the API key"),
    VAR("assumeRoleARN", "role that is assumed to make machines, as an ARN"),
    VAR("assumeRoleExternalID", "external ID that the role asks for"),
    VAR("region", "region, such as eu-central-1"),
    VAR("availabilityZone", "zone in the region, such as eu-central-1a"),
    VAR("vpcId", "ID of the VPC"),
    VAR("subnetId", "ID of the subnet, which is in the availability zone"),
    SHAPE_ROW("securityGroupIDs", SCALAR, LIST, "IDs of the security groups of the machines", .of = &config_var_string),
    VAR("instanceProfile", "instance profile that gives machines their rights"),
    VAR("instanceType", "size of the machines, such as t3.medium"),
    VAR("ami", "ID of the image (default the newest of the operating system)"),
    SHAPE_ROW("diskSize", INT32, ONE, "size of the root volume in GiB"),
    VAR("diskType", "type of the root volume: standard, gp2, gp3, io1, sc1 or st1"),
    SHAPE_ROW("diskIops", INT32, ONE, "operations per second: for io1 (100 to 64000) a must, for gp3 from 3000"),
    SHAPE_ROW("ebsVolumeEncrypted", BOOL, ONE, "true to encrypt the root volume", .of = &config_var_bool),
    SHAPE_ROW("tags", TEXT, DICT, "tags of the instances"),
    SHAPE_ROW("assignPublicIP", BOOL, ONE, "false for machines without a public address (default true)"),
    SHAPE_ROW("isSpotInstance", BOOL, ONE, "true for spot instances, which AWS may take back"),
    SHAPE_ROW("spotInstanceConfig", MAP, ONE, "conditions for spot instances", .of = &aws_spot_instance_config),
};
static const struct shape aws = SHAPE("aws", aws_members);

static const struct shape_member azure_image_plan_members[] = {
    SHAPE_ROW("name", TEXT, ONE, "name of the plan"),
    SHAPE_ROW("publisher", TEXT, ONE, "publisher of the image"),
    SHAPE_ROW("product", TEXT, ONE, "offer that the plan belongs to"),
};
static const struct shape azure_image_plan = SHAPE("azure.ImagePlan", azure_image_plan_members);

static const struct shape_member azure_image_reference_members[] = {
    SHAPE_ROW("publisher", TEXT, ONE, "publisher, such as Canonical"),
    SHAPE_ROW("offer", TEXT, ONE, "offer, such as ubuntu-24_04-lts"),
    SHAPE_ROW("sku", TEXT, ONE, "variant of the offer, such as server"),
    SHAPE_ROW("version", TEXT, ONE, "version of the image, or latest"),
};
static const struct shape azure_image_reference = SHAPE("azure.ImageReference", azure_image_reference_members);

static const struct shape_member azure_security_profile_members[] = {
    SHAPE_ROW("securityType", TEXT, ONE, "TrustedLaunch or Standard"),
    SHAPE_ROW("secureBootEnabled", BOOL, ONE, "true to run signed boot loaders and kernels only"),
    SHAPE_ROW("vTpmEnabled", BOOL, ONE, "true for a virtual TPM"),
};
static const struct shape azure_security_profile = SHAPE("azure.SecurityProfile", azure_security_profile_members);

static const struct shape_member azure_members[] = {
    VAR("subscriptionID", "ID of the subscription"),
    VAR("tenantID", "ID of the tenant"),
    VAR("clientID", "ID of the application that logs in"),
    SECRET("clientSecret", "secret of the application that logs in"),
    VAR("location", "region, such as westeurope"),
    VAR("resourceGroup", "resource group of the machines"),
    VAR("vnetResourceGroup", "resource group of the virtual network (default resourceGroup)"),
    VAR("vmSize", "size of the machines, such as Standard_D2s_v5"),
    VAR("vnetName", "name of the virtual network"),
    VAR("subnetName", "name of the subnet"),
    VAR("loadBalancerSku", "kind of load balancers: basic or standard"),
    VAR("routeTableName", "name of the route table"),
    VAR("availabilitySet", "name of the availability set"),
    SHAPE_ROW("assignAvailabilitySet", BOOL, ONE, "true to put machines into the availability set"),
    VAR("securityGroupName", "name of the network security group"),
    SHAPE_ROW("zones", TEXT, LIST, "availability zones, such as \"1\""),
    SHAPE_ROW("imagePlan", MAP, ONE, "plan of an image from the marketplace", .of = &azure_image_plan),
    SHAPE_ROW("imageReference", MAP, ONE, "an image from the marketplace", .of = &azure_image_reference),
    SHAPE_ROW("enableAcceleratedNetworking", BOOL, ONE, "true for accelerated networking, which the size must support"),
    SHAPE_ROW("enableBootDiagnostics", BOOL, ONE, "true to keep the console's output"),
    VAR("imageID", "ID of an image of your own"),
    SHAPE_ROW("osDiskSize", INT32, ONE, "size of the system disk in GiB (default the image's)"),
    SHAPE_ROW("osDiskSKU", TEXT, ONE, "kind of the system disk, such as Premium_LRS"),
    SHAPE_ROW("dataDiskSize", INT32, ONE, "size of a second disk in GiB (default no such disk)"),
    SHAPE_ROW("dataDiskSKU", TEXT, ONE, "kind of the second disk, such as StandardSSD_LRS"),
    SHAPE_ROW("assignPublicIP", BOOL, ONE, "true for machines with a public address", .of = &config_var_bool),
    SHAPE_ROW("publicIPSKU", TEXT, ONE, "kind of the public address: basic or standard"),
    SHAPE_ROW("tags", TEXT, DICT, "tags of the machines"),
    SHAPE_ROW("securityProfile", MAP, ONE, "trusted launch and secure boot", .of = &azure_security_profile),
};
static const struct shape azure = SHAPE("azure", azure_members);

static const struct shape_member baremetal_members[] = {
    VAR("driver", "program that provisions the machines: tinkerbell"),
    SHAPE_ROW("driverSpec", ANY, ONE, "settings of the driver"),
};
static const struct shape baremetal = SHAPE("baremetal", baremetal_members);

static const struct shape_member digitalocean_members[] = {
    SECRET("token", "token of the API"),
    VAR("region", "region, such as fra1"),
    VAR("size", "size of the droplets, such as s-2vcpu-4gb"),
    SHAPE_ROW("backups", BOOL, ONE, "true for backups", .of = &config_var_bool),
    SHAPE_ROW("ipv6", BOOL, ONE, "true for an IPv6 address", .of = &config_var_bool),
    SHAPE_ROW("private_networking", BOOL, ONE, "true for a private network", .of = &config_var_bool),
    SHAPE_ROW("monitoring", BOOL, ONE, "true for DigitalOcean's monitoring agent", .of = &config_var_bool),
    SHAPE_ROW("tags", SCALAR, LIST, "tags of the droplets", .of = &config_var_string),
};
static const struct shape digitalocean = SHAPE("digitalocean", digitalocean_members);

static const struct shape_member equinixmetal_members[] = {
    SECRET("token", "token of the API"),
    VAR("projectID", "ID of the project"),
    VAR("billingCycle", "hourly or daily (default hourly)"),
    VAR("instanceType", "plan of the machines, such as c3.small.x86"),
    VAR("metro", "metropolitan area, such as FR; or else facilities"),
    SHAPE_ROW("facilities", SCALAR, LIST, "data centers in which machines may be; or else metro", .of = &config_var_string),
    SHAPE_ROW("tags", SCALAR, LIST, "tags of the machines", .of = &config_var_string),
};
static const struct shape equinixmetal = SHAPE("equinixmetal", equinixmetal_members);

static const struct shape_member gce_members[] = {
    SECRET("serviceAccount", "key of a service account, a JSON file as base64"),
    VAR("zone", "zone, such as europe-west3-a"),
    VAR("machineType", "size of the machines, such as e2-standard-2"),
    SHAPE_ROW("diskSize", INT, ONE, "size of the boot disk in GB (default 25)"),
    VAR("diskType", "kind of the boot disk: pd-standard or pd-ssd (default pd-standard)"),
    VAR("network", "network, such as global/networks/default"),
    VAR("subnetwork", "subnetwork, such as projects/P/regions/R/subnetworks/S"),
    SHAPE_ROW("preemptible", BOOL, ONE, "true for machines that Google may stop, at most a day old", .of = &config_var_bool),
    SHAPE_ROW("automaticRestart", BOOL, ONE, "true to start machines again that Google stopped", .of = &config_var_bool),
    VAR("provisioningModel", "STANDARD or SPOT"),
    SHAPE_ROW("labels", TEXT, DICT, "labels of the instances"),
    SHAPE_ROW("tags", TEXT, LIST, "network tags of the instances, which firewall rules name"),
    SHAPE_ROW("assignPublicIPAddress", BOOL, ONE, "false for machines without a public address (default true)", .of = &config_var_bool),
    SHAPE_ROW("multizone", BOOL, ONE, "true if the cluster has nodes in several zones", .of = &config_var_bool),
    SHAPE_ROW("regional", BOOL, ONE, "true for disks of the whole region", .of = &config_var_bool),
    VAR("customImage", "an image of your own in the place of the operating system's"),
    SHAPE_ROW("disableMachineServiceAccount", BOOL, ONE, "true for machines without the service account", .of = &config_var_bool),
    SHAPE_ROW("enableNestedVirtualization", BOOL, ONE, "true to let machines run virtual machines", .of = &config_var_bool),
    VAR("minCPUPlatform", "oldest CPU that will do, such as Intel Haswell"),
    SHAPE_ROW("guestOSFeatures", TEXT, LIST, "features of the image, such as GVNIC"),
    VAR("projectID", "ID of the project (default that of the service account)"),
};
static const struct shape gce = SHAPE("gce", gce_members);

static const struct shape_member hetzner_members[] = {
    SECRET("token", "token of the API"),
    VAR("serverType", "size of the servers, such as cx32"),
    VAR("datacenter", "replaced by location"),
    VAR("image", "name of the image (default the operating system's)"),
    VAR("location", "location, such as fsn1"),
    VAR("placementGroupPrefix", "where names of placement groups begin, which spread servers over hosts"),
    SHAPE_ROW("networks", SCALAR, LIST, "names or IDs of private networks", .of = &config_var_string),
    SHAPE_ROW("firewalls", SCALAR, LIST, "names or IDs of firewalls", .of = &config_var_string),
    SHAPE_ROW("labels", TEXT, DICT, "labels of the servers"),
    SHAPE_ROW("assignPublicIPv4", BOOL, ONE, "false for servers without a public IPv4 address (default true)", .of = &config_var_bool),
    SHAPE_ROW("assignPublicIPv6", BOOL, ONE, "false for servers without a public IPv6 address (default true)", .of = &config_var_bool),
};
static const struct shape hetzner = SHAPE("hetzner", hetzner_members);

static const struct shape_member kubevirt_auth_members[] = {
    SECRET("kubeconfig", "kubeconfig of the infrastructure cluster, perhaps as base64"),
};
static const struct shape kubevirt_auth = SHAPE("kubevirt.Auth", kubevirt_auth_members);

static const struct shape_member kubevirt_flavor_members[] = {
    VAR("name", "name of the flavor"),
    VAR("profile", "profile of the flavor"),
};
static const struct shape kubevirt_flavor = SHAPE("kubevirt.Flavor", kubevirt_flavor_members);

static const struct shape_member instancetype_matcher_members[] = {
    SHAPE_ROW("name", TEXT, ONE, "name of the instance type"),
    SHAPE_ROW("kind", TEXT, ONE, "VirtualMachineInstancetype or VirtualMachineClusterInstancetype"),
    SHAPE_ROW("revisionName", TEXT, ONE, "a ControllerRevision that holds a copy of it"),
    SHAPE_ROW("inferFromVolume", TEXT, ONE, "name of a volume whose labels name the instance type"),
    SHAPE_ROW("inferFromVolumeFailurePolicy", TEXT, ONE, "Reject or Ignore, when the volume names none"),
};
static const struct shape instancetype_matcher = SHAPE("InstancetypeMatcher", instancetype_matcher_members);

static const struct shape_member preference_matcher_members[] = {
    SHAPE_ROW("name", TEXT, ONE, "name of the preference"),
    SHAPE_ROW("kind", TEXT, ONE, "VirtualMachinePreference or VirtualMachineClusterPreference"),
    SHAPE_ROW("revisionName", TEXT, ONE, "a ControllerRevision that holds a copy of it"),
    SHAPE_ROW("inferFromVolume", TEXT, ONE, "name of a volume whose labels name the preference"),
    SHAPE_ROW("inferFromVolumeFailurePolicy", TEXT, ONE, "Reject or Ignore, when the volume names none"),
};
static const struct shape preference_matcher = SHAPE("PreferenceMatcher", preference_matcher_members);

static const struct shape_member kubevirt_vcpus_members[] = {
    SHAPE_ROW("cores", INT, ONE, "number of cores"),
};
static const struct shape kubevirt_vcpus = SHAPE("kubevirt.VCPUs", kubevirt_vcpus_members);

static const struct shape_member kubevirt_primary_disk_members[] = {
    VAR("size", "size, such as 20Gi"),
    VAR("storageClassName", "storage class of the infrastructure cluster"),
    VAR("storageAccessType", "ReadWriteOnce or ReadWriteMany"),
    VAR("dataVolumeSecretRef", "Secret with user and password for the download of the image"),
    SHAPE_ROW("extraHeaders", TEXT, LIST, "HTTP headers for the download of the image"),
    VAR("extraHeadersSecretRef", "Secret with HTTP headers for the download of the image"),
    VAR("storageTarget", "storage or pvc: which part of the data volume describes the disk"),
    VAR("osImage", "image: a URL, or the name of a PVC or data volume"),
    VAR("source", "where the image is: http, registry or pvc"),
    VAR("pullMethod", "node or pod: who pulls an image from a registry (default node)"),
};
static const struct shape kubevirt_primary_disk = SHAPE("kubevirt.PrimaryDisk", kubevirt_primary_disk_members);

static const struct shape_member kubevirt_secondary_disks_members[] = {
    VAR("size", "size, such as 20Gi"),
    VAR("storageClassName", "storage class of the infrastructure cluster"),
    VAR("storageAccessType", "ReadWriteOnce or ReadWriteMany"),
};
static const struct shape kubevirt_secondary_disks = SHAPE("kubevirt.SecondaryDisks", kubevirt_secondary_disks_members);

static const struct shape_member kubevirt_template_members[] = {
    SHAPE_ROW("vcpus", MAP, ONE, "virtual CPUs that share those of the host, or else cpus", .of = &kubevirt_vcpus),
    VAR("cpus", "CPUs of the host, such as \"2\", or else vcpus"),
    VAR("memory", "memory, such as 4Gi"),
    SHAPE_ROW("primaryDisk", MAP, ONE, "the system disk", .of = &kubevirt_primary_disk),
    SHAPE_ROW("secondaryDisks", MAP, LIST, "further disks", .of = &kubevirt_secondary_disks),
};
static const struct shape kubevirt_template = SHAPE("kubevirt.Template", kubevirt_template_members);

static const struct shape_member pod_dnsconfig_option_members[] = {
    SHAPE_ROW("name", TEXT, ONE, "name of the option, such as ndots"),
    SHAPE_ROW("value", TEXT, ONE, "value of the option"),
};
static const struct shape pod_dnsconfig_option = SHAPE("PodDNSConfigOption", pod_dnsconfig_option_members);

static const struct shape_member pod_dnsconfig_members[] = {
    SHAPE_ROW("nameservers", TEXT, LIST, "addresses of name servers"),
    SHAPE_ROW("searches", TEXT, LIST, "domains in which short names are looked up"),
    SHAPE_ROW("options", MAP, LIST, "options of the resolver", .of = &pod_dnsconfig_option),
};
static const struct shape pod_dnsconfig = SHAPE("PodDNSConfig", pod_dnsconfig_members);

static const struct shape_member kubevirt_location_members[] = {
    SHAPE_ROW("region", TEXT, ONE, "region, a label of infrastructure nodes"),
    SHAPE_ROW("zone", TEXT, ONE, "zone, a label of infrastructure nodes"),
};
static const struct shape kubevirt_location = SHAPE("kubevirt.Location", kubevirt_location_members);

static const struct shape_member kubevirt_subnet_members[] = {
    SHAPE_ROW("name", TEXT, ONE, "name of the subnet"),
};
static const struct shape kubevirt_subnet = SHAPE("kubevirt.Subnet", kubevirt_subnet_members);

static const struct shape_member kubevirt_vpc_members[] = {
    SHAPE_ROW("name", TEXT, ONE, "name of the VPC"),
    SHAPE_ROW("subnet", MAP, ONE, "the subnet", .of = &kubevirt_subnet),
};
static const struct shape kubevirt_vpc = SHAPE("kubevirt.VPC", kubevirt_vpc_members);

static const struct shape_member kubevirt_provider_network_members[] = {
    SHAPE_ROW("name", TEXT, ONE, "kind of network, such as kubeovn"),
    SHAPE_ROW("vpc", MAP, ONE, "the VPC", .of = &kubevirt_vpc),
};
static const struct shape kubevirt_provider_network = SHAPE("kubevirt.ProviderNetwork", kubevirt_provider_network_members);

static const struct shape_member kubevirt_virtual_machine_members[] = {
    SHAPE_ROW("flavor", MAP, ONE, "replaced by instancetype and preference", .of = &kubevirt_flavor),
    SHAPE_ROW("instancetype", MAP, ONE, "instance type of KubeVirt, which sets CPUs and memory", .of = &instancetype_matcher),
    SHAPE_ROW("preference", MAP, ONE, "preference of KubeVirt, which sets devices and firmware", .of = &preference_matcher),
    SHAPE_ROW("template", MAP, ONE, "CPUs, memory and disks", .of = &kubevirt_template),
    VAR("dnsPolicy", "ClusterFirst, ClusterFirstWithHostNet, Default or None"),
    SHAPE_ROW("dnsConfig", MAP, ONE, "name servers; a must if dnsPolicy is None", .of = &pod_dnsconfig),
    SHAPE_ROW("location", MAP, ONE, "region and zone of the infrastructure cluster", .of = &kubevirt_location),
    SHAPE_ROW("providerNetwork", MAP, ONE, "network of the infrastructure cluster", .of = &kubevirt_provider_network),
    SHAPE_ROW("enableNetworkMultiQueue", BOOL, ONE, "true for a network queue for each CPU", .of = &config_var_bool),
    SHAPE_ROW("evictionStrategy", TEXT, ONE, "what happens when an infrastructure node is drained: External or LiveMigrate"),
};
static const struct shape kubevirt_virtual_machine = SHAPE("kubevirt.VirtualMachine", kubevirt_virtual_machine_members);

static const struct shape_member kubevirt_node_affinity_preset_members[] = {
    VAR("type", "hard for a must, soft for a wish"),
    VAR("key", "key of the label"),
    SHAPE_ROW("values", SCALAR, LIST, "values that will do", .of = &config_var_string),
};
static const struct shape kubevirt_node_affinity_preset = SHAPE("kubevirt.NodeAffinityPreset", kubevirt_node_affinity_preset_members);

static const struct shape_member kubevirt_affinity_members[] = {
    VAR("podAffinityPreset", "replaced by topologySpreadConstraints"),
    VAR("podAntiAffinityPreset", "replaced by topologySpreadConstraints"),
    SHAPE_ROW("nodeAffinityPreset", MAP, ONE, "labels that infrastructure nodes have", .of = &kubevirt_node_affinity_preset),
};
static const struct shape kubevirt_affinity = SHAPE("kubevirt.Affinity", kubevirt_affinity_members);

static const struct shape_member kubevirt_topology_spread_constraint_members[] = {
    VAR("maxSkew", "by how many virtual machines two places may differ"),
    VAR("topologyKey", "label of infrastructure nodes that tells places apart"),
    VAR("whenUnsatisfiable", "DoNotSchedule or ScheduleAnyway"),
};
static const struct shape kubevirt_topology_spread_constraint = SHAPE("kubevirt.TopologySpreadConstraint", kubevirt_topology_spread_constraint_members);

static const struct shape_member kubevirt_members[] = {
    VAR("clusterName", "name of the cluster, which labels its virtual machines"),
    VAR("projectID", "ID of the project in Kubermatic"),
    SHAPE_ROW("auth", MAP, ONE, "access to the infrastructure cluster", .of = &kubevirt_auth),
    SHAPE_ROW("virtualMachine", MAP, ONE, "the virtual machine", .of = &kubevirt_virtual_machine),
    SHAPE_ROW("affinity", MAP, ONE, "on which infrastructure nodes virtual machines run", .of = &kubevirt_affinity),
    SHAPE_ROW("topologySpreadConstraints", MAP, LIST, "how virtual machines are spread over infrastructure nodes", .of = &kubevirt_topology_spread_constraint),
};
static const struct shape kubevirt = SHAPE("kubevirt", kubevirt_members);

static const struct shape_member linode_members[] = {
    SECRET("token", "token of the API"),
    VAR("region", "region, such as eu-central"),
    VAR("type", "size of the machines, such as g6-standard-2"),
    SHAPE_ROW("backups", BOOL, ONE, "true for backups", .of = &config_var_bool),
    SHAPE_ROW("private_networking", BOOL, ONE, "true for a private address", .of = &config_var_bool),
    SHAPE_ROW("tags", SCALAR, LIST, "tags of the machines", .of = &config_var_string),
};
static const struct shape linode = SHAPE("linode", linode_members);

static const struct shape_member nutanix_members[] = {
    VAR("endpoint", "host name or address of Prism Central"),
    VAR("port", "port of Prism Central (default 9440)"),
    VAR("username", "user of Prism Central"),
    SECRET("password", "the user's password"),
    SHAPE_ROW("allowInsecure", BOOL, ONE, "true to accept any certificate", .of = &config_var_bool),
    VAR("proxyURL", "URL of a proxy on the way to Prism Central"),
    VAR("clusterName", "name of the Nutanix cluster"),
    VAR("projectName", "name of the project"),
    VAR("subnetName", "name of the subnet"),
    SHAPE_ROW("additionalSubnetNames", TEXT, LIST, "names of further subnets, an interface for each"),
    VAR("imageName", "name of the image"),
    SHAPE_ROW("cpus", INT, ONE, "number of virtual CPUs"),
    SHAPE_ROW("cpuCores", INT, ONE, "cores of each CPU (default 1)"),
    SHAPE_ROW("cpuPassthrough", BOOL, ONE, "true to show machines the CPU of the host"),
    SHAPE_ROW("memoryMB", INT, ONE, "memory in MiB"),
    SHAPE_ROW("diskSize", INT, ONE, "size of the disk in GiB (default the image's)"),
    SHAPE_ROW("categories", TEXT, DICT, "categories of the machines, with their values"),
};
static const struct shape nutanix = SHAPE("nutanix", nutanix_members);

static const struct shape_member opennebula_members[] = {
    VAR("username", "user of the API"),
    SECRET("password", "the user's password"),
    VAR("endpoint", "URL of the API, such as https://one.example.com/RPC2"),
    SHAPE_ROW("cpu", FLOAT, ONE, "share of physical CPUs, such as 0.5"),
    SHAPE_ROW("vcpu", INT, ONE, "number of virtual CPUs"),
    SHAPE_ROW("memory", INT, ONE, "memory in MiB"),
    VAR("image", "name of the image"),
    VAR("datastore", "name of the datastore for the disk"),
    SHAPE_ROW("diskSize", INT, ONE, "size of the disk in MiB"),
    VAR("network", "name of the network"),
    SHAPE_ROW("enableVNC", BOOL, ONE, "true for a console over VNC", .of = &config_var_bool),
    SHAPE_ROW("vmTemplateExtra", TEXT, DICT, "further attributes of the machine's template"),
};
static const struct shape opennebula = SHAPE("opennebula", opennebula_members);

static const struct shape_member openstack_members[] = {
    VAR("identityEndpoint", "URL of Keystone, with /v3"),
    VAR("username", "user of the API"),
    SECRET("password", "the user's password"),
    VAR("applicationCredentialID", "ID of an application credential, in the place of a user"),
    SECRET("applicationCredentialSecret", "secret of the application credential"),
    VAR("domainName", "domain of the user and project"),
    VAR("projectName", "name of the project, or else projectID"),
    VAR("projectID", "ID of the project, or else projectName"),
    VAR("tenantName", "older name of projectName"),
    VAR("tenantID", "older name of projectID"),
    SECRET("tokenId", "token of the API, in the place of a user"),
    VAR("region", "region (default the only one that there is)"),
    VAR("instanceReadyCheckPeriod", "time between looks whether a machine is up (default 5s)"),
    VAR("instanceReadyCheckTimeout", "time until which a machine must be up (default 10s)"),
    VAR("computeAPIVersion", "microversion of Nova's API"),
    VAR("image", "name or ID of the image"),
    VAR("flavor", "size of the machines, such as m1.medium"),
    SHAPE_ROW("securityGroups", SCALAR, LIST, "names of the security groups", .of = &config_var_string),
    VAR("network", "name or ID of the network (default the only one that there is)"),
    SHAPE_ROW("networks", SCALAR, LIST, "names or IDs of networks, an interface for each", .of = &config_var_string),
    VAR("subnet", "name or ID of the subnet (default the network's only one)"),
    VAR("floatingIpPool", "network of floating addresses (default no such address)"),
    VAR("availabilityZone", "availability zone (default the only one that there is)"),
    SHAPE_ROW("trustDevicePath", BOOL, ONE, "true if the cloud names a volume's device rightly", .of = &config_var_bool),
    SHAPE_ROW("rootDiskSizeGB", INT, ONE, "size of a volume for the root disk in GiB (default the flavor's disk)"),
    VAR("rootDiskVolumeType", "type of that volume"),
    SHAPE_ROW("nodeVolumeAttachLimit", UINT, ONE, "most volumes that a node can have"),
    VAR("serverGroup", "name or ID of a server group, which spreads machines over hosts"),
    SHAPE_ROW("configDrive", BOOL, ONE, "true to give machines their user-data on a drive", .of = &config_var_bool),
    SHAPE_ROW("disablePortSecurity", BOOL, ONE, "true for ports without security groups and checks of addresses", .of = &config_var_bool),
    SHAPE_ROW("tags", TEXT, DICT, "metadata of the servers"),
};
static const struct shape openstack = SHAPE("openstack", openstack_members);

static const struct shape_member scaleway_members[] = {
    SECRET("accessKey", "ID of the API key, SCW and 17 characters"),
    SECRET("secretKey", "secret of the API key, a UUID"),
    VAR("projectId", "ID of the project"),
    VAR("zone", "zone, such as fr-par-1"),
    VAR("commercialType", "size of the machines, such as DEV1-M"),
    SHAPE_ROW("ipv6", BOOL, ONE, "true for an IPv6 address", .of = &config_var_bool),
    SHAPE_ROW("tags", TEXT, LIST, "tags of the machines"),
};
static const struct shape scaleway = SHAPE("scaleway", scaleway_members);

static const struct shape_member vmwareclouddirector_members[] = {
    VAR("username", "user of the API, or else apiToken"),
    SECRET("password", "the user's password"),
    SECRET("apiToken", "token of the API, in the place of a user"),
    VAR("organization", "name of the organization"),
    VAR("url", "URL of the API, such as https://vcd.example.com/api"),
    VAR("vdc", "name of the virtual data center"),
    SHAPE_ROW("allowInsecure", BOOL, ONE, "true to accept any certificate", .of = &config_var_bool),
    VAR("vapp", "name of the vApp that machines are in"),
    VAR("template", "name of the template in the catalog"),
    VAR("catalog", "name of the catalog"),
    SHAPE_ROW("placementPolicy", TEXT, ONE, "name of a policy where machines run"),
    VAR("network", "replaced by networks"),
    SHAPE_ROW("networks", SCALAR, LIST, "names of networks, an interface for each", .of = &config_var_string),
    SHAPE_ROW("ipAllocationMode", TEXT, ONE, "where addresses come from: DHCP or POOL (default DHCP)"),
    SHAPE_ROW("cpus", INT, ONE, "number of virtual CPUs"),
    SHAPE_ROW("cpuCores", INT, ONE, "cores of each socket"),
    SHAPE_ROW("memoryMB", INT, ONE, "memory in MiB"),
    SHAPE_ROW("sizingPolicy", TEXT, ONE, "name of a policy for sizes"),
    SHAPE_ROW("diskSizeGB", INT, ONE, "size of the disk in GiB (default the template's)"),
    SHAPE_ROW("diskBusType", TEXT, ONE, "bus of the disk, such as sata (default paravirtual)"),
    SHAPE_ROW("diskIOPS", INT, ONE, "operations per second of the disk (default 0, no limit)"),
    SHAPE_ROW("storageProfile", TEXT, ONE, "storage policy of the disk"),
    SHAPE_ROW("metadata", TEXT, DICT, "metadata of the machines"),
};
static const struct shape vmwareclouddirector = SHAPE("vmwareclouddirector", vmwareclouddirector_members);

static const struct shape_member vsphere_tag_members[] = {
    SHAPE_ROW("description", TEXT, ONE, "description of the tag"),
    SHAPE_ROW("id", TEXT, ONE, "ID of the tag, or else its name"),
    SHAPE_ROW("name", TEXT, ONE, "name of the tag, or else its ID"),
    SHAPE_ROW("categoryID", TEXT, ONE, "ID of the tag's category"),
};
static const struct shape vsphere_tag = SHAPE("vsphere.Tag", vsphere_tag_members);

static const struct shape_member vsphere_members[] = {
    VAR("templateVMName", "name of the template that machines are cloned from"),
    VAR("vmNetName", "replaced by networks"),
    SHAPE_ROW("networks", SCALAR, LIST, "names of networks, an interface for each", .of = &config_var_string),
    VAR("username", "user of vCenter"),
    SECRET("password", "the user's password"),
    VAR("vsphereURL", "URL of vCenter"),
    VAR("datacenter", "name of the data center"),
    VAR("cluster", "name of the compute cluster; a must for vmAntiAffinity and vmGroup"),
    VAR("folder", "folder of the machines, as a path"),
    VAR("resourcePool", "resource pool of the machines"),
    VAR("datastoreCluster", "datastore cluster for the disks, or else datastore"),
    VAR("datastore", "datastore for the disks, or else datastoreCluster"),
    SHAPE_ROW("cpus", INT32, ONE, "number of virtual CPUs"),
    SHAPE_ROW("memoryMB", INT, ONE, "memory in MiB"),
    SHAPE_ROW("diskSizeGB", INT, ONE, "size of the disk in GiB, not below the template's (default the template's)"),
    SHAPE_ROW("tags", MAP, LIST, "tags of the machines", .of = &vsphere_tag),
    SHAPE_ROW("allowInsecure", BOOL, ONE, "true to accept any certificate", .of = &config_var_bool),
    SHAPE_ROW("vmAntiAffinity", BOOL, ONE, "true to keep the machines on different hosts", .of = &config_var_bool),
    VAR("vmGroup", "group of virtual machines that the machines join"),
};
static const struct shape vsphere = SHAPE("vsphere", vsphere_members);

static const struct shape_member vultr_members[] = {
    SHAPE_ROW("physicalMachine", BOOL, ONE, "true for bare metal"),
    SECRET("apiKey", "key of the API"),
    VAR("region", "region, such as fra"),
    VAR("plan", "size of the machines, such as vc2-2c-4gb"),
    VAR("osId", "ID of the image of the operating system"),
    SHAPE_ROW("tags", TEXT, LIST, "tags of the machines"),
    SHAPE_ROW("vpcId", TEXT, LIST, "IDs of VPCs"),
    SHAPE_ROW("vpc2Id", TEXT, LIST, "IDs of VPCs of the second generation"),
    SHAPE_ROW("enableVPC", BOOL, ONE, "true to attach machines to a VPC"),
    SHAPE_ROW("enableVPC2", BOOL, ONE, "true to attach machines to a VPC of the second generation"),
    SHAPE_ROW("enableIPv6", BOOL, ONE, "true for an IPv6 address"),
};
static const struct shape vultr = SHAPE("vultr", vultr_members);

static const struct cloud {
	sv name;
	const struct shape *shape;
} clouds[] = {
    {SV_INIT("alibaba"), &alibaba},
    {SV_INIT("anexia"), &anexia},
    {SV_INIT("aws"), &aws},
    {SV_INIT("azure"), &azure},
    {SV_INIT("baremetal"), &baremetal},
    {SV_INIT("digitalocean"), &digitalocean},
    {SV_INIT("equinixmetal"), &equinixmetal},
    {SV_INIT("gce"), &gce},
    {SV_INIT("hetzner"), &hetzner},
    {SV_INIT("kubevirt"), &kubevirt},
    {SV_INIT("linode"), &linode},
    {SV_INIT("nutanix"), &nutanix},
    {SV_INIT("opennebula"), &opennebula},
    {SV_INIT("openstack"), &openstack},
    {SV_INIT("scaleway"), &scaleway},
    {SV_INIT("vmware-cloud-director"), &vmwareclouddirector},
    {SV_INIT("vsphere"), &vsphere},
    {SV_INIT("vultr"), &vultr},
};

const struct shape *osm_cloud_shape(sv cloud_provider)
{
	for (size_t i = 0; i < COUNT_OF(clouds); i++)
		if (sv_eq(cloud_provider, clouds[i].name))
			return clouds[i].shape;
	return NULL;
}
