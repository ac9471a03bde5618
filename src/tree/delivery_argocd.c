/*
 * Argo CD's ApplicationSet of one cluster, with an Application for each folder, and Argo CD's
 * annotations on objects of the output.
 */
#include "tree/tree.h"

#define SYNC_OPTIONS SV("argocd.argoproj.io/sync-options")
#define SYNC_WAVE    SV("argocd.argoproj.io/sync-wave")
#define FLUX_FORCE   SV("kustomize.toolkit.fluxcd.io/force")
#define FLUX_PRUNE   SV("kustomize.toolkit.fluxcd.io/prune")
/* The label of Applications by which the steps of the rolling sync select them. */
#define WAVE "osm-gen.dev/wave"

static struct value one_text(struct arena *arena, sv text)
{
	struct value list = value_list_new(arena);

	value_list_add(arena, &list, value_string(text));
	return list;
}

static bool is_cut(const struct tree_argocd *argocd)
{
	bool is = false;

	for (size_t i = 0; i < argocd->folder_count; i++)
		is |= argocd->folders[i].is_part;
	return is;
}

static sv wave_text(struct arena *arena, unsigned wave)
{
	return arena_printf(arena, "%u", wave);
}

/* ---- what differs from folder to folder --------------------------------------------------- */

/*
 * Argo CD takes either a server or a name for a destination, never both; an empty string counts as
 * unset.
 */
static struct value element(struct arena *arena, const struct tree_argocd *argocd,
                            const struct tree_argocd_folder *folder)
{
	struct value element = value_map_new(arena);

	value_map_set_text(arena, &element, "name", folder->name);
	value_map_set_text(arena, &element, "path", folder->path);
	value_map_set_text(arena, &element, "wave", wave_text(arena, folder->wave));
	value_map_set_text(arena, &element, "server",
	                   folder->is_remote ? SV("") : SV("https://kubernetes.default.svc"));
	value_map_set_text(arena, &element, "cluster",
	                   folder->is_remote ? argocd->delivery->destination : SV(""));
	if (is_cut(argocd))
		value_map_set(arena, &element, SV("isPart"), value_bool(folder->is_part));
	return element;
}

static struct value generators(struct arena *arena, const struct tree_argocd *argocd)
{
	struct value elements = value_list_new(arena);
	struct value generator = value_map_new(arena);
	struct value named = value_map_new(arena);
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < argocd->folder_count; i++)
		value_list_add(arena, &elements, element(arena, argocd, &argocd->folders[i]));
	value_map_set(arena, &generator, SV("elements"), elements);
	value_map_set(arena, &named, SV("list"), generator);
	value_list_add(arena, &list, named);
	return list;
}

/* ---- the order ----------------------------------------------------------------------------- */

static struct value step(struct arena *arena, unsigned wave)
{
	struct value step = value_map_new(arena);
	struct value expression = value_map_new(arena);
	struct value expressions = value_list_new(arena);

	value_map_set_text(arena, &expression, "key", SV(WAVE));
	value_map_set_text(arena, &expression, "operator", SV("In"));
	value_map_set(arena, &expression, SV("values"), one_text(arena, wave_text(arena, wave)));
	value_list_add(arena, &expressions, expression);
	value_map_set(arena, &step, SV("matchExpressions"), expressions);
	return step;
}

/*
 * Argo CD follows the strategy only if its Progressive Syncs are switched on; otherwise it syncs
 * all Applications at once.
 */
static struct value strategy(struct arena *arena, const struct tree_argocd *argocd)
{
	struct value strategy = value_map_new(arena);
	struct value rolling = value_map_new(arena);
	struct value steps = value_list_new(arena);

	for (unsigned wave = 0; wave < TREE_ARGOCD_WAVES; wave++) {
		bool is_there = false;

		for (size_t i = 0; i < argocd->folder_count; i++)
			is_there |= argocd->folders[i].wave == wave;
		if (is_there)
			value_list_add(arena, &steps, step(arena, wave));
	}
	value_map_set_text(arena, &strategy, "type", SV("RollingSync"));
	value_map_set(arena, &rolling, SV("steps"), steps);
	value_map_set(arena, &strategy, SV("rollingSync"), rolling);
	return strategy;
}

/* ---- the Application ----------------------------------------------------------------------- */

/*
 * With Replace and Force a sync recreates an object whether it changed or not, so only objects that
 * differ may be synced (ApplyOutOfSyncOnly).
 */
static struct value sync_policy(struct arena *arena)
{
	struct value policy = value_map_new(arena);
	struct value automated = value_map_new(arena);

