/*
 * The dialects that there are. A dialect that is added is a folder and a line here.
 */
#include "dialect/dialect.h"

extern const struct dialect osm_dialect;
extern const struct dialect gardener_dialect;

const struct dialect *const *dialects(size_t *ret_count)
{
	static const struct dialect *const registry[] = {&osm_dialect, &gardener_dialect};

	*ret_count = COUNT_OF(registry);
	return registry;
}
