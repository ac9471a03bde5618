/*
 * Reads --revisions: the revisions of units in the clusters, as kubectl prints them.
 */
#include "plan/live.h"
#include "os/os.h"
#include "yaml/yaml.h"
#include "json/json.h"

#define MAX_REVISIONS_BYTES ((size_t)64 * 1024 * 1024)

#define REVISIONS_COMMAND "kubectl get machinedeployments -A -o json"

static const sv suffixes[] = {SV_INIT(".json"), SV_INIT(".yaml"), SV_INIT(".yml")};

/* The content of one file. */
struct live_list {
	struct arena *arena;
	struct sink *sink;
	const struct source *source;
	struct map *live; /* struct plan_live_revision * by live_key */
	bool is_json;
	bool is_list;          /* the file has items */
	const sv *annotations; /* those that hold a revision */
	size_t annotation_count;
};

static sv live_key(struct arena *arena, sv namespace, sv name, sv annotation)
{
	return ARENA_CONCAT(arena, namespace, SV("/"), name, SV(" "), annotation);
}

/* Adds a revision. The first of several objects with one name counts. */
static void add_live(struct live_list *list, sv key, sv text, struct position at)
{
	struct plan_live_revision *added;

	if (map_get(list->live, key))
		return;
	added = ARENA_NEW(list->arena, struct plan_live_revision);
	*added = (struct plan_live_revision){at, arena_dup(list->arena, text)};
	map_put(list->live, key, added);
}

/* ---- objects ----------------------------------------------------------------------------- */

/* The file is a List whether or not it has a kind; within it only Lists are. */
static bool is_live_list(void *context, const struct value *root, unsigned depth,
                         struct kube_id *ret_item)
{
	struct live_list *list = context;

	if (depth > 0)
		return kube_is_list(root, ret_item);
	list->is_list |= value_is_list(value_map_get(root, SV("items")));
	return value_is_list(value_map_get(root, SV("items")));
}

/* An empty annotation counts as missing. */
static void add_revision(struct live_list *list, const struct value *metadata, sv annotation)
{
	const struct value *revision =
	    value_map_get(value_map_get(metadata, SV("annotations")), annotation);
	sv text = value_text(revision);

	if (value_is_null(revision) || (value_is_string(revision) && sv_empty(text)))
		return;
	add_live(list,
	         live_key(list->arena, value_text(value_map_get(metadata, SV("namespace"))),
	                  value_text(value_map_get(metadata, SV("name"))), annotation),
	         text, list->is_json ? position_of_source(list->source) : value_position(revision));
}

static void take_live_object(void *context, struct value *object, unsigned depth)
{
	struct live_list *list = context;

	for (size_t i = 0; depth > 0 && i < list->annotation_count; i++)
		add_revision(list, value_map_get(object, SV("metadata")), list->annotations[i]);
}

/* Keeps only the revisions: an export is large. */
static enum status read_objects(struct live_list *list)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	/* Lists that are nested too deep are passed over, like all that are not MachineDeployments.
	 */
	const struct kube_list_reader lists = {
	    .arena = scratch, .context = list, .is_list = is_live_list, .take = take_live_object};
	struct yml_documents documents = {0};
	struct value root;

	if (list->is_json) {
		if (json_parse(scratch, list->sink, list->source, &root) != STATUS_OK)
			return STATUS_FAILED;
		kube_list_read(&lists, &root);
		return STATUS_OK;
	}
	if (yml_parse(scratch, list->sink, list->source, &documents) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (document, &documents)
		kube_list_read(&lists, &document->root);
	return STATUS_OK;
}

/* ---- one file ---------------------------------------------------------------------------- */

/* Decides by the content: kubectl prints either format, and the file may have any name. */
static bool is_json(sv text)
{
	return sv_starts_with(sv_trim_space(text), SV("{")) || sv_empty(sv_trim_space(text));
}

static const sv *revision_annotations(struct arena *arena, size_t *ret_count)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);
	sv *annotations = ARENA_ARRAY(arena, sv, count);

	*ret_count = 0;
	for (size_t i = 0; i < count; i++)
		if (!sv_empty(all[i]->revision_annotation))
			annotations[(*ret_count)++] = all[i]->revision_annotation;
	return annotations;
}

static enum status read_live_list(struct arena *arena, struct sink *sink, sv work_tree, sv path,
                                  struct live_list *ret_list)
{
	struct live_list list = {.arena = arena, .sink = sink};
	sv text;

