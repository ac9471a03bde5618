/*
 * The summary of a run: which units and files change, and how.
 */
#include "run/summary/summary.h"
#include "run/clusters/clusters.h"
#include "run/summary/manifests.h"

static enum report_change change_of(enum git_change_kind kind)
{
	switch (kind) {
	case GIT_ADDED:
		return REPORT_ADDED;
	case GIT_CHANGED:
		return REPORT_CHANGED;
	case GIT_REMOVED:
		return REPORT_REMOVED;
	}
	BUG("change kind");
}

struct map run_changes_by_path(struct arena *arena, const struct git_changes *changes)
{
	struct map by_path = map_in(arena);

	map_expect(&by_path, changes->count);
	VEC_EACH (change, changes)
		map_put(&by_path, change->path, change);
	return by_path;
}

/* ---- units ------------------------------------------------------------------------------- */

/* How a unit changes: new when its config is, or, without one, when it was not there before. */
static enum report_change unit_change(const struct map *changes, const struct tree_files *files)
{
	enum report_change change = REPORT_UNCHANGED;
	size_t added = 0;

	VEC_EACH (file, files) {
		const struct git_change *found = map_get(changes, file->path);

		if (!found)
			continue;
		change = REPORT_CHANGED;
		added += found->kind == GIT_ADDED;
		if (found->kind == GIT_ADDED && file->role == ARTIFACT_CONFIG)
			return REPORT_ADDED;
	}
	return added > 0 && added == files->count ? REPORT_ADDED : change;
}

/* Sets the manifest of the unit. Its text is not shown in reports, as it may hold secrets. */
static void set_place(struct arena *arena, const struct run_unit *unit, struct report_unit *row)
{
	const struct kube_object *object = unit->unit->unit->object;

	if (object->external || !object->source)
		return;
	row->source = arena_dup(arena, object->source->path);
	row->at = unit->at;
}

/* Sets how the unit's machines are replaced, and the control plane that they join. */
static void set_pace(struct arena *arena, const struct plan_unit *unit,
                     const struct dialect_pace *pace, struct report_unit *row)
{
	const struct dialect *dialect = unit->unit->dialect;

	if (dialect->control_plane)
		row->control_plane = dialect->control_plane(unit->view);
	if (row->class != REPORT_CLASS_ROLL || !dialect->pace)
		return;
	row->max_surge = arena_dup(arena, pace->max_surge);
	row->max_unavailable = arena_dup(arena, pace->max_unavailable);
	row->surge = pace->surge;
	row->unavailable = pace->unavailable;
}

/*
 * Returns the change of the number of machines with those of the unit's other MachineDeployments,
 * if all numbers are known.
 */
static struct report_scale scale_of(const struct run_unit *unit)
{
	struct report_scale scale = unit->facts.scale;

	if (scale.changes && scale.before >= 0 && scale.after >= 0 && unit->replicas >= 0) {
		scale.before = unit->replicas + scale.fewer - scale.more;
		scale.after = unit->replicas;
	}
	return scale;
}

/* `places` has the row of each unit of the plan that is reported. */
static void add_unit_rows(struct arena *arena, const struct run_facts *facts, size_t *places,
                          struct report_summary *summary)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	const struct map by_path = run_changes_by_path(scratch, facts->changes);

	VEC_RESERVE(arena, &summary->units, facts->plan->unit_count);
	for (size_t i = 0; i < facts->plan->unit_count; i++) {
		struct report_unit row = run_row_of(&facts->rendered->units[i]);

		places[i] = SIZE_MAX;
		if (!facts->rendered->units[i].row.is_set || !run_is_reported(facts, row.cluster))
			continue;
		row.change = unit_change(&by_path, &facts->rendered->units[i].files);
		row.replicas = facts->rendered->units[i].replicas;
		set_place(arena, &facts->rendered->units[i], &row);
		VEC_EACH (one, &facts->rendered->units[i].sealed)
			row.sealed |= one->change;
		if (facts->previous) {
			const struct plan_class_facts *own = &facts->rendered->units[i].facts;

			/* Its files have only moved to another part or bucket. */
			if (row.change == REPORT_ADDED && own->was_there)
				row.change = REPORT_CHANGED;
			row.class = plan_class(own);
			row.scale = scale_of(&facts->rendered->units[i]);
			/* Without the seed, a file that was not put may be known to change. */
			if (row.change == REPORT_UNCHANGED &&
			    (row.scale.changes || own->file_changed))
				row.change = REPORT_CHANGED;
			row.template_unknown = facts->plan->units[i].unit->dialect->template_text &&
			                       own->was_there &&
			                       own->template == PLAN_TEMPLATE_UNKNOWN;
		}
		/* A unit that is made of another one has the same machines. */
		if (facts->plan->units[i].unit->object->made_of &&
		    (row.class == REPORT_CLASS_ADD || row.class == REPORT_CLASS_NONE))
			row.replicas = REPORT_REPLICAS_UNKNOWN;
		set_pace(arena, &facts->plan->units[i], &facts->rendered->units[i].pace, &row);
		summary->kept_count += facts->rendered->units[i].is_kept;
		summary->rendered_count += !facts->rendered->units[i].is_kept;
		places[i] = summary->units.count;
		VEC_PUSH(arena, &summary->units, row);
		summary->unit_count++;
	}
}

