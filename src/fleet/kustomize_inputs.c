/*
 * Appliers of osm-gen's own inputs: no cluster has the kinds of osm-gen.yaml, and Flux refuses a
 * folder as a whole if it has one of them. These are warnings, since osm-gen cannot know for sure
 * that an applier's source is this repository.
 */
#include "fleet/kustomize.h"

#include "codec/codec.h"

#define SOURCE_IGNORE ".sourceignore"

struct taker {
	struct kustomizer *k;
	const struct gitignore *ignored; /* what Flux leaves out; or null */
	uint64_t left;                   /* steps of matching */
};

static bool is_below(sv path, sv folder)
{
	return sv_empty(folder) || (sv_starts_with(path, folder) && path.len > folder.len &&
	                            path.ptr[folder.len] == '/');
}

/* Returns true if a pattern leaves out the file, or a folder above it. */
static bool is_hidden(const struct gitignore *ignored, sv path, uint64_t *left)
{
	for (size_t at = 0; at < path.len; at++)
		if (path.ptr[at] == '/' &&
		    gitignore_excludes(ignored, sv_slice(path, 0, at), true, left))
			return true;
	return gitignore_excludes(ignored, path, false, left);
}

/*
 * Finds the first folder below `folder` that has a kustomization and holds the file. Returns false
 * without such a folder. An applier takes only what the kustomization lists.
 */
static bool find_nested(struct kustomizer *k, sv folder, sv path, sv *ret_nested)
{
	sv rest = os_folder_of(path);

	while (is_below(rest, folder) && !sv_empty(rest)) {
		if (kustomize_find(k, rest)) {
			*ret_nested = rest;
			return true;
		}
		rest = os_folder_of(rest);
	}
	return false;
}

/* Returns true if the applier of the folder applies the file. */
static bool takes(struct taker *t, const struct kustomize_applier *applier, sv folder,
                  const struct kustomize_reach *reach, sv path)
{
	struct kustomize_reach nested = {.seen = set_in(t->k->scratch)};
	bool is_listed = kustomize_find(t->k, folder);
	sv inner;

	if (!set_has(&reach->seen, path))
		return false;
	if (!is_listed && applier->is_selected)
		return false;
	if (!is_listed && applier->is_flat && !sv_eq(os_folder_of(path), folder))
		return false;
	if (applier->is_flux && t->ignored && is_hidden(t->ignored, path, &t->left))
		return false;
	if (is_listed || !find_nested(t->k, folder, path, &inner))
		return true;
	kustomize_collect(t->k, inner, &nested);
	return set_has(&nested.seen, path);
}

static struct position kustomization_place(const struct fleet_file *file)
{
	return file->documents.count > 0 ? value_position(file->documents.items[0].root)
	                                 : position_of_source(file->source);
}

static void add_sealed(struct taker *t, const struct kustomize_applier *applier, struct diag *diag,
                       const struct kustomize_reach *reach)
{
	for (size_t i = 0; i < t->k->files->count && applier->is_flux && !applier->decrypts; i++) {
		const struct fleet_file *file = t->k->files->items[i];

		if (file->sealed_count == 0 || file->documents.count > 0 ||
		    !set_has(&reach->seen, file->path))
			continue;
		diag_add_note(t->k->sink, diag, position_of_source(file->source),
		              "this encrypted file would reach the API server as it is: the "
		              "Kustomization has no spec.decryption");
		return;
	}
}

static void check(void *context, const struct kustomize_applier *applier)
{
	enum { SHOWN = 4 };
	struct taker *t = context;
	struct kustomizer *k = t->k;
	struct kustomize_reach reach = {.seen = set_in(k->scratch)};
	struct diag *diag = NULL;
	size_t count = 0;
	sv folder;

	if (!kustomize_charge(k, 1 + k->files->count) ||
	    !kustomize_find_folder(k, value_text(applier->path), applier->source, &folder))
		return;
	kustomize_collect_applied(k, folder, &reach);
	for (size_t i = 0; i < k->files->count; i++) {
		const struct fleet_file *file = k->files->items[i];

		if (file->documents.count == 0 || fleet_file_is_outside(file) ||
		    !takes(t, applier, folder, &reach, file->path))
			continue;
		if (count == 0)
			diag = diag_report(
			    k->sink, DIAG_INPUTS_APPLIED, value_position(applier->path),
			    "%.*s applies %.*s, whose kind no cluster knows%s",
			    SV_ARG(applier->name), SV_ARG(file->path),
			    applier->is_flux ? ": kustomize-controller refuses the whole folder"
			                     : ": the sync fails");
		if (count < SHOWN)
			diag_add_note(k->sink, diag, kustomization_place(file),
			              count == 0 ? "it is applied here" : "this one, too");
		count++;
	}
	if (!diag)
		return;
	add_sealed(t, applier, diag, &reach);
	diag_set_help(k->sink, diag,
	              "move osm-gen's inputs to a folder that nobody applies, or %s; if it applies "
	              "another repository, name its file in " FLEET_IGNORE_FILE,
	              applier->is_flux
	                  ? "name osm-gen.yaml in " SOURCE_IGNORE
	                    ", or list in a kustomization.yaml of the applied folder only what is "
	                    "to be applied"
	                  : "leave osm-gen.yaml out with spec.source.directory.exclude");
}

