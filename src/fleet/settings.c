/*
 * Reads osm-gen.yaml: at most one Fleet, any number of Clusters, and their scopes.
 */
#include "fleet/internal.h"

struct settings_reader {
	struct arena *arena;
	struct sink *sink;
	struct fleet_draft *draft;
	const struct value *fleet_root; /* of the Fleet that was read */
};

/* Returns the member, or null if it is unset. */
static const struct value *member(const struct value *map, const char *name)
{
	const struct value *v = value_map_get(map, sv_from_cstr(name));

	return value_is_null(v) ? NULL : v;
}

static struct fleet_sealing_draft read_sealing(const struct fleet_taken *taken)
{
	const struct value *sealing = member(taken->spec, "sealing");

	if (!sealing)
		return (struct fleet_sealing_draft){.is_wrong = taken->is_wrong};
	return (struct fleet_sealing_draft){
	    .format = member(sealing, "format"),
	    .recipients = member(sealing, "recipients"),
	    .identity = value_text(value_map_get(sealing, SV("fleet"))),
	    .inputs = member(sealing, "inputs"),
	    .certificate = member(sealing, "certificate"),
	    .scope = member(sealing, "scope"),
	    .round_lengths = member(sealing, "roundLengths"),
	    .at = value_position(sealing),
	    .is_wrong = taken->is_wrong,
	};
}

/* ---- Fleet ------------------------------------------------------------------------------- */

static void read_removal_guard(struct settings_reader *r, const struct value *spec)
{
	const struct value *given = value_map_get(spec, SV("removalGuard"));
	struct fleet_removal_guard *guard = &r->draft->removal_guard;
	const struct value *percent = value_map_get(given, SV("percent"));
	const struct value *least = value_map_get(given, SV("least"));
	if (!value_is_null(percent))
		guard->percent = (size_t)percent->integer;
	if (!value_is_null(least))
		guard->least = (size_t)least->integer;
}

static void read_fleet(struct settings_reader *r, const struct fleet_file *file,
                       const struct fleet_document *document)
{
	const struct value *root = document->root;

	if (!sv_empty(os_folder_of(file->path))) {
		struct diag *diag = diag_report(r->sink, DIAG_FLEET_PLACE, value_position(root),
		                                "the Fleet is not at the repository's root");
		diag_set_help(r->sink, diag, "move it to " FLEET_SETTINGS_FILE " at the root");
		return;
	}
	if (r->fleet_root) {
		struct diag *diag = diag_report(r->sink, DIAG_FLEET_TWICE, value_position(root),
		                                "there are two Fleets");
		diag_add_note(r->sink, diag, value_position(r->fleet_root), "the first one");
		diag_set_help(r->sink, diag, "join them: a repository has at most one");
		return;
	}
	r->fleet_root = root;
	r->draft->fleet_file = file;
	r->draft->is_sealed = document->is_sealed;
	if (document->is_sealed)
		seal_list_marks(r->arena, &file->sealed[document->sealed_number],
		                &r->draft->sealed_marks);
	/* Keep the valid members beside a mistake, so that they are not reported as missing. */
	const struct fleet_taken taken =
	    fleet_take_document(r->arena, r->sink, FLEET_DOCUMENT_FLEET, root);
	const struct value *spec = taken.spec;
	r->draft->spec = spec;
	r->draft->contract = member(spec, "contract");
	r->draft->defaults = value_map_get(spec, SV("defaults"));
	r->draft->sealing = read_sealing(&taken);
	fleet_read_commit(r->arena, r->sink, value_map_get(spec, SV("commit")), &r->draft->commit);
	r->draft->limits = member(spec, "limits");
	read_removal_guard(r, spec);
	r->draft->delivery = member(spec, "delivery");
}

/* ---- Cluster ----------------------------------------------------------------------------- */

static bool check_cluster_name(struct sink *sink, const struct fleet_cluster_draft *cluster)
{
	if (kube_name_valid(cluster->name))
		return true;
	struct diag *diag = diag_report(sink, DIAG_FLEET_CLUSTER_NAME, cluster->at,
	                                "\"%.*s\" cannot name a cluster", SV_ARG(cluster->name));
	diag_set_help(sink, diag,
	              "use a-z, 0-9, - and ., beginning and ending with a letter or digit: "
	              "a folder of the output is named after it");
	return false;
}

/* Reads a Cluster. Keeps the folder of a wrong one, so that its units still belong to a cluster. */
static void read_cluster(struct settings_reader *r, const struct fleet_file *file,
                         const struct fleet_document *document)
{
	const struct value *root = document->root;
	struct fleet_cluster_draft cluster = {
	    .scope = os_folder_of(file->path),
	    .at = value_position(root),
	    .file = file,
	    .is_sealed = document->is_sealed,
	};

	const struct value *name = value_path(root, "metadata.name");
	struct fleet_taken taken =
	    fleet_take_document(r->arena, r->sink, FLEET_DOCUMENT_CLUSTER, root);
	if (value_is_string(name)) {
		cluster.name = name->string;
		cluster.at = value_position(name);
		taken.is_wrong |= !check_cluster_name(r->sink, &cluster);
	}
	cluster.spec = taken.spec;
	cluster.settings = value_map_get(taken.spec, SV("settings"));
	cluster.sealing = read_sealing(&taken);
	cluster.delivery = member(taken.spec, "delivery");
	if (document->is_sealed)
		seal_list_marks(r->arena, &file->sealed[document->sealed_number],
		                &cluster.sealed_marks);
	VEC_PUSH(r->arena, &r->draft->clusters, cluster);
}

