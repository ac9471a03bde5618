/*
 * The hash of a MachineDeployment's annotations (docs/spec/controller.md 3.3).
 */
#include "codec/codec.h"
#include "osm/machine.h"
#include "value/text.h"
#include "json/json.h"

sv osm_annotations_hash(struct arena *arena, const struct value *annotations)
{
	struct buf json = buf_in(arena);

	if (value_is_map(annotations) && value_count(annotations) > 0)
		json_emit(&json, annotations, JSON_GO);
	else /* The API server drops an empty map. */
		BUF_ADD_LIT(&json, "null");
	return digest_hex(arena, DIGEST_SHA256, buf_sv(&json));
}
