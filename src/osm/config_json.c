/*
 * providerSpec.value as Go's encoding/json decodes it into providerconfig.Config
 * (docs/spec/controller.md 2.5).
 */
#include "golang/golang.h"
#include "osm/machine.h"

/* ---- the members ------------------------------------------------------------------------- */

static const struct shape_member dns_members[] = {
    {.name = "servers", .form = SHAPE_LIST, .help = "addresses of name servers"},
};
static const struct shape dns_shape = SHAPE("DNSConfig", dns_members);

static const struct shape_member network_members[] = {
    {.name = "cidr", .help = "address of a machine and its network, 10.0.0.5/24; for flatcar only"},
    {.name = "gateway", .help = "address of the router; for flatcar only"},
    {.name = "dns", .type = SHAPE_MAP, .of = &dns_shape, .help = "name servers; for flatcar only"},
    {.name = "ipFamily",
     .choices = "IPv4|IPv6|IPv4+IPv6|IPv6+IPv4|",
     .initial = "IPv4",
     .help = "address families of the nodes"},
};
static const struct shape network_shape = SHAPE("NetworkConfig", network_members);

static const struct shape_member config_members[] = {
    {.name = "sshPublicKeys",
     .form = SHAPE_LIST,
     .help = "SSH public keys that may log in, as lines of .pub files"},
    {.name = "caPublicKey", .help = "unused"},
    {.name = "cloudProvider", .flags = SHAPE_FILLED, .help = "the cloud that the machines are in"},
    {.name = "cloudProviderSpec",
     .type = SHAPE_ANY,
     .help = "settings of the cloud: sizes, networks, credentials"},
    {.name = "operatingSystem",
     .choices = "ubuntu|flatcar|rhel|amzn2|rockylinux",
     .flags = SHAPE_FILLED,
     .help = "the operating system of the machines, which decides their profile if none is "
             "named"},
    {.name = "operatingSystemSpec",
     .type = SHAPE_ANY,
     .help = "settings of the operating system: updates, subscription"},
    {.name = "network",
     .type = SHAPE_MAP,
     .of = &network_shape,
     .help = "address families, and static addresses"},
    {.name = "overwriteCloudConfig",
     .help = "the legacy cloud provider's file cloud-config, in the place of the one that is "
             "made"},
};
const struct shape osm_config_shape = SHAPE("Config", config_members);

/* ---- checks ------------------------------------------------------------------------------ */

struct decoder {
	struct arena *arena;
	struct sink *sink;
	bool strict;
	bool failed;
};

/* Reports types, and unknown names; machine.c reports values that are missing or wrong. */
static void report_config_problem(struct shape_reader *r, const struct shape_problem *problem)
{
	struct decoder *d = r->context;
	const struct shape_member *member = problem->member;
	const char *path = problem->shape == &dns_shape       ? "network.dns"
	                   : problem->shape == &network_shape ? "network"
	                                                      : "providerSpec.value";

	if (problem->kind == SHAPE_UNKNOWN && d->strict) {
		struct diag *diag = diag_report(
		    d->sink, DIAG_MD_UNKNOWN_KEY, origin_position(problem->entry->key_origin),
		    "unknown key \"%.*s\" in %s", SV_ARG(problem->entry->key), path);
		sv nearest = shape_nearest(r->arena, problem->shape, problem->entry->key, 0);

		diag_help_quoted(d->sink, diag, nearest,
		                 "remove it, or move it to cloudProviderSpec");
		d->failed = true;
	}
	if (problem->kind != SHAPE_WRONG_TYPE)
		return;
	bool is_root = problem->shape == &osm_config_shape;
	struct diag *diag = diag_report(d->sink, DIAG_MD_CONFIG, value_position(problem->value),
	                                "%s%s%s must be %.*s", is_root ? "" : path,
	                                is_root ? "" : ".", problem->place ? member->name : path,
	                                SV_ARG(shape_wanted(r->arena, member, problem->is_item)));

	d->failed = true;
	if (member->type != SHAPE_MAP)
		diag_set_help(d->sink, diag,
		              "put it in quotes when it looks like a number or a boolean");
}

