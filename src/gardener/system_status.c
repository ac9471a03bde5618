/*
 * The system of an OSC whose type has no document. An OSC that was dumped from a cluster has in its
 * status what its extension adds; one without an operating system has nothing
 * (docs/spec/gardener.md 2).
 */
#include "gardener/system.h"

const struct gardener_system *gardener_system_of_status(void)
{
	static const struct gardener_system system = {.is_of_status = true};

	return &system;
}

static enum status refuse_item(struct sink *sink, const struct value *item, const char *what)
{
	struct diag *diag = diag_report(sink, DIAG_GARDENER_TYPE, value_position(item),
	                                "osm-gen cannot take over %s", what);

	diag_set_help(sink, diag,
	              "commit a document for spec.type, starting from the output of `osm-gen "
	              "profiles show minimal`");
	return STATUS_FAILED;
}

/* ---- files ------------------------------------------------------------------------------- */

static enum status check_file(struct sink *sink, const struct gardener_file *file)
{
	if (sv_empty(value_text(&file->path)) || system_path_mistake(file->path.string))
		return refuse_item(sink, file->root,
		                   "a file of status.extensionFiles without a path");
	if (!file->inline_)
		return refuse_item(sink, file->root,
		                   "a file of status.extensionFiles whose content is not inline");
	if (file->host_name.type)
		return refuse_item(sink, file->root,
		                   "a file of status.extensionFiles with a hostName");
	return STATUS_OK;
}

static enum status add_status_files(struct arena *arena, struct sink *sink,
                                    struct gardener_osc *extension, struct gardener_stage *stage)
{
	struct kube_objects none;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < extension->file_count; i++)
		status |= check_file(sink, &extension->files[i]);
	kube_objects_init(arena, &none, NULL);
	if (status != STATUS_OK ||
	    gardener_osc_contents(arena, sink, &none, false, extension) != STATUS_OK)
		return STATUS_FAILED;
	stage->files = ARENA_ARRAY(arena, struct node_file, extension->file_count + 1);
	for (size_t i = 0; i < extension->file_count; i++)
		stage->files[i] = (struct node_file){
		    .path = extension->files[i].path,
		    .mode = extension->files[i].mode,
		    .content = extension->files[i].content,
		};
	stage->file_count = stage->files_before = extension->file_count;
	return STATUS_OK;
}

/* ---- units ------------------------------------------------------------------------------- */

static enum status add_unit(struct arena *arena, struct sink *sink,
                            const struct gardener_unit *from, struct node_unit *unit)
{
	if (sv_empty(value_text(&from->name)) || system_unit_mistake(from->name.string))
		return refuse_item(sink, from->root,
		                   "a unit of status.extensionUnits without a name");
	*unit = (struct node_unit){
	    .name = from->name,
	    .enable = from->enable,
	    .command = value_text(&from->command),
	    .content = from->content,
	    .drop_ins = ARENA_ARRAY(arena, struct node_drop_in, from->drop_in_count + 1),
	    .drop_in_count = from->drop_in_count,
	};
	for (size_t i = 0; i < from->drop_in_count; i++) {
		const struct gardener_drop_in *drop_in = &from->drop_ins[i];

		if (sv_empty(value_text(&drop_in->name)) ||
		    system_drop_in_mistake(drop_in->name.string) ||
		    sv_empty(value_text(&drop_in->content)))
			return refuse_item(sink, from->root,
			                   "a drop-in of status.extensionUnits without name and "
			                   "content");
		unit->drop_ins[i] = (struct node_drop_in){drop_in->name, drop_in->content};
	}
	return STATUS_OK;
}

static enum status add_status_units(struct arena *arena, struct sink *sink,
                                    const struct gardener_osc *extension,
                                    struct gardener_stage *stage)
{
	size_t count = extension->unit_count;

	stage->units = ARENA_ARRAY(arena, struct node_unit, count + 1);
	stage->unit_file_paths = ARENA_ARRAY(arena, struct gardener_paths, count + 1);
	for (size_t i = 0; i < count; i++) {
		const struct gardener_unit *from = &extension->units[i];

		if (add_unit(arena, sink, from, &stage->units[i]) != STATUS_OK)
			return STATUS_FAILED;
		stage->unit_file_paths[i].items = from->file_paths;
		stage->unit_file_paths[i].count = from->file_path_count;
	}
	stage->unit_count = stage->units_before = count;
	return STATUS_OK;
}

/* ---- the stage --------------------------------------------------------------------------- */

static void add_update(struct arena *arena, const struct gardener_osc *extension,
                       struct gardener_stage *stage)
{
	const struct value *update = value_map_get(extension->in_place_updates, SV("osUpdate"));
	const struct value *command = value_map_get(update, SV("command"));
	const struct value *args = value_map_get(update, SV("args"));

	if (sv_empty(value_text(command)))
		return;
	stage->update_command = *command;
	stage->update_args = ARENA_ARRAY(arena, struct value, value_count(args) + 1);
	for (size_t i = 0; value_is_list(args) && i < value_count(args); i++)
		if (value_is_string(value_item(args, i)))
			stage->update_args[stage->update_arg_count++] = *value_item(args, i);
}

enum status system_status_stage(struct arena *arena, struct sink *sink,
                                const struct gardener_osc *osc, struct gardener_stage *ret_stage)
{
	struct gardener_stage stage = {0};
	struct gardener_osc extension;

	gardener_osc_read_extension(arena, sink, osc->object, &extension);
	if (add_status_files(arena, sink, &extension, &stage) != STATUS_OK ||
	    add_status_units(arena, sink, &extension, &stage) != STATUS_OK)
		return STATUS_FAILED;
	add_update(arena, &extension, &stage);
	*ret_stage = stage;
	return STATUS_OK;
}
