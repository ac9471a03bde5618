/*
 * Merges the cloudProviderSpec that Terraform's output has for a worker set of the manifest: a key
 * that the manifest lacks is set, if it has a value (docs/spec/kubeone.md 3).
 */
#include "osm/kubeone/fields.h"
#include "osm/kubeone/internal.h"

#include "secrecy/secrecy.h"

/* ---- the clouds' cloudProviderSpecs, as KubeOne knows them
 * --------------------------------------- */

/* clang-format off */
#define NULLABLE .flags = KUBEONE_NULLABLE
TABLE(aws_spot, "AWSSpot",
    TEXT("maxPrice", "dollars for an hour"),
    BOOL("persistentRequest", "ask for another machine if one is taken away"),
    TEXT("interruptionBehavior", "terminate, stop or hibernate"),
);
SHARED_TABLE(kubeone_spec_aws, "AWS",
    TEXT("ami", "image of the machines", .initial = "the newest of the operating system"),
    BOOL("assignPublicIP", NULL, NULLABLE),
    TEXT("availabilityZone", "such as eu-central-1a"),
    INT("diskIops", "of disks of type io1", NULLABLE),
    INT("diskSize", "of the root disk, GiB", NULLABLE),
    TEXT("diskType", "such as gp3"),
    BOOL("ebsVolumeEncrypted", "encrypt the root disk"),
    TEXT("instanceProfile", "IAM profile of the machines"),
    TEXT("instanceType", "such as m7i.large", NULLABLE),
    BOOL("isSpotInstance", "spot instances, which AWS may take away", NULLABLE),
    MAP("spotInstanceConfig", aws_spot, "settings of spot instances", .flags = KUBEONE_APART),
    TEXT("region", "such as eu-central-1"),
    TEXTS("securityGroupIDs", NULL),
    TEXT("subnetId", NULL),
    TEXT_MAP("tags", "of the machines"),
    TEXT("vpcId", NULL),
);
TABLE(azure_plan, "AzurePlan",
    TEXT("name", NULL),
    TEXT("publisher", NULL),
    TEXT("product", NULL),
);
TABLE(azure_image, "AzureImage",
    TEXT("publisher", NULL),
    TEXT("offer", NULL),
    TEXT("sku", NULL),
    TEXT("version", NULL),
);
TABLE(azure, "Azure",
    TEXT("location", "such as westeurope"),
    TEXT("resourceGroup", "of the machines"),
    TEXT("vnetResourceGroup", "of the network", .initial = "resourceGroup"),
    TEXT("vmSize", "such as Standard_D2s_v5"),
    TEXT("vnetName", "of the network"),
    TEXT("subnetName", NULL),
    TEXT("loadBalancerSku", "basic or standard"),
    TEXT("routeTableName", NULL),
    TEXT("availabilitySet", NULL),
    BOOL("assignAvailabilitySet", "put the machines into availabilitySet", NULLABLE),
    TEXT("securityGroupName", NULL),
    TEXTS("zones", "availability zones"),
    MAP("imagePlan", azure_plan, "plan of an image of the marketplace", NULLABLE),
    MAP("imageReference", azure_image, "image of the marketplace", NULLABLE),
    TEXT("imageID", "image of one's own"),
    INT("osDiskSize", "GB"),
    TEXT("osDiskSKU", "such as Premium_LRS", NULLABLE),
    INT("dataDiskSize", "GB"),
    TEXT("dataDiskSKU", "such as Premium_LRS", NULLABLE),
    BOOL("assignPublicIP", NULL),
    TEXT("publicIPSKU", "basic or standard"),
    TEXT_MAP("tags", "of the machines"),
);
TABLE(digitalocean, "DigitalOcean",
    TEXT("region", "such as fra1"),
    TEXT("size", "such as s-2vcpu-4gb"),
    BOOL("backups", "of the machines"),
    BOOL("ipv6", NULL),
    BOOL("private_networking", NULL),
    BOOL("monitoring", NULL),
    TEXTS("tags", "of the machines"),
);
TABLE(gce, "GCE",
    INT("diskSize", "GB"),
    TEXT("diskType", "such as pd-ssd"),
    TEXT("machineType", "such as n2-standard-2"),
    TEXT("network", NULL),
    TEXT("subnetwork", NULL),
    TEXT("zone", "such as europe-west3-a"),
    BOOL("preemptible", "machines that Google may take away"),
    BOOL("assignPublicIPAddress", NULL, NULLABLE),
    TEXT_MAP("labels", "of the machines"),
    TEXTS("tags", "of the machines, for firewall rules"),
    BOOL("multizone", "the cluster has several zones", NULLABLE),
    BOOL("regional", "disks have copies in a second zone", NULLABLE),
    TEXT("customImage", "image of one's own"),
);
TABLE(hetzner, "HetznerServer",
    TEXT("serverType", "such as cx32"),
    TEXT("datacenter", "such as fsn1-dc14"),
    TEXT("location", "such as fsn1"),
    TEXT("image", NULL),
    TEXTS("networks", "private networks"),
    TEXT_MAP("labels", "at Hetzner"),
);
TABLE(nutanix, "Nutanix",
    TEXT("clusterName", "of Nutanix' cluster"),
    TEXT("projectName", NULL, NULLABLE),
    TEXT("subnetName", NULL),
    TEXT("imageName", NULL),
    INT("cpus", NULL),
    INT("cpuCores", "of each CPU", NULLABLE),
    BOOL("cpuPassthrough", "give the host's CPUs to the machine as they are", NULLABLE),
    INT("memoryMB", NULL),
    INT("diskSize", "GB", NULLABLE),
    TEXT_MAP("categories", "of the machines"),
);
TABLE(openstack, "OpenStackServer",
    TEXT("image", NULL),
    TEXT("flavor", "such as m1.medium"),
    TEXTS("securityGroups", NULL),
    TEXT("floatingIPPool", "external network of floating addresses"),
    TEXT("availabilityZone", NULL),
    TEXT("network", NULL),
    TEXT("subnet", NULL),
    INT("rootDiskSizeGB", NULL, NULLABLE),
    ROW("nodeVolumeAttachLimit", SHAPE_UINT, SHAPE_ONE, "how many volumes a node has at most",
        NULLABLE),
    BOOL("trustDevicePath", "take the path of a device from OpenStack"),
    TEXT_MAP("tags", "of the machines"),
    BOOL("configDrive", "give user-data on a disk, too"),
);
TABLE(equinixmetal, "EquinixMetal",
    TEXT("projectID", NULL),
    TEXT("billingCycle", "such as hourly"),
    TEXT("metro", "such as FR"),
    TEXTS("facilities", NULL),
    TEXT("instanceType", "such as c3.small.x86"),
    TEXTS("tags", "of the machines"),
);
TABLE(vmware_cloud_director, "VMwareCloudDirectorVM",
    TEXT("organization", NULL),
    TEXT("vdc", "virtual data center"),
    BOOL("allowInsecure", "accept any certificate of the API"),
    TEXT("vapp", NULL),
    TEXT("template", "that the machines are copies of"),
    TEXT("catalog", "that has the template"),
    TEXT("placementPolicy", NULL, NULLABLE),
    TEXT("network", NULL),
    TEXT("ipAllocationMode", "DHCP or POOL"),
    INT("cpus", NULL),
    INT("cpuCores", "of each CPU"),
    INT("memoryMB", NULL),
    TEXT("sizingPolicy", NULL, NULLABLE),
    INT("diskSizeGB", NULL, NULLABLE),
    TEXT("storageProfile", NULL, NULLABLE),
    INT("diskIOPS", NULL, NULLABLE),
    TEXT("diskBusType", "such as paravirtual", NULLABLE),
    ROW("metadata", SHAPE_TEXT, SHAPE_DICT, "of the machines", NULLABLE),
);
TABLE(vsphere, "VSphere",
    BOOL("allowInsecure", "accept any certificate of vCenter"),
    TEXT("cluster", NULL),
    INT("cpus", NULL),
    TEXT("datacenter", NULL),
    TEXT("datastore", NULL),
    TEXT("datastoreCluster", NULL),
    INT("diskSizeGB", NULL, NULLABLE),
    TEXT("folder", NULL),
    TEXT("resourcePool", NULL),
    INT("memoryMB", NULL),
    TEXT("templateVMName", "that the machines are copies of"),
    TEXT("vmNetName", "network of the machines"),
);
/* clang-format on */

