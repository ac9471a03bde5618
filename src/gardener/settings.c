/*
 * The settings of Gardener's dialect.
 */
#include "gardener/internal.h"

sv gardener_contract_name(enum gardener_contract contract)
{
	return contract == GARDENER_2021 ? SV("2021") : SV("current");
}

static const struct setter_url mirror_url = {
    .schemes = (const char *const[]){"http", "https", NULL},
    .problem = "must be a URL of http or https",
    .help = "write it as http://mirror.example.com/ubuntu",
};

static const struct setter_url agent_url = {
    .schemes = (const char *const[]){"https", NULL},
    .problem = "must be an https URL",
    .help = "write https://HOST/PATH; {arch} in it becomes amd64 or arm64",
};

static const struct setting_known kubernetes_known = {
    .program = "Kubernetes",
    .oldest = 32,
    .newest = 36,
    .source = "SupportedVersions of Gardener v1.150 (pkg/utils/validation/kubernetesversion)",
    .help = "documents of operating systems depend on the version: try it on one machine first",
};

/* A version is part of a file's name on nodes. */
static enum status check_agent_version(const struct setter *s, const struct value *text,
                                       struct position at)
{
	if (sv_starts_with(text->string, SV("v")))
		return STATUS_OK;
	return setter_report(s, at, "must be a version that begins with v",
	                     "write it as gardener-node-agent --version prints it: v1.145.0");
}

/* ctr needs the registry, and would not add it. */
static enum status check_agent_image(const struct setter *s, const struct value *text,
                                     struct position at)
{
	if (sv_find_char(text->string, '/') != SV_NPOS)
		return STATUS_OK;
	return setter_report(
	    s, at, "must be an image",
	    "write REGISTRY/NAME, REGISTRY/NAME:TAG or REGISTRY/NAME@sha256:DIGEST");
}

static enum status check_ntp_server(const struct setter *s, const struct value *text,
                                    struct position at)
{
	if (!setter_has_form(text) || form_is_host(value_text(text)))
		return STATUS_OK;
	return setter_report(s, at, "must be names or addresses of hosts",
	                     "write them as [0.pool.ntp.org, 192.0.2.1]");
}

static enum status set_agent_sum(const struct setter *s, const struct setter_item *item,
                                 struct gardener_agent_sums *sums)
{
	sv arch = {0};
	sv sum = {0};

	if (!sv_cut(item->text.string, SV("="), &arch, &sum) || !dialect_fetch_is_sha256(sum) ||
	    (!sv_eq(arch, SV("amd64")) && !sv_eq(arch, SV("arm64"))))
		return setter_report(s, item->at, "must be a list of checksums",
		                     "write amd64=SHA256, arm64=SHA256 or both: 64 digits in "
		                     "lower case, as sha256sum prints them");
	if (sv_eq(arch, SV("amd64")))
		sums->amd64 = sum;
	else
		sums->arm64 = sum;
	return STATUS_OK;
}

static enum status take_agent_sums(const struct setter *s, const struct value *v, void *ret_sums)
{
	struct gardener_agent_sums *sums = ret_sums;
	enum status status = STATUS_OK;
	struct setter_items items;

