/*
 * Expands objects from which units are made: finds their clusters and the file with Terraform's
 * output, and hands the result to the steps that follow.
 */
#include "fleet/internal.h"
#include "secrecy/secrecy.h"

struct expander {
	struct arena *arena;
	struct sink *sink;
	const struct fleet_files *files;
	const struct fleet_scopes *scopes;
	const struct fleet_options *options;
	struct fleet_draft *draft;
	struct fleet *fleet;
	const struct fleet_expandable **of; /* the one of each cluster, or null */
	const struct fleet_file **of_file;
	struct map committed; /* units of the clusters that have one, by unit_key */
	bool *has_units;      /* for each cluster: committed ones, of the dialect of its `of` */
	struct arena *opened; /* the values of one of these */
};

/* ---- callbacks of dialects ------------------------------------------------------------------- */

/* A cluster, for the functions of struct dialect_expansion. */
struct asked {
	const struct expander *e;
	const struct fleet_file *file;
	const struct fleet_cluster_draft *cluster;
};

static bool is_given(const void *context, sv setting)
{
	const struct asked *asked = context;

	return !value_is_null(value_map_get(asked->cluster->settings, setting)) ||
	       !value_is_null(value_map_get(asked->e->draft->defaults, setting)) ||
	       !value_is_null(value_map_get(asked->e->options->flag_settings, setting));
}

static bool read_asked_file(const void *context, const struct value *path, sv *ret_text)
{
	const struct asked *asked = context;
	const struct fleet_options *options = asked->e->options;
	struct fleet_named_file named;

	if (!fleet_path_resolve(asked->e->arena, os_folder_of(asked->file->path), path->string,
	                        &named.path) ||
	    !options->read_file ||
	    !options->read_file(options->read_file_context, named.path, &named.text))
		return false;
	*ret_text = named.text;
	if (fleet_report_named_cipher(asked->e->sink, &named, value_position(path)))
		*ret_text = SV("");
	return true;
}

/* ---- Terraform ------------------------------------------------------------------------------- */

/*
 * SAFETY: outputs that the rules do not read may be secret. Lines of such a file are not shown.
 * Returns true if an output is marked as sensitive, or looks like a credential.
 */
static bool may_hold_secret(sv text)
{
	const sv mark = SV("\"sensitive\"");

	if (secrecy_manifest_may_hold_credential(text))
		return true;
	for (size_t at = sv_find(text, mark); at != SV_NPOS; at = sv_find(text, mark)) {
		text = sv_from_offset(text, at + mark.len);
		if (sv_starts_with(sv_trim(sv_slice(text, 0, 80), ": \t\r\n"), SV("true")))
			return true;
	}
	return false;
}

/*
 * Returns the source of the file that the Cluster's spec.terraformOutput names, or null without
 * one. Fails if the file is missing.
 */
static enum status read_terraform(const struct expander *e,
                                  const struct fleet_cluster_draft *cluster,
                                  const struct source **ret_source)
{
	const struct value *given = value_map_get(cluster->spec, SV(FLEET_TERRAFORM_MEMBER));
	struct fleet_named_file named;
	struct source *source;

	*ret_source = NULL;
	if (value_is_null(given))
		return STATUS_OK;
	if (fleet_read_named(e->arena, e->sink, e->options, cluster->file, given,
	                     "commit what `terraform output -json > tf.json` writes, and name that "
	                     "file here, relative to the folder of this one",
	                     &named) != STATUS_OK)
		return STATUS_FAILED;
	source = source_new(e->arena, named.path, named.text, may_hold_secret(named.text));
	source->suspected = source->confidential;
	source->values = e->options->values;
	*ret_source = source;
	return STATUS_OK;
}

/*
 * Returns for each cluster an encrypted file that may be the manifest which takes Terraform's
 * output, or null. Such a manifest was reported, unless its kind is encrypted, too.
 */
static const struct fleet_file **find_encrypted(const struct expander *e)
{
	const struct fleet_file **found =
	    ARENA_ARRAY(e->arena, const struct fleet_file *, e->draft->clusters.count);

	for (size_t i = 0; i < e->files->count; i++) {
		const struct fleet_file *file = e->files->items[i];
		size_t cluster = FLEET_NO_CLUSTER;

		if (file->hidden_kind || file->has_refused_expandable)
			cluster = fleet_scope_of(e->scopes, file);
		if (cluster != FLEET_NO_CLUSTER &&
		    (!found[cluster] || file->has_refused_expandable))
			found[cluster] = file;
	}
	return found;
}

