/*
 * Shards: several runs render a part of one commit each and save it outside of the repository, and
 * another run, `merge`, reads all parts and makes the commit that a single run would have made.
 *
 * Each run reads and checks all inputs. A shard skips the units of others, compares with the
 * previous output as `check` does, and saves what rendering made of its own units (run_save_shard):
 * a file with a MAC (format.h) and a pack with the contents that differ. `merge` takes each
 * unit from there (run_take_unit) and does the rest itself: clashes between clusters, delivery,
 * kustomizations, indexes, removal, the commit.
 *
 * The units are divided in their order, into parts of the same number.
 */
#ifndef OSM_GEN_RUN_SHARD_SHARD_H
#define OSM_GEN_RUN_SHARD_SHARD_H

#include "run/env.h"
#include "run/facts.h"
#include "run/output/output.h"
#include "run/shard/format.h"

/* A part that `merge` has read and whose MAC holds. */
struct run_part {
	sv path; /* of its file */
	sv pack_path;
	struct run_shard shard;
};

struct run_parts {
	size_t index; /* number of this run's shard, from 1; 0 in `merge` */
	size_t count;
	const size_t *division; /* for each unit of the plan, the number of its shard */
	/* `merge`: the parts, by number from 0, and each unit by its place in the plan. */
	struct run_part *parts;
	const struct run_shard_unit **units;
	struct arena **scratch; /* for the packed contents, one for each thread */
	const struct plan *plan;
	struct run_writer *writer;
};

/* Returns true if the units were rendered by other runs. */
static inline bool run_is_merging(const struct run_parts *parts)
{
	return parts && parts->index == 0;
}

/* Divides the units of the plan. *ret_parts lives in env->arena. */
void run_divide(const struct run_env *env, const struct run_sharding *sharding,
                const struct plan *plan, struct run_parts *ret_parts);

/* Fails (DIAG_OUTPUT_FOLDER) if shards are asked for and the output is not in the repository. */
MUST_CHECK enum status run_check_sharding(const struct run_env *env,
                                          const struct run_sharding *sharding,
                                          const struct run_inputs *inputs);
/*
 * Sets writer->blobs to the pack of this shard. Fails (DIAG_OUTPUT_FOLDER) if the folder is in the
 * repository.
 */
MUST_CHECK enum status run_begin_shard(const struct run_env *env,
                                       const struct run_sharding *sharding,
                                       const struct run_inputs *inputs, struct run_writer *writer);
/* options.c: sets the options of the head. `root` keys the digests of their values. */
void run_list_shard_options(const struct run_env *env, const struct run_request *request,
                            const struct seal_root *root, struct run_shard_head *head);
/* How the options of one run differ from those of another one. */
enum run_shard_option_difference {
	RUN_SHARD_OPTIONS_SAME,
	RUN_SHARD_OPTION_MORE,  /* the other one is without the option */
	RUN_SHARD_OPTION_FEWER, /* the other one has it alone */
	RUN_SHARD_OPTION_OTHER, /* with another value */
};
/* Compares the options of two runs. If they differ, *ret_name is the first one that does. */
enum run_shard_option_difference run_compare_shard_options(const struct run_shard_head *a,
                                                           const struct run_shard_head *b,
                                                           sv *ret_name);
/* Returns the head that a shard's file must have for `merge` to take it. */
MUST_CHECK enum status run_describe_shard(const struct run_env *env,
                                          const struct run_request *request,
                                          const struct run_facts *facts,
                                          const struct run_writer *writer,
                                          struct run_shard_head *ret_head);
/* Writes the files of this shard, whose units are rendered. *ret_path is the one with the MAC. */
MUST_CHECK enum status run_save_shard(const struct run_env *env, const struct run_request *request,
                                      const struct run_facts *facts,
                                      const struct run_writer *writer,
                                      const struct run_parts *parts, sv *ret_path);
/*
 * In a shard other than the first one: replaces the errors of the inputs among the first `count`
 * diagnostics by one that names the first shard, which reports them, and leaves out warnings.
 */
void run_leave_to_first_shard(struct sink *sink, size_t count);

/* merge.c: reads and checks all parts. Fails with DIAG_SHARD_... */
MUST_CHECK enum status run_read_shards(const struct run_env *env, const struct run_request *request,
                                       const struct run_facts *facts, struct run_writer *writer,
                                       struct run_parts *ret_parts);
/*
 * Returns true if the unit is not to be rendered: another shard does, or `merge` has taken it, with
 * its files, into *result. Any thread. Mistakes are in the unit's sink.
 */
bool run_take_unit(struct arena *results, const struct run_parts *parts, unsigned worker,
                   size_t place, struct quota *steps, struct run_unit *result);
/* Adds the changes of all parts to the review. */
void run_join_reviews(const struct run_parts *parts, struct review *review);

#endif
