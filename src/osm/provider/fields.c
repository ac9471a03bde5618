/*
 * The fields of each cloud's cloudProviderSpec, with their types.
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

/* A ConfigVarString. */
#define VAR(key, words) ROW(key, SCALAR, ONE, &config_var_string, words)
#define SECRET(key, words)                                                                         \
	{                                                                                          \
		CELLS(key, SCALAR, ONE, &config_var_string, words), .flags = SHAPE_SECRET          \
	}

static const struct shape_member global_secret_key_selector_members[] = {
    ROW("kind", TEXT, ONE, NULL, "unused"),
    ROW("namespace", TEXT, ONE, NULL, "namespace of the Secret, mostly kube-system"),
    ROW("name", TEXT, ONE, NULL, "name of the Secret"),
    ROW("uid", TEXT, ONE, NULL, "unused"),
    ROW("apiVersion", TEXT, ONE, NULL, "unused"),
    ROW("resourceVersion", TEXT, ONE, NULL, "unused"),
    ROW("fieldPath", TEXT, ONE, NULL, "unused"),
    ROW("key", TEXT, ONE, NULL, "key in the Secret's data"),
};
static const struct shape global_secret_key_selector =
    OPEN_SHAPE("GlobalSecretKeySelector", global_secret_key_selector_members);

static const struct shape_member global_config_map_key_selector_members[] = {
    ROW("kind", TEXT, ONE, NULL, "unused"),
    ROW("namespace", TEXT, ONE, NULL, "namespace of the ConfigMap, mostly kube-system"),
    ROW("name", TEXT, ONE, NULL, "name of the ConfigMap"),
    ROW("uid", TEXT, ONE, NULL, "unused"),
    ROW("apiVersion", TEXT, ONE, NULL, "unused"),
    ROW("resourceVersion", TEXT, ONE, NULL, "unused"),
    ROW("fieldPath", TEXT, ONE, NULL, "unused"),
    ROW("key", TEXT, ONE, NULL, "key in the ConfigMap's data"),
};
static const struct shape global_config_map_key_selector =
    OPEN_SHAPE("GlobalConfigMapKeySelector", global_config_map_key_selector_members);

static const struct shape_member config_var_string_members[] = {
    ROW("value", TEXT, ONE, NULL, "the value itself"),
    ROW("secretKeyRef", MAP, ONE, &global_secret_key_selector,
        "a key of a Secret that holds the value"),
    ROW("configMapKeyRef", MAP, ONE, &global_config_map_key_selector,
        "a key of a ConfigMap that holds the value"),
};
static const struct shape config_var_string =
    OPEN_SHAPE("ConfigVarString", config_var_string_members);

static const struct shape_member config_var_bool_members[] = {
    ROW("value", BOOL, ONE, NULL, "true or false"),
    ROW("secretKeyRef", MAP, ONE, &global_secret_key_selector,
        "a key of a Secret that holds true or false"),
    ROW("configMapKeyRef", MAP, ONE, &global_config_map_key_selector,
        "a key of a ConfigMap that holds true or false"),
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
    ROW("labels", TEXT, DICT, NULL, "tags of the instances"),
    VAR("zoneID", "zone in the region, such as eu-central-1a"),
    VAR("diskType", "category of the system disk, such as cloud_efficiency"),
    VAR("diskSize", "size of the system disk in GiB"),
};
static const struct shape alibaba = SHAPE("alibaba", alibaba_members);

static const struct shape_member anexia_raw_disk_members[] = {
    ROW("size", INT, ONE, NULL, "size in GiB"),
    VAR("performanceType", "kind of disk, such as ENT6"),
};
static const struct shape anexia_raw_disk = SHAPE("anexia.RawDisk", anexia_raw_disk_members);

static const struct shape_member anexia_raw_network_members[] = {
    VAR("vlan", "ID of the VLAN of the interface"),
    ROW("prefixes", SCALAR, LIST, &config_var_string,
        "IDs of prefixes; each machine gets an address of each"),
};
static const struct shape anexia_raw_network =
    SHAPE("anexia.RawNetwork", anexia_raw_network_members);

