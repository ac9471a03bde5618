/*
 * Reads the repository: its commit and files, --secrets, and the fleet that they describe.
 *
 *   list.c          the commit, and the files to read
 *   out_folder.c    the output folder, which is not read, and its attributes in git
 *   uncommitted.c   warnings of changes that are not committed
 *   passed_over.c   warnings of other files that are not read
 *   read.c          reads the files, and the fleet
 *   kustomized.c    the manifests of Clusters with `kustomize: DIR`
 */
#ifndef OSM_GEN_RUN_INPUTS_INPUTS_H
#define OSM_GEN_RUN_INPUTS_INPUTS_H

#include "fleet/fleet.h"
#include "git/git.h"
#include "kustomize/kustomize.h"
#include "os/os.h"
#include "run/env.h"
#include "seal/seal.h"

/* An object that kustomize made. */
struct run_made {
	const struct kustomize_inputs *inputs;
	struct kustomize_object object;
};

struct run_inputs {
	struct git_repo *repo;    /* null when manifests come from standard input */
	struct git_source source; /* not set when the working tree is read */
	sv out; /* the output folder, relative to the repository, or absolute if it is outside */
	bool out_is_outside;
	struct git_files files; /* all files of the source, without the output */
	struct git_files taken; /* the files among them that may be manifests */
	struct fleet_filter *filter;
	struct os_entries secret_entries; /* manifests in --secrets */
	/* The program that makes manifests; its path is empty if it is not allowed, or not there.
	 */
	struct kustomize_program kustomize;
	VEC(struct run_made) made; /* the objects that it made */
	bool uses_kustomize;       /* a Cluster names a kustomization, and all of them were built */
	struct seal_identities *identities;
	struct seal_program *sops; /* null if it may not run */
	struct fleet fleet;
	/* Number of diagnostics in the sink once the files were listed: any run finds these. */
	size_t warnings_listed;
	/* The members of struct fleet_options; the caller sets them before run_read_inputs. */
	bool (*may_open)(void *context, const struct fleet *fleet);
	void *may_open_context;
	bool (*was_in_buckets)(void *context);
	void *was_in_buckets_context;
	bool is_loaded; /* `fleet` is set, possibly with mistakes */
	/* Set by the caller if it looks at the units of the whole fleet (kube_object_pack). */
	bool keeps_units_open;
	struct arena **packed; /* one for each thread; null if units stay open */
};

/*
 * Sets inputs->out and out_is_outside from `out` as people give it. inputs->repo must be open.
 * Fails (DIAG_OUTPUT_FOLDER) if `out` is the repository's root or leads through a symbolic link.
 */
MUST_CHECK enum status run_place_output(const struct run_env *env, sv out,
                                        struct run_inputs *inputs);
/* Returns true if `real`, a path without links, is the work tree, a git directory, or below one. */
bool run_is_in_repository(struct arena *arena, const struct git_repo *repo, sv real);
/*
 * Fails (DIAG_GIT_FILTERED) if an attribute of git would change the bytes of the output, which
 * `generate` finds out when it commits. The fleet must be loaded.
 */
MUST_CHECK enum status run_check_attributes(const struct run_env *env,
                                            const struct run_inputs *inputs, bool is_worktree);
/* Opens the repository and lists the files to read. */
MUST_CHECK enum status run_list_inputs(const struct run_env *env, enum run_mode mode,
                                       const struct run_reading *reading, sv out,
                                       struct run_inputs *inputs);
/* Reads all listed files and loads the fleet. */
MUST_CHECK enum status run_read_inputs(const struct run_env *env, enum run_mode mode,
                                       const struct run_reading *reading,
                                       struct run_inputs *inputs);
/* Gives the memory of packed units back once all are rendered: no unit may be opened after it. */
void run_end_units(const struct run_env *env, struct run_inputs *inputs);
void run_close_inputs(struct run_inputs *inputs);

/*
 * Moves the diagnostics of objects that kustomize made to the places in the commit that these come
 * from. Others stay, and so do those that were moved before.
 */
void run_place_diagnostics(const struct run_env *env, const struct run_inputs *inputs);

#endif
