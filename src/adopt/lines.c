/*
 * What is said of an adoption: what was taken, what was left out, what there is to know.
 */
#include "adopt/internal.h"

void adopt_say(struct arena *arena, struct adopt_lines *lines, enum adopt_fate fate, sv what,
               sv why)
{
	VEC_PUSH(arena, lines, (struct adopt_line){fate, what, why});
}