static const struct shape_member anexia_members[] = {
    SECRET("token", "token of the Anexia Engine"),
    VAR("locationID", "ID of the location where machines are made"),
    VAR("templateID", "ID of the template; template names the newest of a system"),
    VAR("template", "name of the template, such as Flatcar Linux Stable"),
    VAR("templateBuild", "build of the named template, such as b73 (default the newest)"),
    ROW("cpus", INT, ONE, NULL, "number of virtual CPUs"),
    ROW("cpuPerformanceType", TEXT, ONE, NULL, "kind of CPU, such as performance"),
    ROW("memory", INT, ONE, NULL, "memory in MiB"),
    ROW("diskSize", INT, ONE, NULL, "size of the disk in GiB; disks replaces it"),
    ROW("disks", MAP, LIST, &anexia_raw_disk, "disks of a machine, the system's first"),
    VAR("vlanID", "ID of the VLAN; networks replaces it"),
    ROW("networks", MAP, LIST, &anexia_raw_network, "network interfaces of a machine"),
};
static const struct shape anexia = SHAPE("anexia", anexia_members);

static const struct shape_member aws_spot_instance_config_members[] = {
    VAR("maxPrice", "most that an hour may cost, in US dollars"),
    ROW("persistentRequest", BOOL, ONE, &config_var_bool,
        "true to ask again after AWS took the instance back"),
    VAR("interruptionBehavior",
        "terminate, stop or hibernate; the last two need a persistent request"),
};
static const struct shape aws_spot_instance_config =
    SHAPE("aws.SpotInstanceConfig", aws_spot_instance_config_members);

static const struct shape_member aws_members[] = {
    SECRET("accessKeyId", "ID of the API key"),
    SECRET("secretAccessKey", "secret of the API key"),
    VAR("assumeRoleARN", "role that is assumed to make machines, as an ARN"),
    VAR("assumeRoleExternalID", "external ID that the role asks for"),
    VAR("region", "region, such as eu-central-1"),
    VAR("availabilityZone", "zone in the region, such as eu-central-1a"),
    VAR("vpcId", "ID of the VPC"),
    VAR("subnetId", "ID of the subnet, which is in the availability zone"),
    ROW("securityGroupIDs", SCALAR, LIST, &config_var_string,
        "IDs of the security groups of the machines"),
    VAR("instanceProfile", "instance profile that gives machines their rights"),
    VAR("instanceType", "size of the machines, such as t3.medium"),
    VAR("ami", "ID of the image (default the newest of the operating system)"),
    ROW("diskSize", INT32, ONE, NULL, "size of the root volume in GiB"),
    VAR("diskType", "type of the root volume: standard, gp2, gp3, io1, sc1 or st1"),
    ROW("diskIops", INT32, ONE, NULL,
        "operations per second: for io1 (100 to 64000) a must, for gp3 from 3000"),
    ROW("ebsVolumeEncrypted", BOOL, ONE, &config_var_bool, "true to encrypt the root volume"),
    ROW("tags", TEXT, DICT, NULL, "tags of the instances"),
    ROW("assignPublicIP", BOOL, ONE, NULL,
        "false for machines without a public address (default true)"),
    ROW("isSpotInstance", BOOL, ONE, NULL, "true for spot instances, which AWS may take back"),
    ROW("spotInstanceConfig", MAP, ONE, &aws_spot_instance_config, "conditions for spot instances"),
};
static const struct shape aws = SHAPE("aws", aws_members);

static const struct shape_member azure_image_plan_members[] = {
    ROW("name", TEXT, ONE, NULL, "name of the plan"),
    ROW("publisher", TEXT, ONE, NULL, "publisher of the image"),
    ROW("product", TEXT, ONE, NULL, "offer that the plan belongs to"),
};
static const struct shape azure_image_plan = SHAPE("azure.ImagePlan", azure_image_plan_members);

static const struct shape_member azure_image_reference_members[] = {
    ROW("publisher", TEXT, ONE, NULL, "publisher, such as Canonical"),
    ROW("offer", TEXT, ONE, NULL, "offer, such as ubuntu-24_04-lts"),
    ROW("sku", TEXT, ONE, NULL, "variant of the offer, such as server"),
    ROW("version", TEXT, ONE, NULL, "version of the image, or latest"),
};
static const struct shape azure_image_reference =
    SHAPE("azure.ImageReference", azure_image_reference_members);

