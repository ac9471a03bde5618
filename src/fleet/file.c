/*
 * Reads the documents of one file: sorts objects by their kinds, opens Lists, and reports
 * misspelt kinds, wrong API versions and objects that may not be where they are.
 */
#include "yaml/yaml.h"

#include "fleet/internal.h"
#include "secrecy/secrecy.h"

/* A kind of a dialect. */
struct known_kind {
	const struct dialect_kind *kind; /* null if no dialect has it */
	const struct dialect *dialect;
};

static const sv settings_kinds[] = {SV_INIT("Fleet"), SV_INIT("Cluster")};

struct reader {
	struct arena *arena;     /* of the values */
	struct arena *scratch;   /* of the secret kind, reset after each use */
	struct arena *described; /* the name of the current object */
	struct fleet_file *file;
	bool is_settings;     /* named osm-gen.yaml */
	bool is_whole;        /* see struct fleet_blob */
	bool in_sealed;       /* the current document is encrypted */
	size_t sealed_number; /* the number of encrypted documents before it */
	unsigned depth;       /* the number of Lists around the current object */
	struct fleet_clear_secrets secrets;
	bool is_searched; /* the content was searched for credentials */
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

/*
 * Reports units, definitions and settings in --secrets: they would be in the output in clear text,
 * and those files are confidential.
 */
static bool refused_outside_git(struct reader *r, const struct value *root, sv kind)
{
	if (!fleet_file_is_external(r->file))
		return false;
	struct diag *diag =
	    diag_report(sink_of(r), DIAG_FLEET_SECRETS_FOLDER, value_position(root),
	                "%s %.*s is in the --secrets folder", article(kind), SV_ARG(kind));
	diag_set_help(sink_of(r), diag,
	              "keep only Secrets and ConfigMaps there, and commit everything else");
	return true;
}

/* Reports encrypted units and definitions: only lookups are decrypted. */
static bool refused_encrypted(struct reader *r, const struct value *root,
                              const struct dialect_kind *known)
{
	sv kind = known->kind;

	if (!r->in_sealed)
		return false;
	struct diag *diag = diag_report(sink_of(r), DIAG_FLEET_ENCRYPTED, value_position(root),
	                                "%s %.*s is encrypted", article(kind), SV_ARG(kind));
	if (known->part == DIALECT_UNIT)
		diag_set_help(sink_of(r), diag,
		              "decrypt it, and keep its credentials in an encrypted Secret that it "
		              "names with secretKeyRef");
	else
		diag_set_help(sink_of(r), diag,
		              "decrypt it (`sops decrypt --in-place`); secrets of a proxy or a "
		              "mirror can be encrypted settings of the Cluster "
		              "(docs/howto/settings.md), others can be in an encrypted Secret");
	return true;
}

/*
 * Returns true if the document can be decrypted with the settings (sealed_expandable.c). An item of
 * a List cannot, nor can what kustomize makes, or --manifests gives.
 */
static bool may_open_expandable(const struct reader *r)
{
	return r->depth == 0 && !r->file->is_made && !fleet_file_is_outside(r->file);
}

/* Reports encrypted values in a document that is not encrypted: ciphertext would be used. */
static bool has_encrypted_value(struct reader *r, const struct value *root)
{
	return r->file->may_have_encrypted && !r->in_sealed &&
	       fleet_report_encrypted(sink_of(r), root);
}

static void add_definition(struct reader *r, struct fleet_object *found)
{
	/* A profile without a namespace is used in the namespace that the controller reads. */
	if (value_is_null(value_path(found->object.root, "metadata.namespace")))
		found->object.id.namespace = SV("");
	VEC_PUSH(r->arena, &r->file->definitions, *found);
}

/* Searches the whole file for a credential, at most once. */
static void search_credential(struct reader *r)
{
	if (!r->is_searched)
		r->secrets.suspected |= secrecy_manifest_may_hold_credential(r->file->source->text);
	r->is_searched = true;
}

static void add_lookup(struct reader *r, struct fleet_object *found)
{
	found->encrypted = r->in_sealed;
	if (!found->encrypted && sv_eq(found->object.id.kind, SV("Secret")) &&
	    !kube_secret_is_empty(&found->object))
		r->secrets.found = true;
	/* It may be a kubeconfig with users, or a password that configMapKeyRef refers to. */
	if (!found->encrypted && sv_eq(found->object.id.kind, SV("ConfigMap")))
		search_credential(r);
	VEC_PUSH(r->arena, &r->file->lookups, *found);
}

static void add_known(struct reader *r, struct value *root, const struct known_kind *known)
{
	struct fleet_object found = {.file = r->file, .dialect = known->dialect};
	sv kind = known->kind->kind;
	enum dialect_part part = known->kind->part;
	/* A lookup without a name, such as a patch, cannot be referred to: ignore its mistakes. */
	struct sink ignored = sink_in(r->arena);
	struct sink *sink = part == DIALECT_LOOKUP ? &ignored : sink_of(r);

	bool is_opened = part == DIALECT_EXPANDED && may_open_expandable(r);
	if (part != DIALECT_LOOKUP &&
	    (refused_outside_git(r, root, kind) ||
	     (!is_opened && refused_encrypted(r, root, known->kind)) ||
	     /* Values of a lookup matter if something refers to the object (lookups.c). */
	     has_encrypted_value(r, root))) {
		r->file->has_refused_expandable |= part == DIALECT_EXPANDED;
		return;
	}
	if (part == DIALECT_EXPANDED) {
		struct fleet_expandable expandable = {.dialect = known->dialect, .root = root};

		if (r->in_sealed) {
			struct value *closed = ARENA_NEW(r->arena, struct value);

			*closed = fleet_close_expandable(r->arena, root);
			expandable = (struct fleet_expandable){known->dialect, closed, true,
			                                       r->sealed_number};
		}
		VEC_PUSH(r->arena, &r->file->expandables, expandable);
		search_credential(r);
		return;
	}
	if (kube_object_read(r->arena, sink, r->file->source, root, &found.object) != STATUS_OK) {
		r->secrets.found |= sv_eq(kind, SV("Secret")) && !r->in_sealed;
		if (part == DIALECT_UNIT)
			search_credential(r);
		return;
	}
	switch (part) {
	case DIALECT_DEFINITION:
		add_definition(r, &found);
		break;
	case DIALECT_UNIT:
		found.object.has_no_credential =
		    !fleet_find_credential(r->arena, r->scratch, &found);
		VEC_PUSH(r->arena, &r->file->units, found);
		r->file->has_inline_secret |= !found.object.has_no_credential;
		r->secrets.found |= r->file->has_inline_secret;
		break;
	case DIALECT_LOOKUP:
		found.object.external = fleet_file_is_outside(r->file);
		add_lookup(r, &found);
		break;
	case DIALECT_EXPANDED:
		BUG("read above");
	}
}

static void read_settings_document(struct reader *r, struct value *root, sv version, sv kind)
{
	const struct value *kind_at = value_map_get(root, SV("kind"));
	bool is_sealed = r->in_sealed && (r->is_settings || r->is_whole);

	if (refused_outside_git(r, root, kind))
		return;
	if (!is_sealed && has_encrypted_value(r, root))
		return;
	if (is_sealed) {
		struct value *closed = ARENA_NEW(r->arena, struct value);

		if (r->depth > 0)
			fleet_report_sealed_list(sink_of(r), root);
		if (r->depth > 0 || !fleet_close_settings(r->arena, sink_of(r), root, closed))
			return;
		root = closed;
	}
	if (!r->is_settings && !r->is_whole) {
		struct diag *diag = diag_report(
		    sink_of(r), DIAG_FLEET_PLACE, value_position(root),
		    "settings of osm-gen (kind %.*s) are in a file of another name", SV_ARG(kind));
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
		         ((struct fleet_document){(enum fleet_document_kind)i, root, is_sealed,
		                                  r->sealed_number}));
		return;
	}
	struct diag *diag = diag_report(sink_of(r), DIAG_FLEET_KIND, value_position(kind_at),
	                                FLEET_API_GROUP " has no kind \"%.*s\"", SV_ARG(kind));
	diag_help_nearest(sink_of(r), diag, kind,
	                  (struct diag_names){settings_kinds, COUNT_OF(settings_kinds)},
	                  "its kinds are Fleet and Cluster");
}

