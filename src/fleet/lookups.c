/*
 * Secrets, ConfigMaps and ServiceAccounts: nothing of a repository's hundreds of them matters but
 * what the controller would ask a cluster for. What nobody asks for may be encrypted for others,
 * given twice (a patch, an overlay) or incomplete.
 */
#include "fleet/internal.h"

#define GETTER_NAMESPACE "cloud-init-settings"
#define GETTER_NAME      "cloud-init-getter-token"
#define SERVICE_ACCOUNT  "kubernetes.io/service-account.name"

struct lookups {
	struct arena *arena;
	struct arena *secret_arena;
	struct sink *sink;
	struct fleet_file *const *files;
	size_t file_count;
	const struct fleet_scopes *scopes;
	const struct fleet_options *options;
	const struct fleet_cluster *clusters;
	size_t cluster_count;
	struct kube_objects *shared;
	struct kube_objects **own; /* one a cluster */
	struct map references;     /* "NAMESPACE/NAME" that MachineDeployments and settings name */
	bool references_known;
	struct diag *no_identity; /* one for all Secrets that cannot be decrypted */
	struct map opened;        /* by path: struct opened */
};

/* A file that was decrypted, or could not be. */
struct opened {
	bool failed;
	struct fleet_objects objects;
};

/* ---- what is asked for ------------------------------------------------------------------- */

static void add_reference(struct lookups *l, sv namespace, sv name)
{
	map_put(&l->references, ARENA_CONCAT(l->arena, namespace, SV("/"), name), l);
}

/* secretKeyRef and configMapKeyRef, wherever they stand; the decoder does not mind case. */
static void collect_references(struct lookups *l, const struct value *v)
{
	if (value_is_list(v)) {
		for (size_t i = 0; i < value_count(v); i++)
			collect_references(l, value_item(v, i));
		return;
	}
	if (!value_is_map(v))
		return;
	for (size_t i = 0; i < value_count(v); i++) {
		const struct value_entry *entry = &v->map->entries[i];

		if (osm_json_key_is(entry->key, SV("secretKeyRef")) ||
		    osm_json_key_is(entry->key, SV("configMapKeyRef")))
			add_reference(l,
			              value_text(osm_json_member(&entry->value, SV("namespace"))),
			              value_text(osm_json_member(&entry->value, SV("name"))));
		else
			collect_references(l, &entry->value);
	}
}

/* Some cluster's settings name this ServiceAccount for the tokens of kubelets. */
static bool names_account(const struct lookups *l, sv namespace, sv name)
{
	sv account = ARENA_CONCAT(l->arena, namespace, SV("/"), name);

	for (size_t i = 0; i < l->cluster_count; i++)
		if (sv_eq(value_text(&l->clusters[i].settings.token_service_account), account))
			return true;
	return false;
}

/* Such a ServiceAccount and the Secrets that it lists. */
static void collect_account(struct lookups *l, const struct kube_object *object)
{
	const struct kube_id *id = &object->id;
	const struct value *listed = value_map_get(object->root, SV("secrets"));

	if (!sv_eq(id->kind, SV("ServiceAccount")) || !names_account(l, id->namespace, id->name))
		return;
	add_reference(l, id->namespace, id->name);
	for (size_t i = 0; value_is_list(listed) && i < value_count(listed); i++)
		add_reference(l, id->namespace,
		              value_text(value_map_get(value_item(listed, i), SV("name"))));
}

static void know_references(struct lookups *l)
{
	if (l->references_known)
		return;
	l->references_known = true;
	l->references = map_in(l->arena);
	add_reference(l, SV(GETTER_NAMESPACE), SV(GETTER_NAME));
	add_reference(l, SV("kube-public"), SV("cluster-info"));
	for (size_t i = 0; i < l->cluster_count; i++) {
		sv named = value_text(&l->clusters[i].settings.registry_credentials_secret);

		if (!sv_empty(named))
			map_put(&l->references, named, l);
	}
	for (size_t i = 0; i < l->file_count; i++) {
		VEC_EACH (md, &l->files[i]->machine_deployments)
			collect_references(l, value_path(md->object.root,
			                                 "spec.template.spec.providerSpec.value"));
		VEC_EACH (found, &l->files[i]->lookups)
			collect_account(l, &found->object);
	}
}

