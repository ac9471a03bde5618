/*
 * Compares the files of an output with its indexes.
 */
#include "audit/internal.h"

struct listing {
	struct arena *arena;
	struct audit_findings *findings;
	struct audit_tree *tree;
};

static void report_index(const struct listing *l, sv path, sv what)
{
	struct diag *diag = audit_find(l->findings, DIAG_AUDIT_FILE, path,
	                               "the index cannot be read: %.*s", SV_ARG(what));

	diag_set_help(&l->findings->sink, diag,
	              "restore the index from git; until then nothing below its folder is checked");
}

static void report_merged(const struct listing *l, sv path)
{
	struct diag *diag = audit_find(l->findings, DIAG_AUDIT_MERGED, path,
	                               "a merge made this index, and no run has written it since: "
	                               "the output may not be what the inputs make");

	diag_set_help(&l->findings->sink, diag, "run `osm-gen generate`");
	map_put(&l->findings->merged, path, diag);
}

static void add_index(struct listing *l, const struct git_file *file, sv folder)
{
	struct sink unused = sink_in(l->arena);
	struct tree_index index = {0};
	sv what = SV("the file is larger than 256 MiB, or missing");
	sv text;

	if (file->mode != GIT_MODE_FILE && file->mode != GIT_MODE_EXECUTABLE)
		return; /* reported as what it is */
	if (git_read_within(l->arena, &unused, l->tree->repo, l->tree->out, file,
	                    TREE_INDEX_MAX_BYTES, &text) != STATUS_OK ||
	    !audit_read_index(l->arena, folder, source_new(l->arena, file->path, text, false),
	                      &index, &what)) {
		report_index(l, file->path, what);
		return;
	}
	if (index.is_foreign)
		return;
	if (!sv_eq(index.cluster, fleet_folder_cluster(folder)))
		audit_find(l->findings, DIAG_AUDIT_OBJECT, file->path,
		           "this is the index of cluster \"%.*s\", but the folder belongs to "
		           "another cluster",
		           SV_ARG(index.cluster));
	if (index.is_merged)
		report_merged(l, file->path);
	VEC_PUSH(l->arena, &l->tree->indexes, index);
	for (size_t i = 0; i < index.file_count; i++) {
		map_put(&l->tree->listed, index.files[i].path, &index.files[i]);
		set_add(&l->tree->paths, index.files[i].path);
	}
	set_add(&l->tree->paths, file->path);
}

/*
 * Reports clusters with two indexes, one in a bucket and one outside, as after a merge or if
 * somebody put back files that a run has moved: either of them may be applied.
 */
static void check_twice(const struct listing *l)
{
	struct map folders = map_in(l->arena);

	VEC_EACH (index, &l->tree->indexes) {
		sv cluster = fleet_folder_cluster(index->folder);
		const struct tree_index *other = map_get(&folders, cluster);

		if (!other) {
			map_put(&folders, cluster, index);
			continue;
		}
		bool is_right = fleet_folder_is_in_bucket(index->folder) == l->tree->in_buckets;
		sv kept = is_right ? index->folder : other->folder;
		sv removed = is_right ? other->folder : index->folder;
		struct diag *diag = audit_find(
		    l->findings, DIAG_AUDIT_OBJECT, tree_index_path(l->arena, removed),
		    "cluster \"%.*s\" has a second index, %.*s, placed as those of most clusters",
		    SV_ARG(cluster), SV_ARG(tree_index_path(l->arena, kept)));
		diag_set_help(
		    &l->findings->sink, diag,
		    "run `osm-gen generate`, which removes the files that this index lists");
	}
}

static const char *mode_words(enum git_mode mode)
{
	switch (mode) {
	case GIT_MODE_EXECUTABLE:
		return "an executable file";
	case GIT_MODE_LINK:
		return "a symbolic link";
	case GIT_MODE_SUBMODULE:
		return "a submodule";
	case GIT_MODE_FILE:
		break;
	}
	return NULL;
}

static void check_there(const struct listing *l)
{
	VEC_EACH (file, &l->tree->state.outputs) {
		const char *words = mode_words(file->mode);

		if (words) {
			struct diag *diag = audit_find(l->findings, DIAG_AUDIT_FILE, file->path,
			                               "%s, which osm-gen never writes", words);
			diag_set_help(&l->findings->sink, diag,
			              "remove it, then run `osm-gen generate`");
		}
		if (!set_has(&l->tree->paths, file->path)) {
			struct diag *diag = audit_find(l->findings, DIAG_AUDIT_UNLISTED, file->path,
			                               "no index.json lists this file");
			diag_set_help(&l->findings->sink, diag,
			              "remove the file: appliers and sops may read it (.sops.yaml, "
			              "further manifests), and nobody vouches for it");
		}
	}
}

static void check_listed(const struct listing *l)
{
	struct map here = map_in(l->arena);

	VEC_EACH (file, &l->tree->state.outputs)
		map_put(&here, file->path, file);
	VEC_EACH (index, &l->tree->indexes) {
		for (size_t i = 0; i < index->file_count; i++) {
			sv path = index->files[i].path;

			if (map_get(&here, path))
				continue;
			struct diag *diag =
			    audit_find(l->findings, DIAG_AUDIT_MISSING, path,
			               "this file is missing, and %.*s lists it",
			               SV_ARG(tree_index_path(l->arena, index->folder)));
			diag_set_help(&l->findings->sink, diag,
			              "run `osm-gen generate`, which writes the file anew");
		}
	}
}

/* The output folder itself. */
static void check_folder(const struct listing *l, struct git_id tree)
{
	struct git_file there;

	if (!git_look_up(l->arena, l->tree->repo, tree, l->tree->out, &there))
		audit_find(l->findings, DIAG_AUDIT_MISSING, SV(""),
		           "there is no output in this commit");
	else if (mode_words(there.mode) || there.mode == GIT_MODE_FILE)
		audit_find(l->findings, DIAG_AUDIT_FILE, SV(""),
		           "%s is in the place of the output folder",
		           mode_words(there.mode) ? mode_words(there.mode) : "a file");
}

enum status audit_read_tree(struct arena *arena, struct sink *sink, struct git_repo *repo,
                            struct git_id tree, sv out, struct audit_findings *findings,
                            struct audit_tree *ret_tree)
{
	struct audit_tree read = {
	    .repo = repo, .out = out, .listed = map_in(arena), .paths = set_in(arena)};
	struct listing l = {arena, findings, &read};
	struct tree_layout layout = {0};

	if (audit_read_state(arena, sink, repo, tree, out, &read.state) != STATUS_OK)
		return STATUS_FAILED;
	check_folder(&l, tree);
	VEC_EACH (file, &read.state.outputs) {
		sv folder;

		tree_layout_add(&layout, file->path);
		if (tree_is_index_path(file->path, &folder))
			add_index(&l, file, folder);
	}
	read.in_buckets = tree_layout_in_buckets(&layout);
	check_twice(&l);
	check_there(&l);
	check_listed(&l);
	*ret_tree = read;
	return STATUS_OK;
}

enum status audit_listing(struct arena *arena, struct sink *sink, struct git_repo *repo,
                          const struct git_source *source, sv out, struct audit_findings *findings)
{
	struct audit_tree tree;

	return audit_read_tree(arena, sink, repo, source->tree, out, findings, &tree);
}
