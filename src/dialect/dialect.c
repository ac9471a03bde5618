/*
 * Functions over the tables of all dialects.
 */
#include "dialect/dialect.h"

struct artifact artifact_of(struct value object, enum artifact_side side, enum artifact_role role,
                            enum artifact_sealing sealing)
{
	return (struct artifact){
	    .side = side,
	    .role = role,
	    .sealing = sealing,
	    .id = kube_id_of(&object),
	    .object = object,
	};
}

sv artifact_role_name(enum artifact_role role)
{
	switch (role) {
	case ARTIFACT_CONFIG:
		return SV("config");
	case ARTIFACT_BOOTSTRAP:
		return SV("bootstrap");
	case ARTIFACT_PROVISIONING:
		return SV("provisioning");
	case ARTIFACT_CREDENTIAL:
		return SV("credential");
	case ARTIFACT_REPORT:
		return SV("report");
	case ARTIFACT_CONFIG_MAP:
		return SV("configmap");
	case ARTIFACT_MACHINES:
		return SV("machines");
	case ARTIFACT_SUPPORT:
		return SV("support");
	}
	BUG("role of an artifact");
}

sv artifact_print_name(const struct artifact *artifact)
{
	if (!sv_empty(artifact->print))
		return artifact->print;
	switch (artifact->role) {
	case ARTIFACT_CONFIG:
		return SV("osc");
	case ARTIFACT_BOOTSTRAP:
	case ARTIFACT_PROVISIONING:
	case ARTIFACT_CONFIG_MAP:
		return artifact_role_name(artifact->role);
	case ARTIFACT_CREDENTIAL:
	case ARTIFACT_REPORT:
	case ARTIFACT_MACHINES:
	case ARTIFACT_SUPPORT:
		return (sv){0};
	}
	BUG("role of an artifact");
}

void dialect_add_prints(struct arena *arena, sv unit_option, struct dialect_prints *prints)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		if (sv_empty(unit_option) || sv_eq(all[i]->unit_option, unit_option))
			for (size_t j = 0; j < all[i]->print_count; j++)
				VEC_PUSH(arena, prints, all[i]->prints[j]);
}

sv dialect_unit_kind(void)
{
	size_t count;
	const struct dialect *first = dialects(&count)[0];

	for (size_t i = 0; i < first->kind_count; i++)
		if (first->kinds[i].part == DIALECT_UNIT)
			return first->kinds[i].kind;
	BUG("a dialect without units");
}

const struct dialect_kind *dialect_next_kind(struct dialect_kind_walk *walk)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (; walk->dialect < count; walk->dialect++, walk->kind = 0)
		if (walk->kind < all[walk->dialect]->kind_count)
			return &all[walk->dialect]->kinds[walk->kind++];
	return NULL;
}

static sv want_key(struct arena *arena, sv kind, sv namespace, sv name)
{
	return ARENA_CONCAT(arena, kind, SV(" "), namespace, SV("/"), name);
}

void dialect_want(struct dialect_wants *wants, sv kind, sv namespace, sv name)
{
	set_add(&wants->names, want_key(wants->arena, kind, namespace, name));
}

bool dialect_is_wanted(const struct dialect_wants *wants, const struct kube_id *id)
{
	return set_has(&wants->names, want_key(wants->arena, id->kind, id->namespace, id->name));
}

const sv *dialect_variable_names(struct arena *arena, size_t *ret_count)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);
	VEC(sv) names = {0};

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < all[i]->variable_count; j++)
			VEC_PUSH(arena, &names, all[i]->variables[j].name);
	sort_stable(names.items, names.count, sizeof(*names.items), sort_compare_sv, NULL);
	*ret_count = names.count;
	return names.items;
}

static bool is_plain_variable(sv name)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < all[i]->variable_count; j++)
			if (sv_eq(all[i]->variables[j].name, name))
				return all[i]->variables[j].is_plain;
	return false;
}

struct dialect_environment dialect_taint_environment(struct arena *secret_arena,
                                                     const struct dialect_environment *environment)
{
	size_t count = environment->count;
	struct dialect_binding *tainted = ARENA_ARRAY(secret_arena, struct dialect_binding, count);

	for (size_t i = 0; i < count; i++) {
		tainted[i] = environment->items[i];
		if (!is_plain_variable(tainted[i].name))
			tainted[i].text = secrecy_taint_string(
			    secret_arena, tainted[i].text,
			    ARENA_CONCAT(secret_arena, SV("env:"), tainted[i].name));
	}
	return (struct dialect_environment){tainted, count};
}

struct secrecy_public dialect_public_texts(struct arena *arena)
{
	size_t count;
	const struct dialect *const *all = dialects(&count);
	VEC(sv) texts = {0};

	for (size_t i = 0; i < count; i++) {
		if (!all[i]->public_texts)
			continue;
		struct secrecy_public public = all[i]->public_texts(arena);

		for (size_t j = 0; j < public.count; j++)
			VEC_PUSH(arena, &texts, public.texts[j]);
	}
	return (struct secrecy_public){texts.items, texts.count};
}
