/*
 * set: parses and executes sets of trees, and reports their failures as diagnostics.
 */
#ifndef OSM_GEN_TMPL_SET_H
#define OSM_GEN_TMPL_SET_H

#include "tmpl/exec.h"
#include "tmpl/parse_node.h"

/*
 * Installs the trees of one parsed text: one that is not blank replaces an earlier one of its
 * name, a blank one only fills a gap. base (may be null) is looked at, not changed.
 */
void set_install(struct arena *arena, struct parse_tree_vec *trees,
                 const struct parse_tree_vec *base, const struct parse_tree_vec *parsed);

/*
 * The limits of one call and how much of them is used. All templates that the call parses and
 * executes share them.
 */
struct budget {
	struct tmpl_limits limits;
	uint64_t steps;        /* used */
	size_t memory_start;   /* bytes of the arena in use at the start */
	bool secret_cost;      /* `steps` depends on the bytes of secrets */
	uint64_t secret_steps; /* the part of `steps` that does */
};

struct budget budget_of(const struct arena *arena, const struct tmpl_options *options);
struct budget budget_of_parsing(const struct arena *arena);

/* Reports a TMPL_SECRET failure; ret_error may be null. */
struct diag *set_report_secret(struct sink *sink, struct tmpl_error *ret_error);

struct set_parse_request {
	const struct tmpl_funcs *funcs;
	const struct tmpl_source *source;
	sv prefix; /* the controller's words before Go's error */
};

/* On failure the diagnostic is in the sink and *ret_error (may be null) is set. */
enum status set_parse(struct arena *arena, struct sink *sink,
                      const struct set_parse_request *request, struct budget *budget,
                      struct parse_tree_vec *ret_trees, struct tmpl_error *ret_error);

struct set_execute_request {
	const struct tmpl_set *set;           /* its root is executed */
	const struct parse_tree_vec *overlay; /* searched before the set; may be null */
	const struct value *data;             /* dot of the root template; null is nil */
	const struct tmpl_options *options;   /* except for the limits, which the budget has */
	sv prefix;                            /* the controller's words before Go's error */
	struct exec_trace *trace;             /* finds the writer of a byte; may be null */
};

/* Executes and appends to `out`. Fails as set_parse does. */
enum status set_execute(struct arena *arena, struct sink *sink,
                        const struct set_execute_request *request, struct budget *budget,
                        struct text *out, struct tmpl_error *ret_error);

/*
 * Returns the position in the set's sources that wrote byte `offset` of its output, or NOWHERE if
 * none did. Executes the set again; it must have succeeded before with the same data.
 */
struct position set_trace(struct arena *arena, const struct tmpl_set *set, const struct value *data,
                          const struct tmpl_options *options, size_t offset);

/* ---- help.c: remedies in osm-gen's own words ----------------------------------------------- */

/* Sets the help of `diag`, which reports why job->source cannot be parsed. */
void help_parse(struct arena *arena, struct sink *sink, struct diag *diag,
                const struct parse_job *job);

/*
 * Sets the help of `diag`, which reports the failure of the run. Sets none if the message has all
 * that is known.
 */
void help_run(struct sink *sink, struct diag *diag, const struct tmpl_run *run);

#endif
