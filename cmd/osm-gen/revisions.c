/*
 * revisions: what exports say of live revisions, put together by clusters, for people, for programs
 * and for --revisions.
 */
#include "commands.h"
#include "os/os.h"
#include "json/json.h"

/* One cluster's, sorted by namespace and name. */
struct live_cluster {
	sv name;
	struct plan_live_entries entries;
};
VEC_TYPE(live_clusters, struct live_cluster);

/* CLUSTER=PATH, or PATH: named after the cluster, as --revisions wants it. */
static enum status split_argument(struct context *context, sv argument, sv *ret_cluster,
                                  sv *ret_path)
{
	sv base;
	sv suffix;

	*ret_path = argument;
	if (sv_cut(argument, SV("="), ret_cluster, ret_path) && kube_name_valid(*ret_cluster))
		return STATUS_OK;
	*ret_path = argument;
	base = sv_after_last(argument, '/');
	suffix = sv_from_offset(
	    base, sv_rfind_char(base, '.') == SV_NPOS ? base.len : sv_rfind_char(base, '.'));
	*ret_cluster = sv_slice(base, 0, base.len - suffix.len);
	if (kube_name_valid(*ret_cluster) && !sv_eq(argument, SV("-")))
		return STATUS_OK;
	struct diag *diag =
	    diag_report(context->sink, DIAG_USAGE, NOWHERE,
	                "\"%.*s\" does not say of which cluster it is", SV_ARG(argument));
	diag_set_help(context->sink, diag, "write CLUSTER=%.*s", SV_ARG(argument));
	return STATUS_FAILED;
}

static struct live_cluster *cluster_of(struct arena *arena, struct live_clusters *clusters, sv name)
{
	VEC_EACH (cluster, clusters)
		if (sv_eq(cluster->name, name))
			return cluster;
	VEC_PUSH(arena, clusters, (struct live_cluster){.name = name});
	return &clusters->items[clusters->count - 1];
}

static int64_t number_of(sv revision)
{
	int64_t number = 0;

	(void)sv_parse_int64(revision, &number);
	return number;
}

/* A cluster only counts on: of two exports the higher number is the newer one. */
static void merge(struct arena *arena, struct live_cluster *cluster,
                  const struct plan_live_entries *entries)
{
	struct map known = map_in(arena);

	VEC_EACH (entry, &cluster->entries)
		map_put(&known, entry->unit, entry);
	VEC_EACH (entry, entries) {
		struct plan_live_entry *other = map_get(&known, entry->unit);

		if (other && number_of(other->revision) < number_of(entry->revision))
			other->revision = entry->revision;
	}
	VEC_EACH (entry, entries)
		if (!map_get(&known, entry->unit))
			VEC_PUSH(arena, &cluster->entries, *entry);
}

static int compare_clusters(const void *a, const void *b, void *context)
{
	const struct live_cluster *left = a;
	const struct live_cluster *right = b;

	(void)context;
	return sv_cmp(left->name, right->name);
}

static int compare_entries(const void *a, const void *b, void *context)
{
	const struct plan_live_entry *left = a;
	const struct plan_live_entry *right = b;

	(void)context;
	return sv_cmp(left->unit, right->unit);
}

static enum status read_all(struct context *context, struct live_clusters *clusters)
{
	struct arena *arena = context->arena;
	enum status status = STATUS_OK;

	VEC_EACH (argument, &context->options->arguments) {
		struct plan_live_entries entries;
		sv cluster;
		sv path;

		if (split_argument(context, *argument, &cluster, &path) != STATUS_OK)
			return STATUS_FAILED;
		if (sv_eq(path, SV("-")))
			path = SV("/dev/stdin");
		if (plan_list_revisions(arena, context->sink, work_tree(context), path, &entries) !=
		    STATUS_OK)
			status = STATUS_FAILED;
		else
			merge(arena, cluster_of(arena, clusters, cluster), &entries);
	}
	sort_stable(clusters->items, clusters->count, sizeof(*clusters->items), compare_clusters,
	            NULL);
	VEC_EACH (cluster, clusters)
		sort_stable(cluster->entries.items, cluster->entries.count,
		            sizeof(*cluster->entries.items), compare_entries, NULL);
	return status;
}

