/*
 * Writes the execution script: values and lists of this OSC, then the steps, which are the same for
 * all (profiles/gardener/flow/execute.sh).
 */
#include "codec/codec.h"
#include "gardener/flow/flow.h"

/* The kubeconfig with which Gardener's kubelets bootstrap. */
#define BOOTSTRAP_KUBECONFIG "/var/lib/kubelet/kubeconfig-bootstrap"

struct script {
	struct arena *arena;
	struct text text;
};

static void add_word(struct script *s, const struct value *word)
{
	struct value quoted = gardener_shell_word(s->arena, word);

	text_add_value(&s->text, &quoted);
}

static void add_variable(struct script *s, sv name, const struct value *v)
{
	gardener_flow_set(s->arena, &s->text, name, v);
}

static void add_variable_text(struct script *s, sv name, sv text)
{
	const struct value v = value_string(text);

	add_variable(s, name, &v);
}

/* ---- files and units --------------------------------------------------------------------- */

/* Adds a call for each file that the user-data writes: MODE DIGEST PATH. */
static void add_script_files(struct script *s, const struct node_config *node)
{
	TEXT_ADD_LIT(&s->text, "each_file() {\n\t:\n");
	for (size_t i = 0; i < node->file_count; i++) {
		const struct node_file *file = &node->files[i];
		size_t from;

		TEXT_ADD_LIT(&s->text, "\t\"$1\" ");
		if (file->mode == NODE_MODE_ABSENT)
			TEXT_ADD_LIT(&s->text, "-");
		else
			buf_printf(&s->text.buf, "%o", (unsigned)file->mode);
		TEXT_ADD_LIT(&s->text, " ");
		from = s->text.buf.len;
		text_add(&s->text, digest_hex(s->arena, DIGEST_SHA256, file->content.string));
		text_mark_taint(&s->text, from, file->content.taint);
		TEXT_ADD_LIT(&s->text, " ");
		add_word(s, &file->path);
		TEXT_ADD_LIT(&s->text, "\n");
	}
	TEXT_ADD_LIT(&s->text, "}\n");
}

/* Sets the OSC's own enable and command of a unit, else those of its system. Other commands than
 * three are for cloud-init. */
static void find_unit(const struct gardener_flow_request *request, sv name,
                      enum node_enable *enable, sv *command)
{
	const struct gardener_osc *osc = request->osc;
	const struct gardener_stage *stage = request->stage;

	*enable = NODE_ENABLE_UNSAID;
	*command = SV("");
	for (size_t i = 0; i < stage->unit_count; i++) {
		if (!sv_eq(stage->units[i].name.string, name))
			continue;
		*enable = stage->units[i].enable;
		*command = stage->units[i].command;
	}
	for (size_t i = 0; i < osc->unit_count; i++) {
		if (!sv_eq(osc->units[i].name.string, name))
			continue;
		*enable = osc->units[i].enable;
		*command = value_text(&osc->units[i].command);
	}
}

/* Adds a call for each unit of the status: ENABLE COMMAND NAME. */
static void add_script_units(struct script *s, const struct gardener_flow_request *request)
{
	const struct value *names = value_map_get(request->status, SV("units"));

	TEXT_ADD_LIT(&s->text, "each_unit() {\n\t:\n");
	for (size_t i = 0; i < value_count(names); i++) {
		enum node_enable enable;
		sv command;

		find_unit(request, value_text(value_item(names, i)), &enable, &command);
		if (!sv_eq(command, SV("stop")) && !sv_eq(command, SV("restart")))
			command = SV("start");
		TEXT_ADD_LIT(&s->text, "\t\"$1\" ");
		text_add(&s->text, enable == NODE_ENABLE_NO ? SV("no ") : SV("yes "));
		text_add(&s->text, command);
		TEXT_ADD_LIT(&s->text, " ");
		add_word(s, value_item(names, i));
		TEXT_ADD_LIT(&s->text, "\n");
	}
	TEXT_ADD_LIT(&s->text, "}\n");
}

static void add_unit_path(struct script *s, const struct node_unit *unit,
                          const struct node_drop_in *drop_in)
{
	const struct value path = node_unit_path(s->arena, unit, drop_in);

	TEXT_ADD_LIT(&s->text, "\t\"$1\" ");
	add_word(s, &path);
	TEXT_ADD_LIT(&s->text, "\n");
}

/* Adds a call for each file of a unit that the user-data writes: PATH. */
static void add_script_unit_files(struct script *s, const struct node_config *node)
{
	TEXT_ADD_LIT(&s->text, "each_unit_file() {\n\t:\n");
	for (size_t i = 0; i < node->unit_count; i++) {
		const struct node_unit *unit = &node->units[i];

		if (!unit->mask && value_is_string(&unit->content))
			add_unit_path(s, unit, NULL);
		for (size_t j = 0; j < unit->drop_in_count; j++)
			add_unit_path(s, unit, &unit->drop_ins[j]);
	}
	TEXT_ADD_LIT(&s->text, "}\n");
}

