/*
 * Prints the JSON Schema of MachineDeployments: machine-schema [PROVIDER]
 */
#include <stdio.h>

#include "osm/osm.h"
#include "json/json.h"

int main(int argc, char **argv)
{
	ARENA_AUTO arena = arena_new(ARENA_PLAIN);
	struct value schema = osm_machine_schema(arena, argc > 1 ? sv_from_cstr(argv[1]) : SV(""));
	struct buf buf = buf_in(arena);

	json_emit(&buf, &schema, 0);
	printf("%.*s\n", SV_ARG(buf_sv(&buf)));
	return 0;
}
