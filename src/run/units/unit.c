/*
 * Renders one unit, and makes its row of the summary.
 */
#include "run/output/output.h"
#include "run/units/rendering.h"
#include "userdata/userdata.h"

/* Returns the place in the manifest that reports show with the unit. */
static struct position place_of_unit(const struct plan_unit *unit)
{
	const struct dialect *dialect = unit->unit->dialect;
	struct position at = NOWHERE;

	if (dialect->version_at)
		at = dialect->version_at(unit->unit->object);
	return at.source ? at : kube_object_position(unit->unit->object);
}

/* Copies what is needed of the manifest, whose values are forgotten once the unit is rendered. */
static void set_pace(struct arena *results, const struct dialect_unit *unit,
                     struct dialect_pace *ret_pace)
{
	unit->dialect->pace(results, unit->object, ret_pace);
	ret_pace->max_surge = arena_dup(results, ret_pace->max_surge);
	ret_pace->max_unavailable = arena_dup(results, ret_pace->max_unavailable);
}

void run_unit_begin(struct arena *results, struct arena *scratch, const struct plan_unit *unit,
                    struct run_unit *ret_unit)
{
	const struct fleet_cluster *cluster = unit->cluster->fleet;

	const struct dialect *dialect = unit->unit->dialect;
	int64_t replicas = -1;

	if (dialect->replicas)
		replicas = dialect->replicas(unit->unit->object);
	else if (dialect->machines && unit->loaded)
		replicas = dialect->machines(results, unit->loaded, unit->unit->object);

	*ret_unit = (struct run_unit){
	    .unit = unit,
	    .sink = sink_in(results),
	    .replicas = replicas < 0 ? REPORT_REPLICAS_UNKNOWN : replicas,
	    .at = place_of_unit(unit),
	};
	if (dialect->pace)
		set_pace(results, unit->unit, &ret_unit->pace);
	ret_unit->sink.object = kube_object_describe(scratch, unit->unit->object);
	ret_unit->sink.cluster = cluster->at.source ? cluster->name : SV("");
}

void run_unit_check(struct arena *scratch, const struct run_job *job, struct run_unit *unit)
{
	const struct plan_unit *of = unit->unit;

	if (of->unit->dialect->check)
		of->unit->dialect->check(scratch, &unit->sink, of->view, of->unit->object,
		                         !job->plan->root);
}

enum status run_render_unit(struct arena *arena, struct sink *sink, const struct run_job *job,
                            const struct plan_unit *unit, struct plan_revision *ret_revision,
                            struct dialect_rendered *ret_rendered)
{
	const struct plan_previous_cluster previous = {job->previous, unit->cluster->fleet->name};
	const struct seal_fingerprint_key key = {job->plan->root, unit->cluster->fleet->name};
	const struct redaction redaction = seal_redaction(&key);
	struct dialect_job task = {
	    .cluster = unit->view,
	    .loaded = unit->loaded,
	    .unit = unit->unit,
	    .token = unit->token,
	    .token_before = unit->token_before,
	    .join = unit->join,
	    .join_before = unit->join_before,
	    .now = job->now,
	    .asks_now = job->asks_now,
	    .previous = plan_previous_objects(&previous),
	    .redaction = &redaction,
	    .steps = job->steps,
	    .round_lengths = unit->cluster->recipients.round_lengths,
	    .wants_fetches = job->wants_fetches,
	};

	const struct tree_unit id = plan_tree_unit(unit->unit);
	const struct previous_unit *known =
	    job->previous ? map_get(&job->previous->units,
	                            plan_unit_key(arena, unit->cluster->fleet->name, &id))
	                  : NULL;

	if (known)
		task.config_maps = known->unit.config_maps;
	const struct plan_roll_request request = {job->plan, job->previous, unit, &task,
	                                          job->allows_roll};
	struct plan_roll roll;
	enum status status = plan_find_roll(arena, sink, &request, &roll);
	status |=
	    plan_find_revision(arena, sink, job->plan, job->previous, unit, &roll, ret_revision);
	task.revision = ret_revision->revision;
	task.template_digest = ret_revision->template_digest;
	task.roll = roll.record.value;
	status |= unit->unit->dialect->render(arena, sink, &task, ret_rendered);
	return status == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

void run_fill_row(struct arena *arena, struct run_row *row, const struct plan_unit *unit,
                  const struct dialect_rendered *rendered)
{
	row->is_set = true;
	row->provider = arena_dup(arena, rendered->provider);
	row->operating_system = arena_dup(arena, rendered->operating_system);
	row->kubelet_version = arena_dup(arena, rendered->kubelet_version);
	row->reason = arena_dup(arena, rendered->reason);
	VEC_EACH (artifact, &rendered->artifacts) {
		size_t bytes =
		    userdata_shown_bytes(artifact->user_data_bytes, artifact->user_data_limit,
		                         unit->cluster->recipients.round_lengths);

		if (artifact->role == ARTIFACT_BOOTSTRAP) {
			row->bootstrap_bytes = bytes;
			row->bootstrap_limit = artifact->user_data_limit;
		} else if (artifact->role == ARTIFACT_PROVISIONING) {
			row->provisioning_bytes = bytes;
			row->provisioning_limit = artifact->user_data_limit;
		}
	}
}

/* Copies the fetches, since the rendered ones are in the unit's scratch memory. */
struct run_fetched *run_keep_fetches(struct arena *arena, const struct run_unit *unit,
                                     const struct dialect_rendered *rendered)
{
	const struct report_unit row = run_row_of(unit);
	struct run_fetched *to = ARENA_NEW(arena, struct run_fetched);

	*to = (struct run_fetched){
	    .cluster = row.cluster,
	    .namespace = row.namespace,
	    .name = row.name,
	    .profile = row.profile,
	    .is_inventoried = rendered->is_inventoried,
	};
	VEC_EACH (fetch, &rendered->fetches) {
		const struct dialect_fetch copy = {
		    .kind = arena_dup(arena, fetch->kind),
		    .name = arena_dup(arena, fetch->name),
		    .version = arena_dup(arena, fetch->version),
		    .architecture = arena_dup(arena, fetch->architecture),
		    .url = arena_dup(arena, fetch->url),
		    .sha256 = arena_dup(arena, fetch->sha256),
		    .fingerprint = arena_dup(arena, fetch->fingerprint),
		    .from = arena_dup(arena, fetch->from),
		    .setting = arena_dup(arena, fetch->setting),
		    .upstream = arena_dup(arena, fetch->upstream),
		};

		VEC_PUSH(arena, &to->fetches, copy);
	}
	return to;
}
