/*
 * One file: is it worth parsing, what does it hold.
 */
#include "yaml/yaml.h"
#include "json/json.h"

#include "fleet/internal.h"
#include "secrecy/secrecy.h"

#define MAX_LISTS_DEEP 8

/* A kind of a dialect. */
struct known_kind {
	const struct dialect_kind *kind; /* null: none */
	size_t dialect;
};

static const sv settings_kinds[] = {SV_INIT("Fleet"), SV_INIT("Cluster")};

struct reader {
	struct arena *arena; /* of the values */
	struct fleet_file *file;
	bool is_settings;      /* named osm-gen.yaml */
	bool is_whole;         /* blob's */
	bool in_sealed;        /* what is read now belongs to an encrypted document */
	bool has_clear_secret; /* or a credential */
	bool may_have_secret;  /* by its words */
	bool is_searched;      /* the text, for such words */
};

static struct sink *sink_of(struct reader *r)
{
	return &r->file->sink;
}

/* ---- documents --------------------------------------------------------------------------- */

static void split_api_version(sv api_version, sv *ret_group, sv *ret_version)
{
	if (!sv_cut(api_version, SV("/"), ret_group, ret_version)) {
		*ret_group = SV("");
		*ret_version = api_version;
	}
}

static const char *article(sv kind)
{
	return !sv_empty(kind) && strchr("AEIOU", kind.ptr[0]) ? "an" : "a";
}

static void report_version(struct reader *r, const struct value *root, sv kind, sv expected)
{
	const struct value *at = value_map_get(root, SV("apiVersion"));
	struct diag *diag =
	    diag_report(sink_of(r), DIAG_FLEET_API_VERSION, value_position(at),
	                "apiVersion \"%.*s\" of %s %.*s is not one that osm-gen reads",
	                SV_ARG(at->string), article(kind), SV_ARG(kind));

	diag_set_help(sink_of(r), diag, "write apiVersion: %.*s", SV_ARG(expected));
}

static sv known_api_version(struct arena *arena, const struct dialect_kind *kind)
{
	return sv_empty(kind->group) ? kind->version
	                             : ARENA_CONCAT(arena, kind->group, SV("/"), kind->version);
}

/* Objects of --secrets may not be what ends up in the clear in the output. */
static bool refused_outside_git(struct reader *r, const struct value *root, sv kind)
{
	if (!fleet_file_is_external(r->file))
		return false;
	struct diag *diag =
	    diag_report(sink_of(r), DIAG_FLEET_SECRETS_FOLDER, value_position(root),
	                "%s %.*s stands in the --secrets folder", article(kind), SV_ARG(kind));
	diag_set_help(sink_of(r), diag,
	              "keep only Secrets and ConfigMaps there, and commit everything else");
	return true;
}

/* What is not decrypted would be rendered as it stands there. */
static bool refused_encrypted(struct reader *r, const struct value *root, sv kind)
{
	if (!r->in_sealed)
		return false;
	struct diag *diag = diag_report(sink_of(r), DIAG_FLEET_ENCRYPTED, value_position(root),
	                                "%s %.*s is encrypted", article(kind), SV_ARG(kind));
	diag_set_help(sink_of(r), diag,
	              "decrypt it, and keep its credentials in an encrypted Secret that it names "
	              "with secretKeyRef");
	return true;
}

static void add_definition(struct reader *r, struct fleet_object *found)
{
	/* Without a namespace a profile is meant for where its controller looks. */
	if (value_is_null(value_path(found->object.root, "metadata.namespace")))
		found->object.id.namespace = SV("");
	VEC_PUSH(r->arena, &r->file->definitions, *found);
}

/* The whole text is searched, so once a file. */
static void search_credential(struct reader *r)
{
	if (!r->is_searched)
		r->may_have_secret |= secrecy_manifest_may_hold_credential(r->file->source->text);
	r->is_searched = true;
}

static void add_lookup(struct reader *r, struct fleet_object *found)
{
	found->encrypted = r->in_sealed;
	if (!found->encrypted && sv_eq(found->object.id.kind, SV("Secret")) &&
	    !kube_secret_is_empty(&found->object))
		r->has_clear_secret = true;
	/* A kubeconfig with users in it, or what cloudProviderSpec takes with configMapKeyRef. */
	if (!found->encrypted && sv_eq(found->object.id.kind, SV("ConfigMap")))
		search_credential(r);
	VEC_PUSH(r->arena, &r->file->lookups, *found);
}

