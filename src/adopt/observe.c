/*
 * Compares the committed output with live objects, one by one: is it live, is it of the committed
 * revision, is its content as committed? Sealed content is compared only with an identity.
 */
#include "adopt/internal.h"

#include "audit/audit.h"
#include "git/git.h"
#include "tree/tree.h"
#include "yaml/yaml.h"

struct observing {
	struct arena *arena; /* of the secret kind */
	struct sink *sink;
	const struct adopt_observe_request *request;
	struct git_repo *repo;
	struct git_source source;
	sv out;
	struct tree_index index;
	sv folder;                        /* the cluster's, below the output folder */
	struct set committed;             /* objects, "KIND NAMESPACE/NAME" */
	struct map paths;                 /* of all files of the index */
	struct set units;                 /* "KIND NAMESPACE/NAME" */
	const struct secret_mask **masks; /* of each export */
	struct adopt_observation seen;
};

static void add_observed(struct observing *o, const struct adopt_observed_object *observed)
{
	o->seen.counts[observed->state]++;
	VEC_PUSH(o->arena, &o->seen.objects, *observed);
}

/* ---- the index ---------------------------------------------------------------------------- */

static enum status report_cluster(struct observing *o, const struct git_files *indexes)
{
	sv *clusters = ARENA_ARRAY(o->arena, sv, indexes->count);
	struct diag *diag;

	for (size_t i = 0; i < indexes->count; i++)
		clusters[i] = fleet_folder_cluster(fleet_folder_of(indexes->items[i].path));
	sort_stable(clusters, indexes->count, sizeof(sv), sort_compare_sv, NULL);
	if (indexes->count == 0) {
		diag = diag_report(o->sink, DIAG_COMPARE_CLUSTER, NOWHERE,
		                   "commit %.12s has no output in %.*s", o->source.hex.ptr,
		                   SV_ARG(o->out));
		diag_set_help(o->sink, diag,
		              "run `osm-gen generate` first, or name the folder with --out");
		return STATUS_FAILED;
	}
	diag = sv_empty(o->request->cluster)
	           ? diag_report(o->sink, DIAG_COMPARE_CLUSTER, NOWHERE,
	                         "the output is of several clusters: which one is live?")
	           : diag_report(o->sink, DIAG_COMPARE_CLUSTER, NOWHERE,
	                         "the output has no cluster \"%.*s\"", SV_ARG(o->request->cluster));
	diag_set_help(o->sink, diag, "give --cluster with one of: %.*s",
	              SV_ARG(sv_slice(buf_listed(o->arena, clusters, indexes->count), 0, 1000)));
	return STATUS_FAILED;
}

/* Lists the indexes; their paths are below the output folder. */
static enum status find_indexes(struct observing *o, struct git_files *ret_indexes)
{
	sv folder = ARENA_CONCAT(o->arena, o->out, SV("/"));
	struct git_files files = {0};

	if (git_list(o->arena, o->sink, o->repo, &o->source, SV(""), &files) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (file, &files) {
		sv path = file->path;
		struct git_file found = *file;
		sv cluster_folder;

		if (!sv_starts_with(path, folder))
			continue;
		found.path = sv_from_offset(path, folder.len);
		if (file->mode == GIT_MODE_FILE && tree_is_index_path(found.path, &cluster_folder))
			VEC_PUSH(o->arena, ret_indexes, found);
	}
	return STATUS_OK;
}

static enum status read_observed_index(struct observing *o)
{
	struct git_files indexes = {0};
	const struct git_file *found = NULL;
	sv text;

