/*
 * Builds the kustomizations of Clusters (see kustomized.h).
 */
#include "run/inputs/internal.h"

void run_find_kustomize(const struct run_env *env, const struct run_reading *reading,
                        struct run_inputs *inputs)
{
	const struct run_programs *programs = &reading->programs;

	if (programs->kustomize)
		(void)kustomize_find_program(
		    env->arena, programs->path, programs->folder,
		    inputs->repo ? git_repo_worktree(inputs->repo) : SV(""), &inputs->kustomize);
}

/* ---- the files of the commit ------------------------------------------------------------- */

struct commit_tree {
	const struct run_env *env;
	const struct run_inputs *inputs;
	struct map files; /* struct git_file by path */
};

static enum kustomize_kind kind_of_path(void *context, sv path)
{
	const struct commit_tree *tree = context;
	const struct git_file *file = map_get(&tree->files, path);

	if (!file)
		return KUSTOMIZE_ABSENT;
	switch (file->mode) {
	case GIT_MODE_FILE:
	case GIT_MODE_EXECUTABLE:
		return KUSTOMIZE_FILE;
	case GIT_MODE_LINK:
		return KUSTOMIZE_LINK;
	default:
		return KUSTOMIZE_OTHER;
	}
}

static bool read_tree_file(void *context, sv path, sv *ret_text)
{
	const struct commit_tree *tree = context;
	struct sink unused = sink_in(tree->env->arena);
	sv text;

	if (git_read(tree->env->secret_arena, &unused, tree->inputs->repo,
	             map_get(&tree->files, path), RUN_MAX_INPUT_BYTES, &text) != STATUS_OK ||
	    !quota_take(&tree->env->quotas->input_bytes, text.len))
		return false;
	*ret_text = text;
	return true;
}

/* ---- building ---------------------------------------------------------------------------- */

static void report_needed(const struct run_env *env, const struct run_reading *reading,
                          const struct fleet_kustomization *wanted)
{
	struct diag *diag;

	if (!reading->programs.kustomize) {
		diag =
		    diag_report(env->sink, DIAG_PROGRAM_NEEDED, wanted->at,
		                "this folder needs the program kustomize, which the command line "
		                "does not allow");
		diag_set_help(env->sink, diag,
		              "add --allow-program kustomize; a repository alone never makes "
		              "osm-gen run a program");
		return;
	}
	diag = diag_report(
	    env->sink, DIAG_PROGRAM_NEEDED, wanted->at,
	    "this folder needs kustomize, but neither kustomize nor kubectl was found in PATH");
	diag_set_help(env->sink, diag,
	              "install kustomize; relative folders of PATH and those in the work tree do "
	              "not count");
}

static void read_made_object(const struct run_env *env, const struct fleet_kustomization *wanted,
                             const struct kustomize_object *made, struct run_files *files)
{
	struct quota *values = ARENA_NEW(env->arena, struct quota);
	struct fleet_blob blob = {
	    .path = made->origin->path,
	    .text = made->text,
	    .is_made = true,
	    .cluster = wanted->cluster,
	    .sealed_text = made->is_sealed ? made->origin->source->text : SV(""),
	    .sealed_number = made->sealed_number,
	    .values = values,
	};

	*values = run_values_of(env->quotas, made->text.len);
	VEC_PUSH(env->arena, files, fleet_read_file(env->arena, env->secret_arena, NULL, &blob));
}

/* Adds the paths that the kustomization uses to `used`, and the objects to `made`. */
static enum status build_one(const struct run_env *env, struct run_inputs *inputs,
                             const struct kustomize_tree *tree,
                             const struct fleet_kustomization *wanted, struct set *used,
                             struct run_files *made)
{
	struct kustomize_inputs *found = ARENA_NEW(env->arena, struct kustomize_inputs);
	struct kustomize_objects_made objects = {0};

	enum status status = kustomize_read(env->arena, env->secret_arena, env->sink, tree,
	                                    wanted->folder, wanted->at, found);
	for (size_t i = 0; i < found->files.count; i++)
		set_add(used, found->files.entries[i].key);
	if (status != STATUS_OK || sv_empty(inputs->kustomize.path))
		return STATUS_FAILED;
	if (kustomize_build(env->arena, env->secret_arena, env->sink, found, &inputs->kustomize,
	                    &objects) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (object, &objects) {
		read_made_object(env, wanted, object, made);
		VEC_PUSH(env->arena, &inputs->made, ((struct run_made){found, *object}));
	}
	return STATUS_OK;
}

/* Removes the files that kustomizations use. Settings stay, even if a kustomization names them. */
static void set_aside(struct run_files *files, const struct set *used)
{
	size_t kept = 0;

	for (size_t i = 0; i < files->count; i++) {
		sv path = fleet_file_path(files->items[i]);

		if (!set_has(used, path) ||
		    sv_eq(sv_after_last(path, '/'), SV(FLEET_SETTINGS_FILE)))
			files->items[kept++] = files->items[i];
	}
	files->count = kept;
}

static enum status build_all(const struct run_env *env, const struct run_reading *reading,
                             struct run_inputs *inputs, const struct fleet_kustomizations *list,
                             struct run_files *files)
{
	struct commit_tree commit = {env, inputs, map_in(env->arena)};
	struct quota *values = ARENA_NEW(env->arena, struct quota);
	const struct kustomize_tree tree = {&commit, kind_of_path, read_tree_file, values};
	struct set used = set_in(env->arena);
	struct run_files made = {0};
	enum status status = STATUS_OK;

