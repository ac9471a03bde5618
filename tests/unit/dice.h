/*
 * Random cases that are the same in every run.
 */
#ifndef OSM_GEN_TESTS_UNIT_DICE_H
#define OSM_GEN_TESTS_UNIT_DICE_H

#include <stdint.h>

/* .state is the seed. */
struct dice {
	uint64_t state;
};

/* From 0 to sides - 1. */
static inline unsigned roll(struct dice *dice, unsigned sides)
{
	dice->state = dice->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(dice->state >> 33) % sides;
}

#endif
