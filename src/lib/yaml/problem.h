/*
 * Diagnostics for libyaml's errors, with what to do (private to yaml/).
 */
#ifndef OSM_GEN_YAML_PROBLEM_H
#define OSM_GEN_YAML_PROBLEM_H

#include "yaml/scan.h"

#include <yaml.h>

/* Reports the parser's error as one diagnostic. */
void yml_report_problem(struct sink *sink, const struct yml_text *text,
                        const yaml_parser_t *parser);

/* Returns true if the line has a template action, which YAML takes for a flow mapping. */
bool yml_line_has_action(struct position at);

/* The help for such a line. */
#define YML_HELP_ACTION "put a value that holds {{ ... }} in quotes, or in a block after |"

#endif
