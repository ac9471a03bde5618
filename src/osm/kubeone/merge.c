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
SHAPE_TABLE(aws_spot, "AWSSpot",
    ROW_TEXT("maxPrice", "dollars for an hour"),
    ROW_BOOL("persistentRequest", "ask for another machine if one is taken away"),
    ROW_TEXT("interruptionBehavior", "terminate, stop or hibernate"),
);
SHARED_TABLE(kubeone_spec_aws, "AWS",
    ROW_TEXT("ami", "image of the machines", .initial = "the newest of the operating system"),
    ROW_BOOL("assignPublicIP", NULL, NULLABLE),
    ROW_TEXT("availabilityZone", "such as eu-central-1a"),
    ROW_INT("diskIops", "of disks of type io1", NULLABLE),
    ROW_INT("diskSize", "of the root disk, GiB", NULLABLE),
    ROW_TEXT("diskType", "such as gp3"),
    ROW_BOOL("ebsVolumeEncrypted", "encrypt the root disk"),
    ROW_TEXT("instanceProfile", "IAM profile of the machines"),
    ROW_TEXT("instanceType", "such as m7i.large", NULLABLE),
    ROW_BOOL("isSpotInstance", "spot instances, which AWS may take away", NULLABLE),
    ROW_MAP("spotInstanceConfig", aws_spot, "settings of spot instances", .flags = KUBEONE_APART),
    ROW_TEXT("region", "such as eu-central-1"),
    ROW_TEXTS("securityGroupIDs", NULL),
    ROW_TEXT("subnetId", NULL),
    ROW_TEXT_DICT("tags", "of the machines"),
    ROW_TEXT("vpcId", NULL),
);
SHAPE_TABLE(azure_plan, "AzurePlan",
    ROW_TEXT("name", NULL),
    ROW_TEXT("publisher", NULL),
    ROW_TEXT("product", NULL),
);
SHAPE_TABLE(azure_image, "AzureImage",
    ROW_TEXT("publisher", NULL),
    ROW_TEXT("offer", NULL),
    ROW_TEXT("sku", NULL),
    ROW_TEXT("version", NULL),
);
SHAPE_TABLE(azure, "Azure",
    ROW_TEXT("location", "such as westeurope"),
    ROW_TEXT("resourceGroup", "of the machines"),
    ROW_TEXT("vnetResourceGroup", "of the network", .initial = "resourceGroup"),
    ROW_TEXT("vmSize", "such as Standard_D2s_v5"),
    ROW_TEXT("vnetName", "of the network"),
    ROW_TEXT("subnetName", NULL),
    ROW_TEXT("loadBalancerSku", "basic or standard"),
    ROW_TEXT("routeTableName", NULL),
    ROW_TEXT("availabilitySet", NULL),
    ROW_BOOL("assignAvailabilitySet", "put the machines into availabilitySet", NULLABLE),
    ROW_TEXT("securityGroupName", NULL),
    ROW_TEXTS("zones", "availability zones"),
    ROW_MAP("imagePlan", azure_plan, "plan of an image of the marketplace", NULLABLE),
    ROW_MAP("imageReference", azure_image, "image of the marketplace", NULLABLE),
    ROW_TEXT("imageID", "image of one's own"),
    ROW_INT("osDiskSize", "GB"),
    ROW_TEXT("osDiskSKU", "such as Premium_LRS", NULLABLE),
    ROW_INT("dataDiskSize", "GB"),
    ROW_TEXT("dataDiskSKU", "such as Premium_LRS", NULLABLE),
    ROW_BOOL("assignPublicIP", NULL),
    ROW_TEXT("publicIPSKU", "basic or standard"),
    ROW_TEXT_DICT("tags", "of the machines"),
);
SHAPE_TABLE(digitalocean, "DigitalOcean",
    ROW_TEXT("region", "such as fra1"),
    ROW_TEXT("size", "such as s-2vcpu-4gb"),
    ROW_BOOL("backups", "of the machines"),
    ROW_BOOL("ipv6", NULL),
    ROW_BOOL("private_networking", NULL),
    ROW_BOOL("monitoring", NULL),
    ROW_TEXTS("tags", "of the machines"),
);
SHAPE_TABLE(gce, "GCE",
    ROW_INT("diskSize", "GB"),
    ROW_TEXT("diskType", "such as pd-ssd"),
    ROW_TEXT("machineType", "such as n2-standard-2"),
    ROW_TEXT("network", NULL),
    ROW_TEXT("subnetwork", NULL),
    ROW_TEXT("zone", "such as europe-west3-a"),
    ROW_BOOL("preemptible", "machines that Google may take away"),
    ROW_BOOL("assignPublicIPAddress", NULL, NULLABLE),
    ROW_TEXT_DICT("labels", "of the machines"),
    ROW_TEXTS("tags", "of the machines, for firewall rules"),
    ROW_BOOL("multizone", "the cluster has several zones", NULLABLE),
    ROW_BOOL("regional", "disks have copies in a second zone", NULLABLE),
    ROW_TEXT("customImage", "image of one's own"),
);
SHAPE_TABLE(hetzner, "HetznerServer",
    ROW_TEXT("serverType", "such as cx32"),
    ROW_TEXT("datacenter", "such as fsn1-dc14"),
    ROW_TEXT("location", "such as fsn1"),
    ROW_TEXT("image", NULL),
    ROW_TEXTS("networks", "private networks"),
    ROW_TEXT_DICT("labels", "at Hetzner"),
);
SHAPE_TABLE(nutanix, "Nutanix",
    ROW_TEXT("clusterName", "of Nutanix' cluster"),
    ROW_TEXT("projectName", NULL, NULLABLE),
    ROW_TEXT("subnetName", NULL),
    ROW_TEXT("imageName", NULL),
    ROW_INT("cpus", NULL),
    ROW_INT("cpuCores", "of each CPU", NULLABLE),
    ROW_BOOL("cpuPassthrough", "give the host's CPUs to the machine as they are", NULLABLE),
    ROW_INT("memoryMB", NULL),
    ROW_INT("diskSize", "GB", NULLABLE),
    ROW_TEXT_DICT("categories", "of the machines"),
);
SHAPE_TABLE(openstack, "OpenStackServer",
    ROW_TEXT("image", NULL),
    ROW_TEXT("flavor", "such as m1.medium"),
    ROW_TEXTS("securityGroups", NULL),
    ROW_TEXT("floatingIPPool", "external network of floating addresses"),
    ROW_TEXT("availabilityZone", NULL),
    ROW_TEXT("network", NULL),
    ROW_TEXT("subnet", NULL),
    ROW_INT("rootDiskSizeGB", NULL, NULLABLE),
    SHAPE_ROW("nodeVolumeAttachLimit", UINT, ONE, "how many volumes a node has at most",
        NULLABLE),
    ROW_BOOL("trustDevicePath", "take the path of a device from OpenStack"),
    ROW_TEXT_DICT("tags", "of the machines"),
    ROW_BOOL("configDrive", "give user-data on a disk, too"),
);
SHAPE_TABLE(equinixmetal, "EquinixMetal",
    ROW_TEXT("projectID", NULL),
    ROW_TEXT("billingCycle", "such as hourly"),
    ROW_TEXT("metro", "such as FR"),
    ROW_TEXTS("facilities", NULL),
    ROW_TEXT("instanceType", "such as c3.small.x86"),
    ROW_TEXTS("tags", "of the machines"),
);
SHAPE_TABLE(vmware_cloud_director, "VMwareCloudDirectorVM",
    ROW_TEXT("organization", NULL),
    ROW_TEXT("vdc", "virtual data center"),
    ROW_BOOL("allowInsecure", "accept any certificate of the API"),
    ROW_TEXT("vapp", NULL),
    ROW_TEXT("template", "that the machines are copies of"),
    ROW_TEXT("catalog", "that has the template"),
    ROW_TEXT("placementPolicy", NULL, NULLABLE),
    ROW_TEXT("network", NULL),
    ROW_TEXT("ipAllocationMode", "DHCP or POOL"),
    ROW_INT("cpus", NULL),
    ROW_INT("cpuCores", "of each CPU"),
    ROW_INT("memoryMB", NULL),
    ROW_TEXT("sizingPolicy", NULL, NULLABLE),
    ROW_INT("diskSizeGB", NULL, NULLABLE),
    ROW_TEXT("storageProfile", NULL, NULLABLE),
    ROW_INT("diskIOPS", NULL, NULLABLE),
    ROW_TEXT("diskBusType", "such as paravirtual", NULLABLE),
    SHAPE_ROW("metadata", TEXT, DICT, "of the machines", NULLABLE),
);
SHAPE_TABLE(vsphere, "VSphere",
    ROW_BOOL("allowInsecure", "accept any certificate of vCenter"),
    ROW_TEXT("cluster", NULL),
    ROW_INT("cpus", NULL),
    ROW_TEXT("datacenter", NULL),
    ROW_TEXT("datastore", NULL),
    ROW_TEXT("datastoreCluster", NULL),
    ROW_INT("diskSizeGB", NULL, NULLABLE),
    ROW_TEXT("folder", NULL),
    ROW_TEXT("resourcePool", NULL),
    ROW_INT("memoryMB", NULL),
    ROW_TEXT("templateVMName", "that the machines are copies of"),
    ROW_TEXT("vmNetName", "network of the machines"),
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
