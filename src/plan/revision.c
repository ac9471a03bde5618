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

/* What the cluster has; text is empty when it is no text. */
struct live_revision {
	const struct source *source;
	sv text;
};

static sv live_key(struct arena *arena, sv namespace, sv name, sv annotation)
{
	return ARENA_CONCAT(arena, namespace, SV("/"), name, SV(" "), annotation);
}

/* An annotation without text is as good as none. Of several objects of one name the first counts.
 */
static void add_live_revision(struct arena *arena, struct map *live, const struct source *source,
                              const struct json_t *metadata, sv annotation)
{
	const struct json_t *revision =
	    json_doc_get(json_doc_get(metadata, "annotations"), arena_cstr(arena, annotation));
	sv text = json_doc_text(revision);

	if (json_doc_is_null(revision) || (json_doc_is_text(revision) && sv_empty(text)))
		return;
	sv key = live_key(arena, json_doc_text(json_doc_get(metadata, "namespace")),
	                  json_doc_text(json_doc_get(metadata, "name")), annotation);
	if (map_get(live, key))
		return;
	struct live_revision *added = ARENA_NEW(arena, struct live_revision);
	*added = (struct live_revision){source, arena_dup(arena, text)};
	map_put(live, key, added);
}

static struct map *index_list(struct arena *arena, const struct source *source,
                              const struct json_t *items)
{
	struct map *live = ARENA_NEW(arena, struct map);
	size_t count;
	const struct dialect *const *all = dialects(&count);

	*live = map_in(arena);
	for (size_t i = 0; i < json_doc_count(items); i++) {
		const struct json_t *metadata = json_doc_get(json_doc_item(items, i), "metadata");

		for (size_t k = 0; k < count; k++)
			if (!sv_empty(all[k]->revision_annotation))
				add_live_revision(arena, live, source, metadata,
				                  all[k]->revision_annotation);
	}
	return live;
}

static enum status read_list(struct arena *arena, struct sink *sink, sv work_tree, sv path,
                             const struct map **ret_revisions)
{
	JSON_DOC_AUTO root = NULL;
	sv text;

	if (os_read_named(arena, sink, work_tree, path, MAX_REVISIONS_BYTES, &text) != STATUS_OK)
		return STATUS_FAILED;
	struct source *source = source_new(arena, path, text, false);
	if (json_doc_read_lenient(sink, source, &root) != STATUS_OK)
		return STATUS_FAILED;
	const struct json_t *items = json_doc_get(root, "items");
	if (!json_doc_is_list(items)) {
		struct diag *diag =
		    diag_report(sink, DIAG_REVISIONS, position_of_source(source),
		                "this is no list of MachineDeployments: it has no items");
		diag_set_help(sink, diag, "kubectl get machinedeployments -A -o json > %.*s",
		              SV_ARG(path));
		return STATUS_FAILED;
	}
	*ret_revisions = index_list(arena, source, items);
	return STATUS_OK;
}

enum status plan_read_revisions(struct arena *arena, struct sink *sink,
                                const struct plan_request *request, struct plan *plan)
{
	const struct map *revisions = NULL;
	sv path = request->revisions;
	enum status status = STATUS_OK;

	if (sv_empty(path))
		return STATUS_OK;
	if (os_kind(path) != OS_FOLDER) {
		status = read_list(arena, sink, request->work_tree, path, &revisions);
		for (size_t i = 0; i < plan->cluster_count; i++)
			plan->clusters[i].live_revisions = revisions;
		return status;
	}
	/* A folder holds CLUSTER.json for each cluster that is known. */
	for (size_t i = 0; i < plan->cluster_count; i++) {
		sv file = ARENA_CONCAT(arena, sv_trim_right(path, "/"), SV("/"),
		                       plan->clusters[i].fleet->name, SV(".json"));

		if (os_kind(file) != OS_ABSENT &&
		    read_list(arena, sink, request->work_tree, file,
		              &plan->clusters[i].live_revisions) != STATUS_OK)
			status = STATUS_FAILED;
	}
	return status;
}

/* Null when it is not known. */
static const struct live_revision *find_live_revision(struct arena *arena,
                                                      const struct plan_unit *unit)
{
	const struct kube_id *id = &unit->unit->object->id;
	const struct map *live = unit->cluster->live_revisions;

	if (!live)
		return NULL;
	return map_get(live, live_key(arena, id->namespace, id->name,
	                              unit->unit->dialect->revision_annotation));
}

/*
 * Texts are compared, and machine-controller writes its own as numbers from 1 on: any other one
 * would keep every machine from starting.
 */
static bool is_revision(sv text)
{
	int64_t number;

	return !sv_empty(text) && text.ptr[0] >= '1' && text.ptr[0] <= '9' &&
	       sv_parse_int64(text, &number);
}

