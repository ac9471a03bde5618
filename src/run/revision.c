#include "run/stages.h"

#include "codec/codec.h"
#include "json/json.h"

#define ANNOTATION_LIVE_REVISION "machinedeployment.clusters.k8s.io/revision"

/* ---- --revisions ------------------------------------------------------------------------- */

/* By "NAMESPACE/NAME": the object's annotations. Of several of one name the first one counts. */
static struct map *index_annotations(struct arena *arena, const struct value *items)
{
	struct map *index = ARENA_NEW(arena, struct map);

	*index = map_in(arena);
	for (size_t i = 0; i < value_count(items); i++) {
		const struct value *metadata = value_map_get(value_item(items, i), SV("metadata"));
		struct value *annotations = value_map_get(metadata, SV("annotations"));
		sv key = ARENA_CONCAT(arena, value_text(value_map_get(metadata, SV("namespace"))),
		                      SV("/"), value_text(value_map_get(metadata, SV("name"))));

		if (annotations && !map_get(index, key))
			map_put(index, key, annotations);
	}
	return index;
}

static enum status read_list(struct run *run, sv path, const struct map **ret_revisions)
{
	struct value *root = ARENA_NEW(run->arena, struct value);
	sv text;

	if (os_read_file(run->arena, run->sink, path, RUN_MAX_INPUT_BYTES, &text) != STATUS_OK)
		return STATUS_FAILED;
	struct source *source = source_new(run->arena, path, text, false);
	if (json_parse_lenient(run->arena, run->sink, source, root) != STATUS_OK)
		return STATUS_FAILED;
	const struct value *items = value_map_get(root, SV("items"));
	if (!value_is_list(items)) {
		struct diag *diag =
		    diag_report(run->sink, DIAG_REVISIONS, position_of_source(source),
		                "this is no list of MachineDeployments: it has no items");
		diag_set_help(run->sink, diag, "kubectl get machinedeployments -A -o json > %.*s",
		              SV_ARG(path));
		return STATUS_FAILED;
	}
	*ret_revisions = index_annotations(run->arena, items);
	return STATUS_OK;
}

enum status run_read_live_revisions(struct run *run)
{
	sv path = run->request->revisions_file;
	const struct map *revisions = NULL;
	enum status status = STATUS_OK;

	if (sv_empty(path))
		return STATUS_OK;
	if (os_kind(path) != OS_FOLDER) {
		status = read_list(run, path, &revisions);
		for (size_t i = 0; i < run->fleet.cluster_count; i++)
			run->clusters[i].live_revisions = revisions;
		return status;
	}
	/* A folder holds CLUSTER.json for each cluster that is known. */
	for (size_t i = 0; i < run->fleet.cluster_count; i++) {
		sv file = ARENA_CONCAT(run->arena, sv_trim_right(path, "/"), SV("/"),
		                       run->clusters[i].fleet->name, SV(".json"));

		if (os_kind(file) != OS_ABSENT &&
		    read_list(run, file, &run->clusters[i].live_revisions) != STATUS_OK)
			status = STATUS_FAILED;
	}
	return status;
}

static const struct value *live_revision(struct arena *arena, const struct map *revisions,
                                         const struct kube_id *id)
{
	if (!revisions)
		return NULL;
	return value_map_get(
	    map_get(revisions, ARENA_CONCAT(arena, id->namespace, SV("/"), id->name)),
	    SV(ANNOTATION_LIVE_REVISION));
}

/*
 * Texts are compared, and machine-controller writes its own as numbers from 1 on: any other one
 * would keep every machine from starting.
 */
static enum status check_revision(struct sink *sink, const struct value *revision)
{
	sv text = value_text(revision);
	int64_t number;

	if (value_is_string(revision) && !sv_empty(text) && text.ptr[0] >= '1' &&
	    text.ptr[0] <= '9' && sv_parse_int64(text, &number))
		return STATUS_OK;
	struct diag *diag = diag_report(sink, DIAG_MD_REVISION, value_position(revision),
	                                "annotation " ANNOTATION_LIVE_REVISION
	                                " is no revision: a whole number from 1 on, as a text");
	diag_set_help(sink, diag,
	              "remove it, and osm-gen counts by itself; or write the number that the "
	              "cluster has, in quotes");
	return STATUS_FAILED;
}

