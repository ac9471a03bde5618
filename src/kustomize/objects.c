/*
 * Takes kustomize's output apart: one text an object, without the annotation that names its origin.
 */
#include "kustomize/internal.h"

struct apart {
	struct arena *arena;
	struct arena *secret_arena;
	struct sink *sink;
	const struct kustomize_inputs *inputs;
	struct kustomize_objects_made *objects;
};

/* ---- the annotation ---------------------------------------------------------------------- */

static size_t line_start(sv text, size_t at)
{
	while (at > 0 && text.ptr[at - 1] != '\n')
		at--;
	return at;
}

static size_t indent_at(sv text, size_t line)
{
	return sv_indentation(sv_from_offset(text, line));
}

/* Returns where the member ends whose key is in the line: before a line that is not deeper. */
static size_t member_end(sv text, size_t line)
{
	size_t indent = indent_at(text, line);
	size_t at = line;

	do {
		size_t next = sv_find_char(sv_from_offset(text, at), '\n');

		at = next == SV_NPOS ? text.len : at + next + 1;
	} while (at < text.len && (indent_at(text, at) > indent || text.ptr[at] == '\n'));
	return at;
}

/* Returns the text without the annotation, and without `annotations` if it is the only one. */
static sv without_origin(struct arena *arena, sv text, const struct value *root)
{
	const struct value *metadata = value_map_get(root, SV("metadata"));
	const struct value_entry *all = value_map_find(metadata, SV("annotations"));
	const struct value_entry *origin =
	    all ? value_map_find(&all->value, SV(KUSTOMIZE_ORIGIN)) : NULL;

	if (!origin)
		return text;
	const struct value_entry *member = value_count(&all->value) == 1 ? all : origin;
	size_t begin = line_start(text, member->key_origin.offset);
	size_t end = member_end(text, begin);
	return ARENA_CONCAT(arena, sv_slice(text, 0, begin), sv_from_offset(text, end));
}

/* Returns the path below the root that a path relative to a folder leads to. */
static sv resolve(struct arena *arena, sv folder, sv path)
{
	while (sv_starts_with(path, SV("../")) && !sv_empty(folder)) {
		size_t slash = sv_rfind_char(folder, '/');

		folder = slash == SV_NPOS ? SV("") : sv_slice(folder, 0, slash);
		path = sv_from_offset(path, 3);
	}
	return sv_empty(folder) ? path : ARENA_CONCAT(arena, folder, SV("/"), path);
}

/* Returns the file that the annotation names; the outermost kustomization if it names none. */
static const struct kustomize_file *origin_of(const struct apart *a, const struct value *root)
{
	const struct value *text =
	    value_map_get(value_path(root, "metadata.annotations"), SV(KUSTOMIZE_ORIGIN));
	struct sink unused = sink_in(a->arena);
	struct yml_documents documents;
	const struct value *path;

	if (!value_is_string(text) ||
	    yml_parse(a->arena, &unused,
	              source_new(a->arena, SV("origin"), arena_dup(a->arena, text->string), false),
	              &documents) != STATUS_OK ||
	    documents.count == 0)
		return a->inputs->top;
	path = value_map_get(&documents.items[0].root, SV("path"));
	if (!path)
		path = value_map_get(&documents.items[0].root, SV("configuredIn"));
	const struct kustomize_file *file =
	    map_get(&a->inputs->files, resolve(a->arena, a->inputs->folder, value_text(path)));
	return file ? file : a->inputs->top;
}

/* ---- encrypted objects ------------------------------------------------------------------- */

static bool has_same_marks(const struct seal_texts *a, const struct seal_texts *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!sv_eq(a->items[i], b->items[i]))
			return false;
	return true;
}

/* Kustomize sorts keys, so that the marks come in another order. */
static struct seal_texts marks_of(struct arena *arena, const struct value *document)
{
	struct seal_texts marks = {0};

	seal_list_marks(arena, document, &marks);
	sort_stable(marks.items, marks.count, sizeof(*marks.items), sort_compare_sv, NULL);
	return marks;
}

/* Finds the encrypted document of the origin that has the object's values. */
static bool find_sealed(const struct apart *a, const struct value *root,
                        const struct kustomize_file *origin, size_t *ret_number)
{
	const struct seal_texts wanted = marks_of(a->secret_arena, root);
	size_t number = 0;

	VEC_EACH (document, &origin->documents) {
		if (!seal_is_input(&document->root))
			continue;
		const struct seal_texts marks = marks_of(a->secret_arena, &document->root);

		if (marks.count > 0 && has_same_marks(&wanted, &marks)) {
			*ret_number = number;
			return true;
		}
		number++;
	}
	return false;
}

static void report_sealed(const struct apart *a, const struct value *root,
                          const struct kustomize_file *origin)
{
	sv kind = value_text(value_map_get(root, SV("kind")));
	sv name = value_text(value_path(root, "metadata.name"));
	struct diag *diag;

	if (seal_is_sealed_text(kind))
		diag =
		    diag_report(a->sink, DIAG_KUSTOMIZE_SECRET, position_of_source(origin->source),
		                "an object of a kustomization is encrypted as a whole, its kind "
		                "too");
	else
		diag =
		    diag_report(a->sink, DIAG_KUSTOMIZE_SECRET, position_of_source(origin->source),
		                "the kustomization changes encrypted values of %.*s %.*s",
		                SV_ARG(kind), SV_ARG(name));
	diag_set_help(a->sink, diag,
	              "encrypt only data and stringData (--encrypted-regex "
	              "'^(data|stringData)$'), and let no patch change them");
}

/* ---- the output -------------------------------------------------------------------------- */

static void take(const struct apart *a, sv text)
{
	struct source *source = source_new(a->arena, SV("kustomize build"), text, true);
	struct sink found = sink_in(a->arena);
	struct yml_documents documents;

	if (yml_parse(a->secret_arena, &found, source, &documents) != STATUS_OK ||
	    documents.count > 1) {
		diag_report(a->sink, DIAG_KUSTOMIZE_FAILED, a->inputs->at,
		            "kustomize printed something else than YAML");
		return;
	}
	if (documents.count == 0 || value_is_null(&documents.items[0].root))
		return;
	const struct value *root = &documents.items[0].root;
	struct kustomize_object object = {
	    .text = a->inputs->keeps_origins ? text : without_origin(a->secret_arena, text, root),
	    .origin = origin_of(a, root),
	    .is_sealed = seal_is_input(root),
	};
	if (object.is_sealed && (seal_is_sealed_text(value_text(value_map_get(root, SV("kind")))) ||
	                         !find_sealed(a, root, object.origin, &object.sealed_number)))
		report_sealed(a, root, object.origin);
	VEC_PUSH(a->arena, a->objects, object);
}

enum status kustomize_take_apart(struct arena *arena, struct arena *secret_arena, struct sink *sink,
                                 const struct kustomize_inputs *inputs, sv output,
                                 struct kustomize_objects_made *ret_objects)
{
	static const char between[] = "\n---\n";
	size_t errors = sink->error_count;
	struct apart apart = {arena, secret_arena, sink, inputs, ret_objects};

	*ret_objects = (struct kustomize_objects_made){0};
	/* Lines of strings are indented: a line of three dashes is between two objects. */
	while (!sv_empty(output)) {
		size_t at = sv_find(output, SV(between));

		take(&apart, at == SV_NPOS ? output : sv_slice(output, 0, at + 1));
		output = at == SV_NPOS ? SV("") : sv_from_offset(output, at + strlen(between));
	}
	return sink->error_count > errors ? STATUS_FAILED : STATUS_OK;
}
