/*
 * Live revisions from exports, merged by cluster, for people, for programs and for --revisions.
 */
#include "plan/live.h"
#include "report/report.h"
#include "json/json.h"

static struct plan_live_cluster *cluster_of(struct arena *arena,
                                            struct plan_live_clusters *clusters, sv name)
{
	VEC_EACH (cluster, clusters)
		if (sv_eq(cluster->name, name))
			return cluster;
	VEC_PUSH(arena, clusters, (struct plan_live_cluster){.name = name});
	return &clusters->items[clusters->count - 1];
}

static int64_t revision_number(sv revision)
{
	int64_t number = 0;

	(void)sv_parse_int64(revision, &number);
	return number;
}

static void merge_entries(struct arena *arena, struct plan_live_cluster *cluster,
                          const struct plan_live_entries *entries)
{
	struct map known = map_in(arena);

	VEC_EACH (entry, &cluster->entries)
		map_put(&known, entry->unit, entry);
	VEC_EACH (entry, entries) {
		struct plan_live_entry *other = map_get(&known, entry->unit);

		if (other && revision_number(other->revision) < revision_number(entry->revision))
			other->revision = entry->revision;
	}
	VEC_EACH (entry, entries)
		if (!map_get(&known, entry->unit))
			VEC_PUSH(arena, &cluster->entries, *entry);
}

enum status plan_live_add(struct arena *arena, struct sink *sink, sv work_tree, sv cluster, sv path,
                          struct plan_live_clusters *clusters)
{
	struct plan_live_entries entries;

	if (plan_live_list(arena, sink, work_tree, path, &entries) != STATUS_OK)
		return STATUS_FAILED;
	merge_entries(arena, cluster_of(arena, clusters, cluster), &entries);
	return STATUS_OK;
}

void plan_live_sort(struct plan_live_clusters *clusters)
{
	sort_stable(clusters->items, clusters->count, sizeof(*clusters->items), sort_compare_sv,
	            NULL);
	VEC_EACH (cluster, clusters)
		sort_stable(cluster->entries.items, cluster->entries.count,
		            sizeof(*cluster->entries.items), sort_compare_sv, NULL);
}

/* ---- printing ---------------------------------------------------------------------------- */

static struct json_t *live_object(struct arena *scratch, const struct plan_live_entry *entry)
{
	struct json_t *object = json_doc_map();
	struct json_t *metadata = json_doc_map();
	struct json_t *annotations = json_doc_map();
	sv namespace;
	sv name;

	sv_cut(entry->unit, SV("/"), &namespace, &name);
	json_doc_set_text(annotations, arena_cstr(scratch, entry->annotation), entry->revision);
	json_doc_set_text(metadata, "namespace", namespace);
	json_doc_set_text(metadata, "name", name);
	json_doc_set(metadata, "annotations", annotations);
	json_doc_set_text(object, "apiVersion", SV("cluster.k8s.io/v1alpha1"));
	json_doc_set_text(object, "kind", SV("MachineDeployment"));
	json_doc_set(object, "metadata", metadata);
	return object;
}

void plan_live_add_list(struct buf *buf, const struct plan_live_cluster *cluster)
{
	ARENA_AUTO scratch = arena_new(ARENA_PLAIN);
	JSON_DOC_AUTO root = json_doc_map();
	struct json_t *items = json_doc_list();

	VEC_EACH (entry, &cluster->entries)
		json_doc_add(items, live_object(scratch, entry));
	json_doc_set_text(root, "apiVersion", SV("v1"));
	json_doc_set_text(root, "kind", SV("List"));
	json_doc_set(root, "items", items);
	json_doc_write(buf, root);
}

void plan_live_add_json(struct buf *buf, const struct plan_live_clusters *clusters)
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

void plan_live_add_text(struct buf *buf, const struct plan_live_clusters *clusters)
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