/* ---- the previous output ----------------------------------------------------------------- */

/*
 * The text of an annotation in an OSC that osm-gen wrote. The file is not parsed: its annotations
 * stand one a line near its head, as yml_emit writes them.
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

static sv osc_name(struct arena *arena, const struct kube_id *id)
{
	return ARENA_CONCAT(arena, id->name, SV("-"), id->namespace, SV("-config"));
}

/* False when there is no previous OSC, or nothing to be learnt from it. */
static enum status previous_revision(const struct run *run, struct arena *arena, struct sink *sink,
                                     const struct run_job *job, sv digest, sv *ret_revision)
{
	const struct kube_id *id = &job->machine_deployment->object->id;
	const struct kube_id osc = {
	    .kind = SV("OperatingSystemConfig"),
	    .namespace = job->cluster->fleet->settings.namespace,
	    .name = osc_name(arena, id),
	};
	sv path = tree_object_path(arena, job->cluster->fleet->name, TREE_MANAGEMENT, &osc);
	const struct git_file *file = git_output_find(run->output, path);
	int64_t number;
	sv text;

	*ret_revision = SV("1");
	if (!file)
		return STATUS_OK;
	if (git_output_read(arena, sink, run->output, file, RUN_MAX_OUTPUT_BYTES, &text) !=
	    STATUS_OK)
		return STATUS_FAILED;
	sv revision = written_annotation(text, SV(OSM_ANNOTATION_REVISION));
	sv before = written_annotation(text, SV(OSM_ANNOTATION_TEMPLATE_DIGEST));
	if (!sv_parse_int64(revision, &number) || number < 1 || number == INT64_MAX)
		return STATUS_OK;
	/*
	 * Digests of templates that hold secrets are keyed and name their seed: under another seed
	 * they cannot be compared, and a rotated seed must not look like a rotated template.
	 */
	sv seed_before;
	sv seed_now;
	sv rest;
	bool keyed_before = sv_cut(before, SV(":"), &seed_before, &rest);
	bool keyed_now = sv_cut(digest, SV(":"), &seed_now, &rest);
	bool comparable =
	    !sv_empty(before) && (!keyed_before || !keyed_now || sv_eq(seed_before, seed_now));
	if (comparable && !sv_eq(before, digest))
		number++;
	*ret_revision = arena_printf(arena, "%lld", (long long)number);
	return STATUS_OK;
}

/* ---- both -------------------------------------------------------------------------------- */

/* 32 hex digits of the template; "SEED:DIGEST" when it holds a secret. */
static sv template_digest(const struct run *run, struct arena *arena, const struct run_job *job)
{
	const struct kube_object *object = job->machine_deployment->object;
	struct value text = osm_template_text(arena, object);
	struct seal_token_owner owner = {job->cluster->fleet->name, object->id.namespace,
	                                 object->id.name, SV("")};

	if (text.taint && run->root)
		return ARENA_CONCAT(arena, seal_seed_id(arena, run->root), SV(":"),
		                    seal_change_digest(arena, run->root, &owner, text.string));
	return sv_slice(digest_hex(arena, DIGEST_SHA256, text.string), 0, 32);
}

/* An annotation without text is as good as none. */
static bool is_given(const struct value *annotation)
{
	return annotation && !value_is_null(annotation) &&
	       !(value_is_string(annotation) && sv_empty(annotation->string));
}

enum status run_revision(const struct run *run, struct arena *arena, struct sink *sink,
                         const struct run_job *job, sv *ret_revision, sv *ret_digest)
{
	const struct kube_object *object = job->machine_deployment->object;
	const struct value *own = value_map_get(value_path(object->root, "metadata.annotations"),
	                                        SV(ANNOTATION_LIVE_REVISION));
	const struct value *revision =
	    live_revision(arena, job->cluster->live_revisions, &object->id);

	*ret_digest = template_digest(run, arena, job);
	*ret_revision = SV("1");
	if (!is_given(revision))
		revision = own;
	if (is_given(revision)) {
		*ret_revision = value_text(revision);
		/* That every annotation is a text is seen to where the machine is read. */
		if (revision == own && !value_is_string(revision))
			return STATUS_OK;
		return check_revision(sink, revision);
	}
	if (run->output)
		return previous_revision(run, arena, sink, job, *ret_digest, ret_revision);
	return STATUS_OK;
}
