/*
 * Decides for each folder of the output what its Flux Kustomization, or its part of an Argo CD
 * ApplicationSet, must have: the path, what it depends on, if it is decrypted and pruned.
 */
#include "run/clusters/clusters.h"
#include "run/clusters/completion.h"
#include "yaml/yaml.h"

/* ---- settings that delivery needs --------------------------------------------------------- */

static sv applier_name(enum fleet_applier applier)
{
	switch (applier) {
	case FLEET_APPLIER_NONE:
		break;
	case FLEET_APPLIER_FLUX:
		return SV("flux");
	case FLEET_APPLIER_ARGOCD:
		return SV("argocd");
	}
	return SV("");
}

/* Returns the cluster that has the objects of Flux or Argo CD. */
static sv management_of(const struct fleet_cluster *cluster)
{
	return run_is_self_managed(cluster) ? cluster->name : cluster->management_cluster;
}

void run_find_delivery(const struct fleet_cluster *cluster, sv *ret_applier, sv *ret_management)
{
	*ret_applier = applier_name(cluster->delivery.applier);
	*ret_management = sv_empty(*ret_applier) ? SV("") : management_of(cluster);
}

static void check_delivered_cluster(const struct run_env *env, const struct fleet_cluster *cluster)
{
	sv folder = applier_name(cluster->delivery.applier);
	struct diag *diag;

	if (sv_eq(cluster->name, folder)) {
		diag = diag_report(env->sink, DIAG_DELIVERY_CLUSTER, cluster->at,
		                   "a cluster cannot be named \"%.*s\" beside delivery: the "
		                   "applier's objects are in the folder of that name",
		                   SV_ARG(cluster->name));
		diag_set_help(env->sink, diag, "give the cluster another name");
	}
	if (!sv_empty(cluster->management_cluster))
		return;
	diag = diag_report(env->sink, DIAG_DELIVERY_MANAGEMENT,
	                   cluster->at.source ? cluster->at : cluster->delivery.at,
	                   "cluster %.*s has no managementCluster, which delivery needs",
	                   SV_ARG(cluster->name));
	diag_set_help(env->sink, diag,
	              "set managementCluster: self when the cluster runs its own "
	              "machine-controller and applier, else name the cluster that does");
}

/* An ApplicationSet needs the address of its source, and Argo CD cannot open sealed patches. */
static void check_argocd(const struct run_env *env, const struct fleet_cluster *cluster,
                         bool has_patches)
{
	struct diag *diag;

	if (cluster->delivery.applier != FLEET_APPLIER_ARGOCD)
		return;
	if (sv_empty(cluster->delivery.source_url)) {
		diag = diag_report(env->sink, DIAG_DELIVERY_LACKS, cluster->delivery.at,
		                   "delivery by Argo CD has no source.url");
		diag_set_help(env->sink, diag,
		              "write the repository's address: source: {url: https://...}");
	}
	if (has_patches) {
		diag = diag_report(env->sink, DIAG_DELIVERY_LACKS, cluster->at,
		                   "cluster %.*s has osc: patch, which Argo CD cannot open",
		                   SV_ARG(cluster->name));
		diag_set_help(env->sink, diag, "set osc to redacted or sealed");
	}
}

/* ---- namespaces --------------------------------------------------------------------------- */

/* Returns true for namespaces that every cluster has. */
static bool is_always_there(sv namespace)
{
	return sv_empty(namespace) || sv_eq(namespace, SV("default")) ||
	       sv_starts_with(namespace, SV("kube-"));
}

bool run_makes_namespace(const struct fleet_cluster *cluster, sv namespace)
{
	return cluster->delivery.applier != FLEET_APPLIER_NONE &&
	       sv_eq(cluster->delivery.management_namespace, SV("create")) &&
	       !is_always_there(namespace);
}

