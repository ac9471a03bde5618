/*
 * providerSpec.value as Go's encoding/json decodes it into providerconfig.Config
 * (docs/spec/controller.md 2.5).
 */
#include "osm/internal.h"

struct decoder {
	struct arena *arena;
	struct sink *sink;
	bool strict;
	bool failed;
};

static void report_type(struct decoder *d, const struct value *v, sv name, const char *wanted)
{
	struct diag *diag = diag_report(d->sink, DIAG_MD_CONFIG, value_position(v),
	                                "%.*s must be %s", SV_ARG(name), wanted);

	if (strstr(wanted, "text"))
		diag_set_help(d->sink, diag,
		              "put it in quotes when it looks like a number or a boolean");
	d->failed = true;
}

/*
 * Which field a key is for: exact name, else without regard to case. SV_NPOS: none.
 */
static size_t find_field(const sv *fields, size_t count, sv key)
{
	for (size_t i = 0; i < count; i++) {
		if (sv_eq(fields[i], key))
			return i;
	}
	for (size_t i = 0; i < count; i++) {
		if (sv_eq_fold_ascii(fields[i], key))
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

/*
 * Sorts an object's values to the fields they are for. A manifest reaches the API server as JSON
 * with sorted keys, so of several keys for one field the last in that order wins; null leaves a
 * value alone.
 */
static void assign(struct decoder *d, const struct value *object, sv where, const sv *fields,
                   const struct value **values, size_t count)
{
	size_t entry_count = value_count(object);
	const struct value_entry **chosen =
	    ARENA_ARRAY(d->arena, const struct value_entry *, count);

	for (size_t i = 0; i < entry_count; i++) {
		const struct value_entry *entry = &object->map->entries[i];
		size_t field = find_field(fields, count, entry->key);

		if (field == SV_NPOS) {
			if (d->strict)
				report_unknown(d, entry, where, fields, count);
			continue;
		}
		if (value_is_null(&entry->value))
			continue;
		if (!chosen[field] || sv_cmp(chosen[field]->key, entry->key) < 0)
			chosen[field] = entry;
	}
	for (size_t i = 0; i < count; i++)
		values[i] = chosen[i] ? &chosen[i]->value : NULL;
}

const struct value *osm_json_member(const struct value *object, sv name)
{
	const struct value_entry *chosen = NULL;

	if (!value_is_map(object))
		return NULL;
	for (size_t i = 0; i < value_count(object); i++) {
		const struct value_entry *entry = &object->map->entries[i];

		if (!sv_eq_fold_ascii(entry->key, name) || value_is_null(&entry->value))
			continue;
		if (!chosen || sv_cmp(chosen->key, entry->key) < 0)
			chosen = entry;
	}
	return chosen ? &chosen->value : NULL;
}

static int compare_entries(const void *a, const void *b, void *context)
{
	const struct value_entry *left = *(const struct value_entry *const *)a;
	const struct value_entry *right = *(const struct value_entry *const *)b;

	(void)context;
	return sv_cmp(left->key, right->key);
}

struct osm_json_matches osm_json_matches(struct arena *arena, const struct value *object, sv name)
{
	struct osm_json_matches matches = {0};

	for (size_t i = 0; value_is_map(object) && i < value_count(object); i++) {
		const struct value_entry *entry = &object->map->entries[i];

		if (sv_eq_fold_ascii(entry->key, name))
			VEC_PUSH(arena, &matches, entry);
	}
	if (matches.count > 1)
		sort_stable(matches.items, matches.count, sizeof(*matches.items), compare_entries,
		            NULL);
	return matches;
}

static struct value decode_string(struct decoder *d, const struct value *v, sv name)
{
	if (!v)
		return value_string(SV(""));
	if (!value_is_string(v)) {
		report_type(d, v, name, "a text");
		return value_string(SV(""));
	}
	return *v;
}

/* Absent: a nil list. A null item is an empty text. */
static struct value decode_strings(struct decoder *d, const struct value *v, sv name)
{
	struct value list = {.type = &type_string_list};

	if (!v)
		return list;
	if (!value_is_list(v)) {
		report_type(d, v, name, "a list of texts");
		return list;
	}
	list = value_list_new(d->arena);
	list.type = &type_string_list;
	list.origin = v->origin;
	for (size_t i = 0; i < value_count(v); i++) {
		const struct value *item = value_item(v, i);

		value_list_add(d->arena, &list,
		               value_is_null(item) ? value_string(SV(""))
		                                   : decode_string(d, item, name));
	}
	return list;
}

static const struct osm_network *decode_network(struct decoder *d, const struct value *v)
{
	static const sv fields[] = {
	    SV_INIT("cidr"),
	    SV_INIT("gateway"),
	    SV_INIT("dns"),
	    SV_INIT("ipFamily"),
	};
	static const sv dns_fields[] = {SV_INIT("servers")};
	const struct value *values[COUNT_OF(fields)] = {0};
	const struct value *servers = NULL;

	if (!v)
		return NULL;
	if (!value_is_map(v)) {
		report_type(d, v, SV("network"), "a map");
		return NULL;
	}
	assign(d, v, SV("network"), fields, values, COUNT_OF(fields));
	if (values[2] && !value_is_map(values[2]))
		report_type(d, values[2], SV("network.dns"), "a map");
	else if (values[2])
		assign(d, values[2], SV("network.dns"), dns_fields, &servers, 1);
	struct osm_network *network = ARENA_NEW(d->arena, struct osm_network);
	network->cidr = decode_string(d, values[0], SV("network.cidr"));
	network->gateway = decode_string(d, values[1], SV("network.gateway"));
	network->dns_servers = decode_strings(d, servers, SV("network.dns.servers"));
	network->ip_family = decode_string(d, values[3], SV("network.ipFamily"));
	network->at = value_position(v);
	return network;
}

/* They stand in the OperatingSystemConfig, and on every machine. */
static void refuse_private_keys(struct decoder *d, const struct value *keys)
{
	for (size_t i = 0; d->strict && i < value_count(keys); i++) {
		const struct value *key = value_item(keys, i);

		if (!secrecy_holds_private_key(value_text(key)))
			continue;
		struct diag *diag = diag_report(d->sink, DIAG_MD_CONFIG, value_position(key),
		                                "sshPublicKeys holds a private key");
		diag_set_help(
		    d->sink, diag,
		    "give what ssh-keygen -y -f FILE prints, and take the private key for "
		    "known to others");
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
	const struct value *v[COUNT_OF(config_fields)] = {0};

	if (!value_is_map(root)) {
		report_type(&d, root, SV("providerSpec.value"), "a map");
		return STATUS_FAILED;
	}
	assign(&d, root, SV("providerSpec.value"), fields, v, COUNT_OF(config_fields));
	struct osm_provider_config config = {
	    .root = root,
	    .ssh_public_keys = decode_strings(&d, v[0], fields[0]),
	    .cloud_provider = decode_string(&d, v[2], fields[2]),
	    .cloud_provider_spec = v[3],
	    .operating_system = decode_string(&d, v[4], fields[4]),
	    .operating_system_spec = v[5],
	    .network = decode_network(&d, v[6]),
	};
	refuse_private_keys(&d, &config.ssh_public_keys);
	decode_string(&d, v[1], fields[1]);
	if (v[7]) {
		decode_string(&d, v[7], fields[7]);
		config.overwrite_cloud_config = v[7];
	}
	if (d.failed)
		return STATUS_FAILED;
	*ret_config = config;
	return STATUS_OK;
}