	if (os_read_named(arena, sink, work_tree, path, MAX_REVISIONS_BYTES, &text) != STATUS_OK)
		return STATUS_FAILED;
	list.annotations = revision_annotations(arena, &list.annotation_count);
	list.is_json = is_json(text);
	/* An export holds whatever people wrote into annotations. */
	list.source = source_new(arena, path, text, !list.is_json);
	list.live = ARENA_NEW(arena, struct map);
	*list.live = map_in(arena);
	if (read_objects(&list) != STATUS_OK)
		return STATUS_FAILED;
	if (!list.is_list) {
		struct diag *diag =
		    diag_report(sink, DIAG_REVISIONS, position_of_source(list.source),
		                "this is not a list of MachineDeployments: it has no items");
		diag_set_help(sink, diag, REVISIONS_COMMAND " > %.*s", SV_ARG(path));
		return STATUS_FAILED;
	}
	*ret_list = list;
	return STATUS_OK;
}

enum status plan_live_list(struct arena *arena, struct sink *sink, sv work_tree, sv path,
                           struct plan_live_entries *ret_entries)
{
	enum status status = STATUS_OK;
	struct live_list list;

	*ret_entries = (struct plan_live_entries){0};
	if (read_live_list(arena, sink, work_tree, path, &list) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < list.live->count; i++) {
		const struct plan_live_revision *live = list.live->entries[i].value;
		struct plan_live_entry entry = {.revision = live->text};
		int64_t number;

		sv_cut(list.live->entries[i].key, SV(" "), &entry.unit, &entry.annotation);
		if (sv_parse_int64(live->text, &number) && number >= 1) {
			VEC_PUSH(arena, ret_entries, entry);
			continue;
		}
		struct diag *diag = diag_report(sink, DIAG_REVISIONS, live->at,
		                                "annotation %.*s of %.*s must be a string with "
		                                "a whole number from 1 on",
		                                SV_ARG(entry.annotation), SV_ARG(entry.unit));
		diag_set_help(sink, diag, REVISIONS_COMMAND " > %.*s", SV_ARG(path));
		status = STATUS_FAILED;
	}
	return status;
}

/* ---- one cluster or several --------------------------------------------------------------- */

/*
 * Fails if several clusters have a unit of the same name: kubectl prints one cluster, and the
 * others would get a revision that is not theirs, so that their machines would never start.
 */
static enum status check_owners(struct sink *sink, const struct live_list *list,
                                const struct plan *plan, sv path)
{
	struct map owners = map_in(list->arena);
	struct diag *diag = NULL;

	for (size_t i = 0; i < plan->cluster_count; i++) {
		const struct fleet_cluster *cluster = plan->clusters[i].fleet;

		for (size_t j = 0; j < cluster->unit_count; j++) {
			const struct kube_id *id = &cluster->units[j].object->id;
			sv key = live_key(list->arena, id->namespace, id->name,
			                  cluster->units[j].dialect->revision_annotation);
			const struct fleet_cluster *owner = map_get(&owners, key);

			if (!map_get(list->live, key) || (owner && diag))
				continue;
			if (!owner) {
				map_put(&owners, key, (void *)cluster);
				continue;
			}
			diag = diag_report(
			    sink, DIAG_REVISIONS_OWNER, position_of_source(list->source),
			    "%.*s %.*s/%.*s is there in several clusters (%.*s and %.*s, for "
			    "example), and the file does not show which of them it belongs to",
			    SV_ARG(id->kind), SV_ARG(id->namespace), SV_ARG(id->name),
			    SV_ARG(owner->name), SV_ARG(cluster->name));
			diag_set_help(sink, diag,
			              "give a folder instead of %.*s, with a file for each "
			              "cluster: mkdir revisions; " REVISIONS_COMMAND
			              " > revisions/%.*s.json, and so on; --revisions revisions",
			              SV_ARG(path), SV_ARG(owner->name));
		}
	}
	return diag ? STATUS_FAILED : STATUS_OK;
}

static enum status read_revisions_file(struct arena *arena, struct sink *sink,
                                       const struct plan_request *request, struct plan *plan)
{
	struct live_list list;

	if (read_live_list(arena, sink, request->work_tree, request->revisions, &list) !=
	        STATUS_OK ||
	    check_owners(sink, &list, plan, request->revisions) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < plan->cluster_count; i++)
		plan->clusters[i].live_revisions = list.live;
	return STATUS_OK;
}

