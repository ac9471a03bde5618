/*
 * From a place in an object that kustomize made back to the place in the commit that it comes from:
 * the patch that has the value, or else the object's file. A patch may change a value in ways that
 * leave no trace of it, so that values are compared, not followed.
 */
#include "kustomize/internal.h"

enum { STEPS_MAX = 128 };

/* A step down: a key of a map, or the number of an item in a list. */
struct step {
	sv key;
	size_t index;
	bool is_item;
	const struct value *item; /* the item itself, for its name */
};

struct way {
	struct step steps[STEPS_MAX];
	size_t count;
	bool ends_at_key;          /* the place is the last step's key, not its value */
	const struct value *value; /* at the end */
};

struct placer {
	struct arena *arena;
	const struct kustomize_inputs *inputs;
	const struct value *root; /* of the made object */
	struct way way;
};

/* ---- the way to a place ------------------------------------------------------------------ */

struct walk {
	size_t offset; /* the place */
	struct way now;
	struct way best;
	size_t best_start;
};

static void offer(struct walk *w, const struct value *v, struct origin origin, bool is_key)
{
	if (!origin.source || origin.offset > w->offset || origin.offset < w->best_start)
		return;
	w->best_start = origin.offset;
	w->best = w->now;
	w->best.value = v;
	w->best.ends_at_key = is_key;
}

/* CIRCLE: walk: values are nested, at most as deep as the parser allows. */
static void walk(struct walk *w, const struct value *v)
{
	size_t depth = w->now.count;

	offer(w, v, v->origin, false);
	if (depth == STEPS_MAX)
		return;
	w->now.count++;
	for (size_t i = 0; value_is_map(v) && i < value_count(v); i++) {
		const struct value_entry *entry = &v->map->entries[i];

		w->now.steps[depth] = (struct step){.key = entry->key};
		offer(w, &entry->value, entry->key_origin, true);
		walk(w, &entry->value);
	}
	for (size_t i = 0; value_is_list(v) && i < value_count(v); i++) {
		const struct value *item = value_item(v, i);

		w->now.steps[depth] = (struct step){.index = i, .is_item = true, .item = item};
		walk(w, item);
	}
	w->now.count = depth;
}

/* ---- finding a way in another value -------------------------------------------------------- */

static sv item_name(const struct value *item)
{
	return value_text(value_map_get(item, SV("name")));
}

/*
 * Follows the steps from `from` on. Returns the value at the end, or null. *ret_key is the last
 * step's key, and *ret_deepest the last value on the way.
 */
static const struct value *follow(const struct way *way, size_t from, const struct value *v,
                                  struct origin *ret_key, const struct value **ret_deepest)
{
	for (size_t i = from; v; i++) {
		const struct step *step = &way->steps[i];
		const struct value *next = NULL;

		*ret_deepest = v;
		if (i == way->count)
			return v;
		if (!step->is_item) {
			const struct value_entry *entry = value_map_find(v, step->key);

			next = entry ? &entry->value : NULL;
			if (entry)
				*ret_key = entry->key_origin;
		}
		for (size_t k = 0; step->is_item && value_is_list(v) && k < value_count(v); k++) {
			const struct value *item = value_item(v, k);
			sv name = item_name(step->item);

			if (sv_empty(name) ? value_equal(item, step->item) || k == step->index
			                   : sv_eq(item_name(item), name)) {
				next = item;
				break;
			}
		}
		v = next;
	}
	return NULL;
}

/* Returns true if what is there can be shown for the place: the same key, or the same value. */
static bool fits(const struct way *way, const struct value *found)
{
	return found && (way->ends_at_key || value_equal(found, way->value));
}

static struct position position_of(const struct way *way, const struct value *found,
                                   struct origin key)
{
	return way->ends_at_key ? origin_position(key) : value_position(found);
}

/* ---- patches ----------------------------------------------------------------------------- */

/* Compares the next part of a JSON pointer, with its two escapes, with a step. */
static bool is_step(struct arena *arena, sv part, const struct step *step)
{
	struct buf buf = buf_in(arena);
	int64_t number;

	if (step->is_item)
		return sv_eq(part, SV("-")) ||
		       (sv_parse_int64(part, &number) && (size_t)number == step->index);
	for (size_t i = 0; i < part.len; i++) {
		bool is_escape = part.ptr[i] == '~' && i + 1 < part.len;

		buf_add_char(&buf, !is_escape ? part.ptr[i] : part.ptr[i + 1] == '1' ? '/' : '~');
		i += is_escape;
	}
	return sv_eq(buf_sv(&buf), step->key);
}

/* Finds the place in the operations of a JSON patch. */
static bool find_in_operations(struct placer *p, const struct value *list,
                               struct position *ret_place)
{
	for (size_t i = value_count(list); i-- > 0;) {
		const struct value *operation = value_item(list, i);
		const struct value *value = value_map_get(operation, SV("value"));
		sv path = value_text(value_map_get(operation, SV("path")));
		struct origin key = {0};
		const struct value *deepest = NULL;
		struct sv_splitter it = sv_split(sv_trim(path, "/"), '/');
		size_t steps = 0;
		sv part;
		bool fitting = value != NULL;

		while (fitting && sv_split_next(&it, &part))
			fitting =
			    steps < p->way.count && is_step(p->arena, part, &p->way.steps[steps++]);
		if (!fitting)
			continue;
		key = value->origin;
		const struct value *found = follow(&p->way, steps, value, &key, &deepest);
		if (fits(&p->way, found)) {
			*ret_place = position_of(&p->way, found, key);
			return true;
		}
	}
	return false;
}