static const struct shape_member azure_security_profile_members[] = {
    ROW("securityType", TEXT, ONE, NULL, "TrustedLaunch or Standard"),
    ROW("secureBootEnabled", BOOL, ONE, NULL, "true to run signed boot loaders and kernels only"),
    ROW("vTpmEnabled", BOOL, ONE, NULL, "true for a virtual TPM"),
};
static const struct shape azure_security_profile =
    SHAPE("azure.SecurityProfile", azure_security_profile_members);

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
    ROW("assignAvailabilitySet", BOOL, ONE, NULL, "true to put machines into the availability set"),
    VAR("securityGroupName", "name of the network security group"),
    ROW("zones", TEXT, LIST, NULL, "availability zones, such as \"1\""),
    ROW("imagePlan", MAP, ONE, &azure_image_plan, "plan of an image from the marketplace"),
    ROW("imageReference", MAP, ONE, &azure_image_reference, "an image from the marketplace"),
    ROW("enableAcceleratedNetworking", BOOL, ONE, NULL,
        "true for accelerated networking, which the size must support"),
    ROW("enableBootDiagnostics", BOOL, ONE, NULL, "true to keep the console's output"),
    VAR("imageID", "ID of an image of your own"),
    ROW("osDiskSize", INT32, ONE, NULL, "size of the system disk in GiB (default the image's)"),
    ROW("osDiskSKU", TEXT, ONE, NULL, "kind of the system disk, such as Premium_LRS"),
    ROW("dataDiskSize", INT32, ONE, NULL, "size of a second disk in GiB (default no such disk)"),
    ROW("dataDiskSKU", TEXT, ONE, NULL, "kind of the second disk, such as StandardSSD_LRS"),
    ROW("assignPublicIP", BOOL, ONE, &config_var_bool, "true for machines with a public address"),
    ROW("publicIPSKU", TEXT, ONE, NULL, "kind of the public address: basic or standard"),
    ROW("tags", TEXT, DICT, NULL, "tags of the machines"),
    ROW("securityProfile", MAP, ONE, &azure_security_profile, "trusted launch and secure boot"),
};
static const struct shape azure = SHAPE("azure", azure_members);

static const struct shape_member baremetal_members[] = {
    VAR("driver", "program that provisions the machines: tinkerbell"),
    ROW("driverSpec", ANY, ONE, NULL, "settings of the driver"),
};
static const struct shape baremetal = SHAPE("baremetal", baremetal_members);

static const struct shape_member digitalocean_members[] = {
    SECRET("token", "token of the API"),
    VAR("region", "region, such as fra1"),
    VAR("size", "size of the droplets, such as s-2vcpu-4gb"),
    ROW("backups", BOOL, ONE, &config_var_bool, "true for backups"),
    ROW("ipv6", BOOL, ONE, &config_var_bool, "true for an IPv6 address"),
    ROW("private_networking", BOOL, ONE, &config_var_bool, "true for a private network"),
    ROW("monitoring", BOOL, ONE, &config_var_bool, "true for DigitalOcean's monitoring agent"),
    ROW("tags", SCALAR, LIST, &config_var_string, "tags of the droplets"),
};
static const struct shape digitalocean = SHAPE("digitalocean", digitalocean_members);

static const struct shape_member equinixmetal_members[] = {
    SECRET("token", "token of the API"),
    VAR("projectID", "ID of the project"),
    VAR("billingCycle", "hourly or daily (default hourly)"),
    VAR("instanceType", "plan of the machines, such as c3.small.x86"),
    VAR("metro", "metropolitan area, such as FR; or else facilities"),
    ROW("facilities", SCALAR, LIST, &config_var_string,
        "data centers in which machines may be; or else metro"),
    ROW("tags", SCALAR, LIST, &config_var_string, "tags of the machines"),
};
static const struct shape equinixmetal = SHAPE("equinixmetal", equinixmetal_members);