static bool holds_credential(const struct reader *r, const struct fleet_object *unit)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);
	const struct dialect *dialect = all[unit->dialect];

	if (!dialect->credentials)
		return false;
	struct value tainted = dialect->credentials(r->arena, &unit->object);
	return secrecy_find(&tainted) != NULL;
}

static void add_known(struct reader *r, struct value *root, const struct known_kind *known)
{
	struct fleet_object found = {.file = r->file, .dialect = known->dialect};
	sv kind = known->kind->kind;
	enum dialect_part part = known->kind->part;
	/* A Secret that no one can look up, such as a patch without a name, is no concern of ours.
	 */
	struct sink ignored = sink_in(r->arena);
	struct sink *sink = part == DIALECT_LOOKUP ? &ignored : sink_of(r);

	if (part != DIALECT_LOOKUP &&
	    (refused_outside_git(r, root, kind) || refused_encrypted(r, root, kind)))
		return;
	if (kube_object_read(r->arena, sink, r->file->source, root, &found.object) != STATUS_OK) {
		r->has_clear_secret |= sv_eq(kind, SV("Secret")) && !r->in_sealed;
		if (part == DIALECT_UNIT)
			search_credential(r);
		return;
	}
	switch (part) {
	case DIALECT_DEFINITION:
		add_definition(r, &found);
		break;
	case DIALECT_UNIT:
		VEC_PUSH(r->arena, &r->file->units, found);
		r->has_clear_secret |= holds_credential(r, &found);
		break;
	case DIALECT_LOOKUP:
		found.object.external = fleet_file_is_external(r->file);
		add_lookup(r, &found);
		break;
	}
}

static void read_settings_document(struct reader *r, struct value *root, sv version, sv kind)
{
	const struct value *kind_at = value_map_get(root, SV("kind"));

	if (refused_outside_git(r, root, kind))
		return;
	if (r->in_sealed && r->is_settings) {
		fleet_report_sealed_settings(sink_of(r), r->file, root);
		if (seal_is_sealed_text(value_text(value_path(root, "metadata.name"))))
			return;
		*root = fleet_clear_settings(r->arena, root);
	}
	if (!r->is_settings && !r->is_whole) {
		struct diag *diag =
		    diag_report(sink_of(r), DIAG_FLEET_PLACE, value_position(root),
		                "settings of osm-gen (kind %.*s) stand in a file of another name",
		                SV_ARG(kind));
		diag_set_help(sink_of(r), diag, "move them to a file named " FLEET_SETTINGS_FILE);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(settings_kinds); i++) {
		if (!sv_eq(kind, settings_kinds[i]))
			continue;
		if (!sv_eq(version, SV("v1alpha1"))) {
			report_version(r, root, kind, SV(FLEET_API_VERSION));
			return;
		}
		VEC_PUSH(r->arena, &r->file->documents,
		         (struct fleet_document){(enum fleet_document_kind)i, root});
		return;
	}
	struct diag *diag = diag_report(sink_of(r), DIAG_FLEET_KIND, value_position(kind_at),
	                                FLEET_API_GROUP " has no kind \"%.*s\"", SV_ARG(kind));
	sv nearest = diag_nearest(kind, settings_kinds, COUNT_OF(settings_kinds));
	if (sv_empty(nearest))
		diag_set_help(sink_of(r), diag, "its kinds are Fleet and Cluster");
	else
		diag_set_help(sink_of(r), diag, "did you mean %.*s?", SV_ARG(nearest));
}

/* A document of osm-gen.yaml that is nothing of ours is a mistake, not another kind. */
static void report_stranger(struct reader *r, const struct value *root, const char *problem)
{
	if (!r->is_settings || value_is_null(root))
		return;
	struct diag *diag = diag_report(sink_of(r), DIAG_FLEET_KIND, value_position(root),
	                                "a document of " FLEET_SETTINGS_FILE " %s", problem);
	diag_set_help(sink_of(r), diag,
	              "begin it with apiVersion: " FLEET_API_VERSION " and kind: Fleet or Cluster");
}

