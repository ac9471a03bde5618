/*
 * Entries of generators, transformers and validators. Kustomize carries some of these itself
 * (apiVersion: builtin); all others are programs or containers.
 */
#include "kustomize/internal.h"

/* Transformers and generators that kustomize carries, and the members that name files. */
static const struct {
	const char *kind;
	enum { NAMES_NONE, NAMES_PATCH, NAMES_PATCHES, NAMES_GENERATOR, NAMES_REPLACEMENTS } names;
} builtin[] = {
    {"AnnotationsTransformer", NAMES_NONE},
    {"ConfigMapGenerator", NAMES_GENERATOR},
    {"HashTransformer", NAMES_NONE},
    {"ImageTagTransformer", NAMES_NONE},
    {"LabelTransformer", NAMES_NONE},
    {"LegacyOrderTransformer", NAMES_NONE},
    {"NamespaceTransformer", NAMES_NONE},
    {"PatchJson6902Transformer", NAMES_PATCH},
    {"PatchStrategicMergeTransformer", NAMES_PATCHES},
    {"PatchTransformer", NAMES_PATCH},
    {"PrefixSuffixTransformer", NAMES_NONE},
    {"PrefixTransformer", NAMES_NONE},
    {"ReplacementTransformer", NAMES_REPLACEMENTS},
    {"ReplicaCountTransformer", NAMES_NONE},
    {"SecretGenerator", NAMES_GENERATOR},
    {"SortOrderTransformer", NAMES_NONE},
    {"SuffixTransformer", NAMES_NONE},
    {"ValueAddTransformer", NAMES_NONE},
};

static void refuse_plugin(struct kustomize_reader *r, struct position at)
{
	struct diag *diag = kustomize_refuse(
	    r, at, SV("this is a plugin of kustomize, a program of its own, which is not allowed"));

	diag_set_help(r->sink, diag,
	              "use members of the kustomization, or what kustomize carries itself "
	              "(apiVersion: builtin); or commit what the plugin makes");
}

static void read_items(struct kustomize_reader *r, sv folder, const struct value *list)
{
	for (size_t i = 0; value_is_list(list) && i < value_count(list); i++)
		kustomize_read_patch(r, folder, value_item(list, i));
}

/* Reads the configuration of one. Returns false if it is a plugin. */
static bool read_config(struct kustomize_reader *r, sv folder, const struct value *root)
{
	sv kind = value_text(value_map_get(root, SV("kind")));
	const struct value *annotations = value_path(root, "metadata.annotations");

	if (!sv_eq(value_text(value_map_get(root, SV("apiVersion"))), SV("builtin")) ||
	    (annotations && !value_is_null(annotations)))
		return false;
	for (size_t i = 0; i < COUNT_OF(builtin); i++) {
		if (!sv_eq_cstr(kind, builtin[i].kind))
			continue;
		switch (builtin[i].names) {
		case NAMES_NONE:
			break;
		case NAMES_PATCH:
			kustomize_read_path(r, folder, root, KUSTOMIZE_PATCH);
			break;
		case NAMES_PATCHES:
			read_items(r, folder, value_map_get(root, SV("paths")));
			break;
		case NAMES_GENERATOR:
			kustomize_read_generator(r, folder, root);
			break;
		case NAMES_REPLACEMENTS:
			read_items(r, folder, value_map_get(root, SV("replacements")));
			break;
		}
		return true;
	}
	return false;
}

static void read_configs(struct kustomize_reader *r, sv folder, struct position at,
                         const struct yml_documents *documents)
{
	VEC_EACH (document, documents)
		if (!value_is_null(&document->root) && !read_config(r, folder, &document->root))
			refuse_plugin(r, at);
}

void kustomize_read_plugin(struct kustomize_reader *r, sv folder, const struct value *entry)
{
	struct position at = value_position(entry);
	struct yml_documents documents;

	if (value_is_string(entry) && kustomize_is_inline(entry->string)) {
		struct sink found = sink_in(r->arena);
		struct source *source =
		    source_new(r->arena, SV("plugin"), arena_dup(r->arena, entry->string), true);

		source->values = r->tree->values;
		if (yml_parse(r->secret_arena, &found, source, &documents) != STATUS_OK)
			kustomize_refuse(r, at, SV("the configuration in this string is not YAML"));
		else
			read_configs(r, folder, at, &documents);
		return;
	}
	const struct kustomize_file *file = kustomize_use_file(r, folder, entry, KUSTOMIZE_PATCH);
	if (file)
		read_configs(r, folder, at, &file->documents);
}