	*values = run_values_of(env->quotas, 0);
	VEC_EACH (file, &inputs->files)
		map_put(&commit.files, file->path, file);
	os_hold_signals();
	if (!sv_empty(inputs->kustomize.path) &&
	    kustomize_ask_version(env->arena, env->sink, &inputs->kustomize) != STATUS_OK)
		return STATUS_FAILED;
	inputs->kustomize.left_ms += (uint64_t)(list->count - 1) * KUSTOMIZE_MS_MORE;
	VEC_EACH (wanted, list) {
		if (sv_empty(inputs->kustomize.path))
			report_needed(env, reading, wanted);
		if (build_one(env, inputs, &tree, wanted, &used, &made) != STATUS_OK)
			status = STATUS_FAILED;
	}
	set_aside(files, &used);
	VEC_EACH (file, &made)
		VEC_PUSH(env->arena, files, *file);
	inputs->uses_kustomize = status == STATUS_OK;
	return status;
}

enum status run_build_kustomizations(const struct run_env *env, const struct run_reading *reading,
                                     struct run_inputs *inputs, struct run_files *files)
{
	struct fleet_kustomizations list;

	fleet_list_kustomizations(env->arena, files->items, files->count, &list);
	if (list.count == 0)
		return STATUS_OK;
	if (inputs->repo)
		return build_all(env, reading, inputs, &list, files);
	struct diag *diag =
	    diag_report(env->sink, DIAG_KUSTOMIZE_REFUSED, list.items[0].at,
	                "`kustomize` names a folder of a repository, and manifests are read from "
	                "standard input");
	diag_set_help(env->sink, diag, "run `kustomize build DIR | osm-gen validate -` without it");
	return STATUS_FAILED;
}

/* ---- diagnostics ------------------------------------------------------------------------- */

struct placing {
	const struct run_env *env;
	struct map made; /* struct run_made by the address of its text */
	struct map
	    sources; /* copies of the files' sources, by path, that hide lines or show them */
};

static sv key_of_address(const char *const *address)
{
	return sv_from_bytes(address, sizeof(*address));
}

/* Returns the source with the object's secrecy if the place has its value, else with the file's. */
static const struct source *shown_source(struct placing *p, const struct source *file,
                                         const struct source *made, bool is_exact)
{
	bool hides = is_exact ? made->confidential : made->confidential || file->confidential;
	sv key = ARENA_CONCAT(p->env->scratch, file->path, hides ? SV("-") : SV("+"));
	struct source *source = map_get(&p->sources, key);

	if (!source) {
		source = ARENA_NEW(p->env->arena, struct source);
		*source = *file;
		source->confidential = hides;
		source->suspected = hides && made->suspected;
		map_put(&p->sources, key, source);
	}
	return source;
}

/* Moves a position. Returns false if it is in no made object. */
static bool place(struct placing *p, struct position *at, bool *ret_is_exact)
{
	const char *text = at->source ? at->source->text.ptr : NULL;
	const struct run_made *made = text ? map_get(&p->made, key_of_address(&text)) : NULL;

	if (!made)
		return false;
	struct position found = kustomize_place(p->env->secret_arena, made->inputs, &made->object,
	                                        at->offset, ret_is_exact);
	found.source = shown_source(p, found.source, at->source, *ret_is_exact);
	*at = found;
	return true;
}

static void place_diag(struct sink *sink, struct placing *p, struct diag *diag)
{
	bool is_exact;

	for (size_t i = 0; i < diag->notes.count; i++)
		(void)place(p, &diag->notes.items[i].at, &is_exact);
	if (place(p, &diag->at, &is_exact) && !is_exact && diag->at.offset != SV_NPOS)
		diag_add_note(sink, diag, NOWHERE,
		              "kustomize changes this part of the object: see the output of "
		              "`kustomize build`");
}

void run_place_diagnostics(const struct run_env *env, const struct run_inputs *inputs)
{
	struct placing placing = {env, map_in(env->scratch), map_in(env->scratch)};

	if (inputs->made.count == 0)
		return;
	VEC_EACH (made, &inputs->made)
		map_put(&placing.made,
		        arena_dup(env->scratch, key_of_address(&made->object.text.ptr)), made);
	for (size_t i = 0; i < env->sink->diags.count; i++)
		place_diag(env->sink, &placing, env->sink->diags.items[i]);
}