/* Reports a document of osm-gen.yaml that osm-gen does not read; in other files it is ignored. */
static void report_stranger(struct reader *r, const struct value *root, const char *problem)
{
	if (!r->is_settings || value_is_null(root))
		return;
	struct diag *diag = diag_report(sink_of(r), DIAG_FLEET_KIND, value_position(root),
	                                "a document of " FLEET_SETTINGS_FILE " %s", problem);
	diag_set_help(sink_of(r), diag,
	              "begin it with apiVersion: " FLEET_API_VERSION " and kind: Fleet or Cluster");
}

/* Returns the kind of that name and group, in that version if there are several, else one of that
 * name in any group. */
static struct known_kind find_kind(sv kind, sv group, sv version)
{
	struct known_kind in_group = {0};
	struct known_kind found = {0};
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < all[i]->kind_count; j++) {
			const struct dialect_kind *candidate = &all[i]->kinds[j];

			if (!sv_eq(kind, candidate->kind))
				continue;
			if (sv_eq(group, candidate->group) && sv_eq(version, candidate->version))
				return (struct known_kind){candidate, all[i]};
			if (sv_eq(group, candidate->group) && !in_group.kind)
				in_group = (struct known_kind){candidate, all[i]};
			if (!found.kind)
				found = (struct known_kind){candidate, all[i]};
		}
	}
	return in_group.kind ? in_group : found;
}