static const struct shape_member gce_members[] = {
    SECRET("serviceAccount", "key of a service account, a JSON file as base64"),
    VAR("zone", "zone, such as europe-west3-a"),
    VAR("machineType", "size of the machines, such as e2-standard-2"),
    ROW("diskSize", INT, ONE, NULL, "size of the boot disk in GB (default 25)"),
    VAR("diskType", "kind of the boot disk: pd-standard or pd-ssd (default pd-standard)"),
    VAR("network", "network, such as global/networks/default"),
    VAR("subnetwork", "subnetwork, such as projects/P/regions/R/subnetworks/S"),
    ROW("preemptible", BOOL, ONE, &config_var_bool,
        "true for machines that Google may stop, at most a day old"),
    ROW("automaticRestart", BOOL, ONE, &config_var_bool,
        "true to start machines again that Google stopped"),
    VAR("provisioningModel", "STANDARD or SPOT"),
    ROW("labels", TEXT, DICT, NULL, "labels of the instances"),
    ROW("tags", TEXT, LIST, NULL, "network tags of the instances, which firewall rules name"),
    ROW("assignPublicIPAddress", BOOL, ONE, &config_var_bool,
        "false for machines without a public address (default true)"),
    ROW("multizone", BOOL, ONE, &config_var_bool, "true if the cluster has nodes in several zones"),
    ROW("regional", BOOL, ONE, &config_var_bool, "true for disks of the whole region"),
    VAR("customImage", "an image of your own in the place of the operating system's"),
    ROW("disableMachineServiceAccount", BOOL, ONE, &config_var_bool,
        "true for machines without the service account"),
    ROW("enableNestedVirtualization", BOOL, ONE, &config_var_bool,
        "true to let machines run virtual machines"),
    VAR("minCPUPlatform", "oldest CPU that will do, such as Intel Haswell"),
    ROW("guestOSFeatures", TEXT, LIST, NULL, "features of the image, such as GVNIC"),
    VAR("projectID", "ID of the project (default that of the service account)"),
};
static const struct shape gce = SHAPE("gce", gce_members);

static const struct shape_member hetzner_members[] = {
    SECRET("token", "token of the API"),
    VAR("serverType", "size of the servers, such as cx32"),
    VAR("datacenter", "replaced by location"),
    VAR("image", "name of the image (default the operating system's)"),
    VAR("location", "location, such as fsn1"),
    VAR("placementGroupPrefix",
        "where names of placement groups begin, which spread servers over hosts"),
    ROW("networks", SCALAR, LIST, &config_var_string, "names or IDs of private networks"),
    ROW("firewalls", SCALAR, LIST, &config_var_string, "names or IDs of firewalls"),
    ROW("labels", TEXT, DICT, NULL, "labels of the servers"),
    ROW("assignPublicIPv4", BOOL, ONE, &config_var_bool,
        "false for servers without a public IPv4 address (default true)"),
    ROW("assignPublicIPv6", BOOL, ONE, &config_var_bool,
        "false for servers without a public IPv6 address (default true)"),
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
    ROW("name", TEXT, ONE, NULL, "name of the instance type"),
    ROW("kind", TEXT, ONE, NULL, "VirtualMachineInstancetype or VirtualMachineClusterInstancetype"),
    ROW("revisionName", TEXT, ONE, NULL, "a ControllerRevision that holds a copy of it"),
    ROW("inferFromVolume", TEXT, ONE, NULL, "name of a volume whose labels name the instance type"),
    ROW("inferFromVolumeFailurePolicy", TEXT, ONE, NULL,
        "Reject or Ignore, when the volume names none"),
};
static const struct shape instancetype_matcher =
    SHAPE("InstancetypeMatcher", instancetype_matcher_members);

static const struct shape_member preference_matcher_members[] = {
    ROW("name", TEXT, ONE, NULL, "name of the preference"),
    ROW("kind", TEXT, ONE, NULL, "VirtualMachinePreference or VirtualMachineClusterPreference"),
    ROW("revisionName", TEXT, ONE, NULL, "a ControllerRevision that holds a copy of it"),
    ROW("inferFromVolume", TEXT, ONE, NULL, "name of a volume whose labels name the preference"),
    ROW("inferFromVolumeFailurePolicy", TEXT, ONE, NULL,
        "Reject or Ignore, when the volume names none"),
};
static const struct shape preference_matcher =
    SHAPE("PreferenceMatcher", preference_matcher_members);

static const struct shape_member kubevirt_vcpus_members[] = {
    ROW("cores", INT, ONE, NULL, "number of cores"),
};
static const struct shape kubevirt_vcpus = SHAPE("kubevirt.VCPUs", kubevirt_vcpus_members);

