/*
 * roll: marks MachineDeployments in the working tree, so that their machines are replaced. People
 * review the change and commit it.
 */
#include "roll/roll.h"
#include "commands.h"
#include "fleet/fleet.h"
#include "git/git.h"
#include "os/os.h"

/* A MachineDeployment that is chosen, and its file. */
struct chosen {
	struct roll_target target;
	sv path;          /* of the manifest, relative to the work tree */
	int64_t replicas; /* of the manifest; 1 if it has none */
};

/* A file that changes. */
struct rolled_file {
	sv path;
	sv text;
};

struct rolling {
	struct context *context;
	const struct fleet *fleet;
	sv root; /* the work tree */
	VEC(struct chosen) chosen;
	VEC(struct rolled_file) files;
	bool *is_met; /* for each name of the command line */
};

/* ---- the choice ---------------------------------------------------------------------------- */

static bool is_named(struct rolling *r, const struct fleet_cluster *cluster,
                     const struct kube_id *id)
{
	const struct options *options = r->context->options;
	struct arena *arena = r->context->arena;
	sv name = ARENA_CONCAT(arena, id->namespace, SV("/"), id->name);
	sv full = ARENA_CONCAT(arena, cluster->name, SV("/"), name);
	bool found = options->arguments.count == 0;

	for (size_t i = 0; i < options->arguments.count; i++) {
		sv given = options->arguments.items[i];

		if (sv_eq(given, name) || sv_eq(given, full))
			found = r->is_met[i] = true;
	}
	return found;
}

static void choose_unit(struct rolling *r, const struct fleet_cluster *cluster,
                        const struct dialect_unit *unit)
{
	const struct options *options = r->context->options;
	const struct kube_object *object = unit->object;
	const struct value *replicas = value_path(object->root, "spec.replicas");
	sv profile = unit->definition ? unit->definition->name : SV("");

	if (!sv_eq(object->id.kind, SV("MachineDeployment")) ||
	    (!sv_empty(options->cluster) && !sv_eq(options->cluster, cluster->name)) ||
	    (!sv_empty(options->profile) && !sv_eq(options->profile, profile)) ||
	    !is_named(r, cluster, &object->id))
		return;
	struct chosen chosen = {
	    .target = {.cluster = cluster->name,
	               .namespace = object->id.namespace,
	               .name = object->id.name,
	               .at = kube_object_position(object),
	               .made_by = value_text(value_map_get(cluster->spec, SV("kustomize")))},
	    .path = object->source->path,
	    .replicas = value_is_null(replicas) ? 1 : replicas->integer,
	};
	VEC_PUSH(r->context->arena, &r->chosen, chosen);
}

/* Returns the names of all MachineDeployments, as NAMESPACE/NAME or CLUSTER/NAMESPACE/NAME. */
static struct option_texts all_names(const struct rolling *r)
{
	struct arena *arena = r->context->arena;
	struct option_texts names = {0};

	for (size_t i = 0; i < r->fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &r->fleet->clusters[i];

		for (size_t j = 0; j < cluster->unit_count; j++) {
			const struct kube_id *id = &cluster->units[j].object->id;
			sv name = ARENA_CONCAT(arena, id->namespace, SV("/"), id->name);

			VEC_PUSH(arena, &names, name);
			VEC_PUSH(arena, &names, ARENA_CONCAT(arena, cluster->name, SV("/"), name));
		}
	}
	return names;
}

static int no_such_unit(struct rolling *r, sv given)
{
	struct context *context = r->context;
	struct option_texts names = all_names(r);
	sv nearest = diag_nearest(given, names.items, names.count);
	struct diag *diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
	                                "no MachineDeployment \"%.*s\" is chosen", SV_ARG(given));

	if (sv_empty(nearest))
		diag_set_help(context->sink, diag,
		              "`osm-gen list` shows them, with their profiles");
	else if (sv_eq(nearest, given))
		diag_set_help(context->sink, diag, "--cluster or --profile leaves it out");
	else
		diag_set_help(context->sink, diag, "did you mean %.*s?", SV_ARG(nearest));
	return 64;
}

static int no_profile(struct rolling *r)
{
	struct context *context = r->context;
	struct option_texts names = {0};
	struct diag *diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
	                                "no MachineDeployment has profile \"%.*s\"",
	                                SV_ARG(context->options->profile));

	for (size_t i = 0; i < r->fleet->cluster_count; i++)
		for (size_t j = 0; j < r->fleet->clusters[i].unit_count; j++) {
			const struct dialect_unit *unit = &r->fleet->clusters[i].units[j];

			if (unit->definition)
				VEC_PUSH(context->arena, &names, unit->definition->name);
		}
	sv nearest = diag_nearest(context->options->profile, names.items, names.count);
	if (sv_empty(nearest))
		diag_set_help(context->sink, diag,
		              "`osm-gen list` shows them, with their profiles");
	else
		diag_set_help(context->sink, diag, "did you mean %.*s?", SV_ARG(nearest));
	return 64;
}

/* Returns 0, or the exit status if a choice chooses nothing. */
static int choose(struct rolling *r)
{
	struct context *context = r->context;
	const struct options *options = context->options;
	sv *clusters = ARENA_ARRAY(context->arena, sv, r->fleet->cluster_count);
	bool is_known = sv_empty(options->cluster);

	r->is_met = ARENA_ARRAY(context->arena, bool, options->arguments.count);
	for (size_t i = 0; i < r->fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &r->fleet->clusters[i];

		clusters[i] = cluster->name;
		is_known |= sv_eq(cluster->name, options->cluster);
		for (size_t j = 0; j < cluster->unit_count; j++)
			choose_unit(r, cluster, &cluster->units[j]);
	}
	if (!is_known)
		return unknown_cluster(context, options->cluster, clusters, r->fleet->cluster_count,
		                       "`osm-gen list` shows the clusters");
	for (size_t i = 0; i < options->arguments.count; i++)
		if (!r->is_met[i])
			return no_such_unit(r, options->arguments.items[i]);
	if (r->chosen.count > 0)
		return 0;
	if (!sv_empty(options->profile))
		return no_profile(r);
	diag_report(context->sink, DIAG_USAGE, NOWHERE, "cluster %.*s has no MachineDeployment",
	            SV_ARG(options->cluster));
	return 64;
}

