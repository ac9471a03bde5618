/*
 * Assigns units to clusters, and finds the definitions that they refer to.
 */
#include "fleet/internal.h"

struct fleet_work {
	struct arena *arena;
	const struct fleet_files *files;
	const struct fleet_scopes *scopes;
	struct fleet *fleet;
	struct kube_object_list outside;       /* units outside of all clusters */
	VEC(const struct fleet_file *) broken; /* unreadable files that may have a definition */
	struct set used;      /* definitions of the cluster that is being finished */
	struct arena *opened; /* the values of one unit */
	struct quota *steps;  /* may be null */
};

/* ---- sorting them into clusters ---------------------------------------------------------- */

static int compare_objects(const void *a, const void *b, void *context)
{
	const struct kube_object *const *left = a;
	const struct kube_object *const *right = b;

	(void)context;
	return kube_id_compare(&(*left)->id, &(*right)->id);
}

/* Returns the dialect's place in fleet->dialects and in those of each cluster. */
static size_t dialect_place(const struct fleet *fleet, const struct dialect *dialect)
{
	for (size_t i = 0; i < fleet->dialect_count; i++)
		if (fleet->dialects[i].dialect == dialect)
			return i;
	BUG("a dialect that is not in the registry");
}

static void collect_file(struct fleet_work *w, const struct fleet_file *file)
{
	size_t cluster = fleet_scope_of(w->scopes, file);
	struct dialect_cluster *into =
	    cluster == FLEET_NO_CLUSTER ? NULL : w->fleet->clusters[cluster].dialects;

	VEC_EACH (found, &file->definitions) {
		size_t place = dialect_place(w->fleet, found->dialect);

		VEC_PUSH(w->arena,
		         into ? &into[place].definitions : &w->fleet->dialects[place].definitions,
		         &found->object);
	}
	VEC_EACH (found, &file->units)
		VEC_PUSH(w->arena,
		         into ? &into[dialect_place(w->fleet, found->dialect)].units : &w->outside,
		         &found->object);
}

static void add_derived(struct arena *arena, struct dialect_cluster *cluster)
{
	struct kube_object_list derived = {0};

	if (!cluster->dialect->derive || cluster->units.count == 0)
		return;
	cluster->dialect->derive(arena, cluster, &derived);
	VEC_EACH (object, &derived)
		VEC_PUSH(arena, &cluster->units, *object);
}

struct fleet_work *fleet_collect_work(struct arena *arena, const struct fleet_files *files,
                                      const struct fleet_scopes *scopes, struct quota *steps,
                                      struct fleet *fleet)
{
	struct fleet_work *w = ARENA_NEW(arena, struct fleet_work);

	*w = (struct fleet_work){
	    .arena = arena,
	    .files = files,
	    .scopes = scopes,
	    .steps = steps,
	    .fleet = fleet,
	};
	for (size_t i = 0; i < files->count; i++) {
		const struct fleet_file *file = files->items[i];

		if (file->source && file->sink.error_count > 0 &&
		    (file->has_no_object ||
		     fleet_words_name(file->source->text, DIALECT_DEFINITION)))
			VEC_PUSH(arena, &w->broken, file);
		if (file->definitions.count + file->units.count > 0)
			collect_file(w, file);
	}
	for (size_t i = 0; i < fleet->cluster_count; i++) {
		for (size_t j = 0; j < fleet->dialect_count; j++) {
			struct kube_object_list *units = &fleet->clusters[i].dialects[j].units;

			add_derived(arena, &fleet->clusters[i].dialects[j]);
			sort_stable(units->items, units->count, sizeof(*units->items),
			            compare_objects, NULL);
		}
	}
	return w;
}

/* ---- their mistakes ---------------------------------------------------------------------- */

static void report_outside(struct sink *sink, struct fleet_work *w,
                           const struct kube_object *object)
{
	struct diag *diag = diag_report(sink, DIAG_FLEET_OUTSIDE, kube_object_position(object),
	                                "%.*s is outside of every cluster's folder",
	                                SV_ARG(kube_object_describe(w->arena, object)));
	const struct fleet_cluster_drafts *clusters = &w->scopes->draft->clusters;

	diag_add_note(sink, diag, clusters->items[0].at,
	              "clusters have folders since there is this one, for example");
	diag_set_help(sink, diag,
	              "move the file into a folder with a Cluster in its " FLEET_SETTINGS_FILE
	              "; if it is a base of kustomize, name the folder of the overlay in the "
	              "Cluster's spec (kustomize: DIR); or name it in " FLEET_IGNORE_FILE);
}

static void check_twice(struct sink *sink, struct fleet_work *w,
                        const struct kube_object_list *units)
{
	for (size_t i = 1; i < units->count; i++) {
		const struct kube_object *before = units->items[i - 1];
		const struct kube_object *object = units->items[i];

		if (kube_id_compare(&before->id, &object->id) != 0)
			continue;
		struct diag *diag =
		    diag_report(sink, DIAG_FLEET_TWICE, kube_object_position(object),
		                "%.*s is given twice in one cluster",
		                SV_ARG(kube_object_describe(w->arena, object)));
		diag_add_note(sink, diag, kube_object_position(before), "the other one");
		diag_set_help(sink, diag,
		              "rename or remove one of them; when one is a patch for kustomize, "
		              "commit what `kustomize build` prints in place of both");
	}
}

/* Reports an object that is being deleted, since the controller does not reconcile it any more. */
static bool is_being_deleted(struct sink *sink, struct fleet_work *w,
                             const struct kube_object *object)
{
	const struct value *timestamp = value_path(object->root, "metadata.deletionTimestamp");

	if (value_is_null(timestamp))
		return false;
	struct diag *diag = diag_report(sink, DIAG_FLEET_DELETED, value_position(timestamp),
	                                "%.*s is being deleted: it is not rendered",
	                                SV_ARG(kube_object_describe(w->arena, object)));
	diag_set_help(sink, diag,
	              "remove deletionTimestamp when it is a leftover of `kubectl get -o yaml`");
	return true;
}