static const struct kubeone_merged {
	const char *provider;
	const struct shape *shape;  /* null if KubeOne has no list of keys */
	const char *cannot_because; /* KubeOne fails where it merges; null if it does not */
} merged[] = {
    {"aws", &kubeone_spec_aws, NULL},
    {"azure", &azure, "it does not know the type of imageReference"},
    {"digitalocean", &digitalocean, NULL},
    {"gce", &gce, NULL},
    {"hetzner", &hetzner, NULL},
    {"kubevirt", NULL, "it has no rule for this cloud"},
    {"nutanix", &nutanix, "it does not know the type of cpus"},
    {"openstack", &openstack, NULL},
    {"equinixmetal", &equinixmetal, NULL},
    {"vmwareCloudDirector", &vmware_cloud_director, "it does not know the type of cpus"},
    {"vsphere", &vsphere, NULL},
};

/* ---- merging --------------------------------------------------------------------------------- */

static const struct kubeone_merged *find_provider(sv provider)
{
	for (size_t i = 0; i < COUNT_OF(merged); i++)
		if (sv_eq_cstr(provider, merged[i].provider))
			return &merged[i];
	return NULL;
}

static void warn_of_merge(const struct kubeone *k, struct position at,
                          const struct kubeone_merged *rule)
{
	struct diag *diag = diag_report(
	    k->sink, DIAG_KUBEONE_MERGE, at,
	    "KubeOne 1.14 cannot merge Terraform's output into a worker set of the manifest on %s: "
	    "%s",
	    rule->provider, rule->cannot_because);

	diag_set_help(
	    k->sink, diag,
	    "osm-gen merges as KubeOne does on other clouds; for KubeOne itself, write "
	    "the worker set in one place only: in dynamicWorkers or in Terraform's output");
}

