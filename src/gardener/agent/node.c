/*
 * The agent's files and unit: its configuration, the script that installs it, and on new machines
 * its first credential.
 */
#include "codec/codec.h"
#include "gardener/agent/agent.h"
#include "yaml/yaml.h"

/* Paths and names that gardener-node-agent has in itself. */
#define FOLDER       GARDENER_AGENT_FOLDER
#define BINARY       "/opt/bin/gardener-node-agent"
#define UNIT         GARDENER_AGENT_UNIT
#define TOKEN_FILE   FOLDER "/credentials/bootstrap-token"
#define MACHINE_FILE FOLDER "/machine-name"
#define INSTALL      FOLDER "/install.sh"
/* The file to which Gardener v1.149 and later write it. */
#define REGISTRY_CA "/var/lib/ca-certificates-local/registry-ca.crt"

enum { CONFIG_MODE = 0600, SCRIPT_MODE = 0755, CREDENTIAL_MODE = 0640, CA_MODE = 0644 };
enum { MOST_FILES = 6 };

static struct value map_of(struct arena *arena, const char *key, struct value v)
{
	struct value map = value_map_new(arena);

	value_map_set(arena, &map, sv_from_cstr(key), v);
	return map;
}

/* ---- the configuration ------------------------------------------------------------------- */

/* Returns the name of the file, which the agent derives from its own version. */
static sv config_path(struct arena *arena, const struct gardener_settings *settings)
{
	return ARENA_CONCAT(arena, SV(GARDENER_AGENT_CONFIG), settings->agent.version, SV(".yaml"));
}

static struct value config_text(struct arena *arena, const struct gardener_agent_request *request,
                                sv key)
{
	const struct gardener_flow_server *server = request->server;
	const sv version = request->settings->kubernetes_version;
	struct value api_server = value_map_new(arena);
	struct value controller = value_map_new(arena);
	struct value root = value_map_new(arena);
	struct buf buf = buf_in(arena);
	const struct secret *secret = secrecy_find(&server->url);

	if (!secret)
		secret = secrecy_find(&server->ca);
	if (gardener_agent_form(request->settings->agent.version)->has_ca_file)
		value_map_set(arena, &api_server, SV("caFile"),
		              value_string(SV(GARDENER_AGENT_CA)));
	else
		value_map_set(arena, &api_server, SV("caBundle"),
		              value_string(base64_encode(arena, BASE64_STD, server->ca.string)));
	value_map_set(arena, &api_server, SV("server"), value_string(server->url.string));
	value_map_set(
	    arena, &controller, SV("kubernetesVersion"),
	    value_string(sv_starts_with(version, SV("v")) ? sv_from_offset(version, 1) : version));
	value_map_set(arena, &controller, SV("secretName"), value_string(key));
	value_map_set(arena, &root, SV("apiServer"), api_server);
	value_map_set(arena, &root, SV("apiVersion"),
	              value_string(SV("nodeagent.config.gardener.cloud/v1alpha1")));
	value_map_set(arena, &root, SV("controllers"),
	              map_of(arena, "operatingSystemConfig", controller));
	value_map_set(arena, &root, SV("kind"), value_string(SV("NodeAgentConfiguration")));
	yml_emit_sigs(&buf, &root);
	struct value text = value_string(buf_sv(&buf));
	text.taint = taint_whole(arena, text.string.len, secret);
	return text;
}

/* ---- the script -------------------------------------------------------------------------- */

static void add_text(struct arena *arena, struct text *script, const char *name, sv text)
{
	const struct value v = value_string(text);

	gardener_flow_set(arena, script, sv_from_cstr(name), &v);
}

/* Returns the image with its tag. A colon before the last slash is the registry's port. */
static sv image_of(struct arena *arena, const struct gardener_agent_program *agent)
{
	sv name = sv_after_last(agent->image, '/');

	if (sv_find_char(name, ':') != SV_NPOS || sv_find_char(name, '@') != SV_NPOS)
		return agent->image;
	return ARENA_CONCAT(arena, agent->image, SV(":"), agent->version);
}

