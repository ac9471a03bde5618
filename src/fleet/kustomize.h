/*
 * Private to fleet/: kustomizations, as far as they change what osm-gen reads.
 *
 * Osm-gen reads manifests as they are in git. Where a kustomization patches a MachineDeployment or
 * a profile, moves it to another namespace or renames it, the cluster has another object than the
 * one that is rendered, which is an error. Kustomizations that only list manifests, or that change
 * other kinds, are fine.
 *
 *   kustomize_read.c    kustomizations by folder, and the objects that each of them collects
 *   kustomize_select.c  which of these a patch is for
 *   kustomize_change.c  what it changes of them
 *   kustomize_flux.c    Flux's Kustomizations, which do the same to a folder
 *   kustomize.c         the whole
 */
#ifndef OSM_GEN_FLEET_KUSTOMIZE_H
#define OSM_GEN_FLEET_KUSTOMIZE_H

#include "fleet/internal.h"
#include "yaml/yaml.h"

struct kustomization {
	sv path;
	sv folder;
	const struct value *root; /* a map */
};

/* Units and definitions. */
VEC_TYPE(kustomize_objects, const struct fleet_object *);

/* What a kustomization collects. */
struct kustomize_reach {
	struct kustomize_objects objects;
	bool is_remote;  /* something of it is not in the commit */
	struct map seen; /* folders and files that were looked at */
};

struct kustomizer {
	struct arena *arena;
	struct arena *secret_arena; /* of patches' values */
	struct arena *scratch;      /* reset after each kustomization */
	struct sink *sink;
	const struct fleet_files *files;
	const struct fleet_options *options;
	struct map by_path; /* struct fleet_file, those of the commit */
	struct map folders; /* struct kustomization by its folder; `none` where there is none */
	struct map texts;   /* struct yml_documents of patches, by path */
	struct kustomization none;
};

/* Charges the run for what an input asks to be looked at; false: it has had enough. */
static inline bool kustomize_charge(const struct kustomizer *k, size_t amount)
{
	return quota_take(k->options->values, amount);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Null where the folder has no kustomization that can be read. */
const struct kustomization *kustomize_find(struct kustomizer *k, sv folder);
/* Adds what the kustomization of a folder collects, its bases and components included. */
void kustomize_collect(struct kustomizer *k, sv folder, struct kustomize_reach *reach);
/* Adds what is in the folder's files and below, as Flux does where there is no kustomization. */
void kustomize_collect_files(struct kustomizer *k, sv folder, struct kustomize_reach *reach);
/* The documents of a patch; null where there is no such file, or where it is no YAML. */
const struct yml_documents *kustomize_patch_file(struct kustomizer *k, sv path);
const struct yml_documents *kustomize_patch_text(struct kustomizer *k, const struct value *text);

/* ---- selecting --------------------------------------------------------------------------- */

/* Adds the objects that a selector ({kind, name, namespace, labelSelector, ...}) fits. */
void kustomize_select(struct kustomizer *k, const struct value *selector,
                      const struct kustomize_objects *from, struct kustomize_objects *ret_found);
/* Adds the objects that the documents of a patch name. */
void kustomize_select_named(struct kustomizer *k, const struct yml_documents *patch,
                            const struct kustomize_objects *from,
                            struct kustomize_objects *ret_found);
/* Whether a selector or a patch names one of the kinds that osm-gen reads, not just any kind. */
bool kustomize_names_our_kind(const struct value *selector);

/* ---- changes ----------------------------------------------------------------------------- */

/* Where changes come from, for messages. */
struct kustomize_author {
	enum diag_code code;
	const char *who;                  /* "kustomize" */
	sv folder;                        /* that `kustomize build` is run in */
	sv base;                          /* that the paths of its patches are relative to */
	const struct kustomization *from; /* a component's user; or null */
	bool is_applier;                  /* Flux, rather than kustomize alone */
};

/* Reports that the change at a place reaches these objects; `how`: "with this patch". */
void kustomize_report(struct kustomizer *k, const struct kustomize_author *author,
                      struct position at, const char *how, const struct kustomize_objects *objects);
/*
 * Reports each change of a spec (a kustomization's, or Flux's Kustomization's) that reaches one of
 * the objects: patches, prefix and suffix.
 */
void kustomize_check_patches(struct kustomizer *k, const struct kustomize_author *author,
                             const struct value *spec, const struct kustomize_reach *reach);
void kustomize_check_names(struct kustomizer *k, const struct kustomize_author *author,
                           const struct value *spec, const struct kustomize_objects *objects);
/* The same of a namespace and of labels or annotations that are set on all objects. */
void kustomize_check_namespace(struct kustomizer *k, const struct kustomize_author *author,
                               const struct value *namespace,
                               const struct kustomize_objects *objects);
void kustomize_check_metadata(struct kustomizer *k, const struct kustomize_author *author,
                              const struct value *pairs, const char *member,
                              const struct kustomize_objects *objects);

/* Reports all changes of a kustomization, and of the components that it uses. */
void kustomize_check(struct kustomizer *k, const struct kustomization *from);
/* Whether an entry of patches is a path, rather than a patch written out. */
bool kustomize_is_path(sv text);

/* kustomize_flux.c: all of Flux's Kustomizations */
void kustomize_check_appliers(struct kustomizer *k);

#endif