/* Reports Terraform's output of clusters that have nothing to merge it into. */
static void report_unused(const struct expander *e)
{
	const struct fleet_file **encrypted = find_encrypted(e);

	for (size_t i = 0; i < e->draft->clusters.count; i++) {
		const struct fleet_cluster_draft *cluster = &e->draft->clusters.items[i];
		const struct value *given =
		    value_map_get(cluster->spec, SV(FLEET_TERRAFORM_MEMBER));
		struct diag *diag;

		if (value_is_null(given) || (e->of && e->of[i]) ||
		    (encrypted[i] && encrypted[i]->has_refused_expandable))
			continue;
		diag = diag_report(e->sink, DIAG_FLEET_TERRAFORM, value_position(given),
		                   "the cluster %.*s has no manifest that takes Terraform's output",
		                   SV_ARG(cluster->name));
		diag_set_help(
		    e->sink, diag,
		    "commit kubeone.yaml (kind KubeOneCluster) in the cluster's folder, or "
		    "remove " FLEET_TERRAFORM_MEMBER);
		if (encrypted[i])
			diag_add_note(e->sink, diag, value_position(encrypted[i]->hidden_kind),
			              "if it is this file, which is encrypted as a whole: commit "
			              "it in the clear (`sops decrypt --in-place`)");
	}
}

/* ---- units ----------------------------------------------------------------------------------- */

static sv unit_key(struct arena *arena, size_t cluster, const struct kube_id *id)
{
	return arena_printf(arena, "%zu %.*s %.*s/%.*s", cluster, SV_ARG(id->kind),
	                    SV_ARG(id->namespace), SV_ARG(id->name));
}

/* Collects the committed units of clusters with an expandable object. */
static void collect_committed(struct expander *e)
{
	for (size_t i = 0; i < e->files->count; i++) {
		const struct fleet_file *file = e->files->items[i];
		size_t cluster =
		    file->units.count > 0 ? fleet_scope_of(e->scopes, file) : FLEET_NO_CLUSTER;

		if (cluster == FLEET_NO_CLUSTER || !e->of[cluster])
			continue;
		VEC_EACH (unit, &file->units) {
			map_put(&e->committed, unit_key(e->arena, cluster, &unit->object.id), unit);
			e->has_units[cluster] |= unit->dialect == e->of[cluster]->dialect;
		}
	}
}

/*
 * Returns true if a committed unit's spec has all that a made one has. It may have more members,
 * which the API server adds.
 */
static bool has_spec_of(const struct kube_object *committed, const struct kube_object *made)
{
	const struct value *want = value_map_get(made->root, SV("spec"));
	const struct value *spec = value_map_get(committed->root, SV("spec"));

	for (size_t i = 0; i < value_count(want); i++) {
		const struct value_entry *entry = &want->map->entries[i];

		if (!value_equal(&entry->value, value_map_get(spec, entry->key)))
			return false;
	}
	return true;
}

/* Warns of a committed unit that is not the one that would be made, and is used in its place. */
static void report_committed(const struct expander *e, const struct kube_object *made,
                             const struct fleet_object *committed)
{
	struct diag *diag;

	bool is_opened = kube_object_open(e->opened, &committed->object);
	bool is_equal = has_spec_of(&committed->object, made);

	if (is_opened) {
		kube_object_close(&committed->object);
		arena_reset(e->opened);
	}
	if (is_equal)
		return;
	diag = diag_report(e->sink, DIAG_FLEET_COMMITTED, kube_object_position(made),
	                   "%.*s is committed, too, and differs: the committed one is used",
	                   SV_ARG(kube_object_describe(e->arena, made)));
	diag_add_note(e->sink, diag, kube_object_position(&committed->object),
	              "this is the committed one");
	diag_set_help(e->sink, diag,
	              "remove one of the two: the committed one, if the cluster is to follow this "
	              "manifest, or this one, if the cluster has been changed since");
}

static void add_unit(struct expander *e, size_t cluster, const struct dialect *dialect,
                     struct fleet_file *file, struct value *root)
{
	struct fleet_object found = {.file = file, .dialect = dialect};
	const struct fleet_object *committed;

	if (kube_object_read(e->arena, e->sink, file->source, root, &found.object) != STATUS_OK)
		return;
	committed = map_get(&e->committed, unit_key(e->arena, cluster, &found.object.id));
	if (committed) {
		report_committed(e, &found.object, committed);
		return;
	}
	found.object.confidential = secrecy_find(root) != NULL;
	if (fleet_find_credential(e->arena, e->opened, &found))
		file->source->confidential = true;
	VEC_PUSH(e->arena, &file->units, found);
}

/* ---- objects --------------------------------------------------------------------------------- */

static struct position expandable_place(const struct value *root)
{
	return value_position(value_map_get(root, SV("kind")));
}

static void report_outside(const struct expander *e, const struct fleet_expandable *found)
{
	struct diag *diag = diag_report(e->sink, DIAG_FLEET_OUTSIDE, expandable_place(found->root),
	                                "the %.*s is outside of every cluster's folder",
	                                SV_ARG(value_text(value_map_get(found->root, SV("kind")))));

	diag_add_note(e->sink, diag, e->draft->clusters.items[0].at,
	              "clusters have folders since there is this one, for example");
	diag_set_help(e->sink, diag,
	              "move the file into a folder with a Cluster in its " FLEET_SETTINGS_FILE
	              ", or name it in " FLEET_IGNORE_FILE);
}

