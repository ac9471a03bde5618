/*
 * Reads manifests of the source and of the commit that the output was made from (see manifests.h).
 */
#include "run/summary/manifests.h"
#include "audit/audit.h"
#include "run/output/output.h"
#include "yaml/yaml.h"

/* How many commits without a change of the output are passed on the way to one that made it. */
enum { COMMITS_MAX = 1000 };

/* ---- manifests --------------------------------------------------------------------------- */

sv run_object_key(struct arena *arena, sv kind, sv namespace, sv name)
{
	return ARENA_CONCAT(arena, kind, SV(" "), namespace, SV("/"), name);
}

static void take_object(void *context, struct value *root, unsigned depth)
{
	struct run_manifests *m = ((void **)context)[0];
	struct run_manifest *manifest = ((void **)context)[1];
	struct kube_object *object = ARENA_NEW(m->arena, struct kube_object);

	(void)depth;
	*object = (struct kube_object){.root = root};
	object->id.api_version = value_text(value_map_get(root, SV("apiVersion")));
	object->id.kind = value_text(value_map_get(root, SV("kind")));
	object->id.namespace = value_text(value_path(root, "metadata.namespace"));
	object->id.name = value_text(value_path(root, "metadata.name"));
	if (sv_empty(object->id.namespace))
		object->id.namespace = SV("default");
	const struct kube_id *id = &object->id;
	sv any = run_object_key(m->arena, SV(""), id->namespace, id->name);
	map_put(&manifest->objects, run_object_key(m->arena, id->kind, id->namespace, id->name),
	        object);
	if (!map_get(&manifest->objects, any))
		map_put(&manifest->objects, any, object);
}

/* Values of the manifest may be secret: the arena is. */
static void parse(struct run_manifests *m, struct run_manifest *manifest, sv path, sv text)
{
	struct sink ignored = sink_in(m->arena);
	struct yml_documents documents = {0};
	struct source *source = source_new(m->arena, path, text, true);
	void *context[] = {m, manifest};
	const struct kube_list_reader reader = {
	    .arena = m->arena,
	    .context = context,
	    .take = take_object,
	};

	if (yml_parse(m->arena, &ignored, source, &documents) != STATUS_OK)
		return;
	VEC_EACH (document, &documents)
		kube_list_read(&reader, &document->root);
}

const struct run_manifest *run_manifest_now(struct run_manifests *m, sv path)
{
	struct run_manifest *manifest = map_get(&m->now, path);
	const struct git_file *file = map_get(&m->files, path);
	struct sink ignored = sink_in(m->arena);
	sv text;

	if (manifest)
		return manifest;
	manifest = ARENA_NEW(m->arena, struct run_manifest);
	*manifest = (struct run_manifest){.exists = file != NULL, .objects = map_in(m->arena)};
	map_put(&m->now, path, manifest);
	if (file && git_read(m->arena, &ignored, m->facts->inputs->repo, file, RUN_MAX_INPUT_BYTES,
	                     &text) == STATUS_OK)
		parse(m, manifest, path, text);
	return manifest;
}

const struct run_manifest *run_manifest_before(struct run_manifests *m, sv path)
{
	struct run_manifest *manifest = map_get(&m->before, path);
	sv text;

	if (manifest)
		return manifest;
	manifest = ARENA_NEW(m->arena, struct run_manifest);
	*manifest = (struct run_manifest){.objects = map_in(m->arena)};
	map_put(&m->before, path, manifest);
	if (m->has_base && git_read_below(m->arena, m->facts->inputs->repo, m->base, path,
	                                  RUN_MAX_INPUT_BYTES, &text)) {
		manifest->exists = true;
		parse(m, manifest, path, text);
	}
	return manifest;
}

const struct kube_object *run_find_object(struct arena *arena, const struct run_manifest *manifest,
                                          const struct report_unit *row)
{
	const struct kube_object *found = map_get(
	    &manifest->objects, run_object_key(arena, row->kind, row->namespace, row->name));

	return found ? found
	             : map_get(&manifest->objects,
	                       run_object_key(arena, SV(""), row->namespace, row->name));
}

