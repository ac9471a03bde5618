/*
 * Finds files that osm-gen wrote, that no index.json lists any more, and that the run does not
 * write: no run would remove them, and appliers go on with the Secrets in them.
 */
#include "plan/plan.h"

#define MAX_BYTES ((size_t)64 * 1024 * 1024)
enum { NAMED = 8 };

/* The files of one cluster's folder. */
struct leftover {
	sv folder;
	sv delivery; /* the folder that the delivery has for it, if a file there is left over */
	const struct source *first;
	VEC(sv) others; /* at most NAMED */
	size_t count;
};

struct leftovers {
	struct arena *arena;
	struct sink *sink;
	const struct plan_leftovers *request;
	struct map by_folder; /* struct leftover *, by the cluster's folder */
	VEC(struct leftover *) all;
};

/*
 * Returns the folder of the cluster that the path belongs to: it is on one of its sides, or in
 * *ret_delivery, the folder that the delivery has for the cluster. Returns an empty string for any
 * other path.
 */
static sv cluster_folder_of(sv path, sv *ret_delivery)
{
	sv folder = fleet_folder_of(path);
	enum artifact_side side;

	*ret_delivery = SV("");
	if (!sv_empty(folder) && tree_side_of(folder, path, &side))
		return folder;
	return tree_delivered_folder(path, ret_delivery);
}

/* Returns true for a file of a cluster that a run without the seed does not compare. */
static bool is_not_compared(const struct leftovers *l, sv path, sv folder)
{
	const struct plan_cluster *cluster =
	    plan_find_cluster(l->request->plan, fleet_folder_cluster(folder));
	enum artifact_side side;

	return l->request->without_seed && cluster && cluster->unit_count > 0 &&
	       (!tree_side_of(folder, path, &side) || side != ARTIFACT_MANAGEMENT ||
	        !sv_ends_with(path, SV(".yaml")));
}

static void add_leftover(struct leftovers *l, sv path, sv folder, sv delivery)
{
	struct leftover *leftover = map_get(&l->by_folder, folder);

	if (!leftover) {
		sv shown = ARENA_CONCAT(l->arena, l->request->out, SV("/"), path);

		leftover = ARENA_NEW(l->arena, struct leftover);
		*leftover = (struct leftover){
		    .folder = folder,
		    .first = source_new(l->arena, shown, SV(""), false),
		};
		map_put(&l->by_folder, folder, leftover);
		VEC_PUSH(l->arena, &l->all, leftover);
	} else if (leftover->others.count < NAMED) {
		VEC_PUSH(l->arena, &leftover->others, path);
	}
	leftover->count++;
	if (!sv_empty(delivery))
		leftover->delivery = delivery;
}

static enum status look_at_file(struct leftovers *l, const struct git_file *file, sv folder,
                                sv delivery)
{
	const struct git_output *output = l->request->previous->output;
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	sv text;

	if (file->mode != GIT_MODE_FILE && file->mode != GIT_MODE_EXECUTABLE)
		return STATUS_OK;
	if (git_output_read(scratch, l->sink, output, file, MAX_BYTES, &text) != STATUS_OK)
		return STATUS_FAILED;
	if (sv_starts_with(text, SV(TREE_HEADER)))
		add_leftover(l, file->path, folder, delivery);
	return STATUS_OK;
}

static enum status find_leftovers(struct leftovers *l)
{
	const struct plan_leftovers *request = l->request;

	VEC_EACH (file, git_output_previous(request->previous->output)) {
		sv delivery;
		sv folder = cluster_folder_of(file->path, &delivery);

		if (sv_empty(folder) || set_has(&request->previous->paths, file->path) ||
		    set_has(request->written, file->path) || is_not_compared(l, file->path, folder))
			continue;
		if (look_at_file(l, file, folder, delivery) != STATUS_OK)
			return STATUS_FAILED;
	}
	return STATUS_OK;
}

static void report_gone(const struct leftovers *l, const struct leftover *leftover)
{
	sv out = l->request->out;
	sv folder = ARENA_CONCAT(l->arena, out, SV("/"), leftover->folder);
	sv delivery = sv_empty(leftover->delivery)
	                  ? SV("")
	                  : ARENA_CONCAT(l->arena, SV(" "), out, SV("/"), leftover->delivery);
	struct diag *diag =
	    diag_report(l->sink, DIAG_LEFTOVER, position_of_source(leftover->first),
	                "the folder %.*s is left over: osm-gen wrote it for cluster %.*s, which is "
	                "gone together with its index.json, and appliers go on with what it holds",
	                SV_ARG(folder), SV_ARG(fleet_folder_cluster(leftover->folder)));

	diag_set_help(l->sink, diag,
	              "if the cluster is to go, git rm -r %.*s%.*s and commit that; if not, bring "
	              "back its inputs, or the index.json, from the commit before",
	              SV_ARG(folder), SV_ARG(delivery));
}

static void report_unlisted(const struct leftovers *l, const struct leftover *leftover)
{
	sv out = l->request->out;
	sv cluster = fleet_folder_cluster(leftover->folder);
	const struct tree_index *index = map_get(&l->request->previous->indexes, cluster);
	sv path = ARENA_CONCAT(l->arena, out, SV("/"),
	                       tree_index_path(l->arena, index ? index->folder : leftover->folder));
	bool is_one = leftover->count == 1;
	size_t left = leftover->count - 1 - leftover->others.count;
	struct diag *diag = diag_report(l->sink, DIAG_LEFTOVER, position_of_source(leftover->first),
	                                "%zu file%s that osm-gen wrote for cluster %.*s %s left "
	                                "over: %.*s %s, no manifest asks "
	                                "for %s, and appliers go on with what %s",
	                                leftover->count, is_one ? "" : "s", SV_ARG(cluster),
	                                is_one ? "is" : "are", SV_ARG(path),
	                                !index   ? "is gone"
	                                : is_one ? "does not list it"
	                                         : "does not list them",
	                                is_one ? "it" : "them", is_one ? "it holds" : "they hold");

	VEC_EACH (other, &leftover->others)
		diag_add_note(l->sink, diag, NOWHERE, "%.*s/%.*s", SV_ARG(out), SV_ARG(*other));
	if (left > 0)
		diag_add_note(l->sink, diag, NOWHERE, "and %zu more", left);
	diag_set_help(
	    l->sink, diag,
	    "bring %.*s back from a commit that lists them (git log -- %.*s, git checkout "
	    "COMMIT -- %.*s) and commit that: the next run removes them, as far as the "
	    "guard of removals allows. Or git rm the files and commit that",
	    SV_ARG(path), SV_ARG(path), SV_ARG(path));
}

enum status plan_check_leftovers(struct arena *arena, struct sink *sink,
                                 const struct plan_leftovers *request)
{
	struct leftovers l = {
	    .arena = arena,
	    .sink = sink,
	    .request = request,
	    .by_folder = map_in(arena),
	};

	if (!request->previous || !request->previous->output)
		return STATUS_OK;
	if (find_leftovers(&l) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (leftover, &l.all) {
		sv cluster = fleet_folder_cluster((*leftover)->folder);

		if (plan_find_cluster(request->plan, cluster) ||
		    map_get(&request->previous->indexes, cluster))
			report_unlisted(&l, *leftover);
		else
			report_gone(&l, *leftover);
	}
	return l.all.count == 0 ? STATUS_OK : STATUS_FAILED;
}
