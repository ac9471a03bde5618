/* Checks a file on the disk against the index of the output folder that it is in. */
#include "audit/internal.h"
#include "os/os.h"

enum { MOST_FOLDERS = 6 };

static sv folder_of(sv path)
{
	size_t slash = sv_rfind_char(path, '/');

	return slash == SV_NPOS ? SV("") : sv_slice(path, 0, slash);
}

/* Reads an index in a bucket or, if its paths do not fit that, outside of one. */
static bool read_index_in_place(struct arena *arena, sv folder, const struct source *source,
                                struct tree_index *ret_index)
{
	sv cluster = sv_after_last(folder, '/');
	sv bucket = fleet_folder(arena, cluster, true);
	sv what;

	if (sv_ends_with(folder, ARENA_CONCAT(arena, SV("/"), bucket)) &&
	    audit_read_index(arena, bucket, source, ret_index, &what))
		return true;
	return audit_read_index(arena, cluster, source, ret_index, &what);
}

/* Finds the nearest index.json above the file that osm-gen wrote. */
static bool find_index(struct arena *arena, sv real, struct tree_index *ret_index, sv *ret_folder)
{
	sv folder = folder_of(real);

	for (int i = 0; i < MOST_FOLDERS && !sv_empty(folder); i++, folder = folder_of(folder)) {
		sv path = tree_index_path(arena, folder);
		struct sink unused = sink_in(arena);
		struct tree_index index;
		sv text;

		if (os_kind(path) != OS_FILE ||
		    os_read_file(arena, &unused, path, TREE_INDEX_MAX_BYTES, &text) != STATUS_OK ||
		    !read_index_in_place(arena, folder, source_new(arena, path, text, false),
		                         &index) ||
		    index.is_foreign)
			continue;
		*ret_index = index;
		*ret_folder = folder;
		return true;
	}
	return false;
}

/* `folder` is the folder of the index on the disk. */
static sv mistake_of(struct arena *arena, const struct tree_index *index, sv folder, sv path,
                     const struct source *source, const struct value *document)
{
	if (!sv_eq(index->cluster, fleet_folder_cluster(index->folder)))
		return arena_printf(arena, "the index beside it is that of cluster \"%.*s\"",
		                    SV_ARG(index->cluster));
	for (size_t i = 0; i < index->file_count; i++)
		if (sv_eq(index->files[i].path, path))
			return audit_place_mistake(arena, index, &index->files[i], document,
			                           source->text);
	return arena_printf(arena, "%.*s does not list it", SV_ARG(tree_index_path(arena, folder)));
}

enum status audit_check_place(struct arena *arena, struct sink *sink, const struct source *source,
                              const struct value *document)
{
	struct tree_index index;
	sv folder;
	sv real;

	if (!os_real_path(arena, source->path, &real) || !find_index(arena, real, &index, &folder))
		return STATUS_OK;
	sv path = sv_from_offset(real, folder.len - index.folder.len);
	sv mistake = mistake_of(arena, &index, folder, path, source, document);
	if (sv_empty(mistake))
		return STATUS_OK;
	struct diag *diag = diag_report(sink, DIAG_SEALED_ELSEWHERE, position_of_source(source),
	                                "this file does not belong here: %.*s", SV_ARG(mistake));
	diag_set_help(
	    sink, diag,
	    "restore what osm-gen wrote (`osm-gen verify` shows what has changed), or print "
	    "it all the same with --force");
	return STATUS_FAILED;
}