/*
 * Reports a kind that is similar to one that matters, in its API group. The API server would reject
 * it, and osm-gen would silently ignore the object. Returns false for the group's other kinds.
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

/* ---- Lists ------------------------------------------------------------------------------- */

static bool is_list(void *context, const struct value *root, unsigned depth,
                    struct kube_id *ret_item)
{
	struct reader *r = context;
	sv api_version = value_text(value_map_get(root, SV("apiVersion")));
	sv kind = value_text(value_map_get(root, SV("kind")));
	struct known_kind known;
	sv group;
	sv version;

	(void)depth;
	if (sv_empty(api_version) || !sv_ends_with(kind, SV("List")))
		return false;
	split_api_version(api_version, &group, &version);
	if (sv_eq(group, SV(FLEET_API_GROUP)))
		return false;
	if (sv_eq(kind, SV("List")))
		return sv_empty(group);
	known = find_kind(sv_slice(kind, 0, kind.len - strlen("List")), group, version);
	if (!known.kind || !sv_eq(known.kind->group, group))
		return false;
	ret_item->kind = known.kind->kind;
	ret_item->api_version = known_api_version(r->arena, known.kind);
	return true;
}

static void report_list(void *context, enum kube_list_mistake mistake, const struct value *at)
{
	struct reader *r = context;
	struct diag *diag;

	switch (mistake) {
	case KUBE_LIST_TOO_DEEP:
		diag = diag_report(sink_of(r), DIAG_FLEET_LIST, value_position(at),
		                   "Lists are nested more than %d deep", KUBE_LISTS_DEEP);
		diag_set_help(sink_of(r), diag, "move their items up");
		break;
	case KUBE_LIST_ITEMS:
		diag = diag_report(sink_of(r), DIAG_FLEET_LIST, value_position(at),
		                   "items of a List must be a list");
		diag_set_help(sink_of(r), diag, "begin each item with \"- \"");
		break;
	}
}

/* ---- objects ----------------------------------------------------------------------------- */

/* Counts objects of a foreign system, which are reported if the repository has no units. */
static void note_foreign(struct reader *r, const struct value *root,
                         const struct dialect_kind *kind)
{
	if (r->file->foreign_count++ > 0)
		return;
	r->file->foreign_kind = kind;
	r->file->foreign_at = value_position(value_map_get(root, SV("apiVersion")));
}

