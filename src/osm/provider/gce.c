/*
 * The legacy cloud-config of Google Compute Engine (docs/spec/cloud-config.md 3.3).
 */
#include "codec/codec.h"
#include "osm/provider/provider.h"
#include "json/json.h"

enum { SERVICE_ACCOUNT, ZONE, NETWORK, SUBNETWORK, MULTIZONE, REGIONAL, FIELD_COUNT };

static const struct spec_field fields[FIELD_COUNT] = {
    [SERVICE_ACCOUNT] = {SV_INIT("serviceAccount"), OSM_VAR_STRING},
    [ZONE] = {SV_INIT("zone"), OSM_VAR_STRING},
    [NETWORK] = {SV_INIT("network"), OSM_VAR_STRING},
    [SUBNETWORK] = {SV_INIT("subnetwork"), OSM_VAR_STRING},
    [MULTIZONE] = {SV_INIT("multizone"), OSM_VAR_BOOL},
    [REGIONAL] = {SV_INIT("regional"), OSM_VAR_BOOL},
};

#define ACCOUNT_HELP                                                                               \
	"give the key file that Google made for the account, in base64: `base64 -w0 KEY.json`"

/* Returns the name of a value's type, or null if it may be in a JSON object of strings. */
static const char *wrong_kind(const struct value *v)
{
	if (value_is_string(v) || value_is_null(v))
		return NULL;
	if (value_is_map(v))
		return "object";
	if (value_is_list(v))
		return "array";
	return value_is(v, KIND_BOOL) ? "bool" : "number";
}

/* Reads project_id. Errors are Go's messages, except those that would show the string. */
static bool read_project_id(struct arena *arena, sv json, sv *ret_id, sv *ret_error)
{
	struct value account;
	sv error;

	if (!json_decode(arena, json, &account, &error)) {
		*ret_error = sv_eq_cstr(error, "unexpected end of JSON input")
		                 ? error
		                 : SV("it is not JSON");
		return false;
	}
	if (!value_is_map(&account) && !value_is_null(&account)) {
		const char *kind = wrong_kind(&account);

		*ret_error = arena_printf(
		    arena, "json: cannot unmarshal %s into Go value of type map[string]string",
		    kind ? kind : "string");
		return false;
	}
	for (size_t i = 0; i < value_count(&account); i++) {
		const char *kind = wrong_kind(&account.map->entries[i].value);

		if (!kind)
			continue;
		*ret_error = arena_printf(
		    arena, "json: cannot unmarshal %s into Go value of type string", kind);
		return false;
	}
	*ret_id = value_text(value_map_get(&account, SV("project_id")));
	return true;
}

/* Finds project_id, which is as secret as the service account that contains it. */
static struct value find_project_id(struct spec *spec, const struct osm_config_var *var)
{
	struct arena *arena = spec->arena;
	bool failed = spec->failed;

	spec->failed = false;
	struct value account =
	    spec_string_or_env(spec, var, SV("GOOGLE_SERVICE_ACCOUNT"), OSM_NEEDED);
	bool known = !spec->failed;
	spec->failed |= failed;
	if (!known || osm_is_absent_secret(spec->input->cluster, &account))
		return account;

	struct value id = value_string(SV(""));
	size_t error_at;
	sv json;
	sv error;
	if (!base64_decode(arena, BASE64_STD, account.string, &json, &error_at))
		spec_refuse(spec, var->at,
		            arena_printf(arena,
		                         "failed to decode base64 service account: illegal base64 "
		                         "data at input byte %zu",
		                         error_at),
		            ACCOUNT_HELP);
	else if (!read_project_id(arena, json, &id.string, &error))
		spec_refuse(spec, var->at,
		            arena_printf(arena, "failed unmarshalling service account: %.*s",
		                         SV_ARG(error)),
		            ACCOUNT_HELP);
	id.taint = taint_whole(arena, id.string.len, secrecy_find(&account));
	return id;
}

enum status osm_cloud_config_gce(struct arena *arena, struct sink *sink,
                                 const struct osm_cloud_config_input *input, struct value *ret_text)
{
	struct spec spec = spec_of(arena, sink, input);
	struct osm_config_var vars[FIELD_COUNT];
	struct text text = text_in(arena);

	spec_decode(&spec, SV(""), fields, FIELD_COUNT, vars);
	struct value tags = spec_plain_strings(&spec, SV("tags"));
	struct value project = find_project_id(&spec, &vars[SERVICE_ACCOUNT]);
	struct value zone = spec_string(&spec, &vars[ZONE]);
	struct value network = spec_string(&spec, &vars[NETWORK]);
	struct value subnetwork = spec_string(&spec, &vars[SUBNETWORK]);
	struct value multizone = spec_bool(&spec, &vars[MULTIZONE]);
	struct value regional = spec_bool(&spec, &vars[REGIONAL]);

	ini_add(&text, "[global]\nproject-id = ", &project);
	ini_add(&text, "local-zone = ", &zone);
	ini_add(&text, "network-name = ", &network);
	ini_add(&text, "subnetwork-name = ", &subnetwork);
	ini_add_bare(&text, "multizone = ", &multizone);
	ini_add_bare(&text, "regional = ", &regional);
	for (size_t i = 0; i < value_count(&tags); i++)
		ini_add(&text, "node-tags = ", value_item(&tags, i));
	if (spec.failed)
		return STATUS_FAILED;
	*ret_text = text_value(arena, &text);
	return STATUS_OK;
}
