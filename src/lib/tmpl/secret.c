/*
 * Secrets in values: looking for them, and marking what is derived from one.
 */
#include "secrecy/secrecy.h"
#include "tmpl/exec.h"

/* ---- looking ----------------------------------------------------------------------------- */

const struct secret *exec_deciding_secret(struct ref ref)
{
	const struct secret *nothing = go_ref_nil_secret(ref);

	if (nothing || !ref.v || !ref.v->type)
		return nothing;
	if (value_is_map(ref.v) && ref.v->map && ref.v->map->key_secret)
		return ref.v->map->key_secret;
	/* A decision on a string that is a whole secret only shows that it is not empty. */
	return ref.v->type->kind == KIND_STRING ? taint_derived_from(ref.v->taint)
	                                        : taint_secret(ref.v->taint);
}

/* Walks as secrecy_visit does, and charges the budget for lists and maps. */
struct search {
	struct tmpl_run *run;
	struct exec_secrets *found;
	enum status status;
};

#define MEMBERS_PER_STEP 4

static enum status pay(struct tmpl_run *run, const struct value *v)
{
	size_t count = value_is(v, KIND_STRUCT) ? v->type->field_count : value_count(v);

	TRY(exec_charge(run, 1 + count / MEMBERS_PER_STEP));
	return exec_descend(run);
}

/*
 * Lists and maps may be held in many places, maps by themselves: each is looked into once. The
 * table serves all searches of a run, so that they take no memory of their own.
 */
static struct exec_seen_entry *seen_slot(const struct exec_seen *seen, const void *store,
                                         size_t count)
{
	uint64_t hash = ((uintptr_t)store ^ count << 4) * 0x9e3779b97f4a7c15u;
	size_t mask = seen->capacity - 1;
	size_t at = (size_t)(hash >> 32) & mask;

	while (seen->entries[at].search == seen->search &&
	       (seen->entries[at].store != store || seen->entries[at].count != count))
		at = (at + 1) & mask;
	return &seen->entries[at];
}

static void seen_grow(struct arena *arena, struct exec_seen *seen)
{
	struct exec_seen old = *seen;

	seen->capacity = old.capacity ? old.capacity * 2 : 256;
	seen->entries = ARENA_ARRAY(arena, struct exec_seen_entry, seen->capacity);
	for (size_t i = 0; i < old.capacity; i++)
		if (old.entries[i].search == seen->search)
			*seen_slot(seen, old.entries[i].store, old.entries[i].count) =
			    old.entries[i];
}

/* Returns true if this search has visited the value before; remembers the visit. */
static bool was_seen(struct tmpl_run *run, const struct value *v)
{
	struct exec_seen *seen = &run->seen;
	size_t count = value_count(v);
	const void *store = v->target;

	if (value_is_map(v))
		store = v->map;
	else if (value_is_list(v))
		store = count > 0 ? value_item(v, 0) : NULL;
	else if (value_is(v, KIND_STRUCT))
		store = v->fields;
	if (!store)
		return false;
	if (seen->count * 2 >= seen->capacity)
		seen_grow(run->arena, seen);
	struct exec_seen_entry *entry = seen_slot(seen, store, count);
	if (entry->search == seen->search)
		return true;
	*entry = (struct exec_seen_entry){store, count, seen->search};
	seen->count++;
	return false;
}

static enum secrecy_step look(void *context, struct secrecy_place *place)
{
	struct search *search = context;
	const struct value *v = place->value;
	const struct secret *derived = exec_deciding_secret(go_ref_of(v));

	if (!search->found->any)
		search->found->any = derived ? derived : taint_secret(v->taint);
	if (derived) {
		search->found->derived = derived;
		return SECRECY_END;
	}
	if (!value_is_list(v) && !value_is_map(v) && !value_is(v, KIND_STRUCT) &&
	    !value_is(v, KIND_POINTER))
		return SECRECY_OVER;
	if (was_seen(search->run, v))
		return SECRECY_OVER;
	search->status = place->depth < SECRECY_MAX_DEPTH
	                     ? pay(search->run, v)
	                     : exec_pend(search->run, TMPL_LIMIT, SV("nested too deeply"));
	return search->status == STATUS_OK ? SECRECY_INTO : SECRECY_END;
}

enum status exec_find_secrets(struct tmpl_run *run, struct ref ref, struct exec_secrets *found)
{
	struct search search = {.run = run, .found = found, .status = STATUS_OK};
	const struct secret *nothing = go_ref_nil_secret(ref);

	if (found->derived)
		return STATUS_OK;
	if (nothing) {
		found->derived = nothing;
		if (!found->any)
			found->any = nothing;
		return STATUS_OK;
	}
	run->seen.search++;
	run->seen.count = 0;
	secrecy_visit(ref.v, look, &search);
	return search.status;
}

/* ---- marking ----------------------------------------------------------------------------- */

/* A map that is being marked, and those around it. */
struct marked_map {
	const struct marked_map *outer;
	const struct value_map *map;
};

struct marking {
	struct tmpl_run *run;
	const struct secret *secret;
	bool in_place; /* lists: every holder of the same list sees its items marked */
};

