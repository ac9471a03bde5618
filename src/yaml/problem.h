/*
 * libyaml's complaints in words that say what to do (private to yaml/).
 */
#ifndef OSM_GEN_YAML_PROBLEM_H
#define OSM_GEN_YAML_PROBLEM_H

#include "yaml/scan.h"

#include <yaml.h>

/* Reports the parser's error as one diagnostic. */
void yaml_report_problem(struct sink *sink, const struct yaml_text *text,
                         const yaml_parser_t *parser);

/* The line has a template action that YAML took for a flow mapping. */
bool yaml_line_has_action(struct position at);

/* What to do then. */
#define YAML_HELP_ACTION "put a value that holds {{ ... }} in quotes, or in a block after |"

#endif
