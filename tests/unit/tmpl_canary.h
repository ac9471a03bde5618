/*
 * The search for templates that show a secret, beyond what the C test tries (tmpl_canary_test.c).
 */
#ifndef OSM_GEN_TESTS_UNIT_TMPL_CANARY_H
#define OSM_GEN_TESTS_UNIT_TMPL_CANARY_H

#include <stddef.h>
#include <stdint.h>

/* Renders `programs` random templates, drawn from `seed` on, and returns 0 if none shows a secret.
 */
int tmpl_canary_search(size_t programs, uint64_t seed);

#endif
