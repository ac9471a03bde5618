/*
 * Profiles and MachineDeployments: which profiles a cluster sees, and which of them each
 * MachineDeployment asks for.
 */
#include "fleet/internal.h"

/* A profile in one layer. An empty namespace stands for the controller's, whatever that is. */
struct layer_entry {
	sv namespace;
	sv name;
	struct fleet_profile *profile;
};

VEC_TYPE(layer, struct layer_entry);

VEC_TYPE(machine_list, struct fleet_machine_deployment);

/* What one cluster sees, while its lists are made. */
struct view {
	VEC(struct layer_entry) profiles; /* namespaces filled in; nearest first, each name once */
	struct map by_name;               /* "NAMESPACE/NAME" to number + 1 in profiles */
	size_t *uses;                     /* one a profile */
	struct machine_list machines;
};

struct worker {
	struct arena *arena;
	struct sink *sink;
	struct fleet_file *const *files;
	size_t file_count;
	const struct fleet_scopes *scopes;
	struct fleet_cluster *clusters;
	size_t cluster_count;
	struct layer shared;
	struct layer embedded;
	struct layer *own; /* one a cluster */
	struct view *views;
	VEC(const struct fleet_file *) broken; /* files that may have held a profile */
};

/* ---- profiles: layers -------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b, void *context)
{
	const struct layer_entry *left = a;
	const struct layer_entry *right = b;
	int order = sv_cmp(left->namespace, right->namespace);

	(void)context;
	return order ? order : sv_cmp(left->name, right->name);
}

static sv effective_namespace(const struct layer_entry *entry, sv controller)
{
	return sv_empty(entry->namespace) ? controller : entry->namespace;
}

/* Two profiles of one name in a layer: which one counts would be chance. */
static void check_layer(struct worker *w, const struct layer *layer, sv controller)
{
	struct map seen = map_in(w->arena);

	VEC_EACH (entry, layer) {
		sv namespace = effective_namespace(entry, controller);
		sv key = ARENA_CONCAT(w->arena, namespace, SV("/"), entry->name);
		const struct fleet_profile *other = map_get(&seen, key);

		if (!other) {
			map_put(&seen, key, entry->profile);
			continue;
		}
		struct diag *diag = diag_report(
		    w->sink, DIAG_FLEET_TWICE, kube_object_position(entry->profile->object),
		    "two OperatingSystemProfiles of one scope are named \"%.*s\"",
		    SV_ARG(entry->name));
		diag_add_note(w->sink, diag, kube_object_position(other->object), "the other one");
		diag_set_help(
		    w->sink, diag,
		    "rename or remove one of them, or name its file in " FLEET_IGNORE_FILE);
	}
}

static void load_profile(struct worker *w, struct fleet_profile *profile)
{
	struct osm_profile *loaded;
	sv before = w->sink->object;

	w->sink->object = kube_object_describe(w->arena, profile->object);
	if (osm_profile_load(w->arena, w->sink, profile->object, &loaded) == STATUS_OK)
		profile->profile = loaded;
	w->sink->object = before;
}

static void add_to_layer(struct worker *w, struct layer *layer, const struct kube_object *object,
                         enum fleet_layer which)
{
	struct fleet_profile *profile = ARENA_NEW(w->arena, struct fleet_profile);
	/* KKP copies its Custom ones to where the controller looks. */
	bool custom = sv_eq(object->id.kind, SV("CustomOperatingSystemProfile"));

	*profile = (struct fleet_profile){.object = object, .layer = which};
	VEC_PUSH(
	    w->arena, layer,
	    (struct layer_entry){custom ? SV("") : object->id.namespace, object->id.name, profile});
}

