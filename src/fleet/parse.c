/*
 * Reads one file: decides whether to parse it and whether its content is confidential, and reports
 * ciphertext and syntax errors. Its documents are read by file.c.
 */
#include "yaml/yaml.h"
#include "json/json.h"

#include "fleet/internal.h"
#include "secrecy/secrecy.h"

/* Returns true for JSON, except with several documents: with "---" between them they are YAML. */
static bool is_json(sv path, sv text)
{
	return sv_ends_with(path, SV(".json")) && !sv_starts_with(text, SV("---")) &&
	       !sv_contains(text, SV("\n---"));
}

static enum status parse(struct arena *arena, struct sink *sink, const struct source *source,
                         struct yml_documents *ret_documents)
{
	struct value root;

	if (!is_json(source->path, source->text))
		return yml_parse(arena, sink, source, ret_documents);
	if (json_parse(arena, sink, source, &root) != STATUS_OK)
		return STATUS_FAILED;
	*ret_documents = (struct yml_documents){0};
	VEC_PUSH(arena, ret_documents, (struct yml_document){.root = root});
	return STATUS_OK;
}

/*
 * Adds another remedy to each message: the file may have nothing to do with osm-gen. (Not called
 * for files of --secrets.)
 */
static void add_ignore_help(struct sink *sink)
{
	VEC_EACH (diag, &sink->diags) {
		sv help = (*diag)->help;
		const char *more = "if it is not a manifest, name the file in " FLEET_IGNORE_FILE;

		if (sv_empty(help))
			diag_set_help(sink, *diag, "mend it; or, %s", more);
		else
			diag_set_help(sink, *diag, "%.*s\n%s", SV_ARG(help), more);
	}
}

/* Returns true if no document is an object or a list, and one has a value. */
static bool have_no_object(const struct yml_documents *documents)
{
	bool have_value = false;

	VEC_EACH (document, documents) {
		if (value_is_map(&document->root) || value_is_list(&document->root))
			return false;
		have_value |= !value_is_null(&document->root);
	}
	return have_value;
}

/* Does the same for JSON that is not parsed: it begins with another value. */
static bool begins_with_no_object(sv text)
{
	sv trimmed = sv_trim_space(text);

	return !sv_empty(trimmed) && !strchr("{[", trimmed.ptr[0]);
}

/*
 * Warns of an osm-gen.yaml without a document, as an editor or a full disk leaves it: the manifests
 * beside it belong to another cluster than before.
 */
static void warn_empty_settings(struct fleet_file *file, const struct yml_documents *documents)
{
	VEC_EACH (document, documents) {
		if (!value_is_null(&document->root))
			return;
	}
	struct diag *diag =
	    diag_report(&file->sink, DIAG_FLEET_EMPTY, position_of_source(file->source),
	                "the file is empty: no Fleet and no Cluster is read from it");
	diag_set_help(&file->sink, diag,
	              "begin it with apiVersion: " FLEET_API_VERSION
	              " and kind: Fleet or Cluster, or remove the file");
}

/*
 * Reports syntax errors in YAML without any kind that matters. Other mistakes in it (a duplicate
 * key, a tag of some tool) are ignored.
 */
static void check_syntax(struct fleet_file *file)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct sink all = sink_in(scratch);
	struct sink syntax = sink_in(scratch);
	struct yml_documents documents;

	if (yml_parse(scratch, &all, file->source, &documents) == STATUS_OK) {
		file->has_no_object = have_no_object(&documents);
		return;
	}
	VEC_EACH (diag, &all.diags) {
		if ((*diag)->code == DIAG_YAML_SYNTAX || (*diag)->code == DIAG_CONFLICT_MARKER)
			VEC_PUSH(scratch, &syntax.diags, *diag);
	}
	sink_merge(&file->sink, &syntax);
	add_ignore_help(&file->sink);
}

static void report_template(struct sink *sink, enum fleet_template template, struct position at)
{
	bool is_helm = template == FLEET_TEMPLATE_HELM;
	struct diag *diag = diag_report(sink, DIAG_HELM_TEMPLATE, at,
	                                "this is a template of %s, not a manifest: its actions "
	                                "{{ ... }} are not filled in",
	                                is_helm ? "Helm" : "an addon of KubeOne");

	diag_set_help(sink, diag,
	              is_helm ? "commit what `helm template` prints, and name the file "
	                        "in " FLEET_IGNORE_FILE
	                      : "KubeOne fills it in and applies it: name the folder of addons "
	                        "in " FLEET_IGNORE_FILE);
}