/* ---- all of them ------------------------------------------------------------------------- */

static void check_names(struct settings_reader *r)
{
	const struct fleet_cluster_drafts *clusters = &r->draft->clusters;

	for (size_t i = 1; i < clusters->count; i++) {
		const struct fleet_cluster_draft *before = &clusters->items[i - 1];
		const struct fleet_cluster_draft *cluster = &clusters->items[i];

		if (!sv_eq(before->name, cluster->name) || sv_empty(cluster->name))
			continue;
		struct diag *diag =
		    diag_report(r->sink, DIAG_FLEET_TWICE, cluster->at,
		                "there are two clusters named \"%.*s\"", SV_ARG(cluster->name));
		diag_add_note(r->sink, diag, before->at, "the other one");
		diag_set_help(r->sink, diag, "give each cluster a name of its own");
	}
}

static void report_nested(struct settings_reader *r, const struct fleet_cluster_draft *inner,
                          const struct fleet_cluster_draft *outer)
{
	struct diag *diag;

	if (sv_eq(inner->scope, outer->scope))
		diag = diag_report(r->sink, DIAG_FLEET_NESTED, inner->at,
		                   "clusters \"%.*s\" and \"%.*s\" have the same folder",
		                   SV_ARG(inner->name), SV_ARG(outer->name));
	else
		diag = diag_report(
		    r->sink, DIAG_FLEET_NESTED, inner->at,
		    "the folder of cluster \"%.*s\" lies within that of cluster \"%.*s\"",
		    SV_ARG(inner->name), SV_ARG(outer->name));
	diag_add_note(r->sink, diag, outer->at, "cluster \"%.*s\" is this one",
	              SV_ARG(outer->name));
	diag_set_help(r->sink, diag, "give each cluster a folder beside the other's");
}

/* Reports nested scopes, by searching for a cluster in the folders above each scope. */
static void check_nesting(struct settings_reader *r)
{
	struct map by_folder = map_in(r->arena);

	VEC_EACH (cluster, &r->draft->clusters) {
		const struct fleet_cluster_draft *other = map_get(&by_folder, cluster->scope);

		if (other)
			report_nested(r, cluster, other);
		else
			map_put(&by_folder, cluster->scope, cluster);
	}
	VEC_EACH (cluster, &r->draft->clusters) {
		for (sv folder = cluster->scope; !sv_empty(folder);) {
			const struct fleet_cluster_draft *outer;

			folder = os_folder_of(folder);
			outer = map_get(&by_folder, folder);
			if (outer)
				report_nested(r, cluster, outer);
		}
	}
}

/* Returns "Fleet" or "Cluster prod", for messages. */
static sv describe(struct arena *arena, const struct fleet_document *document)
{
	sv name = value_text(value_path(document->root, "metadata.name"));

	if (document->kind == FLEET_DOCUMENT_FLEET)
		return SV("Fleet");
	return sv_empty(name) ? SV("Cluster") : ARENA_CONCAT(arena, SV("Cluster "), name);
}

static void read_settings_file(struct settings_reader *r, const struct fleet_file *file)
{
	sv folder = os_folder_of(file->path);

	VEC_EACH (document, &file->documents) {
		DIAG_SCOPE(r->sink, describe(r->arena, document), r->sink->cluster);
		switch (document->kind) {
		case FLEET_DOCUMENT_FLEET:
			read_fleet(r, file, document);
			break;
		case FLEET_DOCUMENT_CLUSTER:
			read_cluster(r, file, document);
			break;
		}
	}
	/* The recipients may be in a document that could not be read. */
	if (file->sink.error_count > 0 && sv_empty(folder) && fleet_is_settings_file(file->path))
		r->draft->sealing.is_wrong = true;
	/* Below the root, an unreadable settings file probably has a Cluster. */
	if (file->documents.count == 0 && file->sink.error_count > 0 && !sv_empty(folder) &&
	    fleet_is_settings_file(file->path))
		VEC_PUSH(r->arena, &r->draft->clusters,
		         (struct fleet_cluster_draft){.scope = folder,
		                                      .at = position_of_source(file->source),
		                                      .file = file});
}

void fleet_read_settings(struct arena *arena, struct sink *sink, const struct fleet_files *files,
                         struct fleet_draft *ret_draft)
{
	struct settings_reader reader = {.arena = arena, .sink = sink, .draft = ret_draft};

	*ret_draft = (struct fleet_draft){.removal_guard = {.percent = 30, .least = 3}};
	for (size_t i = 0; i < files->count; i++) {
		if (!fleet_file_is_outside(files->items[i]))
			read_settings_file(&reader, files->items[i]);
	}
	SORT_BY(ret_draft->clusters.items, ret_draft->clusters.count, name);
	check_names(&reader);
	check_nesting(&reader);
	ret_draft->has_clusters = ret_draft->clusters.count > 0;
	if (!ret_draft->has_clusters)
		VEC_PUSH(arena, &ret_draft->clusters,
		         (struct fleet_cluster_draft){.name = SV(FLEET_ONLY_CLUSTER)});
}