static void collect_profiles(struct worker *w)
{
	for (size_t i = 0; i < w->file_count; i++) {
		const struct fleet_file *file = w->files[i];

		if (file->source && file->sink.error_count > 0 &&
		    sv_contains(file->source->text, SV("OperatingSystemProfile")))
			VEC_PUSH(w->arena, &w->broken, file);
		if (file->profiles.count == 0)
			continue;
		size_t cluster = fleet_scope_of(w->scopes, file);
		VEC_EACH (found, &file->profiles) {
			if (cluster == FLEET_NO_CLUSTER)
				add_to_layer(w, &w->shared, &found->object, FLEET_LAYER_SHARED);
			else
				add_to_layer(w, &w->own[cluster], &found->object,
				             FLEET_LAYER_CLUSTER);
		}
	}
}

static void load_layers(struct worker *w, const struct osm_settings *base)
{
	check_layer(w, &w->shared, base->namespace);
	VEC_EACH (entry, &w->shared)
		load_profile(w, entry->profile);
	for (size_t i = 0; i < w->cluster_count; i++) {
		w->sink->cluster = w->clusters[i].name;
		check_layer(w, &w->own[i], w->clusters[i].settings.namespace);
		VEC_EACH (entry, &w->own[i])
			load_profile(w, entry->profile);
		w->sink->cluster = SV("");
	}
}

static void load_embedded(struct worker *w)
{
	struct osm_profiles profiles = {0};
	bool wanted = false;

	for (size_t i = 0; i < w->cluster_count; i++)
		wanted |= !w->clusters[i].settings.disable_default_osps;
	if (!wanted || osm_profile_embedded(w->arena, w->sink, &profiles) != STATUS_OK)
		return;
	VEC_EACH (embedded, &profiles) {
		struct fleet_profile *profile = ARENA_NEW(w->arena, struct fleet_profile);

		*profile =
		    (struct fleet_profile){(*embedded)->object, *embedded, FLEET_LAYER_EMBEDDED};
		VEC_PUSH(w->arena, &w->embedded,
		         (struct layer_entry){SV(""), (*embedded)->name, profile});
	}
}

/* ---- profiles: what a cluster sees ------------------------------------------------------- */

static sv name_key(struct arena *arena, sv namespace, sv name)
{
	return ARENA_CONCAT(arena, namespace, SV("/"), name);
}

static void see_layer(struct worker *w, size_t cluster, const struct layer *layer)
{
	struct view *view = &w->views[cluster];

	VEC_EACH (entry, layer) {
		sv controller = w->clusters[cluster].settings.namespace;
		struct layer_entry seen = *entry;

		seen.namespace = effective_namespace(entry, controller);
		sv key = name_key(w->arena, seen.namespace, seen.name);
		if (map_get(&view->by_name, key))
			continue;
		VEC_PUSH(w->arena, &view->profiles, seen);
		map_put(&view->by_name, key, (void *)(uintptr_t)view->profiles.count);
	}
}

static void make_views(struct worker *w)
{
	for (size_t i = 0; i < w->cluster_count; i++) {
		struct view *view = &w->views[i];

		view->by_name = map_in(w->arena);
		see_layer(w, i, &w->own[i]);
		see_layer(w, i, &w->shared);
		if (!w->clusters[i].settings.disable_default_osps)
			see_layer(w, i, &w->embedded);
		view->uses = ARENA_ARRAY(w->arena, size_t, view->profiles.count);
	}
}

/* The view's profiles into the cluster, sorted. */
static void finish_profiles(struct worker *w, size_t cluster)
{
	const struct view *view = &w->views[cluster];
	size_t count = view->profiles.count;
	struct fleet_profile_use *uses = ARENA_ARRAY(w->arena, struct fleet_profile_use, count);
	struct layer_entry *sorted = ARENA_ARRAY(w->arena, struct layer_entry, count);

	for (size_t i = 0; i < count; i++)
		sorted[i] = view->profiles.items[i];
	sort_stable(sorted, count, sizeof(*sorted), compare_entries, NULL);
	for (size_t i = 0; i < count; i++) {
		sv key = name_key(w->arena, sorted[i].namespace, sorted[i].name);
		size_t number = (size_t)(uintptr_t)map_get(&view->by_name, key) - 1;

		uses[i] = (struct fleet_profile_use){sorted[i].profile, view->uses[number]};
	}
	w->clusters[cluster].profiles = uses;
	w->clusters[cluster].profile_count = count;
}

