/*
 * Secrets, ConfigMaps and ServiceAccounts. A repository may have hundreds of them, and only those
 * matter that units, definitions and settings refer to. The others may be encrypted for somebody
 * else, duplicate (a patch, an overlay) or incomplete, and are passed over.
 */
#include "fleet/internal.h"
#include "secrecy/secrecy.h"

struct lookups {
	struct arena *arena;
	struct arena *secret_arena;
	struct sink *sink;
	const struct fleet_files *files;
	const struct fleet_scopes *scopes;
	const struct fleet_options *options;
	const struct fleet *fleet;
	struct kube_objects *shared;
	struct kube_objects **own;  /* one for each cluster */
	struct dialect_wants wants; /* the objects that any cluster's units and settings name */
	bool wants_known;
	struct diag *no_identity;               /* shared by all Secrets that cannot be decrypted */
	struct diag *needs_program;             /* likewise, without --allow-program */
	struct map opened;                      /* struct opened by the file's address */
	struct map program_kinds;               /* see needs_program; sv * by the file's address */
	const struct fleet_inputs *inputs;      /* sealing.inputs, or null */
	VEC(const struct fleet_object *) clear; /* clear-text Secrets of the commit that are used */
};

/* A file that was decrypted, or could not be. */
struct opened {
	bool failed;
	struct fleet_objects objects;
	struct kube_objects by_id; /* the first of each */
};

static struct kube_objects *layer_of(const struct lookups *l, size_t cluster)
{
	return cluster == FLEET_NO_CLUSTER ? l->shared : l->own[cluster];
}

/* ---- references -------------------------------------------------------------------------- */

/* Adds the objects that lookups themselves refer to (ServiceAccounts list Secrets). */
static void know_listed(struct lookups *l, const struct dialect_cluster *cluster)
{
	for (size_t i = 0; i < l->files->count; i++) {
		const struct fleet_file *file = l->files->items[i];

		if (!quota_take(l->options->steps, 1 + file->lookups.count / 4))
			return;
		VEC_EACH (found, &file->lookups)
			cluster->dialect->want_listed(cluster, &found->object, &l->wants);
	}
}

static void know_wants(struct lookups *l)
{
	ARENA_AUTO opened = arena_new(ARENA_SECRET);

	if (l->wants_known)
		return;
	l->wants_known = true;
	for (size_t i = 0; i < l->fleet->cluster_count; i++)
		for (size_t j = 0; j < l->fleet->dialect_count; j++) {
			const struct dialect_cluster *cluster = &l->fleet->clusters[i].dialects[j];

			kube_object_list_open(opened, &cluster->units);
			cluster->dialect->want(cluster, &l->wants);
			kube_object_list_close(&cluster->units);
			arena_reset(opened);
			if (cluster->dialect->want_listed)
				know_listed(l, cluster);
		}
}

/* Returns true if a dialect finds the object by something else than its name, such as a label. */
static bool is_marked(const struct lookups *l, const struct kube_object *object)
{
	if (!quota_take(l->options->steps, 1 + l->fleet->cluster_count / 2))
		return false;
	for (size_t i = 0; i < l->fleet->cluster_count; i++)
		for (size_t j = 0; j < l->fleet->dialect_count; j++) {
			const struct dialect_cluster *cluster = &l->fleet->clusters[i].dialects[j];

			if (cluster->dialect->wants && cluster->dialect->wants(cluster, object))
				return true;
		}
	return false;
}

static bool is_asked_for(struct lookups *l, const struct kube_object *object)
{
	know_wants(l);
	return dialect_is_wanted(&l->wants, &object->id) || is_marked(l, object);
}

/* ---- decrypting -------------------------------------------------------------------------- */

/* Returns the format of an encrypted file, in which all documents have the same. */
static const struct sealer_format *format_of(const struct fleet_file *file)
{
	return sealer_format_of(&file->sealed[0]);
}

