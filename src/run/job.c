#include "run/stages.h"
#include "userdata/userdata.h"

/*
 * One MachineDeployment: rendered, sealed, hashed, put. Runs on any thread; what it leaves behind
 * is the job's files, row and diagnostics.
 */

sv run_source_name(const struct kube_object *object)
{
	return object->source ? object->source->path : SV("osm-gen");
}

enum status run_render(const struct run *run, struct arena *arena, struct sink *sink,
                       const struct run_job *job, struct osm_rendered *ret_rendered)
{
	struct osm_job osm = {
	    .cluster = job->cluster->osm,
	    .machine_deployment = job->machine_deployment->object,
	    .profile = job->machine_deployment->profile->profile,
	    .bootstrap_token = job->bootstrap_token,
	    .now = run->source.time,
	};

	enum status status =
	    run_revision(run, arena, sink, job, &osm.revision, &osm.template_digest);
	status |= osm_render(arena, sink, &osm, ret_rendered);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* ---- secrets that only this job met ------------------------------------------------------ */

static void add_secrets(const struct run *run, const struct value *v, struct map *seen,
                        struct leak_scanner *scanner)
{
	if (value_is_string(v) && v->taint) {
		for (size_t i = 0; i < v->taint->count; i++) {
			const struct secret *secret = v->taint->spans[i].secret;

			if (!map_get(&run->noted, secret->text) && !osm_is_own_word(secret->text) &&
			    map_put(seen, secret->text, scanner))
				leak_scanner_add(scanner, secret);
		}
	} else if (value_is_list(v)) {
		for (size_t i = 0; i < value_count(v); i++)
			add_secrets(run, value_item(v, i), seen, scanner);
	} else if (value_is_map(v)) {
		for (size_t i = 0; i < value_count(v); i++)
			add_secrets(run, &v->map->entries[i].value, seen, scanner);
	}
}

static struct leak_scanner *job_scanner(const struct run *run, struct arena *scratch,
                                        const struct osm_rendered *rendered)
{
	struct leak_scanner *scanner = leak_scanner_new(scratch, run->scanner);
	struct map seen = map_in(scratch);

	add_secrets(run, &rendered->osc, &seen, scanner);
	add_secrets(run, &rendered->bootstrap, &seen, scanner);
	add_secrets(run, &rendered->provisioning, &seen, scanner);
	add_secrets(run, &rendered->kubelet_kubeconfig, &seen, scanner);
	return scanner;
}

/* ---- files ------------------------------------------------------------------------------- */

static enum status add_object(const struct run *run, const struct run_job *job,
                              struct run_worker *worker, struct sink *sink,
                              const struct osm_output *output, struct buf *buf, bool *ret_sealed)
{
	const struct fleet_cluster *cluster = job->cluster->fleet;
	sv source = run_source_name(job->machine_deployment->object);
	struct tree_seal_request seal = {
	    .sealer = worker->sealer,
	    .cluster = cluster->name,
	    .source = source,
	    .recipients = &job->cluster->recipients,
	    .object = &output->object,
	    .at = kube_object_position(job->machine_deployment->object),
	};

	*ret_sealed = output->seal;
	if (output->seal)
		return tree_add_sealed_secret(buf, worker->scratch, sink, &seal);
	if (output->side == OSM_MANAGEMENT && cluster->settings.osc == OSM_OSC_SEALED)
		return tree_add_sealed_object(buf, worker->scratch, sink, &seal, ret_sealed);
	tree_add_clear_object(buf, worker->scratch, run->root, cluster->name, source,
	                      &output->object);
	return STATUS_OK;
}

struct kube_id run_copy_id(struct arena *arena, const struct kube_id *id)
{
	return (struct kube_id){
	    .api_version = arena_dup(arena, id->api_version),
	    .kind = arena_dup(arena, id->kind),
	    .namespace = arena_dup(arena, id->namespace),
	    .name = arena_dup(arena, id->name),
	};
}

static void set_user_data(struct tree_file *file, const struct osm_rendered *rendered)
{
	if (!sv_eq(file->object.kind, SV("Secret")))
		return;
	if (sv_ends_with(file->object.name, SV("-kubelet-bootstrap-config")))
		return;
	if (sv_ends_with(file->object.name, SV("-bootstrap-config"))) {
		file->user_data_bytes = rendered->bootstrap_bytes;
		file->user_data_budget = rendered->budget_bytes;
	} else if (sv_ends_with(file->object.name, SV("-provisioning-config"))) {
		file->user_data_bytes = rendered->provisioning.string.len;
		file->user_data_budget = USERDATA_SECRET_BYTES;
	}
}

static enum status write_object(struct run *run, struct run_job *job, unsigned number,
                                struct leak_scanner *scanner, const struct osm_rendered *rendered,
                                const struct osm_output *output)
{
	struct run_worker *worker = &run->workers[number];
	struct buf buf = buf_in(worker->scratch);
	struct tree_file file = {
	    .object = run_copy_id(worker->results, &output->id),
	    .source = run_source_name(job->machine_deployment->object),
	};

	const struct leak_place place = {&output->object,
	                                 kube_object_position(job->machine_deployment->object)};
	file.path = run_object_path(worker->results, job->cluster, output);
	if (add_object(run, job, worker, &job->sink, output, &buf, &file.sealed) != STATUS_OK ||
	    run_put(run, number, scanner, &job->sink, file.path, buf_sv(&buf), &place) != STATUS_OK)
		return STATUS_FAILED;
	set_user_data(&file, rendered);
	VEC_PUSH(worker->results, &job->files, file);
	return STATUS_OK;
}

/* The longest file name of all: the others are made of the same parts. */
static enum status check_file_names(struct run_worker *worker, struct run_job *job,
                                    const struct osm_rendered *rendered)
{
	sv longest = {0};

	VEC_EACH (output, &rendered->outputs) {
		sv path = run_object_path(worker->scratch, job->cluster, output);

		if (sv_after_last(path, '/').len > sv_after_last(longest, '/').len)
			longest = path;
	}
	return run_check_file_name(&job->sink, longest, job->machine_deployment->object);
}

static void set_row(struct run_job *job, struct arena *arena, const struct osm_rendered *rendered)
{
	const struct kube_object *object = job->machine_deployment->object;
	const struct osm_profile *profile = job->machine_deployment->profile->profile;

	job->row = (struct report_machine_deployment){
	    .cluster = job->cluster->fleet->name,
	    .namespace = object->id.namespace,
	    .name = object->id.name,
	    .provider = arena_dup(arena, rendered->provider),
	    .operating_system = arena_dup(arena, rendered->os_name),
	    .profile = profile->name,
	    .profile_version = value_text(&profile->version),
	    .bootstrap_bytes = rendered->bootstrap_bytes,
	    .bootstrap_limit = rendered->budget_bytes,
	    .provisioning_bytes = rendered->provisioning.string.len,
	    .provisioning_limit = USERDATA_SECRET_BYTES,
	};
}

static void tell_progress(struct run *run, unsigned worker)
{
	os_mutex_lock(run->lock);
	size_t done = ++run->jobs_done;
	os_mutex_unlock(run->lock);
	if (worker == 0 && run->request->progress)
		run->request->progress(run->request->progress_context, "rendering", done,
		                       run->job_count);
}

void run_job(void *context, size_t index, unsigned number)
{
	struct run *run = context;
	struct run_job *job = &run->jobs[index];
	struct run_worker *worker = &run->workers[number];
	struct osm_rendered rendered = {0};

	job->sink = sink_in(worker->results);
	job->sink.object = kube_object_describe(worker->results, job->machine_deployment->object);
	job->sink.cluster = job->cluster->fleet->at.source ? job->cluster->fleet->name : SV("");
	/* Without a profile: its mistake is reported already. */
	const struct fleet_profile *profile = job->machine_deployment->profile;
	bool sound = job->cluster->osm && profile && profile->profile;
	if (!sound)
		osm_check_machine(worker->scratch, &job->sink, job->machine_deployment->object);
	else if (run_render(run, worker->scratch, &job->sink, job, &rendered) == STATUS_OK) {
		set_row(job, worker->results, &rendered);
		if (check_file_names(worker, job, &rendered) == STATUS_OK && run->output &&
		    !run->failed) {
			struct leak_scanner *scanner = job_scanner(run, worker->scratch, &rendered);

			VEC_EACH (output, &rendered.outputs) {
				if (write_object(run, job, number, scanner, &rendered, output) !=
				    STATUS_OK)
					break;
			}
		}
	}
	arena_reset(worker->scratch);
	tell_progress(run, number);
}