/* Returns true for a value that KubeOne takes for set. */
static bool is_set(const struct shape_member *member, const struct value *v)
{
	if (!v || (member->flags & KUBEONE_APART))
		return false;
	/* The value is not known before it is decrypted; few are zero or false. */
	if (v->taint && secrecy_stands_in(taint_secret(v->taint)))
		return true;
	if (member->form == SHAPE_LIST)
		return value_count(v) > 0;
	if ((member->flags & KUBEONE_NULLABLE) || member->type == SHAPE_BOOL ||
	    member->form == SHAPE_DICT)
		return true;
	if (member->type == SHAPE_TEXT)
		return !sv_empty(value_text(v));
	return v->integer != 0;
}

static void set_if_missing(const struct kubeone *k, struct value *into, sv key, struct value v)
{
	if (!value_map_find(into, key))
		value_map_set(k->arena, into, key, v);
}

/* Sets each known key. A boolean that is not nullable is set to false if it is missing. */
static void merge_known(const struct kubeone *k, const struct shape *shape,
                        const struct value *from, struct value *into)
{
	struct value no = value_bool(false);

	no.origin = from->origin;
	for (size_t i = 0; i < shape->count; i++) {
		const struct shape_member *member = &shape->members[i];
		sv key = sv_from_cstr(member->name);
		const struct value *v = value_map_get(from, key);

		if (is_set(member, v))
			set_if_missing(k, into, key, *v);
		else if (member->type == SHAPE_BOOL && !(member->flags & KUBEONE_NULLABLE))
			set_if_missing(k, into, key, no);
	}
}

static void merge_any(const struct kubeone *k, const struct value *from, struct value *into)
{
	for (size_t i = 0; i < value_count(from); i++) {
		const struct value_entry *entry = &from->map->entries[i];

		if (!value_is_null(&entry->value))
			set_if_missing(k, into, entry->key, entry->value);
	}
}

enum status kubeone_merge(struct kubeone *k, struct kubeone_worker_set *into,
                          const struct value *from, sv path)
{
	const struct kubeone_merged *rule = find_provider(k->provider);
	const struct value *given = value_path(from, "providerSpec.cloudProviderSpec");
	const struct kubeone_decoder decoder = kubeone_terraform_decoder(k);
	size_t errors = k->sink->error_count;
	struct value spec;
	struct value merging;

	/* Without a cloud, and with `none`, validation reports it. */
	if (!rule)
		return STATUS_OK;
	if (!given || (!value_is_map(given) && !value_is_null(given))) {
		struct diag *diag = diag_report(
		    k->sink, DIAG_KUBEONE_TERRAFORM, value_position(given ? given : from),
		    "Terraform's output has no cloudProviderSpec for the worker set %.*s",
		    SV_ARG(value_text(&into->name)));
		diag_set_help(k->sink, diag,
		              "add cloudProviderSpec to the worker set in Terraform's output "
		              "kubeone_workers, or remove the set from there");
		return STATUS_FAILED;
	}
	/* The manifest's is reported when the MachineDeployment is made. */
	if (into->spec.type && !value_is_map(&into->spec) && !value_is_null(&into->spec))
		return STATUS_OK;
	if (rule->cannot_because)
		warn_of_merge(k, value_position(given), rule);
	spec = value_map_new(k->arena);
	if (value_is_map(given))
		spec = rule->shape ? kubeone_decode(&decoder, rule->shape, given, path) : *given;
	spec.origin = given->origin;
	if (k->sink->error_count > errors)
		return STATUS_FAILED;
	merging = value_map_new(k->arena);
	merging.origin = into->spec.origin;
	kubeone_add_members(k->arena, &merging, &into->spec);
	if (rule->shape)
		merge_known(k, rule->shape, &spec, &merging);
	else
		merge_any(k, &spec, &merging);
	if (value_count(&merging) > 0)
		into->spec = merging;
	return STATUS_OK;
}
