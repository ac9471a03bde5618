/*
 * Writes Ignition 3.3.0 (docs/spec/userdata.md 6.5), which Flatcar reads at its first boot, and
 * 2.3.0 in the form of metal-stack's extension, for images with an older Ignition.
 *
 * Files and links have `overwrite`: without it Ignition stops if the image has something at the
 * path. Reports everything that Ignition refuses or silently ignores.
 */
#include "userdata/ignition.h"
#include "userdata/userdata.h"
#include "userdata/writer.h"

#define PERMISSION_BITS 0777
#define MODE_DEFAULT    0644 /* of 2.3.0 */

enum ignition_version { IGNITION_2, IGNITION_3 };

struct ignition_writer {
	struct userdata_writer base;
	struct userdata_writer files; /* items of storage.files */
	struct set paths;             /* of files and links; used as a set */
	struct set unit_paths;        /* of units and drop-ins with content; used as a set */
	const struct node_config *node;
	enum ignition_version version;
};

/* ---- checks of Ignition's rules ------------------------------------------------------------ */

static void refuse_in_ignition3(struct ignition_writer *w, enum diag_code code,
                                const struct value *name, const char *problem, const char *help)
{
	struct position at = value_position(name);
	struct diag *diag;

	w->base.failed = true;
	if (name->taint)
		diag = diag_report(w->base.sink, code, at, "%s", problem);
	else
		diag = diag_report(w->base.sink, code, at, "\"%.*s\": %s", SV_ARG(value_text(name)),
		                   problem);
	diag_set_help(w->base.sink, diag, "%s", help);
}

/* Returns true if the path leads through one of the links. */
static bool is_below_link(const struct node_config *node, sv path)
{
	for (size_t i = 0; i < node->link_count; i++) {
		sv link = value_text(&node->links[i].path);

		if (path.len > link.len && path.ptr[link.len] == '/' && sv_starts_with(path, link))
			return true;
	}
	return false;
}

/* Checks the path of a file or link; `at` is the manifest's value that messages point to. */
static void check_ignition3_path(struct ignition_writer *w, const struct value *path,
                                 const struct value *at)
{
	sv s = value_text(path);

	userdata_check_utf8(&w->base, "file", at, path);
	if (sv_contains(s, SV("//")) || sv_contains(s, SV("/./")) || sv_contains(s, SV("/../")))
		refuse_in_ignition3(w, DIAG_IGNITION_FILE, at,
		                    "Ignition takes no path with //, /./ or /../ in it",
		                    "write the shortest path");
	if (is_below_link(w->node, s))
		refuse_in_ignition3(w, DIAG_IGNITION_FILE, at,
		                    "the path leads through a link of the same configuration",
		                    "write the path that the link leads to");
	if (set_has(&w->unit_paths, s))
		refuse_in_ignition3(w, DIAG_IGNITION_FILE, at,
		                    "a unit or drop-in has the same path", "leave one of them out");
	else if (!set_add(&w->paths, s))
		refuse_in_ignition3(w, DIAG_IGNITION_FILE, at, "Ignition takes each path once",
		                    "leave one of them out");
}

static bool has_unit_type(sv name)
{
	static const char *const types[] = {".service",   ".socket", ".device",   ".mount",
	                                    ".automount", ".swap",   ".target",   ".path",
	                                    ".timer",     ".slice",  ".snapshot", ".scope"};

	for (size_t i = 0; i < COUNT_OF(types); i++)
		if (sv_ends_with(name, sv_from_cstr(types[i])))
			return true;
	return false;
}

/* Checks the text of a unit or drop-in, and notes its path if it has content. */
static void check_unit_text(struct ignition_writer *w, const struct value *name,
                            const struct value *content, sv path)
{
	sv text = value_text(content);
	struct unit_file file;
	const char *problem;
	size_t at;

	userdata_check_utf8(&w->base, "unit", name, name);
	userdata_check_utf8(&w->base, "unit", name, content);
	if (!sv_empty(text) && !unit_file_read(text, &file, &problem, &at))
		refuse_in_ignition3(w, DIAG_IGNITION_UNIT, name, problem, "write a unit file");
	if (!sv_empty(text))
		(void)set_add(&w->unit_paths, path);
}

