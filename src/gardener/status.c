/*
 * Makes the status that an extension's controller would write, as an object of its own. Appliers do
 * not apply a status, so the file is in a folder that they do not read (docs/spec/gardener.md 4).
 */
#include "codec/codec.h"
#include "gardener/internal.h"
#include "golang/golang.h"
#include "json/json.h"

#define RFC3339             "2006-01-02T15:04:05Z07:00"
#define TIMESTAMP           "gardener.cloud/timestamp"
#define SUCCESS_DESCRIPTION "Successfully generated cloud config"

static struct value text_list(struct arena *arena, const struct value *texts, size_t count)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < count; i++)
		value_list_add(arena, &list, texts[i]);
	return list;
}

/* ---- files and units, as the contract's types have them ---------------------------------- */

struct value gardener_inline(struct arena *arena, struct value data, sv encoding)
{
	struct value content = value_map_new(arena);
	struct value inline_ = value_map_new(arena);

	gardener_set(arena, &inline_, "data", data);
	gardener_set(arena, &inline_, "encoding", value_string(encoding));
	gardener_set(arena, &content, "inline", inline_);
	return content;
}

static struct value file_value(struct arena *arena, const struct node_file *file)
{
	struct value v = value_map_new(arena);
	struct value data = file->content;
	bool is_text = utf8_valid(data.string);

	if (!is_text)
		data = value_string(base64_encode(arena, BASE64_STD, data.string));
	gardener_set(arena, &v, "content",
	             gardener_inline(arena, data, is_text ? SV("") : SV("b64")));
	gardener_set(arena, &v, "path", file->path);
	if (file->mode != NODE_MODE_ABSENT)
		gardener_set(arena, &v, "permissions", value_int(file->mode));
	return v;
}

static struct value unit_value(struct arena *arena, const struct node_unit *unit,
                               const struct gardener_paths *paths)
{
	struct value v = value_map_new(arena);
	struct value drop_ins = value_list_new(arena);

	if (!sv_empty(unit->command))
		gardener_set(arena, &v, "command", value_string(unit->command));
	if (!sv_empty(value_text(&unit->content)))
		gardener_set(arena, &v, "content", unit->content);
	for (size_t i = 0; i < unit->drop_in_count; i++) {
		struct value drop_in = value_map_new(arena);

		gardener_set(arena, &drop_in, "content", unit->drop_ins[i].content);
		gardener_set(arena, &drop_in, "name", unit->drop_ins[i].name);
		value_list_add(arena, &drop_ins, drop_in);
	}
	if (unit->drop_in_count > 0)
		gardener_set(arena, &v, "dropIns", drop_ins);
	if (unit->enable != NODE_ENABLE_UNSAID)
		gardener_set(arena, &v, "enable", value_bool(unit->enable == NODE_ENABLE_YES));
	if (paths && paths->count > 0)
		gardener_set(arena, &v, "filePaths", text_list(arena, paths->items, paths->count));
	gardener_set(arena, &v, "name", unit->name);
	return v;
}

void gardener_set_extension(struct arena *arena, const struct gardener_stage *stage,
                            struct value *status)
{
	struct value files = value_list_new(arena);
	struct value units = value_list_new(arena);

	for (size_t i = 0; i < stage->file_count; i++)
		value_list_add(arena, &files, file_value(arena, &stage->files[i]));
	for (size_t i = 0; i < stage->unit_count; i++)
		value_list_add(
		    arena, &units,
		    unit_value(arena, &stage->units[i],
		               stage->unit_file_paths ? &stage->unit_file_paths[i] : NULL));
	if (stage->file_count > 0)
		gardener_set(arena, status, "extensionFiles", files);
	if (stage->unit_count > 0)
		gardener_set(arena, status, "extensionUnits", units);
	if (!stage->update_command.type)
		return;
	struct value update = value_map_new(arena);
	struct value in_place = value_map_new(arena);
	if (stage->update_arg_count > 0)
		gardener_set(arena, &update, "args",
		             text_list(arena, stage->update_args, stage->update_arg_count));
	gardener_set(arena, &update, "command", stage->update_command);
	gardener_set(arena, &in_place, "osUpdate", update);
	gardener_set(arena, status, "inPlaceUpdates", in_place);
}

/* ---- the last operation ------------------------------------------------------------------ */

/* Returns the time of the source commit, or of the annotation that asked for the operation if
 * later. */
static sv now_of(struct arena *arena, const struct gardener_osc *osc, int64_t now)
{
	const struct value *annotations = value_path(osc->object->root, "metadata.annotations");
	sv asked = value_text(value_map_get(annotations, SV(TIMESTAMP)));
	struct go_time time = {.seconds = now, .zone_name = SV("UTC")};
	struct go_time since;
	sv error;

	/* Gardener's readers of the annotation cut it to seconds. */
	if (!sv_empty(asked) && go_time_parse(arena, SV(RFC3339), asked, false, &since, &error) &&
	    since.seconds > time.seconds)
		time.seconds = since.seconds;
	return go_time_format(arena, &time, SV(RFC3339));
}

static struct value operation(struct arena *arena, sv type, sv time)
{
	struct value v = value_map_new(arena);

	gardener_set(arena, &v, "description", value_string(SV(SUCCESS_DESCRIPTION)));
	gardener_set(arena, &v, "lastUpdateTime", value_string(time));
	gardener_set(arena, &v, "progress", value_int(100));
	gardener_set(arena, &v, "state", value_string(SV("Succeeded")));
	gardener_set(arena, &v, "type", value_string(type));
	return v;
}

/* Returns the status without lastOperation. */
static struct value rest_of(struct arena *arena, const struct value *status)
{
	struct value rest = value_map_new(arena);