/* Finds the place in a patch: a part of an object, or the operations of a JSON patch. */
static bool find_in_patch(struct placer *p, const struct value *patch, struct position *ret_place)
{
	const struct value *deepest = NULL;
	struct origin key = {0};
	sv kind = value_text(value_map_get(patch, SV("kind")));

	if (value_is_list(patch))
		return find_in_operations(p, patch, ret_place);
	if (!sv_empty(kind) && !sv_eq(kind, value_text(value_map_get(p->root, SV("kind")))))
		return false;
	const struct value *found = follow(&p->way, 0, patch, &key, &deepest);
	/* Every patch has a kind and a name, and these are the object's own. */
	if (!fits(&p->way, found) || p->way.count == 0 ||
	    (p->way.count <= 2 && !sv_eq(p->way.steps[0].key, SV("spec"))))
		return false;
	*ret_place = position_of(&p->way, found, key);
	return true;
}

/* Finds the place in a patch that is a string of a kustomization. */
static bool find_in_string(struct placer *p, const struct value *text, struct position *ret_place)
{
	struct sink unused = sink_in(p->arena);
	struct yml_documents documents;
	struct position inside;

	if (!value_is_string(text) || !kustomize_is_inline(text->string) ||
	    yml_parse(p->arena, &unused, source_new(p->arena, SV("patch"), text->string, true),
	              &documents) != STATUS_OK)
		return false;
	VEC_EACH (document, &documents)
		if (find_in_patch(p, &document->root, &inside)) {
			*ret_place = value_text_position(text, inside.offset);
			return true;
		}
	return false;
}

/* Finds the place in the last of the patches that are strings of a kustomization. */
static bool find_in_members(struct placer *p, const struct value *kustomization,
                            struct position *ret_place)
{
	struct kustomize_walk walk = {.root = kustomization, .of = KUSTOMIZE_PATCH_ENTRIES};
	VEC(const struct value *) entries = {0};
	const struct value *entry;

	while ((entry = kustomize_next_entry(&walk)))
		VEC_PUSH(p->arena, &entries, entry);
	for (size_t i = entries.count; i-- > 0;) {
		entry = entries.items[i];
		if (find_in_string(p,
		                   value_is_map(entry) ? value_map_get(entry, SV("patch")) : entry,
		                   ret_place))
			return true;
	}
	return false;
}

/* The outermost kustomization is read first, and its patches are applied last. */
static bool find_in_patches(struct placer *p, struct position *ret_place)
{
	const struct map *files = &p->inputs->files;

	for (size_t i = 0; i < files->count; i++) {
		const struct kustomize_file *file = files->entries[i].value;

		if (file->role == KUSTOMIZE_KUSTOMIZATION && file->documents.count == 1 &&
		    find_in_members(p, &file->documents.items[0].root, ret_place))
			return true;
		if (file->role == KUSTOMIZE_PATCH)
			VEC_EACH (document, &file->documents)
				if (find_in_patch(p, &document->root, ret_place))
					return true;
	}
	return false;
}

/* ---- the object's own file ----------------------------------------------------------------- */

/* Calls follow for the document that is most like the object: its kind, and a part of its name. */
static const struct value *own_document(const struct placer *p, const struct kustomize_file *file)
{
	sv kind = value_text(value_map_get(p->root, SV("kind")));
	sv name = value_text(value_path(p->root, "metadata.name"));
	const struct value *best = NULL;
	size_t best_length = 0;

	VEC_EACH (document, &file->documents) {
		sv its_name = value_text(value_path(&document->root, "metadata.name"));

		if (!sv_eq(value_text(value_map_get(&document->root, SV("kind"))), kind) ||
		    (best && (its_name.len <= best_length || !sv_contains(name, its_name))))
			continue;
		best = &document->root;
		best_length = sv_contains(name, its_name) ? its_name.len : 0;
	}
	return best;
}

struct position kustomize_place(struct arena *arena, const struct kustomize_inputs *inputs,
                                const struct kustomize_object *object, size_t offset,
                                bool *ret_is_exact)
{
	struct sink unused = sink_in(arena);
	struct position whole = position_of_source(object->origin->source);
	struct yml_documents documents;
	struct walk w = {.offset = offset};
	struct position place;

	*ret_is_exact = false;
	if (offset == SV_NPOS ||
	    yml_parse(arena, &unused, source_new(arena, SV("made"), object->text, true),
	              &documents) != STATUS_OK ||
	    documents.count == 0)
		return whole;
	struct placer placer = {arena, inputs, &documents.items[0].root, {.count = 0}};
	walk(&w, placer.root);
	if (!w.best.value)
		return whole;
	placer.way = w.best;
	*ret_is_exact = true;
	if (find_in_patches(&placer, &place))
		return place;
	const struct value *own = own_document(&placer, object->origin);
	const struct value *deepest = NULL;
	struct origin key = {0};
	const struct value *found = own ? follow(&placer.way, 0, own, &key, &deepest) : NULL;
	if (!fits(&placer.way, found)) {
		*ret_is_exact = false;
		return found ? value_position(found) : deepest ? value_position(deepest) : whole;
	}
	place = position_of(&placer.way, found, key);
	/* A place within a string, such as a line of a template. */
	for (size_t i = 1; !placer.way.ends_at_key && value_is_string(found) &&
	                   i < found->string.len && w.best_start < offset;
	     i++)
		if (value_text_position(placer.way.value, i).offset >= offset)
			return value_text_position(found, i);
	return place;
}
