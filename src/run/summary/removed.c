/*
 * Finds why units of the previous output are gone, and how many machines units had. Both are in the
 * manifests: of the source commit, and of the commit that the output was made from. The machines of
 * an OperatingSystemConfig are in MachineDeployments of the previous output.
 */
#include "run/summary/removed.h"
#include "audit/audit.h"
#include "fleet/fleet.h"
#include "run/output/output.h"
#include "yaml/yaml.h"

/* How many commits without a change of the output are passed on the way to one that made it. */
enum { COMMITS_MAX = 1000 };

/* The objects of one manifest. */
struct manifest {
	bool exists;
	struct map objects; /* struct kube_object * by object_key */
};

/* The MachineDeployments that the previous output had of one unit. */
VEC_TYPE(written, const struct tree_file *);

struct finder {
	const struct run_env *env;
	const struct run_facts *facts;
	struct report_summary *summary;
	struct arena *arena;
	struct map files;   /* const struct git_file * of the source, by path */
	struct map now;     /* struct manifest * of the source, by path */
	struct map before;  /* the same of the commit that the output was made from */
	struct map sources; /* sv * by plan_unit_key: the manifest of each unit of the output */
	struct map written; /* struct written * by the same key */
	struct map added;   /* const struct report_unit * by source, of added units */
	struct map moved;   /* the same by object_key */
	struct git_id base; /* the tree of that commit */
	bool has_base;
};

/* ---- manifests --------------------------------------------------------------------------- */

/* Returns the key of an object, or with an empty kind that of the first object of any kind. */
static sv object_key(struct arena *arena, sv kind, sv namespace, sv name)
{
	return ARENA_CONCAT(arena, kind, SV(" "), namespace, SV("/"), name);
}

static void take_object(void *context, struct value *root, unsigned depth)
{
	struct finder *f = ((void **)context)[0];
	struct manifest *manifest = ((void **)context)[1];
	struct kube_object *object = ARENA_NEW(f->arena, struct kube_object);

	(void)depth;
	*object = (struct kube_object){.root = root};
	object->id.api_version = value_text(value_map_get(root, SV("apiVersion")));
	object->id.kind = value_text(value_map_get(root, SV("kind")));
	object->id.namespace = value_text(value_path(root, "metadata.namespace"));
	object->id.name = value_text(value_path(root, "metadata.name"));
	if (sv_empty(object->id.namespace))
		object->id.namespace = SV("default");
	const struct kube_id *id = &object->id;
	sv any = object_key(f->arena, SV(""), id->namespace, id->name);
	map_put(&manifest->objects, object_key(f->arena, id->kind, id->namespace, id->name),
	        object);
	if (!map_get(&manifest->objects, any))
		map_put(&manifest->objects, any, object);
}

/* Values of the manifest may be secret: the arena is. */
static void parse(struct finder *f, struct manifest *manifest, sv path, sv text)
{
	struct sink ignored = sink_in(f->arena);
	struct yml_documents documents = {0};
	struct source *source = source_new(f->arena, path, text, true);
	void *context[] = {f, manifest};
	const struct kube_list_reader reader = {
	    .arena = f->arena,
	    .context = context,
	    .take = take_object,
	};

	if (yml_parse(f->arena, &ignored, source, &documents) != STATUS_OK)
		return;
	VEC_EACH (document, &documents)
		kube_list_read(&reader, &document->root);
}

static const struct manifest *manifest_now(struct finder *f, sv path)
{
	struct manifest *manifest = map_get(&f->now, path);
	const struct git_file *file = map_get(&f->files, path);
	struct sink ignored = sink_in(f->arena);
	sv text;

	if (manifest)
		return manifest;
	manifest = ARENA_NEW(f->arena, struct manifest);
	*manifest = (struct manifest){.exists = file != NULL, .objects = map_in(f->arena)};
	map_put(&f->now, path, manifest);
	if (file && git_read(f->arena, &ignored, f->facts->inputs->repo, file, RUN_MAX_INPUT_BYTES,
	                     &text) == STATUS_OK)
		parse(f, manifest, path, text);
	return manifest;
}