/* ---- kustomizations ---------------------------------------------------------------------- */

/* Returns the first file of settings in the folder or below, or null. */
static const struct fleet_file *first_below(struct kustomizer *k, sv folder)
{
	if (!kustomize_charge(k, k->files->count))
		return NULL;
	for (size_t i = 0; i < k->files->count; i++)
		if (k->files->items[i]->documents.count > 0 &&
		    !fleet_file_is_outside(k->files->items[i]) &&
		    is_below(k->files->items[i]->path, folder))
			return k->files->items[i];
	return NULL;
}

/* Reports entries that name osm-gen's own files, whoever runs the kustomization. */
static void check_resources(struct kustomizer *k, const struct fleet_file *from)
{
	struct kustomize_walk walk = {.root = from->kustomization,
	                              .of = KUSTOMIZE_RESOURCE_ENTRIES};
	const struct value *entry;

	while ((entry = kustomize_next_entry(&walk))) {
		sv path;

		if (!kustomize_charge(k, 1) || !value_is_string(entry) ||
		    !fleet_path_resolve(k->scratch, os_folder_of(from->path), entry->string, &path))
			continue;
		const struct fleet_file *file = map_get(&k->by_path, path);
		/* A folder without a kustomization does not build; it is meant to be taken in. */
		if (!file && !sv_empty(path) && !kustomize_find(k, path))
			file = first_below(k, path);
		if (!file || file->documents.count == 0)
			continue;
		struct diag *diag =
		    diag_report(k->sink, DIAG_INPUTS_APPLIED, value_position(entry),
		                "this kustomization takes %.*s in, whose kind no cluster knows",
		                SV_ARG(file->path));
		diag_set_help(k->sink, diag, "remove the line: only osm-gen reads that file");
	}
	kustomize_end(k);
}

/* ---- the whole --------------------------------------------------------------------------- */

static void read_ignored(struct taker *t)
{
	const struct fleet_options *options = t->k->options;
	sv text;

	if (options->read_file &&
	    options->read_file(options->read_file_context, SV(SOURCE_IGNORE), &text))
		t->ignored = gitignore_parse(t->k->arena, text);
}

void kustomize_check_inputs(struct kustomizer *k)
{
	struct taker t = {.k = k, .left = UINT64_C(1000) * 1000};

	read_ignored(&t);
	kustomize_each_applier(k, check, &t);
	for (size_t i = 0; i < k->files->count; i++)
		if (k->files->items[i]->kustomization)
			check_resources(k, k->files->items[i]);
}

/* ---- the output -------------------------------------------------------------------------- */

/* Returns the place of the last line that hides the file by itself, or the file as a whole. */
static struct position place_of_line(struct arena *arena, sv text, sv path, uint64_t *left)
{
	const struct source *source = source_new(arena, SV(SOURCE_IGNORE), text, false);
	struct position at = position_of_source(source);
	struct sv_splitter lines = sv_split(text, '\n');
	sv line;

	while (sv_split_next(&lines, &line))
		if (is_hidden(gitignore_parse(arena, line), path, left))
			at = (struct position){source, (size_t)(line.ptr - text.ptr), line.len};
	return at;
}

void fleet_check_hidden_output(struct arena *arena, struct sink *sink,
                               const struct fleet_options *options, const struct fleet *fleet)
{
	uint64_t left = UINT64_C(1000) * 1000;
	sv text;

	if (sv_empty(options->out) || !options->read_file ||
	    !options->read_file(options->read_file_context, SV(SOURCE_IGNORE), &text))
		return;
	const struct gitignore *ignored = gitignore_parse(arena, text);
	for (size_t i = 0; i < fleet->cluster_count; i++) {
		const struct fleet_cluster *cluster = &fleet->clusters[i];
		sv path = ARENA_CONCAT(arena, options->out, SV("/"), cluster->folder,
		                       SV("/worker/kustomization.yaml"));

		if (cluster->delivery.applier == FLEET_APPLIER_ARGOCD ||
		    !is_hidden(ignored, path, &left))
			continue;
		struct diag *diag = diag_report(
		    sink, DIAG_OUTPUT_HIDDEN, place_of_line(arena, text, path, &left),
		    "Flux does not get the output of cluster %.*s: this file leaves %.*s out",
		    SV_ARG(cluster->name), SV_ARG(path));
		diag_set_help(sink, diag,
		              "take the line out, or add one that takes the folder in again, at "
		              "the end: !/%.*s/",
		              SV_ARG(options->out));
		return;
	}
}
