/*
 * The way to Ignition: what does not get through is reported, what does is JSON, holds the texts
 * that the block scalars carry, and a text that was carried once is carried again unchanged.
 *
 * Input: flags, then name, path, key and text, with NUL between.
 */
#include "golang/golang.h"
#include "userdata/ignition.h"
#include "userdata/userdata.h"
#include "json/json.h"

enum { FLAG_ENABLE = 1, FLAG_MASK = 2, FLAG_DROP_IN = 4, FLAG_HOST_NAME = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text in Ignition is the one that the scalar carries; and that is a fixed point. */
static void check_text(struct arena *arena, const struct value *root, const struct value *text,
                       size_t file_number)
{
	const struct ignition_place place = {.indent = 10, .parent = 8};
	struct ignition_text once;
	struct ignition_text twice;
	const char *problem;
	size_t at;
	sv decoded;
	sv error;

	if (!ignition_text_normalise(arena, text, place, &once, &problem, &at))
		BUG("a file was written that cannot be carried");
	if (!ignition_text_normalise(arena, &once.value, place, &twice, &problem, &at))
		BUG("what was carried cannot be carried again");
	BUG_ON(!sv_eq(once.value.string, twice.value.string) || twice.lost_from != SV_NPOS);
	const struct value *file = value_item(value_path(root, "storage.files"), file_number);
	sv source = value_text(value_path(file, "contents.source"));
	BUG_ON(!sv_starts_with(source, SV("data:,")));
	if (!go_url_query_unescape(arena, sv_from_offset(source, 6), &decoded, &error))
		BUG("a data URL that does not decode");
	BUG_ON(!sv_eq(decoded, once.value.string));
}

static void check_output(struct arena *arena, const struct value *text,
                         const struct node_config *node)
{
	struct sink sink = sink_in(arena);
	struct value root;

	if (json_parse(arena, &sink, source_new(arena, SV("out"), text->string, false), &root) !=
	    STATUS_OK)
		BUG("what was written is not JSON");
	bool named = node->hostname.string.len > 0;
	BUG_ON(value_count(value_path(&root, "storage.files")) != 1u + named);
	BUG_ON(value_count(value_path(&root, "systemd.units")) != 1);
	check_text(arena, &root, &node->files[0].content, named);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA_AUTO arena = arena_new(ARENA_SECRET);
	struct sink sink = sink_in(arena);
	sv parts[4] = {0};
	struct value output;

	if (size == 0)
		return 0;
	unsigned flags = data[0];
	sv rest = sv_from((const char *)data + 1, size - 1);
	for (size_t i = 0; i < 3; i++) {
		size_t end = sv_find_char(rest, '\0');

		parts[i] = sv_slice(rest, 0, end);
		rest = sv_from_offset(rest, end == SV_NPOS ? rest.len : end + 1);
	}
	parts[3] = rest;
	struct node_file file = {.path = value_string(parts[1]),
	                         .mode_text = SV("0644"),
	                         .content = value_string(parts[3])};
	struct node_drop_in drop_in = {value_string(SV("a.conf")), value_string(parts[3])};
	struct node_unit unit = {.name = value_string(parts[0]),
	                         .enable = flags & FLAG_ENABLE ? NODE_ENABLE_YES : NODE_ENABLE_NO,
	                         .mask = flags & FLAG_MASK,
	                         .content = value_string(parts[3]),
	                         .drop_ins = &drop_in,
	                         .drop_in_count = flags & FLAG_DROP_IN ? 1 : 0};
	struct node_config node = {
	    .hostname = value_string(flags & FLAG_HOST_NAME ? SV(NODE_MACHINE_NAME) : SV("")),
	    .files = &file,
	    .file_count = 1,
	    .units = &unit,
	    .unit_count = 1,
	};
	struct value keys = value_list_new(arena);
	value_list_add(arena, &keys, value_string(parts[2]));
	node_set_ssh_keys(arena, &node, &keys);
	if (userdata_ignition(arena, &sink, &node, NULL, &output) == STATUS_OK) {
		BUG_ON(sink.error_count > 0);
		check_output(arena, &output, &node);
	} else {
		BUG_ON(sink.error_count == 0);
	}
	return 0;
}
