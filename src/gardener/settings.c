/*
 * The settings of Gardener's dialect.
 */
#include "base/ascii.h"
#include "gardener/internal.h"

sv gardener_contract_name(enum gardener_contract contract)
{
	return contract == GARDENER_2021 ? SV("2021") : SV("current");
}

static struct gardener_settings *own(const struct setter *s)
{
	return s->settings;
}

/* Accepts 2021 without quotes, too, which YAML reads as a number. */
static enum status set_contract(const struct setter *s, const struct value *v)
{
	struct value text = *v;

	if (value_is(v, KIND_INT64))
		text = value_string(arena_printf(s->arena, "%lld", (long long)v->integer));
	text.origin = v->origin;
	if (setter_take_text(s, &text, &text) != STATUS_OK)
		return STATUS_FAILED;
	for (int i = GARDENER_CURRENT; i <= GARDENER_2021; i++) {
		if (!sv_eq(text.string, gardener_contract_name((enum gardener_contract)i)))
			continue;
		own(s)->contract = (enum gardener_contract)i;
		return STATUS_OK;
	}
	return setter_report(s, value_position(v), "must be current or 2021",
	                     "write current for Gardener v1.145 and newer, \"2021\" for v1.24");
}

static enum status set_format(const struct setter *s, const struct value *v)
{
	static const char *const words[] = {"auto", "cloud-config"};
	static const struct setter_words taken = {
	    .words = words,
	    .count = COUNT_OF(words),
	    .problem = "must be auto or cloud-config",
	    .help = "write auto for what the operating system's extension writes",
	};
	size_t index;

	if (setter_take_word(s, v, &taken, &index) != STATUS_OK)
		return STATUS_FAILED;
	own(s)->format = (enum gardener_format)index;
	return STATUS_OK;
}

static enum status set_ignition(const struct setter *s, const struct value *v)
{
	static const char *const words[] = {"3.3.0", "2.3.0"};
	static const struct setter_words taken = {
	    .words = words,
	    .count = COUNT_OF(words),
	    .problem = "must be 3.3.0 or 2.3.0",
	    .help = "write 2.3.0 for images whose Ignition is older than 2.0",
	};
	size_t index;

	if (setter_take_word(s, v, &taken, &index) != STATUS_OK)
		return STATUS_FAILED;
	own(s)->ignition2 = index == 1;
	return STATUS_OK;
}

static enum status set_kubernetes_version(const struct setter *s, const struct value *v)
{
	struct value text;

