/*
 * Completes the output tree: adds the files that belong to no unit, removes files of earlier runs
 * that this run does not write, and reports files that are in the way.
 */
#include "run/output.h"
#include "run/completion.h"
#include "run/delivery.h"
#include "run/folders.h"
#include "run/indexes.h"
#include "run/without_seed.h"

/* ---- the files of a cluster -------------------------------------------------------------- */

static enum status add_definitions(struct run_completion *c)
{
	const struct fleet_cluster *fleet = c->cluster->fleet;

	VEC_EACH (used, &fleet->definitions) {
		const struct dialect_definition *definition = used->definition;
		sv source = run_source_name(definition->object);

		if (!used->dialect->definition_artifact)
			continue;
		struct artifact artifact = used->dialect->definition_artifact(
		    c->env->scratch, fleet_view(fleet, used->dialect), definition);

		if (definition->is_embedded)
			source = ARENA_CONCAT(c->env->arena, source, SV(" (embedded in osm-gen)"));
		if (run_add_artifact(c, &artifact, source) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

static enum status add_shared(struct run_completion *c)
{
	const struct fleet_cluster *fleet = c->cluster->fleet;
	sv source = fleet->at.source
	                ? fleet->at.source->path
	                : ARENA_CONCAT(c->env->arena, SV("the "), plan_unit_kind(c->plan), SV("s"));

	for (size_t i = 0; i < fleet->dialect_count; i++) {
		const struct dialect *dialect = fleet->dialects[i].dialect;
		struct artifacts artifacts = {0};

		if (!dialect->artifacts || !c->cluster->loaded[i])
			continue;
		dialect->artifacts(c->env->secret_arena, c->cluster->loaded[i], &artifacts);
		VEC_EACH (artifact, &artifacts) {
			if (run_add_artifact(c, artifact, source) != STATUS_OK)
				return STATUS_FAILED;
		}
	}
	return STATUS_OK;
}

static enum status complete_cluster(struct run_completion *c)
{
	if (add_definitions(c) != STATUS_OK || add_shared(c) != STATUS_OK ||
	    run_add_namespaces(c) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (file, c->files)
		map_put(&c->rendered->written, (*file)->path, c->rendered);
	if (run_put_side(c, ARTIFACT_MANAGEMENT) != STATUS_OK)
		return STATUS_FAILED;
	/* These need the seed: they have names of derived tokens, recipients, and sealed sizes. */
	if (c->without_seed)
		return STATUS_OK;
	if (run_put_side(c, ARTIFACT_WORKER) != STATUS_OK || run_put_delivery(c) != STATUS_OK ||
	    run_put_index(c) != STATUS_OK)
		return STATUS_FAILED;
	arena_reset(c->env->scratch);
	return STATUS_OK;
}

/* ---- clusters that write the same object -------------------------------------------------- */

/* A cluster that writes an object of its management side. */
struct claim {
	const struct fleet_cluster *cluster;
	const struct kube_object *from; /* that it is made from; null for the cluster's profiles */
};

static struct position claim_position(const struct claim *claim)
{
	return claim->from ? kube_object_position(claim->from) : claim->cluster->at;
}

static void report_clash(const struct run_env *env, const struct kube_id *id,
                         const struct claim *claim, const struct claim *other)
{
	bool is_known = !sv_empty(claim->cluster->management_cluster);
	sv object = kube_id_describe(env->arena, id);
	struct diag *diag;

	if (claim->from)
		env->sink->object = kube_object_describe(env->arena, claim->from);
	diag =
	    diag_report(env->sink, DIAG_MANAGEMENT_CLASH, claim_position(claim),
	                is_known ? "clusters %.*s and %.*s are managed from one cluster, and "
	                           "both write %.*s there"
	                         : "clusters %.*s and %.*s both write %.*s: into one "
	                           "management cluster?",
	                SV_ARG(other->cluster->name), SV_ARG(claim->cluster->name), SV_ARG(object));
	diag_add_note(env->sink, diag, claim_position(other), "the other one is here");
	diag_set_help(env->sink, diag,
	              sv_eq(id->kind, SV("Namespace"))
	                  ? "write managementNamespace: exists into delivery of all but one"
	              : is_known
	                  ? "give each of the clusters another namespace (setting namespace), "
	                    "or rename one of the objects"
	                  : "set managementCluster: self in each cluster that applies its own "
	                    "management side, and one name in all that share a management "
	                    "cluster");
	env->sink->object = (sv){0};
}

/* Adds a claim; it and its key are in the memory of `claims`. */
static void claim(const struct run_env *env, struct map *claims,
                  const struct fleet_cluster *cluster, const struct kube_id *id,
                  const struct kube_object *from)
{
	struct claim *entry = ARENA_NEW(claims->arena, struct claim);
	sv key = ARENA_CONCAT(claims->arena, cluster->management_cluster, SV(" "), id->kind,
	                      SV(" "), id->namespace, SV("/"), id->name);
	const struct claim *other = map_get(claims, key);

	*entry = (struct claim){cluster, from};
	if (!other)
		map_put(claims, key, entry);
	else if (other->cluster != cluster)
		report_clash(env, id, entry, other);
}

static bool is_self_managed(const struct fleet_cluster *cluster)
{
	return sv_eq(cluster->management_cluster, SV(FLEET_OWN_MANAGEMENT));
}

/*
 * Claims the profiles of a cluster, but only if its settings name a management cluster: most
 * clusters have the same profiles in the default namespace.
 */
static void claim_definitions(const struct run_env *env, struct map *claims,
                              const struct fleet_cluster *cluster)
{
	if (sv_empty(cluster->management_cluster) || is_self_managed(cluster))
		return;
	VEC_EACH (used, &cluster->definitions) {
		if (!used->dialect->definition_artifact)
			continue;
		struct artifact artifact = used->dialect->definition_artifact(
		    claims->arena, fleet_view(cluster, used->dialect), used->definition);

		claim(env, claims, cluster, &artifact.id, NULL);
	}
}

static void claim_namespace(const struct run_env *env, struct map *claims,
                            const struct fleet_cluster *cluster, sv namespace)
{
	const struct kube_id id = {
	    .api_version = SV("v1"), .kind = SV("Namespace"), .name = namespace};

	if (run_makes_namespace(cluster, namespace))
		claim(env, claims, cluster, &id, NULL);
}

enum status run_check_clashes(const struct run_env *env, const struct plan *plan,
                              const struct run_rendered *rendered)
{
	size_t errors = env->sink->error_count;
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct map claims = map_in(scratch);

	if (plan->cluster_count < 2)
		return STATUS_OK;
	for (size_t i = 0; i < plan->unit_count; i++) {
		const struct fleet_cluster *cluster = plan->units[i].cluster->fleet;

		VEC_EACH (file, &rendered->units[i].files)
			if (file->side == ARTIFACT_MANAGEMENT && !is_self_managed(cluster)) {
				claim(env, &claims, cluster, &file->object,
				      plan->units[i].unit->object);
				claim_namespace(env, &claims, cluster, file->object.namespace);
			}
	}
	for (size_t i = 0; i < plan->cluster_count; i++)
		claim_definitions(env, &claims, plan->clusters[i].fleet);
	return env->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}

/* ---- .sops.yaml -------------------------------------------------------------------------- */

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
	              "let one path_regex match all of the cluster's output, or name the "
	              "recipients in " FLEET_SETTINGS_FILE);
}

/* Checks all paths of a cluster at once, so that each expression is compiled once. */
static void check_rules_of(const struct run_env *env, const struct seal_sops_config *config,
                           const struct fleet_sealing *sealing, const sv *paths, size_t count)
{
	const struct seal_creation_rule **rules =
	    ARENA_ARRAY(env->arena, const struct seal_creation_rule *, count);

	if (!quota_take(&env->quotas->steps, seal_sops_config_steps(config, count)))
		return;
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
	if (first < count)
		report_rule(env, sealing, rules[first], paths[first], others);
}

enum status run_check_creation_rules(const struct run_env *env, const struct run_job *job,
                                     const struct run_rendered *rendered)
{
	const struct plan *plan = job->plan;
	size_t errors = env->sink->error_count;

	for (size_t i = 0; i < plan->cluster_count; i++) {
		const struct plan_cluster *cluster = &plan->clusters[i];
		VEC(sv) paths = {0};

		for (size_t j = 0; j < cluster->unit_count; j++)
			VEC_EACH (file, &rendered->units[cluster->first_unit + j].files)
				if (file->sealed && cluster->fleet->sealing.rule)
					VEC_PUSH(env->arena, &paths,
					         fleet_sops_path(env->arena, job->out, file->path));
		if (paths.count > 0)
			check_rules_of(env, plan->fleet->sops_config, &cluster->fleet->sealing,
			               paths.items, paths.count);
	}
	if (run_check_quotas(env->sink, env->quotas) != STATUS_OK)
		return STATUS_FAILED;
	return env->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}

/* ---- the whole tree ---------------------------------------------------------------------- */

static enum status prune(const struct run_env *env, const struct run_inputs *inputs,
                         const struct run_job *job, struct run_writer *writer,
                         const struct run_rendered *rendered)
{
	const struct previous *previous = job->previous;
	size_t errors = env->sink->error_count;
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct git_changes changes = {0};

	if (job->without_seed) {
		run_prune_without_seed(env, job->plan, previous, writer, rendered);
		return STATUS_OK;
	}
	VEC_EACH (file, git_output_previous(writer->output)) {
		if (!map_get(&rendered->written, file->path) &&
		    map_get(&previous->paths, file->path))
			git_output_remove(writer->output, 0, file->path);
	}
	git_output_changes(scratch, writer->output, &changes);
	VEC_EACH (change, &changes) {
		if (change->kind != GIT_CHANGED || map_get(&previous->paths, change->path))
			continue;
		sv shown = ARENA_CONCAT(env->arena, inputs->out, SV("/"), change->path);
		struct source *source = source_new(env->arena, shown, SV(""), false);
		struct diag *diag =
		    diag_report(env->sink, DIAG_OUTPUT_STRANGER, position_of_source(source),
		                "a file that osm-gen did not write is in the way");
		diag_set_help(env->sink, diag,
		              "move or remove it, or name another folder with --out");
	}
	return env->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}

enum status run_complete_tree(const struct run_env *env, const struct run_inputs *inputs,
                              const struct run_job *job, struct run_writer *writer,
                              struct run_rendered *rendered)
{
	const struct plan *plan = job->plan;
	size_t count = 0;

	for (size_t i = 0; i < plan->unit_count; i++)
		count += rendered->units[i].files.count;
	map_expect(&rendered->written, count + count / 16);
	for (size_t i = 0; i < plan->cluster_count; i++) {
		struct run_completion c = {
		    .env = env,
		    .plan = plan,
		    .previous = job->previous,
		    .writer = writer,
		    .rendered = rendered,
		    .out = job->out,
		    .without_seed = job->without_seed,
		    .cluster = &plan->clusters[i],
		    .files = &rendered->clusters[i],
		};

		for (size_t j = 0; j < c.cluster->unit_count; j++)
			VEC_EACH (file, &rendered->units[c.cluster->first_unit + j].files)
				VEC_PUSH(env->arena, c.files, file);
		if (complete_cluster(&c) != STATUS_OK)
			return STATUS_FAILED;
	}
	if (!job->without_seed && run_put_delivery_lists(env, plan, writer, rendered) != STATUS_OK)
		return STATUS_FAILED;
	return prune(env, inputs, job, writer, rendered);
}