/* The token Secret of a ServiceAccount that some cluster's settings name. */
static bool is_account_token(const struct lookups *l, const struct kube_object *object)
{
	const struct value *annotations = value_path(object->root, "metadata.annotations");
	sv account = value_text(value_map_get(annotations, SV(SERVICE_ACCOUNT)));

	return !sv_empty(account) && names_account(l, object->id.namespace, account);
}

static bool is_asked_for(struct lookups *l, const struct kube_object *object)
{
	bool secret = sv_eq(object->id.kind, SV("Secret"));

	if (secret && sv_eq(object->id.namespace, SV("kube-system")) &&
	    sv_starts_with(object->id.name, SV("bootstrap-token-")))
		return true;
	if (secret && is_account_token(l, object))
		return true;
	know_references(l);
	return map_get(&l->references, ARENA_CONCAT(l->arena, object->id.namespace, SV("/"),
	                                            object->id.name)) != NULL;
}

/* ---- decrypting -------------------------------------------------------------------------- */

static void report_no_identity(struct lookups *l, const struct kube_object *object)
{
	if (l->no_identity) {
		diag_add_note(l->sink, l->no_identity, kube_object_position(object), "so is %.*s",
		              SV_ARG(kube_object_describe(l->arena, object)));
		return;
	}
	l->no_identity = diag_report(l->sink, DIAG_FLEET_NO_IDENTITY, kube_object_position(object),
	                             "%.*s is encrypted, and no age identity is given",
	                             SV_ARG(kube_object_describe(l->arena, object)));
	diag_set_help(l->sink, l->no_identity,
	              "set SOPS_AGE_KEY, or SOPS_AGE_KEY_FILE to a file of identities");
}

/* A file is opened once, for all the objects of it that are asked for. */
static const struct opened *open_file(struct lookups *l, const struct fleet_file *file)
{
	struct opened *opened = map_get(&l->opened, file->path);

	if (!opened) {
		opened = ARENA_NEW(l->arena, struct opened);
		map_put(&l->opened, file->path, opened);
		opened->failed = fleet_file_open(l->secret_arena, l->sink, l->options->identities,
		                                 file, &opened->objects) != STATUS_OK;
	}
	return opened;
}

/* Puts the decrypted root in place of the object's; false when that failed (and was reported). */
static bool decrypt(struct lookups *l, const struct fleet_object *found, struct kube_object *object)
{
	if (!l->options->identities || seal_identities_count(l->options->identities) == 0) {
		report_no_identity(l, object);
		return false;
	}
	const struct opened *opened = open_file(l, found->file);
	VEC_EACH (clear, &opened->objects) {
		if (kube_id_compare(&clear->object.id, &object->id) != 0)
			continue;
		object->root = clear->object.root;
		object->confidential = true;
		return true;
	}
	return false;
}

/* ---- secrecy ----------------------------------------------------------------------------- */

/* Every text of a confidential object's data is a secret of its own, named by its key. */
static void taint_data(struct lookups *l, const struct kube_object *object, sv member)
{
	struct value *data = value_map_get(object->root, member);

	for (size_t i = 0; value_is_map(data) && i < value_count(data); i++) {
		struct value_entry *entry = &data->map->entries[i];

		if (!value_is_string(&entry->value) || sv_empty(entry->value.string))
			continue;
		struct secret *secret = ARENA_NEW(l->secret_arena, struct secret);
		*secret = (struct secret){
		    .name = kube_secret_name(l->secret_arena, object->id.namespace, object->id.name,
		                             entry->key),
		    .text = entry->value.string,
		    .high_entropy = kube_token_is_random(entry->value.string),
		};
		value_taint_all(l->secret_arena, &entry->value, secret);
	}
}

static void make_confidential(struct lookups *l, struct kube_object *object)
{
	object->confidential = true;
	taint_data(l, object, SV("data"));
	taint_data(l, object, SV("stringData"));
	taint_data(l, object, SV("binaryData"));
}

/* ---- putting them where they belong ------------------------------------------------------ */

