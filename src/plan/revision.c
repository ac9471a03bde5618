/*
 * The revision of a unit's template. machine-controller starts no machine unless the user-data's
 * Secret carries the revision that the live object has, a counter that git does not hold.
 */
#include "codec/codec.h"
#include "os/os.h"
#include "plan/plan.h"
#include "json/json.h"

#define MAX_REVISIONS_BYTES ((size_t)64 * 1024 * 1024)
#define MAX_OUTPUT_BYTES    ((size_t)64 * 1024 * 1024)

/* ---- --revisions ------------------------------------------------------------------------- */

/* By "NAMESPACE/NAME": the object's annotations. Of several of one name the first one counts. */
static struct map *index_annotations(struct arena *arena, const struct value *items)
{
	struct map *index = ARENA_NEW(arena, struct map);

	*index = map_in(arena);
	for (size_t i = 0; i < value_count(items); i++) {
		const struct value *metadata = value_map_get(value_item(items, i), SV("metadata"));
		const struct value *annotations = value_map_get(metadata, SV("annotations"));
		sv key = ARENA_CONCAT(arena, value_text(value_map_get(metadata, SV("namespace"))),
		                      SV("/"), value_text(value_map_get(metadata, SV("name"))));

		if (annotations && !map_get(index, key))
			map_put(index, key, (void *)annotations);
	}
	return index;
}

static enum status read_list(struct arena *arena, struct sink *sink, sv path,
                             const struct map **ret_revisions)
{
	struct value *root = ARENA_NEW(arena, struct value);
	sv text;

	if (os_read_file(arena, path, MAX_REVISIONS_BYTES, &text, sink) != STATUS_OK)
		return STATUS_FAILED;
	struct source *source = source_new(arena, path, text, false);
	if (json_parse_lenient(arena, sink, source, root) != STATUS_OK)
		return STATUS_FAILED;
	const struct value *items = value_map_get(root, SV("items"));
	if (!value_is_list(items)) {
		struct diag *diag =
		    diag_report(sink, DIAG_REVISIONS, position_of_source(source),
		                "this is no list of MachineDeployments: it has no items");
		diag_set_help(sink, diag, "kubectl get machinedeployments -A -o json > %.*s",
		              SV_ARG(path));
		return STATUS_FAILED;
	}
	*ret_revisions = index_annotations(arena, items);
	return STATUS_OK;
}

enum status plan_read_revisions(struct arena *arena, struct sink *sink, sv path, struct plan *plan)
{
	const struct map *revisions = NULL;
	enum status status = STATUS_OK;

	if (sv_empty(path))
		return STATUS_OK;
	if (os_kind(path) != OS_FOLDER) {
		status = read_list(arena, sink, path, &revisions);
		for (size_t i = 0; i < plan->cluster_count; i++)
			plan->clusters[i].live_revisions = revisions;
		return status;
	}
	/* A folder holds CLUSTER.json for each cluster that is known. */
	for (size_t i = 0; i < plan->cluster_count; i++) {
		sv file = ARENA_CONCAT(arena, sv_trim_right(path, "/"), SV("/"),
		                       plan->clusters[i].fleet->name, SV(".json"));

		if (os_kind(file) != OS_ABSENT &&
		    read_list(arena, sink, file, &plan->clusters[i].live_revisions) != STATUS_OK)
			status = STATUS_FAILED;
	}
	return status;
}

/* The live object's annotation; null when it is not known. */
static const struct value *live_revision(struct arena *arena, const struct plan_unit *unit)
{
	const struct kube_id *id = &unit->unit->object->id;
	const struct map *revisions = unit->cluster->live_revisions;

	if (!revisions)
		return NULL;
	return value_map_get(
	    map_get(revisions, ARENA_CONCAT(arena, id->namespace, SV("/"), id->name)),
	    unit->unit->dialect->revision_annotation);
}

/*
 * Texts are compared, and machine-controller writes its own as numbers from 1 on: any other one
 * would keep every machine from starting.
 */
static enum status check_revision(struct sink *sink, sv annotation, const struct value *revision)
{
	sv text = value_text(revision);
	int64_t number;

	if (value_is_string(revision) && !sv_empty(text) && text.ptr[0] >= '1' &&
	    text.ptr[0] <= '9' && sv_parse_int64(text, &number))
		return STATUS_OK;
	struct diag *diag =
	    diag_report(sink, DIAG_MD_REVISION, value_position(revision),
	                "annotation %.*s is no revision: a whole number from 1 on, as a text",
	                SV_ARG(annotation));
	diag_set_help(sink, diag,
	              "remove it, and osm-gen counts by itself; or write the number that the "
	              "cluster has, in quotes");
	return STATUS_FAILED;
}

/* ---- the previous output ----------------------------------------------------------------- */

/*
 * COMPAT: an index of format 1 does not hold revisions; the configs that it lists do. Their
 * annotations stand one a line near their head, as they were written then.
 */
