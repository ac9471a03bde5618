/*
 * The members of a kustomization. Those that are not in the table are refused: a newer kustomize
 * may read, fetch or run what they name.
 */
#include "kustomize/internal.h"

/* How files of other members are used. A member without a flag names none. */
enum member_use {
	MEMBER_FILES = KUSTOMIZE_LAST_ENTRIES << 1,
	MEMBER_PATH = KUSTOMIZE_LAST_ENTRIES << 2, /* a map with `path` */
	MEMBER_GENERATORS = KUSTOMIZE_LAST_ENTRIES << 3,
	MEMBER_PLUGINS = KUSTOMIZE_LAST_ENTRIES << 4,
	MEMBER_HELM = KUSTOMIZE_LAST_ENTRIES << 5,
};

/* kustomize checks the values of members that name no file. */
#define PLAIN(text, words)                                                                         \
	{                                                                                          \
		.name = (text), .type = SHAPE_ANY, .help = (words)                                 \
	}
#define LIST(text, use, words)                                                                     \
	{                                                                                          \
		.name = (text), .type = SHAPE_ANY, .form = SHAPE_LIST, .flags = (use),             \
		.help = (words)                                                                    \
	}
#define HELM(text)                                                                                 \
	{                                                                                          \
		.name = (text), .type = SHAPE_ANY, .flags = MEMBER_HELM,                           \
		.help = "runs Helm: refused"                                                       \
	}

static const struct shape_member members[] = {
    PLAIN("apiVersion", NULL),
    PLAIN("kind", "Kustomization or Component"),
    PLAIN("metadata", "name, labels and annotations of this file"),
    LIST("resources", KUSTOMIZE_RESOURCE_ENTRIES, "manifests, and folders with a kustomization"),
    LIST("bases", KUSTOMIZE_RESOURCE_ENTRIES,
         "folders with a kustomization; resources replaces it"),
    LIST("components", KUSTOMIZE_RESOURCE_ENTRIES | KUSTOMIZE_COMPONENT_ENTRIES,
         "folders of Components"),
    PLAIN("namespace", "the namespace that every object gets"),
    PLAIN("namePrefix", "goes before every name"),
    PLAIN("nameSuffix", "goes after every name"),
    PLAIN("labels", "labels that every object gets"),
    PLAIN("commonLabels", "labels of objects and selectors; labels replaces it"),
    PLAIN("commonAnnotations", "annotations that every object gets"),
    LIST("patches", KUSTOMIZE_PATCH_ENTRIES, "changes of objects: files, or the text itself"),
    LIST("patchesStrategicMerge", KUSTOMIZE_PATCH_ENTRIES, "patches replaces it"),
    LIST("patchesJson6902", KUSTOMIZE_PATCH_ENTRIES, "patches replaces it"),
    LIST("replacements", KUSTOMIZE_REPLACEMENT_ENTRIES, "copy a member of one object to others"),
    PLAIN("replicas", "numbers of replicas by name"),
    PLAIN("images", "names, tags and digests of images"),
    PLAIN("imageTags", "images replaces it"),
    PLAIN("vars", "names for members of objects; replacements replace it"),
    LIST("configMapGenerator", MEMBER_GENERATORS, "makes ConfigMaps of files and strings"),
    LIST("secretGenerator", MEMBER_GENERATORS, "makes Secrets of files and strings"),
    PLAIN("generatorOptions", "labels and names of generated objects"),
    LIST("crds", MEMBER_FILES, "schemas of custom resources"),
    LIST("configurations", MEMBER_FILES, "which members transformers change"),
    {.name = "openapi", .type = SHAPE_ANY, .flags = MEMBER_PATH, .help = "schemas of kinds"},
    PLAIN("buildMetadata", "annotations that name the origin of each object"),
    PLAIN("sortOptions", "the order of the output"),
    LIST("generators", MEMBER_PLUGINS, "plugins that make objects"),
    LIST("transformers", MEMBER_PLUGINS, "plugins that change objects"),
    LIST("validators", MEMBER_PLUGINS, "plugins that check objects"),
    HELM("helmCharts"),
    HELM("helmGlobals"),
    HELM("helmChartInflationGenerator"),
};
static const struct shape kustomization_shape = SHAPE("Kustomization", members);

const struct value *kustomize_next_entry(struct kustomize_walk *walk)
{
	for (; walk->member < COUNT_OF(members); walk->member++, walk->item = 0) {
		const struct shape_member *member = &members[walk->member];
		const struct value *list =
		    member->flags & walk->of ? value_map_get(walk->root, sv_from_cstr(member->name))
		                             : NULL;

		if (value_is_list(list) && walk->item < value_count(list))
			return value_item(list, walk->item++);
	}
	return NULL;
}

/* ---- reading ----------------------------------------------------------------------------- */

static void report_unknown_member(struct kustomize_reader *r, const struct value_entry *entry)
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

static void read_member(struct kustomize_reader *r, sv folder, const struct value_entry *entry)
{
	const struct shape_member *member = shape_find(&kustomization_shape, entry->key, 0);
	const struct value *v = &entry->value;

	if (!member) {
		report_unknown_member(r, entry);
		return;
	}
	if (member->flags & MEMBER_HELM) {
		struct diag *diag =
		    kustomize_refuse(r, origin_position(entry->key_origin),
		                     ARENA_CONCAT(r->arena, entry->key,
		                                  SV(" would run Helm, which is not allowed")));

		diag_set_help(
		    r->sink, diag,
		    "commit what `helm template` prints, and list that file under resources");
	}
	if (value_is_null(v))
		return;
	if (member->flags & MEMBER_PATH)
		kustomize_read_path(r, folder, v, KUSTOMIZE_DATA);
	if (member->form == SHAPE_LIST && !value_is_list(v))
		kustomize_refuse(
		    r, value_position(v),
		    ARENA_CONCAT(r->arena, entry->key, SV(" of a kustomization must be a list")));
	for (size_t i = 0; value_is_list(v) && i < value_count(v); i++) {
		const struct value *item = value_item(v, i);

		if (member->flags & KUSTOMIZE_RESOURCE_ENTRIES)
			kustomize_use_resource(r, folder, item);
		if (member->flags & MEMBER_FILES)
			kustomize_use_file(r, folder, item, KUSTOMIZE_DATA);
		if (member->flags & (KUSTOMIZE_PATCH_ENTRIES | KUSTOMIZE_REPLACEMENT_ENTRIES))
			kustomize_read_patch(r, folder, item);
		if (member->flags & MEMBER_GENERATORS)
			kustomize_read_generator(r, folder, item);
		if (member->flags & MEMBER_PLUGINS)
			kustomize_read_plugin(r, folder, item);
	}
}

void kustomize_read_members(struct kustomize_reader *r, const struct kustomize_file *file)
{
	const struct value *root = &file->documents.items[0].root;
	sv folder = os_folder_of(file->path);

	for (size_t i = 0; i < value_count(root); i++)
		read_member(r, folder, &root->map->entries[i]);
}
