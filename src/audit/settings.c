/*
 * Reads the sealing settings: osm-gen.yaml and the files that it names (.sops.yaml, certificates).
 * No manifests are read.
 */
#include "audit/internal.h"

struct commit_files {
	struct arena *arena;
	struct git_repo *repo;
	struct map by_path; /* to struct git_file */
};

static bool read_committed(void *context, sv path, sv *ret_text)
{
	const struct commit_files *commit = context;
	const struct git_file *file = map_get(&commit->by_path, path);
	struct sink unused = sink_in(commit->arena);

	return file && (file->mode == GIT_MODE_FILE || file->mode == GIT_MODE_EXECUTABLE) &&
	       git_read(commit->arena, &unused, commit->repo, file, AUDIT_MAX_FILE_BYTES,
	                ret_text) == STATUS_OK;
}

/* Reads all osm-gen.yaml that a run would read, according to .osm-gen-ignore. */
static struct fleet_file **read_settings_files(struct commit_files *commit, sv out,
                                               const struct git_files *files, size_t *ret_count)
{
	struct arena *arena = commit->arena;
	struct fleet_file **read = ARENA_ARRAY(arena, struct fleet_file *, files->count);
	struct fleet_filter *filter;
	size_t count = 0;
	sv ignore = {0};

	(void)read_committed(commit, SV(FLEET_IGNORE_FILE), &ignore);
	filter = fleet_filter_new(arena, out, ignore);
	VEC_EACH (file, files) {
		struct fleet_blob blob = {.path = file->path};

		if (!fleet_filter_take(filter, file->path) ||
		    !sv_eq(sv_after_last(file->path, '/'), SV(FLEET_SETTINGS_FILE)) ||
		    !read_committed(commit, file->path, &blob.text) ||
		    sv_starts_with(blob.text, SV(TREE_HEADER)))
			continue;
		read[count++] = fleet_read_file(arena, arena, filter, &blob);
	}
	*ret_count = count;
	return read;
}

static bool was_in_buckets(void *context)
{
	const struct audit_settings_request *request = context;

	return request->in_buckets;
}

bool audit_read_settings(struct arena *secret_arena, const struct audit_settings_request *request,
                         struct fleet *ret_fleet)
{
	struct audit_settings_request asked = *request;
	struct commit_files commit = {secret_arena, request->repo, map_in(secret_arena)};
	const struct git_source source = {.tree = request->tree};
	struct sink unused = sink_in(secret_arena);
	struct git_files files = {0};
	const struct fleet_options options = {
	    .read_file = read_committed,
	    .read_file_context = &commit,
	    .out = request->out,
	    .was_in_buckets = was_in_buckets,
	    .was_in_buckets_context = &asked,
	    /* Recipients do not depend on the contract. */
	    .contract = dialect_contract_newest(),
	    .skip_secrets = true,
	};
	size_t count;

	*ret_fleet = (struct fleet){0};
	if (git_list(secret_arena, &unused, request->repo, &source, request->out, &files) !=
	    STATUS_OK)
		return false;
	VEC_EACH (file, &files)
		map_put(&commit.by_path, file->path, file);
	struct fleet_file **read = read_settings_files(&commit, request->out, &files, &count);
	return fleet_load(secret_arena, secret_arena, &unused, read, count, &options, ret_fleet) ==
	       STATUS_OK;
}

const struct fleet_sealing *audit_sealing_of(const struct fleet *fleet, sv cluster)
{
	for (size_t i = 0; i < fleet->cluster_count; i++) {
		const struct fleet_sealing *sealing = &fleet->clusters[i].sealing;

		if (sv_eq(fleet->clusters[i].name, cluster))
			return sealing->is_wrong ? NULL : sealing;
	}
	return NULL;
}