/* Returns "MachineDeployment kube-system/workers", or an empty string without kind or name. */
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

/* Returns true if the group is missing, or a misspelling of `meant`. */
static bool is_nearly(sv group, sv meant)
{
	return sv_empty(group) || !sv_empty(diag_nearest(group, &meant, 1));
}

static void read_object(struct reader *r, struct value *root, sv kind, sv group, sv version)
{
	struct known_kind known = find_kind(kind, group, version);
	bool same_group = known.kind && sv_eq(group, known.kind->group);

	size_t beside = r->file->bystanders.count;
	fleet_note_beside(r->arena, r->file, root);
	bool is_beside = r->file->bystanders.count > beside;
	if (known.kind && !is_beside && !sv_empty(group) && sv_eq(group, known.kind->other_group))
		note_foreign(r, root, known.kind);
	sink_of(r)->object = describe(r->described, root);
	if (same_group && sv_eq(version, known.kind->version))
		add_known(r, root, &known);
	else if (known.kind && !sv_empty(group) && sv_eq(group, known.kind->former_group))
		report_version(r, root, kind, known_api_version(r->arena, known.kind));
	/* Other systems have kinds of these names, too, but a similar group is a mistake. */
	else if (known.kind && known.kind->is_unique && !same_group &&
	         !is_nearly(group, known.kind->group))
		fleet_note_other_group(r->arena, r->file, root, known.kind);
	else if (known.kind && (known.kind->is_unique || (same_group && !sv_empty(group))))
		report_version(r, root, kind, known_api_version(r->arena, known.kind));
	else if (known.kind || !report_misspelt(r, root, kind, group))
		report_stranger(r, root, "is of a kind that osm-gen does not know");
	sink_of(r)->object = SV("");
	arena_reset(r->described);
}

/* Reads a document, or an item of a List, that is not a List itself. */
static void take(void *context, struct value *root, unsigned depth)
{
	struct reader *r = context;
	const struct value *kind_value = value_map_get(root, SV("kind"));
	const struct value *version_value = value_map_get(root, SV("apiVersion"));
	sv kind = value_text(kind_value);
	sv group;
	sv version;

	r->depth = depth;
	if (!value_is_map(root)) {
		report_stranger(r, root, "is not an object");
		return;
	}
	if (sv_empty(kind) || sv_empty(value_text(version_value))) {
		report_stranger(r, root, "has no apiVersion or no kind");
		return;
	}
	split_api_version(version_value->string, &group, &version);
	struct known_kind known = find_kind(kind, group, version);
	bool is_of_dialect = known.kind && sv_eq(known.kind->group, group);

	if (sv_eq(group, SV(FLEET_API_GROUP)) && !is_of_dialect)
		read_settings_document(r, root, version, kind);
	else
		read_object(r, root, kind, group, version);
}

static void read_document(struct reader *r, struct value *root)
{
	const struct kube_list_reader lists = {r->arena, r, is_list, take, report_list};

	kube_list_read(&lists, root);
}

/* ---- files ------------------------------------------------------------------------------- */

void fleet_keep_sealed(struct arena *arena, struct fleet_file *file,
                       const struct yml_documents *documents)
{
	file->sealed = ARENA_ARRAY(arena, struct value, documents->count);
	VEC_EACH (document, documents)
		if (seal_is_input(&document->root))
			file->sealed[file->sealed_count++] = document->root;
}

void fleet_read_documents(struct arena *arena, struct fleet_file *file, bool is_whole,
                          const struct yml_documents *documents,
                          struct fleet_clear_secrets *ret_secrets)
{
	ARENA_AUTO scratch = arena_new(ARENA_SECRET);
	ARENA_AUTO described = arena_new(ARENA_PLAIN);
	struct reader reader = {
	    .arena = arena,
	    .scratch = scratch,
	    .described = described,
	    .file = file,
	    .is_settings = fleet_is_settings_file(file->path) && !file->is_added,
	    .is_whole = is_whole,
	};
	struct reader *r = &reader;
	bool any_sealed = false;

