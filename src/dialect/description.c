/*
 * Reads what the configs of all dialects have alike.
 */
#include "dialect/unit.h"
#include "node/node.h"

struct dialect_node_files dialect_unit_files(struct arena *arena, const struct value *unit)
{
	const struct node_unit named = {
	    .name = value_string(value_text(value_map_get(unit, SV("name"))))};
	const struct value *content = value_map_get(unit, SV("content"));
	const struct value *drop_ins = value_map_get(unit, SV("dropIns"));
	struct dialect_node_files files = {0};

	if (content)
		VEC_PUSH(arena, &files,
		         ((struct dialect_node_file){
		             .path = node_unit_path(arena, &named, NULL).string,
		             .text = value_text(content),
		         }));
	for (size_t i = 0; value_is_list(drop_ins) && i < value_count(drop_ins); i++) {
		const struct value *item = value_item(drop_ins, i);
		const struct node_drop_in drop_in = {
		    .name = value_string(value_text(value_map_get(item, SV("name"))))};

		VEC_PUSH(arena, &files,
		         ((struct dialect_node_file){
		             .path = node_unit_path(arena, &named, &drop_in).string,
		             .text = value_text(value_map_get(item, SV("content"))),
		         }));
	}
	return files;
}
