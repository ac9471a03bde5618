/*
 * Prints one unit for `render`, with secrets masked unless --reveal is given.
 */
#include "run/show/show.h"
#include "run/units/units.h"
#include "yaml/yaml.h"

/* `option` may be empty; a dialect without an option of its own accepts any. */
static bool is_target(const struct plan_unit *unit, sv option, sv cluster, sv namespace, sv name)
{
	const struct kube_id *id = &unit->unit->object->id;
	sv own = unit->unit->dialect->unit_option;

	return (sv_empty(own) || sv_empty(option) || sv_eq(own, option)) &&
	       (sv_empty(cluster) || sv_eq(cluster, unit->cluster->fleet->name)) &&
	       sv_eq(namespace, id->namespace) && sv_eq(name, id->name);
}

static sv unit_name(struct arena *arena, const struct plan_unit *unit)
{
	const struct kube_id *id = &unit->unit->object->id;

	return ARENA_CONCAT(arena, unit->cluster->fleet->name, SV("/"), id->namespace, SV("/"),
	                    id->name);
}

static void report_no_unit_named(const struct run_env *env, const struct plan *plan, sv target)
{
	sv *names = ARENA_ARRAY(env->arena, sv, plan->unit_count * 2);
	struct diag *diag =
	    diag_report(env->sink, DIAG_RENDER_TARGET, NOWHERE, "there is no %.*s \"%.*s\"",
	                SV_ARG(plan_unit_kind(plan)), SV_ARG(target));

	for (size_t i = 0; i < plan->unit_count; i++) {
		sv full = unit_name(env->arena, &plan->units[i]);

		names[2 * i] = full;
		names[2 * i + 1] = sv_from_offset(full, sv_find_char(full, '/') + 1);
	}
	diag_help_meant(env->sink, diag, diag_nearest_path(target, names, plan->unit_count * 2),
	                "name it [CLUSTER/]NAMESPACE/NAME");
}

static void report_several(const struct run_env *env, sv target, const struct plan_unit *first,
                           const struct plan_unit *second)
{
	sv kind = first->unit->object->id.kind;
	sv other = second->unit->object->id.kind;
	struct diag *diag;

	if (first->cluster == second->cluster) {
		diag = diag_report(env->sink, DIAG_RENDER_TARGET, NOWHERE,
		                   "a %.*s and an %.*s have the name \"%.*s\"", SV_ARG(kind),
		                   SV_ARG(other), SV_ARG(target));
		diag_set_help(env->sink, diag, "name one of them with --%.*s or --%.*s",
		              SV_ARG(first->unit->dialect->unit_option),
		              SV_ARG(second->unit->dialect->unit_option));
		return;
	}
	diag = diag_report(env->sink, DIAG_RENDER_TARGET, NOWHERE,
	                   "several clusters have a %.*s \"%.*s\"", SV_ARG(kind), SV_ARG(target));
	diag_set_help(env->sink, diag, "put the cluster in front: %.*s, %.*s, ...",
	              SV_ARG(unit_name(env->arena, first)), SV_ARG(unit_name(env->arena, second)));
}

/* Returns the unit, or null, with a diagnostic, if no unit or several have the name. */
static const struct plan_unit *
find_unit(const struct run_env *env, const struct run_inspected *inspected, const struct plan *plan)
{
	sv target = inspected->unit;
	const struct plan_unit *found = NULL;
	sv parts[3] = {{0}};
	size_t count = 0;
	struct sv_splitter it = sv_split(target, '/');
	sv part;

	while (sv_split_next(&it, &part)) {
		if (count < 3)
			parts[count] = part;
		count++;
	}
	for (size_t i = 0; (count == 2 || count == 3) && i < plan->unit_count; i++) {
		const struct plan_unit *unit = &plan->units[i];

		if (!is_target(unit, inspected->unit_option, count == 3 ? parts[0] : SV(""),
		               parts[count - 2], parts[count - 1]))
			continue;
		if (found) {
			report_several(env, target, found, unit);
			return NULL;
		}
		found = unit;
	}
	if (!found)
		report_no_unit_named(env, plan, target);
	return found;
}