static const struct shape_member kubevirt_primary_disk_members[] = {
    VAR("size", "size, such as 20Gi"),
    VAR("storageClassName", "storage class of the infrastructure cluster"),
    VAR("storageAccessType", "ReadWriteOnce or ReadWriteMany"),
    VAR("dataVolumeSecretRef", "Secret with user and password for the download of the image"),
    ROW("extraHeaders", TEXT, LIST, NULL, "HTTP headers for the download of the image"),
    VAR("extraHeadersSecretRef", "Secret with HTTP headers for the download of the image"),
    VAR("storageTarget", "storage or pvc: which part of the data volume describes the disk"),
    VAR("osImage", "image: a URL, or the name of a PVC or data volume"),
    VAR("source", "where the image is: http, registry or pvc"),
    VAR("pullMethod", "node or pod: who pulls an image from a registry (default node)"),
};
static const struct shape kubevirt_primary_disk =
    SHAPE("kubevirt.PrimaryDisk", kubevirt_primary_disk_members);

static const struct shape_member kubevirt_secondary_disks_members[] = {
    VAR("size", "size, such as 20Gi"),
    VAR("storageClassName", "storage class of the infrastructure cluster"),
    VAR("storageAccessType", "ReadWriteOnce or ReadWriteMany"),
};
static const struct shape kubevirt_secondary_disks =
    SHAPE("kubevirt.SecondaryDisks", kubevirt_secondary_disks_members);

static const struct shape_member kubevirt_template_members[] = {
    ROW("vcpus", MAP, ONE, &kubevirt_vcpus,
        "virtual CPUs that share those of the host, or else cpus"),
    VAR("cpus", "CPUs of the host, such as \"2\", or else vcpus"),
    VAR("memory", "memory, such as 4Gi"),
    ROW("primaryDisk", MAP, ONE, &kubevirt_primary_disk, "the system disk"),
    ROW("secondaryDisks", MAP, LIST, &kubevirt_secondary_disks, "further disks"),
};
static const struct shape kubevirt_template = SHAPE("kubevirt.Template", kubevirt_template_members);

static const struct shape_member pod_dnsconfig_option_members[] = {
    ROW("name", TEXT, ONE, NULL, "name of the option, such as ndots"),
    ROW("value", TEXT, ONE, NULL, "value of the option"),
};
static const struct shape pod_dnsconfig_option =
    SHAPE("PodDNSConfigOption", pod_dnsconfig_option_members);

static const struct shape_member pod_dnsconfig_members[] = {
    ROW("nameservers", TEXT, LIST, NULL, "addresses of name servers"),
    ROW("searches", TEXT, LIST, NULL, "domains in which short names are looked up"),
    ROW("options", MAP, LIST, &pod_dnsconfig_option, "options of the resolver"),
};
static const struct shape pod_dnsconfig = SHAPE("PodDNSConfig", pod_dnsconfig_members);

static const struct shape_member kubevirt_location_members[] = {
    ROW("region", TEXT, ONE, NULL, "region, a label of infrastructure nodes"),
    ROW("zone", TEXT, ONE, NULL, "zone, a label of infrastructure nodes"),
};
static const struct shape kubevirt_location = SHAPE("kubevirt.Location", kubevirt_location_members);

static const struct shape_member kubevirt_subnet_members[] = {
    ROW("name", TEXT, ONE, NULL, "name of the subnet"),
};
static const struct shape kubevirt_subnet = SHAPE("kubevirt.Subnet", kubevirt_subnet_members);

static const struct shape_member kubevirt_vpc_members[] = {
    ROW("name", TEXT, ONE, NULL, "name of the VPC"),
    ROW("subnet", MAP, ONE, &kubevirt_subnet, "the subnet"),
};
static const struct shape kubevirt_vpc = SHAPE("kubevirt.VPC", kubevirt_vpc_members);

static const struct shape_member kubevirt_provider_network_members[] = {
    ROW("name", TEXT, ONE, NULL, "kind of network, such as kubeovn"),
    ROW("vpc", MAP, ONE, &kubevirt_vpc, "the VPC"),
};
static const struct shape kubevirt_provider_network =
    SHAPE("kubevirt.ProviderNetwork", kubevirt_provider_network_members);