static void add_namespace(struct arena *arena, struct set *namespaces, sv namespace)
{
	if (!is_always_there(namespace) && !set_has(namespaces, namespace))
		set_add(namespaces, arena_dup(arena, namespace));
}

static void add_definitions_namespaces(struct arena *arena, struct set *namespaces,
                                       const struct fleet_cluster *cluster)
{
	VEC_EACH (used, &cluster->definitions) {
		if (!used->dialect->definition_artifact)
			continue;
		struct artifact artifact = used->dialect->definition_artifact(
		    arena, fleet_view(cluster, used->dialect), used->definition);

		add_namespace(arena, namespaces, artifact.id.namespace);
	}
}

static void check_namespaces(const struct run_env *env, const struct fleet_cluster *cluster,
                             const struct set *namespaces)
{
	if (!sv_empty(cluster->delivery.management_namespace) || set_count(namespaces) == 0)
		return;
	struct diag *diag = diag_report(
	    env->sink, DIAG_DELIVERY_NAMESPACE,
	    cluster->at.source ? cluster->at : cluster->delivery.at,
	    "the management side of cluster %.*s needs namespace %.*s%s", SV_ARG(cluster->name),
	    SV_ARG(set_item(namespaces, 0)), set_count(namespaces) > 1 ? ", and more" : "");
	diag_set_help(env->sink, diag,
	              "write managementNamespace into delivery: exists if something else creates "
	              "the namespace, create to have it in the output");
}

enum status run_check_delivery(const struct run_env *env, const struct plan *plan,
                               const struct run_rendered *rendered)
{
	size_t errors = env->sink->error_count;

	for (size_t i = 0; i < plan->cluster_count; i++) {
		const struct plan_cluster *cluster = &plan->clusters[i];
		struct set namespaces = set_in(env->arena);
		bool has_patches = false;

		for (size_t j = 0; j < cluster->unit_count; j++) {
			const struct tree_files *files =
			    &rendered->units[cluster->first_unit + j].files;

			VEC_EACH (file, files) {
				has_patches |= file->patch_of != NULL;
				if (file->side == ARTIFACT_MANAGEMENT)
					add_namespace(env->arena, &namespaces,
					              file->object.namespace);
			}
		}
		if (cluster->fleet->delivery.applier == FLEET_APPLIER_NONE ||
		    cluster->fleet->unit_count == 0 || sv_empty(cluster->fleet->name))
			continue;
		add_definitions_namespaces(env->arena, &namespaces, cluster->fleet);
		check_delivered_cluster(env, cluster->fleet);
		check_argocd(env, cluster->fleet, has_patches);
		check_namespaces(env, cluster->fleet, &namespaces);
	}
	return env->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}

/* No applier may remove a Namespace, since that removes everything in it. */
static struct value namespace_object(struct arena *arena, sv name)
{
	struct value annotations = value_map_new(arena);

	value_map_set(arena, &annotations, SV("kustomize.toolkit.fluxcd.io/prune"),
	              value_string(SV("disabled")));
	value_map_set(arena, &annotations, SV("kustomize.toolkit.fluxcd.io/substitute"),
	              value_string(SV("disabled")));
	return kube_namespace_new(arena, name, &annotations);
}

enum status run_add_namespaces(struct run_completion *c)
{
	const struct fleet_cluster *fleet = c->cluster->fleet;
	struct arena *arena = c->env->arena;
	struct set namespaces;

