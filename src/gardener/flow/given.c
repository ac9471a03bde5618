/*
 * Finds what a repository gives in the place of what the flow makes: OperatingSystemConfigs of
 * purpose provision, and bootstrap tokens. All are found once for a cluster: the values of units
 * are forgotten as they are rendered, and a search for each unit would look at all objects again.
 */
#include "gardener/flow/flow.h"

/* ---- provision OSCs ---------------------------------------------------------------------- */

/* Returns the key of a pool. The name is a Secret's or, without its suffix, an OSC's. */
static sv pool_key(struct arena *arena, sv namespace, sv name)
{
	if (sv_starts_with(name, SV(GARDENER_FLOW_PREFIX)))
		name = sv_from_offset(name, strlen(GARDENER_FLOW_PREFIX));
	return ARENA_CONCAT(arena, namespace, SV("/"), name);
}

struct gardener_flow_given gardener_flow_find_provisions(struct arena *arena,
                                                         const struct dialect_cluster *cluster)
{
	struct gardener_flow_given given = {.provisions = map_in(arena),
	                                    .gardenlets = set_in(arena)};

	VEC_EACH (unit, &cluster->units) {
		sv purpose = value_text(value_path((*unit)->root, "spec.purpose"));

		if (!sv_eq(purpose, gardener_purpose_name(GARDENER_PROVISION)) || (*unit)->made_of)
			continue;
		sv key = pool_key(arena, (*unit)->id.namespace, gardener_flow_name(arena, *unit));
		if (map_get(&given.provisions, key))
			continue;
		map_put(&given.provisions, key, (void *)(uintptr_t)*unit); /* NOLINT */
		if (gardener_flow_is_gardenlets(arena, *unit))
			set_add(&given.gardenlets, key);
	}
	return given;
}

const struct kube_object *gardener_flow_given_provision(struct arena *arena,
                                                        const struct gardener_flow_given *given,
                                                        const struct kube_object *osc)
{
	return map_get(&given->provisions,
	               pool_key(arena, osc->id.namespace, gardener_flow_name(arena, osc)));
}

bool gardener_flow_has_downloader(struct arena *arena, const struct gardener_flow_given *given,
                                  const struct kube_object *osc)
{
	sv key = pool_key(arena, osc->id.namespace, gardener_flow_name(arena, osc));

	return !map_get(&given->provisions, key) || set_has(&given->gardenlets, key);
}

/* ---- tokens ------------------------------------------------------------------------------ */

static struct map tokens_of(struct arena *arena, const struct dialect_cluster *cluster)
{
	struct kube_object_list secrets =
	    kube_objects_of_kind(arena, cluster->objects, SV("Secret"));
	struct map tokens = map_in(arena);

	VEC_EACH (secret, &secrets) {
		if (!kube_secret_may_be_token(*secret))
			continue;
		const struct value *labels = value_path((*secret)->root, "metadata.labels");
		sv label = value_text(value_map_get(labels, SV(GARDENER_FLOW_TOKEN_LABEL)));

		if (!sv_empty(label) && !map_get(&tokens, label))
			map_put(&tokens, label, (void *)(uintptr_t)*secret); /* NOLINT */
	}
	return tokens;
}

const struct kube_object *gardener_flow_given_token(const struct gardener_flow_given *given,
                                                    sv name)
{
	return map_get(&given->tokens, name);
}

struct gardener_flow_given gardener_flow_find_given(struct arena *arena,
                                                    const struct dialect_cluster *cluster)
{
	struct gardener_flow_given given = gardener_flow_find_provisions(arena, cluster);

	given.tokens = tokens_of(arena, cluster);
	return given;
}
