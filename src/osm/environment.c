/*
 * The variables of the controller's environment that a cloud-config falls back to (osm.md 8.3).
 */
#include "osm/internal.h"

static const struct {
	sv name;
	bool
	    plain; /* a setting that stands in the clear elsewhere: to hide it would hide nothing */
} variables[] = {
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

const sv *osm_environment_names(struct arena *arena, size_t *ret_count)
{
	sv *names = ARENA_ARRAY(arena, sv, COUNT_OF(variables));

	for (size_t i = 0; i < COUNT_OF(variables); i++)
		names[i] = variables[i].name;
	*ret_count = COUNT_OF(variables);
	return names;
}

struct value osm_environment_taint(struct arena *secret_arena, const struct value *environment)
{
	struct value tainted = value_map_new(secret_arena);

	for (size_t i = 0; i < COUNT_OF(variables); i++) {
		sv name = variables[i].name;
		const struct value *text = value_map_get(environment, name);

		if (!text)
			continue;
		value_map_set(
		    secret_arena, &tainted, name,
		    variables[i].plain
		        ? *text
		        : secrecy_taint_string(secret_arena, *text,
		                               ARENA_CONCAT(secret_arena, SV("env:"), name)));
	}
	return tainted;
}

const struct value *osm_environment_text(const struct osm_cluster *cluster, sv name)
{
	const struct value *text = value_map_get(cluster->environment, name);

	return value_is_string(text) ? text : NULL;
}