static enum status report_revision(struct sink *sink, struct position at, sv name)
{
	struct diag *diag = diag_report(
	    sink, DIAG_MD_REVISION, at,
	    "annotation %.*s is no revision: a whole number from 1 on, as a text", SV_ARG(name));

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
                                 struct previous_unit *ret_unit, bool *ret_found)
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
	if (git_output_read(arena, sink, previous->output, file, MAX_OUTPUT_BYTES, &text) !=
	    STATUS_OK)
		return STATUS_FAILED;
	*ret_found = true;
	ret_unit->unit.revision =
	    written_annotation(text, SV("k8c.io/machine-deployment-revision"));
	ret_unit->unit.template_digest =
	    written_annotation(text, SV("osm-gen.dev/template-digest"));
	return STATUS_OK;
}

/* What the previous output says of the unit; *ret_before is as it was when that is nothing. */
static enum status find_before(struct arena *arena, struct sink *sink,
                               const struct previous *previous, const struct plan_unit *unit,
                               struct previous_unit *ret_before, bool *ret_found)
{
	const struct tree_unit id = plan_tree_unit(unit->unit);
	const struct previous_unit *known =
	    map_get(&previous->units, plan_unit_key(arena, unit->cluster->fleet->name, &id));

	*ret_found = known != NULL;
	if (!known)
		return read_format_1(arena, sink, previous, unit, ret_before, ret_found);
	*ret_before = *known;
	return STATUS_OK;
}

/* "1" when there was no such unit, or nothing to be learnt from it. */
static sv count_on(struct arena *arena, const struct previous_unit *before,
                   enum plan_template template)
{
	int64_t number;

	if (!sv_parse_int64(before->unit.revision, &number) || number < 1 || number == INT64_MAX)
		return SV("1");
	if (template == PLAN_TEMPLATE_CHANGED)
		number++;
	return arena_printf(arena, "%lld", (long long)number);
}

/* ---- both -------------------------------------------------------------------------------- */

/*
 * 32 hex digits of the template; "SEED:DIGEST" when it holds a secret: without the seed it is taken
 * to be the one before, since one that is not keyed would confirm guesses.
 */
static sv keyed_digest(struct arena *arena, const struct plan *plan, const struct plan_unit *unit,
                       sv digest_before, struct value text)
{
	const struct kube_object *object = unit->unit->object;
	struct seal_token_owner owner = {unit->cluster->fleet->name, object->id.namespace,
	                                 object->id.name, SV("")};

	if (text.taint && !plan->root)
		return digest_before;
	if (text.taint)
		return ARENA_CONCAT(arena, seal_seed_id(arena, plan->root), SV(":"),
		                    seal_change_digest(arena, plan->root, &owner, text.string));
	return sv_slice(digest_hex(arena, DIGEST_SHA256, text.string), 0, 32);
}

/* One that an earlier version took of the same template stays, and with it the output. */
static sv template_digest(struct arena *arena, const struct plan *plan,
                          const struct plan_unit *unit, sv digest_before)
{
	const struct dialect *dialect = unit->unit->dialect;
	const struct kube_object *object = unit->unit->object;
	sv digest =
	    keyed_digest(arena, plan, unit, digest_before, dialect->template_text(arena, object));

	if (sv_empty(digest_before) || sv_eq(digest, digest_before) ||
	    !dialect->template_text_before)
		return digest;
	sv earlier = keyed_digest(arena, plan, unit, digest_before,
	                          dialect->template_text_before(arena, object));
	return sv_eq(earlier, digest_before) ? earlier : digest;
}

enum status plan_find_revision(struct arena *arena, struct sink *sink, const struct plan *plan,
                               const struct previous *previous, const struct plan_unit *unit,
                               struct plan_revision *ret_revision)
{
	const struct dialect *dialect = unit->unit->dialect;
	sv annotation = dialect->revision_annotation;
	const struct value *given =
	    value_map_get(value_path(unit->unit->object->root, "metadata.annotations"), annotation);
	const struct live_revision *live = find_live_revision(arena, unit);
	struct previous_unit before = {0};

	*ret_revision = (struct plan_revision){0};
	if (previous && find_before(arena, sink, previous, unit, &before,
	                            &ret_revision->was_there) != STATUS_OK)
		return STATUS_FAILED;
	ret_revision->template = PLAN_TEMPLATE_SAME;
	if (!dialect->template_text)
		return STATUS_OK;
	ret_revision->template_digest =
	    template_digest(arena, plan, unit, before.unit.template_digest);
	ret_revision->template =
	    plan_compare_templates(before.unit.template_digest, ret_revision->template_digest);
	if (!plan->root && sv_contains(ret_revision->template_digest, SV(":")))
		ret_revision->template = PLAN_TEMPLATE_UNKNOWN;
	ret_revision->revision = count_on(arena, &before, ret_revision->template);
	if (live) {
		ret_revision->revision = live->text;
		if (is_revision(live->text))
			return STATUS_OK;
		return report_revision(sink, position_of_source(live->source), annotation);
	}
	/* That every annotation is a text is seen to where the machine is read. */
	if (value_is_null(given) || !value_is_string(given) || sv_empty(given->string))
		return STATUS_OK;
	ret_revision->revision = given->string;
	if (is_revision(ret_revision->revision))
		return STATUS_OK;
	return report_revision(sink, value_position(given), annotation);
}
