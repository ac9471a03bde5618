/*
 * Describes the files of the output: their paths, and what index.json and the summary have of them.
 */
#include "run/output/output.h"

sv run_source_name(const struct kube_object *object)
{
	if (!object->source)
		return SV("osm-gen");
	return sv_empty(object->source->listed_as) ? object->source->path
	                                           : object->source->listed_as;
}

sv run_shared_source(struct arena *arena, const struct plan *plan,
                     const struct plan_cluster *cluster)
{
	const struct source *source = cluster->fleet->at.source;

	return source ? source->path
	              : ARENA_CONCAT(arena, SV("the "), plan_unit_kind(plan), SV("s"));
}

/* Returns the string's copy, which is in the path if that has it at `at`. */
static sv copy_of(struct arena *arena, sv path, size_t at, sv s)
{
	sv there = sv_slice(path, at, at + s.len);

	return sv_eq(there, s) ? there : arena_dup(arena, s);
}

/* Returns the string's copy in the set. */
static sv word_of(struct map *words, sv s)
{
	char *copy = map_get(words, s);

	if (sv_empty(s))
		return SV("");
	if (!copy) {
		copy = arena_cstr(words->arena, s);
		map_put(words, sv_from(copy, s.len), copy);
	}
	return sv_from(copy, s.len);
}

/* Copies the id of the object at a path below `folder`. A large fleet has many of them. */
static struct kube_id copy_id(struct arena *arena, struct map *words, sv folder, sv path,
                              const struct kube_id *id)
{
	size_t name_at = path.len - strlen(".yaml") - id->name.len;

	return (struct kube_id){
	    .api_version = word_of(words, id->api_version),
	    .kind = word_of(words, id->kind),
	    .namespace = copy_of(arena, path, folder.len + 1, id->namespace),
	    .name = copy_of(arena, path, name_at, id->name),
	};
}

bool run_is_applied_last(const struct fleet_cluster *cluster, enum artifact_role role)
{
	return role == ARTIFACT_MACHINES && cluster->delivery.applier != FLEET_APPLIER_NONE;
}

struct tree_file run_tree_file(struct arena *arena, struct map *words,
                               const struct plan_cluster *cluster, const struct artifact *artifact,
                               sv source, const struct tree_unit *unit)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	sv part = tree_part(scratch, cluster->cut, artifact->side, unit);
	sv outer = tree_part_path(scratch, cluster->fleet->folder, artifact->side, part);
	sv path = tree_object_path_in(arena, outer, &artifact->id);
	sv folder = sv_slice(path, 0, outer.len);

	return (struct tree_file){
	    .path = path,
	    .side = artifact->side,
	    .folder =
	        run_is_applied_last(cluster->fleet, artifact->role) ? run_folder_of(path) : folder,
	    .unit = unit,
	    .role = artifact->role,
	    .object = copy_id(arena, words, folder, path, &artifact->id),
	    .source = source,
	    .user_data_bytes = artifact->user_data_bytes,
	    .user_data_limit = artifact->user_data_bytes ? artifact->user_data_limit : 0,
	};
}

sv run_path_before(struct arena *arena, const struct previous *previous,
                   const struct plan_cluster *cluster, const struct artifact *artifact,
                   bool is_patch)
{
	sv path = tree_object_path(arena, cluster->fleet->name, artifact->side, &artifact->id);

	if (artifact->role == ARTIFACT_MACHINES && !is_patch) {
		sv there = plan_previous_machines_path(arena, previous, cluster->fleet->name,
		                                       &artifact->id);
		if (!sv_empty(there))
			return there;
	}
	return plan_previous_path(previous, is_patch ? tree_patch_path(arena, path) : path);
}

const struct tree_unit *run_new_tree_unit(struct arena *arena, const struct plan_unit *unit,
                                          const struct plan_revision *revision,
                                          const struct dialect_config_maps *config_maps)
{
	const struct dialect_definition *definition = unit->unit->definition;
	struct tree_unit *tree_unit = ARENA_NEW(arena, struct tree_unit);

	*tree_unit = plan_tree_unit(unit->unit);
	tree_unit->revision = arena_dup(arena, revision->revision);
	tree_unit->template_digest = arena_dup(arena, revision->template_digest);
	tree_unit->config_maps = (struct dialect_config_maps){
	    arena_dup(arena, config_maps->now), arena_dup(arena, config_maps->before)};
	if (definition) {
		tree_unit->profile = definition->name;
		tree_unit->profile_version = value_text(&definition->version);
	}
	return tree_unit;
}

const struct tree_roll *run_copy_roll(struct arena *arena, const struct tree_roll *roll)
{
	struct tree_roll *copy;

	if (!tree_has_roll(roll))
		return NULL;
	copy = ARENA_NEW(arena, struct tree_roll);
	*copy = (struct tree_roll){
	    .by = arena_dup(arena, roll->by),
	    .contract = arena_dup(arena, roll->contract),
	    .seed = arena_dup(arena, roll->seed),
	    .digest = arena_dup(arena, roll->digest),
	    .value = arena_dup(arena, roll->value),
	};
	return copy;
}

void run_annotate(struct arena *arena, const struct fleet_cluster *cluster,
                  struct artifact *artifact)
{
	/* The SealedSecrets controller makes and updates the Secret. */
	bool is_wrapped =
	    artifact->sealing == ARTIFACT_SEAL_DATA && cluster->sealing.format->takes_certificate;

	if (cluster->delivery.applier == FLEET_APPLIER_ARGOCD && !is_wrapped)
		tree_annotate_for_argocd(arena,
		                         artifact->role == ARTIFACT_SUPPORT ||
		                             artifact->role == ARTIFACT_CONFIG_MAP,
		                         &artifact->object);
}

enum status run_check_file_name(struct sink *sink, sv path, const struct kube_object *from)
{
	enum { FILE_NAME_MAX_BYTES = 255 };
	size_t len = sv_after_last(path, '/').len;

	if (len <= FILE_NAME_MAX_BYTES)
		return STATUS_OK;
	DIAG_SCOPE(sink, kube_object_describe(sink->arena, from), sink->cluster);
	struct diag *diag = diag_report(
	    sink, DIAG_NAME_TOO_LONG, kube_object_position(from),
	    "the output would have a file with a name of %zu bytes, file systems take %d", len,
	    FILE_NAME_MAX_BYTES);
	diag_set_help(sink, diag, "use a name shorter by at least %zu", len - FILE_NAME_MAX_BYTES);
	return STATUS_FAILED;
}