	for (size_t i = 0; i < value_count(status); i++)
		if (!sv_eq(status->map->entries[i].key, SV("lastOperation")))
			value_map_set(arena, &rest, status->map->entries[i].key,
			              status->map->entries[i].value);
	return rest;
}

static sv as_json(struct arena *arena, const struct value *v)
{
	struct buf buf = buf_in(arena);

	json_emit(&buf, v, JSON_GO);
	return buf_sv(&buf);
}

/* The previous status, or the invalid value, and whether its user-data was another. */
struct previous_status {
	struct value object;
	bool has_other_user_data;
};

/* Returns true if the two marks differ. Without a seed only their names can be compared. */
static bool differs(struct arena *arena, sv before, sv now)
{
	return !sv_empty(before) && !sv_empty(now) && !sv_eq(before, now) &&
	       !sv_eq(secrecy_without_fingerprints(arena, before), now);
}

static enum status find_previous(struct arena *arena, struct sink *sink,
                                 const struct dialect_job *job, const struct gardener_osc *osc,
                                 const struct gardener_machine *machine,
                                 struct previous_status *ret_previous)
{
	const struct kube_id id = {SV(GARDENER_API_VERSION), SV(GARDENER_KIND),
	                           osc->object->id.namespace, osc->object->id.name};
	const struct kube_id effect_id = gardener_effect_id(osc);
	const struct dialect_previous *previous = &job->previous;
	struct value effect = {0};

	*ret_previous = (struct previous_status){0};
	if (!previous->find)
		return STATUS_OK;
	if (previous->find(arena, sink, previous->context, ARTIFACT_STATUS, &id,
	                   &ret_previous->object) != STATUS_OK ||
	    previous->find(arena, sink, previous->context, ARTIFACT_STATUS, &effect_id, &effect) !=
	        STATUS_OK)
		return STATUS_FAILED;
	if (effect.type)
		ret_previous->has_other_user_data =
		    differs(arena, value_text(value_path(&effect, "spec.userData")),
		            machine->user_data_mark);
	return STATUS_OK;
}

/*
 * Returns lastOperation: the previous one if neither the rest of the status nor user-data changed.
 * Followers of the status apply user-data when lastOperation changes; an object in a commit may
 * have no generation.
 */
static struct value operation_of(struct arena *arena, const struct gardener_osc *osc,
                                 const struct value *status, const struct previous_status *previous,
                                 int64_t now)
{
	const struct value *before = &previous->object;
	const struct value *status_before =
	    before->type ? value_map_get(before, SV("status")) : NULL;
	const struct value *kept = value_map_get(status_before, SV("lastOperation"));
	sv time = now_of(arena, osc, now);

	if (!value_is_map(status_before))
		return operation(arena, SV("Create"), time);
	struct value rest = rest_of(arena, status_before);
	sv kept_time = value_text(value_map_get(kept, SV("lastUpdateTime")));
	/* Times in one zone and of one width sort as strings. */
	sv asked = now_of(arena, osc, 0);
	if (value_is_map(kept) && !previous->has_other_user_data &&
	    sv_eq(as_json(arena, &rest), as_json(arena, status)) && sv_cmp(kept_time, asked) >= 0)
		return *kept;
	return operation(arena, SV("Reconcile"), time);
}

/* ---- the whole --------------------------------------------------------------------------- */

static struct value secret_ref(struct arena *arena, const struct gardener_osc *osc)
{
	struct value config = value_map_new(arena);
	struct value ref = value_map_new(arena);

	gardener_set(arena, &ref, "name", value_string(gardener_result_name(arena, osc)));
	gardener_set(arena, &ref, "namespace", value_string(osc->object->id.namespace));
	gardener_set(arena, &config, "secretRef", ref);
	return config;
}

static struct value unit_names(struct arena *arena, const struct gardener_osc *osc,
                               const struct gardener_stage *stage)
{
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < osc->unit_count; i++)
		value_list_add(arena, &list, osc->units[i].name);
	for (size_t i = 0; i < stage->status_unit_count; i++)
		value_list_add(arena, &list, stage->status_units[i]);
	return list;
}

enum status gardener_status_make(struct arena *arena, struct sink *sink,
                                 const struct gardener_osc *osc, const struct gardener_stage *stage,
                                 const struct gardener_machine *machine,
                                 const struct dialect_job *job, struct value *ret_object)
{
	const struct gardener_settings *settings = job->cluster->settings;
	const struct kube_id id = {SV(GARDENER_API_VERSION), SV(GARDENER_KIND),
	                           osc->object->id.namespace, osc->object->id.name};
	const struct value *generation = value_path(osc->object->root, "metadata.generation");
	struct value object = kube_object_new(arena, &id, NULL, NULL);
	struct value status = value_map_new(arena);
	struct previous_status before;

	if (find_previous(arena, sink, job, osc, machine, &before) != STATUS_OK)
		return STATUS_FAILED;
	if (stage->format)
		gardener_set(arena, &status, "cloudConfig", secret_ref(arena, osc));
	if (stage->command.type)
		gardener_set(arena, &status, "command", stage->command);
	if (!stage->format)
		gardener_set_extension(arena, stage, &status);
	if (value_is(generation, KIND_INT64))
		gardener_set(arena, &status, "observedGeneration", *generation);
	if (settings->contract == GARDENER_2021 && osc->unit_count + stage->status_unit_count > 0)
		gardener_set(arena, &status, "units", unit_names(arena, osc, stage));
	struct value last = operation_of(arena, osc, &status, &before, job->now);
	gardener_set(arena, &status, "lastOperation", last);
	gardener_set(arena, &object, "status", status);
	*ret_object = object;
	return STATUS_OK;
}
