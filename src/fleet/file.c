/*
 * One file: is it worth parsing, what does it hold.
 */
#include "yaml/yaml.h"
#include "json/json.h"

#include "fleet/internal.h"

#define MAX_LISTS_DEEP 8

/* Kinds of ours; the word by which a file that holds one is known stands in each name. */
enum kind_group { GROUP_PROFILE, GROUP_MACHINE_DEPLOYMENT, GROUP_LOOKUP };

struct known_kind {
	sv kind;
	sv group;
	sv version;
	enum kind_group what;
};

static const struct known_kind known_kinds[] = {
    {SV_INIT("OperatingSystemProfile"), SV_INIT(OSM_API_GROUP), SV_INIT("v1alpha1"), GROUP_PROFILE},
    {SV_INIT("CustomOperatingSystemProfile"), SV_INIT(OSM_API_GROUP), SV_INIT("v1alpha1"),
     GROUP_PROFILE},
    {SV_INIT("MachineDeployment"), SV_INIT(OSM_MACHINE_API_GROUP), SV_INIT("v1alpha1"),
     GROUP_MACHINE_DEPLOYMENT},
    {SV_INIT("Secret"), SV_INIT(""), SV_INIT("v1"), GROUP_LOOKUP},
    {SV_INIT("ConfigMap"), SV_INIT(""), SV_INIT("v1"), GROUP_LOOKUP},
    {SV_INIT("ServiceAccount"), SV_INIT(""), SV_INIT("v1"), GROUP_LOOKUP},
};

static const sv settings_kinds[] = {SV_INIT("Fleet"), SV_INIT("Cluster")};

struct reader {
	struct arena *arena; /* of the values */
	struct fleet_file *file;
	bool is_settings;      /* named osm-gen.yaml */
	bool in_sealed;        /* what is read now belongs to an encrypted document */
	bool has_clear_secret; /* or a credential */
};

static struct sink *sink_of(struct reader *r)
{
	return &r->file->sink;
}

/* ---- documents --------------------------------------------------------------------------- */

static bool is_hidden_text(sv text)
{
	return sv_starts_with(text, SV("ENC[AES256_GCM,"));
}

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