static void report_twice(struct lookups *l, const struct kube_object *object,
                         const struct kube_object *other)
{
	struct diag *diag = diag_report(l->sink, DIAG_FLEET_TWICE, kube_object_position(object),
	                                "%.*s is given twice in one scope",
	                                SV_ARG(kube_object_describe(l->arena, object)));

	diag_add_note(l->sink, diag, kube_object_position(other), "the other one");
	diag_set_help(l->sink, diag, "remove one of them, or name its file in " FLEET_IGNORE_FILE);
}

static void add_object(struct lookups *l, const struct fleet_object *found, size_t cluster)
{
	struct kube_objects *layer = cluster == FLEET_NO_CLUSTER ? l->shared : l->own[cluster];
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
		if (l->options->skip_secrets || !is_asked_for(l, object) ||
		    !decrypt(l, found, object))
			return;
	} else if (object->external && !object->confidential) {
		make_confidential(l, object);
	}
	other = kube_objects_add(layer, object);
	if (other && other->external == object->external && is_asked_for(l, object))
		report_twice(l, object, other);
}

/* ---- what hides its kind ----------------------------------------------------------------- */

/*
 * Manifests that were encrypted as a whole: nobody can tell whether they are asked for, so that
 * they are all opened, and one that cannot be is an error rather than a Secret passed over.
 */
static void open_hidden(struct lookups *l)
{
	bool has_identity =
	    l->options->identities && seal_identities_count(l->options->identities) > 0;

	for (size_t i = 0; i < l->file_count; i++) {
		struct fleet_file *file = l->files[i];

		if (!file->hidden_kind || l->options->skip_secrets)
			continue;
		if (!has_identity) {
			struct diag *diag = diag_report(
			    l->sink, DIAG_FLEET_NO_IDENTITY, value_position(file->hidden_kind),
			    "a manifest is encrypted as a whole, its kind too, and no age "
			    "identity is given");
			diag_set_help(
			    l->sink, diag,
			    "set SOPS_AGE_KEY, or SOPS_AGE_KEY_FILE to a file of identities; "
			    "better, encrypt only the values, with sops "
			    "--encrypted-regex '^(data|stringData)$'; when it is nothing for "
			    "osm-gen, name the file in " FLEET_IGNORE_FILE);
			continue;
		}
		VEC_EACH (found, &open_file(l, file)->objects) {
			struct fleet_object shown = {.object = found->object, .file = file};

			shown.object.confidential = true;
			VEC_PUSH(l->secret_arena, &file->lookups, shown);
		}
	}
}

/* Those of --secrets first: they decide which others count. */
static void add_all(struct lookups *l, bool external)
{
	for (size_t i = 0; i < l->file_count; i++) {
		const struct fleet_file *file = l->files[i];
		size_t cluster;

		if (fleet_file_is_external(file) != external || file->lookups.count == 0)
			continue;
		cluster = fleet_scope_of(l->scopes, file);
		VEC_EACH (found, &file->lookups)
			add_object(l, found, cluster);
	}
}

void fleet_fill_lookups(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                        struct fleet_file *const *files, size_t file_count,
                        const struct fleet_scopes *scopes, const struct fleet_options *options,
                        struct fleet_cluster *clusters, size_t cluster_count)
{
	struct lookups l = {
	    .arena = arena,
	    .secret_arena = secret_arena,
	    .sink = sink,
	    .files = files,
	    .file_count = file_count,
	    .scopes = scopes,
	    .options = options,
	    .clusters = clusters,
	    .cluster_count = cluster_count,
	    .shared = ARENA_NEW(arena, struct kube_objects),
	    .own = ARENA_ARRAY(arena, struct kube_objects *, cluster_count),
	    .opened = map_in(arena),
	};

	kube_objects_init(l.shared, arena, NULL);
	for (size_t i = 0; i < cluster_count; i++) {
		l.own[i] = ARENA_NEW(arena, struct kube_objects);
		kube_objects_init(l.own[i], arena, l.shared);
		clusters[i].objects = l.own[i];
	}
	open_hidden(&l);
	add_all(&l, true);
	add_all(&l, false);
}
