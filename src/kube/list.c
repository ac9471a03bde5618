/*
 * Lists: several objects in one (see kube.h).
 */
#include "kube/kube.h"

#include "yaml/yaml.h"
#include "json/json.h"

bool kube_is_list(const struct value *root, struct kube_id *ret_item)
{
	sv kind = value_text(value_map_get(root, SV("kind")));
	sv api_version = value_text(value_map_get(root, SV("apiVersion")));

	if (sv_empty(api_version) || !sv_ends_with(kind, SV("List")))
		return false;
	*ret_item = (struct kube_id){0};
	if (!sv_eq(kind, SV("List"))) {
		ret_item->kind = sv_slice(kind, 0, kind.len - strlen("List"));
		ret_item->api_version = api_version;
	}
	return true;
}

static void complete_item(struct arena *arena, struct value *item, const struct kube_id *id)
{
	if (sv_empty(id->kind) || !value_is_map(item) || value_map_find(item, SV("kind")))
		return;
	value_map_set(arena, item, SV("kind"), value_string(id->kind));
	value_map_set(arena, item, SV("apiVersion"), value_string(id->api_version));
}

static bool is_list(const struct kube_list_reader *reader, const struct value *root, unsigned depth,
                    struct kube_id *ret_item)
{
	return reader->is_list ? reader->is_list(reader->context, root, depth, ret_item)
	                       : kube_is_list(root, ret_item);
}

static void report_list_mistake(const struct kube_list_reader *reader,
                                enum kube_list_mistake mistake, const struct value *at)
{
	if (reader->report)
		reader->report(reader->context, mistake, at);
}

static void read_at(const struct kube_list_reader *reader, struct value *root, unsigned depth)
{
	struct kube_id id = {0};
	struct value *items;

	if (!is_list(reader, root, depth, &id)) {
		reader->take(reader->context, root, depth);
		return;
	}
	items = value_map_get_mutable(root, SV("items"));
	if (depth == KUBE_LISTS_DEEP) {
		report_list_mistake(reader, KUBE_LIST_TOO_DEEP, root);
		return;
	}
	if (!value_is_null(items) && !value_is_list(items)) {
		report_list_mistake(reader, KUBE_LIST_ITEMS, items);
		return;
	}
	for (size_t i = 0; i < value_count(items); i++) {
		struct value *item = value_item_mutable(items, i);

		complete_item(reader->arena, item, &id);
		read_at(reader, item, depth + 1);
	}
}

void kube_list_read(const struct kube_list_reader *reader, struct value *root)
{
	read_at(reader, root, 0);
}

enum status kube_list_read_printed(struct sink *sink, const struct kube_list_reader *reader,
                                   const struct source *source)
{
	struct yml_documents documents = {0};

	if (sv_starts_with(sv_trim_space(source->text), SV("{"))) {
		struct value *root = ARENA_NEW(reader->arena, struct value);

		if (json_parse(reader->arena, sink, source, root) != STATUS_OK)
			return STATUS_FAILED;
		kube_list_read(reader, root);
		return STATUS_OK;
	}
	if (yml_parse(reader->arena, sink, source, &documents) != STATUS_OK)
		return STATUS_FAILED;
	VEC_EACH (document, &documents)
		if (!value_is_null(&document->root))
			kube_list_read(reader, &document->root);
	return STATUS_OK;
}
