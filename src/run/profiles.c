#include "codec/codec.h"
#include "run/stages.h"
#include "yaml/yaml.h"

/*
 * The OperatingSystemProfiles of the output.
 *
 * They are immutable: a changed spec needs a new version. The controller's webhook compares with
 * the object in the cluster; here the output's file stands for that.
 */

/* ---- as objects -------------------------------------------------------------------------- */

static struct value profile_object(struct run *run, const struct run_cluster *cluster,
                                   const struct fleet_profile *profile)
{
	sv own = profile->object->id.namespace;
	bool has_none = profile->layer == FLEET_LAYER_EMBEDDED || sv_empty(own);

	return osm_profile_object(run->scratch, profile->profile,
	                          has_none ? cluster->fleet->settings.namespace : own);
}

static enum status add_profile(struct run *run, struct run_cluster *cluster,
                               const struct fleet_profile *profile)
{
	struct osm_output output = {
	    .side = OSM_MANAGEMENT,
	    .object = profile_object(run, cluster, profile),
	};
	sv source = run_source_name(profile->object);

	output.id = kube_id_of(&output.object);
	if (profile->layer == FLEET_LAYER_EMBEDDED)
		source = ARENA_CONCAT(run->arena, source, SV(" (embedded in osm-gen)"));
	return run_add_clear(run, cluster, &output, source);
}

enum status run_add_profiles(struct run *run, struct run_cluster *cluster)
{
	const struct fleet_cluster *fleet = cluster->fleet;

	for (size_t i = 0; i < fleet->profile_count; i++) {
		if (fleet->profiles[i].machine_deployment_count == 0)
			continue;
		if (add_profile(run, cluster, fleet->profiles[i].profile) != STATUS_OK)
			return STATUS_FAILED;
		arena_reset(run->scratch);
	}
	return STATUS_OK;
}

/* ---- the output there is ----------------------------------------------------------------- */

/* The profiles' files: in the commit, or on the disk. */
struct before {
	struct run *run;
	const struct git_output *output; /* null: read from the commit */
	struct map files;                /* struct git_file * by path */
	struct map verdicts;             /* struct verdict * by profile and file */
	struct map reported;             /* struct verdict * by profile */
};

/* A profile compared with one former text; clusters share both. */
struct verdict {
	bool changed;
	struct diag *diag; /* reported: only the first one of a profile is */
	size_t more;       /* clusters with the same mistake */
};

static void add_files(struct before *before, const struct git_files *files)
{
	VEC_EACH (file, files) {
		if (sv_contains(file->path, SV("/operatingsystemprofile-")))
			map_put(&before->files, file->path, file);
	}
}

/* Where people try out a profile, and in validate, what is committed counts. */
static void find_before(struct run *run, struct before *before)
{
	const struct run_request *request = run->request;
	bool tries = request->mode == RUN_GENERATE && (request->worktree || request->no_commit);
	struct run_tip *tip = ARENA_NEW(run->arena, struct run_tip);
	struct sink unused = sink_in(run->arena);

	*before = (struct before){
	    .run = run,
	    .files = map_in(run->arena),
	    .verdicts = map_in(run->arena),
	    .reported = map_in(run->arena),
	};
	if (run->output && (run->out_is_outside || !tries)) {
		before->output = run->output;
		add_files(before, git_output_previous(run->output));
	} else if (!run->out_is_outside && run_look_at_tip(run, tip, &unused) == STATUS_OK) {
		/* Before the first commit there is nothing to compare with. */
		add_files(before, &tip->relative);
	}
}

static enum status read_before(const struct before *before, const struct git_file *file,
                               sv *ret_text)
{
	struct run *run = before->run;

	if (before->output)
		return git_output_read(run->scratch, run->sink, before->output, file,
		                       RUN_MAX_OUTPUT_BYTES, ret_text);
	return git_read(run->scratch, run->sink, run->repo, file, RUN_MAX_OUTPUT_BYTES, ret_text);
}

/* ---- the comparison ---------------------------------------------------------------------- */

/*
 * What is no profile of osm-gen's is no former version: a stranger's file is reported elsewhere,
 * a damaged one is replaced.
 */
static bool is_changed(struct run *run, const struct run_cluster *cluster,
                       const struct value *object, sv path, sv text,
                       struct osm_profile_change *ret_change)
{
	struct source *source = source_new(run->scratch, path, text, false);
	struct sink unused = sink_in(run->scratch);
	struct yml_documents documents = {0};

	if (!sv_starts_with(text, SV(TREE_HEADER)) ||
	    yml_parse(run->scratch, &unused, source, &documents) != STATUS_OK ||
	    documents.count == 0)
		return false;
	const struct value *before = value_map_get(&documents.items[0].root, SV("spec"));
	struct value now = seal_redact_all(run->scratch, run->root, cluster->fleet->name,
	                                   value_map_get(object, SV("spec")));
	sv version = value_text(value_map_get(&now, SV("version")));
	bool one_seed = run->root && !run->request->rotate_seed;

