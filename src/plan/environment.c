/*
 * The variables of --allow-env, cluster by cluster (docs/security.md, "Confused deputies"). CI has
 * the variables of all clusters in one environment, and any MachineDeployment may ask for any of
 * them.
 */
#include "plan/plan.h"

const struct value *plan_environment_of(struct arena *secret_arena,
                                        const struct dialect_environment *environment, sv cluster)
{
	struct value *seen = ARENA_NEW(secret_arena, struct value);
	const sv owners[] = {cluster, DIALECT_EVERY_CLUSTER};

	*seen = value_map_new(secret_arena);
	for (size_t o = 0; o < COUNT_OF(owners); o++) {
		for (size_t i = 0; i < environment->count; i++) {
			const struct dialect_binding *binding = &environment->items[i];

			if (sv_eq(binding->cluster, owners[o]) &&
			    !value_map_find(seen, binding->name))
				value_map_set(secret_arena, seen, binding->name, binding->text);
		}
	}
	return seen;
}

/* ---- readers of clusters ------------------------------------------------------------------ */

/*
 * Returns the recipients of a cluster as one string, or an empty string if nothing is sealed for
 * the cluster or its recipients are missing or wrong, which is reported elsewhere.
 */
static sv readers_of(struct arena *arena, const struct fleet_cluster *cluster)
{
	const struct fleet_sealing *sealing = &cluster->sealing;
	size_t count = sealing->recipient_count;
	struct seal_recipient_text *texts = ARENA_ARRAY(arena, struct seal_recipient_text, count);
	struct seal_recipients recipients = {0};
	struct sink unused = sink_in(arena);
	struct buf buf = buf_in(arena);

	if (cluster->unit_count == 0 || sealing->is_wrong || count == 0)
		return SV("");
	for (size_t i = 0; i < count; i++)
		texts[i] = (struct seal_recipient_text){sealing->recipients[i].text,
		                                        sealing->recipients[i].at};
	if (seal_recipients_parse(arena, &unused, sealing->format, cluster->name, texts, count,
	                          &recipients) != STATUS_OK)
		return SV("");
	recipients.scope = sealing->scope;
	recipients.rule = sealing->rule;
	for (size_t i = 0; i < recipients.count; i++) {
		buf_add(&buf, seal_recipient_listed(arena, &recipients, i));
		buf_add_char(&buf, '\n');
	}
	return buf_sv(&buf);
}

/* Finds two clusters with different recipients. Returns false if all have the same. */
static bool find_different(struct arena *arena, const struct fleet *fleet,
                           const struct fleet_cluster *ret_clusters[2])
{
	const struct fleet_cluster *first = NULL;
	sv known = {0};

	for (size_t i = 0; i < fleet->cluster_count; i++) {
		sv readers = readers_of(arena, &fleet->clusters[i]);

		if (sv_empty(readers))
			continue;
		if (!first) {
			first = &fleet->clusters[i];
			known = readers;
		} else if (!sv_eq(readers, known)) {
			ret_clusters[0] = first;
			ret_clusters[1] = &fleet->clusters[i];
			return true;
		}
	}
	return false;
}

/* ---- checks ------------------------------------------------------------------------------ */

/* Reports one mistake of the command line, however many variables it names. */
static enum status report_shared(struct sink *sink, sv names, sv example,
                                 const struct fleet_cluster *const clusters[2])
{
	bool is_many = sv_contains(names, SV(","));
	struct diag *diag = diag_report(
	    sink, DIAG_ENVIRONMENT_SHARED, NOWHERE,
	    "--allow-env gives the variable%s %.*s to every cluster, and clusters have different "
	    "recipients: the owner of one cluster's folder could have %s sealed to himself",
	    is_many ? "s" : "", SV_ARG(names), is_many ? "them" : "it");

	for (size_t i = 0; i < 2; i++)
		diag_add_note(sink, diag, clusters[i]->sealing.at, "the recipients of cluster %.*s",
		              SV_ARG(clusters[i]->name));
	diag_set_help(sink, diag,
	              "name the cluster that needs the variable: --allow-env %.*s:%.*s; if the "
	              "environment has it under another name: --allow-env %.*s:%.*s=VARIABLE",
	              SV_ARG(clusters[0]->name), SV_ARG(example), SV_ARG(clusters[0]->name),
	              SV_ARG(example));
	return STATUS_FAILED;
}

static void warn_of_cluster(struct arena *arena, struct sink *sink, const struct fleet *fleet,
                            const struct dialect_binding *binding)
{
	sv *names = ARENA_ARRAY(arena, sv, fleet->cluster_count);
	struct diag *diag = diag_report(
	    sink, DIAG_ENVIRONMENT_CLUSTER, NOWHERE,
	    "--allow-env binds %.*s to the cluster %.*s, which does not exist: nobody gets it",
	    SV_ARG(binding->name), SV_ARG(binding->cluster));

	for (size_t i = 0; i < fleet->cluster_count; i++)
		names[i] = fleet->clusters[i].name;
	sv nearest = diag_nearest(binding->cluster, names, fleet->cluster_count);
	if (!sv_empty(nearest))
		nearest = ARENA_CONCAT(arena, nearest, SV(":"), binding->name);
	diag_help_meant(sink, diag, nearest,
	                "`osm-gen list` shows the clusters; remove the binding if its "
	                "cluster is gone");
}

static bool has_cluster(const struct fleet *fleet, sv name)
{
	for (size_t i = 0; i < fleet->cluster_count; i++)
		if (sv_eq(fleet->clusters[i].name, name))
			return true;
	return false;
}

enum status plan_check_environment(struct arena *arena, struct sink *sink,
                                   const struct plan_request *request)
{
	const struct dialect_environment *environment = request->environment;
	const struct fleet_cluster *different[2];
	struct buf shared = buf_in(arena);
	sv example = {0};

	for (size_t i = 0; i < environment->count; i++) {
		const struct dialect_binding *binding = &environment->items[i];

		if (sv_eq(binding->cluster, DIALECT_EVERY_CLUSTER)) {
			buf_add_item(&shared, binding->name);
			example = binding->name;
		} else if (!has_cluster(request->fleet, binding->cluster)) {
			warn_of_cluster(arena, sink, request->fleet, binding);
		}
	}
	if (shared.len == 0 || !find_different(arena, request->fleet, different))
		return STATUS_OK;
	return report_shared(sink, buf_sv(&shared), example, different);
}
