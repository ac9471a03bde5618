#include "tree/tree.h"

#include "json/json.h"

#define INDEX_FORMAT_VERSION 1

sv tree_index_path(struct arena *arena, sv cluster)
{
	return ARENA_CONCAT(arena, cluster, SV("/index.json"));
}

static void set_text(struct arena *arena, struct value *map, const char *key, sv text)
{
	if (!sv_empty(text))
		value_map_set(arena, map, sv_from_cstr(key), value_string(text));
}

static struct value file_value(struct arena *arena, sv cluster, const struct tree_file *file)
{
	struct value entry = value_map_new(arena);

	set_text(arena, &entry, "path", sv_from_offset(file->path, cluster.len + 1));
	if (!sv_empty(file->object.kind)) {
		struct value object = value_map_new(arena);

		set_text(arena, &object, "apiVersion", file->object.api_version);
		set_text(arena, &object, "kind", file->object.kind);
		set_text(arena, &object, "namespace", file->object.namespace);
		set_text(arena, &object, "name", file->object.name);
		value_map_set(arena, &entry, SV("object"), object);
		set_text(arena, &entry, "source", file->source);
		value_map_set(arena, &entry, SV("sealed"), value_bool(file->sealed));
	}
	if (file->user_data_bytes > 0) {
		struct value user_data = value_map_new(arena);

		value_map_set(arena, &user_data, SV("bytes"),
		              value_int((int64_t)file->user_data_bytes));
		if (file->user_data_budget > 0)
			value_map_set(arena, &user_data, SV("budget"),
			              value_int((int64_t)file->user_data_budget));
		value_map_set(arena, &entry, SV("userData"), user_data);
	}
	return entry;
}

void tree_add_index(struct buf *buf, struct arena *arena, sv cluster, sv seed_id,
                    const struct tree_files *files)
{
	struct value root = value_map_new(arena);
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < files->count; i++)
		value_list_add(arena, &list, file_value(arena, cluster, &files->items[i]));
	value_map_set(arena, &root, SV("formatVersion"), value_int(INDEX_FORMAT_VERSION));
	value_map_set(arena, &root, SV("generator"), value_string(SV("osm-gen")));
	value_map_set(arena, &root, SV("cluster"), value_string(cluster));
	set_text(arena, &root, "seedId", seed_id);
	value_map_set(arena, &root, SV("files"), list);
	json_emit(buf, &root, JSON_INDENT);
	buf_add_char(buf, '\n');
}

/* A path that stays where it is: no empty, "." or ".." part. */
static bool stays_inside(sv path)
{
	struct sv_splitter it = sv_split(path, '/');
	sv part;

	while (sv_split_next(&it, &part))
		if (sv_empty(part) || sv_eq(part, SV(".")) || sv_eq(part, SV("..")))
			return false;
	return true;
}

/* Nobody merges an index by hand: it is written anew once there is one to start from. */
static void set_conflict_help(struct sink *sink, struct diag *diag)
{
	sv path = diag->at.source->path;
	sv folder = sv_slice(path, 0, sv_rfind_char(path, '/'));

	if (sv_starts_with(path, SV("/"))) {
		diag_set_help(sink, diag, "remove %.*s, and run osm-gen again", SV_ARG(folder));
		return;
	}
	diag_set_help(
	    sink, diag,
	    "take one side of the folder, as it is generated: git checkout --ours -- "
	    "%.*s while the merge is open, git checkout COMMIT -- %.*s with a commit from "
	    "before it later on; commit that, and run osm-gen again",
	    SV_ARG(folder), SV_ARG(folder));
}

enum status tree_read_index(struct arena *arena, struct sink *sink, sv cluster,
                            const struct source *source, struct tree_index *ret_index)
{
	size_t before = sink->diags.count;
	struct value root;

	if (json_parse(arena, sink, source, &root) != STATUS_OK) {
		for (size_t i = before; i < sink->diags.count; i++)
			if (sink->diags.items[i]->code == DIAG_CONFLICT_MARKER)
				set_conflict_help(sink, sink->diags.items[i]);
		return STATUS_FAILED;
	}
	if (!sv_eq(value_text(value_map_get(&root, SV("generator"))), SV("osm-gen"))) {
		*ret_index = (struct tree_index){.is_foreign = true};
		return STATUS_OK;
	}
	const struct value *files = value_map_get(&root, SV("files"));
	const struct value *version = value_map_get(&root, SV("formatVersion"));
	if (!value_is_list(files) || !version || !type_is_signed(version->type) ||
	    version->integer != INDEX_FORMAT_VERSION) {
		struct diag *diag = diag_report(sink, DIAG_TREE_INDEX, position_of_source(source),
		                                "this is not an index that osm-gen wrote");
		diag_set_help(
		    sink, diag,
		    "restore the file from git, or remove the cluster's folder and commit that");
		return STATUS_FAILED;
	}
	sv *paths = ARENA_ARRAY(arena, sv, value_count(files));
	for (size_t i = 0; i < value_count(files); i++) {
		const struct value *path = value_map_get(value_item(files, i), SV("path"));

		if (!value_is_string(path) || !stays_inside(path->string)) {
			diag_report(
			    sink, DIAG_TREE_INDEX, value_position(value_item(files, i)),
			    "this entry's path is missing or leads out of the cluster's folder");
			return STATUS_FAILED;
		}
		paths[i] = ARENA_CONCAT(arena, cluster, SV("/"), path->string);
	}
	*ret_index = (struct tree_index){
	    .paths = paths,
	    .path_count = value_count(files),
	    .seed_id = value_text(value_map_get(&root, SV("seedId"))),
	};
	return STATUS_OK;
}
