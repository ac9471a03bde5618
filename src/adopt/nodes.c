/*
 * Finds the Nodes that apply a committed Secret by themselves, and which of them have done it: they
 * write so into their annotations.
 */
#include "adopt/internal.h"

static const struct value *metadata_of(const struct value *document)
{
	const struct value *of_template = value_path(document, "spec.template.metadata");

	/* A SealedSecret has that of its Secret in a template. */
	return of_template ? of_template : value_path(document, "metadata");
}

void adopt_observe_nodes(struct arena *arena, const struct adopt_observe_request *request,
                         const struct dialect *dialect, const struct kube_id *id,
                         const struct value *document, struct adopt_observation *observation)
{
	const struct dialect_adoption *adoption = dialect ? dialect->adoption : NULL;
	struct set names = set_in(arena);

	if (request->no_machines || !adoption || !adoption->applied)
		return;
	const struct value *metadata = metadata_of(document);
	for (size_t i = 0; i < request->live_count; i++) {
		VEC_EACH (object, &request->lives[i]->objects) {
			enum dialect_node_state applied = DIALECT_NODE_OTHER;

			if (adopt_is_part(*object, DIALECT_LIVE_NODE))
				applied = adoption->applied(id, metadata, *object);
			/* Exports may overlap. */
			if (applied == DIALECT_NODE_OTHER || !set_add(&names, (*object)->id.name))
				continue;
			const struct adopt_node seen = {.name = (*object)->id.name,
			                                .secret = *id,
			                                .has_applied =
			                                    applied == DIALECT_NODE_APPLIED};
			VEC_PUSH(arena, &observation->nodes, seen);
			observation->waiting_nodes += !seen.has_applied;
		}
	}
}

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct adopt_node *left = a;
	const struct adopt_node *right = b;
	int order = kube_id_compare(&left->secret, &right->secret);

	(void)context;
	return order != 0 ? order : sv_cmp(left->name, right->name);
}

void adopt_sort_nodes(struct adopt_observation *observation)
{
	sort_stable(observation->nodes.items, observation->nodes.count,
	            sizeof(*observation->nodes.items), compare_nodes, NULL);
}
