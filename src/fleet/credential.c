/*
 * Finds the first credential that a unit has in clear text.
 */
#include "fleet/internal.h"

/* A credential is looked for among the values of a unit. */
struct credential_search {
	const struct value *given; /* the unit as it was read: what is secret there was encrypted */
	const struct secret *secret;
	bool was_encrypted;
	struct position at;
	sv key;
};

static bool is_same_secret(void *context, const struct secrecy_place *place UNUSED,
                           const struct secret *secret)
{
	struct credential_search *search = context;

	search->was_encrypted |= secret == search->secret;
	return !search->was_encrypted;
}

static bool note_credential(void *context, const struct secrecy_place *place,
                            const struct secret *secret)
{
	struct credential_search *search = context;

	search->secret = secret;
	search->was_encrypted = false;
	secrecy_each(search->given, is_same_secret, search);
	/* A whole ${NAME} is filled in elsewhere. */
	size_t at;
	size_t length;
	sv text = value_text(place->value);
	if (search->was_encrypted ||
	    (kube_variable_find(text, 0, &at, &length) && length == text.len))
		return true;
	search->at = value_position(place->value);
	search->key = secrecy_key(place);
	return !search->at.source;
}

bool fleet_is_clear_accepted(const struct kube_object *object)
{
	const struct value *annotations = value_path(object->root, "metadata.annotations");

	return sv_eq_cstr(value_text(value_map_get(annotations, SV(FLEET_CLEAR_ANNOTATION))),
	                  "accepted");
}

bool fleet_find_credential(struct arena *arena, struct arena *scratch, struct fleet_object *unit)
{
	struct credential_search search = {.given = unit->object.root};

	if (!unit->dialect->credentials)
		return false;
	struct value tainted = unit->dialect->credentials(scratch, &unit->object);
	bool is_found = secrecy_find(&tainted) != NULL;

	secrecy_each(&tainted, note_credential, &search);
	unit->credential_at = search.at;
	unit->credential = arena_dup(arena, search.key);
	unit->is_clear_accepted = fleet_is_clear_accepted(&unit->object);
	arena_reset(scratch);
	return is_found;
}