/* The kind of that name: of that group where there is one, else any. */
static struct known_kind find_kind(sv kind, sv group)
{
	struct known_kind found = {0};
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < all[i]->kind_count; j++) {
			const struct dialect_kind *candidate = &all[i]->kinds[j];

			if (!sv_eq(kind, candidate->kind))
				continue;
			if (sv_eq(group, candidate->group))
				return (struct known_kind){candidate, i};
			if (!found.kind)
				found = (struct known_kind){candidate, i};
		}
	}
	return found;
}

/*
 * A kind of our groups that is nearly one that matters: the API server has no such kind, and what
 * it should have been would be missing without a word. Others of the groups are none of ours.
 */
static bool report_misspelt(struct reader *r, const struct value *root, sv kind, sv group)
{
	VEC(sv) names = {0};
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < all[i]->kind_count; j++)
			if (all[i]->kinds[j].part != DIALECT_LOOKUP &&
			    sv_eq(group, all[i]->kinds[j].group))
				VEC_PUSH(r->arena, &names, all[i]->kinds[j].kind);
		for (size_t j = 0; j < all[i]->other_kind_count; j++)
			if (sv_eq(kind, all[i]->other_kinds[j]))
				return false;
	}
	sv nearest = diag_nearest(kind, names.items, names.count);
	if (sv_empty(nearest) || sv_eq(kind, nearest))
		return false;
	struct diag *diag = diag_report(sink_of(r), DIAG_FLEET_KIND,
	                                value_position(value_map_get(root, SV("kind"))),
	                                "%.*s has no kind \"%.*s\"", SV_ARG(group), SV_ARG(kind));
	diag_set_help(sink_of(r), diag, "did you mean %.*s?", SV_ARG(nearest));
	return true;
}

/* The kind of a typed List's items; none when it is no such List. */
static struct known_kind find_list_kind(sv kind, sv group)
{
	struct known_kind none = {0};

	if (!sv_ends_with(kind, SV("List")))
		return none;
	struct known_kind known = find_kind(sv_slice(kind, 0, kind.len - strlen("List")), group);
	return known.kind && sv_eq(known.kind->group, group) ? known : none;
}

static void read_document(struct reader *r, struct value *root, int depth);

/* known: the kind that items without their own are of; or null. */
static void read_list(struct reader *r, struct value *root, const struct dialect_kind *known,
                      int depth)
{
	struct value *items = value_map_get_mutable(root, SV("items"));

	if (depth == MAX_LISTS_DEEP) {
		struct diag *diag =
		    diag_report(sink_of(r), DIAG_FLEET_LIST, value_position(root),
		                "Lists stand more than %d deep in each other", MAX_LISTS_DEEP);
		diag_set_help(sink_of(r), diag, "move their items up");
		return;
	}
	if (!value_is_null(items) && !value_is_list(items)) {
		struct diag *diag = diag_report(sink_of(r), DIAG_FLEET_LIST, value_position(items),
		                                "items of a List must be a list");
		diag_set_help(sink_of(r), diag, "begin each item with \"- \"");
		return;
	}
	for (size_t i = 0; i < value_count(items); i++) {
		struct value *item = value_item_mutable(items, i);

		if (known && value_is_map(item) && !value_map_find(item, SV("kind"))) {
			sv api_version = known_api_version(r->arena, known);

			value_map_set(r->arena, item, SV("apiVersion"), value_string(api_version));
			value_map_set(r->arena, item, SV("kind"), value_string(known->kind));
		}
		read_document(r, item, depth + 1);
	}
}

/* None of ours; it is remembered for when there are no others. */
static void note_foreign(struct reader *r, const struct value *root,
                         const struct dialect_kind *kind)
{
	if (r->file->foreign_count++ > 0)
		return;
	r->file->foreign_kind = kind;
	r->file->foreign_at = value_position(value_map_get(root, SV("apiVersion")));
}

