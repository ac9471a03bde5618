/*
 * Writes the inputs of units as bytes (see unit_inputs.h).
 */
#include "run/proofs/unit_inputs.h"
#include "run/output/output.h"

#include <endian.h>

/* ---- values ------------------------------------------------------------------------------ */

void run_add_number(struct buf *buf, uint64_t number)
{
	uint64_t bytes = htole64(number);

	buf_add(buf, sv_from_bytes(&bytes, sizeof(bytes)));
}

void run_add_field(struct buf *buf, sv field)
{
	run_add_number(buf, field.len);
	buf_add(buf, field);
}

/* Marks of secrets in clear files have their names. */
static void add_taint(struct buf *buf, const struct taint *taint)
{
	buf_add_char(buf, taint->derived ? 'D' : 'T');
	if (taint->derived)
		run_add_field(buf, taint->derived->name);
	run_add_number(buf, taint->count);
	for (size_t i = 0; i < taint->count; i++) {
		run_add_number(buf, taint->spans[i].start);
		run_add_number(buf, taint->spans[i].end);
		run_add_field(buf, taint->spans[i].secret->name);
		buf_add_char(buf, taint->spans[i].secret->high_entropy ? 'h' : 'l');
	}
}

/* Adds a number as it was written: 0644 and 420 have the same value, and 1.10 and 1.1. */
static void add_written(struct buf *buf, const struct value *v)
{
	const struct source *source = v->origin.source;
	sv written = source ? sv_slice(source->text, v->origin.offset,
	                               (size_t)v->origin.offset + v->origin.length)
	                    : SV("");

	run_add_field(buf, written);
}

static void add_scalar(struct buf *buf, const struct value *v)
{
	uint64_t bits = v->unsigned_integer;

	/* Manifests have no others. */
	BUG_ON(v->type->kind < KIND_BOOL || v->type->kind > KIND_FLOAT64);
	if (value_is(v, KIND_BOOL))
		bits = v->boolean;
	else if (value_is(v, KIND_FLOAT64) || value_is(v, KIND_FLOAT32))
		memcpy(&bits, &v->real, sizeof(bits));
	buf_add_char(buf, 'c');
	run_add_number(buf, v->type->kind);
	run_add_number(buf, bits);
	add_written(buf, v);
}

static enum secrecy_step add_value_at(void *context, struct secrecy_place *place)
{
	struct buf *buf = context;
	const struct value *v = place->value;

	/* The depth ends a list or a map: a member has the depth of its parent plus one. */
	run_add_number(buf, place->depth);
	if (place->entry)
		run_add_field(buf, place->entry->key);
	if (v->taint)
		add_taint(buf, v->taint);
	if (value_is_null(v)) {
		buf_add_char(buf, 'n');
	} else if (value_is_string(v)) {
		buf_add_char(buf, 's');
		run_add_field(buf, v->string);
	} else if (value_is_map(v)) {
		buf_add_char(buf, 'm');
		run_add_number(buf, value_count(v));
		if (v->map && v->map->key_secret)
			run_add_field(buf, v->map->key_secret->name);
	} else if (value_is_list(v)) {
		buf_add_char(buf, 'l');
		run_add_number(buf, value_count(v));
	} else {
		add_scalar(buf, v);
	}
	return SECRECY_INTO;
}

static void add_value_field(struct buf *buf, const struct value *v)
{
	if (v && v->type)
		(void)!secrecy_visit(v, add_value_at, buf);
	buf_add_char(buf, '.');
}

/* ---- objects ------------------------------------------------------------------------------ */

void run_add_id(struct buf *buf, const struct kube_id *id)
{
	run_add_field(buf, id->api_version);
	run_add_field(buf, id->kind);
	run_add_field(buf, id->namespace);
	run_add_field(buf, id->name);
}

static void add_object_fields(struct buf *buf, const struct kube_object *object)
{
	run_add_id(buf, &object->id);
	run_add_field(buf, run_source_name(object));
	buf_add_char(buf, object->confidential ? 'c' : '-');
	buf_add_char(buf, object->external ? 'e' : '-');
	add_value_field(buf, object->root);
}

/* ---- shared inputs -------------------------------------------------------------------------- */

/* Digests of the definitions of a list, by their kinds. */
struct kind_digest {
	sv kind;
	sv digest;
};
VEC_TYPE(kind_digests, struct kind_digest);

static sv key_of_address(struct arena *arena, const void *address)
{
	return arena_dup(arena, sv_from_bytes(&address, sizeof(address)));
}