static void report_second(const struct expander *e, const struct fleet_expandable *found,
                          const struct fleet_expandable *first)
{
	struct diag *diag =
	    diag_report(e->sink, DIAG_FLEET_EXPANDED_TWICE, expandable_place(found->root),
	                "the cluster has two manifests of kind %.*s",
	                SV_ARG(value_text(value_map_get(found->root, SV("kind")))));

	diag_add_note(e->sink, diag, expandable_place(first->root), "the other one");
	diag_set_help(e->sink, diag,
	              "keep one, name the other in " FLEET_IGNORE_FILE
	              ", or give each a folder with a Cluster in its " FLEET_SETTINGS_FILE);
}

static void find_of_file(struct expander *e, const struct fleet_file *file)
{
	size_t cluster = fleet_scope_of(e->scopes, file);

	VEC_EACH (found, &file->expandables) {
		if (cluster == FLEET_NO_CLUSTER) {
			report_outside(e, found);
		} else if (e->of[cluster]) {
			report_second(e, found, e->of[cluster]);
		} else {
			e->of[cluster] = found;
			e->of_file[cluster] = file;
		}
	}
}

static void set_version(struct fleet_cluster *cluster, const struct dialect *dialect,
                        const struct value *version)
{
	for (size_t i = 0; i < cluster->dialect_count; i++)
		if (cluster->dialects[i].dialect == dialect)
			cluster->dialects[i].kubernetes_version = *version;
}

static void expand_cluster(struct expander *e, size_t number, struct fleet_file *file)
{
	struct fleet_cluster_draft *cluster = &e->draft->clusters.items[number];
	const struct fleet_expandable *found = e->of[number];
	const struct asked asked = {e, file, cluster};
	struct dialect_expansion expansion = {
	    .root = found->root,
	    .source = file->source,
	    .has_units = e->has_units[number],
	    .is_given = is_given,
	    .read_file = read_asked_file,
	    .context = &asked,
	};
	struct value *settings = ARENA_NEW(e->arena, struct value);
	struct dialect_expanded expanded;

	DIAG_SCOPE(e->sink, e->sink->object, cluster->name);
	if (e->files->terraform[number].file) {
		expansion.terraform = e->files->terraform[number].file->source;
		expansion.terraform_root = e->files->terraform[number].root;
	}
	if (expansion.terraform_root ||
	    read_terraform(e, cluster, &expansion.terraform) == STATUS_OK) {
		found->dialect->expand(e->arena, e->sink, &expansion, &expanded);
		VEC_EACH (root, &expanded.units)
			add_unit(e, number, found->dialect, file, *root);
		*settings = expanded.settings;
		cluster->made_settings = value_is_map(settings) ? settings : NULL;
		cluster->made_for = found->dialect;
		e->fleet->clusters[number].made_settings = cluster->made_settings;
		e->fleet->clusters[number].made_server = expanded.server;
		set_version(&e->fleet->clusters[number], found->dialect,
		            &expanded.kubernetes_version);
	}
}

void fleet_expand(struct arena *arena, struct sink *sink, const struct fleet_files *files,
                  const struct fleet_scopes *scopes, const struct fleet_options *options,
                  struct fleet_draft *draft, struct fleet *fleet)
{
	ARENA_AUTO opened = arena_new(ARENA_SECRET);
	struct expander e = {
	    .arena = arena,
	    .sink = sink,
	    .files = files,
	    .scopes = scopes,
	    .options = options,
	    .draft = draft,
	    .fleet = fleet,
	    .committed = map_in(arena),
	    .opened = opened,
	};
	size_t count = 0;

	for (size_t i = 0; i < files->count; i++)
		count += files->items[i]->expandables.count;
	if (count > 0) {
		e.of = ARENA_ARRAY(arena, const struct fleet_expandable *, draft->clusters.count);
		e.of_file = ARENA_ARRAY(arena, const struct fleet_file *, draft->clusters.count);
		e.has_units = ARENA_ARRAY(arena, bool, draft->clusters.count);
		for (size_t i = 0; i < files->count; i++)
			if (files->items[i]->expandables.count > 0)
				find_of_file(&e, files->items[i]);
		collect_committed(&e);
		for (size_t i = 0; i < files->count; i++) {
			size_t cluster = files->items[i]->expandables.count > 0
			                     ? fleet_scope_of(scopes, files->items[i])
			                     : FLEET_NO_CLUSTER;

			if (cluster != FLEET_NO_CLUSTER && e.of_file[cluster] == files->items[i])
				expand_cluster(&e, cluster, files->items[i]);
		}
	}
	report_unused(&e);
}
