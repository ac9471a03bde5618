/*
 * help: what to do about a template that fails, for people. Never Go's words, and never from a text
 * that holds a secret.
 */
#ifndef OSM_GEN_TMPL_HELP_H
#define OSM_GEN_TMPL_HELP_H

#include "tmpl/exec.h"
#include "tmpl/parse_node.h"

/* For a text that could not be parsed. */
void help_parse(struct arena *arena, struct sink *sink, struct diag *diag,
                const struct parse_job *job);

/* For an execution that failed; none where nothing is known that the caller would not know. */
void help_run(struct sink *sink, struct diag *diag, const struct tmpl_run *run);

#endif