/* "MachineDeployment kube-system/workers", as far as the document says; or empty. */
static sv describe(struct arena *arena, const struct value *root)
{
	const struct value *metadata = value_map_get(root, SV("metadata"));
	sv kind = value_text(value_map_get(root, SV("kind")));
	sv namespace = value_text(value_map_get(metadata, SV("namespace")));
	sv name = value_text(value_map_get(metadata, SV("name")));

	if (sv_empty(kind) || sv_empty(name))
		return SV("");
	if (sv_empty(namespace))
		return ARENA_CONCAT(arena, kind, SV(" "), name);
	return ARENA_CONCAT(arena, kind, SV(" "), namespace, SV("/"), name);
}

/* A group that is missing, or misspelt. */
static bool is_nearly(sv group, sv meant)
{
	return sv_empty(group) || !sv_empty(diag_nearest(group, &meant, 1));
}

static void read_object(struct reader *r, struct value *root, sv kind, sv group, sv version)
{
	struct known_kind known = find_kind(kind, group);
	bool same_group = known.kind && sv_eq(group, known.kind->group);

	size_t beside = r->file->bystanders.count;
	fleet_note_beside(r->arena, r->file, root);
	bool is_beside = r->file->bystanders.count > beside;
	if (known.kind && !is_beside && !sv_empty(group) && sv_eq(group, known.kind->other_group))
		note_foreign(r, root, known.kind);
	sink_of(r)->object = describe(sink_of(r)->arena, root);
	if (same_group && sv_eq(version, known.kind->version))
		add_known(r, root, &known);
	/* Others have kinds of these names, too; a group that is nearly ours is a mistake. */
	else if (known.kind && known.kind->is_unique && !same_group &&
	         !is_nearly(group, known.kind->group))
		fleet_note_other_group(r->arena, r->file, root, known.kind);
	else if (known.kind && (known.kind->is_unique || (same_group && !sv_empty(group))))
		report_version(r, root, kind, known_api_version(r->arena, known.kind));
	else if (known.kind || !report_misspelt(r, root, kind, group))
		report_stranger(r, root, "is of a kind that osm-gen does not know");
	sink_of(r)->object = SV("");
}

static void read_document(struct reader *r, struct value *root, int depth)
{
	const struct value *kind_value = value_map_get(root, SV("kind"));
	const struct value *version_value = value_map_get(root, SV("apiVersion"));
	sv kind = value_text(kind_value);
	sv group;
	sv version;

	if (!value_is_map(root)) {
		report_stranger(r, root, "is no object");
		return;
	}
	if (sv_empty(kind) || sv_empty(value_text(version_value))) {
		report_stranger(r, root, "has no apiVersion or no kind");
		return;
	}
	split_api_version(version_value->string, &group, &version);
	struct known_kind known = find_kind(kind, group);
	bool is_of_dialect = known.kind && sv_eq(known.kind->group, group);

	if (sv_eq(group, SV(FLEET_API_GROUP)) && !is_of_dialect) {
		read_settings_document(r, root, version, kind);
		return;
	}
	if (sv_eq(kind, SV("List")) && sv_empty(group)) {
		read_list(r, root, NULL, depth);
		return;
	}
	struct known_kind list = find_list_kind(kind, group);
	if (list.kind) {
		read_list(r, root, list.kind, depth);
		return;
	}
	read_object(r, root, kind, group, version);
}

/* ---- parsing ----------------------------------------------------------------------------- */

/* JSON files with several documents have "---" between them, as YAML has. */
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
 * Every such message says the other way out, too: the file may be none of our business. (Those of
 * --secrets are.)
 */
static void add_ignore_help(struct sink *sink)
{
	VEC_EACH (diag, &sink->diags) {
		sv help = (*diag)->help;
		const char *more = "when it is no manifest, name the file in " FLEET_IGNORE_FILE;

		if (sv_empty(help))
			diag_set_help(sink, *diag, "mend it; or, %s", more);
		else
			diag_set_help(sink, *diag, "%.*s\n%s", SV_ARG(help), more);
	}
}

/*
 * A text without any of our words: only whether it is YAML at all. What else a parser may object
 * to (a key given twice, a tag of somebody's tool) is not our business.
 */
