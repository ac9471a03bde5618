/*
 * The tree of one cluster in the making: adds files that belong to no unit.
 */
#ifndef OSM_GEN_RUN_CLUSTERS_COMPLETION_H
#define OSM_GEN_RUN_CLUSTERS_COMPLETION_H

#include "run/job.h"
#include "run/output/output.h"
#include "run/rendered.h"

/* A folder of the output with a kustomization.yaml, which the applier is given. */
struct run_folder {
	enum artifact_side side;
	sv path;
	bool is_sealed; /* it has a sealed file */
	bool is_last;   /* it has MachineDeployments, which need the folder that it is in */
};
VEC_TYPE(run_folders, struct run_folder);

/* One cluster; the files of all its units are added already. */
struct run_completion {
	const struct run_env *env;
	const struct plan *plan;
	const struct previous *previous;
	struct run_writer *writer;
	struct run_rendered *rendered;
	sv out;            /* see struct run_job */
	bool without_seed; /* likewise */
	const struct plan_cluster *cluster;
	struct tree_file_list *files;   /* in the cluster's folder */
	struct tree_file_list delivery; /* outside of it: objects of the applier */
	struct run_folders folders;
};

/* Adds the file to the cluster's index. */
void run_add_file(struct run_completion *c, const struct tree_file *file);
/* Puts the file of an artifact of the whole cluster; such artifacts are never sealed. */
MUST_CHECK enum status run_add_artifact(struct run_completion *c, const struct artifact *artifact,
                                        sv source);
/* Puts a file that holds no object of the cluster. `id` is that of its blob, or null if unknown. */
MUST_CHECK enum status run_put_text(struct run_completion *c, sv path, const struct buf *buf,
                                    const struct git_id *id);

#endif