	if (find_indexes(o, &indexes) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (file, &indexes) {
		sv cluster = fleet_folder_cluster(fleet_folder_of(file->path));

		if (sv_empty(o->request->cluster) ? indexes.count == 1
		                                  : sv_eq(cluster, o->request->cluster)) {
			o->seen.cluster = cluster;
			found = file;
		}
	}
	if (!found)
		return report_cluster(o, &indexes);
	if (git_read(o->arena, o->sink, o->repo, found, TREE_INDEX_MAX_BYTES, &text) != STATUS_OK)
		return STATUS_FAILED;
	const struct source *source =
	    source_new(o->arena, ARENA_CONCAT(o->arena, o->out, SV("/"), found->path), text, false);
	o->folder = fleet_folder_of(found->path);
	if (tree_index_read(o->arena, o->sink, o->folder, source, &o->index) != STATUS_OK)
		return STATUS_FAILED;
	if (!o->index.is_foreign && o->index.format > 1)
		return STATUS_OK;
	struct diag *diag = diag_report(
	    o->sink, DIAG_TREE_INDEX, position_of_source(source),
	    "this index is of an early format, which does not list the objects of its files");
	diag_set_help(o->sink, diag, "run `osm-gen generate`: it writes the index anew");
	return STATUS_FAILED;
}

/* ---- one object --------------------------------------------------------------------------- */

struct committed {
	const struct tree_file *file;
	struct kube_id id;             /* of the live object: a SealedSecret becomes a Secret */
	const struct dialect *dialect; /* of its unit; null without a unit that can be observed */
	struct value document;
	bool is_opened; /* or was never sealed */
};

/* Reads the committed object. Returns false without a file or object, which `verify` reports. */
static bool read_committed(struct observing *o, struct committed *c)
{
	struct sink ignored = sink_in(o->arena);
	struct yml_documents documents = {0};
	sv path = ARENA_CONCAT(o->arena, o->out, SV("/"), c->file->path);
	struct git_file there;
	sv text;

	if (!git_look_up(o->arena, o->repo, o->source.tree, path, &there) ||
	    git_read(o->arena, &ignored, o->repo, &there, AUDIT_MAX_FILE_BYTES, &text) !=
	        STATUS_OK ||
	    yml_parse(o->arena, &ignored, source_new(o->arena, path, text, true), &documents) !=
	        STATUS_OK ||
	    documents.count != 1)
		return false;
	c->document = documents.items[0].root;
	if (!seal_is_sealed(&c->document)) {
		/* With `osc: patch`, the live object differs from the clear file. */
		c->is_opened = !map_get(&o->paths, tree_patch_path(o->arena, c->file->path));
		return true;
	}
	struct value opened;
	c->is_opened = seal_identities_count(o->request->identities) > 0 &&
	               seal_open(o->arena, &ignored, &c->document, 1, o->request->identities,
	                         &opened) == STATUS_OK;
	if (c->is_opened)
		c->document = opened;
	return true;
}

/* Returns the revision in annotations, by the annotation of any dialect; or an empty string. */
static sv revision_in(const struct value *annotations)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++) {
		sv name = all[i]->adoption ? all[i]->adoption->object_revision : SV("");
		sv revision = value_text(value_map_get(annotations, name));

		if (!sv_empty(name) && !sv_empty(revision))
			return revision;
	}
	return SV("");
}

static sv revision_of(const struct value *document)
{
	sv revision = revision_in(value_path(document, "metadata.annotations"));

	return sv_empty(revision)
	           ? revision_in(value_path(document, "spec.template.metadata.annotations"))
	           : revision;
}

/* Compares with one export. Returns false if that does not have the object. */
static bool compare_with(struct observing *o, const struct committed *c, size_t export,
                         struct adopt_observed_object *ret_observed)
{
	const struct kube_object *object =
	    adopt_live_find(o->request->lives[export], c->id.kind, c->id.namespace, c->id.name);
	struct kube_objects none;

