/*
 * node-formats: a node configuration in every format. One JSON object a line on stdin; for each,
 * one JSON line on stdout: {"text": {FORMAT: text}, "errors": {FORMAT: [text]}, "effect",
 * "multipart"}. All texts of both are in base64, since any bytes may stand in them.
 *
 *   {"files": [{"path", "mode", "content", "transparent"}], "links": [{"path", "target"}],
 *    "units": [{"name", "enable", "mask", "command", "content", "drop_ins": [{"name",
 * "content"}]}], "script": {"before", "after", "starts": [{"name", "no_block"}], "once"}, "parts":
 * [text]}
 *
 * Members may be absent. mode is a number, command is plain; parts are those of a MIME document.
 */
#include "codec/codec.h"
#include "userdata/userdata.h"
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>

/* The bytes that a text in base64 stands for. */
static struct value bytes_of(struct arena *arena, const struct value *text)
{
	size_t at;
	sv bytes;

	if (!base64_decode(arena, BASE64_STD, value_text(text), &bytes, &at))
		BUG("a member is no base64");
	return value_string(bytes);
}

/* Those of a member; the invalid value when there is none. */
static struct value member(struct arena *arena, const struct value *map, const char *key)
{
	const struct value *text = value_map_get(map, sv_from_cstr(key));

	return text ? bytes_of(arena, text) : VALUE_INVALID;
}

static bool is_set(const struct value *map, const char *key)
{
	const struct value *v = value_map_get(map, sv_from_cstr(key));

	return value_is(v, KIND_BOOL) && v->boolean;
}

static void read_files(struct arena *arena, const struct value *root, struct node_config *node)
{
	const struct value *list = value_map_get(root, SV("files"));

	node->file_count = value_count(list);
	node->files = ARENA_ARRAY(arena, struct node_file, node->file_count);
	for (size_t i = 0; i < node->file_count; i++) {
		const struct value *item = value_item(list, i);
		const struct value *mode = value_map_get(item, SV("mode"));

		node->files[i] = (struct node_file){
		    .path = member(arena, item, "path"),
		    .mode = mode ? (int)mode->real : NODE_MODE_ABSENT,
		    .content = member(arena, item, "content"),
		    .is_transparent = is_set(item, "transparent"),
		};
	}
}

static void read_links(struct arena *arena, const struct value *root, struct node_config *node)
{
	const struct value *list = value_map_get(root, SV("links"));

	node->link_count = value_count(list);
	node->links = ARENA_ARRAY(arena, struct node_link, node->link_count);
	for (size_t i = 0; i < node->link_count; i++)
		node->links[i] = (struct node_link){member(arena, value_item(list, i), "path"),
		                                    member(arena, value_item(list, i), "target")};
}

static void read_units(struct arena *arena, const struct value *root, struct node_config *node)
{
	const struct value *list = value_map_get(root, SV("units"));

	node->unit_count = value_count(list);
	node->units = ARENA_ARRAY(arena, struct node_unit, node->unit_count);
	for (size_t i = 0; i < node->unit_count; i++) {
		const struct value *item = value_item(list, i);
		const struct value *drop_ins = value_map_get(item, SV("drop_ins"));
		struct node_unit *unit = &node->units[i];

		*unit = (struct node_unit){
		    .name = member(arena, item, "name"),
		    .mask = is_set(item, "mask"),
		    .command = value_text(value_map_get(item, SV("command"))),
		    .content = member(arena, item, "content"),
		    .drop_ins = ARENA_ARRAY(arena, struct node_drop_in, value_count(drop_ins)),
		    .drop_in_count = value_count(drop_ins),
		};
		if (value_map_get(item, SV("enable")))
			unit->enable = is_set(item, "enable") ? NODE_ENABLE_YES : NODE_ENABLE_NO;
		for (size_t k = 0; k < unit->drop_in_count; k++)
			unit->drop_ins[k] = (struct node_drop_in){
			    member(arena, value_item(drop_ins, k), "name"),
			    member(arena, value_item(drop_ins, k), "content")};
	}
}

static void read_script(struct arena *arena, const struct value *root, struct node_config *node)
{
	const struct value *map = value_map_get(root, SV("script"));
	const struct value *starts = value_map_get(map, SV("starts"));

	if (!map)
		return;
	struct node_script *script = ARENA_NEW(arena, struct node_script);
	struct node_start *start = ARENA_ARRAY(arena, struct node_start, value_count(starts));
	for (size_t i = 0; i < value_count(starts); i++)
		start[i] = (struct node_start){
		    .name = member(arena, value_item(starts, i), "name"),
		    .no_block = is_set(value_item(starts, i), "no_block"),
		};
	*script = (struct node_script){
	    .before = member(arena, map, "before"),
	    .after = member(arena, map, "after"),
	    .starts = start,
	    .start_count = value_count(starts),
	    .once = is_set(map, "once"),
	};
	node->script = script;
}

static void set_text(struct arena *arena, struct value *map, const char *key, sv text)
{
	value_map_set(arena, map, sv_from_cstr(key),
	              value_string(base64_encode(arena, BASE64_STD, text)));
}

static sv multipart(struct arena *arena, const struct value *root)
{
	const struct value *list = value_map_get(root, SV("parts"));
	size_t count = value_count(list);
	struct userdata_part *parts = ARENA_ARRAY(arena, struct userdata_part, count);

	for (size_t i = 0; i < count; i++)
		parts[i] = (struct userdata_part){SV("text/x-shellscript"),
		                                  bytes_of(arena, value_item(list, i))};
	return userdata_multipart(arena, parts, count).string;
}

static void answer(struct arena *arena, sv line)
{
	struct value result = value_map_new(arena);
	struct value texts = value_map_new(arena);
	struct value errors = value_map_new(arena);
	struct node_config node = {0};
	struct buf out = buf_in(arena);
	struct value root;
	sv name;
	sv error;

	if (!json_decode(arena, line, &root, &error))
		BUG("a line is no JSON");
	read_files(arena, &root, &node);
	read_links(arena, &root, &node);
	read_units(arena, &root, &node);
	read_script(arena, &root, &node);
	node.cloud_config = member(arena, &root, "cloud_config");
	node.reboot_strategy = member(arena, &root, "reboot_strategy");
	set_text(arena, &result, "effect", node_effect(arena, &node).string);
	set_text(arena, &result, "multipart", multipart(arena, &root));
	struct sv_splitter it = sv_split(SV(USERDATA_FORMATS), '|');
	while (sv_split_next(&it, &name)) {
		struct sink sink = sink_in(arena);
		struct value list = value_list_new(arena);
		struct value text;

		if (userdata_format_find(name)->write(arena, &sink, &node, &text) == STATUS_OK)
			set_text(arena, &texts, arena_cstr(arena, name), text.string);
		VEC_EACH (diag, &sink.diags)
			value_list_add(arena, &list, value_string((*diag)->text));
		value_map_set(arena, &errors, name, list);
	}
	value_map_set(arena, &result, SV("text"), texts);
	value_map_set(arena, &result, SV("errors"), errors);
	json_emit(&out, &result, 0);
	printf("%.*s\n", SV_ARG(buf_sv(&out)));
	fflush(stdout);
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	while ((length = getline(&line, &size, stdin)) >= 0) {
		ARENA_AUTO arena = arena_new(ARENA_PLAIN);

		answer(arena, sv_from(line, (size_t)length));
	}
	free(line);
	return 0;
}