	value_map_set(arena, &automated, SV("prune"), value_bool(true));
	value_map_set(arena, &automated, SV("selfHeal"), value_bool(true));
	value_map_set(arena, &policy, SV("automated"), automated);
	value_map_set(arena, &policy, SV("syncOptions"),
	              one_text(arena, SV("ApplyOutOfSyncOnly=true")));
	return policy;
}

static struct value template_spec(struct arena *arena, const struct fleet_delivery *delivery)
{
	struct value source = value_map_new(arena);
	struct value destination = value_map_new(arena);
	struct value spec = value_map_new(arena);

	value_map_set_text(arena, &source, "repoURL", delivery->source_url);
	value_map_set_text(arena, &source, "targetRevision", delivery->source_revision);
	value_map_set_text(arena, &source, "path", SV("{{.path}}"));
	value_map_set_text(arena, &destination, "server", SV("{{.server}}"));
	value_map_set_text(arena, &destination, "name", SV("{{.cluster}}"));
	value_map_set_text(arena, &spec, "project", delivery->project);
	value_map_set(arena, &spec, SV("source"), source);
	value_map_set(arena, &spec, SV("destination"), destination);
	value_map_set(arena, &spec, SV("syncPolicy"), sync_policy(arena));
	return spec;
}

static struct value template(struct arena *arena, const struct fleet_delivery *delivery)
{
	struct value template = value_map_new(arena);
	struct value metadata = value_map_new(arena);
	struct value labels = value_map_new(arena);

	value_map_set_text(arena, &labels, WAVE, SV("{{.wave}}"));
	value_map_set_text(arena, &metadata, "name", SV("{{.name}}"));
	value_map_set(arena, &metadata, SV("labels"), labels);
	value_map_set(arena, &template, SV("metadata"), metadata);
	value_map_set(arena, &template, SV("spec"), template_spec(arena, delivery));
	return template;
}

/* Only with this finalizer does Argo CD remove the objects of an Application that is removed. */
static sv finalizer_patch(void)
{
	return SV("{{- if .isPart }}\n"
	          "metadata:\n"
	          "  finalizers:\n"
	          "  - resources-finalizer.argocd.argoproj.io\n"
	          "{{- end }}\n");
}

/* ---- the ApplicationSet -------------------------------------------------------------------- */

static struct value set_spec(struct arena *arena, const struct tree_argocd *argocd)
{
	struct value policy = value_map_new(arena);
	struct value spec = value_map_new(arena);

	/* Otherwise every Application would get the finalizer. */
	value_map_set(arena, &policy, SV("preserveResourcesOnDeletion"), value_bool(true));
	value_map_set(arena, &spec, SV("goTemplate"), value_bool(true));
	value_map_set(arena, &spec, SV("goTemplateOptions"),
	              one_text(arena, SV("missingkey=error")));
	value_map_set(arena, &spec, SV("generators"), generators(arena, argocd));
	value_map_set(arena, &spec, SV("strategy"), strategy(arena, argocd));
	value_map_set(arena, &spec, SV("syncPolicy"), policy);
	value_map_set(arena, &spec, SV("template"), template(arena, argocd->delivery));
	if (is_cut(argocd))
		value_map_set_text(arena, &spec, "templatePatch", finalizer_patch());
	return spec;
}

struct value tree_argocd_object(struct arena *arena, const struct tree_argocd *argocd)
{
	const struct kube_id id = {
	    .api_version = SV("argoproj.io/v1alpha1"),
	    .kind = SV("ApplicationSet"),
	    .namespace = argocd->delivery->namespace,
	    .name = argocd->name,
	};
	struct value object = kube_object_new(arena, &id, NULL, NULL);

	value_map_set(arena, &object, SV("spec"), set_spec(arena, argocd));
	return object;
}

/* ---- objects of the output ----------------------------------------------------------------- */

void tree_annotate_for_argocd(struct arena *arena, bool comes_first, struct value *object)
{
	struct value metadata = *value_map_get(object, SV("metadata"));
	const struct value *given = value_map_get(&metadata, SV("annotations"));

	if (!value_is_map(given))
		return;
	struct value annotations = *given;
	/* The object's own options are stricter. */
	if (value_map_get(&annotations, SYNC_OPTIONS))
		return;
	if (value_map_get(&annotations, FLUX_FORCE))
		value_map_set(arena, &annotations, SYNC_OPTIONS,
		              value_string(SV("Replace=true,Force=true")));
	else if (value_map_get(&annotations, FLUX_PRUNE))
		value_map_set(arena, &annotations, SYNC_OPTIONS,
		              value_string(SV("Prune=false,Delete=false")));
	if (comes_first)
		value_map_set(arena, &annotations, SYNC_WAVE, value_string(SV("-1")));
	value_map_set(arena, &metadata, SV("annotations"), annotations);
	value_map_set(arena, object, SV("metadata"), metadata);
}
