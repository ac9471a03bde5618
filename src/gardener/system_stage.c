/*
 * Renders a stage of a system for one OSC.
 */
#include "gardener/system.h"

struct renderer {
	struct arena *arena;
	struct sink *sink;
	const struct system_stage *from;
	struct gardener_stage *stage;
	struct value data;
	struct tmpl_options options;
	bool failed;
};

/* ---- strings ----------------------------------------------------------------------------- */

/* Sets the help of the template engine's errors, which cannot know these documents. */
static void advise_template(struct sink *sink, size_t from)
{
	for (size_t i = from; i < sink->diags.count; i++)
		if (sv_empty(sink->diags.items[i]->help))
			diag_set_help(sink, sink->diags.items[i],
			              "correct the OperatingSystemExtension's template; test "
			              "fields that an OperatingSystemConfig may lack before using "
			              "them: {{ with .ProviderConfig.ntp }}...{{ end }}");
}

/* Returns the rendered string; invalid if it is not given. */
static struct value render_text(struct renderer *r, const struct system_text *text)
{
	struct text out = text_in(r->arena);
	size_t reported = r->sink->diags.count;

	if (!text->set)
		return text->source;
	if (tmpl_execute(r->arena, r->sink, text->set, &r->data, &r->options, &out, NULL) !=
	    STATUS_OK) {
		advise_template(r->sink, reported);
		r->failed = true;
		return value_string(SV(""));
	}
	return text_value(r->arena, &out);
}

/* Renders a path or name, and reports the result if it is not a valid one. */
static struct value render_name(struct renderer *r, const struct system_text *text,
                                const char *what, const char *(*mistake_of)(sv))
{
	bool failed = r->failed;
	struct value v = render_text(r, text);
	const char *mistake = !text->set || r->failed != failed ? NULL : mistake_of(v.string);

	if (!mistake)
		return v;
	struct diag *diag =
	    diag_report(r->sink, DIAG_GARDENER_SYSTEM, value_position(&text->source),
	                "this template's result is not a valid %s: it %s", what, mistake);
	diag_set_help(r->sink, diag,
	              "compare the template with this OperatingSystemConfig's fields");
	r->failed = true;
	return v;
}

static bool is_wanted(struct renderer *r, const struct system_text *when)
{
	if (!when->source.type)
		return true;
	struct value v = render_text(r, when);
	sv text = sv_trim_space(v.string);

	return !sv_empty(text) && !sv_eq(text, SV("false"));
}

/* ---- items ------------------------------------------------------------------------------- */

static void add_stage_files(struct renderer *r, bool is_after)
{
	struct gardener_stage *stage = r->stage;

	for (size_t i = 0; i < r->from->file_count; i++) {
		const struct system_file *file = &r->from->files[i];

		if (file->item.is_after != is_after || !is_wanted(r, &file->item.when))
			continue;
		stage->files[stage->file_count++] = (struct node_file){
		    .path = render_name(r, &file->path, "path", system_path_mistake),
		    .mode = file->mode,
		    .content = render_text(r, &file->content),
		};
	}
	if (!is_after)
		stage->files_before = stage->file_count;
}

static struct node_unit make_unit(struct renderer *r, const struct system_unit *from)
{
	struct node_unit unit = {
	    .name = render_name(r, &from->name, "unit", system_unit_mistake),
	    .enable = from->enable,
	    .mask = from->mask,
	    .command = from->command,
	    .content = render_text(r, &from->content),
	    .drop_ins = ARENA_ARRAY(r->arena, struct node_drop_in, from->drop_in_count + 1),
	    .drop_in_count = from->drop_in_count,
	};

	for (size_t i = 0; i < from->drop_in_count; i++)
		unit.drop_ins[i] = (struct node_drop_in){
		    render_name(r, &from->drop_ins[i].name, "drop-in", system_drop_in_mistake),
		    render_text(r, &from->drop_ins[i].content),
		};
	return unit;
}

static void add_stage_units(struct renderer *r, bool is_after)
{
	struct gardener_stage *stage = r->stage;

	for (size_t i = 0; i < r->from->unit_count; i++) {
		const struct system_unit *unit = &r->from->units[i];
		struct gardener_paths *paths = &stage->unit_file_paths[stage->unit_count];

		if (unit->item.is_after != is_after || !is_wanted(r, &unit->item.when))
			continue;
		paths->items = ARENA_ARRAY(r->arena, struct value, unit->file_path_count + 1);
		paths->count = unit->file_path_count;
		for (size_t k = 0; k < unit->file_path_count; k++)
			paths->items[k] =
			    render_name(r, &unit->file_paths[k], "path", system_path_mistake);
		stage->units[stage->unit_count] = make_unit(r, unit);
		if (unit->is_reported)
			stage->status_units[stage->status_unit_count++] =
			    stage->units[stage->unit_count].name;
		stage->unit_count++;
	}
	if (!is_after)
		stage->units_before = stage->unit_count;
}