	if (setter_take_list(s, v, true, &items) != STATUS_OK)
		return STATUS_FAILED;
	*sums = (struct gardener_agent_sums){0};
	VEC_EACH (item, &items)
		if (!sv_empty(item->text.string))
			status |= set_agent_sum(s, item, sums);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

static const struct setting rows[] = {
    {
        .flag = SV_INIT("gardener-apply-spread"),
        .name = SV_INIT("gardenerApplySpread"),
        .kind = SETTING_NUMBER,
        SETTING_MEMBER(gardener_settings, apply_spread),
        .placeholder = "SECONDS",
        .help = "with gardenerFlow: nodes apply a change at a time of their own within so many "
                "seconds; 0: at once",
        .initial = "300",
        .example = "600",
        .most = 86400,
        .problem = "must be seconds, 0 to 86400",
        .remedy = "write 300, or 0 to apply each change at once",
    },
    {
        .flag = SV_INIT("gardener-apt-mirror"),
        .name = SV_INIT("gardenerAptMirror"),
        .kind = SETTING_URL,
        SETTING_MEMBER(gardener_settings, apt_mirror),
        .help = "ubuntu: where new nodes get packages, instead of the image's mirror",
        .example = "https://mirror.example/ubuntu",
        .url = &mirror_url,
    },
    {
        .flag = SV_INIT("gardener-apt-security-mirror"),
        .name = SV_INIT("gardenerAptSecurityMirror"),
        .kind = SETTING_URL,
        SETTING_MEMBER(gardener_settings, apt_security_mirror),
        .help = "ubuntu: where new nodes get security updates, instead of the image's mirror",
        .example = "https://mirror.example/ubuntu-security",
        .url = &mirror_url,
    },
    {
        .flag = SV_INIT("gardener-bootstrap-token"),
        .name = SV_INIT("gardenerBootstrapToken"),
        .kind = SETTING_WORD,
        SETTING_MEMBER(gardener_settings, machine_tokens),
        .help = "with gardenerFlow: the token of a new machine, derived from the seed, or the one "
                "that machine-controller-manager fills in for <<BOOTSTRAP_TOKEN>>",
        .initial = "derived",
        .example = "machine",
        .words = "derived|machine",
        .problem = "must be derived or machine",
        .remedy = "write machine where machine-controller-manager fills in <<BOOTSTRAP_TOKEN>>",
    },
    {
        .flag = SV_INIT("gardener-contract"),
        .name = SV_INIT("gardenerContract"),
        .kind = SETTING_WORD,
        SETTING_MEMBER(gardener_settings, contract),
        .help = "which OperatingSystemConfigs there are: those of Gardener v1.145 and newer, or of "
                "v1.24",
        .initial = "current",
        .example = "current",
        .words = "current|2021",
        .problem = "must be current or 2021",
        .remedy = "write current for Gardener v1.145 and newer, \"2021\" for v1.24",
    },
    {
        .flag = SV_INIT("gardener-flow"),
        .name = SV_INIT("gardenerFlow"),
        .kind = SETTING_WORD,
        SETTING_MEMBER(gardener_settings, flow),
        .given = offsetof(struct gardener_settings, flow_given),
        .help = "also write what brings OperatingSystemConfigs to nodes without gardenlet. "
                "downloader: a script that downloads and applies them, as of Gardener v1.24; "
                "node-agent: gardener-node-agent, its user-data, credentials and RBAC",
        .initial = "none",
        .example = "node-agent",
        .words = "none|downloader|node-agent",
        .problem = "must be downloader, node-agent or none",
        .remedy = "write downloader for what gardenlet of Gardener v1.24 does, node-agent for "
                  "nodes that run gardener-node-agent",
    },
    {
        .flag = SV_INIT("gardener-format"),
        .name = SV_INIT("gardenerFormat"),
        .kind = SETTING_WORD,
        SETTING_MEMBER(gardener_settings, format),
        .help = "cloud-config: user-data for cloud-init where the operating system has such a "
                "form, in the place of a script",
        .initial = "auto",
        .example = "cloud-config",
        .words = "auto|cloud-config",
        .problem = "must be auto or cloud-config",
        .remedy = "write auto for the form that the operating system's extension writes",
    },
    {
        .flag = SV_INIT("gardener-kubernetes-version"),
        .name = SV_INIT("gardenerKubernetesVersion"),
        .kind = SETTING_VERSION,
        SETTING_MEMBER(gardener_settings, kubernetes_version),
        .help = "the version of the cluster's kubelets, on which some operating systems depend",
        .example = "1.34.1",
        .known = &kubernetes_known,
    },
    {
        .flag = SV_INIT("gardener-machine-secret"),
        .name = SV_INIT("gardenerMachineSecret"),
        .kind = SETTING_BOOL,
        SETTING_MEMBER(gardener_settings, machine_secret),
        .help = "also put user-data under the key userData, which machine-controller-manager "
                "reads",
        .initial = "false",
        .example = "true",
    },
    {
        .flag = SV_INIT("gardener-node-agent-image"),
        .name = SV_INIT("gardenerNodeAgentImage"),
        .kind = SETTING_IMAGE,
        SETTING_MEMBER(gardener_settings, agent.image),
        .given = offsetof(struct gardener_settings, agent.image_given),
        .help = "with gardenerFlow: node-agent, the image with the program; without a tag, that "
                "of gardenerNodeAgentVersion",
        .initial = GARDENER_AGENT_IMAGE,
        .example = "registry.example/gardener/node-agent:v1.145.0",
        .check = check_agent_image,
    },
    {
        .flag = SV_INIT("gardener-node-agent-secrets"),
        .name = SV_INIT("gardenerNodeAgentSecrets"),
        .kind = SETTING_BOOL,
        SETTING_MEMBER(gardener_settings, node_agent_secrets),
        .given = offsetof(struct gardener_settings, node_agent_secrets_given),
        .help = "write the Secrets that gardener-node-agent reads on the nodes",
        .initial = "false",
        .example = "true",
    },
    {
        .flag = SV_INIT("gardener-node-agent-sha256"),
        .name = SV_INIT("gardenerNodeAgentSHA256"),
        .kind = SETTING_LIST,
        SETTING_MEMBER(gardener_settings, agent.sums),
        .placeholder = "ARCH=SHA256,...",
        .help = "the checksums of the files of gardenerNodeAgentURL",
        .example = "[\"amd64=5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5\"]",
        .take = take_agent_sums,
    },
    {
        .flag = SV_INIT("gardener-node-agent-url"),
        .name = SV_INIT("gardenerNodeAgentURL"),
        .kind = SETTING_URL,
        SETTING_MEMBER(gardener_settings, agent.url),
        .help = "with gardenerFlow: node-agent, a file with the program in the place of an image; "
                "{arch} becomes amd64 or arm64",
        .example = "https://mirror.example/gardener-node-agent-{arch}",
        .url = &agent_url,
    },
    {
        .flag = SV_INIT("gardener-node-agent-version"),
        .name = SV_INIT("gardenerNodeAgentVersion"),
        .kind = SETTING_VERSION,
        SETTING_MEMBER(gardener_settings, agent.version),
        .given = offsetof(struct gardener_settings, agent.version_given),
        .help = "with gardenerFlow: node-agent, the version of the program, which reads the "
                "configuration of its own version only",
        .initial = GARDENER_AGENT_VERSION,
        .example = "v1.145.0",
        .known = &gardener_agent_known,
        .check = check_agent_version,
    },
    {
        .flag = SV_INIT("gardener-ntp"),
        .name = SV_INIT("gardenerNtp"),
        .kind = SETTING_WORD,
        SETTING_MEMBER(gardener_settings, ntp),
        .help = "ubuntu, flatcar: the time client of nodes; an OperatingSystemConfig's "
                "providerConfig wins",
        .initial = "systemd-timesyncd",
        .example = "ntpd",
        .words = "systemd-timesyncd|ntpd|none",
        .problem = "must be systemd-timesyncd, ntpd or none",
        .remedy = "write none where the image brings its own time client",
    },
    {
        .flag = SV_INIT("gardener-ntp-servers"),
        .name = SV_INIT("gardenerNtpServers"),
        .kind = SETTING_LIST,
        SETTING_MEMBER(gardener_settings, ntp_servers),
        .placeholder = "HOST,...",
        .help = "ubuntu, flatcar: the servers that ntpd asks",
        .example = "[\"ntp.example\"]",
        .check = check_ntp_server,
    },
    {
        .flag = SV_INIT("gardener-registry-ca"),
        .name = SV_INIT("gardenerRegistryCA"),
        .kind = SETTING_BUNDLE,
        SETTING_MEMBER(gardener_settings, agent.registry_ca),
        .help = "with gardenerFlow: node-agent, the CA of the registry of its image, which nodes "
                "trust before they pull it",
        .example = "certificates/registry.pem",
    },
    {
        .flag = SV_INIT("gardener-removed"),
        .name = SV_INIT("gardenerRemoved"),
        .kind = SETTING_WORD,
        SETTING_MEMBER(gardener_settings, removes),
        .help =
            "with gardenerFlow: downloader: what becomes of files and units on running nodes that "
            "an OperatingSystemConfig no longer has. keep: they stay, as with Gardener v1.24; "
            "remove: nodes stop these units and remove what they applied before",
        .initial = "keep",
        .example = "remove",
        .words = "keep|remove",
        .problem = "must be keep or remove",
        .remedy = "write remove to have nodes remove what is gone, keep to leave it there",
    },
    {
        .flag = SV_INIT("gardener-restart"),
        .name = SV_INIT("gardenerRestart"),
        .kind = SETTING_WORD,
        SETTING_MEMBER(gardener_settings, restarts_all),
        .help = "with gardenerFlow: downloader: which units a change restarts on running nodes. "
                "changed: those that changed, or that name a file that did; all: each one of "
                "status.units, as with Gardener v1.24",
        .initial = "changed",
        .example = "all",
        .words = "changed|all",
        .problem = "must be changed or all",
        .remedy = "write all where units read files that they do not name",
    },
    {
        .flag = SV_INIT("gardener-unattended-upgrades"),
        .name = SV_INIT("gardenerUnattendedUpgrades"),
        .kind = SETTING_BOOL,
        SETTING_MEMBER(gardener_settings, unattended_upgrades),
        .help = "ubuntu: false: nodes do not upgrade their packages by themselves",
        .initial = "true",
        .example = "false",
    },
    {
        .flag = SV_INIT("ignition"),
        .name = SV_INIT("ignition"),
        .kind = SETTING_WORD,
        SETTING_MEMBER(gardener_settings, ignition2),
        .help = "the version of Ignition's configuration in user-data of "
                "OperatingSystemConfigs",
        .initial = "3.3.0",
        .example = "2.3.0",
        .words = "3.3.0|2.3.0",
        .problem = "must be 3.3.0 or 2.3.0",
        .remedy = "write 2.3.0 for images whose Ignition is older than 2.0",
    },
    {
        .flag = SV_INIT("kubernetes-ca-bundle"),
        .name = SV_INIT("kubernetesCABundle"),
        .kind = SETTING_BUNDLE,
        SETTING_MEMBER(gardener_settings, ca),
        .help = "the cluster's CA (default: the one of cluster-info)",
        .example = "certificates/cluster.pem",
    },
    {
        .flag = SV_INIT("override-bootstrap-kubelet-apiserver"),
        .name = SV_INIT(SETTING_API_SERVER),
        .kind = SETTING_URL,
        SETTING_MEMBER(gardener_settings, server),
        .help = "URL of the API server for nodes, instead of the one of cluster-info",
        .may_be_sealed = true,
        .example = "https://api.example:6443",
        .url = &setter_url_of_server,
    },
    {
        .flag = SV_INIT("provisioning"),
        .name = SV_INIT("provisioning"),
        .kind = SETTING_WORD,
        SETTING_MEMBER(gardener_settings, splits_provisioning),
        .given = offsetof(struct gardener_settings, provisioning_given),
        .help = "must be whole in a cluster with Gardener's OperatingSystemConfigs",
        .initial = "whole",
        .example = "whole",
        .words = "whole|split",
        .may_be_empty = true,
        .problem = "must be whole or split",
        .remedy = "remove the setting",
    },
    {
        .flag = SV_INIT("token-rotation"),
        .name = SV_INIT("tokenRotation"),
        .kind = SETTING_TEXT,
        SETTING_MEMBER(gardener_settings, token_rotation),
        .help = "change it to derive new bootstrap tokens; daily, weekly or monthly: tokens that "
                "expire and are renewed, by the source commit's date",
        .example = "weekly",
        .check = setter_check_rotation,
    },
    {
        .flag = SV_INIT("user-data-limits"),
        .name = SV_INIT("userDataLimits"),
        .kind = SETTING_LIMITS,
        SETTING_MEMBER(gardener_settings, user_data_limits),
        .help = "what a provider takes of user-data, where it is not what osm-gen knows; 0: any "
                "amount",
        .example = "{\"openstack\": 65535}",
    },
};

const struct setting_table gardener_settings_table = {rows, COUNT_OF(rows),
                                                      sizeof(struct gardener_settings)};