static sv known_api_version(struct arena *arena, const struct known_kind *known)
{
	return sv_empty(known->group) ? known->version
	                              : ARENA_CONCAT(arena, known->group, SV("/"), known->version);
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

static void add_profile(struct reader *r, struct fleet_object *found)
{
	/* Without a namespace a profile is meant for where the controller looks. */
	if (value_is_null(value_path(found->object.root, "metadata.namespace")))
		found->object.id.namespace = SV("");
	VEC_PUSH(r->arena, &r->file->profiles, *found);
}

static void add_lookup(struct reader *r, struct fleet_object *found)
{
	found->encrypted = r->in_sealed;
	if (!found->encrypted && sv_eq(found->object.id.kind, SV("Secret")))
		r->has_clear_secret = true;
	/* A kubeconfig with users in it, or what cloudProviderSpec takes with configMapKeyRef. */
	if (!found->encrypted && sv_eq(found->object.id.kind, SV("ConfigMap")))
		r->has_clear_secret |= fleet_words_may_hold_credential(r->file->source->text);
	VEC_PUSH(r->arena, &r->file->lookups, *found);
}

static bool holds_credential(const struct reader *r, const struct kube_object *object)
{
	struct value config = osm_machine_credentials(r->arena, object);

	return value_secret(&config) != NULL;
}

static void add_known(struct reader *r, struct value *root, const struct known_kind *known)
{
	struct fleet_object found = {.file = r->file};
	/* A Secret that no one can look up, such as a patch without a name, is no concern of ours.
	 */
	struct sink unheard = sink_in(r->arena);
	struct sink *sink = known->what == GROUP_LOOKUP ? &unheard : sink_of(r);

	if (known->what != GROUP_LOOKUP &&
	    (refused_outside_git(r, root, known->kind) || refused_encrypted(r, root, known->kind)))
		return;
	if (kube_object_read(r->arena, sink, r->file->source, root, &found.object) != STATUS_OK) {
		r->has_clear_secret |= sv_eq(known->kind, SV("Secret")) && !r->in_sealed;
		r->has_clear_secret |= known->what == GROUP_MACHINE_DEPLOYMENT &&
		                       fleet_words_may_hold_credential(r->file->source->text);
		return;
	}
	switch (known->what) {
	case GROUP_PROFILE:
		add_profile(r, &found);
		break;
	case GROUP_MACHINE_DEPLOYMENT:
		VEC_PUSH(r->arena, &r->file->machine_deployments, found);
		r->has_clear_secret |= holds_credential(r, &found.object);
		break;
	case GROUP_LOOKUP:
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
	if (!r->is_settings) {
		struct diag *diag =
		    diag_report(sink_of(r), DIAG_FLEET_PLACE, value_position(root),
		                "settings of osm-gen stand in a file of another name");
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

static const struct known_kind *find_kind(sv kind)
{
	for (size_t i = 0; i < COUNT_OF(known_kinds); i++)
		if (sv_eq(kind, known_kinds[i].kind))
			return &known_kinds[i];
	return NULL;
}

/*
 * A kind of our groups that is nearly one that matters: the API server has no such kind, and what
 * it should have been would be missing without a word. Others of the groups are none of ours.
 */
static bool report_misspelt(struct reader *r, const struct value *root, sv kind, sv group)
{
	static const sv others[] = {
	    SV_INIT("OperatingSystemConfig"), SV_INIT("Machine"), SV_INIT("MachineSet"),
	    SV_INIT("MachineClass"),          SV_INIT("Cluster"),
	};
	sv names[COUNT_OF(known_kinds)];
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(known_kinds); i++)
		if (known_kinds[i].what != GROUP_LOOKUP && sv_eq(group, known_kinds[i].group))
			names[count++] = known_kinds[i].kind;
	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (sv_eq(kind, others[i]))
			return false;
	sv nearest = diag_nearest(kind, names, count);
	if (sv_empty(nearest) || sv_eq(kind, nearest))
		return false;
	struct diag *diag = diag_report(sink_of(r), DIAG_FLEET_KIND,
	                                value_position(value_map_get(root, SV("kind"))),
	                                "%.*s has no kind \"%.*s\"", SV_ARG(group), SV_ARG(kind));
	diag_set_help(sink_of(r), diag, "did you mean %.*s?", SV_ARG(nearest));
	return true;
}

/* The kind of a typed List's items, or null. */
static const struct known_kind *find_list_kind(sv kind, sv group)
{
	if (!sv_ends_with(kind, SV("List")))
		return NULL;
	const struct known_kind *known = find_kind(sv_slice(kind, 0, kind.len - strlen("List")));
	return known && sv_eq(known->group, group) ? known : NULL;
}

static void read_document(struct reader *r, struct value *root, int depth);

/* known: the kind that items without their own are of; or null. */
static void read_list(struct reader *r, struct value *root, const struct known_kind *known,
                      int depth)
{
	const struct value *items = value_map_get(root, SV("items"));

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
		struct value *item = value_item(items, i);

		if (known && value_is_map(item) && !value_map_find(item, SV("kind"))) {
			sv api_version = known_api_version(r->arena, known);

			value_map_set(r->arena, item, SV("apiVersion"), value_string(api_version));
			value_map_set(r->arena, item, SV("kind"), value_string(known->kind));
		}
		read_document(r, item, depth + 1);
	}
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
	if (sv_eq(group, SV(FLEET_API_GROUP))) {
		read_settings_document(r, root, version, kind);
		return;
	}
	if (sv_eq(kind, SV("List")) && sv_empty(group)) {
		read_list(r, root, NULL, depth);
		return;
	}
	const struct known_kind *list = find_list_kind(kind, group);
	if (list) {
		read_list(r, root, list, depth);
		return;
	}
	const struct known_kind *known = find_kind(kind);
	if (known && sv_eq(group, known->group) && sv_eq(version, known->version))
		add_known(r, root, known);
	/* Nobody else has profiles; MachineDeployments and Secrets others have, too. */
	else if (known &&
	         (known->what == GROUP_PROFILE || (sv_eq(group, known->group) && !sv_empty(group))))
		report_version(r, root, kind, known_api_version(r->arena, known));
	else if (known || !report_misspelt(r, root, kind, group))
		report_stranger(r, root, "is of a kind that osm-gen does not know");
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
		if ((*diag)->code == DIAG_YAML_SYNTAX)
			VEC_PUSH(scratch, &syntax.diags, *diag);
	}
	sink_merge(&file->sink, &syntax);
	add_ignore_help(&file->sink);
}

static void keep_sealed(struct reader *r, const struct yml_documents *documents)
{
	struct fleet_file *file = r->file;

	file->sealed = ARENA_ARRAY(r->arena, struct value, documents->count);
	VEC_EACH (document, documents)
		file->sealed[file->sealed_count++] = document->root;
}

static void read_documents(struct reader *r, const struct yml_documents *documents)
{
	bool any_sealed = false;

	VEC_EACH (document, documents) {
		const struct value *kind = value_map_get(&document->root, SV("kind"));

		r->in_sealed = seal_is_sealed(&document->root);
		any_sealed |= r->in_sealed;
		if (r->in_sealed && is_hidden_text(value_text(kind))) {
			r->file->hidden_kind = kind;
			continue;
		}
		read_document(r, &document->root, 0);
	}
	if (any_sealed)
		keep_sealed(r, documents);
	/* Now it is known: only what really holds a Secret in the clear is never shown. */
	r->file->source->confidential =
	    r->has_clear_secret || fleet_file_is_external(r->file) ||
	    (fleet_file_matters(r->file) && fleet_words_hold_credential(r->file->source->text));
}

bool fleet_file_matters(const struct fleet_file *file)
{
	return file->profiles.count + file->machine_deployments.count + file->lookups.count +
	               file->documents.count >
	           0 ||
	       file->hidden_kind;
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
		struct sink unheard = sink_in(secret_arena);
		bool hidden = is_hidden_text(value_text(kind));

		clear.sink = unheard;
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
	bool wanted = is_settings || external || fleet_words_are_ours(words) ||
	              fleet_words_may_hide_kind(words);
	bool is_template = sv_contains(words, SV("{{")) &&
	                   (!wanted || fleet_filter_is_chart_template(filter, blob->path));
	bool confidential = external || fleet_words_may_hold_secret(words);
	/* Cloud credentials may stand in a MachineDeployment, too. */
	bool in_secret_memory = confidential || sv_contains(words, SV("MachineDeployment"));
	struct yml_documents documents;

	*file = (struct fleet_file){
	    .path = arena_dup(arena, blob->path),
	    .secrets_path = arena_dup(arena, blob->secrets_path),
	    .sink = sink_in(arena),
	};
	if (is_template || (!wanted && is_json(blob->path, blob->text)))
		return file;
	file->source = source_new(arena, blob->path, blob->text, confidential);
	if (!wanted) {
		check_syntax(file);
		file->source->confidential |=
		    file->sink.diags.count > 0 && fleet_words_mention_credential(words);
		return file;
	}
	struct reader reader = {
	    .arena = in_secret_memory ? secret_arena : arena,
	    .file = file,
	    .is_settings = is_settings,
	};
	if (parse(reader.arena, &file->sink, file->source, &documents) == STATUS_OK)
		read_documents(&reader, &documents);
	else {
		file->source->confidential |= fleet_words_are_confidential(words, is_settings);
		if (!is_settings && !external)
			add_ignore_help(&file->sink);
	}
	return file;
}