static void report_no_identity(struct lookups *l, const struct fleet_object *found)
{
	const struct kube_object *object = &found->object;

	if (l->no_identity) {
		diag_add_note(l->sink, l->no_identity, kube_object_position(object), "so is %.*s",
		              SV_ARG(kube_object_describe(l->arena, object)));
		return;
	}
	l->no_identity = diag_report(l->sink, DIAG_FLEET_NO_IDENTITY, kube_object_position(object),
	                             "%.*s is encrypted, and no age identity is given",
	                             SV_ARG(kube_object_describe(l->arena, object)));
	diag_set_help(l->sink, l->no_identity, "%s", format_of(found->file)->identity_help);
}

/* Objects that kustomize made of one file have the same path. */
static sv file_key(const struct fleet_file *const *file)
{
	return sv_from((const char *)file, sizeof(*file));
}

/* Returns true if no identity opens the file; *ret_kinds has the kinds of keys that do. */
static bool needs_program(struct lookups *l, const struct fleet_file *file, sv *ret_kinds)
{
	sv *kinds = map_get(&l->program_kinds, file_key(&file));

	if (!kinds) {
		kinds = ARENA_NEW(l->arena, sv);
		*kinds = SV("");
		for (size_t i = 0; i < file->sealed_count && sv_empty(*kinds); i++)
			if (!seal_needs_program(l->arena, &file->sealed[i], kinds))
				*kinds = SV("");
		map_put(&l->program_kinds, arena_dup(l->arena, file_key(&file)), kinds);
	}
	*ret_kinds = *kinds;
	return !sv_empty(*kinds);
}

static void report_needs_program(struct lookups *l, const struct fleet_object *found, sv kinds)
{
	const struct kube_object *object = &found->object;
	sv name = kube_object_describe(l->arena, object);

	if (l->needs_program) {
		diag_add_note(l->sink, l->needs_program, kube_object_position(object), "so is %.*s",
		              SV_ARG(name));
		return;
	}
	l->needs_program =
	    diag_report(l->sink, DIAG_FLEET_NEEDS_PROGRAM, kube_object_position(object),
	                "%.*s is encrypted for keys that only the program sops "
	                "uses (%.*s)",
	                SV_ARG(name), SV_ARG(kinds));
	diag_set_help(l->sink, l->needs_program,
	              "let it run, with --allow-program sops and the credentials of the key in the "
	              "environment; or add an age recipient with `sops updatekeys`");
}

/* Warns in `validate` of an object that `generate` needs and could not decrypt. */
static void warn_not_opened(struct lookups *l, const struct fleet_object *found)
{
	const struct kube_object *object = &found->object;
	sv kinds;

	if (seal_has_program(l->options->identities) || !needs_program(l, found->file, &kinds))
		return;
	struct diag *diag = diag_report(
	    l->sink, DIAG_FLEET_NOT_OPENED, kube_object_position(object),
	    "a value of %.*s is needed, and generate cannot decrypt it without the program sops "
	    "(%.*s)",
	    SV_ARG(kube_object_describe(l->arena, object)), SV_ARG(kinds));
	diag_set_help(l->sink, diag,
	              "give --allow-program sops, here and to generate; or add an age recipient "
	              "with `sops updatekeys`");
}

/* Warns in `validate` of a manifest whose kind is encrypted, too. */
static void warn_hidden(struct lookups *l, const struct fleet_file *file)
{
	struct diag *diag =
	    diag_report(l->sink, DIAG_FLEET_NOT_OPENED, value_position(file->hidden_kind),
	                "a manifest is encrypted as a whole: only generate, which "
	                "decrypts it, finds out whether a value of it is needed");

	diag_set_help(l->sink, diag,
	              "%s; if it is not meant for osm-gen, name the file in " FLEET_IGNORE_FILE,
	              format_of(file)->values_help);
}

