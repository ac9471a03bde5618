/*
 * Private to fleet/: finds kustomizations that change units or definitions.
 *
 * Osm-gen reads manifests as they are in git. If a kustomization patches a MachineDeployment or a
 * profile, moves it to another namespace or renames it, the cluster has another object than the
 * one that is rendered. That is an error. Kustomizations that only list manifests, or that change
 * other kinds, are fine.
 *
 *   kustomize_read.c    reads kustomizations, and collects the objects of each
 *   kustomize_select.c  selects the objects that a patch applies to
 *   kustomize_change.c  reports the changes to them
 *   kustomize_flux.c    checks Flux's Kustomizations, which patch and rename in the same way
 *   kustomize_second.c  finds appliers of manifests whose units the output has, too
 *   kustomize_inputs.c  finds appliers of osm-gen's own inputs
 *   kustomize.c         runs all of these
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

/* The objects that a kustomization collects from its resources, bases and components. */
struct kustomize_reach {
	struct kustomize_objects objects;
	bool is_remote;  /* a resource is outside of the commit, so that objects are missing */
	struct set seen; /* folders and files that were read, against endless loops */
};

struct kustomizer {
	struct arena *arena;
	struct arena *secret_arena;    /* for the values of patches */
	struct arena *scratch;         /* reset after each kustomization */
	struct arena *opened;          /* secret, likewise: values of packed units */
	struct kube_object_list units; /* which of them are open; in `opened` */
	struct sink *sink;
	const struct fleet_files *files;
	const struct fleet_options *options;
	struct map by_path; /* struct fleet_file of the commit's files */
	struct map
	    folders;      /* struct kustomization by folder; &none if the folder has no such file */
	struct map texts; /* struct yml_documents of patch files, by path */
	struct kustomization none;
};

/* Charges the run's quota. Returns false if the quota is used up. */
static inline bool kustomize_charge(const struct kustomizer *k, size_t amount)
{
	return quota_take(k->options->values, amount);
}

/* Ends the check of a kustomization: closes the units that it reached, and resets `scratch`. */
void kustomize_end(struct kustomizer *k);

/* ---- reading ----------------------------------------------------------------------------- */

/* Returns the kustomization of a folder, or null if the folder has none that can be read. */
const struct kustomization *kustomize_find(struct kustomizer *k, sv folder);
/* Adds the objects of a folder's kustomization, including those of its bases and components. */
void kustomize_collect(struct kustomizer *k, sv folder, struct kustomize_reach *reach);
/* Adds all objects in the folder and below, as Flux does if the folder has no kustomization. */
void kustomize_collect_files(struct kustomizer *k, sv folder, struct kustomize_reach *reach);
/* Return the documents of a patch, or null if the file is missing or is not YAML. */
const struct yml_documents *kustomize_patch_file(struct kustomizer *k, sv path);
const struct yml_documents *kustomize_patch_text(struct kustomizer *k, const struct value *text);

/* ---- selecting --------------------------------------------------------------------------- */

/* Adds the objects that a selector ({kind, name, namespace, labelSelector, ...}) matches. */
void kustomize_select(struct kustomizer *k, const struct value *selector,
                      const struct kustomize_objects *from, struct kustomize_objects *ret_found);
/* Adds the objects that the documents of a patch name. */
void kustomize_select_named(struct kustomizer *k, const struct yml_documents *patch,
                            const struct kustomize_objects *from,
                            struct kustomize_objects *ret_found);
/* Returns true if a selector or patch names a kind that osm-gen reads (an empty kind does not). */
bool kustomize_names_our_kind(const struct value *selector);

/* ---- changes ----------------------------------------------------------------------------- */

/* The program and file that make a change, for messages. */
struct kustomize_author {
	enum diag_code code;
	const char *who;                  /* "kustomize" */
	sv folder;                        /* the folder in which people run `kustomize build` */
	sv base;                          /* folder that the paths of its patches are relative to */
	const struct kustomization *from; /* for a component: the kustomization that uses it */
	bool is_applier;                  /* Flux, rather than kustomize alone */
};

/* Reports that the change at a position applies to these objects. `how`: "with this patch". */
void kustomize_report(struct kustomizer *k, const struct kustomize_author *author,
                      struct position at, const char *how, const struct kustomize_objects *objects);
/*
 * Report each change that a spec (of a kustomization, or of Flux's Kustomization) makes to one of
 * the objects: by patches, or by namePrefix and nameSuffix.
 */
void kustomize_check_patches(struct kustomizer *k, const struct kustomize_author *author,
                             const struct value *spec, const struct kustomize_reach *reach);
void kustomize_check_names(struct kustomizer *k, const struct kustomize_author *author,
                           const struct value *spec, const struct kustomize_objects *objects);
/* Report a namespace, and labels or annotations, that are set on all objects. */
void kustomize_check_namespace(struct kustomizer *k, const struct kustomize_author *author,
                               const struct value *namespace,
                               const struct kustomize_objects *objects);
void kustomize_check_metadata(struct kustomizer *k, const struct kustomize_author *author,
                              const struct value *pairs, const char *member,
                              const struct kustomize_objects *objects);

/* Reports all changes that a kustomization and its components make. */
void kustomize_check(struct kustomizer *k, const struct kustomization *from);

/* kustomize_flux.c: checks all of Flux's Kustomizations. */
void kustomize_check_appliers(struct kustomizer *k);
/*
 * Finds the folder of this repository that a path of an applier names. Returns false if it may be
 * one of another repository. `source` is the name of its source, or empty.
 */
bool kustomize_find_folder(struct kustomizer *k, sv path, sv source, sv *ret_folder);
/* Adds the objects that an applier of the folder applies. */
void kustomize_collect_applied(struct kustomizer *k, sv folder, struct kustomize_reach *reach);
/* A folder that Flux or Argo CD applies. */
struct kustomize_applier {
	sv name; /* "Flux's Kustomization apps" */
	const struct value *path;
	sv source;
	bool is_flat;     /* only the files in the folder itself, if that has no kustomization */
	bool is_selected; /* Argo CD's include or exclude chooses among the files */
	bool decrypts;    /* Flux's spec.decryption is set */
	bool is_flux;
	const char *how; /* what to do first, so that it deletes nothing */
};
/* kustomize_second.c: calls `visit` for each applier of a folder that git may have. */
typedef void kustomize_visit_applier(void *context, const struct kustomize_applier *applier);
void kustomize_each_applier(struct kustomizer *k, kustomize_visit_applier *visit, void *context);
/* kustomize_second.c: reports appliers of manifests whose units the output has. */
void kustomize_check_second_appliers(struct kustomizer *k, const struct fleet *fleet);
/* kustomize_inputs.c: reports appliers and kustomizations that take osm-gen's own inputs. */
void kustomize_check_inputs(struct kustomizer *k);

#endif
