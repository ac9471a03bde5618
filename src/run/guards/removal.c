/*
 * Protects against mistakes: removing much, replacing or deleting many machines, and an output
 * folder that holds inputs.
 */
#include "run/guards/guards.h"

enum { NAMED = 10 };

/* Returns true if the file is a manifest that somebody wrote. */
static bool is_input(const struct run_inputs *inputs, const struct run_writer *writer,
                     const struct git_file *file)
{
	ARENA_AUTO clear = arena_new(ARENA_PLAIN);
	ARENA_AUTO secret = arena_new(ARENA_SECRET);
	struct sink unused = sink_in(clear);
	sv shown = ARENA_CONCAT(clear, inputs->out, SV("/"), file->path);
	sv text;

	if (!(sv_ends_with(file->path, SV(".yaml")) || sv_ends_with(file->path, SV(".yml")) ||
	      sv_ends_with(file->path, SV(".json"))) ||
	    (file->mode != GIT_MODE_FILE && file->mode != GIT_MODE_EXECUTABLE) ||
	    git_output_read(secret, &unused, writer->output, file, RUN_MAX_INPUT_BYTES, &text) !=
	        STATUS_OK ||
	    sv_starts_with(text, SV(TREE_HEADER)))
		return false;
	struct fleet_blob blob = {.path = shown, .text = text};
	return fleet_file_matters(fleet_read_file(clear, secret, inputs->filter, &blob));
}

static enum status check_folder(const struct run_env *env, const struct run_inputs *inputs,
                                const struct previous *previous, const struct run_writer *writer)
{
	struct diag *diag = NULL;
	size_t count = 0;

	if (inputs->out_is_outside)
		return STATUS_OK;
	VEC_EACH (file, git_output_previous(writer->output)) {
		if (set_has(&previous->paths, file->path) || !is_input(inputs, writer, file) ||
		    count++ > NAMED)
			continue;
		sv shown = ARENA_CONCAT(env->arena, inputs->out, SV("/"), file->path);
		if (!diag)
			diag =
			    diag_report(env->sink, DIAG_OUTPUT_HOLDS_INPUTS, NOWHERE,
			                "--out \"%.*s\" has manifests that osm-gen did not write; "
			                "it reads no inputs in the output folder",
			                SV_ARG(inputs->out));
		if (count <= NAMED)
			diag_add_note(env->sink, diag, NOWHERE, "%.*s", SV_ARG(shown));
		else
			diag_add_note(env->sink, diag, NOWHERE, "and more");
	}
	if (!diag)
		return STATUS_OK;
	diag_set_help(env->sink, diag,
	              "name a folder of its own with --out, or move the manifests out of it");
	return STATUS_FAILED;
}

enum status run_guard_removal(const struct run_env *env, enum run_mode mode,
                              const struct run_allowed *allowed, const struct run_inputs *inputs,
                              const struct plan *plan, const struct previous *previous,
                              const struct run_writer *writer)
{
	const struct plan_removal removal = {
	    .plan = plan,
	    .previous = previous,
	    .is_allowed = allowed->removal,
	    .is_shown = mode == RUN_DIFF || mode == RUN_PLAN,
	};

	if (!previous || !writer->output || mode == RUN_RENDER)
		return STATUS_OK;
	if (check_folder(env, inputs, previous, writer) != STATUS_OK)
		return STATUS_FAILED;
	bool has_errors = env->sink->error_count > 0;
	if (!allowed->removal && run_check_sources(env, inputs, plan, previous) != STATUS_OK)
		return STATUS_FAILED;
	/* Do not count a manifest that cannot be read as removed. */
	if (has_errors)
		return STATUS_OK;
	return plan_check_removal(env->arena, env->sink, &removal);
}

enum status run_guard_rolls(const struct run_env *env, enum run_mode mode,
                            const struct run_allowed *allowed, const struct plan *plan,
                            const struct run_rendered *rendered)
{
	struct plan_rolled *units = ARENA_ARRAY(env->arena, struct plan_rolled, plan->unit_count);
	bool is_shown = mode == RUN_DIFF || mode == RUN_PLAN || mode == RUN_VALIDATE;

	for (size_t i = 0; i < plan->unit_count; i++)
		units[i] =
		    (struct plan_rolled){&rendered->units[i].facts, rendered->units[i].replicas,
		                         run_has_machines(&rendered->units[i])};
	const struct plan_machine_guard guard = {
	    .plan = plan,
	    .units = units,
	    .is_allowed = allowed->roll,
	    .is_shown = is_shown,
	};
	const struct plan_machine_guard scale = {
	    .plan = plan,
	    .units = units,
	    .is_allowed = allowed->removal,
	    .is_shown = is_shown,
	};
	plan_check_replicas(env->sink, &guard);
	enum status status = plan_check_rolls(env->arena, env->sink, &guard);
	return plan_check_scale(env->arena, env->sink, &scale) == STATUS_OK ? status
	                                                                    : STATUS_FAILED;
}