static enum status open_objects(struct arena *secret_arena, struct sink *sink,
                                const struct seal_identities *identities,
                                const struct fleet_file *file, void *context)
{
	return fleet_file_open(secret_arena, sink, identities, file, context);
}

/* Decrypts a file, once for all of its objects. */
static const struct opened *open_file(struct lookups *l, const struct fleet_file *file)
{
	struct opened *opened = map_get(&l->opened, file_key(&file));

	if (!opened) {
		opened = ARENA_NEW(l->arena, struct opened);
		map_put(&l->opened, arena_dup(l->arena, file_key(&file)), opened);
		const struct fleet_input input = {
		    .inputs = l->inputs,
		    .identities = l->options->identities,
		    .file = file,
		    .scope = fleet_sealed_scope(l->scopes, file),
		};
		opened->failed = fleet_input_open(l->secret_arena, l->sink, &input, open_objects,
		                                  &opened->objects) != STATUS_OK;
		kube_objects_init(l->arena, &opened->by_id, NULL);
		VEC_EACH (found, &opened->objects)
			kube_objects_add(&opened->by_id, &found->object);
	}
	return opened;
}

/*
 * Replaces the object's root by the decrypted one. Returns false if that failed and was reported.
 */
static bool decrypt(struct lookups *l, const struct fleet_object *found, struct kube_object *object)
{
	const struct seal_identities *identities = l->options->identities;
	sv kinds;

	if (!seal_has_program(identities) && needs_program(l, found->file, &kinds)) {
		report_needs_program(l, found, kinds);
		return false;
	}
	if (!seal_has_program(identities) && seal_identities_count(identities) == 0) {
		report_no_identity(l, found);
		return false;
	}
	DIAG_SCOPE(l->sink, kube_object_describe(l->arena, object), l->sink->cluster);
	const struct opened *opened = open_file(l, found->file);
	const struct kube_object *clear = kube_objects_find(&opened->by_id, object->id.kind,
	                                                    object->id.namespace, object->id.name);
	if (!clear)
		return false;
	object->root = clear->root;
	object->confidential = true;
	return true;
}

/* ---- secrecy ----------------------------------------------------------------------------- */

/* Taints each string of a confidential object's data, as a secret that is named by its key. */
static void taint_data(struct lookups *l, const struct kube_object *object, sv member)
{
	struct value *data = value_map_get_mutable(object->root, member);

	for (size_t i = 0; value_is_map(data) && i < value_count(data); i++) {
		struct value_entry *entry = &data->map->entries[i];

		if (!value_is_string(&entry->value) || sv_empty(entry->value.string))
			continue;
		struct secret *secret = ARENA_NEW(l->secret_arena, struct secret);
		*secret = (struct secret){
		    .name = kube_secret_name(l->secret_arena, object->id.namespace, object->id.name,
		                             entry->key),
		    .text = entry->value.string,
		    .high_entropy = secrecy_is_random(entry->value.string),
		};
		secrecy_taint_all(l->secret_arena, &entry->value, secret);
	}
}

static void make_confidential(struct lookups *l, struct kube_object *object)
{
	object->confidential = true;
	taint_data(l, object, SV("data"));
	taint_data(l, object, SV("stringData"));
	taint_data(l, object, SV("binaryData"));
}

/* ---- permission -------------------------------------------------------------------------- */

static bool is_file_wanted(struct lookups *l, const struct fleet_file *file)
{
	bool wanted = file->hidden_kind != NULL;

	VEC_EACH (found, &file->lookups)
		wanted |= found->encrypted && is_asked_for(l, &found->object);
	return wanted;
}