	file->may_have_encrypted = fleet_text_has_encrypted(file->source->text);
	VEC_EACH (document, documents) {
		const struct value *kind = value_map_get(&document->root, SV("kind"));

		r->in_sealed = seal_is_input(&document->root);
		any_sealed |= r->in_sealed;
		if (r->in_sealed && r->is_settings && seal_is_sealed_text(value_text(kind)))
			fleet_report_hidden_settings(sink_of(r), &document->root);
		else if (r->in_sealed && seal_is_sealed_text(value_text(kind)))
			r->file->hidden_kind = kind;
		else
			read_document(r, &document->root);
		r->sealed_number += r->in_sealed;
	}
	if (any_sealed)
		fleet_keep_sealed(r->arena, file, documents);
	*ret_secrets = r->secrets;
}

bool fleet_file_has_no_object(const struct fleet_file *file)
{
	return file->has_no_object;
}

bool fleet_file_matters(const struct fleet_file *file)
{
	return file->definitions.count + file->units.count + file->lookups.count +
	               file->documents.count + file->expandables.count >
	           0 ||
	       file->hidden_kind;
}

bool fleet_file_holds_work(const struct fleet_file *file)
{
	return file->definitions.count + file->units.count + file->documents.count +
	           file->expandables.count >
	       0;
}

enum status fleet_file_open(struct arena *secret_arena, struct sink *sink,
                            const struct seal_identities *identities, const struct fleet_file *file,
                            struct fleet_objects *ret_lookups)
{
	struct value *opened = ARENA_ARRAY(secret_arena, struct value, file->sealed_count);
	/* Only its lookups are used: the other objects were read, and reported, before. */
	struct fleet_file clear = {
	    .path = file->path,
	    .secrets_path = file->secrets_path,
	    .is_added = file->is_added,
	    .source = file->source,
	    .sink = sink_in(secret_arena),
	};
	ARENA_AUTO scratch = arena_new(ARENA_SECRET);
	ARENA_AUTO described = arena_new(ARENA_PLAIN);
	struct reader reader = {
	    .arena = secret_arena, .scratch = scratch, .described = described, .file = &clear};

	if (seal_open(secret_arena, sink, file->sealed, file->sealed_count, identities, opened) !=
	    STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < file->sealed_count; i++) {
		const struct value *kind = value_map_get(&file->sealed[i], SV("kind"));
		struct sink ignored = sink_in(secret_arena);
		bool hidden = seal_is_sealed_text(value_text(kind));

		if (file->made_source && i != file->sealed_number)
			continue;
		if (file->made_source)
			value_map_set(secret_arena, &opened[i], SV("metadata"),
			              *file->made_metadata);
		clear.sink = ignored;
		reader.in_sealed = hidden;
		read_document(&reader, &opened[i]);
		if (hidden)
			sink_merge(sink, &clear.sink);
	}
	/* Their values are in clear text now. */
	VEC_EACH (found, &clear.lookups)
		found->encrypted = false;
	*ret_lookups = clear.lookups;
	return STATUS_OK;
}

/* ---- kustomizations of Clusters ---------------------------------------------------------- */

sv fleet_file_path(const struct fleet_file *file)
{
	return file->path;
}

void fleet_list_kustomizations(struct arena *arena, struct fleet_file *const *files, size_t count,
                               struct fleet_kustomizations *ret_list)
{
	*ret_list = (struct fleet_kustomizations){0};
	for (size_t i = 0; i < count; i++)
		VEC_EACH (document, &files[i]->documents) {
			const struct value *folder = value_path(document->root, "spec.kustomize");
			const struct value *name = value_path(document->root, "metadata.name");

			if (document->kind == FLEET_DOCUMENT_CLUSTER && value_is_string(folder))
				VEC_PUSH(
				    arena, ret_list,
				    ((struct fleet_kustomization){value_text(name), folder->string,
				                                  value_position(folder)}));
		}
}