/* ---- MachineDeployments ------------------------------------------------------------------ */

static void report_outside(struct worker *w, const struct kube_object *object)
{
	struct diag *diag = diag_report(w->sink, DIAG_FLEET_OUTSIDE, kube_object_position(object),
	                                "%.*s stands outside of every cluster's folder",
	                                SV_ARG(kube_object_describe(w->arena, object)));
	const struct fleet_cluster_drafts *clusters = &w->scopes->draft->clusters;

	diag_add_note(w->sink, diag, clusters->items[0].at,
	              "clusters have folders since there is this one, for example");
	diag_set_help(w->sink, diag,
	              "move the file into a folder with a Cluster in its " FLEET_SETTINGS_FILE
	              ", or name it in " FLEET_IGNORE_FILE);
}

static void collect_machines(struct worker *w)
{
	for (size_t i = 0; i < w->file_count; i++) {
		const struct fleet_file *file = w->files[i];
		size_t cluster;

		if (file->machine_deployments.count == 0)
			continue;
		cluster = fleet_scope_of(w->scopes, file);
		VEC_EACH (found, &file->machine_deployments) {
			if (cluster == FLEET_NO_CLUSTER)
				report_outside(w, &found->object);
			else
				VEC_PUSH(w->arena, &w->views[cluster].machines,
				         (struct fleet_machine_deployment){&found->object, NULL});
		}
	}
}

static int compare_machines(const void *a, const void *b, void *context)
{
	const struct fleet_machine_deployment *left = a;
	const struct fleet_machine_deployment *right = b;

	(void)context;
	return kube_id_compare(&left->object->id, &right->object->id);
}

static void check_machines(struct worker *w, const struct machine_list *machines)
{
	for (size_t i = 1; i < machines->count; i++) {
		const struct kube_object *before = machines->items[i - 1].object;
		const struct kube_object *object = machines->items[i].object;

		if (kube_id_compare(&before->id, &object->id) != 0)
			continue;
		struct diag *diag =
		    diag_report(w->sink, DIAG_FLEET_TWICE, kube_object_position(object),
		                "%.*s is given twice in one cluster",
		                SV_ARG(kube_object_describe(w->arena, object)));
		diag_add_note(w->sink, diag, kube_object_position(before), "the other one");
		diag_set_help(w->sink, diag, "rename or remove one of them");
	}
}

/* True when a file that could not be read names the profile: its mistake is told already. */
static bool may_be_broken(const struct worker *w, sv name)
{
	VEC_EACH (file, &w->broken) {
		if (sv_contains((*file)->source->text, name))
			return true;
	}
	return false;
}

static void report_missing(struct worker *w, size_t cluster, const struct osm_profile_wish *wish,
                           sv namespace)
{
	const struct view *view = &w->views[cluster];
	VEC(sv) names = {0};

	if (may_be_broken(w, wish->name))
		return;
	VEC_EACH (entry, &view->profiles) {
		if (sv_eq(entry->namespace, namespace)) {
			VEC_PUSH(w->arena, &names, entry->name);
			continue;
		}
		if (!sv_eq(entry->name, wish->name))
			continue;
		struct diag *diag =
		    diag_report(w->sink, DIAG_FLEET_PROFILE_NAMESPACE, wish->at,
		                "OperatingSystemProfile \"%.*s\" is not in namespace \"%.*s\"",
		                SV_ARG(wish->name), SV_ARG(namespace));
		diag_add_note(w->sink, diag, kube_object_position(entry->profile->object),
		              "it is in namespace \"%.*s\"", SV_ARG(entry->namespace));
		diag_set_help(
		    w->sink, diag,
		    "annotate the MachineDeployment with "
		    "k8c.io/operating-system-profile-namespace: %.*s, or move the profile",
		    SV_ARG(entry->namespace));
		return;
	}
	osm_profile_report_unknown(w->sink, wish, names.items, names.count);
}

