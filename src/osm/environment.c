/*
 * The environment variables from which the controller takes values that cloudProviderSpec lacks
 * (docs/spec/cloud-config.md 4).
 */
#include "dialect/dialect.h"
#include "osm/cloud.h"
#include "osm/cluster.h"

const struct dialect_variable osm_variables[OSM_VARIABLE_COUNT] = {
    {SV_INIT("AZURE_CLIENT_ID"), false},
    {SV_INIT("AZURE_CLIENT_SECRET"), false},
    {SV_INIT("AZURE_SUBSCRIPTION_ID"), false},
    {SV_INIT("AZURE_TENANT_ID"), false},
    {SV_INIT("GOOGLE_SERVICE_ACCOUNT"), false},
    {SV_INIT("KUBEVIRT_KUBECONFIG"), false},
    {SV_INIT("OS_APPLICATION_CREDENTIAL_ID"), false},
    {SV_INIT("OS_APPLICATION_CREDENTIAL_SECRET"), false},
    {SV_INIT("OS_AUTH_URL"), false},
    {SV_INIT("OS_DOMAIN_NAME"), false},
    {SV_INIT("OS_PASSWORD"), false},
    {SV_INIT("OS_PROJECT_ID"), false},
    {SV_INIT("OS_PROJECT_NAME"), false},
    {SV_INIT("OS_REGION_NAME"), false},
    {SV_INIT("OS_TENANT_ID"), false},
    {SV_INIT("OS_TENANT_NAME"), false},
    {SV_INIT("OS_USER_NAME"), false},
    {SV_INIT("POD_NAMESPACE"), true},
    {SV_INIT("VSPHERE_ADDRESS"), false},
    {SV_INIT("VSPHERE_ALLOW_INSECURE"), true},
    {SV_INIT("VSPHERE_PASSWORD"), false},
    {SV_INIT("VSPHERE_USERNAME"), false},
};

const struct value *osm_environment_text(const struct osm_cluster *cluster, sv name)
{
	const struct value *text = value_map_get(cluster->environment, name);

	return value_is_string(text) ? text : NULL;
}
