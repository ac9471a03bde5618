/*
 * Objects from which units are made (struct dialect, expand), and Terraform's output for them, if
 * SOPS has encrypted them. As with encrypted settings (sealed_settings.c), each encrypted value is
 * a placeholder until the file is decrypted.
 */
#include "fleet/internal.h"
#include "secrecy/secrecy.h"
#include "json/json.h"

/* ---- placeholders -----------------------------------------------------------------------------
 */

static enum secrecy_step close_place(void *context, struct secrecy_place *place,
                                     struct value *ret_copy)
{
	struct arena *arena = context;
	const struct value *v = place->value;

	if (place->depth == 1 && place->entry && sv_eq_cstr(place->entry->key, "sops"))
		return SECRECY_OMIT;
	if (value_is_map(v) || value_is_list(v))
		return SECRECY_INTO;
	if (seal_is_sealed_text(value_text(v)))
		*ret_copy = fleet_placeholder(arena, v, secrecy_path(arena, place),
		                              place->entry ? place->entry->key : SV(""));
	return SECRECY_OVER;
}

struct value fleet_close_expandable(struct arena *arena, const struct value *root)
{
	return secrecy_copy(arena, root, close_place, arena);
}

/* ---- Terraform's output -------------------------------------------------------------------- */

/* Returns null for a file that is clear, and for one that read_terraform reports. */
static struct fleet_file *read_terraform_file(struct arena *arena,
                                              const struct fleet_options *options, sv path)
{
	struct sink unused = sink_in(arena);
	struct fleet_file *file;
	struct source *source;
	struct value *root;
	sv text;

	if (!options->read_file || !options->read_file(options->read_file_context, path, &text) ||
	    !sv_contains(text, SV("\"sops\"")))
		return NULL;
	root = ARENA_NEW(arena, struct value);
	source = source_new(arena, path, text, secrecy_manifest_may_hold_credential(text));
	source->suspected = source->confidential;
	source->values = options->values;
	if (json_parse(arena, &unused, source, root) != STATUS_OK || !seal_is_input(root))
		return NULL;
	file = ARENA_NEW(arena, struct fleet_file);
	*file = (struct fleet_file){
	    .path = path,
	    .source = source,
	    .sink = sink_in(arena),
	    .sealed = root,
	    .sealed_count = 1,
	};
	return file;
}

struct fleet_terraform *fleet_find_terraform(struct arena *secret_arena,
                                             const struct fleet_draft *draft,
                                             const struct fleet_options *options)
{
	size_t count = draft->clusters.count;
	struct fleet_terraform *terraform =
	    ARENA_ARRAY(secret_arena, struct fleet_terraform, count);
	struct map known = map_in(secret_arena); /* struct fleet_file by path */

	for (size_t i = 0; i < count; i++) {
		const struct fleet_cluster_draft *cluster = &draft->clusters.items[i];
		const struct value *given =
		    value_map_get(cluster->spec, SV(FLEET_TERRAFORM_MEMBER));
		struct fleet_file *file;
		sv path;

		if (!value_is_string(given) || !cluster->file ||
		    !fleet_path_resolve(secret_arena, os_folder_of(cluster->file->path),
		                        given->string, &path))
			continue;
		file = map_get(&known, path);
		if (!file)
			file = read_terraform_file(secret_arena, options, path);
		if (!file)
			continue;
		map_put(&known, path, file);
		struct value *closed = ARENA_NEW(secret_arena, struct value);
		*closed = fleet_close_expandable(secret_arena, &file->sealed[0]);
		terraform[i] = (struct fleet_terraform){file, closed};
	}
	return terraform;
}

/*
 * SAFETY: whoever may write to one cluster's folder can name another cluster's file, and would have
 * CI decrypt it there.
 */
bool fleet_check_terraform_place(struct sink *sink, const struct fleet_scopes *scopes,
                                 const struct fleet_terraform *terraform)
{
	const struct fleet_draft *draft = scopes->draft;
	bool all_fine = true;

	for (size_t i = 0; i < draft->clusters.count; i++) {
		const struct fleet_cluster_draft *cluster = &draft->clusters.items[i];
		struct diag *diag;
		size_t from;

		if (!terraform[i].file)
			continue;
		from = fleet_sealed_scope(scopes, terraform[i].file);
		if (from == FLEET_NO_CLUSTER || from == i)
			continue;
		diag = diag_report(
		    sink, DIAG_FLEET_SEALED_COPY,
		    value_position(value_map_get(cluster->spec, SV(FLEET_TERRAFORM_MEMBER))),
		    "cluster %.*s names an encrypted file of cluster %.*s", SV_ARG(cluster->name),
		    SV_ARG(draft->clusters.items[from].name));
		diag_set_help(
		    sink, diag,
		    "encrypt the file anew for each cluster, or keep it outside of all "
		    "clusters' folders; if nobody meant to use it, treat the commit as an "
		    "attack");
		all_fine = false;
	}
	return all_fine;
}

/* ---- the clusters that get them ------------------------------------------------------------ */

static void mark(struct arena *arena, struct fleet_cluster_draft *cluster,
                 const struct value *sealed)
{
	cluster->is_sealed = true;
	seal_list_marks(arena, sealed, &cluster->sealed_marks);
}

void fleet_mark_expandables(struct arena *arena, const struct fleet_files *files,
                            struct fleet_draft *draft)
{
	const struct fleet_scopes scopes = fleet_scopes_of(arena, draft);

	for (size_t i = 0; i < files->count; i++)
		VEC_EACH (found, &files->items[i]->expandables) {
			size_t cluster = fleet_scope_of(&scopes, files->items[i]);

			if (found->is_sealed && cluster != FLEET_NO_CLUSTER)
				mark(arena, &draft->clusters.items[cluster],
				     &files->items[i]->sealed[found->sealed_number]);
		}
	for (size_t i = 0; i < draft->clusters.count; i++)
		if (files->terraform[i].file)
			mark(arena, &draft->clusters.items[i],
			     &files->terraform[i].file->sealed[0]);
}
