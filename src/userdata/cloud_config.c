/*
 * Writes cloud-init's #cloud-config (docs/spec/userdata.md 6.3): files by write_files, the rest by
 * runcmd. cloud-init writes files long before it runs commands, so that a script's first part
 * (node_script, before) runs after all files are written.
 */
#include "userdata/userdata.h"
#include "userdata/writer.h"
#include "yaml/yaml.h"

static void check_cloud_config(struct userdata_writer *w, const struct node_config *node)
{
	for (size_t i = 0; i < node->file_count; i++) {
		const struct node_file *file = &node->files[i];

		userdata_check_utf8(w, "file", &file->path, &file->path);
		if (file->is_transparent)
			userdata_check_utf8(w, "file", &file->path, &file->content);
	}
	for (size_t i = 0; i < node->link_count; i++) {
		userdata_check_utf8(w, "link", &node->links[i].path, &node->links[i].path);
		userdata_check_utf8(w, "link", &node->links[i].path, &node->links[i].target);
	}
	for (size_t i = 0; i < node->unit_count; i++) {
		const struct node_unit *unit = &node->units[i];

		userdata_check_utf8(w, "unit", &unit->name, &unit->name);
		for (size_t k = 0; k < unit->drop_in_count; k++)
			userdata_check_utf8(w, "drop-in", &unit->drop_ins[k].name,
			                    &unit->drop_ins[k].name);
	}
	for (size_t i = 0; node->script && i < node->script->start_count; i++)
		userdata_check_utf8(w, "unit", &node->script->starts[i].name,
		                    &node->script->starts[i].name);
	if (node->script) {
		userdata_check_utf8(w, "script", &node->script->before, &node->script->before);
		userdata_check_utf8(w, "script", &node->script->after, &node->script->after);
	}
}

/* Checks that the lines of cloud_config and the keys written here make one valid YAML map. */
static void check_top(struct userdata_writer *w, const struct value *lines)
{
	static const struct value no_name;
	struct userdata_problem problem = {"cloudInit",
	                                   &no_name,
	                                   lines,
	                                   0,
	                                   "these lines are not fields of a cloud-config",
	                                   "write lines of YAML such as `apt_update: false`; "
	                                   "write_files and runcmd come from the rest"};
	sv text = ARENA_CONCAT(w->arena, value_text(lines), SV("\nwrite_files: []\nruncmd: []\n"));
	struct sink sink = sink_in(w->arena);
	struct yml_documents documents;

	if (sv_empty(value_text(lines)))
		return;
	if (yml_parse(w->arena, &sink, source_new(w->arena, SV("cloudInit"), text, false),
	              &documents) != STATUS_OK ||
	    documents.count != 1 || value_count(&documents.items[0].root) < 2)
		userdata_fail(w, problem);
}

/* ---- write_files ------------------------------------------------------------------------- */

static void add_cloud_config_file(struct userdata_writer *w, const struct node_file *file)
{
	TEXT_ADD_LIT(&w->out, "- path: ");
	quoted_add(w, &file->path);
	if (file->mode != NODE_MODE_ABSENT)
		buf_printf(&w->out.buf, "\n  permissions: \"%04o\"", (unsigned)file->mode);
	if (file->is_transparent) {
		TEXT_ADD_LIT(&w->out, "\n  content: ");
		quoted_add(w, &file->content);
	} else {
		TEXT_ADD_LIT(&w->out, "\n  encoding: b64\n  content: \"");
		base64_add_value(w, &file->content);
		TEXT_ADD_LIT(&w->out, "\"");
	}
	TEXT_ADD_LIT(&w->out, "\n");
}

/* Leaves out the mode: cloud-init's default is that of unit files. */
static void add_unit_files(struct userdata_writer *w, const struct node_unit *unit)
{
	struct node_file file = {.path = node_unit_path(w->arena, unit, NULL),
	                         .mode = NODE_MODE_ABSENT,
	                         .content = unit->content};

	if (!unit->mask && value_is_string(&unit->content))
		add_cloud_config_file(w, &file);
	for (size_t i = 0; i < unit->drop_in_count; i++) {
		file.path = node_unit_path(w->arena, unit, &unit->drop_ins[i]);
		file.content = unit->drop_ins[i].content;
		add_cloud_config_file(w, &file);
	}
}

