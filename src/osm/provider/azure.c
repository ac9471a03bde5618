/*
 * The legacy cloud-config of Azure: compact JSON (docs/spec/cloud-config.md 3.2).
 */
#include "osm/provider/provider.h"
#include "json/json.h"

enum {
	TENANT_ID,
	SUBSCRIPTION_ID,
	CLIENT_ID,
	CLIENT_SECRET,
	RESOURCE_GROUP,
	LOCATION,
	VNET_NAME,
	SUBNET_NAME,
	ROUTE_TABLE_NAME,
	SECURITY_GROUP_NAME,
	AVAILABILITY_SET,
	VNET_RESOURCE_GROUP,
	LOAD_BALANCER_SKU,
	FIELD_COUNT,
};

static const struct spec_field fields[FIELD_COUNT] = {
    [TENANT_ID] = {SV_INIT("tenantID"), OSM_VAR_STRING},
    [SUBSCRIPTION_ID] = {SV_INIT("subscriptionID"), OSM_VAR_STRING},
    [CLIENT_ID] = {SV_INIT("clientID"), OSM_VAR_STRING},
    [CLIENT_SECRET] = {SV_INIT("clientSecret"), OSM_VAR_STRING},
    [RESOURCE_GROUP] = {SV_INIT("resourceGroup"), OSM_VAR_STRING},
    [LOCATION] = {SV_INIT("location"), OSM_VAR_STRING},
    [VNET_NAME] = {SV_INIT("vnetName"), OSM_VAR_STRING},
    [SUBNET_NAME] = {SV_INIT("subnetName"), OSM_VAR_STRING},
    [ROUTE_TABLE_NAME] = {SV_INIT("routeTableName"), OSM_VAR_STRING},
    [SECURITY_GROUP_NAME] = {SV_INIT("securityGroupName"), OSM_VAR_STRING},
    [AVAILABILITY_SET] = {SV_INIT("availabilitySet"), OSM_VAR_STRING},
    [VNET_RESOURCE_GROUP] = {SV_INIT("vnetResourceGroup"), OSM_VAR_STRING},
    [LOAD_BALANCER_SKU] = {SV_INIT("loadBalancerSku"), OSM_VAR_STRING},
};

static void add_member(struct text *text, const char *head, const struct value *string)
{
	struct buf quoted = buf_in(text->buf.arena);

	json_emit_string(&quoted, value_text(string), JSON_GO);
	text_add(text, sv_from_cstr(head));
	text_add_secret(text, buf_sv(&quoted), secrecy_find(string));
}

enum status osm_cloud_config_azure(struct arena *arena, struct sink *sink,
                                   const struct osm_cloud_config_input *input,
                                   struct value *ret_text)
{
	static const sv variables[] = {
	    [TENANT_ID] = SV_INIT("AZURE_TENANT_ID"),
	    [SUBSCRIPTION_ID] = SV_INIT("AZURE_SUBSCRIPTION_ID"),
	    [CLIENT_ID] = SV_INIT("AZURE_CLIENT_ID"),
	    [CLIENT_SECRET] = SV_INIT("AZURE_CLIENT_SECRET"),
	};
	static const char *const heads[FIELD_COUNT] = {
	    [TENANT_ID] = "{\"cloud\":\"AZUREPUBLICCLOUD\",\"tenantId\":",
	    [SUBSCRIPTION_ID] = ",\"subscriptionId\":",
	    [CLIENT_ID] = ",\"aadClientId\":",
	    [CLIENT_SECRET] = ",\"aadClientSecret\":",
	    [RESOURCE_GROUP] = ",\"resourceGroup\":",
	    [LOCATION] = ",\"location\":",
	    [VNET_NAME] = ",\"vnetName\":",
	    [SUBNET_NAME] = ",\"subnetName\":",
	    [ROUTE_TABLE_NAME] = ",\"routeTableName\":",
	    [SECURITY_GROUP_NAME] = ",\"securityGroupName\":",
	    [AVAILABILITY_SET] = ",\"primaryAvailabilitySetName\":",
	    [VNET_RESOURCE_GROUP] = ",\"vnetResourceGroup\":",
	    [LOAD_BALANCER_SKU] = ",\"useInstanceMetadata\":true,\"loadBalancerSku\":",
	};
	struct spec spec = spec_of(arena, sink, input);
	struct osm_config_var vars[FIELD_COUNT];
	struct text text = text_in(arena);

	spec_decode(&spec, SV(""), fields, FIELD_COUNT, vars);
	struct value strings[FIELD_COUNT];
	for (size_t i = 0; i < FIELD_COUNT; i++)
		strings[i] = i < COUNT_OF(variables)
		                 ? spec_string_or_env(&spec, &vars[i], variables[i], OSM_NEEDED)
		                 : spec_string(&spec, &vars[i]);
	const struct value *assign = spec_plain_bool(&spec, SV("assignAvailabilitySet"));
	if (assign && !assign->boolean)
		strings[AVAILABILITY_SET] = value_string(SV(""));
	osm_hide_if_same(arena, &strings[CLIENT_ID], &strings[CLIENT_SECRET]);
	for (size_t i = 0; i < FIELD_COUNT; i++)
		add_member(&text, heads[i], &strings[i]);
	TEXT_ADD_LIT(&text, "}");
	if (spec.failed)
		return STATUS_FAILED;
	*ret_text = text_value(arena, &text);
	return STATUS_OK;
}