static sv shared_object(struct run_shared_inputs *shared, const struct kube_object *object)
{
	const sv address = sv_from_bytes(&object, sizeof(object));
	sv *digest = map_get(&shared->objects, address);

	if (digest)
		return *digest;
	struct buf buf = buf_in(shared->secret_arena);
	add_object_fields(&buf, object);
	digest = ARENA_NEW(shared->arena, sv);
	*digest = seal_unit_context(shared->arena, shared->root, buf_sv(&buf));
	arena_reset(shared->secret_arena);
	map_put(&shared->objects, key_of_address(shared->arena, object), digest);
	return *digest;
}

static bool has_kind(const struct kind_digests *digests, sv kind)
{
	VEC_EACH (digest, digests)
		if (sv_eq(digest->kind, kind))
			return true;
	return false;
}

static sv definitions_of_kind(struct run_shared_inputs *shared,
                              const struct kube_object_list *objects, sv kind)
{
	struct buf buf = buf_in(shared->arena);

	for (size_t i = 0; i < objects->count; i++)
		if (sv_eq(objects->items[i]->id.kind, kind))
			run_add_field(&buf, shared_object(shared, objects->items[i]));
	return seal_unit_context(shared->arena, shared->root, buf_sv(&buf));
}

static const struct kind_digests *shared_definitions(struct run_shared_inputs *shared,
                                                     const struct kube_object_list *objects)
{
	const sv address = sv_from_bytes(&objects, sizeof(objects));
	struct kind_digests *digests = map_get(&shared->lists, address);

	if (digests)
		return digests;
	digests = ARENA_NEW(shared->arena, struct kind_digests);
	for (size_t i = 0; i < objects->count; i++) {
		sv kind = objects->items[i]->id.kind;

		if (has_kind(digests, kind))
			continue;
		const struct kind_digest digest = {kind,
		                                   definitions_of_kind(shared, objects, kind)};
		VEC_PUSH(shared->arena, digests, digest);
	}
	map_put(&shared->lists, key_of_address(shared->arena, objects), digests);
	return digests;
}

/* ---- objects that are looked up ------------------------------------------------------------- */

/* The names of the objects that the cluster's units and settings refer to. */
static struct dialect_wants find_wants(struct arena *arena, const struct fleet_cluster *cluster)
{
	struct dialect_wants wants = {.arena = arena, .names = set_in(arena)};
	ARENA_AUTO opened = arena_new(ARENA_SECRET);

	for (size_t i = 0; i < cluster->dialect_count; i++) {
		const struct dialect_cluster *view = &cluster->dialects[i];

		kube_object_list_open(opened, &view->units);
		view->dialect->want(view, &wants);
		kube_object_list_close(&view->units);
		for (const struct kube_objects *set = cluster->objects;
		     set && view->dialect->want_listed; set = set->farther)
			for (size_t k = 0; k < set->by_id.count; k++)
				view->dialect->want_listed(view, set->by_id.entries[k].value,
				                           &wants);
	}
	return wants;
}

static bool is_marked(const struct fleet_cluster *cluster, const struct kube_object *object)
{
	for (size_t i = 0; i < cluster->dialect_count; i++) {
		const struct dialect_cluster *view = &cluster->dialects[i];

		if (view->dialect->wants && view->dialect->wants(view, object))
			return true;
	}
	return false;
}

/* Adds the objects of a chain of sets, in the order of the files: the cluster's own come first. */
static void add_lookups(struct buf *buf, struct run_shared_inputs *shared,
                        const struct fleet_cluster *cluster)
{
	const struct dialect_wants wants = find_wants(buf->arena, cluster);

	for (const struct kube_objects *set = cluster->objects; set; set = set->farther) {
		for (size_t i = 0; i < set->by_id.count; i++) {
			const struct kube_object *object = set->by_id.entries[i].value;

			if (!dialect_is_wanted(&wants, &object->id) && !is_marked(cluster, object))
				continue;
			if (set == cluster->objects)
				add_object_fields(buf, object);
			else
				run_add_field(buf, shared_object(shared, object));
		}
		buf_add_char(buf, '.');
		VEC_EACH (id, &set->names)
			if (dialect_is_wanted(&wants, id))
				run_add_id(buf, id);
		buf_add_char(buf, '.');
	}
}

/* ---- the cluster --------------------------------------------------------------------------- */

static bool is_kind_of_definitions(const struct fleet_cluster *cluster, sv kind)
{
	VEC_EACH (used, &cluster->definitions)
		if (sv_eq(used->definition->object->id.kind, kind))
			return true;
	return false;
}

