/*
 * The members of a kustomization. Those that are not in the table are refused: a newer kustomize
 * may read, fetch or run what they name.
 */
#include "kustomize/internal.h"

enum member_kind {
	MEMBER_PLAIN,     /* names no file */
	MEMBER_RESOURCES, /* a list of files and folders */
	MEMBER_FILES,     /* a list of files */
	MEMBER_PATCHES,   /* a list of files, of YAML, or of maps with `path` */
	MEMBER_PATH,      /* a map with `path` */
	MEMBER_GENERATORS,
	MEMBER_PLUGINS,
	MEMBER_HELM,
};

static const struct {
	const char *name;
	enum member_kind kind;
} members[] = {
    {"apiVersion", MEMBER_PLAIN},
    {"kind", MEMBER_PLAIN},
    {"metadata", MEMBER_PLAIN},
    {"resources", MEMBER_RESOURCES},
    {"bases", MEMBER_RESOURCES},
    {"components", MEMBER_RESOURCES},
    {"namespace", MEMBER_PLAIN},
    {"namePrefix", MEMBER_PLAIN},
    {"nameSuffix", MEMBER_PLAIN},
    {"labels", MEMBER_PLAIN},
    {"commonLabels", MEMBER_PLAIN},
    {"commonAnnotations", MEMBER_PLAIN},
    {"patches", MEMBER_PATCHES},
    {"patchesStrategicMerge", MEMBER_PATCHES},
    {"patchesJson6902", MEMBER_PATCHES},
    {"replacements", MEMBER_PATCHES},
    {"replicas", MEMBER_PLAIN},
    {"images", MEMBER_PLAIN},
    {"imageTags", MEMBER_PLAIN},
    {"vars", MEMBER_PLAIN},
    {"configMapGenerator", MEMBER_GENERATORS},
    {"secretGenerator", MEMBER_GENERATORS},
    {"generatorOptions", MEMBER_PLAIN},
    {"crds", MEMBER_FILES},
    {"configurations", MEMBER_FILES},
    {"openapi", MEMBER_PATH},
    {"buildMetadata", MEMBER_PLAIN},
    {"sortOptions", MEMBER_PLAIN},
    {"generators", MEMBER_PLUGINS},
    {"transformers", MEMBER_PLUGINS},
    {"validators", MEMBER_PLUGINS},
    {"helmCharts", MEMBER_HELM},
    {"helmGlobals", MEMBER_HELM},
    {"helmChartInflationGenerator", MEMBER_HELM},
};

/* ---- lists ------------------------------------------------------------------------------- */

static void read_item(struct kustomize_reader *r, sv folder, enum member_kind kind,
                      const struct value *item)
{
	switch (kind) {
	case MEMBER_RESOURCES:
		kustomize_use_resource(r, folder, item);
		break;
	case MEMBER_FILES:
		kustomize_use_file(r, folder, item, KUSTOMIZE_DATA);
		break;
	case MEMBER_PATCHES:
		kustomize_read_patch(r, folder, item);
		break;
	case MEMBER_GENERATORS:
		kustomize_read_generator(r, folder, item);
		break;
	case MEMBER_PLUGINS:
		kustomize_read_plugin(r, folder, item);
		break;
	case MEMBER_PLAIN:
	case MEMBER_PATH:
	case MEMBER_HELM:
		break;
	}
}

static void report_unknown(struct kustomize_reader *r, const struct value_entry *entry)
{
	sv names[COUNT_OF(members)];

	for (size_t i = 0; i < COUNT_OF(members); i++)
		names[i] = sv_from_cstr(members[i].name);
	struct diag *diag =
	    kustomize_refuse(r, origin_position(entry->key_origin),
	                     ARENA_CONCAT(r->arena, SV("osm-gen does not know the member "),
	                                  entry->key, SV(" of a kustomization")));

	diag_help_nearest(r->sink, diag, entry->key, (struct diag_names){names, COUNT_OF(names)},
	                  "commit what `kustomize build` prints, in place of `kustomize` in the "
	                  "Cluster");
}

static void report_helm(struct kustomize_reader *r, const struct value_entry *entry)
{
	struct diag *diag = kustomize_refuse(
	    r, origin_position(entry->key_origin),
	    ARENA_CONCAT(r->arena, entry->key, SV(" would run Helm, which is not allowed")));

	diag_set_help(r->sink, diag,
	              "commit what `helm template` prints, and list that file under resources");
}

static void read_member(struct kustomize_reader *r, sv folder, const struct value_entry *entry)
{
	const struct value *v = &entry->value;

	for (size_t i = 0; i < COUNT_OF(members); i++) {
		enum member_kind kind = members[i].kind;

		if (!sv_eq_cstr(entry->key, members[i].name))
			continue;
		if (kind == MEMBER_HELM)
			report_helm(r, entry);
		if (kind == MEMBER_PLAIN || kind == MEMBER_HELM || value_is_null(v))
			return;
		if (kind == MEMBER_PATH) {
			kustomize_read_path(r, folder, v, KUSTOMIZE_DATA);
			return;
		}
		if (!value_is_list(v))
			kustomize_refuse(r, value_position(v),
			                 ARENA_CONCAT(r->arena, entry->key,
			                              SV(" of a kustomization must be a list")));
		for (size_t j = 0; value_is_list(v) && j < value_count(v); j++)
			read_item(r, folder, kind, value_item(v, j));
		return;
	}
	report_unknown(r, entry);
}

void kustomize_read_members(struct kustomize_reader *r, const struct kustomize_file *file)
{
	const struct value *root = &file->documents.items[0].root;
	sv folder = os_folder_of(file->path);

	for (size_t i = 0; i < value_count(root); i++)
		read_member(r, folder, &root->map->entries[i]);
}