	return sv_eq(value_text(value_map_get(before, SV("version"))), version) &&
	       osm_profile_spec_changed(run->arena, before, &now, one_seed, ret_change);
}

/* v1.0.1 after v1.0.0, v1.0.0-rc.1 and v1.0.0+k3s1. */
static sv next_version(struct arena *arena, sv version)
{
	struct semver parsed;
	sv error;

	if (!semver_parse(arena, version, &parsed, &error) || parsed.patch == UINT64_MAX)
		return SV("another one");
	return arena_printf(arena, "v%llu.%llu.%llu", (unsigned long long)parsed.major,
	                    (unsigned long long)parsed.minor, (unsigned long long)parsed.patch + 1);
}

static struct diag *report(struct run *run, const struct fleet_profile *profile,
                           const struct osm_profile_change *change, sv path)
{
	const struct value *version = &profile->profile->version;
	sv next = next_version(run->arena, version->string);
	sv name = profile->profile->name;
	sv outer = run->sink->object;

	run->sink->object = kube_object_describe(run->arena, profile->object);
	struct diag *diag = diag_report(
	    run->sink, DIAG_OSP_IMMUTABLE, value_position(version),
	    "the profile was changed, but its version is %.*s as before", SV_ARG(version->string));
	run->sink->object = outer;
	diag_add_note(run->sink, diag, change->at, "%.*s is not what it is in %.*s/%.*s",
	              SV_ARG(change->path), SV_ARG(run->out), SV_ARG(path));
	if (profile->layer == FLEET_LAYER_EMBEDDED)
		diag_set_help(run->sink, diag,
		              "this osm-gen has another profile inside than the one that wrote the "
		              "output, under the same version: commit what `osm-gen profiles show "
		              "%.*s` prints, with version: %.*s",
		              SV_ARG(name), SV_ARG(next));
	else
		diag_set_help(run->sink, diag, "set version: %.*s", SV_ARG(next));
	return diag;
}

/* The first cluster's file is reported, the others' are counted. */
static void judge(struct before *before, const struct fleet_profile *profile, sv path,
                  const struct osm_profile_change *change)
{
	struct run *run = before->run;
	sv key = arena_printf(run->arena, "%p", (const void *)profile);
	struct verdict *first = map_get(&before->reported, key);

	if (first) {
		first->more++;
		return;
	}
	first = ARENA_NEW(run->arena, struct verdict);
	first->diag = report(run, profile, change, path);
	map_put(&before->reported, key, first);
}

static enum status compare(struct before *before, const struct run_cluster *cluster,
                           const struct fleet_profile *profile)
{
	struct run *run = before->run;
	struct value object = profile_object(run, cluster, profile);
	struct osm_output output = {.side = OSM_MANAGEMENT, .id = kube_id_of(&object)};
	sv path = run_object_path(run->scratch, cluster, &output);
	const struct git_file *file = map_get(&before->files, path);
	struct osm_profile_change change = {0};
	sv text;

	if (run_check_file_name(run->sink, path, profile->object) != STATUS_OK)
		return STATUS_FAILED;
	if (!file)
		return STATUS_OK;
	path = file->path;
	sv key = arena_printf(run->arena, "%p %.*s", (const void *)profile,
	                      SV_ARG(file->on_disk ? path : git_id_hex(run->scratch, file->id)));
	struct verdict *verdict = map_get(&before->verdicts, key);
	if (!verdict) {
		if (read_before(before, file, &text) != STATUS_OK)
			return STATUS_FAILED;
		verdict = ARENA_NEW(run->arena, struct verdict);
		verdict->changed = is_changed(run, cluster, &object, path, text, &change);
		map_put(&before->verdicts, key, verdict);
	}
	if (verdict->changed)
		judge(before, profile, path, &change);
	return STATUS_OK;
}

enum status run_check_profiles(struct run *run)
{
	size_t errors = run->sink->error_count;
	enum status status = STATUS_OK;
	struct before before;

	/* `render` shows a profile in the making. */
	if (run->request->mode == RUN_RENDER)
		return STATUS_OK;
	find_before(run, &before);
	for (size_t i = 0; i < run->fleet.cluster_count; i++) {
		const struct fleet_cluster *fleet = run->clusters[i].fleet;

		for (size_t j = 0; j < fleet->profile_count; j++) {
			const struct fleet_profile_use *use = &fleet->profiles[j];

			/* One that is broken, or that nobody uses, is not put out. */
			if (use->machine_deployment_count == 0 || !use->profile->profile)
				continue;
			status |= compare(&before, &run->clusters[i], use->profile);
			arena_reset(run->scratch);
		}
	}
	for (size_t i = 0; i < before.reported.count; i++) {
		const struct verdict *first = before.reported.entries[i].value;

		if (first->more > 0)
			diag_add_note(run->sink, first->diag, NOWHERE,
			              "the same in %zu more cluster%s", first->more,
			              first->more == 1 ? "" : "s");
	}
	return status != STATUS_OK || run->sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}
