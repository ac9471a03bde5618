/*
 * Flux's Kustomizations: each applies a folder, and may change its objects on the way. These are
 * warnings, since osm-gen cannot know for sure that its source is this repository.
 */
#include "fleet/kustomize.h"

/* The source that `flux bootstrap` makes: this repository. */
#define BOOTSTRAP_SOURCE "flux-system"
#define SUBSTITUTE       "kustomize.toolkit.fluxcd.io/substitute"

bool kustomize_find_folder(struct kustomizer *k, sv path, sv source, sv *ret_folder)
{
	if (!fleet_path_resolve(k->scratch, SV(""), path, ret_folder)) {
		*ret_folder = SV("");
		return sv_eq(source, SV(BOOTSTRAP_SOURCE));
	}
	return true;
}

void kustomize_collect_applied(struct kustomizer *k, sv folder, struct kustomize_reach *reach)
{
	if (kustomize_find(k, folder))
		kustomize_collect(k, folder, reach);
	else
		kustomize_collect_files(k, folder, reach);
}

/* Selects the objects of files that contain "${", which Flux would substitute. */
static void check_substitution(struct kustomizer *k, const struct kustomize_author *author,
                               const struct value *build, const struct kustomize_objects *objects)
{
	struct kustomize_objects found = {0};

	if (!value_is_map(build) || value_count(build) == 0)
		return;
	VEC_EACH (object, objects) {
		const struct value *annotations =
		    value_path((*object)->object.root, "metadata.annotations");
		sv text = (*object)->file->source->text;

		if (kustomize_charge(k, 1 + text.len / 256) && sv_contains(text, SV("${")) &&
		    !sv_eq_cstr(value_text(value_map_get(annotations, SV(SUBSTITUTE))), "disabled"))
			VEC_PUSH(k->scratch, &found, *object);
	}
	kustomize_report(k, author, value_position(build), "with these variables", &found);
}

static void check_applier(struct kustomizer *k, const struct value *root)
{
	const struct value *spec = value_map_get(root, SV("spec"));
	const struct value *metadata = value_map_get(spec, SV("commonMetadata"));
	struct kustomize_reach reach = {.seen = set_in(k->scratch)};
	sv name = value_text(value_path(root, "metadata.name"));
	sv folder;

	if (!kustomize_find_folder(k, value_text(value_map_get(spec, SV("path"))),
	                           value_text(value_path(spec, "sourceRef.name")), &folder))
		return;
	const struct kustomize_author author = {
	    .code = DIAG_KUSTOMIZE_PERHAPS,
	    .who =
	        arena_cstr(k->scratch, ARENA_CONCAT(k->scratch, SV("Flux's Kustomization "), name)),
	    .folder = folder,
	    .base = folder,
	    .is_applier = true,
	};
	kustomize_collect_applied(k, folder, &reach);
	if (reach.objects.count == 0)
		return;
	kustomize_check_patches(k, &author, spec, &reach);
	kustomize_check_names(k, &author, spec, &reach.objects);
	kustomize_check_namespace(k, &author, value_map_get(spec, SV("targetNamespace")),
	                          &reach.objects);
	kustomize_check_metadata(k, &author, value_map_get(metadata, SV("labels")), "labels",
	                         &reach.objects);
	kustomize_check_metadata(k, &author, value_map_get(metadata, SV("annotations")),
	                         "annotations", &reach.objects);
	check_substitution(k, &author, value_map_get(spec, SV("postBuild")), &reach.objects);
}

void kustomize_check_appliers(struct kustomizer *k)
{
	for (size_t i = 0; i < k->files->count; i++)
		VEC_EACH (root, &k->files->items[i]->appliers)
			if (kustomize_charge(k, 1)) {
				check_applier(k, *root);
				kustomize_end(k);
			}
}