static void check_syntax(struct fleet_file *file)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	struct sink all = sink_in(scratch);
	struct sink syntax = sink_in(scratch);
	struct yml_documents documents;

	if (yml_parse(scratch, &all, file->source, &documents) == STATUS_OK)
		return;
	VEC_EACH (diag, &all.diags) {
		if ((*diag)->code == DIAG_YAML_SYNTAX || (*diag)->code == DIAG_CONFLICT_MARKER)
			VEC_PUSH(scratch, &syntax.diags, *diag);
	}
	sink_merge(&file->sink, &syntax);
	add_ignore_help(&file->sink);
}

/* What a parser says of a template is no help to whoever did not know that it is one. */
static void explain_helm_template(struct arena *arena, struct fleet_file *file)
{
	struct sink explained = sink_in(arena);
	bool done = false;

	if (!fleet_words_are_helm(file->source->text))
		return;
	VEC_EACH (diag, &file->sink.diags) {
		if ((*diag)->code != DIAG_YAML_SYNTAX && (*diag)->code != DIAG_YAML_VALUE) {
			VEC_PUSH(arena, &explained.diags, *diag);
			continue;
		}
		if (done)
			continue;
		struct diag *told = diag_report(&explained, DIAG_HELM_TEMPLATE, (*diag)->at,
		                                "this is a template of Helm, no manifest: its "
		                                "actions {{ ... }} are not filled in");
		diag_set_help(
		    &explained, told,
		    "commit what `helm template` prints, and name the file in " FLEET_IGNORE_FILE);
		done = true;
	}
	if (!done)
		return;
	sink_forget(&file->sink, 0);
	sink_merge(&file->sink, &explained);
}

static void keep_sealed(struct reader *r, const struct yml_documents *documents)
{
	struct fleet_file *file = r->file;

	file->sealed = ARENA_ARRAY(r->arena, struct value, documents->count);
	VEC_EACH (document, documents)
		if (seal_is_input(&document->root))
			file->sealed[file->sealed_count++] = document->root;
}

static void set_secrecy(struct source *source, bool holds_secret, bool may_hold_secret)
{
	source->confidential = holds_secret || may_hold_secret;
	source->suspected = !holds_secret && may_hold_secret;
}

/* Its apiVersion and kind may be left out. */
static void note_kustomization(struct fleet_file *file, const struct yml_documents *documents)
{
	const struct value *root = documents->count > 0 ? &documents->items[0].root : NULL;
	sv api_version = value_text(value_map_get(root, SV("apiVersion")));

	if (fleet_is_kustomization(file->path) && !fleet_file_is_external(file) &&
	    value_is_map(root) &&
	    (sv_empty(api_version) || sv_starts_with(api_version, SV("kustomize.config.k8s.io/"))))
		file->kustomization = root;
}

/*
 * A text without any input that holds a manifest to be told of, perhaps. False: it cannot be read,
 * and what is wrong with it is looked for as in any other text.
 */
static bool read_beside(struct arena *arena, struct fleet_file *file)
{
	struct sink ignored = sink_in(arena);
	struct yml_documents documents;

	if (parse(arena, &ignored, file->source, &documents) != STATUS_OK)
		return is_json(file->path, file->source->text);
	VEC_EACH (document, &documents)
		fleet_note_beside(arena, file, &document->root);
	note_kustomization(file, &documents);
	set_secrecy(file->source, false, secrecy_manifest_mentions_credential(file->source->text));
	return true;
}

static void read_documents(struct reader *r, const struct yml_documents *documents)
{
	bool any_sealed = false;

	VEC_EACH (document, documents) {
		const struct value *kind = value_map_get(&document->root, SV("kind"));

		r->in_sealed = seal_is_input(&document->root);
		any_sealed |= r->in_sealed;
		if (r->in_sealed && r->is_settings && seal_is_sealed_text(value_text(kind))) {
			fleet_report_sealed_settings(sink_of(r), r->file, &document->root);
			continue;
		}
		if (r->in_sealed && seal_is_sealed_text(value_text(kind))) {
			r->file->hidden_kind = kind;
			continue;
		}
		read_document(r, &document->root, 0);
	}
	note_kustomization(r->file, documents);
	if (any_sealed)
		keep_sealed(r, documents);
	/* Now it is known: only what really holds a Secret in the clear is never shown. */
	bool holds_secret = r->has_clear_secret || fleet_file_is_external(r->file) ||
	                    (fleet_file_matters(r->file) &&
	                     secrecy_manifest_holds_credential(r->file->source->text));
	set_secrecy(r->file->source, holds_secret, r->may_have_secret);
}