static const struct manifest *manifest_before(struct finder *f, sv path)
{
	struct manifest *manifest = map_get(&f->before, path);
	sv text;

	if (manifest)
		return manifest;
	manifest = ARENA_NEW(f->arena, struct manifest);
	*manifest = (struct manifest){.objects = map_in(f->arena)};
	map_put(&f->before, path, manifest);
	if (f->has_base && git_read_below(f->arena, f->facts->inputs->repo, f->base, path,
	                                  RUN_MAX_INPUT_BYTES, &text)) {
		manifest->exists = true;
		parse(f, manifest, path, text);
	}
	return manifest;
}

/* Returns the object of that name: one of the right kind, or else the first of another kind. */
static const struct kube_object *find_object(struct finder *f, const struct manifest *manifest,
                                             const struct report_unit *row)
{
	const struct kube_object *found =
	    map_get(&manifest->objects, object_key(f->arena, row->kind, row->namespace, row->name));

	return found ? found
	             : map_get(&manifest->objects,
	                       object_key(f->arena, SV(""), row->namespace, row->name));
}

/* ---- why a unit is gone ------------------------------------------------------------------ */

/* Returns the kind of that name which osm-gen reads, or null. */
static const struct dialect_kind *known_kind(sv name)
{
	struct dialect_kind_walk walk = {0};
	const struct dialect_kind *kind;

	while ((kind = dialect_next_kind(&walk)))
		if (sv_eq(kind->kind, name))
			return kind;
	return NULL;
}

static sv describe_object(struct finder *f, const struct report_unit *row,
                          const struct kube_object *object, struct position *ret_at)
{
	const struct dialect_kind *kind = known_kind(row->kind);
	const struct value *deleted = value_path(object->root, "metadata.deletionTimestamp");
	const struct value *kind_at = value_map_get(object->root, SV("kind"));
	const struct value *version_at = value_map_get(object->root, SV("apiVersion"));
	sv wanted = kind ? ARENA_CONCAT(f->arena, kind->group, SV("/"), kind->version) : (sv){0};

	if (!sv_eq(object->id.kind, row->kind)) {
		*ret_at = value_position(kind_at ? kind_at : object->root);
		return arena_printf(f->env->arena, "its kind is \"%.*s\" now, not %.*s",
		                    SV_ARG(object->id.kind), SV_ARG(row->kind));
	}
	if (kind && !sv_eq(object->id.api_version, wanted)) {
		*ret_at = value_position(version_at ? version_at : object->root);
		return arena_printf(f->env->arena, "its apiVersion is \"%.*s\" now, not %.*s",
		                    SV_ARG(object->id.api_version), SV_ARG(wanted));
	}
	if (!value_is_null(deleted)) {
		*ret_at = value_position(deleted);
		return SV("it has a metadata.deletionTimestamp");
	}
	return (sv){0};
}

/* Returns the other cluster that has the unit now, or an empty string. */
static sv new_cluster(const struct finder *f, const struct report_unit *row)
{
	const struct report_unit *found =
	    map_get(&f->moved, object_key(f->arena, row->kind, row->namespace, row->name));

	return found ? found->cluster : (sv){0};
}

