/*
 * providerSpec.value as Go's encoding/json decodes it into providerconfig.Config
 * (docs/spec/controller.md 2.5).
 */
#include "golang/golang.h"
#include "osm/machine.h"

struct decoder {
	struct arena *arena;
	struct sink *sink;
	bool strict;
	bool failed;
};

static struct diag *report_type(struct decoder *d, const struct value *v, sv name,
                                const char *wanted)
{
	d->failed = true;
	return diag_report(d->sink, DIAG_MD_CONFIG, value_position(v), "%.*s must be %s",
	                   SV_ARG(name), wanted);
}

/* Reports a value that must be a string, or a list of strings. */
static void report_string(struct decoder *d, const struct value *v, sv name, const char *wanted)
{
	struct diag *diag = report_type(d, v, name, wanted);

	diag_set_help(d->sink, diag, "put it in quotes when it looks like a number or a boolean");
}

/* Returns the number of the field that Go assigns the key to, or SV_NPOS. */
static size_t find_field(const sv *fields, size_t count, sv key)
{
	for (size_t i = 0; i < count; i++) {
		if (go_json_key_is(key, fields[i]))
			return i;
	}
	return SV_NPOS;
}

static void report_unknown(struct decoder *d, const struct value_entry *entry, sv where,
                           const sv *fields, size_t count)
{
	struct diag *diag =
	    diag_report(d->sink, DIAG_MD_UNKNOWN_KEY, origin_position(entry->key_origin),
	                "unknown key \"%.*s\" in %.*s", SV_ARG(entry->key), SV_ARG(where));
	sv nearest = diag_nearest(entry->key, fields, count);

	if (!sv_empty(nearest))
		diag_set_help(d->sink, diag, "did you mean \"%.*s\"?", SV_ARG(nearest));
	else
		diag_set_help(d->sink, diag, "remove it, or move it to cloudProviderSpec");
	d->failed = true;
}

static void check_known(struct decoder *d, const struct value *object, sv where, const sv *fields,
                        size_t count)
{
	for (size_t i = 0; d->strict && i < value_count(object); i++) {
		const struct value_entry *entry = &object->map->entries[i];

		if (find_field(fields, count, entry->key) == SV_NPOS)
			report_unknown(d, entry, where, fields, count);
	}
}

/* Checks that each value is a map or null. */
static void check_struct(struct decoder *d, const struct go_json_matches *matches, sv name,
                         const sv *fields, size_t count)
{
	VEC_EACH (match, matches) {
		const struct value *v = &(*match)->value;

		if (value_is_map(v))
			check_known(d, v, name, fields, count);
		else if (!value_is_null(v))
			(void)report_type(d, v, name, "a map");
	}
}

static struct value decode_string(struct decoder *d, const struct go_json_matches *matches, sv name)
{
	VEC_EACH (match, matches) {
		const struct value *v = &(*match)->value;

		if (!value_is_null(v) && !value_is_string(v))
			report_string(d, v, name, "a string");
	}
	const struct value *last = go_json_last(matches);
	return value_is_string(last) ? *last : value_string(SV(""));
}

static struct value decode_strings(struct decoder *d, const struct go_json_matches *matches,
                                   sv name)
{
	VEC_EACH (match, matches) {
		const struct value *v = &(*match)->value;

		if (!value_is_null(v) && !value_is_list(v))
			report_string(d, v, name, "a list of strings");
		for (size_t i = 0; value_is_list(v) && i < value_count(v); i++) {
			const struct value *item = value_item(v, i);

			if (!value_is_null(item) && !value_is_string(item))
				report_string(d, item, name, "a string");
		}
	}
	return go_json_strings(d->arena, matches);
}

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