static struct value install_script(struct arena *arena, const struct gardener_settings *settings,
                                   const struct dialect_cluster *cluster)
{
	const struct gardener_agent_program *agent = &settings->agent;
	bool has_url = !sv_empty(agent->url.string);
	struct text script = text_in(arena);

	TEXT_ADD_LIT(&script,
	             "#!/bin/sh\n# Installs gardener-node-agent before it starts (osm-gen, "
	             "docs/spec/gardener.md 11).\n");
	add_text(arena, &script, "image", has_url ? SV("") : image_of(arena, agent));
	gardener_flow_set(arena, &script, SV("url"), &agent->url);
	add_text(arena, &script, "sha256_amd64", agent->sums.amd64);
	add_text(arena, &script, "sha256_arm64", agent->sums.arm64);
	text_add(&script, gardener_flow_steps(arena, cluster, SV("node-agent.sh")));
	return text_value(arena, &script);
}

/* ---- files and units --------------------------------------------------------------------- */

/* Returns a file as a manifest would have it, with its bytes in base64, as Gardener writes them. */
static struct gardener_file file_new(struct arena *arena, sv path, int mode, struct value content)
{
	struct value data = value_string(base64_encode(arena, BASE64_STD, content.string));
	struct value *root = ARENA_NEW(arena, struct value);

	data.taint = taint_whole(arena, data.string.len, secrecy_find(&content));
	*root = value_map_new(arena);
	value_map_set(arena, root, SV("content"), gardener_inline(arena, data, SV("b64")));
	value_map_set(arena, root, SV("path"), value_string(path));
	value_map_set(arena, root, SV("permissions"), value_int(mode));
	return (struct gardener_file){
	    .root = root,
	    .path = value_string(path),
	    .mode = mode,
	    .inline_ = value_path(root, "content.inline"),
	    .encoding = value_string(SV("b64")),
	    .content = content,
	};
}

/* Returns a file in which machine-controller-manager fills in a value: it must find the words. */
static struct gardener_file placeholder_new(struct arena *arena, sv path, sv words)
{
	struct gardener_file file = file_new(arena, path, CREDENTIAL_MODE, value_string(words));

	file.is_transparent = true;
	return file;
}

static struct value unit_content(struct arena *arena, const struct gardener_settings *settings)
{
	bool has_url = !sv_empty(settings->agent.url.string);

	return value_string(ARENA_CONCAT(arena,
	                                 SV("[Unit]\n"
	                                    "Description=Gardener Node Agent\n"
	                                    "Wants=network-online.target\n"
	                                    "After=network-online.target"),
	                                 has_url ? SV("\n") : SV(" containerd.service\n"),
	                                 SV("StartLimitIntervalSec=0\n"
	                                    "\n"
	                                    "[Service]\n"
	                                    "LimitMEMLOCK=infinity\n"
	                                    "EnvironmentFile=-/etc/environment\n"
	                                    "ExecStartPre=" INSTALL "\n"
	                                    "ExecStart=" BINARY " --config-dir=" FOLDER "\n"
	                                    "TimeoutStartSec=30min\n"
	                                    "Restart=always\n"
	                                    "RestartSec=5\n"
	                                    "\n"
	                                    "[Install]\n"
	                                    "WantedBy=multi-user.target\n")));
}

static bool has_registry_ca(const struct gardener_settings *settings)
{
	return !sv_empty(value_text(&settings->agent.registry_ca));
}