	if (!object)
		return false;
	sv revision = revision_of(&c->document);
	sv live_revision = revision_in(value_path(object->root, "metadata.annotations"));
	struct adopt_observed_object observed = {
	    .state = c->is_opened ? ADOPT_OBJECT_SAME : ADOPT_OBJECT_UNOPENED, .id = c->id};
	if (!sv_eq(revision, live_revision)) {
		observed.state = ADOPT_OBJECT_REVISION;
		observed.revision = revision;
		observed.live_revision = live_revision;
	} else if (c->is_opened) {
		kube_objects_init(o->arena, &none, NULL);
		const struct adopt_masks masks = {o->arena, o->masks[export]};
		const struct adopt_sides sides = {&masks, c->dialect, &none, true};
		const struct artifact ours = {.id = c->id, .object = c->document};
		struct adopt_difference difference;

		if (adopt_differ(&sides, &ours, object, &difference)) {
			observed.state = ADOPT_OBJECT_DIFFERS;
			observed.place = difference.place;
			observed.line = difference.line;
		}
	}
	*ret_observed = observed;
	return true;
}

/* Takes the best result of all exports: two clusters may have objects of the same name. */
static void observe_object(struct observing *o, struct committed *c)
{
	struct adopt_observed_object best = {.state = ADOPT_OBJECT_MISSING, .id = c->id};

	if (!read_committed(o, c)) {
		best.state = ADOPT_OBJECT_DIFFERS;
		best.place = SV("its file, which osm-gen verify names");
		add_observed(o, &best);
		return;
	}
	adopt_observe_nodes(o->arena, o->request, c->dialect, &c->id, &c->document, &o->seen);
	for (size_t i = 0; i < o->request->live_count; i++) {
		struct adopt_observed_object observed;

		if (compare_with(o, c, i, &observed) && observed.state < best.state)
			best = observed;
	}
	add_observed(o, &best);
}

/* Returns the dialect of the unit, or null if it cannot be observed. */
static const struct dialect *observe_unit(struct observing *o, const struct tree_unit *unit)
{
	const struct dialect *dialect = adopt_dialect_of_unit(unit->kind);
	sv key = adopt_key(o->arena, &(struct kube_id){.kind = unit->kind,
	                                               .namespace = unit->namespace,
	                                               .name = unit->name});

	if (!dialect || set_has(&o->units, key))
		return dialect;
	/* A unit without machines is an input that the cluster need not have. */
	if (!adopt_has_machines(dialect)) {
		set_add(&o->units, key);
		return dialect;
	}
	struct adopt_observed_unit observed = {
	    .dialect = dialect,
	    .kind = unit->kind,
	    .namespace = unit->namespace,
	    .name = unit->name,
	    .revision = unit->revision,
	};
	adopt_observe_machines(o->arena, o->request, &observed);
	VEC_PUSH(o->arena, &o->seen.units, observed);
	set_add(&o->units, key);
	return dialect;
}

static void observe_files(struct observing *o)
{
	for (size_t i = 0; i < o->index.file_count; i++)
		map_put(&o->paths, o->index.files[i].path, &o->index.files[i]);
	for (size_t i = 0; i < o->index.file_count; i++) {
		const struct tree_file *file = &o->index.files[i];
		struct committed committed = {.file = file, .id = file->object};
		enum artifact_side side;

		/* Skip files for kustomize, patches, and repetitions in the index. */
		if (sv_empty(file->object.kind) || file->is_delivery ||
		    map_get(&o->paths, file->path) != file)
			continue;
		if (file->unit)
			committed.dialect = observe_unit(o, file->unit);
		/* Skip the status, which nobody applies. */
		if (tree_side_of(o->folder, file->path, &side) && side == ARTIFACT_STATUS)
			continue;
		if (sv_eq(committed.id.kind, SV("SealedSecret"))) {
			committed.id.kind = SV("Secret");
			committed.id.api_version = SV("v1");
		}
		if (!adopt_reads(committed.id.kind, committed.id.api_version)) {
			o->seen.unread++;
			continue;
		}
		set_add(&o->committed, adopt_key(o->arena, &committed.id));
		observe_object(o, &committed);
	}
}

/* ---- live only ---------------------------------------------------------------------------- */