/* Reports private keys: SSH keys are in the OperatingSystemConfig in clear text. */
static void refuse_private_keys(struct decoder *d, const struct value *keys)
{
	for (size_t i = 0; d->strict && i < value_count(keys); i++) {
		const struct value *key = value_item(keys, i);

		if (!secrecy_holds_private_key(value_text(key)))
			continue;
		struct diag *diag = diag_report(d->sink, DIAG_MD_CONFIG, value_position(key),
		                                "sshPublicKeys holds a private key");
		diag_set_help(d->sink, diag,
		              "give what ssh-keygen -y -f FILE prints, and treat the private key "
		              "as known to others");
		d->failed = true;
	}
}

/* ---- values ------------------------------------------------------------------------------ */

static struct go_json_matches slice(const struct go_json_matches *matches, size_t from, size_t to)
{
	if (from == to)
		return (struct go_json_matches){0};
	return (struct go_json_matches){.items = matches->items + from, .count = to - from};
}

/* Returns the number of matches up to the last null, which sets a Go pointer to nil. */
static size_t last_null(const struct go_json_matches *matches)
{
	size_t end = 0;

	for (size_t i = 0; i < matches->count; i++)
		if (value_is_null(&matches->items[i]->value))
			end = i + 1;
	return end;
}

static struct value string_of(const struct go_json_matches *matches)
{
	const struct value *last = go_json_last(matches);

	return value_is_string(last) ? *last : value_string(SV(""));
}

static const struct osm_network *read_network(struct arena *arena,
                                              const struct go_json_matches *matches)
{
	/* Values before a null are discarded. */
	struct go_json_matches given = slice(matches, last_null(matches), matches->count);
	struct go_json_matches cidr = go_json_inner(arena, &given, SV("cidr"));
	struct go_json_matches gateway = go_json_inner(arena, &given, SV("gateway"));
	struct go_json_matches dns = go_json_inner(arena, &given, SV("dns"));
	struct go_json_matches family = go_json_inner(arena, &given, SV("ipFamily"));
	struct go_json_matches servers = go_json_inner(arena, &dns, SV("servers"));
	struct osm_network *network;

	if (given.count == 0)
		return NULL;
	network = ARENA_NEW(arena, struct osm_network);
	*network = (struct osm_network){
	    .cidr = string_of(&cidr),
	    .gateway = string_of(&gateway),
	    .dns_servers = go_json_strings(arena, &servers),
	    .ip_family = string_of(&family),
	    .at = value_position(go_json_last(&given)),
	};
	return network;
}

bool osm_provider_config_misspells(const struct value *root, sv field)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);

	for (size_t i = 0; i < value_count(root); i++) {
		sv key = root->map->entries[i].key;
		bool is_known = false;

		for (size_t k = 0; k < osm_config_shape.count; k++)
			is_known |= go_json_key_is(key, sv_from_cstr(config_members[k].name));
		if (!is_known && sv_eq(shape_nearest(arena, &osm_config_shape, key, 0), field))
			return true;
	}
	return false;
}

enum status osm_provider_config_read(struct arena *arena, struct sink *sink,
                                     const struct value *root, enum osm_decoding decoding,
                                     struct osm_provider_config *ret_config)
{
	struct decoder d = {arena, sink, decoding == OSM_STRICT, false};
	struct shape_reader reader = {
	    .arena = arena,
	    .options = SHAPE_FOLDS_CASE,
	    .report = report_config_problem,
	    .context = &d,
	};
	(void)shape_check(&reader, &osm_config_shape, NULL, root);
	if (!value_is_map(root))
		return STATUS_FAILED;
	struct go_json_matches keys = go_json_matches(arena, root, SV("sshPublicKeys"));
	struct go_json_matches cloud = go_json_matches(arena, root, SV("cloudProvider"));
	struct go_json_matches system = go_json_matches(arena, root, SV("operatingSystem"));
	struct go_json_matches network = go_json_matches(arena, root, SV("network"));
	struct go_json_matches text = go_json_matches(arena, root, SV("overwriteCloudConfig"));
	text = slice(&text, last_null(&text), text.count);
	struct osm_provider_config config = {
	    .root = root,
	    .ssh_public_keys = go_json_strings(arena, &keys),
	    .cloud_provider = string_of(&cloud),
	    .cloud_provider_spec = go_json_member(root, SV("cloudProviderSpec")),
	    .operating_system = string_of(&system),
	    .operating_system_spec = go_json_member(root, SV("operatingSystemSpec")),
	    .network = read_network(arena, &network),
	    .overwrite_cloud_config = go_json_last(&text),
	};
	refuse_private_keys(&d, &config.ssh_public_keys);
	if (d.failed)
		return STATUS_FAILED;
	*ret_config = config;
	return STATUS_OK;
}