static const struct shape_member kubevirt_virtual_machine_members[] = {
    ROW("flavor", MAP, ONE, &kubevirt_flavor, "replaced by instancetype and preference"),
    ROW("instancetype", MAP, ONE, &instancetype_matcher,
        "instance type of KubeVirt, which sets CPUs and memory"),
    ROW("preference", MAP, ONE, &preference_matcher,
        "preference of KubeVirt, which sets devices and firmware"),
    ROW("template", MAP, ONE, &kubevirt_template, "CPUs, memory and disks"),
    VAR("dnsPolicy", "ClusterFirst, ClusterFirstWithHostNet, Default or None"),
    ROW("dnsConfig", MAP, ONE, &pod_dnsconfig, "name servers; a must if dnsPolicy is None"),
    ROW("location", MAP, ONE, &kubevirt_location, "region and zone of the infrastructure cluster"),
    ROW("providerNetwork", MAP, ONE, &kubevirt_provider_network,
        "network of the infrastructure cluster"),
    ROW("enableNetworkMultiQueue", BOOL, ONE, &config_var_bool,
        "true for a network queue for each CPU"),
    ROW("evictionStrategy", TEXT, ONE, NULL,
        "what happens when an infrastructure node is drained: External or LiveMigrate"),
};
static const struct shape kubevirt_virtual_machine =
    SHAPE("kubevirt.VirtualMachine", kubevirt_virtual_machine_members);

static const struct shape_member kubevirt_node_affinity_preset_members[] = {
    VAR("type", "hard for a must, soft for a wish"),
    VAR("key", "key of the label"),
    ROW("values", SCALAR, LIST, &config_var_string, "values that will do"),
};
static const struct shape kubevirt_node_affinity_preset =
    SHAPE("kubevirt.NodeAffinityPreset", kubevirt_node_affinity_preset_members);

static const struct shape_member kubevirt_affinity_members[] = {
    VAR("podAffinityPreset", "replaced by topologySpreadConstraints"),
    VAR("podAntiAffinityPreset", "replaced by topologySpreadConstraints"),
    ROW("nodeAffinityPreset", MAP, ONE, &kubevirt_node_affinity_preset,
        "labels that infrastructure nodes have"),
};
static const struct shape kubevirt_affinity = SHAPE("kubevirt.Affinity", kubevirt_affinity_members);

static const struct shape_member kubevirt_topology_spread_constraint_members[] = {
    VAR("maxSkew", "by how many virtual machines two places may differ"),
    VAR("topologyKey", "label of infrastructure nodes that tells places apart"),
    VAR("whenUnsatisfiable", "DoNotSchedule or ScheduleAnyway"),
};
static const struct shape kubevirt_topology_spread_constraint =
    SHAPE("kubevirt.TopologySpreadConstraint", kubevirt_topology_spread_constraint_members);

static const struct shape_member kubevirt_members[] = {
    VAR("clusterName", "name of the cluster, which labels its virtual machines"),
    VAR("projectID", "ID of the project in Kubermatic"),
    ROW("auth", MAP, ONE, &kubevirt_auth, "access to the infrastructure cluster"),
    ROW("virtualMachine", MAP, ONE, &kubevirt_virtual_machine, "the virtual machine"),
    ROW("affinity", MAP, ONE, &kubevirt_affinity,
        "on which infrastructure nodes virtual machines run"),
    ROW("topologySpreadConstraints", MAP, LIST, &kubevirt_topology_spread_constraint,
        "how virtual machines are spread over infrastructure nodes"),
};
static const struct shape kubevirt = SHAPE("kubevirt", kubevirt_members);

static const struct shape_member linode_members[] = {
    SECRET("token", "token of the API"),
    VAR("region", "region, such as eu-central"),
    VAR("type", "size of the machines, such as g6-standard-2"),
    ROW("backups", BOOL, ONE, &config_var_bool, "true for backups"),
    ROW("private_networking", BOOL, ONE, &config_var_bool, "true for a private address"),
    ROW("tags", SCALAR, LIST, &config_var_string, "tags of the machines"),
};
static const struct shape linode = SHAPE("linode", linode_members);