bool fleet_file_matters(const struct fleet_file *file)
{
	return file->definitions.count + file->units.count + file->lookups.count +
	               file->documents.count >
	           0 ||
	       file->hidden_kind;
}

bool fleet_file_holds_work(const struct fleet_file *file)
{
	return file->definitions.count + file->units.count + file->documents.count > 0;
}

enum status fleet_file_open(struct arena *secret_arena, struct sink *sink,
                            const struct seal_identities *identities, const struct fleet_file *file,
                            struct fleet_objects *ret_lookups)
{
	struct value *opened = ARENA_ARRAY(secret_arena, struct value, file->sealed_count);
	/* Only its Secrets and ConfigMaps are wanted: the rest was read, and complained of, before.
	 */
	struct fleet_file clear = {
	    .path = file->path,
	    .secrets_path = file->secrets_path,
	    .source = file->source,
	    .sink = sink_in(secret_arena),
	};
	struct reader reader = {.arena = secret_arena, .file = &clear};

	if (seal_open(secret_arena, sink, file->sealed, file->sealed_count, identities, opened) !=
	    STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < file->sealed_count; i++) {
		const struct value *kind = value_map_get(&file->sealed[i], SV("kind"));
		struct sink ignored = sink_in(secret_arena);
		bool hidden = seal_is_sealed_text(value_text(kind));

		clear.sink = ignored;
		reader.in_sealed = hidden;
		read_document(&reader, &opened[i], 0);
		if (hidden)
			sink_merge(sink, &clear.sink);
	}
	/* What follows takes them as they are. */
	VEC_EACH (found, &clear.lookups)
		found->encrypted = false;
	*ret_lookups = clear.lookups;
	return STATUS_OK;
}

struct fleet_file *fleet_read_file(struct arena *arena, struct arena *secret_arena,
                                   const struct fleet_filter *filter, const struct fleet_blob *blob)
{
	struct fleet_file *file = ARENA_NEW(arena, struct fleet_file);
	sv words = fleet_words_of(secret_arena, blob->text);
	bool external = !sv_empty(blob->secrets_path);
	bool is_settings = sv_eq(sv_after_last(blob->path, '/'), SV(FLEET_SETTINGS_FILE));
	bool wanted = is_settings || external || blob->is_whole || fleet_words_are_ours(words) ||
	              seal_may_hide_kind(words);
	bool is_beside =
	    !wanted && (fleet_is_kustomization(blob->path) || fleet_words_are_beside(words));
	bool is_template = sv_contains(words, SV("{{")) &&
	                   (!wanted || fleet_filter_is_chart_template(filter, blob->path));
	bool may_hold_secret = fleet_words_may_hold_secret(words);
	/* Cloud credentials may stand in a unit, too. */
	bool in_secret_memory =
	    external || may_hold_secret || fleet_words_name(words, DIALECT_UNIT);
	struct yml_documents documents;

	*file = (struct fleet_file){
	    .path = arena_dup(arena, blob->path),
	    .secrets_path = arena_dup(arena, blob->secrets_path),
	    .sink = sink_in(arena),
	};
	if (is_template || (!wanted && !is_beside && is_json(blob->path, blob->text)))
		return file;
	struct source *source = source_new(arena, blob->path, blob->text, false);
	source->values = blob->values;
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
	struct reader reader = {
	    .arena = in_secret_memory ? secret_arena : arena,
	    .file = file,
	    .is_settings = is_settings,
	    .is_whole = blob->is_whole,
	};
	if (parse(reader.arena, &file->sink, file->source, &documents) == STATUS_OK)
		read_documents(&reader, &documents);
	else {
		may_hold_secret |= fleet_words_are_confidential(words, is_settings);
		set_secrecy(file->source, external || secrecy_manifest_holds_credential(words),
		            may_hold_secret);
		if (!is_settings && !external && !blob->is_whole)
			add_ignore_help(&file->sink);
		explain_helm_template(arena, file);
	}
	return file;
}
