/*
 * The table of cloud providers: whether there was an in-tree controller (docs/spec/cloud-config.md
 * 1), whether the controller accepts them for a legacy cloud-config (2), and which members of
 * cloudProviderSpec are credentials (machine-controller's provider types).
 */
#include "osm/cloud.h"
#include "value/text.h"

#define SECRETS(...)                                                                               \
	.secrets = (const sv[]){__VA_ARGS__}, .secret_count = COUNT_OF(((const sv[]){__VA_ARGS__}))
#define S(name) SV_INIT(name)

/* In the order of the schema's list. */
static const struct osm_provider providers[] = {
    {
        .name = SV_INIT("aws"),
        .others = " amazon ec2 eks ",
        .in_tree = true,
        .known = true,
        SECRETS(S("accessKeyId"), S("secretAccessKey")),
    },
    {
        .name = SV_INIT("azure"),
        .others = " azurerm aks microsoft ",
        .in_tree = true,
        .known = true,
        SECRETS(S("clientSecret")),
    },
    {.name = SV_INIT("digitalocean"), .others = " do ", .known = true, SECRETS(S("token"))},
    {.name = SV_INIT("edge"), .known = true},
    {
        .name = SV_INIT("gce"),
        .others = " gcp google gke googlecloud ",
        .in_tree = true,
        .known = true,
        SECRETS(S("serviceAccount")),
    },
    {.name = SV_INIT("hetzner"),
     .others = " hcloud hetznercloud hetzner-cloud ",
     .known = true,
     SECRETS(S("token"))},
    {
        .name = SV_INIT("kubevirt"),
        .known = true,
        SECRETS(S("kubeconfig")),
    },
    {.name = SV_INIT("linode"), .others = " akamai ", .known = true, SECRETS(S("token"))},
    {.name = SV_INIT("nutanix"), .known = true, SECRETS(S("password"))},
    {
        .name = SV_INIT("openstack"),
        .known = true,
        SECRETS(S("password"), S("applicationCredentialSecret"), S("tokenId")),
    },
    {
        .name = SV_INIT("vsphere"),
        .others = " vmware esxi vcenter ",
        .in_tree = true,
        .known = true,
        SECRETS(S("password")),
    },
    {.name = SV_INIT("fake")},
    {.name = SV_INIT("alibaba"),
     .others = " aliyun alicloud ",
     .known = true,
     SECRETS(S("accessKeyID"), S("accessKeySecret"))},
    {.name = SV_INIT("anexia"), .known = true, SECRETS(S("token"))},
    {.name = SV_INIT("scaleway"),
     .others = " scw ",
     .known = true,
     SECRETS(S("accessKey"), S("secretKey"))},
    {.name = SV_INIT("baremetal"),
     .others = " metal bare-metal tinkerbell ",
     .known = true,
     SECRETS(S("kubeconfig"))},
    {.name = SV_INIT("external")},
    {
        .name = SV_INIT("vmware-cloud-director"),
        .others = " vcd cloud-director ",
        .known = true,
        SECRETS(S("password"), S("apiToken")),
    },
    {.name = SV_INIT("opennebula"), .known = true, SECRETS(S("password"))},
};

const struct osm_provider *osm_provider_table(size_t *ret_count)
{
	*ret_count = COUNT_OF(providers);
	return providers;
}

bool osm_provider_hides(sv name)
{
	for (size_t i = 0; i < COUNT_OF(providers); i++)
		for (size_t j = 0; j < providers[i].secret_count; j++)
			if (sv_eq_fold_ascii(providers[i].secrets[j], name))
				return true;
	return false;
}

sv osm_provider_meant(struct arena *arena, sv name)
{
	sv names[COUNT_OF(providers)];
	sv word = ARENA_CONCAT(arena, SV(" "), name, SV(" "));

	for (size_t i = 0; i < COUNT_OF(providers); i++) {
		names[i] = providers[i].name;
		if (providers[i].others && sv_find_char(name, ' ') == SV_NPOS &&
		    sv_contains(sv_from_cstr(providers[i].others), word))
			return names[i];
	}
	return diag_nearest(name, names, COUNT_OF(names));
}

sv osm_provider_list(struct arena *arena)
{
	struct buf buf = buf_in(arena);

	for (size_t i = 0; i < COUNT_OF(providers); i++)
		buf_add_item(&buf, providers[i].name);
	return buf_sv(&buf);
}

const struct osm_provider *osm_provider_find(sv name)
{
	for (size_t i = 0; i < COUNT_OF(providers); i++) {
		if (sv_eq(providers[i].name, name))
			return &providers[i];
	}
	return NULL;
}
