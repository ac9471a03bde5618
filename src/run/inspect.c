#include "run/stages.h"

#include "yaml/yaml.h"

/* `render`: one MachineDeployment, printed; secrets masked unless they shall be revealed. */

static bool wanted(const struct run_job *job, sv cluster, sv namespace, sv name)
{
	const struct kube_id *id = &job->machine_deployment->object->id;

	return (sv_empty(cluster) || sv_eq(cluster, job->cluster->fleet->name)) &&
	       sv_eq(namespace, id->namespace) && sv_eq(name, id->name);
}

static sv job_name(struct arena *arena, const struct run_job *job)
{
	const struct kube_id *id = &job->machine_deployment->object->id;

	return ARENA_CONCAT(arena, job->cluster->fleet->name, SV("/"), id->namespace, SV("/"),
	                    id->name);
}

static void report_unknown(struct run *run, sv target)
{
	sv *names = ARENA_ARRAY(run->arena, sv, run->job_count * 2);
	struct diag *diag = diag_report(run->sink, DIAG_RENDER_TARGET, NOWHERE,
	                                "there is no MachineDeployment \"%.*s\"", SV_ARG(target));

	for (size_t i = 0; i < run->job_count; i++) {
		sv full = job_name(run->arena, &run->jobs[i]);

		names[2 * i] = full;
		names[2 * i + 1] = sv_from_offset(full, sv_find_char(full, '/') + 1);
	}
	sv nearest = diag_nearest(target, names, run->job_count * 2);
	if (!sv_empty(nearest))
		diag_set_help(run->sink, diag, "did you mean %.*s?", SV_ARG(nearest));
	else
		diag_set_help(run->sink, diag, "name it [CLUSTER/]NAMESPACE/NAME");
}

/* Null when there is none, or several. */
static const struct run_job *find(struct run *run)
{
	sv target = run->request->machine_deployment;
	const struct run_job *found = NULL;
	sv parts[3] = {{0}};
	size_t count = 0;
	struct sv_splitter it = sv_split(target, '/');
	sv part;

	while (sv_split_next(&it, &part)) {
		if (count < 3)
			parts[count] = part;
		count++;
	}
	if (count != 2 && count != 3) {
		report_unknown(run, target);
		return NULL;
	}
	for (size_t i = 0; i < run->job_count; i++) {
		const struct run_job *job = &run->jobs[i];

		if (!wanted(job, count == 3 ? parts[0] : SV(""), parts[count - 2],
		            parts[count - 1]))
			continue;
		if (found) {
			struct diag *diag = diag_report(
			    run->sink, DIAG_RENDER_TARGET, NOWHERE,
			    "several clusters have a MachineDeployment \"%.*s\"", SV_ARG(target));
			diag_set_help(run->sink, diag, "put the cluster in front: %.*s, %.*s, ...",
			              SV_ARG(job_name(run->arena, found)),
			              SV_ARG(job_name(run->arena, job)));
			return NULL;
		}
		found = job;
	}
	if (!found)
		report_unknown(run, target);
	return found;
}

enum status run_inspect(struct run *run, struct buf *output)
{
	const struct run_job *job = find(run);
	struct osm_rendered rendered = {0};

	if (!job || !job->cluster->osm)
		return STATUS_FAILED;
	run->sink->object = kube_object_describe(run->arena, job->machine_deployment->object);
	if (run_render(run, run->secret_arena, run->sink, job, &rendered) != STATUS_OK)
		return STATUS_FAILED;
	run->sink->object = (sv){0};
	const struct value *text = run->request->print == RUN_PRINT_BOOTSTRAP
	                               ? &rendered.bootstrap
	                               : &rendered.provisioning;
	sv cluster = job->cluster->fleet->name;
	if (run->request->print == RUN_PRINT_OSC) {
		struct value osc =
		    run->request->reveal
		        ? rendered.osc
		        : seal_redact_all(run->secret_arena, run->root, cluster, &rendered.osc);

		yml_emit(output, &osc, (struct yml_format){0});
	} else if (run->request->reveal) {
		buf_add(output, text->string);
	} else {
		seal_redact(output, run->root, cluster, text);
	}
	const struct leak_place place = {
	    run->request->print == RUN_PRINT_OSC ? &rendered.osc : NULL,
	    kube_object_position(job->machine_deployment->object),
	};
	return run->request->reveal
	           ? STATUS_OK
	           : leak_scanner_check(run->scanner, run->sink, run->request->machine_deployment,
	                                buf_sv(output), &place);
}
