/*
 * template-cases --regex
 */
#ifndef OSM_GEN_TESTS_TEMPLATE_REGEX_CASES_H
#define OSM_GEN_TESTS_TEMPLATE_REGEX_CASES_H

#include "base/base.h"

struct regex_counts {
	size_t patterns;
	size_t texts;
	size_t different;
	size_t documented;  /* differences that RE2 documents */
	size_t other_words; /* refused as by Go, in other words */
};

/* Checks the lines on stdin; false when one is not understood. */
bool regex_cases_run(struct regex_counts *counts);

#endif