static void add_links(struct renderer *r)
{
	struct gardener_stage *stage = r->stage;

	stage->links = ARENA_ARRAY(r->arena, struct node_link, r->from->link_count + 1);
	for (size_t i = 0; i < r->from->link_count; i++) {
		const struct system_link *link = &r->from->links[i];

		if (is_wanted(r, &link->item.when))
			stage->links[stage->link_count++] = (struct node_link){
			    render_name(r, &link->path, "path", system_path_mistake),
			    render_text(r, &link->target),
			};
	}
}

/* Returns the content type by which cloud-init recognises the part with the user-data. */
static sv part_type(const struct userdata_format *format)
{
	return format && sv_eq(format->name, SV("cloud-config")) ? SV("text/cloud-config")
	                                                         : SV("text/x-shellscript");
}

static void add_parts(struct renderer *r)
{
	struct gardener_stage *stage = r->stage;

	stage->parts = ARENA_ARRAY(r->arena, struct userdata_part, r->from->part_count + 1);
	stage->part_type = part_type(r->from->format);
	for (size_t i = 0; i < r->from->part_count; i++) {
		const struct system_part *part = &r->from->parts[i];

		if (is_wanted(r, &part->item.when))
			stage->parts[stage->part_count++] =
			    (struct userdata_part){part->content_type, render_text(r, &part->text)};
	}
}

static void add_update(struct renderer *r)
{
	const struct system_stage *from = r->from;
	struct gardener_stage *stage = r->stage;

	if (!from->update_command.source.type || !is_wanted(r, &from->update_when))
		return;
	stage->update_command = render_text(r, &from->update_command);
	stage->update_args = ARENA_ARRAY(r->arena, struct value, from->update_arg_count + 1);
	stage->update_arg_count = from->update_arg_count;
	for (size_t i = 0; i < from->update_arg_count; i++)
		stage->update_args[i] = render_text(r, &from->update_args[i]);
}

/* ---- the whole --------------------------------------------------------------------------- */

/* Returns the form for cloud-config if the settings ask for it and the system has it. */
static const struct system_form *form_of(const struct gardener_system *system,
                                         const struct gardener_settings *settings)
{
	return settings->format == GARDENER_FORMAT_CLOUD_CONFIG && system->cloud_config
	           ? system->cloud_config
	           : &system->own;
}

/* Returns the format of a stage: the version of Ignition is a setting. */
static const struct userdata_format *format_of(const struct system_stage *from,
                                               const struct gardener_settings *settings)
{
	bool is_ignition = from->format && sv_eq(from->format->name, SV("ignition"));

	return is_ignition && settings->ignition2 ? userdata_format_ignition2() : from->format;
}

enum status gardener_system_stage(struct arena *arena, struct sink *sink,
                                  const struct gardener_system *system,
                                  const struct gardener_osc *osc,
                                  const struct gardener_settings *settings,
                                  const struct dialect_job *job, struct gardener_stage *ret_stage)
{
	const struct system_form *form = form_of(system, settings);
	const struct system_stage *from = &form->stages[osc->purpose];
	struct gardener_stage stage = {
	    .format = format_of(from, settings),
	    .files = ARENA_ARRAY(arena, struct node_file, from->file_count + 1),
	    .units = ARENA_ARRAY(arena, struct node_unit, from->unit_count + 1),
	    .unit_file_paths = ARENA_ARRAY(arena, struct gardener_paths, from->unit_count + 1),
	    .status_units = ARENA_ARRAY(arena, struct value, from->unit_count + 1),
	    .once = from->once,
	    .is_script = from->is_script,
	    .starts_spec_units = from->starts_spec_units,
	    .start_except = from->start_except,
	    .start_except_count = from->start_except_count,
	    .start_no_block = from->start_no_block,
	    .enable_default = from->enable_default,
	    .reboot_strategy = from->reboot_strategy,
	    .cgroup_driver = from->cgroup_driver,
	};
	struct renderer r = {
	    .arena = arena,
	    .sink = sink,
	    .from = from,
	    .stage = &stage,
	    .data = system_data(arena, osc, settings),
	    .options = tmpl_options_default(),
	};

	if (system->is_of_status)
		return system_status_stage(arena, sink, osc, ret_stage);
	r.options.now = job->now;
	r.options.asks_now = job->asks_now;
	r.options.total_steps = job->steps;
	if (system_config_check(arena, sink, system, osc) != STATUS_OK)
		return STATUS_FAILED;
	add_stage_files(&r, false);
	add_stage_files(&r, true);
	add_stage_units(&r, false);
	add_stage_units(&r, true);
	add_links(&r);
	add_parts(&r);
	add_update(&r);
	stage.before = render_text(&r, &from->before);
	stage.after = render_text(&r, &from->after);
	stage.cloud_init = render_text(&r, &from->cloud_init);
	if (osc->reload_path.type)
		stage.command = render_text(&r, &form->command);
	if (r.failed)
		return STATUS_FAILED;
	system_advise(sink, system, osc, &stage);
	*ret_stage = stage;
	return STATUS_OK;
}