/* ---- the commit that the output was made from -------------------------------------------- */

/* Returns the commit that the trailer of an output's commit names, or false. */
static bool find_source(struct run_manifests *m, const struct git_commit_info *commit,
                        struct git_commit_info *ret_source)
{
	struct audit_trailers trailers = {0};
	struct git_source source;
	struct sink ignored = sink_in(m->arena);

	audit_read_trailers(m->arena, commit->message, &trailers);
	return trailers.count > 0 &&
	       git_source_find(m->arena, &ignored, m->facts->inputs->repo,
	                       trailers.items[trailers.count - 1].source, &source) == STATUS_OK &&
	       git_read_commit(m->arena, m->facts->inputs->repo, source.id, ret_source);
}

/*
 * Goes back from the tip to the commit that gave the output its present form. Later commits do not
 * count: the author of a removal could have changed replicas in one of them.
 */
static void find_base(struct run_manifests *m, sv branch)
{
	struct git_repo *repo = m->facts->inputs->repo;
	sv out = m->facts->inputs->out;
	struct sink ignored = sink_in(m->arena);
	struct git_commit_info commit;
	struct git_commit_info parent;
	struct git_commit_info source;
	struct git_source tip;
	struct git_file folder;
	struct git_file other;

	if (m->facts->inputs->out_is_outside ||
	    git_source_find(m->arena, &ignored, repo, run_branch_rev(m->arena, branch), &tip) !=
	        STATUS_OK ||
	    !git_read_commit(m->arena, repo, tip.id, &commit) ||
	    !git_look_up(m->arena, repo, commit.tree, out, &folder))
		return;
	for (size_t i = 0; i < COMMITS_MAX; i++) {
		bool has_parent = commit.parent_count > 0;

		if (has_parent && !git_read_commit(m->arena, repo, commit.parents[0], &parent))
			return;
		if (has_parent && git_look_up(m->arena, repo, parent.tree, out, &other) &&
		    git_id_equal(other.id, folder.id)) {
			commit = parent;
			continue;
		}
		m->has_base = true;
		m->base = find_source(m, &commit, &source) ? source.tree : commit.tree;
		return;
	}
}

static bool is_unchanged(struct run_manifests *m, sv path)
{
	ARENA_AUTO scratch = arena_new(ARENA_SECRET);
	const struct git_file *file = map_get(&m->files, path);
	struct sink ignored = sink_in(scratch);
	struct git_file before;
	struct git_id id;
	sv text;

	if (!file || !git_look_up(scratch, m->facts->inputs->repo, m->base, path, &before))
		return false;
	id = file->id;
	if (file->on_disk) {
		if (git_read(scratch, &ignored, m->facts->inputs->repo, file, RUN_MAX_INPUT_BYTES,
		             &text) != STATUS_OK)
			return false;
		id = git_id_of_blob(text);
	}
	return git_id_equal(id, before.id);
}

bool run_manifest_is_same(struct run_manifests *m, sv path)
{
	const bool *known = map_get(&m->same, path);

	if (!known) {
		bool *same = ARENA_NEW(m->arena, bool);

		*same = is_unchanged(m, path);
		map_put(&m->same, path, same);
		known = same;
	}
	return *known;
}

/* ---- the whole --------------------------------------------------------------------------- */

struct run_manifests run_manifests_in(const struct run_env *env, const struct run_facts *facts)
{
	struct run_manifests m = {
	    .arena = env->secret_arena,
	    .facts = facts,
	    .files = map_in(env->arena),
	    .now = map_in(env->secret_arena),
	    .before = map_in(env->secret_arena),
	    .same = map_in(env->secret_arena),
	};

	map_expect(&m.files, facts->inputs->files.count);
	VEC_EACH (file, &facts->inputs->files)
		map_put(&m.files, file->path, file);
	find_base(&m, facts->branch);
	return m;
}