/* Reads CLUSTER.json or CLUSTER.yaml, if there is such a file. */
static enum status read_cluster(struct arena *arena, struct sink *sink,
                                const struct plan_request *request, struct plan_cluster *cluster)
{
	sv folder = sv_trim_right(request->revisions, "/");
	sv found = {0};
	struct live_list list;

	for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
		sv path = ARENA_CONCAT(arena, folder, SV("/"), cluster->fleet->name, suffixes[i]);

		if (os_kind(path) == OS_ABSENT)
			continue;
		if (sv_empty(found)) {
			found = path;
			continue;
		}
		struct diag *diag =
		    diag_report(sink, DIAG_REVISIONS_OWNER,
		                position_of_source(source_new(arena, path, SV(""), true)),
		                "cluster %.*s has two files of revisions, this one and %.*s",
		                SV_ARG(cluster->fleet->name), SV_ARG(sv_after_last(found, '/')));
		diag_set_help(sink, diag, "remove the older one");
		return STATUS_FAILED;
	}
	if (sv_empty(found))
		return STATUS_OK;
	if (read_live_list(arena, sink, request->work_tree, found, &list) != STATUS_OK)
		return STATUS_FAILED;
	cluster->live_revisions = list.live;
	return STATUS_OK;
}

/* Fails if no file of the folder belongs to a cluster: most likely another one was meant. */
static enum status check_folder(struct arena *arena, struct sink *sink, sv path,
                                const struct plan *plan)
{
	bool any = plan->cluster_count == 0;

	for (size_t i = 0; i < plan->cluster_count; i++)
		any |= plan->clusters[i].live_revisions != NULL;
	if (any)
		return STATUS_OK;
	sv name = plan->clusters[0].fleet->name;
	struct diag *diag = diag_report(
	    sink, DIAG_REVISIONS_OWNER, position_of_source(source_new(arena, path, SV(""), true)),
	    "the folder holds no file of a cluster, such as %.*s.json", SV_ARG(name));
	diag_set_help(sink, diag, REVISIONS_COMMAND " > %.*s/%.*s.json",
	              SV_ARG(sv_trim_right(path, "/")), SV_ARG(name));
	return STATUS_FAILED;
}

static bool has_suffix(sv name, sv *ret_stem)
{
	for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
		if (!sv_ends_with(name, suffixes[i]))
			continue;
		*ret_stem = sv_slice(name, 0, name.len - suffixes[i].len);
		return true;
	}
	return false;
}

/* Warns of files that belong to no cluster: they are misnamed or left over. */
static enum status warn_unknown(struct arena *arena, struct sink *sink, sv path,
                                const struct plan *plan)
{
	sv *names = ARENA_ARRAY(arena, sv, plan->cluster_count);
	struct set known = set_in(arena);
	struct os_entries entries;
	sv folder = sv_trim_right(path, "/");

	if (os_list_folder(arena, sink, folder, &entries) != STATUS_OK)
		return STATUS_FAILED;
	for (size_t i = 0; i < plan->cluster_count; i++) {
		names[i] = plan->clusters[i].fleet->name;
		set_add(&known, names[i]);
	}
	VEC_EACH (entry, &entries) {
		sv stem;

		if (!has_suffix(entry->path, &stem) || set_has(&known, stem))
			continue;
		sv full = ARENA_CONCAT(arena, folder, SV("/"), entry->path);
		sv nearest = diag_nearest(stem, names, plan->cluster_count);
		struct diag *diag = diag_report(
		    sink, DIAG_REVISIONS_STRANGER,
		    position_of_source(source_new(arena, full, SV(""), true)),
		    "there is no cluster \"%.*s\", and its revisions are not read", SV_ARG(stem));
		if (sv_empty(nearest))
			diag_set_help(
			    sink, diag,
			    "name the file after its cluster (`osm-gen list` has the names), or "
			    "remove it");
		else
			diag_set_help(sink, diag, "did you mean %.*s? Else remove the file",
			              SV_ARG(nearest));
	}
	return STATUS_OK;
}

enum status plan_live_read(struct arena *arena, struct sink *sink,
                           const struct plan_request *request, struct plan *plan)
{
	enum status status = STATUS_OK;

	if (sv_empty(request->revisions))
		return STATUS_OK;
	if (os_kind(request->revisions) != OS_FOLDER)
		return read_revisions_file(arena, sink, request, plan);
	for (size_t i = 0; i < plan->cluster_count; i++)
		if (read_cluster(arena, sink, request, &plan->clusters[i]) != STATUS_OK)
			status = STATUS_FAILED;
	if (warn_unknown(arena, sink, request->revisions, plan) != STATUS_OK)
		status = STATUS_FAILED;
	if (status == STATUS_OK)
		status = check_folder(arena, sink, request->revisions, plan);
	return status;
}

const struct plan_live_revision *plan_live_find(struct arena *arena, const struct plan_unit *unit)
{
	const struct kube_id *id = &unit->unit->object->id;
	const struct map *live = unit->cluster->live_revisions;

	if (!live)
		return NULL;
	return map_get(live, live_key(arena, id->namespace, id->name,
	                              unit->unit->dialect->revision_annotation));
}