/* Adds units of the previous output that the inputs no longer have. */
static void add_removed_units(struct arena *arena, const struct run_facts *facts,
                              struct report_summary *summary)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct set there = set_in(scratch);

	for (size_t i = 0; i < facts->plan->unit_count; i++) {
		const struct plan_unit *unit = &facts->plan->units[i];
		const struct tree_unit id = plan_tree_unit(unit->unit);

		set_add(&there, plan_unit_key(scratch, unit->cluster->fleet->name, &id));
	}
	for (size_t i = 0; i < facts->previous->units.count; i++) {
		const struct map_entry *entry = &facts->previous->units.entries[i];
		const struct previous_unit *before = entry->value;

		if (set_has(&there, entry->key) || !run_is_reported(facts, before->cluster))
			continue;
		VEC_PUSH(arena, &summary->units,
		         (struct report_unit){
		             .cluster = before->cluster,
		             .kind = before->unit.kind,
		             .namespace = before->unit.namespace,
		             .name = before->unit.name,
		             .change = REPORT_REMOVED,
		             .class = REPORT_CLASS_REMOVE,
		             .replicas = REPORT_REPLICAS_UNKNOWN,
		         });
	}
}

/* ---- delivery ---------------------------------------------------------------------------- */

/* Sets the applier of the previous output and its cluster, from APPLIER/MANAGEMENT/... . */
static void find_delivery_before(const struct tree_index *index, sv *ret_applier,
                                 sv *ret_management)
{
	sv rest;

	*ret_applier = *ret_management = SV("");
	for (size_t i = 0; i < index->file_count; i++)
		if (index->files[i].is_delivery && tree_is_delivery_list(index->files[i].path) &&
		    sv_cut(index->files[i].path, SV("/"), ret_applier, &rest))
			(void)!sv_cut(rest, SV("/"), ret_management, &rest);
}

/* Returns the management cluster as a sentence names it. */
static sv name_management(sv management, sv cluster)
{
	return sv_eq(management, cluster) ? SV("itself") : management;
}

static sv name_applier(struct arena *arena, sv applier, sv management, sv cluster)
{
	return ARENA_CONCAT(arena, sv_eq(applier, SV("flux")) ? SV("Flux") : SV("Argo CD"),
	                    SV(" at "),
	                    sv_eq(management, cluster) ? SV("the cluster itself") : management);
}

/* Compares who applies the cluster. Returns false if that is the same as before. */
static bool compare_delivery(struct arena *arena, const struct fleet_cluster *cluster,
                             const struct tree_index *index, struct report_delivery *delivery)
{
	sv applier_before;
	sv before;
	sv applier;
	sv now;

	find_delivery_before(index, &applier_before, &before);
	run_find_delivery(cluster, &applier, &now);
	if (sv_eq(applier, applier_before) && sv_eq(now, before))
		return false;
	*delivery = (struct report_delivery){.cluster = cluster->name};
	if (!sv_empty(applier_before))
		delivery->before = name_applier(arena, applier_before, before, cluster->name);
	if (!sv_empty(applier))
		delivery->after = name_applier(arena, applier, now, cluster->name);
	if (sv_empty(applier_before)) {
		delivery->kind = REPORT_DELIVERY_BEGINS;
	} else if (sv_empty(applier)) {
		delivery->kind = REPORT_DELIVERY_ENDS;
	} else if (!sv_eq(applier, applier_before)) {
		delivery->kind = REPORT_DELIVERY_APPLIER;
	} else {
		delivery->kind = REPORT_DELIVERY_MOVED;
		delivery->before = name_management(before, cluster->name);
		delivery->after = name_management(now, cluster->name);
	}
	return true;
}

static void add_deliveries(struct arena *arena, const struct run_facts *facts,
                           struct report_summary *summary)
{
	for (size_t i = 0; i < facts->plan->cluster_count; i++) {
		const struct fleet_cluster *cluster = facts->plan->clusters[i].fleet;
		const struct tree_index *index = map_get(&facts->previous->indexes, cluster->name);
		struct report_delivery delivery;

		if (index && index->format > 1 && cluster->unit_count > 0 &&
		    run_is_reported(facts, cluster->name) &&
		    compare_delivery(arena, cluster, index, &delivery))
			VEC_PUSH(arena, &summary->deliveries, delivery);
	}
	VEC_EACH (change, &facts->rendered->delivery)
		if (run_is_reported(facts, change->cluster))
			VEC_PUSH(arena, &summary->deliveries,
			         ((struct report_delivery){.cluster = change->cluster,
			                                   .kind = REPORT_DELIVERY_CHANGED,
			                                   .change = change->text}));
}

/* ---- the whole --------------------------------------------------------------------------- */

