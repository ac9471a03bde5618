/*
 * The legacy cloud-config of vSphere (docs/spec/cloud-config.md 3.6).
 */
#include "osm/provider/provider.h"

enum {
	TEMPLATE_VM_NAME, /* this and the next are decoded, but not used */
	VM_NET_NAME,
	USERNAME,
	PASSWORD,
	VSPHERE_URL,
	DATACENTER,
	CLUSTER, /* must be given, but is not written */
	FOLDER,
	DATASTORE_CLUSTER,
	DATASTORE,
	ALLOW_INSECURE,
	FIELD_COUNT,
};

static const struct spec_field fields[FIELD_COUNT] = {
    [TEMPLATE_VM_NAME] = {SV_INIT("templateVMName"), OSM_VAR_STRING},
    [VM_NET_NAME] = {SV_INIT("vmNetName"), OSM_VAR_STRING},
    [USERNAME] = {SV_INIT("username"), OSM_VAR_STRING},
    [PASSWORD] = {SV_INIT("password"), OSM_VAR_STRING},
    [VSPHERE_URL] = {SV_INIT("vsphereURL"), OSM_VAR_STRING},
    [DATACENTER] = {SV_INIT("datacenter"), OSM_VAR_STRING},
    [CLUSTER] = {SV_INIT("cluster"), OSM_VAR_STRING},
    [FOLDER] = {SV_INIT("folder"), OSM_VAR_STRING},
    [DATASTORE_CLUSTER] = {SV_INIT("datastoreCluster"), OSM_VAR_STRING},
    [DATASTORE] = {SV_INIT("datastore"), OSM_VAR_STRING},
    [ALLOW_INSECURE] = {SV_INIT("allowInsecure"), OSM_VAR_BOOL},
};

struct address {
	struct value host;
	struct value port; /* digits, or empty */
};

/*
 * Returns the secret that the URL's host came from, or null if only user and password are secret.
 * The host is the part of the authority after the last "@".
 */
static const struct secret *secret_of_host(struct arena *arena, const struct value *url)
{
	sv text = url->string;
	size_t start = sv_starts_with(text, SV("https://")) ? SV("https://").len : 0;
	size_t end = start;

	while (end < text.len && !strchr("/?#", text.ptr[end]))
		end++;
	size_t at = sv_rfind_char(sv_slice(text, start, end), '@');
	if (at != SV_NPOS)
		start += at + 1;
	const struct taint *taint = taint_slice(arena, url->taint, start, end);
	return taint_secret(taint);
}

static struct address find_address(struct spec *spec, const struct osm_config_var *var)
{
	struct arena *arena = spec->arena;
	struct address address = {value_string(SV("")), value_string(SV(""))};
	struct value url = spec_string_or_env(spec, var, SV("VSPHERE_ADDRESS"), OSM_NEEDED);
	/* COMPAT: "http://host" becomes "https://http://host". */
	sv text = sv_starts_with(url.string, SV("https://"))
	              ? url.string
	              : ARENA_CONCAT(arena, SV("https://"), url.string);
	struct url parsed;
	sv error;

	if (osm_is_absent_secret(spec->input->cluster, &url)) {
		address.host = url;
		return address;
	}
	if (!go_url_parse(arena, text, &parsed, &error)) {
		/* Go's message would show the URL. */
		spec_refuse(spec, var->at,
		            secrecy_find(&url)
		                ? SV("failed to parse vsphereURL as url")
		                : arena_printf(arena, "failed to parse '%.*s' as url: %.*s",
		                               SV_ARG(text), SV_ARG(error)),
		            "write https://HOST or https://HOST:PORT");
		return address;
	}
	const struct secret *secret = secret_of_host(arena, &url);
	address.host = value_string(go_url_hostname(&parsed));
	address.host.taint = taint_whole(arena, address.host.string.len, secret);
	address.port = value_string(go_url_port(&parsed));
	address.port.taint = taint_whole(arena, address.port.string.len, secret);
	return address;
}

static struct value default_folder(struct arena *arena, const struct value *datacenter)
{
	struct text text = text_in(arena);

	TEXT_ADD_LIT(&text, "/");
	text_add_value(&text, datacenter);
	TEXT_ADD_LIT(&text, "/vm");
	return text_value(arena, &text);
}

enum status osm_cloud_config_vsphere(struct arena *arena, struct sink *sink,
                                     const struct osm_cloud_config_input *input,
                                     struct value *ret_text)
{
	struct spec spec = spec_of(arena, sink, input);
	struct osm_config_var vars[FIELD_COUNT];
	struct text text = text_in(arena);

	spec_decode(&spec, SV(""), fields, FIELD_COUNT, vars);
	struct address address = find_address(&spec, &vars[VSPHERE_URL]);
	struct value user =
	    spec_string_or_env(&spec, &vars[USERNAME], SV("VSPHERE_USERNAME"), OSM_NEEDED);
	struct value password =
	    spec_string_or_env(&spec, &vars[PASSWORD], SV("VSPHERE_PASSWORD"), OSM_NEEDED);
	struct value insecure =
	    spec_bool_or_env(&spec, &vars[ALLOW_INSECURE], SV("VSPHERE_ALLOW_INSECURE"));
	struct value datacenter = spec_string(&spec, &vars[DATACENTER]);
	struct value folder = spec_string(&spec, &vars[FOLDER]);
	struct value datastore = spec_string(&spec, &vars[DATASTORE]);
	struct value datastore_cluster = spec_string(&spec, &vars[DATASTORE_CLUSTER]);
	(void)spec_string(&spec, &vars[CLUSTER]);

	osm_hide_if_same(arena, &user, &password);
	if (sv_empty(folder.string))
		folder = default_folder(arena, &datacenter);
	ini_add(&text, "[Global]\nuser              = ", &user);
	ini_add(&text, "password          = ", &password);
	ini_add(&text, "port              = ", &address.port);
	ini_add_bare(&text, "insecure-flag     = ", &insecure);
	TEXT_ADD_LIT(&text, "\n[Disk]\nscsicontrollertype = \"pvscsi\"\n");
	ini_add(&text, "\n[Workspace]\nserver            = ", &address.host);
	ini_add(&text, "datacenter        = ", &datacenter);
	ini_add(&text, "folder            = ", &folder);
	ini_add(&text, "default-datastore = ",
	        sv_empty(datastore.string) ? &datastore_cluster : &datastore);
	TEXT_ADD_LIT(&text, "\n\n[VirtualCenter ");
	ini_add_quoted(&text, &address.host);
	ini_add(&text, "]\nuser = ", &user);
	ini_add(&text, "password = ", &password);
	ini_add_bare(&text, "port = ", &address.port);
	ini_add(&text, "datacenters = ", &datacenter);
	TEXT_ADD_LIT(&text, "\n");
	if (spec.failed)
		return STATUS_FAILED;
	*ret_text = text_value(arena, &text);
	return STATUS_OK;
}
