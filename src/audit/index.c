/*
 * index.json, as far as the audit reads it. The run's own reader (tree/index.c) takes what a later
 * run needs; this one takes what can be checked.
 */
#include "audit/internal.h"
#include "os/os.h"
#include "json/json.h"

static sv member(struct arena *arena, const struct json_t *map, const char *key)
{
	return arena_dup(arena, json_doc_text(json_doc_get(map, key)));
}

static struct kube_id read_object(struct arena *arena, const struct json_t *map)
{
	return (struct kube_id){member(arena, map, "apiVersion"), member(arena, map, "kind"),
	                        member(arena, map, "namespace"), member(arena, map, "name")};
}

static const struct tree_unit *read_unit(struct arena *arena, const struct json_t *unit)
{
	struct tree_unit *read;

	if (sv_empty(json_doc_text(json_doc_get(unit, "kind"))))
		return NULL;
	read = ARENA_NEW(arena, struct tree_unit);
	*read = (struct tree_unit){
	    .kind = member(arena, unit, "kind"),
	    .namespace = member(arena, unit, "namespace"),
	    .name = member(arena, unit, "name"),
	};
	return read;
}

static bool read_entry(struct arena *arena, sv folder, const struct json_t *json,
                       struct audit_entry *entry)
{
	sv path = json_doc_text(json_doc_get(json, "path"));

	*entry = (struct audit_entry){
	    .path = ARENA_CONCAT(arena, folder, SV("/"), path),
	    .object = read_object(arena, json_doc_get(json, "object")),
	    .patch_of = read_object(arena, json_doc_get(json, "patchOf")),
	    .source = member(arena, json, "source"),
	    .sealed = json_doc_is_true(json_doc_get(json, "sealed")),
	    .unit = read_unit(arena, json_doc_get(json, "unit")),
	};
	return os_path_stays_inside(path) &&
	       (sv_empty(entry->object.kind) || sv_empty(entry->patch_of.kind));
}

static bool read_delivery(struct arena *arena, sv folder, const struct json_t *json,
                          struct audit_entry *entry)
{
	*entry = (struct audit_entry){
	    .path = member(arena, json, "path"),
	    .object = read_object(arena, json_doc_get(json, "object")),
	    .source = member(arena, json, "source"),
	    .is_delivery = true,
	};
	return tree_is_delivery_path(entry->path, folder);
}

static void read_recipients(struct arena *arena, const struct json_t *list,
                            struct audit_index *index)
{
	index->recipient_count = json_doc_count(list);
	index->recipients = ARENA_ARRAY(arena, sv, index->recipient_count);
	for (size_t i = 0; i < index->recipient_count; i++)
		index->recipients[i] = arena_dup(arena, json_doc_text(json_doc_item(list, i)));
	sort_stable(index->recipients, index->recipient_count, sizeof(sv), sort_compare_sv, NULL);
}

bool audit_read_index(struct arena *arena, sv folder, const struct source *source,
                      struct audit_index *ret_index, sv *ret_what)
{
	struct sink sink = sink_in(arena);
	JSON_DOC_AUTO root = NULL;

	if (json_doc_read(&sink, source, &root) != STATUS_OK) {
		*ret_what = sink.diags.items[0]->text;
		return false;
	}
	struct audit_index index = {.cluster = member(arena, root, "cluster"), .folder = folder};
	if (!sv_eq(json_doc_text(json_doc_get(root, "generator")), SV("osm-gen"))) {
		*ret_index = (struct audit_index){.is_foreign = true};
		return true;
	}
	const struct json_t *files = json_doc_get(root, "files");
	const struct json_t *delivery = json_doc_get(root, "delivery");
	size_t count = json_doc_count(files);
	index.count = count + json_doc_count(delivery);
	index.entries = ARENA_ARRAY(arena, struct audit_entry, index.count);
	for (size_t i = count; i < index.count; i++) {
		if (read_delivery(arena, folder, json_doc_item(delivery, i - count),
		                  &index.entries[i]))
			continue;
		*ret_what = arena_printf(
		    arena, "the path of delivery[%zu] is missing or none of the cluster's",
		    i - count);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (read_entry(arena, folder, json_doc_item(files, i), &index.entries[i])) {
			index.entries[i].cut = tree_read_cut(root);
			continue;
		}
		*ret_what = arena_printf(
		    arena,
		    "the path of files[%zu] is missing or leads out of the folder, or it is both "
		    "an object and a patch",
		    i);
		return false;
	}
	read_recipients(arena, json_doc_get(root, "recipients"), &index);
	*ret_index = index;
	return true;
}
