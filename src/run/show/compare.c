/* The command `compare`: renders one cluster, and compares it with its live objects. */
#include "adopt/adopt.h"
#include "run/show/show.h"
#include "run/units/units.h"

static enum status report_cluster(const struct run_env *env, sv wanted, const struct plan *plan)
{
	struct buf names = buf_in(env->arena);
	struct diag *diag;

	for (size_t i = 0; i < plan->fleet->cluster_count; i++)
		buf_add_item(&names, plan->fleet->clusters[i].name);
	if (sv_empty(wanted))
		diag = diag_report(env->sink, DIAG_COMPARE_CLUSTER, NOWHERE,
		                   "there are several clusters: which one is live?");
	else
		diag = diag_report(env->sink, DIAG_COMPARE_CLUSTER, NOWHERE,
		                   "there is no cluster \"%.*s\"", SV_ARG(wanted));
	diag_set_help(env->sink, diag, "give --cluster with one of: %.*s",
	              SV_ARG(sv_slice(buf_sv(&names), 0, 1000)));
	return STATUS_FAILED;
}

/* Reports a cluster whose units are all of dialects that compare nothing. */
static enum status report_kinds(const struct run_env *env, const struct plan_cluster *cluster)
{
	const struct kube_object *unit = cluster->units[0].unit->object;
	struct diag *diag =
	    diag_report(env->sink, DIAG_ADOPT_NOTHING, kube_object_position(unit),
	                "osm-gen cannot compare a live %.*s", SV_ARG(unit->id.kind));

	diag_set_help(env->sink, diag, "`osm-gen diff` compares with the committed output");
	return STATUS_FAILED;
}

static const struct plan_cluster *find_cluster(sv wanted, const struct plan *plan)
{
	if (sv_empty(wanted))
		return plan->cluster_count == 1 ? &plan->clusters[0] : NULL;
	for (size_t i = 0; i < plan->cluster_count; i++)
		if (sv_eq(plan->clusters[i].fleet->name, wanted))
			return &plan->clusters[i];
	return NULL;
}

/* Reports user-data in two parts beside that of the controller, which is whole. */
static enum status report_whole(const struct run_env *env, const struct plan_unit *unit,
                                const struct kube_object *live)
{
	struct diag *diag = diag_report(
	    env->sink, DIAG_PROVISIONING_SPLIT, kube_object_position(unit->unit->object),
	    "cluster %.*s has provisioning: split, and %.*s of the exports is the controller's, "
	    "which is whole",
	    SV_ARG(unit->cluster->fleet->name), SV_ARG(kube_object_describe(env->arena, live)));

	diag_set_help(env->sink, diag,
	              "compare with --provisioning whole: machines get the same files with both");
	return STATUS_FAILED;
}

static enum status compare_unit(const struct run_env *env, const struct run_job *job,
                                const struct plan_unit *unit, struct adopt_comparing *comparing,
                                bool *ret_whole)
{
	const struct seal_fingerprint_key key = {job->plan->root, unit->cluster->fleet->name};
	struct redaction redaction = seal_redaction(&key);
	struct plan_unit with_live = *unit;
	struct dialect_rendered rendered = {0};
	struct dialect_rendered again = {0};
	struct plan_revision revision;

	if (run_render_unit(env->secret_arena, env->sink, job, unit, &revision, &rendered) !=
	    STATUS_OK)
		return STATUS_FAILED;
	const struct kube_object *whole = adopt_live_whole(comparing, &rendered.artifacts);
	*ret_whole = whole != NULL;
	if (whole)
		return report_whole(env, unit, whole);
	with_live.token = adopt_live_token(comparing, unit->unit);
	bool has_live = unit->token.type && with_live.token.type;
	if (has_live && run_render_unit(env->secret_arena, env->sink, job, &with_live, &revision,
	                                &again) != STATUS_OK)
		return STATUS_FAILED;
	adopt_compare(comparing, &(struct adopt_rendering){
	                             .unit = unit->unit,
	                             .revision = revision.revision,
	                             .artifacts = &rendered.artifacts,
	                             .with_live_token = has_live ? &again.artifacts : NULL,
	                             .redaction = &redaction,
	                         });
	return STATUS_OK;
}

static void print(const struct run_compared *compared, const struct adopt_comparison *comparison,
                  struct buf *output)
{
	if (compared->json)
		adopt_comparison_json(output, comparison);
	else
		adopt_comparison_text(output, comparison, compared->verbose);
}

enum status run_compare(const struct run_env *env, const struct run_compared *compared,
                        const struct run_job *job, bool *ret_differs, struct buf *output)
{
	const struct plan *plan = job->plan;
	const struct plan_cluster *cluster = find_cluster(compared->cluster, plan);
	struct adopt_comparing *comparing = NULL;
	struct adopt_comparison comparison;
	enum status status = STATUS_OK;
	bool can_compare = false;
	bool is_whole = false;

	if (!cluster)
		return report_cluster(env, compared->cluster, plan);
	comparing =
	    adopt_comparing_new(env->secret_arena, compared->live, cluster->fleet, plan->secrets);
	for (size_t i = 0; i < cluster->unit_count && !is_whole; i++) {
		const struct plan_unit *unit = &cluster->units[i];

		if (!adopt_can_compare(unit->unit)) {
			adopt_pass_over(comparing, unit->unit);
			continue;
		}
		can_compare = true;
		DIAG_SCOPE(env->sink, kube_object_describe(env->arena, unit->unit->object),
		           env->sink->cluster);
		if (!plan_unit_is_sound(unit) ||
		    compare_unit(env, job, unit, comparing, &is_whole) != STATUS_OK)
			status = STATUS_FAILED;
	}
	if (cluster->unit_count > 0 && !can_compare)
		return report_kinds(env, cluster);
	if (status != STATUS_OK)
		return status;
	adopt_comparing_end(comparing, &comparison);
	print(compared, &comparison, output);
	*ret_differs = comparison.differs;
	return STATUS_OK;
}
