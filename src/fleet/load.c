/*
 * Puts the inputs of a commit together: fleet_load.
 */
#include "fleet/internal.h"

/* Takes the dialects from the registry, which fleet/ asks only here once files are read. */
static void take_dialects(struct arena *arena, struct fleet *fleet)
{
	const struct dialect *const *all = dialects(&fleet->dialect_count);

	fleet->dialects = ARENA_ARRAY(arena, struct fleet_dialect, fleet->dialect_count);
	for (size_t i = 0; i < fleet->dialect_count; i++)
		fleet->dialects[i] = (struct fleet_dialect){.dialect = all[i]};
}

static void make_clusters(struct arena *arena, const struct fleet_draft *draft, struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->cluster_count; i++) {
		const struct fleet_cluster_draft *from = &draft->clusters.items[i];
		struct fleet_cluster *cluster = &fleet->clusters[i];

		*cluster = (struct fleet_cluster){
		    .name = from->name,
		    .scope = from->scope,
		    .at = from->at,
		    .spec = from->spec,
		    .settings = from->settings,
		    .gets_sealed_settings = from->is_sealed || draft->is_sealed,
		    .sealed_marks = from->sealed_marks,
		    .dialects = ARENA_ARRAY(arena, struct dialect_cluster, fleet->dialect_count),
		    .dialect_count = fleet->dialect_count,
		};
		for (size_t j = 0; j < fleet->dialect_count; j++)
			cluster->dialects[j] = (struct dialect_cluster){
			    .dialect = fleet->dialects[j].dialect,
			    .name = from->name,
			    .at = from->at,
			    .contract = fleet->contract,
			    .shared = &fleet->dialects[j].definitions,
			};
	}
}

static void count_foreign(const struct fleet_files *files, struct fleet *fleet)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct fleet_file *file = files->items[i];

		if (file->foreign_count > 0 && fleet->foreign_count == 0) {
			fleet->foreign_at = file->foreign_at;
			fleet->foreign_kind = file->foreign_kind;
		}
		fleet->foreign_count += file->foreign_count;
	}
}

/* ---- kustomize --------------------------------------------------------------------------- */

/*
 * An incomplete object beside a kustomization is most likely a patch, which osm-gen does not apply.
 * Adds that to the error, with kustomize's output as the remedy.
 */
static void explain_patches(struct arena *arena, const struct fleet_files *files)
{
	struct set folders = set_in(arena);

	for (size_t i = 0; i < files->count; i++)
		if (fleet_is_kustomization(files->items[i]->path) &&
		    !fleet_file_is_outside(files->items[i]))
			set_add(&folders, os_folder_of(files->items[i]->path));
	if (set_count(&folders) == 0)
		return;
	for (size_t i = 0; i < files->count; i++) {
		struct fleet_file *file = files->items[i];

		if (!set_has(&folders, os_folder_of(file->path)))
			continue;
		VEC_EACH (diag, &file->sink.diags) {
			if ((*diag)->code != DIAG_OBJECT_IDENTITY)
				continue;
			diag_add_note(
			    &file->sink, *diag, NOWHERE,
			    "a kustomization is in the same folder, and osm-gen applies no "
			    "patches: it reads whole objects");
			diag_set_help(&file->sink, *diag,
			              "commit what `kustomize build` prints in its place, and "
			              "name in " FLEET_IGNORE_FILE
			              " the kustomization and the manifests that it reads");
		}
	}
}

/* Returns how many units an object may expand into: the items of its lists. */
static size_t items_of(const struct value *root)
{
	size_t items = 0;

	for (size_t i = 0; i < value_count(root); i++)
		if (value_is_list(&root->map->entries[i].value))
			items += value_count(&root->map->entries[i].value);
	return items;
}

size_t fleet_count_units(struct fleet_file *const *files, size_t count)
{
	size_t units = 0;

	for (size_t i = 0; i < count; i++)
		units += files[i]->units.count;
	for (size_t i = 0; i < count; i++) {
		VEC_EACH (found, &files[i]->expandables)
			units += items_of(found->root);
	}
	return units;
}

/* Reads the settings, and makes the clusters without their objects. */
static void read_fleet(struct arena *arena, struct sink *sink, const struct fleet_files *files,
                       const struct fleet_options *options, struct fleet_draft *ret_draft,
                       struct fleet *ret_fleet)
{
	struct fleet_draft *draft = ret_draft;

