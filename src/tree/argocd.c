/*
 * Argo CD's Application of one folder, and what it reads on objects.
 */
#include "tree/tree.h"

#define SYNC_OPTIONS SV("argocd.argoproj.io/sync-options")
#define SYNC_WAVE    SV("argocd.argoproj.io/sync-wave")
#define FLUX_FORCE   SV("kustomize.toolkit.fluxcd.io/force")
#define FLUX_PRUNE   SV("kustomize.toolkit.fluxcd.io/prune")

static void set_text(struct arena *arena, struct value *map, const char *key, sv text)
{
	value_map_set(arena, map, sv_from_cstr(key), value_string(text));
}

static struct value source(struct arena *arena, const struct tree_argocd *argocd)
{
	struct value source = value_map_new(arena);

	set_text(arena, &source, "repoURL", argocd->delivery->source_url);
	set_text(arena, &source, "targetRevision", argocd->delivery->source_revision);
	set_text(arena, &source, "path", argocd->path);
	return source;
}

static struct value destination(struct arena *arena, const struct tree_argocd *argocd)
{
	struct value destination = value_map_new(arena);

	if (argocd->is_remote)
		set_text(arena, &destination, "name", argocd->delivery->destination);
	else
		set_text(arena, &destination, "server", SV("https://kubernetes.default.svc"));
	return destination;
}

/*
 * With Replace and Force a sync makes an object anew whether it changed or not: only what differs
 * may be synced.
 */
static struct value sync_policy(struct arena *arena)
{
	struct value policy = value_map_new(arena);
	struct value automated = value_map_new(arena);
	struct value options = value_list_new(arena);

	value_map_set(arena, &automated, SV("prune"), value_bool(true));
	value_map_set(arena, &automated, SV("selfHeal"), value_bool(true));
	value_list_add(arena, &options, value_string(SV("ApplyOutOfSyncOnly=true")));
	value_map_set(arena, &policy, SV("automated"), automated);
	value_map_set(arena, &policy, SV("syncOptions"), options);
	return policy;
}

/* With it, and only then, Argo CD removes the objects of an Application that goes. */
static void set_finalizer(struct arena *arena, struct value *object)
{
	struct value metadata = *value_map_get(object, SV("metadata"));
	struct value list = value_list_new(arena);

	value_list_add(arena, &list, value_string(SV("resources-finalizer.argocd.argoproj.io")));
	value_map_set(arena, &metadata, SV("finalizers"), list);
	value_map_set(arena, object, SV("metadata"), metadata);
}

struct value tree_argocd_object(struct arena *arena, const struct tree_argocd *argocd)
{
	const struct kube_id id = {
	    .api_version = SV("argoproj.io/v1alpha1"),
	    .kind = SV("Application"),
	    .namespace = argocd->delivery->namespace,
	    .name = argocd->name,
	};
	struct value annotations = value_map_new(arena);
	struct value spec = value_map_new(arena);

	value_map_set(arena, &annotations, SYNC_WAVE,
	              value_string(arena_printf(arena, "%u", argocd->wave)));
	struct value object = kube_object_new(arena, &id, NULL, &annotations);
	if (argocd->is_part)
		set_finalizer(arena, &object);
	set_text(arena, &spec, "project", argocd->delivery->project);
	value_map_set(arena, &spec, SV("source"), source(arena, argocd));
	value_map_set(arena, &spec, SV("destination"), destination(arena, argocd));
	value_map_set(arena, &spec, SV("syncPolicy"), sync_policy(arena));
	value_map_set(arena, &object, SV("spec"), spec);
	return object;
}

void tree_annotate_for_argocd(struct arena *arena, struct value *object)
{
	struct value metadata = *value_map_get(object, SV("metadata"));
	const struct value *given = value_map_get(&metadata, SV("annotations"));

	if (!value_is_map(given))
		return;
	struct value annotations = *given;
	if (value_map_get(&annotations, FLUX_FORCE))
		value_map_set(arena, &annotations, SYNC_OPTIONS,
		              value_string(SV("Replace=true,Force=true")));
	else if (value_map_get(&annotations, FLUX_PRUNE))
		value_map_set(arena, &annotations, SYNC_OPTIONS,
		              value_string(SV("Prune=false,Delete=false")));
	value_map_set(arena, &metadata, SV("annotations"), annotations);
	value_map_set(arena, object, SV("metadata"), metadata);
}