/* Replaces the parser's errors in a template by one that explains what the file is. */
static void explain_template(struct arena *arena, struct fleet_file *file)
{
	enum fleet_template template = fleet_words_template(file->source->text);
	struct sink explained = sink_in(arena);
	bool done = false;

	if (template == FLEET_NO_TEMPLATE)
		return;
	VEC_EACH (diag, &file->sink.diags) {
		if ((*diag)->code != DIAG_YAML_SYNTAX && (*diag)->code != DIAG_YAML_VALUE) {
			VEC_PUSH(arena, &explained.diags, *diag);
			continue;
		}
		if (!done)
			report_template(&explained, template, (*diag)->at);
		done = true;
	}
	if (!done)
		return;
	sink_forget(&file->sink, 0);
	sink_merge(&file->sink, &explained);
}

static void set_secrecy(struct source *source, bool holds_secret, bool may_hold_secret)
{
	source->confidential = holds_secret || may_hold_secret;
	source->suspected = !holds_secret && may_hold_secret;
}

/* Remembers a kustomization, whose apiVersion and kind are optional. */
static void note_kustomization(struct fleet_file *file, const struct yml_documents *documents)
{
	const struct value *root = documents->count > 0 ? &documents->items[0].root : NULL;
	sv api_version = value_text(value_map_get(root, SV("apiVersion")));

	if (fleet_is_kustomization(file->path) && !fleet_file_is_outside(file) &&
	    value_is_map(root) &&
	    (sv_empty(api_version) || sv_starts_with(api_version, SV("kustomize.config.k8s.io/"))))
		file->kustomization = root;
}

/*
 * Reads a file that has no input but may have a bystander or a kustomization. Returns false if it
 * cannot be parsed, so that the caller reports its syntax errors.
 */
static bool read_beside(struct arena *arena, struct fleet_file *file)
{
	struct sink ignored = sink_in(arena);
	struct yml_documents documents;

	if (parse(arena, &ignored, file->source, &documents) != STATUS_OK)
		return is_json(file->path, file->source->text) ||
		       fleet_words_are_application(file->source->text);
	VEC_EACH (document, &documents)
		fleet_note_beside(arena, file, &document->root);
	note_kustomization(file, &documents);
	set_secrecy(file->source, false, secrecy_manifest_mentions_credential(file->source->text));
	return true;
}

/* Replaces an encrypted object that kustomize made by the file that it comes from. */
static void keep_sealed_file(struct arena *arena, struct fleet_file *file,
                             const struct fleet_blob *blob)
{
	struct source *source = source_new(arena, blob->path, blob->sealed_text, false);
	struct sink reported = sink_in(arena); /* when the kustomization was read */
	struct yml_documents documents;

	if (file->sealed_count == 0)
		return;
	source->values = blob->values;
	file->sealed_number = blob->sealed_number;
	file->sealed_count = 0;
	if (yml_parse(arena, &reported, source, &documents) != STATUS_OK)
		return;
	file->made_source = source;
	file->made_metadata = value_map_get(&file->sealed[0], SV("metadata"));
	fleet_keep_sealed(arena, file, &documents);
}

static void read_all(struct arena *arena, struct fleet_file *file, bool is_whole,
                     const struct yml_documents *documents)
{
	struct fleet_clear_secrets secrets;

	fleet_read_documents(arena, file, is_whole, documents, &secrets);
	note_kustomization(file, documents);
	/* The guess by words is replaced: only a file that really has clear secrets is hidden. */
	bool holds_secret =
	    secrets.found || fleet_file_is_external(file) ||
	    (fleet_file_matters(file) && secrecy_manifest_holds_credential(file->source->text));
	set_secrecy(file->source, holds_secret, secrets.suspected);
}

/*
 * Returns true if nothing but the file's units refers to its values: each of its documents is a
 * unit, and no unit has a secret, which the run keeps.
 */
static bool has_only_units(const struct fleet_file *file, const struct yml_documents *documents)
{
	size_t count = 0;

	if (file->has_inline_secret)
		return false;
	VEC_EACH (document, documents) {
		if (value_is_null(&document->root))
			continue;
		if (count == file->units.count ||
		    file->units.items[count++].object.root != &document->root)
			return false;
	}
	return count > 0 && count == file->units.count;
}

/* Makes the values of the file's units forgettable: their objects and names are kept elsewhere. */
static void set_memory(struct arena *arena, struct arena *unit_arena, struct fleet_file *file)
{
	struct kube_memory *memory = ARENA_NEW(arena, struct kube_memory);
	struct fleet_objects kept = {0};

	*memory = (struct kube_memory){unit_arena, file->units.count};
	VEC_RESERVE(arena, &kept, file->units.count);
	VEC_EACH (found, &file->units) {
		struct kube_id *id = &found->object.id;

		*id = (struct kube_id){
		    .api_version = arena_dup(arena, id->api_version),
		    .kind = arena_dup(arena, id->kind),
		    .namespace = arena_dup(arena, id->namespace),
		    .name = arena_dup(arena, id->name),
		};
		found->object.memory = memory;
		VEC_PUSH(arena, &kept, *found);
	}
	file->units = kept;
}

