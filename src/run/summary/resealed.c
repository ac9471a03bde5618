/*
 * Warns of clusters whose objects are sealed again because their certificate has changed.
 */
#include "run/summary/summary.h"

enum { NAMED = 10 };

/*
 * Returns true if the index lists another certificate. It lists none if nothing was sealed. A scope
 * may follow the certificate after a space; another scope does not count as another key.
 */
static bool is_another(const struct tree_index *before, const struct seal_recipients *now)
{
	if (!before || before->recipient_count == 0)
		return false;
	sv listed = before->recipients[0];

	return before->recipient_count != now->count ||
	       !sv_eq(sv_slice(listed, 0, sv_find_char(listed, ' ')), now->items[0].text);
}

static void report_cluster(const struct run_env *env, const struct plan_cluster *cluster,
                           const struct tree_file_list *files, const struct map *changed)
{
	struct arena *arena = env->arena;
	struct buf names = buf_in(arena);
	size_t count = 0;

	VEC_EACH (file, files) {
		if (!(*file)->sealed || !map_get(changed, (*file)->path))
			continue;
		if (count < NAMED)
			buf_add_item(&names, ARENA_CONCAT(arena, (*file)->object.namespace, SV("/"),
			                                  (*file)->object.name));
		count++;
	}
	if (count > NAMED)
		buf_printf(&names, " and %zu more", count - NAMED);
	struct diag *diag = diag_report(env->sink, DIAG_CERTIFICATE_CHANGED,
	                                cluster->fleet->sealing.recipients[0].at,
	                                "the Secrets of cluster %.*s were sealed to another key "
	                                "before: %zu are sealed anew",
	                                SV_ARG(cluster->fleet->name), count);
	if (count > 0)
		diag_add_note(env->sink, diag, NOWHERE, "%.*s", SV_ARG(buf_sv(&names)));
	diag_set_help(env->sink, diag,
	              "check that the certificate is the one of this cluster's controller: "
	              "kubeseal --fetch-cert");
}

void run_report_resealed(const struct run_env *env, const struct run_facts *facts)
{
	struct map changed = map_in(env->arena);

	if (!facts->previous)
		return;
	for (size_t i = 0; i < facts->plan->cluster_count; i++) {
		const struct plan_cluster *cluster = &facts->plan->clusters[i];
		const struct tree_index *before =
		    map_get(&facts->previous->indexes, cluster->fleet->name);

		if (cluster->recipients.count == 0 ||
		    !cluster->fleet->sealing.format->takes_certificate ||
		    !is_another(before, &cluster->recipients))
			continue;
		/* Most runs never need it. */
		if (changed.count == 0)
			changed = run_changes_by_path(env->arena, facts->changes);
		report_cluster(env, cluster, &facts->rendered->clusters[i], &changed);
	}
}
