/*
 * secrecy-fuzz [TEMPLATES [SEED]]: searches for templates that show a secret (make secrecy-fuzz).
 */
#include "tmpl_canary.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t templates = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	return tmpl_canary_search(templates, seed);
}