static const struct shape_member nutanix_members[] = {
    VAR("endpoint", "host name or address of Prism Central"),
    VAR("port", "port of Prism Central (default 9440)"),
    VAR("username", "user of Prism Central"),
    SECRET("password", "the user's password"),
    ROW("allowInsecure", BOOL, ONE, &config_var_bool, "true to accept any certificate"),
    VAR("proxyURL", "URL of a proxy on the way to Prism Central"),
    VAR("clusterName", "name of the Nutanix cluster"),
    VAR("projectName", "name of the project"),
    VAR("subnetName", "name of the subnet"),
    ROW("additionalSubnetNames", TEXT, LIST, NULL,
        "names of further subnets, an interface for each"),
    VAR("imageName", "name of the image"),
    ROW("cpus", INT, ONE, NULL, "number of virtual CPUs"),
    ROW("cpuCores", INT, ONE, NULL, "cores of each CPU (default 1)"),
    ROW("cpuPassthrough", BOOL, ONE, NULL, "true to show machines the CPU of the host"),
    ROW("memoryMB", INT, ONE, NULL, "memory in MiB"),
    ROW("diskSize", INT, ONE, NULL, "size of the disk in GiB (default the image's)"),
    ROW("categories", TEXT, DICT, NULL, "categories of the machines, with their values"),
};
static const struct shape nutanix = SHAPE("nutanix", nutanix_members);

static const struct shape_member opennebula_members[] = {
    VAR("username", "user of the API"),
    SECRET("password", "the user's password"),
    VAR("endpoint", "URL of the API, such as https://one.example.com/RPC2"),
    ROW("cpu", FLOAT, ONE, NULL, "share of physical CPUs, such as 0.5"),
    ROW("vcpu", INT, ONE, NULL, "number of virtual CPUs"),
    ROW("memory", INT, ONE, NULL, "memory in MiB"),
    VAR("image", "name of the image"),
    VAR("datastore", "name of the datastore for the disk"),
    ROW("diskSize", INT, ONE, NULL, "size of the disk in MiB"),
    VAR("network", "name of the network"),
    ROW("enableVNC", BOOL, ONE, &config_var_bool, "true for a console over VNC"),
    ROW("vmTemplateExtra", TEXT, DICT, NULL, "further attributes of the machine's template"),
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
    ROW("securityGroups", SCALAR, LIST, &config_var_string, "names of the security groups"),
    VAR("network", "name or ID of the network (default the only one that there is)"),
    ROW("networks", SCALAR, LIST, &config_var_string,
        "names or IDs of networks, an interface for each"),
    VAR("subnet", "name or ID of the subnet (default the network's only one)"),
    VAR("floatingIpPool", "network of floating addresses (default no such address)"),
    VAR("availabilityZone", "availability zone (default the only one that there is)"),
    ROW("trustDevicePath", BOOL, ONE, &config_var_bool,
        "true if the cloud names a volume's device rightly"),
    ROW("rootDiskSizeGB", INT, ONE, NULL,
        "size of a volume for the root disk in GiB (default the flavor's disk)"),
    VAR("rootDiskVolumeType", "type of that volume"),
    ROW("nodeVolumeAttachLimit", UINT, ONE, NULL, "most volumes that a node can have"),
    VAR("serverGroup", "name or ID of a server group, which spreads machines over hosts"),
    ROW("configDrive", BOOL, ONE, &config_var_bool,
        "true to give machines their user-data on a drive"),
    ROW("disablePortSecurity", BOOL, ONE, &config_var_bool,
        "true for ports without security groups and checks of addresses"),
    ROW("tags", TEXT, DICT, NULL, "metadata of the servers"),
};
static const struct shape openstack = SHAPE("openstack", openstack_members);

static const struct shape_member scaleway_members[] = {
    SECRET("accessKey", "ID of the API key, SCW and 17 characters"),
    SECRET("secretKey", "secret of the API key, a UUID"),
    VAR("projectId", "ID of the project"),
    VAR("zone", "zone, such as fr-par-1"),
    VAR("commercialType", "size of the machines, such as DEV1-M"),
    ROW("ipv6", BOOL, ONE, &config_var_bool, "true for an IPv6 address"),
    ROW("tags", TEXT, LIST, NULL, "tags of the machines"),
};
static const struct shape scaleway = SHAPE("scaleway", scaleway_members);