/* Packs the units of the file, or none of them if one cannot be packed. */
static void pack_units(struct arena *pack_arena, struct fleet_file *file)
{
	struct arena *values = file->units.items[0].object.memory->arena;
	struct fleet_objects open = {0};

	VEC_RESERVE(values, &open, file->units.count);
	VEC_EACH (found, &file->units)
		VEC_PUSH(values, &open, *found);
	VEC_EACH (found, &file->units) {
		if (!found->dialect->lets_units_go ||
		    !kube_object_pack(pack_arena, values, &found->object)) {
			memcpy(file->units.items, open.items, open.count * sizeof(*open.items));
			return;
		}
		found->object.memory = NULL;
	}
	arena_reset(values);
}

/* Reports a file that is ciphertext as a whole. */
static bool is_cipher(struct fleet_file *file, struct source *source)
{
	const struct fleet_cipher *cipher = fleet_cipher_of(source->text);

	if (!cipher)
		return false;
	file->has_no_object = true;
	file->source = source;
	fleet_report_cipher(file, cipher);
	return true;
}

struct fleet_file *fleet_read_file(struct arena *arena, struct arena *secret_arena,
                                   const struct fleet_filter *filter, const struct fleet_blob *blob)
{
	struct fleet_file *file = ARENA_NEW(arena, struct fleet_file);
	sv words = fleet_words_of(secret_arena, blob->text);
	bool external = !sv_empty(blob->secrets_path);
	bool is_settings = fleet_is_settings_file(blob->path) && !blob->is_added;
	bool wanted = is_settings || external || blob->is_whole || blob->is_added ||
	              fleet_words_are_ours(words) || seal_may_hide_kind(words);
	bool is_beside =
	    !wanted && (fleet_is_kustomization(blob->path) || fleet_words_are_beside(words));
	bool is_template = sv_contains(words, SV("{{")) &&
	                   (!wanted || fleet_filter_is_chart_template(filter, blob->path));
	bool may_hold_secret = fleet_words_may_hold_secret(words);
	/* Units may hold credentials of a cloud, too. */
	bool names_unit = fleet_words_name(words, DIALECT_UNIT);
	bool in_secret_memory =
	    external || may_hold_secret || names_unit || fleet_words_name(words, DIALECT_EXPANDED);
	struct yml_documents documents;

	*file = (struct fleet_file){
	    .path = arena_dup(arena, blob->path),
	    .secrets_path = arena_dup(arena, blob->secrets_path),
	    .is_added = blob->is_added,
	    .is_made = blob->is_made,
	    .cluster = arena_dup(arena, blob->cluster),
	    .sink = sink_in(arena),
	};
	struct source *source = source_new(arena, blob->path, blob->text, false);
	source->values = blob->values;
	source->listed_as = arena_dup(arena, blob->listed_as);
	if (is_cipher(file, source))
		return file;
	if (is_template || (!wanted && !is_beside && is_json(blob->path, blob->text))) {
		file->has_no_object = !is_template && begins_with_no_object(blob->text);
		file->source = file->has_no_object ? source : NULL;
		return file;
	}
	file->source = source;
	set_secrecy(file->source, external, may_hold_secret);
	if (is_beside && read_beside(secret_arena, file))
		return file;
	if (!wanted) {
		check_syntax(file);
		if (file->sink.diags.count > 0)
			set_secrecy(file->source, secrecy_manifest_holds_credential(words),
			            may_hold_secret || secrecy_manifest_mentions_credential(words));
		return file;
	}
	bool has_own_memory = names_unit && blob->unit_arena;
	struct arena *values = has_own_memory     ? blob->unit_arena
	                       : in_secret_memory ? secret_arena
	                                          : arena;
	if (parse(values, &file->sink, file->source, &documents) == STATUS_OK) {
		file->has_no_object = have_no_object(&documents);
		if (is_settings)
			warn_empty_settings(file, &documents);
		read_all(values, file, blob->is_whole, &documents);
		if (!sv_empty(blob->sealed_text))
			keep_sealed_file(values, file, blob);
		if (has_own_memory && has_only_units(file, &documents)) {
			set_memory(arena, values, file);
			if (blob->pack_arena)
				pack_units(blob->pack_arena, file);
		}
	} else {
		may_hold_secret |= fleet_words_are_confidential(words, is_settings);
		set_secrecy(file->source, external || secrecy_manifest_holds_credential(words),
		            may_hold_secret);
		if (!is_settings && !external && !blob->is_whole && !blob->is_added)
			add_ignore_help(&file->sink);
		explain_template(arena, file);
	}
	return file;
}
