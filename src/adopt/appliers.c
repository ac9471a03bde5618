/*
 * Finds the programs that apply live objects: whoever adopts those has two sources, git and theirs.
 */
#include "adopt/internal.h"

/* Returns a name from a label or an annotation, which may hold anything, as it may be shown. */
static sv shown_source(struct arena *arena, const struct kube_trace *trace)
{
	sv names[] = {trace->source_namespace, trace->source_name};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (!sv_empty(names[i]) &&
		    (names[i].len > 253 ||
		     secrecy_look_at(names[i], SECRECY_FIELD).look != SECRECY_LOOKS_PLAIN ||
		     secrecy_is_random(names[i])))
			names[i] = SECRET_MASKED;
	if (sv_empty(names[0]))
		return names[1];
	return ARENA_CONCAT(arena, names[0], SV("/"), names[1]);
}

/* Adds an object to those of its applier. `known` has indexes of appliers, each plus one. */
static void add_applied(struct arena *arena, const struct kube_object *object,
                        const struct kube_trace *trace, struct map *known,
                        struct adopt_appliers *appliers)
{
	const struct kube_id *id = &object->id;
	const struct adopt_applier wanted = {
	    .applier = trace->applier,
	    .source = shown_source(arena, trace),
	    .trace = sv_empty(trace->mark)
	                 ? ARENA_CONCAT(arena, SV("field manager "), trace->manager)
	                 : trace->mark,
	    .kind = id->kind,
	};
	sv key = ARENA_CONCAT(arena, sv_from_cstr(wanted.applier->name), SV("\0"), wanted.trace,
	                      SV("\0"), wanted.source, SV("\0"), wanted.kind);
	size_t number = (size_t)(uintptr_t)map_get(known, key);

	if (number == 0) {
		VEC_PUSH(arena, appliers, wanted);
		number = appliers->count;
		map_put(known, key,
		        (void *)(uintptr_t)number); /* NOLINT(performance-no-int-to-ptr) */
	}
	VEC_PUSH(arena, &appliers->items[number - 1].names,
	         secrecy_mask_looks(arena, ARENA_CONCAT(arena, id->namespace, SV("/"), id->name)));
}

struct adopt_appliers adopt_find_appliers(struct arena *arena, const struct adopt_live *live)
{
	/* The kinds that osm-gen takes over and that people or programs apply. */
	static const enum dialect_live_part parts[] = {DIALECT_LIVE_UNIT, DIALECT_LIVE_DEFINITION};
	struct adopt_appliers appliers = {0};
	struct map known = map_in(arena);
	struct kube_trace trace;

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		VEC_EACH (object, &live->objects)
			if (adopt_is_part(*object, parts[i]) &&
			    !value_path((*object)->root, "metadata.deletionTimestamp") &&
			    kube_find_trace(*object, &trace))
				add_applied(arena, *object, &trace, &known, &appliers);
	return appliers;
}

void adopt_note_untraced(struct arena *arena, const struct adopt_live *live,
                         struct adopt_lines *lines)
{
	struct kube_trace trace;
	sv kind = SV("");
	size_t count = 0;

	VEC_EACH (object, &live->objects) {
		if (!adopt_is_part(*object, DIALECT_LIVE_UNIT))
			continue;
		if (value_path((*object)->root, "metadata.managedFields"))
			return;
		if (!kube_find_trace(*object, &trace)) {
			kind = (*object)->id.kind;
			count++;
		}
	}
	if (count > 0)
		adopt_add_line(
		    arena, lines, ADOPT_NOTE,
		    arena_printf(arena, "%zu %.*s%s", count, SV_ARG(kind), count == 1 ? "" : "s"),
		    SV("no trace shows who applies them; managedFields would, which the "
		       "exports lack: kubectl get --show-managed-fields"));
}

struct value adopt_appliers_value(struct arena *arena, const struct adopt_appliers *appliers)
{
	struct value list = value_list_new(arena);

	VEC_EACH (applier, appliers)
		value_list_add(
		    arena, &list,
		    VALUE_MAP(
		        arena, {"program", value_string(sv_from_cstr(applier->applier->name))},
		        {"source", value_string_if(applier->source)},
		        {"trace", value_string(applier->trace)},
		        {"kind", value_string(applier->kind)},
		        {"names", value_strings(arena, applier->names.items, applier->names.count)},
		        {"handOver", value_string(sv_from_cstr(applier->applier->hand_over))}));
	return list;
}