static const struct shape_member vmwareclouddirector_members[] = {
    VAR("username", "user of the API, or else apiToken"),
    SECRET("password", "the user's password"),
    SECRET("apiToken", "token of the API, in the place of a user"),
    VAR("organization", "name of the organization"),
    VAR("url", "URL of the API, such as https://vcd.example.com/api"),
    VAR("vdc", "name of the virtual data center"),
    ROW("allowInsecure", BOOL, ONE, &config_var_bool, "true to accept any certificate"),
    VAR("vapp", "name of the vApp that machines are in"),
    VAR("template", "name of the template in the catalog"),
    VAR("catalog", "name of the catalog"),
    ROW("placementPolicy", TEXT, ONE, NULL, "name of a policy where machines run"),
    VAR("network", "replaced by networks"),
    ROW("networks", SCALAR, LIST, &config_var_string, "names of networks, an interface for each"),
    ROW("ipAllocationMode", TEXT, ONE, NULL,
        "where addresses come from: DHCP or POOL (default DHCP)"),
    ROW("cpus", INT, ONE, NULL, "number of virtual CPUs"),
    ROW("cpuCores", INT, ONE, NULL, "cores of each socket"),
    ROW("memoryMB", INT, ONE, NULL, "memory in MiB"),
    ROW("sizingPolicy", TEXT, ONE, NULL, "name of a policy for sizes"),
    ROW("diskSizeGB", INT, ONE, NULL, "size of the disk in GiB (default the template's)"),
    ROW("diskBusType", TEXT, ONE, NULL, "bus of the disk, such as sata (default paravirtual)"),
    ROW("diskIOPS", INT, ONE, NULL, "operations per second of the disk (default 0, no limit)"),
    ROW("storageProfile", TEXT, ONE, NULL, "storage policy of the disk"),
    ROW("metadata", TEXT, DICT, NULL, "metadata of the machines"),
};
static const struct shape vmwareclouddirector =
    SHAPE("vmwareclouddirector", vmwareclouddirector_members);

static const struct shape_member vsphere_tag_members[] = {
    ROW("description", TEXT, ONE, NULL, "description of the tag"),
    ROW("id", TEXT, ONE, NULL, "ID of the tag, or else its name"),
    ROW("name", TEXT, ONE, NULL, "name of the tag, or else its ID"),
    ROW("categoryID", TEXT, ONE, NULL, "ID of the tag's category"),
};
static const struct shape vsphere_tag = SHAPE("vsphere.Tag", vsphere_tag_members);

static const struct shape_member vsphere_members[] = {
    VAR("templateVMName", "name of the template that machines are cloned from"),
    VAR("vmNetName", "replaced by networks"),
    ROW("networks", SCALAR, LIST, &config_var_string, "names of networks, an interface for each"),
    VAR("username", "user of vCenter"),
    SECRET("password", "the user's password"),
    VAR("vsphereURL", "URL of vCenter"),
    VAR("datacenter", "name of the data center"),
    VAR("cluster", "name of the compute cluster; a must for vmAntiAffinity and vmGroup"),
    VAR("folder", "folder of the machines, as a path"),
    VAR("resourcePool", "resource pool of the machines"),
    VAR("datastoreCluster", "datastore cluster for the disks, or else datastore"),
    VAR("datastore", "datastore for the disks, or else datastoreCluster"),
    ROW("cpus", INT32, ONE, NULL, "number of virtual CPUs"),
    ROW("memoryMB", INT, ONE, NULL, "memory in MiB"),
    ROW("diskSizeGB", INT, ONE, NULL,
        "size of the disk in GiB, not below the template's (default the template's)"),
    ROW("tags", MAP, LIST, &vsphere_tag, "tags of the machines"),
    ROW("allowInsecure", BOOL, ONE, &config_var_bool, "true to accept any certificate"),
    ROW("vmAntiAffinity", BOOL, ONE, &config_var_bool,
        "true to keep the machines on different hosts"),
    VAR("vmGroup", "group of virtual machines that the machines join"),
};
static const struct shape vsphere = SHAPE("vsphere", vsphere_members);

static const struct shape_member vultr_members[] = {
    ROW("physicalMachine", BOOL, ONE, NULL, "true for bare metal"),
    SECRET("apiKey", "key of the API"),
    VAR("region", "region, such as fra"),
    VAR("plan", "size of the machines, such as vc2-2c-4gb"),
    VAR("osId", "ID of the image of the operating system"),
    ROW("tags", TEXT, LIST, NULL, "tags of the machines"),
    ROW("vpcId", TEXT, LIST, NULL, "IDs of VPCs"),
    ROW("vpc2Id", TEXT, LIST, NULL, "IDs of VPCs of the second generation"),
    ROW("enableVPC", BOOL, ONE, NULL, "true to attach machines to a VPC"),
    ROW("enableVPC2", BOOL, ONE, NULL, "true to attach machines to a VPC of the second generation"),
    ROW("enableIPv6", BOOL, ONE, NULL, "true for an IPv6 address"),
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