/* Returns the reason without the unit's next place; sets where it is. */
static sv find_reason(struct finder *f, const struct report_unit *row, struct position *ret_at)
{
	struct arena *arena = f->env->arena;
	struct fleet_filter *filter = f->facts->inputs->filter;
	const struct manifest *manifest = manifest_now(f, row->source);
	const struct kube_object *object = find_object(f, manifest, row);

	if (!manifest->exists)
		return ARENA_CONCAT(arena, row->source, SV(" was deleted"));
	if (filter && (fleet_filter_ignores(filter, row->source) ||
	               fleet_filter_ignores_folder(filter, row->source)))
		return ARENA_CONCAT(arena, SV(FLEET_IGNORE_FILE), SV(" excludes "), row->source);
	if (!object)
		return ARENA_CONCAT(arena, row->source, SV(" no longer has it"));
	sv what = describe_object(f, row, object, ret_at);
	if (sv_empty(what))
		return what;
	return ARENA_CONCAT(arena, report_place(arena, *ret_at), SV(": "), what);
}

static void explain(struct finder *f, struct report_unit *row)
{
	struct arena *arena = f->env->arena;
	sv cluster = new_cluster(f, row);
	struct position at = NOWHERE;
	sv reason = find_reason(f, row, &at);
	const struct report_unit *added = map_get(&f->added, row->source);

	/* The text of a manifest is not shown in reports. */
	if (at.source)
		row->at = (struct position){source_new(arena, row->source, at.source->text, true),
		                            at.offset, at.length};
	if (!sv_empty(cluster))
		reason = ARENA_CONCAT(arena, reason, sv_empty(reason) ? SV("") : SV("; "),
		                      SV("cluster "), cluster, SV(" has it now"));
	else if (added && sv_eq(added->cluster, row->cluster))
		reason = ARENA_CONCAT(arena, reason, sv_empty(reason) ? SV("") : SV("; "),
		                      added->namespace, SV("/"), added->name,
		                      SV(" is new in that file"));
	row->reason = reason;
}

/* ---- the commit that the output was made from -------------------------------------------- */

/* Returns the commit that the trailer of an output's commit names, or false. */
static bool find_source(struct finder *f, const struct git_commit_info *commit,
                        struct git_commit_info *ret_source)
{
	struct audit_trailers trailers = {0};
	struct git_source source;
	struct sink ignored = sink_in(f->arena);

	audit_read_trailers(f->arena, commit->message, &trailers);
	return trailers.count > 0 &&
	       git_source_find(f->arena, &ignored, f->facts->inputs->repo,
	                       trailers.items[trailers.count - 1].source, &source) == STATUS_OK &&
	       git_read_commit(f->arena, f->facts->inputs->repo, source.id, ret_source);
}

/*
 * Goes back from the tip to the commit that gave the output its present form. Later commits do not
 * count: the author of a removal could have changed replicas in one of them.
 */
static void find_base(struct finder *f, sv branch)
{
	struct git_repo *repo = f->facts->inputs->repo;
	sv out = f->facts->inputs->out;
	struct sink ignored = sink_in(f->arena);
	struct git_commit_info commit;
	struct git_commit_info parent;
	struct git_commit_info source;
	struct git_source tip;
	struct git_file folder;
	struct git_file other;

	if (f->facts->inputs->out_is_outside ||
	    git_source_find(f->arena, &ignored, repo, run_branch_rev(f->arena, branch), &tip) !=
	        STATUS_OK ||
	    !git_read_commit(f->arena, repo, tip.id, &commit) ||
	    !git_look_up(f->arena, repo, commit.tree, out, &folder))
		return;
	for (size_t i = 0; i < COMMITS_MAX; i++) {
		bool has_parent = commit.parent_count > 0;

		if (has_parent && !git_read_commit(f->arena, repo, commit.parents[0], &parent))
			return;
		if (has_parent && git_look_up(f->arena, repo, parent.tree, out, &other) &&
		    git_id_equal(other.id, folder.id)) {
			commit = parent;
			continue;
		}
		f->has_base = true;
		f->base = find_source(f, &commit, &source) ? source.tree : commit.tree;
		return;
	}
}

/* Returns the dialect that reads the kind, or null. */
static const struct dialect *dialect_of(sv kind)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < all[i]->kind_count; j++)
			if (sv_eq(all[i]->kinds[j].kind, kind))
				return all[i];
	return NULL;
}