/* ---- the files ----------------------------------------------------------------------------- */

static int compare_paths(const void *a, const void *b, void *context)
{
	(void)context;
	return sv_cmp(((const struct chosen *)a)->path, ((const struct chosen *)b)->path);
}

/* Marks the MachineDeployments of one file, which follow each other. */
static enum status mark_file(struct rolling *r, struct chosen *chosen, size_t count)
{
	struct context *context = r->context;
	struct roll_target *targets = ARENA_ARRAY(context->arena, struct roll_target, count);
	sv path = ARENA_CONCAT(context->arena, r->root, SV("/"), chosen->path);
	struct rolled_file file = {.path = path};
	sv text;

	for (size_t i = 0; i < count; i++)
		targets[i] = chosen[i].target;
	if (os_read_named(context->arena, context->sink, r->root, path, RUN_MAX_INPUT_BYTES,
	                  &text) != STATUS_OK ||
	    roll_mark(context->arena, context->sink, text, targets, count, &file.text) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < count; i++)
		chosen[i].target.count = targets[i].count;
	VEC_PUSH(context->arena, &r->files, file);
	return STATUS_OK;
}

/* Marks all of them in memory, so that nothing is written if one cannot be marked. */
static enum status mark(struct rolling *r)
{
	enum status status = STATUS_OK;

	sort_stable(r->chosen.items, r->chosen.count, sizeof(*r->chosen.items), compare_paths,
	            NULL);
	for (size_t i = 0; i < r->chosen.count;) {
		size_t end = i + 1;

		while (end < r->chosen.count &&
		       sv_eq(r->chosen.items[end].path, r->chosen.items[i].path))
			end++;
		if (mark_file(r, &r->chosen.items[i], end - i) != STATUS_OK)
			status = STATUS_FAILED;
		i = end;
	}
	return status;
}

static enum status write_files(struct rolling *r)
{
	VEC_EACH (file, &r->files)
		if (os_write_named(r->context->sink, r->root, file->path, file->text) != STATUS_OK)
			return STATUS_FAILED;
	return STATUS_OK;
}

static sv told(struct rolling *r)
{
	struct buf buf = buf_in(r->context->arena);
	int64_t machines = 0;

	VEC_EACH (chosen, &r->chosen)
		machines += chosen->replicas;
	buf_printf(&buf,
	           "osm-gen: marked %zu MachineDeployment%s with %lld machine%s in %zu file%s\n",
	           r->chosen.count, r->chosen.count == 1 ? "" : "s", (long long)machines,
	           machines == 1 ? "" : "s", r->files.count, r->files.count == 1 ? "" : "s");
	VEC_EACH (chosen, &r->chosen)
		buf_printf(&buf, "    %.*s/%.*s/%.*s: " ROLL_ANNOTATION " %llu in %.*s\n",
		           SV_ARG(chosen->target.cluster), SV_ARG(chosen->target.namespace),
		           SV_ARG(chosen->target.name), (unsigned long long)chosen->target.count,
		           SV_ARG(chosen->path));
	BUF_ADD_LIT(&buf,
	            "  look at it with git diff and osm-gen plan --worktree, and commit it\n");
	report_defuse(&buf, 0);
	return buf_sv(&buf);
}

static enum status find_root(struct rolling *r)
{
	struct context *context = r->context;
	struct git_repo *repo;

	if (git_repo_open(context->arena, context->sink, context->options->repo, &repo) !=
	    STATUS_OK)
		return STATUS_FAILED;
	r->root = arena_dup(context->arena, git_repo_worktree(repo));
	git_repo_close(repo);
	if (!sv_empty(r->root))
		return STATUS_OK;
	diag_set_help(context->sink,
	              diag_report(context->sink, DIAG_GIT_REPOSITORY, NOWHERE,
	                          "the repository has no working tree to mark manifests in"),
	              "run it in a clone");
	return STATUS_FAILED;
}

int command_roll(struct context *context)
{
	const struct options *options = context->options;
	struct rolling r = {.context = context};
	struct run_request request;

	if (options->arguments.count == 0 && sv_empty(options->cluster) &&
	    sv_empty(options->profile)) {
		struct diag *diag = diag_report(context->sink, DIAG_USAGE, NOWHERE,
		                                "\"roll\" needs --profile, --cluster or names");

		diag_set_help(context->sink, diag,
		              "osm-gen roll --profile osp-ubuntu --cluster prod; "
		              "osm-gen roll prod/kube-system/workers");
		return 64;
	}
	if (find_root(&r) != STATUS_OK || asking_request(context, &request) != STATUS_OK)
		return 3;
	request.reading.worktree = true;
	if (run_survey(context->arena, context->sink, &request, &r.fleet, &context->result) !=
	    STATUS_OK)
		return 2;
	int status = choose(&r);
	if (status != 0)
		return status;
	if (mark(&r) != STATUS_OK)
		return 2;
	if (write_files(&r) != STATUS_OK)
		return 3;
	if (!options->quiet)
		context->last_words = told(&r);
	return 0;
}