static void check_ignition3_unit(struct ignition_writer *w, const struct node_unit *unit)
{
	struct set names = set_in(w->base.arena);

	if (!has_unit_type(value_text(&unit->name)))
		refuse_in_ignition3(w, DIAG_IGNITION_UNIT, &unit->name,
		                    "Ignition takes only units whose names end in a unit type",
		                    "end it in .service, .timer or another of systemd's types");
	check_unit_text(w, &unit->name, unit->mask ? &VALUE_INVALID : &unit->content,
	                node_unit_path(w->base.arena, unit, NULL).string);
	for (size_t i = 0; i < unit->drop_in_count; i++) {
		const struct node_drop_in *drop_in = &unit->drop_ins[i];

		if (!sv_ends_with(value_text(&drop_in->name), SV(".conf")))
			refuse_in_ignition3(w, DIAG_IGNITION_UNIT, &drop_in->name,
			                    "Ignition takes only drop-ins whose names end in .conf",
			                    "end it in .conf");
		if (!set_add(&names, value_text(&drop_in->name)))
			refuse_in_ignition3(w, DIAG_IGNITION_UNIT, &drop_in->name,
			                    "Ignition takes each drop-in of a unit once",
			                    "leave one of them out");
		check_unit_text(w, &drop_in->name, &drop_in->content,
		                node_unit_path(w->base.arena, unit, drop_in).string);
	}
}

static void check_units(struct ignition_writer *w)
{
	struct set names = set_in(w->base.arena);

	for (size_t i = 0; i < w->node->unit_count; i++) {
		const struct node_unit *unit = &w->node->units[i];

		if (!set_add(&names, value_text(&unit->name)))
			refuse_in_ignition3(w, DIAG_IGNITION_UNIT, &unit->name,
			                    "Ignition takes each unit once",
			                    "merge them into one unit");
		check_ignition3_unit(w, unit);
	}
}

/* ---- storage ------------------------------------------------------------------------------- */

/* Begins a file or link: replaces what the image has at the path. */
static void add_entry(const struct ignition_writer *w, struct userdata_writer *out,
                      const struct value *path)
{
	TEXT_ADD_LIT(&out->out, "{");
	if (w->version == IGNITION_2)
		TEXT_ADD_LIT(&out->out, "\"filesystem\":\"root\",");
	TEXT_ADD_LIT(&out->out, "\"overwrite\":true,\"path\":");
	quoted_add(out, path);
}

/* Adds a file; `at` is the manifest's value that messages name and point to. */
static void add_ignition3_file(struct ignition_writer *w, const struct node_file *file,
                               const struct value *at)
{
	struct userdata_writer *out = &w->files;

	check_ignition3_path(w, &file->path, at);
	if (file->mode != NODE_MODE_ABSENT && (file->mode & ~PERMISSION_BITS))
		refuse_in_ignition3(w, DIAG_IGNITION_FILE, at,
		                    "Ignition does not set setuid, setgid and sticky bits",
		                    "set permissions of at most 0777");
	if (out->out.buf.len > 0)
		TEXT_ADD_LIT(&out->out, ",");
	add_entry(w, out, &file->path);
	TEXT_ADD_LIT(&out->out, ",\"contents\":{\"source\":\"");
	bool is_empty = sv_empty(file->content.string);
	if (file->is_transparent || (w->version == IGNITION_2 && is_empty)) {
		ignition_add_data_url(&out->out, &file->content);
	} else {
		TEXT_ADD_LIT(&out->out, "data:;base64,");
		base64_add_value(out, &file->content);
	}
	TEXT_ADD_LIT(&out->out, "\"");
	if (w->version == IGNITION_2) {
		int mode = file->mode == NODE_MODE_ABSENT ? MODE_DEFAULT : file->mode;

		buf_printf(&out->out.buf, ",\"verification\":{}},\"mode\":%d}", mode);
		return;
	}
	TEXT_ADD_LIT(&out->out, "}");
	if (file->mode != NODE_MODE_ABSENT)
		buf_printf(&out->out.buf, ",\"mode\":%d", file->mode);
	TEXT_ADD_LIT(&out->out, "}");
}

static void add_empty_unit_files(struct ignition_writer *w, const struct node_unit *unit)
{
	struct node_file file = {.mode = NODE_UNIT_FILE_MODE, .content = unit->content};

	if (!unit->mask && userdata_is_empty(&unit->content)) {
		file.path = node_unit_path(w->base.arena, unit, NULL);
		add_ignition3_file(w, &file, &unit->name);
	}
	for (size_t i = 0; i < unit->drop_in_count; i++) {
		file.content = unit->drop_ins[i].content;
		if (!userdata_is_empty(&file.content))
			continue;
		file.path = node_unit_path(w->base.arena, unit, &unit->drop_ins[i]);
		add_ignition3_file(w, &file, &unit->drop_ins[i].name);
	}
}

