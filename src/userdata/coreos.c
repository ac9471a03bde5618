/*
 * Writes the #cloud-config of coreos-cloudinit (docs/spec/userdata.md 6.4), the program that CoreOS
 * Container Linux uses, and Flatcar if its user-data is not Ignition.
 *
 * It writes files first; then it installs, masks, enables and starts units.
 */
#include "userdata/userdata.h"
#include "userdata/writer.h"

static void check_coreos(struct userdata_writer *w, const struct node_config *node)
{
	for (size_t i = 0; i < node->file_count; i++) {
		const struct node_file *file = &node->files[i];

		userdata_check_utf8(w, "file", &file->path, &file->path);
		if (file->is_transparent)
			userdata_check_utf8(w, "file", &file->path, &file->content);
	}
	for (size_t i = 0; i < node->unit_count; i++) {
		const struct node_unit *unit = &node->units[i];

		userdata_check_utf8(w, "unit", &unit->name, &unit->name);
		userdata_check_utf8(w, "unit", &unit->name, &unit->content);
		for (size_t k = 0; k < unit->drop_in_count; k++) {
			const struct node_drop_in *drop_in = &unit->drop_ins[k];

			userdata_check_utf8(w, "drop-in", &drop_in->name, &drop_in->name);
			userdata_check_utf8(w, "drop-in", &drop_in->name, &drop_in->content);
		}
	}
	userdata_check_utf8(w, "rebootStrategy", &node->reboot_strategy, &node->reboot_strategy);
}

/* ---- units ------------------------------------------------------------------------------- */

static void add_drop_ins(struct userdata_writer *w, const struct node_unit *unit)
{
	bool first = true;

	for (size_t i = 0; i < unit->drop_in_count; i++) {
		if (userdata_is_empty(&unit->drop_ins[i].content))
			continue;
		if (first)
			TEXT_ADD_LIT(&w->out, "    drop_ins:\n");
		first = false;
		TEXT_ADD_LIT(&w->out, "    - name: ");
		quoted_add(w, &unit->drop_ins[i].name);
		TEXT_ADD_LIT(&w->out, "\n      content: ");
		quoted_add(w, &unit->drop_ins[i].content);
		TEXT_ADD_LIT(&w->out, "\n");
	}
}

static void add_coreos_unit(struct userdata_writer *w, const struct node_unit *unit)
{
	TEXT_ADD_LIT(&w->out, "  - name: ");
	quoted_add(w, &unit->name);
	if (unit->mask)
		TEXT_ADD_LIT(&w->out, "\n    mask: true");
	if (unit->enable == NODE_ENABLE_YES)
		TEXT_ADD_LIT(&w->out, "\n    enable: true");
	if (!unit->mask && !sv_empty(value_text(&unit->content))) {
		TEXT_ADD_LIT(&w->out, "\n    content: ");
		quoted_add(w, &unit->content);
	}
	if (!sv_empty(unit->command)) {
		const struct value command = value_string(unit->command);

		TEXT_ADD_LIT(&w->out, "\n    command: ");
		quoted_add(w, &command);
	}
	TEXT_ADD_LIT(&w->out, "\n");
	add_drop_ins(w, unit);
}

/* ---- files ------------------------------------------------------------------------------- */

static void add_coreos_file(struct userdata_writer *w, const struct node_file *file)
{
	int mode = file->mode == NODE_MODE_ABSENT ? NODE_FILE_MODE : file->mode;

	if (file->is_transparent) {
		TEXT_ADD_LIT(&w->out, "- content: ");
		quoted_add(w, &file->content);
	} else {
		TEXT_ADD_LIT(&w->out, "- encoding: b64\n  content: \"");
		base64_add_value(w, &file->content);
		TEXT_ADD_LIT(&w->out, "\"");
	}
	TEXT_ADD_LIT(&w->out, "\n  path: ");
	quoted_add(w, &file->path);
	buf_printf(&w->out.buf, "\n  permissions: \"%04o\"\n", (unsigned)mode);
}

static void add_empty_unit_files(struct userdata_writer *w, const struct node_unit *unit)
{
	struct node_file file = {.mode = NODE_UNIT_FILE_MODE, .content = unit->content};

	if (!unit->mask && userdata_is_empty(&unit->content)) {
		file.path = node_unit_path(w->arena, unit, NULL);
		add_coreos_file(w, &file);
	}
	for (size_t i = 0; i < unit->drop_in_count; i++) {
		file.content = unit->drop_ins[i].content;
		if (!userdata_is_empty(&file.content))
			continue;
		file.path = node_unit_path(w->arena, unit, &unit->drop_ins[i]);
		add_coreos_file(w, &file);
	}
}

static void add_coreos_files(struct userdata_writer *w, const struct node_config *node)
{
	struct userdata_writer files = {.arena = w->arena, .out = text_in(w->arena)};

	for (size_t i = 0; i < node->file_count; i++)
		add_coreos_file(&files, &node->files[i]);
	for (size_t i = 0; i < node->unit_count; i++)
		add_empty_unit_files(&files, &node->units[i]);
	struct value list = text_value(w->arena, &files.out);
	if (sv_empty(list.string))
		return;
	TEXT_ADD_LIT(&w->out, "write_files:\n");
	text_add_value(&w->out, &list);
}

enum status userdata_coreos(struct arena *arena, struct sink *sink, const struct node_config *node,
                            struct value *ret_text)
{
	static const sv header = SV_INIT("#cloud-config\n\n");
	struct userdata_writer w = {.arena = arena, .sink = sink, .out = text_in(arena)};

	userdata_check_node(&w, node, USERDATA_REBOOT);
	check_coreos(&w, node);
	if (w.failed)
		return STATUS_FAILED;
	text_add(&w.out, header);
	bool has_strategy = !sv_empty(value_text(&node->reboot_strategy));
	if (has_strategy || node->unit_count > 0)
		TEXT_ADD_LIT(&w.out, "coreos:\n");
	if (has_strategy) {
		TEXT_ADD_LIT(&w.out, "  update:\n    reboot_strategy: ");
		quoted_add(&w, &node->reboot_strategy);
		TEXT_ADD_LIT(&w.out, "\n");
	}
	if (node->unit_count > 0)
		TEXT_ADD_LIT(&w.out, "  units:\n");
	for (size_t i = 0; i < node->unit_count; i++)
		add_coreos_unit(&w, &node->units[i]);
	add_coreos_files(&w, node);
	if (w.out.buf.len == header.len)
		TEXT_ADD_LIT(&w.out, "{}\n");
	*ret_text = text_value(arena, &w.out);
	return STATUS_OK;
}