	fleet_read_settings(arena, sink, files, draft);
	*ret_fleet = (struct fleet){
	    .clusters = ARENA_ARRAY(arena, struct fleet_cluster, draft->clusters.count),
	    .cluster_count = draft->clusters.count,
	    .spec = draft->spec,
	    .defaults = draft->defaults,
	    .contract = fleet_choose_contract(sink, draft, options),
	    .names_contract = draft->contract != NULL,
	    .sealed_marks = draft->sealed_marks,
	    .identity = draft->sealing.identity,
	    .limits = draft->limits,
	    .removal_guard = draft->removal_guard,
	    .commit = draft->commit,
	};
	take_dialects(arena, ret_fleet);
	make_clusters(arena, draft, ret_fleet);
}

/*
 * Decrypts encrypted settings and reads them again. The clusters' recipients and folders, which
 * decide whether they may be decrypted, cannot be encrypted themselves.
 */
static void open_settings(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                          const struct fleet_files *files, const struct fleet_options *options,
                          struct fleet_draft *draft, struct fleet *fleet)
{
	const struct fleet_scopes scopes = fleet_scopes_of(arena, draft);
	/* Mistakes are reported when the settings are applied in the end. */
	struct sink unused = sink_in(arena);
	size_t reported = sink->diags.count;

	if (!fleet_has_sealed_settings(files, draft))
		return;
	fleet_mark_expandables(arena, files, draft);
	make_clusters(arena, draft, fleet);
	fleet_place_clusters(arena, draft, options, fleet);
	fleet_apply_settings(arena, &unused, draft, options, fleet);
	const struct fleet_opening request = {arena,   secret_arena, sink, files,
	                                      &scopes, options,      fleet};
	bool opened = fleet_open_settings(&request);
	if (opened) {
		read_fleet(arena, sink, files, options, draft, fleet);
		fleet_mark_expandables(arena, files, draft);
	}
	make_clusters(arena, draft, fleet);
	for (size_t i = reported; i < sink->diags.count; i++)
		draft->has_copies |= sink->diags.items[i]->code == DIAG_FLEET_SEALED_COPY;
}

enum status fleet_load(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                       struct fleet_file *const *files, size_t file_count,
                       const struct fleet_options *options, struct fleet *ret_fleet)
{
	size_t errors = sink->error_count;
	struct fleet_files all = {files, file_count, NULL};
	struct fleet_draft draft;

	fleet_set_patches_aside(arena, &all, options);
	explain_patches(arena, &all);
	for (size_t i = 0; i < file_count; i++)
		sink_merge(sink, &files[i]->sink);
	read_fleet(arena, sink, &all, options, &draft, ret_fleet);
	all.terraform = fleet_find_terraform(secret_arena, &draft, options);
	open_settings(arena, secret_arena, sink, &all, options, &draft, ret_fleet);

	struct fleet_scopes scopes = fleet_scopes_of(arena, &draft);
	for (size_t i = 0; i < file_count; i++)
		fleet_check_added_place(arena, sink, &scopes, files[i]);
	fleet_expand(secret_arena, sink, &all, &scopes, options, &draft, ret_fleet);
	fleet_place_clusters(arena, &draft, options, ret_fleet);
	fleet_apply_settings(arena, sink, &draft, options, ret_fleet);
	fleet_apply_delivery(arena, sink, &draft, ret_fleet);

	struct fleet_work *work =
	    fleet_collect_work(arena, &all, &scopes, options->steps, ret_fleet);
	fleet_fill_lookups(arena, secret_arena, sink, &all, &scopes, options, ret_fleet);
	fleet_finish_work(sink, work);
	for (size_t i = 0; i < ret_fleet->cluster_count; i++)
		ret_fleet->unit_count += ret_fleet->clusters[i].unit_count;
	count_foreign(&all, ret_fleet);
	fleet_check_kustomize(arena, secret_arena, sink, &all, options, ret_fleet);
	fleet_check_hidden_output(arena, sink, options, ret_fleet);
	fleet_report_beside(arena, sink, &all, &scopes, ret_fleet);
	fleet_check_servers(arena, secret_arena, sink, ret_fleet);
	return sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}