static void add_links(struct ignition_writer *w)
{
	struct userdata_writer *out = &w->base;

	for (size_t i = 0; i < w->node->link_count; i++) {
		const struct node_link *link = &w->node->links[i];

		check_ignition3_path(w, &link->path, &link->path);
		userdata_check_utf8(out, "link", &link->path, &link->target);
		text_add(&out->out, i > 0 ? SV(",") : SV("\"links\":["));
		add_entry(w, out, &link->path);
		TEXT_ADD_LIT(&out->out, ",\"target\":");
		quoted_add(out, &link->target);
		TEXT_ADD_LIT(&out->out, "}");
	}
	if (w->node->link_count > 0)
		TEXT_ADD_LIT(&out->out, "]");
}

static void add_storage(struct ignition_writer *w)
{
	struct userdata_writer *out = &w->base;

	w->files = (struct userdata_writer){.arena = out->arena, .out = text_in(out->arena)};
	for (size_t i = 0; i < w->node->file_count; i++)
		add_ignition3_file(w, &w->node->files[i], &w->node->files[i].path);
	for (size_t i = 0; i < w->node->unit_count; i++)
		add_empty_unit_files(w, &w->node->units[i]);
	struct value files = text_value(out->arena, &w->files.out);
	bool has_files = !sv_empty(files.string);
	if (!has_files && w->node->link_count == 0 && w->version == IGNITION_3)
		return;
	TEXT_ADD_LIT(&out->out, ",\"storage\":{");
	if (has_files) {
		TEXT_ADD_LIT(&out->out, "\"files\":[");
		text_add_value(&out->out, &files);
		TEXT_ADD_LIT(&out->out, "]");
		text_add(&out->out, w->node->link_count > 0 ? SV(",") : SV(""));
	}
	add_links(w);
	TEXT_ADD_LIT(&out->out, "}");
}

/* ---- units --------------------------------------------------------------------------------- */

static void add_contents(struct userdata_writer *out, const struct value *content)
{
	if (sv_empty(value_text(content)))
		return;
	TEXT_ADD_LIT(&out->out, ",\"contents\":");
	quoted_add(out, content);
}

static void add_drop_ins(struct userdata_writer *out, const struct node_unit *unit)
{
	bool first = true;

	for (size_t i = 0; i < unit->drop_in_count; i++) {
		if (userdata_is_empty(&unit->drop_ins[i].content))
			continue;
		text_add(&out->out, first ? SV(",\"dropins\":[{\"name\":") : SV(",{\"name\":"));
		first = false;
		quoted_add(out, &unit->drop_ins[i].name);
		add_contents(out, &unit->drop_ins[i].content);
		TEXT_ADD_LIT(&out->out, "}");
	}
	if (!first)
		TEXT_ADD_LIT(&out->out, "]");
}

static void add_ignition3_units(struct userdata_writer *out, const struct node_config *node)
{
	for (size_t i = 0; i < node->unit_count; i++) {
		const struct node_unit *unit = &node->units[i];

		text_add(&out->out, i > 0 ? SV(",") : SV(",\"systemd\":{\"units\":["));
		TEXT_ADD_LIT(&out->out, "{\"name\":");
		quoted_add(out, &unit->name);
		if (unit->enable != NODE_ENABLE_UNSAID)
			text_add(&out->out, unit->enable == NODE_ENABLE_YES
			                        ? SV(",\"enabled\":true")
			                        : SV(",\"enabled\":false"));
		if (unit->mask)
			TEXT_ADD_LIT(&out->out, ",\"mask\":true");
		else
			add_contents(out, &unit->content);
		add_drop_ins(out, unit);
		TEXT_ADD_LIT(&out->out, "}");
	}
	if (node->unit_count > 0)
		TEXT_ADD_LIT(&out->out, "]}");
}

/* ---- 2.3.0, with members in the order of Container Linux Config's transpiler ----------------- */

static void begin_member(struct userdata_writer *out, bool *first, const char *name)
{
	text_add(&out->out, *first ? SV("\"") : SV(",\""));
	text_add(&out->out, sv_from_cstr(name));
	TEXT_ADD_LIT(&out->out, "\":");
	*first = false;
}