/* Files that a search compares in the time of one step of a template. */
enum { BYTES_PER_STEP = 256 };

/*
 * Returns true if an unreadable file names the definition, whose mistake is reported there.
 * Ciphertext may have any.
 */
static bool may_be_unreadable(const void *context, sv name)
{
	const struct fleet_work *w = context;

	VEC_EACH (file, &w->broken) {
		if ((*file)->has_no_object)
			return true;
		if (quota_take(w->steps, 1 + (*file)->source->text.len / BYTES_PER_STEP) &&
		    sv_contains((*file)->source->text, name))
			return true;
	}
	return false;
}

/* ---- units and their definitions --------------------------------------------------------- */

static void use_definition(struct fleet_work *w, struct fleet_cluster *cluster,
                           const struct dialect_unit *unit)
{
	/* A wrong one is not written to the output. */
	if (!unit->definition || !unit->resolved)
		return;
	sv key = sv_from((const char *)&unit->definition, sizeof(unit->definition));

	if (set_has(&w->used, key))
		return;
	set_add(&w->used, arena_dup(w->arena, key));
	VEC_PUSH(w->arena, &cluster->definitions,
	         (struct fleet_definition){unit->dialect, unit->definition});
}

/* Finishes the units of one dialect. `state` is the result of its `begin`, or null. */
static void finish_units(struct sink *sink, struct fleet_work *w, size_t cluster, size_t number,
                         void *state)
{
	struct fleet_cluster *into = &w->fleet->clusters[cluster];
	const struct dialect *dialect = into->dialects[number].dialect;
	struct kube_object_list *units = &into->dialects[number].units;
	size_t kept = 0;

	check_twice(sink, w, units);
	VEC_EACH (object, units) {
		struct dialect_unit unit = {
		    .dialect = dialect, .object = *object, .resolved = *object};

		if ((*object)->made_of && dialect->lacks &&
		    dialect->lacks(&into->dialects[number], *object))
			continue;
		(void)kube_object_open(w->opened, *object);
		bool is_deleted = is_being_deleted(sink, w, *object);
		if (!is_deleted && dialect->resolve) {
			DIAG_SCOPE(sink, kube_object_describe(w->opened, *object), sink->cluster);
			unit.resolved = NULL;
			dialect->resolve(w->arena, sink, state, cluster, &unit);
		}
		kube_object_close(*object);
		arena_reset(w->opened);
		if (is_deleted)
			continue;
		units->items[kept++] = *object;
		into->units[into->unit_count++] = unit;
		use_definition(w, into, &unit);
	}
	units->count = kept;
}

static int compare_definitions(const void *a, const void *b, void *context)
{
	const struct fleet_definition *left = a;
	const struct fleet_definition *right = b;

	(void)context;
	return sv_cmp(left->definition->name, right->definition->name);
}

static int compare_units(const void *a, const void *b, void *context)
{
	const struct dialect_unit *left = a;
	const struct dialect_unit *right = b;

	(void)context;
	return kube_id_compare(&left->object->id, &right->object->id);
}

static void finish_cluster(struct sink *sink, struct fleet_work *w, size_t number,
                           void *const *states)
{
	struct fleet_cluster *cluster = &w->fleet->clusters[number];
	size_t count = cluster->dialect_count;
	size_t unit_count = 0;

	for (size_t i = 0; i < count; i++)
		unit_count += cluster->dialects[i].units.count;
	cluster->units = ARENA_ARRAY(w->arena, struct dialect_unit, unit_count);
	DIAG_SCOPE(sink, sink->object, cluster->name);
	w->used = set_in(w->arena);
	for (size_t i = 0; i < count; i++)
		finish_units(sink, w, number, i, states[i]);
	sort_stable(cluster->units, cluster->unit_count, sizeof(*cluster->units), compare_units,
	            NULL);
	sort_stable(cluster->definitions.items, cluster->definitions.count,
	            sizeof(*cluster->definitions.items), compare_definitions, NULL);
}

void fleet_finish_work(struct sink *sink, struct fleet_work *w)
{
	struct fleet *fleet = w->fleet;
	size_t count = fleet->dialect_count;
	void **states = ARENA_ARRAY(w->arena, void *, count);
	ARENA_AUTO opened = arena_new(ARENA_SECRET);

	w->opened = opened;

	for (size_t i = 0; i < count; i++) {
		const struct fleet_dialect *of = &fleet->dialects[i];
		struct dialect_cluster *views =
		    ARENA_ARRAY(w->arena, struct dialect_cluster, fleet->cluster_count);
		struct dialect_input *input = ARENA_NEW(w->arena, struct dialect_input);

		for (size_t j = 0; j < fleet->cluster_count; j++)
			views[j] = fleet->clusters[j].dialects[i];
		*input = (struct dialect_input){
		    .clusters = views,
		    .cluster_count = fleet->cluster_count,
		    .shared = of->definitions,
		    .shared_settings = of->settings,
		    .contract = fleet->contract,
		    .steps = w->steps,
		    .may_be_unreadable = may_be_unreadable,
		    .context = w,
		};
		if (of->dialect->begin)
			states[i] = of->dialect->begin(w->arena, sink, input);
	}
	VEC_EACH (object, &w->outside)
		report_outside(sink, w, *object);
	for (size_t i = 0; i < fleet->cluster_count; i++)
		finish_cluster(sink, w, i, states);
}