/* ---- runcmd ------------------------------------------------------------------------------ */

/* Adds a script as one command with its own shell, so that its variables and `exit` stay inside. */
static void add_script(struct userdata_writer *w, const struct value *script)
{
	if (sv_empty(value_text(script)))
		return;
	TEXT_ADD_LIT(&w->out, "- [\"/bin/bash\", \"-c\", ");
	quoted_add(w, script);
	TEXT_ADD_LIT(&w->out, "]\n");
}

/* Adds one line to runcmd. */
static void add_command(struct userdata_writer *w, const struct text *command)
{
	struct value line = text_value(w->arena, command);

	TEXT_ADD_LIT(&w->out, "- ");
	quoted_add(w, &line);
	TEXT_ADD_LIT(&w->out, "\n");
}

static void add_link(struct userdata_writer *w, const struct value *path,
                     const struct value *target)
{
	struct userdata_writer line = {.arena = w->arena, .out = text_in(w->arena)};

	shell_add_link(&line, path, target);
	add_command(w, &line.out);
}

/* COMPAT: cloud-init ignores a mode of 0 (util.chmod), which would let others read the file. */
static void add_mode_of_nothing(struct userdata_writer *w, const struct node_file *file)
{
	struct userdata_writer line = {.arena = w->arena, .out = text_in(w->arena)};

	if (file->mode != 0)
		return;
	TEXT_ADD_LIT(&line.out, "chmod 0000 ");
	shell_add_word(&line, &file->path);
	add_command(w, &line.out);
}

static void add_runcmd(struct userdata_writer *w, const struct node_config *node)
{
	const struct value nowhere = value_string(SV("/dev/null"));
	const struct node_script *script = node->script;

	if (script)
		add_script(w, &script->before);
	for (size_t i = 0; i < node->file_count; i++)
		add_mode_of_nothing(w, &node->files[i]);
	for (size_t i = 0; i < node->link_count; i++)
		add_link(w, &node->links[i].path, &node->links[i].target);
	for (size_t i = 0; i < node->unit_count; i++) {
		struct value path = node_unit_path(w->arena, &node->units[i], NULL);

		if (node->units[i].mask)
			add_link(w, &path, &nowhere);
	}
	if (script)
		add_script(w, &script->after);
	for (size_t i = 0; script && i < script->start_count; i++) {
		struct userdata_writer line = {.arena = w->arena, .out = text_in(w->arena)};

		shell_add_start(&line, &script->starts[i]);
		add_command(w, &line.out);
	}
}

/* ------------------------------------------------------------------------------------------ */

/* Adds a list unless it has no items. */
static void add_list(struct userdata_writer *w, sv key, const struct userdata_writer *items)
{
	struct value list = text_value(w->arena, &items->out);

	if (sv_empty(list.string))
		return;
	text_add(&w->out, key);
	text_add_value(&w->out, &list);
}

enum status userdata_cloud_config(struct arena *arena, struct sink *sink,
                                  const struct node_config *node, struct value *ret_text)
{
	static const sv header = SV_INIT("#cloud-config\n");
	struct userdata_writer w = {.arena = arena, .sink = sink, .out = text_in(arena)};
	struct userdata_writer files = {.arena = arena, .out = text_in(arena)};
	struct userdata_writer commands = {.arena = arena, .out = text_in(arena)};

	userdata_check_node(&w, node, USERDATA_SCRIPT | USERDATA_LINKS | USERDATA_CLOUD_CONFIG);
	check_cloud_config(&w, node);
	check_top(&w, &node->cloud_config);
	if (w.failed)
		return STATUS_FAILED;
	text_add(&w.out, header);
	shell_add_lines(&w, &node->cloud_config);
	for (size_t i = 0; i < node->file_count; i++)
		add_cloud_config_file(&files, &node->files[i]);
	for (size_t i = 0; i < node->unit_count; i++)
		add_unit_files(&files, &node->units[i]);
	add_list(&w, SV("write_files:\n"), &files);
	add_runcmd(&commands, node);
	add_list(&w, SV("runcmd:\n"), &commands);
	if (w.out.buf.len == header.len)
		TEXT_ADD_LIT(&w.out, "{}\n");
	*ret_text = text_value(arena, &w.out);
	return STATUS_OK;
}