/* Runs before any key is used, and also without keys, so that `validate` reports the same. */
static void check_sealed(struct lookups *l)
{
	bool *wanted = ARENA_ARRAY(l->arena, bool, l->files->count);
	bool any_wanted = false;

	for (size_t i = 0; i < l->files->count; i++) {
		const struct fleet_file *file = l->files->items[i];

		wanted[i] = file->sealed_count > 0 && is_file_wanted(l, file);
		any_wanted |= wanted[i];
		if (!wanted[i] || (fleet_check_sealed_place(l->sink, l->scopes, file) &&
		                   fleet_input_is_allowed(l->arena, l->sink, l->inputs, file,
		                                          fleet_sealed_scope(l->scopes, file))))
			continue;
		/* The refusal is reported; an entry without objects keeps the file closed. */
		struct opened *closed = ARENA_NEW(l->arena, struct opened);
		*closed = (struct opened){.failed = true};
		kube_objects_init(l->arena, &closed->by_id, NULL);
		map_put(&l->opened, arena_dup(l->arena, file_key(&file)), closed);
	}
	if (any_wanted && !l->scopes->draft->has_copies)
		(void)fleet_check_copies(l->arena, l->sink, l->files, l->scopes, wanted);
}

/* ---- filling the clusters' lookups ------------------------------------------------------- */

static void report_twice(struct lookups *l, const struct kube_object *object,
                         const struct kube_object *other)
{
	struct diag *diag = diag_report(l->sink, DIAG_FLEET_TWICE, kube_object_position(object),
	                                "%.*s is given twice in one scope",
	                                SV_ARG(kube_object_describe(l->arena, object)));

	diag_add_note(l->sink, diag, kube_object_position(other), "the other one");
	diag_set_help(l->sink, diag, "remove one of them, or name its file in " FLEET_IGNORE_FILE);
}

/* Remembers a used Secret that is not encrypted in git, since base64 is not encryption. */
static void note_clear(struct lookups *l, const struct fleet_object *found)
{
	if (found->encrypted || found->object.external || found->object.confidential ||
	    !sv_eq(found->object.id.kind, SV("Secret")) ||
	    fleet_is_clear_accepted(&found->object) || kube_secret_is_empty(&found->object) ||
	    !is_asked_for(l, &found->object))
		return;
	VEC_PUSH(l->arena, &l->clear, found);
}

/* Returns true for a path that a shell reads literally, without quotes. */
static bool is_plain_path(sv path)
{
	for (size_t i = 0; i < path.len; i++) {
		char c = path.ptr[i];

		if (!ascii_is_digit(c) && !ascii_is_lower((char)(c | 0x20)) &&
		    !ascii_is_any(c, "/._-"))
			return false;
	}
	return !sv_empty(path) && path.ptr[0] != '-';
}

/* Reports all clear-text Secrets in one diagnostic, since beginners have many. */
static void report_clear(struct lookups *l)
{
	enum { SHOWN = 4 };
	struct diag *diag;

	if (l->clear.count == 0)
		return;
	const struct fleet_object *first = l->clear.items[0];
	diag = diag_report(l->sink, DIAG_FLEET_CLEAR_SECRET, kube_object_position(&first->object),
	                   "%.*s is used, and is in the repository in clear text",
	                   SV_ARG(kube_object_describe(l->arena, &first->object)));
	for (size_t i = 1; i < l->clear.count && i < SHOWN; i++)
		diag_add_note(l->sink, diag, kube_object_position(&l->clear.items[i]->object),
		              "so is %.*s",
		              SV_ARG(kube_object_describe(l->arena, &l->clear.items[i]->object)));
	if (l->clear.count > SHOWN)
		diag_add_note(l->sink, diag, NOWHERE, "and %zu more", l->clear.count - SHOWN);
	diag_set_help(l->sink, diag,
	              "encrypt it: sops --encrypt --in-place --encrypted-regex "
	              "'^(data|stringData)$' --age "
	              "RECIPIENT %.*s (RECIPIENT: the public key of an identity that CI gives in "
	              "SOPS_AGE_KEY_FILE), or take it out of git and give it with --secrets",
	              SV_ARG(is_plain_path(first->file->path) ? first->file->path : SV("FILE")));
}

