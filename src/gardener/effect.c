/*
 * Makes the object that shows the effect of an OSC on a node: files, links, units and commands, in
 * the clear apart from secrets. The user-data itself is sealed, so this is what reviewers and a run
 * without the seed compare (docs/spec/gardener.md 6).
 */
#include "codec/codec.h"
#include "gardener/internal.h"

static void set_text_if(struct arena *arena, struct value *map, const char *key, sv text)
{
	if (!sv_empty(text))
		gardener_set(arena, map, key, value_string(text));
}

static void set_list_if(struct arena *arena, struct value *map, const char *key, struct value list)
{
	if (value_count(&list) > 0)
		gardener_set(arena, map, key, list);
}

/* ---- files and links --------------------------------------------------------------------- */

/* Sets the bytes, in base64 if they are not text. */
static void set_content(struct arena *arena, struct value *map, const struct value *content)
{
	struct value text = *content;

	if (!utf8_valid(text.string)) {
		sv base64 = base64_encode(arena, BASE64_STD, text.string);

		text = value_string(base64);
		text.taint = taint_whole(arena, base64.len, secrecy_find(content));
		gardener_set(arena, map, "encoding", value_string(SV("b64")));
	}
	gardener_set(arena, map, "content", text);
}

static struct value file_value(struct arena *arena, const struct value *path, int mode)
{
	struct value v = value_map_new(arena);

	gardener_set(arena, &v, "path", *path);
	if (mode != NODE_MODE_ABSENT)
		gardener_set(arena, &v, "permissions",
		             value_string(arena_printf(arena, "%04o", (unsigned)mode)));
	return v;
}

static void add_stage_files(struct arena *arena, const struct gardener_stage *stage, size_t from,
                            size_t to, struct value *list)
{
	for (size_t i = from; i < to; i++) {
		const struct node_file *file = &stage->files[i];
		struct value v = file_value(arena, &file->path, file->mode);

		set_content(arena, &v, &file->content);
		value_list_add(arena, list, v);
	}
}

static struct value files_value(struct arena *arena, const struct gardener_osc *osc,
                                const struct gardener_stage *stage)
{
	struct value list = value_list_new(arena);

	add_stage_files(arena, stage, 0, stage->files_before, &list);
	for (size_t i = 0; i < osc->file_count; i++) {
		const struct gardener_file *file = &osc->files[i];
		struct value v = file_value(arena, &file->path, file->mode);

		if (file->host_name.type)
			gardener_set(arena, &v, "hostName", file->host_name);
		if (file->is_transparent)
			gardener_set(arena, &v, "transmitUnencoded", value_bool(true));
		if (file->image)
			gardener_set(arena, &v, "imageRef", *file->image);
		else
			set_content(arena, &v, &file->content);
		value_list_add(arena, &list, v);
	}
	add_stage_files(arena, stage, stage->files_before, stage->file_count, &list);
	return list;
}

static struct value links_value(struct arena *arena, const struct gardener_stage *stage)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < stage->link_count; i++) {
		struct value v = value_map_new(arena);

		gardener_set(arena, &v, "path", stage->links[i].path);
		gardener_set(arena, &v, "target", stage->links[i].target);
		value_list_add(arena, &list, v);
	}
	return list;
}

/* ---- units ------------------------------------------------------------------------------- */

static struct value text_list(struct arena *arena, const struct value *texts, size_t count)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < count; i++)
		value_list_add(arena, &list, texts[i]);
	return list;
}

static struct value unit_value(struct arena *arena, const struct node_unit *unit,
                               struct value file_paths)
{
	struct value drop_ins = value_list_new(arena);
	struct value v = value_map_new(arena);

	gardener_set(arena, &v, "name", unit->name);
	if (unit->mask)
		gardener_set(arena, &v, "mask", value_bool(true));
	if (unit->enable != NODE_ENABLE_UNSAID)
		gardener_set(arena, &v, "enable", value_bool(unit->enable == NODE_ENABLE_YES));
	set_text_if(arena, &v, "command", unit->command);
	if (value_is_string(&unit->content))
		gardener_set(arena, &v, "content", unit->content);
	for (size_t i = 0; i < unit->drop_in_count; i++) {
		struct value drop_in = value_map_new(arena);

		gardener_set(arena, &drop_in, "name", unit->drop_ins[i].name);
		gardener_set(arena, &drop_in, "content", unit->drop_ins[i].content);
		value_list_add(arena, &drop_ins, drop_in);
	}
	set_list_if(arena, &v, "dropIns", drop_ins);
	set_list_if(arena, &v, "filePaths", file_paths);
	return v;
}

