/*
 * Chooses the system for an OSC, by its type and the cluster's contract. The cluster's own systems
 * come before those that clusters share, and these before the embedded ones.
 */
#include "gardener/internal.h"

/* A document of a system. `system` is null if the document is wrong, which was reported. */
struct gardener_definition {
	struct dialect_definition shown; /* first, since others have a pointer to it */
	const struct gardener_system *system;
};
VEC_TYPE(gardener_definitions, struct gardener_definition *);

struct gardener_layer {
	struct gardener_definitions definitions;
	struct map by_type[2]; /* for each contract: type to the first system that serves it */
};

struct gardener_choice {
	const struct dialect_input *input;
	struct gardener_layer shared;
	struct gardener_layer embedded;
	struct gardener_layer *own; /* one for each cluster */
	struct arena *arena;
};

static struct map *types_of(struct gardener_layer *layer, enum gardener_contract contract)
{
	return &layer->by_type[contract == GARDENER_CURRENT];
}

static struct gardener_layer new_layer(struct arena *arena)
{
	return (struct gardener_layer){.by_type = {map_in(arena), map_in(arena)}};
}

static void add_definition(struct arena *arena, struct gardener_layer *layer,
                           struct gardener_definition *definition)
{
	size_t count = 0;
	const sv *types =
	    definition->system ? gardener_system_types(definition->system, &count) : NULL;

	VEC_PUSH(arena, &layer->definitions, definition);
	for (size_t i = 0; i < count; i++) {
		struct map *known = types_of(layer, gardener_system_contract(definition->system));

		if (!map_get(known, types[i]))
			map_put(known, types[i], definition);
	}
}

static const struct gardener_definition *find_definition(const struct gardener_layer *layer,
                                                         sv type, enum gardener_contract contract)
{
	return map_get(&layer->by_type[contract == GARDENER_CURRENT], type);
}

/* ---- layers ------------------------------------------------------------------------------ */

static struct gardener_definition *new_definition(struct arena *arena,
                                                  const struct kube_object *object,
                                                  const struct gardener_system *system,
                                                  bool is_embedded)
{
	struct gardener_definition *definition = ARENA_NEW(arena, struct gardener_definition);

	*definition = (struct gardener_definition){
	    .shown = {.object = object, .name = object->id.name, .is_embedded = is_embedded},
	    .system = system,
	};
	if (system)
		definition->shown.version = gardener_system_version(system);
	return definition;
}

/* Reports two documents of a layer that serve the same type: the choice would be arbitrary. */
static void check_overlap(struct sink *sink, const struct gardener_layer *layer,
                          const struct gardener_definition *added)
{
	size_t count;
	const sv *types = gardener_system_types(added->system, &count);

	for (size_t i = 0; i < count; i++) {
		const struct gardener_definition *other =
		    find_definition(layer, types[i], gardener_system_contract(added->system));

		if (!other)
			continue;
		struct diag *diag =
		    diag_report(sink, DIAG_FLEET_TWICE, kube_object_position(added->shown.object),
		                "two " GARDENER_SYSTEM_KIND "s of one scope serve type \"%.*s\"",
		                SV_ARG(types[i]));
		diag_add_note(sink, diag, kube_object_position(other->shown.object),
		              "the other one");
		diag_set_help(sink, diag, "remove the type from one of them");
		return;
	}
}

static struct gardener_layer load_layer(struct arena *arena, struct sink *sink,
                                        const struct kube_object_list *objects)
{
	struct gardener_layer layer = new_layer(arena);

	VEC_EACH (object, objects) {
		const struct gardener_system *system = NULL;

		DIAG_SCOPE(sink, kube_object_describe(arena, *object), sink->cluster);
		if (gardener_system_read(arena, sink, *object, &system) != STATUS_OK)
			system = NULL;
		struct gardener_definition *definition =
		    new_definition(arena, *object, system, false);
		if (system)
			check_overlap(sink, &layer, definition);
		add_definition(arena, &layer, definition);
	}
	return layer;
}

static void load_embedded(struct arena *arena, struct sink *sink, struct gardener_choice *choice)
{
	struct gardener_systems systems = {0};
	bool wanted = false;

	/* Compiling takes time: skip it if no cluster has units of this dialect. */
	for (size_t i = 0; i < choice->input->cluster_count; i++)
		wanted |= choice->input->clusters[i].units.count > 0;
	if (!wanted ||
	    gardener_system_embedded(arena, sink, choice->input->contract, &systems) != STATUS_OK)
		return;
	VEC_EACH (system, &systems)
		add_definition(
		    arena, &choice->embedded,
		    new_definition(arena, gardener_system_object(*system), *system, true));
}