static const struct artifact *find_artifact(const struct dialect_rendered *rendered, sv print)
{
	VEC_EACH (artifact, &rendered->artifacts) {
		if (sv_eq(artifact_print_name(artifact), print))
			return artifact;
	}
	return NULL;
}

/* Returns user-data, its effect on a node, or an object; an invalid value for an unknown part. */
static struct value find_part(struct arena *arena, const struct dialect_rendered *rendered,
                              sv print)
{
	const struct artifact *artifact = find_artifact(rendered, print);

	if (artifact)
		return artifact->user_data.type ? artifact->user_data : artifact->object;
	if (rendered->node && sv_eq(print, SV("effect")))
		return node_effect(arena, rendered->node);
	return (struct value){0};
}

/* Returns the part to print: the one that is asked for, or else the dialect's first. */
static sv print_of(const struct run_inspected *inspected, const struct dialect *dialect)
{
	if (sv_empty(inspected->print) && dialect->print_count > 0)
		return dialect->prints[0];
	return inspected->print;
}

static void report_no_part(const struct run_env *env, sv name, const struct dialect *dialect,
                           sv print)
{
	struct buf others = buf_in(env->arena);
	struct diag *diag = diag_report(env->sink, DIAG_RENDER_TARGET, NOWHERE,
	                                "%.*s has no %.*s to print", SV_ARG(name), SV_ARG(print));

	bool is_known = false;

	for (size_t i = 0; i < dialect->print_count; i++) {
		if (sv_eq(dialect->prints[i], print))
			is_known = true;
		else
			buf_add_item(&others, dialect->prints[i]);
	}
	diag_set_help(env->sink, diag, "%sname another part of it with --print: %.*s",
	              is_known ? "another setting would give it one; else " : "",
	              SV_ARG(buf_sv(&others)));
}

/* Prints an object as YAML, and a string unchanged. */
static void print_part(const struct run_env *env, const struct run_job *job, sv cluster,
                       const struct value *part, bool reveal, struct buf *output)
{
	const struct seal_fingerprint_key key = {job->plan->root, cluster};
	struct redaction redaction = seal_redaction(&key);

	if (!value_is_string(part)) {
		struct value object =
		    reveal ? *part : secrecy_redact_all(env->secret_arena, &redaction, part);

		yml_emit(output, &object, (struct yml_format){0});
	} else if (reveal) {
		buf_add(output, part->string);
	} else {
		secrecy_redact(output, &redaction, part);
	}
}

enum status run_inspect(const struct run_env *env, const struct run_inspected *inspected,
                        const struct run_job *job, struct buf *output)
{
	const struct plan_unit *unit = find_unit(env, inspected, job->plan);
	struct dialect_rendered rendered = {0};
	struct plan_revision revision;

	if (!unit || !plan_unit_is_sound(unit))
		return STATUS_FAILED;
	const struct dialect *dialect = unit->unit->dialect;
	sv print = print_of(inspected, dialect);
	bool is_written = dialect->writes_unit && dialect->writes_unit(unit->view->settings);
	bool is_manifest = dialect->manifest && !is_written && sv_eq(print, dialect->unit_option);
	if (!is_manifest) {
		DIAG_SCOPE(env->sink, kube_object_describe(env->arena, unit->unit->object),
		           env->sink->cluster);

		if (run_render_unit(env->secret_arena, env->sink, job, unit, &revision,
		                    &rendered) != STATUS_OK)
			return STATUS_FAILED;
	}
	const struct value part = is_manifest
	                              ? dialect->manifest(env->secret_arena, unit->unit->object)
	                              : find_part(env->secret_arena, &rendered, print);
	if (!part.type) {
		report_no_part(env, inspected->unit, dialect, print);
		return STATUS_FAILED;
	}
	print_part(env, job, unit->cluster->fleet->name, &part, inspected->reveal, output);
	const struct leak_place place = {.object = &part,
	                                 .at = kube_object_position(unit->unit->object)};
	return inspected->reveal
	           ? STATUS_OK
	           : leak_scanner_check(env->sink, known_secrets_scanner(job->plan->secrets),
	                                inspected->unit, buf_sv(output), &place);
}
