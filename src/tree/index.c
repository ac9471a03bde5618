/*
 * index.json: what osm-gen wrote for a cluster and so may remove, and what a later run needs to
 * know of it.
 */
#include "tree/tree.h"

#include "json/json.h"

#define INDEX_FORMAT 2

sv tree_index_path(struct arena *arena, sv cluster)
{
	return ARENA_CONCAT(arena, cluster, SV("/index.json"));
}

/* ---- writing ----------------------------------------------------------------------------- */

static void set_text(struct arena *arena, struct value *map, const char *key, sv text)
{
	if (!sv_empty(text))
		value_map_set(arena, map, sv_from_cstr(key), value_string(text));
}

static void set_size(struct arena *arena, struct value *map, const char *key, size_t size)
{
	if (size > 0)
		value_map_set(arena, map, sv_from_cstr(key), value_int((int64_t)size));
}

static void set_object(struct arena *arena, struct value *entry, const struct tree_file *file)
{
	struct value object = value_map_new(arena);

	set_text(arena, &object, "apiVersion", file->object.api_version);
	set_text(arena, &object, "kind", file->object.kind);
	set_text(arena, &object, "namespace", file->object.namespace);
	set_text(arena, &object, "name", file->object.name);
	value_map_set(arena, entry, SV("object"), object);
	set_text(arena, entry, "role", artifact_role_name(file->role));
	set_text(arena, entry, "source", file->source);
	value_map_set(arena, entry, SV("sealed"), value_bool(file->sealed));
}

static void set_unit(struct arena *arena, struct value *entry, sv cluster,
                     const struct tree_unit *unit)
{
	struct value map = value_map_new(arena);

	set_text(arena, &map, "cluster", cluster);
	set_text(arena, &map, "kind", unit->kind);
	set_text(arena, &map, "namespace", unit->namespace);
	set_text(arena, &map, "name", unit->name);
	value_map_set(arena, entry, SV("unit"), map);
}

static struct value file_value(struct arena *arena, sv cluster, const struct tree_file *file)
{
	struct value entry = value_map_new(arena);

	set_text(arena, &entry, "path", sv_from_offset(file->path, cluster.len + 1));
	if (!sv_empty(file->object.kind))
		set_object(arena, &entry, file);
	if (!sv_empty(file->unit.kind))
		set_unit(arena, &entry, cluster, &file->unit);
	set_text(arena, &entry, "revision", file->revision);
	set_text(arena, &entry, "templateDigest", file->template_digest);
	if (!sv_empty(file->profile)) {
		struct value profile = value_map_new(arena);

		set_text(arena, &profile, "name", file->profile);
		set_text(arena, &profile, "version", file->profile_version);
		value_map_set(arena, &entry, SV("profile"), profile);
	}
	if (file->user_data_bytes > 0) {
		struct value user_data = value_map_new(arena);

		set_size(arena, &user_data, "bytes", file->user_data_bytes);
		set_size(arena, &user_data, "budget", file->user_data_limit);
		value_map_set(arena, &entry, SV("userData"), user_data);
	}
	return entry;
}

void tree_add_index(struct buf *buf, struct arena *arena, const struct tree_index_request *request)
{
	struct value root = value_map_new(arena);
	struct value recipients = value_list_new(arena);
	struct value list = value_list_new(arena);

	for (size_t i = 0; i < request->recipient_count; i++)
		value_list_add(arena, &recipients, value_string(request->recipients[i]));
	VEC_EACH (file, request->files)
		value_list_add(arena, &list, file_value(arena, request->cluster, file));
	value_map_set(arena, &root, SV("formatVersion"), value_int(INDEX_FORMAT));
	value_map_set(arena, &root, SV("generator"), value_string(SV("osm-gen")));
	value_map_set(arena, &root, SV("cluster"), value_string(request->cluster));
	set_text(arena, &root, "seedId", request->seed_id);
	value_map_set(arena, &root, SV("recipients"), recipients);
	value_map_set(arena, &root, SV("files"), list);
	json_emit(buf, &root, JSON_INDENT);
	buf_add_char(buf, '\n');
}

/* ---- reading ----------------------------------------------------------------------------- */

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

static sv member(const struct value *map, const char *key)
{
	return value_text(value_map_get(map, sv_from_cstr(key)));
}

static enum artifact_role read_role(sv name)
{
	for (int role = ARTIFACT_CONFIG; role < ARTIFACT_SUPPORT; role++)
		if (sv_eq(name, artifact_role_name((enum artifact_role)role)))
			return (enum artifact_role)role;
	return ARTIFACT_SUPPORT;
}

static struct tree_file read_file(struct arena *arena, sv cluster, const struct value *entry)
{
	const struct value *object = value_map_get(entry, SV("object"));
	const struct value *unit = value_map_get(entry, SV("unit"));
	const struct value *profile = value_map_get(entry, SV("profile"));

	return (struct tree_file){
	    .path = ARENA_CONCAT(arena, cluster, SV("/"), member(entry, "path")),
	    .object = {member(object, "apiVersion"), member(object, "kind"),
	               member(object, "namespace"), member(object, "name")},
	    .role = read_role(member(entry, "role")),
	    .unit = {member(unit, "kind"), member(unit, "namespace"), member(unit, "name")},
	    .revision = member(entry, "revision"),
	    .template_digest = member(entry, "templateDigest"),
	    .profile = member(profile, "name"),
	    .profile_version = member(profile, "version"),
	};
}

/* 0: no format that is known. */
static int read_format(const struct value *root)
{
	const struct value *version = value_map_get(root, SV("formatVersion"));

	if (!version || !type_is_signed(version->type) || version->integer < 1 ||
	    version->integer > INDEX_FORMAT)
		return 0;
	return (int)version->integer;
}

static enum status read_files(struct arena *arena, struct sink *sink, sv cluster,
                              const struct value *list, struct tree_index *index)
{
	index->file_count = value_count(list);
	index->files = ARENA_ARRAY(arena, struct tree_file, index->file_count);
	for (size_t i = 0; i < index->file_count; i++) {
		const struct value *entry = value_item(list, i);

		if (!stays_inside(member(entry, "path"))) {
			diag_report(
			    sink, DIAG_TREE_INDEX, value_position(entry),
			    "this entry's path is missing or leads out of the cluster's folder");
			return STATUS_FAILED;
		}
		index->files[i] = read_file(arena, cluster, entry);
	}
	return STATUS_OK;
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
	if (!sv_eq(member(&root, "generator"), SV("osm-gen"))) {
		*ret_index = (struct tree_index){.is_foreign = true};
		return STATUS_OK;
	}
	const struct value *files = value_map_get(&root, SV("files"));
	struct tree_index index = {
	    .format = read_format(&root),
	    .seed_id = member(&root, "seedId"),
	};
	if (!value_is_list(files) || index.format == 0) {
		struct diag *diag = diag_report(sink, DIAG_TREE_INDEX, position_of_source(source),
		                                "this is not an index that osm-gen wrote");
		diag_set_help(
		    sink, diag,
		    "restore the file from git, or remove the cluster's folder and commit that");
		return STATUS_FAILED;
	}
	if (read_files(arena, sink, cluster, files, &index) != STATUS_OK)
		return STATUS_FAILED;
	*ret_index = index;
	return STATUS_OK;
}