struct gardener_choice *gardener_choice_new(struct arena *arena, struct sink *sink,
                                            const struct dialect_input *input)
{
	struct gardener_choice *choice = ARENA_NEW(arena, struct gardener_choice);

	*choice = (struct gardener_choice){
	    .input = input,
	    .own = ARENA_ARRAY(arena, struct gardener_layer, input->cluster_count),
	    .shared = load_layer(arena, sink, &input->shared),
	    .embedded = new_layer(arena),
	};
	for (size_t i = 0; i < input->cluster_count; i++) {
		DIAG_SCOPE(sink, sink->object, input->clusters[i].name);
		choice->own[i] = load_layer(arena, sink, &input->clusters[i].definitions);
	}
	load_embedded(arena, sink, choice);
	return choice;
}

/* ---- the document of an OperatingSystemConfig -------------------------------------------- */

/* The most known types that a message lists. */
enum { MOST_TYPES = 100 };

struct known_types {
	VEC(sv) names;
	bool has_other_contract; /* a document serves the type under the other contract */
};

static void add_types(struct arena *arena, struct known_types *known,
                      const struct gardener_layer *layer, sv type, enum gardener_contract contract)
{
	VEC_EACH (definition, &layer->definitions) {
		size_t count = 0;
		const sv *types = (*definition)->system
		                      ? gardener_system_types((*definition)->system, &count)
		                      : NULL;

		for (size_t i = 0; i < count && known->names.count < MOST_TYPES; i++) {
			if (gardener_system_contract((*definition)->system) == contract)
				VEC_PUSH(arena, &known->names, types[i]);
			else if (sv_eq(types[i], type))
				known->has_other_contract = true;
		}
	}
}

static void report_type(struct arena *arena, struct sink *sink,
                        const struct gardener_choice *choice, size_t cluster,
                        const struct value *type, enum gardener_contract contract)
{
	struct known_types known = {0};
	struct buf all = buf_in(arena);

	add_types(arena, &known, &choice->own[cluster], type->string, contract);
	add_types(arena, &known, &choice->shared, type->string, contract);
	add_types(arena, &known, &choice->embedded, type->string, contract);
	sort_stable(known.names.items, known.names.count, sizeof(*known.names.items),
	            sort_compare_sv, NULL);
	for (size_t i = 0; i < known.names.count; i++)
		if (i == 0 || !sv_eq(known.names.items[i - 1], known.names.items[i]))
			buf_add_item(&all, known.names.items[i]);
	struct diag *diag =
	    diag_report(sink, DIAG_GARDENER_TYPE, value_position(type),
	                "no " GARDENER_SYSTEM_KIND " serves type \"%.*s\" under contract %.*s",
	                SV_ARG(type->string), SV_ARG(gardener_contract_name(contract)));
	sv nearest = diag_nearest(type->string, known.names.items, known.names.count);
	diag_add_note(sink, diag, NOWHERE, "there are: %.*s", SV_ARG(buf_sv(&all)));
	if (known.has_other_contract)
		diag_set_help(sink, diag,
		              "a document for this type exists under the other contract: set "
		              "gardenerContract");
	else
		diag_help_quoted(sink, diag, nearest,
		                 "commit a document for it, starting from the output of `osm-gen "
		                 "profiles show minimal`");
}

static bool is_reconciled(const struct kube_object *osc, const struct gardener_settings *settings)
{
	return settings->contract == GARDENER_CURRENT &&
	       sv_eq(value_text(value_path(osc->root, "spec.purpose")),
	             gardener_purpose_name(GARDENER_RECONCILE));
}

/*
 * Returns true if an OSC without a document for its type needs none: an extension has added to its
 * status, or it has no operating system.
 */
static bool has_status(const struct kube_object *osc, const struct gardener_settings *settings)
{
	const struct value *status = value_map_get(osc->root, SV("status"));

	if (!is_reconciled(osc, settings))
		return false;
	return sv_empty(value_text(value_path(osc->root, "spec.type"))) ||
	       value_count(value_map_get(status, SV("extensionFiles"))) > 0 ||
	       value_count(value_map_get(status, SV("extensionUnits"))) > 0;
}

void gardener_choose(struct arena *arena, struct sink *sink, const struct gardener_choice *choice,
                     size_t cluster, struct dialect_unit *unit)
{
	const struct dialect_input *input = choice->input;
	const struct gardener_settings *settings = input->clusters[cluster].settings;
	const struct value *type = value_path(unit->object->root, "spec.type");
	const struct gardener_definition *found;

	/* The dialect's check reports a wrong type. */
	if (!value_is_string(type) ||
	    (sv_empty(type->string) && !is_reconciled(unit->object, settings)))
		return;
	found = find_definition(&choice->own[cluster], type->string, settings->contract);
	if (!found)
		found = find_definition(&choice->shared, type->string, settings->contract);
	if (!found)
		found = find_definition(&choice->embedded, type->string, settings->contract);
	if (found) {
		unit->definition = &found->shown;
		unit->resolved = found->system;
	} else if (has_status(unit->object, settings)) {
		unit->resolved = gardener_system_of_status();
	} else if (!input->may_be_unreadable(input->context, type->string)) {
		report_type(arena, sink, choice, cluster, type, settings->contract);
	}
}