static enum status mark(const struct marking *m, struct value *v, const struct marked_map *outer);

static enum status mark_list(const struct marking *m, struct value *v,
                             const struct marked_map *outer)
{
	size_t count = value_count(v);

	if (!m->in_place && v->list) {
		TRY(exec_room(m->run, count * sizeof(struct value)));
		struct value_list *copy = ARENA_NEW(m->run->arena, struct value_list);

		copy->items = ARENA_ARRAY(m->run->arena, struct value, count);
		for (size_t i = 0; i < count; i++)
			copy->items[i] = *value_item(v, i);
		copy->count = copy->cap = count;
		v->list = copy;
		v->list_from = 0;
	}
	for (size_t i = 0; i < count; i++)
		TRY(mark(m, value_item_mutable(v, i), outer));
	return STATUS_OK;
}

/* Marks a copy of a map of the data, which all templates share, but a dict itself. */
static enum status mark_map(const struct marking *m, struct value *v,
                            const struct marked_map *outer)
{
	struct arena *arena = m->run->arena;

	for (const struct marked_map *o = outer; o; o = o->outer)
		if (o->map == v->map)
			return STATUS_OK;
	if (v->type != &type_any_map) {
		TRY(exec_room(m->run, value_count(v) * sizeof(struct value_entry)));
		struct value_map *copy = value_map_new(arena).map;
		struct value named = {.type = v->type, .map = copy};

		for (size_t i = 0; i < value_count(v); i++) {
			const struct value_entry *entry = &v->map->entries[i];

			value_map_set_at(arena, &named, entry->key, entry->key_origin,
			                 entry->value);
			copy->entries[i].typed_key = entry->typed_key;
		}
		v->map = copy;
	}
	const struct marked_map here = {outer, v->map};
	v->map->key_secret = m->secret;
	for (size_t i = 0; i < v->map->count; i++)
		TRY(mark(m, &v->map->entries[i].value, &here));
	return STATUS_OK;
}

static enum status mark(const struct marking *m, struct value *v, const struct marked_map *outer)
{
	struct arena *arena = m->run->arena;
	bool is_text = value_is_string(v) || (v->type && type_is_bytes(v->type));

	TRY(exec_charge(m->run, 1));
	TRY(exec_descend(m->run));
	if (!v->type)
		v->type = &type_nil;
	v->taint = taint_derived(arena, is_text ? v->string.len : 1, m->secret);
	if (is_text)
		return STATUS_OK;
	if (value_is_list(v))
		return mark_list(m, v, outer);
	if (value_is_map(v) && v->map)
		return mark_map(m, v, outer);
	if (value_is(v, KIND_POINTER) && v->target) {
		struct value *target = ARENA_NEW(arena, struct value);

		*target = *v->target; /* who else points there keeps what he has */
		v->target = target;
		return mark(m, target, outer);
	}
	if (value_is(v, KIND_STRUCT) && v->type->fields && v->fields) {
		struct value *fields = ARENA_ARRAY(arena, struct value, v->type->field_count);

		for (size_t i = 0; i < v->type->field_count; i++) {
			fields[i] = v->fields[i];
			TRY(mark(m, &fields[i], outer));
		}
		v->fields = fields;
	}
	return STATUS_OK;
}

enum status exec_mark_derived(struct tmpl_run *run, struct ref *ref, const struct secret *secret,
                              bool in_place)
{
	const struct marking m = {run, secret, in_place};
	struct value *copy = ARENA_NEW(run->arena, struct value);

	if (!ref->v) {
		ref->secret = secret;
		return STATUS_OK;
	}
	*copy = *ref->v;
	TRY(mark(&m, copy, NULL));
	ref->v = copy;
	return STATUS_OK;
}

/* Marks the dicts that are met, wherever they are held. */
struct dict_search {
	struct marking marking;
	enum status status;
};

static enum secrecy_step mark_dict(void *context, struct secrecy_place *place)
{
	struct dict_search *search = context;
	struct tmpl_run *run = search->marking.run;
	const struct value *v = place->value;
	bool is_dict = v->type == &type_any_map && v->map;

	if (!value_is_list(v) && !value_is_map(v) && !value_is(v, KIND_STRUCT) &&
	    !value_is(v, KIND_POINTER))
		return SECRECY_OVER;
	if (was_seen(run, v) || (is_dict && v->map->key_secret))
		return SECRECY_OVER;
	search->status = pay(run, v);
	if (search->status == STATUS_OK && is_dict) {
		struct value dict = *v;

		search->status = mark(&search->marking, &dict, NULL);
	}
	if (search->status != STATUS_OK)
		return SECRECY_END;
	return is_dict ? SECRECY_OVER : SECRECY_INTO;
}

enum status exec_mark_dicts(struct tmpl_run *run, struct ref ref, const struct secret *secret)
{
	struct dict_search search = {.marking = {.run = run, .secret = secret},
	                             .status = STATUS_OK};

	run->seen.search++;
	run->seen.count = 0;
	secrecy_visit(ref.v, mark_dict, &search);
	return search.status;
}