	if (fleet->delivery.applier == FLEET_APPLIER_NONE ||
	    !sv_eq(fleet->delivery.management_namespace, SV("create")))
		return STATUS_OK;
	namespaces = set_in(arena);
	VEC_EACH (file, c->files)
		if ((*file)->side == ARTIFACT_MANAGEMENT)
			add_namespace(arena, &namespaces, (*file)->object.namespace);
	for (size_t i = 0; i < set_count(&namespaces); i++) {
		struct value object = namespace_object(arena, set_item(&namespaces, i));
		const struct artifact artifact = {
		    .side = ARTIFACT_MANAGEMENT,
		    .role = ARTIFACT_SUPPORT,
		    .sealing = ARTIFACT_CLEAR,
		    .id = kube_id_of(&object),
		    .object = object,
		};

		if (run_add_artifact(c, &artifact, SV(FLEET_SETTINGS_FILE), NULL) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

/* ---- the objects -------------------------------------------------------------------------- */

/* Returns the folder's name as a part of object names: "management", "worker", "worker-3f". */
static sv part_of(const struct run_completion *c, const struct run_folder *folder)
{
	sv path = sv_from_offset(folder->path, c->cluster->fleet->folder.len + 1);
	char *name = arena_cstr(c->env->arena, path);

	for (size_t i = 0; i < path.len; i++)
		if (name[i] == '/')
			name[i] = '-';
	return sv_from(name, path.len);
}

/*
 * Returns true for the shared part of a split side. It has what the parts of units need: namespaces
 * and profiles.
 */
static bool is_shared(const struct run_folder *folder)
{
	return !folder->is_last && sv_ends_with(folder->path, SV("/" TREE_PART_SHARED));
}

/*
 * Returns true for a part that is removed with its last unit, and its objects with it. Folders of
 * MachineDeployments are not: no applier may delete these.
 */
static bool is_part(const struct run_completion *c, const struct run_folder *folder)
{
	return c->cluster->cut > 0 && !folder->is_last && !is_shared(folder);
}

/* Returns the path from the root of the source. */
static sv source_path(const struct run_completion *c, sv folder)
{
	const struct value *path = c->cluster->fleet->delivery.path;
	sv root = sv_trim(path ? path->string : c->out, "/");

	if (sv_starts_with(root, SV("./")))
		root = sv_from_offset(root, 2);
	if (sv_empty(root) || sv_eq(root, SV(".")))
		return ARENA_CONCAT(c->env->arena, SV("./"), folder);
	return ARENA_CONCAT(c->env->arena, SV("./"), root, SV("/"), folder);
}

/*
 * Returns true if `other` must be applied first: it is the shared part of the same side, the
 * management part of the same units, or has the Secrets of the folder's MachineDeployments.
 */
static bool comes_first(const struct run_completion *c, const struct run_folder *folder,
                        const struct run_folder *other)
{
	struct arena *scratch = c->env->scratch;
	sv clusters = c->cluster->fleet->folder;
	sv own = tree_side_path(scratch, clusters, folder->side);
	sv management = tree_side_path(scratch, clusters, ARTIFACT_MANAGEMENT);

	if (folder->is_last || other->is_last)
		return folder->is_last && sv_eq(other->path, run_folder_of(folder->path));
	if (other->side == folder->side)
		return !is_shared(folder) && is_shared(other);
	return folder->side == ARTIFACT_WORKER && other->side == ARTIFACT_MANAGEMENT &&
	       sv_eq(sv_from_offset(folder->path, own.len),
	             sv_from_offset(other->path, management.len));
}

/*
 * Returns the names that a folder depends on. The worker side follows the management side, so that
 * a machine's config in the cluster is never older than its Secrets, and a profile that the
 * controller's webhook refuses stops both.
 */
VEC_TYPE(names, sv);
static struct names dependencies(struct run_completion *c, const struct run_folder *folder)
{
	const struct fleet_delivery *delivery = &c->cluster->fleet->delivery;
	struct arena *arena = c->env->arena;
	struct names names = {0};

	VEC_EACH (other, &c->folders) {
		if (comes_first(c, folder, other))
			VEC_PUSH(
			    arena, &names,
			    tree_delivery_name(arena, c->cluster->fleet->name, part_of(c, other)));
	}
	for (size_t i = 0; names.count == 0 && i < delivery->depends_on_count; i++)
		VEC_PUSH(arena, &names, delivery->depends_on[i]);
	return names;
}

static struct value flux_object(struct run_completion *c, const struct run_folder *folder)
{
	const struct fleet_cluster *cluster = c->cluster->fleet;
	const struct names names = dependencies(c, folder);
	bool is_wrapped = cluster->sealing.format->takes_certificate;
	const struct tree_flux flux = {
	    .delivery = &cluster->delivery,
	    .name = tree_delivery_name(c->env->arena, cluster->name, part_of(c, folder)),
	    .path = source_path(c, folder->path),
	    .is_decrypted = folder->is_sealed && !is_wrapped,
	    .is_waited_for = folder->is_sealed && is_wrapped,
	    .is_remote = folder->side == ARTIFACT_WORKER && !run_is_self_managed(cluster),
	    .is_part = is_part(c, folder),
	    .depends_on = names.items,
	    .depends_on_count = names.count,
	};

	return tree_flux_object(c->env->arena, &flux);
}

static struct tree_argocd_folder argocd_folder(struct run_completion *c,
                                               const struct run_folder *folder)
{
	const struct fleet_cluster *cluster = c->cluster->fleet;
	bool is_worker = folder->side == ARTIFACT_WORKER;

	return (struct tree_argocd_folder){
	    .name = tree_delivery_name(c->env->arena, cluster->name, part_of(c, folder)),
	    .path = sv_from_offset(source_path(c, folder->path), SV("./").len),
	    .wave = folder->is_last ? 4 : (is_worker ? 2 : 0) + is_part(c, folder),
	    .is_remote = is_worker && !run_is_self_managed(cluster),
	    .is_part = is_part(c, folder),
	};
}

static struct value argocd_object(struct run_completion *c)
{
	const struct fleet_cluster *cluster = c->cluster->fleet;
	struct arena *arena = c->env->arena;
	struct tree_argocd_folder *folders =
	    ARENA_ARRAY(arena, struct tree_argocd_folder, c->folders.count);

	for (size_t i = 0; i < c->folders.count; i++)
		folders[i] = argocd_folder(c, &c->folders.items[i]);
	const struct tree_argocd argocd = {
	    .delivery = &cluster->delivery,
	    .name = tree_delivery_name(arena, cluster->name, SV("")),
	    .folders = folders,
	    .folder_count = c->folders.count,
	};
	return tree_argocd_object(arena, &argocd);
}

static enum status put_object(struct run_completion *c, sv path, const struct value *object)
{
	struct buf buf = buf_in(c->env->scratch);
	struct tree_file *file = ARENA_NEW(c->env->arena, struct tree_file);

	if (run_compare_delivery(c, object) != STATUS_OK)
		return STATUS_FAILED;
	if (c->without_seed)
		return STATUS_OK;
	BUF_ADD_LIT(&buf, TREE_HEADER " from " FLEET_SETTINGS_FILE "; do not edit.\n");
	yml_emit(&buf, object, (struct yml_format){0});
	*file = (struct tree_file){
	    .path = path,
	    .is_delivery = true,
	    .object = kube_id_of(object),
	    .role = ARTIFACT_SUPPORT,
	    .source = SV(FLEET_SETTINGS_FILE),
	};
	VEC_PUSH(c->env->arena, &c->delivery, file);
	return run_put_text(c, path, &buf, NULL);
}

/* Adds a file without an object: a kustomization. */
static void add_plain(struct run_completion *c, sv path)
{
	struct tree_file *file = ARENA_NEW(c->env->arena, struct tree_file);

	*file = (struct tree_file){.path = path, .is_delivery = true};
	VEC_PUSH(c->env->arena, &c->delivery, file);
}

/* Puts one object for each folder of the output (Flux), or one for all of them (Argo CD). */
static enum status put_objects(struct run_completion *c, sv folder, struct names *paths)
{
	struct arena *arena = c->env->arena;

	if (c->cluster->fleet->delivery.applier == FLEET_APPLIER_ARGOCD) {
		struct value object = argocd_object(c);
		sv path = ARENA_CONCAT(arena, folder, SV("/applicationset.yaml"));

		VEC_PUSH(arena, paths, path);
		return put_object(c, path, &object);
	}
	VEC_EACH (of, &c->folders) {
		struct value object = flux_object(c, of);
		sv path = ARENA_CONCAT(arena, folder, SV("/"), part_of(c, of), SV(".yaml"));

		VEC_PUSH(arena, paths, path);
		if (put_object(c, path, &object) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

enum status run_put_delivery(struct run_completion *c)
{
	const struct fleet_cluster *cluster = c->cluster->fleet;
	sv applier = applier_name(cluster->delivery.applier);
	struct arena *arena = c->env->arena;
	struct names paths = {0};
	struct buf buf = buf_in(c->env->scratch);

	if (sv_empty(applier) || c->folders.count == 0)
		return STATUS_OK;
	sv folder = tree_delivery_path(arena, applier, management_of(cluster), cluster->folder);
	if (put_objects(c, folder, &paths) != STATUS_OK)
		return STATUS_FAILED;
	if (c->without_seed)
		return STATUS_OK;
	const struct tree_kustomization kustomization = {
	    .folder = folder, .paths = paths.items, .count = paths.count};
	sv path = tree_kustomization_path(arena, folder);
	tree_add_kustomization(c->env->scratch, &buf, &kustomization);
	add_plain(c, path);
	/* run_put_delivery_lists writes it; each cluster that it names has it in its index. */
	add_plain(c, tree_kustomization_path(arena, tree_delivery_root(folder, cluster->folder)));
	return run_put_text(c, path, &buf, NULL);
}

/* ---- the clusters of each management cluster ----------------------------------------------- */

struct list {
	sv folder; /* flux/MANAGEMENT */
	struct names clusters;
	struct position at;
};

static enum status put_list(const struct run_env *env, const struct plan *plan,
                            struct run_writer *writer, struct run_rendered *rendered,
                            const struct list *list)
{
	const struct tree_kustomization kustomization = {
	    .folder = list->folder,
	    .paths = list->clusters.items,
	    .count = list->clusters.count,
	};
	const struct leak_place place = {.at = list->at};
	sv path = tree_kustomization_path(env->arena, list->folder);
	struct buf buf = buf_in(env->scratch);

	tree_add_kustomization(env->scratch, &buf, &kustomization);
	set_add(&rendered->written, path);
	return run_put(env->sink, writer, 0, known_secrets_scanner(plan->secrets), path,
	               &(struct git_content){.bytes = buf_sv(&buf)}, &place);
}

enum status run_put_delivery_lists(const struct run_env *env, const struct plan *plan,
                                   struct run_writer *writer, struct run_rendered *rendered)
{
	struct map lists = map_in(env->arena);

	for (size_t i = 0; i < plan->cluster_count; i++) {
		const struct fleet_cluster *cluster = plan->clusters[i].fleet;
		sv applier = applier_name(cluster->delivery.applier);
		sv folder = tree_delivery_path(env->arena, applier, management_of(cluster),
		                               cluster->folder);
		sv management = tree_delivery_root(folder, cluster->folder);
		struct list *list = map_get(&lists, management);

		if (sv_empty(applier) ||
		    !set_has(&rendered->written, tree_kustomization_path(env->arena, folder)))
			continue;
		if (!list) {
			list = ARENA_NEW(env->arena, struct list);
			*list = (struct list){.folder = management, .at = cluster->at};
			map_put(&lists, management, list);
		}
		VEC_PUSH(env->arena, &list->clusters, folder);
	}
	for (size_t i = 0; i < lists.count; i++)
		if (put_list(env, plan, writer, rendered, lists.entries[i].value) != STATUS_OK)
			return STATUS_FAILED;
	return STATUS_OK;
}