/* Reports credentials that units have in clear text, in one diagnostic. */
static void report_clear_credentials(struct lookups *l)
{
	enum { SHOWN = 4 };
	struct diag *diag = NULL;
	size_t count = 0;

	for (size_t i = 0; i < l->files->count; i++) {
		const struct fleet_file *file = l->files->items[i];

		VEC_EACH (unit, &file->units) {
			if (!unit->credential_at.source || fleet_file_is_outside(file) ||
			    unit->is_clear_accepted)
				continue;
			sv name = kube_object_describe(l->arena, &unit->object);

			if (count == 0)
				diag = diag_report(
				    l->sink, DIAG_FLEET_CLEAR_SECRET, unit->credential_at,
				    "%.*s has a credential (%.*s), which is in the repository in "
				    "clear text",
				    SV_ARG(name), SV_ARG(unit->credential));
			else if (count < SHOWN)
				diag_add_note(l->sink, diag, unit->credential_at, "so has %.*s",
				              SV_ARG(name));
			count++;
		}
	}
	if (count > SHOWN)
		diag_add_note(l->sink, diag, NOWHERE, "and %zu more", count - SHOWN);
	if (diag)
		diag_set_help(l->sink, diag,
		              "refer to an encrypted Secret where the field takes secretKeyRef; "
		              "else take the manifest out of git and give it with --manifests, or "
		              "accept it with the annotation " FLEET_CLEAR_ANNOTATION
		              ": accepted; everyone with a copy of the repository can read it, so "
		              "replace it");
}

static void add_object(struct lookups *l, const struct fleet_object *found, size_t cluster)
{
	struct kube_objects *layer = layer_of(l, cluster);
	struct kube_object *object = ARENA_NEW(l->arena, struct kube_object);
	const struct kube_object *other;

	*object = found->object;
	if (!object->external) {
		/* --secrets wins, even its files for all clusters over a cluster's own manifest. */
		other = kube_objects_find(layer, object->id.kind, object->id.namespace,
		                          object->id.name);
		if (other && other->external)
			return;
	}
	if (found->encrypted) {
		if (!is_asked_for(l, object)) {
			kube_objects_add_name(layer, &object->id);
			return;
		}
		/* Leave it encrypted: the names of its keys are clear. */
		if (l->options->skip_secrets && !l->options->keep_encrypted)
			warn_not_opened(l, found);
		if (!l->options->skip_secrets && !decrypt(l, found, object)) {
			kube_objects_add_failed(layer, &object->id);
			return;
		}
	} else if (found->file->may_have_encrypted && is_asked_for(l, object) &&
	           fleet_report_encrypted(l->sink, object->root)) {
		kube_objects_add_failed(layer, &object->id);
		return;
	} else if (object->external && !object->confidential) {
		make_confidential(l, object);
	}
	note_clear(l, found);
	other = kube_objects_add(layer, object);
	if (other && other->external == object->external && is_asked_for(l, object))
		report_twice(l, object, other);
}

/* ---- files that are encrypted as a whole ------------------------------------------------- */

/*
 * Decrypts all manifests that were encrypted together with their kind and name: whether something
 * refers to them is not known before. One that cannot be decrypted is an error.
 */
