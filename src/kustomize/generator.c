/*
 * The files that a generator wraps, those that a member `path` names, and patches.
 */
#include "kustomize/internal.h"

void kustomize_read_path(struct kustomize_reader *r, sv folder, const struct value *map,
                         enum kustomize_role role)
{
	const struct value *path = value_map_get(map, SV("path"));

	if (path)
		kustomize_use_file(r, folder, path, role);
}

void kustomize_read_generator(struct kustomize_reader *r, sv folder, const struct value *generator)
{
	static const sv lists[] = {SV_INIT("files"), SV_INIT("envs")};

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct value *list = value_map_get(generator, lists[i]);

		for (size_t j = 0; value_is_list(list) && j < value_count(list); j++) {
			const struct value *item = value_item(list, j);
			sv key;
			sv path;

			/* files: a path, or KEY=PATH */
			if (i == 0 && sv_cut(value_text(item), SV("="), &key, &path))
				kustomize_use_path(r, folder, item, path, KUSTOMIZE_DATA);
			else
				kustomize_use_file(r, folder, item, KUSTOMIZE_DATA);
		}
		if (list && !value_is_list(list) && !value_is_null(list))
			kustomize_refuse(r, value_position(list),
			                 SV("the files of a generator are a list"));
	}
	if (value_map_get(generator, SV("env")))
		kustomize_use_file(r, folder, value_map_get(generator, SV("env")), KUSTOMIZE_DATA);
}

void kustomize_read_patch(struct kustomize_reader *r, sv folder, const struct value *item)
{
	if (value_is_map(item))
		kustomize_read_path(r, folder, item, KUSTOMIZE_PATCH);
	else if (!value_is_string(item) || !kustomize_is_inline(item->string))
		kustomize_use_file(r, folder, item, KUSTOMIZE_PATCH);
}
