/*
 * help: adds a remedy to the diagnostic of a template that fails. The words are osm-gen's own, not
 * Go's. A template whose source holds a secret gets general help only, which quotes nothing of it.
 */
#ifndef OSM_GEN_TMPL_HELP_H
#define OSM_GEN_TMPL_HELP_H

#include "tmpl/exec.h"
#include "tmpl/parse_node.h"

/* Sets the help of `diag`, which reports why job->source cannot be parsed. */
void help_parse(struct arena *arena, struct sink *sink, struct diag *diag,
                const struct parse_job *job);

/*
 * Sets the help of `diag`, which reports the failure of the run. Sets none if the message has all
 * that is known.
 */
void help_run(struct sink *sink, struct diag *diag, const struct tmpl_run *run);

#endif