/* Units have their own definition; of the others any may change what a unit gets. */
static void add_other_definitions(struct buf *buf, const struct fleet_cluster *cluster,
                                  const struct kube_object_list *objects)
{
	for (size_t i = 0; i < objects->count; i++)
		if (!is_kind_of_definitions(cluster, objects->items[i]->id.kind))
			add_object_fields(buf, objects->items[i]);
	buf_add_char(buf, '.');
}

static void add_other_shared_definitions(struct buf *buf, struct run_shared_inputs *shared,
                                         const struct fleet_cluster *cluster,
                                         const struct kube_object_list *objects)
{
	if (objects)
		VEC_EACH (digest, shared_definitions(shared, objects))
			if (!is_kind_of_definitions(cluster, digest->kind))
				run_add_field(buf, digest->digest);
	buf_add_char(buf, '.');
}

static void add_sealing(struct buf *buf, const struct seal_recipients *recipients)
{
	const struct seal_creation_rule *rule = recipients->rule;

	run_add_field(buf, recipients->format ? recipients->format->name : SV(""));
	run_add_number(buf, (uint64_t)recipients->scope);
	run_add_number(buf, recipients->round_lengths);
	run_add_number(buf, recipients->count);
	for (size_t i = 0; i < recipients->count; i++)
		run_add_field(buf, seal_recipient_listed(buf->arena, recipients, i));
	add_value_field(buf, rule ? rule->map : NULL);
}

void run_add_cluster_inputs(struct buf *secret_buf, struct run_shared_inputs *shared,
                            const struct plan *plan, const struct plan_cluster *cluster)
{
	const struct fleet_cluster *fleet = cluster->fleet;

	run_add_field(secret_buf, fleet->name);
	run_add_number(secret_buf, cluster->cut);
	run_add_number(secret_buf, plan->fleet->contract);
	run_add_number(secret_buf, fleet->delivery.applier);
	run_add_number(secret_buf, fleet->delivery.secret_text);
	add_value_field(secret_buf, &fleet->given);
	/* No value begins with this character, so the proofs of other clusters stay the same. */
	if (fleet->made_settings) {
		buf_add_char(secret_buf, 'm');
		add_value_field(secret_buf, fleet->made_settings);
	}
	add_value_field(secret_buf, cluster->environment);
	add_sealing(secret_buf, &cluster->recipients);
	add_lookups(secret_buf, shared, fleet);
	for (size_t i = 0; i < fleet->dialect_count; i++) {
		const struct dialect_cluster *view = &fleet->dialects[i];

		add_other_definitions(secret_buf, fleet, &view->definitions);
		add_other_shared_definitions(secret_buf, shared, fleet, view->shared);
	}
}

/* ---- the unit ----------------------------------------------------------------------------- */

static void add_tokens(struct buf *buf, const struct plan_unit *unit, int64_t now)
{
	const struct dialect *dialect = unit->unit->dialect;
	struct dialect_token token = {0};

	if (dialect->token &&
	    dialect->token(buf->arena, unit->view, unit->unit->object, now, &token)) {
		run_add_field(buf, token.key);
		run_add_field(buf, token.rotation);
		run_add_field(buf, token.rotation_before);
	}
	add_value_field(buf, &unit->token);
	add_value_field(buf, &unit->token_before);
	/* Output contract 1 has no second token, and proofs are part of the output. */
	if (sv_empty(token.join))
		return;
	run_add_field(buf, token.join);
	run_add_field(buf, token.join_before);
	add_value_field(buf, &unit->join);
	add_value_field(buf, &unit->join_before);
}

void run_add_definition_inputs(struct buf *secret_buf, const struct dialect_definition *definition)
{
	buf_add_char(secret_buf, definition->is_embedded ? 'e' : 'd');
	run_add_field(secret_buf, definition->name);
	add_value_field(secret_buf, &definition->version);
	add_object_fields(secret_buf, definition->object);
}

void run_add_unit_inputs(struct buf *secret_buf, const struct plan_unit *unit, int64_t now)
{
	const struct plan_live_revision *live = plan_live_find(secret_buf->arena, unit);

	run_add_field(secret_buf, unit->unit->dialect->name);
	add_object_fields(secret_buf, unit->unit->object);
	add_tokens(secret_buf, unit, now);
	buf_add_char(secret_buf, live ? 'r' : '-');
	if (live)
		run_add_field(secret_buf, live->text);
}
