/*
 * Finds folders of clusters that are gone from the inputs together with their index.json: no run
 * knows them, and their kustomizations still hold Secrets.
 */
#include "plan/plan.h"

#define KUSTOMIZATION "/kustomization.yaml"
#define MAX_BYTES     ((size_t)64 * 1024 * 1024)

/* Returns the cluster's folder that a kustomization is in, or an empty string. */
static sv folder_of(sv path)
{
	static const enum artifact_side sides[] = {ARTIFACT_MANAGEMENT, ARTIFACT_WORKER};
	size_t end = sv_find_char(path, '/');

	if (end == SV_NPOS || !sv_ends_with(path, SV(KUSTOMIZATION)))
		return SV("");
	if (fleet_is_bucket(sv_slice(path, 0, end))) {
		size_t inner = sv_find_char(sv_from_offset(path, end + 1), '/');

		if (inner == SV_NPOS)
			return SV("");
		end += 1 + inner;
	}
	sv rest = sv_from_offset(path, end + 1);
	for (size_t i = 0; i < COUNT_OF(sides); i++) {
		sv side = tree_side_name(sides[i]);

		if (sv_starts_with(rest, side) && rest.len > side.len && rest.ptr[side.len] == '/')
			return sv_slice(path, 0, end);
	}
	return SV("");
}

static bool has_cluster(const struct plan *plan, sv name)
{
	for (size_t i = 0; i < plan->cluster_count; i++)
		if (sv_eq(plan->clusters[i].fleet->name, name))
			return true;
	return false;
}

static enum status report(struct arena *arena, struct sink *sink, sv out, sv folder, sv path)
{
	sv shown = ARENA_CONCAT(arena, out, SV("/"), path);
	const struct source *source = source_new(arena, shown, SV(""), false);
	struct diag *diag = diag_report(
	    sink, DIAG_LEFTOVER, position_of_source(source),
	    "the folder %.*s/%.*s is left over: osm-gen wrote it for cluster %.*s, which is gone "
	    "together with its index.json, and appliers go on with what it holds",
	    SV_ARG(out), SV_ARG(folder), SV_ARG(fleet_folder_cluster(folder)));

	diag_set_help(sink, diag,
	              "if the cluster is to go, git rm -r %.*s/%.*s and commit that; if not, bring "
	              "back its inputs, or the index.json, from the commit before",
	              SV_ARG(out), SV_ARG(folder));
	return STATUS_FAILED;
}

enum status plan_check_leftovers(struct arena *arena, struct sink *sink, const struct plan *plan,
                                 const struct previous *previous, sv out)
{
	enum status status = STATUS_OK;
	struct map reported = map_in(arena);

	if (!previous->output)
		return STATUS_OK;
	VEC_EACH (file, git_output_previous(previous->output)) {
		sv folder = folder_of(file->path);
		sv cluster = sv_empty(folder) ? folder : fleet_folder_cluster(folder);
		sv text;

		if (sv_empty(folder) || map_get(&previous->paths, file->path) ||
		    map_get(&previous->indexes, cluster) || has_cluster(plan, cluster) ||
		    map_get(&reported, folder))
			continue;
		if (git_output_read(arena, sink, previous->output, file, MAX_BYTES, &text) !=
		    STATUS_OK)
			return STATUS_FAILED;
		if (!sv_starts_with(text, SV(TREE_HEADER)))
			continue;
		map_put(&reported, folder, &reported);
		status = report(arena, sink, out, folder, file->path);
	}
	return status;
}