static const char *mode_name(enum run_mode mode)
{
	switch (mode) {
	case RUN_GENERATE:
		return "generate";
	case RUN_CHECK:
		return "check";
	case RUN_DIFF:
		return "diff";
	case RUN_PLAN:
		return "plan";
	case RUN_VALIDATE:
		return "validate";
	case RUN_RENDER:
		return "render";
	case RUN_COMPARE:
		return "compare";
	}
	BUG("mode");
}

void run_describe(const struct run_env *env, const struct run_request *request,
                  const struct run_inputs *inputs, struct report_summary *summary)
{
	summary->command = sv_from_cstr(mode_name(request->mode));
	summary->version = request->version;
	summary->source_commit = request->reading.worktree ? SV("") : inputs->source.hex;
	summary->out = request->target.out;
	summary->unit_kind = dialect_unit_kind();
	if (inputs->uses_kustomize && summary->programs.count == 0)
		VEC_PUSH(env->arena, &summary->programs,
		         arena_printf(env->arena, "kustomize %.*s (%.*s) made manifests",
		                      SV_ARG(inputs->kustomize.version),
		                      SV_ARG(inputs->kustomize.path)));
}

/* Returns the number of files in the folder of the cluster that is reported. */
static size_t count_files(const struct run_facts *facts)
{
	size_t count = 0;

	for (size_t i = 0; i < facts->inputs->fleet.cluster_count; i++)
		if (sv_eq(facts->inputs->fleet.clusters[i].name, facts->cluster))
			count = facts->rendered->clusters[i].count;
	return count;
}

static void add_file_rows(struct arena *arena, const struct run_facts *facts,
                          struct report_summary *summary)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct map sealed = map_in(scratch);
	size_t changed = 0;

	for (size_t i = 0; i < facts->plan->unit_count; i++)
		VEC_EACH (one, &facts->rendered->units[i].sealed)
			map_put(&sealed, one->path, one);
	VEC_RESERVE(arena, &summary->files, facts->changes->count);
	VEC_EACH (change, facts->changes) {
		const struct run_sealed_change *one = map_get(&sealed, change->path);
		struct report_file file = {
		    .path = change->path,
		    .change = change_of(change->kind),
		    .sealed = one ? one->change : 0,
		};

		VEC_PUSH(arena, &summary->files, file);
		changed += change->kind != GIT_REMOVED;
	}
	size_t all = set_count(&facts->rendered->written);
	if (!sv_empty(facts->cluster))
		all = count_files(facts);
	summary->unchanged_file_count = all > changed ? all - changed : 0;
}

static void look_at_inputs(const struct run_env *env, const struct run_facts *facts,
                           const size_t *places, struct report_summary *summary)
{
	if (!facts->inputs->repo)
		return;
	struct run_manifests manifests = run_manifests_in(env, facts);
	run_explain_removed(env, facts, &manifests, summary);
	run_compare_inputs(env, facts, &manifests, places, summary);
}

void run_summarize(const struct run_env *env, const struct run_facts *facts,
                   struct report_summary *summary)
{
	const struct fleet *fleet = &facts->inputs->fleet;

	for (size_t i = 0; i < fleet->cluster_count; i++) {
		if (!run_is_reported(facts, fleet->clusters[i].name))
			continue;
		summary->cluster_count++;
		summary->profile_count += fleet->clusters[i].definitions.count;
	}
	if (!facts->plan)
		return;
	summary->unit_kind = plan_unit_kind(facts->plan);
	if (!facts->rendered || !facts->changes)
		return;
	size_t *places = ARENA_ARRAY(env->arena, size_t, facts->plan->unit_count);
	add_unit_rows(env->arena, facts, places, summary);
	if (facts->previous)
		add_removed_units(env->arena, facts, summary);
	summary->is_first = facts->previous && set_count(&facts->previous->paths) == 0;
	if (facts->previous && !summary->is_first)
		look_at_inputs(env, facts, places, summary);
	if (facts->previous && !summary->is_first)
		add_deliveries(env->arena, facts, summary);
	add_file_rows(env->arena, facts, summary);
	summary->without_seed = facts->without_seed;
	for (size_t i = 0; i < facts->plan->unit_count; i++)
		if (run_is_reported(facts, facts->plan->units[i].cluster->fleet->name))
			summary->not_compared_count += facts->rendered->units[i].not_compared;
	summary->unchanged_file_count -= summary->not_compared_count < summary->unchanged_file_count
	                                     ? summary->not_compared_count
	                                     : summary->unchanged_file_count;
	VEC_EACH (change, facts->recipient_changes) {
		if (!run_is_reported(facts, change->cluster))
			continue;
		VEC_PUSH(env->arena, &summary->recipients,
		         (struct report_recipients){
		             .cluster = change->cluster,
		             .added = change->added.items,
		             .added_count = change->added.count,
		             .removed = change->removed.items,
		             .removed_count = change->removed.count,
		         });
	}
	if (facts->rendered->review)
		review_finish(env->arena, facts->rendered->review, places, summary);
}