/* Returns the machines of a unit's MachineDeployments in the previous output. */
static int64_t count_written(struct finder *f, const struct report_unit *row)
{
	const struct plan_previous_cluster of = {f->facts->previous, row->cluster};
	const struct dialect_previous previous = plan_previous_objects(&of);
	const struct tree_unit unit = {
	    .kind = row->kind, .namespace = row->namespace, .name = row->name};
	const struct written *written =
	    map_get(&f->written, plan_unit_key(f->arena, row->cluster, &unit));
	struct sink ignored = sink_in(f->arena);
	int64_t machines = 0;

	if (!written)
		return REPORT_REPLICAS_UNKNOWN;
	VEC_EACH (file, written) {
		struct value object;

		if (previous.find(f->arena, &ignored, previous.context, ARTIFACT_MANAGEMENT,
		                  &(*file)->object, &object) != STATUS_OK)
			return REPORT_REPLICAS_UNKNOWN;
		int64_t replicas = kube_replicas(&object);
		if (replicas < 0)
			return REPORT_REPLICAS_UNKNOWN;
		machines += replicas;
	}
	return machines;
}

static void count_machines(struct finder *f, struct report_unit *row)
{
	const struct kube_object *object = find_object(f, manifest_before(f, row->source), row);
	const struct dialect *dialect = dialect_of(row->kind);

	if (dialect && dialect->replicas && object) {
		int64_t replicas = dialect->replicas(object);
		row->replicas = replicas < 0 ? REPORT_REPLICAS_UNKNOWN : replicas;
	} else if (dialect && !dialect->replicas) {
		row->replicas = count_written(f, row);
		if (row->departure != REPORT_STAYS)
			row->departure = REPORT_CONFIG;
	}
}

/* ---- units that stay --------------------------------------------------------------------- */

/* Returns true if the commit that the output was made from has the file with the same bytes. */
static bool is_same_file(struct finder *f, sv path)
{
	ARENA_AUTO scratch = arena_new(ARENA_SECRET);
	const struct git_file *file = map_get(&f->files, path);
	struct sink ignored = sink_in(scratch);
	struct git_file before;
	struct git_id id;
	sv text;

	if (!file || !git_look_up(scratch, f->facts->inputs->repo, f->base, path, &before))
		return false;
	id = file->id;
	if (file->on_disk) {
		if (git_read(scratch, &ignored, f->facts->inputs->repo, file, RUN_MAX_INPUT_BYTES,
		             &text) != STATUS_OK)
			return false;
		id = git_id_of_blob(text);
	}
	return git_id_equal(id, before.id);
}

/* Compares the number of machines in the manifest with that of the earlier commit. */
static void compare_replicas(struct finder *f, struct report_unit *row)
{
	const struct dialect *dialect = dialect_of(row->kind);
	const struct kube_object *object = find_object(f, manifest_before(f, row->source), row);

	if (!dialect || !dialect->replicas || !object || !sv_eq(object->id.kind, row->kind))
		return;
	int64_t before = dialect->replicas(object);
	int64_t after = row->replicas;
	if (before < 0 || after < 0 || before == after)
		return;
	row->in_manifest = (struct report_scale){
	    .changes = true,
	    .before = before,
	    .after = after,
	    .fewer = after < before ? before - after : 0,
	    .more = after > before ? after - before : 0,
	};
}

/* Returns true if the output has the unit's MachineDeployments. */
static bool is_written(const struct run_unit *unit)
{
	VEC_EACH (file, &unit->files)
		if (sv_eq(file->object.kind, SV("MachineDeployment")) && !file->patch_of)
			return true;
	return false;
}

