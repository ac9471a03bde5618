/*
 * The legacy cloud-config of OpenStack (docs/spec/cloud-config.md 3.5).
 */
#include "osm/provider/provider.h"

enum {
	IDENTITY_ENDPOINT,
	USERNAME,
	PASSWORD,
	APPLICATION_CREDENTIAL_ID,
	APPLICATION_CREDENTIAL_SECRET,
	DOMAIN_NAME,
	PROJECT_NAME,
	PROJECT_ID,
	TENANT_NAME,
	TENANT_ID,
	TOKEN_ID, /* is decoded, but not used */
	REGION,
	TRUST_DEVICE_PATH,
	FIELD_COUNT,
};

static const struct spec_field fields[FIELD_COUNT] = {
    [IDENTITY_ENDPOINT] = {SV_INIT("identityEndpoint"), OSM_VAR_STRING},
    [USERNAME] = {SV_INIT("username"), OSM_VAR_STRING},
    [PASSWORD] = {SV_INIT("password"), OSM_VAR_STRING},
    [APPLICATION_CREDENTIAL_ID] = {SV_INIT("applicationCredentialID"), OSM_VAR_STRING},
    [APPLICATION_CREDENTIAL_SECRET] = {SV_INIT("applicationCredentialSecret"), OSM_VAR_STRING},
    [DOMAIN_NAME] = {SV_INIT("domainName"), OSM_VAR_STRING},
    [PROJECT_NAME] = {SV_INIT("projectName"), OSM_VAR_STRING},
    [PROJECT_ID] = {SV_INIT("projectID"), OSM_VAR_STRING},
    [TENANT_NAME] = {SV_INIT("tenantName"), OSM_VAR_STRING},
    [TENANT_ID] = {SV_INIT("tenantID"), OSM_VAR_STRING},
    [TOKEN_ID] = {SV_INIT("tokenId"), OSM_VAR_STRING},
    [REGION] = {SV_INIT("region"), OSM_VAR_STRING},
    [TRUST_DEVICE_PATH] = {SV_INIT("trustDevicePath"), OSM_VAR_BOOL},
};

/* Finds the project, or the tenant (its former name), each with a variable of its own. */
static struct value find_project(struct spec *spec, const struct osm_config_var *project,
                                 sv project_variable, const struct osm_config_var *tenant,
                                 sv tenant_variable)
{
	struct value found = spec_string_or_env(spec, project, project_variable, OSM_OPTIONAL);

	if (!sv_empty(found.string))
		return found;
	return spec_string_or_env(spec, tenant, tenant_variable, OSM_OPTIONAL);
}

/* Looks up only members that are written: with an application credential, these are not needed. */
static void add_password(struct spec *spec, struct text *text, const struct osm_config_var *vars)
{
	struct value user =
	    spec_string_or_env(spec, &vars[USERNAME], SV("OS_USER_NAME"), OSM_NEEDED);
	struct value password =
	    spec_string_or_env(spec, &vars[PASSWORD], SV("OS_PASSWORD"), OSM_NEEDED);
	struct value name = find_project(spec, &vars[PROJECT_NAME], SV("OS_PROJECT_NAME"),
	                                 &vars[TENANT_NAME], SV("OS_TENANT_NAME"));
	struct value id = find_project(spec, &vars[PROJECT_ID], SV("OS_PROJECT_ID"),
	                               &vars[TENANT_ID], SV("OS_TENANT_ID"));
	struct value domain =
	    spec_string_or_env(spec, &vars[DOMAIN_NAME], SV("OS_DOMAIN_NAME"), OSM_NEEDED);

	/* One of the two is needed. */
	if (sv_empty(name.string) && sv_empty(id.string))
		name = spec_string_or_env(spec, &vars[PROJECT_NAME], SV("OS_PROJECT_NAME"),
		                          OSM_NEEDED);
	osm_hide_if_same(spec->arena, &user, &password);
	ini_add(text, "username    = ", &user);
	ini_add(text, "password    = ", &password);
	ini_add(text, "tenant-name = ", &name);
	ini_add(text, "tenant-id   = ", &id);
	ini_add(text, "domain-name = ", &domain);
}

static void add_credentials(struct spec *spec, struct text *text, const struct osm_config_var *vars)
{
	struct value id = spec_string_or_env(spec, &vars[APPLICATION_CREDENTIAL_ID],
	                                     SV("OS_APPLICATION_CREDENTIAL_ID"), OSM_OPTIONAL);

	if (sv_empty(id.string)) {
		add_password(spec, text, vars);
		return;
	}
	struct value secret =
	    spec_string_or_env(spec, &vars[APPLICATION_CREDENTIAL_SECRET],
	                       SV("OS_APPLICATION_CREDENTIAL_SECRET"), OSM_NEEDED);
	osm_hide_if_same(spec->arena, &id, &secret);
	ini_add(text, "application-credential-id     = ", &id);
	ini_add(text, "application-credential-secret = ", &secret);
}

/* COMPAT: a pre-release satisfies none of these constraints. */
static bool version_is(const struct spec *spec, sv constraint)
{
	struct semver_constraints *constraints;
	struct semver version;
	sv error;

	if (!go_semver_constraints_parse(spec->arena, constraint, &constraints, &error))
		BUG("a constraint of ours");
	return go_semver_parse(spec->arena, spec->input->kubelet_version, &version, &error) &&
	       go_semver_constraints_check(constraints, &version);
}

static void add_block_storage(struct spec *spec, struct text *text,
                              const struct osm_config_var *vars)
{
	struct value trust = spec_bool(spec, &vars[TRUST_DEVICE_PATH]);
	const struct value *limit = spec_plain_uint(spec, SV("nodeVolumeAttachLimit"));

	TEXT_ADD_LIT(text, "\n[BlockStorage]\n");
	if (version_is(spec, SV(">=1.9")))
		TEXT_ADD_LIT(text, "ignore-volume-az  = true\n");
	ini_add_bare(text, "trust-device-path = ", &trust);
	TEXT_ADD_LIT(text, "bs-version        = \"auto\"\n");
	if (limit && limit->unsigned_integer != 0)
		text_add(text, arena_printf(spec->arena, "node-volume-attach-limit = %llu\n",
		                            (unsigned long long)limit->unsigned_integer));
}

enum status osm_cloud_config_openstack(struct arena *arena, struct sink *sink,
                                       const struct osm_cloud_config_input *input,
                                       struct value *ret_text)
{
	struct spec spec = spec_of(arena, sink, input);
	struct osm_config_var vars[FIELD_COUNT];
	struct text text = text_in(arena);

	spec_decode(&spec, SV(""), fields, FIELD_COUNT, vars);
	struct value region =
	    spec_string_or_env(&spec, &vars[REGION], SV("OS_REGION_NAME"), OSM_OPTIONAL);
	struct value url =
	    spec_string_or_env(&spec, &vars[IDENTITY_ENDPOINT], SV("OS_AUTH_URL"), OSM_NEEDED);

	ini_add(&text, "[Global]\nauth-url    = ", &url);
	add_credentials(&spec, &text, vars);
	ini_add(&text, "region      = ", &region);
	TEXT_ADD_LIT(&text, "\n[LoadBalancer]\n");
	if (version_is(&spec, SV("~1.9.10 || ~1.10.6 || ~1.11.1 || >=1.12.*")))
		TEXT_ADD_LIT(&text, "manage-security-groups = true\n");
	add_block_storage(&spec, &text, vars);
	if (spec.failed)
		return STATUS_FAILED;
	*ret_text = text_value(arena, &text);
	return STATUS_OK;
}