/*
 * Returns all units, in the order of the node. Those of the OSC are between units of the stage:
 * `units_before` come first, the others last.
 */
static struct value units_value(struct arena *arena, const struct gardener_osc *osc,
                                const struct gardener_stage *stage, const struct node_config *node)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < node->unit_count; i++) {
		struct value paths = value_list_new(arena);
		struct node_unit unit = node->units[i];

		if (i >= stage->units_before && i < stage->units_before + osc->unit_count) {
			const struct gardener_unit *own = &osc->units[i - stage->units_before];

			unit.enable = stage->format ? unit.enable : own->enable;
			paths = text_list(arena, own->file_paths, own->file_path_count);
		} else if (stage->unit_file_paths) {
			size_t at = i < stage->units_before ? i : i - osc->unit_count;

			paths = text_list(arena, stage->unit_file_paths[at].items,
			                  stage->unit_file_paths[at].count);
		}
		value_list_add(arena, &list, unit_value(arena, &unit, paths));
	}
	return list;
}

/* ---- the object -------------------------------------------------------------------------- */

/*
 * Returns the units that Gardener's executor of 2021 restarts after it has applied user-data: all
 * of the status but three.
 */
static struct value restarts_value(struct arena *arena, const struct value *status)
{
	static const sv kept[] = {SV_INIT("docker.service"), SV_INIT("var-lib.mount"),
	                          SV_INIT("cloud-config-downloader.service")};
	const struct value *units = value_map_get(status, SV("units"));
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < value_count(units); i++) {
		const struct value *name = value_item(units, i);
		bool is_kept = false;

		for (size_t j = 0; j < COUNT_OF(kept); j++)
			is_kept |= sv_eq(name->string, kept[j]);
		if (!is_kept)
			value_list_add(arena, &list, *name);
	}
	return list;
}

static void set_script(struct arena *arena, const struct gardener_stage *stage,
                       const struct node_script *script, struct value *spec)
{
	struct value starts = value_list_new(arena);

	if (!script)
		return;
	if (!sv_empty(value_text(&script->before)))
		gardener_set(arena, spec, "commandsBefore", script->before);
	if (!sv_empty(value_text(&script->after)))
		gardener_set(arena, spec, "commandsAfter", script->after);
	if (script->once)
		gardener_set(arena, spec, "once", value_bool(true));
	for (size_t i = 0; stage->format && i < script->start_count; i++)
		value_list_add(arena, &starts, script->starts[i].name);
	set_list_if(arena, spec, "starts", starts);
}

struct kube_id gardener_effect_id(const struct gardener_osc *osc)
{
	return (struct kube_id){SV("osm-gen.dev/v1alpha1"), SV("NodeEffect"),
	                        osc->object->id.namespace, osc->object->id.name};
}

struct artifact gardener_effect_make(struct arena *arena, const struct gardener_osc *osc,
                                     const struct gardener_stage *stage,
                                     const struct gardener_machine *machine,
                                     const struct value *status)
{
	const struct kube_id id = gardener_effect_id(osc);
	struct value object = kube_object_new(arena, &id, NULL, NULL);
	struct value spec = value_map_new(arena);
	bool is_running = osc->purpose == GARDENER_RECONCILE;

	gardener_set(arena, &spec, "nodes", value_string(is_running ? SV("running") : SV("new")));
	if (stage->format && is_running && stage->command.type)
		gardener_set(arena, &spec, "command", stage->command);
	set_text_if(arena, &spec, "userData", machine->user_data_mark);
	set_list_if(arena, &spec, "files", files_value(arena, osc, stage));
	set_list_if(arena, &spec, "links", links_value(arena, stage));
	set_list_if(arena, &spec, "units", units_value(arena, osc, stage, machine->node));
	set_script(arena, stage, machine->node->script, &spec);
	const struct value *cri = gardener_cri(arena, osc, stage);
	if (cri)
		gardener_set(arena, &spec, "criConfig", *cri);
	if (osc->in_place_updates)
		gardener_set(arena, &spec, "inPlaceUpdates", *osc->in_place_updates);
	if (stage->format && is_running)
		set_list_if(arena, &spec, "restarts", restarts_value(arena, status));
	gardener_set(arena, &object, "spec", spec);
	struct artifact effect =
	    artifact_of(object, ARTIFACT_STATUS, ARTIFACT_CONFIG, ARTIFACT_CLEAR);
	effect.print = SV("node-effect");
	return effect;
}