static struct gardener_unit unit_new(struct arena *arena, const struct gardener_settings *settings,
                                     sv config)
{
	struct value content = unit_content(arena, settings);
	struct value *paths = ARENA_ARRAY(arena, struct value, 4);
	size_t count = 0;
	struct value *root = ARENA_NEW(arena, struct value);
	struct value list = value_list_new(arena);

	paths[count++] = value_string(config);
	if (gardener_agent_form(settings->agent.version)->has_ca_file)
		paths[count++] = value_string(SV(GARDENER_AGENT_CA));
	paths[count++] = value_string(SV(INSTALL));
	if (has_registry_ca(settings))
		paths[count++] = value_string(SV(REGISTRY_CA));
	for (size_t i = 0; i < count; i++)
		value_list_add(arena, &list, paths[i]);
	*root = value_map_new(arena);
	value_map_set(arena, root, SV("name"), value_string(SV(UNIT)));
	value_map_set(arena, root, SV("command"), value_string(SV("start")));
	value_map_set(arena, root, SV("enable"), value_bool(true));
	value_map_set(arena, root, SV("content"), content);
	value_map_set(arena, root, SV("filePaths"), list);
	return (struct gardener_unit){
	    .root = root,
	    .name = value_string(SV(UNIT)),
	    .command = value_string(SV("start")),
	    .enable = NODE_ENABLE_YES,
	    .content = content,
	    .file_paths = paths,
	    .file_path_count = count,
	};
}

/* ---- adding ------------------------------------------------------------------------------ */

static bool has_unit(const struct gardener_osc *osc)
{
	for (size_t i = 0; i < osc->unit_count; i++)
		if (sv_eq(osc->units[i].name.string, SV(UNIT)))
			return true;
	return false;
}

static const struct gardener_file *find_file(const struct gardener_osc *osc, sv path)
{
	for (size_t i = 0; i < osc->file_count; i++)
		if (sv_eq(osc->files[i].path.string, path))
			return &osc->files[i];
	return NULL;
}

static void add_agent_file(struct gardener_osc *osc, struct gardener_file file)
{
	if (!find_file(osc, file.path.string))
		osc->files[osc->file_count++] = file;
}

/* Makes room for more files and one more unit. */
static void grow(struct arena *arena, struct gardener_osc *osc)
{
	struct gardener_file *files =
	    ARENA_ARRAY(arena, struct gardener_file, osc->file_count + MOST_FILES);
	struct gardener_unit *units = ARENA_ARRAY(arena, struct gardener_unit, osc->unit_count + 1);

	for (size_t i = 0; i < osc->file_count; i++)
		files[i] = osc->files[i];
	for (size_t i = 0; i < osc->unit_count; i++)
		units[i] = osc->units[i];
	osc->files = files;
	osc->units = units;
}

/*
 * Fails if the OSC has configurations, but none that the agent reads. The made one has those of an
 * OSC that has the agent's unit itself.
 */
static enum status check_config(struct arena *arena, struct sink *sink,
                                const struct gardener_settings *settings,
                                const struct gardener_osc *osc)
{
	sv path = config_path(arena, settings);
	struct diag *diag;

	if (osc->file_count == 0 || find_file(osc, path))
		return STATUS_OK;
	diag = diag_report(sink, DIAG_GARDENER_FLOW, value_position(&osc->files[0].path),
	                   "the agent of gardenerNodeAgentVersion reads %.*s, which is not among "
	                   "the files of the OperatingSystemConfig",
	                   SV_ARG(path));
	diag_set_help(sink, diag,
	              "set gardenerNodeAgentVersion to the version in this file's name; or remove "
	              "the file and unit " GARDENER_AGENT_UNIT ", and osm-gen adds both");
	return STATUS_FAILED;
}

/* Adds the configuration, and the CA if it is a file of its own. */
static void add_config(struct arena *arena, const struct gardener_agent_request *request, sv key,
                       struct gardener_osc *osc)
{
	add_agent_file(osc, file_new(arena, config_path(arena, request->settings), CONFIG_MODE,
	                             config_text(arena, request, key)));
	if (gardener_agent_form(request->settings->agent.version)->has_ca_file)
		add_agent_file(osc, file_new(arena, SV(GARDENER_AGENT_CA), CREDENTIAL_MODE,
		                             request->server->ca));
}

