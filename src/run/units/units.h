/*
 * Renders units on all threads, seals their files and puts them.
 *
 *   render.c        all units, on all threads
 *   unit.c          renders one unit through its dialect
 *   put.c           seals and puts its files
 *   classify.c      how they differ from those before
 *   traits.c        what a run without the seed compares of it
 *   exceeded.c      profiles whose templates exceeded a budget
 *   diagnostics.c   what all units reported, each mistake once
 */
#ifndef OSM_GEN_RUN_UNITS_UNITS_H
#define OSM_GEN_RUN_UNITS_UNITS_H

#include "run/env.h"
#include "run/job.h"
#include "run/output/output.h"
#include "run/rendered.h"

/*
 * Renders one unit through the table of its dialect: its artifacts, not sealed yet. Does not write
 * anything.
 */
MUST_CHECK enum status run_render_unit(struct arena *arena, struct sink *sink,
                                       const struct run_job *job, const struct plan_unit *unit,
                                       struct plan_revision *ret_revision,
                                       struct dialect_rendered *ret_rendered);
/* Returns true for user-data that a machine reads as it starts. */
bool run_is_user_data(enum artifact_role role);
/*
 * Renders all units, on all threads. With is_sound false an earlier stage failed: nothing is
 * written, and units are rendered only to find more mistakes.
 */
MUST_CHECK enum status run_render(const struct run_env *env, const struct run_job *job,
                                  bool is_sound, struct run_writer *writer,
                                  struct run_rendered *rendered);

#endif