static void add_old_drop_ins(struct userdata_writer *out, const struct node_unit *unit)
{
	bool first = true;

	for (size_t i = 0; i < unit->drop_in_count; i++) {
		const struct node_drop_in *drop_in = &unit->drop_ins[i];

		if (sv_empty(value_text(&drop_in->content)))
			continue;
		text_add(&out->out, first ? SV("{\"contents\":") : SV(",{\"contents\":"));
		first = false;
		quoted_add(out, &drop_in->content);
		TEXT_ADD_LIT(&out->out, ",\"name\":");
		quoted_add(out, &drop_in->name);
		TEXT_ADD_LIT(&out->out, "}");
	}
}

static bool has_drop_ins(const struct node_unit *unit)
{
	for (size_t i = 0; i < unit->drop_in_count; i++)
		if (!sv_empty(value_text(&unit->drop_ins[i].content)))
			return true;
	return false;
}

static void add_old_unit(struct userdata_writer *out, const struct node_unit *unit)
{
	bool first = true;

	TEXT_ADD_LIT(&out->out, "{");
	if (!unit->mask && !sv_empty(value_text(&unit->content))) {
		begin_member(out, &first, "contents");
		quoted_add(out, &unit->content);
	}
	if (has_drop_ins(unit)) {
		begin_member(out, &first, "dropins");
		TEXT_ADD_LIT(&out->out, "[");
		add_old_drop_ins(out, unit);
		TEXT_ADD_LIT(&out->out, "]");
	}
	if (unit->enable != NODE_ENABLE_UNSAID) {
		begin_member(out, &first, "enabled");
		text_add(&out->out, unit->enable == NODE_ENABLE_YES ? SV("true") : SV("false"));
	}
	if (unit->mask) {
		begin_member(out, &first, "mask");
		TEXT_ADD_LIT(&out->out, "true");
	}
	begin_member(out, &first, "name");
	quoted_add(out, &unit->name);
	TEXT_ADD_LIT(&out->out, "}");
}

static void add_old_units(struct userdata_writer *out, const struct node_config *node)
{
	TEXT_ADD_LIT(&out->out, ",\"systemd\":{");
	for (size_t i = 0; i < node->unit_count; i++) {
		text_add(&out->out, i > 0 ? SV(",") : SV("\"units\":["));
		add_old_unit(out, &node->units[i]);
	}
	text_add(&out->out, node->unit_count > 0 ? SV("]}") : SV("}"));
}

/* ---- the whole ----------------------------------------------------------------------------- */

static enum status write(struct ignition_writer *w, struct value *ret_text)
{
	userdata_check_node(&w->base, w->node, USERDATA_LINKS);
	check_units(w);
	if (w->version == IGNITION_2)
		TEXT_ADD_LIT(&w->base.out, "{\"ignition\":{\"config\":{},\"security\":{\"tls\":{}},"
		                           "\"timeouts\":{},\"version\":\"2.3.0\"},\"networkd\":{},"
		                           "\"passwd\":{}");
	else
		TEXT_ADD_LIT(&w->base.out, "{\"ignition\":{\"version\":\"3.3.0\"}");
	add_storage(w);
	if (w->version == IGNITION_2)
		add_old_units(&w->base, w->node);
	else
		add_ignition3_units(&w->base, w->node);
	TEXT_ADD_LIT(&w->base.out, "}");
	if (w->base.failed)
		return STATUS_FAILED;
	*ret_text = text_value(w->base.arena, &w->base.out);
	return STATUS_OK;
}

static struct ignition_writer writer_of(struct arena *arena, struct sink *sink,
                                        const struct node_config *node,
                                        enum ignition_version version)
{
	return (struct ignition_writer){
	    .base = {.arena = arena, .sink = sink, .out = text_in(arena)},
	    .paths = set_in(arena),
	    .unit_paths = set_in(arena),
	    .node = node,
	    .version = version,
	};
}

enum status userdata_ignition3(struct arena *arena, struct sink *sink,
                               const struct node_config *node, struct value *ret_text)
{
	struct ignition_writer w = writer_of(arena, sink, node, IGNITION_3);

	return write(&w, ret_text);
}

enum status userdata_ignition2(struct arena *arena, struct sink *sink,
                               const struct node_config *node, struct value *ret_text)
{
	struct ignition_writer w = writer_of(arena, sink, node, IGNITION_2);

	return write(&w, ret_text);
}