/*
 * What the controller's webhook does to a MachineDeployment that names no profile: the annotation
 * is added, and counts in the annotations' hash (docs/spec/controller.md 7.3).
 */
static void annotate(struct worker *w, const struct kube_object *object, sv profile)
{
	struct value *metadata = value_map_get(object->root, SV("metadata"));
	struct value *annotations = value_map_get(metadata, SV("annotations"));

	if (!value_is_map(annotations)) {
		value_map_set(w->arena, metadata, SV("annotations"), value_map_new(w->arena));
		annotations = value_map_get(metadata, SV("annotations"));
	}
	value_map_set(w->arena, annotations, SV("k8c.io/operating-system-profile"),
	              value_string(profile));
}

static void choose_profile(struct worker *w, size_t cluster,
                           struct fleet_machine_deployment *machine)
{
	struct view *view = &w->views[cluster];
	struct osm_profile_wish wish;

	if (osm_profile_wanted(w->arena, w->sink, machine->object, &wish) != STATUS_OK)
		return;
	sv namespace =
	    sv_empty(wish.namespace) ? w->clusters[cluster].settings.namespace : wish.namespace;
	uintptr_t number =
	    (uintptr_t)map_get(&view->by_name, name_key(w->arena, namespace, wish.name));
	if (number == 0) {
		report_missing(w, cluster, &wish, namespace);
		return;
	}
	machine->profile = view->profiles.items[number - 1].profile;
	view->uses[number - 1]++;
	if (wish.defaulted)
		annotate(w, machine->object, wish.name);
}

/* An object that is being deleted is not reconciled any more. */
static bool is_being_deleted(struct worker *w, const struct kube_object *object)
{
	const struct value *timestamp = value_path(object->root, "metadata.deletionTimestamp");

	if (value_is_null(timestamp))
		return false;
	struct diag *diag = diag_report(w->sink, DIAG_FLEET_DELETED, value_position(timestamp),
	                                "%.*s is being deleted: nothing is made for it",
	                                SV_ARG(kube_object_describe(w->arena, object)));
	diag_set_help(w->sink, diag,
	              "remove deletionTimestamp when it is a leftover of `kubectl get -o yaml`");
	return true;
}

static void finish_machines(struct worker *w, size_t cluster)
{
	struct fleet_cluster *into = &w->clusters[cluster];
	struct machine_list *machines = &w->views[cluster].machines;
	size_t kept = 0;

	w->sink->cluster = into->name;
	sort_stable(machines->items, machines->count, sizeof(*machines->items), compare_machines,
	            NULL);
	check_machines(w, machines);
	VEC_EACH (machine, machines) {
		if (is_being_deleted(w, machine->object))
			continue;
		w->sink->object = kube_object_describe(w->arena, machine->object);
		choose_profile(w, cluster, machine);
		w->sink->object = SV("");
		machines->items[kept++] = *machine;
	}
	w->sink->cluster = SV("");
	into->machine_deployments = machines->items;
	into->machine_deployment_count = kept;
}

void fleet_fill_work(struct arena *arena, struct sink *sink, struct fleet_file *const *files,
                     size_t file_count, const struct fleet_scopes *scopes,
                     const struct osm_settings *base, struct fleet_cluster *clusters,
                     size_t cluster_count)
{
	struct worker w = {
	    .arena = arena,
	    .sink = sink,
	    .files = files,
	    .file_count = file_count,
	    .scopes = scopes,
	    .clusters = clusters,
	    .cluster_count = cluster_count,
	    .own = ARENA_ARRAY(arena, struct layer, cluster_count),
	    .views = ARENA_ARRAY(arena, struct view, cluster_count),
	};

	collect_profiles(&w);
	load_layers(&w, base);
	load_embedded(&w);
	make_views(&w);
	collect_machines(&w);
	for (size_t i = 0; i < cluster_count; i++) {
		finish_machines(&w, i);
		finish_profiles(&w, i);
	}
}