/* Looks only at files that differ: a large fleet has many manifests. */
static void compare_manifests(struct finder *f, const size_t *places)
{
	struct map same = map_in(f->env->arena);
	struct map differs = map_in(f->env->arena);

	for (size_t i = 0; i < f->facts->plan->unit_count; i++) {
		if (places[i] == SIZE_MAX || is_written(&f->facts->rendered->units[i]))
			continue;
		struct report_unit *row = &f->summary->units.items[places[i]];
		if (row->class == REPORT_CLASS_ADD || sv_empty(row->source) ||
		    map_get(&same, row->source))
			continue;
		if (!map_get(&differs, row->source))
			map_put(is_same_file(f, row->source) ? &same : &differs, row->source, f);
		if (map_get(&differs, row->source))
			compare_replicas(f, row);
	}
}

/* ---- the whole --------------------------------------------------------------------------- */

static void add_written(struct finder *f, sv key, const struct tree_file *file)
{
	struct written *written = map_get(&f->written, key);

	if (!written) {
		written = ARENA_NEW(f->arena, struct written);
		*written = (struct written){0};
		map_put(&f->written, key, written);
	}
	VEC_PUSH(f->arena, written, file);
}

static void list_sources(struct finder *f)
{
	const struct map *indexes = &f->facts->previous->indexes;

	for (size_t i = 0; i < indexes->count; i++) {
		const struct tree_index *index = indexes->entries[i].value;

		for (size_t j = 0; j < index->file_count; j++) {
			const struct tree_file *file = &index->files[j];

			if (!file->unit)
				continue;
			sv key = plan_unit_key(f->arena, indexes->entries[i].key, file->unit);
			if (!sv_empty(file->source))
				map_put(&f->sources, key, (void *)file);
			if (sv_eq(file->object.kind, SV("MachineDeployment")) && !file->patch_of)
				add_written(f, key, file);
		}
	}
}

/* Sets what the previous index states of a unit. */
static void set_from_index(const struct finder *f, struct report_unit *row)
{
	const struct tree_unit unit = {
	    .kind = row->kind, .namespace = row->namespace, .name = row->name};
	sv key = plan_unit_key(f->arena, row->cluster, &unit);
	const struct tree_file *file = map_get(&f->sources, key);

	row->source = file ? file->source : (sv){0};
	if (map_get(&f->written, key))
		row->departure = REPORT_STAYS;
}

static void note_added(struct finder *f, struct report_unit *row)
{
	sv key = object_key(f->arena, row->kind, row->namespace, row->name);

	if (!sv_empty(row->source))
		map_put(&f->added, row->source, row);
	if (!map_get(&f->moved, key))
		map_put(&f->moved, key, row);
}

void run_look_at_manifests(const struct run_env *env, const struct run_facts *facts,
                           const size_t *places, struct report_summary *summary)
{
	bool has_removed = report_count_class(summary, REPORT_CLASS_REMOVE).units > 0;
	struct arena *secret = env->secret_arena;
	struct finder f = {
	    .env = env,
	    .facts = facts,
	    .summary = summary,
	    .arena = secret,
	    .files = map_in(env->arena),
	    .now = map_in(secret),
	    .before = map_in(secret),
	    .sources = map_in(secret),
	    .written = map_in(secret),
	    .added = map_in(secret),
	    .moved = map_in(secret),
	};

	if (!facts->inputs->repo)
		return;
	map_expect(&f.files, facts->inputs->files.count);
	VEC_EACH (file, &facts->inputs->files)
		map_put(&f.files, file->path, file);
	if (has_removed)
		list_sources(&f);
	VEC_EACH (row, &summary->units)
		if (has_removed && row->class == REPORT_CLASS_ADD)
			note_added(&f, row);
	find_base(&f, facts->branch);
	VEC_EACH (row, &summary->units) {
		if (row->class != REPORT_CLASS_REMOVE)
			continue;
		set_from_index(&f, row);
		if (sv_empty(row->source))
			continue;
		explain(&f, row);
		count_machines(&f, row);
	}
	if (f.has_base)
		compare_manifests(&f, places);
}