/* ---- out --------------------------------------------------------------------------------- */

static struct json_t *live_object(const struct plan_live_entry *entry)
{
	struct json_t *object = json_doc_map();
	struct json_t *metadata = json_doc_map();
	struct json_t *annotations = json_doc_map();
	sv namespace;
	sv name;

	sv_cut(entry->unit, SV("/"), &namespace, &name);
	json_doc_set_text(annotations, "machinedeployment.clusters.k8s.io/revision",
	                  entry->revision);
	json_doc_set_text(metadata, "namespace", namespace);
	json_doc_set_text(metadata, "name", name);
	json_doc_set(metadata, "annotations", annotations);
	json_doc_set_text(object, "apiVersion", SV("cluster.k8s.io/v1alpha1"));
	json_doc_set_text(object, "kind", SV("MachineDeployment"));
	json_doc_set(object, "metadata", metadata);
	return object;
}

/* DIR/CLUSTER.json, as --revisions reads it, and nothing that an export has beside it. */
static enum status write_cluster(struct context *context, const struct live_cluster *cluster)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *items = json_doc_list();
	struct buf buf = buf_in(context->arena);
	sv folder = sv_trim_right(context->options->into, "/");

	VEC_EACH (entry, &cluster->entries)
		json_doc_add(items, live_object(entry));
	json_doc_set_text(root, "apiVersion", SV("v1"));
	json_doc_set_text(root, "kind", SV("List"));
	json_doc_set(root, "items", items);
	json_doc_write(&buf, root);
	return os_write_named(
	    context->sink, work_tree(context),
	    ARENA_CONCAT(context->arena, folder, SV("/"), cluster->name, SV(".json")),
	    buf_sv(&buf));
}

static void add_json(struct buf *buf, const struct live_clusters *clusters)
{
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *list = json_doc_list();

	VEC_EACH (cluster, clusters) {
		VEC_EACH (entry, &cluster->entries) {
			struct json_t *row = json_doc_map();
			sv namespace;
			sv name;

			sv_cut(entry->unit, SV("/"), &namespace, &name);
			json_doc_set_text(row, "cluster", cluster->name);
			json_doc_set_text(row, "namespace", namespace);
			json_doc_set_text(row, "name", name);
			json_doc_set_text(row, "revision", entry->revision);
			json_doc_add(list, row);
		}
	}
	json_doc_set_text(root, "formatVersion", SV("1.0"));
	json_doc_set(root, "revisions", list);
	json_doc_write(buf, root);
}

static void add_text(struct buf *buf, const struct live_clusters *clusters)
{
	VEC_EACH (cluster, clusters) {
		VEC_EACH (entry, &cluster->entries) {
			report_add_visible(buf, cluster->name);
			buf_add_char(buf, '/');
			report_add_visible(buf, entry->unit);
			buf_add_char(buf, ' ');
			report_add_visible(buf, entry->revision);
			buf_add_char(buf, '\n');
		}
	}
}

int command_revisions(struct context *context)
{
	struct buf buf = buf_in(context->arena);
	struct live_clusters clusters = {0};

	if (read_all(context, &clusters) != STATUS_OK)
		return 2;
	if (!sv_empty(context->options->into)) {
		if (os_make_folders(context->sink, context->options->into) != STATUS_OK)
			return 3;
		VEC_EACH (cluster, &clusters)
			if (write_cluster(context, cluster) != STATUS_OK)
				return 3;
		return 0;
	}
	if (sv_eq(context->options->format, SV("json")))
		add_json(&buf, &clusters);
	else
		add_text(&buf, &clusters);
	report_defuse(&buf, 0);
	return print_out(context, buf_sv(&buf)) == STATUS_OK ? 0 : 3;
}