/* ---- the kubelet ------------------------------------------------------------------------- */

static bool names_kubeconfig(const struct value *content)
{
	return content->type && sv_contains(content->string, SV(BOOTSTRAP_KUBECONFIG));
}

/* Returns the path of the kubeconfig if a unit or file names it and none is it, else "". */
static sv kubeconfig_of(const struct node_config *node)
{
	bool is_named = false;

	for (size_t i = 0; i < node->file_count; i++) {
		if (sv_eq(node->files[i].path.string, SV(BOOTSTRAP_KUBECONFIG)))
			return SV("");
		is_named |= names_kubeconfig(&node->files[i].content);
	}
	for (size_t i = 0; i < node->unit_count; i++) {
		is_named |= names_kubeconfig(&node->units[i].content);
		for (size_t j = 0; j < node->units[i].drop_in_count; j++)
			is_named |= names_kubeconfig(&node->units[i].drop_ins[j].content);
	}
	return is_named ? SV(BOOTSTRAP_KUBECONFIG) : SV("");
}

/* ---- the whole --------------------------------------------------------------------------- */

/* Adds a function that prints the content. */
static void add_printer(struct script *s, sv name, const struct value *content)
{
	size_t from;

	text_add(&s->text, name);
	TEXT_ADD_LIT(&s->text, "() {\n\tbase64 -d <<'END'\n");
	from = s->text.buf.len;
	text_add(&s->text, base64_encode(s->arena, BASE64_STD, content->string));
	text_mark_taint(&s->text, from, content->taint);
	TEXT_ADD_LIT(&s->text, "\nEND\n}\n");
}

/* Adds the downloader's files, so that a change of them reaches running nodes. */
static void add_downloader(struct script *s, const struct gardener_flow_request *request)
{
	const struct gardener_flow_server *server = request->server;

	add_variable_text(s, SV("has_downloader"), server ? SV("yes") : SV("no"));
	if (!server)
		return;
	const struct value program =
	    gardener_flow_downloader(s->arena, request->job->cluster, request->osc->object);
	const struct value unit =
	    value_string(gardener_flow_unit(s->arena, request->osc->cri_name));
	add_printer(s, SV("server"), &server->url);
	add_printer(s, SV("ca"), &server->ca);
	add_printer(s, SV("downloader"), &program);
	add_printer(s, SV("downloader_unit"), &unit);
}

struct value gardener_flow_script(struct arena *arena, const struct gardener_flow_request *request)
{
	const struct value *user_data = &request->machine->user_data;
	const struct value digest =
	    value_string(digest_hex(arena, DIGEST_SHA256, user_data->string));
	struct script s = {arena, text_in(arena)};
	struct script lists = {arena, text_in(arena)};
	size_t from;

	/* Everything of which a change is applied. The token is not among it. */
	add_variable(&lists, SV("reload"), &request->osc->reload_path);
	add_variable(&lists, SV("command"), &request->stage->command);
	from = lists.text.buf.len;
	add_variable(&lists, SV("user_data_digest"), &digest);
	text_mark_taint(&lists.text, from, user_data->taint);
	add_script_units(&lists, request);
	add_script_files(&lists, request->machine->node);
	const struct value applied = text_value(arena, &lists.text);

	TEXT_ADD_LIT(&s.text, "#!/bin/sh\n# Applies a change of the node's configuration "
	                      "(osm-gen, docs/spec/gardener.md 7).\n");
	add_variable_text(&s, SV("name"), gardener_flow_name(arena, request->osc->object));
	from = s.text.buf.len;
	add_variable_text(&s, SV("checksum"), digest_hex(arena, DIGEST_SHA256, applied.string));
	text_mark_taint(&s.text, from, user_data->taint);
	text_add_value(&s.text, &applied);
	/* No part of the checksum: these are in the digest of the user-data. */
	add_script_unit_files(&s, request->machine->node);
	add_variable_text(&s, SV("spread"),
	                  arena_printf(arena, "%lld", (long long)request->settings->apply_spread));
	if (request->settings->removes)
		add_variable_text(&s, SV("removed"), SV("remove"));
	if (request->settings->restarts_all)
		add_variable_text(&s, SV("restarts"), SV("all"));
	add_variable_text(&s, SV("kubeconfig"), kubeconfig_of(request->machine->node));
	add_variable(&s, SV("token"), &request->tokens->now);
	if (request->tokens->join.type)
		add_variable_text(&s, SV("joining"), SV("apart"));
	/* The flow's downloader keeps the user-data, which has a key of its own in the Secret. */
	if (request->server && request->job->cluster->contract >= 2)
		TEXT_ADD_LIT(&s.text,
		             "user_data() { cat " GARDENER_FLOW_FOLDER "/cloud_config; }\n");
	else
		add_printer(&s, SV("user_data"), user_data);
	add_downloader(&s, request);
	TEXT_ADD_LIT(&s.text, "\n");
	text_add(&s.text, gardener_flow_steps(arena, request->job->cluster, SV("execute.sh")));
	return text_value(arena, &s.text);
}