static enum status extend_made(struct arena *arena, struct sink *sink,
                               const struct gardener_agent_request *request, sv key,
                               struct gardener_osc *osc)
{
	const struct gardener_settings *settings = request->settings;

	if (check_config(arena, sink, settings, osc) != STATUS_OK)
		return STATUS_FAILED;
	grow(arena, osc);
	if (request->token)
		add_agent_file(osc,
		               file_new(arena, SV(TOKEN_FILE), CREDENTIAL_MODE, *request->token));
	else
		add_agent_file(osc,
		               placeholder_new(arena, SV(TOKEN_FILE), SV("<<BOOTSTRAP_TOKEN>>")));
	if (settings->machine_tokens)
		add_agent_file(osc,
		               placeholder_new(arena, SV(MACHINE_FILE), SV("<<MACHINE_NAME>>")));
	add_config(arena, request, key, osc);
	return STATUS_OK;
}

enum status gardener_agent_extend(struct arena *arena, struct sink *sink,
                                  const struct gardener_agent_request *request,
                                  struct gardener_osc *osc)
{
	const struct gardener_settings *settings = request->settings;
	const struct kube_object *of = osc->object->made_of;
	sv path = config_path(arena, settings);

	if (of) {
		if (extend_made(arena, sink, request, gardener_node_agent_key(of), osc) !=
		    STATUS_OK)
			return STATUS_FAILED;
	} else {
		if (has_unit(osc))
			return STATUS_OK;
		grow(arena, osc);
		add_config(arena, request, gardener_node_agent_key(osc->object), osc);
	}
	add_agent_file(osc, file_new(arena, SV(INSTALL), SCRIPT_MODE,
	                             install_script(arena, settings, request->job->cluster)));
	if (has_registry_ca(settings))
		add_agent_file(
		    osc, file_new(arena, SV(REGISTRY_CA), CA_MODE, settings->agent.registry_ca));
	osc->units[osc->unit_count++] = unit_new(arena, settings, path);
	return STATUS_OK;
}

/* ---- the inventory ----------------------------------------------------------------------- */

static void add_binary(struct arena *arena, const struct gardener_agent_program *agent, sv arch,
                       sv sha256, struct dialect_fetches *fetches)
{
	sv url = agent->url.string;
	size_t at = sv_find(url, SV("{arch}"));

	if (sv_empty(sha256))
		return;
	if (at != SV_NPOS)
		url = ARENA_CONCAT(arena, sv_slice(url, 0, at), arch,
		                   sv_from_offset(url, at + strlen("{arch}")));
	const struct dialect_fetch fetch = {
	    .kind = SV("binary"),
	    .name = SV("gardener-node-agent"),
	    .version = agent->version,
	    .architecture = arch,
	    .url = dialect_fetch_masked(arena, url),
	    .sha256 = sha256,
	    .setting = SV("gardenerNodeAgentURL"),
	};
	VEC_PUSH(arena, fetches, fetch);
}

void gardener_agent_fetches(struct arena *arena, const struct gardener_settings *settings,
                            struct dialect_fetches *fetches)
{
	const struct gardener_agent_program *agent = &settings->agent;
	struct dialect_fetch fetch = {
	    .kind = SV("image"),
	    .name = image_of(arena, agent),
	    .from = SV("gardener-node-agent"),
	    .setting = SV("gardenerNodeAgentImage"),
	};

	if (!sv_empty(agent->url.string)) {
		add_binary(arena, agent, SV("amd64"), agent->sums.amd64, fetches);
		add_binary(arena, agent, SV("arm64"), agent->sums.arm64, fetches);
		return;
	}
	if (agent->image_given.is_given)
		fetch.upstream = ARENA_CONCAT(arena, SV(GARDENER_AGENT_IMAGE ":"), agent->version);
	dialect_fetch_image(&fetch);
	VEC_PUSH(arena, fetches, fetch);
}