/* Returns true for objects that only an output has; tokens that osm-gen did not write are inputs.
 */
static bool is_of_outputs(const struct kube_object *object)
{
	if (adopt_is_part(object, DIALECT_LIVE_CONFIG))
		return true;
	if (!adopt_is_kind(object, "Secret"))
		return false;
	enum dialect_secret_role role = adopt_secret_role(object);
	return role == DIALECT_SECRET_GENERATED ||
	       (role == DIALECT_SECRET_TOKEN && adopt_is_ours(object));
}

static void observe_only_live(struct observing *o)
{
	for (size_t i = 0; i < o->request->live_count; i++) {
		VEC_EACH (object, &o->request->lives[i]->objects) {
			const struct kube_id *id = &(*object)->id;
			sv key = adopt_key(o->arena, id);
			bool is_unit = adopt_is_part(*object, DIALECT_LIVE_UNIT);

			if (value_path((*object)->root, "metadata.deletionTimestamp") ||
			    (is_unit ? set_has(&o->units, key)
			             : !is_of_outputs(*object) || set_has(&o->committed, key)))
				continue;
			add_observed(o, &(struct adopt_observed_object){
			                    .state = ADOPT_OBJECT_ONLY_LIVE, .id = *id});
			set_add(&o->committed, key);
			if (is_unit)
				set_add(&o->units, key);
		}
	}
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int compare_objects(const void *a, const void *b, void *context)
{
	const struct adopt_observed_object *left = a;
	const struct adopt_observed_object *right = b;

	(void)context;
	return kube_id_compare(&left->id, &right->id);
}

static bool is_settled(const struct adopt_observation *seen)
{
	const size_t *counts = seen->counts;

	if (counts[ADOPT_OBJECT_REVISION] + counts[ADOPT_OBJECT_DIFFERS] +
	        counts[ADOPT_OBJECT_MISSING] + counts[ADOPT_OBJECT_ONLY_LIVE] +
	        seen->waiting_nodes >
	    0)
		return false;
	VEC_EACH (unit, &seen->units)
		if (!adopt_unit_is_settled(seen, unit))
			return false;
	return true;
}

static enum status observe(struct observing *o)
{
	if (audit_place_output(o->arena, o->sink, o->repo, o->request->out, &o->out) != STATUS_OK ||
	    git_source_find(o->arena, o->sink, o->repo, o->request->rev, &o->source) != STATUS_OK ||
	    read_observed_index(o) != STATUS_OK)
		return STATUS_FAILED;
	o->seen.commit = o->source.hex;
	o->seen.no_machines = o->request->no_machines;
	o->masks = ARENA_ARRAY(o->arena, const struct secret_mask *, o->request->live_count);
	for (size_t i = 0; i < o->request->live_count; i++)
		o->masks[i] = adopt_mask_new(o->arena, o->request->lives[i], NULL);
	observe_files(o);
	observe_only_live(o);
	sort_stable(o->seen.objects.items, o->seen.objects.count, sizeof(*o->seen.objects.items),
	            compare_objects, NULL);
	adopt_sort_nodes(&o->seen);
	o->seen.is_settled = is_settled(&o->seen);
	return STATUS_OK;
}

enum status adopt_observe(struct arena *secret_arena, struct sink *sink,
                          const struct adopt_observe_request *request,
                          struct adopt_observation *ret_observation)
{
	struct observing o = {
	    .arena = secret_arena,
	    .sink = sink,
	    .request = request,
	    .committed = set_in(secret_arena),
	    .paths = map_in(secret_arena),
	    .units = set_in(secret_arena),
	};

	if (git_repo_open(secret_arena, sink, request->repo, &o.repo) != STATUS_OK)
		return STATUS_FAILED;
	enum status status = observe(&o);
	git_repo_close(o.repo);
	if (status == STATUS_OK)
		*ret_observation = o.seen;
	return status;
}