static struct osm_network read_network(struct decoder *d, const struct go_json_matches *given)
{
	static const sv fields[] = {
	    SV_INIT("cidr"),
	    SV_INIT("gateway"),
	    SV_INIT("dns"),
	    SV_INIT("ipFamily"),
	};
	static const sv dns_fields[] = {SV_INIT("servers")};
	struct go_json_matches cidr = go_json_inner(d->arena, given, fields[0]);
	struct go_json_matches gateway = go_json_inner(d->arena, given, fields[1]);
	struct go_json_matches dns = go_json_inner(d->arena, given, fields[2]);
	struct go_json_matches family = go_json_inner(d->arena, given, fields[3]);
	struct go_json_matches servers = go_json_inner(d->arena, &dns, dns_fields[0]);

	check_struct(d, given, SV("network"), fields, COUNT_OF(fields));
	check_struct(d, &dns, SV("network.dns"), dns_fields, COUNT_OF(dns_fields));
	return (struct osm_network){
	    .cidr = decode_string(d, &cidr, SV("network.cidr")),
	    .gateway = decode_string(d, &gateway, SV("network.gateway")),
	    .dns_servers = decode_strings(d, &servers, SV("network.dns.servers")),
	    .ip_family = decode_string(d, &family, SV("network.ipFamily")),
	    .at = value_position(go_json_last(given)),
	};
}

static const struct osm_network *decode_network(struct decoder *d,
                                                const struct go_json_matches *matches)
{
	size_t end = last_null(matches);
	struct go_json_matches emptied = slice(matches, 0, end);
	struct go_json_matches given = slice(matches, end, matches->count);

	/* Values before a null are discarded, but must be valid all the same. */
	(void)read_network(d, &emptied);
	if (given.count == 0)
		return NULL;
	struct osm_network *network = ARENA_NEW(d->arena, struct osm_network);
	*network = read_network(d, &given);
	return network;
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

static const sv config_fields[] = {
    SV_INIT("sshPublicKeys"),     SV_INIT("caPublicKey"),          SV_INIT("cloudProvider"),
    SV_INIT("cloudProviderSpec"), SV_INIT("operatingSystem"),      SV_INIT("operatingSystemSpec"),
    SV_INIT("network"),           SV_INIT("overwriteCloudConfig"),
};

bool osm_provider_config_misspells(const struct value *root, sv field)
{
	for (size_t i = 0; i < value_count(root); i++) {
		sv key = root->map->entries[i].key;

		if (find_field(config_fields, COUNT_OF(config_fields), key) == SV_NPOS &&
		    sv_eq(diag_nearest(key, config_fields, COUNT_OF(config_fields)), field))
			return true;
	}
	return false;
}

enum status osm_provider_config_read(struct arena *arena, struct sink *sink,
                                     const struct value *root, enum osm_decoding decoding,
                                     struct osm_provider_config *ret_config)
{
	const sv *fields = config_fields;
	struct decoder d = {arena, sink, decoding == OSM_STRICT, false};
	struct go_json_matches v[COUNT_OF(config_fields)];

	if (!value_is_map(root)) {
		(void)report_type(&d, root, SV("providerSpec.value"), "a map");
		return STATUS_FAILED;
	}
	check_known(&d, root, SV("providerSpec.value"), fields, COUNT_OF(config_fields));
	for (size_t i = 0; i < COUNT_OF(config_fields); i++)
		v[i] = go_json_matches(arena, root, fields[i]);
	struct osm_provider_config config = {
	    .root = root,
	    .ssh_public_keys = decode_strings(&d, &v[0], fields[0]),
	    .cloud_provider = decode_string(&d, &v[2], fields[2]),
	    .cloud_provider_spec = go_json_last(&v[3]),
	    .operating_system = decode_string(&d, &v[4], fields[4]),
	    .operating_system_spec = go_json_last(&v[5]),
	    .network = decode_network(&d, &v[6]),
	};
	refuse_private_keys(&d, &config.ssh_public_keys);
	decode_string(&d, &v[1], fields[1]);
	decode_string(&d, &v[7], fields[7]);
	struct go_json_matches overwrite = slice(&v[7], last_null(&v[7]), v[7].count);
	config.overwrite_cloud_config = go_json_last(&overwrite);
	if (d.failed)
		return STATUS_FAILED;
	*ret_config = config;
	return STATUS_OK;
}
