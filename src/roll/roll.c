/*
 * Finds the manifests in a file, and sets the annotation in each.
 */
#include "roll/roll.h"

#include "kube/kube.h"
#include "yaml/yaml.h"

static const sv annotation_path[] = {SV_INIT("spec"), SV_INIT("template"), SV_INIT("metadata"),
                                     SV_INIT("annotations"), SV_INIT(ROLL_ANNOTATION)};

/* A file that is being marked. */
struct marking {
	struct arena *arena;
	struct sink *sink;
	struct yml_documents documents;
	struct yml_edit *edits; /* one for each target */
	struct map found;       /* "NAMESPACE/NAME" to an edit that names the place */
};

static sv target_key(struct arena *arena, sv namespace, sv name)
{
	return ARENA_CONCAT(arena, namespace, SV("/"), name);
}

static enum status refuse_mark(const struct marking *m, const struct roll_target *target,
                               const char *why)
{
	DIAG_SCOPE(m->sink,
	           ARENA_CONCAT(m->arena, SV("MachineDeployment "),
	                        target_key(m->arena, target->namespace, target->name)),
	           target->cluster);
	struct diag *diag =
	    diag_report(m->sink, DIAG_ROLL, target->at, "cannot be marked: %s", why);
	diag_set_help(m->sink, diag,
	              "set the annotation " ROLL_ANNOTATION
	              " of spec.template.metadata yourself, where the manifest is made");
	return STATUS_FAILED;
}

/* Remembers where a MachineDeployment is written. */
static void note_manifest(struct marking *m, const struct value *root, size_t document, size_t item)
{
	const struct value *metadata = value_map_get(root, SV("metadata"));
	sv namespace = value_text(value_map_get(metadata, SV("namespace")));
	sv version = value_text(value_map_get(root, SV("apiVersion")));
	struct yml_edit *edit;

	if (!sv_eq(value_text(value_map_get(root, SV("kind"))), SV("MachineDeployment")) ||
	    !sv_starts_with(version, SV("cluster.k8s.io/")))
		return;
	edit = ARENA_NEW(m->arena, struct yml_edit);
	*edit = (struct yml_edit){.document = document,
	                          .item = item,
	                          .path = annotation_path,
	                          .path_count = COUNT_OF(annotation_path)};
	map_put(&m->found,
	        target_key(m->arena, sv_empty(namespace) ? SV("default") : namespace,
	                   value_text(value_map_get(metadata, SV("name")))),
	        edit);
}

static void find_manifests(struct marking *m)
{
	for (size_t i = 0; i < m->documents.count; i++) {
		const struct value *root = &m->documents.items[i].root;
		const struct value *items = value_map_get(root, SV("items"));

		note_manifest(m, root, i, YML_NO_ITEM);
		for (size_t j = 0; value_is_list(items) && j < value_count(items); j++)
			note_manifest(m, value_item(items, j), i, j);
	}
}

/* Returns the manifest that an edit is about. */
static const struct value *manifest_of(const struct marking *m, const struct yml_edit *edit)
{
	const struct value *root = &m->documents.items[edit->document].root;

	return edit->item == YML_NO_ITEM ? root
	                                 : value_item(value_map_get(root, SV("items")), edit->item);
}

/* Returns the annotation's value, or null. */
static const struct value *annotation_of(const struct value *root)
{
	const struct value *annotations = value_path(root, "spec.template.metadata.annotations");

	return value_map_get(annotations, SV(ROLL_ANNOTATION));
}

/* Sets what a target's annotation becomes. */
static enum status count_up(const struct marking *m, struct roll_target *target,
                            struct yml_edit *edit)
{
	const struct value *given = annotation_of(manifest_of(m, edit));
	int64_t before = 0;

	if (!value_is_null(given) &&
	    (!sv_parse_int64(value_text(given), &before) || before < 0 || before == INT64_MAX))
		return refuse_mark(m, target, "its annotation " ROLL_ANNOTATION " is not a count");
	target->count = (uint64_t)before + 1;
	sv number = arena_printf(m->arena, "%lld", (long long)before + 1);
	edit->value = value_string(number);
	edit->scalar = ARENA_CONCAT(m->arena, SV("\""), number, SV("\""));
	return STATUS_OK;
}

static enum status prepare(const struct marking *m, struct roll_target *target,
                           struct yml_edit *ret_edit)
{
	const struct yml_edit *found =
	    map_get(&m->found, target_key(m->arena, target->namespace, target->name));

	if (!sv_empty(target->made_by))
		return refuse_mark(
		    m, target,
		    arena_cstr(m->arena, ARENA_CONCAT(m->arena, SV("the kustomization "),
		                                      target->made_by, SV(" makes it"))));
	if (!found)
		return refuse_mark(m, target, "the manifest is generated from this file");
	if (value_map_get(&m->documents.items[found->document].root, SV("sops")))
		return refuse_mark(m, target,
		                   "the file is encrypted, and the change would break its MAC");
	*ret_edit = *found;
	return count_up(m, target, ret_edit);
}

enum status roll_mark(struct arena *arena, struct sink *sink, sv text, struct roll_target *targets,
                      size_t count, sv *ret_text)
{
	struct marking m = {
	    .arena = arena,
	    .sink = sink,
	    .edits = ARENA_ARRAY(arena, struct yml_edit, count),
	    .found = map_in(arena),
	};
	const struct source *source = source_new(arena, SV("manifest"), text, false);
	enum status status = STATUS_OK;
	size_t failed;

	if (yml_parse(arena, sink, source, &m.documents) != STATUS_OK)
		return STATUS_FAILED;
	find_manifests(&m);
	for (size_t i = 0; i < count; i++)
		if (prepare(&m, &targets[i], &m.edits[i]) != STATUS_OK)
			status = STATUS_FAILED;
	if (status != STATUS_OK)
		return STATUS_FAILED;
	if (!yml_set_members(arena, text, m.edits, count, ret_text, &failed))
		return refuse_mark(
		    &m, &targets[failed],
		    "the annotation cannot be added without changing something else");
	return STATUS_OK;
}
