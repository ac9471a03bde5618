/*
 * Checks that one rule of .sops.yaml applies to all sealed files of a cluster.
 */
#include "run/clusters/clusters.h"

static void report_rule(const struct run_env *env, const struct fleet_sealing *sealing,
                        const struct seal_creation_rule *rule, sv path, size_t more)
{
	struct diag *diag =
	    diag_report(env->sink, DIAG_SOPS_CONFIG, rule ? rule->at : sealing->rule->at,
	                "%.*s falls under %s than the cluster's other Secrets", SV_ARG(path),
	                rule ? "another rule" : "no rule, other");

	if (more > 0)
		diag_add_note(env->sink, diag, NOWHERE, "so %s %zu more of its files",
		              more == 1 ? "does" : "do", more);
	diag_add_note(env->sink, diag, sealing->rule->at, "the rule of the others is this one");
	diag_set_help(env->sink, diag,
	              "let one path_regex match the cluster's whole output, or name the recipients "
	              "in " FLEET_SETTINGS_FILE);
}

/* Checks all paths of a cluster at once, so that each expression is compiled once. */
static enum status check_rules_of(const struct run_env *env, const struct seal_sops_config *config,
                                  const struct fleet_sealing *sealing, const sv *paths,
                                  size_t count)
{
	const struct seal_creation_rule **rules =
	    ARENA_ARRAY(env->arena, const struct seal_creation_rule *, count);

	if (!quota_take(&env->quotas->steps, seal_sops_config_steps(config, count)))
		return STATUS_OK; /* run_check_quotas reports it */
	seal_sops_config_find_each(env->arena, config, paths, count, rules);
	size_t first = count;
	size_t others = 0;

	for (size_t i = 0; i < count; i++) {
		if (rules[i] && rules[i]->map == sealing->rule->map)
			continue;
		if (first == count)
			first = i;
		else
			others++;
	}
	if (first == count)
		return STATUS_OK;
	report_rule(env, sealing, rules[first], paths[first], others);
	return STATUS_FAILED;
}

enum status run_check_creation_rules(const struct run_env *env, const struct run_job *job,
                                     const struct run_rendered *rendered)
{
	const struct plan *plan = job->plan;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < plan->cluster_count; i++) {
		const struct plan_cluster *cluster = &plan->clusters[i];
		VEC(sv) paths = {0};

		for (size_t j = 0; j < cluster->unit_count; j++)
			VEC_EACH (file, &rendered->units[cluster->first_unit + j].files)
				if (file->sealed && cluster->fleet->sealing.rule)
					VEC_PUSH(env->arena, &paths,
					         fleet_sops_path(env->arena, job->out, file->path));
		if (paths.count > 0 &&
		    check_rules_of(env, plan->fleet->sops_config, &cluster->fleet->sealing,
		                   paths.items, paths.count) != STATUS_OK)
			status = STATUS_FAILED;
	}
	if (run_check_quotas(env->sink, env->quotas) != STATUS_OK)
		return STATUS_FAILED;
	return status;
}