static void open_hidden(struct lookups *l)
{
	const struct seal_identities *identities = l->options->identities;
	bool has_identity = seal_identities_count(identities) > 0 || seal_has_program(identities);

	for (size_t i = 0; i < l->files->count; i++) {
		struct fleet_file *file = l->files->items[i];

		/* Ciphertext of another program: any lookup may be in it. */
		if (file->has_no_object && file->sink.error_count > 0)
			layer_of(l, fleet_scope_of(l->scopes, file))->hides = true;
		if (file->hidden_kind && l->options->skip_secrets) {
			if (!l->options->keep_encrypted)
				warn_hidden(l, file);
			layer_of(l, fleet_scope_of(l->scopes, file))->has_unopened = true;
		}
		if (!file->hidden_kind || l->options->skip_secrets)
			continue;
		if (!has_identity) {
			struct diag *diag = diag_report(
			    l->sink, DIAG_FLEET_NO_IDENTITY, value_position(file->hidden_kind),
			    "a manifest is encrypted as a whole, its kind too, and no age "
			    "identity is given");
			const struct sealer_format *format = format_of(file);
			diag_set_help(l->sink, diag,
			              "%s; better, %s; if it is not meant for osm-gen, name the "
			              "file in " FLEET_IGNORE_FILE,
			              format->identity_help, format->values_help);
			layer_of(l, fleet_scope_of(l->scopes, file))->hides = true;
			continue;
		}
		const struct opened *opened = open_file(l, file);
		if (opened->failed)
			layer_of(l, fleet_scope_of(l->scopes, file))->hides = true;
		VEC_EACH (found, &opened->objects) {
			struct fleet_object shown = {.object = found->object, .file = file};

			shown.object.confidential = true;
			VEC_PUSH(l->secret_arena, &file->lookups, shown);
		}
	}
}

/*
 * Adds the lookups of --secrets and --manifests (`external`), which come first since they override
 * others, or those of the commit.
 */
static void add_all(struct lookups *l, bool external)
{
	for (size_t i = 0; i < l->files->count; i++) {
		const struct fleet_file *file = l->files->items[i];
		size_t cluster;

		if (fleet_file_is_outside(file) != external || file->lookups.count == 0)
			continue;
		if (fleet_file_is_external(file))
			fleet_check_secrets_place(l->arena, l->sink, l->scopes, file);
		cluster = fleet_scope_of(l->scopes, file);
		VEC_EACH (found, &file->lookups)
			add_object(l, found, cluster);
	}
}

void fleet_fill_lookups(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                        const struct fleet_files *files, const struct fleet_scopes *scopes,
                        const struct fleet_options *options, struct fleet *fleet)
{
	struct lookups l = {
	    .arena = arena,
	    .secret_arena = secret_arena,
	    .sink = sink,
	    .files = files,
	    .scopes = scopes,
	    .options = options,
	    .fleet = fleet,
	    .shared = ARENA_NEW(arena, struct kube_objects),
	    .own = ARENA_ARRAY(arena, struct kube_objects *, fleet->cluster_count),
	    .wants = {arena, set_in(arena)},
	    .opened = map_in(arena),
	    .program_kinds = map_in(arena),
	    .inputs = fleet_inputs_new(arena, sink, scopes->draft),
	};

	kube_objects_init(arena, l.shared, NULL);
	l.shared->is_complete = options->has_secrets_folder;
	for (size_t i = 0; i < fleet->cluster_count; i++) {
		struct fleet_cluster *cluster = &fleet->clusters[i];

		l.own[i] = ARENA_NEW(arena, struct kube_objects);
		kube_objects_init(arena, l.own[i], l.shared);
		cluster->objects = l.own[i];
		for (size_t j = 0; j < fleet->dialect_count; j++)
			cluster->dialects[j].objects = l.own[i];
	}
	for (size_t i = 0; i < files->count; i++)
		VEC_EACH (maker, &files->items[i]->makers)
			VEC_PUSH(arena,
			         &layer_of(&l, fleet_scope_of(scopes, files->items[i]))->makers,
			         *maker);
	check_sealed(&l);
	open_hidden(&l);
	add_all(&l, true);
	add_all(&l, false);
	kube_objects_complete(l.shared);
	for (size_t i = 0; i < fleet->cluster_count; i++)
		kube_objects_complete(l.own[i]);
	/* Charge for each cluster's searches among the shared objects. */
	(void)quota_take(options->steps, (uint64_t)fleet->cluster_count *
	                                     (l.shared->by_id.count + l.shared->names.count) * 6);
	report_clear(&l);
	report_clear_credentials(&l);
}
