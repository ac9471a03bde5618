#include "run/stages.h"

/*
 * What jobs share: the seed's root, recipients, looked-up objects, derived tokens, and the secrets
 * that no clear byte may hold.
 */

static void add_secret(struct run *run, sv name, sv text)
{
	struct secret *secret = ARENA_NEW(run->secret_arena, struct secret);

	*secret = (struct secret){.name = name, .text = text, .high_entropy = true};
	secret_inventory_add(run->secrets, secret);
}

/* The seed's line among comments and empty lines; several lines stay several, and are wrong. */
static sv seed_line(struct arena *secret_arena, sv text)
{
	struct sv_splitter it = sv_split(text, '\n');
	struct buf lines = buf_in(secret_arena);
	sv line;

	while (sv_split_next(&it, &line)) {
		line = sv_trim_space(line);
		if (sv_empty(line) || line.ptr[0] == '#')
			continue;
		buf_add(&lines, line);
		buf_add_char(&lines, '\n');
	}
	return sv_trim_space(buf_sv(&lines));
}

enum status run_parse_seed(struct run *run, struct sink *sink, struct seal_root **ret_root)
{
	const struct run_key *seed = &run->request->seed;

	if (!seed->text.ptr) {
		seal_report_seed_missing(sink);
		return STATUS_FAILED;
	}
	struct source *source = source_new(run->secret_arena, seed->name, seed->text, true);
	return seal_root_parse(sink, position_of_source(source),
	                       seed_line(run->secret_arena, seed->text), ret_root);
}

static enum status read_seed(struct run *run)
{
	const struct run_key *seed = &run->request->seed;

	if (run->request->mode == RUN_VALIDATE)
		return STATUS_OK;
	if (run_parse_seed(run, run->sink, &run->root) != STATUS_OK)
		return STATUS_FAILED;
	add_secret(run, seed->name, seed_line(run->secret_arena, seed->text));
	return STATUS_OK;
}

/* Where no cluster has recipients the Fleet lacks them: one mistake. */
static sv who_needs(const struct run *run, const struct run_cluster *cluster)
{
	bool any = run->fleet.cluster_count == 1;

	for (size_t i = 0; i < run->fleet.cluster_count; i++)
		any |= run->fleet.clusters[i].sealing.recipient_count > 0;
	return any ? ARENA_CONCAT(run->arena, SV("cluster "), cluster->fleet->name)
	           : SV("any cluster");
}

static enum status read_recipients(struct run *run, struct run_cluster *cluster)
{
	const struct fleet_sealing *sealing = &cluster->fleet->sealing;

	/* Where nothing is sealed nobody needs to read it. */
	if (run->request->mode == RUN_RENDER || cluster->fleet->machine_deployment_count == 0)
		return STATUS_OK;
	if (sealing->is_wrong)
		return STATUS_FAILED;
	if (sealer_format_check(run->sink, sealing->at, sealing->format) != STATUS_OK)
		return STATUS_FAILED;
	/* Inputs can be validated before it is settled who shall read the output. */
	if (run->request->mode == RUN_VALIDATE && sealing->recipient_count == 0)
		return STATUS_OK;
	struct seal_recipient_text *texts =
	    ARENA_ARRAY(run->arena, struct seal_recipient_text, sealing->recipient_count);
	for (size_t i = 0; i < sealing->recipient_count; i++)
		texts[i] = (struct seal_recipient_text){sealing->recipients[i].text,
		                                        sealing->recipients[i].at};
	/* A wrong one is the mistake of the file where it stands, however many clusters have it. */
	sv shown = run->sink->cluster;
	run->sink->cluster = (sv){0};
	enum status status =
	    seal_recipients_parse(run->arena, run->sink, sealing->format, who_needs(run, cluster),
	                          texts, sealing->recipient_count, &cluster->recipients);
	run->sink->cluster = shown;
	return status;
}

static struct position cluster_position(const struct fleet_cluster *cluster)
{
	if (cluster->at.source || cluster->machine_deployment_count == 0)
		return cluster->at;
	return kube_object_position(cluster->machine_deployments[0].object);
}

static enum status load_cluster(struct run *run, struct run_cluster *cluster)
{
	const struct fleet_cluster *fleet = cluster->fleet;
	size_t errors = run->sink->error_count;