	if (setter_take_version(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	own(s)->kubernetes_version = text.string;
	return STATUS_OK;
}

static enum status set_machine_secret(const struct setter *s, const struct value *v)
{
	return setter_take_bool(s, v, &own(s)->machine_secret);
}

static enum status set_node_agent_secrets(const struct setter *s, const struct value *v)
{
	own(s)->has_node_agent_secrets = true;
	return setter_take_bool(s, v, &own(s)->node_agent_secrets);
}

static enum status set_flow(const struct setter *s, const struct value *v)
{
	static const char *const words[] = {"none", "downloader", "node-agent"};
	static const struct setter_words taken = {
	    .words = words,
	    .count = COUNT_OF(words),
	    .problem = "must be downloader, node-agent or none",
	    .help = "write downloader for what gardenlet of Gardener v1.24 does, node-agent for "
	            "nodes that run gardener-node-agent",
	};
	size_t index;

	if (setter_take_word(s, v, &taken, &index) != STATUS_OK)
		return STATUS_FAILED;
	own(s)->flow = (enum gardener_flow)index;
	own(s)->flow_at = value_position(v);
	return STATUS_OK;
}

/* ---- gardener-node-agent ----------------------------------------------------------------- */

/* A version is part of a file's name on nodes. */
static enum status set_agent_version(const struct setter *s, const struct value *v)
{
	struct value text;

	if (setter_take_version(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (!sv_starts_with(text.string, SV("v")))
		return setter_report(s, value_position(v), "must be a version that begins with v",
		                     "write it as gardener-node-agent --version prints it: "
		                     "v1.145.0");
	own(s)->agent.version = text.string;
	return STATUS_OK;
}

static enum status set_agent_image(const struct setter *s, const struct value *v)
{
	struct value text;

	if (setter_take_image(s, v, &text) != STATUS_OK)
		return STATUS_FAILED;
	/* ctr needs the registry, and would not add it. */
	if (sv_find_char(text.string, '/') == SV_NPOS)
		return setter_report(s, value_position(v), "must be an image",
		                     "write REGISTRY/NAME, REGISTRY/NAME:TAG or "
		                     "REGISTRY/NAME@sha256:DIGEST");
	own(s)->agent.image = text.string;
	own(s)->agent.has_image = true;
	return STATUS_OK;
}

static enum status set_agent_url(const struct setter *s, const struct value *v)
{
	static const char *const schemes[] = {"https", NULL};
	static const struct setter_url form = {
	    .schemes = schemes,
	    .problem = "must be an https URL",
	    .help = "write https://HOST/PATH; {arch} in it becomes amd64 or arm64",
	};

	return setter_take_url(s, v, &form, &own(s)->agent.url);
}

static enum status set_agent_sum(const struct setter *s, const struct setter_item *item)
{
	struct gardener_agent_program *agent = &own(s)->agent;
	sv arch = {0};
	sv sum = {0};

	if (!sv_cut(item->text.string, SV("="), &arch, &sum) || !dialect_fetch_is_sha256(sum) ||
	    (!sv_eq(arch, SV("amd64")) && !sv_eq(arch, SV("arm64"))))
		return setter_report(s, item->at, "must be a list of checksums",
		                     "write amd64=SHA256, arm64=SHA256 or both: 64 digits in "
		                     "lower case, as sha256sum prints them");
	if (sv_eq(arch, SV("amd64")))
		agent->sha256_amd64 = sum;
	else
		agent->sha256_arm64 = sum;
	return STATUS_OK;
}

static enum status set_agent_sums(const struct setter *s, const struct value *v)
{
	enum status status = STATUS_OK;
	struct setter_items items;

	if (setter_take_list(s, v, true, &items) != STATUS_OK)
		return STATUS_FAILED;
	own(s)->agent.sha256_amd64 = own(s)->agent.sha256_arm64 = SV("");
	VEC_EACH (item, &items)
		if (!sv_empty(item->text.string))
			status |= set_agent_sum(s, item);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

static enum status set_server(const struct setter *s, const struct value *v)
{
	return setter_take_server(s, v, &own(s)->server);
}

static enum status set_ca(const struct setter *s, const struct value *v)
{
	return setter_take_bundle(s, v, &own(s)->ca);
}

/* ---- the flow ---------------------------------------------------------------------------- */

enum { LONGEST_SPREAD = 86400 };

/* Accepts a number of seconds, with or without quotes. */
static enum status set_apply_spread(const struct setter *s, const struct value *v)
{
	struct value text = *v;
	uint64_t seconds = 0;

	if (value_is(v, KIND_INT64))
		text = value_string(arena_printf(s->arena, "%lld", (long long)v->integer));
	text.origin = v->origin;
	if (setter_take_text(s, &text, &text) != STATUS_OK)
		return STATUS_FAILED;
	bool is_number = !sv_empty(text.string) && text.string.len <= 5;
	for (size_t i = 0; i < text.string.len && is_number; i++) {
		is_number = ascii_is_digit(text.string.ptr[i]);
		seconds = seconds * 10 + (uint64_t)(text.string.ptr[i] - '0');
	}
	if (!is_number || seconds > LONGEST_SPREAD)
		return setter_report(s, value_position(v), "must be seconds, 0 to 86400",
		                     "write 300, or 0 to apply each change at once");
	own(s)->apply_spread = (unsigned)seconds;
	return STATUS_OK;
}

static enum status set_bootstrap_token(const struct setter *s, const struct value *v)
{
	static const char *const words[] = {"derived", "machine"};
	static const struct setter_words taken = {
	    .words = words,
	    .count = COUNT_OF(words),
	    .problem = "must be derived or machine",
	    .help = "write machine where machine-controller-manager fills in <<BOOTSTRAP_TOKEN>>",
	};
	size_t index;

	if (setter_take_word(s, v, &taken, &index) != STATUS_OK)
		return STATUS_FAILED;
	own(s)->machine_tokens = index == 1;
	return STATUS_OK;
}

static enum status set_token_rotation(const struct setter *s, const struct value *v)
{
	return setter_take_rotation(s, v, &own(s)->token_rotation);
}

/* ---- what an extension's own configuration has in Gardener ------------------------------- */

static enum status set_ntp(const struct setter *s, const struct value *v)
{
	static const char *const words[] = {"systemd-timesyncd", "ntpd", "none"};
	static const struct setter_words taken = {
	    .words = words,
	    .count = COUNT_OF(words),
	    .problem = "must be systemd-timesyncd, ntpd or none",
	    .help = "write none where the image brings its own time client",
	};
	size_t index;

	if (setter_take_word(s, v, &taken, &index) != STATUS_OK)
		return STATUS_FAILED;
	own(s)->ntp = sv_from_cstr(words[index]);
	return STATUS_OK;
}

static enum status set_ntp_servers(const struct setter *s, const struct value *v)
{
	struct setter_items items = {0};
	enum status status = STATUS_OK;

	if (setter_take_list(s, v, true, &items) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (item, &items)
		if (setter_has_form(&item->text) && !form_is_host(value_text(&item->text)))
			status = setter_report(s, item->at, "must be names or addresses of hosts",
			                       "write them as [0.pool.ntp.org, 192.0.2.1]");
	own(s)->ntp_servers = items;
	return status;
}

static enum status take_mirror(const struct setter *s, const struct value *v, struct value *ret)
{
	static const char *const schemes[] = {"http", "https", NULL};
	static const struct setter_url form = {
	    .schemes = schemes,
	    .problem = "must be a URL of http or https",
	    .help = "write it as http://mirror.example.com/ubuntu",
	};

	return setter_take_url(s, v, &form, ret);
}

static enum status set_apt_mirror(const struct setter *s, const struct value *v)
{
	return take_mirror(s, v, &own(s)->apt_mirror);
}

static enum status set_apt_security_mirror(const struct setter *s, const struct value *v)
{
	return take_mirror(s, v, &own(s)->apt_security_mirror);
}

static enum status set_unattended_upgrades(const struct setter *s, const struct value *v)
{
	bool has = true;
	enum status status = setter_take_bool(s, v, &has);

	own(s)->no_unattended_upgrades = !has;
	return status;
}

/* Ignores other names, which are those of other dialects. */
static enum status set_user_data_limits(const struct setter *s, const struct value *v)
{
	struct value limits;

	if (setter_take_limits(s, v, &limits) != STATUS_OK)
		return STATUS_FAILED;
	const struct value *limit = value_map_get(&limits, SV(GARDENER_BUDGET));
	own(s)->has_user_data_limit = limit != NULL;
	own(s)->user_data_limit = limit ? (size_t)limit->integer : 0;
	return STATUS_OK;
}

const struct setting gardener_settings_table[GARDENER_SETTING_COUNT] = {
    {
        .flag = SV_INIT("gardener-apply-spread"),
        .name = SV_INIT("gardenerApplySpread"),
        .kind = SETTING_NUMBER,
        .placeholder = "SECONDS",
        .help = "with gardenerFlow: nodes apply a change at a time of their own within so many "
                "seconds; 0: at once",
        .initial = "300",
        .example = "600",
        .set = set_apply_spread,
    },
    {
        .flag = SV_INIT("gardener-apt-mirror"),
        .name = SV_INIT("gardenerAptMirror"),
        .kind = SETTING_STRING,
        .placeholder = "URL",
        .help = "ubuntu: where new nodes get packages, instead of the image's mirror",
        .example = "https://mirror.example/ubuntu",
        .set = set_apt_mirror,
    },
    {
        .flag = SV_INIT("gardener-apt-security-mirror"),
        .name = SV_INIT("gardenerAptSecurityMirror"),
        .kind = SETTING_STRING,
        .placeholder = "URL",
        .help = "ubuntu: where new nodes get security updates, instead of the image's mirror",
        .example = "https://mirror.example/ubuntu-security",
        .set = set_apt_security_mirror,
    },
    {
        .flag = SV_INIT("gardener-bootstrap-token"),
        .name = SV_INIT("gardenerBootstrapToken"),
        .kind = SETTING_STRING,
        .placeholder = "derived|machine",
        .help = "with gardenerFlow: the token of a new machine, derived from the seed, or the one "
                "that machine-controller-manager fills in for <<BOOTSTRAP_TOKEN>>",
        .initial = "derived",
        .example = "machine",
        .set = set_bootstrap_token,
    },
    {
        .flag = SV_INIT("gardener-contract"),
        .name = SV_INIT("gardenerContract"),
        .kind = SETTING_STRING,
        .placeholder = "current|2021",
        .help = "which OperatingSystemConfigs there are: those of Gardener v1.145 and newer, or of "
                "v1.24",
        .initial = "current",
        .example = "current",
        .set = set_contract,
    },
    {
        .flag = SV_INIT("gardener-flow"),
        .name = SV_INIT("gardenerFlow"),
        .kind = SETTING_STRING,
        .placeholder = "none|downloader|node-agent",
        .help = "also write what brings OperatingSystemConfigs to nodes without gardenlet. "
                "downloader: a script that downloads and applies them, as of Gardener v1.24; "
                "node-agent: gardener-node-agent, its user-data, credentials and RBAC",
        .initial = "none",
        .example = "node-agent",
        .set = set_flow,
    },
    {
        .flag = SV_INIT("gardener-format"),
        .name = SV_INIT("gardenerFormat"),
        .kind = SETTING_STRING,
        .placeholder = "auto|cloud-config",
        .help = "cloud-config: user-data for cloud-init where the operating system has such a "
                "form, in the place of a script",
        .initial = "auto",
        .example = "cloud-config",
        .set = set_format,
    },
    {
        .flag = SV_INIT("gardener-kubernetes-version"),
        .name = SV_INIT("gardenerKubernetesVersion"),
        .kind = SETTING_STRING,
        .placeholder = "VERSION",
        .help = "the version of the cluster's kubelets, on which some operating systems depend",
        .example = "1.34.1",
        .set = set_kubernetes_version,
    },
    {
        .flag = SV_INIT("gardener-machine-secret"),
        .name = SV_INIT("gardenerMachineSecret"),
        .kind = SETTING_BOOL,
        .help = "also put user-data under the key userData, which machine-controller-manager "
                "reads",
        .initial = "false",
        .example = "true",
        .set = set_machine_secret,
    },
    {
        .flag = SV_INIT("gardener-node-agent-image"),
        .name = SV_INIT("gardenerNodeAgentImage"),
        .kind = SETTING_STRING,
        .placeholder = "IMAGE",
        .help = "with gardenerFlow: node-agent, the image with the program; without a tag, that "
                "of gardenerNodeAgentVersion",
        .initial = GARDENER_AGENT_IMAGE,
        .example = "registry.example/gardener/node-agent:v1.145.0",
        .set = set_agent_image,
    },
    {
        .flag = SV_INIT("gardener-node-agent-secrets"),
        .name = SV_INIT("gardenerNodeAgentSecrets"),
        .kind = SETTING_BOOL,
        .help = "write the Secrets that gardener-node-agent reads on the nodes",
        .initial = "false",
        .example = "true",
        .set = set_node_agent_secrets,
    },
    {
        .flag = SV_INIT("gardener-node-agent-sha256"),
        .name = SV_INIT("gardenerNodeAgentSHA256"),
        .kind = SETTING_LIST,
        .placeholder = "ARCH=SHA256,...",
        .help = "the checksums of the files of gardenerNodeAgentURL",
        .example = "[\"amd64=5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5\"]",
        .set = set_agent_sums,
    },
    {
        .flag = SV_INIT("gardener-node-agent-url"),
        .name = SV_INIT("gardenerNodeAgentURL"),
        .kind = SETTING_STRING,
        .placeholder = "URL",
        .help = "with gardenerFlow: node-agent, a file with the program in the place of an image; "
                "{arch} becomes amd64 or arm64",
        .example = "https://mirror.example/gardener-node-agent-{arch}",
        .set = set_agent_url,
    },
    {
        .flag = SV_INIT("gardener-node-agent-version"),
        .name = SV_INIT("gardenerNodeAgentVersion"),
        .kind = SETTING_STRING,
        .placeholder = "VERSION",
        .help = "with gardenerFlow: node-agent, the version of the program, which reads the "
                "configuration of its own version only",
        .initial = GARDENER_AGENT_VERSION,
        .example = "v1.145.0",
        .set = set_agent_version,
    },
    {
        .flag = SV_INIT("gardener-ntp"),
        .name = SV_INIT("gardenerNtp"),
        .kind = SETTING_STRING,
        .placeholder = "systemd-timesyncd|ntpd|none",
        .help = "ubuntu, flatcar: the time client of nodes; an OperatingSystemConfig's "
                "providerConfig wins",
        .initial = "systemd-timesyncd",
        .example = "ntpd",
        .set = set_ntp,
    },
    {
        .flag = SV_INIT("gardener-ntp-servers"),
        .name = SV_INIT("gardenerNtpServers"),
        .kind = SETTING_LIST,
        .placeholder = "HOST,...",
        .help = "ubuntu, flatcar: the servers that ntpd asks",
        .example = "[\"ntp.example\"]",
        .set = set_ntp_servers,
    },
    {
        .flag = SV_INIT("gardener-unattended-upgrades"),
        .name = SV_INIT("gardenerUnattendedUpgrades"),
        .kind = SETTING_BOOL,
        .help = "ubuntu: false: nodes do not upgrade their packages by themselves",
        .initial = "true",
        .example = "false",
        .set = set_unattended_upgrades,
    },
    {
        .flag = SV_INIT("ignition"),
        .name = SV_INIT("ignition"),
        .kind = SETTING_STRING,
        .placeholder = "3.3.0|2.3.0",
        .help = "the version of Ignition's configuration in user-data of "
                "OperatingSystemConfigs",
        .initial = "3.3.0",
        .example = "2.3.0",
        .set = set_ignition,
    },
    {
        .flag = SV_INIT("kubernetes-ca-bundle"),
        .name = SV_INIT("kubernetesCABundle"),
        .kind = SETTING_FILE,
        .placeholder = "FILE",
        .help = "the cluster's CA (default: the one of cluster-info)",
        .example = "certificates/cluster.pem",
        .set = set_ca,
    },
    {
        .flag = SV_INIT("override-bootstrap-kubelet-apiserver"),
        .name = SV_INIT(SETTING_API_SERVER),
        .kind = SETTING_STRING,
        .placeholder = "URL",
        .help = "URL of the API server for nodes, instead of the one of cluster-info",
        .may_be_sealed = true,
        .example = "https://api.example:6443",
        .set = set_server,
    },
    {
        .flag = SV_INIT("token-rotation"),
        .name = SV_INIT("tokenRotation"),
        .kind = SETTING_STRING,
        .placeholder = "TEXT",
        .help = "change it to derive new bootstrap tokens; daily, weekly or monthly: tokens that "
                "expire and are renewed, by the source commit's date",
        .example = "weekly",
        .set = set_token_rotation,
    },
    {
        .flag = SV_INIT("user-data-limits"),
        .name = SV_INIT("userDataLimits"),
        .kind = SETTING_MAP,
        .placeholder = "PROVIDER=BYTES,...",
        .help = "what a provider takes of user-data, where it is not what osm-gen knows; 0: any "
                "amount",
        .example = "{\"openstack\": 65535}",
        .set = set_user_data_limits,
    },
};

void *gardener_settings_new(struct arena *arena, const void *from)
{
	struct gardener_settings *settings = ARENA_NEW(arena, struct gardener_settings);

	if (from)
		*settings = *(const struct gardener_settings *)from;
	else
		*settings = (struct gardener_settings){
		    .apply_spread = 300,
		    .server = value_string(SV("")),
		    .ca = value_string(SV("")),
		    .agent = {.version = SV(GARDENER_AGENT_VERSION),
		              .image = SV(GARDENER_AGENT_IMAGE),
		              .url = value_string(SV(""))},
		};
	return settings;
}