static sv written_annotation(sv text, sv name)
{
	enum { HEAD_BYTES = 4096 };
	sv head = sv_slice(text, 0, HEAD_BYTES);
	size_t at = sv_find(head, name);

	if (at == SV_NPOS)
		return (sv){0};
	sv line = sv_from_offset(head, at + name.len);
	line = sv_slice(line, 0, sv_find_char(line, '\n'));
	return sv_trim(line, ": \"'\r");
}

static enum status read_format_1(struct arena *arena, struct sink *sink,
                                 const struct previous *previous, const struct plan_unit *unit,
                                 struct previous_unit *ret_unit)
{
	const struct dialect *dialect = unit->unit->dialect;
	sv text;

	if (previous->objects.count == 0 || !dialect->config_id)
		return STATUS_OK;
	struct kube_id id = dialect->config_id(arena, unit->view, unit->unit->object);
	sv path = tree_object_path(arena, unit->cluster->fleet->name, ARTIFACT_MANAGEMENT, &id);
	const struct git_file *file = git_output_find(previous->output, path);
	if (!file || !map_get(&previous->objects, path))
		return STATUS_OK;
	if (git_output_read(previous->output, file, MAX_OUTPUT_BYTES, arena, &text, sink) !=
	    STATUS_OK)
		return STATUS_FAILED;
	ret_unit->revision = written_annotation(text, SV("k8c.io/machine-deployment-revision"));
	ret_unit->template_digest = written_annotation(text, SV("osm-gen.dev/template-digest"));
	return STATUS_OK;
}

/*
 * Digests of templates that hold secrets are keyed and name their seed: under another seed they
 * cannot be compared, and a rotated seed must not look like a rotated template.
 */
static bool is_another_template(sv before, sv now)
{
	sv seed_before;
	sv seed_now;
	sv rest;
	bool keyed_before = sv_cut(before, SV(":"), &seed_before, &rest);
	bool keyed_now = sv_cut(now, SV(":"), &seed_now, &rest);

	if (sv_empty(before) || (keyed_before && keyed_now && !sv_eq(seed_before, seed_now)))
		return false;
	return !sv_eq(before, now);
}

/* "1" when there was no such unit, or nothing to be learnt from it. */
static enum status previous_revision(struct arena *arena, struct sink *sink,
                                     const struct previous *previous, const struct plan_unit *unit,
                                     sv digest, sv *ret_revision)
{
	const struct tree_unit id = plan_tree_unit(unit->unit);
	const struct previous_unit *known =
	    map_get(&previous->units, plan_unit_key(arena, unit->cluster->fleet->name, &id));
	struct previous_unit before = {0};
	int64_t number;

	*ret_revision = SV("1");
	if (known)
		before = *known;
	else if (read_format_1(arena, sink, previous, unit, &before) != STATUS_OK)
		return STATUS_FAILED;
	if (!sv_parse_int64(before.revision, &number) || number < 1 || number == INT64_MAX)
		return STATUS_OK;
	if (is_another_template(before.template_digest, digest))
		number++;
	*ret_revision = arena_printf(arena, "%lld", (long long)number);
	return STATUS_OK;
}

/* ---- both -------------------------------------------------------------------------------- */

/* 32 hex digits of the template; "SEED:DIGEST" when it holds a secret. */
static sv template_digest(struct arena *arena, const struct plan *plan,
                          const struct plan_unit *unit)
{
	const struct kube_object *object = unit->unit->object;
	struct value text = unit->unit->dialect->template_text(arena, object);
	struct seal_token_owner owner = {unit->cluster->fleet->name, object->id.namespace,
	                                 object->id.name, SV("")};

	if (text.taint && plan->root)
		return ARENA_CONCAT(arena, seal_seed_id(arena, plan->root), SV(":"),
		                    seal_change_digest(arena, plan->root, &owner, text.string));
	return sv_slice(digest_hex(arena, DIGEST_SHA256, text.string), 0, 32);
}

/* An annotation without text is as good as none. */
static bool is_given(const struct value *annotation)
{
	return annotation && !value_is_null(annotation) &&
	       !(value_is_string(annotation) && sv_empty(annotation->string));
}

enum status plan_find_revision(struct arena *arena, struct sink *sink, const struct plan *plan,
                               const struct previous *previous, const struct plan_unit *unit,
                               struct plan_revision *ret_revision)
{
	const struct dialect *dialect = unit->unit->dialect;
	sv annotation = dialect->revision_annotation;
	const struct value *given =
	    value_map_get(value_path(unit->unit->object->root, "metadata.annotations"), annotation);
	const struct value *revision = live_revision(arena, unit);

	*ret_revision = (struct plan_revision){0};
	if (!dialect->template_text)
		return STATUS_OK;
	*ret_revision = (struct plan_revision){SV("1"), template_digest(arena, plan, unit)};
	if (!is_given(revision))
		revision = given;
	if (is_given(revision)) {
		ret_revision->revision = value_text(revision);
		/* That every annotation is a text is seen to where the machine is read. */
		if (revision == given && !value_is_string(revision))
			return STATUS_OK;
		return check_revision(sink, annotation, revision);
	}
	if (previous)
		return previous_revision(arena, sink, previous, unit, ret_revision->template_digest,
		                         &ret_revision->revision);
	return STATUS_OK;
}