	run->sink->cluster =
	    run->fleet.cluster_count > 1 || fleet->at.source ? fleet->name : SV("");
	if (read_recipients(run, cluster) != STATUS_OK)
		errors = SIZE_MAX;
	if (fleet->machine_deployment_count > 0) {
		struct osm_cluster_input input = {
		    .name = fleet->name,
		    .settings = &fleet->settings,
		    .objects = fleet->objects,
		    .at = cluster_position(fleet),
		    /* Without a seed the inputs are still checked: with stand-ins, as validate
		       does. */
		    .secrets_may_be_absent = !run->root,
		    .environment = &run->environment,
		};
		const struct kube_object **objects = ARENA_ARRAY(
		    run->arena, const struct kube_object *, fleet->machine_deployment_count);

		for (size_t i = 0; i < fleet->machine_deployment_count; i++)
			objects[i] = fleet->machine_deployments[i].object;
		if (osm_cluster_load(run->secret_arena, run->sink, &input, &cluster->osm) !=
		        STATUS_OK ||
		    osm_check_names(run->arena, run->sink, objects,
		                    fleet->machine_deployment_count) != STATUS_OK)
			errors = SIZE_MAX;
	}
	run->sink->cluster = (sv){0};
	return errors == run->sink->error_count ? STATUS_OK : STATUS_FAILED;
}

static void derive_token(struct run *run, struct run_job *job)
{
	const struct fleet_cluster *cluster = job->cluster->fleet;
	const struct kube_id *id = &job->machine_deployment->object->id;
	struct secret *secret = ARENA_NEW(run->secret_arena, struct secret);

	if (!run->root)
		return;
	struct seal_token_owner owner = {cluster->name, id->namespace, id->name,
	                                 cluster->settings.token_rotation};
	*secret = (struct secret){
	    .name = ARENA_CONCAT(run->secret_arena, SV("derived/"),
	                         osm_machine_key(run->secret_arena, id->namespace, id->name),
	                         SV(":token")),
	    .text = seal_bootstrap_token(run->secret_arena, run->root, &owner),
	    .high_entropy = true,
	};
	secret_inventory_add(run->secrets, secret);
	job->bootstrap_token = value_secret_string(run->secret_arena, secret->text, secret);
}

static void make_jobs(struct run *run)
{
	size_t next = 0;

	run->jobs = ARENA_ARRAY(run->arena, struct run_job, run->fleet.machine_deployment_count);
	for (size_t i = 0; i < run->fleet.cluster_count; i++) {
		struct run_cluster *cluster = &run->clusters[i];

		for (size_t j = 0; j < cluster->fleet->machine_deployment_count; j++) {
			struct run_job *job = &run->jobs[next++];

			job->cluster = cluster;
			job->machine_deployment = &cluster->fleet->machine_deployments[j];
			derive_token(run, job);
		}
	}
	run->job_count = next;
}

enum status run_prepare(struct run *run)
{
	enum status status = STATUS_OK;

	run->environment = osm_environment_taint(run->secret_arena, run->request->environment);
	run->clusters = ARENA_ARRAY(run->arena, struct run_cluster, run->fleet.cluster_count);
	if (read_seed(run) != STATUS_OK)
		status = STATUS_FAILED;
	run_add_input_secrets(run);
	for (size_t i = 0; i < run->fleet.cluster_count; i++) {
		run->clusters[i].fleet = &run->fleet.clusters[i];
		if (load_cluster(run, &run->clusters[i]) != STATUS_OK)
			status = STATUS_FAILED;
	}
	if (run_read_live_revisions(run) != STATUS_OK)
		status = STATUS_FAILED;
	make_jobs(run);
	if (run->job_count == 0 && status == STATUS_OK && run->sink->error_count == 0) {
		struct diag *diag =
		    diag_report(run->sink, DIAG_NOTHING_FOUND, NOWHERE,
		                "there is no MachineDeployment in %.*s: nothing to render",
		                SV_ARG(run->request->repo));
		diag_set_help(run->sink, diag,
		              "commit manifests of kind MachineDeployment "
		              "(cluster.k8s.io/v1alpha1), or check " FLEET_IGNORE_FILE);
	}
	run->workers = ARENA_ARRAY(run->arena, struct run_worker, run->threads);
	for (unsigned i = 0; i < run->threads; i++) {
		run->workers[i].results = run_new_arena(run, ARENA_PLAIN);
		run->workers[i].scratch = run_new_arena(run, ARENA_SECRET);
		run->workers[i].sealer = run->root ? sealer_new(run->root) : NULL;
	}
	return status;
}
